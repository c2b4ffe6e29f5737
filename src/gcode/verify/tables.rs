//! The checks of a program's tables.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::instr::{Instr, IntLit, Lit};
use super::super::print;
use super::super::program::{BigId, CONS, LIST, NIL, Program, TextId};
use super::Violation;
use crate::base::index::{Idx, IndexVec};
use crate::base::integer::Integer;

/// Checks that the tables agree with each other.
pub(super) fn agree(program: &Program, found: &mut Vec<Violation>) {
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
    let mut next = 0;
    for (id, data) in program.datas.enumerate() {
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
    let symbols: [(&str, Vec<&Arc<str>>); 4] = [
        ("globals", program.globals.iter().map(|global| &global.symbol).collect()),
        ("data types", program.datas.iter().map(|data| &data.symbol).collect()),
        ("constructors", program.cons.iter().map(|con| &con.symbol).collect()),
        ("host functions", program.hosts.iter().map(|host| &host.name).collect()),
    ];
    for (what, symbols) in symbols {
        let mut seen = FxHashSet::default();
        for symbol in symbols {
            if !seen.insert(symbol) {
                report(format!("two {what} are called {}", print::name(symbol)));
            }
        }
    }
}

/// Checks that texts and big integers are numbered as the code mentions them, none twice.
pub(super) fn order_of_first_use(program: &Program, found: &mut Vec<Violation>) {
    let mut report = |message: &str| {
        found.push(Violation { global: None, at: None, message: message.to_owned() });
    };
    let (mut texts, mut bigs) = (0, 0);
    for instr in program.globals.iter().flat_map(|global| &global.code) {
        let mut big = |int: IntLit| {
            if let IntLit::Big(BigId(id)) = int
                && id == bigs
            {
                bigs += 1;
            }
        };
        match instr {
            Instr::PushText(TextId(id)) if *id == texts => texts += 1,
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
    if texts as usize != program.texts.len() {
        report("the texts are not numbered in the order of their first use");
    }
    if bigs as usize != program.bigs.len() {
        report("the big integers are not numbered in the order of their first use");
    }
    if distinct(&program.texts) != program.texts.len() {
        report("a text is there twice");
    }
    if distinct(&program.bigs) != program.bigs.len() {
        report("a big integer is there twice");
    }
    if program.bigs.iter().any(|big| matches!(big, Integer::Small(_))) {
        report("a big integer fits a word");
    }
}

fn distinct<I: Idx, T: std::hash::Hash + Eq>(items: &IndexVec<I, T>) -> usize {
    items.iter().collect::<FxHashSet<_>>().len()
}
