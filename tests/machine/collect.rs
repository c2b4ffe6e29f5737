//! What the collector keeps, and what it must not.

use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

use super::programs::{SHARED, apply, lines, machine, program, raw, run};
use crate::work::allocated;

fn peak(code: &[String], config: Config) -> (String, u64) {
    let mut machine = machine(program(&lines(code)), config);
    let mut out = String::new();
    machine.start(Format::Default, None).unwrap();
    machine.run(&mut out).unwrap();
    assert!(machine.statistics().collections > 1, "{:?}", machine.statistics());
    (out, machine.statistics().peak_live_bytes)
}

#[test]
fn a_list_consumed_as_it_is_made_stays_flat() {
    // nth 100000 (from 0)
    let code = apply("nth", &[&["PushInt 100000"], &["PushInt 0", "PushGlobal from", "MkApp"]]);
    let (out, peak) = peak(&code, Config::default());
    assert_eq!(out, "100000\n");
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn a_caf_that_nothing_can_reach_any_more_is_consumed_flat() {
    // `nats` is a CAF; main reaches it through its own code, which is done with it.
    let text = format!(
        "{SHARED}
supercombinator nats/0
  0 PushInt 0
  1 PushGlobal from
  2 MkApp
  3 Update 0
  4 Pop 0
  5 Unwind
supercombinator main/0
  0 PushGlobal nats
  1 PushInt 100000
  2 PushGlobal nth
  3 MkApp
  4 MkApp
  5 Eval
  6 PushInt 1
  7 Add
  8 Update 0
  9 Pop 0
 10 Unwind
"
    );
    let mut machine = machine(raw(&text), Config::default());
    let mut out = String::new();
    machine.start(Format::Default, None).unwrap();
    machine.run(&mut out).unwrap();
    assert_eq!(out, "100001\n");
    let peak = machine.statistics().peak_live_bytes;
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn tail_calls_run_in_constant_space() {
    let (out, peak) = peak(&apply("count", &[&["PushInt 300000"]]), Config::default());
    assert_eq!(out, "42\n");
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn deep_recursion_needs_memory_alone() {
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let sum = thread.spawn(|| {
        let code = apply(
            "sum",
            &[&[
                "PushInt 0",
                "PushGlobal from",
                "MkApp",
                "PushInt 200000",
                "PushGlobal take",
                "MkApp",
                "MkApp",
            ]],
        );
        let (out, peak) = peak(&code, Config::default());
        assert!(peak < 64 << 20, "{peak}");
        out
    });
    assert_eq!(sum.unwrap().join().unwrap(), "19999900000\n");
}

#[test]
fn a_deep_structure_is_marked_and_dropped_without_native_stack() {
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let done = thread.spawn(|| {
        // Left-deep: each Pair holds the one before it as its first field, an integer as its
        // second, so that a mark stack would have to hold them all.
        let mut machine = machine(program(&["PushInt 0"]), Config::default());
        let pair = machine.program().cons.enumerate().find(|(_, con)| &*con.symbol == "Pair");
        let pair = pair.map(|(id, _)| id).unwrap();
        let mut left = machine.new_int(0.into()).unwrap();
        for n in 0..1_000_000 {
            let right = machine.new_int(n.into()).unwrap();
            left = machine.new_con(pair, &[left, right]).unwrap().unwrap();
        }
        machine.collect();
        assert_eq!(machine.verify(), Ok(()));
        assert!(machine.footprint() > 32_000_000);
        drop(left);
        machine.collect();
        assert_eq!(machine.verify(), Ok(()));
        drop(machine);
    });
    done.unwrap().join().unwrap();
}

#[test]
fn the_memory_limit_is_kept_and_used() {
    for limit in [1u64 << 20, 4 << 20, 32 << 20] {
        let code = apply("sum", &[&["PushInt 0", "PushGlobal from", "MkApp"]]);
        let config = Config { heap_limit: Some(limit), ..Config::default() };
        let (_, result) = run(program(&lines(&code)), config);
        let Err(Stop::Limit(reached)) = result else { panic!("{result:?}") };
        assert_eq!(reached.limit, Limit::Heap(limit));
    }
}

#[test]
fn what_fits_the_limit_runs() {
    let limit = 24 << 20;
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
    let (out, result) =
        run(program(&lines(&code)), Config { heap_limit: Some(limit), ..Config::default() });
    assert_eq!((out.as_str(), result), ("4999950000\n", Ok(())));
}

#[test]
fn a_huge_product_is_refused_before_it_is_computed() {
    // Squares 10 again and again: without the check the last step alone would take minutes.
    let text = format!(
        "{SHARED}
supercombinator square/1 [x]
  0 Push 0
  1 Eval
  2 Push 0
  3 Mul
  4 PushGlobal square
  5 MkApp
  6 Slide 0
  7 Update 1
  8 Pop 1
  9 Unwind
supercombinator main/0
  0 PushInt 10
  1 PushGlobal square
  2 MkApp
  3 Update 0
  4 Pop 0
  5 Unwind
"
    );
    let limit = 1 << 20;
    let config = Config { heap_limit: Some(limit), ..Config::default() };
    let ((_, result), bytes) = allocated(|| run(raw(&text), config));
    assert!(matches!(result, Err(Stop::Limit(reached)) if reached.limit == Limit::Heap(limit)));
    assert!(bytes < 64 * limit, "{bytes}");
}

#[test]
fn an_application_of_a_selector_does_not_keep_the_rest() {
    // main holds (fst p) unevaluated while it walks over (snd p), and adds the two; p is the
    // pair of 7 and a list without end.
    let text = format!(
        "{SHARED}
supercombinator add_nth/1 [p]
  0 Push 0
  1 PushGlobal snd
  2 MkApp
  3 PushInt 100000
  4 PushGlobal nth
  5 MkApp
  6 MkApp
  7 Push 1
  8 PushGlobal fst
  9 MkApp
 10 PushGlobal plus
 11 MkApp
 12 MkApp
 13 Update 1
 14 Pop 1
 15 Unwind
supercombinator plus/2 [a b]
  0 Push 1
  1 Eval
  2 Push 1
  3 Eval
  4 Add
  5 Update 2
  6 Pop 2
  7 Unwind
supercombinator main/0
  0 PushInt 0
  1 PushGlobal from
  2 MkApp
  3 PushInt 7
  4 Pack 0 2 Pair
  5 PushGlobal add_nth
  6 MkApp
  7 Update 0
  8 Pop 0
  9 Unwind
"
    );
    let mut machine = machine(raw(&text), Config::default());
    let mut out = String::new();
    machine.start(Format::Default, None).unwrap();
    machine.run(&mut out).unwrap();
    assert_eq!(out, "100007\n");
    let peak = machine.statistics().peak_live_bytes;
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn indirections_disappear() {
    let mut machine = machine(program(&["PushInt 1"]), Config::default());
    let count = machine.program().find("count").unwrap();
    let count = machine.global_handle(count).unwrap();
    let n = machine.new_int(20_000.into()).unwrap();
    let value = machine.apply(&count, &[n]).unwrap().unwrap();
    assert_eq!(machine.force(&value), Some(Ok(())));
    machine.collect();
    let before = live(&machine);
    assert!(before < 100, "{before} nodes: a chain of 20000 indirections is gone");
}

/// Number of nodes in use.
fn live(machine: &Machine) -> usize {
    machine.node_count()
}

#[test]
fn a_collected_caf_is_evaluated_anew_on_demand() {
    let mut machine = machine(program(&["PushInt 1"]), Config::default());
    let fibs = machine.program().find("fibs").unwrap();
    for _ in 0..2 {
        let root = machine.global_handle(fibs).unwrap();
        assert_eq!(machine.force(&root), Some(Ok(())));
        drop(root);
        machine.collect();
        assert_eq!(machine.node_count(), 0);
    }
}

#[test]
fn a_stack_item_past_its_last_use_keeps_nothing() {
    // The list stays on the stack until the end of main, and is used no more.
    let main = [
        "PushInt 0",
        "PushGlobal from",
        "MkApp",
        "PushInt 100000",
        "PushGlobal take",
        "MkApp",
        "MkApp",
        "Push 0",
        "PushInt 99999",
        "PushGlobal nth",
        "MkApp",
        "MkApp",
        "Eval",
        "PushInt 1",
        "Add",
        "Slide 1",
    ];
    let main: Vec<String> = main.iter().map(|line| (*line).to_owned()).collect();
    let (out, peak) = peak(&main, Config::default());
    assert_eq!(out, "100000\n");
    assert!(peak < 1 << 20, "{peak}");
}
