//! Copies of definitions that are made by need: each for what is known where it is called, which is its key.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::symbols::Symbols;
use super::{Pass, Report};
use crate::core::copy::Copier;
use crate::core::expr::{GlobalId, Program};

/// How many copies there may be.
#[derive(Clone, Copy)]
pub(super) struct Most {
    /// Of one definition.
    pub each: u32,
    /// The expressions of the program with which another one is begun.
    pub expressions: usize,
}

/// The copies of a program's definitions.
pub(super) struct Versions<K> {
    made: FxHashMap<K, GlobalId>,
    counts: FxHashMap<GlobalId, u32>,
    most: Most,
    /// The names that definitions have.
    pub symbols: Symbols,
    /// What the names of copies have in them.
    mark: char,
    /// The copies whose bodies are to be written.
    work: Vec<(K, GlobalId)>,
}

impl<K: Clone + Eq + Hash> Versions<K> {
    /// Returns no copies.
    pub fn new(program: &Program, most: Most, mark: char) -> Versions<K> {
        Versions {
            made: FxHashMap::default(),
            counts: FxHashMap::default(),
            most,
            symbols: Symbols::new(program),
            mark,
            work: Vec::new(),
        }
    }

    /// Returns the copy of a definition for a key, a new one if there may be one more. `describe` says after
    /// its name what it is.
    pub fn get(
        &mut self,
        copier: &mut Copier<'_>,
        (of, key): (GlobalId, &K),
        report: &mut Report,
        describe: impl FnOnce() -> String,
    ) -> Option<GlobalId> {
        if let Some(&copy) = self.made.get(key) {
            return Some(copy);
        }
        let count = self.counts.entry(of).or_insert(0);
        if *count >= self.most.each || copier.new.exprs.len() > self.most.expressions {
            return None;
        }
        *count += 1;
        let mut global = copier.old.globals[of].clone();
        global.symbol = self.symbols.numbered(&global.symbol, self.mark);
        report.decide(Pass::Specialise, || format!("{} is {}", global.symbol, describe()));
        let new = copier.new.globals.push(global);
        self.made.insert(key.clone(), new);
        self.work.push((key.clone(), new));
        Some(new)
    }

    /// Returns a copy whose body is to be written, and its key.
    pub fn next(&mut self) -> Option<(K, GlobalId)> {
        self.work.pop()
    }

    /// Returns how many copies there are.
    pub fn count(&self) -> u64 {
        self.made.len() as u64
    }
}
