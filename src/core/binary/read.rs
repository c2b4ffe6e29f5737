//! Bodies of compiled modules: bytes to core.
//!
//! A body is a tree in prefix order, so that each expression has one parent and each local is
//! bound once. What is left to be seen is that locals and joins are used in their scopes, that a
//! switch which relies on an evaluation comes after it, and that numbers are in their tables.

use rustc_hash::FxHashSet;

use crate::base::float::Float;
use crate::base::index::{Idx, List};
use crate::core::expr::{
    BigId, Bind, Branches, ConBranch, ConId, Expr, ExprId, GlobalId, Join, JoinId, Lit, LocalId,
    Program, Switch, SwitchId, TextId,
};
use crate::syntax::binary::{BodyId, Mistake, Module, Reader, ReferenceId, ReferenceKind, tag};

/// The fewest bytes of an expression: its kind and its place.
const LEAST: usize = 2;

/// What core is made for.
pub trait Builder {
    /// Returns the program that the core goes to.
    fn program(&mut self) -> &mut Program;
    /// Returns the function or constant that a reference means.
    fn value(&mut self, reference: ReferenceId) -> GlobalId;
    /// Returns the constructor that a reference means.
    fn constructor(&mut self, reference: ReferenceId) -> ConId;
    /// Returns a large integer of the module.
    fn big(&mut self, big: usize) -> BigId;
    /// Returns a text of the module, for one more literal.
    fn text(&mut self, text: usize) -> TextId;
}

/// Reads all bodies of a module, and keeps nothing of them.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(module: &Module) -> Result<(), Mistake> {
    let mut scratch = Scratch::default();
    for id in module.bodies.indices() {
        body(module, id, &mut scratch)?;
        if scratch.0.exprs.len() > 1 << 16 {
            scratch = Scratch::default();
        }
    }
    Ok(())
}

/// Core that nobody uses, with numbers of the module for those of a program.
#[derive(Default)]
struct Scratch(Program);

impl Builder for Scratch {
    fn program(&mut self) -> &mut Program {
        &mut self.0
    }

    fn value(&mut self, reference: ReferenceId) -> GlobalId {
        GlobalId(reference.0)
    }

    fn constructor(&mut self, reference: ReferenceId) -> ConId {
        ConId(reference.0)
    }

    fn big(&mut self, big: usize) -> BigId {
        BigId::new(big)
    }

    fn text(&mut self, text: usize) -> TextId {
        TextId::new(text)
    }
}

/// Reads the body of a definition, and returns its parameters and its expression.
///
/// # Errors
/// The first thing that is wrong.
pub fn body<B: Builder>(
    module: &Module,
    id: BodyId,
    builder: &mut B,
) -> Result<(List<LocalId>, ExprId), Mistake> {
    let body = &module.bodies[id];
    let mut reader = Reader::new(&module.bytes, body.bytes.clone());
    (reader.text, reader.base, reader.last) = (&module.text, module.base, body.start);
    let mut decoder = Decoder {
        module,
        reader,
        builder,
        locals: Vec::new(),
        scope: Vec::new(),
        path: Vec::new(),
        joins: Vec::new(),
        tasks: Vec::new(),
        pending: 0,
    };
    let params = decoder.locals(body.params as usize)?;
    decoder.show(0, params.len(), false);
    let params = decoder.builder.program().local_lists.add(params);
    let root = decoder.place();
    decoder.children(&[root], 0)?;
    while let Some(task) = decoder.tasks.pop() {
        decoder.step(task)?;
    }
    match decoder.reader.left() {
        0 => Ok((params, root)),
        _ => decoder.reader.wrong(0, "more stands after a body"),
    }
}

/// A local of a body.
struct Local {
    id: LocalId,
    is_visible: bool,
    /// How often it has been evaluated on the way to here.
    forced: u32,
}

/// A join whose body is being read.
struct Open {
    id: JoinId,
    is_used: bool,
    /// What its body evaluates before all else.
    first: Option<usize>,
}

/// A step of reading, kept on a stack: depth costs no native stack.
enum Task {
    /// Reads an expression, which may jump to the open joins from the number `joins` on, and with
    /// which the bodies of so many open joins begin.
    Expr { to: ExprId, joins: usize, begins: usize },
    /// Brings so many locals into scope, evaluated or not.
    Show { first: usize, count: usize, forced: bool },
    /// Ends the scopes of all locals but so many.
    Hide(usize),
    /// Forgets all evaluations but so many.
    Forget(usize),
    /// Reads the handler of the innermost open join.
    Handler { to: ExprId, joins: usize },
}

struct Decoder<'m, B> {
    module: &'m Module,
    reader: Reader<'m>,
    builder: &'m mut B,
    locals: Vec<Local>,
    /// The locals in scope.
    scope: Vec<usize>,
    /// The locals that have been evaluated on the way to here.
    path: Vec<usize>,
    joins: Vec<Open>,
    tasks: Vec<Task>,
    /// The number of expressions that are still to be read.
    pending: usize,
}

type Read<T> = Result<T, Mistake>;

impl<B: Builder> Decoder<'_, B> {
    fn place(&mut self) -> ExprId {
        self.builder.program().expr(Expr::NoMatch, crate::base::span::Span::NONE)
    }

    /// Schedules the reading of expressions, the first one next.
    fn children(&mut self, places: &[ExprId], joins: usize) -> Read<()> {
        self.expect(places.len())?;
        let child = |&to: &ExprId| Task::Expr { to, joins, begins: 0 };
        self.tasks.extend(places.iter().rev().map(child));
        Ok(())
    }

    /// Checks that there are bytes for so many expressions more. So what waits to be read is in
    /// proportion to the file.
    fn expect(&mut self, count: usize) -> Read<()> {
        self.pending += count;
        match self.pending.checked_mul(LEAST).is_some_and(|bytes| bytes <= self.reader.left()) {
            true => Ok(()),
            false => self.reader.wrong(0, "there are more expressions than bytes for them"),
        }
    }

    /// Reads the names and places of locals.
    fn locals(&mut self, count: usize) -> Read<Vec<LocalId>> {
        (0..count).map(|_| self.local()).collect()
    }

    fn local(&mut self) -> Read<LocalId> {
        let name = self.reader.optional(self.module.names.len())?;
        if name.is_some_and(|name| !self.module.is_plain[name]) {
            return self.reader.wrong(1, "only a primitive has a `#` before its name");
        }
        let span = self.reader.span()?;
        let name = name.map(|name| self.module.names[name]);
        let id = self.builder.program().local(name, span);
        self.locals.push(Local { id, is_visible: false, forced: 0 });
        Ok(id)
    }

    fn show(&mut self, first: usize, count: usize, forced: bool) {
        for local in first..first + count {
            self.locals[local].is_visible = true;
            self.scope.push(local);
            if forced {
                self.force(local);
            }
        }
    }

    fn force(&mut self, local: usize) {
        self.locals[local].forced += 1;
        self.path.push(local);
    }

    /// Reads a local that is in scope.
    fn used(&mut self) -> Read<usize> {
        let local = self.reader.index(self.locals.len())?;
        match self.locals[local].is_visible {
            true => Ok(local),
            false => self.reader.wrong(1, "a variable is used outside of its scope"),
        }
    }

    fn step(&mut self, task: Task) -> Read<()> {
        match task {
            Task::Expr { to, joins, begins } => return self.expr(to, joins, begins),
            Task::Show { first, count, forced } => self.show(first, count, forced),
            Task::Hide(len) => {
                for local in self.scope.drain(len..) {
                    self.locals[local].is_visible = false;
                }
            }
            Task::Forget(len) => {
                for local in self.path.drain(len..) {
                    self.locals[local].forced -= 1;
                }
            }
            Task::Handler { to, joins } => {
                let Some(Open { is_used, first, .. }) = self.joins.pop() else { return Ok(()) };
                if !is_used {
                    return self.reader.wrong(0, "nothing jumps to a join");
                }
                // Whatever jumps here comes after the first evaluation of the body.
                self.tasks.push(Task::Forget(self.path.len()));
                first.into_iter().for_each(|local| self.force(local));
                self.tasks.push(Task::Expr { to, joins, begins: 0 });
            }
        }
        Ok(())
    }

    fn expr(&mut self, to: ExprId, joins: usize, begins: usize) -> Read<()> {
        self.pending -= 1;
        let kind = self.reader.byte()?;
        let span = self.reader.span()?;
        self.builder.program().spans[to] = span;
        let expr = match kind {
            tag::INT => Expr::Lit(Lit::Int(self.reader.signed()?)),
            tag::BIG => Expr::Lit(self.big()?),
            tag::FLOAT => {
                let bytes = self.reader.take(8)?.try_into().unwrap_or_default();
                let bits = u64::from_le_bytes(bytes);
                let value = Float::from_bits(bits);
                if value.bits() != bits {
                    return self.reader.wrong(8, "a float is not the NaN that there is");
                }
                Expr::Lit(Lit::Float(value))
            }
            tag::CHAR => Expr::Lit(Lit::Char(self.reader.char()?)),
            tag::TEXT => {
                let text = self.reader.index(self.module.texts.len())?;
                if self.module.texts[text].is_empty() {
                    return self.reader.wrong(1, "an empty text is the constructor `Nil`");
                }
                Expr::Text(self.builder.text(text))
            }
            tag::LOCAL => {
                let local = self.used()?;
                Expr::Local(self.locals[local].id)
            }
            tag::VALUE => {
                let id = ReferenceId::new(self.reader.index(self.module.references.len())?);
                if self.module.references[id].kind != ReferenceKind::Value {
                    return self.reader.wrong(1, "a reference is no value");
                }
                Expr::Global(self.builder.value(id))
            }
            tag::CONSTRUCTOR => {
                let (id, ..) = self.constructor()?;
                Expr::Con(self.builder.constructor(id))
            }
            tag::APPLY => self.application()?,
            tag::LET | tag::FORCE => {
                let first = self.locals.len();
                let local = self.local()?;
                let (value, body) = (self.place(), self.place());
                self.expect(2)?;
                let forced = kind == tag::FORCE;
                self.tasks.push(Task::Hide(self.scope.len()));
                self.tasks.push(Task::Forget(self.path.len()));
                self.tasks.push(Task::Expr { to: body, joins, begins: 0 });
                self.tasks.push(Task::Show { first, count: 1, forced });
                let none = self.joins.len();
                self.tasks.push(Task::Expr { to: value, joins: none, begins: 0 });
                match forced {
                    true => Expr::Force(local, value, body),
                    false => Expr::Let(local, value, body),
                }
            }
            tag::LETREC => self.letrec(joins)?,
            tag::FUNCTION => {
                let count = self.reader.count(LEAST)?;
                if count == 0 {
                    return self.reader.wrong(1, "a function has no parameter");
                }
                let first = self.locals.len();
                let params = self.locals(count)?;
                if self.reader.peek() == Some(tag::FUNCTION) {
                    return self.reader.wrong(0, "the body of a function is a function");
                }
                self.tasks.push(Task::Hide(self.scope.len()));
                self.show(first, count, false);
                let body = self.place();
                self.children(&[body], self.joins.len())?;
                Expr::Lam(self.builder.program().local_lists.add(params), body)
            }
            tag::CONSTRUCTORS | tag::LITERALS => self.switch(kind, joins, begins)?,
            tag::JOIN => {
                let (body, handler) = (self.place(), self.place());
                let join = Join { params: List::EMPTY, handler };
                let id = self.builder.program().joins.push(join);
                self.expect(2)?;
                self.joins.push(Open { id, is_used: false, first: None });
                self.tasks.push(Task::Handler { to: handler, joins });
                self.tasks.push(Task::Expr { to: body, joins, begins: begins + 1 });
                Expr::Join(id, body)
            }
            tag::JUMP => {
                let from_end = self.reader.index(self.joins.len() - joins)?;
                let at = self.joins.len() - 1 - from_end;
                self.joins[at].is_used = true;
                Expr::Jump(self.joins[at].id, List::EMPTY)
            }
            tag::NO_MATCH => Expr::NoMatch,
            _ => return self.reader.wrong(1, "there is no such kind of an expression"),
        };
        self.builder.program().exprs[to] = expr;
        Ok(())
    }

    fn big(&mut self) -> Read<Lit> {
        let big = self.reader.index(self.module.bigs.len())?;
        Ok(Lit::Big(self.builder.big(big)))
    }

    /// Reads a reference to a constructor: its layout, its number in that, its number of fields.
    fn constructor(&mut self) -> Read<(ReferenceId, u32, u32, u32)> {
        let id = ReferenceId::new(self.reader.index(self.module.references.len())?);
        match self.module.references[id].kind {
            ReferenceKind::Constructor { layout, tag } => {
                let (_, arity) = self.module.layouts[layout as usize][tag as usize];
                Ok((id, layout, tag, arity))
            }
            _ => self.reader.wrong(1, "a reference is no constructor"),
        }
    }

    fn application(&mut self) -> Read<Expr> {
        let count = self.reader.count(LEAST)?;
        if count == 0 {
            return self.reader.wrong(1, "an application has no argument");
        }
        if self.reader.peek() == Some(tag::APPLY) {
            return self.reader.wrong(0, "an application is applied");
        }
        // Before there are places for them.
        self.expect(count + 1)?;
        self.pending -= count + 1;
        let places: Vec<ExprId> = (0..=count).map(|_| self.place()).collect();
        self.children(&places, self.joins.len())?;
        let args = places.iter().skip(1).copied();
        Ok(Expr::App(places[0], self.builder.program().expr_lists.add(args)))
    }

    fn letrec(&mut self, joins: usize) -> Read<Expr> {
        let count = self.reader.count(2 * LEAST)?;
        if count == 0 {
            return self.reader.wrong(1, "a letrec binds nothing");
        }
        let first = self.locals.len();
        let locals = self.locals(count)?;
        self.tasks.push(Task::Hide(self.scope.len()));
        self.show(first, count, false);
        self.expect(count + 1)?;
        let places: Vec<ExprId> = (0..=count).map(|_| self.place()).collect();
        let none = self.joins.len();
        self.tasks.push(Task::Expr { to: places[count], joins, begins: 0 });
        let value = |&to: &ExprId| Task::Expr { to, joins: none, begins: 0 };
        self.tasks.extend(places[..count].iter().rev().map(value));
        let binds = locals.into_iter().zip(&places).map(|(local, &value)| Bind { local, value });
        Ok(Expr::Letrec(self.builder.program().binds.add(binds), places[count]))
    }

    fn switch(&mut self, kind: u8, joins: usize, begins: usize) -> Read<Expr> {
        let local = self.used()?;
        let evaluated = self.reader.flag()?;
        if evaluated && self.locals[local].forced == 0 {
            return self.reader.wrong(1, "a choice relies on an evaluation that there is not");
        }
        for open in self.joins.iter_mut().rev().take(begins) {
            open.first = Some(local);
        }
        self.tasks.push(Task::Forget(self.path.len()));
        self.force(local);
        // What follows is read in this order and pushed in the other one.
        let mark = self.tasks.len();
        let (branches, is_complete) = match kind {
            tag::CONSTRUCTORS => self.constructor_branches(joins)?,
            _ => (self.literal_branches(joins)?, false),
        };
        let default = match is_complete {
            true => None,
            false => Some(self.branch(joins)?),
        };
        self.tasks[mark..].reverse();
        let scrutinee = self.locals[local].id;
        let switch = Switch { scrutinee, evaluated, branches, default };
        let id: SwitchId = self.builder.program().switches.push(switch);
        Ok(Expr::Switch(id))
    }

    /// Schedules the reading of the expression of a branch.
    fn branch(&mut self, joins: usize) -> Read<ExprId> {
        self.expect(1)?;
        let to = self.place();
        self.tasks.push(Task::Expr { to, joins, begins: 0 });
        Ok(to)
    }

    /// Reads the heads of branches, and tells whether they are of all constructors.
    fn constructor_branches(&mut self, joins: usize) -> Read<(Branches, bool)> {
        let count = self.reader.count(1)?;
        let mut branches = Vec::new();
        let mut before: Option<(u32, u32)> = None;
        for _ in 0..count {
            let (id, layout, tag, arity) = self.constructor()?;
            if before.is_some_and(|(data, last)| data != layout || last >= tag) {
                return self.reader.wrong(1, "the constructors of a choice are out of order");
            }
            before = Some((layout, tag));
            if arity as usize > self.reader.left() {
                return self.reader.wrong(1, "there are more fields than bytes for them");
            }
            let first = self.locals.len();
            let mut fields = Vec::new();
            for _ in 0..arity {
                fields.push(match self.reader.flag()? {
                    true => Some(self.local()?),
                    false => None,
                });
            }
            let count = self.locals.len() - first;
            self.tasks.push(Task::Show { first, count, forced: false });
            let body = self.branch(joins)?;
            self.tasks.push(Task::Hide(self.scope.len()));
            branches.push(ConBranch { con: self.builder.constructor(id), fields, body });
        }
        let Some((layout, _)) = before else {
            return self.reader.wrong(1, "a choice has no branch");
        };
        let is_complete = self.module.layouts[layout as usize].len() == branches.len();
        Ok((Branches::Cons(branches), is_complete))
    }

    fn literal_branches(&mut self, joins: usize) -> Read<Branches> {
        let count = self.reader.count(1)?;
        if count == 0 {
            return self.reader.wrong(1, "a choice has no branch");
        }
        let mut branches: Vec<(Lit, ExprId)> = Vec::new();
        let mut seen = FxHashSet::default();
        for _ in 0..count {
            let lit = match self.reader.byte()? {
                tag::INT => Lit::Int(self.reader.signed()?),
                tag::BIG => self.big()?,
                tag::CHAR => Lit::Char(self.reader.char()?),
                _ => return self.reader.wrong(1, "a choice goes by integers or characters"),
            };
            let is_char = matches!(lit, Lit::Char(_));
            if branches.first().is_some_and(|(first, _)| matches!(first, Lit::Char(_)) != is_char) {
                return self.reader.wrong(1, "a choice mixes integers and characters");
            }
            if !seen.insert(lit) {
                return self.reader.wrong(1, "a choice has two branches for one literal");
            }
            branches.push((lit, self.branch(joins)?));
        }
        Ok(Branches::Lits(branches))
    }
}
