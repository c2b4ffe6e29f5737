//! Reports for people.

use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::source::SourceMap;
use crate::machine::outcome::Chain;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::Report;
use super::excerpt::{Excerpt, excerpts};
use super::text::{asking, grouped, one_line, plain};

/// Wide enough never to cut a line: excerpts are cut before.
const WIDTH: usize = 400;

/// Appends a report and an empty line.
pub fn render(out: &mut String, report: Report<'_>, color: bool) {
    let Report { diagnostic, chain, sources } = report;
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Hint => Level::HELP.with_name("hint"),
    };
    let title = level.primary_title(plain(&diagnostic.message)).id(diagnostic.code.id());
    let found = excerpts(sources, &diagnostic.primary, &diagnostic.secondary);
    let notes = notes(diagnostic);
    let waiting = chain.filter(|chain| !is_told(chain, diagnostic)).map(|c| chain_text(c, sources));
    let mut group = Group::with_title(title);
    for (number, excerpt) in found.iter().enumerate() {
        group = match excerpt.unread {
            false => group.element(snippet(number, excerpt)),
            true => group.element(Origin::path(format!("{PLACE}{number}{PLACE}"))),
        };
    }
    for (level, text) in notes {
        group = group.element(level.message(text));
    }
    if let Some(waiting) = waiting {
        group = group.element(Level::NOTE.with_name("waiting").message(waiting));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    name_places(out, &renderer.term_width(WIDTH).render(&[group]), &found);
    out.push_str("\n\n");
}

/// Returns whether a chain says nothing that the excerpt of a failure does not.
fn is_told(chain: &Chain, diagnostic: &Diagnostic) -> bool {
    use Code::{FuelLimit, HeapLimit, Interrupted, TimeLimit};
    // Where a run was stopped, who waits is the answer, however short.
    let is_stopped = matches!(diagnostic.code, FuelLimit | HeapLimit | Interrupted | TimeLimit);
    let mut all = chain.frames.iter().chain(&chain.outer);
    let is_shown = all.all(|one| one.span == diagnostic.primary.span && one.times == 1);
    let is_empty = chain.frames.is_empty() && chain.outer.is_none();
    is_empty || !is_stopped && is_shown && chain.frames.len() < 2
}

/// Returns what waited, innermost first, a line each.
fn chain_text(chain: &Chain, sources: &SourceMap) -> String {
    let mut lines: Vec<String> = chain.frames.iter().map(|one| asking(one, sources)).collect();
    if chain.more > 0 {
        lines.push(format!("and {} more", grouped(chain.more as u64)));
    }
    lines.extend(chain.outer.iter().map(|one| asking(one, sources)));
    lines.join("\n")
}

/// Returns the notes and the help of a report.
fn notes(diagnostic: &Diagnostic) -> impl Iterator<Item = (Level<'static>, String)> + '_ {
    let notes = diagnostic.notes.iter().map(|note| (Level::NOTE, plain(note)));
    notes.chain(diagnostic.help.iter().map(|help| (Level::HELP, plain(help))))
}

/// Returns the marked lines of an excerpt. Its place is a mark that [`name_places`] replaces: the
/// renderer would count columns in the excerpt, which may be cut.
fn snippet<'a>(number: usize, excerpt: &'a Excerpt<'a>) -> Snippet<'a, Annotation<'a>> {
    let marks = excerpt.marks.iter().map(|mark| {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!mark.label.is_empty()).then(|| one_line(mark.label));
        kind.span(mark.range.clone()).label(label)
    });
    Snippet::source(excerpt.text.as_str())
        .line_start(excerpt.first_line as usize)
        .path(format!("{PLACE}{number}{PLACE}"))
        .annotations(marks)
}

/// Encloses the number of an excerpt where its place belongs; all other text is free of
/// control characters.
const PLACE: char = '\u{1}';

/// Puts the places of excerpts where their marks, with a line and a column after them, stand.
fn name_places(out: &mut String, text: &str, excerpts: &[Excerpt<'_>]) {
    let mut parts = text.split(PLACE);
    out.push_str(parts.next().unwrap_or(""));
    while let (Some(number), Some(after)) = (parts.next(), parts.next()) {
        if let Some(excerpt) = number.parse().ok().and_then(|at: usize| excerpts.get(at)) {
            let (line, column) = excerpt.place;
            out.push_str(&format!("{}:{line}:{column}", one_line(excerpt.file)));
        }
        out.push_str(after.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::code::Code;
    use crate::base::span::Span;
    use crate::machine::outcome::Waiting;

    fn sources(texts: &[&str]) -> SourceMap {
        let mut sources = SourceMap::new();
        for (at, text) in texts.iter().enumerate() {
            sources
                .add(format!("{}.core", ["a", "b", "c"][at]), None, *text, false)
                .expect("small");
        }
        sources
    }

    /// Returns the span of the first occurrence of `what`.
    fn find(sources: &SourceMap, what: &str) -> Span {
        let hit = sources.files().iter().find_map(|f| Some((f, f.text.find(what)?)));
        let (file, at) = hit.expect("there");
        let lo = file.base + at as u32;
        Span::new(lo, lo + what.len() as u32)
    }

    fn show(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        let mut out = String::new();
        render(&mut out, Report { diagnostic, chain: None, sources }, false);
        out
    }

    #[test]
    fn a_report_with_everything() {
        let sources = sources(&["(defn main[]\n\t(ad\u{1b}d 1 2))\n", "(defn ad[] 1)"]);
        let report =
            Diagnostic::error(Code::UnboundName, find(&sources, "ad\u{1b}d"), "nothing binds")
                .label("not bound")
                .also(find(&sources, "ad[]"), "this is near")
                .note("a note\nof two lines")
                .help("write add");
        insta::assert_snapshot!(show(&report, &sources), @r#"
        error[G0301]: nothing binds
         --> a.core:2:3
          |
        2 |     (ad\u{1B}d 1 2))
          |      ^^^^^^^^^ not bound
          |
         ::: b.core:1:7
          |
        1 | (defn ad[] 1)
          |       ---- this is near
          |
          = note: a note
                  of two lines
          = help: write add
        "#);
    }

    #[test]
    fn places_far_apart_and_over_several_lines() {
        let text =
            format!("(defn f[x]\n  (case x\n    [1 2]))\n{}(defn f[] 2)\n", "; -\n".repeat(100));
        let sources = sources(&[&text]);
        let report = Diagnostic::error(Code::DuplicateDefinition, find(&sources, "f[] 2"), "two")
            .also(find(&sources, "(case x\n    [1 2])"), "one");
        insta::assert_snapshot!(show(&report, &sources), @r#"
        error[G0302]: two
           --> a.core:104:7
            |
        104 |   (defn f[] 2)
            |         ^^^^^
            |
           ::: a.core:2:3
            |
          2 | /   (case x
          3 | |     [1 2]))
            | |__________- one
        "#);
    }

    #[test]
    fn the_end_of_a_file_and_no_place_at_all() {
        let sources = sources(&["(defn", "a\n", ""]);
        let at = |file: usize| {
            let end = sources.files()[file].span().hi;
            show(&Diagnostic::error(Code::ExpectedName, Span::new(end, end), "name"), &sources)
        };
        insta::assert_snapshot!(at(0), @r#"
        error[G0207]: name
         --> a.core:1:6
          |
        1 | (defn
          |      ^
        "#);
        insta::assert_snapshot!(at(1), @r#"
        error[G0207]: name
         --> b.core:2:1
          |
        2 |
          | ^
        "#);
        insta::assert_snapshot!(at(2), @r#"
        error[G0207]: name
         --> c.core:1:1
          |
        1 |
          | ^
        "#);
        let nowhere = Diagnostic::error(Code::MissingMain, Span::NONE, "no main").help("define it");
        insta::assert_snapshot!(show(&nowhere, &sources), @r#"
        error[G0308]: no main
         |
         = help: define it
        "#);
    }

    #[test]
    fn what_waited_is_shown_with_its_place() {
        let sources = sources(&["(defn main[] (add 1\n  (f 2)))"]);
        let whole = find(&sources, "(add 1\n  (f 2))");
        let wait = |name: &str, span, times| Waiting { times, ..Waiting::new(name.into(), span) };
        let frames = vec![wait("f", Span::NONE, 1), wait("main", whole, 2)];
        let chain = Chain { frames, more: 1200, outer: Some(wait("far", whole, 1)) };
        let diagnostic =
            Diagnostic::error(Code::DivisionByZero, find(&sources, "(f 2)"), "division by zero");
        let mut out = String::new();
        let report = Report { diagnostic: &diagnostic, chain: Some(&chain), sources: &sources };
        render(&mut out, report, false);
        insta::assert_snapshot!(out, @r#"
        error[G0502]: division by zero
         --> a.core:2:3
          |
        2 |   (f 2)))
          |   ^^^^^
          |
          = waiting: f
                     main waits for `(add 1 (f 2))` at a.core:1:14 (2 times)
                     and 1,200 more
                     far waits for `(add 1 (f 2))` at a.core:1:14
        "#);
    }

    #[test]
    fn reports_on_a_line_of_a_megabyte_render_little_of_it() {
        let text = "(f λ) ".repeat(150_000);
        let sources = sources(&[&text]);
        for at in 0..100u32 {
            let lo = 1 + at * 7000;
            let report = Diagnostic::error(Code::UnboundName, Span::new(lo, lo + 1), "f");
            assert!(show(&report, &sources).contains(&format!("a.core:1:{}", at * 6000 + 1)));
            let found = excerpts(&sources, &report.primary, &[]);
            assert!(found.iter().map(|excerpt| excerpt.text.len()).sum::<usize>() < 1000);
        }
    }
}
