//! `gmachine explain`

use gmachine::base::code::Code;

use super::args::Explain;
use super::{Context, Failure, usage};

/// Explains a code, or lists all.
pub fn run(args: &Explain, context: &mut Context) -> Result<(), Failure> {
    let Some(id) = &args.code else { return context.print(&list()) };
    // Accepts what a report shows, brackets and all.
    let id = id.trim_start_matches("error").trim_start_matches("warning");
    let id = id.trim_matches(|c| matches!(c, '[' | ']'));
    let Some(code) = Code::find(id) else {
        let tip = "gmachine explain lists all codes";
        return Err(usage("explain", format!("there is no code '{id}'"), tip));
    };
    context.print(&format!("{code}: {}\n\n{}\n", code.title(), code.explanation().trim()))
}

/// The heading of each family of codes.
const FAMILIES: [(&str, &str); 8] = [
    ("G01", "The characters of a program"),
    ("G02", "Its syntax"),
    ("G03", "Names"),
    ("G04", "Patterns and shapes"),
    ("G05", "Failures of a running program"),
    ("G06", "Limits"),
    ("G07", "Input and output"),
    ("G08", "Embedding"),
];

/// All codes with their titles, by family.
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
