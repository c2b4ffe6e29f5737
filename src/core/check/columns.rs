//! The constructors in one column of a case belong to one data type, and literals in one
//! column are of one kind.

use rustc_hash::FxHashMap;

use crate::core::expr::ConId;
use crate::core::pattern::{PatRef, Patterns, View};
use crate::syntax::ast::PatId;

/// Returns, for each column of mixed kinds, its first pattern and the first one of another kind. Linear in the patterns.
pub(super) fn mixed(patterns: Patterns<'_>, pats: &[PatId]) -> Vec<(PatRef, PatRef)> {
    let mut found = Vec::new();
    let mut work: Vec<Vec<PatRef>> = vec![pats.iter().map(|&pat| PatRef::Ast(pat)).collect()];
    while let Some(column) = work.pop() {
        // A pattern goes with itself.
        if column.len() < 2 {
            continue;
        }
        let mut tested =
            column.iter().filter_map(|&pat| patterns.kind(pat).map(|kind| (pat, kind)));
        let Some((first, kind)) = tested.next() else { continue };
        if let Some((other, _)) = tested.find(|&(_, other)| other != kind) {
            found.push((first, other));
        }
        let mut fields: FxHashMap<ConId, usize> = FxHashMap::default();
        let mut columns: Vec<Vec<Vec<PatRef>>> = Vec::new();
        for pat in column {
            let View::Con(con, list) = patterns.view(pat) else { continue };
            let arity = patterns.arity(con);
            if arity == 0 {
                continue;
            }
            let at = *fields.entry(con).or_insert_with(|| {
                columns.push(vec![Vec::new(); arity]);
                columns.len() - 1
            });
            let mut row = Vec::with_capacity(arity);
            patterns.push_reversed(list, &mut row);
            for (column, pat) in columns[at].iter_mut().zip(row.into_iter().rev()) {
                if !matches!(patterns.view(pat), View::Any(_)) {
                    column.push(pat);
                }
            }
        }
        work.extend(columns.into_iter().flatten());
    }
    found
}
