//! The loop: one rule after another, until the code ends or something stops it.

use std::sync::Arc;

use super::code::{Code, Position};
use super::freeze::Frozen;
use super::heap::Heap;
use super::heap::node::{Addr, Node, Site};
use super::liveness::Liveness;
use super::state::{Machine, NO_REDEX};
use crate::base::integer::{Poll, Stopped};
use crate::gcode::Verified;
use crate::gcode::instr::{Instr, Op};
use crate::machine::config::{Config, Stress};
use crate::machine::coverage::Coverage;
use crate::machine::handles::HandleTable;
use crate::machine::host::Hosts;
use crate::machine::interrupt::Interrupt;
use crate::machine::opaque::Opaques;
use crate::machine::outcome::{Input, Limit, Output, Statistics, Stop};
use crate::machine::pauses::Pauses;
use crate::machine::print::{Format, Printer};
use crate::machine::world::{Mode, World};

/// Instructions between two looks at the interrupt.
const SLICE: u64 = 1024;

/// The most items of a stack that is kept between two evaluations.
const KEPT: usize = 1 << 14;

impl Machine {
    /// Makes a machine that runs a program.
    #[must_use]
    pub fn new(program: Verified, config: Config) -> Machine {
        let mut machine = Machine {
            globals: vec![Addr::NONE; program.globals.len()],
            code: Arc::new(Code::new(program)),
            at: Machine::idle(),
            unwinding: false,
            stack: Vec::new(),
            base: 0,
            redex: NO_REDEX,
            outside: Site::NONE,
            dump: Vec::new(),
            heap: Heap::new(config.heap_limit),
            handles: HandleTable::default(),
            opaques: Opaques::default(),
            frozen: Frozen::default(),
            liveness: Liveness::default(),
            input: None,
            world: World::default(),
            mode: Mode::Print,
            value: None,
            printer: None,
            hosts: None,
            nesting: 0,
            interrupt: config.interrupt,
            fuel: None,
            stress: config.stress != Stress::None,
            refuse: config.refuse,
            counts: Statistics { peak_dump: Some(0), ..Statistics::default() },
            clock: config.clock,
            pauses: Pauses::default(),
            executed: config.count.then(|| vec![0; Op::ALL.len()].into()),
            tested: None,
        };
        if config.stress != Stress::None {
            // So that the mark stack overflows all the time.
            machine.heap.mark_capacity = Some(2);
        }
        machine.set_fuel(config.fuel);
        machine
    }

    /// Returns the machine with the functions that `CallHost` calls.
    #[must_use]
    pub fn with_hosts(mut self, hosts: Arc<dyn Hosts>) -> Machine {
        self.set_hosts(hosts);
        self
    }

    /// Gives it the functions that `CallHost` calls.
    pub fn set_hosts(&mut self, hosts: Arc<dyn Hosts>) {
        self.hosts = Some(hosts);
    }

    /// Returns the end of the code that forces a value: nothing to do.
    fn idle() -> Position {
        Position { global: Position::FORCE, pc: 1 }
    }

    /// Gets ready to print `main`, which is applied to `input` if it has a parameter. A run
    /// that was under way is abandoned.
    ///
    /// # Errors
    /// Without a `main`, or with one of two or more parameters.
    pub fn start(&mut self, format: Format, input: Option<Box<dyn Input>>) -> Result<(), Stop> {
        self.abandon();
        if let Some(stop) = self.cannot_start() {
            return Err(stop);
        }
        let main = self.code.program.main.and_then(|main| self.code.global(main));
        let takes_input = main.is_some_and(|main| main.arity > 0);
        if takes_input {
            self.stack_check(1)?;
            self.reserve(1, 0)?;
            let input = self.heap.alloc(Node::Input);
            self.stack.push(input);
        }
        self.world.start(takes_input);
        self.mode = Mode::Main;
        self.input = input;
        self.printer = Some(Printer::new(format));
        self.at = Position::start(Position::RUN);
        Ok(())
    }

    /// Gets ready to print a value.
    pub(super) fn begin_print(&mut self, value: Addr, format: Format) {
        self.stack.push(value);
        self.printer = Some(Printer::new(format));
        // `Eval, Print` is the end of the boot code.
        let end = self.code.code(Position::RUN).len() as u32;
        self.at = Position { global: Position::RUN, pc: end.saturating_sub(2) };
    }

    /// Runs until what was started is printed, and ends its line. After a stop for a limit
    /// or an interrupt it goes on from there when it is called again.
    ///
    /// # Errors
    /// When it stops before. What is printed by then is ended by a newline and flushed.
    pub fn run(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        let result = self.go(out);
        match result {
            Ok(()) => {
                self.end_output(out, false)?;
                self.abandon();
                Ok(())
            }
            Err(stop @ Stop::Output(_)) => Err(stop),
            // The first reason is the one to report.
            Err(stop) => self.end_output(out, true).map_or(Err(stop.clone()), |()| Err(stop)),
        }
    }

    /// Gives up a run that is under way. What it was evaluating is left evaluable.
    pub fn abandon(&mut self) {
        self.freeze(0);
        self.stack.clear();
        if self.stack.capacity() > KEPT {
            self.stack = Vec::new();
        }
        self.base = 0;
        self.redex = NO_REDEX;
        self.unwinding = false;
        self.at = Machine::idle();
        self.printer = None;
        self.mode = Mode::Print;
        self.world.answer = None;
        self.count_side();
    }

    /// Executes rules until the boot code ends.
    pub(super) fn go(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        let code = self.code.clone();
        loop {
            let slice = self.permitted(&code)?;
            for _ in 0..slice {
                if !self.advance(&code, out)? {
                    return Ok(());
                }
            }
        }
    }

    /// Returns how many rules may be executed before the next look at interrupt and fuel.
    pub(super) fn permitted(&mut self, code: &Code) -> Result<u64, Stop> {
        self.interrupt.poll(|limit| self.stopped(limit))?;
        let Some((given, end)) = self.fuel else { return Ok(SLICE) };
        match end.saturating_sub(self.counts.instructions) {
            0 if self.is_halted(code) => Ok(1),
            0 => Err(self.limit(Limit::Fuel(given))),
            left => Ok(left.min(SLICE)),
        }
    }

    /// Performs a long computation of integers, unless an interrupt comes before its end: then the
    /// rule has had no effect.
    pub(super) fn or_interrupt<T>(
        &self,
        compute: impl FnOnce(Poll<'_>) -> Result<T, Stopped>,
    ) -> Result<T, Stop> {
        self.interrupt.or(compute, |limit| self.stopped(limit))
    }

    fn is_halted(&self, code: &Code) -> bool {
        !self.unwinding && code.instr(self.at).is_none()
    }

    /// Executes one rule: an instruction, or a step of an unwinding. `false` at the end of
    /// the code, where there is none.
    #[inline]
    pub(super) fn advance(&mut self, code: &Code, out: &mut dyn Output) -> Result<bool, Stop> {
        let done = if self.unwinding {
            self.unwind()
        } else {
            let Some(instr) = code.instr(self.at) else { return Ok(false) };
            if let Some(executed) = &mut self.executed {
                executed[instr.op() as usize] += 1;
            }
            self.execute(code, instr, out)
        };
        if std::mem::take(&mut self.world.is_due) {
            self.world.write(out).map_err(Stop::Output)?;
        }
        if let Err(stop) = done {
            self.handle(code, stop)?;
        }
        let counts = &mut self.counts;
        counts.instructions += 1;
        counts.peak_stack = counts.peak_stack.max(self.stack.len() as u64);
        counts.peak_dump = counts.peak_dump.max(Some(self.dump.len() as u64));
        Ok(true)
    }

    #[inline]
    fn execute(&mut self, code: &Code, instr: &Instr, out: &mut dyn Output) -> Result<(), Stop> {
        match instr {
            Instr::PushGlobal(global) => self.push_global(*global)?,
            Instr::PushInt(value) => self.push_int(*value)?,
            Instr::PushFloat(value) => self.push_float(*value)?,
            Instr::PushChar(value) => self.push_char(*value)?,
            Instr::PushText(text) => self.push_text(*text)?,
            Instr::Push(n) => self.push(*n)?,
            Instr::MkApp => self.mk_app()?,
            Instr::Slide(n) => self.slide(*n),
            Instr::Squeeze(n, m) => self.squeeze(*n, *m),
            Instr::Update(n) => self.update(*n),
            Instr::Pop(n) => self.pop(*n),
            Instr::Alloc(n) => self.alloc(*n)?,
            Instr::Add
            | Instr::Sub
            | Instr::Mul
            | Instr::Div
            | Instr::Rem
            | Instr::FloorDiv
            | Instr::Mod => self.arithmetic(instr.op())?,
            Instr::Neg => self.negate()?,
            Instr::Eq | Instr::Ne | Instr::Lt | Instr::Le | Instr::Gt | Instr::Ge => {
                self.compare(instr.op())?;
            }
            Instr::Ord => self.ord()?,
            Instr::Chr => self.chr()?,
            Instr::Unary(primitive) | Instr::Binary(primitive) => self.compute(*primitive)?,
            Instr::Pack(con) => self.pack(*con)?,
            Instr::Split(n) => self.split(*n)?,
            Instr::CallHost(host) => self.call_host(*host)?,
            Instr::Effect(effect) => self.effect(*effect)?,
            // These set the position themselves, or never leave it.
            Instr::Unwind => return self.begin_unwind(),
            Instr::Eval => return self.eval(),
            Instr::Try => return self.try_to(),
            Instr::Print => return self.print(out),
            Instr::Cond(yes, no) => return self.cond(*yes, *no),
            Instr::CaseJump(jumps) => return self.case_jump(jumps),
            Instr::LitJump(jumps) => return self.lit_jump(jumps),
            Instr::Jump(to) => {
                self.jump(*to);
                return Ok(());
            }
            Instr::NoMatch => return Err(self.no_match(code)),
            Instr::Raise => return Err(self.raise()),
        }
        self.at = self.at.next();
        Ok(())
    }

    /// Sets how many instructions may be executed from now on; `None` for as many as it takes.
    pub fn set_fuel(&mut self, fuel: Option<u64>) {
        self.fuel = fuel.map(|fuel| (fuel, self.counts.instructions.saturating_add(fuel)));
    }

    /// Changes the limit on memory, in bytes.
    pub fn set_heap_limit(&mut self, limit: Option<u64>) {
        self.heap.limit = limit;
    }

    /// Returns the handle that stops the machine from outside.
    #[must_use]
    pub fn interrupt_handle(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Returns what has been counted since the machine was made.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let mut counts = self.counts;
        counts.allocations = self.heap.allocations;
        counts.allocated_bytes = self.heap.allocated_bytes();
        counts
    }

    /// Returns how often it has executed each instruction, if that is counted.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        let executed = self.executed.iter().flat_map(|executed| executed.iter().copied());
        let instructions = Op::ALL.iter().map(|op| op.name()).zip(executed).collect();
        let collections = ("collections", self.counts.collections);
        Coverage { instructions, events: vec![collections] }
    }

    /// Returns the program.
    #[must_use]
    pub fn program(&self) -> &Verified {
        &self.code.program
    }

    /// Returns the bytes in use: heap, big integers, stack and dump.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        self.heap.footprint()
    }

    /// Returns the number of nodes in use.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.heap.node_count()
    }
}
