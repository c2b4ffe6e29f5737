//! The rule that prints: the machine's side of the printing automaton.

use super::heap::node::{Addr, Node};
use super::state::Machine;
use crate::base::integer::Integer;
use crate::gcode::program::{CONS, GlobalId, NIL};
use crate::machine::failure::Failure;
use crate::machine::outcome::{Output, Stop};
use crate::machine::print::{Move, PrintError, Shape};

impl Machine {
    /// `<Print : i, a : s, d, h[a: NNum n], o>  =>  <i, s, d, h, o n>`
    ///
    /// `<Print : i, a : s, d, h[a: NConstr t [a1 .. an]], o>  =>  <Eval : Print : .. : i, a1 : .. : an : s, d, h, o>`
    ///
    /// The boot code ends in `Eval, Print`: while there is more to print, control goes back
    /// to that `Eval`.
    pub(super) fn print(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        if self.performed(out)? {
            return Ok(());
        }
        self.stack_check(self.parts(self.item(0)).len() + 1)?;
        if let Node::Big(big) = self.heap.get(self.heap.value(self.item(0))) {
            // Digits take several times the room of the number.
            self.reserve(0, big.digits_bytes() as u64)?;
        }
        // Looked up again: a collection may have shortened the chains of indirections.
        let value = self.heap.value(self.item(0));
        let fields = self.parts(value);
        let digits = match self.heap.get(value) {
            Node::Big(big) => Some(self.or_interrupt(|poll| big.digits_until(poll))?),
            _ => None,
        };
        let Some(mut printer) = self.printer.take() else {
            unreachable!("`Print` stands in the boot code alone, which starts with a printer")
        };
        let said = match &digits {
            Some(digits) => printer.value(Shape::Digits(digits), out),
            None => self.with_shape(value, fields.len(), |shape| printer.value(shape, out)),
        };
        let done = printer.is_done();
        self.printer = Some(printer);
        let next = match said {
            Ok(next) => next,
            Err(PrintError::Output(error)) => return Err(Stop::Output(error)),
            Err(PrintError::Value(code, message, given)) => {
                let failure = Failure::unprintable(code, message, given);
                return Err(self.fail_at(self.main_span(), failure));
            }
        };
        self.stack.pop();
        match next {
            Move::Drop => {}
            Move::Fields => self.stack.extend(fields.iter().rev()),
            Move::Backward => self.stack.extend(fields.iter()),
            Move::Under => {
                let top = self.stack.len() - 1;
                self.stack.insert(top, value);
            }
            Move::Reverse { keep, count } => {
                self.stack.extend(keep.then_some(value));
                let from = self.stack.len() - count - usize::from(keep);
                self.stack[from..].reverse();
            }
        }
        self.at = if done { self.at.next() } else { self.at.to(self.at.pc.saturating_sub(1)) };
        Ok(())
    }

    /// Returns the fields of a constructor, the elements of an array, the arguments of a function.
    fn parts(&self, value: Addr) -> Vec<Addr> {
        let value = self.heap.value(value);
        if let Node::Array(elements) = self.heap.get(value) {
            return elements.to_vec();
        }
        match self.heap.get(value).as_constr() {
            Some((_, fields)) => fields.to_vec(),
            None => self.arguments(value),
        }
    }

    /// Hands on what the automaton wants to know of an evaluated value.
    pub(super) fn with_shape<R>(
        &self,
        value: Addr,
        fields: usize,
        then: impl FnOnce(Shape<'_>) -> R,
    ) -> R {
        let node = self.heap.get(value);
        match node {
            Node::Int(word) => then(Shape::Int(&Integer::Small(*word))),
            Node::Big(big) => then(Shape::Int(big)),
            Node::Opaque(number) => {
                let opaque = self.opaques.get(*number);
                then(Shape::Opaque { name: opaque.map_or("?", |opaque| opaque.name) })
            }
            Node::Float(value) => then(Shape::Float(*value)),
            Node::Char(c) => then(Shape::Char(*c)),
            Node::Array(elements) => then(Shape::Array { len: elements.len() }),
            Node::Bytes(bytes) => then(Shape::Bytes(bytes)),
            _ if let Some(kind) = self.action_kind(value) => {
                then(Shape::Action { name: kind.display_name() })
            }
            _ => match node.as_constr().map(|(con, _)| con) {
                Some(NIL) => then(Shape::Nil),
                Some(CONS) => then(Shape::Cons),
                Some(con) => {
                    let con = self.code.program.cons.get(con);
                    let name = con.map_or("?", |con| &con.name);
                    let readable = con.and_then(|con| self.code.program.con_name(con));
                    then(Shape::Con { name, fields, readable })
                }
                None => {
                    let global = self.function(value).map(|(global, _)| global);
                    let global = global.and_then(|global| self.code.global(global));
                    let name = global.and_then(|global| global.display.as_deref());
                    let readable = global.and_then(|global| self.code.program.global_name(global));
                    then(Shape::Function { name, arguments: fields, readable })
                }
            },
        }
    }

    /// Ends the line that has been printed so far, if it is not ended, and flushes. A line that
    /// actions have written is ended only if the run is stopped, and is no action that an embedder
    /// performs.
    ///
    /// # Errors
    /// When the output takes no more.
    pub fn end_line(&mut self, out: &mut dyn Output) -> Result<(), Stop> {
        self.end_output(out, true)
    }

    /// Ends the line and flushes, as [`end_line`](Machine::end_line) does, of a run that is
    /// stopped, or is at its end.
    pub(super) fn end_output(&mut self, out: &mut dyn Output, stopped: bool) -> Result<(), Stop> {
        let written = if stopped { self.world.end_line(out) } else { self.world.write(out) };
        written.map_err(Stop::Output)?;
        if let Some(printer) = &mut self.printer {
            printer.end_line(out).map_err(Stop::Output)?;
        }
        out.flush().map_err(Stop::Output)
    }

    /// Returns why a program cannot be started, if it cannot.
    pub(super) fn cannot_start(&self) -> Option<Stop> {
        let main = self.code.program.main.and_then(|main: GlobalId| self.code.global(main));
        match main {
            None => Some(self.fail(Failure::missing_main())),
            Some(main) if main.arity > 1 => Some(self.fail(Failure::main_parameters())),
            Some(_) => None,
        }
    }
}
