//! Numbers that are only counted with.
//!
//! A parameter that begins with a literal and goes on with what is computed from it, like a sum, is
//! known in the first calls of a loop alone. To know it helps where something is decided by it: a
//! choice, a comparison, a function of which nothing is known. Where it comes to nothing but more
//! arithmetic, a variant for each of its values is the same code again, and in a circle of
//! functions there would be as many copies of all of them as it has values before it is
//! generalised.
//!
//! Values flow between places: locals, results of functions, fields of constructors. Each place is
//! one for the whole program.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::index::Idx;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program, SwitchId,
};
use crate::primitive::{Operand, Primitive, Shape};

/// The places whose literals are not worth knowing.
#[derive(Default)]
pub struct Counted {
    locals: FxHashSet<LocalId>,
    /// The locals that no result of arithmetic comes to.
    written: FxHashSet<LocalId>,
    /// The locals that are passed to a function together with a constant.
    keys: FxHashSet<LocalId>,
    fields: FxHashSet<(ConId, u32)>,
}

impl Counted {
    /// Returns whether nothing is decided by the literals that a parameter is passed.
    pub fn has_local(&self, local: LocalId) -> bool {
        self.locals.contains(&local)
    }

    /// Returns whether a parameter has no numbers but those that the program writes down: few.
    pub fn is_written(&self, local: LocalId) -> bool {
        self.written.contains(&local)
    }

    /// Returns whether something may be looked up by a parameter in what is known.
    pub fn is_key(&self, local: LocalId) -> bool {
        self.keys.contains(&local)
    }

    /// Returns whether nothing is decided by the literals that a field of a constructor holds.
    pub fn has_field(&self, con: ConId, at: usize) -> bool {
        self.fields.contains(&(con, at as u32))
    }
}

/// Finds out which numbers are only counted with.
pub fn counted(program: &Program) -> Counted {
    let mut flow = Flow {
        program,
        places: 1 + program.locals.len() + program.globals.len(),
        fields: FxHashMap::default(),
        edges: Vec::new(),
        computed: Vec::new(),
        keys: FxHashSet::default(),
    };
    for (id, global) in program.globals.enumerate() {
        if let GlobalKind::Defn { body: Some(body), .. } = global.kind {
            flow.value(body, flow.result(id));
        }
    }
    let tested = flow.reached(&[DECISION], |&(to, from)| (to, from));
    let computed = flow.reached(&flow.computed, |&(to, from)| (from, to));
    let is_counted = |place: Place| computed[place as usize] && !tested[place as usize];
    let locals = program.locals.indices().filter(|&local| is_counted(flow.local(local)));
    let fields = flow.fields.iter().filter(|&(_, &place)| is_counted(place));
    let fields = fields.map(|(&field, _)| field).collect();
    let is_written = |&local: &LocalId| !computed[flow.local(local) as usize];
    Counted {
        locals: locals.collect(),
        written: program.locals.indices().filter(is_written).collect(),
        fields,
        keys: flow.keys,
    }
}

/// What a value may be in, by number.
type Place = u32;

/// The place of whatever decides by a value.
const DECISION: Place = 0;

struct Flow<'a> {
    program: &'a Program,
    places: usize,
    fields: FxHashMap<(ConId, u32), Place>,
    /// To a place, and from which.
    edges: Vec<(Place, Place)>,
    /// Places to which the results of arithmetic flow.
    computed: Vec<Place>,
    keys: FxHashSet<LocalId>,
}

impl Flow<'_> {
    fn local(&self, local: LocalId) -> Place {
        1 + local.index() as Place
    }

    fn result(&self, global: GlobalId) -> Place {
        (1 + self.program.locals.len() + global.index()) as Place
    }

    fn field(&mut self, con: ConId, at: usize) -> Place {
        let places = &mut self.places;
        *self.fields.entry((con, at as u32)).or_insert_with(|| {
            *places += 1;
            *places as Place - 1
        })
    }

    /// Returns the places that edges lead to from others, which are among them.
    fn reached(
        &self,
        from: &[Place],
        direction: impl Fn(&(Place, Place)) -> (Place, Place),
    ) -> Vec<bool> {
        let mut next: Vec<Vec<Place>> = vec![Vec::new(); self.places];
        for (at, to) in self.edges.iter().map(direction) {
            next[at as usize].push(to);
        }
        let mut reached = vec![false; self.places];
        let mut work = from.to_vec();
        while let Some(place) = work.pop() {
            if !std::mem::replace(&mut reached[place as usize], true) {
                work.extend(&next[place as usize]);
            }
        }
        reached
    }

    /// Notes where the values in an expression go, which itself goes to a place.
    fn value(&mut self, expr: ExprId, to: Place) {
        let program = self.program;
        let mut work = vec![(expr, to)];
        while let Some((expr, to)) = work.pop() {
            match program.exprs[expr] {
                Expr::Local(local) => self.edges.push((to, self.local(local))),
                Expr::App(callee, args) => {
                    self.application(callee, &program.expr_lists[args], to, &mut work);
                }
                Expr::Let(local, value, body) | Expr::Force(local, value, body) => {
                    work.extend([(value, self.local(local)), (body, to)]);
                }
                Expr::Letrec(binds, body) => {
                    let binds = &program.binds[binds];
                    work.extend(binds.iter().map(|bind| (bind.value, self.local(bind.local))));
                    work.push((body, to));
                }
                Expr::Switch(switch) => self.switch(switch, to, &mut work),
                Expr::Join(join, body) => {
                    work.extend([(body, to), (program.joins[join].handler, to)]);
                }
                Expr::Jump(join, args) => {
                    let params = &program.local_lists[program.joins[join].params];
                    let args = &program.expr_lists[args];
                    work.extend(
                        params.iter().zip(args).map(|(&param, &arg)| (arg, self.local(param))),
                    );
                }
                Expr::Lit(_)
                | Expr::Text(_)
                | Expr::Global(_)
                | Expr::Con(_)
                | Expr::NoMatch
                | Expr::Lam(..)
                | Expr::Perform(..)
                | Expr::Error => {}
            }
        }
    }

    fn switch(&mut self, switch: SwitchId, to: Place, work: &mut Vec<(ExprId, Place)>) {
        let switch = &self.program.switches[switch];
        self.edges.push((DECISION, self.local(switch.scrutinee)));
        if let Branches::Cons(branches) = &switch.branches {
            for branch in branches {
                for (at, &field) in branch.fields.iter().enumerate() {
                    if let Some(local) = field {
                        let from = self.field(branch.con, at);
                        self.edges.push((self.local(local), from));
                    }
                }
            }
        }
        work.extend(switch.bodies().map(|body| (body, to)));
    }

    fn application(
        &mut self,
        callee: ExprId,
        args: &[ExprId],
        to: Place,
        work: &mut Vec<(ExprId, Place)>,
    ) {
        let program = self.program;
        let all = |to: Place| args.iter().map(move |&arg| (arg, to));
        match program.exprs[callee] {
            Expr::Con(con) => {
                for (at, &arg) in args.iter().enumerate() {
                    let field = self.field(con, at);
                    work.push((arg, field));
                }
            }
            Expr::Global(global) => match program.globals[global].kind {
                GlobalKind::Defn { params, .. } => {
                    self.edges.push((to, self.result(global)));
                    let params = &program.local_lists[params];
                    let known = params.iter().map(|&param| self.local(param));
                    let places = known.chain(std::iter::repeat(DECISION));
                    work.extend(args.iter().copied().zip(places));
                    let is_constant = |&arg: &ExprId| {
                        matches!(program.exprs[arg],
                            Expr::Global(of) if program.arity(of) == 0)
                    };
                    if args.iter().any(is_constant) {
                        self.keys.extend(args.iter().filter_map(|&arg| program.used_local(arg)));
                    }
                }
                GlobalKind::Primitive(primitive) if primitive.arity() == args.len() => {
                    match (primitive.shape(), args) {
                        (Shape::If, &[condition, yes, no]) => {
                            work.extend([(condition, DECISION), (yes, to), (no, to)]);
                        }
                        (Shape::Strict, _) if is_arithmetic(primitive) => {
                            self.computed.push(to);
                            work.extend(all(to));
                        }
                        _ => work.extend(all(DECISION)),
                    }
                }
                GlobalKind::Primitive(_) | GlobalKind::Step(_) | GlobalKind::Host { .. } => {
                    work.extend(all(DECISION));
                }
            },
            // What is done with an argument is not known.
            _ => {
                work.push((callee, DECISION));
                work.extend(all(DECISION));
            }
        }
    }
}

/// Returns whether a primitive makes a number of numbers, and so none that says yes or no.
pub(super) fn is_arithmetic(primitive: Primitive) -> bool {
    let is_number = |operand| matches!(operand, Operand::Integer | Operand::Float);
    let is_test = matches!(
        primitive,
        Primitive::FEq
            | Primitive::FNeq
            | Primitive::FLt
            | Primitive::FLe
            | Primitive::FGt
            | Primitive::FGe
    );
    is_number(primitive.operand()) && is_number(primitive.result()) && !is_test
}
