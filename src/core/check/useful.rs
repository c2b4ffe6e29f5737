//! Which alternatives of a case can be reached.
//!
//! An alternative is useful if some value matches it and none above it (Maranget, "Warnings
//! for pattern matching", JFP 17, 2007). All rows are decided together by splitting the
//! matrix on its first column: a row is useful if it is the first one left somewhere. A row
//! that begins with a variable belongs to every part, which may take exponential time, so
//! there is a budget; when it is used up nothing is said.

use rustc_hash::{FxHashMap, FxHashSet};

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
        if !split(patterns, rows, &mut work, &mut budget) {
            return Vec::new();
        }
    }
    (0..pats.len()).filter(|&alt| !useful[alt]).collect()
}

/// Splits a matrix on its first column. Returns false if the budget is used up.
fn split(
    patterns: Patterns<'_>,
    rows: Vec<Row>,
    work: &mut Vec<Vec<Row>>,
    budget: &mut usize,
) -> bool {
    let mut heads: FxHashMap<Head<'_>, usize> = FxHashMap::default();
    let mut parts: Vec<(Vec<Row>, usize)> = Vec::new();
    let mut anything: Vec<Row> = Vec::new();
    let mut complete = false;
    for mut row in rows {
        let Some(pat) = row.pats.pop() else { continue };
        let (head, fields) = match patterns.view(pat) {
            View::Any(_) => {
                let cost = parts.iter().map(|(_, arity)| row.pats.len() + arity + 1).sum();
                let Some(left) = budget.checked_sub(cost) else { return false };
                *budget = left;
                for (part, arity) in &mut parts {
                    part.push(widened(&row, *arity));
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
                let arity = head.map_or(0, |con| patterns.arity(con));
                let cost = anything.iter().map(|row| row.pats.len() + arity + 1).sum();
                let Some(left) = budget.checked_sub(cost) else { return false };
                *budget = left;
                parts.push((anything.iter().map(|row| widened(row, arity)).collect(), arity));
                heads.insert(head, parts.len() - 1);
                complete = head.is_ok_and(|con| parts.len() == patterns.siblings(con));
                parts.len() - 1
            }
        };
        if let Some(fields) = fields {
            patterns.push_reversed(fields, &mut row.pats);
        }
        parts[at].0.push(row);
    }
    work.extend(parts.into_iter().map(|(part, _)| part));
    if !complete {
        work.push(anything);
    }
    true
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
