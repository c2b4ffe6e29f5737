//! `gmachine compile`

use std::path::PathBuf;

use gmachine::inspect::{self, Options, Stage};

use super::args::Compile;
use super::exit::Exit;
use super::{Context, Failure, files, usage};

/// Writes the compiled module of a file.
pub fn run(args: &Compile, context: &mut Context) -> Result<(), Failure> {
    let output = match &args.output {
        Some(path) => path.clone(),
        None if args.file.as_os_str() == "-" => {
            let message = "a program from standard input has no name".to_owned();
            return Err(usage("compile", message, "name the module: -o FILE.gm"));
        }
        None => PathBuf::from(&args.file).with_extension("gm"),
    };
    let root = files::root(&args.file, args.form.from, context)?;
    let options = Options { module: true, until: Stage::Core, ..Options::RUN };
    let built = inspect::build(&root, &files::Files, &options);
    context.reporter.all(&built.diagnostics, &built.loaded.sources);
    match built.module {
        Some(bytes) => files::write(&output, bytes, context),
        None => Err(Failure(Exit::of_all(&built.diagnostics))),
    }
}
