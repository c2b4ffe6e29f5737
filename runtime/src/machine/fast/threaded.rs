//! Threaded code (see `run.rs`): a function for each instruction, each of which ends in a jump to
//! the next one's.

use super::code::instr::{Instr, Op, number, with_instructions};
use super::executor::{Executor, Next, Pool, node_at};
use super::probe::Unwatched;
use super::short::{NOT_DONE, Registers};
use super::state::Machine;
use crate::machine::heap::Kind;
use crate::machine::heap::word::Word;
use crate::machine::outcome::Stop;

/// What executes an instruction and those after it, with the machine, its instruction and frame and
/// the program's constants. It returns where to go on, or that the run ends ([`NOT_DONE`]).
///
/// So few words are passed in registers, and leave others free. The address of no local is given
/// away, and nothing is left to do after the call of the next one: so it is a jump.
type Handler = unsafe fn(&mut Machine, *const Instr, *mut Word, Pool) -> Registers;

macro_rules! handlers {
    ($($name:ident)+) => { [$(handler::<{ number::$name }>),+] };
}

static HANDLERS: [Handler; Op::ALL.len()] = with_instructions!(handlers);

/// Executes instructions until an evaluation ends, or what was written is due.
///
/// # Errors
/// When something stops it. The registers are at the instruction that could not be executed.
pub(super) fn run(machine: &mut Machine) -> Result<(), Stop> {
    // What the registers point into.
    let _image = machine.mutator.image.clone();
    let Executor { machine, mut pc, mut fp, consts, .. } = Executor::new(machine, Unwatched);
    while !pc.is_null() {
        // SAFETY: the registers are at an instruction of the program, and its frame.
        (pc, fp) = unsafe { dispatch(machine, pc, fp, consts) };
    }
    machine.stopped.take().map_or(Ok(()), Err)
}

/// Jumps to the instruction at `pc`.
///
/// # Safety
/// It is one of the machine's program, of which the others are parts; `fp` is its frame.
#[inline(always)]
unsafe fn dispatch(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
) -> Registers {
    // SAFETY: there is a handler for each instruction; the rest is the caller's promise.
    unsafe {
        let handler = *HANDLERS.get_unchecked((*pc).op() as usize);
        handler(machine, pc, fp, consts)
    }
}

/// Executes the instruction at `pc`, of the number `OP`, and goes on.
///
/// # Safety
/// As [`dispatch`].
unsafe fn handler<const OP: u8>(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
) -> Registers {
    let mut executor = Executor { machine, probe: Unwatched, pc, fp, consts };
    // SAFETY: the caller's promise; `execute` leaves the registers at an instruction and its frame.
    unsafe {
        let next = executor.execute::<OP>();
        let Executor { machine, pc, fp, .. } = executor;
        match next {
            Next::Done => dispatch(machine, pc, fp, consts),
            Next::Force(slot) => force(machine, pc, fp, consts, slot),
            Next::ForceEither(a, b) => force_either(machine, pc, fp, consts, a, b),
            Next::Enter(word) => enter(machine, pc, fp, consts, word),
            Next::Apply => apply(machine, pc, fp, consts),
            Next::Return(value) => update(machine, pc, fp, consts, value),
            Next::General => general(machine, pc, fp),
            Next::Halt => {
                (machine.pc.0, machine.fp.0) = (pc, fp);
                NOT_DONE
            }
        }
    }
}

/// Forces an operand, and goes on.
///
/// # Safety
/// As [`dispatch`]; the slot is written.
#[inline(never)]
unsafe fn force(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    slot: u32,
) -> Registers {
    // SAFETY: the caller's promise; a word that is not evaluated leads to a node.
    unsafe {
        let place = fp.add(slot as usize);
        let word = *place;
        // By itself, because it needs few registers.
        if !word.is_evaluated()
            && let (header, fields) = node_at(word)
            && header.kind() == Kind::Ind
            && (*fields).is_evaluated()
        {
            *place = *fields;
            return dispatch(machine, pc, fp, consts);
        }
        force_thunk(machine, pc, fp, consts, slot)
    }
}

/// Forces, as [`force`] does, what is no indirection to a value.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe fn force_thunk(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    slot: u32,
) -> Registers {
    // SAFETY: the caller's promise.
    unsafe {
        match machine.force_at(pc, fp, slot) {
            (next, _) if next.is_null() => general(machine, pc, fp),
            (next, frame) => dispatch(machine, next, frame, consts),
        }
    }
}

/// Forces the first of two operands that is not evaluated, and goes on.
///
/// # Safety
/// As [`dispatch`]; the slots are written.
#[inline(never)]
unsafe fn force_either(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    a: u32,
    b: u32,
) -> Registers {
    // SAFETY: the caller's promise.
    unsafe {
        let is_evaluated = (*fp.add(a as usize)).is_evaluated();
        force(machine, pc, fp, consts, if is_evaluated { b } else { a })
    }
}

/// Enters a word in place of the frame.
///
/// # Safety
/// As [`dispatch`], for an instruction that returns the value of `word`, which is not evaluated.
#[inline(never)]
unsafe fn enter(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    word: Word,
) -> Registers {
    // SAFETY: the caller's promise.
    unsafe {
        match machine.enter_at(fp, word) {
            (next, _) if next.is_null() => general(machine, pc, fp),
            (next, frame) => dispatch(machine, next, frame, consts),
        }
    }
}

/// Applies what is no function as it stands, and goes on.
///
/// # Safety
/// As [`dispatch`], for an instruction that applies what only the run knows.
#[inline(never)]
unsafe fn apply(machine: &mut Machine, pc: *const Instr, fp: *mut Word, consts: Pool) -> Registers {
    // SAFETY: the caller's promise.
    unsafe {
        match machine.apply_held(pc, fp, consts) {
            (next, _) if next.is_null() => general(machine, pc, fp),
            (next, frame) => dispatch(machine, next, frame, consts),
        }
    }
}

/// Updates the thunks that wait for a value, and goes on.
///
/// # Safety
/// As [`dispatch`], for an instruction that returns `value`, which is evaluated.
#[inline(never)]
unsafe fn update(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    value: Word,
) -> Registers {
    let mut executor = Executor { machine, probe: Unwatched, pc, fp, consts };
    // By itself, because it needs few registers.
    let is_done = executor.update_young(value);
    let Executor { machine, pc, fp, .. } = executor;
    // SAFETY: the caller's promise; the registers are where the value is needed, or unchanged.
    unsafe {
        match is_done {
            true => dispatch(machine, pc, fp, consts),
            false => update_all(machine, pc, fp, consts, value),
        }
    }
}

/// Updates, as [`update`] does, whatever waits.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe fn update_all(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    value: Word,
) -> Registers {
    let mut executor = Executor { machine, probe: Unwatched, pc, fp, consts };
    let next = executor.update(value);
    let Executor { machine, pc, fp, .. } = executor;
    // SAFETY: the caller's promise; the registers are where the value is needed.
    unsafe {
        match next {
            Next::Done => dispatch(machine, pc, fp, consts),
            _ => return_value(machine, pc, fp, value),
        }
    }
}

/// Executes an instruction by its slow path. The next one is executed by who has called the first
/// handler: so the calls are not nested where they are no jumps.
///
/// # Safety
/// As [`dispatch`].
#[cold]
#[inline(never)]
unsafe fn general(machine: &mut Machine, pc: *const Instr, fp: *mut Word) -> Registers {
    (machine.pc.0, machine.fp.0) = (pc, fp);
    let result = machine.general();
    after(machine, result)
}

/// Returns a value to what is neither a frame nor a thunk.
///
/// # Safety
/// As [`dispatch`]; `value` is in weak head normal form.
#[cold]
#[inline(never)]
unsafe fn return_value(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    value: Word,
) -> Registers {
    (machine.pc.0, machine.fp.0) = (pc, fp);
    let result = machine.return_value(value);
    after(machine, result)
}

/// Returns where to go on after something that may have stopped the run, or written.
fn after(machine: &mut Machine, result: Result<(), Stop>) -> Registers {
    match result {
        Ok(()) if machine.world.is_due => NOT_DONE,
        Ok(()) => (machine.pc.0, machine.fp.0),
        Err(stop) => {
            machine.stopped = Some(stop);
            NOT_DONE
        }
    }
}
