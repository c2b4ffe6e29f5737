//! What is found out about the old program before it is driven.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::base::index::{Idx, IndexVec};
use crate::base::scc::components;
use crate::core::expr::{
    Branches, Expr, ExprId, Global, GlobalId, GlobalKind, JoinId, Lit, LocalId, Program, SwitchId,
};
use crate::primitive::Shape;

use super::eta::Twins;
use super::expanded::{Expanded, is_small, is_unfolded};
use super::paths::{ArmId, Paths};

/// Facts about the old program.
pub struct Facts {
    /// The number of each local among those of its function.
    pub slot: IndexVec<LocalId, u32>,
    /// How often each local is used.
    pub uses: IndexVec<LocalId, u32>,
    /// Whether a local may be used more than once when its function's body is executed.
    pub shared: IndexVec<LocalId, bool>,
    /// Whether a local is used otherwise than as the scrutinee of a switch.
    pub mentioned: IndexVec<LocalId, bool>,
    /// How many locals a function has.
    pub locals: IndexVec<GlobalId, u32>,
    /// How many expressions the body of a function has.
    pub size: IndexVec<GlobalId, u32>,
    /// What a function is with small functions in place of their calls.
    pub expanded: IndexVec<GlobalId, Expanded>,
    /// How often a global is mentioned, and how often as something else than the callee of
    /// an application to all its arguments.
    pub mentions: IndexVec<GlobalId, (u32, u32)>,
    /// Whether a global is `main` or a root.
    pub kept: IndexVec<GlobalId, bool>,
    /// Whether a function can come to call itself by name.
    pub recursive: IndexVec<GlobalId, bool>,
    /// Functions that can come to call each other by name have the same number.
    pub circle: IndexVec<GlobalId, u32>,
    /// How many functions can come to call each other by name, with the function itself.
    pub in_circle: IndexVec<GlobalId, u32>,
    /// Whether a function that can come to call itself is mentioned in one place of the program,
    /// and not large. Putting such ones in place of their calls ends: a circle of them would be
    /// mentioned from nowhere else.
    pub mentioned_once: IndexVec<GlobalId, bool>,
    /// Whether a function is mentioned in one place of the program, and not called there: it is part of
    /// the body that it stands in.
    pub is_part: IndexVec<GlobalId, bool>,
    /// Whether a function that can come to call itself does nothing but call another one: putting
    /// these, too, in place of their calls ends, because on each way from one to another there is
    /// one that is neither.
    pub forwards: IndexVec<GlobalId, bool>,
    /// Whether it helps a function to know what a local is: it looks at it, or hands it to
    /// one that does.
    pub inspected: IndexVec<LocalId, bool>,
    /// The calls of functions that are locals which have a local among their arguments: the
    /// function, and which argument it is.
    pub unknown_calls: FxHashMap<LocalId, Vec<(LocalId, usize)>>,
    /// The parameters of functions that a local's value is passed for, one for each use as an argument.
    pub passed: IndexVec<LocalId, Vec<LocalId>>,
    /// The last switch on a local.
    pub switch: IndexVec<LocalId, Option<SwitchId>>,
    /// How many jumps a join has.
    pub jumps: IndexVec<JoinId, u32>,
    /// The alternatives of switches with many literals.
    pub of_literal: FxHashMap<(SwitchId, Lit), ExprId>,
    /// Whether a body is no more to build than a call: a name, a literal, or an application
    /// to such, or data. More would be built where nothing may ever demand it.
    pub lazy_form: IndexVec<GlobalId, bool>,
    /// Whether that is data or an action.
    pub makes_data: IndexVec<GlobalId, bool>,
    /// Whether a body is an `if` that comes to data and may stand in a lazy context as it is.
    pub is_choice: IndexVec<GlobalId, bool>,
    /// Whether a body is a call, whatever its arguments are.
    pub is_call: IndexVec<GlobalId, bool>,
    /// Whether it begins with a switch of which a branch is a local: a call may come to its argument.
    pub may_forward: IndexVec<GlobalId, bool>,
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Place {
    arm: ArmId,
    /// Whether it is evaluated there: what is built is built with all its branches.
    strict: bool,
}

impl Place {
    fn lazy(self) -> Place {
        Place { strict: false, ..self }
    }
}

type Work = Vec<(ExprId, Place)>;

/// The most branches, beside the first, that are compared to tell whether a local is used in one
/// alone.
const ARMS: usize = 8;

/// The most literals of a switch that are looked through for the one that a value is.
pub const SEARCHED: usize = 8;

impl Facts {
    /// Returns the functions of each circle, by its number.
    pub fn circles(&self, program: &Program) -> FxHashMap<u32, Vec<GlobalId>> {
        let mut circles: FxHashMap<u32, Vec<GlobalId>> = FxHashMap::default();
        for (id, global) in program.globals.enumerate() {
            if self.recursive[id] && matches!(global.kind, GlobalKind::Defn { body: Some(_), .. }) {
                circles.entry(self.circle[id]).or_default().push(id);
            }
        }
        circles
    }
}

/// Collects the facts of a program; looks at every body once.
pub fn facts(program: &Program, twins: &Twins) -> Facts {
    let globals = program.globals.len();
    let mut scan = Scan {
        program,
        facts: Facts {
            slot: program.locals.iter().map(|_| 0).collect(),
            uses: program.locals.iter().map(|_| 0).collect(),
            shared: program.locals.iter().map(|_| false).collect(),
            mentioned: program.locals.iter().map(|_| false).collect(),
            locals: program.globals.iter().map(|_| 0).collect(),
            size: program.globals.iter().map(|_| 0).collect(),
            expanded: program.globals.iter().map(|_| Expanded::default()).collect(),
            mentions: program.globals.iter().map(|_| (0, 0)).collect(),
            kept: program.globals.iter().map(|_| false).collect(),
            recursive: program.globals.iter().map(|_| false).collect(),
            circle: program.globals.iter().map(|_| 0).collect(),
            in_circle: program.globals.iter().map(|_| 1).collect(),
            mentioned_once: program.globals.iter().map(|_| false).collect(),
            is_part: program.globals.iter().map(|_| false).collect(),
            forwards: program.globals.iter().map(|_| false).collect(),
            inspected: program.locals.iter().map(|_| false).collect(),
            unknown_calls: FxHashMap::default(),
            passed: program.locals.iter().map(|_| Vec::new()).collect(),
            switch: program.locals.iter().map(|_| None).collect(),
            jumps: program.joins.iter().map(|_| 0).collect(),
            of_literal: FxHashMap::default(),
            is_call: program.globals.iter().map(|global| is_call(program, global)).collect(),
            may_forward: program
                .globals
                .iter()
                .map(|global| may_forward(program, global))
                .collect(),
            is_choice: program.globals.iter().map(|global| is_choice(program, global)).collect(),
            makes_data: program.globals.iter().map(|global| makes_data(program, global)).collect(),
            lazy_form: program.globals.iter().map(|global| is_lazy_form(program, global)).collect(),
        },
        flows: program.locals.iter().map(|_| Vec::new()).collect(),
        edges: vec![Vec::new(); globals],
        paths: Paths::new(),
        used_in: vec![None; program.locals.len()],
        also_in: FxHashMap::default(),
        global: GlobalId(0),
    };
    for id in program.globals.indices() {
        scan.global(id);
    }
    for kept in program.kept() {
        scan.facts.kept[kept] = true;
    }
    scan.spread();
    // Whoever mentions a definition may come to call its twin.
    for (origin, twin) in twins.iter() {
        scan.edges[origin.index()].push(twin.0);
    }
    for (number, component) in (0..).zip(components(&scan.edges)) {
        let cyclic = match component.as_slice() {
            [one] => scan.edges[*one as usize].contains(one),
            _ => true,
        };
        let size = component.len() as u32;
        for member in component {
            scan.expand(GlobalId(member));
            scan.facts.in_circle[GlobalId(member)] = size;
            scan.facts.recursive[GlobalId(member)] = cyclic;
            scan.facts.circle[GlobalId(member)] = number;
        }
    }
    for (id, &mentions) in scan.facts.mentions.enumerate() {
        scan.facts.is_part[id] = mentions == (1, 1) && !scan.facts.kept[id];
    }
    scan.mentioned_once(twins);
    scan.forwarding();
    scan.facts
}

struct Scan<'a> {
    program: &'a Program,
    facts: Facts,
    /// From a local to those that it is worth knowing for: if the first is inspected, so are
    /// the others.
    flows: IndexVec<LocalId, Vec<LocalId>>,
    edges: Vec<Vec<u32>>,
    paths: Paths,
    /// The first branch in which a local is used, and the next few of those used in several.
    used_in: Vec<Option<ArmId>>,
    also_in: FxHashMap<LocalId, Vec<ArmId>>,
    global: GlobalId,
}

impl Scan<'_> {
    fn global(&mut self, id: GlobalId) {
        let program = self.program;
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[id].kind else {
            return;
        };
        self.global = id;
        for &param in &program.local_lists[params] {
            self.bind(param);
        }
        let mut work: Work = vec![(body, Place { arm: self.paths.body(), strict: true })];
        while let Some((expr, place)) = work.pop() {
            self.facts.size[id] += 1;
            self.expr(expr, place, &mut work);
        }
    }

    /// Notes a use.
    fn use_local(&mut self, local: LocalId, place: Place) {
        self.facts.uses[local] += 1;
        let Some(first) = self.used_in[local.index()] else {
            self.used_in[local.index()] = Some(place.arm);
            return;
        };
        if self.facts.shared[local] {
            return;
        }
        let (paths, more) = (&self.paths, self.also_in.entry(local).or_default());
        let alone = |&arm: &ArmId| paths.exclude(arm, place.arm);
        if more.len() < ARMS && alone(&first) && more.iter().all(alone) {
            more.push(place.arm);
        } else {
            self.facts.shared[local] = true;
            self.also_in.remove(&local);
        }
    }

    /// Returns the place of a branch of a branching.
    fn arm(&mut self, place: Place, of: u32) -> Place {
        Place { arm: self.paths.inside(place.arm, of), ..place }
    }

    fn bind(&mut self, local: LocalId) {
        let count = &mut self.facts.locals[self.global];
        self.facts.slot[local] = *count;
        *count += 1;
    }

    fn mention(&mut self, global: GlobalId, saturated: bool) {
        let (all, other) = &mut self.facts.mentions[global];
        *all += 1;
        *other += u32::from(!saturated);
        self.edges[self.global.index()].push(global.0);
    }

    /// Notes what a function is with the ones that it mentions, which were noted before.
    fn expand(&mut self, id: GlobalId) {
        let mut expanded = Expanded::alone(self.facts.size[id]);
        let mut seen = FxHashSet::default();
        for &callee in &self.edges[id.index()] {
            let callee = GlobalId(callee);
            let (size, inner) = (self.facts.size[callee], self.facts.expanded[callee]);
            if self.facts.recursive[callee] {
                continue;
            }
            if is_unfolded(size) {
                expanded.unfold(inner);
            }
            let is_once = self.facts.mentions[callee] == (1, 0) && !self.facts.kept[callee];
            let is_small = is_small(size as usize, self.program.arity(callee)) && !inner.is_long();
            if is_once || is_small {
                expanded.inline(inner, !is_once, seen.insert(callee));
            }
        }
        self.facts.expanded[id] = expanded;
    }

    fn inspect(&mut self, expr: ExprId) {
        if let Expr::Local(local) = self.program.exprs[expr] {
            self.facts.inspected[local] = true;
        }
    }

    fn expr(&mut self, expr: ExprId, place: Place, work: &mut Work) {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Global(global) => self.mention(global, false),
            Expr::App(callee, args) => {
                self.application(callee, &program.expr_lists[args], place, work);
            }
            Expr::Let(local, value, body) => {
                self.bind(local);
                self.flow(local, value);
                work.extend([(value, place.lazy()), (body, place)]);
            }
            Expr::Force(local, value, body) => {
                self.bind(local);
                self.flow(local, value);
                self.inspect(value);
                work.extend([(value, place), (body, place)]);
            }
            Expr::Letrec(binds, body) => {
                for bind in &program.binds[binds] {
                    self.bind(bind.local);
                    work.push((bind.value, place.lazy()));
                }
                work.push((body, place));
            }
            Expr::Switch(switch) => {
                let id = switch;
                let switch = &program.switches[switch];
                self.facts.switch[switch.scrutinee] = Some(id);
                self.facts.inspected[switch.scrutinee] = true;
                self.use_local(switch.scrutinee, place);
                let of = self.paths.branching();
                match &switch.branches {
                    Branches::Cons(branches) => {
                        for branch in branches {
                            for &field in branch.fields.iter().flatten() {
                                self.bind(field);
                            }
                            work.push((branch.body, self.arm(place, of)));
                        }
                    }
                    Branches::Lits(branches) => {
                        for &(lit, body) in branches {
                            if branches.len() > SEARCHED {
                                self.facts.of_literal.entry((id, lit)).or_insert(body);
                            }
                            work.push((body, self.arm(place, of)));
                        }
                    }
                }
                if let Some(default) = switch.default {
                    work.push((default, self.arm(place, of)));
                }
            }
            Expr::Join(join, body) => {
                let join = &program.joins[join];
                for &param in &program.local_lists[join.params] {
                    self.bind(param);
                }
                // What the body does and what the handler does may both be done.
                work.extend([(body, place), (join.handler, place)]);
            }
            Expr::Jump(join, args) => {
                self.facts.jumps[join] += 1;
                let params = program.joins[join].params;
                for (&param, &arg) in
                    program.local_lists[params].iter().zip(&program.expr_lists[args])
                {
                    self.flow(param, arg);
                }
                work.extend(program.expr_lists[args].iter().map(|&arg| (arg, place.lazy())));
            }
            Expr::Local(local) => {
                self.facts.mentioned[local] = true;
                self.use_local(local, place);
            }
            Expr::Lit(_)
            | Expr::Text(_)
            | Expr::Con(_)
            | Expr::NoMatch
            | Expr::Lam(..)
            | Expr::Perform(..)
            | Expr::Error => {}
        }
    }

    fn application(&mut self, callee: ExprId, args: &[ExprId], place: Place, work: &mut Work) {
        let program = self.program;
        let shape = match program.exprs[callee] {
            Expr::Global(global) => match program.globals[global].kind {
                GlobalKind::Primitive(primitive) if primitive.arity() == args.len() => {
                    Some(primitive.shape())
                }
                _ => None,
            },
            _ => None,
        };
        match (shape, args) {
            (Some(Shape::If), &[condition, yes, no]) if place.strict => {
                let of = self.paths.branching();
                work.push((condition, place));
                work.extend([yes, no].map(|arm| (arm, self.arm(place, of))));
            }
            (Some(Shape::Strict | Shape::Seq), _) if place.strict => {
                work.extend(args.iter().map(|&arg| (arg, place)));
            }
            _ => work.extend(args.iter().map(|&arg| (arg, place.lazy()))),
        }
        let Expr::Global(global) = program.exprs[callee] else {
            self.inspect(callee);
            if let Expr::Local(function) = program.exprs[callee] {
                for (at, &arg) in args.iter().enumerate() {
                    if let Expr::Local(local) = program.exprs[arg] {
                        self.facts.unknown_calls.entry(local).or_default().push((function, at));
                    }
                }
            }
            work.push((callee, place));
            return;
        };
        self.facts.size[self.global] += 1;
        let arity = program.arity(global);
        self.mention(global, args.len() >= arity && arity > 0);
        match program.globals[global].kind {
            GlobalKind::Defn { params, .. } => {
                for (&param, &arg) in program.local_lists[params].iter().zip(args) {
                    self.flow(param, arg);
                    if let Expr::Local(local) = program.exprs[arg] {
                        self.facts.passed[local].push(param);
                    }
                }
            }
            GlobalKind::Primitive(primitive) => {
                let looked_at = match primitive.shape() {
                    Shape::Strict => args.len(),
                    Shape::If | Shape::Seq => 1,
                    Shape::Error | Shape::Action | Shape::Lazy => 0,
                };
                args.iter().take(looked_at).for_each(|&arg| self.inspect(arg));
            }
            GlobalKind::Step(_) | GlobalKind::Host { .. } => {}
        }
    }

    /// Notes that a local is bound to an expression.
    fn flow(&mut self, to: LocalId, value: ExprId) {
        let program = self.program;
        let mut work: SmallVec<[ExprId; 8]> = smallvec![value];
        while let Some(expr) = work.pop() {
            match program.exprs[expr] {
                Expr::Local(from) => self.flows[to].push(from),
                Expr::App(callee, args) if matches!(program.exprs[callee], Expr::Con(_)) => {
                    work.extend_from_slice(&program.expr_lists[args]);
                }
                _ => {}
            }
        }
    }

    fn mentioned_once(&mut self, twins: &Twins) {
        for id in self.program.globals.indices() {
            let facts = &self.facts;
            let is_once = facts.mentions[id].0 == 1 && !facts.kept[id] && !twins.is_one(id);
            self.facts.mentioned_once[id] =
                facts.recursive[id] && is_once && is_unfolded(facts.size[id]);
        }
    }

    /// Returns the functions that one mentions, and those that it comes to mention where functions
    /// that are mentioned once stand in place of their calls.
    fn comes_to_mention(&self, id: GlobalId) -> Vec<GlobalId> {
        let mut found = Vec::new();
        let mut work = vec![id];
        let mut seen: FxHashSet<GlobalId> = FxHashSet::default();
        while let Some(id) = work.pop() {
            for &other in &self.edges[id.index()] {
                let other = GlobalId(other);
                found.push(other);
                if self.facts.mentioned_once[other] && seen.insert(other) {
                    work.push(other);
                }
            }
        }
        found
    }

    /// Chooses the functions that are put in place of their calls though they are in a circle: of
    /// two of which one comes to mention the other, one at most.
    fn forwarding(&mut self) {
        let program = self.program;
        let mut is_mentioned: IndexVec<GlobalId, bool> =
            program.globals.iter().map(|_| false).collect();
        for (id, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            let Expr::App(callee, args) = program.exprs[body] else { continue };
            let Expr::Global(of) = program.exprs[callee] else { continue };
            let is_call = program.arity(of) == args.len() && !args.is_empty();
            if !self.facts.recursive[id]
                || !self.facts.lazy_form[id]
                || !is_call
                || is_mentioned[id]
                || self.facts.mentioned_once[id]
            {
                continue;
            }
            let mentions = self.comes_to_mention(id);
            let is_free = |&other: &GlobalId| other != id && !self.facts.forwards[other];
            if mentions.iter().all(is_free) {
                self.facts.forwards[id] = true;
                mentions.into_iter().for_each(|other| is_mentioned[other] = true);
            }
        }
    }

    fn spread(&mut self) {
        let inspected = self.facts.inspected.enumerate().filter(|(_, inspected)| **inspected);
        let mut work: Vec<LocalId> = inspected.map(|(local, _)| local).collect();
        while let Some(local) = work.pop() {
            for from in std::mem::take(&mut self.flows[local]) {
                if !std::mem::replace(&mut self.facts.inspected[from], true) {
                    work.push(from);
                }
            }
        }
    }
}

/// Returns whether a body is an `if` that comes to data, with nothing in it that may not stand in a lazy
/// context.
fn is_choice(program: &Program, global: &Global) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = global.kind else { return false };
    let Expr::App(callee, args) = program.exprs[body] else { return false };
    let mut ends: Vec<ExprId> = program.expr_lists[program.tails(callee, args)].to_vec();
    let mut is_data = false;
    while let Some(end) = ends.pop() {
        match program.exprs[end] {
            Expr::Text(_) => is_data = true,
            Expr::App(callee, args) => {
                is_data |= matches!(program.exprs[callee], Expr::Con(_));
                ends.extend(&program.expr_lists[program.tails(callee, args)]);
            }
            _ => {}
        }
    }
    is_data
        && program.walk(body).all(|expr| {
            matches!(
                program.exprs[expr],
                Expr::App(..)
                    | Expr::Lit(_)
                    | Expr::Text(_)
                    | Expr::Local(_)
                    | Expr::Global(_)
                    | Expr::Con(_)
            )
        })
}

/// Returns whether a body may stand where nothing demands it: an atom, an application of atoms, or data.
fn is_lazy_form(program: &Program, global: &Global) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = global.kind else { return false };
    match program.exprs[body] {
        _ if makes_data(program, global) => true,
        Expr::App(callee, args) => {
            is_atom(program, callee)
                && program.expr_lists[args].iter().all(|&arg| is_atom(program, arg))
        }
        _ => is_atom(program, body),
    }
}

/// Returns whether a body is data or an action, with nothing in it that is to be evaluated.
fn makes_data(program: &Program, global: &Global) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = global.kind else { return false };
    let mut end = body;
    while let Expr::Let(_, value, rest) = program.exprs[end]
        && is_value_of_atoms(program, value)
    {
        end = rest;
    }
    let Expr::App(callee, args) = program.exprs[end] else { return false };
    let makes = match program.exprs[callee] {
        Expr::Con(_) => true,
        Expr::Global(of) => matches!(
            program.globals[of].kind,
            GlobalKind::Primitive(primitive) if primitive.shape() == Shape::Action
        ),
        _ => false,
    };
    let is_part = |arg| is_atom(program, arg) || is_value_of_atoms(program, arg);
    makes && program.expr_lists[args].iter().copied().all(is_part)
}

fn is_atom(program: &Program, expr: ExprId) -> bool {
    let expr = program.exprs[expr];
    matches!(expr, Expr::Lit(_) | Expr::Local(_) | Expr::Global(_) | Expr::Con(_))
}

/// Returns whether an expression is data or a function whose parts are atoms: there is nothing in it to be evaluated.
fn is_value_of_atoms(program: &Program, expr: ExprId) -> bool {
    let Expr::App(callee, args) = program.exprs[expr] else { return false };
    let is_value = match program.exprs[callee] {
        Expr::Con(_) => true,
        Expr::Global(of) => program.expr_lists[args].len() < program.arity(of),
        _ => false,
    };
    is_value && program.expr_lists[args].iter().all(|&arg| is_atom(program, arg))
}

fn may_forward(program: &Program, global: &Global) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = global.kind else { return false };
    let is_local = |body| matches!(program.exprs[body], Expr::Local(_));
    match program.exprs[body] {
        Expr::Switch(switch) => program.switches[switch].bodies().any(is_local),
        _ => is_local(body),
    }
}

fn is_call(program: &Program, global: &Global) -> bool {
    let GlobalKind::Defn { body: Some(body), .. } = global.kind else { return false };
    matches!(program.exprs[body], Expr::App(callee, _)
        if matches!(program.exprs[callee], Expr::Global(_) | Expr::Local(_)))
}
