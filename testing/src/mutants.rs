//! What people wrote, changed so that it is a program still: every name stays bound, patterns
//! keep to one data type, and nothing else need make sense.
//!
//! A program is read with its scopes. What comes from elsewhere is mended where it comes to
//! stand: a name that means nothing there becomes one that does, or is bound around it; a
//! data type comes along with the first pattern of it.

use std::collections::{HashMap, HashSet};

use crate::dice::Dice;
use crate::differential::{is_standard, standard_types};
use crate::metamorphic;
use crate::scope::{Con, Definition, Expr, Pat, Program, constructors};
use crate::sexpr::Form;

/// Expressions up to which a mutant may grow, beyond those that it had.
const GROWTH: usize = 400;

/// Expressions of what is copied from one place to another, at the most.
const COPIED: usize = 60;

/// Elements of a `main` that is a list: one that fails would hide all after it.
const ELEMENTS: usize = 3;

/// A program that mutants are made of.
#[derive(Clone, Debug)]
pub struct Source {
    program: Program,
    /// The data types of its own.
    types: Vec<(Form, Vec<Con>)>,
}

impl Source {
    /// Reads the source of some forms; `None` if they are no program.
    #[must_use]
    pub fn read(forms: &[Form]) -> Option<Source> {
        let program = metamorphic::of_forms(forms)?;
        let others = program.others.iter();
        let types = others.filter_map(|form| Some((form.clone(), constructors(form)?))).collect();
        Some(Source { program, types })
    }
}

/// Returns a changed program of a source; `others` are what comes from elsewhere.
#[must_use]
pub fn mutant(dice: &mut Dice, source: &Source, others: &[Source]) -> String {
    let mut it = Mutator { dice, source: source.clone(), others };
    it.shorten();
    let size = it.size();
    for _ in 0..1 + it.dice.roll(4) {
        it.change();
        if it.size() > size + GROWTH {
            break;
        }
    }
    it.source.program.write()
}

struct Mutator<'a> {
    dice: &'a mut Dice,
    source: Source,
    others: &'a [Source],
}

fn is_name(atom: &str) -> bool {
    atom.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_constructor(atom: &str) -> bool {
    atom.starts_with(char::is_uppercase)
}

impl Mutator<'_> {
    fn size(&self) -> usize {
        self.source.program.definitions.iter().map(|of| of.body.size()).sum()
    }

    fn definitions(&self) -> &[Definition] {
        &self.source.program.definitions
    }

    fn is_own(&self, name: &str) -> bool {
        self.definitions().iter().any(|of| of.name == name)
    }

    /// Returns the data type of a constructor, which is the program's own one if that has one.
    fn data_type(&self, name: &str) -> Option<&[Con]> {
        let own = self.source.types.iter().map(|(_, cons)| cons);
        own.chain(standard_types())
            .find(|cons| cons.iter().any(|con| con.0 == name))
            .map(Vec::as_slice)
    }

    /// Keeps only some of the elements of a `main` that is a long list.
    fn shorten(&mut self) {
        let main = self.source.program.definitions.iter_mut().find(|of| of.name == "main");
        if let Some(Definition { body: Expr::List(elements), .. }) = main
            && elements.len() > ELEMENTS
            && !self.dice.one_in(8)
        {
            self.dice.shuffle(elements);
            elements.truncate(1 + self.dice.roll(ELEMENTS));
        }
    }

    /// Returns the definitions that `main` reaches.
    fn reached(&self) -> Vec<usize> {
        let at: HashMap<&str, usize> =
            self.definitions().iter().enumerate().map(|(at, of)| (of.name.as_str(), at)).collect();
        let mut found: Vec<usize> = at.get("main").copied().into_iter().collect();
        let mut next = 0;
        while let Some(&of) = found.get(next) {
            next += 1;
            for expr in self.definitions()[of].body.all() {
                if let Expr::Atom(name) = expr
                    && let Some(&callee) = at.get(name.as_str())
                    && !found.contains(&callee)
                {
                    found.push(callee);
                }
            }
        }
        found
    }

    /// Picks a definition and the number of an expression of it, of which this is true.
    fn choose(&mut self, is_it: impl Fn(&Expr) -> bool) -> Option<(usize, usize)> {
        let chosen = match self.dice.one_in(16) {
            true => (0..self.definitions().len()).collect(),
            false => self.reached(),
        };
        let mut found = Vec::new();
        for of in chosen {
            let numbers = self.definitions()[of].body.all().enumerate();
            found.extend(numbers.filter(|(_, expr)| is_it(expr)).map(|(at, _)| (of, at)));
        }
        if found.is_empty() { None } else { Some(found[self.dice.roll(found.len())]) }
    }

    /// Changes the expression of such a place, as `work` says with what is in scope; what is
    /// then unbound is mended.
    fn at(
        &mut self,
        place_of: (usize, usize),
        work: impl FnOnce(&mut Mutator<'_>, &[String], Expr) -> Expr,
    ) {
        let (of, n) = place_of;
        let mut definition = self.source.program.definitions[of].clone();
        let mut scope: Vec<String> =
            definition.params.iter().filter(|name| *name != "_").cloned().collect();
        if let Some(here) = definition.body.nth_in_scope(n, &mut scope) {
            let before = std::mem::replace(here, Expr::atom("0"));
            let made = work(self, &scope, before);
            *here = self.mended(made, &mut scope);
            self.source.program.definitions[of].body = definition.body;
        }
    }

    /// Picks an expression without parts that means something everywhere, or where this is in
    /// scope.
    fn atom(&mut self, scope: &[String]) -> Expr {
        match self.dice.roll(8) {
            0 => Expr::atom(literal(self.dice)),
            1 => {
                let definitions = self.definitions().len();
                let at = self.dice.roll(definitions);
                Expr::atom(&self.source.program.definitions[at].name.clone())
            }
            2 if scope.is_empty() => {
                Expr::atom(self.dice.pick(&["id", "length", "Cons", "add", "map", "seq", "head"]))
            }
            _ if scope.is_empty() => Expr::atom(literal(self.dice)),
            _ => {
                // Rather one that was bound not long ago.
                let back = self.dice.roll(scope.len()).min(self.dice.roll(5));
                Expr::local(&scope[scope.len() - 1 - back])
            }
        }
    }

    /// Returns an expression in which all locals are bound: one that is not becomes another one, or
    /// is bound around it.
    fn mended(&mut self, expr: Expr, scope: &mut Vec<String>) -> Expr {
        let mut names = Vec::new();
        expr.unbound(scope, &mut names);
        if names.is_empty() {
            return expr;
        }
        let mut expr = expr;
        if self.dice.one_in(4) {
            let bindings = names.into_iter().map(|name| (name, self.atom(scope))).collect();
            return Expr::Let(bindings, Box::new(expr));
        }
        for name in names {
            let instead = self.atom(scope);
            expr.replace(&name, &instead);
        }
        expr
    }

    /// Picks a small part of a program of the corpus, as it may stand in this one.
    fn foreign(&mut self) -> Expr {
        let other = &self.others[self.dice.roll(self.others.len())];
        let definition =
            &other.program.definitions[self.dice.roll(other.program.definitions.len())];
        let mut body = definition.body.clone();
        let at = self.dice.roll(body.size());
        let found = body.nth_mut(at).filter(|expr| expr.size() <= COPIED).cloned();
        let Some(mut expr) = found else { return self.atom(&[]) };
        // Data types come along, or what goes by them goes.
        let mut work = vec![&mut expr];
        while let Some(expr) = work.pop() {
            if let Expr::Case(_, alternatives) = expr {
                let mut names = HashSet::new();
                for (pattern, _) in alternatives.iter_mut() {
                    pattern.each_mut(&mut |pattern| {
                        if let Pat::Con(name, ..) = pattern {
                            names.insert(name.clone());
                        }
                    });
                }
                let mut names: Vec<String> = names.into_iter().collect();
                names.sort();
                if !names.iter().all(|name| self.has_constructor(name, other)) {
                    *expr = alternatives.swap_remove(0).1;
                    work.push(expr);
                    continue;
                }
            }
            work.extend(expr.parts_mut());
        }
        // What is not defined here becomes what is.
        let mut instead: HashMap<String, Expr> = HashMap::new();
        let mut work = vec![&mut expr];
        while let Some(expr) = work.pop() {
            match expr {
                Expr::Atom(name) if is_name(name) && !self.is_bound(name) => {
                    let by = match instead.get(name) {
                        Some(by) => by.clone(),
                        None => self.atom(&[]),
                    };
                    instead.insert(name.clone(), by.clone());
                    *expr = by;
                }
                other => work.extend(other.parts_mut()),
            }
        }
        expr
    }

    /// Returns whether a name of the top level means anything here.
    fn is_bound(&self, name: &str) -> bool {
        is_standard(name) || self.is_own(name) || self.data_type(name).is_some()
    }

    /// Returns whether a constructor of another program is one here, with the same data type: that
    /// comes along if it can.
    fn has_constructor(&mut self, name: &str, other: &Source) -> bool {
        let own = other.types.iter().find(|(_, cons)| cons.iter().any(|con| con.0 == name));
        let Some((form, cons)) = own else {
            // Of the prelude, which this program may hide; or imported.
            let standard =
                standard_types().iter().find(|cons| cons.iter().any(|con| con.0 == name));
            return standard.is_some_and(|cons| self.data_type(name) == Some(cons.as_slice()));
        };
        if self.source.types.iter().any(|(known, _)| known == form) {
            return true;
        }
        let of = |form: &Form| match form {
            Form::List(_, parts) => parts.get(1).cloned(),
            Form::Atom(_) => None,
        };
        let is_taken = self.source.program.others.iter().any(|known| of(known) == of(form))
            || cons.iter().any(|con| self.is_own(&con.0) || self.data_type(&con.0).is_some());
        if !is_taken {
            self.source.program.others.push(form.clone());
            self.source.types.push((form.clone(), cons.clone()));
        }
        !is_taken
    }

    /// Picks a small part of this program.
    fn own(&mut self) -> Expr {
        let is_small = |expr: &Expr| expr.size() <= COPIED;
        match self.choose(is_small) {
            Some((of, n)) => {
                let body = &mut self.source.program.definitions[of].body;
                body.nth_mut(n).map_or_else(|| Expr::atom("0"), |expr| expr.clone())
            }
            None => Expr::atom("0"),
        }
    }

    /// Does one change, if there is where to do it.
    fn change(&mut self) {
        match self.dice.roll(22) {
            0..=2 => {
                let own = self.own();
                self.anywhere(|_, _, _| own);
            }
            3..=5 => {
                let foreign = self.foreign();
                self.anywhere(|_, _, _| foreign);
            }
            6 | 7 => self.arguments(),
            8 | 9 => self.constructor(),
            10 | 11 => self.alternatives(),
            12 | 13 => self.literal(),
            14 => self.anywhere(|it, _, expr| {
                let parts = expr.parts();
                if parts.is_empty() { expr } else { parts[it.dice.roll(parts.len())].clone() }
            }),
            15 => self.around(),
            16 => self.definition(),
            17 => self.parameters(),
            18 => self.group(),
            19 => self.pattern(),
            _ => self.anywhere(|it, scope, _| it.atom(scope)),
        }
    }

    /// Changes any expression.
    fn anywhere(&mut self, work: impl FnOnce(&mut Mutator<'_>, &[String], Expr) -> Expr) {
        if let Some(place) = self.choose(|_| true) {
            self.at(place, work);
        }
    }

    /// Removes, adds, doubles or moves an argument.
    fn arguments(&mut self) {
        let Some(place) = self.choose(|expr| matches!(expr, Expr::App(_) | Expr::List(_))) else {
            return;
        };
        let more = if self.dice.one_in(2) { Some(self.own()) } else { None };
        self.at(place, |it, scope, expr| {
            let is_list = matches!(expr, Expr::List(_));
            let (Expr::App(mut parts) | Expr::List(mut parts)) = expr else { return expr };
            let first = usize::from(!is_list);
            let at = first + it.dice.roll((parts.len() - first).max(1));
            match it.dice.roll(5) {
                0 | 1 if at < parts.len() => drop(parts.remove(at)),
                2 if at < parts.len() => parts.insert(at, parts[at].clone()),
                3 if at < parts.len() => {
                    let other = first + it.dice.roll(parts.len() - first);
                    parts.swap(at, other);
                }
                _ => {
                    let more = more.unwrap_or_else(|| it.atom(scope));
                    parts.insert(at.min(parts.len()), more);
                }
            }
            match parts.len() {
                _ if is_list => Expr::List(parts),
                1 => parts.swap_remove(0),
                _ => Expr::App(parts),
            }
        });
    }

    /// Replaces a constructor by another one with as many fields.
    fn constructor(&mut self) {
        let Some(place) =
            self.choose(|expr| matches!(expr, Expr::Atom(name) if is_constructor(name)))
        else {
            return;
        };
        self.at(place, |it, _, expr| {
            let Expr::Atom(name) = &expr else { return expr };
            let Some(own) = it.data_type(name) else { return expr };
            let arity = own.iter().find(|con| con.0 == *name).map_or(0, |con| con.1);
            let types = it.source.types.iter().map(|(_, cons)| cons).chain(standard_types());
            let fits: Vec<String> = types
                .flatten()
                .filter(|con| con.1 == arity && con.0 != *name)
                .map(|con| con.0.clone())
                .collect();
            if fits.is_empty() { expr } else { Expr::atom(&fits[it.dice.roll(fits.len())]) }
        });
    }

    /// Removes, doubles or moves an alternative of a case, or adds one for all that is left.
    fn alternatives(&mut self) {
        let Some(place) = self.choose(|expr| matches!(expr, Expr::Case(..))) else { return };
        let more = self.own();
        self.at(place, |it, scope, expr| {
            let Expr::Case(scrutinee, mut alternatives) = expr else { return expr };
            let at = it.dice.roll(alternatives.len());
            match it.dice.roll(4) {
                0 if alternatives.len() > 1 => drop(alternatives.remove(at)),
                1 => alternatives.insert(at, alternatives[at].clone()),
                2 => {
                    let other = it.dice.roll(alternatives.len());
                    alternatives.swap(at, other);
                }
                _ => {
                    let body = if it.dice.one_in(2) { more } else { it.atom(scope) };
                    alternatives.push((Pat::Any, body));
                }
            }
            Expr::Case(scrutinee, alternatives)
        });
    }

    /// Replaces a literal by another one.
    fn literal(&mut self) {
        let is_it = |expr: &Expr| matches!(expr, Expr::Atom(atom) if !is_name(atom));
        let Some(place) = self.choose(is_it) else { return };
        self.at(place, |it, _, expr| {
            let Expr::Atom(atom) = &expr else { return expr };
            let kind = it.dice.one_in(6);
            match atom.chars().next() {
                Some('"') if !kind => Expr::atom(it.dice.pick(&["\"\"", "\"a\"", "\"ab c\\n\""])),
                Some('\'') if !kind => Expr::atom(it.dice.pick(&["'a'", "'\\n'", "'λ'"])),
                _ => Expr::atom(literal(it.dice)),
            }
        });
    }

    /// Puts something around an expression.
    fn around(&mut self) {
        let (other, name) = (self.own(), self.source.program.fresh());
        let call = |parts: &[Expr]| Expr::App(parts.to_vec());
        self.anywhere(|it, scope, expr| match it.dice.roll(8) {
            0 => call(&[Expr::atom("seq"), other, expr]),
            1 => call(&[Expr::atom("if"), other, expr.clone(), expr]),
            2 => Expr::Fn(vec![name], Box::new(expr)),
            3 => call(&[Expr::Fn(vec![name], Box::new(expr)), other]),
            4 => Expr::List(vec![expr, other]),
            5 => {
                Expr::Let(vec![(name.clone(), expr)], Box::new(call(&[other, Expr::local(&name)])))
            }
            6 => {
                let value = call(&[other, Expr::local(&name)]);
                Expr::Letrec(vec![(name, value)], Box::new(expr))
            }
            _ => call(&[expr, it.atom(scope)]),
        });
    }

    /// Removes a definition that nothing uses, or gives one that is used another body, or doubles
    /// it, and some uses become uses of the second.
    fn definition(&mut self) {
        let reached = self.reached();
        let unused: Vec<usize> =
            (0..self.definitions().len()).filter(|at| !reached.contains(at)).collect();
        if !unused.is_empty() && self.dice.one_in(2) {
            // What only it used stays, so that nothing is unbound.
            let at = unused[self.dice.roll(unused.len())];
            let name = self.definitions()[at].name.clone();
            let mentions = |of: &Definition| of.body.all().any(|expr| *expr == Expr::atom(&name));
            let others = self.definitions().iter().enumerate().filter(|(other, _)| *other != at);
            if !others.into_iter().any(|(_, of)| mentions(of)) {
                self.source.program.definitions.remove(at);
            }
            return;
        }
        let at = reached[self.dice.roll(reached.len())];
        let mut second = self.definitions()[at].clone();
        let name = second.name.clone();
        second.name = format!("{name}-too");
        if name == "main" || self.is_own(&second.name) {
            return;
        }
        let new = second.name.clone();
        self.source.program.definitions.push(second);
        for of in &mut self.source.program.definitions {
            let mut work = vec![&mut of.body];
            while let Some(expr) = work.pop() {
                match expr {
                    Expr::Atom(atom) if *atom == name && self.dice.one_in(2) => {
                        atom.clone_from(&new)
                    }
                    other => work.extend(other.parts_mut()),
                }
            }
        }
    }

    /// Makes a definition or lambda take one argument less or more, or take them in another order.
    fn parameters(&mut self) {
        if self.dice.one_in(2) {
            let name = self.source.program.fresh();
            let Some(place) = self.choose(|expr| matches!(expr, Expr::Fn(..))) else { return };
            self.at(place, |it, _, expr| {
                let Expr::Fn(mut params, body) = expr else { return expr };
                it.reorder(&mut params, name);
                Expr::Fn(params, body)
            });
            return;
        }
        let at = self.dice.roll(self.definitions().len());
        let name = self.source.program.fresh();
        let Definition { name: of, mut params, body } = self.definitions()[at].clone();
        if of == "main" {
            return;
        }
        if self.dice.one_in(3) {
            params.clear();
        } else {
            self.reorder(&mut params, name);
        }
        let mut scope: Vec<String> = params.iter().filter(|name| *name != "_").cloned().collect();
        let body = self.mended(body, &mut scope);
        self.source.program.definitions[at] = Definition { name: of, params, body };
    }

    fn reorder(&mut self, params: &mut Vec<String>, name: String) {
        let at = self.dice.roll(params.len() + 1);
        match self.dice.roll(3) {
            0 if params.len() > 1 => drop(params.remove(at.min(params.len() - 1))),
            1 => self.dice.shuffle(params),
            _ => params.insert(at, name),
        }
    }

    /// Makes the bindings of a group see each other, or no longer do so, or change places.
    fn group(&mut self) {
        let is_group = |expr: &Expr| matches!(expr, Expr::Let(..) | Expr::Letrec(..));
        let Some(place) = self.choose(is_group) else { return };
        self.at(place, |it, _, expr| {
            let is_let = matches!(expr, Expr::Let(..));
            let (Expr::Let(mut bindings, body) | Expr::Letrec(mut bindings, body)) = expr else {
                return expr;
            };
            let names: HashSet<&String> = bindings.iter().map(|(name, _)| name).collect();
            let differ = names.len() == bindings.len();
            match it.dice.roll(3) {
                0 if differ => it.dice.shuffle(&mut bindings),
                1 if bindings.len() > 1 => {
                    let at = it.dice.roll(bindings.len());
                    bindings.remove(at);
                }
                _ if is_let && differ => return Expr::Letrec(bindings, body),
                _ => return Expr::Let(bindings, body),
            }
            if is_let { Expr::Let(bindings, body) } else { Expr::Letrec(bindings, body) }
        });
    }

    /// Makes a pattern one of another constructor of its data type, or one that fits all; a literal
    /// in it becomes another one of its kind.
    fn pattern(&mut self) {
        let Some(place) = self.choose(|expr| matches!(expr, Expr::Case(..))) else { return };
        self.at(place, |it, _, expr| {
            let Expr::Case(scrutinee, mut alternatives) = expr else { return expr };
            let at = it.dice.roll(alternatives.len());
            let mut count = 0;
            alternatives[at].0.each_mut(&mut |_| count += 1);
            let (chosen, mut number) = (it.dice.roll(count), 0);
            alternatives[at].0.each_mut(&mut |pattern| {
                if number == chosen {
                    it.other_pattern(pattern);
                }
                number += 1;
            });
            Expr::Case(scrutinee, alternatives)
        });
    }

    fn other_pattern(&mut self, pattern: &mut Pat) {
        match pattern {
            Pat::Literal(literal) => {
                let others: &[&str] = match literal.chars().next() {
                    Some('"') => &["\"a\"", "\"ab\"", "\"\""],
                    Some('\'') => &["'a'", "' '", "'λ'"],
                    _ => &["0", "1", "-1", "2", "9223372036854775808"],
                };
                *literal = self.dice.pick(others).to_owned();
            }
            Pat::Con(name, fields, brackets) => {
                // Fields that are looked into belong to this constructor.
                let plain = fields.iter().all(|field| matches!(field, Pat::Any | Pat::Name(_)));
                let Some(cons) = self.data_type(name).filter(|_| plain).map(<[Con]>::to_vec) else {
                    return;
                };
                let (other, arity) = cons[self.dice.roll(cons.len())].clone();
                fields.truncate(arity);
                fields.resize(arity, Pat::Any);
                *brackets = *brackets || arity > 0;
                *name = other;
            }
            Pat::Any | Pat::Name(_) => *pattern = Pat::Any,
        }
    }
}

fn literal(dice: &mut Dice) -> &'static str {
    dice.pick(&[
        "0",
        "1",
        "2",
        "-1",
        "7",
        "'a'",
        "\"ab\"",
        "9223372036854775807",
        "9223372036854775808",
        "123456789012345678901234567890",
        "[]",
        "Nil",
        "error",
    ])
}
