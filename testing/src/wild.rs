//! Wild programs: every name in them is bound, and nothing else is sensible. Anything is
//! applied to anything, anything is taken apart, anything is compared, so that errors of every
//! kind come up in every place. `main` is a list, whose elements are evaluated one by one.

use crate::dice::Dice;
use gmachine::primitive::Primitive;

/// What is in scope.
struct Gen {
    dice: Dice,
    /// Local names, innermost last.
    locals: Vec<String>,
    /// The number of the next local.
    next: usize,
    /// Definitions with their number of parameters.
    definitions: Vec<(String, usize)>,
}

/// The data types of every program, with their constructors and the number of their fields.
const DATA: &[&[(&str, usize)]] = &[
    &[("Nil", 0), ("Cons", 2)],
    &[("Nothing", 0), ("Just", 1)],
    &[("Pair", 2)],
    &[("A", 0), ("B", 1), ("C", 2), ("D", 3), ("E", 5)],
    &[("Red", 0), ("Green", 0), ("Blue", 0)],
    &[("Box", 1)],
];

/// The declarations of those that are not the prelude's.
const OWN: &str = "(data T (A) (B x) (C x y) (D x y z) (E v w x y z))\n\
                   (data Color (Red) (Green) (Blue))\n(data Box (Box content))\n";

/// Functions of the prelude, with the number of their parameters.
const PRELUDE: &[(&str, usize)] = &[
    ("map", 2),
    ("filter", 2),
    ("foldr", 3),
    ("foldl", 3),
    ("append", 2),
    ("length", 1),
    ("take", 2),
    ("drop", 2),
    ("head", 1),
    ("tail", 1),
    ("fst", 1),
    ("snd", 1),
    ("zip", 2),
    ("zipWith", 3),
    ("id", 1),
    ("const", 2),
    ("flip", 3),
    ("compose", 3),
    ("range", 2),
    ("sum", 1),
    ("reverse", 1),
    ("showInt", 1),
    ("not", 1),
];

/// How many elements `main` has.
pub const ELEMENTS: usize = 6;

/// Generates a program from a seed.
#[must_use]
pub fn program(seed: u64) -> String {
    of(Dice::new(seed ^ 0x0057_11D0))
}

/// Generates a program from dice.
#[must_use]
pub fn of(dice: Dice) -> String {
    let mut it = Gen { dice, locals: Vec::new(), next: 0, definitions: Vec::new() };
    for at in 0..it.dice.roll(5) {
        let params = it.dice.roll(4);
        it.definitions.push((format!("f{at}"), params));
    }
    let mut out = OWN.to_owned();
    for (name, count) in it.definitions.clone() {
        let params = it.names(count);
        let body = it.within(&params, |it| it.expr(4));
        out += &format!("(defn {name}[{}] {body})\n", params.join(" "));
    }
    let elements: Vec<String> = (0..ELEMENTS).map(|_| it.expr(5)).collect();
    // What several elements share is evaluated, or fails, once.
    let count = it.dice.roll(3);
    let shared = it.names(count);
    if shared.is_empty() {
        return out + &format!("(defn main[] [{}])\n", elements.join("\n  "));
    }
    let values: Vec<String> = shared.iter().map(|_| it.expr(4)).collect();
    let bindings = shared.iter().zip(&values).map(|(name, value)| format!("[{name} {value}]"));
    let bindings: String = bindings.collect();
    let elements: Vec<String> =
        it.within(&shared, |it| (0..ELEMENTS).map(|_| it.expr(4)).collect());
    out + &format!("(defn main[] (let ({bindings}) [{}]))\n", elements.join("\n  "))
}

impl Gen {
    fn fresh(&mut self) -> String {
        self.next += 1;
        // Now and then a name that hides something.
        match self.dice.roll(12) {
            0 => format!("x{}", self.dice.roll(3)),
            _ => format!("v{}", self.next),
        }
    }

    /// Returns names that differ from each other.
    fn names(&mut self, count: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        while names.len() < count {
            let name = self.fresh();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn within<T>(&mut self, names: &[String], work: impl FnOnce(&mut Gen) -> T) -> T {
        let before = self.locals.len();
        self.locals.extend(names.iter().cloned());
        let made = work(self);
        self.locals.truncate(before);
        made
    }

    fn literal(&mut self) -> String {
        match self.dice.roll(18) {
            0 => "9223372036854775807".into(),
            1 => "-4611686018427387905".into(),
            2 => "123456789012345678901234567890".into(),
            3 => ["'a'", "'\\0'", "'λ'", "'\\''"][self.dice.roll(4)].into(),
            4 => ["\"\"", "\"ab\"", "\"λ\\n\""][self.dice.roll(3)].into(),
            5 => "Nil".into(),
            6 => ["1.5", "-0.0", "1e300", "+nan.0", "-inf.0"][self.dice.roll(5)].into(),
            7 => ["0.5", "2.0", "3.0"][self.dice.roll(3)].into(),
            n => (n as i64 - 8).to_string(),
        }
    }

    /// Picks a function; returns also the number of its parameters, as far as that is known.
    fn function(&mut self) -> (String, usize) {
        match self.dice.roll(4) {
            0 if !self.definitions.is_empty() => {
                let at = self.dice.roll(self.definitions.len());
                self.definitions[at].clone()
            }
            1 => {
                let data = DATA[self.dice.roll(DATA.len())];
                let (name, arity) = data[self.dice.roll(data.len())];
                (name.to_owned(), arity)
            }
            _ => {
                let at = self.dice.roll(Primitive::ALL.len() + PRELUDE.len());
                let (name, arity) = match Primitive::ALL.get(at) {
                    Some(primitive) => (primitive.name(), primitive.arity()),
                    None => PRELUDE[at - Primitive::ALL.len()],
                };
                (name.to_owned(), arity)
            }
        }
    }

    fn leaf(&mut self) -> String {
        match self.dice.roll(8) {
            0 => self.function().0,
            1..=3 => self.literal(),
            _ if self.locals.is_empty() => self.literal(),
            _ => {
                // Rather one that was bound not long ago.
                let back = self.dice.roll(self.locals.len()).min(self.dice.roll(6));
                self.locals[self.locals.len() - 1 - back].clone()
            }
        }
    }

    fn args(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| format!(" {}", self.expr(depth))).collect()
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(7) {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.dice.roll(20) {
            // As many arguments as it takes, mostly.
            0..=6 => {
                let (name, arity) = self.function();
                let given = match self.dice.roll(8) {
                    0 => arity + 1,
                    1 => arity.saturating_sub(1),
                    _ => arity,
                };
                match given {
                    0 => name,
                    given => format!("({name}{})", self.args(given, depth)),
                }
            }
            7 => {
                let count = 1 + self.dice.roll(3);
                format!("({}{})", self.expr(depth), self.args(count, depth))
            }
            8 | 9 => {
                let count = 1 + self.dice.roll(3);
                let params = self.names(count);
                let body = self.within(&params, |it| it.expr(depth));
                format!("(fn [{}] {body})", params.join(" "))
            }
            10 | 11 => {
                let mut bindings = String::new();
                let before = self.locals.len();
                for _ in 0..1 + self.dice.roll(3) {
                    let value = self.expr(depth);
                    let name = self.fresh();
                    bindings += &format!("[{name} {value}]");
                    self.locals.push(name);
                }
                let body = self.expr(depth);
                self.locals.truncate(before);
                format!("(let ({bindings}) {body})")
            }
            12 => {
                let count = 1 + self.dice.roll(3);
                let names = self.names(count);
                self.within(&names, |it| {
                    let bind = |name| format!("[{name} {}]", it.expr(depth));
                    let bindings: String = names.iter().map(bind).collect();
                    format!("(letrec ({bindings}) {})", it.expr(depth))
                })
            }
            13 => {
                let elements: Vec<String> =
                    (0..self.dice.roll(4)).map(|_| self.expr(depth)).collect();
                format!("[{}]", elements.join(" "))
            }
            14 => format!("(seq {} {})", self.expr(depth), self.expr(depth)),
            15 => {
                let condition = ["1", "0", "(eq 1 1)", "(lt 2 1)", "2", "'a'"];
                let condition = match self.dice.roll(8) {
                    n if n < condition.len() => condition[n].to_owned(),
                    _ => self.expr(depth),
                };
                format!("(if {condition} {} {})", self.expr(depth), self.expr(depth))
            }
            _ => self.case(depth),
        }
    }

    fn case(&mut self, depth: usize) -> String {
        let scrutinee = self.expr(depth);
        let kind = self.dice.roll(DATA.len() + 3);
        let mut out = format!("(case {scrutinee}");
        for _ in 0..1 + self.dice.roll(3) {
            let before = self.locals.len();
            let pattern = self.pattern(kind, 3);
            let body = self.expr(depth);
            self.locals.truncate(before);
            out += &format!(" [{pattern} {body}]");
        }
        if self.dice.one_in(2) {
            let name = self.fresh();
            let body = self.within(std::slice::from_ref(&name), |it| it.expr(depth));
            out += &format!(" [{name} {body}]");
        }
        out + ")"
    }

    /// Generates a pattern; its variables are bound. The patterns of one column are of one data
    /// type, so fields are only taken apart further where all of them are.
    fn pattern(&mut self, kind: usize, depth: usize) -> String {
        match kind.checked_sub(DATA.len()) {
            Some(0) => (self.dice.roll(7) as i64 - 2).to_string(),
            Some(1) => ["'a'", "'λ'", "'\\0'"][self.dice.roll(3)].to_owned(),
            Some(_) => ["\"\"", "\"ab\"", "\"a\""][self.dice.roll(3)].to_owned(),
            None => {
                let data = DATA[kind];
                let (name, arity) = data[self.dice.roll(data.len())];
                // A column of fields goes by the constructor and its place, so that it has one
                // type everywhere.
                let fields: String = (0..arity)
                    .map(|at| format!(" {}", self.field((kind * 7 + at) % 5, depth - 1)))
                    .collect();
                if arity == 0 && self.dice.one_in(2) {
                    name.to_owned()
                } else {
                    format!("({name}{fields})")
                }
            }
        }
    }

    fn field(&mut self, kind: usize, depth: usize) -> String {
        if depth == 0 || !self.dice.one_in(3) {
            if self.dice.one_in(5) {
                return "_".to_owned();
            }
            // A pattern binds no name twice.
            self.next += 1;
            let name = format!("v{}", self.next);
            self.locals.push(name.clone());
            return name;
        }
        self.pattern(kind, depth)
    }
}
