//! Native code: whatever a program does, and wherever it changes over, it is as in the interpreter.

use gmachine::gcode::Verified;
use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, NativeCode, Stress};
use gmachine::optimise::Passes;
use gmachine_testing::common::{Run, code_in, compile_after};

macro_rules! programs {
    ($($name:literal)+) => { &[$(($name, include_str!(concat!("native/", $name, ".core")))),+] };
}

/// Programs that have between them every instruction with native code of its own: what it does if all is
/// there, and each way in which something is missing.
const PROGRAMS: &[(&str, &str)] = programs! {
    "calls" "comparisons" "cycle" "data" "failure" "floats" "integers" "no-match" "thunks" "wrong-type"
};

/// What a mistake may take: a loop without end, or a stack that grows.
const FUEL: u64 = 2_000_000;
const HEAP: u64 = 64 << 20;

/// The program of a case, without optimisation and with all of it.
fn compiled() -> impl Iterator<Item = (&'static str, Verified)> {
    PROGRAMS.iter().flat_map(|&(name, source)| {
        [Passes::NONE, Passes::ALL].map(|passes| {
            let program = compile_after(source, passes);
            (name, program.unwrap_or_else(|| panic!("{name}: a mistake in the program")))
        })
    })
}

fn ran(program: &Verified, config: Config) -> Run {
    let fuel = config.fuel.or(Some(FUEL));
    let config = Config { fuel, heap_limit: Some(HEAP), ..config };
    code_in(MachineKind::Fast, program, "", Format::Default, config)
}

/// Returns what a run has done, as far as it does not depend on when somebody looked.
fn done(run: &Run) -> String {
    let counts = &run.statistics;
    let counts = [
        counts.reductions,
        counts.allocated_bytes,
        counts.thunks_made,
        counts.thunks_entered,
        counts.thunks_updated,
    ];
    format!("{} {:?} {counts:?}", run.output, run.failure)
}

#[test]
fn a_program_may_change_over_at_any_reduction() {
    for (name, program) in compiled() {
        let never = Config { native: NativeCode::Never, ..Config::default() };
        let wanted = ran(&program, never);
        let reductions = wanted.statistics.reductions;
        // All of the first ones, then a few.
        for after in (0..100).chain((100..reductions).step_by(97)) {
            let config = Config { native: NativeCode::After(after), ..Config::default() };
            assert_eq!(done(&ran(&program, config)), done(&wanted), "{name}, after {after}");
        }
    }
}

#[test]
fn fuel_ends_after_the_same_reduction_with_the_same_report() {
    for (name, program) in compiled() {
        for fuel in (1..60).chain((60..2_000).step_by(61)) {
            let [wanted, found] = [NativeCode::Never, NativeCode::After(0)].map(|native| {
                ran(&program, Config { native, fuel: Some(fuel), ..Config::default() })
            });
            assert_eq!(done(&found), done(&wanted), "{name}, fuel {fuel}");
        }
    }
}

#[test]
fn what_native_code_does_with_too_little_memory_is_what_the_interpreter_does() {
    for (name, program) in compiled() {
        for stress in Stress::ALL {
            let [wanted, found] = [NativeCode::Never, NativeCode::After(0)]
                .map(|native| ran(&program, Config { native, stress, ..Config::default() }));
            assert_eq!(done(&found), done(&wanted), "{name}, {stress:?}");
        }
    }
}
