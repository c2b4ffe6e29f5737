//! Floats against C: every primitive on floats that C has something for, on many operands.
//!
//! `GMACHINE_CASES` is how many operands each primitive is given, `GMACHINE_SEED` decides which.
//! Skipped where there is no C compiler (`CC`, else `cc`).

use std::io::Write;
use std::process::{Command, Stdio};

use gmachine::optimise::Passes;
use gmachine::primitive::{Operand, Primitive};
use gmachine_testing::common::run_after;
use gmachine_testing::dice::{Dice, number};
use gmachine_testing::numbers::{self, Number, PRIMITIVES};

/// What C does with operands.
const PROGRAM: &str = include_str!("libc.c");

/// What C has no counterpart of.
const OWN: [&str; 3] = ["fdigits", "fexponent", "fdecimal"];

/// Calls in one program.
const CHUNK: usize = 250;

/// How far the result may be from C's, in units of the last digit: as far as both together may be
/// from the exact one. The manual of the GNU C library has the errors of its functions; the inverse
/// hyperbolic functions are not C's here, and may be wrong by three. What the standards say to be
/// rounded correctly is the same.
fn tolerance(name: &str) -> u64 {
    match name {
        "fcbrt" => 4 + 4,
        "fasinh" | "facosh" | "fatanh" => 3 + 3,
        "fsinh" | "fcosh" | "ftanh" | "flog10" => 2 + 2,
        "fexp" | "fexp2" | "fexpm1" | "flog" | "flog2" | "flog1p" | "fsin" | "fcos" | "ftan"
        | "fasin" | "facos" | "fatan" | "fatan2" | "fpow" | "fhypot" => 1 + 1,
        _ => 0,
    }
}

/// The number of floats from one to another; none between two NaNs, of which there is one. Zeros of
/// two signs are not the same.
fn distance(a: f64, b: f64) -> u64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() == b.is_nan() { 0 } else { u64::MAX };
    }
    let place = |value: f64| {
        let size = (value.to_bits() & (u64::MAX >> 1)) as i64;
        if value.is_sign_negative() { -1 - size } else { size }
    };
    place(a).abs_diff(place(b))
}

/// A float of those that mathematics is about, or of those at which something begins or ends.
fn operand(dice: &mut Dice) -> f64 {
    let unit = dice.any() as f64 / u64::MAX as f64;
    let near = unit * 2f64.powi(-(dice.roll(60) as i32));
    let value = match dice.roll(8) {
        0 => unit,
        1 => 1.0 - near,
        2 => 1.0 + near,
        3 => unit * 30.0,
        4 => f64::from_bits(dice.any()),
        _ => numbers::float(dice),
    };
    let value = if dice.one_in(2) { -value } else { value };
    if value.is_nan() { f64::NAN } else { value }
}

fn operands(primitive: Primitive, dice: &mut Dice) -> Vec<Number> {
    let number = |dice: &mut Dice| match primitive.operand() {
        Operand::Float => Number::Float(operand(dice)),
        _ => Number::Int((dice.any() as i64 >> dice.roll(64)).into()),
    };
    (0..primitive.arity()).map(|_| number(dice)).collect()
}

/// Whether C has a result: what does not fit its integers has none.
fn is_in_c(name: &str, operands: &[Number]) -> bool {
    match operands {
        [Number::Float(value)] if name == "ftoi" => value.abs() < 9e18,
        _ => true,
    }
}

/// A C program, compiled; `None` without a compiler.
fn compiled(directory: &std::path::Path) -> Option<Command> {
    let (source, program) = (directory.join("libc.c"), directory.join("libc"));
    std::fs::write(&source, PROGRAM).expect("a file");
    let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    // Nothing is computed by the compiler, and no two operations become one.
    compiler.args(["-O0", "-fno-builtin", "-ffp-contract=off", "-o"]).arg(&program).arg(&source);
    let output = compiler.arg("-lm").output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(Command::new(program))
}

/// What C says to some lines of operands.
fn answers(c: &mut Command, lines: &str) -> String {
    let mut child = c.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    let lines = lines.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it writes").expect("it is read");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

fn line(primitive: Primitive, operands: &[Number]) -> String {
    let bits = |at: usize| match operands.get(at) {
        Some(Number::Float(value)) => value.to_bits(),
        Some(Number::Int(value)) => i64::try_from(value).expect("a word") as u64,
        None => 0,
    };
    format!("{} {:x} {:x}\n", primitive.name(), bits(0), bits(1))
}

/// Whether what the machine prints is what C says, as near as it has to be.
fn agree(name: &str, found: &str, wanted: &str) -> bool {
    let (kind, wanted) = wanted.split_at(1);
    if kind == "i" {
        let word: i64 = wanted.parse().expect("an integer");
        return found == wanted || name == "ftobits" && found == (word as u64).to_string();
    }
    let wanted = f64::from_bits(u64::from_str_radix(wanted, 16).expect("bits"));
    let found = match found {
        "+inf.0" => f64::INFINITY,
        "-inf.0" => f64::NEG_INFINITY,
        "+nan.0" => f64::NAN,
        digits => digits.parse().expect("a float"),
    };
    distance(found, wanted) <= tolerance(name)
}

#[test]
#[allow(clippy::print_stderr, reason = "what is not tested is said")]
fn floats_are_those_of_c() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(mut c) = compiled(directory.path()) else {
        eprintln!("skipped: there is no C compiler");
        return;
    };
    let (seed, cases) = (number("GMACHINE_SEED", 0), number("GMACHINE_CASES", 250) as usize);
    let is_asked = |it: &&Primitive| {
        let is_float = it.operand() == Operand::Float || it.result() == Operand::Float;
        is_float && !OWN.contains(&it.name())
    };
    let asked: Vec<Primitive> = PRIMITIVES.iter().filter(is_asked).copied().collect();
    assert!(asked.len() > 40, "{asked:?}");
    for (at, &primitive) in asked.iter().enumerate() {
        let (name, mut dice) = (primitive.name(), Dice::new(seed + at as u64));
        let mut all: Vec<Vec<Number>> =
            (0..cases).map(|_| operands(primitive, &mut dice)).collect();
        all.retain(|operands| is_in_c(name, operands));
        let lines: String = all.iter().map(|operands| line(primitive, operands)).collect();
        let wanted = answers(&mut c, &lines);
        let wanted: Vec<&str> = wanted.lines().collect();
        assert_eq!(wanted.len(), all.len());
        for (chunk, (all, wanted)) in all.chunks(CHUNK).zip(wanted.chunks(CHUNK)).enumerate() {
            let calls: Vec<String> = all
                .iter()
                .map(|operands| {
                    let texts: Vec<String> = operands.iter().map(numbers::text).collect();
                    format!("({name} {})", texts.join(" "))
                })
                .collect();
            // Some are computed by the machines, some by the optimiser.
            let level = if chunk.is_multiple_of(2) { 2 } else { 0 };
            let program = format!("(defn main[] [{}])", calls.join("\n"));
            let run = run_after(&program, "", Passes::level(level));
            assert_eq!(run.failure.map(|failure| failure.message), None, "{name}");
            let found = run.output.trim_end().strip_suffix(" Nil").expect("a list");
            let found: Vec<&str> = found.split(' ').collect();
            assert_eq!(found.len(), wanted.len());
            for ((call, found), wanted) in calls.iter().zip(found).zip(wanted) {
                let c = match u64::from_str_radix(&wanted[1..], 16) {
                    Ok(bits) if wanted.starts_with('f') => numbers::shown(f64::from_bits(bits)),
                    _ => (*wanted).to_owned(),
                };
                assert!(agree(name, found, wanted), "{call} is {found}, and in C {c}");
            }
        }
    }
}
