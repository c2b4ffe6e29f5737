//! Floating inwards: a binding moves to where it is used (after Peyton Jones, Partain and
//! Santos, "Let-floating: moving bindings to give faster programs", ICFP 1996).
//!
//! - A binding that nothing uses goes.
//! - A variable that stands for another one, for a function, a constructor without fields or
//!   a small literal is replaced by it.
//! - A `let` whose variable is used once goes, and its value stands in the place of the use.
//!   Where that is evaluated at once, no thunk is built: the value of `force`, an operand of a
//!   primitive, the scrutinee of a `switch` (which becomes a `force`), the result.
//! - A `let` or `letrec` that is used in one branch only moves there, past what is evaluated
//!   before: on the other branches it is not built.
//!
//! *No work is done twice.* There are no functions in the body of a supercombinator, and joins
//! do not loop: each part of it is executed once at most. A binding moves into what is executed
//! at most once for each time that the binding was, so its value is built once at most, and
//! shared by all uses as before.
//!
//! *Laziness stays.* The value of a `let` is built, not evaluated. In its new place it is
//! built too, or evaluated if its variable would have been evaluated there.
//!
//! *Space.* A thunk or structure holds on to the variables in it. While it is not yet built,
//! the stack holds on to the same variables, and to no more, since what uses the binding is
//! all still to come. There is one exception. When a thunk `snd p` is in the heap and something
//! else evaluates `p`, the collector puts the field in the place of the thunk, and the rest of
//! `p` can go (Wadler, "Fixing some space leaks with a garbage collector", 1987). From the stack
//! alone it cannot know that only a field is wanted. So a value with a selection in it does not
//! move past anything that is evaluated, unless all that it is of is used later besides: then that stays in
//! any case.
//!
//! *Strictness.* Before it is known, an argument may turn out to be evaluated first, and what is built for a
//! call is better built with all that it is of: there the binding of a variable that is used once goes into
//! what is built. Once it is known, arguments that are evaluated first are strict places, and a binding stays
//! before what is built: what is cheap is computed there, and the call is of variables alone.
//!
//! *Cost.* One walk notes where each variable is used, as a region of the body; the bindings
//! are then decided on from the inside outwards, so that where the value of one goes is known
//! when those in it are decided on; one more walk writes the program. That is linear but for
//! finding where regions meet, which is logarithmic in their depth.

mod regions;

use super::dead_args::drop_unused;
use super::rewrite::{Plan, Rewrite, Rewritten, rewrite};
use super::selection::{Selectors, projection};
use super::usage::usage;
use super::{Pass, Report};
use crate::base::index::Idx;
use crate::base::name::Interner;
use crate::base::quote::for_message;
use crate::core::copy::Numbers;
use crate::core::expr::{Expr, ExprId, Global, GlobalKind, LocalId, Program, SwitchId};
use crate::primitive::Shape;
use regions::{RegionId, Regions};

/// Moves bindings to where they are used. Returns the program, and what the globals and locals are in it.
pub(super) fn float_in(
    program: Program,
    names: &Interner,
    report: &mut Report,
) -> (Program, Numbers) {
    float(program, names, false, report)
}

/// Moves bindings to where they are evaluated, in a program whose strictness is known: what is built there as
/// a value may be a thunk within another one.
pub(super) fn float_in_late(program: Program, names: &Interner, report: &mut Report) -> Program {
    float(program, names, true, report).0
}

fn float(
    program: Program,
    names: &Interner,
    is_late: bool,
    report: &mut Report,
) -> (Program, Numbers) {
    let usage = usage(&program, false);
    let mut plan = Plan::new(&program);
    drop_unused(&usage, &mut plan);
    let mut float = FloatIn {
        program: &program,
        names,
        report,
        plan,
        selectors: Selectors::new(&program),
        regions: Regions::default(),
        bindings: Vec::new(),
        binding: vec![None; program.locals.len()],
        uses: vec![0; program.locals.len()],
        used_in: vec![Vec::new(); program.locals.len()],
        built: vec![false; program.locals.len()],
        is_late,
        looked_at: vec![false; program.locals.len()],
        tasks: Vec::new(),
    };
    for (id, global) in program.globals.enumerate() {
        if let GlobalKind::Defn { body: Some(body), .. } = global.kind
            && usage.globals[id.index()]
        {
            float.supercombinator(global, body);
        }
    }
    let mut plan = float.plan;
    // They were decided on from the inside outwards.
    plan.around.values_mut().for_each(|bindings| bindings.reverse());
    let Rewritten { program, removed, numbers } = rewrite(program, &plan);
    report.count(Pass::FloatIn, "unused bindings dropped", removed);
    (program, numbers)
}

/// How many uses of a variable are looked at for one that keeps what is selected from.
const USES: usize = 8;
/// And how many regions that follow each other.
const FOLLOWED: usize = 8;

/// The context of an expression.
#[derive(Clone, Copy)]
struct Place {
    region: RegionId,
    /// The index of the binding in whose value it stands, if that may move.
    owner: Option<usize>,
    /// Whether it is evaluated there, so that bindings around it may move.
    strict: bool,
    /// What of the same body is executed next when it has been.
    next: Option<RegionId>,
}

impl Place {
    fn lazy(self) -> Place {
        Place { strict: false, ..self }
    }

    fn within(self, region: RegionId) -> Place {
        Place { region, ..self }
    }

    fn before(self, next: RegionId) -> Place {
        Place { next: Some(next), ..self }
    }
}

/// A `let` or `letrec`.
struct Binding {
    expr: ExprId,
    place: Place,
    /// The innermost region around all uses so far.
    used_in: Option<RegionId>,
    /// The locals that occur in its values, if they move with it.
    occurrences: Vec<LocalId>,
    /// Whether there is a selection in its values.
    selects: bool,
    /// Whether one of them is of the only constructor of a type.
    opens: bool,
}

struct FloatIn<'a> {
    program: &'a Program,
    names: &'a Interner,
    report: &'a mut Report,
    plan: Plan,
    selectors: Selectors,
    regions: Regions,
    /// The bindings of a supercombinator, outer ones before those in their bodies.
    bindings: Vec<Binding>,
    /// The binding of a local, if it is bound by one of them.
    binding: Vec<Option<usize>>,
    /// The number of uses of each local.
    uses: Vec<u32>,
    /// The regions of the first of those that are in no binding that may move.
    used_in: Vec<Vec<RegionId>>,
    /// Whether it is used in what is built.
    built: Vec<bool>,
    /// Whether strictness analysis has run.
    is_late: bool,
    /// Whether it is the scrutinee of a switch.
    looked_at: Vec<bool>,
    tasks: Vec<(ExprId, Place)>,
}

impl FloatIn<'_> {
    fn supercombinator(&mut self, global: &Global, body: ExprId) {
        self.regions = Regions::default();
        self.bindings.clear();
        let region = self.regions.outermost(body);
        self.tasks.push((body, Place { region, owner: None, strict: true, next: None }));
        while let Some((expr, place)) = self.tasks.pop() {
            self.expr(expr, place);
        }
        for at in (0..self.bindings.len()).rev() {
            self.decide(global, at);
        }
    }

    fn use_local(&mut self, local: LocalId, place: Place) {
        self.uses[local.index()] = self.uses[local.index()].saturating_add(1);
        self.built[local.index()] |= !place.strict;
        match place.owner {
            Some(owner) => self.bindings[owner].occurrences.push(local),
            None => {
                let used_in = &mut self.used_in[local.index()];
                if used_in.len() < USES {
                    used_in.push(place.region);
                }
                self.use_in(local, place.region);
            }
        }
    }

    /// Notes that the binding of a local is needed in a region.
    fn use_in(&mut self, local: LocalId, region: RegionId) {
        if let Some(at) = self.binding[local.index()] {
            let before = self.bindings[at].used_in;
            let meet = before.map_or(region, |before| self.regions.meet(before, region));
            self.bindings[at].used_in = Some(meet);
        }
    }

    fn is_dropped(&self, local: LocalId) -> bool {
        self.plan.rewrites[local.index()] == Rewrite::Drop
    }

    /// Adds a binding and returns the place of its values.
    fn bind(&mut self, expr: ExprId, locals: impl Iterator<Item = LocalId>, place: Place) -> Place {
        let at = self.bindings.len();
        locals.for_each(|local| self.binding[local.index()] = Some(at));
        let (used_in, occurrences) = (None, Vec::new());
        self.bindings.push(Binding {
            expr,
            place,
            used_in,
            occurrences,
            selects: false,
            opens: false,
        });
        match place.strict {
            true => Place { owner: Some(at), ..place.lazy() },
            // It moves with what it stands in.
            false => place,
        }
    }

    /// Visits a part that is entered after something else has been evaluated. Returns its region.
    fn later(&mut self, expr: ExprId, place: Place, is_goal: bool) -> RegionId {
        let region = self.regions.inside(place.region, expr, is_goal, place.next);
        self.tasks.push((expr, place.within(region)));
        region
    }

    fn expr(&mut self, expr: ExprId, place: Place) {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Local(local) => self.use_local(local, place),
            Expr::App(callee, args) => {
                self.application(expr, callee, &program.expr_lists[args], place)
            }
            Expr::Let(local, value, body) => {
                if !self.is_dropped(local) {
                    let inside = self.bind(expr, std::iter::once(local), place);
                    self.tasks.push((value, inside));
                }
                self.tasks.push((body, place));
            }
            Expr::Letrec(binds, body) => {
                let binds = &program.binds[binds];
                let used = || binds.iter().filter(|bind| !self.is_dropped(bind.local));
                let used: Vec<_> = used().copied().collect();
                if !used.is_empty() {
                    let inside = self.bind(expr, used.iter().map(|bind| bind.local), place);
                    self.tasks.extend(used.iter().map(|bind| (bind.value, inside)));
                }
                self.tasks.push((body, place));
            }
            Expr::Force(_, value, body) => {
                let body = self.later(body, place, true);
                self.tasks.push((value, place.before(body)));
            }
            Expr::Switch(switch) => self.switch(switch, place),
            Expr::Join(join, body) => {
                // What only the body uses is built in any case.
                self.later(body, place, false);
                self.later(program.joins[join].handler, place, true);
            }
            Expr::Jump(join, args) => {
                let params = &program.local_lists[program.joins[join].params];
                for (&param, &arg) in params.iter().zip(&program.expr_lists[args]) {
                    if !self.is_dropped(param) {
                        self.tasks.push((arg, place.lazy()));
                    }
                }
            }
            // There is nothing in it, and no function in a supercombinator.
            _ => {}
        }
    }

    fn application(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId], place: Place) {
        let program = self.program;
        let shape = match program.exprs[callee] {
            Expr::Global(global) => {
                if let (true, Some(owner)) = (self.selectors.has(global), place.owner) {
                    self.bindings[owner].selects = true;
                    self.bindings[owner].opens |= projection(program, global).is_some();
                }
                match program.globals[global].kind {
                    GlobalKind::Primitive(primitive)
                        if place.strict && primitive.arity() == args.len() =>
                    {
                        Some(primitive.shape())
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match (shape, args) {
            // The last operand is evaluated first.
            (Some(Shape::Strict), [earlier @ .., first]) => {
                let mut place = place;
                for &operand in earlier {
                    place = place.before(self.later(operand, place, false));
                }
                self.tasks.push((*first, place));
            }
            (Some(Shape::If | Shape::Seq), [first, rest @ ..]) => {
                // What one of the alternatives uses is there as long as nothing is decided.
                let either = self.regions.inside(place.region, expr, false, place.next);
                for &operand in rest {
                    self.later(operand, place.within(either), true);
                }
                self.tasks.push((*first, place.before(either)));
            }
            _ => {
                self.tasks.push((callee, place.lazy()));
                for (at, &arg) in args.iter().enumerate() {
                    if place.strict && program.evaluates(callee, args.len(), at) {
                        self.later(arg, place, false);
                    } else {
                        self.tasks.push((arg, place.lazy()));
                    }
                }
            }
        }
    }

    fn switch(&mut self, switch: SwitchId, place: Place) {
        let switch = &self.program.switches[switch];
        self.use_local(switch.scrutinee, place);
        self.looked_at[switch.scrutinee.index()] = true;
        for body in switch.bodies() {
            self.later(body, place, true);
        }
    }

    /// Decides on a binding; all in which its variables occur has been decided on.
    fn decide(&mut self, global: &Global, at: usize) {
        let Binding { expr, place, used_in, .. } = self.bindings[at];
        let used_in = used_in.unwrap_or(place.region);
        let goal = self.regions.goal(used_in, place.region);
        // Whether its value may go to where it is used.
        let moves = !place.strict || used_in == place.region || self.may_enter(at, used_in);
        let ends_in = match self.program.exprs[expr] {
            Expr::Let(local, value, _) if self.is_copy(local, value) => {
                self.copy(local, value);
                self.report.count(Pass::FloatIn, "copies and constants put in place", 1);
                used_in
            }
            Expr::Let(local, value, _) if moves && self.has_one_place(local) => {
                self.plan.rewrites[local.index()] = Rewrite::Replace(value);
                self.report.count(Pass::FloatIn, "bindings put in the place of their use", 1);
                used_in
            }
            _ if place.strict && goal != place.region && self.may_enter(at, goal) => {
                self.plan.moved[expr.index()] = true;
                self.plan.around.entry(self.regions.root(goal)).or_default().push(expr);
                self.report.count(Pass::FloatIn, "bindings moved inwards", 1);
                goal
            }
            _ => place.region,
        };
        self.note(global, expr);
        for local in std::mem::take(&mut self.bindings[at].occurrences) {
            if self.binding[local.index()] != Some(at) {
                self.use_in(local, ends_in);
            }
        }
    }

    /// Returns whether a binding may move into a region: whether what it selects from, if it does, is used there
    /// besides, or in what follows. That does not see any more what an operand takes apart, so what can be
    /// taken apart in one way only is that before all of it, until nothing is learnt of it any more.
    fn may_enter(&self, at: usize, region: RegionId) -> bool {
        let Binding { occurrences, selects, opens, .. } = &self.bindings[at];
        let followed = if *opens && !self.is_late { 1 } else { FOLLOWED };
        let stays = |local: &LocalId| {
            let used_in = &self.used_in[local.index()];
            self.regions
                .from(region)
                .take(followed)
                .any(|region| used_in.iter().any(|&used| self.regions.meet(used, region) == region))
        };
        !selects || occurrences.iter().all(stays)
    }

    /// Returns whether the value of a variable may stand in the place of its one use.
    fn has_one_place(&self, local: LocalId) -> bool {
        let stays = self.is_late && self.built[local.index()];
        self.uses[local.index()] == 1 && !stays
    }

    /// Returns whether a variable is only a name for another variable, or for a constant that costs
    /// nothing to be made again.
    fn is_copy(&self, local: LocalId, value: ExprId) -> bool {
        match self.program.exprs[value] {
            Expr::Local(_) => true,
            // The scrutinee of a switch is a local.
            Expr::Global(_) | Expr::Con(_) => !self.looked_at[local.index()],
            Expr::Lit(lit) => lit.is_immediate() && !self.looked_at[local.index()],
            _ => false,
        }
    }

    fn copy(&mut self, local: LocalId, value: ExprId) {
        self.plan.rewrites[local.index()] = Rewrite::Replace(value);
        if let Expr::Local(original) = self.program.exprs[value] {
            let uses = self.uses[local.index()];
            let (original, local) = (original.index(), local.index());
            // Each use of the copy is one of the original, in place of the one in the binding.
            self.uses[original] = self.uses[original].saturating_sub(1).saturating_add(uses);
            self.looked_at[original] |= self.looked_at[local];
        }
    }

    /// Reports the decision on a binding.
    fn note(&mut self, global: &Global, expr: ExprId) {
        let program = self.program;
        let local = match program.exprs[expr] {
            Expr::Let(local, ..) => Some(local),
            Expr::Letrec(binds, _) => program.binds[binds].first().map(|bind| bind.local),
            _ => None,
        };
        let Some(local) = local else { return };
        let what = match self.plan.rewrites[local.index()] {
            Rewrite::Replace(_) => "is put where it is used",
            _ if self.plan.moved[expr.index()] => "moves inwards",
            _ => return,
        };
        let names = self.names;
        self.report.decide(Pass::FloatIn, || {
            let name = program.locals[local].name;
            let name = name.map_or_else(|| "t".to_owned(), |name| for_message(names.text(name)));
            format!("{}: {name} {what}", for_message(&global.symbol))
        });
    }
}
