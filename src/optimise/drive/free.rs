//! The free variables of expressions of the old program, each found once.

use smallvec::{SmallVec, smallvec};

use crate::base::index::{IndexVec, List, Pool};
use crate::core::expr::{Branches, Expr, ExprId, LocalId, Program};

/// The most free variables of an expression that is searched.
const MOST: usize = 32;

/// A few of them.
pub(super) type Locals = SmallVec<[LocalId; 8]>;

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
        if let Entry::Few(list) = self.of[expr] {
            return Some(&self.lists[list]);
        }
        let mut work: SmallVec<[(ExprId, bool); 16]> = smallvec![(expr, false)];
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
        match program.exprs[expr] {
            Expr::Local(local) => return Entry::Few(self.lists.add([local])),
            Expr::Lit(_) | Expr::Global(_) | Expr::Con(_) => return Entry::Few(List::EMPTY),
            _ => {}
        }
        let mut free: Locals = program.used_local(expr).into_iter().collect();
        let mut only = None;
        for part in program.children(expr).exprs() {
            let Entry::Few(list) = self.of[part] else { return Entry::Many };
            if list.is_empty() {
                continue;
            }
            only = if free.is_empty() { Some(list) } else { None };
            free.extend_from_slice(&self.lists[list]);
        }
        let all = free.len();
        free.sort_unstable();
        free.dedup();
        let mut bound: Locals = match program.exprs[expr] {
            Expr::Lam(..) => return Entry::Many,
            Expr::Let(local, ..) | Expr::Force(local, ..) => smallvec![local],
            Expr::Letrec(binds, _) => program.binds[binds].iter().map(|bind| bind.local).collect(),
            Expr::Join(join, _) => {
                Locals::from_slice(&program.local_lists[program.joins[join].params])
            }
            Expr::Switch(switch) => match &program.switches[switch].branches {
                Branches::Cons(branches) => {
                    branches.iter().flat_map(|branch| &branch.fields).flatten().copied().collect()
                }
                Branches::Lits(_) => Locals::new(),
            },
            _ => Locals::new(),
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
