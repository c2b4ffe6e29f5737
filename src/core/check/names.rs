//! Reports about names: unbound, ambiguous, defined or bound twice; and `main`.

use rustc_hash::FxHashMap;

use super::{Checker, Task};
use crate::base::code::Code;
use crate::base::diagnostic::{Diagnostic, Label};
use crate::base::name::Name;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::base::suggest;
use crate::core::scope::{Lookup, PROGRAM, Target, UnitId};
use crate::corelib;
use crate::primitive::Primitive;
use crate::syntax::ast::{Expr, ExprId, ItemKind};

/// The number of names that one run compares for suggestions. It bounds the time for a source
/// of a million unbound names.
pub(super) const SUGGESTIONS: usize = 1_000_000;

/// The number of pending tasks that are searched for a `let` around an unbound name.
const TASKS: usize = 1_000;

/// How many more names of a module that is not imported a report shows.
const SHOWN: usize = 3;

/// Names that other languages use, each with the name here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("true", "true is written `1`"),
    ("True", "true is written `1`"),
    ("#t", "true is written `1`"),
    ("#true", "true is written `1`"),
    ("false", "false is written `0`"),
    ("False", "false is written `0`"),
    ("#f", "false is written `0`"),
    ("#false", "false is written `0`"),
    ("nil", "the empty list is `Nil`, or `[]`"),
    ("null", "the empty list is `Nil`, or `[]`"),
    ("cons", "a list cell is `(Cons head tail)`"),
    ("lambda", "a function is written `(fn [x] body)`"),
    ("plus", "addition is `add`"),
    ("minus", "subtraction is `sub`"),
    ("times", "multiplication is `mul`"),
    ("quot", "the quotient truncated toward zero is `div`"),
    ("modulo", "the remainder is `rem`, or `mod` when rounding down"),
    ("equal", "equality of integers and of characters is `eq`"),
    ("equals", "equality of integers and of characters is `eq`"),
    ("quote", "nothing is quoted: a list is written `[1 2 3]`, a character `'a'`"),
    ("list", "a list is written `[1 2 3]`"),
    ("tuple", PAIR),
    ("Tuple", PAIR),
    ("pair", PAIR),
    ("def", "a definition is written `(defn name[x] body)`"),
    ("define", "a definition is written `(defn name[x] body)`"),
    ("match", "a match is written `(case e [pattern body] ..)`"),
    ("cond", "a condition is `(if c then else)`"),
    ("λ", "a function is written `(fn [x] body)`"),
    ("function", "a function is written `(fn [x] body)`"),
    ("main", "`main` is what the file of a program defines, and nothing does here"),
    ("print", PRINT),
    ("println", PRINT),
    ("putStrLn", LINE),
    ("printf", PRINT),
    ("display", PRINT),
    ("show", SHOW),
    ("str", SHOW),
    ("toString", SHOW),
    ("Some", "a value that may be missing is `(Just value)` or `Nothing`"),
    ("switch", "a switch is written `(case e [pattern body] ..)`"),
    ("None", "a value that may be missing is `(Just value)` or `Nothing`"),
    ("neg", "the negative of an integer is `(negate n)`"),
    ("car", "the first element of a list is `(head xs)`"),
    ("cdr", "a list without its first element is `(tail xs)`"),
    ("first", "the first part of a pair is `(fst p)`, that of a list `(head xs)`"),
    ("second", "the second part of a pair is `(snd p)`"),
    ("fold", "a list is folded with `foldr`, `foldl` or `foldl'`"),
    ("reduce", "a list is folded with `foldr`, `foldl` or `foldl'`"),
    ("concatenate", "two lists or texts are joined with `append`"),
    ("strcat", "two lists or texts are joined with `append`"),
    ("fmap", "a function is applied to each element of a list by `(map f xs)`"),
    ("mapcar", "a function is applied to each element of a list by `(map f xs)`"),
    ("inc", "one more is `(add n 1)`"),
    ("dec", "one less is `(sub n 1)`"),
    ("expt", "b to the power e is `(pow b e)`"),
    ("sorted", "a list is sorted by `(sort xs)`"),
    ("rest", "a list without its first element is `(tail xs)`"),
    ("empty?", EMPTY),
    ("null?", EMPTY),
    ("nil?", EMPTY),
    ("isEmpty", EMPTY),
    ("size", "the length of a list is `(length xs)`"),
    ("len", "the length of a list is `(length xs)`"),
    ("do", IN_ORDER),
    ("begin", IN_ORDER),
    ("progn", IN_ORDER),
    ("else", "both cases follow the condition: `(if condition value other)`"),
    ("elif", "both cases follow the condition: `(if condition value other)`"),
    ("elseif", "both cases follow the condition: `(if condition value other)`"),
    ("while", LOOP),
    ("for", LOOP),
    ("loop", LOOP),
    ("foreach", LOOP),
    ("set", "a definition never changes; a cell, which actions change, is made by `newCell`"),
    ("var", "a local name is bound by `(let ([x value]) body)`, and never changes"),
    ("val", "a local name is bound by `(let ([x value]) body)`"),
    ("const", "a constant is written `(defn name[] value)`"),
    ("where", "local names are bound before they are used: `(let ([x value]) body)`"),
    ("puts", LINE),
    ("echo", LINE),
    ("putStr", LINE),
    ("newline", LINE),
    ("readLine", "a line of the input is read by the action `getLine` of the module `io`"),
    ("readln", "a line of the input is read by the action `getLine` of the module `io`"),
    ("gets", "a line of the input is read by the action `getLine` of the module `io`"),
    ("read", "`(parseInt text)` is (Just integer), or Nothing"),
    ("int", "`(parseInt text)` is (Just integer), or Nothing"),
    ("pair", "a pair is `(Pair a b)`"),
    ("tuple", "a pair is `(Pair a b)`, a triple `(Triple a b c)`"),
    ("list", "a list is written `[a b c]`"),
    ("push", "an element is put before a list by `(Cons x xs)`"),
    ("forEach", "an action for each element is `(forM_ xs f)`, of the module `io`"),
];

/// What tells whether a list is empty.
const EMPTY: &str = "whether a list is empty is `(null xs)`";

/// What puts actions in order.
const IN_ORDER: &str =
    "actions follow each other by `(then m n)`, `(bind m (fn [x] ..))` or `(sequence_ [..])`";

/// What to write instead of a tuple.
const PAIR: &str = "two values together are `(Pair a b)`, three `(Triple a b c)`";

/// What to write instead of a loop.
const LOOP: &str =
    "what is repeated is a function that calls itself, or `map`, `foldl'` and the like";

/// What writes a line.
const LINE: &str = "a line is written by the action `(putLine text)` of the module `io`";

/// What to write instead of a command that prints.
const PRINT: &str = "nothing prints by itself: the value of `main` is what the program prints";

/// What to write instead of one function that makes a text of any value.
const SHOW: &str = "a text is made by `showInt`, `showChar`, `showString` or `(showList f xs)`";

/// The most fields, and constructors of a data type, that are looked through for a name.
const FIELDS: usize = 8;

/// Names of other languages for a form with parameters: what follows them is no mistake of its
/// own.
const FORMS: &[&str] =
    &["lambda", "λ", "function", "define", "def", "match", "switch", "cond", "quote"];

/// Returns the keyword that a name is nearly.
fn keyword(text: &str) -> Option<&'static str> {
    suggest::nearest(text, ["case", "let", "letrec", "fn"])
}

/// Returns what to write for a name of a module.
fn in_module(module: &str) -> String {
    format!("it is in the module `{module}`: add `(import {module})`")
}

impl Checker<'_> {
    pub(super) fn text(&self, name: Name) -> String {
        for_message(self.globals.input.names.text(name))
    }

    /// Reports second definitions, and definitions of reserved names.
    pub(super) fn definitions(&mut self) {
        for duplicate in &self.globals.duplicates {
            let name = self.text(duplicate.name);
            let what = if duplicate.data { "the data type " } else { "" };
            self.diagnostics.push(
                Diagnostic::error(
                    Code::DuplicateDefinition,
                    duplicate.second,
                    format!("{what}`{name}` is defined twice"),
                )
                .label("the second definition")
                .also(duplicate.first, "the first definition"),
            );
        }
        for &(name, span) in &self.globals.reserved {
            let name = self.text(name);
            self.diagnostics.push(
                Diagnostic::error(
                    Code::ReservedName,
                    span,
                    format!("`{name}` is built in and cannot be defined anew"),
                )
                .help("choose another name"),
            );
        }
    }

    /// Warns of a `main` whose value is a function.
    pub(super) fn value_of_main(&mut self) {
        let main = self.globals.input.names.find("main");
        if let Some(Target::Defn(item)) = main.and_then(|main| self.globals.own(PROGRAM, main))
            && let Some(item) = self.ast.items.get(item as usize)
            && let ItemKind::Defn { params, body } = item.kind
            && params.is_empty()
        {
            self.function_main(body);
            self.actions_main(body);
        }
    }

    /// Reports a missing `main`, or one that cannot be run.
    pub(super) fn main(&mut self) {
        let main = self.globals.input.names.find("main");
        if main.is_some_and(|main| self.ast.doubts.has_name(main)) {
            return;
        }
        let target = main.and_then(|main| self.globals.own(PROGRAM, main));
        let report = match target {
            None => self.missing_main(),
            Some(target @ Target::Defn(item)) => {
                let params = match self.ast.items.get(item as usize).map(|item| &item.kind) {
                    Some(ItemKind::Defn { params, .. }) if params.len() > 1 => params.len(),
                    _ => return,
                };
                Diagnostic::error(
                    Code::MainParameters,
                    self.globals.span(target),
                    format!("`main` has {params} parameters, and may have one at most"),
                )
                .help("the one parameter is standard input, a list of characters")
            }
            Some(target) => Diagnostic::error(
                Code::MissingMain,
                self.globals.span(target),
                "`main` is a constructor, and the program has no definition of `main`",
            )
            .help("add `(defn main[] ...)`: its value is what the program prints"),
        };
        self.report(report);
    }

    /// Reports that there is no `main`, and which definition may be meant for it.
    fn missing_main(&self) -> Diagnostic {
        let message = "the program has no definition of `main`";
        let defined = self.ast.items.iter().filter_map(|item| match item.kind {
            ItemKind::Defn { .. } if self.globals.input.unit(item.file) == PROGRAM => {
                let name = item.name?;
                Some((name, self.globals.input.names.text(name)))
            }
            _ => None,
        });
        let near = suggest::nearest("main", defined.clone().map(|(_, text)| text));
        let found = near.and_then(|near| defined.clone().find(|(_, text)| *text == near));
        let target = found.and_then(|(name, _)| self.globals.own(PROGRAM, name));
        match (near, target) {
            (Some(near), Some(target)) => {
                let near = for_message(near);
                Diagnostic::error(Code::MissingMain, self.globals.span(target), message).help(
                    format!(
                        "should `{near}` be `main`? The value of `main` is what a program prints"
                    ),
                )
            }
            _ => Diagnostic::error(Code::MissingMain, Span::NONE, message)
                .help("add `(defn main[] ...)`: its value is what the program prints"),
        }
    }

    /// Checks a name in an expression.
    pub(super) fn name(&mut self, expr: ExprId, name: Name) {
        if self.is_bound(name) {
            let mut watched = self.watched.iter_mut().rev();
            if let Some((_, is_used)) = watched.find(|(suspect, _)| suspect.name == name) {
                *is_used = true;
            }
            return;
        }
        match self.globals.lookup(self.unit, name) {
            Lookup::Found(_) => {}
            Lookup::Unbound if self.is_doubted(name) => {}
            _ if !self.reported.insert(name) => {}
            Lookup::Ambiguous(one, other) => {
                let report = self.ambiguous(self.ast.expr_spans[expr], name, one, other);
                self.report(report);
            }
            Lookup::Unbound if self.is_of_missing(expr, name) => {}
            Lookup::Unbound if self.is_said(name, self.ast.expr_spans[expr]) => {}
            Lookup::Unbound => {
                let text = self.text(name);
                let message = match text.starts_with('#') {
                    true => format!("there is no primitive `{text}`"),
                    false => format!("`{text}` is not bound"),
                };
                let mut report =
                    Diagnostic::error(Code::UnboundName, self.ast.expr_spans[expr], message);
                report.help = self.similar(name);
                let text = self.globals.input.names.text(name);
                if let Some(module) = corelib::defining(text)
                    && report.help == Some(in_module(module))
                {
                    self.missing.insert((self.unit, module), self.diagnostics.len());
                }
                self.unbound.insert((self.unit, name), self.diagnostics.len());
                self.report(report);
            }
        }
    }

    /// Returns whether a mistake that is reported may explain that a name is not bound.
    pub(super) fn is_doubted(&self, name: Name) -> bool {
        let names = self.globals.input.names;
        let text = names.text(name);
        let doubts = &self.ast.doubts;
        let module = corelib::defining(text).and_then(|module| names.find(module));
        self.unsure > 0
            || doubts.has_name(name)
            || module.is_some_and(|module| doubts.has_name(module))
    }

    /// Adds the place of a name to the report that says of another place that it is not bound.
    pub(super) fn is_said(&mut self, name: Name, span: Span) -> bool {
        let at = self.unbound.get(&(self.unit, name));
        let Some(report) = at.and_then(|at| self.diagnostics.get_mut(*at)) else { return false };
        if report.secondary.len() < SHOWN {
            report.secondary.push(Label { span, text: "here too".to_owned() });
        }
        true
    }

    /// Adds a name of a module that is not imported to the report that says so of another name.
    fn is_of_missing(&mut self, expr: ExprId, name: Name) -> bool {
        let text = self.globals.input.names.text(name);
        let Some(module) = corelib::defining(text) else { return false };
        let at = self.missing.get(&(self.unit, module));
        let Some(report) = at.and_then(|at| self.diagnostics.get_mut(*at)) else { return false };
        if report.secondary.len() < SHOWN {
            let (span, text) = (self.ast.expr_spans[expr], "so is this".to_owned());
            report.secondary.push(Label { span, text });
        }
        true
    }

    pub(super) fn ambiguous(
        &self,
        span: Span,
        name: Name,
        one: UnitId,
        other: UnitId,
    ) -> Diagnostic {
        let module = |unit: UnitId| {
            self.globals.input.units.get(unit.0 as usize).map_or("", |unit| unit.name.as_str())
        };
        let mut report = Diagnostic::error(
            Code::AmbiguousName,
            span,
            format!(
                "`{}` is defined by two imported modules, {} and {}",
                self.text(name),
                module(one),
                module(other)
            ),
        )
        .help("define the name in the program, or import only one of the two");
        for unit in [one, other] {
            if let Some(target) = self.globals.own(unit, name) {
                report = report.also(self.globals.span(target), format!("in {}", module(unit)));
            }
        }
        report
    }

    /// Returns what was probably meant by an unbound name.
    fn similar(&self, name: Name) -> Option<String> {
        let names = self.globals.input.names;
        let text = names.text(name);
        let mut waiting = self.tasks.iter().rev().take(TASKS);
        if waiting.any(|task| matches!(task, Task::Let(later) if *later == name)) {
            let help = "a binding of `let` sees those before it; those of `letrec` see each other";
            return Some(help.to_owned());
        }
        // `then` is a function of actions too.
        let is_branch = text == "then" && names.find("else").is_some();
        let text = if is_branch { "else" } else { text };
        if let Some(module) = corelib::defining(text) {
            return Some(in_module(module));
        }
        if let Some((_, help)) = ELSEWHERE.iter().find(|(other, _)| *other == text) {
            return Some((*help).to_owned());
        }
        if self.is_form
            && let Some(word) = keyword(text)
        {
            return Some(format!("did you mean `{word}`?"));
        }
        // What is bound around is likelier than a field.
        if let Some(found) = self.nearest(text, |other| self.is_bound(other), |_| false) {
            return Some(format!("did you mean `{}`?", for_message(&found)));
        }
        if let Some(help) = self.field(name) {
            return Some(help);
        }
        let visible = |other: Name| {
            self.is_bound(other)
                || matches!(self.globals.lookup(self.unit, other), Lookup::Found(_))
        };
        let found = self.nearest(text, visible, |_| true)?;
        Some(format!("did you mean `{}`?", for_message(&found)))
    }

    /// Returns how the field is taken out that a name documents in a declaration of the program.
    fn field(&self, name: Name) -> Option<String> {
        self.suggestions.set(self.suggestions.get().checked_sub(self.ast.items.len())?);
        let is_own = |file: usize| self.globals.input.unit(file) == PROGRAM;
        let items = self.ast.items.iter().filter(|item| is_own(item.file));
        let mut cons = items.filter_map(|item| match &item.kind {
            ItemKind::Data { cons } => Some(cons.iter().take(FIELDS)),
            _ => None,
        });
        let con = cons.find_map(|mut cons| {
            cons.find(|con| {
                let fields = &self.ast.binders[con.fields];
                fields.len() <= FIELDS && fields.iter().any(|field| field.name == Some(name))
            })
        })?;
        let fields = self.ast.binders[con.fields].iter().map(|field| match field.name {
            Some(field) if field == name => self.text(name),
            _ => "_".to_owned(),
        });
        let fields = fields.collect::<Vec<_>>().join(" ");
        let (con, field) = (self.text(con.name), self.text(name));
        Some(format!(
            "a field is taken out by a pattern, as in `(case value [({con} {fields}) {field}])`"
        ))
    }

    /// Returns whether an expression is an unbound name that stands for a form in other
    /// languages.
    pub(super) fn is_foreign_form(&self, expr: ExprId, args: &[ExprId]) -> bool {
        let Expr::Name(name) = self.ast.exprs[expr] else { return false };
        let is_unbound = || {
            !self.is_bound(name) && matches!(self.globals.lookup(self.unit, name), Lookup::Unbound)
        };
        let text = self.globals.input.names.text(name);
        let has_list = || args.iter().any(|&arg| matches!(self.ast.exprs[arg], Expr::List(_)));
        let is_form = FORMS.contains(&text);
        (is_form || has_list()) && is_unbound() && (is_form || keyword(text).is_some())
    }

    /// Reports a form whose keyword is missing, `([x] body)` or `([x value] body)`. Returns whether it is
    /// one: a list of names that mean nothing.
    pub(super) fn is_without_keyword(&mut self, callee: ExprId, args: &[ExprId]) -> bool {
        let Expr::List(elements) = self.ast.exprs[callee] else { return false };
        let elements = &self.ast.expr_lists[elements];
        let binds = |&expr: &ExprId| match self.ast.exprs[expr] {
            Expr::Name(name) => {
                !self.is_bound(name)
                    && matches!(self.globals.lookup(self.unit, name), Lookup::Unbound)
            }
            _ => false,
        };
        let (code, word, help) = match elements {
            [_, ..] if elements.len() <= FIELDS && elements.iter().all(binds) => {
                (Code::BadLambda, "fn", "a function is written (fn [parameter ..] body)")
            }
            [name, _] if binds(name) => {
                (Code::BadLet, "let", "a let is written (let ([name value] ..) body)")
            }
            _ => return false,
        };
        if args.len() != 1 {
            return false;
        }
        let message = format!("`{word}` is missing before this");
        self.report(Diagnostic::error(code, self.ast.expr_spans[callee], message).help(help));
        true
    }

    /// Returns what to write for a pattern's constructor that there is not.
    pub(super) fn constructor_meant(&self, name: Name) -> Option<String> {
        if let Some(near) = self.similar_constructor(name) {
            return Some(format!("did you mean `{near}`?"));
        }
        let text = self.globals.input.names.text(name);
        let known = ELSEWHERE.iter().find(|(other, _)| *other == text);
        known.map(|(_, help)| (*help).to_owned())
    }

    /// Returns the visible constructor that was probably meant.
    pub(super) fn similar_constructor(&self, name: Name) -> Option<String> {
        let text = self.globals.input.names.text(name);
        let is_constructor = |other| self.globals.con(self.unit, other).is_some();
        let is_primitive = |other: &str| Primitive::ALL.iter().any(|one| one.name() == other);
        self.nearest(text, is_constructor, |other| !is_primitive(other))
            .map(|found| for_message(&found))
    }

    /// Returns the name nearest to `text` of those that are visible, among them the ones that no
    /// source has and that `wanted` accepts.
    fn nearest(
        &self,
        text: &str,
        visible: impl Fn(Name) -> bool,
        wanted: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let names = self.globals.input.names;
        self.suggestions.set(self.suggestions.get().checked_sub(names.len())?);
        // Of equally near ones a local is likelier than what the program defines, and that
        // likelier than anything else.
        let rank = |other: Name| {
            let own = self.globals.own(PROGRAM, other).is_some();
            if self.is_bound(other) { 0 } else { 2 - u8::from(own) }
        };
        let candidates = names.names().filter(|&other| visible(other));
        let candidates = candidates.map(|other| (rank(other), names.text(other)));
        let hidden: Vec<_> = self.globals.hidden().collect();
        let hidden = hidden.iter().map(|other| (2, &**other)).filter(|(_, other)| wanted(other));
        suggest::nearest_ranked(text, candidates.chain(hidden)).map(str::to_owned)
    }

    /// Reports the second one of two equal names in a list.
    pub(super) fn doubled(
        &mut self,
        names: impl Iterator<Item = (Name, Span)> + Clone,
        what: &str,
        code: Code,
    ) {
        // Nearly all lists are short: no table for those.
        let mut few: Vec<(Name, Span)> = Vec::new();
        let mut many: FxHashMap<Name, Span> = FxHashMap::default();
        for (name, span) in names {
            let first = match few.iter().find(|(other, _)| *other == name) {
                Some(&(_, first)) => Some(first),
                None => many.get(&name).copied(),
            };
            match first {
                Some(first) => {
                    let text = self.text(name);
                    self.report(
                        Diagnostic::error(code, span, format!("this {what} binds `{text}` twice"))
                            .label("the second time")
                            .also(first, "the first time"),
                    );
                }
                None if few.len() < 8 => few.push((name, span)),
                None => {
                    many.insert(name, span);
                }
            }
        }
    }
}
