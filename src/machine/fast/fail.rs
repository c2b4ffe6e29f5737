//! What is said when an evaluation stops: where, what, and who waited for it.

use super::code::instr::Slot;
use super::code::program::ThunkId;
use super::stack::Control;
use super::state::Machine;
use crate::base::code::Code;
use crate::base::quote::{char_literal, shown};
use crate::base::span::Span;
use crate::gcode::program::{CONS, Con, GlobalId, NIL, TextId};
use crate::machine::heap::Kind;
use crate::machine::heap::word::{Tag, View, Word};
use crate::machine::outcome::{Chain, Limit, LimitReached, RunError, Stop, Waiting};

/// Integers of up to this many bytes are shown in a message.
const SHOWN_BYTES: usize = 64;

/// How many characters of its message a call of `error` shows: all that the code of `error`
/// evaluates, and its ellipsis.
const MESSAGE: usize = 10_001;

impl Machine {
    /// A failure of the program at the present instruction.
    pub(super) fn fail(&self, code: Code, message: impl Into<String>, label: &str) -> Stop {
        self.fail_at(self.here(), code, message, label)
    }

    /// A failure at a source expression.
    pub(super) fn fail_at(
        &self,
        span: Span,
        code: Code,
        message: impl Into<String>,
        label: &str,
    ) -> Stop {
        Stop::Error(Box::new(RunError {
            code,
            message: message.into(),
            span,
            label: label.to_owned(),
            chain: self.chain(span),
            help: None,
        }))
    }

    /// A limit that is reached.
    pub(super) fn limit(&self, limit: Limit) -> Stop {
        let span = self.here();
        Stop::Limit(Box::new(LimitReached { limit, span, chain: self.chain(span) }))
    }

    /// The positions in code of what waits for a value, innermost first, and the thunks that
    /// wait for theirs.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Waits> + '_ {
        let base = self.outer.stack.base();
        let mut end = self.fp;
        std::iter::from_fn(move || {
            while end != base {
                // SAFETY: a control word ends where each frame, and each control word, begins.
                let mut control = unsafe { Control::read(end) };
                if let (Control::Mark, Some((_, word))) = (control, self.outer.mark) {
                    // The second word of two stays where it is.
                    let below = end.wrapping_sub(2);
                    // SAFETY: the word below is in the stack, or not looked at.
                    let lower = if below < base { Word::ZERO } else { unsafe { *below } };
                    // SAFETY: two words.
                    control = unsafe { Control::read([lower, word].as_ptr().add(2)) };
                }
                end = end.wrapping_sub(control.span());
                match control {
                    Control::Return { at, .. } => {
                        return Some(Waits::Code(at - super::image::STRIDE));
                    }
                    Control::Evaluate { at, .. }
                    | Control::Apply { at, .. }
                    | Control::Stop { at, .. } => return Some(Waits::Code(at)),
                    Control::Update(thunk) => return Some(Waits::Thunk(thunk)),
                    Control::Resume { .. } | Control::Mark => {}
                }
            }
            None
        })
    }

    /// The source expression under evaluation. In code that no source stands behind, such as
    /// a primitive's, it is the expression that the thunk stands for, or what waits for it.
    pub(super) fn here(&self) -> Span {
        let own = self.image.span(self.at());
        let spans = self.waiting().map(|waits| match waits {
            Waits::Code(at) => self.image.span(at),
            Waits::Thunk(thunk) => self.thunk_span(thunk),
        });
        let span = std::iter::once(own).chain(spans).find(|span| !span.is_none());
        span.unwrap_or_else(|| self.main_span())
    }

    /// The source expression that a thunk under evaluation stands for.
    fn thunk_span(&self, thunk: Word) -> Span {
        // SAFETY: what is to be updated is a node.
        let header = unsafe { self.heap.header(thunk) };
        let thunk = self.image.program.thunks.get(ThunkId(header.info()));
        thunk.map_or(Span::NONE, |thunk| thunk.span)
    }

    /// Where `main` is defined: what a failure of printing points to.
    pub(super) fn main_span(&self) -> Span {
        let main = self.image.program.gcode.main.and_then(|main| self.image.global(main));
        main.map_or(Span::NONE, |main| main.span)
    }

    /// What waits for the expression at `span`, innermost first.
    fn chain(&self, span: Span) -> Chain {
        let mut chain = Chain::default();
        for waits in self.waiting() {
            let Waits::Code(at) = waits else { continue };
            if self.image.is_hidden(at) {
                continue;
            }
            let waits = self.image.span(at);
            if waits == span && chain.shown.is_empty() && chain.more == 0 {
                // The failing expression itself.
                continue;
            }
            if chain.shown.len() < Chain::SHOWN {
                let name = self.image.owner(at).map_or("main".into(), |g| self.image.name(g));
                chain.shown.push(Waiting { name, span: waits });
            } else {
                chain.more += 1;
            }
        }
        chain
    }

    /// A value that is no function, applied to `given` arguments by the instruction at `at`.
    pub(super) fn applied_value(&self, at: u32, value: Word, given: usize) -> Stop {
        let span = Some(self.image.span(at)).filter(|span| !span.is_none());
        let span = span.unwrap_or_else(|| self.here());
        if let Some((con, fields)) = self.as_con(value) {
            let con = self.image.program.gcode.cons.get(con);
            let name = con.map_or("?".into(), |con| shown(&con.name));
            let (has, given) = (fields.len(), fields.len() + given);
            let message = format!("`{name}` has {}, and is given {given}", count(has, "field"));
            return self.fail_at(span, Code::OverappliedConstructor, message, "");
        }
        let message =
            format!("{} is applied to an argument, and is no function", self.describe(value));
        self.fail_at(span, Code::AppliedNonFunction, message, "")
    }

    /// A node that is evaluated while it is under evaluation.
    pub(super) fn self_dependent(&self, hole: Word) -> Stop {
        // SAFETY: a hole is a node.
        let header = unsafe { self.heap.header(hole) };
        let thunk = ThunkId(header.info());
        let caf = self.image.cafs.enumerate().find(|(_, of)| **of == Some(thunk));
        let name = caf.and_then(|(global, _)| {
            self.image.global(global)?.display.as_ref()?;
            Some(self.shown_name(global))
        });
        let message = match name {
            Some(caf) => format!("the value of `{caf}` depends on itself"),
            None => "a value depends on itself".to_owned(),
        };
        self.fail(Code::SelfDependent, message, "its own value is needed here to compute it")
    }

    /// A value in a few words.
    pub(super) fn describe(&self, word: Word) -> String {
        // SAFETY: it is a word of the heap.
        let word = unsafe { self.heap.resolve(word) };
        match word.view() {
            View::Int(small) => format!("the integer {small}"),
            View::Char(c) => format!("the character {}", char_literal(c)),
            _ => {
                if let Some(big) = self.as_big(word) {
                    return match big.heap_bytes() <= SHOWN_BYTES {
                        true => format!("the integer {big}"),
                        false => "a large integer".to_owned(),
                    };
                }
                let con =
                    self.as_con(word).and_then(|(con, _)| self.image.program.gcode.cons.get(con));
                match con {
                    Some(Con { arity: 0, name, .. }) => format!("`{}`", shown(name)),
                    Some(con) => format!("a `{}`", shown(&con.name)),
                    None => match self.function(word) {
                        Some((global, 0)) => format!("the function `{}`", self.shown_name(global)),
                        Some((global, _)) => {
                            format!("a partial application of `{}`", self.shown_name(global))
                        }
                        None => "an expression that is not evaluated".to_owned(),
                    },
                }
            }
        }
    }

    /// The global and the number of arguments that a function value has, if it is one.
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

    /// A global's name, fit for a message.
    fn shown_name(&self, global: GlobalId) -> String {
        shown(&self.image.name(global))
    }

    /// The program calls `error`. The message is the text in `a`. What of it is not evaluated
    /// is not shown.
    pub(super) fn raise(&self, a: Slot) -> Result<(), Stop> {
        let text = self.text_so_far(self.slot(a.0));
        let message = match text.as_str() {
            "" => "the program called error with an empty message".to_owned(),
            text => format!("the program called error: {text}"),
        };
        Err(self.fail(Code::ErrorCalled, message, ""))
    }

    /// The evaluated part of a text, escaped and cut at [`MESSAGE`] characters.
    fn text_so_far(&self, mut word: Word) -> String {
        let mut text = String::new();
        for _ in 0..MESSAGE {
            // SAFETY: it is a word of the heap.
            word = unsafe { self.heap.resolve(word) };
            match self.as_con(word) {
                Some((NIL, _)) => return text,
                Some((CONS, fields)) => {
                    let [head, tail] = fields[..] else { break };
                    // SAFETY: as above.
                    let View::Char(c) = (unsafe { self.heap.resolve(head) }).view() else { break };
                    push_shown(&mut text, c);
                    word = tail;
                }
                Some(_) => break,
                None => {
                    let Some((id, at)) = self.as_text(word) else { break };
                    let literal = self.image.program.gcode.texts.get(id);
                    let rest = literal.and_then(|text| text.get(at..)).unwrap_or("");
                    let room = MESSAGE.saturating_sub(text.chars().count());
                    rest.chars().take(room).for_each(|c| push_shown(&mut text, c));
                    if rest.chars().nth(room).is_some() {
                        text.push('…');
                    }
                    return text;
                }
            }
        }
        text.push('…');
        text
    }

    /// The literal and the position that a string which is not unpacked stands for.
    fn as_text(&self, word: Word) -> Option<(TextId, usize)> {
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
}

/// Appends a character as messages show it.
fn push_shown(text: &mut String, c: char) {
    text.push_str(&shown(c.encode_utf8(&mut [0; 4])));
}

/// `1 field`, `2 fields`.
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}
