//! What is refused, stopped or broken, at every place where it can be: a run ends in the way
//! that it should, and goes on to the same answer when it can.
#![allow(clippy::unwrap_used, missing_docs)]

mod programs;

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gmachine::base::code::Code;
use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Input, InputError, Limit, Output, OutputError, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{
    Config, Interrupt, Machine, MachineKind, Refusal, Stress, System, SystemError,
};
use gmachine::optimise::Passes;
use gmachine_testing::common::{Mode, Run, Text, code_in, compile_after, machine, stopped};
use programs::INPUT;

/// Steps that none of the programs needs.
const FUEL: u64 = 1_000_000;

/// A program and what becomes of it if nothing is in its way.
struct Case {
    text: String,
    /// Whether it is of actions: then it is longer, and not gone through in such small steps.
    of_actions: bool,
    program: Verified,
    wanted: Run,
}

/// Every program, as the schemes alone and as all passes leave it.
fn cases() -> impl Iterator<Item = Case> {
    programs::all().flat_map(|(text, of_actions)| {
        [Passes::NONE, Passes::ALL].map(|passes| {
            let program = compile_after(&text, passes).unwrap_or_else(|| panic!("{text}"));
            let config = Config { fuel: Some(FUEL), ..Config::default() };
            let kind = MachineKind::Reference;
            let wanted = code_in(kind, &program, INPUT, Format::Default, config);
            assert!(!wanted.is_out_of_fuel(), "{text}");
            Case { text: text.clone(), of_actions, program, wanted }
        })
    })
}

impl Case {
    /// After how many steps a run is stopped: each number, or of actions fewer and fewer.
    fn places(&self) -> impl Iterator<Item = u64> {
        let of_actions = self.of_actions;
        let passed_over = move |steps: u64| if of_actions { steps / 40 } else { 0 };
        std::iter::successors(Some(0), move |&steps| Some(steps + 1 + passed_over(steps)))
    }

    fn machine(&self, mode: Mode, refuse: Refusal) -> Box<dyn Machine> {
        let config = Config { stress: mode.stress, refuse, ..Config::default() };
        machine(mode.machine, &self.program, config)
    }

    /// That a run ended as it does if nothing is in its way. A stop ends the line.
    #[track_caller]
    fn check(&self, how: &str, output: &str, ended: Result<(), Stop>) {
        let blanks = |text: &str| text.split_whitespace().collect::<String>();
        let code = match ended {
            Ok(()) => None,
            Err(stop @ (Stop::Error(_) | Stop::Exit(_))) => Some(stopped(stop).code),
            Err(stop) => panic!("{how}: {stop}\n{}", self.text),
        };
        let found = (blanks(output), code);
        let wanted = self.wanted.failure.as_ref().map(|failure| failure.code.clone());
        assert_eq!(found, (blanks(&self.wanted.output), wanted), "{how}\n{}", self.text);
    }

    /// That what is printed is a part of what is to be printed.
    #[track_caller]
    fn check_begun(&self, how: &str, output: &str) {
        let begun = self.wanted.output.starts_with(output.trim_end_matches('\n'));
        assert!(begun, "{how}: {output:?}\n{}", self.text);
    }

    /// Begins a run with fuel for some steps: whether it needs more.
    #[track_caller]
    fn stops(&self, how: &str, machine: &mut dyn Machine, steps: u64, out: &mut String) -> bool {
        machine.start(Format::Default, input()).unwrap();
        machine.set_fuel(Some(steps));
        let ended = machine.run(out);
        if matches!(ended, Err(Stop::Limit(_))) {
            return true;
        }
        self.check(how, out, ended);
        false
    }

    /// That the machine is as good as new: another run is as if nothing had been.
    #[track_caller]
    fn check_anew(&self, how: &str, machine: &mut dyn Machine) {
        machine.collect();
        let mut out = String::new();
        let ended = machine.start(Format::Default, input()).and_then(|()| machine.run(&mut out));
        self.check(&format!("{how}, anew"), &out, ended);
    }
}

fn input() -> Option<Box<dyn Input>> {
    Some(Box::new(Text::new(INPUT)))
}

/// The modes in which every request for room is seen.
const MODES: [Mode; 2] = [
    Mode { machine: MachineKind::Reference, stress: Stress::Full },
    Mode { machine: MachineKind::Fast, stress: Stress::Minor },
];

/// How many requests for room are passed over after some: none at first, and then more and more. The
/// reference machine collects at each instruction.
fn passed_over(mode: Mode, others: u64) -> u64 {
    match mode.machine {
        MachineKind::Reference => others,
        _ => others / 32,
    }
}

#[test]
fn refused_any_room_a_run_stops_at_its_limit_and_goes_on() {
    let mut refused = [0, 0];
    for case in cases() {
        for (mode, refused) in MODES.into_iter().zip(&mut refused) {
            let mut others = 0;
            loop {
                let how = format!("{mode:?}, refused after {others}");
                let mut machine = case.machine(mode, Refusal::after(others));
                let mut out = String::new();
                let mut ended = machine.start(Format::Default, input());
                let started = ended.is_ok();
                if started {
                    ended = machine.run(&mut out);
                }
                let Err(Stop::Limit(reached)) = &ended else {
                    // There were not so many.
                    case.check(&how, &out, ended);
                    break;
                };
                assert!(matches!(reached.limit, Limit::System(_)), "{how}: {ended:?}");
                *refused += 1;
                case.check_begun(&how, &out);
                if started {
                    let ended = machine.run(&mut out);
                    case.check(&how, &out, ended);
                }
                case.check_anew(&how, &mut *machine);
                others += 1 + passed_over(mode, others) * if case.of_actions { 3 } else { 1 };
            }
        }
    }
    assert!(refused.iter().all(|&refused| refused > 200), "{refused:?}");
}

/// Counts what it is asked for. Files whose names begin with `x` are not there to be read and no
/// room is left for them; no directory can be made.
struct Counting(Arc<AtomicU64>);

impl Counting {
    fn asked(&self, path: &[u8]) -> Result<(), SystemError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        match path.first() {
            Some(b'x') => Err(SystemError::Failed("no space left on device".to_owned())),
            _ => Ok(()),
        }
    }
}

impl System for Counting {
    fn read(
        &mut self,
        path: &[u8],
        _: u64,
        _: u64,
        _: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        self.asked(path).map(|()| b"read".to_vec())
    }

    fn write(&mut self, path: &[u8], _: &[u8], _: bool) -> Result<(), SystemError> {
        self.asked(path)
    }

    fn make_directory(&mut self, path: &[u8]) -> Result<(), SystemError> {
        self.asked(path)?;
        Err(SystemError::Failed("file exists".to_owned()))
    }
}

#[test]
fn the_system_is_asked_once_for_each_effect_whatever_room_is_refused() {
    const TEXT: &str = "
        (defn main [] (bind (try (fileAppend (b \"x\") (b \"1\"))) (fn [_]
          (bind (try (directoryMake (b \"made\"))) (fn [_]
          (bind (fileAppend (b \"y\") (b \"2\")) (fn [_]
          (bind (try (fileRead (b \"x\") 0 10)) (fn [_]
          (bind (fileRead (b \"y\") 0 10) (fn [read]
          (bind (try (putText [1])) (fn [_]
          (fileAppend (b \"x\") read))))))))))))))
        (defn b [text] (bytesFromText text))
        (defn try [action] (handle action (fn [_ _] (return Nil)) (fn [_ message _] (putText message))))";
    let mut refused = 0;
    for passes in [Passes::NONE, Passes::ALL] {
        let program = compile_after(TEXT, passes).unwrap();
        for mode in MODES {
            let asked = Arc::new(AtomicU64::new(0));
            let run = |others: Option<u64>| {
                asked.store(0, Ordering::Relaxed);
                let refuse = others.map_or(Refusal::default(), Refusal::after);
                let config = Config { stress: mode.stress, refuse, ..Config::default() };
                let mut machine = machine(mode.machine, &program, config);
                machine.set_system(Box::new(Counting(asked.clone())));
                let mut out = String::new();
                let mut started = machine.start(Format::Default, None);
                let is_refused = started.is_err();
                if is_refused {
                    started = machine.start(Format::Default, None);
                }
                assert_eq!(started, Ok(()));
                let mut ended = machine.run(&mut out);
                let is_stopped = matches!(ended, Err(Stop::Limit(_)));
                if is_stopped {
                    ended = machine.run(&mut out);
                }
                let Err(Stop::Error(error)) = ended else { panic!("{ended:?}") };
                // Where the run stops the line is ended.
                let out = out.replace('\n', "");
                (is_refused || is_stopped, (out, error.code, asked.load(Ordering::Relaxed)))
            };
            let (_, wanted) = run(None);
            assert_eq!((wanted.1, wanted.2), (Code::SystemFailed, 6), "{}", wanted.0);
            let mut others = 0;
            loop {
                let (is_refused, found) = run(Some(others));
                assert_eq!(found, wanted, "{mode:?}, refused after {others}");
                if !is_refused {
                    break;
                }
                refused += 1;
                others += 1 + passed_over(mode, others);
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn interrupted_at_any_safe_point_a_run_goes_on() {
    let mut stopped = 0;
    for case in cases() {
        for kind in [MachineKind::Reference, MachineKind::Fast] {
            let mode = Mode { machine: kind, stress: Stress::None };
            for steps in case.places() {
                let how = format!("{kind:?}, interrupted after {steps}");
                let mut machine = case.machine(mode, Refusal::default());
                let mut out = String::new();
                if !case.stops(&how, &mut *machine, steps, &mut out) {
                    break;
                }
                // It is where its fuel has brought it.
                machine.interrupt_handle().interrupt();
                machine.set_fuel(None);
                assert!(matches!(machine.run(&mut out), Err(Stop::Interrupted(_))), "{how}");
                stopped += 1;
                case.check_begun(&how, out.trim_end());
                if steps % 3 == 0 {
                    machine.collect();
                }
                let ended = machine.run(&mut out);
                case.check(&how, &out, ended);
            }
        }
    }
    assert!(stopped > 5_000, "{stopped}");
}

#[test]
fn a_stopped_run_whose_stack_is_not_kept_is_out_of_memory_whenever_it_goes_on() {
    let mut lost = 0;
    for case in cases() {
        for stress in [Stress::None, Stress::Full] {
            let mode = Mode { machine: MachineKind::Fast, stress };
            for steps in case.places() {
                let how = format!("{mode:?}, stopped after {steps}");
                let mut machine = case.machine(mode, Refusal::of_stacks());
                let mut out = String::new();
                if !case.stops(&how, &mut *machine, steps, &mut out) {
                    break;
                }
                machine.set_fuel(Some(FUEL));
                // What it was evaluating is lost, but it may need none of that.
                for anew in [false, false, true, true] {
                    if anew {
                        out.clear();
                        machine.start(Format::Default, input()).unwrap();
                    }
                    match machine.run(&mut out) {
                        Err(Stop::Limit(reached)) => {
                            assert!(
                                matches!(reached.limit, Limit::System(_)),
                                "{how}: {reached:?}"
                            );
                            lost += 1;
                            case.check_begun(&how, &out);
                        }
                        ended => {
                            case.check(&how, &out, ended);
                            break;
                        }
                    }
                    machine.collect();
                }
            }
        }
    }
    assert!(lost > 4_000, "{lost}");
}

/// An output that takes so many bytes.
struct Narrow {
    taken: String,
    left: usize,
}

impl Output for Narrow {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        for c in text.chars() {
            self.left = self.left.checked_sub(c.len_utf8()).ok_or_else(|| OutputError {
                kind: ErrorKind::StorageFull,
                message: "full".to_owned(),
            })?;
            self.taken.push(c);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

#[test]
fn an_output_that_fails_at_any_byte_ends_the_run() {
    let mut failed = 0;
    for case in cases() {
        for kind in [MachineKind::Reference, MachineKind::Fast] {
            for left in 0..case.wanted.output.len() {
                let how = format!("{kind:?}, output fails after {left}");
                let mode = Mode { machine: kind, stress: Stress::None };
                let mut machine = case.machine(mode, Refusal::default());
                let mut out = Narrow { taken: String::new(), left };
                machine.start(Format::Default, input()).unwrap();
                match machine.run(&mut out) {
                    Err(Stop::Output(error)) => assert_eq!(error.kind, ErrorKind::StorageFull),
                    // The newline after a failure is the only thing that may be missed.
                    Err(Stop::Error(_) | Stop::Exit(_)) if left + 1 == case.wanted.output.len() => {
                    }
                    ended => panic!("{how}: {ended:?}\n{}", case.text),
                }
                assert!(case.wanted.output.starts_with(&out.taken), "{how}: {}", out.taken);
                failed += 1;
                case.check_anew(&how, &mut *machine);
            }
        }
    }
    assert!(failed > 1_000, "{failed}");
}

/// An input that fails after so many characters, for ever.
struct Torn {
    text: std::vec::IntoIter<char>,
    asked: Arc<std::sync::atomic::AtomicBool>,
}

impl Input for Torn {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        if let Some(c) = self.text.next() {
            return Ok(Some(c));
        }
        self.asked.store(true, std::sync::atomic::Ordering::Relaxed);
        Err(InputError { code: Code::InputFailed, message: "torn".to_owned() })
    }
}

#[test]
fn an_input_that_fails_at_any_character_ends_the_runs_that_need_it() {
    let mut failed = 0;
    for case in cases().filter(|case| case.text.contains("main[input]")) {
        for mode in Mode::all() {
            // Each length without stress; some where each step collects.
            let step = if mode.collects() { 4 } else { 1 };
            for length in (0..=INPUT.chars().count()).step_by(step) {
                let how = format!("{mode:?}, input fails after {length}");
                let mut machine = case.machine(mode, Refusal::default());
                let asked = Arc::default();
                let text = INPUT.chars().take(length).collect::<Vec<_>>().into_iter();
                let torn = Torn { text, asked: Arc::clone(&asked) };
                let mut out = String::new();
                machine.start(Format::Default, Some(Box::new(torn))).unwrap();
                let ended = machine.run(&mut out);
                if !asked.load(std::sync::atomic::Ordering::Relaxed) {
                    case.check(&how, &out, ended);
                    continue;
                }
                assert!(matches!(ended, Err(Stop::Input(_))), "{how}: {ended:?}");
                case.check_begun(&how, &out);
                failed += 1;
                case.check_anew(&how, &mut *machine);
            }
        }
    }
    assert!(failed > 100, "{failed}");
}

/// An input of one character, which asks for a stop when it is read.
struct Stops(Interrupt);

impl Input for Stops {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        self.0.interrupt();
        Ok(Some('x'))
    }
}

/// `main` reads a character once `x` is an integer of many limbs, and goes on with it.
fn after_reading(expression: &str) -> String {
    format!(
        "(defn main[input] (case (power 15) [x (seq x (case input [(Cons _ _) {expression}] [Nil 0]))]))
         (defn power[n] (if (eq n 0) 1234567890123456789 (square (power (sub n 1)))))
         (defn square[x] (mul x x))"
    )
}

#[test]
fn a_long_computation_of_integers_stops_at_an_interrupt_and_is_done_again() {
    for (expression, shown) in [
        ("(rem (mul x (add x 1)) 1000007)", "product"),
        ("(rem (div (add x 1) (square (power 12))) 1000007)", "quotient"),
        ("x", "digits"),
    ] {
        let program = compile_after(&after_reading(expression), Passes::NONE).unwrap();
        for kind in MachineKind::ALL {
            let mut machine = machine(*kind, &program, Config::default());
            let stops = Box::new(Stops(machine.interrupt_handle()));
            machine.start(Format::Default, Some(stops)).unwrap();
            let mut out = String::new();
            let stopped = machine.run(&mut out);
            assert!(matches!(stopped, Err(Stop::Interrupted(_))), "{kind:?}: {shown}: {stopped:?}");
            assert_eq!(out, "", "{kind:?}: {shown}");
            machine.run(&mut out).unwrap();
            assert!(!out.is_empty(), "{kind:?}: {shown}");
        }
    }
}
