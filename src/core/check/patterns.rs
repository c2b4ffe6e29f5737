//! Reports about patterns.

use super::{Checker, Partial};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Name;
use crate::base::quote::counted;
use crate::base::quote::{char_literal, for_message};
use crate::base::span::Span;
use crate::core::check::{columns, useful};
use crate::core::expr::{ConId, DataId};
use crate::core::pattern::{Key, Kind, PatRef, Patterns, View};
use crate::core::scope::{Lookup, Target};
use crate::syntax::ast::{Alt, Pat, PatId};

/// The result of checking a pattern.
pub(super) struct Found {
    /// The names that it binds.
    pub names: Vec<(Name, Span)>,
    /// The number of patterns in it; a text counts as its characters.
    pub size: usize,
    /// Whether there is no mistake in its constructors.
    pub sound: bool,
}

impl Checker<'_> {
    /// Checks one pattern and returns what it binds.
    pub(super) fn pattern(&mut self, pat: PatId) -> Found {
        let ast = self.ast;
        let mut found = Found { names: Vec::new(), size: 0, sound: true };
        let mut work = vec![pat];
        while let Some(pat) = work.pop() {
            found.size += 1;
            let span = ast.pat_spans[pat];
            match ast.pats[pat] {
                Pat::Wildcard | Pat::Int(_) | Pat::Big(_) | Pat::Char(_) => {}
                Pat::Error => found.sound = false,
                Pat::Text(text) => found.size += ast.texts[text].len(),
                Pat::Name(name) => match self.globals.lookup(self.unit, name) {
                    Lookup::Found(Target::Con(con)) => {
                        found.sound &= self.fields(con, span, 0);
                    }
                    Lookup::Ambiguous(one, other) if self.is_constructor(one, name) => {
                        found.sound = false;
                        if self.reported.insert(name) {
                            let report = self.ambiguous(span, name, one, other);
                            self.report(report);
                        }
                    }
                    _ => found.names.push((name, span)),
                },
                Pat::Con(name, name_span, fields) => {
                    match self.globals.lookup(self.unit, name) {
                        Lookup::Found(Target::Con(con)) => {
                            found.sound &= self.fields(con, span, fields.len());
                        }
                        other => {
                            found.sound = false;
                            self.unknown_constructor(name, name_span, other);
                        }
                    }
                    work.extend(ast.pat_lists[fields].iter().rev());
                }
            }
        }
        self.doubled(found.names.iter().copied(), "pattern", Code::DuplicatePatternName);
        found
    }

    fn is_constructor(&self, unit: crate::core::scope::UnitId, name: Name) -> bool {
        matches!(self.globals.own(unit, name), Some(Target::Con(_)))
    }

    fn unknown_constructor(&mut self, name: Name, span: Span, lookup: Lookup) {
        if !self.reported.insert(name) {
            return;
        }
        if let Lookup::Ambiguous(one, other) = lookup {
            let report = self.ambiguous(span, name, one, other);
            self.report(report);
            return;
        }
        let text = for_message(self.globals.input.names.text(name));
        let mut report = Diagnostic::error(
            Code::UnknownConstructor,
            span,
            format!("`{text}` is no constructor"),
        );
        if let Lookup::Found(target) = lookup {
            let place = self.globals.span(target);
            report = match place.is_none() {
                true => report.note(format!("`{text}` is a function; a pattern cannot apply it")),
                false => report.also(place, "this is a function; a pattern cannot apply it"),
            };
        }
        report.help = self.similar_constructor(name).map(|near| format!("did you mean `{near}`?"));
        self.report(report);
    }

    /// Returns whether a constructor pattern has as many fields as the constructor.
    fn fields(&mut self, con: ConId, span: Span, given: usize) -> bool {
        let con = &self.globals.cons[con];
        let arity = con.arity as usize;
        if arity == given {
            return true;
        }
        let name = for_message(&con.name);
        let mut report = Diagnostic::error(
            Code::PatternArity,
            span,
            format!(
                "`{name}` has {}, and this pattern gives it {}",
                counted(arity, "field"),
                if given == 0 { "none".to_owned() } else { given.to_string() }
            ),
        );
        if !con.span.is_none() {
            report = report.also(con.span, "declared here");
        }
        // A long row of blanks would help nobody.
        if arity == 0 {
            report = report.help(format!("write `{name}`"));
        } else if arity <= 6 {
            report = report.help(format!("write `({name}{})`", " _".repeat(arity)));
        }
        self.report(report);
        false
    }

    /// Checks the alternatives of a case against each other: kinds of one column, reachability.
    /// Returns whether their kinds agree.
    pub(super) fn alternatives(&mut self, alts: &[Alt], size: usize) -> bool {
        if alts.len() < 2 {
            return true;
        }
        let patterns = Patterns::new(self.globals, self.unit);
        let pats: Vec<PatId> = alts.iter().map(|alt| alt.pat).collect();
        let mixed = columns::mixed(patterns, &pats);
        let sound = mixed.is_empty();
        for (first, other) in mixed {
            let report = self.mixed(patterns, first, other);
            self.report(report);
        }
        if !sound {
            return false;
        }
        let catch_all =
            pats.iter().position(|&pat| matches!(patterns.view(PatRef::Ast(pat)), View::Any(_)));
        for alt in useful::unreachable(patterns, &pats, size) {
            let mut report = Diagnostic::warning(
                Code::UnreachableAlternative,
                self.ast.pat_spans[pats[alt]],
                "this alternative is never reached",
            );
            report = match catch_all.filter(|&all| all < alt) {
                Some(all) => {
                    let span = self.ast.pat_spans[pats[all]];
                    let name = patterns.variable(PatRef::Ast(pats[all]));
                    match name.and_then(|name| self.similar_constructor(name)) {
                        Some(near) => report
                            .also(span, "this is a variable, and matches everything")
                            .help(format!("did you mean the constructor `{near}` there?")),
                        None => report.also(span, "this matches everything"),
                    }
                }
                None => report.note("the alternatives above it match all that it matches"),
            };
            self.report(report);
        }
        true
    }

    /// Keeps which values none of the alternatives of a case matches.
    pub(super) fn partial(&mut self, span: Span, alts: &[Alt], size: usize) {
        let patterns = Patterns::new(self.globals, self.unit);
        let pats: Vec<PatId> = alts.iter().map(|alt| alt.pat).collect();
        let found = useful::missing(patterns, &pats, size);
        let kind = pats.first().and_then(|&pat| patterns.kind(PatRef::Ast(pat)));
        let words = |pattern: &String| match (&**pattern, kind) {
            ("_", Some(Kind::Int)) => "all other integers".to_owned(),
            ("_", Some(Kind::Char)) => "all other characters".to_owned(),
            _ => format!("`{pattern}`"),
        };
        let mut missing: Vec<String> = found.patterns.iter().map(words).collect();
        if found.more {
            missing.push("others".to_owned());
        }
        let Some(last) = missing.pop() else { return };
        let missing = match missing.is_empty() {
            true => last,
            false => format!("{} and {last}", missing.join(", ")),
        };
        let is_selection = alts.len() == 1;
        let goes_by = |&pat: &PatId| patterns.kind(PatRef::Ast(pat)).is_some();
        let is_nested = pats.iter().any(|&pat| match self.ast.pats[pat] {
            Pat::Text(_) => true,
            Pat::Con(_, _, fields) => self.ast.pat_lists[fields].iter().any(goes_by),
            _ => false,
        });
        self.partial.push(Partial { span, missing, is_selection, is_nested });
    }

    fn mixed(&self, patterns: Patterns<'_>, first: PatRef, other: PatRef) -> Diagnostic {
        Diagnostic::error(
            Code::MixedConstructors,
            patterns.span(other),
            format!(
                "patterns of one value ask for {} and for {}",
                self.kind(patterns, first),
                self.kind(patterns, other)
            ),
        )
        .label(self.asks(patterns, other))
        .also(patterns.span(first), self.asks(patterns, first))
    }

    fn kind(&self, patterns: Patterns<'_>, pat: PatRef) -> String {
        match patterns.kind(pat) {
            Some(Kind::Data(data)) => {
                format!("values of `{}`", self.data_name(data))
            }
            Some(Kind::Int) => "integers".to_owned(),
            Some(Kind::Char) => "characters".to_owned(),
            None => "anything".to_owned(),
        }
    }

    /// Returns the name of a data type for a message: `_` if it has none.
    fn data_name(&self, data: DataId) -> String {
        let symbol = &self.globals.datas[data].symbol;
        for_message(symbol.split('$').next().unwrap_or_default())
    }

    fn asks(&self, patterns: Patterns<'_>, pat: PatRef) -> String {
        match patterns.view(pat) {
            View::Con(con, _) => {
                let con = &self.globals.cons[con];
                let data = self.data_name(con.data);
                match pat {
                    PatRef::Text(..) => "a string is a list".to_owned(),
                    PatRef::Ast(id) if matches!(self.ast.pats[id], Pat::Text(_)) => {
                        "a string is a list".to_owned()
                    }
                    _ => format!("`{}` belongs to `{data}`", for_message(&con.name)),
                }
            }
            View::Lit(Key::Char(c)) => match pat {
                PatRef::Char(..) => format!("this string has the character {}", char_literal(c)),
                _ => "a character".to_owned(),
            },
            View::Lit(Key::Int(_) | Key::Big(_)) => "an integer".to_owned(),
            View::Any(_) => String::new(),
        }
    }
}
