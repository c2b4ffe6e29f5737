//! Constants: closed trees of constructors, literals and functions that stand in the source.
//!
//! Equal ones are one value of the compile-time heap, made before any body is driven and kept for
//! all of them. A large one is an atom of patterns: a program that is interpreted counts as one
//! part of the pattern of its interpreter, not node by node, and where it becomes a value of the
//! run it is a definition that is written once. The parts of the constants of a source are
//! finitely many, so patterns that differ in them need no comparison to see that they do not grow
//! without end.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Driver;
use super::heap::{AbstractValue, EnvId, Head, Heap, Name, NodeId};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Con, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, Lit, Program, TextId,
};
use crate::core::signature::Signature;
use crate::optimise::selection::is_one_of_several;

/// The fewest parts of a constant that becomes a definition where it is a value of the run, and
/// that, like its parts, is an atom of patterns.
const LARGE: u32 = 12;
/// The most bytes of a text in a definition of a constant.
const TEXT: usize = 200;
/// The parts of a constant that take as long to copy as a step.
const PARTS_PER_STEP: u32 = 4;
/// The most parts of a constant that a decision shows.
const DESCRIBED: u32 = 10;

/// The constants of a program: the first values of the heap, parts before what they are parts of.
pub(super) struct Constants {
    /// The value of each expression that is one.
    of: FxHashMap<ExprId, NodeId>,
    /// What is known of each.
    facts: IndexVec<NodeId, Fact>,
}

/// What is known of a constant.
#[derive(Clone, Copy)]
struct Fact {
    /// The number of its parts.
    size: u32,
    /// The number of parts of the largest constant of which it is a part.
    whole: u32,
    /// That constant.
    root: NodeId,
    /// Whether it is part of one with constructors, not of lists, that are one of several.
    is_tree: bool,
    /// Whether it has a text so long that a definition, which keeps what is unpacked of it, would hold
    /// on to much.
    is_long: bool,
}

/// A constant by its parts.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Lit(Lit),
    Text(TextId),
    Con(ConId, Vec<NodeId>),
    Partial(Head, Vec<NodeId>),
}

impl Constants {
    /// Returns a table of no constants.
    pub fn none() -> Constants {
        Constants { of: FxHashMap::default(), facts: IndexVec::new() }
    }

    /// Makes the large constants of a program, and their parts, in an empty heap. `new` has the
    /// constructors and data types.
    pub fn new(program: &Program, new: &Program, heap: &mut Heap) -> Constants {
        let mut sizes = Sizes { program, cons: &new.cons, applications: FxHashMap::default() };
        let large = program.exprs.indices().filter(|&expr| {
            matches!(program.exprs[expr], Expr::App(..)) && sizes.of(expr) >= Some(LARGE)
        });
        let large: Vec<ExprId> = large.collect();
        let constants = Constants::none();
        let mut maker = Maker { program, new, heap, made: FxHashMap::default(), constants };
        for expr in large {
            maker.node(expr);
        }
        let Constants { mut facts, of } = maker.constants;
        for node in facts.indices().rev() {
            let Fact { whole, root, is_tree, .. } = facts[node];
            for &part in heap.items(heap.get(node).value.parts()) {
                if facts[part].whole < whole {
                    facts[part].whole = whole;
                    facts[part].root = root;
                }
                facts[part].is_tree |= is_tree;
            }
        }
        heap.keep();
        Constants { of, facts }
    }

    /// Returns the value of an expression, if that is a constant.
    pub fn of(&self, expr: ExprId) -> Option<NodeId> {
        self.of.get(&expr).copied()
    }

    /// Returns whether a value is a constant, or part of one.
    pub fn is_one(&self, node: NodeId) -> bool {
        node.index() < self.facts.len()
    }

    /// Returns whether a constant is part of one with constructors, not of lists, that are one of
    /// several.
    fn is_tree(&self, node: NodeId) -> bool {
        self.facts[node].is_tree
    }

    /// Returns whether a value is part of a large constant and so an atom of patterns. Lists and
    /// tables of literals are not: what goes along one does the same with each element.
    pub fn is_atom(&self, node: NodeId) -> bool {
        self.facts.get(node).is_some_and(|fact| fact.size > 1 && fact.is_tree)
    }

    /// Returns how many parts a CAF has that is a constant.
    pub fn of_caf(&self, program: &Program, caf: GlobalId) -> u32 {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[caf].kind else { return 0 };
        self.of(body).map_or(0, |node| self.whole(node))
    }

    /// Returns how many parts the largest constant has of which a constant is a part, and which it is.
    pub fn root(&self, node: NodeId) -> (u32, NodeId) {
        let fact = self.facts[node];
        (fact.whole, fact.root)
    }

    /// Returns how many parts the largest constant has of which a value is a part.
    pub fn whole(&self, node: NodeId) -> u32 {
        self.facts.get(node).map_or(0, |fact| fact.whole)
    }
}

/// How many parts the closed trees among the applications of a program have.
struct Sizes<'a> {
    program: &'a Program,
    cons: &'a IndexVec<ConId, Con>,
    applications: FxHashMap<ExprId, Option<u32>>,
}

impl Sizes<'_> {
    /// Returns the number of parts of an expression; `None` if it is no closed tree.
    fn of(&mut self, expr: ExprId) -> Option<u32> {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Lit(_) | Expr::Text(_) => Some(1),
            Expr::Con(con) if self.cons[con].arity == 0 => Some(1),
            Expr::Global(global) if program.arity(global) > 0 => Some(1),
            Expr::App(callee, args) => {
                if let Some(&size) = self.applications.get(&expr) {
                    return size;
                }
                let is_value = match program.exprs[callee] {
                    Expr::Con(con) => args.len() == self.cons[con].arity as usize,
                    Expr::Global(global) => args.len() < program.arity(global),
                    _ => false,
                };
                let mut size = is_value.then_some(1);
                for &arg in &program.expr_lists[args] {
                    let Some(all) = size else { break };
                    let part = ensure_sufficient_stack(|| self.of(arg));
                    size = part.map(|part| part.saturating_add(all));
                }
                self.applications.insert(expr, size);
                size
            }
            _ => None,
        }
    }
}

struct Maker<'a> {
    program: &'a Program,
    new: &'a Program,
    heap: &'a mut Heap,
    made: FxHashMap<Shape, NodeId>,
    constants: Constants,
}

impl Maker<'_> {
    /// Returns the value of a constant expression and of its parts.
    fn node(&mut self, expr: ExprId) -> NodeId {
        if let Some(&node) = self.constants.of.get(&expr) {
            return node;
        }
        let program = self.program;
        let shape = match program.exprs[expr] {
            Expr::Lit(lit) => Shape::Lit(lit),
            Expr::Text(text) => Shape::Text(text),
            Expr::Con(con) => Shape::Con(con, Vec::new()),
            Expr::Global(global) => Shape::Partial(Head::Global(global), Vec::new()),
            Expr::App(callee, args) => {
                let parts: Vec<NodeId> = program.expr_lists[args]
                    .iter()
                    .map(|&arg| ensure_sufficient_stack(|| self.node(arg)))
                    .collect();
                match program.exprs[callee] {
                    Expr::Con(con) => Shape::Con(con, parts),
                    Expr::Global(global) => Shape::Partial(Head::Global(global), parts),
                    _ => unreachable!("constants are applications of constructors and functions"),
                }
            }
            _ => unreachable!("constants are closed values"),
        };
        let node = self.intern(shape);
        if let Expr::App(..) = program.exprs[expr] {
            self.constants.of.insert(expr, node);
        }
        node
    }

    fn intern(&mut self, shape: Shape) -> NodeId {
        if let Some(&node) = self.made.get(&shape) {
            return node;
        }
        let (value, parts) = match &shape {
            Shape::Lit(lit) => (AbstractValue::Lit(*lit), &[][..]),
            Shape::Text(text) => (AbstractValue::Text(*text, 0), &[][..]),
            Shape::Con(con, parts) => {
                (AbstractValue::Con(*con, self.heap.list(parts.iter().copied())), &parts[..])
            }
            Shape::Partial(head, parts) => {
                (AbstractValue::Partial(*head, self.heap.list(parts.iter().copied())), &parts[..])
            }
        };
        let facts = &self.constants.facts;
        let is_tree = matches!(shape, Shape::Con(con, _) if is_one_of_several(self.new, con))
            || parts.iter().any(|&part| facts[part].is_tree);
        let is_long = match shape {
            Shape::Text(text) => self.new.texts[text].len() > TEXT,
            _ => parts.iter().any(|&part| facts[part].is_long),
        };
        let size = parts.iter().fold(1, |all: u32, &part| all.saturating_add(facts[part].size));
        let node = self.heap.add(value);
        // Any number of places refer to it.
        self.heap.share(node);
        self.constants.facts.push(Fact { size, whole: size, root: node, is_tree, is_long });
        self.made.insert(shape, node);
        node
    }
}

impl Driver<'_> {
    /// Returns how many parts the largest constant has that a value, or the value of a CAF, is or
    /// is a part of, and 0 for a literal; `None` for any other value.
    fn constant_parts(&self, node: NodeId) -> Option<u32> {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        match known.name {
            Some(Name::Caf(caf)) => match self.constants.of_caf(self.old, caf) {
                0 => None,
                parts => Some(parts),
            },
            _ if self.constants.is_one(node) => Some(self.constants.whole(node)),
            _ => {
                matches!(known.value, AbstractValue::Lit(_) | AbstractValue::Text(..)).then_some(0)
            }
        }
    }

    /// Returns how many parts the largest constant has among the arguments of a call that nothing
    /// has evaluated, if all are constants: what it comes to takes steps and no code.
    pub(super) fn constant_call(&self, node: NodeId) -> Option<u32> {
        let mut most = 0;
        match self.heap.get(node).value {
            AbstractValue::Thunk(expr, env) => {
                let Expr::App(_, args) = self.old.exprs[expr] else { return None };
                for &arg in &self.old.expr_lists[args] {
                    let parts = match self.old.exprs[arg] {
                        Expr::Local(local) => {
                            self.constant_parts(self.heap.lookup(env, self.facts.slot[local]))?
                        }
                        Expr::Global(global) => self.constants.of_caf(self.old, global),
                        Expr::Lit(_) | Expr::Text(_) => 0,
                        _ if self.is_known_number(arg, env) => 0,
                        _ => self.constant_parts(self.constants.of(arg)?)?,
                    };
                    most = most.max(parts);
                }
            }
            AbstractValue::Call(_, args) => {
                for &arg in self.heap.items(args) {
                    most = most.max(self.constant_parts(arg)?);
                }
            }
            _ => return None,
        }
        Some(most)
    }

    /// Returns whether an expression is a primitive of known operands.
    fn is_known_number(&self, expr: ExprId, env: EnvId) -> bool {
        let Expr::App(callee, args) = self.old.exprs[expr] else { return false };
        let Expr::Global(global) = self.old.exprs[callee] else { return false };
        let is_primitive = matches!(self.old.globals[global].kind, GlobalKind::Primitive(_));
        let is_known = |&arg: &ExprId| match self.old.exprs[arg] {
            Expr::Lit(_) => true,
            Expr::Local(local) => {
                let node = self.heap.lookup(env, self.facts.slot[local]);
                matches!(self.heap.get(node).value, AbstractValue::Lit(_))
            }
            _ => false,
        };
        is_primitive && self.old.expr_lists[args].iter().all(is_known)
    }

    /// Returns whether a call is about to go on with another part of a constant than the whole: as
    /// an interpreter does with its program.
    pub(super) fn walks_constant(&self, args: &[NodeId]) -> bool {
        args.iter().any(|&arg| {
            let node = self.heap.resolve(arg);
            self.constants.is_one(node)
                && self.constants.is_tree(node)
                && !self.heap.get(node).value.parts().is_empty()
        })
    }

    /// Returns whether a call is given a tree that is a constant, as an interpreter is its program, or part of
    /// one.
    pub(super) fn is_given_constant(&self, args: &[NodeId]) -> bool {
        args.iter().any(|&arg| self.constant_tree(arg).is_some())
    }

    /// Returns whether a call is given a tree that is a constant, all of it.
    pub(super) fn is_given_whole_constant(&self, args: &[NodeId]) -> bool {
        let is_whole = |constant| self.constants.root(constant).1 == constant;
        args.iter().any(|&arg| self.constant_tree(arg).is_some_and(is_whole))
    }

    /// Returns the constant that a value, or the value of a CAF, is, if that is a tree.
    fn constant_tree(&self, node: NodeId) -> Option<NodeId> {
        let node = self.heap.resolve(node);
        let constant = match self.heap.get(node).name {
            Some(Name::Caf(caf)) => match self.old.globals[caf].kind {
                GlobalKind::Defn { body: Some(body), .. } => self.constants.of(body)?,
                _ => return None,
            },
            _ => self.constants.is_one(node).then_some(node)?,
        };
        self.constants.is_tree(constant).then_some(constant)
    }

    /// Returns the definition of a constant, if it is large: it is written once.
    pub(super) fn defined(&mut self, node: NodeId) -> Option<GlobalId> {
        let &Fact { size, is_tree, is_long, .. } = self.constants.facts.get(node)?;
        if size < LARGE || !is_tree || is_long {
            return None;
        }
        if let Some(&global) = self.definitions.get(&node) {
            return Some(global);
        }
        self.fuel -= i64::from(size / PARTS_PER_STEP);
        let body = self.written_out(node);
        let global = self.constant_global(body);
        self.definitions.insert(node, global);
        Some(global)
    }

    /// Adds a definition of a constant.
    pub(super) fn constant_global(&mut self, body: ExprId) -> GlobalId {
        let symbol = self.constant_symbol();
        let kind = GlobalKind::Defn { params: List::EMPTY, body: Some(body) };
        self.new.globals.push(Global {
            symbol,
            display: None,
            kind,
            span: Span::NONE,
            signature: Signature::default(),
        })
    }

    fn constant_symbol(&mut self) -> Arc<str> {
        loop {
            self.constant_count += 1;
            let symbol: Arc<str> = format!("constant$c{}", self.constant_count).into();
            if self.symbols.insert(symbol.clone()) {
                return symbol;
            }
        }
    }

    /// Returns an expression that builds a constant.
    fn written_out(&mut self, node: NodeId) -> ExprId {
        ensure_sufficient_stack(|| self.write_out(node))
    }

    fn write_out(&mut self, node: NodeId) -> ExprId {
        let span = Span::NONE;
        let (callee, parts) = match self.heap.get(node).value {
            AbstractValue::Con(con, parts) => (self.expr(Expr::Con(con), span), parts),
            AbstractValue::Partial(head, parts) => (self.head(head, span), parts),
            AbstractValue::Lit(lit) => return self.expr(Expr::Lit(lit), span),
            AbstractValue::Text(text, _) => return self.expr(Expr::Text(text), span),
            _ => unreachable!("constants are closed values"),
        };
        let parts = self.heap.items(parts).to_vec();
        let parts = parts
            .into_iter()
            .map(|part| match self.definitions.get(&part) {
                Some(&global) => self.expr(Expr::Global(global), span),
                None => self.written_out(part),
            })
            .collect();
        self.application(callee, parts, span)
    }

    /// Describes a constant in words: its first parts.
    pub(super) fn describe_constant(&self, node: NodeId) -> String {
        let (text, _) = self.described(node, DESCRIBED);
        text
    }

    /// Describes a constant with so many parts at most; returns also how many more there may be.
    fn described(&self, node: NodeId, most: u32) -> (String, u32) {
        use crate::base::quote::{char_literal, string_literal};
        let Some(mut left) = most.checked_sub(1) else { return ("..".to_owned(), 0) };
        let (head, parts) = match self.heap.get(node).value {
            AbstractValue::Lit(Lit::Int(value)) => (value.to_string(), List::EMPTY),
            AbstractValue::Lit(Lit::Float(value)) => (value.to_string(), List::EMPTY),
            AbstractValue::Lit(Lit::Char(c)) => (char_literal(c), List::EMPTY),
            AbstractValue::Lit(Lit::Big(big)) => (self.new.bigs[big].to_string(), List::EMPTY),
            AbstractValue::Text(text, _) => (string_literal(&self.new.texts[text]), List::EMPTY),
            AbstractValue::Con(con, parts) | AbstractValue::Partial(Head::Con(con), parts) => {
                (self.new.cons[con].symbol.to_string(), parts)
            }
            AbstractValue::Partial(Head::Global(global), parts) => {
                (self.old.globals[global].symbol.to_string(), parts)
            }
            _ => unreachable!("constants are closed values"),
        };
        if parts.is_empty() {
            return (head, left);
        }
        let mut text = format!("({head}");
        for &part in self.heap.items(parts) {
            let (part, rest) = self.described(part, left);
            left = rest;
            text.push(' ');
            text.push_str(&part);
        }
        text.push(')');
        (text, left)
    }
}
