//! The profile of costs: counters of the loop, samples of the stack, censuses of what is alive.
//!
//! Nothing of it goes by a clock. The machine looks at the profile when it hands out ticks. A sample
//! stands for all that was executed and allocated since the last one; a census follows a full
//! collection, and attributes each node by what its header says: constructor, kind of thunk,
//! function. Both are taken as seldom as it takes to cost no more than a part of the run: samples by
//! how deep the stack is, censuses by how much is alive.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::program::ThunkId;
use super::image::STRIDE;
use super::probe::Counters;
use super::stack::Control;
use super::state::Machine;
use crate::base::index::Idx;
use crate::base::span::Span;
use crate::gcode::program::{ConId, GlobalId};
use crate::machine::costs::{
    Census, Content, Cost, Costs, FunctionCosts, Holder, Live, NodeKind, StackNode,
};
use crate::machine::heap::word::Word;
use crate::machine::heap::{Header, Kind, Walk};
use crate::machine::outcome::Stop;

/// Bytes that are allocated between the first censuses.
const FIRST_INTERVAL: u64 = 64 << 10;
/// Censuses that are kept: of more, every second one is dropped and the interval doubled.
const MOST_CENSUSES: usize = 256;
/// Instructions that a run must have executed for each node that censuses have gone through.
const CENSUS_SHARE: u64 = 8;
/// Bytes of heap and stack from which on growth alone makes a census due.
const LARGE: u64 = 1 << 20;
/// Headers whose group a census has at hand.
const RECENT: usize = 16;
/// How many nodes a frame counts for: a full collection goes through its code too.
const FRAME_NODES: u64 = 24;
/// Instructions that are executed between two samples for each frame that one has gone through.
const SAMPLE_SHARE: u64 = 512;
/// Functions of a stack that are kept: at its bottom, and at its top.
const BOTTOM: usize = 32;
const TOP: usize = 96;

/// The row of what belongs to no function.
const MACHINE: u32 = 0;

/// A profile of costs under way.
pub(super) struct Profiler {
    /// The counters, while no loop has them.
    counters: Option<Counters>,
    functions: Functions,
    samples: u64,
    /// The tree of stacks: parent, function, and the weight of the samples that ended there.
    stacks: Vec<(Option<u32>, Option<u32>, u64)>,
    children: FxHashMap<(Option<u32>, Option<u32>), u32>,
    /// By function: the weight of the samples in which it was the innermost.
    innermost: Vec<u64>,
    /// By innermost function and one that waits: the weight of the samples.
    waits: FxHashMap<(u32, u32), u64>,
    /// By function: the last sample in which it was met.
    met: Vec<u64>,
    /// Instructions at the last sample, and at the earliest time of the next.
    sampled: u64,
    next_sample: u64,
    census: CensusState,
}

/// The functions of a profile: globals with a name in common.
#[derive(Default)]
struct Functions {
    names: Vec<Arc<str>>,
    by_name: FxHashMap<Arc<str>, u32>,
    of_global: Vec<u32>,
}

/// The censuses so far.
struct CensusState {
    holders: Interner<Holder>,
    contents: Interner<Key>,
    all: Vec<Census>,
    interval: u64,
    /// Bytes that had been allocated at the last one.
    last: u64,
    /// Bytes alive then.
    bytes: u64,
    /// Nodes that the last one, and that all have gone through.
    live: u64,
    walked: u64,
}

/// What nodes have in common that a census counts together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Kind(NodeKind),
    Con(ConId),
    Thunk(ThunkId),
    Evaluating(ThunkId),
    Stopped(ThunkId),
    /// By function.
    PartialApplication(u32),
    Frame(u32),
}

/// What a census has counted so far, by holder and content.
#[derive(Default)]
struct Groups {
    live: Vec<Live>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// The group of the last node with such a header that the present holder keeps alive, at a place
    /// that the header chooses.
    recent: [Option<(Header, u32)>; RECENT],
}

impl Groups {
    /// The group of a holder and a content.
    fn group(&mut self, holder: u32, content: u32) -> u32 {
        let live = &mut self.live;
        *self.numbers.entry((holder, content)).or_insert_with(|| {
            live.push(Live { holder, content, nodes: 0, bytes: 0 });
            live.len() as u32 - 1
        })
    }

    /// Another holder follows.
    fn hold(&mut self) {
        self.recent = [None; RECENT];
    }

    /// The group of a node; `find` looks it up if no node of this holder had such a header lately.
    fn of(&mut self, header: Header, find: impl FnOnce(&mut Groups) -> u32) -> u32 {
        // Kinds and constructors differ in few bits, thunks in some more.
        let bits = header.bits();
        let place = (bits ^ (bits >> 8) ^ (bits >> 32)) as usize % RECENT;
        if let Some(&Some((of, group))) = self.recent.get(place)
            && of == header
        {
            return group;
        }
        let group = find(self);
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = Some((header, group));
        }
        group
    }

    fn add(&mut self, group: u32, bytes: u64) {
        if let Some(live) = self.live.get_mut(group as usize) {
            live.nodes += 1;
            live.bytes += bytes;
        }
    }
}

/// What keeps nodes alive.
struct Roots {
    /// Words, in the order in which nodes are attributed to them.
    words: Vec<(Holder, Word)>,
    /// Frames of the stack.
    frames: u64,
}

/// Something on the stack.
enum Part {
    /// A frame.
    Frame {
        /// Its first slot.
        slots: *mut Word,
        /// The global in whose code it is, and where.
        owner: Option<GlobalId>,
        at: u32,
        /// The slot that a value is still to be put in.
        skip: Option<u32>,
        /// Words that it and the control words above it take.
        words: usize,
    },
    /// A thunk to be updated, or an argument that waits.
    Word(Word),
}

/// Values with numbers.
struct Interner<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Copy + Eq + std::hash::Hash> Interner<T> {
    fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.values.len() as u32 - 1
        })
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { values: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl Default for Profiler {
    fn default() -> Profiler {
        Profiler {
            counters: Some(Counters::default()),
            functions: Functions::default(),
            samples: 0,
            stacks: Vec::new(),
            children: FxHashMap::default(),
            innermost: Vec::new(),
            waits: FxHashMap::default(),
            met: Vec::new(),
            sampled: 0,
            next_sample: 0,
            census: CensusState {
                holders: Interner::default(),
                contents: Interner::default(),
                all: Vec::new(),
                interval: FIRST_INTERVAL,
                last: 0,
                bytes: 0,
                live: 0,
                walked: 0,
            },
        }
    }
}

impl Profiler {
    /// Ticks that are handed out at a time: reductions between two looks at the profile.
    pub(super) const TICKS: u32 = 997;
}

impl Functions {
    fn number(&mut self, name: &Arc<str>) -> u32 {
        if let Some(&number) = self.by_name.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.by_name.insert(name.clone(), number);
        number
    }

    fn of(&self, global: Option<GlobalId>) -> u32 {
        let known = global.and_then(|global| self.of_global.get(global.index()));
        known.copied().unwrap_or(MACHINE)
    }
}

impl CensusState {
    /// Keeps a census; drops every second one if there are many, but the largest.
    fn keep(&mut self, census: Census) {
        self.all.push(census);
        if self.all.len() < MOST_CENSUSES {
            return;
        }
        let peak = self.all.iter().map(Census::bytes).max();
        let mut at = 0;
        self.all.retain(|census| {
            at += 1;
            at % 2 == 0 || Some(census.bytes()) == peak
        });
        self.interval *= 2;
    }
}

impl Machine {
    /// The counters, for a loop that begins; `None` if there is no profile.
    pub(super) fn take_counters(&mut self) -> Option<Counters> {
        let profiler = self.profiler.as_mut()?;
        // A loop in a call of the host has counters of its own.
        let mut counters = profiler.counters.take().unwrap_or_default();
        counters.fit(&self.mutator.image.program);
        Some(counters)
    }

    /// Takes the counters back when a loop has ended.
    pub(super) fn give_counters(&mut self, counters: Counters) {
        let Some(profiler) = &mut self.profiler else { return };
        match &mut profiler.counters {
            Some(others) => {
                others.fit(&self.mutator.image.program);
                others.add(&counters);
            }
            none => *none = Some(counters),
        }
    }

    fn cost(&self) -> Cost {
        Cost { instructions: self.counts.instructions, bytes: self.heap.allocated_bytes() }
    }

    /// Takes a sample of the stack and a census, if they are due.
    ///
    /// # Errors
    /// When the collection before a census leaves too little room.
    pub(super) fn observe_costs(&mut self) -> Result<(), Stop> {
        let Some(mut profiler) = self.profiler.take() else { return Ok(()) };
        self.name_functions(&mut profiler);
        let now = self.cost();
        if now.instructions >= profiler.next_sample {
            self.sample_stack(&mut profiler, now);
        }
        let census = &profiler.census;
        let nodes = (census.walked + census.live) * CENSUS_SHARE;
        let grown = self.grown(now).saturating_sub(census.last);
        let is_affordable = grown >= census.interval && now.instructions >= nodes;
        // What grows is looked at each time that it has grown fourfold, which costs no more than a
        // part of what it has taken to grow so far.
        let size = self.heap.old_bytes() + self.depth() as u64 * 8;
        let is_due = is_affordable || size >= (4 * census.bytes).max(LARGE);
        let result = if is_due { self.take_census(&mut profiler, now) } else { Ok(()) };
        self.profiler = Some(profiler);
        result
    }

    /// Bytes that were allocated, the memory of the stack included: what a census has to follow.
    fn grown(&self, now: Cost) -> u64 {
        now.bytes + self.mutator.stack.bytes()
    }

    /// Gives each global its function; the program may have grown.
    fn name_functions(&self, profiler: &mut Profiler) {
        let functions = &mut profiler.functions;
        let image = &self.mutator.image;
        if functions.names.is_empty() {
            functions.number(&"(machine)".into());
        }
        for global in image.program.globals.indices().skip(functions.of_global.len()) {
            let number = functions.number(&image.name(global));
            functions.of_global.push(number);
        }
        profiler.innermost.resize(functions.names.len(), 0);
        profiler.met.resize(functions.names.len(), 0);
    }

    /// Notes who waits for whom. A sample weighs what was executed since the last one; how often a
    /// function costs what it does is counted, only for whom is sampled.
    fn sample_stack(&self, profiler: &mut Profiler, now: Cost) {
        let weight = now.instructions - profiler.sampled;
        profiler.sampled = now.instructions;
        profiler.samples += 1;
        let (mut stack, mut frames) = (Vec::new(), 0);
        self.for_each_part(|part| {
            let Part::Frame { owner, .. } = part else { return };
            frames += 1;
            let function = profiler.functions.of(owner);
            if function != MACHINE && stack.last() != Some(&function) {
                stack.push(function);
            }
        });
        profiler.next_sample = now.instructions + frames * SAMPLE_SHARE;
        let Some(&innermost) = stack.first() else { return };
        if let Some(sum) = profiler.innermost.get_mut(innermost as usize) {
            *sum += weight;
        }
        for &function in &stack {
            if let Some(met) = profiler.met.get_mut(function as usize)
                && std::mem::replace(met, profiler.samples) != profiler.samples
                && function != innermost
            {
                *profiler.waits.entry((innermost, function)).or_default() += weight;
            }
        }
        let mut path: Vec<Option<u32>> = stack.into_iter().rev().map(Some).collect();
        if path.len() > BOTTOM + TOP {
            path.splice(BOTTOM..path.len() - TOP, [None]);
        }
        let mut parent = None;
        for function in path {
            let next = profiler.stacks.len() as u32;
            let node = *profiler.children.entry((parent, function)).or_insert(next);
            if node == next {
                profiler.stacks.push((parent, function, 0));
            }
            parent = Some(node);
        }
        if let Some(node) = parent.and_then(|node| profiler.stacks.get_mut(node as usize)) {
            node.2 += weight;
        }
    }

    /// Calls `each` for all that is on the stack, from its top down.
    fn for_each_part(&self, mut each: impl FnMut(Part)) {
        let base = self.mutator.stack.base();
        let image = &self.mutator.image;
        let (mut at, mut end, mut words) = (self.at(), self.fp.0, self.top() as usize);
        let mut skip = None;
        loop {
            each(Part::Frame { slots: end, owner: image.owner(at), at, skip, words });
            words = 0;
            loop {
                if end <= base {
                    return;
                }
                let (control, span) = self.control_below(end);
                let below = end.wrapping_sub(span);
                words += span;
                match control {
                    Control::Update(thunk) => each(Part::Word(thunk)),
                    Control::Apply { count, .. } => {
                        for n in 0..count as usize {
                            // SAFETY: the arguments are below the control word.
                            each(Part::Word(unsafe { *below.add(n) }));
                        }
                    }
                    _ => {}
                }
                end = below;
                (at, skip) = match control {
                    Control::Return { at, base } | Control::Try { at, base } => (at, Some(base)),
                    Control::Evaluate { at, .. }
                    | Control::Resume { at, .. }
                    | Control::Stop { at, .. } => (at, None),
                    Control::Update(_) | Control::Apply { .. } | Control::Mark => continue,
                };
                break;
            }
            if end <= base {
                return;
            }
        }
    }

    /// Collects everything that is dead, and counts what is alive.
    fn take_census(&mut self, profiler: &mut Profiler, now: Cost) -> Result<(), Stop> {
        // It is no pause of the program's.
        let clock = self.clock.take();
        let collected = self.collect_all();
        self.clock = clock;
        collected?;
        let grown = self.grown(now);
        let functions = &profiler.functions;
        let state = &mut profiler.census;
        let mut groups = Groups::default();
        let mut stacks: Vec<Option<u32>> = vec![None; functions.names.len()];
        let roots = self.roots(functions, |function, bytes| {
            let mut find = || {
                let holder = state.holders.number(Holder::Function(function));
                groups.group(holder, state.contents.number(Key::Frame(function)))
            };
            let group = match stacks.get_mut(function as usize) {
                Some(known) => *known.get_or_insert_with(find),
                None => find(),
            };
            groups.add(group, bytes);
        });
        let (image, mutator) = (self.mutator.image.clone(), &mut self.mutator);
        let (mut nodes, mut counted) = (roots.frames * FRAME_NODES, 0);
        // SAFETY: a full collection is over, and its result is the heap as it is.
        let mut walk: Walk<'_> = unsafe { self.heap.walk_live() };
        let mut last: Option<(Holder, u32)> = None;
        for (holder, word) in roots.words {
            let number = match last.filter(|(of, _)| *of == holder) {
                Some((_, number)) => number,
                None => {
                    groups.hold();
                    state.holders.number(holder)
                }
            };
            last = Some((holder, number));
            let mut count = |header: Header, bytes: u64| {
                nodes += 1;
                counted += bytes;
                let group = groups.of(header, |groups| {
                    groups.group(number, state.contents.number(key(header, functions)))
                });
                groups.add(group, bytes);
            };
            // SAFETY: the words of the machine are words of its heap.
            unsafe { walk.visit(word, &mut count) };
            while let Some(id) = walk.suspended.pop() {
                let mut words = Vec::new();
                mutator.saved.visit(id, &image, |_| {}, &mut |word| words.push(*word));
                for word in words {
                    // SAFETY: as above.
                    unsafe { walk.visit(word, &mut count) };
                }
            }
        }
        drop(walk);
        // What a full collection leaves is alive, so the walk has met each node once.
        debug_assert_eq!(counted, self.heap.old_bytes(), "a census counts what is alive");
        state.last = grown;
        state.live = nodes;
        state.walked += nodes;
        let mut live = groups.live;
        live.sort_by_key(|live| (live.holder, live.content));
        let census = Census { at: now, live };
        state.bytes = census.bytes();
        state.keep(census);
        Ok(())
    }

    /// What keeps nodes alive; `frame` is told of the stack itself, by function, in bytes.
    fn roots(&mut self, functions: &Functions, mut frame: impl FnMut(u32, u64)) -> Roots {
        let mut roots = Vec::new();
        for (at, &word) in self.mutator.cafs.iter().enumerate() {
            if word != Word::NOTHING {
                roots.push((Holder::Constant(functions.of(Some(GlobalId::new(at)))), word));
            }
        }
        let image = self.mutator.image.clone();
        let (mut frames, mut count): (Vec<(Holder, Word)>, u64) = (Vec::new(), 0);
        self.for_each_part(|part| {
            let (slots, owner, at, skip, words) = match part {
                Part::Frame { slots, owner, at, skip, words } => (slots, owner, at, skip, words),
                Part::Word(word) => {
                    // Of the frame above.
                    let holder = frames
                        .last()
                        .map_or(Holder::Function(MACHINE), |last: &(Holder, Word)| last.0);
                    frames.push((holder, word));
                    return;
                }
            };
            count += 1;
            let function = functions.of(owner);
            let holder = Holder::Function(function);
            if words > 0 {
                frame(function, words as u64 * 8);
            }
            let first = frames.len();
            for &slot in image.live_slots(at) {
                if skip != Some(slot) {
                    // SAFETY: slots that are alive are slots of the frame, and written (rules of
                    // compact code).
                    frames.push((holder, unsafe { *slots.add(slot as usize) }));
                }
            }
            if let Some(frames) = frames.get_mut(first..) {
                frames.reverse();
            }
        });
        roots.extend(frames.into_iter().rev());
        let handles = self.mutator.handles.live().map(|word| (Holder::Handles, *word));
        roots.extend(handles);
        roots.extend(self.mutator.printing.iter().map(|word| (Holder::Output, *word)));
        Roots { words: roots, frames: count }
    }
}

/// What a node counts as.
fn key(header: Header, functions: &Functions) -> Key {
    let thunk = || ThunkId(header.info());
    match header.kind() {
        Kind::Con => Key::Con(ConId(header.info())),
        Kind::Thunk => Key::Thunk(thunk()),
        Kind::Hole if header.info() == Header::UNFILLED => Key::Kind(NodeKind::Evaluating),
        Kind::Hole => Key::Evaluating(thunk()),
        Kind::Suspended => Key::Stopped(thunk()),
        Kind::Pap => Key::PartialApplication(functions.of(Some(GlobalId(header.info())))),
        Kind::Big | Kind::Huge => Key::Kind(NodeKind::Integer),
        Kind::Float => Key::Kind(NodeKind::Float),
        Kind::Text | Kind::Input => Key::Kind(NodeKind::Text),
        Kind::Array => Key::Kind(NodeKind::Array),
        Kind::Bytes | Kind::Buffer | Kind::Ind => Key::Kind(NodeKind::Bytes),
    }
}

impl Machine {
    /// The costs so far.
    pub(super) fn report_costs(&self) -> Option<Costs> {
        let profiler = self.profiler.as_ref()?;
        let counters = profiler.counters.as_ref()?;
        let functions = &profiler.functions;
        let mut rows: Vec<FunctionCosts> = functions
            .names
            .iter()
            .map(|name| FunctionCosts { name: name.clone(), ..FunctionCosts::default() })
            .collect();
        self.add_code(&mut rows, counters, functions);
        self.add_thunks(&mut rows, counters, functions);
        let totals = crate::machine::Machine::statistics(self);
        let total = Cost { instructions: totals.instructions, bytes: totals.allocated_bytes };
        // What the machine does outside of code: printing, host functions.
        let sum = |of: fn(&FunctionCosts) -> u64| rows.iter().map(of).sum::<u64>();
        let rest = FunctionCosts {
            reductions: totals.reductions.saturating_sub(sum(|row| row.reductions)),
            own: Cost {
                instructions: total.instructions.saturating_sub(sum(|row| row.own.instructions)),
                bytes: total.bytes.saturating_sub(sum(|row| row.own.bytes)),
            },
            thunks_made: totals.thunks_made.saturating_sub(sum(|row| row.thunks_made)),
            thunks_entered: totals.thunks_entered.saturating_sub(sum(|row| row.thunks_entered)),
            thunks_updated: totals.thunks_updated.saturating_sub(sum(|row| row.thunks_updated)),
            ..FunctionCosts::default()
        };
        if let Some(machine) = rows.first_mut() {
            machine.reductions += rest.reductions;
            machine.own.add(rest.own);
            machine.thunks_made += rest.thunks_made;
            machine.thunks_entered += rest.thunks_entered;
            machine.thunks_updated += rest.thunks_updated;
        }
        let own: Vec<Cost> = rows.iter().map(|row| row.own).collect();
        // The share of what a function costs itself that falls on samples of some weight.
        let share = |function: u32, weight: u64| {
            let own = own.get(function as usize).copied().unwrap_or_default();
            let all = profiler.innermost.get(function as usize).copied().unwrap_or(0).max(1);
            let of = |part: u64| {
                let part = u128::from(part) * u128::from(weight) / u128::from(all);
                u64::try_from(part).unwrap_or(u64::MAX)
            };
            Cost { instructions: of(own.instructions), bytes: of(own.bytes) }
        };
        for row in &mut rows {
            row.inherited = row.own;
        }
        for (&(innermost, waiting), &weight) in &profiler.waits {
            if let Some(row) = rows.get_mut(waiting as usize) {
                row.inherited.add(share(innermost, weight));
            }
        }
        let stacks = profiler.stacks.iter().map(|&(parent, function, weight)| StackNode {
            parent,
            function,
            cost: function.map_or(Cost::default(), |function| share(function, weight)),
        });
        let census = &profiler.census;
        Some(Costs {
            functions: rows,
            samples: profiler.samples,
            stacks: stacks.collect(),
            holders: census.holders.values.clone(),
            contents: census
                .contents
                .values
                .iter()
                .map(|key| self.described(*key, functions))
                .collect(),
            censuses: census.all.clone(),
            totals,
        })
    }

    /// Adds what was counted by instruction and by global.
    fn add_code(&self, rows: &mut [FunctionCosts], counters: &Counters, functions: &Functions) {
        for (at, site) in counters.sites.iter().enumerate() {
            if site.executed > 0 || site.bytes > 0 {
                let owner = self.mutator.image.owner(at as u32 * STRIDE);
                if let Some(row) = rows.get_mut(functions.of(owner) as usize) {
                    row.own.add(Cost { instructions: site.executed, bytes: site.bytes });
                    row.reductions += site.partial;
                }
            }
        }
        for (at, calls) in counters.calls.iter().enumerate() {
            let row = rows.get_mut(functions.of(Some(GlobalId::new(at))) as usize);
            if let Some(row) = row {
                row.calls += calls;
                row.reductions += calls;
            }
        }
    }

    /// Adds what was counted by kind of thunk.
    fn add_thunks(&self, rows: &mut [FunctionCosts], counters: &Counters, functions: &Functions) {
        let image = &self.mutator.image;
        for (thunk, counts) in image.program.thunks.iter().zip(&counters.thunks) {
            if let Some(row) = rows.get_mut(functions.of(Some(thunk.owner)) as usize) {
                row.thunks_made += counts.made;
                row.thunks_entered += counts.entered;
                row.thunks_updated += counts.updated;
            }
            let start = thunk.entry.pc.0;
            let called = counters.start(start as usize);
            let runs = called.or_else(|| image.owner(start * STRIDE));
            if let Some(row) = rows.get_mut(functions.of(runs) as usize) {
                row.reductions += counts.entered;
                row.calls += if called.is_some() { counts.entered } else { 0 };
            }
        }
    }

    fn described(&self, key: Key, functions: &Functions) -> Content {
        let program = &self.mutator.image.program;
        let none = |kind| Content { kind, constructor: None, function: None, span: Span::NONE };
        let of_thunk = |kind, thunk| {
            let thunk = program.thunks.get(thunk);
            Content {
                function: thunk.map(|thunk| functions.of(Some(thunk.owner))),
                span: thunk.map_or(Span::NONE, |thunk| program.gcode.places.text(thunk.span)),
                ..none(kind)
            }
        };
        match key {
            Key::Kind(kind) => none(kind),
            Key::Con(con) => {
                let name = program.gcode.cons.get(con).map(|con| con.name.clone());
                Content {
                    constructor: Some(name.unwrap_or_else(|| "(host value)".into())),
                    ..none(NodeKind::Constructor)
                }
            }
            Key::Thunk(thunk) => of_thunk(NodeKind::Thunk, thunk),
            Key::Evaluating(thunk) => of_thunk(NodeKind::Evaluating, thunk),
            Key::Stopped(thunk) => of_thunk(NodeKind::Stopped, thunk),
            Key::PartialApplication(function) => {
                Content { function: Some(function), ..none(NodeKind::PartialApplication) }
            }
            Key::Frame(function) => Content { function: Some(function), ..none(NodeKind::Frame) },
        }
    }
}
