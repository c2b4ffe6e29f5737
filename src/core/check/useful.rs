//! Which alternatives of a case can be reached, and which values none of them matches.
//!
//! An alternative is useful if some value matches it and none above it (Maranget, "Warnings
//! for pattern matching", JFP 17, 2007). All rows are decided together by splitting the
//! matrix on its first column: a row is useful if it is the first one left somewhere. A row
//! that begins with a variable belongs to every part, which may take exponential time, so
//! there is a budget; when it is used up nothing is said. A part without rows stands for values
//! that are not matched.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::quote::{char_for_message, for_message};
use crate::core::expr::ConId;
use crate::core::pattern::{Fields, Key, PatRef, Patterns, View};
use crate::syntax::ast::PatId;

/// The number of patterns that may be copied, for each pattern of the case.
const BUDGET_EACH: usize = 32;
const BUDGET: usize = 4096;

#[derive(Clone)]
struct Row {
    /// The patterns; the leftmost column is the last item.
    pats: Vec<PatRef>,
    alt: usize,
}

type Head<'a> = Result<ConId, Key<'a>>;

/// Returns the positions of the alternatives that are never reached. `size` is the number of
/// patterns in `pats`, nested ones counted.
pub(super) fn unreachable(patterns: Patterns<'_>, pats: &[PatId], size: usize) -> Vec<usize> {
    if plainly_useful(patterns, pats) {
        return Vec::new();
    }
    let mut useful = vec![false; pats.len()];
    let mut budget = BUDGET + BUDGET_EACH.saturating_mul(size);
    let first = pats.iter().enumerate();
    let first = first.map(|(alt, &pat)| Row { pats: vec![PatRef::Ast(pat)], alt }).collect();
    let mut work: Vec<Vec<Row>> = vec![first];
    while let Some(mut rows) = work.pop() {
        // What is known to be useful matters only for what stands below it.
        while rows.last().is_some_and(|row| useful[row.alt]) {
            rows.pop();
        }
        let Some(row) = rows.first() else { continue };
        let width: usize = rows.iter().map(|row| row.pats.len() + 1).sum();
        let Some(left) = budget.checked_sub(width) else { return Vec::new() };
        budget = left;
        if row.pats.iter().all(|&pat| matches!(patterns.view(pat), View::Any(_))) {
            useful[row.alt] = true;
            continue;
        }
        let Some(parts) = split(patterns, rows, &mut budget) else { return Vec::new() };
        work.extend(parts.of.into_iter().map(|(_, part)| part));
        work.extend(parts.rest);
    }
    (0..pats.len()).filter(|&alt| !useful[alt]).collect()
}

/// A part of a value that a matrix has been split by. The parts on the way to a matrix are its
/// value written from left to right, fields after their constructor.
#[derive(Clone, Copy)]
enum Step {
    /// A constructor, whose fields come next.
    Con(ConId),
    /// A constructor without an alternative, whose fields may be anything: no steps of theirs
    /// follow.
    Lacking(ConId),
    /// A value of which nothing more is said.
    Any,
    Char(char),
    Int(i64),
}

/// Patterns of values that no alternative matches: the first ones, and whether there are more.
#[derive(Default)]
pub(super) struct Missing {
    /// The patterns; `_` stands for anything, and at the top for any other literal.
    pub patterns: Vec<String>,
    /// Whether there are others.
    pub more: bool,
}

/// The most patterns of values without an alternative that are named.
const NAMED: usize = 3;

/// The most parts of such a pattern that are written out.
const WRITTEN: usize = 12;

/// Returns which values none of the alternatives matches; none if that takes too long to find out.
pub(super) fn missing(patterns: Patterns<'_>, pats: &[PatId], size: usize) -> Missing {
    let mut budget = BUDGET + BUDGET_EACH.saturating_mul(size);
    let mut missing = Missing::default();
    // Each with the step before it.
    let mut steps: Vec<(usize, Step)> = vec![(0, Step::Any)];
    let first = pats.iter().enumerate();
    let first = first.map(|(alt, &pat)| Row { pats: vec![PatRef::Ast(pat)], alt }).collect();
    let mut work: Vec<(Vec<Row>, usize)> = vec![(first, 0)];
    while let Some((rows, before)) = work.pop() {
        let Some(row) = rows.first() else {
            if missing.patterns.len() == NAMED {
                missing.more = true;
                return missing;
            }
            missing.patterns.push(written(patterns, &steps, before));
            continue;
        };
        if row.pats.iter().all(|&pat| matches!(patterns.view(pat), View::Any(_))) {
            continue;
        }
        let width: usize = rows.iter().map(|row| row.pats.len() + 1).sum();
        let left = budget.checked_sub(width);
        let Some(parts) = left.and_then(|left| {
            budget = left;
            split(patterns, rows, &mut budget)
        }) else {
            return Missing::default();
        };
        let mut step = |step: Step| {
            steps.push((before, step));
            steps.len() - 1
        };
        let mut next = Vec::new();
        if let Some(rest) = parts.rest {
            let lacking = match parts.of.first() {
                Some(&(Ok(con), _)) => {
                    let heads: FxHashSet<Head<'_>> = parts.of.iter().map(|part| part.0).collect();
                    let all = patterns.constructors(con).iter().copied();
                    all.filter(|&con| !heads.contains(&Ok(con))).take(NAMED + 1).collect()
                }
                _ => Vec::new(),
            };
            match lacking.is_empty() {
                true => next.push((rest, step(Step::Any))),
                // What is left of the row is the same for all of them.
                false if !rest.is_empty() => next.push((rest, step(Step::Lacking(lacking[0])))),
                false => {
                    let parts =
                        lacking.into_iter().map(|con| (Vec::new(), step(Step::Lacking(con))));
                    next.extend(parts);
                }
            }
        }
        for (head, part) in parts.of {
            let head = match head {
                Ok(con) => Step::Con(con),
                Err(Key::Int(value)) => Step::Int(value),
                Err(Key::Char(c)) => Step::Char(c),
                Err(Key::Big(_)) => Step::Any,
            };
            next.push((part, step(head)));
        }
        work.extend(next.into_iter().rev());
    }
    missing
}

/// Returns the pattern of the values that the steps up to `last` lead to.
fn written(patterns: Patterns<'_>, steps: &[(usize, Step)], last: usize) -> String {
    let mut path = Vec::new();
    let mut at = last;
    while at > 0 {
        path.push(steps[at].1);
        at = steps[at].0;
    }
    let mut text = String::new();
    // How many fields are still to be written of each constructor that is open.
    let mut open: Vec<usize> = vec![1];
    let mut written = 0;
    while let Some(fields) = open.last_mut() {
        if *fields == 0 {
            open.pop();
            if !open.is_empty() {
                text.push(')');
            }
            continue;
        }
        *fields -= 1;
        if open.len() > 1 {
            text.push(' ');
        }
        written += 1;
        if written > WRITTEN {
            text.push_str("..");
            open.fill(0);
            continue;
        }
        match path.pop().unwrap_or(Step::Any) {
            Step::Con(con) | Step::Lacking(con) if patterns.arity(con) == 0 => {
                text.push_str(&for_message(patterns.name(con)));
            }
            Step::Con(con) => {
                text.push('(');
                text.push_str(&for_message(patterns.name(con)));
                open.push(patterns.arity(con));
            }
            Step::Lacking(con) => {
                let fields = patterns.arity(con);
                let blank = " _".repeat(fields.min(WRITTEN));
                let more = if fields > WRITTEN { " .." } else { "" };
                text.push_str(&format!("({}{blank}{more})", for_message(patterns.name(con))));
            }
            Step::Any => text.push('_'),
            Step::Char(c) => text.push_str(&char_for_message(c)),
            Step::Int(value) => text.push_str(&value.to_string()),
        }
    }
    text
}

/// The parts of a matrix by the heads of its first column.
struct Parts<'a> {
    /// The rows for each head, in the order in which the heads come.
    of: Vec<(Head<'a>, Vec<Row>)>,
    /// The rows for all other values, if there are others.
    rest: Option<Vec<Row>>,
}

/// Splits a matrix on its first column. Returns `None` if the budget is used up.
fn split<'a>(patterns: Patterns<'a>, rows: Vec<Row>, budget: &mut usize) -> Option<Parts<'a>> {
    let mut heads: FxHashMap<Head<'_>, usize> = FxHashMap::default();
    let mut parts: Vec<(Head<'_>, Vec<Row>)> = Vec::new();
    let mut anything: Vec<Row> = Vec::new();
    let mut complete = false;
    let arity = |head: Head<'_>| head.map_or(0, |con| patterns.arity(con));
    for mut row in rows {
        let Some(pat) = row.pats.pop() else { continue };
        let (head, fields) = match patterns.view(pat) {
            View::Any(_) => {
                let cost = parts.iter().map(|&(head, _)| row.pats.len() + arity(head) + 1).sum();
                *budget = budget.checked_sub(cost)?;
                for (head, part) in &mut parts {
                    part.push(widened(&row, arity(*head)));
                }
                anything.push(row);
                continue;
            }
            View::Con(con, fields) => (Ok(con), Some(fields)),
            View::Lit(key) => (Err(key), None),
        };
        let at = match heads.get(&head) {
            Some(&at) => at,
            None => {
                let arity = arity(head);
                let cost = anything.iter().map(|row| row.pats.len() + arity + 1).sum();
                *budget = budget.checked_sub(cost)?;
                parts.push((head, anything.iter().map(|row| widened(row, arity)).collect()));
                heads.insert(head, parts.len() - 1);
                complete = head.is_ok_and(|con| parts.len() == patterns.siblings(con));
                parts.len() - 1
            }
        };
        if let Some(fields) = fields {
            patterns.push_reversed(fields, &mut row.pats);
        }
        parts[at].1.push(row);
    }
    Some(Parts { of: parts, rest: (!complete).then_some(anything) })
}

/// Returns a row whose first column was a variable, as a row for a constructor of `arity` fields.
fn widened(row: &Row, arity: usize) -> Row {
    let mut pats = Vec::with_capacity(row.pats.len() + arity);
    pats.extend_from_slice(&row.pats);
    pats.extend(std::iter::repeat_n(PatRef::Any, arity));
    Row { pats, alt: row.alt }
}

/// Returns whether the case is of the common shape that needs no matrix: different constructors of
/// variables, or different literals, then perhaps a variable that is needed.
fn plainly_useful(patterns: Patterns<'_>, pats: &[PatId]) -> bool {
    let mut seen = Heads::Few(Vec::new());
    for (at, &pat) in pats.iter().enumerate() {
        let head = match patterns.view(PatRef::Ast(pat)) {
            View::Any(_) => {
                let complete = match &seen {
                    Heads::Few(heads) => match heads.first() {
                        Some(&Ok(con)) => heads.len() == patterns.siblings(con),
                        _ => false,
                    },
                    // A type may have as many constructors: the matrix decides.
                    Heads::Many(heads) => heads.iter().any(Result::is_ok),
                };
                return at + 1 == pats.len() && !complete;
            }
            View::Con(con, Fields::Pats(_)) => {
                let mut fields = Vec::new();
                if let View::Con(_, list) = patterns.view(PatRef::Ast(pat)) {
                    patterns.push_reversed(list, &mut fields);
                }
                if !fields.iter().all(|&field| matches!(patterns.view(field), View::Any(_))) {
                    return false;
                }
                Ok(con)
            }
            View::Con(_, Fields::Text(..)) => return false,
            View::Lit(key) => Err(key),
        };
        if !seen.insert(head) {
            return false;
        }
    }
    true
}

/// The heads seen so far.
enum Heads<'a> {
    Few(Vec<Head<'a>>),
    Many(FxHashSet<Head<'a>>),
}

impl<'a> Heads<'a> {
    /// Returns whether it was not there before.
    fn insert(&mut self, head: Head<'a>) -> bool {
        match self {
            Heads::Few(heads) => {
                if heads.contains(&head) {
                    return false;
                }
                heads.push(head);
                if heads.len() > 16 {
                    *self = Heads::Many(heads.drain(..).collect());
                }
                true
            }
            Heads::Many(heads) => heads.insert(head),
        }
    }
}
