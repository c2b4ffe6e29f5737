//! AddressSanitizer's view of the heap.
//!
//! Nursery and chunks are one allocation each, so by itself AddressSanitizer sees what leaves
//! these. In a build with `--cfg gmachine_asan` (`tests/sanitize/run`) the heap also poisons
//! all of them that is not part of a node, so it sees what reads or writes free memory, or a
//! place that a collection has moved a node away from. In other builds these functions are
//! empty.

#[cfg(gmachine_asan)]
unsafe extern "C" {
    fn __asan_poison_memory_region(address: *const std::ffi::c_void, bytes: usize);
    fn __asan_unpoison_memory_region(address: *const std::ffi::c_void, bytes: usize);
}

/// Poisons `bytes` bytes of a nursery or chunk, which hold no node.
#[inline(always)]
pub(super) fn poison(address: usize, bytes: usize) {
    #[cfg(gmachine_asan)]
    // SAFETY: the sanitizer's run-time library writes its shadow memory, nothing else.
    unsafe {
        __asan_poison_memory_region(std::ptr::without_provenance(address), bytes);
    }
    #[cfg(not(gmachine_asan))]
    let _ = (address, bytes);
}

/// Makes `bytes` bytes of a nursery or chunk accessible again: a node will be there.
#[inline(always)]
pub(super) fn unpoison(address: usize, bytes: usize) {
    #[cfg(gmachine_asan)]
    // SAFETY: as for `poison`.
    unsafe {
        __asan_unpoison_memory_region(std::ptr::without_provenance(address), bytes);
    }
    #[cfg(not(gmachine_asan))]
    let _ = (address, bytes);
}
