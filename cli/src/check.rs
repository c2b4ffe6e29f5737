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
    let files = args.files.iter().map(|path| Some(path.as_path()));
    // An expression may stand alone.
    for path in files.chain(args.files.is_empty().then_some(None)) {
        let root = match path {
            Some(path) => files::root(path, args.form.from, context)?,
            None => Source::default(),
        };
        let root = match &args.expr {
            Some(expression) => root.with_expression(expression),
            None => root,
        };
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

/// Returns why the optimiser leaves calls of a program without mistakes as they are.
fn hints(root: &Source) -> Vec<Diagnostic> {
    let optimise = OptimiserOptions { passes: Passes::ALL, verbose: true };
    let options = Options { until: Stage::Optimised, optimise, ..Options::RUN };
    inspect::build(root, &files::Files, &options).report.hints().to_vec()
}
