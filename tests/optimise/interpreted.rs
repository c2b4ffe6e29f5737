//! Interpreters whose program is known: what partial evaluation leaves grows with the program, up to
//! lengths that people write. What looks its names up takes steps with the square of its length, so
//! that beyond some 150 of them it is interpreted at run time.

use std::fmt::Write as _;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;

use super::common::{Text, compile_after, machine, run_optimised};

/// An interpreter of terms, in direct style, with names in an environment.
const TERMS: &str = r#"
(data Exp (Lit n) (Var x) (Lam x b) (App f a) (Op o a b) (If c a b) (Fix f x b) (Let x e b))
(data Op (Plus) (Minus) (Same))
(data Val (Number n) (Closure x b env) (Rec f x b env))
(defn find[x env] (case env [(Cons (Pair y v) t) (if (eqString x y) v (find x t))]
  [Nil (error "unbound")]))
(defn eval[e env] (case e
  [(Lit n) (Number n)]
  [(Var x) (find x env)]
  [(Lam x b) (Closure x b env)]
  [(Fix f x b) (Rec f x b env)]
  [(App f a) (apply (eval f env) (eval a env))]
  [(Let x a b) (eval b (Cons (Pair x (eval a env)) env))]
  [(Op o a b) (case (eval a env) [(Number p) (case (eval b env) [(Number q) (Number (op o p q))])])]
  [(If c a b) (case (eval c env) [(Number p) (if (eq p 1) (eval a env) (eval b env))])]))
(defn apply[f v] (case f
  [(Closure x b env) (eval b (Cons (Pair x v) env))]
  [(Rec g x b env) (eval b (Cons (Pair x v) (Cons (Pair g f) env)))]))
(defn op[o p q] (case o [(Plus) (add p q)] [(Minus) (sub p q)] [(Same) (if (eq p q) 1 0)]))
(defn main[] (run 100))
(defn run[n] (case (apply (apply (eval program Nil) (Number 0)) (Number n)) [(Number n) n]))
"#;

/// A loop in the language of [`TERMS`] that adds a term to a sum each time round.
fn term_loop(term: &str) -> String {
    format!(
        r#"{TERMS}
(defn program[] (Fix "loop" "sum" (Lam "i" (If (Op Same (Var "i") (Lit 0)) (Var "sum")
  (App (App (Var "loop") (Op Plus (Var "sum") {term})) (Op Minus (Var "i") (Lit 1)))))))"#
    )
}

/// A loop whose body adds n literals.
fn additions(n: usize) -> String {
    let sum =
        (0..n).fold(r#"(Var "i")"#.to_owned(), |sum, at| format!("(Op Plus {sum} (Lit {at}))"));
    term_loop(&sum)
}

/// A loop whose body has n local variables.
fn locals(n: usize) -> String {
    let mut term = String::new();
    for at in 0..n {
        let before = if at == 0 { "i".to_owned() } else { format!("x{}", at - 1) };
        let _ = write!(term, r#"(Let "x{at}" (Op Plus (Var "{before}") (Lit {at})) "#);
    }
    let last = if n == 0 { "i".to_owned() } else { format!("x{}", n - 1) };
    let _ = write!(term, r#"(Var "{last}"){}"#, ")".repeat(n));
    term_loop(&term)
}

/// Blocks that go on with one another in a ring, looked up by `find`.
fn ring(n: usize, find: &str, name: impl Fn(usize) -> String, block: &str) -> String {
    let mut blocks = String::new();
    for at in 0..n {
        let next = name((at + 1) % n);
        let body = if at == 0 { format!("(Test {next})") } else { format!("(Step {at} {next})") };
        let _ = write!(blocks, "{} ", block.replace('#', &name(at)).replace('@', &body));
    }
    format!(
        r"(data Block (Step k next) (Test next))
{find}
(defn exec[b p x sum] (case b
  [(Step k next) (exec (find next p) p x (add sum k))]
  [(Test next) (if (eq x 0) sum (exec (find next p) p (sub x 1) sum))]))
(defn program[] [{blocks}])
(defn main[] (run 100))
(defn run[n] (exec (find {} program) program n 0))",
        name(0)
    )
}

/// A ring of n blocks that are found by their numbers.
fn numbered(n: usize) -> String {
    let find = "(defn find[n p] (case p [(Cons b t) (if (eq n 0) b (find (sub n 1) t))]
      [Nil (error \"none\")]))";
    ring(n, find, |at| at.to_string(), "@")
}

/// A ring of n blocks that are found by their names.
fn named(n: usize) -> String {
    let find = "(defn find[l p] (case p [(Cons (Pair m b) t) (if (eqString l m) b (find l t))]
      [Nil (error \"none\")]))";
    ring(n, find, |at| format!("\"b{at}\""), "(Pair # @)")
}

/// What a program prints, its reductions and the instructions of its code.
pub(super) fn measure(program: &str, level: u8) -> (String, u64, usize) {
    let code = compile_after(program, Passes::level(level)).expect("a program");
    let size = code.globals.iter().map(|global| global.code.len()).sum();
    let mut machine = machine(MachineKind::Fast, &code, Config::default());
    let mut output = String::new();
    let input = Some(Box::new(Text::new("")) as _);
    let result = machine.start(Format::Default, input).and_then(|()| machine.run(&mut output));
    assert!(result.is_ok(), "{program}: {result:?}");
    (output, machine.statistics().reductions, size)
}

/// A name, a program of n pieces, the most reductions of a piece each time round the loop, and lengths
/// beyond those of all.
type Family = (&'static str, fn(usize) -> String, u64, &'static [usize]);

#[test]
fn a_program_that_is_interpreted_may_be_long() {
    let families: [Family; 4] = [
        ("additions", additions, 1, &[]),
        ("locals", locals, 2, &[]),
        ("numbered blocks", numbered, 1, &[80, 100, 120, 160, 200]),
        ("named blocks", named, 1, &[80, 100, 120, 150]),
    ];
    let mut wrong = Vec::new();
    for (name, program, most, more) in families {
        let lengths = [1, 8, 15, 16, 17, 18, 24, 30, 37, 38, 40, 41, 48, 60];
        for &n in lengths.iter().chain(more) {
            let text = program(n);
            let (value, without, plain) = measure(&text, 0);
            let (same, reductions, code) = measure(&text, 2);
            let bound = 100 * (4 + most * n as u64);
            if value != same || reductions > bound || reductions * 2 > without {
                wrong.push(format!("{name} {n}: {reductions} reductions, {without} at -O0"));
            }
            if code > 3 * plain {
                wrong.push(format!("{name} {n}: {code} instructions, {plain} at -O0"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_constant_that_a_run_needs_is_written_once() {
    // The program is known, and a value of the run too, in each of many variants.
    let items = (0..30).fold(String::new(), |items, at| format!("{items} (Item {at} \"{at}\")"));
    let program = format!(
        "(data Item (Item n s) (Last))
         (defn table[] [{items}])
         (defn walk[t all f n] (case t [Nil n] [(Cons (Item k s) r) (walk r all f (f all (add k n)))]))
         (defn keep[all n] (case all [Nil n] [(Cons i r) (add n 1)]))
         (defn drop1[all n] (case all [Nil n] [(Cons i r) (add n 2)]))
         (defn main[] (go 0)) (defn go[n] (if (gt n 3) n (go (walk table table (if (eq n 0) keep drop1) n))))"
    );
    let (value, _, plain) = measure(&program, 0);
    let (same, _, code) = measure(&program, 2);
    assert_eq!(value, same);
    assert!(code < 3 * plain, "{code} instructions, {plain} at -O0");
}

/// A wrapper hands the term on, and what consumes its value is a list, which does not demand it.
#[test]
fn a_call_of_which_all_is_known_is_its_value_wherever_it_stands() {
    let eval = "(data Expr (Num n) (Name x) (Plus a b) (Bind x e body))
        (defn eval[env e ok fail] (case e
          [(Num n) (ok n)]
          [(Name x) (case (lookupBy eqString x env) [Nothing (fail x)] [(Just n) (ok n)])]
          [(Plus a b) (eval env a (fn [m] (eval env b (fn [n] (ok (add m n))) fail)) fail)]
          [(Bind x a body) (eval env a (fn [n] (eval (Cons (Pair x n) env) body ok fail)) fail)]))
        (defn run[e] (eval Nil e Right Left))
        (defn times[xs] (times-k xs (fn [n] n)))
        (defn times-k[xs k] (case xs [Nil (k 1)] [(Cons x t) (times-k t (fn [n] (k (mul x n))))]))";
    let term = "(run (Bind \"x\" (Num 4) (Plus (Name \"x\") (Plus (Num 10) (Num 2)))))";
    for main in [term.to_owned(), format!("[{term} (Right (times [1 2 3 4]))]")] {
        let program = format!("{eval} (defn main[] {main})");
        let (plain, plain_reductions, _) = measure(&program, 0);
        let (output, reductions, size) = measure(&program, 2);
        assert_eq!(output, plain);
        assert!(plain_reductions > 20, "{main}: {plain_reductions} without passes");
        assert!(
            reductions <= 3 && size < 20,
            "{main}: {reductions} reductions, {size} instructions"
        );
    }
}

#[test]
fn a_term_that_a_function_writes_down_is_known_to_its_interpreter() {
    let program = "(data Term (Lit n) (Name x) (Plus a b) (Less a b) (If c t e) (Call e) (Rec e n))
        (defn term[n] (Rec (If (Less (Name 0) (Lit 2)) (Lit 1)
          (Plus (Call (Plus (Name 0) (Lit -1))) (Call (Plus (Name 0) (Lit -2))))) (Lit n)))
        (defn eval[e f x] (case e
          [(Lit n) n] [(Name _) x]
          [(Plus a b) (add (eval a f x) (eval b f x))]
          [(Less a b) (lt (eval a f x) (eval b f x))]
          [(If c t e) (if (eval c f x) (eval t f x) (eval e f x))]
          [(Call a) (eval f f (eval a f x))]
          [(Rec g a) (eval g g (eval a g x))]))
        (defn go[n] (eval (term n) (Lit 0) 0))
        (defn main[] (go 12))";
    let (plain, plain_reductions, _) = measure(program, 0);
    let (output, reductions, _) = measure(program, 2);
    assert_eq!(output, plain);
    assert!(
        8 * reductions < plain_reductions,
        "{reductions} reductions, {plain_reductions} without"
    );
}

/// A call of which a tree is chosen, as it is written, and with the choice around it.
const CHOSEN: &[(&str, &str, &str, &str)] = &[
    (
        "between parts of a known tree",
        "(data T (Lit n) (Var) (Add a b) (If c a b) (Lt a b))
         (defn prog[] (If (Lt (Add Var Var) (Lit 7)) (Add Var (Lit 3)) (If (Lt Var (Lit 5)) (Lit 9) Var)))
         (defn eval[t v] (case t [(Lit n) n] [Var v] [(Add a b) (add (eval a v) (eval b v))]
           [(Lt a b) (lt (eval a v) (eval b v))] [(If c a b) CHOICE]))
         (defn go[n acc] (if (eq n 0) acc (go (sub n 1) (add acc (eval prog n)))))
         (defn main[i] (go (mul 20 (length i)) 0))",
        "(eval (if (eval c v) a b) v)",
        "(if (eval c v) (eval a v) (eval b v))",
    ),
    (
        "between constants",
        "(data T (Leaf) (Node l x r))
         (defn sumT[t k] (case t [Leaf k] [(Node l x r) (sumT r (add (mul x k) (sumT l 1)))]))
         (defn small[] (Node Leaf 3 Leaf)) (defn big[] (Node small 5 small))
         (defn go[n] (if (eq n 0) 0 (add CHOICE (go (sub n 1)))))
         (defn main[i] (go (mul 20 (length i))))",
        "(sumT (if (eq (mod n 3) 0) small big) n)",
        "(if (eq (mod n 3) 0) (sumT small n) (sumT big n))",
    ),
];

#[test]
fn a_tree_that_is_chosen_is_known_in_each_branch() {
    for (what, program, written, around) in CHOSEN {
        let run = |choice| {
            let config = Config { fuel: Some(100_000), ..Config::default() };
            let text = program.replace("CHOICE", choice);
            let run = run_optimised(&text, "abc", Format::Default, config, Passes::level(2));
            (run.output, run.statistics.reductions)
        };
        assert_eq!(run(written), run(around), "{what}");
    }
}
