//! What becomes of an expression: a node, a value in a variable, or the end of the code.

use super::super::code::instr::{Arg, Base, Dst, Forced, Instr};
use super::super::code::program::{ArgsId, Commuted, Origin, Thunk, ThunkId};
use super::known::Known;
use super::output::NO_ENTRY;
use super::value::{Args, Lazy, Value, ValueId};
use super::{ARGUMENTS, FIELDS, TooLarge, Translator, too_large};
use crate::base::float::Float;
use crate::base::span::Span;
use crate::gcode::program::{ConId, GlobalId};
use crate::machine::heap::word::View;
use crate::primitive::Primitive;

/// A node that is to be made.
pub(super) enum Node {
    Con(ConId, Vec<Arg>),
    Pap(GlobalId, Vec<Arg>),
    Thunk(ThunkId, Vec<Arg>),
    /// No new node.
    Other(Arg),
}

impl Node {
    /// Returns how many words its fields take.
    pub fn words(&self) -> usize {
        match self {
            Node::Con(_, args) | Node::Pap(_, args) | Node::Thunk(_, args) => args.len().max(1),
            Node::Other(_) => 1,
        }
    }
}

/// What an application is.
pub(super) enum Call {
    /// A constructor with all its fields.
    Con(ConId),
    /// A global with fewer arguments than it takes.
    Partial(GlobalId),
    /// A global with all its arguments.
    Exact(GlobalId),
    /// A global with more arguments than this many, which it takes.
    More(GlobalId, usize),
    /// Whatever the run decides.
    Unknown,
}

impl Translator<'_> {
    pub(super) fn emitted(&mut self, instr: Instr, origin: impl Into<Origin>) {
        self.unit.emit(instr, origin);
    }

    /// Returns the variable here of a variable of the global's own code.
    fn local(&self, name: u32) -> u32 {
        if self.in_thunk { self.locals[name as usize] } else { name }
    }

    pub(super) fn call(&self, callee: ValueId, count: usize) -> Call {
        let Value::Const(word) = self.values.get(callee) else { return Call::Unknown };
        let View::Function(id) = word.view() else { return Call::Unknown };
        let Some(global) = self.gcode.globals.get(id) else { return Call::Unknown };
        let arity = global.arity as usize;
        match count.cmp(&arity) {
            std::cmp::Ordering::Less => Call::Partial(id),
            std::cmp::Ordering::Greater => Call::More(id, arity),
            std::cmp::Ordering::Equal => match self.globals.known(id) {
                Known::Con(con) => Call::Con(con),
                Known::Function | Known::Strict(_) => Call::Exact(id),
            },
        }
    }

    /// Returns the global and its arguments, if a value is the application of one, not built yet,
    /// to all that it takes, and not what a primitive computes.
    pub(super) fn called(&self, id: ValueId) -> Option<(GlobalId, Vec<ValueId>)> {
        let Value::App { callee, args, .. } = self.values.get(id) else { return None };
        match self.call(callee, args.count as usize) {
            Call::Exact(global) if self.globals.known(global) == Known::Function => {
                Some((global, self.values.list(args)))
            }
            _ => None,
        }
    }

    /// Returns a value as an operand; what is no constant and no variable is made one.
    pub(super) fn arg(&mut self, id: ValueId) -> Result<Arg, TooLarge> {
        match self.values.get(id) {
            Value::Const(word) => Ok(self.out.constant(word)),
            _ => Ok(Arg::slot(self.variable(id)?)),
        }
    }

    pub(super) fn args(&mut self, list: &[ValueId]) -> Result<Vec<Arg>, TooLarge> {
        list.iter().map(|&id| self.arg(id)).collect()
    }

    /// Returns a variable that holds a value; it is not evaluated for that.
    pub(super) fn variable(&mut self, id: ValueId) -> Result<u32, TooLarge> {
        let d = match self.values.get(id) {
            Value::Var(name) => return Ok(self.local(name)),
            Value::Const(word) => {
                let a = self.out.constant(word);
                let d = self.unit.var();
                self.emitted(Instr::Move { d: Dst(d), a }, Span::NONE);
                self.unit.evaluated(d);
                return Ok(d);
            }
            Value::Caf(global) => {
                let d = self.unit.var();
                self.emitted(Instr::Caf { d: Dst(d), global }, Span::NONE);
                return Ok(d);
            }
            Value::Text(text) => {
                let d = self.unit.var();
                self.emitted(Instr::Text { d: Dst(d), text }, Span::NONE);
                d
            }
            Value::Big(big) => {
                let d = self.unit.var();
                self.emitted(Instr::Big { d: Dst(d), big }, Span::NONE);
                self.unit.evaluated(d);
                d
            }
            Value::Float(value) => {
                let d = self.unit.var();
                self.emitted(Instr::Float { d: Dst(d), value }, Span::NONE);
                self.unit.evaluated(d);
                d
            }
            Value::App { span, .. } | Value::Con { span, .. } => {
                let node = self.node(id)?;
                self.new_node(node, span)
            }
        };
        if !self.in_thunk {
            self.values.set(id, Value::Var(d));
        }
        Ok(d)
    }

    /// Emits the instruction that makes a node; returns the variable that it is in.
    pub(super) fn new_node(&mut self, node: Node, span: Span) -> u32 {
        let d = Dst(self.unit.var());
        let evaluated = !matches!(node, Node::Thunk(..) | Node::Other(_));
        let instr = match node {
            Node::Con(con, args) => match args[..] {
                [a] => Instr::Con1 { d, con, a },
                [a, b] => Instr::Con2 { d, con, a, b },
                [a, b, c] => Instr::Con3 { d, con, a, b, c },
                _ => Instr::ConN { d, con, args: self.out.args(args) },
            },
            Node::Thunk(thunk, args) => match args[..] {
                [a] => Instr::Thunk1 { d, thunk, a },
                [a, b] => Instr::Thunk2 { d, thunk, a, b },
                [a, b, c] => Instr::Thunk3 { d, thunk, a, b, c },
                _ => Instr::ThunkN { d, thunk, args: self.out.args(args) },
            },
            Node::Pap(global, args) => Instr::Pap { d, global, args: self.out.args(args) },
            Node::Other(a) => Instr::Move { d, a },
        };
        self.emitted(instr, span);
        if evaluated {
            self.unit.evaluated(d.0);
        }
        d.0
    }

    /// Returns the node that a value becomes, its parts made.
    pub(super) fn node(&mut self, id: ValueId) -> Result<Node, TooLarge> {
        let node = match self.values.get(id) {
            Value::Con { con, args, .. } => Node::Con(con, self.args(&self.values.list(args))?),
            Value::App { callee, args, span } => match self.call(callee, args.count as usize) {
                Call::Con(con) => Node::Con(con, self.args(&self.values.list(args))?),
                Call::Partial(global) => Node::Pap(global, self.args(&self.values.list(args))?),
                call => match self.of_sums(&call, args)? {
                    Some((global, given)) => {
                        let thunk = self.thunk_of_code(span, Box::default());
                        self.out.calls.push((thunk, global));
                        Node::Thunk(thunk, given)
                    }
                    None => self.lazy(id, &call, callee, args, span),
                },
            },
            _ => Node::Other(self.arg(id)?),
        };
        match node.words() <= self.limits.fields as usize {
            true => Ok(node),
            false => Err(too_large(FIELDS)),
        }
    }

    /// Returns the function of an application that only selects a field of a variable.
    pub(super) fn selection(&self, callee: ValueId, args: Args) -> Option<GlobalId> {
        let Value::Const(word) = self.values.get(callee) else { return None };
        let View::Function(global) = word.view() else { return None };
        let selects = args.count == 1 && !self.globals.selects(global).is_empty();
        (selects && matches!(self.values.get(self.values.last(args)?), Value::Var(_)))
            .then_some(global)
    }

    /// Returns the function that a lazy call is of, and what it is given, if that is variables and at least one
    /// sum of what is evaluated: sums are cheaper computed than kept for later, so they are made first. The
    /// thunk needs no code of its own then.
    fn of_sums(
        &mut self,
        call: &Call,
        args: Args,
    ) -> Result<Option<(GlobalId, Vec<Arg>)>, TooLarge> {
        let Call::Exact(global) = *call else { return Ok(None) };
        if self.globals.known(global) != Known::Function {
            return Ok(None);
        }
        let list = self.values.list(args);
        let (mut is_made, mut is_plain) = (true, true);
        for &id in &list {
            let is_variable = matches!(self.values.get(id), Value::Var(_));
            is_made &= is_variable || self.is_cheap(id);
            is_plain &= is_variable;
        }
        if is_plain || !is_made {
            return Ok(None);
        }
        Ok(Some((global, self.args(&list)?)))
    }

    /// Returns whether a value is a sum, a difference or a product of what is evaluated.
    fn is_cheap(&self, id: ValueId) -> bool {
        let Value::App { callee, args, .. } = self.values.get(id) else { return false };
        let Call::Exact(global) = self.call(callee, args.count as usize) else { return false };
        let Known::Strict(primitive) = self.globals.known(global) else { return false };
        let is_there = |id: ValueId| match self.values.get(id) {
            Value::Var(name) => self.unit.is_evaluated(self.local(name)),
            _ => self.small(id).is_some(),
        };
        matches!(primitive, Primitive::Add | Primitive::Sub | Primitive::Mul)
            && self.values.list(args).into_iter().all(is_there)
    }

    /// Adds a kind of thunk of the present global, whose code is still to come.
    fn thunk_of_code(&mut self, span: Span, selects: Box<[(ConId, u32)]>) -> ThunkId {
        self.out.thunk(Thunk { entry: NO_ENTRY, span, owner: self.global, selects })
    }

    /// Makes a thunk of an application.
    fn lazy(
        &mut self,
        root: ValueId,
        call: &Call,
        callee: ValueId,
        args: Args,
        span: Span,
    ) -> Node {
        let names = self.names(root);
        let captured: Vec<u32> = names.iter().map(|&name| self.local(name)).collect();
        let (mut selects, mut shared) = (Box::default(), None);
        if let Call::Exact(global) = *call {
            if let Some(selector) = self.selection(callee, args) {
                selects = self.globals.selects(selector).into();
            }
            // Arguments that are variables, all different: what is captured is what the
            // function takes.
            let direct = names.len() == args.count as usize && args.size == args.count;
            let computed = matches!(self.globals.known(global), Known::Strict(_));
            if direct && !computed {
                shared = Some(global);
            }
        }
        let thunk = self.thunk_of_code(span, selects);
        match shared {
            Some(global) => self.out.calls.push((thunk, global)),
            None => {
                let is_evaluated = |&local: &u32| self.unit.is_evaluated(local);
                let evaluated = captured.iter().map(is_evaluated);
                let captured = names.iter().copied().zip(evaluated).collect();
                let root = self.values.get(root);
                self.lazies.push(Lazy { thunk, root, captured });
            }
        }
        Node::Thunk(thunk, captured.into_iter().map(Arg::slot).collect())
    }

    /// Returns the variables in an expression, each once, in the order of their first entry: by the
    /// names that they have in the global's own code.
    fn names(&mut self, root: ValueId) -> Vec<u32> {
        self.stamp += 1;
        let mut names = Vec::new();
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            match self.values.get(id) {
                Value::Var(name) => {
                    let at = name as usize;
                    if at >= self.seen.len() {
                        self.seen.resize(at + 1, 0);
                    }
                    if std::mem::replace(&mut self.seen[at], self.stamp) != self.stamp {
                        names.push(name);
                    }
                }
                Value::App { callee, args, .. } => {
                    todo.extend(self.values.list(args).into_iter().rev());
                    todo.push(callee);
                }
                Value::Con { args, .. } => todo.extend(self.values.list(args).into_iter().rev()),
                Value::Const(_)
                | Value::Caf(_)
                | Value::Text(_)
                | Value::Big(_)
                | Value::Float(_) => {}
            }
        }
        names
    }

    /// Evaluates a value; returns the variable that then holds it, or `None` if it was a value in
    /// weak head normal form as it stood.
    pub(super) fn evaluate(&mut self, id: ValueId, span: Span) -> Result<Option<u32>, TooLarge> {
        let (callee, args, at) = match self.values.get(id) {
            Value::Const(_) | Value::Con { .. } | Value::Big(_) | Value::Float(_) => {
                return Ok(None);
            }
            Value::Var(_) | Value::Caf(_) | Value::Text(_) => {
                let v = self.variable(id)?;
                if !self.unit.is_evaluated(v) {
                    self.build_pending()?;
                    self.emitted(Instr::Eval { a: Forced(v) }, span);
                    self.unit.evaluated(v);
                }
                return Ok(Some(v));
            }
            Value::App { callee, args, span } => (callee, args, span),
        };
        let call = self.call(callee, args.count as usize);
        if matches!(call, Call::Con(_) | Call::Partial(_)) {
            return Ok(None);
        }
        self.build_pending()?;
        let list = self.values.list(args);
        let d = match call {
            Call::Con(_) | Call::Partial(_) => return Ok(None),
            Call::Exact(global) => match (self.globals.known(global), &list[..]) {
                (Known::Strict(primitive), &[a, ref b @ ..]) => {
                    self.compute(primitive, a, b.first().copied(), at)?
                }
                _ => self.call_global(global, &list, at)?,
            },
            Call::More(global, arity) => {
                let (first, rest) = list.split_at(arity);
                let rest = self.args(rest)?;
                let f = self.call_global(global, first, at)?;
                self.apply(Arg::slot(f), rest, at)?
            }
            Call::Unknown => {
                let args = self.args(&list)?;
                let f = self.arg(callee)?;
                self.apply(f, args, at)?
            }
        };
        Ok(Some(d))
    }

    /// Returns the arguments of a call of a global: what it certainly evaluates, and is not built
    /// yet, is evaluated now.
    pub(super) fn passed(
        &mut self,
        global: GlobalId,
        list: &[ValueId],
    ) -> Result<Vec<Arg>, TooLarge> {
        let strict = &self.gcode.globals[global].strict;
        let mut evaluated: Vec<Option<u32>> = Vec::new();
        for (at, &id) in list.iter().enumerate() {
            if let (Some(true), Value::App { span, .. }) = (strict.get(at), self.values.get(id)) {
                evaluated.resize(at, None);
                evaluated.push(self.evaluate(id, span)?);
            }
        }
        let arg = |(at, &id): (usize, &ValueId)| match evaluated.get(at) {
            Some(Some(d)) => Ok(Arg::slot(*d)),
            _ => self.arg(id),
        };
        list.iter().enumerate().map(arg).collect()
    }

    pub(super) fn call_global(
        &mut self,
        global: GlobalId,
        list: &[ValueId],
        span: Span,
    ) -> Result<u32, TooLarge> {
        let args = self.passed(global, list)?;
        let base = Base(self.unit.var());
        let instr = match args[..] {
            [a] => Instr::Call1 { base, global, a },
            [a, b] => Instr::Call2 { base, global, a, b },
            [a, b, c] => Instr::Call3 { base, global, a, b, c },
            _ => Instr::CallN { base, global, args: self.out.args(args) },
        };
        self.emitted(instr, span);
        self.unit.evaluated(base.0);
        Ok(base.0)
    }

    /// Returns the arguments of an application of what only the run knows.
    pub(super) fn arguments(&mut self, args: Vec<Arg>) -> Result<ArgsId, TooLarge> {
        match args.len() <= self.limits.frame as usize {
            true => Ok(self.out.args(args)),
            false => Err(too_large(ARGUMENTS)),
        }
    }

    fn apply(&mut self, f: Arg, args: Vec<Arg>, span: Span) -> Result<u32, TooLarge> {
        let base = Base(self.unit.var());
        let instr = match args[..] {
            [a] => Instr::Apply1 { base, f, a },
            [a, b] => Instr::Apply2 { base, f, a, b },
            [a, b, c] => Instr::Apply3 { base, f, a, b, c },
            _ => Instr::ApplyN { base, f, args: self.arguments(args)? },
        };
        self.emitted(instr, span);
        self.unit.evaluated(base.0);
        Ok(base.0)
    }

    /// Returns a variable for an operand that an instruction forces.
    pub(super) fn forced(&mut self, id: ValueId) -> Result<u32, TooLarge> {
        if let Value::App { span, .. } = self.values.get(id)
            && let Some(v) = self.evaluate(id, span)?
        {
            return Ok(v);
        }
        self.variable(id)
    }

    /// Builds all that is to be built on the stack, if forcing the operands may take long: the
    /// collector knows how to shorten a selection, but not a frame that is to make one.
    fn before_forcing(&mut self, operands: &[Forced]) -> Result<(), TooLarge> {
        match operands.iter().all(|operand| self.unit.is_evaluated(operand.0)) {
            true => Ok(()),
            false => self.build_pending(),
        }
    }

    /// Returns the small integer that a value is.
    pub(super) fn small(&self, id: ValueId) -> Option<i32> {
        match self.values.get(id) {
            Value::Const(word) if word.is_int() => i32::try_from(word.as_int()).ok(),
            _ => None,
        }
    }

    /// Returns the float of a word that a value is.
    pub(super) fn small_float(&self, id: ValueId) -> Option<Float> {
        match self.values.get(id) {
            Value::Const(word) if word.is_float() => Some(Float::new(word.as_float())),
            _ => None,
        }
    }

    /// Emits what computes a primitive on evaluated operands.
    pub(super) fn compute(
        &mut self,
        primitive: Primitive,
        a: ValueId,
        b: Option<ValueId>,
        span: Span,
    ) -> Result<u32, TooLarge> {
        use Primitive as P;
        debug_assert_eq!(primitive.arity(), 1 + usize::from(b.is_some()));
        let written = primitive;
        let right = b.and_then(|b| self.small(b));
        let left = b.and(self.small(a));
        let with_int = match (primitive, left, right) {
            (P::Add, _, Some(k)) => Some((primitive, a, k)),
            (P::Add, Some(k), _) => b.map(|b| (primitive, b, k)),
            (P::Sub, _, Some(k)) => k.checked_neg().map(|k| (P::Add, a, k)),
            (P::Sub, Some(k), _) => b.map(|b| (primitive, b, k)),
            (P::AddI64, _, Some(k)) => Some((primitive, a, k)),
            (P::AddI64, Some(k), _) => b.map(|b| (primitive, b, k)),
            (P::SubI64, _, Some(k)) => k.checked_neg().map(|k| (P::AddI64, a, k)),
            (P::Mul, _, Some(k)) => Some((primitive, a, k)),
            (P::Mul, Some(k), _) => b.map(|b| (primitive, b, k)),
            (P::Div | P::Rem | P::FloorDiv | P::Mod, _, Some(k)) if k != 0 => {
                Some((primitive, a, k))
            }
            (
                P::BitAnd
                | P::BitOr
                | P::BitXor
                | P::Shl
                | P::Shr
                | P::ShlI64
                | P::ShlU64
                | P::MulI64
                | P::AddU64
                | P::SubU64
                | P::MulU64,
                _,
                Some(k),
            ) => Some((primitive, a, k)),
            _ => None,
        };
        if let Some((primitive, id, k)) = with_int {
            let constant_first = right.is_none();
            // A subtraction from the constant has an instruction that says so.
            let is_difference = matches!(written, P::Sub | P::SubI64);
            let commuted = (is_difference != constant_first)
                .then_some(Commuted { primitive: written, constant_first });
            let a = Forced(self.forced(id)?);
            self.before_forcing(&[a])?;
            let d = Dst(self.unit.var());
            let instr = match primitive {
                P::Add => Instr::AddInt { d, a, k },
                P::Sub => Instr::SubFrom { d, a, k },
                P::AddI64 => Instr::AddI64Int { d, a, k },
                P::Mul => Instr::MulInt { d, a, k },
                P::Div => Instr::DivInt { d, a, k },
                P::Rem => Instr::RemInt { d, a, k },
                P::FloorDiv => Instr::FloorDivInt { d, a, k },
                P::Mod => Instr::ModInt { d, a, k },
                op => Instr::BinaryInt { d, a, k, op },
            };
            return Ok(self.computed(instr, d, &[a], Origin { span, commuted }));
        }
        if let Some(b) = b
            && let Some(v) = self.compute_with_float(primitive, a, b, span)?
        {
            return Ok(v);
        }
        let a = Forced(self.forced(a)?);
        let b = Forced(b.map_or(Ok(a.0), |b| self.forced(b))?);
        self.before_forcing(&[a, b])?;
        let d = Dst(self.unit.var());
        let instr = match primitive {
            P::Add => Instr::Add { d, a, b },
            P::Sub => Instr::Sub { d, a, b },
            P::Mul => Instr::Mul { d, a, b },
            P::Div => Instr::Div { d, a, b },
            P::Rem => Instr::Rem { d, a, b },
            P::FloorDiv => Instr::FloorDiv { d, a, b },
            P::Mod => Instr::Mod { d, a, b },
            P::Eq => Instr::Eq { d, a, b },
            P::Neq => Instr::Ne { d, a, b },
            P::Lt => Instr::Lt { d, a, b },
            P::Le => Instr::Le { d, a, b },
            P::Gt => Instr::Gt { d, a, b },
            P::Ge => Instr::Ge { d, a, b },
            P::Negate => Instr::Neg { d, a },
            P::Ord => Instr::Ord { d, a },
            P::Chr => Instr::Chr { d, a },
            P::FAdd => Instr::FAdd { d, a, b },
            P::FSub => Instr::FSub { d, a, b },
            P::FMul => Instr::FMul { d, a, b },
            P::FDiv => Instr::FDiv { d, a, b },
            P::AddI64 => Instr::AddI64 { d, a, b },
            P::SubI64 => Instr::SubI64 { d, a, b },
            P::MulI64 => Instr::MulI64 { d, a, b },
            P::AddU64 => Instr::AddU64 { d, a, b },
            P::SubU64 => Instr::SubU64 { d, a, b },
            P::MulU64 => Instr::MulU64 { d, a, b },
            op if op.arity() == 1 => Instr::Unary { d, a, op },
            op => Instr::Binary { d, a, b, op },
        };
        Ok(self.computed(instr, d, &[a, b], span.into()))
    }

    /// Emits what computes a primitive on a float and one that is a constant; nothing if none is.
    fn compute_with_float(
        &mut self,
        primitive: Primitive,
        a: ValueId,
        b: ValueId,
        span: Span,
    ) -> Result<Option<u32>, TooLarge> {
        use Primitive as P;
        if !matches!(primitive, P::FAdd | P::FSub | P::FMul | P::FDiv) {
            return Ok(None);
        }
        let (id, k, constant_first) = match (self.small_float(a), self.small_float(b)) {
            (_, Some(k)) => (a, k, false),
            (Some(k), None) => (b, k, true),
            (None, None) => return Ok(None),
        };
        let a = Forced(self.forced(id)?);
        self.before_forcing(&[a])?;
        let d = Dst(self.unit.var());
        let instr = match (primitive, constant_first) {
            (P::FAdd, _) => Instr::FAddConst { d, a, k },
            (P::FMul, _) => Instr::FMulConst { d, a, k },
            (P::FSub, false) => Instr::FSubConst { d, a, k },
            (P::FSub, true) => Instr::FSubFrom { d, a, k },
            (_, false) => Instr::FDivConst { d, a, k },
            (_, true) => Instr::FDivInto { d, a, k },
        };
        let commuted = constant_first.then_some(Commuted { primitive, constant_first });
        Ok(Some(self.computed(instr, d, &[a], Origin { span, commuted })))
    }

    fn computed(&mut self, instr: Instr, d: Dst, operands: &[Forced], origin: Origin) -> u32 {
        let selects = matches!(instr, Instr::Binary { op, .. } if op.selects());
        self.emitted(instr, origin);
        operands.iter().for_each(|operand| self.unit.evaluated(operand.0));
        if !selects {
            self.unit.evaluated(d.0);
        }
        d.0
    }
}
