//! `gmachine doc`

use gmachine::diagnostic::nearest;
use gmachine::inspect::corelib::MODULES;

use super::args::Doc;
use super::manual::{self, Entry, PRIMITIVES};
use super::{Context, Failure, usage};

/// Prints what is known of a name, of a module, or where words are found.
pub fn run(args: &Doc, context: &mut Context) -> Result<(), Failure> {
    let text = match (&args.name, &args.search) {
        (_, Some(words)) => {
            let found = manual::search(words);
            if found.is_empty() {
                let message = format!("nothing in the corelib has all the words '{words}'");
                return Err(usage("doc", message, "fewer or shorter words find more"));
            }
            found.iter().map(|entry| line(entry) + "\n").collect()
        }
        (Some(name), None) => named(name)?,
        (None, None) => {
            let modules = [PRIMITIVES].into_iter().chain(MODULES.iter().copied());
            modules.map(|module| format!("{module:<12} {}\n", manual::about(module))).collect()
        }
    };
    context.print(&text)
}

/// Returns a line for an entry that was found: where it is, and its first sentence.
fn line(entry: &Entry) -> String {
    format!("{:<12} {:<28} {}", entry.module, entry.signature, entry.summary())
}

/// Returns what is known of a name, or of all names of a module.
fn named(name: &str) -> Result<String, Failure> {
    let all = manual::all();
    let found = all.iter().filter(|entry| entry.name() == name);
    let mut parts: Vec<String> = found.map(Entry::text).collect();
    let module = manual::module(name);
    if !module.is_empty() {
        parts.push(format!("{name}: {}\n\n{}", manual::about(name), manual::list(&module)));
    }
    if parts.is_empty() {
        let names = all.iter().map(Entry::name).chain(MODULES.iter().copied());
        let tip = match nearest(name, names) {
            Some(meant) => format!("did you mean '{meant}'?"),
            None => format!("gmachine doc --search {name} looks for the word"),
        };
        let message = format!("no function or module of the corelib is called '{name}'");
        return Err(usage("doc", message, &tip));
    }
    Ok(parts.join("\n"))
}
