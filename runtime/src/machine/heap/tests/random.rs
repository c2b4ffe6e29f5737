//! Random graphs under all kinds of collections.

use super::mirror::{Mirror, Node, Value};
use super::*;
use crate::gcode::program::GlobalId;

/// Dice: xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

impl Mirror {
    fn push(&mut self, value: Value, word: Word) {
        self.stack.push(value);
        self.machine.push(word);
    }

    /// Pushes a random word of the stack, or an immediate one.
    fn push_any(&mut self, dice: &mut Dice) {
        if self.stack.is_empty() || dice.below(4) == 0 {
            let word = match dice.below(4) {
                0 => Word::con(NIL),
                1 => Word::char('x'),
                2 => Word::function(GlobalId(dice.below(5) as u32)),
                _ => int(dice.below(1000) as i64 - 500),
            };
            self.push(Value::Is(word), word);
            return;
        }
        let at = dice.below(self.stack.len());
        self.push(self.stack[at], self.machine.words.stack[at]);
    }

    fn build(&mut self, kind: Kind, info: u32, fields: usize) {
        self.machine.build(kind, info, fields).expect("no limit");
        let fields = self.stack.split_off(self.stack.len() - fields);
        self.nodes.push(Node::Fields(kind, info, fields));
        self.stack.push(Value::Node(self.nodes.len() - 1));
    }

    /// Pushes a random node.
    fn push_node(&mut self, dice: &mut Dice) {
        let fields = match dice.below(20) {
            0 => 20 + dice.below(100),
            n => 1 + n % 4,
        };
        match dice.below(15) {
            0..=4 => {
                (0..fields).for_each(|_| self.push_any(dice));
                self.build(Kind::Con, dice.below(3) as u32, fields);
            }
            5 | 6 => {
                (0..fields).for_each(|_| self.push_any(dice));
                self.build(Kind::Thunk, 3 + dice.below(3) as u32, fields);
            }
            7 => {
                self.push_any(dice);
                self.build(Kind::Thunk, [FST, SND][dice.below(2)], 1);
            }
            8 => {
                (0..fields).for_each(|_| self.push_any(dice));
                self.build(Kind::Pap, dice.below(9) as u32, fields);
            }
            9 => {
                self.machine.reserve(fields + 1).expect("no limit");
                let unfilled = Header::UNFILLED;
                // SAFETY: room was made.
                let word =
                    unsafe { self.machine.heap.alloc_empty(Kind::Hole, unfilled, size(fields)) };
                self.nodes.push(Node::Hole(unfilled, fields));
                self.push(Value::Node(self.nodes.len() - 1), word);
            }
            10 => {
                self.machine.push_big(1 + dice.below(DOUBLINGS) as u32);
                // SAFETY: it is a pointer.
                let value = unsafe { self.machine.heap.integer(self.machine.top()) };
                let value = value.expect("an integer").into_owned();
                self.nodes.push(Node::Big(value));
                self.stack.push(Value::Node(self.nodes.len() - 1));
            }
            11 | 12 => {
                let len = [0, fields, 9 * fields, 40 * fields][dice.below(4)];
                self.push_any(dice);
                self.machine.build_array(len);
                let fill = self.stack.pop().expect("pushed");
                self.nodes.push(Node::Array(vec![fill; len]));
                self.stack.push(Value::Node(self.nodes.len() - 1));
            }
            13 => {
                let len = [0, fields, 9 * fields, 400 * fields][dice.below(4)];
                let bytes: Vec<u8> = (0..len).map(|_| dice.below(256) as u8).collect();
                self.machine.push_bytes(&bytes);
                self.nodes.push(Node::Bytes(bytes));
                self.stack.push(Value::Node(self.nodes.len() - 1));
            }
            _ => {
                let offset = dice.below(100) as i64;
                self.push(Value::Is(int(offset)), int(offset));
                self.build(Kind::Text, 3, 1);
                if let Some(node) = self.nodes.last_mut() {
                    *node = Node::Text(3, offset);
                }
            }
        }
    }

    /// Changes a random node that is no value.
    fn change(&mut self, dice: &mut Dice) {
        if self.stack.is_empty() {
            return;
        }
        let at = dice.below(self.stack.len());
        let (value, word) = (self.stack[at], self.machine.resolve(self.machine.words.stack[at]));
        // The heap may have reduced a selection where the table has not.
        let mut value = value;
        while let Value::Node(node) = value
            && let Node::Ind(to) = self.nodes[node]
        {
            value = to;
        }
        let Value::Node(node) = value else { return };
        if !word.is_pointer() {
            return;
        }
        let header = self.machine.header(word);
        match (self.nodes[node].clone(), header.kind()) {
            // What is a selection here may be something else there.
            (Node::Fields(Kind::Thunk, FST | SND, _), _) => {}
            (Node::Fields(Kind::Thunk, info, fields), Kind::Thunk) => match dice.below(3) {
                0 => {
                    // SAFETY: it is a thunk.
                    unsafe { self.machine.heap.black_hole(word) };
                    self.nodes[node] = Node::Hole(info, fields.len());
                }
                _ => self.update(node, word, dice),
            },
            (Node::Hole(Header::UNFILLED, words), Kind::Hole) => {
                let kind = [Kind::Con, Kind::Thunk, Kind::Pap][dice.below(3)];
                let start = self.stack.len();
                (0..words).for_each(|_| self.push_any(dice));
                let fields = self.stack.split_off(start);
                let filled = self.machine.words.stack.split_off(start);
                self.machine.words.changed(start);
                // SAFETY: the hole has so many payload words.
                let pointer = unsafe { self.machine.heap.fill(word, kind, 4, &filled) };
                self.nodes[node] = Node::Fields(kind, 4, fields);
                self.push(Value::Node(node), pointer);
            }
            (Node::Hole(..), Kind::Hole) => self.update(node, word, dice),
            (Node::Array(elements), Kind::Array) if !elements.is_empty() => {
                if dice.below(4) == 0 {
                    self.copy_elements(node, word, dice);
                    return;
                }
                let index = dice.below(elements.len());
                self.push_any(dice);
                let (to, to_word) = (self.stack.pop().expect("pushed"), self.machine.pop());
                self.machine.write(word, index, to_word);
                if let Node::Array(elements) = &mut self.nodes[node] {
                    elements[index] = to;
                }
            }
            (Node::Bytes(bytes), Kind::Bytes) => {
                let from = dice.below(bytes.len() + 1);
                let len = dice.below(bytes.len() - from + 1);
                self.push(Value::Node(node), word);
                self.machine.reserve(SLICE_WORDS).expect("no limit");
                let whole = self.machine.pop();
                let whole = self.machine.resolve(whole);
                self.stack.pop();
                // SAFETY: room was made, and the byte string has these bytes.
                let slice = unsafe { self.machine.heap.slice_bytes(whole, from, len) };
                self.nodes.push(Node::Bytes(bytes[from..from + len].to_vec()));
                self.push(Value::Node(self.nodes.len() - 1), slice);
            }
            _ => {}
        }
    }

    /// Copies elements of a random array to another one, if one is on the stack.
    fn copy_elements(&mut self, target: usize, target_word: Word, dice: &mut Dice) {
        let at = dice.below(self.stack.len());
        let source_word = self.machine.resolve(self.machine.words.stack[at]);
        let Some(Value::Node(source)) = self.value(self.stack[at]) else { return };
        let (Node::Array(from), Node::Array(to)) = (&self.nodes[source], &self.nodes[target])
        else {
            return;
        };
        if !source_word.is_pointer() || self.machine.kind(source_word) != Kind::Array {
            return;
        }
        let (first, start) = (dice.below(from.len() + 1), dice.below(to.len() + 1));
        let count = dice.below((from.len() - first).min(to.len() - start) + 1);
        let copied = from[first..first + count].to_vec();
        // SAFETY: both are arrays with so many elements there.
        unsafe {
            self.machine.heap.copy_elements((source_word, first), (target_word, start), count);
        }
        if let Node::Array(to) = &mut self.nodes[target] {
            to[start..start + count].copy_from_slice(&copied);
        }
    }

    /// Makes a node an indirection to a random word that does not lead back to it.
    fn update(&mut self, node: usize, word: Word, dice: &mut Dice) {
        self.push_any(dice);
        let (to, to_word) = (self.stack.pop().expect("pushed"), self.machine.pop());
        if self.leads_to(to, node) {
            return;
        }
        self.machine.update(word, to_word);
        self.nodes[node] = Node::Ind(to);
    }

    /// Whether indirections and selections from a value pass a node.
    fn leads_to(&self, mut value: Value, node: usize) -> bool {
        for _ in 0..1000 {
            match value {
                Value::Node(at) if at == node => return true,
                Value::Node(at) => match &self.nodes[at] {
                    Node::Ind(to) => value = *to,
                    Node::Fields(Kind::Thunk, FST | SND, _) => return true,
                    _ => return false,
                },
                Value::Is(_) => return false,
            }
        }
        true
    }
}

fn run(seed: u64, steps: usize, config: Config) {
    let machine = Machine::new(config, selectors());
    let mut mirror = Mirror { machine, nodes: Vec::new(), stack: Vec::new() };
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for step in 0..steps {
        match dice.below(16) {
            0..=8 => mirror.push_node(&mut dice),
            9..=11 => mirror.change(&mut dice),
            12 if mirror.stack.len() > 5 => {
                let rest = dice.below(5);
                mirror.stack.truncate(mirror.stack.len() - rest);
                mirror.machine.words.stack.truncate(mirror.stack.len());
                mirror.machine.words.changed(mirror.stack.len());
            }
            13 if !mirror.stack.is_empty() => {
                let at = dice.below(mirror.stack.len());
                mirror.stack[at] = Value::Is(Word::ZERO);
                mirror.machine.set(at, Word::ZERO);
            }
            14 if dice.below(8) == 0 => {
                let (nodes, bytes) = mirror.machine.count_live();
                mirror.machine.full();
                assert_eq!(mirror.machine.count_live(), (nodes, bytes), "seed {seed}, step {step}");
                assert_eq!(mirror.machine.heap.old_bytes(), bytes, "seed {seed}, step {step}");
            }
            15 if dice.below(4) == 0 => mirror.machine.minor(),
            _ => {}
        }
        if step % 64 == 63 {
            mirror.machine.verify();
            mirror.compare();
        }
    }
}

/// Steps of a run; Miri takes a thousand times as long.
const STEPS: usize = if cfg!(miri) { 256 } else { 3000 };

/// How often an integer is doubled, at most.
const DOUBLINGS: usize = if cfg!(miri) { 150 } else { 3000 };

/// So many seeds, from the first on.
fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    first..first + if cfg!(miri) { 2 } else { count }
}

#[test]
fn graphs_stay_what_they_are() {
    for seed in seeds(0, 30) {
        let config = Config { nursery_words: 512, poison: true, ..Config::default() };
        run(seed, STEPS, config);
    }
}

#[test]
fn graphs_stay_what_they_are_with_a_mark_stack_of_no_place() {
    for seed in seeds(100, 30) {
        let mark_stack = Some(seed as usize % 3);
        let config = Config { nursery_words: 2000, mark_stack, poison: true, ..Config::default() };
        run(seed, STEPS / 3 * 2, config);
    }
}

#[test]
fn graphs_stay_what_they_are_when_each_reservation_collects() {
    for seed in seeds(200, 10) {
        let stress = if seed % 2 == 0 { Stress::Minor } else { Stress::Full };
        run(seed, STEPS / 4, Config { stress, poison: true, ..Config::default() });
    }
}
