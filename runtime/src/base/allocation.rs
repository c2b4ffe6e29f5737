//! Allocations whose refusal is handled.
//!
//! A program may have a global allocator that ends the process when the system refuses memory,
//! as the command does, because nearly all allocations cannot fail otherwise. Some can: where the
//! machines ask for memory for their heaps and stacks, a refusal is a limit that a run has
//! reached, with a report, and the run can go on later. These requests are made in [`fallible`],
//! and such an allocator returns null to them, which it knows by [`is_fallible`].
//!
//! The mark is one flag of each thread: an allocator gets nothing but a layout.

use std::cell::Cell;

/// Why there is no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// A limit of ours is reached.
    Limit,
    /// The system refused an allocation below the limit.
    System,
}

thread_local! {
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
}

/// Calls `request`, all allocations in which may be refused.
pub fn fallible<T>(request: impl FnOnce() -> T) -> T {
    /// Restores the flag, after a panic too.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            FALLIBLE.set(self.0);
        }
    }
    let _restore = Restore(FALLIBLE.replace(true));
    request()
}

/// Returns whether the present thread handles a refusal of the allocation that it asks for. For
/// global allocators; does not allocate.
#[must_use]
pub fn is_fallible() -> bool {
    FALLIBLE.try_with(Cell::get).unwrap_or(false)
}

/// Returns whether the system gives so many bytes in one piece now. For work of a library whose own
/// allocations cannot fail.
#[must_use]
pub fn is_available(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    fallible(|| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_fallible_until_they_are_over() {
        assert!(!is_fallible());
        let inner = fallible(|| (is_fallible(), fallible(is_fallible), is_fallible()));
        assert_eq!(inner, (true, true, true));
        assert!(!is_fallible());
        assert!(std::panic::catch_unwind(|| fallible(|| panic!("in a request"))).is_err());
        assert!(!is_fallible());
    }
}
