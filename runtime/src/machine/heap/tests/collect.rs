//! What collections keep, drop and remove.

use super::*;
use crate::gcode::program::GlobalId;
use crate::machine::heap::word::{Tag, View};

#[test]
fn lists_survive_collections_of_both_kinds() {
    let mut machine = Machine::small(600);
    let most = if cfg!(miri) { 1000 } else { 20_000 };
    for len in [0, 1, 100, most] {
        machine.push_list(len).expect("no limit");
        machine.verify();
    }
    machine.full();
    machine.verify();
    for len in [most, 100, 1, 0] {
        let word = machine.pop();
        assert_eq!(machine.list(word), (0..len).collect::<Vec<i64>>());
    }
    let counters = machine.heap.counters();
    assert!(counters.minor > most as u64 / 2000 && counters.full == 1, "{counters:?}");
    assert!(counters.words_allocated as i64 >= 3 * (most + 101));
}

#[test]
#[cfg_attr(miri, ignore = "too large")]
fn memory_that_nothing_leads_to_goes_back_but_for_what_is_soon_used_again() {
    let cells = 1_500_000;
    let soon = super::super::old::MIN_DUE;
    let mut machine = Machine::small(1 << 15);
    machine.minor();
    let empty = machine.heap.footprint();
    machine.push_list(cells).expect("no limit");
    let full = machine.heap.footprint();
    assert!(full > empty + cells as u64 * 24 && cells as u64 * 24 > 2 * soon);
    machine.push_big(100);
    machine.pop();
    machine.pop();
    machine.full();
    machine.verify();
    assert_eq!(machine.heap.live_bytes(), 0);
    let kept = machine.heap.footprint();
    assert!(kept > empty && kept < empty + soon + 100_000, "{kept}");
    // As much can get old as before, and no more memory was asked for.
    machine.push_list(soon as i64 / 24 / 2).expect("no limit");
    assert_eq!(machine.heap.footprint(), kept);
    // Near a limit nothing is kept that something else could have.
    machine.heap.set_limit(Some(empty + 200_000));
    machine.pop();
    machine.full();
    assert!(machine.heap.footprint() <= empty + 200_000, "{}", machine.heap.footprint());
}

#[test]
fn old_nodes_that_are_updated_keep_young_ones_alive() {
    let mut machine = Machine::small(600);
    machine.push(int(1));
    machine.build(Kind::Thunk, OTHER, 1).expect("room");
    machine.tenure();
    machine.push_list(3).expect("room");
    let list = machine.pop();
    let thunk = machine.top();
    assert!(machine.heap.is_young(list) && !machine.heap.is_young(thunk));
    machine.update(thunk, list);
    machine.verify();
    machine.minor();
    machine.verify();
    // The stack was not visited: the indirection is still there.
    assert_eq!(machine.list(machine.top()), [0, 1, 2]);
    assert_eq!(machine.heap.counters().longest_remembered, 1);
    // A collection that visits the word removes it.
    machine.full();
    assert_eq!(machine.top().view(), View::Node(Tag::Con));
}

#[test]
fn a_word_that_becomes_a_pointer_to_something_younger_is_visited_again() {
    let mut machine = Machine::small(4000);
    machine.push(int(1));
    machine.build(Kind::Thunk, OTHER, 1).expect("room");
    machine.minor();
    // The thunk has survived once; what it is updated with has not.
    machine.push_list(3).expect("room");
    let (list, thunk) = (machine.pop(), machine.top());
    assert!(machine.heap.is_young(thunk));
    machine.update(thunk, list);
    for round in 0..3 {
        machine.minor();
        machine.verify();
        assert_eq!(machine.heap.is_young(machine.top()), round == 0);
        assert_eq!(machine.list(machine.top()), [0, 1, 2]);
    }
}

#[test]
fn a_hole_that_is_filled_when_it_is_old_keeps_its_fields() {
    for kind in [Kind::Con, Kind::Thunk, Kind::Pap] {
        let mut machine = Machine::small(600);
        machine.reserve(3).expect("room");
        // SAFETY: room was made.
        let hole = unsafe { machine.heap.alloc_empty(Kind::Hole, Header::UNFILLED, size(2)) };
        machine.push(hole);
        machine.full();
        machine.minor();
        machine.push_list(2).expect("room");
        let (list, hole) = (machine.pop(), machine.pop());
        // SAFETY: the hole has two payload words.
        let filled = unsafe { machine.heap.fill(hole, kind, 0, &[list, hole]) };
        machine.push(filled);
        machine.verify();
        machine.minor();
        machine.verify();
        let node = machine.top();
        assert_eq!((machine.kind(node), machine.list(machine.field(node, 0))), (kind, vec![0, 1]));
        assert_eq!(machine.field(node, 1).address(), node.address());
        machine.full();
        machine.verify();
        assert_eq!(machine.field(machine.top(), 1).address(), machine.top().address());
    }
}

#[test]
fn indirections_are_removed_and_tags_improved() {
    for full in [false, true] {
        let mut machine = Machine::small(4000);
        machine.push_list(1).expect("room");
        let list = machine.pop();
        for _ in 0..5 {
            machine.push(Word::ZERO);
            machine.build(Kind::Thunk, OTHER, 1).expect("room");
            let (thunk, value) = (machine.top(), machine.words.stack.first().copied());
            let to = if machine.words.stack.len() == 1 { list } else { value.expect("a word") };
            machine.update(thunk, to);
            machine.set(0, thunk);
            machine.words.stack.truncate(1);
        }
        if full {
            machine.full()
        } else {
            machine.minor()
        }
        machine.verify();
        assert_eq!(machine.top().view(), View::Node(Tag::Con));
        assert_eq!(machine.heap.live_bytes(), 24, "nothing but the cell is copied");
    }
}

#[test]
fn a_black_hole_keeps_nothing_alive_and_shrinks() {
    for full in [false, true] {
        let mut machine = Machine::small(4000);
        machine.push_list(10).expect("room");
        machine.push(int(1));
        machine.push(int(2));
        machine.build(Kind::Thunk, OTHER, 3).expect("room");
        if full {
            machine.full();
        }
        // SAFETY: it is a thunk.
        unsafe { machine.heap.black_hole(machine.top()) };
        if full {
            machine.full()
        } else {
            machine.minor()
        }
        machine.verify();
        assert_eq!(machine.heap.live_bytes(), 16);
        let header = machine.header(machine.top());
        assert_eq!((header.kind(), header.words(), header.info()), (Kind::Hole, 1, OTHER));
    }
}

#[test]
fn big_integers_are_counted_and_dropped() {
    let mut machine = Machine::small(600);
    let (count, doublings) = if cfg!(miri) { (20, 200) } else { (200, 4000) };
    for power in 0..count {
        machine.push_big(doublings / count as u32 * power as u32);
    }
    machine.verify();
    let all = machine.heap.live_bytes();
    for at in (0..count).step_by(2) {
        machine.set(at, Word::ZERO);
    }
    machine.full();
    machine.verify();
    assert!(machine.heap.live_bytes() < all * 6 / 10);
    let mut value = Integer::from(i64::MAX);
    for at in 0..count {
        if at % 2 == 1 {
            // SAFETY: these are pointers.
            let word = unsafe { machine.heap.integer(machine.words.stack[at]) };
            assert_eq!(word.as_deref(), Some(&value));
        }
        (0..doublings / count as u32).for_each(|_| value = value.add(&value));
    }
}

#[test]
#[cfg_attr(miri, ignore = "too large")]
fn many_large_integers_make_a_collection_due() {
    let mut machine = Machine::small(1 << 17);
    let value = Integer::parse(&"9".repeat(100_000)).expect("digits");
    for _ in 0..1000 {
        machine.reserve(integer_words(&value)).expect("room");
        // SAFETY: room was made.
        unsafe { machine.heap.int(value.clone()) };
        assert!(machine.heap.footprint() < 10 << 20);
    }
    assert!(machine.heap.counters().minor > 5);
}

#[test]
fn nodes_larger_than_a_chunk_have_one_of_their_own() {
    let mut machine = Machine::small(600);
    let most = if cfg!(miri) { 1200 } else { 5_000 };
    for len in [63, 64, 65, 500, most] {
        for n in 0..len {
            machine.push(int(n));
            machine.build(Kind::Con, PAIR.0, 1).expect("room");
        }
        machine.build(Kind::Con, PAIR.0, len as usize).expect("room");
    }
    machine.minor();
    machine.verify();
    machine.full();
    machine.verify();
    let (large, small) = (machine.words.stack[4], machine.words.stack[1]);
    for (node, len) in [(large, most as usize), (small, 64)] {
        for n in 0..len {
            let pair = machine.field(node, n);
            assert_eq!(machine.field(pair, 0), int(n as i64));
        }
    }
    let before = machine.heap.footprint();
    machine.words.stack.clear();
    machine.words.changed(0);
    machine.full();
    machine.verify();
    assert!(machine.heap.footprint() < before - 8 * most as u64);
    assert_eq!(machine.heap.live_bytes(), 0);
}

#[test]
fn cafs_live_as_long_as_code_can_reach_them() {
    let mut machine = Machine::small(600);
    for caf in 0..4 {
        machine.push_list(10).expect("room");
        let list = machine.pop();
        machine.words.cafs.insert(caf, list);
    }
    // A function in a field, a thunk, a partial application lead to one each.
    machine.words.reaches = (0..3).map(|caf| (100 + caf, vec![caf])).collect();
    machine.push(Word::function(GlobalId(100)));
    machine.build(Kind::Con, PAIR.0, 1).expect("room");
    machine.push(int(0));
    machine.build(Kind::Thunk, 101, 1).expect("room");
    machine.push(int(0));
    machine.build(Kind::Pap, 102, 1).expect("room");
    machine.full();
    machine.verify();
    assert_eq!(machine.words.cafs.keys().copied().collect::<Vec<_>>(), [0, 1, 2]);
    for (caf, left) in [(2, vec![0, 1]), (1, vec![0]), (0, vec![])] {
        assert_eq!(machine.list(machine.words.cafs[&caf]), (0..10).collect::<Vec<i64>>());
        machine.pop();
        machine.full();
        machine.verify();
        assert_eq!(machine.words.cafs.keys().copied().collect::<Vec<_>>(), left);
    }
}

#[test]
fn suspended_evaluations_live_as_long_as_their_nodes() {
    let mut machine = Machine::small(600);
    // The second one is reached through the words of the first.
    machine.push_list(5).expect("room");
    let list = machine.pop();
    machine.words.records.insert(2, vec![list]);
    machine.push(int(2));
    machine.build(Kind::Suspended, 0, 1).expect("room");
    let second = machine.pop();
    machine.words.records.insert(1, vec![int(7), second]);
    machine.words.records.insert(3, vec![list]);
    machine.push(int(1));
    machine.build(Kind::Suspended, 0, 1).expect("room");
    for _ in 0..3 {
        machine.full();
        machine.verify();
        assert_eq!(machine.words.records.keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(machine.list(machine.words.records[&2][0]), [0, 1, 2, 3, 4]);
        assert_eq!(machine.kind(machine.words.records[&1][1]), Kind::Suspended);
    }
    machine.pop();
    machine.full();
    assert!(machine.words.records.is_empty());
}

#[test]
fn each_reservation_can_collect() {
    for (stress, minor, full) in [(Stress::Minor, 100, 0), (Stress::Full, 200, 100)] {
        let config = Config { stress, poison: true, ..Config::default() };
        let mut machine = Machine::new(config, selectors());
        machine.push_list(100).expect("room");
        machine.verify();
        assert_eq!(machine.list(machine.top()), (0..100).collect::<Vec<i64>>());
        let counters = machine.heap.counters();
        assert_eq!((counters.minor, counters.full), (minor, full));
    }
}
