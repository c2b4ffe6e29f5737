//! Instructions of the x86-64, as bytes: those that native code has.
//!
//! The formats are those of the manual (Intel, *Intel 64 and IA-32 architectures software developer's
//! manual*, volume 2): an optional REX prefix, an opcode, a byte that says which registers, and an
//! address. Jumps between labels take 32 bits each: all code of a program is in one piece of memory.

/// A general register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reg(pub u8);

pub(super) const RAX: Reg = Reg(0);
pub(super) const RDX: Reg = Reg(2);
pub(super) const RSI: Reg = Reg(6);
pub(super) const RDI: Reg = Reg(7);
pub(super) const R8: Reg = Reg(8);
pub(super) const R9: Reg = Reg(9);
pub(super) const R10: Reg = Reg(10);
pub(super) const R11: Reg = Reg(11);

/// A register for floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Xmm(pub u8);

/// A place in memory: what a register leads to, and so many bytes further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mem(pub Reg, pub i32);

/// A place in the code that is jumped to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Label(u32);

impl Label {
    /// Returns its number among all labels.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation of two operands of 64 bits, by its opcode where the second one is a register or a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Alu {
    Add = 0x03,
    Or = 0x0b,
    And = 0x23,
    Sub = 0x2b,
    Cmp = 0x3b,
}

/// What a shift or a rotation does, by its number in the opcode's group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Shift {
    RotateLeft = 0,
    RotateRight = 1,
    Left = 4,
    Right = 5,
    Arithmetic = 7,
}

/// A condition, by its number in the opcode of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum If {
    Overflow = 0x0,
    Below = 0x2,
    NotBelow = 0x3,
    Equal = 0x4,
    NotEqual = 0x5,
    NotAbove = 0x6,
    Above = 0x7,
    Less = 0xc,
    NotLess = 0xd,
    NotGreater = 0xe,
    Greater = 0xf,
}

impl If {
    /// Returns the condition that holds where this one does not.
    pub(super) fn not(self) -> If {
        match self {
            If::Below => If::NotBelow,
            If::NotBelow => If::Below,
            If::Equal => If::NotEqual,
            If::NotEqual => If::Equal,
            If::NotAbove => If::Above,
            If::Above => If::NotAbove,
            If::Less => If::NotLess,
            If::NotLess => If::Less,
            If::NotGreater => If::Greater,
            If::Greater => If::NotGreater,
            // It is never asked the other way round.
            If::Overflow => self,
        }
    }
}

/// An operation of two floats, by its opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum FloatOp {
    Add = 0x58,
    Mul = 0x59,
    Sub = 0x5c,
    Div = 0x5e,
}

/// Code that is being written.
#[derive(Default)]
pub(super) struct Assembler {
    bytes: Vec<u8>,
    /// Where each label is; [`UNKNOWN`] if it is not placed yet.
    labels: Vec<u32>,
    /// Places of 32 bits that say how far the label is from behind them.
    jumps: Vec<(u32, Label)>,
}

const UNKNOWN: u32 = u32::MAX;

impl Assembler {
    /// Makes a label that is not placed.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(UNKNOWN);
        Label(self.labels.len() as u32 - 1)
    }

    /// Places a label here.
    pub(super) fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.bytes.len() as u32;
    }

    /// Makes the jumps lead to their labels and returns the code; `None` if a label that is jumped to is
    /// not placed.
    pub(super) fn finish(mut self) -> Option<(Vec<u8>, Vec<u32>)> {
        for &(at, label) in &self.jumps {
            let to = self.labels[label.0 as usize];
            if to == UNKNOWN {
                return None;
            }
            let distance = to.wrapping_sub(at + 4);
            self.bytes[at as usize..at as usize + 4].copy_from_slice(&distance.to_le_bytes());
        }
        Some((self.bytes, self.labels))
    }

    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn word(&mut self, word: i32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// Writes the prefix for the register of the operation and the one of the other operand.
    fn rex(&mut self, wide: bool, reg: u8, other: u8) {
        let rex = 0x40 | u8::from(wide) << 3 | (reg >> 3) << 2 | other >> 3;
        if rex != 0x40 {
            self.byte(rex);
        }
    }

    /// Writes which registers.
    fn registers(&mut self, reg: u8, other: u8) {
        self.byte(0xc0 | (reg & 7) << 3 | other & 7);
    }

    /// Writes which register, and which place.
    fn place_of(&mut self, reg: u8, Mem(base, offset): Mem) {
        let (reg, low) = ((reg & 7) << 3, base.0 & 7);
        let short = i8::try_from(offset);
        self.byte(if short.is_ok() { 0x40 } else { 0x80 } | reg | low);
        if low == 4 {
            // The register of the stack, and r12, are written as an index without a base.
            self.byte(0x24);
        }
        match short {
            Ok(short) => self.byte(short as u8),
            Err(_) => self.word(offset),
        }
    }

    /// An operation of 64 bits between a register and a place.
    fn with_place(&mut self, opcode: u8, reg: u8, mem: Mem) {
        self.rex(true, reg, mem.0.0);
        self.byte(opcode);
        self.place_of(reg, mem);
    }

    fn with_register(&mut self, opcode: u8, reg: u8, other: u8) {
        self.rex(true, reg, other);
        self.byte(opcode);
        self.registers(reg, other);
    }

    /// `to` becomes what is at `from`.
    pub(super) fn load(&mut self, to: Reg, from: Mem) {
        self.with_place(0x8b, to.0, from);
    }

    /// `to` becomes the 32 bits at `from`.
    pub(super) fn load_half(&mut self, to: Reg, from: Mem) {
        self.rex(false, to.0, from.0.0);
        self.byte(0x8b);
        self.place_of(to.0, from);
    }

    /// What is at `to` becomes `from`.
    pub(super) fn store(&mut self, to: Mem, from: Reg) {
        self.with_place(0x89, from.0, to);
    }

    /// What is at `to`, 64 bits, becomes a constant, with its sign.
    pub(super) fn store_constant(&mut self, to: Mem, constant: i32) {
        self.with_place(0xc7, 0, to);
        self.word(constant);
    }

    /// What is at `to`, 32 bits, becomes a constant.
    pub(super) fn store_half(&mut self, to: Mem, constant: u32) {
        self.rex(false, 0, to.0.0);
        self.byte(0xc7);
        self.place_of(0, to);
        self.word(constant as i32);
    }

    /// `to` becomes `from`.
    pub(super) fn copy(&mut self, to: Reg, from: Reg) {
        if to != from {
            self.with_register(0x8b, to.0, from.0);
        }
    }

    /// `to` becomes the lower half of `from`.
    pub(super) fn copy_half(&mut self, to: Reg, from: Reg) {
        self.rex(false, to.0, from.0);
        self.byte(0x8b);
        self.registers(to.0, from.0);
    }

    /// `to` becomes a constant, by the shortest instruction that does it.
    pub(super) fn constant(&mut self, to: Reg, constant: u64) {
        if let Ok(low) = u32::try_from(constant) {
            self.rex(false, 0, to.0);
            self.byte(0xb8 | to.0 & 7);
            self.word(low as i32);
        } else if let Ok(signed) = i32::try_from(constant as i64) {
            self.rex(true, 0, to.0);
            self.byte(0xc7);
            self.registers(0, to.0);
            self.word(signed);
        } else {
            self.rex(true, 0, to.0);
            self.byte(0xb8 | to.0 & 7);
            self.bytes.extend_from_slice(&constant.to_le_bytes());
        }
    }

    /// `to` becomes the address of a place.
    pub(super) fn address(&mut self, to: Reg, of: Mem) {
        self.with_place(0x8d, to.0, of);
    }

    /// `to` becomes the address of the word of a number after a base, and an offset, of a byte, from there.
    pub(super) fn address_indexed(&mut self, to: Reg, base: Reg, index: Reg, offset: i32) {
        self.indexed(0x8d, to, base, index, offset);
    }

    /// `to` becomes the address of a label.
    pub(super) fn address_of(&mut self, to: Reg, label: Label) {
        self.rex(true, to.0, 0);
        self.byte(0x8d);
        self.byte(0x05 | (to.0 & 7) << 3);
        self.distance(label);
    }

    /// The word of a number after a base, and an offset, of a byte, from there: an operand of `opcode`.
    fn indexed(&mut self, opcode: u8, reg: Reg, base: Reg, index: Reg, offset: i32) {
        self.byte(0x48 | (reg.0 >> 3) << 2 | (index.0 >> 3) << 1 | base.0 >> 3);
        self.byte(opcode);
        self.byte(0x44 | (reg.0 & 7) << 3);
        self.byte(0xc0 | (index.0 & 7) << 3 | base.0 & 7);
        self.byte(offset as i8 as u8);
    }

    /// `a` becomes `a` and `b` by an operation.
    pub(super) fn alu(&mut self, op: Alu, a: Reg, b: Reg) {
        self.with_register(op as u8, a.0, b.0);
    }

    /// As [`alu`](Assembler::alu), with what is at a place.
    pub(super) fn alu_place(&mut self, op: Alu, a: Reg, b: Mem) {
        self.with_place(op as u8, a.0, b);
    }

    /// As [`alu`](Assembler::alu), with a constant.
    pub(super) fn alu_constant(&mut self, op: Alu, a: Reg, constant: i32) {
        self.rex(true, 0, a.0);
        let group = op as u8 >> 3;
        if let Ok(short) = i8::try_from(constant) {
            self.byte(0x83);
            self.registers(group, a.0);
            self.byte(short as u8);
        } else {
            self.byte(0x81);
            self.registers(group, a.0);
            self.word(constant);
        }
    }

    /// As [`alu_constant`](Assembler::alu_constant), on what is at a place.
    pub(super) fn alu_place_constant(&mut self, op: Alu, a: Mem, constant: i32) {
        self.rex(true, 0, a.0.0);
        self.group_place(op as u8 >> 3, a, constant);
    }

    /// As [`alu_place_constant`](Assembler::alu_place_constant), on 32 bits.
    pub(super) fn alu_half_constant(&mut self, op: Alu, a: Mem, constant: i32) {
        self.rex(false, 0, a.0.0);
        self.group_place(op as u8 >> 3, a, constant);
    }

    fn group_place(&mut self, group: u8, a: Mem, constant: i32) {
        if let Ok(short) = i8::try_from(constant) {
            self.byte(0x83);
            self.place_of(group, a);
            self.byte(short as u8);
        } else {
            self.byte(0x81);
            self.place_of(group, a);
            self.word(constant);
        }
    }

    /// `a` becomes the product of `a` and `b`.
    pub(super) fn multiply(&mut self, a: Reg, b: Reg) {
        self.rex(true, a.0, b.0);
        self.bytes.extend_from_slice(&[0x0f, 0xaf]);
        self.registers(a.0, b.0);
    }

    /// `to` becomes the product of `a` and a constant.
    pub(super) fn multiply_constant(&mut self, to: Reg, a: Reg, constant: i32) {
        self.with_register(0x69, to.0, a.0);
        self.word(constant);
    }

    /// The lower half of `to`, and the whole of it, becomes the lower half of the product with a constant.
    pub(super) fn multiply_half(&mut self, to: Reg, constant: u32) {
        self.rex(false, to.0, to.0);
        self.byte(0x69);
        self.registers(to.0, to.0);
        self.word(constant as i32);
    }

    /// Shifts or rotates `a`.
    pub(super) fn shift(&mut self, shift: Shift, a: Reg, by: u8) {
        self.rex(true, 0, a.0);
        if by == 1 {
            self.byte(0xd1);
            self.registers(shift as u8, a.0);
        } else {
            self.byte(0xc1);
            self.registers(shift as u8, a.0);
            self.byte(by);
        }
    }

    /// `a` becomes `-a`.
    pub(super) fn negate(&mut self, a: Reg) {
        self.rex(true, 0, a.0);
        self.byte(0xf7);
        self.registers(3, a.0);
    }

    /// rdx becomes the sign of rax, in each bit.
    pub(super) fn extend_sign(&mut self) {
        self.bytes.extend_from_slice(&[0x48, 0x99]);
    }

    /// rax and rdx become quotient and remainder of both, as one number, and `by`.
    pub(super) fn divide(&mut self, by: Reg) {
        self.rex(true, 0, by.0);
        self.byte(0xf7);
        self.registers(7, by.0);
    }

    /// Sets the flags by the lowest byte of `a` and a constant.
    pub(super) fn test_byte(&mut self, a: Reg, constant: u8) {
        if a == RAX {
            self.byte(0xa8);
        } else {
            // Without a prefix 4 to 7 would be the second byte of the first four.
            self.byte(0x40 | a.0 >> 3);
            self.byte(0xf6);
            self.registers(0, a.0);
        }
        self.byte(constant);
    }

    /// Sets the flags by the byte at a place and a constant.
    pub(super) fn test_place(&mut self, a: Mem, constant: u8) {
        self.rex(false, 0, a.0.0);
        self.byte(0xf6);
        self.place_of(0, a);
        self.byte(constant);
    }

    /// Compares the lowest byte of `a` with a constant.
    pub(super) fn compare_byte(&mut self, a: Reg, constant: u8) {
        if a == RAX {
            self.byte(0x3c);
        } else {
            self.byte(0x40 | a.0 >> 3);
            self.byte(0x80);
            self.registers(7, a.0);
        }
        self.byte(constant);
    }

    /// Compares 32 bits at a place with a constant.
    pub(super) fn compare_half(&mut self, a: Mem, constant: u32) {
        self.rex(false, 0, a.0.0);
        self.group_place(7, a, constant as i32);
    }

    /// `to` becomes 1 if a condition holds, else 0.
    pub(super) fn set_if(&mut self, to: Reg, condition: If) {
        self.byte(0x40 | to.0 >> 3);
        self.bytes.extend_from_slice(&[0x0f, 0x90 | condition as u8]);
        self.registers(0, to.0);
        // The byte becomes a whole register.
        self.rex(true, to.0, to.0);
        self.bytes.extend_from_slice(&[0x0f, 0xb6]);
        self.registers(to.0, to.0);
    }

    /// Jumps to a label.
    pub(super) fn jump(&mut self, to: Label) {
        self.byte(0xe9);
        self.distance(to);
    }

    /// Jumps to a label if a condition holds.
    pub(super) fn jump_if(&mut self, condition: If, to: Label) {
        self.bytes.extend_from_slice(&[0x0f, 0x80 | condition as u8]);
        self.distance(to);
    }

    fn distance(&mut self, to: Label) {
        self.jumps.push((self.bytes.len() as u32, to));
        self.word(0);
    }

    /// Jumps to where a register says.
    pub(super) fn jump_register(&mut self, to: Reg) {
        self.rex(false, 0, to.0);
        self.byte(0xff);
        self.registers(4, to.0);
    }

    /// Jumps to where the entry of a table of addresses says.
    pub(super) fn jump_indexed(&mut self, table: Reg, index: Reg) {
        let rex = 0x40 | (index.0 >> 3) << 1 | table.0 >> 3;
        if rex != 0x40 {
            self.byte(rex);
        }
        self.byte(0xff);
        // A displacement of a byte, so that any register may be the base.
        self.byte(0x64);
        self.byte(0xc0 | (index.0 & 7) << 3 | table.0 & 7);
        self.byte(0);
    }

    /// Fetches what a register leads to into the cache.
    pub(super) fn prefetch(&mut self, from: Reg) {
        self.rex(false, 0, from.0);
        self.bytes.extend_from_slice(&[0x0f, 0x18]);
        self.place_of(1, Mem(from, 0));
    }

    /// `to` becomes the float of these bits.
    pub(super) fn float_of_bits(&mut self, to: Xmm, from: Reg) {
        self.byte(0x66);
        self.rex(true, to.0, from.0);
        self.bytes.extend_from_slice(&[0x0f, 0x6e]);
        self.registers(to.0, from.0);
    }

    /// `to` becomes the bits of a float.
    pub(super) fn bits_of_float(&mut self, to: Reg, from: Xmm) {
        self.byte(0x66);
        self.rex(true, from.0, to.0);
        self.bytes.extend_from_slice(&[0x0f, 0x7e]);
        self.registers(from.0, to.0);
    }

    /// `to` becomes `from`.
    pub(super) fn copy_float(&mut self, to: Xmm, from: Xmm) {
        if to != from {
            self.rex(false, to.0, from.0);
            self.bytes.extend_from_slice(&[0x0f, 0x28]);
            self.registers(to.0, from.0);
        }
    }

    /// `a` becomes `a` and `b` by an operation of floats.
    pub(super) fn float(&mut self, op: FloatOp, a: Xmm, b: Xmm) {
        self.byte(0xf2);
        self.rex(false, a.0, b.0);
        self.bytes.extend_from_slice(&[0x0f, op as u8]);
        self.registers(a.0, b.0);
    }

    /// Compares two floats that are numbers: the flags are those of numbers without sign.
    pub(super) fn compare_floats(&mut self, a: Xmm, b: Xmm) {
        self.byte(0x66);
        self.rex(false, a.0, b.0);
        self.bytes.extend_from_slice(&[0x0f, 0x2e]);
        self.registers(a.0, b.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions, and what the GNU assembler makes of the same.
    #[test]
    fn instructions_are_those_of_another_assembler() {
        macro_rules! same {
            ($($method:ident($($arg:expr),*) $text:literal $bytes:literal;)+) => {$({
                let mut asm = Assembler::default();
                asm.$method($($arg),*);
                let (bytes, _) = asm.finish().expect("no label");
                let found: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(found, $bytes, "{}", $text);
            })+};
        }
        same! {
            load(R9, Mem(RDX, 16)) "mov r9,[rdx+16]" "4c8b4a10";
            load(RAX, Mem(RDI, 1000)) "mov rax,[rdi+1000]" "488b87e8030000";
            store(Mem(RDX, -8), R11) "mov [rdx-8],r11" "4c895af8";
            store_constant(Mem(RDX, 8), -2) "mov qword ptr [rdx+8],-2" "48c74208feffffff";
            store_half(Mem(RDI, 300), 7) "mov dword ptr [rdi+300],7" "c7872c01000007000000";
            load_half(RSI, Mem(RSI, 4)) "mov esi,[rsi+4]" "8b7604";
            load_half(R10, Mem(R9, 4)) "mov r10d,[r9+4]" "458b5104";
            copy(R8, RAX) "mov r8,rax" "4c8bc0";
            copy(RAX, RAX) "" "";
            copy_half(RAX, RSI) "mov eax,esi" "8bc6";
            constant(RAX, 7) "mov eax,7" "b807000000";
            constant(R9, 0xffff_ffff) "mov r9d,0xffffffff" "41b9ffffffff";
            constant(RSI, (-2_i64) as u64) "mov rsi,-2" "48c7c6feffffff";
            constant(R10, 0x1234_5678_9abc_def0) "movabs r10,0x123456789abcdef0" "49baf0debc9a78563412";
            address(RSI, Mem(RAX, 24)) "lea rsi,[rax+24]" "488d7018";
            address(R10, Mem(RDX, 4096)) "lea r10,[rdx+4096]" "4c8d9200100000";
            address_indexed(RDX, RDX, RAX, -8) "lea rdx,[rdx+rax*8-8]" "488d54c2f8";
            address_indexed(R10, R9, R10, 0) "lea r10,[r9+r10*8+0]" "4f8d54d100";
            alu(Alu::Add, R8, R9) "add r8,r9" "4d03c1";
            alu(Alu::Cmp, RAX, R11) "cmp rax,r11" "493bc3";
            alu(Alu::Or, RAX, RSI) "or rax,rsi" "480bc6";
            alu_place(Alu::Cmp, RSI, Mem(RDI, 48)) "cmp rsi,[rdi+48]" "483b7730";
            alu_place(Alu::Sub, RAX, Mem(RDI, 480)) "sub rax,[rdi+480]" "482b87e0010000";
            alu_constant(Alu::Add, R9, 2) "add r9,2" "4983c102";
            alu_constant(Alu::And, RSI, 0xfff) "and rsi,0xfff" "4881e6ff0f0000";
            alu_constant(Alu::Cmp, R8, -200) "cmp r8,-200" "4981f838ffffff";
            alu_place_constant(Alu::Add, Mem(RDI, 256), 1) "add qword ptr [rdi+256],1" "4883870001000001";
            alu_half_constant(Alu::Sub, Mem(RDI, 56), 1) "sub dword ptr [rdi+56],1" "836f3801";
            multiply(R9, R8) "imul r9,r8" "4d0fafc8";
            multiply_constant(R8, RAX, 1200) "imul r8,rax,1200" "4c69c0b0040000";
            multiply_half(RSI, 0xaaaa_aaab) "imul esi,esi,0xaaaaaaab" "69f6abaaaaaa";
            shift(Shift::Right, RAX, 32) "shr rax,32" "48c1e820";
            shift(Shift::Arithmetic, R9, 1) "sar r9,1" "49d1f9";
            shift(Shift::RotateRight, RAX, 1) "ror rax,1" "48d1c8";
            shift(Shift::Left, R10, 4) "shl r10,4" "49c1e204";
            negate(R9) "neg r9" "49f7d9";
            extend_sign() "cqo" "4899";
            divide(R9) "idiv r9" "49f7f9";
            test_byte(RAX, 7) "test al,7" "a807";
            test_byte(RSI, 1) "test sil,1" "40f6c601";
            test_byte(R9, 1) "test r9b,1" "41f6c101";
            test_place(Mem(RDX, 8), 1) "test byte ptr [rdx+8],1" "f6420801";
            compare_byte(RAX, 0x17) "cmp al,0x17" "3c17";
            compare_byte(RSI, 0x87) "cmp sil,0x87" "4080fe87";
            compare_byte(R8, 0x17) "cmp r8b,0x17" "4180f817";
            compare_half(Mem(R9, 1), 300) "cmp dword ptr [r9+1],300" "418179012c010000";
            compare_half(Mem(RDI, 56), 1) "cmp dword ptr [rdi+56],1" "837f3801";
            set_if(R9, If::Less) "setl r9b; movzx r9,r9b" "410f9cc14d0fb6c9";
            set_if(RSI, If::Equal) "sete sil; movzx rsi,sil" "400f94c6480fb6f6";
            jump_register(RAX) "jmp rax" "ffe0";
            jump_register(R11) "jmp r11" "41ffe3";
            jump_indexed(RAX, RSI) "jmp qword ptr [rax+rsi*8+0]" "ff64f000";
            jump_indexed(R9, R10) "jmp qword ptr [r9+r10*8+0]" "43ff64d100";
            prefetch(R9) "prefetcht0 [r9+0]" "410f184900";
            float_of_bits(Xmm(2), RAX) "movq xmm2,rax" "66480f6ed0";
            float_of_bits(Xmm(0), R9) "movq xmm0,r9" "66490f6ec1";
            bits_of_float(R9, Xmm(0)) "movq r9,xmm0" "66490f7ec1";
            float(FloatOp::Add, Xmm(0), Xmm(3)) "addsd xmm0,xmm3" "f20f58c3";
            float(FloatOp::Div, Xmm(1), Xmm(7)) "divsd xmm1,xmm7" "f20f5ecf";
            compare_floats(Xmm(2), Xmm(1)) "ucomisd xmm2,xmm1" "660f2ed1";
            copy_float(Xmm(4), Xmm(0)) "movaps xmm4,xmm0" "0f28e0";
        }
    }

    #[test]
    fn jumps_lead_to_their_labels() {
        let mut asm = Assembler::default();
        let (back, forth) = (asm.label(), asm.label());
        asm.place(back);
        asm.jump_if(If::Overflow, forth);
        asm.jump(back);
        asm.place(forth);
        asm.address_of(R11, back);
        let (bytes, labels) = asm.finish().expect("all labels that are jumped to are placed");
        assert_eq!(bytes, b"\x0f\x80\x05\0\0\0\xe9\xf5\xff\xff\xff\x4c\x8d\x1d\xee\xff\xff\xff");
        assert_eq!(labels[back.index()..=forth.index()], [0, 11]);
        let mut asm = Assembler::default();
        let label = asm.label();
        asm.jump(label);
        assert!(asm.finish().is_none());
    }
}
