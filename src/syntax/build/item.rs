//! Definitions, data declarations, imports.

use super::{Builder, Seq, Shape, Wanted};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::List;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::syntax::ast::{Binder, ConDecl, Expr, ExprId, Item, ItemKind};
use crate::syntax::lex::is_name;

/// The longest declaration of another language, in bytes, that is made sense of.
const DECLARED: usize = 2_000;
/// The most fields of a constructor in such a declaration.
const FIELDS: usize = 20;

/// Returns the constructors of `(data T a = A a | B)`: where the name of each stands in the text, and
/// how many fields it has.
fn alternatives(text: &str) -> Option<Vec<(usize, usize, usize)>> {
    let text = text.strip_suffix(')')?;
    let mut at = text.find('=')? + 1;
    let mut found = Vec::new();
    for alternative in text[at..].split('|') {
        let alternative = alternative.split("deriving").next().unwrap_or_default();
        let name = alternative.trim_start();
        let start = at + alternative.len() - name.len();
        let name = name.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        if !is_name(name) {
            return None;
        }
        let rest = &text[start + name.len()..at + alternative.len()];
        if let Some((_, named)) = rest.split_once('{') {
            // `A { x, y :: Int, z :: Int }`
            found.push((start, start + name.len(), named.matches(',').count() + 1));
            at += text[at..].find('|').map_or(text.len() - at, |bar| bar + 1);
            continue;
        }
        // A field is a word, or what stands in brackets.
        let (mut fields, mut depth, mut is_inside) = (0, 0u32, false);
        for c in rest.chars() {
            let is_start = depth == 0 && !is_inside && !c.is_whitespace();
            fields += usize::from(is_start);
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.checked_sub(1)?,
                '"' => return None,
                _ => {}
            }
            is_inside = !c.is_whitespace() && !matches!(c, ')' | ']');
        }
        if depth > 0 {
            return None;
        }
        found.push((start, start + name.len(), fields));
        at += text[at..].find('|').map_or(text.len() - at, |bar| bar + 1);
    }
    found.iter().all(|(.., fields)| *fields <= FIELDS).then_some(found)
}

impl Builder<'_> {
    pub(super) fn item(&mut self, lo: u32, hi: u32, name: Binder, kind: ItemKind) {
        let span = Span::new(lo, hi);
        if self.wanted == Wanted::Expression {
            self.report(Code::ExpectedExpression, span, |report| Diagnostic {
                message: "a definition where one expression is due".to_string(),
                ..report.help("definitions stand in a file; a local one is a let")
            });
            let error = self.ast.expr(Expr::Error, span);
            self.exprs.push(error);
            return;
        }
        let file = self.file;
        self.ast.items.push(Item { kind, name: name.name, name_span: name.span, span, file });
    }

    /// Builds `(defn name[x ..] body)`.
    pub fn defn(&mut self, lo: u32, hi: u32, name: Binder, params: List<Binder>, n: u32) {
        let clean = self.end_form(lo);
        let body = self.one(lo, hi, n, Shape::Defn, clean);
        self.item(lo, hi, name, ItemKind::Defn { params, body });
    }

    /// Builds `(defn name e ..)`: without a parameter list.
    pub fn defn_without_params(&mut self, lo: u32, hi: u32, name: Binder, first: ExprId, n: u32) {
        self.drop_exprs(n);
        let clean = self.end_form(lo);
        if clean && !self.is_suspect(lo) {
            let span = self.ast.expr_spans[first];
            let word = name.name.map_or("_", |name| self.names.text(name));
            let word = for_message(word);
            let is_empty = matches!(self.slice(span.lo, span.hi).as_bytes(), [b'(', .., b')'])
                && matches!(self.ast.exprs[first], Expr::Error);
            if is_empty {
                // What is said of it says all.
                self.reports.drop_inside(&[span]);
            }
            self.report(Code::BadDefinition, span, |report| {
                let message = "this defn has no parameter list".to_string();
                let report = Diagnostic { message, ..report }.label("it is due before this");
                report.help(match n {
                    _ if is_empty => {
                        format!("without parameters it is (defn {word}[] body), in square brackets")
                    }
                    0 => format!("write (defn {word}[] ..) for a definition without parameters"),
                    _ => format!("parameters stand in square brackets: (defn {word}[x ..] body)"),
                })
            });
        }
        let body = if n == 0 { first } else { self.ast.expr(Expr::Error, Span::new(lo, hi)) };
        self.item(lo, hi, name, ItemKind::Defn { params: List::EMPTY, body });
    }

    /// Builds `(defn name)`.
    pub fn defn_name_only(&mut self, lo: u32, hi: u32, name: Binder) {
        self.bad_item(lo, hi, Shape::Defn);
        if self.wanted == Wanted::File {
            let body = self.ast.expr(Expr::Error, Span::new(lo, hi));
            self.item(lo, hi, name, ItemKind::Defn { params: List::EMPTY, body });
        }
    }

    /// Builds `(defn [x ..] body)`: without a name.
    pub fn defn_without_name(&mut self, lo: u32, hi: u32, at: u32, end: u32, n: u32) {
        self.drop_exprs(n);
        if self.end_form(lo) {
            self.report(Code::BadDefinition, Span::new(at, end), |report| {
                Diagnostic { message: "this defn has no name".to_string(), ..report }
                    .label("a name is due before this")
                    .also(Span::new(lo, hi.min(lo + 1)), "the defn starts here")
                    .help(Shape::Defn.form())
            });
        }
    }

    /// Reports an item that lacks something.
    pub fn bad_item(&mut self, lo: u32, hi: u32, shape: Shape) {
        if self.end_form(lo) && !self.is_suspect(lo) {
            // Of two words the second is the name.
            let words = self.slice(lo, hi).split_whitespace().count();
            let message = match shape {
                Shape::Import if words > 1 => "this import names no file or module".to_string(),
                Shape::Data if words > 1 => "this data declaration has no name".to_string(),
                _ if words > 1 => {
                    format!("this {} has no parameter list and no body", shape.name())
                }
                _ => format!("this {} is empty", shape.name()),
            };
            self.report(shape.code(), Span::new(lo, hi), |report| {
                Diagnostic { message, ..report }.help(shape.form())
            });
        }
    }

    /// Reports what is no name after `defn` or `data`.
    pub fn bad_defined(&mut self, lo: u32, hi: u32) -> Binder {
        let help = match self.slice(lo, hi).as_bytes().first() {
            Some(b'(') => "the name comes first and alone: (defn f[x y] body), (data T (Con x y))",
            _ => "a name starts with a letter or `_` and is no keyword",
        };
        self.no_name(lo, hi, help);
        Binder { name: None, span: Span::new(lo, hi) }
    }

    /// Builds `(data Name (Con field ..) ..)`.
    pub fn data(&mut self, lo: u32, hi: u32, name: Binder, s: Seq) {
        let clean = self.end_form(lo);
        if !clean && s.tainted {
            self.foreign_data(lo, hi);
        }
        if s.len == 0 && !s.tainted && clean && !self.is_suspect(lo) {
            self.report(Code::BadData, Span::new(lo, hi), |report| Diagnostic {
                message: "this data declaration has no constructor".to_string(),
                ..report.help(Shape::Data.form())
            });
        }
        let cons = std::mem::take(&mut self.cons);
        self.item(lo, hi, name, ItemKind::Data { cons });
    }

    /// Reports a declaration like `(data T a = A a | B)`, and makes the constructors of it that are
    /// meant.
    fn foreign_data(&mut self, lo: u32, hi: u32) {
        let text = self.slice(lo, hi);
        let Some(declared) = (text.len() <= DECLARED).then(|| alternatives(text)).flatten() else {
            return;
        };
        let name = text.split_whitespace().nth(1).unwrap_or_default();
        let fields = |count: usize| ('a'..='z').take(count).map(|field| format!(" {field}"));
        let written: String = declared
            .iter()
            .map(|(at, end, count)| {
                format!(" ({}{})", &text[*at..*end], fields(*count).collect::<String>())
            })
            .collect();
        let help = format!("write (data {}{written})", for_message(name));
        self.report_all(Code::BadData, Span::new(lo, hi), |report| {
            let message = "a data declaration has neither `=` nor `|`".to_owned();
            Diagnostic { message, ..report }.help(help)
        });
        self.cons.clear();
        for (at, end, count) in declared {
            let (at, end) = (lo + at as u32, lo + end as u32);
            self.binders = vec![Binder { name: None, span: Span::new(at, end) }; count];
            self.push_con(at, end);
        }
    }

    /// Builds `[(Con field ..) ..]` among constructors.
    pub fn listed_cons(&mut self, s: Seq, lo: u32, hi: u32, listed: Seq) -> Seq {
        if self.end_form(lo) && !s.junk {
            self.report_all(Code::BadData, Span::new(lo, hi), |report| Diagnostic {
                message: "constructors stand in no list".to_owned(),
                ..report.help(Shape::Data.form())
            });
        }
        Seq { len: s.len + listed.len, ..s }.bad()
    }

    fn push_con(&mut self, lo: u32, hi: u32) {
        let name = self.intern(lo, hi);
        let fields = self.ast.binders.add(self.binders.drain(..));
        self.cons.push(ConDecl { name, span: Span::new(lo, hi), fields });
    }

    /// Builds `(Con field ..)`; the name is `name_lo..name_hi`.
    pub fn con(&mut self, s: Seq, lo: u32, name_lo: u32, name_hi: u32) -> Seq {
        self.end_form(lo);
        self.push_con(name_lo, name_hi);
        s.good()
    }

    /// Builds `Con`, without brackets. It is taken for one without fields.
    pub fn bare_con(&mut self, s: Seq, lo: u32, hi: u32) -> Seq {
        if !s.junk {
            let word = self.slice(lo, hi);
            // `Con(x, y)`
            let rest = self.line_from(hi, DECLARED);
            let fields = rest.find(')').filter(|_| rest.starts_with('('));
            let help = match fields {
                Some(_) => {
                    format!("the name stands in the brackets: ({} field ..)", for_message(word))
                }
                None => format!("write ({})", for_message(word)),
            };
            self.report(Code::BadData, Span::new(lo, hi), |report| Diagnostic {
                message: "a constructor stands in parentheses".to_string(),
                ..report.help(help)
            });
            self.covered.extend(fields.map(|end| Span::new(hi, hi + end as u32)));
        }
        self.binders.clear();
        self.push_con(lo, hi);
        s.good().bad()
    }

    /// Reports what stands where a constructor is due, once for a run of such.
    pub fn bad_con(&mut self, s: Seq, lo: u32, hi: u32) -> Seq {
        if self.junk_is_new(s, lo, hi) {
            self.report(Code::BadData, Span::new(lo, hi), |report| Diagnostic {
                message: "this is no constructor".to_string(),
                ..report.help("a constructor is written (Con field ..), its name first")
            });
        }
        s.bad()
    }

    /// Builds `(import "file")`; the path is `path_lo..path_hi`.
    pub fn import_file(&mut self, lo: u32, hi: u32, path_lo: u32, path_hi: u32, more: u32) {
        if self.judge_import(lo, hi, more) {
            let path = self.unquote(path_lo, path_hi);
            let name = Binder { name: None, span: Span::new(path_lo, path_hi) };
            self.item(lo, hi, name, ItemKind::ImportFile { path });
        }
    }

    /// Builds `(import module)`; the name is `name_lo..name_hi`.
    pub fn import_module(&mut self, lo: u32, hi: u32, name_lo: u32, name_hi: u32, more: u32) {
        if self.judge_import(lo, hi, more) {
            let name = self.binder(name_lo, name_hi);
            self.item(lo, hi, name, ItemKind::ImportModule);
        }
    }

    /// Returns whether an import names one thing and nothing else; reports one that does not.
    fn judge_import(&mut self, lo: u32, hi: u32, more: u32) -> bool {
        let clean = self.end_form(lo);
        if clean && more > 0 {
            self.report(Code::BadImport, Span::new(lo, hi), |report| {
                Diagnostic { message: "an import names one file or module".to_string(), ..report }
                    .help("write an import for each")
            });
        }
        clean && more == 0 || !clean && more <= 1
    }
}
