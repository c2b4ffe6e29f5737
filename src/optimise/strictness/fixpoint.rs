//! Supercombinators that call each other, analysed together: the least fixpoint, from below.

use super::evaluate::Evaluator;
use super::value::Value;
use crate::base::index::{Idx, IndexVec, List};
use crate::base::scc::components;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};

/// The work that the analysis may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The work for each expression, in words of abstract values that are looked at.
    pub per_expression: u64,
    /// The work in addition for the program as a whole, of which components take in their order.
    pub reserve: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { per_expression: 256, reserve: 1 << 26 }
    }
}

/// The greatest number of parameters of a function that is analysed: a value may be a set of all
/// of them, and there is one for each, so space is quadratic in them.
const WIDEST: usize = 2048;

/// The results of the analysis.
pub(super) struct Analysis {
    /// The value of each supercombinator as a function of its parameters.
    pub(super) functions: IndexVec<GlobalId, Value>,
    /// Of each local that a `let` binds, whether the body is strict in it; of each parameter of
    /// a join, whether the handler is.
    pub(super) strict: Vec<bool>,
    /// The supercombinators that were given up, because the budget ran out.
    pub(super) given_up: Vec<GlobalId>,
    /// Of each global the number of expressions of its body; 0 if it has none.
    pub(super) sizes: Vec<u64>,
    /// The numbers of the globals, what others depend on first.
    pub(super) order: Vec<u32>,
    /// The component that each global is in.
    pub(super) component: Vec<usize>,
}

/// A supercombinator.
#[derive(Clone, Copy)]
struct Function {
    params: List<LocalId>,
    body: ExprId,
    /// Number of expressions in its body.
    size: u64,
}

/// Analyses a program of supercombinators.
pub(super) fn analyse(program: &Program, budget: Budget) -> Analysis {
    let mut functions: Vec<Option<Function>> = Vec::with_capacity(program.globals.len());
    let mut calls: Vec<Vec<u32>> = Vec::with_capacity(program.globals.len());
    for global in program.globals.iter() {
        let mut called = Vec::new();
        let function = match global.kind {
            GlobalKind::Defn { params, body: Some(body) } => {
                Some(Function { params, body, size: visit(program, body, &mut called) })
            }
            _ => None,
        };
        called.sort_unstable();
        called.dedup();
        functions.push(function);
        calls.push(called);
    }
    let components = components(&calls);
    let mut home = vec![(0, 0); functions.len()];
    for (number, component) in components.iter().enumerate() {
        for (place, &member) in component.iter().enumerate() {
            home[member as usize] = (number, place);
        }
    }
    let mut fixpoint = Fixpoint {
        evaluator: Evaluator::new(program),
        functions,
        calls,
        home,
        given_up: Vec::new(),
        reserve: budget.reserve,
    };
    for component in &components {
        fixpoint.component(component, budget.per_expression);
    }
    let size = |function: &Option<Function>| function.map_or(0, |function| function.size);
    Analysis {
        component: fixpoint.home.iter().map(|&(number, _)| number).collect(),
        sizes: fixpoint.functions.iter().map(size).collect(),
        order: components.into_iter().flatten().collect(),
        functions: fixpoint.evaluator.functions,
        strict: fixpoint.evaluator.strict,
        given_up: fixpoint.given_up,
    }
}

impl Analysis {
    /// Analyses the bodies of supercombinators that have been added to the program since, for what their
    /// bindings are. Of what they are themselves as functions nothing is found out.
    pub(super) fn extend(&mut self, program: &Program, added: &[GlobalId], budget: Budget) {
        let known = self.functions.len();
        self.functions.extend(program.globals.since(known).iter().map(|_| Value::ONE));
        let mut components = self.component.iter().max().map_or(0, |last| last + 1)..;
        self.component.resize_with(program.globals.len(), || components.next().unwrap_or(0));
        self.strict.resize(program.locals.len(), false);
        let mut evaluator = Evaluator::new(program);
        evaluator.functions = std::mem::take(&mut self.functions);
        for &id in added {
            let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else {
                continue;
            };
            let size = visit(program, body, &mut Vec::new());
            let before = evaluator.algebra.work;
            evaluator.limit = before.saturating_add(size.saturating_mul(budget.per_expression));
            evaluator.body(params, body);
            match evaluator.is_exhausted() {
                true => self.given_up.push(id),
                false => {
                    for expr in program.walk(body) {
                        if let Expr::Let(local, ..) = program.exprs[expr] {
                            self.strict[local.index()] = evaluator.strict[local.index()];
                        }
                    }
                }
            }
        }
        self.functions = evaluator.functions;
    }
}

/// The analysis under way. Supercombinators are the numbers of their globals.
struct Fixpoint<'p> {
    evaluator: Evaluator<'p>,
    functions: Vec<Option<Function>>,
    /// Whose values the value of each depends on.
    calls: Vec<Vec<u32>>,
    /// The component that each is in, and its place there.
    home: Vec<(usize, usize)>,
    given_up: Vec<GlobalId>,
    /// How much of the reserve is left.
    reserve: u64,
}

impl Fixpoint<'_> {
    /// Analyses a component; those that it depends on have been analysed.
    fn component(&mut self, members: &[u32], per_expression: u64) {
        let sizes = members.iter().filter_map(|&member| self.functions[member as usize]);
        let own = sizes.map(|function| function.size).sum::<u64>().saturating_mul(per_expression);
        let before = self.evaluator.algebra.work;
        self.evaluator.limit = before.saturating_add(own).saturating_add(self.reserve);
        let wide = |&member: &u32| {
            self.functions[member as usize].is_some_and(|function| function.params.len() > WIDEST)
        };
        if members.iter().any(wide) || !self.iterate(members) {
            // Values on the way claim too much, so that none of them is kept.
            for &member in members {
                let global = GlobalId(member);
                self.evaluator.functions[global] = Value::ONE;
                self.given_up.push(global);
            }
        }
        let work = self.evaluator.algebra.work - before;
        self.reserve = self.reserve.saturating_sub(work.saturating_sub(own));
    }

    /// Raises the members of a component from bottom until nothing changes; `false` if the
    /// budget ends before.
    fn iterate(&mut self, members: &[u32]) -> bool {
        let mut callers = vec![Vec::new(); members.len()];
        for (place, &member) in members.iter().enumerate() {
            let component = self.home[member as usize].0;
            for &callee in &self.calls[member as usize] {
                let (of, at) = self.home[callee as usize];
                if of == component {
                    callers[at].push(place);
                }
            }
        }
        // Whose value may have to be raised. What is called mostly comes after its callers.
        let mut pending = vec![true; members.len()];
        while pending.contains(&true) {
            for (place, &member) in members.iter().enumerate().rev() {
                if !std::mem::replace(&mut pending[place], false) {
                    continue;
                }
                let Some(function) = self.functions[member as usize] else { continue };
                let found = self.evaluator.body(function.params, function.body);
                let before = std::mem::take(&mut self.evaluator.functions[GlobalId(member)]);
                let (value, grown) = self.evaluator.algebra.raise(before, found);
                self.evaluator.functions[GlobalId(member)] = value;
                if self.evaluator.is_exhausted() {
                    return false;
                }
                if grown {
                    callers[place].iter().for_each(|&caller| pending[caller] = true);
                }
            }
        }
        true
    }
}

/// Counts the expressions of a body and notes whose values its value depends on: those of
/// what it calls with all arguments, and of CAFs.
fn visit(program: &Program, body: ExprId, called: &mut Vec<u32>) -> u64 {
    let mut size = 0;
    let mut work = vec![body];
    let depend = |global: GlobalId, args: usize, called: &mut Vec<u32>| {
        if let GlobalKind::Defn { params, .. } = program.globals[global].kind
            && args >= params.len()
        {
            called.push(global.0);
        }
    };
    while let Some(expr) = work.pop() {
        size += 1;
        match program.exprs[expr] {
            Expr::Global(global) => depend(global, 0, called),
            Expr::App(callee, args) => {
                match program.exprs[callee] {
                    Expr::Global(global) => depend(global, args.len(), called),
                    _ => work.push(callee),
                }
                work.extend(&program.expr_lists[args]);
            }
            _ => program.push_children(expr, &mut work),
        }
    }
    size
}
