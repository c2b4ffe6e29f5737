//! What flows from where values are made to where they are used: which constants come to parameters, to the
//! fields of constructors, and to the locals that these are bound to.
//!
//! This is constant propagation between functions (Wegman and Zadeck, "Constant propagation with conditional
//! branches", TOPLAS 13(2), 1991), with calls, constructors and switches for edges. A slot is taken for constant
//! until something else comes to it.
//!
//! - A constant is a literal, a function or a definition's value by name, a constructor without fields, or a
//!   function that is given some constants and lacks arguments.
//! - What is not seen may be anything: what a function is given that is mentioned elsewhere than in calls with
//!   all their arguments, or is kept; what a constructor is given that is mentioned so; the cells of lists, which
//!   the machine makes too; what is evaluated. Where the program is part of another one, or has functions of a
//!   host, any constructor may be made elsewhere.

use rustc_hash::FxHashMap;

use crate::base::index::{Idx, IndexVec};
use crate::core::expr::{
    Branches, CONS, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, Lit, LocalId, Program,
};

/// What comes to a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passed {
    /// Nothing, as far as is known.
    Nothing,
    /// A constant, and nothing else.
    Constant(Constant),
    /// What is not known, or one of several.
    Any,
}

/// A constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Constant {
    /// A name, a literal or a constructor without fields.
    Atom(Atom),
    /// A function with constants for arguments, by its number.
    Applied(u32),
}

/// A constant that is an expression without parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Atom {
    Lit(Lit),
    Global(GlobalId),
    Con(ConId),
}

impl Atom {
    /// Returns the expression.
    pub fn expr(self) -> Expr {
        match self {
            Atom::Lit(lit) => Expr::Lit(lit),
            Atom::Global(global) => Expr::Global(global),
            Atom::Con(con) => Expr::Con(con),
        }
    }
}

/// The most arguments, and parts of them, of a function that is a constant.
const PARTS: usize = 12;

/// A local or a field.
type Slot = u32;

/// What flows in a program.
pub(super) struct Flow {
    passed: Vec<Passed>,
    /// Whether a function that is a constant is among what comes to a slot.
    functions: Vec<bool>,
    /// The slots that each goes to.
    to: FxHashMap<Slot, Vec<Slot>>,
    /// Where the fields of each constructor begin.
    fields: IndexVec<ConId, Slot>,
    /// The functions that are given constants.
    applied: Vec<(GlobalId, Vec<Constant>)>,
    numbers: FxHashMap<(GlobalId, Vec<Constant>), u32>,
    /// What something has come to, which is to go on.
    work: Vec<Slot>,
}

impl Flow {
    /// Returns what flows in a program. Takes time linear in it.
    pub fn new(program: &Program) -> Flow {
        let mut slots = program.locals.len() as u32;
        let mut fields = IndexVec::default();
        for con in program.cons.iter() {
            fields.push(slots);
            slots += con.arity;
        }
        let mut flow = Flow {
            passed: vec![Passed::Nothing; slots as usize],
            functions: vec![false; slots as usize],
            to: FxHashMap::default(),
            fields,
            applied: Vec::new(),
            numbers: FxHashMap::default(),
            work: Vec::new(),
        };
        for global in program.kept() {
            flow.escape(program, global);
        }
        let is_open = is_open(program);
        for con in program.cons.indices() {
            if is_open || program.cons[con].data == program.cons[CONS].data {
                flow.unknown_fields(program, con);
            }
        }
        for global in program.globals.iter() {
            if let GlobalKind::Defn { body: Some(body), .. } = global.kind {
                flow.body(program, body);
            }
        }
        while let Some(slot) = flow.work.pop() {
            for at in 0..flow.to.get(&slot).map_or(0, Vec::len) {
                flow.pass_on(slot, flow.to[&slot][at]);
            }
        }
        flow
    }

    /// Returns what comes to a local.
    pub fn local(&self, local: LocalId) -> Passed {
        self.passed[local.index()]
    }

    /// Returns what comes to a field of a constructor.
    pub fn field(&self, con: ConId, at: usize) -> Passed {
        self.passed[self.fields[con] as usize + at]
    }

    /// Returns whether a function that is a constant comes to a field of a constructor.
    pub fn has_function(&self, con: ConId, at: usize) -> bool {
        self.functions[self.fields[con] as usize + at]
    }

    /// Returns the function and the constants that it is given.
    pub fn applied(&self, number: u32) -> (GlobalId, &[Constant]) {
        let (global, args) = &self.applied[number as usize];
        (*global, args)
    }

    fn body(&mut self, program: &Program, body: ExprId) {
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            match program.exprs[expr] {
                Expr::Global(global) => self.escape(program, global),
                Expr::Con(con) => self.unknown_fields(program, con),
                Expr::App(callee, args) => {
                    let args = &program.expr_lists[args];
                    if !self.application(program, callee, args) {
                        work.push(callee);
                    }
                    work.extend(args);
                    continue;
                }
                Expr::Let(local, value, _) => self.flows(program, value, local.0),
                Expr::Force(local, value, _) => match program.exprs[value] {
                    Expr::Local(_) => self.flows(program, value, local.0),
                    _ => self.pass(local.0, Passed::Any),
                },
                Expr::Letrec(binds, _) => {
                    for bind in &program.binds[binds] {
                        self.flows(program, bind.value, bind.local.0);
                    }
                }
                Expr::Jump(join, args) => {
                    let params = &program.local_lists[program.joins[join].params];
                    for (&param, &arg) in params.iter().zip(&program.expr_lists[args]) {
                        self.flows(program, arg, param.0);
                    }
                }
                Expr::Switch(switch) => {
                    if let Branches::Cons(branches) = &program.switches[switch].branches {
                        for branch in branches {
                            let fields = (self.fields[branch.con]..).zip(&branch.fields);
                            for (field, &local) in fields {
                                if let Some(local) = local {
                                    self.goes(field, local.0);
                                }
                            }
                        }
                    }
                }
                Expr::Perform(local, ..) => self.pass(local.0, Passed::Any),
                Expr::Lam(params, _) => {
                    let params = &program.local_lists[params];
                    params.iter().for_each(|param| self.pass(param.0, Passed::Any));
                }
                _ => {}
            }
            program.push_children(expr, &mut work);
        }
    }

    /// Notes that a function may be called with anything.
    fn escape(&mut self, program: &Program, global: GlobalId) {
        if let GlobalKind::Defn { params, .. } = program.globals[global].kind {
            let params = &program.local_lists[params];
            params.iter().for_each(|param| self.pass(param.0, Passed::Any));
        }
    }

    /// Notes that the fields of a constructor may be anything.
    fn unknown_fields(&mut self, program: &Program, con: ConId) {
        for at in 0..program.cons[con].arity {
            self.pass(self.fields[con] + at, Passed::Any);
        }
    }

    /// Notes what an application passes, if it has all arguments of a definition or a constructor. Returns
    /// whether it does.
    fn application(&mut self, program: &Program, callee: ExprId, args: &[ExprId]) -> bool {
        match program.exprs[callee] {
            Expr::Global(global) => {
                let GlobalKind::Defn { params, .. } = program.globals[global].kind else {
                    return false;
                };
                let params = &program.local_lists[params];
                if args.len() < params.len() {
                    return false;
                }
                for (param, &arg) in params.iter().zip(args) {
                    self.flows(program, arg, param.0);
                }
                true
            }
            Expr::Con(con) if args.len() >= program.cons[con].arity as usize => {
                for (field, &arg) in
                    (self.fields[con]..self.fields[con] + program.cons[con].arity).zip(args)
                {
                    self.flows(program, arg, field);
                }
                true
            }
            _ => false,
        }
    }

    /// Notes that an expression comes to a slot.
    fn flows(&mut self, program: &Program, expr: ExprId, to: Slot) {
        match program.exprs[expr] {
            Expr::Local(local) => self.goes(local.0, to),
            _ => {
                let constant = self.constant(program, expr);
                let is_function = constant.is_some_and(|constant| is_function(program, constant));
                if is_function && !std::mem::replace(&mut self.functions[to as usize], true) {
                    self.work.push(to);
                }
                self.pass(to, constant.map_or(Passed::Any, Passed::Constant));
            }
        }
    }

    fn goes(&mut self, from: Slot, to: Slot) {
        self.to.entry(from).or_default().push(to);
        self.pass_on(from, to);
    }

    fn pass_on(&mut self, from: Slot, to: Slot) {
        if self.functions[from as usize]
            && !std::mem::replace(&mut self.functions[to as usize], true)
        {
            self.work.push(to);
        }
        self.pass(to, self.passed[from as usize]);
    }

    /// Returns the constant that an expression is.
    pub fn constant(&mut self, program: &Program, expr: ExprId) -> Option<Constant> {
        self.constant_of(program, expr, &mut { PARTS })
    }

    fn constant_of(
        &mut self,
        program: &Program,
        expr: ExprId,
        parts: &mut usize,
    ) -> Option<Constant> {
        *parts = parts.checked_sub(1)?;
        match program.exprs[expr] {
            Expr::Lit(lit) => lit.is_immediate().then_some(Constant::Atom(Atom::Lit(lit))),
            Expr::Global(global) => Some(Constant::Atom(Atom::Global(global))),
            Expr::Con(con) => {
                (program.cons[con].arity == 0).then_some(Constant::Atom(Atom::Con(con)))
            }
            Expr::App(callee, args) => {
                let Expr::Global(global) = program.exprs[callee] else { return None };
                if args.len() >= program.arity(global) {
                    return None;
                }
                let mut given = Vec::with_capacity(args.len());
                for &arg in &program.expr_lists[args] {
                    given.push(self.constant_of(program, arg, parts)?);
                }
                let next = self.applied.len() as u32;
                let number = *self.numbers.entry((global, given.clone())).or_insert(next);
                if number == next {
                    self.applied.push((global, given));
                }
                Some(Constant::Applied(number))
            }
            _ => None,
        }
    }

    fn pass(&mut self, to: Slot, more: Passed) {
        let passed = &mut self.passed[to as usize];
        let both = match (*passed, more) {
            (Passed::Nothing, one) | (one, Passed::Nothing) => one,
            (one, other) if one == other => one,
            _ => Passed::Any,
        };
        if *passed != both {
            *passed = both;
            self.work.push(to);
        }
    }
}

/// Returns whether a constant is a function.
pub(super) fn is_function(program: &Program, constant: Constant) -> bool {
    match constant {
        Constant::Atom(Atom::Global(global)) => program.arity(global) > 0,
        Constant::Atom(_) => false,
        Constant::Applied(_) => true,
    }
}

/// Returns whether constructors may be made outside of a program.
pub(super) fn is_open(program: &Program) -> bool {
    let is_host = |global: &Global| matches!(global.kind, GlobalKind::Host { .. });
    program.main.is_none() || !program.roots.is_empty() || program.globals.iter().any(is_host)
}
