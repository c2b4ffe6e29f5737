//! One random program on both machines.

use std::sync::Arc;

use gmachine::gcode::program::Program;
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, Stress};
use gmachine::optimise::{Pass, Passes};

use crate::common::{Text, compile_after, machine};
use crate::dice::Dice;
use crate::ends::{End, Meaning, ended, meaning};

/// What the programs' standard input is.
const INPUT: &str = "input\n of two lines";

/// Instructions of the reference machine.
const FUEL: u64 = 400_000;

/// Bytes of a run: far more than so many instructions need.
const HEAP: u64 = 1 << 30;

/// Reductions up to which a run may collect everything at each, and up to which what is new.
const FULL: u64 = 300;
const MINOR: u64 = 5_000;

/// How often a run is stopped at most before it may go on to its end.
const STOPS: u64 = 200;

/// What has been tried.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seen {
    pub values: u64,
    pub errors: u64,
    pub endless: u64,
    /// Runs in each mode of the collector.
    pub modes: [u64; Stress::ALL.len()],
    /// Stops in the midst of an evaluation.
    pub stops: u64,
    /// Collections of the fast machine.
    pub collections: u64,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.values += other.values;
        self.errors += other.errors;
        self.endless += other.endless;
        self.modes.iter_mut().zip(other.modes).for_each(|(sum, runs)| *sum += runs);
        self.stops += other.stops;
        self.collections += other.collections;
    }
}

/// The subset of the passes with this number.
fn passes(number: usize) -> Passes {
    let chosen = Pass::ALL.iter().enumerate().filter(|(at, _)| number >> at & 1 != 0);
    chosen.fold(Passes::NONE, |set, (_, &pass)| set.with(pass))
}

/// A machine that is about to print.
fn started(
    kind: MachineKind,
    program: &Arc<Program>,
    config: Config,
) -> Result<Box<dyn Machine>, String> {
    let mut machine = machine(kind, program, config);
    start(&mut *machine)?;
    Ok(machine)
}

fn start(machine: &mut dyn Machine) -> Result<(), String> {
    let input = Box::new(Text::new(INPUT));
    machine.start(Format::Default, Some(input)).map_err(|stop| stop.to_string())
}

/// How a program is gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// At once.
    Once,
    /// Printed in pieces of so many reductions.
    Pieces(u64),
    /// Given up after so many reductions, again and again, and then begun anew.
    Anew(u64),
    /// `main` is forced in pieces of so many reductions, and then printed.
    Forced(u64),
}

/// Runs a program on the fast machine.
fn fast(
    program: &Arc<Program>,
    stress: Stress,
    way: Way,
    fuel: u64,
    seen: &mut Seen,
) -> Result<Meaning, String> {
    let config = Config { fuel: Some(fuel), heap_limit: Some(HEAP), stress, ..Config::default() };
    let mut machine = started(MachineKind::Fast, program, config)?;
    let mut out = String::new();
    let mut stops = 0;
    match way {
        Way::Once => {}
        Way::Pieces(every) => {
            for round in 0..STOPS {
                machine.set_fuel(Some(every));
                let end = ended(machine.run(&mut out))?;
                if end != End::Fuel {
                    seen.stops += stops;
                    seen.collections += machine.statistics().collections;
                    return Ok(meaning(&out, end));
                }
                stops += 1;
                if round % 7 == 3 {
                    machine.collect();
                }
            }
        }
        Way::Anew(every) => {
            for round in 0..STOPS.min(20) {
                machine.set_fuel(Some(every * (1 + round)));
                let end = ended(machine.run(&mut String::new()))?;
                machine.abandon();
                if round % 3 == 1 {
                    machine.collect();
                }
                start(&mut *machine)?;
                stops += u64::from(end == End::Fuel);
            }
        }
        Way::Forced(every) => {
            let main = machine.program().main.ok_or("no main")?;
            let root = machine.global_root(main).map_err(|stop| stop.to_string())?;
            for round in 0..STOPS {
                machine.set_fuel(Some(every));
                match ended(machine.force(&root).ok_or("a handle of its own")?)? {
                    End::Fuel => stops += 1,
                    _ => break,
                }
                if round % 7 == 3 {
                    machine.collect();
                }
            }
            machine.set_fuel(Some(fuel));
            let printed = machine.print_root(&root, Format::Default, &mut out);
            let end = ended(printed.ok_or("a handle of its own")?)?;
            seen.stops += stops;
            seen.collections += machine.statistics().collections;
            return Ok(meaning(&out, end));
        }
    }
    machine.set_fuel(Some(fuel));
    let end = ended(machine.run(&mut out))?;
    seen.stops += stops;
    seen.collections += machine.statistics().collections;
    Ok(meaning(&out, end))
}

/// What is wrong with a program on the fast machine, if anything is.
pub fn wrong(text: &str, seed: u64) -> Result<Seen, String> {
    let plain = compile_after(text, Passes::NONE).ok_or("a mistake in the program")?;
    let config = Config { fuel: Some(FUEL), heap_limit: Some(HEAP), ..Config::default() };
    let mut reference = started(MachineKind::Reference, &plain, config)?;
    let mut out = String::new();
    let end = ended(reference.run(&mut out))?;
    let wanted = meaning(&out, end);
    let reductions = reference.statistics().reductions;

    let mut seen = Seen::default();
    match end {
        End::Value => seen.values = 1,
        End::Error => seen.errors = 1,
        End::Fuel => seen.endless = 1,
    }
    let mut dice = Dice::new(!seed);
    for turn in 0..3_usize {
        // The first as users run it; then the schemes alone, or any subset.
        let set = match turn {
            0 => Passes::ALL,
            1 if dice.one_in(2) => Passes::NONE,
            _ => passes(dice.roll(1 << Pass::ALL.len())),
        };
        let mode = match dice.roll(4) {
            3 if reductions > FULL => 2,
            mode => mode,
        };
        let mode = if mode == 2 && reductions > MINOR { 1 } else { mode };
        let every = 1 + dice.roll(40) as u64;
        let has_input = text.contains("main[input");
        let way = match dice.roll(5) {
            1 => Way::Pieces(every),
            2 if end == End::Value => Way::Anew(every),
            3 if end == End::Value && !has_input => Way::Forced(every),
            _ => Way::Once,
        };
        let code = compile_after(text, set).ok_or("a mistake in the program")?;
        seen.modes[mode] += 1;
        // Passes add no more than a few reductions.
        let fuel = 2 * reductions + 10_000;
        let stress = Stress::ALL[mode];
        let names = Pass::ALL.iter().filter(|&&pass| set.has(pass)).map(|pass| pass.name());
        let how = format!("[{}] {stress:?} {way:?}", names.collect::<Vec<_>>().join(" "));
        let found = fast(&code, stress, way, fuel, &mut seen)
            .map_err(|stop| format!("the machine: {how}: {stop}"))?;
        let is_right = match (wanted.1, found.1) {
            // An error or no end: a run may show either.
            (End::Error, End::Fuel) => wanted.0.starts_with(&found.0),
            (End::Fuel, _) => wanted.0.starts_with(&found.0) || found.0.starts_with(&wanted.0),
            _ => found == wanted,
        };
        if !is_right {
            return Err(format!("another result: {how}: wanted {wanted:?}, found {found:?}"));
        }
    }
    Ok(seen)
}
