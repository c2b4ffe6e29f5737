//! Effects of actions, and exceptions.

use std::sync::Arc;

use super::code::instr::{Arg, Base, Dst};
use super::code::program::ArgsId;
use super::stack::{Control, SLACK};
use super::state::Machine;
use crate::base::code::Code;
use crate::base::integer::Integer;
use crate::base::quote::{Elements, SHOWN_DEPTH, char_literal, constructed};
use crate::base::span::Span;
use crate::gcode::effect::{ActionCon, ActionKind, Effect, NO_THREAD, PIECE, thread_of};
use crate::gcode::program::{CONS, ConId, GlobalId, NIL};
use crate::machine::Machine as _;
use crate::machine::failure::{Failure, Lists};
use crate::machine::heap::bytes::bytes_need;
use crate::machine::heap::word::{View, Word};
use crate::machine::heap::{Fields, Full, Kind, node_words};
use crate::machine::opaque::Opaque;
use crate::machine::outcome::{Output, RunError, Stop, Thrown};
use crate::machine::system::{Answer, Operand, Outside, Refused, SystemError, asked, subject};
use crate::machine::threads::{Next, Threads};
use crate::machine::world::{Kept, Mode, Stream, TRACE, Trace, World};
use crate::primitive::Operand as Needs;
use crate::primitive::bytes::clamped;

impl Machine {
    /// Executes instructions until an evaluation ends. A failure of the program goes to the
    /// innermost `Try` of the evaluation.
    ///
    /// # Errors
    /// When something else stops it, or nothing tries.
    pub(super) fn go_on(&mut self) -> Result<(), Stop> {
        loop {
            match self.go() {
                Err(Stop::Error(error)) if self.mutator.image.actions.is_some() => {
                    if !self.tries() {
                        self.world.answer = None;
                        return Err(Stop::Error(error));
                    }
                    self.deliver(*error)?;
                    self.world.answer = None;
                }
                result => return result,
            }
        }
    }

    /// Evaluates a word, as far as the program does not fail.
    pub(super) fn try_to(&mut self, base: Base, a: Arg) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_sub(1);
        if self.ticks == 0 {
            return self.tick_and_retry();
        }
        self.room(base.0 as usize + 2 + SLACK)?;
        let word = self.arg(a);
        self.world.performing.evaluates(self.depth(), self.source_thunk(word));
        let at = self.at() + super::image::STRIDE;
        // SAFETY: room was made.
        unsafe {
            let to = self.fp.0.add(base.0 as usize);
            self.fp.0 = Control::Try { at, base: base.0 }.push(to);
        }
        self.set_slot(0, word);
        self.pc.0 = self.instr(self.mutator.image.enter);
        Ok(())
    }

    /// The expression that a thunk of the source stands for, and the definition where it is, if a word
    /// leads to one.
    fn source_thunk(&self, word: Word) -> Option<(Span, GlobalId)> {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        // SAFETY: what is not evaluated leads to a node.
        if word.is_evaluated() || unsafe { self.heap.header(word) }.kind() != Kind::Thunk {
            return None;
        }
        let thunk = self.thunk(word)?;
        (!thunk.span.is_none()).then_some((thunk.span, thunk.owner))
    }

    /// Calls `visit` with each control word from the top down to the innermost `Try` or stop, and
    /// where it ends; returns that one.
    fn control_words(&self, mut visit: impl FnMut(Control, *mut Word)) -> (Control, *mut Word) {
        let mut end = self.fp.0;
        loop {
            // SAFETY: a control word ends where each frame, and each control word, begins; the
            // lowest one is a stop.
            let mut control = unsafe { Control::read(end) };
            if let (Control::Mark, Some((_, word))) = (control, self.mutator.mark) {
                // SAFETY: the second word of two stays where it is, below the first.
                let lower = unsafe { *end.sub(2) };
                // SAFETY: two words.
                control = unsafe { Control::read([lower, word].as_ptr().add(2)) };
            }
            if let Control::Try { .. } | Control::Stop { .. } = control {
                return (control, end);
            }
            visit(control, end);
            // SAFETY: what a control word spans is in the stack.
            end = unsafe { end.sub(control.span()) };
        }
    }

    /// Whether a `Try` of the evaluation waits.
    fn tries(&self) -> bool {
        matches!(self.control_words(|_, _| {}), (Control::Try { .. }, _))
    }

    /// Where the program has failed: the innermost `Try` gets the exception, and the thunks under
    /// evaluation fail again from now on.
    #[cold]
    #[inline(never)]
    fn deliver(&mut self, mut error: RunError) -> Result<(), Stop> {
        let thrown = error.thrown.take();
        let (code, message) = (error.code.to_string(), error.message.clone());
        let trace = Opaque { name: TRACE, value: Arc::new(Trace(error)) };
        let trace = self.new_opaque(trace)?;
        let (con, roots) = match thrown {
            Some(Thrown(value)) => (ActionCon::Thrown, vec![value, trace]),
            None => {
                let (code, message) = (self.new_text(&code)?, self.new_text(&message)?);
                (ActionCon::Failed, vec![code, message, trace])
            }
        };
        self.reserve(node_words(3) + node_words(1))?;
        let fields: Vec<Word> =
            roots.iter().filter_map(|root| self.mutator.handles.get(root)).collect();
        let Some(fields) = Fields::new(&fields) else { return Err(self.heap_limit()) };
        let con = self.action_con(con);
        let again = self.mutator.image.again;
        // SAFETY: room was made sure of.
        let (exception, again) = unsafe {
            let exception = self.heap.alloc(Kind::Con, con.0, fields);
            (exception, self.heap.alloc(Kind::Thunk, again.0, &[exception]))
        };
        self.counts.thunks_made += 1;
        // Without a mark the stack can be unwound.
        self.mutator.clear_mark();
        let mut thunks = Vec::new();
        let (control, end) = self.control_words(|control, end| match control {
            Control::Update(thunk) => thunks.push(thunk),
            Control::Evaluate { slot, .. } => {
                // SAFETY: the frame that it spans has the slot.
                thunks.push(unsafe { *end.sub(control.span()).add(slot as usize) });
            }
            _ => {}
        });
        for thunk in thunks {
            // SAFETY: a thunk under evaluation is no value.
            unsafe { self.heap.update(thunk, again) };
        }
        let Control::Try { at, .. } = control else {
            unreachable!("it was looked for before, and nothing has run since")
        };
        // SAFETY: the value takes the place of the control word, which spans what is above the
        // frame below.
        unsafe {
            *end.sub(1) = exception;
            self.fp.0 = end.sub(control.span());
        }
        self.pc.0 = self.instr(at);
        // Where the stack is clean is noted anew, from here down.
        self.mutator.fp.0 = self.fp.0;
        self.mutator.clean = self.mutator.clean.min(self.depth());
        self.mutator.set_mark();
        Ok(())
    }

    pub(super) fn action_con(&self, con: ActionCon) -> ConId {
        match self.mutator.image.actions {
            Some(actions) => actions.con(con),
            None => unreachable!("only code of the performer asks"),
        }
    }

    /// What an evaluated word is among actions, if it is a constructor of their data type.
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

    /// An operand of an effect, as far as it is evaluated.
    pub(super) fn operand(&self, args: ArgsId, at: usize) -> Word {
        let word = self.arg_list(args).get(at).map_or(Word::ZERO, |&arg| self.arg(arg));
        // SAFETY: it is a word of the heap.
        unsafe { self.heap.resolve(word) }
    }

    /// Does an effect.
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
            | Effect::RandomBytes => self.system_effect(effect, args)?,
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

    /// The cell that is an operand; it must be the thread's.
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

    /// Does an effect on the system.
    fn system_effect(&mut self, effect: Effect, args: ArgsId) -> Result<Word, Stop> {
        let is_kept = match &self.world.answer {
            Some(kept) => kept.asked == asked(effect, &self.system_operands(effect, args)?),
            None => false,
        };
        let answer = match self.world.answer.take_if(|_| is_kept) {
            Some(kept) => kept.answer,
            None => self.ask(effect, args)?,
        };
        let value = match &answer {
            Ok(answer) => answer.value(self),
            Err(failure) => Err(self.fail(failure.clone())),
        };
        match value {
            Ok(value) => Ok(self.mutator.handles.get(&value).unwrap_or(Word::con(NIL))),
            Err(stop) => {
                let asked = asked(effect, &self.system_operands(effect, args)?);
                self.world.answer = Some(Kept { asked, answer });
                Err(stop)
            }
        }
    }

    /// The operands of an effect on the system.
    fn system_operands(&self, effect: Effect, args: ArgsId) -> Result<Vec<Operand<'_>>, Stop> {
        let Some(primitive) = effect.primitive() else { return Ok(Vec::new()) };
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

    fn ask(&mut self, effect: Effect, args: ArgsId) -> Result<Result<Answer, Failure>, Stop> {
        let mut system = std::mem::take(&mut self.world.system);
        let mut collected_for = 0;
        let answer = loop {
            let mut refused = None;
            let answer = self.ask_once(&mut system, effect, args, &mut refused);
            match refused {
                None => break answer,
                Some(Refused::Stop(stop)) => break Err(stop),
                Some(Refused::Room(bytes)) if bytes > collected_for => {
                    collected_for = bytes;
                    if let Err(stop) = self.collect_for_bytes(0, bytes) {
                        break Err(stop);
                    }
                }
                Some(Refused::Room(_)) => break Err(self.out_of_memory(Full::Limit)),
            }
        };
        self.world.system = system;
        answer
    }

    fn ask_once(
        &self,
        system: &mut Outside,
        effect: Effect,
        args: ArgsId,
        refused: &mut Option<Refused>,
    ) -> Result<Result<Answer, Failure>, Stop> {
        let Some(primitive) = effect.primitive() else { return Ok(Ok(Answer::Done)) };
        let operands = self.system_operands(effect, args)?;
        let mut fits = |len: usize| {
            // It is there twice for a moment.
            let bytes = 2 * len as u64;
            *refused = match self.interrupt.poll(|limit| self.stopped(limit)) {
                Err(stop) => Some(Refused::Stop(stop)),
                Ok(()) if self.heap.can_grow(bytes) => None,
                Ok(()) => Some(Refused::Room(bytes)),
            };
            refused.is_none()
        };
        match system.ask(effect, &operands, &mut fits) {
            Err(SystemError::Stopped) => Err(self.stopped(None)),
            Err(error) => Ok(Err(Failure::of_system(primitive.name(), subject(&operands), &error))),
            Ok(answer) => Ok(Ok(answer)),
        }
    }

    /// The operands are a character, the rest of the text and the thread; the number -1 is no
    /// character, and says nothing.
    fn put_characters(&mut self, stream: Stream, args: ArgsId) -> Result<Word, Stop> {
        let (name, con) = match stream {
            Stream::Output => ("putText", ActionCon::PutText),
            Stream::Error => ("putError", ActionCon::PutError),
        };
        // Two actions, and what is left of a literal.
        self.reserve(3 * node_words(1))?;
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
                View::Int(-1) => return Ok(Word::con(NIL)),
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
        // While the input is read as a list somebody may read what is written line by line, or all of
        // it before he gives more; a host function may wait for input where nothing can be written.
        let waits = || self.input.as_ref().is_some_and(|input| !input.is_ready());
        let has_hosts = || !self.mutator.image.program.gcode.hosts.is_empty();
        let is_read = self.world.taken && (self.world.ends_line() || has_hosts() || waits());
        let (con, flush) = (self.action_con(con), self.action_con(ActionCon::Flush));
        // SAFETY: room was made sure of.
        unsafe {
            let action = self.heap.alloc(Kind::Con, con.0, &[rest]);
            let full = is_read || self.world.is_full();
            Ok(if full { self.heap.alloc(Kind::Con, flush.0, &[action]) } else { action })
        }
    }

    /// If `rest` is a literal that is not unpacked: gives what is left of it to `append`, which says
    /// how many bytes it has used, and returns what is left then. There must be room for that.
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

    /// A value that is thrown, as messages show it.
    pub(super) fn thrown(&self, value: Word) -> String {
        // SAFETY: it is a word of the heap.
        let value = unsafe { self.heap.resolve(value) };
        if self.as_text(value).is_some() {
            return self.text_so_far(value).quoted();
        }
        self.brief(value, SHOWN_DEPTH, Lists::Elements)
    }

    fn throw(&mut self, value: Word) -> Stop {
        let found = self.thrown(value);
        let thrown = Some(Thrown(self.mutator.handle(value)));
        match self.fail(Failure::thrown(&found)) {
            Stop::Error(error) => Stop::Error(Box::new(RunError { thrown, ..*error })),
            stop => stop,
        }
    }

    fn fail_again(&mut self, value: Word, trace: Word) -> Stop {
        let known = self.as_opaque(trace).and_then(|known| known.value.downcast_ref());
        let Some(Trace(error)) = known else {
            return self.fail(Failure::no_exception(&self.describe(trace)));
        };
        let mut error = error.clone();
        if error.code == Code::Uncaught {
            // A handler may say in other words what it was.
            error.message = Failure::thrown(&self.thrown(value)).message();
        }
        if error.was_thrown() {
            error.thrown = Some(Thrown(self.mutator.handle(value)));
        }
        Stop::Error(Box::new(error))
    }

    /// What is evaluated of a value, in a few words.
    pub(super) fn brief(&self, word: Word, depth: u32, lists: Lists) -> String {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        if let Some(kind) = self.action_kind(word) {
            return format!("<{}>", kind.display_name());
        }
        match (word.view(), self.as_con(word)) {
            (_, Some((CONS, fields))) if fields.first().is_some_and(|head| self.is_char(*head)) => {
                self.text_so_far(word).quoted()
            }
            (_, Some((CONS, _))) if lists == Lists::Elements => self.brief_list(word, depth),
            (_, Some((con, fields))) => {
                let fields = fields.iter().map(|&field| match depth {
                    0 => "..".to_owned(),
                    _ => self.brief(field, depth - 1, lists),
                });
                let con = self.mutator.image.program.gcode.cons.get(con);
                constructed(con.map_or("?", |con| &con.name), fields)
            }
            (View::Int(n), _) => n.to_string(),
            (View::Char(c), _) => char_literal(c),
            _ => match (self.float(word), self.as_big(word), self.function(word)) {
                (Some(x), ..) => crate::base::float::Float::new(x).to_string(),
                (_, Some(_), _) => "a large integer".to_owned(),
                (.., Some((global, _))) => format!("<function {}>", self.shown_name(global)),
                _ => "_".to_owned(),
            },
        }
    }

    /// The elements of a list, as far as it is evaluated, in a few words.
    fn brief_list(&self, mut list: Word, depth: u32) -> String {
        let mut shown = Elements::default();
        while let Some((CONS, fields)) = self.as_con(list)
            && let &[head, tail] = fields.as_slice()
            && shown.has_room()
        {
            match depth {
                0 => shown.push(".."),
                _ => shown.push(&self.brief(head, depth - 1, Lists::Elements)),
            }
            // SAFETY: it is a word of the heap.
            list = unsafe { self.heap.resolve(tail) };
        }
        shown.end(list.as_con() == Some(NIL))
    }

    fn is_char(&self, word: Word) -> bool {
        // SAFETY: it is a word of the heap.
        matches!(unsafe { self.heap.resolve(word) }.view(), View::Char(_))
    }

    /// Where a value that is to be performed or printed has been evaluated: goes on with an action,
    /// if it is one. `false` if the value is to be printed.
    ///
    /// # Errors
    /// When the output takes no more, or memory is used up.
    pub(super) fn performed(&mut self, out: &mut dyn Output) -> Result<bool, Stop> {
        let Some(actions) = self.mutator.image.actions else {
            if self.mode == Mode::Perform {
                let found = self.mutator.printing.last().copied().unwrap_or(Word::NOTHING);
                // SAFETY: it is a word of the heap.
                let found = unsafe { self.heap.resolve(found) };
                return Err(self.fail(Failure::no_action(&self.describe(found))));
            }
            self.mode = Mode::Print;
            return Ok(false);
        };
        self.reserve(3 * node_words(2))?;
        let word = self.mutator.printing.last().copied().unwrap_or(Word::NOTHING);
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        // SAFETY: what has fields is a node.
        let field = |machine: &Machine, at| unsafe { machine.heap.field(word, at) };
        let kind = self.action_kind(word);
        let (action, then) = match (self.mode, kind) {
            _ if self.world.program.chosen().is_some() => self.chosen(actions)?,
            (_, Some(ActionKind::Con(ActionCon::Done))) => {
                self.world.write(out).map_err(Stop::Output)?;
                if !self.world.program.is_main() {
                    self.world.program.ended();
                    self.chosen(actions)?
                } else {
                    let value = field(self, 0);
                    self.value = Some(self.mutator.handle(value));
                    self.mutator.printing.pop();
                    self.world.program = Threads::default();
                    return Ok(true);
                }
            }
            (_, Some(ActionKind::Con(ActionCon::Ended))) => {
                // SAFETY: it is a word of the heap.
                let exception = unsafe { self.heap.resolve(field(self, 0)) };
                let exception = self.as_con(exception);
                let fields = exception.map_or_else(Vec::new, |(_, fields)| fields);
                let (value, trace) = match fields[..] {
                    [value, .., trace] => (value, trace),
                    _ => (Word::ZERO, Word::ZERO),
                };
                match self.fail_again(value, trace) {
                    Stop::Error(error) if error.code == Code::ThrownTo => {}
                    stop => return Err(stop),
                }
                self.world.write(out).map_err(Stop::Output)?;
                self.world.program.ended();
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Parked))) => {
                self.world.write(out).map_err(Stop::Output)?;
                let then = self.mutator.handle(field(self, 0));
                self.world.performing.park(self.world.program.current());
                self.world.program.switch(then);
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Yield))) => {
                self.world.write(out).map_err(Stop::Output)?;
                if self.world.program.is_over() {
                    let action = self.mutator.handle(field(self, 0));
                    let then = self.mutator.handle(field(self, 1));
                    self.world.program.yields(Next::Perform(action));
                    self.world.performing.park(self.world.program.current());
                    self.world.program.switch(then);
                    self.chosen(actions)?
                } else {
                    (field(self, 0), field(self, 1))
                }
            }
            (Mode::Main, kind) if kind.is_none_or(|kind| !kind.is_action()) => {
                self.mode = Mode::Print;
                return Ok(false);
            }
            _ => {
                self.mode = Mode::Perform;
                (word, Word::con(actions.con(ActionCon::ThenDone)))
            }
        };
        let apply = self.mutator.image.apply;
        let perform = match actions.perform_in_turns {
            Some(perform) if self.world.program.is_forked() => perform,
            _ => actions.perform,
        };
        let mut function = Word::function(perform);
        for argument in [action, then, Word::ZERO] {
            self.counts.thunks_made += 1;
            // SAFETY: room was made sure of.
            function = unsafe { self.heap.alloc(Kind::Thunk, apply.0, &[function, argument]) };
        }
        if let Some(top) = self.mutator.printing.last_mut() {
            *top = function;
        }
        Ok(true)
    }
}

/// Appends the first characters of `literal` to `text`, which has about `most` bytes then; how many
/// bytes these are.
pub(super) fn append_up_to(literal: &str, text: &mut String, most: usize) -> usize {
    let end = literal.ceil_char_boundary(most.saturating_sub(text.len()));
    text.push_str(&literal[..end]);
    end
}
