//! Rules that move stack items and build graph.

use super::heap::node::{Addr, Node, Site};
use super::state::{Machine, NO_REDEX};
use crate::base::float::Float;
use crate::gcode::instr::IntLit;
use crate::gcode::program::{GlobalId, TextId};
use crate::machine::outcome::Stop;

impl Machine {
    /// `<PushGlobal f : i, s, d, h>, f at a  =>  <i, a : s, d, h>`
    pub(super) fn push_global(&mut self, global: GlobalId) -> Result<(), Stop> {
        self.stack_check(1)?;
        self.reserve(1, 0)?;
        let addr = self.global_node(global);
        self.stack.push(addr);
        Ok(())
    }

    /// `<PushInt n : i, s, d, h>  =>  <i, a : s, d, h[a: NNum n]>`
    pub(super) fn push_int(&mut self, value: IntLit) -> Result<(), Stop> {
        let node = match value {
            IntLit::Small(small) => Node::Int(small),
            IntLit::Big(big) => {
                let big = self.code.program.bigs.get(big).cloned();
                Node::integer(big.unwrap_or(crate::base::integer::Integer::ZERO))
            }
        };
        self.push_new(node)
    }

    /// `<PushFloat x : i, s, d, h>  =>  <i, a : s, d, h[a: NFloat x]>`
    pub(super) fn push_float(&mut self, value: Float) -> Result<(), Stop> {
        self.push_new(Node::Float(value))
    }

    /// `<PushChar c : i, s, d, h>  =>  <i, a : s, d, h[a: NChar c]>`
    pub(super) fn push_char(&mut self, value: char) -> Result<(), Stop> {
        self.push_new(Node::Char(value))
    }

    /// `<PushText t : i, s, d, h>  =>  <i, a : s, d, h[a: NText t 0]>`
    pub(super) fn push_text(&mut self, text: TextId) -> Result<(), Stop> {
        self.push_new(Node::Text { text, at: 0 })
    }

    fn push_new(&mut self, node: Node) -> Result<(), Stop> {
        self.stack_check(1)?;
        self.reserve(1, node.owned_bytes())?;
        let addr = self.heap.alloc(node);
        self.stack.push(addr);
        Ok(())
    }

    /// `<Push n : i, a0 : .. : an : s, d, h>  =>  <i, an : a0 : .. : an : s, d, h>`
    pub(super) fn push(&mut self, n: u32) -> Result<(), Stop> {
        self.stack_check(1)?;
        self.stack.push(self.item(n as usize));
        Ok(())
    }

    /// `<MkApp : i, f : x : s, d, h>  =>  <i, a : s, d, h[a: NApp f x]>`
    pub(super) fn mk_app(&mut self) -> Result<(), Stop> {
        self.reserve(1, 0)?;
        let site = self.code.site(self.at);
        let node = Node::App { fun: self.item(0), arg: self.item(1), site };
        let addr = self.heap.alloc(node);
        self.replace(2, addr);
        self.counts.thunks_made += 1;
        Ok(())
    }

    /// `<Slide n : i, a0 : a1 : .. : an : s, d, h>  =>  <i, a0 : s, d, h>`
    pub(super) fn slide(&mut self, n: u32) {
        let top = self.item(0);
        self.replace(n as usize + 1, top);
    }

    /// `<Squeeze n m : i, a1 : .. : an : b1 : .. : bm : s, d, h>  =>  <i, a1 : .. : an : s, d, h>`
    pub(super) fn squeeze(&mut self, n: u32, m: u32) {
        let end = self.stack.len() - n as usize;
        self.stack.drain(end - m as usize..end);
    }

    /// `<Update n : i, a : a0 : .. : an : s, d, h>  =>  <i, a0 : .. : an : s, d, h[an: NInd a]>`
    ///
    /// An item that would become an indirection to itself stays a hole or black hole.
    pub(super) fn update(&mut self, n: u32) {
        let value = self.item(0);
        let target = self.stack.len() - 2 - n as usize;
        self.stack.pop();
        if target == self.redex as usize {
            self.redex = NO_REDEX;
            self.outside = self.called_from(self.stack[target]);
            self.counts.thunks_updated += 1;
        }
        self.update_with(self.stack[target], value);
    }

    /// Returns the last call outside of the corelib that has led to the code of a redex, if it is
    /// not that of the redex.
    pub(super) fn called_from(&self, redex: Addr) -> Site {
        match *self.heap.get(redex) {
            Node::BlackHole { site, .. } if self.code.is_outside(site) => site,
            Node::BlackHole { outside, .. } => outside,
            _ => Site::NONE,
        }
    }

    /// Turns a node into an indirection to where `value` leads, unless that is the node itself.
    pub(super) fn update_with(&mut self, node: Addr, value: Addr) {
        let value = self.heap.value(value);
        if value == node {
            return;
        }
        if let Node::Suspended { record, .. } = *self.heap.get(node) {
            self.frozen.release(record);
        }
        self.heap.set(node, Node::Ind(value));
    }

    /// `<Pop n : i, a1 : .. : an : s, d, h>  =>  <i, s, d, h>`
    pub(super) fn pop(&mut self, n: u32) {
        self.stack.truncate(self.stack.len() - n as usize);
    }

    /// `<Alloc n : i, s, d, h>  =>  <i, a1 : .. : an : s, d, h[ai: NHole]>`
    pub(super) fn alloc(&mut self, n: u32) -> Result<(), Stop> {
        self.stack_check(n as usize)?;
        self.reserve(n as usize, 0)?;
        for _ in 0..n {
            let addr = self.heap.alloc(Node::Hole);
            self.stack.push(addr);
        }
        Ok(())
    }
}
