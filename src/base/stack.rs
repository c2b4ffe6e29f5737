//! Recursion as deep as the input asks for.

/// The bytes of stack that must be left before a step of a recursion runs on it.
const RED_ZONE: usize = 64 * 1024;
/// The bytes of stack that are added when fewer are left.
const SEGMENT: usize = 4 * 1024 * 1024;

/// Runs one step of a recursion over a program, on a new segment of stack if the present one is
/// nearly used up. Every function that recurses over the depth of a source calls itself through
/// this one, so depth is limited by memory alone.
#[inline(always)]
pub fn ensure_sufficient_stack<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, step)
}
