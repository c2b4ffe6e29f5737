//! The machines: the programs of `benches/programs` at their small sizes, and collections of
//! heaps of several sizes.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gmachine::embed::{Format, MachineKind};
use gmachine::{Engine, Eval};

fn engine(machine: MachineKind) -> Engine {
    let mut engine = Engine::new();
    engine.set_machine(machine);
    engine
}

/// A run of `main` on a new store, printing included.
fn run(criterion: &mut Criterion) {
    let programs = gmachine_testing::programs::examples();
    let programs = programs.iter().filter(|program| program.name.contains("benches/programs"));
    for program in programs {
        let name = program.name.rsplit('/').next().unwrap().trim_end_matches(".core");
        let mut group = criterion.benchmark_group(format!("run/{name}"));
        let expected = format!("{}\n", program.prints.as_ref().unwrap());
        for &machine in MachineKind::ALL {
            let module = engine(machine).compile(name, &program.text).unwrap();
            group.bench_function(machine.name(), |bencher| {
                bencher.iter(|| {
                    let mut printed = String::new();
                    module.store().run_main(None, &mut printed, Format::Default).unwrap();
                    assert_eq!(printed, expected);
                });
            });
        }
        group.finish();
    }
}

/// A full collection of a heap in which a list is alive, and nothing is garbage.
fn collect(criterion: &mut Criterion) {
    let text = "(defn numbers[n] (forceList (range 1000000 (add 1000000 n))))";
    let mut group = criterion.benchmark_group("collect");
    group.sample_size(20);
    for cells in [1_000, 100_000, 1_000_000] {
        group.throughput(Throughput::Elements(cells));
        for &machine in MachineKind::ALL {
            let module = engine(machine).compile("numbers", text).unwrap();
            let mut store = module.store();
            let numbers = store.global("numbers").unwrap();
            let size = store.int(i64::try_from(cells).unwrap()).unwrap();
            let list = store.call(&numbers, &[size]).unwrap();
            store.force(&list).unwrap();
            group.bench_function(BenchmarkId::new(machine.name(), cells), |bencher| {
                bencher.iter(|| store.collect());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, run, collect);
criterion_main!(benches);
