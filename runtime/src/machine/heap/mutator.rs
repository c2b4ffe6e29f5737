//! What the collector asks of the mutator, the machine: roots, CAFs, saved stacks, selectors.

use std::cell::Cell;

use crate::gcode::program::{ConId, GlobalId};
use crate::machine::heap::word::Word;

/// Code that a reachable node or word can still run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// The code of a thunk, by the info of its node.
    Thunk(u32),
    /// The code of a function.
    Function(GlobalId),
}

/// The machine, as the collector sees it: the words that it has outside of the heap, and code.
///
/// `visit` replaces a word in place, by one with the same meaning: a pointer to where the node
/// was moved, or to what it is an indirection to, or an immediate word. A pointer to a
/// [`Hole`](super::Kind::Hole) stays a pointer to that hole.
///
/// # Safety
///
/// The collector moves and frees nodes by what an implementation visits:
///
/// - Each function visits every word that it is said to visit; a word that was not visited is
///   not used after the collection, but by a later visit.
/// - A word is written to by nobody else while it is visited, and `visit` gets the word itself,
///   not a copy.
/// - The words are words of one heap, and no word is forged.
pub unsafe trait Mutator {
    /// Visits, for a minor collection, all words outside of the heap that may lead to young nodes.
    /// `visit` returns whether the word still does, so that the next minor collection has to visit
    /// it again even if nobody changes it. (How often it was visited says nothing: each time it may
    /// become a pointer to a younger node, to which there was an indirection.)
    fn young(&mut self, visit: &mut impl FnMut(&mut Word) -> bool);

    /// Visits the roots, for a full collection: all words outside of the heap but those of CAFs and
    /// of saved stacks. Called twice a collection, with the same words.
    fn roots(&mut self, visit: &mut impl FnMut(&mut Word));

    /// Visits, for a full collection that has reached `code`, the words of the CAFs that it can
    /// reach, through other functions too (GHC: its static reference table). CAFs that were visited
    /// before in this collection may be left out. Called once for each code, after the first call
    /// of `roots`.
    fn code(&mut self, code: Code, visit: &mut impl FnMut(&mut Word));

    /// Visits, for a full collection that has reached the [`Suspended`](super::Kind::Suspended)
    /// node with this number, the words of its saved stack, and those of the CAFs that its code can
    /// reach. Called at least once before `sweep` for each that was reached, and once after it,
    /// where CAFs are not to be visited. Saved stacks never point to young nodes: a machine that
    /// saves a stack visits its words in `young` once.
    fn suspended(&mut self, id: i64, visit: &mut impl FnMut(&mut Word));

    /// Forgets, once a full collection has marked all live nodes, each CAF, and what else the
    /// machine keeps of a node without keeping the node alive, of whose word `is_live` is false,
    /// and each saved stack whose number was not asked for. `is_live` may replace the word, as
    /// `visit` does.
    fn sweep(&mut self, is_live: &mut impl FnMut(&mut Word) -> bool);

    /// Visits, for a full collection and after `sweep`, the words of all that may be forgotten
    /// there.
    fn cafs(&mut self, visit: &mut impl FnMut(&mut Word));
}

/// The selector thunks of a program: those that select a field of their only captured variable.
///
/// A thunk `fst p` keeps all of `p` alive. Once `p` is evaluated, the collector replaces the thunk
/// by the field (Wadler, *Fixing some space leaks with a garbage collector*, 1987).
#[derive(Clone, Default, Debug)]
pub struct Selectors {
    /// For each thunk the end of its row in `rows`; it begins at the end of the row before.
    ends: Vec<usize>,
    rows: Vec<(ConId, u32)>,
    /// How many thunks there are.
    thunks: usize,
    /// How many selections the collector has reduced.
    reduced: Cell<u64>,
}

impl Selectors {
    /// Returns the table with a row for each thunk: constructors, and the field that it selects of
    /// them. The row of a thunk that is no selector is empty. A thunk of more or less than one
    /// captured variable, and a field that the constructor does not have, are never reduced.
    pub fn new<'a>(of_thunks: impl IntoIterator<Item = &'a [(ConId, u32)]>) -> Selectors {
        let mut selectors = Selectors::default();
        selectors.extend(of_thunks);
        selectors
    }

    /// Adds the rows of more thunks.
    pub fn extend<'a>(&mut self, of_thunks: impl IntoIterator<Item = &'a [(ConId, u32)]>) {
        for row in of_thunks {
            // Many programs have none: then nothing is ever looked up.
            if self.rows.is_empty() && !row.is_empty() {
                self.ends.resize(self.thunks, 0);
            }
            self.thunks += 1;
            self.rows.extend_from_slice(row);
            if !self.rows.is_empty() {
                self.ends.push(self.rows.len());
            }
        }
    }

    /// Returns the rows of a thunk.
    #[inline]
    fn row(&self, thunk: u32) -> &[(ConId, u32)] {
        let at = thunk as usize;
        let Some(&end) = self.ends.get(at) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..end]
    }

    /// Returns whether a thunk selects from any constructor.
    #[inline]
    pub(super) fn is_selector(&self, thunk: u32) -> bool {
        !self.row(thunk).is_empty()
    }

    /// Counts a selection that was reduced.
    pub(super) fn count_reduced(&self) {
        self.reduced.set(self.reduced.get() + 1);
    }

    /// Returns how many selections were reduced.
    pub(super) fn reduced(&self) -> u64 {
        self.reduced.get()
    }

    /// Returns the field that a thunk selects from a constructor.
    #[inline]
    pub(super) fn selected(&self, thunk: u32, con: ConId) -> Option<usize> {
        let (_, field) = self.row(thunk).iter().find(|(of, _)| *of == con)?;
        Some(*field as usize)
    }
}
