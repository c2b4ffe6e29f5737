//! A parameter for which every call passes the same constant is bound to that constant.
//!
//! Partial evaluation makes no variants for what only counts, and generalises what would have too many. When
//! it is done, such a parameter may have one value after all: `(defn sum-to[i n s] ..)` with one call from
//! elsewhere, `(sum-to 1 120 0)`, and one of itself that passes `n` on. This is constant propagation between
//! functions (Wegman and Zadeck, "Constant propagation with conditional branches", TOPLAS 13(2), 1991), with
//! the calls alone for edges.
//!
//! - What is passed is a literal, a function or a definition's value by name, or a constructor without fields,
//!   or a parameter of which that is so: a parameter is taken for constant until a call says otherwise.
//! - Every call is known: the function is mentioned nowhere but in calls with all its arguments, and is not
//!   `main` or a root.

use rustc_hash::FxHashMap;

use super::usage::circles;
use crate::core::expr::{Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};

/// The most expressions of a function of which a call is rather unfolded where all of it is known.
const LITTLE: usize = 40;

/// What is passed for a parameter.
#[derive(Clone, Copy, PartialEq)]
enum Passed {
    /// Nothing, as far as is known.
    Nothing,
    /// A constant, and nothing else.
    Constant(Expr),
    /// What is not known, or one of several.
    Any,
}

/// Binds parameters to the constants that are passed for them, which are passed no more, and returns how many
/// there were. Takes time linear in the program.
pub(super) fn bind(program: &mut Program) -> u64 {
    let passed = Flow::new(program).passed;
    let circles = circles(program);
    // Which parameters of each function go.
    let mut gone: FxHashMap<GlobalId, Vec<bool>> = FxHashMap::default();
    let mut count = 0;
    for id in program.globals.indices() {
        let GlobalKind::Defn { params, body: Some(mut body) } = program.globals[id].kind else {
            continue;
        };
        let mut params = program.local_lists[params].to_vec();
        let constant = |param| match passed[param] {
            Passed::Constant(constant) => Some(constant),
            _ => None,
        };
        let constants: Vec<Option<Expr>> = params.iter().map(constant).collect();
        let bound = constants.iter().flatten().count();
        let is_little = || program.walk(body).nth(LITTLE).is_none();
        // What is little is unfolded because all of a call is known.
        let is_unfolded = bound == params.len() && circles[id].is_none() && is_little();
        if bound == 0 || is_unfolded {
            continue;
        }
        for (&param, &constant) in params.iter().zip(&constants) {
            let Some(constant) = constant else { continue };
            let span = program.spans[body];
            let value = program.expr(constant, span);
            body = program.expr(Expr::Let(param, value, body), span);
        }
        let mut goes: Vec<bool> = constants.iter().map(Option::is_some).collect();
        if bound == params.len() {
            // It would become a CAF, whose value is kept: what is passed for one is not looked at.
            params[0] =
                program.local(program.locals[params[0]].name, program.locals[params[0]].span);
            goes[0] = false;
        }
        let params = program.local_lists.add(kept(&params, &goes));
        program.globals[id].kind = GlobalKind::Defn { params, body: Some(body) };
        gone.insert(id, goes);
        count += bound as u64;
    }
    for expr in program.exprs.indices() {
        if let Expr::App(callee, args) = program.exprs[expr]
            && let Expr::Global(global) = program.exprs[callee]
            && let Some(goes) = gone.get(&global)
        {
            let args = kept(&program.expr_lists[args], goes);
            program.exprs[expr] = Expr::App(callee, program.expr_lists.add(args));
        }
    }
    count
}

/// Returns what does not go.
fn kept<T: Copy>(all: &[T], goes: &[bool]) -> Vec<T> {
    let goes = goes.iter().copied().chain(std::iter::repeat(false));
    all.iter().zip(goes).filter(|&(_, goes)| !goes).map(|(&one, _)| one).collect()
}

/// What flows from calls to parameters.
struct Flow {
    passed: FxHashMap<LocalId, Passed>,
    /// The parameters that each is passed for.
    passed_for: FxHashMap<LocalId, Vec<LocalId>>,
    /// What has been passed for a parameter, and is to be passed on.
    work: Vec<LocalId>,
}

impl Flow {
    /// Returns what the calls of a program pass for each parameter.
    fn new(program: &Program) -> Flow {
        let mut flow = Flow {
            passed: FxHashMap::default(),
            passed_for: FxHashMap::default(),
            work: Vec::new(),
        };
        for global in program.globals.iter() {
            if let GlobalKind::Defn { params, .. } = global.kind {
                let params = program.local_lists[params].iter();
                flow.passed.extend(params.map(|&param| (param, Passed::Nothing)));
            }
        }
        for global in program.kept() {
            flow.escape(program, global);
        }
        for global in program.globals.iter() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            let mut work = vec![body];
            while let Some(expr) = work.pop() {
                match program.exprs[expr] {
                    Expr::Global(global) => flow.escape(program, global),
                    Expr::App(callee, args) => {
                        if !flow.call(program, callee, &program.expr_lists[args]) {
                            work.push(callee);
                        }
                        work.extend(&program.expr_lists[args]);
                    }
                    _ => work.extend(program.children(expr).map(|child| child.expr)),
                }
            }
        }
        while let Some(param) = flow.work.pop() {
            let passed = flow.passed[&param];
            for at in 0..flow.passed_for.get(&param).map_or(0, Vec::len) {
                flow.pass(flow.passed_for[&param][at], passed);
            }
        }
        flow
    }

    /// Notes that a function may be called with anything.
    fn escape(&mut self, program: &Program, global: GlobalId) {
        if let GlobalKind::Defn { params, .. } = program.globals[global].kind {
            program.local_lists[params].iter().for_each(|&param| self.pass(param, Passed::Any));
        }
    }

    /// Notes what a call passes, if it is one of a definition with all its arguments. Returns whether it is.
    fn call(&mut self, program: &Program, callee: ExprId, args: &[ExprId]) -> bool {
        let Expr::Global(global) = program.exprs[callee] else { return false };
        let GlobalKind::Defn { params, .. } = program.globals[global].kind else { return false };
        let params = &program.local_lists[params];
        if args.len() < params.len() {
            return false;
        }
        for (&param, &arg) in params.iter().zip(args) {
            let arg = program.exprs[arg];
            match arg {
                Expr::Local(local) if self.passed.contains_key(&local) => {
                    self.passed_for.entry(local).or_default().push(param);
                }
                Expr::Lit(lit) if !lit.is_immediate() => self.pass(param, Passed::Any),
                Expr::Lit(_) | Expr::Global(_) => self.pass(param, Passed::Constant(arg)),
                Expr::Con(con) if program.cons[con].arity == 0 => {
                    self.pass(param, Passed::Constant(arg));
                }
                _ => self.pass(param, Passed::Any),
            }
        }
        true
    }

    fn pass(&mut self, param: LocalId, more: Passed) {
        let Some(passed) = self.passed.get_mut(&param) else { return };
        let both = match (*passed, more) {
            (Passed::Nothing, one) | (one, Passed::Nothing) => one,
            (one, other) if one == other => one,
            _ => Passed::Any,
        };
        if *passed != both {
            *passed = both;
            self.work.push(param);
        }
    }
}
