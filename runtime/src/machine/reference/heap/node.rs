//! The nodes of the graph.

use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::gcode::program::{ConId, GlobalId, TextId};

/// Where a node lives. It stays there: the collector moves nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Addr(pub u32);

impl Addr {
    /// No node: an empty entry of a table.
    pub(in crate::machine::reference) const NONE: Addr = Addr(u32::MAX);

    /// Returns the number that traces show.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Which instruction built an application: a position in the code of all globals laid end
/// to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site(pub(in crate::machine::reference) u32);

impl Site {
    /// An application that no instruction built: an embedder did.
    pub const NONE: Site = Site(u32::MAX);
}

/// A node: 16 bytes, and what it owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A free cell, with the next one.
    Free(Addr),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    Big(Box<Integer>),
    /// A float.
    Float(Float),
    /// A character.
    Char(char),
    /// An application.
    App {
        /// The function.
        fun: Addr,
        /// Its argument.
        arg: Addr,
        /// Where it was built.
        site: Site,
    },
    /// A global: a function, or a CAF that is not evaluated.
    Global(GlobalId),
    /// Another node in place of this one.
    Ind(Addr),
    /// A constructor of at most two fields.
    Constr {
        /// How many of `fields` there are.
        len: u8,
        /// Which constructor.
        con: ConId,
        /// The fields; what is past `len` means nothing.
        fields: [Addr; 2],
    },
    /// A constructor of more than two fields.
    Large(ConId, Box<Box<[Addr]>>),
    /// An array: its elements.
    Array(Box<Box<[Addr]>>),
    /// A byte string.
    Bytes(Box<Box<[u8]>>),
    /// A value of the embedding program: its number in the machine's table.
    Opaque(u32),
    /// The suffix of a string literal from byte `at`: unpacks into one cell when evaluated.
    Text {
        /// The literal.
        text: TextId,
        /// Byte offset.
        at: u32,
    },
    /// The rest of standard input: reads one character when evaluated.
    Input,
    /// A letrec's name before `Update` fills it.
    Hole,
    /// A redex whose code runs. It keeps nothing alive.
    BlackHole {
        /// Whose code.
        global: GlobalId,
        /// Where the redex was built.
        site: Site,
        /// Where the last call outside of the corelib stands, if last calls have led from there to a
        /// redex that the corelib built.
        outside: Site,
    },
    /// A redex whose evaluation was stopped: it goes on when forced.
    Suspended {
        /// The frozen stack that holds it.
        record: u32,
        /// Its frame there.
        index: u32,
        /// Where the redex was built.
        site: Site,
    },
}

const _: () = assert!(size_of::<Node>() == 16, "millions of nodes live at once");

/// Bytes of a node, without what it owns.
pub(in crate::machine::reference) const NODE_BYTES: u64 = size_of::<Node>() as u64;

impl Node {
    /// Returns a constructor node.
    #[must_use]
    pub(in crate::machine::reference) fn constr(con: ConId, fields: &[Addr]) -> Node {
        match *fields {
            [] => Node::Constr { len: 0, con, fields: [Addr::NONE; 2] },
            [a] => Node::Constr { len: 1, con, fields: [a, Addr::NONE] },
            [a, b] => Node::Constr { len: 2, con, fields: [a, b] },
            _ => Node::Large(con, Box::new(fields.into())),
        }
    }

    /// Returns an integer node.
    #[must_use]
    pub(in crate::machine::reference) fn integer(value: Integer) -> Node {
        match value {
            Integer::Small(small) => Node::Int(small),
            big @ Integer::Big(_) => Node::Big(Box::new(big)),
        }
    }

    /// Returns constructor and fields, if it is a constructor.
    #[must_use]
    pub fn as_constr(&self) -> Option<(ConId, &[Addr])> {
        match self {
            Node::Constr { len, con, fields } => Some((*con, &fields[..usize::from(*len).min(2)])),
            Node::Large(con, fields) => Some((*con, fields)),
            _ => None,
        }
    }

    /// Returns the bytes that it owns beyond the node itself.
    #[must_use]
    pub(in crate::machine::reference) fn owned_bytes(&self) -> u64 {
        match self {
            Node::Big(value) => BIG_BYTES + value.heap_bytes() as u64,
            Node::Large(_, fields) => fields_bytes(fields.len()),
            Node::Array(elements) => array_bytes(elements.len()),
            Node::Bytes(bytes) => buffer_bytes(bytes.len()),
            _ => 0,
        }
    }
}

/// The bytes that an allocator takes for itself of each piece of memory, with rounding.
const ALLOCATION: usize = 16;

/// Bytes of a large integer beside what [`Integer::heap_bytes`] counts; it is in three pieces.
pub(in crate::machine::reference) const BIG_BYTES: u64 =
    (size_of::<Integer>() + 3 * ALLOCATION) as u64;

/// Returns the bytes that an array of this many elements owns, in two pieces.
pub(in crate::machine::reference) fn array_bytes(elements: usize) -> u64 {
    buffer_bytes(elements * size_of::<Addr>())
}

/// Returns the bytes that a byte string of this many bytes owns, in two pieces.
pub(in crate::machine::reference) fn buffer_bytes(bytes: usize) -> u64 {
    (size_of::<Box<[u8]>>() + bytes + 2 * ALLOCATION) as u64
}

/// Returns the bytes that a constructor of this many fields owns, in two pieces.
pub(in crate::machine::reference) fn fields_bytes(fields: usize) -> u64 {
    if fields <= 2 {
        return 0;
    }
    (size_of::<Box<[Addr]>>() + fields * size_of::<Addr>() + 2 * ALLOCATION) as u64
}
