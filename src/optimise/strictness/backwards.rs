//! Demands on data, by backwards analysis: from how the value of an expression is used to how
//! its variables are (Wadler and Hughes, "Projections for strictness analysis", FPCA 1987).
//!
//! A supercombinator is looked at once for each [`Shape`] that its result is wanted in: that
//! of `append` is lazy in its second list if only a first cell is wanted, and not if the whole
//! spine is. It starts by claiming everything and claims less until nothing changes.

use rustc_hash::FxHashMap;

use super::demand::{HEAD, LIST, Shape, TAIL, Use, shaped};
use super::uses::Uses;
use crate::base::index::{Idx, List};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Bind, Branches, DataId, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, LocalId, Program,
    Step, Switch,
};
use crate::primitive::Shape as Form;

/// The greatest number of expressions in a function that is analysed: each merge looks at all
/// variables in scope, so time is quadratic in a body.
const LARGEST: u64 = 4096;
/// The number of shapes of its result for which a function is analysed. For others nothing is
/// known of it.
const SHAPES: u32 = 8;

/// A supercombinator under a demand on its result.
struct Variant {
    global: GlobalId,
    shape: Shape,
    /// The present iterate: whether it diverges or fails, and how it uses its parameters.
    fails: bool,
    params: Vec<Use>,
    /// The variants that depend on this one.
    users: Vec<usize>,
    pending: bool,
}

struct Backwards<'p> {
    program: &'p Program,
    /// Number of expressions of each global's body.
    sizes: &'p [u64],
    variants: Vec<Variant>,
    numbers: FxHashMap<(GlobalId, Shape), usize>,
    /// The number of variants of each global.
    shapes: Vec<u32>,
    /// The variants to be analysed again, the next one last.
    pending: Vec<usize>,
    /// The variant that is being analysed.
    at: usize,
    /// The uses of variables and of parameters by the handlers of the enclosing joins.
    joins: FxHashMap<JoinId, (Uses, Vec<Use>)>,
    work: u64,
    limit: u64,
}

/// The result for a supercombinator whose result is evaluated to weak head normal form.
#[derive(Default)]
pub(super) struct Found {
    /// Whether it always diverges or fails.
    pub(super) fails: bool,
    /// How it uses its parameters; empty if nothing is known of that.
    pub(super) params: Vec<Use>,
}

/// Returns what is found of each supercombinator; of those not there, nothing. `None` if it takes
/// more than `limit` steps. Those that others depend on come first in `order`.
pub(super) fn uses(
    program: &Program,
    sizes: &[u64],
    order: &[u32],
    limit: u64,
) -> Option<FxHashMap<GlobalId, Found>> {
    let mut backwards = Backwards {
        program,
        sizes,
        variants: Vec::new(),
        numbers: FxHashMap::default(),
        shapes: vec![0; program.globals.len()],
        pending: Vec::new(),
        at: usize::MAX,
        joins: FxHashMap::default(),
        work: 0,
        limit,
    };
    for &global in order.iter().rev() {
        backwards.variant(GlobalId(global), Shape::None);
    }
    while let Some(at) = backwards.pending.pop() {
        backwards.look(at);
        if backwards.work > backwards.limit {
            return None;
        }
    }
    let plain = backwards.variants.into_iter().filter(|variant| variant.shape == Shape::None);
    let found =
        plain.map(|Variant { global, fails, params, .. }| (global, Found { fails, params }));
    Some(found.collect())
}

impl Backwards<'_> {
    /// Returns the variant of a supercombinator for a shape; `None` if nothing is to be found out.
    fn variant(&mut self, global: GlobalId, shape: Shape) -> Option<usize> {
        let size = self.sizes.get(global.index()).copied().unwrap_or(0);
        if size == 0 || size > LARGEST {
            return None;
        }
        if let Some(&at) = self.numbers.get(&(global, shape)) {
            return Some(at);
        }
        let shapes = &mut self.shapes[global.index()];
        if *shapes == SHAPES {
            return self.numbers.get(&(global, Shape::None)).copied();
        }
        *shapes += 1;
        let at = self.variants.len();
        let params = vec![Use::now(Shape::All); self.program.arity(global)];
        let (users, pending) = (Vec::new(), true);
        self.variants.push(Variant { global, shape, fails: true, params, users, pending });
        self.numbers.insert((global, shape), at);
        self.pending.push(at);
        Some(at)
    }

    /// Analyses a variant. If it now claims less, the variants that have used it are pending again.
    fn look(&mut self, at: usize) {
        let Variant { global, shape, .. } = self.variants[at];
        self.variants[at].pending = false;
        let GlobalKind::Defn { params, body: Some(body) } = self.program.globals[global].kind
        else {
            return;
        };
        self.at = at;
        let mut found = self.expr(body, shape);
        let params = self.program.local_lists[params].iter();
        let found: (bool, Vec<Use>) =
            (found.fails, params.map(|&param| found.take(param)).collect());
        let variant = &mut self.variants[at];
        let claimed = std::mem::take(&mut variant.params);
        let less: Vec<Use> = match (variant.fails, found.0) {
            (true, _) => found.1,
            (false, true) => claimed.clone(),
            (false, false) => claimed.iter().zip(found.1).map(|(one, two)| one.or(two)).collect(),
        };
        let changed = (variant.fails && !found.0) || less != claimed;
        (variant.fails, variant.params) = (variant.fails && found.0, less);
        if changed {
            for user in std::mem::take(&mut variant.users) {
                if !std::mem::replace(&mut self.variants[user].pending, true) {
                    self.pending.push(user);
                }
            }
        }
    }

    /// Returns how an expression uses its variables when it is evaluated and its value used in a
    /// shape.
    fn expr(&mut self, expr: ExprId, shape: Shape) -> Uses {
        self.work += 1;
        match self.program.exprs[expr] {
            Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::Global(_) | Expr::Lam(..) => {
                Uses::EMPTY
            }
            Expr::Local(local) => Uses::one(local, Use::now(shape)),
            Expr::NoMatch | Expr::Error => Uses::FAILS,
            _ if self.work > self.limit => Uses::FAILS,
            _ => ensure_sufficient_stack(|| self.step(expr, shape)),
        }
    }

    fn step(&mut self, expr: ExprId, shape: Shape) -> Uses {
        let program = self.program;
        match program.exprs[expr] {
            Expr::App(callee, args) => self.application(callee, &program.expr_lists[args], shape),
            Expr::Let(local, value, body) => {
                let mut uses = self.expr(body, shape);
                let use_ = uses.take(local);
                self.passed(uses, value, use_)
            }
            Expr::Letrec(binds, body) => self.letrec(binds, body, shape),
            Expr::Force(local, value, body) => {
                let mut uses = self.expr(body, shape);
                // It is evaluated here, and what is certain later is not certain of that.
                let use_ = match uses.take(local) {
                    use_ if use_.now => use_,
                    _ => Use::now(Shape::None),
                };
                self.passed(uses, value, use_)
            }
            Expr::Perform(local, value, body) => {
                let mut uses = self.mentions(body);
                uses.take(local);
                let value = self.expr(value, Shape::None);
                self.and(uses, value)
            }
            Expr::Switch(switch) => self.switch(&program.switches[switch], shape),
            Expr::Join(join, body) => {
                let Join { params, handler } = program.joins[join];
                let mut uses = self.expr(handler, shape);
                let params = program.local_lists[params].iter();
                let params = params.map(|&param| uses.take(param)).collect();
                self.joins.insert(join, (uses, params));
                let uses = self.expr(body, shape);
                self.joins.remove(&join);
                uses
            }
            Expr::Jump(join, args) => {
                let Some((uses, params)) = self.joins.get(&join).cloned() else {
                    return Uses::EMPTY;
                };
                self.all_passed(uses, &program.expr_lists[args], &params)
            }
            _ => Uses::EMPTY,
        }
    }

    fn and(&mut self, one: Uses, other: Uses) -> Uses {
        self.work += (one.len() + other.len()) as u64;
        one.and(other)
    }

    fn or(&mut self, one: Uses, other: Uses) -> Uses {
        self.work += (one.len() + other.len()) as u64;
        one.or(other)
    }

    /// Returns `uses` and those of an expression whose value is used as `use_` says.
    fn passed(&mut self, uses: Uses, value: ExprId, use_: Use) -> Uses {
        if uses.fails || use_ == Use::ABSENT {
            return uses;
        }
        let value = self.expr(value, use_.shape);
        let value = if use_.now { value } else { value.later() };
        self.and(uses, value)
    }

    /// Returns the uses of what comes after an effect: nothing of its variables is certain before
    /// that, even if it never ends.
    fn mentions(&mut self, expr: ExprId) -> Uses {
        let program = self.program;
        let mut locals = Vec::new();
        for expr in program.walk(expr) {
            self.work += 1;
            locals.extend(program.used_local(expr));
        }
        Uses::unknown(locals)
    }

    fn all_passed(&mut self, uses: Uses, args: &[ExprId], params: &[Use]) -> Uses {
        let pairs = args.iter().zip(params);
        pairs.fold(uses, |uses, (&arg, &use_)| self.passed(uses, arg, use_))
    }

    /// Adds the uses of arguments of something unknown, as [`Self::all_passed`] does of something
    /// known.
    fn given_away(&mut self, uses: Uses, args: &[ExprId]) -> Uses {
        args.iter().fold(uses, |uses, &arg| self.passed(uses, arg, Use::UNKNOWN))
    }

    fn application(&mut self, callee: ExprId, args: &[ExprId], shape: Shape) -> Uses {
        let program = self.program;
        let global = match program.exprs[callee] {
            Expr::Con(con) => {
                let data = program.cons[con].data;
                let complete = args.len() == program.cons[con].arity as usize;
                if !complete || shaped(program, data) != Some(con) {
                    return self.given_away(Uses::EMPTY, args);
                }
                return self.all_passed(Uses::EMPTY, args, &fields(data, shape, args.len()));
            }
            Expr::Global(global) => global,
            _ => {
                let uses = self.expr(callee, Shape::None);
                return self.given_away(uses, args);
            }
        };
        let Some((own, more)) = args.split_at_checked(program.arity(global)) else {
            return self.given_away(Uses::EMPTY, args);
        };
        // A function that is then applied has no parts that anything is known of.
        let shape = if more.is_empty() { shape } else { Shape::None };
        let uses = match program.globals[global].kind {
            GlobalKind::Host { .. } => self.given_away(Uses::EMPTY, own),
            GlobalKind::Step(step) => self.step_of(step, own),
            GlobalKind::Defn { .. } => self.call(global, own, shape),
            GlobalKind::Primitive(primitive) => match (primitive.shape(), own) {
                (Form::Error, _) => Uses::FAILS,
                (Form::Action | Form::Lazy, _) => self.given_away(Uses::EMPTY, own),
                (Form::If, &[condition, yes, no]) => {
                    let yes = self.expr(yes, shape);
                    let no = self.expr(no, shape);
                    let either = self.or(yes, no);
                    let condition = self.expr(condition, Shape::None);
                    self.and(either, condition)
                }
                (Form::Seq, &[first, second]) => {
                    let second = self.expr(second, shape);
                    self.passed(second, first, Use::now(Shape::None))
                }
                _ => {
                    let operand = Use::now(Shape::None);
                    own.iter().fold(Uses::EMPTY, |uses, &arg| self.passed(uses, arg, operand))
                }
            },
        };
        self.given_away(uses, more)
    }

    /// Returns the uses of a step of performing actions.
    fn step_of(&mut self, step: Step, args: &[ExprId]) -> Uses {
        let use_ = |at: usize| match step.is_strict(at) {
            true => Use::now(Shape::None),
            false => Use::UNKNOWN,
        };
        let args = args.iter().enumerate();
        args.fold(Uses::EMPTY, |uses, (at, &arg)| self.passed(uses, arg, use_(at)))
    }

    fn call(&mut self, global: GlobalId, args: &[ExprId], shape: Shape) -> Uses {
        let shape = if shape == Shape::All { Shape::None } else { shape };
        let Some(at) = self.variant(global, shape) else {
            return self.given_away(Uses::EMPTY, args);
        };
        let variant = &mut self.variants[at];
        if variant.users.last() != Some(&self.at) {
            variant.users.push(self.at);
        }
        let (fails, params) = (variant.fails, variant.params.clone());
        match fails {
            true => Uses::FAILS,
            false => self.all_passed(Uses::EMPTY, args, &params),
        }
    }

    /// Returns the uses of a `letrec`. What it binds may be evaluated later, in ways that are not
    /// looked for.
    fn letrec(&mut self, binds: List<Bind>, body: ExprId, shape: Shape) -> Uses {
        let binds = &self.program.binds[binds];
        let mut uses = self.expr(body, shape);
        for bind in binds {
            uses = self.passed(uses, bind.value, Use::UNKNOWN);
        }
        for bind in binds {
            uses.take(bind.local);
        }
        uses
    }

    fn switch(&mut self, switch: &Switch, shape: Shape) -> Uses {
        let scrutinee = switch.scrutinee;
        let mut either = Uses::FAILS;
        let mut rest = Shape::None;
        match &switch.branches {
            Branches::Cons(branches) => {
                for branch in branches {
                    let data = self.program.cons[branch.con].data;
                    let named = shaped(self.program, data);
                    let mut uses = self.expr(branch.body, shape);
                    let own = parts(data, &branch.fields, &mut uses);
                    let own = match named {
                        Some(con) if con == branch.con => own,
                        Some(_) => Shape::All,
                        None => Shape::None,
                    };
                    if named == Some(branch.con) {
                        rest = Shape::All;
                    }
                    let uses = self.and(uses, Uses::one(scrutinee, Use::now(own)));
                    either = self.or(either, uses);
                }
            }
            Branches::Lits(branches) => {
                for &(_, body) in branches {
                    let uses = self.expr(body, shape);
                    let uses = self.and(uses, Uses::one(scrutinee, Use::now(Shape::None)));
                    either = self.or(either, uses);
                }
            }
        }
        match switch.default {
            Some(default) => {
                let uses = self.expr(default, shape);
                let uses = self.and(uses, Uses::one(scrutinee, Use::now(rest)));
                self.or(either, uses)
            }
            None => either,
        }
    }
}

/// Returns how the fields of a constructor are used when the value is used in a shape.
fn fields(data: DataId, shape: Shape, count: usize) -> Vec<Use> {
    let bits = shape.bits(data);
    let field = |at: usize| {
        let inner = if data == LIST && at == 1 { shape } else { Shape::None };
        let use_ = Use::now(inner);
        if bits & 1 << at != 0 { use_ } else { use_.later() }
    };
    (0..count).map(field).collect()
}

/// Returns the shape in which a value is used whose fields are used so; they go out of scope.
fn parts(data: DataId, fields: &[Option<LocalId>], uses: &mut Uses) -> Shape {
    let fields: Vec<Use> =
        fields.iter().map(|field| field.map_or(Use::ABSENT, |field| uses.take(field))).collect();
    let mut bits = 0;
    for (at, field) in fields.iter().enumerate().take(32) {
        bits |= u32::from(field.now) << at;
    }
    if data == LIST {
        // It goes for the tail as for the list.
        let tail = fields.get(1).map_or(Shape::None, |tail| tail.shape);
        bits &= tail.bits(LIST) & (HEAD | TAIL);
    }
    Shape::of(data, bits)
}
