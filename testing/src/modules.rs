//! Compiled modules and programs in JSON: they mean what their source means, and whatever is done
//! to them, they are refused or mean the same on both machines.

use std::path::PathBuf;

use gmachine::base::span::Span;
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::gcode::{Verified, print};
use gmachine::load::{Loader, MainFile, Source};
use gmachine::optimise::{self, Passes};
use gmachine::syntax::binary::{HEADER, MAGIC, VERSION, check_sum};
use gmachine::syntax::json;

use crate::common::{NoFiles, first_mistake, subset};
use crate::dice::Dice;
use crate::ends::End;
use crate::harness::{both_of, code_of, mutate};
use crate::tally::Tally;

/// The name of the file that every program is in.
const FILE: &str = "input.core";

/// Compiles a program to a module.
///
/// # Errors
/// With the first mistake of a program that has one.
pub fn compiled(root: &Source, loader: &dyn Loader) -> Result<Vec<u8>, String> {
    let options = Options { module: true, until: Stage::Core, ..Options::RUN };
    let built = build(root, loader, &options);
    let mistake = first_mistake(&built);
    built.module.ok_or(mistake)
}

/// Makes the header of a module right: its length, and the sum of its bytes.
pub fn seal(module: &mut Vec<u8>) {
    let rest = module.split_off(HEADER.min(module.len()));
    module.clear();
    module.extend(MAGIC);
    module.extend(VERSION.to_le_bytes());
    module.extend((rest.len() as u32).to_le_bytes());
    module.extend(check_sum(&rest).to_le_bytes());
    module.extend(rest);
}

/// Returns the program that `file` of a folder is, given its bytes.
#[must_use]
pub fn in_folder(bytes: &[u8], directory: Option<PathBuf>) -> Source {
    let file = MainFile::Text { name: FILE.to_owned(), text: bytes.to_vec(), directory };
    Source { file: Some(file), expression: None }
}

/// Returns the listing of a program, with the places of its code; an error is its first mistake.
///
/// # Errors
/// When the program has a mistake.
pub fn listing(root: &Source, loader: &dyn Loader, passes: Passes) -> Result<String, String> {
    let optimise = optimise::Options { passes, verbose: false };
    let mut options = Options { optimise, ..Options::RUN };
    options.lower.needs_main = false;
    let mut built = build(root, loader, &options);
    if built.gcode.as_ref().is_some_and(|code| code.main.is_none()) {
        options.lower.roots = gmachine::core::options::EntryPoints::All;
        built = build(root, loader, &options);
    }
    let mistake = first_mistake(&built);
    let code = built.gcode.ok_or(mistake)?;
    let mut margin = |span: Span| Some(format!("{} {}", span.lo, span.hi));
    Ok(print::program(&code, &mut margin))
}

/// Returns whether a text is a program; checks that its module makes the same code then.
///
/// # Errors
/// With what differs.
pub fn same(text: &str, passes: Passes) -> Result<bool, String> {
    let source = in_folder(text.as_bytes(), None);
    let Ok(wanted) = listing(&source, &NoFiles, passes) else { return Ok(false) };
    let module = compiled(&source, &NoFiles)?;
    let found = listing(&in_folder(&module, None), &NoFiles, passes)?;
    match wanted == found {
        true => Ok(true),
        false => Err(format!("the module makes another program\n{wanted}\n{found}")),
    }
}

/// Checks a module of a program, as it is and changed.
///
/// # Errors
/// With what is wrong.
pub fn wrong(text: &str, seed: u64) -> Result<Tally, String> {
    let mut seen = Tally { cases: 1, ..Tally::default() };
    if !same(text, subset(seed))? {
        seen.discarded = 1;
        return Ok(seen);
    }
    let mut dice = Dice::new(seed);
    let mut module = compiled(&in_folder(text.as_bytes(), None), &NoFiles)?;
    let header: Vec<u8> = module.drain(..HEADER).collect();
    // The text of the source is long, and of little interest.
    let words: Vec<Vec<u8>> = (0..24).map(|byte| vec![byte]).chain(WORDS.map(Vec::from)).collect();
    let text_end = text.len().min(module.len());
    let mut rest = match dice.one_in(8) {
        true => module.split_off(0),
        false => module.split_off(text_end),
    };
    mutate(&mut dice, &mut rest, &words);
    module.extend(rest);
    let mut module = [header, module].concat();
    if !dice.one_in(16) {
        seal(&mut module);
    }
    end_of(&in_folder(&module, None), &mut dice, seen)
}

/// Numbers that are too large for something.
const WORDS: [&[u8]; 4] = [
    &[0x7F],
    &[0xFF, 0xFF, 0x03],
    &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
    &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
];

/// Checks that a program, which may be none, ends in the same way on both machines.
fn end_of(root: &Source, dice: &mut Dice, mut seen: Tally) -> Result<Tally, String> {
    let code = |passes: Passes| code_of(root, passes);
    let end: Option<End> = both_of(&code, dice, &mut seen)?;
    end.into_iter().for_each(|end| seen.ended(end));
    Ok(seen)
}

/// Returns a program in JSON.
#[must_use]
pub fn in_json(text: &[u8]) -> Source {
    let name = "input.json".to_owned();
    let file = MainFile::Json { name, text: text.to_vec(), directory: None };
    Source { file: Some(file), expression: None }
}

/// Returns a program as JSON.
///
/// # Errors
/// With the first mistake of a program that has one.
pub fn to_json(text: &str) -> Result<String, String> {
    let options = Options { until: Stage::Syntax, ..Options::RUN };
    let built: Built = build(&in_folder(text.as_bytes(), None), &NoFiles, &options);
    if built.has_errors() {
        return Err(first_mistake(&built));
    }
    let loaded = &built.loaded;
    Ok(json::write(&loaded.sources, &loaded.names, &loaded.ast, &loaded.labels))
}

/// Returns the code of a program, without places.
fn bare(code: &Verified) -> String {
    print::program(code, &mut print::bare)
}

/// Checks a program in JSON, as it is and changed.
///
/// # Errors
/// With what is wrong.
pub fn wrong_json(text: &str, seed: u64) -> Result<Tally, String> {
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let passes = subset(seed);
    let Some(code) = code_of(&in_folder(text.as_bytes(), None), passes)? else {
        seen.discarded = 1;
        return Ok(seen);
    };
    let program = to_json(text)?;
    match code_of(&in_json(program.as_bytes()), passes)? {
        Some(same) if bare(&same) == bare(&code) => {}
        Some(_) => return Err(format!("the JSON is another program\n{program}")),
        None => return Err(format!("the JSON has a mistake\n{program}")),
    }
    let mut dice = Dice::new(seed);
    let words: Vec<Vec<u8>> = JSON_WORDS.iter().map(|word| word.as_bytes().to_vec()).collect();
    let mut program = program.into_bytes();
    mutate(&mut dice, &mut program, &words);
    end_of(&in_json(&program), &mut dice, seen)
}

/// What stands in programs in JSON.
const JSON_WORDS: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "1",
    "-1",
    "1.5",
    "1e400",
    "\"x\"",
    "\"add\"",
    "\"Nil\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"at\":[0,1,1]",
    "\"defn\":",
    "\"data\":",
    "\"params\":[]",
    "\"body\":1",
    "\"apply\":[",
    "\"let\":[",
    "\"in\":",
    "\"case\":",
    "\"of\":[",
    "\"fn\":[\"x\"]",
    "\"char\":\"a\"",
    "\"text\":\"\"",
    "\"int\":\"99999999999999999999\"",
];
