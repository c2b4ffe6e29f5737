//! What the analysis claims of data is true: of random functions on lists and pairs, each claim
//! is tried with data that fails just there.

use std::fmt::Write;

use gmachine::core::expr::{GlobalKind, Program};
use gmachine::core::signature::Demand;

use super::analysed;
use super::dice::{Dice, number};
use super::soundness::ends;

/// Functions of a count that calls lower, a list and a pair. Those of even number return an
/// integer, the others a list.
const FUNCTIONS: usize = 4;

struct Gen {
    dice: Dice,
    ints: Vec<String>,
    lists: Vec<String>,
    pairs: Vec<String>,
    calls: bool,
    names: usize,
}

impl Gen {
    fn functions(&mut self) -> String {
        let mut text = String::from(
            "(defn sum'[l] (case l [Nil 0] [(Cons x xs) (add x (sum' xs))]))
             (defn len'[l] (case l [Nil 0] [(Cons x xs) (add 1 (len' xs))]))
             (defn both'[p] (case p [(Pair a b) (add a b)]))\n",
        );
        for at in 0..FUNCTIONS {
            (self.ints, self.lists, self.pairs) =
                (vec!["n".into()], vec!["l".into()], vec!["p".into()]);
            self.names = 0;
            let body = |gen_: &mut Gen, calls: bool, depth: usize| {
                gen_.calls = calls;
                if at % 2 == 0 { gen_.int(depth) } else { gen_.list(depth) }
            };
            let nil = body(self, false, 1);
            let by_list = self.dice.one_in(2);
            if by_list {
                self.ints.extend(["x".into(), "x".into()]);
                self.lists.extend(["xs".into(), "xs".into()]);
            }
            let (base, step) = (body(self, false, 2), body(self, true, 3));
            let step = match self.dice.roll(4) {
                0 if at % 2 == 0 => {
                    format!("(add {} (f{at} (sub n 1) {} p))", self.int(0), self.list(0))
                }
                0 => format!("(Cons {} (f{at} (sub n 1) {} p))", self.int(0), self.list(0)),
                _ => step,
            };
            let both = format!("(if (le n 0) {base} {step})");
            match by_list {
                true => {
                    writeln!(text, "(defn f{at}[n l p] (case l [Nil {nil}] [(Cons x xs) {both}]))")
                }
                false => writeln!(text, "(defn f{at}[n l p] {both})"),
            }
            .unwrap();
        }
        text
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn pick(&mut self, from: fn(&Gen) -> &Vec<String>) -> String {
        let count = from(self).len();
        let at = self.dice.roll(count);
        from(self)[at].clone()
    }

    /// `(case LIST ..)` or another form around expressions that `inner` makes.
    fn around(&mut self, depth: usize, inner: fn(&mut Gen, usize) -> String) -> String {
        match self.dice.roll(8) {
            0..=2 => {
                let list = self.list(depth.min(1));
                let (x, xs) = (self.name(), self.name());
                let nil = inner(self, depth.min(1));
                self.ints.push(x.clone());
                self.lists.push(xs.clone());
                let cons = inner(self, depth);
                self.ints.pop();
                self.lists.pop();
                match self.dice.roll(4) {
                    0 => format!("(case {list} [(Cons {x} {xs}) {cons}] [_ {nil}])"),
                    1 => format!("(case {list} [(Cons {x} {xs}) {cons}])"),
                    _ => format!("(case {list} [Nil {nil}] [(Cons {x} {xs}) {cons}])"),
                }
            }
            3 => {
                let pair = self.pair(depth.min(1));
                let (a, b) = (self.name(), self.name());
                self.ints.extend([a.clone(), b.clone()]);
                let body = inner(self, depth);
                self.ints.truncate(self.ints.len() - 2);
                format!("(case {pair} [(Pair {a} {b}) {body}])")
            }
            4 => {
                let list = self.list(depth);
                let name = self.name();
                self.lists.push(name.clone());
                let body = inner(self, depth);
                self.lists.pop();
                format!("(let ([{name} {list}]) {body})")
            }
            5 => {
                let pair = self.pair(depth);
                let name = self.name();
                self.pairs.push(name.clone());
                let body = inner(self, depth);
                self.pairs.pop();
                format!("(let ([{name} {pair}]) {body})")
            }
            6 => {
                let first = if self.dice.one_in(2) { self.int(depth) } else { self.list(depth) };
                format!("(seq {first} {})", inner(self, depth))
            }
            _ => {
                let test = format!("(le {} {})", self.int(depth.min(1)), self.int(0));
                format!("(if {test} {} {})", inner(self, depth), inner(self, depth))
            }
        }
    }

    fn call(&mut self, parity: usize, depth: usize) -> String {
        let at = self.dice.roll(FUNCTIONS / 2) * 2 + parity;
        format!("(f{at} (sub n 1) {} {})", self.list(depth), self.pair(depth))
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.roll(3) {
                0 => self.dice.roll(3).to_string(),
                _ => self.pick(|gen_| &gen_.ints),
            };
        }
        let depth = depth - 1;
        match self.dice.roll(12) {
            0 | 1 => format!("(add {} {})", self.int(depth), self.int(depth)),
            2 => format!("(sum' {})", self.list(depth)),
            3 => format!("(len' {})", self.list(depth)),
            4 => format!("(both' {})", self.pair(depth)),
            5 | 6 if self.calls => self.call(0, depth),
            7..=10 => self.around(depth, Gen::int),
            _ => self.int(0),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            return if self.dice.one_in(5) { "Nil".into() } else { self.pick(|gen_| &gen_.lists) };
        }
        let depth = depth - 1;
        match self.dice.roll(12) {
            0..=2 => format!("(Cons {} {})", self.int(depth), self.list(depth)),
            3..=5 if self.calls => self.call(1, depth),
            6..=10 => self.around(depth, Gen::list),
            _ => self.list(0),
        }
    }

    fn pair(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(3) {
            return self.pick(|gen_| &gen_.pairs);
        }
        let depth = depth - 1;
        match self.dice.roll(3) {
            0 => self.around(depth, Gen::pair),
            _ => format!("(Pair {} {})", self.int(depth), self.int(depth)),
        }
    }
}

fn demand(program: &Program, symbol: &str, at: usize) -> Demand {
    let global = program.globals.iter().find(|global| &*global.symbol == symbol).unwrap();
    assert!(matches!(global.kind, GlobalKind::Defn { .. }));
    match global.signature.is_strict(at) {
        true => global.signature.demand(at),
        false => Demand::Lazy,
    }
}

/// The list `[1 2 3]` that fails at a cell: at the cell itself, or at its element.
fn broken(cell: usize, element: bool) -> String {
    let mut list = match (cell, element) {
        (3, _) => r#"(error "x")"#.to_owned(),
        _ => "Nil".into(),
    };
    for at in (0..3).rev() {
        list = match (at == cell, element) {
            (true, true) => format!(r#"(Cons (error "x") {list})"#),
            (true, false) => r#"(error "x")"#.into(),
            (false, _) => format!("(Cons {} {list})", at + 1),
        };
    }
    list
}

#[test]
fn what_is_claimed_of_data_is_true() {
    let (mut heads, mut spines, mut fields, mut values) = (0, 0, 0, 0);
    for seed in 0..number("STRICTNESS_PROGRAMS", 150) {
        let empty = Vec::new;
        let text = Gen {
            dice: Dice::new(seed),
            ints: empty(),
            lists: empty(),
            pairs: empty(),
            calls: false,
            names: 0,
        }
        .functions();
        let (program, _) = analysed(&format!("{text}(defn main[] [f0 f1 f2 f3])"));
        let mut failing = Vec::new();
        // Calls that must print the same and end in the same way.
        let mut alike = Vec::new();
        for at in 0..FUNCTIONS {
            let symbol = format!("f{at}");
            for n in [0, 2] {
                let call = |list: &str, pair: &str| format!("({symbol} {n} {list} {pair})");
                let now = |call: String| format!("(seq {call} 0)");
                let pair = "(Pair 2 1)";
                match demand(&program, &symbol, 1) {
                    Demand::List { elements, spine } => {
                        let cells = if spine { 0..4 } else { 0..1 };
                        failing.extend(cells.map(|k| now(call(&broken(k, false), pair))));
                        spines += usize::from(spine);
                        if elements {
                            heads += 1;
                            failing.push(now(call(&broken(0, true), pair)));
                            for k in 0..3 {
                                alike.push(call(&broken(k, true), pair));
                                alike.push(call(&broken(k, false), pair));
                            }
                        }
                    }
                    Demand::Lazy => {}
                    _ => failing.push(now(call(&broken(0, false), pair))),
                }
                match demand(&program, &symbol, 2) {
                    demand @ Demand::Fields { con, .. } => {
                        let pairs = [r#"(Pair (error "x") 1)"#, r#"(Pair 1 (error "x"))"#];
                        for (field, pair) in pairs.iter().enumerate() {
                            if demand.field(con, field) == Demand::Strict {
                                fields += 1;
                                failing.push(now(call("[1 2 3]", pair)));
                            }
                        }
                    }
                    Demand::Lazy => {}
                    _ => failing.push(now(call("[1 2 3]", r#"(error "x")"#))),
                }
                let plain = [call("[1 2 3]", pair)];
                values += ends(&text, &plain).iter().filter(|end| end.is_value()).count();
            }
        }
        for (call, end) in failing.iter().zip(ends(&text, &failing)) {
            assert!(!end.is_value(), "seed {seed}: {call}\n{text}");
        }
        let ended = ends(&text, &alike);
        for (calls, ends) in alike.chunks(2).zip(ended.chunks(2)) {
            assert_eq!(ends[0], ends[1], "seed {seed}: {calls:?}\n{text}");
        }
    }
    assert!(
        heads > 20 && spines > 20 && fields > 20 && values > 500,
        "{heads} {spines} {fields} {values}"
    );
}
