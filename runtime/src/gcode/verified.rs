//! Programs that have passed the verifier, as a type: what every machine takes.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::link::{Addition, LinkError, Linked, link};
use super::program::{GlobalId, Program, Sizes};
use super::verify::{Progress, Violation, verify};

/// A program that has passed the [verifier](super::verify): cheap to clone, shared, and changed by
/// nothing but verified additions.
///
/// The machines rely on what the verifier checks, the fast one without looking again: its
/// memory safety rests on this type. So nothing else makes one, the compiler's own chain
/// included, and nothing else changes the program in one.
#[derive(Clone)]
pub struct Verified {
    program: Arc<Program>,
    /// `None` before the first addition.
    growth: Option<Arc<Growth>>,
}

/// What is known of a program that grows.
#[derive(Clone)]
struct Growth {
    progress: Progress,
    /// The number of additions: part of the symbols of definitions that hide others.
    additions: u32,
    /// The sizes of the tables and `main` before the last addition.
    before: (Sizes, Option<GlobalId>),
}

impl Verified {
    /// Verifies a program. Takes time and memory in proportion to its size.
    ///
    /// # Errors
    /// When the verifier refuses it: all violations, at least one.
    pub fn new(program: Program) -> Result<Verified, Vec<Violation>> {
        let violations = verify(&program);
        if !violations.is_empty() {
            return Err(violations);
        }
        Ok(Verified { program: Arc::new(program), growth: None })
    }

    /// Adds definitions, once they have been verified together with what is there. Their symbols
    /// stay what they are, unless something before has them.
    ///
    /// The first time this takes time in proportion to the program, which is copied if it is
    /// shared; later, in proportion to what is added.
    ///
    /// # Errors
    /// When that makes no valid program, or one that is too large. Then it is as it was.
    #[doc(hidden)]
    pub fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError> {
        let program = Arc::make_mut(&mut self.program);
        let before = (program.sizes(), program.main);
        let growth = self.growth.get_or_insert_with(|| {
            Arc::new(Growth { progress: Progress::of(program), additions: 0, before })
        });
        let growth = Arc::make_mut(growth);
        growth.before = before;
        growth.additions += 1;
        let (symbols, number) = (&growth.progress.symbols, growth.additions);
        let linked = link(program, addition, |table, symbol| match symbols.has(table, &symbol) {
            true => format!("{symbol}@{number}").into(),
            false => symbol,
        });
        let Some(linked) = linked else {
            (program.main, _) = (before.1, program.truncate(before.0));
            let message = "the links do not fit the program".to_owned();
            return Err(LinkError::Invalid(vec![Violation { global: None, at: None, message }]));
        };
        match growth.progress.add(program, before.0) {
            Ok(()) => Ok(linked),
            Err(error) => {
                self.undo();
                Err(error)
            }
        }
    }

    /// Takes the last addition back. Before the first one, and after this, there is none.
    #[doc(hidden)]
    pub fn undo(&mut self) {
        let Some(growth) = &mut self.growth else { return };
        let (growth, program) = (Arc::make_mut(growth), Arc::make_mut(&mut self.program));
        let (sizes, main) = growth.before;
        growth.progress.forget(program, sizes);
        program.truncate(sizes);
        program.main = main;
    }

    /// Returns the program, to be changed: copied if it is shared.
    #[must_use]
    pub fn into_program(self) -> Program {
        Arc::unwrap_or_clone(self.program)
    }
}

impl PartialEq for Verified {
    fn eq(&self, other: &Verified) -> bool {
        self.program == other.program
    }
}

impl Eq for Verified {}

impl Deref for Verified {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl AsRef<Program> for Verified {
    fn as_ref(&self) -> &Program {
        self
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}
