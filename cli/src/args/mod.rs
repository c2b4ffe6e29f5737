//! The command line.

mod views;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gmachine::MachineKind;

use super::bench;
use super::passes::{self, Change, parse_change, parse_level};
use super::quantity::{parse_count, parse_duration, parse_runs, parse_size};
pub use views::{CostsFormat, Film, Profile, Step, Steps, Trace, TraceFormat};

/// A lazy graph-reduction machine: runs programs in CoreF, a small lazy functional language
#[derive(Parser)]
#[command(
    name = "gmachine",
    version,
    before_long_help = "Examples:
  gmachine run -e '(take 5 (iterate (mul 2) 1))'
  gmachine trace -e '(add 1 2)'
  gmachine explain G0301",
    arg_required_else_help = true,
    // Without an empty line before the usage, so that the short help fits a screen.
    help_template = "{before-help}{about-with-newline}{usage-heading} {usage}\n\n{all-args}{after-help}",
    disable_help_subcommand = true,
    disable_version_flag = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
    // Left out of the short help, which has to fit a screen.
    /// Print version
    #[arg(short = 'V', long, action = clap::ArgAction::Version, display_order = 1000, hide_short_help = true)]
    version: Option<bool>,
}

/// What every command has.
#[derive(Args, Clone)]
pub struct Global {
    /// When to colour: auto, always, never
    #[arg(
        long,
        global = true,
        display_order = 101,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub color: Color,
    /// How to report mistakes: human, short, json
    #[arg(
        long,
        global = true,
        display_order = 102,
        value_name = "FORMAT",
        default_value = "human",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub error_format: ErrorFormat,
    /// Report no warnings
    #[arg(short, long, global = true, display_order = 103)]
    pub quiet: bool,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// At a terminal; NO_COLOR and CLICOLOR_FORCE are respected
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How mistakes are reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ErrorFormat {
    /// With the marked lines of the source
    Human,
    /// A line each: file:line:col: error[CODE]: message
    Short,
    /// A JSON object a line
    Json,
}

/// What there is to do.
#[derive(Subcommand)]
pub enum Command {
    Run(Run),
    Check(Check),
    Compile(Compile),
    Dump(Dump),
    Specialise(Specialise),
    Steps(Steps),
    Step(Step),
    Film(Film),
    Profile(Profile),
    Trace(Trace),
    Bench(Bench),
    Repl(Repl),
    Doc(Doc),
    Explain(Explain),
    Completions(Completions),
    Man(Man),
}

/// Where a program comes from.
#[derive(Args, Clone)]
pub struct Program {
    /// The program's file; - is standard input
    #[arg(required_unless_present = "expr")]
    pub file: Option<PathBuf>,
    /// An expression to take for main; with FILE, in its scope
    #[arg(short, long, value_name = "EXPR", allow_hyphen_values = true)]
    pub expr: Option<String>,
}

/// The form of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// The language
    Coref,
    /// The schema gmachine-program
    Json,
}

/// How a source is written.
#[derive(Args)]
pub struct Written {
    /// The form that the program is written in: coref, json
    #[arg(
        long,
        value_name = "FORM",
        default_value = "coref",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub from: Form,
}

/// Run a program and print the value of its main
#[derive(Args)]
#[command(
    override_usage = "gmachine run [OPTIONS] FILE\n       gmachine run [OPTIONS] [FILE] -e EXPR"
)]
#[command(before_long_help = "Examples:
  gmachine run fibs.core
  gmachine run fibs.core -e '(take 20 fibs)'
  gmachine run queens.core --timeout 10s --max-heap 512M")]
pub struct Run {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub form: Written,
    #[command(flatten)]
    pub optimise: Optimise,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
    /// How to print the value: text, sexpr, json
    ///
    /// As text each element of a list is written as it is computed; in the other formats nothing of
    /// a list is written before its end is reached.
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: Format,
    /// Print what the machine counted to standard error
    #[arg(short, long)]
    pub stats: bool,
    /// How to print that, and print it: text, json; or clocks, which counts nothing
    ///
    /// To count instructions takes time. With clocks the program runs as it does without
    /// statistics, and only the times are printed, as JSON.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, hide_short_help = true)]
    pub stats_format: Option<Stats>,
    /// Write folded stacks of time to FILE, a sample each millisecond, of allocation to FILE.alloc
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// The machine that runs the program: fast, native, or reference
    ///
    /// The fast machine compiles a program that runs long to native code, on the x86-64; with native
    /// it does at once.
    #[arg(long, default_value = "fast", hide_possible_values = true)]
    pub engine: Engine,
    /// What the program finds as its arguments
    #[arg(last = true, value_name = "ARGUMENT", hide_short_help = true)]
    pub arguments: Vec<String>,
}

/// What a run may use.
#[derive(Args, Clone)]
pub struct Limits {
    /// Memory that it may use, like 512M [default: a quarter of memory]
    ///
    /// The compiler may use as much before it.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub max_heap: Option<u64>,
    /// Steps that it may take [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub fuel: Option<u64>,
    /// Time that it may take, like 10s [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    pub timeout: Option<Duration>,
}

/// What the program is granted beyond its streams and arguments.
#[derive(Args, Clone, Default)]
pub struct Grants {
    /// Let the program read the files in DIR, and see what there is, at any depth; any number of
    /// times
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub allow_read: Vec<PathBuf>,
    /// Let the program make, write, rename and remove files in DIR, at any depth; any number of
    /// times
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub allow_write: Vec<PathBuf>,
    /// Let the program read the variable NAME of the environment; any number of times
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub allow_env: Vec<OsString>,
    /// Let the program read the clocks
    #[arg(long, hide_short_help = true)]
    pub allow_time: bool,
    /// Let the program have random bytes
    #[arg(long, hide_short_help = true)]
    pub allow_random: bool,
}

/// How a program is optimised.
#[derive(Args, Clone)]
pub struct Optimise {
    /// Optimisation level: 0 (what the textbook makes), 1, 2
    #[arg(
        short = 'O',
        value_name = "LEVEL",
        default_value = "2",
        value_parser = parse_level
    )]
    pub level: u8,
    /// Passes to add to those of the level, or to leave out: +name,-name
    #[arg(
        long = "pass",
        value_name = "PASSES",
        value_delimiter = ',',
        value_parser = parse_change,
        allow_hyphen_values = true,
        hide_short_help = true,
        long_help = passes::help()
    )]
    pub passes: Vec<Change>,
    /// Print what each pass did to standard error
    #[arg(short, long)]
    pub verbose: bool,
}

/// How a value is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Tokens, and lists of characters as text
    Text,
    /// An expression that reads back as the value
    Sexpr,
    /// JSON
    Json,
}

/// How statistics are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stats {
    /// A line each
    Text,
    /// One JSON object
    Json,
    /// One JSON object of times alone: nothing is counted, which takes time
    Clocks,
}

/// The machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// Compact code on a heap that is collected by generations
    Fast,
    /// The same, compiled to the processor's instructions from the beginning on
    Native,
    /// The G-machine of the textbook
    Reference,
}

impl From<Engine> for MachineKind {
    fn from(engine: Engine) -> MachineKind {
        match engine {
            Engine::Fast => MachineKind::Fast,
            Engine::Native => MachineKind::Native,
            Engine::Reference => MachineKind::Reference,
        }
    }
}

/// Report every mistake in programs, and run nothing
#[derive(Args)]
#[command(before_long_help = "Examples:
  gmachine check fibs.core
  gmachine check fibs.core -e '(take 10 fibs)'
  gmachine check --hints --error-format short *.core")]
pub struct Check {
    /// The programs' files; - is standard input
    #[arg(required_unless_present = "expr", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// An expression to take for main; with FILE, in its scope
    #[arg(short, long, value_name = "EXPR", allow_hyphen_values = true)]
    pub expr: Option<String>,
    /// Also tell why the optimiser left calls as they are
    #[arg(long)]
    pub hints: bool,
    #[command(flatten)]
    pub form: Written,
}

/// Compile a file to a module that is loaded in its place
#[derive(Args)]
#[command(
    before_long_help = "Examples:
  gmachine compile fibs.core
  gmachine compile fibs.core -o other.gm
  gmachine dump fibs.core --stage parsed --format json | gmachine compile --from json - -o f.gm",
    after_long_help = "A module stands wherever its source can: every command takes it for a FILE, and
(import \"lib.gm\") imports it. (import \"lib.core\") does too, where there is no lib.core. What a
module imports is not in it. Its meaning is that of its source, at every level of optimisation."
)]
pub struct Compile {
    /// The file; - is standard input
    pub file: PathBuf,
    /// The module [default: FILE with the ending .gm]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub form: Written,
}

/// Print what a stage of the compiler makes of a program
#[derive(Args)]
#[command(
    override_usage = "gmachine dump [OPTIONS] FILE\n       gmachine dump [OPTIONS] [FILE] -e EXPR"
)]
#[command(before_long_help = "Examples:
  gmachine dump fibs.core
  gmachine dump fibs.core --only take --stage core
  gmachine dump fibs.core --format dot > calls.dot")]
pub struct Dump {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub form: Written,
    #[command(flatten)]
    pub optimise: Optimise,
    /// The stage: tokens, ast, parsed, core, lifted, specialised, strictness, gcode, fast
    #[arg(long, default_value = "gcode", hide_possible_values = true)]
    pub stage: Stage,
    /// Only the definition of this name
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// How to print it: text, json, dot (the call graph)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: DumpFormat,
}

/// A stage of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// The words of the file
    Tokens,
    /// The syntax trees of the program's files
    Ast,
    /// The program as it was read: CoreF, or JSON that --from json reads
    Parsed,
    /// Names resolved, patterns compiled to switches
    Core,
    /// Supercombinators
    Lifted,
    /// Supercombinators after the passes
    Specialised,
    /// What those do to their arguments
    Strictness,
    /// G-machine instructions
    Gcode,
    /// What the fast machine runs
    Fast,
}

/// How a stage is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DumpFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// The call graph, for Graphviz
    Dot,
}

/// Print what partial evaluation leaves of a program, as CoreF
#[derive(Args)]
#[command(
    override_usage = "gmachine specialise [OPTIONS] FILE\n       gmachine specialise [OPTIONS] [FILE] -e EXPR"
)]
#[command(
    before_long_help = "Examples:
  gmachine specialise power.core -e '(power x 5)'
  gmachine specialise -e '(map (mul n) [1 2 3])'
  gmachine specialise queens.core > residual.core",
    after_long_help = "Names in EXPR that nothing binds are dynamic: not known yet. They become the parameters of
the definition `residual` that stands for EXPR, in the order in which they first occur.
Without such names the program that is printed has a `main`.

The pass strictness is left out unless --pass names it."
)]
pub struct Specialise {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub optimise: Optimise,
}

/// Measure programs on every machine, at every level of optimisation
#[derive(Args)]
#[command(
    before_long_help = "Examples:
  gmachine bench nfib tak
  gmachine bench queens.core -O 0,2 --runs 5
  gmachine bench fibs --format json > fibs.json",
    after_long_help = bench::help()
)]
pub struct Bench {
    /// Programs that come with gmachine, and files [default: all that come with it]
    #[arg(value_name = "NAME", hide_default_value = true)]
    pub names: Vec<String>,
    /// How often each is run
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_runs, allow_hyphen_values = true)]
    pub runs: u32,
    /// The machines, separated by commas: fast, native, reference [default: fast,reference]
    #[arg(long, value_name = "ENGINES", value_delimiter = ',', hide_possible_values = true)]
    pub engine: Vec<Engine>,
    /// The optimisation levels, separated by commas [default: 0,1,2]
    #[arg(short = 'O', value_name = "LEVELS", value_delimiter = ',', value_parser = parse_level)]
    pub levels: Vec<u8>,
    /// At full size, where a program has one: seconds, on the reference machine minutes
    #[arg(long)]
    pub full: bool,
    /// Passes to add to those of each level, or to leave out: +name,-name
    #[arg(
        long = "pass",
        value_name = "PASSES",
        value_delimiter = ',',
        value_parser = parse_change,
        allow_hyphen_values = true,
        hide_short_help = true,
        long_help = passes::help()
    )]
    pub passes: Vec<Change>,
    /// Compare with what `bench --format json` has written to this file, and say what is slower
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// How to print them: text, json, csv (comma-separated values)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: BenchFormat,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
}

/// How measurements are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BenchFormat {
    /// A table
    Text,
    /// One JSON object
    Json,
    /// A line for each measurement
    Csv,
}

/// Evaluate expressions and add definitions, line by line
#[derive(Args)]
#[command(
    before_long_help = "Examples:
  gmachine repl
  gmachine repl fibs.core
  echo '(map square [1 2 3])' | gmachine repl",
    after_long_help = "Values stay evaluated between lines. :help lists the commands of a session."
)]
pub struct Repl {
    /// A file whose definitions the session begins with
    pub file: Option<PathBuf>,
    /// Optimisation level: 0 (what the textbook makes), 1, 2
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0", value_parser = parse_level)]
    pub level: u8,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
}

/// Show what a function or a module of the corelib is for
#[derive(Args)]
#[command(before_long_help = "Examples:
  gmachine doc take
  gmachine doc map
  gmachine doc --search 'at once'")]
pub struct Doc {
    /// A function, a primitive or a module; without it the modules are listed
    pub name: Option<String>,
    /// List what has all these words in its name or its text
    #[arg(long, value_name = "WORDS", conflicts_with = "name")]
    pub search: Option<String>,
}

/// Explain the code of a report
#[derive(Args)]
#[command(before_long_help = "Examples:
  gmachine explain G0301
  gmachine explain 502
  gmachine explain")]
pub struct Explain {
    /// The code, like G0301; without it all are listed
    pub code: Option<String>,
}

/// Print a completion script for a shell
#[derive(Args)]
#[command(before_long_help = "Examples:
  gmachine completions bash > gmachine.bash
  gmachine completions zsh > _gmachine
  gmachine completions fish > gmachine.fish")]
pub struct Completions {
    /// The shell: bash, elvish, fish, powershell, zsh
    #[arg(hide_possible_values = true)]
    pub shell: clap_complete::Shell,
}

/// Write the manual pages
#[derive(Args)]
#[command(before_long_help = "Examples:
  gmachine man man1
  gmachine man share/man/man1
  gmachine man .")]
pub struct Man {
    /// The directory to write them to; it is made if it is missing
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}
