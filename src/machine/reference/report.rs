//! What is said when an evaluation stops: where, what, and who waited for it.

use super::code::Position;
use super::heap::node::{Addr, Node, Site};
use super::state::{Machine, NO_REDEX};
use crate::base::integer::Integer;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::gcode::program::GlobalId;
use crate::machine::failure::{self, Failure};
use crate::machine::outcome::{Chain, Limit, LimitReached, Stop, Waiting};

impl Machine {
    /// A failure of the program at the present position.
    pub(super) fn fail(&self, failure: Failure) -> Stop {
        self.fail_at(self.here(), failure)
    }

    /// A failure at a source expression.
    pub(super) fn fail_at(&self, span: Span, failure: Failure) -> Stop {
        failure.at(span, self.chain(span))
    }

    pub(super) fn limit(&self, limit: Limit) -> Stop {
        let span = self.here();
        let (place, chain) = (None, self.chain(span));
        Stop::Limit(Box::new(LimitReached { limit, span, place, chain }))
    }

    /// The source expression under evaluation. In code that no source stands behind, such as
    /// a primitive's, it is the application that this code reduces, or what waits for it.
    pub(super) fn here(&self) -> Span {
        let span = self.code.span(self.at);
        if !span.is_none() {
            return span;
        }
        let redex = |redex: u32| match self.stack.get(redex as usize).map(|at| self.heap.get(*at)) {
            Some(Node::BlackHole { site, .. }) if redex != NO_REDEX => self.code.site_span(*site),
            _ => Span::NONE,
        };
        let waiting = self.dump.iter().rev().map(|frame| (self.code.span(frame.at), frame.redex));
        let here = redex(self.redex);
        let all = waiting.flat_map(|(span, at)| [span, redex(at)]);
        let span = std::iter::once(here).chain(all).find(|span| !span.is_none());
        span.unwrap_or_else(|| self.main_span())
    }

    /// Where `main` is defined: what a failure of printing points to.
    pub(super) fn main_span(&self) -> Span {
        let main = self.code.program.main.and_then(|main| self.code.global(main));
        main.map_or(Span::NONE, |main| main.span)
    }

    /// What waits for the expression at `span`, innermost first.
    fn chain(&self, span: Span) -> Chain {
        let mut chain = Chain::default();
        for frame in self.dump.iter().rev() {
            if self.code.is_hidden(frame.at) {
                continue;
            }
            let waits = self.code.span(frame.at);
            if waits == span && chain.frames.is_empty() && chain.more == 0 {
                // The failing expression itself.
                continue;
            }
            if chain.frames.len() < Chain::SHOWN {
                chain.frames.push(Waiting { name: self.code.name(frame.at.global), span: waits });
            } else {
                chain.more += 1;
            }
        }
        chain
    }

    /// A value that is no function, applied to `waiting` arguments.
    pub(super) fn applied_value(&self, value: Addr, waiting: usize) -> Stop {
        let below = self.stack.len().checked_sub(2).and_then(|at| self.stack.get(at));
        let site = match below.map(|at| self.heap.get(*at)) {
            Some(Node::App { site, .. }) => *site,
            _ => Site::NONE,
        };
        let span = Some(self.code.site_span(site)).filter(|span| !span.is_none());
        let span = span.unwrap_or_else(|| self.here());
        let failure = match self.heap.get(value).as_constr() {
            Some((con, fields)) => {
                let con = self.code.program.cons.get(con);
                Failure::overapplied(con, fields.len(), fields.len() + waiting)
            }
            None => Failure::no_function(&self.describe(value)),
        };
        self.fail_at(span, failure)
    }

    /// A value in a few words.
    pub(super) fn describe(&self, addr: Addr) -> String {
        let addr = self.heap.value(addr);
        match self.heap.get(addr) {
            Node::Int(word) => failure::integer(&Integer::Small(*word)),
            Node::Big(big) => failure::integer(big),
            Node::Opaque(number) => {
                failure::opaque(self.opaques.get(*number).map_or("?", |opaque| opaque.name))
            }
            Node::Float(value) => failure::float(*value),
            Node::Char(c) => failure::character(*c),
            Node::Array(elements) => failure::array(elements.len()),
            Node::Bytes(bytes) => failure::bytes(bytes.len()),
            node => match node.as_constr().and_then(|(con, _)| self.code.program.cons.get(con)) {
                Some(con) => failure::constructed(con),
                None => match self.function(addr) {
                    Some((global, held)) => failure::function(&self.shown_name(global), held),
                    None => failure::UNEVALUATED.to_owned(),
                },
            },
        }
    }

    /// The global and the number of arguments that a function value has, if it is one.
    pub(super) fn function(&self, addr: Addr) -> Option<(GlobalId, usize)> {
        let mut at = self.heap.value(addr);
        let (mut seen, mut arguments) = (at, 0_usize);
        loop {
            match *self.heap.get(at) {
                Node::App { fun, .. } => {
                    at = self.heap.value(fun);
                    arguments += 1;
                    // An application may be its own function. It comes by the node that was
                    // seen last at a power of two (Brent 1980, as for an unwinding).
                    if at == seen {
                        return None;
                    }
                    if arguments.is_power_of_two() {
                        seen = at;
                    }
                }
                Node::Global(global) => {
                    let arity = self.code.global(global)?.arity as usize;
                    return (arguments < arity).then_some((global, arguments));
                }
                _ => return None,
            }
        }
    }

    /// The arguments of a partial application, the first one first.
    pub(super) fn arguments(&self, addr: Addr) -> Vec<Addr> {
        let mut at = self.heap.value(addr);
        let mut arguments = Vec::new();
        while let Node::App { fun, arg, .. } = *self.heap.get(at) {
            arguments.push(arg);
            at = self.heap.value(fun);
        }
        arguments.reverse();
        arguments
    }

    /// A global's name, fit for a message.
    pub(super) fn shown_name(&self, global: GlobalId) -> String {
        for_message(&self.code.name(global))
    }

    /// Whose code runs, and where.
    #[must_use]
    pub fn position(&self) -> Position {
        self.at
    }
}
