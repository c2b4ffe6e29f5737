//! Programs of Haskell on gmachine, by way of MicroHs.
//!
//! MicroHs, which the user has, types a program and desugars it; its dump of that is the input here.
//! [`translate`] makes a program in CoreF of it, which `gmachine` runs without further help:
//!
//! - [`dump`]: the dump and its grammar;
//! - [`core`]: definitions, with recursion, constructors and cases given back;
//! - [`resolve`]: dictionaries of type classes taken apart;
//! - [`specialise`]: functions of known dictionaries;
//! - [`expand`]: parameters that are only passed on;
//! - [`last`]: places of last actions;
//! - [`float`]: sharing given back;
//! - [`support`]: what the primitives of MicroHs are;
//! - [`emit`]: CoreF text.

mod constant;
pub mod core;
pub mod dump;
pub mod emit;
pub mod expand;
pub mod float;
pub mod last;
pub mod resolve;
pub mod specialise;
pub mod support;

use anyhow::{Result, bail};

use crate::core::{Expr, Meaning, Program};
use crate::dump::Dump;
use crate::support::Support;

/// What an uncaught exception, and `exitWith`, come to: see `mhs/GMachine/Top.hs`.
const RUN: &str = "GMachine.Top.run";

/// Returns the program in CoreF that performs the definition `main`, such as `Main.main`. `file` says
/// for which modules the places of calls are kept, and in which file they are.
///
/// # Errors
/// When the dump is not of its grammar, or lacks a definition.
pub fn translate(
    dump: &Dump<'_>,
    main: &str,
    file: &dyn Fn(&str) -> Option<String>,
) -> Result<String> {
    for name in [main, RUN] {
        if !dump.definitions.contains_key(name) {
            bail!("there is no definition of `{name}`");
        }
    }
    let support = Support::new()?;
    let mut program = Program::new(dump, &support, &[main, RUN])?;
    let instances = resolve::resolve(&mut program);
    specialise::specialise(&mut program, &instances);
    expand::expand(&mut program);
    let action = program.global(main);
    last::keep(&mut program, action, &|module| file(module).is_some());
    float::float(&mut program);
    let run = program.global(RUN);
    let run = program.push(Expr::Global(run));
    let module = program.globals[action as usize].module.clone();
    let place = match program.meaning(action) {
        Some(&Meaning::Defined(body)) => program.first_place(body),
        _ => None,
    };
    let action = program.push(Expr::Global(action));
    // What fails, and nothing else of the program waits for, is told where its main begins.
    let body = program.apply(run, vec![action], place);
    let root = program.new_global("main".into(), module, Some(Meaning::Defined(body)));
    emit::emit(&program, &support, root, file)
}
