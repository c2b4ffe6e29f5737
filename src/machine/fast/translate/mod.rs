//! (stand-in until merged)
use super::code::program::Program;
use std::sync::Arc;
/// TooLarge
#[derive(Debug)]
pub struct TooLarge;
/// Translates.
pub fn translate(gcode: Arc<crate::gcode::program::Program>) -> Result<Program, TooLarge> {
    let _ = gcode;
    Err(TooLarge)
}
