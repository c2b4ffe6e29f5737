//! Effects of actions: the rule `Effect`.

use super::heap::node::{Addr, Node, buffer_bytes};
use super::state::Machine;
use crate::base::allocation::Full;
use crate::base::integer::Integer;
use crate::gcode::effect::{ActionCon, ActionKind, Actions, Effect, NO_THREAD, PIECE, thread_of};
use crate::gcode::program::{CONS, ConId, NIL};
use crate::machine::asking::Asking;
use crate::machine::failure::Failure;
use crate::machine::outcome::Stop;
use crate::machine::system::Operand;
use crate::machine::world::{Kept, Stream, World};
use crate::primitive::bytes::clamped;
use crate::primitive::{Operand as Needs, Primitive};

impl Machine {
    /// `<Effect e : i, a1 : .. : an : s, d, h, w>  =>  <i, a : s, d, h[a: result of e], w changed by e>`
    pub(super) fn effect(&mut self, effect: Effect) -> Result<(), Stop> {
        self.stack_check(1)?;
        self.reserve(2, 0)?;
        let count = effect.arity() as usize;
        if let Some(primitive) = effect.primitive() {
            let thread = self.thread(count - 1);
            if thread != 0 && !effect.is_of_state() {
                return Err(self.fail(Failure::outside(primitive.name())));
            }
        }
        let result = match effect {
            Effect::NewCell => {
                let con = self.action_con(ActionCon::Cell);
                let fields = [self.item(0), self.item(1)];
                self.heap.alloc(Node::constr(con, &fields))
            }
            Effect::ReadCell => {
                let (_, value) = self.cell(effect, 0)?;
                value
            }
            Effect::WriteCell => {
                let (cell, _) = self.cell(effect, 0)?;
                let (value, thread) = (self.item(1), self.item(2));
                let con = self.action_con(ActionCon::Cell);
                self.heap.set(cell, Node::constr(con, &[value, thread]));
                self.nil()
            }
            Effect::SameCell => {
                let ((a, _), (b, _)) = (self.cell(effect, 0)?, self.cell(effect, 1)?);
                self.heap.alloc(Node::Int(i64::from(a == b)))
            }
            Effect::NewArray
            | Effect::ReadArray
            | Effect::WriteArray
            | Effect::SizeOfArray
            | Effect::FreezeArray
            | Effect::ThawArray
            | Effect::CopyArray => self.array_effect(effect)?,
            Effect::InputLine => self.input_line()?,
            Effect::InputText => {
                if self.world.taken {
                    return Err(self.fail(Failure::input_taken("inputText")));
                }
                self.world.is_at_character().map_err(Stop::Input)?;
                self.world.taken = true;
                self.heap.alloc(Node::Input)
            }
            Effect::PutBytes => self.put_piece()?,
            Effect::InputBytes => self.input_bytes()?,
            Effect::Arguments => {
                let mut roots = Vec::new();
                for argument in self.world.arguments.clone() {
                    roots.push(self.new_text(&argument)?);
                }
                match self.new_list(&roots) {
                    Some(list) => self.handles.get(&list?).unwrap_or(Addr::NONE),
                    None => unreachable!("the texts are this machine's"),
                }
            }
            Effect::Exit => return Err(self.exit()),
            Effect::FileRead
            | Effect::FileSize
            | Effect::FileKind
            | Effect::FileWrite
            | Effect::FileAppend
            | Effect::FileRemove
            | Effect::FileRename
            | Effect::DirectoryList
            | Effect::DirectoryMake
            | Effect::DirectoryRemove
            | Effect::EnvironmentVariable
            | Effect::WallClock
            | Effect::MonotonicClock
            | Effect::RandomBytes => {
                let value = self.system_effect(effect, ())?;
                self.handles.get(&value).unwrap_or(Addr::NONE)
            }
            Effect::Fork
            | Effect::MyThread
            | Effect::ThreadNumber
            | Effect::Yield
            | Effect::NewMVar
            | Effect::TakeMVar
            | Effect::PutMVar
            | Effect::ReadMVar
            | Effect::TryTakeMVar
            | Effect::TryReadMVar
            | Effect::TryPutMVar
            | Effect::ThrowTo
            | Effect::SetMask => self.thread_effect(effect)?,
            Effect::Tick => {
                let goes_on = self.world.program.tick();
                self.heap.alloc(Node::Int(i64::from(goes_on)))
            }
            Effect::PutCharacters => self.put_characters(Stream::Output)?,
            Effect::PutErrorCharacters => self.put_characters(Stream::Error)?,
            Effect::NewState => {
                let thread = self.world.new_thread();
                self.heap.alloc(Node::Int(thread))
            }
            Effect::Throw => return Err(self.throw()),
            Effect::NoAction => {
                let found = self.describe(self.item(0));
                return Err(self.fail(Failure::no_action(&found)));
            }
            Effect::FailAgain => return Err(self.fail_again()),
        };
        self.replace(count, result);
        Ok(())
    }

    /// Returns the number of the thread that is the item `n` below the top.
    pub(super) fn thread(&self, n: usize) -> i64 {
        match self.heap.get(self.heap.value(self.item(n))) {
            Node::Int(number) => thread_of(*number),
            _ => NO_THREAD,
        }
    }

    /// Returns the data type of actions, in code with effects.
    pub(super) fn actions(&self) -> Actions {
        match self.code.actions {
            Some(actions) => actions,
            None => unreachable!("where effects are, actions are: the verifier checks it"),
        }
    }

    /// Returns a constructor of the data type of actions.
    pub(super) fn action_con(&self, con: ActionCon) -> ConId {
        self.actions().con(con)
    }

    /// Returns what a value is among actions, if it is an evaluated constructor of their data type.
    pub(super) fn action_kind(&self, value: Addr) -> Option<ActionKind> {
        let (con, _) = self.heap.get(self.heap.value(value)).as_constr()?;
        self.code.actions?.kind(con)
    }

    pub(super) fn nil(&mut self) -> Addr {
        self.heap.alloc(Node::constr(NIL, &[]))
    }

    /// Returns the cell that is the item `n` below the top, and its value; it must be the thread's.
    fn cell(&self, effect: Effect, n: usize) -> Result<(Addr, Addr), Stop> {
        let name = effect.primitive().map_or("", |primitive| primitive.name());
        let (item, thread) = (self.item(n), self.thread(effect.arity() as usize - 1));
        let cell = self.heap.value(item);
        match (self.action_kind(cell), self.heap.get(cell).as_constr()) {
            (Some(ActionKind::Con(ActionCon::Cell)), Some((_, &[value, owner]))) => {
                match self.heap.get(self.heap.value(owner)) {
                    Node::Int(owner) if thread_of(*owner) == thread => Ok((cell, value)),
                    _ => Err(self.fail(Failure::foreign_cell(name))),
                }
            }
            _ => Err(self.fail(Failure::no_cell(name, &self.describe(item)))),
        }
    }

    fn input_line(&mut self) -> Result<Addr, Stop> {
        if self.world.taken {
            return Err(self.fail(Failure::input_taken("inputLine")));
        }
        let line = self.world.line(&mut self.input).map_err(Stop::Input)?.map(str::to_owned);
        let Some(line) = line else { return Ok(self.nil()) };
        let line = self.new_text(&line)?;
        self.reserve(2, 0)?;
        let line = self.handles.get(&line).unwrap_or(Addr::NONE);
        self.world.line_is_returned();
        let nil = self.nil();
        Ok(self.heap.alloc(Node::constr(CONS, &[line, nil])))
    }

    /// Writes the first piece of the byte string on top; 1 if that is all of it.
    fn put_piece(&mut self) -> Result<Addr, Stop> {
        let found = self.heap.value(self.item(0));
        let Node::Bytes(bytes) = self.heap.get(found) else {
            let found = self.describe(found);
            return Err(self.fail(Failure::wrong_operand(
                "putBytes",
                "a byte string",
                "only",
                &found,
            )));
        };
        let piece = bytes.get(..PIECE).unwrap_or(bytes);
        let (is_all, piece) = (piece.len() == bytes.len(), piece.to_vec());
        self.world.put_bytes(piece);
        self.world.is_due = self.could_write();
        Ok(self.heap.alloc(Node::Int(i64::from(is_all))))
    }

    fn input_bytes(&mut self) -> Result<Addr, Stop> {
        const NAME: &str = "inputBytes";
        if self.world.taken {
            return Err(self.fail(Failure::input_taken(NAME)));
        }
        let count = self.heap.value(self.item(0));
        let most = match self.heap.get(count) {
            Node::Int(count) => clamped(&Integer::Small(*count), usize::MAX),
            Node::Big(count) => clamped(count, usize::MAX),
            _ => {
                let found = self.describe(count);
                let failure = Failure::wrong_operand(NAME, "an integer", "only", &found);
                return Err(self.fail(failure));
            }
        };
        // They are there twice for a moment.
        let fits = |len: usize| self.heap.fits(2 * len as u64).is_ok();
        let is_read = self.world.read(&mut self.input, most, fits).map_err(Stop::Input)?;
        if !is_read {
            return Err(self.out_of_memory(Full::Limit));
        }
        self.reserve_owned(1, buffer_bytes(self.world.bytes(most).len()))?;
        let bytes = self.world.bytes(most);
        let (len, node) = (bytes.len(), Node::Bytes(Box::new(bytes.into())));
        self.world.bytes_are_returned(len);
        Ok(self.heap.alloc(node))
    }

    fn exit(&self) -> Stop {
        let item = self.item(0);
        match self.heap.get(self.heap.value(item)) {
            &Node::Int(status @ 0..=255) => Stop::Exit(status as u8),
            _ => self.fail(Failure::no_status(&self.describe(item))),
        }
    }

    /// Writes the character on top, and no more of the text than that: the rest is below it, and
    /// the thread below that. The number -1 is no character, and ends the text, which is handed out
    /// then: somebody may wait for it.
    fn put_characters(&mut self, stream: Stream) -> Result<Addr, Stop> {
        let (name, con) = match stream {
            Stream::Output => ("putText", ActionCon::PutText),
            Stream::Error => ("putError", ActionCon::PutError),
        };
        if self.thread(2) != 0 {
            return Err(self.fail(Failure::outside(name)));
        }
        let (item, rest) = (self.item(0), self.item(1));
        let mut is_end = false;
        match *self.heap.get(self.heap.value(item)) {
            Node::Char(c) => self.world.put(stream, c),
            Node::Int(-1) => is_end = true,
            _ => return Err(self.fail(Failure::no_text(name, &self.describe(item)))),
        }
        // While the input is read as a list, what follows may wait for somebody who reads this.
        let is_due = is_end || self.world.is_full() || self.world.taken;
        self.world.is_due = is_due && self.could_write();
        Ok(self.heap.alloc(Node::constr(self.action_con(con), &[rest])))
    }

    /// Returns whether the evaluation is one of a run, which writes what is held back.
    fn could_write(&self) -> bool {
        self.printer.is_some() && self.nesting == 0
    }
}

impl Asking for Machine {
    /// They are on the stack.
    type Operands = ();

    fn operands_for_system(&self, primitive: Primitive, (): ()) -> Result<Vec<Operand<'_>>, Stop> {
        let operand = |at| {
            let value = self.heap.get(self.heap.value(self.item(at)));
            match (primitive.operand_at(at), value) {
                (Needs::Integer, Node::Int(of)) => Ok(Operand::Integer(Integer::Small(*of))),
                (Needs::Integer, Node::Big(of)) => Ok(Operand::Integer((**of).clone())),
                (Needs::Bytes, Node::Bytes(bytes)) => Ok(Operand::Bytes(bytes)),
                _ => Err(self.wrong_kind(primitive, at)),
            }
        };
        (0..primitive.arity()).map(operand).collect()
    }

    fn world(&mut self) -> &mut World {
        &mut self.world
    }

    fn kept(&self) -> Option<&Kept> {
        self.world.answer.as_ref()
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.heap.fits(bytes).is_ok()
    }

    fn make_room(&mut self, _: u64) -> Result<(), Stop> {
        self.collect();
        Ok(())
    }

    fn poll(&self) -> Result<(), Stop> {
        self.interrupt.poll(|limit| self.stopped(limit))
    }

    fn interrupted(&self) -> Stop {
        self.stopped(None)
    }

    fn no_room(&self) -> Stop {
        self.out_of_memory(Full::Limit)
    }

    fn failed(&self, failure: Failure) -> Stop {
        self.fail(failure)
    }
}
