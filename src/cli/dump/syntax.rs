//! Tokens and syntax trees.

use gmachine::driver::Built;
use gmachine::syntax::lex::Lexer;
use serde_json::{Value, json};

use super::super::args::{Dump, DumpFormat, Stage};
use super::super::report::{one_line, place};
use super::document;
use gmachine::base::span::Span;

/// The tokens or the syntax trees of the program's own files; or the names that there are.
pub fn render(args: &Dump, built: &Built) -> Result<String, Vec<String>> {
    Ok(tokens(args, built))
}

/// The tokens, a line each.
fn tokens(args: &Dump, built: &Built) -> String {
    let sources = &built.loaded.sources;
    let mut out = String::new();
    for file in sources.files().iter().filter(|file| !file.corelib) {
        for (lo, token, hi) in Lexer::new(&file.text, file.base) {
            let span = Span::new(lo, hi);
            let place = place(sources, span).unwrap_or_default();
            out.push_str(&format!(
                "{place:<24} {:<10} {}\n",
                format!("{token:?}"),
                one_line(sources.text(span))
            ));
        }
    }
    out
}
