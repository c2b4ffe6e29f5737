//! Evaluation: entering what is not evaluated, and what becomes of a value.

use super::code::instr::Forced;
use super::code::program::{Entry, ThunkId};
use super::executor::node_at;
use super::image::STRIDE;
use super::stack::Control;
use super::state::Machine;
use crate::base::integer::{Poll, Stopped};
use crate::gcode::program::{CONS, NIL, TextId};
use crate::machine::heap::word::{Tag, Word};
use crate::machine::heap::{Kind, node_words};
use crate::machine::outcome::{Limit, Stop};

/// Calls between two looks at the interrupt.
pub(super) const SLICE: u32 = 10_000;

/// What is found where a pointer leads.
enum Found {
    /// A value in weak head normal form.
    Value(Word),
    /// Something to be evaluated: a node of this kind.
    Node(Word, Kind),
}

/// Words of a cell and what follows it, a string or the input.
const CELL: usize = node_words(2) + node_words(1);

impl Machine {
    /// The word in a slot of the frame.
    #[inline]
    pub(super) fn slot(&self, slot: u32) -> Word {
        // SAFETY: operands are slots of the frame, and written (rules of compact code).
        unsafe { *self.fp.0.add(slot as usize) }
    }

    /// Puts a word in a slot of the frame.
    #[inline]
    pub(super) fn set_slot(&mut self, slot: u32, word: Word) {
        // SAFETY: operands are slots of the frame.
        unsafe { *self.fp.0.add(slot as usize) = word }
    }

    /// Goes on with the next instruction.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.pc.0 = self.pc.0.wrapping_add(1);
    }

    /// Goes on at a position in the code.
    #[inline]
    pub(super) fn go_to(&mut self, to: super::code::instr::Pc) {
        self.pc.0 = self.instr(to.0 * STRIDE);
    }

    fn find(&self, word: Word) -> Found {
        let mut word = word;
        loop {
            if word.is_evaluated() {
                return Found::Value(word);
            }
            // SAFETY: a word that is not evaluated is a pointer to a node.
            let (header, fields) = unsafe { node_at(word) };
            match header.kind() {
                // SAFETY: an indirection has a field.
                Kind::Ind => word = unsafe { *fields },
                Kind::Con => return Found::Value(word.with_tag(Tag::Con)),
                Kind::Big | Kind::Huge | Kind::Float | Kind::Pap | Kind::Array | Kind::Bytes => {
                    return Found::Value(word.with_tag(Tag::Value));
                }
                kind => return Found::Node(word, kind),
            }
        }
    }

    /// Evaluates an operand: its value goes to its slot, and the instruction is executed
    /// again.
    ///
    /// # Errors
    /// When it depends on itself, or something is used up.
    pub(super) fn force(&mut self, operand: Forced) -> Result<(), Stop> {
        let slot = operand.0;
        match self.find(self.slot(slot)) {
            Found::Value(value) => {
                self.set_slot(slot, value);
                Ok(())
            }
            Found::Node(word, kind) => {
                // The value will go to the node itself, not to an indirection to it.
                self.set_slot(slot, word);
                let (at, base) = (self.at(), self.top());
                self.begin(word, kind, Control::Evaluate { at, slot, base }, base as usize)
            }
        }
    }

    /// Evaluates a word in place of the present frame.
    ///
    /// # Errors
    /// As [`force`](Machine::force).
    pub(super) fn enter(&mut self, word: Word) -> Result<(), Stop> {
        match self.find(word) {
            Found::Value(value) => self.return_value(value),
            Found::Node(word, kind) => self.begin(word, kind, Control::Update(word), 0),
        }
    }

    /// Begins to evaluate a node, `base` words above the frame; `control` says what becomes of
    /// its value, which is the node's too.
    fn begin(&mut self, word: Word, kind: Kind, control: Control, base: usize) -> Result<(), Stop> {
        match kind {
            Kind::Thunk => {
                // SAFETY: `word` is a pointer to a node.
                let (header, fields) = unsafe { node_at(word) };
                let Some(thunk) = self.mutator.image.program.thunks.get(ThunkId(header.info()))
                else {
                    unreachable!("a thunk's code is the program's")
                };
                let Entry { pc, frame, takes } = thunk.entry;
                let above = base + frame as usize + 3;
                if !self.has_room(above) {
                    // A collection may move the node: the instruction is executed again.
                    return self.grow_stack(above);
                }
                self.ticks = self.ticks.wrapping_sub(1);
                if self.ticks == 0 {
                    return self.tick_and_retry();
                }
                self.counts.thunks_entered += 1;
                // SAFETY: room was made; a thunk has the fields that its code takes.
                unsafe {
                    self.heap.black_hole(word);
                    let to = control.push(self.fp.0.add(base));
                    std::ptr::copy_nonoverlapping(fields, to, takes as usize);
                    self.fp.0 = to;
                }
                self.go_to(pc);
                Ok(())
            }
            Kind::Hole => Err(self.self_dependent(word)),
            Kind::Text => self.unpack_text(word),
            Kind::Input => self.read_input(word),
            Kind::Suspended => self.resume(word, control, base),
            Kind::Con
            | Kind::Big
            | Kind::Huge
            | Kind::Float
            | Kind::Pap
            | Kind::Array
            | Kind::Bytes
            | Kind::Buffer
            | Kind::Ind => {
                unreachable!("values and indirections are not entered")
            }
        }
    }

    /// A string becomes its first cell; the instruction is executed again.
    fn unpack_text(&mut self, node: Word) -> Result<(), Stop> {
        if !self.heap.fits(CELL) {
            return self.collect_for(CELL);
        }
        self.unpacked(node);
        Ok(())
    }

    /// The first cell of a string, which becomes it. There is room for it.
    fn unpacked(&mut self, node: Word) -> Word {
        // SAFETY: `node` is a pointer to a node.
        let (header, fields) = unsafe { node_at(node) };
        // SAFETY: a string has its position for a field.
        let at = unsafe { *fields }.as_int() as usize;
        let id = header.info();
        let text = self.mutator.image.program.gcode.texts.get(TextId(id));
        let next = text.and_then(|text| text.get(at..)).and_then(|rest| rest.chars().next());
        let rest = next.map_or(0, |c| at + c.len_utf8());
        self.becomes_cell(node, next, Kind::Text, id, rest)
    }

    /// The input becomes a cell with the next character; the instruction is executed again.
    /// Nothing is read ahead.
    fn read_input(&mut self, node: Word) -> Result<(), Stop> {
        if !self.heap.fits(CELL) {
            return self.collect_for(CELL);
        }
        if let Some(error) = self.input_failure.take() {
            return Err(Stop::Input(error));
        }
        let next = match &mut self.input {
            Some(input) => {
                if self.can_write && self.nesting == 0 && self.world.holds() && !input.is_ready() {
                    // Whoever gives the input may wait for what was written.
                    self.world.is_awaited = true;
                    return Err(self.stopped(None));
                }
                input.next().map_err(Stop::Input)?
            }
            None => None,
        };
        self.becomes_cell(node, next, Kind::Input, 0, 0);
        Ok(())
    }

    /// The first cell of a string or of the input, which becomes it; `Word::NOTHING` where that is to
    /// be told to somebody, or needs something first.
    #[inline(never)]
    pub(super) fn next_cell(&mut self, node: Word, kind: Kind) -> Word {
        if self.count || !self.heap.fits(CELL) {
            return Word::NOTHING;
        }
        if kind == Kind::Text {
            return self.unpacked(node);
        }
        let may_wait = self.can_write && self.nesting == 0 && self.world.holds();
        if may_wait || self.input_failure.is_some() {
            return Word::NOTHING;
        }
        match self.input.as_mut().map_or(Ok(None), |input| input.next()) {
            Ok(next) => self.becomes_cell(node, next, Kind::Input, 0, 0),
            Err(error) => {
                self.input_failure = Some(error);
                Word::NOTHING
            }
        }
    }

    /// A list that is not evaluated becomes a cell of a character and what is of `kind`, with `info`
    /// and a position, or the empty list. There is room for it.
    fn becomes_cell(
        &mut self,
        node: Word,
        first: Option<char>,
        kind: Kind,
        info: u32,
        at: usize,
    ) -> Word {
        let at = Word::int(at as i64).unwrap_or(Word::ZERO);
        let cell = match first {
            // SAFETY: the caller made sure of room.
            Some(c) => unsafe {
                let tail = self.heap.alloc(kind, info, &[at]);
                self.heap.alloc(Kind::Con, CONS.0, &[Word::char(c), tail])
            },
            None => Word::con(NIL),
        };
        // SAFETY: `node` is a pointer to a node that is no value.
        unsafe { self.heap.update(node, cell) };
        cell
    }

    /// Returns `value`, a word in weak head normal form, to what waits for it: pops control words
    /// until some code continues.
    ///
    /// # Errors
    /// When the value is applied and is no function, or something is used up.
    pub(super) fn return_value(&mut self, mut value: Word) -> Result<(), Stop> {
        loop {
            // SAFETY: below a frame or a control word is a control word, and what it spans.
            let (control, below) = unsafe {
                let control = Control::read(self.fp.0);
                (control, self.fp.0.sub(control.span()))
            };
            match control {
                Control::Update(thunk) => {
                    self.counts.thunks_updated += 1;
                    // SAFETY: a thunk under evaluation is no value.
                    unsafe { self.heap.update(thunk, value) };
                    self.fp.0 = below;
                }
                Control::Try { at, .. } => {
                    let returned = self.mutator.image.span(self.at());
                    // SAFETY: the value takes the place of the control word.
                    unsafe { *self.fp.0.sub(1) = value }
                    (self.fp.0, self.pc.0) = (below, self.instr(at));
                    self.world.performing.evaluated(self.depth(), returned);
                    return Ok(());
                }
                Control::Return { at, .. } => {
                    // SAFETY: the value takes the place of the control word.
                    unsafe { *self.fp.0.sub(1) = value }
                    (self.fp.0, self.pc.0) = (below, self.instr(at));
                    return Ok(());
                }
                Control::Evaluate { at, slot, .. } => {
                    (self.fp.0, self.pc.0) = (below, self.instr(at));
                    self.counts.thunks_updated += 1;
                    // SAFETY: a thunk under evaluation is no value.
                    unsafe { self.heap.update(self.slot(slot), value) };
                    self.set_slot(slot, value);
                    return Ok(());
                }
                Control::Resume { at, .. } => {
                    (self.fp.0, self.pc.0) = (below, self.instr(at));
                    return Ok(());
                }
                Control::Stop { .. } => {
                    // SAFETY: as for a return.
                    unsafe { *self.fp.0.sub(1) = value }
                    (self.fp.0, self.pc.0) = (below, self.instr(self.mutator.image.halt));
                    return Ok(());
                }
                Control::Apply { at, count } => {
                    // Until it is applied it is the only slot of a frame above the arguments:
                    // there a collection finds it.
                    self.set_slot(0, value);
                    self.pc.0 = self.instr(self.mutator.image.enter);
                    match self.apply_waiting(at, count as usize)? {
                        Some(partial) => value = partial,
                        None => return Ok(()),
                    }
                }
                Control::Mark => {
                    self.mutator.fp.0 = self.fp.0;
                    self.mutator.set_mark();
                }
            }
        }
    }

    /// Looks at the interrupt and hands out the next ticks.
    #[cold]
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.counts.reductions += u64::from(self.slice);
        (self.slice, self.ticks) = (0, 1);
        self.counts.peak_stack = self.counts.peak_stack.max(self.depth() as u64);
        if self.observed {
            self.observe();
        }
        self.interrupt.poll(|limit| self.stopped(limit))?;
        let slice = match &mut self.fuel {
            None => self.most_ticks,
            Some((given, 0)) => {
                let given = *given;
                return Err(self.limit(Limit::Fuel(given)));
            }
            Some((_, left)) => {
                let slice = self.most_ticks.min(u32::try_from(*left).unwrap_or(u32::MAX));
                *left -= u64::from(slice);
                slice
            }
        };
        // One more: the instruction that asked is executed again.
        (self.slice, self.ticks) = (slice, slice + 1);
        Ok(())
    }

    /// [`tick`](Machine::tick) for an instruction, which is executed again and counts then alone: so
    /// what is counted does not depend on how often somebody looks.
    ///
    /// # Errors
    /// As [`tick`](Machine::tick).
    #[cold]
    pub(super) fn tick_and_retry(&mut self) -> Result<(), Stop> {
        self.tick()?;
        if self.count {
            self.counts.instructions -= 1;
            // SAFETY: it is an instruction that is executed again.
            let op = unsafe { &*self.pc.0 }.op();
            if let Some(executed) = self.executed.get_mut(op as usize) {
                *executed -= 1;
            }
        }
        Ok(())
    }

    /// Does a long computation of integers, unless an interrupt comes before its end.
    pub(super) fn or_interrupt<T>(
        &self,
        compute: impl FnOnce(Poll<'_>) -> Result<T, Stopped>,
    ) -> Result<T, Stop> {
        self.interrupt.or(compute, |limit| self.stopped(limit))
    }

    /// Gives this many reductions from now on.
    pub(super) fn give_fuel(&mut self, fuel: Option<u64>) {
        self.counts.reductions += u64::from(self.spent());
        self.fuel = fuel.map(|fuel| (fuel, fuel));
        (self.slice, self.ticks) = (0, 1);
    }

    /// How many of the ticks that were handed out last are spent.
    pub(super) fn spent(&self) -> u32 {
        self.slice.saturating_sub(self.ticks.saturating_sub(1))
    }
}
