//! CoreF as JSON, for programs that write or read programs: the schema `gmachine-program`, which
//! `docs/targeting.md` describes.
//!
//! What is read becomes CoreF text with directives, so that nothing after it knows of JSON: the
//! places that it gives, or where it gives none those in itself, are the origins of that text.

mod read;
mod to_text;
mod write;

pub use read::Mistake;
pub use to_text::to_text;
pub use write::write;

/// The name of the schema.
pub const SCHEMA: &str = "gmachine-program";
/// Its version: a change that a reader can notice is a new one.
pub const VERSION: u32 = 1;
