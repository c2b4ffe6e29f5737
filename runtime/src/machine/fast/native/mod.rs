//! Native code: another way to execute compact code, on the same heap, stack and control words.
//!
//! Each instruction of compact code becomes a few of the processor's, which do what its fast path does
//! (`execute.rs`), with its operands as constants. What an instruction lacks is seen to where it always
//! is: native code leaves to the *bridge* of the instruction, which executes that one again and goes on
//! at the address of whatever is next. So between two instructions everything is where the interpreter
//! has it, any of them can be entered and left, and messages, limits, collection, suspension and counts
//! are written once. It is a baseline compiler in the manner of V8's Sparkplug (Verwaest, Swirski,
//! *Sparkplug: a non-optimizing JavaScript compiler*, 2021), with what registers hold and what is known of
//! slots followed through the code of one function.
//!
//! All of a program is compiled at once, when it has done as many reductions as take longer than that:
//! a program that ends soon is never compiled, and when it is depends on nothing but the program.
//!
//! What `unsafe` relies on are the rules of compact code, as in `execute.rs`, and:
//! - the registers of native code are those of a handler ([`Handler`](super::threaded::Handler)): the machine, the instruction
//!   (only where it is left), the frame and the constants; what else it writes is the caller's to lose;
//! - an address of the table is the code of the instruction of that number, for a state about which
//!   nothing is assumed;
//! - code lives as long as the image it was made of, which [`Native`] holds.

mod apart;
mod assembler;
mod cheap;
mod compile;
mod control;
mod data;
mod lazy;
mod numbers;
mod pages;
mod state;

use std::sync::Arc;

use super::image::Image;
use super::state::{Machine, ProgramPtr};
use crate::machine::config::NativeCode;
use compile::{Tables, compile};
use pages::Pages;

/// How many reductions take about as long as to compile an instruction: measured, 3,300 of the processor's
/// instructions for one of compact code, and forty for a reduction.
const COST: u64 = 80;

/// The most instructions of a program that is compiled: in a fifth of a second, during which nothing looks
/// at the interrupt, to some hundred bytes each, which no limit counts.
const MOST: usize = 1 << 18;

/// A program in native code.
pub(super) struct Native {
    /// For each instruction the address of its code.
    table: Box<[usize]>,
    /// For each kind of thunk the address of what enters it.
    _thunks: Box<[usize]>,
    _pages: Pages,
    _image: Arc<Image>,
}

impl Native {
    /// Compiles a program; `None` if it is too large, or there is no memory for its code.
    pub(super) fn new(image: Arc<Image>) -> Option<Native> {
        if image.program.code.len() > MOST {
            return None;
        }
        // The code has the addresses of the tables in it.
        let mut table = vec![0; image.program.code.len()].into_boxed_slice();
        let mut thunks = vec![0; image.program.thunks.len()].into_boxed_slice();
        let at = |table: &[usize]| table.as_ptr().expose_provenance();
        let tables = Tables { code: at(&table), thunks: at(&thunks) };
        let code = compile(&image.program, tables)?;
        let pages = Pages::of(&code.bytes)?;
        let fill = |table: &mut [usize], places: Vec<u32>| {
            let addresses = places.into_iter().map(|place| pages.base() + place as usize);
            table.iter_mut().zip(addresses).for_each(|(entry, address)| *entry = address);
        };
        fill(&mut table, code.instructions);
        fill(&mut thunks, code.thunks);
        Some(Native { table, _thunks: thunks, _pages: pages, _image: image })
    }

    /// Returns the table of addresses.
    pub(super) fn table(&self) -> ProgramPtr<usize> {
        ProgramPtr(self.table.as_ptr())
    }
}

impl Machine {
    /// Compiles the program if it has done enough reductions; returns the most ticks that are to be handed
    /// out before that is asked again.
    #[cold]
    pub(super) fn compile_if_due(&mut self) -> u32 {
        let instructions = self.mutator.image.program.code.len() as u64;
        // How often somebody looks is as without native code, unless it is to begin somewhere.
        let (after, most_ticks) = match self.native_code {
            NativeCode::WhenItPays => (COST * instructions, self.most_ticks),
            NativeCode::After(reductions) => {
                let left = reductions.saturating_sub(self.counts.reductions);
                let left = u32::try_from(left).unwrap_or(u32::MAX).max(1);
                (reductions, self.most_ticks.min(left))
            }
            NativeCode::Never => return self.most_ticks,
        };
        if self.native.is_some() || self.count {
            return self.most_ticks;
        }
        if self.counts.reductions < after {
            return most_ticks;
        }
        match Native::new(self.mutator.image.clone()) {
            Some(native) => {
                self.native_table = native.table();
                self.native = Some(native);
            }
            // Not again: the interpreter does it.
            None => self.native_code = NativeCode::Never,
        }
        self.most_ticks
    }

    /// Forgets native code, which is that of a program as it was. Nothing runs.
    pub(super) fn forget_native(&mut self) {
        self.native_table = ProgramPtr(std::ptr::null());
        self.native = None;
    }
}
