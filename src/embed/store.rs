//! A heap with its limits.

use std::sync::Arc;
use std::time::Duration;

use super::access::{
    Access, GuardedInput, GuardedOutput, GuardedProbe, GuardedSystem, Key, Session, Shared,
};
use super::define::Additions;
use super::engine::Limits;
use super::error::Error;
use super::eval::Value;
use super::module::{Module, StoreOptions};
use crate::base::source::EXPRESSION;
use crate::gcode::effect::{ACTION, ActionKind};
use crate::machine::costs::Costs;
use crate::machine::events::Probe;
use crate::machine::outcome::{Input, Output, Statistics, Stop, Waiting};
use crate::machine::print::Format;
use crate::machine::profile::Profile;
use crate::machine::{Clock, Coverage, Interrupt, Machine, Pauses, System, Whnf};

/// A heap in which a module's program is evaluated. It can move between threads; each store
/// is used by one at a time. What can be done with its values is in [`Eval`](super::Eval).
pub struct Store {
    pub(crate) machine: Box<dyn Machine>,
    pub(super) shared: Arc<Shared>,
    clock: Option<Clock>,
    pub(super) additions: Additions,
    /// How many host functions the machine knows.
    pub(super) hosts: usize,
}

impl Store {
    /// Returns an empty store for a module, with the limits of its engine.
    #[must_use]
    pub fn new(module: &Module) -> Store {
        Store::with(module, module.store_options())
    }

    /// Returns an empty store for a module, run in another way than its engine says.
    #[must_use]
    pub fn with(module: &Module, options: StoreOptions) -> Store {
        let time = options.limits.time;
        let (machine, shared) = module.machine(options);
        let mut store = Store {
            machine,
            shared,
            clock: module.clock(),
            additions: Additions::new(module.engine().clone(), module.origin().clone()),
            hosts: module.program().hosts.len(),
        };
        if time.is_some() {
            store.set_time_limit(time);
        }
        store
    }

    /// Evaluates and prints `main`, applied to `input` if it has a parameter. What was
    /// printed when it stops is ended by a newline and flushed.
    ///
    /// # Errors
    /// When it stops, or the module has no `main`.
    pub fn run_main(
        &mut self,
        input: Option<Box<dyn Input>>,
        output: &mut dyn Output,
        format: Format,
    ) -> Result<(), Stop> {
        let shared = &self.shared;
        let input = input
            .map(|input| -> Box<dyn Input> { Box::new(GuardedInput::new(input, shared.clone())) });
        let program = self.machine.program();
        let main = program.main.and_then(|main| program.globals.get(main));
        shared.set_asker(main.map(|main| {
            let name = main.display.clone().unwrap_or_else(|| "main".into());
            Waiting::new(name, program.place_of_value(main))
        }));
        let started = self.machine.start(format, input);
        let result = started.and_then(|()| {
            let result = self.machine.run(&mut GuardedOutput { output, shared });
            self.machine.abandon();
            result
        });
        let result = shared.outcome(result);
        shared.set_asker(None);
        result
    }

    /// Sets for which expression, of the text that was evaluated last, values are asked for from
    /// now on: it is what waits for them where nothing in it does.
    #[doc(hidden)]
    pub fn set_asker(&mut self, is_asked: bool) {
        let sources = self.shared.sources();
        let last = sources.files().iter().rev().find(|file| file.name == EXPRESSION);
        let asker = last.map(|file| Waiting::new(EXPRESSION.into(), file.span()));
        self.shared.set_asker(asker.filter(|_| is_asked));
    }

    /// Sets the arguments that programs find by the action `arguments`.
    pub fn set_arguments(&mut self, arguments: Vec<String>) {
        self.machine.set_arguments(arguments);
    }

    /// Gives the programs that are run files and whatever else `system` has: they have none without.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use gmachine::{Engine, Format, System, SystemError};
    ///
    /// /// A clock that stands, and nothing else.
    /// struct Noon;
    ///
    /// impl System for Noon {
    ///     fn wall_clock(&mut self) -> Result<Duration, SystemError> {
    ///         Ok(Duration::from_secs(12 * 3600))
    ///     }
    /// }
    ///
    /// let text = "(import io) (defn main[] (bind wallClock (fn [t] (printInt (div t 1000000000)))))";
    /// let mut store = Engine::new().compile("noon", text)?.store();
    /// let mut output = String::new();
    /// assert!(store.run_main(None, &mut output, Format::Default).is_err());
    /// store.set_system(Noon);
    /// store.run_main(None, &mut output, Format::Default)?;
    /// assert_eq!(output, "43200\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_system(&mut self, system: impl System + 'static) {
        let shared = self.shared.clone();
        self.machine.set_system(Box::new(GuardedSystem { system, shared }));
    }

    /// Performs an action, and returns its value, which need not be evaluated. What it writes is
    /// flushed at its end, and when it stops.
    ///
    /// ```
    /// use gmachine::{Engine, Eval};
    ///
    /// let text = "(defn greet[name] (bind (putText \"hello \") (fn [_] (putText name))))";
    /// let mut store = Engine::new().compile("greet", text)?.store();
    /// let (greet, name) = (store.global("greet")?, store.text("you")?);
    /// let action = store.call(&greet, &[name])?;
    /// let mut output = String::new();
    /// store.perform(&action, None, &mut output)?;
    /// assert_eq!(output, "hello you");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When it stops, by `exit` too. After a stop at a limit or for an interrupt it can
    /// [`go_on`](Store::go_on); performed again it would begin from the start.
    pub fn perform(
        &mut self,
        action: &Value,
        input: Option<Box<dyn Input>>,
        output: &mut dyn Output,
    ) -> Result<Value, Error> {
        let shared = &self.shared;
        let input = input
            .map(|input| -> Box<dyn Input> { Box::new(GuardedInput::new(input, shared.clone())) });
        self.machine.start_action(&action.0, input).ok_or(Error::ForeignValue)??;
        self.go_on(output)
    }

    /// Returns whether a value is an action, which can be [performed](Store::perform). Nothing is
    /// evaluated: what is not evaluated yet is none.
    ///
    /// # Errors
    /// [`Error::ForeignValue`].
    pub fn is_action(&mut self, value: &Value) -> Result<bool, Error> {
        if !self.machine.owns(&value.0) {
            return Err(Error::ForeignValue);
        }
        let Some(Whnf::Con(con, _)) = self.machine.whnf(&value.0) else { return Ok(false) };
        let program = self.machine.program();
        let Some(con) = program.cons.get(con) else { return Ok(false) };
        let is_of_actions = program.datas.get(con.data).is_some_and(|data| *data.symbol == *ACTION);
        let kind = ActionKind::of_tag(con.tag);
        Ok(is_of_actions && kind.is_some_and(ActionKind::is_action))
    }

    /// Goes on with the action that [`perform`](Store::perform) has begun and a limit or an
    /// interrupt has stopped, with the effect that comes next. Anything else that is evaluated in
    /// between gives it up.
    ///
    /// # Errors
    /// As `perform`; if there is nothing to go on with, [`Error::ForeignValue`].
    pub fn go_on(&mut self, output: &mut dyn Output) -> Result<Value, Error> {
        let shared = &self.shared;
        let result = self.machine.run(&mut GuardedOutput { output, shared });
        self.shared.outcome(result)?;
        let value = self.machine.take_value().ok_or(Error::ForeignValue)?;
        Ok(Value(value))
    }

    /// Evaluates a value as far as there is any, and prints it.
    ///
    /// # Errors
    /// When it stops.
    pub fn print(
        &mut self,
        value: &Value,
        format: Format,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let mut output = GuardedOutput { output, shared: &self.shared };
        let printed = self.machine.print_root(&value.0, format, &mut output);
        Ok(self.shared.outcome(printed.ok_or(Error::ForeignValue)?)?)
    }

    /// Returns a handle that stops an evaluation of this store from any thread.
    #[must_use]
    pub fn interrupt_handle(&self) -> Interrupt {
        self.machine.interrupt_handle()
    }

    /// Sets how many steps may be taken from now on; `None` for as many as it takes.
    pub fn set_fuel(&mut self, fuel: Option<u64>) {
        self.machine.set_fuel(fuel);
    }

    /// Changes the limit on memory, in bytes.
    pub fn set_heap_limit(&mut self, limit: Option<u64>) {
        self.machine.set_heap_limit(limit);
    }

    /// Allows so much time from now on; `None`: as much as it takes.
    pub fn set_time_limit(&mut self, limit: Option<Duration>) {
        let interrupt = self.machine.interrupt_handle();
        let clock = || match self.clock.clone() {
            Some(clock) => self.shared.guarded_clock(clock),
            None => Arc::new(|| Duration::MAX),
        };
        interrupt.set_deadline(limit.map(|limit| (limit, clock())));
        self.shared.resume();
    }

    /// Changes all limits; fuel and time count from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        let Limits { heap, fuel, time } = limits;
        self.set_heap_limit(heap);
        self.set_fuel(fuel);
        self.set_time_limit(time);
    }

    /// Returns the profile, if [`StoreOptions::sampler`] asked for one and the machine can.
    #[must_use]
    pub fn profile(&self) -> Option<&Profile> {
        self.machine.profile()
    }

    /// Returns what has been recorded of costs, if [`StoreOptions::costs`] asked for that and the
    /// machine can.
    #[must_use]
    pub fn costs(&self) -> Option<Costs> {
        self.machine.costs()
    }

    /// Tells a probe of the events of all that is evaluated from now on. Returns whether it does: the
    /// fast machine does, a reference machine is watched from outside
    /// ([`Watch`](crate::inspect::events::Watch)). What host functions evaluate is not told.
    pub fn listen(&mut self, probe: Box<dyn Probe + Send>) -> bool {
        let shared = self.shared.clone();
        self.machine.listen(Box::new(GuardedProbe { probe: Some(probe), shared }))
    }

    /// Returns the pauses for the collector, if [`StoreOptions::pauses`] asked for them and there
    /// is a clock.
    #[must_use]
    pub fn pauses(&self) -> Option<&Pauses> {
        self.machine.pauses()
    }

    /// Frees what no handle and no code still to run can reach. CAFs among it are evaluated
    /// anew if they are asked for again.
    pub fn collect(&mut self) {
        self.machine.collect();
    }

    /// Returns the number of bytes in use.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        self.machine.footprint()
    }

    /// Returns what the store's machine has been through since it was made: collections, stops, and
    /// instructions if [`Engine::set_count`](super::Engine::set_count) asked for them.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.machine.coverage()
    }

    /// Returns what has been counted since the store was made.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.machine.statistics()
    }
}

impl Access for Store {
    fn session(&mut self, _: Key) -> Session<'_> {
        Session { machine: &mut *self.machine, shared: &self.shared }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("machine", &self.machine).finish()
    }
}

impl Module {
    /// Returns a new store for it, with the limits of its engine.
    #[must_use]
    pub fn store(&self) -> Store {
        Store::new(self)
    }
}
