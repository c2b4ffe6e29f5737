//! Programs that have passed the verifier, as a type: what every machine takes.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::program::Program;
use super::verify::{Violation, verify};

/// A program that has passed the [verifier](super::verify): immutable, cheap to clone, shared.
///
/// The machines rely on what the verifier checks, the fast one without looking again: its
/// memory safety rests on this type. So nothing else makes one, the compiler's own chain
/// included, and nothing changes the program in one.
#[derive(Clone, PartialEq, Eq)]
pub struct Verified(Arc<Program>);

impl Verified {
    /// Verifies a program. Takes time and memory in proportion to its size.
    ///
    /// # Errors
    /// When the verifier refuses it: all violations, at least one.
    pub fn new(program: Program) -> Result<Verified, Vec<Violation>> {
        let violations = verify(&program);
        if violations.is_empty() { Ok(Verified(Arc::new(program))) } else { Err(violations) }
    }

    /// The program, to be changed: copied if it is shared.
    #[must_use]
    pub fn into_program(self) -> Program {
        Arc::unwrap_or_clone(self.0)
    }
}

impl Deref for Verified {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}

impl AsRef<Program> for Verified {
    fn as_ref(&self) -> &Program {
        self
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
