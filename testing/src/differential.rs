//! One random program: a naive interpreter of the syntax tree against the whole chain.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gmachine::driver::{Options, build};
use gmachine::gcode;
use gmachine::gcode::Verified;
use gmachine::load::{Loaded, Source, load};
use gmachine::machine::Stress;
use gmachine::machine::outcome::Stop;
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::syntax;
use gmachine::syntax::ast::{ConDecl, ItemKind};

use crate::common::{NoFiles, Text, first_mistake};
use crate::dice::Dice;
use crate::ends::{self, End, Meaning, ended, is_json, meaning};
use crate::scope::Con;
use crate::{oracle, sexpr, typed};

/// What the programs' standard input is.
const INPUT: &str = "input\n of two lines";

/// Steps of the interpreter.
const STEPS: u64 = 20_000;

/// Instructions of the machine: far more than the steps of the interpreter can be.
const FUEL: u64 = 4_000_000;

/// After so many stops the pieces between them double.
const STOPS: u64 = 500;

/// A run of more instructions is not one that collects at each step.
const COLLECTED: u64 = 8_000;

pub fn loaded(text: &str) -> Loaded {
    load(&Source::text("random.core", text), &NoFiles)
}

/// Returns the code of a program, or the first error in it.
pub fn compiled(text: &str) -> Result<Verified, String> {
    let built = build(&Source::text("random.core", text), &NoFiles, &Options::RUN);
    let mistake = first_mistake(&built);
    built.gcode.ok_or(mistake)
}

/// Returns what a program does by the interpreter.
fn oracle(text: &str) -> Meaning {
    let mut out = String::new();
    let end = match oracle::run(loaded(text), INPUT, STEPS, &mut out) {
        Ok(()) => End::Value,
        Err(oracle::Stop::Error) => End::Error,
        Err(oracle::Stop::Fuel) => End::Fuel,
    };
    meaning(&out, end)
}

/// Returns what the program means, and how many instructions it takes.
fn plain(program: &Verified) -> Result<(Meaning, u64), String> {
    let mut machine =
        ends::machine(program, INPUT, Config { fuel: Some(FUEL), ..Config::default() })?;
    let mut out = String::new();
    let end = ended(machine.run(&mut out))?;
    machine.verify()?;
    Ok((meaning(&out, end), machine.statistics().instructions))
}

/// Returns how the program ends with a collection wherever there could be one, or with a stop after
/// every so many instructions, or both. `instructions` is how many it takes without.
fn interrupted(
    program: &Verified,
    instructions: u64,
    every: u64,
    stress: Stress,
) -> Result<Meaning, String> {
    // Each collection goes through all that is live: a long run would take long squared.
    let stress = if instructions > COLLECTED { Stress::None } else { stress };
    let mut machine = ends::machine(program, INPUT, Config { stress, ..Config::default() })?;
    let mut out = String::new();
    // A stop is paid for with instructions that go on again.
    let mut fuel = 8 * instructions.min(FUEL / 8) + 1_000;
    for round in 0_u64.. {
        // Each stop goes through the stack: there are fewer and fewer of them.
        let piece = every << (round / STOPS).min(20);
        machine.set_fuel(Some(piece));
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
        match fuel.checked_sub(piece) {
            Some(left) => fuel = left,
            None => break,
        }
    }
    Ok(meaning(&out, End::Fuel))
}

/// Which comparisons are made, by the number of the program: each has its turn.
#[derive(Clone, Copy)]
pub struct Plan(pub u64);

/// Checks that a program does on the reference machine what it does by the interpreter; returns how
/// it ends.
pub fn wrong(text: &str, plan: Plan) -> Result<End, String> {
    let program = compiled(text)?;
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
    let (found, instructions) = plain(&program)?;
    same("the machine", found)?;
    match plan.0 % 4 {
        0 => {
            let found = interrupted(&program, instructions, FUEL, Stress::Full)?;
            same("with collections", found)?;
            if wanted.1 == End::Value {
                reads_back(text, &program, wanted.0.contains("<function"))?;
            }
        }
        1 => {
            let stress = if plan.0 % 8 == 1 { Stress::Full } else { Stress::None };
            let found = interrupted(&program, instructions, 1 + plan.0 % 97, stress)?;
            same("in pieces", found)?;
        }
        2 => {
            let listing = gcode::print::program(&program, &mut gcode::print::bare);
            let read =
                gcode::parse::parse(&listing).map_err(|error| format!("{error}\n{listing}"))?;
            same(
                "the listing",
                plain(&Verified::new(read).map_err(|found| format!("the listing: {found:?}"))?)?.0,
            )?;
            let again = changed_text("reordered", &reordered(text, plan.0))?;
            same("reordered", plain(&again)?.0)?;
        }
        _ => {
            let tree = loaded(text);
            let own = |item: &&syntax::ast::Item| !tree.sources.files()[item.file].corelib;
            let items = tree.ast.items.iter().filter(own);
            let printed = syntax::print::items(&tree.ast, &tree.names, items);
            same("the printed tree", plain(&changed_text("printed", &printed)?)?.0)?;
            let renamed = sexpr::rename(text, &is_fixed);
            let ((output, end), _) = plain(&changed_text("renamed", &renamed)?)?;
            same("renamed", (output.replace(sexpr::RENAMED, ""), end))?;
        }
    }
    Ok(wanted.1)
}

/// Checks that a value is the same when it is written as an expression and read, and that JSON
/// is JSON. Functions may have no such form.
fn reads_back(text: &str, program: &Verified, has_function: bool) -> Result<(), String> {
    let print = |program: &Verified, format: Format| {
        let mut machine =
            Machine::new(program.clone(), Config { fuel: Some(FUEL), ..Config::default() });
        let mut out = String::new();
        let input = Box::new(Text::new(INPUT));
        machine.start(format, Some(input)).and_then(|()| machine.run(&mut out)).map(|()| out)
    };
    match print(program, Format::Json) {
        Ok(json) => is_json(&json)?,
        Err(Stop::Error(error)) if error.code.to_string() == "G0512" => {}
        Err(stop) => return Err(format!("as JSON: {stop}")),
    }
    let expression = match print(program, Format::Sexpr) {
        Ok(expression) => expression,
        Err(Stop::Error(error)) if error.code.to_string() == "G0512" => return Ok(()),
        // What a partial application holds is evaluated in this format alone.
        Err(Stop::Error(_) | Stop::Limit(_)) if has_function => return Ok(()),
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

fn changed_text(how: &str, text: &str) -> Result<Verified, String> {
    compiled(text).map_err(|error| format!("{how}, there is an error: {error}\n{text}"))
}

/// Returns the program with its items in another order.
fn reordered(text: &str, seed: u64) -> String {
    let mut forms = sexpr::read(text);
    Dice::new(seed).shuffle(&mut forms);
    sexpr::write(&forms)
}

/// Returns whether a name means something that is not the program's: it is not renamed then.
fn is_fixed(name: &str) -> bool {
    let keywords = ["defn", "data", "let", "letrec", "fn", "case"];
    let data = ["Tree", "Leaf", "Node", "Color", "Red", "Green", "Blue", "Nil", "Cons"];
    let of_kit = |data: &&str| data.split(['(', ')', ' ']).any(|word| word == name);
    if keywords.contains(&name) || data.contains(&name) || typed::kit::DATA.iter().any(of_kit) {
        return true;
    }
    is_standard(name)
}

/// Returns whether every program has a definition or constructor of this name.
#[must_use]
pub fn is_standard(name: &str) -> bool {
    STANDARD.0.contains(name) || standard_types().iter().flatten().any(|con| con.0 == name)
}

/// Returns the data types that every program has.
#[must_use]
pub fn standard_types() -> &'static [Vec<Con>] {
    &STANDARD.1
}

/// Names of definitions and the data types that every program has.
static STANDARD: LazyLock<(BTreeSet<String>, Vec<Vec<Con>>)> = LazyLock::new(|| {
    let tree = loaded("");
    let mut definitions = BTreeSet::new();
    let mut types = vec![vec![("Nil".to_owned(), 0), ("Cons".to_owned(), 2)]];
    for item in &tree.ast.items {
        definitions.extend(item.name.map(|name| tree.names.text(name).to_owned()));
        if let ItemKind::Data { cons } = &item.kind {
            let con = |con: &ConDecl| (tree.names.text(con.name).to_owned(), con.fields.len());
            types.push(cons.iter().map(con).collect());
        }
    }
    let primitives = gmachine::primitive::Primitive::ALL.iter();
    definitions.extend(primitives.map(|primitive| primitive.name().to_owned()));
    (definitions, types)
});
