//! Measuring within this process.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gmachine::grants::Grants;
use gmachine::{
    Format, Input, InputError, MachineKind, Module, Output, OutputError, Statistics, Stop, Store,
    StoreOptions,
};

/// A machine and a level of optimisation, and what was measured of one program with them.
pub struct Column {
    /// The machine.
    pub machine: MachineKind,
    /// The level.
    pub level: u8,
    /// The program at that level, ready for that machine.
    pub module: Module,
    /// How long that took, once.
    pub compile: Duration,
    /// How long each run took.
    pub runs: Vec<Duration>,
    /// What a run counted.
    pub statistics: Statistics,
}

impl Column {
    /// Runs the program once, with what it is granted, and notes time and counts.
    ///
    /// # Errors
    /// When it stops.
    pub fn run(
        &mut self,
        options: &StoreOptions,
        input: &Arc<str>,
        system: Grants,
    ) -> Result<Printed, Stop> {
        let mut store = Store::with(&self.module, options.clone());
        store.set_system(system);
        let mut printed = Printed::default();
        let input = Box::new(Text { text: input.clone(), at: 0 });
        let start = Instant::now();
        store.run_main(Some(input), &mut printed, Format::Default)?;
        self.runs.push(start.elapsed());
        self.statistics = store.statistics();
        Ok(printed)
    }

    /// Returns the median of the runs: the middle one, or the mean of the two in the middle.
    pub fn median(&self) -> Duration {
        let mut runs = self.runs.clone();
        runs.sort();
        let middle = |at: usize| runs.get(at).copied().unwrap_or_default();
        (middle(runs.len().saturating_sub(1) / 2) + middle(runs.len() / 2)) / 2
    }

    /// Returns the distance between the runs at a quarter and at three quarters, in order of
    /// length; `None` of fewer than four runs, which have no quarters.
    pub fn spread(&self) -> Option<Duration> {
        let mut runs = self.runs.clone();
        runs.sort();
        let at = |part: usize| runs.get((runs.len() - 1) * part / 4).copied();
        if runs.len() < 4 {
            return None;
        }
        Some(at(3)? - at(1)?)
    }

    /// Returns what one has to say to run it so.
    pub fn name(&self) -> String {
        format!("{} at -O{}", self.machine, self.level)
    }
}

/// An input that is known, and given to every run.
struct Text {
    text: Arc<str>,
    at: usize,
}

impl Input for Text {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        self.at += next.map_or(0, char::len_utf8);
        Ok(next)
    }

    fn take_ready(&mut self, into: &mut [char]) -> usize {
        let mut rest = self.text.get(self.at..).unwrap_or_default().chars();
        let count = into.iter_mut().zip(&mut rest).map(|(to, c)| *to = c).count();
        self.at = self.text.len() - rest.as_str().len();
        count
    }
}

/// What a run printed, in a form that takes no more room the more that is.
#[derive(Clone, Default, Debug)]
pub struct Printed {
    start: String,
    bytes: u64,
    hash: DefaultHasher,
}

impl Printed {
    /// The most characters of the output that a message shows.
    const START: usize = 60;

    /// Returns what prints this line.
    pub fn line(text: &str) -> Printed {
        let mut printed = Printed::default();
        printed.push(text);
        printed.push("\n");
        printed
    }

    fn push(&mut self, text: &str) {
        let room = Printed::START.saturating_sub(self.start.chars().count());
        self.start.extend(text.chars().take(room));
        self.bytes += text.len() as u64;
        self.hash.write(text.as_bytes());
    }

    /// Returns how it begins.
    pub fn start(&self) -> &str {
        self.start.trim_end()
    }
}

impl PartialEq for Printed {
    fn eq(&self, other: &Printed) -> bool {
        let key = |printed: &Printed| (printed.bytes, printed.hash.finish());
        key(self) == key(other)
    }
}

impl Output for Printed {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.push(text);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gmachine::Engine;

    fn column(millis: &[u64]) -> Column {
        Column {
            machine: MachineKind::Reference,
            level: 0,
            module: Engine::new().compile("empty", "").expect("a program"),
            compile: Duration::ZERO,
            runs: millis.iter().map(|&millis| Duration::from_millis(millis)).collect(),
            statistics: Statistics::default(),
        }
    }

    #[test]
    fn one_slow_run_changes_neither_median_nor_spread() {
        let of = |millis: &[u64]| {
            let column = column(millis);
            (column.median().as_millis(), column.spread().map(|spread| spread.as_millis()))
        };
        assert_eq!(of(&[5, 4, 900, 6, 7]), (6, Some(2)));
        assert_eq!(of(&[4, 8, 6, 900]), (7, Some(4)));
        assert_eq!(of(&[3, 5]), (4, None));
        assert_eq!(of(&[3]), (3, None));
        assert_eq!(of(&[]), (0, None));
    }

    #[test]
    fn what_is_printed_is_compared_to_its_end() {
        let long = "1 ".repeat(1000);
        let mut pieces = Printed::default();
        long.split_inclusive(' ').for_each(|piece| pieces.push(piece));
        pieces.push("\n");
        assert_eq!(pieces, Printed::line(&long));
        assert_ne!(pieces, Printed::line(&format!("{long}2")));
        assert_eq!(pieces.start().len(), 59);
    }
}
