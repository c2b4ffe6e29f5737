//! Words: the contents of a node's field, of a stack slot, of an operand.
//!
//! The low bits are the tag:
//!
//! | bits | word |
//! |---|---|
//! | `...0` | an integer of 63 bits, itself |
//! | `001` | a pointer to any node |
//! | `011` | a pointer to a constructor with fields |
//! | `101` | a pointer to another value: a big integer, a float, a partial application, an array, .. |
//! | `0111` | immediate: a character, a constructor without fields, a function |
//! | `1111` | a float in 60 bits |
//!
//! A tag may say less than is true (`001` may lead to a value), never more. (Marlow,
//! Rodriguez Yakushev and Peyton Jones, *Faster laziness using dynamic pointer tagging*,
//! 2007.)
//!
//! A float takes a word if its exponent, from -63 to 64, takes 7 bits in place of 11: all of the
//! fraction and the sign are there. So are the zeros, in place of the least numbers with such an
//! exponent, 2^-63 and -2^-63. Other floats are in nodes. (Miranda and Béra, *A partial read
//! barrier for efficient support of live object-oriented programming*, 2015, describe the virtual
//! machine whose floats are of that kind.)
//!
//! A word is an integer, and anybody can make one: that a pointer leads to a node is the
//! obligation of who reads the node, which is `unsafe`.

use crate::base::float::Float;
use crate::gcode::program::{ConId, GlobalId};

/// A word of the machine.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Word(u64);

/// What a pointer says of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Tag {
    /// Nothing.
    Unknown = 0b001,
    /// It is a constructor with fields.
    Con = 0b011,
    /// It is a value that is no constructor: a big integer, a float, a partial application, an array
    /// or a byte string.
    Value = 0b101,
}

/// The kinds of immediate words, in bits 4 to 7; the value is in bits 32 to 63.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
enum Immediate {
    Nothing = 0,
    Char = 1,
    Con = 2,
    Function = 3,
}

const TAG_MASK: u64 = 0b111;
const IMMEDIATE: u64 = 0b111;
/// The low byte of a character.
const CHAR_BITS: u8 = (Immediate::Char as u8) << 4 | IMMEDIATE as u8;
/// The low byte of a constructor without fields.
const CON_BITS: u8 = (Immediate::Con as u8) << 4 | IMMEDIATE as u8;
/// The low byte of a function.
const FUNCTION_BITS: u8 = (Immediate::Function as u8) << 4 | IMMEDIATE as u8;
/// The low four bits of a float: its tag.
pub(in crate::machine) const FLOAT: u64 = 0b1111;
/// What is subtracted from the bits of a float, rotated so that the sign is the lowest bit: the
/// floats whose result is less than 2^60 fit a word.
pub(in crate::machine) const FLOAT_BASE: u64 = (1023 - 63) << 53;

/// A word by cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// An integer.
    Int(i64),
    /// A pointer to a node, and its tag.
    Node(Tag),
    /// A float.
    Float(Float),
    /// A character.
    Char(char),
    /// A constructor without fields.
    Con(ConId),
    /// A function: a global that takes arguments.
    Function(GlobalId),
    /// No value: the payload of a node without fields, and an absent entry of a table.
    Nothing,
}

impl Word {
    /// No value.
    pub const NOTHING: Word = Word::immediate(Immediate::Nothing, 0);
    /// 0, CoreF's false.
    pub const ZERO: Word = Word(0);
    /// 1, CoreF's true.
    pub const ONE: Word = Word(2);
    /// The largest integer that fits a word.
    pub const MAX_INT: i64 = i64::MAX >> 1;
    /// The least integer that fits a word.
    pub const MIN_INT: i64 = i64::MIN >> 1;

    const fn immediate(kind: Immediate, payload: u32) -> Word {
        Word((payload as u64) << 32 | (kind as u64) << 4 | IMMEDIATE)
    }

    /// Returns an integer; `None` if it takes more than 63 bits.
    #[inline]
    #[must_use]
    pub const fn int(value: i64) -> Option<Word> {
        match value.checked_mul(2) {
            Some(twice) => Some(Word(twice as u64)),
            None => None,
        }
    }

    /// Returns an integer of 32 bits.
    #[inline(always)]
    #[must_use]
    pub const fn of_i32(value: i32) -> Word {
        Word((value as i64 * 2) as u64)
    }

    /// Returns the word of a truth value: 1 or 0.
    #[inline]
    #[must_use]
    pub const fn boolean(value: bool) -> Word {
        Word((value as u64) << 1)
    }

    /// Returns a float; `None` if it takes a node.
    #[inline(always)]
    #[must_use]
    pub const fn float(value: f64) -> Option<Word> {
        let rotated = value.to_bits().rotate_left(1);
        let small = rotated.wrapping_sub(FLOAT_BASE);
        if small.wrapping_sub(2) < (1 << 60) - 2 {
            return Some(Word(small << 4 | FLOAT));
        }
        // A zero, and its sign.
        if rotated <= 1 { Some(Word(rotated << 4 | FLOAT)) } else { None }
    }

    /// Returns a character.
    #[inline]
    #[must_use]
    pub const fn char(value: char) -> Word {
        Word::immediate(Immediate::Char, value as u32)
    }

    /// Returns a constructor without fields.
    #[inline]
    #[must_use]
    pub const fn con(con: ConId) -> Word {
        Word::immediate(Immediate::Con, con.0)
    }

    /// Returns a global that takes arguments.
    #[inline]
    #[must_use]
    pub const fn function(global: GlobalId) -> Word {
        Word::immediate(Immediate::Function, global.0)
    }

    /// Returns a pointer to a node at an address, which is a multiple of 8.
    #[inline]
    #[must_use]
    pub const fn pointer(address: usize, tag: Tag) -> Word {
        Word(address as u64 | tag as u64)
    }

    /// Returns the bits of the word.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the word of these bits: the inverse of [`bits`](Word::bits).
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Word {
        Word(bits)
    }

    /// Returns whether it is an integer of 63 bits.
    #[inline]
    #[must_use]
    pub const fn is_int(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns twice the integer, if it is one.
    #[inline]
    #[must_use]
    pub const fn twice(self) -> i64 {
        self.0 as i64
    }

    /// Returns the integer, if it is one.
    #[inline]
    #[must_use]
    pub const fn as_int(self) -> i64 {
        self.0 as i64 >> 1
    }

    /// Returns whether it is a character.
    #[inline]
    #[must_use]
    pub const fn is_char(self) -> bool {
        self.0 as u8 == CHAR_BITS
    }

    /// Returns the character that it is, if it is one.
    #[inline(always)]
    #[must_use]
    pub const fn as_char(self) -> Option<char> {
        if self.is_char() { char::from_u32((self.0 >> 32) as u32) } else { None }
    }

    /// Returns the character that it is, if it is one of ASCII.
    #[inline(always)]
    #[must_use]
    pub const fn as_ascii(self) -> Option<u8> {
        let rest = self.0 & !(0x7f << 32);
        if rest == CHAR_BITS as u64 { Some((self.0 >> 32) as u8) } else { None }
    }

    /// Returns whether it is a float of a word.
    #[inline(always)]
    #[must_use]
    pub const fn is_float(self) -> bool {
        self.0 & FLOAT == FLOAT
    }

    /// Returns whether both are floats of a word.
    #[inline(always)]
    #[must_use]
    pub const fn are_floats(self, other: Word) -> bool {
        self.0 & other.0 & FLOAT == FLOAT
    }

    /// Returns the float, if it is one of a word.
    #[inline(always)]
    #[must_use]
    pub const fn as_float(self) -> f64 {
        let small = self.0 >> 4;
        if small < 2 {
            // A branch that is predicted is less than what every other float would wait for.
            std::hint::cold_path();
            return f64::from_bits(small.rotate_right(1));
        }
        f64::from_bits(small.wrapping_add(FLOAT_BASE).rotate_right(1))
    }

    /// Returns whether it points to a node.
    #[inline]
    #[must_use]
    pub const fn is_pointer(self) -> bool {
        // Of the odd tags only the immediate one has bits 1 and 2.
        self.0 & 1 != 0 && self.0 & TAG_MASK != IMMEDIATE
    }

    /// Returns whether its tag says that it is in weak head normal form.
    #[inline]
    #[must_use]
    pub const fn is_evaluated(self) -> bool {
        self.0 & TAG_MASK != Tag::Unknown as u64
    }

    /// Returns whether it is a pointer tagged as one to a constructor with fields.
    #[inline]
    #[must_use]
    pub const fn is_con_pointer(self) -> bool {
        self.0 & TAG_MASK == Tag::Con as u64
    }

    /// Returns whether it is a pointer tagged as one to another value.
    #[inline]
    #[must_use]
    pub const fn is_value_pointer(self) -> bool {
        self.0 & TAG_MASK == Tag::Value as u64
    }

    /// Returns the constructor without fields, if it is one.
    #[inline]
    #[must_use]
    pub const fn as_con(self) -> Option<ConId> {
        match self.0 as u8 {
            CON_BITS => Some(ConId((self.0 >> 32) as u32)),
            _ => None,
        }
    }

    /// Returns the function, if it is one that has been given no argument.
    #[inline]
    #[must_use]
    pub const fn as_function(self) -> Option<GlobalId> {
        match self.0 as u8 {
            FUNCTION_BITS => Some(GlobalId((self.0 >> 32) as u32)),
            _ => None,
        }
    }

    /// Returns the address of the node, if it is a pointer.
    #[inline]
    #[must_use]
    pub const fn address(self) -> usize {
        (self.0 & !TAG_MASK) as usize
    }

    /// Returns the same pointer with another tag.
    #[inline]
    #[must_use]
    pub const fn with_tag(self, tag: Tag) -> Word {
        Word::pointer(self.address(), tag)
    }

    /// Returns the word by cases.
    #[inline]
    #[must_use]
    pub const fn view(self) -> View {
        if self.is_int() {
            return View::Int(self.as_int());
        }
        let payload = (self.0 >> 32) as u32;
        match self.0 & TAG_MASK {
            0b001 => View::Node(Tag::Unknown),
            0b011 => View::Node(Tag::Con),
            0b101 => View::Node(Tag::Value),
            _ if self.is_float() => View::Float(Float::new(self.as_float())),
            _ => match self.0 >> 4 & 0b1111 {
                1 => match char::from_u32(payload) {
                    Some(c) => View::Char(c),
                    None => View::Nothing,
                },
                2 => View::Con(ConId(payload)),
                3 => View::Function(GlobalId(payload)),
                _ => View::Nothing,
            },
        }
    }
}

impl std::fmt::Debug for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.view() {
            View::Node(tag) => write!(f, "{:#x}/{tag:?}", self.address()),
            view => write!(f, "{view:?}"),
        }
    }
}

const _: () = assert!(size_of::<Word>() == 8, "a word is a machine word");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_what_it_was_made_from() {
        for n in [0, 1, -1, Word::MAX_INT, Word::MIN_INT] {
            let word = Word::int(n).expect("63 bits");
            assert_eq!((word.view(), word.as_int()), (View::Int(n), n));
            assert!(word.is_evaluated() && !word.is_pointer());
        }
        assert_eq!(Word::int(Word::MAX_INT + 1), None);
        assert_eq!(Word::int(Word::MIN_INT - 1), None);
        assert_eq!(Word::char('λ').view(), View::Char('λ'));
        assert!(Word::char('λ').is_char() && !Word::con(ConId(1)).is_char());
        assert!(!Word::NOTHING.is_char() && !Word::function(GlobalId(1)).is_char());
        assert_eq!((Word::char('a').as_ascii(), Word::char('\0').as_ascii()), (Some(97), Some(0)));
        assert_eq!(
            (Word::char('\u{7f}').as_ascii(), Word::char('\u{80}').as_ascii()),
            (Some(127), None)
        );
        assert_eq!((Word::char('λ').as_ascii(), Word::con(ConId(97)).as_ascii()), (None, None));
        assert_eq!(Word::con(ConId(7)).view(), View::Con(ConId(7)));
        assert_eq!(Word::con(ConId(7)).as_con(), Some(ConId(7)));
        assert_eq!((Word::ONE.as_con(), Word::char('\0').as_con()), (None, None));
        assert_eq!(Word::function(GlobalId(u32::MAX)).view(), View::Function(GlobalId(u32::MAX)));
        assert_eq!(Word::NOTHING.view(), View::Nothing);
        assert_eq!((Word::boolean(true), Word::boolean(false)), (Word::ONE, Word::ZERO));
    }

    #[test]
    fn floats_of_a_word_keep_all_their_bits() {
        let tiny = f64::from_bits((1023 - 63) << 52);
        let large = f64::from_bits((1023 + 65) << 52);
        let (least, most) = (tiny.next_up(), large.next_down());
        for value in [0.0, 1.0, 1.5, 0.1, 1e-18, 1e19, least, most, 123_456.789] {
            for value in [value, -value] {
                let word = Word::float(value).expect("a word");
                assert_eq!(word.as_float().to_bits(), value.to_bits(), "{value}");
                assert_eq!(word.view(), View::Float(Float::new(value)));
                assert!(word.is_float() && word.is_evaluated() && !word.is_pointer());
                assert!(!word.is_char() && word.as_con().is_none() && !word.is_int());
            }
        }
        let others = [tiny, large, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY];
        for value in others.into_iter().flat_map(|value| [value, -value]).chain([f64::NAN]) {
            assert_eq!(Word::float(value), None, "{value}");
        }
        let others = [Word::char('a'), Word::con(ConId(0)), Word::function(GlobalId(1))];
        assert!(others.iter().all(|word| !word.is_float()));
        assert!(!Word::NOTHING.is_float() && !Word::ZERO.is_float());
    }

    #[test]
    fn pointers_keep_address_and_tag() {
        for tag in [Tag::Unknown, Tag::Con, Tag::Value] {
            let word = Word::pointer(0x7fff_1238, tag);
            assert_eq!((word.address(), word.view()), (0x7fff_1238, View::Node(tag)));
            assert!(word.is_pointer());
            assert_eq!(word.is_evaluated(), tag != Tag::Unknown);
            assert_eq!(word.is_con_pointer(), tag == Tag::Con);
            assert_eq!(word.is_value_pointer(), tag == Tag::Value);
        }
        let others = [Word::ONE, Word::char('a'), Word::con(ConId(0)), Word::NOTHING];
        assert!(others.iter().all(|word| !word.is_pointer() && word.is_evaluated()));
    }
}
