//! What is said when an evaluation stops: where, what, and who waited for it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::instr::{Instr, Slot};
use super::code::program::{Thunk, ThunkId};
use super::stack::Control;
use super::state::Machine;
use crate::base::float::Float;
use crate::base::integer::Integer;
use crate::base::places::Places;
use crate::base::quote::{Elements, SHOWN_DEPTH, char_for_message, constructed, for_message};
use crate::base::span::Span;
use crate::gcode::effect::ActionKind;
use crate::gcode::program::{CONS, GlobalId, GlobalKind, NIL, TextId};
use crate::machine::failure::{self, Failure, Found, Lists, Message, Shown};
use crate::machine::heap::Kind;
use crate::machine::heap::word::{Tag, View, Word};
use crate::machine::outcome::{Chain, Interruption, Limit, LimitReached, Stop};
use crate::machine::waiting::{CONTINUATIONS, Collector};

impl Machine {
    /// Returns a failure of the program at the present instruction.
    pub(super) fn fail(&self, failure: Failure) -> Stop {
        self.fail_at(self.here(), failure)
    }

    /// Returns a failure at a source expression.
    pub(super) fn fail_at(&self, span: Span, failure: Failure) -> Stop {
        failure.at(self.places().text(span), self.chain(span))
    }

    /// Returns the stop at a limit that is reached.
    pub(super) fn limit(&self, limit: Limit) -> Stop {
        self.stopped(Some(limit))
    }

    /// Returns what stops a run at a limit, or without one because someone asked.
    pub(super) fn stopped(&self, limit: Option<Limit>) -> Stop {
        let span = self.here();
        let (place, chain) = (None, self.chain(span));
        let span = self.places().text(span);
        match limit {
            Some(limit) => Stop::Limit(Box::new(LimitReached { limit, span, place, chain })),
            None => Stop::Interrupted(Box::new(Interruption { span, place, chain })),
        }
    }

    pub(super) fn places(&self) -> &Places {
        &self.mutator.image.program.gcode.places
    }

    /// Returns the positions in code of what waits for a value, innermost first, and the thunks
    /// that wait for theirs.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Waits> + '_ {
        let base = self.mutator.stack.base();
        let (mut end, mut next) = (self.fp.0, None);
        std::iter::from_fn(move || {
            if let Some(at) = next.take() {
                return Some(Waits::Code(at));
            }
            while end != base {
                let (control, span) = self.control_below(end);
                end = end.wrapping_sub(span);
                match control {
                    Control::Return { at, .. } => {
                        return Some(Waits::Code(at - super::image::STRIDE));
                    }
                    Control::Try { at, base } => {
                        let at = at - super::image::STRIDE;
                        return Some(Waits::Performer { at, base, frame: end });
                    }
                    Control::Apply { at, .. } | Control::Stop { at, .. } => {
                        return Some(Waits::Code(at));
                    }
                    Control::Evaluate { at, slot, .. } => {
                        next = Some(at);
                        // SAFETY: the frame below begins there, and has the slot.
                        return Some(Waits::Thunk(unsafe { *end.add(slot as usize) }));
                    }
                    Control::Update(thunk) => return Some(Waits::Thunk(thunk)),
                    Control::Resume { .. } | Control::Mark => {}
                }
            }
            None
        })
    }

    /// Returns the source expression under evaluation. In code that no source stands behind, such
    /// as a primitive's, it is the expression that the thunk stands for, or what waits for it.
    pub(super) fn here(&self) -> Span {
        let own = self.mutator.image.span(self.at());
        let mut performs = self.performs();
        let spans = self.waiting().map(|waits| match waits {
            Waits::Code(at) => self.mutator.image.span(at),
            Waits::Thunk(word) => {
                self.thunk(word).map_or(Span::NONE, |thunk| self.thunk_place(thunk))
            }
            Waits::Performer { .. } if !std::mem::replace(&mut performs, true) => Span::NONE,
            Waits::Performer { frame, .. } => self
                .world
                .performing
                .place(self.places(), self.depth_of(frame))
                .map_or(Span::NONE, |(span, _)| span),
        });
        let span = std::iter::once(own).chain(spans).find(|span| !span.is_none());
        span.unwrap_or_else(|| self.main_span())
    }

    /// Returns whether the place of the innermost action is that of what fails.
    fn performs(&self) -> bool {
        let instr = self.mutator.image.program.code.get(super::image::index(self.at()));
        self.world.performing.is_placed(match instr {
            Some(Instr::Effect { effect, .. }) => Some(*effect),
            _ => None,
        })
    }

    /// Returns the source expression that a thunk, under evaluation or not, stands for.
    pub(super) fn thunk_span(&self, thunk: Word) -> Span {
        self.places().text(self.thunk(thunk).map_or(Span::NONE, |thunk| thunk.span))
    }

    /// Returns where the value of a thunk comes from; of a constant, its expression.
    fn thunk_place(&self, thunk: &Thunk) -> Span {
        let owner = self.mutator.image.global(thunk.owner);
        let constant = owner.filter(|owner| owner.arity == 0 && owner.span == thunk.span);
        let program = &self.mutator.image.program.gcode;
        constant.map_or(thunk.span, |constant| program.place_of_value(constant))
    }

    /// Returns the code of a thunk.
    pub(super) fn thunk(&self, thunk: Word) -> Option<&Thunk> {
        // SAFETY: what is to be updated is a node.
        let header = unsafe { self.heap.header(thunk) };
        self.mutator.image.program.thunks.get(ThunkId(header.info()))
    }

    /// Returns where `main` is defined: what a failure of printing points to.
    pub(super) fn main_span(&self) -> Span {
        let main =
            self.mutator.image.program.gcode.main.and_then(|main| self.mutator.image.global(main));
        let program = &self.mutator.image.program.gcode;
        main.map_or(Span::NONE, |main| program.place_of_value(main))
    }

    /// Returns what waits for the expression at `span`, innermost first.
    fn chain(&self, span: Span) -> Chain {
        let image = &self.mutator.image;
        let mut collector = Collector::new(self.places(), span);
        // Of millions of frames few are of another place than all others.
        let mut names: FxHashMap<u32, Option<(Arc<str>, Span)>> = FxHashMap::default();
        let named = |at| {
            let name = || image.owner(at).map_or("main".into(), |global| image.name(global));
            (!image.is_hidden(at)).then(|| (name(), image.span(at)))
        };
        let mut performs = self.performs();
        for waits in self.waiting() {
            match waits {
                Waits::Code(at) => {
                    let entry = names.entry(at).or_insert_with(|| named(at));
                    let Some((name, span)) = entry else { continue };
                    match self.is_last_call(at) {
                        true => collector.thunk(|| name.clone(), *span),
                        false => collector.code(|| name.clone(), *span),
                    }
                }
                Waits::Thunk(word) => {
                    if let Some(thunk) = self.thunk(word) {
                        let place = self.thunk_place(thunk);
                        collector.thunk(|| image.name(thunk.owner), place);
                    }
                }
                Waits::Performer { at, base, frame } => {
                    if std::mem::replace(&mut performs, true) {
                        let place =
                            self.world.performing.place(self.places(), self.depth_of(frame));
                        if let Some((_, Some((span, owner)))) = place {
                            collector.thunk(|| image.name(owner), span);
                        }
                    }
                    self.continuations(at, base, frame, &mut collector);
                }
            }
        }
        collector.finish()
    }

    /// Adds what goes on once the action is performed for which the performer waits, at the
    /// instruction at a position, in a frame of `base` slots.
    fn continuations(&self, at: u32, base: u32, frame: *mut Word, collector: &mut Collector<'_>) {
        if collector.is_placed() {
            return;
        }
        let image = &self.mutator.image;
        let actions = image.actions;
        let continuation = |word: Word| {
            // SAFETY: it is a word of the heap.
            let (con, fields) = self.as_con(unsafe { self.heap.resolve(word) })?;
            match actions?.kind(con)? {
                ActionKind::Con(kind) if kind.is_continuation() => Some(fields),
                _ => None,
            }
        };
        // The slot of the result is not in the frame.
        let slots =
            image.live_slots(at + super::image::STRIDE).iter().filter(|&&slot| slot != base);
        // SAFETY: what is alive where the frame goes on is in it, and written.
        let mut words = slots.map(|&slot| unsafe { *frame.add(slot as usize) });
        let mut next = words.find_map(continuation);
        for _ in 0..CONTINUATIONS {
            let Some(fields) = next.filter(|_| !collector.is_placed()) else { return };
            let Some((&rest, functions)) = fields.split_last() else { return };
            for &function in functions {
                // SAFETY: it is a word of the heap.
                let function = unsafe { self.heap.resolve(function) };
                if let Some((global, _)) = self.function(function) {
                    let span = image.global(global).map_or(Span::NONE, |global| global.span);
                    collector.continuation(|| image.name(global), span);
                }
            }
            next = continuation(rest);
        }
    }

    /// Returns whether the code at a position only returns what it calls: its frame stays for the
    /// place alone.
    fn is_last_call(&self, at: u32) -> bool {
        let code = &self.mutator.image.program.code;
        let at = super::image::index(at);
        let is_call = matches!(
            code.get(at),
            Some(
                Instr::Call1 { .. }
                    | Instr::Call2 { .. }
                    | Instr::Call3 { .. }
                    | Instr::CallN { .. }
            )
        );
        is_call && matches!(code.get(at + 1), Some(Instr::Return { .. }))
    }

    /// Returns the failure of a value that is no function, applied to `given` arguments by the
    /// instruction at `at`.
    pub(super) fn applied_value(&self, at: u32, value: Word, given: usize) -> Stop {
        let span = Some(self.mutator.image.span(at)).filter(|span| !span.is_none());
        let span = span.unwrap_or_else(|| self.here());
        let found = self.describe(value);
        let owner = self.mutator.image.owner(at).and_then(|owner| self.mutator.image.global(owner));
        let performer = owner.filter(|owner| owner.kind == GlobalKind::Primitive);
        let failure = performer
            .and_then(|owner| Failure::applied_by_performer(&owner.symbol, &found, given))
            .unwrap_or_else(|| match self.as_con(value) {
                Some((con, fields)) => {
                    let con = self.mutator.image.program.gcode.cons.get(con);
                    Failure::overapplied(con, &found, fields.len(), fields.len() + given)
                }
                None => Failure::no_function(&found),
            });
        self.fail_at(span, failure)
    }

    /// Returns the failure of a node that is evaluated while it is under evaluation.
    pub(super) fn self_dependent(&self, hole: Word) -> Stop {
        // SAFETY: a hole is a node.
        let header = unsafe { self.heap.header(hole) };
        let thunk = ThunkId(header.info());
        let caf = self.mutator.image.cafs.enumerate().find(|(_, of)| **of == Some(thunk));
        let name = caf.and_then(|(global, _)| {
            self.mutator.image.global(global)?.display.as_ref()?;
            Some(self.shown_name(global))
        });
        self.fail(Failure::self_dependent(name.as_deref()))
    }

    /// Describes a value in a few words.
    pub(super) fn describe(&self, word: Word) -> Found {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        match word.view() {
            View::Int(small) => failure::integer(&Integer::Small(small)),
            View::Char(c) => failure::character(c),
            _ => {
                if let Some(big) = self.as_big(word) {
                    return failure::integer(&big);
                }
                if let Some(opaque) = self.as_opaque(word) {
                    return failure::opaque(opaque.name);
                }
                if let Some(value) = self.float(word) {
                    return failure::float(Float::new(value));
                }
                if let Some(elements) = self.elements(word) {
                    return failure::array(elements.len());
                }
                if let Some(bytes) = self.bytes(word) {
                    return failure::bytes(bytes.len());
                }
                let con = self
                    .as_con(word)
                    .and_then(|(con, _)| self.mutator.image.program.gcode.cons.get(con));
                match (con, self.function(word)) {
                    (Some(con), _) => failure::constructed(con, self.action_kind(word)),
                    (None, Some((global, held))) => {
                        let own =
                            self.mutator.image.global(global).filter(|it| it.display.is_some());
                        let arity = own.map(|it| it.arity as usize);
                        failure::function(&self.shown_name(global), held, arity)
                    }
                    (None, None) => failure::unevaluated(),
                }
            }
        }
    }

    /// Returns a value that is thrown, as messages show it.
    pub(super) fn thrown(&self, value: Word) -> String {
        // SAFETY: it is a word of the heap.
        let value = unsafe { self.heap.resolve(value) };
        if self.as_text(value).is_some() {
            return self.text_so_far(value).quoted();
        }
        self.brief(value, SHOWN_DEPTH, Lists::Elements)
    }

    /// Returns what is evaluated of a value, in a few words.
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
            (View::Char(c), _) => char_for_message(c),
            _ => match (self.float(word), self.as_big(word), self.function(word)) {
                (Some(x), ..) => crate::base::float::Float::new(x).to_string(),
                (_, Some(_), _) => "a large integer".to_owned(),
                (.., Some((global, _))) => format!("<function {}>", self.shown_name(global)),
                _ => "_".to_owned(),
            },
        }
    }

    /// Returns the elements of a list, as far as it is evaluated, in a few words.
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

    /// Returns the global and the number of arguments that a function value has, if it is one.
    pub(super) fn function(&self, word: Word) -> Option<(GlobalId, usize)> {
        match word.view() {
            View::Function(global) => Some((global, 0)),
            View::Node(Tag::Value) => {
                // SAFETY: a pointer leads to a node.
                let header = unsafe { self.heap.header(word) };
                (header.kind() == Kind::Pap).then(|| (GlobalId(header.info()), header.words()))
            }
            _ => None,
        }
    }

    /// Returns a global's name, fit for a message.
    pub(super) fn shown_name(&self, global: GlobalId) -> String {
        for_message(&self.mutator.image.name(global))
    }

    /// Fails as a call of `error` does. The message is the text in `a`; what of it is not evaluated
    /// is not shown.
    pub(super) fn raise(&self, a: Slot) -> Result<(), Stop> {
        Err(self.fail(self.text_so_far(self.slot(a.0)).error()))
    }

    pub(super) fn text_so_far(&self, mut word: Word) -> Shown {
        let mut message = Message::new();
        loop {
            // SAFETY: it is a word of the heap.
            word = unsafe { self.heap.resolve(word) };
            let (head, tail) = match self.as_con(word) {
                Some((NIL, _)) => return message.ended(),
                Some((CONS, fields)) => match fields[..] {
                    [head, tail] => (head, tail),
                    _ => return message.cut(),
                },
                Some(_) => return message.cut(),
                None => {
                    let Some((id, at)) = self.as_text(word) else { return message.cut() };
                    let literal = self.mutator.image.program.gcode.texts.get(id);
                    let rest = literal.and_then(|text| text.get(at..)).unwrap_or("");
                    return match rest.chars().all(|c| message.push(c)) {
                        true => message.ended(),
                        false => message.cut(),
                    };
                }
            };
            // SAFETY: as above.
            match unsafe { self.heap.resolve(head) }.view() {
                View::Char(c) if message.push(c) => word = tail,
                _ => return message.cut(),
            }
        }
    }

    /// Returns the literal and the position that a string which is not unpacked stands for.
    pub(super) fn as_text(&self, word: Word) -> Option<(TextId, usize)> {
        if !word.is_pointer() {
            return None;
        }
        // SAFETY: a pointer leads to a node, and a string has its position for a field.
        unsafe {
            let header = self.heap.header(word);
            let text = header.kind() == Kind::Text;
            text.then(|| (TextId(header.info()), self.heap.field(word, 0).as_int() as usize))
        }
    }
}

/// What waits for a value.
pub(super) enum Waits {
    /// Code, at this instruction.
    Code(u32),
    /// A thunk, for its own.
    Thunk(Word),
    /// The performer, at this instruction, for an action; how many slots its frame has, and where it
    /// begins.
    Performer { at: u32, base: u32, frame: *mut Word },
}
