//! Typed indices and the vectors that they index.

use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// A dense index of 32 bits.
pub trait Idx: Copy + Eq + 'static {
    /// Returns the index as a position.
    fn index(self) -> usize;
    /// Returns the index of a position. Positions stay below 2^32 because sources do.
    fn new(index: usize) -> Self;
}

/// Declares index types: `define_index! { /// An expression. pub ExprId }`.
#[macro_export]
macro_rules! define_index {
    ($($(#[$doc:meta])* pub $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $crate::base::index::Idx for $name {
            fn index(self) -> usize { self.0 as usize }
            fn new(index: usize) -> Self { $name(index as u32) }
        }
    )+};
}

/// A vector indexed by `I`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: Idx, T> IndexVec<I, T> {
    /// Returns an empty vector.
    #[must_use]
    pub const fn new() -> Self {
        IndexVec { items: Vec::new(), index: PhantomData }
    }

    /// Returns an empty vector with room for some items.
    #[must_use]
    pub fn with_capacity(items: usize) -> Self {
        IndexVec { items: Vec::with_capacity(items), index: PhantomData }
    }

    /// Appends an item and returns its index.
    #[inline]
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the index that the next [`push`](Self::push) returns.
    #[must_use]
    pub fn next_index(&self) -> I {
        I::new(self.items.len())
    }

    /// Returns the items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns the items in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Returns the indices in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// Returns the indices and items in order.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(at, item)| (I::new(at), item))
    }

    /// Returns the indices from position `first` on, in order.
    pub fn indices_from(&self, first: usize) -> impl Iterator<Item = I> + use<I, T> {
        (first..self.items.len()).map(I::new)
    }

    /// Returns the items from position `first` on.
    #[must_use]
    pub fn since(&self, first: usize) -> &[T] {
        self.items.get(first..).unwrap_or_default()
    }

    /// Returns the indices and items from position `first` on, in order.
    pub fn enumerate_from(&self, first: usize) -> impl Iterator<Item = (I, &T)> {
        self.indices_from(first).zip(self.since(first))
    }

    /// Returns the item at `index`, if there is one.
    #[must_use]
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// Returns the item at `index`, to be changed, if there is one.
    #[must_use]
    pub fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.index())
    }

    /// Appends items.
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
    }

    /// Returns the items in order, without their indices.
    #[must_use]
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Drops all items past the first `len`, keeping the space.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// Returns the items as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Idx, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, index: I) -> &T {
        #[cfg(debug_assertions)]
        count::add(1);
        &self.items[index.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        #[cfg(debug_assertions)]
        count::add(1);
        &mut self.items[index.index()]
    }
}

impl<I: Idx, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        IndexVec { items: items.into_iter().collect(), index: PhantomData }
    }
}

/// A run of items in a [`Pool`]: eight bytes, whatever its length.
#[derive(Debug)]
pub struct List<T> {
    start: u32,
    len: u32,
    item: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The empty run, of any pool.
    pub const EMPTY: List<T> = List { start: 0, len: 0, item: PhantomData };

    /// Returns the number of items.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns whether there is no item.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    /// Returns the run without its first `n` items (all of them, if there are fewer).
    #[must_use]
    pub fn skip(self, n: usize) -> List<T> {
        let n = (n as u32).min(self.len);
        List { start: self.start + n, len: self.len - n, item: PhantomData }
    }

    /// Returns the first `n` items of the run (all of them, if there are fewer).
    #[must_use]
    pub fn take(self, n: usize) -> List<T> {
        List { start: self.start, len: (n as u32).min(self.len), item: PhantomData }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for List<T> {}
impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}
impl<T> Eq for List<T> {}
impl<T> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.start, self.len).hash(state);
    }
}

/// The items of many [`List`]s, end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool<T> {
    items: Vec<T>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new() }
    }
}

impl<T> Pool<T> {
    /// Appends `items` as one list.
    pub fn add(&mut self, items: impl IntoIterator<Item = T>) -> List<T> {
        let start = self.items.len();
        self.items.extend(items);
        List { start: start as u32, len: (self.items.len() - start) as u32, item: PhantomData }
    }

    /// Returns the number of items in all lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether no list holds an item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Drops all items past the first `len`, keeping the space.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }
}

impl<T> Index<List<T>> for Pool<T> {
    type Output = [T];
    #[inline]
    fn index(&self, list: List<T>) -> &[T] {
        #[cfg(debug_assertions)]
        count::add(list.len() as u64);
        &self.items[list.range()]
    }
}

impl<T> IndexMut<List<T>> for Pool<T> {
    fn index_mut(&mut self, list: List<T>) -> &mut [T] {
        &mut self.items[list.range()]
    }
}

/// Counts the accesses to arenas and lists on the present thread, where debug assertions are on: a
/// measure of work that does not depend on clocks, for the compiler's unit tests.
#[cfg(debug_assertions)]
pub mod count {
    use std::cell::Cell;

    thread_local! {
        static ACCESSES: Cell<u64> = const { Cell::new(0) };
    }

    /// Adds to the count: what is gone through elsewhere is added by who goes through it.
    #[inline]
    pub fn add(number: u64) {
        ACCESSES.set(ACCESSES.get() + number);
    }

    /// Returns the number of items that have been accessed.
    #[must_use]
    pub fn accesses() -> u64 {
        ACCESSES.get()
    }
}

/// Counts nothing where debug assertions are off.
#[cfg(not(debug_assertions))]
pub mod count {
    /// Does nothing.
    #[inline]
    pub const fn add(_number: u64) {}
}
