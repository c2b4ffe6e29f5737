//! Programs that are actions: where the value of a program has been evaluated, how the run goes on.

use super::heap::node::{Node, Site};
use super::state::Machine;
use crate::base::code::Code;
use crate::gcode::effect::{ActionCon, ActionKind};
use crate::machine::failure::Failure;
use crate::machine::handles::Handle;
use crate::machine::outcome::{Input, Output, Stop};
use crate::machine::print::Format;
use crate::machine::threads::{Next, Threads};
use crate::machine::world::Mode;

impl Machine {
    /// Gets ready to perform an action. `None` if the handle belongs to another machine, or inside
    /// a call of a host function.
    pub(super) fn start_action(
        &mut self,
        root: &Handle,
        input: Option<Box<dyn Input>>,
    ) -> Option<Result<(), Stop>> {
        self.handles.get(root)?;
        if self.nesting > 0 {
            return None;
        }
        self.abandon();
        if let Err(stop) = self.stack_check(1) {
            return Some(Err(stop));
        }
        let addr = self.handles.get(root)?;
        self.begin_print(addr, Format::Default);
        self.input = input;
        self.world.start_action();
        self.mode = Mode::Perform;
        self.value = None;
        Some(Ok(()))
    }

    /// Goes on with an action, where a value that is to be performed or printed has been evaluated
    /// and is one. Returns whether it is: if not, the value is to be printed.
    ///
    /// # Errors
    /// When the output takes no more, or memory is used up.
    pub(super) fn performed(&mut self, out: &mut dyn Output) -> Result<bool, Stop> {
        if self.mode == Mode::Print {
            return Ok(false);
        }
        let Some(actions) = self.code.actions else {
            if self.mode == Mode::Perform {
                let found = self.describe(self.item(0));
                return Err(self.fail(Failure::no_action(&found)));
            }
            self.mode = Mode::Print;
            return Ok(false);
        };
        self.stack_check(3)?;
        self.reserve(8, 0)?;
        let value = self.heap.value(self.item(0));
        let fields = |machine: &Machine| {
            machine.heap.get(value).as_constr().map_or(Vec::new(), |(_, fields)| fields.to_vec())
        };
        let (action, then) = match (self.mode, self.action_kind(value)) {
            _ if self.world.program.chosen().is_some() => self.chosen(actions)?,
            (_, Some(ActionKind::Con(ActionCon::Done))) => {
                self.world.write(out).map_err(Stop::Output)?;
                if !self.world.program.is_main() {
                    self.world.program.ended();
                    self.chosen(actions)?
                } else {
                    let fields = fields(self);
                    self.value = fields.first().map(|&value| self.handles.add(value));
                    self.stack.pop();
                    self.at = self.at.next();
                    self.world.program = Threads::default();
                    return Ok(true);
                }
            }
            (_, Some(ActionKind::Con(ActionCon::Ended))) => {
                let exception = fields(self).first().map(|&of| self.heap.value(of));
                let fields = exception.and_then(|of| self.heap.get(of).as_constr());
                let (value, trace) = match fields {
                    Some((_, &[value, .., trace])) => (value, trace),
                    _ => (value, value),
                };
                match self.fails_again(value, trace) {
                    Stop::Error(error) if error.code == Code::ThrownTo => {}
                    stop => return Err(stop),
                }
                self.world.write(out).map_err(Stop::Output)?;
                self.world.program.ended();
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Parked))) => {
                self.world.write(out).map_err(Stop::Output)?;
                let [then] = fields(self)[..] else { return Ok(false) };
                let then = self.handles.add(then);
                self.world.performing.park(self.world.program.current());
                self.world.program.switch(then);
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Yield))) => {
                self.world.write(out).map_err(Stop::Output)?;
                let [action, then] = fields(self)[..] else { return Ok(false) };
                if self.world.program.is_over() {
                    let (action, then) = (self.handles.add(action), self.handles.add(then));
                    self.world.program.yields(Next::Perform(action));
                    self.world.performing.park(self.world.program.current());
                    self.world.program.switch(then);
                    self.chosen(actions)?
                } else {
                    (action, then)
                }
            }
            (Mode::Main, kind) if kind.is_none_or(|kind| !kind.is_action()) => {
                self.mode = Mode::Print;
                return Ok(false);
            }
            _ => {
                self.mode = Mode::Perform;
                let end = actions.con(ActionCon::ThenDone);
                (value, self.heap.alloc(Node::constr(end, &[])))
            }
        };
        let thread = self.heap.alloc(Node::Int(0));
        let perform = match actions.perform_in_turns {
            Some(perform) if self.world.program.is_forked() => perform,
            _ => actions.perform,
        };
        let mut fun = self.global_node(perform);
        for arg in [action, then, thread] {
            fun = self.heap.alloc(Node::App { fun, arg, site: Site::NONE });
        }
        self.replace(1, fun);
        self.at = self.at.to(self.at.pc.saturating_sub(1));
        Ok(true)
    }
}
