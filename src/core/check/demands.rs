//! Arguments of the wrong kind: what a primitive takes is known, and a definition takes what its
//! body, as it is evaluated first, gives to primitives, to cases and to other definitions.

use super::Checker;
use super::shapes::Shape;
use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Label};
use crate::base::name::Name;
use crate::base::quote::{counted, for_message};
use crate::base::span::Span;
use crate::core::expr::{DataId, NIL};
use crate::core::pattern::{Kind, PatRef, Patterns};
use crate::core::scope::{Lookup, Target, UnitId};
use crate::primitive::advice::{Given, INTEGER_OF_TEXT, THEN, VALUE_OF_ACTION, place};
use crate::primitive::{self, Operand, Primitive};
use crate::syntax::ast::{Ast, Expr, ExprId, ItemKind};

/// How many definitions that call each other are gone through to tell what an argument must be.
const CALLS: usize = 8;

/// The most expressions of a body that are looked at for that.
const LOOKED_AT: u32 = 64;

/// What an argument must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Shape(Shape),
    /// A list of characters.
    Text,
    /// An integer or a character.
    Comparable,
    /// A value of this data type, which is not that of lists.
    Data(DataId),
}

impl Wanted {
    fn accepts(self, shape: Shape) -> bool {
        match self {
            Wanted::Shape(wanted) => shape == wanted,
            Wanted::Text => shape == Shape::List,
            Wanted::Comparable => matches!(shape, Shape::Integer | Shape::Character),
            Wanted::Data(_) => shape == Shape::Data,
        }
    }
}

/// Returns what an operand of a primitive must be, counted from 0, if that is not anything.
fn of_primitive(primitive: Primitive, at: usize) -> Option<Wanted> {
    let shape = match (primitive, at) {
        (Primitive::Bind | Primitive::Handle, 0) => Shape::Action,
        (Primitive::Bind | Primitive::Handle, _) => Shape::Function,
        (Primitive::PutText | Primitive::PutError, _) => {
            return Some(Wanted::Text);
        }
        _ => match primitive.operand_at(at) {
            Operand::Integer => Shape::Integer,
            Operand::Float => Shape::Float,
            Operand::Character => Shape::Character,
            Operand::Array => Shape::Array,
            Operand::Bytes => Shape::Bytes,
            Operand::List => Shape::List,
            Operand::Comparable => return Some(Wanted::Comparable),
            Operand::Any => return None,
        },
    };
    Some(Wanted::Shape(shape))
}

/// Returns what is compared with literals of one kind.
fn beside(ast: &Ast, args: &[ExprId]) -> Wanted {
    let literal = args.iter().find_map(|&arg| match ast.exprs[arg] {
        Expr::Int(_) | Expr::Big(_) => Some(Shape::Integer),
        Expr::Char(_) => Some(Shape::Character),
        _ => None,
    });
    literal.map_or(Wanted::Comparable, Wanted::Shape)
}

/// The most parameters of a definition whose arguments are judged.
const PARAMETERS: usize = 64;

/// A body that is searched for what a parameter must be.
struct Body<'a> {
    unit: UnitId,
    /// The parameters and the local names around: they hide what the top level calls so.
    locals: Vec<Name>,
    parameter: Name,
    checker: &'a Checker<'a>,
    left: u32,
}

impl Body<'_> {
    fn is_parameter(&self, expr: ExprId) -> bool {
        matches!(self.checker.ast.exprs[expr], Expr::Name(name) if name == self.parameter)
    }

    fn target(&self, expr: ExprId) -> Option<Target> {
        let Expr::Name(name) = self.checker.ast.exprs[expr] else { return None };
        match self.checker.globals.lookup(self.unit, name) {
            Lookup::Found(target) if !self.locals.contains(&name) => Some(target),
            _ => None,
        }
    }

    /// Returns what the parameter must be where an expression is evaluated, if that is evaluated
    /// before anything else is chosen.
    fn demanded(&mut self, mut expr: ExprId) -> Option<Wanted> {
        let (checker, ast) = (self.checker, self.checker.ast);
        loop {
            self.left = self.left.checked_sub(1)?;
            match ast.exprs[expr] {
                Expr::Let(bindings, body) | Expr::Letrec(bindings, body) => {
                    let names = ast.bindings[bindings].iter().filter_map(|one| one.binder.name);
                    self.left = self.left.checked_sub(bindings.len() as u32)?;
                    self.locals.extend(names.clone());
                    if names.clone().any(|name| name == self.parameter) {
                        return None;
                    }
                    expr = body;
                }
                Expr::Case(scrutinee, alts) if self.is_parameter(scrutinee) => {
                    let first = ast.alts[alts].first()?;
                    let patterns = Patterns::new(checker.globals, self.unit);
                    return Some(match patterns.kind(PatRef::Ast(first.pat))? {
                        Kind::Int => Wanted::Shape(Shape::Integer),
                        Kind::Char => Wanted::Shape(Shape::Character),
                        Kind::Data(DataId(0)) => Wanted::Shape(Shape::List),
                        Kind::Data(data) => Wanted::Data(data),
                    });
                }
                Expr::Case(scrutinee, _) => expr = scrutinee,
                Expr::App(callee, args) => {
                    let target = self.target(callee)?;
                    let args = &ast.expr_lists[args];
                    let arity = checker.globals.arity(target);
                    if args.len() < arity || arity == 0 {
                        return None;
                    }
                    match target {
                        Target::Primitive(Primitive::If) => expr = *args.first()?,
                        Target::Primitive(Primitive::Seq) => match args.first() {
                            Some(&first) if !self.is_parameter(first) => expr = first,
                            _ => expr = *args.get(1)?,
                        },
                        _ => {
                            // Of the operands of an action only another action is performed.
                            let is_evaluated = |at: usize| match target {
                                Target::Primitive(Primitive::Bind | Primitive::Handle) => at == 0,
                                Target::Primitive(primitive) => primitive.shape().is_strict(),
                                _ => true,
                            };
                            for (at, &arg) in args.iter().take(arity).enumerate() {
                                let is_it = self.is_parameter(arg);
                                if !is_it && !matches!(ast.exprs[arg], Expr::App(..)) {
                                    continue;
                                }
                                let Some(wanted) = checker.wanted(target, at) else { continue };
                                if is_it {
                                    return Some(match wanted {
                                        Wanted::Comparable => beside(ast, args),
                                        wanted => wanted,
                                    });
                                }
                                if is_evaluated(at)
                                    && let Some(inner) = self.demanded(arg)
                                {
                                    return Some(inner);
                                }
                            }
                            return None;
                        }
                    }
                }
                _ => return None,
            }
        }
    }
}

impl Checker<'_> {
    /// Returns what an argument must be, counted from 0, as far as that is known.
    pub(super) fn wanted(&self, target: Target, at: usize) -> Option<Wanted> {
        match target {
            Target::Primitive(primitive) => of_primitive(primitive, at),
            Target::Defn(item) => self.wanted_by(item, at),
            Target::Con(_) | Target::Host(_) | Target::Earlier(_) => None,
        }
    }

    /// Returns what an argument of a definition must be.
    fn wanted_by(&self, item: u32, at: usize) -> Option<Wanted> {
        if let Some(&known) = self.wanted.borrow().get(&(item, at)) {
            return known;
        }
        let depth = self.depth.get();
        let definition = self.ast.items.get(item as usize)?;
        let ItemKind::Defn { params, body } = definition.kind else { return None };
        if params.len() > PARAMETERS {
            return None;
        }
        let params = &self.ast.binders[params];
        let parameter = params.get(at)?.name?;
        if depth >= CALLS
            || params.len() > PARAMETERS
            || params.iter().filter(|one| one.name == Some(parameter)).count() > 1
        {
            return None;
        }
        self.wanted.borrow_mut().insert((item, at), None);
        self.depth.set(depth + 1);
        let locals = params.iter().filter_map(|one| one.name).collect();
        let unit = self.globals.input.unit(definition.file);
        let mut body_of = Body { unit, locals, parameter, checker: self, left: LOOKED_AT };
        let wanted = body_of.demanded(body);
        self.depth.set(depth);
        self.wanted.borrow_mut().insert((item, at), wanted);
        wanted
    }

    fn noun(&self, wanted: Wanted) -> String {
        match wanted {
            Wanted::Shape(shape) => shape.noun().to_owned(),
            Wanted::Text => "a text".to_owned(),
            Wanted::Comparable => "an integer or a character".to_owned(),
            Wanted::Data(data) => format!("a value of `{}`", self.data_name(data)),
        }
    }

    /// Checks the operands of a primitive.
    pub(super) fn operands(&mut self, primitive: Primitive, args: &[ExprId]) {
        let name = primitive.name();
        if primitive == Primitive::If {
            if let Some(&condition) = args.first() {
                self.condition(condition);
            }
            return;
        }
        let mut first: Option<(Shape, Span)> = None;
        let mut reported: Option<usize> = None;
        for (at, &arg) in args.iter().enumerate() {
            let shape = self.shape(arg);
            let span = self.ast.expr_spans[arg];
            let Some(wanted) = of_primitive(primitive, at) else { continue };
            if shape == Shape::Unknown {
                continue;
            }
            let mut fits = wanted.accepts(shape);
            if wanted == Wanted::Comparable && fits {
                fits = first.is_none_or(|(before, _)| before == shape);
                first.get_or_insert((shape, span));
            }
            if fits {
                continue;
            }
            let noun = match wanted {
                Wanted::Comparable => "two integers or two characters".to_owned(),
                _ => self.noun(wanted),
            };
            let (message, help) = match primitive.shape() {
                primitive::Shape::Action => {
                    let which = place(at, primitive.arity());
                    let message = format!(
                        "the {which} operand of `{name}` must be {noun}, and is {}",
                        shape.noun()
                    );
                    (message, None)
                }
                _ => {
                    let message = format!("`{name}` takes {noun}, and is given {}", shape.noun());
                    (message, primitive.instead(at, shape.given()))
                }
            };
            let help = match primitive.is_equality() && self.is_empty_list(arg) {
                true => Some("whether a list is empty is `(null xs)`".to_owned()),
                false => help,
            };
            let mut report = Diagnostic::warning(Code::OperandKind, span, message)
                .note("the program fails if this is evaluated");
            report.help =
                help.or_else(|| self.instead(wanted, shape)).or_else(|| self.still_takes(arg));
            if let Some((before, place)) = first {
                report = report.also(place, format!("this is {}", before.noun()));
            }
            let report = self.with_origin(report, arg);
            match reported.and_then(|at| self.diagnostics.get_mut(at)) {
                // One mistake in several operands is one report.
                Some(before) if before.is_same_elsewhere(&report) => {
                    before.secondary.push(Label { span, text: "and so is this".to_owned() });
                }
                _ => {
                    reported = Some(self.diagnostics.len());
                    self.report(report);
                }
            }
        }
    }

    /// Checks the arguments of a definition, of which it takes the first ones.
    pub(super) fn arguments(&mut self, callee: ExprId, item: u32, args: &[ExprId]) {
        let definition = self.ast.items.get(item as usize).map(|item| &item.kind);
        let Some(&ItemKind::Defn { params, .. }) = definition else { return };
        if params.len() > PARAMETERS {
            return;
        }
        let params = &self.ast.binders[params];
        for (at, &arg) in args.iter().take(params.len()).enumerate() {
            let shape = self.shape(arg);
            if shape == Shape::Unknown {
                continue;
            }
            let Some(wanted) = self.wanted_by(item, at).filter(|it| !it.accepts(shape)) else {
                continue;
            };
            let (name, noun) = (for_message(self.ast_text(callee)), self.noun(wanted));
            let message = match params.len() {
                1 => format!("`{name}` takes {noun}, and is given {}", shape.noun()),
                arity => format!(
                    "the {} argument of `{name}` must be {noun}, and is {}",
                    place(at, arity),
                    shape.noun()
                ),
            };
            let list = wanted == Wanted::Shape(Shape::List);
            let help = match (&*name, params.len()) {
                ("and", 1) if args.len() == 2 => {
                    Some("two conditions are joined by `(andAlso a b)`".to_owned())
                }
                ("or", 1) if args.len() == 2 => {
                    Some("one of two conditions is asked for by `(orElse a b)`".to_owned())
                }
                (_, 1) if list && args.len() > 1 => {
                    Some(format!("`{name}` takes one argument, a list: `({name} [..])`"))
                }
                (_, 1) => None,
                (_, 2..=6) => {
                    // Another argument may be the one that is meant for this place.
                    let fits = |&other: &ExprId| match self.shape(other) {
                        Shape::Unknown => true,
                        shape => wanted.accepts(shape),
                    };
                    let is_action = wanted == Wanted::Shape(Shape::Action);
                    let names = params.iter().map(|one| match one.name {
                        Some(name) => for_message(self.globals.input.names.text(name)),
                        None => "_".to_owned(),
                    });
                    let names = names.collect::<Vec<_>>().join(" ");
                    (!is_action && args.iter().any(fits))
                        .then(|| format!("the order of its arguments is `({name} {names})`"))
                }
                _ => None,
            };
            let mut report =
                Diagnostic::warning(Code::OperandKind, self.ast.expr_spans[arg], message)
                    .note("the program fails if this is evaluated");
            report.help =
                help.or_else(|| self.instead(wanted, shape)).or_else(|| self.still_takes(arg));
            let report = self.with_origin(report, arg);
            self.report(report);
        }
    }

    fn is_empty_list(&self, expr: ExprId) -> bool {
        match self.ast.exprs[expr] {
            Expr::List(elements) => elements.is_empty(),
            Expr::Name(_) => self.target(expr) == Some(Target::Con(NIL)),
            _ => false,
        }
    }

    /// Returns what makes such a value one that is wanted.
    fn instead(&self, wanted: Wanted, shape: Shape) -> Option<String> {
        let help = match (wanted, shape) {
            (Wanted::Shape(Shape::Function), Shape::Action) => THEN,
            (_, Shape::Action) => VALUE_OF_ACTION,
            (Wanted::Text, _) => Given::as_text(shape.given())?,
            (Wanted::Shape(Shape::Integer), Shape::List) => INTEGER_OF_TEXT,
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// Returns what to say of a function that is given fewer arguments than it takes.
    fn still_takes(&self, expr: ExprId) -> Option<String> {
        let (callee, given) = match self.ast.exprs[expr] {
            Expr::App(callee, args) => (callee, args.len()),
            _ => (expr, 0),
        };
        let arity = self.globals.arity(self.target(callee)?);
        let name = for_message(self.ast_text(callee));
        let arguments = counted(arity, "argument");
        let given_words = if given == 0 { "none".to_owned() } else { given.to_string() };
        (arity > given).then(|| format!("`{name}` takes {arguments}, and is given {given_words}"))
    }
}
