//! What inlining has made known: where a body had parameters, it finds literals, constructors and functions that
//! lack arguments in the place of a call.
//!
//! Primitives on literals are computed, a choice on what is known is made, and a function that is bound beside its
//! application is called. What has been taken apart is not taken apart again, by a `case` or a selection, under
//! whatever name; what comes after a field of a record goes on where the record has been taken apart. Nothing is
//! evaluated that was not, and nothing is copied but names and literals: an argument of a constructor that is
//! neither gets a name before an alternative uses it.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::index::List;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, Lit, LocalId,
    Program, Switch, SwitchId,
};
use crate::core::traverse::{Child, Position};
use crate::optimise::fold::{Folder, is_one_kind};
use crate::optimise::selection::selected;
use crate::primitive::Shape;

/// What is known of a local.
#[derive(Clone, Copy)]
enum Value {
    Lit(Lit),
    /// A constructor, by the local that is bound to it and the expression that does that.
    Con(ConId, LocalId, ExprId),
    /// A constructor, by the alternative in which the local is one.
    Alternative(ConId, SwitchId),
    /// A function with so many arguments, all of them names and literals, that lacks some.
    Partial(GlobalId, List<ExprId>),
}

/// How much there was to do.
#[derive(Default)]
pub(super) struct Done {
    pub folded: u64,
    pub decided: u64,
}

/// Simplifies some bodies. Takes time linear in them.
pub(super) fn simplify(program: &mut Program, bodies: &[ExprId]) -> Done {
    let folder = Folder::new(&program.bigs);
    let (values, named, uses, jumped, left, is_lazy, done) = Default::default();
    let mut known = Known { program, folder, values, named, uses, jumped, left, is_lazy, done };
    for &body in bodies {
        known.values.clear();
        known.uses = used(known.program, body);
        known.expr(body);
    }
    known.done
}

/// Returns how often an expression uses each local.
fn used(program: &Program, expr: ExprId) -> FxHashMap<LocalId, u32> {
    let mut uses = FxHashMap::default();
    for local in program.walk(expr).filter_map(|part| program.used_local(part)) {
        *uses.entry(local).or_default() += 1;
    }
    uses
}

pub(super) struct Known<'p> {
    pub(super) program: &'p mut Program,
    pub(super) folder: Folder,
    values: FxHashMap<LocalId, Value>,
    /// The locals of which others are only names.
    named: FxHashMap<LocalId, LocalId>,
    /// How often the body uses each local.
    pub(super) uses: FxHashMap<LocalId, u32>,
    /// The joins that something jumps to, with the literal that each parameter is in all jumps.
    pub(super) jumped: FxHashMap<JoinId, Vec<Option<Lit>>>,
    /// What a choice is left to be made by.
    left: FxHashSet<LocalId>,
    /// Whether the expression is in a lazy context.
    pub(super) is_lazy: bool,
    pub(super) done: Done,
}

impl Known<'_> {
    pub(super) fn expr(&mut self, expr: ExprId) {
        ensure_sufficient_stack(|| self.step(expr));
    }

    /// Simplifies a part of an expression.
    fn part(&mut self, expr: ExprId, part: ExprId, position: Position) {
        let around = self.is_lazy;
        self.is_lazy |= !self.program.is_strict(expr, position);
        self.expr(part);
        self.is_lazy = around;
    }

    /// Simplifies arguments of an application, numbered from `first` on.
    fn arguments(&mut self, expr: ExprId, first: usize, args: &[ExprId]) {
        for (at, &arg) in (first..).zip(args) {
            self.part(expr, arg, Position::Argument(at as u32));
        }
    }

    fn step(&mut self, expr: ExprId) {
        match self.program.exprs[expr] {
            Expr::Local(local) => {
                if let Some(Value::Lit(lit)) = self.values.get(&local) {
                    self.program.exprs[expr] = Expr::Lit(*lit);
                }
            }
            Expr::Let(local, value, body) | Expr::Force(local, value, body) => {
                let is_forced = matches!(self.program.exprs[expr], Expr::Force(..));
                let position = match is_forced {
                    true => Position::Forced,
                    false => Position::Binding(local),
                };
                self.part(expr, value, position);
                if self.goes_on_within(expr) {
                    return;
                }
                if is_forced && self.switch_at_ends(expr, local, value, body) {
                    return;
                }
                self.learn(expr);
                self.expr(body);
                // What is not used any more is not to be evaluated.
                let is_lit = matches!(self.values.get(&local), Some(Value::Lit(_)));
                if is_lit && !self.left.contains(&local) {
                    self.program.exprs[expr] = Expr::Let(local, value, body);
                }
            }
            Expr::App(callee, args) => self.application(expr, callee, args),
            Expr::Switch(switch) => self.switch(expr, switch),
            Expr::Join(join, body) => {
                self.expr(body);
                match self.jumped.contains_key(&join) {
                    true => self.handler(join),
                    // Each jump was in an alternative that is not taken.
                    false => self.replace(expr, body),
                }
            }
            _ => {
                let children: Vec<Child> = self.program.children(expr).collect();
                children.into_iter().for_each(|child| self.part(expr, child.expr, child.position));
                if let Expr::Jump(join, args) = self.program.exprs[expr] {
                    self.jump(join, args);
                }
            }
        }
    }

    /// Where a value is taken out of a record, goes on within the alternative: there the other fields are known.
    fn goes_on_within(&mut self, expr: ExprId) -> bool {
        let Expr::Force(local, value, body) = self.program.exprs[expr] else { return false };
        let mut of = value;
        while let Expr::Let(_, named, inner) = self.program.exprs[of]
            && matches!(self.program.exprs[named], Expr::Local(_))
        {
            of = inner;
        }
        let Expr::Switch(switch) = self.program.exprs[of] else { return false };
        let program = &mut *self.program;
        let Switch { branches: Branches::Cons(branches), default: None, .. } =
            &program.switches[switch]
        else {
            return false;
        };
        let &[ConBranch { body: field, .. }] = &branches[..] else { return false };
        if !matches!(program.exprs[field], Expr::Local(_)) {
            return false;
        }
        let within = program.expr(Expr::Force(local, field, body), program.spans[expr]);
        if let Branches::Cons(branches) = &mut program.switches[switch].branches {
            branches[0].body = within;
        }
        self.replace(expr, value);
        self.expr(expr);
        true
    }

    /// Returns the field that an application selects, if what it is of has been taken apart.
    fn selected(&mut self, callee: ExprId, operands: &[ExprId]) -> Option<Expr> {
        let (Expr::Global(selector), &[of]) = (self.program.exprs[callee], operands) else {
            return None;
        };
        let Expr::Local(of) = self.program.exprs[of] else { return None };
        let of = self.named.get(&of).copied().unwrap_or(of);
        let Some(&Value::Alternative(con, switch)) = self.values.get(&of) else { return None };
        let at = selected(self.program, selector, con)?;
        self.field(con, switch, at)
    }

    /// Notes which literals a jump passes.
    pub(super) fn jump(&mut self, join: JoinId, args: List<ExprId>) {
        let passed = |&arg: &ExprId| self.literal(arg).filter(|lit| lit.is_immediate());
        let passed: Vec<Option<Lit>> = self.program.expr_lists[args].iter().map(passed).collect();
        match self.jumped.entry(join) {
            Entry::Occupied(mut before) => {
                for (before, now) in before.get_mut().iter_mut().zip(passed) {
                    *before = before.filter(|&before| Some(before) == now);
                }
            }
            Entry::Vacant(entry) => {
                entry.insert(passed);
            }
        }
    }

    /// Simplifies what jumps lead to, when all of them have been seen.
    pub(super) fn handler(&mut self, join: JoinId) {
        let Join { params, handler } = self.program.joins[join];
        let passed = self.jumped.get(&join).into_iter().flatten();
        for (&param, lit) in self.program.local_lists[params].iter().zip(passed) {
            self.values.extend(lit.map(|lit| (param, Value::Lit(lit))));
        }
        self.expr(handler);
    }

    /// Notes what is known of the local that a binding binds.
    pub(super) fn learn(&mut self, binding: ExprId) {
        if let Expr::Let(local, value, _) | Expr::Force(local, value, _) =
            self.program.exprs[binding]
        {
            let known = self.value(local, binding, value);
            self.values.extend(known.map(|known| (local, known)));
            if let Expr::Local(of) = self.program.exprs[value] {
                let of = self.named.get(&of).copied().unwrap_or(of);
                self.named.insert(local, of);
            }
        }
    }

    /// Returns what is known of the value that a binding binds its local to.
    fn value(&self, local: LocalId, binding: ExprId, value: ExprId) -> Option<Value> {
        let program = &*self.program;
        match program.exprs[value] {
            Expr::Lit(lit) if lit.is_immediate() => Some(Value::Lit(lit)),
            Expr::Local(local) => match self.values.get(&local)? {
                // The other one may leave the alternative.
                Value::Alternative(..) => None,
                &value => Some(value),
            },
            Expr::Con(con) if program.cons[con].arity == 0 => Some(Value::Con(con, local, binding)),
            Expr::App(callee, args) => match program.exprs[callee] {
                Expr::Con(con) if program.cons[con].arity as usize == args.len() => {
                    Some(Value::Con(con, local, binding))
                }
                Expr::Global(of) => {
                    let are_atoms = program.expr_lists[args].iter().all(|&arg| self.is_atom(arg));
                    let is_partial = self.is_function(of) && args.len() < program.arity(of);
                    (are_atoms && is_partial).then_some(Value::Partial(of, args))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_function(&self, of: GlobalId) -> bool {
        let kind = &self.program.globals[of].kind;
        let is_known = matches!(kind, GlobalKind::Defn { .. } | GlobalKind::Primitive(_));
        is_known && self.program.arity(of) > 0
    }

    pub(super) fn literal(&self, expr: ExprId) -> Option<Lit> {
        match self.program.exprs[expr] {
            Expr::Lit(lit) => Some(lit),
            _ => None,
        }
    }

    /// Returns whether an expression may be written again.
    pub(super) fn is_atom(&self, expr: ExprId) -> bool {
        match self.program.exprs[expr] {
            Expr::Local(_) => true,
            Expr::Lit(lit) => lit.is_immediate(),
            _ => false,
        }
    }

    fn application(&mut self, expr: ExprId, callee: ExprId, args: List<ExprId>) {
        let args = match self.program.exprs[callee] {
            Expr::Local(local) => match self.values.get(&local) {
                Some(&Value::Partial(of, given))
                    if given.len() + args.len() == self.program.arity(of) =>
                {
                    self.call(expr, callee, of, [given, args])
                }
                _ => args,
            },
            Expr::Global(_) | Expr::Con(_) => args,
            _ => {
                self.part(expr, callee, Position::Callee);
                args
            }
        };
        let operands = self.program.expr_lists[args].to_vec();
        if let Some(field) = self.selected(callee, &operands) {
            self.program.exprs[expr] = field;
            self.done.decided += 1;
            return;
        }
        let primitive = match self.program.exprs[callee] {
            Expr::Global(of) => match self.program.globals[of].kind {
                GlobalKind::Primitive(primitive) if primitive.arity() == operands.len() => {
                    Some(primitive)
                }
                _ => None,
            },
            _ => None,
        };
        if primitive.is_some_and(|primitive| primitive.shape() == Shape::If) {
            self.arguments(expr, 0, &operands[..1]);
            let condition = self.program.exprs[operands[0]];
            match condition {
                Expr::Lit(Lit::Int(1)) => return self.decide(expr, operands[1]),
                Expr::Lit(Lit::Int(0)) => return self.decide(expr, operands[2]),
                _ if self.decide_at_ends(expr, operands[0], [operands[1], operands[2]]) => {}
                _ => self.arguments(expr, 1, &operands[1..]),
            }
            return;
        }
        self.arguments(expr, 0, &operands);
        let Some(primitive) = primitive else { return };
        let lits = operands.iter().map(|&operand| self.literal(operand));
        if let Some(lits) = lits.collect::<Option<Vec<Lit>>>()
            && let Some(lit) = self.folder.fold(&mut self.program.bigs, primitive, &lits)
        {
            self.program.exprs[expr] = Expr::Lit(lit);
            self.done.folded += 1;
            return;
        }
        self.compute_at_ends(expr, primitive, &operands);
    }

    /// Makes the application of a local a call of the function that it is, and returns its arguments.
    fn call(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        of: GlobalId,
        [given, args]: [List<ExprId>; 2],
    ) -> List<ExprId> {
        let program = &mut *self.program;
        let mut all = program.expr_lists[given].to_vec();
        for arg in &mut all {
            *arg = program.expr(program.exprs[*arg], program.spans[*arg]);
        }
        all.extend(&program.expr_lists[args]);
        let all = program.expr_lists.add(all);
        program.exprs[callee] = Expr::Global(of);
        program.exprs[expr] = Expr::App(callee, all);
        self.done.decided += 1;
        all
    }

    fn switch(&mut self, expr: ExprId, switch: SwitchId) {
        let scrutinee = self.scrutinee(switch);
        let before = self.values.get(&scrutinee).copied();
        if let Some(body) = before.and_then(|value| self.taken(switch, value)) {
            return self.decide(expr, body);
        }
        self.left.insert(scrutinee);
        let switched = &self.program.switches[switch];
        let mut alternatives: Vec<(Option<Value>, ExprId)> = match &switched.branches {
            Branches::Cons(branches) => {
                let known = |branch: &ConBranch| {
                    (Some(Value::Alternative(branch.con, switch)), branch.body)
                };
                branches.iter().map(known).collect()
            }
            Branches::Lits(branches) => {
                let known = |&(lit, body): &(Lit, ExprId)| {
                    (lit.is_immediate().then_some(Value::Lit(lit)), body)
                };
                branches.iter().map(known).collect()
            }
        };
        alternatives.extend(switched.default.map(|body| (before, body)));
        for (value, body) in alternatives {
            self.know(scrutinee, value);
            self.expr(body);
        }
        self.know(scrutinee, before);
    }

    /// Returns what a switch is on: where that is a name for another local, it becomes that local.
    fn scrutinee(&mut self, switch: SwitchId) -> LocalId {
        let scrutinee = self.program.switches[switch].scrutinee;
        let Some(&of) = self.named.get(&scrutinee) else { return scrutinee };
        let is_known = matches!(self.values.get(&of), Some(Value::Alternative(..)));
        let switch = &mut self.program.switches[switch];
        // It may be the name only that has been evaluated.
        if switch.evaluated && !is_known {
            return scrutinee;
        }
        (switch.scrutinee, switch.evaluated) = (of, false);
        *self.uses.entry(of).or_default() += 1;
        of
    }

    fn know(&mut self, local: LocalId, value: Option<Value>) {
        match value {
            Some(value) => self.values.insert(local, value),
            None => self.values.remove(&local),
        };
    }

    /// Returns the alternative that is taken, with names for the fields that it uses, if it is known.
    fn taken(&mut self, switch: SwitchId, value: Value) -> Option<ExprId> {
        match value {
            Value::Con(con, ..) | Value::Alternative(con, _) => {
                let branch = self.of_con(switch, con)?;
                self.with_fields(branch, value)
            }
            Value::Lit(lit) => self.of_lit(switch, lit),
            Value::Partial(..) => None,
        }
    }

    /// Returns the alternative of a constructor. One of another type is left to the run, which fails there.
    pub(super) fn of_con(&self, switch: SwitchId, con: ConId) -> Option<ConBranch> {
        let switch = &self.program.switches[switch];
        let Branches::Cons(branches) = &switch.branches else { return None };
        let data = |con| self.program.cons[con].data;
        if branches.iter().any(|branch| data(branch.con) != data(con)) {
            return None;
        }
        let branch = branches.iter().find(|branch| branch.con == con).cloned();
        branch
            .or_else(|| Some(ConBranch { con, fields: Default::default(), body: switch.default? }))
    }

    /// Returns the alternative of a literal. One of another type is left to the run, which fails there.
    pub(super) fn of_lit(&self, switch: SwitchId, lit: Lit) -> Option<ExprId> {
        let switch = &self.program.switches[switch];
        let Branches::Lits(branches) = &switch.branches else { return None };
        if branches.iter().any(|&(of, _)| !is_one_kind(of, lit)) {
            return None;
        }
        let branch = branches.iter().find(|&&(of, _)| of == lit);
        branch.map(|&(_, body)| body).or(switch.default)
    }

    /// Returns the body of an alternative of a constructor that is known, with names for its fields.
    fn with_fields(&mut self, branch: ConBranch, value: Value) -> Option<ExprId> {
        let mut body = branch.body;
        for (at, field) in branch.fields.iter().enumerate() {
            let Some(field) = *field else { continue };
            let part = match value {
                Value::Con(_, local, binding) => self.argument(local, binding, at),
                Value::Alternative(con, switch) => self.field(con, switch, at)?,
                Value::Lit(_) | Value::Partial(..) => return None,
            };
            let span = self.program.spans[body];
            let part = self.program.expr(part, span);
            body = self.program.expr(Expr::Let(field, part, body), span);
        }
        Some(body)
    }

    /// Returns an argument of the constructor that a local is bound to, as a name or literal: what is neither
    /// gets a name before.
    fn argument(&mut self, local: LocalId, binding: ExprId, at: usize) -> Expr {
        let mut binding = binding;
        loop {
            let (of, value, body) = match self.program.exprs[binding] {
                Expr::Let(of, value, body) | Expr::Force(of, value, body) => (of, value, body),
                _ => unreachable!("what is known of a local is what it is bound to"),
            };
            // Another argument may have got its name here.
            if of != local {
                binding = body;
                continue;
            }
            let Expr::App(callee, args) = self.program.exprs[value] else {
                unreachable!("a constructor with fields is applied to them")
            };
            let arg = self.program.expr_lists[args][at];
            if self.is_atom(arg) {
                return self.program.exprs[arg];
            }
            let program = &mut *self.program;
            let span = program.spans[arg];
            let name = program.local(None, span);
            let mut args = program.expr_lists[args].to_vec();
            args[at] = program.expr(Expr::Local(name), span);
            program.exprs[value] = Expr::App(callee, program.expr_lists.add(args));
            let inner = program.expr(program.exprs[binding], program.spans[binding]);
            program.exprs[binding] = Expr::Let(name, arg, inner);
            return Expr::Local(name);
        }
    }

    /// Returns a field of what an alternative takes apart, which gets a name if it has none.
    fn field(&mut self, con: ConId, switch: SwitchId, at: usize) -> Option<Expr> {
        let Program { switches, locals, .. } = &mut *self.program;
        let switch = &mut switches[switch];
        let unnamed = locals[switch.scrutinee];
        let Branches::Cons(branches) = &mut switch.branches else { return None };
        let branch = branches.iter_mut().find(|branch| branch.con == con)?;
        Some(Expr::Local(*branch.fields[at].get_or_insert_with(|| locals.push(unnamed))))
    }

    /// Goes on with one of several in the place of the choice.
    fn decide(&mut self, expr: ExprId, with: ExprId) {
        self.replace(expr, with);
        self.done.decided += 1;
        self.expr(expr);
    }

    pub(super) fn replace(&mut self, expr: ExprId, with: ExprId) {
        self.program.exprs[expr] = self.program.exprs[with];
        self.program.spans[expr] = self.program.spans[with];
    }
}
