//! Programs that are actions: where the value of a program has been evaluated, how the run goes on.

use super::state::Machine;
use crate::base::code::Code;
use crate::gcode::effect::{ActionCon, ActionKind};
use crate::machine::failure::Failure;
use crate::machine::heap::word::Word;
use crate::machine::heap::{Kind, node_words};
use crate::machine::outcome::{Output, Stop};
use crate::machine::threads::{Next, Threads};
use crate::machine::world::Mode;

impl Machine {
    /// Goes on with an action, where a value that is to be performed or printed has been evaluated
    /// and is one. Returns whether it is: if not, the value is to be printed.
    ///
    /// # Errors
    /// When the output takes no more, or memory is used up.
    pub(super) fn performed(&mut self, out: &mut dyn Output) -> Result<bool, Stop> {
        let Some(actions) = self.mutator.image.actions else {
            if self.mode == Mode::Perform {
                let found = self.mutator.printing.last().copied().unwrap_or(Word::NOTHING);
                // SAFETY: it is a word of the heap.
                let found = unsafe { self.heap.resolve(found) };
                return Err(self.fail(Failure::no_action(&self.describe(found))));
            }
            self.mode = Mode::Print;
            return Ok(false);
        };
        self.reserve(3 * node_words(2))?;
        let word = self.mutator.printing.last().copied().unwrap_or(Word::NOTHING);
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        // SAFETY: what has fields is a node.
        let field = |machine: &Machine, at| unsafe { machine.heap.field(word, at) };
        let kind = self.action_kind(word);
        let (action, then) = match (self.mode, kind) {
            _ if self.world.program.chosen().is_some() => self.chosen(actions)?,
            (_, Some(ActionKind::Con(ActionCon::Done))) => {
                self.world.write(out).map_err(Stop::Output)?;
                if !self.world.program.is_main() {
                    self.world.program.ended();
                    self.chosen(actions)?
                } else {
                    let value = field(self, 0);
                    self.value = Some(self.mutator.handle(value));
                    self.mutator.printing.pop();
                    self.world.program = Threads::default();
                    return Ok(true);
                }
            }
            (_, Some(ActionKind::Con(ActionCon::Ended))) => {
                // SAFETY: it is a word of the heap.
                let exception = unsafe { self.heap.resolve(field(self, 0)) };
                let exception = self.as_con(exception);
                let fields = exception.map_or_else(Vec::new, |(_, fields)| fields);
                let (value, trace) = match fields[..] {
                    [value, .., trace] => (value, trace),
                    _ => (Word::ZERO, Word::ZERO),
                };
                match self.fail_again(value, trace) {
                    Stop::Error(error) if error.code == Code::ThrownTo => {}
                    stop => return Err(stop),
                }
                self.world.write(out).map_err(Stop::Output)?;
                self.world.program.ended();
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Parked))) => {
                self.world.write(out).map_err(Stop::Output)?;
                let then = self.mutator.handle(field(self, 0));
                self.world.performing.park(self.world.program.current());
                self.world.program.switch(then);
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Yield))) => {
                self.world.write(out).map_err(Stop::Output)?;
                if self.world.program.is_over() {
                    let action = self.mutator.handle(field(self, 0));
                    let then = self.mutator.handle(field(self, 1));
                    self.world.program.yields(Next::Perform(action));
                    self.world.performing.park(self.world.program.current());
                    self.world.program.switch(then);
                    self.chosen(actions)?
                } else {
                    (field(self, 0), field(self, 1))
                }
            }
            (Mode::Main, kind) if kind.is_none_or(|kind| !kind.is_action()) => {
                self.mode = Mode::Print;
                return Ok(false);
            }
            _ => {
                self.mode = Mode::Perform;
                (word, Word::con(actions.con(ActionCon::ThenDone)))
            }
        };
        let apply = self.mutator.image.apply;
        let perform = match actions.perform_in_turns {
            Some(perform) if self.world.program.is_forked() => perform,
            _ => actions.perform,
        };
        let mut function = Word::function(perform);
        for argument in [action, then, Word::ZERO] {
            self.counts.thunks_made += 1;
            // SAFETY: room was made sure of.
            function = unsafe { self.heap.alloc(Kind::Thunk, apply.0, &[function, argument]) };
        }
        if let Some(top) = self.mutator.printing.last_mut() {
            *top = function;
        }
        Ok(true)
    }
}
