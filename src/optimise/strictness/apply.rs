//! What is done in core with the result of the analysis: what a `let` binds and what a jump
//! passes is evaluated first.

use rustc_hash::FxHashMap;

use super::super::selection::Selectors;
use super::super::{Pass, Report};
use super::fixpoint::Analysis;
use crate::base::index::{Idx, List};
use crate::base::name::Name;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, JoinId, LocalId, Program};
use crate::core::signature::Demand;
use crate::core::traverse::Position;
use crate::primitive::Shape;

/// The number of expressions that are searched for what is evaluated first.
const FIRST: usize = 40;

/// Makes, in the strict contexts of definitions, a `let` a `Force` if its body is strict in what it
/// binds, and forces an argument of a jump if the handler is strict in it. A `let` is not
/// recursive, so that this moves nothing but the evaluation.
///
/// A selection from something that is used elsewhere too is not evaluated before anything
/// else: while it waits it is a thunk that the collector can make the field that it will be;
/// its value may be a long list that nothing consumes yet (see [`super::super::selection`]).
pub(super) fn apply(
    program: &mut Program,
    analysis: &Analysis,
    fields: &FxHashMap<ExprId, u32>,
    globals: impl Iterator<Item = GlobalId>,
    report: &mut Report,
) {
    let selectors = Selectors::new(program);
    let uses = uses(program);
    let mut selecting = Selecting::new(program, &selectors, &uses, &analysis.strict);
    let mut given_up = vec![false; program.globals.len()];
    analysis.given_up.iter().for_each(|&global| given_up[global.index()] = true);
    for id in globals {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { continue };
        if given_up[id.index()] {
            continue;
        }
        let mut apply = Apply {
            program,
            strict: &analysis.strict,
            fields,
            seen_to: FxHashMap::default(),
            selecting: &mut selecting,
            component: &analysis.component,
            global: id,
            work: vec![body],
            forced: 0,
        };
        while let Some(expr) = apply.work.pop() {
            apply.expr(expr);
        }
        let forced = apply.forced;
        report.count(Pass::Strictness, "bindings evaluated at once", forced);
        if forced > 0 {
            let symbol = &program.globals[id].symbol;
            report.decide(Pass::Strictness, || {
                format!("{symbol}: evaluates {forced} of its bindings at once")
            });
        }
    }
}

/// The values in which there is a selection from something that is used elsewhere too, or a local
/// that waits for such a one. Each value is found by what is in it, once: values are nested.
struct Selecting {
    found: Vec<bool>,
    /// The application or binding that an expression is part of, if that is what is built.
    parents: Vec<Option<ExprId>>,
    /// Where the locals stand that may have to wait.
    mentions: FxHashMap<LocalId, Vec<ExprId>>,
}

impl Selecting {
    fn new(program: &Program, selectors: &Selectors, uses: &[u32], strict: &[bool]) -> Selecting {
        let count = program.exprs.len();
        let mut selecting = Selecting {
            found: vec![false; count],
            parents: vec![None; count],
            mentions: FxHashMap::default(),
        };
        let mut work = Vec::new();
        let mut selections = Vec::new();
        for global in program.globals.iter() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            work.push((body, None));
            while let Some((expr, parent)) = work.pop() {
                selecting.parents[expr.index()] = parent;
                let is_built = match program.exprs[expr] {
                    Expr::App(..) | Expr::Let(..) | Expr::Letrec(..) => true,
                    Expr::Local(local) if strict[local.index()] => {
                        selecting.mentions.entry(local).or_default().push(expr);
                        false
                    }
                    _ => false,
                };
                let parent = is_built.then_some(expr);
                work.extend(program.children(expr).exprs().map(|child| (child, parent)));
                if let Some((_, from)) = selectors.selection(program, expr) {
                    let is_only_use = |local: LocalId| uses[local.index()] == 1;
                    match program.exprs[from] {
                        Expr::Local(local) if is_only_use(local) => {}
                        _ => selections.push(expr),
                    }
                }
            }
        }
        selections.into_iter().for_each(|selection| selecting.find(selection));
        selecting
    }

    /// Notes that something is selected in an expression.
    fn find(&mut self, expr: ExprId) {
        let mut next = Some(expr);
        while let Some(expr) = next {
            if std::mem::replace(&mut self.found[expr.index()], true) {
                break;
            }
            next = self.parents[expr.index()];
        }
    }

    /// Notes that a local could be evaluated at once and is not, for the sake of space.
    fn wait(&mut self, local: LocalId) {
        for mention in self.mentions.remove(&local).unwrap_or_default() {
            self.find(mention);
        }
    }

    /// Returns whether a value is among them. What the transformation has written is not.
    fn contains(&self, value: ExprId) -> bool {
        self.found.get(value.index()) == Some(&true)
    }
}

/// The transformation of one body.
struct Apply<'p> {
    program: &'p mut Program,
    strict: &'p [bool],
    /// The constructors with fields that are evaluated whenever they are.
    fields: &'p FxHashMap<ExprId, u32>,
    /// Those of them that the scheme evaluates for a call.
    seen_to: FxHashMap<ExprId, u32>,
    selecting: &'p mut Selecting,
    /// The component that each global is in, and the one whose body it is.
    component: &'p [usize],
    global: GlobalId,
    /// Expressions in strict contexts.
    work: Vec<ExprId>,
    forced: u64,
}

impl Apply<'_> {
    fn expr(&mut self, expr: ExprId) {
        match self.program.exprs[expr] {
            Expr::Let(local, value, body) => {
                if self.strict[local.index()]
                    && self.selecting.contains(value)
                    && !self.is_first(local, body)
                {
                    self.selecting.wait(local);
                } else if self.strict[local.index()] {
                    self.program.exprs[expr] = Expr::Force(local, value, body);
                    self.work.push(value);
                    self.forced += 1;
                }
                self.work.push(body);
            }
            Expr::Jump(join, args) => self.jump(expr, join, args),
            Expr::App(callee, args) if let Some(&bits) = self.fields.get(&expr) => {
                self.construct(expr, callee, args, bits);
            }
            Expr::App(callee, args) if self.hands_on(callee, args) => {
                self.lazily(expr, callee, args);
            }
            _ => {
                let program = &*self.program;
                let children = program.children(expr);
                for child in children.filter(|child| program.is_strict(expr, child.position)) {
                    self.work.push(child.expr);
                    if let Position::Argument(at) = child.position
                        && let Some(bits) = self.evaluated(expr, at as usize)
                    {
                        self.seen_to.insert(child.expr, bits);
                    }
                }
            }
        }
    }

    /// Returns whether a call gets several selections from what it or others use too, and would
    /// have one evaluated before it consumes another. A loop keeps what it counts evaluated.
    fn hands_on(&self, callee: ExprId, args: List<ExprId>) -> bool {
        let program = &*self.program;
        let Expr::Global(global) = program.exprs[callee] else { return false };
        if self.is_loop(global) || !matches!(program.globals[global].kind, GlobalKind::Defn { .. })
        {
            return false;
        }
        let args = &program.expr_lists[args];
        let selects = |at: usize| self.selecting.contains(args[at]);
        let strict = |at: usize| program.evaluates(callee, args.len(), at);
        args.len() > 1
            && (0..args.len()).any(|at| selects(at) && strict(at))
            && args.iter().filter(|&&arg| self.selecting.contains(arg)).count() > 1
    }

    /// Returns whether a callee is in the same recursive component as the function that is
    /// changed.
    fn is_loop(&self, global: GlobalId) -> bool {
        self.component[global.index()] == self.component[self.global.index()]
    }

    /// Turns a call into one of an unknown function, whose arguments are lazy.
    fn lazily(&mut self, expr: ExprId, callee: ExprId, args: List<ExprId>) {
        let program = &mut *self.program;
        let span = program.spans[expr];
        let function = program.local(None, span);
        let named = program.expr(Expr::Local(function), span);
        let call = program.expr(Expr::App(named, args), span);
        program.exprs[expr] = Expr::Let(function, callee, call);
    }

    /// Returns whether an expression evaluates a local before anything else.
    fn is_first(&self, local: LocalId, body: ExprId) -> bool {
        let program = &*self.program;
        let mut expr = body;
        for _ in 0..FIRST {
            expr = match program.exprs[expr] {
                Expr::Local(first) => return first == local,
                Expr::Switch(switch) => return program.switches[switch].scrutinee == local,
                // What is built then would need what it selects from.
                Expr::Let(_, value, _) if self.selecting.contains(value) => return false,
                Expr::Let(_, _, body) | Expr::Letrec(_, body) | Expr::Join(_, body) => body,
                Expr::Force(_, value, _) => value,
                Expr::App(callee, args) => {
                    let args = &program.expr_lists[args];
                    let shape = match program.exprs[callee] {
                        Expr::Global(global) => match program.globals[global].kind {
                            GlobalKind::Primitive(primitive) => Some(primitive.shape()),
                            // It may be passed as it is, beside another selection.
                            _ if args.len() > 1 && !self.is_loop(global) => return false,
                            _ => None,
                        },
                        _ => None,
                    };
                    let strict = |&at: &usize| program.evaluates(callee, args.len(), at);
                    let at = match shape {
                        Some(Shape::If | Shape::Seq) => (0..args.len()).find(strict),
                        _ => (0..args.len()).rev().find(strict),
                    };
                    let Some(at) = at else { return false };
                    args[at]
                }
                _ => return false,
            };
        }
        false
    }

    /// Forces the arguments of a jump that the handler is strict in.
    fn jump(&mut self, expr: ExprId, join: JoinId, args: List<ExprId>) {
        let params = self.program.local_lists[self.program.joins[join].params].to_vec();
        let strict = self.strict;
        let names = params
            .iter()
            .map(|&param| strict[param.index()].then(|| self.program.locals[param].name));
        let names = names.collect();
        if let Some((passed, forced)) = self.forced(args, names) {
            self.first(expr, Expr::Jump(join, passed), forced);
        }
    }

    /// Returns the fields that a call evaluates, if its argument `at` is a constructor: the scheme sees
    /// to them.
    fn evaluated(&self, call: ExprId, at: usize) -> Option<u32> {
        let program = &*self.program;
        let Expr::App(callee, args) = program.exprs[call] else { return None };
        let Expr::App(con, fields) = program.exprs[program.expr_lists[args][at]] else {
            return None;
        };
        let Expr::Con(con) = program.exprs[con] else { return None };
        let demand = program.demand(callee, args.len(), at);
        let is_evaluated = |&at: &usize| demand.field(con, at) != Demand::Lazy;
        let bits = (0..fields.len().min(32)).filter(is_evaluated).map(|at| 1 << at);
        Some(bits.fold(0, |all, bit: u32| all | bit))
    }

    /// Forces the fields of a constructor that whoever evaluates it evaluates.
    fn construct(&mut self, expr: ExprId, callee: ExprId, args: List<ExprId>, bits: u32) {
        let bits = bits & !self.seen_to.get(&expr).copied().unwrap_or(0);
        let is_wanted = |(at, &arg): (usize, &ExprId)| {
            let is_evaluated = at < 32 && bits & 1 << at != 0;
            let may_be = !self.selecting.contains(arg) || self.is_short(arg);
            (is_evaluated && may_be).then_some(None)
        };
        let wanted = self.program.expr_lists[args].iter().enumerate().map(is_wanted).collect();
        if let Some((fields, forced)) = self.forced(args, wanted) {
            self.first(expr, Expr::App(callee, fields), forced);
        }
    }

    /// Returns whether the value of an expression in which something is selected consumes no list: it
    /// makes a number of selections, variables and literals by primitives and functions that only use
    /// such.
    fn is_short(&self, expr: ExprId) -> bool {
        let program = &*self.program;
        let mut work = vec![expr];
        for _ in 0..FIRST {
            let Some(expr) = work.pop() else { return true };
            match program.exprs[expr] {
                Expr::Lit(_) | Expr::Local(_) => {}
                Expr::App(callee, args) => {
                    let Expr::Global(global) = program.exprs[callee] else { return false };
                    let is_leaf = match program.globals[global].kind {
                        GlobalKind::Primitive(primitive) => primitive.shape() == Shape::Strict,
                        GlobalKind::Defn { body: Some(body), .. } => self.is_leaf(body),
                        _ => false,
                    };
                    if !is_leaf {
                        return false;
                    }
                    work.extend(&program.expr_lists[args]);
                }
                _ => return false,
            }
        }
        false
    }

    /// Returns whether a body calls primitives only.
    fn is_leaf(&self, body: ExprId) -> bool {
        let program = &*self.program;
        let mut exprs = program.walk(body);
        let is_primitive = |expr| match program.exprs[expr] {
            Expr::App(callee, _) => match program.exprs[callee] {
                Expr::Global(global) => {
                    matches!(program.globals[global].kind, GlobalKind::Primitive(_))
                }
                _ => false,
            },
            _ => true,
        };
        exprs.by_ref().take(FIRST).all(is_primitive) && exprs.next().is_none()
    }

    /// Binds those of some arguments for which there is a name, if only that of a temporary. Returns
    /// the arguments with their variables, and what these are; `None` if there is nothing to evaluate:
    /// a variable or a value is passed as it is.
    fn forced(&mut self, args: List<ExprId>, names: Vec<Option<Option<Name>>>) -> Option<Forced> {
        let program = &mut *self.program;
        let mut passed = program.expr_lists[args].to_vec();
        let mut forced = Vec::new();
        for (arg, name) in passed.iter_mut().zip(names) {
            let Some(name) = name else { continue };
            if !program.is_value(*arg, |_| true) {
                let span = program.spans[*arg];
                let local = program.local(name, span);
                forced.push((local, *arg));
                self.work.push(*arg);
                *arg = program.expr(Expr::Local(local), span);
            }
        }
        self.forced += forced.len() as u64;
        (!forced.is_empty()).then(|| (program.expr_lists.add(passed), forced))
    }

    /// Puts what is evaluated first before what uses it, in the place of an expression. The last one
    /// is evaluated first, as everywhere.
    fn first(&mut self, expr: ExprId, then: Expr, forced: Vec<(LocalId, ExprId)>) {
        let program = &mut *self.program;
        let span = program.spans[expr];
        let body = forced.into_iter().fold(then, |body, (local, value)| {
            let body = program.expr(body, span);
            Expr::Force(local, value, body)
        });
        program.exprs[expr] = body;
    }
}

/// Arguments, and the variables among them with what they are.
type Forced = (List<ExprId>, Vec<(LocalId, ExprId)>);

/// Returns how often each local is used.
fn uses(program: &Program) -> Vec<u32> {
    let mut uses = vec![0; program.locals.len()];
    for local in program.exprs.indices().filter_map(|expr| program.used_local(expr)) {
        uses[local.index()] += 1;
    }
    uses
}
