//! The jumps to the joins of the new program, and how these are written.
//!
//! A handler to which there is one jump stands in its place, and a join whose handler does nothing but jump on is
//! jumped over. Such joins lead to one another in long rows, so what jumps to one of them is not written anew for each
//! of the next: the joins are united (Tarjan, "Efficiency of a good but not linear set union algorithm", 1975).
//!
//! Invariants:
//! - Of the places that are noted for a join, those count that still hold a jump to it, or to one that leads to it.
//! - An expression that was moved leaves nothing that jumps where it stood.

use super::Driver;
use super::heap::NodeId;
use crate::base::index::{List, count};
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, Join, JoinId, LocalId};

/// The jumps to a join.
pub(super) struct Jumps {
    /// Where they have been put.
    places: Vec<ExprId>,
    /// How many are there still.
    count: usize,
    /// The join that this one leads to: itself, if it does not.
    leads_to: JoinId,
}

impl Driver<'_> {
    /// Adds a join that is jumped to before its handler is there.
    pub(super) fn placeholder(&mut self) -> JoinId {
        self.tally.joins += 1;
        let handler = self.expr(Expr::NoMatch, Span::NONE);
        let join = self.new.joins.push(Join { params: List::EMPTY, handler });
        self.jumps.push(Jumps { places: Vec::new(), count: 0, leads_to: join });
        join
    }

    pub(super) fn jump_code(&mut self, join: JoinId, args: &[NodeId], span: Span) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.atom(arg, span)).collect();
        let args = self.new.expr_lists.add(args);
        let jump = self.expr(Expr::Jump(join, args), span);
        self.note_jump(jump);
        jump
    }

    /// Writes a join around the code that jumps to it, or does without it.
    pub(super) fn write_join(
        &mut self,
        join: JoinId,
        params: Vec<LocalId>,
        handler: ExprId,
        code: ExprId,
    ) -> ExprId {
        match self.jumps[join].count {
            0 => return code,
            1 => {
                let only = self.jumps_to(join).first().copied();
                if let Some(jump) = only {
                    self.stand_in(jump, &params, handler);
                }
                return code;
            }
            _ => {}
        }
        match self.new.exprs[handler] {
            Expr::Jump(next, args) if args.is_empty() => {
                self.new.exprs[handler] = Expr::NoMatch;
                let next = self.end_of(next);
                self.jumps[next].count -= 1;
                self.unite(join, next);
                return code;
            }
            short @ (Expr::Lit(_) | Expr::NoMatch) => {
                for jump in self.jumps_to(join) {
                    self.new.exprs[jump] = short;
                }
                return code;
            }
            _ => {}
        }
        for jump in self.jumps_to(join) {
            if let Expr::Jump(to, _) = self.new.exprs[jump]
                && to != join
            {
                self.new.exprs[jump] = Expr::Jump(join, List::EMPTY);
            }
        }
        let params = self.new.local_lists.add(params);
        self.new.joins[join] = Join { params, handler };
        let span = self.new.spans[code];
        self.expr(Expr::Join(join, code), span)
    }

    /// Puts a handler where the only jump to it stands.
    fn stand_in(&mut self, jump: ExprId, params: &[LocalId], handler: ExprId) {
        let span = self.new.spans[jump];
        let mut expr = handler;
        if let Expr::Jump(_, args) = self.new.exprs[jump] {
            let args = self.new.expr_lists[args].to_vec();
            for (&param, &arg) in params.iter().zip(&args).rev() {
                expr = self.expr(Expr::Let(param, arg, expr), span);
            }
        }
        let moved = std::mem::replace(&mut self.new.exprs[expr], Expr::NoMatch);
        self.new.exprs[jump] = moved;
        self.new.spans[jump] = self.new.spans[expr];
        if let Expr::Jump(next, _) = moved {
            let next = self.end_of(next);
            self.jumps[next].places.push(jump);
        }
    }

    fn note_jump(&mut self, jump: ExprId) {
        if let Expr::Jump(join, _) = self.new.exprs[jump] {
            let join = self.end_of(join);
            self.jumps[join].places.push(jump);
            self.jumps[join].count += 1;
        }
    }

    /// Returns where a join leads to.
    fn end_of(&mut self, join: JoinId) -> JoinId {
        let mut end = join;
        while self.jumps[end].leads_to != end {
            let next = self.jumps[end].leads_to;
            // Whoever comes this way again has half as far to go.
            self.jumps[end].leads_to = self.jumps[next].leads_to;
            end = next;
        }
        end
    }

    /// Lets a join lead to another one: the places of the one that has fewer are moved.
    fn unite(&mut self, join: JoinId, next: JoinId) {
        let mut places = std::mem::take(&mut self.jumps[join].places);
        let count = std::mem::take(&mut self.jumps[join].count);
        self.jumps[join].leads_to = next;
        let of_next = &mut self.jumps[next];
        of_next.count += count;
        if places.len() > of_next.places.len() {
            std::mem::swap(&mut places, &mut of_next.places);
        }
        count::add(places.len() as u64);
        of_next.places.append(&mut places);
    }

    /// Takes the places of the jumps to a join.
    fn jumps_to(&mut self, join: JoinId) -> Vec<ExprId> {
        let mut places = std::mem::take(&mut self.jumps[join].places);
        places.retain(|&place| match self.new.exprs[place] {
            Expr::Jump(to, _) => self.end_of(to) == join,
            _ => false,
        });
        places
    }
}
