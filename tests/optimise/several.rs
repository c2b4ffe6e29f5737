//! Several interpreted programs in one source: each is partially evaluated as if it were the only one.

use std::fmt::Write as _;
use std::ops::Range;

use super::interpreted;

/// An interpreter, the k-th program that it is given, and the expression that runs that one.
struct Interpreter {
    name: &'static str,
    source: &'static str,
    program: fn(usize) -> String,
    run: fn(usize) -> String,
}

/// A machine of registers, `(start p)` runs a program.
pub(super) const REGISTERS: &str = r"
            (data Instr (Label s) (Set r n) (Move r q) (Add r q) (Dec r) (Loop r s))
            (defn resolve[p] (case p [Nil Nil] [(Cons (Label s) t) (Cons (Pair s t) (resolve t))]
              [(Cons _ t) (resolve t)]))
            (defn put[r x all] (case all [(Cons y t) (if (eq r 0) (Cons x t) (Cons y (put (sub r 1) x t)))]))
            (defn exec[labels p all] (case p [Nil all] [(Cons i t) (case i
              [(Label _) (exec labels t all)]
              [(Set r n) (exec labels t (put r n all))]
              [(Move r q) (exec labels t (put r (nth q all) all))]
              [(Add r q) (exec labels t (put r (add (nth r all) (nth q all)) all))]
              [(Dec r) (exec labels t (put r (sub (nth r all) 1) all))]
              [(Loop r s) (if (eq (nth r all) 0) (exec labels t all)
                (exec labels (fromJust (lookupBy eqString s labels)) all))])]))
            (defn start[p] (nth 1 (exec (resolve p) p [0 0 0 0])))";

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        name: "registers and jumps to labels",
        source: REGISTERS,
        program: |k| match k % 2 {
            0 => format!(
                "(defn p{k}[n] [(Set 0 n) (Set 1 0) (Set 2 1) (Label \"a{k}\") (Move 3 2) (Add 2 1)
                   (Move 1 3) (Dec 0) (Loop 0 \"a{k}\")])"
            ),
            _ => format!(
                "(defn p{k}[n] [(Set 0 n) (Label \"b{k}\") (Add 1 0) (Add 2 1) (Add 3 2) (Add 1 3)
                   (Dec 0) (Loop 0 \"b{k}\")])"
            ),
        },
        run: |k| format!("(start (p{k} (add n 100)))"),
    },
    Interpreter {
        name: "terms in an environment of names",
        source: r"
            (data Exp (Lit n) (Var x) (Lam x b) (App f a) (Plus a b) (Minus a b) (If c a b) (Fix f x b))
            (data Val (Number n) (Closure x b env) (Rec f x b env))
            (defn find[x env] (case env [(Cons (Pair y v) t) (if (eqString x y) v (find x t))]))
            (defn eval[e env] (case e
              [(Lit n) (Number n)] [(Var x) (find x env)]
              [(Lam x b) (Closure x b env)] [(Fix f x b) (Rec f x b env)]
              [(App f a) (apply (eval f env) (eval a env))]
              [(Plus a b) (op add (eval a env) (eval b env))] [(Minus a b) (op sub (eval a env) (eval b env))]
              [(If c a b) (case (eval c env) [(Number p) (if (eq p 0) (eval b env) (eval a env))])]))
            (defn op[f v w] (case v [(Number p) (case w [(Number q) (Number (f p q))])]))
            (defn apply[f v] (case f
              [(Closure x b env) (eval b (Cons (Pair x v) env))]
              [(Rec g x b env) (eval b (Cons (Pair x v) (Cons (Pair g f) env)))]))
            (defn run[p n] (case (apply (apply (eval p Nil) (Number 0)) (Number n)) [(Number n) n]))",
        program: |k| {
            format!(
                "(defn p{k}[] (Fix \"go\" \"s\" (Lam \"i\" (If (Var \"i\") (App (App (Var \"go\")
                   (Plus (Var \"s\") (Plus (Var \"i\") (Lit {k})))) (Minus (Var \"i\") (Lit 1))) (Var \"s\")))))"
            )
        },
        run: |k| format!("(run p{k} (add n 100))"),
    },
    Interpreter {
        name: "patterns with what comes after",
        source: r"
            (data Pattern (Chr c) (Seq a b) (Alt a b) (Star a))
            (defn match[r s k] (case r
              [(Chr c) (case s [Nil 0] [(Cons x t) (if (eq x c) (k t) 0)])]
              [(Seq a b) (match a s (fn [t] (match b t k)))]
              [(Alt a b) (if (match a s k) 1 (match b s k))]
              [(Star a) (if (k s) 1 (match a s (fn [t] (match r t k))))]))",
        program: |k| {
            let (second, last) = (b"bcd"[k % 3] as char, b"xyzuvw"[k % 6] as char);
            format!(
                "(defn p{k}[] (Seq (Star (Alt (Chr 'a') (Chr '{second}'))) (Seq (Chr 'c') (Chr '{last}'))))"
            )
        },
        run: |k| {
            let last = b"xyzuvw"[k % 6] as char;
            format!("(match p{k} (append (replicate (add n 100) 'a') \"c{last}\") null)")
        },
    },
    Interpreter {
        name: "formats",
        source: r"
            (data Item (Hole) (Words t))
            (defn format[fs args] (case fs [Nil Nil] [(Cons f r) (case f
              [(Words t) (append t (format r args))]
              [Hole (case args [(Cons a s) (append (showInt a) (format r s))])])]))
            (defn each[f n] (if (eq n 0) 0 (add (length (format f [n (mul n n)])) (each f (sub n 1)))))",
        program: |k| {
            format!("(defn p{k}[] [(Words \"n{k} = \") Hole (Words \", \") Hole (Words \"; \")])")
        },
        run: |k| format!("(each p{k} (add n 60))"),
    },
];

/// Returns what a source with these programs prints, its reductions and the size of its code.
fn cost(of: &Interpreter, programs: Range<usize>, level: u8) -> (String, u64, usize) {
    let mut text = of.source.to_owned();
    let mut main = "(defn main[i] (let ([n (length i)]) [".to_owned();
    for k in programs {
        text += &(of.program)(k);
        let _ = write!(main, "{} ", (of.run)(k));
    }
    text = format!("{text} {main}]))");
    interpreted::measure(&text, level)
}

#[test]
fn each_of_several_interpreted_programs_is_evaluated_as_if_it_were_alone() {
    let mut wrong = Vec::new();
    for of in INTERPRETERS {
        for count in [2, 4, 8, 12] {
            let alone: Vec<_> = (0..count).map(|k| cost(of, k..k + 1, 2)).collect();
            let (most, code) =
                alone.iter().fold((0, 0), |(all, code), one| (all + one.1, code + one.2));
            let (output, reductions, size) = cost(of, 0..count, 2);
            let (same, without, _) = cost(of, 0..count, 0);
            let name = of.name;
            assert_eq!(output, same, "{name}");
            assert!(
                2 * reductions < without,
                "{name}, {count}: {reductions} reductions of {without}"
            );
            // What few loops call they have copies of. More loops than that write what the formats have in
            // common.
            let spare = if name == "formats" { 7 } else { 50 };
            if reductions > most + most / spare {
                wrong.push(format!("{name}, {count}: {reductions} reductions, alone {most}"));
            }
            if size > code + code / 20 {
                wrong.push(format!("{name}, {count}: {size} instructions, alone {code}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
