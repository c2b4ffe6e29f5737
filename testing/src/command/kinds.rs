//! The kinds of cases.

use crate::common::subset;
use crate::dice::Dice;
use crate::ends::End;
use crate::hunt::{kind, no_panic, one};
use crate::subsets::Subsets;
use crate::tally::Tally;
use crate::{
    actions, calls, cases, combinators, continuations, corpus, differential, elements, harness,
    listings, metamorphic, modules, numbers, ordinary, parity, pipelines, slopes, subsets,
    transactions, typed, wild,
};

/// Tries the case of a number; what is wrong with it is an error, an empty one if mistakes
/// like it are known.
pub type Try = fn(seed: u64, known: &mut Vec<String>) -> Result<Tally, String>;

/// A kind of cases.
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is tried.
    pub about: &'static str,
    /// How many cases of it there are, compared with the others: few if a case takes long.
    pub share: u64,
    /// How one is tried.
    pub check: Try,
}

fn interpreted(text: &str, seed: u64) -> Result<Tally, String> {
    let end = differential::wrong(text, differential::Plan(seed))?;
    let mut seen = Tally { cases: 1, ..Tally::default() };
    seen.ended(end);
    seen.discarded = seen.endless;
    Ok(seen)
}

fn optimised(text: &str, seed: u64, which: Subsets) -> Result<Tally, String> {
    Ok(told(&subsets::wrong(text, seed, which)?))
}

fn told(of: &subsets::Tally) -> Tally {
    Tally {
        cases: 1,
        discarded: of.endless,
        values: of.values,
        errors: of.errors,
        endless: of.endless,
        ..Tally::default()
    }
}

fn some_passes(text: &str, seed: u64) -> Result<Tally, String> {
    optimised(text, seed, Subsets::Some)
}

fn all_passes(text: &str, seed: u64) -> Result<Tally, String> {
    optimised(text, seed, Subsets::Every)
}

/// Checks what the optimiser makes of a program after some sets of passes, and that there is not
/// much more code that saves little.
fn sized(text: &str, seed: u64) -> Result<Tally, String> {
    let of = subsets::wrong(text, seed, Subsets::Some)?;
    if of.swollen > 0 {
        let (code, work) = (of.lengths, of.reductions);
        return Err(format!("swollen: {code:?} instructions for {work:?} reductions"));
    }
    Ok(told(&of))
}

/// Checks a text that may be no program: both machines say the same if it is one.
fn robust(text: &str, seed: u64) -> Result<Tally, String> {
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let end = harness::both_seen(text.as_bytes(), &mut Dice::new(!seed), &mut seen)?;
    end.into_iter().for_each(|end| seen.ended(end));
    seen.discarded = u64::from(matches!(end, None | Some(End::Fuel)));
    Ok(seen)
}

/// Checks that the texts of a program read back.
fn printed(text: &str, seed: u64) -> Result<Tally, String> {
    let is_program = harness::texts(text.as_bytes(), subset(seed))?;
    Ok(Tally { cases: 1, discarded: u64::from(!is_program), ..Tally::default() })
}

/// Checks that a text that may be no program is reported as that, whatever it is.
fn parsed(text: &str, _: u64) -> Result<Tally, String> {
    harness::syntax(text.as_bytes());
    harness::listing(text.as_bytes());
    Ok(Tally { cases: 1, ..Tally::default() })
}

/// Runs a check of what is not made smaller: it is shown with its seed, and once if there is more
/// like it.
fn whole(
    known: &mut Vec<String>,
    check: impl FnOnce() -> Result<Tally, String>,
) -> Result<Tally, String> {
    no_panic(check).map_err(|wrong| {
        let this = kind(&wrong);
        if known.contains(&this) {
            return String::new();
        }
        known.push(this);
        wrong
    })
}

/// All of them.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "typed",
        about: "programs of sensible types: both machines, passes, collector modes, stops",
        share: 100,
        check: |seed, known| one(typed::program, parity::wrong, seed, known),
    },
    Kind {
        name: "wild",
        about: "programs without sense, element by element: the same errors everywhere",
        share: 50,
        check: |seed, known| one(wild::program, elements::wrong, seed, known),
    },
    Kind {
        name: "metamorphic",
        about: "programs rewritten so that they mean the same, or run with less",
        share: 200,
        check: |seed, known| match seed % 4 {
            0 => one(pipelines::program, metamorphic::wrong, seed, known),
            _ => one(typed::program, metamorphic::wrong, seed, known),
        },
    },
    Kind {
        name: "actions",
        about: "programs of actions, exceptions, cells, arrays and byte strings, with streams that \
                fail",
        share: 100,
        check: |seed, known| one(actions::program, actions::wrong, seed, known),
    },
    Kind {
        name: "transactions",
        about: "transactions, with a model of what they give, leave and wait for",
        share: 50,
        check: |seed, known| whole(known, || transactions::wrong(seed)),
    },
    Kind {
        name: "calls",
        about: "sequences of calls of the library, with a model of what they return",
        share: 50,
        check: |seed, known| whole(known, || calls::wrong(Dice::new(seed))),
    },
    Kind {
        name: "cases",
        about: "the cases of the language, in each mode of each machine at each level",
        share: 50,
        check: |seed, known| whole(known, || cases::wrong(seed)),
    },
    Kind {
        name: "numbers",
        about: "primitives on bits, words and floats, thirty results a case, against a second \
                computation",
        share: 50,
        check: |seed, known| whole(known, || numbers::wrong(seed)),
    },
    Kind {
        name: "corpus",
        about: "what people wrote, changed: mostly programs still, and on both machines the same",
        share: 200,
        check: |seed, known| one(corpus::mutant, robust, seed, known),
    },
    Kind {
        name: "texts",
        about: "trees, residual programs and listings are printed and read back",
        share: 50,
        check: |seed, known| match seed % 4 {
            0 => one(corpus::mutant, printed, seed, known),
            1 => one(wild::program, printed, seed, known),
            _ => one(typed::program, printed, seed, known),
        },
    },
    Kind {
        name: "bytes",
        about: "texts that are no programs",
        share: 50,
        check: |seed, known| one(corpus::noise, parsed, seed, known),
    },
    Kind {
        name: "listings",
        about: "programs in G-code that no scheme makes: both machines, collector modes, stops",
        share: 200,
        check: listings::walk,
    },
    Kind {
        name: "modules",
        about: "compiled modules, as they are and changed: refused, or the same on both machines",
        share: 100,
        check: |seed, known| match seed % 4 {
            0 => one(corpus::mutant, modules::wrong, seed, known),
            1 => one(wild::program, modules::wrong, seed, known),
            2 => one(actions::program, modules::wrong, seed, known),
            _ => one(typed::program, modules::wrong, seed, known),
        },
    },
    Kind {
        name: "json",
        about: "programs in JSON, as they are and changed: refused, or the same on both machines",
        share: 50,
        check: |seed, known| match seed % 3 {
            0 => one(wild::program, modules::wrong_json, seed, known),
            1 => one(actions::program, modules::wrong_json, seed, known),
            _ => one(typed::program, modules::wrong_json, seed, known),
        },
    },
    Kind {
        name: "lists",
        about: "programs that make, pass on and consume lists, as for typed",
        share: 50,
        check: |seed, known| one(pipelines::program, parity::wrong, seed, known),
    },
    Kind {
        name: "combinators",
        about: "programs of functions that make functions: as for typed, and as for passes",
        share: 50,
        check: |seed, known| match seed % 2 {
            0 => one(combinators::program, parity::wrong, seed, known),
            _ => one(combinators::program, some_passes, seed, known),
        },
    },
    Kind {
        name: "continuations",
        about: "programs in continuation-passing style: as for typed, and as for passes",
        share: 50,
        check: |seed, known| match seed % 2 {
            0 => one(continuations::program, parity::wrong, seed, known),
            _ => one(continuations::program, some_passes, seed, known),
        },
    },
    Kind {
        name: "ordinary",
        about: "programs as people write them: as for passes, and no code that saves nothing",
        share: 20,
        check: |seed, known| one(ordinary::program, sized, seed, known),
    },
    Kind {
        name: "slopes",
        about: "families of programs: n times the size is n times the work and memory, or flat",
        share: 10,
        check: |seed, known| whole(known, || slopes::wrong(seed)),
    },
    Kind {
        name: "oracle",
        about: "programs of sensible types against an interpreter of the syntax tree",
        share: 50,
        check: |seed, known| one(typed::program, interpreted, seed, known),
    },
    Kind {
        name: "passes",
        about: "each pass alone and all but each: no more reductions, no more live data",
        share: 20,
        check: |seed, known| one(typed::program, some_passes, seed, known),
    },
    Kind {
        name: "fusion",
        about: "the same for programs about lists",
        share: 10,
        check: |seed, known| one(pipelines::program, some_passes, seed, known),
    },
    Kind {
        name: "subsets",
        about: "every subset of the passes: no more reductions, no more live data",
        share: 10,
        check: |seed, known| match seed % 8 {
            0 => one(pipelines::program, all_passes, seed, known),
            1 => one(combinators::program, all_passes, seed, known),
            _ => one(typed::program, all_passes, seed, known),
        },
    },
];
