//! Wrappers are written out where they are called.
//!
//! A *wrapper* puts its parameters together and does nothing else: it is an application of
//! parameters, functions and constructors, each parameter in one place at most, like `flip`,
//! `compose`, a smart constructor, or a function with some of its arguments given. Where it has all its
//! arguments its body stands for the call, needed or not: no work is done twice, and nothing is
//! evaluated that was not. What is asked of the form of a definition (does it make a list, take a
//! value apart, give an argument on?) is asked of its source, so a wrapper would hide the answer.
//!
//! What is asked for by name stays: it would be there twice. So does a wrapper in a circle of functions:
//! its calls are what other passes find the circle by. A primitive is no part of one, nor the call of a function that
//! chooses between what primitives compute: it would be a value to compute, and no form. (`gcd` calls `abs` twice,
//! which is inlined in `gcd`, but would be called where nothing demands `(gcd a b)` yet.)

use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};
use crate::optimise::places::InlinedPlaces;
use crate::optimise::usage::circles;
use crate::primitive::Shape;

/// The most expressions of a wrapper.
const SIZE: usize = 12;
/// The most ways through a function that are looked at for what it comes to.
const WAYS: usize = 8;

/// Puts the bodies of wrappers in the place of their calls, and returns how many calls there were.
/// Takes time linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let places = InlinedPlaces::new(program, &program.places);
    let wrappers = wrappers(program);
    let left = program.exprs.len();
    let mut writer = Writer { program, wrappers, places, left };
    let mut count = 0;
    for id in writer.program.globals.indices() {
        if let GlobalKind::Defn { body: Some(body), .. } = writer.program.globals[id].kind {
            count += writer.body(body);
        }
    }
    count
}

/// Returns which globals are wrappers.
fn wrappers(program: &Program) -> IndexVec<GlobalId, bool> {
    let circles = circles(program);
    let kept = program.kept();
    let body = |id| match program.globals[id].kind {
        GlobalKind::Defn { params, body: Some(body) } if circles[id].is_none() => {
            Some((&program.local_lists[params], body))
        }
        _ => None,
    };
    let ids = || program.globals.indices();
    // Each is looked at once: many may call the same one.
    let computes: IndexVec<GlobalId, bool> =
        ids().map(|id| body(id).is_some_and(|(_, body)| is_computed(program, body))).collect();
    let is_wrapper = |id| {
        let found = body(id).filter(|_| !kept.contains(&id));
        found.is_some_and(|(params, body)| is_wrapper(program, &computes, params, body))
    };
    ids().map(is_wrapper).collect()
}

fn is_wrapper(
    program: &Program,
    computes: &IndexVec<GlobalId, bool>,
    params: &[LocalId],
    body: ExprId,
) -> bool {
    let mut used = Vec::with_capacity(params.len());
    let is_part = |expr| match program.exprs[expr] {
        Expr::Local(local) => {
            let is_first = !used.contains(&local);
            used.push(local);
            is_first
        }
        Expr::Global(global) => matches!(program.globals[global].kind, GlobalKind::Defn { .. }),
        Expr::App(callee, args) if expr != body => !matches!(program.exprs[callee],
            Expr::Global(of) if computes[of] && program.arity(of) == args.len()),
        Expr::App(..) | Expr::Con(_) | Expr::Lit(_) => true,
        _ => false,
    };
    !params.is_empty() && program.walk(body).take(SIZE + 1).all(is_part) && is_small(program, body)
}

/// Returns whether an expression chooses between what primitives compute, variables and literals.
fn is_computed(program: &Program, body: ExprId) -> bool {
    let Some(ends) = program.ends_up_to(body, WAYS) else { return false };
    let computes = |&end: &ExprId| match program.exprs[end] {
        Expr::App(callee, _) => matches!(program.exprs[callee], Expr::Global(of)
            if matches!(program.globals[of].kind, GlobalKind::Primitive(primitive)
                if primitive.shape() == Shape::Strict)),
        _ => false,
    };
    let is_plain = |end: &ExprId| {
        matches!(program.exprs[*end], Expr::Local(_) | Expr::Lit(_)) || computes(end)
    };
    ends.len() > 1 && ends.iter().any(computes) && ends.iter().all(is_plain)
}

fn is_small(program: &Program, body: ExprId) -> bool {
    program.walk(body).take(SIZE + 1).count() <= SIZE
}

struct Writer<'p> {
    program: &'p mut Program,
    wrappers: IndexVec<GlobalId, bool>,
    places: InlinedPlaces,
    /// How many expressions may still be added.
    left: usize,
}

impl Writer<'_> {
    /// Writes out the wrappers in a body, and in what has been written.
    fn body(&mut self, body: ExprId) -> u64 {
        let mut count = 0;
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            while self.write(expr) {
                count += 1;
            }
            self.program.push_children(expr, &mut work);
        }
        count
    }

    /// Writes out the call of a wrapper, if this is one.
    fn write(&mut self, call: ExprId) -> bool {
        let Expr::App(callee, args) = self.program.exprs[call] else { return false };
        let Expr::Global(global) = self.program.exprs[callee] else { return false };
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return false;
        };
        let program = &*self.program;
        let count = params.len();
        // What stood in it may have been written out meanwhile.
        if !self.wrappers[global]
            || args.len() < count
            || self.left < SIZE
            || !is_small(program, body)
        {
            return false;
        }
        let params = program.local_lists[params].to_vec();
        let args = program.expr_lists[args].to_vec();
        let (args, more) = args.split_at(count);
        let of = |expr| match program.exprs[expr] {
            Expr::Local(local) => {
                params.iter().position(|&param| param == local).map_or(expr, |at| args[at])
            }
            _ => expr,
        };
        // What is applied is an atom or an application: anything else has a name of its own.
        let is_applicable = |callee| {
            matches!(
                program.exprs[of(callee)],
                Expr::Local(_) | Expr::Global(_) | Expr::Con(_) | Expr::App(..)
            )
        };
        let mut callees = program.walk(body).filter_map(|expr| match program.exprs[expr] {
            Expr::App(callee, _) => Some(callee),
            _ => None,
        });
        if !callees.all(is_applicable) || !more.is_empty() && !is_applicable(body) {
            return false;
        }
        let at = program.spans[call];
        let out = self.copy(body, &params, args, at);
        let (out, span) = (self.program.exprs[out], self.program.spans[out]);
        self.program.exprs[call] = match more {
            [] => out,
            _ => {
                let out = self.program.expr(out, span);
                self.applied(out, more)
            }
        };
        if more.is_empty() {
            self.program.spans[call] = span;
        }
        true
    }

    /// Returns a copy of a part of a wrapper, with arguments in the place of parameters.
    fn copy(&mut self, expr: ExprId, params: &[LocalId], args: &[ExprId], call: Span) -> ExprId {
        let copied = match self.program.exprs[expr] {
            Expr::Local(local) => {
                let at = params.iter().position(|&param| param == local);
                return at.map_or(expr, |at| args[at]);
            }
            Expr::App(callee, parts) => {
                let callee = self.copy(callee, params, args, call);
                let parts = self.program.expr_lists[parts].to_vec();
                let parts: Vec<ExprId> =
                    parts.into_iter().map(|part| self.copy(part, params, args, call)).collect();
                self.applied(callee, &parts)
            }
            atom => atom,
        };
        self.left = self.left.saturating_sub(1);
        let span = self.places.of(&mut self.program.places, self.program.spans[expr], call);
        self.program.expr(copied, span)
    }

    /// Returns the application of what may be one itself.
    fn applied(&mut self, callee: ExprId, args: &[ExprId]) -> Expr {
        let (callee, args) = match self.program.exprs[callee] {
            Expr::App(callee, first) => {
                let mut all = self.program.expr_lists[first].to_vec();
                all.extend(args);
                (callee, all)
            }
            _ => (callee, args.to_vec()),
        };
        Expr::App(callee, self.program.expr_lists.add(args))
    }
}
