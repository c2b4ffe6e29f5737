//! Floating inwards.

use super::{after, compiles_linearly, random, run, same};
use gmachine::optimise::{Pass, Passes};

const PASS: Pass = Pass::FloatIn;

/// Checks what the body of `f` becomes; `main` calls it as `call` says.
#[track_caller]
fn becomes(params: &str, body: &str, call: &str, expected: &str) {
    let text = format!("(defn main[] {call}) (defn f[{params}] {body})");
    let found = after(&text, PASS).0;
    let head = format!("(defn f[{params}] ");
    let start = found.find(&head).expect("f is there") + head.len();
    let rest = &found[start..];
    let end = rest.find(" (defn ").unwrap_or(rest.len());
    let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(rest[..end].strip_suffix(')'), Some(expected.as_str()), "{text}");
    same(&text, PASS);
}

#[test]
fn what_nothing_uses_goes() {
    becomes("x", "(let ([y (add x 1)] [z (mul y y)]) x)", "(f 1)", "x");
    becomes("x", "(letrec ([y (Cons x z)] [z (Cons 1 y)]) x)", "(f 1)", "x");
    becomes(
        "x",
        "(letrec ([y (Cons 1 z)] [z (Cons 2 y)]) (let ([w (Cons y 1)]) (Cons z (Cons z x))))",
        "(case (f Nil) [(Cons a b) (length (take 2 a))])",
        "(letrec ([y (Cons 1 z)] [z (Cons 2 y)]) (Cons z (Cons z x)))",
    );
}

#[test]
fn what_is_used_once_stands_where_it_is_used() {
    // As an argument, a field, an operand, a condition, the result.
    becomes("x", "(let ([y (mul x x)]) (I y))", "(f 3)", "(I (mul x x))");
    becomes("x", "(let ([y (mul x x)]) (Cons y Nil))", "(f 3)", "(Cons (mul x x) Nil)");
    becomes("x", "(let ([y (mul x x)]) (add y 1))", "(f 3)", "(add (mul x x) 1)");
    becomes("x", "(let ([y (eq x 3)]) (if y 1 2))", "(f 3)", "(if (eq x 3) 1 2)");
    becomes("x", "(let ([y (mul x x)]) y)", "(f 3)", "(mul x x)");
    // In the value of another binding, and so on.
    becomes(
        "x",
        "(let ([a (add x 1)] [b (mul a 2)] [c (sub b 3)]) (add c c))",
        "(f 3)",
        "(let ([c (sub (mul (add x 1) 2) 3)]) (add c c))",
    );
    becomes(
        "x",
        "(let ([a (add x 1)]) (letrec ([l (Cons a l)]) (Cons l l)))",
        "(case (f 3) [(Cons l _) (take 2 l)])",
        "(letrec ([l (Cons (add x 1) l)]) (Cons l l))",
    );
    // In a lazy place inside another expression.
    becomes(
        "x",
        "(Cons (let ([a (add x 1)]) (I (let ([b (mul a 2)]) (Cons b b)))) Nil)",
        "(f 3)",
        "(Cons (I (let ([b (mul (add x 1) 2)]) (Cons b b))) Nil)",
    );
}

#[test]
fn a_scrutinee_is_evaluated_where_it_is_looked_at() {
    becomes(
        "x",
        "(let ([y (range 1 x)]) (case y [(Nil) 0] [(Cons a _) a]))",
        "(f 3)",
        "(force [y (range 1 x)] (switch y [(Nil) 0] [(Cons a _) a]))",
    );
    becomes(
        "x",
        "(let ([y (range 1 x)]) (case (id y) [(Nil) 0] [(Cons a _) a]))",
        "(f 3)",
        "(force [t (id (range 1 x))] (switch t [(Nil) 0] [(Cons a _) a]))",
    );
    becomes(
        "x",
        "(let ([y 1]) (case y [1 x] [_ 0]))",
        "(f 3)",
        "(force [y 1] (switch y [1 x] [else 0]))",
    );
    // A case of the same local that looks again is another use.
    becomes(
        "x",
        "(let ([y (range 1 x)]) (case y [(Nil) 0] [_ (case y [(Cons a _) a])]))",
        "(f 3)",
        "(let ([y (range 1 x)])
           (switch (force y) [(Nil) 0] [else (switch (force y) [(Cons a _) a] [else (no-match)])]))",
    );
}

#[test]
fn no_application_is_applied() {
    becomes("x", "(let ([g (add x)]) (g 2))", "(f 3)", "(add x 2)");
    becomes("x", "(let ([g (flip sub)] [h (g x)]) (h 2))", "(f 3)", "(flip sub x 2)");
    becomes("g", "(let ([h g] [i h]) (i 1 2))", "(f add)", "(g 1 2)");
    becomes("x", "(let ([g (if x 1)]) (g 2))", "(f 1)", "(if x 1 2)");
    becomes("x", "(let ([g (Cons x)]) (g Nil))", "(f 1)", "(Cons x Nil)");
    // Its errors stay.
    becomes("x", "(let ([g 5]) (g x))", "(f 1)", "(5 x)");
    becomes("x", "(let ([g (add x 1)]) (g x))", "(f 1)", "(add x 1 x)");
}

#[test]
fn copies_and_constants_are_put_in_place() {
    becomes("x", "(let ([y x] [z y]) (Cons z (Cons y x)))", "(f Nil)", "(Cons x (Cons x x))");
    becomes(
        "x",
        "(let ([k 5] [n Nil] [g add]) (g (g k k) (length (Cons n n))))",
        "(f 1)",
        "(add (add 5 5) (length (Cons Nil Nil)))",
    );
    becomes(
        "x",
        "(let ([y x]) (case y [(Nil) y] [(Cons a b) (Cons b y)]))",
        "(f [1])",
        "(switch (force x) [(Nil) x] [(Cons _ b) (Cons b x)])",
    );
    // What takes room or work to be made again is shared.
    becomes(
        "x",
        "(let ([s \"ab\"] [b 100000000000000000000]) (Cons s (Cons s (Cons b (Cons b x)))))",
        "(f Nil)",
        "(let ([s \"ab\"] [b 100000000000000000000]) (Cons s (Cons s (Cons b (Cons b x)))))",
    );
}

#[test]
fn what_one_branch_uses_is_built_there() {
    becomes(
        "x",
        "(let ([y (mul x x)]) (if (eq x 0) 1 (Cons y y)))",
        "(f 3)",
        "(if (eq x 0) 1 (let ([y (mul x x)]) (Cons y y)))",
    );
    becomes(
        "x l",
        "(let ([y (mul x x)]) (case l [(Nil) 0] [(Cons a _) (Cons a (Cons y y))]))",
        "(f 3 [1])",
        "(switch (force l) [(Nil) 0] [(Cons a _) (let ([y (mul x x)]) (Cons a (Cons y y)))])",
    );
    // With what only it needs, outer ones first.
    becomes(
        "x",
        "(let ([a (add x 1)] [b (Cons a a)] [c (Cons b b)]) (if x 1 (Cons c c)))",
        "(f 0)",
        "(if x 1 (let ([a (add x 1)] [b (Cons a a)] [c (Cons b b)]) (Cons c c)))",
    );
    // To the branch, not into what is in it; two branches stay outside of both.
    becomes(
        "x",
        "(let ([a (add x 1)] [b (add x 2)])
           (if (eq x 0) (if (eq x 1) (Cons a a) (Cons b b)) (if (eq x 2) (Cons b b) x)))",
        "(f 2)",
        "(let ([b (add x 2)])
           (if (eq x 0)
             (if (eq x 1) (let ([a (add x 1)]) (Cons a a)) (Cons b b))
             (if (eq x 2) (Cons b b) x)))",
    );
    becomes(
        "x",
        "(letrec ([y (Cons x z)] [z (Cons 2 y)]) (if (eq x 0) 1 (take 3 y)))",
        "(f 3)",
        "(if (eq x 0) 1 (letrec ([y (Cons x z)] [z (Cons 2 y)]) (take 3 y)))",
    );
}

#[test]
fn it_moves_past_what_is_evaluated_before() {
    becomes(
        "x",
        "(let ([y (mul x x)]) (seq x (Cons y y)))",
        "(f 3)",
        "(seq x (let ([y (mul x x)]) (Cons y y)))",
    );
    becomes(
        "x",
        "(let ([y (mul x x)]) (case (add x 1) [0 1] [n (Cons n (Cons y y))]))",
        "(f 3)",
        "(force [n (add x 1)] (switch n [0 1] [else (let ([y (mul x x)]) (Cons n (Cons y y)))]))",
    );
}

#[test]
fn what_several_branches_jump_to_has_its_bindings_there() {
    // Used in the handler alone; in a branch and the handler.
    becomes(
        "x l",
        "(let ([y (mul x x)] [z (add x 1)])
           (case l [(Cons 1 (Cons 2 _)) (Cons z z)] [(Cons 3 _) z] [_ (Cons y (Cons z y))]))",
        "[(f 3 [1]) (f 3 [1 2]) (f 3 Nil)]",
        "(let ([z (add x 1)])
           (join [(j) (let ([y (mul x x)]) (Cons y (Cons z y)))]
             (switch (force l)
               [(Cons t t'1)
                (switch (force t)
                  [1 (switch (force t'1)
                    [(Cons t'2 _) (switch (force t'2) [2 (Cons z z)] [else (jump j)])]
                    [else (jump j)])]
                  [3 z]
                  [else (jump j)])]
               [else (jump j)])))",
    );
}

/// A selection that waits in the heap is reduced by the collector; one that is not yet built
/// would keep all that it selects from.
#[test]
fn a_selection_does_not_move_past_an_evaluation() {
    becomes(
        "p",
        "(let ([s (snd p)]) (add s (length (fst p))))",
        "(f (Pair [1] 2))",
        "(let ([s (snd p)]) (add s (length (fst p))))",
    );
    becomes(
        "p",
        "(let ([s (snd p)] [t (Cons s s)]) (seq (length (fst p)) (Cons t t)))",
        "(f (Pair [1] 2))",
        "(let ([s (snd p)]) (seq (length (fst p)) (let ([t (Cons s s)]) (Cons t t))))",
    );
    // Where nothing is evaluated before, it is put in place.
    becomes(
        "p",
        "(let ([s (snd p)]) (add (length (fst p)) s))",
        "(f (Pair [1] 2))",
        "(add (length (fst p)) (snd p))",
    );
    becomes("p", "(let ([s (snd p)]) (I (I s)))", "(f (Pair [1] 2))", "(I (I (snd p)))");
}

/// What it selects from stays in any case.
#[test]
fn a_selection_moves_past_an_evaluation_if_what_it_is_of_is_used_later() {
    becomes(
        "p",
        "(let ([s (snd p)] [t (Cons s s)]) (seq (length (fst p)) (Cons p t)))",
        "(f (Pair [1] 2))",
        "(seq (length (fst p)) (let ([s (snd p)]) (Cons p (Cons s s))))",
    );
}

/// What it selects from stays until that has been evaluated, too, whatever comes then.
#[test]
fn a_selection_moves_into_an_operand_if_what_it_is_of_is_used_after_that() {
    for (body, moved) in [
        (
            "(let ([s (tail p)]) (add (length p) (add (length s) (length (tail (tail p))))))",
            "(add (length p) (add (length (tail p)) (length (tail (tail p)))))",
        ),
        (
            "(let ([s (tail p)]) (seq (add (length s) (length (tail (tail p)))) p))",
            "(seq (add (length (tail p)) (length (tail (tail p)))) p)",
        ),
        (
            "(let ([s (tail p)]) (if (eq (length s) (length (tail (tail p)))) 1 (head p)))",
            "(if (eq (length (tail p)) (length (tail (tail p)))) 1 (head p))",
        ),
        (
            "(let ([s (tail p)]) (add (length s) (length (tail (tail p)))))",
            "(let ([s (tail p)]) (add (length s) (length (tail (tail p)))))",
        ),
    ] {
        becomes("p", body, "(f [1 2 3])", moved);
    }
    // What comes to be known of a record is known in all that follows, but not from within an operand.
    let opened = "(let ([s (snd p)]) (seq (add s (length (fst p))) p))";
    becomes("p", opened, "(f (Pair [1] 2))", opened);
}

#[test]
fn a_split_of_a_long_list_stays_flat() {
    let text = "(defn main[] (f (span (gt 100000) (range 1 60000))))
        (defn f[p] (let ([rest (snd p)]) (add (length rest) (length (fst p)))))";
    let live = |passes| run(text, passes, 1_000_000_000, false).1.peak_live_bytes;
    let (before, after) = (live(Passes::NONE), live(Passes::NONE.with(PASS)));
    assert!(after <= before + before / 4, "{before} bytes, then {after}");
}

#[test]
fn random_programs_do_the_same() {
    random(PASS, 200);
}

#[test]
fn deep_nests_take_linear_time() {
    for which in 0..3 {
        compiles_linearly(20_000, |depth| nests(depth)[which].clone(), Passes::NONE.with(PASS));
    }
}

/// Bindings that all move through all conditions to the innermost branch, that are put in
/// place one in the other, and that stay.
fn nests(depth: usize) -> [String; 3] {
    let mut moved = String::from("(defn main[x] ");
    let mut chain = String::from("(defn main[x] (let (");
    let mut kept = String::from("(defn main[x] ");
    let mut sum = String::new();
    for at in 0..depth {
        moved.push_str(&format!("(let ([y{at} (add x {at})]) (if (length x) {at} "));
        let before = if at == 0 { "x".to_owned() } else { format!("z{}", at - 1) };
        chain.push_str(&format!("[z{at} (Cons {before} x)]"));
        kept.push_str(&format!("(let ([y{at} (Cons x {at})]) (if (length y{at}) y{at} "));
        let inner = depth - 1 - at;
        sum.push_str(&format!("(Cons y{inner} (Cons y{inner} "));
    }
    moved.push_str(&format!("{sum}x{}", "))".repeat(depth)));
    moved.push_str(&"))".repeat(depth));
    chain.push_str(&format!(") (Cons z{0} z{0}))", depth - 1));
    kept.push('x');
    kept.push_str(&"))".repeat(depth));
    [moved, chain, kept].map(|text| format!("{text})"))
}
