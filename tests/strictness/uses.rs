//! What is done with what the analysis finds.

use gmachine::compile::{self, compile_with};
use gmachine::core::print;
use gmachine::gcode::print::instr as instr_text;
use gmachine::lift::lint::lint;
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::strictness::strictness;
use gmachine::optimise::{Pass, Passes, Report};

use super::common::{Run, run_optimised};
use super::{analysed, read};

/// The core of `f` after the pass.
fn core(text: &str) -> String {
    let (program, names) = analysed(text);
    let id = program.globals.indices().find(|&id| &*program.globals[id].symbol == "f").unwrap();
    let mut out = String::new();
    print::definition(&program, &names, id, &mut out);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn becomes(body: &str, expected: &str) {
    let text = format!("(defn f[x y] {body}) (defn g[x] (add x 1)) (defn main[] f)");
    assert_eq!(core(&text), format!("(defn f[x y] {expected})"), "{body}");
}

#[test]
fn a_let_whose_body_is_strict_in_it_is_evaluated_at_once() {
    becomes("(let ([z (mul x y)]) (add z z))", "(force [z (mul x y)] (add z z))");
    becomes("(let ([z (mul x y)]) (if y z (sub z 1)))", "(force [z (mul x y)] (if y z (sub z 1)))");
    // In what is evaluated at once, too.
    becomes(
        "(add (let ([z (g x)]) (mul z z)) (g (let ([w (g y)]) (mul w w))))",
        "(add (force [z (g x)] (mul z z)) (g (force [w (g y)] (mul w w))))",
    );
    becomes(
        "(let ([z (let ([w (g y)]) (mul w w))]) (add z z))",
        "(force [z (force [w (g y)] (mul w w))] (add z z))",
    );
}

#[test]
fn any_other_let_stays() {
    for body in [
        "(let ([z (mul x y)]) (if x z 1))",
        "(let ([z (mul x y)]) [z])",
        "(let ([z (mul x y)]) (x z))",
        // The body fails whatever it is.
        "(let ([z (mul x y)]) (seq (error \"x\") z))",
        // The application is not evaluated here.
        "(Just (let ([z (mul x y)]) (add z z)))",
        "(x (let ([z (mul x y)]) (add z z)))",
    ] {
        let core = core(&format!("(defn f[x y] {body}) (defn main[] f)"));
        assert!(core.contains("(let ") && !core.contains("force"), "{core}");
    }
}

#[test]
fn a_letrec_is_never_evaluated_at_once() {
    for body in ["(letrec ([z (add z x)]) (add z y))", "(letrec ([z (Cons x z)]) (seq z y))"] {
        let core = core(&format!("(defn f[x y] {body}) (defn main[] f)"));
        assert!(core.contains("(letrec ") && !core.contains("force"), "{core}");
    }
}

#[test]
fn an_argument_of_a_jump_is_evaluated_if_the_handler_is_strict_in_it() {
    let text = |handler: &str| {
        format!(
            "(def main () (f 1 2))
             (def f (x y)
               (join (j a b) {handler}
                 (if x (jump j (mul y y) (sub y 1)) (switch y (1 (jump j 5 y)) (_ (jump j x (add 1 1)))))))"
        )
    };
    let after = |handler: &str| {
        let (program, names) = read::read(&text(handler));
        assert_eq!(lint(&program), Vec::<String>::new());
        let mut report = Report::new(false);
        let program = strictness(program, &mut report);
        assert_eq!(lint(&program), Vec::<String>::new());
        let core = print::program(&program, &names);
        let count = report.counts().iter().find(|(_, what, _)| what.starts_with("bindings"));
        (core.matches("(force [").count(), count.map_or(0, |(_, _, count)| *count))
    };
    // Literals and locals are passed as they are.
    assert_eq!(after("(add a b)"), (3, 3));
    assert_eq!(after("(if a b 1)"), (1, 1));
    assert_eq!(after("(Cons a b)"), (0, 0));
    assert_eq!(after("(seq (error a) b)"), (0, 0));
}

#[test]
fn the_value_of_a_jump_is_that_of_the_handler_with_the_arguments() {
    let (program, names) = read::read(
        "(def main () (Cons f (Cons g (Cons h Nil))))
         (def f (c x y) (join (j a) (add a y) (if c (jump j x) (jump j (mul x 2)))))
         (def g (c x y) (join (j a b) (if a b 1) (if c (jump j x y) (jump j y x))))
         (def h (c x y) (join (j a) (join (k b) (add b y) (jump k a)) (switch c (1 (jump j x)) (_ 1))))",
    );
    assert_eq!(lint(&program), Vec::<String>::new());
    let program = strictness(program, &mut Report::new(false));
    let strict = ["f", "g", "h"].map(|symbol| super::strict_in(&program, &names, symbol));
    // Of g, x and y are conditions in one branch each: neither is needed alone.
    assert_eq!(strict, ["c x y", "c", "c"]);
}

/// The instructions of `f` after the pass.
fn instructions(text: &str) -> String {
    let (program, names) = analysed(text);
    let program = compile_with(&program, &names, compile::Options { eval_once: true });
    let id = program.find("f").unwrap();
    let code = &program.globals[id].code;
    code.iter().map(|instr| instr_text(&program, instr)).collect::<Vec<_>>().join("; ")
}

#[test]
fn fields_that_a_call_evaluates_are_evaluated_before_it() {
    let text = |call: &str| {
        format!(
            "(defn add'[p] (case p [(Pair x y) (add x y)])) (defn first[p] (case p [(Pair x _) x]))
             (defn keep[p] (case p [(Pair x y) (Cons x y)]))
             (defn sum'[l] (case l [Nil 0] [(Cons x xs) (add x (sum' xs))]))
             (defn len'[l] (case l [Nil 0] [(Cons x xs) (add 1 (len' xs))]))
             (defn f[x y] {call}) (defn main[] f)"
        )
    };
    let code = |call: &str| instructions(&text(call));
    assert_eq!(
        code("(add' (Pair (add x 1) (sub y 1)))"),
        "PushInt 1; Push 2; Eval; Sub; PushInt 1; Push 2; Eval; Add; Pack 0 2 Pair; \
         PushGlobal add'; MkApp; Update 2; Pop 2; Unwind"
    );
    assert_eq!(
        code("(first (Pair (add x 1) (sub y 1)))"),
        "PushInt 1; Push 2; PushGlobal sub; MkApp; MkApp; PushInt 1; Push 2; Eval; Add; \
         Pack 0 2 Pair; PushGlobal first; MkApp; Update 2; Pop 2; Unwind"
    );
    assert_eq!(
        code("(sum' [(add x 1) y])"),
        "Pack 0 0 Nil; Push 2; Eval; Pack 1 2 Cons; PushInt 1; Push 2; Eval; Add; \
         Pack 1 2 Cons; PushGlobal sum'; MkApp; Update 2; Pop 2; Unwind"
    );
    // The elements of a list of which only the spine is demanded are left alone.
    assert!(code("(len' [(add x 1) y])").contains("PushGlobal add; MkApp; MkApp; Pack 1 2 Cons"));
    assert!(!code("(keep (Pair x (add x y)))").contains("Eval"));
    // What is built for later is built for later.
    assert!(!code("(Just (add' (Pair (add x 1) y)))").contains("Eval"));
}

#[test]
fn a_pair_of_accumulators_is_two_numbers_and_no_chain_of_thunks() {
    let [lazy, strict] = both(
        "(defn mean[n p]
           (case p [(Pair s c) (if (eq n 0) (div s c) (mean (sub n 1) (Pair (add s n) (add c 1))))]))
         (defn main[] (mean 20000 (Pair 0 0)))",
    );
    assert_eq!((&*lazy.output, &*strict.output), ("10000\n", "10000\n"));
    assert!(waiting(&lazy) > 20_000, "{:?}", lazy.statistics);
    assert!(waiting(&strict) < 100, "{:?}", strict.statistics);
    assert!(strict.statistics.peak_live_bytes * 10 < lazy.statistics.peak_live_bytes);
}

/// How many evaluations waited at once.
fn waiting(run: &Run) -> u64 {
    run.statistics.peak_dump.expect("the reference machine counts them")
}

/// Runs a program as the schemes alone compile it, and after the pass.
fn both(text: &str) -> [Run; 2] {
    let run = |passes| run_optimised(text, "", Format::Default, Config::default(), passes);
    [run(Passes::NONE), run(Passes::NONE.with(Pass::Strictness))]
}

#[test]
fn an_accumulator_is_a_number_and_no_chain_of_thunks() {
    let text = |size: u64| {
        format!(
            "(defn sum-acc[l a] (case l [Nil a] [(Cons x xs) (sum-acc xs (add x a))]))
             (defn upto[n l] (if (eq n 0) l (upto (sub n 1) (Cons n l))))
             (defn count[n a] (if (eq n 0) a (count (sub n 1) (add a 1))))
             (defn main[] (add (sum-acc (take 10 (upto {size} Nil)) 0) (count {size} 0)))"
        )
    };
    let [lazy, strict] = both(&text(20_000));
    assert_eq!(lazy.output, strict.output);
    assert!(waiting(&lazy) > 20_000, "{:?}", lazy.statistics);
    assert!(waiting(&strict) < 100, "{:?}", strict.statistics);
    assert!(strict.statistics.peak_stack < 1000, "{:?}", strict.statistics);
}

#[test]
fn fewer_thunks_are_made_and_nothing_is_evaluated_twice() {
    let [lazy, strict] = both(
        "(defn loop[x y r] (if (eq y 0) r (loop x (sub y 1) (mul r x))))
         (defn main[] (loop 3 50 1))",
    );
    assert_eq!(lazy.output, strict.output);
    // Of the four applications of an iteration's graph for two arguments, and three for the
    // call, the latter stay.
    assert!(lazy.statistics.thunks_made >= 50 * 7, "{:?}", lazy.statistics);
    assert!(strict.statistics.thunks_made <= 50 * 3 + 20, "{:?}", strict.statistics);
    assert!(strict.statistics.reductions < lazy.statistics.reductions / 2);
}

#[test]
fn laziness_stays() {
    let text = r#"
        (defn const[x y] x)
        (defn power[x n] (if (eq n 0) 1 (mul x (power x (sub n 1)))))
        (defn pick[c x y] (if c x y))
        (defn first[p] (case p [(Pair x _) x]))
        (defn main[]
          [(const 1 (error "a")) (power (error "b") 0) (pick 1 2 (error "c"))
           (let ([z (error "d")]) (pick 0 z 3)) (first (Pair 4 (error "e")))
           (letrec ([xs (Cons 5 (error "f"))]) (case xs [(Cons x _) x]))])"#;
    for run in both(text) {
        assert_eq!(run.failure, None);
        assert_eq!(run.output, "1 1 2 3 4 5 Nil\n");
    }
}

#[test]
fn what_fails_reports_its_own_failure() {
    let text = r#"
        (defn fail[x y] (error "mine"))
        (defn main[] (let ([z (error "not wanted")]) (fail z (error "nor this"))))"#;
    for run in both(text) {
        assert_eq!(run.failure.unwrap().message, "the program called error: mine");
    }
}
