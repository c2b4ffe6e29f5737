//! The global allocator: the system's, except that a refused allocation that cannot fail ends
//! the process with a message and the exit code of a reached limit, where the standard library
//! would abort. To an allocation that can fail ([`is_fallible`]) it returns null: so heaps and
//! stacks of machines that the system refuses end a run with a report.
//!
//! The machine's own limit is checked before memory is asked for; this is the net under it, for
//! `ulimit -v` and for machines that are full. The compiler has no such limit of its own: what it uses
//! is counted here ([`bounded`]).
#![allow(unsafe_code, reason = "a global allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gmachine::allocation::is_fallible;

use super::exit::Exit;
use super::output;

/// The system's allocator, whose refusal ends the process. See the module.
pub struct Allocator;

/// The most bytes in use while they are counted; `usize::MAX` while they are not.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The bytes that have come into use since counting began; what was there before and goes is taken away
/// too, so it may wrap. One thread does nearly all: what another does at the same moment may be missed.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// The least bytes that are a limit for the compiler: every small program takes less.
const LEAST: u64 = 16 << 20;

/// Does work, and ends the process with a report and the exit code of a reached limit if it comes to use
/// more than so many bytes, or than a compiler of small programs needs.
pub fn bounded<T>(limit: u64, work: impl FnOnce() -> T) -> T {
    struct Counting;
    impl Drop for Counting {
        fn drop(&mut self) {
            MOST.store(usize::MAX, Relaxed);
        }
    }
    IN_USE.store(0, Relaxed);
    MOST.store(usize::try_from(limit.max(LEAST)).unwrap_or(usize::MAX), Relaxed);
    let _counting = Counting;
    work()
}

/// Notes that bytes have come into use and others have gone.
#[inline(always)]
fn note(come: usize, gone: usize) {
    let most = MOST.load(Relaxed);
    if most != usize::MAX {
        let in_use = IN_USE.load(Relaxed).wrapping_add(come).wrapping_sub(gone);
        IN_USE.store(in_use, Relaxed);
        if in_use.cast_signed() > most.cast_signed() {
            exceeded(most);
        }
    }
}

/// Reports that counted work has reached its limit, and ends the process.
#[cold]
fn exceeded(most: usize) -> ! {
    // The report allocates.
    MOST.store(usize::MAX, Relaxed);
    output::rescue();
    super::report::write(&super::limit::compiler_limit(most as u64));
    Exit::Limit.now()
}

// SAFETY: every method hands its arguments on to the system's allocator unchanged and returns
// what that returned, so that allocator's guarantees are this one's. It may end the process
// instead, and it does not unwind.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller's obligations are the same.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller's obligations are the same.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size());
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
