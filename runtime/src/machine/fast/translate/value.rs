//! What stands on the abstract stack: variables, constants, and expressions that nothing has
//! built yet.

use super::super::code::program::ThunkId;
use crate::base::float::Float;
use crate::base::span::Span;
use crate::define_index;
use crate::gcode::program::{BigId, ConId, GlobalId, TextId};
use crate::machine::heap::word::Word;

define_index! {
    /// A value of the abstract stack, or a part of one.
    pub ValueId;
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// What a variable holds.
    Var(u32),
    /// An immediate word.
    Const(Word),
    /// The value of a CAF.
    Caf(GlobalId),
    /// A string.
    Text(TextId),
    /// A large integer.
    Big(BigId),
    /// A float that does not fit a word.
    Float(Float),
    /// An application, to be built: what is applied is no application itself.
    App { callee: ValueId, args: Args, span: Span },
    /// A constructor with fields, to be built.
    Con { con: ConId, args: Args, span: Span },
}

/// The arguments of an application, or the fields of a constructor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Args {
    /// The last one, a link; `NONE` if there is none.
    last: u32,
    /// How many there are.
    pub count: u32,
    /// How many values there are in them, parts of parts included.
    pub size: u32,
}

impl Args {
    const NONE: u32 = u32::MAX;
    /// No arguments.
    pub const EMPTY: Args = Args { last: Self::NONE, count: 0, size: 0 };
}

#[derive(Clone, Copy)]
struct Link {
    value: ValueId,
    before: u32,
}

/// All values of the translation of a function.
#[derive(Default)]
pub(super) struct Values {
    values: Vec<Value>,
    links: Vec<Link>,
    /// The values that are to be built and have not been used, in the order of their birth.
    pending: Vec<ValueId>,
    /// For each value whether something that is to be built, or was, has it as a part.
    owned: Vec<bool>,
}

impl Values {
    pub fn clear(&mut self) {
        self.values.clear();
        self.links.clear();
        self.pending.clear();
        self.owned.clear();
    }

    /// Returns how many values and arguments there are, whichever are more.
    pub fn parts(&self) -> usize {
        self.values.len().max(self.links.len())
    }

    /// Adds a value.
    pub fn add(&mut self, value: Value) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(value);
        self.owned.push(false);
        if !value.is_atom() {
            self.pending.push(id);
        }
        id
    }

    pub fn get(&self, id: ValueId) -> Value {
        self.values[id.0 as usize]
    }

    /// Replaces a value that was to be built by what was built.
    pub fn set(&mut self, id: ValueId, value: Value) {
        self.values[id.0 as usize] = value;
    }

    /// Notes that what was a part of something is on the stack again.
    pub fn release(&mut self, id: ValueId) {
        if std::mem::replace(&mut self.owned[id.0 as usize], false) && !self.get(id).is_atom() {
            self.pending.push(id);
        }
    }

    /// Takes a value off the stack: what is done with it is up to the caller.
    pub fn own(&mut self, id: ValueId) {
        self.owned[id.0 as usize] = true;
    }

    /// Returns the values that are to be built; after that, none is.
    pub fn take_pending(&mut self) -> Vec<ValueId> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|&id| !self.owned[id.0 as usize] && !self.get(id).is_atom());
        pending
    }

    /// Replaces the values that are to be built by others.
    pub fn set_pending(&mut self, pending: Vec<ValueId>) {
        self.pending = pending;
    }

    /// Returns how many values there are in one.
    pub fn size(&self, id: ValueId) -> u32 {
        match self.get(id) {
            Value::App { args, .. } | Value::Con { args, .. } => args.size + 1,
            _ => 1,
        }
    }

    /// Returns the arguments with one more.
    pub fn append(&mut self, args: Args, value: ValueId) -> Args {
        self.own(value);
        let last = self.links.len() as u32;
        self.links.push(Link { value, before: args.last });
        Args { last, count: args.count + 1, size: args.size.saturating_add(self.size(value)) }
    }

    /// Returns the last argument.
    pub fn last(&self, args: Args) -> Option<ValueId> {
        self.links.get(args.last as usize).map(|link| link.value)
    }

    /// Returns the arguments in order.
    pub fn list(&self, args: Args) -> Vec<ValueId> {
        let mut list = Vec::with_capacity(args.count as usize);
        let mut at = args.last;
        while let Some(link) = self.links.get(at as usize) {
            list.push(link.value);
            at = link.before;
        }
        list.reverse();
        list
    }
}

impl Value {
    /// Returns whether it can be on the stack twice without being made twice.
    pub fn is_atom(self) -> bool {
        matches!(self, Value::Var(_) | Value::Const(_) | Value::Caf(_))
    }

    /// Returns whether it is the same as another one, as far as one can see.
    pub fn is_same(self, other: Value) -> bool {
        match (self, other) {
            (Value::Var(a), Value::Var(b)) => a == b,
            (Value::Const(a), Value::Const(b)) => a == b,
            (Value::Caf(a), Value::Caf(b)) => a == b,
            _ => false,
        }
    }
}

/// A thunk whose code is still to be made.
pub(super) struct Lazy {
    /// Its number.
    pub thunk: ThunkId,
    /// What it evaluates. (Where it is built, the value becomes the variable that holds it.)
    pub root: Value,
    /// The variables in it, in the order of its slots, and whether they are known to be
    /// evaluated.
    pub captured: Vec<(u32, bool)>,
}
