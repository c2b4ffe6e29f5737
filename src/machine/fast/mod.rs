//! The fast machine: the same G-code, translated to compact code ([`code`]), on a heap of
//! tagged words with a generational collector ([`heap`](crate::machine::heap)).

pub mod code;
pub mod translate;
