//! What is known of how a supercombinator uses its arguments.

use crate::base::quote::shown;
use crate::core::expr::{CONS, ConId, Program};

/// What a supercombinator does to one argument whenever it is evaluated to weak head normal
/// form itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Demand {
    /// Perhaps nothing.
    #[default]
    Lazy,
    /// It evaluates it to weak head normal form, or ends in an error, or never ends.
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
    /// As [`Demand::Strict`]; the argument is this constructor, the only one of its type, and
    /// the fields for which this is true are evaluated too.
    Fields(ConId, Vec<bool>),
}

impl Demand {
    /// What is done to field `at` of an argument that is a constructor.
    #[must_use]
    pub fn field(&self, of: ConId, at: usize) -> &Demand {
        match self {
            Demand::List { elements: true, .. } if of == CONS && at == 0 => &Demand::Strict,
            Demand::List { spine: true, .. } if of == CONS && at == 1 => self,
            Demand::Fields(con, strict) if *con == of && strict.get(at) == Some(&true) => {
                &Demand::Strict
            }
            _ => &Demand::Lazy,
        }
    }

    /// In words: `lazy`, `strict`, `head-strict`, `tail-strict`, `fully strict`, or the
    /// constructor with a `!` for each field that is evaluated: `strict (Pair ! _)`.
    #[must_use]
    pub fn words(&self, program: &Program) -> String {
        match self {
            Demand::Lazy => "lazy".into(),
            Demand::Strict => "strict".into(),
            Demand::List { elements: true, spine: true } => "fully strict".into(),
            Demand::List { elements: true, spine: false } => "head-strict".into(),
            Demand::List { elements: false, spine: true } => "tail-strict".into(),
            Demand::List { elements: false, spine: false } => "strict".into(),
            Demand::Fields(con, fields) => {
                let fields = fields.iter().map(|&strict| if strict { " !" } else { " _" });
                let con = program.cons.get(*con).map_or("?", |con| &con.name);
                format!("strict ({}{})", shown(con), fields.collect::<String>())
            }
        }
    }
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
