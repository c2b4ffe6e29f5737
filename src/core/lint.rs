//! Checks that a program in core form is well formed. A violation is a mistake of the
//! compiler, never of the program.

use super::expr::{
    Branches, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, Lit, LocalId, Program, Switch,
    SwitchId,
};
use crate::base::index::{Idx, List};

/// The greatest number of violations that are listed.
const MOST: usize = 100;

/// Returns the violations of the invariants that [`expr`](super::expr) lists, a sentence each.
#[must_use]
pub fn lint(program: &Program) -> Vec<String> {
    let mut lint = Lint {
        program,
        symbol: "",
        seen: vec![false; program.exprs.len()],
        bound: vec![false; program.locals.len()],
        visible: vec![false; program.locals.len()],
        scope: Vec::new(),
        forced: vec![0; program.locals.len()],
        path: Vec::new(),
        steps: 0,
        open: Vec::new(),
        position: vec![None; program.joins.len()],
        joined: vec![false; program.joins.len()],
        performed: None,
        tasks: Vec::new(),
        violations: Vec::new(),
    };
    lint.tables();
    for (id, global) in program.globals.enumerate() {
        lint.symbol = &global.symbol;
        lint.global(id);
    }
    lint.violations
}

#[derive(Clone, Copy)]
enum Task {
    /// Visits an expression, which may jump to the open joins from this index on.
    Expr(ExprId, usize),
    /// Brings a local into scope; the flag says whether it has been forced.
    Bind(LocalId, bool),
    /// Ends the scope of all locals but the first ones, of this number.
    Scope(usize),
    /// Cuts the path of what has been forced to this length.
    Path(usize),
    /// Ends the body of a join and visits its handler.
    Joined(JoinId, usize),
}

/// A step on the way to where we are: a local that is forced there. Steps of one number are
/// one step, and have the same steps before them.
#[derive(Clone, Copy)]
struct Step {
    local: LocalId,
    number: u64,
}

/// A join whose body we are in.
struct Open {
    id: JoinId,
    /// The length of the path where its body begins.
    start: usize,
    /// The steps after `start` on the paths of all jumps so far; `None` before the first jump.
    common: Option<Vec<Step>>,
    /// For each parameter, whether every jump so far has passed a value.
    values: Vec<bool>,
}

struct Lint<'a> {
    program: &'a Program,
    symbol: &'a str,
    seen: Vec<bool>,
    bound: Vec<bool>,
    visible: Vec<bool>,
    scope: Vec<LocalId>,
    forced: Vec<u32>,
    /// The locals forced on the path to the present expression, in order.
    path: Vec<Step>,
    /// The number of the last step.
    steps: u64,
    /// The joins whose bodies enclose the present expression, the innermost last.
    open: Vec<Open>,
    /// The index of each join in `open`.
    position: Vec<Option<usize>>,
    /// Whether each join has been met in an expression.
    joined: Vec<bool>,
    /// The effect that is to be met next, because a `Perform` does it.
    performed: Option<ExprId>,
    tasks: Vec<Task>,
    violations: Vec<String>,
}

impl Lint<'_> {
    fn violation(&mut self, text: impl Into<String>) {
        if self.violations.len() < MOST {
            self.violations.push(format!("{}: {}", self.symbol, text.into()));
        }
    }

    /// Checks that data types and constructors agree and that symbols are unique.
    fn tables(&mut self) {
        let program = self.program;
        for (id, data) in program.datas.enumerate() {
            for (tag, &con) in data.cons.iter().enumerate() {
                let fits = program
                    .cons
                    .get(con)
                    .is_some_and(|con| con.data == id && con.tag as usize == tag);
                if !fits {
                    self.violation(format!("{con:?} is not number {tag} of {}", data.symbol));
                }
            }
        }
        let globals = program.globals.iter().map(|global| &global.symbol);
        let cons = program.cons.iter().map(|con| &con.symbol);
        let mut symbols: Vec<&str> = globals.chain(cons).map(|symbol| &**symbol).collect();
        symbols.sort_unstable();
        for pair in symbols.windows(2) {
            if pair[0] == pair[1] {
                self.violation(format!("two globals are called {}", pair[0]));
            }
        }
        for root in program.main.into_iter().chain(program.roots.iter().copied()) {
            if program.globals.get(root).is_none() {
                self.violation(format!("{root:?} is a root and does not exist"));
            }
        }
    }

    fn global(&mut self, id: GlobalId) {
        let GlobalKind::Defn { params, body } = self.program.globals[id].kind else { return };
        for &param in &self.program.local_lists[params] {
            self.bind(param);
        }
        if let Some(body) = body {
            self.tasks.push(Task::Expr(body, 0));
        }
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Expr(expr, tails) => self.expr(expr, tails),
                Task::Scope(len) => {
                    for local in self.scope.drain(len..) {
                        self.visible[local.index()] = false;
                    }
                }
                Task::Path(len) => self.unforce(len),
                Task::Joined(join, tails) => self.joined(join, tails),
                Task::Bind(local, forced) => {
                    self.bind(local);
                    if forced {
                        self.force(local);
                    }
                }
            }
        }
        for local in self.scope.drain(..) {
            self.visible[local.index()] = false;
        }
        self.unforce(0);
    }

    fn bind(&mut self, local: LocalId) {
        if self.program.locals.get(local).is_none() {
            self.violation(format!("{local:?} does not exist"));
            return;
        }
        if std::mem::replace(&mut self.bound[local.index()], true) {
            self.violation(format!("{local:?} is bound twice"));
        }
        self.visible[local.index()] = true;
        self.scope.push(local);
    }

    fn use_local(&mut self, local: LocalId) {
        if !self.visible.get(local.index()).copied().unwrap_or(false) {
            self.violation(format!("{local:?} is used outside its scope"));
        }
    }

    fn force(&mut self, local: LocalId) {
        self.steps += 1;
        self.step(Step { local, number: self.steps });
    }

    fn step(&mut self, step: Step) {
        if let Some(count) = self.forced.get_mut(step.local.index()) {
            *count += 1;
            self.path.push(step);
        }
    }

    fn unforce(&mut self, len: usize) {
        for step in self.path.drain(len..) {
            self.forced[step.local.index()] -= 1;
        }
    }

    fn is_forced(&self, local: LocalId) -> bool {
        self.forced.get(local.index()).is_some_and(|&count| count > 0)
    }

    fn join(&mut self, id: JoinId, body: ExprId, tails: usize) {
        let Some(join) = self.program.joins.get(id) else {
            self.violation(format!("{id:?} does not exist"));
            return;
        };
        if std::mem::replace(&mut self.joined[id.index()], true) {
            self.violation(format!("{id:?} is joined twice"));
            return;
        }
        self.position[id.index()] = Some(self.open.len());
        let values = vec![true; join.params.len()];
        self.open.push(Open { id, start: self.path.len(), common: None, values });
        self.tasks.push(Task::Joined(id, tails));
        self.tasks.push(Task::Expr(body, tails));
    }

    /// Visits the handler of a join, where what all jumps have forced is known.
    fn joined(&mut self, id: JoinId, tails: usize) {
        let Join { params, handler } = self.program.joins[id];
        self.position[id.index()] = None;
        let Some(open) = self.open.pop() else { return };
        self.tasks.push(Task::Path(self.path.len()));
        self.tasks.push(Task::Scope(self.scope.len()));
        if open.common.is_none() {
            self.violation(format!("nothing jumps to {id:?}"));
        }
        self.tasks.push(Task::Expr(handler, tails));
        open.common.into_iter().flatten().for_each(|step| self.step(step));
        for (&param, value) in self.program.local_lists[params].iter().zip(open.values) {
            self.bind(param);
            if value {
                self.force(param);
            }
        }
    }

    fn jump(&mut self, id: JoinId, args: List<ExprId>, tails: usize) {
        let program = self.program;
        let args = &program.expr_lists[args];
        self.operands(args);
        let Some(join) = program.joins.get(id) else {
            self.violation(format!("{id:?} does not exist"));
            return;
        };
        if join.params.len() != args.len() {
            self.violation(format!("a jump gives {id:?} a wrong number of arguments"));
        }
        let position = self.position[id.index()].filter(|&position| position >= tails);
        let Some(position) = position else {
            self.violation(format!("a jump to {id:?} stands in no tail of its body"));
            return;
        };
        let values: Vec<bool> = args.iter().map(|&arg| self.is_value(arg)).collect();
        let open = &mut self.open[position];
        debug_assert_eq!(open.id, id);
        for (known, value) in open.values.iter_mut().zip(values) {
            *known &= value;
        }
        let path = self.path.get(open.start..).unwrap_or_default();
        match &mut open.common {
            Some(common) => {
                let (mut same, mut end) = (0, common.len().min(path.len()));
                while same < end {
                    let middle = usize::midpoint(same, end);
                    match common[middle].number == path[middle].number {
                        true => same = middle + 1,
                        false => end = middle,
                    }
                }
                common.truncate(same);
            }
            None => open.common = Some(path.to_vec()),
        }
    }

    /// Returns whether an argument is in weak head normal form, of expressions that may not exist.
    fn is_value(&self, expr: ExprId) -> bool {
        let program = self.program;
        let exists = |expr| match program.exprs.get(expr) {
            Some(&Expr::Con(con)) => program.cons.get(con).is_some(),
            Some(&Expr::Global(global)) => program.globals.get(global).is_some(),
            found => found.is_some(),
        };
        let exists = match program.exprs.get(expr) {
            Some(&Expr::App(callee, _)) => exists(callee),
            _ => exists(expr),
        };
        exists && program.is_value(expr, |local| self.is_forced(local))
    }

    /// Visits expressions that may not jump to an enclosing join.
    fn operands(&mut self, exprs: &[ExprId]) {
        let none = self.open.len();
        self.tasks.extend(exprs.iter().rev().map(|&expr| Task::Expr(expr, none)));
    }

    fn application(&mut self, callee: ExprId, args: List<ExprId>, tails: usize) {
        let program = self.program;
        if args.is_empty() {
            self.violation("an application has no argument");
        }
        let known = match program.exprs.get(callee) {
            Some(Expr::App(..)) => {
                self.violation("an application is applied");
                false
            }
            Some(&Expr::Global(global)) => {
                let found = program.globals.get(global);
                if let Some(GlobalKind::Step(step)) = found.map(|global| global.kind)
                    && step.arity() != args.len()
                    && (step, args.len()) != (super::expr::Step::GoOn, 1)
                {
                    self.violation("a step of performing actions lacks arguments, or has too many");
                }
                found.is_some()
            }
            _ => false,
        };
        let last = if known { program.tails(callee, args) } else { List::EMPTY };
        let (operands, last) = (args.take(args.len() - last.len()), &program.expr_lists[last]);
        self.tasks.extend(last.iter().rev().map(|&expr| Task::Expr(expr, tails)));
        self.operands(&program.expr_lists[operands]);
        self.operands(&[callee]);
    }

    fn expr(&mut self, expr: ExprId, tails: usize) {
        let Some(&kind) = self.program.exprs.get(expr) else {
            self.violation(format!("{expr:?} does not exist"));
            return;
        };
        if std::mem::replace(&mut self.seen[expr.index()], true) {
            self.violation(format!("{expr:?} has two parents"));
            return;
        }
        let program = self.program;
        match kind {
            Expr::Lit(Lit::Int(_) | Lit::Float(_) | Lit::Char(_)) | Expr::NoMatch => {}
            Expr::Lit(Lit::Big(big)) if program.bigs.get(big).is_some() => {}
            Expr::Lit(lit) => self.violation(format!("{lit:?} does not exist")),
            Expr::Text(text) => {
                if program.texts.get(text).is_none() {
                    self.violation(format!("{text:?} does not exist"));
                }
            }
            Expr::Local(local) => self.use_local(local),
            Expr::Global(global) => {
                if program.globals.get(global).is_none() {
                    self.violation(format!("{global:?} does not exist"));
                }
            }
            Expr::Con(con) => {
                if program.cons.get(con).is_none() {
                    self.violation(format!("{con:?} does not exist"));
                }
            }
            Expr::App(callee, args) => {
                if self.is_effect(expr) && self.performed.take() != Some(expr) {
                    self.violation(format!("the effect {expr:?} is not performed where it stands"));
                }
                self.application(callee, args, tails);
            }
            Expr::Let(local, value, body) => {
                self.tasks.push(Task::Scope(self.scope.len()));
                self.tasks.push(Task::Expr(body, tails));
                self.tasks.push(Task::Bind(local, false));
                self.tasks.push(Task::Expr(value, self.open.len()));
            }
            Expr::Letrec(binds, body) => {
                if binds.is_empty() {
                    self.violation("a letrec binds nothing");
                }
                self.tasks.push(Task::Scope(self.scope.len()));
                for bind in &program.binds[binds] {
                    self.bind(bind.local);
                }
                self.tasks.push(Task::Expr(body, tails));
                for bind in program.binds[binds].iter().rev() {
                    self.tasks.push(Task::Expr(bind.value, self.open.len()));
                }
            }
            Expr::Lam(params, body) => {
                if params.is_empty() {
                    self.violation("a function has no parameter");
                }
                if let Some(Expr::Lam(..)) = program.exprs.get(body) {
                    self.violation("the body of a function is a function");
                }
                self.tasks.push(Task::Scope(self.scope.len()));
                for &param in &program.local_lists[params] {
                    self.bind(param);
                }
                self.tasks.push(Task::Expr(body, self.open.len()));
            }
            Expr::Force(local, value, body) => {
                self.tasks.push(Task::Scope(self.scope.len()));
                self.tasks.push(Task::Path(self.path.len()));
                self.tasks.push(Task::Expr(body, tails));
                self.tasks.push(Task::Bind(local, true));
                self.tasks.push(Task::Expr(value, self.open.len()));
            }
            Expr::Perform(local, value, body) => {
                if !self.is_effect(value) {
                    self.violation(format!("{value:?} is performed and is no effect"));
                }
                self.tasks.push(Task::Scope(self.scope.len()));
                self.tasks.push(Task::Expr(body, tails));
                self.tasks.push(Task::Bind(local, false));
                self.tasks.push(Task::Expr(value, self.open.len()));
                self.performed = Some(value);
            }
            Expr::Switch(switch) => self.switch(switch, tails),
            Expr::Join(join, body) => self.join(join, body, tails),
            Expr::Jump(join, args) => self.jump(join, args, tails),
            Expr::Error => self.violation("a mistake that was reported is still there"),
        }
    }

    /// Returns whether an expression is an effect with all its operands.
    fn is_effect(&self, expr: ExprId) -> bool {
        let program = self.program;
        let Some(&Expr::App(callee, args)) = program.exprs.get(expr) else { return false };
        let Some(&Expr::Global(global)) = program.exprs.get(callee) else { return false };
        match program.globals.get(global).map(|global| global.kind) {
            Some(GlobalKind::Step(step @ super::expr::Step::Effect(_))) => {
                step.arity() == args.len()
            }
            _ => false,
        }
    }

    fn switch(&mut self, switch: SwitchId, tails: usize) {
        let program = self.program;
        let Some(switch) = program.switches.get(switch) else {
            self.violation(format!("{switch:?} does not exist"));
            return;
        };
        self.use_local(switch.scrutinee);
        if switch.evaluated && !self.is_forced(switch.scrutinee) {
            self.violation(format!("{:?} may not be evaluated", switch.scrutinee));
        }
        self.tasks.push(Task::Path(self.path.len()));
        self.force(switch.scrutinee);
        match &switch.branches {
            Branches::Cons(branches) => {
                self.constructors(switch);
                for branch in branches.iter().rev() {
                    self.tasks.push(Task::Scope(self.scope.len()));
                    self.tasks.push(Task::Expr(branch.body, tails));
                    let fields = branch.fields.iter().rev().flatten();
                    self.tasks.extend(fields.map(|&field| Task::Bind(field, false)));
                }
            }
            Branches::Lits(branches) => {
                self.literals(switch);
                let bodies = branches.iter().rev();
                self.tasks.extend(bodies.map(|&(_, body)| Task::Expr(body, tails)));
            }
        }
        // First, so that a jump there keeps what the branches' jumps are compared with short.
        self.tasks.extend(switch.default.map(|default| Task::Expr(default, tails)));
    }

    fn constructors(&mut self, switch: &Switch) {
        let Branches::Cons(branches) = &switch.branches else { return };
        let mut before = None;
        for branch in branches {
            let Some(con) = self.program.cons.get(branch.con) else {
                self.violation(format!("{:?} does not exist", branch.con));
                return;
            };
            if branch.fields.len() != con.arity as usize {
                self.violation(format!("a branch gives {} a wrong number of fields", con.symbol));
            }
            if before.is_some_and(|(data, tag)| data != con.data || tag >= con.tag) {
                self.violation(format!("{} is out of order in a switch", con.symbol));
            }
            before = Some((con.data, con.tag));
        }
        let Some((data, _)) = before else {
            self.violation("a switch has no branch");
            return;
        };
        let all = self.program.datas.get(data).map_or(0, |data| data.cons.len());
        if (branches.len() == all) != switch.default.is_none() {
            self.violation("a switch covers its type and has a default, or does neither");
        }
    }

    fn literals(&mut self, switch: &Switch) {
        let Branches::Lits(branches) = &switch.branches else { return };
        if branches.is_empty() {
            self.violation("a switch has no branch");
        }
        if switch.default.is_none() {
            self.violation("a switch by literals has no default");
        }
        let chars = branches.iter().filter(|(lit, _)| matches!(lit, Lit::Char(_))).count();
        if chars != 0 && chars != branches.len() {
            self.violation("a switch mixes integers and characters");
        }
        if branches.iter().any(|(lit, _)| matches!(lit, Lit::Float(_))) {
            self.violation("a switch goes by a float");
        }
        let mut seen = rustc_hash::FxHashSet::default();
        for (lit, _) in branches {
            let known = match lit {
                Lit::Big(big) => self.program.bigs.get(*big).is_some(),
                _ => true,
            };
            if !known {
                self.violation(format!("{lit:?} does not exist"));
            }
            if !seen.insert(*lit) {
                self.violation(format!("a switch has two branches for {lit:?}"));
            }
        }
    }
}
