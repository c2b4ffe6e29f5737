//! Compiles a source text and prints its `main`, for whoever can call WebAssembly.
//!
//! Texts go through the module's memory: the caller asks [`allocate`] for room, writes UTF-8
//! there and calls [`run`]; the answer is at [`answer`], as many bytes as `run` returned.

use std::cell::RefCell;

use gmachine::render::Renderer;
use gmachine::{Engine, Format, Limits, MachineKind, EntryPoints};

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a text of so many bytes, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(bytes, 0);
        text.as_mut_ptr()
    })
}

/// Runs the text in that room on a machine (0: the fast one, 1: the reference machine), with so
/// many steps of fuel. Returns the length of the answer: what was printed, and the report of
/// what stopped it.
#[unsafe(no_mangle)]
pub extern "C" fn run(machine: u32, fuel: u64) -> usize {
    let text = TEXT.take();
    let answer = evaluate(&text, machine, fuel);
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// The address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

fn evaluate(text: &[u8], machine: u32, fuel: u64) -> String {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::Main);
    engine.set_machine(if machine == 1 { MachineKind::Reference } else { MachineKind::Fast });
    engine.set_limits(Limits { heap: Some(256 << 20), fuel: Some(fuel), time: None });
    let renderer = Renderer::plain();
    match engine.compile("<program>", &String::from_utf8_lossy(text)) {
        Err(error) => renderer.diagnostics(&error.diagnostics, &error.sources),
        Ok(module) => {
            let mut printed = String::new();
            let stopped = module.store().run_main(None, &mut printed, Format::Default);
            if let Err(stop) = stopped {
                printed.push_str(&renderer.stop(&stop, module.sources()));
            }
            printed
        }
    }
}
