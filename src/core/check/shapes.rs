//! What kind of value an expression has. Nothing is inferred: the form of an expression is looked at, and
//! the ends of the bodies of what it calls.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Name;
use crate::base::quote::{counted, for_message};
use crate::core::scope::{Lookup, PROGRAM, Target, UnitId};
use crate::primitive::advice::Given;
use crate::primitive::{self, Operand, Primitive};
use crate::syntax::ast::{Binder, Expr, ExprId, ItemKind, Pat, PatId};

/// The kind of value that an expression has, as far as its form tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Integer,
    Float,
    Character,
    /// A string or a list.
    List,
    Array,
    /// A byte string.
    Bytes,
    Action,
    /// A value of another data type.
    Data,
    Function,
    Unknown,
}

impl Shape {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Shape::Integer => "an integer",
            Shape::Float => "a float",
            Shape::Character => "a character",
            Shape::List => "a list",
            Shape::Array => "an array",
            Shape::Bytes => "a byte string",
            Shape::Action => "an action",
            Shape::Data => "a value of a data type",
            Shape::Function => "a function",
            Shape::Unknown => "unknown",
        }
    }

    /// Returns the kind by which advice goes.
    pub(super) fn given(self) -> Given {
        match self {
            Shape::Integer => Given::Integer,
            Shape::Float => Given::Float,
            Shape::Character => Given::Character,
            Shape::List => Given::List,
            Shape::Array => Given::Array,
            Shape::Bytes => Given::Bytes,
            Shape::Action => Given::Action,
            Shape::Function => Given::Function,
            Shape::Data | Shape::Unknown => Given::Other,
        }
    }
}

/// How many definitions that call each other are gone through to tell what a result is.
const CALLS: usize = 8;

/// The most expressions of a body that are looked at to tell what its result is.
const ENDS: usize = 64;

/// The most bindings, alternatives and parts of patterns that are looked at there: each call looks
/// at them again.
const BINDINGS: usize = 1024;

/// A definition and arguments for which the ends of its body are looked at.
struct End<'a> {
    /// Names that are bound somewhere in the body.
    locals: FxHashSet<Name>,
    /// What those that are bound once, by a `let`, stand for.
    values: FxHashMap<Name, ExprId>,
    /// The part that the definition belongs to: names mean what they mean there.
    unit: UnitId,
    item: u32,
    params: &'a [Binder],
    args: &'a [ExprId],
    /// Whether the arguments stand in another body: then names in them mean what they mean there.
    is_inner: bool,
}

impl End<'_> {
    /// Returns what a name that stands for no local means there.
    pub(super) fn target(&self, checker: &Checker<'_>, expr: ExprId) -> Option<Target> {
        let Expr::Name(name) = checker.ast.exprs[expr] else { return None };
        let is_local =
            self.locals.contains(&name) || self.params.iter().any(|one| one.name == Some(name));
        if is_local || checker.ast.doubts.has_name(name) {
            return None;
        }
        match checker.globals.lookup(self.unit, name) {
            Lookup::Found(target) => Some(target),
            _ => None,
        }
    }

    /// Returns whether an argument with which the body calls itself leaves a parameter what it is, or
    /// is of this kind too.
    fn keeps(&self, checker: &Checker<'_>, arg: ExprId, name: Name, shape: Shape) -> bool {
        let value = match checker.ast.exprs[arg] {
            Expr::Name(local) => self.values.get(&local),
            _ => None,
        };
        let arg = value.copied().unwrap_or(arg);
        match checker.ast.exprs[arg] {
            Expr::Name(other) => other == name && !self.locals.contains(&name),
            Expr::App(callee, args) => {
                let target = self.target(checker, callee);
                target.is_some_and(|target| checker.applied(target, args.len()) == shape)
            }
            _ => checker.shape(arg) == shape,
        }
    }

    /// Returns what a name is that the body ends in.
    fn name(&self, checker: &Checker<'_>, expr: ExprId) -> Shape {
        if let Some(target) = self.target(checker, expr) {
            return match target {
                // A constant that is its own value.
                Target::Defn(item) if item == self.item => Shape::Unknown,
                _ => checker.applied(target, 0),
            };
        }
        let Expr::Name(name) = checker.ast.exprs[expr] else { return Shape::Unknown };
        if self.locals.contains(&name) {
            return Shape::Unknown;
        }
        // Of two parameters of one name, which is a mistake, neither tells.
        let mut named = self.params.iter().zip(self.args).filter(|(p, _)| p.name == Some(name));
        match (named.next(), named.next()) {
            (Some((_, &arg)), None) if self.is_inner => match checker.ast.exprs[arg] {
                Expr::Name(_) | Expr::App(..) => Shape::Unknown,
                _ => checker.shape(arg),
            },
            (Some((_, &arg)), None) => checker.shape(arg),
            _ => Shape::Unknown,
        }
    }
}

impl Checker<'_> {
    pub(super) fn target(&self, expr: ExprId) -> Option<Target> {
        let Expr::Name(name) = self.ast.exprs[expr] else { return None };
        if self.is_bound(name) || self.unsure > 0 || self.ast.doubts.has_name(name) {
            return None;
        }
        match self.globals.lookup(self.unit, name) {
            Lookup::Found(target) => Some(target),
            _ => None,
        }
    }

    /// Returns what `target` with `args` arguments is.
    pub(super) fn applied(&self, target: Target, args: usize) -> Shape {
        let arity = self.globals.arity(target);
        if args < arity {
            return Shape::Function;
        }
        match target {
            Target::Con(con) if args == arity => {
                if self.globals.cons[con].data.0 == 0 {
                    Shape::List
                } else {
                    Shape::Data
                }
            }
            Target::Primitive(primitive) if args == arity => match primitive.result() {
                _ if primitive.shape() == primitive::Shape::Action => Shape::Action,
                Operand::Integer => Shape::Integer,
                Operand::Float => Shape::Float,
                Operand::Character => Shape::Character,
                Operand::Array => Shape::Array,
                Operand::Bytes => Shape::Bytes,
                Operand::List => Shape::List,
                Operand::Comparable | Operand::Any => Shape::Unknown,
            },
            Target::Defn(item) if args == arity => self.result_of_any(item),
            _ => Shape::Unknown,
        }
    }

    pub(super) fn shape(&self, expr: ExprId) -> Shape {
        match self.ast.exprs[expr] {
            Expr::Int(_) | Expr::Big(_) => Shape::Integer,
            Expr::Float(_) => Shape::Float,
            Expr::Char(_) => Shape::Character,
            Expr::Text(_) | Expr::List(_) => Shape::List,
            Expr::Fn(..) => Shape::Function,
            Expr::Name(_) => match self.target(expr) {
                Some(target) => self.applied(target, 0),
                None => Shape::Unknown,
            },
            Expr::App(callee, args) => match self.target(callee) {
                Some(target) => self.applied(target, args.len()),
                None => Shape::Unknown,
            },
            Expr::Let(..) | Expr::Letrec(..) | Expr::Case(..) => Shape::Unknown,
            Expr::Compiled(..) | Expr::Error => Shape::Unknown,
        }
    }

    /// Returns what the result of a definition is whatever its arguments are, as far as the forms of
    /// its body and of those of what that calls tell.
    fn result_of_any(&self, item: u32) -> Shape {
        if let Some(&known) = self.results.borrow().get(&item) {
            return known;
        }
        let depth = self.depth.get();
        if depth == CALLS {
            return Shape::Unknown;
        }
        // Of definitions that call each other nothing is known.
        self.results.borrow_mut().insert(item, Shape::Unknown);
        self.depth.set(depth + 1);
        let (result, _) = self.result(item, &[], true);
        self.depth.set(depth);
        self.results.borrow_mut().insert(item, result);
        result
    }

    /// Returns what `target` with these arguments is, which stand in the body of a definition. A
    /// literal among them may be what a loop ends with.
    fn applied_there(&self, target: Target, given: &[ExprId]) -> Shape {
        let shape = self.applied(target, given.len());
        match target {
            Target::Defn(item)
                if shape == Shape::Unknown
                    && given.len() == self.globals.arity(target)
                    && !self.looking_at_loop.replace(true) =>
            {
                let (shape, _) = self.result(item, given, true);
                self.looking_at_loop.set(false);
                shape
            }
            _ => shape,
        }
    }

    /// Returns what the result of a definition is, given its arguments, as far as the form of its
    /// body tells: what all ends of the body are that are not a call of the definition itself, nor
    /// a failure. With it comes one of these ends.
    pub(super) fn result(
        &self,
        item: u32,
        args: &[ExprId],
        is_inner: bool,
    ) -> (Shape, Option<ExprId>) {
        const UNKNOWN: (Shape, Option<ExprId>) = (Shape::Unknown, None);
        let definition = &self.ast.items[item as usize];
        let ItemKind::Defn { params, body } = definition.kind else { return UNKNOWN };
        let unit = self.globals.input.unit(definition.file);
        let params = &self.ast.binders[params];
        let locals = FxHashSet::default();
        let values = FxHashMap::default();
        let mut end = End { locals, values, unit, item, params, args, is_inner };
        let mut result = None;
        let mut todo = vec![body];
        let mut budget = BINDINGS;
        // The parameters that the body ends in, and what it calls itself with.
        let (mut ends, mut again) = (Vec::new(), Vec::new());
        for _ in 0..ENDS {
            let Some(expr) = todo.pop() else {
                let Some((shape, expr)) = result else { return UNKNOWN };
                let is_kept = |&(at, name): &(usize, Name)| {
                    again.iter().all(|args: &&[ExprId]| end.keeps(self, args[at], name, shape))
                };
                return if ends.iter().all(is_kept) { (shape, Some(expr)) } else { UNKNOWN };
            };
            let shape = match self.ast.exprs[expr] {
                Expr::Case(_, alts) => {
                    for alt in &self.ast.alts[alts] {
                        let mut names = FxHashSet::default();
                        if !self.pattern_names(alt.pat, unit, &mut names, &mut budget) {
                            return UNKNOWN;
                        }
                        for name in names {
                            end.locals.insert(name);
                            end.values.remove(&name);
                        }
                        todo.push(alt.body);
                    }
                    None
                }
                Expr::Let(bindings, body) | Expr::Letrec(bindings, body) => {
                    let bindings = &self.ast.bindings[bindings];
                    let Some(left) = budget.checked_sub(bindings.len()) else {
                        return UNKNOWN;
                    };
                    budget = left;
                    for one in bindings {
                        let Some(name) = one.binder.name else { continue };
                        if end.locals.insert(name) {
                            end.values.insert(name, one.value);
                        } else {
                            end.values.remove(&name);
                        }
                    }
                    todo.push(body);
                    None
                }
                Expr::App(callee, given) => {
                    let given = &self.ast.expr_lists[given];
                    match end.target(self, callee) {
                        Some(Target::Primitive(Primitive::If)) if given.len() == 3 => {
                            todo.extend(&given[1..]);
                            None
                        }
                        Some(Target::Primitive(Primitive::Seq)) if given.len() == 2 => {
                            todo.push(given[1]);
                            None
                        }
                        Some(Target::Primitive(
                            Primitive::Error | Primitive::Throw | Primitive::ThrowAgain,
                        )) => None,
                        Some(Target::Defn(called))
                            if called == item && given.len() == params.len() =>
                        {
                            again.push(given);
                            None
                        }
                        Some(target) => Some(self.applied_there(target, given)),
                        None => Some(Shape::Unknown),
                    }
                }
                Expr::Name(name) => {
                    let at = params.iter().position(|one| one.name == Some(name));
                    ends.extend(at.map(|at| (at, name)));
                    Some(end.name(self, expr))
                }
                _ => Some(self.shape(expr)),
            };
            match shape {
                Some(shape) if result.get_or_insert((shape, expr)).0 != shape => return UNKNOWN,
                _ => {}
            }
        }
        UNKNOWN
    }

    /// Adds to a report about an argument that is a call of a definition of the program, or such a
    /// constant, where that has got its kind.
    pub(super) fn with_origin(&self, report: Diagnostic, arg: ExprId) -> Diagnostic {
        let (callee, given) = match self.ast.exprs[arg] {
            Expr::App(callee, args) => (callee, args.len()),
            _ => (arg, 0),
        };
        let Some(target @ Target::Defn(item)) = self.target(callee) else { return report };
        let Some(file) = self.ast.items.get(item as usize).map(|item| item.file) else {
            return report;
        };
        if given != self.globals.arity(target) || self.globals.input.unit(file) != PROGRAM {
            return report;
        }
        let (_, Some(end)) = self.result(item, &[], true) else { return report };
        let mut label = format!("the result of `{}` is this", for_message(self.ast_text(callee)));
        // Of what is called there the name may be a local one.
        if let Expr::App(callee, args) = self.ast.exprs[end]
            && let Some(target) = self.target(callee)
            && args.len() < self.globals.arity(target)
        {
            let arity = counted(self.globals.arity(target), "argument");
            let name = for_message(self.ast_text(callee));
            label = format!("{label}, and `{name}` takes {arity}");
        }
        report.also(self.ast.expr_spans[end], label)
    }

    /// Collects the names that a pattern of a unit binds, and takes the number of its parts from
    /// the budget. Returns whether that is enough.
    fn pattern_names(
        &self,
        pat: PatId,
        unit: UnitId,
        names: &mut FxHashSet<Name>,
        budget: &mut usize,
    ) -> bool {
        let mut todo = vec![pat];
        while let Some(pat) = todo.pop() {
            let Some(left) = budget.checked_sub(1) else { return false };
            *budget = left;
            match self.ast.pats[pat] {
                Pat::Name(name) if self.globals.con(unit, name).is_none() => {
                    names.insert(name);
                }
                Pat::Con(_, _, fields) => {
                    todo.extend(self.ast.pat_lists[fields].iter().take(BINDINGS));
                }
                _ => {}
            }
        }
        true
    }

    /// Returns the text of a name.
    pub(super) fn ast_text(&self, expr: ExprId) -> &str {
        match self.ast.exprs[expr] {
            Expr::Name(name) => self.globals.input.names.text(name),
            _ => "",
        }
    }
}
