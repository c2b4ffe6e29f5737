//! Limits of a store, and what a stop says.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gmachine::{
    Engine, Error, Eval, Format, Interrupt, Limit, Limits, Stop, Store, StoreOptions, System,
    SystemError, Value,
};

use super::on_every_machine;

const PROGRAM: &str = "(defn loop[n] (loop (add n 1)))
(defn half[n] (div n 0))
(defn inc[n] (add n 1))";

fn limit(result: Result<gmachine::Whnf, Error>) -> Option<Limit> {
    match result {
        Err(Error::Stop(Stop::Limit(reached))) => Some(reached.limit),
        _ => None,
    }
}

#[test]
fn a_limit_on_time_stops_what_runs_until_it_is_set_again() {
    on_every_machine(|machine| {
        // A clock that goes on by a second each time it is looked at.
        let seconds = Arc::new(AtomicU64::new(0));
        let clock = seconds.clone();
        let mut engine = Engine::new();
        engine.set_machine(machine);
        engine.set_clock(move || Duration::from_secs(clock.fetch_add(1, Ordering::Relaxed)));
        let allowed = Duration::from_secs(20);
        engine.set_limits(Limits { time: Some(allowed), ..Limits::default() });
        let mut store = engine.compile("time", PROGRAM).unwrap().store();
        let (function, zero) = (store.global("loop").unwrap(), store.value(0).unwrap());
        let endless = store.call(&function, std::slice::from_ref(&zero)).unwrap();
        let timed = Some(Limit::Time(allowed));
        assert_eq!(limit(store.force(&endless)), timed);
        assert!((20..40).contains(&seconds.load(Ordering::Relaxed)));
        let inc = store.global("inc").unwrap();
        let one = store.call(&inc, std::slice::from_ref(&zero)).unwrap();
        assert_eq!(limit(store.force(&one)), timed, "the time is up for everything");
        store.set_time_limit(None);
        assert_eq!(store.get(&one), Ok(1));
        store.set_limits(Limits { fuel: Some(1000), ..Limits::default() });
        assert_eq!(limit(store.force(&endless)), Some(Limit::Fuel(1000)));
        store.set_limits(Limits { time: Some(Duration::from_secs(5)), ..Limits::default() });
        assert_eq!(limit(store.force(&endless)), Some(Limit::Time(Duration::from_secs(5))));
    });
}

#[test]
fn an_interrupt_says_where_it_was_and_what_waited() {
    on_every_machine(|machine| {
        // Whoever looks at the clock for the 20th time is interrupted.
        let looks = AtomicU64::new(0);
        let handle = Arc::new(OnceLock::<Interrupt>::new());
        let mut engine = Engine::new();
        engine.set_machine(machine);
        let interrupt = handle.clone();
        engine.set_clock(move || {
            if looks.fetch_add(1, Ordering::Relaxed) == 20 {
                interrupt.get().unwrap().interrupt();
            }
            Duration::ZERO
        });
        engine.set_limits(Limits { time: Some(Duration::from_secs(1)), ..Limits::default() });
        let text = format!("{PROGRAM}\n(defn main[] (add 1 (loop 0)))");
        let module = engine.compile("stop", &text).unwrap();
        let mut store = module.store();
        handle.set(store.interrupt_handle()).unwrap();
        let stop = store.run_main(None, &mut String::new(), gmachine::Format::Default).unwrap_err();
        assert_eq!(stop.to_string(), "stop:1:15: interrupted");
        let Stop::Interrupted(at) = &stop else { panic!("{stop:?}") };
        assert_eq!(at.chain.frames.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["main"]);
        let report = gmachine::render::Renderer::plain().stop(&stop, module.sources());
        for line in [
            "error[G0606]: interrupted\n --> stop:1:15\n",
            "1 | (defn loop[n] (loop (add n 1)))",
            "main waits for `(loop 0)` at stop:4:21",
        ] {
            assert!(report.contains(line), "{report}");
        }
    });
}

#[test]
fn a_stop_says_where_it_was() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        engine
            .register("again", 1, |call| {
                let arg = call.arg(0)?;
                call.force(&arg)?;
                Ok(arg)
            })
            .unwrap();
        let text = format!("{PROGRAM}\n(defn main[] (again (half 1)))");
        let module = engine.compile("stop", &text).unwrap();
        let mut store = module.store();
        let said = "stop:2:15: error[G0502]: `div` by zero";
        let (half, one) = (store.global("half").unwrap(), store.value(1).unwrap());
        let value: Value = store.call(&half, &[one]).unwrap();
        for _ in 0..2 {
            assert_eq!(store.force(&value).unwrap_err().to_string(), said);
            assert_eq!(store.items(&value).next().unwrap().unwrap_err().to_string(), said);
        }
        // Through a host function too, and printed.
        let mut out = String::new();
        let stop = store.run_main(None, &mut out, gmachine::Format::Default).unwrap_err();
        assert_eq!(stop.to_string(), said);
        let report = gmachine::render::Renderer::plain().stop(&stop, module.sources());
        assert!(report.starts_with("error[G0502]: `div` by zero\n --> stop:2:15\n"), "{report}");
        assert!(report.contains("2 | (defn half[n] (div n 0))"), "{report}");
        store.set_fuel(Some(10));
        let (endless, zero) = (store.global("loop").unwrap(), store.value(0).unwrap());
        let endless = store.call(&endless, &[zero]).unwrap();
        let stop = store.force(&endless).unwrap_err().to_string();
        assert!(stop.starts_with("stop:1:"), "{stop}");
        assert!(stop.ends_with(": the limit of 10 steps is reached"), "{stop}");
    });
}

/// Gives the file `large` more bytes than there is room for, and any other one its name.
struct Files;

impl System for Files {
    fn read(
        &mut self,
        path: &[u8],
        _: u64,
        _: u64,
        _: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        Ok(if path == b"large" { vec![0; 16 << 20] } else { path.to_vec() })
    }
}

#[test]
fn an_answer_of_the_system_without_room_is_not_that_to_another_effect() {
    const PROGRAM: &str = "
        (defn file[name] (unsafePerform (fileRead (bytesFromText name) 0 100)))
        (defn main[] (either (file \"large\") (file \"small\")))";
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        // The second one, if there is no room for the first.
        let refused = Arc::new(AtomicU64::new(0));
        let count = refused.clone();
        engine
            .register("either", 2, move |call| {
                let first = call.arg(0)?;
                match call.force(&first) {
                    Ok(_) => return Ok(first),
                    Err(error) => assert!(limit(Err(error)).is_some()),
                }
                count.fetch_add(1, Ordering::Relaxed);
                call.arg(1)
            })
            .unwrap();
        engine.set_limits(Limits { heap: Some(12 << 20), ..Limits::default() });
        let mut store = engine.compile("either", PROGRAM).unwrap().store();
        store.set_system(Files);
        let main = store.global("main").unwrap();
        let mut out = String::new();
        store.print(&main, Format::Default, &mut out).unwrap();
        assert_eq!(out, "small\n");
        assert_eq!(refused.load(Ordering::Relaxed), 1);
    });
}

/// A system that asks for room for more than there can be.
struct Greedy;

impl System for Greedy {
    fn read(
        &mut self,
        _: &[u8],
        _: u64,
        _: u64,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        if fits(usize::MAX) { Ok(Vec::new()) } else { Err(SystemError::Stopped) }
    }
}

#[test]
fn what_a_system_asks_room_for_is_no_sum_that_overflows() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        engine.set_limits(Limits { heap: Some(16 << 20), ..Limits::default() });
        let text = "(import system) (defn main[] (bind (readFile \"f\") (fn [_] (return 7))))";
        let mut store = engine.compile("greedy", text).unwrap().store();
        store.set_system(Greedy);
        let mut out = String::new();
        let stop = store.run_main(None, &mut out, Format::Default).expect_err("no room");
        assert!(matches!(stop, Stop::Limit(reached) if matches!(reached.limit, Limit::Heap(_))));
        let value = store.value(5).unwrap();
        assert_eq!(store.get(&value), Ok(5));
    });
}

#[test]
fn instructions_are_counted_where_costs_are_too() {
    let text = "(defn main[] (foldl' add 0 (range 1 50000)))";
    let module = Engine::new().compile("both", text).unwrap();
    let counts = |costs: bool| {
        let options = StoreOptions { count: true, costs, ..module.store_options() };
        let mut store = Store::with(&module, options);
        store.run_main(None, &mut String::new(), Format::Default).unwrap();
        store.coverage().instructions
    };
    let alone = counts(false);
    assert!(alone.iter().any(|(_, count)| *count > 50_000), "{alone:?}");
    assert_eq!(counts(true), alone);
}
