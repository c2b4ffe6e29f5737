//! Looking for a program that shows a mistake: many of them, on several threads, the one that
//! is found made smaller.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::dice::number;
use super::{generate, sexpr};

/// What is wrong with a program that is tried with this number, if anything is.
pub type Check<T> = fn(text: &str, seed: u64) -> Result<T, String>;

/// As the check, a panic being wrong too.
fn caught<T>(check: Check<T>, text: &str, seed: u64) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(|| check(text, seed))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// The first words of what is wrong: what a smaller program has to keep.
fn kind(wrong: &str) -> String {
    wrong.chars().take_while(|c| *c != ':').collect()
}

/// Tries the program of a number. What is wrong is shown with a small program.
fn hunt<T>(check: Check<T>, seed: u64) -> Result<T, String> {
    let text = generate::program(seed);
    caught(check, &text, seed).map_err(|first| {
        let fails =
            |text: &str| caught(check, text, seed).is_err_and(|wrong| kind(&wrong) == kind(&first));
        let small = sexpr::shrink(&text, &fails);
        let wrong = caught(check, &small, seed).err().unwrap_or(first);
        format!("program {seed}: {wrong}\n{small}")
    })
}

/// Tries programs by their numbers: `GMACHINE_CASES` of them (or so many as is said here) from
/// `GMACHINE_SEED` on, on `GMACHINE_THREADS` threads. `add` gathers what the checks return.
///
/// # Panics
/// When something is wrong with one.
pub fn all<T: 'static, S: Default + Send + 'static>(
    cases: u64,
    check: Check<T>,
    add: fn(&mut S, T),
) -> (u64, Vec<S>) {
    let (first, count) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", cases));
    let threads = number("GMACHINE_THREADS", 2);
    let workers: Vec<_> = (0..threads)
        .map(|worker| {
            std::thread::Builder::new().stack_size(1 << 30).spawn(move || {
                let mut sum = S::default();
                for seed in (first..first + count).filter(|seed| seed % threads == worker) {
                    match hunt(check, seed) {
                        Ok(found) => add(&mut sum, found),
                        Err(wrong) => panic!("{wrong}"),
                    }
                }
                sum
            })
        })
        .collect();
    let sums = workers.into_iter().map(|worker| {
        worker.expect("a thread").join().unwrap_or_else(|panic| {
            panic!("{}", panic.downcast_ref::<String>().cloned().unwrap_or_default())
        })
    });
    (count, sums.collect())
}
