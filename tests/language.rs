//! What programs mean: the cases under `tests/language/`, each run on every machine, in every
//! mode of its collector.

use gmachine::machine::{MachineKind, Stress};
use gmachine::optimise::Passes;
use gmachine_testing::cases::{self, Expected};
use gmachine_testing::common::{Failure, Mode, Run, run_in};

/// Whether a run is what a case expects.
fn is_right(expected: &Expected, run: &Run) -> bool {
    match expected {
        Expected::Prints(output) => run.failure.is_none() && run.output == *output,
        Expected::Fails { output, code, words } => {
            let printed = output.as_ref().is_none_or(|output| run.output == *output);
            let is_same =
                |failure: &Failure| failure.code == *code && failure.message.contains(words);
            printed && run.failure.as_ref().is_some_and(is_same)
        }
    }
}

/// Every case in these modes.
fn check(modes: &[Mode], passes: Passes) {
    let mut total = 0;
    let mut wrong = Vec::new();
    for (file, section) in cases::all() {
        for case in section.cases {
            total += 1;
            let program = format!("{}(defn main[] {})\n", section.definitions, case.expression);
            for &mode in modes {
                let run = run_in(mode, &program, "", passes);
                // The fast machine allocates nothing for many a small program.
                let collected = run.statistics.collections > 0;
                let has_collected = collected
                    || !mode.collects()
                    || run.statistics.allocated_bytes == 0
                    || run.statistics == Default::default();
                if is_right(&case.expected, &run) && has_collected {
                    continue;
                }
                let (line, title) = (case.line, &section.title);
                let (expression, output, failure) = (&case.expression, run.output, run.failure);
                wrong.push(format!(
                    "{file}:{line} ({title}) {expression}\n    {mode:?} got {output:?} {failure:?}"
                ));
            }
        }
    }
    assert!(total >= 500, "only {total} cases were read");
    assert!(wrong.is_empty(), "{} of {total} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_case_holds_on_every_machine() {
    let modes: Vec<Mode> = Mode::all().filter(|mode| mode.stress == Stress::None).collect();
    assert_eq!(modes.len(), MachineKind::ALL.len());
    check(&modes, Passes::NONE);
}

#[test]
fn every_case_holds_however_often_the_machine_collects() {
    // The reference machine has one generation: one mode under stress.
    let is_another = |mode: &Mode| match mode.machine {
        MachineKind::Reference => mode.stress == Stress::Full,
        _ => mode.stress != Stress::None,
    };
    let modes: Vec<Mode> = Mode::all().filter(is_another).collect();
    check(&modes, Passes::NONE);
    // The code that the fast machine is given is mostly code after passes.
    let modes: Vec<Mode> =
        modes.into_iter().filter(|mode| mode.machine == MachineKind::Fast).collect();
    check(&modes, Passes::ALL);
}
