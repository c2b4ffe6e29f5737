//! What grows from call to call in a recursion.
//!
//! A search that keeps its history, as `(search (Cons state history))`, begins with a history that is known. What it
//! goes on with is known as well, and larger: each call would be a variant, with all the code that is written for
//! what is known of the state, until the whistle blows. Such knowledge has no end by itself. It has one where
//! something else that is known is taken apart by the same recursion, as the term is whose environment grows in an
//! interpreter: that *anchors* it (Glenstrup and Jones, "Termination analysis and specialization-point insertion in
//! offline partial evaluation", TOPLAS 27, 2005, call a parameter bounded if each circle in which it grows takes
//! another known one apart).
//!
//! What is taken apart and made again, as a stack or a zipper, is *remade*. It anchors, and is known as it is, unless
//! the function *explores*: it begins with a choice by a parameter of which nothing is known. There each branch goes
//! on with another stack, and each of these branches again.
//!
//! Of what is not anchored the spine is known: how many elements there are is worth the few variants that the whistle
//! lets be made. What the elements are is not; nor is anything where much would be unfolded in each variant, or where
//! several things are remade, since there would be variants for each pair of lengths.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Driver;
use super::facts::Facts;
use super::heap::Head;
use super::pattern::Pattern;
use crate::base::index::List;
use crate::base::scc::components;
use crate::core::expr::{DataId, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};
use crate::optimise::selection::is_only;

/// The most expressions of a function, with all that may be unfolded in it, of which variants are made for how
/// long something is that grows.
const SPINES: u32 = 250;

/// The parameters of recursive functions by what becomes of them in their circles.
#[derive(Default)]
pub struct Growing {
    /// Those that become part of something larger.
    grow: FxHashSet<LocalId>,
    /// Those of which a part goes on.
    descend: FxHashSet<LocalId>,
    /// Those of which a part goes on, and is made part of something again.
    remade: FxHashSet<LocalId>,
}

/// How a value goes into another place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// As it is, or as an operand of arithmetic.
    Whole,
    /// A field of it.
    Field,
    /// As a part of a constructor or a function.
    Within,
}

/// Finds the parameters that grow.
pub fn growing(program: &Program, facts: &Facts) -> Growing {
    let mut all = Growing::default();
    for (circle, members) in facts.circles(program) {
        let mut scan = Scan { program, facts, circle, flows: Vec::new() };
        members.iter().for_each(|&member| scan.function(member));
        scan.add_to(&members, &mut all);
    }
    all
}

/// Looks at the functions of one circle.
struct Scan<'a> {
    program: &'a Program,
    facts: &'a Facts,
    circle: u32,
    /// What goes from one local to another.
    flows: Vec<(LocalId, LocalId, Flow)>,
}

impl<'a> Scan<'a> {
    /// Notes what goes where in a function.
    fn function(&mut self, member: GlobalId) {
        let program = self.program;
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[member].kind else {
            return;
        };
        for expr in program.walk(body) {
            match program.exprs[expr] {
                Expr::Let(local, value, _) | Expr::Force(local, value, _) => {
                    self.value(value, local);
                }
                Expr::Letrec(binds, _) => {
                    for bind in &program.binds[binds] {
                        self.value(bind.value, bind.local);
                    }
                }
                Expr::Switch(switch) => {
                    let switch = &program.switches[switch];
                    let fields =
                        switch.fields().map(|field| (switch.scrutinee, field, Flow::Field));
                    self.flows.extend(fields);
                }
                Expr::Jump(join, args) => self.passed(program.joins[join].params, args),
                Expr::App(callee, args) => {
                    if let Expr::Global(of) = program.exprs[callee]
                        && self.facts.recursive[of]
                        && self.facts.circle[of] == self.circle
                        && let GlobalKind::Defn { params, .. } = program.globals[of].kind
                    {
                        self.passed(params, args);
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes what is passed for parameters.
    fn passed(&mut self, params: List<LocalId>, args: List<ExprId>) {
        let program = self.program;
        for (&param, &arg) in program.local_lists[params].iter().zip(&program.expr_lists[args]) {
            self.value(arg, param);
        }
    }

    /// Notes what the value of an expression, which a local is bound to, is made of. What a call comes to is made
    /// of nothing: that is found when it is driven.
    fn value(&mut self, expr: ExprId, to: LocalId) {
        let program = self.program;
        let mut work = vec![(expr, Flow::Whole)];
        while let Some((expr, flow)) = work.pop() {
            match program.exprs[expr] {
                Expr::Local(from) => self.flows.push((from, to, flow)),
                Expr::App(callee, args) => {
                    let tails = &program.expr_lists[program.tails(callee, args)];
                    let (args, flow) = match self.made_by(callee, args.len()) {
                        Some(_) if !tails.is_empty() => (tails, flow),
                        Some(Flow::Within) => (&program.expr_lists[args], Flow::Within),
                        Some(_) => (&program.expr_lists[args], flow),
                        None => continue,
                    };
                    work.extend(args.iter().map(|&arg| (arg, flow)));
                }
                Expr::Let(_, _, body) | Expr::Force(_, _, body) | Expr::Letrec(_, body) => {
                    work.push((body, flow));
                }
                Expr::Join(join, body) => {
                    work.extend([(body, flow), (program.joins[join].handler, flow)]);
                }
                Expr::Switch(switch) => {
                    work.extend(program.switches[switch].bodies().map(|body| (body, flow)));
                }
                _ => {}
            }
        }
    }

    /// Returns how the arguments of an application go into its value; `None` if that is not to be seen.
    fn made_by(&self, callee: ExprId, given: usize) -> Option<Flow> {
        match self.program.exprs[callee] {
            Expr::Con(_) => Some(Flow::Within),
            Expr::Global(of) => match self.program.globals[of].kind {
                GlobalKind::Primitive(_) => Some(Flow::Whole),
                _ => (given < self.program.arity(of)).then_some(Flow::Within),
            },
            _ => None,
        }
    }

    /// Adds what is found of the parameters of the circle's members.
    fn add_to(self, members: &[GlobalId], all: &mut Growing) {
        let mut number: FxHashMap<LocalId, usize> = FxHashMap::default();
        for local in self.flows.iter().flat_map(|&(from, to, _)| [from, to]) {
            let next = number.len();
            number.entry(local).or_insert(next);
        }
        let mut next = vec![Vec::new(); number.len()];
        for (from, to, _) in &self.flows {
            next[number[from]].push(number[to] as u32);
        }
        let mut component = vec![0; number.len()];
        for (at, found) in components(&next).into_iter().enumerate() {
            found.into_iter().for_each(|local| component[local as usize] = at);
        }
        let (mut within, mut fields) = (FxHashSet::default(), FxHashSet::default());
        for &(from, to, flow) in &self.flows {
            let at = component[number[&from]];
            match flow {
                _ if at != component[number[&to]] => {}
                Flow::Within => drop(within.insert(at)),
                Flow::Field => drop(fields.insert(at)),
                Flow::Whole => {}
            }
        }
        for &member in members {
            let GlobalKind::Defn { params, .. } = self.program.globals[member].kind else {
                continue;
            };
            for &param in &self.program.local_lists[params] {
                let Some(at) = number.get(&param).map(|&at| component[at]) else { continue };
                match (fields.contains(&at), within.contains(&at)) {
                    (true, true) => all.remade.insert(param),
                    (true, false) => all.descend.insert(param),
                    (false, true) => all.grow.insert(param),
                    (false, false) => false,
                };
            }
        }
    }
}

impl Driver<'_> {
    /// Makes less known of what grows in the recursion of a function, in the patterns of a call and in those of
    /// calls and functions in them, where nothing that is known anchors it.
    pub(super) fn bound_what_grows(&self, of: GlobalId, patterns: &mut [Pattern]) {
        if self.growing.grow.is_empty() && self.growing.remade.is_empty() {
            return;
        }
        for pattern in patterns.iter_mut() {
            self.bound_in(pattern);
        }
        if !self.facts.recursive[of] || !patterns.iter().any(Pattern::is_data) {
            return;
        }
        let is_data = |(_, pattern): &(usize, &Pattern)| pattern.is_data();
        let known: Vec<usize> =
            patterns.iter().enumerate().filter(is_data).map(|(at, _)| at).collect();
        let is_in = |at, set: &FxHashSet<LocalId>| self.has(of, at, |param| set.contains(&param));
        let remade = known.iter().filter(|&&at| is_in(at, &self.growing.remade)).count();
        let explores = remade > 0 && self.explores(of, patterns);
        let anchors =
            |at| is_in(at, &self.growing.descend) || !explores && is_in(at, &self.growing.remade);
        if known.iter().any(|&at| anchors(at)) {
            return;
        }
        let has_spine = self.facts.expanded[of].is_within(SPINES);
        for at in known {
            let is_remade = is_in(at, &self.growing.remade);
            if !is_remade && !is_in(at, &self.growing.grow) {
                continue;
            }
            match patterns[at] {
                // What is remade of a record, as a zipper, is as large as before.
                Pattern::Con(con, _) if is_remade && is_only(&self.new, con) => {}
                Pattern::Con(con, _) | Pattern::Built(con, _)
                    if has_spine && !(is_remade && remade > 1) =>
                {
                    self.keep_spine(&mut patterns[at], self.new.cons[con].data);
                }
                _ => patterns[at] = Pattern::Hole,
            }
        }
    }

    /// Returns whether a function begins with a choice by a parameter of which nothing is known.
    fn explores(&self, of: GlobalId, patterns: &[Pattern]) -> bool {
        let GlobalKind::Defn { params, body: Some(body) } = self.old.globals[of].kind else {
            return false;
        };
        let mut body = body;
        while let Expr::Let(_, _, next) | Expr::Force(_, _, next) = self.old.exprs[body] {
            body = next;
        }
        let Expr::Switch(first) = self.old.exprs[body] else { return false };
        let scrutinee = self.old.switches[first].scrutinee;
        let at = self.old.local_lists[params].iter().position(|&param| param == scrutinee);
        at.and_then(|at| patterns.get(at)).is_some_and(|pattern| *pattern == Pattern::Hole)
    }

    /// Makes less known of what grows in the calls and functions in a pattern.
    fn bound_in(&self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Partial(Head::Global(of), parts) | Pattern::Call(of, parts) => {
                self.bound_what_grows(*of, parts);
            }
            _ => pattern.parts_mut().iter_mut().for_each(|part| self.bound_in(part)),
        }
    }

    /// Forgets what is in a pattern but the constructors of one type around each other.
    fn keep_spine(&self, pattern: &mut Pattern, data: DataId) {
        match pattern {
            Pattern::Con(con, parts) | Pattern::Built(con, parts)
                if self.new.cons[*con].data == data =>
            {
                parts.iter_mut().for_each(|part| self.keep_spine(part, data));
            }
            _ => *pattern = Pattern::Hole,
        }
    }
}
