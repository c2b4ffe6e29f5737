//! `gmachine check`

use gmachine::driver::{self, Options};

use super::args::Check;
use super::exit::Exit;
use super::{Context, Failure, files};

/// Reports the mistakes of each program. The exit code is that of the first one that has an
/// error.
pub fn run(args: &Check, context: &mut Context) -> Result<(), Failure> {
    let mut worst = Exit::Success;
    for path in &args.files {
        let root = files::root(path, context)?;
        let built = driver::build(&root, &files::Files, &Options::CHECK);
        context.reporter.all(&built.diagnostics, &built.loaded.sources);
        if worst == Exit::Success {
            worst = Exit::of_all(&built.diagnostics);
        }
    }
    if worst == Exit::Success { Ok(()) } else { Err(Failure(worst)) }
}
