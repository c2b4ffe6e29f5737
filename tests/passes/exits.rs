//! Functions that several branches end in: chains of continuations are written once, and mean what
//! they meant.

use std::fmt::Write as _;

use gmachine::driver::Stage;
use gmachine::optimise::{Pass, Passes};

use super::{built, same_after};

/// The definitions of a chain.
const LINKS: usize = 12;

fn levels() -> [Passes; 3] {
    let driver = Passes::NONE.with(Pass::Inline).with(Pass::KnownCase).with(Pass::CaseOfCase);
    [driver, Passes::level(1), Passes::ALL]
}

/// A chain of definitions, each with `step` for its body, in which `#` is its number and `@` that of
/// the one before it, and uses of the last one.
fn chain(step: &str, uses: &str) -> String {
    let mut text = format!("(defn f0[n k] (k n)) (defn main[input] {uses})\n");
    text += "(defn slow[n] (if (le n 0) 1 (slow (sub n 1))))\n";
    for at in 1..=LINKS {
        let body = step.replace('#', &at.to_string()).replace('@', &(at - 1).to_string());
        let _ = writeln!(text, "(defn f{at}[n k] {body})");
    }
    text.replace("LAST", &format!("f{LINKS}"))
}

/// Checks that a chain gives the same for each number, at each level, with no more work: `NUMBER` in
/// the one use of it. Returns the instructions without passes, and after all.
#[track_caller]
fn is_same(step: &str, used: &str) -> [usize; 2] {
    for number in 10..2 * LINKS as i64 + 3 {
        // Each one leaves the chain at another link. The input has five characters.
        let number = format!("(add {} (length input))", number - 5);
        same_after(&chain(step, &used.replace("NUMBER", &number)), &levels());
    }
    let program = chain(step, &used.replace("NUMBER", "(length input)"));
    [Passes::NONE, Passes::ALL].map(|passes| length(&program, passes))
}

fn length(program: &str, passes: Passes) -> usize {
    let code = built(program, passes, Stage::Gcode);
    code.gcode.map_or(0, |code| code.globals.iter().map(|global| global.code.len()).sum())
}

#[test]
fn continuations_are_written_once_for_all_exits() {
    let [plain, all] = is_same(
        "(if (gt n #) (f@ (sub n 2) (fn [r] (k (add r #)))) (k n))",
        "(LAST NUMBER (fn [r] (mul r r)))",
    );
    assert!(all < plain, "{plain} instructions, then {all}");
    // The continuation is in a frame that each branch has a copy of.
    let [plain, all] = is_same(
        "((if (gt n #) (fn [k] (f@ (sub n 2) (fn [r] (k (add r #))))) (fn [k] (k n))) k)",
        "(LAST NUMBER negate)",
    );
    assert!(all < plain, "{plain} instructions, then {all}");
}

#[test]
fn what_is_done_with_the_value_of_a_continuation_is_done() {
    let go_on = "(f@ (sub n 2) (fn [r] (k (add r #))))";
    for exit in [
        "(add 1 (k n))",
        "(seq (k n) 5)",
        "(case (k n) [3 7] [m (add m 1)])",
        "((if (eq n 2) add sub) (k n) 1)",
        "(add (k n) (k 3))",
        "(let ([m (k n)]) (if (gt m 4) (add m m) m))",
    ] {
        is_same(&format!("(if (gt n #) {go_on} {exit})"), "(LAST NUMBER (fn [r] r))");
        // With a frame of the whole, and a thunk that it is the value of.
        is_same(
            &format!("(if (gt n #) {go_on} (k n))"),
            &exit
                .replace("(k n)", "(LAST NUMBER (add 2))")
                .replace("eq n", "eq 1")
                .replace("(k 3)", "3"),
        );
    }
    let both = "(if (gt n #) (if (eq n 9) (add (k 1) (f@ (sub n 2) k)) (f@ (sub n 2) (fn [r] (k r)))) (k n))";
    is_same(both, "(add (LAST NUMBER (fn [r] r)) 1)");
}

#[test]
fn what_a_continuation_holds_is_evaluated_once() {
    // Asked for by the function, and by the branch that comes to it.
    is_same(
        "(let ([m (slow (add n 20))])
           (if (gt n #) (f@ (sub n 2) (fn [r] (k (add r m)))) (if (gt m n) (k (add m 1)) (k m))))",
        "(LAST NUMBER (fn [r] r))",
    );
    is_same(
        "(let ([m (slow (add n 20))] [k (fn [r] (k (add m r)))])
           (if (gt n #) (f@ m k) (if (eq m #) (k m) (k n))))",
        "(LAST NUMBER (fn [r] r))",
    );
    // All hold the same one, which nothing has evaluated before a branch and what it comes to do.
    is_same(
        "(case n [(Pair i m)
           (if (gt i #) (f@ (Pair (sub i 2) m) (fn [r] (k (add r m)))) (if (eq i 14) (k (add m m)) (k m)))])",
        "(LAST (Pair NUMBER (slow 4000)) (fn [r] r))",
    );
    // Never asked for.
    is_same(
        "(let ([m (div 1 0)])
           (if (gt n #) (f@ (sub n 2) (fn [r] (k (if (gt r 100) m r)))) (k n)))",
        "(LAST NUMBER (fn [r] r))",
    );
}

#[test]
fn what_is_known_of_what_a_continuation_is_given_is_used() {
    for exit in [
        "(k Nothing)",
        "(k (Just n))",
        "(if (eq n 3) (k Nothing) (k (Just (slow n))))",
        "(k (Just #))",
    ] {
        let step = format!(
            "(if (gt n #)
               (f@ (sub n 2) (fn [v] (case v [Nothing (k Nothing)] [(Just a) (k (Just (add a #)))])))
               {exit})"
        );
        is_same(&step, "(case (LAST NUMBER (fn [v] v)) [(Just a) a] [Nothing 0])");
    }
    // Two continuations, of which one calls the other.
    is_same(
        "(if (gt n #)
           (f@ (sub n 2) (fn [r] (if (eq r 3) (k r) (k (add r #)))))
           (if (eq n 2) (k 0) (k n)))",
        "(LAST NUMBER (fn [r] r))",
    );
}
