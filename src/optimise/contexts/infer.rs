//! What flows in each definition, and in each mention of one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Field;
use super::places::{Comes, Part, Place, Places};
use crate::base::index::Idx;
use crate::base::scc::components;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, JoinId, LocalId, Program, SwitchId,
};
use crate::optimise::flow::{Atom, Constant, Flow};
use crate::optimise::selection::Selectors;
use crate::primitive::{Operand, Primitive, Shape};

/// The most constants that a definition is copied for.
const GENERICS: usize = 60;
/// The most places, for each expression of the program, and besides.
const PLACES: usize = 30;
const PLACES_BASE: usize = 10_000;

/// What has been found out about a definition.
#[derive(Default)]
pub(super) struct Scheme {
    root: Place,
    /// The places whose constants those who mention it decide.
    pub generics: Vec<Place>,
    /// For each mention of another definition the places of its generics.
    pub mentions: FxHashMap<ExprId, Vec<Place>>,
    /// The fields that switches take out: for each the branch, the number and the place.
    pub taken: FxHashMap<SwitchId, Vec<(usize, usize, Place)>>,
}

/// What has been found out about all of them.
pub(super) struct Found {
    pub flow: Flow,
    pub places: Places,
    pub schemes: FxHashMap<GlobalId, Scheme>,
}

/// Looks at all definitions, those that others mention first; `None` if that takes too many places.
pub(super) fn infer(program: &Program, flow: Flow, split: FxHashSet<Field>) -> Option<Found> {
    let mut inference = Inference::new(program, flow, split);
    inference.run()?;
    let Inference { flow, places, schemes, .. } = inference;
    Some(Found { flow, places, schemes })
}

struct Inference<'p> {
    program: &'p Program,
    flow: Flow,
    split: FxHashSet<Field>,
    places: Places,
    locals: FxHashMap<LocalId, Place>,
    joins: FxHashMap<JoinId, Vec<Place>>,
    schemes: FxHashMap<GlobalId, Scheme>,
    /// The definitions of the circle that is looked at, and their places.
    circle: FxHashMap<GlobalId, Place>,
    /// What has been found out about the definition that is looked at.
    scheme: Scheme,
    selectors: Selectors,
    /// Whether it is a selector, which stays one.
    is_selector: bool,
}

impl<'p> Inference<'p> {
    fn new(program: &'p Program, flow: Flow, split: FxHashSet<Field>) -> Inference<'p> {
        Inference {
            program,
            flow,
            split,
            places: Places::new(PLACES * program.exprs.len() + PLACES_BASE),
            locals: FxHashMap::default(),
            joins: FxHashMap::default(),
            schemes: FxHashMap::default(),
            circle: FxHashMap::default(),
            scheme: Scheme::default(),
            selectors: Selectors::new(program),
            is_selector: false,
        }
    }

    fn run(&mut self) -> Option<()> {
        let program = self.program;
        let mut edges = vec![Vec::new(); program.globals.len()];
        for (of, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            let mentions = program.walk(body).filter_map(|expr| match program.exprs[expr] {
                Expr::Global(global) => Some(global.0),
                _ => None,
            });
            edges[of.index()] = mentions.collect();
        }
        for component in components(&edges) {
            self.component(component.into_iter().map(GlobalId).collect());
            if self.places.are_too_many() {
                return None;
            }
        }
        Some(())
    }

    fn component(&mut self, members: Vec<GlobalId>) {
        let program = self.program;
        let defined = |&global: &GlobalId| match program.globals[global].kind {
            GlobalKind::Defn { params, body: Some(body) } => Some((global, params, body)),
            _ => None,
        };
        let members: Vec<_> = members.iter().filter_map(defined).collect();
        self.circle.clear();
        let mut results = Vec::new();
        for &(global, params, _) in &members {
            let result = self.places.place();
            let mut root = result;
            for &param in program.local_lists[params].iter().rev() {
                let place = self.places.place();
                self.locals.insert(param, place);
                root = self.places.function(place, root);
            }
            self.circle.insert(global, root);
            results.push(result);
        }
        let kept = program.kept();
        let mut found = Vec::new();
        for (&(global, params, body), result) in members.iter().zip(results) {
            self.scheme = Scheme::default();
            self.is_selector = self.selectors.has(global);
            let place = self.expr(body);
            self.places.unify(place, result);
            if kept.contains(&global) {
                for &param in &program.local_lists[params] {
                    let place = self.locals[&param];
                    self.places.open(place);
                }
            }
            found.push((global, std::mem::take(&mut self.scheme)));
        }
        // What comes to a place that something is given to from outside, those decide who mention a definition:
        // more than what is known here may come to it. What is generic in one definition is so in all of
        // them: a mention within the circle is of the same.
        let roots: Vec<Place> = self.circle.values().copied().collect();
        let given = match members.iter().any(|(global, ..)| kept.contains(global)) {
            true => FxHashSet::default(),
            false => self.places.given(roots),
        };
        let mut generics: Vec<Place> = Vec::new();
        for (_, scheme) in &found {
            let taken = scheme.taken.values().flatten().map(|&(_, _, place)| place);
            let mentioned = scheme.mentions.values().flatten().copied();
            for place in taken.chain(mentioned) {
                let place = self.places.find(place);
                if self.places.known(place) != Comes::Any && given.contains(&place) {
                    generics.push(place);
                }
            }
        }
        // A hash map has no order: places have.
        generics.sort_unstable();
        generics.dedup();
        for place in generics.drain(GENERICS.min(generics.len())..) {
            self.places.forget(place);
        }
        for (global, mut scheme) in found {
            scheme.root = self.circle[&global];
            scheme.generics = generics.clone();
            self.schemes.insert(global, scheme);
        }
    }

    fn expr(&mut self, expr: ExprId) -> Place {
        ensure_sufficient_stack(|| self.expr_step(expr))
    }

    fn expr_step(&mut self, expr: ExprId) -> Place {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Lit(_) | Expr::Text(_) | Expr::Error => self.places.plain(),
            Expr::NoMatch => self.places.place(),
            Expr::Local(local) => self.locals.get(&local).copied().unwrap_or_else(|| {
                unreachable!("a local is used in its scope: the lint of core checks it")
            }),
            Expr::Global(global) => {
                let place = self.global(expr, global);
                match program.arity(global) {
                    0 => place,
                    _ => self.places.constant(place, Constant::Atom(Atom::Global(global))),
                }
            }
            Expr::Con(con) => self.con(con),
            Expr::App(callee, args) => {
                let args = &program.expr_lists[args];
                let (function, arity) = match program.exprs[callee] {
                    Expr::Global(global) => {
                        (self.global(callee, global), Some(program.arity(global)))
                    }
                    Expr::Con(con) => (self.con(con), None),
                    _ => (self.expr(callee), None),
                };
                let places: Vec<Place> = args.iter().map(|&arg| self.expr(arg)).collect();
                let result = self.places.applied(function, &places);
                match arity.is_some_and(|arity| args.len() < arity) {
                    true => match self.flow.constant(program, expr) {
                        Some(constant) => self.places.constant(result, constant),
                        None => result,
                    },
                    false => result,
                }
            }
            Expr::Let(local, value, body) | Expr::Force(local, value, body) => {
                let place = self.expr(value);
                self.locals.insert(local, place);
                self.expr(body)
            }
            Expr::Perform(local, value, body) => {
                let effect = self.expr(value);
                self.places.open(effect);
                let place = self.places.plain();
                self.places.open(place);
                self.locals.insert(local, place);
                self.expr(body)
            }
            Expr::Letrec(binds, body) => {
                let binds = &program.binds[binds];
                for bind in binds {
                    let place = self.places.place();
                    self.locals.insert(bind.local, place);
                }
                for bind in binds {
                    let place = self.expr(bind.value);
                    self.places.unify(place, self.locals[&bind.local]);
                }
                self.expr(body)
            }
            Expr::Lam(..) => unreachable!("functions have been lifted"),
            Expr::Join(join, body) => {
                let params = &program.local_lists[program.joins[join].params];
                let places: Vec<Place> = params.iter().map(|_| self.places.place()).collect();
                for (&param, &place) in params.iter().zip(&places) {
                    self.locals.insert(param, place);
                }
                self.joins.insert(join, places);
                let result = self.expr(body);
                let handled = self.expr(program.joins[join].handler);
                self.places.unify(result, handled);
                result
            }
            Expr::Jump(join, args) => {
                let params = self.joins.get(&join).cloned().unwrap_or_default();
                for (param, &arg) in params.into_iter().zip(&program.expr_lists[args]) {
                    let arg = self.expr(arg);
                    self.places.unify(param, arg);
                }
                self.places.place()
            }
            Expr::Switch(switch) => {
                let case = &program.switches[switch];
                let scrutinee = self.locals[&case.scrutinee];
                let mut taken = Vec::new();
                if let Branches::Cons(branches) = &case.branches {
                    for (number, branch) in branches.iter().enumerate() {
                        for (at, &field) in branch.fields.iter().enumerate() {
                            let Some(local) = field else { continue };
                            let place =
                                self.places.part(scrutinee, Part::Field(branch.con, at as u32));
                            self.locals.insert(local, place);
                            if self.split.contains(&(branch.con, at as u32)) {
                                taken.push((number, at, place));
                            }
                        }
                    }
                }
                if !taken.is_empty() && !self.is_selector {
                    self.scheme.taken.insert(switch, taken);
                }
                let result = self.places.place();
                for body in case.bodies() {
                    let place = self.expr(body);
                    self.places.unify(result, place);
                }
                result
            }
        }
    }

    /// Returns the place of a mention of a global.
    fn global(&mut self, expr: ExprId, global: GlobalId) -> Place {
        if let Some(&place) = self.circle.get(&global) {
            return place;
        }
        match self.program.globals[global].kind {
            GlobalKind::Primitive(primitive) => self.primitive(primitive),
            GlobalKind::Defn { body: Some(_), .. } => {
                let mut copies = FxHashMap::default();
                let Some(scheme) = self.schemes.get(&global) else { return self.places.anything() };
                let (root, generics) = (scheme.root, scheme.generics.clone());
                let place = self.places.instance(root, &mut copies);
                if !generics.is_empty() {
                    let generics: Vec<Place> = generics
                        .into_iter()
                        .map(|place| self.places.instance(place, &mut copies))
                        .collect();
                    self.scheme.mentions.insert(expr, generics);
                }
                place
            }
            _ => self.places.anything(),
        }
    }

    /// Returns the place of a constructor as a function of its fields.
    fn con(&mut self, con: ConId) -> Place {
        let parts: Vec<(Part, Place)> = (0..self.program.cons[con].arity)
            .map(|at| (Part::Field(con, at), self.places.place()))
            .collect();
        let made = self.places.made(&parts);
        parts.iter().rev().fold(made, |result, &(_, field)| self.places.function(field, result))
    }

    /// Returns the place of a primitive.
    fn primitive(&mut self, primitive: Primitive) -> Place {
        let (params, result): (Vec<Place>, Place) = match (primitive, primitive.shape()) {
            (_, Shape::If) => {
                let (condition, value) = (self.places.place(), self.places.place());
                (vec![condition, value, value], value)
            }
            (_, Shape::Seq) => {
                let (first, second) = (self.places.place(), self.places.place());
                (vec![first, second], second)
            }
            (_, Shape::Error) => (vec![self.places.place()], self.places.place()),
            (Primitive::Return, _) => {
                let value = self.places.place();
                (vec![value], self.places.made(&[(Part::Value, value)]))
            }
            (Primitive::Bind, _) => {
                let (value, last) = (self.places.place(), self.places.place());
                let [first, second] =
                    [value, last].map(|value| self.places.made(&[(Part::Value, value)]));
                (vec![first, self.places.function(value, second)], second)
            }
            (_, Shape::Strict)
                if !matches!(primitive.result(), Operand::Any | Operand::List | Operand::Array) =>
            {
                let params = (0..primitive.arity()).map(|_| self.places.place()).collect();
                (params, self.places.plain())
            }
            _ => {
                let all = self.places.anything();
                (vec![all; primitive.arity()], all)
            }
        };
        params.into_iter().rev().fold(result, |result, param| self.places.function(param, result))
    }
}
