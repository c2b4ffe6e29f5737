//! What a machine may rely on: the checks that a program in G-code passes.
//!
//! - The tables agree with each other; data type 0 is `List`, constructors 0 and 1 are `Nil`
//!   and `Cons`; constructors are numbered type by type. Symbols are unique. Texts and big
//!   integers are numbered in the order of their first use, none twice.
//! - Every number in an instruction names something. Labels point forward.
//! - At every instruction the stack has the same depth on all paths, and every instruction
//!   can be reached. No code touches the redex or what is below it but by `Update`. The code
//!   updates the redex exactly once on each path that ends in `Unwind`, and then has nothing
//!   but the redex on the stack. `Update` addresses the redex or what `Alloc` made.
//! - `CaseJump` goes by the constructors of one type, each at most once, and has a default if
//!   it does not name all. `Split` takes apart a constructor of its number of fields: the one
//!   of the branch that it is reached by. `LitJump` goes by integers or by characters, each
//!   at most once, and has a default.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::instr::{Flow, Instr, IntLit, Jumps, Label, Lit, Operand};
use super::print;
use super::program::{
    BigId, CONS, ConId, Global, GlobalId, GlobalKind, LIST, NIL, Program, TextId,
};
use super::stack::{Item, Stack, Stacks};
use crate::base::index::{Idx, IndexVec};
use crate::base::integer::Integer;

/// Something that a program in G-code must not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The symbol of the global; `None` for the tables.
    pub global: Option<Arc<str>>,
    /// The number of the instruction.
    pub at: Option<usize>,
    /// What is wrong, one sentence.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(global) = &self.global {
            write!(f, "{}", print::name(global))?;
            if let Some(at) = self.at {
                write!(f, " {at}")?;
            }
            write!(f, ": ")?;
        }
        f.write_str(&self.message)
    }
}

/// What is wrong with a program; empty if nothing is.
#[must_use]
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut found = Vec::new();
    tables(program, &mut found);
    order_of_first_use(program, &mut found);
    for id in program.globals.indices() {
        let mut check = Check::new(program, id, &mut found);
        check.head();
        check.code();
    }
    found
}

/// The depth of the stack, the redex included, before each instruction of a global; `None`
/// where nothing leads, or past a violation that leaves it unknown. Empty if there is no such
/// global.
#[must_use]
pub fn depths(program: &Program, id: GlobalId) -> Vec<Option<u64>> {
    if program.globals.get(id).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut check = Check::new(program, id, &mut found);
    check.code();
    let depth = |state: &Option<State>| state.map(|state| check.stacks.depth(state.stack));
    check.states.iter().map(depth).collect()
}

fn tables(program: &Program, found: &mut Vec<Violation>) {
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
fn order_of_first_use(program: &Program, found: &mut Vec<Violation>) {
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

/// What is known before an instruction.
#[derive(Clone, Copy)]
struct State {
    stack: Stack,
    /// Whether the redex has been updated.
    updated: bool,
}

/// The check of one global.
struct Check<'a> {
    program: &'a Program,
    global: &'a Global,
    found: &'a mut Vec<Violation>,
    stacks: Stacks,
    /// The state at each instruction that something before it leads to.
    states: Vec<Option<State>>,
    at: usize,
}

impl<'a> Check<'a> {
    fn new(program: &'a Program, id: GlobalId, found: &'a mut Vec<Violation>) -> Check<'a> {
        let global = &program.globals[id];
        let states = vec![None; global.code.len()];
        Check { program, global, found, stacks: Stacks::new(), states, at: 0 }
    }

    fn report(&mut self, at: Option<usize>, message: impl Into<String>) {
        let global = Some(self.global.symbol.clone());
        self.found.push(Violation { global, at, message: message.into() });
    }

    fn here(&mut self, message: impl Into<String>) {
        self.report(Some(self.at), message);
    }

    /// Checks everything but the code.
    fn head(&mut self) {
        let global = self.global;
        let stands_for = match global.kind {
            GlobalKind::Supercombinator | GlobalKind::Primitive => Some(global.arity),
            GlobalKind::Constructor(con) => self.program.cons.get(con).map(|con| con.arity),
            GlobalKind::Host(host) => self.program.hosts.get(host).map(|host| host.arity),
        };
        if stands_for != Some(global.arity) {
            self.report(None, "its arity is not that of what it stands for");
        }
        if !global.params.is_empty() && global.params.len() != global.arity as usize {
            self.report(None, "it has not as many parameter names as parameters");
        }
        let names = global.params.len();
        if !global.strict.is_empty()
            && (global.strict.len() != names || !global.strict.contains(&true))
        {
            self.report(None, "it does not say of each parameter whether it is strict");
        }
        if global.spans.len() != global.code.len() {
            self.report(None, "it has not as many spans as instructions");
        }
        if global.code.is_empty() {
            self.report(None, "it has no code");
        }
    }

    /// Checks the code, instruction by instruction: as labels point forward, everything that
    /// leads to an instruction stands before it.
    fn code(&mut self) {
        let redex = self.stacks.push(Stacks::EMPTY, Item::Redex, 1);
        let stack = self.stacks.push(redex, Item::Value, self.global.arity.into());
        if let Some(first) = self.states.first_mut() {
            *first = Some(State { stack, updated: false });
        }
        let global = self.global;
        for (at, instr) in global.code.iter().enumerate() {
            self.at = at;
            if !self.operands(instr) {
                // Its effect is unknown, so what follows cannot be judged.
                return;
            }
            match self.states[at] {
                Some(state) => self.step(instr, state),
                None => self.here("nothing leads here"),
            }
        }
    }

    /// Checks that the operands name something, and the jumps.
    fn operands(&mut self, instr: &Instr) -> bool {
        let mut known = true;
        for operand in instr.operands() {
            let program = self.program;
            let exists = match &operand {
                Operand::Number(_) | Operand::Char(_) | Operand::Int(IntLit::Small(_)) => true,
                Operand::Global(global) => program.globals.get(*global).is_some(),
                Operand::Int(IntLit::Big(big)) => program.bigs.get(*big).is_some(),
                Operand::Text(text) => program.texts.get(*text).is_some(),
                Operand::Con(con) => program.cons.get(*con).is_some(),
                Operand::Host(host) => program.hosts.get(*host).is_some(),
                Operand::Label(_) => true,
                Operand::ConJumps(jumps) => self.con_jumps(jumps),
                Operand::LitJumps(jumps) => self.lit_jumps(jumps),
            };
            if !exists {
                self.here("an operand names nothing");
                known = false;
            }
        }
        for Label(to) in instr.labels() {
            if to as usize <= self.at {
                self.here(format!("label {to} does not point forward"));
                known = false;
            } else if to as usize >= self.states.len() {
                self.here(format!("label {to} points past the end"));
                known = false;
            }
        }
        known
    }

    /// Whether all constructors exist; checks what else a `CaseJump` must fulfil.
    fn con_jumps(&mut self, jumps: &Jumps<ConId>) -> bool {
        let mut datas = FxHashSet::default();
        let mut seen = FxHashSet::default();
        for (id, _) in &jumps.branches {
            let Some(con) = self.program.cons.get(*id) else { return false };
            datas.insert(con.data);
            if !seen.insert(*id) {
                self.here(format!("there are two branches for {}", con.symbol));
            }
        }
        let mut datas = datas.into_iter();
        match (datas.next(), datas.next()) {
            (Some(data), None) => {
                let Some(data) = self.program.datas.get(data) else { return false };
                if jumps.default.is_none() && seen.len() < data.cons.len() {
                    self.here(format!(
                        "a constructor of {} has no branch, and there is no default",
                        data.symbol
                    ));
                }
            }
            (None, _) => self.here("there is no branch"),
            (Some(_), Some(_)) => self.here("the branches are of more than one data type"),
        }
        true
    }

    /// Whether all literals exist; checks what else a `LitJump` must fulfil.
    fn lit_jumps(&mut self, jumps: &Jumps<Lit>) -> bool {
        let mut seen = FxHashSet::default();
        let (mut ints, mut chars) = (false, false);
        for (lit, _) in &jumps.branches {
            let new = match lit {
                Lit::Int(IntLit::Big(big)) if self.program.bigs.get(*big).is_none() => {
                    return false;
                }
                // Big integers are in the table once, so their numbers can be compared.
                lit => seen.insert(*lit),
            };
            match lit {
                Lit::Int(_) => ints = true,
                Lit::Char(_) => chars = true,
            }
            if !new {
                self.here("there are two branches for one literal");
            }
        }
        if ints && chars {
            self.here("the branches are of integers and of characters");
        }
        if jumps.branches.is_empty() {
            self.here("there is no branch");
        }
        if jumps.default.is_none() {
            self.here("there is no default");
        }
        true
    }

    /// Checks an instruction in the state before it, and hands the state after it on.
    fn step(&mut self, instr: &Instr, mut state: State) {
        let depth = self.stacks.depth(state.stack);
        let (takes, leaves) = self.effect(instr);
        // The redex is no operand, except to `Update` and `Unwind`.
        let above = depth - 1;
        let reach = match instr {
            Instr::Unwind => takes - 1,
            Instr::Update(n) if u64::from(*n) + 1 == above => takes - 1,
            _ => takes,
        };
        if reach > above {
            return self.here(format!("it takes {reach} items above the redex; there are {above}"));
        }
        match instr {
            Instr::Unwind if depth != 1 => {
                self.here(format!("there are {above} items above the redex, not none"));
            }
            Instr::Unwind if !state.updated => self.here("the redex has not been updated"),
            Instr::Print => self.here("only the initial code prints"),
            Instr::Split(n) => self.split(*n, state.stack, above),
            _ => {}
        }
        let top = self.stacks.item(state.stack, above).unwrap_or(Item::Value);
        match instr {
            Instr::Update(n) => {
                // Checked above: takes - 1 items are above the item that is updated.
                match self.stacks.item(state.stack, above - u64::from(*n) - 1) {
                    Some(Item::Redex) if state.updated => {
                        self.here("the redex has been updated before");
                    }
                    Some(Item::Redex) => state.updated = true,
                    Some(Item::Hole) => {}
                    Some(Item::Of(_) | Item::Value) | None => {
                        self.here("it updates neither the redex nor what Alloc made");
                    }
                }
                state.stack = self.stacks.lowest(state.stack, depth - 1);
            }
            Instr::Push(n) => {
                let item = match self.stacks.item(state.stack, above - u64::from(*n)) {
                    Some(item @ Item::Of(_)) => item,
                    _ => Item::Value,
                };
                state.stack = self.stacks.push(state.stack, item, 1);
            }
            Instr::Alloc(n) => {
                state.stack = self.stacks.push(state.stack, Item::Hole, (*n).into());
            }
            Instr::Unwind => {}
            // What stays where it is, stays what it is.
            Instr::Pop(_) | Instr::CaseJump(_) | Instr::Jump(_) => {
                state.stack = self.stacks.lowest(state.stack, depth - takes + leaves);
            }
            _ => {
                let item = if matches!(instr, Instr::Slide(_)) { top } else { Item::Value };
                let rest = self.stacks.lowest(state.stack, depth - takes);
                state.stack = self.stacks.push(rest, item, leaves);
            }
        }
        self.flow(instr, state);
    }

    /// Hands the state after an instruction on to where it leads.
    fn flow(&mut self, instr: &Instr, state: State) {
        match instr.op().flow() {
            Flow::End => {}
            Flow::Next if self.at + 1 < self.states.len() => self.lead(self.at + 1, state),
            Flow::Next => self.here("the code ends here without Unwind, NoMatch or Raise"),
            Flow::Jump => match instr {
                Instr::CaseJump(jumps) => {
                    let depth = self.stacks.depth(state.stack);
                    let rest = self.stacks.lowest(state.stack, depth - 1);
                    for &(con, Label(to)) in &jumps.branches {
                        let stack = self.stacks.push(rest, Item::Of(con), 1);
                        self.lead(to as usize, State { stack, ..state });
                    }
                    if let Some(Label(to)) = jumps.default {
                        let stack = self.stacks.push(rest, Item::Value, 1);
                        self.lead(to as usize, State { stack, ..state });
                    }
                }
                _ => {
                    for Label(to) in instr.labels() {
                        self.lead(to as usize, state);
                    }
                }
            },
        }
    }

    /// Stack items taken and left. An instruction says it itself; counts that 32 bits cannot
    /// hold are no danger here.
    fn effect(&self, instr: &Instr) -> (u64, u64) {
        match *instr {
            Instr::Push(n) => (u64::from(n) + 1, u64::from(n) + 2),
            Instr::Slide(n) => (u64::from(n) + 1, 1),
            Instr::Squeeze(n, m) => (u64::from(n) + u64::from(m), n.into()),
            Instr::Update(n) => (u64::from(n) + 2, u64::from(n) + 1),
            _ => {
                let (takes, leaves) = instr.effect(self.program);
                (takes.into(), leaves.into())
            }
        }
    }

    fn split(&mut self, n: u32, stack: Stack, above: u64) {
        let con = match self.stacks.item(stack, above) {
            Some(Item::Of(con)) => self.program.cons.get(con),
            _ => None,
        };
        match con {
            Some(con) if con.arity == n => {}
            Some(con) => {
                let message = format!("{} has {} fields, not {n}", con.symbol, con.arity);
                self.here(message);
            }
            None => self.here("it is not known which constructor is split"),
        }
    }

    /// Notes that an instruction is reached in a state.
    fn lead(&mut self, to: usize, state: State) {
        // Labels have been checked, so `to` is an instruction.
        let Some(before) = self.states[to] else {
            self.states[to] = Some(state);
            return;
        };
        let depths = (self.stacks.depth(before.stack), self.stacks.depth(state.stack));
        if depths.0 != depths.1 {
            let message = format!(
                "the stack is {} deep on one path to {to}, {} on another",
                depths.0, depths.1
            );
            self.here(message);
        } else if before.updated != state.updated {
            self.here(format!("the redex has been updated on one path to {to} and not on another"));
        } else {
            let stack = self.stacks.join(before.stack, state.stack);
            self.states[to] = Some(State { stack, ..before });
        }
    }
}
