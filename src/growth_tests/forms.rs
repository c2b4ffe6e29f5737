//! Programs in which one form is nested or repeated n times are compiled with n and 2n.

use super::{chain, each, nest, work};
use crate::optimise::{Pass, Passes};

fn main_of(body: &str) -> String {
    format!("(defn main[] {body})")
}

fn function_of(body: &str) -> String {
    format!("(defn f[x y] {body}) (defn main[x] (f x x))")
}

/// The name and the program of n of each shape.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("argument", |n| main_of(&nest(n, "(negate ", "1", ")"))),
    ("argument of an unknown", |n| function_of(&nest(n, "(x ", "y", ")"))),
    ("callee", |n| function_of(&nest(n, "(", "x", " y)"))),
    ("arguments", |n| function_of(&format!("(x {})", each(n, |_| "y".into())))),
    ("left operand", |n| function_of(&nest(n, "(add ", "x", " y)"))),
    ("right operand", |n| function_of(&nest(n, "(add y ", "x", ")"))),
    ("let in a body", |n| {
        let open = |at| match at {
            0 => "(let ([x0 (add x 1)])".to_owned(),
            _ => format!("(let ([x{at} (add x{} x)])", at - 1),
        };
        function_of(&chain(n, open, &format!("x{}", n - 1), ")"))
    }),
    ("lets all used at the end", |n| {
        let all = each(n, |at| format!("x{at}"));
        function_of(&chain(
            n,
            |at| format!("(let ([x{at} (add x {at})])"),
            &format!("[{all}]"),
            ")",
        ))
    }),
    ("lets used in branches", |n| {
        let branches = chain(n, |at| format!("(if (eq x {at}) x{at}"), "0", ")");
        function_of(&chain(n, |at| format!("(let ([x{at} (add y {at})])"), &branches, ")"))
    }),
    ("let and branch", |n| {
        let open = |at| format!("(let ([x{at} (add y {at})]) (if (eq x {at}) x{at}");
        function_of(&chain(n, open, "y", "))"))
    }),
    ("let in a value", |n| function_of(&nest(n, "(let ([z ", "x", "]) (add z z))"))),
    ("bindings of a let", |n| {
        let all = each(n, |at| match at {
            0 => "[x0 x]".to_owned(),
            _ => format!("[x{at} (add x{0} x{0})]", at - 1),
        });
        function_of(&format!("(let ({all}) x{})", n - 1))
    }),
    ("lazy case bound by a let", |n| {
        let open = |at: usize| match at {
            0 => "(let ([x0 (case y [1 2] [z z])])".to_owned(),
            _ => format!("(let ([x{at} (case x{} [1 2] [z z])])", at - 1),
        };
        let all = each(n, |at| format!("x{at}"));
        function_of(&chain(n, open, &format!("[{all}]"), ")"))
    }),
    ("selections", |n| {
        let open = |at: usize| match at {
            0 => "(let ([x0 (fst x)])".to_owned(),
            _ => format!("(let ([x{at} (snd x{})])", at - 1),
        };
        let all = each(n, |at| format!("x{at}"));
        function_of(&chain(n, open, &format!("[{all}]"), ")"))
    }),
    ("letrec cycle", |n| {
        let all = each(n, |at| format!("[x{at} (Cons {at} x{})]", (at + 1) % n));
        main_of(&format!("(letrec ({all}) x0)"))
    }),
    ("letrec chain", |n| {
        let all = each(n, |at| format!("[x{at} (Cons {at} x{})]", (at + 1).min(n - 1)));
        main_of(&format!("(letrec ({all}) x0)"))
    }),
    ("letrec in a body", |n| {
        let open = |at| format!("(letrec ([x{at} (Cons {at} x{at})])");
        main_of(&chain(n, open, &format!("x{}", n - 1), ")"))
    }),
    ("local functions that call each other", |n| {
        let all = each(n, |at| format!("[f{at} (fn [z] (f{} (add z x)))]", (at + 1) % n));
        function_of(&format!("(letrec ({all}) (f0 y))"))
    }),
    ("local functions in a chain", |n| {
        let open = |at: usize| match at {
            0 => "(let ([f0 (fn [z] (add z x))])".to_owned(),
            _ => format!("(let ([f{at} (fn [z] (f{} (add z y)))])", at - 1),
        };
        function_of(&chain(n, open, &format!("(f{} 1)", n - 1), ")"))
    }),
    ("function in a function", |n| {
        let open = |at: usize| format!("(fn [x{at}] (x x{}", at.saturating_sub(1));
        function_of(&chain(n, open, "y", "))"))
    }),
    ("parameters", |n| {
        let params = each(n, |at| format!("x{at}"));
        let args = each(n, |_| "1".to_owned());
        format!("(defn g[{params}] x{}) (defn main[] (g {args}))", n - 1)
    }),
    ("captured variables", |n| {
        let params = each(n, |at| format!("x{at}"));
        format!("(defn g[{params}] (fn [z] (z [{params}]))) (defn main[] g)")
    }),
    ("case in a branch", |n| function_of(&nest(n, "(case x [1 ", "2", "] [_ 3])"))),
    ("case in a default", |n| {
        function_of(&chain(n, |at| format!("(case x [{at} 2] [_"), "1", "])"))
    }),
    ("case in a scrutinee", |n| function_of(&nest(n, "(case ", "x", " [Nil Nil] [(Cons a b) b])"))),
    ("case of a field", |n| {
        let open = |at: usize| match at {
            0 => "(case x [(Cons a0 b0)".to_owned(),
            _ => format!("(case b{} [(Cons a{at} b{at})", at - 1),
        };
        function_of(&chain(n, open, "1", "] [Nil 0])"))
    }),
    ("shared default", |n| {
        let open = "(case y [(Cons 1 (Cons 2 _)) 1] [(Cons 3 (Cons 4 _)) ";
        function_of(&nest(n, open, "7", "] [_ 9])"))
    }),
    ("literals", |n| {
        function_of(&format!("(case x {} [_ 0])", each(n, |at| format!("[{at} {at}]"))))
    }),
    ("big literals", |n| {
        function_of(&format!("(case x {} [_ 0])", each(n, |at| format!("[1{at:030} {at}]"))))
    }),
    ("texts", |n| {
        function_of(&format!("(case x {} [_ 0])", each(n, |at| format!("[\"k{at}\" {at}]"))))
    }),
    ("long text", |n| {
        function_of(&format!("(case x [\"{}\" \"{}\"] [_ 0])", "a".repeat(n), "b".repeat(n)))
    }),
    ("constructors", |n| {
        let data = each(n, |at| format!("(C{at} z)"));
        let alts = each(n, |at| format!("[(C{at} z) z]"));
        format!("(data T {data}) {}", function_of(&format!("(case x {alts})")))
    }),
    ("fields", |n| {
        let names = each(n, |at| format!("x{at}"));
        let alt = format!("(case x [(R {names}) x{}])", n - 1);
        format!("(data T (R {names})) {}", function_of(&alt))
    }),
    ("rows of lists", |n| {
        let item = |at: usize, bit: usize| match at >> bit & 1 {
            0 => at.to_string(),
            _ => "_".to_owned(),
        };
        let row = |at| {
            let [a, b, c] = [0, 1, 2].map(|bit| item(at, bit));
            format!("[(Cons {a} (Cons {b} (Cons {c} Nil))) {at}]")
        };
        function_of(&format!("(case x {})", each(n, row)))
    }),
    ("rows whose columns alternate", |n| {
        let row = |at: usize| match at % 2 {
            0 => format!("[(Pair {at} _) {at}]"),
            _ => format!("[(Pair _ {at}) {at}]"),
        };
        function_of(&format!("(case x {})", each(n, row)))
    }),
    ("deep pattern", |n| {
        function_of(&format!("(case x [{} 1] [_ 2])", nest(n, "(Cons _ ", "Nil", ")")))
    }),
    ("list", |n| main_of(&format!("[{}]", each(n, |at| at.to_string())))),
    ("list in a list", |n| main_of(&nest(n, "[", "1", "]"))),
    ("if in the first branch", |n| function_of(&nest(n, "(if x ", "2", " 3)"))),
    ("if in the second branch", |n| function_of(&nest(n, "(if (eq x y) 5 ", "2", ")"))),
    ("if in a condition", |n| function_of(&nest(n, "(if ", "x", " 2 3)"))),
    ("seq in a body", |n| function_of(&nest(n, "(seq x ", "2", ")"))),
    ("seq in the first operand", |n| function_of(&nest(n, "(seq ", "x", " y)"))),
    ("definitions in a chain", |n| {
        let defn = |at: usize| match at {
            0 => "(defn f0[x] x)".to_owned(),
            _ => format!("(defn f{at}[x] (f{} (add x 1)))", at - 1),
        };
        format!("{} {}", each(n, defn), main_of(&format!("(f{} 1)", n - 1)))
    }),
    ("definitions in a cycle", |n| {
        let defn = |at| format!("(defn f{at}[x] (if (eq x 0) 1 (f{} (sub x 1))))", (at + 1) % n);
        format!("{} {}", each(n, defn), main_of("(f0 9)"))
    }),
    ("definitions used once", |n| {
        let defn = |at| format!("(defn f{at}[x] (negate (add x {at})))");
        format!(
            "{} {}",
            each(n, defn),
            main_of(&format!("[{}]", each(n, |at| format!("(f{at} 1)"))))
        )
    }),
    ("constants in a cycle", |n| {
        let defn = |at| format!("(defn c{at}[] (Cons {at} c{}))", (at + 1) % n);
        format!("{} {}", each(n, defn), main_of("c0"))
    }),
    ("unused parameters", |n| {
        let defn = |at| format!("(defn f{at}[x y z] (f{} x z y))", (at + 1) % n);
        format!("{} {}", each(n, defn), main_of("(f0 1 2 3)"))
    }),
];

#[test]
fn compiling_twice_as_much_of_any_form_takes_twice_the_work() {
    let empty = |passes| work("(defn main[] 1)", passes);
    // The driver has budgets of its own, and is not linear in every shape.
    let without_driver =
        Passes::NONE.with(Pass::DeadArguments).with(Pass::FloatIn).with(Pass::Strictness);
    let levels = [("-O0", Passes::level(0)), ("without the driver", without_driver)];
    let mut wrong = Vec::new();
    for (level, passes) in levels {
        let base = empty(passes);
        for &(name, program) in SHAPES {
            let [small, large] = [150, 300].map(|n| work(&program(n), passes).saturating_sub(base));
            // A third more for what is logarithmic and for tables that double.
            if large > small * 8 / 3 {
                wrong.push(format!("{level} {name}: {small} accesses, then {large}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
