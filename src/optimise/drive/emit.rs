//! Writing code: the block of statements, values as atoms and as what they are made of, applications.

use std::sync::Arc;

use super::heap::{AbstractValue, EnvId, Head, Name, NodeId};
use super::{Driver, Outcome, Statement};
use crate::base::index::Idx;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Expr, ExprId, LocalId, TextId};

/// The bytes of a text that take as long to copy as a step.
const TEXT_PER_STEP: usize = 8;

impl Driver<'_> {
    pub(super) fn local(&mut self, local: LocalId, span: Span) -> ExprId {
        self.used[local] = true;
        self.expr(Expr::Local(local), span)
    }

    /// Returns an expression that names a value and can be copied. A value without a name gets one.
    pub(super) fn atom(&mut self, node: NodeId, span: Span) -> ExprId {
        ensure_sufficient_stack(|| self.atom_step(node, span))
    }

    fn atom_step(&mut self, node: NodeId, span: Span) -> ExprId {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        match (known.value, known.name) {
            (AbstractValue::Lit(lit), _) => return self.expr(Expr::Lit(lit), span),
            (_, Some(Name::Local(local))) => return self.local(local, span),
            (_, Some(Name::Caf(caf))) => {
                let caf = self.global(caf);
                return self.expr(Expr::Global(caf), span);
            }
            (AbstractValue::Con(con, fields), None) if fields.is_empty() => {
                return self.expr(Expr::Con(con), span);
            }
            (AbstractValue::Partial(head, args), None) if args.is_empty() => {
                return self.head(head, span);
            }
            _ => {}
        }
        if let Some(global) = self.defined(node) {
            return self.expr(Expr::Global(global), span);
        }
        let value = self.construct(node, span);
        let lazy = matches!(known.value, AbstractValue::Thunk(..) | AbstractValue::Call(..));
        match self.new.exprs[value] {
            Expr::Local(local) if lazy => {
                self.heap.set(node, AbstractValue::Unknown(false), Some(Name::Local(local)));
                return value;
            }
            Expr::Lit(lit) => {
                self.heap.set(node, AbstractValue::Lit(lit), None);
                return value;
            }
            _ => {}
        }
        let local = self.fresh(None, span);
        self.block.push(Statement::Let(local, value));
        let value = if lazy { AbstractValue::Unknown(false) } else { known.value };
        self.heap.set(node, value, Some(Name::Local(local)));
        self.local(local, span)
    }

    pub(super) fn head(&mut self, head: Head, span: Span) -> ExprId {
        let expr = match head {
            Head::Global(global) => Expr::Global(self.global(self.unexpanded(global))),
            Head::Con(con) => Expr::Con(con),
        };
        self.expr(expr, span)
    }

    /// Returns code that builds a value, to be used in one place.
    pub(super) fn construct(&mut self, node: NodeId, span: Span) -> ExprId {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        if known.name.is_some() {
            return self.atom(node, span);
        }
        if let Some(global) = self.caf_part(node) {
            return self.expr(Expr::Global(global), span);
        }
        match known.value {
            AbstractValue::Thunk(expr, env) => self.lazy(expr, env),
            AbstractValue::Call(global, args) => {
                let args = self.heap.items(args).to_vec();
                match args.len() > self.old.arity(global) {
                    true => self.lazy_over_call(global, &args, 0, span),
                    false => self.lazy_call(global, args, 0, span),
                }
            }
            AbstractValue::Con(con, fields) if !fields.is_empty() => {
                if let Some(whole) = self.whole(con, fields) {
                    return self.atom(whole, span);
                }
                let callee = self.expr(Expr::Con(con), span);
                let fields = self.heap.items(fields).to_vec();
                self.apply(callee, &fields, span)
            }
            AbstractValue::Partial(head, args) if !args.is_empty() => {
                let args = self.heap.items(args).to_vec();
                self.lambda(head, &args, 0, span)
            }
            AbstractValue::Text(text, at) => self.text(text, at, span),
            AbstractValue::Lit(_) | AbstractValue::Con(..) | AbstractValue::Partial(..) => {
                self.atom(node, span)
            }
            AbstractValue::Unknown(_) | AbstractValue::Alias(_) | AbstractValue::Select(_) => {
                unreachable!("what is not known has a name from its first day")
            }
        }
    }

    /// Returns a text from a byte position on.
    pub(super) fn text(&mut self, text: TextId, at: u32, span: Span) -> ExprId {
        let text = match at {
            0 => text,
            _ => self.rest_of(text, at),
        };
        self.expr(Expr::Text(text), span)
    }

    /// Returns the literal that a text is from a byte position on. It is a copy, made once and paid
    /// for with steps: what walks along a long text soon has none left.
    fn rest_of(&mut self, text: TextId, at: u32) -> TextId {
        if let Some(&rest) = self.suffixes.get(&(text, at)) {
            return rest;
        }
        let rest: Arc<str> = self.new.texts[text].get(at as usize..).unwrap_or_default().into();
        self.fuel -= (rest.len() / TEXT_PER_STEP) as i64;
        let rest = self.new.texts.push(rest);
        self.suffixes.insert((text, at), rest);
        rest
    }

    /// Returns an application to named arguments.
    pub(super) fn apply(&mut self, callee: ExprId, args: &[NodeId], span: Span) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.atom(arg, span)).collect();
        self.application(callee, args, span)
    }

    pub(super) fn application(&mut self, callee: ExprId, args: Vec<ExprId>, span: Span) -> ExprId {
        if args.is_empty() {
            return callee;
        }
        let args = self.new.expr_lists.add(args);
        self.expr(Expr::App(callee, args), span)
    }

    /// Returns the code of an outcome, at the end of a strict context.
    pub(super) fn finish(&mut self, outcome: Outcome, span: Span) -> ExprId {
        match outcome {
            Outcome::Code(code) | Outcome::Test { code, .. } | Outcome::Ends(code) => code,
            Outcome::Node(node) => self.construct(node, span),
        }
    }

    /// Takes the statements from `start` on and puts them around an expression.
    pub(super) fn wrap(&mut self, start: usize, expr: ExprId) -> ExprId {
        let span = self.new.spans[expr];
        let mut expr = expr;
        for statement in self.block.split_off(start).into_iter().rev() {
            let wrapped = match statement {
                Statement::Let(local, value) => Expr::Let(local, value, expr),
                Statement::Force(local, value) => Expr::Force(local, value, expr),
                Statement::Letrec(binds) => Expr::Letrec(self.new.binds.add(binds), expr),
            };
            expr = self.expr(wrapped, span);
        }
        expr
    }

    /// Returns an application whose callee may be one.
    pub(super) fn merged(&mut self, callee: ExprId, args: Vec<ExprId>, span: Span) -> ExprId {
        match self.new.exprs[callee] {
            Expr::App(inner, first) => {
                let all: Vec<ExprId> =
                    self.new.expr_lists[first].iter().copied().chain(args).collect();
                self.application(inner, all, span)
            }
            _ => self.application(callee, args, span),
        }
    }

    /// Returns the arguments of a call as values, and a mask of those that nothing else refers to.
    pub(super) fn arguments(&mut self, args: &[ExprId], env: EnvId) -> (Vec<NodeId>, u64) {
        let mut fresh = 0;
        let nodes = args
            .iter()
            .enumerate()
            .map(|(at, &arg)| {
                let compound = matches!(self.old.exprs[arg], Expr::App(..));
                let node = self.node(arg, env);
                // A selection may be a value that was there.
                if compound && at < 64 && node.index() + 1 == self.heap.len() {
                    fresh |= 1 << at;
                }
                node
            })
            .collect();
        (nodes, fresh)
    }

    /// Returns arguments as code; those that nothing else refers to are written in their place.
    pub(super) fn written(&mut self, args: &[NodeId], fresh: u64, span: Span) -> Vec<ExprId> {
        let mut out = Vec::with_capacity(args.len());
        for (at, &arg) in args.iter().enumerate() {
            out.push(self.argument(arg, at < 64 && fresh & 1 << at != 0, span));
        }
        out
    }

    pub(super) fn argument(&mut self, arg: NodeId, fresh: bool, span: Span) -> ExprId {
        // An alias has been evaluated, and others may refer to what it stands for.
        if fresh && self.heap.resolve(arg) == arg {
            self.heap.place(arg);
            self.construct(arg, span)
        } else {
            self.atom(arg, span)
        }
    }
}
