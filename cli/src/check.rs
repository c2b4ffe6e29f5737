//! `gmachine check`

use gmachine::diagnostic::Diagnostic;
use gmachine::inspect::{self, OptimiserOptions, Options, Stage};
use gmachine::{Engine, EntryPoints, Passes, Source};

use super::args::Check;
use super::exit::Exit;
use super::{Context, Failure, files};

/// Reports the mistakes of each program. The exit code is that of the first one that has an
/// error.
pub fn run(args: &Check, context: &mut Context) -> Result<(), Failure> {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    let mut worst = Exit::Success;
    for path in &args.files {
        let root = files::root(path, args.form.from, context)?;
        let mut checked = engine.check(&root, &files::Files);
        if args.hints && !checked.has_errors() {
            checked.diagnostics.extend(hints(&root));
        }
        context.reporter.all(&checked.diagnostics, &checked.sources);
        if worst == Exit::Success {
            worst = Exit::of_all(&checked.diagnostics);
        }
    }
    if worst == Exit::Success { Ok(()) } else { Err(Failure(worst)) }
}

/// Why the optimiser leaves calls of a program without mistakes as they are.
fn hints(root: &Source) -> Vec<Diagnostic> {
    let optimise = OptimiserOptions { passes: Passes::ALL, verbose: true };
    let options = Options { until: Stage::Optimised, optimise, ..Options::RUN };
    inspect::build(root, &files::Files, &options).report.hints().to_vec()
}
