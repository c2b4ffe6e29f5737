//! Space is part of what a program means: what must run flat, and how deep recursion may go.

mod limits;

use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, Whnf};
use gmachine::optimise::{Pass, Passes};
use gmachine_testing::common::{
    Run, Text, code_in, compile, compile_after, limits, machine, run_after,
};

/// What a user runs, and what the schemes alone make.
const BOTH: [Passes; 2] = [Passes::ALL, Passes::NONE];

/// Peak live data of a program with its size put in for `SIZE`, in bytes, on each machine.
fn live(program: &str, size: u64, passes: Passes) -> [u64; 2] {
    live_with(&program.replace("SIZE", &size.to_string()), "", passes)
}

fn live_with(source: &str, input: &str, passes: Passes) -> [u64; 2] {
    let program = compile_after(source, passes).expect("no mistake");
    let kind = MachineKind::Reference;
    let Run { failure, statistics, output } =
        code_in(kind, &program, input, Format::Default, limits());
    assert_eq!(failure, None, "{source} printed {output:?}");
    [statistics.peak_live_bytes, live_on_fast(&program, input)]
}

/// Reductions of the fast machine, which collects far less often than the other, after which
/// its live data is measured.
const SLICE: u64 = 10_000;

/// Peak live data on the fast machine: it is stopped now and then, and everything is collected.
fn live_on_fast(program: &Verified, input: &str) -> u64 {
    let mut machine = machine(MachineKind::Fast, program, Config::default());
    machine.start(Format::Default, Some(Box::new(Text::new(input)))).expect("a main");
    let mut out = String::new();
    let mut stops = 0;
    loop {
        machine.set_fuel(Some(SLICE));
        let ended = machine.run(&mut out);
        machine.collect();
        match ended {
            Ok(()) => break,
            Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => stops += 1,
            Err(stop) => panic!("{stop}, after {out:?}"),
        }
    }
    assert!(stops > 0, "too few reductions to be measured; it printed {out:?}");
    machine.statistics().peak_live_bytes
}

/// What flat means: four times the work in no more than half as much again, beside what
/// collections leave to chance.
#[track_caller]
fn is_flat(program: &str, size: u64) {
    is_flat_after(&BOTH, program, size);
}

#[track_caller]
fn is_flat_after(levels: &[Passes], program: &str, size: u64) {
    for &passes in levels {
        let (one, four) = (live(program, size, passes), live(program, 4 * size, passes));
        for (one, four) in one.into_iter().zip(four) {
            assert!(
                four <= one + one / 2 + 100_000,
                "{program}: {one} bytes at {size}, {four} at 4 times, with {passes:?}"
            );
        }
    }
}

#[test]
fn a_list_that_is_a_caf_is_collected_as_it_is_consumed() {
    // Each element is forced on the way: an element that is not is a chain of additions as
    // long as the list, in every lazy machine that adds nothing before it is asked to.
    is_flat(
        "(defn main[] (nth' SIZE fibs))
         (defn nth'[n l] (case l [(Cons x xs) (seq x (if (eq n 0) x (nth' (sub n 1) xs)))]))
         (defn fibs[] (Cons 0 (Cons 1 (zipWith addm fibs (tail fibs)))))
         (defn addm[x y] (rem (add x y) 1000000007))",
        20_000,
    );
}

#[test]
fn a_caf_is_collected_while_code_that_never_uses_it_again_runs() {
    is_flat("(defn nats[] (from 0)) (defn main[] (add 1 (nth SIZE nats)))", 20_000);
    is_flat(
        "(defn nats[] (from 0)) (defn main[] (let ([x (nth SIZE nats)]) (seq x (count 40000))))
         (defn count[n] (if (eq n 0) 0 (count (sub n 1))))",
        20_000,
    );
}

#[test]
fn a_pipeline_of_lists_is_flat() {
    is_flat("(defn main[] (foldl' add 0 (map square (filter even (range 1 SIZE)))))", 20_000);
    is_flat("(defn main[] (sum (take SIZE (iterate (add 1) 0))))", 20_000);
    is_flat("(defn main[] (length (concatMap (fn [x] [x x]) (range 1 SIZE))))", 10_000);
}

#[test]
fn a_sum_whose_first_turn_is_known_grows_into_no_chain() {
    // Each term is cheap, so each is computed where it would be built, from the first one on.
    let program = "
        (data At (At re im))
        (defn main[] (case (foldl' plus (At 0.0 0.0) (map raised (range 1 SIZE))) [(At re _) re]))
        (defn plus[x y] (case x [(At a b) (case y [(At c d) (At (fadd a c) (fadd b d))])]))
        (defn raised[k] (power (unit k) k))
        (defn unit[n] (let ([t (fdiv 6.0 (itof n))]) (At (fcos t) (fsin t))))
        (defn times[x y] (case x [(At a b) (case y [(At c d)
          (At (fsub (fmul a c) (fmul b d)) (fadd (fmul a d) (fmul b c)))])]))
        (defn power[z n]
          (if (eq n 0) (At 1.0 0.0)
            (let ([half (power (times z z) (div n 2))]) (if (even n) half (times z half)))))";
    let live = |size: u64| {
        let source = program.replace("SIZE", &size.to_string());
        live_on_fast(&compile_after(&source, Passes::ALL).expect("no mistake"), "")
    };
    let (one, four) = (live(5_000), live(20_000));
    assert!(four <= one + 100_000, "{one} bytes, then {four}");
}

#[test]
fn what_is_part_of_a_constant_is_there_once_whatever_is_known_of_it() {
    let programs = [
        // Texts of a list, in records.
        "(data City (City name size))
         (defn names[] [\"Kristiansand\" \"Fredrikstad\" \"Trondheim and its surroundings\"])
         (defn mk[k] (City (nth (rem k 3) names) k))
         (defn first[c] (case c [(City s _) (length s)]))
         (defn last-of[c] (case c [(City s _) (ord (last s))]))
         (defn main[] (let ([cs (map mk (range 1 SIZE))])
           [(sum (map first cs)) (sum (map last-of cs))]))",
        // A record of which one field is replaced.
        "(data Opts (Opts name path tags limit)) (data Job (Job id opts))
         (defn defaults[] (Opts \"default name of a job\" \"/usr/local/share\" [\"nightly\" \"mail\"] 10))
         (defn limited[n o] (case o [(Opts a b c _) (Opts a b c n)]))
         (defn job[k] (Job k (limited k defaults)))
         (defn size[j] (case j [(Job k (Opts a b c n))
           (add n (add (length a) (add (length b) (sum (map length c)))))]))
         (defn limit[j] (case j [(Job _ (Opts _ _ _ n)) n]))
         (defn main[] (let ([js (map job (range 1 SIZE))])
           [(sum (map size js)) (sum (map limit js))]))",
        // The rest of a list, in variants for each of them.
        "(data Row (Row k rest))
         (defn steps[] [3 4 5 6 7 8 9])
         (defn from[k xs] (case xs [Nil Nil] [(Cons x t) (if (eq x k) t (from k t))]))
         (defn rows[k n] (if (eq k n) Nil
           (Cons (Row k (from (add 3 (rem k 4)) steps)) (rows (add k 1) n))))
         (defn total[rs] (case rs [Nil 0] [(Cons (Row k xs) t) (add (add k (sum xs)) (total t))]))
         (defn count[rs] (case rs [Nil 0] [(Cons (Row k xs) t) (add (length xs) (count t))]))
         (defn main[] (let ([rs (rows 0 SIZE)]) [(total rs) (count rs)]))",
        // The rest of a text.
        "(data Row (Row k rest))
         (defn text[] \"3456789 and a good deal more than what is passed by\")
         (defn from[k xs] (case xs [Nil Nil] [(Cons x t) (if (eq (ord x) k) t (from k t))]))
         (defn rows[k n] (if (eq k n) Nil
           (Cons (Row k (from (add 51 (rem k 4)) text)) (rows (add k 1) n))))
         (defn total[rs] (case rs [Nil 0]
           [(Cons (Row k xs) t) (add (add k (sum (map ord xs))) (total t))]))
         (defn count[rs] (case rs [Nil 0] [(Cons (Row k xs) t) (add (length xs) (count t))]))
         (defn main[] (let ([rs (rows 0 SIZE)]) [(total rs) (count rs)]))",
    ];
    for program in programs {
        let [all, none] = [Passes::ALL, Passes::NONE].map(|passes| live(program, 2_000, passes));
        for (all, none) in all.into_iter().zip(none) {
            assert!(all <= none + none / 10 + 5_000, "{program}: {all} bytes, {none} at -O0");
        }
    }
}

#[test]
fn a_list_bound_by_a_let_is_collected_as_its_last_use_consumes_it() {
    is_flat("(defn main[] (let ([xs (range 1 SIZE)]) (add 0 (length xs))))", 20_000);
    is_flat("(defn main[] (let ([xs (range 1 SIZE)]) (length xs)))", 20_000);
    is_flat("(defn main[] (twice' (range 1 SIZE))) (defn twice'[xs] (add (length xs) 1))", 20_000);
}

/// Nothing, everything, and a third of these: each pass alone, and everything but one. Three
/// programs in a row try all.
fn some_passes(program: usize) -> Vec<Passes> {
    let alone = Pass::ALL.iter().map(|&pass| Passes::NONE.with(pass));
    let without = Pass::ALL.iter().map(|&pass| Passes::ALL.without(pass));
    BOTH.into_iter().chain(alone.chain(without).skip(program % 3).step_by(3)).collect()
}

#[test]
fn both_parts_of_a_broken_list_are_consumed_in_turn() {
    // Both parts are named before the first is consumed: from then on nothing but the two
    // selections refers to the pair. Were `(snd p)` written where the second is consumed, the
    // code would still need the pair, and with it all of the first list; were it evaluated
    // before the first is consumed, so it would if the first list came to be at once.
    let consumed = [
        "(let ([n (length a)]) (seq n (add n (length b))))",
        "(let ([n (length a)] [m (length b)]) (seq n (add n m)))",
        "(let ([n (sum a)] [m (sum b)]) (if (eq n 0) 1 (add n m)))",
        "(consume a b)",
    ];
    let broken = [
        ("break (lt SIZE) (range 1 (mul 2 SIZE))", "mine", "snd"),
        ("triple (range 1 (mul 2 SIZE))", "first3", "third3"),
    ];
    for (at, (pair, first, second)) in broken.into_iter().enumerate() {
        for (turn, body) in consumed.into_iter().enumerate() {
            let program = format!(
                "(defn main[] (let ([p ({pair})] [a ({first} p)] [b ({second} p)]) {body}))
                 {BROKEN}"
            );
            is_flat_after(&some_passes(at + turn), &program, 3_000);
        }
    }
}

/// The operand of a sum that is evaluated first is the one that needs the beginning.
#[test]
fn a_sum_over_both_parts_of_a_broken_list_goes_through_the_beginning_first() {
    let sums = [
        "(add (length (mine p)) (length (snd p)))",
        "(add (length (snd p)) (length (fst p)))",
        "(mul (add 1 (length (fst p))) (sum (snd p)))",
    ];
    for sum in sums {
        let program = format!(
            "(defn main[] (let ([p (break (lt SIZE) (range 1 (mul 2 SIZE)))]) {sum})) {BROKEN}"
        );
        is_flat_after(&[Passes::level(1), Passes::ALL], &program, 3_000);
    }
}

#[test]
fn loops_through_functions_of_the_corelib_are_last_calls() {
    // What calls whatever it is given leaves nothing of its caller; what ends in the corelib, or fails,
    // may leave one frame.
    let rounds = [
        "(apply loop m)",
        "(strictly loop m)",
        "(flip step m 1)",
        "(uncurry step (Pair 1 m))",
        "(maybe 0 loop (Just m))",
        "(either loop loop (Left m))",
        "(foldr (fn [x r] (loop x)) 0 [m])",
        "(foldr1 (fn [x r] (loop x)) [m 1])",
        "(compose loop id m)",
        "(C step m 1)",
        "((fn [k] (apply k m)) loop)",
        "(seq (nth (rem m 3) [m m m]) (loop m))",
        "(case (last [m]) [k (loop k)])",
        "(if (and [1 1]) (loop m) (length [m]))",
    ];
    for round in rounds {
        let program = format!(
            "(defn main[] (loop SIZE)) (defn step[x n] (loop n))
             (defn loop[n] (if (eq n 0) (head [n]) (let ([m (sub n 1)]) (seq m {round}))))"
        );
        is_flat_after(&[Passes::NONE, Passes::level(1), Passes::ALL], &program, 20_000);
    }
}

/// What the programs about broken lists define.
const BROKEN: &str = "
    (defn mine[p] (case p [(Pair x y) x]))
    (defn yours[p] (case p [(Pair x y) y]))
    (defn consume[a b] (let ([n (length a)]) (seq n (add n (length b)))))
    (defn triple[l] (case l [Nil (Triple Nil 0 Nil)]
      [(Cons x t) (if (eq x SIZE) (Triple Nil x t)
        (let ([r (triple t)]) (Triple (Cons x (first3 r)) (second3 r) (third3 r))))]))
    (defn first3[t] (case t [(Triple a b c) a]))
    (defn second3[t] (case t [(Triple a b c) b]))
    (defn third3[t] (case t [(Triple a b c) c]))
    (defn lined[s] (let ([r (break (eq 10) s)])
      (Cons (fst r) (case (snd r) [Nil Nil] [(Cons x t) (lined t)]))))";

#[test]
fn parts_that_are_selected_in_other_ways_are_consumed_in_turn() {
    let programs = [
        // From a parameter, in a branch, inside of what is built, through a case.
        "(defn main[] (both (break (lt SIZE) (range 1 (mul 2 SIZE)))))
         (defn both[p] (let ([a (fst p)] [b (snd p)])
           (let ([n (length a)]) (seq n (add n (length b))))))",
        "(defn main[] (both 1 (span (ge SIZE) (range 1 (mul 2 SIZE)))))
         (defn both[c p] (let ([b (snd p)])
           (if (eq (length (fst p)) 0) c (add c (length b)))))",
        "(defn main[] (let ([p (break (lt SIZE) (range 1 (mul 2 SIZE)))]
                            [n (length (fst p))] [m (add 1 (length (snd p)))])
           (seq n (add n m))))",
        "(defn main[] (let ([p (span (ge SIZE) (range 1 (mul 2 SIZE)))])
           (case p [(Pair a b) (let ([n (length a)]) (seq n (add n (length b))))])))",
        "(defn main[] (let ([p (span (ge SIZE) (range 1 (mul 2 SIZE)))]
                            [a (case p [(Pair x y) x])] [b (case p [(Pair x y) y])])
           (let ([n (length a)]) (seq n (add n (length b))))))",
        "(defn main[] (length (concat (lined (map (fn [x] (rem x 700)) (range 1 SIZE))))))",
    ];
    for (at, program) in programs.into_iter().enumerate() {
        is_flat_after(&some_passes(at), &format!("{program} {BROKEN}"), 3_000);
    }
}

#[test]
fn a_selection_of_a_selection_takes_no_more_than_its_update() {
    // No line but the first ends, so that each rest is asked of the next pair's. The reference
    // machine updates what such a chain begins with before it goes on; on the fast machine
    // each link waits, a word of the stack and two or three of the heap, until there is a value.
    let program = format!("(defn main[] (length (lined (range 1 SIZE)))) {BROKEN}");
    for passes in BOTH {
        let ([one, _], [four, fast]) =
            (live(&program, 6_000, passes), live(&program, 24_000, passes));
        assert!(four <= one + one / 2 + 100_000, "{one} bytes, then {four}, with {passes:?}");
        assert!(fast <= 24_000 * 64, "{fast} bytes with {passes:?}");
    }
}

#[test]
fn parts_that_cannot_be_had_in_turn_take_no_more_than_they_must() {
    // Here the second list comes to be, or holds on to the whole, while the first is consumed.
    let broken = [
        "splitAt SIZE (range 1 (mul 2 SIZE))",
        "partition even (range 1 (mul 2 SIZE))",
        "unzip (map (fn [x] (Pair x x)) (range 1 SIZE))",
    ];
    let consumed = [
        "(let ([n (length a)]) (seq n (add n (length b))))",
        "(let ([n (sum a)] [m (sum b)]) (if (eq n 0) 1 (add n m)))",
        "(consume a b)",
    ];
    for pair in broken {
        for (at, body) in consumed.into_iter().enumerate() {
            let program = format!(
                "(defn main[] (let ([p ({pair})] [a (fst p)] [b (snd p)]) {body})) {BROKEN}"
            );
            let plain = live(&program, 4_000, Passes::NONE);
            for passes in some_passes(at) {
                let after = live(&program, 4_000, passes);
                for (plain, after) in plain.into_iter().zip(after) {
                    assert!(
                        after <= plain + plain / 4 + 100_000,
                        "{program}: {plain} bytes, and {after} with {passes:?}"
                    );
                }
            }
        }
    }
}

/// Each of 50 levels makes a list, is done with it, and waits for the level below; the
/// innermost counts for long.
const LEVELS: &str = "(defn main[] (level 50 (range 1 1000)))
    (defn level[n xs]
      (add (if (eq n 0) (count 300000) (level (sub n 1) (range 1 1000)))
           (seq (length xs) (head xs))))
    (defn count[n] (if (eq n 0) 7 (count (sub n 1))))";

/// A machine for `levels` of [`LEVELS`], and what it is given until it counts: all its lists
/// are done with by then.
fn counting(kind: MachineKind, levels: u64) -> (Box<dyn Machine>, u64) {
    let program = compile(&LEVELS.replace("level 50", &format!("level {levels}")));
    let new = || machine(kind, &program, Config::default());
    let mut whole = new();
    whole.start(Format::Default, None).expect("a main");
    assert_eq!(whole.run(&mut String::new()), Ok(()));
    let statistics = whole.statistics();
    // Counting is the last that it does, and each count is a reduction and some instructions.
    let fuel = match kind {
        MachineKind::Reference => statistics.instructions - 1_000_000,
        _ => statistics.reductions - 100_000,
    };
    (new(), fuel)
}

/// Checks that the lists of [`LEVELS`] are there no more: each alone is 2,000 nodes.
#[track_caller]
fn lists_are_gone(machine: &mut dyn Machine) {
    machine.collect();
    let statistics = machine.statistics();
    // The frames of fifty levels, and all that a machine has anyway.
    assert!(statistics.peak_live_bytes < 100_000, "{statistics:?}");
}

#[test]
fn frames_that_wait_keep_nothing_past_its_last_use() {
    // With no level below, it is an argument that is dropped while a later call runs.
    for (&kind, levels) in MachineKind::ALL.iter().flat_map(|kind| [(kind, 0), (kind, 50)]) {
        let (mut machine, fuel) = counting(kind, levels);
        let mut out = String::new();
        machine.set_fuel(Some(fuel));
        machine.start(Format::Default, None).expect("a main");
        assert!(matches!(machine.run(&mut out), Err(Stop::Limit(_))));
        lists_are_gone(&mut *machine);
        machine.set_fuel(None);
        assert_eq!(machine.run(&mut out), Ok(()));
        assert_eq!(out, format!("{}\n", 8 + levels), "on the {kind} machine");
    }
}

#[test]
fn suspended_evaluations_keep_nothing_past_its_last_use() {
    for &kind in MachineKind::ALL {
        let (mut machine, fuel) = counting(kind, 50);
        machine.set_fuel(Some(fuel));
        let main = machine.program().main.expect("a main");
        let main = machine.global_handle(main).expect("room");
        assert!(matches!(machine.force(&main), Some(Err(Stop::Limit(_)))));
        lists_are_gone(&mut *machine);
        machine.set_fuel(None);
        assert_eq!(machine.force(&main), Some(Ok(())));
        match machine.whnf(&main) {
            Some(Whnf::Int(value)) => assert_eq!(value.to_string(), "58"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn tail_calls_run_in_constant_space() {
    let programs = [
        "(defn main[] (ping SIZE)) (defn ping[n] (if (eq n 0) 0 (pong (sub n 1))))
         (defn pong[n] (if (eq n 0) 1 (ping (sub n 1))))",
        "(defn main[] (go SIZE)) (defn go[n] (case n [0 'x'] [_ (let ([m (sub n 1)]) (go m))]))",
        "(defn main[] (go SIZE)) (defn go[n] (seq n (if (eq n 0) 0 (letrec ([m (sub n 1)]) (go m)))))",
        "(defn main[] (go SIZE Nil)) (defn go[n l] (case (Pair n l) [(Pair 0 l) l] [(Pair n l) (go (sub n 1) l)]))",
    ];
    for (program, passes) in programs.into_iter().flat_map(|program| BOTH.map(|it| (program, it))) {
        let run = run_after(&program.replace("SIZE", "250000"), "", passes);
        assert_eq!(run.failure, None, "{program}");
        let statistics = run.statistics;
        assert!(statistics.peak_stack < 100, "{program}: {} items", statistics.peak_stack);
        let frames = statistics.peak_dump.expect("the reference machine counts them");
        assert!(frames < 20, "{program}: {frames} frames");
        assert!(statistics.peak_live_bytes < 200_000, "{program}: {statistics:?}");
        let source = program.replace("SIZE", "250000");
        let live = live_on_fast(&compile_after(&source, passes).expect("no mistake"), "");
        assert!(live < 200_000, "{program}: {live} bytes");
    }
}

#[test]
fn an_infinite_list_prints_flat() {
    is_flat("(defn main[] (take SIZE (from 0)))", 20_000);
    is_flat("(defn main[] (take SIZE (cycle \"ab\")))", 20_000);
}

#[test]
fn input_is_read_flat() {
    let sum = |lines: usize, passes| {
        let text = "some words on a line\n".repeat(lines);
        live_with("(defn main[input] (length (lines input)))", &text, passes)
    };
    for passes in BOTH {
        let (one, four) = (sum(2_000, passes), sum(8_000, passes));
        for (one, four) in one.into_iter().zip(four) {
            assert!(four <= one + one / 2 + 100_000, "{one} bytes, then {four}, with {passes:?}");
        }
    }
}

#[test]
fn deep_recursion_needs_memory_only() {
    // On a thread with a small stack: the machine must not use it.
    let deep = || {
        let programs = [
            "(defn main[] (foldr add 0 (range 1 200000)))",
            "(defn main[] (foldl add 0 (range 1 200000)))",
            "(defn main[] (chain 200000 0))
             (defn chain[n x] (if (eq n 0) x (chain (sub n 1) (add x 1))))",
        ];
        for (program, passes) in
            programs.into_iter().flat_map(|program| BOTH.map(|it| (program, it)))
        {
            let run = run_after(program, "", passes);
            assert_eq!(run.failure, None, "{program}");
            assert!(["20000100000\n", "200000\n"].contains(&&*run.output), "{}", run.output);
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(deep);
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn a_link_of_a_chain_of_lazy_additions_takes_three_words_of_stack() {
    // Its two variables, and one word for what becomes of the value.
    const LINKS: u64 = 100_000;
    let source = format!(
        "(defn main[input] (chain {LINKS} (length input) (length input)))
         (defn chain[n x k] (if (eq n 0) (if (eq k 0) x 0) (chain (sub n 1) (add x n) k)))"
    );
    for passes in BOTH {
        let program = compile_after(&source, passes).expect("no mistake");
        let mut machine = machine(MachineKind::Fast, &program, Config::default());
        machine.start(Format::Default, Some(Box::new(Text::new("")))).expect("a main");
        machine.run(&mut String::new()).expect("a value");
        // The peak is looked for now and then.
        let (words, all) = (machine.statistics().peak_stack, 3 * LINKS);
        assert!(words.abs_diff(all) < 2000, "{words} words and not {all}, {passes:?}");
    }
}

#[test]
fn a_deep_value_prints_and_drops() {
    let program = "(data T (L) (N t)) (defn main[] (deep 200000 L))
        (defn deep[n t] (if (eq n 0) t (deep (sub n 1) (N t))))";
    for passes in BOTH {
        let run = run_after(program, "", passes);
        assert_eq!(run.failure, None);
        assert_eq!(run.output.len(), "(N ".len() * 200_000 + "L".len() + 200_000 + 1);
    }
}

#[test]
fn a_stack_that_grows_up_to_the_limit_ends_in_the_value_or_at_the_limit() {
    // Near the limit the stack grows only after a collection, which moves what is to be
    // evaluated next.
    let source = "(defn main[] (fst (chain 100000 (Pair 0 0))))
        (defn chain[n p]
          (if (eq n 0) p (chain (sub n 1) (case p [(Pair a b) (Pair (add a 1) n)]))))";
    let program = compile_after(source, Passes::NONE).expect("a program");
    let mut ends = [0, 0];
    for quarters in 4..48 {
        let config = Config { heap_limit: Some(quarters << 18), ..Config::default() };
        let run = code_in(MachineKind::Fast, &program, "", Format::Default, config);
        match run.failure {
            None => assert_eq!(run.output, "100000\n"),
            Some(ref failure) => assert!(failure.message.contains("Heap"), "{failure:?}"),
        }
        ends[usize::from(run.failure.is_none())] += 1;
    }
    assert!(ends[0] > 5 && ends[1] > 5, "{ends:?}");
}

/// Lazy sums in data that nobody has looked at: the fast machine computes what is cheap.
#[test]
fn sums_of_numbers_that_are_there_do_not_grow_into_chains() {
    let kept = |zero: &str, step: &str| {
        format!(
            "(data P (P a b c d))
             (defn main[] (case (go SIZE (P {zero} {zero} {zero} {zero})) [(P a _ _ _) a]))
             (defn go[n p] (if (eq n 0) p (case p [(P a b c d) (go (sub n 1) {step})])))"
        )
    };
    for (zero, step) in [
        ("0", "(P (add a n) (sub b a) (add c 1) (sub 7 d))"),
        ("0", "(P (add a (eq b 1)) (eq b 0) (lt 3 c) (ge a 7))"),
        ("0.0", "(P (fadd a 0.5) (fsub 1.0 b) (fmul c (fadd a b)) (fsqrt (itof n)))"),
        (
            "1.0",
            "(P (fsub (fmul a c) (fmul b d)) (fadd (fmul a d) (fmul b c)) (fdiv c 2.0) (fcos d))",
        ),
    ] {
        let program = compile(&kept(zero, step).replace("SIZE", "20000"));
        let live = live_on_fast(&program, "");
        assert!(live < 100_000, "{step}: {live} bytes");
    }
}

/// What a number is compared with is a constant of the code that is computed.
#[test]
fn a_comparison_with_a_constant_is_made_where_it_would_be_built() {
    let program = compile(
        "(defn main[i] (go (length i) 3 0 [0] 0))
         (defn go[n a z w v] (if (eq n 0) [z (head w) v a]
           (go (sub n 1) (sub n a) (eq a -2) [(le 1 n)] (neq a 1000000))))",
    );
    let [slow, fast] = [MachineKind::Reference, MachineKind::Fast].map(|kind| {
        let mut machine = machine(kind, &program, Config::default());
        let input = Box::new(Text::new("a text of some length"));
        machine.start(Format::Default, Some(input)).expect("a main");
        let mut out = String::new();
        machine.run(&mut out).expect("a value");
        (out, machine.statistics().thunks_made)
    });
    assert_eq!(slow.0, fast.0);
    assert!(fast.1 < 5, "{} thunks", fast.1);
}

/// A character is no integer to compute with: to compare the two is a mistake, which the thunk tells.
#[test]
fn a_comparison_with_a_constant_that_is_no_integer_is_left_to_its_thunk() {
    let program = compile(
        "(defn main[i] (go (length i) 5))
         (defn go[n a] (if (eq n 0) a (go (sub n 1) (eq n 'a'))))",
    );
    for kind in [MachineKind::Reference, MachineKind::Fast] {
        let mut machine = machine(kind, &program, Config::default());
        machine.start(Format::Default, Some(Box::new(Text::new("a text")))).expect("a main");
        let mut out = String::new();
        assert!(matches!(machine.run(&mut out), Err(Stop::Error(_))), "{kind:?}: {out}");
    }
}

/// A thread that waits for a variable and is thrown something leaves nothing there.
#[test]
fn threads_that_no_longer_wait_for_a_variable_are_collected() {
    is_flat(
        "(import io)
         (import stm)
         (defn wants[v] (atomically (fn [t] (bind (readTVar t v) (check t)))))
         (defn rounds[v n] (if (le n 0) (putLine \"end\")
           (bind (fork (catch (wants v) (fn [_] (return Nil)))) (fn [w]
             (then yield (then (throwTo w 5) (then yield (rounds v (sub n 1)))))))))
         (defn main[] (bind (newTVar 0) (fn [v] (rounds v SIZE))))",
        1_000,
    );
}
