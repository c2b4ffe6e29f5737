//! The fast machine says what the reference machine says.
//!
//! Random programs: as the schemes alone compile them on the reference machine, after a subset
//! of the passes on the fast one, in some mode of its collector, at once or in pieces. The
//! subset, the mode and the pieces are chosen by the program's number. `GMACHINE_CASES` is how
//! many programs are tried, `GMACHINE_SEED` the first one's number, `GMACHINE_THREADS` how many
//! threads try them. The long run is
//!
//! ```text
//! GMACHINE_CASES=100000 cargo test --release --test suite parity::random
//! ```
//!
//! A program that fails is made smaller and shown with its number.

mod bigs;
mod errors;
mod pieces;
mod places;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;
use gmachine_testing::parity::{Tally, wrong};
use gmachine_testing::{cases, common, found, hunt, typed};

#[test]
fn random_programs_mean_the_same_on_both_machines() {
    let (count, sums) =
        hunt::all(300, typed::program, wrong, |sum: &mut Tally, seen| sum.add(&seen));
    let mut all = Tally::default();
    sums.iter().for_each(|sum| all.add(sum));
    assert!(all.values > count / 2, "{all:?}");
    assert!(all.errors > count / 50, "{all:?}");
    assert!(all.endless < count / 5, "{all:?}");
    // The modes of the collector, and the ways to go through a program, have their turns.
    assert!(all.modes.iter().all(|&runs| runs > count / 20), "{all:?}");
    assert!(all.stops > count / 4, "{all:?}");
    assert!(all.collections > 10 * count, "{all:?}");
    if count > 10_000 {
        #[allow(clippy::print_stderr, reason = "a long run tells what it has seen")]
        {
            eprintln!("{all:?}");
        }
    }
}

#[test]
fn programs_that_were_wrong_once_are_right() {
    for (name, text) in found::programs() {
        for turn in 0..20 {
            wrong(&text, turn).unwrap_or_else(|wrong| panic!("{name}, {turn}: {wrong}"));
        }
    }
}

/// The code of `t` ends in what is evaluated already, which no fast path sees.
#[test]
fn a_thunk_that_comes_to_what_is_evaluated_already_is_updated() {
    let text = "(defn main[] (let ([a (length \"ab\")] [t (again a)] [p (Pair t t)])
                  (seq a (case p [(Pair x y) (add x y)]))))
                (defn again[a] a)";
    let program = common::compile_after(text, Passes::NONE).expect("no mistake");
    let mut machine = common::machine(MachineKind::Fast, &program, Config::default());
    let mut out = String::new();
    machine.start(Format::Default, None).and_then(|()| machine.run(&mut out)).expect("a value");
    assert_eq!(out, "4\n");
}
