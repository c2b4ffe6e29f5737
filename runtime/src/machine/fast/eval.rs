//! Evaluation: entering what is not evaluated, and what becomes of a value.

use super::code::instr::{Forced, Pc};
use super::code::program::{Entry, ThunkId};
use super::executor::node_at;
use super::image::STRIDE;
use super::stack::Control;
use super::state::Machine;
use crate::base::integer::{Poll, Stopped};
use crate::gcode::program::{CONS, NIL, TextId};
use crate::machine::heap::word::{Tag, Word};
use crate::machine::heap::{Kind, node_words};
use crate::machine::outcome::{InputError, Limit, Stop};

/// Calls between two looks at the interrupt.
pub(super) const SLICE: u32 = 10_000;

/// Code that is about to be entered.
#[derive(Clone, Copy)]
pub(super) struct Entering {
    /// Its first instruction.
    pub(super) pc: Pc,
    /// Whether its frame takes the place of the present one, or comes above it.
    pub(super) in_place: bool,
}

/// What is found where a pointer leads.
enum Found {
    /// A value in weak head normal form.
    Value(Word),
    /// Something to be evaluated: a node of this kind.
    Node(Word, Kind),
}

/// Words of a cell and what follows it, a string or the input.
const CELL: usize = node_words(2) + node_words(1);

/// How many cells of a string or the input are made at once, at most.
const CELLS: usize = 32;

impl Machine {
    /// Returns the word in a slot of the frame.
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

    /// Jumps to a position in the code.
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
                    let in_place = matches!(control, Control::Update(_));
                    return self.tick_and_retry(Some(Entering { pc, in_place }));
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

    /// Makes the first cells of a string; the instruction is executed again.
    fn unpack_text(&mut self, node: Word) -> Result<(), Stop> {
        if !self.heap.fits(CELL) {
            return self.collect_for(CELL);
        }
        self.unpacked(node);
        Ok(())
    }

    /// Returns the first cells of a string, which becomes them: about as many as were unpacked
    /// before, so that little is unpacked that nobody asks for. There is room for one.
    fn unpacked(&mut self, node: Word) -> Word {
        // SAFETY: `node` is a pointer to a node.
        let (header, fields) = unsafe { node_at(node) };
        // SAFETY: a string has its position for a field.
        let at = unsafe { *fields }.as_int() as usize;
        let id = header.info();
        let text = self.mutator.image.program.gcode.texts.get(TextId(id));
        let mut rest = text.and_then(|text| text.get(at..)).unwrap_or_default().chars();
        let most = self.cells_at_once().min(at.max(1));
        let (mut characters, mut count) = (['\0'; CELLS], 0);
        for (to, c) in characters[..most].iter_mut().zip(&mut rest) {
            *to = c;
            count += 1;
        }
        let left = rest.as_str().len();
        let end = text.map_or(0, |text| text.len()) - left;
        let tail = (left > 0).then_some((Kind::Text, id, end));
        self.becomes_cells(node, &characters[..count], tail)
    }

    /// Returns how many cells are made of a string or the input at once, at most. There is room for
    /// one.
    fn cells_at_once(&self) -> usize {
        let fits = self.heap.fits(CELL + (CELLS - 1) * node_words(2));
        if fits { CELLS } else { 1 }
    }

    /// Makes cells of the next characters of the input; the instruction is executed again.
    fn read_input(&mut self, node: Word) -> Result<(), Stop> {
        if !self.heap.fits(CELL) {
            return self.collect_for(CELL);
        }
        if let Some(error) = self.input_failure.take() {
            return Err(Stop::Input(error));
        }
        if let Some(input) = &self.input
            && self.could_write()
            && !input.is_ready()
        {
            // Whoever gives the input may wait for what was written. The instruction is executed again.
            self.world.is_due = true;
            return Ok(());
        }
        self.read_cells(node).map_err(Stop::Input)?;
        Ok(())
    }

    /// Returns whether something written is held back that the run could hand out.
    pub(super) fn could_write(&self) -> bool {
        self.can_write && self.nesting == 0 && self.world.holds()
    }

    /// Returns the first cell of a string or of the input, which becomes it; `Word::NOTHING` where
    /// that is to be told to somebody, or needs something first.
    #[inline(never)]
    pub(super) fn next_cell(&mut self, node: Word, kind: Kind) -> Word {
        if self.count || !self.heap.fits(CELL) {
            return Word::NOTHING;
        }
        if kind == Kind::Text {
            return self.unpacked(node);
        }
        if self.could_write() || self.input_failure.is_some() {
            return Word::NOTHING;
        }
        self.read_cells(node).unwrap_or_else(|error| {
            self.input_failure = Some(error);
            Word::NOTHING
        })
    }

    /// Returns the first cells of the input, which becomes them: the next character, and those
    /// after it that are there already. There is room for one.
    fn read_cells(&mut self, node: Word) -> Result<Word, InputError> {
        let most = self.cells_at_once();
        let mut characters = ['\0'; CELLS];
        let mut count = 0;
        if let Some(input) = &mut self.input
            && let Some(first) = input.next()?
        {
            characters[0] = first;
            let ready = &mut characters[1..most];
            count = 1 + input.take_ready(ready).min(ready.len());
        }
        let tail = (count > 0).then_some((Kind::Input, 0, 0));
        Ok(self.becomes_cells(node, &characters[..count], tail))
    }

    /// Makes of a list that is not evaluated cells of characters and a tail: the empty list, or a
    /// node of a kind with its info and a position. There is room for it.
    fn becomes_cells(
        &mut self,
        node: Word,
        characters: &[char],
        tail: Option<(Kind, u32, usize)>,
    ) -> Word {
        let mut list = match tail {
            // SAFETY: the caller made sure of room.
            Some((kind, info, at)) => unsafe {
                self.heap.alloc(kind, info, &[Word::int(at as i64).unwrap_or(Word::ZERO)])
            },
            None => Word::con(NIL),
        };
        for &c in characters.iter().rev() {
            // SAFETY: the caller made sure of room.
            list = unsafe { self.heap.alloc(Kind::Con, CONS.0, &[Word::char(c), list]) };
        }
        // SAFETY: `node` is a pointer to a node that is no value.
        unsafe { self.heap.update(node, list) };
        list
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

    /// Looks at the interrupt and hands out the next ticks, before something is entered.
    #[cold]
    pub(super) fn tick(&mut self, entering: Option<Entering>) -> Result<(), Stop> {
        self.counts.reductions += u64::from(self.slice);
        (self.slice, self.ticks) = (0, 1);
        self.counts.peak_stack = self.counts.peak_stack.max(self.depth() as u64);
        if self.observed {
            self.observe(entering);
        }
        self.interrupt.poll(|limit| self.stopped(limit))?;
        #[cfg(gmachine_native)]
        let most_ticks = self.compile_if_due();
        #[cfg(not(gmachine_native))]
        let most_ticks = self.most_ticks;
        let slice = match &mut self.fuel {
            None => most_ticks,
            Some((given, 0)) => {
                let given = *given;
                return Err(self.limit(Limit::Fuel(given)));
            }
            Some((_, left)) => {
                let slice = most_ticks.min(u32::try_from(*left).unwrap_or(u32::MAX));
                *left -= u64::from(slice);
                slice
            }
        };
        // One more: the instruction that asked is executed again.
        (self.slice, self.ticks) = (slice, slice + 1);
        Ok(())
    }

    /// Calls [`tick`](Machine::tick) for an instruction, which is executed again and counts then
    /// alone: so what is counted does not depend on how often somebody looks.
    ///
    /// # Errors
    /// As [`tick`](Machine::tick).
    #[cold]
    pub(super) fn tick_and_retry(&mut self, entering: Option<Entering>) -> Result<(), Stop> {
        self.tick(entering)?;
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

    /// Performs a long computation of integers, unless an interrupt comes before its end.
    pub(super) fn or_interrupt<T>(
        &self,
        compute: impl FnOnce(Poll<'_>) -> Result<T, Stopped>,
    ) -> Result<T, Stop> {
        self.interrupt.or(compute, |limit| self.stopped(limit))
    }

    /// Sets how many reductions may be done from now on.
    pub(super) fn give_fuel(&mut self, fuel: Option<u64>) {
        self.counts.reductions += u64::from(self.spent());
        self.fuel = fuel.map(|fuel| (fuel, fuel));
        (self.slice, self.ticks) = (0, 1);
    }

    /// Returns how many of the ticks that were handed out last are spent.
    pub(super) fn spent(&self) -> u32 {
        self.slice.saturating_sub(self.ticks.saturating_sub(1))
    }
}
