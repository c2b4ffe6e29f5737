//! The reference page of G-code.
