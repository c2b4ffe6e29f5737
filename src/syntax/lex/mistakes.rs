//! What is said of a text that is no token, and how far it goes.

use super::is_name;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::float::Float;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::syntax::literal::EscapeError;

/// The signs of which one report on a line says all.
pub(super) const ONCE_A_LINE: [&str; 5] = [",", ":", "->", "|", ".."];

/// Returns how many bytes after `bad` are the same mistake: a text between curly quotes, a name between
/// backquotes, the names that `\x ->` and `| x <-` bind, the rest of an escape sequence for a terminal.
/// It looks ahead a bounded way, so that many such characters on a long line are no more work than
/// others.
pub(super) fn belongs_to_run(bad: &str, rest: &str) -> usize {
    let closing: &[char] = match bad {
        "“" | "„" => &['”', '“'],
        "‘" => &['’'],
        "«" => &['»'],
        "\u{1b}" if rest.starts_with('[') => {
            let mut rest = rest.bytes().enumerate().skip(1).take(20);
            return rest.find(|(_, byte)| byte.is_ascii_alphabetic()).map_or(1, |(at, _)| at + 1);
        }
        "`" | "\\" | "|" => return foreign_form(bad, rest),
        _ => return 0,
    };
    let mut line = rest.char_indices().take(200).take_while(|&(_, c)| c != '\n');
    line.find(|(_, c)| closing.contains(c)).map_or(0, |(at, c)| at + c.len_utf8())
}

/// Returns how far a form of another language goes whose first sign is `bad`: the other backquote of
/// a name, the arrow after what is bound.
fn foreign_form(bad: &str, rest: &str) -> usize {
    let end = match bad {
        "`" => "`",
        "|" => "<-",
        _ => "->",
    };
    // A bounded way, which may not end within a character.
    let near = rest.char_indices().nth(FORM).map_or(rest, |(at, _)| &rest[..at]);
    let Some(at) = near.find(end) else { return 0 };
    let mut names = near[..at].split_whitespace();
    match names.all(|name| name == "_" || is_name(name)) {
        true if at > 0 => at + end.len(),
        _ => 0,
    }
}

/// How many characters such a form has at most.
const FORM: usize = 80;

/// Returns whether a line of which this is the beginning imports a module as in other languages.
pub(super) fn is_import(before: &str) -> bool {
    let near = before.char_indices().rev().take(LOOKED_AT);
    let line = near.take_while(|(_, c)| *c != '\n').last().map_or(0, |(at, _)| at);
    before[line..].trim_start().starts_with("import ")
}

/// Returns what is written instead of a comma, by the bracket that it stands in.
pub(super) fn comma(before: &str) -> &'static str {
    let near = before.char_indices().rev().take(LOOKED_AT);
    let mut depth = 0;
    for (at, c) in near {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            '(' if before[..at].ends_with(|c: char| c.is_alphanumeric()) => {
                return "the function stands in the brackets: (f a b), not f(a, b)";
            }
            '(' => return "two values together are (Pair a b); arguments are separated by blanks",
            '[' => break,
            _ => {}
        }
    }
    "elements and arguments are separated by blanks"
}

/// Returns how far a text of several words goes that stands between single quotes, after the first one:
/// another quote on the line ends it, a blank or a bracket comes after that, and no bracket is in it.
pub(super) fn quoted_text(text: &str) -> Option<usize> {
    let mut near = text.char_indices().take(FORM);
    let (at, _) =
        near.find(|(_, c)| matches!(c, '\'' | '\n' | '\\' | '(' | ')' | '[' | ']' | '"' | ';'))?;
    let after = text.get(at..)?.strip_prefix('\'')?;
    let is_end = after.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, ')' | ']'));
    (is_end && text[..at].contains(' ')).then_some(at + 1)
}

/// Returns how far a malformed CHAR goes after its first quote, and whether a quote closes it: up
/// to that quote, a blank, a bracket, a comment or the end of the line.
pub(super) fn quoted_run(text: &str) -> (usize, bool) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return (at, false),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return (at + 1, true),
            ' ' | '\t' | '\r' | '(' | ')' | '[' | ']' | '"' | ';' => return (at, false),
            _ => {}
        }
    }
    (text.len(), false)
}

pub(super) fn bad_escape(error: EscapeError, span: Span, text: &str) -> Diagnostic {
    let text = for_message(text);
    let (message, help) = match error {
        EscapeError::Unknown => (
            format!("`{text}` is no escape"),
            "the escapes are \\n \\t \\r \\0 \\\\ \\' \\\" and \\u{HEX}; a backslash is \\\\",
        ),
        EscapeError::Malformed => (
            format!("`{text}` is no code point"),
            "write hexadecimal digits between braces, as in \\u{3BB}",
        ),
        EscapeError::Surrogate => (
            format!("`{text}` is a surrogate, which is no character"),
            "write the code point of the character itself, not one half of it",
        ),
        EscapeError::TooLarge => {
            (format!("`{text}` is no character"), "the largest code point is \\u{10FFFF}")
        }
    };
    Diagnostic::error(Code::BadEscape, span, message).help(help)
}

pub(super) fn bad_number(span: Span, text: &str) -> Diagnostic {
    let after_digits = |text: &str| {
        text.len()
            - text.trim_start_matches('-').trim_start_matches(|c: char| c.is_ascii_digit()).len()
    };
    let digits = after_digits(text);
    let is_float = |len: &usize| text.get(..*len).is_some_and(|t| Float::parse(t).is_some());
    // The longest part that is a number: of a bounded length, which a sound one has room in.
    let longest = (digits..text.len().min(digits + 64)).rev().find(is_float);
    let (number, rest) = text.split_at(longest.unwrap_or(digits));
    let kind = if longest.is_some() { "float" } else { "integer" };
    let message = format!("the {kind} {} runs into `{}`", for_message(number), for_message(rest));
    let report = Diagnostic::error(Code::BadNumber, span, message);
    if let Some(last) = rest.strip_prefix("..") {
        let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
        let last = if is_number { for_message(last) } else { "10".to_owned() };
        let first = for_message(number);
        return report
            .help(format!("a range is (range {first} {last}); (from {first}) has no end"));
    }
    match rest.strip_prefix('-') {
        Some(after) if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) => {
            report.help(format!(
                "put a blank between two integers; a difference is (sub {} {})",
                for_message(number),
                for_message(after)
            ))
        }
        _ if longest.is_none() && rest.starts_with('.') => {
            report.help("a float has digits on both sides of its point, as 0.5 and 2.0")
        }
        _ => report.help(format!("put a blank after the {kind}; a name starts with a letter")),
    }
}

pub(super) fn large_float(span: Span, text: &str) -> Diagnostic {
    let message = format!("the number {} is larger than any float", for_message(text));
    Diagnostic::error(Code::BadNumber, span, message)
        .help("the largest float is 1.7976931348623157e308; the infinities are +inf.0 and -inf.0")
}

/// The most bytes before a sign that are looked at to tell what it was to define.
pub(super) const LOOKED_AT: usize = 200;

/// Reports the sign of a definition of other languages, with what is written here.
pub(super) fn definition(span: Span, text: &str, before: &str) -> Diagnostic {
    let report = no_token(span, text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    // With blanks before it, it stands in another form.
    let is_outer = !line.starts_with(char::is_whitespace) && line.len() <= LOOKED_AT;
    let names = line.split(|c: char| c.is_whitespace() || "(),[]".contains(c));
    let mut names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let is_let = names.first().is_some_and(|first| ["let", "letrec"].contains(first));
    let is_global = || ["local", "var", "const", "val"].contains(&names[0]);
    let is_function = || ["fun", "func", "def", "function", "define"].contains(&names[0]);
    if is_let || names.len() == 2 && is_global() || names.len() > 1 && is_function() {
        names.remove(0);
    }
    let opens = line.starts_with(['(', '[']) && !is_let;
    match names.split_first() {
        Some((name, params)) if is_outer && !opens && names.iter().all(|name| is_name(name)) => {
            let (name, params) = (for_message(name), for_message(&params.join(" ")));
            report.help(match is_let {
                true => format!("a local binding is written (let ([{name} value]) body)"),
                false => format!("a definition is written (defn {name}[{params}] value)"),
            })
        }
        _ => report.help(
            "a binding is written [x value], a definition (defn x[] value); \
             whether two are equal is (eq a b)",
        ),
    }
}

/// Returns the report of characters that start no token.
pub(super) fn no_token(span: Span, text: &str) -> Diagnostic {
    let message = match text.chars().nth(1) {
        None => format!("`{}` starts no token", for_message(text)),
        Some(_) => format!("`{}` are characters that start no token", for_message(text)),
    };
    Diagnostic::error(Code::UnknownCharacter, span, message)
}

pub(super) fn bad_characters(span: Span, text: &str) -> Diagnostic {
    let report = no_token(span, text);
    let operator = |name: &str, sign: &str| {
        format!("operators have names and stand first: (`{name}` a b), not a {sign} b")
            .replace('`', "")
    };
    let help = match text {
        "+" => operator("add", text),
        "-" => operator("sub", text),
        "*" => operator("mul", text),
        "/" => operator("div", text),
        "%" => operator("rem", text),
        "==" => operator("eq", text),
        "<" => operator("lt", text),
        "<=" => operator("le", text),
        ">" => operator("gt", text),
        ">=" => operator("ge", text),
        "!=" | "/=" => operator("neq", text),
        "\\" | "=>" => "a function is written (fn [x] body)".to_string(),
        "->" => "an alternative is written [pattern body], a function (fn [x] body)".to_string(),
        "++" | "<>" => "two lists or texts are joined with (append a b)".to_string(),
        "&&" => "two conditions are joined by (andAlso a b)".to_string(),
        "||" => "two conditions are joined by (orElse a b)".to_string(),
        "^" | "**" => "b to the power e is (pow b e)".to_string(),
        "!!" => "the element of a list at n is (nth n xs)".to_string(),
        "$" => "an application as an argument has parentheses: (f (g x))".to_string(),
        ">>=" => "actions follow each other by (bind m (fn [x] ..))".to_string(),
        ">>" => "actions follow each other by (then m n)".to_string(),
        "<-" => "the value of an action is handed on by (bind action (fn [x] ..))".to_string(),
        ".." => "a range is (range 1 10); (from 1) has no end".to_string(),
        "|" => "cases are told apart by (if c a b) or (case value [pattern body] ..)".to_string(),
        "--" | "//" | "#" => "a comment starts with ; and ends with its line".to_string(),
        "/*" | "*/" | "{-" | "-}" => "a comment over several lines is #| text |#".to_string(),
        ":" => "a list cell is (Cons head tail), also in a pattern".to_string(),
        "::" => {
            "types are not declared; a list cell is (Cons head tail), also in a pattern".to_string()
        }
        "|#" => "no block comment is open here; one starts with #|".to_string(),
        "." => "a float has a digit before its point, as 0.5; a list cell is (Cons head tail)"
            .to_string(),
        _ => match text.chars().next() {
            Some('\\') => {
                let bound = text[1..].strip_suffix("->").unwrap_or("x");
                let bound: Vec<&str> = bound.split_whitespace().collect();
                format!("a function is written (fn [{}] body)", for_message(&bound.join(" ")))
            }
            Some('|') if text.ends_with("<-") => {
                "a list is made of another by (map f xs) and (filter p xs)".to_string()
            }
            Some('`') if text.len() > 1 => {
                let name = for_message(text.trim_matches('`'));
                format!("a function stands before its arguments: ({name} a b)")
            }
            Some('“' | '”' | '„' | '«' | '»') => {
                "a STRING stands between straight quotes: \"text\"".to_string()
            }
            Some('‘' | '’' | '´' | '`') => {
                "a CHAR stands between straight quotes: 'a'".to_string()
            }
            Some(c) if c.is_whitespace() => "use a plain space, a tab or a line break".to_string(),
            Some('?' | '!') => "a name starts with a letter or `_`".to_string(),
            Some(c) if c.is_ascii_graphic() => "operators have names, as in (add a b)".to_string(),
            _ => "remove it; in a CHAR or a STRING any character may stand".to_string(),
        },
    };
    report.help(help)
}
