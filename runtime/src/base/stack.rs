//! Recursion as deep as the input asks for.

/// The bytes of stack that must be left before a step of a recursion runs on it.
#[cfg(not(target_family = "wasm"))]
const RED_ZONE: usize = 64 * 1024;
/// The bytes of stack that are added when fewer are left.
#[cfg(not(target_family = "wasm"))]
const SEGMENT: usize = 4 * 1024 * 1024;

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
