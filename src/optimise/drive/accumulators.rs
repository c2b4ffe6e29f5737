//! What a loop collects, and looks at when it ends.
//!
//! A parameter to which each step adds something, as `(loop t (Cons c seen))` does, is known in each
//! call for some time if it is known in the first. To know it helps where something depends on it.
//! If that is done only where the loop is left, each step would be a variant for something that is done
//! once: so it is not known in the calls that the functions of a loop make of each other. What is only
//! counted with is treated alike (`counted.rs`).
//!
//! It may stand behind a `let` and be evaluated first, as in `(let ([m (add n 1)]) (seq m (loop t m)))`.
//!
//! A loop is a circle of functions that call each other as the last thing that they do: one that does
//! more after it leaves many times what it enters once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::counted::is_arithmetic;
use super::facts::Facts;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};

/// The parameters that loops collect in.
#[derive(Default)]
pub struct Accumulators {
    found: FxHashSet<LocalId>,
    changing: FxHashSet<LocalId>,
}

impl Accumulators {
    /// Returns whether a parameter is one.
    pub fn contains(&self, param: LocalId) -> bool {
        self.found.contains(&param)
    }

    /// Returns whether a parameter is not the same in all calls that a circle of functions makes of
    /// itself.
    pub fn is_changing(&self, param: LocalId) -> bool {
        self.changing.contains(&param)
    }
}

/// What is known of the functions of one circle.
#[derive(Default)]
struct Circle {
    members: Vec<GlobalId>,
    /// What members bind, with `let` or to evaluate it, where the loop goes on: it is one if it is passed on.
    bound: Vec<LocalId>,
    /// At the ends of members: which of its parameters a member passes, alone or as a part, for which
    /// parameters of members.
    collected: Vec<(LocalId, LocalId)>,
    /// In all calls: which parameters are passed unchanged for which, and which get something else.
    passed: Vec<(LocalId, LocalId)>,
    changed: FxHashSet<LocalId>,
    /// How often each parameter is mentioned where that is right for an accumulator.
    right: FxHashMap<LocalId, u32>,
    /// Calls of members that are the end of one, and all.
    tails: u32,
    calls: u32,
}

/// Finds the parameters that loops collect in.
pub fn accumulators(program: &Program, facts: &Facts) -> Accumulators {
    let mut all = Accumulators::default();
    for (number, members) in facts.circles(program) {
        let mut circle = Circle { members, ..Circle::default() };
        for member in circle.members.clone() {
            let params = FxHashSet::default();
            let mut scan = Scan { program, facts, number, params, circle: &mut circle };
            scan.function(member);
        }
        if circle.tails == circle.calls {
            all.found.extend(circle.accumulators(program, facts));
        }
        all.changing.extend(circle.changing());
    }
    all
}

impl Circle {
    /// Returns the parameters that are not the same in all calls.
    fn changing(&self) -> FxHashSet<LocalId> {
        reached(self.changed.iter().copied(), self.passed.iter().copied())
    }

    fn accumulators(&self, program: &Program, facts: &Facts) -> FxHashSet<LocalId> {
        let is_right =
            |param: &LocalId| self.right.get(param).copied().unwrap_or(0) == facts.uses[*param];
        let params =
            || self.members.iter().flat_map(|&member| parameters(program, member)).copied();
        // What is passed on has to be one where it arrives.
        let wrong = params().chain(self.bound.iter().copied()).filter(|param| !is_right(param));
        let wrong = reached(wrong, self.collected.iter().map(|&(from, to)| (to, from)));
        // What is the same in all calls costs one variant.
        let changing = self.changing();
        params().filter(|param| !wrong.contains(param) && changing.contains(param)).collect()
    }
}

/// Returns what edges lead to from some locals, which are among them.
fn reached(
    start: impl Iterator<Item = LocalId>,
    edges: impl Iterator<Item = (LocalId, LocalId)>,
) -> FxHashSet<LocalId> {
    let mut next: FxHashMap<LocalId, Vec<LocalId>> = FxHashMap::default();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
    }
    let mut found = FxHashSet::default();
    let mut work: Vec<LocalId> = start.collect();
    while let Some(local) = work.pop() {
        if found.insert(local) {
            work.extend(next.get(&local).into_iter().flatten());
        }
    }
    found
}

fn parameters(program: &Program, global: GlobalId) -> &[LocalId] {
    match program.globals[global].kind {
        GlobalKind::Defn { params, .. } => &program.local_lists[params],
        _ => &[],
    }
}

struct Scan<'a> {
    program: &'a Program,
    facts: &'a Facts,
    /// The circle's.
    number: u32,
    /// The parameters of the function that is looked at, and what it binds where the loop goes on.
    params: FxHashSet<LocalId>,
    circle: &'a mut Circle,
}

impl<'a> Scan<'a> {
    fn function(&mut self, member: GlobalId) {
        let program = self.program;
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[member].kind else {
            return;
        };
        self.params = parameters(program, member).iter().copied().collect();
        // Each expression after the one that it is part of.
        let mut exprs = vec![(body, body)];
        let mut at = 0;
        while let Some(&(expr, _)) = exprs.get(at) {
            exprs.extend(program.children(expr).exprs().map(|part| (part, expr)));
            at += 1;
        }
        // Those with a call of a member in them: the loop may go on there.
        let mut goes_on = FxHashSet::default();
        for &(expr, whole) in exprs.iter().rev() {
            let is_member = match program.exprs[expr] {
                Expr::Global(global) => self.is_member(global),
                _ => false,
            };
            self.circle.calls += u32::from(is_member);
            self.call(expr);
            if is_member || goes_on.contains(&expr) {
                goes_on.insert(whole);
            }
        }
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            match goes_on.contains(&expr) {
                true => self.step(expr, &mut work),
                false => self.left(expr),
            }
        }
    }

    /// Notes what a call in the circle passes, wherever it stands.
    fn call(&mut self, expr: ExprId) {
        let program = self.program;
        let Expr::App(callee, args) = program.exprs[expr] else { return };
        let Expr::Global(global) = program.exprs[callee] else { return };
        if !self.is_member(global) {
            return;
        }
        let args = &program.expr_lists[args];
        for (&param, &arg) in parameters(program, global).iter().zip(args) {
            match program.exprs[arg] {
                Expr::Local(local) if local == param => {}
                Expr::Local(local) if self.params.contains(&local) => {
                    self.circle.passed.push((local, param));
                }
                _ => drop(self.circle.changed.insert(param)),
            }
        }
    }

    fn is_member(&self, global: GlobalId) -> bool {
        self.facts.recursive[global] && self.facts.circle[global] == self.number
    }

    /// Scans an expression in which the loop goes on, and whose value is the function's.
    fn step(&mut self, expr: ExprId, work: &mut Vec<ExprId>) {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Let(local, value, body) | Expr::Force(local, value, body) => {
                self.params.insert(local);
                self.circle.bound.push(local);
                self.collected(value, local);
                work.push(body);
            }
            Expr::Letrec(_, body) => work.push(body),
            Expr::Join(join, body) => work.extend([body, program.joins[join].handler]),
            Expr::Switch(switch) => work.extend(program.switches[switch].bodies()),
            Expr::App(callee, args) => match program.exprs[callee] {
                Expr::Global(global) if self.is_member(global) => {
                    self.circle.tails += 1;
                    let args = &program.expr_lists[args];
                    for (&param, &arg) in parameters(program, global).iter().zip(args) {
                        self.collected(arg, param);
                    }
                }
                _ => {
                    let tails = program.tails(callee, args);
                    // What a step evaluates it may pass as well.
                    if let [tail] = program.expr_lists[tails]
                        && let &[first, _] = &program.expr_lists[args]
                        && tail != first
                        && let Expr::Local(local) = program.exprs[first]
                    {
                        self.note(local);
                    }
                    work.extend(&program.expr_lists[tails]);
                }
            },
            _ => {}
        }
    }

    /// Counts a mention of a local that is right for an accumulator.
    fn note(&mut self, local: LocalId) {
        *self.circle.right.entry(local).or_default() += 1;
    }

    /// Scans an argument of a call in the circle, or what becomes one: a parameter of the function, alone, in
    /// constructors, in arithmetic or in a branch.
    fn collected(&mut self, arg: ExprId, param: LocalId) {
        let program = self.program;
        let mut work = vec![arg];
        while let Some(expr) = work.pop() {
            match program.exprs[expr] {
                Expr::Local(local) if self.params.contains(&local) => {
                    self.note(local);
                    self.circle.collected.push((local, param));
                }
                Expr::App(callee, args) if self.collects(callee) => {
                    work.extend(&program.expr_lists[args]);
                }
                Expr::App(callee, args) => {
                    work.extend(&program.expr_lists[program.tails(callee, args)]);
                }
                _ => {}
            }
        }
    }

    fn collects(&self, callee: ExprId) -> bool {
        match self.program.exprs[callee] {
            Expr::Con(_) => true,
            Expr::Global(global) => match self.program.globals[global].kind {
                GlobalKind::Primitive(primitive) => is_arithmetic(primitive),
                _ => false,
            },
            _ => false,
        }
    }

    /// Scans an expression that leaves the loop. If something gets two parameters as they are
    /// there, one may be a function that comes back, as in continuation-passing style.
    fn left(&mut self, expr: ExprId) {
        let program = self.program;
        let mut locals = Vec::new();
        let mut work = vec![expr];
        while let Some(expr) = work.pop() {
            program.push_children(expr, &mut work);
            match program.exprs[expr] {
                Expr::Local(local) => locals.push(local),
                Expr::Switch(switch) => locals.push(program.switches[switch].scrutinee),
                Expr::App(callee, args) => {
                    let is_param = |expr: ExprId| match program.exprs[expr] {
                        Expr::Local(local) => self.params.contains(&local),
                        _ => false,
                    };
                    let args = program.expr_lists[args].iter();
                    let given = args.filter(|&&arg| is_param(arg)).count();
                    if given > 1 && !self.collects(callee) || is_param(callee) {
                        return;
                    }
                }
                _ => {}
            }
        }
        locals.into_iter().for_each(|local| self.note(local));
    }
}
