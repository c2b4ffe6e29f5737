//! Overloaded functions: a copy for each of the dictionaries that they are given.
//!
//! A function of a class is given the dictionary of the instance that it is used at, passes it on to the functions
//! that it calls, and stores it in functions that are applied later. Where the dictionary is known, as a CAF that
//! is a record of functions, the function is copied for it, and so are those that the copy gives what it takes out
//! of the dictionary, as its local functions are that lifting has made (M. P. Jones, "Dictionary-free overloading by
//! partial evaluation", LSC 8(3), 1995). A driver would do so too, but only in calls with all their arguments.
//!
//! Invariants:
//! - A copy binds the parameter to the dictionary: it is the same code but for calls. What selects from a
//!   dictionary is what it selects.
//! - A copy has a parameter, if need be one that nothing uses, so it is no CAF: what a call comes to is not kept.
//! - Dictionaries are known by what they are made of: two that are made alike are one.

use rustc_hash::FxHashMap;

use super::Report;
use super::selection::{is_only, selected};
use super::versions::{Most, Versions};
use crate::base::index::IndexVec;
use crate::base::scc::components;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::copy::{Copier, take_tables};
use crate::core::expr::{
    Branches, Con, ConId, Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId, Program, Switch, TextId,
};

/// The most copies of a function.
const COPIES: u32 = 12;
/// The most parts of a function that is known.
const PARTS: usize = 12;
/// How often the bindings of a letrec are looked through: one may be known by a later one.
const LOOKS: usize = 3;
/// The most dictionaries that are part of each other and are compared with others.
const TOGETHER: usize = 16;

/// A value that is known where it is used: a dictionary, a field of one by its number that is no dictionary, or a
/// function with some arguments of which each is one of these.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Known {
    Dictionary(GlobalId),
    Field(GlobalId, usize),
    Function(GlobalId, Vec<Known>),
}

impl Known {
    fn parts(&self) -> usize {
        match self {
            Known::Dictionary(_) | Known::Field(..) => 1,
            Known::Function(_, given) => 1 + given.iter().map(Known::parts).sum::<usize>(),
        }
    }

    fn describe(&self, program: &Program, out: &mut String) {
        match self {
            Known::Dictionary(of) => out.push_str(&program.globals[*of].symbol),
            Known::Field(of, at) => {
                out.push_str(&format!("{}.{at}", program.globals[*of].symbol));
            }
            Known::Function(of, given) if given.is_empty() => {
                out.push_str(&program.globals[*of].symbol);
            }
            Known::Function(of, given) => {
                out.push('(');
                out.push_str(&program.globals[*of].symbol);
                for part in given {
                    out.push(' ');
                    part.describe(program, out);
                }
                out.push(')');
            }
        }
    }

    /// Returns whether a field of a dictionary is part of it.
    fn has_field(&self) -> bool {
        match self {
            Known::Dictionary(_) => false,
            Known::Field(..) => true,
            Known::Function(_, given) => given.iter().any(Known::has_field),
        }
    }

    /// Returns whether a dictionary, or a field of one, is part of it.
    fn has_dictionary(&self) -> bool {
        match self {
            Known::Dictionary(_) | Known::Field(..) => true,
            Known::Function(_, given) => given.iter().any(Known::has_dictionary),
        }
    }
}

/// A function, and what its copy knows of its parameters.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    of: GlobalId,
    known: Vec<Option<Known>>,
    /// Whether all parameters are known, so that there has to be one that nothing uses.
    is_idle: bool,
}

impl Key {
    /// Describes the call that a copy is of in words.
    fn describe(&self, program: &Program) -> String {
        let mut out = format!("({}", program.globals[self.of].symbol);
        for at in 0..program.arity(self.of) {
            out.push(' ');
            match self.known.get(at) {
                Some(Some(known)) => known.describe(program, &mut out),
                _ => out.push('_'),
            }
        }
        out.push(')');
        out
    }

    /// Returns whether an argument is not passed.
    fn takes(&self, at: usize) -> bool {
        self.known.get(at).is_some_and(Option::is_some)
    }
}

/// Copies the overloaded functions of a program for the dictionaries that they are given. No copy is begun when
/// there are over `most` expressions. Returns how many copies there are; if there are none, the program is the same
/// but for what nothing reaches.
pub(super) fn copy_overloaded(program: &mut Program, most: usize, report: &mut Report) -> u64 {
    let dictionaries = Dictionaries::new(program);
    if dictionaries.is_empty() {
        return 0;
    }
    let tables = take_tables(program);
    let mut copies = Copies {
        versions: Versions::new(program, Most { each: COPIES, expressions: most }, 'i'),
        copier: Copier::new(program, tables, &|_| false),
        dictionaries,
        locals: FxHashMap::default(),
        report,
    };
    copies.run();
    let count = copies.versions.count();
    let (copied, _) = copies.copier.end();
    *program = copied;
    count
}

struct Copies<'p, 'r> {
    copier: Copier<'p>,
    dictionaries: Dictionaries,
    /// What is known of the locals of the function that is copied.
    locals: FxHashMap<LocalId, Known>,
    versions: Versions<Key>,
    report: &'r mut Report,
}

impl Copies<'_, '_> {
    fn run(&mut self) {
        let mut next = 0;
        loop {
            if let Some((key, new)) = self.versions.next() {
                self.define(&key, new);
            } else if let Some(of) = self.copier.met(next) {
                next += 1;
                let new = self.copier.global(of);
                self.define(&Key { of, known: Vec::new(), is_idle: false }, new);
            } else {
                return;
            }
        }
    }

    /// Writes a function, of whose parameters something is known.
    fn define(&mut self, key: &Key, new: GlobalId) {
        let old = self.copier.old;
        let GlobalKind::Defn { params, body: Some(body) } = old.globals[key.of].kind else {
            return;
        };
        let olds = &old.local_lists[params];
        let passed: Vec<LocalId> =
            (0..).zip(olds).filter(|&(at, _)| !key.takes(at)).map(|(_, &param)| param).collect();
        let span = old.spans[body];
        let params = match key.is_idle {
            true => {
                let idle = self.copier.new.local(None, span);
                self.copier.new.local_lists.add([idle])
            }
            false => self.copier.parameters(&passed),
        };
        self.locals.clear();
        let mut binds = Vec::new();
        for (&param, known) in olds.iter().zip(&key.known) {
            let Some(known) = known else { continue };
            let value = self.write(known, span);
            binds.push((self.copier.bind(param), value));
            self.locals.insert(param, known.clone());
        }
        let mut whole = self.copier.place(body);
        while let Some((expr, to)) = self.copier.next() {
            let mark = self.copier.mark();
            let written = self.expr(expr);
            self.copier.write(expr, to, written, mark);
        }
        for (local, value) in binds.into_iter().rev() {
            whole = self.copier.new.expr(Expr::Let(local, value, whole), span);
        }
        self.copier.new.globals[new].kind = GlobalKind::Defn { params, body: Some(whole) };
    }

    /// Returns the copy of an expression, and notes what is known of the locals that it binds.
    fn expr(&mut self, expr: ExprId) -> Expr {
        let old = self.copier.old;
        match old.exprs[expr] {
            Expr::Let(local, value, _) | Expr::Force(local, value, _) => self.learn(local, value),
            Expr::Letrec(binds, _) => {
                let binds = &old.binds[binds];
                for _ in 0..LOOKS {
                    binds.iter().for_each(|bind| self.learn(bind.local, bind.value));
                }
            }
            Expr::Switch(switch) => self.learn_fields(&old.switches[switch]),
            Expr::Global(global) => {
                if let Some(dictionary) = self.dictionaries.of(global) {
                    return Expr::Global(self.copier.global(dictionary));
                }
            }
            Expr::App(callee, args) => {
                let span = old.spans[expr];
                if let Some(copy) = self.application(callee, &old.expr_lists[args], span) {
                    return copy;
                }
            }
            _ => {}
        }
        self.copier.copy(expr)
    }

    /// Notes what the fields are that a switch takes out of a dictionary.
    fn learn_fields(&mut self, switch: &Switch) {
        let Some(&Known::Dictionary(dictionary)) = self.locals.get(&switch.scrutinee) else {
            return;
        };
        let Branches::Cons(branches) = &switch.branches else { return };
        let Some((con, _)) = record(self.copier.old, dictionary) else { return };
        let Some(branch) = branches.iter().find(|branch| branch.con == con) else { return };
        for (at, &field) in branch.fields.iter().enumerate() {
            if let Some(field) = field
                && let Some(known) = self.field(dictionary, at)
            {
                self.locals.insert(field, known);
            }
        }
    }

    /// Returns what is known of a field of a dictionary, if it is a dictionary or a function. What else is in one, as
    /// the tree of a map, is where a loop begins.
    fn field(&self, dictionary: GlobalId, at: usize) -> Option<Known> {
        let value = self.field_value(dictionary, at)?;
        match self.known(value) {
            Some(known @ Known::Dictionary(_)) => Some(known),
            _ => (is_function(self.copier.old, &self.copier.new.cons, value)
                && self.is_value(value, &mut { PARTS }))
            .then_some(Known::Field(dictionary, at)),
        }
    }

    /// Returns whether an expression may be written in several places: no work is in it, nor more than so many
    /// parts.
    fn is_value(&self, expr: ExprId, parts: &mut usize) -> bool {
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        let old = self.copier.old;
        match old.exprs[expr] {
            Expr::Lit(_) | Expr::Global(_) | Expr::Con(_) => true,
            Expr::App(callee, args) => {
                let is_made = matches!(old.exprs[callee], Expr::Con(_))
                    || is_function(old, &self.copier.new.cons, expr);
                is_made && old.expr_lists[args].iter().all(|&arg| self.is_value(arg, parts))
            }
            _ => false,
        }
    }

    /// Returns the expression of a field.
    fn field_value(&self, dictionary: GlobalId, at: usize) -> Option<ExprId> {
        let (_, fields) = record(self.copier.old, dictionary)?;
        fields.get(at).copied()
    }

    /// Returns the function or the dictionary that something known is; `None` if it is neither.
    fn resolved(&self, known: Known, parts: &mut usize) -> Option<Known> {
        match known {
            Known::Field(dictionary, at) => {
                let value = self.field_value(dictionary, at)?;
                ensure_sufficient_stack(|| self.known_within(value, parts))
            }
            known => Some(known),
        }
    }

    fn learn(&mut self, local: LocalId, value: ExprId) {
        if let Some(known) = self.known(value) {
            self.locals.insert(local, known);
        }
    }

    /// Returns what is known of an expression.
    fn known(&self, expr: ExprId) -> Option<Known> {
        self.known_within(expr, &mut { PARTS })
    }

    /// Returns what is known of an expression, if that has no more than so many parts.
    fn known_within(&self, expr: ExprId, parts: &mut usize) -> Option<Known> {
        let old = self.copier.old;
        match old.exprs[expr] {
            Expr::Local(local) => {
                let known = self.locals.get(&local)?;
                *parts = parts.checked_sub(known.parts())?;
                Some(known.clone())
            }
            Expr::Global(global) => {
                *parts = parts.checked_sub(1)?;
                match self.dictionaries.of(global) {
                    Some(dictionary) => Some(Known::Dictionary(dictionary)),
                    None => (old.arity(global) > 0).then(|| Known::Function(global, Vec::new())),
                }
            }
            Expr::App(callee, args) => {
                *parts = parts.checked_sub(1)?;
                let (head, rest) = self.head(callee, &old.expr_lists[args], parts)?;
                if rest.is_empty() {
                    return Some(head);
                }
                let Known::Function(of, mut given) = self.resolved(head, parts)? else {
                    return None;
                };
                if given.len() + rest.len() >= old.arity(of) {
                    return None;
                }
                for &arg in rest {
                    given.push(ensure_sufficient_stack(|| self.known_within(arg, parts))?);
                }
                Some(Known::Function(of, given))
            }
            _ => None,
        }
    }

    /// Returns what an application is one of, and the arguments that are left: what selects from a dictionary is
    /// what it selects.
    fn head<'e>(
        &self,
        callee: ExprId,
        args: &'e [ExprId],
        parts: &mut usize,
    ) -> Option<(Known, &'e [ExprId])> {
        let old = self.copier.old;
        if let Expr::Global(selector) = old.exprs[callee]
            && old.arity(selector) == 1
            && let Some((&from, rest)) = args.split_first()
            && let Some(Known::Dictionary(dictionary)) =
                ensure_sufficient_stack(|| self.known_within(from, parts))
            && let Some((con, _)) = record(old, dictionary)
            && let Some(at) = selected(old, selector, con)
        {
            return Some((self.field(dictionary, at)?, rest));
        }
        Some((self.known_within(callee, parts)?, args))
    }

    /// Returns the copy of an application, if a copy of what it is one of is called, or something is selected.
    fn application(&mut self, callee: ExprId, args: &[ExprId], span: Span) -> Option<Expr> {
        let (head, rest) = self.head(callee, args, &mut { PARTS })?;
        let (of, given) = match self.resolved(head, &mut { PARTS })? {
            Known::Dictionary(dictionary) if rest.is_empty() => {
                return Some(Expr::Global(self.copier.global(dictionary)));
            }
            Known::Function(of, given) => (of, given),
            _ => return None,
        };
        let key = self.key(of, &given, rest);
        let copy = self.copy_of(&key);
        // Nothing is gained by another call of the same.
        if copy.is_none() && rest.len() == args.len() {
            return None;
        }
        Some(self.call(of, copy.as_ref().map(|&copy| (copy, &key)), &given, rest, span))
    }

    /// Returns what a copy of a function may know, by what is known of the arguments of a call.
    fn key(&self, of: GlobalId, given: &[Known], rest: &[ExprId]) -> Key {
        let arity = self.copier.old.arity(of);
        let own = &rest[..rest.len().min(arity - given.len())];
        let is_saturated = given.len() + own.len() == arity;
        let args = own.iter().map(|&arg| self.known(arg));
        let mut known: Vec<Option<Known>> = given.iter().cloned().map(Some).chain(args).collect();
        // In a call with all its arguments functions are known anyhow, but for those beside a field: with it they
        // are what a local function is given of the dictionary.
        if is_saturated && !known.iter().flatten().any(Known::has_field) {
            for one in &mut known {
                *one = one.take().filter(Known::has_dictionary);
            }
        }
        let is_idle = is_saturated && known.iter().all(Option::is_some);
        // What is called is another copy than what is stored: of that not every use is known.
        if known.iter().any(Option::is_none) {
            known.resize(arity, None);
        }
        Key { of, known, is_idle }
    }

    /// Returns the copy of a function, if it is to have one.
    fn copy_of(&mut self, key: &Key) -> Option<GlobalId> {
        let old = self.copier.old;
        let GlobalKind::Defn { body: Some(_), .. } = old.globals[key.of].kind else { return None };
        if !key.known.iter().flatten().any(Known::has_dictionary) {
            return None;
        }
        self.versions.get(&mut self.copier, (key.of, key), self.report, || key.describe(old))
    }

    /// Writes a call of a function, or of its copy, with what it has been given and other arguments.
    fn call(
        &mut self,
        of: GlobalId,
        copy: Option<(GlobalId, &Key)>,
        given: &[Known],
        rest: &[ExprId],
        span: Span,
    ) -> Expr {
        let takes = |at: usize| copy.is_some_and(|(_, key)| key.takes(at));
        let callee = match copy {
            Some((copy, _)) => copy,
            None => self.copier.global(of),
        };
        let mut args = Vec::with_capacity(given.len() + rest.len());
        if copy.is_some_and(|(_, key)| key.is_idle) {
            args.push(self.copier.new.expr(Expr::Lit(Lit::Int(0)), span));
        }
        for (at, given) in given.iter().enumerate() {
            if !takes(at) {
                args.push(self.write(given, span));
            }
        }
        for (at, &arg) in (given.len()..).zip(rest) {
            if !takes(at) {
                args.push(self.copier.place(arg));
            }
        }
        if args.is_empty() {
            return Expr::Global(callee);
        }
        let callee = self.copier.new.expr(Expr::Global(callee), span);
        Expr::App(callee, self.copier.new.expr_lists.add(args))
    }

    /// Returns an expression of the copy for what is known.
    fn write(&mut self, known: &Known, span: Span) -> ExprId {
        let written = match known {
            Known::Field(of, at) => {
                let value = self.field_value(*of, *at).expect("a field of a dictionary");
                return self.copier.place(value);
            }
            Known::Dictionary(of) => Expr::Global(self.copier.global(*of)),
            Known::Function(of, given) => {
                let key = self.key(*of, given, &[]);
                let copy = self.copy_of(&key);
                self.call(*of, copy.as_ref().map(|&copy| (copy, &key)), given, &[], span)
            }
        };
        self.copier.new.expr(written, span)
    }
}

/// The CAFs that are records of functions, and for each the one that stands for all that are made alike.
struct Dictionaries(FxHashMap<GlobalId, GlobalId>);

/// A part of what a dictionary is made of.
#[derive(PartialEq, Eq, Hash)]
enum Part {
    /// An application of the part that follows to so many parts.
    Application(usize),
    Lit(Lit),
    Text(TextId),
    Con(ConId),
    Global(GlobalId),
    /// A dictionary, by the one that stands for it.
    Dictionary(GlobalId),
    /// One of those that the dictionary is part of, by its number among them.
    Around(usize),
    /// Something that is like nothing else.
    Other(ExprId),
}

impl Dictionaries {
    /// Finds the dictionaries of a program. Takes time linear in what they are made of, but for those that are
    /// part of each other.
    fn new(program: &Program) -> Dictionaries {
        let all = program.globals.indices().filter(|&caf| is_dictionary(program, caf));
        let all: Vec<GlobalId> = all.collect();
        let numbers: FxHashMap<GlobalId, u32> = all.iter().copied().zip(0..).collect();
        let edges: Vec<Vec<u32>> =
            all.iter().map(|&caf| mentioned(program, caf, &numbers)).collect();
        let mut found = FxHashMap::default();
        let mut made: FxHashMap<Vec<Part>, GlobalId> = FxHashMap::default();
        for component in components(&edges) {
            let around: Vec<GlobalId> =
                component.iter().map(|&number| all[number as usize]).collect();
            for &caf in &around {
                let parts = match around.len() {
                    1..=TOGETHER => parts(program, caf, &around, &found),
                    // Too many to compare.
                    _ => vec![Part::Global(caf)],
                };
                let of = *made.entry(parts).or_insert(caf);
                found.insert(caf, of);
            }
        }
        for caf in program.globals.indices() {
            if let Some(&of) = aliased(program, caf).and_then(|of| found.get(&of)) {
                found.insert(caf, of);
            }
        }
        Dictionaries(found)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of(&self, global: GlobalId) -> Option<GlobalId> {
        self.0.get(&global).copied()
    }
}

/// Returns the constructor and the fields that a CAF is made of, if it is one.
fn record(program: &Program, caf: GlobalId) -> Option<(ConId, &[ExprId])> {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[caf].kind else {
        return None;
    };
    let Expr::App(callee, fields) = program.exprs[body] else { return None };
    let Expr::Con(con) = program.exprs[callee] else { return None };
    params.is_empty().then_some((con, &program.expr_lists[fields]))
}

fn is_dictionary(program: &Program, caf: GlobalId) -> bool {
    record(program, caf).is_some_and(|(con, fields)| {
        is_only(program, con)
            && fields.len() == program.cons[con].arity as usize
            && fields.iter().any(|&field| is_function(program, &program.cons, field))
    })
}

/// Returns the global that a CAF is another name of.
fn aliased(program: &Program, caf: GlobalId) -> Option<GlobalId> {
    let GlobalKind::Defn { params, body: Some(body) } = program.globals[caf].kind else {
        return None;
    };
    match program.exprs[body] {
        Expr::Global(of) if params.is_empty() => Some(of),
        _ => None,
    }
}

/// Returns whether an expression is a function with too few arguments, in a program with such constructors.
pub(super) fn is_function(program: &Program, cons: &IndexVec<ConId, Con>, expr: ExprId) -> bool {
    let (callee, count) = match program.exprs[expr] {
        Expr::App(callee, args) => (callee, args.len()),
        _ => (expr, 0),
    };
    match program.exprs[callee] {
        Expr::Global(global) => count < program.arity(global),
        Expr::Con(con) => count < cons[con].arity as usize,
        _ => false,
    }
}

/// Returns the dictionaries that one mentions, by their numbers.
fn mentioned(program: &Program, caf: GlobalId, numbers: &FxHashMap<GlobalId, u32>) -> Vec<u32> {
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[caf].kind else {
        return Vec::new();
    };
    let of = |expr: ExprId| match program.exprs[expr] {
        Expr::Global(global) => numbers.get(&aliased(program, global).unwrap_or(global)).copied(),
        _ => None,
    };
    program.walk(body).filter_map(of).collect()
}

/// Returns what a dictionary is made of, and with it those `around` it that it has: they are not among those that
/// were `found` yet. They have the numbers of the order in which they are met.
fn parts(
    program: &Program,
    caf: GlobalId,
    around: &[GlobalId],
    found: &FxHashMap<GlobalId, GlobalId>,
) -> Vec<Part> {
    let mut met = vec![caf];
    let mut parts = Vec::new();
    let mut next = 0;
    while let Some(&caf) = met.get(next) {
        next += 1;
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[caf].kind else { continue };
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            parts.push(match program.exprs[expr] {
                Expr::Lit(lit) => Part::Lit(lit),
                Expr::Text(text) => Part::Text(text),
                Expr::Con(con) => Part::Con(con),
                Expr::Global(global) => {
                    let of = aliased(program, global).unwrap_or(global);
                    if around.contains(&of) {
                        let known = met.iter().position(|&one| one == of);
                        Part::Around(known.unwrap_or_else(|| {
                            met.push(of);
                            met.len() - 1
                        }))
                    } else {
                        found.get(&of).map_or(Part::Global(of), |&one| Part::Dictionary(one))
                    }
                }
                Expr::App(callee, args) => {
                    let args = &program.expr_lists[args];
                    work.extend(args.iter().rev());
                    work.push(callee);
                    Part::Application(args.len())
                }
                _ => Part::Other(expr),
            });
        }
    }
    parts
}
