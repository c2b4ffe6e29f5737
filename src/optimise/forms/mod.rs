//! Definitions in the form that partial evaluation judges them by.
//!
//! Whether a definition makes a list, takes a parameter apart or passes it on is read off its source
//! before anything is evaluated. What is the same by another name is written out first: calls of
//! [`wrappers`], calls of [`eliminators`] where they are needed, and [`discriminators`], which say what a
//! value is, with the selections that follow. What is put in the place of a call here the driver would put
//! there later, so nothing is lost by it. Loops over [`records`] become loops over their fields. All that is
//! done again before definitions are read for the second time: variants have forms of their own, as a loop
//! that is given the functions which take its list apart.

mod discriminators;
mod eliminators;
mod knots;
mod needed;
mod records;
mod stored;
mod wholes;
mod wrappers;

use super::{Pass, Passes, Report};
use crate::core::expr::Program;

/// Writes definitions out. Takes time linear in the program.
pub(super) fn write_out(program: &mut Program, passes: Passes, report: &mut Report) {
    let wrappers = wrappers::write_out(program);
    report.count(Pass::Inline, "wrappers written out", wrappers);
    let knots = knots::write_out(program);
    report.count(Pass::Inline, "knots untied", knots);
    let stored = stored::write_out(program);
    report.count(Pass::Specialise, "things that constants hold named", stored);
    let eliminators = eliminators::write_out(program);
    report.count(Pass::Inline, "eliminators written out", eliminators);
    if passes.has(Pass::KnownCase) {
        let tests = discriminators::write_out(program);
        report.count(Pass::KnownCase, "tests and selections made cases", tests);
    }
    let records = records::write_out(program);
    report.count(Pass::Inline, "loops over records split", records);
    if passes.has(Pass::CaseOfCase) {
        let needed = needed::write_out(program);
        report.count(Pass::CaseOfCase, "choices made before a turn", needed);
        let wholes = wholes::write_out(program);
        report.count(Pass::CaseOfCase, "values built again of their fields", wholes);
    }
}
