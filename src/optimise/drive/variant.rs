//! Variants: one supercombinator for each pattern of known arguments.

use std::sync::Arc;

use super::heap::{AbstractValue, Head, NodeId};
use super::missed::{Made, knows_less};
use super::pattern::{Key, Parts, Pattern, is_small};
use super::{Driver, Outcome};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, Global, GlobalId, GlobalKind, Lit, LocalId};
use crate::core::signature::Signature;

/// A supercombinator of the new program, its body to be driven.
pub(super) struct Variant {
    /// The old supercombinator, and what is known of its arguments.
    pub key: Key,
    /// How many parts the patterns of the arguments have.
    pub parts: Vec<Parts>,
    /// The variant in whose body it was called first.
    pub parent: u32,
    /// The one of a function of the source, with nothing known of its arguments, that led to it.
    pub account: u32,
    /// The loops that it is in.
    pub loops: Loops,
    /// Whether its patterns were made more general because they would have grown.
    pub is_general: bool,
    /// The new supercombinator.
    pub global: GlobalId,
}

/// The loops that lead to something: circles of functions, each called in the one before.
#[derive(Clone, Copy, Default)]
pub(super) struct Loops {
    /// How many there are.
    pub count: u32,
    /// The innermost.
    circle: Option<u32>,
}

/// How many variants that led to one have to be made more general until the next ones know no
/// literals, and until they know nothing of what would grow: they would differ in one literal after
/// the other.
const GENERAL_SHAPES: usize = 2;
const GENERAL_WHOLES: usize = 4;
/// The most variants whose patterns differ in the literals in constructors alone: if there would be
/// more, a loop goes through the states of something, and each step of it would be a variant. The
/// functions of a circle go through them together, so each has a part of so many. Lists and trees of
/// several literals, like the squares of a board, seldom come again.
const SAME_SHAPE: u32 = 12;
const SAME_SHAPE_OF_CIRCLE: u32 = 40;
const FEW_OF_SHAPE: u32 = 4;
const FEW_LITERALS: usize = 2;
/// The most variants whose patterns differ in the data that functions in them hold: what a function holds it most
/// often hands on to be stored, as an insertion into a map does the value.
const HOLDING: u32 = 8;

impl Driver<'_> {
    pub(super) fn add_variant(&mut self, key: Key, global: GlobalId) -> u32 {
        let at = self.variants.len() as u32;
        self.memo.insert(key.clone(), at);
        let parts = self.in_step(key.of, &key.args).iter().map(Parts::of).collect();
        let parent = self.current;
        let account = match self.is_itself(&key) {
            true => at,
            false => self.variants[parent as usize].account,
        };
        let outer = self.variants.get(parent as usize).map(|outer| outer.loops).unwrap_or_default();
        let circle = Some(self.facts.circle[key.of]);
        let loops = match self.facts.recursive[key.of] && circle != outer.circle {
            true => Loops { count: outer.count + 1, circle },
            false => outer,
        };
        self.variants.push(Variant {
            key,
            parts,
            parent,
            account,
            loops,
            is_general: false,
            global,
        });
        at
    }

    /// Returns the variant for a pattern of arguments, which may be made more general first; `None`
    /// if it comes to the supercombinator itself.
    pub(super) fn variant(&mut self, key: &mut Key, args: &[NodeId]) -> Option<GlobalId> {
        let mut is_general = false;
        let mut knows_same = true;
        loop {
            if self.is_itself(key) {
                return None;
            }
            // A supercombinator without parameters would be a CAF. What goes along a constant has one that
            // nothing uses.
            if key.holes() == 0 {
                self.open_literals(key);
                if key.holes() > 0 {
                    continue;
                }
                let is_given = self.is_given_constant(args);
                if self.knows() && (key.open_literal() || !is_given && key.open_caf()) {
                    continue;
                }
                if !is_given {
                    return None;
                }
            }
            key.same = if knows_same { self.sharing(&key.args, args) } else { Vec::new() };
            if let Some(&at) = self.memo.get(key) {
                return Some(self.variants[at as usize].global);
            }
            if let Some((before, mut general)) = self.whistle(key) {
                self.note_unclosed(before, key);
                let mut less = key.args.clone();
                less.iter_mut().for_each(Pattern::forget_calls_in_values);
                if less != key.args {
                    key.args = less;
                    continue;
                }
                self.tally.generalised += 1;
                self.exhausted.insert(key.of);
                let before = self.generalised_before(key.of);
                for (pattern, old) in general.iter_mut().zip(&key.args) {
                    match before {
                        GENERAL_WHOLES.. if pattern != old => *pattern = Pattern::Hole,
                        GENERAL_SHAPES.. => pattern.forget_literals(),
                        _ => {}
                    }
                }
                knows_same = knows_same && before < GENERAL_SHAPES;
                is_general = true;
                key.args = general;
                continue;
            }
            if let Some(less) = key.without_held_data()
                && self.count_shape(&less) >= HOLDING
            {
                self.generalise_to(key, less);
                continue;
            }
            let Some(shape) = key.shape() else { break };
            if self.count_shape(&shape) < self.most_of_shape(key, &shape) {
                break;
            }
            self.generalise_to(key, shape);
        }
        if self.total <= 0 || self.new.exprs.len() > self.most || !self.allows_variant(key) {
            self.exhausted.insert(key.of);
            return None;
        }
        let global = self.variant_global(key.of);
        let at = self.add_variant(key.clone(), global);
        self.variants[at as usize].is_general = is_general;
        self.tally.variants += 1;
        if self.report.is_verbose() {
            let text = format!("{} is {}", self.new.globals[global].symbol, self.describe(key));
            self.decisions.push(text);
        }
        Some(global)
    }

    /// Returns how many variants have had a shape, and counts another one.
    fn count_shape(&mut self, shape: &Key) -> u32 {
        let count = self.per_shape.get(shape).copied().unwrap_or(0);
        self.per_shape.insert(shape.clone(), count + 1);
        count
    }

    /// Has a key know only what another one does, because there are too many like it.
    fn generalise_to(&mut self, key: &mut Key, less: Key) {
        self.tally.generalised += 1;
        self.exhausted.insert(key.of);
        key.args = less.args;
    }

    /// Returns whether a key is that of the supercombinator itself, with nothing known of its arguments.
    pub(super) fn is_itself(&self, key: &Key) -> bool {
        key.is_general() && key.args.len() == self.old.arity(key.of)
    }

    /// Returns the patterns without the literals that are only counted with, and without what a
    /// loop collects. What a loop begins with may be known: it has no more variants for that than
    /// there are calls from outside of loops.
    pub(super) fn worth_knowing(&self, of: GlobalId, patterns: Vec<Pattern>) -> Vec<Pattern> {
        let mut patterns = patterns;
        if self.history.is_second() {
            self.worth_knowing_again(of, &mut patterns);
        }
        self.bound_what_grows(of, &mut patterns);
        let caller = self.variants[self.current as usize].key.of;
        if !self.facts.recursive[of] || !self.facts.recursive[caller] {
            return patterns;
        }
        let is_counted = |head, at| self.is_counted(head, at);
        let is_step = self.facts.circle[of] == self.facts.circle[caller]
            && !(of == caller && self.begins(&patterns));
        for (at, pattern) in patterns.iter_mut().enumerate() {
            let is_collected = |param: LocalId| self.accumulators.contains(param);
            match pattern {
                _ if is_step && pattern.calls() == 0 && self.has(of, at, is_collected) => {
                    *pattern = Pattern::Hole;
                }
                // What is the same in all calls is one variant.
                Pattern::Lit(_)
                    if !self.has(of, at, |param| self.accumulators.is_changing(param)) => {}
                Pattern::Lit(_) if is_counted(Head::Global(of), at) => *pattern = Pattern::Hole,
                _ => pattern.forget_literals_at(&is_counted),
            }
        }
        patterns
    }

    /// Returns whether the variant that is written has gone along a known beginning of what it takes apart, and
    /// that ends here: the loop begins.
    fn begins(&self, patterns: &[Pattern]) -> bool {
        let before = &self.variants[self.current as usize].key.args;
        let mut pairs = before.iter().zip(patterns);
        pairs.any(|(before, now)| {
            matches!(before, Pattern::Con(..)) && matches!(now, Pattern::Hole | Pattern::Call(..))
        })
    }

    /// Returns whether something holds of a parameter of a function.
    pub(super) fn has(&self, of: GlobalId, at: usize, what: impl Fn(LocalId) -> bool) -> bool {
        let GlobalKind::Defn { params, .. } = self.old.globals[of].kind else { return false };
        self.old.local_lists[params].get(at).is_some_and(|&param| what(param))
    }

    /// Returns whether an argument is only counted with.
    fn is_counted(&self, head: Head, at: usize) -> bool {
        match head {
            Head::Con(con) => self.counted.has_field(con, at),
            Head::Global(global) => self.has(global, at, |param| self.counted.has_local(param)),
        }
    }

    /// Turns the literals of a call of which all is known into parameters, but for those that a loop
    /// goes through as they are written down, like the labels of a program, or that it looks something
    /// up by in what is known; and for small ones that the function only counts down. There has to be
    /// another literal.
    fn open_literals(&self, key: &mut Key) {
        let GlobalKind::Defn { params, .. } = self.old.globals[key.of].kind else { return };
        let params = &self.old.local_lists[params];
        let has = |at: usize, what: &dyn Fn(LocalId) -> bool| {
            params.get(at).is_some_and(|&param| what(param))
        };
        let falls = |param| self.fusible.falls[param];
        for (labels, counters) in [(true, true), (false, true), (false, false)] {
            for (at, pattern) in key.args.iter_mut().enumerate() {
                let Pattern::Lit(lit) = *pattern else { continue };
                let is_label = |param| {
                    let has_few = self.counted.is_written(param)
                        || is_small(lit) && self.counted.is_key(param);
                    has_few && self.accumulators.is_changing(param)
                };
                let is_kept =
                    labels && has(at, &is_label) || counters && is_small(lit) && has(at, &falls);
                if !is_kept {
                    *pattern = Pattern::Hole;
                }
            }
            if key.holes() > 0 {
                return;
            }
        }
    }

    /// Returns how many variants of a function may have the same shape as a key.
    fn most_of_shape(&self, key: &Key, shape: &Key) -> u32 {
        if shape.holes() - key.holes() > FEW_LITERALS && shape.nests() {
            return FEW_OF_SHAPE;
        }
        let share = SAME_SHAPE_OF_CIRCLE / self.facts.in_circle[key.of];
        share.clamp(FEW_OF_SHAPE, SAME_SHAPE)
    }

    /// Returns which holes of patterns have the same value, if the variant is to know.
    pub(super) fn sharing(&self, patterns: &[Pattern], args: &[NodeId]) -> Vec<u32> {
        if self.has_ends(patterns) {
            return Vec::new();
        }
        let mut holes = Vec::new();
        for (pattern, &arg) in patterns.iter().zip(args) {
            self.holes(pattern, arg, &mut holes);
        }
        let mut places: Vec<(NodeId, u32)> = holes.into_iter().zip(0..).collect();
        places.sort_unstable();
        let of_one = |pair: &(NodeId, u32), next: &(NodeId, u32)| pair.0 == next.0;
        if !places.windows(2).any(|pair| of_one(&pair[0], &pair[1])) {
            return Vec::new();
        }
        let mut same = vec![0; places.len()];
        for group in places.chunk_by(of_one) {
            group.iter().for_each(|&(_, at)| same[at as usize] = group[0].1);
        }
        same
    }

    pub(super) fn holes(&self, pattern: &Pattern, node: NodeId, out: &mut Vec<NodeId>) {
        let node = self.heap.resolve(node);
        if let Pattern::Hole | Pattern::Built(..) = pattern {
            out.push(node);
        }
        for (part, &node) in pattern.parts().iter().zip(self.parts(node)) {
            self.holes(part, node, out);
        }
    }

    /// Returns the values that a static value is made of.
    fn parts(&self, node: NodeId) -> &[NodeId] {
        match self.heap.get(node).value {
            AbstractValue::Con(_, nodes)
            | AbstractValue::Call(_, nodes)
            | AbstractValue::Partial(_, nodes) => self.heap.items(nodes),
            _ => &[],
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

    /// Describes a pattern in words.
    pub(super) fn describe(&self, key: &Key) -> String {
        let mut out = format!("({}", self.old.globals[key.of].symbol);
        for pattern in &key.args {
            out.push(' ');
            self.describe_pattern(pattern, &mut out);
        }
        out.push(')');
        out
    }

    fn describe_pattern(&self, pattern: &Pattern, out: &mut String) {
        if let Pattern::Constant(node) = pattern {
            return out.push_str(&self.describe_constant(*node));
        }
        use crate::base::quote::{char_literal, string_literal};
        let head = match pattern {
            Pattern::Hole => return out.push('_'),
            Pattern::Lit(Lit::Int(value)) => return out.push_str(&value.to_string()),
            Pattern::Lit(Lit::Float(value)) => return out.push_str(&value.to_string()),
            Pattern::Lit(Lit::Char(c)) => return out.push_str(&char_literal(*c)),
            Pattern::Lit(Lit::Big(big)) => return out.push_str(&self.new.bigs[*big].to_string()),
            Pattern::Text(text, at) => {
                let rest = self.new.texts[*text].get(*at as usize..).unwrap_or_default();
                return out.push_str(&string_literal(rest));
            }
            Pattern::Caf(global) => &self.old.globals[*global].symbol,
            Pattern::Constant(_) => unreachable!("constants are described by themselves"),
            Pattern::Select(_) => return out.push_str("(selection)"),
            Pattern::Con(con, _) | Pattern::Built(con, _) => &self.new.cons[*con].symbol,
            Pattern::Call(global, _) | Pattern::Partial(Head::Global(global), _) => {
                &self.old.globals[self.unexpanded(*global)].symbol
            }
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

    /// Returns the code of a call as far as its callee is known: of a variant, or of the
    /// supercombinator itself.
    pub(super) fn call_code(
        &mut self,
        of: GlobalId,
        args: &[NodeId],
        fresh: u64,
        key: Option<Vec<Pattern>>,
        span: Span,
    ) -> ExprId {
        match self.variant_call(of, args, fresh, key, span) {
            Some(code) => code,
            None => self.plain_call(of, args, fresh, span),
        }
    }

    /// Returns the code of a call of a variant, if there is one for what is known.
    pub(super) fn variant_call(
        &mut self,
        of: GlobalId,
        args: &[NodeId],
        fresh: u64,
        key: Option<Vec<Pattern>>,
        span: Span,
    ) -> Option<ExprId> {
        if let Some(patterns) = key {
            let noted = self.report.is_verbose().then(|| patterns.clone());
            let mut key = Key { of, args: self.worth_knowing(of, patterns), same: Vec::new() };
            let variant = self.variant(&mut key, args);
            let is_less = |before: &Vec<Pattern>| {
                key.args.iter().zip(before).any(|(now, before)| knows_less(now, before))
            };
            let made = match variant {
                _ if noted.as_ref().is_some_and(is_less) => Made::General,
                Some(_) => Made::Variant,
                // Of what is known altogether a variant would be a CAF.
                None if key.holes() == 0 || key.is_general() => Made::Nothing,
                None => Made::Refused,
            };
            self.note_call(of, args, noted.as_deref(), made, span);
            if let Some(global) = variant {
                let out = self.outgoing(&key, args, fresh, span);
                let callee = self.expr(Expr::Global(global), span);
                return Some(self.application(callee, out, span));
            }
        } else {
            self.note_call(of, args, None, Made::Nothing, span);
        }
        None
    }

    /// Returns the code of a call of a supercombinator itself.
    pub(super) fn plain_call(
        &mut self,
        of: GlobalId,
        args: &[NodeId],
        fresh: u64,
        span: Span,
    ) -> ExprId {
        let callee = self.global(of);
        let callee = self.expr(Expr::Global(callee), span);
        let args = self.written(args, fresh, span);
        self.application(callee, args, span)
    }

    /// Returns what a call of a variant passes: code for each hole that is a parameter.
    fn outgoing(&mut self, key: &Key, args: &[NodeId], fresh: u64, span: Span) -> Vec<ExprId> {
        let mut out = Vec::new();
        let mut passed = 0;
        for (at, (pattern, &arg)) in key.args.iter().zip(args).enumerate() {
            let mut nodes = Vec::new();
            self.holes(pattern, arg, &mut nodes);
            let fresh = *pattern == Pattern::Hole && at < 64 && fresh & 1 << at != 0;
            for node in nodes {
                let first = key.same.get(passed).map_or(passed, |&first| first as usize);
                if first == passed {
                    // Its own node, not what it stands for: an alias is not fresh.
                    let node = if fresh { arg } else { node };
                    out.push(self.argument(node, fresh, span));
                }
                passed += 1;
            }
        }
        if key.holes() == 0 {
            out.push(self.expr(Expr::Lit(Lit::Int(0)), span));
        }
        out
    }

    /// Returns whether code is an outcome that a pure attempt may end in.
    pub(super) fn is_static(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Node(node) => !matches!(
                self.heap.get(*node).value,
                AbstractValue::Unknown(_) | AbstractValue::Thunk(..) | AbstractValue::Call(..)
            ),
            _ => false,
        }
    }
}
