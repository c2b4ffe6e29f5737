//! Effects of actions, and exceptions: the rules `Effect` and `Try`.

use std::sync::Arc;

use super::code::Code;
use super::heap::node::{Addr, Node, Site, buffer_bytes};
use super::state::{Frame, Machine, NO_REDEX};
use crate::base::allocation::Full;
use crate::base::integer::Integer;
use crate::base::quote::{Elements, SHOWN_DEPTH, char_literal, constructed};
use crate::gcode::effect::{ActionCon, ActionKind, Effect, NO_THREAD, PIECE, thread_of};
use crate::gcode::instr::Instr;
use crate::gcode::program::{CONS, ConId, NIL};
use crate::machine::failure::{Failure, Lists};
use crate::machine::handles::Handle;
use crate::machine::opaque::Opaque;
use crate::machine::outcome::{Input, Output, RunError, Stop, Thrown};
use crate::machine::print::Format;
use crate::machine::system::{Answer, Operand, Outside, Refused, SystemError, asked, subject};
use crate::machine::threads::{Next, Threads};
use crate::machine::world::{Kept, Mode, Stream, TRACE, Trace};
use crate::primitive::Operand as Needs;
use crate::primitive::bytes::clamped;

impl Machine {
    /// `<Effect e : i, a1 : .. : an : s, d, h, w>  =>  <i, a : s, d, h[a: result of e], w changed by e>`
    pub(super) fn effect(&mut self, effect: Effect) -> Result<(), Stop> {
        self.room(1)?;
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
            | Effect::RandomBytes => self.system_effect(effect)?,
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

    /// The rule of `Eval`, for an action: a failure comes back as a value.
    pub(super) fn try_to(&mut self) -> Result<(), Stop> {
        let origin = match self.heap.get(self.heap.value(self.item(0))) {
            Node::App { site, .. } => self.code.site_global(*site).map(|of| (*site, of)),
            _ => None,
        };
        let origin = origin.map(|(site, of)| (self.code.site_place(site), of));
        let origin = origin.filter(|(span, _)| !span.is_none());
        self.world.performing.evaluates(self.dump.len(), origin);
        self.eval()
    }

    /// The number of the thread that is the item `n` below the top.
    pub(super) fn thread(&self, n: usize) -> i64 {
        match self.heap.get(self.heap.value(self.item(n))) {
            Node::Int(number) => thread_of(*number),
            _ => NO_THREAD,
        }
    }

    /// A constructor of the data type of actions.
    pub(super) fn action_con(&self, con: ActionCon) -> ConId {
        match self.code.actions {
            Some(actions) => actions.con(con),
            None => unreachable!("only code of the performer asks"),
        }
    }

    /// What a value is among actions, if it is an evaluated constructor of their data type.
    pub(super) fn action_kind(&self, value: Addr) -> Option<ActionKind> {
        let (con, _) = self.heap.get(self.heap.value(value)).as_constr()?;
        self.code.actions?.kind(con)
    }

    pub(super) fn nil(&mut self) -> Addr {
        self.heap.alloc(Node::constr(NIL, &[]))
    }

    /// The cell that is the item `n` below the top, and its value; it must be the thread's.
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

    /// Does an effect on the system, whose operands are on the stack.
    fn system_effect(&mut self, effect: Effect) -> Result<Addr, Stop> {
        let is_kept = match &self.world.answer {
            Some(kept) => kept.asked == asked(effect, &self.system_operands(effect)?),
            None => false,
        };
        let answer = match self.world.answer.take_if(|_| is_kept) {
            Some(kept) => kept.answer,
            None => self.ask(effect)?,
        };
        let value = match &answer {
            Ok(answer) => answer.value(self),
            Err(failure) => Err(self.fail(failure.clone())),
        };
        match value {
            Ok(value) => Ok(self.handles.get(&value).unwrap_or(Addr::NONE)),
            Err(stop) => {
                let asked = asked(effect, &self.system_operands(effect)?);
                self.world.answer = Some(Kept { asked, answer });
                Err(stop)
            }
        }
    }

    /// The operands of an effect on the system.
    fn system_operands(&self, effect: Effect) -> Result<Vec<Operand<'_>>, Stop> {
        let Some(primitive) = effect.primitive() else { return Ok(Vec::new()) };
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

    fn ask(&mut self, effect: Effect) -> Result<Result<Answer, Failure>, Stop> {
        let mut system = std::mem::take(&mut self.world.system);
        let mut collected_for = 0;
        let answer = loop {
            let mut refused = None;
            let answer = self.ask_once(&mut system, effect, &mut refused);
            match refused {
                None => break answer,
                Some(Refused::Stop(stop)) => break Err(stop),
                Some(Refused::Room(bytes)) if bytes > collected_for => {
                    collected_for = bytes;
                    self.collect();
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
        refused: &mut Option<Refused>,
    ) -> Result<Result<Answer, Failure>, Stop> {
        let Some(primitive) = effect.primitive() else { return Ok(Ok(Answer::Done)) };
        let operands = self.system_operands(effect)?;
        let mut fits = |len: usize| {
            // It is there twice for a moment.
            let bytes = 2 * len as u64;
            *refused = match self.interrupt.poll(|limit| self.stopped(limit)) {
                Err(stop) => Some(Refused::Stop(stop)),
                Ok(()) if self.heap.fits(bytes).is_ok() => None,
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

    fn exit(&self) -> Stop {
        let item = self.item(0);
        match self.heap.get(self.heap.value(item)) {
            &Node::Int(status @ 0..=255) => Stop::Exit(status as u8),
            _ => self.fail(Failure::no_status(&self.describe(item))),
        }
    }

    /// Writes the character on top, and no more of the text than that: the rest is below it, and
    /// the thread below that. The number -1 is no character, and says nothing.
    fn put_characters(&mut self, stream: Stream) -> Result<Addr, Stop> {
        let (name, con) = match stream {
            Stream::Output => ("putText", ActionCon::PutText),
            Stream::Error => ("putError", ActionCon::PutError),
        };
        if self.thread(2) != 0 {
            return Err(self.fail(Failure::outside(name)));
        }
        let (item, rest) = (self.item(0), self.item(1));
        match *self.heap.get(self.heap.value(item)) {
            Node::Char(c) => self.world.put(stream, c),
            Node::Int(-1) => {}
            _ => return Err(self.fail(Failure::no_text(name, &self.describe(item)))),
        }
        let action = self.heap.alloc(Node::constr(self.action_con(con), &[rest]));
        // While the input is read as a list, what follows may wait for somebody who reads this.
        if !self.world.is_full() && !self.world.taken {
            return Ok(action);
        }
        let flush = self.action_con(ActionCon::Flush);
        Ok(self.heap.alloc(Node::constr(flush, &[action])))
    }

    /// A value that is thrown, as messages show it.
    pub(super) fn thrown(&self, value: Addr) -> String {
        let value = self.heap.value(value);
        if matches!(self.heap.get(value), Node::Text { .. }) {
            return self.text_so_far(value).quoted();
        }
        self.brief(value, SHOWN_DEPTH, Lists::Elements)
    }

    fn throw(&mut self) -> Stop {
        let value = self.item(0);
        let found = self.thrown(value);
        let thrown = Some(Thrown(self.handles.add(value)));
        match self.fail(Failure::thrown(&found)) {
            Stop::Error(error) => Stop::Error(Box::new(RunError { thrown, ..*error })),
            stop => stop,
        }
    }

    /// The value that was thrown is on top, and below it what is known of the failure.
    fn fail_again(&mut self) -> Stop {
        self.fails_again(self.item(0), self.item(1))
    }

    /// How a value fails that was thrown, or the code of a failure, with what is known of it.
    fn fails_again(&mut self, value: Addr, trace: Addr) -> Stop {
        let known = match self.heap.get(self.heap.value(trace)) {
            Node::Opaque(number) => self.opaques.get(*number),
            _ => None,
        };
        let Some(Trace(error)) = known.and_then(|known| known.value.downcast_ref()) else {
            return self.fail(Failure::no_exception(&self.describe(trace)));
        };
        let mut error = error.clone();
        if error.code == crate::base::code::Code::Uncaught {
            // A handler may say in other words what it was.
            error.message = Failure::thrown(&self.thrown(value)).message();
        }
        if error.was_thrown() {
            error.thrown = Some(Thrown(self.handles.add(value)));
        }
        Stop::Error(Box::new(error))
    }

    /// What is evaluated of a value, in a few words.
    pub(super) fn brief(&self, value: Addr, depth: u32, lists: Lists) -> String {
        let value = self.heap.value(value);
        let node = self.heap.get(value);
        match node.as_constr() {
            Some((CONS, &[head, _]))
                if matches!(self.heap.get(self.heap.value(head)), Node::Char(_)) =>
            {
                self.text_so_far(value).quoted()
            }
            Some((CONS, _)) if lists == Lists::Elements => self.brief_list(value, depth),
            Some((con, fields)) if self.code.actions.and_then(|a| a.kind(con)).is_none() => {
                let fields = fields.iter().map(|&field| match depth {
                    0 => "..".to_owned(),
                    _ => self.brief(field, depth - 1, lists),
                });
                let name = self.code.program.cons.get(con).map_or("?", |con| &con.name);
                constructed(name, fields)
            }
            _ => self.shown_atom(value),
        }
    }

    /// The elements of a list, as far as it is evaluated, in a few words.
    fn brief_list(&self, mut list: Addr, depth: u32) -> String {
        let mut shown = Elements::default();
        while let Some((CONS, &[head, tail])) = self.heap.get(list).as_constr()
            && shown.has_room()
        {
            match depth {
                0 => shown.push(".."),
                _ => shown.push(&self.brief(head, depth - 1, Lists::Elements)),
            }
            list = self.heap.value(tail);
        }
        shown.end(matches!(self.heap.get(list).as_constr(), Some((NIL, _))))
    }

    fn shown_atom(&self, value: Addr) -> String {
        match self.heap.get(value) {
            Node::Int(n) => n.to_string(),
            Node::Float(x) => x.to_string(),
            Node::Char(c) => char_literal(*c),
            Node::Big(_) => "a large integer".to_owned(),
            _ => match (self.action_kind(value), self.function(value)) {
                (Some(kind), _) => format!("<{}>", kind.display_name()),
                (None, Some((global, _))) => format!("<function {}>", self.shown_name(global)),
                (None, None) => "_".to_owned(),
            },
        }
    }

    /// Where the program has failed: the innermost `Try` that waits gets the exception, and the
    /// redexes under evaluation fail again from now on.
    ///
    /// # Errors
    /// With the stop itself, if it is no failure or nothing tries; when memory is used up.
    pub(super) fn handle(&mut self, code: &Code, stop: Stop) -> Result<(), Stop> {
        let Stop::Error(error) = stop else { return Err(stop) };
        let Some(actions) = code.actions else { return Err(Stop::Error(error)) };
        let Some(depth) = self.innermost_try(code) else {
            self.world.answer = None;
            return Err(Stop::Error(error));
        };
        let fields = self.exception(*error)?;
        self.reserve(4, super::heap::node::fields_bytes(3))?;
        let fields: Vec<Addr> = fields.iter().filter_map(|root| self.handles.get(root)).collect();
        let con = if fields.len() == 2 { ActionCon::Thrown } else { ActionCon::Failed };
        let exception = self.heap.alloc(Node::constr(actions.con(con), &fields));
        let fun = self.global_node(actions.fail_again);
        let again = self.heap.alloc(Node::App { fun, arg: exception, site: Site::NONE });
        let here = Frame { at: self.at, base: self.base, redex: self.redex };
        let above = self.dump.get(depth + 1..).unwrap_or_default();
        let frames: Vec<Frame> = above.iter().copied().chain([here]).collect();
        for frame in &frames {
            if frame.redex != NO_REDEX
                && let Some(&redex) = self.stack.get(frame.redex as usize)
            {
                self.heap.set(redex, Node::Ind(again));
            }
        }
        let base = frames.first().map_or(self.base, |frame| frame.base);
        if let Some(&frame) = self.dump.get(depth) {
            self.stack.truncate(base as usize);
            self.stack.push(exception);
            self.dump.truncate(depth);
            (self.at, self.base, self.redex) = (frame.at.next(), frame.base, frame.redex);
            self.unwinding = false;
        }
        self.world.answer = None;
        Ok(())
    }

    /// The frame of the innermost `Try` that waits, within the call of the machine's own code.
    fn innermost_try(&self, code: &Code) -> Option<usize> {
        for (depth, frame) in self.dump.iter().enumerate().rev() {
            if matches!(code.instr(frame.at), Some(Instr::Try)) {
                return Some(depth);
            }
            if frame.at.is_boot() {
                return None;
            }
        }
        None
    }

    /// The fields of the exception that a failure is: of a value that was thrown, that and what is
    /// known of the failure; else code, message, and what is known.
    fn exception(&mut self, mut error: RunError) -> Result<Vec<crate::machine::Handle>, Stop> {
        let thrown = error.thrown.take();
        let (code, message) = (error.code.to_string(), error.message.clone());
        let trace = Opaque { name: TRACE, value: Arc::new(Trace(error)) };
        let trace = self.new_opaque(trace)?;
        Ok(match thrown {
            Some(Thrown(value)) => vec![value, trace],
            None => vec![self.new_text(&code)?, self.new_text(&message)?, trace],
        })
    }

    /// Gets ready to perform an action. `None` if the handle belongs to another machine, or inside
    /// a call of a host function.
    pub(super) fn start_action(
        &mut self,
        root: &Handle,
        input: Option<Box<dyn Input>>,
    ) -> Option<Result<(), Stop>> {
        self.handles.get(root)?;
        if self.nesting > 0 {
            return None;
        }
        self.abandon();
        if let Err(stop) = self.room(1) {
            return Some(Err(stop));
        }
        let addr = self.handles.get(root)?;
        self.begin_print(addr, Format::Default);
        self.input = input;
        self.world.start_action();
        self.mode = Mode::Perform;
        self.value = None;
        Some(Ok(()))
    }

    /// Where a value that is to be performed or printed has been evaluated: goes on with an action,
    /// if it is one. `false` if the value is to be printed.
    ///
    /// # Errors
    /// When the output takes no more, or memory is used up.
    pub(super) fn performed(&mut self, out: &mut dyn Output) -> Result<bool, Stop> {
        if self.mode == Mode::Print {
            return Ok(false);
        }
        let Some(actions) = self.code.actions else {
            if self.mode == Mode::Perform {
                let found = self.describe(self.item(0));
                return Err(self.fail(Failure::no_action(&found)));
            }
            self.mode = Mode::Print;
            return Ok(false);
        };
        self.room(3)?;
        self.reserve(8, 0)?;
        let value = self.heap.value(self.item(0));
        let fields = |machine: &Machine| {
            machine.heap.get(value).as_constr().map_or(Vec::new(), |(_, fields)| fields.to_vec())
        };
        let (action, then) = match (self.mode, self.action_kind(value)) {
            _ if self.world.program.chosen().is_some() => self.chosen(actions)?,
            (_, Some(ActionKind::Con(ActionCon::Done))) => {
                self.world.write(out).map_err(Stop::Output)?;
                if !self.world.program.is_main() {
                    self.world.program.ended();
                    self.chosen(actions)?
                } else {
                    let fields = fields(self);
                    self.value = fields.first().map(|&value| self.handles.add(value));
                    self.stack.pop();
                    self.at = self.at.next();
                    self.world.program = Threads::default();
                    return Ok(true);
                }
            }
            (_, Some(ActionKind::Con(ActionCon::Ended))) => {
                let exception = fields(self).first().map(|&of| self.heap.value(of));
                let fields = exception.and_then(|of| self.heap.get(of).as_constr());
                let (value, trace) = match fields {
                    Some((_, &[value, .., trace])) => (value, trace),
                    _ => (value, value),
                };
                match self.fails_again(value, trace) {
                    Stop::Error(error) if error.code == crate::base::code::Code::ThrownTo => {}
                    stop => return Err(stop),
                }
                self.world.write(out).map_err(Stop::Output)?;
                self.world.program.ended();
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Parked))) => {
                self.world.write(out).map_err(Stop::Output)?;
                let [then] = fields(self)[..] else { return Ok(false) };
                let then = self.handles.add(then);
                self.world.performing.park(self.world.program.current());
                self.world.program.switch(then);
                self.chosen(actions)?
            }
            (_, Some(ActionKind::Con(ActionCon::Yield))) => {
                self.world.write(out).map_err(Stop::Output)?;
                let [action, then] = fields(self)[..] else { return Ok(false) };
                if self.world.program.is_over() {
                    let (action, then) = (self.handles.add(action), self.handles.add(then));
                    self.world.program.yields(Next::Perform(action));
                    self.world.performing.park(self.world.program.current());
                    self.world.program.switch(then);
                    self.chosen(actions)?
                } else {
                    (action, then)
                }
            }
            (Mode::Main, kind) if kind.is_none_or(|kind| !kind.is_action()) => {
                self.mode = Mode::Print;
                return Ok(false);
            }
            _ => {
                self.mode = Mode::Perform;
                let end = actions.con(ActionCon::ThenDone);
                (value, self.heap.alloc(Node::constr(end, &[])))
            }
        };
        let thread = self.heap.alloc(Node::Int(0));
        let perform = match actions.perform_in_turns {
            Some(perform) if self.world.program.is_forked() => perform,
            _ => actions.perform,
        };
        let mut fun = self.global_node(perform);
        for arg in [action, then, thread] {
            fun = self.heap.alloc(Node::App { fun, arg, site: Site::NONE });
        }
        self.replace(1, fun);
        self.at = self.at.to(self.at.pc.saturating_sub(1));
        Ok(true)
    }
}
