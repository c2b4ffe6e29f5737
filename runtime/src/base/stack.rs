//! Recursion as deep as the input asks for.

/// The bytes of stack that must be left before a step of a recursion runs on it.
#[cfg(not(target_family = "wasm"))]
const RED_ZONE: usize = 64 * 1024;
/// The bytes of stack that are added when fewer are left.
#[cfg(not(target_family = "wasm"))]
const SEGMENT: usize = 4 * 1024 * 1024;
/// The bytes of stack that a task has that is known to recurse deeply.
#[cfg(not(target_family = "wasm"))]
const LARGE: usize = 32 * 1024 * 1024;

/// Runs one step of a recursion over a program, on a new segment of stack if the present one is
/// nearly used up. Every function that recurses over the depth of a source calls itself through
/// this one, so depth is limited by memory alone.
///
/// In WebAssembly the stack is the host's and cannot grow: there a source that is nested too deeply
/// ends in the host's own error, and the instance is lost.
#[inline(always)]
pub fn ensure_sufficient_stack<R>(step: impl FnOnce() -> R) -> R {
    #[cfg(target_family = "wasm")]
    return fixed::deeper(step);
    #[cfg(not(target_family = "wasm"))]
    stacker::maybe_grow(RED_ZONE, SEGMENT, step)
}

/// Runs a task on a segment of stack that is long enough for nearly all recursion. (A segment is given back when what
/// runs on it returns: a recursion that goes back and forth over the end of a short one has the same
/// memory mapped and cleared each time. What is not reached of a long one is addresses, and no memory.)
///
/// In WebAssembly it runs on the stack that there is.
#[inline(always)]
pub fn on_a_large_stack<R>(task: impl FnOnce() -> R) -> R {
    #[cfg(target_family = "wasm")]
    return task();
    #[cfg(not(target_family = "wasm"))]
    stacker::grow(LARGE, task)
}

/// Returns whether there is stack for recursion that can be done without, such as evaluation at
/// compile time: always, except where the stack cannot grow.
#[inline(always)]
pub fn has_room() -> bool {
    #[cfg(target_family = "wasm")]
    return fixed::has_room();
    #[cfg(not(target_family = "wasm"))]
    true
}

/// A stack that cannot grow: its depth is counted, because it cannot be measured.
#[cfg(target_family = "wasm")]
mod fixed {
    use std::cell::Cell;

    /// The steps of recursions up to which there is room, of a thousand or more that the stack of
    /// a browser's worker holds.
    const ROOM: u32 = 200;

    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }

    pub(super) fn deeper<R>(step: impl FnOnce() -> R) -> R {
        DEPTH.set(DEPTH.get() + 1);
        let result = step();
        DEPTH.set(DEPTH.get() - 1);
        result
    }

    pub(super) fn has_room() -> bool {
        DEPTH.get() < ROOM
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    /// Recurses over so many bytes of stack; returns in how many segments.
    fn segments(bytes: usize) -> usize {
        let before = stacker::remaining_stack().expect("a known stack");
        let frame = std::hint::black_box([0_u8; 16 * 1024]);
        let more = ensure_sufficient_stack(|| match bytes.checked_sub(frame.len()) {
            Some(rest) => {
                let is_new = stacker::remaining_stack().expect("a known stack") > before;
                usize::from(is_new) + segments(rest)
            }
            None => 1,
        });
        std::hint::black_box(frame);
        more
    }

    #[test]
    fn a_recursion_stays_on_one_segment_of_a_large_stack() {
        assert_eq!(on_a_large_stack(|| segments(LARGE / 4)), 1);
    }

    #[test]
    fn a_recursion_may_be_deeper_than_a_large_stack() {
        assert!(on_a_large_stack(|| segments(LARGE * 2)) > 1);
    }
}
