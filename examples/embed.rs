//! The library inside a program: compile once, run in two threads, call a function of the
//! host, take what is needed of an infinite list, stop a loop and go on.
//!
//! ```text
//! cargo run --example embed
//! ```

use std::error::Error;
use std::io::Write;
use std::thread;
use std::time::Duration;

use gmachine::{Engine, Error as EvalError, Eval, Format, Module, Stop, Store};

const PROGRAM: &str = "
(defn from[n] (Cons n (from (add n 1))))
(defn squares[] (map (fn [n] (mul n n)) (from 1)))
(defn greeting[name] (append \"Hello, \" (shout name)))
(defn loop[n] (loop (add n 1)))
(defn main[] (take 5 squares))
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let mut engine = Engine::new();
    engine.register("shout", 1, |call| {
        let text = call.arg(0)?;
        let text = call.to_text(&text)?.to_uppercase();
        Ok(call.text(&text)?)
    })?;
    let module = engine.compile("embed", PROGRAM)?;

    // A module is shared, a store belongs to one thread at a time.
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let module = module.clone();
            thread::spawn(move || printed(&module))
        })
        .collect();
    for thread in threads {
        let text = thread.join().map_err(|_| "a thread failed")??;
        write!(out, "main: {text}")?;
    }

    let mut store = Store::new(&module);
    let squares = store.global("squares")?;
    let first: Vec<_> = store.items(&squares).take(10).collect::<Result<_, _>>()?;
    write!(out, "squares:")?;
    for square in &first {
        write!(out, " {}", store.to_integer(square)?)?;
    }
    writeln!(out)?;

    let (greeting, name) = (store.global("greeting")?, store.text("world")?);
    let greeting = store.call(&greeting, &[name])?;
    writeln!(out, "{}", store.to_text(&greeting)?)?;

    let (endless, zero) = (store.global("loop")?, store.int(0)?);
    let endless = store.call(&endless, &[zero])?;
    let handle = store.interrupt_handle();
    let timer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        handle.interrupt();
    });
    let stopped = store.force(&endless).err();
    timer.join().map_err(|_| "the timer failed")?;
    let interrupted = matches!(stopped, Some(EvalError::Stop(Stop::Interrupted(_))));
    writeln!(out, "the loop was interrupted: {interrupted}")?;
    writeln!(out, "and the store goes on: {}", store.to_text(&greeting)?)?;
    Ok(())
}

/// What `main` prints.
fn printed(module: &Module) -> Result<String, Stop> {
    let mut text = String::new();
    Store::new(module).run_main(None, &mut text, Format::Default)?;
    Ok(text)
}
