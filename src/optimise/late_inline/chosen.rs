//! Choices on what other choices come to.
//!
//! `(if (gt (if (lt a b) -1 1) 0) P Q)` is `(if (lt a b) Q P)`: a primitive is computed in the place of each
//! literal that its operand may come to, and where a choice is on that, the alternatives stand in these places.
//! One that several would go on with is a join point. So nothing is copied but names and literals, and what is
//! evaluated, and in which order, stays.

use rustc_hash::FxHashMap;

use super::known::Known;
use crate::base::index::List;
use crate::core::expr::{Branches, Expr, ExprId, Join, JoinId, Lit, LocalId, Program, SwitchId};
use crate::core::traverse::Ends;
use crate::primitive::Primitive;

/// The most ways through a choice on which another one is made.
const WAYS: usize = 16;

/// Where an end of a choice goes on.
struct Target {
    body: ExprId,
    /// The names that are used there, and what has them.
    given: Vec<(LocalId, ExprId)>,
}

impl Target {
    /// Returns one for which nothing has a name.
    fn of(body: ExprId) -> Target {
        Target { body, given: Vec::new() }
    }
}

impl Known<'_> {
    /// Computes a primitive on literals and one choice at the ends of that, and returns whether it could.
    pub(super) fn compute_at_ends(
        &mut self,
        expr: ExprId,
        primitive: Primitive,
        operands: &[ExprId],
    ) -> bool {
        let mut others = (0..operands.len()).filter(|&at| self.literal(operands[at]).is_none());
        let (Some(at), None) = (others.next(), others.next()) else { return false };
        let Some(ends) = self.ends(operands[at]) else { return false };
        let mut results = Vec::with_capacity(ends.len());
        for &end in &ends {
            let lits = operands
                .iter()
                .enumerate()
                .map(|(number, &operand)| self.literal(if number == at { end } else { operand }));
            let Some(lits) = lits.collect::<Option<Vec<Lit>>>() else { return false };
            let Some(lit) = self.folder.fold(&mut self.program.bigs, primitive, &lits) else {
                return false;
            };
            results.push(lit);
        }
        for (end, lit) in ends.into_iter().zip(results) {
            self.program.exprs[end] = Expr::Lit(lit);
            self.done.folded += 1;
        }
        self.replace(expr, operands[at]);
        true
    }

    /// Goes on with one of two at the ends of a condition that is a choice of truths itself, and returns
    /// whether it is one. What may never be evaluated has no joins.
    pub(super) fn decide_at_ends(
        &mut self,
        expr: ExprId,
        condition: ExprId,
        [yes, no]: [ExprId; 2],
    ) -> bool {
        let Some(ends) = self.ends(condition) else { return false };
        let target = |&end: &ExprId| match self.program.exprs[end] {
            Expr::Lit(Lit::Int(1)) => Some(Target::of(yes)),
            Expr::Lit(Lit::Int(0)) => Some(Target::of(no)),
            _ => None,
        };
        match ends.iter().map(target).collect::<Option<Vec<Target>>>() {
            Some(targets) if !self.is_lazy => self.go_on(expr, condition, &ends, &targets),
            _ => return false,
        }
        true
    }

    /// Goes on with the alternatives of a switch at the ends of what it takes apart, which is bound to nothing
    /// but its scrutinee, and returns whether those are known but for one.
    pub(super) fn switch_at_ends(
        &mut self,
        expr: ExprId,
        local: LocalId,
        value: ExprId,
        body: ExprId,
    ) -> bool {
        let mut names = Vec::new();
        let Some(switch) = self.switched(local, body, &mut names) else { return false };
        let Some(ends) = self.ends(value) else { return false };
        let (mut known, mut unknown, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for end in ends {
            match self.target(switch, end) {
                Some(target) => {
                    known.push(end);
                    targets.push(target);
                }
                None => unknown.push(end),
            }
        }
        if targets.is_empty() || unknown.len() > 1 {
            return false;
        }
        names.iter().for_each(|&name| self.learn(name));
        if let Some(end) = unknown.pop() {
            self.switch_at(end, switch, &mut known, &mut targets);
        }
        self.go_on(expr, value, &known, &targets);
        for name in names.into_iter().rev() {
            if let Expr::Let(local, value, _) = self.program.exprs[name] {
                let program = &mut *self.program;
                let inner = program.expr(program.exprs[expr], program.spans[expr]);
                program.exprs[expr] = Expr::Let(local, value, inner);
            }
        }
        true
    }

    /// Takes apart what an end comes to where that is, and adds the alternatives to the targets.
    fn switch_at(
        &mut self,
        end: ExprId,
        switch: SwitchId,
        ends: &mut Vec<ExprId>,
        targets: &mut Vec<Target>,
    ) {
        let program = &mut *self.program;
        let span = program.spans[end];
        let mut at_end = program.switches[switch].clone();
        (at_end.scrutinee, at_end.evaluated) = (program.local(None, span), true);
        let mut goes_on = |program: &mut Program, body: &mut ExprId, given| {
            let target = Target { body: *body, given };
            *body = program.expr(Expr::NoMatch, span);
            ends.push(*body);
            targets.push(target);
        };
        match &mut at_end.branches {
            Branches::Cons(branches) => {
                for branch in branches {
                    let mut given = Vec::new();
                    for field in branch.fields.iter_mut().flatten() {
                        let named = program.local(None, span);
                        given.push((*field, program.expr(Expr::Local(named), span)));
                        *field = named;
                    }
                    goes_on(program, &mut branch.body, given);
                }
            }
            Branches::Lits(branches) => {
                branches.iter_mut().for_each(|(_, body)| goes_on(program, body, Vec::new()));
            }
        }
        if let Some(body) = &mut at_end.default {
            goes_on(program, body, Vec::new());
        }
        let (local, inner) = (at_end.scrutinee, program.expr(program.exprs[end], span));
        let switch = program.switches.push(at_end);
        let body = program.expr(Expr::Switch(switch), span);
        program.exprs[end] = Expr::Force(local, inner, body);
    }

    /// Returns the switch of what is bound to a local and used nowhere else, and adds the bindings before it, which
    /// name what has a name.
    fn switched(&self, local: LocalId, body: ExprId, names: &mut Vec<ExprId>) -> Option<SwitchId> {
        if self.uses.get(&local) != Some(&1) {
            return None;
        }
        match self.program.exprs[body] {
            Expr::Switch(switch) => {
                (self.program.switches[switch].scrutinee == local).then_some(switch)
            }
            Expr::Force(forced, value, inner)
                if self.program.exprs[value] == Expr::Local(local) =>
            {
                self.switched(forced, inner, names)
            }
            Expr::Let(_, value, inner) if self.is_atom(value) => {
                names.push(body);
                self.switched(local, inner, names)
            }
            _ => None,
        }
    }

    /// Returns where an end of what a switch takes apart goes on, if it is a literal or a constructor.
    fn target(&self, switch: SwitchId, end: ExprId) -> Option<Target> {
        let program = &*self.program;
        let (con, args) = match program.exprs[end] {
            Expr::Lit(lit) if lit.is_immediate() => {
                return self.of_lit(switch, lit).map(Target::of);
            }
            Expr::Con(con) if program.cons[con].arity == 0 => (con, List::EMPTY),
            Expr::App(callee, args) => match program.exprs[callee] {
                Expr::Con(con) if program.cons[con].arity as usize == args.len() => (con, args),
                _ => return None,
            },
            _ => return None,
        };
        let branch = self.of_con(switch, con)?;
        let named = branch.fields.iter().zip(&program.expr_lists[args]);
        let named = named.filter_map(|(field, &arg)| Some(((*field)?, arg)));
        Some(Target { body: branch.body, given: named.collect() })
    }

    /// Returns the ends of a choice that have values, if there are not too many.
    fn ends(&self, value: ExprId) -> Option<Ends> {
        let mut ends = self.program.ends_up_to(value, WAYS)?;
        let is_choice = ends.len() > 1;
        // A jump goes to others of the same choice.
        let is_jump = |end: ExprId| matches!(self.program.exprs[end], Expr::Jump(..));
        ends.retain(|end| !is_jump(*end) && !self.program.fails(*end));
        (is_choice && !ends.is_empty()).then_some(ends)
    }

    /// Returns whether an expression is a name, a literal or a constructor without fields.
    fn is_value(&self, expr: ExprId) -> bool {
        self.is_atom(expr) || matches!(self.program.exprs[expr], Expr::Con(_))
    }

    /// Puts what is gone on with in the places of the ends of a choice, which takes the place of an expression.
    fn go_on(&mut self, expr: ExprId, value: ExprId, ends: &[ExprId], targets: &[Target]) {
        let mut ways: FxHashMap<ExprId, u32> = FxHashMap::default();
        targets.iter().for_each(|target| *ways.entry(target.body).or_default() += 1);
        let mut joins: FxHashMap<ExprId, JoinId> = FxHashMap::default();
        let mut all = value;
        for (&end, Target { body, given }) in ends.iter().zip(targets) {
            let is_copied = given.is_empty() && self.is_value(*body);
            let program = &mut *self.program;
            let span = program.spans[end];
            if ways[body] == 1 || is_copied {
                let bind = |inner, &(field, arg): &(LocalId, ExprId)| {
                    program.expr(Expr::Let(field, arg, inner), span)
                };
                let with = given.iter().fold(*body, bind);
                self.replace(end, with);
                // What is given has been simplified.
                let mut inner = end;
                for _ in given {
                    let Expr::Let(_, _, body) = self.program.exprs[inner] else { break };
                    self.learn(inner);
                    inner = body;
                }
                self.expr(inner);
                continue;
            }
            let join = *joins.entry(*body).or_insert_with(|| {
                let params = program.local_lists.add(given.iter().map(|&(field, _)| field));
                let join = program.joins.push(Join { params, handler: *body });
                all = program.expr(Expr::Join(join, all), program.spans[expr]);
                join
            });
            let args = program.expr_lists.add(given.iter().map(|&(_, arg)| arg));
            program.exprs[end] = Expr::Jump(join, args);
            self.jump(join, args);
        }
        for join in joins.into_values() {
            self.handler(join);
        }
        self.replace(expr, all);
        self.done.decided += 1;
    }
}
