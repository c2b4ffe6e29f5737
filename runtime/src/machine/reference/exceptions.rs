//! Exceptions: the rule `Try`, how a failure goes to the innermost one, and how what was caught fails
//! again.

use super::code::Code;
use super::heap::node::{Addr, Node, Site};
use super::state::{Frame, Machine, NO_REDEX};
use crate::base::code::Code as ErrorCode;
use crate::gcode::instr::Instr;
use crate::machine::failure::Failure;
use crate::machine::outcome::{RunError, Stop, Thrown};
use crate::machine::world::{Trace, exception};

impl Machine {
    /// Executes `Try`, which is `Eval` for an action: a failure comes back as a value.
    pub(super) fn try_to(&mut self) -> Result<(), Stop> {
        let origin = match self.heap.get(self.heap.value(self.item(0))) {
            Node::App { site, .. } => self.code.site_global(*site).map(|of| (*site, of)),
            _ => None,
        };
        let origin = origin.map(|(site, of)| (self.code.site_place(site), of));
        let origin = origin.filter(|(span, _)| !span.is_none());
        self.world.performing.evaluates(self.dump.len(), origin);
        self.eval()
    }

    /// Gives the exception to the innermost `Try` that waits, where the program has failed; the
    /// redexes under evaluation fail again from now on.
    ///
    /// # Errors
    /// With the stop itself, if it is no failure or nothing tries; when memory is used up.
    pub(super) fn handle(&mut self, code: &Code, stop: Stop) -> Result<(), Stop> {
        let Stop::Error(error) = stop else { return Err(stop) };
        let Some(actions) = code.actions else { return Err(Stop::Error(error)) };
        let Some(depth) = self.innermost_try(code) else {
            self.world.answer = None;
            return Err(Stop::Error(error));
        };
        let mut error = *error;
        let thrown = error.thrown.take().map(|Thrown(value)| value);
        let exception = exception(self, actions, thrown, error)?;
        self.reserve(2, 0)?;
        let exception = self.handles.get(&exception).unwrap_or(Addr::NONE);
        let fun = self.global_node(actions.fail_again);
        let again = self.heap.alloc(Node::App { fun, arg: exception, site: Site::NONE });
        let here = Frame { at: self.at, base: self.base, redex: self.redex };
        let above = self.dump.get(depth + 1..).unwrap_or_default();
        let frames: Vec<Frame> = above.iter().copied().chain([here]).collect();
        for frame in &frames {
            if frame.redex != NO_REDEX
                && let Some(&redex) = self.stack.get(frame.redex as usize)
            {
                self.heap.set(redex, Node::Ind(again));
            }
        }
        let base = frames.first().map_or(self.base, |frame| frame.base);
        if let Some(&frame) = self.dump.get(depth) {
            self.stack.truncate(base as usize);
            self.stack.push(exception);
            self.dump.truncate(depth);
            (self.at, self.base, self.redex) = (frame.at.next(), frame.base, frame.redex);
            self.unwinding = false;
        }
        self.world.answer = None;
        Ok(())
    }

    /// Returns the frame of the innermost `Try` that waits, within the call of the machine's own
    /// code.
    fn innermost_try(&self, code: &Code) -> Option<usize> {
        for (depth, frame) in self.dump.iter().enumerate().rev() {
            if matches!(code.instr(frame.at), Some(Instr::Try)) {
                return Some(depth);
            }
            if frame.at.is_boot() {
                return None;
            }
        }
        None
    }

    pub(super) fn throw(&mut self) -> Stop {
        let value = self.item(0);
        let found = self.thrown(value);
        let thrown = Some(Thrown(self.handles.add(value)));
        match self.fail(Failure::thrown(&found)) {
            Stop::Error(error) => Stop::Error(Box::new(RunError { thrown, ..*error })),
            stop => stop,
        }
    }

    /// Returns the failure of throwing again the value on top of the stack, below which is what is
    /// known of its failure.
    pub(super) fn fail_again(&mut self) -> Stop {
        self.fails_again(self.item(0), self.item(1))
    }

    /// Returns how a value fails that was thrown, or the code of a failure, with what is known of
    /// it.
    pub(super) fn fails_again(&mut self, value: Addr, trace: Addr) -> Stop {
        let known = match self.heap.get(self.heap.value(trace)) {
            Node::Opaque(number) => self.opaques.get(*number),
            _ => None,
        };
        let Some(Trace(error)) = known.and_then(|known| known.value.downcast_ref()) else {
            return self.fail(Failure::no_exception(&self.describe(trace)));
        };
        let mut error = error.clone();
        if error.code == ErrorCode::Uncaught {
            // A handler may say in other words what it was.
            error.message = Failure::thrown(&self.thrown(value)).message();
        }
        if error.was_thrown() {
            error.thrown = Some(Thrown(self.handles.add(value)));
        }
        Stop::Error(Box::new(error))
    }
}
