//! Core: what the syntax tree means, with every name resolved and every pattern match
//! compiled to shallow switches. The supercombinators that lambda lifting makes are core
//! expressions too, of a narrower form (see `lift`).
//!
//! Invariants (checked by `core::lint`):
//! - Every local is bound exactly once in the whole program, and used only in its scope.
//! - [`Expr::App`] has at least one argument and its callee is no `App`.
//! - [`Expr::Lam`] has at least one parameter and its body is no `Lam`.
//! - A [`Expr::Switch`] scrutinises a local. Its branches are in tag order (constructors)
//!   or in the order of first appearance (literals), each at most once, of one data type or
//!   one kind of literal. `evaluated` is set only where the local has been forced on every
//!   path from its binding.
//! - Each [`Join`] stands in one [`Expr::Join`]. An [`Expr::Jump`] to it stands only in a
//!   tail of that expression's body, with as many arguments as there are parameters. A tail
//!   is reached through `Switch` branches, the body of `Let`, `Letrec` and `Force`, the body
//!   and the handler of a `Join`, the two last operands of `if` and the last one of `seq`. So
//!   a handler may jump to joins around it, and never to its own: joins do not loop. Something
//!   jumps to every join, so no pass looks for those that could go.

use std::sync::Arc;

use crate::base::float::Float;
use crate::base::index::{IndexVec, List, Pool};
use crate::base::integer::Integer;
use crate::base::name::Name;
use crate::base::places::Places;
use crate::base::span::Span;
use crate::core::signature::{Demand, Signature};
use crate::primitive::effect::Effect;
use crate::primitive::{Primitive, Shape};

crate::define_index! {
    /// An expression.
    pub ExprId;
    /// A local variable: a parameter, a let- or pattern-bound name.
    pub LocalId;
    /// Something defined at the top level that is a value: a definition, a primitive, a host
    /// function, and after lifting a supercombinator.
    pub GlobalId;
    /// A data type.
    pub DataId;
    /// A constructor.
    pub ConId;
    /// An integer literal of more than 64 bits.
    pub BigId;
    /// The text of a STRING literal.
    pub TextId;
}

/// A literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lit {
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    Big(BigId),
    /// A float; no switch is on one.
    Float(Float),
    /// A character.
    Char(char),
}

impl Lit {
    /// Returns whether it costs nothing to be made again: an instruction holds it.
    #[must_use]
    pub const fn is_immediate(self) -> bool {
        !matches!(self, Lit::Big(_))
    }
}

/// An expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// An integer, a float or a character.
    Lit(Lit),
    /// A string: a list of characters, unpacked as it is demanded.
    Text(TextId),
    /// A local variable.
    Local(LocalId),
    /// A definition, primitive or host function, as a value.
    Global(GlobalId),
    /// A constructor, as a function of its fields (a value if it has none).
    Con(ConId),
    /// An application.
    App(ExprId, List<ExprId>),
    /// `let x = e in body`; `x` is not bound in `e`.
    Let(LocalId, ExprId, ExprId),
    /// Mutually recursive lazy bindings.
    Letrec(List<Bind>, ExprId),
    /// A function. Lifting removes it.
    Lam(List<LocalId>, ExprId),
    /// Evaluates `e` to weak head normal form, binds it to a local that is known to be
    /// evaluated, and goes on with the body: what a `case` does to its scrutinee.
    Force(LocalId, ExprId, ExprId),
    /// Does an effect, which is a saturated [`Step::Effect`], binds its result, and goes on with the
    /// body. The optimiser makes it, of a bind (`optimise::perform`).
    Perform(LocalId, ExprId, ExprId),
    /// A shallow case on the constructor or literal of a local.
    Switch(SwitchId),
    /// A join point and the body that it is in scope of. Where the body jumps to the join, the
    /// value is that of the handler.
    Join(JoinId, ExprId),
    /// A jump to the handler of an enclosing join, whose parameters are bound to the arguments.
    /// Those are lazy.
    Jump(JoinId, List<ExprId>),
    /// The failure of the case at this expression's span: no alternative matches.
    NoMatch,
    /// A mistake that has been reported. Never reaches lifting.
    Error,
}

crate::define_index! {
    /// A switch.
    pub SwitchId;
    /// A join point.
    pub JoinId;
}

/// A join point: an end that several branches have in common (Maurer, Downen, Ariola and
/// Peyton Jones, "Compiling without continuations", PLDI 2017). A jump to it is a jump: it
/// builds no function and calls none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Join {
    /// The parameters, which a jump binds; in scope in the handler alone.
    pub params: List<LocalId>,
    /// The expression that a jump goes on with.
    pub handler: ExprId,
}

/// `x = e` in a letrec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bind {
    /// The variable.
    pub local: LocalId,
    /// The expression that it is bound to.
    pub value: ExprId,
}

/// A shallow case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// The local whose constructor or literal selects the branch. The switch evaluates it, unless
    /// `evaluated`.
    pub scrutinee: LocalId,
    /// Whether the scrutinee is known to be in weak head normal form here.
    pub evaluated: bool,
    /// The branches, of one kind.
    pub branches: Branches,
    /// The expression for all other values; `None` if the branches are all constructors of their
    /// type.
    pub default: Option<ExprId>,
}

/// The branches of a switch; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Branches {
    /// By constructor, in tag order.
    Cons(Vec<ConBranch>),
    /// By integer or character literal.
    Lits(Vec<(Lit, ExprId)>),
}

/// `Con fields -> body`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConBranch {
    /// The constructor.
    pub con: ConId,
    /// The locals of its fields; `None` for a field that the body does not use.
    pub fields: Vec<Option<LocalId>>,
    /// The expression.
    pub body: ExprId,
}

/// A local variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name in the source; `None` for a local of the compiler.
    pub name: Option<Name>,
    /// Where it is bound.
    pub span: Span,
}

/// A data type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Data {
    /// Its name, made unique (see [`Global::symbol`]).
    pub symbol: Arc<str>,
    /// Its constructors in the order of their tags.
    pub cons: Vec<ConId>,
    /// Where its name stands.
    pub span: Span,
    /// The number of the data type in the program that this one is added to, if it is one of
    /// those.
    pub earlier: Option<u32>,
}

/// A constructor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Con {
    /// The name that the source gives it, and that it prints with.
    pub name: Arc<str>,
    /// Its name, made unique.
    pub symbol: Arc<str>,
    /// Its data type.
    pub data: DataId,
    /// Its number among the constructors of its type, from 0.
    pub tag: u32,
    /// Its number of fields.
    pub arity: u32,
    /// Where its name stands.
    pub span: Span,
}

/// The kind of a global.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobalKind {
    /// A `defn`, or a supercombinator made by lifting. No parameters: a CAF.
    Defn {
        /// The parameters.
        params: List<LocalId>,
        /// The body; `None` until it is lowered, and for what the program cannot reach.
        body: Option<ExprId>,
    },
    /// A primitive.
    Primitive(Primitive),
    /// A step of performing actions. The optimiser makes calls of them.
    Step(Step),
    /// What is defined elsewhere: a function of the embedding program, or a definition of the
    /// program that this one is added to.
    Host {
        /// The origin, with its index there.
        origin: HostOrigin,
        /// Number of arguments; 0 for a CAF of the other program.
        arity: u32,
    },
}

/// A step of performing actions in code of the program (`optimise::perform`). The last argument is the
/// number of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// An effect, with its operands: what a [`Expr::Perform`] does.
    Effect(Effect),
    /// `(put s thread)` writes what is evaluated of the text `s` and comes to the action that is left: an
    /// effect on characters.
    Put(Effect),
    /// `(continue r k id)` goes on with `k`, a function of a value and the thread, if the action `r`
    /// is a value; else it is the action `(enter r k)`.
    Continue,
    /// `(enter m k)` is the action that performs `m` and then what `k` makes of its value and the
    /// thread.
    Enter,
    /// `(goOn k x thread)` is `(k x)`: it may lack the last two arguments. What fails because `k` is no
    /// function is told of the operand of a `bind`.
    GoOn,
}

impl Step {
    /// Returns its number of arguments.
    #[must_use]
    pub fn arity(self) -> usize {
        match self {
            Step::Effect(effect) => effect.arity() as usize,
            Step::Continue | Step::GoOn => 3,
            Step::Put(_) | Step::Enter => 2,
        }
    }

    /// Returns whether argument `at` is evaluated first.
    #[must_use]
    pub fn is_strict(self, at: usize) -> bool {
        match self {
            Step::Effect(effect) => effect.operands().get(at) == Some(&true),
            Step::Put(_) | Step::Continue => at == 0,
            Step::Enter | Step::GoOn => false,
        }
    }
}

/// Where a global is defined that has no definition in the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostOrigin {
    /// In the embedding program: the index in the engine's table of host functions.
    Function(u32),
    /// In the program that this one is added to: its number there.
    Earlier(u32),
}

/// A definition, primitive, host function or supercombinator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// The name by which listings know it. Unique: a corelib definition that the program
    /// shadows is called `module.name`, a lifted function `name$1`; neither is a NAME of
    /// the language.
    pub symbol: Arc<str>,
    /// The name that a function value prints with; `None` for a lambda.
    pub display: Option<Arc<str>>,
    /// Its kind.
    pub kind: GlobalKind,
    /// Where its name stands; for a lifted expression, the expression.
    pub span: Span,
    /// How it uses its arguments, as far as the analyses have found out.
    pub signature: Signature,
}

/// A program in core form.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// The globals.
    pub globals: IndexVec<GlobalId, Global>,
    /// The data types. 0 is `List`.
    pub datas: IndexVec<DataId, Data>,
    /// The constructors. 0 is `Nil`, 1 is `Cons`.
    pub cons: IndexVec<ConId, Con>,
    /// `main`, if the program has one.
    pub main: Option<GlobalId>,
    /// The definitions that are kept beside `main`, for an embedding program to ask for by name.
    pub roots: Vec<GlobalId>,
    /// The locals.
    pub locals: IndexVec<LocalId, Local>,
    /// The expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// Where each expression stands in the source.
    pub spans: IndexVec<ExprId, Span>,
    /// Arguments.
    pub expr_lists: Pool<ExprId>,
    /// Parameters.
    pub local_lists: Pool<LocalId>,
    /// Bindings of letrecs.
    pub binds: Pool<Bind>,
    /// Switches.
    pub switches: IndexVec<SwitchId, Switch>,
    /// Join points.
    pub joins: IndexVec<JoinId, Join>,
    /// Large integer literals.
    pub bigs: IndexVec<BigId, Integer>,
    /// Texts of STRING literals.
    pub texts: IndexVec<TextId, Arc<str>>,
    /// Whose the source texts are, and where inlined code was called.
    pub places: Places,
}

/// `Nil`, in every program.
pub const NIL: ConId = ConId(0);
/// `Cons`, in every program.
pub const CONS: ConId = ConId(1);

impl Program {
    /// Adds an expression.
    pub fn expr(&mut self, expr: Expr, span: Span) -> ExprId {
        self.spans.push(span);
        self.exprs.push(expr)
    }

    /// Adds a local.
    pub fn local(&mut self, name: Option<Name>, span: Span) -> LocalId {
        self.locals.push(Local { name, span })
    }

    /// Returns the definitions that are not removed although nothing refers to them: `main` and the
    /// roots; of a program with neither, every definition that has a body.
    #[must_use]
    pub fn kept(&self) -> Vec<GlobalId> {
        let mut kept: Vec<GlobalId> = self.main.into_iter().collect();
        kept.extend(&self.roots);
        if kept.is_empty() {
            let is_defined = |(id, global): (GlobalId, &Global)| {
                matches!(global.kind, GlobalKind::Defn { body: Some(_), .. }).then_some(id)
            };
            kept.extend(self.globals.enumerate().filter_map(is_defined));
        }
        kept
    }

    /// Returns the number of arguments that a global takes.
    #[must_use]
    pub fn arity(&self, global: GlobalId) -> usize {
        match self.globals[global].kind {
            GlobalKind::Defn { params, .. } => params.len(),
            GlobalKind::Primitive(primitive) => primitive.arity(),
            GlobalKind::Step(step) => step.arity(),
            GlobalKind::Host { arity, .. } => arity as usize,
        }
    }

    /// Returns whether the graph of an expression is in weak head normal form as soon as it is
    /// built, if `evaluated` says so of a local: a literal, a function, a constructor, an
    /// application that lacks arguments.
    #[must_use]
    pub fn is_value(&self, expr: ExprId, evaluated: impl Fn(LocalId) -> bool) -> bool {
        match self.exprs[expr] {
            Expr::Lit(_) | Expr::Con(_) | Expr::Lam(..) => true,
            Expr::Local(local) => evaluated(local),
            Expr::Global(global) => self.arity(global) > 0,
            Expr::App(callee, args) => match self.exprs[callee] {
                Expr::Con(con) => args.len() <= self.cons[con].arity as usize,
                Expr::Global(global) => args.len() < self.arity(global),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether an application in a strict context has its argument `at`, of `count`, in a
    /// strict context too: an operand of a primitive that has them all, except the message of
    /// `error`; an argument that the signature of what is called says is evaluated, if the call has
    /// them all.
    #[must_use]
    pub fn evaluates(&self, callee: ExprId, count: usize, at: usize) -> bool {
        self.demand(callee, count, at) != Demand::Lazy
    }

    /// Returns what an application in a strict context does to its argument `at`, of `count`.
    #[must_use]
    pub fn demand(&self, callee: ExprId, count: usize, at: usize) -> Demand {
        let Expr::Global(global) = self.exprs[callee] else { return Demand::Lazy };
        let global = &self.globals[global];
        match global.kind {
            GlobalKind::Primitive(primitive)
                if primitive.arity() == count && primitive.shape().is_strict() =>
            {
                Demand::Strict
            }
            GlobalKind::Step(step) if step.arity() == count && step.is_strict(at) => Demand::Strict,
            GlobalKind::Defn { params, .. }
                if count >= params.len() && global.signature.is_strict(at) =>
            {
                global.signature.demand(at)
            }
            _ => Demand::Lazy,
        }
    }

    /// Returns the tail positions of an application, the operands of which one is its value: the
    /// branches of a saturated `if`, the last operand of a saturated `seq`, none of anything else.
    #[must_use]
    pub fn tails(&self, callee: ExprId, args: List<ExprId>) -> List<ExprId> {
        let shape = match self.exprs[callee] {
            Expr::Global(global) => match self.globals[global].kind {
                GlobalKind::Primitive(primitive) if primitive.arity() == args.len() => {
                    Some(primitive.shape())
                }
                _ => None,
            },
            _ => None,
        };
        match shape {
            Some(Shape::If | Shape::Seq) => args.skip(1),
            _ => List::EMPTY,
        }
    }
}

const _: () = assert!(size_of::<Expr>() == 16, "core stays as small as the syntax tree");
