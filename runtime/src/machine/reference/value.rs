//! Values from outside: an embedder makes them, applies them and looks at them.

use std::sync::Arc;

use super::heap::node::{Addr, Node, Site, array_bytes, buffer_bytes, fields_bytes};
use super::state::Machine;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::link::{Addition, LinkError, Linked};
use crate::gcode::program::{CONS, ConId, GlobalId, NIL};
use crate::machine::handles::Handle;
use crate::machine::opaque::Opaque;
use crate::machine::outcome::Stop;
use crate::machine::whnf::Whnf;

impl Machine {
    /// Returns a handle on the value of a global.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn global_handle(&mut self, global: GlobalId) -> Result<Handle, Stop> {
        self.reserve(1, 0)?;
        let addr = self.global_node(global);
        Ok(self.handles.add(addr))
    }

    /// Returns a new integer.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_int(&mut self, value: Integer) -> Result<Handle, Stop> {
        let node = Node::integer(value);
        self.reserve(1, node.owned_bytes())?;
        let addr = self.heap.alloc(node);
        Ok(self.handles.add(addr))
    }

    /// Returns a new float.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_float(&mut self, value: Float) -> Result<Handle, Stop> {
        self.reserve(1, 0)?;
        let addr = self.heap.alloc(Node::Float(value));
        Ok(self.handles.add(addr))
    }

    /// Returns a new character.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_char(&mut self, value: char) -> Result<Handle, Stop> {
        self.reserve(1, 0)?;
        let addr = self.heap.alloc(Node::Char(value));
        Ok(self.handles.add(addr))
    }

    /// Returns a new list of characters.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_text(&mut self, text: &str) -> Result<Handle, Stop> {
        self.reserve(2 * text.chars().count() + 1, 0)?;
        let mut list = self.heap.alloc(Node::constr(NIL, &[]));
        for c in text.chars().rev() {
            let head = self.heap.alloc(Node::Char(c));
            list = self.heap.alloc(Node::constr(CONS, &[head, list]));
        }
        Ok(self.handles.add(list))
    }

    /// Returns a new constructor; `None` if a field belongs to another machine or their number is
    /// not the constructor's.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_con(&mut self, con: ConId, fields: &[Handle]) -> Option<Result<Handle, Stop>> {
        if self.code.program.cons.get(con)?.arity as usize != fields.len() {
            return None;
        }
        if fields.iter().any(|field| self.handles.get(field).is_none()) {
            return None;
        }
        if let Err(stop) = self.reserve(1, fields_bytes(fields.len())) {
            return Some(Err(stop));
        }
        let fields: Vec<Addr> = fields.iter().filter_map(|field| self.handles.get(field)).collect();
        let addr = self.heap.alloc(Node::constr(con, &fields));
        Some(Ok(self.handles.add(addr)))
    }

    /// Returns a value of the embedding program.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_opaque(&mut self, value: Opaque) -> Result<Handle, Stop> {
        self.reserve(1, 0)?;
        let addr = self.heap.alloc(Node::Opaque(self.opaques.next()));
        self.opaques.add(addr, value);
        self.count_side();
        Ok(self.handles.add(addr))
    }

    /// Returns the list of these elements; `None` if one belongs to another machine.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_list(&mut self, items: &[Handle]) -> Option<Result<Handle, Stop>> {
        if items.iter().any(|item| self.handles.get(item).is_none()) {
            return None;
        }
        if let Err(stop) = self.reserve(items.len() + 1, 0) {
            return Some(Err(stop));
        }
        let mut list = self.heap.alloc(Node::constr(NIL, &[]));
        for item in items.iter().rev().filter_map(|item| self.handles.get(item)) {
            list = self.heap.alloc(Node::constr(CONS, &[item, list]));
        }
        Some(Ok(self.handles.add(list)))
    }

    /// Returns an array of these elements; `None` if one belongs to another machine.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_array(&mut self, elements: &[Handle]) -> Option<Result<Handle, Stop>> {
        if elements.iter().any(|element| self.handles.get(element).is_none()) {
            return None;
        }
        if let Err(stop) = self.reserve_owned(1, array_bytes(elements.len())) {
            return Some(Err(stop));
        }
        let elements: Vec<Addr> =
            elements.iter().filter_map(|element| self.handles.get(element)).collect();
        let addr = self.heap.alloc(Node::Array(Box::new(elements.into())));
        Some(Ok(self.handles.add(addr)))
    }

    /// Returns a byte string.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn new_bytes(&mut self, bytes: &[u8]) -> Result<Handle, Stop> {
        self.reserve_owned(1, buffer_bytes(bytes.len()))?;
        let addr = self.heap.alloc(Node::Bytes(Box::new(bytes.into())));
        Ok(self.handles.add(addr))
    }

    /// Returns an application, not evaluated; `None` if something belongs to another machine.
    ///
    /// # Errors
    /// When memory is used up.
    pub fn apply(&mut self, function: &Handle, args: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.handles.get(function)?;
        if args.iter().any(|arg| self.handles.get(arg).is_none()) {
            return None;
        }
        if let Err(stop) = self.reserve(args.len(), 0) {
            return Some(Err(stop));
        }
        let mut fun = self.handles.get(function)?;
        for arg in args.iter().filter_map(|arg| self.handles.get(arg)) {
            fun = self.heap.alloc(Node::App { fun, arg, site: Site::NONE });
            self.counts.thunks_made += 1;
        }
        Some(Ok(self.handles.add(fun)))
    }

    /// Returns the source expression that a value is to be computed from, if it is not evaluated.
    pub fn origin(&self, handle: &Handle) -> Span {
        let Some(addr) = self.handles.get(handle) else { return Span::NONE };
        let addr = self.heap.value(addr);
        match self.heap.get(addr) {
            Node::App { site, .. } if self.function(addr).is_none() => self.code.site_span(*site),
            Node::Global(global) => match self.code.global(*global) {
                Some(global) if global.arity == 0 => global.span,
                _ => Span::NONE,
            },
            _ => Span::NONE,
        }
    }

    /// Returns whether a node is in WHNF.
    pub(super) fn is_evaluated(&self, addr: Addr) -> bool {
        let addr = self.heap.value(addr);
        match self.heap.get(addr) {
            Node::Int(_) | Node::Big(_) | Node::Float(_) | Node::Char(_) => true,
            Node::Bytes(_) | Node::Array(_) | Node::Opaque(_) => true,
            node => node.as_constr().is_some() || self.function(addr).is_some(),
        }
    }

    /// Returns what a value is; `None` if it is not evaluated, or belongs to another machine.
    pub fn whnf(&mut self, handle: &Handle) -> Option<Whnf> {
        let addr = self.heap.value(self.handles.get(handle)?);
        match self.heap.get(addr) {
            Node::Int(word) => Some(Whnf::Int(Integer::Small(*word))),
            Node::Big(big) => Some(Whnf::Int((**big).clone())),
            Node::Float(value) => Some(Whnf::Float(*value)),
            Node::Char(c) => Some(Whnf::Char(*c)),
            Node::Bytes(bytes) => Some(Whnf::Bytes((**bytes).clone())),
            Node::Array(elements) => {
                let handles = &mut self.handles;
                Some(Whnf::Array(elements.iter().map(|element| handles.add(*element)).collect()))
            }
            Node::Opaque(number) => self.opaques.get(*number).cloned().map(Whnf::Opaque),
            node => match node.as_constr() {
                Some((con, fields)) => {
                    let handles = &mut self.handles;
                    let fields = fields.iter().map(|field| handles.add(*field)).collect();
                    Some(Whnf::Con(con, fields))
                }
                None => {
                    let (global, arguments) = self.function(addr)?;
                    let arity = self.code.global(global)?.arity;
                    Some(Whnf::Function(global, arity - arguments as u32))
                }
            },
        }
    }

    /// Adds definitions to the program. A run that was under way is abandoned.
    ///
    /// # Errors
    /// When that makes no valid program, or inside a call of a host function.
    pub fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError> {
        if self.nesting > 0 {
            return Err(LinkError::Running);
        }
        self.abandon();
        // The code is shared only while something runs.
        let linked = Arc::make_mut(&mut self.code).extend(addition)?;
        self.globals.resize(self.code.program.globals.len(), Addr::NONE);
        Ok(linked)
    }

    /// Returns whether a handle belongs to this machine.
    #[must_use]
    pub fn knows(&self, handle: &Handle) -> bool {
        self.handles.get(handle).is_some()
    }

    /// Prints a value as [`run`](Machine::run) prints `main`; `None` if it belongs to
    /// another machine.
    ///
    /// # Errors
    /// When the evaluation stops.
    pub fn print_root(
        &mut self,
        handle: &Handle,
        format: crate::machine::print::Format,
        out: &mut dyn crate::machine::outcome::Output,
    ) -> Option<Result<(), Stop>> {
        self.handles.get(handle)?;
        if self.nesting > 0 {
            return None;
        }
        self.abandon();
        if let Err(stop) = self.stack_check(1) {
            return Some(Err(stop));
        }
        let addr = self.handles.get(handle)?;
        self.begin_print(addr, format);
        let result = self.run(out);
        if result.is_err() {
            self.abandon();
        }
        Some(result)
    }
}
