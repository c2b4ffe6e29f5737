//! What compiling costs, by counted accesses to arenas and lists: in proportion to the program, whatever its
//! shape.

use std::fmt::Write as _;

use crate::base::index::count;
use crate::driver::{Options, build};
use crate::load::{NoFiles, Source};
use crate::optimise::{self, Passes};

mod adding;
mod budgets;
mod families;
mod forms;

/// `n` pieces of text, one for each number.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut out, at| {
        let _ = write!(out, "{} ", piece(at));
        out
    })
}

/// `open` n times, the middle, `close` n times.
fn nest(n: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(n), close.repeat(n))
}

/// Opening pieces that differ, the middle, `close` n times.
fn chain(n: usize, open: impl Fn(usize) -> String, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", each(n, open), close.repeat(n))
}

/// Returns the accesses that compiling a program costs.
fn work(program: &str, passes: Passes) -> u64 {
    let (accesses, error) = work_of(program, passes);
    assert_eq!(error, None);
    accesses
}

/// Returns the accesses that compiling a text costs, and its first mistake.
fn work_of(text: &str, passes: Passes) -> (u64, Option<String>) {
    let options =
        Options { optimise: optimise::Options { passes, verbose: false }, ..Options::RUN };
    let before = count::accesses();
    let built = build(&Source::text("growth", text), &NoFiles, &options);
    let error = built.diagnostics.iter().find(|report| report.is_error());
    (count::accesses() - before, error.map(|error| error.message.clone()))
}

/// The accesses that compiling a program takes, and the instructions of its code.
fn cost(program: &str, passes: Passes) -> (u64, u64) {
    let options =
        Options { optimise: optimise::Options { passes, verbose: false }, ..Options::RUN };
    let before = count::accesses();
    let built = build(&Source::text("growth", program), &NoFiles, &options);
    let Some(code) = &built.gcode else { panic!("{:?}: {program}", built.diagnostics.first()) };
    let instructions = code.globals.iter().map(|global| global.code.len() as u64).sum();
    (count::accesses() - before, instructions)
}
