//! Values of the embedding program in the hands of a program.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::convert::{FromValue, IntoValue};
use super::error::Error;
use super::eval::{Eval, Value, Whnf};

/// A type whose values can be given to programs. They may be used on any thread that a store is
/// moved to.
pub trait HostType: Any + Send + Sync {
    /// What messages call the type; a value prints as `<host NAME>`.
    const NAME: &'static str;
}

/// A value of the embedding program that programs pass around and give back. They cannot look
/// into it: taking it apart, applying it or computing with it is an error of the program, and a
/// value of another type in its place is [`Error::Kind`] for whoever asks for this one.
///
/// The store lets go of the value when a full collection ([`Store::collect`](super::Store::collect)
/// is one) finds that nothing can reach it any more, at the latest when the store is dropped; what
/// it prints or does when it is dropped happens then. A panic in its `drop` during a collection
/// goes no further.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use gmachine::{Engine, Eval, HostType, HostValue};
///
/// struct Counter(AtomicU32);
///
/// impl HostType for Counter {
///     const NAME: &'static str = "Counter";
/// }
///
/// let mut engine = Engine::new();
/// engine.register("next", 2, |call| {
///     let (counter, _) = (call.arg(0)?, call.arg(1)?);
///     let HostValue(counter) = call.get::<HostValue<Counter>>(&counter)?;
///     Ok(call.value(counter.0.fetch_add(1, Ordering::Relaxed))?)
/// })?;
/// let mut store = engine.compile("numbers", "(defn three[c] (map (next c) [1 2 3]))")?.store();
/// let counter = Arc::new(Counter(AtomicU32::new(7)));
/// let (three, value) = (store.global("three")?, store.value(HostValue(counter.clone()))?);
/// let numbers = store.call(&three, &[value])?;
/// assert_eq!(store.get::<Vec<u32>>(&numbers)?, [7, 8, 9]);
/// assert_eq!(counter.0.load(Ordering::Relaxed), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HostValue<T>(pub Arc<T>);

impl<T> HostValue<T> {
    /// Wraps a value.
    #[must_use]
    pub fn new(value: T) -> HostValue<T> {
        HostValue(Arc::new(value))
    }
}

impl<T> Clone for HostValue<T> {
    fn clone(&self) -> HostValue<T> {
        HostValue(self.0.clone())
    }
}

impl<T: HostType> fmt::Debug for HostValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<host {}>", T::NAME)
    }
}

impl<T: HostType> IntoValue for HostValue<T> {
    fn into_value<E: Eval>(self, eval: &mut E) -> Result<Value, Error> {
        eval.host_value(self.0)
    }
}

impl<T: HostType> FromValue for HostValue<T> {
    fn from_value<E: Eval>(value: &Value, eval: &mut E) -> Result<HostValue<T>, Error> {
        let found = match eval.force(value)? {
            Whnf::Host { name, value } => match value.downcast::<T>() {
                Ok(value) => return Ok(HostValue(value)),
                Err(_) => name,
            },
            other => other.kind(),
        };
        Err(Error::Kind { expected: T::NAME, found })
    }
}
