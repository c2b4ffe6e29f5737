//! Programs in G-code that no scheme makes: made at random or by the compiler, and changed.
//! What passes the verifier means the same on every machine, and corrupts none.

mod change;
mod make;

use std::sync::LazyLock;

use gmachine::gcode::effect::Effect;
use gmachine::gcode::instr::Instr;
use gmachine::gcode::program::{GlobalId, Program};
use gmachine::gcode::{Verified, parse, print, verify};
use gmachine::machine::fast::code::verify::verify as verify_compact;
use gmachine::machine::fast::translate::translate;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, NativeCode, Stress};

use crate::common::{Text, compile_after, machine, native, subset};
use crate::dice::Dice;
use crate::ends::{End, Found, found_within};
use crate::hunt::{no_panic, one, small};
use crate::parity::is_right;
use crate::tally::Tally;
use crate::{cases, harness, typed};

/// Instructions of the reference machine.
const FUEL: u64 = 20_000;

/// Reductions of the fast machine, and those where it collects all the time.
const REDUCTIONS: (u64, u64) = (2_000, 150);

/// Bytes of a run, and of one that collects all the time: each collection goes through them.
const HEAP: (u64, u64) = (256 << 10, 64 << 10);

/// The most instructions of a program that is changed: large ones are slow and show no more.
const SIZE: usize = 600;

/// Generates a program that verifies, as a listing.
#[must_use]
pub fn listing(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut program = original(&mut dice);
    for _ in 0..dice.roll(7) {
        // Mostly the verifier refuses what comes of a change.
        for _ in 0..8 {
            let mut changed = program.clone();
            change::change(&mut changed, &mut dice);
            if verify::verify(&changed).is_empty() {
                program = changed;
                break;
            }
        }
    }
    print::program(&program, &mut print::bare)
}

/// Returns a program to be changed: what the compiler makes, a listing of the corpus, or one made
/// here.
fn original(dice: &mut Dice) -> Program {
    static CORPUS: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let texts = harness::seeds("listing").into_iter();
        let texts = texts.filter_map(|(_, bytes)| String::from_utf8(bytes).ok());
        let programs = texts.filter_map(|text| parse::parse(&text).ok());
        programs.filter(|program| Verified::new(program.clone()).is_ok()).collect()
    });
    match dice.roll(10) {
        0 => {
            let text = typed::program(dice.any());
            let passes = subset(dice.any());
            let compiled = compile_after(&text, passes).map(|program| Program::clone(&program));
            let size = |program: &Program| -> usize {
                program.globals.iter().map(|global| global.code.len()).sum()
            };
            compiled.filter(|program| size(program) <= SIZE).unwrap_or_else(|| made(dice))
        }
        1 if !CORPUS.is_empty() => CORPUS[dice.roll(CORPUS.len())].clone(),
        2 => of_a_case(dice).unwrap_or_else(|| made(dice)),
        _ => made(dice),
    }
}

/// Returns a case of the language about actions, arrays or byte strings, which no other program
/// here has.
fn of_a_case(dice: &mut Dice) -> Option<Program> {
    static CASES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let is_about = |file: &str| {
            ["actions", "arrays", "bytes"]
                .iter()
                .any(|name| file.ends_with(&format!("{name}.cases")))
        };
        let sections = cases::all().into_iter().filter(|(file, _)| is_about(file));
        let texts = sections.flat_map(|(_, section)| {
            section.cases.iter().map(|case| section.program(case)).collect::<Vec<_>>()
        });
        texts.collect()
    });
    let text = &CASES[dice.roll(CASES.len())];
    compile_after(text, subset(dice.any())).map(|program| Program::clone(&program))
}

/// Generates a random program that verifies.
fn made(dice: &mut Dice) -> Program {
    loop {
        let program = change::tidied(make::program(dice));
        if verify::verify(&program).is_empty() {
            return program;
        }
    }
}

/// Checks a listing: it reads back, what is made of it for the fast machine passes that one's
/// verifier, and both machines say the same of it.
///
/// # Errors
/// With what is wrong.
pub fn wrong(text: &str, seed: u64) -> Result<Tally, String> {
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let program = parse::parse(text).map_err(|error| format!("no listing: {error}"))?;
    let printed = print::program(&program, &mut print::bare);
    if printed != text {
        return Err(format!("a listing reads back as another: {printed}"));
    }
    match Verified::new(program) {
        Ok(program) => means_the_same(&program, seed, &mut seen)?,
        Err(_) => seen.discarded = 1,
    }
    Ok(seen)
}

/// Checks that what is made of a program for the fast machine passes that one's verifier, and both
/// machines say the same of it.
fn means_the_same(program: &Verified, seed: u64, seen: &mut Tally) -> Result<(), String> {
    let compact = translate(program.clone()).map_err(|reason| format!("translation: {reason}"))?;
    if let Some(first) = verify_compact(&compact).first() {
        return Err(format!("compact code: {first}"));
    }
    if program.main.is_none() || !program.hosts.is_empty() {
        seen.discarded += 1;
        return Ok(());
    }
    match same(program, &mut Dice::new(!seed), seen)? {
        Some(end) => seen.ended(end),
        None => seen.discarded += 1,
    }
    Ok(())
}

/// Changes of a walk.
const STEPS: usize = 32;

/// Walks from one program that verifies to the next, a change at a time, and tries each; the text
/// form every now and then.
///
/// # Errors
/// With what is wrong and a small program that shows it; empty if that is known.
pub fn walk(seed: u64, known: &mut Vec<String>) -> Result<Tally, String> {
    if seed.is_multiple_of(8) {
        return one(listing, wrong, seed, known);
    }
    let mut dice = Dice::new(seed);
    let mut seen = Tally::default();
    let Ok(mut program) = Verified::new(original(&mut dice)) else {
        return Err(format!("program {seed} is made and does not verify"));
    };
    for _ in 0..STEPS {
        let mut changed = Program::clone(&program);
        change::change(&mut changed, &mut dice);
        // Mostly the verifier refuses what comes of a change.
        let Ok(changed) = Verified::new(changed) else { continue };
        program = changed;
        seen.cases += 1;
        no_panic(|| means_the_same(&program, seed, &mut seen)).map_err(|first| {
            let text = print::program(&program, &mut print::bare);
            small(&text, first, wrong, seed, known)
        })?;
    }
    Ok(seen)
}

/// Runs a program on both machines; returns how it ends, if what the machines say can be compared.
///
/// Code that takes an operand which it has not evaluated ends in an error on the reference
/// machine; the fast one evaluates the operand. So after that nothing is compared.
///
/// # Errors
/// With what is wrong.
pub fn same(program: &Verified, dice: &mut Dice, seen: &mut Tally) -> Result<Option<End>, String> {
    let mode = dice.roll(6);
    let stress = Stress::ALL.get(mode).copied().unwrap_or_default();
    let reference = if dice.one_in(8) { Stress::Full } else { Stress::None };
    let fuel = if reference == Stress::None { FUEL } else { FUEL / 40 };
    let pieces = dice.one_in(4).then(|| 1 + dice.roll(50) as u64);
    let (wanted, unevaluated) =
        run(MachineKind::Reference, program, (reference, NativeCode::Never), fuel, pieces, seen)?;
    let fuel = if stress == Stress::None { REDUCTIONS.0 } else { REDUCTIONS.1 };
    let native = native(dice);
    let (found, _) = run(MachineKind::Fast, program, (stress, native), fuel, pieces, seen)
        .map_err(|wrong| format!("{stress:?} {native:?}: {wrong}"))?;
    if unevaluated {
        return Ok(None);
    }
    // Memory and steps run out sooner on one machine than on the other.
    let short = found.end == End::Fuel && wanted.output.starts_with(&found.output);
    if short || is_right(&wanted, &found) {
        return Ok(Some(wanted.end));
    }
    // How many characters one effect writes is the machine's choice. Code that does not go on with
    // what is left shows which it took.
    if in_pieces(program) && wanted.output.chars().next() == found.output.chars().next() {
        return Ok(None);
    }
    // A change of the code may have made a claim of strictness false, and the fast machine relies on
    // claims: it evaluates an argument that the reference machine passes as it is.
    if let Some(program) = without_claims(program) {
        return same(&program, dice, seen);
    }
    Err(format!("another result: {stress:?}: wanted {wanted:?}, found {found:?}"))
}

/// Returns a program without claims of strictness; `None` if it has none.
fn without_claims(program: &Verified) -> Option<Verified> {
    if program.globals.iter().all(|global| global.strict.is_empty()) {
        return None;
    }
    let mut program = Program::clone(program);
    program.globals.iter_mut().for_each(|global| global.strict.clear());
    Verified::new(program).ok()
}

/// Returns whether a program writes texts in pieces.
fn in_pieces(program: &Program) -> bool {
    let is_piece = |instr: &Instr| {
        matches!(instr, Instr::Effect(Effect::PutCharacters | Effect::PutErrorCharacters))
    };
    program.globals.iter().any(|global| global.code.iter().any(is_piece))
}

/// Returns what a run prints and how it ends, and whether that is because an operand was not
/// evaluated. With `pieces`, it is stopped after so many steps, and goes on.
fn run(
    kind: MachineKind,
    program: &Verified,
    (stress, native): (Stress, NativeCode),
    fuel: u64,
    pieces: Option<u64>,
    seen: &mut Tally,
) -> Result<(Found, bool), String> {
    let count = fuel.is_multiple_of(2);
    let heap = if stress == Stress::None { HEAP.0 } else { HEAP.1 };
    let config = Config { heap_limit: Some(heap), stress, native, count, ..Config::default() };
    let mut machine = machine(kind, program, config);
    let mut out = String::new();
    let mut result = machine.start(Format::Default, Some(Box::new(Text::new("input"))));
    if result.is_ok() {
        let (mut left, mut piece) = (fuel, pieces.unwrap_or(fuel));
        loop {
            machine.set_fuel(Some(piece.min(left)));
            left -= piece.min(left);
            // Each stop goes through the stack: there are fewer and fewer of them.
            piece += 1 + piece / 8;
            result = machine.run(&mut out);
            let is_fuel = |reached: &Limit| matches!(reached, Limit::Fuel(_));
            match &result {
                Err(Stop::Limit(reached)) if is_fuel(&reached.limit) && left > 0 => {
                    seen.stops += 1;
                    if piece.is_multiple_of(3) {
                        machine.collect();
                    }
                }
                _ => break,
            }
        }
    }
    seen.machine(kind, &*machine);
    let unevaluated = match &result {
        Err(Stop::Error(error)) => error.message.contains("an expression that is not evaluated"),
        _ => false,
    };
    match &result {
        Err(Stop::Error(error)) if !error.code.to_string().starts_with("G05") => {
            return Err(format!("a run fails with {}", error.code));
        }
        _ => {}
    }
    Ok((found_within(&out, result)?, unevaluated))
}

/// Returns a smaller program of which the same is wrong: functions become trivial, instructions go.
#[must_use]
pub fn smaller(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let Ok(mut program) = parse::parse(text) else { return text.to_owned() };
    let listing = |program: &Program| print::program(program, &mut print::bare);
    let keeps = |changed: &Program| {
        let listing = listing(changed);
        // Numbers in the text may have to be others, so it is read once more.
        parse::parse(&listing).is_ok_and(|program| verify::verify(&program).is_empty())
            && fails(&listing)
    };
    let trivial = |arity: u32| {
        let int = gmachine::gcode::instr::IntLit::Small(0);
        vec![Instr::PushInt(int), Instr::Update(arity), Instr::Pop(arity), Instr::Unwind]
    };
    let ids: Vec<GlobalId> = program.globals.indices().collect();
    for &id in &ids {
        let mut changed = program.clone();
        let global = &mut changed.globals[id];
        global.code = trivial(global.arity);
        global.spans = vec![Default::default(); global.code.len()];
        let changed = change::tidied(changed);
        if changed.globals[id].code.len() < program.globals[id].code.len() && keeps(&changed) {
            program = changed;
        }
    }
    for count in [8, 4, 3, 2, 1] {
        for &id in &ids {
            let mut at = 0;
            while at + count <= program.globals[id].code.len() {
                let mut changed = program.clone();
                change::remove(&mut changed, id, at, count);
                if keeps(&changed) { program = changed } else { at += 1 }
            }
        }
    }
    listing(&program)
}
