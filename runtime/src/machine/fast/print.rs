//! Printing: the machine's side of the printing automaton.

use super::effects::append_up_to;
use super::state::Machine;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::gcode::program::{CONS, ConId, NIL};
use crate::machine::failure::Failure;
use crate::machine::heap::node_words;
use crate::machine::heap::word::{Tag, View, Word};
use crate::machine::outcome::{Output, Stop};
use crate::machine::print::{Move, PrintError, Shape};
use crate::machine::world::Mode;

/// Bytes of a text that are written at once, about.
const TEXT_PIECE: usize = 4096;

impl Machine {
    /// Evaluates and prints what is to be printed, until nothing is left.
    pub(super) fn print_all(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        while !self.mutator.printing.is_empty() {
            self.ticks = self.ticks.wrapping_sub(1);
            if self.ticks == 0 {
                self.tick(None)?;
                self.ticks -= 1;
            }
            self.printed += 1;
            if let Some(next) = self.mutator.printing.last_mut() {
                // What is evaluated is not entered: how a text is cut into pieces would be counted.
                // SAFETY: it is a word of the heap.
                *next = unsafe { self.heap.resolve(*next) };
            }
            self.evaluate(|machine| machine.mutator.printing.last().copied(), Some(out))?;
            if self.mode != Mode::Print && self.performed(out)? {
                continue;
            }
            if !self.print_text(out)? {
                self.print_one(out)?;
            }
        }
        Ok(())
    }

    /// Prints the characters that the rest of a raw text begins with, as far as they are evaluated.
    /// Returns whether there were some. Each costs two steps, for its cell and for itself, as where
    /// [`print_one`](Machine::print_one) prints it; the first cell has been counted.
    fn print_text(&mut self, out: &mut dyn Output) -> Result<bool, Stop> {
        // The last step of a slice is not taken here.
        let most = (self.ticks.saturating_sub(1) / 2) as usize;
        let rest = self.mutator.printing.last().copied();
        let (Some(rest), Some(printer)) = (rest, &mut self.printer) else { return Ok(false) };
        let Some(mut text) = printer.take_text() else { return Ok(false) };
        let most = most.min(TEXT_PIECE);
        // SAFETY: it is a word of the heap.
        let mut rest = unsafe { self.heap.append_text(rest, &mut text, most) };
        if self.heap.fits(node_words(1)) {
            rest = self.append_literal(rest, |_, literal| append_up_to(literal, &mut text, most));
        }
        let is_some = !text.is_empty();
        if is_some {
            let steps = 2 * text.chars().count() as u32 - 1;
            self.ticks -= steps;
            self.printed += u64::from(steps);
            if let Some(top) = self.mutator.printing.last_mut() {
                *top = rest;
            }
        }
        let Some(printer) = &mut self.printer else { return Ok(is_some) };
        printer.write_text(text, out).map_err(Stop::Output)?;
        Ok(is_some)
    }

    /// Prints what is known of the next value, and replaces it by what comes after that.
    fn print_one(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        let next = |machine: &Machine| {
            let word = machine.mutator.printing.last().copied().unwrap_or(Word::NOTHING);
            // SAFETY: it is a word of the heap.
            unsafe { machine.heap.resolve(word) }
        };
        if let Some(bytes) = self.as_big(next(self)).map(|big| big.digits_bytes())
            && !self.heap.can_grow(bytes as u64)
        {
            // Digits take several times the room of the number.
            self.collect_for_bytes(0, bytes as u64)?;
        }
        let value = next(self);
        let fields = self.parts(value);
        let digits = match self.as_big(value) {
            Some(big) => Some(self.or_interrupt(|poll| big.digits_until(poll))?),
            None => None,
        };
        let Some(mut printer) = self.printer.take() else { return Ok(()) };
        let said = match &digits {
            Some(digits) => printer.value(Shape::Digits(digits), out),
            None => self.with_shape(value, fields.len(), |shape| printer.value(shape, out)),
        };
        self.printer = Some(printer);
        let next = match said {
            Ok(next) => next,
            Err(PrintError::Output(error)) => return Err(Stop::Output(error)),
            Err(PrintError::Value(code, message, given)) => {
                let failure = Failure::unprintable(code, message, given);
                return Err(self.fail_at(self.main_span(), failure));
            }
        };
        let printing = &mut self.mutator.printing;
        printing.pop();
        match next {
            Move::Drop => {}
            Move::Fields => printing.extend(fields.iter().rev()),
            Move::Backward => printing.extend(fields.iter()),
            Move::Under => {
                let top = printing.len().saturating_sub(1);
                printing.insert(top, value);
            }
            Move::Reverse { keep, count } => {
                printing.extend(keep.then_some(value));
                let from = printing.len().saturating_sub(count + usize::from(keep));
                if let Some(items) = printing.get_mut(from..) {
                    items.reverse();
                }
            }
        }
        Ok(())
    }

    /// Returns the fields of a constructor, the elements of an array, the arguments of a function.
    fn parts(&self, value: Word) -> Vec<Word> {
        if let Some((_, fields)) = self.as_con(value) {
            return fields;
        }
        if let Some(elements) = self.elements(value) {
            return elements.to_vec();
        }
        match (value.view(), self.function(value)) {
            // SAFETY: a partial application is a node.
            (View::Node(Tag::Value), Some(_)) => unsafe { self.heap.fields(value).to_vec() },
            _ => Vec::new(),
        }
    }

    /// Hands on what the automaton wants to know of an evaluated value.
    fn with_shape<R>(&self, value: Word, fields: usize, then: impl FnOnce(Shape<'_>) -> R) -> R {
        match value.view() {
            View::Int(small) => return then(Shape::Int(&Integer::Small(small))),
            View::Float(value) => return then(Shape::Float(value)),
            View::Char(c) => return then(Shape::Char(c)),
            _ => {}
        }
        if let Some(value) = self.float(value) {
            return then(Shape::Float(Float::new(value)));
        }
        if let Some(big) = self.as_big(value) {
            return then(Shape::Int(&big));
        }
        if let Some(opaque) = self.as_opaque(value) {
            return then(Shape::Opaque { name: opaque.name });
        }
        if self.elements(value).is_some() {
            return then(Shape::Array { len: fields });
        }
        if let Some(bytes) = self.bytes(value) {
            return then(Shape::Bytes(bytes));
        }
        let gcode = &self.mutator.image.program.gcode;
        let con = match value.view() {
            View::Con(con) => Some(con),
            View::Node(Tag::Con) => {
                // SAFETY: a pointer leads to a node.
                Some(ConId(unsafe { self.heap.header(value).info() }))
            }
            _ => None,
        };
        match con {
            Some(con)
                if let Some(kind) = self.mutator.image.actions.and_then(|all| all.kind(con)) =>
            {
                then(Shape::Action { name: kind.display_name() })
            }
            Some(NIL) => then(Shape::Nil),
            Some(CONS) => then(Shape::Cons),
            Some(con) => {
                let con = gcode.cons.get(con);
                let name = con.map_or("?", |con| &con.name);
                let readable = con.and_then(|con| gcode.con_name(con));
                then(Shape::Con { name, fields, readable })
            }
            None => {
                let global =
                    self.function(value).and_then(|(global, _)| self.mutator.image.global(global));
                let name = global.and_then(|global| global.display.as_deref());
                let readable = global.and_then(|global| gcode.global_name(global));
                then(Shape::Function { name, arguments: fields, readable })
            }
        }
    }

    /// Ends the line that has been printed so far, if it is not ended, and flushes. A line that
    /// actions have written is ended only if the run is stopped, and is no action that an embedder
    /// performs.
    pub(super) fn end_line(&mut self, out: &mut dyn Output, stopped: bool) -> Result<(), Stop> {
        let written = if stopped { self.world.end_line(out) } else { self.world.write(out) };
        written.map_err(Stop::Output)?;
        if let Some(printer) = &mut self.printer {
            printer.end_line(out).map_err(Stop::Output)?;
        }
        out.flush().map_err(Stop::Output)
    }
}
