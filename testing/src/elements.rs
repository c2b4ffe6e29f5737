//! A program whose `main` is a list, on both machines: each element is printed for itself, so
//! that one that fails says nothing of the next one, unless they share what fails.

use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, Machine, MachineKind, Stress, Whnf};
use gmachine::optimise::Passes;

use crate::common::{compiled_after, machine, names, native};
use crate::dice::Dice;
use crate::ends::{End, Found, found_within};
use crate::parity::{fuel, is_right, mode, passes};
use crate::tally::Tally;

/// Steps for each element.
const FUEL: u64 = 60_000;

/// Bytes of a run. Integers grow fast in programs without sense.
const HEAP: u64 = 16 << 20;

/// How the elements of a list print.
struct Elements {
    all: Vec<Found>,
    /// Whether one of them has filled the heap: it keeps room that those after it do not have, so
    /// they are left out.
    is_full: bool,
}

/// Returns how the elements of `main` print, each in so many steps.
fn elements(machine: &mut dyn Machine, fuel: u64) -> Result<Elements, String> {
    let own = "a handle of its own";
    let main = machine.program().main.ok_or("no main")?;
    let mut list = machine.global_handle(main).map_err(|stop| stop.to_string())?;
    let mut items = Vec::new();
    loop {
        machine.set_fuel(Some(fuel));
        match machine.force(&list).ok_or(own)? {
            Ok(()) => {}
            Err(Stop::Limit(_)) => break,
            Err(stop) => return Err(format!("no list: {stop}")),
        }
        match machine.whnf(&list) {
            Some(Whnf::Con(_, fields)) if fields.len() == 2 => {
                items.push(fields[0].clone());
                list = fields[1].clone();
            }
            _ => break,
        }
    }
    let mut all = Vec::new();
    for item in items {
        machine.set_fuel(Some(fuel));
        let mut out = String::new();
        let result = machine.print_root(&item, Format::Default, &mut out).ok_or(own)?;
        let is_full =
            matches!(&result, Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Heap(_)));
        let first = found_within(&out, result)?;
        if first.end == End::Error {
            // What has failed fails again.
            let mut again = String::new();
            machine.set_fuel(Some(fuel));
            let result = machine.print_root(&item, Format::Default, &mut again).ok_or(own)?;
            let second = found_within(&again, result)?;
            if second.end != End::Error || second.output != first.output {
                return Err(format!("forced again: first {first:?}, then {second:?}"));
            }
        }
        all.push(first);
        if is_full {
            return Ok(Elements { all, is_full });
        }
    }
    Ok(Elements { all, is_full: false })
}

/// Checks that the fast machine prints the elements of a program as the reference machine does.
///
/// # Errors
/// With what is wrong.
pub fn wrong(text: &str, seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(!seed);
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let (plain, _) = compiled_after(text, Passes::NONE)
        .map_err(|mistake| format!("a mistake in the program: {mistake}"))?;
    let count = seed.is_multiple_of(2);
    let config = Config { heap_limit: Some(HEAP), count, ..Config::default() };
    let mut reference = machine(MachineKind::Reference, &plain, config.clone());
    let wanted = elements(&mut *reference, FUEL)?;
    let statistics = reference.statistics();
    let reductions = statistics.reductions;
    seen.machine(MachineKind::Reference, &*reference);
    wanted.all.iter().for_each(|found| seen.ended(found.end));
    seen.discarded = u64::from(wanted.all.iter().all(|found| found.end == End::Fuel));

    let both = dice.roll(3);
    for turn in 0..3_usize {
        let set = passes(&mut dice, turn);
        // What does not end grows, and would be verified over and over.
        let is_endless = wanted.all.iter().any(|found| found.end == End::Fuel);
        let mode = mode(&mut dice, &statistics).min(if is_endless { 0 } else { 3 });
        let stress = Stress::ALL[mode];
        let (code, report) = compiled_after(text, set)?;
        seen.report(&report);
        seen.modes[mode] += 1;
        let native = native(&mut dice);
        let how = format!("[{}] {stress:?} {native:?}", names(set));
        let of_fast = Config { stress, native, ..config.clone() };
        let mut fast = machine(MachineKind::Fast, &code, of_fast);
        let printed = wanted.all.iter().map(|found| found.output.len()).sum();
        let fuel = if stress == Stress::None { FUEL } else { fuel(stress, reductions, printed) };
        let found =
            elements(&mut *fast, fuel).map_err(|stop| format!("the machine: {how}: {stop}"))?;
        seen.machine(MachineKind::Fast, &*fast);
        let compared = |what: &str, found: &Elements| {
            let is_whole = !wanted.is_full && !found.is_full;
            let (wanted, found) = (&wanted.all, &found.all);
            let short = wanted.len().min(found.len());
            if is_whole && wanted.len() != found.len() && reductions < FUEL / 2 {
                return Err(format!("{what}: {how}: wanted {wanted:?}, found {found:?}"));
            }
            for (wanted, found) in wanted[..short].iter().zip(&found[..short]) {
                if !is_right(wanted, found) {
                    return Err(format!("{what}: {how}: wanted {wanted:?}, found {found:?}"));
                }
            }
            Ok(())
        };
        compared("another result", &found)?;
        if turn == both {
            let mut reference = machine(MachineKind::Reference, &code, config.clone());
            let other = elements(&mut *reference, 2 * FUEL)
                .map_err(|stop| format!("the reference machine: {how}: {stop}"))?;
            compared("another result of the reference machine", &other)?;
        }
    }
    Ok(seen)
}
