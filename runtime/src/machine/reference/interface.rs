//! The interface of every machine: each operation is the one of the same name.

use std::sync::Arc;

use super::state::Machine;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::span::Span;
use crate::gcode::Verified;
use crate::gcode::link::{Addition, LinkError, Linked};
use crate::gcode::program::{ConId, GlobalId};
use crate::machine;
use crate::machine::coverage::Coverage;
use crate::machine::handles::Handle;
use crate::machine::host::Hosts;
use crate::machine::interrupt::Interrupt;
use crate::machine::opaque::Opaque;
use crate::machine::outcome::{Input, Output, Statistics, Stop};
use crate::machine::pauses::Pauses;
use crate::machine::print::Format;
use crate::machine::system::System;
use crate::machine::whnf::Whnf;

impl machine::Machine for Machine {
    fn start(&mut self, format: Format, input: Option<Box<dyn Input>>) -> Result<(), Stop> {
        self.start(format, input)
    }

    fn run(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        self.run(out)
    }

    fn start_action(
        &mut self,
        root: &Handle,
        input: Option<Box<dyn Input>>,
    ) -> Option<Result<(), Stop>> {
        self.start_action(root, input)
    }

    fn take_value(&mut self) -> Option<Handle> {
        self.value.take()
    }

    fn set_arguments(&mut self, arguments: Vec<String>) {
        self.world.arguments = arguments;
    }

    fn set_system(&mut self, system: Box<dyn System>) {
        self.set_system(system);
    }

    fn abandon(&mut self) {
        self.abandon();
    }

    fn print_root(
        &mut self,
        handle: &Handle,
        format: Format,
        out: &mut dyn Output,
    ) -> Option<Result<(), Stop>> {
        self.print_root(handle, format, out)
    }

    fn force(&mut self, handle: &Handle) -> Option<Result<(), Stop>> {
        self.force(handle)
    }

    fn owns(&self, handle: &Handle) -> bool {
        self.handles.get(handle).is_some()
    }

    fn whnf(&mut self, handle: &Handle) -> Option<Whnf> {
        self.whnf(handle)
    }

    fn origin(&self, handle: &Handle) -> Span {
        self.origin(handle)
    }

    fn global_handle(&mut self, global: GlobalId) -> Result<Handle, Stop> {
        self.global_handle(global)
    }

    fn new_int(&mut self, value: Integer) -> Result<Handle, Stop> {
        self.new_int(value)
    }

    fn new_float(&mut self, value: Float) -> Result<Handle, Stop> {
        Machine::new_float(self, value)
    }

    fn new_char(&mut self, value: char) -> Result<Handle, Stop> {
        self.new_char(value)
    }

    fn new_text(&mut self, text: &str) -> Result<Handle, Stop> {
        self.new_text(text)
    }

    fn new_con(&mut self, con: ConId, fields: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.new_con(con, fields)
    }

    fn new_opaque(&mut self, value: Opaque) -> Result<Handle, Stop> {
        self.new_opaque(value)
    }

    fn new_list(&mut self, items: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.new_list(items)
    }

    fn new_array(&mut self, elements: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.new_array(elements)
    }

    fn new_bytes(&mut self, bytes: &[u8]) -> Result<Handle, Stop> {
        self.new_bytes(bytes)
    }

    fn apply(&mut self, function: &Handle, args: &[Handle]) -> Option<Result<Handle, Stop>> {
        self.apply(function, args)
    }

    fn program(&self) -> &Verified {
        self.program()
    }

    fn extend(&mut self, addition: Addition) -> Result<Linked, LinkError> {
        self.extend(addition)
    }

    fn set_hosts(&mut self, hosts: Arc<dyn Hosts>) {
        self.set_hosts(hosts);
    }

    fn set_fuel(&mut self, fuel: Option<u64>) {
        self.set_fuel(fuel);
    }

    fn set_heap_limit(&mut self, limit: Option<u64>) {
        self.set_heap_limit(limit);
    }

    fn interrupt_handle(&self) -> Interrupt {
        self.interrupt_handle()
    }

    fn collect(&mut self) {
        self.collect();
    }

    fn footprint(&self) -> u64 {
        self.footprint()
    }

    fn pauses(&self) -> Option<&Pauses> {
        self.clock.is_some().then_some(&self.pauses)
    }

    fn coverage(&self) -> Coverage {
        self.coverage()
    }

    fn statistics(&self) -> Statistics {
        self.statistics()
    }
}
