//! The interface of a machine: what an embedder and the command do with one, whichever it is.

use std::fmt::Debug;
use std::sync::Arc;

use super::costs::Costs;
use super::coverage::Coverage;
use super::events::Probe;
use super::handles::Handle;
use super::host::Hosts;
use super::interrupt::Interrupt;
use super::opaque::Opaque;
use super::outcome::{Input, Output, Statistics, Stop};
use super::pauses::Pauses;
use super::print::Format;
use super::profile::Profile;
use super::system::System;
use super::whnf::Whnf;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::Verified;
use crate::gcode::link::{Addition, LinkError, Linked};
use crate::gcode::program::{ConId, GlobalId};

/// A machine: a verified program, a heap, and limits.
///
/// A [`Handle`] is a handle on a value of one machine; to every other machine it is *foreign*,
/// and an operation that is given one does nothing and answers `None`.
///
/// Every machine gives the same values, prints the same and fails where the others fail; of
/// several failures that an expression has, it tells of the one that it meets first. What it
/// counts, and how soon it reaches a limit on memory or fuel, is its own.
pub trait Machine: Debug + Send {
    /// Gets ready to print `main`, which is applied to `input` if it has a parameter (to an
    /// empty input if there is none). A run that was under way is abandoned.
    ///
    /// # Errors
    /// Without a `main`, with one of two or more parameters, or when memory is used up.
    fn start(&mut self, format: Format, input: Option<Box<dyn Input>>) -> Result<(), Stop>;

    /// Runs until what was started is printed, ends its line and flushes. After a stop for a
    /// limit or an interrupt it goes on from there when it is called again.
    ///
    /// # Errors
    /// When it stops before. What is printed by then is ended by a newline and flushed.
    fn run(&mut self, out: &mut dyn Output) -> Result<(), Stop>;

    /// Gets ready to perform an action, as `start` does with `main`. `None` if the handle is
    /// foreign, or inside a call of a host function.
    ///
    /// # Errors
    /// When memory is used up.
    fn start_action(
        &mut self,
        root: &Handle,
        input: Option<Box<dyn Input>>,
    ) -> Option<Result<(), Stop>>;

    /// Returns the value of the action that was performed last, once.
    fn take_value(&mut self) -> Option<Handle>;

    /// Sets the arguments that programs find.
    fn set_arguments(&mut self, arguments: Vec<String>);

    /// Sets the system that actions reach beyond the streams: files and the like. Without one all
    /// of that is refused.
    fn set_system(&mut self, system: Box<dyn System>);

    /// Gives up a run that is under way. What it was evaluating is left evaluable.
    fn abandon(&mut self);

    /// Prints a value as [`run`](Machine::run) prints `main`. A run that was under way is
    /// abandoned. `None` if the handle is foreign, or inside a call of a host function.
    ///
    /// # Errors
    /// When the evaluation stops.
    fn print_root(
        &mut self,
        handle: &Handle,
        format: Format,
        out: &mut dyn Output,
    ) -> Option<Result<(), Stop>>;

    /// Evaluates a value to weak head normal form. Outside of a host function a run that is
    /// under way is abandoned. `None` if the handle is foreign.
    ///
    /// # Errors
    /// When the evaluation stops: what it was evaluating is left evaluable. Inside of more than
    /// [`HOST_DEPTH`](super::host::HOST_DEPTH) calls of host functions always.
    fn force(&mut self, handle: &Handle) -> Option<Result<(), Stop>>;

    /// Returns whether a handle is one of this machine's.
    #[must_use]
    fn owns(&self, handle: &Handle) -> bool;

    /// Returns what a value is; `None` if it is not evaluated, or the handle is foreign.
    fn whnf(&mut self, handle: &Handle) -> Option<Whnf>;

    /// Returns the source expression that a value is to be computed from, if it is not evaluated
    /// and that is known; none otherwise.
    #[must_use]
    fn origin(&self, handle: &Handle) -> Span;

    /// Returns a handle on the value of a global.
    ///
    /// # Errors
    /// When memory is used up.
    fn global_handle(&mut self, global: GlobalId) -> Result<Handle, Stop>;

    /// Returns a new integer.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_int(&mut self, value: Integer) -> Result<Handle, Stop>;

    /// Returns a new float.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_float(&mut self, value: Float) -> Result<Handle, Stop>;

    /// Returns a new character.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_char(&mut self, value: char) -> Result<Handle, Stop>;

    /// Returns a new list of characters.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_text(&mut self, text: &str) -> Result<Handle, Stop>;

    /// Returns a new constructor; `None` if a field is foreign, or their number is not the
    /// constructor's.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_con(&mut self, con: ConId, fields: &[Handle]) -> Option<Result<Handle, Stop>>;

    /// Returns a value of the embedding program. It is dropped when a full collection finds that
    /// the program cannot reach it any more, or with the machine.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_opaque(&mut self, value: Opaque) -> Result<Handle, Stop>;

    /// Returns the list of these elements; `None` if one is foreign.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_list(&mut self, items: &[Handle]) -> Option<Result<Handle, Stop>>;

    /// Returns an array of these elements; `None` if one is foreign.
    ///
    /// # Errors
    /// When memory is used up, or an array has not so many elements.
    fn new_array(&mut self, elements: &[Handle]) -> Option<Result<Handle, Stop>>;

    /// Returns a byte string.
    ///
    /// # Errors
    /// When memory is used up.
    fn new_bytes(&mut self, bytes: &[u8]) -> Result<Handle, Stop>;

    /// Returns an application, not evaluated; `None` if a handle is foreign.
    ///
    /// # Errors
    /// When memory is used up.
    fn apply(&mut self, function: &Handle, args: &[Handle]) -> Option<Result<Handle, Stop>>;

    /// Returns the program.
    #[must_use]
    fn program(&self) -> &Verified;

    /// Adds definitions to the program. A run that was under way is abandoned; everything else is
    /// as it was: what was evaluated stays so, and what was stopped can go on.
    ///
    /// Takes time in proportion to what is added; the first time, to the program.
    ///
    /// # Errors
    /// When the verifier refuses them, there is too much of something, or inside a call of a host
    /// function. Then the program is as it was.
    fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError>;

    /// Gives it the functions that `CallHost` calls.
    fn set_hosts(&mut self, hosts: Arc<dyn Hosts>);

    /// Sets how many steps may be taken from now on; `None` for as many as it takes.
    fn set_fuel(&mut self, fuel: Option<u64>);

    /// Changes the limit on memory, in bytes; `None`: what the system gives.
    fn set_heap_limit(&mut self, limit: Option<u64>);

    /// Returns the handle that stops it from outside.
    #[must_use]
    fn interrupt_handle(&self) -> Interrupt;

    /// Collects all that neither a run under way, a handle nor code still to run can reach.
    fn collect(&mut self);

    /// Tells a probe of the events of all that is run from now on, and returns whether it does. A
    /// reference machine does not: it is watched from outside, by a
    /// [`Watch`](super::reference::Watch). What host functions evaluate is told of only as far as it
    /// is born or dies.
    fn listen(&mut self, probe: Box<dyn Probe + Send>) -> bool {
        drop(probe);
        false
    }

    /// Returns the bytes in use: heap, big integers, stack.
    #[must_use]
    fn footprint(&self) -> u64;

    /// Returns the profile, if [`Config::sampler`](super::Config) asks for one and the machine can.
    #[must_use]
    fn profile(&self) -> Option<&Profile> {
        None
    }

    /// Returns what the run costs, if [`Config::costs`](super::Config) asks for that and the
    /// machine can.
    #[must_use]
    fn costs(&self) -> Option<Costs> {
        None
    }

    /// Returns the pauses for the collector, if [`Config::clock`](super::Config) times them.
    #[must_use]
    fn pauses(&self) -> Option<&Pauses>;

    /// Returns what it has been through since it was made.
    #[must_use]
    fn coverage(&self) -> Coverage;

    /// Returns what has been counted since it was made.
    #[must_use]
    fn statistics(&self) -> Statistics;
}
