//! Random programs mean the same to an interpreter of the syntax tree and to the whole chain.
//!
//! `GMACHINE_CASES` is how many programs are tried (a million takes an hour or so in a release
//! build), `GMACHINE_SEED` the first one's number. A program that fails is made smaller and
//! shown with its number.

#[path = "common/cases.rs"]
mod cases;
mod common;
#[path = "differential/dice.rs"]
mod dice;
#[path = "differential/ends.rs"]
mod ends;
#[path = "differential/generate.rs"]
mod generate;
#[path = "differential/hunt.rs"]
mod hunt;
#[path = "differential/oracle.rs"]
mod oracle;
#[path = "differential/sexpr.rs"]
mod sexpr;

use std::collections::BTreeSet;
use std::sync::Arc;

use dice::Dice;
use ends::{End, Meaning, NoFiles, ended, meaning};
use gmachine::driver::{Options, build};
use gmachine::gcode;
use gmachine::gcode::program::Program;
use gmachine::gcode::verify::verify;
use gmachine::load::{Loaded, Root, load};
use gmachine::machine::Stress;
use gmachine::machine::outcome::Stop;
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::syntax;

/// What the programs' standard input is.
const INPUT: &str = "input\n of two lines";

/// Steps of the interpreter.
const STEPS: u64 = 20_000;

/// Instructions of the machine: far more than the steps of the interpreter can be.
const FUEL: u64 = 4_000_000;

fn loaded(text: &str) -> Loaded {
    load(&Root::text("random.core", text), &NoFiles)
}

/// The code of a program, or the first error in it.
fn compiled(text: &str) -> Result<Program, String> {
    let built = build(&Root::text("random.core", text), &NoFiles, &Options::RUN);
    let error = built.diagnostics.iter().find(|report| report.is_error());
    let message = error.map(|report| format!("{}: {}", report.code, report.message));
    built.gcode.ok_or(message.unwrap_or_default())
}

/// What the interpreter says.
fn oracle(text: &str) -> Meaning {
    let mut out = String::new();
    let end = match oracle::run(loaded(text), INPUT, STEPS, &mut out) {
        Ok(()) => End::Value,
        Err(oracle::Stop::Error) => End::Error,
        Err(oracle::Stop::Fuel) => End::Fuel,
    };
    meaning(&out, end)
}

fn plain(program: &Arc<Program>) -> Result<Meaning, String> {
    let mut machine =
        ends::machine(program, INPUT, Config { fuel: Some(FUEL), ..Config::default() })?;
    let mut out = String::new();
    let end = ended(machine.run(&mut out))?;
    machine.verify()?;
    Ok(meaning(&out, end))
}

/// With a collection wherever there could be one, and a stop after every so many instructions.
fn interrupted(program: &Arc<Program>, every: u64, stress: Stress) -> Result<Meaning, String> {
    let mut machine = ends::machine(program, INPUT, Config { stress, ..Config::default() })?;
    let mut out = String::new();
    for round in 0..FUEL / every {
        machine.set_fuel(Some(every));
        let end = ended(machine.run(&mut out))?;
        if round < 100 || end != End::Fuel {
            machine.verify()?;
        }
        if end != End::Fuel {
            return Ok(meaning(&out, end));
        }
        // What waits may also be given up, and asked for again.
        if round % 7 == 3 {
            machine.collect();
        }
    }
    Ok(meaning(&out, End::Fuel))
}

/// Which comparisons are made, by the number of the program: each has its turn.
#[derive(Clone, Copy)]
struct Plan(u64);

/// What is wrong with a program, if anything is; and how it ends.
fn wrong(text: &str, plan: Plan) -> Result<End, String> {
    let program = compiled(text)?;
    let violations = verify(&program);
    if !violations.is_empty() {
        return Err(format!("the code is not valid: {violations:?}"));
    }
    let program = Arc::new(program);
    let wanted = oracle(text);
    if wanted.1 == End::Fuel {
        return Ok(End::Fuel);
    }
    let same = |what: &str, found: Meaning| {
        // An error or no end: a run may show either.
        let imprecise = wanted.1 == End::Error && found.1 == End::Fuel;
        if found == wanted || imprecise {
            return Ok(());
        }
        Err(format!("{what}: wanted {wanted:?}, found {found:?}"))
    };
    same("the machine", plain(&program)?)?;
    match plan.0 % 4 {
        0 => {
            same("with collections", interrupted(&program, FUEL, Stress::Full)?)?;
            if wanted.1 == End::Value {
                reads_back(text, &program, wanted.0.contains("<function"))?;
            }
        }
        1 => {
            same(
                "in pieces",
                interrupted(
                    &program,
                    1 + plan.0 % 97,
                    if plan.0 % 8 == 1 { Stress::Full } else { Stress::None },
                )?,
            )?;
        }
        2 => {
            let listing = gcode::print::program(&program, &mut gcode::print::bare);
            let read =
                gcode::parse::parse(&listing).map_err(|error| format!("{error}\n{listing}"))?;
            same("the listing", plain(&Arc::new(read))?)?;
            let again = changed_text("reordered", &reordered(text, plan.0))?;
            same("reordered", plain(&again)?)?;
        }
        _ => {
            let tree = loaded(text);
            let own = |item: &&syntax::ast::Item| !tree.sources.files()[item.file].corelib;
            let items = tree.ast.items.iter().filter(own);
            let printed = syntax::print::items(&tree.ast, &tree.names, items);
            same("the printed tree", plain(&changed_text("printed", &printed)?)?)?;
            let renamed = sexpr::rename(text, &is_fixed);
            let (output, end) = plain(&changed_text("renamed", &renamed)?)?;
            same("renamed", (output.replace(sexpr::RENAMED, ""), end))?;
        }
    }
    Ok(wanted.1)
}

/// Checks that a value is the same when it is written as an expression and read, and that JSON
/// is JSON. Functions may have no such form.
fn reads_back(text: &str, program: &Arc<Program>, has_function: bool) -> Result<(), String> {
    let print = |program: &Arc<Program>, format: Format| {
        let mut machine =
            Machine::new(program.clone(), Config { fuel: Some(FUEL), ..Config::default() });
        let mut out = String::new();
        let input = Box::new(common::Text::new(INPUT));
        machine.start(format, Some(input)).and_then(|()| machine.run(&mut out)).map(|()| out)
    };
    match print(program, Format::Json) {
        Ok(json) => {
            let read: Result<serde_json::Value, _> = serde_json::from_str(&json);
            read.map_err(|error| format!("no JSON: {error}: {json}"))?;
        }
        Err(Stop::Error(error)) if error.code.to_string() == "G0512" => {}
        Err(stop) => return Err(format!("as JSON: {stop}")),
    }
    let expression = match print(program, Format::Sexpr) {
        Ok(expression) => expression,
        Err(Stop::Error(error)) if error.code.to_string() == "G0512" => return Ok(()),
        // What a partial application holds is evaluated in this format alone.
        Err(Stop::Error(_)) if has_function => return Ok(()),
        Err(stop) => return Err(format!("as an expression: {stop}")),
    };
    let mut forms = sexpr::read(text);
    let main = [sexpr::Form::Atom("defn".into()), sexpr::Form::Atom("main".into())];
    forms.retain(|form| !matches!(form, sexpr::Form::List(_, item) if item.starts_with(&main)));
    let again = format!("{}(defn main[] {expression})", sexpr::write(&forms));
    let again = changed_text("read back", &again)?;
    for format in [Format::Default, Format::Sexpr] {
        let (wanted, found) = (print(program, format), print(&again, format));
        if wanted != found {
            return Err(format!("read back: wanted {wanted:?}, found {found:?}"));
        }
    }
    Ok(())
}

fn changed_text(how: &str, text: &str) -> Result<Arc<Program>, String> {
    compiled(text)
        .map(Arc::new)
        .map_err(|error| format!("{how}, there is an error: {error}\n{text}"))
}

/// The program with its items in another order.
fn reordered(text: &str, seed: u64) -> String {
    let mut forms = sexpr::read(text);
    Dice::new(seed).shuffle(&mut forms);
    sexpr::write(&forms)
}

/// Names that mean something that is not the program's: they are not renamed.
fn is_fixed(name: &str) -> bool {
    let keywords = ["defn", "data", "let", "letrec", "fn", "case"];
    let data = ["Tree", "Leaf", "Node", "Color", "Red", "Green", "Blue", "Nil", "Cons"];
    let of_kit = |data: &&str| data.split(['(', ')', ' ']).any(|word| word == name);
    if keywords.contains(&name) || data.contains(&name) || generate::kit::DATA.iter().any(of_kit) {
        return true;
    }
    thread_local! {
        static STANDARD: BTreeSet<String> = {
            let tree = loaded("");
            let names = tree.ast.items.iter().flat_map(|item| {
                let cons = match &item.kind {
                    syntax::ast::ItemKind::Data { cons } => cons.as_slice(),
                    _ => &[],
                };
                item.name.into_iter().chain(cons.iter().map(|con| con.name))
            });
            let names = names.map(|name| tree.names.text(name).to_owned());
            let primitives = gmachine::primitive::Primitive::ALL.iter();
            names.chain(primitives.map(|primitive| primitive.name().to_owned())).collect()
        };
    }
    STANDARD.with(|names| names.contains(name))
}

#[test]
fn programs_mean_what_their_text_says() {
    let check = |text: &str, seed: u64| wrong(text, Plan(seed));
    let (count, sums) = hunt::all(2_000, generate::program, check, |ends: &mut [u64; 3], end| {
        ends[end as usize] += 1
    });
    let [values, errors, endless]: [u64; 3] =
        [0, 1, 2].map(|at| sums.iter().map(|ends| ends[at]).sum());
    assert!(values > count / 2, "{values} values, {errors} errors, {endless} without end");
    assert!(errors > count / 50, "{values} values, {errors} errors, {endless} without end");
    assert!(endless < count / 10, "{values} values, {errors} errors, {endless} without end");
    if count > 10_000 {
        #[allow(clippy::print_stderr, reason = "a long run tells what it has seen")]
        {
            eprintln!("{values} values, {errors} errors, {endless} without end");
        }
    }
}

/// The interpreter is right where people have written down what is right.
#[test]
fn the_interpreter_agrees_with_the_cases() {
    let work = || {
        let mut agreed = 0;
        for (file, section) in cases::all() {
            for case in section.cases {
                let text = format!("{}(defn main[] {})", section.definitions, case.expression);
                if compiled(&text).is_err() {
                    continue;
                }
                let mut out = String::new();
                let result = oracle::run(loaded(&text), "", 3_000_000, &mut out);
                let place = format!("{file}:{} {}: {out:?} {result:?}", case.line, case.expression);
                match case.expected {
                    cases::Expected::Prints(output) => {
                        assert_eq!((result, &out), (Ok(()), &output), "{place}");
                    }
                    // A message may have no end.
                    cases::Expected::Fails { output, .. } => {
                        assert!(result.is_err(), "{place}");
                        let words = |text: &str| text.trim_end().to_owned();
                        assert!(output.is_none_or(|all| words(&all) == words(&out)), "{place}");
                    }
                }
                agreed += 1;
            }
        }
        assert!(agreed > 400, "{agreed} cases");
    };
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
