//! A small program on both machines, in G-code, so that Miri can run it: constructors, big
//! integers, a cyclic list, partial applications, and thunks that are shared.

mod listings;

use super::outcome::Stop;
use super::print::Format;
use super::{Config, MachineKind, Stress};
use crate::gcode::{Verified, parse};

const LISTING: &str = include_str!("small.gcode");
const PRINTS: &str = "837\n";

/// What the program prints on a machine with these settings; limits on fuel are given anew.
fn prints(kind: MachineKind, config: &Config) -> String {
    let program = parse::parse(LISTING).expect("a listing");
    let program = Verified::new(program).expect("valid code");
    let mut machine = kind.load(program).machine(config.clone());
    let mut out = String::new();
    machine.start(Format::Default, None).expect("a main");
    loop {
        match machine.run(&mut out) {
            Ok(()) => return out,
            Err(Stop::Limit(_)) if config.fuel.is_some() => machine.set_fuel(config.fuel),
            Err(stop) => panic!("{stop}"),
        }
    }
}

#[test]
fn a_small_program_prints_the_same_however_often_it_collects_and_stops() {
    for kind in MachineKind::ALL {
        for stress in [Stress::None, Stress::Minor, Stress::Full] {
            for fuel in [None, Some(150)] {
                let config = Config { stress, fuel, ..Config::default() };
                let how = format!("{kind} {stress:?} {fuel:?}");
                assert_eq!(prints(*kind, &config), PRINTS, "{how}");
            }
        }
    }
}
