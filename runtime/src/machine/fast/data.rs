//! The slow paths of instructions on data: nodes of many words, the names of a `letrec`, and
//! switches on values.

use super::code::instr::{Arg, Dst, Forced, Slot};
use super::code::program::{ArgsId, LitCaseId};
use super::state::Machine;
use crate::base::quote::{SHOWN_DEPTH, for_message};
use crate::gcode::effect::ActionCon;
use crate::gcode::program::{BigId, ConId, GlobalKind, LIST};
use crate::machine::failure::{Failure, Lists};
use crate::machine::heap::word::{Tag, View, Word};
use crate::machine::heap::{Header, Kind, Size, integer_words, node_words};
use crate::machine::opaque::{OPAQUE, Opaque};
use crate::machine::outcome::Stop;

impl Machine {
    /// Allocates a node with the fields that an instruction names.
    pub(super) fn new_node(
        &mut self,
        kind: Kind,
        info: u32,
        d: Dst,
        args: ArgsId,
    ) -> Result<(), Stop> {
        let count = self.args(args).len();
        let Some(size) = Size::of_fields(count) else { return Err(self.heap_limit()) };
        if !self.heap.fits(node_words(count)) {
            return self.collect_for(node_words(count));
        }
        // SAFETY: there is room, and the fields are what the instruction says.
        let node = unsafe {
            let node = self.heap.alloc_empty(kind, info, size);
            self.put_fields(node, args);
            node
        };
        self.counts.thunks_made += u64::from(kind == Kind::Thunk);
        self.counts.allocations += u64::from(self.count);
        self.set_slot(d.0, node);
        self.advance();
        Ok(())
    }

    /// Writes the fields of a new node.
    ///
    /// # Safety
    /// It is young and has as many.
    unsafe fn put_fields(&mut self, node: Word, args: ArgsId) {
        let fields: *mut Word = std::ptr::with_exposed_provenance_mut(node.address());
        for (at, word) in self.args(args).enumerate() {
            // SAFETY: the caller's promise.
            unsafe { *fields.add(1 + at) = word }
        }
    }

    /// Allocates a node that a `Fill` will make something of.
    pub(super) fn new_hole(&mut self, d: Dst, words: i32) -> Result<(), Stop> {
        let words = words.max(1) as usize;
        let Some(size) = Size::new(words) else { return Err(self.heap_limit()) };
        if !self.heap.fits(node_words(words)) {
            return self.collect_for(node_words(words));
        }
        // SAFETY: there is room.
        let node = unsafe { self.heap.alloc_empty(Kind::Hole, Header::UNFILLED, size) };
        self.counts.allocations += u64::from(self.count);
        self.set_slot(d.0, node);
        self.advance();
        Ok(())
    }

    /// Turns a hole into a node.
    pub(super) fn fill(
        &mut self,
        a: Slot,
        kind: Kind,
        info: u32,
        args: ArgsId,
    ) -> Result<(), Stop> {
        let words: Vec<Word> = self.args(args).collect();
        // SAFETY: the slot holds a hole that has not been filled, with room for so many fields (a
        // rule of compact code).
        let node = unsafe { self.heap.fill(self.slot(a.0), kind, info, &words) };
        self.counts.thunks_made += u64::from(kind == Kind::Thunk);
        self.set_slot(a.0, node);
        self.advance();
        Ok(())
    }

    /// Turns a hole into an indirection, unless it would lead to itself: whoever evaluates it then
    /// meets a value that depends on itself.
    pub(super) fn fill_indirection(&mut self, a: Slot, b: Arg) -> Result<(), Stop> {
        let hole = self.slot(a.0);
        // SAFETY: both are words of the heap.
        let value = unsafe { self.heap.resolve(self.arg(b)) };
        if !value.is_pointer() || value.address() != hole.address() {
            // SAFETY: the slot holds a hole.
            unsafe { self.heap.update(hole, value) };
        }
        self.advance();
        Ok(())
    }

    /// Sets `d` to a large integer of the program.
    pub(super) fn big_literal(&mut self, d: Dst, big: BigId) -> Result<(), Stop> {
        let Some(value) = self.mutator.image.program.bigs.get(big).cloned() else {
            unreachable!("operands name something")
        };
        let words = integer_words(&value);
        if !self.heap.fits(words) {
            return self.collect_for(words);
        }
        // SAFETY: there is room.
        let word = unsafe { self.heap.int(value) };
        self.set_slot(d.0, word);
        self.advance();
        Ok(())
    }

    /// Evaluates the operand of a `CaseList` that the fast path does not know, or fails if it is
    /// evaluated.
    pub(super) fn scrutinise_list(&mut self, a: Forced) -> Result<(), Stop> {
        if !self.slot(a.0).is_evaluated() {
            return self.force(a);
        }
        let list = self.mutator.image.program.gcode.datas.get(LIST);
        let name = list.map_or("List".into(), |data| data.symbol.clone());
        Err(self.wrong_scrutinee(&of_type(&name), a))
    }

    /// Evaluates the operand of a case on constructors of the data type of `con`, or treats it as
    /// one of another type if it is evaluated.
    pub(super) fn scrutinise(&mut self, a: Forced, con: Option<ConId>) -> Result<(), Stop> {
        match self.slot(a.0).is_evaluated() {
            true => self.wrong_data(a, con),
            false => self.force(a),
        }
    }

    /// Fails because the operand is no constructor of the data type of `con`; in the performer
    /// makes it the constructor of what is no action, for which there is a branch.
    fn wrong_data(&mut self, a: Forced, con: Option<ConId>) -> Result<(), Stop> {
        let owner = self.mutator.image.owner(self.at());
        let owner = owner.and_then(|owner| self.mutator.image.global(owner));
        if let (Some(actions), Some(owner)) = (self.mutator.image.actions, owner)
            && owner.performs()
        {
            // The performer has a branch for what is no action.
            self.set_slot(a.0, Word::con(actions.con(ActionCon::NoAction)));
            return Ok(());
        }
        let gcode = &self.mutator.image.program.gcode;
        let data =
            con.and_then(|con| gcode.cons.get(con)).and_then(|con| gcode.datas.get(con.data));
        let name =
            data.map_or_else(|| "?".to_owned(), |data| gcode.data_display_name(data).to_owned());
        Err(self.wrong_scrutinee(&of_type(&name), a))
    }

    /// Jumps by a large integer, or evaluates any other operand of a `LitCase` that the fast path
    /// does not know.
    pub(super) fn literal_case(&mut self, a: Forced, case: LitCaseId) -> Result<(), Stop> {
        let value = self.slot(a.0);
        if !value.is_evaluated() {
            return self.force(a);
        }
        let Some(case) = self.mutator.image.program.lit_cases.get(case) else {
            unreachable!("operands name something")
        };
        // Characters and integers of a word took the fast path.
        let target = self.as_big(value).filter(|_| !case.chars).map(|big| {
            let bigs = &self.mutator.image.program.bigs;
            let found = case.bigs.binary_search_by(|(id, _)| bigs.get(*id).cmp(&Some(&*big)));
            let branch = found.ok().and_then(|at| case.bigs.get(at));
            branch.map_or(case.default, |(_, to)| *to)
        });
        let Some(target) = target else {
            let wanted = if case.chars { "a character" } else { "an integer" };
            return Err(self.wrong_scrutinee(wanted, a));
        };
        self.go_to(target);
        Ok(())
    }

    fn wrong_scrutinee(&self, expected: &str, found: Forced) -> Stop {
        let found = self.describe(self.slot(found.0));
        // The codes of primitives that switch on a value are those that evaluate the message of
        // `error` and lists, and what goes on with an action.
        let owner =
            self.mutator.image.owner(self.at()).and_then(|owner| self.mutator.image.global(owner));
        if let Some(global) = owner.filter(|global| global.kind == GlobalKind::Primitive) {
            return self.fail(match global.continues() {
                true => Failure::no_action(&found),
                false => Failure::no_list(global.display.as_deref(), &found),
            });
        }
        self.fail(Failure::wrong_scrutinee(expected, &found))
    }

    /// Fails because no alternative of a case matches `a`.
    pub(super) fn no_match(&self, a: Arg) -> Result<(), Stop> {
        let known = self.places().unmatched(self.mutator.image.span(self.at()));
        let found = match (known, self.arg(a)) {
            (Some(value), _) => Some(value.to_string()),
            (None, Word::NOTHING) => None,
            (None, value) => Some(self.brief(value, SHOWN_DEPTH, Lists::Cells)),
        };
        Err(self.fail(Failure::no_alternative(found.as_deref())))
    }

    /// Returns the constructor and the fields of an evaluated word, if it is one.
    pub(super) fn as_con(&self, word: Word) -> Option<(ConId, Vec<Word>)> {
        match word.view() {
            View::Con(con) => Some((con, Vec::new())),
            View::Node(Tag::Con) => {
                // SAFETY: a pointer leads to a node.
                let (header, fields) = unsafe { (self.heap.header(word), self.heap.fields(word)) };
                let con = ConId(header.info());
                (con != OPAQUE).then(|| (con, fields.to_vec()))
            }
            _ => None,
        }
    }

    /// Returns the value of the embedding program that an evaluated word stands for, if it does.
    pub(super) fn as_opaque(&self, word: Word) -> Option<&Opaque> {
        if word.view() != View::Node(Tag::Con) {
            return None;
        }
        // SAFETY: a pointer leads to a node, and such a constructor has one field, an integer.
        let number = unsafe {
            let is_opaque = self.heap.header(word).info() == OPAQUE.0;
            is_opaque.then(|| self.heap.field(word, 0).as_int())
        };
        self.mutator.opaques.get(u32::try_from(number?).ok()?)
    }
}

fn of_type(name: &str) -> String {
    format!("a value of type `{}`", for_message(name))
}
