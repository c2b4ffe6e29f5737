//! Censuses for the profile of costs: what is alive at a moment, who keeps it, and by which paths.
//!
//! A census goes through the live nodes where they are (`heap/census.rs`) and attributes each by
//! what its header says: constructor, kind of thunk, function. It is taken as seldom as it takes to
//! cost no more than a part of the run, in nodes and instructions, not by a clock.
//!
//! A constant is alive if code that something alive can run refers to it, as for the collector. All
//! such constants are known at the end of a walk only, and they come before the stack among those
//! that keep things alive. So a census begins with those that the code on the stack refers to,
//! which are nearly always all of them; if others turn up, it begins again.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::program::ThunkId;
use super::frames::{Part, Parts};
use super::image::{Image, index};
use super::profiler::Functions;
use super::state::{Machine, MutatorState};
use crate::base::bit_set::BitSet;
use crate::base::index::Idx;
use crate::base::span::Span;
use crate::gcode::program::{ConId, GlobalId};
use crate::machine::costs::{Census, Content, Cost, Holder, Live, NodeKind, Path};
use crate::machine::heap::word::Word;
use crate::machine::heap::{Code, Header, Kind, Walk};

/// Bytes that are allocated between the first censuses.
const FIRST_INTERVAL: u64 = 64 << 10;
/// Censuses that are kept: of more, every second one is dropped and the interval doubled.
const MOST_CENSUSES: usize = 256;
/// Instructions that a run must have executed for each node that censuses have gone through.
const CENSUS_SHARE: u64 = 16;
/// Bytes of heap and stack from which on growth alone makes a census due.
const LARGE: u64 = 1 << 20;
/// How many nodes a frame counts for: it is gone through twice.
const FRAME_NODES: u64 = 6;
/// Paths of which a census keeps the last step at hand.
const RECENT: usize = 16;
/// Paths that a census tells apart; what others lead to counts as found at their holder.
const MOST_PATHS: usize = 4096;
/// Frames that are gone through at a time, from the outermost to the innermost.
const BATCH: usize = 1024;

/// The censuses so far.
pub(super) struct Censuses {
    holders: Interner<Holder>,
    contents: Interner<Key>,
    all: Vec<Census>,
    /// The largest one's bytes, and its paths.
    most: u64,
    paths: Vec<Path>,
    interval: u64,
    /// What there was at the last census: bytes that had been allocated, bytes of old space and
    /// stack, and the work that it took.
    last: u64,
    size: u64,
    work: u64,
    /// The work that all censuses have taken.
    worked: u64,
}

/// What nodes have in common that a census counts together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Kind(NodeKind),
    Con(ConId),
    Thunk(ThunkId),
    Evaluating(ThunkId),
    Stopped(ThunkId),
    /// Partial applications of a function.
    PartialApplication(u32),
    Frame(u32),
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

impl Default for Censuses {
    fn default() -> Censuses {
        Censuses {
            holders: Interner::default(),
            contents: Interner::default(),
            all: Vec::new(),
            most: 0,
            paths: Vec::new(),
            interval: FIRST_INTERVAL,
            last: 0,
            size: 0,
            work: 0,
            worked: 0,
        }
    }
}

impl Censuses {
    /// Keeps a census; drops every second one if there are many, but the largest.
    fn keep(&mut self, census: Census, paths: Vec<Path>) {
        let bytes = census.bytes();
        if bytes > self.most || self.all.is_empty() {
            (self.most, self.paths) = (bytes, paths);
        }
        self.all.push(census);
        if self.all.len() < MOST_CENSUSES {
            return;
        }
        let mut at = 0;
        self.all.retain(|census| {
            at += 1;
            at % 2 == 0 || census.bytes() == self.most
        });
        self.interval *= 2;
    }
}

/// The paths of a census: a tree. A place in it is the number of a node.
#[derive(Default)]
struct Paths {
    tree: Vec<Path>,
    roots: FxHashMap<u32, u32>,
    children: FxHashMap<(u32, u32), u32>,
    /// Steps that were taken lately, each where its parts choose: from where, to what node, where to.
    recent: [Option<(u32, Header, u32)>; RECENT],
}

impl Paths {
    fn push(&mut self, path: Path) -> u32 {
        self.tree.push(path);
        self.tree.len() as u32 - 1
    }

    /// Returns the place of what a holder keeps itself.
    fn root(&mut self, holder: u32) -> u32 {
        if let Some(&root) = self.roots.get(&holder) {
            return root;
        }
        let root = self.push(Path { parent: None, holder, content: None, nodes: 0, bytes: 0 });
        self.roots.insert(holder, root);
        root
    }

    /// Returns the place of nodes that those of another place lead to. Nodes that lead to others of
    /// their content, as the cells of a list do, have the same place as these.
    fn child(&mut self, parent: u32, content: u32) -> u32 {
        let mut at = parent;
        let root = loop {
            match self.tree.get(at as usize) {
                Some(path) if path.content == Some(content) => return at,
                Some(Path { parent: Some(above), .. }) => at = *above,
                _ => break at,
            }
        };
        if let Some(&child) = self.children.get(&(parent, content)) {
            return child;
        }
        let parent = if self.tree.len() < MOST_PATHS { parent } else { root };
        let holder = self.tree.get(root as usize).map_or(0, |root| root.holder);
        let next = self.tree.len() as u32;
        let child = *self.children.entry((parent, content)).or_insert(next);
        if child == next {
            let (parent, content) = (Some(parent), Some(content));
            self.tree.push(Path { parent, holder, content, nodes: 0, bytes: 0 });
        }
        child
    }

    fn add(&mut self, place: u32, bytes: u64) {
        if let Some(path) = self.tree.get_mut(place as usize) {
            path.nodes += 1;
            path.bytes += bytes;
        }
    }

    /// Counts a node that `place` leads to, and returns its place; `content` numbers what it is.
    #[inline]
    fn count(
        &mut self,
        place: u32,
        header: Header,
        bytes: u64,
        content: impl FnOnce() -> u32,
    ) -> u32 {
        // Kinds and constructors differ in few bits, thunks in some more.
        let bits = header.bits();
        let at = (bits ^ (bits >> 8) ^ (bits >> 32)) as usize ^ place as usize;
        let known = self.recent[at % RECENT];
        let child = match known {
            Some((from, of, child)) if from == place && of == header => child,
            _ => {
                let child = self.child(place, content());
                self.recent[at % RECENT] = Some((place, header, child));
                child
            }
        };
        self.add(child, bytes);
        child
    }

    /// Returns what is alive by holder and content.
    fn live(&self) -> Vec<Live> {
        let mut rows: Vec<Live> = Vec::new();
        let mut numbers: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for &Path { holder, content, nodes, bytes, .. } in &self.tree {
            let Some(content) = content else { continue };
            let next = rows.len();
            let at = *numbers.entry((holder, content)).or_insert(next);
            match rows.get_mut(at) {
                Some(row) => {
                    row.nodes += nodes;
                    row.bytes += bytes;
                }
                None => rows.push(Live { holder, content, nodes, bytes }),
            }
        }
        rows.sort_by_key(|row| (row.holder, row.content));
        rows
    }
}

impl Machine {
    /// Takes a census, if one is due.
    pub(super) fn observe_memory(
        &mut self,
        functions: &Functions,
        censuses: &mut Censuses,
        now: Cost,
    ) {
        // The memory of the stack is allocated too, and a census has to follow it.
        let allocated = now.bytes + self.mutator.stack.bytes();
        let size = self.heap.old_bytes() + self.depth() as u64 * 8;
        let is_affordable = allocated.saturating_sub(censuses.last) >= censuses.interval
            && now.instructions >= (censuses.worked + censuses.work) * CENSUS_SHARE;
        // What grows is looked at each time that it has grown fourfold, which costs no more than a
        // part of what it has taken to grow so far.
        if !is_affordable && size < (4 * censuses.size).max(LARGE) {
            return;
        }
        let (mut constants, mut work) = (Vec::new(), 0);
        let paths = loop {
            let mut count = self.count_live(functions, censuses, constants);
            let is_complete = count.run();
            work += count.work;
            if is_complete {
                break count.paths;
            }
            constants = count.constants;
        };
        (censuses.last, censuses.size, censuses.work) = (allocated, size, work);
        censuses.worked += work;
        censuses.keep(Census { at: now, live: paths.live() }, paths.tree);
    }

    /// Starts a count that begins with these constants.
    fn count_live<'a>(
        &'a mut self,
        functions: &'a Functions,
        censuses: &'a mut Censuses,
        constants: Vec<GlobalId>,
    ) -> Count<'a> {
        let top = self.stack_parts();
        let image = self.mutator.image.clone();
        let mut known = BitSet::EMPTY;
        for constant in &constants {
            known.insert(constant.0);
        }
        Count {
            top,
            walk: self.heap.walk_live(),
            mutator: &mut self.mutator,
            visited: vec![u32::MAX; image.program.owners.len()],
            image,
            functions,
            holders: &mut censuses.holders,
            contents: &mut censuses.contents,
            paths: Paths::default(),
            positions: FxHashMap::default(),
            constants,
            known,
            work: 0,
        }
    }
}

/// A census under way.
struct Count<'a> {
    top: Parts,
    walk: Walk<'a>,
    mutator: &'a mut MutatorState,
    image: Arc<Image>,
    functions: &'a Functions,
    holders: &'a mut Interner<Holder>,
    contents: &'a mut Interner<Key>,
    paths: Paths,
    /// For each piece of code, from which instruction on it was gone through.
    visited: Vec<u32>,
    /// For positions of frames: the places of what they keep, and of themselves.
    positions: FxHashMap<u32, (u32, u32)>,
    /// The constants that were found.
    constants: Vec<GlobalId>,
    known: BitSet,
    work: u64,
}

impl Count<'_> {
    /// Counts everything that is alive. Returns false if constants turned up that had to come
    /// first: they are among `constants` now.
    fn run(&mut self) -> bool {
        let starts = self.count_frames();
        let mut at = 0;
        while let Some(&global) = self.constants.get(at) {
            let place = self.root(Holder::Constant(self.functions.of(Some(global))));
            self.visit(self.constant(global), place);
            at += 1;
        }
        for start in starts.into_iter().rev() {
            for (place, word) in self.words_of(start).into_iter().rev() {
                self.visit(word, place);
            }
        }
        let place = self.root(Holder::Handles);
        let handles: Vec<Word> = self.mutator.handles.live().map(|word| *word).collect();
        handles.into_iter().for_each(|word| self.visit(word, place));
        let place = self.root(Holder::Output);
        for at in 0..self.mutator.printing.len() {
            self.visit(self.mutator.printing[at], place);
        }
        self.work += self.walk.work + self.visited.len() as u64 / 16;
        // One that is no node keeps nothing alive.
        let late = self.constants.get(at..).unwrap_or_default();
        !late.iter().any(|global| self.constant(*global).is_pointer())
    }

    /// Returns the value of a constant.
    fn constant(&self, global: GlobalId) -> Word {
        self.mutator.cafs.get(global.index()).copied().unwrap_or(Word::NOTHING)
    }

    fn root(&mut self, holder: Holder) -> u32 {
        self.paths.root(self.holders.number(holder))
    }

    /// Counts the frames of the stack, and finds the constants that their code refers to. Returns
    /// where each batch of frames begins.
    fn count_frames(&mut self) -> Vec<Parts> {
        let (mut parts, mut starts, mut frames) = (self.top, Vec::new(), 0);
        loop {
            let before = parts;
            let frame = match parts.next(self.mutator) {
                Some(Part::Frame(frame)) => frame,
                Some(_) => continue,
                None => break,
            };
            if frames % BATCH == 0 {
                starts.push(before);
            }
            frames += 1;
            let (_, own) = match self.positions.get(&frame.at) {
                Some(&places) => places,
                None => self.position(frame.at),
            };
            if frame.words > 0 {
                self.paths.add(own, frame.words as u64 * 8);
            }
        }
        self.work += frames as u64 * FRAME_NODES;
        starts
    }

    /// Returns the places for frames that stand at a position, which no frame was met at before.
    fn position(&mut self, at: u32) -> (u32, u32) {
        let function = self.functions.of(self.image.owner(at));
        let root = self.root(Holder::Function(function));
        let own = self.paths.child(root, self.contents.number(Key::Frame(function)));
        self.positions.insert(at, (root, own));
        self.reach_code(index(at) as u32);
        (root, own)
    }

    /// Returns what the frames of a batch hold, with its place, from the innermost to the
    /// outermost.
    fn words_of(&self, mut parts: Parts) -> Vec<(u32, Word)> {
        let (mut words, mut frames, mut place) = (Vec::new(), 0, 0);
        while let Some(part) = parts.next(self.mutator) {
            let first = words.len();
            match part {
                Part::Frame(_) if frames == BATCH => break,
                Part::Frame(frame) => {
                    frames += 1;
                    place = self.positions.get(&frame.at).map_or(0, |(root, _)| *root);
                    words.extend(frame.live(&self.image).map(|word| (place, word)));
                }
                Part::Thunk(thunk) => words.push((place, thunk)),
                Part::Arguments { first, count } => {
                    // SAFETY: so many words are there.
                    words.extend((0..count).map(|at| (place, unsafe { *first.add(at) })));
                }
            }
            if let Some(words) = words.get_mut(first..) {
                words.reverse();
            }
        }
        words
    }

    /// Goes through code, and notes the constants that it refers to.
    fn reach_code(&mut self, from: u32) {
        let (cafs, known) = (&self.mutator.cafs, &mut self.known);
        let constants = &mut self.constants;
        self.image.reach(from, &mut self.visited, &mut |global| {
            let has_value = cafs.get(global.index()).is_some_and(|word| *word != Word::NOTHING);
            if has_value && known.insert(global.0) {
                constants.push(global);
            }
            has_value
        });
    }

    /// Counts what a word leads to.
    fn visit(&mut self, word: Word, place: u32) {
        self.count(word, place);
        loop {
            if let Some((number, place)) = self.walk.suspended.pop() {
                let (mut words, mut positions) = (Vec::new(), Vec::new());
                let (position, word) =
                    (|at| positions.push(at), &mut |word: &mut Word| words.push(*word));
                self.mutator.saved.visit(number, &self.image, position, word);
                positions.into_iter().for_each(|at| self.reach_code(index(at) as u32));
                words.into_iter().for_each(|word| self.count(word, place));
            } else if let Some(code) = self.walk.codes.pop() {
                let program = &self.image.program;
                let entry = match code {
                    Code::Thunk(thunk) => {
                        program.thunks.get(ThunkId(thunk)).map(|thunk| thunk.entry)
                    }
                    Code::Function(global) => program.globals.get(global).copied(),
                };
                if let Some(entry) = entry {
                    self.reach_code(entry.pc.0);
                }
            } else {
                return;
            }
        }
    }

    /// Counts what a word leads to, but through code and stopped evaluations.
    fn count(&mut self, word: Word, place: u32) {
        let Count { walk, paths, contents, functions, .. } = self;
        // SAFETY: the words of the machine are words of its heap.
        unsafe {
            walk.visit(word, place, &mut |place, header, bytes| {
                paths.count(place, header, bytes, || contents.number(key(header, functions)))
            });
        }
    }
}

/// Returns what a node counts as.
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
    /// Returns what the censuses have found, for a report.
    pub(super) fn report_memory(
        &self,
        functions: &Functions,
        censuses: &Censuses,
    ) -> (Vec<Holder>, Vec<Content>, Vec<Census>, Vec<Path>) {
        let contents = censuses.contents.values.iter();
        let contents = contents.map(|key| self.described(*key, functions)).collect();
        (censuses.holders.values.clone(), contents, censuses.all.clone(), censuses.paths.clone())
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
