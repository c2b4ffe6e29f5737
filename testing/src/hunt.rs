//! Looking for a program that shows a mistake: many of them, on several threads, the one that
//! is found made smaller.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gmachine::gcode::parse;

use crate::corpus;
use crate::dice::number;
use crate::{listings, sexpr};

/// What is wrong with a program that is tried with this number, if anything is.
pub type Check<T> = fn(text: &str, seed: u64) -> Result<T, String>;

/// Runs the check; a panic is an error too.
fn caught<T>(check: Check<T>, text: &str, seed: u64) -> Result<T, String> {
    no_panic(|| check(text, seed))
}

/// Returns what `work` does; a panic is an error too.
///
/// # Errors
/// With what is wrong.
pub fn no_panic<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Returns what a smaller input has to keep of what is wrong: its first words, and of a panic all
/// but the numbers.
#[must_use]
pub fn kind(wrong: &str) -> String {
    let end = if wrong.starts_with("panic") { '\n' } else { ':' };
    wrong.chars().take_while(|&c| c != end).filter(|c| !c.is_ascii_digit()).take(80).collect()
}

/// How long a program is made smaller.
const SHRINKING: Duration = Duration::from_secs(20);

/// Tries the program of a number. What is wrong is shown with a small program, unless it is
/// of a kind that is known.
///
/// # Errors
/// With what is wrong; empty if that is known.
pub fn one<T>(
    make: fn(u64) -> String,
    check: Check<T>,
    seed: u64,
    known: &mut Vec<String>,
) -> Result<T, String> {
    let text =
        no_panic(|| Ok(make(seed))).map_err(|wrong| format!("{seed} is not made: {wrong}"))?;
    caught(check, &text, seed).map_err(|first| small(&text, first, check, seed, known))
}

/// Returns what is shown of what is wrong with a program: it, with a small program of which the
/// same is wrong; nothing if mistakes like it are known.
pub fn small<T>(
    text: &str,
    first: String,
    check: Check<T>,
    seed: u64,
    known: &mut Vec<String>,
) -> String {
    let this = kind(&first);
    if known.contains(&this) {
        return String::new();
    }
    let start = Instant::now();
    let fails = |text: &str| {
        start.elapsed() < SHRINKING
            && caught(check, text, seed).is_err_and(|wrong| kind(&wrong) == this)
    };
    // What is neither a listing nor has forms is shown as it is.
    let small = if parse::parse(text).is_ok() {
        listings::smaller(text, &fails)
    } else if corpus::forms(text).is_some() {
        sexpr::shrink(text, &fails)
    } else {
        text.to_owned()
    };
    let wrong = caught(check, &small, seed).err().unwrap_or(first);
    known.push(this);
    format!("program {seed}: {wrong}\n{small}")
}

/// How many programs may be wrong before a thread gives up.
const WRONG: usize = 20;

/// The name of the threads, whose panics are not shown: they are caught.
const HUNTER: &str = "hunter";

/// Spawns a thread with a large stack, whose panics are not shown.
///
/// # Panics
/// When there can be no thread.
pub fn hunter<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let show = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(HUNTER) {
                show(info);
            }
        }));
    });
    let thread = std::thread::Builder::new().stack_size(1 << 30).name(HUNTER.to_owned());
    thread.spawn(work).expect("a thread")
}

/// Tries programs, which `make` makes, by their numbers: `GMACHINE_CASES` of them (or so many as is said here) from
/// `GMACHINE_SEED` on, on `GMACHINE_THREADS` threads. `add` gathers what the checks return.
///
/// # Panics
/// When something is wrong with one: with a small program for each kind of mistake.
pub fn all<T: 'static, S: Default + Send + 'static>(
    cases: u64,
    make: fn(u64) -> String,
    check: Check<T>,
    add: fn(&mut S, T),
) -> (u64, Vec<S>) {
    let (first, count) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", cases));
    let threads = number("GMACHINE_THREADS", 2);
    let workers: Vec<_> = (0..threads)
        .map(|worker| {
            hunter(move || {
                let (mut sum, mut known, mut wrong) = (S::default(), Vec::new(), Vec::new());
                for seed in (first..first + count).filter(|seed| seed % threads == worker) {
                    match one(make, check, seed, &mut known) {
                        Ok(found) => add(&mut sum, found),
                        Err(found) => wrong.push(found),
                    }
                    if wrong.len() == WRONG {
                        break;
                    }
                }
                (sum, wrong)
            })
        })
        .collect();
    let (mut sums, mut wrong) = (Vec::new(), Vec::new());
    for worker in workers {
        let (sum, found) = worker.join().expect("its panics are caught");
        sums.push(sum);
        wrong.extend(found);
    }
    let programs = wrong.len();
    wrong.retain(|wrong| !wrong.is_empty());
    assert!(wrong.is_empty(), "{programs} programs are wrong, such as\n{}", wrong.join("\n"));
    (count, sums)
}
