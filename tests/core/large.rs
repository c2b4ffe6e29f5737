//! Depth and size: nothing overflows, and the work stays near linear.

use gmachine::base::code::Code;
use gmachine::base::limits::MAX_ARITY;
use gmachine::optimise::Passes;
use gmachine_testing::common::{compile_after, run_after};

use super::{check_options, load_text, run_options};
use crate::work::{allocated, is_linear};

/// Levels of which none could have a frame on the stack of a test.
const DEEP: usize = 25_000;

/// Lowers and lifts, prints, and checks both forms.
fn survives(text: &str) -> gmachine::core::expr::Program {
    let loaded = load_text(text);
    assert_eq!(loaded.diagnostics, []);
    let (core, reports) = gmachine::core::lower::lower(&loaded, &[], &run_options());
    assert!(reports.iter().all(|report| !report.is_error()), "{:?}", reports[0]);
    assert_eq!(gmachine::core::lint::lint(&core), Vec::<String>::new());
    let lifted = gmachine::lift::lift(core).expect("few captures");
    assert_eq!(gmachine::lift::lint::lint(&lifted), Vec::<String>::new());
    assert!(!gmachine::core::print::program(&lifted, &loaded.names).is_empty());
    lifted
}

fn nested(open: &str, middle: &str, close: &str) -> String {
    format!("(defn main[] {}{middle}{})", open.repeat(DEEP), close.repeat(DEEP))
}

#[test]
fn deep_applications() {
    survives(&nested("(negate ", "1", ")"));
    survives(&nested("(I ", "1", ")"));
    survives(&nested("(", "I", " 1)"));
}

#[test]
fn deep_lists_and_strings() {
    survives(&nested("[", "1", "]"));
    survives(&format!("(defn main[] [{}])", "1 ".repeat(DEEP)));
    survives(&format!("(defn main[] (case \"x\" [\"{}\" 1] [_ 2]))", "x".repeat(DEEP)));
}

#[test]
fn deep_bindings() {
    survives(&nested("(let ([x 1]) ", "x", ")"));
    survives(&nested("(let ([x ", "1", "]) x)"));
    survives(&nested("(letrec ([x (Cons 1 x)]) ", "x", ")"));
    survives(&nested("(letrec ([x ", "1", "]) x)"));
    survives(&nested("(let ([f (fn [x] x)]) ", "(f 1)", ")"));
    survives(&nested("(letrec ([f (fn [x] ", "1", ")]) f)"));
}

#[test]
fn deep_functions_and_cases() {
    survives(&nested("(fn [x] ", "x", ")"));
    survives(&nested("(I (fn [x] ", "1", "))"));
    survives(&nested("(case 1 [0 1] [x ", "1", "])"));
    survives(&nested("(case ", "1", " [0 1] [x x])"));
    survives(&nested("(I (case 1 [0 1] [x ", "1", "]))"));
    survives(&nested("(if 1 ", "1", " 2)"));
}

#[test]
fn deep_patterns() {
    let deep = DEEP / 3;
    let pattern = format!("{}_{}", "(Cons _ ".repeat(deep), ")".repeat(deep));
    survives(&format!("(defn f[x] (case x [{pattern} 1] [_ 2])) (defn main[] (f Nil))"));
    let one = format!("{}1{}", "(Cons ".repeat(deep), " _)".repeat(deep));
    let two = format!("{}2{}", "(Cons ".repeat(deep), " _)".repeat(deep));
    survives(&format!("(defn f[x] (case x [{one} 1] [{two} 2] [_ 2])) (defn main[] (f Nil))"));
}

#[test]
fn many_alternatives() {
    let rows: String = (0..40_000).map(|row| format!("[{row} {row}]")).collect();
    let lifted = survives(&format!("(defn f[x] (case x {rows} [_ 0])) (defn main[] (f 1))"));
    assert_eq!(lifted.switches.len(), 1);
    let cons: String = (0..10_000).map(|con| format!("(A{con})")).collect();
    let rows: String = (0..10_000).map(|con| format!("[(A{con}) {con}]")).collect();
    survives(&format!("(data T {cons}) (defn f[x] (case x {rows})) (defn main[] (f A1))"));
    let rows: String = (0..10_000).map(|row| format!("[\"key{row}\" {row}]")).collect();
    survives(&format!("(defn f[x] (case x {rows} [_ 0])) (defn main[] (f \"key7\"))"));
}

#[test]
fn many_definitions_and_bindings() {
    let calls: String = (0..20_000).map(|at| format!("(defn f{at}[x] (f{} x))", at + 1)).collect();
    let lifted = survives(&format!("{calls} (defn f20000[x] x) (defn main[] (f0 1))"));
    assert_eq!(lifted.globals.len(), 20_002);
    let binds: String =
        (0..20_000).map(|at| format!("[f{at} (fn [x] (f{} x))]", (at + 1) % 20_000)).collect();
    survives(&format!("(defn main[] (letrec ({binds}) (f0 1)))"));
    let binds: String = (0..20_000).map(|at| format!("[x{} (add x{at} 1)]", at + 1)).collect();
    survives(&format!("(defn main[] (let ([x0 1] {binds}) x20000))"));
}

/// A captured variable costs one step for each function that captures it.
#[test]
fn captures_cost_no_more_than_the_result() {
    is_linear(15_000, |count| {
        let chain: String =
            (0..count).map(|at| format!("[f{} (fn [x] (f{at} (add x y)))]", at + 1)).collect();
        let lifted = survives(&format!(
            "(defn f0[x] x) (defn g[y] (let ({chain}) f{count})) (defn main[] (g 1 2))"
        ));
        let made = lifted.globals.iter().filter(|global| global.symbol.contains('$'));
        assert_eq!(made.count(), count);
    });
}

/// Functions in each other that all use the variables of all the others.
fn nest_that_captures_all(depth: usize) -> String {
    let open: String = (0..depth).map(|at| format!("(I (fn [x{at}] ")).collect();
    let all: String = (0..depth).map(|at| format!("x{at} ")).collect();
    format!("(defn main[] {open}[{all}]{})", "))".repeat(depth))
}

#[test]
fn captures_of_quadratic_size_are_refused_before_they_are_made() {
    survives(&nest_that_captures_all(1_000));
    let loaded = load_text(&nest_that_captures_all(14_000));
    let (core, _) = gmachine::core::lower::lower(&loaded, &[], &run_options());
    let (lifted, bytes) = allocated(|| gmachine::lift::lift(core));
    let report = lifted.expect_err("too many").diagnostic();
    assert_eq!(report.code, Code::TooManyCaptures);
    assert!(loaded.sources.text(report.primary.span).starts_with("(fn"), "{report:?}");
    // All would be 98 million.
    assert!(bytes < 350 << 20, "{bytes}");
}

/// Else each call would have all variables as arguments.
#[test]
fn what_captures_all_and_is_called_everywhere_is_a_value() {
    is_linear(5_000, |count| {
        let names: String = (0..count).map(|at| format!("x{at} ")).collect();
        let calls = "(f 1) ".repeat(count);
        let lifted = survives(&format!(
            "(defn g[{names}] (let ([f (fn [x] [{names}])]) [{calls}])) (defn main[] (g 1))"
        ));
        let size = lifted.exprs.len();
        assert!(size < 20 * count, "{count}: {size} expressions");
    });
}

/// Functions that each call the one before and have a variable of their own: the last would
/// take the variables of all of them. Beside them, functions that call each other.
fn chain_of_functions(length: usize) -> String {
    let links: String = (1..length)
        .map(|at| {
            let before = at - 1;
            format!("[y{at} (add y{before} 1)] [f{at} (fn [x] (f{before} (add x y{at})))]")
        })
        .collect();
    let last = length - 1;
    format!(
        "(defn main[] (g 1 2))
         (defn g[y0 z]
           (let ([f0 (fn [x] (add x y0))] {links})
             (letrec ([even (fn [n] (if (eq n 0) (f{last} z) (odd (sub n 1))))]
                      [odd (fn [n] (if (eq n 0) 0 (even (sub n 1))))]
                      [twice (Cons even twice)])
               (add (f{last} 1) (head twice 10)))))"
    )
}

#[test]
fn a_chain_of_functions_has_them_as_values() {
    let small = survives(&chain_of_functions(10));
    let large = survives(&chain_of_functions(2_000));
    // The small one passes on what it captures, and all calls are known.
    let most = |program: &gmachine::core::expr::Program| {
        let params = program.globals.iter().map(|global| match global.kind {
            gmachine::core::expr::GlobalKind::Defn { params, .. } => params.len(),
            _ => 0,
        });
        params.max()
    };
    assert_eq!(most(&small), Some(12));
    assert_eq!(most(&large), Some(4));
    let sum = |last: u64| last * (last + 1) / 2;
    for (length, passes) in [(10, Passes::NONE), (2_000, Passes::NONE), (2_000, Passes::ALL)] {
        let chain = sum(length);
        let found = run_after(&chain_of_functions(length as usize), "", passes);
        assert_eq!(found.failure, None);
        assert_eq!(found.output.trim_end(), (chain + 1 + chain + 2).to_string());
    }
}

/// Every row overlaps every other: the usefulness check gives up, and nothing hangs.
#[test]
fn patterns_that_overlap_badly_are_checked_within_a_budget() {
    let width = 40;
    let rows: String = (0..width)
        .map(|row| {
            let columns: String = (0..width).rev().fold("_".to_owned(), |rest, column| {
                let head = if column == row {
                    "(A)"
                } else if column == (row + 1) % width {
                    "(B)"
                } else {
                    "_"
                };
                format!("(Cons {head} {rest})")
            });
            format!("[{columns} {row}]")
        })
        .collect();
    let text = format!("(data T (A) (B)) (defn f[x] (case x {rows} [_ 0])) (defn main[] (f Nil))");
    let (_, bytes) = allocated(|| survives(&text));
    assert!(bytes < 1 << 30, "{bytes}");
}

#[test]
fn many_unbound_names_are_reported_in_linear_time() {
    is_linear(100_000, |count| {
        let names: String = (0..count).map(|at| format!("unknown-{at} ")).collect();
        let loaded = load_text(&format!("(defn f[] [{names}])"));
        let (_, found) = gmachine::core::lower::lower(&loaded, &[], &check_options());
        assert_eq!(found.len(), count);
    });
}

/// At the limit a program is compiled, beyond it refused: before the optimiser, which may remove what is
/// too much.
#[test]
fn parameters_and_fields_have_the_same_limit_at_each_level() {
    let most = MAX_ARITY as usize;
    let defn = |of: usize| format!("(defn f[{}x] x) (defn main[] f)", "_ ".repeat(of - 1));
    let local =
        |of: usize| format!("(defn main[] (let ([f (fn [{}x] x)]) f))", "_ ".repeat(of - 1));
    let nested = |of: usize| {
        let (outer, inner) = ("_ ".repeat(of / 2), "_ ".repeat(of - of / 2 - 1));
        format!("(defn main[] (fn [{outer}] (let ([_ 1]) (fn [{inner}x] x))))")
    };
    let capturing = |of: usize| {
        format!("(defn main[input] (map (fn [x] (fn [{}y] (add x y))) input))", "_ ".repeat(of - 2))
    };
    let fields = |of: usize| format!("(data T (K {})) (defn main[] K)", "a ".repeat(of));
    let of_function = format!("function has {} parameters, and {MAX_ARITY} are the most", most + 1);
    type Row<'a> = (&'a dyn Fn(usize) -> String, &'a str, String);
    let rows: [Row<'_>; 5] = [
        (&defn, "f", of_function.replace("function", "function `f`")),
        (&local, "(fn [", format!("this {of_function}")),
        (&nested, "(fn [", format!("this {of_function}")),
        (&capturing, "(fn [", format!("this {of_function}")),
        (
            &fields,
            "K",
            format!("constructor `K` has {} fields, and {MAX_ARITY} are the most", most + 1),
        ),
    ];
    for (source, at, sentence) in rows {
        for passes in [Passes::NONE, Passes::ALL] {
            assert!(compile_after(&source(most), passes).is_some(), "{sentence} {passes:?}");
            let loaded = load_text(&source(most + 1));
            let sources = loaded.sources.clone();
            let optimise = gmachine::optimise::Options { passes, ..Default::default() };
            let options = gmachine::driver::Options { optimise, ..gmachine::driver::Options::RUN };
            let built = gmachine::driver::build_loaded(loaded, &options);
            assert!(built.gcode.is_none());
            let errors: Vec<_> = built.diagnostics.iter().filter(|it| it.is_error()).collect();
            let [report] = *errors else { panic!("{} errors", errors.len()) };
            assert_eq!((report.code, &report.message), (Code::TooManyParameters, &sentence));
            assert!(sources.text(report.primary.span).starts_with(at), "{sentence}");
        }
    }
}

/// What has more parameters than there may be is refused before anything is made of it.
#[test]
fn a_program_with_far_too_many_parameters_costs_little_more_than_its_syntax() {
    let text = format!("(defn f[{}x] x) (defn main[] f)", "_ ".repeat(3 << 20));
    let (loaded, syntax) = allocated(|| load_text(&text));
    let options = gmachine::driver::Options::RUN;
    let (built, rest) = allocated(|| gmachine::driver::build_loaded(loaded, &options));
    assert!(built.has_errors());
    assert!(rest < syntax / 4, "{rest} bytes after {syntax}");
}
