//! Thunks that only ends evaluate become join points.
//!
//! In `(let ([o E]) (if a (if b c o) o))` nothing is shared by `o`: of its uses at most one is reached,
//! and there the value of `E` is that of the whole expression. So `E` is the handler of a join point
//! without parameters, and a use is a jump to it (Maurer, Downen, Ariola and Peyton Jones, "Compiling
//! without continuations", PLDI 2017, who contify a binding of no parameters as any other). No thunk
//! is built, and what comes after the expression comes after `E` in one place.
//!
//! A use is at an *end* of an expression if the way there goes through branches, bodies and handlers
//! alone. What a `let` binds has ends too, which are those of its body if it becomes a join point; so
//! a chain of bindings of which each ends in the next is found in one walk: bindings are decided on
//! from the inside outwards.
//!
//! *Space.* As when a binding moves inwards ([`super::float_in`]), a value with a selection in it stays
//! where it is: the collector finds selections only in thunks.

use super::drive::is_small_function;
use super::selection::Selectors;
use crate::base::index::{Idx, List};
use crate::core::expr::{Expr, ExprId, GlobalKind, Join, Program};
use crate::core::traverse::Position;

/// Of what an expression is an end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Of something that is evaluated; each has a number.
    Evaluated(u32),
    /// Of the value that a binding is for; this is its index.
    Bound(usize),
}

/// A `let` that may become a join point.
struct Binding {
    expr: ExprId,
    /// Of what the `let` is an end.
    end: End,
    /// The same, or something further out.
    outer: End,
    /// Of what the uses of its variable are ends.
    uses: Vec<(ExprId, End)>,
    /// The binding in whose value it stands.
    owner: Option<usize>,
    /// Whether there is a selection in its value.
    selects: bool,
    /// Whether it stays a binding.
    stays: bool,
}

/// Turns thunks into join points, and returns how many there were. Takes time linear in the program.
pub(super) fn join_at_ends(program: &mut Program) -> u64 {
    let mut search = Search {
        selectors: Selectors::new(program),
        binding: vec![None; program.locals.len()],
        bindings: Vec::new(),
        evaluated: 0,
    };
    for global in program.globals.iter() {
        if let GlobalKind::Defn { body: Some(body), .. } = global.kind {
            search.body(program, body);
        }
    }
    search.rewrite(program)
}

struct Search {
    selectors: Selectors,
    /// The index of the binding of a local.
    binding: Vec<Option<usize>>,
    /// Outer ones before those in them.
    bindings: Vec<Binding>,
    /// How many evaluated expressions have been numbered.
    evaluated: u32,
}

impl Search {
    fn evaluated(&mut self) -> Option<End> {
        self.evaluated += 1;
        Some(End::Evaluated(self.evaluated))
    }

    fn body(&mut self, program: &Program, body: ExprId) {
        let mut work = vec![(body, self.evaluated(), None::<usize>)];
        while let Some((expr, end, owner)) = work.pop() {
            if let Some(local) = program.used_local(expr)
                && let Some(at) = self.binding[local.index()]
            {
                match end {
                    Some(end) if matches!(program.exprs[expr], Expr::Local(_)) => {
                        self.bindings[at].uses.push((expr, end));
                    }
                    _ => self.bindings[at].stays = true,
                }
            }
            if let (Expr::Global(global), Some(at)) = (program.exprs[expr], owner)
                && self.selectors.has(global)
            {
                self.selects(at);
            }
            let tails = match program.exprs[expr] {
                Expr::App(callee, args) => program.tails(callee, args),
                _ => List::EMPTY,
            };
            let tails = &program.expr_lists[tails];
            for child in program.children(expr) {
                let (mut of, mut owner) = (None, owner);
                if let Some(end) = end {
                    of = match child.position {
                        Position::Body
                        | Position::Handler(_)
                        | Position::Branch(_)
                        | Position::Default => Some(end),
                        Position::Binding(local)
                            if matches!(program.exprs[expr], Expr::Let(..)) =>
                        {
                            let at = self.bindings.len();
                            self.bindings.push(Binding {
                                expr,
                                end,
                                outer: end,
                                uses: Vec::new(),
                                owner,
                                selects: false,
                                stays: is_inlined(program, child.expr),
                            });
                            self.binding[local.index()] = Some(at);
                            owner = Some(at);
                            Some(End::Bound(at))
                        }
                        _ if tails.contains(&child.expr) => Some(end),
                        position if program.is_strict(expr, position) => self.evaluated(),
                        _ => None,
                    };
                }
                work.push((child.expr, of, owner));
            }
        }
    }

    /// Notes a selection in the value of a binding.
    fn selects(&mut self, at: usize) {
        let mut next = Some(at);
        while let Some(at) = next
            && !self.bindings[at].selects
        {
            self.bindings[at].selects = true;
            next = self.bindings[at].owner;
        }
    }

    /// Returns of what an end is an end too, as far as bindings in the one with this index become join
    /// points; all of those have been decided on. Shortens the way for the next time.
    fn outermost(&mut self, within: usize, end: End) -> End {
        let becomes = |search: &Search, end| match end {
            End::Bound(at) if at > within && !search.bindings[at].stays => Some(at),
            _ => None,
        };
        let mut outer = end;
        while let Some(at) = becomes(self, outer) {
            outer = self.bindings[at].outer;
        }
        let mut end = end;
        while let Some(at) = becomes(self, end) {
            end = std::mem::replace(&mut self.bindings[at].outer, outer);
        }
        outer
    }

    fn rewrite(mut self, program: &mut Program) -> u64 {
        for at in (0..self.bindings.len()).rev() {
            let uses = std::mem::take(&mut self.bindings[at].uses);
            let end = self.bindings[at].end;
            // What is used once is put where it is used.
            let Binding { stays, selects, .. } = self.bindings[at];
            let stays = stays || selects || uses.len() < 2;
            self.bindings[at].stays =
                stays || uses.iter().any(|&(_, of)| self.outermost(at, of) != end);
            self.bindings[at].uses = uses;
        }
        let mut count = 0;
        for at in 0..self.bindings.len() {
            let binding = &self.bindings[at];
            // A binding in one that stays is not evaluated where it stands.
            if let End::Bound(outer) = binding.end
                && self.bindings[outer].stays
            {
                self.bindings[at].stays = true;
            }
            let binding = &self.bindings[at];
            if binding.stays {
                continue;
            }
            let Expr::Let(_, handler, body) = program.exprs[binding.expr] else { continue };
            let join = program.joins.push(Join { params: List::EMPTY, handler });
            program.exprs[binding.expr] = Expr::Join(join, body);
            for &(expr, _) in &binding.uses {
                program.exprs[expr] = Expr::Jump(join, List::EMPTY);
            }
            count += 1;
        }
        count
    }
}

/// Returns whether a value is the call of a function that is inlined wherever it is needed.
fn is_inlined(program: &Program, value: ExprId) -> bool {
    let Expr::App(callee, _) = program.exprs[value] else { return false };
    let Expr::Global(callee) = program.exprs[callee] else { return false };
    is_small_function(program, callee)
}
