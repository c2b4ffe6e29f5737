//! The compiler's work is linear in the program, whatever its shape: programs in which one form
//! is nested or repeated n times are compiled with n and 2n, and the accesses to arenas and
//! lists are counted.

use std::fmt::Write as _;

use crate::base::index::count;
use crate::driver::{Options, build};
use crate::embed::{Engine, MachineKind, Store};
use crate::gcode::program::Program;
use crate::load::{NoFiles, Source};
use crate::optimise::{self, Pass, Passes};
use gmachine_testing::dice::{Dice, number};
use gmachine_testing::growth::{self, Growth};

/// `n` pieces of text, one for each number.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut out, at| {
        let _ = write!(out, "{} ", piece(at));
        out
    })
}

/// `open` n times, the middle, `close` n times.
fn nest(n: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(n), close.repeat(n))
}

/// Opening pieces that differ, the middle, `close` n times.
fn chain(n: usize, open: impl Fn(usize) -> String, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", each(n, open), close.repeat(n))
}

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

/// Returns the accesses that compiling a program costs.
fn work(program: &str, passes: Passes) -> u64 {
    let (accesses, error) = work_of(program, passes);
    assert_eq!(error, None);
    accesses
}

/// Returns the accesses that compiling a text costs, and its first mistake.
fn work_of(text: &str, passes: Passes) -> (u64, Option<String>) {
    let options =
        Options { optimise: optimise::Options { passes, verbose: false }, ..Options::RUN };
    let before = count::accesses();
    let built = build(&Source::text("growth", text), &NoFiles, &options);
    let error = built.diagnostics.iter().find(|report| report.is_error());
    (count::accesses() - before, error.map(|error| error.message.clone()))
}

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

/// The accesses that compiling a program takes, and the instructions of its code.
fn cost(program: &str, passes: Passes) -> (u64, u64) {
    let options =
        Options { optimise: optimise::Options { passes, verbose: false }, ..Options::RUN };
    let before = count::accesses();
    let built = build(&Source::text("growth", program), &NoFiles, &options);
    let Some(code) = &built.gcode else { panic!("{:?}: {program}", built.diagnostics.first()) };
    let instructions = code.globals.iter().map(|global| global.code.len() as u64).sum();
    (count::accesses() - before, instructions)
}

/// Families that still cost more: nests and chains of recursive functions and of what is known, whose
/// work grows up to a limit faster than the source: what is short is evaluated to its end, what is longer
/// has only been tried. They may not grow faster than with its cube.
const STEEP: &[&str] = &[
    "chain summed",
    "classes",
    "constant functions",
    "constants",
    "difference lists",
    "environment",
    "foldr cons",
    "insertions through functions",
    "instructions with jumps",
    "interpreted blocks",
    "list of texts",
    "loops from known",
    // A twentieth of the code that they had at 8, a third at 16, half at 32.
    "peano sums",
    // It is evaluated to its end, which takes a step more for each insertion.
    "red black",
    "streams known",
    "streams merged",
    "symbolic derivative",
    "zipper moves",
];

/// How many of the families that are made by chance may cost more.
const STEEP_OF_MIXED: usize = 13;

/// How much more a program of 2 kB costs than one of 1 kB.
struct Step {
    level: u8,
    work: (u64, u64),
    code: (u64, u64),
}

impl Step {
    /// Measures a family; `empty` is what a program of nothing costs at each level.
    fn all(family: &Growth, empty: &[(u64, u64)]) -> [Step; 2] {
        let repetitions = family.repetitions(1024);
        [1, 2].map(|level| {
            let (work, code) = empty[usize::from(level)];
            let [small, large] = [1, 2].map(|times| {
                let program = family.program(times * repetitions);
                let (all, instructions) = cost(&program, Passes::level(level));
                (all.saturating_sub(work), instructions.saturating_sub(code))
            });
            Step { level, work: (small.0, large.0), code: (small.1, large.1) }
        })
    }

    /// Returns whether it costs more than twice as much and a tenth of that, and what a few
    /// instructions cost.
    fn is_steep(&self) -> bool {
        self.exceeds(22, 5_000, 50)
    }

    /// Returns whether it costs more than the cube allows, and what evaluating costs that comes to
    /// no end: what is known to its end may be evaluated up to a size, and no further.
    fn explodes(&self) -> bool {
        self.exceeds(80, 220_000, 600)
    }

    fn exceeds(&self, tenths: u64, work: u64, code: u64) -> bool {
        let is = |(small, large): (u64, u64), few| large.saturating_sub(few) * 10 > small * tenths;
        is(self.work, work) || is(self.code, code)
    }

    fn describe(&self, name: &str) -> String {
        format!(
            "{name} at -O{}: {:?} accesses, {:?} instructions",
            self.level, self.work, self.code
        )
    }
}

/// What an empty program costs at each level.
fn empty() -> Vec<(u64, u64)> {
    (0..3).map(|level| cost("(defn main[i] 1)", Passes::level(level))).collect()
}

#[test]
fn a_source_that_is_doubled_costs_twice_as_much_to_optimise() {
    let empty = empty();
    let mut families = 0;
    let mut wrong = Vec::new();
    for family in growth::all() {
        families += 1;
        let steps = Step::all(&family, &empty);
        let is_wrong = match STEEP.contains(&&*family.name) {
            true => Step::explodes,
            false => Step::is_steep,
        };
        if STEEP.contains(&&*family.name) && !steps.iter().any(Step::is_steep) {
            wrong.push(format!("{}: costs no more than others", family.name));
        }
        let steps = steps.iter().filter(|step| is_wrong(step));
        wrong.extend(steps.map(|step| step.describe(&family.name)));
    }
    assert!(families > 300, "{families}");
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

/// Families of which a program of so many kilobytes showed what a short one did not: that something was gone
/// through again and again.
const LONG: &[(&str, usize)] = &[
    ("case of case of integers", 16),
    ("case scrutinee", 16),
    ("corelib map", 64),
    ("dictionary of pair", 16),
    ("exceptions by hand", 16),
];

#[test]
fn a_long_source_that_is_doubled_costs_twice_as_much() {
    let mut wrong = Vec::new();
    for &(name, kilobytes) in LONG {
        let Some(family) = growth::all().find(|family| family.name == name) else {
            panic!("{name} is no family");
        };
        let repetitions = family.repetitions(kilobytes * 1024);
        let [small, large] =
            [1, 2].map(|times| cost(&family.program(times * repetitions), Passes::level(2)).0);
        if large * 10 > small * 22 {
            wrong.push(format!("{name}: {small} accesses, then {large}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_nobody_thought_of_costs_twice_as_much_too() {
    const FAMILIES: u64 = 250;
    let empty = empty();
    let (mut steep, mut wrong) = (Vec::new(), Vec::new());
    for seed in 0..FAMILIES {
        let family = growth::mixed(&mut Dice::new(seed));
        for step in Step::all(&family, &empty) {
            let name = format!("{seed}, {}", family.name);
            if step.explodes() {
                wrong.push(step.describe(&name));
            } else if step.is_steep() {
                steep.push(step.describe(&name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    assert!(steep.len() <= STEEP_OF_MIXED, "{} of them:\n{}", steep.len(), steep.join("\n"));
}

/// More accesses than programs made larger out of themselves have cost so far, but for one of 32,000, which costs 79
/// million: nests of `curry` and of the function itself. The next ones cost 41 million, a fifth of a second.
const MOST: u64 = 60_000_000;

/// `GMACHINE_CASES` is how many are tried, `GMACHINE_SEED` the first one's number.
#[test]
fn contexts_of_programs_nested_in_themselves_cost_no_more_than_a_source_may() {
    let (first, cases) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", 2_000));
    let mut tried = 0;
    let mut wrong = Vec::new();
    for seed in first..first + cases {
        let Some(program) = growth::nested(&mut Dice::new(seed), 4096) else { continue };
        let (costs, error) = work_of(&program, Passes::level(2));
        tried += u64::from(error.is_none());
        if costs > MOST {
            wrong.push(format!("{seed}: {costs} accesses: {program}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > cases / 3, "{tried}");
}

#[test]
fn what_calls_a_function_twice_again_and_again_is_not_written_out() {
    let programs = [
        // A local function is unfolded for what is known of each of its arguments.
        nest(
            36,
            "(case (let ([f (fn [x] (case ",
            "(i k)",
            " [(Pair a b) (add a x)]))]) (Pair (f 3) (f k))) [(Pair a b) (Pair (add a b) a)])",
        ),
        // Each function is mentioned once, and small, but for one that is mentioned twice.
        nest(
            16,
            "(S (K succ) (let ([f (fn [x] (case (let ([f ",
            "(add k)",
            "]) (Pair (f 3) (f k))) [(Pair a b) (add a x)]))]) (fn [x] (f (f x)))))",
        ),
        // Functions of functions, in each other.
        nest(16, "(twice (compose succ ", "(add k)", "))"),
        nest(23, "(fn [x] (add x ((twice ", "(add k)", ") 3)))"),
    ];
    let mut wrong = Vec::new();
    for nest in programs {
        let program = format!("(defn main[i] (go (length i) i))(defn go[k i] ({nest} k))");
        let [plain, first, second] = [0, 1, 2].map(|level| cost(&program, Passes::level(level)).1);
        if first > 3 * plain + 500 || second > first {
            wrong.push(format!("{plain} instructions, {first}, {second}: {program}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Wrappers of which each has what follows an element in both of its branches, used for more than one
/// element: definitions, a wrapper around a middle, the middle, what is done with the nest.
const WRAPPERS: &[(&str, &str, &str, &str)] = &[
    (
        "(defn w[n c x r] (if (gt x n) (c x r) r))",
        "(w # ",
        "add",
        "(let ([c !]) (c k (c (mul k k) 1)))",
    ),
    ("(defn w[n c r x] (if (gt x n) (c r x) r))", "(w # ", "add", "(let ([t !]) (t (t 0 1) k))"),
    (
        "(defn w[n g s] (g (fn [x st] (if (gt x n) (s x st) st))))
         (defn run[xs s st] (foldr s st xs))",
        "(w # ",
        "(run [1 k 3])",
        "(! add 0)",
    ),
    // Lists as their folds.
    (
        "(defn nl[c n] n)(defn cs[x l c n] (c x (l c n)))
         (defn fl[m l c n] (l (fn [x r] (if (neq m x) (c x r) r)) n))
         (defn w[m l] (cs m (fl m l)))",
        "(w # ",
        "nl",
        "(! add 0)",
    ),
    (
        "(defn w[m l c n] (l (fn [x r] (if (gt x m) (c (add x 1) r) r)) n))
         (defn cs[x l c n] (c x (l c n)))(defn nl[c n] n)",
        "(w # ",
        "(cs k (cs 2 (cs 3 nl)))",
        "(! Cons Nil)",
    ),
];

#[test]
fn nobody_goes_along_a_list_without_an_end() {
    let sift = "(defn sift[xs] (case xs [(Cons p rest) (filter (fn [x] (neq (rem x p) 0)) rest)]))";
    let pairs =
        "(defn these[n] (Cons n (those (add n 2)))) (defn those[n] (Cons 0 (these (mul n 3))))";
    let lists = [
        ("made by one function", "", "LIST", "(from 2)"),
        ("made by two functions", pairs, "(tail LIST)", "(these 2)"),
        (
            "gone along",
            "",
            "(scanl add 0 (map (mul 3) (filter (lt 5) LIST)))",
            "(iterate (mul 2) 1)",
        ),
        (
            "gone along in a loop",
            "(defn go[k xs]
               (case xs [(Cons p rest) (if (eq (rem p k) 1) p (go (add k 1) rest))]))",
            "[(go n (map (mul 3) (map (add 1) (map (mul 7) LIST))))]",
            "(from 2)",
        ),
        ("of lists", sift, "(map head (iterate sift LIST))", "(from 2)"),
    ];
    let passes = Passes::level(2);
    let mut wrong = Vec::new();
    for (name, definitions, list, source) in lists {
        let work = |source| {
            let list = list.replace("LIST", source);
            work(&format!("{definitions} (defn main[n] (nth n {list}))"), passes)
        };
        let (endless, ending) = (work(source), work("(range 2 n)"));
        if endless * 2 > ending * 3 {
            wrong.push(format!("{name}: {endless} accesses, {ending} for one that ends"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_loop_that_counts_far_takes_few_more_steps_than_one_to_an_unknown_end() {
    let loops = [
        (
            "up",
            "(defn go[i n acc] (if (gt i n) acc (go (add i 1) n (add acc (mul i i)))))",
            "(go 1 N 0)",
        ),
        ("down", "(defn go[n] (if (eq n 0) 0 (add n (go (sub n 1)))))", "(go N)"),
        (
            "by thousands",
            "(defn go[i n] (if (ge i n) i (go (add i 1000) n)))",
            "(go 0 (mul 1000 N))",
        ),
        ("of a range", "", "(sum (map (fn [x] (mul x x)) (range 1 N)))"),
        ("to an element", "", "(nth N (iterate (fn [x] (rem (mul x 7) 11)) 3))"),
        (
            "of pairs",
            "(defn go[p n] (case p [(Pair a b) (if (eq n 0) a (go (Pair b (rem (add a b) 97)) (sub n 1)))]))",
            "(go (Pair 0 1) N)",
        ),
    ];
    let passes = Passes::level(2);
    let mut wrong = Vec::new();
    for (name, definitions, call) in loops {
        let known =
            work(&format!("{definitions} (defn main[] {})", call.replace('N', "1000000")), passes);
        let unknown =
            work(&format!("{definitions} (defn main[n] {})", call.replace('N', "n")), passes);
        if known > 3 * unknown {
            wrong.push(format!("{name}: {unknown} accesses, {known} with a number"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_of_a_nest_are_not_looked_for_again_in_each_turn() {
    let nest = nest(60, "(go ", "(add i 1)", " n)");
    let program = |end| {
        format!("(defn go[i n] (if (gt i n) Nil (Cons i {nest}))) (defn main[n] (go 1 {end}))")
    };
    let [unknown, known] = ["n", "1000000"].map(|end| work(&program(end), Passes::level(2)));
    assert!(known <= 12 * unknown, "{unknown} accesses, {known} with a number");
}

/// A loop that hands on what it does next, with `n` calls of itself in each other for one argument, called with one
/// argument more than it has parameters.
fn loop_of_calls_in_each_other(n: usize) -> String {
    let open = "(let ([m (div (add a b) 2)]) (walk a (sub ";
    let close = " 1) acc (fn [x] (walk (add m 1) b (rem (add (mul x 3) m) 10007) k))))";
    format!(
        "(defn walk[a b acc k] (if (gt a b) (k acc) {}))
        (defn main[i] (walk 1 1 (add 2500 (length i)) 0 id))",
        nest(n, open, "m", close),
    )
}

#[test]
fn what_is_written_in_the_place_that_uses_it_is_not_bound_as_well() {
    let [few, many] = [18, 36].map(|n| work(&loop_of_calls_in_each_other(n), Passes::level(2)));
    assert!(many <= 3 * few, "{few} accesses, {many} for twice as much");
}

#[test]
fn variants_are_calls_of_the_function_where_too_much_is_written_already() {
    let program = loop_of_calls_in_each_other(35);
    let [plain, both] = [0, 2].map(|level| cost(&program, Passes::level(level)).1);
    assert!(both <= 16 * plain, "{plain} instructions, then {both}");
}

#[test]
fn patterns_are_small_where_no_variant_is_made_any_more() {
    let nest = nest(220, "(binary ", "(binary '*')", ")");
    let program = format!(
        "(defn bind[p f s] (case (p s) [(Nothing) Nothing] [(Just (Pair x t)) (f x t)]))
        (defn pure[x s] (Just (Pair x s)))
        (defn satisfy[f s] (case s
          [(Nil) Nothing]
          [(Cons c t) (if (f c) (Just (Pair c t)) Nothing)]))
        (defn skip[p q] (bind p (fn [x] (bind q (fn [_] (pure x))))))
        (defn alt[p q s] (case (p s) [(Nothing) (q s)] [r r]))
        (defn some[p] (bind p (fn [x] (bind (many p) (fn [xs] (pure (Cons x xs)))))))
        (defn many[p] (alt (some p) (pure Nil)))
        (defn symbol[c] (skip (satisfy (eq c)) (many (satisfy isSpace))))
        (defn binary[c] (bind (symbol c) (fn [_] (pure (Pair c)))))
        (defn main[i] (alt {nest} (binary '/') i))"
    );
    let accesses = work(&program, Passes::level(2));
    assert!(accesses <= 45_000_000, "{accesses} accesses");
}

#[test]
fn what_has_grown_once_does_not_grow_as_much_again() {
    let Some(family) = growth::all().find(|family| family.name == "scanners") else {
        panic!("there is no such family");
    };
    let program = family.program(family.repetitions(8_192));
    let [plain, both] = [0, 2].map(|level| cost(&program, Passes::level(level)).1);
    assert!(both <= 15 * plain, "{plain} instructions, then {both}");
}

#[test]
fn what_each_exit_needs_is_not_written_at_each_exit() {
    let mut wrong = Vec::new();
    for (definitions, open, middle, used) in WRAPPERS {
        for n in [25, 50, 100, 200] {
            let nest = chain(n, |at| open.replace('#', &at.to_string()), middle, ")");
            let used = used.replace('!', &nest);
            let program = format!("{definitions}(defn main[i] (go (length i)))(defn go[k] {used})");
            let [plain, first, second] =
                [0, 1, 2].map(|level| cost(&program, Passes::level(level)).1);
            if first.max(second) > 6 * plain + 2_000 {
                wrong.push(format!("{open} {n}: {plain} instructions, {first}, {second}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_chain_of_continuations_is_written_once_for_all_exits() {
    let is_one =
        |family: &Growth| ["continuations", "functions of what follows"].contains(&&*family.name);
    let families: Vec<Growth> = growth::all().filter(is_one).collect();
    assert_eq!(families.len(), 2);
    let mut wrong = Vec::new();
    for family in families {
        let program = family.program(family.repetitions(8192));
        let [plain, first, second] = [0, 1, 2].map(|level| cost(&program, Passes::level(level)).1);
        if first.max(second) > plain + plain / 4 {
            wrong.push(format!("{}: {plain} instructions, {first}, {second}", family.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The accesses to tables that adding `definitions` costs, one by one, in quarters.
fn quarters(store: &mut Store, definitions: &[String]) -> Vec<u64> {
    let quarter = |texts: &[String]| {
        let before = count::accesses();
        for text in texts {
            store.define("more", text).expect("it compiles");
        }
        count::accesses() - before
    };
    definitions.chunks(definitions.len() / 4).map(quarter).collect()
}

#[test]
fn adding_a_definition_costs_the_same_however_many_were_added() {
    const NUMBER: usize = 400;
    let shapes: [fn(usize) -> String; 4] = [
        |n| format!("(defn f{n}[x] (add x {n}))"),
        // One that names the one before, and takes a list apart with the prelude.
        |n| match n {
            0 => "(defn f0[x] x)".into(),
            _ => format!("(defn f{n}[x] (sum (map f{} [x 1 2])))", n - 1),
        },
        |n| format!("(data T{n} (A{n} x) (B{n})) (defn f{n}[x] (case x [(A{n} y) y] [B{n} 0]))"),
        // The same names, again and again.
        |n| format!("(data T (A x) (B)) (defn f[x] (case x [(A y) (add {n} y)] [B \"text\"]))"),
    ];
    for &machine in MachineKind::ALL {
        for (at, shape) in shapes.iter().enumerate() {
            let mut engine = Engine::new();
            engine.set_machine(machine);
            let mut store = engine.compile("empty", "").expect("compiles").store();
            let definitions: Vec<String> = (0..NUMBER).map(shape).collect();
            // The first one copies the module's program.
            store.define("first", "(defn first[] 1)").expect("it compiles");
            let program: *const Program = &**store.machine.program();
            let costs = quarters(&mut store, &definitions);
            assert_eq!(program, &raw const **store.machine.program(), "no other one copies it");
            let (first, last) = (costs[1], costs[3]);
            assert!(last <= first + first / 20, "{machine}, shape {at}: {costs:?}");
        }
    }
}
