//! What a definition mentions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalId, GlobalKind, Join, JoinId, LocalId, Program,
};

/// What a definition mentions, each thing once, in the order of its first place.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    pub(super) globals: Vec<GlobalId>,
    pub(super) cons: Vec<ConId>,
    /// How often each local is used, in what is written: a local that a join stands for is
    /// written for each jump to it.
    pub(super) uses: FxHashMap<LocalId, u32>,
    /// How many jumps there are to each join.
    pub(super) jumps: FxHashMap<JoinId, u32>,
}

/// What a definition mentions; nothing if it has no body.
pub(super) fn mentions(program: &Program, global: GlobalId) -> Mentions {
    let mut out = Mentions::default();
    let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind else {
        return out;
    };
    let (mut globals, mut cons) = (FxHashSet::default(), FxHashSet::default());
    let mut stands_for: Vec<(JoinId, LocalId)> = Vec::new();
    let mut work = vec![body];
    let mut children: Vec<ExprId> = Vec::new();
    while let Some(expr) = work.pop() {
        match program.exprs[expr] {
            Expr::Global(global) => {
                if globals.insert(global) {
                    out.globals.push(global);
                }
            }
            Expr::Con(con) => {
                if cons.insert(con) {
                    out.cons.push(con);
                }
            }
            Expr::Local(local) => *out.uses.entry(local).or_default() += 1,
            Expr::App(callee, args) => {
                children.push(callee);
                children.extend(&program.expr_lists[args]);
            }
            Expr::Let(_, value, body) | Expr::Force(_, value, body) => {
                children.extend([value, body]);
            }
            Expr::Letrec(binds, body) => {
                children.extend(program.binds[binds].iter().map(|bind| bind.value));
                children.push(body);
            }
            Expr::Lam(_, body) => children.push(body),
            Expr::Join(join, body) => {
                let Join { params, handler } = program.joins[join];
                if let (true, Expr::Local(local)) = (params.is_empty(), program.exprs[handler]) {
                    stands_for.push((join, local));
                }
                children.extend([handler, body]);
            }
            Expr::Jump(join, args) => {
                *out.jumps.entry(join).or_default() += 1;
                children.extend(&program.expr_lists[args]);
            }
            Expr::Switch(switch) => {
                let switch = &program.switches[switch];
                *out.uses.entry(switch.scrutinee).or_default() += 1;
                match &switch.branches {
                    Branches::Cons(branches) => {
                        for branch in branches {
                            if cons.insert(branch.con) {
                                out.cons.push(branch.con);
                            }
                            children.push(branch.body);
                        }
                    }
                    Branches::Lits(branches) => {
                        children.extend(branches.iter().map(|&(_, body)| body));
                    }
                }
                children.extend(switch.default);
            }
            Expr::Lit(_) | Expr::Text(_) | Expr::NoMatch | Expr::Error => {}
        }
        work.extend(children.drain(..).rev());
    }
    for (join, local) in stands_for {
        let jumps = out.jumps.get(&join).copied().unwrap_or_default();
        *out.uses.entry(local).or_default() += jumps.saturating_sub(1);
    }
    out
}
