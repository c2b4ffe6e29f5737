//! Expressions.

use super::{Builder, Seq, Shape, UNOPENED};
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::float::Float;
use crate::base::index::List;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::syntax::ast::{Alt, Binder, Binding, Expr, ExprId, ItemKind, Pat, PatId};
use crate::syntax::lex::is_name;

/// The longest rest of a line, in characters, of which a report at its beginning says all.
const LINE: usize = 500;

/// The longest left side of an equation, in characters, that is made sense of.
const EQUATION: usize = 200;

impl Builder<'_> {
    fn expr(&mut self, lo: u32, hi: u32, expr: Expr) -> ExprId {
        self.ast.expr(expr, Span::new(lo, hi))
    }

    /// Builds INT.
    pub fn int(&mut self, lo: u32, hi: u32) -> ExprId {
        let expr = match self.integer(lo, hi) {
            Some(Integer::Small(small)) => Expr::Int(small),
            Some(big) => Expr::Big(self.ast.bigs.push(big)),
            // Not reached: an INT is a sign and digits.
            None => Expr::Error,
        };
        self.expr(lo, hi, expr)
    }

    /// Builds FLOAT.
    pub fn float(&mut self, lo: u32, hi: u32) -> ExprId {
        // Always a float: the lexer let it pass.
        let expr = Float::parse(self.slice(lo, hi)).map_or(Expr::Error, Expr::Float);
        self.expr(lo, hi, expr)
    }

    /// Builds CHAR.
    pub fn char(&mut self, lo: u32, hi: u32) -> ExprId {
        // Always a character: the lexer let it pass.
        let expr = self.unquote_char(lo, hi).map_or(Expr::Error, Expr::Char);
        self.expr(lo, hi, expr)
    }

    /// Builds STRING.
    pub fn text(&mut self, lo: u32, hi: u32) -> ExprId {
        let text = self.unquote(lo, hi);
        let text = self.ast.texts.push(text.into());
        self.expr(lo, hi, Expr::Text(text))
    }

    /// Builds NAME.
    pub fn name(&mut self, lo: u32, hi: u32) -> ExprId {
        let name = self.intern(lo, hi);
        self.expr(lo, hi, Expr::Name(name))
    }

    /// Builds an error node for a token that has been reported and was noted last.
    pub fn error(&mut self) -> ExprId {
        let at = self.bad.last().copied().unwrap_or(self.base);
        self.expr(at, at, Expr::Error)
    }

    /// Reports a keyword where an expression is due, and builds an error node.
    pub fn keyword(&mut self, lo: u32, hi: u32) -> ExprId {
        let word = self.slice(lo, hi);
        self.report(Code::MisplacedKeyword, Span::new(lo, hi), |report| {
            let report =
                Diagnostic { message: format!("`{word}` is a keyword, no value"), ..report };
            report.help(match word {
                "let" => Shape::Let.form(),
                "letrec" => Shape::Letrec.form(),
                "fn" => Shape::Fn.form(),
                "case" => Shape::Case.form(),
                "defn" => Shape::Defn.form(),
                "data" => Shape::Data.form(),
                _ => "an import stands in parentheses: (import module) or (import \"file.core\")",
            })
        });
        // The form around it is not what was meant.
        self.bad(lo);
        self.loose = Some(lo);
        if self.unopened.len() < UNOPENED {
            self.unopened.push(lo);
        }
        self.expr(lo, hi, Expr::Error)
    }

    /// Reports `_` where an expression is due, and builds an error node.
    pub fn underscore(&mut self, lo: u32, hi: u32) -> ExprId {
        if !self.bad.is_empty() {
            // A form around has a mistake: this may be a pattern of a `case` that is none for it.
            return self.expr(lo, hi, Expr::Error);
        }
        self.report(Code::MisplacedUnderscore, Span::new(lo, hi), |report| Diagnostic {
            message: "`_` binds nothing, so it has no value".to_string(),
            ..report.help("give the value a name where it is bound, and use that name")
        });
        self.expr(lo, hi, Expr::Error)
    }

    /// Builds `()`.
    pub fn empty(&mut self, lo: u32, hi: u32) -> ExprId {
        if self.end_form(lo) {
            self.report(Code::EmptyApplication, Span::new(lo, hi), |report| Diagnostic {
                message: "empty parentheses mean nothing".to_string(),
                ..report
                    .help("the empty list is [] or Nil; a call without arguments is the name alone")
            });
        }
        self.expr(lo, hi, Expr::Error)
    }

    /// Adds an element to a list of expressions and returns its length.
    pub fn push_expr(&mut self, n: u32, expr: ExprId) -> u32 {
        self.exprs.push(expr);
        n + 1
    }

    /// Takes the last `n` expressions off the stack.
    fn take_exprs(&mut self, n: u32) -> List<ExprId> {
        let at = self.exprs.len().saturating_sub(n as usize);
        self.ast.expr_lists.add(self.exprs.drain(at..))
    }

    /// Drops the last `n` expressions from the stack.
    pub(super) fn drop_exprs(&mut self, n: u32) {
        let at = self.exprs.len().saturating_sub(n as usize);
        self.exprs.truncate(at);
    }

    /// Builds `(f a ..)`; `(f)` is `f`.
    pub fn app(&mut self, lo: u32, hi: u32, f: ExprId, n: u32) -> ExprId {
        if n > 3 && self.is_named(f, "if") && self.has_branch_words(n) {
            self.end_form(lo);
            self.drop_exprs(n);
            self.report_all(Code::ExpectedExpression, Span::new(lo, hi), |report| Diagnostic {
                message: "an `if` has neither `then` nor `else`".to_string(),
                ..report.help("both values follow the condition: (if condition value other)")
            });
            return self.expr(lo, hi, Expr::Error);
        }
        self.end_form(lo);
        if self.is_foreign_case(lo, hi, f, n) {
            self.drop_exprs(n);
            self.report_all(Code::BadCase, self.ast.expr_spans[f], |report| Diagnostic {
                message: "a value is taken apart by `case`".to_string(),
                ..report.help(Shape::Case.form())
            });
            self.reports.drop_of(Code::MisplacedUnderscore, Span::new(lo, hi));
            return self.expr(lo, hi, Expr::Error);
        }
        if n == 0 {
            return f;
        }
        let arguments = self.take_exprs(n);
        self.expr(lo, hi, Expr::App(f, arguments))
    }

    /// Builds `[a ..]`.
    pub fn list(&mut self, lo: u32, hi: u32, n: u32) -> ExprId {
        if !self.end_form(lo) {
            self.drop_exprs(n);
            return self.expr(lo, hi, Expr::Error);
        }
        let elements = self.take_exprs(n);
        self.expr(lo, hi, Expr::List(elements))
    }

    /// Returns the one expression that ends a form, out of the `n` that are there; reports another
    /// number.
    pub(super) fn one(&mut self, lo: u32, hi: u32, n: u32, shape: Shape, judge: bool) -> ExprId {
        let at = self.exprs.len().saturating_sub(n as usize);
        let found = self.exprs.get(at..).unwrap_or_default();
        let (first, second, last) =
            (found.first().copied(), found.get(1).copied(), found.last().copied());
        self.exprs.truncate(at);
        let what = if shape == Shape::Binding { "value" } else { "body" };
        let Some(first) = first else {
            if judge && !self.is_suspect(lo) {
                self.report(shape.code(), Span::new(hi - 1, hi), |report| {
                    Diagnostic { message: format!("this {} has no {what}", shape.name()), ..report }
                        .label(format!("the {what} is missing here"))
                        .also(Span::new(lo, lo + 1), format!("the {} starts here", shape.name()))
                        .help(shape.form())
                });
            }
            return self.expr(lo, hi, Expr::Error);
        };
        if let Some(second) = second
            && self.is_where(second)
        {
            let at = self.ast.expr_spans[second];
            self.report_all(shape.code(), Span::new(at.lo, hi - 1), |report| Diagnostic {
                message: "nothing is defined after its use: there is no `where`".to_string(),
                ..report.help(
                    "names of a definition are bound by a let around its body: \
                     (let ([name value] ..) body)",
                )
            });
            // The names in it are not known.
            return self.expr(lo, hi, Expr::Error);
        }
        if judge && let (Some(second), Some(last)) = (second, last) {
            let span = self.ast.expr_spans[second].to(self.ast.expr_spans[last]);
            if self.is_call_of(first, second) {
                let span = self.ast.expr_spans[first].to(self.ast.expr_spans[second]);
                self.report_all(shape.code(), span, |report| {
                    let message = format!(
                        "a function stands outside of its brackets in this {}",
                        shape.name()
                    );
                    Diagnostic { message, ..report }
                        .help("the function stands in the brackets: (f a b), not f(a, b)")
                });
                return self.expr(lo, hi, Expr::Error);
            }
            self.report(shape.code(), span, |report| {
                Diagnostic {
                    message: format!("this {} has more than one {what}", shape.name()),
                    ..report
                }
                .label("too much")
                .also(Span::new(lo, lo + 1), format!("the {} starts here", shape.name()))
                .help(format!("{}; an application stands in parentheses: (f x)", shape.form()))
            });
            // Which of them is meant, and what is bound there, is not known.
            return self.expr(lo, hi, Expr::Error);
        }
        first
    }

    /// Returns whether two expressions are `f` and `(x, y)` of `f(x, y)`.
    fn is_call_of(&self, f: ExprId, args: ExprId) -> bool {
        let (f_span, span) = (self.ast.expr_spans[f], self.ast.expr_spans[args]);
        matches!(self.ast.exprs[f], Expr::Name(_))
            && f_span.hi == span.lo
            && self.slice(span.lo, span.lo + 1) == "("
    }

    /// Returns whether an expression is this word.
    fn is_named(&self, expr: ExprId, word: &str) -> bool {
        matches!(self.ast.exprs[expr], Expr::Name(name) if self.names.text(name) == word)
    }

    /// Returns whether an application of `n` arguments is `(match e [pattern body] ..)`, with a `_` in
    /// one of the patterns.
    fn is_foreign_case(&self, lo: u32, hi: u32, f: ExprId, n: u32) -> bool {
        let mut places = self.reports.places(Code::MisplacedUnderscore);
        let mut alts = self.exprs.iter().rev().take(n.saturating_sub(1) as usize);
        n > 1
            && self.reports.reach(lo)
            && places.any(|span| lo < span.lo && span.lo < hi)
            && self.is_nearly_case(f)
            && alts.all(|&alt| matches!(self.ast.exprs[alt], Expr::List(_)))
    }

    /// Returns whether an expression is a word for `case`, or nearly the word itself.
    fn is_nearly_case(&self, expr: ExprId) -> bool {
        let Expr::Name(name) = self.ast.exprs[expr] else { return false };
        let word = self.names.text(name);
        ["match", "switch", "cond"].contains(&word)
            || crate::base::suggest::nearest(word, ["case"]).is_some()
    }

    /// Returns whether `then` or `else` is one of the last `n` expressions on the stack.
    fn has_branch_words(&self, n: u32) -> bool {
        let last = self.exprs.iter().rev().take(n as usize);
        last.into_iter().any(|&expr| self.is_named(expr, "then") || self.is_named(expr, "else"))
    }

    /// Returns whether an expression is the word `where`, or a form that begins with it.
    fn is_where(&self, expr: ExprId) -> bool {
        match self.ast.exprs[expr] {
            Expr::App(head, _) => self.is_named(head, "where"),
            _ => self.is_named(expr, "where"),
        }
    }

    /// Notes that a report about what stands at the top level says all of the rest of its line, up to
    /// an item.
    fn says_line(&mut self, span: Span) {
        let line = self.line_from(span.hi, LINE);
        let items = ["(defn", "(data", "(import"];
        let end = items.iter().filter_map(|item| line.find(item)).min().unwrap_or(line.len());
        self.lines.push(Span::new(span.hi, span.hi + end as u32));
    }

    /// Reports a form that is empty or lacks the brackets of its first part, and builds an error
    /// node; `n` expressions of it are on the stack.
    pub fn bad_form(
        &mut self,
        lo: u32,
        hi: u32,
        n: u32,
        first: Option<u32>,
        shape: Shape,
    ) -> ExprId {
        self.drop_exprs(n);
        if self.end_form(lo) {
            let name = shape.name();
            let message = match (first, shape) {
                (None, _) => format!("this {name} is empty"),
                (_, Shape::Fn) => "the parameters of a fn stand in square brackets".to_string(),
                _ => format!("the bindings of a {name} stand in a pair of ( )"),
            };
            let span = first.map_or(Span::new(lo, hi), |at| Span::new(at, hi - 1));
            let text = self.slice(span.lo, span.hi);
            // `(let loop ((i 0)) ..)` of Scheme.
            let name = text.split_once(char::is_whitespace);
            let is_loop = shape == Shape::Let
                && n > 1
                && name.is_some_and(|(name, rest)| {
                    is_name(name) && rest.trim_start().starts_with('(')
                });
            self.report(shape.code(), span, |report| {
                Diagnostic { message, ..report }.help(match is_loop {
                    true => {
                        "what is repeated is a function that calls itself: \
                         (letrec ([loop (fn [i] body)]) (loop 0))"
                    }
                    false => shape.form(),
                })
            });
        }
        self.expr(lo, hi, Expr::Error)
    }

    /// Builds `(let ([x e] ..) body)`.
    pub fn let_(&mut self, lo: u32, hi: u32, list: List<Binding>, n: u32) -> ExprId {
        let clean = self.end_form(lo);
        let body = self.one(lo, hi, n, Shape::Let, clean);
        self.expr(lo, hi, Expr::Let(list, body))
    }

    /// Builds `(letrec ([x e] ..) body)`.
    pub fn letrec(&mut self, lo: u32, hi: u32, list: List<Binding>, n: u32) -> ExprId {
        let clean = self.end_form(lo);
        let body = self.one(lo, hi, n, Shape::Letrec, clean);
        self.expr(lo, hi, Expr::Letrec(list, body))
    }

    /// Builds `(fn [x ..] body)`.
    pub fn lambda(&mut self, lo: u32, hi: u32, params: List<Binder>, n: u32) -> ExprId {
        let clean = self.end_form(lo);
        let body = self.one(lo, hi, n, Shape::Fn, clean);
        if params.is_empty() {
            if clean && !self.is_suspect(lo) {
                self.report(Code::BadLambda, Span::new(lo, hi), |report| Diagnostic {
                    message: "this fn has no parameter".to_string(),
                    ..report.help(
                        "a function has at least one parameter; without any, write the body alone",
                    )
                });
            }
            return body;
        }
        self.expr(lo, hi, Expr::Fn(params, body))
    }

    /// Builds `(case e [pat body] ..)`.
    pub fn case(&mut self, lo: u32, hi: u32, scrutinee: ExprId, alts: Seq) -> ExprId {
        let clean = self.end_form(lo);
        if alts.len == 0 && !alts.tainted && clean {
            self.report(Code::BadCase, Span::new(lo, hi), |report| Diagnostic {
                message: "this case has no alternatives".to_string(),
                ..report.help(Shape::Case.form())
            });
        }
        if alts.len == 0 {
            return self.expr(lo, hi, Expr::Error);
        }
        let at = self.alts.len().saturating_sub(alts.len as usize);
        let list = self.ast.alts.add(self.alts.drain(at..));
        self.expr(lo, hi, Expr::Case(scrutinee, list))
    }

    /// Builds `[x e]`.
    pub fn binding(&mut self, s: Seq, lo: u32, hi: u32, binder: Binder, n: u32) -> Seq {
        let clean = self.end_form(lo);
        let value = self.one(lo, hi, n, Shape::Binding, clean);
        self.bindings.push(Binding { binder, value });
        s.good()
    }

    /// Builds `(x e)` among bindings, and reports it, once for a run of such.
    pub fn round_binding(&mut self, s: Seq, lo: u32, hi: u32, binder: Binder, n: u32) -> Seq {
        let clean = self.end_form(lo);
        let value = self.one(lo, hi, n, Shape::Binding, false);
        if binder.name.is_none() {
            // What is said of it is said here.
            self.reports.drop_inside(&[binder.span]);
        }
        if clean && !s.junk {
            self.suspect(lo);
            self.no_binding(lo, hi);
        }
        self.bindings.push(Binding { binder, value });
        s.good().bad()
    }

    fn no_binding(&mut self, lo: u32, hi: u32) {
        self.report(Code::BadLet, Span::new(lo, hi), |report| Diagnostic {
            message: "this is no binding".to_string(),
            ..report
                .help("a binding is written [name value], and all of them stand in one pair of ( )")
        });
    }

    /// Reports what stands where a binding is due, once for a run of such.
    pub fn bad_binding(&mut self, s: Seq, lo: u32, hi: u32) -> Seq {
        if self.junk_is_new(s, lo, hi) {
            self.suspect(lo);
            self.no_binding(lo, hi);
        }
        s.bad()
    }

    /// Returns the bindings of a let.
    pub fn bindings(&mut self, lo: u32, s: Seq) -> List<Binding> {
        if !self.end_form(lo) {
            self.suspect(lo);
        }
        let at = self.bindings.len().saturating_sub(s.len as usize);
        self.ast.bindings.add(self.bindings.drain(at..))
    }

    /// Builds `[pat e]`.
    pub fn alt(&mut self, s: Seq, lo: u32, hi: u32, pat: PatId, n: u32) -> Seq {
        let clean = self.end_form(lo);
        let bare = matches!(self.ast.pats[pat], Pat::Name(_));
        if n > 1 && clean && bare {
            let span = self.ast.pat_spans[pat];
            self.report_all(Code::BadCase, Span::new(lo, hi), |report| {
                let message = "this alternative has more than a pattern and a body".to_string();
                Diagnostic { message, ..report }
                    .also(span, "the pattern is this name alone")
                    .help("a constructor with fields stands in parentheses: [(Con x y) body]")
            });
            self.drop_exprs(n);
            let body = self.expr(lo, hi, Expr::Error);
            self.alts.push(Alt { pat, body });
            return s.good();
        }
        let body = self.one(lo, hi, n, Shape::Alternative, clean);
        self.alts.push(Alt { pat, body });
        s.good()
    }

    /// Reports what stands where an alternative is due, once for a run of such.
    pub fn bad_alt(&mut self, s: Seq, lo: u32, hi: u32) -> Seq {
        if self.junk_is_new(s, lo, hi) {
            self.report(Code::BadCase, Span::new(lo, hi), |report| Diagnostic {
                message: "this is no alternative".to_string(),
                ..report.help("an alternative is written [pattern body], in square brackets")
            });
        }
        s.bad()
    }

    /// Returns whether junk between `lo` and `hi` is a mistake of its own: not the continuation of a
    /// run, and not a token that has been reported.
    pub(super) fn junk_is_new(&mut self, s: Seq, lo: u32, hi: u32) -> bool {
        let reported = self.bad.last().is_some_and(|&at| at >= lo && at <= hi);
        let empty = matches!(self.slice(lo, hi).as_bytes(), [b'[', .., b']']) && !self.end_form(lo);
        !s.junk && !reported && !empty
    }

    /// Reports a keyword at the top level.
    pub fn top_keyword(&mut self, s: Seq, lo: u32, hi: u32) -> Seq {
        if s.junk {
            return s.bad();
        }
        let span = Span::new(lo, hi);
        if self.begins_equation(span) {
            let expr = self.expr(lo, hi, Expr::Error);
            return self.top_expr(s, expr);
        }
        let expr = self.keyword(lo, hi);
        self.says_line(span);
        self.top_expr(s, expr)
    }

    /// Defines what a definition by another keyword defines, so that nothing is said of its uses.
    fn misnamed_defn(&mut self, expr: ExprId) {
        let Expr::App(_, args) = self.ast.exprs[expr] else { return };
        let Some(&defined) = self.ast.expr_lists[args].first() else { return };
        let defined = match self.ast.exprs[defined] {
            Expr::App(name, _) => name,
            _ => defined,
        };
        let (span, name_span) = (self.ast.expr_spans[expr], self.ast.expr_spans[defined]);
        let Expr::Name(name) = self.ast.exprs[defined] else { return };
        let body = self.ast.expr(Expr::Error, span);
        let name = Binder { name: Some(name), span: name_span };
        self.item(span.lo, span.hi, name, ItemKind::Defn { params: List::EMPTY, body });
    }

    /// Returns whether the line on which an expression stands is `name parameter .. = value`,
    /// perhaps after `let`: what is said of the sign, which is none of the language, says all.
    fn begins_equation(&self, span: Span) -> bool {
        let line = self.line_from(span.lo, EQUATION);
        let Some((left, right)) = line.split_once('=') else { return false };
        !right.starts_with(['=', '>'])
            && left.split_whitespace().enumerate().all(|(at, word)| {
                word == ":" || is_name(word) || at == 0 && ["let", "letrec"].contains(&word)
            })
    }

    /// Handles an expression at the top level, which is no item of a file.
    pub fn top_expr(&mut self, s: Seq, expr: ExprId) -> Seq {
        if self.wanted == super::Wanted::Expression {
            self.exprs.push(expr);
            return s.good();
        }
        let head = match self.ast.exprs[expr] {
            Expr::App(f, _) => f,
            _ => expr,
        };
        let word = match self.ast.exprs[head] {
            Expr::Name(name) => self.names.text(name),
            _ => "",
        };
        let meant = match word {
            "def" | "define" | "defun" | "fun" | "function" | "lambda" => Some("defn"),
            "type" | "datatype" | "newtype" | "struct" | "enum" | "record" => Some("data"),
            "use" | "using" | "require" | "include" | "open" => Some("import"),
            _ => crate::base::suggest::nearest(word, ["defn", "data", "import"]),
        };
        let span = match meant {
            Some(_) => self.ast.expr_spans[head],
            None => self.ast.expr_spans[expr],
        };
        // What stands in square brackets may begin with a keyword, of which all has been said.
        let is_said = self.loose.is_some_and(|at| span.lo < at && at < span.hi);
        // Of several one after another the first is reported; of an equation, its sign.
        let is_said = is_said || matches!(self.ast.exprs[head], Expr::Error);
        if !s.junk
            && !is_said
            && !self.begins_equation(span)
            && !matches!(self.ast.exprs[expr], Expr::Error)
        {
            self.report(Code::ExpectedItem, span, |report| {
                let message = "only definitions stand at the top level".to_string();
                let report = Diagnostic { message, ..report };
                report.help(match meant {
                    Some("defn") => format!("did you mean `defn`? {}", Shape::Defn.form()),
                    Some("data") => format!("did you mean `data`? {}", Shape::Data.form()),
                    Some(_) => format!("did you mean `import`? {}", Shape::Import.form()),
                    None => {
                        "what a program computes is its main: (defn main[] expression)".to_owned()
                    }
                })
            });
            self.says_line(span);
        }
        if meant == Some("defn") {
            self.misnamed_defn(expr);
        }
        s.bad()
    }
}
