//! Patterns, nested ones, and what matches on them.

use std::rc::Rc;

use super::{Gen, Ty};

impl Gen {
    pub(super) fn case(&mut self, ty: &Ty, depth: usize) -> String {
        let of = match self.dice.roll(6) {
            5 => Ty::Wide,
            0 => Ty::Pair(Rc::new((self.ty(1), self.ty(1)))),
            1 => Ty::Tree,
            2 => Ty::List(Rc::new(self.ty(1))),
            _ => self.ty(1),
        };
        let scrutinee = self.expr(&of, depth);
        let mut alternatives = Vec::new();
        for _ in 0..1 + self.dice.roll(4) {
            alternatives.push(self.scoped(|this| {
                let pattern = this.pattern(&of, 3, &mut Vec::new());
                format!("[{pattern} {}]", this.expr(ty, depth))
            }));
        }
        if !self.dice.one_in(6) {
            alternatives.push(self.scoped(|this| {
                let pattern = this.binder(&of, &mut Vec::new());
                format!("[{pattern} {}]", this.expr(ty, depth))
            }));
        }
        format!("(case {scrutinee} {})", alternatives.join(" "))
    }

    /// Generates a variable or `_`.
    fn binder(&mut self, ty: &Ty, taken: &mut Vec<String>) -> String {
        if self.dice.one_in(3) {
            return "_".to_owned();
        }
        loop {
            let name = self.new_name(taken);
            // In a pattern these are constructors, wherever they stand.
            if !["Red", "Pair", "Leaf", "Cons"].contains(&name.as_str()) {
                taken.push(name.clone());
                self.locals.push((name.clone(), ty.clone()));
                return name;
            }
        }
    }

    fn pattern(&mut self, ty: &Ty, depth: usize, taken: &mut Vec<String>) -> String {
        if depth == 0 || self.dice.one_in(4) {
            return self.binder(ty, taken);
        }
        let depth = depth - 1;
        let mut list = |this: &mut Gen, of: &Ty| {
            if this.dice.one_in(3) {
                return this.dice.pick(&["Nil", "(Nil)"]).to_owned();
            }
            let first = this.pattern(of, depth, taken);
            format!("(Cons {first} {})", this.pattern(ty, depth, taken))
        };
        match ty {
            Ty::Int | Ty::Bool => match self.dice.roll(8) {
                0 => self.small(),
                n => (n as i64 - 3).to_string(),
            },
            Ty::Char => self.literal_char().to_owned(),
            Ty::Text if self.dice.one_in(2) => self.literal_text().to_owned(),
            Ty::Text => list(self, &Ty::Char),
            Ty::Ints | Ty::Stream => list(self, &Ty::Int),
            Ty::List(of) => {
                let of = (**of).clone();
                list(self, &of)
            }
            Ty::Tree if self.dice.one_in(3) => "Leaf".to_owned(),
            Ty::Tree => {
                let left = self.pattern(&Ty::Tree, depth, taken);
                let value = self.pattern(&Ty::Int, depth, taken);
                format!("(Node {left} {value} {})", self.pattern(&Ty::Tree, depth, taken))
            }
            Ty::Color => self.dice.pick(&["Red", "Green", "(Blue)"]).to_owned(),
            Ty::Wide if self.dice.one_in(4) => "Narrow".to_owned(),
            Ty::Wide => {
                let types = [Ty::Int, Ty::Text, Ty::Int, Ty::Tree, Ty::Int];
                let fields = types.map(|ty| match self.dice.one_in(3) {
                    true => self.pattern(&ty, depth, taken),
                    false => self.binder(&ty, taken),
                });
                format!("(Wide {})", fields.join(" "))
            }
            Ty::Pair(of) => {
                let first = self.pattern(&of.0, depth, taken);
                format!("(Pair {first} {})", self.pattern(&of.1, depth, taken))
            }
            Ty::Float | Ty::Fun(_) => self.binder(ty, taken),
        }
    }
}
