//! Constructors that a call makes without evaluating anything.
//!
//! A function whose body only binds what is in a constructor has nothing to wait for: its call is that
//! constructor, whoever asks for it. To write it where it is not evaluated may build more than a thunk
//! of the call does, so it is known there only if all that is done with it is to select its fields, as
//! in `(let ([p (step s x)]) (Cons (snd p) (go (fst p) t)))`: then the constructor itself is never
//! built. (What GHC finds with `exprIsConApp_maybe`.)

use super::Driver;
use super::counted::is_arithmetic;
use super::heap::{EnvId, NodeId};
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId};

/// The most expressions of a function whose constructor is known where it is not evaluated.
const LARGEST: u32 = 40;
/// Through how many functions a call is followed to the constructor that it writes down.
const WRITERS: u32 = 4;

impl Driver<'_> {
    /// Returns the value of what a `let` binds. Nothing is evaluated.
    pub(super) fn bound(&mut self, local: LocalId, value: ExprId, env: EnvId) -> NodeId {
        match self.made(local, value, env) {
            Some(node) => node,
            None => self.node(value, env),
        }
    }

    /// Returns the constructor that a call makes, if all that is done with it is to select its fields.
    fn made(&mut self, local: LocalId, value: ExprId, env: EnvId) -> Option<NodeId> {
        if !self.is_only_selected[local] || !self.knows() || !self.may_unfold() {
            return None;
        }
        let Expr::App(callee, args) = self.old.exprs[value] else { return None };
        let (global, given) = self.called(callee, env)?;
        let args = &self.old.expr_lists[args];
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[global].kind else {
            return None;
        };
        if given.len() + args.len() != params.len() || !self.makes(global, body) {
            return None;
        }
        self.tally.inlined += 1;
        self.fuel -= 1;
        let span = self.span(value, env);
        let (nodes, _) = self.arguments(args, env);
        let locals = self.facts.locals[global];
        let inner = self.heap.activation(locals as usize, self.users_call(span));
        for (&param, node) in
            self.old.local_lists[params].iter().zip(given.into_iter().chain(nodes))
        {
            self.bind(param, inner, node);
        }
        let mut end = body;
        while let Expr::Let(local, value, body) = self.old.exprs[end] {
            let node = self.bound(local, value, inner);
            self.bind(local, inner, node);
            end = body;
        }
        Some(self.node(end, inner))
    }

    /// Returns whether a function binds what is in a constructor, and makes that.
    fn makes(&self, global: GlobalId, body: ExprId) -> bool {
        if self.facts.recursive[global] || self.facts.size[global] > LARGEST {
            return false;
        }
        let mut end = body;
        while let Expr::Let(_, _, body) = self.old.exprs[end] {
            end = body;
        }
        let Expr::App(callee, args) = self.old.exprs[end] else { return false };
        matches!(self.old.exprs[callee], Expr::Con(con)
            if args.len() == self.new.cons[con].arity as usize)
    }

    /// Returns whether a call of what can come to call itself is unfolded because its value is looked
    /// for: it writes down a constructor of functions and numbers, so that nothing in it is a call again,
    /// by itself or by way of a few other functions.
    pub(super) fn is_written_down(&self, global: GlobalId) -> bool {
        self.may_unfold() && self.writes_down(global, WRITERS)
    }

    fn writes_down(&self, global: GlobalId, hops: u32) -> bool {
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[global].kind else {
            return false;
        };
        let Some(hops) = hops.checked_sub(1) else { return false };
        let mut end = body;
        while let Expr::Let(_, value, body) = self.old.exprs[end] {
            if !self.is_part_of_data(value) {
                return false;
            }
            end = body;
        }
        let Expr::App(callee, args) = self.old.exprs[end] else { return false };
        let args = &self.old.expr_lists[args];
        match self.old.exprs[callee] {
            Expr::Con(_) => self.is_data(end, true),
            Expr::Global(of) => {
                args.len() == self.old.arity(of)
                    && args.iter().all(|&arg| self.is_part_of_data(arg))
                    && self.writes_down(of, hops)
            }
            _ => false,
        }
    }

    /// Returns whether an expression is a number to be computed, or is written down.
    fn is_part_of_data(&self, expr: ExprId) -> bool {
        self.is_data(expr, true) || self.is_number(expr)
    }

    /// Returns whether an expression is arithmetic of literals and variables.
    fn is_number(&self, expr: ExprId) -> bool {
        let Expr::App(callee, args) = self.old.exprs[expr] else { return false };
        let Expr::Global(of) = self.old.exprs[callee] else { return false };
        let is_atom = |&arg: &ExprId| matches!(self.old.exprs[arg], Expr::Lit(_) | Expr::Local(_));
        matches!(self.old.globals[of].kind, GlobalKind::Primitive(primitive) if is_arithmetic(primitive))
            && self.old.expr_lists[args].iter().all(is_atom)
    }
}
