//! `gmachine check`

use gmachine::{Engine, EntryPoints};

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
        let root = files::root(path, args.from, context)?;
        let checked = engine.check(&root, &files::Files);
        context.reporter.all(&checked.diagnostics, &checked.sources);
        if worst == Exit::Success {
            worst = Exit::of_all(&checked.diagnostics);
        }
    }
    if worst == Exit::Success { Ok(()) } else { Err(Failure(worst)) }
}
