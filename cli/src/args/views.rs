//! The command line: what shows a run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Engine, Grants, Limits, Optimise, Program};
use crate::passes::parse_level;
use crate::quantity::{parse_count, parse_size};

/// Print each reduction of a program, as expressions
#[derive(Args)]
#[command(
    override_usage = "gmachine steps [OPTIONS] FILE\n       gmachine steps [OPTIONS] [FILE] -e EXPR"
)]
#[command(before_long_help = "Examples:
  gmachine steps -e '(map (add 1) [1 2])'
  gmachine steps fibs.core --corelib -v
  gmachine steps fibs.core --only fibs
  gmachine steps fibs.core --format json > events.jsonl")]
pub struct Steps {
    #[command(flatten)]
    pub program: Program,
    /// Optimisation level: 0 (what the textbook makes), 1, 2
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0", value_parser = parse_level, hide_short_help = true)]
    pub level: u8,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
    /// The machine that is watched: reference (all events), or fast (no sharing, and no output)
    #[arg(long, default_value = "reference", hide_possible_values = true, hide_short_help = true)]
    pub engine: Engine,
    /// Show each step inside the corelib, not a line for each call of it
    #[arg(long)]
    pub corelib: bool,
    /// Only reductions by this function
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Only these events, separated by commas: reduction, shared, printed
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', hide_possible_values = true)]
    pub event: Vec<StepEvent>,
    /// The first step to print
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = parse_count)]
    pub from: u64,
    /// The last step to print; the machine stops there
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub to: Option<u64>,
    /// Say in words why each step is taken, and what is used again
    #[arg(short, long)]
    pub verbose: bool,
    /// Cut lines at this many characters; 0: nowhere [default: 100]
    #[arg(long, value_name = "N", value_parser = parse_count, hide_short_help = true)]
    pub width: Option<u64>,
    /// How to print them: text, json (every event)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: TraceFormat,
}

impl Default for Steps {
    /// Returns the arguments as they are without options.
    fn default() -> Steps {
        Steps {
            program: Program { file: None, expr: None },
            level: 0,
            limits: Limits { max_heap: None, fuel: None, timeout: None },
            grants: Grants::default(),
            engine: Engine::Reference,
            corelib: false,
            only: None,
            event: Vec::new(),
            from: 1,
            to: None,
            verbose: false,
            width: None,
            format: TraceFormat::Text,
        }
    }
}

/// Step through a run in the terminal, forward and backward
#[derive(Args)]
#[command(
    override_usage = "gmachine step [OPTIONS] FILE\n       gmachine step [OPTIONS] [FILE] -e EXPR",
    before_long_help = "Examples:
  gmachine step fibs.core
  gmachine step -e '(sum (map (mul 2) [1 2 3]))'
  gmachine step queens.core --break safe",
    after_long_help = "The keys are listed by ?. Standard input, if it is no terminal, is the program's input."
)]
pub struct Step {
    #[command(flatten)]
    pub program: Program,
    /// Optimisation level: 0 (what the textbook makes), 1, 2
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0", value_parser = parse_level, hide_short_help = true)]
    pub level: u8,
    /// A function to stop at; several times for several
    #[arg(long = "break", value_name = "NAME")]
    pub breakpoints: Vec<String>,
    /// Memory that it may use, like 512M [default: a quarter of memory]
    ///
    /// The compiler may use as much before it.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub max_heap: Option<u64>,
    /// Steps that it may take [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub fuel: Option<u64>,
    #[command(flatten)]
    pub grants: Grants,
}

/// Write a page that shows a run step by step
#[derive(Args)]
#[command(
    override_usage = "gmachine film [OPTIONS] FILE\n       gmachine film [OPTIONS] [FILE] -e EXPR"
)]
#[command(
    before_long_help = "Examples:
  gmachine film fibs.core
  gmachine film -e '(sum (map (mul 2) [1 2 3]))' -o sum.html
  gmachine film fibs.core --from 20 -o later.html",
    after_long_help = "The page needs no network. It holds at most 20,000 events, and says so where the run goes on."
)]
pub struct Film {
    #[command(flatten)]
    pub program: Program,
    /// The page's file; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "film.html")]
    pub output: PathBuf,
    /// Optimisation level: 0 (what the textbook makes), 1, 2
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0", value_parser = parse_level, hide_short_help = true)]
    pub level: u8,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
    /// The first step to show
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = parse_count)]
    pub from: u64,
    /// The last step to show; the machine stops there
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub to: Option<u64>,
}

/// What a line of `steps` tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StepEvent {
    /// An expression becomes another one
    Reduction,
    /// A value is used again
    Shared,
    /// Something is printed
    Printed,
}

impl From<StepEvent> for gmachine::inspect::views::steps::Kind {
    fn from(event: StepEvent) -> Self {
        match event {
            StepEvent::Reduction => Self::Reduction,
            StepEvent::Shared => Self::Shared,
            StepEvent::Printed => Self::Printed,
        }
    }
}

/// Show where a run spends its time, and what fills its memory
#[derive(Args)]
#[command(
    override_usage = "gmachine profile [OPTIONS] FILE\n       gmachine profile [OPTIONS] [FILE] -e EXPR"
)]
#[command(
    before_long_help = "Examples:
  gmachine profile queens.core
  gmachine profile queens.core -o report.html
  gmachine profile queens.core --format folded > queens.folded",
    after_long_help = "The program's output is dropped. Everything that is counted is the same each time; the pauses
alone go by a clock. The page needs no network."
)]
pub struct Profile {
    #[command(flatten)]
    pub program: Program,
    /// Write a page to this file too; - is standard output, and nothing else is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub optimise: Optimise,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
    /// How to print it: text, json, folded (stacks by instructions), folded-bytes
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: CostsFormat,
    /// What the program finds as its arguments
    #[arg(last = true, value_name = "ARGUMENT", hide_short_help = true)]
    pub arguments: Vec<String>,
}

/// How a profile is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CostsFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// Stacks and their instructions
    Folded,
    /// Stacks and the bytes that they allocate
    FoldedBytes,
}

/// Print each step of the reference machine
#[derive(Args)]
#[command(
    override_usage = "gmachine trace [OPTIONS] FILE\n       gmachine trace [OPTIONS] [FILE] -e EXPR"
)]
#[command(before_long_help = "Examples:
  gmachine trace -e '(add 1 2)'
  gmachine trace fibs.core --calls --source
  gmachine trace fibs.core --only zipWith --format json")]
// The code that the scheme of each expression makes, unless another level is asked for.
#[command(mut_arg("level", |level| level.default_value("0")))]
pub struct Trace {
    #[command(flatten)]
    pub program: Program,
    #[command(flatten)]
    pub optimise: Optimise,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub grants: Grants,
    /// The first step to print
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = parse_count)]
    pub from: u64,
    /// The last step to print; the machine stops there
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub to: Option<u64>,
    /// Only steps in the code of this definition
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Leave the steps in the prelude's code away
    #[arg(long, hide_short_help = true)]
    pub hide_prelude: bool,
    /// Only steps by these rules, separated by commas: Eval, MkApp, Unwind, "Unwind enter" ..
    #[arg(long, value_name = "RULES", value_delimiter = ',', hide_short_help = true)]
    pub rule: Vec<String>,
    /// Only where functions and constants are entered, a line each
    #[arg(long, conflicts_with = "rule")]
    pub calls: bool,
    /// Leave the dump away
    #[arg(long, hide_short_help = true)]
    pub no_dump: bool,
    /// Show the source of each step beside it
    #[arg(long, hide_short_help = true)]
    pub source: bool,
    /// Cut lines at this many characters
    #[arg(long, value_name = "N", value_parser = parse_count, hide_short_help = true)]
    pub width: Option<u64>,
    /// How to print them: text, json
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: TraceFormat,
}

/// How steps are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TraceFormat {
    /// For people
    Text,
    /// A JSON object a line
    Json,
}
