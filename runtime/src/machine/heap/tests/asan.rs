//! AddressSanitizer knows which memory belongs to nodes.

use super::*;

unsafe extern "C" {
    fn __asan_address_is_poisoned(address: *const std::ffi::c_void) -> i32;
}

fn is_poisoned(address: usize) -> bool {
    // SAFETY: it reads the sanitizer's shadow memory.
    unsafe { __asan_address_is_poisoned(std::ptr::without_provenance(address)) != 0 }
}

#[test]
fn memory_outside_of_nodes_is_poisoned() {
    let mut machine = Machine::small(600);
    machine.push_list(1).expect("room");
    let young = machine.top().address();
    // Three words, and Eden goes on.
    assert!((0..3).all(|at| !is_poisoned(young + 8 * at)) && is_poisoned(young + 24));
    machine.tenure();
    let old = machine.top().address();
    assert!((0..3).all(|at| is_poisoned(young + 8 * at)), "where the node was");
    assert!((0..3).all(|at| !is_poisoned(old + 8 * at)) && is_poisoned(old + 24));
    machine.push_big(100);
    let big = machine.top().address();
    let words = machine.header(machine.top()).words();
    assert!(!is_poisoned(big + 8 * words) && is_poisoned(big + 8 * (words + 1)), "working copies");
    machine.words.stack.clear();
    machine.words.changed(0);
    machine.full();
    assert!(is_poisoned(old) && is_poisoned(big));
}
