//! Choices in lazy contexts become supercombinators.
//!
//! Of an `if` in a lazy context the scheme C builds a graph of all three operands, of which the run
//! needs two, and what is evaluated with it is built as well. A `case` there has been a supercombinator
//! since lambda lifting. So when it is known what is evaluated, an expression in a lazy context that
//! comes to an `if` or a `seq` becomes the application of a supercombinator to the variables that it
//! captures: one thunk, whose code evaluates, branches and builds what the branch needs.
//!
//! Before partial evaluation those go first that come to data that is written down: whoever consumes
//! the call of a supercombinator consumes it in its branches, and what comes after it is one
//! continuation of both.
//!
//! A selection from what is captured is captured in its place, so that the collector finds it
//! ([`super::selection`]). What captures nothing stays: it would be a constant.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::selection::Selectors;
use crate::core::expr::{CONS, Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, NIL, Program};
use crate::core::signature::{Demand, Signature};
use crate::core::traverse::{Child, Position};
use crate::primitive::Shape;

/// How many expressions the search for captured variables may look at, for each expression of the
/// program: choices nested in each other are looked at once for each level.
const LOOKS: usize = 8;

/// The most expressions of a constructor that is looked at for whether all of it is written down.
const WRITTEN: usize = 100;

/// Which choices are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// All of which something is built.
    All,
    /// Those that come to data that is written down, in one branch at least.
    Data,
}

/// Moves choices in lazy contexts to supercombinators, and returns these. Takes time linear in the
/// program.
pub(super) fn lift(program: &mut Program, which: Which) -> Vec<GlobalId> {
    let selectors = Selectors::new(program);
    let looks = LOOKS * program.exprs.len();
    let mut lifter = Lifter { program, which, selectors, looks, count: 0, lifted: Vec::new() };
    for id in lifter.program.globals.indices() {
        lifter.definition(id);
    }
    let mut next = 0;
    while let Some(&id) = lifter.lifted.get(next) {
        lifter.definition(id);
        next += 1;
    }
    lifter.lifted
}

/// Returns whether one of the supercombinators binds something.
pub(super) fn have_bindings(program: &Program, lifted: &[GlobalId]) -> bool {
    lifted.iter().any(|&id| match program.globals[id].kind {
        GlobalKind::Defn { body: Some(body), .. } => {
            program.walk(body).any(|expr| matches!(program.exprs[expr], Expr::Let(..)))
        }
        _ => false,
    })
}

struct Lifter<'p> {
    program: &'p mut Program,
    which: Which,
    selectors: Selectors,
    /// How many expressions may still be looked at for what they capture.
    looks: usize,
    /// How many supercombinators have been named after the definition at hand.
    count: u32,
    lifted: Vec<GlobalId>,
}

/// The parameters of a supercombinator, and what is passed for them.
#[derive(Default)]
struct Captured {
    params: Vec<LocalId>,
    args: Vec<ExprId>,
}

impl Lifter<'_> {
    /// Goes through a definition.
    fn definition(&mut self, id: GlobalId) {
        let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[id].kind else {
            return;
        };
        self.count = 0;
        for root in self.lazy(body) {
            self.built(id, root);
        }
    }

    /// Returns the expressions in lazy contexts of one in a strict context, without those inside of
    /// others.
    fn lazy(&self, body: ExprId) -> Vec<ExprId> {
        let program = &*self.program;
        let mut lazy = Vec::new();
        let mut work = vec![(body, Demand::Strict)];
        while let Some((expr, demand)) = work.pop() {
            if demand == Demand::Lazy {
                if matches!(program.exprs[expr], Expr::App(..) | Expr::Let(..) | Expr::Letrec(..)) {
                    lazy.push(expr);
                }
                continue;
            }
            let children = program.children(expr);
            match program.exprs[expr] {
                Expr::App(callee, args) => {
                    let count = args.len();
                    let of_argument = |at: usize| match program.exprs[callee] {
                        // The scheme evaluates those fields that the signature says.
                        Expr::Con(con) => demand.field(con, at),
                        _ => program.demand(callee, count, at),
                    };
                    work.extend(
                        program.expr_lists[args]
                            .iter()
                            .enumerate()
                            .map(|(at, &arg)| (arg, of_argument(at))),
                    );
                }
                _ => work.extend(children.map(|Child { expr: child, position }| {
                    match program.is_strict(expr, position) {
                        true => (child, Demand::Strict),
                        false => (child, Demand::Lazy),
                    }
                })),
            }
        }
        lazy
    }

    /// Lifts the outermost choices in an expression that is built.
    fn built(&mut self, home: GlobalId, root: ExprId) {
        // Parents before their children.
        let exprs: Vec<ExprId> = self.program.walk(root).collect();
        let is_choice = |&expr: &ExprId| self.is_choice(expr);
        let mut chooses: FxHashSet<ExprId> = exprs.iter().copied().filter(is_choice).collect();
        if chooses.is_empty() {
            return;
        }
        for &expr in exprs.iter().rev() {
            let program = &*self.program;
            let is_evaluated = |child: &Child| {
                program.is_strict(expr, child.position) && chooses.contains(&child.expr)
            };
            if program.children(expr).any(|child| is_evaluated(&child)) {
                chooses.insert(expr);
            }
        }
        let mut work = vec![root];
        while let Some(expr) = work.pop() {
            let is_moved = match self.which {
                Which::All => !self.is_plain(expr),
                Which::Data => self.comes_to_data(expr),
            };
            if chooses.contains(&expr) && is_moved {
                self.supercombinator(home, expr);
            } else {
                let children = self.program.children(expr);
                let built = children.filter(|child| child.position != Position::Callee);
                work.extend(built.map(|child| child.expr));
            }
        }
    }

    /// Returns whether an expression is an `if`, or a `seq` where all are moved, with all its operands.
    fn is_choice(&self, expr: ExprId) -> bool {
        let Expr::App(callee, args) = self.program.exprs[expr] else { return false };
        let Expr::Global(global) = self.program.exprs[callee] else { return false };
        matches!(self.program.globals[global].kind, GlobalKind::Primitive(primitive)
        if primitive.arity() == args.len() && match primitive.shape() {
            Shape::If => true,
            Shape::Seq => self.which == Which::All,
            _ => false,
        })
    }

    /// Returns whether nothing is built for the operands of an application: the code of what it
    /// applies is as good as code of its own.
    fn is_plain(&self, expr: ExprId) -> bool {
        let program = &*self.program;
        let Expr::App(_, args) = program.exprs[expr] else { return false };
        let is_atom = |&arg: &ExprId| {
            !matches!(program.exprs[arg], Expr::App(..) | Expr::Let(..) | Expr::Letrec(..))
        };
        program.expr_lists[args].iter().all(is_atom)
    }

    /// Returns whether a choice comes to a text or a constructor that is written down in one of its
    /// branches. Of a list all cells are.
    fn comes_to_data(&self, expr: ExprId) -> bool {
        let program = &*self.program;
        let mut work = vec![expr];
        for _ in 0..WRITTEN {
            let Some(end) = work.pop() else { return false };
            match program.exprs[end] {
                Expr::Text(_) => return true,
                Expr::Let(_, _, body) | Expr::Letrec(_, body) => work.push(body),
                Expr::App(callee, args) => match program.exprs[callee] {
                    Expr::Con(CONS) => match program.expr_lists[args] {
                        // The end of the list is not a branch, but what has to be there.
                        [_, tail] if self.is_written(tail) => return true,
                        _ => {}
                    },
                    Expr::Con(con) if args.len() == program.cons[con].arity as usize => {
                        return true;
                    }
                    _ => work.extend(&program.expr_lists[program.tails(callee, args)]),
                },
                _ => {}
            }
        }
        false
    }

    /// Returns whether all cells of a list are written down.
    fn is_written(&self, list: ExprId) -> bool {
        let program = &*self.program;
        let mut rest = list;
        for _ in 0..WRITTEN {
            rest = match program.exprs[rest] {
                Expr::Con(NIL) | Expr::Text(_) => return true,
                Expr::App(callee, args) if program.exprs[callee] == Expr::Con(CONS) => {
                    match program.expr_lists[args] {
                        [_, tail] => tail,
                        _ => return false,
                    }
                }
                _ => return false,
            };
        }
        false
    }

    /// Moves an expression to a supercombinator, and puts the application in its place.
    fn supercombinator(&mut self, home: GlobalId, expr: ExprId) {
        let Some(captured) = self.captured(expr) else { return };
        let program = &mut *self.program;
        let span = program.spans[expr];
        let body = program.expr(program.exprs[expr], span);
        let params = program.local_lists.add(captured.params);
        self.count += 1;
        let letter = match self.which {
            Which::All => 'l',
            Which::Data => 'd',
        };
        let symbol = format!("{}${letter}{}", program.globals[home].symbol, self.count).into();
        let global = program.globals.push(Global {
            symbol,
            display: None,
            kind: GlobalKind::Defn { params, body: Some(body) },
            span,
            signature: Signature::default(),
        });
        let callee = program.expr(Expr::Global(global), span);
        let args = program.expr_lists.add(captured.args);
        program.exprs[expr] = Expr::App(callee, args);
        self.lifted.push(global);
    }

    /// Puts parameters in the place of what an expression captures; `None`, and nothing is changed, if
    /// it captures nothing or there has been too much to look at.
    fn captured(&mut self, expr: ExprId) -> Option<Captured> {
        let (mut bound, mut used) = (FxHashSet::default(), Vec::new());
        let mut work = vec![expr];
        let mut looks = 0;
        while let Some(expr) = work.pop() {
            looks += 1;
            let program = &*self.program;
            match program.exprs[expr] {
                Expr::Let(local, ..) => _ = bound.insert(local),
                Expr::Letrec(binds, _) => {
                    bound.extend(program.binds[binds].iter().map(|bind| bind.local))
                }
                Expr::Local(local) => used.push((expr, Some(local))),
                _ => {}
            }
            match self.selectors.selection(program, expr) {
                // It is evaluated by others, if at all.
                Some((_, from)) => used.push((expr, program.used_local(from))),
                None => program.push_children(expr, &mut work),
            }
        }
        self.looks = self.looks.checked_sub(looks)?;
        used.retain(|(_, local)| local.is_none_or(|local| !bound.contains(&local)));
        let mut captured = Captured::default();
        let mut variables = FxHashMap::default();
        for (expr, _) in used {
            let program = &mut *self.program;
            let span = program.spans[expr];
            let new = match program.exprs[expr] {
                Expr::Local(local) => match variables.entry(local) {
                    Entry::Occupied(known) => Err(*known.get()),
                    Entry::Vacant(new) => {
                        let name = program.locals[local].name;
                        Ok(*new.insert(program.local(name, span)))
                    }
                },
                _ => Ok(program.local(None, span)),
            };
            if let Ok(param) = new {
                captured.params.push(param);
                captured.args.push(program.expr(program.exprs[expr], span));
            }
            let (Ok(param) | Err(param)) = new;
            program.exprs[expr] = Expr::Local(param);
        }
        (!captured.params.is_empty()).then_some(captured)
    }
}
