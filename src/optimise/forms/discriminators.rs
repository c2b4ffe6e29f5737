//! Tests of what a variable is become cases of it, selections from it the fields, and cases of it in these
//! the branches that they take.
//!
//! `(if (isNil xs) A B)`, with `(head xs)` and `(tail xs)` in `B`, is
//! `(case xs [Nil A] [(Cons h t) B])` with `h` and `t` there: the test evaluates `xs`, so nothing is
//! evaluated that was not, and a thunk for a selection would hold all of `xs` for one field.

use rustc_hash::FxHashMap;

use crate::base::index::IndexVec;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, Lit, Local, LocalId,
    Program, Switch, SwitchId,
};
use crate::core::traverse::Position;
use crate::optimise::selection::{Selectors, selected};
use crate::primitive::Shape;

/// The functions of a program that say which constructor their only argument is.
pub(super) struct Tests(IndexVec<GlobalId, bool>);

impl Tests {
    /// Finds the tests among the functions of a program.
    pub(super) fn new(program: &Program) -> Tests {
        let is_test = |global| test(program, global).is_some();
        Tests(program.globals.iter().map(is_test).collect())
    }

    /// Returns whether a function is a test.
    pub(super) fn has(&self, global: GlobalId) -> bool {
        self.0[global]
    }
}

/// Returns the switch of a function of one argument that comes to 1 for some constructors and to 0 for
/// the others.
fn test<'p>(program: &'p Program, global: &Global) -> Option<&'p Switch> {
    let GlobalKind::Defn { params, body: Some(body) } = global.kind else { return None };
    let [param] = program.local_lists[params] else { return None };
    let Expr::Switch(switch) = program.exprs[body] else { return None };
    let switch = &program.switches[switch];
    let Branches::Cons(branches) = &switch.branches else { return None };
    let mut ends = branches.iter().map(|branch| branch.body).chain(switch.default);
    let is_test = switch.scrutinee == param && ends.all(|end| truth(program, end).is_some());
    is_test.then_some(switch)
}

/// Returns what a truth is, if it is written down.
fn truth(program: &Program, expr: ExprId) -> Option<bool> {
    match program.exprs[expr] {
        Expr::Lit(Lit::Int(0)) => Some(false),
        Expr::Lit(Lit::Int(1)) => Some(true),
        _ => None,
    }
}

/// Makes cases of the tests and selections of variables, and returns how many there were. Takes time
/// linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let tests = Tests::new(program);
    let selectors = Selectors::new(program);
    let mut writer = Writer { program, tests, selectors, known: FxHashMap::default(), count: 0 };
    for id in writer.program.globals.indices() {
        if let GlobalKind::Defn { body: Some(body), .. } = writer.program.globals[id].kind {
            writer.body(body);
        }
    }
    writer.count
}

/// Returns the only constructor of a type of which there is no branch.
pub(super) fn other(program: &Program, branches: &[ConBranch]) -> Option<ConId> {
    let cons = &program.datas[program.cons[branches.first()?.con].data].cons;
    let is_only = branches.len() + 1 == cons.len();
    // Both are in the order of the tags.
    let at = branches.iter().zip(cons).take_while(|(branch, con)| branch.con == **con).count();
    is_only.then(|| cons[at])
}

/// What is left to do.
enum Work {
    /// An expression, and whether it stands in a strict context.
    Expr(ExprId, bool),
    /// What is known of a variable from here on.
    Known(LocalId, Option<Known>),
}

/// In the branch of which switch for which constructor an expression stands.
#[derive(Clone, Copy)]
struct Known {
    switch: SwitchId,
    con: ConId,
}

struct Writer<'p> {
    program: &'p mut Program,
    tests: Tests,
    selectors: Selectors,
    known: FxHashMap<LocalId, Known>,
    count: u64,
}

impl Writer<'_> {
    fn body(&mut self, body: ExprId) {
        let mut work = vec![Work::Expr(body, true)];
        while let Some(next) = work.pop() {
            match next {
                Work::Expr(expr, strict) => self.expr(expr, strict, &mut work),
                Work::Known(local, Some(known)) => drop(self.known.insert(local, known)),
                Work::Known(local, None) => drop(self.known.remove(&local)),
            }
        }
    }

    fn expr(&mut self, expr: ExprId, strict: bool, work: &mut Vec<Work>) {
        self.selection(expr);
        // In a lazy context there is no switch.
        if strict {
            self.test(expr);
        }
        while self.known(expr) {}
        let Expr::Switch(id) = self.program.exprs[expr] else {
            let program = &*self.program;
            work.extend(program.children(expr).map(|child| {
                Work::Expr(child.expr, strict && program.is_strict(expr, child.position))
            }));
            return;
        };
        let scrutinee = self.program.switches[id].scrutinee;
        let before = self.known.get(&scrutinee).copied();
        for child in self.program.children(expr) {
            let switch = &self.program.switches[id];
            let con = match (&switch.branches, child.position) {
                (Branches::Cons(branches), Position::Branch(at)) => Some(branches[at as usize].con),
                (Branches::Cons(branches), _) => other(self.program, branches),
                (Branches::Lits(_), _) => None,
            };
            let known = con.map(|con| Known { switch: id, con });
            work.push(Work::Known(scrutinee, before));
            work.push(Work::Expr(child.expr, strict));
            work.push(Work::Known(scrutinee, known.or(before)));
        }
    }

    /// Makes a case of what is known the branch that it is known to take. Returns whether it was one.
    fn known(&mut self, expr: ExprId) -> bool {
        let Expr::Switch(id) = self.program.exprs[expr] else { return false };
        let scrutinee = self.program.switches[id].scrutinee;
        let Some(&Known { switch, con }) = self.known.get(&scrutinee) else { return false };
        let Branches::Cons(branches) = &self.program.switches[id].branches else { return false };
        let branch = branches.iter().find(|branch| branch.con == con);
        let fields = branch.map(|branch| branch.fields.clone()).unwrap_or_default();
        let body = branch.map(|branch| branch.body).or(self.program.switches[id].default);
        let Some(mut out) = body else { return false };
        let span = self.program.spans[expr];
        for (at, field) in fields.into_iter().enumerate() {
            if let Some(field) = field {
                let value = self.field(switch, con, at);
                let value = self.program.expr(Expr::Local(value), span);
                out = self.program.expr(Expr::Let(field, value, out), span);
            }
        }
        self.program.exprs[expr] = self.program.exprs[out];
        self.count += 1;
        true
    }

    /// Makes a field of a selection from what is known.
    fn selection(&mut self, expr: ExprId) {
        let Some((selector, from)) = self.selectors.selection(self.program, expr) else { return };
        let Expr::Local(from) = self.program.exprs[from] else { return };
        let Some(&Known { switch, con }) = self.known.get(&from) else { return };
        let Some(at) = selected(self.program, selector, con) else { return };
        let field = self.field(switch, con, at);
        self.program.exprs[expr] = Expr::Local(field);
        self.count += 1;
    }

    /// Returns the variable of a field in the branch of a constructor, which is made if there is none.
    fn field(&mut self, id: SwitchId, con: ConId, at: usize) -> LocalId {
        let arity = self.program.cons[con].arity as usize;
        let switch = &mut self.program.switches[id];
        let Branches::Cons(branches) = &mut switch.branches else {
            unreachable!("a constructor is known by a switch on constructors")
        };
        let branch = branches.partition_point(|branch| branch.con < con);
        if branches.get(branch).is_none_or(|branch| branch.con != con)
            && let Some(body) = switch.default.take()
        {
            branches.insert(branch, ConBranch { con, fields: vec![None; arity], body });
        }
        let branch = &mut branches[branch];
        if let Some(field) = branch.fields[at] {
            return field;
        }
        let span = self.program.spans[branch.body];
        let field = self.program.locals.push(Local { name: None, span });
        branch.fields[at] = Some(field);
        field
    }

    /// Makes a case of a choice by a test of a variable.
    fn test(&mut self, expr: ExprId) {
        let Some((scrutinee, test, yes, no)) = self.tested(expr) else { return };
        let Switch { branches: Branches::Cons(branches), default, .. } = test else { return };
        let is_true = |end| truth(self.program, end) == Some(true);
        let of = |holds| if holds { yes } else { no };
        // An end stands in one branch: in the default, if there are more.
        let mut cons: Vec<(ConId, bool)> =
            branches.iter().map(|branch| (branch.con, is_true(branch.body))).collect();
        let mut default = default.map(is_true);
        if default.is_none() && cons.len() > 2 {
            let trues = cons.iter().filter(|(_, holds)| *holds).count();
            default = Some(trues > 1);
        }
        cons.retain(|&(_, holds)| Some(holds) != default);
        let is_once = cons.len() == 1 && default.is_some()
            || cons.len() == 2 && default.is_none() && cons[0].1 != cons[1].1;
        if !is_once {
            return;
        }
        let branch = |(con, holds): (ConId, bool)| {
            let fields = vec![None; self.program.cons[con].arity as usize];
            ConBranch { con, fields, body: of(holds) }
        };
        let switch = Switch {
            scrutinee,
            evaluated: false,
            branches: Branches::Cons(cons.into_iter().map(branch).collect()),
            default: default.map(of),
        };
        let switch = self.program.switches.push(switch);
        self.program.exprs[expr] = Expr::Switch(switch);
        self.count += 1;
    }

    /// Returns the variable that a choice tests, the test, and what is chosen if it holds and if not.
    fn tested(&self, expr: ExprId) -> Option<(LocalId, Switch, ExprId, ExprId)> {
        let program = &*self.program;
        let Expr::App(callee, args) = program.exprs[expr] else { return None };
        let Expr::Global(primitive) = program.exprs[callee] else { return None };
        let GlobalKind::Primitive(primitive) = program.globals[primitive].kind else { return None };
        let (Shape::If, &[condition, yes, no]) = (primitive.shape(), &program.expr_lists[args])
        else {
            return None;
        };
        let Expr::App(callee, args) = program.exprs[condition] else { return None };
        let (Expr::Global(test), &[arg]) = (program.exprs[callee], &program.expr_lists[args])
        else {
            return None;
        };
        let Expr::Local(scrutinee) = program.exprs[arg] else { return None };
        if !self.tests.has(test) {
            return None;
        }
        let switch = self::test(program, &program.globals[test])?.clone();
        Some((scrutinee, switch, yes, no))
    }
}
