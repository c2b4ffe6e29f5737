//! Selections: applications of functions that return a field of their only argument.
//!
//! A thunk `snd p` keeps all of `p` alive, but once something else evaluates `p` the collector
//! puts the field in the thunk's place, and the rest of `p` can go (Wadler, "Fixing some space
//! leaks with a garbage collector", 1987). From a stack item or a structure it cannot know that
//! only a field is wanted. So a selection that a program binds stays bound where it is, before
//! anything that is evaluated after it, unless it has become a field by then.

use smallvec::{SmallVec, smallvec};

use crate::base::index::IndexVec;
use crate::core::expr::{
    Branches, CONS, ConBranch, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program,
};
use crate::core::traverse::Position;
use crate::primitive::Primitive;

/// A field of the only constructor of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Field {
    /// The constructor.
    pub con: ConId,
    /// The number of the field.
    pub at: usize,
}

/// The functions of a program that may be selectors.
pub(super) struct Selectors(IndexVec<GlobalId, bool>);

impl Selectors {
    /// Finds the selectors among the functions of a program.
    pub fn new(program: &Program) -> Selectors {
        let is_selector = |global| branches(program, global).is_some();
        Selectors(program.globals.iter().map(is_selector).collect())
    }

    /// Returns whether a function may be a selector.
    pub fn has(&self, global: GlobalId) -> bool {
        self.0[global]
    }

    /// Returns the selector of an application and what it is applied to, if that is a variable or a
    /// constant: nothing else can be evaluated by others.
    pub fn selection(&self, program: &Program, expr: ExprId) -> Option<(GlobalId, ExprId)> {
        let Expr::App(callee, args) = program.exprs[expr] else { return None };
        let (Expr::Global(global), &[arg]) = (program.exprs[callee], &program.expr_lists[args])
        else {
            return None;
        };
        let is_named = match program.exprs[arg] {
            Expr::Local(_) => true,
            Expr::Global(constant) => program.arity(constant) == 0,
            _ => false,
        };
        (self.has(global) && is_named).then_some((global, arg))
    }
}

impl Selectors {
    /// Returns for each local whether it is used, and for nothing but to select fields from it.
    pub fn only_selected(&self, program: &Program) -> IndexVec<LocalId, bool> {
        let mut uses: IndexVec<LocalId, (u32, u32)> =
            program.locals.iter().map(|_| (0, 0)).collect();
        for (expr, &form) in program.exprs.enumerate() {
            if let Some(local) = program.used_local(expr) {
                uses[local].0 += 1;
                uses[local].1 += u32::from(matches!(form, Expr::Switch(_)));
            } else if let Some((_, from)) = self.selection(program, expr)
                && let Some(local) = program.used_local(from)
            {
                uses[local].1 += 1;
            }
        }
        uses.iter().map(|&(all, selected)| all > 0 && all == selected).collect()
    }
}

/// Returns the branches of a function of one argument that takes it apart, if one of them returns a
/// field.
fn branches<'p>(program: &'p Program, global: &Global) -> Option<&'p [ConBranch]> {
    let GlobalKind::Defn { params, body: Some(body) } = global.kind else { return None };
    let [param] = program.local_lists[params] else { return None };
    let (body, looked_at) = match program.exprs[body] {
        Expr::Force(forced, value, body) if program.exprs[value] == Expr::Local(param) => {
            (body, forced)
        }
        _ => (body, param),
    };
    let Expr::Switch(switch) = program.exprs[body] else { return None };
    let switch = &program.switches[switch];
    let Branches::Cons(branches) = &switch.branches else { return None };
    let selects = (switch.scrutinee == looked_at || switch.scrutinee == param)
        && branches.iter().any(|branch| returned(program, branch).is_some());
    selects.then_some(branches)
}

/// Returns the field that a branch returns, if it does nothing else.
pub(super) fn returned(program: &Program, branch: &ConBranch) -> Option<usize> {
    let local = |expr: ExprId| match program.exprs[expr] {
        Expr::Local(local) => Some(local),
        _ => None,
    };
    let field: LocalId = match program.exprs[branch.body] {
        // Whoever evaluates the application evaluates the field.
        Expr::Force(forced, value, body) if local(body) == Some(forced) => local(value)?,
        _ => local(branch.body)?,
    };
    branch.fields.iter().position(|of| *of == Some(field))
}

/// Returns which field a selector returns of a constructor.
pub(super) fn selected(program: &Program, selector: GlobalId, con: ConId) -> Option<usize> {
    let branches = branches(program, &program.globals[selector])?;
    returned(program, branches.iter().find(|branch| branch.con == con)?)
}

/// Returns the field that a function of one argument returns of the only constructor of its type, if
/// it does nothing else.
pub(super) fn projection(program: &Program, selector: GlobalId) -> Option<Field> {
    let [branch] = branches(program, &program.globals[selector])? else { return None };
    let at = returned(program, branch)?;
    is_only(program, branch.con).then_some(Field { con: branch.con, at })
}

/// Returns whether a constructor is the only one of its type.
pub(super) fn is_only(program: &Program, con: ConId) -> bool {
    program.datas[program.cons[con].data].cons.len() == 1
}

/// Returns whether a constructor, not of lists, is one of several of its type: something decides by it.
pub(super) fn is_one_of_several(program: &Program, con: ConId) -> bool {
    program.cons[con].data != program.cons[CONS].data && !is_only(program, con)
}

/// Binds selections that stand inside of what a body builds, so that each is bound by itself:
/// `(f (length (snd p)))` becomes `(let ([b (snd p)]) (f (length b)))`. The graph that is
/// built is the same.
pub(super) fn name_selections(program: &mut Program) {
    let selectors = Selectors::new(program);
    for id in program.globals.indices() {
        let GlobalKind::Defn { body: Some(body), .. } = program.globals[id].kind else { continue };
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            strict(program, &selectors, expr, &mut work);
        }
    }
}

/// Names the selections in what an expression in a strict context builds, and pushes its
/// sub-expressions in strict contexts on the work list.
fn strict(program: &mut Program, selectors: &Selectors, expr: ExprId, work: &mut Vec<ExprId>) {
    order_operands(program, selectors, expr);
    let mut built: SmallVec<[ExprId; 8]> = SmallVec::new();
    let is_call = matches!(program.exprs[expr], Expr::App(callee, _)
        if !matches!(program.exprs[callee], Expr::Global(global)
            if matches!(program.globals[global].kind, GlobalKind::Primitive(_))));
    let is_letrec = matches!(program.exprs[expr], Expr::Letrec(..));
    for child in program.children(expr) {
        match child.position {
            Position::Callee | Position::Function => {}
            Position::Binding(_) if is_letrec => {}
            Position::Argument(_) if is_call => built.push(child.expr),
            position if program.is_strict(expr, position) => work.push(child.expr),
            _ => built.push(child.expr),
        }
    }
    let mut found = Vec::new();
    for value in built {
        inside(program, selectors, value, &mut found);
    }
    if found.is_empty() {
        return;
    }
    let span = program.spans[expr];
    let mut inner = program.expr(program.exprs[expr], span);
    for selection in found.into_iter().rev() {
        let at = program.spans[selection];
        let local = program.local(None, at);
        let value = program.expr(program.exprs[selection], at);
        program.exprs[selection] = Expr::Local(local);
        inner = program.expr(Expr::Let(local, value, inner), span);
    }
    program.exprs[expr] = program.exprs[inner];
}

/// The most expressions of an operand among which a selection is looked for.
const OPERAND: usize = 40;

/// Exchanges the operands of a sum or product if the second, which is evaluated first, selects a
/// later field of what the first selects from: of a list that is broken in two the end comes to be
/// only when the beginning has been gone through, all of which would wait.
fn order_operands(program: &mut Program, selectors: &Selectors, expr: ExprId) {
    let Expr::App(callee, args) = program.exprs[expr] else { return };
    let (Expr::Global(global), &[first, second]) =
        (program.exprs[callee], &program.expr_lists[args])
    else {
        return;
    };
    let commutes = matches!(
        program.globals[global].kind,
        GlobalKind::Primitive(Primitive::Add | Primitive::Mul)
    );
    if !commutes {
        return;
    }
    let selects = |operand| selection_in(program, selectors, operand);
    if let (Some((from, field)), Some((also_from, later))) = (selects(first), selects(second))
        && from == also_from
        && field < later
    {
        let args = program.expr_lists.add([second, first]);
        program.exprs[expr] = Expr::App(callee, args);
    }
}

/// Returns the variable and the field of the first selection in an operand that is found.
fn selection_in(
    program: &Program,
    selectors: &Selectors,
    operand: ExprId,
) -> Option<(LocalId, usize)> {
    let mut work = vec![operand];
    for _ in 0..OPERAND {
        let expr = work.pop()?;
        if let Some((selector, from)) = selectors.selection(program, expr)
            && let Expr::Local(from) = program.exprs[from]
        {
            let branches = branches(program, &program.globals[selector])?;
            let field = branches.iter().find_map(|branch| returned(program, branch))?;
            return Some((from, field));
        }
        if let Expr::App(_, args) = program.exprs[expr] {
            work.extend(program.expr_lists[args].iter().rev());
        }
    }
    None
}

/// Finds the selections in what is built, but for one that is all of it.
fn inside(program: &Program, selectors: &Selectors, value: ExprId, found: &mut Vec<ExprId>) {
    let mut work: SmallVec<[ExprId; 8]> = smallvec![value];
    while let Some(expr) = work.pop() {
        let Expr::App(callee, args) = program.exprs[expr] else { continue };
        match selectors.selection(program, expr) {
            Some(_) if expr == value => {}
            Some(_) => found.push(expr),
            None => {
                work.push(callee);
                work.extend(program.expr_lists[args].iter().rev().copied());
            }
        }
    }
}
