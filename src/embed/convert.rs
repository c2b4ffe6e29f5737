//! Values of Rust to values of a store, and back.

use super::error::Error;
use super::eval::{Eval, Value, Whnf};
use crate::base::integer::Integer;

/// What stands for a value of the language.
pub trait IntoValue {
    /// Makes the value, in the store that `eval` is of.
    ///
    /// # Errors
    /// When memory is used up, or the program has no constructor that the value needs.
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error>;
}

/// What can be made of a value of the language.
pub trait FromValue: Sized {
    /// Evaluates `value` as far as needed, and converts it.
    ///
    /// # Errors
    /// When the evaluation stops, or the value is something else.
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<Self, Error>;
}

impl IntoValue for Value {
    fn into_value<E: Eval>(self, _: &mut E) -> Result<Value, Error> {
        Ok(self)
    }
}

impl IntoValue for &Value {
    fn into_value<E: Eval>(self, _: &mut E) -> Result<Value, Error> {
        Ok(self.clone())
    }
}

/// Nothing is evaluated.
impl FromValue for Value {
    fn from_value<E: Eval>(value: &Value, _: &mut E) -> Result<Value, Error> {
        Ok(value.clone())
    }
}

impl FromValue for Whnf {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<Whnf, Error> {
        eval.force(value)
    }
}

impl IntoValue for Integer {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.int(self)
    }
}

impl FromValue for Integer {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<Integer, Error> {
        eval.to_integer(value)
    }
}

macro_rules! integers {
    ($($of:ident)+) => {$(
        impl IntoValue for $of {
            fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
                eval.int(self)
            }
        }

        /// [`Error::OutOfRange`] if the integer does not fit.
        impl FromValue for $of {
            fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<$of, Error> {
                Ok($of::try_from(&eval.to_integer(value)?)?)
            }
        }
    )+};
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

/// 1 for true, 0 for false, as the language has it.
impl IntoValue for bool {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.int(self)
    }
}

/// 1 is true and 0 is false; other integers are neither.
impl FromValue for bool {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<bool, Error> {
        match eval.to_integer(value)? {
            Integer::Small(0) => Ok(false),
            Integer::Small(1) => Ok(true),
            _ => Err(Error::Kind { expected: "a truth value, 1 or 0", found: "another integer" }),
        }
    }
}

/// Any NaN becomes the one NaN of the language.
impl IntoValue for f64 {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.float(self)
    }
}

/// No integer is a float: the program converts it.
impl FromValue for f64 {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<f64, Error> {
        eval.to_float(value)
    }
}

impl IntoValue for char {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.character(self)
    }
}

impl FromValue for char {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<char, Error> {
        eval.to_char(value)
    }
}

/// The list of its characters.
impl IntoValue for &str {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.text(self)
    }
}

/// The list of its characters.
impl IntoValue for String {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.text(&self)
    }
}

/// The whole list is evaluated.
impl FromValue for String {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<String, Error> {
        eval.to_text(value)
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        let items = self.into_iter().map(|item| item.into_value(eval));
        let items: Vec<Value> = items.collect::<Result<_, _>>()?;
        eval.list(&items)
    }
}

/// The whole list is evaluated, and its elements as far as `T` asks for.
impl<T: FromValue> FromValue for Vec<T> {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<Vec<T>, Error> {
        let items: Vec<Value> = eval.items(value).collect::<Result<_, _>>()?;
        items.iter().map(|item| T::from_value(item, eval)).collect()
    }
}

/// The prelude's `Pair`.
impl<A: IntoValue, B: IntoValue> IntoValue for (A, B) {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        let fields = [self.0.into_value(eval)?, self.1.into_value(eval)?];
        eval.con("Pair", &fields)
    }
}

/// The prelude's `Triple`.
impl<A: IntoValue, B: IntoValue, C: IntoValue> IntoValue for (A, B, C) {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        let (a, b) = (self.0.into_value(eval)?, self.1.into_value(eval)?);
        let fields = [a, b, self.2.into_value(eval)?];
        eval.con("Triple", &fields)
    }
}

/// `Nothing` and `Just` of the prelude.
impl<T: IntoValue> IntoValue for Option<T> {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        match self {
            None => eval.con("Nothing", &[]),
            Some(value) => {
                let value = value.into_value(eval)?;
                eval.con("Just", &[value])
            }
        }
    }
}

/// Returns the fields of the constructor `name`, of which there must be `N`.
fn fields<const N: usize, E: Eval>(
    value: &Value,
    eval: &mut E,
    wanted: &str,
    expected: &'static str,
) -> Result<[Value; N], Error> {
    match eval.force(value)? {
        Whnf::Con { name, fields } if &*name == wanted => fields
            .try_into()
            .map_err(|_| Error::Kind { expected, found: "a constructor with other fields" }),
        other => Err(Error::Kind { expected, found: other.kind() }),
    }
}

impl<A: FromValue, B: FromValue> FromValue for (A, B) {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<(A, B), Error> {
        let [a, b] = fields(value, eval, "Pair", "a pair")?;
        Ok((A::from_value(&a, eval)?, B::from_value(&b, eval)?))
    }
}

impl<A: FromValue, B: FromValue, C: FromValue> FromValue for (A, B, C) {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<(A, B, C), Error> {
        let [a, b, c] = fields(value, eval, "Triple", "a triple")?;
        Ok((A::from_value(&a, eval)?, B::from_value(&b, eval)?, C::from_value(&c, eval)?))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<Option<T>, Error> {
        match eval.force(value)? {
            Whnf::Con { name, fields } if &*name == "Nothing" && fields.is_empty() => Ok(None),
            Whnf::Con { name, fields } if &*name == "Just" && fields.len() == 1 => {
                fields.first().map(|value| T::from_value(value, eval)).transpose()
            }
            other => Err(Error::Kind { expected: "Nothing or Just", found: other.kind() }),
        }
    }
}
