//! Constructors: making them, going by them, taking them apart.

use super::code::{Choice, Code, Position};
use super::heap::node::{Addr, Node, fields_bytes};
use super::state::{Machine, Tested};
use crate::base::integer::Integer;
use crate::base::quote::SHOWN_DEPTH;
use crate::gcode::effect::ActionCon;
use crate::gcode::instr::{Instr, IntLit, Jumps, Lit};
use crate::gcode::program::{ConId, GlobalKind};
use crate::machine::failure::{Failure, Lists};
use crate::machine::outcome::Stop;

/// Returns what a literal of a branch has to be to be a node.
fn choice(node: &Node) -> Option<Choice> {
    match node {
        Node::Char(c) => Some(Choice::Char(*c)),
        Node::Int(n) => Some(Choice::Int(*n)),
        Node::Big(big) => Some(Choice::Big(Integer::clone(big))),
        _ => None,
    }
}

impl Machine {
    /// `<Pack t n : i, a1 : .. : an : s, d, h>  =>  <i, a : s, d, h[a: NConstr t [a1 .. an]]>`
    pub(super) fn pack(&mut self, con: ConId) -> Result<(), Stop> {
        let arity = self.code.program.cons.get(con).map_or(0, |con| con.arity as usize);
        self.stack_check(1)?;
        self.reserve(1, fields_bytes(arity))?;
        let start = self.stack.len() - arity;
        // The first field is on top.
        self.stack[start..].reverse();
        let node = Node::constr(con, &self.stack[start..]);
        let addr = self.heap.alloc(node);
        self.replace(arity, addr);
        Ok(())
    }

    /// `<CaseJump [.. t -> l ..] : i, a : s, d, h[a: NConstr t as]>  =>  <code at l, a : s, d, h>`
    pub(super) fn case_jump(&mut self, jumps: &Jumps<ConId>) -> Result<(), Stop> {
        let top = self.item(0);
        let cons = &self.code.program.cons;
        let data = |con: ConId| cons.get(con).map(|con| con.data);
        let expected = jumps.branches.first().and_then(|(con, _)| data(*con));
        let found = self.heap.get(self.heap.value(top)).as_constr().map(|(con, _)| con);
        let Some(con) = found.filter(|con| data(*con) == expected) else {
            let of = expected.and_then(|data| self.code.program.datas.get(data));
            let of = of.map_or("a constructor".into(), |data| {
                let name =
                    crate::base::quote::for_message(self.code.program.data_display_name(data));
                format!("a value of type `{name}`")
            });
            return self.unless_performed(&of, top);
        };
        let branch = match self.code.table(self.at, jumps.branches.len()) {
            Some(table) => table.get(&Choice::Con(con)).copied(),
            None => jumps.branches.iter().find(|(of, _)| *of == con).map(|(_, label)| *label),
        };
        self.tests(top);
        match branch.or(jumps.default) {
            Some(label) => self.at = self.at.to(label.0),
            None => return Err(self.no_alternative(Some(top))),
        }
        Ok(())
    }

    /// `<LitJump [.. k -> l ..] : i, a : s, d, h[a: NNum k]>  =>  <code at l, s, d, h>`
    pub(super) fn lit_jump(&mut self, jumps: &Jumps<Lit>) -> Result<(), Stop> {
        let top = self.item(0);
        let wants_char = matches!(jumps.branches.first(), Some((Lit::Char(_), _)));
        let node = self.heap.get(self.heap.value(top));
        let is_lit = |lit: &Lit| match (lit, node) {
            (Lit::Char(c), Node::Char(found)) => c == found,
            (Lit::Int(IntLit::Small(n)), Node::Int(found)) => n == found,
            (Lit::Int(IntLit::Big(big)), Node::Big(found)) => {
                let big: Option<&Integer> = self.code.program.bigs.get(*big);
                big == Some(&**found)
            }
            _ => false,
        };
        match (wants_char, node) {
            (true, Node::Char(_)) | (false, Node::Int(_) | Node::Big(_)) => {}
            (true, _) => return Err(self.wrong_scrutinee("a character", top)),
            (false, _) => return Err(self.wrong_scrutinee("an integer", top)),
        }
        let branch = match self.code.table(self.at, jumps.branches.len()) {
            Some(table) => choice(node).and_then(|choice| table.get(&choice).copied()),
            None => jumps.branches.iter().find(|(lit, _)| is_lit(lit)).map(|(_, label)| *label),
        };
        self.tests(top);
        match branch.or(jumps.default) {
            Some(label) => {
                self.stack.pop();
                self.at = self.at.to(label.0);
                Ok(())
            }
            None => Err(self.no_alternative(Some(top))),
        }
    }

    /// `<Split n : i, a : s, d, h[a: NConstr t [a1 .. an]]>  =>  <i, a1 : .. : an : s, d, h>`
    pub(super) fn split(&mut self, n: u32) -> Result<(), Stop> {
        self.stack_check((n as usize).saturating_sub(1))?;
        let top = self.item(0);
        let node = self.heap.get(self.heap.value(top));
        let Some((_, fields)) = node.as_constr().filter(|(_, all)| all.len() == n as usize) else {
            return Err(self.wrong_scrutinee(&format!("a constructor of {n} fields"), top));
        };
        self.stack.pop();
        self.stack.extend(fields.iter().rev());
        Ok(())
    }

    /// Fails because a constructor of another data type, or no constructor, was found; but not in
    /// the performer, which has a branch for what is no action.
    fn unless_performed(&mut self, expected: &str, found: Addr) -> Result<(), Stop> {
        let performs = self.code.global(self.at.global).is_some_and(|global| global.performs());
        match self.code.actions {
            Some(actions) if performs && self.is_evaluated(found) => {
                self.reserve(1, 0)?;
                let con = actions.con(ActionCon::NoAction);
                let none = self.heap.alloc(Node::constr(con, &[]));
                self.replace(1, none);
                Ok(())
            }
            _ => Err(self.wrong_scrutinee(expected, found)),
        }
    }

    fn wrong_scrutinee(&self, expected: &str, found: Addr) -> Stop {
        let found = self.describe(found);
        // The codes of primitives that switch on a value are those that evaluate the message of
        // `error` and lists, and what goes on with an action.
        let code = self.code.global(self.at.global);
        if let Some(global) = code.filter(|global| global.kind == GlobalKind::Primitive) {
            return self.fail(match global.continues() {
                true => Failure::no_action(&found),
                false => Failure::no_list(global.display.as_deref(), &found),
            });
        }
        self.fail(Failure::wrong_scrutinee(expected, &found))
    }

    /// Remembers the value that the present instruction jumps by.
    fn tests(&mut self, value: Addr) {
        self.tested = Some(Tested { at: self.at, value, instructions: self.counts.instructions });
    }

    /// `<NoMatch : i, s, d, h>  =>  error`, which names the scrutinee of the case.
    pub(super) fn no_match(&mut self, code: &Code) -> Stop {
        let places = &code.program.places;
        let span = code.place(self.at);
        if let Some(value) = places.unmatched(span) {
            return self.fail(Failure::no_alternative(Some(value)));
        }
        // The jump of the same case, if nothing but what drops its value was executed since.
        let since =
            |tested: &Tested| match self.counts.instructions.wrapping_sub(tested.instructions) {
                1 => matches!(code.instr(tested.at), Some(Instr::LitJump(_))),
                2 => {
                    let before = Position { pc: self.at.pc.wrapping_sub(1), ..self.at };
                    matches!(code.instr(tested.at), Some(Instr::CaseJump(_)))
                        && matches!(code.instr(before), Some(Instr::Pop(1)))
                }
                _ => false,
            };
        let is_same = |tested: &Tested| {
            tested.at.global == self.at.global
                && places.text(code.place(tested.at)) == places.text(span)
        };
        let tested = self.tested.filter(|tested| since(tested) && is_same(tested));
        if let Some(Tested { at, value, .. }) = tested {
            // Whoever evaluates it again finds the value again. It has just left the stack, so there
            // is room.
            self.at = at;
            self.stack.push(value);
        }
        self.no_alternative(tested.map(|tested| tested.value))
    }

    fn no_alternative(&self, value: Option<Addr>) -> Stop {
        let found = value.map(|value| self.brief(value, SHOWN_DEPTH, Lists::Cells));
        self.fail(Failure::no_alternative(found.as_deref()))
    }
}
