//! Applications: of what is no function, to operands of the wrong kind, of a constructor to too many.

use super::Checker;
use super::demands::Wanted;
use super::shapes::Shape;
use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Label};
use crate::base::quote::{counted, for_message};
use crate::base::span::Span;
use crate::core::expr::ConId;
use crate::core::scope::{PROGRAM, Target};
use crate::primitive::Primitive;
use crate::syntax::ast::{Expr, ExprId};

/// Functions of two values, each with what does the same to a list.
const OF_MORE: &[(&str, &str)] = &[
    ("add", "sum"),
    ("mul", "product"),
    ("append", "concat"),
    ("andAlso", "and"),
    ("orElse", "or"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("then", "sequence_"),
];

/// How many more places a report about the fields of a constructor shows.
const SHOWN: usize = 4;

impl Checker<'_> {
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
                    .note("the program fails if this is evaluated")
                    .maybe_help(self.is_infix(args)),
                );
            }
            return;
        };
        let arity = self.globals.arity(target);
        match target {
            Target::Con(id) if args.len() > arity => {
                if self.is_misfit(id, args.len(), span, false) {
                    return;
                }
                let con = &self.globals.cons[id];
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
                self.misfit(id, args.len(), report);
            }
            Target::Primitive(primitive) if args.len() >= arity => {
                let before = self.diagnostics.len();
                self.operands(primitive, &args[..arity]);
                let result = match (primitive, args) {
                    // Whichever of the two it is.
                    (Primitive::If, [_, value, other, ..])
                        if self.shape(*value) == self.shape(*other) =>
                    {
                        self.shape(*value)
                    }
                    _ => self.applied(target, arity),
                };
                let result = if result == Shape::Function { Shape::Unknown } else { result };
                if args.len() > arity && result != Shape::Unknown {
                    // What is said of an operand may follow from it.
                    self.diagnostics.truncate(before);
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
                        .note("the program fails if this is evaluated")
                        .maybe_help(self.is_split(target, args, arity))
                        .maybe_help(self.of_more(callee, target, args)),
                    );
                }
            }
            Target::Defn(item) if args.len() >= arity && arity > 0 => {
                let before = self.diagnostics.len();
                self.arguments(callee, item, args);
                if args.len() == arity {
                    return;
                }
                let (result, _) = self.result(item, &args[..arity], false);
                // A function of a list that is given its elements takes a list: that says all.
                let is_said = arity == 1 && self.diagnostics.len() > before;
                if !is_said && !matches!(result, Shape::Unknown | Shape::Function) {
                    self.diagnostics.truncate(before);
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
                    .note("the program fails if this is evaluated")
                    .maybe_help(self.is_split(target, args, arity))
                    .maybe_help(self.of_more(callee, target, args));
                    self.report(report);
                }
            }
            _ => {}
        }
    }

    /// Adds a place to the report that says of another one that a constructor has another number of
    /// fields: it is likely to be its declaration that has a mistake. A pattern's is an error.
    pub(super) fn is_misfit(
        &mut self,
        con: ConId,
        given: usize,
        span: Span,
        is_error: bool,
    ) -> bool {
        let name = self.globals.input.names.find(&self.globals.cons[con].name);
        let doubts = &self.ast.doubts;
        if name.is_some_and(|name| doubts.has_name(name)) || is_error && doubts.has_place(span) {
            return true;
        }
        let at = self.misfits.get(&(con, given));
        let Some(report) = at.and_then(|at| self.diagnostics.get_mut(*at)) else { return false };
        if is_error && !report.is_error() {
            return false;
        }
        if report.secondary.len() < SHOWN {
            report.secondary.push(Label { span, text: "and so is this".to_owned() });
        }
        true
    }

    /// Reports that a constructor has another number of fields.
    pub(super) fn misfit(&mut self, con: ConId, given: usize, mut report: Diagnostic) {
        match self.misfits.get(&(con, given)).and_then(|at| self.diagnostics.get_mut(*at)) {
            // A warning that is said again as an error.
            Some(warning) => {
                report = report.also(warning.primary.span, "and so is this");
                *warning = report;
            }
            None => {
                self.misfits.insert((con, given), self.diagnostics.len());
                self.report(report);
            }
        }
    }

    /// Returns what to write where a function stands between its arguments.
    fn is_infix(&self, args: &[ExprId]) -> Option<String> {
        let (&name, rest) = args.split_first()?;
        let target = self.target(name)?;
        let text = for_message(self.ast_text(name));
        (rest.len() == 1 && self.globals.arity(target) == 2)
            .then(|| format!("a function stands before its arguments: `({text} a b)`"))
    }

    /// Returns what to write where one of too many arguments is a function and those after it are
    /// what it is to be applied to.
    fn is_split(&self, called: Target, args: &[ExprId], arity: usize) -> Option<String> {
        args.iter().enumerate().find_map(|(at, &arg)| {
            let target = self.target(arg)?;
            // Where a function may be meant, it is no mistake.
            let is_condition = at == 0 && called == Target::Primitive(Primitive::If);
            let wanted = self.wanted(called, at);
            if !is_condition && wanted.is_none_or(|it| it == Wanted::Shape(Shape::Function)) {
                return None;
            }
            let takes = self.globals.arity(target);
            let is_all = takes > 0 && args.len() == arity + takes && at + takes < args.len();
            let text = for_message(self.ast_text(arg));
            is_all.then(|| format!("an application as an argument has parentheses: `({text} ..)`"))
        })
    }

    /// Returns what does to a list what a function of the language does to two values.
    fn of_more(&self, callee: ExprId, called: Target, args: &[ExprId]) -> Option<String> {
        let is_own = match called {
            Target::Defn(item) => {
                let file = self.ast.items.get(item as usize)?.file;
                self.globals.input.unit(file) == PROGRAM
            }
            Target::Primitive(_) => false,
            _ => true,
        };
        let name = self.ast_text(callee).trim_start_matches('#');
        let (_, all) = OF_MORE.iter().find(|(two, _)| *two == name)?;
        let is_more = !is_own && args.len() > 2;
        is_more
            .then(|| format!("of more than two it is `({name} a ({name} b c))`, or `({all} [..])`"))
    }

    /// Reports the condition of an `if` that cannot be 1 or 0.
    pub(super) fn condition(&mut self, condition: ExprId) {
        let given = match (self.ast.exprs[condition], self.shape(condition)) {
            (Expr::Int(0 | 1), _) | (_, Shape::Unknown) => return,
            (Expr::Int(value), _) => value.to_string(),
            (Expr::Big(_), _) => "another integer".to_owned(),
            (_, Shape::Integer) => return,
            (_, shape) => shape.noun().to_owned(),
        };
        let is_name = matches!(self.ast.exprs[condition], Expr::Name(_));
        let help = (is_name && self.shape(condition) == Shape::Function).then(|| {
            let text = for_message(self.ast_text(condition));
            format!("an application as an argument has parentheses: `({text} ..)`")
        });
        self.report(
            Diagnostic::warning(
                Code::OperandKind,
                self.ast.expr_spans[condition],
                format!("the condition of `if` must be 1 or 0, and is {given}"),
            )
            .note("the program fails if this is evaluated")
            .maybe_help(help),
        );
    }
}
