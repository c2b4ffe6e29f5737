//! Which passes of the optimiser run, and what they did.

use gmachine::diagnostic::quote::for_message;
use gmachine::diagnostic::{SourceMap, nearest};
use gmachine::inspect::OptimiserOptions;
use gmachine::{Pass, Passes, Report};

use super::args::Optimise;
use super::report;
use gmachine::render::grouped;

/// A change to the passes of the level: `+name` or `-name`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It runs.
    With(Pass),
    /// It does not.
    Without(Pass),
}

/// Reads an optimisation level.
///
/// # Errors
/// In words, if it is none.
pub fn parse_level(text: &str) -> Result<u8, String> {
    text.parse().ok().filter(|level| *level <= 2).ok_or("the levels are 0, 1 and 2".to_owned())
}

/// Reads one `+name` or `-name`.
///
/// # Errors
/// In words, if there is no such pass or the sign is missing.
pub fn parse_change(text: &str) -> Result<Change, String> {
    let (name, change): (&str, fn(Pass) -> Change) = match text.as_bytes().first() {
        Some(b'+') => (&text[1..], Change::With),
        Some(b'-') => (&text[1..], Change::Without),
        _ => return Err("write +name to add a pass, -name to leave it out".to_owned()),
    };
    let known = || Pass::ALL.iter().map(|pass| pass.name());
    match Pass::ALL.iter().find(|pass| pass.name() == name) {
        Some(&pass) => Ok(change(pass)),
        None => {
            let hint = match nearest(name, known()) {
                Some(meant) => format!("; did you mean '{meant}'?"),
                None => ".".to_owned(),
            };
            let all: Vec<&str> = known().collect();
            let (name, all) = (for_message(name), all.join(", "));
            Err(format!("there is no pass '{name}'{hint} The passes are {all}"))
        }
    }
}

/// Returns the help of `--pass`: every pass and what it does.
pub fn help() -> String {
    let width = Pass::ALL.iter().map(|pass| pass.name().len()).max().unwrap_or(0);
    let mut out = String::from(
        "Passes to add to those of the level, or to leave out, in this order: +name,-name\n",
    );
    for pass in Pass::ALL {
        out.push_str(&format!("\n- {:width$}  {}", pass.name(), pass.summary().trim()));
    }
    out
}

/// Returns the passes that the command line asks for.
pub fn wanted(args: &Optimise) -> Passes {
    changed(args.level, &args.passes)
}

/// Returns the passes of a level with changes.
pub fn changed(level: u8, changes: &[Change]) -> Passes {
    changes.iter().fold(Passes::level(level), |passes, &change| match change {
        Change::With(pass) => passes.with(pass),
        Change::Without(pass) => passes.without(pass),
    })
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Change::With(pass) => write!(f, "+{}", pass.name()),
            Change::Without(pass) => write!(f, "-{}", pass.name()),
        }
    }
}

/// Returns how the command line asks to optimise.
pub fn options(args: &Optimise) -> OptimiserOptions {
    OptimiserOptions { passes: wanted(args), verbose: args.verbose }
}

/// Returns whether the command line says whether this pass runs.
pub fn is_named(args: &Optimise, pass: Pass) -> bool {
    args.passes
        .iter()
        .any(|&change| matches!(change, Change::With(p) | Change::Without(p) if p == pass))
}

/// Writes what the passes did to standard error, if that is asked for.
pub fn tell(args: &Optimise, report: &Report, sources: &SourceMap) {
    if args.verbose {
        report::write(&render(report, sources));
    }
}

/// Returns what the passes did: each decision a line, each call that they left a line with the
/// reason, then a table of how often each kind of thing was done.
fn render(report: &Report, sources: &SourceMap) -> String {
    let mut out = String::new();
    for (pass, decision) in report.decisions() {
        out.push_str(&format!("{}: {decision}\n", pass.name()));
    }
    for hint in report.hints() {
        out.push_str(&hint.line(sources));
        out.push('\n');
    }
    let rows: Vec<[String; 3]> = report
        .counts()
        .iter()
        .map(|&(pass, what, times)| [pass.name().into(), what.into(), grouped(times)])
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    for [pass, what, times] in &rows {
        out.push_str(&format!("{pass:first$}  {what:second$}  {times:>third$}\n"));
    }
    if out.is_empty() {
        out.push_str("the optimiser changed nothing\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_change_in_the_order_of_the_line() {
        let asked = |level, changes: &[&str]| {
            let passes = changes.iter().map(|text| parse_change(text).expect("a change")).collect();
            options(&Optimise { level, passes, verbose: false }).passes
        };
        assert_eq!(asked(0, &[]), Passes::NONE);
        assert_eq!(asked(2, &[]), Passes::ALL);
        assert_eq!(asked(1, &["+specialise"]), Passes::ALL);
        assert_eq!(asked(0, &["+inline"]), Passes::NONE.with(Pass::Inline));
        assert_eq!(asked(0, &["+inline", "-inline"]), Passes::NONE);
        assert_eq!(asked(0, &["-inline", "+inline"]), Passes::NONE.with(Pass::Inline));
        assert_eq!(asked(2, &["-strictness"]), Passes::ALL.without(Pass::Strictness));
    }

    #[test]
    fn an_unknown_pass_is_told_apart_from_a_missing_sign() {
        let refused = |text| parse_change(text).expect_err("refused");
        assert!(refused("inline").contains("+name"), "{}", refused("inline"));
        assert!(refused("").contains("+name"));
        let message = refused("+inlin");
        assert!(message.contains("did you mean 'inline'?"), "{message}");
        for pass in Pass::ALL {
            assert!(message.contains(pass.name()), "{message}");
        }
        assert!(!refused("-everything").contains("did you mean"));
        assert!(!refused("+\u{1b}[31m").contains('\u{1b}'));
    }

    #[test]
    fn a_report_is_its_decisions_and_a_table() {
        let mut report = Report::new(true);
        report.count(Pass::Inline, "calls inlined", 1_200);
        report.count(Pass::Specialise, "variants made", 3);
        report.decide(Pass::Inline, || "`f` into `g`".to_owned());
        insta::assert_snapshot!(render(&report, &SourceMap::default()), @r"
        inline: `f` into `g`
        inline      calls inlined  1,200
        specialise  variants made      3
        ");
        assert_eq!(
            render(&Report::new(true), &SourceMap::default()),
            "the optimiser changed nothing\n"
        );
    }
}
