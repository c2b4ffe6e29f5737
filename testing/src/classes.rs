//! Random programs with classes, as they are without types: dictionaries with methods by default, of numbers,
//! lists and pairs, made by functions of each other, as constants, by choices or slowly, with parts that fail or
//! are large; and functions for any instance, which give dictionaries on, make others of them, store them, and
//! are recursive in the instance.

use std::fmt::Write as _;

use crate::dice::Dice;

/// What all programs have.
const KIT: &str = "
(data Order (Order less same most size more base))
(data Keep (Keep f d))
(defn less[d] (case d [(Order f _ _ _ _ _) f])) (defn same[d] (case d [(Order _ f _ _ _ _) f]))
(defn most[d] (case d [(Order _ _ f _ _ _) f])) (defn size[d] (case d [(Order _ _ _ f _ _) f]))
(defn more[d] (case d [(Order _ _ _ _ x _) x])) (defn base[d] (case d [(Order _ _ _ _ _ x) x]))
(defn bydefault[d a b] (if (less d a b) b a))
(defn numbers[] (Order lt eq (fn [a b] (bydefault numbers a b)) abs [1 2] numbers))
(defn down[] (Order gt eq (bydefault down) (fn [x] (sub 9 x)) Nil numbers))
(defn lists[d] (letrec ([own (Order (shorter d) (alike d) (bydefault own) (fn [xs] (sum (map (size d) xs))) (more d) (base d))]) own))
(defn shorter[d xs ys] (case ys [Nil 0] [(Cons y v) (case xs [Nil 1] [(Cons x u)
  (if (less d x y) 1 (if (same d x y) (shorter d u v) 0))])]))
(defn alike[d xs ys] (case xs [Nil (isNil ys)] [(Cons x u) (case ys [Nil 0] [(Cons y v) (if (same d x y) (alike d u v) 0)])]))
(defn pairs[d e] (letrec ([own (Order
  (fn [p q] (if (less d (fst p) (fst q)) 1 (if (same d (fst p) (fst q)) (less e (snd p) (snd q)) 0)))
  (fn [p q] (if (same d (fst p) (fst q)) (same e (snd p) (snd q)) 0))
  (fn [p q] (bydefault own p q)) (fn [p] (add (size d (fst p)) (size e (snd p)))) (append (more d) (more e)) (base e))]) own))
(defn turned[d] (case d [(Order l s _ z m b) (letrec ([own (Order (fn [x y] (l y x)) s (bydefault own) z m b)]) own)]))
(defn large[d] (case d [(Order l s t z _ b) (Order l s t z (map (add 1) (range 1 150)) b)]))
(defn failing[d] (case d [(Order l s t z _ b) (Order l s t z (error \"no more\") b)]))
(defn slowly[k d] (if (le k 0) d (slowly (sub k 1) d)))
(defn evaluated[d] (seq d d))
(defn deep[d n x] (if (le n 0) (size d x) (add (size d x) (deep (pairs d d) (sub n 1) (Pair x x)))))
(defn greatest[d xs] (case xs [(Cons x t) (foldl (most d) x t)]))
(defn insert'[d x xs] (case xs [Nil [x]] [(Cons y t) (if (less d y x) (Cons y (insert' d x t)) (Cons x xs))]))
";

/// What a dictionary orders.
#[derive(Clone, PartialEq, Eq)]
enum Type {
    Number,
    /// What a function orders for any instance.
    Any,
    List(Box<Type>),
    Pair(Box<Type>, Box<Type>),
}

struct Gen {
    dice: Dice,
    /// The constants so far: they and functions refer to earlier ones alone.
    constants: Vec<(String, Type)>,
    /// How many functions there are for any instance; each is given a dictionary and two values.
    functions: usize,
}

/// Generates a program from a seed.
pub fn program(seed: u64) -> String {
    let mut it = Gen { dice: Dice::new(seed ^ 0xC1A5), constants: Vec::new(), functions: 0 };
    let mut text = String::new();
    for at in 0..2 + it.dice.roll(3) {
        let of = it.a_type(2);
        let body = it.dictionary(&of, 3);
        let _ = writeln!(text, "(defn c{at}[] {body})");
        it.constants.push((format!("c{at}"), of));
    }
    for at in 0..2 + it.dice.roll(4) {
        let body = it.int(3);
        let _ = writeln!(text, "(defn f{at}[d x y] {body})");
        it.functions += 1;
    }
    let results: Vec<String> = (0..2 + it.dice.roll(3)).map(|_| it.result()).collect();
    format!("(defn main[input] (let ([n (length input)]) [{}]))\n{text}{KIT}", results.join("\n  "))
}

impl Gen {
    fn a_type(&mut self, depth: usize) -> Type {
        match self.dice.roll(if depth == 0 { 1 } else { 4 }) {
            1 => Type::List(Box::new(self.a_type(depth - 1))),
            2 => Type::Pair(Box::new(self.a_type(depth - 1)), Box::new(self.a_type(depth - 1))),
            _ => Type::Number,
        }
    }

    /// Generates a dictionary for a type. In scope are `d`, for any type, and in it nothing else.
    fn dictionary(&mut self, of: &Type, depth: usize) -> String {
        if *of == Type::Any && (depth == 0 || !self.dice.one_in(4)) {
            return "d".into();
        }
        let fitting: Vec<String> = self
            .constants
            .iter()
            .filter(|(_, kind)| kind == of)
            .map(|(name, _)| name.clone())
            .collect();
        if !fitting.is_empty() && self.dice.one_in(2) {
            return fitting[self.dice.roll(fitting.len())].clone();
        }
        if depth > 0 && self.dice.one_in(3) {
            let inner = self.dictionary(of, depth - 1);
            return match self.dice.roll(6) {
                0 => format!("(slowly {} {inner})", self.dice.roll(30)),
                1 => format!("(turned {inner})"),
                2 => format!("(large {inner})"),
                3 => format!("(failing {inner})"),
                4 => format!("(evaluated {inner})"),
                _ => format!("(if (gt (size numbers {}) 2) {inner} {inner})", self.dice.roll(6)),
            };
        }
        let less = depth.saturating_sub(1);
        match of {
            Type::Any => "d".into(),
            Type::Number if depth > 0 && self.dice.one_in(4) => {
                let from = self.a_type(1);
                format!("(base {})", self.dictionary(&from, less))
            }
            Type::Number => self.dice.pick(&["numbers", "down"]).into(),
            Type::List(of) => format!("(lists {})", self.dictionary(of, less)),
            Type::Pair(a, b) => {
                let (a, b) = (self.dictionary(a, less), self.dictionary(b, less));
                format!("(pairs {a} {b})")
            }
        }
    }

    fn value(&mut self, of: &Type) -> String {
        match of {
            Type::Any => self.dice.pick(&["x", "y", "(most d x y)"]).into(),
            Type::Number if self.functions == 0 || self.dice.one_in(2) => {
                self.dice.roll(9).to_string()
            }
            Type::Number => self.dice.pick(&["3", "(div 7 2)", "(slowly 9 4)"]).into(),
            Type::List(of) => {
                let items: Vec<String> = (0..self.dice.roll(4)).map(|_| self.value(of)).collect();
                format!("[{}]", items.join(" "))
            }
            Type::Pair(a, b) => format!("(Pair {} {})", self.value(a), self.value(b)),
        }
    }

    /// Generates what a function for any instance computes of `d`, `x` and `y`.
    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.roll(4) {
                0 => "(size d x)".into(),
                1 => "(size d (most d x y))".into(),
                2 => self.dice.roll(9).to_string(),
                _ => "(less d x y)".into(),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        let of = match self.dice.roll(4) {
            0 => Type::List(Box::new(Type::Any)),
            1 => Type::Pair(Box::new(Type::Any), Box::new(Type::Any)),
            2 => Type::Pair(Box::new(Type::Any), Box::new(Type::Number)),
            _ => Type::Any,
        };
        let (d, u, v) = (self.dictionary(&of, 2), self.value(&of), self.value(&of));
        let function = match self.functions {
            0 => "deep".to_owned(),
            functions => format!("f{}", self.dice.roll(functions)),
        };
        let is_deep = function == "deep";
        let call = |d: &str, u: &str, v: &str| match is_deep {
            true => format!("(deep {d} 2 {u})"),
            false => format!("({function} {d} {u} {v})"),
        };
        match self.dice.roll(9) {
            0 => format!("(if (less {d} {u} {v}) {a} {b})"),
            1 => format!("(let ([e {d}]) (add {} {a}))", call("e", &u, &v)),
            2 => format!("(sum (map (size {d}) [{u} {v}]))"),
            3 => format!("(case {d} [(Order l _ m z _ _) (if (l {u} {v}) (z (m {u} {v})) {a})])"),
            4 => format!(
                "(let ([k (Keep (most {d} {u}) {d})]) (case k [(Keep f e) (size e (f {v}))]))"
            ),
            5 => format!("(add (length (more {d})) {a})"),
            6 => format!("(size {d} (greatest {d} (foldr (insert' {d}) Nil [{u} {v} {u}])))"),
            7 => call(&d, &u, &v),
            _ => format!("(rem (add {a} (mul 3 {b})) 97)"),
        }
    }

    fn result(&mut self) -> String {
        let of = self.a_type(2);
        let (d, u, v) = (self.dictionary(&of, 3), self.value(&of), self.value(&of));
        let d = match self.dice.one_in(5) {
            true => format!("(if (gt n 2) {d} {})", self.dictionary(&of, 2)),
            false => d,
        };
        match self.dice.roll(5) {
            0 => format!("(size {d} (greatest {d} [{u} {v}]))"),
            1 => format!("(length (take (add n 2) (more {d})))"),
            2 => format!("(deep {d} {} {u})", self.dice.roll(5)),
            _ => format!("(f{} {d} {u} {v})", self.dice.roll(self.functions)),
        }
    }
}
