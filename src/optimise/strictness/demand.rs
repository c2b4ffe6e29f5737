//! Demands on data: what happens to the parts of a value when it is evaluated.
//!
//! A [`Use`] says of a variable two things: whether it is certainly evaluated now, and what is
//! certain of its parts *whenever* it is evaluated, now or later. The latter is a projection in
//! the sense of Wadler and Hughes: a function `f` of a list uses it head-strictly if
//! `f (H l) = f l`, where `H` makes bottom of every cell whose head is bottom.

use crate::core::expr::{CONS, ConId, DataId, Program};
use crate::core::signature::Demand;

/// `List`, in every program.
pub(super) const LIST: DataId = DataId(0);
/// The bit of a list's elements.
pub(super) const HEAD: u32 = 1;
/// The bit of a list's tails.
pub(super) const TAIL: u32 = 2;

/// What is certain of the parts of a value whenever it is evaluated to weak head normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Shape {
    /// The greatest demand: it is never evaluated, or has no parts, or diverges.
    All,
    /// No demand on the parts.
    None,
    /// The fields of these bits are evaluated too. Of a list that goes for each cell: if it is
    /// evaluated, so is its head, or its tail, and so on down the list. Of a type with one
    /// constructor it goes for this one value. Never no bits.
    Fields(DataId, u32),
}

impl Shape {
    /// Returns the shape of these bits.
    pub(super) fn of(data: DataId, bits: u32) -> Shape {
        match bits {
            0 => Shape::None,
            _ => Shape::Fields(data, bits),
        }
    }

    /// Returns what is certain if either may be the case.
    fn either(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::All, shape) | (shape, Shape::All) => shape,
            (Shape::Fields(one, a), Shape::Fields(two, b)) if one == two => Shape::of(one, a & b),
            _ => Shape::None,
        }
    }

    /// Returns the bits of a type.
    pub(super) fn bits(self, of: DataId) -> u32 {
        match self {
            Shape::All => u32::MAX,
            Shape::Fields(data, bits) if data == of => bits,
            _ => 0,
        }
    }

    /// Returns what is certain of a value that is used in both these ways, of which at least one
    /// evaluates it now; `now` says whether each does.
    fn and(self, other: Shape, now: (bool, bool)) -> Shape {
        if (self == Shape::All && now.0) || (other == Shape::All && now.1) {
            return Shape::All;
        }
        let ((Shape::Fields(data, _), _) | (_, Shape::Fields(data, _))) = (self, other) else {
            return Shape::None;
        };
        let bits = |shape: Shape, now: bool| if now { shape.bits(data) } else { 0 };
        let (one, two) = (bits(self, now.0), bits(other, now.1));
        if data != LIST {
            // The one value that there is has been evaluated, and these fields of it.
            return Shape::of(data, one | two);
        }
        if one == (HEAD | TAIL) || two == (HEAD | TAIL) {
            return Shape::of(LIST, HEAD | TAIL);
        }
        // Each use may reach cells that the other one does not reach.
        let heads = self.bits(LIST) & other.bits(LIST) & HEAD;
        Shape::of(LIST, heads | ((one | two) & TAIL))
    }
}

/// How a variable is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Use {
    /// Whether it may ever be evaluated.
    used: bool,
    /// Whether it is evaluated when what uses it is.
    pub(super) now: bool,
    /// What is certain whenever it is evaluated.
    pub(super) shape: Shape,
}

impl Use {
    /// The use of what is not used.
    pub(super) const ABSENT: Use = Use { used: false, now: false, shape: Shape::All };
    /// The use of what is passed to something unknown.
    pub(super) const UNKNOWN: Use = Use { used: true, now: false, shape: Shape::None };

    /// Returns the use of what is certainly evaluated, and then used in a shape.
    pub(super) fn now(shape: Shape) -> Use {
        Use { used: true, now: true, shape }
    }

    /// Returns this use as one that comes later, if at all.
    pub(super) fn later(self) -> Use {
        Use { now: false, ..self }
    }

    /// Returns what is certain if one use or the other happens.
    pub(super) fn or(self, other: Use) -> Use {
        Use {
            used: self.used || other.used,
            now: self.now && other.now,
            shape: self.shape.either(other.shape),
        }
    }

    /// Returns what is certain if both uses happen.
    pub(super) fn and(self, other: Use) -> Use {
        if !self.used {
            return other;
        }
        if !other.used {
            return self;
        }
        let shape = match (self.now, other.now) {
            (false, false) => self.shape.either(other.shape),
            now => self.shape.and(other.shape, now),
        };
        Use { used: true, now: self.now || other.now, shape }
    }
}

/// Returns the one constructor of a data type whose fields a shape can name: of lists `Cons`, of
/// others the only one.
pub(super) fn shaped(program: &Program, data: DataId) -> Option<ConId> {
    if data == LIST {
        return Some(CONS);
    }
    match *program.datas[data].cons {
        [con] if (1..=32).contains(&program.cons[con].arity) => Some(con),
        _ => None,
    }
}

/// Returns the demand on a parameter that is used so; `is_strict` says whether it is known already
/// that it is evaluated.
pub(super) fn demand(program: &Program, use_: Option<&Use>, is_strict: bool) -> Demand {
    let Use { now: true, shape, .. } = *use_.unwrap_or(&Use::UNKNOWN) else {
        return if is_strict { Demand::Strict } else { Demand::Lazy };
    };
    let Shape::Fields(data, bits) = shape else { return Demand::Strict };
    match shaped(program, data) {
        Some(CONS) => Demand::List { elements: bits & HEAD != 0, spine: bits & TAIL != 0 },
        Some(con) => Demand::Fields { con, count: program.cons[con].arity, strict: bits },
        None => Demand::Strict,
    }
}
