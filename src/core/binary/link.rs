//! What the names of a compiled module mean in a program.

use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::IndexVec;
use crate::base::name::Name;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::core::expr::DataId;
use crate::core::scope::{Globals, Lookup, PROGRAM, Target, UnitId};
use crate::syntax::binary::{Module, Reference, ReferenceId, ReferenceKind};

/// What the references of a module mean in a program.
#[derive(Clone, Debug, Default)]
pub struct Linked(IndexVec<ReferenceId, Option<Target>>);

impl Linked {
    /// Returns what a reference means, if it was found.
    #[must_use]
    pub fn target(&self, reference: ReferenceId) -> Option<Target> {
        self.0.get(reference).copied().flatten()
    }
}

/// Looks up what a module mentions. What is not there, or no longer as it was when the module was
/// compiled, is reported.
pub fn link(globals: &Globals<'_>, module: &Module, reports: &mut Vec<Diagnostic>) -> Linked {
    let names = globals.input.names;
    let mut linked = Linked::default();
    let mut stale = |span: Span, what: String| {
        let file = for_message(&module.name);
        let message = format!("`{file}` does not fit this program: {what}");
        reports.push(
            Diagnostic::error(Code::StaleModule, span, message)
                .help("compile it again: gmachine compile SOURCE -o FILE.gm"),
        );
    };
    let mut unbound: Vec<&Reference> = Vec::new();
    // The data type that each layout is of, once that is known.
    let mut layouts: Vec<Option<Option<DataId>>> = vec![None; module.layouts.len()];
    for reference in module.references.iter() {
        let text = || for_message(names.text(reference.name));
        let found = match globals.lookup(PROGRAM, reference.name) {
            Lookup::Found(target) => target,
            Lookup::Ambiguous(..) | Lookup::Unbound => {
                unbound.push(reference);
                linked.0.push(None);
                continue;
            }
        };
        let fits = match (reference.kind, found) {
            (ReferenceKind::Constructor { layout, tag }, Target::Con(con)) => {
                let data = globals.cons[con].data;
                let known = layouts[layout as usize].get_or_insert_with(|| {
                    let layout = &module.layouts[layout as usize];
                    is_laid_out(globals, data, layout).then_some(data)
                });
                *known == Some(data) && globals.cons[con].tag == tag
            }
            (ReferenceKind::Value, Target::Con(_)) | (ReferenceKind::Constructor { .. }, _) => {
                false
            }
            (ReferenceKind::Value, _) => true,
            (ReferenceKind::Same(other), target) => {
                linked.target(other).is_none_or(|it| it == target)
            }
        };
        if !fits {
            let what = match reference.kind {
                ReferenceKind::Constructor { .. } => {
                    format!("the constructor `{}`, or its data type, is another one now", text())
                }
                ReferenceKind::Value if matches!(found, Target::Con(_)) => {
                    format!("`{}` is a constructor now", text())
                }
                _ => format!("`{}` is defined anew", text()),
            };
            stale(reference.span, what);
        }
        linked.0.push(Some(found).filter(|_| fits));
    }
    for &name in &module.variables {
        if globals.con(PROGRAM, name).is_some() {
            let text = for_message(names.text(name));
            stale(module.at, format!("its patterns bind `{text}`, which is a constructor now"));
        }
    }
    for reference in unbound {
        let text = for_message(names.text(reference.name));
        let file = for_message(&module.name);
        let report = match globals.lookup(PROGRAM, reference.name) {
            Lookup::Ambiguous(one, other) => {
                let name = |unit: UnitId| {
                    let unit = globals.input.units.get(unit.0 as usize);
                    unit.map_or("", |unit| unit.name.as_str())
                };
                let (one, other) = (name(one), name(other));
                let message =
                    format!("`{text}` is defined by two imported modules, {one} and {other}");
                Diagnostic::error(Code::AmbiguousName, reference.span, message)
            }
            _ => {
                let message = format!("`{text}` is not bound");
                Diagnostic::error(Code::UnboundName, reference.span, message)
            }
        };
        reports.push(report.note(format!("the compiled module `{file}` uses it")));
    }
    linked
}

/// Returns whether a data type is laid out as one was.
fn is_laid_out(globals: &Globals<'_>, data: DataId, layout: &[(Name, u32)]) -> bool {
    let cons = &globals.datas[data].cons;
    cons.len() == layout.len()
        && cons.iter().zip(layout).all(|(&con, &(name, arity))| {
            let con = &globals.cons[con];
            con.arity == arity && *con.name == *globals.input.names.text(name)
        })
}
