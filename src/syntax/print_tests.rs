#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::label::Labels;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::syntax::json;
use crate::syntax::parse::{parse_expression, parse_file};

#[derive(Default)]
struct Parsed {
    sources: SourceMap,
    names: Interner,
    ast: Ast,
}

fn parse(text: &str) -> Parsed {
    let mut sources = SourceMap::new();
    let file = sources.add("t", None, text, false).unwrap();
    let (mut names, mut ast, mut reports) = (Interner::new(), Ast::default(), Vec::new());
    parse_file(&sources, file, &mut names, &mut ast, &mut reports);
    assert_eq!(reports, [], "{text}");
    Parsed { sources, names, ast }
}

/// Two trees side by side.
struct Pair<'a> {
    a: (&'a Ast, &'a Interner),
    b: (&'a Ast, &'a Interner),
    exprs: Vec<(ExprId, ExprId)>,
    pats: Vec<(PatId, PatId)>,
}

impl Pair<'_> {
    fn names(&self, a: Option<crate::base::name::Name>, b: Option<crate::base::name::Name>) {
        assert_eq!(a.map(|name| self.a.1.text(name)), b.map(|name| self.b.1.text(name)));
    }

    fn binders(&self, a: List<Binder>, b: List<Binder>) {
        assert_eq!(a.len(), b.len());
        for (x, y) in self.a.0.binders[a].iter().zip(&self.b.0.binders[b]) {
            self.names(x.name, y.name);
        }
    }

    fn bindings(&mut self, a: List<Binding>, b: List<Binding>) {
        assert_eq!(a.len(), b.len());
        for (x, y) in self.a.0.bindings[a].iter().zip(&self.b.0.bindings[b]) {
            self.names(x.binder.name, y.binder.name);
            self.exprs.push((x.value, y.value));
        }
    }

    fn lists(&mut self, a: List<ExprId>, b: List<ExprId>) {
        assert_eq!(a.len(), b.len());
        let (x, y) = (&self.a.0.expr_lists[a], &self.b.0.expr_lists[b]);
        self.exprs.extend(x.iter().copied().zip(y.iter().copied()));
    }

    fn run(mut self) {
        loop {
            if let Some((a, b)) = self.exprs.pop() {
                self.expr(a, b);
            } else if let Some((a, b)) = self.pats.pop() {
                self.pat(a, b);
            } else {
                return;
            }
        }
    }

    fn expr(&mut self, a: ExprId, b: ExprId) {
        let (x, y) = (self.a.0, self.b.0);
        match (x.exprs[a], y.exprs[b]) {
            (Expr::Big(a), Expr::Big(b)) => assert_eq!(x.bigs[a], y.bigs[b]),
            (Expr::Text(a), Expr::Text(b)) => assert_eq!(x.texts[a], y.texts[b]),
            (Expr::Name(a), Expr::Name(b)) => self.names(Some(a), Some(b)),
            (Expr::App(f, a), Expr::App(g, b)) => {
                self.exprs.push((f, g));
                self.lists(a, b);
            }
            (Expr::List(a), Expr::List(b)) => self.lists(a, b),
            (Expr::Let(a, e), Expr::Let(b, f)) | (Expr::Letrec(a, e), Expr::Letrec(b, f)) => {
                self.exprs.push((e, f));
                self.bindings(a, b);
            }
            (Expr::Fn(a, e), Expr::Fn(b, f)) => {
                self.exprs.push((e, f));
                self.binders(a, b);
            }
            (Expr::Case(e, a), Expr::Case(f, b)) => {
                self.exprs.push((e, f));
                assert_eq!(a.len(), b.len());
                for (v, w) in x.alts[a].iter().zip(&y.alts[b]) {
                    self.exprs.push((v.body, w.body));
                    self.pats.push((v.pat, w.pat));
                }
            }
            (Expr::Int(_) | Expr::Float(_) | Expr::Char(_), _) => {
                assert_eq!(x.exprs[a], y.exprs[b])
            }
            (one, other) => panic!("{one:?} and {other:?}"),
        }
    }

    fn pat(&mut self, a: PatId, b: PatId) {
        let (x, y) = (self.a.0, self.b.0);
        match (x.pats[a], y.pats[b]) {
            (Pat::Big(a), Pat::Big(b)) => assert_eq!(x.bigs[a], y.bigs[b]),
            (Pat::Text(a), Pat::Text(b)) => assert_eq!(x.texts[a], y.texts[b]),
            (Pat::Name(a), Pat::Name(b)) => self.names(Some(a), Some(b)),
            (Pat::Con(m, _, a), Pat::Con(n, _, b)) => {
                self.names(Some(m), Some(n));
                assert_eq!(a.len(), b.len());
                let (v, w) = (&x.pat_lists[a], &y.pat_lists[b]);
                self.pats.extend(v.iter().copied().zip(w.iter().copied()));
            }
            (one, other) => assert_eq!(one, other),
        }
    }
}

fn assert_same(a: &Parsed, b: &Parsed) {
    let mut pair =
        Pair { a: (&a.ast, &a.names), b: (&b.ast, &b.names), exprs: Vec::new(), pats: Vec::new() };
    assert_eq!(a.ast.items.len(), b.ast.items.len());
    for (x, y) in a.ast.items.iter().zip(&b.ast.items) {
        pair.names(x.name, y.name);
        match (&x.kind, &y.kind) {
            (ItemKind::Defn { params, body }, ItemKind::Defn { params: p, body: e }) => {
                pair.binders(*params, *p);
                pair.exprs.push((*body, *e));
            }
            (ItemKind::Data { cons }, ItemKind::Data { cons: others }) => {
                assert_eq!(cons.len(), others.len());
                for (v, w) in cons.iter().zip(others) {
                    pair.names(Some(v.name), Some(w.name));
                    pair.binders(v.fields, w.fields);
                }
            }
            (ItemKind::ImportFile { path }, ItemKind::ImportFile { path: other }) => {
                assert_eq!(path, other);
            }
            (one, other) => assert_eq!(one, other),
        }
    }
    pair.run();
}

/// Writes JSON and reads it again: the same tree.
fn check_json(mut first: Parsed) {
    // What files are imported for is among the items.
    first.ast.items.retain(|item| !matches!(item.kind, ItemKind::ImportFile { .. }));
    let Parsed { sources, names, ast } = &first;
    let written = json::write(sources, names, ast, &Labels::default());
    let read = json::to_text("t.json", &written).unwrap_or_else(|mistake| {
        panic!("{mistake:?} in {written}");
    });
    assert_same(&first, &parse(&read));
}

/// Prints and parses again: the same tree, and the same text from then on.
fn check_round_trip(first: &Parsed) -> String {
    let text = program(&first.ast, &first.names);
    let second = parse(&text);
    assert_same(first, &second);
    assert_eq!(program(&second.ast, &second.names), text);
    check_json(second);
    text
}

#[test]
fn texts_print_as_a_person_would_write_them() {
    let text = r#"(import "a\"b.core")

(import map)

(data Tree (Leaf) (Node left _ right))

(defn take[n l]
  (case l
    [(Nil) Nil]
    [(Cons x xs) (if (le n 0) Nil (Cons x (take (sub n 1) xs)))]
    [_ (error "take of something that is no list, which is long enough to go on a line")]))

(defn nodes[]
  (let ([one 123456789012345678901234567890]
        [c '\n'])
    (letrec ([f (fn [x _] [x "\u{1B}" c -5 []])] [g f]) (g one 2))))
"#;
    assert_eq!(
        check_round_trip(&parse(text)),
        text.replace("one 123", "one\n 123").replace("one\n 123", "one 123")
    );
}

#[test]
fn the_corelib_round_trips_and_keeps_its_lines_short() {
    for name in crate::corelib::MODULES {
        let text = check_round_trip(&parse(crate::corelib::module(name).unwrap()));
        let long = text.lines().filter(|line| line.chars().count() > 110).count();
        assert_eq!(long, 0, "{name}");
    }
}

#[test]
fn an_expression_prints_alone() {
    let mut sources = SourceMap::new();
    let file = sources.add("t", None, " ((f) (x) [ 1 2]) ; end", false).unwrap();
    let (mut names, mut ast, mut reports) = (Interner::new(), Ast::default(), Vec::new());
    let expr = parse_expression(&sources, file, &mut names, &mut ast, &mut reports);
    assert_eq!(reports, []);
    assert_eq!(expression(&ast, &names, expr), "(f x [1 2])");
}

#[test]
fn levels_by_the_hundred_thousand_print_in_linear_space() {
    let n = 300_000;
    for (open, close) in [("(f ", ")"), ("[", "]"), ("(let ([x 1]) ", ")"), ("(fn [x] ", ")")] {
        let text = format!("(defn main[] {}1{})", open.repeat(n), close.repeat(n));
        let first = parse(&text);
        let printed = program(&first.ast, &first.names);
        assert!(printed.len() < 80 * n, "{open}: {}", printed.len());
        assert_same(&first, &parse(&printed));
    }
    let pattern = format!("(defn main[x] (case x [{}y{} 1]))", "(A ".repeat(n), ")".repeat(n));
    check_round_trip(&parse(&pattern));
}

/// A tree to be put into an arena.
#[derive(Clone, Debug)]
enum Tree {
    Int(i64),
    Big(String),
    Float(u64),
    Char(char),
    Text(String),
    Name(String),
    App(Box<Tree>, Vec<Tree>),
    List(Vec<Tree>),
    Let(bool, Vec<(Option<String>, Tree)>, Box<Tree>),
    Fn(Vec<Option<String>>, Box<Tree>),
    Case(Box<Tree>, Vec<(Shape, Tree)>),
}

/// A pattern to be put into an arena.
#[derive(Clone, Debug)]
enum Shape {
    Wildcard,
    Leaf(Tree),
    Con(String, Vec<Shape>),
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Zλ_][a-z0-9_'?!-]{0,8}".prop_filter("a keyword", |name| {
        !["_", "defn", "data", "import", "let", "letrec", "fn", "case"].contains(&name.as_str())
    })
}

fn binder() -> impl Strategy<Value = Option<String>> {
    proptest::option::weighted(0.9, name())
}

fn leaf() -> impl Strategy<Value = Tree> {
    prop_oneof![
        any::<i64>().prop_map(Tree::Int),
        (-9i64..10).prop_map(Tree::Int),
        "-?[1-9][0-9]{20,60}".prop_map(Tree::Big),
        any::<u64>().prop_map(Tree::Float),
        any::<char>().prop_map(Tree::Char),
        any::<String>().prop_map(Tree::Text),
        name().prop_map(Tree::Name),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![Just(Shape::Wildcard), leaf().prop_map(Shape::Leaf)];
    leaf.prop_recursive(3, 12, 4, |inner| {
        (name(), prop::collection::vec(inner, 0..4))
            .prop_map(|(con, fields)| Shape::Con(con, fields))
    })
}

fn tree() -> impl Strategy<Value = Tree> {
    leaf().prop_recursive(6, 80, 6, |inner| {
        let many = |min| prop::collection::vec(inner.clone(), min..6);
        prop_oneof![
            (inner.clone(), many(1)).prop_map(|(f, args)| Tree::App(f.into(), args)),
            many(0).prop_map(Tree::List),
            (any::<bool>(), prop::collection::vec((binder(), inner.clone()), 0..4), inner.clone())
                .prop_map(|(rec, bindings, body)| Tree::Let(rec, bindings, body.into())),
            (prop::collection::vec(binder(), 1..5), inner.clone())
                .prop_map(|(params, body)| Tree::Fn(params, body.into())),
            (inner.clone(), prop::collection::vec((shape(), inner.clone()), 1..5))
                .prop_map(|(e, alts)| Tree::Case(e.into(), alts)),
        ]
    })
}

impl Parsed {
    fn binder(&mut self, name: &Option<String>) -> Binder {
        Binder { name: name.as_ref().map(|name| self.names.intern(name)), span: Span::NONE }
    }

    fn expr(&mut self, tree: &Tree) -> ExprId {
        let expr = match tree {
            Tree::Int(value) => Expr::Int(*value),
            Tree::Big(digits) => Expr::Big(self.ast.bigs.push(Integer::parse(digits).unwrap())),
            Tree::Float(bits) => Expr::Float(Float::from_bits(*bits)),
            Tree::Char(c) => Expr::Char(*c),
            Tree::Text(text) => Expr::Text(self.ast.texts.push(text.as_str().into())),
            Tree::Name(name) => Expr::Name(self.names.intern(name)),
            Tree::App(f, args) => {
                let f = self.expr(f);
                let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
                Expr::App(f, self.ast.expr_lists.add(args))
            }
            Tree::List(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.expr(element)).collect();
                Expr::List(self.ast.expr_lists.add(elements))
            }
            Tree::Let(rec, bindings, body) => {
                let bindings: Vec<_> = bindings
                    .iter()
                    .map(|(name, value)| Binding {
                        binder: self.binder(name),
                        value: self.expr(value),
                    })
                    .collect();
                let body = self.expr(body);
                let bindings = self.ast.bindings.add(bindings);
                if *rec { Expr::Letrec(bindings, body) } else { Expr::Let(bindings, body) }
            }
            Tree::Fn(params, body) => {
                let params: Vec<_> = params.iter().map(|param| self.binder(param)).collect();
                let body = self.expr(body);
                Expr::Fn(self.ast.binders.add(params), body)
            }
            Tree::Case(scrutinee, alts) => {
                let scrutinee = self.expr(scrutinee);
                let alts: Vec<_> = alts
                    .iter()
                    .map(|(pat, body)| Alt { pat: self.pat(pat), body: self.expr(body) })
                    .collect();
                Expr::Case(scrutinee, self.ast.alts.add(alts))
            }
        };
        self.ast.expr(expr, Span::NONE)
    }

    fn pat(&mut self, shape: &Shape) -> PatId {
        let pat = match shape {
            Shape::Wildcard => Pat::Wildcard,
            Shape::Leaf(tree) => {
                let expr = self.expr(tree);
                match self.ast.exprs[expr] {
                    Expr::Int(value) => Pat::Int(value),
                    Expr::Big(value) => Pat::Big(value),
                    Expr::Char(c) => Pat::Char(c),
                    Expr::Text(text) => Pat::Text(text),
                    Expr::Name(name) => Pat::Name(name),
                    _ => Pat::Wildcard,
                }
            }
            Shape::Con(name, fields) => {
                let fields: Vec<_> = fields.iter().map(|field| self.pat(field)).collect();
                Pat::Con(self.names.intern(name), Span::NONE, self.ast.pat_lists.add(fields))
            }
        };
        self.ast.pat(pat, Span::NONE)
    }
}

proptest! {
    #[test]
    fn random_trees_round_trip(bodies in prop::collection::vec((binder(), tree()), 1..4)) {
        let mut built = Parsed::default();
        for (name, body) in &bodies {
            let body = built.expr(body);
            let name = built.binder(name).name;
            let kind = ItemKind::Defn { params: List::EMPTY, body };
            built.ast.items.push(Item { kind, name, name_span: Span::NONE, span: Span::NONE, file: 0 });
        }
        check_round_trip(&built);
    }
}
