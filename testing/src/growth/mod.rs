//! Programs of any size of one shape: a form or a function nested in itself, definitions that
//! call the ones before them, lists of one thing. What a compiler spends on one that is twice
//! as large is at most a little more than twice as much.

use std::borrow::Cow;

mod contexts;
mod definitions;
mod mixed;
mod nests;
mod steps;
mod structures;

pub use contexts::nested;
use definitions::{CHAINS, ROWS};
pub use mixed::mixed;
use nests::NESTS;
use steps::{FUNCTIONS, INTEGERS, LISTS, PAIRS};
use structures::STRUCTURES;

/// A family of programs that a number makes larger.
#[derive(Clone, Debug)]
pub struct Growth {
    /// What it is called in reports.
    pub name: Cow<'static, str>,
    kind: Kind,
    /// Definitions that all sizes have.
    head: &'static str,
    /// What is repeated: `#` is its number, `@` what is inside it or, in a chain, the number
    /// of the definition before.
    step: Cow<'static, str>,
    /// What is inside the innermost, or the definition number 0.
    base: &'static str,
    /// The rest of the program, in which `@` is the outermost, or the number of the last.
    main: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// An expression in an expression.
    Nest,
    /// A definition that uses the one before.
    Chain,
    /// One thing after the other.
    Row,
}

impl Growth {
    /// Returns the program with so many repetitions.
    #[must_use]
    pub fn program(&self, count: usize) -> String {
        let mut out = String::from(self.head);
        match self.kind {
            Kind::Nest => {
                let (before, after) = self.step.split_once('@').unwrap_or((&self.step, ""));
                let numbered = |text: &str, at: usize| text.replace('#', &at.to_string());
                let mut nest: String = (1..=count).rev().map(|at| numbered(before, at)).collect();
                nest += self.base;
                nest.extend((1..=count).map(|at| numbered(after, at)));
                out += &self.main.replace('@', &nest);
            }
            Kind::Chain => {
                out += self.base;
                for at in 1..=count {
                    let step = self.step.replace('#', &at.to_string());
                    out += &step.replace('@', &(at - 1).to_string());
                    out.push('\n');
                }
                out += &self.main.replace('@', &count.to_string());
            }
            Kind::Row => {
                let row: Vec<String> =
                    (1..=count).map(|at| self.step.replace('#', &at.to_string())).collect();
                out += &self.main.replace('@', &row.join(self.base));
            }
        }
        out.push('\n');
        out
    }

    /// Returns how many repetitions a program of so many bytes has.
    #[must_use]
    pub fn repetitions(&self, bytes: usize) -> usize {
        let (few, more) = (self.program(64).len(), self.program(128).len());
        let each = ((more - few) / 64).max(1);
        (bytes / each).max(4)
    }
}

/// Returns all families.
pub fn all() -> impl Iterator<Item = Growth> {
    let integers = INTEGERS.iter().map(|&(name, step)| (name, "", step, "k", OF_INTEGERS));
    let lists = LISTS.iter().map(|&(name, step)| (name, "", step, "i", OF_LISTS));
    let functions = FUNCTIONS.iter().map(|&(name, step)| (name, "", step, "succ", OF_FUNCTIONS));
    let pairs = PAIRS.iter().map(|&(name, step)| (name, "", step, "(i 1)", OF_PAIRS));
    let nests = integers.chain(lists).chain(functions).chain(pairs);
    let nests = nests.chain(NESTS.iter().chain(STRUCTURES).copied()).map(|row| (Kind::Nest, row));
    let chains =
        CHAINS.iter().map(|&(name, step, base, main)| (Kind::Chain, (name, "", step, base, main)));
    let rows = ROWS.iter().map(|&row| (Kind::Row, row));
    nests.chain(chains).chain(rows).map(|(kind, (name, head, step, base, main))| Growth {
        name: name.into(),
        kind,
        head,
        step: step.into(),
        base,
        main,
    })
}

/// What the programs of integers, lists, functions and pairs do with the outermost.
const OF_INTEGERS: &str = "(defn main[i] (go (length i)))(defn go[k] @)";
const OF_LISTS: &str = "(defn main[i] @)";
const OF_FUNCTIONS: &str = "(defn main[i] (@ (length i)))";
const OF_PAIRS: &str = "(defn main[i] (fst @))";

/// Name, definitions, step, innermost, main.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);
