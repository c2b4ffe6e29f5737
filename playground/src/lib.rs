//! The library behind the playground's page: requests in JSON, answers in JSON.
//!
//! Texts go through the module's memory. The worker asks [`allocate`] for room, writes a request
//! there in UTF-8 and calls [`call`]; the answer is at [`answer`], as many bytes as `call`
//! returned. What a program prints is handed to the import `output` while it runs.

mod host;
mod reports;
mod run;
mod stages;

use std::cell::RefCell;

use gmachine::Source;
use serde_json::{Value, json};

/// What the program's text is called in reports.
const PROGRAM: &str = "program";

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a request of so many bytes, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(bytes: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(bytes, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request in that room. Returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let bytes = REQUEST.take();
    let answer = match serde_json::from_slice(&bytes) {
        Ok(request) => respond(&Request(request)),
        Err(error) => json!({"error": format!("the request is no JSON: {error}")}),
    };
    let answer = answer.to_string();
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

fn respond(request: &Request) -> Value {
    match request.text("do") {
        "check" => reports::check(request),
        "run" => run::run(request),
        "steps" => run::steps(request),
        "film" => run::film(request),
        "stages" => stages::stages(request),
        other => json!({"error": format!("there is no request '{other}'")}),
    }
}

/// What the page asks for: an object whose fields are all optional.
struct Request(Value);

impl Request {
    /// A text; empty if there is none.
    fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or("")
    }

    fn number(&self, field: &str) -> Option<u64> {
        self.0[field].as_u64()
    }

    fn is(&self, field: &str) -> bool {
        self.0[field].as_bool().unwrap_or(false)
    }

    /// A list of texts.
    fn texts(&self, field: &str) -> Vec<&str> {
        let list = self.0[field].as_array().map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(Value::as_str).collect()
    }

    /// The optimisation level.
    fn level(&self, otherwise: u8) -> u8 {
        let level = self.number("level").and_then(|level| u8::try_from(level).ok());
        level.map_or(otherwise, |level| level.min(2))
    }

    /// The program, with the expression that takes the place of its `main`, if there is one.
    fn source(&self) -> Source {
        let source = Source::text(PROGRAM, self.text("text"));
        match self.text("expression").trim() {
            "" => source,
            expression => source.with_expression(expression),
        }
    }
}
