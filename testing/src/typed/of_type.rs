//! What makes one type and no other.

use std::rc::Rc;

use super::{Definition, Gen, Ty, fun};

impl Gen {
    /// Generates an expression that gives this type and no other.
    pub(super) fn of_type(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let (name, args): (&str, Vec<Ty>) = match ty {
            Ty::Float => match self.dice.roll(12) {
                0 => ("itof", vec![Ty::Int]),
                1 => ("fneg", vec![Ty::Float]),
                2 => ("fsqrt", vec![Ty::Float]),
                3 => ("ffloor", vec![Ty::Float]),
                4 => ("fdecimal", vec![Ty::Int, Ty::Int]),
                n => {
                    let operators = ["fadd", "fsub", "fmul", "fdiv", "fadd", "fmul", "frem"];
                    (operators[n - 5], vec![Ty::Float, Ty::Float])
                }
            },
            Ty::Int if self.dice.one_in(6) => match self.dice.roll(16) {
                0 => ("ftoi", vec![Ty::Float]),
                1 => ("ftobits", vec![Ty::Float]),
                2 => ("bitnot", vec![Ty::Int]),
                3 => ("tou32", vec![Ty::Int]),
                4 => ("toi16", vec![Ty::Int]),
                5 => ("popcount", vec![Ty::Int]),
                6 | 7 => {
                    let count = self.dice.roll(70);
                    let name = ["shl", "shr", "shli64", "shlu64"][self.dice.roll(4)];
                    let value = self.expr(&Ty::Int, depth);
                    return self.is_standard(name).then(|| format!("({name} {value} {count})"));
                }
                n => {
                    let operators = [
                        "bitand", "bitor", "bitxor", "addi64", "subi64", "muli64", "addu64",
                        "mulu64",
                    ];
                    (operators[n - 8], vec![Ty::Int, Ty::Int])
                }
            },
            Ty::Bool if self.dice.one_in(8) => {
                let operators = ["feq", "fneq", "flt", "fle", "fgt", "fge"];
                (operators[self.dice.roll(6)], vec![Ty::Float, Ty::Float])
            }
            Ty::Int => match self.dice.roll(16) {
                0 => ("negate", vec![Ty::Int]),
                1 => ("ord", vec![Ty::Char]),
                2 => ("length", vec![Ty::Ints]),
                3 => ("sum", vec![Ty::Ints]),
                4 => ("length", vec![Ty::Text]),
                5 => ("head", vec![Ty::Stream]),
                n => {
                    let operators = &[
                        "add", "sub", "mul", "add", "sub", "mul", "div", "rem", "floordiv", "mod",
                    ];
                    (operators[n - 6], vec![Ty::Int, Ty::Int])
                }
            },
            Ty::Bool => {
                let operand = if self.dice.one_in(3) { Ty::Char } else { Ty::Int };
                let operators = ["eq", "neq", "lt", "le", "gt", "ge"];
                match self.dice.roll(9) {
                    6 => ("not", vec![Ty::Bool]),
                    7 => ("isNil", vec![Ty::Ints]),
                    8 => ("andAlso", vec![Ty::Bool, Ty::Bool]),
                    n => (operators[n], vec![operand.clone(), operand]),
                }
            }
            Ty::Char => match self.dice.roll(3) {
                0 => {
                    let code = ["97", "955", "10", "0"][self.dice.roll(4)];
                    return self.is_standard("chr").then(|| format!("(chr {code})"));
                }
                1 => ("head", vec![Ty::Text]),
                _ => ("toUpper", vec![Ty::Char]),
            },
            Ty::Text => match self.dice.roll(8) {
                0 => ("append", vec![Ty::Text, Ty::Text]),
                1 => ("reverse", vec![Ty::Text]),
                2 => ("showInt", vec![Ty::Int]),
                3 => ("Cons", vec![Ty::Char, Ty::Text]),
                4 => ("map", vec![fun(&[Ty::Char], Ty::Char), Ty::Text]),
                5 => ("take", vec![Ty::Int, Ty::Text]),
                6 => ("concat", vec![Ty::List(Rc::new(Ty::Text))]),
                _ => ("tail", vec![Ty::Text]),
            },
            Ty::Ints => match self.dice.roll(9) {
                0 => ("map", vec![fun(&[Ty::Int], Ty::Int), Ty::Ints]),
                1 => ("filter", vec![fun(&[Ty::Int], Ty::Bool), Ty::Ints]),
                2 => ("Cons", vec![Ty::Int, Ty::Ints]),
                3 => ("append", vec![Ty::Ints, Ty::Ints]),
                4 => ("zipWith", vec![fun(&[Ty::Int, Ty::Int], Ty::Int), Ty::Ints, Ty::Ints]),
                5 => ("map", vec![fun(&[Ty::Char], Ty::Int), Ty::Text]),
                6 => {
                    let count = self.dice.roll(5);
                    let stream = self.expr(&Ty::Stream, depth);
                    return self.is_standard("take").then(|| format!("(take {count} {stream})"));
                }
                7 => ("sort", vec![Ty::Ints]),
                _ => {
                    let elements: Vec<String> =
                        (0..self.dice.roll(4)).map(|_| self.expr(&Ty::Int, depth)).collect();
                    return Some(format!("[{}]", elements.join(" ")));
                }
            },
            Ty::Stream => match self.dice.roll(4) {
                0 => ("from", vec![Ty::Int]),
                1 => ("iterate", vec![fun(&[Ty::Int], Ty::Int), Ty::Int]),
                2 => ("repeat", vec![Ty::Int]),
                _ => ("map", vec![fun(&[Ty::Int], Ty::Int), Ty::Stream]),
            },
            Ty::Tree => ("Node", vec![Ty::Tree, Ty::Int, Ty::Tree]),
            Ty::Color => return None,
            Ty::Wide => ("Wide", vec![Ty::Int, Ty::Text, Ty::Int, Ty::Tree, Ty::Int]),
            Ty::Pair(of) => ("Pair", vec![of.0.clone(), of.1.clone()]),
            Ty::List(of) => match self.dice.roll(3) {
                0 => ("Cons", vec![(**of).clone(), ty.clone()]),
                1 => ("map", vec![fun(&[Ty::Int], (**of).clone()), Ty::Ints]),
                _ => {
                    let elements: Vec<String> =
                        (0..self.dice.roll(3)).map(|_| self.expr(of, depth)).collect();
                    return Some(format!("[{}]", elements.join(" ")));
                }
            },
            Ty::Fun(of) => return self.function(&of.0, &of.1, depth),
        };
        if !self.visible(name) || (!name.starts_with(char::is_uppercase) && !self.is_standard(name))
        {
            return None;
        }
        let lazy = name.starts_with(char::is_uppercase) && self.dice.one_in(4);
        let args: Vec<String> = args
            .iter()
            .map(|ty| if lazy { self.unneeded(ty, depth) } else { self.expr(ty, depth) })
            .collect();
        Some(self.app(name, &args))
    }

    /// Generates a function: a lambda, or one with some of its arguments.
    pub(super) fn function(&mut self, params: &[Ty], result: &Ty, depth: usize) -> Option<String> {
        let of_ints = params.iter().chain([result]).all(|ty| *ty == Ty::Int);
        if of_ints && self.dice.one_in(2) {
            let name = self.dice.pick(&["add", "sub", "mul"]);
            if self.is_standard(name) {
                return Some(match params.len() {
                    1 => format!("({name} {})", self.expr(&Ty::Int, depth)),
                    _ => name.to_owned(),
                });
            }
        }
        if let [one, other] = params
            && let Ty::Pair(of) = result
            && *one == of.0
            && *other == of.1
            && self.visible("Pair")
        {
            return Some("Pair".to_owned());
        }
        if params.len() == 1 && self.dice.one_in(4) && self.is_standard("if") {
            let (condition, then) = (self.expr(&Ty::Bool, depth), self.expr(result, depth));
            return (params[0] == *result).then(|| format!("(if {condition} {then})"));
        }
        if self.dice.one_in(4) {
            let fits = |of: &Definition| {
                of.result == *result
                    && of.params.len() >= params.len()
                    && of.params.ends_with(params)
            };
            let found: Vec<usize> = (0..self.at.min(self.definitions.len()))
                .filter(|&at| {
                    fits(&self.definitions[at]) && self.visible(&self.definitions[at].name)
                })
                .collect();
            if !found.is_empty() {
                let at = found[self.dice.roll(found.len())];
                let of = &self.definitions[at];
                let (name, held) =
                    (of.name.clone(), of.params[..of.params.len() - params.len()].to_vec());
                let mut args = vec![self.dice.roll(3).to_string()];
                args.extend(held.iter().map(|ty| self.unneeded(ty, depth)));
                return Some(self.app(&name, &args));
            }
        }
        Some(self.scoped(|this| {
            let names = this.params(params);
            let body = this.expr(result, depth);
            match (names.as_slice(), this.dice.one_in(3)) {
                ([one, others @ ..], true) if !others.is_empty() => {
                    format!("(fn [{one}] (fn [{}] {body}))", others.join(" "))
                }
                _ => format!("(fn [{}] {body})", names.join(" ")),
            }
        }))
    }
}
