//! Checks that a program in core form is well formed. A violation is a mistake of the
//! compiler, never of the program.

use super::expr::{
    Branches, Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId, Program, Switch, SwitchId,
};
use crate::base::index::Idx;

/// More than this are not listed.
const MOST: usize = 100;

/// The violations of the invariants that [`expr`](super::expr) lists, a sentence each.
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
        catches: Vec::new(),
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
    /// Looks at an expression; whether a `Fail` may stand there.
    Expr(ExprId, bool),
    /// A local is in scope from here on; whether it has been forced.
    Bind(LocalId, bool),
    /// The scope is as long as it was.
    Scope(usize),
    /// What has been forced is as much as it was.
    Path(usize),
    /// The first part of a `Try` is done; its second part comes next.
    Caught(ExprId, bool),
}

/// The first part of a `Try`.
struct Catch {
    /// What had been forced where it begins.
    start: usize,
    /// What every failure so far has forced since then; `None` before the first one.
    common: Option<Vec<LocalId>>,
    /// How much of that is still in common with the way to where we are.
    shared: usize,
}

struct Lint<'a> {
    program: &'a Program,
    symbol: &'a str,
    seen: Vec<bool>,
    bound: Vec<bool>,
    visible: Vec<bool>,
    scope: Vec<LocalId>,
    forced: Vec<u32>,
    /// What has been forced on the way here, in order.
    path: Vec<LocalId>,
    catches: Vec<Catch>,
    tasks: Vec<Task>,
    violations: Vec<String>,
}

impl Lint<'_> {
    fn violation(&mut self, text: impl Into<String>) {
        if self.violations.len() < MOST {
            self.violations.push(format!("{}: {}", self.symbol, text.into()));
        }
    }

    /// The data types and constructors agree, and symbols are unique.
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
            self.tasks.push(Task::Expr(body, false));
        }
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Expr(expr, tail) => self.expr(expr, tail),
                Task::Scope(len) => {
                    for local in self.scope.drain(len..) {
                        self.visible[local.index()] = false;
                    }
                }
                Task::Path(len) => self.unforce(len),
                Task::Caught(second, tail) => self.caught(second, tail),
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
        if let Some(count) = self.forced.get_mut(local.index()) {
            *count += 1;
            self.path.push(local);
        }
    }

    fn unforce(&mut self, len: usize) {
        for local in self.path.drain(len..) {
            self.forced[local.index()] -= 1;
        }
        if let Some(catch) = self.catches.last_mut() {
            catch.shared = catch.shared.min(len.saturating_sub(catch.start));
        }
    }

    /// The second part of a `Try` knows what all failures in the first have forced.
    fn caught(&mut self, second: ExprId, tail: bool) {
        let common = self.catches.pop().and_then(|catch| catch.common);
        self.tasks.push(Task::Path(self.path.len()));
        self.tasks.push(Task::Expr(second, tail));
        match common {
            Some(common) => common.into_iter().for_each(|local| self.force(local)),
            None => self.violation("the first part of a try does not fail"),
        }
    }

    fn fail(&mut self, tail: bool) {
        if !tail {
            self.violation("a failure has nowhere to go");
        }
        let Some(catch) = self.catches.last_mut() else { return };
        match &mut catch.common {
            Some(common) => common.truncate(catch.shared),
            None => {
                let path = self.path.get(catch.start..).unwrap_or_default().to_vec();
                catch.shared = path.len();
                catch.common = Some(path);
            }
        }
    }

    fn expr(&mut self, expr: ExprId, tail: bool) {
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
            Expr::Lit(Lit::Int(_) | Lit::Char(_)) | Expr::NoMatch => {}
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
                if args.is_empty() {
                    self.violation("an application has no argument");
                }
                if let Some(Expr::App(..)) = program.exprs.get(callee) {
                    self.violation("an application is applied");
                }
                for &arg in program.expr_lists[args].iter().rev() {
                    self.tasks.push(Task::Expr(arg, false));
                }
                self.tasks.push(Task::Expr(callee, false));
            }
            Expr::Let(local, value, body) => {
                self.tasks.push(Task::Scope(self.scope.len()));
                self.tasks.push(Task::Expr(body, tail));
                self.tasks.push(Task::Bind(local, false));
                self.tasks.push(Task::Expr(value, false));
            }
            Expr::Letrec(binds, body) => {
                if binds.is_empty() {
                    self.violation("a letrec binds nothing");
                }
                self.tasks.push(Task::Scope(self.scope.len()));
                for bind in &program.binds[binds] {
                    self.bind(bind.local);
                }
                self.tasks.push(Task::Expr(body, tail));
                for bind in program.binds[binds].iter().rev() {
                    self.tasks.push(Task::Expr(bind.value, false));
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
                self.tasks.push(Task::Expr(body, false));
            }
            Expr::Force(local, value, body) => {
                self.tasks.push(Task::Scope(self.scope.len()));
                self.tasks.push(Task::Path(self.path.len()));
                self.tasks.push(Task::Expr(body, tail));
                self.tasks.push(Task::Bind(local, true));
                self.tasks.push(Task::Expr(value, false));
            }
            Expr::Switch(switch) => self.switch(switch, tail),
            Expr::Try(first, second) => {
                self.catches.push(Catch { start: self.path.len(), common: None, shared: 0 });
                self.tasks.push(Task::Caught(second, tail));
                self.tasks.push(Task::Expr(first, true));
            }
            Expr::Fail => self.fail(tail),
            Expr::Error => self.violation("a mistake that was reported is still there"),
        }
    }

    fn switch(&mut self, switch: SwitchId, tail: bool) {
        let program = self.program;
        let Some(switch) = program.switches.get(switch) else {
            self.violation(format!("{switch:?} does not exist"));
            return;
        };
        self.use_local(switch.scrutinee);
        let forced = self.forced.get(switch.scrutinee.index()).is_some_and(|&count| count > 0);
        if switch.evaluated && !forced {
            self.violation(format!("{:?} may not be evaluated", switch.scrutinee));
        }
        self.tasks.push(Task::Path(self.path.len()));
        self.force(switch.scrutinee);
        match &switch.branches {
            Branches::Cons(branches) => {
                self.constructors(switch);
                for branch in branches.iter().rev() {
                    self.tasks.push(Task::Scope(self.scope.len()));
                    self.tasks.push(Task::Expr(branch.body, tail));
                    let fields = branch.fields.iter().rev().flatten();
                    self.tasks.extend(fields.map(|&field| Task::Bind(field, false)));
                }
            }
            Branches::Lits(branches) => {
                self.literals(switch);
                let bodies = branches.iter().rev();
                self.tasks.extend(bodies.map(|&(_, body)| Task::Expr(body, tail)));
            }
        }
        // First, so that a failure there keeps what the branches' failures are compared with
        // short.
        self.tasks.extend(switch.default.map(|default| Task::Expr(default, tail)));
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
