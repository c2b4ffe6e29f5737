//! What an attempt or a branch changes, and how that is taken back.
//!
//! The driver's fields stand in four sections, and the section decides what happens to a field:
//! a new one cannot be forgotten, because there is no list of them anywhere else.
//!
//! - `fixed`: never changes while the driver runs.
//! - `known`: what is known where code is written. Reverted after a branch and after an
//!   attempt.
//! - `written`: the code and the tables that go with it. Reverted after an attempt.
//! - `spent`: budgets, and what only ever grows. Never reverted.

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::index::{Idx, IndexVec};
use crate::core::expr::Program;

/// State that can be put back to what it was at an earlier point. Points are taken back in
/// the reverse order of their marks.
pub(super) trait Revert {
    /// What there is to remember of a point.
    type Mark;

    /// Marks the present point.
    fn mark(&self) -> Self::Mark;

    /// Goes back to a point.
    fn revert(&mut self, mark: Self::Mark);
}

/// Declares the driver with its sections, and the two kinds of points to go back to.
macro_rules! transactional {
    (
        $(#[$doc:meta])*
        struct $name:ident<$life:lifetime> {
            fixed { $($(#[$fixed_doc:meta])* $fixed:ident: $fixed_type:ty,)* }
            known { $($(#[$known_doc:meta])* $known:ident: $known_type:ty,)* }
            written { $($(#[$written_doc:meta])* $written:ident: $written_type:ty,)* }
            spent { $($(#[$spent_doc:meta])* $spent:ident: $spent_type:ty,)* }
        }
    ) => {
        $(#[$doc])*
        struct $name<$life> {
            $($(#[$fixed_doc])* $fixed: $fixed_type,)*
            $($(#[$known_doc])* $known: $known_type,)*
            $($(#[$written_doc])* $written: $written_type,)*
            $($(#[$spent_doc])* $spent: $spent_type,)*
        }

        /// What was known before a branch.
        struct Knowledge { $($known: <$known_type as Revert>::Mark,)* }

        /// Where the driver was before an attempt.
        struct Checkpoint {
            knowledge: Knowledge,
            $($written: <$written_type as Revert>::Mark,)*
        }

        impl $name<'_> {
            /// Returns what is known now, to be [forgotten](Self::forget_since) after a branch.
            fn knowledge(&self) -> Knowledge {
                Knowledge { $($known: self.$known.mark(),)* }
            }

            /// Forgets what was learnt since a point.
            fn forget_since(&mut self, knowledge: Knowledge) {
                $(self.$known.revert(knowledge.$known);)*
            }

            /// Returns where the driver is, to [go back](Self::roll_back) after an attempt that
            /// failed.
            fn checkpoint(&self) -> Checkpoint {
                Checkpoint {
                    knowledge: self.knowledge(),
                    $($written: self.$written.mark(),)*
                }
            }

            /// Takes back everything that was learnt and written since a point.
            fn roll_back(&mut self, to: Checkpoint) {
                self.forget_since(to.knowledge);
                $(self.$written.revert(to.$written);)*
            }
        }
    };
}
pub(super) use transactional;

macro_rules! revert_by_copy {
    ($($name:ty),*) => {$(
        impl Revert for $name {
            type Mark = $name;

            fn mark(&self) -> $name {
                *self
            }

            fn revert(&mut self, mark: $name) {
                *self = mark;
            }
        }
    )*};
}

revert_by_copy!(u32, usize, super::Tally);

/// Shared by all that remember it until it changes.
impl<T> Revert for Rc<Vec<T>> {
    type Mark = Rc<Vec<T>>;

    fn mark(&self) -> Rc<Vec<T>> {
        self.clone()
    }

    fn revert(&mut self, mark: Rc<Vec<T>>) {
        *self = mark;
    }
}

/// A stack: what is below a mark stays while the mark is in use.
impl<T> Revert for Vec<T> {
    type Mark = usize;

    fn mark(&self) -> usize {
        self.len()
    }

    fn revert(&mut self, mark: usize) {
        self.truncate(mark);
    }
}

impl<I: Idx, T> Revert for IndexVec<I, T> {
    type Mark = usize;

    fn mark(&self) -> usize {
        self.len()
    }

    fn revert(&mut self, mark: usize) {
        self.truncate(mark);
    }
}

/// A table that remembers what its changes replaced.
pub(super) struct Journal<K, V> {
    map: FxHashMap<K, V>,
    /// Keys with what they had before, the oldest change first.
    changes: Vec<(K, Option<V>)>,
}

impl<K: Hash + Eq + Clone, V> Journal<K, V> {
    /// Returns an empty table.
    pub fn new() -> Journal<K, V> {
        Journal { map: FxHashMap::default(), changes: Vec::new() }
    }

    /// Returns what a key has.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.map.get(key)
    }

    /// Gives a key a value.
    pub fn insert(&mut self, key: K, value: V) {
        let before = self.map.insert(key.clone(), value);
        self.changes.push((key, before));
    }

    /// Takes a key away.
    pub fn remove(&mut self, key: &K) {
        if let Some((key, before)) = self.map.remove_entry(key) {
            self.changes.push((key, Some(before)));
        }
    }

    /// Forgets how to go back: no mark is in use.
    pub fn commit(&mut self) {
        self.changes.clear();
    }
}

impl<K: Hash + Eq + Clone, V> Revert for Journal<K, V> {
    type Mark = usize;

    fn mark(&self) -> usize {
        self.changes.len()
    }

    fn revert(&mut self, mark: usize) {
        while self.changes.len() > mark {
            match self.changes.pop() {
                Some((key, Some(value))) => self.map.insert(key, value),
                Some((key, None)) => self.map.remove(&key),
                None => return,
            };
        }
    }
}

/// How large the arenas of a program are.
pub(super) struct ProgramMark {
    globals: usize,
    locals: usize,
    exprs: usize,
    spans: usize,
    switches: usize,
    joins: usize,
    expr_lists: usize,
    local_lists: usize,
    binds: usize,
}

/// Code is only added to, below a mark. Constants stay: they are interned, and mentioned by
/// number in tables that stay too.
impl Revert for Program {
    type Mark = ProgramMark;

    fn mark(&self) -> ProgramMark {
        // Every field is named: a new one has to be put on one side or the other.
        let Program {
            globals,
            locals,
            exprs,
            spans,
            switches,
            joins,
            expr_lists,
            local_lists,
            binds,
            datas: _,
            cons: _,
            main: _,
            roots: _,
            bigs: _,
            texts: _,
            places: _,
        } = self;
        ProgramMark {
            globals: globals.len(),
            locals: locals.len(),
            exprs: exprs.len(),
            spans: spans.len(),
            switches: switches.len(),
            joins: joins.len(),
            expr_lists: expr_lists.len(),
            local_lists: local_lists.len(),
            binds: binds.len(),
        }
    }

    fn revert(&mut self, mark: ProgramMark) {
        let Program {
            globals,
            locals,
            exprs,
            spans,
            switches,
            joins,
            expr_lists,
            local_lists,
            binds,
            datas: _,
            cons: _,
            main: _,
            roots: _,
            bigs: _,
            texts: _,
            places: _,
        } = self;
        globals.truncate(mark.globals);
        locals.truncate(mark.locals);
        exprs.truncate(mark.exprs);
        spans.truncate(mark.spans);
        switches.truncate(mark.switches);
        joins.truncate(mark.joins);
        expr_lists.truncate(mark.expr_lists);
        local_lists.truncate(mark.local_lists);
        binds.truncate(mark.binds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_goes_back_through_changes_of_one_key() {
        let mut journal: Journal<u32, u32> = Journal::new();
        journal.insert(1, 10);
        let outer = journal.mark();
        journal.insert(1, 11);
        journal.remove(&1);
        let inner = journal.mark();
        journal.insert(1, 12);
        journal.insert(2, 20);
        journal.revert(inner);
        assert_eq!((journal.get(&1), journal.get(&2)), (None, None));
        journal.revert(outer);
        assert_eq!(journal.get(&1), Some(&10));
    }
}
