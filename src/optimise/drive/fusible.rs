//! Producers and consumers for fusion: functions that end in constructors, and parameters that
//! are only taken apart.

use rustc_hash::FxHashMap;

use super::facts::Facts;
use crate::base::index::IndexVec;
use crate::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program, SwitchId};

/// Facts about which calls produce and which consume constructors one by one.
pub struct Fusible {
    /// Whether nothing is done with a local but that its value is taken apart, once.
    pub consumed: IndexVec<LocalId, bool>,
    /// The switches that take a parameter apart of which that is so.
    pub consumers: FxHashMap<SwitchId, Consumer>,
    /// Whether a function may end in a constructor with fields, and is not large.
    pub produces: IndexVec<GlobalId, bool>,
}

/// A switch on a parameter.
#[derive(Clone, Copy)]
pub struct Consumer {
    /// Whose parameter.
    pub global: GlobalId,
    /// Which one.
    pub at: usize,
    /// Whether the function does nothing before.
    pub first: bool,
}

/// Finds out which calls produce and which consume constructors one by one.
pub fn fusible(program: &Program, facts: &Facts) -> Fusible {
    let mut fusible = Fusible {
        consumed: program.locals.iter().map(|_| false).collect(),
        consumers: FxHashMap::default(),
        produces: program.globals.iter().map(|_| false).collect(),
    };
    for (id, global) in program.globals.enumerate() {
        let GlobalKind::Defn { params, body: Some(body) } = global.kind else { continue };
        fusible.produces[id] = facts.size[id] <= PRODUCER && produces(program, body);
        for (at, &param) in program.local_lists[params].iter().enumerate() {
            let Some(switch) = facts.switch[param] else { continue };
            let by_con = matches!(program.switches[switch].branches, Branches::Cons(_));
            if facts.uses[param] == 1 && by_con {
                fusible.consumed[param] = true;
                let first = program.exprs[body] == Expr::Switch(switch);
                fusible.consumers.insert(switch, Consumer { global: id, at, first });
            }
        }
    }
    // What is only passed on to be consumed is consumed: each local is passed in one place.
    let mut seen: IndexVec<LocalId, bool> = program.locals.iter().map(|_| false).collect();
    for local in program.locals.indices() {
        let (mut at, mut path) = (local, Vec::new());
        let consumed = loop {
            if fusible.consumed[at] {
                break true;
            }
            let Some(next) = facts.passed[at] else { break false };
            if facts.uses[at] != 1 || std::mem::replace(&mut seen[at], true) {
                break false;
            }
            path.push(at);
            at = next;
        };
        if consumed {
            path.into_iter().for_each(|local| fusible.consumed[local] = true);
        }
    }
    fusible
}

/// Producers of at most so many expressions are written where they are consumed.
const PRODUCER: u32 = 60;

/// Whether an expression may come to a constructor with fields, by what it ends in.
fn produces(program: &Program, body: ExprId) -> bool {
    let mut work = vec![body];
    while let Some(expr) = work.pop() {
        match program.exprs[expr] {
            Expr::Let(_, _, body) | Expr::Letrec(_, body) | Expr::Force(_, _, body) => {
                work.push(body);
            }
            Expr::Join(join, body) => work.extend([body, program.joins[join].handler]),
            Expr::Switch(switch) => {
                let switch = &program.switches[switch];
                match &switch.branches {
                    Branches::Cons(branches) => {
                        work.extend(branches.iter().map(|branch| branch.body));
                    }
                    Branches::Lits(branches) => {
                        work.extend(branches.iter().map(|&(_, body)| body));
                    }
                }
                work.extend(switch.default);
            }
            Expr::App(callee, args) => match program.exprs[callee] {
                Expr::Con(_) => return true,
                _ => {
                    let tails = program.tails(callee, args);
                    work.extend(&program.expr_lists[tails]);
                }
            },
            _ => {}
        }
    }
    false
}
