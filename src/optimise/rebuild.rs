//! Writes a program anew from what `main` and the roots reach, with changes that a pass has
//! planned: bindings and parameters go, variables are replaced, bindings move.

use rustc_hash::FxHashMap;

use crate::base::index::{Idx, List};
use crate::base::span::Span;
use crate::core::expr::{
    Bind, Branches, ConBranch, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, Lit, LocalId,
    Program, Switch,
};
use crate::core::signature::Demand;

/// What becomes of a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It stays.
    Keep,
    /// Nothing uses it: its binding goes, or it is no parameter any more and what was passed
    /// for it goes.
    Drop,
    /// A parameter that nothing uses and that stays; what is passed for it is 0.
    Idle,
    /// Its binding goes, and the expression stands wherever it stood. It is an atom, or the
    /// local is used once.
    Replace(ExprId),
}

/// The changes. Expressions and locals are those of the old program.
pub(super) struct Plan {
    /// For each local.
    pub fates: Vec<Fate>,
    /// The `let` or `letrec` expressions that are not written where they stand, but around
    /// these expressions, outermost first.
    pub around: FxHashMap<ExprId, Vec<ExprId>>,
    /// For each expression, whether it is one of those.
    pub moved: Vec<bool>,
}

impl Plan {
    /// No changes.
    pub fn new(program: &Program) -> Plan {
        Plan {
            fates: vec![Fate::Keep; program.locals.len()],
            around: FxHashMap::default(),
            moved: vec![false; program.exprs.len()],
        }
    }
}

struct Rebuild<'p> {
    old: &'p Program,
    plan: &'p Plan,
    new: Program,
    /// Bindings that nothing used and that have gone.
    gone: u64,
    /// The new ones of old globals, locals and joins.
    globals: Vec<Option<GlobalId>>,
    locals: Vec<LocalId>,
    joins: Vec<JoinId>,
    /// The old globals that have been met, in that order.
    met: Vec<GlobalId>,
    /// Old expressions and where their new form goes.
    tasks: Vec<(ExprId, ExprId)>,
}

/// The program with the changes made, and how many bindings that nothing used have gone.
pub(super) fn rebuild(program: Program, plan: &Plan) -> (Program, u64) {
    let mut old = program;
    let new = Program {
        datas: std::mem::take(&mut old.datas),
        cons: std::mem::take(&mut old.cons),
        bigs: std::mem::take(&mut old.bigs),
        texts: std::mem::take(&mut old.texts),
        ..Program::default()
    };
    let mut rebuild = Rebuild {
        old: &old,
        plan,
        new,
        gone: 0,
        globals: vec![None; old.globals.len()],
        locals: vec![LocalId(u32::MAX); old.locals.len()],
        joins: vec![JoinId(u32::MAX); old.joins.len()],
        met: Vec::new(),
        tasks: Vec::new(),
    };
    rebuild.new.main = old.main.map(|main| rebuild.global(main));
    rebuild.new.roots = old.roots.iter().map(|&root| rebuild.global(root)).collect();
    for kept in old.kept() {
        rebuild.global(kept);
    }
    let mut next = 0;
    while let Some(&global) = rebuild.met.get(next) {
        next += 1;
        rebuild.definition(global);
    }
    (rebuild.new, rebuild.gone)
}

impl Rebuild<'_> {
    fn global(&mut self, old: GlobalId) -> GlobalId {
        if let Some(new) = self.globals[old.index()] {
            return new;
        }
        let new = self.new.globals.push(self.old.globals[old].clone());
        self.globals[old.index()] = Some(new);
        self.met.push(old);
        new
    }

    fn definition(&mut self, id: GlobalId) {
        let old = self.old;
        let GlobalKind::Defn { params, body } = old.globals[id].kind else { return };
        let new = self.global(id);
        let olds = &old.local_lists[params];
        let demands = &old.globals[id].signature.demands;
        let demands = olds.iter().zip(demands).filter_map(|(param, demand)| {
            match self.plan.fates[param.index()] {
                Fate::Drop => None,
                Fate::Idle => Some(Demand::Lazy),
                Fate::Keep | Fate::Replace(_) => Some(*demand),
            }
        });
        self.new.globals[new].signature.demands = demands.collect();
        let params = self.parameters(olds);
        let body = body.map(|body| self.place(body));
        while let Some((expr, to)) = self.tasks.pop() {
            self.step(expr, to);
        }
        self.new.globals[new].kind = GlobalKind::Defn { params, body };
    }

    fn bind(&mut self, old: LocalId) -> LocalId {
        let new = self.new.locals.push(self.old.locals[old]);
        self.locals[old.index()] = new;
        new
    }

    fn is_dropped(&self, local: LocalId) -> bool {
        self.plan.fates[local.index()] == Fate::Drop
    }

    fn parameters(&mut self, olds: &[LocalId]) -> List<LocalId> {
        let kept = olds.iter().filter(|&&param| !self.is_dropped(param));
        let kept: Vec<LocalId> = kept.copied().collect();
        let news: Vec<LocalId> = kept.into_iter().map(|param| self.bind(param)).collect();
        self.new.local_lists.add(news)
    }

    /// Places for what is passed for parameters, and for what is passed beyond them.
    fn arguments(&mut self, params: &[LocalId], args: &[ExprId]) -> Vec<ExprId> {
        let mut places = Vec::with_capacity(args.len());
        for (at, &arg) in args.iter().enumerate() {
            match params.get(at).map(|param| self.plan.fates[param.index()]) {
                Some(Fate::Drop) => {}
                Some(Fate::Idle) => {
                    let zero = Expr::Lit(Lit::Int(0));
                    places.push(self.new.expr(zero, self.old.spans[arg]));
                }
                Some(Fate::Keep | Fate::Replace(_)) | None => places.push(self.place(arg)),
            }
        }
        places
    }

    /// A place for an old expression.
    fn place(&mut self, expr: ExprId) -> ExprId {
        let to = self.new.expr(Expr::Error, self.old.spans[expr]);
        self.tasks.push((expr, to));
        to
    }

    /// Writes an expression and the bindings that have moved to it.
    fn step(&mut self, expr: ExprId, to: ExprId) {
        let plan = self.plan;
        let mut to = to;
        for &binding in plan.around.get(&expr).map_or(&[][..], Vec::as_slice) {
            let span = self.old.spans[binding];
            let rest = self.new.expr(Expr::Error, self.old.spans[expr]);
            self.new.spans[to] = span;
            self.new.exprs[to] = match self.old.exprs[binding] {
                Expr::Let(local, value, _) => {
                    let local = self.bind(local);
                    Expr::Let(local, self.place(value), rest)
                }
                Expr::Letrec(binds, _) => self.letrec(&self.old.binds[binds], rest),
                _ => Expr::Error,
            };
            to = rest;
        }
        self.write(expr, to);
    }

    /// Whether a `let` is not written where it stands.
    fn is_gone(&mut self, expr: ExprId, local: LocalId) -> bool {
        let fate = self.plan.fates[local.index()];
        self.gone += u64::from(fate == Fate::Drop);
        self.plan.moved[expr.index()] || fate != Fate::Keep
    }

    /// Whether a `letrec` is not written where it stands.
    fn are_gone(&mut self, expr: ExprId, binds: &[Bind]) -> bool {
        let unused = binds.iter().all(|bind| self.is_dropped(bind.local));
        if unused {
            self.gone += binds.len() as u64;
        }
        unused || self.plan.moved[expr.index()]
    }

    fn letrec(&mut self, binds: &[Bind], rest: ExprId) -> Expr {
        let kept = binds.iter().filter(|bind| !self.is_dropped(bind.local));
        let kept: Vec<Bind> = kept.copied().collect();
        self.gone += (binds.len() - kept.len()) as u64;
        let locals: Vec<LocalId> = kept.iter().map(|bind| self.bind(bind.local)).collect();
        let binds: Vec<Bind> = kept
            .iter()
            .zip(locals)
            .map(|(bind, local)| Bind { local, value: self.place(bind.value) })
            .collect();
        Expr::Letrec(self.new.binds.add(binds), rest)
    }

    fn write(&mut self, expr: ExprId, to: ExprId) {
        let old = self.old;
        let mark = self.tasks.len();
        let span = old.spans[expr];
        self.new.spans[to] = span;
        let written = match old.exprs[expr] {
            Expr::Lit(lit) => Expr::Lit(lit),
            Expr::Text(text) => Expr::Text(text),
            Expr::Con(con) => Expr::Con(con),
            Expr::NoMatch => Expr::NoMatch,
            Expr::Error | Expr::Lam(..) => Expr::Error,
            Expr::Local(local) => match self.plan.fates[local.index()] {
                Fate::Replace(value) => return self.tasks.push((value, to)),
                _ => Expr::Local(self.locals[local.index()]),
            },
            Expr::Global(global) => Expr::Global(self.global(global)),
            Expr::App(callee, args) => self.application(callee, args),
            Expr::Let(local, value, body) => {
                if self.is_gone(expr, local) {
                    return self.tasks.push((body, to));
                }
                let local = self.bind(local);
                Expr::Let(local, self.place(value), self.place(body))
            }
            Expr::Letrec(binds, body) => {
                let binds = &old.binds[binds];
                if self.are_gone(expr, binds) {
                    return self.tasks.push((body, to));
                }
                let rest = self.new.expr(Expr::Error, old.spans[body]);
                let written = self.letrec(binds, rest);
                self.tasks.push((body, rest));
                written
            }
            Expr::Force(local, value, body) => {
                let local = self.bind(local);
                Expr::Force(local, self.place(value), self.place(body))
            }
            Expr::Join(join, body) => {
                let Join { params, handler } = old.joins[join];
                let params = self.parameters(&old.local_lists[params]);
                let (body, handler) = (self.place(body), self.place(handler));
                let new = self.new.joins.push(Join { params, handler });
                self.joins[join.index()] = new;
                Expr::Join(new, body)
            }
            Expr::Jump(join, args) => {
                let params = &old.local_lists[old.joins[join].params];
                let args = self.arguments(params, &old.expr_lists[args]);
                Expr::Jump(self.joins[join.index()], self.new.expr_lists.add(args))
            }
            Expr::Switch(switch) => self.switch(&old.switches[switch], span),
        };
        self.new.exprs[to] = written;
        // Globals are met in the order of the source.
        self.tasks[mark..].reverse();
    }

    /// Writes an application. No application is applied: a callee that becomes one is one
    /// with this application.
    fn application(&mut self, callee: ExprId, args: List<ExprId>) -> Expr {
        let old = self.old;
        let mut callee = callee;
        let mut groups = vec![args];
        loop {
            match old.exprs[callee] {
                Expr::Local(local) => match self.plan.fates[local.index()] {
                    Fate::Replace(value) => callee = value,
                    _ => break,
                },
                Expr::App(inner, args) => {
                    groups.push(args);
                    callee = inner;
                }
                Expr::Let(local, _, body) if self.is_gone(callee, local) => callee = body,
                Expr::Letrec(binds, body) if self.are_gone(callee, &old.binds[binds]) => {
                    callee = body;
                }
                _ => break,
            }
        }
        let args: Vec<ExprId> = match groups.as_slice() {
            [args] => old.expr_lists[*args].to_vec(),
            _ => {
                let groups = groups.into_iter().rev();
                groups.flat_map(|args| &old.expr_lists[args]).copied().collect()
            }
        };
        let params = match old.exprs[callee] {
            Expr::Global(global) => match old.globals[global].kind {
                GlobalKind::Defn { params, .. } => &old.local_lists[params],
                _ => &[],
            },
            _ => &[],
        };
        let callee = self.place(callee);
        let args = self.arguments(params, &args);
        Expr::App(callee, self.new.expr_lists.add(args))
    }

    fn switch(&mut self, switch: &Switch, span: Span) -> Expr {
        // What a scrutinee is replaced by: another local, or something to be evaluated here.
        let mut scrutinee = switch.scrutinee;
        let mut value = None;
        while let Fate::Replace(by) = self.plan.fates[scrutinee.index()] {
            match self.old.exprs[by] {
                Expr::Local(other) => scrutinee = other,
                _ => {
                    value = Some(self.place(by));
                    break;
                }
            }
        }
        let scrutinee = match value {
            Some(_) => self.bind(scrutinee),
            None => self.locals[scrutinee.index()],
        };
        let branches = match &switch.branches {
            Branches::Cons(branches) => Branches::Cons(
                branches
                    .iter()
                    .map(|branch| ConBranch {
                        con: branch.con,
                        fields: branch
                            .fields
                            .iter()
                            .map(|field| {
                                let kept = field.filter(|&field| !self.is_dropped(field));
                                kept.map(|field| self.bind(field))
                            })
                            .collect(),
                        body: self.place(branch.body),
                    })
                    .collect(),
            ),
            Branches::Lits(branches) => Branches::Lits(
                branches.iter().map(|&(lit, body)| (lit, self.place(body))).collect(),
            ),
        };
        let default = switch.default.map(|default| self.place(default));
        let evaluated = switch.evaluated || value.is_some();
        let id = self.new.switches.push(Switch { scrutinee, evaluated, branches, default });
        match value {
            Some(value) => Expr::Force(scrutinee, value, self.new.expr(Expr::Switch(id), span)),
            None => Expr::Switch(id),
        }
    }
}
