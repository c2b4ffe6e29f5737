//! Mistakes that can be seen and need not be reached: applications of what is no function,
//! operands of the wrong kind, too many arguments for a constructor. One level is looked at;
//! nothing is inferred.

use super::Checker;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::quote::counted;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::core::scope::{Lookup, Target};
use crate::primitive::{Operand, Primitive};
use crate::syntax::ast::{Expr, ExprId, ItemKind};

/// The kind of value that an expression has, as far as its form tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Integer,
    Float,
    Character,
    /// A string or a list.
    List,
    /// A value of another data type.
    Data,
    Function,
    Unknown,
}

impl Shape {
    fn noun(self) -> &'static str {
        match self {
            Shape::Integer => "an integer",
            Shape::Float => "a float",
            Shape::Character => "a character",
            Shape::List => "a list",
            Shape::Data => "a value of a data type",
            Shape::Function => "a function",
            Shape::Unknown => "unknown",
        }
    }
}

/// Returns what does to such a value what a primitive does to others, or makes it one of those.
fn instead(primitive: Primitive, shape: Shape) -> Option<String> {
    let help = match (primitive, primitive.operand(), shape) {
        (Primitive::Eq, _, Shape::List) => {
            "two texts are compared with `eqString`, other lists with `(eqList same xs ys)`"
        }
        (Primitive::Add, _, Shape::List) => "two lists or texts are joined with `append`",
        (_, Operand::Integer | Operand::Comparable, Shape::Float) => {
            return Some(match of_floats(primitive) {
                Some(other) => format!("floats have a primitive of their own: `{}`", other.name()),
                None => "the integer of a float x is `(ftoi x)`".to_owned(),
            });
        }
        (_, Operand::Float, Shape::Integer) => {
            "a float is written with a point: `3.0`; that of an integer n is `(itof n)`"
        }
        (_, Operand::Integer, Shape::Character) => "the code point of a character c is `(ord c)`",
        (_, Operand::Character, Shape::Integer) => {
            "the character with the code point n is `(chr n)`"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// Returns the primitive that does to floats what this one does to integers.
fn of_floats(primitive: Primitive) -> Option<Primitive> {
    let name = primitive.name();
    let other = match name {
        "negate" => "fneg",
        "rem" => "frem",
        _ => return Primitive::find(&format!("f{name}")),
    };
    Primitive::find(other)
}

impl Checker<'_> {
    fn target(&self, expr: ExprId) -> Option<Target> {
        let Expr::Name(name) = self.ast.exprs[expr] else { return None };
        if self.is_bound(name) {
            return None;
        }
        match self.globals.lookup(self.unit, name) {
            Lookup::Found(target) => Some(target),
            _ => None,
        }
    }

    /// Returns what `target` with `args` arguments is.
    fn applied(&self, target: Target, args: usize) -> Shape {
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
                Operand::Integer => Shape::Integer,
                Operand::Float => Shape::Float,
                Operand::Character => Shape::Character,
                Operand::Comparable | Operand::Any => Shape::Unknown,
                Operand::Array | Operand::Bytes | Operand::List => Shape::Unknown,
            },
            _ => Shape::Unknown,
        }
    }

    fn shape(&self, expr: ExprId) -> Shape {
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

    /// Returns what the body of a definition is, given its arguments, as far as its form tells.
    fn result(&self, item: u32, args: &[ExprId]) -> Shape {
        let item = &self.ast.items[item as usize];
        let ItemKind::Defn { params, body } = item.kind else { return Shape::Unknown };
        let params = &self.ast.binders[params];
        // Its names mean what they mean there.
        let there = |expr: ExprId, args: usize| match self.ast.exprs[expr] {
            Expr::Name(name) if params.iter().all(|param| param.name != Some(name)) => {
                match self.globals.lookup(self.globals.input.unit(item.file), name) {
                    Lookup::Found(target) => self.applied(target, args),
                    _ => Shape::Unknown,
                }
            }
            _ => Shape::Unknown,
        };
        match self.ast.exprs[body] {
            Expr::Name(name) => {
                // Of two parameters of one name, which is a mistake, neither tells.
                let mut named = params.iter().zip(args).filter(|(p, _)| p.name == Some(name));
                match (named.next(), named.next()) {
                    (Some((_, &arg)), None) => self.shape(arg),
                    (None, _) => there(body, 0),
                    _ => Shape::Unknown,
                }
            }
            Expr::App(callee, args) => there(callee, args.len()),
            Expr::Int(_) | Expr::Big(_) => Shape::Integer,
            Expr::Char(_) => Shape::Character,
            Expr::Text(_) | Expr::List(_) => Shape::List,
            _ => Shape::Unknown,
        }
    }

    /// Warns of a `main` that is an application without all its arguments.
    pub(super) fn function_main(&mut self, body: ExprId) {
        let Expr::App(callee, args) = self.ast.exprs[body] else { return };
        let Some(target) = self.target(callee) else { return };
        let (arity, given) = (self.globals.arity(target), args.len());
        if given < arity {
            let name = for_message(self.ast_text(callee));
            let arity = counted(arity, "argument");
            self.report(
                Diagnostic::warning(
                    Code::FunctionMain,
                    self.ast.expr_spans[body],
                    "the value of the program is a function",
                )
                .label(format!("`{name}` takes {arity}, and is given {given}"))
                .note("a function is printed by its name alone"),
            );
        }
    }

    /// Returns the text of a name.
    fn ast_text(&self, expr: ExprId) -> &str {
        match self.ast.exprs[expr] {
            Expr::Name(name) => self.globals.input.names.text(name),
            _ => "",
        }
    }

    /// Checks an application, its callee's own arguments among `args`.
    pub(super) fn application(&mut self, span: Span, callee: ExprId, args: &[ExprId]) {
        let Some(target) = self.target(callee) else {
            let shape = self.shape(callee);
            if !matches!(shape, Shape::Unknown | Shape::Function) {
                let what = shape.noun();
                self.report(
                    Diagnostic::warning(
                        Code::NotAFunction,
                        span,
                        format!("{what} is applied as if it were a function"),
                    )
                    .also(self.ast.expr_spans[callee], format!("this is {what}"))
                    .note("the program fails if this is evaluated"),
                );
            }
            return;
        };
        let arity = self.globals.arity(target);
        match target {
            Target::Con(con) if args.len() > arity => {
                let con = &self.globals.cons[con];
                let name = for_message(&con.name);
                let mut report = Diagnostic::warning(
                    Code::TooManyArguments,
                    span,
                    format!(
                        "`{name}` takes {}, and is given {}",
                        counted(arity, "field"),
                        args.len()
                    ),
                )
                .note("the program fails if this is evaluated");
                if !con.span.is_none() {
                    report = report.also(con.span, "declared here");
                }
                self.report(report);
            }
            Target::Primitive(primitive) if args.len() >= arity => {
                self.operands(primitive, &args[..arity]);
                let result = self.applied(target, arity);
                if args.len() > arity && result != Shape::Unknown {
                    self.report(
                        Diagnostic::warning(
                            Code::NotAFunction,
                            span,
                            format!(
                                "`{}` takes {}, and is given {}",
                                primitive.name(),
                                counted(arity, "argument"),
                                args.len()
                            ),
                        )
                        .label(format!("its result is {}, no function", result.noun()))
                        .note("the program fails if this is evaluated"),
                    );
                }
            }
            Target::Defn(item) if args.len() > arity && arity > 0 => {
                let result = self.result(item, &args[..arity]);
                if !matches!(result, Shape::Unknown | Shape::Function) {
                    let report = Diagnostic::warning(
                        Code::NotAFunction,
                        span,
                        format!(
                            "`{}` takes {}, and is given {}",
                            for_message(self.ast_text(callee)),
                            counted(arity, "argument"),
                            args.len()
                        ),
                    )
                    .label(format!("its result is {}, no function", result.noun()))
                    .note("the program fails if this is evaluated");
                    self.report(report);
                }
            }
            _ => {}
        }
    }

    fn operands(&mut self, primitive: Primitive, args: &[ExprId]) {
        let name = primitive.name();
        if primitive == Primitive::If {
            if let Some(&condition) = args.first() {
                self.condition(condition);
            }
            return;
        }
        let mut first: Option<(Shape, Span)> = None;
        for &arg in args {
            let shape = self.shape(arg);
            let span = self.ast.expr_spans[arg];
            let wanted = match primitive.operand() {
                Operand::Integer => "an integer",
                Operand::Float => "a float",
                Operand::Character => "a character",
                Operand::Comparable => "two integers or two characters",
                Operand::Any | Operand::Array | Operand::Bytes | Operand::List => return,
            };
            let fits = match (primitive.operand(), shape) {
                (_, Shape::Unknown) | (Operand::Any, _) => true,
                (Operand::Array | Operand::Bytes | Operand::List, _) => true,
                (Operand::Integer, shape) => shape == Shape::Integer,
                (Operand::Float, shape) => shape == Shape::Float,
                (Operand::Character, shape) => shape == Shape::Character,
                (Operand::Comparable, Shape::Integer | Shape::Character) => match first {
                    Some((before, _)) => before == shape,
                    None => {
                        first = Some((shape, span));
                        true
                    }
                },
                (Operand::Comparable, _) => false,
            };
            if fits {
                continue;
            }
            let mut report = Diagnostic::warning(
                Code::OperandKind,
                span,
                format!("`{name}` takes {wanted}, and is given {}", shape.noun()),
            )
            .note("the program fails if this is evaluated");
            report.help = instead(primitive, shape);
            if let Some((before, place)) = first {
                report = report.also(place, format!("this is {}", before.noun()));
            }
            self.report(report);
        }
    }

    /// Reports the condition of an `if` that cannot be 1 or 0.
    fn condition(&mut self, condition: ExprId) {
        let given = match (self.ast.exprs[condition], self.shape(condition)) {
            (Expr::Int(0 | 1), _) | (_, Shape::Unknown) => return,
            (Expr::Int(value), _) => value.to_string(),
            (Expr::Big(_), _) => "another integer".to_owned(),
            (_, Shape::Integer) => return,
            (_, shape) => shape.noun().to_owned(),
        };
        self.report(
            Diagnostic::warning(
                Code::OperandKind,
                self.ast.expr_spans[condition],
                format!("the condition of `if` must be 1 or 0, and is {given}"),
            )
            .note("the program fails if this is evaluated"),
        );
    }
}
