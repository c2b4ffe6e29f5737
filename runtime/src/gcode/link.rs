//! Linking: definitions that are added to a program that is there.
//!
//! An [`Addition`] is compiled by itself: its tables begin at 0, and what it has in common with
//! the program stands in them too. Linking gives its parts their numbers in the program, which
//! grows at the end of its tables and changes nowhere else. So an addition costs what it has of
//! its own, however large the program is.

use std::sync::Arc;

use super::effect::ACTION;
use super::instr::{Instr, IntLit, Jumps, Lit, Operand};
use super::program::{
    BigId, ConId, DataId, Global, GlobalId, GlobalKind, Host, HostId, Program, Sizes, TextId,
};
use super::verify::Violation;
use crate::base::index::{Idx, IndexVec};
use crate::base::places::Places;

/// What an addition has in common with the program that it is added to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Links {
    /// For each data type of the addition the one of the program that it is; `None` for a new
    /// one, and past the end.
    pub datas: IndexVec<DataId, Option<DataId>>,
    /// For each host function of the addition the global of the program that it stands for;
    /// `None` for a function of the embedding program, and past the end.
    pub hosts: IndexVec<HostId, Option<GlobalId>>,
}

/// Definitions to be added to a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addition {
    /// Their code. A global that stands for one of the program has no code, and is of the kind
    /// [`Host`](GlobalKind::Host): that of an entry of [`Links::hosts`].
    pub program: Program,
    /// What of it the program has already.
    pub links: Links,
}

/// The numbers in a program of what was added to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linked {
    /// For each global of the addition, its number in the program.
    pub globals: IndexVec<GlobalId, GlobalId>,
    /// For each data type of the addition, its number in the program.
    pub datas: IndexVec<DataId, DataId>,
    /// For each constructor of the addition, its number in the program.
    pub cons: IndexVec<ConId, ConId>,
}

/// Why definitions are not added to a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkError {
    /// With them the program has more of something than there may be: a sentence.
    TooLarge(String),
    /// The program runs: a host function asks, whose caller waits.
    Running,
    /// The verifier refuses them: all violations, at least one.
    Invalid(Vec<Violation>),
}

/// An addition on its way into a program.
struct Linker<'a> {
    into: &'a mut Program,
    from: Sizes,
    linked: Linked,
    hosts: IndexVec<HostId, HostId>,
}

/// Appends an addition to a program. `symbol` makes a symbol that the program does not have.
/// The result is to be verified. `None` if the links do not fit the two.
pub(super) fn link(
    into: &mut Program,
    addition: Addition,
    mut symbol: impl FnMut(Table, Arc<str>) -> Arc<str>,
) -> Option<Linked> {
    let Addition { program, links } = addition;
    let from = into.sizes();
    let linked = Linked {
        globals: IndexVec::new(),
        datas: IndexVec::new(),
        cons: program.cons.iter().map(|_| ConId(u32::MAX)).collect(),
    };
    into.labels.extend(program.labels.clone());
    let mut linker = Linker { into, from, linked, hosts: IndexVec::new() };
    linker.datas(&program, &links, &mut symbol)?;
    for host in program.hosts.iter() {
        let known = linker.into.hosts.enumerate().find(|(_, other)| *other == host);
        let known = known.map(|(id, _)| id);
        let id = linker.hosts.next_index();
        let stands_for = links.hosts.get(id).copied().flatten();
        // No code calls what stands for a global.
        let host = match (stands_for, known) {
            (Some(_), _) => HostId(u32::MAX),
            (None, Some(known)) => known,
            (None, None) => {
                linker.into.hosts.push(Host { name: host.name.clone(), arity: host.arity })
            }
        };
        linker.hosts.push(host);
    }
    linker.into.bigs.extend(program.bigs.iter().cloned());
    linker.into.texts.extend(program.texts.iter().cloned());
    linker.into.places.append(program.places);
    let mut next = from.globals;
    for global in program.globals.iter() {
        let id = match stands_for(global, &links) {
            Some(id) => {
                (linker.into.globals.get(id)?.arity == global.arity).then_some(())?;
                id
            }
            None => {
                next += 1;
                GlobalId::new(next - 1)
            }
        };
        linker.linked.globals.push(id);
    }
    if let Some(main) = program.main {
        linker.into.main = Some(*linker.linked.globals.get(main)?);
    }
    for global in program.globals.into_items() {
        if stands_for(&global, &links).is_none() {
            let global = linker.global(global, &mut symbol)?;
            linker.into.globals.push(global);
        }
    }
    Some(linker.linked)
}

/// A table whose entries have symbols of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Table {
    Globals,
    Datas,
    Cons,
    Hosts,
}

/// Returns the global of the program that one of an addition stands for.
fn stands_for(global: &Global, links: &Links) -> Option<GlobalId> {
    match global.kind {
        GlobalKind::Host(host) => links.hosts.get(host).copied().flatten(),
        _ => None,
    }
}

impl Linker<'_> {
    /// Adds the data types that are new, and their constructors.
    fn datas(
        &mut self,
        program: &Program,
        links: &Links,
        symbol: &mut impl FnMut(Table, Arc<str>) -> Arc<str>,
    ) -> Option<()> {
        for (local, data) in program.datas.enumerate() {
            let cons = data.cons.iter().map(|&con| Some((con, program.cons.get(con)?)));
            let cons: Vec<_> = cons.collect::<Option<_>>()?;
            // There is one data type of actions, however many texts have mentioned it.
            let is_actions = *data.symbol == *ACTION;
            let actions = || is_actions.then(|| self.into.action_data()).flatten();
            if let Some(id) = links.datas.get(local).copied().flatten().or_else(actions) {
                let known = &self.into.datas.get(id)?.cons;
                (known.len() == cons.len()).then_some(())?;
                for (&known, &(con, entry)) in known.iter().zip(&cons) {
                    (self.into.cons.get(known)?.arity == entry.arity).then_some(())?;
                    *self.linked.cons.get_mut(con)? = known;
                }
                self.linked.datas.push(id);
                continue;
            }
            let id = self.into.datas.next_index();
            let mut of_data = Vec::with_capacity(cons.len());
            for (con, entry) in cons {
                let mut entry = entry.clone();
                entry.data = id;
                entry.symbol = symbol(Table::Cons, entry.symbol);
                let new = self.into.cons.push(entry);
                *self.linked.cons.get_mut(con)? = new;
                of_data.push(new);
            }
            let mut data = data.clone();
            data.cons = of_data;
            data.symbol = symbol(Table::Datas, data.symbol);
            self.into.datas.push(data);
            self.linked.datas.push(id);
        }
        Some(())
    }

    /// Returns a global with the numbers of the program.
    fn global(
        &self,
        mut global: Global,
        symbol: &mut impl FnMut(Table, Arc<str>) -> Arc<str>,
    ) -> Option<Global> {
        global.symbol = symbol(Table::Globals, global.symbol);
        global.kind = match global.kind {
            GlobalKind::Constructor(con) => GlobalKind::Constructor(self.con(con)?),
            GlobalKind::Host(host) => GlobalKind::Host(*self.hosts.get(host)?),
            kind @ (GlobalKind::Supercombinator | GlobalKind::Primitive) => kind,
        };
        for instr in &mut global.code {
            *instr = self.instr(instr)?;
        }
        for span in &mut global.spans {
            *span = Places::moved(*span, self.from.inlined);
        }
        Some(global)
    }

    fn con(&self, con: ConId) -> Option<ConId> {
        self.linked.cons.get(con).copied()
    }

    fn int(&self, int: IntLit) -> Option<IntLit> {
        Some(match int {
            IntLit::Small(small) => IntLit::Small(small),
            IntLit::Big(big) => IntLit::Big(BigId::new(self.from.bigs + big.index())),
        })
    }

    fn instr(&self, instr: &Instr) -> Option<Instr> {
        let operands = instr.operands().into_iter().map(|operand| self.operand(operand));
        instr.op().with(operands.collect::<Option<_>>()?)
    }

    fn operand(&self, operand: Operand) -> Option<Operand> {
        Some(match operand {
            Operand::Global(global) => Operand::Global(*self.linked.globals.get(global)?),
            Operand::Int(int) => Operand::Int(self.int(int)?),
            Operand::Text(text) => Operand::Text(TextId::new(self.from.texts + text.index())),
            Operand::Con(con) => Operand::Con(self.con(con)?),
            Operand::Host(host) => Operand::Host(*self.hosts.get(host)?),
            Operand::ConJumps(jumps) => {
                let Jumps { branches, default } = *jumps;
                let branches = branches.into_iter().map(|(con, to)| Some((self.con(con)?, to)));
                let branches = branches.collect::<Option<_>>()?;
                Operand::ConJumps(Box::new(Jumps { branches, default }))
            }
            Operand::LitJumps(jumps) => {
                let Jumps { branches, default } = *jumps;
                let branches = branches.into_iter().map(|(lit, to)| match lit {
                    Lit::Int(int) => Some((Lit::Int(self.int(int)?), to)),
                    lit @ Lit::Char(_) => Some((lit, to)),
                });
                let branches = branches.collect::<Option<_>>()?;
                Operand::LitJumps(Box::new(Jumps { branches, default }))
            }
            same @ (Operand::Number(_) | Operand::Char(_) | Operand::Label(_)) => same,
            same @ (Operand::Float(_) | Operand::Primitive(_) | Operand::Effect(_)) => same,
        })
    }
}
