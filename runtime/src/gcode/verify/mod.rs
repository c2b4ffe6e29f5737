//! What a machine may rely on: the checks that a program in G-code passes.
//!
//! - The tables agree with each other; data type 0 is `List`, constructors 0 and 1 are `Nil`
//!   and `Cons`; constructors are numbered type by type. Symbols are unique. Texts and big
//!   integers are numbered in the order of their first use, none twice.
//! - The program keeps the [limits], so that what a machine makes of it takes
//!   room in proportion to it.
//! - Every number in an instruction names something. Labels point forward.
//! - At every instruction the stack has the same depth on all paths, and every instruction
//!   can be reached. No code touches the redex or what is below it but by `Update`.
//! - **The redex** is updated exactly once on each path that ends in `Unwind`, which has
//!   nothing but the redex on the stack. After the update nothing is evaluated but by that
//!   `Unwind`, and no path fails.
//! - **A hole** is what `Alloc` pushes. It is filled exactly once, by an `Update` that
//!   addresses the stack item that `Alloc` has pushed: a copy of it cannot be filled. Between
//!   the `Alloc` and that `Update` stand only instructions that build: none that evaluates,
//!   takes an item for a value, jumps, is jumped to, ends the code or updates the redex. None
//!   of them takes the hole itself from the stack. So when anything is evaluated, no
//!   hole is left that any item or node could lead to, and code that makes the nodes of a
//!   `letrec` in one piece means the same. (A hole that is filled with itself, directly or by
//!   way of other holes, is a value that depends on itself.)
//! - A constructor as a function, and a host function as one, have the code that the compiler
//!   gives them: a machine may make the constructor without running it.
//! - `CaseJump` branches on the constructors of one type, each at most once, and has a default if
//!   it does not name all. `Split` takes apart a constructor of its number of fields: the one
//!   of the branch that it is reached by. `LitJump` branches on integers or on characters, each
//!   at most once, and has a default.
//!
//! Not checked: that the operands of arithmetic and of jumps by value have been evaluated. A
//! machine finds out by looking at them.

mod code;
mod stack;
mod tables;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use super::limits::{self, Counted};
use super::link::LinkError;
use super::print;
use super::program::{GlobalId, Program, Sizes};
use code::Check;
pub(super) use tables::Symbols;

/// Something that a program in G-code must not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The symbol of the global; `None` for the tables.
    pub global: Option<Arc<str>>,
    /// The number of the instruction.
    pub at: Option<usize>,
    /// What is wrong, one sentence.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(global) = &self.global {
            write!(f, "{}", print::name(global))?;
            if let Some(at) = self.at {
                write!(f, " {at}")?;
            }
            write!(f, ": ")?;
        }
        f.write_str(&self.message)
    }
}

/// Returns what is wrong with a program; empty if nothing is.
#[must_use]
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut found = Vec::new();
    tables::agree(program, Sizes::default(), &mut Symbols::default(), &mut found);
    tables::order_of_first_use(program, Sizes::default(), &mut found);
    if let Err(exceeded) = limits::check(program) {
        // What follows takes as much room as the limits let a program ask for.
        let message = exceeded.sentence(program);
        found.push(Violation { global: None, at: None, message });
        return found;
    }
    code(program, Sizes::default(), &mut found);
    found
}

/// Checks the code of the globals from the one on that `from` says.
fn code(program: &Program, from: Sizes, found: &mut Vec<Violation>) {
    for id in program.globals.indices_from(from.globals) {
        let mut check = Check::new(program, id, found);
        check.head();
        check.code();
    }
}

/// What a program that has passed the verifier counts for, and the symbols in it: so what is added
/// to it is verified in proportion to what is added.
#[derive(Clone, Default, Debug)]
pub(super) struct Progress {
    pub(super) symbols: Symbols,
    counted: Counted,
    /// What it counted for before the last addition.
    before: Counted,
}

impl Progress {
    /// Returns the progress of a program that has passed.
    pub(super) fn of(program: &Program) -> Progress {
        let mut progress = Progress::default();
        // It has no violations.
        let _ = progress.verify(program, Sizes::default(), |_, _, _| {});
        progress
    }

    /// Forgets the last addition: the entries that a program has beyond these sizes.
    pub(super) fn forget(&mut self, program: &Program, from: Sizes) {
        self.symbols.forget(program, from);
        self.counted = self.before;
    }

    /// Verifies the entries that a program has beyond these sizes, none of which has a symbol of
    /// the others. After an error they are to be [forgotten](Progress::forget).
    ///
    /// # Errors
    /// When the program exceeds a limit, or with all violations, at least one.
    pub(super) fn add(&mut self, program: &Program, from: Sizes) -> Result<(), LinkError> {
        self.verify(program, from, code)
    }

    fn verify(
        &mut self,
        program: &Program,
        from: Sizes,
        code: impl FnOnce(&Program, Sizes, &mut Vec<Violation>),
    ) -> Result<(), LinkError> {
        let mut found = Vec::new();
        tables::agree(program, from, &mut self.symbols, &mut found);
        tables::order_of_first_use(program, from, &mut found);
        self.before = self.counted;
        let mut counted = self.counted;
        if let Err(exceeded) = limits::check_from(program, from, &mut counted) {
            return Err(LinkError::TooLarge(exceeded.sentence(program)));
        }
        code(program, from, &mut found);
        if found.is_empty() {
            self.counted = counted;
            Ok(())
        } else {
            Err(LinkError::Invalid(found))
        }
    }
}

/// Returns the depth of the stack, the redex included, before each instruction of a global; `None`
/// where nothing leads, or past a violation that leaves it unknown. Empty if there is no such
/// global.
#[must_use]
pub fn depths(program: &Program, id: GlobalId) -> Vec<Option<u64>> {
    if program.globals.get(id).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut check = Check::new(program, id, &mut found);
    check.code();
    check.depths()
}
