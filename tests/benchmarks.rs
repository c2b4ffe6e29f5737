//! The programs of `benches/programs`: each prints what its first comment says, on every
//! machine and at every level of optimisation. The numbers of those that have a peer in
//! Haskell are the peer's.

use gmachine::embed::{Format, Limits, MachineKind};
use gmachine::load::{Loader, Root};
use gmachine::optimise::Passes;
use gmachine::{Engine, driver};
use gmachine_testing::programs;

struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

#[test]
fn programs_give_their_result_on_every_machine_at_every_level() {
    let programs = programs::examples();
    let programs = programs.iter().filter(|program| program.name.contains("benches/programs"));
    let mut count = 0;
    for program in programs {
        let prints = program.prints.as_ref().expect("a result");
        for &machine in MachineKind::ALL {
            for level in 0..=2 {
                let mut engine = Engine::new();
                engine.set_machine(machine);
                engine.set_passes(Passes::level(level));
                engine.set_limits(Limits {
                    heap: Some(1 << 28),
                    fuel: Some(30_000_000),
                    time: None,
                });
                let what = format!("{} on {machine} at -O{level}", program.name);
                let module = engine.compile("program", &program.text).expect("no mistakes");
                let mut printed = String::new();
                let ran = module.store().run_main(None, &mut printed, Format::Default);
                assert_eq!((printed, ran), (format!("{prints}\n"), Ok(())), "{what}");
                count += 1;
            }
        }
    }
    assert!(count >= 3 * 12, "only {count} runs");
}

#[test]
fn every_peer_has_a_full_size_that_compiles() {
    let peers = programs::peers();
    assert_eq!(peers.len(), 12);
    for peer in peers {
        let text = std::fs::read_to_string(&peer.core).expect("the program");
        let root = Root::text(&*peer.name, text).with_expression(&*peer.full);
        let built = driver::build(&root, &NoFiles, &driver::Options::CHECK);
        assert_eq!(built.diagnostics, [], "{}", peer.name);
        let is_number = peer.full_prints.chars().all(|c| c.is_ascii_digit());
        assert!(is_number, "{} prints {}", peer.name, peer.full_prints);
    }
}
