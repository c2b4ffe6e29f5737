//! Effects on the system (files, clocks and the like), as both machines do them.
//!
//! The machines differ in where the operands are and in how they make room. What is asked when, how
//! often, and what is kept of an answer that there is no room for, is said here once.

use super::failure::Failure;
use super::handles::Handle;
use super::interface::Machine;
use super::outcome::Stop;
use super::system::{Answer, Operand, Outside, SystemError, asked, subject};
use super::world::{Kept, World};
use crate::gcode::effect::Effect;
use crate::primitive::Primitive;

/// Why there is no room for what the system gives.
#[derive(Debug)]
pub(in crate::machine) enum Refused {
    /// So many bytes do not fit.
    Room(u64),
    /// An interrupt, or a limit on time.
    Stop(Stop),
}

/// A machine that asks its system.
pub(in crate::machine) trait Asking: Machine + Sized {
    /// Where the operands of an effect are.
    type Operands: Copy;

    /// Returns the operands of a primitive that acts on the system.
    ///
    /// # Errors
    /// When one of them is no value of its kind.
    fn operands_for_system(
        &self,
        primitive: Primitive,
        operands: Self::Operands,
    ) -> Result<Vec<Operand<'_>>, Stop>;

    /// Returns what effects change outside of the heap.
    fn world(&mut self) -> &mut World;

    /// Returns the answer that is kept, if any.
    fn kept(&self) -> Option<&Kept>;

    /// Returns whether so many bytes outside of the nodes stay within the limit on memory.
    fn has_room(&self, bytes: u64) -> bool;

    /// Collects, so that there is room for so many bytes if there can be.
    ///
    /// # Errors
    /// When there cannot.
    fn make_room(&mut self, bytes: u64) -> Result<(), Stop>;

    /// Checks whether the run is to stop.
    ///
    /// # Errors
    /// After an interrupt or at the limit on time.
    fn poll(&self) -> Result<(), Stop>;

    /// Returns what stops a run that somebody has asked to stop.
    fn interrupted(&self) -> Stop;

    /// Returns what stops a run that has no room.
    fn no_room(&self) -> Stop;

    /// Returns what stops an evaluation that fails.
    fn failed(&self, failure: Failure) -> Stop;

    /// Performs an effect on the system. What it has answered is kept if no value can be made of
    /// it, or if the evaluation fails and there is no room for its exception: when the effect is
    /// done again, the system is not asked again.
    ///
    /// # Errors
    /// When it fails, or something is used up. Then nothing has changed.
    fn system_effect(&mut self, effect: Effect, operands: Self::Operands) -> Result<Handle, Stop> {
        let Some(primitive) = effect.primitive() else {
            unreachable!("what acts on the system is a primitive of the language")
        };
        let is_kept = match self.kept() {
            Some(kept) => {
                kept.asked == asked(effect, &self.operands_for_system(primitive, operands)?)
            }
            None => false,
        };
        let answer = match self.world().answer.take_if(|_| is_kept) {
            Some(kept) => kept.answer,
            None => self.ask(effect, primitive, operands)?,
        };
        let value = match &answer {
            Ok(answer) => answer.value(self),
            Err(failure) => Err(self.failed(failure.clone())),
        };
        if value.is_err() {
            let asked = asked(effect, &self.operands_for_system(primitive, operands)?);
            self.world().answer = Some(Kept { asked, answer });
        }
        value
    }

    /// Asks the system. If there is no room for its answer, once more after a collection.
    ///
    /// # Errors
    /// When the run is to stop, or there is no room. That the system refuses is an answer.
    fn ask(
        &mut self,
        effect: Effect,
        primitive: Primitive,
        operands: Self::Operands,
    ) -> Result<Result<Answer, Failure>, Stop> {
        let mut system = std::mem::take(&mut self.world().system);
        let mut collected_for = 0;
        let answer = loop {
            let mut refused = None;
            let answer = self.ask_once(&mut system, effect, primitive, operands, &mut refused);
            match refused {
                None => break answer,
                Some(Refused::Stop(stop)) => break Err(stop),
                Some(Refused::Room(bytes)) if bytes > collected_for => {
                    collected_for = bytes;
                    if let Err(stop) = self.make_room(bytes) {
                        break Err(stop);
                    }
                }
                Some(Refused::Room(_)) => break Err(self.no_room()),
            }
        };
        self.world().system = system;
        answer
    }

    /// Asks the system. What has refused its answer, if anything has, is in `refused`.
    ///
    /// # Errors
    /// When the run is to stop.
    fn ask_once(
        &self,
        system: &mut Outside,
        effect: Effect,
        primitive: Primitive,
        operands: Self::Operands,
        refused: &mut Option<Refused>,
    ) -> Result<Result<Answer, Failure>, Stop> {
        let operands = self.operands_for_system(primitive, operands)?;
        let mut fits = |len: usize| {
            // It is there twice for a moment.
            let bytes = (len as u64).saturating_mul(2);
            *refused = match self.poll() {
                Err(stop) => Some(Refused::Stop(stop)),
                Ok(()) if self.has_room(bytes) => None,
                Ok(()) => Some(Refused::Room(bytes)),
            };
            refused.is_none()
        };
        match system.ask(effect, &operands, &mut fits) {
            Err(SystemError::Stopped) => Err(self.interrupted()),
            Err(error) => Ok(Err(Failure::of_system(primitive.name(), subject(&operands), &error))),
            Ok(answer) => Ok(Ok(answer)),
        }
    }
}
