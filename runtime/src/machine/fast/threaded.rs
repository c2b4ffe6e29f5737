//! Threaded code (see `run.rs`): a function for each instruction, each of which ends in a jump to
//! the next one's.

use super::code::instr::{Instr, Op, number, with_instructions};
use super::executor::{Executor, Next, Pool, node_at};
use super::image::STRIDE;
use super::probe::Unwatched;
use super::state::Machine;
use crate::machine::heap::Kind;
use crate::machine::heap::word::Word;
use crate::machine::outcome::Stop;

/// What executes an instruction and those after it, with the machine, its instruction and frame and
/// the program's constants. It returns whether to go on, at the machine's registers.
///
/// So few words are passed in registers, and leave others free. The address of no local is given
/// away, and nothing is left to do after the call of the next one: so it is a jump. It is a function of
/// C, whose registers are known: native code is such a one.
pub(super) type Handler =
    unsafe extern "C-unwind" fn(&mut Machine, *const Instr, *mut Word, Pool) -> bool;

macro_rules! handlers {
    ($($name:ident)+) => { [$(handler::<{ number::$name }, false>),+] };
}

static HANDLERS: [Handler; Op::ALL.len()] = with_instructions!(handlers);

#[cfg(gmachine_native)]
macro_rules! bridges {
    ($($name:ident)+) => { [$(handler::<{ number::$name }, true>),+] };
}

/// What executes an instruction that native code leaves, and goes on in native code.
#[cfg(gmachine_native)]
static BRIDGES: [Handler; Op::ALL.len()] = with_instructions!(bridges);

/// Returns what native code leaves an instruction to. Where no jump can be relied on, that is who called
/// it.
#[cfg(gmachine_native)]
pub(super) fn bridge(op: Op) -> Handler {
    if super::run::THREADED { BRIDGES[op as usize] } else { leave }
}

/// Leaves native code before an instruction.
#[cfg(gmachine_native)]
unsafe extern "C-unwind" fn leave(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    _: Pool,
) -> bool {
    (machine.pc.0, machine.fp.0) = (pc, fp);
    true
}

/// Executes instructions until an evaluation ends, or what was written is due.
///
/// # Errors
/// When something stops it. The registers are at the instruction that could not be executed.
pub(super) fn run(machine: &mut Machine) -> Result<(), Stop> {
    // What the registers point into.
    let _image = machine.mutator.image.clone();
    let Executor { machine, consts, .. } = Executor::new(machine, Unwatched);
    let mut goes_on = true;
    while goes_on {
        // SAFETY: the registers are at an instruction of the program, and its frame.
        goes_on = unsafe { resume(machine, machine.pc.0, machine.fp.0, consts) };
    }
    machine.stopped.take().map_or(Ok(()), Err)
}

/// Jumps to the instruction at `pc`.
///
/// # Safety
/// It is one of the machine's program, of which the others are parts; `fp` is its frame.
#[inline(always)]
unsafe fn dispatch(machine: &mut Machine, pc: *const Instr, fp: *mut Word, consts: Pool) -> bool {
    // SAFETY: there is a handler for each instruction; the rest is the caller's promise.
    unsafe {
        let handler = *HANDLERS.get_unchecked((*pc).op() as usize);
        handler(machine, pc, fp, consts)
    }
}

/// Jumps to the instruction at `pc`, in native code if there is some.
///
/// # Safety
/// As [`dispatch`].
#[inline(always)]
unsafe fn resume(machine: &mut Machine, pc: *const Instr, fp: *mut Word, consts: Pool) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match native_at(machine, pc) {
            Some(code) => code(machine, pc, fp, consts),
            None => dispatch(machine, pc, fp, consts),
        }
    }
}

/// Returns the native code of the instruction at `pc`, if there is some.
///
/// # Safety
/// The instruction is one of the machine's program.
#[inline(always)]
pub(super) unsafe fn native_at(machine: &Machine, pc: *const Instr) -> Option<Handler> {
    if machine.native_table.0.is_null() {
        return None;
    }
    let index = (pc.addr() - machine.code.0.addr()) / STRIDE as usize;
    // SAFETY: the table has the address of the code of each instruction, which is called as a handler is.
    unsafe {
        let code: *const () = std::ptr::with_exposed_provenance(*machine.native_table.0.add(index));
        Some(std::mem::transmute::<*const (), Handler>(code))
    }
}

/// Executes the instruction at `pc`, of the number `OP`, and goes on.
///
/// # Safety
/// As [`dispatch`].
unsafe extern "C-unwind" fn handler<const OP: u8, const NATIVE: bool>(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
) -> bool {
    let mut executor = Executor { machine, probe: Unwatched, pc, fp, consts };
    // SAFETY: the caller's promise; `execute` leaves the registers at an instruction and its frame.
    unsafe {
        let next = executor.execute::<OP>();
        let Executor { machine, pc, fp, .. } = executor;
        match next {
            Next::Done if NATIVE => resume(machine, pc, fp, consts),
            Next::Done => dispatch(machine, pc, fp, consts),
            Next::Force(slot) => force(machine, pc, fp, consts, slot),
            Next::ForceEither(a, b) => force_either(machine, pc, fp, consts, a, b),
            Next::Enter(word) => enter(machine, pc, fp, consts, word),
            Next::Apply => apply(machine, pc, fp, consts),
            Next::Return(value) => update(machine, pc, fp, consts, value),
            Next::General => general(machine, pc, fp),
            Next::Halt => {
                (machine.pc.0, machine.fp.0) = (pc, fp);
                false
            }
        }
    }
}

/// Forces an operand, and goes on.
///
/// # Safety
/// As [`dispatch`]; the slot is written.
#[inline(never)]
unsafe extern "C-unwind" fn force(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    slot: u32,
) -> bool {
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
            return resume(machine, pc, fp, consts);
        }
        force_thunk(machine, pc, fp, consts, slot)
    }
}

/// Forces, as [`force`] does, what is no indirection to a value.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe extern "C-unwind" fn force_thunk(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    slot: u32,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match machine.force_at(pc, fp, slot) {
            (next, _) if next.is_null() => general(machine, pc, fp),
            (next, frame) => resume(machine, next, frame, consts),
        }
    }
}

/// Forces the first of two operands that is not evaluated, and goes on.
///
/// # Safety
/// As [`dispatch`]; the slots are written.
#[inline(never)]
unsafe extern "C-unwind" fn force_either(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    a: u32,
    b: u32,
) -> bool {
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
unsafe extern "C-unwind" fn enter(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    word: Word,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match machine.enter_at(fp, word) {
            (next, _) if next.is_null() => general(machine, pc, fp),
            (next, frame) => resume(machine, next, frame, consts),
        }
    }
}

/// Applies what is no function as it stands, and goes on.
///
/// # Safety
/// As [`dispatch`], for an instruction that applies what only the run knows.
#[inline(never)]
unsafe extern "C-unwind" fn apply(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match machine.apply_held(pc, fp, consts) {
            (next, _) if next.is_null() => general(machine, pc, fp),
            (next, frame) => resume(machine, next, frame, consts),
        }
    }
}

/// Updates the thunks that wait for a value, and goes on.
///
/// # Safety
/// As [`dispatch`], for an instruction that returns `value`, which is evaluated.
#[inline(never)]
unsafe extern "C-unwind" fn update(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    value: Word,
) -> bool {
    let mut executor = Executor { machine, probe: Unwatched, pc, fp, consts };
    // By itself, because it needs few registers.
    let is_done = executor.update_young(value);
    let Executor { machine, pc, fp, .. } = executor;
    // SAFETY: the caller's promise; the registers are where the value is needed, or unchanged.
    unsafe {
        match is_done {
            true => resume(machine, pc, fp, consts),
            false => update_all(machine, pc, fp, consts, value),
        }
    }
}

/// Updates, as [`update`] does, whatever waits.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe extern "C-unwind" fn update_all(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    consts: Pool,
    value: Word,
) -> bool {
    let mut executor = Executor { machine, probe: Unwatched, pc, fp, consts };
    let next = executor.update(value);
    let Executor { machine, pc, fp, .. } = executor;
    // SAFETY: the caller's promise; the registers are where the value is needed.
    unsafe {
        match next {
            Next::Done => resume(machine, pc, fp, consts),
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
unsafe extern "C-unwind" fn general(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
) -> bool {
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
unsafe extern "C-unwind" fn return_value(
    machine: &mut Machine,
    pc: *const Instr,
    fp: *mut Word,
    value: Word,
) -> bool {
    (machine.pc.0, machine.fp.0) = (pc, fp);
    let result = machine.return_value(value);
    after(machine, result)
}

/// Returns whether to go on after something that may have stopped the run, or written.
fn after(machine: &mut Machine, result: Result<(), Stop>) -> bool {
    match result {
        Ok(()) => !machine.world.is_due,
        Err(stop) => {
            machine.stopped = Some(stop);
            false
        }
    }
}
