//! The state of the machine, and the room in it.

use std::sync::Arc;

use super::code::instr::{Instr, Op};
use super::code::program::{Case, Entry};
use super::eval::SLICE;
use super::events::Listener;
use super::image::Image;
#[cfg(gmachine_native)]
use super::native::Native;
use super::profiler::Profiler;
use super::roots::YoungHandles;
use super::saved::SavedStacks;
use super::stack::{Control, SLACK, Stack};
use crate::gcode::program::GlobalId;
#[cfg(gmachine_native)]
use crate::machine::config::NativeCode;
use crate::machine::config::{Config, Refusal, Stress};
use crate::machine::handles::Handle;
use crate::machine::handles::HandleTable;
use crate::machine::heap::word::Word;
use crate::machine::heap::{self, Full, Heap, Kind, Need, Selectors};
use crate::machine::host::Hosts;
use crate::machine::opaque::Opaques;
use crate::machine::outcome::{Input, InputError, Limit, Statistics, Stop};
use crate::machine::print::Printer;
use crate::machine::profile::{Profile, Sampler};
use crate::machine::world::{Mode, World};
use crate::machine::{Clock, Interrupt, Pauses};

/// The words of the nursery of a machine under stress.
const TINY_NURSERY: usize = 1 << 10;

/// The most words of heap and stack that a verification walks at each collection.
const VERIFIED: usize = 1 << 10;

/// The most words of a stack that is kept between two evaluations.
const KEPT: usize = 1 << 16;

/// The fast machine.
pub struct Machine {
    /// The instruction that is executed.
    pub(super) pc: ProgramPtr<Instr>,
    /// Slot 0 of the frame that it works on.
    pub(super) fp: StackPtr,
    /// Tables of the program whose instructions are executed: the code, where globals are entered,
    /// cases.
    pub(super) code: ProgramPtr<Instr>,
    pub(super) globals: ProgramPtr<Entry>,
    pub(super) cases: ProgramPtr<Case>,
    /// For each instruction the address of its native code, if there is some.
    pub(super) native_table: ProgramPtr<usize>,
    /// The end of the room of the stack.
    pub(super) stack_end: StackPtr,
    /// Calls before the loop looks at fuel and interrupt again.
    pub(super) ticks: u32,
    pub(super) heap: Heap,
    pub(super) mutator: MutatorState,
    pub(super) input: Option<Box<dyn Input>>,
    /// What the input has failed with where that could not be told at once.
    pub(super) input_failure: Option<InputError>,
    /// What effects of the program change outside of the heap.
    pub(super) world: World,
    /// What is done with the value to be printed.
    pub(super) mode: Mode,
    /// What has stopped threaded code.
    pub(super) stopped: Option<Stop>,
    /// The value of an action that was performed.
    pub(super) value: Option<Handle>,
    pub(super) printer: Option<Printer>,
    pub(super) hosts: Option<Arc<dyn Hosts>>,
    /// Whether the evaluation is one of a run, which writes what is held back where that is due.
    pub(super) can_write: bool,
    /// How many calls of host functions wait for each other.
    pub(super) nesting: u32,
    pub(super) interrupt: Interrupt,
    /// The fuel that was given, and what of it is not in `ticks`.
    pub(super) fuel: Option<(u64, u64)>,
    /// The ticks that were handed out last.
    pub(super) slice: u32,
    pub(super) counts: Statistics,
    /// Values that were printed: steps too, so that printing ends, and no reductions.
    pub(super) printed: u64,
    /// How often each instruction was executed, by its number; empty if that is not counted.
    pub(super) executed: Box<[u64]>,
    /// What seldom happens, counted.
    pub(super) rare: Rare,
    /// What is sampled, and who asks for it.
    pub(super) profile: Option<(Sampler, Profile)>,
    /// Words that were allocated when the last sample of allocation was taken.
    pub(super) sampled_words: u64,
    /// What times pauses, and the pauses so far.
    pub(super) clock: Option<Clock>,
    pub(super) pauses: Pauses,
    /// The profile of costs under way.
    pub(super) profiler: Option<Box<Profiler>>,
    /// Whether anybody looks at the run from time to time.
    pub(super) observed: bool,
    /// The most ticks that are handed out at a time.
    pub(super) most_ticks: u32,
    /// Whether each instruction is counted, by its kind or for a profile, or somebody listens.
    pub(super) count: bool,
    /// Who is told of events.
    pub(super) listener: Option<Box<Listener>>,
    /// After how many more collections the heap is verified, if it is.
    verify: Option<usize>,
    pub(super) refuse: Refusal,
    /// When the program is compiled to native code, and that code.
    #[cfg(gmachine_native)]
    pub(super) native_code: NativeCode,
    #[cfg(gmachine_native)]
    pub(super) native: Option<Native>,
}

/// How often something has happened that seldom does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rare {
    /// The stack got more room.
    pub(super) stack_grown: u64,
    /// A thunk that was under evaluation was suspended.
    pub(super) suspended: u64,
    /// A suspended thunk was gone on with.
    pub(super) resumed: u64,
}

/// What of the state the collector goes through, beside the heap.
pub(super) struct MutatorState {
    pub(super) image: Arc<Image>,
    pub(super) stack: Stack,
    /// The word of each CAF that has a node.
    pub(super) cafs: Vec<Word>,
    /// CAFs whose node may be young.
    pub(super) young_cafs: Vec<GlobalId>,
    pub(super) handles: HandleTable<Word>,
    pub(super) young_handles: YoungHandles,
    /// Values of the embedding program, with the nodes that stand for them.
    pub(super) opaques: Opaques<Word>,
    /// Opaque values whose node may be young.
    pub(super) young_opaques: Vec<u32>,
    /// What is to be printed, the next item last.
    pub(super) printing: Vec<Word>,
    pub(super) saved: SavedStacks,
    /// Where the walk through the stack begins: the instruction and the frame.
    pub(super) at: u32,
    pub(super) fp: StackPtr,
    /// The word that the mark has taken the place of, and its place.
    pub(super) mark: Option<(usize, Word)>,
    /// How many words at the bottom of the stack hold nothing young.
    pub(super) clean: usize,
    /// For each piece of code, from which instruction on the collector has gone through it.
    pub(super) visited: Vec<u32>,
    /// What a full collection is doing.
    pub(super) phase: Phase,
    /// How many CAFs were collected.
    pub(super) cafs_collected: u64,
}

/// What a full collection is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Nothing: there is none, or it will not ask for more words.
    Idle,
    /// It looks for what lives.
    Marking,
    /// It is about to update the words.
    Updating,
}

/// A place in the program of the image that its owner holds.
pub(super) struct ProgramPtr<T>(pub(super) *const T);

// SAFETY: a program is immutable and may be read on any thread, and whoever has the pointer is sent
// with an `Arc` of the image that the program is in.
unsafe impl<T: Sync> Send for ProgramPtr<T> {}

/// A place in the stack that its owner owns.
#[derive(Clone, Copy)]
pub(super) struct StackPtr(pub(super) *mut Word);

// SAFETY: the stack belongs to the machine that has the pointer and is sent with it; nothing
// else refers to its memory.
unsafe impl Send for StackPtr {}

/// Where it stands.
impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut machine = f.debug_struct("Machine");
        machine.field("at", &self.at()).field("depth", &self.depth());
        machine.finish_non_exhaustive()
    }
}

impl Machine {
    /// Makes a machine that runs a program.
    #[must_use]
    pub fn new(image: Arc<Image>, config: Config) -> Machine {
        let stack = Stack::new();
        let heap_config = heap::Config {
            limit: config.heap_limit,
            nursery_words: match config.stress {
                Stress::None => {
                    config.nursery.map_or(heap::Config::NURSERY_WORDS, |bytes| bytes / 8)
                }
                _ => TINY_NURSERY,
            },
            stress: match config.stress {
                Stress::None | Stress::TinyNursery => heap::Stress::None,
                Stress::Minor => heap::Stress::Minor,
                Stress::Full => heap::Stress::Full,
            },
            poison: config.stress != Stress::None,
            // So that the mark stack overflows all the time.
            mark_stack: (config.stress != Stress::None).then_some(2),
        };
        let selectors = Selectors::new(image.program.thunks.iter().map(|thunk| &*thunk.selects));
        let mut machine = Machine {
            pc: ProgramPtr(std::ptr::null()),
            fp: StackPtr(stack.base()),
            code: ProgramPtr(std::ptr::null()),
            globals: ProgramPtr(std::ptr::null()),
            cases: ProgramPtr(std::ptr::null()),
            native_table: ProgramPtr(std::ptr::null()),
            stack_end: StackPtr(stack.limit()),
            stopped: None,
            ticks: 0,
            heap: Heap::new(heap_config, selectors),
            mutator: MutatorState {
                cafs: vec![Word::NOTHING; image.program.globals.len()],
                young_cafs: Vec::new(),
                handles: HandleTable::default(),
                young_handles: YoungHandles::default(),
                opaques: Opaques::default(),
                young_opaques: Vec::new(),
                printing: Vec::new(),
                saved: SavedStacks::default(),
                at: image.halt,
                fp: StackPtr(stack.base()),
                mark: None,
                clean: 0,
                visited: Vec::new(),
                phase: Phase::Idle,
                cafs_collected: 0,
                image,
                stack,
            },
            input: None,
            input_failure: None,
            world: World::default(),
            mode: Mode::Print,
            value: None,
            printer: None,
            hosts: None,
            can_write: false,
            nesting: 0,
            interrupt: config.interrupt,
            fuel: None,
            slice: 0,
            counts: Statistics::default(),
            printed: 0,
            executed: if config.count { vec![0; Op::ALL.len()].into() } else { Box::default() },
            rare: Rare::default(),
            clock: config.clock,
            pauses: Pauses::default(),
            observed: config.sampler.is_some() || config.costs,
            profiler: config.costs.then(Box::default),
            most_ticks: if config.costs { Profiler::TICKS } else { SLICE },
            profile: config.sampler.map(|sampler| (sampler, Profile::default())),
            sampled_words: 0,
            count: config.count || config.costs,
            listener: None,
            verify: (config.stress != Stress::None).then_some(0),
            refuse: config.refuse,
            #[cfg(gmachine_native)]
            native_code: config.native,
            #[cfg(gmachine_native)]
            native: None,
        };
        machine.reset();
        machine.give_fuel(config.fuel);
        machine
    }

    /// Empties the stack, and goes to code that waits for nothing.
    pub(super) fn reset(&mut self) {
        (self.mutator.mark, self.mutator.clean) = (None, 0);
        if self.mutator.stack.capacity() > KEPT {
            self.mutator.stack = Stack::new();
        }
        self.stack_end.0 = self.mutator.stack.limit();
        let halt = self.mutator.image.halt;
        // SAFETY: the stack has room for its first word.
        self.fp.0 = unsafe { Control::Stop { at: halt, base: 0 }.push(self.mutator.stack.base()) };
        self.pc.0 = self.instr(halt);
        self.count_outside();
    }

    /// Returns the instruction at an offset.
    #[inline]
    pub(super) fn instr(&self, at: u32) -> *const Instr {
        self.mutator.image.program.code.as_ptr().wrapping_byte_add(at as usize)
    }

    /// Returns the offset of the instruction that is executed.
    #[inline]
    pub(super) fn at(&self) -> u32 {
        (self.pc.0.addr() - self.mutator.image.program.code.as_ptr().addr()) as u32
    }

    /// Returns the first slot above those that are alive before the instruction that is executed.
    #[inline]
    pub(super) fn top(&self) -> u32 {
        let index = super::image::index(self.at());
        self.mutator.image.tops.get(index).copied().unwrap_or(0)
    }

    /// Returns the number of words in use below the frame.
    pub(super) fn depth(&self) -> usize {
        (self.fp.0.addr() - self.mutator.stack.base().addr()) / size_of::<Word>()
    }

    /// Tells the heap how much stack and other tables take.
    pub(super) fn count_outside(&mut self) {
        let mutator = &self.mutator;
        let printing = mutator.printing.capacity() * size_of::<Word>();
        let tables = mutator.saved.bytes() + mutator.opaques.bytes() + printing as u64;
        self.heap.set_outside(mutator.stack.bytes() + tables);
    }

    /// Ensures that `words` words of the nursery are free.
    #[inline]
    pub(super) fn reserve(&mut self, words: usize) -> Result<(), Stop> {
        if self.heap.fits(words) { Ok(()) } else { self.collect_for(words) }
    }

    /// Collects, so that `words` are free.
    #[cold]
    pub(super) fn collect_for(&mut self, words: usize) -> Result<(), Stop> {
        // SAFETY: the words of the machine are words of its heap.
        self.collecting(|heap, mutator| unsafe { heap.collect(Need::words(words), mutator) })
    }

    /// Ensures that `bytes` outside of the nursery, and `words` in it, stay within the limit.
    pub(super) fn collect_for_bytes(&mut self, words: usize, bytes: u64) -> Result<(), Stop> {
        // SAFETY: the words of the machine are words of its heap.
        self.collecting(|heap, mutator| unsafe { heap.collect(Need { words, bytes }, mutator) })
    }

    /// Moves all young nodes to the old generation.
    pub(super) fn tenure(&mut self) -> Result<(), Stop> {
        // SAFETY: the words of the machine are words of its heap.
        self.collecting(|heap, mutator| unsafe { heap.tenure(mutator) })
    }

    /// Collects everything that nothing can reach.
    pub(super) fn collect_all(&mut self) -> Result<(), Stop> {
        // SAFETY: the words of the machine are words of its heap.
        self.collecting(|heap, mutator| unsafe { heap.collect_full(Need::default(), mutator) })
    }

    fn collecting(
        &mut self,
        collect: impl FnOnce(&mut Heap, &mut MutatorState) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        let Some(clock) = self.clock.clone() else { return self.collecting_now(collect) };
        let (start, full) = (clock(), self.heap.counters().full);
        let result = self.collecting_now(collect);
        let length = clock().saturating_sub(start);
        let is_full = self.heap.counters().full > full;
        self.pauses.add(length, is_full.then(|| self.heap.live_bytes()));
        result
    }

    fn collecting_now(
        &mut self,
        collect: impl FnOnce(&mut Heap, &mut MutatorState) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        (self.mutator.at, self.mutator.fp.0) = (self.at(), self.fp.0);
        let depth = self.depth() as u64;
        self.counts.peak_stack = self.counts.peak_stack.max(depth);
        self.sample_allocation();
        let marked = self.mutator.mark.map(|(at, _)| at);
        let mut result = collect(&mut self.heap, &mut self.mutator);
        if self.refuse.meets() {
            result = Err(Full::System);
        }
        self.mutator.collected(marked);
        self.verify_if_due();
        self.mutator.phase = Phase::Idle;
        self.mutator.set_mark();
        self.mutator.opaques.drop_dead();
        self.count_outside();
        result.map_err(|full| self.out_of_memory(full))
    }

    /// Verifies the heap after each collection, or if there is much to be walked, after so
    /// many that a collection costs no more on the average.
    fn verify_if_due(&mut self) {
        let Some(left) = &mut self.verify else { return };
        if *left > 0 {
            *left -= 1;
            return;
        }
        // SAFETY: the words of the machine are words of its heap.
        if let Err(wrong) = unsafe { self.heap.verify(&mut self.mutator) } {
            // Only tests ask for this, and a heap that is wrong is a mistake of ours.
            panic!("after a collection: {wrong}");
        }
        let words = self.heap.live_bytes() as usize / 8 + self.depth();
        self.verify = Some(words / VERIFIED);
    }

    /// Ensures that there is room for `words` more words above the frame, beside the slack.
    #[cold]
    pub(super) fn grow_stack(&mut self, words: usize) -> Result<(), Stop> {
        let (depth, capacity) = (self.depth(), self.mutator.stack.capacity());
        let need = depth + words + 2 * SLACK;
        if need <= capacity {
            return Ok(());
        }
        if self.refuse.meets() {
            return Err(self.out_of_memory(Full::System));
        }
        if let Err(full) = self.try_grow(need) {
            // A collection goes through all of the stack, and cannot help if that is what takes the
            // memory.
            let stack = (need * size_of::<Word>()) as u64;
            if full == Full::Limit && !self.heap.fits_beside(stack) {
                return Err(self.heap_limit());
            }
            self.collect_all()?;
            self.try_grow(need).map_err(|full| self.out_of_memory(full))?;
        }
        self.rare.stack_grown += 1;
        self.count_outside();
        // SAFETY: `depth` words are in use.
        self.fp.0 = unsafe { self.mutator.stack.base().add(depth) };
        self.stack_end.0 = self.mutator.stack.limit();
        Ok(())
    }

    /// Grows the stack to twice its size; near the limit by less, and in the end by no more
    /// than it takes.
    fn try_grow(&mut self, need: usize) -> Result<(), Full> {
        let capacity = self.mutator.stack.capacity();
        let (ample, modest) = (need.max(2 * capacity), need + need / 64);
        let left = self.heap.limit().map(|limit| limit.saturating_sub(self.heap.footprint()));
        let quarter = left.unwrap_or(u64::MAX) / 4 / size_of::<Word>() as u64;
        let fair = capacity.saturating_add(usize::try_from(quarter).unwrap_or(usize::MAX));
        let mut full = Full::Limit;
        for wanted in [ample.min(fair).max(modest), modest, need] {
            let bytes = wanted.saturating_sub(capacity) * size_of::<Word>();
            if self.heap.can_grow(bytes as u64) {
                if self.mutator.stack.resize(wanted) {
                    return Ok(());
                }
                full = Full::System;
            }
        }
        Err(full)
    }

    /// Returns what stops a run that has reached its memory limit.
    pub(super) fn heap_limit(&self) -> Stop {
        self.out_of_memory(Full::Limit)
    }

    /// Returns what stops a run that is out of memory.
    pub(super) fn out_of_memory(&self, full: Full) -> Stop {
        self.limit(match full {
            Full::Limit => Limit::Heap(self.heap.limit().unwrap_or(self.heap.footprint())),
            Full::System => Limit::System(self.heap.footprint()),
        })
    }

    /// Returns the word of a CAF, which gets a node if it has none.
    pub(super) fn caf(&mut self, global: GlobalId) -> Result<Word, Stop> {
        let known = self.mutator.cafs.get(global.0 as usize).copied().unwrap_or(Word::NOTHING);
        if known != Word::NOTHING {
            return Ok(known);
        }
        let Some(Some(thunk)) = self.mutator.image.cafs.get(global).copied() else {
            return Ok(Word::function(global));
        };
        self.reserve(2)?;
        // SAFETY: room was made sure of.
        let word = unsafe { self.heap.alloc(Kind::Thunk, thunk.0, &[Word::ZERO]) };
        if let Some(slot) = self.mutator.cafs.get_mut(global.0 as usize) {
            *slot = word;
            self.mutator.young_cafs.push(global);
        }
        Ok(word)
    }
}
