//! What arrays and byte strings promise beyond being the graphs that they are.

use super::super::Counters;
use super::super::array::MAX_ELEMENTS;
use super::super::bytes::MAX_BYTES;
use super::*;

fn machine() -> Machine {
    Machine::small(512)
}

#[test]
fn a_collection_looks_at_the_dirty_cards_of_a_large_array_only() {
    let mut machine = machine();
    machine.push(Word::ZERO);
    machine.build_array(10_000);
    machine.tenure();
    for round in 0..20 {
        machine.push(int(round));
        machine.build(Kind::Con, PAIR.0, 1).expect("room");
        let pair = machine.pop();
        machine.write(machine.top(), 5000, pair);
        machine.write(machine.top(), 5001, pair);
        machine.verify();
        let before = machine.heap.counters().remembered;
        machine.minor();
        assert_eq!(machine.heap.counters().remembered, before + 1, "an array is remembered once");
        machine.verify();
        let elements = machine.elements(machine.top());
        assert_eq!(machine.field(elements[5000], 0), int(round));
        assert_eq!(elements[5000], elements[5001]);
    }
    // Survivors are promoted at the second collection; then nothing is to be remembered.
    machine.minor();
    machine.minor();
    let before = machine.heap.counters().remembered;
    machine.minor();
    assert_eq!(machine.heap.counters().remembered, before);
}

#[test]
fn what_an_old_array_no_longer_holds_is_collected() {
    let mut machine = machine();
    machine.push(Word::ZERO);
    machine.build_array(1000);
    machine.full();
    let empty = machine.heap.live_bytes();
    for at in 0..1000 {
        machine.push(int(at));
        machine.build(Kind::Con, PAIR.0, 1).expect("room");
        let pair = machine.pop();
        machine.write(machine.top(), at as usize, pair);
    }
    machine.full();
    assert_eq!(machine.heap.live_bytes(), empty + 1000 * 16);
    (0..1000).for_each(|at| machine.write(machine.top(), at, Word::ZERO));
    machine.full();
    assert_eq!(machine.heap.live_bytes(), empty);
}

#[test]
fn large_byte_strings_make_a_collection_due_and_are_collected() {
    let mut machine = machine();
    for _ in 0..100 {
        machine.push_bytes(&[7; 1 << 20]);
        machine.pop();
    }
    let Counters { full, large, .. } = machine.heap.counters();
    assert_eq!(large, 100);
    assert!(full >= 4, "{full} full collections for 100 MB that are dead");
    assert!(machine.heap.live_bytes() < 40 << 20);
}

#[test]
fn a_large_array_of_young_elements_is_remembered_when_it_is_made() {
    let mut machine = machine();
    machine.push(int(42));
    machine.build(Kind::Con, PAIR.0, 1).expect("room");
    machine.build_array(3000);
    assert!(!machine.heap.is_young(machine.top()));
    machine.verify();
    machine.minor();
    machine.verify();
    let elements = machine.elements(machine.top());
    assert!(elements.iter().all(|element| *element == elements[0]));
    assert_eq!(machine.field(elements[2999], 0), int(42));
}

#[test]
fn a_slice_keeps_its_buffer_and_shares_it() {
    let mut machine = machine();
    machine.push_bytes(b"one two three");
    machine.reserve(SLICE_WORDS).expect("room");
    let whole = machine.pop();
    // SAFETY: room was made, and there are so many bytes.
    let slice = unsafe { machine.heap.slice_bytes(whole, 4, 3) };
    machine.push(slice);
    machine.full();
    assert_eq!(machine.bytes(machine.top()), b"two");
    assert_eq!(machine.heap.live_bytes(), ((1 + 2) + (1 + 3)) * 8);
}

#[test]
fn the_most_elements_and_bytes_are_what_a_header_can_count() {
    assert!(array_need(MAX_ELEMENTS).is_some());
    assert!(array_need(MAX_ELEMENTS + 1).is_none());
    assert!(bytes_need(MAX_BYTES).is_some());
    assert!(bytes_need(MAX_BYTES + 1).is_none());
}
