//! Reports about patterns.

use rustc_hash::{FxHashMap, FxHashSet};

use super::columns::Columns;
use super::{Checker, Partial};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Name;
use crate::base::quote::counted;
use crate::base::quote::{char_literal, for_message};
use crate::base::span::Span;
use crate::base::suggest;
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

/// The most variables that are watched at once.
const WATCHED: usize = 32;

/// The most constructors of a data type that a help names.
const CONSTRUCTORS: usize = 5;

/// A variable in a pattern that may be meant for a constructor, if nothing uses it.
#[derive(Clone, Copy)]
pub(super) struct Suspect {
    pub name: Name,
    span: Span,
    /// What the patterns beside it ask for, if there are any.
    data: Option<DataId>,
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
                        found.sound = found.sound && self.fields(con, span, 0);
                    }
                    Lookup::Ambiguous(one, other) if self.is_constructor(one, name) => {
                        found.sound = false;
                        if self.reported.insert(name) {
                            let report = self.ambiguous(span, name, one, other);
                            self.report(report);
                        }
                    }
                    _ => {
                        // It may be a constructor of a declaration that cannot be read.
                        found.sound &= !self.is_doubted_constructor(name);
                        found.names.push((name, span));
                    }
                },
                Pat::Con(name, name_span, fields) => {
                    match self.globals.lookup(self.unit, name) {
                        Lookup::Found(Target::Con(con)) => {
                            found.sound = found.sound && self.fields(con, span, fields.len());
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
        if found.sound {
            self.doubled(found.names.iter().copied(), "pattern", Code::DuplicatePatternName);
        }
        found
    }

    fn is_constructor(&self, unit: crate::core::scope::UnitId, name: Name) -> bool {
        matches!(self.globals.own(unit, name), Some(Target::Con(_)))
    }

    fn is_doubted_constructor(&self, name: Name) -> bool {
        let text = self.globals.input.names.text(name);
        text.starts_with(char::is_uppercase) && self.ast.doubts.has_name(name)
    }

    fn unknown_constructor(&mut self, name: Name, span: Span, lookup: Lookup) {
        if self.is_doubted(name) || self.is_said(name, span) {
            return;
        }
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
        report.help = self.constructor_meant(name);
        self.unbound.insert((self.unit, name), self.diagnostics.len());
        self.report(report);
    }

    /// Returns whether a constructor pattern has as many fields as the constructor.
    fn fields(&mut self, id: ConId, span: Span, given: usize) -> bool {
        let con = &self.globals.cons[id];
        let arity = con.arity as usize;
        if arity == given {
            return true;
        }
        if self.is_misfit(id, given, span, true) {
            return false;
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
        self.misfit(id, given, report);
        false
    }

    /// Checks the alternatives of a case against each other: kinds of one column, reachability.
    /// Returns whether their kinds agree.
    pub(super) fn alternatives(
        &mut self,
        alts: &[Alt],
        size: usize,
        mixed: Vec<(PatRef, PatRef)>,
    ) -> bool {
        if alts.len() < 2 {
            return true;
        }
        let patterns = Patterns::new(self.globals, self.unit);
        let pats: Vec<PatId> = alts.iter().map(|alt| alt.pat).collect();
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
            let variable = catch_all.filter(|&all| all <= alt).unwrap_or(alt);
            if let Some(name) = patterns.variable(PatRef::Ast(pats[variable])) {
                self.variables.push((name, self.ast.pat_spans[pats[alt]]));
            }
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
                        Some(near) => {
                            self.told.insert(span);
                            report
                                .also(span, "this is a variable, and matches everything")
                                .help(format!("did you mean the constructor `{near}` there?"))
                        }
                        None if name.is_some() => report
                            .also(span, "this is a variable, and matches everything")
                            .maybe_help(self.constructors(patterns, PatRef::Ast(pats[alt]))),
                        None => report.also(span, "this matches everything"),
                    }
                }
                None => report.note("the alternatives above it match all that it matches"),
            };
            self.report(report);
        }
        true
    }

    /// Names the constructors of the data type that a pattern asks for, if they are few.
    fn constructors(&self, patterns: Patterns<'_>, pat: PatRef) -> Option<String> {
        let Some(Kind::Data(data)) = patterns.kind(pat) else { return None };
        let cons = &self.globals.datas[data].cons;
        let names =
            cons.iter().map(|&con| format!("`{}`", for_message(&self.globals.cons[con].name)));
        let names = match &*names.take(CONSTRUCTORS + 1).collect::<Vec<_>>() {
            [] => return None,
            [only] => {
                return Some(format!("the constructor of `{}` is {only}", self.data_name(data)));
            }
            names if names.len() > CONSTRUCTORS => return None,
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        Some(format!("the constructors of `{}` are {names}", self.data_name(data)))
    }

    /// Returns what there is in the columns of a case.
    pub(super) fn columns(&self, alts: &[Alt]) -> Columns {
        let pats: Vec<PatId> = alts.iter().map(|alt| alt.pat).collect();
        columns::columns(Patterns::new(self.globals, self.unit), &pats)
    }

    /// Returns the variables of a pattern that may be constructors which are misspelled: those
    /// beside constructors, and those that begin as constructors do.
    pub(super) fn suspects(
        &self,
        names: &[(Name, Span)],
        beside: &FxHashMap<Span, DataId>,
    ) -> Vec<Suspect> {
        let suspects = names.iter().filter_map(|&(name, span)| {
            let data = beside.get(&span).copied();
            let text = self.globals.input.names.text(name);
            let is_capital = text.chars().next().is_some_and(char::is_uppercase);
            (data.is_some() || is_capital).then_some(Suspect { name, span, data })
        });
        // Each use of a name looks through all that are watched.
        suspects.take(WATCHED.saturating_sub(self.watched.len())).collect()
    }

    /// Warns of a variable that nothing uses and that is one slip away from a constructor: of the
    /// data type that the patterns beside it ask for, or of any if it begins as one.
    pub(super) fn unused(&mut self, suspect: Suspect) {
        let Suspect { name, span, data } = suspect;
        let text = self.globals.input.names.text(name);
        let near = match data {
            Some(data) => {
                let cons = &self.globals.datas[data].cons;
                let Some(left) = self.slips.get().checked_sub(cons.len()) else { return };
                self.slips.set(left);
                let names = cons.iter().map(|&con| &*self.globals.cons[con].name);
                suggest::nearest(text, names).map(str::to_owned)
            }
            None => self.similar_constructor(name),
        };
        let Some(near) = near.filter(|near| suggest::is_one_slip(text, near)) else { return };
        if self.told.contains(&span) {
            return;
        }
        self.variables.push((name, span));
        let (text, near) = (for_message(text), self.as_pattern(&near));
        self.report(
            Diagnostic::warning(
                Code::VariablePattern,
                span,
                format!("`{text}` is a variable here, and no constructor"),
            )
            .label("it matches everything, and nothing uses it")
            .help(format!(
                "did you mean `{near}`? `_` is the pattern for a value that is not used"
            )),
        );
    }

    /// Removes the warnings about variables in patterns that another report explains: the name is not
    /// bound where it stands for a value, so it is a constructor that is not declared, or a name like it
    /// is not bound, which is the variable's.
    pub(super) fn undeclared(&mut self) {
        let unbound = self.unbound.iter().filter(|((unit, _), _)| *unit == self.unit);
        let (mut names, mut meant) = (FxHashSet::default(), FxHashSet::default());
        for ((_, name), &at) in unbound {
            names.insert(*name);
            meant.extend(self.diagnostics.get(at).and_then(|report| report.help.clone()));
        }
        if names.is_empty() {
            return;
        }
        let is_explained = |name: Name| {
            names.contains(&name) || meant.contains(&format!("did you mean `{}`?", self.text(name)))
        };
        let places: FxHashSet<Span> = self
            .variables
            .iter()
            .filter(|(name, _)| is_explained(*name))
            .map(|(_, span)| *span)
            .collect();
        self.diagnostics.retain(|report| {
            !matches!(report.code, Code::UnreachableAlternative | Code::VariablePattern)
                || !places.contains(&report.primary.span)
        });
    }

    /// Returns the pattern of a visible constructor with this name.
    fn as_pattern(&self, name: &str) -> String {
        let con =
            self.globals.input.names.find(name).and_then(|it| self.globals.con(self.unit, it));
        let fields = con.map_or(0, |con| self.globals.cons[con].arity as usize);
        match fields {
            1..=6 => format!("({}{})", for_message(name), " _".repeat(fields)),
            _ => for_message(name),
        }
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
    pub(super) fn data_name(&self, data: DataId) -> String {
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
