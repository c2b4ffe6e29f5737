//! The constructors in one column of a case belong to one data type, and literals in one
//! column are of one kind. A variable beside constructors may be one that is misspelled.

use rustc_hash::FxHashMap;

use crate::core::expr::{ConId, DataId};
use crate::core::pattern::{Kind, PatRef, Patterns, View};
use crate::syntax::ast::PatId;

/// What is found in the columns of a case.
#[derive(Default)]
pub(super) struct Columns {
    /// For each column of mixed kinds its first pattern and the first one of another kind.
    pub mixed: Vec<(PatRef, PatRef)>,
    /// The variables in columns that ask for values of a data type, with that.
    pub variables: Vec<(PatId, DataId)>,
}

/// Returns what there is in the columns of a case. Linear in the patterns.
pub(super) fn columns(patterns: Patterns<'_>, pats: &[PatId]) -> Columns {
    let mut found = Columns::default();
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
            found.mixed.push((first, other));
        }
        if let Kind::Data(data) = kind {
            let variables = column.iter().filter_map(|&pat| match (pat, patterns.view(pat)) {
                (PatRef::Ast(id), View::Any(Some(_))) => Some((id, data)),
                _ => None,
            });
            found.variables.extend(variables);
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
                if !matches!(patterns.view(pat), View::Any(None)) {
                    column.push(pat);
                }
            }
        }
        work.extend(columns.into_iter().flatten());
    }
    found
}
