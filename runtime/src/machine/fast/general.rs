//! The slow path of each instruction: whatever it lacks is found out, and seen to.

use super::apply::Operands;
use super::code::instr::{Instr, Op};
use super::code::program::Entry;
use super::eval::Entering;
use super::state::Machine;
use crate::gcode::program::GlobalId;
use crate::machine::heap::Kind;
use crate::machine::heap::word::Word;
use crate::machine::outcome::Stop;
use crate::primitive::Primitive;

impl Machine {
    /// Executes the instruction that the registers are at, or sees to what it lacks (an operand is
    /// evaluated, room is made) and leaves the registers where they are, so that it is executed
    /// again.
    ///
    /// # Errors
    /// When something stops it. The registers are at the instruction that could not be executed.
    #[allow(clippy::too_many_lines, reason = "one arm an instruction")]
    pub(super) fn general(&mut self) -> Result<(), Stop> {
        // SAFETY: the registers are at an instruction.
        match *unsafe { &*self.pc.0 } {
            Instr::Caf { global, .. } => self.caf(global).map(|_| ()),
            Instr::Big { d, big } => self.big_literal(d, big),
            Instr::Text { .. } | Instr::Float { .. } | Instr::Con1 { .. } => self.collect_for(2),
            Instr::Thunk1 { .. } | Instr::Cheap1 { .. } | Instr::CheapSum { .. } => {
                self.collect_for(2)
            }
            Instr::Con2 { .. }
            | Instr::Thunk2 { .. }
            | Instr::Cheap2 { .. }
            | Instr::ReturnCon2 { .. } => self.collect_for(3),
            Instr::Con3 { .. } | Instr::Thunk3 { .. } | Instr::Cheap3 { .. } => self.collect_for(4),
            Instr::ConN { d, con, args } => self.new_node(Kind::Con, con.0, d, args),
            Instr::ThunkN { d, thunk, args } => self.new_node(Kind::Thunk, thunk.0, d, args),
            Instr::CheapN { d, thunk, args } => self.new_node(Kind::Thunk, thunk.0, d, args),
            Instr::Pap { d, global, args } => self.new_node(Kind::Pap, global.0, d, args),
            Instr::Hole { d, words } => self.new_hole(d, words),
            Instr::FillCon { a, con, args } => self.fill(a, Kind::Con, con.0, args),
            Instr::FillThunk { a, thunk, args } => self.fill(a, Kind::Thunk, thunk.0, args),
            Instr::FillPap { a, global, args } => self.fill(a, Kind::Pap, global.0, args),
            Instr::FillInd { a, b } => self.fill_indirection(a, b),

            Instr::Add { d, a, b } => self.arithmetic(Op::Add, d, a, b),
            Instr::Sub { d, a, b } => self.arithmetic(Op::Sub, d, a, b),
            Instr::Mul { d, a, b } => self.arithmetic(Op::Mul, d, a, b),
            Instr::Div { d, a, b } => self.arithmetic(Op::Div, d, a, b),
            Instr::Rem { d, a, b } => self.arithmetic(Op::Rem, d, a, b),
            Instr::FloorDiv { d, a, b } => self.arithmetic(Op::FloorDiv, d, a, b),
            Instr::Mod { d, a, b } => self.arithmetic(Op::Mod, d, a, b),
            Instr::AddInt { d, a, k } => self.arithmetic_with(Op::AddInt, d, a, k),
            Instr::SubFrom { d, a, k } => self.arithmetic_with(Op::SubFrom, d, a, k),
            Instr::MulInt { d, a, k } => self.arithmetic_with(Op::MulInt, d, a, k),
            Instr::DivInt { d, a, k } => self.arithmetic_with(Op::DivInt, d, a, k),
            Instr::RemInt { d, a, k } => self.arithmetic_with(Op::RemInt, d, a, k),
            Instr::FloorDivInt { d, a, k } => self.arithmetic_with(Op::FloorDivInt, d, a, k),
            Instr::ModInt { d, a, k } => self.arithmetic_with(Op::ModInt, d, a, k),
            Instr::Neg { d, a } => self.negate(d, a),
            Instr::Ord { d, a } => self.ord(d, a),
            Instr::Chr { d, a } => self.chr(d, a),
            Instr::Eq { d, a, b } => self.compare_into(Op::Eq, d, a, b),
            Instr::Ne { d, a, b } => self.compare_into(Op::Ne, d, a, b),
            Instr::Lt { d, a, b } => self.compare_into(Op::Lt, d, a, b),
            Instr::Le { d, a, b } => self.compare_into(Op::Le, d, a, b),
            Instr::Gt { d, a, b } => self.compare_into(Op::Gt, d, a, b),
            Instr::Ge { d, a, b } => self.compare_into(Op::Ge, d, a, b),
            Instr::FAdd { d, a, b } => self.binary(Primitive::FAdd, d, a, b),
            Instr::FSub { d, a, b } => self.binary(Primitive::FSub, d, a, b),
            Instr::FMul { d, a, b } => self.binary(Primitive::FMul, d, a, b),
            Instr::FDiv { d, a, b } => self.binary(Primitive::FDiv, d, a, b),
            Instr::FAddConst { d, a, k } => {
                self.float_with(Primitive::FAdd, d, a, k, |a, k| (a, k))
            }
            Instr::FSubConst { d, a, k } => {
                self.float_with(Primitive::FSub, d, a, k, |a, k| (a, k))
            }
            Instr::FSubFrom { d, a, k } => self.float_with(Primitive::FSub, d, a, k, |a, k| (k, a)),
            Instr::FMulConst { d, a, k } => {
                self.float_with(Primitive::FMul, d, a, k, |a, k| (a, k))
            }
            Instr::FDivConst { d, a, k } => {
                self.float_with(Primitive::FDiv, d, a, k, |a, k| (a, k))
            }
            Instr::FDivInto { d, a, k } => self.float_with(Primitive::FDiv, d, a, k, |a, k| (k, a)),
            Instr::AddI64 { d, a, b } => self.binary(Primitive::AddI64, d, a, b),
            Instr::AddI64Int { d, a, k } => self.arithmetic_with(Op::AddI64Int, d, a, k),
            Instr::SubI64 { d, a, b } => self.binary(Primitive::SubI64, d, a, b),
            Instr::MulI64 { d, a, b } => self.binary(Primitive::MulI64, d, a, b),
            Instr::AddU64 { d, a, b } => self.binary(Primitive::AddU64, d, a, b),
            Instr::SubU64 { d, a, b } => self.binary(Primitive::SubU64, d, a, b),
            Instr::MulU64 { d, a, b } => self.binary(Primitive::MulU64, d, a, b),
            Instr::Unary { d, a, op } => self.unary(op, d, a),
            Instr::Binary { d, a, b, op } => self.binary(op, d, a, b),
            Instr::BinaryInt { d, a, k, op } => self.binary_with(op, d, a, k),

            Instr::UnlessEq { a, b, to } => self.compare_and_jump(Op::Eq, a, b, to),
            Instr::UnlessNe { a, b, to } => self.compare_and_jump(Op::Ne, a, b, to),
            Instr::UnlessLt { a, b, to } => self.compare_and_jump(Op::Lt, a, b, to),
            Instr::UnlessLe { a, b, to } => self.compare_and_jump(Op::Le, a, b, to),
            Instr::UnlessGt { a, b, to } => self.compare_and_jump(Op::Gt, a, b, to),
            Instr::UnlessGe { a, b, to } => self.compare_and_jump(Op::Ge, a, b, to),
            Instr::UnlessEqInt { a, k, to } => {
                self.compare_with_and_jump(Op::Eq, a, Word::of_i32(k), to)
            }
            Instr::UnlessNeInt { a, k, to } => {
                self.compare_with_and_jump(Op::Ne, a, Word::of_i32(k), to)
            }
            Instr::UnlessLtInt { a, k, to } => {
                self.compare_with_and_jump(Op::Lt, a, Word::of_i32(k), to)
            }
            Instr::UnlessLeInt { a, k, to } => {
                self.compare_with_and_jump(Op::Le, a, Word::of_i32(k), to)
            }
            Instr::UnlessGtInt { a, k, to } => {
                self.compare_with_and_jump(Op::Gt, a, Word::of_i32(k), to)
            }
            Instr::UnlessGeInt { a, k, to } => {
                self.compare_with_and_jump(Op::Ge, a, Word::of_i32(k), to)
            }
            Instr::UnlessEqChar { a, k, to } => {
                self.compare_with_and_jump(Op::Eq, a, Word::char(k), to)
            }
            Instr::UnlessNeChar { a, k, to } => {
                self.compare_with_and_jump(Op::Ne, a, Word::char(k), to)
            }
            Instr::UnlessLtChar { a, k, to } => {
                self.compare_with_and_jump(Op::Lt, a, Word::char(k), to)
            }
            Instr::UnlessLeChar { a, k, to } => {
                self.compare_with_and_jump(Op::Le, a, Word::char(k), to)
            }
            Instr::UnlessGtChar { a, k, to } => {
                self.compare_with_and_jump(Op::Gt, a, Word::char(k), to)
            }
            Instr::UnlessGeChar { a, k, to } => {
                self.compare_with_and_jump(Op::Ge, a, Word::char(k), to)
            }
            Instr::UnlessFloat { a, b, op, to } => self.compare_floats_and_jump(op, a, b, to),
            Instr::UnlessFloatConst { a, k, op, to } => self.compare_float_and_jump(op, a, k, to),
            Instr::Unless { a, .. } => self.condition(a),

            Instr::CaseList { a, .. } => self.scrutinise_list(a),
            Instr::Case { a, case } => {
                let first = self.mutator.image.program.cases.get(case).map(|case| case.first);
                self.scrutinise(a, first)
            }
            Instr::Case1 { a, con }
            | Instr::Case2 { a, con, .. }
            | Instr::Unpack2 { a, con, .. } => self.scrutinise(a, Some(con)),
            Instr::LitCase { a, case } => self.literal_case(a, case),
            Instr::Eval { a } => self.force(a),

            Instr::Call1 { base, global, .. }
            | Instr::Call2 { base, global, .. }
            | Instr::Call3 { base, global, .. } => self.make_room_for(global, base.0 as usize + 1),
            Instr::CallN { base, global, args } => self.call(base, global, args),
            Instr::Apply1 { base, f, a } => self.call_unknown(base, f, Operands::Few(&[a])),
            Instr::Apply2 { base, f, a, b } => self.call_unknown(base, f, Operands::Few(&[a, b])),
            Instr::Apply3 { base, f, a, b, c } => {
                self.call_unknown(base, f, Operands::Few(&[a, b, c]))
            }
            Instr::ApplyN { base, f, args } => self.call_unknown(base, f, Operands::List(args)),
            Instr::Try { base, a } => self.try_to(base, a),
            Instr::TryCall { base, global, args } => self.try_call(base, global, args),
            Instr::Effect { d, effect, args } => self.effect(d, effect, args),
            Instr::CallHost { d, host, args } => self.call_host(d, host, args),

            Instr::Return { a } | Instr::Enter { a } => self.enter(self.arg(a)),
            Instr::Tail1 { global, .. }
            | Instr::Tail2 { global, .. }
            | Instr::Tail3 { global, .. } => self.make_room_for(global, 0),
            Instr::TailN { global, args } => self.tail_call(global, args),
            Instr::TailApply1 { f, a } => self.tail_unknown(f, Operands::Few(&[a])),
            Instr::TailApply2 { f, a, b } => self.tail_unknown(f, Operands::Few(&[a, b])),
            Instr::TailApply3 { f, a, b, c } => self.tail_unknown(f, Operands::Few(&[a, b, c])),
            Instr::TailApplyN { f, args } => self.tail_unknown(f, Operands::List(args)),
            Instr::Raise { a } => self.raise(a),
            Instr::NoMatch { a } => self.no_match(a),

            Instr::Move { .. }
            | Instr::Jump { .. }
            | Instr::Field { .. }
            | Instr::Fields2 { .. }
            | Instr::Fields3 { .. }
            | Instr::Fields4 { .. }
            | Instr::FieldsN { .. }
            | Instr::Halt {} => unreachable!("nothing can be missing for it"),
        }
    }

    /// Sees to what the call of a global lacks: ticks, or room for its frame above so many words.
    fn make_room_for(&mut self, global: GlobalId, above: usize) -> Result<(), Stop> {
        let Entry { pc, frame, .. } = self.entry(global);
        if self.ticks <= 1 {
            return self.tick_and_retry(Some(Entering { pc, in_place: above == 0 }));
        }
        self.grow_stack(above + frame as usize)
    }
}
