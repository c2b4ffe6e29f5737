//! The optimiser's work is in proportion to the source, whatever its shape.

use gmachine::driver::{Options, build};
use gmachine::load::Root;
use gmachine::optimise::{self, Passes};
use gmachine_testing::common::NoFiles;
use gmachine_testing::growth;

/// The steps that the passes of a level take on a program, and the instructions they leave.
fn cost(source: &str, level: u8) -> (u64, usize) {
    let passes = Passes::level(level);
    let optimise = optimise::Options { passes, ..optimise::Options::default() };
    let options = Options { optimise, ..Options::RUN };
    let built = build(&Root::text("growth.core", source), &NoFiles, &options);
    let Some(code) = &built.gcode else { panic!("{:?}: {source}", built.diagnostics.first()) };
    (built.report.steps(), code.globals.iter().map(|global| global.code.len()).sum())
}

/// Sources of one, two and four kilobytes: from one to the next nothing may grow by more than
/// a tenth more than the source does. What all programs have is added: the prelude's part.
#[test]
fn a_source_that_is_doubled_takes_twice_the_steps_and_the_code() {
    let mut shapes = 0;
    let mut wrong = Vec::new();
    for growth in growth::all() {
        shapes += 1;
        for level in [1, 2] {
            let count = growth.repetitions(1024);
            let costs = [1, 2, 4].map(|times| cost(&growth.program(times * count), level));
            for pair in costs.windows(2) {
                let [(steps, code), (twice, longer)] = [pair[0], pair[1]];
                if twice * 10 > steps * 22 || longer * 10 > code * 22 {
                    wrong.push(format!("{} at -O{level}: {costs:?}", growth.name));
                    break;
                }
            }
        }
    }
    assert!(shapes >= 100, "{shapes}");
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
