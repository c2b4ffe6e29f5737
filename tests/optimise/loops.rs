//! What a loop collects is known where it is worth something, and nowhere else: neither does it
//! begin variants that know nothing more, nor do those that know something give way to them.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, reference};
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{Text, compile_after, machine, run_optimised};

/// Returns the reductions that a program takes and the instructions that it is.
fn cost(source: &str) -> (u64, usize) {
    let program = compile_after(source, Passes::level(2)).expect("a program without mistakes");
    let mut machine = machine(MachineKind::Fast, &program, Config::default());
    let started = machine.start(Format::Default, Some(Box::new(Text::new(""))));
    let ended = started.and_then(|()| machine.run(&mut String::new()));
    assert!(ended.is_ok(), "{source}");
    let reductions = machine.statistics().reductions;
    (reductions, program.globals.iter().map(|global| global.code.len()).sum())
}

fn program(path: &str) -> String {
    fs::read_to_string(project().join(path)).expect("the program")
}

#[test]
fn counters_behind_let_and_seq_begin_no_variants() {
    let program = |a: &str, b: &str| {
        format!(
            "(defn go[xs a b] (case xs [Nil (add a (mul 7 b))]
               [(Cons x r) (if (lt x 100) {a} (if (lt x 107) {b} (go r a b)))]))
             (defn main[i] (go (map ord i) 0 0))"
        )
    };
    let behind = |name: &str, other: &str, call: &str| {
        format!("(let ([{name} (add {other} 1)]) (seq {name} {call}))")
    };
    let (_, behind) =
        cost(&program(&behind("c", "a", "(go r c b)"), &behind("d", "b", "(go r a d)")));
    let (_, direct) = cost(&program("(go r (add a 1) b)", "(go r a (add b 1))"));
    // Twice as many if each zero is worth a variant.
    assert!(behind * 5 <= direct * 6, "{behind} instructions, {direct} written as arguments");
}

/// The first turns would have variants for each part of the text, and the others none.
#[test]
fn what_is_collected_leaves_room_for_what_is_known() {
    let (reductions, _) = cost(
        "(defn each[k n h] (if (gt k n) h (along \"Dear {x}, {y} and so on to {z}\" k n h)))
         (defn along[s k n h] (case s
           [Nil (let ([m (add k 1)]) (each m n h))]
           [(Cons c t) (if (eq c '{')
             (along t k n (rem (add (mul h 3) (if (eq (rem k 2) 0) k 7)) 9973))
             (along t k n (rem (add (mul h 37) (ord c)) 9973)))]))
         (defn main[i] (each 1 (add 90 (length i)) 0))",
    );
    // One for each turn; 2,749 if the text is not known.
    assert!(reductions < 200, "{reductions}");
}

/// Of a group the first element is known to be there: its length is one, and most are no longer.
#[test]
fn what_is_collected_is_known_as_far_as_the_beginning_goes() {
    let (reductions, _) = cost(&program("benches/others/totient.styled.core"));
    // 19,737 if the length of what follows it is counted from a number that is not known.
    assert!(reductions < 18_000, "{reductions}");
}

/// The merges would be unfolded in each other: what they were like is not found where a sum is known.
#[test]
fn a_loop_that_grows_is_found_where_it_began_with_a_literal() {
    let (_, code) = cost(&program("benches/programs/msort.core"));
    // 6,300 if it is not.
    assert!(code < 2_000, "{code}");
}

/// Two elements of a call are no growth: the loop comes back to the call.
#[test]
fn what_makes_two_elements_at_once_is_fused() {
    let (reductions, _) = cost(
        "(defn text[n x] (if (eq n 0) Nil (Cons (rem x 10) (Cons (rem x 7)
           (text (sub n 1) (rem (add (mul x 113) 12345) 65536))))))
         (defn go[s z] (case s [Nil z] [(Cons c t)
           (if (lt c 3) (go t (add z c)) (if (lt c 5) (go t (mul z 2)) (go t (rem z 99))))]))
         (defn main[i] (go (text (add 200 (length i)) 1) (length i)))",
    );
    // 796 if the list is built.
    assert!(reductions < 300, "{reductions}");
}

/// A loop that looks at two elements goes on with the second one and what follows it.
#[test]
fn what_a_loop_has_looked_into_is_fused_with_what_makes_it() {
    let sorted = "(defn sorted[xs] (case xs [(Cons x t) (case t [(Cons y _) (if (le x y) (sorted t) 0)] [_ 1])] [_ 1]))
        (defn upto[a b] (if (gt a b) Nil (Cons (mul a a) (upto (add a 1) b))))
        (defn main[i] (sorted (upto 1 (add 300 (length i)))))";
    let (reductions, _) = cost(sorted);
    // 900 if the list is built.
    assert!(reductions < 310, "{reductions}");
    // What the rest is used for otherwise leaves the value as it is.
    for other in ["(if (le x y) (sorted t) (length t))", "(if (le x y) (sorted t) (sorted u))"] {
        let source = sorted.replace("(if (le x y) (sorted t) 0)", other).replace("y _", "y u");
        assert_ne!(source, sorted);
        let shown = [Passes::NONE, Passes::ALL].map(|passes| {
            run_optimised(&source, "ab", Format::Default, reference::Config::default(), passes)
                .output
        });
        assert_eq!(shown[0], shown[1], "{source}");
    }
}

/// A state that is chosen by an `if` is known in the turn that follows, whatever else the turn is given.
#[test]
fn a_state_that_is_chosen_is_known_in_the_next_turn() {
    let (reductions, code) = cost(
        "(data Mode (Out) (In depth))
         (defn scan[mode s sum] (case s
           [Nil (case mode [Out sum] [(In d) (add sum d)])]
           [(Cons c t) (case mode
             [Out (if (eq c 7) (scan (In 1) t sum) (scan Out t (add sum c)))]
             [(In k) (if (eq c 7) (scan (In (add k 1)) t sum)
               (if (eq c 8) (scan (if (eq k 1) Out (In (sub k 1))) t sum) (scan (In k) t sum)))])]))
         (defn main[i] (scan Out (map (fn [x] (rem (mul x 7919) 13)) (range 1 (add 500 (length i)))) 0))",
    );
    // 403 if the choice is left to the run: the loop for a state of which nothing is known, too.
    assert!(reductions < 510 && code < 300, "{reductions} reductions, {code} instructions");
}

/// The functions of a circle go through the states of something together: each knows a few of them, not all.
#[test]
fn the_functions_of_a_circle_share_the_states_that_they_know() {
    let circle: String = (0..10)
        .map(|at| {
            format!(
                "(defn f{at}[s n] (case s [(St c) (if (eq n 0) (ord c) (if (eq c 'z') (f{next} (St 'a') (sub n 2))
                   (f{next} (St (chr (add (ord c) 1))) (sub n 1))))]))",
                next = (at + 1) % 10
            )
        })
        .collect();
    let main = "(data St (St c)) (defn main[i] (f0 (St 'a') (add 90 (length i))))";
    let (_, code) = cost(&format!("{main}{circle}"));
    // 843, and 1,800 if each has as many variants as it would have alone.
    assert!(code < 1_200, "{code} instructions");
}

/// A local function that is called at ends of branches is made a join point before there are variants of it, each
/// with variants of its own.
#[test]
fn what_is_a_join_point_has_no_variants() {
    let (_, code) = cost(&program("benches/others/lenses.plain.core"));
    // 4,000 if it is made one after that.
    assert!(code < 1_000, "{code} instructions");
}
