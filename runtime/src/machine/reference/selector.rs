//! Selectors: functions that return a field of their only argument.
//!
//! A thunk `fst p` keeps all of `p` alive. Once `p` is evaluated the collector may put the
//! field in the thunk's place (Wadler, *Fixing some space leaks with a garbage collector*,
//! 1987). Which functions are selectors is found by running their code on symbols.

use crate::gcode::instr::{Arities, Instr};
use crate::gcode::program::{ConId, Global, Program};

/// The field that a selector returns, by the constructor that it takes apart.
pub(super) type Selector = Box<[(ConId, u32)]>;

/// What a stack item stands for while a selector's code is run on symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Redex,
    Argument,
    Field(u32),
}

/// Returns, for each constructor that a function of one argument takes apart only to return one of
/// the fields, which field. `None` if it does anything else.
pub(super) fn analyse(global: &Global, program: &Program) -> Option<Selector> {
    if global.arity != 1 {
        return None;
    }
    let mut stack = vec![Symbol::Redex, Symbol::Argument];
    let mut pc = 0;
    loop {
        match global.code.get(pc)? {
            Instr::CaseJump(jumps) if stack.last() == Some(&Symbol::Argument) => {
                let branches = jumps.branches.iter().filter_map(|(con, label)| {
                    let arity = program.con_arity(*con);
                    let field = branch(global, label.0 as usize, stack.clone(), arity)?;
                    Some((*con, field))
                });
                let found: Box<[_]> = branches.collect();
                return (!found.is_empty()).then_some(found);
            }
            instr => pc = follow_move(instr, pc, &mut stack, 0)?,
        }
    }
}

/// Returns the field that a branch returns, if it does nothing else.
fn branch(global: &Global, mut pc: usize, mut stack: Vec<Symbol>, arity: u32) -> Option<u32> {
    loop {
        match global.code.get(pc)? {
            Instr::Update(n) => {
                let Some(Symbol::Field(field)) = stack.pop() else { return None };
                let target = stack.len().checked_sub(1 + *n as usize)?;
                return (stack.get(target) == Some(&Symbol::Redex)).then_some(field);
            }
            instr => pc = follow_move(instr, pc, &mut stack, arity)?,
        }
    }
}

/// Returns the position after an instruction that only moves items of the stack.
fn follow_move(instr: &Instr, pc: usize, stack: &mut Vec<Symbol>, arity: u32) -> Option<usize> {
    match instr {
        Instr::Push(n) => {
            let at = stack.len().checked_sub(1 + *n as usize)?;
            stack.push(*stack.get(at)?);
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
        // Forcing the field before it is returned changes nothing: whoever forces the thunk
        // forces the field.
        Instr::Eval => _ = stack.last()?,
        Instr::Jump(to) => return Some(to.0 as usize),
        _ => return None,
    }
    Some(pc + 1)
}
