//! The run-time system of gmachine: G-code, its verifier, the machines that run it, and what they
//! and the compiler both stand on.
//!
//! Programs that embed gmachine use the crate `gmachine`, which exports what is meant for them.
//! This one is apart because the machines need nothing of the compiler and none of the packages
//! that its parser is made with: cargo builds both at the same time. What it exports, but for
//! [`gcode`], follows the inside of both crates and may change with any version.

#[doc(hidden)]
pub mod base;
pub mod gcode;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod primitive;
