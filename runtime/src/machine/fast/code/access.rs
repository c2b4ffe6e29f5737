//! Which slots an instruction reads and writes.

use super::instr::{Arg, Base, Dst, Forced, Instr, Operand, Slot};
use super::program::{ArgsId, SlotsId};
use crate::base::index::IndexVec;

/// The lists of operands of a program.
pub type ArgLists = IndexVec<ArgsId, Box<[Arg]>>;
/// The lists of slots that are written.
pub type SlotLists = IndexVec<SlotsId, Box<[Option<u32>]>>;

/// What an instruction does with a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It reads what is there.
    Read,
    /// It reads what is there, evaluated.
    Force,
    /// It writes it.
    Write,
}

/// Calls `visit` with each slot that an instruction reads or writes, in the order of the operands;
/// the slot at the base of a call is written, by its value.
pub fn accesses(
    instr: &Instr,
    args: &ArgLists,
    slots: &SlotLists,
    mut visit: impl FnMut(Access, u32),
) {
    instr.operands(&mut |_, operand| match operand {
        Operand::Dst(Dst(slot)) | Operand::Base(Base(slot)) => visit(Access::Write, slot),
        Operand::Forced(Forced(slot)) => visit(Access::Force, slot),
        Operand::Slot(Slot(slot)) => visit(Access::Read, slot),
        Operand::Arg(arg) => {
            if let Some(slot) = arg.as_slot() {
                visit(Access::Read, slot);
            }
        }
        Operand::Args(id) => {
            for slot in args[id].iter().filter_map(|arg| arg.as_slot()) {
                visit(Access::Read, slot);
            }
        }
        Operand::Slots(id) => {
            slots[id].iter().flatten().for_each(|&slot| visit(Access::Write, slot));
        }
        Operand::To(_)
        | Operand::Case(_)
        | Operand::LitCase(_)
        | Operand::Int(_)
        | Operand::Global(_)
        | Operand::Thunk(_)
        | Operand::Con(_)
        | Operand::Text(_)
        | Operand::Big(_)
        | Operand::Char(_)
        | Operand::Float(_)
        | Operand::Primitive(_)
        | Operand::Effect(_)
        | Operand::Host(_) => {}
    });
}
