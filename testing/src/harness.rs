//! One function for each thing that takes bytes: it panics if something is wrong, and is
//! bounded in time and memory. Fuzz targets and `tests/fuzz.rs` call these.

use gmachine::core::residual::residual;
use gmachine::driver::{Built, Options, Stage, build};
use gmachine::gcode::Verified;
use gmachine::gcode::{parse, print};
use gmachine::load::Source;
use gmachine::machine::outcome::{Input, InputError, Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, NativeCode, Stress};
use gmachine::optimise::{self, Pass, Passes};
use gmachine::syntax;
use gmachine::syntax::binary::HEADER;

use crate::common::{NoFiles, first_mistake, machine, names, native, subset};
use crate::dice::Dice;
use crate::ends::{End, Found, found_within, is_json};
use crate::parity::is_right;
use crate::tally::Tally;
use crate::{calls, elements, listings, metamorphic, modules, parity, project, typed, wild};

/// A function that bytes are given to.
pub type Harness = fn(&[u8]);

/// All of them, by the names of their fuzz targets.
pub const ALL: &[(&str, Harness)] = &[
    ("syntax", syntax),
    ("compiler", compiler),
    ("reference", reference),
    ("fast", fast),
    ("listing", listing),
    ("calls", calls),
    ("programs", programs),
    ("modules", modules),
];

/// Bytes that are looked at.
const MOST: usize = 16 << 10;

/// Instructions of the reference machine.
const FUEL: u64 = 100_000;

/// Reductions of the fast machine, each some instructions: integers that grow with each of
/// them soon take seconds.
const REDUCTIONS: u64 = 10_000;

/// Bytes of a run: too few for integers that take seconds to multiply, and enough for all but
/// one in hundreds of changed programs.
const HEAP: u64 = 256 << 10;

/// Splits the input of a fuzz target into what the first bytes choose, and the text.
fn split(data: &[u8]) -> (Dice, &[u8]) {
    let data = &data[..data.len().min(MOST)];
    let (choices, text) = data.split_at(data.len().min(2));
    (Dice::of_bytes(choices), text)
}

fn panicking<T>(result: Result<T, String>) -> T {
    result.unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Compiles up to a stage, and looks at what is said.
fn built(text: &[u8], until: Stage, passes: Passes) -> Result<Built, String> {
    built_of(&Source::text("input.core", text), until, passes)
}

/// Compiles as [`built`] does, any program without other files.
fn built_of(root: &Source, until: Stage, passes: Passes) -> Result<Built, String> {
    let optimise = optimise::Options { passes, verbose: false };
    let options = Options { until, optimise, ..Options::RUN };
    let built = build(root, &NoFiles, &options);
    for report in &built.diagnostics {
        let place = report.primary.span;
        if !place.is_none() && built.loaded.sources.place(place).is_none() {
            return Err(format!("{} is nowhere: {}", report.code, report.message));
        }
        if report.message.chars().any(char::is_control) {
            return Err(format!("a message holds a control character: {:?}", report.message));
        }
    }
    Ok(built)
}

/// Returns the code of a text; `None` if it has mistakes.
///
/// # Errors
/// With what is wrong with the reports, or the code.
pub fn code(text: &[u8], passes: Passes) -> Result<Option<Verified>, String> {
    code_of(&Source::text("input.core", text), passes)
}

/// Compiles as [`code`] does, any program without other files.
///
/// # Errors
/// With what is wrong with the reports, or the code.
pub fn code_of(root: &Source, passes: Passes) -> Result<Option<Verified>, String> {
    let built = built_of(root, Stage::Gcode, passes)?;
    let has_errors = built.has_errors();
    match built.gcode {
        Some(program) => Ok(Some(program)),
        None if has_errors => Ok(None),
        None => Err("no code, and no error".to_owned()),
    }
}

/// Returns the program's own items as text.
fn own_items(built: &Built) -> String {
    let tree = &built.loaded;
    let own = |item: &&syntax::ast::Item| !tree.sources.files()[item.file].corelib;
    syntax::print::items(&tree.ast, &tree.names, tree.ast.items.iter().filter(own))
}

/// Checks lexing and parsing: reports have places; what is right is printed, reads back and prints
/// the same.
///
/// # Panics
/// When something is wrong.
pub fn syntax(data: &[u8]) {
    let text = &data[..data.len().min(MOST)];
    let built = panicking(built(text, Stage::Syntax, Passes::NONE));
    for (file, source) in built.loaded.sources.files().iter().enumerate() {
        if !source.corelib {
            let _ = syntax::listing::tokens(&built.loaded.sources, file);
        }
    }
    if !built.has_errors() {
        let printed = own_items(&built);
        let again = panicking(self::built(printed.as_bytes(), Stage::Syntax, Passes::NONE));
        assert!(!again.has_errors(), "{:?}\n{printed}", again.diagnostics);
        assert_eq!(printed, own_items(&again), "the tree prints in two ways");
    }
}

/// Checks the whole compiler: code verifies; trees, residual programs and listings read back.
///
/// # Panics
/// When something is wrong.
pub fn compiler(data: &[u8]) {
    let (mut dice, text) = split(data);
    let passes = subset(dice.roll(1 << Pass::ALL.len()) as u64);
    panicking(texts(text, passes));
}

/// Checks that all texts of a program read back; returns whether it has no mistakes.
///
/// # Errors
/// With what is wrong.
pub fn texts(text: &[u8], passes: Passes) -> Result<bool, String> {
    let Some(program) = code(text, passes)? else { return Ok(false) };
    // The listing.
    let listing = print::program(&program, &mut print::bare);
    let read = parse::parse(&listing).map_err(|error| format!("listing: {error}\n{listing}"))?;
    let again = print::program(&read, &mut print::bare);
    if listing != again {
        return Err(format!("listing: it reads back as another\n{listing}\n{again}"));
    }
    // The tree: what is printed of it makes the same code.
    let printed = own_items(&built(text, Stage::Syntax, Passes::NONE)?);
    match code(printed.as_bytes(), passes)? {
        Some(same) if print::program(&same, &mut print::bare) == listing => {}
        Some(_) => return Err(format!("tree: another program is printed\n{printed}")),
        None => return Err(format!("tree: what is printed has a mistake\n{printed}")),
    }
    // What the passes made, as a program: it is one, and what is printed of that is one.
    // Effects in code have no text.
    let core = built(text, Stage::Optimised, passes.without(Pass::Perform))?;
    if let Some(program) = &core.core {
        let printed = residual(program, &core.loaded.names, &core.loaded.sources);
        let again = built(printed.as_bytes(), Stage::Gcode, Passes::NONE)?;
        if again.has_errors() {
            return Err(format!("residual: {}\n{printed}", first_mistake(&again)));
        }
    }
    Ok(true)
}

/// An endless input.
struct Always(u32);

impl Input for Always {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        self.0 = self.0 % 1000 + 1;
        Ok(char::from_u32(self.0))
    }
}

/// Runs code; what is printed has its line ended, unless actions write it.
fn run(
    kind: MachineKind,
    code: &Verified,
    format: Format,
    (stress, native): (Stress, NativeCode),
    fuel: u64,
    count: bool,
    seen: &mut Tally,
) -> Result<Found, String> {
    let fuel = Some(fuel);
    let heap_limit = Some(HEAP);
    let config = Config { fuel, heap_limit, stress, native, count, ..Config::default() };
    let mut machine = machine(kind, code, config);
    let mut out = String::new();
    let result =
        machine.start(format, Some(Box::new(Always(0)))).and_then(|()| machine.run(&mut out));
    seen.machine(kind, &*machine);
    let acts = code.action_data().is_some();
    if !acts && !out.is_empty() && !out.ends_with('\n') {
        return Err(format!("the line is not ended: {out:?}"));
    }
    match &result {
        Ok(()) if acts => {}
        Ok(()) if format == Format::Json => is_json(&out)?,
        Ok(()) if format == Format::Sexpr => {
            let text = format!("(defn main[] {out})");
            let built = built(text.as_bytes(), Stage::Syntax, Passes::NONE)?;
            if built.has_errors() {
                return Err(format!("no expression: {out}"));
            }
        }
        Err(Stop::Error(error)) if !error.code.to_string().starts_with("G05") => {
            return Err(format!("a run fails with {}", error.code));
        }
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Time(_)) => {
            return Err("time was not limited".to_owned());
        }
        _ => {}
    }
    found_within(&out, result)
}

/// Checks the reference machine: any program ends in one of the ways that a program may end in.
///
/// # Panics
/// When something is wrong.
pub fn reference(data: &[u8]) {
    let (mut dice, text) = split(data);
    let format = [Format::Default, Format::Sexpr, Format::Json][dice.roll(3)];
    let stress = Stress::ALL[dice.roll(4)];
    let fuel = if stress == Stress::None { FUEL } else { 2_000 };
    if let Some(code) = panicking(code(text, Passes::NONE)) {
        let seen = &mut Tally::default();
        let mode = (stress, NativeCode::Never);
        panicking(run(MachineKind::Reference, &code, format, mode, fuel, false, seen));
    }
}

/// Checks the fast machine: any program does what it does on the reference machine.
///
/// # Panics
/// When something is wrong.
pub fn fast(data: &[u8]) {
    let (mut dice, text) = split(data);
    panicking(both(text, &mut dice));
}

/// Returns how a text ends as a program, of which both machines say the same; `None` if it is none.
///
/// # Errors
/// With what is wrong.
pub fn both(text: &[u8], dice: &mut Dice) -> Result<Option<End>, String> {
    both_seen(text, dice, &mut Tally::default())
}

/// Does what [`both`] does; adds what the machines have been through.
///
/// # Errors
/// With what is wrong.
pub fn both_seen(text: &[u8], dice: &mut Dice, seen: &mut Tally) -> Result<Option<End>, String> {
    both_of(&|passes| code(text, passes), dice, seen)
}

/// What compiles a program with some passes; `None` if it has mistakes.
pub type Compiler<'a> = &'a dyn Fn(Passes) -> Result<Option<Verified>, String>;

/// Does what [`both_seen`] does, with a program that `code` compiles.
///
/// # Errors
/// With what is wrong.
pub fn both_of(
    code: Compiler<'_>,
    dice: &mut Dice,
    seen: &mut Tally,
) -> Result<Option<End>, String> {
    let format = [Format::Default, Format::Default, Format::Sexpr, Format::Json][dice.roll(4)];
    let count = dice.one_in(2);
    let Some(plain) = code(Passes::NONE)? else { return Ok(None) };
    let none = (Stress::None, NativeCode::Never);
    let wanted = run(MachineKind::Reference, &plain, format, none, FUEL, count, seen)?;
    let set = parity::passes(dice, 1);
    let mode = dice.roll(8);
    let stress = Stress::ALL.get(mode).copied().unwrap_or_default();
    // A collection at each step takes its time.
    let fuel = if stress == Stress::None { REDUCTIONS } else { 1_500 };
    let native = native(dice);
    let how = format!("[{}] {stress:?} {native:?}", names(set));
    let Some(code) = code(set)? else {
        return Err(format!("{how}: there is a mistake now"));
    };
    let mode = (stress, native);
    let found = run(MachineKind::Fast, &code, format, mode, fuel, count, seen)
        .map_err(|wrong| format!("{how}: {wrong}"))?;
    // Memory runs out sooner on one machine than on the other, and steps are not the same.
    let short = found.end == End::Fuel && wanted.output.starts_with(&found.output);
    if short || is_right(&wanted, &found) {
        return Ok(Some(wanted.end));
    }
    Err(format!("another result: {how}: wanted {wanted:?}, found {found:?}"))
}

/// Checks G-code as text: what is read reads back, and of what verifies both machines say the same.
///
/// # Panics
/// When something is wrong.
pub fn listing(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(&data[..data.len().min(MOST)]) else { return };
    let Ok(program) = parse::parse(text) else { return };
    let printed = print::program(&program, &mut print::bare);
    match parse::parse(&printed) {
        Ok(again) => {
            let again = print::program(&again, &mut print::bare);
            assert_eq!(printed, again, "a listing reads back as another");
        }
        Err(error) => panic!("what is printed does not read back: {error}\n{printed}"),
    }
    if program.main.is_none() || !program.hosts.is_empty() {
        return;
    }
    let Ok(code) = Verified::new(program) else { return };
    panicking(listings::same(&code, &mut Dice::of_bytes(data), &mut Tally::default()));
}

/// Calls of the library, with a model of what they return.
///
/// # Panics
/// When something is wrong.
pub fn calls(data: &[u8]) {
    panicking(calls::wrong(Dice::of_bytes(&data[..data.len().min(MOST)])));
}

/// Checks compiled modules, given the bytes after the header. They are refused, or a program of
/// which both machines say the same.
///
/// # Panics
/// When something is wrong.
pub fn modules(data: &[u8]) {
    let mut module = vec![0; HEADER];
    module.extend(&data[..data.len().min(MOST)]);
    modules::seal(&mut module);
    let root = modules::in_folder(&module, None);
    let code = |passes: Passes| code_of(&root, passes);
    panicking(both_of(&code, &mut Dice::of_bytes(data), &mut Tally::default()));
}

/// Checks programs that the bytes choose: of sensible types, without sense, or rewritten.
///
/// # Panics
/// When something is wrong.
pub fn programs(data: &[u8]) {
    let (kind, data) = data.split_at(data.len().min(1));
    let mut dice = Dice::of_bytes(&data[..data.len().min(MOST)]);
    let seed = dice.any();
    let kind = kind.first().copied().unwrap_or_default();
    panicking(match kind % 3 {
        0 => parity::wrong(&typed::of(dice), seed),
        1 => elements::wrong(&wild::of(dice), seed),
        _ => metamorphic::wrong(&typed::of(dice), seed),
    });
}

/// Changes some bytes: they become others, go away, stand twice, or make room for words.
pub fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>, words: &[Vec<u8>]) {
    for _ in 0..1 + dice.roll(4) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + 1 + dice.roll(12)).min(bytes.len());
        match dice.roll(6) {
            0 if at < bytes.len() => bytes[at] = dice.roll(256) as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
            2 if at < end => drop(bytes.drain(at..end)),
            3 if at < end => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => {
                let word = words[dice.roll(words.len())].clone();
                bytes.splice(at..at, word);
            }
        }
    }
}

/// Returns the words of the dictionary of the fuzz targets.
///
/// # Panics
/// When a line of it is wrong.
#[must_use]
pub fn words() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(project().join("fuzz/coref.dict")).expect("the dictionary");
    let word = |line: &str| {
        let inside = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'));
        let inside = inside.unwrap_or_else(|| panic!("{line}: no word"));
        inside.replace("\\\"", "\"").replace("\\\\", "\\").into_bytes()
    };
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(word).collect()
}

/// Returns the inputs that a fuzz target begins with, by name.
///
/// # Panics
/// When there are none.
#[must_use]
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = project().join("fuzz/corpus").join(target);
    let files = std::fs::read_dir(folder).expect("a folder of inputs");
    let mut seeds: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.expect("a file").path();
            (path.display().to_string(), std::fs::read(&path).expect("an input"))
        })
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{target} has no inputs");
    seeds
}
