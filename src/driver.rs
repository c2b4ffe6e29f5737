//! The one chain of stages: from a root file to G-code. The command and the library walk it.

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::limits::too_many;
use crate::base::places::Places;
use crate::base::quote::for_message;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::base::stack::{ensure_sufficient_stack, on_a_large_stack};
use crate::compile::{self, Compiled, compile_entries};
use crate::core::behind;
use crate::core::binary;
use crate::core::expr as core;
use crate::core::free::open;
use crate::core::lint::lint as lint_core;
use crate::core::lower::{Exports, Lowered, Partial, lower_added};
use crate::core::options::{self, EntryPoints, Mode};
use crate::core::scope::{Earlier, HostDecl};
use crate::gcode::Verified;
use crate::gcode::limits::{self, Exceeded};
use crate::gcode::link::Addition;
use crate::gcode::program::{GlobalId, Program};
use crate::lift;
use crate::load::{Loaded, Loader, Source, load};
use crate::optimise::{self, Pass, Passes, Report};
use crate::syntax::ast::Ast;

/// A form that a program takes on its way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The syntax trees of all files.
    Syntax,
    /// Names resolved, pattern matching compiled.
    Core,
    /// Supercombinators.
    Lifted,
    /// Supercombinators after the optimiser's passes.
    Optimised,
    /// Instructions.
    Gcode,
}

/// How far to go, and with what.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The last stage. Whatever it is, all mistakes of a program are found, unless it is
    /// [`Stage::Syntax`].
    pub until: Stage,
    /// The functions that the embedding program provides.
    pub hosts: &'a [HostDecl],
    /// Whether names in the root's expression that nothing binds are its parameters. If there
    /// are any, the program has no `main`: its root is [`Built::entry`].
    pub open: bool,
    /// What lowering is asked to do.
    pub lower: options::Options,
    /// How to optimise.
    pub optimise: optimise::Options,
    /// Whether the program's first file becomes a compiled module: [`Built::module`]. Then there is
    /// no later stage.
    pub module: bool,
    /// The program that this one is to be added to: its code is [`Built::addition`], then.
    pub earlier: Option<&'a dyn Earlier>,
}

impl Options<'_> {
    /// A program to be run from `main`, as the schemes alone compile it.
    pub const RUN: Options<'static> = Options {
        until: Stage::Gcode,
        hosts: &[],
        open: false,
        lower: options::Options::RUN,
        optimise: optimise::Options { passes: Passes::NONE, verbose: false },
        module: false,
        earlier: None,
    };
    /// Diagnostics alone.
    pub const CHECK: Options<'static> =
        Options { until: Stage::Core, lower: options::Options::CHECK, ..Options::RUN };
}

/// What has become of a program.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// Its texts and names, and up to [`Stage::Syntax`] its syntax trees. Its diagnostics
    /// have moved to [`Built::diagnostics`].
    pub loaded: Loaded,
    /// What there is to say of it, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// Its cases that do not match all values.
    pub partial: Vec<Partial>,
    /// Where an expression with parameters is entered, and what those are called, if that was
    /// asked for: `main` without parameters, or `residual`.
    pub entry: Option<(String, Vec<String>)>,
    /// Its form at a stage from [`Stage::Core`] to [`Stage::Optimised`], if that was the last one and there
    /// was no error.
    pub core: Option<core::Program>,
    /// What the optimiser did, if it ran.
    pub report: Report,
    /// Its G-code, if that was the last stage and there was no error.
    pub gcode: Option<Verified>,
    /// The bytes of a compiled module, if that was asked for and there was no error.
    pub module: Option<Vec<u8>>,
    /// As `gcode`, if the program is to be added to another one.
    pub addition: Option<Addition>,
    /// What it makes known to those who use it, if it has G-code.
    pub exports: Exports,
    /// What has become of each of the exported roots in G-code.
    pub roots: Vec<GlobalId>,
}

impl Built {
    /// Returns whether there is an error among the diagnostics.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Walks the chain. After an error the stages that only find more errors are still walked.
#[must_use]
pub fn build(root: &Source, loader: &dyn Loader, options: &Options<'_>) -> Built {
    on_a_large_stack(|| stages(load(root, loader), options))
}

/// Walks the chain from what has been loaded.
#[must_use]
pub fn build_loaded(loaded: Loaded, options: &Options<'_>) -> Built {
    // What is not recursive needs stack too, more than a small thread has. A long one would cost a third of
    // what this does: it is one definition, mostly.
    ensure_sufficient_stack(|| stages(loaded, options))
}

#[inline(never)]
fn stages(loaded: Loaded, options: &Options<'_>) -> Built {
    let mut built = Built { loaded, ..Built::default() };
    built.diagnostics = std::mem::take(&mut built.loaded.diagnostics);
    if options.until > Stage::Syntax {
        advance(&mut built, options);
    }
    built.diagnostics.sort_by_key(|report| (report.primary.span.is_none(), report.primary.span));
    name_generated_code(&mut built);
    built
}

/// Continues from the syntax trees.
fn advance(built: &mut Built, options: &Options<'_>) {
    let mut wanted = options.lower.clone();
    if options.module {
        wanted.needs_main = false;
        wanted.roots = EntryPoints::All;
        wanted.mentions = true;
        refuse_compiled(built);
    }
    if built.has_errors() {
        wanted.mode = Mode::Check;
    }
    if options.open {
        built.entry = open(&mut built.loaded, options.hosts, &mut built.diagnostics);
        if let Some((entry, params)) = &built.entry
            && !params.is_empty()
        {
            wanted.needs_main = false;
            wanted.roots = EntryPoints::Named(vec![entry.clone()]);
        }
    }
    let lowered = lower_added(&built.loaded, options.hosts, options.earlier, &wanted);
    let Lowered { mut program, exports, diagnostics: mut found, partial, mentions } = lowered;
    program.places = Places::new(built.loaded.sources.library());
    behind::note(&mut program);
    built.exports = exports;
    // A case that is meant to be partial is none of a run's business until it fails.
    if options.lower.mode == Mode::Check || options.module {
        let cases = partial.iter().filter(|case| !case.is_selection);
        found.extend(cases.map(Partial::diagnostic));
    }
    built.partial = partial;
    withdraw_consequences(&built.diagnostics, &mut found, &built.loaded.sources);
    built.diagnostics.append(&mut found);
    locate_missing_main(built);
    if options.module && !built.has_errors() {
        write_module(built, &program, &mentions);
    }
    built.loaded.ast = Ast::default();
    if built.has_errors() || wanted.mode == Mode::Check || options.module {
        return;
    }
    debug_assert_eq!(lint_core(&program), Vec::<String>::new(), "core");
    if options.until == Stage::Core {
        built.core = Some(program);
        return;
    }
    let lifted = match lift::lift(program) {
        Ok(lifted) => lifted,
        Err(refused) => return built.diagnostics.push(refused.diagnostic()),
    };
    debug_assert_eq!(lift::lint::lint(&lifted), Vec::<String>::new(), "supercombinators");
    if options.until == Stage::Lifted {
        built.core = Some(lifted);
        return;
    }
    let names = &built.loaded.names;
    let (optimised, report) = optimise::optimise(lifted, names, options.optimise);
    built.report = report;
    if options.until == Stage::Optimised {
        built.core = Some(optimised);
        return;
    }
    let eval_once = options.optimise.passes.has(Pass::Strictness);
    let Compiled { addition, roots } =
        compile_entries(&optimised, names, compile::Options { eval_once });
    built.roots = roots;
    let mut addition = addition;
    addition.program.set_labels(std::mem::take(&mut built.loaded.labels));
    if options.earlier.is_some() {
        built.addition = Some(addition);
        return;
    }
    let gcode = addition.program;
    if let Err(exceeded) = limits::check(&gcode) {
        return built.diagnostics.push(too_large(exceeded, &gcode, &optimised));
    }
    built.gcode = Some(Verified::new(gcode).unwrap_or_else(|violations| {
        unreachable!("the schemes make valid code, not {violations:?}")
    }));
}

/// Says in each report that points into an original text where the code is that was generated from
/// it: a mistake in that is one of the front end.
fn name_generated_code(built: &mut Built) {
    let sources = &built.loaded.sources;
    for report in &mut built.diagnostics {
        let span = report.primary.span;
        if sources.origin(span).is_some()
            && !sources.is_hidden(span)
            && let Some(place) = sources.written_place(span)
        {
            let place = for_message(&place.to_string());
            report.notes.push(format!("the code that was generated for this is at {place}"));
        }
    }
}

/// Returns the index of the program's first file.
fn first_file(loaded: &Loaded) -> Option<usize> {
    loaded.sources.files().iter().position(|file| !file.corelib)
}

/// Reports that the file to be compiled is a compiled module already.
fn refuse_compiled(built: &mut Built) {
    let Some(file) = first_file(&built.loaded) else { return };
    let base = built.loaded.sources.files()[file].base;
    if let Some(module) = built.loaded.compiled.iter().find(|module| module.base == base) {
        let message = format!("`{}` is compiled already", for_message(&module.name));
        built.diagnostics.push(
            Diagnostic::error(Code::BadModule, Span::NONE, message).help("compile its source"),
        );
    }
}

/// Writes the compiled module of the program's first file.
fn write_module(built: &mut Built, program: &core::Program, mentions: &binary::Mentions) {
    let file = first_file(&built.loaded);
    built.module = file.and_then(|file| binary::write(&built.loaded, program, mentions, file));
    if built.module.is_none() {
        let message = "this program is too large for a compiled module, which may have 4 GiB";
        built.diagnostics.push(Diagnostic::error(Code::TooLarge, Span::NONE, message));
    }
}

/// Returns the report that a program exceeds a limit of G-code.
fn too_large(exceeded: Exceeded, gcode: &Program, core: &core::Program) -> Diagnostic {
    let span = match exceeded {
        Exceeded::Parameters(id) | Exceeded::Items(id) => gcode.globals.get(id).map(|it| it.span),
        Exceeded::Fields(id) => {
            let symbol = gcode.cons.get(id).map(|con| &con.symbol);
            core.cons.iter().find(|con| Some(&con.symbol) == symbol).map(|con| con.span)
        }
        Exceeded::Arguments(_) => None,
    };
    too_many(span.unwrap_or(Span::NONE), exceeded.sentence(gcode))
}

/// Gives the report that there is no `main` a place: where the program's first file starts.
fn locate_missing_main(built: &mut Built) {
    let own = built.loaded.sources.files().iter().find(|file| !file.corelib);
    let Some(start) = own.map(|file| file.base) else { return };
    for report in &mut built.diagnostics {
        if report.code == Code::MissingMain && report.primary.span.is_none() {
            report.primary.span = Span::new(start, start);
        }
    }
}

/// Returns the part of its line that stands before a place.
fn before(span: Span, sources: &SourceMap) -> &str {
    let Some(file) = sources.file_at(span.lo) else { return "" };
    let text = file.text.get(..(span.lo - file.base) as usize).unwrap_or_default();
    text.rsplit('\n').next().unwrap_or_default()
}

/// The longest text, in bytes, that could not be read and is looked through for names, and the most
/// such texts.
const BINDING: usize = 500;
const BINDINGS: usize = 20;

/// Takes those reports out of `found` that probably follow from what could not be loaded: a
/// name without definition, if a text is missing that may define it; a `main` that is
/// missing, if any definition may be the one that could not be read; a number of arguments or of
/// fields, if the text of the call or of the pattern was none; what an operand is, if what could not be
/// read stands right before it; what an alternative hides that could not be read; a name that stands in what should have
/// bound it and could not be read.
fn withdraw_consequences(loading: &[Diagnostic], found: &mut Vec<Diagnostic>, sources: &SourceMap) {
    let binding =
        [Code::ExpectedName, Code::ExpectedPattern, Code::BadLet, Code::BadLambda, Code::BadCase];
    let unbinding: Vec<&str> = loading
        .iter()
        .map(|report| {
            let span = report.primary.span;
            match (report.code, sources.text(span)) {
                // Of `x = 3` it is what stands before.
                (Code::UnknownCharacter, "=") => (Code::ExpectedName, before(span, sources)),
                (code, text) => (code, text),
            }
        })
        // Characters that bind names elsewhere: `\x ->`, `| x <-`.
        .filter(|(code, text)| {
            binding.contains(code)
                || *code == Code::UnknownCharacter && text.starts_with(['\\', '|'])
        })
        .map(|(_, text)| text)
        .filter(|text| text.len() <= BINDING)
        .take(BINDINGS)
        .collect();
    let is_bound_there = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | '?' | '!');
        unbinding.iter().any(|text| text.split(|c| !is_part(c)).any(|word| word == name))
    };
    let missing =
        [Code::CannotRead, Code::UnknownModule, Code::TooLarge, Code::InvalidUtf8, Code::BadModule];
    let text_missing = loading.iter().any(|report| missing.contains(&report.code));
    let any_error = loading.iter().any(Diagnostic::is_error);
    found.retain(|report| match report.code {
        Code::UnboundName if is_bound_there(sources.text(report.primary.span)) => false,
        Code::UnboundName | Code::UnknownConstructor => !text_missing,
        Code::MissingMain => !any_error,
        Code::NotAFunction | Code::FunctionMain => !loading.iter().any(|error| {
            let (call, error) = (report.primary.span, error.primary.span);
            !error.is_none() && call.lo <= error.lo && error.hi <= call.hi
        }),
        // An operand that what could not be read stands before, and may have been a part of.
        Code::OperandKind => !loading.iter().any(|error| {
            let (operand, error) = (report.primary.span, error.primary.span);
            !error.is_none() && error.lo < error.hi && error.hi == operand.lo
        }),
        Code::UnreachableAlternative => !loading.iter().any(|error| {
            let error = error.primary.span;
            let hides = |span: Span| error.lo <= span.lo && span.hi <= error.hi;
            report.secondary.iter().any(|label| hides(label.span))
        }),
        Code::PatternArity => !loading.iter().any(|error| {
            let (pattern, error) = (report.primary.span, error.primary.span);
            error.lo <= pattern.lo && pattern.hi <= error.hi
        }),
        _ => true,
    });
}
