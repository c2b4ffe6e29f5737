//! Performing: effects are done where their actions would be made.
//!
//! An action is a value, which the performer takes apart (`compile::perform`). Where a function comes
//! to an action that is seen in its body, this pass gives it a second version, `f$p`, that is called
//! where the action would be performed. It has the number of the thread as one more parameter; it
//! does what effects it can and comes to the action that is *left*, often a `return`:
//!
//! ```text
//! P[return e]          = return e
//! P[an effect of es]   = perform [x (the effect of es)] (return x)
//! P[putText s]         = put s thread
//! P[bind m k]          = perform [x m] P[k x]         if m is an effect
//!                      = let [x e] P[k x]             if m is `return e`
//!                      = P[m] with P[k x] for each `return x`  if it performs anything and ends in those
//!                      = continue P[m] K[k] thread    if it ends in something else besides
//!                      = enter m K[k]                 else, if K[k] does
//! P[handle m f g]      = handle (enter (return Nil) K[fn _. m]) f g
//! P[f es]              = let [xs es] P[the body of f]   if f is small, and does not come to call itself
//!                      = f$p es thread                else
//! P[if, seq, case, let, join] = the same, with P of what its value is
//! P[another m]         = m
//! K[k]                 = fn x thread. P[k x], as a partial application; goOn k if nothing is known of k
//! ```
//!
//! `continue r k thread` goes on with `k` if `r` is a `return`, else it is `enter r k`: the action that
//! performs `r` and then what `k` makes of its value and the thread. So what cannot be seen, and what may
//! change the thread, go to the performer as before.
//!
//! Invariants:
//! - *An effect is done once, in order.* `Perform` is evaluated where it stands and nowhere else. What is
//!   after it is not certain before it, so strictness analysis moves nothing past it.
//! - *No work is done twice.* P is only taken of an expression that the code builds to be performed
//!   once: the body of `f$p`, an argument of a `bind` in it. The action that `main` is, if nothing else
//!   mentions `main`, and that of `runState` and `unsafePerform`, are performed once, too. Another bind
//!   may be performed many times, and what its action shares stays shared: of it `enter` is made only of a
//!   continuation that is a function of the value, or calls what is [cheap](known::Known::is_cheap).
//! - A failure passes through no handler that the performer would not have found: `handle` is left to it.
//! - Turns of threads are counted in binds that the performer sees, at every level of optimisation alike: a
//!   program with `fork`, or one that others are added to, stays as it is.
//! - Time and code are linear in the program.

mod known;

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::InlinedPlaces;
use super::rewrite::{Plan, rewrite};
use super::{Pass, Report};
use crate::base::index::{IndexVec, List};
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::duplicate::Duplicate;
use crate::core::expr::{
    Expr, ExprId, Global, GlobalId, GlobalKind, HostOrigin, Join, LocalId, NIL, Program, Step,
};
use crate::core::signature::Signature;
use crate::primitive::effect::Effect;
use crate::primitive::{Primitive, Shape};
use known::{Continuation, Known, primitive};

/// How many expressions of functions are copied to where they are performed, and how many more for each of the
/// program.
const UNFOLDED: usize = 300;
const UNFOLDED_PER_EXPRESSION: usize = 1;

/// Does effects where their actions would be made.
pub(super) fn perform(program: Program, report: &mut Report) -> Program {
    if !program.roots.is_empty() || program.globals.iter().any(|global| is_of_others(global.kind)) {
        return program;
    }
    let Some(known) = Known::of(&program) else { return program };
    let mut program = program;
    let count = program.globals.len();
    let left = UNFOLDED + UNFOLDED_PER_EXPRESSION * program.exprs.len();
    let places = InlinedPlaces::new(&program, &program.places);
    let mut pass = Perform {
        program: &mut program,
        known,
        performing: IndexVec::from_iter((0..count).map(|_| None)),
        entering: FxHashMap::default(),
        steps: FxHashMap::default(),
        home: GlobalId(0),
        lifted: FxHashMap::default(),
        places,
        unfolded: Vec::new(),
        left,
        effects: 0,
        entered: 0,
    };
    pass.definitions(report);
    let (effects, entered) = (pass.effects, pass.entered);
    report.count(Pass::Perform, "effects done in place", effects);
    report.count(Pass::Perform, "binds that go on in place", entered);
    let plan = Plan::new(&program);
    rewrite(program, &plan).program
}

/// Returns whether a program with such a global has several threads, or is a part of another one.
fn is_of_others(kind: GlobalKind) -> bool {
    matches!(
        kind,
        GlobalKind::Primitive(Primitive::Fork)
            | GlobalKind::Host { origin: HostOrigin::Earlier(_), .. }
    )
}

/// What an expression has become that performs the action that it comes to.
#[derive(Default)]
struct Performed {
    /// Whether it performs anything; if not, calls in it may have been unfolded.
    performs: bool,
    /// Its ends that are a `return`.
    returns: Vec<ExprId>,
    /// Whether it ends in anything else.
    has_others: bool,
}

impl Performed {
    /// What performs and ends in the action that is left.
    const LEFT: Performed = Performed { performs: true, returns: Vec::new(), has_others: true };

    /// Adds what another branch has become.
    fn or(self, other: Performed) -> Performed {
        // The few to the many: branches are nested in branches.
        let (mut returns, few) = match self.returns.len() < other.returns.len() {
            true => (other.returns, self.returns),
            false => (self.returns, other.returns),
        };
        returns.extend(few);
        Performed {
            performs: self.performs | other.performs,
            returns,
            has_others: self.has_others | other.has_others,
        }
    }
}

struct Perform<'p> {
    program: &'p mut Program,
    known: Known,
    /// Of each definition the version that performs.
    performing: IndexVec<GlobalId, Option<GlobalId>>,
    /// The same as a continuation of a value that it does not use.
    entering: FxHashMap<GlobalId, GlobalId>,
    steps: FxHashMap<Step, GlobalId>,
    /// The definition that is being written.
    home: GlobalId,
    /// How many supercombinators have been named after each definition.
    lifted: FxHashMap<GlobalId, u32>,
    places: InlinedPlaces,
    /// The calls in whose place a body is, as they were.
    unfolded: Vec<(ExprId, Expr)>,
    /// How many expressions may still be copied.
    left: usize,
    effects: u64,
    entered: u64,
}

impl Perform<'_> {
    fn definitions(&mut self, report: &mut Report) {
        let old: Vec<GlobalId> = self.program.globals.indices().collect();
        let performing: Vec<GlobalId> =
            old.iter().copied().filter(|&id| self.known.performs(id)).collect();
        // The versions are there before code that calls them is written.
        let copies: Vec<(GlobalId, ExprId, LocalId)> =
            performing.into_iter().filter_map(|id| self.version(id)).collect();
        for &(id, body, thread) in &copies {
            self.home = id;
            self.perform(body, thread);
            let symbol = &self.program.globals[id].symbol;
            report.decide(Pass::Perform, || format!("{symbol}: has a version that performs"));
        }
        if let Some(main) = self.program.main
            && let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[main].kind
            && params.is_empty()
            && self.known.is_performed_once(main)
        {
            self.home = main;
            self.once(body);
        }
        // Those that were made here too: what is lazy in them is as it was.
        for id in self.program.globals.indices() {
            self.home = id;
            self.values(id);
        }
    }

    /// Makes the version of a definition that performs, whose body is still that of the definition.
    /// Returns it with its body and the parameter for the thread.
    fn version(&mut self, id: GlobalId) -> Option<(GlobalId, ExprId, LocalId)> {
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[id].kind else {
            return None;
        };
        let span = self.program.globals[id].span;
        let mut copy = Duplicate::new(self.program, |_, span| span);
        let params = copy.program.local_lists[params].to_vec();
        let mut params: Vec<LocalId> = params.into_iter().map(|param| copy.bind(param)).collect();
        let body = copy.expr(body);
        let thread = self.program.local(None, span);
        params.push(thread);
        let version = self.add(id, "$p", params, body);
        self.performing[id] = Some(version);
        Some((version, body, thread))
    }

    /// Adds a supercombinator that is named after another one.
    fn add(&mut self, of: GlobalId, suffix: &str, params: Vec<LocalId>, body: ExprId) -> GlobalId {
        let program = &mut *self.program;
        let params = program.local_lists.add(params);
        let Global { symbol, display, span, .. } = program.globals[of].clone();
        let symbol = format!("{symbol}{suffix}").into();
        let kind = GlobalKind::Defn { params, body: Some(body) };
        let signature = Signature::default();
        self.push(Global { symbol, display, kind, span, signature })
    }

    fn push(&mut self, global: Global) -> GlobalId {
        self.performing.push(None);
        self.program.globals.push(global)
    }

    /// Returns the global that is a step.
    fn step(&mut self, step: Step) -> GlobalId {
        if let Some(&known) = self.steps.get(&step) {
            return known;
        }
        let symbol = match step {
            Step::Effect(effect) => format!("do${}", effect.name()),
            Step::Put(effect) => format!("do${}", effect.name()),
            Step::Continue => "continue$".to_owned(),
            Step::Enter => "enter$".to_owned(),
            Step::GoOn => "goOn$".to_owned(),
        };
        let kind = GlobalKind::Step(step);
        let global = self.push(Global {
            symbol: symbol.into(),
            display: None,
            kind,
            span: Span::NONE,
            signature: Signature::default(),
        });
        self.steps.insert(step, global);
        global
    }

    fn app(&mut self, global: GlobalId, args: Vec<ExprId>, span: Span) -> Expr {
        let callee = self.program.expr(Expr::Global(global), span);
        match args.is_empty() {
            true => Expr::Global(global),
            false => Expr::App(callee, self.program.expr_lists.add(args)),
        }
    }

    fn step_app(&mut self, step: Step, args: Vec<ExprId>, span: Span) -> Expr {
        let step = self.step(step);
        self.app(step, args, span)
    }

    fn local(&mut self, local: LocalId, span: Span) -> ExprId {
        self.program.expr(Expr::Local(local), span)
    }

    /// Moves an expression to a place of its own, from one that gets another expression.
    fn moved(&mut self, expr: ExprId) -> ExprId {
        let (form, span) = (self.program.exprs[expr], self.program.spans[expr]);
        self.program.expr(form, span)
    }

    /// Makes of an expression one that performs the action that it comes to: P. It stands where it is demanded.
    fn perform(&mut self, expr: ExprId, thread: LocalId) -> Performed {
        ensure_sufficient_stack(|| self.perform_step(expr, thread))
    }

    /// The same of an expression that stays where nothing demands it if nothing is performed.
    fn perform_lazy(&mut self, expr: ExprId, thread: LocalId) -> Performed {
        let before = self.unfolded.len();
        let performed = self.perform(expr, thread);
        if !performed.performs {
            for (expr, call) in self.unfolded.drain(before..).rev() {
                self.program.exprs[expr] = call;
            }
        }
        performed
    }

    fn perform_step(&mut self, expr: ExprId, thread: LocalId) -> Performed {
        if let Some(effect) = self.effect(expr, thread) {
            let span = self.program.spans[expr];
            let result = self.program.local(None, span);
            let value = self.local(result, span);
            let body = self.return_(value, span);
            self.program.exprs[expr] = Expr::Perform(result, effect, body);
            return Performed { performs: true, returns: vec![body], has_others: false };
        }
        let tails = known::tails_of(self.program, expr);
        if !tails.is_empty() {
            let parts = tails.into_iter().map(|tail| self.perform(tail, thread));
            return parts.fold(Performed::default(), Performed::or);
        }
        if let Expr::App(callee, args) = self.program.exprs[expr]
            && let Some(performed) = self.application(expr, callee, args, thread)
        {
            return performed;
        }
        let is_return = self.returned(expr).is_some();
        Performed {
            performs: false,
            returns: if is_return { vec![expr] } else { Vec::new() },
            has_others: !is_return && !self.ends_nothing(expr),
        }
    }

    /// Returns whether an expression comes to no action of its own: it fails, or jumps.
    fn ends_nothing(&self, expr: ExprId) -> bool {
        match (self.program.exprs[expr], primitive(self.program, expr)) {
            (Expr::NoMatch | Expr::Jump(..), _) => true,
            (_, Some((primitive, _))) => primitive.shape() == Shape::Error,
            _ => false,
        }
    }

    /// Makes of an application one that performs; `None` if it performs nothing.
    fn application(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        args: List<ExprId>,
        thread: LocalId,
    ) -> Option<Performed> {
        let Expr::Global(global) = self.program.exprs[callee] else { return None };
        if self.program.arity(global) != args.len() {
            return None;
        }
        let span = self.program.spans[expr];
        if let Some(size) = self.known.unfolded(global).filter(|&size| size <= self.left) {
            self.left -= size;
            return Some(self.unfold(expr, global, args, thread));
        }
        let mut args = self.program.expr_lists[args].to_vec();
        if let Some(version) = self.performing[global] {
            args.push(self.local(thread, span));
            self.program.exprs[expr] = self.app(version, args, span);
            return Some(Performed::LEFT);
        }
        let GlobalKind::Primitive(primitive) = self.program.globals[global].kind else {
            return None;
        };
        match (primitive, &args[..]) {
            (Primitive::Bind, &[m, k]) => self.bind(expr, m, k, thread),
            (Primitive::Handle, &[m, ..]) => self.once(m).then_some(Performed::LEFT),
            (Primitive::PutText, &[text]) => {
                Some(self.put(Effect::PutCharacters, expr, text, thread))
            }
            (Primitive::PutError, &[text]) => {
                Some(self.put(Effect::PutErrorCharacters, expr, text, thread))
            }
            _ => None,
        }
    }

    /// Puts the body of a definition in the place of a call, and performs what it comes to.
    fn unfold(
        &mut self,
        expr: ExprId,
        global: GlobalId,
        args: List<ExprId>,
        thread: LocalId,
    ) -> Performed {
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return Performed { has_others: true, ..Performed::default() };
        };
        let at = self.program.spans[expr];
        let args = self.program.expr_lists[args].to_vec();
        let (params, mut out, _) = self.places.copy(self.program, params, body, at);
        let performed = self.perform(out, thread);
        for (param, arg) in params.into_iter().zip(args) {
            out = self.program.expr(Expr::Let(param, arg, out), at);
        }
        self.unfolded.push((expr, self.program.exprs[expr]));
        self.program.exprs[expr] = self.program.exprs[out];
        performed
    }

    /// Makes of an action that writes a text an expression that does.
    fn put(&mut self, effect: Effect, expr: ExprId, text: ExprId, thread: LocalId) -> Performed {
        let span = self.program.spans[expr];
        let thread = self.local(thread, span);
        self.program.exprs[expr] = self.step_app(Step::Put(effect), vec![text, thread], span);
        Performed::LEFT
    }

    /// Returns the effect that an action is, as an expression to be performed.
    fn effect(&mut self, expr: ExprId, thread: LocalId) -> Option<ExprId> {
        let (effect, args) = known::effect(self.program, expr)?;
        let span = self.program.spans[expr];
        let mut args = self.program.expr_lists[args].to_vec();
        args.push(self.local(thread, span));
        let effect = self.step_app(Step::Effect(effect), args, span);
        self.effects += 1;
        Some(self.program.expr(effect, span))
    }

    /// Returns `return e`.
    fn return_(&mut self, value: ExprId, span: Span) -> ExprId {
        let global = match self.known.return_ {
            Some(known) => known,
            None => self.push(Global {
                symbol: "return$".into(),
                display: Some(Primitive::Return.name().into()),
                kind: GlobalKind::Primitive(Primitive::Return),
                span: Span::NONE,
                signature: Signature::default(),
            }),
        };
        self.known.return_ = Some(global);
        let app = self.app(global, vec![value], span);
        self.program.expr(app, span)
    }

    fn bind(&mut self, expr: ExprId, m: ExprId, k: ExprId, thread: LocalId) -> Option<Performed> {
        let span = self.program.spans[expr];
        if let Some(effect) = self.effect(m, thread) {
            let result = self.program.local(None, span);
            let (rest, ends) = self.rest(k, result, thread, span);
            self.program.exprs[expr] = Expr::Perform(result, effect, rest);
            return Some(ends);
        }
        if let Some(value) = self.returned(m) {
            let result = self.program.local(None, span);
            let (rest, ends) = self.rest(k, result, thread, span);
            self.program.exprs[expr] = Expr::Let(result, value, rest);
            return Some(ends);
        }
        let performed = self.perform_lazy(m, thread);
        if performed.performs && !performed.has_others {
            self.entered += 1;
            return Some(self.go_on(expr, m, performed.returns, k, thread));
        }
        let k = self.continuation(k, thread, performed.performs)?;
        self.entered += 1;
        self.program.exprs[expr] = match performed.performs {
            true => {
                let thread = self.local(thread, span);
                self.step_app(Step::Continue, vec![m, k, thread], span)
            }
            false => self.step_app(Step::Enter, vec![m, k], span),
        };
        Some(Performed::LEFT)
    }

    /// Makes of a bind what performs its action and goes on at each `return` that this ends in.
    fn go_on(
        &mut self,
        expr: ExprId,
        m: ExprId,
        returns: Vec<ExprId>,
        k: ExprId,
        thread: LocalId,
    ) -> Performed {
        let span = self.program.spans[expr];
        let result = self.program.local(None, span);
        let (rest, ends) = self.rest(k, result, thread, span);
        if let &[end] = &returns[..] {
            let value = self.returned(end).unwrap_or(end);
            self.program.exprs[end] = Expr::Let(result, value, rest);
            self.program.exprs[expr] = self.program.exprs[m];
            return ends;
        }
        let params = self.program.local_lists.add([result]);
        let join = self.program.joins.push(Join { params, handler: rest });
        for end in returns {
            let value = self.returned(end).unwrap_or(end);
            let args = self.program.expr_lists.add([value]);
            self.program.exprs[end] = Expr::Jump(join, args);
        }
        self.program.exprs[expr] = Expr::Join(join, m);
        ends
    }

    /// Returns the value of an action that is a `return`.
    fn returned(&self, expr: ExprId) -> Option<ExprId> {
        let (found, args) = primitive(self.program, expr)?;
        let value = self.program.expr_lists[args].first();
        value.copied().filter(|_| found == Primitive::Return)
    }

    /// Returns what performs the action that a continuation makes of a value: P[k x].
    fn rest(
        &mut self,
        k: ExprId,
        value: LocalId,
        thread: LocalId,
        span: Span,
    ) -> (ExprId, Performed) {
        let rest = match self.known.continuation(self.program, k) {
            Continuation::Constant(action) => action,
            Continuation::Identity => self.local(value, span),
            Continuation::Return => {
                let value = self.local(value, span);
                self.return_(value, span)
            }
            Continuation::Function(..) => {
                let value = self.local(value, span);
                self.applied(k, value, span)
            }
            Continuation::Unknown => {
                let (value, thread) = (self.local(value, span), self.local(thread, span));
                let app = self.step_app(Step::GoOn, vec![k, value, thread], span);
                self.program.expr(app, span)
            }
        };
        let performed = self.perform(rest, thread);
        (rest, Performed { performs: true, ..performed })
    }

    /// Returns the application of a definition, which may have arguments, to one more.
    fn applied(&mut self, function: ExprId, arg: ExprId, span: Span) -> ExprId {
        let program = &mut *self.program;
        let app = match program.exprs[function] {
            Expr::App(callee, args) => {
                let mut args = program.expr_lists[args].to_vec();
                args.push(arg);
                Expr::App(callee, program.expr_lists.add(args))
            }
            _ => Expr::App(function, program.expr_lists.add([arg])),
        };
        program.expr(app, span)
    }

    /// Returns K of a continuation, which is performed once; `None` if it would perform nothing and is
    /// not wanted all the same.
    fn continuation(&mut self, k: ExprId, thread: LocalId, is_wanted: bool) -> Option<ExprId> {
        let span = self.program.spans[k];
        let continuation = match self.known.continuation(self.program, k) {
            Continuation::Function(global, args) => {
                let args = self.program.expr_lists[args].to_vec();
                self.performing[global].map(|version| self.app(version, args, span))
            }
            Continuation::Constant(action) => match self.call(action) {
                Some((global, args)) => Some(self.entered(global, args, span)),
                None if self.perform_lazy(action, thread).performs => {
                    Some(self.lifted(action, thread))
                }
                None => None,
            },
            Continuation::Identity | Continuation::Return | Continuation::Unknown => None,
        };
        if let Some(continuation) = continuation {
            return Some(self.program.expr(continuation, span));
        }
        is_wanted.then(|| {
            let app = self.step_app(Step::GoOn, vec![k], span);
            self.program.expr(app, span)
        })
    }

    /// Returns the definition with a version that performs that an expression calls, and with what.
    fn call(&self, expr: ExprId) -> Option<(GlobalId, List<ExprId>)> {
        known::call(self.program, expr).filter(|&(global, _)| self.performing[global].is_some())
    }

    /// Returns a continuation that calls a definition and does not use its value. The arguments stay
    /// shared by all that perform it.
    fn entered(&mut self, global: GlobalId, args: List<ExprId>, span: Span) -> Expr {
        let entering = match self.entering.get(&global) {
            Some(&entering) => entering,
            None => {
                let entering = self.entering_of(global);
                self.entering.insert(global, entering);
                entering
            }
        };
        let args = self.program.expr_lists[args].to_vec();
        self.app(entering, args, span)
    }

    /// Makes `f$k xs _ thread = f$p xs thread`.
    fn entering_of(&mut self, global: GlobalId) -> GlobalId {
        let span = self.program.globals[global].span;
        let count = self.program.arity(global);
        let params: Vec<LocalId> = (0..count + 2).map(|_| self.program.local(None, span)).collect();
        let mut args: Vec<ExprId> = params[..count]
            .iter()
            .map(|&param| self.program.expr(Expr::Local(param), span))
            .collect();
        let thread = params[count + 1];
        args.push(self.local(thread, span));
        let version = self.performing[global].unwrap_or(global);
        let body = self.app(version, args, span);
        let body = self.program.expr(body, span);
        self.add(global, "$k", params, body)
    }

    /// Makes of an action that is performed once one that begins with performing, if it performs
    /// anything.
    fn once(&mut self, action: ExprId) -> bool {
        let span = self.program.spans[action];
        let continuation = match self.call(action) {
            Some((global, args)) => self.entered(global, args, span),
            None => {
                let thread = self.program.local(None, span);
                let moved = self.moved(action);
                if !self.perform_lazy(moved, thread).performs {
                    return false;
                }
                self.lifted(moved, thread)
            }
        };
        let k = self.program.expr(continuation, span);
        let nil = self.program.expr(Expr::Con(NIL), span);
        let start = self.return_(nil, span);
        self.entered += 1;
        self.program.exprs[action] = self.step_app(Step::Enter, vec![start, k], span);
        true
    }

    /// Makes a supercombinator of what performs, of its variables, of a value that it does not use, and
    /// of the thread; returns its application to the variables.
    fn lifted(&mut self, body: ExprId, thread: LocalId) -> Expr {
        let span = self.program.spans[body];
        let body = self.moved(body);
        let (mut bound, mut used) = (FxHashSet::default(), Vec::new());
        for expr in self.program.walk(body).collect::<Vec<_>>() {
            let program = &*self.program;
            for child in program.children(expr) {
                bound.extend(program.scope(expr, child.position));
            }
            if let Some(local) = program.used_local(expr) {
                used.push((expr, local));
            }
        }
        let (mut params, mut args) = (Vec::new(), Vec::new());
        let mut names: FxHashMap<LocalId, LocalId> = FxHashMap::default();
        let own_thread = self.program.local(None, span);
        names.insert(thread, own_thread);
        for (expr, local) in used {
            if bound.contains(&local) {
                continue;
            }
            let program = &mut *self.program;
            let param = *names.entry(local).or_insert_with(|| {
                let param = program.locals.push(program.locals[local]);
                params.push(param);
                args.push(program.expr(Expr::Local(local), span));
                param
            });
            match &mut program.exprs[expr] {
                Expr::Local(used) => *used = param,
                &mut Expr::Switch(switch) => program.switches[switch].scrutinee = param,
                _ => {}
            }
        }
        params.extend([self.program.local(None, span), own_thread]);
        let count = self.lifted.entry(self.home).or_default();
        *count += 1;
        let suffix = format!("$p{count}");
        let global = self.add(self.home, &suffix, params, body);
        self.app(global, args, span)
    }

    /// Makes `enter` of binds in lazy contexts of a definition, and performs what is performed once.
    fn values(&mut self, id: GlobalId) {
        let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[id].kind else {
            return;
        };
        for expr in self.program.walk(body).collect::<Vec<_>>() {
            let Some((found, args)) = primitive(self.program, expr) else { continue };
            match (found, &self.program.expr_lists[args]) {
                (Primitive::RunState | Primitive::UnsafePerform, &[m]) => _ = self.once(m),
                (Primitive::Bind, &[m, k]) => self.value(expr, m, k),
                _ => {}
            }
        }
    }

    /// Makes `enter` of a bind that may be performed many times, if that does no work anew.
    fn value(&mut self, expr: ExprId, m: ExprId, k: ExprId) {
        let span = self.program.spans[k];
        let continuation = match self.known.continuation(self.program, k) {
            Continuation::Function(global, args) => {
                let args = self.program.expr_lists[args].to_vec();
                self.performing[global].map(|version| self.app(version, args, span))
            }
            Continuation::Constant(action) => self
                .call(action)
                .filter(|&(global, _)| self.known.is_cheap(global))
                .map(|(global, args)| self.entered(global, args, span)),
            Continuation::Identity | Continuation::Return | Continuation::Unknown => None,
        };
        let Some(continuation) = continuation else { return };
        let k = self.program.expr(continuation, span);
        self.entered += 1;
        self.program.exprs[expr] = self.step_app(Step::Enter, vec![m, k], self.program.spans[expr]);
    }
}
