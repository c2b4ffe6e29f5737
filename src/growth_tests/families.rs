//! Families of programs as people write them, with those that are made by chance and out of the programs of
//! others: what optimising them costs.

use gmachine_testing::dice::{Dice, number};
use gmachine_testing::growth::{self, Growth};

use super::{cost, work_of};
use crate::optimise::Passes;

/// Families that still cost more: nests and chains of recursive functions and of what is known, whose
/// work grows up to a limit faster than the source: what is short is evaluated to its end, what is longer
/// has only been tried. They may not grow faster than with its cube.
const STEEP: &[&str] = &[
    "chain summed",
    "classes",
    "constant functions",
    "constants",
    "difference lists",
    "environment",
    "foldr cons",
    "insertions through functions",
    "instructions with jumps",
    "interpreted blocks",
    "list of texts",
    "loops from known",
    // Its value is found, in five milliseconds for 2 kB.
    "pair pair",
    // A twentieth of the code that they had at 8, a third at 16, half at 32.
    "peano sums",
    // It is evaluated to its end, which takes a step more for each insertion.
    "red black",
    "streams known",
    "streams merged",
    "symbolic derivative",
    "zipper moves",
];

/// How many of the families that are made by chance may cost more.
const STEEP_OF_MIXED: usize = 13;

/// How much more a program of 2 kB costs than one of 1 kB.
struct Step {
    level: u8,
    work: (u64, u64),
    code: (u64, u64),
}

impl Step {
    /// Measures a family; `empty` is what a program of nothing costs at each level.
    fn all(family: &Growth, empty: &[(u64, u64)]) -> [Step; 2] {
        let repetitions = family.repetitions(1024);
        [1, 2].map(|level| {
            let (work, code) = empty[usize::from(level)];
            let [small, large] = [1, 2].map(|times| {
                let program = family.program(times * repetitions);
                let (all, instructions) = cost(&program, Passes::level(level));
                (all.saturating_sub(work), instructions.saturating_sub(code))
            });
            Step { level, work: (small.0, large.0), code: (small.1, large.1) }
        })
    }

    /// Returns whether it costs more than twice as much and a tenth of that, and what a few
    /// instructions cost.
    fn is_steep(&self) -> bool {
        self.exceeds(22, 5_000, 50)
    }

    /// Returns whether it costs more than the cube allows, and what evaluating costs that comes to
    /// no end: what is known to its end may be evaluated up to a size, and no further.
    fn explodes(&self) -> bool {
        self.exceeds(80, 220_000, 600)
    }

    fn exceeds(&self, tenths: u64, work: u64, code: u64) -> bool {
        let is = |(small, large): (u64, u64), few| large.saturating_sub(few) * 10 > small * tenths;
        is(self.work, work) || is(self.code, code)
    }

    fn describe(&self, name: &str) -> String {
        format!(
            "{name} at -O{}: {:?} accesses, {:?} instructions",
            self.level, self.work, self.code
        )
    }
}

/// What an empty program costs at each level.
fn empty() -> Vec<(u64, u64)> {
    (0..3).map(|level| cost("(defn main[i] 1)", Passes::level(level))).collect()
}

#[test]
fn a_source_that_is_doubled_costs_twice_as_much_to_optimise() {
    let empty = empty();
    let mut families = 0;
    let mut wrong = Vec::new();
    for family in growth::all() {
        families += 1;
        let steps = Step::all(&family, &empty);
        let is_wrong = match STEEP.contains(&&*family.name) {
            true => Step::explodes,
            false => Step::is_steep,
        };
        if STEEP.contains(&&*family.name) && !steps.iter().any(Step::is_steep) {
            wrong.push(format!("{}: costs no more than others", family.name));
        }
        let steps = steps.iter().filter(|step| is_wrong(step));
        wrong.extend(steps.map(|step| step.describe(&family.name)));
    }
    assert!(families > 300, "{families}");
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

/// Families of which a program of so many kilobytes showed what a short one did not: that something was gone
/// through again and again.
const LONG: &[(&str, usize)] = &[
    ("case of case of integers", 16),
    ("case scrutinee", 16),
    ("corelib map", 64),
    ("dictionary of pair", 16),
    ("exceptions by hand", 16),
];

#[test]
fn a_long_source_that_is_doubled_costs_twice_as_much() {
    let mut wrong = Vec::new();
    for &(name, kilobytes) in LONG {
        let Some(family) = growth::all().find(|family| family.name == name) else {
            panic!("{name} is no family");
        };
        let repetitions = family.repetitions(kilobytes * 1024);
        let [small, large] =
            [1, 2].map(|times| cost(&family.program(times * repetitions), Passes::level(2)).0);
        if large * 10 > small * 22 {
            wrong.push(format!("{name}: {small} accesses, then {large}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_nobody_thought_of_costs_twice_as_much_too() {
    const FAMILIES: u64 = 250;
    let empty = empty();
    let (mut steep, mut wrong) = (Vec::new(), Vec::new());
    for seed in 0..FAMILIES {
        let family = growth::mixed(&mut Dice::new(seed));
        for step in Step::all(&family, &empty) {
            let name = format!("{seed}, {}", family.name);
            if step.explodes() {
                wrong.push(step.describe(&name));
            } else if step.is_steep() {
                steep.push(step.describe(&name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
    assert!(steep.len() <= STEEP_OF_MIXED, "{} of them:\n{}", steep.len(), steep.join("\n"));
}

#[test]
fn what_has_grown_once_does_not_grow_as_much_again() {
    let Some(family) = growth::all().find(|family| family.name == "scanners") else {
        panic!("there is no such family");
    };
    let program = family.program(family.repetitions(8_192));
    let [plain, both] = [0, 2].map(|level| cost(&program, Passes::level(level)).1);
    assert!(both <= 15 * plain, "{plain} instructions, then {both}");
}

/// More accesses than programs made larger out of themselves have cost so far, of 32,000: the most is 64 million, a quarter
/// of a second, for a product of numbers that are functions, `(times times (times times ..))`.
const MOST: u64 = 80_000_000;

/// `GMACHINE_CASES` is how many are tried, `GMACHINE_SEED` the first one's number.
#[test]
fn programs_made_larger_out_of_themselves_cost_no_more_than_a_source_may() {
    let (first, cases) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", 2_000));
    let mut tried = 0;
    let mut wrong = Vec::new();
    for seed in first..first + cases {
        let Some(program) = growth::nested(&mut Dice::new(seed), 4096) else { continue };
        let (costs, error) = work_of(&program, Passes::level(2));
        tried += u64::from(error.is_none());
        if costs > MOST {
            wrong.push(format!("{seed}: {costs} accesses: {program}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > cases / 3, "{tried}");
}
