//! The syntax tree of a program: what was written, in one arena, nothing resolved.
//!
//! Invariants:
//! - Trees are typed indices into the arena: building, walking and dropping one takes no
//!   native stack. An expression takes 16 bytes and its span 8.
//! - Children stand before their parents (the parser builds from the leaves up).
//! - `(e)` is `e`: an [`Expr::App`] has at least one argument.
//! - An [`Expr::Error`] or [`Pat::Error`] stands where a mistake has been reported; later
//!   stages report nothing about it.

use super::doubt::Doubts;
use crate::base::float::Float;
use crate::base::index::{IndexVec, List, Pool};
use crate::base::integer::Integer;
use crate::base::name::Name;
use crate::base::span::Span;
use crate::syntax::binary::{BodyId, ModuleId};

crate::define_index! {
    /// An expression.
    pub ExprId;
    /// A pattern.
    pub PatId;
    /// An integer literal of more than 64 bits.
    pub BigId;
    /// The text of a STRING literal, escapes resolved.
    pub TextId;
}

/// An expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// An integer literal of 64 bits.
    Int(i64),
    /// A larger integer literal.
    Big(BigId),
    /// A FLOAT literal.
    Float(Float),
    /// A CHAR literal.
    Char(char),
    /// A STRING literal.
    Text(TextId),
    /// A name: variable, constructor or primitive.
    Name(Name),
    /// `(f a b ..)`, at least one argument.
    App(ExprId, List<ExprId>),
    /// `[a b ..]`
    List(List<ExprId>),
    /// `(let ([x e] ..) body)`
    Let(List<Binding>, ExprId),
    /// `(letrec ([x e] ..) body)`
    Letrec(List<Binding>, ExprId),
    /// `(fn [x ..] body)`
    Fn(List<Binder>, ExprId),
    /// `(case scrutinee [pat body] ..)`
    Case(ExprId, List<Alt>),
    /// The body of a definition of a compiled module, which stands nowhere else.
    Compiled(ModuleId, BodyId),
    /// A mistake that has been reported.
    Error,
}

/// A place that binds a name: a parameter, a let. `None` is `_`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binder {
    /// The name, unless it is `_`.
    pub name: Option<Name>,
    /// Where it stands.
    pub span: Span,
}

/// `[x e]` in a let or letrec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The name.
    pub binder: Binder,
    /// The expression that it is bound to.
    pub value: ExprId,
}

/// `[pat body]` in a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alt {
    /// The pattern.
    pub pat: PatId,
    /// The expression.
    pub body: ExprId,
}

/// A pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pat {
    /// `_`
    Wildcard,
    /// A name: a constructor if one is in scope, else it binds the value.
    Name(Name),
    /// An integer literal of 64 bits.
    Int(i64),
    /// A larger integer literal.
    Big(BigId),
    /// A CHAR literal.
    Char(char),
    /// A STRING literal.
    Text(TextId),
    /// `(Con pat ..)`. The name's own span is the second component.
    Con(Name, Span, List<PatId>),
    /// A mistake that has been reported.
    Error,
}

/// A constructor in a data declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConDecl {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Names of the fields: documentation only.
    pub fields: List<Binder>,
}

/// A definition at the top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemKind {
    /// `(defn name[params] body)`
    Defn {
        /// The parameters; none for a CAF.
        params: List<Binder>,
        /// The body.
        body: ExprId,
    },
    /// `(data Name (Con field ..) ..)`
    Data {
        /// The constructors, in the order of their tags.
        cons: Vec<ConDecl>,
    },
    /// `(import "file")`
    ImportFile {
        /// The path as written, escapes resolved.
        path: String,
    },
    /// `(import module)`; the module is the item's name.
    ImportModule,
}

/// An item of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// The name that it defines, or the module that it imports; `None` for an imported file.
    pub name: Option<Name>,
    /// Where the name (for a file import, the path) stands.
    pub name_span: Span,
    /// The whole item.
    pub span: Span,
    /// The index of its file in the source map.
    pub file: usize,
}

/// The syntax trees of all files of a program.
#[derive(Clone, Default, Debug)]
pub struct Ast {
    /// The items, file by file.
    pub items: Vec<Item>,
    /// The expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// Where each expression stands.
    pub expr_spans: IndexVec<ExprId, Span>,
    /// The patterns.
    pub pats: IndexVec<PatId, Pat>,
    /// Where each pattern stands.
    pub pat_spans: IndexVec<PatId, Span>,
    /// Arguments and elements.
    pub expr_lists: Pool<ExprId>,
    /// Fields of patterns.
    pub pat_lists: Pool<PatId>,
    /// Bindings of lets.
    pub bindings: Pool<Binding>,
    /// Parameters and fields.
    pub binders: Pool<Binder>,
    /// Alternatives.
    pub alts: Pool<Alt>,
    /// Large integer literals.
    pub bigs: IndexVec<BigId, Integer>,
    /// Texts of STRING literals.
    pub texts: IndexVec<TextId, Box<str>>,
    /// What is not known for mistakes in the syntax.
    pub doubts: Doubts,
}

impl Ast {
    /// Adds an expression.
    pub fn expr(&mut self, expr: Expr, span: Span) -> ExprId {
        self.expr_spans.push(span);
        self.exprs.push(expr)
    }

    /// Adds a pattern.
    pub fn pat(&mut self, pat: Pat, span: Span) -> PatId {
        self.pat_spans.push(span);
        self.pats.push(pat)
    }
}

const _: () = assert!(size_of::<Expr>() == 16, "the tree of a 100 MB source has to fit 2 GB");
