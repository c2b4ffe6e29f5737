//! What a stop leaves behind goes on to the same answer.

use gmachine::base::code::Code;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Handle, Machine, Whnf};

use super::programs::{apply, lines, machine, program, stressed};

fn fib(n: &'static str) -> Vec<String> {
    apply("nth", &[&[n], &["PushGlobal fibs"]])
}

fn main_of(machine: &mut Machine) -> Handle {
    let main = machine.program().main.unwrap();
    machine.global_handle(main).unwrap()
}

/// Forces with `fuel` instructions; `true` when it is done.
fn force(machine: &mut Machine, handle: &Handle, fuel: Option<u64>) -> bool {
    machine.set_fuel(fuel);
    let result = machine.force(handle).unwrap();
    assert_eq!(machine.verify(), Ok(()));
    match result {
        Ok(()) => true,
        Err(Stop::Limit(reached)) => {
            assert!(matches!(reached.limit, Limit::Fuel(_)));
            false
        }
        Err(other) => panic!("{other:?}"),
    }
}

fn int(machine: &mut Machine, handle: &Handle) -> String {
    match machine.whnf(handle) {
        Some(Whnf::Int(value)) => value.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn stopped_after_any_number_of_instructions_a_value_goes_on() {
    let over = [
        "PushInt 3",
        "PushInt 2",
        "PushInt 0",
        "PushGlobal add",
        "Pack 0 2 Pair",
        "PushGlobal fst",
        "MkApp",
        "MkApp",
        "MkApp",
    ];
    let fib = fib("PushInt 5");
    for (code, expected) in [(lines(&fib), "5"), (over.to_vec(), "5")] {
        for config in [Config::default(), stressed()] {
            let mut steps = 0;
            loop {
                let mut machine = machine(program(&code), config.clone());
                let main = main_of(&mut machine);
                let done = force(&mut machine, &main, Some(steps));
                assert!(force(&mut machine, &main, None));
                assert_eq!(int(&mut machine, &main), expected, "stopped after {steps}");
                if done {
                    break;
                }
                steps += 1;
            }
            assert!(steps > 20, "{steps}");
        }
    }
}

#[test]
fn stopped_again_and_again_a_value_goes_on() {
    for pause in [40, 41, 57, 100] {
        let fib = fib("PushInt 12");
        let mut machine = machine(program(&lines(&fib)), Config::default());
        let main = main_of(&mut machine);
        let mut stops = 0;
        while !force(&mut machine, &main, Some(pause)) {
            stops += 1;
            assert!(stops < 10_000, "no progress in steps of {pause}");
        }
        assert!(stops > 2);
        assert_eq!(int(&mut machine, &main), "144");
    }
}

#[test]
fn a_paused_run_goes_on_where_it_was() {
    let code = apply("take", &[&["PushInt 8"], &["PushGlobal fibs"]]);
    for pause in 1..30 {
        let mut machine = machine(program(&lines(&code)), Config::default());
        machine.start(Format::Default, None).unwrap();
        let mut out = String::new();
        loop {
            machine.set_fuel(Some(pause));
            match machine.run(&mut out) {
                Ok(()) => break,
                Err(Stop::Limit(_)) => assert_eq!(machine.verify(), Ok(())),
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(out.split_whitespace().collect::<Vec<_>>().join(" "), "0 1 1 2 3 5 8 13 Nil");
    }
}

#[test]
fn fuel_is_counted_exactly() {
    let fib = fib("PushInt 6");
    let mut machine =
        machine(program(&lines(&fib)), Config { fuel: Some(77), ..Config::default() });
    machine.start(Format::Default, None).unwrap();
    let stop = machine.run(&mut String::new());
    assert!(matches!(stop, Err(Stop::Limit(reached)) if reached.limit == Limit::Fuel(77)));
    assert_eq!(machine.statistics().instructions, 77);
}

#[test]
fn an_error_is_the_same_when_forced_again() {
    // (add 1 (tail Nil)), and a thunk that depends on itself
    let tail = [
        "Pack 0 0 Nil",
        "PushGlobal tail",
        "MkApp",
        "PushInt 1",
        "PushGlobal add",
        "MkApp",
        "MkApp",
    ];
    let own = ["PushInt 1", "PushGlobal main", "Eval", "Add"];
    for (code, expected) in [(&tail[..], Code::NoAlternative), (&own[..], Code::SelfDependent)] {
        let mut machine = machine(program(code), stressed());
        let main = main_of(&mut machine);
        let mut messages = Vec::new();
        for _ in 0..3 {
            let Some(Err(Stop::Error(error))) = machine.force(&main) else { panic!("no error") };
            assert_eq!(error.code, expected);
            messages.push(error.message);
            assert_eq!(machine.verify(), Ok(()));
        }
        assert!(messages.iter().all(|message| *message == messages[0]));
    }
}

#[test]
fn an_interrupt_stops_and_is_used_up() {
    let code = apply("nth", &[&["PushInt 200"], &["PushGlobal fibs"]]);
    let mut machine = machine(program(&lines(&code)), Config::default());
    let main = main_of(&mut machine);
    machine.interrupt_handle().interrupt();
    assert!(matches!(machine.force(&main), Some(Err(Stop::Interrupted(_)))));
    machine.interrupt_handle().time_is_up(std::time::Duration::from_secs(3));
    let Some(Err(Stop::Limit(reached))) = machine.force(&main) else { panic!("no limit") };
    assert_eq!(reached.limit, Limit::Time(std::time::Duration::from_secs(3)));
    assert_eq!(machine.force(&main), Some(Ok(())));
}

#[test]
fn a_deep_evaluation_freezes_and_goes_on() {
    // sum (take 100000 (from 0))
    let code = apply(
        "sum",
        &[&[
            "PushInt 0",
            "PushGlobal from",
            "MkApp",
            "PushInt 100000",
            "PushGlobal take",
            "MkApp",
            "MkApp",
        ]],
    );
    let mut machine = machine(program(&lines(&code)), Config::default());
    let main = main_of(&mut machine);
    let mut stops = 0;
    for fuel in [1_000_000, 2_000_000, 4_000_000] {
        if !force(&mut machine, &main, Some(fuel)) {
            stops += 1;
            machine.collect();
        }
    }
    assert!(stops > 0);
    assert!(force(&mut machine, &main, None));
    assert_eq!(int(&mut machine, &main), "4999950000");
    drop(main);
    machine.collect();
    assert!(machine.footprint() < 64 << 20, "frozen stacks are dropped");
}

#[test]
fn after_the_memory_limit_the_machine_is_usable() {
    let code = apply("sum", &[&["PushInt 0", "PushGlobal from", "MkApp"]]);
    let limit = 8 << 20;
    let config = Config { heap_limit: Some(limit), ..Config::default() };
    let mut machine = machine(program(&lines(&code)), config);
    let main = main_of(&mut machine);
    for _ in 0..2 {
        let Some(Err(Stop::Limit(reached))) = machine.force(&main) else { panic!("no limit") };
        assert_eq!(reached.limit, Limit::Heap(limit));
        assert_eq!(machine.verify(), Ok(()));
        let peak = machine.statistics().peak_live_bytes;
        assert!(peak <= limit, "{peak}");
    }
    drop(main);
    let nth = machine.program().find("fibs").unwrap();
    let fibs = machine.global_handle(nth).unwrap();
    assert_eq!(machine.force(&fibs), Some(Ok(())));
}
