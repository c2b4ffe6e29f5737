//! The calls that are left when all passes have run, each with the reason.
//!
//! The driver notes why it made nothing better of a call ([`Noted`]); later steps may still inline the
//! call, fuse it away, or lose it with the code around it. So what is told is found in the program that
//! is left: a call has one reason, and what has no call has none.

use std::cell::RefCell;
use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::usage::circles;
use crate::base::code::Code;
use crate::base::diagnostic::Diagnostic;
use crate::base::index::IndexVec;
use crate::base::name::Interner;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program};
use crate::core::traverse::Position;

/// Why a step made nothing better of a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Noted {
    /// The kind of reason.
    pub code: Code,
    /// The call of the program, or the one through which it was reached.
    pub place: Span,
    /// Where the function's definition is named: that of its variants too.
    pub callee: Span,
    /// Where the function is named that makes its argument, if the reason is about both.
    pub producer: Option<Span>,
    /// What follows the name of the function in the message, or the names of both.
    pub why: String,
    /// What to do.
    pub help: &'static str,
}

/// The calls of the program before the passes. Functions are told apart by where they are named.
#[derive(Default)]
pub(super) struct Source {
    /// The functions that are called at a place, then those that are passed there.
    calls: FxHashMap<Span, Vec<Span>>,
    passed: FxHashMap<Span, Vec<Span>>,
    /// The places outside of the corelib where a function is called, but for the steps of loops, or
    /// passed.
    places: FxHashMap<Span, Vec<Span>>,
    /// The calls that are steps of a loop in which they stand.
    steps: FxHashSet<(Span, Span)>,
    /// The calls of functions that are variables.
    unknown: FxHashSet<Span>,
    /// The functions that one mentions.
    mentions: FxHashMap<Span, Vec<Span>>,
    /// What functions come to mention, as far as that has been asked.
    reached: RefCell<FxHashMap<Span, FxHashSet<Span>>>,
    names: FxHashMap<Span, String>,
    /// The definitions of the corelib.
    library: FxHashSet<Span>,
    /// The definitions: what has another symbol is a variant.
    symbols: FxHashSet<String>,
    /// The definitions that can come to call themselves.
    recursive: FxHashSet<Span>,
}

impl Source {
    /// Notes the calls of a lifted program.
    pub fn new(program: &Program) -> Source {
        let mut source = Source::default();
        let circles = circles(program);
        for (id, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            source.symbols.insert(global.symbol.to_string());
            source.names.insert(global.span, display_name(global));
            if !program.places.is_users(global.span) {
                source.library.insert(global.span);
            }
            if circles[id].is_some() {
                source.recursive.insert(global.span);
            }
            for expr in program.walk(body) {
                if let Expr::Global(of) = program.exprs[expr] {
                    let of = program.globals[of].span;
                    source.mentions.entry(global.span).or_default().push(of);
                }
                if called_local(program, expr).is_some() {
                    source.unknown.insert(program.spans[expr]);
                }
                let Some((callee, args)) = called(program, expr) else { continue };
                let (place, of) = (program.spans[expr], program.globals[callee].span);
                source.calls.entry(place).or_default().push(of);
                for &arg in args {
                    if let Expr::Global(passed) = program.exprs[arg] {
                        let passed = program.globals[passed].span;
                        source.passed.entry(place).or_default().push(passed);
                        if program.places.is_users(place) {
                            source.places.entry(passed).or_default().push(place);
                        }
                    }
                }
                if circles[id].is_some() && circles[id] == circles[callee] {
                    source.steps.insert((place, of));
                } else if program.places.is_users(place) {
                    source.places.entry(of).or_default().push(place);
                }
            }
        }
        source
    }

    /// Returns whether a function is another one, or is of the corelib and comes to call that: the calls
    /// in a function of the program have places of their own.
    fn is_way(&self, from: Span, to: Span) -> bool {
        from == to || self.library.contains(&from) && self.reaches(from, to)
    }

    /// Returns whether a function comes to call another one, by name.
    fn reaches(&self, from: Span, to: Span) -> bool {
        if let Some(reached) = self.reached.borrow().get(&from) {
            return reached.contains(&to);
        }
        let mut reached: FxHashSet<Span> = FxHashSet::default();
        let mut work = vec![from];
        while let Some(of) = work.pop() {
            let mentioned = self.mentions.get(&of).into_iter().flatten();
            work.extend(mentioned.filter(|&&of| reached.insert(of)));
        }
        let is_reached = reached.contains(&to);
        self.reached.borrow_mut().insert(from, reached);
        is_reached
    }

    /// Returns the function that the source calls at a place, and that is or comes to call another one.
    fn head(&self, place: Span, callee: Span) -> Option<Span> {
        let all = || [&self.calls, &self.passed].into_iter().filter_map(|table| table.get(&place));
        let exact = all().flatten().find(|&&head| head == callee);
        let way = || all().flatten().find(|&&head| self.is_way(head, callee));
        exact.or_else(way).copied()
    }

    /// Returns the only place where a function is called, if there is one.
    fn only_place(&self, callee: Span) -> Option<Span> {
        match self.places.get(&callee)?.as_slice() {
            [place] => Some(*place),
            _ => None,
        }
    }
}

/// Returns how a function is called in messages.
pub(super) fn display_name(global: &Global) -> String {
    match &global.display {
        Some(name) => format!("`{}`", for_message(name)),
        None => "a function without a name".to_owned(),
    }
}

/// Returns the definition that an application calls, and the arguments.
fn called(program: &Program, expr: ExprId) -> Option<(GlobalId, &[ExprId])> {
    let Expr::App(callee, args) = program.exprs[expr] else { return None };
    let Expr::Global(global) = program.exprs[callee] else { return None };
    let is_defn = matches!(program.globals[global].kind, GlobalKind::Defn { .. });
    is_defn.then(|| (global, &program.expr_lists[args]))
}

/// Returns the variable that an application calls.
fn called_local(program: &Program, expr: ExprId) -> Option<LocalId> {
    let Expr::App(callee, _) = program.exprs[expr] else { return None };
    match program.exprs[callee] {
        Expr::Local(local) => Some(local),
        _ => None,
    }
}

/// A call that is left.
struct Call {
    place: Span,
    callee: GlobalId,
    /// Whether it is evaluated where it stands.
    is_evaluated: bool,
    /// Whether it is a step of a loop that it stands in.
    is_step: bool,
}

/// Returns a hint for each call of a program that is left, in the order of the source.
pub(super) fn hints(
    noted: &[Noted],
    source: &Source,
    program: &Program,
    names: &Interner,
) -> Vec<Diagnostic> {
    let mut left = Left::new(source, program, names);
    left.find();
    left.tell(noted)
}

struct Left<'p> {
    source: &'p Source,
    program: &'p Program,
    names: &'p Interner,
    circles: IndexVec<GlobalId, Option<u32>>,
    /// The call outside of the corelib by which a definition was reached first.
    reached: IndexVec<GlobalId, Span>,
    size: IndexVec<GlobalId, usize>,
    mentions: IndexVec<GlobalId, usize>,
    calls: Vec<Call>,
    unknown: Vec<Diagnostic>,
}

impl<'p> Left<'p> {
    fn new(source: &'p Source, program: &'p Program, names: &'p Interner) -> Left<'p> {
        let none = || program.globals.iter();
        Left {
            source,
            program,
            names,
            circles: circles(program),
            reached: none().map(|_| Span::NONE).collect(),
            size: none().map(|_| 0).collect(),
            mentions: none().map(|_| 0).collect(),
            calls: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Finds the calls of what is reached.
    fn find(&mut self) {
        let mut seen: FxHashSet<GlobalId> = FxHashSet::default();
        let mut work: VecDeque<GlobalId> = self.program.kept().into();
        seen.extend(&work);
        while let Some(id) = work.pop_front() {
            for (callee, place) in self.body(id) {
                self.mentions[callee] += 1;
                if seen.insert(callee) {
                    self.reached[callee] = place;
                    work.push_back(callee);
                }
            }
        }
    }

    /// Notes the calls of a body. Returns the globals that it mentions, each with the place outside of
    /// the corelib.
    fn body(&mut self, id: GlobalId) -> Vec<(GlobalId, Span)> {
        let program = self.program;
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else {
            return Vec::new();
        };
        let mut mentioned = Vec::new();
        // The place is that of the expression around it, for a callee.
        let mut work = vec![(body, true, Span::NONE)];
        while let Some((expr, is_evaluated, around)) = work.pop() {
            self.size[id] += 1;
            let own = self.place(program.spans[expr]);
            let place = own.unwrap_or(self.reached[id]);
            if let Expr::Global(global) = program.exprs[expr] {
                let place = if around.is_none() { place } else { around };
                mentioned.push((global, place));
            }
            if let Some((callee, args)) = called(program, expr)
                && args.len() >= program.arity(callee)
            {
                // What the corelib does with itself is no call of the program.
                let is_users = program.places.is_users(program.globals[callee].span);
                if !place.is_none() && (own.is_some() || is_users) {
                    let is_step =
                        self.circles[id].is_some() && self.circles[id] == self.circles[callee];
                    self.calls.push(Call { place, callee, is_evaluated, is_step });
                }
            }
            self.note_unknown(expr);
            for child in program.children(expr) {
                let is_callee = child.position == Position::Callee;
                let around = if is_callee { place } else { Span::NONE };
                let is_evaluated = is_evaluated && program.is_strict(expr, child.position);
                work.push((child.expr, is_evaluated, around));
            }
        }
        mentioned
    }

    /// Returns the call of the source that an expression stands in or is inlined for; `None` if it is
    /// code that only the corelib reaches, or what a definition of the source has become as a whole.
    fn place(&self, span: Span) -> Option<Span> {
        let place = self.program.places.users_call(span)?;
        self.source.calls.contains_key(&place).then_some(place)
    }

    /// Notes the call of a function that is not known.
    fn note_unknown(&mut self, expr: ExprId) {
        let Some(local) = called_local(self.program, expr) else { return };
        let span = self.program.spans[expr];
        if !self.program.places.is_users(span) || !self.source.unknown.contains(&span) {
            return;
        }
        let message = match self.program.locals[local].name {
            Some(name) => {
                let name = for_message(self.names.text(name));
                format!("`{name}` is called here, and it is not known what that is")
            }
            None => "what is called here is not known".to_owned(),
        };
        let help = "let the caller be called with a function that is known, or pass data instead";
        self.unknown.push(Diagnostic::hint(Code::CallUnknown, span, message).help(help));
    }

    /// Returns the hints: one for each place and function that the source calls there.
    fn tell(self, noted: &[Noted]) -> Vec<Diagnostic> {
        let called: FxHashSet<Span> = self.calls.iter().map(|call| self.named(call)).collect();
        // Of a producer that is gone, with all that it calls, nothing is made.
        let is_made = |producer| {
            called.contains(&producer) || called.iter().any(|&of| self.source.reaches(producer, of))
        };
        let producers: FxHashSet<Span> = noted.iter().filter_map(|noted| noted.producer).collect();
        let made: FxHashSet<Span> = producers.into_iter().filter(|&of| is_made(of)).collect();
        let mut reasons: FxHashMap<Span, Vec<&Noted>> = FxHashMap::default();
        let mut seen: FxHashSet<&Noted> = FxHashSet::default();
        for noted in noted {
            if noted.producer.is_none_or(|producer| made.contains(&producer)) && seen.insert(noted)
            {
                reasons.entry(noted.place).or_default().push(noted);
            }
        }
        let mut best: FxHashMap<(Span, Span), Diagnostic> = FxHashMap::default();
        for call in &self.calls {
            let Some(hint) = self.hint(call, &reasons) else { continue };
            let place = hint.primary.span;
            let head = self.source.head(place, self.named(call)).unwrap_or(self.named(call));
            let is_better = best.get(&(place, head)).is_none_or(|before| {
                (rank(hint.code), &hint.message) < (rank(before.code), &before.message)
            });
            if is_better {
                best.insert((place, head), hint);
            }
        }
        let mut hints: Vec<Diagnostic> = best.into_values().chain(self.unknown).collect();
        hints.sort_by(|a, b| {
            (a.primary.span, a.code, &a.message).cmp(&(b.primary.span, b.code, &b.message))
        });
        hints.dedup();
        hints
    }

    /// Returns where the function of a call is named.
    fn named(&self, call: &Call) -> Span {
        self.program.globals[call.callee].span
    }

    /// Returns the hint for a call; `None` if there is nothing to tell.
    fn hint(&self, call: &Call, reasons: &FxHashMap<Span, Vec<&Noted>>) -> Option<Diagnostic> {
        let (source, callee) = (self.source, self.named(call));
        let is_recursive = self.circles[call.callee].is_some();
        let noted = reasons.get(&call.place).into_iter().flatten().copied().filter(|noted| {
            source.is_way(noted.callee, callee) && (!is_recursive || noted.code != Code::CallLarge)
        });
        if let Some(noted) = noted.min_by_key(|noted| rank(noted.code)) {
            let is_step = source.steps.contains(&(call.place, noted.callee));
            // What a loop takes apart at each step is made outside of it.
            let outer = source.only_place(noted.callee);
            let is_outer = is_step && noted.producer.is_some();
            let place = match outer {
                Some(outer) if is_outer => outer,
                _ => self.best_place(call.place, noted.callee),
            };
            let subject = self.subject(place, noted.callee);
            let message = match noted.producer {
                Some(producer) => {
                    let maker = self.subject(self.best_place(call.place, producer), producer);
                    format!("{subject} is not fused with {maker}: {}", noted.why)
                }
                None => format!("{subject} {}", noted.why),
            };
            return Some(Diagnostic::hint(noted.code, place, message).help(noted.help));
        }
        let is_variant = !source.symbols.contains(&*self.program.globals[call.callee].symbol);
        if call.is_step || is_variant || source.steps.contains(&(call.place, callee)) {
            return None;
        }
        let place = self.best_place(call.place, callee);
        let subject = self.subject(place, callee);
        let (code, why, help) = if is_recursive && source.recursive.contains(&callee) {
            (
                Code::CallRecursive,
                "it calls itself".to_owned(),
                "a loop needs no change; what never changes in it may be written out in the call",
            )
        } else if is_recursive {
            let why = "with what is known here it has become a loop".to_owned();
            (Code::CallRecursive, why, "a loop needs no change")
        } else if !call.is_evaluated {
            (
                Code::CallLazy,
                "it is not certain that its value is needed here".to_owned(),
                "if it is always needed, evaluate it where it is made, with seq",
            )
        } else {
            let (size, mentions) = (self.size[call.callee], self.mentions[call.callee]);
            let why = match mentions {
                1 => format!("it has {size} parts"),
                _ => format!("it has {size} parts and is mentioned {mentions} times"),
            };
            (Code::CallLarge, why, LARGE)
        };
        let message = format!("{subject} is not inlined: {why}");
        Some(Diagnostic::hint(code, place, message).help(help))
    }

    /// Returns where the source calls a function that a call is of: what is fused stands, as a whole,
    /// in a place of the function that it begins with.
    fn best_place(&self, place: Span, callee: Span) -> Span {
        let source = self.source;
        if source.head(place, callee).is_some() {
            return place;
        }
        let places: Vec<Span> = match source.places.get(&callee) {
            Some(places) => places.clone(),
            None => {
                let ways = source.places.iter().filter(|&(&of, _)| source.is_way(of, callee));
                ways.flat_map(|(_, places)| places).copied().collect()
            }
        };
        let is_around = |outer: &&Span| outer.lo <= place.lo && place.hi <= outer.hi;
        let innermost = places.iter().filter(is_around).min_by_key(|outer| outer.hi - outer.lo);
        let nearest = || places.iter().min_by_key(|other| (other.lo.abs_diff(place.lo), other.lo));
        innermost.or_else(nearest).copied().unwrap_or(place)
    }

    /// Returns how a function is called in a message about a place: with the function that the source
    /// calls there, if it is another one.
    fn subject(&self, place: Span, callee: Span) -> String {
        let name = |of| self.source.names.get(&of).cloned().unwrap_or_default();
        match self.source.head(place, callee) {
            Some(head) if head != callee => {
                format!("{} of {}", name(callee), name(head))
            }
            _ => name(callee),
        }
    }
}

/// What to do about a large function.
pub(super) const LARGE: &str =
    "split off the part that is decided in each call: a small function is inlined";

/// Returns the order in which reasons are told, if there are several.
fn rank(code: Code) -> u32 {
    match code {
        Code::CallBudget => 0,
        Code::CallGrows => 1,
        Code::CallShared => 2,
        Code::CallNoProducer => 3,
        Code::CallLarge => 4,
        Code::CallLazy => 5,
        _ => 6,
    }
}
