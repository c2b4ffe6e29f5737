//! Sweeping: what was not marked becomes free.

use super::node::{Addr, NODE_BYTES, Node};
use super::{CHUNK, CHUNK_BITS, Heap, MIN_ALLOWANCE};
use crate::machine::chains::Acyclic;
use crate::machine::reference::freeze::Frozen;

impl Heap {
    /// Returns whether the last marking reached a node.
    pub(in crate::machine::reference) fn was_marked(&self, addr: Addr) -> bool {
        let at = addr.0 as usize & (CHUNK - 1);
        let chunk = self.chunks.get((addr.0 >> CHUNK_BITS) as usize);
        chunk.is_some_and(|chunk| chunk.marks[at / 64] & (1 << (at % 64)) != 0)
    }

    /// Frees what the last marking has not reached; what is freed drops only what it owns
    /// itself, so no drop is deep. The free list is in the order of addresses. Then as much
    /// may be allocated as lives, before the next collection: a growth by a factor of two.
    pub(in crate::machine::reference) fn sweep(&mut self, frozen: &mut Frozen) {
        let mut free = Addr::NONE;
        let mut free_count = 0;
        for (index, chunk) in self.chunks.iter_mut().enumerate().rev() {
            for (at, node) in chunk.nodes.iter_mut().enumerate().rev() {
                if chunk.marks[at / 64] & (1 << (at % 64)) != 0 {
                    continue;
                }
                match node {
                    Node::Suspended { record, .. } => frozen.release(*record),
                    Node::Free(_) => {}
                    ref node => self.owned -= node.owned_bytes(),
                }
                *node = Node::Free(free);
                free = Addr((index << CHUNK_BITS | at) as u32);
                free_count += 1;
            }
        }
        self.free = free;
        self.free_count = free_count;
        self.paid += std::mem::take(&mut self.debt);
        self.allowance = self.live_bytes().max(MIN_ALLOWANCE);
    }

    /// Checks the heap: every pointer leads to a node that is not free, every free cell is on the
    /// free list once, no indirections form a circle, and the counts are right.
    pub(in crate::machine::reference) fn verify(&self, code_size: usize) -> Result<(), String> {
        let mut free = 0;
        let mut at = self.free;
        while at != Addr::NONE {
            let Node::Free(next) = *self.node_at(at)? else {
                return Err(format!("{} is on the free list and not free", at.0));
            };
            at = next;
            free += 1;
            if free > self.free_count {
                return Err("the free list is longer than its count".into());
            }
        }
        let cells = self.chunks.iter().flat_map(|chunk| &chunk.nodes);
        let all_free = cells.clone().filter(|node| matches!(node, Node::Free(_))).count();
        if free != self.free_count || all_free != free {
            return Err(format!("{free} of {all_free} free cells are on the free list"));
        }
        let owned: u64 = cells.map(Node::owned_bytes).sum();
        if owned != self.owned {
            return Err(format!("nodes own {owned} bytes, not {}", self.owned));
        }
        debug_assert_eq!(size_of::<Node>() as u64, NODE_BYTES);
        let mut ending = Acyclic::default();
        for addr in self.addresses() {
            self.verify_node(addr, code_size, &mut ending)
                .map_err(|what| format!("{}: {what}", addr.0))?;
        }
        Ok(())
    }

    /// Checks a node.
    fn verify_node(
        &self,
        addr: Addr,
        code_size: usize,
        ending: &mut Acyclic<Addr>,
    ) -> Result<(), String> {
        let used = |to: Addr| match self.node_at(to)? {
            Node::Free(_) => Err(format!("leads to {}, which is free", to.0)),
            _ => Ok(()),
        };
        match self.node_at(addr)? {
            Node::App { fun, arg, site } => {
                if *site != super::Site::NONE && site.0 as usize >= code_size {
                    return Err("comes from no instruction".into());
                }
                used(*fun)?;
                used(*arg)
            }
            Node::Ind(_) => ending.follow(addr, |at| match self.node_at(at)? {
                Node::Ind(to) => used(*to).map(|()| Some(*to)),
                _ => Ok(None),
            }),
            Node::Array(elements) => elements.iter().try_for_each(|element| used(*element)),
            node => match node.as_constr() {
                Some((_, fields)) => fields.iter().try_for_each(|field| used(*field)),
                None => Ok(()),
            },
        }
    }

    /// Returns the node at an address that may be none.
    pub(in crate::machine::reference) fn node_at(&self, addr: Addr) -> Result<&Node, String> {
        if self.is_valid(addr) {
            Ok(self.get(addr))
        } else {
            Err(format!("{} is no address", addr.0))
        }
    }
}
