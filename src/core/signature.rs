//! What is known of how a supercombinator uses its arguments.

use std::fmt;

/// What a supercombinator does to one argument whenever it is evaluated to weak head normal
/// form itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Demand {
    /// Perhaps nothing.
    #[default]
    Lazy,
    /// It evaluates it to weak head normal form, or ends in an error, or never ends.
    Strict,
}

/// The signature of a supercombinator. The default is what is known without analysis.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// For each parameter; empty if nothing is known.
    pub demands: Vec<Demand>,
    /// Whether a call with all arguments never comes to a value.
    pub fails: bool,
}

impl Signature {
    /// What is done to the argument of a parameter.
    #[must_use]
    pub fn demand(&self, parameter: usize) -> &Demand {
        self.demands.get(parameter).unwrap_or(&Demand::Lazy)
    }

    /// Whether an argument may be evaluated before the call. Never so for what always fails:
    /// it would be strict in everything, and report the argument's error in place of its own.
    #[must_use]
    pub fn is_strict(&self, parameter: usize) -> bool {
        !self.fails && *self.demand(parameter) != Demand::Lazy
    }
}

/// In words: `lazy`, `strict`.
impl fmt::Display for Demand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Demand::Lazy => "lazy",
            Demand::Strict => "strict",
        })
    }
}
