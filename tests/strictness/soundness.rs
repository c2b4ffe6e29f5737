//! What the analysis claims is true: a function that is strict in a parameter never comes to a
//! value when this one argument fails, whatever the others are.

use std::fmt::Write;
use std::sync::Arc;

use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

use super::common::{Text, compile};
use super::dice::{Dice, number};
use super::{analysed, strict_in};

/// The parameters of every function: a count that calls lower, and three others.
const PARAMS: [&str; 4] = ["n", "a", "b", "c"];
const FUNCTIONS: usize = 4;

struct Gen {
    dice: Dice,
    /// Locals that are integers.
    locals: Vec<String>,
    /// Whether calls are allowed here.
    calls: bool,
}

impl Gen {
    fn functions(&mut self) -> String {
        let mut text = String::from("(defn pick[c x y] (if c x y))\n");
        for at in 0..FUNCTIONS {
            self.locals = PARAMS.map(String::from).to_vec();
            self.calls = false;
            let base = self.int(3);
            self.calls = true;
            let step = self.int(5);
            let body = match self.dice.roll(3) {
                0 => format!("(case n [0 {base}] [-1 {base}] [_ {step}])"),
                1 => format!("(if (le n 0) {base} {step})"),
                _ => format!("(case (Pair (le n 0) a) [(Pair 1 a) {base}] [_ {step}])"),
            };
            writeln!(text, "(defn f{at}[n a b c] {body})").unwrap();
        }
        text
    }

    fn local(&mut self) -> String {
        let at = self.dice.roll(self.locals.len());
        self.locals[at].clone()
    }

    /// An expression in which one more local is bound.
    fn within(&mut self, depth: usize) -> (String, String) {
        let name = format!("v{}", self.locals.len());
        self.locals.push(name.clone());
        let body = self.int(depth);
        self.locals.pop();
        (name, body)
    }

    /// 0 or 1.
    fn test(&mut self, depth: usize) -> String {
        let of = self.dice.pick(&["eq", "lt", "ge"]);
        format!("({of} {} {})", self.int(depth.min(1)), self.int(0))
    }

    /// The arguments of a call but the last.
    fn call(&mut self, depth: usize) -> String {
        let at = self.dice.roll(FUNCTIONS);
        format!("f{at} (sub n 1) {} {}", self.int(depth), self.int(depth))
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.roll(8) {
                0 | 1 => self.dice.roll(3).to_string(),
                2 if self.dice.one_in(3) => r#"(error "planted")"#.into(),
                _ => self.local(),
            };
        }
        let depth = depth - 1;
        match self.dice.roll(20) {
            0 | 1 => {
                let of = self.dice.pick(&["add", "sub", "mul", "div", "seq"]);
                format!("({of} {} {})", self.int(depth), self.int(depth))
            }
            2..=4 => format!("(if {} {} {})", self.test(depth), self.int(depth), self.int(depth)),
            5 => {
                let (name, body) = self.within(depth);
                format!("(case {} [0 {}] [{name} {body}])", self.int(depth), self.int(depth))
            }
            6 | 7 => {
                let (name, body) = self.within(depth);
                format!("(let ([{name} {}]) {body})", self.int(depth))
            }
            8 => {
                // Bindings that use each other and may depend on themselves.
                let (one, other) =
                    (format!("v{}", self.locals.len()), format!("v{}", self.locals.len() + 1));
                self.locals.extend([one.clone(), other.clone()]);
                let values = [self.int(depth.min(2)), self.int(depth.min(2))];
                let body = self.int(depth);
                self.locals.truncate(self.locals.len() - 2);
                format!("(letrec ([{one} {}] [{other} {}]) {body})", values[0], values[1])
            }
            9 => {
                let (name, body) = self.within(depth);
                let (first, second) = (self.int(depth), self.int(depth));
                let alternatives = match self.dice.one_in(2) {
                    true => format!("[(Pair {name} _) {body}]"),
                    false => format!("[(Pair 1 {name}) {body}] [_ {}]", self.int(0)),
                };
                format!("(case (Pair {first} {second}) {alternatives})")
            }
            10 => {
                let (name, body) = self.within(depth);
                format!("((fn [{name}] {body}) {})", self.int(depth))
            }
            11 => format!("(pick {} {} {})", self.test(depth), self.int(depth), self.int(depth)),
            12 => {
                format!("(pick {} (add {}) negate {})", self.test(depth), self.int(0), self.int(0))
            }
            13 if self.calls => {
                // A partial application, completed later.
                let (call, last) = (self.call(depth), self.int(depth));
                let name = format!("p{}", self.locals.len());
                format!("(let ([{name} ({call})]) (add ({name} {last}) {}))", self.int(depth))
            }
            14..=18 if self.calls => format!("({} {})", self.call(depth), self.int(depth)),
            _ => self.int(0),
        }
    }
}

/// The functions of this seed.
fn functions(seed: u64) -> String {
    Gen { dice: Dice::new(seed), locals: Vec::new(), calls: false }.functions()
}

/// How a call ends: what it has printed, and whether it fails.
#[derive(PartialEq, Eq, Debug)]
pub struct End {
    output: String,
    fails: bool,
}

impl End {
    pub fn is_value(&self) -> bool {
        !self.fails
    }
}

/// Runs a program that goes by the first character of its input.
pub fn ends(text: &str, calls: &[String]) -> Vec<End> {
    if calls.is_empty() {
        return Vec::new();
    }
    let keys: Vec<char> = ('a'..).take(calls.len()).collect();
    let mut main = String::from("(defn main[input] (case (head input)");
    for (key, call) in keys.iter().zip(calls) {
        write!(main, " ['{key}' {call}]").unwrap();
    }
    let program = compile(&format!("{text}{main}))"));
    keys.iter()
        .map(|key| {
            let config =
                Config { fuel: Some(100_000), heap_limit: Some(16 << 20), ..Config::default() };
            let mut machine = Machine::new(Arc::clone(&program), config);
            let mut output = String::new();
            let input = Some(Box::new(Text::new(&key.to_string())) as Box<_>);
            let ran = machine.start(Format::Default, input).and_then(|()| machine.run(&mut output));
            End { output, fails: ran.is_err() }
        })
        .collect()
}

#[test]
fn a_strict_argument_that_fails_makes_the_call_fail() {
    let (mut claims, mut values, mut lazy) = (0, 0, 0);
    for seed in 0..number("STRICTNESS_PROGRAMS", 120) {
        let text = functions(seed);
        let mentioned: Vec<String> = (0..FUNCTIONS).map(|at| format!("f{at}")).collect();
        let (program, names) = analysed(&format!("{text}(defn main[] [{}])", mentioned.join(" ")));
        let mut plain = Vec::new();
        let mut failing = Vec::new();
        for f in &mentioned {
            let strict = strict_in(&program, &names, f);
            for n in ["0", "3"] {
                for rest in [["0", "1", "2"], ["2", "0", "0"]] {
                    let args = [n, rest[0], rest[1], rest[2]];
                    plain.push(format!("({f} {})", args.join(" ")));
                    if strict == "fails" {
                        failing.push(plain.last().cloned().unwrap_or_default());
                        continue;
                    }
                    for (at, param) in PARAMS.iter().enumerate() {
                        if strict.split(' ').any(|name| name == *param) {
                            let mut args = args;
                            args[at] = r#"(error "x")"#;
                            failing.push(format!("({f} {})", args.join(" ")));
                        } else {
                            lazy += 1;
                        }
                    }
                }
            }
        }
        for (call, end) in failing.iter().zip(ends(&text, &failing)) {
            assert!(!end.is_value(), "seed {seed}: {call}\n{text}");
            claims += 1;
        }
        values += ends(&text, &plain).iter().filter(|end| end.is_value()).count();
    }
    assert!(claims > 1000 && values > 1000 && lazy > 1000, "{claims} {values} {lazy}");
}
