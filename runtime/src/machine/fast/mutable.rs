//! Effects on mutable arrays.
//!
//! A mutable array is a constructor of the data type of actions around an array: it has the array,
//! and the number of the thread that has made it. Neither of the two fields changes.

use super::code::program::ArgsId;
use super::state::Machine;
use crate::gcode::effect::{ActionCon, ActionKind, Effect, thread_of};
use crate::gcode::program::NIL;
use crate::machine::failure::{self, Failure, MAX_ARRAY};
use crate::machine::heap::array::{MAX_ELEMENTS, array_need};
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Kind, Need, node_words};
use crate::machine::outcome::Stop;

const _: () = assert!(MAX_ARRAY <= MAX_ELEMENTS, "what a program may ask for can be made");

impl Machine {
    /// Performs an effect on mutable arrays; `None` if there was a collection instead.
    ///
    /// # Errors
    /// When it fails, or something is used up. Then nothing has changed.
    pub(super) fn array_effect(
        &mut self,
        effect: Effect,
        args: ArgsId,
        thread: i64,
    ) -> Result<Option<Word>, Stop> {
        match effect {
            Effect::NewArray => {
                let size = self.operand(args, 0);
                let len = match size.view() {
                    View::Int(len) => usize::try_from(len).ok().filter(|len| *len <= MAX_ARRAY),
                    _ if self.number(size).is_some() => None,
                    _ => return Err(self.no_number(effect, args, 0)),
                };
                let Some(len) = len else {
                    let found = self.describe(size);
                    return Err(self.fail(Failure::no_size(name(effect), &found)));
                };
                if self.room_for(wrapped_need(len))? {
                    return Ok(None);
                }
                let fill = self.operand(args, 1);
                // SAFETY: room was made sure of, and the operand is a word of the heap.
                Ok(Some(unsafe { self.wrapped(thread, len, fill)? }))
            }
            Effect::ThawArray => {
                let Some(elements) = self.elements(self.operand(args, 0)) else {
                    let found = self.operand(args, 0);
                    return Err(self.wrong_operand(name(effect), "an array", "only", found));
                };
                let len = elements.len();
                if self.room_for(wrapped_need(len))? {
                    return Ok(None);
                }
                let source = self.operand(args, 0);
                // SAFETY: room was made sure of, and integers are words of every heap; both arrays
                // have so many elements.
                unsafe {
                    let made = self.wrapped(thread, len, Word::ZERO)?;
                    let target = self.heap.field(made, 0);
                    self.heap.copy_elements((source, 0), (target, 0), len);
                    Ok(Some(made))
                }
            }
            Effect::FreezeArray => {
                let (_, len) = self.mutable(effect, args, 0, thread)?;
                if self.room_for(array_need(len))? {
                    return Ok(None);
                }
                let (source, _) = self.mutable(effect, args, 0, thread)?;
                // SAFETY: as above.
                unsafe {
                    let made = self.heap.new_array(len, Word::ZERO);
                    let target = made.map_err(|full| self.out_of_memory(full))?;
                    self.heap.copy_elements((source, 0), (target, 0), len);
                    Ok(Some(target))
                }
            }
            Effect::ReadArray => {
                let (array, len) = self.mutable(effect, args, 0, thread)?;
                let at = self.index(effect, args, len)?;
                // SAFETY: `mutable` gives an array.
                let element = unsafe { self.heap.elements(array) }.get(at).copied();
                Ok(element)
            }
            Effect::WriteArray => {
                let (array, len) = self.mutable(effect, args, 0, thread)?;
                let at = self.index(effect, args, len)?;
                let value = self.operand(args, 2);
                // SAFETY: the array has this element, and the operand is a word of the heap.
                unsafe { self.heap.write_element(array, at, value) };
                Ok(Some(Word::con(NIL)))
            }
            Effect::CopyArray => {
                let (source, source_len) = self.mutable(effect, args, 0, thread)?;
                let (target, target_len) = self.mutable(effect, args, 2, thread)?;
                let first = self.part(effect, args, 1, source_len)?;
                let start = self.part(effect, args, 3, target_len)?;
                let count = first.1;
                // SAFETY: `part` has seen that both arrays have so many elements there.
                unsafe {
                    self.heap.copy_elements((source, first.0), (target, start.0), count);
                }
                Ok(Some(Word::con(NIL)))
            }
            _ => {
                let (_, len) = self.mutable(effect, args, 0, thread)?;
                Ok(Some(Word::int(len as i64).unwrap_or(Word::ZERO)))
            }
        }
    }

    /// Allocates a mutable array of a thread.
    ///
    /// # Safety
    /// There is room for what [`wrapped_need`] says; `fill` is a word of this heap.
    unsafe fn wrapped(&mut self, thread: i64, len: usize, fill: Word) -> Result<Word, Stop> {
        let con = self.action_con(ActionCon::Array);
        let owner = Word::int(thread).unwrap_or(Word::ZERO);
        // SAFETY: there is room for both. A large array leaves none for what comes after it, so
        // it comes last.
        unsafe {
            let made = self.heap.alloc(Kind::Con, con.0, &[Word::ZERO, owner]);
            let array = self.heap.new_array(len, fill).map_err(|full| self.out_of_memory(full))?;
            self.heap.write_field(made, 0, array);
            Ok(made)
        }
    }

    /// Returns the array in the mutable array that is an operand, and its length; it must be the
    /// thread's.
    fn mutable(
        &self,
        effect: Effect,
        args: ArgsId,
        at: usize,
        thread: i64,
    ) -> Result<(Word, usize), Stop> {
        let word = self.operand(args, at);
        if self.action_kind(word) != Some(ActionKind::Con(ActionCon::Array)) {
            let found = self.describe(word);
            return Err(self.fail(Failure::no_mutable_array(name(effect), &found)));
        }
        // SAFETY: it has the array for its first field, and its thread for the second.
        let (array, owner) = unsafe { (self.heap.field(word, 0), self.heap.field(word, 1)) };
        // SAFETY: as above.
        let array = unsafe { self.heap.resolve(array) };
        match (owner.view(), self.elements(array)) {
            (View::Int(owner), Some(elements)) if thread_of(owner) == thread => {
                Ok((array, elements.len()))
            }
            _ => Err(self.fail(Failure::foreign_array(name(effect)))),
        }
    }

    /// Returns the index that is the second operand, of an array with so many elements.
    fn index(&self, effect: Effect, args: ArgsId, len: usize) -> Result<usize, Stop> {
        let word = self.operand(args, 1);
        let found = match word.view() {
            View::Int(at) => usize::try_from(at).ok().filter(|at| *at < len),
            _ if self.number(word).is_none() => return Err(self.no_number(effect, args, 1)),
            _ => None,
        };
        found.ok_or_else(|| self.fail(Failure::no_element(name(effect), &self.describe(word), len)))
    }

    /// Returns the index, which is an operand, and the number of the elements of an array that are
    /// to be copied.
    fn part(
        &self,
        effect: Effect,
        args: ArgsId,
        at: usize,
        len: usize,
    ) -> Result<(usize, usize), Stop> {
        const COUNT: usize = 4;
        for at in [at, COUNT] {
            if self.number(self.operand(args, at)).is_none() {
                return Err(self.no_number(effect, args, at));
            }
        }
        let small = |at| match self.operand(args, at).view() {
            View::Int(value) => usize::try_from(value).ok(),
            _ => None,
        };
        match (small(at), small(COUNT)) {
            (Some(first), Some(count)) if first <= len && count <= len - first => {
                Ok((first, count))
            }
            _ => {
                let [first, count] = [at, COUNT].map(|at| self.describe(self.operand(args, at)));
                let failure = Failure::no_part_of_array(name(effect), &first, &count, len);
                Err(self.fail(failure))
            }
        }
    }

    fn no_number(&self, effect: Effect, args: ArgsId, at: usize) -> Stop {
        let which = failure::place(at, effect.arity() as usize - 1);
        self.wrong_operand(name(effect), "an integer", which, self.operand(args, at))
    }
}

fn name(effect: Effect) -> &'static str {
    effect.primitive().map_or("", |primitive| primitive.name())
}

/// Returns the room that a mutable array of so many elements takes.
fn wrapped_need(len: usize) -> Option<Need> {
    array_need(len).map(|need| Need { words: need.words + node_words(2), ..need })
}
