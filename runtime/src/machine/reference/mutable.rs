//! Effects on mutable arrays: the array, in a constructor with the thread that has made it.

use super::heap::node::{Addr, Node, array_bytes};
use super::state::Machine;
use crate::gcode::effect::{ActionCon, ActionKind, Effect, thread_of};
use crate::machine::failure::{self, Failure, MAX_ARRAY};
use crate::machine::outcome::Stop;

impl Machine {
    /// Returns the result of an effect on mutable arrays, whose operands are on the stack.
    ///
    /// # Errors
    /// When it fails, or memory is used up. Then nothing has changed.
    pub(super) fn array_effect(&mut self, effect: Effect) -> Result<Addr, Stop> {
        match effect {
            Effect::NewArray => {
                let Some(size) = self.small(effect, 0)? else { return Err(self.no_size(effect)) };
                let len = usize::try_from(size).ok().filter(|len| *len <= MAX_ARRAY);
                let Some(len) = len else { return Err(self.no_size(effect)) };
                self.reserve_owned(2, array_bytes(len))?;
                let fill = self.heap.value(self.item(1));
                Ok(self.wrapped(effect, vec![fill; len]))
            }
            Effect::ThawArray => {
                let array = self.heap.value(self.item(0));
                let Node::Array(elements) = self.heap.get(array) else {
                    let found = self.describe(array);
                    let failure = Failure::wrong_operand(name(effect), "an array", "only", &found);
                    return Err(self.fail(failure));
                };
                self.reserve_owned(2, array_bytes(elements.len()))?;
                let elements = self.elements(self.heap.value(self.item(0)));
                Ok(self.wrapped(effect, elements))
            }
            Effect::FreezeArray => {
                let (_, len) = self.mutable(effect, 0)?;
                self.reserve_owned(2, array_bytes(len))?;
                let (array, _) = self.mutable(effect, 0)?;
                let elements = self.elements(array);
                Ok(self.heap.alloc(Node::Array(Box::new(elements.into()))))
            }
            Effect::ReadArray => {
                let (array, len) = self.mutable(effect, 0)?;
                let at = self.index(effect, len)?;
                let element = self.elements_of(array).get(at).copied();
                Ok(element.unwrap_or(Addr::NONE))
            }
            Effect::WriteArray => {
                let (array, len) = self.mutable(effect, 0)?;
                let at = self.index(effect, len)?;
                let value = self.heap.value(self.item(2));
                self.heap.write_elements(array, at, &[value]);
                Ok(self.nil())
            }
            Effect::CopyArray => {
                let (source, source_len) = self.mutable(effect, 0)?;
                let (target, target_len) = self.mutable(effect, 2)?;
                let (first, count) = self.part(effect, 1, source_len)?;
                let (start, _) = self.part(effect, 3, target_len)?;
                let copied = self.elements_of(source).get(first..first + count);
                let copied = copied.unwrap_or_default().to_vec();
                self.heap.write_elements(target, start, &copied);
                Ok(self.nil())
            }
            _ => {
                let (_, len) = self.mutable(effect, 0)?;
                Ok(self.heap.alloc(Node::Int(len as i64)))
            }
        }
    }

    /// Allocates a mutable array of the thread that does the effect; two nodes are reserved.
    fn wrapped(&mut self, effect: Effect, elements: Vec<Addr>) -> Addr {
        let array = self.heap.alloc(Node::Array(Box::new(elements.into())));
        let con = self.action_con(ActionCon::Array);
        let thread = self.item(effect.arity() as usize - 1);
        self.heap.alloc(Node::constr(con, &[array, thread]))
    }

    fn elements_of(&self, array: Addr) -> &[Addr] {
        match self.heap.get(array) {
            Node::Array(elements) => elements,
            _ => &[],
        }
    }

    fn elements(&self, array: Addr) -> Vec<Addr> {
        self.elements_of(array).iter().map(|&element| self.heap.value(element)).collect()
    }

    /// Returns the array in the mutable array that is the item `n` below the top, and its length;
    /// it must be the thread's.
    fn mutable(&self, effect: Effect, n: usize) -> Result<(Addr, usize), Stop> {
        let (item, thread) = (self.item(n), self.thread(effect.arity() as usize - 1));
        let wrapper = self.heap.value(item);
        match (self.action_kind(wrapper), self.heap.get(wrapper).as_constr()) {
            (Some(ActionKind::Con(ActionCon::Array)), Some((_, &[array, owner]))) => {
                let array = self.heap.value(array);
                match self.heap.get(self.heap.value(owner)) {
                    Node::Int(owner) if thread_of(*owner) == thread => {
                        Ok((array, self.elements_of(array).len()))
                    }
                    _ => Err(self.fail(Failure::foreign_array(name(effect)))),
                }
            }
            _ => Err(self.fail(Failure::no_mutable_array(name(effect), &self.describe(item)))),
        }
    }

    /// Returns the integer that is the item `n` below the top; `None` if it is a large one.
    fn small(&self, effect: Effect, n: usize) -> Result<Option<i64>, Stop> {
        match self.heap.get(self.heap.value(self.item(n))) {
            Node::Int(value) => Ok(Some(*value)),
            Node::Big(_) => Ok(None),
            _ => {
                let which = failure::place(n, effect.arity() as usize - 1);
                let found = self.describe(self.item(n));
                let name = name(effect);
                Err(self.fail(Failure::wrong_operand(name, "an integer", which, &found)))
            }
        }
    }

    fn no_size(&self, effect: Effect) -> Stop {
        self.fail(Failure::no_size(name(effect), &self.describe(self.item(0))))
    }

    /// Returns the index that is the second item, of an array with so many elements.
    fn index(&self, effect: Effect, len: usize) -> Result<usize, Stop> {
        let at = self.small(effect, 1)?.and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < len).ok_or_else(|| {
            let found = self.describe(self.item(1));
            self.fail(Failure::no_element(name(effect), &found, len))
        })
    }

    /// Returns the index, which is the item `n` below the top, and the number of the elements of an
    /// array that are to be copied.
    fn part(&self, effect: Effect, n: usize, len: usize) -> Result<(usize, usize), Stop> {
        const COUNT: usize = 4;
        let [first, count] = [self.small(effect, n)?, self.small(effect, COUNT)?]
            .map(|value| value.and_then(|value| usize::try_from(value).ok()));
        match (first, count) {
            (Some(first), Some(count)) if first <= len && count <= len - first => {
                Ok((first, count))
            }
            _ => {
                let [first, count] = [n, COUNT].map(|n| self.describe(self.item(n)));
                let failure = Failure::no_part_of_array(name(effect), &first, &count, len);
                Err(self.fail(failure))
            }
        }
    }
}

fn name(effect: Effect) -> &'static str {
    effect.primitive().map_or("", |primitive| primitive.name())
}
