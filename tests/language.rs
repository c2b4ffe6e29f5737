//! What programs mean: the cases under `tests/language/`, each run on every machine, in every
//! mode of its collector.

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, Stress};
use gmachine::optimise::Passes;
use gmachine_testing::cases;
use gmachine_testing::common::{Mode, Run, code_in, compiled, limits};

/// A program of more instructions is run in one of the modes in which each step may collect, others
/// in all; `hunt --only cases` runs each in all.
const SHORT: u64 = 800;

/// Every case in these modes.
fn check(modes: &[Mode], passes: Passes) {
    let mut total = 0;
    let mut wrong = Vec::new();
    for (file, section) in cases::all() {
        for case in &section.cases {
            total += 1;
            let mut check = |how: &dyn std::fmt::Debug, run: &Run| {
                if !case.expected.is_met(run) {
                    let (line, title) = (case.line, &section.title);
                    let (expression, output) = (&case.expression, &run.output);
                    wrong.push(format!(
                        "{file}:{line} ({title}) {expression}\n    {how:?} got {output:?} {:?}",
                        run.failure
                    ));
                }
            };
            let program = match compiled(&section.program(case), passes) {
                Ok(program) => program,
                Err(run) => {
                    check(&"the compiler", &run);
                    continue;
                }
            };
            let run = |mode: Mode| {
                let config = Config { stress: mode.stress, ..limits() };
                code_in(mode.machine, &program, "", Format::Default, config)
            };
            let plain = Mode { machine: MachineKind::Reference, stress: Stress::None };
            let is_short = run(plain).statistics.instructions <= SHORT;
            let fast = modes.iter().filter(|mode| mode.machine == MachineKind::Fast).count();
            let mut turn = 0;
            for &mode in modes {
                turn += usize::from(mode.machine == MachineKind::Fast);
                // A longer one collects in one mode, in turn, and on the fast machine: each
                // collection of the other goes through all cells. `hunt` tries all.
                let is_its_turn = mode.machine == MachineKind::Fast && turn == 1 + total % fast;
                if !is_short && mode.collects() && !is_its_turn {
                    continue;
                }
                let run = run(mode);
                // The fast machine allocates nothing for many a small program.
                let allocates = mode.collects() && run.statistics.allocated_bytes > 0;
                if allocates && run.statistics.collections == 0 {
                    panic!("{}: {mode:?} has not collected", case.expression);
                }
                check(&mode, &run);
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

/// The modes in which each step may collect.
fn under_stress() -> Vec<Mode> {
    // The reference machine has one generation: one mode under stress.
    let is_another = |mode: &Mode| match mode.machine {
        MachineKind::Reference => mode.stress == Stress::Full,
        _ => mode.stress != Stress::None,
    };
    Mode::all().filter(is_another).collect()
}

#[test]
fn every_case_holds_however_often_the_machine_collects() {
    check(&under_stress(), Passes::NONE);
}

/// The code that the fast machine is given is mostly code after passes.
#[test]
fn every_case_holds_after_passes_however_often_the_machine_collects() {
    let modes = under_stress();
    let modes: Vec<Mode> =
        modes.into_iter().filter(|mode| mode.machine == MachineKind::Fast).collect();
    check(&modes, Passes::ALL);
}

/// A program may go on with what it is told of a failure: but for the two codes of which it is told no
/// more than the code says, the words do not depend on how the program is run.
#[test]
fn a_failure_is_told_in_the_same_words_on_every_machine_at_every_level() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (file, section) in cases::all() {
        for case in &section.cases {
            let cases::Expected::Fails { code, .. } = &case.expected else { continue };
            if ["G0505", "G0508"].contains(&code.as_str()) {
                continue;
            }
            let mut told = Vec::new();
            for level in 0..3 {
                let Ok(program) = compiled(&section.program(case), Passes::level(level)) else {
                    continue;
                };
                for &machine in MachineKind::ALL {
                    let run = code_in(machine, &program, "", Format::Default, limits());
                    told.push(run.failure.map(|failure| failure.message));
                }
            }
            compared += usize::from(told.len() == 3 * MachineKind::ALL.len());
            if told.iter().any(|words| Some(words) != told.first()) {
                wrong.push(format!("{file}:{} {}: {told:?}", case.line, case.expression));
            }
        }
    }
    assert!(compared >= 250, "only {compared} cases fail when they are run");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
