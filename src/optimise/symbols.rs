//! Names for definitions that passes add.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::expr::Program;

/// The symbols that a program has.
pub(super) struct Symbols {
    all: FxHashSet<Arc<str>>,
    /// The last number that was given with a definition and a mark.
    numbers: FxHashMap<String, u32>,
}

impl Symbols {
    /// Returns the symbols of a program.
    pub fn new(program: &Program) -> Symbols {
        let all = program.globals.iter().map(|global| global.symbol.clone()).collect();
        Symbols { all, numbers: FxHashMap::default() }
    }

    /// Returns a symbol that there was not: that of a definition with a mark, which no name of a source has
    /// in it.
    pub fn fresh(&mut self, of: &str, mark: char) -> Arc<str> {
        let mut symbol: Arc<str> = format!("{of}${mark}").into();
        while !self.all.insert(symbol.clone()) {
            symbol = format!("{symbol}{mark}").into();
        }
        symbol
    }

    /// Returns a symbol that there was not: that of a definition with a mark and a number.
    pub fn numbered(&mut self, of: &str, mark: char) -> Arc<str> {
        let base = format!("{of}${mark}");
        let number = self.numbers.entry(base.clone()).or_insert(0);
        loop {
            *number += 1;
            let symbol: Arc<str> = format!("{base}{number}").into();
            if self.all.insert(symbol.clone()) {
                return symbol;
            }
        }
    }
}
