//! What is said when an evaluation stops: where, what, and who waited for it.

use std::sync::Arc;

use super::code::Position;
use super::heap::node::{Addr, Node, Site};
use super::state::{Machine, NO_REDEX};
use crate::base::integer::Integer;
use crate::base::quote::{Elements, SHOWN_DEPTH, char_for_message, constructed, for_message};
use crate::base::span::Span;
use crate::gcode::effect::ActionKind;
use crate::gcode::instr::Instr;
use crate::gcode::program::{CONS, GlobalId, GlobalKind, NIL};
use crate::machine::failure::{self, Failure, Found, Lists};
use crate::machine::outcome::{Chain, Interruption, Limit, LimitReached, Stop};
use crate::machine::performing::Place;
use crate::machine::waiting::{CONTINUATIONS, Collector};

impl Machine {
    /// Returns a failure of the program at the present position.
    pub(super) fn fail(&self, failure: Failure) -> Stop {
        self.fail_at(self.here(), failure)
    }

    /// Returns a failure at a source expression.
    pub(super) fn fail_at(&self, span: Span, failure: Failure) -> Stop {
        failure.at(self.code.program.places.text(span), self.chain(span))
    }

    pub(super) fn limit(&self, limit: Limit) -> Stop {
        self.stopped(Some(limit))
    }

    /// Returns what stops a run at a limit, or without one because someone asked.
    pub(super) fn stopped(&self, limit: Option<Limit>) -> Stop {
        let span = self.here();
        let (place, chain) = (None, self.chain(span));
        let span = self.code.program.places.text(span);
        match limit {
            Some(limit) => Stop::Limit(Box::new(LimitReached { limit, span, place, chain })),
            None => Stop::Interrupted(Box::new(Interruption { span, place, chain })),
        }
    }

    /// Returns the source expression under evaluation. In code that no source stands behind, such
    /// as a primitive's, it is the application that this code reduces, or what waits for it.
    pub(super) fn here(&self) -> Span {
        match self.code.place(self.at) {
            span if span.is_none() => self.reduced(),
            span => span,
        }
    }

    /// Returns the application that the code under evaluation reduces, or what waits for it.
    fn reduced(&self) -> Span {
        let redex = |redex| self.redex_site(redex).map_or(Span::NONE, |(span, _)| span);
        let waiting = self.dump.iter().enumerate().rev();
        let mut performed = self.actions_performed();
        let mut performed = |depth| performed(depth).map_or(Span::NONE, |(span, _)| span);
        let here = redex(self.redex);
        let all = waiting.flat_map(|(depth, frame)| {
            [self.code.place(frame.at), performed(depth), redex(frame.redex)]
        });
        let span = std::iter::once(here).chain(all).find(|span| !span.is_none());
        span.unwrap_or_else(|| self.main_span())
    }

    /// Returns where the action comes from that is performed at a depth of the dump, to be asked
    /// from the innermost on.
    fn actions_performed(&self) -> impl FnMut(usize) -> Option<Place> + '_ {
        let mut performs = self.world.performing.is_placed(match self.code.instr(self.at) {
            Some(Instr::Effect(effect)) => Some(*effect),
            _ => None,
        });
        move |depth| {
            let place = self.world.performing.place(&self.code.program.places, depth)?;
            std::mem::replace(&mut performs, true).then_some(place)
        }
    }

    /// Returns the source expression that a redex under evaluation stands for, and the function in
    /// whose code that was built.
    fn redex_site(&self, redex: u32) -> Option<(Span, Arc<str>)> {
        match self.stack.get(redex as usize).map(|at| self.heap.get(*at)) {
            Some(&Node::BlackHole { site, global, .. }) if redex != NO_REDEX => {
                if let Some(owner) = self.code.site_global(site) {
                    return Some((self.code.site_place(site), self.code.name(owner)));
                }
                // No code has made a constant.
                let constant = self.code.global(global).filter(|constant| constant.arity == 0)?;
                Some((self.code.program.place_of_value(constant), self.code.name(global)))
            }
            _ => None,
        }
    }

    /// Returns the last call outside of the corelib from which last calls have led to a redex.
    fn outside_site(&self, redex: u32) -> Option<(Span, Arc<str>)> {
        match self.stack.get(redex as usize).map(|at| self.heap.get(*at)) {
            Some(&Node::BlackHole { outside, .. }) if redex != NO_REDEX => {
                let owner = self.code.site_global(outside)?;
                Some((self.code.site_place(outside), self.code.name(owner)))
            }
            _ => None,
        }
    }

    /// Returns where `main` is defined: what a failure of printing points to.
    pub(super) fn main_span(&self) -> Span {
        let main = self.code.program.main.and_then(|main| self.code.global(main));
        main.map_or(Span::NONE, |main| self.code.program.place_of_value(main))
    }

    /// Returns what waits for the expression at `span`, innermost first.
    fn chain(&self, span: Span) -> Chain {
        let mut collector = Collector::new(&self.code.program.places, span);
        let redexes = std::iter::once(self.redex).chain(self.dump.iter().rev().map(|f| f.redex));
        let frames = self.dump.iter().enumerate().rev().map(Some).chain([None]);
        let mut performed = self.actions_performed();
        for (redex, frame) in redexes.zip(frames) {
            if let Some((site, name)) = self.redex_site(redex) {
                collector.thunk(|| name, site);
            }
            if let Some((site, name)) = self.outside_site(redex) {
                collector.thunk(|| name, site);
            }
            let Some((depth, frame)) = frame else { continue };
            if let Some((_, Some((span, owner)))) = performed(depth) {
                collector.thunk(|| self.code.name(owner), span);
            }
            if matches!(self.code.instr(frame.at), Some(Instr::Try)) {
                self.continuations(depth, &mut collector);
            }
            if !self.code.is_hidden(frame.at) {
                collector.code(|| self.code.name(frame.at.global), self.code.place(frame.at));
            }
        }
        collector.finish()
    }

    /// Adds what goes on once the action is performed for which the performer waits in a frame.
    fn continuations(&self, depth: usize, collector: &mut Collector<'_>) {
        let Some(frame) = self.dump.get(depth) else { return };
        let end = self.dump.get(depth + 1).map_or(self.base, |above| above.base);
        let items = self.stack.get(frame.base as usize..end as usize).unwrap_or_default();
        let continuation = |addr: Addr| {
            let node = self.heap.get(self.heap.value(addr));
            let (con, fields) = node.as_constr()?;
            match self.code.actions?.kind(con)? {
                ActionKind::Con(kind) if kind.is_continuation() => Some(fields),
                _ => None,
            }
        };
        // The collector has emptied what the code no longer uses.
        let mut items = items.iter().rev().filter(|&&item| item != Addr::NONE);
        let mut next = items.find_map(|&item| continuation(item));
        for _ in 0..CONTINUATIONS {
            let Some(fields) = next.filter(|_| !collector.is_placed()) else { return };
            let Some((&rest, functions)) = fields.split_last() else { return };
            for &function in functions {
                if let Some((global, _)) = self.function(function) {
                    let span = self.code.global(global).map_or(Span::NONE, |global| global.span);
                    collector.continuation(|| self.code.name(global), span);
                }
            }
            next = continuation(rest);
        }
    }

    /// Returns the failure of a value that is no function, applied to `waiting` arguments.
    pub(super) fn applied_value(&self, value: Addr, waiting: usize) -> Stop {
        let below = self.stack.len().checked_sub(2).and_then(|at| self.stack.get(at));
        let site = match below.map(|at| self.heap.get(*at)) {
            Some(Node::App { site, .. }) => *site,
            _ => Site::NONE,
        };
        let span = Some(self.code.site_place(site)).filter(|span| !span.is_none());
        let owner = self.code.site_global(site).and_then(|owner| self.code.global(owner));
        // What the performer applies may be what the code has come to that ran last.
        let span = span.unwrap_or_else(|| match owner {
            Some(_) => self.reduced(),
            None => self.here(),
        });
        let found = self.describe(value);
        let performer = owner.filter(|owner| owner.kind == GlobalKind::Primitive);
        let failure = performer
            .and_then(|owner| Failure::applied_by_performer(&owner.symbol, &found, waiting))
            .unwrap_or_else(|| match self.heap.get(value).as_constr() {
                Some((con, fields)) => {
                    let con = self.code.program.cons.get(con);
                    Failure::overapplied(con, &found, fields.len(), fields.len() + waiting)
                }
                None => Failure::no_function(&found),
            });
        self.fail_at(span, failure)
    }

    /// Describes a value in a few words.
    pub(super) fn describe(&self, addr: Addr) -> Found {
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
                Some(con) => failure::constructed(con, self.action_kind(addr)),
                None => match self.function(addr) {
                    Some((global, held)) => {
                        let own = self.code.global(global).filter(|it| it.display.is_some());
                        let arity = own.map(|it| it.arity as usize);
                        failure::function(&self.shown_name(global), held, arity)
                    }
                    None => failure::unevaluated(),
                },
            },
        }
    }

    /// Returns a value that is thrown, as messages show it.
    pub(super) fn thrown(&self, value: Addr) -> String {
        let value = self.heap.value(value);
        if matches!(self.heap.get(value), Node::Text { .. }) {
            return self.text_so_far(value).quoted();
        }
        self.brief(value, SHOWN_DEPTH, Lists::Elements)
    }

    /// Returns what is evaluated of a value, in a few words.
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

    /// Returns the elements of a list, as far as it is evaluated, in a few words.
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
            Node::Char(c) => char_for_message(*c),
            Node::Big(_) => "a large integer".to_owned(),
            _ => match (self.action_kind(value), self.function(value)) {
                (Some(kind), _) => format!("<{}>", kind.display_name()),
                (None, Some((global, _))) => format!("<function {}>", self.shown_name(global)),
                (None, None) => "_".to_owned(),
            },
        }
    }

    /// Returns the global and the number of arguments that a function value has, if it is one.
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

    /// Returns the arguments of a partial application, the first one first.
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

    /// Returns a global's name, fit for a message.
    pub(super) fn shown_name(&self, global: GlobalId) -> String {
        for_message(&self.code.name(global))
    }

    /// Returns whose code runs, and where.
    #[must_use]
    pub fn position(&self) -> Position {
        self.at
    }
}
