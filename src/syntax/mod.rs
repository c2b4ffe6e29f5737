//! Text to syntax tree.

pub mod ast;

/// A token.
pub enum Tok {
    /// An opening parenthesis.
    L,
}
