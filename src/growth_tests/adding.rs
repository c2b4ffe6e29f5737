//! Definitions that are added to a program one by one.

use crate::base::index::count;
use crate::embed::{Engine, MachineKind, Store};
use crate::gcode::program::Program;

/// The accesses to tables that adding `definitions` costs, one by one, in quarters.
fn quarters(store: &mut Store, definitions: &[String]) -> Vec<u64> {
    let quarter = |texts: &[String]| {
        let before = count::accesses();
        for text in texts {
            store.define("more", text).expect("it compiles");
        }
        count::accesses() - before
    };
    definitions.chunks(definitions.len() / 4).map(quarter).collect()
}

#[test]
fn adding_a_definition_costs_the_same_however_many_were_added() {
    const NUMBER: usize = 400;
    let shapes: [fn(usize) -> String; 4] = [
        |n| format!("(defn f{n}[x] (add x {n}))"),
        // One that names the one before, and takes a list apart with the prelude.
        |n| match n {
            0 => "(defn f0[x] x)".into(),
            _ => format!("(defn f{n}[x] (sum (map f{} [x 1 2])))", n - 1),
        },
        |n| format!("(data T{n} (A{n} x) (B{n})) (defn f{n}[x] (case x [(A{n} y) y] [B{n} 0]))"),
        // The same names, again and again.
        |n| format!("(data T (A x) (B)) (defn f[x] (case x [(A y) (add {n} y)] [B \"text\"]))"),
    ];
    for &machine in MachineKind::ALL {
        for (at, shape) in shapes.iter().enumerate() {
            let mut engine = Engine::new();
            engine.set_machine(machine);
            let mut store = engine.compile("empty", "").expect("compiles").store();
            let definitions: Vec<String> = (0..NUMBER).map(shape).collect();
            // The first one copies the module's program.
            store.define("first", "(defn first[] 1)").expect("it compiles");
            let program: *const Program = &**store.machine.program();
            let costs = quarters(&mut store, &definitions);
            assert_eq!(program, &raw const **store.machine.program(), "no other one copies it");
            let (first, last) = (costs[1], costs[3]);
            assert!(last <= first + first / 20, "{machine}, shape {at}: {costs:?}");
        }
    }
}
