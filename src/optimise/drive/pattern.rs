//! Static patterns: what is known of the arguments of a call.
//!
//! A variant of a supercombinator is made for each pattern of its arguments. Patterns are
//! compared as trees, never by a hash alone. That there are not too many is seen to by a
//! whistle: homeomorphic embedding (Sørensen and Glück, "An algorithm of generalization in
//! positive supercompilation", 1995), with integers ordered by their size. Where a pattern
//! embeds one that led to it, the two are generalised to what they have in common.

use rustc_hash::FxHashMap;

use super::heap::{Head, NodeId};
use crate::core::expr::{ConId, GlobalId, Lit, SwitchId, TextId};

/// What is known of a call's arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The supercombinator.
    pub of: GlobalId,
    /// The pattern of each argument.
    pub args: Vec<Pattern>,
    /// For each hole of the patterns, in order, the first that has the same value; empty if
    /// all differ.
    pub same: Vec<u32>,
}

impl Key {
    /// Returns whether it is of a function, or knows a call of it or a function that comes to one.
    pub fn mentions(&self, global: GlobalId) -> bool {
        self.of == global || self.args.iter().any(|arg| arg.mentions(global))
    }

    /// Returns the number of holes.
    pub fn holes(&self) -> usize {
        self.args.iter().map(Pattern::holes).sum()
    }

    /// Turns the last literal in the patterns into a hole. Returns whether there is one.
    pub fn open_literal(&mut self) -> bool {
        self.open(&|pattern| matches!(pattern, Pattern::Lit(_)))
    }

    /// Turns the last CAF in the patterns into a hole. Returns whether there is one.
    pub fn open_caf(&mut self) -> bool {
        self.open(&|pattern| matches!(pattern, Pattern::Caf(_)))
    }

    /// Turns the last part that is like this into a hole; none is looked for in large patterns, which are
    /// most often lists that a loop goes along.
    fn open(&mut self, is_open: &dyn Fn(&Pattern) -> bool) -> bool {
        self.args.iter().map(Pattern::size).sum::<usize>() <= OPENED
            && self.args.iter_mut().rev().any(|pattern| pattern.open(is_open))
    }

    /// Returns the patterns without the literals in constructors; `None` if there are none.
    pub fn shape(&self) -> Option<Key> {
        let mut args = self.args.clone();
        for pattern in &mut args {
            pattern.forget_literals_at(&|head, _| matches!(head, Head::Con(_)));
        }
        let shape = Key { of: self.of, args, same: Vec::new() };
        (shape.args != self.args).then_some(shape)
    }

    /// Returns the patterns without the data that functions in them hold; `None` if there is none.
    pub fn without_held_data(&self) -> Option<Key> {
        if !self.args.iter().any(|pattern| pattern.holds_data(false)) {
            return None;
        }
        let mut args = self.args.clone();
        args.iter_mut().for_each(|pattern| pattern.forget_held_data(false));
        Some(Key { of: self.of, args, same: Vec::new() })
    }

    /// Returns whether a constructor is part of one like it: a list or a tree.
    pub fn nests(&self) -> bool {
        self.args.iter().any(|pattern| pattern.nests(&mut Vec::new()))
    }

    /// Returns whether nothing is known of any argument.
    pub fn is_general(&self) -> bool {
        self.args.iter().all(|pattern| *pattern == Pattern::Hole)
    }
}

/// What is known of an argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// Nothing: it is a parameter of the variant.
    Hole,
    /// An integer or character. Large integers are told apart by their number: equal ones
    /// have the same.
    Lit(Lit),
    /// The rest of a text.
    Text(TextId, u32),
    /// A CAF that is made of constructors.
    Caf(GlobalId),
    /// A large constant of the source.
    Constant(NodeId),
    /// A constructor.
    Con(ConId, Vec<Pattern>),
    /// A constructor that has been built already: it is a parameter too.
    Built(ConId, Vec<Pattern>),
    /// A call that nothing has evaluated and nothing else refers to.
    Call(GlobalId, Vec<Pattern>),
    /// A function with fewer arguments than it takes.
    Partial(Head, Vec<Pattern>),
    /// The selection of the field that this switch applies, among the arguments beyond the parameters.
    Select(SwitchId),
}

/// What is known of one question whether patterns are embedded in others.
struct Table<'e> {
    /// Pairs of patterns, by their places, and whether the one is embedded in the other: each is
    /// met on as many ways as the patterns are deep.
    pairs: FxHashMap<(*const Pattern, *const Pattern), bool>,
    /// The parts, by their numbers, in which a pattern is not searched for.
    is_end: &'e dyn Fn(&Pattern, &Pattern, usize) -> bool,
}

/// The most parts of the patterns of a call of which all is known for which a variant is made.
const OPENED: usize = 24;

/// The largest size of an integer that may count down by a variant for each number.
const SMALL: u64 = 8;

/// Returns whether a literal is an integer that may count down by a variant each.
pub fn is_small(lit: Lit) -> bool {
    matches!(lit, Lit::Int(value) if value.unsigned_abs() <= SMALL)
}

impl Pattern {
    /// Returns whether it knows a call of a function, or a function that comes to one.
    fn mentions(&self, global: GlobalId) -> bool {
        let is_it = match *self {
            Pattern::Call(of, _) | Pattern::Partial(Head::Global(of), _) => of == global,
            _ => false,
        };
        is_it || self.parts().iter().any(|part| part.mentions(global))
    }

    /// Returns the patterns of its parts.
    pub fn parts(&self) -> &[Pattern] {
        match self {
            Pattern::Con(_, parts)
            | Pattern::Built(_, parts)
            | Pattern::Call(_, parts)
            | Pattern::Partial(_, parts) => parts,
            _ => &[],
        }
    }

    /// Returns the number of parameters that it stands for.
    pub fn holes(&self) -> usize {
        let own = usize::from(matches!(self, Pattern::Hole | Pattern::Built(..)));
        own + self.parts().iter().map(Pattern::holes).sum::<usize>()
    }

    /// Turns the last of its parts, itself among them, of which `is_open` holds into a hole.
    /// Returns whether there is one.
    fn open(&mut self, is_open: &dyn Fn(&Pattern) -> bool) -> bool {
        if is_open(self) {
            *self = Pattern::Hole;
            return true;
        }
        match self {
            Pattern::Con(_, parts)
            | Pattern::Built(_, parts)
            | Pattern::Call(_, parts)
            | Pattern::Partial(_, parts) => parts.iter_mut().rev().any(|part| part.open(is_open)),
            _ => false,
        }
    }

    /// Turns the literals and texts in it into holes.
    pub fn forget_literals(&mut self) {
        match self {
            Pattern::Lit(_) | Pattern::Text(..) => *self = Pattern::Hole,
            Pattern::Con(_, parts)
            | Pattern::Built(_, parts)
            | Pattern::Call(_, parts)
            | Pattern::Partial(_, parts) => parts.iter_mut().for_each(Pattern::forget_literals),
            Pattern::Hole | Pattern::Caf(_) | Pattern::Constant(_) | Pattern::Select(_) => {}
        }
    }

    /// Returns whether it is a call that a loop goes on with as it is: no call in it goes along what is
    /// known to its end, unless another one follows and the value is not asked for at once.
    pub fn is_steady(&self, strict: bool) -> bool {
        let goes_on = !strict && self.calls() > 1;
        matches!(self, Pattern::Call(..)) && (goes_on || !self.has_structure())
    }

    /// Returns whether calls in it take apart what is known.
    fn has_structure(&self) -> bool {
        match self {
            Pattern::Call(_, parts) => parts.iter().any(Pattern::has_structure),
            _ => self.is_data(),
        }
    }

    /// Returns whether it knows something that can be taken apart.
    pub fn is_data(&self) -> bool {
        matches!(
            self,
            Pattern::Con(..)
                | Pattern::Built(..)
                | Pattern::Text(..)
                | Pattern::Caf(_)
                | Pattern::Constant(_)
        )
    }

    /// Returns whether a large constant is part of it.
    pub fn has_constant(&self) -> bool {
        matches!(self, Pattern::Constant(_)) || self.parts().iter().any(Pattern::has_constant)
    }

    /// Turns the calls among the fields of constructors and the arguments of functions into holes.
    pub fn forget_calls_in_values(&mut self) {
        if let Pattern::Con(_, parts) | Pattern::Partial(_, parts) = self {
            for part in parts {
                match part {
                    Pattern::Call(..) => *part = Pattern::Hole,
                    _ => part.forget_calls_in_values(),
                }
            }
        }
    }

    /// Returns whether data is in functions; `is_held` is whether it is in one itself.
    fn holds_data(&self, is_held: bool) -> bool {
        let is_held_in = is_held || matches!(self, Pattern::Partial(..));
        is_held && self.is_written_out()
            || self.parts().iter().any(|part| part.holds_data(is_held_in))
    }

    /// Turns the data in functions into holes; `is_held` is whether it is in one itself.
    fn forget_held_data(&mut self, is_held: bool) {
        if is_held && self.is_written_out() {
            *self = Pattern::Hole;
            return;
        }
        let is_held = is_held || matches!(self, Pattern::Partial(..));
        self.parts_mut().iter_mut().for_each(|part| part.forget_held_data(is_held));
    }

    /// Returns whether it is data with no name.
    fn is_written_out(&self) -> bool {
        matches!(self, Pattern::Con(..) | Pattern::Built(..) | Pattern::Lit(_) | Pattern::Text(..))
    }

    /// Turns the literals among the arguments of constructors and functions for which
    /// `is_forgotten` holds of the place into holes.
    pub fn forget_literals_at(&mut self, is_forgotten: &dyn Fn(Head, usize) -> bool) {
        let head = match *self {
            Pattern::Con(con, _) | Pattern::Built(con, _) => Some(Head::Con(con)),
            Pattern::Partial(head, _) => Some(head),
            _ => None,
        };
        for (at, part) in self.parts_mut().iter_mut().enumerate() {
            match part {
                Pattern::Lit(_) if head.is_some_and(|head| is_forgotten(head, at)) => {
                    *part = Pattern::Hole;
                }
                _ => part.forget_literals_at(is_forgotten),
            }
        }
    }

    fn nests(&self, around: &mut Vec<ConId>) -> bool {
        let (Pattern::Con(con, _) | Pattern::Built(con, _)) = *self else {
            return self.parts().iter().any(|part| part.nests(around));
        };
        if around.contains(&con) {
            return true;
        }
        around.push(con);
        let found = self.parts().iter().any(|part| part.nests(around));
        around.pop();
        found
    }

    pub(super) fn parts_mut(&mut self) -> &mut [Pattern] {
        match self {
            Pattern::Con(_, parts)
            | Pattern::Built(_, parts)
            | Pattern::Call(_, parts)
            | Pattern::Partial(_, parts) => parts,
            _ => &mut [],
        }
    }

    /// Returns the number of its parts and theirs, itself among them.
    pub fn size(&self) -> usize {
        1 + self.parts().iter().map(Pattern::size).sum::<usize>()
    }

    /// Returns the number of calls in it.
    pub fn calls(&self) -> usize {
        let own = usize::from(matches!(self, Pattern::Call(..)));
        own + self.parts().iter().map(Pattern::calls).sum::<usize>()
    }

    /// Returns whether it has the same head as another.
    fn same_head(&self, other: &Pattern) -> bool {
        match (self, other) {
            (Pattern::Con(a, _), Pattern::Con(b, _))
            | (Pattern::Built(a, _), Pattern::Built(b, _)) => a == b,
            (Pattern::Call(a, _), Pattern::Call(b, _)) => a == b,
            (Pattern::Partial(a, x), Pattern::Partial(b, y)) => a == b && x.len() == y.len(),
            _ => false,
        }
    }

    /// Returns whether it is embedded in another: the other is the same or has grown from it.
    fn is_within<'p>(&'p self, other: &'p Pattern, table: &mut Table<'_>) -> bool {
        if matches!(self, Pattern::Hole) {
            return true;
        }
        let pair = (std::ptr::from_ref(self), std::ptr::from_ref(other));
        if let Some(&known) = table.pairs.get(&pair) {
            return known;
        }
        let coupled = match (self, other) {
            (Pattern::Lit(Lit::Int(before)), Pattern::Lit(Lit::Int(now))) => {
                before == now
                    || now.unsigned_abs() > before.unsigned_abs()
                    || before.unsigned_abs() > SMALL
            }
            (Pattern::Lit(Lit::Big(_)), Pattern::Lit(_))
            | (Pattern::Lit(Lit::Int(_)), Pattern::Lit(Lit::Big(_))) => true,
            // Floats have no size that says where counting ends.
            (Pattern::Lit(Lit::Float(_)), Pattern::Lit(Lit::Float(_))) => true,
            // The rest of a text is smaller than the text.
            (Pattern::Text(a, from), Pattern::Text(b, to)) => a == b && to <= from,
            _ if self.same_head(other) => {
                self.parts().iter().zip(other.parts()).all(|(a, b)| a.is_within(b, table))
            }
            _ => self == other,
        };
        let is_end = table.is_end;
        let mut parts = (0..).zip(other.parts()).filter(|&(at, _)| !is_end(self, other, at));
        let found = coupled || parts.any(|(_, part)| self.is_within(part, table));
        table.pairs.insert(pair, found);
        found
    }

    /// Returns what it has in common with another.
    pub fn generalise(&self, other: &Pattern) -> Pattern {
        if self == other {
            return self.clone();
        }
        if !self.same_head(other) {
            return Pattern::Hole;
        }
        let parts = self.parts().iter().zip(other.parts()).map(|(a, b)| a.generalise(b)).collect();
        match *self {
            Pattern::Con(con, _) => Pattern::Con(con, parts),
            Pattern::Built(con, _) => Pattern::Built(con, parts),
            Pattern::Call(global, _) => Pattern::Call(global, parts),
            Pattern::Partial(head, _) => Pattern::Partial(head, parts),
            _ => Pattern::Hole,
        }
    }
}

/// How many parts of each kind a pattern has. Kinds are told apart as far as there are places for
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    all: u32,
    kinds: [u32; KINDS],
}

const KINDS: usize = 16;
/// The most pairs of parts of two patterns of which one is searched for in the other.
const PAIRS: u32 = 16_384;

impl Parts {
    /// Counts the parts of a pattern that are no holes.
    pub fn of(pattern: &Pattern) -> Parts {
        let mut parts = Parts::default();
        let mut work = vec![pattern];
        while let Some(pattern) = work.pop() {
            let kind = match pattern {
                Pattern::Hole => continue,
                Pattern::Lit(_) => 0,
                Pattern::Text(..) => 1,
                Pattern::Caf(global) => global.0,
                Pattern::Constant(node) => node.0,
                Pattern::Select(switch) => switch.0,
                Pattern::Con(con, _) => con.0 + 2,
                Pattern::Built(con, _) => con.0 + 3,
                Pattern::Call(global, _) | Pattern::Partial(Head::Global(global), _) => global.0,
                Pattern::Partial(Head::Con(con), _) => con.0 + 4,
            };
            parts.all += 1;
            parts.kinds[kind as usize % KINDS] += 1;
            work.extend(pattern.parts());
        }
        parts
    }

    /// Returns whether another pattern has as many of each kind, as each does in which the first is
    /// embedded.
    pub fn are_within(&self, other: &Parts) -> bool {
        self.all <= other.all && self.kinds.iter().zip(&other.kinds).all(|(a, b)| a <= b)
    }

    /// Returns whether that is all that is asked, because there are too many parts to compare: it
    /// holds of two in each endless sequence of patterns too (Dickson's lemma), only sooner.
    pub fn are_many(&self, other: &Parts) -> bool {
        self.all.saturating_mul(other.all) > PAIRS
    }
}

/// Returns whether every argument's pattern is embedded in the other call's. A pattern is not searched for in
/// a part of another one, by its number, of which `is_end` says so.
pub fn is_embedded(
    before: &[Pattern],
    now: &[Pattern],
    is_end: &dyn Fn(&Pattern, &Pattern, usize) -> bool,
) -> bool {
    let mut table = Table { pairs: FxHashMap::default(), is_end };
    before.iter().zip(now).all(|(a, b)| a.is_within(b, &mut table))
}

/// Returns whether two calls have as many arguments, and select from their values alike.
pub fn selects_alike(a: &[Pattern], b: &[Pattern]) -> bool {
    let is_alike = |(a, b): (&Pattern, &Pattern)| match (a, b) {
        (Pattern::Select(_), _) | (_, Pattern::Select(_)) => a == b,
        _ => true,
    };
    a.len() == b.len() && a.iter().zip(b).all(is_alike)
}

/// Returns what two calls have in common.
pub fn generalise(a: &[Pattern], b: &[Pattern]) -> Vec<Pattern> {
    a.iter().zip(b).map(|(a, b)| a.generalise(b)).collect()
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn int(value: i64) -> Pattern {
        Pattern::Lit(Lit::Int(value))
    }

    #[test]
    fn a_pattern_that_is_embedded_has_no_more_parts_of_any_kind() {
        let [one, two] = [list(&[int(1), Pattern::Hole]), list(&[int(1), int(7), Pattern::Hole])];
        let parts = [Parts::of(&one), Parts::of(&two)];
        assert!(parts[0].are_within(&parts[1]) && !parts[1].are_within(&parts[0]));
        assert!(Parts::of(&Pattern::Hole).are_within(&parts[0]));
        let long = Parts::of(&list(&vec![int(1); 80]));
        assert!(long.are_many(&long) && !long.are_many(&parts[0]));
    }

    fn list(items: &[Pattern]) -> Pattern {
        items.iter().rev().fold(Pattern::Con(ConId(0), vec![]), |tail, item| {
            Pattern::Con(ConId(1), vec![item.clone(), tail])
        })
    }

    fn is_within(a: &Pattern, b: &Pattern) -> bool {
        is_embedded(std::slice::from_ref(a), std::slice::from_ref(b), &|_, _, _| false)
    }

    #[test]
    fn integers_that_grow_are_embedded_and_small_ones_that_shrink_are_not() {
        assert!(is_within(&int(0), &int(1)));
        assert!(is_within(&int(-1), &int(-2)));
        assert!(!is_within(&int(2), &int(1)));
        assert!(is_within(&int(20), &int(19)));
    }

    #[test]
    fn a_list_is_embedded_in_a_longer_one_only() {
        let short = list(&[int(1), Pattern::Hole]);
        let long = list(&[int(1), int(7), Pattern::Hole]);
        assert!(is_within(&short, &long));
        assert!(!is_within(&long, &list(&[])));
        assert_eq!(short.generalise(&list(&[int(1), int(3)])), list(&[int(1), Pattern::Hole]));
    }

    #[test]
    fn a_call_that_another_one_ends_in_is_told_from_one_that_it_consumes() {
        let call = |of, parts: &[Pattern]| Pattern::Call(GlobalId(of), parts.to_vec());
        let (flat, other) = (call(1, &[Pattern::Hole]), call(3, &[Pattern::Hole]));
        let (end, part) = ([other.clone(), flat.clone()], [flat.clone(), other]);
        let is_end =
            |_: &Pattern, of: &Pattern, at| matches!(of, Pattern::Call(GlobalId(2), _)) && at == 1;
        let is_grown = |parts: &[Pattern]| is_embedded(from_ref(&flat), &[call(2, parts)], &is_end);
        assert!(!is_grown(&end) && is_grown(&part));
        assert!(is_within(&flat, &call(2, &end)));
        assert!(is_embedded(from_ref(&flat), &[call(1, from_ref(&flat))], &is_end));
    }
}
