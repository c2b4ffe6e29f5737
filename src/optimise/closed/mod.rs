//! Closed expressions by evaluation: what they come to is written down in their place, before anything else.
//!
//! A lens, a dictionary or a table of rules is most often made by calls: `(defn inner[] (compose second
//! first))`. So is the program of an interpreter: by functions that stand for its phrases, by a compiler, by a
//! parser of a text. Nothing is known of what is made where it is used. So each CAF is evaluated, all of it, and
//! each closed expression in a definition from which a tree may come, if that takes few steps and comes to little.
//!
//! Invariants:
//! - What is written is all there: constructors, functions that lack arguments, literals and the names of
//!   CAFs. So no work is done twice, and none that the run would not do: what does not come to an end, or
//!   fails, is left as it was.
//! - There is something to learn from: a literal, a function, or a constructor that is one of several. A
//!   list of numbers is as good as the call that makes it.

mod evaluator;
mod names;
mod records;

use rustc_hash::FxHashSet;

use crate::base::index::{Idx, IndexVec, List};
use crate::base::scc::components;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    CONS, ConId, Expr, ExprId, GlobalId, GlobalKind, JoinId, Lit, LocalId, NIL, Program,
};
use crate::optimise::drive::Head;
use crate::optimise::selection::is_one_of_several;
use evaluator::{Environment, Evaluator, NodeId, Value};
use names::Names;
use records::Records;

/// The most expressions of one that is evaluated.
const SIZE: u32 = 2_000;
/// The most parts of a value that is written down, of a function, which is to be small enough to be
/// unfolded, and of what has a tree.
const PARTS: usize = 120;
const FUNCTION_PARTS: usize = 50;
const TREE_PARTS: usize = 1_500;
/// The most parts of a CAF that is written out as a part of another value.
const SMALL_TREE: usize = 40;
/// The most parts of a value without a tree that is written in place of a call.
const SMALL: usize = 20;
/// The most bytes of a text, and how many count as a part.
const TEXT: usize = 1_000;
const BYTES_PER_PART: usize = 16;
/// The most steps that an expression takes, one from which a tree may come, and that all take together, with
/// some for each expression of the program.
const STEPS: i64 = 10_000;
const TREE_STEPS: i64 = 50_000;
const ALL_STEPS: i64 = 100_000;
const STEPS_PER_EXPRESSION: i64 = 20;
/// The steps that one takes in any case: parts of what took too many are evaluated already.
const FEW_STEPS: i64 = 300;
/// How many more each has for each byte of the texts in CAFs: something may be read from them.
const STEPS_PER_BYTE: i64 = 250;

/// A value that can be written down.
enum Written {
    /// A literal, a text, a constructor or a global.
    Atom(Expr),
    /// A list of characters.
    Text(String),
    /// A constructor or a global with arguments.
    Application(Expr, Vec<Written>),
}

/// Writes down what the closed expressions of a program come to. Returns how many.
pub(super) fn evaluate_closed(program: &mut Program) -> u64 {
    let mut search = Search::new(program);
    search.constants();
    search.parts_of_definitions();
    let (found, names) = (search.found, search.names);
    let count = found.len() as u64;
    names.define_all(program);
    for (expr, value) in found {
        let span = program.spans[expr];
        let value = write(program, &value, span);
        program.exprs[expr] = program.exprs[value];
    }
    count
}

/// Writes an expression for a value.
fn write(program: &mut Program, value: &Written, span: Span) -> ExprId {
    match value {
        Written::Atom(expr) => program.expr(*expr, span),
        Written::Text(text) => {
            let text = program.texts.push(text.as_str().into());
            program.expr(Expr::Text(text), span)
        }
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

/// What is known of an expression of a definition.
#[derive(Clone, Copy)]
struct Fact {
    /// The first of the locals bound around it, in the order of their bindings, that it mentions and that
    /// is bound to nothing closed; `u32::MAX` if there is none.
    outermost: u32,
    /// How many locals are bound around it and before it.
    before: u32,
    size: u32,
    /// Whether there is something to evaluate in it.
    is_work: bool,
    /// Whether a constructor of a tree is in it, or in what it may call.
    is_tree: bool,
    /// The same of a record of functions.
    is_record: bool,
}

impl Fact {
    const LEAF: Fact = Fact {
        outermost: u32::MAX,
        before: 0,
        size: 1,
        is_work: false,
        is_tree: false,
        is_record: false,
    };

    /// Returns whether there may be something to learn from what it comes to.
    fn may_teach(self) -> bool {
        self.is_tree || self.is_record
    }

    /// Returns whether nothing in it is bound around it, but to closed expressions.
    fn is_closed(self) -> bool {
        self.outermost >= self.before
    }
}

/// The search for closed expressions that are worth evaluating.
struct Search<'p> {
    program: &'p Program,
    evaluator: Evaluator<'p>,
    /// The steps that one takes from which a tree may come, and those that all have left together.
    tree_steps: i64,
    left: i64,
    /// The globals from which trees may come, and records of functions.
    makes_tree: IndexVec<GlobalId, bool>,
    makes_record: IndexVec<GlobalId, bool>,
    records: Records,
    names: Names,
    facts: IndexVec<ExprId, Fact>,
    /// When each local is bound, and each join.
    bound: IndexVec<LocalId, u32>,
    joins: IndexVec<JoinId, u32>,
    /// What to write for an expression.
    found: Vec<(ExprId, Written)>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Search<'p> {
        let reading = STEPS_PER_BYTE * bytes(program) as i64;
        let records = Records::new(program);
        Search {
            program,
            evaluator: Evaluator::new(program),
            tree_steps: TREE_STEPS + reading,
            left: ALL_STEPS + 2 * reading + STEPS_PER_EXPRESSION * program.exprs.len() as i64,
            makes_tree: makes(program, |con| is_one_of_several(program, con)),
            makes_record: makes(program, |con| records.may_be(con)),
            records,
            names: Names::new(program),
            facts: program.exprs.iter().map(|_| Fact::LEAF).collect(),
            bound: program.locals.iter().map(|_| 0).collect(),
            joins: program.joins.iter().map(|_| 0).collect(),
            found: Vec::new(),
        }
    }

    /// Evaluates the CAFs.
    fn constants(&mut self) {
        let program = self.program;
        for (caf, global) in program.globals.enumerate() {
            let GlobalKind::Defn { params, body: Some(body) } = global.kind else { continue };
            // The parameters are bound first.
            self.look(body, &mut 1);
            if !params.is_empty() || program.main == Some(caf) {
                continue;
            }
            let Fact { size, is_work, is_tree, is_record, .. } = self.facts[body];
            if is_record && self.record_constant(caf, body, is_work) {
                continue;
            }
            if is_work
                && size <= SIZE
                && let Some(node) = self.evaluator.caf(caf)
                && let Some(value) = self.evaluated(node, is_tree)
                && self.teaches(&value, true)
            {
                self.found.push((body, value));
            }
        }
    }

    /// Evaluates the closed parts of definitions from which trees may come, the largest that it is possible for.
    fn parts_of_definitions(&mut self) {
        let program = self.program;
        let known: FxHashSet<ExprId> = self.found.iter().map(|&(expr, _)| expr).collect();
        for (of, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            if self.facts[body].may_teach() && !known.contains(&body) {
                let environment = self.evaluator.activation(of);
                if let Some(environment) = environment {
                    self.parts(body, environment);
                }
            }
        }
    }

    /// Evaluates the closed parts of an expression.
    fn parts(&mut self, expr: ExprId, environment: Environment) {
        let program = self.program;
        if let Expr::Let(local, value, body) = program.exprs[expr]
            && self.facts[value].is_closed()
        {
            // It may be mentioned in closed expressions: it is the same one there.
            let Some(node) = self.evaluator.bind(local, value, environment) else { return };
            self.part(value, node, environment);
            return ensure_sufficient_stack(|| self.parts(body, environment));
        }
        for part in program.children(expr).exprs() {
            if self.is_candidate(part) {
                let Some(node) = self.evaluator.delayed(part, environment) else { return };
                self.part(part, node, environment);
            } else if self.facts[part].may_teach() {
                ensure_sufficient_stack(|| self.parts(part, environment));
            }
        }
    }

    /// Evaluates an expression of which this is the node, or what parts of it can be.
    fn part(&mut self, expr: ExprId, node: NodeId, environment: Environment) {
        let Fact { is_tree, is_record, .. } = self.facts[expr];
        let is_candidate = self.is_candidate(expr);
        if is_candidate
            && is_record
            && let Some(record) = self.record(node, is_tree)
        {
            self.found.push((expr, Written::Atom(Expr::Global(record))));
        } else if is_candidate
            && is_tree
            && let Some(value) = self.evaluated(node, true)
            && (self.has_tree(&value) || is_small(&value, &mut { SMALL }))
        {
            self.found.push((expr, value));
        } else {
            ensure_sufficient_stack(|| self.parts(expr, environment));
        }
    }

    /// Returns whether a part of a definition is closed, and may come to a tree.
    fn is_candidate(&self, expr: ExprId) -> bool {
        let fact = self.facts[expr];
        let is_value = matches!(self.program.exprs[expr], Expr::App(..) | Expr::Let(..));
        is_value && fact.is_closed() && fact.is_work && fact.may_teach() && fact.size <= SIZE
    }

    /// Finds out about an expression and all in it; `count` locals are bound before.
    fn look(&mut self, expr: ExprId, count: &mut u32) -> Fact {
        let program = self.program;
        let mut fact = Fact { before: *count, ..Fact::LEAF };
        if let Some(local) = program.used_local(expr) {
            fact.outermost = self.bound[local];
        }
        match program.exprs[expr] {
            Expr::Con(con) => {
                fact.is_tree = is_one_of_several(program, con);
                fact.is_record = self.records.may_be(con);
            }
            Expr::Global(global) => {
                fact.is_tree = self.makes_tree[global];
                fact.is_record = self.makes_record[global];
            }
            Expr::App(callee, args) => {
                fact.is_work = match program.exprs[callee] {
                    Expr::Con(_) => false,
                    Expr::Global(global) => args.len() >= program.arity(global),
                    _ => true,
                };
            }
            Expr::Letrec(binds, _) => {
                fact.is_work = true;
                for bind in &program.binds[binds] {
                    self.bound[bind.local] = *count;
                    *count += 1;
                }
            }
            Expr::Lit(_) | Expr::Text(_) | Expr::Local(_) => {}
            Expr::Join(join, _) => {
                fact.is_work = true;
                self.joins[join] = *count;
                *count += 1;
            }
            // What is left by a jump is not closed: something is to jump to each join.
            Expr::Jump(join, _) => fact.outermost = self.joins[join],
            _ => fact.is_work = true,
        }
        let mut is_bound_closed = false;
        for child in program.children(expr) {
            if !matches!(program.exprs[expr], Expr::Letrec(..)) {
                for local in program.scope(expr, child.position) {
                    self.bound[local] = if is_bound_closed { u32::MAX } else { *count };
                    *count += 1;
                }
            }
            let part = ensure_sufficient_stack(|| self.look(child.expr, count));
            is_bound_closed = matches!(program.exprs[expr], Expr::Let(..)) && part.is_closed();
            fact.outermost = fact.outermost.min(part.outermost);
            fact.size += part.size;
            fact.is_work |= part.is_work;
            fact.is_tree |= part.is_tree;
            fact.is_record |= part.is_record;
        }
        self.facts[expr] = fact;
        if self.is_candidate(expr) {
            self.evaluator.add_closed(expr);
        }
        fact
    }

    /// Evaluates a node and its parts to what can be written down.
    fn evaluated(&mut self, node: NodeId, may_be_tree: bool) -> Option<Written> {
        let mut parts = TREE_PARTS;
        let value = self.within(self.steps(may_be_tree), |search| search.value(node, &mut parts));
        let most = |value: &Written| match value {
            _ if self.has_tree(value) => TREE_PARTS,
            Written::Application(Expr::Global(_), _) => FUNCTION_PARTS,
            _ => PARTS,
        };
        value.filter(|value| TREE_PARTS - parts <= most(value))
    }

    /// Returns how many steps something may take.
    fn steps(&self, may_be_tree: bool) -> i64 {
        if may_be_tree { self.tree_steps } else { STEPS }
    }

    /// Evaluates something that may take so many steps, if there are as many left.
    fn within<T>(
        &mut self,
        steps: i64,
        evaluate: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let given = steps.min(self.left).max(FEW_STEPS);
        self.evaluator.steps = given;
        let names = self.names.count();
        let value = evaluate(self);
        if value.is_none() {
            self.names.forget(names);
        }
        self.left -= given - self.evaluator.steps.max(0);
        value
    }

    /// Evaluates a part. One that is a CAF is written by its name, if it is not a small tree: with a name in
    /// it a tree is no constant.
    fn written(&mut self, node: NodeId, parts: &mut usize) -> Option<Written> {
        let Some(caf) = self.evaluator.name(node) else {
            return ensure_sufficient_stack(|| self.value(node, parts));
        };
        let most = SMALL_TREE.min(*parts);
        let mut left = most;
        match ensure_sufficient_stack(|| self.value(node, &mut left)) {
            Some(value) if self.has_tree(&value) => {
                *parts -= most - left;
                Some(value)
            }
            _ => {
                *parts = parts.checked_sub(1)?;
                Some(Written::Atom(Expr::Global(caf)))
            }
        }
    }

    fn value(&mut self, node: NodeId, parts: &mut usize) -> Option<Written> {
        *parts = parts.checked_sub(1)?;
        // A CAF that comes to too much was looked through for nothing.
        self.evaluator.steps -= 1;
        if self.evaluator.steps < 0 {
            return None;
        }
        if let Some(text) = self.text(node) {
            *parts = parts.checked_sub(text.len() / BYTES_PER_PART)?;
            return Some(Written::Text(text));
        }
        let (callee, items) = match self.evaluator.force(node)? {
            Value::Lit(lit) => {
                return lit.is_immediate().then_some(Written::Atom(Expr::Lit(lit)));
            }
            Value::Text(..) => return None,
            Value::Con(con, items) if self.is_part_by_name(con, items) => {
                return Some(Written::Atom(Expr::Global(self.named(con, items)?)));
            }
            Value::Con(con, items) | Value::Partial(Head::Con(con), items) => {
                (Expr::Con(con), items)
            }
            Value::Partial(Head::Global(global), items) => {
                return self.function(global, items, self.evaluator.name(node), parts);
            }
        };
        let items = self.all_written(items, parts)?;
        Some(match items.is_empty() {
            true => Written::Atom(callee),
            false => Written::Application(callee, items),
        })
    }

    /// Evaluates the arguments that a function has, of which the CAF may be known.
    fn function(
        &mut self,
        of: GlobalId,
        items: List<NodeId>,
        caf: Option<GlobalId>,
        parts: &mut usize,
    ) -> Option<Written> {
        if items.is_empty() {
            return Some(Written::Atom(Expr::Global(of)));
        }
        let before = self.names.count();
        let name = self.names.get(items).or_else(|| self.names.open(items, caf));
        if let Some(name) = name {
            return Some(Written::Atom(Expr::Global(name)));
        }
        let args = self.all_written(items, parts);
        let value = self.names.close(items, args.map(|args| (Head::Global(of), args)));
        if value.is_none() {
            self.names.forget(before);
        }
        value
    }

    /// Evaluates fields or arguments.
    fn all_written(&mut self, items: List<NodeId>, parts: &mut usize) -> Option<Vec<Written>> {
        let items = self.evaluator.items(items).to_vec();
        items.into_iter().map(|item| self.written(item, parts)).collect()
    }

    /// Evaluates a list of characters, which has one; `None` for any other value.
    fn text(&mut self, node: NodeId) -> Option<String> {
        let mut text = String::new();
        let mut node = node;
        while text.len() <= TEXT {
            match self.evaluator.force(node)? {
                Value::Con(CONS, cell) => {
                    let &[first, rest] = self.evaluator.items(cell) else { return None };
                    let Value::Lit(Lit::Char(first)) = self.evaluator.force(first)? else {
                        return None;
                    };
                    text.push(first);
                    node = rest;
                }
                Value::Text(rest, at) => {
                    text.push_str(self.program.texts[rest].get(at as usize..)?);
                    return Some(text);
                }
                Value::Con(NIL, _) if !text.is_empty() => return Some(text),
                _ => return None,
            }
        }
        None
    }

    /// Returns whether a value is worth knowing: it is a literal, or has a part that is neither a literal
    /// nor a list.
    fn teaches(&self, value: &Written, is_whole: bool) -> bool {
        match value {
            Written::Atom(Expr::Lit(_)) => is_whole,
            Written::Atom(Expr::Con(NIL | CONS) | Expr::Text(_)) | Written::Text(_) => false,
            Written::Application(Expr::Con(CONS), parts) => {
                parts.iter().any(|part| ensure_sufficient_stack(|| self.teaches(part, false)))
            }
            Written::Atom(_) | Written::Application(..) => true,
        }
    }

    /// Returns whether a value has a constructor of a tree.
    fn has_tree(&self, value: &Written) -> bool {
        let (head, parts) = match value {
            Written::Text(_) => return false,
            Written::Atom(head) => (head, &[][..]),
            Written::Application(head, parts) => (head, &parts[..]),
        };
        matches!(*head, Expr::Con(con) if is_telling(self.program, con))
            || parts.iter().any(|part| ensure_sufficient_stack(|| self.has_tree(part)))
    }
}

/// Returns whether a value has few parts, all of them data.
fn is_small(value: &Written, parts: &mut usize) -> bool {
    let Some(left) = parts.checked_sub(1) else { return false };
    *parts = left;
    match value {
        Written::Atom(atom) => matches!(atom, Expr::Lit(_) | Expr::Con(_)),
        Written::Text(text) => match parts.checked_sub(text.len() / BYTES_PER_PART) {
            Some(left) => {
                *parts = left;
                true
            }
            None => false,
        },
        Written::Application(Expr::Con(_), items) => items.iter().all(|item| is_small(item, parts)),
        Written::Application(..) => false,
    }
}

/// Returns whether a constructor is one of several, not of numbers, options or search trees, of which one goes
/// on and the other one ends: what goes along those does the same with each.
fn is_telling(program: &Program, con: ConId) -> bool {
    let cons = &program.datas[program.cons[con].data].cons;
    let ends = cons.iter().filter(|&&con| program.cons[con].arity == 0).count();
    is_one_of_several(program, con) && (cons.len(), ends) != (2, 1)
}

/// Returns how many bytes the texts in the CAFs of a program have.
fn bytes(program: &Program) -> usize {
    let mut bytes = 0;
    for global in program.globals.iter() {
        let GlobalKind::Defn { params, body: Some(body) } = global.kind else {
            continue;
        };
        if !params.is_empty() {
            continue;
        }
        bytes += program
            .walk(body)
            .map(|expr| match program.exprs[expr] {
                Expr::Text(text) => program.texts[text].len(),
                _ => 0,
            })
            .sum::<usize>();
    }
    bytes
}

/// Returns from which globals some constructors may come: those that mention one, or such a global.
fn makes(program: &Program, is_one: impl Fn(ConId) -> bool) -> IndexVec<GlobalId, bool> {
    let mut makes: IndexVec<GlobalId, bool> = program.globals.iter().map(|_| false).collect();
    let mut edges: Vec<Vec<u32>> = vec![Vec::new(); program.globals.len()];
    for (of, global) in program.globals.enumerate() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        for expr in program.walk(body) {
            match program.exprs[expr] {
                Expr::Con(con) => makes[of] |= is_one(con),
                Expr::Global(global) => edges[of.index()].push(global.0),
                _ => {}
            }
        }
    }
    for component in components(&edges) {
        let calls = |&of: &u32| {
            makes[GlobalId(of)] || edges[of as usize].iter().any(|&to| makes[GlobalId(to)])
        };
        if component.iter().any(calls) {
            component.iter().for_each(|&of| makes[GlobalId(of)] = true);
        }
    }
    makes
}
