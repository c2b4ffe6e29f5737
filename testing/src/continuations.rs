//! Random programs in continuation-passing style: definitions in a chain, each of which takes
//! functions for what follows and ends in one of them, or in the definition before it with a longer
//! one. What the functions hold may be thunks that take work, fail or are never asked for; branches
//! end in different ones, the same one is called in several branches, more than once, or not at an end,
//! and with values of which something is known.

use std::fmt::Write as _;

use crate::dice::Dice;

/// What all programs have.
const KIT: &str = "
(defn slow[x] (walk x [1 2 3 4]))
(defn walk[a l] (case l [Nil a] [(Cons x t) (walk (rem (add (mul 3 a) x) 97) t)]))
(defn weigh[v] (case v [(Pair a b) (add a (mul 2 b))]))
(defn size[v] (case v [Nothing 0] [(Just a) a]))
";

/// What a continuation takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Int,
    Pair,
    Maybe,
    /// An integer, and a continuation that takes one.
    Both,
}

const TAKES: [Takes; 4] = [Takes::Int, Takes::Pair, Takes::Maybe, Takes::Both];

struct Gen {
    dice: Dice,
    /// What the continuation of each definition so far takes.
    made: Vec<Takes>,
    /// Integers in scope.
    ints: Vec<String>,
    /// Continuations in scope.
    functions: Vec<(String, Takes)>,
    /// How many more calls of definitions there may be in the expression that is made.
    calls: usize,
    fresh: usize,
}

/// Generates a program from a seed.
pub fn program(seed: u64) -> String {
    let dice = Dice::new(seed ^ 0xC0_47);
    let (ints, functions) = (Vec::new(), Vec::new());
    let mut it = Gen { dice, made: Vec::new(), ints, functions, calls: 0, fresh: 0 };
    let mut text = String::new();
    for at in 0..2 + it.dice.roll(18) {
        // Long chains of one kind, mostly.
        let takes = match it.made.last() {
            Some(&last) if !it.dice.one_in(3) => last,
            _ => TAKES[it.dice.roll(TAKES.len())],
        };
        it.ints = vec!["x".into(), "y".into()];
        it.functions = vec![("k".into(), takes)];
        it.calls = 4;
        let body = it.end(2);
        let _ = writeln!(text, "(defn c{at}[x y k] {body})");
        it.made.push(takes);
    }
    it.ints = vec!["n".into()];
    it.functions.clear();
    let results: Vec<String> = (0..1 + it.dice.roll(3)).map(|_| it.result()).collect();
    format!("(defn main[input] (let ([n (length input)]) [{}]))\n{text}{KIT}", results.join("\n  "))
}

impl Gen {
    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(2) {
            return match self.dice.one_in(3) {
                true => self.dice.roll(6).to_string(),
                false => self.ints[self.dice.roll(self.ints.len())].clone(),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.dice.roll(6) {
            0 => format!("(slow {a})"),
            1 => format!("(sub {a} {b})"),
            2 => format!("(if (gt {a} 2) {b} 3)"),
            3 => format!("(div {a} {b})"),
            _ => format!("(add {a} {b})"),
        }
    }

    /// Generates the arguments of a continuation.
    fn given(&mut self, takes: Takes) -> String {
        let a = self.int(2);
        match takes {
            Takes::Int => a,
            Takes::Pair => format!("(Pair {a} {})", self.int(1)),
            Takes::Maybe if self.dice.one_in(3) => "Nothing".into(),
            Takes::Maybe => format!("(Just {a})"),
            Takes::Both => format!("{a} {}", self.function(Takes::Int, 0)),
        }
    }

    /// Generates a continuation: one that is there, or one that goes on with it.
    fn function(&mut self, takes: Takes, depth: usize) -> String {
        let there: Vec<usize> =
            (0..self.functions.len()).filter(|&at| self.functions[at].1 == takes).collect();
        if depth == 0 && there.is_empty() && takes == Takes::Int {
            return format!("(add {})", self.int(1));
        }
        if !there.is_empty() && (depth == 0 || self.dice.one_in(5)) {
            return self.functions[there[self.dice.roll(there.len())]].0.clone();
        }
        let (ints, functions) = (self.ints.len(), self.functions.len());
        let (param, other) = (self.name(), self.name());
        let value = match takes {
            Takes::Int | Takes::Both => param.clone(),
            Takes::Pair => format!("(weigh {param})"),
            Takes::Maybe => format!("(size {param})"),
        };
        self.ints.push(value);
        let mut params = param;
        if takes == Takes::Both {
            let _ = write!(params, " {other}");
            self.functions.push((other, Takes::Int));
        }
        let body = self.end(depth.saturating_sub(1));
        self.ints.truncate(ints);
        self.functions.truncate(functions);
        format!("(fn [{params}] {body})")
    }

    /// Generates what ends in a continuation, if there is one.
    fn end(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.dice.roll(if depth == 0 { 4 } else { 14 }) {
            0..4 => self.leave(),
            4..7 => {
                let (a, b) = (self.int(1), self.int(1));
                let (yes, no) = (self.end(less), self.end(less));
                let test = self.dice.pick(&["gt", "eq", "lt"]);
                format!("(if ({test} {a} {b}) {yes} {no})")
            }
            7 => {
                let (a, zero, one, other) =
                    (self.int(1), self.end(less), self.leave(), self.end(less));
                format!("(case {a} [0 {zero}] [1 {one}] [_ {other}])")
            }
            8 => {
                let (value, name) = (self.int(2), self.name());
                self.ints.push(name.clone());
                let body = self.end(depth);
                self.ints.pop();
                format!("(let ([{name} {value}]) {body})")
            }
            9 => {
                let takes = TAKES[self.dice.roll(TAKES.len())];
                let (value, name) = (self.function(takes, 1), self.name());
                self.functions.push((name.clone(), takes));
                let body = self.end(depth);
                self.functions.pop();
                format!("(let ([{name} {value}]) {body})")
            }
            10 => format!("(seq {} {})", self.int(1), self.end(less)),
            11 => format!("(add {} {})", self.int(1), self.end(less)),
            12 => {
                let (value, zero, other) = (self.end(less), self.leave(), self.leave());
                format!("(case {value} [0 {zero}] [_ {other}])")
            }
            _ => self.before(),
        }
    }

    /// Generates a call of a continuation, or of a definition before.
    fn leave(&mut self) -> String {
        if self.functions.is_empty() || self.dice.one_in(2) {
            return self.before();
        }
        self.leave_by_one()
    }

    fn leave_by_one(&mut self) -> String {
        // The youngest and the oldest, more often than others.
        let at = match self.dice.roll(3) {
            0 => 0,
            1 => self.functions.len() - 1,
            _ => self.dice.roll(self.functions.len()),
        };
        let (name, takes) = self.functions[at].clone();
        format!("({name} {})", self.given(takes))
    }

    fn before(&mut self) -> String {
        let Some(last) = self.made.len().checked_sub(1).filter(|_| self.calls > 0) else {
            return match self.functions.is_empty() {
                true => self.int(1),
                false => self.leave_by_one(),
            };
        };
        self.calls -= 1;
        let at = if self.dice.one_in(6) { self.dice.roll(last + 1) } else { last };
        let depth = 1 + self.dice.roll(2);
        let (x, y, k) = (self.int(1), self.int(1), self.function(self.made[at], depth));
        format!("(c{at} {x} {y} {k})")
    }

    /// Generates a use of the last definitions.
    fn result(&mut self) -> String {
        self.calls = 4;
        let last = self.made.len() - 1 - self.dice.roll(self.made.len().min(2));
        let k = match self.made[last] {
            Takes::Int => self.dice.pick(&["negate", "(fn [r] r)", "(add n)"]),
            Takes::Pair => "weigh",
            Takes::Maybe => "size",
            Takes::Both => "(fn [r k] (k (add r 1)))",
        };
        let (x, y) = (self.int(1), self.int(1));
        match self.dice.roll(4) {
            0 => format!("(let ([f (c{last} {x})]) (add (f 1 {k}) (f 2 {k})))"),
            1 => format!("(sum (map (fn [x] (c{last} x {y} {k})) [1 {x} 3]))"),
            _ => format!("(c{last} {x} {y} {k})"),
        }
    }
}
