//! Censuses: a walk through the heap in place finds what a full collection would leave.

use super::*;

impl Machine {
    /// The nodes that are alive, and their bytes.
    pub(super) fn count_live(&mut self) -> (u64, u64) {
        let rows = self.count_by_root();
        rows.iter().fold((0, 0), |(nodes, bytes), row| (nodes + row.0, bytes + row.1))
    }

    /// For each word of the stack the nodes that it leads to, and no word before it does.
    fn count_by_root(&mut self) -> Vec<(u64, u64)> {
        let mut rows = vec![(0, 0); self.words.stack.len()];
        let mut walk = self.heap.walk_live();
        for (place, &word) in self.words.stack.iter().enumerate() {
            // SAFETY: the words are words of this heap.
            unsafe {
                walk.visit(word, place as u32, &mut |place, _, bytes| {
                    let row = &mut rows[place as usize];
                    *row = (row.0 + 1, row.1 + bytes);
                    place
                });
            }
        }
        rows
    }
}

/// Whoever comes first has what several lead to; nothing moves, so a young list stays one.
#[test]
fn each_node_is_counted_once_for_the_first_that_leads_to_it() {
    let mut machine = Machine::small(1000);
    machine.push_list(10).expect("room");
    let list = machine.top();
    let rest = machine.field(machine.field(list, 1), 1);
    machine.set(0, rest);
    machine.push(list);
    let collections = machine.heap.counters().minor;
    assert_eq!(machine.count_by_root(), [(8, 8 * 24), (2, 2 * 24)]);
    machine.words.stack.swap(0, 1);
    assert_eq!(machine.count_by_root(), [(10, 10 * 24), (0, 0)]);
    assert_eq!(machine.heap.counters().minor, collections);
    assert!(machine.heap.is_young(list));
}

/// A cell that is dead and old leads to all that follows it. A census does not go by that, where
/// a minor collection has to.
#[test]
fn what_only_the_dead_lead_to_is_not_alive() {
    let mut machine = Machine::small(1000);
    machine.push_list(1).expect("room");
    machine.tenure();
    machine.push(Word::ZERO);
    machine.build(Kind::Thunk, OTHER, 1).expect("room");
    machine.tenure();
    let thunk = machine.top();
    machine.push_list(5).expect("room");
    let young = machine.pop();
    machine.update(thunk, young);
    // The list follows the thunk, which nothing holds any more.
    machine.pop();
    assert_eq!(machine.count_live(), (1, 24));
    machine.minor();
    assert_eq!(machine.count_live(), (1, 24));
    machine.full();
    assert_eq!(machine.heap.old_bytes(), 24);
}

#[test]
fn a_selection_stands_for_its_field_and_an_indirection_for_its_end() {
    let mut machine = Machine::small(1000);
    // snd (snd (1, (2, list)))
    machine.push(int(1));
    machine.push(int(2));
    machine.push_list(3).expect("room");
    machine.build(Kind::Con, PAIR.0, 2).expect("room");
    machine.build(Kind::Con, PAIR.0, 2).expect("room");
    machine.build(Kind::Thunk, SND, 1).expect("room");
    machine.build(Kind::Thunk, SND, 1).expect("room");
    assert_eq!(machine.count_live(), (3, 3 * 24));
    // Of what is not evaluated nothing is selected.
    machine.push(Word::ZERO);
    machine.build(Kind::Thunk, OTHER, 1).expect("room");
    machine.build(Kind::Thunk, FST, 1).expect("room");
    assert_eq!(machine.count_by_root(), [(3, 3 * 24), (2, 2 * 16)]);
    machine.push(int(1));
    machine.build(Kind::Thunk, OTHER, 1).expect("room");
    let thunk = machine.top();
    machine.update(thunk, Word::char('x'));
    assert_eq!(machine.count_by_root()[2], (0, 0));
    let before = machine.count_live();
    machine.full();
    assert_eq!((machine.count_live(), machine.heap.old_bytes()), (before, before.1));
}

#[test]
fn what_a_thunk_under_evaluation_held_is_gone() {
    let mut machine = Machine::small(1000);
    for _ in 0..3 {
        machine.push_list(4).expect("room");
    }
    machine.build(Kind::Thunk, OTHER, 3).expect("room");
    let thunk = machine.top();
    // SAFETY: it is a thunk.
    unsafe { machine.heap.black_hole(thunk) };
    assert_eq!(machine.count_live(), (1, 16));
    machine.full();
    assert_eq!(machine.heap.old_bytes(), 16);
}

/// With a stack of no place all but the first of what a node leads to is found by going through
/// the marked nodes again.
#[test]
fn a_walk_that_has_no_room_finds_everything_all_the_same() {
    let mut machine = Machine::new(
        Config { nursery_words: 4000, mark_stack: Some(1), poison: true, ..Config::default() },
        selectors(),
    );
    for old in [true, false] {
        for _ in 0..40 {
            machine.push_list(5).expect("room");
        }
        machine.build(Kind::Con, 7, 40).expect("room");
        if old {
            machine.tenure();
        }
    }
    let each = (1 + 40 * 5, 41 * 8 + 40 * 5 * 24);
    assert_eq!(machine.count_by_root(), [each, each]);
}
