//! Selections of evaluated constructors are reduced, others left alone.

use super::*;

/// Calls `then` with a machine whose collections are minor, and with one that has everything
/// in the old space and runs full ones.
fn both(then: impl Fn(&mut Machine, &dyn Fn(&mut Machine))) {
    then(&mut Machine::small(4000), &Machine::minor);
    then(&mut Machine::small(4000), &Machine::full);
}

/// Pushes a pair of a list of that many elements, and a number.
fn push_pair(machine: &mut Machine, len: i64) {
    machine.push_list(len).expect("room");
    machine.push(int(7));
    machine.build(Kind::Con, PAIR.0, 2).expect("room");
}

#[test]
fn a_selection_of_a_pair_does_not_keep_the_rest_of_it() {
    both(|machine, collect| {
        push_pair(machine, 20);
        machine.build(Kind::Thunk, SND, 1).expect("room");
        // The thunk is shared: both see the field.
        machine.push(machine.top());
        machine.build(Kind::Con, PAIR.0, 1).expect("room");
        machine.build(Kind::Con, PAIR.0, 1).expect("room");
        collect(machine);
        machine.verify();
        let inner = machine.field(machine.top(), 0);
        assert_eq!(machine.field(inner, 0), int(7));
        assert_eq!(machine.heap.live_bytes(), 32);
    });
}

#[test]
fn a_selection_of_what_is_not_evaluated_stays() {
    both(|machine, collect| {
        machine.push(int(1));
        machine.build(Kind::Thunk, OTHER, 1).expect("room");
        machine.build(Kind::Thunk, SND, 1).expect("room");
        // A constructor that the selector does not know.
        machine.push(int(1));
        machine.build(Kind::Con, NIL.0, 1).expect("room");
        machine.build(Kind::Thunk, SND, 1).expect("room");
        collect(machine);
        machine.verify();
        for at in 0..2 {
            assert_eq!(machine.kind(machine.words.stack[at]), Kind::Thunk);
        }
    });
}

#[test]
fn selections_of_selections_are_reduced_from_within() {
    both(|machine, collect| {
        // Pairs nested to the left, and as many selections around them.
        machine.push_list(3).expect("room");
        for n in 0..50 {
            machine.push(int(n));
            machine.build(Kind::Con, PAIR.0, 2).expect("room");
        }
        for _ in 0..50 {
            machine.build(Kind::Thunk, FST, 1).expect("room");
        }
        collect(machine);
        machine.verify();
        assert_eq!(machine.list(machine.top()), [0, 1, 2]);
        assert!(machine.top().is_con_pointer());
        assert_eq!(machine.heap.live_bytes(), 3 * 24);
    });
}

#[test]
fn selections_that_lead_back_to_themselves_stay() {
    both(|machine, collect| {
        // let x = fst (x, 1), and let y = fst y.
        let unfilled = Header::UNFILLED;
        for through_pair in [true, false] {
            machine.reserve(2).expect("room");
            // SAFETY: room was made.
            let hole = unsafe { machine.heap.alloc_empty(Kind::Hole, unfilled, Size::ONE) };
            machine.push(hole);
            machine.push(hole);
            if through_pair {
                machine.push(int(1));
                machine.build(Kind::Con, PAIR.0, 2).expect("room");
            }
            let (from, hole) = (machine.pop(), machine.pop());
            // SAFETY: the hole has a payload word.
            let thunk = unsafe { machine.heap.fill(hole, Kind::Thunk, FST, &[from]) };
            machine.push(thunk);
        }
        collect(machine);
        machine.verify();
        for at in 0..2 {
            assert_eq!(machine.kind(machine.words.stack[at]), Kind::Thunk);
        }
    });
}

#[test]
fn long_chains_of_selections_take_no_native_stack() {
    let selections: usize = if cfg!(miri) { 300 } else { 100_000 };
    let config = Config { nursery_words: 4 * selections, ..Config::default() };
    let mut machine = Machine::new(config, selectors());
    machine.push(int(0));
    machine.build(Kind::Thunk, OTHER, 1).expect("room");
    for _ in 0..selections {
        machine.build(Kind::Thunk, FST, 1).expect("room");
    }
    machine.minor();
    machine.full();
    machine.verify();
    assert_eq!(machine.heap.live_bytes(), 16 * (selections as u64 + 1));
}

#[test]
fn only_thunks_of_one_variable_are_selections() {
    both(|machine, collect| {
        push_pair(machine, 3);
        machine.push(int(1));
        // A thunk that has the number of a selector, and captures two variables.
        machine.build(Kind::Thunk, SND, 2).expect("room");
        machine.build(Kind::Thunk, FST, 1).expect("room");
        collect(machine);
        machine.verify();
        let inner = machine.field(machine.top(), 0);
        assert_eq!((machine.kind(inner), machine.header(inner).words()), (Kind::Thunk, 2));
        assert_eq!(machine.field(inner, 1), int(1));
    });
}
