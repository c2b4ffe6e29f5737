//! The optimiser: supercombinators to better supercombinators.
//!
//! Each pass takes a program of the form that lifting makes and returns one of the same form
//! (`lift::lint` holds after each) that means the same: a printed result stays, an error stays
//! an error, laziness and sharing stay. The order of the passes is the table [`ORDER`]; each
//! can be left out.

mod choices;
mod closed;
mod constant_fields;
mod constant_params;
mod contexts;
mod dead_args;
mod drive;
mod ends;
mod float_in;
mod flow;
mod fold;
mod forms;
mod late_inline;

mod left;
mod merge_ends;
mod overloading;
mod perform;
mod places;
mod project;
mod report;
mod rewrite;
mod selection;
pub mod strictness;
mod symbols;
mod usage;
mod versions;

use crate::base::name::Interner;
use crate::core::expr::Program;
use drive::{History, Rules, drive};
pub use report::Report;

macro_rules! passes {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal;)+) => {
        /// A pass that can be switched on and off by its name.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Pass { $($(#[doc = $doc])+ $name,)+ }

        impl Pass {
            /// All passes.
            pub const ALL: &[Pass] = &[$(Pass::$name),+];

            /// Returns its name on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Pass::$name => $text,)+ }
            }

            /// Returns what it does, in a sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Pass::$name => concat!($($doc),+),)+ }
            }
        }
    };
}

passes! {
    /// Partial evaluation: a supercombinator for each pattern of known arguments.
    Specialise "specialise";
    /// Small supercombinators, and those called from one place, are put where they are called.
    Inline "inline";
    /// Primitives, `if` and `case` on what is known are done at once.
    KnownCase "known-case";
    /// A `case` of a `case` becomes one, by way of join points.
    CaseOfCase "case-of-case";
    /// A call of whose value one field is wanted computes that field.
    Project "project";
    /// Bindings move to the branch that uses them; unused ones go.
    FloatIn "float-in";
    /// Parameters that nothing uses go.
    DeadArguments "dead-args";
    /// Effects are done where their actions would be made.
    Perform "perform";
    /// Ends of branches that are alike are written once.
    MergeEnds "merge-ends";
    /// What is certainly needed is evaluated at once instead of being built.
    Strictness "strictness";
}

/// A step of the pipeline: passes that share one traversal, because each makes work for the
/// others.
pub type Step = &'static [Pass];

/// The order of the passes. The first two steps run twice where there is partial evaluation. Each time
/// definitions are written out and bindings float in before: a binding that is used once hides what it binds
/// from whoever looks at a definition for its form, as what takes a value apart does, or makes a list.
pub const ORDER: &[Step] = &[
    &[Pass::Specialise],
    &[Pass::Inline, Pass::KnownCase, Pass::CaseOfCase],
    &[Pass::Project],
    &[Pass::DeadArguments],
    &[Pass::FloatIn],
    &[Pass::Perform],
    &[Pass::MergeEnds],
    &[Pass::Strictness],
];
/// How many of the first steps run twice: what is inlined lies beside what it was passed to, and beside
/// what takes its value apart, only then.
const TWICE: usize = 2;

/// A set of passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Passes(u32);

impl Passes {
    /// No pass: what comes out is what the tutorial makes.
    pub const NONE: Passes = Passes(0);
    /// Every pass.
    pub const ALL: Passes = Passes((1 << Pass::ALL.len()) - 1);

    /// Returns the passes of an optimisation level: 0 has none, 1 all but partial evaluation, 2 and
    /// more have all.
    #[must_use]
    pub fn level(level: u8) -> Passes {
        match level {
            0 => Passes::NONE,
            1 => Passes::ALL.without(Pass::Specialise),
            _ => Passes::ALL,
        }
    }

    /// Returns the set with a pass added.
    #[must_use]
    pub fn with(self, pass: Pass) -> Passes {
        Passes(self.0 | 1 << pass as u32)
    }

    /// Returns the set without a pass.
    #[must_use]
    pub fn without(self, pass: Pass) -> Passes {
        Passes(self.0 & !(1 << pass as u32))
    }

    /// Returns whether a pass is in the set.
    #[must_use]
    pub fn has(self, pass: Pass) -> bool {
        self.0 & 1 << pass as u32 != 0
    }
}

/// The options of the optimiser.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The passes that run.
    pub passes: Passes,
    /// Whether the report lists each decision, not only how many there were.
    pub verbose: bool,
}

/// Specialising stops when the program has so many times as many expressions as before, and so many
/// more. What is being unfolded then is still completed.
const GROWTH: usize = 4;
const GROWTH_BASE: usize = 4_000;
/// The same for the second time, and so many times as many as in the source, whatever the first time has made:
/// what is known the second time is little, and would be written into each of the variants.
const GROWTH_AGAIN: usize = 2;
const GROWTH_BASE_AGAIN: usize = 1_000;
const GROWTH_OF_BOTH: usize = 5;
/// How often overloaded functions are copied: dictionaries that copies make of others are known the next time.
const DICTIONARIES: usize = 4;
/// Copying stops at so many times as many expressions, and so many more.
const COPIED: usize = 2;
const COPIED_BASE: usize = 2_000;
/// Inlining stops at so many times as many, and so many more: a function of functions that calls one
/// twice, applied to itself, would be inlined without end.
const INLINED: usize = 2;
const INLINED_BASE: usize = 300;

/// Runs the passes over a lifted program.
#[must_use]
pub fn optimise(program: Program, names: &Interner, options: Options) -> (Program, Report) {
    let mut report = Report::new(options.verbose);
    let mut program = program;
    let mut history = History::default();
    let passes = options.passes;
    let most_of_both = GROWTH_OF_BOTH * program.exprs.len() + GROWTH_BASE;
    let is_told = options.verbose && passes.has(Pass::Inline);
    let source = is_told.then(|| left::Source::new(&program));
    let is_twice = passes.has(Pass::Specialise) && passes.has(Pass::Inline);
    if is_twice {
        forms::write_out(&mut program, passes, &mut report);
    }
    // Before choices are moved out of lazy places: what is a join point is in none.
    if passes.has(Pass::CaseOfCase) {
        let joined = ends::join_at_ends(&mut program);
        report.count(Pass::CaseOfCase, "thunks made join points", joined);
    }
    let times: &[&[Step]] = if is_twice { &[&ORDER[..TWICE], ORDER] } else { &[ORDER] };
    for &steps in times {
        if passes.has(Pass::Specialise) && passes.has(Pass::FloatIn) {
            let (floated, numbers) = float_in::float_in(program, names, &mut report);
            program = floated;
            history.renumber(&numbers);
            check(&program, &[Pass::FloatIn]);
        }
        for step in steps {
            if step.iter().any(|&pass| passes.has(pass)) {
                program =
                    run(step, program, names, passes, most_of_both, &mut history, &mut report);
                check(&program, step);
            }
        }
    }
    if let Some(source) = source {
        report.settle(&source, &program, names);
    }
    (program, report)
}

/// In a debug build, looks at what a step has made.
fn check(program: &Program, step: Step) {
    debug_assert_eq!(crate::lift::lint::lint(program), Vec::<String>::new(), "{step:?}");
}

/// Runs one step. Specialising for the second time stops at `most_of_both` expressions.
fn run(
    step: Step,
    program: Program,
    names: &Interner,
    passes: Passes,
    most_of_both: usize,
    history: &mut History,
    report: &mut Report,
) -> Program {
    let found = program.exprs.len();
    let case_of_case = passes.has(Pass::CaseOfCase);
    match step {
        [Pass::Specialise] => {
            let rules = Rules { specialise: true, inline: false, known_case: true, case_of_case };
            let mut program = program;
            let most = if history.is_second() {
                forms::write_out(&mut program, passes, report);
                let fields = constant_fields::propagate(&mut program, false);
                report.count(Pass::Specialise, "fields found constant", fields);
                let bound = constant_params::bind(&mut program);
                report.count(Pass::Specialise, "parameters found constant", bound);
                most_of_both.min(GROWTH_AGAIN * found + GROWTH_BASE_AGAIN)
            } else {
                let fields = constant_fields::propagate(&mut program, true);
                report.count(Pass::Specialise, "fields found constant", fields);
                let most = COPIED * found + COPIED_BASE;
                let copied = contexts::copy_for_fields(&mut program, most, report);
                report.count(Pass::Specialise, "copies for fields", copied);
                let mut values = closed::evaluate_closed(&mut program);
                let mut copies = 0;
                for _ in 0..DICTIONARIES {
                    let new = overloading::copy_overloaded(&mut program, most, report);
                    if new == 0 {
                        break;
                    }
                    copies += new;
                    values += closed::evaluate_closed(&mut program);
                }
                report.count(Pass::Specialise, "constants evaluated", values);
                report.count(Pass::Specialise, "copies for dictionaries", copies);
                // What has not been consumed is put back when calls are inlined.
                if case_of_case && passes.has(Pass::Inline) {
                    choices::lift(&mut program, choices::Which::Data);
                }
                GROWTH * found + GROWTH_BASE
            };
            drive(program, rules, most, history, report)
        }
        [Pass::Inline, ..] => {
            let inline = passes.has(Pass::Inline);
            let known_case = passes.has(Pass::KnownCase);
            let rules = Rules { specialise: false, inline, known_case, case_of_case };
            drive(program, rules, INLINED * found + INLINED_BASE, history, report)
        }
        [Pass::Project] => project::project(program, report),
        [Pass::DeadArguments] => dead_args::dead_arguments(program, names, report),
        [Pass::FloatIn] => float_in::float_in(program, names, report).0,
        [Pass::Perform] => perform::perform(program, report),
        [Pass::MergeEnds] => {
            let mut program = program;
            let merged = merge_ends::merge_ends(&mut program);
            report.count(Pass::MergeEnds, "ends written once", merged);
            program
        }
        [Pass::Strictness] => {
            let program = strictness::strictness(program, report);
            if !passes.has(Pass::Inline) {
                return program;
            }
            let program = late_inline::inline(program, passes.has(Pass::KnownCase), report);
            match passes.has(Pass::FloatIn) {
                true => float_in::float_in_late(program, names, report),
                false => program,
            }
        }
        _ => unreachable!("the table of steps has no other"),
    }
}
