//! How the operations on values reach the machine: from a store, and inside a host function.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::advice;
use super::names::Names;
use crate::base::code::Code;
use crate::base::source::{SourceFile, SourceMap};
use crate::core::lower::Partial;
use crate::gcode::program::Program;
use crate::machine::events::{Moment, NodeEvent, Probe};
use crate::machine::outcome::{Input, InputError, Output, OutputError, Stop, Waiting};
use crate::machine::{Clock, FileKind, Machine, System, SystemError};

/// What a panic carries.
type Payload = Box<dyn Any + Send>;

/// A token that only this module can make: an operation that asks for one cannot be called from
/// elsewhere.
pub struct Key(pub(super) ());

/// Hands out the machine. Outside of this crate nobody has a [`Key`] to ask with.
pub trait Access {
    /// Returns the machine, and what belongs to its store.
    #[doc(hidden)]
    fn session(&mut self, key: Key) -> Session<'_>;
}

/// A machine, and what belongs to its store.
pub struct Session<'a> {
    pub(super) machine: &'a mut dyn Machine,
    pub(super) shared: &'a Shared,
}

/// What a store shares with the calls of host functions that its machine makes.
#[derive(Default)]
pub(super) struct Shared {
    /// The texts that spans point into.
    sources: RwLock<Arc<SourceMap>>,
    /// What names mean.
    names: RwLock<Arc<Names>>,
    /// The cases that do not match all values.
    partial: RwLock<Vec<Partial>>,
    /// What is asked for, where that is known.
    asker: RwLock<Option<Waiting>>,
    /// A panic of the embedding program, on its way past the machine.
    panic: Mutex<Option<Payload>>,
}

impl Shared {
    pub(super) fn new(sources: Arc<SourceMap>, names: Arc<Names>) -> Shared {
        let (sources, names) = (RwLock::new(sources), RwLock::new(names));
        let (partial, asker) = (RwLock::default(), RwLock::default());
        Shared { sources, names, partial, asker, panic: Mutex::default() }
    }

    /// Sets what is asked for from now on.
    pub(super) fn set_asker(&self, asker: Option<Waiting>) {
        *self.asker.write().unwrap_or_else(PoisonError::into_inner) = asker;
    }

    /// Adds cases that do not match all values.
    pub(super) fn add_partial(&self, cases: &[Partial]) {
        self.partial.write().unwrap_or_else(PoisonError::into_inner).extend_from_slice(cases);
    }

    /// Says in a failure of a case which values it has no alternative for.
    fn name_missing(&self, stop: &mut Stop) {
        let Stop::Error(error) = stop else { return };
        if error.code != Code::NoAlternative || error.help.is_some() {
            return;
        }
        let cases = self.partial.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(case) = cases.iter().find(|case| case.span == error.span) {
            if case.is_nested {
                "this case has no alternative for a value that is this or has it in it"
                    .clone_into(&mut error.label);
            }
            error.help = Some(format!("add an alternative for {}, or one with `_`", case.missing));
        }
    }

    /// Returns the texts that spans point into.
    pub(super) fn sources(&self) -> Arc<SourceMap> {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds texts, where they stand in another map.
    pub(super) fn add_sources(&self, files: &[SourceFile]) {
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        let sources = Arc::make_mut(&mut sources);
        files.iter().for_each(|file| sources.share(file));
    }

    /// Returns what names mean.
    pub(super) fn names(&self) -> Arc<Names> {
        self.names.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what names mean.
    pub(super) fn change_names(&self, change: impl FnOnce(&mut Names)) {
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut names));
    }

    /// Calls what the embedding program has given. A panic in it does not unwind through the
    /// machine, which stops as for an interrupt (so all that was under evaluation stays
    /// evaluable); [`outcome`](Shared::outcome) goes on with it.
    pub(super) fn catch<R>(&self, call: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(result) => Some(result),
            Err(payload) => {
                let mut panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
                panic.get_or_insert(payload);
                None
            }
        }
    }

    /// Returns a clock whose panics do not unwind through the machine: then it is as late as can be.
    pub(super) fn guarded_clock(self: &Arc<Shared>, clock: Clock) -> Clock {
        let shared = self.clone();
        Arc::new(move || shared.catch(|| clock()).unwrap_or(Duration::MAX))
    }

    /// Goes on with a panic that was kept, if there is one.
    pub(super) fn resume(&self) {
        let panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }

    /// Returns what an evaluation has come to, once the machine has put itself in order: a panic
    /// that stopped it goes on, any other stop gets the place in the source where it was.
    pub(super) fn outcome<T>(&self, result: Result<T, Stop>) -> Result<T, Stop> {
        self.resume();
        result.map_err(|mut stop| {
            let sources = self.sources();
            let asker = self.asker.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(asker) = &*asker {
                advice::name_asker(&mut stop, &sources, asker);
            }
            stop.locate(&sources);
            advice::name_variant(&mut stop, &sources);
            self.name_missing(&mut stop);
            stop
        })
    }
}

/// An input whose panics do not unwind through the machine.
pub(super) struct GuardedInput {
    input: Box<dyn Input>,
    shared: Arc<Shared>,
    /// A panic of what cannot stop the machine: it is told where the next character is asked for.
    panic: Cell<Option<Payload>>,
}

impl GuardedInput {
    pub(super) fn new(input: Box<dyn Input>, shared: Arc<Shared>) -> GuardedInput {
        GuardedInput { input, shared, panic: Cell::new(None) }
    }

    /// Calls what may stop the machine, which a panic does.
    fn guarded<R>(
        &mut self,
        call: impl FnOnce(&mut dyn Input) -> Result<R, InputError>,
    ) -> Result<R, InputError> {
        let before = self.panic.take();
        let done = self.shared.catch(|| match before {
            Some(payload) => resume_unwind(payload),
            None => call(&mut *self.input),
        });
        done.unwrap_or_else(|| {
            let message = "the input panicked".to_owned();
            Err(InputError { code: Code::InputFailed, message })
        })
    }
}

/// Returns what `call` gives, or `otherwise` if it panics, or something has panicked before.
fn or_later<R>(panic: &Cell<Option<Payload>>, otherwise: R, call: impl FnOnce() -> R) -> R {
    let before = panic.take();
    if before.is_some() {
        panic.set(before);
        return otherwise;
    }
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        panic.set(Some(payload));
        otherwise
    })
}

impl Input for GuardedInput {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        self.guarded(|input| input.next())
    }

    fn is_ready(&self) -> bool {
        or_later(&self.panic, false, || self.input.is_ready())
    }

    fn take_ready(&mut self, into: &mut [char]) -> usize {
        or_later(&self.panic, 0, || self.input.take_ready(into))
    }

    fn read_bytes(&mut self, most: usize, into: &mut Vec<u8>) -> Result<(), InputError> {
        self.guarded(|input| input.read_bytes(most, into))
    }
}

/// An output whose panics do not unwind through the machine.
pub(super) struct GuardedOutput<'a> {
    pub(super) output: &'a mut dyn Output,
    pub(super) shared: &'a Shared,
}

impl GuardedOutput<'_> {
    fn guarded(
        &mut self,
        call: impl FnOnce(&mut dyn Output) -> Result<(), OutputError>,
    ) -> Result<(), OutputError> {
        let done = self.shared.catch(|| call(&mut *self.output));
        done.unwrap_or_else(|| {
            let message = "the output panicked".to_owned();
            Err(OutputError { kind: std::io::ErrorKind::Other, message })
        })
    }
}

impl Output for GuardedOutput<'_> {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.guarded(|output| output.write(text))
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.guarded(|output| output.write_bytes(bytes))
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.guarded(|output| output.flush())
    }

    fn write_error(&mut self, text: &str) -> Result<(), OutputError> {
        self.guarded(|output| output.write_error(text))
    }
}

/// A system whose panics do not unwind through the machine.
pub(super) struct GuardedSystem<S> {
    pub(super) system: S,
    pub(super) shared: Arc<Shared>,
}

impl<S: System> GuardedSystem<S> {
    fn guarded<T>(
        &mut self,
        call: impl FnOnce(&mut S) -> Result<T, SystemError>,
    ) -> Result<T, SystemError> {
        let GuardedSystem { system, shared } = self;
        shared.catch(|| call(system)).unwrap_or(Err(SystemError::Stopped))
    }
}

impl<S: System> System for GuardedSystem<S> {
    fn read(
        &mut self,
        path: &[u8],
        from: u64,
        most: u64,
        fits: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        self.guarded(|system| system.read(path, from, most, fits))
    }

    fn size(&mut self, path: &[u8]) -> Result<u64, SystemError> {
        self.guarded(|system| system.size(path))
    }

    fn kind(&mut self, path: &[u8]) -> Result<FileKind, SystemError> {
        self.guarded(|system| system.kind(path))
    }

    fn list(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, SystemError> {
        self.guarded(|system| system.list(path))
    }

    fn write(&mut self, path: &[u8], bytes: &[u8], appends: bool) -> Result<(), SystemError> {
        self.guarded(|system| system.write(path, bytes, appends))
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), SystemError> {
        self.guarded(|system| system.remove(path))
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), SystemError> {
        self.guarded(|system| system.rename(from, to))
    }

    fn make_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        self.guarded(|system| system.make_directory(path))
    }

    fn remove_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        self.guarded(|system| system.remove_directory(path))
    }

    fn variable(&mut self, name: &[u8]) -> Result<Option<Vec<u8>>, SystemError> {
        self.guarded(|system| system.variable(name))
    }

    fn wall_clock(&mut self) -> Result<Duration, SystemError> {
        self.guarded(System::wall_clock)
    }

    fn monotonic_clock(&mut self) -> Result<Duration, SystemError> {
        self.guarded(System::monotonic_clock)
    }

    fn random(&mut self, buffer: &mut [u8]) -> Result<(), SystemError> {
        self.guarded(|system| system.random(buffer))
    }
}

/// A probe whose panics do not unwind through the machine: what is evaluated goes on without it, and
/// then the panic does.
pub(super) struct GuardedProbe {
    pub(super) probe: Option<Box<dyn Probe + Send>>,
    pub(super) shared: Arc<Shared>,
}

impl Probe for GuardedProbe {
    fn event(&mut self, event: NodeEvent, moment: Moment, program: &Program) {
        let Some(mut probe) = self.probe.take() else { return };
        self.probe = self.shared.catch(|| {
            probe.event(event, moment, program);
            probe
        });
    }
}
