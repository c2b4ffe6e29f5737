//! Exceptions: how a failure goes to the innermost `Try`, and how what was caught fails again.

use super::code::instr::{Arg, Base};
use super::code::program::ArgsId;
use super::stack::{Control, SLACK};
use super::state::Machine;
use crate::base::code::Code;
use crate::base::span::Span;
use crate::gcode::program::{GlobalId, NIL};
use crate::machine::failure::Failure;
use crate::machine::heap::word::Word;
use crate::machine::heap::{Kind, node_words};
use crate::machine::outcome::{Output, RunError, Stop, Thrown};
use crate::machine::world::{Trace, exception};

impl Machine {
    /// Executes instructions until an evaluation ends. A failure of the program goes to the
    /// innermost `Try` of the evaluation; what is written goes to `out`, if there is one.
    ///
    /// # Errors
    /// When something else stops it, or nothing tries.
    pub(super) fn go_on(&mut self, mut out: Option<&mut dyn Output>) -> Result<(), Stop> {
        loop {
            match self.go() {
                Ok(()) if std::mem::take(&mut self.world.is_due) => {
                    if let Some(out) = &mut out {
                        self.world.write(*out).map_err(Stop::Output)?;
                    }
                }
                Err(Stop::Error(error)) if self.mutator.image.actions.is_some() => {
                    if !self.tries() {
                        self.world.answer = None;
                        return Err(Stop::Error(error));
                    }
                    self.deliver(*error)?;
                    self.world.answer = None;
                }
                result => return result,
            }
        }
    }

    /// Evaluates a word, as far as the program does not fail.
    pub(super) fn try_to(&mut self, base: Base, a: Arg) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_sub(1);
        if self.ticks == 0 {
            return self.tick_and_retry(None);
        }
        self.stack_check(base.0 as usize + 2 + SLACK)?;
        let word = self.arg(a);
        self.world.performing.evaluates(self.depth(), self.source_thunk(word));
        let at = self.at() + super::image::STRIDE;
        // SAFETY: room was made.
        unsafe {
            let to = self.fp.0.add(base.0 as usize);
            self.fp.0 = Control::Try { at, base: base.0 }.push(to);
        }
        self.set_slot(0, word);
        self.pc.0 = self.instr(self.mutator.image.enter);
        Ok(())
    }

    /// Calls a global, as far as the program does not fail.
    pub(super) fn try_call(
        &mut self,
        base: Base,
        global: GlobalId,
        args: ArgsId,
    ) -> Result<(), Stop> {
        let depth = self.depth();
        self.enter_global(base, global, args, |at, base| Control::Try { at, base })?;
        if self.depth() > depth {
            self.world.performing.evaluates(depth, None);
        }
        Ok(())
    }

    /// Returns the expression that a thunk of the source stands for, and the definition where it
    /// is, if a word leads to one.
    fn source_thunk(&self, word: Word) -> Option<(Span, GlobalId)> {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        // SAFETY: what is not evaluated leads to a node.
        if word.is_evaluated() || unsafe { self.heap.header(word) }.kind() != Kind::Thunk {
            return None;
        }
        let thunk = self.thunk(word)?;
        (!thunk.span.is_none()).then_some((thunk.span, thunk.owner))
    }

    /// Calls `visit` with each control word from the top down to the innermost `Try` or stop, and
    /// where it ends; returns that one.
    fn control_words(&self, mut visit: impl FnMut(Control, *mut Word)) -> (Control, *mut Word) {
        let mut end = self.fp.0;
        loop {
            // SAFETY: a control word ends where each frame, and each control word, begins; the
            // lowest one is a stop.
            let mut control = unsafe { Control::read(end) };
            if let (Control::Mark, Some((_, word))) = (control, self.mutator.mark) {
                // SAFETY: the second word of two stays where it is, below the first.
                let lower = unsafe { *end.sub(2) };
                // SAFETY: two words.
                control = unsafe { Control::read([lower, word].as_ptr().add(2)) };
            }
            if let Control::Try { .. } | Control::Stop { .. } = control {
                return (control, end);
            }
            visit(control, end);
            // SAFETY: what a control word spans is in the stack.
            end = unsafe { end.sub(control.span()) };
        }
    }

    /// Returns whether a `Try` of the evaluation waits.
    fn tries(&self) -> bool {
        matches!(self.control_words(|_, _| {}), (Control::Try { .. }, _))
    }

    /// Gives the exception to the innermost `Try`, where the program has failed; the thunks under
    /// evaluation fail again from now on.
    #[cold]
    #[inline(never)]
    fn deliver(&mut self, mut error: RunError) -> Result<(), Stop> {
        let thrown = error.thrown.take().map(|Thrown(value)| value);
        let actions = self.actions();
        let exception = exception(self, actions, thrown, error)?;
        self.reserve(node_words(1))?;
        let exception = self.mutator.handles.get(&exception).unwrap_or(Word::con(NIL));
        let again = self.mutator.image.again;
        // SAFETY: room was made sure of.
        let again = unsafe { self.heap.alloc(Kind::Thunk, again.0, &[exception]) };
        self.counts.thunks_made += 1;
        // Without a mark the stack can be unwound.
        self.mutator.clear_mark();
        let mut thunks = Vec::new();
        let (control, end) = self.control_words(|control, end| match control {
            Control::Update(thunk) => thunks.push(thunk),
            Control::Evaluate { slot, .. } => {
                // SAFETY: the frame that it spans has the slot.
                thunks.push(unsafe { *end.sub(control.span()).add(slot as usize) });
            }
            _ => {}
        });
        for thunk in thunks {
            // SAFETY: a thunk under evaluation is no value.
            unsafe { self.heap.update(thunk, again) };
        }
        let Control::Try { at, .. } = control else {
            unreachable!("it was looked for before, and nothing has run since")
        };
        // SAFETY: the value takes the place of the control word, which spans what is above the
        // frame below.
        unsafe {
            *end.sub(1) = exception;
            self.fp.0 = end.sub(control.span());
        }
        self.pc.0 = self.instr(at);
        // Where the stack is clean is noted anew, from here down.
        self.mutator.fp.0 = self.fp.0;
        self.mutator.clean = self.mutator.clean.min(self.depth());
        self.mutator.set_mark();
        Ok(())
    }

    pub(super) fn throw(&mut self, value: Word) -> Stop {
        let found = self.thrown(value);
        let thrown = Some(Thrown(self.mutator.handle(value)));
        match self.fail(Failure::thrown(&found)) {
            Stop::Error(error) => Stop::Error(Box::new(RunError { thrown, ..*error })),
            stop => stop,
        }
    }

    pub(super) fn fail_again(&mut self, value: Word, trace: Word) -> Stop {
        let known = self.as_opaque(trace).and_then(|known| known.value.downcast_ref());
        let Some(Trace(error)) = known else {
            return self.fail(Failure::no_exception(&self.describe(trace)));
        };
        let mut error = error.clone();
        if error.code == Code::Uncaught {
            // A handler may say in other words what it was.
            error.message = Failure::thrown(&self.thrown(value)).message();
        }
        if error.was_thrown() {
            error.thrown = Some(Thrown(self.mutator.handle(value)));
        }
        Stop::Error(Box::new(error))
    }
}
