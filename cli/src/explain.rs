//! `gmachine explain`

use gmachine::diagnostic::Code;

use super::args::Explain;
use super::{Context, Failure, usage};

/// Explains a code, or lists all.
pub fn run(args: &Explain, context: &mut Context) -> Result<(), Failure> {
    let Some(id) = &args.code else { return context.print(&list()) };
    match explained(id) {
        Ok(text) => context.print(&text),
        Err((message, tip)) => Err(usage("explain", message, tip)),
    }
}

/// Returns what a code means.
///
/// # Errors
/// When there is none of that name: what is said of that, and a tip.
pub fn explained(id: &str) -> Result<String, (String, &'static str)> {
    // Accepts what a report shows, brackets and all.
    let id = id.trim_start_matches("error").trim_start_matches("warning");
    let id = id.trim_matches(|c| matches!(c, '[' | ']'));
    // The number alone names a code as well.
    let number = id.parse::<u16>().ok().filter(|_| id.len() <= 4);
    let numbered = number.and_then(|number| Code::find(&format!("G{number:04}")));
    let Some(code) = Code::find(id).or(numbered) else {
        return Err((format!("there is no code '{id}'"), "gmachine explain lists all codes"));
    };
    Ok(format!("{code}: {}\n\n{}", code.title(), laid_out(code.explanation())))
}

/// The width that text is broken for.
const WIDTH: usize = 80;

/// Returns an explanation as a terminal shows it: paragraphs broken into lines, examples indented.
fn laid_out(text: &str) -> String {
    let mut out = String::new();
    let mut example = false;
    for line in text.trim().lines() {
        if line.starts_with("```") {
            example = !example;
        } else if example {
            out.push_str(&format!("    {line}\n"));
        } else {
            wrap(line, &mut out);
        }
    }
    out
}

/// Appends a paragraph, broken at blanks.
fn wrap(paragraph: &str, out: &mut String) {
    let mut width = 0;
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out.push('\n');
}

/// The heading of each family of codes.
const FAMILIES: [(&str, &str); 9] = [
    ("G01", "The characters of a program"),
    ("G02", "Its syntax"),
    ("G03", "Names"),
    ("G04", "Patterns and shapes"),
    ("G05", "Failures of a running program"),
    ("G06", "Limits"),
    ("G07", "Input and output"),
    ("G08", "Embedding"),
    ("G09", "What the optimiser leaves as it is"),
];

/// Returns all codes with their titles, by family.
fn list() -> String {
    let mut out = String::new();
    for (family, heading) in FAMILIES {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{heading}\n"));
        for code in Code::ALL.iter().filter(|code| code.id().starts_with(family)) {
            out.push_str(&format!("  {code}  {}\n", code.title()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once() {
        let list = list();
        for code in Code::ALL {
            assert_eq!(list.matches(code.id()).count(), 1, "{code}");
        }
    }
}
