//! `gmachine specialise`

use gmachine::Pass;
use gmachine::diagnostic::quote::for_message;
use gmachine::inspect::core::residual;
use gmachine::inspect::{self, Options, Stage};

use super::args::{Form, Specialise};
use super::exit::Exit;
use super::{Context, Failure, files, passes, report};

/// Prints what partial evaluation leaves of a program, as CoreF.
pub fn run(args: &Specialise, context: &mut Context) -> Result<(), Failure> {
    let root = files::program(&args.program, Form::Coref, context)?;
    let mut optimise = passes::options(&args.optimise);
    if !passes::is_named(&args.optimise, Pass::Strictness) {
        // CoreF has no other word for it than seq, and it is found again by whoever reads.
        optimise.passes = optimise.passes.without(Pass::Strictness);
    }
    // CoreF has no word for an effect in code, nor does it need one.
    optimise.passes = optimise.passes.without(Pass::Perform);
    let options = Options { until: Stage::Optimised, open: true, optimise, ..Options::RUN };
    let built = inspect::build(&root, &files::Files, &options);
    context.reporter.all(&built.diagnostics, &built.loaded.sources);
    let Some(program) = &built.core else {
        return Err(Failure(Exit::of_all(&built.diagnostics)));
    };
    if args.optimise.verbose
        && let Some((entry, params)) = built.entry.as_ref().filter(|(_, params)| !params.is_empty())
    {
        let params: Vec<String> = params.iter().map(|param| for_message(param)).collect();
        report::write(&format!("dynamic in {entry}: {}\n", params.join(" ")));
    }
    passes::tell(&args.optimise, &built.report, &built.loaded.sources);
    context.print(&residual(program, &built.loaded.names, &built.loaded.sources))
}
