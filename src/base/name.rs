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
    /// An interner without names.
    #[must_use]
    pub fn new() -> Interner {
        Interner::default()
    }

    /// The name with this text.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.names.get(text) {
            return name;
        }
        let text: Arc<str> = text.into();
        let name = self.texts.push(text.clone());
        self.names.insert(text, name);
        name
    }

    /// The name with this text, if something bears it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Name> {
        self.names.get(text).copied()
    }

    /// The text of a name.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name]
    }

    /// The text of a name, to be kept.
    #[must_use]
    pub fn shared(&self, name: Name) -> Arc<str> {
        self.texts[name].clone()
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        (0..self.texts.len()).map(Name::new)
    }
}
