//! What the comments of the corelib and the language's page say of functions.

use gmachine::inspect::corelib::{MODULES, text};

/// The page whose tables tell of the primitives.
const LANGUAGE: &str = include_str!("../../docs/language.md");

/// Where a primitive is defined.
pub const PRIMITIVES: &str = "primitives";

/// A function, constant or data type as its comment tells of it.
#[derive(Debug)]
pub struct Entry {
    /// The module that defines it; [`PRIMITIVES`] for those.
    pub module: &'static str,
    /// Its name and parameters, `take[n xs]`; of a data type its definition.
    pub signature: String,
    name: &'static str,
    /// Its comment, a line each, without semicolons: text, then examples.
    comment: Vec<&'static str>,
}

impl Entry {
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the first sentence.
    pub fn summary(&self) -> String {
        let text = self.comment.iter().take_while(|line| !is_example(line));
        let text = text.copied().collect::<Vec<_>>().join(" ");
        // Three dots end no sentence.
        let mut ends = text.match_indices(". ").map(|(at, _)| at);
        match ends.find(|&at| !text[..at].ends_with('.')) {
            Some(end) => text[..=end].to_owned(),
            None => text,
        }
    }

    /// Returns all of it: the signature, where it is, the comment with its examples.
    pub fn text(&self) -> String {
        let place = match self.module {
            PRIMITIVES => "a primitive".to_owned(),
            "prelude" => "prelude".to_owned(),
            module => format!("(import {module})"),
        };
        let mut text = format!("{}    ; {place}\n", self.signature);
        for line in &self.comment {
            text.push_str(if line.is_empty() { "" } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// Returns whether each of the words is in the name or the text, whatever the case of letters.
    fn has(&self, words: &[String]) -> bool {
        let text = self.comment.iter().take_while(|line| !is_example(line));
        let text = format!("{} {}", self.name, text.copied().collect::<Vec<_>>().join(" "));
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

fn is_example(line: &str) -> bool {
    line.trim_start().starts_with("> ")
}

/// Returns the entries of a module, in the order of its text; none if there is no such module.
pub fn module(name: &str) -> Vec<Entry> {
    if name == PRIMITIVES {
        return primitives();
    }
    let Some(&module) = MODULES.iter().find(|module| **module == name) else { return Vec::new() };
    let mut entries = Vec::new();
    let mut comment = Vec::new();
    for line in text(module).unwrap_or("").lines() {
        if let Some(said) = line.strip_prefix(";;") {
            comment.push(said.strip_prefix(' ').unwrap_or(said));
            continue;
        }
        let comment = std::mem::take(&mut comment);
        let signature = line
            .strip_prefix("(defn ")
            .and_then(|rest| rest.find(']').and_then(|end| rest.get(..=end)));
        if let Some(signature) = signature.filter(|_| !comment.is_empty()) {
            let name = signature.split('[').next().unwrap_or(signature);
            // A hyphen marks what is private to its file.
            if name.contains('-') {
                continue;
            }
            entries.push(Entry { module, signature: signature.to_owned(), name, comment });
        }
    }
    entries
}

/// Returns the primitives, as the tables of the language's page have them.
fn primitives() -> Vec<Entry> {
    let mut entries = Vec::new();
    for line in LANGUAGE.lines() {
        let Some(row) = line.strip_prefix("| `").and_then(|row| row.strip_suffix(" |")) else {
            continue;
        };
        let mut cells = row.splitn(3, " | ");
        let (Some(names), Some(Ok(arity)), Some(said)) =
            (cells.next(), cells.next().map(str::parse::<usize>), cells.next())
        else {
            continue;
        };
        for name in names.split('`').filter(|name| !name.trim().is_empty()) {
            let params = &["x", "y", "z"][..arity.min(3)];
            let signature = format!("{name}[{}]", params.join(" "));
            entries.push(Entry { module: PRIMITIVES, signature, name, comment: vec![said] });
        }
    }
    entries
}

/// Returns all entries: the primitives, the prelude, the other modules.
pub fn all() -> Vec<Entry> {
    let modules = [PRIMITIVES].into_iter().chain(MODULES.iter().copied());
    modules.flat_map(module).collect()
}

/// Returns the entries that have all the words, those whose name has one of them first.
pub fn search(words: &str) -> Vec<Entry> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let mut found: Vec<Entry> = all().into_iter().filter(|entry| entry.has(&words)).collect();
    let is_named = |entry: &Entry| {
        let name = entry.name.to_lowercase();
        words.iter().any(|word| name.contains(word.as_str()))
    };
    found.sort_by_key(|entry| !is_named(entry));
    found
}

/// Returns what a module is for: the first sentence of its text.
pub fn about(module: &str) -> String {
    if module == PRIMITIVES {
        return "the functions that the machine itself computes".to_owned();
    }
    let text = text(module).unwrap_or("");
    let lines = text.lines().map_while(|line| line.strip_prefix(';')).map(str::trim);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    let text = text.split_once(": ").map_or(text.as_str(), |(_, about)| about);
    let end = text.find(". ").or_else(|| text.strip_suffix('.').map(str::len));
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Returns a line for each entry: signature, first sentence.
pub fn list(entries: &[Entry]) -> String {
    let lines =
        entries.iter().map(|entry| format!("{:<28} {}\n", entry.signature, entry.summary()));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_and_every_public_function_has_an_entry() {
        let entries = all();
        let has = |module: &str, name: &str| {
            entries.iter().any(|entry| entry.module == module && entry.name == name)
        };
        for primitive in gmachine::primitive::Primitive::ALL {
            let name = primitive.name();
            assert!(primitive.is_reserved() || has(PRIMITIVES, name), "{name}");
        }
        for &module in MODULES {
            let defined = text(module).expect("a module").lines();
            let defined = defined.filter_map(|line| line.strip_prefix("(defn ")?.split('[').next());
            for name in defined.filter(|name| !name.contains('-')) {
                assert!(has(module, name), "{module}: {name}");
            }
            assert!(!about(module).is_empty(), "{module}");
        }
    }

    #[test]
    fn what_has_the_word_in_its_name_is_found_first() {
        let found = search("FOLD at once");
        let names: Vec<&str> = found.iter().map(Entry::name).collect();
        assert!(names.contains(&"foldl'"), "{names:?}");
        let foldr = module("prelude").into_iter().find(|entry| entry.name == "foldr");
        let summary = foldr.expect("an entry").summary();
        assert_eq!(summary, "(foldr f z xs) is (f a (f b (... z))) for xs of elements a, b, ...");
        let first = names.iter().position(|name| !name.to_lowercase().contains("fold"));
        let first = first.unwrap_or(names.len());
        assert!(names[first..].iter().all(|name| !name.to_lowercase().contains("fold")));
        assert!(search("no such words anywhere").is_empty());
    }
}
