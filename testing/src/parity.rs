//! One program on both machines: what the reference machine makes of it as the schemes alone
//! compile it is what the fast machine makes of it after any passes, in any mode of its
//! collector, at once or in pieces.

use gmachine::gcode::Verified;
use gmachine::machine::outcome::Statistics;
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, Stress};
use gmachine::optimise::strictness::Budget;
use gmachine::optimise::{Pass, Passes};

use crate::common::{Text, compiled_after, compiled_within, machine, names, native, subset};
use crate::dice::Dice;
use crate::ends::{End, Found, ended, found};
pub use crate::tally::Tally;

/// What the programs' standard input is.
pub const INPUT: &str = "input\n of two lines";

/// Instructions of the reference machine.
pub const FUEL: u64 = 400_000;

/// Bytes of a run: far more than so many instructions need.
pub const HEAP: u64 = 1 << 30;

/// Steps up to which a run may collect everything at each, and up to which what is new.
const FULL: u64 = 300;
const MINOR: u64 = 5_000;

/// Bytes that a step allocates, mostly fewer: a reduction may make thousands of nodes.
const BYTES: u64 = 128;

/// One in how many runs the analysis of strictness gives up early: nothing hangs on what it finds.
const GIVEN_UP: usize = 20;

/// How often a run is stopped at most before it may go on to its end.
const STOPS: u64 = 200;

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

/// Runs a program that is ready to start.
fn go(machine: &mut dyn Machine, way: Way, fuel: u64, seen: &mut Tally) -> Result<Found, String> {
    let mut out = String::new();
    match way {
        Way::Once => start(machine)?,
        Way::Pieces(every) => {
            start(machine)?;
            for round in 0..STOPS {
                machine.set_fuel(Some(every));
                let result = machine.run(&mut out);
                if ended(result.clone())? != End::Fuel {
                    return found(&out, result);
                }
                seen.stops += 1;
                if round % 7 == 3 {
                    machine.collect();
                }
            }
        }
        Way::Anew(every) => {
            start(machine)?;
            for round in 0..STOPS.min(20) {
                machine.set_fuel(Some(every * (1 + round)));
                let end = ended(machine.run(&mut String::new()))?;
                machine.abandon();
                if round % 3 == 1 {
                    machine.collect();
                }
                start(machine)?;
                seen.stops += u64::from(end == End::Fuel);
            }
        }
        Way::Forced(every) => {
            let main = machine.program().main.ok_or("no main")?;
            let root = machine.global_handle(main).map_err(|stop| stop.to_string())?;
            for round in 0..STOPS {
                machine.set_fuel(Some(every));
                match ended(machine.force(&root).ok_or("a handle of its own")?)? {
                    End::Fuel => seen.stops += 1,
                    _ => break,
                }
                if round % 7 == 3 {
                    machine.collect();
                }
            }
            machine.set_fuel(Some(fuel));
            let printed = machine.print_root(&root, Format::Default, &mut out);
            return found(&out, printed.ok_or("a handle of its own")?);
        }
    }
    machine.set_fuel(Some(fuel));
    let result = machine.run(&mut out);
    found(&out, result)
}

/// Chooses how the fast machine is to collect: by dice, as far as a run that was like this is short
/// enough.
pub fn mode(dice: &mut Dice, run: &Statistics) -> usize {
    let steps = run.reductions.max(run.allocated_bytes / BYTES);
    let mode = match dice.roll(4) {
        3 if steps > FULL => 2,
        mode => mode,
    };
    if mode == 2 && steps > MINOR { 1 } else { mode }
}

/// Returns the fuel for a run that takes so many reductions without passes and prints that: passes
/// add no more than a few. What fails may as well have no end, with a stack and a heap that a full
/// collection goes through at each of many allocations in a step, and a minor one through the
/// frames on top.
pub fn fuel(stress: Stress, reductions: u64, printed: usize) -> u64 {
    let more = match stress {
        Stress::None | Stress::TinyNursery => 10_000,
        Stress::Minor => 1_000,
        Stress::Full => 100,
    };
    2 * (reductions + printed as u64) + more
}

/// Chooses which passes run in a turn: first as users run it, then the schemes alone, or any
/// subset.
pub fn passes(dice: &mut Dice, turn: usize) -> Passes {
    match turn {
        0 => Passes::ALL,
        1 if dice.one_in(2) => Passes::NONE,
        _ => subset(dice.roll(1 << Pass::ALL.len()) as u64),
    }
}

/// Returns whether a run may end so where another one of the same program ends as wanted.
pub fn is_right(wanted: &Found, found: &Found) -> bool {
    let (one, other) = (&wanted.output, &found.output);
    match (wanted.end, found.end) {
        // An error or no end: a run may show either.
        (End::Error, End::Fuel) => one.starts_with(other.as_str()),
        (End::Fuel, _) => one.starts_with(other.as_str()) || other.starts_with(one.as_str()),
        // By the same exit status, if by one.
        (End::Value, End::Value) => one == other && wanted.code == found.code,
        (one_end, other_end) => one_end == other_end && one == other,
    }
}

/// Makes a machine with the memory of all runs here.
fn made(kind: MachineKind, code: &Verified, config: Config) -> Box<dyn Machine> {
    machine(kind, code, Config { heap_limit: Some(HEAP), ..config })
}

/// Checks that a program does on the fast machine what it does on the reference machine.
///
/// # Errors
/// With what is wrong.
pub fn wrong(text: &str, seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(!seed);
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let (plain, _) = compiled_after(text, Passes::NONE)
        .map_err(|mistake| format!("a mistake in the program: {mistake}"))?;
    let config = Config { fuel: Some(FUEL), count: seed.is_multiple_of(2), ..Config::default() };
    let mut reference = made(MachineKind::Reference, &plain, config.clone());
    let wanted = go(&mut *reference, Way::Once, FUEL, &mut seen)?;
    let statistics = reference.statistics();
    let reductions = statistics.reductions;
    seen.machine(MachineKind::Reference, &*reference);
    seen.ended(wanted.end);
    seen.discarded = u64::from(wanted.end == End::Fuel);

    let end = wanted.end;
    let both = dice.roll(4);
    for turn in 0..3_usize {
        let set = passes(&mut dice, turn);
        let mode = mode(&mut dice, &statistics);
        let every = 1 + dice.roll(40) as u64;
        let has_input = text.contains("main[input");
        let way = match dice.roll(5) {
            1 => Way::Pieces(every),
            2 if end == End::Value => Way::Anew(every),
            3 if end == End::Value && !has_input => Way::Forced(every),
            _ => Way::Once,
        };
        let budget = match dice.one_in(GIVEN_UP) && set.has(Pass::Strictness) {
            true => Some(Budget { per_expression: 0, reserve: 1 << dice.roll(14) }),
            false => None,
        };
        let (code, report) = match budget {
            Some(budget) => compiled_within(text, set, budget)?,
            None => compiled_after(text, set)?,
        };
        seen.report(&report);
        seen.modes[mode] += 1;
        let stress = Stress::ALL[mode];
        let fuel = fuel(stress, reductions, wanted.output.len());
        let within = budget.map_or(String::new(), |budget| format!(" within {budget:?}"));
        let native = native(&mut dice);
        let how = format!("[{}]{within} {stress:?} {native:?} {way:?}", names(set));
        let config = Config { fuel: Some(fuel), stress, native, ..config.clone() };
        let mut fast = made(MachineKind::Fast, &code, config.clone());
        let result = go(&mut *fast, way, fuel, &mut seen)
            .map_err(|stop| format!("the machine: {how}: {stop}"))?;
        seen.machine(MachineKind::Fast, &*fast);
        if !is_right(&wanted, &result) {
            return Err(format!("another result: {how}: wanted {wanted:?}, found {result:?}"));
        }
        if turn == both {
            // The same code on the other machine.
            let config = Config { fuel: Some(2 * FUEL), stress: Stress::None, ..config };
            let mut reference = made(MachineKind::Reference, &code, config);
            let other = go(&mut *reference, Way::Once, 2 * FUEL, &mut seen)
                .map_err(|stop| format!("the reference machine: {how}: {stop}"))?;
            seen.machine(MachineKind::Reference, &*reference);
            if !is_right(&wanted, &other) {
                let both = format!("wanted {wanted:?}, found {other:?}");
                return Err(format!("another result of the reference machine: {how}: {both}"));
            }
        }
    }
    Ok(seen)
}
