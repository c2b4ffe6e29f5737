//! Interned names.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::index::{Idx, IndexVec};

crate::define_index! {
    /// An identifier; two are equal when their texts are.
    pub Name;
}

/// The texts of all names.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    texts: IndexVec<Name, Arc<str>>,
    names: FxHashMap<Arc<str>, Name>,
}

impl Interner {
    /// Returns an interner without names.
    #[must_use]
    pub fn new() -> Interner {
        Interner::default()
    }

    /// Returns the name with this text.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.names.get(text) {
            return name;
        }
        let text: Arc<str> = text.into();
        let name = self.texts.push(text.clone());
        self.names.insert(text, name);
        name
    }

    /// Returns the name with this text, if something bears it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Name> {
        self.names.get(text).copied()
    }

    /// Returns the text of a name.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name]
    }

    /// Returns the text of a name, to be kept.
    #[must_use]
    pub fn shared(&self, name: Name) -> Arc<str> {
        self.texts[name].clone()
    }

    /// Returns the number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns all names.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        (0..self.texts.len()).map(Name::new)
    }
}
