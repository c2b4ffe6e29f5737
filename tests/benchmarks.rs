//! The programs of `benches/programs` and `tests/programs`: each prints what its first comment says, on every
//! machine and at every level of optimisation. The numbers of those that have a peer in
//! Haskell are the peer's.

use gmachine::embed::{Format, Limits, MachineKind};
use gmachine::load::Source;
use gmachine::machine::outcome::Input;
use gmachine::optimise::Passes;
use gmachine::{Engine, driver};
use gmachine_testing::common::{NoFiles, Text};
use gmachine_testing::programs::{self, Example, Peer};

#[test]
fn programs_give_their_result_on_every_machine_at_every_level() {
    let programs = programs::examples();
    let folders = ["benches/programs", "benches/published", "tests/programs"];
    let programs = programs.iter().filter(|it| folders.iter().any(|of| it.name.contains(of)));
    let count: usize = programs.map(solves).sum();
    assert!(count >= 2 * 3 * (12 + 35 + 30), "only {count} runs");
}

/// Runs a program on every machine at every level; returns how often that was.
fn solves(program: &Example) -> usize {
    let prints = program.prints.as_ref().expect("a result");
    let mut count = 0;
    for &machine in MachineKind::ALL {
        for level in 0..=2 {
            let mut engine = Engine::new();
            engine.set_machine(machine);
            engine.set_passes(Passes::level(level));
            engine.set_limits(Limits { heap: Some(1 << 28), fuel: Some(30_000_000), time: None });
            let what = format!("{} on {machine} at -O{level}", program.name);
            let module = engine.compile("program", &program.text).expect("no mistakes");
            let input: Option<Box<dyn Input>> = Some(Box::new(Text::new(&program.input)));
            let mut printed = String::new();
            let ran = module.store().run_main(input, &mut printed, Format::Default);
            assert_eq!((printed, ran), (format!("{prints}\n"), Ok(())), "{what}");
            count += 1;
        }
    }
    count
}

#[test]
fn the_benchmarks_game_gives_its_results_on_every_machine_at_every_level() {
    let games = programs::game();
    assert_eq!(games.len(), 8);
    give_their_results(&games);
}

#[test]
fn programs_that_nobody_has_tuned_give_their_results_on_every_machine_at_every_level() {
    let programs = programs::untuned();
    assert_eq!(programs.len(), 20);
    give_their_results(&programs);
}

/// Runs programs at their small size; at their full size they compile, and their peers have that.
fn give_their_results(programs: &[(Peer, Example)]) {
    for (peer, program) in programs {
        solves(program);
        let root = Source::text(&*peer.name, program.text.clone()).with_expression(&*peer.full);
        let built = driver::build(&root, &NoFiles, &driver::Options::CHECK);
        assert_eq!(built.diagnostics, [], "{}", peer.name);
        let haskell = std::fs::read_to_string(&peer.haskell).expect("its peer");
        let main = haskell.lines().last().expect("a last line");
        let is_full = main.ends_with(&peer.full);
        assert!(is_full, "{}: {main} is not {}", peer.name, peer.full);
    }
}

#[test]
fn every_peer_has_a_full_size_that_compiles() {
    let peers = programs::peers();
    assert_eq!(peers.len(), 12);
    for peer in peers {
        let text = std::fs::read_to_string(&peer.core).expect("the program");
        let root = Source::text(&*peer.name, text).with_expression(&*peer.full);
        let built = driver::build(&root, &NoFiles, &driver::Options::CHECK);
        assert_eq!(built.diagnostics, [], "{}", peer.name);
        let is_number = peer.full_prints.chars().all(|c| c.is_ascii_digit());
        assert!(is_number, "{} prints {}", peer.name, peer.full_prints);
    }
}

#[test]
fn every_program_of_a_published_table_has_a_peer_and_a_full_size_that_compiles() {
    let published = programs::published();
    for (table, names) in programs::TABLES {
        let least = if *table == "interpreters" { 3 } else { 12 };
        assert!(names.len() >= least, "{table} has {}", names.len());
        assert!(names.is_sorted(), "{table} is not in order");
    }
    for (peer, input) in &published {
        let haskell = std::fs::read_to_string(&peer.haskell).expect(&peer.name);
        let text = std::fs::read_to_string(&peer.core).expect("the program");
        let root = Source::text(&*peer.name, text);
        match input {
            // The peer has the full size in its main.
            Some(input) => assert!(input.len() > 100_000, "{} has a short input", peer.name),
            None => {
                let root = root.with_expression(&*peer.full);
                let built = driver::build(&root, &NoFiles, &driver::Options::CHECK);
                assert_eq!(built.diagnostics, [], "{}", peer.name);
            }
        }
        let size = peer.full.strip_prefix("(root ").and_then(|size| size.strip_suffix(')'));
        if let Some(size) = size {
            assert!(haskell.contains(&format!("main = print (root {size})")), "{}", peer.name);
        }
    }
    // Each file is in a table.
    let files = programs::examples().into_iter().filter(|it| it.name.contains("benches/published"));
    for file in files {
        let is_in =
            published.iter().any(|(peer, _)| file.name.ends_with(&peer.core.display().to_string()));
        assert!(is_in, "{} is in no table", file.name);
    }
}
