//! How much work something is, without a clock: the bytes that its thread allocates, which are
//! the same each time and on any machine. What takes long and allocates nothing is not seen
//! here: the inputs are so large that it would not end.

/// The result of some work, and how many bytes were allocated for it.
pub fn allocated<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let info = allocation_counter::measure(|| result = Some(work()));
    (result.expect("it was called"), info.bytes_total)
}

/// Checks that the work for an input of a size is in proportion to the size.
#[track_caller]
pub fn is_linear(size: usize, work: impl Fn(usize)) {
    let [quarter, whole] = [size / 4, size].map(|size| allocated(|| work(size)).1);
    // Four times as much; a logarithm is allowed for.
    assert!(whole <= 6 * quarter, "{quarter} bytes for {}, {whole} for {size}", size / 4);
}

#[test]
fn work_that_is_quadratic_is_seen() {
    let rows = |count: usize, length: usize| {
        (0..count).for_each(|_| drop(std::hint::black_box(vec![0_u8; length])));
    };
    is_linear(400, |size| rows(size, 10));
    let quadratic = std::panic::catch_unwind(|| is_linear(400, |size| rows(size, size)));
    assert!(quadratic.is_err());
}
