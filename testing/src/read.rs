//! Lifted core from a text, for tests. Every expression has the span of its text.
//!
//! ```text
//! (data T (A) (B x))  (host h 2)  (def f (x y) e)
//! e := 1 | 'a' | "text" | name | (e e ..) | (let x e e) | (letrec ((x e) ..) e)
//!    | (force x e e) | (switch x ALT ..) | (switch! x ALT ..) | nomatch
//!    | (join (j x ..) HANDLER BODY) | (jump j e ..)
//! ALT := ((Con x _) e) | (Con e) | (1 e) | (_ e)
//! ```
//! A parameter `!x` is one that the signature says is evaluated.
//! `switch!` is a switch on what is known to be evaluated.

use std::collections::HashMap;

use gmachine::base::float::Float;
use gmachine::base::integer::Integer;
use gmachine::base::name::Interner;
use gmachine::base::span::Span;
use gmachine::core::expr::*;
use gmachine::core::signature::Demand;
use gmachine::primitive::Primitive;

enum Node {
    Atom(String, Span),
    List(Vec<Node>, Span),
}

impl Node {
    fn span(&self) -> Span {
        match self {
            Node::Atom(_, span) | Node::List(_, span) => *span,
        }
    }

    fn atom(&self) -> &str {
        match self {
            Node::Atom(text, _) => text,
            Node::List(..) => panic!("a list where an atom stands"),
        }
    }

    fn list(&self) -> &[Node] {
        match self {
            Node::List(nodes, _) => nodes,
            Node::Atom(text, _) => panic!("{text} where a list stands"),
        }
    }
}

/// Reads the nodes of a text, up to its end or a closing parenthesis.
fn nodes(text: &str, at: &mut usize) -> Vec<Node> {
    let mut found = Vec::new();
    while let Some(c) = text[*at..].chars().next() {
        let start = *at;
        // Position 0 is no place, so the text starts at 1.
        let span = |end: usize| Span::new(start as u32 + 1, end as u32 + 1);
        *at += c.len_utf8();
        match c {
            '(' => {
                let inner = nodes(text, at);
                found.push(Node::List(inner, span(*at)));
            }
            ')' => return found,
            c if c.is_whitespace() => {}
            '"' => {
                *at += text[*at..].find('"').expect("closed") + 1;
                found.push(Node::Atom(text[start..*at].into(), span(*at)));
            }
            _ => {
                let end = |c: char| c.is_whitespace() || c == '(' || c == ')';
                *at += text[*at..].find(end).unwrap_or(text.len() - *at);
                found.push(Node::Atom(text[start..*at].into(), span(*at)));
            }
        }
    }
    found
}

/// A program of core under construction.
pub struct Reader {
    pub program: Program,
    pub names: Interner,
    globals: HashMap<String, GlobalId>,
    cons: HashMap<String, ConId>,
    scope: Vec<(String, LocalId)>,
    joins: Vec<(String, JoinId)>,
}

/// Reads the core of a text.
pub fn read(text: &str) -> (Program, Interner) {
    let mut reader = Reader::default();
    let items = nodes(text, &mut 0);
    for item in &items {
        reader.declare(item.list(), item.span());
    }
    for item in &items {
        reader.define(item.list());
    }
    (reader.program, reader.names)
}

impl Default for Reader {
    /// Returns a reader with lists and the primitives.
    fn default() -> Reader {
        let mut reader = Reader {
            program: Program::default(),
            names: Interner::new(),
            globals: HashMap::new(),
            cons: HashMap::new(),
            scope: Vec::new(),
            joins: Vec::new(),
        };
        reader.data("List", &[("Nil", 0), ("Cons", 2)]);
        for &primitive in Primitive::ALL {
            reader.global(primitive.name(), GlobalKind::Primitive(primitive), Span::NONE);
        }
        reader
    }
}

impl Reader {
    pub fn data(&mut self, symbol: &str, cons: &[(&str, u32)]) -> Vec<ConId> {
        let data = self.program.datas.next_index();
        let mut ids = Vec::new();
        for (tag, &(name, arity)) in cons.iter().enumerate() {
            let con = Con {
                name: name.into(),
                symbol: name.into(),
                data,
                tag: tag as u32,
                arity,
                span: Span::NONE,
            };
            let id = self.program.cons.push(con);
            self.cons.insert(name.into(), id);
            ids.push(id);
        }
        self.program.datas.push(Data {
            symbol: symbol.into(),
            cons: ids.clone(),
            span: Span::NONE,
            earlier: None,
        });
        ids
    }

    pub fn global(&mut self, symbol: &str, kind: GlobalKind, span: Span) -> GlobalId {
        let display = (!symbol.contains('$')).then(|| symbol.into());
        let id = self.program.globals.push(Global {
            symbol: symbol.into(),
            display,
            kind,
            span,
            signature: Default::default(),
        });
        self.globals.insert(symbol.into(), id);
        if symbol == "main" {
            self.program.main = Some(id);
        }
        id
    }

    fn declare(&mut self, item: &[Node], span: Span) {
        let name = item[1].atom();
        match item[0].atom() {
            "data" => {
                let cons: Vec<_> = item[2..]
                    .iter()
                    .map(|con| (con.list()[0].atom(), con.list().len() as u32 - 1))
                    .collect();
                self.data(name, &cons);
            }
            "host" => {
                let arity = item[2].atom().parse().expect("arity");
                self.global(
                    name,
                    GlobalKind::Host { origin: HostOrigin::Function(0), arity },
                    span,
                );
            }
            "def" => {
                let kind =
                    GlobalKind::Defn { params: self.program.local_lists.add([]), body: None };
                self.global(name, kind, span);
            }
            other => panic!("no item starts with {other}"),
        }
    }

    fn define(&mut self, item: &[Node]) {
        if item[0].atom() != "def" {
            return;
        }
        self.scope.clear();
        let params: Vec<LocalId> = item[2].list().iter().map(|param| self.bind(param)).collect();
        let body = Some(self.expr(&item[3]));
        let params = self.program.local_lists.add(params);
        let id = self.globals[item[1].atom()];
        self.program.globals[id].signature.demands = item[2]
            .list()
            .iter()
            .map(|param| match param.atom().starts_with('!') {
                true => Demand::Strict,
                false => Demand::Lazy,
            })
            .collect();
        self.program.globals[id].kind = GlobalKind::Defn { params, body };
    }

    fn bind(&mut self, node: &Node) -> LocalId {
        let text = node.atom().trim_start_matches('!');
        let name = self.names.intern(text);
        let local = self.program.local(Some(name), node.span());
        self.scope.push((text.into(), local));
        local
    }

    fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let depth = self.scope.len();
        let result = inside(self);
        self.scope.truncate(depth);
        result
    }

    fn expr(&mut self, node: &Node) -> ExprId {
        let expr = match node {
            Node::Atom(text, _) => self.atom(text),
            Node::List(nodes, _) => self.form(nodes),
        };
        self.program.expr(expr, node.span())
    }

    fn lit(&mut self, text: &str) -> Option<Lit> {
        if let Some(inner) = text.strip_prefix('\'') {
            return inner.chars().next().map(Lit::Char);
        }
        if let Some(float) = Float::parse(text) {
            return Some(Lit::Float(float));
        }
        Some(match Integer::parse(text)? {
            Integer::Small(small) => Lit::Int(small),
            big => Lit::Big(self.program.bigs.push(big)),
        })
    }

    fn atom(&mut self, text: &str) -> Expr {
        if let Some(lit) = self.lit(text) {
            return Expr::Lit(lit);
        }
        if let Some(inner) = text.strip_prefix('"') {
            return Expr::Text(self.program.texts.push(inner.trim_end_matches('"').into()));
        }
        if let Some((_, local)) = self.scope.iter().rev().find(|(name, _)| name == text) {
            return Expr::Local(*local);
        }
        match text {
            "nomatch" => Expr::NoMatch,
            _ => match self.cons.get(text) {
                Some(&con) => Expr::Con(con),
                None => Expr::Global(*self.globals.get(text).expect(text)),
            },
        }
    }

    fn form(&mut self, nodes: &[Node]) -> Expr {
        let head = match &nodes[0] {
            Node::Atom(text, _) => text.as_str(),
            Node::List(..) => "",
        };
        match head {
            "let" => {
                let value = self.expr(&nodes[2]);
                self.scoped(|r| Expr::Let(r.bind(&nodes[1]), value, r.expr(&nodes[3])))
            }
            "force" => {
                let value = self.expr(&nodes[2]);
                self.scoped(|r| Expr::Force(r.bind(&nodes[1]), value, r.expr(&nodes[3])))
            }
            "letrec" => self.scoped(|r| {
                let locals: Vec<_> =
                    nodes[1].list().iter().map(|bind| r.bind(&bind.list()[0])).collect();
                let binds: Vec<_> = locals
                    .into_iter()
                    .zip(nodes[1].list())
                    .map(|(local, bind)| Bind { local, value: r.expr(&bind.list()[1]) })
                    .collect();
                Expr::Letrec(r.program.binds.add(binds), r.expr(&nodes[2]))
            }),
            "join" => {
                let head = nodes[1].list();
                let (params, handler) = self.scoped(|r| {
                    let params: Vec<_> = head[1..].iter().map(|param| r.bind(param)).collect();
                    (r.program.local_lists.add(params), r.expr(&nodes[2]))
                });
                let join = self.program.joins.push(Join { params, handler });
                self.joins.push((head[0].atom().into(), join));
                let body = self.expr(&nodes[3]);
                self.joins.pop();
                Expr::Join(join, body)
            }
            "jump" => {
                let name = nodes[1].atom();
                let join = self.joins.iter().rev().find(|(known, _)| known == name).expect(name).1;
                let args: Vec<_> = nodes[2..].iter().map(|arg| self.expr(arg)).collect();
                Expr::Jump(join, self.program.expr_lists.add(args))
            }
            "switch" | "switch!" => self.switch(nodes, head == "switch!"),
            _ => {
                let callee = self.expr(&nodes[0]);
                let args: Vec<_> = nodes[1..].iter().map(|arg| self.expr(arg)).collect();
                Expr::App(callee, self.program.expr_lists.add(args))
            }
        }
    }

    fn switch(&mut self, nodes: &[Node], evaluated: bool) -> Expr {
        let Expr::Local(scrutinee) = self.atom(nodes[1].atom()) else { panic!("no local") };
        let (mut cons, mut lits, mut default) = (Vec::new(), Vec::new(), None);
        for alt in &nodes[2..] {
            let alt = alt.list();
            let (con, fields): (&str, &[Node]) = match &alt[0] {
                Node::Atom(con, _) => (con, &[]),
                Node::List(nodes, _) => (nodes[0].atom(), &nodes[1..]),
            };
            if con == "_" {
                default = Some(self.expr(&alt[1]));
            } else if let Some(lit) = self.lit(con) {
                lits.push((lit, self.expr(&alt[1])));
            } else {
                let branch = self.scoped(|r| ConBranch {
                    con: r.cons[con],
                    fields: fields.iter().map(|f| (f.atom() != "_").then(|| r.bind(f))).collect(),
                    body: r.expr(&alt[1]),
                });
                cons.push(branch);
            }
        }
        let branches = if lits.is_empty() { Branches::Cons(cons) } else { Branches::Lits(lits) };
        Expr::Switch(self.program.switches.push(Switch { scrutinee, evaluated, branches, default }))
    }
}
