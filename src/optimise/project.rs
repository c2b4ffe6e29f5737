//! Projections: functions of whose value only one field is wanted.
//!
//! Where a call stands that nothing but a selection refers to, as in `(snd (span p xs))`, the
//! constructor is built to be taken apart, and all its other fields with it. A projection of `span`
//! computes that one field: it is the body with the selection moved to where the value is known. A
//! constructor there becomes its field, a call becomes one of the projection of what is called, and
//! anything else is taken apart. So a recursive function that passes up parts of a tuple becomes a
//! loop. (A demand on a part of a result: Wadler and Hughes, "Projections for strictness analysis",
//! 1987; there it is found out of a function, here it is what a caller has.)
//!
//! - The work is that of the call and of the selection: nothing else refers to the call. The
//!   projection evaluates what the call would, and then the field, as the selection does.
//! - Only types of one constructor are looked at, and only functions that build it, or call one that
//!   does, in a tail.
//! - A projection of a recursive function that needs all of it in other places would be code beside
//!   it, and so would that of one that is not recursive, and which others call for all of it: they are
//!   not made.
//! - There is one projection for each field of a function. Their bodies are copies, so that code
//!   grows by a share of the program at most.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::selection::{Field, is_only, projection, returned};
use super::usage::{circles, usage};
use super::{Pass, Report};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::quote::for_message;
use crate::core::duplicate::Duplicate;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program,
    Switch,
};
use crate::core::signature::Signature;

/// The most expressions of a function that has projections.
const LARGEST: usize = 200;
/// The most expressions of all projections together, and how many more for each of the program.
const COPIED: usize = 400;
const COPIED_PER_EXPRESSION: usize = 1;
/// The most functions that are looked at for one that builds the constructor.
const REACHED: usize = 50;
/// How often it is tried at most, without what has turned out not to be worth it.
const TRIES: usize = 5;
/// How often a body is gone through at most: a field of a field comes up once the inner one is a call.
const ROUNDS: usize = 4;

/// What becomes of a field.
enum Taken {
    /// It is the value.
    Returned,
    /// It is a local that an expression certainly evaluates.
    Evaluated(LocalId, ExprId),
}

/// A projection whose body is to be made.
struct Wanted {
    of: GlobalId,
    field: Field,
    global: GlobalId,
}

/// The transformation.
struct Projector {
    program: Program,
    made: FxHashMap<(GlobalId, Field), GlobalId>,
    /// Those that are not to be made.
    refused: FxHashSet<(GlobalId, Field)>,
    wanted: Vec<Wanted>,
    /// Whether a function builds a constructor in a tail, or calls one that does.
    builds: FxHashMap<(GlobalId, ConId), bool>,
    /// The circle of recursive functions that each is in.
    circles: IndexVec<GlobalId, Option<u32>>,
    symbols: FxHashSet<Arc<str>>,
    /// How many expressions may still be copied.
    left: usize,
    /// How many calls are projected.
    calls: u64,
}

/// Makes projections and calls of them. Takes time linear in the program.
pub(super) fn project(program: Program, report: &mut Report) -> Program {
    let mut refused = FxHashSet::default();
    for _ in 0..TRIES {
        let mut projector = Projector::new(program.clone(), refused);
        projector.run();
        let before = projector.refused.len();
        projector.refuse();
        if projector.refused.len() == before {
            projector.tell(report);
            return projector.program;
        }
        refused = projector.refused;
    }
    program
}

impl Projector {
    fn new(program: Program, refused: FxHashSet<(GlobalId, Field)>) -> Projector {
        Projector {
            symbols: program.globals.iter().map(|global| global.symbol.clone()).collect(),
            left: COPIED + COPIED_PER_EXPRESSION * program.exprs.len(),
            circles: circles(&program),
            program,
            made: FxHashMap::default(),
            refused,
            wanted: Vec::new(),
            builds: FxHashMap::default(),
            calls: 0,
        }
    }

    fn run(&mut self) {
        let definitions: Vec<GlobalId> = self.program.globals.indices().collect();
        for id in definitions {
            self.definition(id);
        }
        while let Some(wanted) = self.wanted.pop() {
            self.make(&wanted);
        }
    }

    /// Refuses the projections beside which all of the function is needed: of a recursive one by the
    /// projection itself, of another one by anything.
    fn refuse(&mut self) {
        let usage = usage(&self.program, false);
        for (&(of, field), &global) in &self.made {
            let is_needed = match (self.circles[of], self.program.globals[global].kind) {
                (Some(circle), GlobalKind::Defn { body: Some(body), .. }) => {
                    self.program.walk(body).any(|expr| match self.program.exprs[expr] {
                        Expr::Global(called) => self.circles[called] == Some(circle),
                        _ => false,
                    })
                }
                _ => usage.globals[of.index()],
            };
            if is_needed {
                self.refused.insert((of, field));
            }
        }
    }

    fn tell(&self, report: &mut Report) {
        let mut made: Vec<_> = self.made.iter().map(|(key, &global)| (global, key)).collect();
        made.sort_unstable_by_key(|(global, _)| *global);
        let symbol = |global: GlobalId| for_message(&self.program.globals[global].symbol);
        for (global, &(of, field)) in made {
            report.decide(Pass::Project, || {
                let con = for_message(&self.program.cons[field.con].name);
                format!(
                    "{} is field {} of the {con} of {}",
                    symbol(global),
                    field.at + 1,
                    symbol(of)
                )
            });
        }
        report.count(Pass::Project, "functions projected", self.made.len() as u64);
        report.count(Pass::Project, "calls projected", self.calls);
    }

    /// Projects the calls in a definition, without the bindings that nothing uses.
    fn definition(&mut self, id: GlobalId) {
        let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[id].kind else {
            return;
        };
        self.drop_unused(body);
        for _ in 0..ROUNDS {
            if !self.body(body) {
                break;
            }
        }
    }

    /// Projects the calls in a body of which a selection wants one field. Returns whether there was
    /// one.
    fn body(&mut self, body: ExprId) -> bool {
        let exprs: Vec<ExprId> = self.program.walk(body).collect();
        let uses = uses(&self.program, &exprs);
        let mut selections = FxHashMap::default();
        for &expr in &exprs {
            if let Some((field, arg)) = self.selection(expr)
                && let Expr::Local(local) = self.program.exprs[arg]
            {
                selections.insert(local, (expr, field));
            }
        }
        let before = self.calls;
        // What is inside comes first: what is left out is not looked at again.
        for &expr in exprs.iter().rev() {
            let (place, field, value, rest) = match self.program.exprs[expr] {
                Expr::Let(local, value, rest) if uses.get(&local) == Some(&1) => {
                    let Some(&(place, field)) = selections.get(&local) else { continue };
                    (place, field, value, Some(rest))
                }
                Expr::Force(local, value, rest) if uses.get(&local) == Some(&1) => {
                    let place = self.first(rest);
                    let Some((field, body)) = self.taken(local, place, &uses) else { continue };
                    let Some(call) = self.projected(value, field) else { continue };
                    match body {
                        Taken::Returned => self.replace(place, call),
                        Taken::Evaluated(local, body) => {
                            self.program.exprs[place] = Expr::Force(local, call, body);
                        }
                    }
                    self.replace(expr, rest);
                    self.calls += 1;
                    continue;
                }
                _ => {
                    let Some((field, value)) = self.selection(expr) else { continue };
                    (expr, field, value, None)
                }
            };
            let Some(call) = self.projected(value, field) else { continue };
            self.replace(place, call);
            if let Some(rest) = rest {
                self.replace(expr, rest);
            }
            self.calls += 1;
        }
        self.calls > before
    }

    /// Returns a field of the value of an expression, if that is a call that is worth projecting.
    fn projected(&mut self, value: ExprId, field: Field) -> Option<ExprId> {
        let (of, args) = self.call(value)?;
        let projection = self.projection(of, field)?;
        let at = self.program.spans[value];
        let callee = self.program.expr(Expr::Global(projection), at);
        Some(self.program.expr(Expr::App(callee, args), at))
    }

    /// Puts an expression in the place of one around it.
    fn replace(&mut self, outer: ExprId, inner: ExprId) {
        self.program.exprs[outer] = self.program.exprs[inner];
        self.program.spans[outer] = self.program.spans[inner];
    }

    /// Returns the field that an application selects, and of what.
    fn selection(&self, expr: ExprId) -> Option<(Field, ExprId)> {
        let Expr::App(callee, args) = self.program.exprs[expr] else { return None };
        let (Expr::Global(selector), &[arg]) =
            (self.program.exprs[callee], &self.program.expr_lists[args])
        else {
            return None;
        };
        Some((projection(&self.program, selector)?, arg))
    }

    /// Returns what an expression evaluates first.
    fn first(&self, expr: ExprId) -> ExprId {
        let mut first = expr;
        while let Expr::Force(_, inner, _) | Expr::Let(_, _, inner) = self.program.exprs[first] {
            first = inner;
        }
        first
    }

    /// Returns the only field of a local that an expression uses, if it certainly evaluates that.
    fn taken(
        &self,
        local: LocalId,
        expr: ExprId,
        uses: &FxHashMap<LocalId, usize>,
    ) -> Option<(Field, Taken)> {
        let Expr::Switch(switch) = self.program.exprs[expr] else { return None };
        let switch = &self.program.switches[switch];
        let Branches::Cons(branches) = &switch.branches else { return None };
        let [branch] = branches.as_slice() else { return None };
        if switch.scrutinee != local || !is_only(&self.program, branch.con) {
            return None;
        }
        if let Some(at) = returned(&self.program, branch) {
            return Some((Field { con: branch.con, at }, Taken::Returned));
        }
        let is_used = |field: &LocalId| uses.contains_key(field);
        let mut used = (0..).zip(&branch.fields).filter(|(_, field)| field.iter().any(is_used));
        let (Some((at, &Some(field))), None) = (used.next(), used.next()) else { return None };
        let taken = Taken::Evaluated(field, branch.body);
        self.needs(branch.body, field).then_some((Field { con: branch.con, at }, taken))
    }

    /// Returns whether an expression certainly evaluates a local, as far as it makes no choice.
    fn needs(&self, expr: ExprId, local: LocalId) -> bool {
        let program = &self.program;
        let mut work = vec![expr];
        while let Some(expr) = work.pop() {
            if program.used_local(expr) == Some(local) {
                return true;
            }
            match program.exprs[expr] {
                Expr::Let(_, _, body) => work.push(body),
                Expr::Force(_, value, body) => work.extend([value, body]),
                Expr::App(callee, args) => {
                    // Of what is chosen from, that is.
                    let count = match program.tails(callee, args).len() {
                        0 => args.len(),
                        _ => 1,
                    };
                    let args = &program.expr_lists[args];
                    let is_strict = |at: &usize| program.evaluates(callee, args.len(), *at);
                    work.extend((0..count).filter(is_strict).map(|at| args[at]));
                }
                _ => {}
            }
        }
        false
    }

    /// Returns the callee and the arguments of a call of a definition with all its arguments.
    fn call(&self, expr: ExprId) -> Option<(GlobalId, List<ExprId>)> {
        let Expr::App(callee, args) = self.program.exprs[expr] else { return None };
        let Expr::Global(global) = self.program.exprs[callee] else { return None };
        let GlobalKind::Defn { params, body: Some(_) } = self.program.globals[global].kind else {
            return None;
        };
        (params.len() == args.len()).then_some((global, args))
    }

    /// Returns the projection of a function on a field, if it is worth having.
    fn projection(&mut self, of: GlobalId, field: Field) -> Option<GlobalId> {
        if let Some(&made) = self.made.get(&(of, field)) {
            return Some(made);
        }
        if self.refused.contains(&(of, field)) {
            return None;
        }
        let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[of].kind else {
            return None;
        };
        let size = self.size(body);
        if size > LARGEST.min(self.left) || !self.builds(of, field.con) {
            return None;
        }
        self.left -= size;
        let Global { symbol, display, span, .. } = self.program.globals[of].clone();
        let mut number = field.at + 1;
        let symbol = loop {
            let symbol: Arc<str> = format!("{symbol}$f{number}").into();
            if self.symbols.insert(symbol.clone()) {
                break symbol;
            }
            number += 1;
        };
        let kind = GlobalKind::Defn { params: List::EMPTY, body: None };
        let signature = Signature::default();
        let global = self.program.globals.push(Global { symbol, display, kind, span, signature });
        self.circles.push(None);
        self.made.insert((of, field), global);
        self.wanted.push(Wanted { of, field, global });
        Some(global)
    }

    /// Returns the number of expressions of a body, or one more than the most.
    fn size(&self, body: ExprId) -> usize {
        self.program.walk(body).take(LARGEST + 1).count()
    }

    /// Returns whether a function builds a constructor in a tail, or calls one that does.
    fn builds(&mut self, global: GlobalId, con: ConId) -> bool {
        if let Some(&known) = self.builds.get(&(global, con)) {
            return known;
        }
        let mut reached = vec![global];
        let mut next = 0;
        let mut found = false;
        while let Some(&of) = reached.get(next)
            && !found
        {
            next += 1;
            let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[of].kind else {
                continue;
            };
            // It would have no projection.
            if self.size(body) > LARGEST {
                continue;
            }
            for tail in tails(&self.program, body) {
                found |= self.built(tail, con).is_some();
                if let Some((called, _)) = self.call(tail)
                    && reached.len() < REACHED
                    && !reached.contains(&called)
                {
                    reached.push(called);
                }
            }
        }
        self.builds.insert((global, con), found);
        found
    }

    /// Returns the fields of an expression that is a constructor with all of them.
    fn built(&self, expr: ExprId, con: ConId) -> Option<List<ExprId>> {
        let Expr::App(callee, args) = self.program.exprs[expr] else { return None };
        let is_all = args.len() == self.program.cons[con].arity as usize;
        (is_all && self.program.exprs[callee] == Expr::Con(con)).then_some(args)
    }

    /// Makes the body of a projection.
    fn make(&mut self, wanted: &Wanted) {
        let Wanted { of, field, global } = *wanted;
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[of].kind else {
            return;
        };
        let params = self.program.local_lists[params].to_vec();
        let mut copy = Duplicate::new(&mut self.program, |_, span| span);
        let params: Vec<LocalId> = params.into_iter().map(|param| copy.bind(param)).collect();
        let body = copy.expr(body);
        for tail in tails(&self.program, body) {
            self.project_tail(tail, field);
        }
        let params = self.program.local_lists.add(params);
        self.program.globals[global].kind = GlobalKind::Defn { params, body: Some(body) };
        self.definition(global);
    }

    /// Turns a tail into a field of its value.
    fn project_tail(&mut self, tail: ExprId, field: Field) {
        if let Some(fields) = self.built(tail, field.con) {
            if let Some(&value) = self.program.expr_lists[fields].get(field.at) {
                self.replace(tail, value);
            }
            return;
        }
        if let Some(call) = self.projected(tail, field) {
            self.replace(tail, call);
            return;
        }
        if self.program.fails(tail) {
            return;
        }
        let span = self.program.spans[tail];
        let value = self.program.expr(self.program.exprs[tail], span);
        let [scrutinee, selected] = [(); 2].map(|()| self.program.local(None, span));
        let mut fields = vec![None; self.program.cons[field.con].arity as usize];
        fields[field.at] = Some(selected);
        let body = self.program.expr(Expr::Local(selected), span);
        let branches = Branches::Cons(vec![ConBranch { con: field.con, fields, body }]);
        let switch = Switch { scrutinee, evaluated: true, branches, default: None };
        let switch = self.program.switches.push(switch);
        let switch = self.program.expr(Expr::Switch(switch), span);
        self.program.exprs[tail] = Expr::Force(scrutinee, value, switch);
    }

    /// Leaves out bindings that nothing uses: they would seem to want other fields.
    fn drop_unused(&mut self, body: ExprId) {
        let exprs: Vec<ExprId> = self.program.walk(body).collect();
        let mut uses = uses(&self.program, &exprs);
        for &expr in exprs.iter().rev() {
            if let Expr::Let(local, value, rest) = self.program.exprs[expr]
                && uses.get(&local).is_none_or(|&uses| uses == 0)
            {
                for part in self.program.walk(value) {
                    if let Some(used) = self.program.used_local(part)
                        && let Some(uses) = uses.get_mut(&used)
                    {
                        *uses -= 1;
                    }
                }
                self.replace(expr, rest);
            }
        }
    }
}

/// How often expressions use each local.
fn uses(program: &Program, exprs: &[ExprId]) -> FxHashMap<LocalId, usize> {
    let mut uses = FxHashMap::default();
    for local in exprs.iter().filter_map(|&expr| program.used_local(expr)) {
        *uses.entry(local).or_insert(0) += 1;
    }
    uses
}

/// Returns the expressions of which one is the value of a body, but for jumps.
fn tails(program: &Program, body: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut work = vec![body];
    while let Some(expr) = work.pop() {
        match program.exprs[expr] {
            Expr::Let(_, _, body)
            | Expr::Letrec(_, body)
            | Expr::Force(_, _, body)
            | Expr::Perform(_, _, body) => work.push(body),
            Expr::Join(join, body) => work.extend([program.joins[join].handler, body]),
            Expr::Switch(switch) => work.extend(program.switches[switch].bodies()),
            Expr::Jump(..) => {}
            Expr::App(callee, args) if !program.tails(callee, args).is_empty() => {
                work.extend(&program.expr_lists[program.tails(callee, args)]);
            }
            _ => found.push(expr),
        }
    }
    found
}
