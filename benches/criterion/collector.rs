//! The collector: what a minor and a full collection take, by the size of what lives, and
//! what allocation takes, by how much of it survives.
//!
//! ```text
//! cargo bench --bench collector                  # heaps of 10 and 100 MB
//! COLLECTOR_HUGE=1 cargo bench --bench collector # and of 1 GB
//! ```
//!
//! `elements_per_second` of the first two groups are bytes that live: where collections take
//! time linear in these, they are the same for all sizes.

#![allow(missing_docs, unsafe_code, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gmachine::gcode::program::ConId;
use gmachine::machine::heap::word::Word;
use gmachine::machine::heap::{Code, Config, Fields, Full, Heap, Kind, Mutator, Need, Selectors};

/// A machine that is a stack.
#[derive(Default)]
struct Stack {
    words: Vec<Word>,
    clean: usize,
}

// SAFETY: all words outside of the heap are on the stack, and visited.
unsafe impl Mutator for Stack {
    fn young(&mut self, visit: &mut impl FnMut(&mut Word) -> bool) {
        let is_young: Vec<bool> = self.words[self.clean..].iter_mut().map(visit).collect();
        self.clean += is_young.iter().position(|is| *is).unwrap_or(is_young.len());
    }

    fn roots(&mut self, visit: &mut impl FnMut(&mut Word)) {
        self.words.iter_mut().for_each(visit);
    }

    fn code(&mut self, _: Code, _: &mut impl FnMut(&mut Word)) {}

    fn suspended(&mut self, _: i64, _: &mut impl FnMut(&mut Word)) {}

    fn sweep(&mut self, _: &mut impl FnMut(&mut Word) -> bool) {}

    fn cafs(&mut self, _: &mut impl FnMut(&mut Word)) {}
}

struct Machine {
    heap: Heap,
    stack: Stack,
}

impl Machine {
    fn new() -> Machine {
        Machine {
            heap: Heap::new(Config::default(), Selectors::default()),
            stack: Stack::default(),
        }
    }

    fn collect(&mut self, need: Need) -> Result<(), Full> {
        // SAFETY: the words of the stack are words of the heap.
        unsafe { self.heap.collect(need, &mut self.stack) }
    }

    fn collect_full(&mut self) -> Result<(), Full> {
        // SAFETY: as for `collect`.
        unsafe { self.heap.collect_full(Need::default(), &mut self.stack) }
    }

    /// A new constructor on the stack, of its uppermost words.
    fn build(&mut self, fields: usize) {
        if !self.heap.fits(1 + fields) {
            self.collect(Need::words(1 + fields)).unwrap();
        }
        let rest = self.stack.words.len() - fields;
        // SAFETY: there is room, and the words of the stack are words of the heap.
        let node = unsafe {
            let fields = Fields::new(&self.stack.words[rest..]).unwrap();
            self.heap.alloc(Kind::Con, ConId(1).0, fields)
        };
        self.stack.words.truncate(rest);
        self.stack.clean = self.stack.clean.min(rest);
        self.stack.words.push(node);
    }

    /// A list of that many bytes.
    fn list(&mut self, bytes: usize) {
        self.stack.words.push(Word::con(ConId(0)));
        for n in 0..bytes / 24 {
            self.stack.words.push(Word::int(n as i64).unwrap());
            self.build(2);
        }
    }

    /// Balanced trees with lists of two pairs as leaves, of that many bytes, built in an order
    /// that scatters the leaves.
    fn trees(&mut self, bytes: usize) {
        let leaves = (bytes / 112).next_power_of_two() / 2;
        for n in 0..leaves {
            for m in 0..2 {
                self.stack.words.push(Word::int((n * m) as i64).unwrap());
                self.stack.words.push(Word::int(m as i64).unwrap());
                self.build(2);
            }
            self.build(2);
        }
        let first = self.stack.words.len() - leaves;
        let mut count = leaves;
        while count > 1 {
            count /= 2;
            for n in 0..count {
                // Neighbours become far apart.
                let (a, b) = (self.stack.words[first + n], self.stack.words[first + n + count]);
                self.stack.words.extend([a, b]);
                self.build(2);
                let node = self.stack.words.pop().unwrap();
                self.stack.words[first + n] = node;
                self.stack.clean = self.stack.clean.min(first + n);
            }
            self.stack.words.truncate(first + count);
        }
    }
}

/// What lives, and how it is built.
type Shape = (&'static str, fn(&mut Machine, usize));
const SHAPES: [Shape; 2] = [("list", Machine::list), ("trees", Machine::trees)];

fn sizes() -> Vec<usize> {
    let mut sizes = vec![10 << 20, 100 << 20];
    if std::env::var_os("COLLECTOR_HUGE").is_some() {
        sizes.push(1 << 30);
    }
    sizes
}

/// Full collections of what has been moved together before, and of what has a hole before
/// each piece.
fn full(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("full");
    group.sample_size(10);
    for (name, build) in SHAPES {
        for size in sizes() {
            let mut machine = Machine::new();
            build(&mut machine, size);
            machine.collect_full().unwrap();
            group.throughput(Throughput::Bytes(machine.heap.live_bytes()));
            group.bench_function(BenchmarkId::new(name, size >> 20), |bencher| {
                bencher.iter(|| machine.collect_full());
            });
            drop(machine);
            let mut machine = Machine::new();
            group.bench_function(
                BenchmarkId::new(format!("{name}, moved"), size >> 20),
                |bencher| {
                    bencher.iter_custom(|count| {
                        let mut time = Duration::ZERO;
                        for _ in 0..count {
                            machine.stack.words.clear();
                            machine.list(size / 8);
                            build(&mut machine, size);
                            machine.stack.words.swap_remove(0);
                            machine.stack.clean = 0;
                            machine.collect(Need::default()).unwrap();
                            let start = Instant::now();
                            machine.collect_full().unwrap();
                            time += start.elapsed();
                        }
                        time
                    });
                },
            );
        }
    }
}

/// Minor collections beside an old space of some size: they should not depend on it.
fn minor(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("minor");
    for size in sizes() {
        let mut machine = Machine::new();
        machine.list(size);
        for share in [1, 10, 100] {
            let bytes = Config::NURSERY_WORDS * 8 / 100 * share;
            group.throughput(Throughput::Bytes(bytes as u64));
            let name = format!("{share}% live beside MB");
            group.bench_function(BenchmarkId::new(name, size >> 20), |bencher| {
                bencher.iter_custom(|count| {
                    let mut time = Duration::ZERO;
                    for _ in 0..count {
                        machine.stack.words.truncate(1);
                        machine.stack.clean = machine.stack.clean.min(1);
                        machine.collect(Need::default()).unwrap();
                        machine.list(bytes - 24);
                        let start = Instant::now();
                        machine.collect(Need::default()).unwrap();
                        time += start.elapsed();
                    }
                    time
                });
            });
        }
    }
}

/// Allocation: a million cells of which some survive.
fn allocation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("allocation");
    let cells = 1_000_000;
    group.throughput(Throughput::Elements(cells));
    for share in [0, 1, 10, 50] {
        group.bench_function(BenchmarkId::new("% live", share), |bencher| {
            let mut machine = Machine::new();
            bencher.iter(|| {
                machine.stack.words.clear();
                machine.stack.clean = 0;
                machine.stack.words.push(Word::con(ConId(0)));
                for n in 0..cells {
                    let tail = machine.stack.words[0];
                    machine.stack.words.extend([Word::int(n as i64).unwrap(), tail]);
                    machine.build(2);
                    let cell = machine.stack.words.pop().unwrap();
                    if n % 100 < share {
                        machine.stack.words[0] = cell;
                        machine.stack.clean = 0;
                    }
                    black_box(cell);
                }
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = allocation, minor, full
}
criterion_main!(benches);
