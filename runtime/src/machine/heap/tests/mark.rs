//! Deep and wide graphs, and a mark stack that is too small for them.

use super::*;

/// A machine whose mark stack has that many places.
fn narrow(places: usize) -> Machine {
    let config = Config { mark_stack: Some(places), ..Config::default() };
    Machine::new(config, selectors())
}

const LEN: i64 = if cfg!(miri) { 600 } else { 100_000 };

/// Of the capacities of the mark stack that a test goes through.
const RUNS: usize = if cfg!(miri) { 1 } else { 3 };

/// Fields of a wide node.
const WIDE: i64 = if cfg!(miri) { 80 } else { 300 };

#[test]
fn lists_and_chains_need_no_mark_stack() {
    for places in [1, 3, 40].into_iter().take(RUNS) {
        lists_and_chains(narrow(places));
    }
}

fn lists_and_chains(mut machine: Machine) {
    machine.push_list(LEN).expect("room");
    // A list of lists.
    machine.push(Word::con(NIL));
    for _ in 0..LEN / 10 {
        machine.push_list(3).expect("room");
        let inner = machine.pop();
        let tail = machine.pop();
        machine.push(inner);
        machine.push(tail);
        machine.build(Kind::Con, CONS.0, 2).expect("room");
    }
    // A chain of thunks.
    machine.push(int(0));
    for n in 0..LEN {
        machine.push(int(n));
        machine.build(Kind::Thunk, OTHER, 2).expect("room");
    }
    machine.full();
    machine.verify();
    assert_eq!(machine.heap.counters().rescans, 0);
    assert_eq!(machine.list(machine.words.stack[0]).len() as i64, LEN);
}

#[test]
fn a_mark_stack_that_overflows_costs_a_few_scans() {
    let mut machine = narrow(1);
    // The first field leads on, and a pair of pairs waits at each step.
    machine.push(int(0));
    for n in 0..LEN {
        machine.push(int(n));
        machine.build(Kind::Con, PAIR.0, 1).expect("room");
        machine.build(Kind::Con, PAIR.0, 1).expect("room");
        machine.build(Kind::Thunk, OTHER, 2).expect("room");
    }
    machine.full();
    machine.verify();
    let rescans = machine.heap.counters().rescans;
    assert!((1..10).contains(&rescans), "{rescans}");
    let mut at = machine.top();
    for n in (0..LEN).rev() {
        assert_eq!(machine.field(machine.field(machine.field(at, 1), 0), 0), int(n));
        at = machine.field(at, 0);
    }
}

#[test]
fn what_many_wait_for_is_marked_whatever_the_room() {
    // A tuple of pairs of pairs of lists, each of which waits for the others.
    for places in [0, 1, 2, 10, 40, 1000].into_iter().take(2 * RUNS) {
        let mut machine = narrow(places);
        for n in 0..WIDE {
            machine.push_list(n % 5).expect("room");
            machine.build(Kind::Con, PAIR.0, 1).expect("room");
            machine.build(Kind::Con, PAIR.0, 1).expect("room");
        }
        machine.build(Kind::Con, PAIR.0, WIDE as usize).expect("room");
        machine.full();
        machine.verify();
        let rescans = machine.heap.counters().rescans;
        assert_eq!(rescans > 0, places < 100, "{places} places: {rescans}");
        for n in 0..WIDE {
            let pair = machine.field(machine.top(), n as usize);
            assert_eq!(machine.list(machine.field(machine.field(pair, 0), 0)).len() as i64, n % 5);
        }
    }
}

#[test]
fn nodes_that_end_anywhere_in_a_block_find_their_places() {
    let mut machine = Machine::new(Config { poison: true, ..Config::default() }, selectors());
    let largest = if cfg!(miri) { 66 } else { 130 };
    let mut sizes: Vec<usize> = (1..=largest).flat_map(|size| [size, size % 7 + 1]).collect();
    for &size in &sizes {
        (0..size).for_each(|n| machine.push(int(n as i64)));
        machine.build(Kind::Con, PAIR.0, size).expect("room");
    }
    machine.tenure();
    // Each time other ones die.
    for dead in [7, 5, 3, 2] {
        let mut at = 0..;
        machine.words.stack.retain(|_| at.next().is_some_and(|at| at % dead != 0));
        let mut at = 0..;
        sizes.retain(|_| at.next().is_some_and(|at| at % dead != 0));
        machine.words.changed(0);
        machine.full();
        machine.verify();
        for (&node, &size) in machine.words.stack.iter().zip(&sizes) {
            assert_eq!(machine.header(node).words(), size);
            assert!((0..size).all(|n| machine.field(node, n) == int(n as i64)));
        }
    }
}

#[test]
fn long_chains_of_indirections_are_followed_once() {
    for old in [false, true] {
        let mut machine = Machine::new(
            Config { nursery_words: 40 * LEN as usize, ..Config::default() },
            selectors(),
        );
        let first = LEN as usize;
        for _ in 0..=LEN {
            machine.push(int(7));
            machine.build(Kind::Thunk, OTHER, 1).expect("room");
        }
        if old {
            machine.minor();
        }
        // Each leads to the next, and the stack to all of them: quadratic, if each pointer
        // walked to the end.
        for at in 0..first {
            let (node, next) = (machine.words.stack[at], machine.words.stack[at + 1]);
            machine.update(node, next);
        }
        machine.words.changed(0);
        if old {
            machine.full()
        } else {
            machine.minor()
        }
        machine.verify();
        assert!(machine.words.stack.iter().all(|word| *word == machine.top()));
        assert_eq!(machine.kind(machine.top()), Kind::Thunk);
    }
}
