//! Eliminators are written out where their value is needed.
//!
//! An *eliminator* is a small function that begins with taking a parameter apart and is in no circle:
//! `maybe`, a conditional of the program's own. With a call of it in the place of the `case`, the function
//! around that takes nothing apart by itself, and makes nothing.

use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::core::duplicate::Duplicate;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};
use crate::optimise::drive::is_small_function;
use crate::optimise::places::InlinedPlaces;
use crate::optimise::selection::Selectors;
use crate::optimise::usage::circles;

use super::discriminators::Tests;

/// The most expressions of which bodies have copies, for each of the program.
const COPIED: usize = 1;

/// Puts eliminators in the place of calls that are needed, and returns how many calls there were. Takes
/// time linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let places = InlinedPlaces::new(program, &program.places);
    let circles = circles(program);
    let eliminators = eliminators(program, &circles);
    let left = COPIED * program.exprs.len();
    let mut writer = Writer { program, circles, eliminators, places, left };
    let mut count = 0;
    for id in writer.program.globals.indices() {
        if let GlobalKind::Defn { body: Some(body), .. } = writer.program.globals[id].kind {
            count += writer.body(body);
        }
    }
    count
}

/// Returns of each global, if it is an eliminator, which parameter it takes apart. A function that does
/// nothing but select or test is none: it is told from its argument's value.
fn eliminators(
    program: &Program,
    circles: &IndexVec<GlobalId, Option<u32>>,
) -> IndexVec<GlobalId, Option<usize>> {
    let selectors = Selectors::new(program);
    let tests = Tests::new(program);
    let eliminated = |(id, circle): (GlobalId, &Option<u32>)| {
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else {
            return None;
        };
        let Expr::Switch(switch) = program.exprs[body] else { return None };
        let scrutinee = program.switches[switch].scrutinee;
        let at = program.local_lists[params].iter().position(|&param| param == scrutinee)?;
        let is_other = circle.is_some() || selectors.has(id) || tests.has(id);
        (!is_other && is_small_function(program, id)).then_some(at)
    };
    circles.enumerate().map(eliminated).collect()
}

struct Writer<'p> {
    program: &'p mut Program,
    circles: IndexVec<GlobalId, Option<u32>>,
    eliminators: IndexVec<GlobalId, Option<usize>>,
    places: InlinedPlaces,
    /// How many expressions may still be copied.
    left: usize,
}

impl Writer<'_> {
    /// Writes out the eliminators in a body, and in what has been written.
    fn body(&mut self, body: ExprId) -> u64 {
        let mut count = 0;
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            while self.write(expr) {
                count += 1;
            }
            let program = &*self.program;
            let children = program.children(expr);
            let strict = children.filter(|child| program.is_strict(expr, child.position));
            work.extend(strict.map(|child| child.expr));
        }
        count
    }

    /// Writes out the call of an eliminator, if this is one.
    fn write(&mut self, call: ExprId) -> bool {
        let Expr::App(callee, args) = self.program.exprs[call] else { return false };
        let Expr::Global(global) = self.program.exprs[callee] else { return false };
        let Some(taken_apart) = self.eliminators[global] else { return false };
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return false;
        };
        // What stood in it may have been written out meanwhile.
        if !is_small_function(self.program, global) {
            return false;
        }
        let size = self.program.walk(body).count();
        let args = self.program.expr_lists[args].to_vec();
        if args.len() != params.len()
            || self.left < size
            || self.is_consumed(args[taken_apart], body)
        {
            return false;
        }
        self.left -= size;
        let at = self.program.spans[call];
        let params = self.program.local_lists[params].to_vec();
        let (bound, mut out) = self.copy(body, &params, &args, at);
        // What is taken apart is evaluated first.
        for is_forced in [false, true] {
            for (number, (&param, &arg)) in bound.iter().zip(&args).enumerate() {
                let Some(param) = param else { continue };
                if is_forced != (number == taken_apart) {
                    continue;
                }
                let bound = match is_forced {
                    true => Expr::Force(param, arg, out),
                    false => Expr::Let(param, arg, out),
                };
                out = self.program.expr(bound, at);
            }
        }
        self.program.exprs[call] = self.program.exprs[out];
        true
    }

    /// Returns whether what an eliminator takes apart is the call of what can come to call itself, or of
    /// an unknown function that makes a constructor with fields: who consumes the call of the eliminator
    /// consumes that one too.
    fn is_consumed(&self, expr: ExprId, body: ExprId) -> bool {
        let Expr::App(callee, _) = self.program.exprs[expr] else { return false };
        match self.program.exprs[callee] {
            Expr::Global(of) => self.circles[of].is_some(),
            Expr::Local(_) => match self.program.exprs[body] {
                Expr::Switch(switch) => self.program.switches[switch].fields().next().is_some(),
                _ => true,
            },
            _ => false,
        }
    }

    /// Returns a copy of the body of an eliminator, and what has to be bound for its parameters:
    /// variables stand there themselves.
    fn copy(
        &mut self,
        body: ExprId,
        params: &[LocalId],
        args: &[ExprId],
        call: Span,
    ) -> (Vec<Option<LocalId>>, ExprId) {
        let Writer { program, places, .. } = self;
        let mut copy =
            Duplicate::new(program, |program, span| places.of(&mut program.places, span, call));
        let mut bound = Vec::with_capacity(params.len());
        for (&param, &arg) in params.iter().zip(args) {
            bound.push(match copy.program.exprs[arg] {
                Expr::Local(local) => {
                    copy.rename(param, local);
                    None
                }
                _ => Some(copy.bind(param)),
            });
        }
        let body = copy.expr(body);
        (bound, body)
    }
}
