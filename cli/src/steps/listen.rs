//! Steps of the fast machine, which tells its events while it runs.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use gmachine::gcode::program::Program;
use gmachine::inspect::events::{Moment, NodeEvent, Probe};
use gmachine::{Format, Input, Interrupt, Output, Stop, Store};

use super::{Watcher, watched};
use crate::alloc;

/// How many events the machine is ahead of who prints them.
const AHEAD: usize = 1 << 10;

/// Hands events on, and stops the run when nobody takes them.
struct Sender {
    events: SyncSender<(NodeEvent, Moment)>,
    interrupt: Interrupt,
}

impl Probe for Sender {
    fn event(&mut self, event: NodeEvent, moment: Moment, _: &Program) {
        if self.events.send((event, moment)).is_err() {
            self.interrupt.interrupt();
        }
    }
}

/// Runs the program of a store to its end, or to the last step that is asked for.
pub fn run(
    mut store: Store,
    program: &Program,
    input: Box<dyn Input>,
    watcher: &mut Watcher<'_>,
    stdout: &mut dyn Output,
) -> Result<(), Stop> {
    let (events, receiver) = sync_channel(AHEAD);
    let interrupt = store.interrupt_handle();
    store.listen(Box::new(Sender { events, interrupt }));
    let (written, stopped) = std::thread::scope(|scope| {
        // The events end when the machine is gone.
        let running = std::thread::Builder::new().spawn_scoped(scope, move || {
            store.run_main(Some(input), &mut watched::Nowhere, Format::Default)
        });
        let Ok(running) = running else { alloc::out_of_memory(None) };
        let written = take(receiver, program, watcher, stdout);
        (written, running.join())
    });
    let enough = written?;
    // A panic goes on as one.
    let stopped = stopped.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    watcher.end(if enough { Ok(()) } else { stopped }, stdout)
}

/// Prints what comes. Returns whether the last step has come that is asked for.
fn take(
    events: Receiver<(NodeEvent, Moment)>,
    program: &Program,
    watcher: &mut Watcher<'_>,
    stdout: &mut dyn Output,
) -> Result<bool, Stop> {
    watcher.begin();
    for (event, moment) in events {
        watcher.event(event, moment, program);
        watcher.write(stdout)?;
        if watcher.is_past() {
            return Ok(true);
        }
    }
    Ok(false)
}
