//! Parts of a program beside each other: none takes from the others what all of them are given, and a part of a
//! long program costs what it costs in a short one.

use super::interpreted;

/// What is used, and its k-th use in a function of `n`, with what that needs.
type Use = (&'static str, fn(usize) -> (String, String));

const USES: &[Use] = &[
    ("map and sum", |k| {
        (
            format!("(defn f{k}[x] (add (mul x {}) {k}))", k + 2),
            format!("(sum (map f{k} (range 1 n)))"),
        )
    }),
    ("filter and length", |k| {
        let test = format!("(fn [x] (eq (rem x {}) {k}))", k + 2);
        (String::new(), format!("(length (filter {test} (range 1 n)))"))
    }),
    ("foldl", |k| {
        let step = format!("(fn [a x] (rem (add (mul a {}) x) 1009))", k + 3);
        (String::new(), format!("(foldl {step} {k} (range 1 n))"))
    }),
    ("zipWith", |k| {
        let both = format!("(fn [a b] (rem (mul a b) {}))", k + 3);
        (String::new(), format!("(sum (zipWith {both} (range 1 n) (from {k})))"))
    }),
    ("a record of methods", |k| {
        let library = match k {
            0 => {
                "(data Num (Num times one)) (defn power[d x n] (case d [(Num t one)
                   (if (eq n 0) one (t x (power d x (sub n 1))))]))"
            }
            _ => "",
        };
        let methods = format!("(defn d{k}[] (Num (fn [a b] (rem (mul a b) {})) 1))", k + 5);
        (format!("{library} {methods}"), format!("(power d{k} 3 n)"))
    }),
    ("maps in each other", |k| {
        (
            format!("(defn f{k}[x] (add (mul x {}) {k})) (defn h{k}[x] (rem x {}))", k + 2, k + 3),
            format!("(sum (map f{k} (map h{k} (range 1 n))))"),
        )
    }),
    ("lists of functions, each in a loop of its own", |k| {
        let library = match k {
            0 => {
                "(defn pipe[fs x] (case fs [Nil x] [(Cons f r) (pipe r (f x))]))
                 (defn all[fs xs] (case xs [Nil Nil] [(Cons x t) (Cons (pipe fs x) (all fs t))]))
                 (defn total[xs s] (case xs [Nil s] [(Cons x t) (total t (add s x))]))"
            }
            _ => "",
        };
        let step = format!("(total (all [f{k} (add {k})] (range 1 n)) 0)");
        (
            format!(
                "{library} (defn f{k}[x] (rem (mul x {}) {}))
                 (defn g{k}[m n] (if (eq m 0) 0 (add {step} (g{k} (sub m 1) n))))",
                k + 2,
                k + 7
            ),
            format!("(g{k} (add 2 (rem n 5)) n)"),
        )
    }),
    ("functions of the program's own", |k| {
        let library = match k {
            0 => {
                "(defn each[f xs] (case xs [Nil Nil] [(Cons x t) (Cons (f x) (each f t))]))
                 (defn total[xs s] (case xs [Nil s] [(Cons x t) (total t (add s x))]))"
            }
            _ => "",
        };
        let function = format!("(fn [x] (rem (mul x x) {}))", k + 2);
        (library.to_owned(), format!("(total (each {function} (range 1 n)) 0)"))
    }),
];

/// Returns the reductions of a program, which prints the same without being optimised.
fn cost(text: &str) -> u64 {
    let (output, reductions, _) = interpreted::measure(text, 2);
    let (plain, _, _) = interpreted::measure(text, 0);
    assert_eq!(output, plain, "{text}");
    reductions
}

#[test]
fn each_of_many_uses_of_a_function_is_specialised_as_if_there_were_few() {
    let mut wrong = Vec::new();
    for (name, of) in USES {
        let cost_of = |count: usize| {
            let (needed, uses): (Vec<String>, Vec<String>) = (0..count).map(of).unzip();
            let (needed, uses) = (needed.concat(), uses.join(" "));
            cost(&format!("{needed} (defn go[n] [{uses}]) (defn main[i] (go (add 30 (length i))))"))
        };
        let few = cost_of(4);
        for count in [48, 96] {
            let (many, most) = (cost_of(count), few * count as u64 / 4);
            if many > most + most / 20 {
                wrong.push(format!("{name}, {count}: {many} reductions, of 4 {few}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs whose choices take all the steps that there are, and how many reductions of 100 are left.
const CHOICES: &[(&str, u64)] = &[
    (
        "(defn perms[xs] (case xs [Nil [Nil]]
           [_ (concatMap (fn [p] (map (Cons (fst p)) (perms (snd p)))) (picks xs))]))
         (defn picks[xs] (case xs [Nil Nil]
           [(Cons x r) (Cons (Pair x r) (map (second (Cons x)) (picks r)))]))
         (defn distinct[xs] (eq (length xs) (length (nub xs))))
         (defn good[p] (andAlso (distinct (zipWith add p (from 0))) (distinct (zipWith sub p (from 0)))))
         (defn main[] [(length (filter good (perms (range 1 5)))) (head (filter good (perms (range 1 6))))])",
        55,
    ),
    (
        "(data Op (Plus) (Minus) (Times) (Over)) (data Expr (Val n) (App o l r))
         (defn valid[o x y] (case o [Plus (le x y)] [Minus (gt x y)]
           [Times (andAlso (neq x 1) (andAlso (neq y 1) (le x y)))]
           [Over (andAlso (neq y 1) (eq (mod x y) 0))]))
         (defn calc[o x y] (case o [Plus (add x y)] [Minus (sub x y)] [Times (mul x y)] [Over (div x y)]))
         (defn splits[xs] (case xs
           [(Cons x (Cons y rest)) (Cons (Pair [x] (Cons y rest))
             (map (fn [p] (Pair (Cons x (fst p)) (snd p))) (splits (Cons y rest))))]
           [_ Nil]))
         (defn results[ns] (case ns [Nil Nil] [(Cons n Nil) [(Pair (Val n) n)]]
           [_ (concatMap (fn [p] (concatMap (fn [lx] (concatMap (fn [ry] (combine lx ry))
             (results (snd p)))) (results (fst p)))) (splits ns))]))
         (defn combine[lx ry] (let ([x (snd lx)] [y (snd ry)])
           (map (fn [o] (Pair (App o (fst lx) (fst ry)) (calc o x y)))
             (filter (fn [o] (valid o x y)) [Plus Minus Times Over]))))
         (defn solutions[ns n] (filter (fn [p] (eq (snd p) n)) (results ns)))
         (defn main[] [(length (results [1 3 7 10])) (length (solutions [1 3 7 10] 40))])",
        42,
    ),
];

#[test]
fn what_takes_all_the_steps_that_there_are_leaves_its_own_end_some() {
    for (program, most) in CHOICES {
        let (_, plain, _) = interpreted::measure(program, 0);
        let reductions = cost(program);
        assert!(reductions * 100 < plain * most, "{reductions} of {plain}: {program}");
    }
}

/// Definitions, and an expression of them.
type Part = (&'static str, &'static str);

/// What unfolds until something stops it.
const GREEDY: &[Part] = &[
    (
        "(data Mu (Roll f)) (defn unroll[m] (case m [(Roll f) f]))
         (defn Y[f] ((fn [x] (f (fn [v] ((unroll x x) v)))) (Roll (fn [x] (f (fn [v] ((unroll x x) v)))))))
         (defn U[f] (f f))
         (defn fact[] (Y (fn [self n] (if (eq n 0) 1 (mul n (self (sub n 1)))))))
         (defn fib[] (Y (fn [self n] (if (lt n 2) n (add (self (sub n 1)) (self (sub n 2)))))))
         (defn len[] (U (fn [h xs] (case xs [Nil 0] [(Cons _ r) (add 1 (h h r))]))))
         (defn ack[] (fix (fn [self m n] (if (eq m 0) (add n 1)
           (if (eq n 0) (self (sub m 1) 1) (self (sub m 1) (self m (sub n 1))))))))",
        "[(fact 20) (fib 10) (len (range 1 150)) (ack 2 6)]",
    ),
    (
        "(data Exp (Const n) (Neg e) (Plus a b) (Div a b) (Sqrt e) (Handle a b))
         (data Exn (DivByZero) (Domain n))
         (defn after[m k] (case m [(Left e) (Left e)] [(Right v) (k v)]))
         (defn both[f a b] (after a (fn [x] (after b (fn [y] (f x y))))))
         (defn eval[e] (case e [(Const n) (Right n)] [(Neg a) (after (eval a) (compose Right negate))]
           [(Plus a b) (both (fn [x y] (Right (add x y))) (eval a) (eval b))]
           [(Div a b) (both (fn [x y] (if (eq y 0) (Left DivByZero) (Right (div x y)))) (eval a) (eval b))]
           [(Sqrt a) (after (eval a) (fn [x] (if (lt x 0) (Left (Domain x)) (Right (isqrt x)))))]
           [(Handle a b) (case (eval a) [(Right v) (Right v)] [(Left _) (eval b)])]))
         (defn gen[d s] (if (eq d 0) (Const (sub (mod s 11) 5)) (case (mod s 5)
           [0 (Plus (gen (sub d 1) (mul s 3)) (gen (sub d 1) (add s 7)))]
           [1 (Div (gen (sub d 1) (add s 2)) (gen (sub d 1) (mul s 5)))]
           [2 (Sqrt (gen (sub d 1) (add s 4)))]
           [3 (Handle (gen (sub d 1) (add 1 (mul s 2))) (Const s))]
           [_ (Plus (gen (sub d 1) (mul s 7)) (Neg (gen (sub d 1) (add s 1))))])))
         (defn score[r] (case r [(Right n) (add 2 (mod n 5))] [(Left DivByZero) 0] [(Left (Domain _)) 1]))",
        "(foldl' (fn [a s] (mod (add (mul a 8) (score (eval (gen 6 s)))) 99991)) 0 (range 1 60))",
    ),
];

/// What is worth a few variants.
const MODEST: &[Part] = &[
    (
        "(data Instr (Test r) (Branch l) (Assign r e) (Goto l) (Stop)) (data Ex (Reg r) (RemE a b))
         (defn get[r regs] (case regs [(Cons (Pair q v) rest) (if (eq q r) v (get r rest))]))
         (defn set[r x regs] (case regs [(Cons (Pair q v) rest)
           (if (eq q r) (Cons (Pair q x) rest) (Cons (Pair q v) (set r x rest)))]))
         (defn value[e regs] (case e [(Reg r) (get r regs)] [(RemE a b) (rem (get a regs) (get b regs))]))
         (defn machine[] [(Test 'b') (Branch 6) (Assign 't' (RemE 'a' 'b')) (Assign 'a' (Reg 'b'))
           (Assign 'b' (Reg 't')) (Goto 0) Stop])
         (defn exec[pc flag regs prog] (case (nth pc prog)
           [(Test r) (exec (add pc 1) (eq (get r regs) 0) regs prog)]
           [(Branch l) (if flag (exec l 0 regs prog) (exec (add pc 1) 0 regs prog))]
           [(Assign r e) (exec (add pc 1) flag (set r (value e regs) regs) prog)]
           [(Goto l) (exec l flag regs prog)]
           [Stop regs]))
         (defn divisor[a b] (get 'a' (exec 0 0 [(Pair 'a' a) (Pair 'b' b) (Pair 't' 0)] machine)))",
        "(sum (map (divisor 360) (range 1 40)))",
    ),
    (
        "(defn fold[f z xs] (case xs [Nil z] [(Cons x r) (f x (fold f z r))]))
         (defn each[f] (fold (fn [x r] (Cons (f x) r)) Nil))
         (defn only[p] (fold (fn [x r] (if (p x) (Cons x r) r)) Nil))
         (defn until[p] (fold (fn [x r] (if (p x) (Cons x r) Nil)) Nil))
         (defn left[f z xs] (fold (fn [x k acc] (k (f acc x))) id xs z))",
        "[(left sub 0 (each square (only odd (range 1 100)))) (length (until (gt 200) (each square (from 1))))]",
    ),
    (
        "(defn chain[n] (Cons n (if (eq n 1) Nil (if (even n) (chain (div n 2)) (chain (add 1 (mul 3 n)))))))
         (defn longest[n] (maximumBy (comparing snd) (map (fn [k] (Pair k (length (chain k)))) (range 1 n))))
         (defn peaks[n] (maximum (map (compose maximum chain) (range 1 n))))",
        "(Pair (longest 60) (peaks 30))",
    ),
];

#[test]
fn a_part_beside_one_that_unfolds_without_end_costs_what_it_costs_alone() {
    let program = |parts: &[Part]| {
        let (definitions, uses): (Vec<&str>, Vec<&str>) = parts.iter().copied().unzip();
        format!("{} (defn main[i] [{}])", definitions.join("\n"), uses.join(" "))
    };
    let mut wrong = Vec::new();
    for &greedy in GREEDY {
        for &modest in MODEST {
            let [first, second] = [greedy, modest].map(|part| cost(&program(&[part])));
            let together = cost(&program(&[greedy, modest]));
            if together * 10 > (first + second) * 11 {
                wrong.push(format!("{}: {together} reductions, of {first} and {second}", modest.1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
