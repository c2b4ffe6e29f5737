//! Values, and what can be done with them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::access::{Access, Key, Session};
use super::convert::{FromValue, IntoValue};
use super::error::Error;
use super::host_value::HostType;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::program::{CONS, NIL};
use crate::machine::{self, Handle, Opaque};

/// A handle on a value of a store, evaluated or not. The collector keeps the value while a
/// clone of the handle lives.
#[derive(Clone)]
pub struct Value(pub(super) Handle);

impl fmt::Debug for Value {
    /// Writes the number of the handle: what it stands for is the store's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({:?})", self.0)
    }
}

/// A value in weak head normal form.
#[derive(Clone, Debug)]
pub enum Whnf {
    /// An integer.
    Int(Integer),
    /// A float.
    Float(f64),
    /// A character.
    Char(char),
    /// A constructor, by the name that it prints with, and its fields, which need not be
    /// evaluated. `Nil` and `Cons` are lists.
    Con {
        /// Its name.
        name: Arc<str>,
        /// Its fields.
        fields: Vec<Value>,
    },
    /// An array: its elements, which need not be evaluated.
    Array(Vec<Value>),
    /// A byte string.
    Bytes(Box<[u8]>),
    /// A value of the embedding program: see [`HostValue`](super::HostValue).
    Host {
        /// The name of its type.
        name: &'static str,
        /// The value.
        value: Arc<dyn Any + Send + Sync>,
    },
    /// A function.
    Function {
        /// The name that it prints with; a lambda has none.
        name: Option<Arc<str>>,
        /// How many arguments it still takes.
        arity: u32,
    },
}

impl Whnf {
    /// Returns what kind of value it is, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Whnf::Int(_) => "an integer",
            Whnf::Float(_) => "a float",
            Whnf::Char(_) => "a character",
            Whnf::Con { name, fields } if is_list(name, fields.len()) => "a list",
            Whnf::Array(_) => "an array",
            Whnf::Bytes(_) => "a byte string",
            Whnf::Con { .. } => "a constructor",
            Whnf::Host { name, .. } => name,
            Whnf::Function { .. } => "a function",
        }
    }
}

fn is_list(name: &str, fields: usize) -> bool {
    // No other constructor can have these names.
    matches!((name, fields), ("Nil", 0) | ("Cons", 2))
}

/// Operations on values: of a [`Store`](super::Store), and inside a host function.
///
/// Every operation can fail for want of memory, with [`Error::Stop`]. A value of another
/// store is [`Error::ForeignValue`].
pub trait Eval: Access + Sized {
    /// Returns the value of a definition: its name as listings show it.
    ///
    /// # Errors
    /// [`Error::UnknownGlobal`].
    fn global(&mut self, name: &str) -> Result<Value, Error> {
        let Session { machine, shared } = self.session(Key(()));
        let global = shared.names().global(name).or_else(|| machine.program().find(name));
        let global = global.ok_or_else(|| Error::UnknownGlobal(name.into()))?;
        Ok(Value(machine.global_handle(global)?))
    }

    /// Returns an integer.
    ///
    /// # Errors
    /// Only the general ones.
    fn int(&mut self, value: impl Into<Integer>) -> Result<Value, Error> {
        Ok(Value(self.session(Key(())).machine.new_int(value.into())?))
    }

    /// Returns a float. Any NaN becomes the one NaN of the language.
    ///
    /// # Errors
    /// Only the general ones.
    fn float(&mut self, value: f64) -> Result<Value, Error> {
        Ok(Value(self.session(Key(())).machine.new_float(Float::new(value))?))
    }

    /// Returns a character.
    ///
    /// # Errors
    /// Only the general ones.
    fn character(&mut self, value: char) -> Result<Value, Error> {
        Ok(Value(self.session(Key(())).machine.new_char(value)?))
    }

    /// Returns a list of characters.
    ///
    /// # Errors
    /// Only the general ones.
    fn text(&mut self, text: &str) -> Result<Value, Error> {
        Ok(Value(self.session(Key(())).machine.new_text(text)?))
    }

    /// Returns the list of these elements.
    ///
    /// # Errors
    /// Only the general ones.
    fn list(&mut self, items: &[Value]) -> Result<Value, Error> {
        let handles = handles(items);
        Ok(Value(self.session(Key(())).machine.new_list(&handles).ok_or(Error::ForeignValue)??))
    }

    /// Returns the array of these elements, which need not be evaluated.
    ///
    /// # Errors
    /// Only the general ones: memory is used up, or an array has not so many elements.
    fn array(&mut self, elements: &[Value]) -> Result<Value, Error> {
        let handles = handles(elements);
        Ok(Value(self.session(Key(())).machine.new_array(&handles).ok_or(Error::ForeignValue)??))
    }

    /// Returns a byte string.
    ///
    /// # Errors
    /// Only the general ones.
    fn bytes(&mut self, bytes: &[u8]) -> Result<Value, Error> {
        Ok(Value(self.session(Key(())).machine.new_bytes(bytes)?))
    }

    /// Returns a constructor with all its fields.
    ///
    /// # Errors
    /// [`Error::UnknownConstructor`], [`Error::FieldCount`].
    fn con(&mut self, name: &str, fields: &[Value]) -> Result<Value, Error> {
        let Session { machine, shared } = self.session(Key(()));
        let cons = &machine.program().cons;
        let of = |symbol: bool| {
            cons.enumerate().find(|(_, con)| name == if symbol { &*con.symbol } else { &*con.name })
        };
        let own = shared.names().con(name).and_then(|id| Some((id, cons.get(id)?)));
        let found = own.or_else(|| of(true)).or_else(|| of(false));
        let (id, con) = found.ok_or_else(|| Error::UnknownConstructor(name.into()))?;
        if con.arity as usize != fields.len() {
            return Err(Error::FieldCount { takes: con.arity, given: fields.len() });
        }
        let handles = handles(fields);
        Ok(Value(machine.new_con(id, &handles).ok_or(Error::ForeignValue)??))
    }

    /// Returns a value of the embedding program, which programs can pass around and give back, and
    /// nothing else: see [`HostValue`](super::HostValue).
    ///
    /// # Errors
    /// Only the general ones.
    fn host_value<T: HostType>(&mut self, value: Arc<T>) -> Result<Value, Error> {
        let opaque = Opaque { name: T::NAME, value };
        Ok(Value(self.session(Key(())).machine.new_opaque(opaque)?))
    }

    /// Returns the application of a function to arguments. Nothing is evaluated.
    ///
    /// # Errors
    /// Only the general ones: what is no function fails when it is forced.
    fn call(&mut self, function: &Value, args: &[Value]) -> Result<Value, Error> {
        let handles = handles(args);
        Ok(Value(
            self.session(Key(()))
                .machine
                .apply(&function.0, &handles)
                .ok_or(Error::ForeignValue)??,
        ))
    }

    /// Evaluates a value to weak head normal form.
    ///
    /// # Errors
    /// [`Error::Stop`] when the evaluation stops. Forced again the value goes on, or fails
    /// again.
    fn force(&mut self, value: &Value) -> Result<Whnf, Error> {
        let session = self.session(Key(()));
        let forced = session.machine.force(&value.0).ok_or(Error::ForeignValue)?;
        session.shared.outcome(forced)?;
        // What was forced is in weak head normal form.
        self.peek(value)?.ok_or(Error::ForeignValue)
    }

    /// Returns what a value is, if it is evaluated already; `None` if it is not. Nothing is
    /// evaluated.
    ///
    /// # Errors
    /// Only the general ones.
    fn peek(&mut self, value: &Value) -> Result<Option<Whnf>, Error> {
        let machine = self.session(Key(())).machine;
        if !machine.owns(&value.0) {
            return Err(Error::ForeignValue);
        }
        Ok(machine.whnf(&value.0).map(|whnf| match whnf {
            machine::Whnf::Int(value) => Whnf::Int(value),
            machine::Whnf::Float(value) => Whnf::Float(value.get()),
            machine::Whnf::Char(value) => Whnf::Char(value),
            machine::Whnf::Con(con, fields) => {
                let con = machine.program().cons.get(con);
                let name = con.map_or_else(|| "?".into(), |con| con.name.clone());
                Whnf::Con { name, fields: fields.into_iter().map(Value).collect() }
            }
            machine::Whnf::Array(elements) => {
                Whnf::Array(elements.into_iter().map(Value).collect())
            }
            machine::Whnf::Bytes(bytes) => Whnf::Bytes(bytes),
            machine::Whnf::Opaque(Opaque { name, value }) => Whnf::Host { name, value },
            machine::Whnf::Function(global, arity) => {
                let global = machine.program().globals.get(global);
                Whnf::Function { name: global.and_then(|global| global.display.clone()), arity }
            }
        }))
    }

    /// Returns where the expression stands that a value is to be computed from, if it is not
    /// evaluated: its span in [`Store::sources`](super::Store::sources). Of what is evaluated, or
    /// comes from no text, it is none ([`Span::is_none`](crate::diagnostic::Span::is_none)).
    /// Nothing is evaluated.
    ///
    /// # Errors
    /// Only the general ones.
    fn origin(&mut self, value: &Value) -> Result<Span, Error> {
        let machine = self.session(Key(())).machine;
        if machine.owns(&value.0) { Ok(machine.origin(&value.0)) } else { Err(Error::ForeignValue) }
    }

    /// Returns the value that something of Rust stands for: integers, characters, texts, truth
    /// values, vectors, pairs, or a type of one's own that is [`IntoValue`].
    ///
    /// ```
    /// use gmachine::{Engine, Eval};
    ///
    /// let module = Engine::new().compile("sum", "(defn total[ns] (sum ns))")?;
    /// let mut store = module.store();
    /// let total = store.global("total")?;
    /// let numbers = store.value(vec![1, 2, 39])?;
    /// let sum = store.call(&total, &[numbers])?;
    /// assert_eq!(store.get::<u8>(&sum)?, 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of the conversion.
    fn value<T: IntoValue>(&mut self, from: T) -> Result<Value, Error> {
        from.into_value(self)
    }

    /// Evaluates a value as far as it takes to make something of Rust of it.
    ///
    /// # Errors
    /// [`Error::Kind`] if it is something else, [`Error::OutOfRange`] if it is an integer that
    /// the type has no room for; otherwise those of [`force`](Eval::force).
    fn get<T: FromValue>(&mut self, value: &Value) -> Result<T, Error> {
        T::from_value(value, self)
    }

    /// Evaluates an integer.
    ///
    /// # Errors
    /// [`Error::Kind`] if it is none.
    fn to_integer(&mut self, value: &Value) -> Result<Integer, Error> {
        match self.force(value)? {
            Whnf::Int(value) => Ok(value),
            other => Err(Error::Kind { expected: "an integer", found: other.kind() }),
        }
    }

    /// Evaluates a float.
    ///
    /// # Errors
    /// [`Error::Kind`] if it is none; an integer is none.
    fn to_float(&mut self, value: &Value) -> Result<f64, Error> {
        match self.force(value)? {
            Whnf::Float(value) => Ok(value),
            other => Err(Error::Kind { expected: "a float", found: other.kind() }),
        }
    }

    /// Evaluates a character.
    ///
    /// # Errors
    /// [`Error::Kind`] if it is none.
    fn to_char(&mut self, value: &Value) -> Result<char, Error> {
        match self.force(value)? {
            Whnf::Char(value) => Ok(value),
            other => Err(Error::Kind { expected: "a character", found: other.kind() }),
        }
    }

    /// Evaluates a byte string.
    ///
    /// # Errors
    /// [`Error::Kind`] if it is none.
    fn to_bytes(&mut self, value: &Value) -> Result<Box<[u8]>, Error> {
        match self.force(value)? {
            Whnf::Bytes(bytes) => Ok(bytes),
            other => Err(Error::Kind { expected: "a byte string", found: other.kind() }),
        }
    }

    /// Evaluates a list of characters to its end. A text without end ends at a limit of the
    /// store only for fuel or time: use [`items`](Eval::items) where that matters.
    ///
    /// # Errors
    /// [`Error::Kind`] if it is no list, or not of characters.
    fn to_text(&mut self, value: &Value) -> Result<String, Error> {
        let mut text = String::new();
        let mut items = self.items(value);
        while let Some(item) = items.next() {
            text.push(items.store.to_char(&item?)?);
        }
        Ok(text)
    }

    /// Returns a list as an iterator. Its cells are evaluated one by one, its elements are not.
    /// After an error it ends; what was left is [`Items::rest`].
    fn items(&mut self, list: &Value) -> Items<'_, Self> {
        Items { store: self, rest: list.clone(), ended: false }
    }
}

impl<T: Access> Eval for T {}

fn handles(values: &[Value]) -> Vec<Handle> {
    values.iter().map(|value| value.0.clone()).collect()
}

/// The elements of a list; see [`Eval::items`].
#[derive(Debug)]
pub struct Items<'a, S> {
    store: &'a mut S,
    rest: Value,
    ended: bool,
}

impl<S> Items<'_, S> {
    /// Returns what has not been iterated over.
    #[must_use]
    pub fn rest(&self) -> &Value {
        &self.rest
    }
}

impl<S: Access> Iterator for Items<'_, S> {
    type Item = Result<Value, Error>;

    fn next(&mut self) -> Option<Result<Value, Error>> {
        if self.ended {
            return None;
        }
        let session = self.store.session(Key(()));
        let machine = session.machine;
        let forced = match machine.force(&self.rest.0) {
            None => Err(Error::ForeignValue),
            Some(forced) => match session.shared.outcome(forced) {
                Err(stop) => Err(Error::Stop(stop)),
                Ok(()) => Ok(machine.whnf(&self.rest.0)),
            },
        };
        match forced {
            Ok(Some(machine::Whnf::Con(CONS, fields))) => {
                let mut fields = fields.into_iter().map(Value);
                let (head, tail) = (fields.next()?, fields.next()?);
                self.rest = tail;
                Some(Ok(head))
            }
            Ok(Some(machine::Whnf::Con(NIL, _))) => {
                self.ended = true;
                None
            }
            Ok(_) => {
                self.ended = true;
                let found = self.store.force(&self.rest).map_or("nothing", |whnf| whnf.kind());
                Some(Err(Error::Kind { expected: "a list", found }))
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
        }
    }
}
