//! The checks of a program's tables.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::instr::{Instr, IntLit, Lit};
use super::super::link::Table;
use super::super::print;
use super::super::program::{CONS, LIST, NIL, Program, Sizes};
use super::Violation;
use crate::base::index::{Idx, IndexVec};
use crate::base::integer::Integer;

/// The symbols of a program's tables: of globals, data types, constructors, host functions.
#[derive(Clone, Default, Debug)]
pub(in crate::gcode) struct Symbols([FxHashSet<Arc<str>>; 4]);

impl Symbols {
    /// Returns whether an entry of the table is called so.
    pub fn has(&self, table: Table, symbol: &str) -> bool {
        self.0[table as usize].contains(symbol)
    }

    /// Removes the symbols of the entries that a program has beyond these sizes.
    pub fn forget(&mut self, program: &Program, from: Sizes) {
        for (table, symbol) in symbols(program, from) {
            self.0[table as usize].remove(symbol);
        }
    }
}

/// Returns the symbols of the entries that a program has beyond these sizes.
fn symbols(program: &Program, from: Sizes) -> impl Iterator<Item = (Table, &Arc<str>)> {
    let Program { globals, datas, cons, hosts, .. } = program;
    let globals = globals.since(from.globals).iter();
    let datas = datas.since(from.datas).iter();
    let cons = cons.since(from.cons).iter();
    let hosts = hosts.since(from.hosts).iter();
    let globals = globals.map(|global| (Table::Globals, &global.symbol));
    let datas = datas.map(|data| (Table::Datas, &data.symbol));
    let cons = cons.map(|con| (Table::Cons, &con.symbol));
    let hosts = hosts.map(|host| (Table::Hosts, &host.name));
    globals.chain(datas).chain(cons).chain(hosts)
}

/// Checks that the tables agree with each other, from the entries on that `from` says; notes the
/// symbols of those.
pub(super) fn agree(
    program: &Program,
    from: Sizes,
    known: &mut Symbols,
    found: &mut Vec<Violation>,
) {
    let mut report = |message: String| found.push(Violation { global: None, at: None, message });
    let list = program.datas.get(LIST);
    let cells = [(NIL, "Nil", 0, 0), (CONS, "Cons", 1, 2)];
    let built_in = list.is_some_and(|list| &*list.symbol == "List" && list.cons == [NIL, CONS])
        && cells.iter().all(|&(id, symbol, tag, arity)| {
            program.cons.get(id).is_some_and(|con| {
                (&*con.symbol, con.data, con.tag, con.arity) == (symbol, LIST, tag, arity)
            })
        });
    if !built_in {
        report("data type 0 is not List with Nil/0 and Cons/2".into());
    }
    let mut next = from.cons;
    for (id, data) in program.datas.enumerate_from(from.datas) {
        for (tag, &con) in data.cons.iter().enumerate() {
            if con.index() != next {
                report(format!("the constructors of {} are not numbered in order", data.symbol));
            }
            next += 1;
            let agrees =
                program.cons.get(con).is_some_and(|con| (con.data, con.tag as usize) == (id, tag));
            if !agrees {
                report(format!("constructor {tag} of {} says something else", data.symbol));
            }
        }
    }
    if next != program.cons.len() {
        report("a constructor belongs to no data type".into());
    }
    if let Some(main) = program.main {
        match program.globals.get(main) {
            None => report("main is no global".into()),
            Some(global) if global.arity > 1 => {
                report("main has more than one parameter".into());
            }
            Some(_) => {}
        }
    }
    for (table, symbol) in symbols(program, from) {
        if !known.0[table as usize].insert(symbol.clone()) {
            let what = match table {
                Table::Globals => "globals",
                Table::Datas => "data types",
                Table::Cons => "constructors",
                Table::Hosts => "host functions",
            };
            report(format!("two {what} are called {}", print::name(symbol)));
        }
    }
}

/// Checks that texts and big integers are numbered as the code mentions them, none twice: of the
/// globals from the one on that `from` says, which mention none that were there before.
pub(super) fn order_of_first_use(program: &Program, from: Sizes, found: &mut Vec<Violation>) {
    let mut report = |message: &str| {
        found.push(Violation { global: None, at: None, message: message.to_owned() });
    };
    let (mut texts, mut bigs) = (from.texts, from.bigs);
    let mut older = false;
    let globals = program.globals.since(from.globals).iter();
    for instr in globals.flat_map(|global| &global.code) {
        let mut big = |int: IntLit| {
            if let IntLit::Big(big) = int {
                bigs += usize::from(big.index() == bigs);
                older |= big.index() < from.bigs;
            }
        };
        match instr {
            Instr::PushText(text) => {
                texts += usize::from(text.index() == texts);
                older |= text.index() < from.texts;
            }
            Instr::PushInt(int) => big(*int),
            Instr::LitJump(jumps) => {
                for (lit, _) in &jumps.branches {
                    if let Lit::Int(int) = lit {
                        big(*int);
                    }
                }
            }
            _ => {}
        }
    }
    if older {
        report("what is added mentions a text or a big integer of before");
    }
    if texts != program.texts.len() {
        report("the texts are not numbered in the order of their first use");
    }
    if bigs != program.bigs.len() {
        report("the big integers are not numbered in the order of their first use");
    }
    if has_twins(&program.texts, from.texts) {
        report("a text is there twice");
    }
    if has_twins(&program.bigs, from.bigs) {
        report("a big integer is there twice");
    }
    let mut bigs = program.bigs.since(from.bigs).iter();
    if bigs.any(|big| matches!(big, Integer::Small(_))) {
        report("a big integer fits a word");
    }
}

fn has_twins<I: Idx, T: std::hash::Hash + Eq>(items: &IndexVec<I, T>, from: usize) -> bool {
    let mut seen = FxHashSet::default();
    !items.since(from).iter().all(|item| seen.insert(item))
}
