//! What the fast machine was evaluating when it was stopped goes on, wherever it was stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};

use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, Stress};
use gmachine::optimise::Passes;

use super::common::{compile_after, machine};

/// Programs that are in every kind of state on their way, and what they print.
const PROGRAMS: &[(&str, &str)] = &[
    // Frames that wait for an operand, for a call, for an argument of an unknown function.
    ("(defn main[] (fib 8)) (defn fib[n] (if (lt n 2) n (add (fib (sub n 1)) (fib (sub n 2)))))", "21"),
    ("(defn main[] (foldr add 0 (range 1 30)))", "465"),
    ("(defn main[] (foldl add 0 (map (fn [x] (mul x x)) (range 1 10))))", "385"),
    // Over-application, partial applications, arguments that wait.
    ("(defn main[] (pick 3 10 4)) (defn pick[n] (if (eq n 0) add (case (pick (sub n 1)) [f (fn [x y] (f (f x 1) y))])))", "21"),
    ("(defn main[] (compose (replicate 9 (add 1)) 0)) (defn compose[fs] (foldr (fn [f g x] (f (g x))) (fn [x] x) fs))", "9"),
    // Constants, holes, values that refer to themselves, selections.
    ("(defn main[] (take 9 fibs)) (defn fibs[] (Cons 0 (Cons 1 (zipWith add fibs (tail fibs)))))", "0 1 1 2 3 5 8 13 21 Nil"),
    ("(defn main[] (letrec ([xs (Cons 1 ys)] [ys (Cons 2 (map (add 1) xs))]) (take 6 ys)))", "2 2 3 3 4 4 Nil"),
    ("(defn main[] (let ([p (span (gt 5) (range 1 9))]) (add (sum (snd p)) (length (fst p)))))", "39"),
    // Texts, characters, large integers, a tree.
    ("(defn main[] (append (reverse \"text\") (take 3 \"λμν\")))", "txetλμν"),
    ("(defn main[] (foldl mul 1 (range 1 25)))", "15511210043330985984000000"),
    ("(data T (L) (N l x r)) (defn main[] (sum (flat (foldr put L [5 2 8 1 9 3]))))
      (defn put[x t] (case t [L (N L x L)] [(N l y r) (if (lt x y) (N (put x l) y r) (N l y (put x r)))]))
      (defn flat[t] (case t [L Nil] [(N l x r) (append (flat l) (Cons x (flat r)))]))", "28"),
];

/// A machine that has evaluated nothing, and a handle on `main`.
fn ready(program: &Verified, stress: Stress) -> (Box<dyn Machine>, gmachine::machine::Handle) {
    let config = Config { stress, ..Config::default() };
    let mut machine = machine(MachineKind::Fast, program, config);
    let main = machine.program().main.expect("a main");
    let handle = machine.global_handle(main).expect("room");
    (machine, handle)
}

/// Forces with so much fuel; whether that was enough.
#[track_caller]
fn force(machine: &mut dyn Machine, handle: &gmachine::machine::Handle, fuel: Option<u64>) -> bool {
    machine.set_fuel(fuel);
    match machine.force(handle).expect("a handle of its own") {
        Ok(()) => true,
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => false,
        Err(stop) => panic!("{stop}"),
    }
}

fn printed(machine: &mut dyn Machine, handle: &gmachine::machine::Handle) -> String {
    let mut out = String::new();
    machine.set_fuel(None);
    let ended = machine.print_root(handle, Format::Default, &mut out);
    assert_eq!(ended.expect("a handle of its own"), Ok(()), "after {out:?}");
    out
}

fn programs() -> impl Iterator<Item = (Verified, &'static str, String)> {
    PROGRAMS.iter().flat_map(|(text, prints)| {
        [Passes::NONE, Passes::ALL].into_iter().map(move |passes| {
            let program = compile_after(text, passes).unwrap_or_else(|| panic!("{text}"));
            (program, *text, format!("{prints}\n"))
        })
    })
}

#[test]
fn stopped_after_any_number_of_reductions_a_value_goes_on() {
    let mut all = 0;
    for (program, text, prints) in programs() {
        for stress in [Stress::None, Stress::Minor] {
            let mut fuel = 0;
            loop {
                let (mut machine, main) = ready(&program, stress);
                let done = force(&mut *machine, &main, Some(fuel));
                if fuel % 3 == 1 {
                    machine.collect();
                }
                assert_eq!(printed(&mut *machine, &main), prints, "{text} after {fuel}");
                if done {
                    break;
                }
                fuel += 1;
                assert!(fuel < 2_000, "{text} does not end");
            }
            all += fuel;
        }
    }
    assert!(all > 500, "only {all} stops");
}

#[test]
fn stopped_again_and_again_a_value_goes_on() {
    for (program, text, prints) in programs() {
        for stress in [Stress::None, Stress::TinyNursery, Stress::Full] {
            for every in [1, 2, 3, 7] {
                let (mut machine, main) = ready(&program, stress);
                let mut stops = 0;
                while !force(&mut *machine, &main, Some(every)) {
                    stops += 1;
                    assert!(stops < 5_000, "{text} makes no progress in steps of {every}");
                    if stops % 5 == 0 {
                        machine.collect();
                    }
                }
                assert_eq!(printed(&mut *machine, &main), prints, "{text} in steps of {every}");
            }
        }
    }
}

#[test]
fn a_run_that_is_given_up_leaves_what_it_shares_evaluable() {
    for (program, text, prints) in programs() {
        let (mut machine, main) = ready(&program, Stress::TinyNursery);
        for fuel in 0..60 {
            machine.set_fuel(Some(fuel));
            let started = machine.start(Format::Default, None);
            assert_eq!(started, Ok(()), "{text}");
            let ended = machine.run(&mut String::new());
            assert!(matches!(ended, Ok(()) | Err(Stop::Limit(_))), "{text}: {ended:?}");
            machine.abandon();
            if fuel % 4 == 2 {
                machine.collect();
            }
        }
        assert_eq!(printed(&mut *machine, &main), prints, "{text}");
    }
}

#[test]
fn an_interrupt_from_another_thread_stops_and_the_value_goes_on() {
    let text = "(defn main[] (count 3000000 0))
                (defn count[n m] (if (eq n 0) m (seq m (count (sub n 1) (add m 1)))))";
    let program = compile_after(text, Passes::NONE).expect("no mistake");
    let (mut machine, main) = ready(&program, Stress::None);
    let handle = machine.interrupt_handle();
    let (begun, ended) = (Arc::new(Barrier::new(2)), Arc::new(AtomicBool::new(false)));
    let theirs = (begun.clone(), ended.clone());
    let thread = std::thread::spawn(move || {
        handle.interrupt();
        theirs.0.wait();
        while !theirs.1.load(Ordering::Relaxed) {
            handle.interrupt();
            // Some instructions are executed between two stops, mostly.
            (0..100_000).for_each(|_| std::hint::spin_loop());
        }
    });
    begun.wait();
    let mut stops = 0;
    while let Err(stop) = machine.force(&main).expect("a handle of its own") {
        assert!(matches!(stop, Stop::Interrupted(_)), "{stop}");
        stops += 1;
        ended.store(stops >= 10, Ordering::Relaxed);
    }
    ended.store(true, Ordering::Relaxed);
    thread.join().expect("no panic");
    machine.interrupt_handle().clear();
    assert!(stops > 0);
    assert_eq!(printed(&mut *machine, &main), "3000000\n");
}

/// After a stop the frames below run on, and so does what lay deeper than any mark in the
/// stack: the next minor collection has to look at all of it again.
#[test]
fn what_a_stop_has_cut_off_the_stack_is_collected_anew() {
    let text = "(defn main[] (let ([l (map (add 1) (range 1 200))])
                  (add (foldr (fn [x r] (add x (add r (length (range 1 (rem x 5)))))) 0 l)
                       (foldr add 0 (map (fn [x] (sum (range 1 (rem x 7)))) l)))))";
    for passes in [Passes::NONE, Passes::ALL] {
        let program = compile_after(text, passes).expect("no mistake");
        let (mut machine, main) = ready(&program, Stress::None);
        assert!(force(&mut *machine, &main, None));
        let prints = printed(&mut *machine, &main);
        for every in [50, 150, 300, 400, 1_000] {
            let config = Config { stress: Stress::TinyNursery, ..Config::default() };
            let mut machine = self::machine(MachineKind::Fast, &program, config);
            let mut out = String::new();
            machine.start(Format::Default, None).expect("a main");
            loop {
                machine.set_fuel(Some(every));
                match machine.run(&mut out) {
                    Ok(()) => break,
                    Err(Stop::Limit(_)) => {}
                    Err(stop) => panic!("in steps of {every}: {stop}"),
                }
            }
            assert_eq!(out.trim(), prints.trim(), "in steps of {every}");
        }
    }
}

#[test]
fn a_deep_evaluation_is_stopped_goes_on_and_is_dropped() {
    // On a small stack: neither evaluating, stopping, collecting nor dropping may use it.
    let work = || {
        let text = "(defn main[] (foldr add 0 (range 1 300000)))";
        let program = compile_after(text, Passes::NONE).expect("no mistake");
        let (mut machine, main) = ready(&program, Stress::None);
        for _ in 0..3 {
            assert!(!force(&mut *machine, &main, Some(200_000)));
            machine.collect();
        }
        assert_eq!(printed(&mut *machine, &main), "45000150000\n");
        // And one that is dropped as it waits.
        let (mut machine, main) = ready(&program, Stress::None);
        assert!(!force(&mut *machine, &main, Some(700_000)));
        let full = machine.footprint();
        drop(main);
        machine.collect();
        assert!(machine.footprint() < full / 2, "{} of {full} bytes", machine.footprint());
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work);
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn an_error_is_the_same_when_it_is_forced_again() {
    let programs = [
        ("(defn main[] (add 1 (first Nil))) (defn first[l] (case l [(Cons x _) x]))", "G0505"),
        ("(defn main[] (add main 1))", "G0508"),
        ("(defn main[] (sum [1 2 (div 3 0) 4]))", "G0502"),
        ("(defn main[] (length (error \"no list\")))", "G0501"),
    ];
    for (text, code) in programs {
        let program = compile_after(text, Passes::NONE).expect("no mistake");
        for stress in Stress::ALL {
            let (mut machine, main) = ready(&program, stress);
            let mut first = None;
            for _ in 0..3 {
                let Some(Err(Stop::Error(error))) = machine.force(&main) else {
                    panic!("{text} does not fail")
                };
                assert_eq!(error.code.to_string(), code, "{text}");
                // A value that depends on itself is named only the first time.
                let message = first.get_or_insert(error.message.clone());
                assert!(*message == error.message || code == "G0508", "{text}");
                machine.collect();
            }
        }
    }
}

#[test]
fn a_value_that_meets_no_alternative_is_named_on_all_machines_at_all_levels() {
    let data = "(data Shape (Circle r) (Square a) (Dot)) (data Two (Two a b))";
    let cases = [
        // Known before the run once `f` is inlined, and known to the run alone.
        ("(f Dot)", "[(Circle r) r] [(Square a) a]", "Dot"),
        (
            "(f (if (eq (length (range 1 9)) 9) Dot (Circle 1)))",
            "[(Circle r) r] [(Square a) a]",
            "Dot",
        ),
        ("(f (Circle 7))", "[Dot 0] [(Square a) a]", "(Circle 7)"),
        ("(f (length (range 1 5)))", "[0 1] [1 2]", "5"),
        ("(f 7)", "[0 1] [1 2]", "7"),
        ("(f (head \"xyz\"))", "['a' 1] ['b' 2]", "'x'"),
        ("(f (mul 10000000000 10000000000))", "[0 1] [1 2]", "a large integer"),
        ("(f Nil)", "[(Cons x _) x]", "Nil"),
        ("(f [1 2])", "[Nil 0]", "(Cons 1 (Cons 2 Nil))"),
        ("(f \"text\")", "[Nil 0]", "\"text\""),
        // A part of the value, which other parts were looked at for.
        ("(f (Two Dot (Circle 2)))", "[(Two (Circle r) Dot) r] [(Two Dot Dot) 1]", "(Circle 2)"),
        ("(f (Two 1 (add 1 1)))", "[(Two 1 5) 1] [(Two 2 _) 1]", "2"),
    ];
    for (call, alternatives, value) in cases {
        let text =
            format!("{data} (defn f[v] (case v {alternatives})) (defn main[] (add 1 {call}))");
        for passes in [Passes::NONE, Passes::ALL] {
            let program = compile_after(&text, passes).expect("no mistake");
            for (kind, stress) in [
                (MachineKind::Fast, Stress::None),
                (MachineKind::Fast, Stress::Full),
                (MachineKind::Reference, Stress::None),
                (MachineKind::Reference, Stress::Full),
            ] {
                let mut machine = machine(kind, &program, Config { stress, ..Config::default() });
                let main = machine.program().main.expect("a main");
                let main = machine.global_handle(main).expect("room");
                // It fails again as it has failed.
                for _ in 0..2 {
                    let failed = machine.force(&main);
                    let Some(Err(Stop::Error(error))) = failed else {
                        panic!("{text}: {failed:?}")
                    };
                    let expected = format!("no alternative matches `{value}`");
                    assert_eq!(error.message, expected, "{kind:?} {passes:?}: {text}");
                    machine.collect();
                }
            }
        }
    }
}

#[test]
fn collections_make_no_work() {
    // A constant that code can still reach is not evaluated anew.
    let constants = (
        "(defn main[] (add (table 3) (table 5))) (defn table[n] (nth n squares))
         (defn squares[] (map (fn [x] (mul x x)) (range 1 9)))",
        "52",
    );
    for (text, prints) in PROGRAMS.iter().chain([&constants]) {
        for passes in [Passes::NONE, Passes::ALL] {
            let program = compile_after(text, passes).unwrap_or_else(|| panic!("{text}"));
            let reductions = Stress::ALL.map(|stress| {
                let (mut machine, main) = ready(&program, stress);
                assert_eq!(printed(&mut *machine, &main).trim_end(), *prints, "{text}");
                machine.statistics().reductions
            });
            // A collection reduces selections.
            assert!(reductions.iter().all(|&all| all <= reductions[0]), "{reductions:?} {text}");
        }
    }
}

#[test]
fn what_is_printed_is_no_reduction() {
    // A list that is there, printed again and again: past the look at the interrupt.
    let text = "(defn main[] (let ([xs (range 1 100)]) (map (fn [_] xs) (range 1 300))))";
    let program = compile_after(text, Passes::NONE).expect("no mistake");
    let (mut machine, main) = ready(&program, Stress::None);
    assert!(printed(&mut *machine, &main).len() > 30_000);
    let reductions = machine.statistics().reductions;
    assert!((400..2_000).contains(&reductions), "{reductions}");
}

#[test]
fn statistics_leave_out_what_a_machine_does_not_count() {
    let program = compile_after("(defn main[] (add 1 2))", Passes::NONE).expect("no mistake");
    for (kind, counts) in [(MachineKind::Reference, true), (MachineKind::Fast, false)] {
        let mut machine = machine(kind, &program, Config::default());
        assert_eq!(machine.statistics().peak_dump.is_some(), counts, "{kind:?}: before a run");
        let mut out = String::new();
        let ran = machine.start(Format::Default, None).and_then(|()| machine.run(&mut out));
        assert_eq!((ran, out.trim_end()), (Ok(()), "3"), "{kind:?}");
        assert_eq!(machine.statistics().peak_dump.is_some(), counts, "{kind:?}: after it");
    }
}
