//! What executes instructions, one after another, until an evaluation ends or something stops it.
//!
//! There are two ways, with the same arms (`execute.rs`):
//!
//! - *Threaded code* (`threaded.rs`; Bell, *Threaded code*, 1973): each instruction is a function whose
//!   last act is to call the next one's, with the registers as arguments. LLVM makes a jump of such
//!   a call where it optimises, so registers stay in the processor's, and each instruction has an
//!   indirect jump of its own, which is predicted by itself.
//! - A *loop*, for runs that somebody listens to, and where no jump can be relied on.

use super::code::instr::{Op, number, with_instructions};
use super::executor::{Executor, Next};
use super::probe::{Probe, Unwatched, Watch};
use super::short::NOT_DONE;
use super::state::Machine;
use super::threaded::{self, native_at};
use crate::machine::heap::word::Word;
use crate::machine::outcome::Stop;

/// Whether the compiler makes a jump of a call that is the last act of a function. Rust promises
/// nothing; LLVM does it where it optimises, and the build script says whether it does enough. With
/// assertions functions have locals whose addresses they give away, which keeps calls from being
/// jumps. `tests/release/run` is the check.
pub(super) const THREADED: bool = cfg!(all(gmachine_threaded, not(debug_assertions)));

impl Machine {
    /// Executes instructions until an evaluation ends, or what was written [is due](World::is_due).
    ///
    /// # Errors
    /// When something stops it. The registers are at the instruction that could not be executed.
    pub(super) fn go(&mut self) -> Result<(), Stop> {
        if self.count {
            return self.go_counted();
        }
        if THREADED { threaded::run(self) } else { self.instructions(Unwatched) }
    }

    /// Executes instructions as [`go`](Machine::go) does, where they are counted.
    #[cold]
    fn go_counted(&mut self) -> Result<(), Stop> {
        if let Some(mut listener) = self.listener.take() {
            let waiting = listener.waiting();
            let result = self.instructions(Watch::Events(&mut listener));
            listener.ended(self, waiting);
            self.listener = Some(listener);
            return result;
        }
        let Some(mut counters) = self.take_counters() else {
            return self.instructions(Watch::Instructions);
        };
        let result = self.instructions(Watch::Profile(&mut counters));
        self.give_counters(counters);
        result
    }

    /// Executes instructions in a loop.
    fn instructions<P: Probe>(&mut self, probe: P) -> Result<(), Stop> {
        // What the registers point into.
        let _image = self.mutator.image.clone();
        let mut executor = Executor::new(self, probe);
        loop {
            if !P::ACTIVE {
                executor.native();
            }
            // SAFETY: `pc` is at an instruction.
            let op = unsafe { &*executor.pc }.op();
            if P::ACTIVE {
                executor.tell(op);
            }
            macro_rules! execute {
                ($($name:ident)+) => {
                    match op {
                        // SAFETY: it is this instruction.
                        $(Op::$name => unsafe { executor.execute::<{ number::$name }>() },)+
                    }
                };
            }
            let next = with_instructions!(execute);
            if matches!(next, Next::Done) {
                continue;
            }
            if matches!(next, Next::Halt) {
                executor.leave();
                return Ok(());
            }
            executor.see_to(next)?;
            if executor.machine.world.is_due {
                executor.leave();
                return Ok(());
            }
        }
    }
}

impl<P: Probe> Executor<'_, P> {
    /// Tells the probe that an instruction is executed.
    #[inline(always)]
    fn tell(&mut self, op: Op) {
        self.machine.counts.instructions += 1;
        let base = self.machine.mutator.stack.base().addr();
        let depth = ((self.fp.addr() - base) / size_of::<Word>()) as u64;
        let at = self.offset(self.pc);
        self.probe.executed(self.machine, at, op, depth);
    }

    /// Executes native code, if there is some, up to an instruction that it leaves.
    fn native(&mut self) {
        // SAFETY: the registers are at an instruction of the program, and its frame.
        unsafe {
            let Some(code) = native_at(self.machine, self.pc) else { return };
            code(self.machine, self.pc, self.fp, self.consts);
        }
        (self.pc, self.fp) = (self.machine.pc.0, self.machine.fp.0);
    }

    /// Stores the registers in the machine.
    fn leave(&mut self) {
        (self.machine.pc.0, self.machine.fp.0) = (self.pc, self.fp);
    }

    /// Supplies what an instruction lacks.
    fn see_to(&mut self, mut next: Next) -> Result<(), Stop> {
        if let Next::Return(value) = next {
            next = self.update(value);
            if matches!(next, Next::Done) {
                return Ok(());
            }
        }
        let entered = self.machine.counts.thunks_entered;
        // SAFETY: the registers are the instruction and its frame, in which operands are written.
        let (pc, fp) = unsafe {
            match next {
                Next::Force(slot) => self.machine.force_at(self.pc, self.fp, slot),
                Next::ForceEither(a, b) => self.machine.force_either(self.pc, self.fp, a, b),
                Next::Enter(word) => self.machine.enter_at(self.fp, word),
                Next::Apply => self.machine.apply_held(self.pc, self.fp, self.consts),
                _ => NOT_DONE,
            }
        };
        if !pc.is_null() {
            (self.pc, self.fp) = (pc, fp);
            if P::ACTIVE && matches!(next, Next::Apply) {
                self.probe.applied(self.offset(pc));
            }
            if P::ACTIVE && self.machine.counts.thunks_entered != entered {
                self.machine.fp.0 = fp;
                self.probe.entered(self.machine);
            }
            return Ok(());
        }
        self.leave();
        if P::ACTIVE && self.returns(next) {
            self.probe.expect_updates(self.machine);
        }
        let before = self.probe.before(self.machine);
        let result = match next {
            Next::Return(value) => self.machine.return_value(value),
            _ => self.machine.general(),
        };
        self.probe.after(self.machine, &before);
        (self.pc, self.fp) = (self.machine.pc.0, self.machine.fp.0);
        result
    }

    /// Returns whether what is done may return a value, and so update thunks.
    fn returns(&self, next: Next) -> bool {
        // SAFETY: `pc` is at an instruction.
        let op = unsafe { &*self.pc }.op();
        matches!(next, Next::Return(_))
            || matches!(
                op,
                Op::Return
                    | Op::Enter
                    | Op::TailApply1
                    | Op::TailApply2
                    | Op::TailApply3
                    | Op::TailApplyN
            )
    }
}
