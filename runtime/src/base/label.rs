//! Display names: what a front end calls its definitions where people see them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The display names of a program, by the names in the code. Data types have a space of their own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// Those of functions, constants and constructors.
    pub definitions: BTreeMap<Arc<str>, Arc<str>>,
    /// Those of data types.
    pub types: BTreeMap<Arc<str>, Arc<str>>,
}

impl Labels {
    /// Returns the display name of a definition, or of what was lifted out of it, and the rest of
    /// the symbol after the definition's own name.
    #[must_use]
    pub fn of<'a>(&self, symbol: &'a str) -> Option<(&Arc<str>, &'a str)> {
        if self.definitions.is_empty() {
            return None;
        }
        let end = symbol.find('$').unwrap_or(symbol.len());
        let (stem, rest) = symbol.split_at(end);
        Some((self.definitions.get(stem)?, rest))
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty() && self.types.is_empty()
    }

    /// Adds those of a program that is added; they hold where both have one.
    pub fn extend(&mut self, other: Labels) {
        self.definitions.extend(other.definitions);
        self.types.extend(other.types);
    }
}
