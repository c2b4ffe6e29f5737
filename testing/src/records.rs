//! Random programs with records that hold functions: tables with their comparison, settings, visitors. They are made
//! in many places with one or several functions, come through functions of any kind of record, lists, other
//! records, functions of functions and recursions, and what they hold is called at the end of the way.

use std::fmt::Write as _;

use crate::dice::Dice;

/// What all programs have: functions of two numbers, and what is done with records.
const KIT: &str = "
(data Op (Op f n)) (data Two (Two left right)) (data Visit (Visit leaf both))
(defn run[o x] (case o [(Op f n) (f n x)]))
(defn with[m o] (case o [(Op f _) (Op f m)]))
(defn add3[k x y] (add k (add x y))) (defn scale[k x y] (sub (mul k x) y)) (defn second[x y] y)
(defn mixed[o p] (case o [(Op f _) (case p [(Op _ m) (Op f m)])]))
(defn swapped[t] (case t [(Two a b) (Two b a)]))
(defn left[t] (case t [(Two a _) a])) (defn right[t] (case t [(Two _ b) b]))
(defn chosen[k o p] (if (even k) o p))
(defn through[g o] (g (with 1 o)))
(defn turns[n o] (if (le n 0) o (turns (sub n 1) (case o [(Op f k) (Op f (rem (add k n) 17))]))))
(defn round[n o p] (if (le n 0) (run o 1) (add (run o n) (round (sub n 1) p o))))
(defn leaf[k v] (case v [(Visit f _) (f k)]))
(defn both[a b v] (case v [(Visit _ g) (g (a v) (b v))]))
(defn tree[n k] (if (le n 0) (leaf k) (both (tree (sub n 1) (add k 1)) (tree (sub n 2) (mul k 2)))))
(defn doubled[] (Visit (compose leaf (mul 2)) both)) (defn total[] (Visit id add)) (defn most[] (Visit abs max))
";

struct Gen {
    dice: Dice,
    /// How many functions there are so far, each of two records and a number: those of the first come to a
    /// record, those of the second to a number. They mention earlier ones and themselves.
    records: usize,
    numbers: usize,
    constants: usize,
    scope: Scope,
}

/// What is in scope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Nothing,
    /// Two records and a number.
    Function,
    /// The length of the input.
    Main,
}

/// Generates a program from a seed.
pub fn program(seed: u64) -> String {
    let dice = Dice::new(seed ^ 0xF1E1D);
    let mut it = Gen { dice, records: 0, numbers: 0, constants: 0, scope: Scope::Nothing };
    let mut text = String::new();
    for at in 0..1 + it.dice.roll(3) {
        let body = it.record(3);
        let _ = writeln!(text, "(defn c{at}[] {body})");
        it.constants += 1;
    }
    it.scope = Scope::Function;
    for at in 0..2 + it.dice.roll(4) {
        let (is_record, depth) = (it.dice.one_in(2), 3);
        let (name, body) = match is_record {
            true => (format!("r{}", it.records), it.record(depth)),
            false => (format!("n{}", it.numbers), it.number(depth)),
        };
        let again = match is_record {
            true => format!("({name} {} {} (sub k 1))", it.record(1), it.record(1)),
            false => format!("(add 1 ({name} {} {} (sub k 1)))", it.record(1), it.record(1)),
        };
        let body = match it.dice.one_in(3) {
            true => format!("(if (le k {}) {body} {again})", at % 3),
            false => body,
        };
        let _ = writeln!(text, "(defn {name}[o p k] {body})");
        match is_record {
            true => it.records += 1,
            false => it.numbers += 1,
        }
    }
    it.scope = Scope::Main;
    let results: Vec<String> = (0..3 + it.dice.roll(4)).map(|_| it.number(3)).collect();
    format!("(defn main[input] (let ([i (length input)]) [{}]))\n{text}{KIT}", results.join("\n  "))
}

impl Gen {
    /// Generates a function of two numbers: mostly a constant, sometimes one that only the run knows.
    fn function(&mut self) -> String {
        match self.dice.roll(9) {
            0 => "sub".into(),
            1 => "mul".into(),
            2 => format!("(add3 {})", self.dice.roll(4)),
            3 => format!("(scale {})", self.dice.roll(4)),
            4 => "max".into(),
            5 => "second".into(),
            6 if self.scope == Scope::Function => "(fn [x y] (sub y (add x k)))".into(),
            7 if self.scope == Scope::Function => "(add3 k)".into(),
            _ => "add".into(),
        }
    }

    /// Generates an expression for a record of a function and a number.
    fn record(&mut self, depth: usize) -> String {
        let Some(less) = depth.checked_sub(1) else {
            return match self.dice.roll(4) {
                0 if self.constants > 0 => format!("c{}", self.dice.roll(self.constants)),
                1 if self.scope == Scope::Function => "o".into(),
                2 if self.scope == Scope::Function => "p".into(),
                _ => format!("(Op {} {})", self.function(), self.dice.roll(5)),
            };
        };
        match self.dice.roll(13) {
            0 => format!("(with {} {})", self.number(less), self.record(less)),
            1 => format!("(mixed {} {})", self.record(less), self.record(less)),
            2 => format!(
                "(chosen {} {} {})",
                self.number(less),
                self.record(less),
                self.record(less)
            ),
            3 => format!("(left (swapped (Two {} {})))", self.record(less), self.record(less)),
            4 => format!("(right (Two {} {}))", self.record(less), self.record(less)),
            5 => {
                let through = match self.dice.roll(3) {
                    0 => "(with 2)".to_owned(),
                    1 => format!("(mixed {})", self.record(0)),
                    _ => "(turns 2)".to_owned(),
                };
                format!("(through {through} {})", self.record(less))
            }
            6 => format!("(turns {} {})", self.dice.roll(4), self.record(less)),
            7 => {
                format!("(nth {} [{} {}])", self.dice.roll(2), self.record(less), self.record(less))
            }
            8 => format!(
                "(foldr mixed {} [{} {}])",
                self.record(less),
                self.record(0),
                self.record(0)
            ),
            9 | 10 if self.records > 0 => self.call('r', self.records, less),
            _ => format!("(Op {} {})", self.function(), self.number(less)),
        }
    }

    fn call(&mut self, kind: char, count: usize, depth: usize) -> String {
        let of = self.dice.roll(count);
        let (o, p) = (self.record(depth), self.record(depth));
        format!("({kind}{of} {o} {p} {})", self.dice.roll(4))
    }

    /// Generates an expression for a number.
    fn number(&mut self, depth: usize) -> String {
        let Some(less) = depth.checked_sub(1) else {
            return match (self.dice.roll(3), self.scope) {
                (0, Scope::Function) => "k".into(),
                _ => self.dice.roll(7).to_string(),
            };
        };
        match self.dice.roll(9) {
            0 => format!("(add {} {})", self.number(less), self.number(less)),
            1 => {
                format!("(round {} {} {})", self.dice.roll(4), self.record(less), self.record(less))
            }
            2 => format!(
                "(sum (map (fn [q] (run q {})) [{} {}]))",
                self.dice.roll(5),
                self.record(less),
                self.record(less)
            ),
            3 => format!(
                "(tree {} {} {})",
                self.dice.roll(4),
                self.number(0),
                self.dice.pick(&["total", "most"])
            ),
            4 => format!("(tree {} 1 doubled most)", self.dice.roll(3)),
            5 | 6 if self.numbers > 0 => self.call('n', self.numbers, less),
            7 if self.scope == Scope::Main => format!("(run {} i)", self.record(less)),
            _ => format!("(run {} {})", self.record(less), self.number(less)),
        }
    }
}
