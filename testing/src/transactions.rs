//! Transactions against a model: what variables hold after each, what it gives, whether it waits,
//! and what it does when another thread lets it go on. The model knows nothing of how transactions
//! are made: it copies all variables and puts them back.

use std::collections::BTreeSet;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, Stress};
use gmachine::optimise::Passes;

use crate::common::{Mode, code_in, compiled, limits};
use crate::dice::Dice;
use crate::tally::Tally;

/// How many variables there are.
const VARIABLES: usize = 3;

/// What a transaction does, step by step; each step is given an integer and gives one.
enum Step {
    /// The value of a variable.
    Read(usize),
    /// A variable gets the integer and so much more.
    Write(usize, i64),
    /// A variable gets twice its value and so much more.
    Modify(usize, i64),
    /// Waits until the variable is less than this.
    Check(usize, i64),
    /// Waits.
    Retry,
    /// Throws the integer and so much more.
    Throw(i64),
    /// One thing, or if that waits another.
    OrElse(Vec<Step>, Vec<Step>),
    /// One thing, or if that throws another, without what the first has written.
    CatchStm(Vec<Step>, Vec<Step>),
    /// One thing, or if that throws another, with what the first has written. Waiting cannot be
    /// caught: the transaction goes on, and waits at its end.
    Catch(Vec<Step>, Vec<Step>),
}

fn steps(dice: &mut Dice, depth: usize) -> Vec<Step> {
    let count = 1 + dice.roll(4);
    (0..count).map(|_| step(dice, depth)).collect()
}

fn step(dice: &mut Dice, depth: usize) -> Step {
    let (variable, number) = (dice.roll(VARIABLES), dice.roll(9) as i64);
    match dice.roll(if depth == 0 { 9 } else { 15 }) {
        0 | 1 => Step::Read(variable),
        2..=4 => Step::Write(variable, number),
        5 => Step::Modify(variable, number),
        6 => Step::Check(variable, 3 * number),
        7 if dice.one_in(2) => Step::Retry,
        8 if dice.one_in(2) => Step::Throw(number),
        7 | 8 => Step::Read(variable),
        9..=11 => Step::OrElse(steps(dice, depth - 1), steps(dice, depth - 1)),
        12 | 13 => Step::CatchStm(steps(dice, depth - 1), steps(dice, depth - 1)),
        _ => Step::Catch(steps(dice, depth - 1), steps(dice, depth - 1)),
    }
}

/// Returns the action of some steps, in the transaction `t`.
fn text(steps: &[Step], given: &str, names: &mut u32) -> String {
    let Some((first, rest)) = steps.split_first() else { return format!("(return {given})") };
    *names += 1;
    let name = format!("x{names}");
    let handler = |of: &[Step], names: &mut u32| {
        let number = text(of, &format!("n{name}"), names);
        let other = text(of, "0", names);
        format!("(fn [e] (case e [(Thrown n{name} _) {number}] [(Failure _ _ _) {other}]))")
    };
    let action = match first {
        Step::Read(of) => format!("(readTVar t v{of})"),
        Step::Write(of, number) => {
            format!("(then (writeTVar t v{of} (add {given} {number})) (return {given}))")
        }
        Step::Modify(of, number) => format!(
            "(then (modifyTVar t v{of} (fn [z] (add (mul z 2) {number}))) (return {given}))"
        ),
        Step::Check(of, number) => format!(
            "(bind (readTVar t v{of}) (fn [y] (then (check t (lt y {number})) (return y))))"
        ),
        Step::Retry => "(retry t)".to_owned(),
        Step::Throw(number) => format!("(throw (add {given} {number}))"),
        Step::OrElse(one, other) => {
            format!("(orElse t {} {})", text(one, given, names), text(other, given, names))
        }
        Step::CatchStm(one, other) => {
            format!("(catchSTM t {} {})", text(one, given, names), handler(other, names))
        }
        Step::Catch(one, other) => {
            format!("(catch {} {})", text(one, given, names), handler(other, names))
        }
    };
    format!("(bind {action} (fn [{name}] {}))", text(rest, &name, names))
}

/// Why an action ends without a value.
enum Fails {
    Thrown(i64),
    /// As `retry` ends, and what comes of it.
    Waits,
}

/// A transaction under way.
struct Model {
    variables: [i64; VARIABLES],
    read: BTreeSet<usize>,
    /// Whether it has performed `retry`, whatever has become of that.
    waits: bool,
}

impl Model {
    fn steps(&mut self, steps: &[Step], given: i64) -> Result<i64, Fails> {
        steps.iter().try_fold(given, |given, step| self.step(step, given))
    }

    fn step(&mut self, step: &Step, given: i64) -> Result<i64, Fails> {
        match step {
            Step::Read(of) => {
                self.read.insert(*of);
                Ok(self.variables[*of])
            }
            Step::Write(of, number) => {
                self.variables[*of] = given + number;
                Ok(given)
            }
            Step::Modify(of, number) => {
                self.read.insert(*of);
                self.variables[*of] = self.variables[*of] * 2 + number;
                Ok(given)
            }
            Step::Check(of, number) => {
                self.read.insert(*of);
                let value = self.variables[*of];
                if value < *number { Ok(value) } else { self.retry() }
            }
            Step::Retry => self.retry(),
            Step::Throw(number) => Err(Fails::Thrown(given + number)),
            Step::OrElse(one, other) => {
                let before = self.variables;
                let (ended, waits) = self.apart(one, given);
                match waits {
                    true => {
                        self.variables = before;
                        self.steps(other, given)
                    }
                    false => ended,
                }
            }
            Step::CatchStm(one, other) => {
                let before = self.variables;
                let (ended, waits) = self.apart(one, given);
                match ended {
                    _ if waits => self.retry(),
                    Ok(value) => Ok(value),
                    Err(fails) => {
                        self.variables = before;
                        self.steps(other, fails.thrown())
                    }
                }
            }
            Step::Catch(one, other) => match self.steps(one, given) {
                Ok(value) => Ok(value),
                Err(fails) => self.steps(other, fails.thrown()),
            },
        }
    }

    /// Performs some steps; returns also whether they have performed `retry` themselves.
    fn apart(&mut self, steps: &[Step], given: i64) -> (Result<i64, Fails>, bool) {
        let earlier = std::mem::take(&mut self.waits);
        let ended = self.steps(steps, given);
        (ended, std::mem::replace(&mut self.waits, earlier))
    }

    fn retry(&mut self) -> Result<i64, Fails> {
        self.waits = true;
        Err(Fails::Waits)
    }
}

impl Fails {
    /// Returns what a handler here makes of it: the integer that was thrown. What `retry` throws is
    /// none.
    fn thrown(self) -> i64 {
        match self {
            Fails::Thrown(number) => number,
            Fails::Waits => 0,
        }
    }
}

/// Returns what a transaction prints, and what it leaves; `None` if it waits, and for which
/// variables.
fn model(steps: &[Step], before: [i64; VARIABLES]) -> (Option<String>, Model) {
    let mut model = Model { variables: before, read: BTreeSet::new(), waits: false };
    let ended = model.steps(steps, 1);
    if model.waits || ended.is_err() {
        model.variables = before;
    }
    let printed = match ended {
        _ if model.waits => None,
        Ok(value) => Some(format!("gives {value}")),
        Err(fails) => Some(format!("throws {}", fails.thrown())),
    };
    (printed, model)
}

const DEFINITIONS: &str = "\
(import io)
(import stm)
(defn line[text n] (putLine (append text (showInt n))))
(defn told[m] (bind (attempt m) (fn [r] (case r
  [(Right x) (line \"gives \" x)]
  [(Left e) (case e [(Thrown n _) (line \"throws \" n)] [(Failure _ _ _) (putLine \"waits\")])]))))
";

/// Generates a program of transactions, one after the other, and what it writes.
fn program(dice: &mut Dice) -> (String, String) {
    let mut variables = [0; VARIABLES];
    variables.fill_with(|| dice.roll(9) as i64);
    let mut names = 0;
    let (mut actions, mut wanted) = (Vec::new(), String::new());
    let start = variables;
    for _ in 0..1 + dice.roll(4) {
        let steps = steps(dice, 2);
        let body = text(&steps, "1", &mut names);
        // Another thread writes a variable: once this one waits, or when it yields.
        let other = dice.one_in(2).then(|| (dice.roll(VARIABLES), dice.roll(20) as i64));
        if let Some((of, number)) = other {
            actions.push(format!("(fork (atomically (fn [t] (writeTVar t v{of} {number}))))"));
        }
        actions.push(format!("(told (atomically (fn [t] {body})))"));
        actions.push("yield".to_owned());
        let (mut printed, mut after) = model(&steps, variables);
        variables = after.variables;
        if let Some((of, number)) = other {
            variables[of] = number;
            if printed.is_none() && after.read.contains(&of) {
                (printed, after) = model(&steps, variables);
                variables = after.variables;
            }
        }
        wanted += &printed.unwrap_or_else(|| "waits".to_owned());
        wanted.push('\n');
    }
    for (at, value) in variables.iter().enumerate() {
        actions.push(format!("(bind (readTVarNow v{at}) (line \"\"))"));
        wanted += &format!("{value}\n");
    }
    let all = actions
        .iter()
        .rev()
        .fold("(return 0)".to_owned(), |rest, action| format!("(then {action}\n{rest})"));
    let made =
        start.iter().enumerate().rev().fold(all, |rest, (at, value)| {
            format!("(bind (newTVar {value}) (fn [v{at}]\n{rest}))")
        });
    (format!("{DEFINITIONS}(defn main[] {made})"), wanted)
}

/// Tries a program of transactions that a number decides, on every machine at every level.
///
/// # Errors
/// With what a machine writes, if it is not what the model says.
pub fn wrong(seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(seed);
    let (text, wanted) = program(&mut dice);
    for level in 0..3 {
        let code = compiled(&text, Passes::level(level))
            .map_err(|run| format!("transactions: {:?} of\n{text}", run.failure))?;
        let modes: Vec<Mode> = Mode::all().collect();
        for (at, &mode) in modes.iter().enumerate() {
            // Of those that collect, one each time.
            if mode.stress != Stress::None && !(seed as usize + at).is_multiple_of(modes.len()) {
                continue;
            }
            let config = Config { stress: mode.stress, ..limits() };
            let run = code_in(mode.machine, &code, "", Format::Default, config);
            if run.failure.is_some() || run.output != wanted {
                return Err(format!(
                    "transactions: {mode:?} at -O{level}: wanted {wanted:?}, found {:?} {:?} of\n{text}",
                    run.output, run.failure
                ));
            }
        }
    }
    Ok(Tally { cases: 1, values: 1, ..Tally::default() })
}
