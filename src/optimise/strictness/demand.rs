//! Demands on data: what happens to the parts of a value when it is evaluated.
//!
//! A [`Use`] says of a variable two things: whether it is certainly evaluated now, and what is
//! certain of its parts *whenever* it is evaluated, now or later. The latter is a projection in
//! the sense of Wadler and Hughes: a function `f` of a list uses it head-strictly if
//! `f (H l) = f l`, where `H` makes bottom of every cell whose head is bottom.

use crate::base::index::IndexVec;
use crate::core::expr::{Con, ConId, Data, DataId, Program};
use crate::core::signature::Demand;

/// `List`, in every program.
pub(super) const LIST: DataId = DataId(0);
/// The bit of a list's elements.
pub(super) const HEAD: u32 = 1;
/// The bit of a list's tails.
pub(super) const TAIL: u32 = 2;

/// Where each constructor has its bits among those of its type, one for each field.
pub(super) struct Layout {
    /// The number of the first bit.
    first: IndexVec<ConId, u32>,
    /// The bits of each type, of no more than 32 fields in all; 0 of others.
    all: IndexVec<DataId, u32>,
}

impl Layout {
    /// Lays out the types of a program. Of a list, `Cons` has [`HEAD`] and [`TAIL`].
    pub(super) fn new(program: &Program) -> Layout {
        let mut first: IndexVec<ConId, u32> = program.cons.iter().map(|_| 0).collect();
        let mut total = |data: &Data| {
            let mut total = 0_u32;
            for &con in &data.cons {
                first[con] = total;
                total = total.saturating_add(program.cons[con].arity);
            }
            low(if total > 32 { 0 } else { total })
        };
        let all = program.datas.iter().map(&mut total).collect();
        Layout { first, all }
    }

    /// Returns the bits of a type; 0 if its constructors have no fields, or too many.
    pub(super) fn all(&self, data: DataId) -> u32 {
        self.all[data]
    }

    /// Returns the bits of a constructor.
    pub(super) fn of(&self, program: &Program, con: ConId) -> u32 {
        let Con { data, arity, .. } = program.cons[con];
        self.place(con, low(arity)) & self.all[data]
    }

    /// Returns bits of which the lowest is that of the first field, in the place of a constructor's.
    pub(super) fn place(&self, con: ConId, bits: u32) -> u32 {
        bits.checked_shl(self.first[con]).unwrap_or(0)
    }

    /// Returns the bits of a type such that the lowest is that of the first field of a constructor.
    pub(super) fn from(&self, con: ConId, bits: u32) -> u32 {
        bits.checked_shr(self.first[con]).unwrap_or(0)
    }
}

/// Returns so many bits, of 32 at most, from the lowest on.
fn low(count: u32) -> u32 {
    1_u32.checked_shl(count).map_or(u32::MAX, |above| above - 1)
}

/// What is certain of fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Bits {
    /// Those that are evaluated too.
    pub(super) now: u32,
    /// Those of them of which the value is [`Shape::Flat`].
    pub(super) flat: u32,
}

impl Bits {
    const NONE: Bits = Bits { now: 0, flat: 0 };
    const ALL: Bits = Bits { now: u32::MAX, flat: u32::MAX };

    fn both(self, other: Bits) -> Bits {
        Bits { now: self.now & other.now, flat: self.flat & other.flat }
    }

    fn one(self, other: Bits) -> Bits {
        Bits { now: self.now | other.now, flat: self.flat | other.flat }
    }

    fn within(self, mask: u32) -> Bits {
        Bits { now: self.now & mask, flat: self.flat & mask }
    }
}

/// What is certain of the parts of a value whenever it is evaluated to weak head normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Shape {
    /// The greatest demand: it is never evaluated, or has no parts, or diverges.
    All,
    /// No demand on the parts.
    None,
    /// It is a number, a character or a constructor of a type without fields: what it is evaluated
    /// to takes no more space than the thunk did.
    Flat,
    /// The fields of these bits (see [`Layout`]) are evaluated too, if it is of their constructor. Of
    /// a list that goes for each cell: if it is evaluated, so is its head, or its tail, and so on down
    /// the list. Of other types it goes for this one value. Never no bits.
    Fields(DataId, Bits),
}

impl Shape {
    /// Returns the shape of these bits.
    pub(super) fn of(data: DataId, bits: Bits) -> Shape {
        match bits.now {
            0 => Shape::None,
            _ => Shape::Fields(data, bits),
        }
    }

    /// Returns what is certain if either may be the case.
    pub(super) fn either(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::All, shape) | (shape, Shape::All) => shape,
            (Shape::Flat, Shape::Flat) => Shape::Flat,
            (Shape::Fields(one, a), Shape::Fields(two, b)) if one == two => {
                Shape::of(one, a.both(b))
            }
            _ => Shape::None,
        }
    }

    /// Returns the bits of a type.
    pub(super) fn bits(self, of: DataId) -> Bits {
        match self {
            Shape::All => Bits::ALL,
            Shape::Fields(data, bits) if data == of => bits,
            _ => Bits::NONE,
        }
    }

    /// Returns this shape with the flat fields only.
    pub(super) fn flat(self) -> Shape {
        match self {
            Shape::Fields(data, Bits { flat, .. }) => Shape::of(data, Bits { now: flat, flat }),
            _ => Shape::None,
        }
    }

    /// Returns what is certain of a value of a type, `all` bits, if nothing is certain of some fields.
    /// Of the cells of a list it stays certain that they are evaluated, but nobody wants that before
    /// they are built.
    pub(super) fn without(self, fields: u32, data: DataId, all: u32) -> Shape {
        match self {
            Shape::All if data != LIST => Shape::of(data, Bits::ALL.within(all & !fields)),
            Shape::Fields(LIST, Bits { now, flat }) if data == LIST => {
                Shape::Fields(LIST, Bits { now, flat: flat & !fields })
            }
            Shape::Fields(of, bits) if of == data => Shape::of(data, bits.within(!fields)),
            _ => self,
        }
    }

    /// Returns what is certain of a value that is used in both these ways, of which at least one
    /// evaluates it now; `now` says whether each does.
    fn and(self, other: Shape, now: (bool, bool)) -> Shape {
        for certain in [Shape::All, Shape::Flat] {
            if (self == certain && now.0) || (other == certain && now.1) {
                return certain;
            }
        }
        let ((Shape::Fields(data, _), _) | (_, Shape::Fields(data, _))) = (self, other) else {
            return Shape::None;
        };
        let bits = |shape: Shape, now: bool| if now { shape.bits(data) } else { Bits::NONE };
        let (one, two) = (bits(self, now.0), bits(other, now.1));
        if data != LIST {
            // The one value that there is has been evaluated, and these fields of it.
            return Shape::of(data, one.one(two));
        }
        // Each use may reach cells that the other one does not reach.
        let heads = self.bits(LIST).both(other.bits(LIST)).within(HEAD);
        let to_the_end = |bits: Bits| match bits.now == HEAD | TAIL {
            true => bits,
            false => bits.within(TAIL),
        };
        Shape::of(LIST, heads.one(to_the_end(one)).one(to_the_end(two)))
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

/// Returns the demand on a parameter that is used so; `is_strict` says whether it is known already
/// that it is evaluated.
pub(super) fn demand(program: &Program, use_: Option<&Use>, is_strict: bool) -> Demand {
    let Use { now: true, shape, .. } = *use_.unwrap_or(&Use::UNKNOWN) else {
        return if is_strict { Demand::Strict } else { Demand::Lazy };
    };
    match shape {
        Shape::Fields(LIST, Bits { now, .. }) => {
            Demand::List { elements: now & HEAD != 0, spine: now & TAIL != 0 }
        }
        Shape::Fields(data, Bits { now, .. }) => match *program.datas[data].cons {
            [con] => Demand::Fields { con, count: program.cons[con].arity, strict: now },
            _ => Demand::Strict,
        },
        _ => Demand::Strict,
    }
}
