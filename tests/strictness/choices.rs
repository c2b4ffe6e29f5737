//! Choices in lazy contexts: what becomes a supercombinator, and what it captures.

use gmachine::core::print;

use super::analysed;

/// Checks what the functions of these names are after the pass.
#[track_caller]
fn becomes(text: &str, expected: &[(&str, &str)]) {
    let (program, names) = analysed(&format!("{text}\n(defn main[] f)"));
    for (symbol, body) in expected {
        let found = program.globals.enumerate().find(|(_, global)| &*global.symbol == *symbol);
        let (id, _) = found.unwrap_or_else(|| panic!("{symbol} is not there"));
        let mut out = String::new();
        print::definition(&program, &names, id, &mut out);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&out), words(body), "{text}");
    }
}

/// The names of the supercombinators that choices have become.
fn lifted(text: &str) -> Vec<String> {
    let (program, _) = analysed(text);
    let symbols = program.globals.iter().map(|global| global.symbol.to_string());
    symbols.filter(|symbol| symbol.contains("$l")).collect()
}

#[test]
fn a_choice_that_is_built_is_one_application_of_what_it_captures() {
    becomes(
        "(defn f[c x y] (Cons (if (lt c x) (mul x y) (sub x y)) Nil))",
        &[
            ("f", "(defn f[c x y] (Cons (f$l1 c x y) Nil))"),
            ("f$l1", "(defn f$l1[c x y] (if (lt c x) (mul x y) (sub x y)))"),
        ],
    );
}

#[test]
fn what_comes_to_a_choice_goes_with_it() {
    becomes(
        "(defn f[c x] (Cons (add 1 (seq (mul c c) (if c x 2))) Nil))",
        &[
            ("f", "(defn f[c x] (Cons (f$l1 c x) Nil))"),
            ("f$l1", "(defn f$l1[c x] (add 1 (seq (mul c c) (if c x 2))))"),
        ],
    );
}

#[test]
fn a_choice_inside_of_another_is_lifted_too() {
    assert_eq!(
        lifted(
            "(defn f[x] [(if (lt x 1) x (k [(if (lt x 2) x (add x x))]))])
             (defn k[x] (mapK x))
             (defn mapK[xs] (case xs [Nil 0] [_ 1]))
             (defn main[] f)"
        ),
        ["f$l1", "f$l1$l1"]
    );
}

#[test]
fn what_is_evaluated_anyway_is_no_supercombinator() {
    for text in [
        "(defn f[x] (add 1 (if (lt x 1) x 2))) (defn main[] f)",
        "(defn f[x] (let ([y (if (lt x 1) x 2)]) (add y y))) (defn main[] f)",
        "(defn both[p] (case p [(Pair a b) (add a b)]))
         (defn f[x] (both (Pair (if (lt x 1) x 2) x))) (defn main[] f)",
        // Nothing is built for it but itself.
        "(defn f[c x y] [(if c x y)]) (defn main[] f)",
        "(defn f[x y] [(add x (mul x y))]) (defn main[] f)",
        // It would be a constant, and stay alive.
        "(defn f[x] [(if (lt (g 1) 2) (g 2) 3)]) (defn g[x] x) (defn main[] f)",
    ] {
        assert_eq!(lifted(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_selection_is_captured_and_not_what_it_selects_from() {
    becomes(
        "(defn f[c p] (Cons (if (lt c 1) (add 1 (second p)) c) Nil))
         (defn second[p] (case p [(Pair _ b) b]))",
        &[
            ("f", "(defn f[c p] (Cons (f$l1 c (second p)) Nil))"),
            ("f$l1", "(defn f$l1[c t] (if (lt c 1) (add 1 t) c))"),
        ],
    );
}

#[test]
fn what_a_choice_binds_is_evaluated_at_once_if_it_is_needed() {
    becomes(
        "(defn f[x] (Cons (let ([a (mul x x)]) (if (lt a 3) a x)) Nil))",
        &[("f$l1", "(defn f$l1[x] (force [a (mul x x)] (if (lt a 3) a x)))")],
    );
}

/// Each choice is looked at with all that is in it. What is nested deeper than a few dozen levels is
/// left as it is, so that this takes no time with the square.
#[test]
fn of_a_deep_nest_of_choices_the_outer_ones_are_lifted() {
    let nest = |depth: usize| {
        let open = "(if (lt x 1) x (len [".repeat(depth);
        let close = "]))".repeat(depth);
        lifted(&format!(
            "(defn f[x y] [{open}y{close}]) (defn len[xs] (case xs [Nil 0] [_ 1])) (defn main[] f)"
        ))
        .len()
    };
    assert_eq!(nest(6), 6);
    for depth in [400, 800] {
        assert!((6..60).contains(&nest(depth)), "{} of {depth}", nest(depth));
    }
}
