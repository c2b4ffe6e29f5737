//! Occurrence analysis of a definition: the globals, constructors and locals that occur in it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, LocalId, Program,
};

/// What occurs in a definition, each thing once, in the order of its first place.
#[derive(Clone, Debug, Default)]
pub(super) struct Occurrences {
    pub(super) globals: Vec<GlobalId>,
    pub(super) cons: Vec<ConId>,
    /// The number of uses of each local in what is written: a local that is the handler of a join
    /// is written for each jump to it.
    pub(super) uses: FxHashMap<LocalId, u32>,
    /// The number of jumps to each join.
    pub(super) jumps: FxHashMap<JoinId, u32>,
}

/// Returns what occurs in a definition; nothing if it has no body.
pub(super) fn occurrences(program: &Program, global: GlobalId) -> Occurrences {
    let mut out = Occurrences::default();
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind else {
        return out;
    };
    let (mut globals, mut cons) = (FxHashSet::default(), FxHashSet::default());
    let mut stands_for: Vec<(JoinId, LocalId)> = Vec::new();
    let mut work = vec![body];
    let mut children: Vec<ExprId> = Vec::new();
    while let Some(expr) = work.pop() {
        if let Some(local) = program.used_local(expr) {
            *out.uses.entry(local).or_default() += 1;
        }
        let mut note = |con| {
            if cons.insert(con) {
                out.cons.push(con);
            }
        };
        match program.exprs[expr] {
            Expr::Global(global) if globals.insert(global) => out.globals.push(global),
            Expr::Con(con) => note(con),
            Expr::Join(join, _) => {
                let Join { params, handler } = program.joins[join];
                if let (true, Expr::Local(local)) = (params.is_empty(), program.exprs[handler]) {
                    stands_for.push((join, local));
                }
            }
            Expr::Jump(join, _) => *out.jumps.entry(join).or_default() += 1,
            Expr::Switch(switch) => {
                if let Branches::Cons(branches) = &program.switches[switch].branches {
                    branches.iter().for_each(|branch| note(branch.con));
                }
            }
            _ => {}
        }
        children.extend(program.children(expr).exprs());
        if let Expr::Join(..) = program.exprs[expr] {
            // The handler is written first.
            children.reverse();
        }
        work.extend(children.drain(..).rev());
    }
    for (join, local) in stands_for {
        let jumps = out.jumps.get(&join).copied().unwrap_or_default();
        *out.uses.entry(local).or_default() += jumps.saturating_sub(1);
    }
    out
}
