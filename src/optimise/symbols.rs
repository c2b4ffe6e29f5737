//! Names for definitions that passes add.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::core::expr::Program;

/// The symbols that a program has.
pub(super) struct Symbols(FxHashSet<Arc<str>>);

impl Symbols {
    /// Returns the symbols of a program.
    pub fn new(program: &Program) -> Symbols {
        Symbols(program.globals.iter().map(|global| global.symbol.clone()).collect())
    }

    /// Returns a symbol that there was not: that of a definition with a mark, which no name of a source has
    /// in it.
    pub fn fresh(&mut self, of: &str, mark: char) -> Arc<str> {
        let mut symbol: Arc<str> = format!("{of}${mark}").into();
        while !self.0.insert(symbol.clone()) {
            symbol = format!("{symbol}{mark}").into();
        }
        symbol
    }
}
