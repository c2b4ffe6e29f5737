//! Birth numbers: names of nodes that stay when a collection moves them.
//!
//! A node has no room for a name, and a heap that nobody watches pays for none. One that is watched
//! keeps a table of addresses. What is new is found in Eden, where nodes stand one after another in
//! the order in which they were made; a collection tells where each node has gone, or that it is
//! dead. Words that are no pointers are named too, each value once, so that fields are names.

use rustc_hash::FxHashMap;

use super::compact::place;
use super::mark::is_marked;
use super::word::{Tag, Word};
use super::{Header, Heap, Kind, node_at};
use crate::base::integer::Integer;
use crate::machine::events::NodeId;

/// What a heap that is watched has to tell.
#[derive(Debug)]
pub enum Told {
    /// A node was made.
    Born {
        /// The node.
        node: NodeId,
        /// Its header when it was first seen.
        header: Header,
        /// What its payload leads to, if it is words.
        parts: Vec<NodeId>,
        /// Its first payload word, as bits; of a byte string, its length.
        first: u64,
        /// Its value, if it is an integer.
        integer: Option<Integer>,
    },
    /// A word that is no pointer has been met for the first time.
    Value(NodeId, Word),
    /// A hole has become something: a node born for it, or another one.
    Filled(NodeId, NodeId),
    /// A thunk was updated.
    Updated(NodeId, NodeId),
    /// A node was found dead.
    Dead(NodeId),
}

/// The names of the nodes of a heap.
#[derive(Default, Debug)]
pub struct Identities {
    young: FxHashMap<usize, NodeId>,
    old: FxHashMap<usize, NodeId>,
    /// The names of words that are no pointers.
    values: FxHashMap<u64, NodeId>,
    /// For each node that a hole was filled with, the hole, which dies with it.
    holes_of: FxHashMap<NodeId, NodeId>,
    last: NodeId,
    /// Where the nodes of Eden that were seen end.
    seen: usize,
    /// Nodes that have a name and were not told of.
    fresh: Vec<(usize, NodeId)>,
    /// Holes that nobody has filled.
    holes: Vec<usize>,
    /// Thunks under evaluation that may be updated before anybody looks again.
    expected: Vec<usize>,
    told: Vec<Told>,
}

impl Identities {
    fn next(&mut self) -> NodeId {
        self.last += 1;
        self.last
    }

    /// Forgets nodes and tells their deaths, in the order of their births.
    fn bury(&mut self, mut dead: Vec<NodeId>) {
        let holes: Vec<NodeId> = dead.iter().filter_map(|id| self.holes_of.remove(id)).collect();
        dead.extend(holes);
        dead.sort_unstable();
        self.told.extend(dead.into_iter().map(Told::Dead));
    }

    /// Updates the addresses of the nodes that are waited for; `to` returns where each has gone, if
    /// it is alive.
    fn follow(&mut self, to: impl Fn(usize) -> Option<usize>) {
        for list in [&mut self.holes, &mut self.expected] {
            *list = list.iter().filter_map(|&address| to(address)).collect();
        }
    }
}

impl Heap {
    /// Gives nodes names from now on.
    pub fn watch(&mut self) {
        self.identities = Some(Box::default());
    }

    /// Takes what there is to tell.
    pub fn take_told(&mut self) -> Vec<Told> {
        self.identities.as_mut().map(|names| std::mem::take(&mut names.told)).unwrap_or_default()
    }

    /// Finds what was made since it was looked for last, and which holes were filled.
    ///
    /// # Safety
    /// The nodes in Eden are written.
    pub unsafe fn look(&mut self) {
        let Some(mut names) = self.identities.take() else { return };
        let (start, end) = (self.nursery.start(), self.free.next.addr());
        let mut at = if (start..=end).contains(&names.seen) { names.seen } else { start };
        while at < end {
            let id = names.next();
            names.young.insert(at, id);
            names.fresh.push((at, id));
            // SAFETY: nodes stand there one after another, up to `end`.
            at += unsafe { Header::from_bits(*node_at(at)) }.node_words() * 8;
        }
        names.seen = end;
        // SAFETY: they are nodes of this heap.
        unsafe {
            self.describe(&mut names);
            self.fill_holes(&mut names);
        }
        self.identities = Some(names);
    }

    /// Returns the name of a word.
    ///
    /// # Safety
    /// It is a word of this heap, and what was made has been looked for.
    pub unsafe fn name(&mut self, word: Word) -> NodeId {
        let Some(mut names) = self.identities.take() else { return 0 };
        let id = self.part(&mut names, word);
        // SAFETY: the caller's promise.
        unsafe { self.describe(&mut names) };
        self.identities = Some(names);
        id
    }

    /// Notes thunks under evaluation that may be updated, in this order, before anybody looks.
    pub fn expect_updates(&mut self, thunks: Vec<Word>) {
        if let Some(names) = &mut self.identities {
            names.expected = thunks.into_iter().map(Word::address).collect();
        }
    }

    /// Tells which of the thunks that were expected to be updated have been, and forgets the others.
    ///
    /// # Safety
    /// As [`look`](Heap::look).
    pub unsafe fn conclude_updates(&mut self) {
        // SAFETY: the caller's promise.
        unsafe { self.tell_updates() };
        if let Some(names) = &mut self.identities {
            names.expected.clear();
        }
    }

    /// Tells what has become of the thunks whose updates are expected.
    ///
    /// # Safety
    /// As [`look`](Heap::look).
    unsafe fn tell_updates(&mut self) {
        // SAFETY: the caller's promise.
        unsafe { self.look() };
        let Some(mut names) = self.identities.take() else { return };
        for address in std::mem::take(&mut names.expected) {
            // SAFETY: thunks that are expected are nodes, and an indirection has a payload word.
            let with = unsafe {
                let is_updated = Header::from_bits(*node_at(address)).kind() == Kind::Ind;
                is_updated.then(|| Word::from_bits(*node_at(address).add(1)))
            };
            let Some(with) = with else {
                names.expected.push(address);
                continue;
            };
            let node = self.part(&mut names, Word::pointer(address, Tag::Unknown));
            let with = self.part(&mut names, with);
            // SAFETY: they are nodes of this heap.
            unsafe { self.describe(&mut names) };
            names.told.push(Told::Updated(node, with));
        }
        self.identities = Some(names);
    }

    /// Returns the name of a word; a node that has none, because it was made before anybody watched
    /// or is a large one, gets one and is to be described.
    fn part(&self, names: &mut Identities, word: Word) -> NodeId {
        if !word.is_pointer() {
            if let Some(&id) = names.values.get(&word.bits()) {
                return id;
            }
            let id = names.next();
            names.values.insert(word.bits(), id);
            names.told.push(Told::Value(id, word));
            return id;
        }
        let address = word.address();
        let is_young = self.nursery.holds(address);
        let known = if is_young { names.young.get(&address) } else { names.old.get(&address) };
        if let Some(&id) = known {
            return id;
        }
        let id = names.next();
        if is_young { &mut names.young } else { &mut names.old }.insert(address, id);
        names.fresh.push((address, id));
        id
    }

    /// Tells of the nodes that have got their names.
    ///
    /// # Safety
    /// They are nodes of this heap.
    unsafe fn describe(&self, names: &mut Identities) {
        let (begun, mut at) = (names.told.len(), 0);
        while let Some(&(address, node)) = names.fresh.get(at) {
            at += 1;
            let word = Word::pointer(address, Tag::Unknown);
            // SAFETY: the caller's promise; every node has a payload word.
            let (header, first) = unsafe { (self.header(word), *node_at(address).add(1)) };
            if header.kind() == Kind::Hole && header.info() == Header::UNFILLED {
                names.holes.push(address);
            }
            let first = match header.kind() {
                // SAFETY: it is a byte string.
                Kind::Bytes => unsafe { self.bytes(word) }.len() as u64,
                _ => first,
            };
            // SAFETY: the payload of these kinds are words.
            let words: Vec<Word> = unsafe {
                match header.kind() {
                    Kind::Con | Kind::Thunk | Kind::Pap => self.fields(word).to_vec(),
                    Kind::Array => self.elements(word).to_vec(),
                    Kind::Ind => vec![Word::from_bits(first)],
                    _ => Vec::new(),
                }
            };
            let words = words.into_iter().filter(|word| *word != Word::NOTHING);
            let parts = words.map(|word| self.part(names, word)).collect();
            // SAFETY: it is a node.
            let integer = unsafe { self.integer(word) }.map(std::borrow::Cow::into_owned);
            names.told.push(Told::Born { node, header, parts, first, integer });
        }
        names.fresh.clear();
        // In the order of their numbers, whichever were met in which.
        names.told[begun..].sort_by_key(|told| match told {
            Told::Born { node, .. } | Told::Value(node, _) => *node,
            Told::Filled(..) | Told::Updated(..) | Told::Dead(_) => NodeId::MAX,
        });
    }

    /// Tells of the holes that were filled.
    ///
    /// # Safety
    /// As [`describe`](Heap::describe).
    unsafe fn fill_holes(&self, names: &mut Identities) {
        for address in std::mem::take(&mut names.holes) {
            // SAFETY: holes are nodes, and have a payload word.
            let (header, first) =
                unsafe { (Header::from_bits(*node_at(address)), *node_at(address).add(1)) };
            if header.kind() == Kind::Hole && header.info() == Header::UNFILLED {
                names.holes.push(address);
                continue;
            }
            let hole = self.part(names, Word::pointer(address, Tag::Unknown));
            let with = if header.kind() == Kind::Ind {
                self.part(names, Word::from_bits(first))
            } else {
                let id = names.next();
                let is_young = self.nursery.holds(address);
                if is_young { &mut names.young } else { &mut names.old }.insert(address, id);
                names.holes_of.insert(id, hole);
                names.fresh.push((address, id));
                id
            };
            // SAFETY: the caller's promise.
            unsafe { self.describe(names) };
            names.told.push(Told::Filled(hole, with));
        }
    }

    /// Looks at what a collection is about to move.
    ///
    /// # Safety
    /// As [`look`](Heap::look).
    pub(super) unsafe fn before_minor(&mut self) {
        if self.identities.is_some() {
            // SAFETY: the caller's promise.
            unsafe { self.tell_updates() };
        }
    }

    /// Updates the addresses of young nodes to where they have gone.
    ///
    /// # Safety
    /// They were evacuated, and nothing was written to where they were.
    pub(super) unsafe fn after_minor(&mut self) {
        let Some(mut names) = self.identities.take() else { return };
        let (nursery, moving) = (&self.nursery, self.moving);
        let to = |address: usize| {
            // SAFETY: the node is as it was, or has a forwarding address instead of a header.
            let first = unsafe { *node_at(address) };
            (first & 1 == 0).then(|| Word::from_bits(first | 1).address())
        };
        names.follow(|address| match moving.holds(address) {
            true => to(address),
            false => Some(address),
        });
        let mut dead = Vec::new();
        for (address, id) in std::mem::take(&mut names.young) {
            match to(address) {
                Some(address) if nursery.holds(address) => _ = names.young.insert(address, id),
                Some(address) => _ = names.old.insert(address, id),
                None => dead.push(id),
            }
        }
        names.bury(dead);
        names.seen = 0;
        self.identities = Some(names);
    }

    /// Tells which old nodes are dead.
    ///
    /// # Safety
    /// All live nodes are marked, and no memory was given back.
    pub(super) unsafe fn after_marking(&mut self) {
        let Some(names) = &mut self.identities else { return };
        // SAFETY: the caller's promise.
        let is_live = |address: usize| unsafe { is_marked(address) };
        names.follow(|address| is_live(address).then_some(address));
        let mut dead = Vec::new();
        names.old.retain(|&address, id| {
            let live = is_live(address);
            if !live {
                dead.push(*id);
            }
            live
        });
        names.bury(dead);
    }

    /// Updates the addresses of old nodes to where they go.
    ///
    /// # Safety
    /// All of them are marked, and it is planned.
    pub(super) unsafe fn after_planning(&mut self) {
        let Some(names) = &mut self.identities else { return };
        // SAFETY: the caller's promise.
        let to = |address: usize| unsafe { place(address) };
        names.follow(|address| Some(to(address)));
        names.old = names.old.iter().map(|(&address, &id)| (to(address), id)).collect();
    }
}
