//! What `main` is: a function, or a list of actions that nobody performs.

use super::Checker;
use super::shapes::Shape;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::quote::{counted, for_message};
use crate::core::scope::Target;
use crate::primitive::Primitive;
use crate::syntax::ast::{Expr, ExprId};

impl Checker<'_> {
    /// Warns of a `main` that is a function, or an application without all its arguments.
    pub(super) fn function_main(&mut self, body: ExprId) {
        let (callee, given) = match self.ast.exprs[body] {
            Expr::App(callee, args) => (callee, args.len()),
            Expr::Name(_) => (body, 0),
            _ => return,
        };
        let Some(target) = self.target(callee) else { return };
        let arity = self.globals.arity(target);
        if given < arity {
            let name = for_message(self.ast_text(callee));
            let arity = counted(arity, "argument");
            let given_words = if given == 0 { "none".to_owned() } else { given.to_string() };
            let is_if = target == Target::Primitive(Primitive::If);
            let help = "an `if` has a value for either case: `(if condition value other)`";
            let help = (is_if && given == 2).then(|| help.to_owned());
            self.report(
                Diagnostic::warning(
                    Code::FunctionMain,
                    self.ast.expr_spans[body],
                    "the value of the program is a function",
                )
                .label(format!("`{name}` takes {arity}, and is given {given_words}"))
                .note("a function is printed by its name alone")
                .maybe_help(help),
            );
        }
    }

    /// Warns of a `main` whose value is a list of actions.
    pub(super) fn actions_main(&mut self, body: ExprId) {
        let (actions, help) = match self.ast.exprs[body] {
            Expr::List(elements) => {
                let mut elements = self.ast.expr_lists[elements].iter().copied();
                let action = elements.find(|&element| self.shape(element) == Shape::Action);
                (action, "`(sequence_ [..])` performs the actions of a list in order")
            }
            Expr::App(callee, args) => match (self.ast_text(callee), &self.ast.expr_lists[args]) {
                ("map", &[function, _]) if self.is_of_prelude(callee) => (
                    (self.result_of(function) == Shape::Action).then_some(function),
                    "`(mapM_ f xs)` performs the action that f makes of each element",
                ),
                _ => return,
            },
            _ => return,
        };
        let Some(action) = actions else { return };
        let label = match self.shape(action) {
            Shape::Action => "this is an action",
            _ => "its results are actions",
        };
        self.report(
            Diagnostic::warning(
                Code::ActionsPrinted,
                self.ast.expr_spans[action],
                "the value of the program is a list of actions, which are printed and not performed",
            )
            .label(label)
            .help(help),
        );
    }

    /// Returns whether a name means what the prelude defines.
    fn is_of_prelude(&self, expr: ExprId) -> bool {
        let Some(Target::Defn(item)) = self.target(expr) else { return false };
        let file = self.ast.items.get(item as usize).map(|item| item.file);
        file.map(|file| self.globals.input.unit(file)) == self.globals.input.prelude
    }

    /// Returns what a function makes of one more argument, as far as its form tells.
    fn result_of(&self, function: ExprId) -> Shape {
        match self.ast.exprs[function] {
            Expr::Name(_) => self.target(function).map_or(Shape::Unknown, |it| self.applied(it, 1)),
            Expr::App(callee, args) => match self.target(callee) {
                Some(target) => self.applied(target, args.len() + 1),
                None => Shape::Unknown,
            },
            Expr::Fn(params, body) => {
                let params = &self.ast.binders[params];
                let Expr::App(callee, _) = self.ast.exprs[body] else { return Shape::Unknown };
                let Expr::Name(name) = self.ast.exprs[callee] else { return Shape::Unknown };
                let is_local = params.iter().any(|one| one.name == Some(name));
                match params.len() {
                    1 if !is_local => self.shape(body),
                    _ => Shape::Unknown,
                }
            }
            _ => Shape::Unknown,
        }
    }
}
