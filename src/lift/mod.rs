//! Core to supercombinators: dependency analysis, then lambda lifting.
//!
//! What comes out is core of a narrower form. There is no `Lam`: a function has become a
//! supercombinator whose first parameters are the variables that it captured (Johnsson,
//! "Lambda lifting", 1985; Peyton Jones and Lester, "Implementing Functional Languages",
//! 1992, chapter 6). `Force`, `Switch`, `Join`, `Jump` and `NoMatch` stand in strict contexts
//! only: one in a lazy context has become a supercombinator of the variables in it.
//!
//! A context is strict if what stands there is evaluated as soon as the expression around
//! it is: the body of a supercombinator; in a strict context, the body of `Let`, `Letrec`
//! and `Force`, the value of `Force`, the parts of `Switch` and `Join`, and the operands of a
//! saturated primitive other than `error`. (Of `if`'s two last operands and `seq`'s last one
//! only what is taken is evaluated, and in their place.) So is an argument of a call that has
//! all its arguments, if the signature of what is called says that it is evaluated; lifting
//! itself finds no signatures. Everything else is lazy.
//!
//! An occurrence of a local function becomes an application to what it captures: that is a
//! partial application, a value, so no work is repeated. Where that would make a definition
//! too large, its functions are bound to such applications once, and occur as variables. What
//! is captured is passed on, so a shared expression stays shared. A lazy expression without
//! variables becomes a CAF.

mod capture;
mod dependency;
pub mod lint;
mod supercombinators;

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::limits::{MAX_ARITY, exceeds_arity, too_many};
use crate::base::span::Span;
use crate::core::expr::{Global, GlobalKind, Program};

/// The number of captured variables that any program may have. A function takes what it captures
/// as parameters and passes on what the functions in it capture, so nested functions that all
/// use the variables of all others become code of quadratic size.
const CAPTURES: usize = 1 << 22;
/// The number of captured variables that a program may have in addition for each of its
/// expressions. The result is linear in the program.
const CAPTURES_PER_EXPRESSION: usize = 4;

/// The number of captured variables up to which the local functions of a definition are lifted:
/// what they capture is passed to them where they are called. Beyond it they are values.
const LIFTED: usize = 1 << 14;
/// The number of captured variables in addition for each expression of the definition.
const LIFTED_PER_EXPRESSION: usize = 4;

/// Why a program has no supercombinators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Its functions capture so many variables that its supercombinators would be far larger than
    /// the program.
    Captures {
        /// The function or expression that captures most.
        span: Span,
    },
    /// A supercombinator has more than [`MAX_ARITY`] parameters.
    Parameters {
        /// The function that has become the supercombinator.
        span: Span,
        /// The number of parameters, the captured variables among them.
        count: usize,
    },
}

impl Refused {
    /// Returns the report.
    #[must_use]
    pub fn diagnostic(self) -> Diagnostic {
        match self {
            Refused::Captures { span } => {
                let message = "the local functions here capture too many variables";
                Diagnostic::error(Code::TooManyCaptures, span, message)
                    .label("captures most of them")
                    .help(
                        "hand over one structure that holds the variables, or nest fewer functions",
                    )
            }
            Refused::Parameters { span, count } => {
                too_many(span, exceeds_arity("this function", count, "parameters"))
                    .note("the variables that it uses from outside are counted")
            }
        }
    }
}

/// Lifts a program without errors. The result holds what `main` and the roots reach, in the
/// order in which it is met; supercombinators that were no definitions are called after the
/// one that they stood in, `name$1`, and have no display name.
///
/// # Errors
/// [`Refused`] for a program whose supercombinators would be too large. What is not refused takes
/// time and space linear in the program, or is small.
pub fn lift(program: Program) -> Result<Program, Refused> {
    let mut program = program;
    let budget = CAPTURES + CAPTURES_PER_EXPRESSION * program.exprs.len();
    let groups = dependency::split_letrecs(&mut program);
    let captures = capture::captures(&program, &groups, budget)?;
    let lifted = supercombinators::write(&mut program, &captures);
    // Before the optimiser, which may remove parameters: what is refused is the same at each level.
    match lifted.globals.iter().find_map(excess) {
        Some(refused) => Err(refused),
        None => Ok(lifted),
    }
}

/// Returns how a global exceeds the limit on parameters, if it does.
fn excess(global: &Global) -> Option<Refused> {
    let GlobalKind::Defn { params, .. } = global.kind else { return None };
    let count = params.len();
    (count > MAX_ARITY as usize).then_some(Refused::Parameters { span: global.span, count })
}
