//! What a person has typed: whether it is whole, and how a name goes on.

use std::collections::BTreeMap;

use gmachine::inspect::syntax::Lexer;
use rustyline::completion::{Completer, Pair};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::session::COMMANDS;

/// Returns the tokens of a text.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    Lexer::new(text, 0).map(|(lo, _, hi)| text.get(lo as usize..hi as usize).unwrap_or(""))
}

/// Returns whether there is nothing to wait for: all brackets and comments that a text opens are
/// closed in it, or its last line gives up those brackets, because it is blank or a command.
pub fn is_complete(text: &str) -> bool {
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    is_closed(text) || (last.trim().is_empty() || is_command(last)) && !is_in_comment(before)
}

/// Returns whether a line is a command, if it is no part of a comment.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with(':')
}

fn is_in_comment(text: &str) -> bool {
    let mut lexer = Lexer::new(text, 0);
    lexer.by_ref().for_each(drop);
    lexer.comment_unclosed
}

/// Returns what is to be taken one after the other: a command that gave up what was before it is
/// apart.
pub fn inputs(text: &str) -> impl Iterator<Item = &str> {
    let parts = match text.rsplit_once('\n') {
        Some((before, last))
            if is_command(last) && !is_closed(before) && !is_in_comment(before) =>
        {
            [Some(before), Some(last)]
        }
        _ => [Some(text), None],
    };
    parts.into_iter().flatten()
}

/// Returns whether all brackets and comments that a text opens are closed in it.
fn is_closed(text: &str) -> bool {
    if is_command(text) {
        return true;
    }
    let mut lexer = Lexer::new(text, 0);
    let mut depth = 0_i64;
    for (lo, _, hi) in lexer.by_ref() {
        match text.get(lo as usize..hi as usize) {
            Some("(" | "[") => depth += 1,
            Some(")" | "]") => depth -= 1,
            _ => {}
        }
    }
    depth <= 0 && !lexer.comment_unclosed
}

/// Returns the functions and constants that a text defines, each with whether it has no parameters.
pub fn defined(text: &str) -> Vec<(String, bool)> {
    let tokens: Vec<&str> = tokens(text).collect();
    let definitions = tokens.windows(5).filter(|window| window[..2] == ["(", "defn"]);
    definitions.map(|window| (window[2].to_owned(), window[3..] == ["[", "]"])).collect()
}

/// Completes names and waits for closing brackets.
#[derive(Default)]
pub struct Assistant {
    /// The names that can be completed, each with what is said of it.
    pub names: BTreeMap<String, String>,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..at).unwrap_or(line);
        let is_part = |c: char| c.is_alphanumeric() || "_-'?!".contains(c);
        let start = before
            .rfind(|c| !is_part(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let pair = |name: &str, shown: &str| Pair {
            display: if shown.is_empty() { name.to_owned() } else { format!("{name}  {shown}") },
            replacement: name.to_owned(),
        };
        if start == 1 && before.starts_with(':') {
            let commands = COMMANDS.iter().filter(|(name, ..)| name.starts_with(before));
            return Ok((0, commands.map(|(name, ..)| pair(name, "")).collect()));
        }
        let stem = &before[start..];
        let found = self.names.range(stem.to_owned()..);
        let found = found.take_while(|(name, _)| name.starts_with(stem));
        Ok((start, found.map(|(name, said)| pair(name, said)).collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match is_complete(context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl rustyline::hint::Hinter for Assistant {
    type Hint = String;
}

impl rustyline::highlight::Highlighter for Assistant {}

impl Helper for Assistant {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_whole_when_its_brackets_are_closed_outside_of_texts_and_comments() {
        for text in ["", "(add 1 2)", "x ; (", "\"(\"", "'('", ":step (f", ")", "#| ( |# 1"] {
            assert!(is_complete(text), "{text}");
        }
        for text in ["(add 1", "(f [1 2", "#| (f)", "(f ; )", "#| (f)\n", "#|\n:help"] {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn a_blank_line_and_a_command_give_up_brackets_that_are_open() {
        for text in ["(add 1\n", "(f [1\n2\n  ", "(f\n:help", "(f\n  :help"] {
            assert!(is_complete(text), "{text}");
        }
        let all = |text| inputs(text).collect::<Vec<_>>();
        assert_eq!(all("(f\n1\n:help"), ["(f\n1", ":help"]);
        assert_eq!(all("(f\n1)"), ["(f\n1)"]);
        assert_eq!(all(":help"), [":help"]);
    }

    #[test]
    fn the_names_that_a_text_defines_are_those_of_its_definitions() {
        let text = "(defn f[x] x) (data T (A)) (defn c[] \"(defn d[] 1)\")";
        assert_eq!(defined(text), [("f".to_owned(), false), ("c".to_owned(), true)]);
    }
}
