//! A small program on both machines, in G-code, so that Miri can run it: constructors, big
//! integers, a cyclic list, partial applications, and thunks that are shared.

mod listings;

use super::outcome::Stop;
use super::print::Format;
use super::{Config, Loaded, MachineKind, Stress};
use crate::gcode::{Verified, parse};

const LISTING: &str = include_str!("small.gcode");

/// The length of the list of which the program makes the sum. Miri takes a thousand times as long
/// for each instruction.
const LENGTH: u64 = if cfg!(miri) { 3 } else { 40 };

/// What the program prints on a machine with these settings; limits on fuel are given anew.
fn prints(program: &Loaded, config: &Config) -> String {
    let mut machine = program.machine(config.clone());
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
    let value = format!("{}\n", LENGTH * (LENGTH + 1) / 2 + 17);
    let listing = LISTING.replace("PushInt 40\n", &format!("PushInt {LENGTH}\n"));
    let program = parse::parse(&listing).expect("a listing");
    let program = Verified::new(program).expect("valid code");
    for kind in MachineKind::ALL {
        let loaded = kind.load(program.clone());
        // The reference machine has no unsafe code, and takes an hour in Miri if it collects all the time.
        let is_slow = cfg!(miri) && *kind == MachineKind::Reference;
        let stresses = [Stress::None, Stress::Minor, Stress::Full];
        for stress in stresses.into_iter().take(if is_slow { 1 } else { 3 }) {
            for fuel in [None, Some(150)] {
                let config = Config { stress, fuel, ..Config::default() };
                let how = format!("{kind} {stress:?} {fuel:?}");
                assert_eq!(prints(&loaded, &config), value, "{how}");
            }
        }
    }
}
