//! Constants by evaluation: what a CAF comes to is written down in its place, before anything else.
//!
//! A lens, a dictionary or a table of rules is most often made by calls: `(defn inner[] (compose second
//! first))`. Nothing is known of such a constant where it is used, nor has a composition of compositions
//! the form of a function that lacks arguments, by which it could be expanded. So each CAF is evaluated,
//! all of it, if that takes few steps and comes to little.
//!
//! Invariants:
//! - What is written is all there: constructors, functions that lack arguments, literals and the names of
//!   other constants. So no work is done twice, and none that the run would not do: what does not come
//!   to an end, or fails, is left as it was.
//! - There is something to learn from: a literal, a function, or a constructor that is one of several. A
//!   list of numbers is as good as the call that makes it.

use super::eta;
use super::heap::{AbstractValue, Head, Name, NodeId};
use super::history::History;
use super::pattern::Key;
use super::{Driver, Rules, facts, fusible};
use crate::base::index::{Idx, List};
use crate::base::scc::components;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::copy::take_tables;
use crate::core::expr::{CONS, Expr, ExprId, GlobalId, GlobalKind, NIL, Program};
use crate::optimise::Pass;
use crate::optimise::report::Report;

/// The most expressions of a CAF that is evaluated.
const SIZE: usize = 200;
/// The most parts of a value that is written down.
const PARTS: usize = 120;
/// The most steps that one takes, and that all take together, with some for each expression of the program.
const STEPS: i64 = 2_000;
const ALL_STEPS: i64 = 30_000;
const STEPS_PER_EXPRESSION: i64 = 10;

/// A value that can be written down.
enum Written {
    /// A literal, a text, a constructor or a global.
    Atom(Expr),
    /// One of the latter two with arguments.
    Application(Expr, Vec<Written>),
}

/// Writes down what the CAFs of a program come to.
pub(in crate::optimise) fn evaluate_constants(
    program: &mut Program,
    rules: Rules,
    report: &mut Report,
) {
    let cafs = candidates(program);
    if cafs.is_empty() {
        return;
    }
    let mut old = program.clone();
    let twins = eta::expand(&mut old);
    let new = take_tables(&mut old);
    let facts = facts(&old, &twins);
    let fusions = fusible(&old, &new, &facts);
    let history = History::default();
    let mut silent = Report::new(false);
    let mut driver = Driver::new(&old, new, twins, facts, fusions, rules, &history, &mut silent);
    driver.limit = i64::MAX / 2;
    let mut values: Vec<(GlobalId, Written)> = Vec::new();
    let mut left = ALL_STEPS + STEPS_PER_EXPRESSION * program.exprs.len() as i64;
    for caf in cafs {
        let given = STEPS.min(left);
        if given <= 0 {
            break;
        }
        driver.fuel = given;
        let value = driver.evaluated_caf(caf);
        left -= given - driver.fuel.max(0);
        if let Some((node, value)) = value {
            driver.evaluated.insert(caf, node);
            values.push((caf, value));
        }
    }
    report.count(Pass::Specialise, "constants evaluated", values.len() as u64);
    for (caf, value) in values {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[caf].kind else { continue };
        let body = write(program, &value, program.spans[body]);
        program.globals[caf].kind = GlobalKind::Defn { params: List::EMPTY, body: Some(body) };
    }
}

/// Returns the CAFs that are calls, each after those that it mentions.
fn candidates(program: &Program) -> Vec<GlobalId> {
    let mut is_one = vec![false; program.globals.len()];
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); program.globals.len()];
    for caf in program.globals.indices() {
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[caf].kind else {
            continue;
        };
        if !params.is_empty() || program.main == Some(caf) {
            continue;
        }
        let mut work = vec![body];
        let mut size = 0;
        while let Some(expr) = work.pop() {
            size += 1;
            match program.exprs[expr] {
                Expr::App(callee, args) if size <= SIZE => {
                    if let Expr::Global(global) = program.exprs[callee] {
                        let given = program.expr_lists[args].len();
                        is_one[caf.index()] |= given >= program.arity(global);
                    }
                    work.push(callee);
                    work.extend(&program.expr_lists[args]);
                }
                Expr::Global(global) => edges[caf.index()].push(global.0),
                Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) => {}
                _ => size = SIZE + 1,
            }
            if size > SIZE {
                is_one[caf.index()] = false;
                break;
            }
        }
    }
    let order = components(&edges).into_iter().flatten().map(GlobalId);
    order.filter(|caf| is_one[caf.index()]).collect()
}

/// Writes an expression for a value.
fn write(program: &mut Program, value: &Written, span: Span) -> ExprId {
    match value {
        Written::Atom(expr) => program.expr(*expr, span),
        Written::Application(callee, args) => {
            let callee = program.expr(*callee, span);
            let args: Vec<ExprId> = args
                .iter()
                .map(|arg| ensure_sufficient_stack(|| write(program, arg, span)))
                .collect();
            let args = program.expr_lists.add(args);
            program.expr(Expr::App(callee, args), span)
        }
    }
}

impl Driver<'_> {
    /// Evaluates a CAF. Returns its value, if all of it can be written down and there is something to learn
    /// from it.
    fn evaluated_caf(&mut self, caf: GlobalId) -> Option<(NodeId, Written)> {
        let GlobalKind::Defn { body: Some(body), .. } = self.old.globals[caf].kind else {
            return None;
        };
        let key = Key { of: caf, args: Vec::new(), same: Vec::new() };
        self.current = self.add_variant(key, caf);
        let env = self.heap.activation(self.facts.locals[caf] as usize, Span::NONE);
        let node = self.heap.add(AbstractValue::Thunk(body, env));
        self.closed += 1;
        let value = self.written_value(node, &mut { PARTS });
        self.closed -= 1;
        value.filter(|value| self.teaches(value, true)).map(|value| (node, value))
    }

    /// Evaluates a value and its parts to what can be written down.
    fn written_value(&mut self, node: NodeId, parts: &mut usize) -> Option<Written> {
        *parts = parts.checked_sub(1)?;
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        if let Some(Name::Caf(caf)) = known.name {
            return Some(Written::Atom(Expr::Global(caf)));
        }
        let (callee, items) = match known.value {
            AbstractValue::Lit(lit) => {
                return lit.is_immediate().then_some(Written::Atom(Expr::Lit(lit)));
            }
            AbstractValue::Text(text, 0) => return Some(Written::Atom(Expr::Text(text))),
            AbstractValue::Con(con, items) | AbstractValue::Partial(Head::Con(con), items) => {
                (Expr::Con(con), items)
            }
            AbstractValue::Partial(Head::Global(global), items) => {
                let origin = self.unexpanded(global);
                // A twin takes more arguments than its origin, which would be called.
                if !items.is_empty() && items.len() >= self.old.arity(origin) {
                    return None;
                }
                (Expr::Global(origin), items)
            }
            AbstractValue::Thunk(..) | AbstractValue::Call(..) => {
                return if self.speculate(node) { self.written_value(node, parts) } else { None };
            }
            _ => return None,
        };
        let items = self.heap.items(items).to_vec();
        let items: Option<Vec<Written>> = items
            .into_iter()
            .map(|item| ensure_sufficient_stack(|| self.written_value(item, parts)))
            .collect();
        items.map(|items| match items.is_empty() {
            true => Written::Atom(callee),
            false => Written::Application(callee, items),
        })
    }

    /// Returns whether a value is worth knowing: it is a literal, or has a part that is neither a literal
    /// nor a list.
    fn teaches(&self, value: &Written, is_whole: bool) -> bool {
        let (head, parts) = match value {
            Written::Atom(head) => (head, &[][..]),
            Written::Application(head, parts) => (head, &parts[..]),
        };
        match *head {
            Expr::Lit(_) => is_whole,
            Expr::Con(NIL | CONS) | Expr::Text(_) => {
                parts.iter().any(|part| ensure_sufficient_stack(|| self.teaches(part, false)))
            }
            _ => true,
        }
    }
}
