//! The optimiser changes how long a program takes and nothing else.
//!
//! Random programs are run as the schemes alone compile them, and after subsets of the passes:
//! what is printed stays, an error stays an error, no work is added, no more data is live.
//! `GMACHINE_CASES` is how many programs are tried, `GMACHINE_SEED` the first one's number,
//! `GMACHINE_THREADS` how many threads try them. The long run is
//!
//! ```text
//! GMACHINE_CASES=100000 cargo test --release --test suite optimise::random
//! ```
//!
//! A program that fails is made smaller and shown with its number.

mod closed;
mod ends;
mod fields;
mod forms;
mod functions;
mod growing;
mod held;
mod interpreted;
mod known;
mod levels;
mod loops;
mod neighbours;
mod overloading;
mod parameters;
mod several;
mod shapes;
mod styles;
mod twins;
mod written;

use gmachine::optimise::Pass;
use gmachine_testing::subsets::{self, Subsets, Tally};
use gmachine_testing::{
    cases, classes, combinators, common, documented, found, hunt, ordinary, pipelines, programs,
    records, typed,
};

/// What is wrong with a program after some subsets of the passes.
fn some(text: &str, seed: u64) -> Result<Tally, String> {
    subsets::wrong(text, seed, Subsets::Some)
}

/// Runs random programs after some subsets of the passes, and returns how many, and what they came to.
fn hunted(cases: u64, make: fn(u64) -> String) -> (u64, Tally) {
    let (count, sums) = hunt::all(cases, make, some, |sum: &mut Tally, seen| sum.add(&seen));
    let mut all = Tally::default();
    sums.iter().for_each(|sum| all.add(sum));
    (count, all)
}

#[test]
fn random_programs_keep_their_meaning_their_laziness_and_their_space() {
    let (count, all) = hunted(250, typed::program);
    assert!(all.values > count / 2, "{all:?}");
    assert!(all.errors > count / 50, "{all:?}");
    assert!(all.endless < count / 5, "{all:?}");
    if count > 10_000 {
        #[allow(clippy::print_stderr, reason = "a long run tells what it has seen")]
        {
            eprintln!("{all:?}");
        }
    }
}

#[test]
fn random_pipelines_keep_their_meaning_their_laziness_and_their_space() {
    let (count, all) = hunted(120, pipelines::program);
    assert!(all.values > count / 2, "{all:?}");
    assert!(all.reductions[1] < all.reductions[0] * 3 / 4, "{all:?}");
}

#[test]
fn random_classes_keep_their_meaning_their_laziness_and_their_space() {
    let (count, all) = hunted(150, classes::program);
    assert!(all.values > count / 2, "{all:?}");
    assert!(all.errors > count / 20, "{all:?}");
    assert!(all.reductions[1] < all.reductions[0] * 3 / 4, "{all:?}");
}

#[test]
fn random_records_keep_their_meaning_their_laziness_and_their_space() {
    let (count, all) = hunted(150, records::program);
    assert!(all.values > count * 9 / 10, "{all:?}");
    assert!(all.reductions[1] < all.reductions[0] * 3 / 4, "{all:?}");
}

#[test]
fn random_combinators_keep_their_meaning_their_laziness_and_their_space() {
    let (count, all) = hunted(150, combinators::program);
    assert!(all.values > count / 2, "{all:?}");
    assert!(all.errors > count / 20, "{all:?}");
    assert!(all.reductions[1] < all.reductions[0] * 3 / 4, "{all:?}");
}

#[test]
fn ordinary_programs_keep_their_meaning_and_about_their_size() {
    let (count, all) = hunted(150, ordinary::program);
    assert!(all.values > count * 9 / 10, "{all:?}");
    assert!(all.reductions[1] < all.reductions[0] * 3 / 4, "{all:?}");
    assert!(all.lengths[1] < all.lengths[0] * 3, "{all:?}");
    // What is known in part is worth up to a few thousand instructions, seldom for little.
    assert!(all.swollen <= 1 + count / 100, "{all:?}");
}

#[test]
fn programs_that_were_wrong_once_are_right() {
    for (name, text) in found::programs() {
        // Four numbers: with another subset measured each time.
        for seed in 0..4 {
            let found = subsets::wrong(&text, seed, Subsets::Every);
            found.unwrap_or_else(|wrong| panic!("{name}, {seed}: {wrong}"));
        }
    }
}

/// The net itself has no hole that a pass that does nothing would show: every subset is met.
#[test]
fn every_subset_has_its_turn() {
    let last = |seed| subsets::subsets(Subsets::Some, seed).pop();
    let mut chosen: Vec<String> =
        (0..1 << Pass::ALL.len()).filter_map(last).map(common::names).collect();
    chosen.sort();
    chosen.dedup();
    assert_eq!(chosen.len(), 1 << Pass::ALL.len());
}
