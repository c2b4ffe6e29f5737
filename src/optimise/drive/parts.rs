//! The parts of CAFs that are data: shared in the program, and so in what is written.
//!
//! What is known of a CAF takes its parts out of it: the rest of a list that a loop goes along, a text in
//! a record. Written out where it becomes a value of the run, such a part would be built, and its text
//! unpacked, each time round, and each copy would stay in memory by itself; the CAF has it once. So what is
//! equal to a part of a CAF is a definition, which is a CAF again. So is the rest of a text that is one, or
//! is in one.

use rustc_hash::FxHashSet;

use super::Driver;
use super::heap::{AbstractValue, NodeId};
use super::pattern::Pattern;
use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Con, ConId, Expr, ExprId, GlobalId, GlobalKind, Program, TextId};

/// The most parts of a CAF whose parts are looked for: a list has as many rests as elements.
const PARTS: usize = 120;

/// What the CAFs of a program are made of that are data.
#[derive(Default)]
pub(super) struct CafParts {
    /// Constructors and texts, but for the CAFs themselves.
    inner: FxHashSet<Pattern>,
    /// The texts that have rests, those that are CAFs among them.
    texts: FxHashSet<TextId>,
}

impl CafParts {
    /// Returns the parts of the CAFs of a program.
    pub fn new(program: &Program, cons: &IndexVec<ConId, Con>) -> CafParts {
        let mut parts = CafParts::default();
        for global in program.globals.iter() {
            let GlobalKind::Defn { params, body: Some(body) } = global.kind else { continue };
            let is_small = || program.walk(body).take(2 * PARTS + 1).count() <= 2 * PARTS;
            let mut found = Vec::new();
            if params.is_empty() && is_small() && part(program, cons, body, &mut found).is_some() {
                parts.texts.extend(found.iter().filter_map(|part| match part {
                    Pattern::Text(text, _) => Some(*text),
                    _ => None,
                }));
                // Not the whole: that has a name.
                found.pop();
                parts.inner.extend(found);
            }
        }
        parts
    }

    fn is_empty(&self) -> bool {
        self.inner.is_empty() && self.texts.is_empty()
    }

    fn has(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Text(text, 1..) => self.texts.contains(text),
            _ => self.inner.contains(pattern),
        }
    }
}

/// Returns the pattern of an expression that is data; adds the compound ones in it, itself the last.
fn part(
    program: &Program,
    cons: &IndexVec<ConId, Con>,
    expr: ExprId,
    found: &mut Vec<Pattern>,
) -> Option<Pattern> {
    let pattern = match program.exprs[expr] {
        Expr::Lit(lit) => return Some(Pattern::Lit(lit)),
        Expr::Con(con) if cons[con].arity == 0 => return Some(Pattern::Con(con, Vec::new())),
        Expr::Text(text) => Pattern::Text(text, 0),
        Expr::App(callee, args) => {
            let Expr::Con(con) = program.exprs[callee] else { return None };
            let args = &program.expr_lists[args];
            if args.len() != cons[con].arity as usize {
                return None;
            }
            let fields: Option<Vec<Pattern>> = args
                .iter()
                .map(|&arg| ensure_sufficient_stack(|| part(program, cons, arg, found)))
                .collect();
            Pattern::Con(con, fields?)
        }
        _ => return None,
    };
    found.push(pattern.clone());
    Some(pattern)
}

impl Driver<'_> {
    /// Returns the definition of a value that is equal to a part of a CAF; `None` in a body that is
    /// evaluated once.
    pub(super) fn caf_part(&mut self, node: NodeId) -> Option<GlobalId> {
        if self.caf_parts.is_empty() {
            return None;
        }
        let body = self.variants.get(self.current as usize).map(|variant| &variant.key)?;
        if body.args.is_empty() || self.old.main == Some(body.of) {
            return None;
        }
        let is_compound = match self.heap.get(node).value {
            AbstractValue::Con(_, fields) => !fields.is_empty(),
            AbstractValue::Text(..) => true,
            _ => false,
        };
        if !is_compound {
            return None;
        }
        let pattern = self.data_pattern(node, &mut { PARTS })?;
        self.caf_parts.has(&pattern).then(|| self.part_definition(&pattern))
    }

    /// Returns the pattern of a value that is data, all of it known and evaluated.
    fn data_pattern(&self, node: NodeId, parts: &mut usize) -> Option<Pattern> {
        *parts = parts.checked_sub(1)?;
        Some(match self.heap.get(node).value {
            AbstractValue::Lit(lit) => Pattern::Lit(lit),
            AbstractValue::Text(text, at) => Pattern::Text(text, at),
            AbstractValue::Con(con, fields) => {
                let fields: Option<Vec<Pattern>> = self
                    .heap
                    .items(fields)
                    .iter()
                    .map(|&field| ensure_sufficient_stack(|| self.data_pattern(field, parts)))
                    .collect();
                Pattern::Con(con, fields?)
            }
            _ => return None,
        })
    }

    fn part_definition(&mut self, pattern: &Pattern) -> GlobalId {
        if let Some(&global) = self.part_definitions.get(pattern) {
            return global;
        }
        let body = self.written_part(pattern, true);
        let global = self.constant_global(body);
        self.part_definitions.insert(pattern.clone(), global);
        global
    }

    /// Returns an expression for a pattern that is data; what is in it has definitions of its own.
    fn written_part(&mut self, pattern: &Pattern, is_whole: bool) -> ExprId {
        let span = Span::NONE;
        match pattern {
            Pattern::Con(con, fields) if fields.is_empty() => self.expr(Expr::Con(*con), span),
            Pattern::Con(..) | Pattern::Text(..) if !is_whole && self.caf_parts.has(pattern) => {
                let global = ensure_sufficient_stack(|| self.part_definition(pattern));
                self.expr(Expr::Global(global), span)
            }
            Pattern::Con(con, fields) => {
                let callee = self.expr(Expr::Con(*con), span);
                let fields = fields.iter().map(|field| self.written_part(field, false)).collect();
                self.application(callee, fields, span)
            }
            Pattern::Text(text, at) => self.text(*text, *at, span),
            Pattern::Lit(lit) => self.expr(Expr::Lit(*lit), span),
            _ => unreachable!("data is made of constructors, literals and texts"),
        }
    }
}
