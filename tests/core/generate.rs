//! Random programs, from a string of choices.

/// Choices; when they run out, the simplest one is taken.
pub struct Choices<'a> {
    bytes: &'a [u8],
    /// How many names and errors there have been, so that each is of its own.
    count: usize,
}

/// Types of generated patterns and values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Int,
    Char,
    /// `(data T (A) (B Int) (C T Int))`
    T,
    /// `(data P (P T List))`
    P,
    /// A list of integers.
    List,
    /// A list of characters.
    Text,
}

use Type::{Char, Int, List, P, T, Text};

const TYPES: [Type; 6] = [P, T, List, Int, Text, Char];

/// The data types that the programs use.
pub const DATA: &str = "(data T (A) (B b) (C c d)) (data P (P p q))\n";

impl Choices<'_> {
    pub fn new(bytes: &[u8]) -> Choices<'_> {
        Choices { bytes, count: 0 }
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        match self.bytes.split_first() {
            Some((&first, rest)) => {
                self.bytes = rest;
                first as usize % n
            }
            None => 0,
        }
    }

    fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// A pattern; its variables are appended to `names`.
    fn pattern(&mut self, of: Type, depth: usize, names: &mut Vec<String>) -> String {
        let kind = self.below(if depth == 0 { 2 } else { 6 });
        if kind == 0 {
            return "_".to_owned();
        }
        if kind == 1 {
            let name = format!("v{}", self.fresh());
            names.push(name.clone());
            return name;
        }
        let depth = depth.saturating_sub(1);
        match of {
            Int => ["0", "1", "2"][self.below(3)].to_owned(),
            Char => ["'a'", "'b'"][self.below(2)].to_owned(),
            T => match self.below(4) {
                0 => "A".to_owned(),
                1 => "(A)".to_owned(),
                2 => format!("(B {})", self.pattern(Int, depth, names)),
                _ => {
                    let first = self.pattern(T, depth, names);
                    format!("(C {first} {})", self.pattern(Int, depth, names))
                }
            },
            P => {
                let first = self.pattern(T, depth, names);
                format!("(P {first} {})", self.pattern(List, depth, names))
            }
            List | Text => match self.below(if of == Text { 5 } else { 3 }) {
                0 => "(Nil)".to_owned(),
                1 | 2 => {
                    let of_head = if of == Text { Char } else { Int };
                    let head = self.pattern(of_head, depth, names);
                    format!("(Cons {head} {})", self.pattern(of, depth, names))
                }
                3 => "\"a\"".to_owned(),
                _ => ["\"\"", "\"ab\"", "\"ba\""][self.below(3)].to_owned(),
            },
        }
    }

    /// A value with failures in it.
    fn value(&mut self, of: Type, depth: usize) -> String {
        match self.below(16) {
            15 => return format!("(error \"{}\")", self.fresh()),
            // Now and then something of another kind.
            14 if self.below(4) == 3 => {
                let other = TYPES[self.below(TYPES.len())];
                return self.value(other, depth.saturating_sub(1));
            }
            _ => {}
        }
        let inner = depth.saturating_sub(1);
        let small = depth == 0;
        match of {
            Int => ["0", "1", "2", "3"][self.below(4)].to_owned(),
            Char => ["'a'", "'b'", "'c'"][self.below(3)].to_owned(),
            T => match if small { 0 } else { self.below(4) } {
                0 => "A".to_owned(),
                1 => format!("(B {})", self.value(Int, inner)),
                _ => format!("(C {} {})", self.value(T, inner), self.value(Int, inner)),
            },
            P => format!("(P {} {})", self.value(T, inner), self.value(List, inner)),
            List | Text => match if small { 0 } else { self.below(4) } {
                0 => "Nil".to_owned(),
                _ => {
                    let head = self.value(if of == Text { Char } else { Int }, inner);
                    format!("(Cons {head} {})", self.value(of, inner))
                }
            },
        }
    }

    /// A program that matches a value against rows of patterns; it shows which row was
    /// taken and what its variables stand for.
    pub fn match_program(&mut self) -> String {
        let of = TYPES[self.below(TYPES.len())];
        let rows = 1 + self.below(7);
        let mut alts = String::new();
        for row in 0..rows {
            let mut names = Vec::new();
            let pattern = self.pattern(of, 4, &mut names);
            alts.push_str(&format!("\n  [{pattern} [{row} {}]]", names.join(" ")));
        }
        let value = self.value(of, 5);
        match self.below(3) {
            0 => format!("{DATA}(defn f[s] (case s{alts}))\n(defn main[] (f {value}))"),
            1 => format!("{DATA}(defn main[] (case {value}{alts}))"),
            _ => format!("{DATA}(defn f[s] (Cons (case s{alts}) Nil))\n(defn main[] (f {value}))"),
        }
    }
}

/// What a generated expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    /// A function of one number, or of two.
    Function1,
    Function2,
    Numbers,
}

use Kind::{Function1, Function2, Number, Numbers};

type Scope = Vec<(String, Kind)>;

impl Choices<'_> {
    /// A program of local functions and data that capture each other.
    pub fn function_program(&mut self) -> String {
        let mut scope: Scope = vec![
            ("f".to_owned(), Function1),
            ("g".to_owned(), Function2),
            ("xs".to_owned(), Numbers),
        ];
        let (f, g, xs) = {
            let with = |names: &[&str]| {
                let mut inner = scope.clone();
                inner.extend(names.iter().map(|name| ((*name).to_owned(), Number)));
                inner
            };
            let (f, g) = (with(&["a"]), with(&["a", "b"]));
            (self.expr(Number, &f, 4), self.expr(Number, &g, 4), self.expr(Numbers, &scope, 3))
        };
        scope.truncate(3);
        let main = self.expr(Number, &scope, 5);
        let rest = self.expr(Numbers, &scope, 5);
        format!(
            "(defn f[a] {f})\n(defn g[a b] {g})\n(defn xs[] {xs})\n\
             (defn main[] (Cons {main} {rest}))"
        )
    }

    fn variable(&mut self, kind: Kind, scope: &Scope) -> Option<String> {
        let fitting: Vec<&String> =
            scope.iter().filter(|(_, of)| *of == kind).map(|(name, _)| name).collect();
        if fitting.is_empty() {
            return None;
        }
        // The later ones are the local ones: they come first.
        let at = self.below(fitting.len());
        Some(fitting[fitting.len() - 1 - at].clone())
    }

    fn name(&mut self, scope: &mut Scope, kind: Kind) -> String {
        // Names are used again, so that they shadow each other.
        let name = format!("{}{}", ["n", "h", "k", "ys"][kind as usize], self.below(3));
        scope.retain(|(other, _)| *other != name);
        scope.push((name.clone(), kind));
        name
    }

    fn expr(&mut self, kind: Kind, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.below(6) == 0 {
            let variable = self.variable(kind, scope);
            return match (variable, kind) {
                (Some(name), _) if self.below(4) != 3 => name,
                (_, Number) => self.below(4).to_string(),
                (_, Function1) => "(add 1)".to_owned(),
                (_, Function2) => "sub".to_owned(),
                (_, Numbers) => "Nil".to_owned(),
            };
        }
        let d = depth - 1;
        match self.below(12) {
            0 | 1 => self.letrec(kind, scope, d),
            2 => {
                let bound = [Number, Function1, Function2, Numbers][self.below(4)];
                let value = self.expr(bound, scope, d);
                let mut inner = scope.clone();
                let name = self.name(&mut inner, bound);
                format!("(let ([{name} {value}]) {})", self.expr(kind, &inner, d))
            }
            3 => {
                let list = self.expr(Numbers, scope, d);
                let nil = self.expr(kind, scope, d);
                let mut inner = scope.clone();
                let head = self.name(&mut inner, Number);
                let tail = self.name(&mut inner, Numbers);
                let cons = self.expr(kind, &inner, d);
                format!("(case {list} [(Nil) {nil}] [(Cons {head} {tail}) {cons}])")
            }
            4 => {
                let number = self.expr(Number, scope, d);
                let one = self.expr(kind, scope, d);
                let mut inner = scope.clone();
                let name = self.name(&mut inner, Number);
                let other = self.expr(kind, &inner, d);
                format!("(case {number} [{} {one}] [{name} {other}])", self.below(3))
            }
            5 => {
                let condition =
                    format!("(le {} {})", self.expr(Number, scope, d), self.expr(Number, scope, d));
                let one = self.expr(kind, scope, d);
                format!("(if {condition} {one} {})", self.expr(kind, scope, d))
            }
            6 => format!("(seq {} {})", self.expr(Numbers, scope, d), self.expr(kind, scope, d)),
            7 if self.below(4) == 0 => format!("(error \"{}\")", self.fresh()),
            8 => {
                let mut inner = scope.clone();
                let name = self.name(&mut inner, Number);
                let body = self.expr(kind, &inner, d);
                format!("((fn [{name}] {body}) {})", self.expr(Number, scope, d))
            }
            _ => self.of_kind(kind, scope, d),
        }
    }

    fn of_kind(&mut self, kind: Kind, scope: &Scope, d: usize) -> String {
        let mut inner = scope.clone();
        match (kind, self.below(3)) {
            (Number, 0) => {
                format!("({} {})", self.expr(Function1, scope, d), self.expr(Number, scope, d))
            }
            (Number, 1) => {
                let function = self.expr(Function2, scope, d);
                let one = self.expr(Number, scope, d);
                format!("({function} {one} {})", self.expr(Number, scope, d))
            }
            (Number, _) => {
                format!("(add {} {})", self.expr(Number, scope, d), self.expr(Number, scope, d))
            }
            (Function1, 0) => {
                format!("({} {})", self.expr(Function2, scope, d), self.expr(Number, scope, d))
            }
            (Function1, _) => {
                let name = self.name(&mut inner, Number);
                format!("(fn [{name}] {})", self.expr(Number, &inner, d))
            }
            (Function2, 0) => {
                let name = self.name(&mut inner, Number);
                format!("(fn [{name}] {})", self.expr(Function1, &inner, d))
            }
            (Function2, _) => {
                let one = self.name(&mut inner, Number);
                inner.push(("last".to_owned(), Number));
                format!("(fn [{one} last] {})", self.expr(Number, &inner, d))
            }
            (Numbers, _) => {
                format!("(Cons {} {})", self.expr(Number, scope, d), self.expr(Numbers, scope, d))
            }
        }
    }

    fn letrec(&mut self, kind: Kind, scope: &Scope, d: usize) -> String {
        let mut inner = scope.clone();
        let count = 1 + self.below(3);
        let mut bound: Vec<(String, Kind)> = Vec::new();
        for _ in 0..count {
            let of = [Function1, Numbers, Function2][self.below(3)];
            let name = self.name(&mut inner, of);
            if bound.iter().all(|(other, _)| *other != name) {
                bound.push((name, of));
            }
        }
        let mut text = String::new();
        for (name, of) in bound {
            let value = match of {
                // Recursion that may end.
                Function1 => {
                    let mut within = inner.clone();
                    within.push(("m".to_owned(), Number));
                    let end = self.expr(Number, &within, d.saturating_sub(1));
                    let step = self.expr(Number, &within, d);
                    format!("(fn [m] (if (le m 0) {end} (add ({name} (sub m 1)) {step})))")
                }
                _ => self.of_kind(of, &inner, d),
            };
            text.push_str(&format!("[{name} {value}]"));
        }
        format!("(letrec ({text}) {})", self.expr(kind, &inner, d))
    }
}
