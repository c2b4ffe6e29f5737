//! A program of actions on both machines: it leaves the same world behind as a plain interpreter
//! says, stopped between any two steps, refused room, or with streams that fail.

mod make;

use std::io::ErrorKind;

use gmachine::base::code::Code;
use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Input, InputError, Limit, Output, OutputError, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, Refusal, Stress};
use gmachine::optimise::Passes;
pub use make::program;

use crate::common::{Faults, Memory, compiled_after, machine, names, native};
use crate::dice::Dice;
use crate::differential::loaded;
use crate::ends::End;
use crate::oracle;
use crate::parity::{HEAP, fuel, mode, passes};
use crate::tally::Tally;

/// What standard input is, for programs by their numbers.
const INPUTS: [&str; 5] = ["", "input\n of two lines", "a\n", "\n\n x\nend\n", "one\r\ntwo λ"];

/// Steps of the interpreter.
const STEPS: u64 = 60_000;

/// Instructions of the reference machine: far more than those steps can be.
const FUEL: u64 = 8_000_000;

/// What a run has written to both streams, and how it ended. Blanks are left out: where a run
/// stops its line is ended.
#[derive(Clone, PartialEq, Eq, Debug)]
struct World {
    written: String,
    end: End,
    /// The code of the error, or the exit status.
    code: Option<String>,
}

impl World {
    fn of(written: &str, end: End, code: Option<String>) -> World {
        World { written: written.split_whitespace().collect(), end, code }
    }
}

/// What comes before each character that is written as a message.
const MESSAGE: char = oracle::MESSAGE;

/// Both streams, in the order in which they are written, with room for so many bytes.
struct Streams {
    written: String,
    room: usize,
    /// Whether something found no room.
    is_full: bool,
}

impl Streams {
    fn new(room: usize) -> Streams {
        Streams { written: String::new(), room, is_full: false }
    }

    fn put(&mut self, text: &str, before: Option<char>) -> Result<(), OutputError> {
        for c in text.chars() {
            self.is_full |= self.room < c.len_utf8();
            self.room = self.room.checked_sub(c.len_utf8()).ok_or_else(|| OutputError {
                kind: ErrorKind::StorageFull,
                message: "full".to_owned(),
            })?;
            self.written.extend(before);
            self.written.push(c);
        }
        Ok(())
    }
}

impl Output for Streams {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.put(text, None)
    }

    fn write_error(&mut self, text: &str) -> Result<(), OutputError> {
        self.put(text, Some(MESSAGE))
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// An input that ends, or fails for ever, after its characters.
struct Reader {
    text: std::vec::IntoIter<char>,
    fails: bool,
}

impl Input for Reader {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        match self.text.next() {
            None if self.fails => {
                Err(InputError { code: Code::InputFailed, message: "torn".to_owned() })
            }
            next => Ok(next),
        }
    }
}

fn reader(text: &str, fails_after: Option<usize>) -> Option<Box<dyn Input>> {
    let length = fails_after.unwrap_or(usize::MAX);
    let text: Vec<char> = text.chars().take(length).collect();
    Some(Box::new(Reader { text: text.into_iter(), fails: fails_after.is_some() }))
}

/// Returns what a program does by the interpreter.
fn told(text: &str, input: &str, faults: Faults) -> World {
    let mut out = String::new();
    let system = Memory::new(faults);
    let end = match oracle::run_seen(loaded(text), input, system, STEPS, &mut out) {
        Ok(()) => End::Value,
        Err(oracle::Stop::Error) => End::Error,
        Err(oracle::Stop::Fuel) => End::Fuel,
    };
    World::of(&out, end, None)
}

/// Returns what a run has left; what must not happen is an error.
fn left(written: &str, ended: Result<(), Stop>) -> Result<World, String> {
    Ok(match ended {
        Ok(()) => World::of(written, End::Value, None),
        Err(Stop::Exit(status)) => World::of(written, End::Value, Some(status.to_string())),
        Err(Stop::Error(error)) => World::of(written, End::Error, Some(error.code.to_string())),
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => {
            World::of(written, End::Fuel, None)
        }
        Err(stop) => return Err(format!("it stopped: {stop}")),
    })
}

/// How a program is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// At once.
    Once,
    /// In pieces of so many reductions.
    Pieces(u64),
    /// Interrupted after so many reductions, once.
    Interrupted(u64),
    /// The request for room after so many others is refused.
    Refused(u64),
    /// The output takes so many bytes.
    Full(usize),
    /// The input fails after so many characters.
    Torn(usize),
    /// Given up after so many reductions, and begun anew.
    Anew(u64),
}

/// How often a run is stopped at most before it may go on to its end.
const STOPS: u64 = 300;

struct Run<'a> {
    machine: Box<dyn Machine>,
    input: &'a str,
    wanted: &'a World,
    faults: Faults,
    fuel: u64,
}

impl Run<'_> {
    fn start(&mut self, fails_after: Option<usize>) -> Result<(), String> {
        let input = reader(self.input, fails_after);
        self.machine.set_system(Box::new(Memory::new(self.faults)));
        self.machine.start(Format::Default, input).map_err(|stop| stop.to_string())
    }

    /// Goes on to the end.
    fn finish(&mut self, out: &mut Streams) -> Result<(), String> {
        self.machine.set_fuel(Some(self.fuel));
        let ended = self.machine.run(out);
        self.check(&left(&out.written, ended)?)
    }

    fn check(&self, found: &World) -> Result<(), String> {
        let wanted = self.wanted;
        // An error or no end: a run may show either.
        if wanted.end == End::Error && found.end == End::Fuel {
            return self.check_begun(found);
        }
        if found == wanted { Ok(()) } else { Err(format!("wanted {wanted:?}, found {found:?}")) }
    }

    /// Checks that what is written is a part of what is to be.
    fn check_begun(&self, found: &World) -> Result<(), String> {
        if self.wanted.written.starts_with(&found.written) {
            return Ok(());
        }
        Err(format!("wanted {:?}, begun with {found:?}", self.wanted))
    }

    fn anew(&mut self) -> Result<(), String> {
        self.machine.collect();
        self.start(None)?;
        self.finish(&mut Streams::new(usize::MAX)).map_err(|found| format!("anew: {found}"))
    }

    fn go(&mut self, way: Way, seen: &mut Tally) -> Result<(), String> {
        let mut out = Streams::new(usize::MAX);
        match way {
            Way::Once => self.start(None)?,
            Way::Pieces(every) => {
                self.start(None)?;
                for round in 0..STOPS {
                    self.machine.set_fuel(Some(every));
                    let ended = self.machine.run(&mut out);
                    let found = left(&out.written, ended)?;
                    if found.end != End::Fuel {
                        return self.check(&found);
                    }
                    seen.stops += 1;
                    if round % 7 == 3 {
                        self.machine.collect();
                    }
                }
            }
            Way::Interrupted(after) => {
                self.start(None)?;
                self.machine.set_fuel(Some(after));
                let ended = self.machine.run(&mut out);
                let found = left(&out.written, ended)?;
                if found.end != End::Fuel {
                    return self.check(&found);
                }
                self.machine.set_fuel(None);
                self.machine.interrupt_handle().interrupt();
                let ended = self.machine.run(&mut out);
                if !matches!(ended, Err(Stop::Interrupted(_))) {
                    return Err(format!("interrupted, but {ended:?}"));
                }
                seen.stops += 2;
            }
            Way::Refused(_) => {
                if self.start(None).is_err() {
                    return self.anew();
                }
                self.machine.set_fuel(Some(self.fuel));
                match self.machine.run(&mut out) {
                    Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::System(_)) => {
                        seen.stops += 1;
                    }
                    ended => return self.check(&left(&out.written, ended)?),
                }
            }
            Way::Full(room) => {
                out.room = room;
                self.start(None)?;
                self.machine.set_fuel(Some(self.fuel));
                return match self.machine.run(&mut out) {
                    Err(Stop::Output(_)) => {
                        self.check_begun(&World::of(&out.written, End::Fuel, None))?;
                        self.anew()
                    }
                    ended => {
                        let found = left(&out.written, ended)?;
                        // The failure came first; what was before it found no room any more.
                        match (found.end, &found.code) {
                            (End::Error, code) if out.is_full && *code == self.wanted.code => {
                                self.check_begun(&found)
                            }
                            _ => self.check(&found),
                        }
                    }
                };
            }
            Way::Torn(after) => {
                self.start(Some(after))?;
                self.machine.set_fuel(Some(self.fuel));
                return match self.machine.run(&mut out) {
                    Err(Stop::Input(_)) => {
                        self.check_begun(&World::of(&out.written, End::Fuel, None))?;
                        self.anew()
                    }
                    ended => self.check(&left(&out.written, ended)?),
                };
            }
            Way::Anew(every) => {
                for round in 0..6 {
                    self.start(None)?;
                    self.machine.set_fuel(Some(every * (1 + 3 * round)));
                    let ended = self.machine.run(&mut Streams::new(usize::MAX));
                    left("", ended)?;
                    seen.stops += 1;
                }
                return self.anew();
            }
        }
        self.finish(&mut out)
    }
}

/// Checks that a program does on all machines what it does by the interpreter.
///
/// # Errors
/// With what is wrong.
pub fn wrong(text: &str, seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(!seed);
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let input = INPUTS[dice.roll(INPUTS.len())];
    let (plain, _) = compiled_after(text, Passes::NONE)
        .map_err(|mistake| format!("a mistake in the program: {mistake}"))?;
    let faults = Faults {
        room: dice.one_in(4).then(|| dice.roll(30)),
        gone_after: dice.one_in(6).then(|| dice.roll(6) as u64),
    };
    let told = told(text, input, faults);
    seen.ended(told.end);
    if told.end == End::Fuel {
        seen.discarded = 1;
        return Ok(seen);
    }
    let made = |kind, code: &Verified, config: Config| {
        machine(kind, code, Config { heap_limit: Some(HEAP), ..config })
    };
    let config = Config { count: seed.is_multiple_of(2), ..Config::default() };
    let mut reference = made(MachineKind::Reference, &plain, config.clone());
    reference.set_system(Box::new(Memory::new(faults)));
    reference.start(Format::Default, reader(input, None)).map_err(|stop| stop.to_string())?;
    reference.set_fuel(Some(FUEL));
    let mut out = Streams::new(usize::MAX);
    let ended = reference.run(&mut out);
    let wanted = left(&out.written, ended)?;
    let statistics = reference.statistics();
    seen.machine(MachineKind::Reference, &*reference);
    if (&wanted.written, wanted.end) != (&told.written, told.end) {
        return Err(format!("the interpreter: wanted {told:?}, found {wanted:?}"));
    }
    let reductions = statistics.reductions;
    for turn in 0..4_usize {
        let kind = if dice.one_in(5) { MachineKind::Reference } else { MachineKind::Fast };
        let set = passes(&mut dice, turn);
        let stress = match kind {
            MachineKind::Fast => Stress::ALL[mode(&mut dice, &statistics)],
            _ => Stress::None,
        };
        let every = 1 + dice.roll(40) as u64;
        let way = match dice.roll(9) {
            0 | 1 => Way::Pieces(every),
            2 => Way::Interrupted(dice.roll(reductions as usize + 1) as u64),
            3 => Way::Refused(dice.roll(1 + statistics.allocated_bytes as usize / 64) as u64),
            4 => Way::Full(dice.roll(out.written.len() + 1)),
            5 => Way::Torn(dice.roll(input.chars().count() + 1)),
            6 => Way::Anew(every),
            _ => Way::Once,
        };
        let (code, report) = compiled_after(text, set)?;
        seen.report(&report);
        if kind == MachineKind::Fast {
            seen.modes[stress as usize] += 1;
        }
        let refuse = match way {
            Way::Refused(others) => Refusal::after(others),
            _ => Refusal::default(),
        };
        let fuel = match kind {
            MachineKind::Reference => 2 * FUEL,
            _ => fuel(stress, reductions, wanted.written.len()),
        };
        let native = native(&mut dice);
        let config = Config { stress, native, refuse, ..config.clone() };
        let machine = made(kind, &code, config);
        let mut run = Run { machine, input, wanted: &wanted, faults, fuel };
        let result = run.go(way, &mut seen);
        seen.machine(kind, &*run.machine);
        result.map_err(|found| {
            format!(
                "{kind:?}: [{}] {stress:?} {native:?} {way:?} of {input:?}: {found}",
                names(set)
            )
        })?;
    }
    Ok(seen)
}
