//! G-code: the instructions of the G-machine, and programs made of them.

pub mod instr;
pub mod program;
