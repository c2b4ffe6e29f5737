//! A failure in the corelib is told at the innermost expression outside of it, by each machine, at each
//! level, wherever that expression stands.

use gmachine::machine::MachineKind;
use gmachine::optimise::Passes;
use gmachine::render::Renderer;
use gmachine::{Engine, Eval, Store};

/// Expressions that fail in the corelib if `i` is the empty list: at once, after some last calls, or
/// because an argument is no list.
const FAILING: &[&str] = &[
    "(head i)",
    "(last i)",
    "(maximum i)",
    "(foldl1' add i)",
    "(nth 3 i)",
    "(fromJust (listToMaybe i))",
    "(cycle i)",
    "(sum (length i))",
    "(map id (length i))",
    "(append (length i) i)",
    "(reverse (length i))",
    "(and (length i))",
    "(last (Cons 1 (length i)))",
    "(even i)",
    "(isqrt (sub (length i) 1))",
    "(ilog 2 (length i))",
    "(even (head i))",
];

/// A constant that fails, which is no call.
const CONSTANT: &str = "undefined";

/// Where they stand: `E` is the expression.
const AROUND: &[&str] = &[
    "E",
    "(add 1 E)",
    "(if E 1 2)",
    "(if (isNil i) E 0)",
    "(case E [(Cons _ _) 1] [_ 2])",
    "(case i [Nil E] [(Cons _ _) 3])",
    "(case i [(Cons 1 (Cons _ _)) 1] [(Cons 2 Nil) 2] [_ E])",
    "(seq E 1)",
    "(seq i E)",
    "((fn [y] E) 1)",
    "(letrec ([go (fn [k] (if (eq k 0) E (go (sub k 1))))]) (go 5))",
    "(sum (map (fn [q] E) [1 2]))",
    "(apply (fn [q] E) 1)",
];

/// The same for what has a place of its own while it waits to be evaluated.
const LAZY: &[&str] = &[
    "(let ([x E]) (add x 1))",
    "(let ([x E]) x)",
    "(letrec ([y E]) (seq y y))",
    "(snd (Pair 1 E))",
    "(id E)",
    "(not E)",
    "(fromMaybe E Nothing)",
    "(foldr add 0 [E])",
];

/// Who calls `f`, which `start` is called by.
const CALLERS: &[&str] = &[
    "(defn start[i] (f i))",
    "(defn start[i] (add 1 (h i 3)))
     (defn g[i] (f i))
     (defn h[i n] (if (eq n 0) (g i) (h i (sub n 1))))",
    "(defn start[i] (g i 3))
     (defn g[i n] (if (eq n 0) (f i) (add 1 (g i (sub n 1)))))",
];

/// Where the failure of a program that is given an empty list is told: the first place of its report.
fn place(kind: MachineKind, level: u8, text: &str) -> String {
    let mut engine = Engine::new();
    engine.set_machine(kind);
    engine.set_passes(Passes::level(level));
    let module = engine.compile("main", text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut store = Store::new(&module);
    let start = store.global("start").expect("a function");
    let nil = store.list(&[]).expect("a list");
    let called = store.call(&start, &[nil]).and_then(|value| store.force(&value));
    let stop = match called {
        Err(gmachine::Error::Stop(stop)) => stop,
        other => panic!("{text}: {other:?}"),
    };
    let report = Renderer::plain().stop(&stop, module.sources());
    let place = report.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
    place.unwrap_or_else(|| panic!("no place: {report}")).to_owned()
}

#[track_caller]
fn is_told_at(failing: &str, around: &str, callers: &str) {
    // The expression has a line of its own.
    let function = format!("(defn f[i] {})", around.replace('E', &format!("\n{failing}\n")));
    let line = 1 + function.lines().position(|line| line == failing).expect("the expression");
    let text = format!("{function}\n{callers}");
    for level in 0..3 {
        for &kind in MachineKind::ALL {
            let place = place(kind, level, &text);
            let is_there = place.contains(&format!("main:{line}:"));
            assert!(is_there, "{kind:?} at -O{level} tells it at {place}:\n{text}");
        }
    }
}

#[test]
fn a_failure_in_the_corelib_is_told_at_the_call_outside_of_it() {
    let mut turn = 0;
    for failing in FAILING {
        for around in AROUND.iter().chain(LAZY) {
            is_told_at(failing, around, CALLERS[turn % CALLERS.len()]);
            turn += 1;
        }
    }
}

#[test]
fn a_constant_of_the_corelib_that_fails_is_told_where_it_is_demanded() {
    for (turn, around) in AROUND.iter().enumerate() {
        is_told_at(CONSTANT, around, CALLERS[turn % CALLERS.len()]);
    }
}

/// Monads in constructors, and what is wrong with one: what takes the function out and what applies it have a
/// line of their own.
const HELD: &str = "(data State (State f))
(defn run[m s]
  (case m [(State f)
    (f s)]))
(defn also[m s]
  (case m [(State g) (g s)]))
(defn go[n] (if (eq n 0) 7 (if (eq n 3) (State (add 1)) (if (eq n 9) (State 5) (go (sub n 1))))))
";

#[test]
fn what_is_held_by_no_constructor_is_told_where_it_is_taken_out() {
    let rows = [
        ("(add (run (go (add 5 (length i))) 1) (also (go (add 2 (length i))) 1))", 6),
        ("(add (also (go (add 5 (length i))) 1) (run (go (add 2 (length i))) 1))", 3),
        ("(run (go (add 12 (length i))) 1)", 4),
    ];
    for (body, line) in rows {
        let text = format!("{HELD}(defn start[i] {body})");
        for level in 0..3 {
            for &kind in MachineKind::ALL {
                let place = place(kind, level, &text);
                let is_there = place.contains(&format!("main:{line}:"));
                assert!(is_there, "{kind:?} at -O{level} tells it at {place}:\n{text}");
            }
        }
    }
}
