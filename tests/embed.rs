//! Engine, Module and Store, on programs in G-code.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod convert;
mod define;
mod host_values;
mod limits;
mod panics;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gmachine::base::code::Code;
use gmachine::base::integer::Integer;
use gmachine::embed::{
    Call, Engine, Error, Eval, Format, HostError, Limits, MachineKind, Module, ModuleError,
    RegisterError, Stop, Store, Value, Whnf,
};
use gmachine::gcode::parse::parse;
use gmachine::gcode::print;
use gmachine::optimise::Passes;

const PROGRAM: &str = "
data List = Nil/0 Cons/2
data Pair = Pair/2
host double/1
host apply/2

supercombinator from/1 [n]
  0 PushInt 1
  1 Push 1
  2 Eval
  3 Add
  4 PushGlobal from
  5 MkApp
  6 Push 1
  7 Pack 1 2 Cons
  8 Update 1
  9 Pop 1
 10 Unwind

supercombinator loop/1 [n]
  0 PushInt 1
  1 Push 1
  2 Eval
  3 Add
  4 PushGlobal loop
  5 MkApp
  6 Update 1
  7 Pop 1
  8 Unwind

primitive add/2
  0 Push 1
  1 Eval
  2 Push 1
  3 Eval
  4 Add
  5 Update 2
  6 Pop 2
  7 Unwind

primitive div/2
  0 Push 1
  1 Eval
  2 Push 1
  3 Eval
  4 Div
  5 Update 2
  6 Pop 2
  7 Unwind

host-function double/1 of double
  0 Push 0
  1 CallHost double
  2 Update 1
  3 Pop 1
  4 Unwind

host-function apply/2 of apply
  0 Push 1
  1 Push 1
  2 CallHost apply
  3 Update 2
  4 Pop 2
  5 Unwind
";

/// What the library promises, it promises of every machine.
fn on_every_machine(test: impl Fn(MachineKind)) {
    for &machine in MachineKind::ALL {
        // Shown if it fails.
        println!("on the {machine} machine");
        test(machine);
    }
}

/// `double` calls its argument and doubles it; `apply f x` forces `f x`.
fn engine(machine: MachineKind, calls: &Arc<AtomicUsize>) -> Engine {
    let mut engine = Engine::new();
    engine.set_machine(machine);
    let calls = calls.clone();
    let double = move |call: &mut Call<'_>| -> Result<Value, HostError> {
        calls.fetch_add(1, Ordering::Relaxed);
        let arg = call.arg(0)?;
        let n = call.to_integer(&arg)?;
        Ok(call.int(n.add(&n))?)
    };
    engine.register("double", 1, double).unwrap();
    let apply = |call: &mut Call<'_>| {
        let (f, x) = (call.arg(0)?, call.arg(1)?);
        let value = call.call(&f, &[x])?;
        call.force(&value)?;
        Ok(value)
    };
    engine.register("apply", 2, apply).unwrap();
    engine
}

fn module(machine: MachineKind) -> Module {
    Module::from_gcode(&engine(machine, &Arc::default()), parse(PROGRAM).unwrap()).unwrap()
}

#[test]
fn a_lazy_list_is_an_iterator() {
    on_every_machine(|machine| {
        let mut store = Store::new(&module(machine));
        let (from, five) = (store.global("from").unwrap(), store.int(5).unwrap());
        let list = store.call(&from, &[five]).unwrap();
        let items: Vec<Value> = store.items(&list).take(10).collect::<Result<_, _>>().unwrap();
        let numbers: Vec<Integer> =
            items.iter().map(|item| store.to_integer(item).unwrap()).collect();
        assert_eq!(numbers, (5..15).map(Integer::from).collect::<Vec<_>>());
        let mut items = store.items(&list);
        items.next();
        let rest = items.rest().clone();
        let Whnf::Con { fields, .. } = store.force(&rest).unwrap() else { panic!("a list") };
        assert_eq!(store.to_integer(&fields[0]), Ok(Integer::from(6)));
    });
}

#[test]
fn values_go_in_and_come_out() {
    on_every_machine(|machine| {
        let mut store = Store::new(&module(machine));
        let text = store.text("héλ\n").unwrap();
        assert_eq!(store.to_text(&text).unwrap(), "héλ\n");
        let (one, a) = (store.int(1).unwrap(), store.character('a').unwrap());
        let list = store.list(&[one.clone(), a.clone()]).unwrap();
        let pair = store.con("Pair", &[list.clone(), a.clone()]).unwrap();
        let mut out = String::new();
        store.print(&pair, Format::Default, &mut out).unwrap();
        store.print(&pair, Format::Json, &mut out).unwrap();
        assert_eq!(out, "(Pair [1 'a'] 'a')\n{\"con\":\"Pair\",\"fields\":[[1,\"a\"],\"a\"]}\n");
        assert_eq!(store.to_char(&a), Ok('a'));
        assert_eq!(
            store.to_integer(&a),
            Err(Error::Kind { expected: "an integer", found: "a character" })
        );
        assert_eq!(
            store.to_text(&list),
            Err(Error::Kind { expected: "a character", found: "an integer" })
        );
        assert_eq!(
            store.to_text(&one),
            Err(Error::Kind { expected: "a list", found: "an integer" })
        );
        assert_eq!(store.con("Pair", &[one]).err(), Some(Error::FieldCount { takes: 2, given: 1 }));
        assert_eq!(store.con("Pear", &[]).err(), Some(Error::UnknownConstructor("Pear".into())));
        assert_eq!(store.global("form").err(), Some(Error::UnknownGlobal("form".into())));
        let add = store.global("add").unwrap();
        let three = store.int(3).unwrap();
        let add3 = store.call(&add, &[three]).unwrap();
        assert!(
            matches!(store.force(&add3), Ok(Whnf::Function { name: Some(name), arity: 1 }) if &*name == "add")
        );
    });
}

#[test]
fn a_value_of_another_store_is_an_error() {
    on_every_machine(|machine| {
        let module = module(machine);
        let (mut one, mut two) = (Store::new(&module), Store::new(&module));
        let value = one.int(1).unwrap();
        assert_eq!(two.force(&value).err(), Some(Error::ForeignValue));
        assert_eq!(two.list(std::slice::from_ref(&value)).err(), Some(Error::ForeignValue));
        assert_eq!(two.array(std::slice::from_ref(&value)).err(), Some(Error::ForeignValue));
        assert_eq!(
            two.con("Pair", &[value.clone(), value.clone()]).err(),
            Some(Error::ForeignValue)
        );
        assert_eq!(two.call(&value, &[]).err(), Some(Error::ForeignValue));
        assert_eq!(two.items(&value).next().unwrap().err(), Some(Error::ForeignValue));
        let printed = two.print(&value, Format::Default, &mut String::new());
        assert_eq!(printed, Err(Error::ForeignValue));
        drop(one);
        assert_eq!(two.to_integer(&value), Err(Error::ForeignValue));
    });
}

#[test]
fn one_module_serves_many_threads() {
    on_every_machine(|machine| {
        let module = module(machine);
        let threads: Vec<_> = (0..4)
            .map(|start: i64| {
                let module = module.clone();
                std::thread::spawn(move || {
                    let mut store = Store::new(&module);
                    let (from, start) = (store.global("from").unwrap(), store.int(start).unwrap());
                    let list = store.call(&from, &[start]).unwrap();
                    let item = store.items(&list).nth(1000).unwrap().unwrap();
                    store.to_integer(&item).unwrap()
                })
            })
            .collect();
        for (start, thread) in (0..4).zip(threads) {
            assert_eq!(thread.join().unwrap(), Integer::from(start + 1000));
        }
        fn is_send<T: Send>(_: &T) {}
        fn is_sync<T: Sync>(_: &T) {}
        is_sync(&module);
        is_send(&Store::new(&module));
        is_send(&Store::new(&module).int(1).unwrap());
    });
}

#[test]
fn a_host_function_is_called_once_and_lazily() {
    on_every_machine(|machine| {
        let calls = Arc::new(AtomicUsize::new(0));
        let module = Module::from_gcode(&engine(machine, &calls), parse(PROGRAM).unwrap()).unwrap();
        let mut store = Store::new(&module);
        let (double, n) = (store.global("double").unwrap(), store.int(21).unwrap());
        let value = store.call(&double, &[n]).unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        for _ in 0..2 {
            assert_eq!(store.to_integer(&value), Ok(Integer::from(42)));
        }
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn a_failing_host_function_is_a_program_error() {
    on_every_machine(|machine| {
        let mut store = Store::new(&module(machine));
        let (double, a) = (store.global("double").unwrap(), store.character('a').unwrap());
        let value = store.call(&double, &[a]).unwrap();
        let Err(Error::Stop(Stop::Error(error))) = store.force(&value) else { panic!("no error") };
        assert_eq!(error.code, Code::HostFailed);
        assert_eq!(
            error.message,
            "the host function `double` failed: expected an integer, found a character"
        );
    });
}

#[test]
fn a_stop_inside_a_host_function_passes_through() {
    on_every_machine(|machine| {
        let mut store = Store::new(&module(machine));
        let [double, div, one, zero] = [
            store.global("double").unwrap(),
            store.global("div").unwrap(),
            store.int(1).unwrap(),
            store.int(0).unwrap(),
        ];
        let bad = store.call(&div, &[one, zero]).unwrap();
        let value = store.call(&double, &[bad]).unwrap();
        for _ in 0..2 {
            let Err(Error::Stop(Stop::Error(error))) = store.force(&value) else {
                panic!("no error")
            };
            assert_eq!(error.code, Code::DivisionByZero);
        }
    });
}

#[test]
fn stopped_at_any_instruction_a_host_call_goes_on() {
    on_every_machine(|machine| {
        let mut fuel = 0;
        loop {
            let mut store = Store::new(&module(machine));
            // double (add 1 (double 4))
            let (double, add) = (store.global("double").unwrap(), store.global("add").unwrap());
            let (one, four) = (store.int(1).unwrap(), store.int(4).unwrap());
            let inner = store.call(&double, &[four]).unwrap();
            let sum = store.call(&add, &[one, inner]).unwrap();
            let value = store.call(&double, &[sum]).unwrap();
            store.set_fuel(Some(fuel));
            let stopped = store.force(&value).is_err();
            store.collect();
            store.set_fuel(None);
            assert_eq!(store.to_integer(&value), Ok(Integer::from(18)), "stopped after {fuel}");
            if !stopped {
                break;
            }
            fuel += 1;
        }
        assert!(fuel > 5, "{fuel}");
    });
}

#[test]
fn host_functions_that_call_back_too_deeply_are_an_error() {
    on_every_machine(|machine| {
        let mut store = Store::new(&module(machine));
        let (apply, add) = (store.global("apply").unwrap(), store.global("add").unwrap());
        let nest = |store: &mut Store, depth: usize| {
            // apply (apply (.. (add 1)) 2): each call forces one that calls back
            let mut value = store.int(1).unwrap();
            for _ in 0..depth {
                let one = store.int(1).unwrap();
                let f = store.call(&add, &[one]).unwrap();
                value = store.call(&apply, &[f, value]).unwrap();
            }
            value
        };
        let fine = nest(&mut store, 100);
        assert_eq!(store.to_integer(&fine), Ok(Integer::from(101)));
        let deep = nest(&mut store, 400);
        let Err(Error::Stop(Stop::Error(error))) = store.force(&deep) else { panic!("no error") };
        assert_eq!(error.code, Code::HostDepth);
        assert_eq!(store.to_integer(&fine), Ok(Integer::from(101)));
    });
}

#[test]
fn a_loop_is_interrupted_and_the_store_goes_on() {
    on_every_machine(|machine| {
        let mut store = Store::new(&module(machine));
        let (the_loop, zero) = (store.global("loop").unwrap(), store.int(0).unwrap());
        let endless = store.call(&the_loop, &[zero]).unwrap();
        let handle = store.interrupt_handle();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            handle.interrupt();
        });
        let stopped = store.force(&endless).err();
        assert!(matches!(stopped, Some(Error::Stop(Stop::Interrupted(_)))), "{stopped:?}");
        thread.join().unwrap();
        let (double, n) = (store.global("double").unwrap(), store.int(4).unwrap());
        let value = store.call(&double, &[n]).unwrap();
        assert_eq!(store.to_integer(&value), Ok(Integer::from(8)));
        store.set_fuel(Some(1000));
        assert!(matches!(store.force(&endless), Err(Error::Stop(Stop::Limit(_)))));
    });
}

#[test]
fn whatever_the_passes_a_module_means_the_same() {
    on_every_machine(|machine| {
        let text = "(defn power[x n] (if (eq n 0) 1 (mul x (power x (sub n 1)))))
                (defn squares[] (map (fn [x] (power x 2)) (from 1)))";
        let mut listings = Vec::new();
        for level in 0..=2 {
            let mut engine = Engine::new();
            engine.set_machine(machine);
            assert_eq!(engine.passes(), Passes::ALL);
            engine.set_passes(Passes::level(level));
            let module = engine.compile("squares", text).unwrap();
            let mut store = module.store();
            let squares = store.global("squares").unwrap();
            let third = store.items(&squares).nth(2).unwrap().unwrap();
            assert_eq!(store.to_integer(&third), Ok(9.into()), "level {level}");
            // What the passes make of a definition can still be called by its name.
            let (power, x, n) =
                (store.global("power").unwrap(), store.int(2).unwrap(), store.int(10).unwrap());
            let value = store.call(&power, &[x, n]).unwrap();
            assert_eq!(store.to_integer(&value), Ok(1024.into()), "level {level}");
            listings.push(print::program(module.program(), &mut print::bare));
        }
        // But its code is another: only the highest level knows the exponent.
        listings.dedup();
        assert_eq!(listings.len(), 3);
    });
}

#[test]
fn limits_of_the_engine_hold_in_its_stores() {
    on_every_machine(|machine| {
        let mut engine = engine(machine, &Arc::default());
        engine.set_limits(Limits { heap: Some(1 << 20), fuel: Some(10_000), time: None });
        let module = Module::from_gcode(&engine, parse(PROGRAM).unwrap()).unwrap();
        let mut store = Store::new(&module);
        let (from, zero) = (store.global("from").unwrap(), store.int(0).unwrap());
        let list = store.call(&from, &[zero]).unwrap();
        let stop = store.items(&list).find_map(Result::err);
        assert!(matches!(stop, Some(Error::Stop(Stop::Limit(_)))));
        store.set_fuel(None);
        let mut kept = Vec::new();
        let stop = store.items(&list).find_map(|item| item.map(|item| kept.push(item)).err());
        assert!(matches!(stop, Some(Error::Stop(Stop::Limit(_)))), "the list is kept by its start");
        // Limits hold within five per cent.
        assert!(store.footprint() <= (1 << 20) / 20 * 21, "{}", store.footprint());
        drop((kept, list));
        store.collect();
        assert!(store.int(1).is_ok());
        assert!(store.text(&"x".repeat(1 << 20)).is_err(), "too large a text");
        assert!(store.text("small").is_ok());
    });
}

#[test]
fn bad_code_and_bad_names_make_no_module() {
    let invalid = PROGRAM.replace("  7 Unwind\n\nprimitive div", "  7 Push 9\n\nprimitive div");
    let made = Module::from_gcode(
        &engine(MachineKind::default(), &Arc::default()),
        parse(&invalid).unwrap(),
    );
    assert!(matches!(made, Err(ModuleError::Invalid(_))));
    let made = Module::from_gcode(&Engine::new(), parse(PROGRAM).unwrap());
    assert!(matches!(made, Err(ModuleError::UnknownHost { name, arity: 1 }) if &*name == "double"));
    let mut engine = engine(MachineKind::default(), &Arc::default());
    let register = |engine: &mut Engine, name: &str, arity| {
        engine.register(name, arity, |call| call.arg(0)).err()
    };
    assert_eq!(register(&mut engine, "double", 1), Some(RegisterError::Taken("double".into())));
    assert_eq!(register(&mut engine, "a b", 1), Some(RegisterError::NoName("a b".into())));
    assert_eq!(register(&mut engine, "case", 1), Some(RegisterError::NoName("case".into())));
    for name in ["_", "ab\u{301}c ", "a;b", "1a", "(a)", ""] {
        let refused = register(&mut engine, name, 1);
        assert_eq!(refused, Some(RegisterError::NoName(name.into())));
    }
    for name in ["Cons", "Nil", "add", "seq", "error"] {
        let refused = register(&mut engine, name, 1);
        assert_eq!(refused, Some(RegisterError::Reserved(name.into())));
    }
    assert_eq!(register(&mut engine, "none", 0), Some(RegisterError::Arity(0)));
}

#[test]
fn a_text_is_compiled_with_host_functions_and_imports() {
    on_every_machine(|machine| {
        struct Files;
        impl gmachine::embed::Loader for Files {
            fn read(&self, path: &std::path::Path) -> std::io::Result<Vec<u8>> {
                match path.to_str() {
                Some("six.core") => Ok(
                    b"(import \"triple.core\") (defn six[n] (double (triple n))) (defn main[] (six 7))"
                        .to_vec(),
                ),
                Some("triple.core") => Ok(b"(defn triple[n] (mul 3 n))".to_vec()),
                _ => Err(std::io::ErrorKind::NotFound.into()),
            }
            }
        }
        let engine = engine(machine, &Arc::default());
        let module =
            engine.compile_source(&gmachine::load::Source::path("six.core"), &Files).unwrap();
        assert!(module.warnings().is_empty());
        let mut store = Store::new(&module);
        let mut out = String::new();
        store.run_main(None, &mut out, Format::Default).unwrap();
        assert_eq!(out, "42\n");
        let (six, n) = (store.global("six").unwrap(), store.int(10).unwrap());
        let value = store.call(&six, &[n]).unwrap();
        assert_eq!(store.to_integer(&value), Ok(Integer::from(60)));

        let error = engine.compile("bad", "(defn main[] (six 1))\n(defn f[x x] y)").unwrap_err();
        assert!(
            error.diagnostics.iter().filter(|report| report.is_error()).count() >= 3,
            "{error}"
        );
        assert!(error.to_string().contains("bad:1:15: error[G0301]"), "{error}");
    });
}

#[test]
fn a_run_time_error_points_into_the_source() {
    on_every_machine(|machine| {
        let module = engine(machine, &Arc::default())
            .compile("div", "(defn f[n] (div 1 n))\n(defn main[] (f 0))")
            .unwrap();
        let stop = Store::new(&module).run_main(None, &mut String::new(), Format::Default);
        let Err(Stop::Error(error)) = stop else { panic!("{stop:?}") };
        assert_eq!(module.sources().text(error.span), "(div 1 n)");
    });
}

#[test]
fn a_run_that_calls_back_stops_and_goes_on_at_any_instruction() {
    on_every_machine(|machine| {
        let text = "(defn main[] [(double (add 1 2)) (double (double 1))])";
        let module = engine(machine, &Arc::default()).compile("run", text).unwrap();
        let mut fuel = 0;
        loop {
            let mut store = Store::new(&module);
            store.set_fuel(Some(fuel));
            let mut out = String::new();
            let stopped = store.run_main(None, &mut out, Format::Default).is_err();
            store.set_fuel(None);
            store.collect();
            let mut out = String::new();
            store.run_main(None, &mut out, Format::Default).unwrap();
            assert_eq!(out, "6 4 Nil\n", "stopped after {fuel}");
            if !stopped {
                break;
            }
            fuel += 1;
        }
        assert!(fuel > 5, "{fuel}");
    });
}

#[test]
fn a_host_function_evaluates_on_the_machine_that_calls_it_whichever_it_is() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        assert_eq!(engine.machine(), machine);
        let sum = |call: &mut Call<'_>| {
            let list = call.arg(0)?;
            let mut sum = Integer::from(0);
            let items: Vec<Value> = call.items(&list).collect::<Result<_, _>>()?;
            for item in &items {
                sum = sum.add(&call.to_integer(item)?);
            }
            Ok(call.int(sum)?)
        };
        engine.register("sum-of", 1, sum).unwrap();
        let text = "(defn main[] (Cons (sum-of (take 3 (from (div 8 2)))) (sum-of [(div 1 0)])))";
        let module = engine.compile("sum", text).unwrap();
        let mut out = String::new();
        let stop = module.store().run_main(None, &mut out, Format::Default).unwrap_err();
        assert_eq!(out, "15\n");
        assert!(
            matches!(&stop, Stop::Error(error) if error.code == Code::DivisionByZero),
            "{stop:?}"
        );
    });
}

/// As `docs/embedding.md` says; deep sources and deep recursion take none of it.
#[test]
fn a_thread_with_64_kb_of_stack_is_enough() {
    let depth = 5_000;
    let nested = format!("{}1{}", "(add 1 ".repeat(depth), ")".repeat(depth));
    let text = format!("(defn main[] (add {nested} (foldr add 0 (range 1 20000))))");
    on_every_machine(move |machine| {
        let text = text.clone();
        let work = move || {
            let mut engine = Engine::new();
            engine.set_machine(machine);
            let mut store = engine.compile("deep", &text).unwrap().store();
            store.define("more", "(defn more[x] (add x 1))").unwrap();
            let value = store.eval("(more main)").unwrap();
            let list = store.eval("(map more (range 1 1000))").unwrap();
            (store.get::<i64>(&value).unwrap(), store.get::<Vec<i64>>(&list).unwrap().len())
        };
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work);
        let found = thread.expect("a thread").join().expect("no overflow");
        assert_eq!(found, (200_010_000 + depth as i64 + 2, 1000));
    });
}
