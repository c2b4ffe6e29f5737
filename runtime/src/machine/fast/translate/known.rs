//! What is known of a program's globals.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::base::index::IndexVec;
use crate::base::places::Places;
use crate::base::span::Span;
use crate::gcode::instr::{Arities, Instr};
use crate::gcode::program::{ConId, Global, GlobalId, GlobalKind, Program};
use crate::primitive::Primitive;

/// What a call of a global is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine::fast) enum Known {
    /// A call of its code.
    Function,
    /// A constructor.
    Con(ConId),
    /// Arithmetic, a comparison or a conversion of evaluated arguments.
    Strict(Primitive),
}

/// What is known of each global.
#[derive(Clone, Default, Debug)]
pub(in crate::machine::fast) struct Globals {
    known: IndexVec<GlobalId, Known>,
    selectors: IndexVec<GlobalId, Box<[(ConId, u32)]>>,
    /// The arguments, of the first 64, that a function evaluates before it does anything else.
    first: IndexVec<GlobalId, u64>,
    /// Whether last calls lead from a function to nothing but the corelib: what it calls last is known,
    /// is called by the corelib, and is such a function too.
    inward: IndexVec<GlobalId, bool>,
}

impl Globals {
    /// Analyses the globals of a program that it has not looked at before.
    pub fn learn(&mut self, program: &Program) {
        for global in program.globals.since(self.known.len()) {
            self.known.push(known(global));
            self.first.push(evaluated_first(global));
            self.selectors.push(selector(global, program));
        }
        self.learn_last_calls(program);
    }

    /// Finds out from which functions last calls lead to the corelib alone: those of which a last call
    /// may lead elsewhere are left out, and those that call these last.
    fn learn_last_calls(&mut self, program: &Program) {
        let mut callers: FxHashMap<GlobalId, Vec<GlobalId>> = FxHashMap::default();
        let mut outward = Vec::new();
        for id in program.globals.indices_from(self.inward.len()) {
            let calls = last_calls(&program.globals[id], program);
            let is_inward = calls.as_ref().is_some_and(|calls| {
                calls.iter().all(|&callee| self.inward.get(callee).is_none_or(|inward| *inward))
            });
            if !is_inward {
                outward.push(id);
            }
            for callee in calls.into_iter().flatten() {
                callers.entry(callee).or_default().push(id);
            }
        }
        let first = self.inward.len();
        program.globals.since(first).iter().for_each(|_| _ = self.inward.push(true));
        while let Some(id) = outward.pop() {
            if std::mem::replace(&mut self.inward[id], false)
                && let Some(callers) = callers.get(&id)
            {
                outward.extend(callers);
            }
        }
    }

    /// Forgets the globals past the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.known.truncate(len);
        self.first.truncate(len);
        self.selectors.truncate(len);
        self.inward.truncate(len);
    }

    pub fn known(&self, global: GlobalId) -> Known {
        self.known.get(global).copied().unwrap_or(Known::Function)
    }

    /// Returns whether a function evaluates an argument before it does anything else.
    pub fn evaluates_first(&self, global: GlobalId, argument: usize) -> bool {
        argument < 64 && self.first.get(global).is_some_and(|first| first >> argument & 1 == 1)
    }

    /// Returns whether the frame stays of what calls a function last, in an expression of the
    /// source: so that a failure in there is told at this expression.
    ///
    /// It does if the expression is not the corelib's and last calls lead from the function to the
    /// corelib alone. No other frame stays then before an evaluation begins that has a control word of
    /// its own: there is at most one such frame for each control word, and a loop of last calls takes no
    /// more of the stack for them than it takes anyway.
    pub fn keeps_frame(&self, places: &Places, global: GlobalId, span: Span) -> bool {
        places.is_outside(span) && self.inward.get(global).is_some_and(|inward| *inward)
    }

    /// Returns the constructor and field, if the function does nothing but select a field of its
    /// only argument; empty if it does anything else.
    pub fn selects(&self, global: GlobalId) -> &[(ConId, u32)] {
        self.selectors.get(global).map_or(&[], |selector| selector)
    }
}

/// Returns what is known of a global. A primitive is recognised by its code: each argument is
/// evaluated, the last one first, then there is one instruction.
fn known(global: &Global) -> Known {
    if let GlobalKind::Constructor(con) = global.kind {
        return Known::Con(con);
    }
    let arity = global.arity as usize;
    if global.code.len() != 2 * arity + 4 || !(1..=2).contains(&arity) {
        return Known::Function;
    }
    let (operands, rest) = global.code.split_at(2 * arity);
    let push = Instr::Push(global.arity - 1);
    let evaluated = operands.chunks(2).all(|pair| pair == [push.clone(), Instr::Eval]);
    let [op, Instr::Update(to), Instr::Pop(all), Instr::Unwind] = rest else {
        return Known::Function;
    };
    let returned = (*to, *all) == (global.arity, global.arity);
    match op.computes() {
        Some(primitive) if evaluated && returned && primitive.arity() == arity => {
            Known::Strict(primitive)
        }
        _ => Known::Function,
    }
}

/// Returns the functions of the program that the code of a global calls last; `None` if it is not
/// known what it does last, or if it or anything that it does last stands outside of the corelib.
///
/// A variable that it ends in is no call: who enters a thunk leaves a control word.
fn last_calls(global: &Global, program: &Program) -> Option<Vec<GlobalId>> {
    if program.places.is_users(global.span) {
        return None;
    }
    let mut found = Vec::new();
    for (at, window) in global.code.windows(3).enumerate() {
        let [Instr::Update(_), Instr::Pop(_), Instr::Unwind] = window else { continue };
        let mut before = &global.code[..at];
        while let [rest @ .., Instr::Eval] = before {
            before = rest;
        }
        let mut given = 0;
        while let [rest @ .., Instr::MkApp] = before {
            (before, given) = (rest, given + 1);
        }
        let span = global.spans.get(at).copied().unwrap_or(Span::NONE);
        match *before.last()? {
            Instr::PushGlobal(callee) => {
                let arity = program.globals.get(callee)?.arity;
                match given.cmp(&arity) {
                    Ordering::Less => {}
                    Ordering::Equal if program.places.is_outside(span) => return None,
                    Ordering::Equal => found.push(callee),
                    Ordering::Greater => return None,
                }
            }
            _ if given > 0 => return None,
            _ => {}
        }
    }
    Some(found)
}

/// Returns the arguments, as bits, that code evaluates before it does anything else.
fn evaluated_first(global: &Global) -> u64 {
    // The items above the arguments that are arguments too.
    let mut pushed: Vec<Option<u32>> = Vec::new();
    let mut found = 0;
    for instr in &global.code {
        match instr {
            Instr::PushInt(_) | Instr::PushFloat(_) | Instr::PushChar(_) => pushed.push(None),
            Instr::Push(n) => {
                let argument = match pushed.len().checked_sub(1 + *n as usize) {
                    Some(at) => pushed[at],
                    None => Some(*n - pushed.len() as u32),
                };
                pushed.push(argument);
            }
            Instr::Eval => {
                if let Some(Some(argument)) = pushed.last()
                    && *argument < 64
                {
                    found |= 1 << argument;
                }
            }
            _ => break,
        }
    }
    found
}

/// What a stack item stands for while the code of a selector is run on symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Redex,
    Argument,
    Field(u32),
}

/// Returns, for each constructor that a function of one argument takes apart only to return one of
/// its fields, which field.
fn selector(global: &Global, program: &Program) -> Box<[(ConId, u32)]> {
    let none = Box::default();
    if global.arity != 1 {
        return none;
    }
    let mut state = (vec![Symbol::Redex, Symbol::Argument], 0);
    loop {
        let (stack, at) = &mut state;
        match global.code.get(*at) {
            Some(Instr::CaseJump(jumps)) if stack.last() == Some(&Symbol::Argument) => {
                let field = |con: ConId, at: usize| {
                    returned(global, at, stack.clone(), program.con_arity(con))
                };
                let branches = jumps.branches.iter();
                return branches
                    .filter_map(|&(con, to)| Some((con, field(con, to.0 as usize)?)))
                    .collect();
            }
            Some(instr) if moves(instr, at, stack, 0).is_some() => {}
            _ => return none,
        }
    }
}

/// Returns the field that a branch of a selector returns, if it does nothing else.
fn returned(global: &Global, mut at: usize, mut stack: Vec<Symbol>, arity: u32) -> Option<u32> {
    loop {
        let instr = global.code.get(at)?;
        if let Instr::Update(n) = instr {
            let Symbol::Field(field) = stack.pop()? else { return None };
            let target = stack.len().checked_sub(1 + *n as usize)?;
            return (stack[target] == Symbol::Redex).then_some(field);
        }
        moves(instr, &mut at, &mut stack, arity)?;
    }
}

/// Executes on the stack of symbols an instruction that only moves items, or evaluates one (whoever
/// forces a selection forces what it selects); `None` for any other.
fn moves(instr: &Instr, at: &mut usize, stack: &mut Vec<Symbol>, arity: u32) -> Option<()> {
    match instr {
        Instr::Push(n) => {
            let from = stack.len().checked_sub(1 + *n as usize)?;
            stack.push(stack[from]);
        }
        Instr::Pop(n) => stack.truncate(stack.len().checked_sub(*n as usize)?),
        Instr::Slide(n) => {
            let top = stack.pop()?;
            stack.truncate(stack.len().checked_sub(*n as usize)?);
            stack.push(top);
        }
        Instr::Split(n) if *n == arity && stack.last() == Some(&Symbol::Argument) => {
            stack.pop();
            stack.extend((0..*n).rev().map(Symbol::Field));
        }
        Instr::Eval => _ = stack.last()?,
        // Labels point forward, so that this ends.
        Instr::Jump(to) => {
            *at = to.0 as usize;
            return Some(());
        }
        _ => return None,
    }
    *at += 1;
    Some(())
}
