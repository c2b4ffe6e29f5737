//! What names of MicroHs are in CoreF: its primitives, functions of C, and definitions of its
//! library that have better ones here. The tables are in `support/names.txt`, the functions that
//! they mention in the other files of `support/`.

use std::collections::HashMap;

use anyhow::{Context, Result};

use crate::constant;
use crate::emit::mangled;

/// The functions of the runtime, in CoreF.
const RUNTIME: [&str; 4] = [
    include_str!("../support/runtime.core"),
    include_str!("../support/streams.core"),
    include_str!("../support/threads.core"),
    include_str!("../support/values.core"),
];

/// The tables.
const NAMES: &str = include_str!("../support/names.txt");

/// The tables of names.
pub struct Support {
    primitives: HashMap<&'static str, String>,
    foreign: HashMap<&'static str, String>,
    pure: HashMap<&'static str, String>,
    definitions: HashMap<&'static str, String>,
    runtime: String,
    wanted: Vec<String>,
}

impl Support {
    /// Reads the tables.
    ///
    /// # Errors
    /// When a line of them is of none of their forms.
    pub fn new() -> Result<Support> {
        let mut wanted = Vec::new();
        let mut support = Support {
            primitives: HashMap::new(),
            foreign: HashMap::new(),
            pure: HashMap::new(),
            definitions: HashMap::new(),
            runtime: String::new(),
            wanted: Vec::new(),
        };
        for line in
            RUNTIME.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with(';'))
        {
            support.runtime.push_str(&references(line, &mut wanted));
            support.runtime.push('\n');
        }
        for line in NAMES.lines().filter(|line| !line.is_empty() && !line.starts_with(';')) {
            let form = || format!("`{line}` is no line of the table");
            let (kind, rest) = line.split_once(' ').with_context(form)?;
            let (name, code) = rest.split_once(" = ").with_context(form)?;
            let code = references(code, &mut wanted);
            let table = match kind {
                "primitive" => &mut support.primitives,
                "foreign" => &mut support.foreign,
                "pure" => &mut support.pure,
                "define" => &mut support.definitions,
                _ => anyhow::bail!(form()),
            };
            table.insert(name, code);
        }
        wanted.sort_unstable();
        wanted.dedup();
        support.wanted = wanted;
        Ok(support)
    }

    /// Returns the CoreF of a primitive.
    #[must_use]
    pub fn primitive(&self, name: &str) -> Option<&str> {
        self.primitives.get(name).map(String::as_str)
    }

    /// Returns the CoreF of a definition of the library that has a better one here.
    #[must_use]
    pub fn definition(&self, name: &str) -> Option<&str> {
        self.definitions.get(name).map(String::as_str)
    }

    /// Returns the CoreF of a function of C that has no effects: of the function itself, not of an
    /// action.
    #[must_use]
    pub fn pure(&self, name: &str) -> Option<&str> {
        self.pure.get(name).map(String::as_str)
    }

    /// Returns the CoreF of a function of C, whose result is an action; after `=` of a constant
    /// expression.
    #[must_use]
    pub fn foreign(&self, name: &str) -> String {
        let constant = || constant::value(name.strip_prefix('=')?, &|name| self.constant(name));
        match self.foreign.get(name.strip_prefix('=').unwrap_or(name)) {
            Some(code) => code.clone(),
            None => match constant() {
                Some(value) => format!("(#return {value})"),
                None => self.missing(name),
            },
        }
    }

    /// Returns the value of a constant of C.
    fn constant(&self, name: &str) -> Option<i64> {
        self.foreign.get(name)?.strip_prefix("(#return ")?.strip_suffix(')')?.parse().ok()
    }

    /// Returns an expression that fails and names what there is not.
    #[must_use]
    pub fn missing(&self, name: &str) -> String {
        format!("(h_missing {})", crate::emit::literal(name))
    }

    /// Returns the functions of the runtime.
    #[must_use]
    pub fn runtime(&self) -> &str {
        &self.runtime
    }

    /// Returns the names of Haskell that tables and runtime mention.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        self.wanted.iter().map(String::as_str)
    }
}

/// Puts the names of CoreF in place of those of Haskell, which are written `@{Module.name}`.
fn references(text: &str, wanted: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("@{") {
        let Some((name, after)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&mangled(name));
        wanted.push(name.to_owned());
        rest = after;
    }
    out + rest
}
