//! What a panic says: it is a mistake of ours, except where a library panics for want of
//! memory.

use super::{alloc, output, step};

/// Replaces the standard library's words.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| {
        step::leave_screen();
        // The stack library knows no other way to say that it got no memory for a stack.
        if panic.location().is_some_and(|place| place.file().contains("stacker")) {
            output::rescue();
            alloc::out_of_memory(None);
        }
        output::rescue();
        let message = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        super::report::write(&format!(
            "internal error: {message} ({place})\n\
             This is a mistake in gmachine. Please report it, with the program that shows it.\n"
        ));
    }));
}
