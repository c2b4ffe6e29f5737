//! Variants: one supercombinator for each pattern of known arguments.

use std::sync::Arc;

use super::heap::{Head, NodeId, What};
use super::pattern::{Pattern, generalise, is_embedded};
use super::{Driver, FUEL, FUEL_PER_EXPRESSION, Made, Outcome};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{ExprId, Global, GlobalId, GlobalKind, LocalId};
use crate::core::signature::Signature;
use crate::optimise::Pass;

/// A supercombinator of the new program, its body to be driven.
pub(super) struct Variant {
    /// The old supercombinator.
    pub of: GlobalId,
    /// What is known of its arguments.
    pub key: Vec<Pattern>,
    /// The variant in whose body it was called first.
    parent: u32,
    /// The new supercombinator.
    pub global: GlobalId,
}

/// Variants that one supercombinator may have.
const VARIANTS: u32 = 40;

impl Driver<'_> {
    pub(super) fn add_variant(&mut self, of: GlobalId, key: Vec<Pattern>, global: GlobalId) -> u32 {
        let at = self.variants.len() as u32;
        self.memo.insert((of, key.clone()), at);
        self.variants.push(Variant { of, key, parent: self.current, global });
        self.made.push(Made::Variant);
        at
    }

    /// The variant for a pattern, which may be made more general first; `None` if it comes
    /// to the supercombinator itself.
    pub(super) fn variant(&mut self, of: GlobalId, key: &mut Vec<Pattern>) -> Option<GlobalId> {
        loop {
            if key.iter().all(|pattern| *pattern == Pattern::Hole) {
                return None;
            }
            // A supercombinator without parameters would be a CAF.
            if key.iter().map(Pattern::holes).sum::<usize>() == 0 {
                for pattern in &mut *key {
                    if let Pattern::Lit(_) = pattern {
                        *pattern = Pattern::Hole;
                    }
                }
                if key.iter().map(Pattern::holes).sum::<usize>() == 0 {
                    return None;
                }
                continue;
            }
            if let Some(&at) = self.memo.get(&(of, key.clone())) {
                return Some(self.variants[at as usize].global);
            }
            let Some(general) = self.whistle(of, key) else { break };
            self.tally.generalised += 1;
            *key = general;
        }
        let count = self.per_function.entry(of).or_insert(0);
        if *count >= VARIANTS || self.total <= 0 || self.new.exprs.len() > self.most {
            return None;
        }
        *count += 1;
        let global = self.variant_global(of);
        let at = self.add_variant(of, key.clone(), global);
        self.tally.variants += 1;
        if self.report.is_verbose() {
            let symbol = &self.new.globals[global].symbol;
            let text =
                format!("{symbol} is {}", self.describe(of, &self.variants[at as usize].key));
            self.report.decide(Pass::Specialise, || text);
        }
        Some(global)
    }

    /// What a pattern has in common with one that led to it and is embedded in it.
    fn whistle(&self, of: GlobalId, key: &[Pattern]) -> Option<Vec<Pattern>> {
        let mut at = self.current;
        loop {
            let variant = &self.variants[at as usize];
            let specialised = variant.key.iter().any(|pattern| *pattern != Pattern::Hole);
            if variant.of == of && specialised && is_embedded(&variant.key, key) {
                let general = generalise(&variant.key, key);
                if general != key {
                    return Some(general);
                }
            }
            if variant.parent == at {
                return None;
            }
            at = variant.parent;
        }
    }

    fn variant_global(&mut self, of: GlobalId) -> GlobalId {
        let Global { symbol, display, span, .. } = self.old.globals[of].clone();
        let symbol = loop {
            let count = self.counts.entry(of).or_insert(0);
            *count += 1;
            let symbol: Arc<str> = format!("{symbol}$s{count}").into();
            if self.symbols.insert(symbol.clone()) {
                break symbol;
            }
        };
        self.new.globals.push(Global {
            symbol,
            display,
            kind: GlobalKind::Defn { params: List::EMPTY, body: None },
            span,
            signature: Signature::default(),
        })
    }

    /// A pattern in words.
    pub(super) fn describe(&self, of: GlobalId, key: &[Pattern]) -> String {
        let mut out = format!("({}", self.old.globals[of].symbol);
        for pattern in key {
            out.push(' ');
            self.describe_pattern(pattern, &mut out);
        }
        out.push(')');
        out
    }

    fn describe_pattern(&self, pattern: &Pattern, out: &mut String) {
        use crate::base::quote::{char_literal, string_literal};
        use crate::core::expr::Lit;
        let head = match pattern {
            Pattern::Hole => return out.push('_'),
            Pattern::Lit(Lit::Int(value)) => return out.push_str(&value.to_string()),
            Pattern::Lit(Lit::Char(c)) => return out.push_str(&char_literal(*c)),
            Pattern::Lit(Lit::Big(big)) => return out.push_str(&self.new.bigs[*big].to_string()),
            Pattern::Text(text, at) => {
                let rest = self.new.texts[*text].get(*at as usize..).unwrap_or_default();
                return out.push_str(&string_literal(rest));
            }
            Pattern::Caf(global) | Pattern::Call(global, _) => &self.old.globals[*global].symbol,
            Pattern::Con(con, _) | Pattern::Built(con, _) => &self.new.cons[*con].symbol,
            Pattern::Partial(Head::Global(global), _) => &self.old.globals[*global].symbol,
            Pattern::Partial(Head::Con(con), _) => &self.new.cons[*con].symbol,
        };
        if pattern.parts().is_empty() {
            return out.push_str(head);
        }
        out.push('(');
        out.push_str(head);
        for part in pattern.parts() {
            out.push(' ');
            self.describe_pattern(part, out);
        }
        out.push(')');
    }

    /// Drives the body of a variant.
    pub(super) fn body(&mut self, at: usize) {
        let Variant { of, ref key, global, .. } = self.variants[at];
        let key = key.clone();
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[of].kind else {
            unreachable!("what is reached has a body: the lint of lifting checks it")
        };
        self.heap.clear();
        self.block.clear();
        self.targets.clear();
        self.made.clear();
        self.swept = 0;
        self.current = at as u32;
        let size = i64::from(self.facts.size[of]);
        self.fuel = (FUEL + FUEL_PER_EXPRESSION * size).min(self.total.max(0));
        let before = self.fuel;
        let env = self.heap.activation(self.facts.locals[of] as usize);
        let mut new_params = Vec::new();
        for (&param, pattern) in self.old.local_lists[params].iter().zip(&key) {
            let node = self.incoming(pattern, Some(param), &mut new_params);
            self.bind(param, env, node);
        }
        let span = self.old.spans[body];
        let driven =
            self.scope(span, |driver| driver.run(super::eval::State::Eval(body, env, None)));
        let Ok(body) = driven else {
            unreachable!("only attempts are given up, and each is caught where it began")
        };
        self.total -= before - self.fuel.max(0);
        let params = self.new.local_lists.add(new_params);
        self.new.globals[global].kind = GlobalKind::Defn { params, body: Some(body) };
    }

    /// A parameter as the body sees it.
    fn incoming(
        &mut self,
        pattern: &Pattern,
        like: Option<LocalId>,
        params: &mut Vec<LocalId>,
    ) -> NodeId {
        let what = match pattern {
            Pattern::Hole => return self.parameter(like, params, Span::NONE),
            Pattern::Lit(lit) => What::Lit(*lit),
            Pattern::Text(text, at) => What::Text(*text, *at),
            Pattern::Caf(global) => return self.global_node(*global),
            Pattern::Built(con, parts) => {
                let whole = self.parameter(like, params, Span::NONE);
                let name = self.heap.get(whole).name;
                let parts = self.incoming_parts(parts, params);
                self.heap.set(whole, What::Con(*con, parts), name);
                return whole;
            }
            Pattern::Con(con, parts) => What::Con(*con, self.incoming_parts(parts, params)),
            Pattern::Partial(head, parts) => {
                What::Partial(*head, self.incoming_parts(parts, params))
            }
            Pattern::Call(global, parts) => What::Call(*global, self.incoming_parts(parts, params)),
        };
        self.heap.add(what)
    }

    fn incoming_parts(&mut self, parts: &[Pattern], params: &mut Vec<LocalId>) -> List<NodeId> {
        let nodes: Vec<NodeId> =
            parts.iter().map(|part| self.incoming(part, None, params)).collect();
        self.heap.list(nodes)
    }

    /// What a call of a variant passes: code for each hole of the pattern.
    pub(super) fn outgoing(
        &mut self,
        pattern: &Pattern,
        node: NodeId,
        fresh: bool,
        out: &mut Vec<ExprId>,
    ) {
        let span = Span::NONE;
        match pattern {
            Pattern::Hole => {
                let arg = self.argument(node, fresh, span);
                out.push(arg);
            }
            Pattern::Built(_, parts) => {
                let whole = self.atom(node, span);
                out.push(whole);
                self.outgoing_parts(parts, node, out);
            }
            Pattern::Con(_, parts) | Pattern::Partial(_, parts) | Pattern::Call(_, parts) => {
                self.outgoing_parts(parts, node, out);
            }
            Pattern::Lit(_) | Pattern::Text(..) | Pattern::Caf(_) => {}
        }
    }

    fn outgoing_parts(&mut self, parts: &[Pattern], node: NodeId, out: &mut Vec<ExprId>) {
        let nodes = match self.heap.get(node).what {
            What::Con(_, nodes) | What::Partial(_, nodes) | What::Call(_, nodes) => nodes,
            _ => List::EMPTY,
        };
        let nodes = self.heap.items(nodes).to_vec();
        for (part, node) in parts.iter().zip(nodes) {
            self.outgoing(part, node, false, out);
        }
    }

    /// The code of a call as far as its callee is known: of a variant, or of the
    /// supercombinator itself.
    pub(super) fn call_code(
        &mut self,
        of: GlobalId,
        args: &[NodeId],
        fresh: u64,
        key: Option<Vec<Pattern>>,
        span: Span,
    ) -> ExprId {
        if let Some(mut key) = key
            && let Some(global) = self.variant(of, &mut key)
        {
            let mut out = Vec::new();
            for (at, (pattern, &arg)) in key.iter().zip(args).enumerate() {
                self.outgoing(pattern, arg, at < 64 && fresh & 1 << at != 0, &mut out);
            }
            let callee = self.expr(crate::core::expr::Expr::Global(global), span);
            return self.application(callee, out, span);
        }
        let callee = self.global(of);
        let callee = self.expr(crate::core::expr::Expr::Global(callee), span);
        let args = self.written(args, fresh, span);
        self.application(callee, args, span)
    }

    /// Whether code is an outcome that a pure attempt may end in.
    pub(super) fn is_static(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Node(node) => !matches!(
                self.heap.get(*node).what,
                What::Unknown(_) | What::Thunk(..) | What::Call(..)
            ),
            _ => false,
        }
    }
}
