//! Limits hold, and the heap is usable after one was reached.

use super::*;

fn limited(limit: u64) -> Machine {
    Machine::new(Config { limit: Some(limit), poison: true, ..Config::default() }, selectors())
}

#[test]
#[cfg_attr(miri, ignore = "too large")]
fn what_lives_may_take_nearly_all_that_the_limit_allows() {
    for limit in [1 << 20, 3 << 20, 20 << 20] {
        let mut machine = limited(limit);
        machine.push(Word::con(NIL));
        let mut cells = 0;
        while machine.reserve(3) == Ok(()) {
            machine.push(int(cells));
            machine.words.stack.swap(0, 1);
            machine.words.changed(0);
            machine.build(Kind::Con, CONS.0, 2).expect("reserved");
            assert!(machine.heap.footprint() <= limit, "{}", machine.heap.footprint());
            cells += 1;
        }
        machine.words.changed(0);
        let live = cells as u64 * 24;
        assert!(live > limit / 100 * 85, "{live} of {limit}");
        assert_eq!(machine.list(machine.top()).len() as i64, cells);
        let counters = machine.heap.counters();
        assert!(counters.full < 100 && counters.peak_bytes <= limit, "{counters:?}");
        // With half of it gone there is room again.
        let mut half = machine.pop();
        for _ in 0..cells / 2 {
            half = machine.field(half, 1);
        }
        machine.push(half);
        machine.push_list(cells / 3).expect("room");
        machine.verify();
    }
}

#[test]
fn what_the_machine_has_outside_counts() {
    let mut machine = limited(4 << 20);
    machine.minor();
    machine.push_list(1000).expect("room");
    assert!(machine.heap.can_grow(1 << 20));
    assert!(!machine.heap.can_grow(4 << 20));
    machine.heap.set_outside(7 << 19);
    assert!(!machine.heap.can_grow(1 << 20));
    let need = Need { words: 0, bytes: 1 << 20 };
    assert_eq!(machine.collect(need), Err(Full::Limit));
    machine.heap.set_outside(1 << 20);
    assert_eq!(machine.collect(need), Ok(()));
    assert!(machine.heap.can_grow(1 << 20));
    machine.words.changed(0);
    machine.verify();
}

#[test]
#[cfg_attr(miri, ignore = "too large")]
fn big_integers_count() {
    let limit = 4 << 20;
    let mut machine = limited(limit);
    let value = Integer::parse(&"9".repeat(100_000)).expect("digits");
    let bytes = value.heap_bytes() as u64;
    let mut count = 0;
    loop {
        let need = Need { words: integer_words(&value), bytes: bytes + 100 };
        if (!machine.heap.fits(need.words) || !machine.heap.can_grow(need.bytes))
            && machine.collect(need) == Err(Full::Limit)
        {
            break;
        }
        // SAFETY: room was made.
        let node = unsafe { machine.heap.int(value.clone()) };
        machine.push(node);
        count += 1;
        assert!(machine.heap.footprint() <= limit);
    }
    assert!(count * bytes > limit / 100 * 90, "{count} integers of {bytes} bytes");
    machine.verify();
    machine.words.stack.clear();
    machine.words.changed(0);
    machine.full();
    machine.verify();
    assert_eq!(machine.heap.live_bytes(), 0);
}

#[test]
fn a_reservation_larger_than_the_nursery_makes_it_larger_once() {
    let mut machine = Machine::small(600);
    machine.reserve(100_000).expect("room");
    assert!(machine.heap.fits(100_000));
    machine.minor();
    assert!(!machine.heap.fits(100_000));
    let mut machine = limited(1 << 20);
    assert_eq!(machine.reserve(1 << 20), Err(Full::Limit));
    assert_eq!(machine.reserve(usize::MAX), Err(Full::Limit));
    assert_eq!(machine.reserve(usize::MAX / 8), Err(Full::Limit));
    assert_eq!(machine.reserve(1 << 10), Ok(()));
}

#[test]
#[cfg_attr(miri, ignore = "too large")]
fn a_limit_may_change() {
    let mut machine = Machine::new(Config::default(), selectors());
    machine.push_list(100_000).expect("no limit");
    machine.heap.set_limit(Some(1 << 20));
    assert_eq!(machine.reserve(3), Err(Full::Limit));
    machine.heap.set_limit(Some(4 << 20));
    machine.reserve(3).expect("room");
    assert!(machine.heap.footprint() <= 4 << 20);
    for limit in [1 << 20, 300 << 10, 150 << 10] {
        machine.words.stack.clear();
        machine.words.changed(0);
        machine.heap.set_limit(Some(limit));
        machine.push_list(1000).expect("room");
        assert!(machine.heap.footprint() <= limit, "{} of {limit}", machine.heap.footprint());
    }
    machine.heap.set_limit(None);
    machine.push_list(500_000).expect("no limit");
    machine.verify();
}

#[test]
fn more_words_than_an_address_space_has_are_refused() {
    let mut machine = Machine::small(600);
    machine.push_list(10).expect("room");
    for words in [usize::MAX / 8, usize::MAX / 10, usize::MAX / 16] {
        assert_eq!(machine.reserve(words), Err(Full::System), "{words}");
        machine.verify();
    }
    assert_eq!(machine.reserve(usize::MAX), Err(Full::Limit));
    machine.reserve(3).expect("room");
    assert_eq!(machine.list(machine.top()), (0..10).collect::<Vec<i64>>());
}

#[test]
fn a_large_node_that_the_system_has_no_memory_for_gets_that_of_the_reserve() {
    let mut machine = Machine::small(600);
    machine.reserve(5_000).expect("room");
    (0..4_000).for_each(|n| machine.push(int(n)));
    machine.build(Kind::Con, PAIR.0, 4_000).expect("room");
    // As many as make it fail until spare chunks are given back.
    super::super::chunk::refuse_large(3);
    machine.tenure();
    assert_eq!(super::super::chunk::refuse_large(0), 0, "all were refused");
    machine.verify();
    assert!((0..4_000).all(|n| machine.field(machine.top(), n) == int(n as i64)));
    machine.push_list(1_000).expect("room");
    machine.full();
    machine.verify();
}
