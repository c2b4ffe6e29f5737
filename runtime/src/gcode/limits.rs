//! How large the numbers in a program may be. The verifier refuses what exceeds these limits,
//! the compiler reports it: so what machines make of a program takes room in proportion to the
//! program, and no number that they derive from one overflows.

use std::sync::Arc;

use super::instr::Instr;
use super::program::{ConId, GlobalId, HostId, Program, Sizes};
pub use crate::base::limits::MAX_ARITY;
use crate::base::limits::exceeds_arity;
use crate::base::quote::for_message;

/// The most stack items in a program that are there without an instruction for each: the
/// parameters of globals that do not name them, the holes that `Alloc` makes, the fields that
/// `Split` pushes, and the items that `Squeeze` keeps. For each instruction of the program
/// there may be [`ITEMS_PER_INSTRUCTION`] more.
pub const MAX_ITEMS: u64 = 4 * MAX_ARITY as u64;

/// How many more items there may be for each instruction, see [`MAX_ITEMS`].
pub const ITEMS_PER_INSTRUCTION: u64 = 256;

/// What exceeds a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// A global has more than [`MAX_ARITY`] parameters.
    Parameters(GlobalId),
    /// A constructor has more than [`MAX_ARITY`] fields.
    Fields(ConId),
    /// A host function has more than [`MAX_ARITY`] arguments.
    Arguments(HostId),
    /// With this global there are more than [`MAX_ITEMS`].
    Items(GlobalId),
}

impl Exceeded {
    /// Returns what exceeds which limit, in a sentence.
    #[must_use]
    pub fn sentence(self, program: &Program) -> String {
        let (what, count, of) = match self {
            Exceeded::Parameters(id) => {
                let global = program.globals.get(id);
                let (name, arity) = global.map(|it| (&it.symbol, it.arity)).unzip();
                (format!("function {}", quoted(name)), arity, "parameters")
            }
            Exceeded::Fields(id) => {
                let (name, arity) = program.cons.get(id).map(|it| (&it.symbol, it.arity)).unzip();
                (format!("constructor {}", quoted(name)), arity, "fields")
            }
            Exceeded::Arguments(id) => {
                let (name, arity) = program.hosts.get(id).map(|it| (&it.name, it.arity)).unzip();
                (format!("host function {}", quoted(name)), arity, "arguments")
            }
            Exceeded::Items(id) => {
                let name = quoted(program.globals.get(id).map(|global| &global.symbol));
                return format!("up to {name}, code of this size makes too many stack items");
            }
        };
        exceeds_arity(&what, count.unwrap_or_default() as usize, of)
    }
}

fn quoted(name: Option<&Arc<str>>) -> String {
    format!("`{}`", for_message(name.map_or("", |name| name)))
}

/// What a program, or its part that has been looked at, counts for towards [`MAX_ITEMS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counted {
    /// Instructions.
    code: u64,
    /// Items without an instruction for each.
    items: u64,
}

/// Checks that a program keeps the limits.
///
/// # Errors
/// With the first of its parts that does not.
pub fn check(program: &Program) -> Result<(), Exceeded> {
    check_from(program, Sizes::default(), &mut Counted::default())
}

/// Checks that a program keeps the limits of which the first entries of its tables, as many as
/// `from` says, are known to do so, and count for `counted`. What the others count for is added to
/// that.
///
/// # Errors
/// With the first of its parts that does not.
pub(super) fn check_from(
    program: &Program,
    from: Sizes,
    counted: &mut Counted,
) -> Result<(), Exceeded> {
    let mut cons = program.cons.enumerate_from(from.cons);
    if let Some((id, _)) = cons.find(|(_, con)| con.arity > MAX_ARITY) {
        return Err(Exceeded::Fields(id));
    }
    let mut hosts = program.hosts.enumerate_from(from.hosts);
    if let Some((id, _)) = hosts.find(|(_, host)| host.arity > MAX_ARITY) {
        return Err(Exceeded::Arguments(id));
    }
    let globals = || program.globals.enumerate_from(from.globals);
    counted.code += globals().map(|(_, global)| global.code.len() as u64).sum::<u64>();
    let most = MAX_ITEMS.saturating_add(counted.code.saturating_mul(ITEMS_PER_INSTRUCTION));
    for (id, global) in globals() {
        if global.arity > MAX_ARITY {
            return Err(Exceeded::Parameters(id));
        }
        let unnamed = u64::from(global.arity).saturating_sub(global.params.len() as u64);
        let items = global.code.iter().map(items).fold(unnamed, u64::saturating_add);
        counted.items = counted.items.saturating_add(items);
        if counted.items > most {
            return Err(Exceeded::Items(id));
        }
    }
    Ok(())
}

/// Returns what an instruction counts for towards [`MAX_ITEMS`].
fn items(instr: &Instr) -> u64 {
    match *instr {
        Instr::Alloc(n) | Instr::Split(n) | Instr::Squeeze(n, _) => n.into(),
        _ => 0,
    }
}
