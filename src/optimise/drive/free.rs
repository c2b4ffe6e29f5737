//! The free variables of expressions of the old program, each found once.

use crate::base::index::{IndexVec, List, Pool};
use crate::core::expr::{Branches, Expr, ExprId, LocalId, Program};

/// The most free variables of an expression that is searched.
const MOST: usize = 32;

/// What is known of an expression.
#[derive(Clone, Copy)]
enum Entry {
    /// Nothing: it has not been asked for.
    Unasked,
    /// Its free variables, in the order of their numbers.
    Few(List<LocalId>),
    /// It has many.
    Many,
}

/// The free variables of the expressions that have been asked for, and of those in them.
pub(super) struct FreeLocals {
    of: IndexVec<ExprId, Entry>,
    lists: Pool<LocalId>,
}

impl FreeLocals {
    /// Returns a table in which nothing is known.
    pub fn new(program: &Program) -> FreeLocals {
        FreeLocals {
            of: program.exprs.iter().map(|_| Entry::Unasked).collect(),
            lists: Pool::default(),
        }
    }

    /// Returns the free variables of an expression; `None` if they are many.
    pub fn of(&mut self, program: &Program, expr: ExprId) -> Option<&[LocalId]> {
        let mut work = vec![(expr, false)];
        while let Some((expr, are_parts_known)) = work.pop() {
            if !matches!(self.of[expr], Entry::Unasked) {
                continue;
            }
            if are_parts_known {
                self.of[expr] = self.combined(program, expr);
            } else {
                work.push((expr, true));
                work.extend(program.children(expr).exprs().map(|part| (part, false)));
            }
        }
        match self.of[expr] {
            Entry::Few(list) => Some(&self.lists[list]),
            Entry::Many | Entry::Unasked => None,
        }
    }

    fn combined(&mut self, program: &Program, expr: ExprId) -> Entry {
        let mut free: Vec<LocalId> = program.used_local(expr).into_iter().collect();
        let mut only = None;
        for part in program.children(expr).exprs() {
            let Entry::Few(list) = self.of[part] else { return Entry::Many };
            if list.is_empty() {
                continue;
            }
            only = if free.is_empty() { Some(list) } else { None };
            free.extend(&self.lists[list]);
        }
        let all = free.len();
        free.sort_unstable();
        free.dedup();
        let mut bound: Vec<LocalId> = match program.exprs[expr] {
            Expr::Lam(..) => return Entry::Many,
            Expr::Let(local, ..) | Expr::Force(local, ..) => vec![local],
            Expr::Letrec(binds, _) => program.binds[binds].iter().map(|bind| bind.local).collect(),
            Expr::Join(join, _) => program.local_lists[program.joins[join].params].to_vec(),
            Expr::Switch(switch) => match &program.switches[switch].branches {
                Branches::Cons(branches) => {
                    branches.iter().flat_map(|branch| &branch.fields).flatten().copied().collect()
                }
                Branches::Lits(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        bound.sort_unstable();
        free.retain(|used| bound.binary_search(used).is_err());
        match only {
            _ if free.len() > MOST => Entry::Many,
            // It is that of a part.
            Some(list) if free.len() == all => Entry::Few(list),
            _ => Entry::Few(self.lists.add(free)),
        }
    }
}
