//! Demands on data, by backwards analysis: from how the value of an expression is used to how
//! its variables are (Wadler and Hughes, "Projections for strictness analysis", FPCA 1987).
//!
//! A supercombinator is looked at once for each [`Shape`] that its result is wanted in: that
//! of `append` is lazy in its second list if only a first cell is wanted, and not if the whole
//! spine is. It starts by claiming everything and claims less until nothing changes.

use rustc_hash::FxHashMap;

mod wanted;

use super::demand::{Bits, HEAD, LIST, Layout, Shape, TAIL, Use};
use super::uses::Uses;
use crate::base::index::{Idx, List};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Bind, Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, LocalId, Program,
    Step, Switch,
};
use crate::primitive::{Operand, Shape as Form};

/// The greatest number of expressions in a function that is analysed: each merge looks at all
/// variables in scope, so time is quadratic in a body.
const LARGEST: u64 = 4096;
/// The number of shapes of its result for which a function is analysed. For others nothing is
/// known of it.
const SHAPES: u32 = 8;

/// The most expressions of a function that is analysed for a flat result: a selector, a choice.
const SMALL: u64 = 16;

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
    /// What its body does, as of the present iterate.
    seen: Seen,
}

/// What an analysis of a body has come upon.
#[derive(Default)]
struct Seen {
    /// The supercombinators whose value may come to be evaluated, and the shape that is certain then.
    calls: Vec<(GlobalId, Shape)>,
    /// The locals of `let`, and the parameters of joins, that are certainly evaluated.
    strict: Vec<LocalId>,
    /// The constructors with fields that are evaluated to something flat whenever they are: a bit for
    /// each, the lowest for the first.
    fields: Vec<(ExprId, u32)>,
}

struct Backwards<'p> {
    program: &'p Program,
    layout: Layout,
    /// Number of expressions of each global's body.
    sizes: &'p [u64],
    /// Whether each global always diverges or fails.
    failing: &'p [bool],
    variants: Vec<Variant>,
    numbers: FxHashMap<(GlobalId, Shape), usize>,
    /// The number of variants of each global.
    shapes: Vec<u32>,
    /// The variants to be analysed again, the next one last.
    pending: Vec<usize>,
    /// The variant that is being analysed.
    at: usize,
    /// What has been seen of its body.
    seen: Seen,
    /// The uses of variables and of parameters by the handlers of the enclosing joins.
    joins: FxHashMap<JoinId, (Uses, Vec<Use>)>,
    work: u64,
    limit: u64,
}

/// The result for a supercombinator, whenever it is evaluated to weak head normal form and its value
/// then used as all of its callers do.
#[derive(Default)]
pub(super) struct Found {
    /// Whether it always diverges or fails, whatever is done with its value.
    pub(super) fails: bool,
    /// How it uses its parameters; empty if nothing is known of that.
    pub(super) params: Vec<Use>,
}

/// The results for a program.
#[derive(Default)]
pub(super) struct Demands {
    /// Of those supercombinators that are not there nothing is known.
    pub(super) found: FxHashMap<GlobalId, Found>,
    /// The locals of `let`, and the parameters of joins, that are certainly evaluated.
    pub(super) strict: Vec<LocalId>,
    /// The constructors with fields that whoever evaluates them evaluates to something flat: a bit for
    /// each, the lowest for the first.
    pub(super) fields: FxHashMap<ExprId, u32>,
}

/// Analyses a program. `None` if it takes more than `limit` steps. Those that others depend on come
/// first in `order`.
pub(super) fn demands(
    program: &Program,
    sizes: &[u64],
    failing: &[bool],
    order: &[u32],
    limit: u64,
) -> Option<Demands> {
    let mut backwards = Backwards {
        program,
        layout: Layout::new(program),
        sizes,
        failing,
        variants: Vec::new(),
        numbers: FxHashMap::default(),
        shapes: vec![0; program.globals.len()],
        pending: Vec::new(),
        at: usize::MAX,
        seen: Seen::default(),
        joins: FxHashMap::default(),
        work: 0,
        limit,
    };
    for &global in order.iter().rev() {
        backwards.variant(GlobalId(global), Shape::None);
    }
    backwards.settle()?;
    backwards.wanted(order)
}

impl Backwards<'_> {
    /// Analyses variants until none is pending.
    fn settle(&mut self) -> Option<()> {
        while let Some(at) = self.pending.pop() {
            self.look(at);
            if self.work > self.limit {
                return None;
            }
        }
        Some(())
    }

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
        let (users, seen) = (Vec::new(), Seen::default());
        self.variants.push(Variant {
            global,
            shape,
            fails: true,
            params,
            users,
            pending: true,
            seen,
        });
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
        self.seen = std::mem::take(&mut self.variants[at].seen);
        self.seen.calls.clear();
        self.seen.strict.clear();
        self.seen.fields.clear();
        let mut found = self.expr(body, shape);
        let params = self.program.local_lists[params].iter();
        let found: (bool, Vec<Use>) =
            (found.fails, params.map(|&param| found.take(param)).collect());
        let variant = &mut self.variants[at];
        variant.seen = std::mem::take(&mut self.seen);
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
            Expr::Global(global) => {
                let is_constant = self.program.arity(global) == 0;
                self.wants(global, if is_constant { shape } else { Shape::None });
                Uses::EMPTY
            }
            Expr::Lit(_) | Expr::Text(_) | Expr::Con(_) | Expr::Lam(..) => Uses::EMPTY,
            Expr::Local(local) => Uses::one(local, Use::now(shape)),
            Expr::NoMatch | Expr::Error => Uses::FAILS,
            _ if self.work > self.limit => Uses::FAILS,
            _ => ensure_sufficient_stack(|| self.step(expr, shape)),
        }
    }

    fn step(&mut self, expr: ExprId, shape: Shape) -> Uses {
        let program = self.program;
        match program.exprs[expr] {
            Expr::App(callee, args) => {
                self.application(expr, callee, &program.expr_lists[args], shape)
            }
            Expr::Let(local, value, body) => {
                let mut uses = self.expr(body, shape);
                let use_ = self.bound(&mut uses, local);
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
                self.expr(body, Shape::None);
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
                let params = params.map(|&param| self.bound(&mut uses, param)).collect();
                self.joins.insert(join, (uses, params));
                let uses = self.expr(body, shape);
                self.joins.remove(&join);
                uses
            }
            Expr::Jump(join, args) => {
                let args = &program.expr_lists[args];
                match self.joins.get(&join).cloned() {
                    Some((uses, params)) => self.all_passed(uses, args, &params),
                    None => self.given_away(Uses::EMPTY, args),
                }
            }
            _ => Uses::EMPTY,
        }
    }

    /// Notes that the value of a supercombinator may come to be evaluated, and the shape that is
    /// certain then.
    fn wants(&mut self, global: GlobalId, shape: Shape) {
        self.seen.calls.push((global, shape.flat()));
    }

    /// Returns the use of a local that goes out of scope, and notes whether it is certain.
    fn bound(&mut self, uses: &mut Uses, local: LocalId) -> Use {
        let use_ = uses.take(local);
        if use_.now && !uses.fails {
            self.seen.strict.push(local);
        }
        use_
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
        if use_ == Use::ABSENT && !uses.fails {
            return uses;
        }
        if uses.fails {
            // It may be evaluated before that, or to say what is wrong.
            self.expr(value, Shape::None);
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

    fn application(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId], shape: Shape) -> Uses {
        let program = self.program;
        let global = match program.exprs[callee] {
            Expr::Con(con) => {
                if args.len() != program.cons[con].arity as usize {
                    return self.given_away(Uses::EMPTY, args);
                }
                let uses = self.fields(expr, con, shape);
                return self.all_passed(Uses::EMPTY, args, &uses);
            }
            Expr::Global(global) => global,
            _ => {
                let uses = self.expr(callee, Shape::None);
                return self.given_away(uses, args);
            }
        };
        let Some((own, more)) = args.split_at_checked(program.arity(global)) else {
            self.wants(global, Shape::None);
            return self.given_away(Uses::EMPTY, args);
        };
        // A function that is then applied has no parts that anything is known of.
        let shape = if more.is_empty() { shape } else { Shape::None };
        let uses = match program.globals[global].kind {
            GlobalKind::Host { .. } => self.given_away(Uses::EMPTY, own),
            GlobalKind::Step(step) => self.step_of(step, own),
            GlobalKind::Defn { .. } => self.call(global, own, shape),
            GlobalKind::Primitive(primitive) => match (primitive.shape(), own) {
                (Form::Error, _) => self.given_away(Uses::FAILS, own),
                (Form::Action | Form::Lazy, _) => self.given_away(Uses::EMPTY, own),
                (Form::If, &[condition, yes, no]) => {
                    let yes = self.expr(yes, shape);
                    let no = self.expr(no, shape);
                    let either = self.or(yes, no);
                    let condition = self.expr(condition, Shape::Flat);
                    self.and(either, condition)
                }
                (Form::Seq, &[first, second]) => {
                    let second = self.expr(second, shape);
                    self.passed(second, first, Use::now(Shape::None))
                }
                _ => {
                    let operand = Use::now(operand(primitive.operand()));
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
        self.wants(global, shape);
        let shape = match shape {
            Shape::All => Shape::None,
            // It tells of what is returned as it is.
            Shape::Flat if self.sizes[global.index()] > SMALL => Shape::None,
            shape => shape,
        };
        let Some(at) = self.variant(global, shape) else {
            return self.given_away(Uses::EMPTY, args);
        };
        let variant = &mut self.variants[at];
        if variant.users.last() != Some(&self.at) {
            variant.users.push(self.at);
        }
        let (fails, params) = (variant.fails, variant.params.clone());
        match fails {
            true => self.given_away(Uses::FAILS, args),
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
        let mut rest = Shape::Flat;
        // The bits of constructors of which the alternatives fail, and of those that the default has.
        let (mut failing, mut others) = (0, 0);
        match &switch.branches {
            Branches::Cons(branches) => {
                let mut named = 0;
                for branch in branches {
                    let mut uses = self.expr(branch.body, shape);
                    let of_con = self.layout.of(self.program, branch.con);
                    if uses.fails && self.fails(branch.body) {
                        failing |= of_con;
                    }
                    let own = self.parts(branch.con, &branch.fields, &mut uses);
                    named |= of_con;
                    let uses = self.and(uses, Uses::one(scrutinee, Use::now(own)));
                    either = self.or(either, uses);
                }
                if let Some(branch) = branches.first() {
                    let data = self.program.cons[branch.con].data;
                    let all = self.layout.all(data);
                    rest = self.of_another(branch.con, named, all);
                    others = all & !named;
                }
            }
            Branches::Lits(branches) => {
                for &(_, body) in branches {
                    let uses = self.expr(body, shape);
                    let uses = self.and(uses, Uses::one(scrutinee, Use::now(Shape::Flat)));
                    either = self.or(either, uses);
                }
            }
        }
        if let Some(default) = switch.default {
            let uses = self.expr(default, shape);
            if uses.fails && self.fails(default) {
                failing |= others;
            }
            let uses = self.and(uses, Uses::one(scrutinee, Use::now(rest)));
            either = self.or(either, uses);
        }
        // What fails does so in its own way: with none of the fields evaluated before.
        if let Branches::Cons(branches) = &switch.branches
            && let Some(branch) = branches.first()
            && failing != 0
        {
            let data = self.program.cons[branch.con].data;
            let all = self.layout.all(data);
            either.limit(scrutinee, |shape| shape.without(failing, data, all));
        }
        either
    }

    /// Returns whether an expression always diverges or fails, by what is known of functions before the
    /// iteration: what one step of that claims may not hold in the end.
    fn fails(&mut self, expr: ExprId) -> bool {
        let program = self.program;
        let mut work = vec![expr];
        while let Some(expr) = work.pop() {
            self.work += 1;
            match program.exprs[expr] {
                Expr::NoMatch | Expr::Error => {}
                Expr::Let(_, _, body) | Expr::Letrec(_, body) | Expr::Force(_, _, body) => {
                    work.push(body);
                }
                Expr::Switch(switch) => work.extend(program.switches[switch].bodies()),
                Expr::Join(join, body) => work.extend([body, program.joins[join].handler]),
                // The handler is among what is looked at.
                Expr::Jump(..) => {}
                Expr::App(callee, args) => {
                    let tails = program.tails(callee, args);
                    let is_failing = match program.exprs[callee] {
                        Expr::Global(global) => match program.globals[global].kind {
                            GlobalKind::Primitive(primitive) => primitive.shape() == Form::Error,
                            _ => self.failing[global.index()],
                        },
                        _ => false,
                    };
                    match tails.is_empty() {
                        true if is_failing => {}
                        true => return false,
                        false => work.extend(&program.expr_lists[tails]),
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Returns the shape of a value that is not of the constructors of these bits, of all bits of its
    /// type. `con` is any constructor of the type.
    fn of_another(&self, con: ConId, named: u32, all: u32) -> Shape {
        let data = self.program.cons[con].data;
        if all == 0 {
            let cons = self.program.datas[data].cons.iter();
            let mut arities = cons.map(|&con| self.program.cons[con].arity);
            return if arities.all(|arity| arity == 0) { Shape::Flat } else { Shape::None };
        }
        match named == all {
            true => Shape::All,
            false => Shape::of(data, Bits { now: named, flat: named }),
        }
    }

    /// Returns how the fields of a constructor are used when the value is used in a shape, and notes
    /// those that will be flat.
    fn fields(&mut self, expr: ExprId, con: ConId, shape: Shape) -> Vec<Use> {
        let data = self.program.cons[con].data;
        let count = self.program.cons[con].arity as usize;
        let mask = self.layout.of(self.program, con);
        let Bits { now, flat } = shape.bits(data);
        let [now, flat] = [now, flat].map(|bits| self.layout.from(con, bits & mask));
        if flat != 0 && shape != Shape::All {
            self.seen.fields.push((expr, flat));
        }
        let has = |bits: u32, at: usize| at < 32 && bits & 1 << at != 0;
        let field = |at: usize| {
            let inner = match () {
                () if data == LIST && at == 1 => shape,
                () if has(flat, at) => Shape::Flat,
                () => Shape::None,
            };
            let use_ = Use::now(inner);
            if has(now, at) { use_ } else { use_.later() }
        };
        (0..count).map(field).collect()
    }

    /// Returns the shape in which a value is used whose fields are used so; they go out of scope.
    fn parts(&self, con: ConId, fields: &[Option<LocalId>], uses: &mut Uses) -> Shape {
        let data = self.program.cons[con].data;
        let all = self.layout.all(data);
        let fields: Vec<Use> = fields
            .iter()
            .map(|field| field.map_or(Use::ABSENT, |field| uses.take(field)))
            .collect();
        if fields.is_empty() || all == 0 {
            return self.of_another(con, all, all);
        }
        let mut own = Bits { now: 0, flat: 0 };
        for (at, field) in fields.iter().enumerate().take(32) {
            let is_flat = field.now && matches!(field.shape, Shape::Flat | Shape::All);
            own.now |= u32::from(field.now) << at;
            own.flat |= u32::from(is_flat) << at;
        }
        if data == LIST {
            // It goes for the tail as for the list.
            let tail = fields.get(1).map_or(Shape::None, |tail| tail.shape).bits(LIST);
            own.now &= tail.now & (HEAD | TAIL);
            own.flat &= tail.flat & HEAD;
        }
        // Of what is of another constructor all is certain of these fields.
        let others = all & !self.layout.of(self.program, con);
        let place = |bits: u32| self.layout.place(con, bits) | others;
        Shape::of(data, Bits { now: place(own.now), flat: place(own.flat) })
    }
}

/// Returns what is certain of an operand of a primitive.
fn operand(operand: Operand) -> Shape {
    match operand {
        Operand::Integer | Operand::Float | Operand::Comparable | Operand::Character => Shape::Flat,
        Operand::Array | Operand::Bytes | Operand::List | Operand::Any => Shape::None,
    }
}
