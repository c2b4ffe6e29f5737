//! Host functions: the rule that calls them, and evaluation inside a call.

use super::code::{Code, Position};
use super::heap::node::{Addr, Node};
use super::state::{Frame, Machine, NO_REDEX};
use crate::base::stack::ensure_sufficient_stack;
use crate::gcode::instr::Instr;
use crate::gcode::program::HostId;
use crate::machine::failure::{FOREIGN, Failure};
use crate::machine::handles::Handle;
use crate::machine::host::{HOST_DEPTH, HostFailure};
use crate::machine::outcome::{Output, OutputError, Stop};

/// An output for evaluations that print nothing.
struct Nothing;

impl Output for Nothing {
    fn write(&mut self, _: &str) -> Result<(), OutputError> {
        Ok(())
    }
    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

impl Machine {
    /// `<CallHost f : i, a1 : .. : an : s, d, h>  =>  <i, a : s, d, h[a: f a1 .. an]>`
    pub(super) fn call_host(&mut self, host: HostId) -> Result<(), Stop> {
        let entry = self.code.program.hosts.get(host);
        let (name, arity) = entry.map_or(("?".into(), 0), |h| (h.name.clone(), h.arity as usize));
        self.stack_check(1)?;
        let Some(hosts) = self.hosts.clone() else {
            return Err(self.fail(Failure::host_missing(&name)));
        };
        let args: Vec<Handle> = (0..arity).map(|n| self.handles.add(self.item(n))).collect();
        self.nesting += 1;
        let result = ensure_sufficient_stack(|| hosts.call(self, host, &args));
        self.nesting -= 1;
        let failed = |why: &str| self.fail(Failure::host_failed(&name, why));
        let value = match result {
            Ok(handle) => self.handles.get(&handle),
            Err(HostFailure::Stopped(stop)) => return Err(stop),
            Err(HostFailure::Failed(why)) => return Err(failed(&why)),
        };
        let Some(value) = value else {
            return Err(failed(FOREIGN));
        };
        self.replace(arity, value);
        Ok(())
    }

    /// Evaluates a value to weak head normal form. A handle of another machine is an error
    /// of the caller: `None`. Outside of a host function a run that is under way is abandoned.
    ///
    /// # Errors
    /// When the evaluation stops. What it was evaluating is left evaluable.
    pub fn force(&mut self, handle: &Handle) -> Option<Result<(), Stop>> {
        self.handles.get(handle)?;
        if self.nesting == 0 {
            self.abandon();
        }
        Some(self.force_known(handle))
    }

    fn force_known(&mut self, handle: &Handle) -> Result<(), Stop> {
        if self.nesting > HOST_DEPTH {
            return Err(self.fail(Failure::host_depth()));
        }
        self.stack_check(1)?;
        self.dump_room()?;
        // After the room is made: a collection may have shortened the chain to the value.
        let addr = self.handles.get(handle).unwrap_or(Addr::NONE);
        let caller = Frame { at: self.at, base: self.base, redex: self.redex };
        self.dump.push(caller);
        let depth = self.dump.len();
        self.base = self.stack.len() as u32;
        self.redex = NO_REDEX;
        self.at = Position::start(Position::FORCE);
        self.stack.push(addr);
        let result = self.resume().and_then(|()| self.go(&mut Nothing));
        if result.is_err() {
            self.freeze(depth);
        }
        self.stack.truncate(self.base as usize);
        self.dump.truncate(depth - 1);
        (self.at, self.base, self.redex) = (caller.at, caller.base, caller.redex);
        self.unwinding = false;
        result
    }

    /// Goes back to where the evaluation of the item on top was stopped, if it was. This takes
    /// no fuel: it was paid for before. So an evaluation that is stopped again and again gets
    /// on, however little fuel it is given at a time and however deep it is.
    fn resume(&mut self) -> Result<(), Stop> {
        let code = self.code.clone();
        loop {
            for _ in 0..self.permitted(&code)? {
                if !self.leads_back(&code) {
                    return Ok(());
                }
                self.advance(&code, &mut Nothing)?;
                if let Some((_, end)) = &mut self.fuel {
                    *end = end.saturating_add(1);
                }
            }
        }
    }

    /// Returns whether the next rule only finds what is to be evaluated next: each of these was
    /// executed before the evaluation was stopped, or changes nothing that stays.
    fn leads_back(&self, code: &Code) -> bool {
        if !self.unwinding {
            return matches!(code.instr(self.at), Some(Instr::Eval | Instr::Try));
        }
        let node = self.heap.get(self.item(0));
        matches!(node, Node::App { .. } | Node::Ind(_) | Node::Suspended { .. })
    }

    /// Freezes all evaluations above the `depth` first frames of the dump, and goes back to
    /// the `Eval` of boot code that waits for them.
    pub(super) fn freeze(&mut self, depth: usize) {
        let Some(&boot) = self.dump.get(depth) else { return };
        let here = Frame { at: self.at, base: self.base, redex: self.redex };
        // What the boot code waits for stays on the stack; its slot may be a redex too.
        let waits = self.dump.get(depth + 1).unwrap_or(&here).base as usize;
        // The smaller part of the stack is copied: a deep one leaves as a whole.
        let (frozen, shift) = if waits < self.stack.len() / 2 {
            let below = self.stack[..=waits].to_vec();
            (std::mem::replace(&mut self.stack, below), 0)
        } else {
            let above = self.stack[waits..].to_vec();
            self.stack.truncate(waits + 1);
            (above, waits as u32)
        };
        let mut frames: Vec<Frame> = if depth < self.dump.len() / 2 {
            let below = self.dump[..depth].to_vec();
            let mut all = std::mem::replace(&mut self.dump, below);
            all.drain(..depth);
            all
        } else {
            self.dump.drain(depth..).collect()
        };
        // The frame of the boot code makes room for the present one.
        frames.rotate_left(1);
        if let Some(last) = frames.last_mut() {
            *last = here;
        }
        for frame in &mut frames {
            frame.base -= shift;
            if frame.redex != NO_REDEX {
                frame.redex -= shift;
            }
        }
        self.frozen.freeze(&mut self.heap, frozen, frames);
        (self.at, self.base, self.redex) = (boot.at, boot.base, boot.redex);
        self.unwinding = false;
        self.count_side();
    }
}
