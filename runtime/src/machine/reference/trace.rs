//! One step at a time, and looking at the state between the steps.

use std::sync::Arc;

use super::code::Position;
use super::heap::node::{Addr, Node};
use super::state::{Machine, NO_REDEX};
use crate::base::quote::{char_literal, for_message};
use crate::base::span::Span;
use crate::gcode::instr::{Instr, Op};
use crate::machine::outcome::{Output, Stop};

/// The rule of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// An instruction other than `Unwind`.
    Instr(Op),
    /// Unwinding puts the function of an application on the stack.
    UnwindApplication,
    /// Unwinding replaces an indirection by its target.
    UnwindIndirection,
    /// Unwinding enters a function with all its arguments, or a CAF.
    Enter,
    /// Unwinding returns a function that lacks arguments.
    ReturnPartial,
    /// Unwinding returns a value.
    ReturnValue,
    /// Unwinding unpacks a cell of a string literal.
    UnpackText,
    /// Unwinding reads a character of the input.
    ReadInput,
    /// Unwinding goes on with an evaluation that was stopped.
    Resume,
    /// Unwinding meets a value that depends on itself, or a value that is applied: an error.
    Error,
}

impl Rule {
    /// Returns its name in a trace.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rule::Instr(op) => op.name(),
            Rule::UnwindApplication => "Unwind application",
            Rule::UnwindIndirection => "Unwind indirection",
            Rule::Enter => "Unwind enter",
            Rule::ReturnPartial => "Unwind partial application",
            Rule::ReturnValue => "Unwind value",
            Rule::UnpackText => "Unwind text",
            Rule::ReadInput => "Unwind input",
            Rule::Resume => "Unwind suspended",
            Rule::Error => "Unwind error",
        }
    }
}

/// What a step did.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its number, from 1: the instructions executed so far.
    pub number: u64,
    /// The rule.
    pub rule: Rule,
    /// The instruction; for a step of an unwinding the one that began it.
    pub position: Position,
    /// The nodes that were made or overwritten, each once, in order of address.
    pub changed: Vec<Addr>,
}

/// A node to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeView {
    /// Its address.
    pub addr: Addr,
    /// What it is, in the notation of the rules: `NApp #3 #7`. Bounded in length.
    pub text: String,
}

/// A frame of the dump to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// The instruction that waits.
    pub position: Position,
    /// Whose code it is.
    pub name: Arc<str>,
    /// Its piece of the stack, the top first.
    pub items: Vec<Addr>,
    /// The redex that it will update.
    pub redex: Option<Addr>,
}

/// How many fields and characters a view shows.
const SHOWN: usize = 40;

impl Machine {
    /// Executes one step of what [`start`](Machine::start) began and tells what it did;
    /// `None` when all is printed. It ends no line: [`end_line`](Machine::end_line) does.
    ///
    /// # Errors
    /// As [`run`](Machine::run).
    pub fn step(&mut self, out: &mut dyn Output) -> Result<Option<Event>, Stop> {
        let code = self.code.clone();
        self.permitted(&code)?;
        let (rule, position) = (self.next_rule(), self.at);
        self.heap.log = Some(Vec::new());
        let result = self.advance(&code, out);
        let mut changed = self.heap.log.take().unwrap_or_default();
        let (true, Some(rule)) = (result?, rule) else { return Ok(None) };
        changed.sort_unstable();
        changed.dedup();
        // A collection may have freed what the same step had changed.
        changed.retain(|addr| !matches!(self.heap.get(*addr), Node::Free(_)));
        Ok(Some(Event { number: self.counts.instructions, rule, position, changed }))
    }

    /// Returns the rule that the next step will apply; `None` at the end.
    #[must_use]
    pub fn next_rule(&self) -> Option<Rule> {
        if !self.unwinding {
            let op = self.code.instr(self.at)?.op();
            if op != Op::Unwind {
                return Some(Rule::Instr(op));
            }
        }
        let waiting = (self.stack.len() - self.base as usize).saturating_sub(1);
        Some(match *self.heap.get(*self.stack.last()?) {
            Node::App { .. } => Rule::UnwindApplication,
            Node::Ind(_) => Rule::UnwindIndirection,
            Node::Global(global) => {
                let arity = self.code.global(global).map_or(0, |global| global.arity as usize);
                if waiting < arity { Rule::ReturnPartial } else { Rule::Enter }
            }
            Node::Text { .. } => Rule::UnpackText,
            Node::Input => Rule::ReadInput,
            Node::Suspended { .. } => Rule::Resume,
            Node::Hole | Node::BlackHole { .. } | Node::Free(_) => Rule::Error,
            Node::Int(_)
            | Node::Big(_)
            | Node::Float(_)
            | Node::Char(_)
            | Node::Constr { .. }
            | Node::Large(..)
            | Node::Array(_)
            | Node::Bytes(_)
            | Node::Opaque(_) => {
                if waiting > 0 {
                    Rule::Error
                } else {
                    Rule::ReturnValue
                }
            }
        })
    }

    /// Returns whether the machine is unwinding: the next rule depends on the node on top of the stack.
    #[must_use]
    pub fn is_unwinding(&self) -> bool {
        self.unwinding
    }

    /// Returns the instruction at a position.
    #[must_use]
    pub fn instr(&self, at: Position) -> Option<&Instr> {
        self.code.instr(at)
    }

    /// Returns the source expression of the instruction at a position.
    #[must_use]
    pub fn span(&self, at: Position) -> Span {
        self.code.span(at)
    }

    /// Returns how the code of a position is called.
    #[must_use]
    pub fn name(&self, at: Position) -> Arc<str> {
        match self.code.global(at.global) {
            Some(global) => self.code.program.display_name(global),
            None => "start".into(),
        }
    }

    /// Returns the present piece of the stack, the top first.
    #[must_use]
    pub fn piece(&self) -> Vec<Addr> {
        self.stack.get(self.base as usize..).unwrap_or(&[]).iter().rev().copied().collect()
    }

    /// Returns the redex that the code will update.
    #[must_use]
    pub fn redex(&self) -> Option<Addr> {
        self.redex_at(self.redex)
    }

    fn redex_at(&self, at: u32) -> Option<Addr> {
        (at != NO_REDEX).then(|| self.stack.get(at as usize).copied())?
    }

    /// Returns how many evaluations wait.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.dump.len()
    }

    /// Returns the innermost `count` frames of the dump, innermost first.
    #[must_use]
    pub fn frames(&self, count: usize) -> Vec<FrameView> {
        let mut end = self.base as usize;
        let mut views = Vec::new();
        for frame in self.dump.iter().rev().take(count) {
            let items = self.stack.get(frame.base as usize..end).unwrap_or(&[]);
            views.push(FrameView {
                position: frame.at,
                name: self.name(frame.at),
                items: items.iter().rev().copied().collect(),
                redex: self.redex_at(frame.redex),
            });
            end = frame.base as usize;
        }
        views
    }

    /// Returns a node; `None` for an address where none is.
    #[must_use]
    pub fn node(&self, addr: Addr) -> Option<&Node> {
        self.heap.node_at(addr).ok().filter(|node| !matches!(node, Node::Free(_)))
    }

    /// Returns a node in the notation of the rules.
    #[must_use]
    pub fn view(&self, addr: Addr) -> NodeView {
        NodeView { addr, text: self.node_text(addr) }
    }

    fn node_text(&self, addr: Addr) -> String {
        if addr == Addr::NONE {
            // A stack item that a collection has cleared.
            return "not used any more".into();
        }
        let Some(node) = self.node(addr) else { return "nothing".into() };
        let global = |id| {
            let global = self.code.global(id);
            global.map_or("?".into(), |global| for_message(&self.code.program.display_name(global)))
        };
        match node {
            Node::Int(word) => format!("NNum {word}"),
            Node::Big(big) if big.heap_bytes() <= 64 => format!("NNum {big}"),
            Node::Big(big) => format!("NNum of {} bytes", big.heap_bytes()),
            Node::Float(value) => format!("NFloat {value}"),
            Node::Char(c) => format!("NChar {}", char_literal(*c)),
            Node::App { fun, arg, .. } => format!("NApp #{} #{}", fun.0, arg.0),
            Node::Global(id) => format!("NGlobal {}", global(*id)),
            Node::Ind(to) => format!("NInd #{}", to.0),
            Node::Text { text, at } => {
                let literal = self.code.program.texts.get(*text);
                let rest = literal.and_then(|text| text.get(*at as usize..)).unwrap_or("");
                format!("NText \"{}\"", for_message(rest))
            }
            Node::Input => "NInput".into(),
            Node::Array(elements) => {
                let mut text = "NArray".to_owned();
                for element in elements.iter().take(SHOWN) {
                    text.push_str(&format!(" #{}", element.0));
                }
                if elements.len() > SHOWN {
                    text.push_str(" …");
                }
                text
            }
            Node::Bytes(bytes) => format!("NBytes of {} bytes", bytes.len()),
            Node::Opaque(number) => format!("NHost {number}"),
            Node::Hole => "NHole".into(),
            Node::BlackHole { global: id, .. } => format!("NBlackHole {}", global(*id)),
            Node::Suspended { record, index, .. } => match self.frozen.frame(*record, *index) {
                Some(frame) => format!("NSuspended {} at {}", global(frame.at.global), frame.at.pc),
                None => "NSuspended".into(),
            },
            Node::Constr { .. } | Node::Large(..) => {
                let Some((con, fields)) = node.as_constr() else { return "NConstr".into() };
                let con = self.code.program.cons.get(con);
                let mut text = format!(
                    "NConstr {}",
                    con.map_or("?".into(), |con| for_message(
                        self.code.program.con_display_name(con)
                    ))
                );
                for field in fields.iter().take(SHOWN) {
                    text.push_str(&format!(" #{}", field.0));
                }
                if fields.len() > SHOWN {
                    text.push_str(" …");
                }
                text
            }
            Node::Free(_) => "nothing".into(),
        }
    }
}
