//! The heap's invariants, checked: for tests.

use rustc_hash::FxHashSet;

use crate::base::float::Float;
use crate::base::limbs::{Limbs, MAX_LIMBS};
use crate::machine::chains::Acyclic;

use super::array::{array_len, is_consistent};
use super::node::HUGE_PAYLOAD;
use super::word::{Tag, View, Word};
use super::{Header, Heap, Kind, Mutator, big_bytes_at, node_at, tag_of};

/// The nodes of a heap.
#[derive(Default)]
struct Found {
    nodes: FxHashSet<usize>,
    bigs: FxHashSet<usize>,
    big_bytes: u64,
    suspended: Vec<i64>,
    old_bytes: u64,
}

impl Heap {
    /// Checks all nodes, dead ones too, and all words of the mutator: that headers are valid and
    /// sizes fit, that pointers lead to nodes and their tags are true of them, that pointers from
    /// old to young nodes are in the remembered set, that chains of indirections end, and that all
    /// big integers are counted. To be called between collections, for tests.
    ///
    /// # Errors
    /// The invariant that does not hold, and where.
    ///
    /// # Safety
    /// As for [`collect`](Heap::collect); a word may lead to no node.
    pub unsafe fn verify(&self, mutator: &mut impl Mutator) -> Result<(), String> {
        let mut found = Found::default();
        // SAFETY: chunks and nursery hold nodes one after the other.
        unsafe { self.walk(&mut found)? };
        let mut acyclic = Acyclic::default();
        let remembered: FxHashSet<usize> = self.remembered.iter().copied().collect();
        for &address in &found.nodes {
            // SAFETY: these are the addresses of nodes.
            unsafe { self.verify_node(address, &found, &remembered)? };
            // SAFETY: as above; `ind` returns addresses of nodes.
            let next = |at| Ok(unsafe { self.ind(at, &found) });
            acyclic.follow(address, next).map_err(|wrong| format!("{address:#x}: {wrong}"))?;
        }
        self.verify_counts(&found)?;
        self.verify_mutator(&found, mutator)
    }

    /// Finds all nodes.
    ///
    /// # Safety
    /// The words of the used parts of chunks and nursery were written.
    unsafe fn walk(&self, found: &mut Found) -> Result<(), String> {
        let last = self.old.chunks.len().wrapping_sub(1);
        for (at, chunk) in self.old.chunks.iter().enumerate() {
            let top = if at == last { self.old.next } else { chunk.top };
            // SAFETY: as the caller says.
            unsafe { walk_piece(chunk.first(), top, found)? };
        }
        for chunk in &self.old.large {
            // SAFETY: as above.
            unsafe { walk_piece(chunk.only(), chunk.end(), found)? };
        }
        // SAFETY: these are addresses of nodes.
        found.old_bytes = found.nodes.iter().map(|&address| unsafe { size(address) } as u64).sum();
        let survivors = self.nursery.survivors();
        // SAFETY: as above.
        unsafe {
            walk_piece(survivors.start, survivors.end, found)?;
            walk_piece(self.nursery.start(), self.free.next.addr(), found)
        }
    }

    /// Checks the fields of a node.
    ///
    /// # Safety
    /// There is a node at `address`.
    unsafe fn verify_node(
        &self,
        address: usize,
        found: &Found,
        remembered: &FxHashSet<usize>,
    ) -> Result<(), String> {
        let node = node_at(address);
        // SAFETY: the caller's obligation.
        let header = unsafe { Header::from_bits(*node) };
        let words = match header.kind() {
            Kind::Con | Kind::Thunk | Kind::Pap | Kind::Bytes => header.words(),
            Kind::Array => array_len(header),
            Kind::Ind => 1,
            _ => 0,
        };
        for at in 0..words {
            // SAFETY: the node has so many payload words.
            let word = unsafe { Word::from_bits(*node.add(1 + at)) };
            let place = || format!("field {at} of {address:#x} ({header:?})");
            self.verify_word(word, found).map_err(|wrong| format!("{}: {wrong}", place()))?;
            let leads_to_young = word.is_pointer() && self.is_young(word);
            if !leads_to_young || self.nursery.holds(address) {
                continue;
            }
            // SAFETY: an array has so many elements.
            if header.kind() == Kind::Array && !unsafe { self.is_soiled(address, at) } {
                return Err(format!("{}: points to a young node, its card is clean", place()));
            }
            if !remembered.contains(&address) {
                return Err(format!("{}: points to a young node, not remembered", place()));
            }
        }
        if header.kind() == Kind::Bytes {
            // SAFETY: a slice has three fields, and the first was checked to lead to a node.
            let wrong = unsafe { self.verify_slice(Word::pointer(address, Tag::Value)) };
            return wrong.map_err(|wrong| format!("{address:#x}: {wrong}"));
        }
        Ok(())
    }

    /// Checks that a slice is one of a buffer.
    ///
    /// # Safety
    /// `slice` leads to a node of this kind, whose first field leads to a node if it is a pointer.
    unsafe fn verify_slice(&self, slice: Word) -> Result<(), String> {
        // SAFETY: the caller's obligation.
        let (buffer, at, len) =
            unsafe { (self.field(slice, 0), self.field(slice, 1), self.field(slice, 2)) };
        // SAFETY: as above.
        if !buffer.is_pointer() || unsafe { self.header(buffer).kind() } != Kind::Buffer {
            return Err(format!("a slice of {buffer:?}"));
        }
        // SAFETY: as above.
        let most = unsafe { self.header(buffer).words() } as i64 * 8;
        let fits = at.is_int() && len.is_int() && at.as_int() >= 0 && len.as_int() >= 0;
        if !fits || at.as_int() + len.as_int() > most {
            return Err(format!("a slice of {len:?} bytes from {at:?} on, of {most}"));
        }
        Ok(())
    }

    /// Returns the node that the one at `address` leads to, if it is an indirection.
    ///
    /// # Safety
    /// There is a node at `address`.
    unsafe fn ind(&self, address: usize, found: &Found) -> Option<usize> {
        let node = Word::pointer(address, Tag::Unknown);
        // SAFETY: the caller's obligation, and an indirection has a field.
        let word = unsafe { (self.header(node).kind() == Kind::Ind).then(|| self.field(node, 0)) }?;
        (word.is_pointer() && found.nodes.contains(&word.address())).then(|| word.address())
    }

    /// Checks that a pointer leads to a node, of which its tag is true.
    fn verify_word(&self, word: Word, found: &Found) -> Result<(), String> {
        let View::Node(tag) = word.view() else { return Ok(()) };
        if !found.nodes.contains(&word.address()) {
            return Err(format!("{word:?} leads to no node"));
        }
        // SAFETY: that was checked.
        let kind = unsafe { self.header(word).kind() };
        let is_true = match tag {
            Tag::Unknown => true,
            Tag::Con => kind == Kind::Con,
            Tag::Value => tag_of(kind) == Tag::Value,
        };
        if is_true { Ok(()) } else { Err(format!("{word:?} leads to a node of kind {kind:?}")) }
    }

    /// Checks the counts of bytes, and the lists of big integers.
    fn verify_counts(&self, found: &Found) -> Result<(), String> {
        if found.old_bytes != self.old.node_bytes() {
            let counted = self.old.node_bytes();
            return Err(format!("{} bytes of old nodes, {counted} counted", found.old_bytes));
        }
        let listed = self.young_bigs.iter().chain(&self.old_bigs);
        let is_listed = listed.clone().all(|address| found.bigs.contains(address));
        if !is_listed || listed.count() != found.bigs.len() {
            return Err("the lists of big integers are not those that there are".to_owned());
        }
        if self.young_bigs.iter().any(|address| !self.nursery.holds(*address))
            || self.old_bigs.iter().any(|address| self.nursery.holds(*address))
        {
            return Err("a big integer is in the wrong list".to_owned());
        }
        let counted = self.young_big_bytes + self.old_big_bytes;
        if counted != found.big_bytes {
            return Err(format!("{} bytes of big integers, {counted} counted", found.big_bytes));
        }
        Ok(())
    }

    /// Checks the words of the mutator, and that it visits those that lead to young nodes.
    fn verify_mutator(&self, found: &Found, mutator: &mut impl Mutator) -> Result<(), String> {
        let mut result = Ok(());
        let mut young: FxHashSet<usize> = FxHashSet::default();
        let mut check = |word: &mut Word| {
            let at = std::ptr::from_mut(word).addr();
            if result.is_ok() {
                result = self.verify_word(*word, found);
            }
            if word.is_pointer() && self.is_young(*word) {
                young.insert(at);
            }
        };
        mutator.roots(&mut check);
        mutator.cafs(&mut check);
        for &id in &found.suspended {
            mutator.suspended(id, &mut check);
        }
        mutator.young(&mut |word| {
            young.remove(&std::ptr::from_mut(word).addr());
            word.is_pointer() && self.is_young(*word)
        });
        if result.is_ok() && !young.is_empty() {
            let count = young.len();
            return Err(format!("{count} words outside lead to young nodes, and are not visited"));
        }
        result
    }
}

/// Finds the nodes between two addresses, and checks each on its own.
///
/// # Safety
/// They are in one chunk or nursery, and the words between them were written.
unsafe fn walk_piece(from: usize, to: usize, found: &mut Found) -> Result<(), String> {
    let mut at = from;
    while at < to {
        // SAFETY: `at` is below the end, as the caller says a word that was written.
        let first = unsafe { *node_at(at) };
        if !Header::is_valid(first) {
            return Err(format!("{at:#x}: {first:#x} is no header"));
        }
        // SAFETY: that was checked.
        let header = unsafe { Header::from_bits(first) };
        let bytes = header.node_words() * 8;
        if bytes > to - at {
            return Err(format!("{at:#x}: {header:?} has a size that cannot be"));
        }
        found.nodes.insert(at);
        match header.kind() {
            Kind::Big => {
                // SAFETY: the payload of such a node are limbs, which are below the end.
                let magnitude =
                    unsafe { std::slice::from_raw_parts(node_at(at).add(1), header.words()) };
                let limbs = Limbs { negative: header.info() != 0, magnitude };
                let fits = limbs.to_i64().is_some_and(|value| Word::int(value).is_some());
                if fits || magnitude.len() > MAX_LIMBS || magnitude.ends_with(&[0]) {
                    return Err(format!("{at:#x}: {limbs:?} is no big integer"));
                }
            }
            Kind::Huge if header.words() == HUGE_PAYLOAD => {
                found.bigs.insert(at);
                // SAFETY: the payload of such a node is an integer.
                found.big_bytes += unsafe { big_bytes_at(at) };
            }
            Kind::Huge => return Err(format!("{at:#x}: {header:?} is no integer")),
            Kind::Float => {
                // SAFETY: every node has a payload word.
                let bits = unsafe { *node_at(at).add(1) };
                let value = f64::from_bits(bits);
                if header.words() != 1
                    || Word::float(value).is_some()
                    || Float::new(value).bits() != bits
                {
                    return Err(format!("{at:#x}: {header:?} of {bits:#x} is no float of a node"));
                }
            }
            Kind::Array if !is_consistent(header) => {
                return Err(format!("{at:#x}: {header:?} has a size that cannot be"));
            }
            Kind::Bytes if header.words() != 3 => {
                return Err(format!("{at:#x}: {header:?} is no byte string"));
            }
            Kind::Text | Kind::Suspended => {
                // SAFETY: every node has a payload word.
                let word = unsafe { Word::from_bits(*node_at(at).add(1)) };
                if !word.is_int() {
                    return Err(format!("{at:#x}: {header:?} holds {word:?}"));
                }
                if header.kind() == Kind::Suspended {
                    found.suspended.push(word.as_int());
                }
            }
            _ => {}
        }
        at += bytes;
    }
    Ok(())
}

/// Returns the bytes of the node at an address.
///
/// # Safety
/// There is a node.
unsafe fn size(address: usize) -> usize {
    // SAFETY: the caller's obligation.
    unsafe { Header::from_bits(*node_at(address)).node_words() * 8 }
}
