//! The global allocator: the system's, except that a refused allocation that cannot fail ends
//! the process with a message and the exit code of a reached limit, where the standard library
//! would abort. To an allocation that can fail ([`is_fallible`]) it returns null: so heaps and
//! stacks of machines that the system refuses end a run with a report.
//!
//! The machine's own limit is checked before memory is asked for; this is the net under it, for
//! `ulimit -v` and for machines that are full.
#![allow(unsafe_code, reason = "a global allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

use gmachine::allocation::is_fallible;

use super::exit::Exit;
use super::output;

/// The system's allocator, whose refusal ends the process. See the module.
pub struct Allocator;

// SAFETY: every method hands its arguments on to the system's allocator unchanged and returns
// what that returned, so that allocator's guarantees are this one's. It may end the process
// instead, and it does not unwind.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are the same.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are the same.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's obligations are the same.
        checked(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

/// Returns `pointer`, or ends the process if it is null and the allocation cannot fail.
#[inline(always)]
fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && !is_fallible() {
        refused(size);
    }
    pointer
}

/// Reports that the system has refused an allocation, and ends the process. Allocates nothing.
#[cold]
fn refused(size: usize) -> ! {
    output::rescue();
    out_of_memory(Some(size))
}

/// Reports that the system has no more memory, and ends the process: also for a native stack or
/// thread that could not be made, of which the size is not known.
pub fn out_of_memory(size: Option<usize>) -> ! {
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(b"error[G0601]: the system has no more memory");
    if let Some(size) = size {
        let mut digits = [0; 20];
        let _ = stderr.write_all(b" (");
        let _ = stderr.write_all(decimal(size, &mut digits));
        let _ = stderr.write_all(b" bytes were asked for)");
    }
    let _ = stderr.write_all(
        b"\n  = help: a lower limit of the machine's own, like --max-heap 512M, ends with a full report\n",
    );
    Exit::Limit.now()
}

/// Writes `number` in decimal, at the end of `digits`.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    while at > 0 {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    &digits[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_without_allocating() {
        let mut digits = [0; 20];
        assert_eq!(decimal(0, &mut digits), b"0");
        assert_eq!(decimal(1_234_567, &mut digits), b"1234567");
        assert_eq!(decimal(usize::MAX, &mut digits), usize::MAX.to_string().as_bytes());
    }
}
