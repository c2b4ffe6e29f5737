//! What the fuzz targets call, on the inputs that they begin with and on changed ones: on any
//! compiler, and as many as are said here. `fuzz/` has the targets themselves.
//!
//! `GMACHINE_CASES` is how many changed inputs there are for each target, `GMACHINE_SEED` the
//! first one's number.

use gmachine::gcode::parse::parse;
use gmachine::gcode::verify::verify;
use gmachine_testing::dice::{Dice, number};
use gmachine_testing::ends::End;
use gmachine_testing::harness::{ALL, both, mutate, seeds, words};
use gmachine_testing::hunt::{hunter, no_panic};

/// Changed inputs for each target.
const CASES: u64 = 150;

#[test]
fn whatever_the_bytes_nothing_goes_wrong() {
    let workers: Vec<_> = ALL
        .iter()
        .map(|&(name, harness)| {
            hunter(move || {
                let (seeds, words) = (seeds(name), words());
                let try_it = |what: &str, bytes: &[u8]| {
                    no_panic(|| {
                        harness(bytes);
                        Ok(())
                    })
                    .map_err(|wrong| {
                        format!("{name}, {what}: {wrong}\n{}", String::from_utf8_lossy(bytes))
                    })
                };
                for (file, bytes) in &seeds {
                    try_it(file, bytes)?;
                }
                let first = number("GMACHINE_SEED", 0);
                for seed in first..first + number("GMACHINE_CASES", CASES) {
                    let mut dice = Dice::new(seed);
                    let mut bytes = seeds[dice.roll(seeds.len())].1.clone();
                    mutate(&mut dice, &mut bytes, &words);
                    try_it(&seed.to_string(), &bytes)?;
                }
                Ok::<(), String>(())
            })
        })
        .collect();
    let results = workers.into_iter().map(|worker| worker.join().expect("panics are caught"));
    let wrong: Vec<String> = results.filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_target_has_its_harness() {
    let manifest = std::fs::read_to_string("fuzz/Cargo.toml").expect("the manifest");
    let targets = manifest.lines().filter_map(|line| line.strip_prefix("path = \""));
    let targets: Vec<&str> = targets
        .map(|path| path.trim_start_matches("fuzz_targets/").trim_end_matches(".rs\""))
        .collect();
    let names: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(targets, names);
    for name in names {
        let target = std::fs::read_to_string(format!("fuzz/fuzz_targets/{name}.rs"));
        assert!(target.expect("a target").contains(&format!("harness::{name}(data)")), "{name}");
    }
}

/// In every format, JSON too: what reads it here knows no such numbers and no such depth.
#[test]
fn values_of_any_size_and_depth_are_printed_well() {
    let numbers = format!("(defn main[] [{} \"1\" -{}])", "7".repeat(400), "9".repeat(4_000));
    let deep =
        format!("(data N (Z) (S n)) (defn main[] {}Z{})", "(S ".repeat(300), ")".repeat(300));
    for (text, seed) in
        [numbers, deep].iter().flat_map(|text| (0..20).map(move |seed| (text, seed)))
    {
        let end = both(text.as_bytes(), &mut Dice::new(seed));
        assert_eq!(end, Ok(Some(End::Value)), "{seed}: {text}");
    }
}

/// Inputs that are no programs would test the reports alone.
#[test]
fn most_inputs_are_programs() {
    let programs = |target: &str| -> usize {
        let is_program = |(_, bytes): &(String, Vec<u8>)| match target {
            "listing" => {
                let text = std::str::from_utf8(bytes).expect("a listing");
                parse(text).is_ok_and(|program| verify(&program).is_empty())
            }
            _ => both(&bytes[2..], &mut Dice::new(0)).expect("both machines agree").is_some(),
        };
        seeds(target).iter().filter(|seed| is_program(seed)).count()
    };
    for (target, count) in [("fast", 5), ("reference", 5), ("compiler", 5), ("listing", 4)] {
        assert!(programs(target) >= count, "{target}: {}", programs(target));
    }
}
