//! Functions that optimisers are known by, to be used in random programs: recursion with
//! known and unknown arguments, accumulators, mutual recursion, an interpreter, a matcher of
//! strings, work that must not be done twice, constants, arguments that nothing uses.
//!
//! Their bodies use no name that a program's own definition may take, and end for any count.

use std::rc::Rc;

use super::{Gen, Ty, fun};

/// What an argument is.
#[derive(Clone, Copy)]
enum Arg {
    Int,
    Bool,
    Char,
    Text,
    Ints,
    Tree,
    Stream,
    /// A number that is small, so that recursion ends soon.
    Count,
    /// The type that is asked for.
    Any,
    /// An integer that is perhaps not needed.
    LazyInt,
    /// Of the type that is asked for, and perhaps not needed.
    LazyAny,
    /// A list of integers that is perhaps not needed.
    LazyInts,
    /// Pairs of an integer and the type that is asked for.
    Table,
    /// From integer to integer.
    Step,
    Steps,
    /// From the type that is asked for and an integer to that type.
    Fold,
    /// The same, the integer first.
    FoldRight,
    /// From the type that is asked for to that type.
    Endo,
    /// A program of the interpreter.
    Code,
    /// A `Thing`.
    Thing,
    /// A pair of integers.
    Ints2,
    Wide,
}

use Arg::{
    Any, Bool, Char, Code, Count, Endo, Fold, FoldRight, Int, Ints, Ints2, LazyAny, LazyInt,
    LazyInts, Step, Steps, Stream, Table, Text, Thing, Tree,
};

/// A function: its name, what it takes, what it makes, which others it uses, its definition.
type Entry = (&'static str, &'static [Arg], Arg, &'static [&'static str], &'static str);

const KIT: &[Entry] = &[
    ("power'", &[Int, Count], Int, &[], "[x n] (if (le n 0) 1 (mul x (power' x (add n -1))))"),
    (
        "loop'",
        &[Int, Count, Int],
        Int,
        &[],
        "[x y r] (if (le y 0) r (loop' x (add y -1) (add r x)))",
    ),
    ("pick'", &[Bool, LazyAny, Any], Any, &[], "[c x y] (if c x y)"),
    ("both'", &[Bool, Any], Any, &["pick'"], "[c x] (pick' c x x)"),
    (
        "rot'",
        &[Count, Int, LazyInt, LazyInt],
        Int,
        &[],
        "[n a b c] (if (le n 0) a (rot' (add n -1) b c a))",
    ),
    ("even'", &[Count], Bool, &["odd'"], "[n] (if (le n 0) 1 (odd' (add n -1)))"),
    ("odd'", &[Count], Bool, &["even'"], "[n] (if (le n 0) 0 (even' (add n -1)))"),
    ("sum'", &[Ints, Int], Int, &[], "[l a] (case l [(Nil) a] [(Cons x xs) (sum' xs (add a x))])"),
    (
        "rev'",
        &[Ints, LazyInts],
        Ints,
        &[],
        "[l a] (case l [(Nil) a] [(Cons x xs) (rev' xs (Cons x a))])",
    ),
    (
        "find'",
        &[Int, Table, LazyAny],
        Any,
        &[],
        "[k t z] (case t [(Nil) z] [(Cons (Pair l v) rest) (if (eq k l) v (find' k rest z))])",
    ),
    (
        "run'",
        &[Code, Int],
        Int,
        &[],
        "[p a] (case p
           [(Nil) a]
           [(Cons (Plus n) rest) (run' rest (add a n))]
           [(Cons (Times n) rest) (run' rest (mul a n))]
           [(Cons (Unless n other) rest) (if (eq a n) (run' rest a) (run' other a))]
           [(Cons Stop _) a]
           [_ (error \"no such operation\")])",
    ),
    (
        "thing'",
        &[Thing, LazyInt],
        Int,
        &[],
        "[t z] (case t [(One _) 1] [(Two f x) (f x)] [Three z])",
    ),
    (
        "nest'",
        &[Ints, Ints, LazyInt],
        Int,
        &[],
        "[a b z] (case a
           [(Cons 0 (Cons x _)) (case b [(Cons 1 _) x] [(Nil) (add x 1)] [(Cons y _) (mul x y)])]
           [(Cons x (Nil)) (case b [(Cons y (Cons 2 _)) (add x y)])]
           [(Cons x _) (add x x)]
           [_ z])",
    ),
    (
        "take'",
        &[Count, Stream],
        Ints,
        &[],
        "[n l] (case l [(Nil) Nil] [(Cons x xs) (if (le n 0) Nil (Cons x (take' (add n -1) xs)))])",
    ),
    (
        "before'",
        &[Ints],
        Ints,
        &[],
        "[l] (case l [(Nil) Nil] [(Cons x xs) (if (eq x 0) Nil (Cons x (before' xs)))])",
    ),
    (
        "fold'",
        &[Fold, Any, Ints],
        Any,
        &[],
        "[f z l] (case l [(Nil) z] [(Cons x xs) (fold' f (f z x) xs)])",
    ),
    (
        "unfold'",
        &[FoldRight, LazyAny, Ints],
        Any,
        &[],
        "[f z l] (case l [(Nil) z] [(Cons x xs) (f x (unfold' f z xs))])",
    ),
    (
        "up'",
        &[Count, Count, Int],
        Int,
        &[],
        "[n limit a] (if (ge n limit) a (up' (add n 1) limit (add a n)))",
    ),
    ("ack'", &[Count], Int, &["ackgo'"], "[n] (ackgo' 2 n)"),
    (
        "ackgo'",
        &[],
        Int,
        &[],
        "[m n] (if (le m 0) (add n 1) (if (le n 0) (ackgo' (add m -1) 1)
           (ackgo' (add m -1) (ackgo' m (add n -1)))))",
    ),
    (
        "all'",
        &[Steps, Int],
        Int,
        &[],
        "[fs x] (case fs [(Nil) x] [(Cons f rest) (all' rest (f x))])",
    ),
    (
        "adder'",
        &[Count, Int],
        Step,
        &[],
        "[n x] (if (le n 0) (add x) (adder' (add n -1) (add x n)))",
    ),
    ("first'", &[Any, LazyAny, LazyInt], Any, &[], "[x y z] x"),
    (
        "knot'",
        &[Int, LazyInt],
        Int,
        &[],
        "[n e] (letrec ([a (Cons n b)] [b (Cons e a)] [c (c c)] [d (add d 1)])
           (case a [(Cons x rest) (if (le n 0) x (case rest [(Cons y _) y] [_ d]))] [_ (c d)]))",
    ),
    (
        "total'",
        &[Tree],
        Int,
        &[],
        "[t] (case t [Leaf 0] [(Node l v r) (add (total' l) (add v (total' r)))])",
    ),
    (
        "leftmost'",
        &[Tree, LazyInt],
        Int,
        &[],
        "[t z] (case t [Leaf z] [(Node l v r) (leftmost' l v)])",
    ),
    ("twice'", &[Endo, Any], Any, &[], "[f x] (f (f x))"),
    (
        "mean'",
        &[Ints, Ints2],
        Int,
        &[],
        "[l p] (case p [(Pair s c) (case l
           [(Nil) (add s c)]
           [(Cons x xs) (mean' xs (Pair (add s x) (add c 1)))])])",
    ),
    ("grow'", &[Count, LazyInts], Ints, &[], "[n a] (if (le n 0) a (grow' (add n -1) (Cons n a)))"),
    (
        "ping'",
        &[Count, LazyInts, LazyInts],
        Ints,
        &["pong'"],
        "[n a b] (if (le n 0) a (pong' (add n -1) (Cons n b) a))",
    ),
    (
        "pong'",
        &[Count, LazyInts, LazyInts],
        Ints,
        &["ping'"],
        "[n a b] (if (le n 0) b (ping' (add n -1) b (Cons n a)))",
    ),
    ("match'", &[Text, Text], Bool, &["same'"], "[p s] (same' p s p s)"),
    (
        "same'",
        &[],
        Bool,
        &[],
        "[p s pp ss] (case p [(Nil) 1] [(Cons c cs) (case s
           [(Nil) 0]
           [(Cons d ds) (if (eq c d) (same' cs ds pp ss) (case ss
             [(Nil) 0]
             [(Cons _ rest) (same' pp rest pp rest)]))])])",
    ),
    (
        "mu'",
        &[Count, Any],
        Any,
        &["self'"],
        "[n x] (self' (MkMu (fn [m n] (if (le n 0) x (self' m (add n -1))))) n)",
    ),
    ("self'", &[], Int, &[], "[m n] (case m [(MkMu f) (f m n)])"),
    (
        "unused'",
        &[Count, LazyAny, LazyInt],
        Int,
        &[],
        "[n u v] (if (le n 0) n (unused' (add n -1) v u))",
    ),
    (
        "class'",
        &[Char, Int, LazyInt],
        Int,
        &[],
        "[c x y] (add (case c ['a' x] ['b' (add x 1)] ['\\n' y] ['z' (mul x x)] [_ 7]) x)",
    ),
    // What is made once must not be made twice, by substitution or under a lambda.
    ("shared'", &[Count], Int, &["ack'"], "[n] (let ([x (ack' n)]) (add x (mul x x)))"),
    (
        "held'",
        &[Count, Ints],
        Ints,
        &["ack'", "each'"],
        "[n l] (let ([x (ack' n)]) (each' (fn [y] (add x y)) l))",
    ),
    (
        "partial'",
        &[Count, Ints],
        Ints,
        &["ack'", "each'", "plus'"],
        "[n l] (each' (plus' (ack' n)) l)",
    ),
    ("plus'", &[Int, Int], Int, &[], "[x y] (add x y)"),
    (
        "each'",
        &[Step, Ints],
        Ints,
        &[],
        "[f l] (case l [(Nil) Nil] [(Cons x xs) (Cons (f x) (each' f xs))])",
    ),
    ("branch'", &[Bool, Count], Int, &["ack'"], "[c n] (let ([x (ack' n)]) (if c (add x x) 3))"),
    (
        "field'",
        &[Count, LazyInt],
        Int,
        &["ack'"],
        "[n z] (let ([p (Pair (ack' n) z)]) (case p [(Pair a b) (if (le n 1) (add a a) b)]))",
    ),
    ("nats'", &[], Stream, &["from'"], "[] (from' 0)"),
    ("from'", &[Int], Stream, &[], "[n] (Cons n (from' (add n 1)))"),
    ("ones'", &[], Stream, &[], "[] (Cons 1 ones')"),
    ("work'", &[], Int, &["ack'"], "[] (ack' 3)"),
    ("fails'", &[], Int, &[], "[] (error \"a constant\")"),
    ("guard'", &[Bool], Int, &["fails'"], "[c] (if c 5 fails')"),
    ("table'", &[], Ints, &[], "[] [1 4 9 16]"),
    (
        "scan'",
        &[Count],
        Int,
        &["work'", "table'", "total2'"],
        "[n] (if (le n 0) 0 (add (total2' table') (add work' (scan' (add n -1)))))",
    ),
    // What instructions and the collector seldom get from small programs: thunks of three
    // integers, partial applications that know themselves, selections, deep recursion, integers
    // that are large even for integers.
    (
        "cheap'",
        &[Int, Int, Int, Count],
        Ints,
        &[],
        "[a b c n] (if (ge (add a (mul b c)) (add n 40))
           (Cons (sub (add a b) c) (Cons (add a (sub c b)) Nil))
           (if (le n 0) Nil (Cons (add (add a c) b) (cheap' b c (add a 1) (add n -1)))))",
    ),
    (
        "paps'",
        &[Int, Count],
        Int,
        &["three'"],
        "[x n] (letrec ([f (three' g x)] [g (Pair f h)] [h (three' g (f n))])
           (case g [(Pair i j) (if (le n 1) (i n) (j x))]))",
    ),
    ("three'", &[], Int, &[], "[p x y] (case p [(Pair f _) (if (le y 0) x (f (add y -9)))])"),
    (
        "halves'",
        &[Ints],
        Ints,
        &["split'", "join'"],
        "[l] (let ([p (split' l)]) (join' (snd' p) (fst' p)))",
    ),
    (
        "split'",
        &[],
        Ints,
        &["fst'", "snd'"],
        "[l] (case l [(Nil) (Pair Nil Nil)]
           [(Cons x xs) (let ([r (split' xs)]) (Pair (Cons x (snd' r)) (fst' r)))])",
    ),
    ("fst'", &[], Int, &[], "[p] (case p [(Pair a _) a])"),
    ("snd'", &[], Int, &[], "[p] (case p [(Pair _ b) b])"),
    ("join'", &[], Ints, &[], "[a b] (case a [(Nil) b] [(Cons x xs) (Cons x (join' xs b))])"),
    ("deep'", &[Count], Int, &["deepgo'"], "[n] (deepgo' (mul n 2500))"),
    ("deepgo'", &[], Int, &[], "[n] (if (le n 0) 0 (add 1 (deepgo' (add n -1))))"),
    (
        "huge'",
        &[Count, Int],
        Int,
        &["hugego'"],
        "[n x] (rem (hugego' (add 12 (rem n 2)) (add x 100000000000000000000)) 1000003)",
    ),
    // Several such integers, all of them kept.
    (
        "holdhuge'",
        &[Count, Int],
        Int,
        &["holdgo'", "rests2'"],
        "[n x] (rests2' (holdgo' (add 11 (rem n 3)) (add x 100000000000000000000) Nil) 0)",
    ),
    (
        "holdgo'",
        &[],
        Ints,
        &[],
        "[n x l] (if (le n 0) l (holdgo' (add n -1) (mul x x) (Cons x l)))",
    ),
    (
        "rests2'",
        &[],
        Int,
        &[],
        "[l a] (case l [(Nil) a] [(Cons x xs) (rests2' xs (add (mul a 7) (rem x 1000003)))])",
    ),
    // What comes out of a choice are two values, and goes on in one place.
    (
        "squeeze'",
        &[Count, Int, Int],
        Int,
        &["pairs'"],
        "[n x y] (case (pairs' n x y) [(Pair a b) (if (le n 0) (add a (mul b x))
           (add (mul a 3) (add (squeeze' (add n -1) (sub b a) (add a y)) (mul b (add a x)))))])",
    ),
    (
        "pairs'",
        &[],
        Int,
        &[],
        "[n x y] (case (Pair x y) [(Pair v w) (if (gt v w) (Pair (add w n) v)
           (case (rem v 3) [0 (Pair w (sub v n))] [1 (Pair v n)] [_ (Pair n (add v w))]))])",
    ),
    (
        "zips'",
        &[Ints, Ints, Int],
        Int,
        &["before'"],
        "[l m x] (case (case l [(Cons y ys) (case m [(Cons z zs) (if (gt y z) (Two (add z x) ys)
             (Two (add y x) zs))] [(Nil) (Two y ys)])] [(Nil) (case m [(Cons z zs) (Two z zs)]
             [(Nil) Three])])
           [(Two a rest) (add (mul 5 a) (zips' rest (before' m) (sub (mul a 2) x)))] [_ x])",
    ),
    // Every operation on what the run alone knows, with and without a constant.
    (
        "ops'",
        &[Int, Int, Count],
        Int,
        &[],
        "[x y n] (if (le n 0) (add x y) (ops' (sub 9 (div x 4)) (floordiv y 3) (add n -1)))",
    ),
    (
        "rests'",
        &[Int, Int, Count],
        Int,
        &[],
        "[x y n] (if (le n 0) (sub x y) (rests'
           (add (mod x 5) (rem y 7))
           (add (negate x) (add (floordiv y (add 2 (mul x x))) (add (mod x (add 1 (mul y y)))
             (add (rem y (add 3 (mul x x))) (div x (add 4 (mul y y)))))))
           (add n -1)))",
    ),
    (
        "tests'",
        &[Int, Int, Count],
        Int,
        &[],
        "[x y n] (if (le n 0) 0
           (if (ge x 4) (add 1 (tests' (sub y x) x (add n -1)))
           (if (neq y -1) (add 2 (tests' (add x 3) (sub y 1) (add n -1)))
           (if (ge x y) (add 3 (tests' (add y 9) 2 (add n -1)))
           (if (neq x y) (add 4 (tests' y (add x 1) (add n -1)))
           (if (le y x) 5 (if (lt x y) 6 (if (gt x y) 7 8))))))))",
    ),
    (
        "truths'",
        &[Int, Int, Count],
        Int,
        &[],
        "[x y n] (if (le n 0) 0 (add (mul 16 (truths' (add y 1) (sub x y) (add n -1)))
           (add (ge x y) (mul 2 (add (neq x y) (mul 2 (add (le x y) (mul 2 (add (gt x y)
             (mul 2 (eq x (lt y x))))))))))))",
    ),
    (
        "wide'",
        &[Count, Arg::Wide],
        Int,
        &[],
        "[n w] (case w [(Wide a b c d e) (if (le n 0) (add a (add c e))
           (add 1 (wide' (add n -1) (Wide c b e d a))))] [Narrow 0])",
    ),
    (
        "letters'",
        &[Text],
        Text,
        &[],
        "[t] (case t [(Nil) Nil] [(Cons c cs) (Cons (if (ge c 'b') (chr (add (ord c) 1))
           (if (neq c 'a') 'x' c)) (letters' cs))])",
    ),
    ("hugego'", &[], Int, &[], "[n x] (if (le n 0) x (hugego' (add n -1) (mul x x)))"),
    ("total2'", &[Ints], Int, &[], "[l] (case l [(Nil) 0] [(Cons x xs) (add x (total2' xs))])"),
];

/// Functions that get to what others seldom get to: they are called more often.
const SELDOM: &[&str] = &[
    "cheap'",
    "paps'",
    "halves'",
    "deep'",
    "huge'",
    "ops'",
    "rests'",
    "tests'",
    "truths'",
    "wide'",
    "letters'",
    "holdhuge'",
    "squeeze'",
    "zips'",
];

/// Data types that functions of the kit use.
pub const DATA: &[&str] = &[
    "(data Op (Plus n) (Times n) (Unless n other) (Stop) (Crash))",
    "(data Thing (One x) (Two f x) (Three))",
    "(data Mu (MkMu unroll))",
];

fn entry(name: &str) -> Option<&'static Entry> {
    KIT.iter().find(|entry| entry.0 == name)
}

impl Gen {
    /// Returns the definitions that have been used, and those that they use.
    pub(super) fn kit_items(&self) -> Vec<String> {
        let mut found: Vec<&Entry> = Vec::new();
        let mut work = self.kit.clone();
        while let Some(name) = work.pop() {
            if found.iter().all(|entry| entry.0 != name)
                && let Some(entry) = entry(name)
            {
                found.push(entry);
                work.extend(entry.3);
            }
        }
        let mut items: Vec<String> =
            found.iter().map(|(name, .., text)| format!("(defn {name}{text})")).collect();
        for data in DATA {
            let cons = data.split('(').skip(2).filter_map(|con| con.split([' ', ')']).next());
            let used = |con: &str| items.iter().any(|item| item.contains(con));
            if cons.collect::<Vec<_>>().into_iter().any(used) {
                items.push((*data).to_owned());
            }
        }
        items
    }

    /// Generates a call of a function of the kit.
    pub(super) fn kit_call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let makes = |result: Arg| match result {
            Any => true,
            Int => *ty == Ty::Int,
            Bool => *ty == Ty::Bool || *ty == Ty::Int,
            Ints => *ty == Ty::Ints,
            Text => *ty == Ty::Text,
            Stream => *ty == Ty::Stream,
            Step => *ty == fun(&[Ty::Int], Ty::Int),
            _ => false,
        };
        // Those without parameters in the table need more than types tell, unless they are
        // constants.
        let fits =
            |entry: &&Entry| makes(entry.2) && (!entry.1.is_empty() || entry.4.starts_with("[]"));
        let mut found: Vec<&Entry> = KIT.iter().filter(fits).collect();
        if self.dice.one_in(4) && found.iter().any(|entry| SELDOM.contains(&entry.0)) {
            found.retain(|entry| SELDOM.contains(&entry.0));
        }
        let &(name, params, ..) = found[self.dice.roll(found.len())];
        let mut args = Vec::new();
        for &param in params {
            args.push(self.kit_arg(param, ty, depth)?);
        }
        self.kit.push(name);
        Some(self.app(name, &args))
    }

    fn kit_arg(&mut self, arg: Arg, ty: &Ty, depth: usize) -> Option<String> {
        let of = match arg {
            Int => Ty::Int,
            Bool => Ty::Bool,
            Char => Ty::Char,
            Text => Ty::Text,
            Ints => Ty::Ints,
            Tree => Ty::Tree,
            Stream => Ty::Stream,
            Any => ty.clone(),
            Table => Ty::List(Rc::new(Ty::Pair(Rc::new((Ty::Int, ty.clone()))))),
            Step => fun(&[Ty::Int], Ty::Int),
            Steps => Ty::List(Rc::new(fun(&[Ty::Int], Ty::Int))),
            Fold => fun(&[ty.clone(), Ty::Int], ty.clone()),
            FoldRight => fun(&[Ty::Int, ty.clone()], ty.clone()),
            Endo => fun(std::slice::from_ref(ty), ty.clone()),
            Ints2 => Ty::Pair(Rc::new((Ty::Int, Ty::Int))),
            Count => return Some(self.count()),
            LazyInt => return Some(self.unneeded(&Ty::Int, depth)),
            LazyAny => return Some(self.unneeded(ty, depth)),
            LazyInts => return Some(self.unneeded(&Ty::Ints, depth)),
            Code => return Some(self.code(2, depth)),
            Thing => return Some(self.thing(depth)),
            Arg::Wide => Ty::Wide,
        };
        Some(self.expr(&of, depth))
    }

    /// Generates a small number: known, or one that only the run knows.
    pub(super) fn count(&mut self) -> String {
        let dynamic: Vec<String> = self
            .locals
            .iter()
            .filter(|(name, _)| name == "n" || name == super::SMALL)
            .map(|(name, _)| name.clone())
            .collect();
        if dynamic.is_empty() || self.dice.one_in(2) {
            return self.dice.roll(5).to_string();
        }
        dynamic[self.dice.roll(dynamic.len())].clone()
    }

    /// Generates a program of the interpreter.
    fn code(&mut self, nesting: usize, depth: usize) -> String {
        let mut out = Vec::new();
        for _ in 0..self.dice.roll(5) {
            let operation = match self.dice.roll(8) {
                0..=2 => format!("(Plus {})", self.expr(&Ty::Int, depth.min(1))),
                3..=4 => format!("(Times {})", self.expr(&Ty::Int, depth.min(1))),
                5 if nesting > 0 => {
                    format!("(Unless {} {})", self.small(), self.code(nesting - 1, depth))
                }
                6 => "Crash".to_owned(),
                _ => "Stop".to_owned(),
            };
            out.push(operation);
        }
        if self.dice.one_in(6) && self.visible("Cons") {
            // What follows a stop is not looked at.
            let rest = format!("(Cons Stop {})", self.bottom());
            return out.iter().rev().fold(rest, |rest, op| format!("(Cons {op} {rest})"));
        }
        format!("[{}]", out.join(" "))
    }

    fn thing(&mut self, depth: usize) -> String {
        self.kit.push("thing'");
        match self.dice.roll(3) {
            0 => format!("(One {})", self.unneeded(&Ty::Int, depth)),
            1 => {
                let f = self.expr(&fun(&[Ty::Int], Ty::Int), depth);
                format!("(Two {f} {})", self.unneeded(&Ty::Int, depth))
            }
            _ => "Three".to_owned(),
        }
    }
}
