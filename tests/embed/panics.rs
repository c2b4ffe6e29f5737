//! A panic of the embedding program passes through a machine and leaves it in order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use gmachine::gcode::program::Program;
use gmachine::inspect::events::{Moment, NodeEvent, Probe};
use gmachine::{
    Engine, Error, Eval, Format, Input, InputError, MachineKind, Module, Output, OutputError,
    Passes, Store, Value,
};

use super::on_every_machine;

const PROGRAM: &str = "
(defn slow[n] (if (eq n 0) 0 (add 1 (slow (sub n 1)))))
(defn fragile[n] (add (slow n) (flaky n)))
(defn outer[n] (add 1 (through (fragile n))))
(defn list[n] [1 (fragile n) 3])
";

/// The payload of a panic of ours.
#[derive(Debug)]
struct Ours(&'static str);

/// `flaky` panics as often as `panics` says, then gives its argument; `through` forces its own.
fn module(machine: MachineKind, panics: &Arc<AtomicU32>) -> Module {
    let mut engine = Engine::new();
    engine.set_machine(machine);
    let left = panics.clone();
    engine
        .register("flaky", 1, move |call| {
            let arg = call.arg(0)?;
            call.force(&arg)?;
            if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
            {
                std::panic::panic_any(Ours("flaky"));
            }
            Ok(arg)
        })
        .unwrap();
    register_through(&mut engine);
    engine.compile("panics", PROGRAM).unwrap()
}

/// The payload of the panic in `call`.
fn payload<R>(call: impl FnOnce() -> R) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("a panic");
    payload.downcast_ref::<Ours>().map_or("another panic", |ours| ours.0)
}

fn application(store: &mut Store, name: &str, n: i64) -> Value {
    let (function, n) = (store.global(name).unwrap(), store.value(n).unwrap());
    store.call(&function, &[n]).unwrap()
}

/// A host function that forces its argument and returns it.
fn register_through(engine: &mut Engine) {
    engine
        .register("through", 1, |call| {
            let arg = call.arg(0)?;
            call.force(&arg)?;
            Ok(arg)
        })
        .unwrap();
}

#[test]
fn a_host_function_that_panics_leaves_its_store_usable() {
    on_every_machine(|machine| {
        for name in ["fragile", "outer"] {
            let panics = Arc::new(AtomicU32::new(2));
            let mut store = module(machine, &panics).store();
            let value = application(&mut store, name, 100);
            assert_eq!(payload(|| store.force(&value)), "flaky");
            // What has nothing to do with it, and what it was evaluating.
            let other = application(&mut store, "slow", 7);
            assert_eq!(store.get(&other), Ok(7));
            assert_eq!(payload(|| store.get::<i64>(&value)), "flaky");
            store.collect();
            let more = i64::from(name == "outer");
            assert_eq!(store.get(&value), Ok(200 + more), "{name}");
        }
    });
}

#[test]
fn a_panic_while_a_list_is_walked_or_printed_goes_on_there() {
    on_every_machine(|machine| {
        let panics = Arc::new(AtomicU32::new(2));
        let mut store = module(machine, &panics).store();
        let list = application(&mut store, "list", 20);
        let printed = payload(|| store.print(&list, Format::Default, &mut String::new()));
        assert_eq!(printed, "flaky");
        let second = store.items(&list).nth(1).unwrap().unwrap();
        assert_eq!(payload(|| store.force(&second)), "flaky");
        let mut out = String::new();
        store.print(&list, Format::Default, &mut out).unwrap();
        assert_eq!(out, "1 40 3 Nil\n");
    });
}

#[test]
fn a_host_function_can_catch_the_panic_of_another() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        engine.register("fail", 1, |_| std::panic::panic_any(Ours("fail"))).unwrap();
        engine
            .register("rescued", 1, |call| {
                let arg = call.arg(0)?;
                assert_eq!(payload(|| call.force(&arg)), "fail");
                Ok(call.int(5)?)
            })
            .unwrap();
        let text = "(defn f[n] (add (rescued (add n (fail n))) n))";
        let mut store = engine.compile("rescued", text).unwrap().store();
        let value = application(&mut store, "f", 1);
        assert_eq!(store.get(&value), Ok(6));
    });
}

/// Panics when it is used for the `n`th time.
struct Nth(u32);

impl Nth {
    fn used(&mut self) {
        match self.0 {
            0 => {}
            1 => {
                self.0 = 0;
                std::panic::panic_any(Ours("nth"))
            }
            _ => self.0 -= 1,
        }
    }
}

impl Input for Nth {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        self.used();
        Ok(Some('a'))
    }
}

impl Output for Nth {
    fn write(&mut self, _: &str) -> Result<(), OutputError> {
        self.used();
        Ok(())
    }
    fn flush(&mut self) -> Result<(), OutputError> {
        self.used();
        Ok(())
    }
}

#[test]
fn an_input_or_an_output_that_panics_leaves_the_store_usable() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        let text = "(defn main[input] (length (take 10 input)))";
        let module = engine.compile("input", text).unwrap();
        for at in 1..=10 {
            let mut store = module.store();
            let mut run = |input, output: &mut dyn Output| {
                store.run_main(Some(Box::new(Nth(input))), output, Format::Default)
            };
            assert_eq!(payload(|| run(at, &mut String::new())), "nth", "input {at}");
            let mut out = String::new();
            run(0, &mut out).unwrap();
            assert_eq!(out, "10\n");
            assert_eq!(payload(|| run(0, &mut Nth(1))), "nth");
            run(0, &mut Nth(0)).unwrap();
        }
    });
}

/// Endless, and panics when it is asked for what is there already.
struct Unready;

impl Input for Unready {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        Ok(Some('a'))
    }

    fn take_ready(&mut self, _: &mut [char]) -> usize {
        std::panic::panic_any(Ours("unready"))
    }
}

/// Nobody asked for what it would have given: the run that needs no more of it is as if it had not
/// panicked, and so is what comes after that run.
#[test]
fn what_panics_where_nothing_can_stop_is_told_where_more_is_asked_for() {
    let mut engine = Engine::new();
    engine.set_machine(MachineKind::Fast);
    let text = "(defn main[input] (length (take 2 input))) (defn one[n] (div n 0))";
    let whole = engine.compile("whole", text).unwrap();
    let first = engine.compile("first", &text.replace("take 2", "take 1")).unwrap();
    let run = |store: &mut Store| {
        let mut out = String::new();
        store.run_main(Some(Box::new(Unready)), &mut out, Format::Default).map(|()| out)
    };
    assert_eq!(payload(|| run(&mut whole.store())), "unready");
    let mut store = first.store();
    assert_eq!(run(&mut store), Ok("1\n".to_owned()));
    let value = application(&mut store, "one", 1);
    assert!(store.force(&value).is_err(), "division by zero");
}

#[test]
fn a_value_of_another_store_is_still_told_apart_after_a_panic() {
    on_every_machine(|machine| {
        let panics = Arc::new(AtomicU32::new(1));
        let module = module(machine, &panics);
        let (mut one, mut two) = (module.store(), module.store());
        let value = application(&mut one, "fragile", 3);
        assert_eq!(payload(|| one.force(&value)), "flaky");
        assert_eq!(two.get::<i64>(&value), Err(Error::ForeignValue));
        assert_eq!(one.get(&value), Ok(6));
    });
}

/// A probe that panics at some event.
struct Fragile(u32);

impl Probe for Fragile {
    fn event(&mut self, _: NodeEvent, _: Moment, _: &Program) {
        self.0 += 1;
        if self.0 == 100 {
            std::panic::panic_any(Ours("probe"));
        }
    }
}

#[test]
fn a_probe_that_panics_leaves_its_store_usable() {
    let mut engine = Engine::new();
    engine.set_machine(MachineKind::Fast);
    // So that there are nodes to tell of.
    engine.set_passes(Passes::NONE);
    register_through(&mut engine);
    let text = "(defn down[n] (if (eq n 0) Nil (Cons n (down (sub n 1)))))
                (defn count[n] (length (down n)))
                (defn outer[n] (add (count n) (through (count n))))";
    let mut store = engine.compile("probe", text).unwrap().store();
    assert!(store.listen(Box::new(Fragile(0))));
    let value = application(&mut store, "count", 1000);
    assert_eq!(payload(|| store.force(&value)), "probe");
    assert_eq!(store.get(&value), Ok(1000));
    // What a call evaluates is not told, and is evaluated all the same.
    let value = application(&mut store, "outer", 500);
    assert_eq!(store.get(&value), Ok(1000));
}

#[test]
fn a_clock_that_panics_leaves_its_store_usable() {
    on_every_machine(|machine| {
        // It panics when it is looked at for the third time: not before the run.
        let looks = AtomicU32::new(0);
        let mut engine = Engine::new();
        engine.set_machine(machine);
        engine.set_clock(move || {
            if looks.fetch_add(1, Ordering::Relaxed) == 2 {
                std::panic::panic_any(Ours("clock"));
            }
            Duration::ZERO
        });
        let text = "(defn slow[n] (if (eq n 0) 0 (add 1 (slow (sub n 1)))))";
        let mut store = engine.compile("clock", text).unwrap().store();
        store.set_time_limit(Some(Duration::from_secs(1)));
        let value = application(&mut store, "slow", 300_000);
        assert_eq!(payload(|| store.force(&value)), "clock");
        assert_eq!(store.get(&value), Ok(300_000));
    });
}
