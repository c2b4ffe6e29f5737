//! The check of a global's code: what is known of the stack before each instruction.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::super::effect::Actions;
use super::super::instr::{Flow, Instr, IntLit, Jumps, Label, Lit, Op, Operand};
use super::super::program::{ConId, Global, GlobalId, GlobalKind, Program};
use super::Violation;
use super::stack::{Item, Stack, Stacks};

/// What is known before an instruction.
#[derive(Clone, Copy)]
struct State {
    stack: Stack,
    /// Whether the redex has been updated.
    updated: bool,
}

/// The check of one global.
pub(super) struct Check<'a> {
    program: &'a Program,
    global: &'a Global,
    found: &'a mut Vec<Violation>,
    stacks: Stacks,
    /// The stack items, by their height, that are holes still to be filled.
    holes: Holes,
    /// The state at each instruction that something before it leads to.
    states: Vec<Option<State>>,
    at: usize,
    /// Whether the program has what actions need, once that was asked.
    actions: Option<bool>,
}

impl<'a> Check<'a> {
    pub fn new(program: &'a Program, id: GlobalId, found: &'a mut Vec<Violation>) -> Check<'a> {
        let global = &program.globals[id];
        let states = vec![None; global.code.len()];
        let (stacks, holes) = (Stacks::new(), Holes::default());
        Check { program, global, found, stacks, holes, states, at: 0, actions: None }
    }

    /// Returns the depth of the stack before each instruction, as far as it is known.
    pub fn depths(&self) -> Vec<Option<u64>> {
        let depth = |state: &Option<State>| state.map(|state| self.stacks.depth(state.stack));
        self.states.iter().map(depth).collect()
    }

    fn report(&mut self, at: Option<usize>, message: impl Into<String>) {
        let global = Some(self.global.symbol.clone());
        self.found.push(Violation { global, at, message: message.into() });
    }

    fn here(&mut self, message: impl Into<String>) {
        self.report(Some(self.at), message);
    }

    /// Checks everything but the code.
    pub fn head(&mut self) {
        let global = self.global;
        let stands_for = match global.kind {
            GlobalKind::Supercombinator | GlobalKind::Primitive => Some(global.arity),
            GlobalKind::Constructor(con) => self.program.cons.get(con).map(|con| con.arity),
            GlobalKind::Host(host) => self.program.hosts.get(host).map(|host| host.arity),
        };
        if stands_for != Some(global.arity) {
            self.report(None, "its arity is not that of what it stands for");
        }
        let made = match global.kind {
            GlobalKind::Supercombinator | GlobalKind::Primitive => None,
            GlobalKind::Constructor(con) => Some(Instr::Pack(con)),
            GlobalKind::Host(host) => Some(Instr::CallHost(host)),
        };
        if made.is_some_and(|made| !passes_on(global, &made)) {
            self.report(None, "its code is not that of what it stands for");
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
    pub fn code(&mut self) {
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
        let program = self.program;
        instr.each_operand(|operand| {
            let exists = match &operand {
                Operand::Number(_) | Operand::Char(_) | Operand::Int(IntLit::Small(_)) => true,
                Operand::Float(_) => true,
                // What effects make is of the data type of actions.
                Operand::Effect(_) => {
                    *self.actions.get_or_insert_with(|| Actions::find(program).is_some())
                }
                // One instruction computes each primitive.
                Operand::Primitive(primitive) => {
                    Instr::computing(*primitive).as_ref() == Some(instr)
                }
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
        });
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

    /// Returns whether all constructors exist; checks what else a `CaseJump` must fulfil.
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

    /// Returns whether all literals exist; checks what else a `LitJump` must fulfil.
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
        if !builds(instr) {
            if !self.holes.is_empty() {
                self.here(format!("{} comes before a hole is filled", instr.op().name()));
                self.holes.clear();
            }
            if state.updated && !matches!(instr, Instr::Unwind | Instr::Jump(_)) {
                self.here(format!("{} comes after the update of the redex", instr.op().name()));
            }
        }
        let top = self.stacks.item(state.stack, above).unwrap_or(Item::Value);
        // Below this height, items stay what they are.
        let kept = match instr {
            Instr::Update(_) => depth - 1,
            Instr::Push(_) => depth,
            _ => depth - takes,
        };
        if self.holes.any_from(kept) {
            self.here("it takes a hole that is not filled from the stack");
            self.holes.clear();
        }
        match instr {
            Instr::Update(n) => {
                // Checked above: takes - 1 items are above the item that is updated.
                self.update(above - u64::from(*n) - 1, &mut state);
                state.stack = self.stacks.lowest(state.stack, kept);
            }
            Instr::Push(n) => {
                let item = match self.stacks.item(state.stack, above - u64::from(*n)) {
                    Some(item @ Item::Of(_)) => item,
                    _ => Item::Value,
                };
                state.stack = self.stacks.push(state.stack, item, 1);
            }
            Instr::Alloc(n) => {
                self.holes.add(depth, (*n).into());
                state.stack = self.stacks.push(state.stack, Item::Value, (*n).into());
            }
            Instr::Unwind => {}
            // What stays where it is, stays what it is.
            Instr::Pop(_) | Instr::CaseJump(_) | Instr::Jump(_) => {
                state.stack = self.stacks.lowest(state.stack, kept + leaves);
            }
            _ => {
                let item = if matches!(instr, Instr::Slide(_)) { top } else { Item::Value };
                let rest = self.stacks.lowest(state.stack, kept);
                state.stack = self.stacks.push(rest, item, leaves);
            }
        }
        self.flow(instr, state);
    }

    /// Checks the update of the item at a height.
    fn update(&mut self, height: u64, state: &mut State) {
        match self.stacks.item(state.stack, height) {
            Some(Item::Redex) if state.updated => self.here("the redex has been updated before"),
            Some(Item::Redex) => {
                if !self.holes.is_empty() {
                    self.here("the redex is updated before a hole is filled");
                }
                state.updated = true;
            }
            _ if self.holes.fill(height) => {}
            _ => self.here("it updates neither the redex nor a hole that is not filled"),
        }
    }

    /// Propagates the state after an instruction to where control goes.
    fn flow(&mut self, instr: &Instr, state: State) {
        match instr.op().flow() {
            Flow::End => {}
            Flow::Next if self.at + 1 < self.states.len() => {
                if self.states[self.at + 1].is_some() && !self.holes.is_empty() {
                    self.here("a label leads to where a hole is not filled");
                    self.holes.clear();
                }
                self.lead(self.at + 1, state);
            }
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

    /// Returns how many stack items an instruction takes and leaves. It says so itself; counts that
    /// 32 bits cannot hold are no danger here.
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

/// Returns whether a global's code hands its arguments to one instruction and returns what that
/// makes.
fn passes_on(global: &Global, made: &Instr) -> bool {
    let arity = global.arity;
    let Some((pushes, rest)) = global.code.split_at_checked(arity as usize) else { return false };
    let push = Instr::Push(arity.saturating_sub(1));
    let returned = [Instr::Update(arity), Instr::Pop(arity), Instr::Unwind];
    pushes.iter().all(|instr| *instr == push)
        && rest.split_first().is_some_and(|(first, rest)| first == made && rest == returned)
}

/// Returns whether an instruction only builds graph and moves items: it evaluates nothing, takes no
/// item for a value, and goes on with the next instruction.
fn builds(instr: &Instr) -> bool {
    match instr.op() {
        Op::PushGlobal
        | Op::PushInt
        | Op::PushFloat
        | Op::PushChar
        | Op::PushText
        | Op::Push
        | Op::MkApp
        | Op::Slide
        | Op::Squeeze
        | Op::Update
        | Op::Pop
        | Op::Alloc
        | Op::Pack => true,
        Op::Unwind
        | Op::Eval
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Rem
        | Op::FloorDiv
        | Op::Mod
        | Op::Neg
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Ord
        | Op::Chr
        | Op::Unary
        | Op::Binary
        | Op::Cond
        | Op::CaseJump
        | Op::LitJump
        | Op::Split
        | Op::Jump
        | Op::NoMatch
        | Op::Raise
        | Op::Try
        | Op::Effect
        | Op::CallHost
        | Op::Print => false,
    }
}

/// A set of stack heights, as runs that do not meet: the first height of each and the one
/// after its last.
#[derive(Default)]
struct Holes(BTreeMap<u64, u64>);

impl Holes {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns whether there is one at `height` or above.
    fn any_from(&self, height: u64) -> bool {
        self.0.last_key_value().is_some_and(|(_, &end)| end > height)
    }

    /// Adds `count` heights from `first` on, which is above all that are there.
    fn add(&mut self, first: u64, count: u64) {
        if count > 0 {
            self.0.insert(first, first.saturating_add(count));
        }
    }

    /// Takes a height out; returns whether it was there.
    fn fill(&mut self, height: u64) -> bool {
        let Some((&first, &end)) = self.0.range(..=height).next_back() else { return false };
        if end <= height {
            return false;
        }
        self.0.remove(&first);
        self.add(first, height - first);
        self.add(height + 1, end - (height + 1));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_is_filled_once_in_whatever_order() {
        let mut holes = Holes::default();
        holes.add(5, 4);
        holes.add(20, 1);
        assert!(!holes.fill(4) && !holes.fill(9) && !holes.fill(19) && !holes.fill(21));
        for height in [6, 20, 8, 5] {
            assert!(holes.fill(height) && !holes.fill(height), "{height}");
        }
        assert!(holes.any_from(7) && !holes.any_from(8) && !holes.is_empty());
        assert!(holes.fill(7) && holes.is_empty());
        holes.add(3, 0);
        assert!(holes.is_empty());
    }
}
