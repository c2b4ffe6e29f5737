//! Limits at their edges, and what takes neither native stack nor much memory.

use std::sync::Arc;

use super::code::instr::Instr;
use super::code::program::{Entry, Program, StackMap};
use super::code::verify::verify;
use super::image::{Image, STRIDE};
use super::stack::MAX_FRAME;
use super::state::Machine;
use super::translate::{Limits, TooLarge, translate, translate_within};
use crate::gcode::Verified;
use crate::gcode::parse::parse;
use crate::machine::outcome::{Limit, Stop};
use crate::machine::print::Format;
use crate::machine::{self, Config, Machine as _, Whnf};

/// `f` forces a thunk twice, `h` calls a function and needs a variable after that.
const SUMS: &str = "
data List = Nil/0 Cons/2
main main

supercombinator main/0
   0  PushInt 1
   1  PushGlobal h
   2  MkApp
   3  Eval
   4  PushInt 20
   5  PushGlobal f
   6  MkApp
   7  Eval
   8  Add
   9  Update 0
  10  Pop 0
  11  Unwind

supercombinator f/1
   0  Push 0
   1  PushGlobal g
   2  MkApp
   3  Push 0
   4  Eval
   5  Push 1
   6  Eval
   7  Add
   8  Update 2
   9  Pop 2
  10  Unwind

supercombinator g/1
   0  PushInt 2
   1  Push 1
   2  Eval
   3  Mul
   4  Update 1
   5  Pop 1
   6  Unwind

supercombinator h/1
   0  Push 0
   1  Eval
   2  Push 1
   3  PushGlobal g
   4  MkApp
   5  Eval
   6  Add
   7  Update 1
   8  Pop 1
   9  Unwind
";

/// A function of one parameter that returns itself, applied to many arguments.
fn applied(count: usize) -> String {
    let mut text = String::from(
        "data List = Nil/0 Cons/2\nmain main\n\nsupercombinator k/1\n   0  PushGlobal k\n   \
         1  Update 1\n   2  Pop 1\n   3  Unwind\n\nsupercombinator main/0\n",
    );
    let pushes = (0..count).map(|_| "PushInt 1".to_owned()).chain(["PushGlobal k".to_owned()]);
    let applications = (0..count).map(|_| "MkApp".to_owned());
    let rest = ["Update 0", "Pop 0", "Unwind"].map(ToOwned::to_owned);
    for (at, instr) in pushes.chain(applications).chain(rest).enumerate() {
        text.push_str(&format!("{at:>4}  {instr}\n"));
    }
    text
}

fn gcode(text: &str) -> Verified {
    Verified::new(parse(text).expect("a listing")).expect("verified")
}

fn compact(text: &str) -> Program {
    translate(gcode(text)).expect("small enough")
}

fn machine(program: Program, config: Config) -> Machine {
    Machine::new(Arc::new(Image::of(program).expect("small enough")), config)
}

/// What a program prints.
fn printed(program: Program) -> String {
    let mut machine = machine(program, Config::default());
    let mut out = String::new();
    machine.start(Format::Default, None).expect("room");
    machine.run(&mut out).expect("a result");
    out
}

/// Moves the slots of a function that are no parameters up, so that its frame has `frame` ones.
fn with_frame(program: &mut Program, symbol: &str, frame: u32) {
    let id = program.gcode.find(symbol).expect(symbol);
    let Entry { pc, frame: before, takes } = program.globals[id];
    let above = frame - before;
    program.globals[id].frame = frame;
    for thunk in program.thunks.iter_mut().filter(|thunk| thunk.entry.pc == pc) {
        thunk.entry.frame = frame;
    }
    let mut up = |slot: u32| if slot < takes { slot } else { slot + above };
    let end = program.owners.iter().map(|(start, _)| start.0).find(|start| *start > pc.0);
    for at in pc.0 as usize..end.map_or(program.code.len(), |end| end as usize) {
        program.code[at].map_slots(&mut up);
        let slots = program.stack_maps[program.stack_map_of[at]]
            .slots
            .iter()
            .map(|slot| up(*slot))
            .collect();
        program.stack_map_of[at] = program.stack_maps.push(StackMap { slots });
    }
}

#[test]
fn a_frame_of_the_most_slots_returns_to_where_it_was_called() {
    assert_eq!(printed(compact(SUMS)), "83\n");
    for symbol in ["f", "h"] {
        for frame in [4094, 4095, 4096, 4097, 4098, MAX_FRAME - 1] {
            let mut program = compact(SUMS);
            with_frame(&mut program, symbol, frame);
            assert_eq!(verify(&program), []);
            assert_eq!(printed(program), "83\n", "{symbol} with {frame} slots");
        }
    }
}

#[test]
fn a_frame_of_a_slot_too_many_is_noticed() {
    let mut program = compact(SUMS);
    with_frame(&mut program, "h", MAX_FRAME);
    let found = verify(&program);
    assert!(found[0].message.contains("too large"), "{found:?}");
}

/// Checks that a program is translated up to some limit, and refused below it.
#[track_caller]
fn edge(text: &str, what: &str, limits: impl Fn(u32) -> Limits) {
    let refused = |limit: u32| translate_within(gcode(text), limits(limit)).err();
    let least = (0..10_000).find(|limit| refused(*limit).is_none()).expect("a limit");
    assert!(least > 1, "{what}");
    let TooLarge { what: found } = refused(least - 1).expect("below the limit");
    assert_eq!(found, what);
}

#[test]
fn what_is_too_large_by_one_is_refused() {
    let machine = Limits::MACHINE;
    let frame = |frame| Limits { frame, ..machine };
    edge(SUMS, "a function has more variables than a frame has slots", frame);
    edge(&applied(60), "an application has more arguments than a frame has slots", frame);
    edge(SUMS, "it has more instructions than an offset can reach", |instructions| Limits {
        instructions,
        ..machine
    });
    edge(SUMS, "a function has too many parts", |function| Limits { function, ..machine });
    edge(SUMS, "a node has more fields than its header can say", |fields| Limits {
        fields,
        ..machine
    });
}

#[test]
fn every_offset_of_the_largest_program_has_32_bits() {
    let instructions = u64::from(Limits::MACHINE.instructions);
    let program = compact(SUMS);
    let before = program.code.len();
    let image = Image::of(program).expect("small enough");
    let boot = (image.program.code.len() - before) as u64;
    assert!(matches!(image.program.code.last(), Some(Instr::TailApplyN { .. })));
    // One past the last instruction is an offset, too.
    assert!((instructions + boot) * u64::from(STRIDE) <= u64::from(u32::MAX));
}

#[test]
fn applying_a_result_again_and_again_takes_no_native_stack() {
    let run = || {
        let once = printed(compact(&applied(1)));
        for count in [500, 50_000] {
            assert_eq!(printed(compact(&applied(count))), once);
        }
    };
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(run);
    thread.expect("a thread").join().expect("no overflow");
}

#[test]
fn stopped_evaluations_take_memory_in_proportion_to_their_words() {
    let mut machine = machine(compact(SUMS), Config::default());
    let f = machine.program().find("f").expect("a function");
    let f = machine.global_handle(f).expect("room");
    let mut kept = Vec::new();
    machine.collect();
    let before = machine.footprint();
    for n in 0..2000i64 {
        let n = machine.new_int(n.into()).expect("room");
        let value = machine.apply(&f, &[n]).expect("its own handles").expect("room");
        machine.set_fuel(Some(1));
        let stopped = machine::Machine::force(&mut machine, &value).expect("its own handle");
        assert!(matches!(stopped, Err(Stop::Limit(reached)) if reached.limit == Limit::Fuel(1)));
        kept.push(value);
    }
    let bytes = (machine.footprint() - before) / kept.len() as u64;
    assert!(bytes < 1000, "{bytes} bytes each");
    machine.collect();
    machine.set_fuel(None);
    for (n, value) in (0..).zip(&kept) {
        machine::Machine::force(&mut machine, value).expect("its own handle").expect("a value");
        let Some(Whnf::Int(found)) = machine.whnf(value) else { panic!("no integer") };
        assert_eq!(found, (4 * n).into());
    }
}
