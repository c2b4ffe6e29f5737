//! Effects of actions.

use super::code::instr::Dst;
use super::code::program::ArgsId;
use super::state::Machine;
use crate::base::integer::Integer;
use crate::gcode::effect::{ActionCon, ActionKind, Actions, Effect, NO_THREAD, PIECE, thread_of};
use crate::gcode::program::{CONS, ConId, NIL};
use crate::machine::Machine as _;
use crate::machine::asking::Asking;
use crate::machine::failure::Failure;
use crate::machine::heap::bytes::bytes_need;
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Full, Kind, node_words};
use crate::machine::outcome::Stop;
use crate::machine::system::Operand;
use crate::machine::world::{Kept, Stream, World};
use crate::primitive::bytes::clamped;
use crate::primitive::{Operand as Needs, Primitive};

impl Machine {
    /// Returns the data type of actions, in code with effects.
    pub(super) fn actions(&self) -> Actions {
        match self.mutator.image.actions {
            Some(actions) => actions,
            None => unreachable!("where effects are, actions are: the verifier checks it"),
        }
    }

    pub(super) fn action_con(&self, con: ActionCon) -> ConId {
        self.actions().con(con)
    }

    /// Returns what an evaluated word is among actions, if it is a constructor of their data type.
    pub(super) fn action_kind(&self, word: Word) -> Option<ActionKind> {
        let con = match word.view() {
            View::Con(con) => con,
            View::Node(crate::machine::heap::word::Tag::Con) => {
                // SAFETY: a pointer leads to a node.
                ConId(unsafe { self.heap.header(word) }.info())
            }
            _ => return None,
        };
        self.mutator.image.actions?.kind(con)
    }

    /// Returns an operand of an effect, as far as it is evaluated.
    pub(super) fn operand(&self, args: ArgsId, at: usize) -> Word {
        let word = self.arg_list(args).get(at).map_or(Word::ZERO, |&arg| self.arg(arg));
        // SAFETY: it is a word of the heap.
        unsafe { self.heap.resolve(word) }
    }

    /// Performs an effect.
    ///
    /// # Errors
    /// When it fails, ends the program, or something is used up. Then nothing has changed.
    pub(super) fn effect(&mut self, d: Dst, effect: Effect, args: ArgsId) -> Result<(), Stop> {
        if effect == Effect::PutCharacters {
            let result = self.put_characters(Stream::Output, args)?;
            self.set_slot(d.0, result);
            self.advance();
            return Ok(());
        }
        // A cell, or a list cell around a line.
        self.reserve(node_words(2))?;
        let count = effect.arity() as usize;
        let thread = match effect.primitive() {
            Some(_) => match self.operand(args, count - 1).view() {
                View::Int(number) => thread_of(number),
                _ => NO_THREAD,
            },
            None => 0,
        };
        if let Some(primitive) = effect.primitive()
            && thread != 0
            && !effect.is_of_state()
        {
            return Err(self.fail(Failure::outside(primitive.name())));
        }
        let nil = Word::con(NIL);
        let result = match effect {
            Effect::NewCell => {
                let con = self.action_con(ActionCon::Cell);
                let fields = [self.operand(args, 0), self.operand(args, 1)];
                // SAFETY: room was made sure of.
                unsafe { self.heap.alloc(Kind::Con, con.0, &fields) }
            }
            Effect::ReadCell => {
                let cell = self.cell(effect, args, 0, thread)?;
                // SAFETY: a cell has its value for its first field.
                unsafe { self.heap.field(cell, 0) }
            }
            Effect::WriteCell => {
                let cell = self.cell(effect, args, 0, thread)?;
                // SAFETY: as above; the value is a word of the heap.
                unsafe { self.heap.write_field(cell, 0, self.operand(args, 1)) };
                nil
            }
            Effect::SameCell => {
                let one = self.cell(effect, args, 0, thread)?;
                let other = self.cell(effect, args, 1, thread)?;
                Word::boolean(one.address() == other.address())
            }
            Effect::NewArray
            | Effect::ReadArray
            | Effect::WriteArray
            | Effect::SizeOfArray
            | Effect::FreezeArray
            | Effect::ThawArray
            | Effect::CopyArray => match self.array_effect(effect, args, thread)? {
                Some(result) => result,
                // There was a collection instead: the instruction is executed again.
                None => return Ok(()),
            },
            Effect::InputLine => self.input_line()?,
            Effect::InputText => {
                if self.world.taken {
                    return Err(self.fail(Failure::input_taken("inputText")));
                }
                self.world.is_at_character().map_err(Stop::Input)?;
                self.world.taken = true;
                // SAFETY: room was made sure of.
                unsafe { self.heap.alloc(Kind::Input, 0, &[Word::ZERO]) }
            }
            Effect::PutBytes => self.put_bytes_of(effect, args)?,
            Effect::InputBytes => match self.input_bytes(args)? {
                Some(result) => result,
                None => return Ok(()),
            },
            Effect::Arguments => {
                let mut roots = Vec::new();
                for argument in self.world.arguments.clone() {
                    roots.push(self.new_text(&argument)?);
                }
                match self.new_list(&roots) {
                    Some(list) => self.mutator.handles.get(&list?).unwrap_or(nil),
                    None => unreachable!("the texts are this machine's"),
                }
            }
            Effect::Exit => {
                let status = self.operand(args, 0);
                return Err(match status.view() {
                    View::Int(status @ 0..=255) => Stop::Exit(status as u8),
                    _ => self.fail(Failure::no_status(&self.describe(status))),
                });
            }
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
                let value = self.system_effect(effect, args)?;
                self.mutator.handles.get(&value).unwrap_or(nil)
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
            | Effect::SetMask => self.thread_effect(effect, args)?,
            Effect::Tick => Word::boolean(self.world.program.tick()),
            Effect::PutCharacters => self.put_characters(Stream::Output, args)?,
            Effect::PutErrorCharacters => self.put_characters(Stream::Error, args)?,
            Effect::NewState => Word::int(self.world.new_thread()).unwrap_or(Word::ZERO),
            Effect::Throw => return Err(self.throw(self.operand(args, 0))),
            Effect::NoAction => {
                let found = self.describe(self.operand(args, 0));
                return Err(self.fail(Failure::no_action(&found)));
            }
            Effect::FailAgain => {
                let (value, trace) = (self.operand(args, 0), self.operand(args, 1));
                return Err(self.fail_again(value, trace));
            }
        };
        self.set_slot(d.0, result);
        self.advance();
        Ok(())
    }

    /// Returns the cell that is an operand; it must be the thread's.
    fn cell(&self, effect: Effect, args: ArgsId, at: usize, thread: i64) -> Result<Word, Stop> {
        let name = effect.primitive().map_or("", |primitive| primitive.name());
        let cell = self.operand(args, at);
        if self.action_kind(cell) != Some(ActionKind::Con(ActionCon::Cell)) {
            return Err(self.fail(Failure::no_cell(name, &self.describe(cell))));
        }
        // SAFETY: a cell has its thread for its second field.
        match unsafe { self.heap.field(cell, 1) }.view() {
            View::Int(owner) if thread_of(owner) == thread => Ok(cell),
            _ => Err(self.fail(Failure::foreign_cell(name))),
        }
    }

    fn input_line(&mut self) -> Result<Word, Stop> {
        if self.world.taken {
            return Err(self.fail(Failure::input_taken("inputLine")));
        }
        let line = self.world.line(&mut self.input).map_err(Stop::Input)?.map(str::to_owned);
        let Some(line) = line else { return Ok(Word::con(NIL)) };
        let line = self.new_text(&line)?;
        self.reserve(node_words(2))?;
        let line = self.mutator.handles.get(&line).unwrap_or(Word::con(NIL));
        self.world.line_is_returned();
        // SAFETY: room was made sure of.
        Ok(unsafe { self.heap.alloc(Kind::Con, CONS.0, &[line, Word::con(NIL)]) })
    }

    /// Writes the first piece of a byte string; 1 if that is all of it.
    fn put_bytes_of(&mut self, effect: Effect, args: ArgsId) -> Result<Word, Stop> {
        let found = self.operand(args, 0);
        let Some(bytes) = self.bytes(found) else {
            let name = effect.primitive().map_or("", |primitive| primitive.name());
            return Err(self.wrong_operand(name, "a byte string", "only", found));
        };
        let piece = bytes.get(..PIECE).unwrap_or(bytes);
        let (is_all, piece) = (piece.len() == bytes.len(), piece.to_vec());
        self.world.put_bytes(piece);
        self.world.is_due = self.could_write();
        Ok(Word::boolean(is_all))
    }

    /// Reads bytes; `None` if there was a collection instead.
    fn input_bytes(&mut self, args: ArgsId) -> Result<Option<Word>, Stop> {
        const NAME: &str = "inputBytes";
        if self.world.taken {
            return Err(self.fail(Failure::input_taken(NAME)));
        }
        let count = self.operand(args, 0);
        let most = match (count.view(), self.as_big(count)) {
            (View::Int(count), _) => clamped(&Integer::Small(count), usize::MAX),
            (_, Some(count)) => clamped(&count, usize::MAX),
            _ => return Err(self.wrong_operand(NAME, "an integer", "only", count)),
        };
        // They are there twice for a moment.
        let fits = |len: usize| self.heap.can_grow(2 * len as u64);
        let is_read = self.world.read(&mut self.input, most, fits).map_err(Stop::Input)?;
        if !is_read {
            return Err(self.out_of_memory(Full::Limit));
        }
        let len = self.world.bytes(most).len();
        if self.room_for(bytes_need(len))? {
            return Ok(None);
        }
        let bytes = self.world.bytes(most);
        // SAFETY: room was made sure of.
        let made = unsafe { self.heap.new_bytes(len, |to| to.copy_from_slice(bytes)) };
        let word = made.map_err(|full| self.out_of_memory(full))?;
        self.world.bytes_are_returned(len);
        Ok(Some(word))
    }

    /// Writes a character, and what is evaluated of the text after it. The operands are the
    /// character, the rest of the text and the thread; the number -1 is no character, and ends the
    /// text. At its end it is handed out: somebody may wait for it.
    fn put_characters(&mut self, stream: Stream, args: ArgsId) -> Result<Word, Stop> {
        let (name, con) = match stream {
            Stream::Output => ("putText", ActionCon::PutText),
            Stream::Error => ("putError", ActionCon::PutError),
        };
        // An action, and what is left of a literal.
        self.reserve(2 * node_words(1))?;
        let &[c, rest, thread] = self.arg_list(args) else {
            unreachable!("the effect has three operands")
        };
        let [found, rest, thread] = [c, rest, thread].map(|operand| self.arg(operand));
        if thread != Word::ZERO
            && !matches!(self.operand(args, 2).view(), View::Int(of) if thread_of(of) == 0)
        {
            return Err(self.fail(Failure::outside(name)));
        }
        let c = match found.as_char() {
            Some(c) => c,
            None => match self.operand(args, 0).view() {
                View::Char(c) => c,
                View::Int(-1) => {
                    self.world.is_due = self.could_write();
                    return Ok(Word::con(NIL));
                }
                _ => {
                    let found = self.describe(self.operand(args, 0));
                    return Err(self.fail(Failure::no_text(name, &found)));
                }
            },
        };
        self.world.put(stream, c);
        // SAFETY: it is a word of the heap.
        let mut rest = unsafe { self.heap.resolve(rest) };
        // What comes lazily is mostly not there yet.
        if rest.is_con_pointer() {
            let Machine { world, heap, .. } = self;
            // SAFETY: it is a word of the heap.
            rest = world.append(stream, |text, most| unsafe { heap.append_text(rest, text, most) });
        }
        rest = self.append_literal(rest, |world, literal| {
            world.append(stream, |text, most| append_up_to(literal, text, most))
        });
        let is_all = rest == Word::con(NIL);
        // While the input is read as a list somebody may read what is written line by line, or all of
        // it before he gives more; a host function may wait for input where nothing can be written.
        let waits = || self.input.as_ref().is_some_and(|input| !input.is_ready());
        let has_hosts = || !self.mutator.image.program.gcode.hosts.is_empty();
        let is_read = || self.world.taken && (self.world.ends_line() || has_hosts() || waits());
        self.world.is_due = self.could_write() && (is_all || self.world.is_full() || is_read());
        let con = self.action_con(if is_all { ActionCon::Return } else { con });
        // SAFETY: room was made sure of.
        Ok(unsafe { self.heap.alloc(Kind::Con, con.0, &[rest]) })
    }

    /// Gives what is left of `rest`, if it is a literal that is not unpacked, to `append`, which
    /// says how many bytes it has used; returns what is left then. There must be room for that.
    pub(super) fn append_literal(
        &mut self,
        rest: Word,
        append: impl FnOnce(&mut World, &str) -> usize,
    ) -> Word {
        let Some((id, at)) = self.as_text(rest) else { return rest };
        let Machine { world, mutator, .. } = self;
        let literal = mutator.image.program.gcode.texts.get(id);
        let Some(literal) = literal.and_then(|text| text.get(at..)) else { return rest };
        let end = append(world, literal);
        if end == literal.len() {
            return Word::con(NIL);
        }
        let at = Word::int((at + end) as i64).unwrap_or(Word::ZERO);
        // SAFETY: the caller made sure of room.
        unsafe { self.heap.alloc(Kind::Text, id.0, &[at]) }
    }
}

impl Asking for Machine {
    type Operands = ArgsId;

    fn operands_for_system(
        &self,
        primitive: Primitive,
        args: ArgsId,
    ) -> Result<Vec<Operand<'_>>, Stop> {
        let operand = |at| {
            let word = self.operand(args, at);
            let operand = match primitive.operand_at(at) {
                Needs::Integer => self.number(word).map(|of| Operand::Integer(of.into_owned())),
                _ => self.bytes(word).map(Operand::Bytes),
            };
            operand.ok_or_else(|| self.wrong_kind(primitive, at, word))
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
        self.heap.can_grow(bytes)
    }

    fn make_room(&mut self, bytes: u64) -> Result<(), Stop> {
        self.collect_for_bytes(0, bytes)
    }

    fn poll(&self) -> Result<(), Stop> {
        self.interrupt.poll(|limit| self.stopped(limit))
    }

    fn interrupted(&self) -> Stop {
        self.stopped(None)
    }

    fn no_room(&self) -> Stop {
        self.heap_limit()
    }

    fn failed(&self, failure: Failure) -> Stop {
        self.fail(failure)
    }
}

/// Appends the first characters of `literal` to `text`, which has about `most` bytes then; returns
/// how many bytes these are.
pub(super) fn append_up_to(literal: &str, text: &mut String, most: usize) -> usize {
    let end = literal.ceil_char_boundary(most.saturating_sub(text.len()));
    text.push_str(&literal[..end]);
    end
}
