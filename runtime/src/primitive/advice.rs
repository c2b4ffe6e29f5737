//! What to write instead of an operand that a primitive does not take: the same words for what can
//! be seen before a run and for what fails in it.

use super::{Operand, Primitive};

/// The kind of value that an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// An integer.
    Integer,
    /// A float.
    Float,
    /// A character.
    Character,
    /// A list, which a text is too.
    List,
    /// An array.
    Array,
    /// A byte string.
    Bytes,
    /// An action.
    Action,
    /// A function.
    Function,
    /// A value that may be missing.
    Maybe,
    /// A value of which there is nothing to say.
    Other,
}

impl Given {
    /// Returns how a text is made of such a value.
    #[must_use]
    pub const fn as_text(self) -> Option<&'static str> {
        match self {
            Given::Integer => Some("the text of an integer n is `(showInt n)`"),
            Given::Float => Some("the text of a float x is `(floatShow x)`, of the module `float`"),
            Given::Character => Some("a text stands between double quotes; `[c]` is that of c"),
            Given::Bytes => Some("the text of a byte string is `(bytesToText b)`"),
            Given::Maybe => Some(IN_MAYBE),
            Given::Action => Some(VALUE_OF_ACTION),
            _ => None,
        }
    }
}

/// How to read an integer.
pub const INTEGER_OF_TEXT: &str =
    "the integer in a text is `(parseInt text)`, a (Just n) or Nothing";

/// How to take out what may be missing.
const IN_MAYBE: &str =
    "the value in a (Just x) is taken out by `case`, or by `(fromMaybe other m)`";

/// How to go on from an action to its value.
pub const VALUE_OF_ACTION: &str = "an action has its value when it is performed: `(bind action (fn [x] ..))` gives it to a function";

/// What puts one action after another.
pub const THEN: &str =
    "`(then m n)` performs m, then n; a function of the value of m is `(fn [x] ..)`";

/// What makes an action of a list.
pub const NO_ACTION_BUT_LIST: &str =
    "a text is written by `putLine`, and the actions in a list are performed by `sequence_`";

/// Returns the word for the place of an operand, counted from 0, of so many.
#[must_use]
pub fn place(at: usize, of: usize) -> &'static str {
    match (at, of) {
        (_, 1) => "only",
        (0, _) => "first",
        (1, _) => "second",
        (2, _) => "third",
        (3, _) => "fourth",
        _ => "last",
    }
}

impl Primitive {
    /// Returns whether it says which of two values comes first.
    #[must_use]
    pub const fn orders(self) -> bool {
        matches!(self, Primitive::Lt | Primitive::Le | Primitive::Gt | Primitive::Ge)
    }

    /// Returns whether it says whether two values are the same.
    #[must_use]
    pub const fn is_equality(self) -> bool {
        matches!(self, Primitive::Eq | Primitive::Neq)
    }

    /// Returns what does to such a value what this does to others, or what makes it one of those
    /// that this takes as the operand `at`, counted from 0.
    #[must_use]
    pub fn instead(self, at: usize, given: Given) -> Option<String> {
        let help = match (self, self.operand_at(at), given) {
            (_, _, Given::Action) => VALUE_OF_ACTION,
            (_, _, Given::Maybe) => IN_MAYBE,
            (_, Operand::Comparable, Given::List) if self.orders() => {
                "two texts are compared with `(compareString s t)`, which is -1, 0 or 1"
            }
            (_, Operand::Comparable, Given::List) => {
                "two texts are compared with `eqString`, other lists with `(eqList same xs ys)`"
            }
            (_, Operand::Comparable, Given::Bytes) => {
                "two byte strings are compared with `bytesCompare`: -1, 0 or 1"
            }
            (Primitive::Add, _, Given::List) => {
                "two lists or texts are joined with `append`; the integer in a text is \
                 `(parseInt text)`, a (Just n) or Nothing"
            }
            (_, Operand::Integer, Given::List) => INTEGER_OF_TEXT,
            (_, Operand::Integer | Operand::Comparable, Given::Float) => {
                return Some(match self.of_floats() {
                    Some(other) => {
                        format!("floats have a primitive of their own: `{}`", other.name())
                    }
                    None => "the integer of a float x is `(ftoi x)`".to_owned(),
                });
            }
            (_, Operand::Integer, Given::Bytes) => "the integer in a byte string is `bytesToInt`",
            (_, Operand::Float, Given::Integer) => {
                "a float is written with a point: `3.0`; that of an integer n is `(itof n)`"
            }
            (_, Operand::Integer, Given::Character) => {
                "the code point of a character c is `(ord c)`"
            }
            (_, Operand::Character, Given::Integer) => {
                "the character with the code point n is `(chr n)`"
            }
            (_, Operand::Character, Given::List) => {
                "a character is written `'a'`; the first one of a text is `(head text)`"
            }
            (Primitive::ArrayLength, _, Given::List) => "the length of a list is `(length xs)`",
            (Primitive::ArrayIndex, Operand::Array, Given::List) => {
                "the element of a list at n is `(nth n xs)`; `(arrayFromList xs)` is an array of it"
            }
            (_, Operand::Array, Given::List) => "an array is made of a list with `arrayFromList`",
            (_, Operand::Bytes, Given::List) => {
                "a byte string is made of a text with `bytesFromText`"
            }
            (_, Operand::List, Given::Array) => {
                "the list of the elements of an array is `(arrayToList a)`"
            }
            (_, Operand::List, Given::Bytes) => "the text of a byte string is `(bytesToText b)`",
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// Returns the primitive that does to floats what this one does to integers.
    fn of_floats(self) -> Option<Primitive> {
        let name = self.name();
        let other = match name {
            "negate" => "fneg",
            "rem" => "frem",
            _ => return Primitive::find(&format!("f{name}")),
        };
        Primitive::find(other)
    }
}
