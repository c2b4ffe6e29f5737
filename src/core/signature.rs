//! What is known of how a supercombinator uses its arguments.

use std::fmt;

use crate::base::quote::for_message;
use crate::core::expr::{CONS, ConId, Program};

/// What a supercombinator does to one argument whenever it is evaluated to weak head normal
/// form itself, or at once after it: where all who call it evaluate a field of what it returns, it
/// does so itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Demand {
    /// Perhaps not evaluated.
    #[default]
    Lazy,
    /// Evaluated to weak head normal form; or else the call ends in an error, or never ends.
    Strict,
    /// As [`Demand::Strict`]; and of each cell of the list that is ever evaluated because of
    /// this call, what is said here is evaluated too. (The four demands on lists: Wadler and
    /// Hughes, "Projections for strictness analysis", 1987.)
    List {
        /// The element: head-strict.
        elements: bool,
        /// The rest of the list: tail-strict. With `elements`, fully strict.
        spine: bool,
    },
    /// As [`Demand::Strict`]; and some fields of the argument are evaluated too.
    Fields {
        /// The constructor, the only one of its type.
        con: ConId,
        /// The number of its fields; at most 32.
        count: u32,
        /// The fields: bit 0 is the first one.
        strict: u32,
    },
}

impl Demand {
    /// Returns what is done to field `at` of an argument that is a constructor.
    #[must_use]
    pub fn field(self, of: ConId, at: usize) -> Demand {
        match self {
            Demand::List { elements: true, .. } if of == CONS && at == 0 => Demand::Strict,
            Demand::List { spine: true, .. } if of == CONS && at == 1 => self,
            Demand::Fields { con, strict, .. } if con == of && at < 32 && strict & 1 << at != 0 => {
                Demand::Strict
            }
            _ => Demand::Lazy,
        }
    }

    /// Returns what [`Display`](fmt::Display) writes, with the constructor: `strict (Pair ! _)`.
    #[must_use]
    pub fn words(self, program: &Program) -> String {
        match self {
            Demand::Fields { con, .. } => {
                let con = program.cons.get(con).map_or("?", |con| &con.name);
                self.to_string().replacen('(', &format!("({} ", for_message(con)), 1)
            }
            _ => self.to_string(),
        }
    }
}

/// In words: `lazy`, `strict`, `head-strict`, `tail-strict`, `fully strict`; of a constructor,
/// a `!` for each field that is evaluated and a `_` for each other one: `strict (! _)`.
impl fmt::Display for Demand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Demand::Lazy => out.write_str("lazy"),
            Demand::List { elements: true, spine: true } => out.write_str("fully strict"),
            Demand::List { elements: true, spine: false } => out.write_str("head-strict"),
            Demand::List { elements: false, spine: true } => out.write_str("tail-strict"),
            Demand::Strict | Demand::List { elements: false, spine: false } => {
                out.write_str("strict")
            }
            Demand::Fields { count, strict, .. } => {
                let field = |at: u32| if strict & 1 << at != 0 { "!" } else { "_" };
                let fields: Vec<_> = (0..count.min(32)).map(field).collect();
                write!(out, "strict ({})", fields.join(" "))
            }
        }
    }
}

/// The signature of a supercombinator. The default is what is known without analysis.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// For each parameter; empty if nothing is known.
    pub demands: Vec<Demand>,
    /// Whether a call with all arguments always diverges or fails.
    pub fails: bool,
}

impl Signature {
    /// Returns what is done to the argument of a parameter.
    #[must_use]
    pub fn demand(&self, parameter: usize) -> Demand {
        self.demands.get(parameter).copied().unwrap_or_default()
    }

    /// Returns whether an argument may be evaluated before the call. Never so for what always
    /// fails: it would be strict in everything, and report the argument's error in place of its
    /// own.
    #[must_use]
    pub fn is_strict(&self, parameter: usize) -> bool {
        !self.fails && self.demand(parameter) != Demand::Lazy
    }
}
