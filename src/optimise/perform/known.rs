//! What is known of the definitions of a program: which ones come to actions that are seen, what a
//! continuation does with its value.

use crate::base::index::{IndexVec, List};
use crate::core::expr::{Expr, ExprId, Global, GlobalId, GlobalKind, LocalId, Program};
use crate::optimise::usage::circles;
use crate::primitive::effect::Effect;
use crate::primitive::{Operand, Primitive, Shape};

/// The most expressions of a definition that is copied to where it is performed.
const SMALL: usize = 30;

/// A function that a bind goes on with.
#[derive(Clone, Copy)]
pub(super) enum Continuation {
    /// A definition, which lacks the value alone, and its arguments.
    Function(GlobalId, List<ExprId>),
    /// One that does not use the value, and comes to an argument that it has.
    Constant(ExprId),
    /// One that comes to the value.
    Identity,
    /// The primitive `return`.
    Return,
    /// Anything else.
    Unknown,
}

/// What is known of the definitions.
pub(super) struct Known {
    /// Whether each has a version that performs.
    performs: IndexVec<GlobalId, bool>,
    /// Whether each has little to do before it comes to an action, and shares nothing by that.
    cheap: IndexVec<GlobalId, bool>,
    /// Whether each comes to an action, if to anything.
    acts: IndexVec<GlobalId, bool>,
    /// Of each that is copied to where it is performed, how many expressions that are.
    unfolded: IndexVec<GlobalId, Option<usize>>,
    /// The parameter whose value each comes to at once.
    projects: IndexVec<GlobalId, Option<u32>>,
    is_main_mentioned: bool,
    /// The primitive `return`, if the program has it.
    pub(super) return_: Option<GlobalId>,
}

/// What the body of a definition tells.
#[derive(Default)]
struct Tails {
    /// Whether it comes to an effect.
    performs: bool,
    /// The definitions of which it performs if one of them does.
    calls: Vec<GlobalId>,
    /// Whether there is a bind among its actions.
    binds: bool,
    /// Whether it may come to something else than an action or what a definition comes to.
    others: bool,
    /// The definitions whose value may be its value.
    values: Vec<GlobalId>,
}

impl Known {
    /// Finds it; `None` if the program makes no action.
    pub(super) fn of(program: &Program) -> Option<Known> {
        let makes_actions = |global: &Global| {
            matches!(global.kind,
                GlobalKind::Primitive(primitive) if primitive.shape() == Shape::Action)
        };
        if !program.globals.iter().any(makes_actions) {
            return None;
        }
        let is_return = |global: &Global| global.kind == GlobalKind::Primitive(Primitive::Return);
        let return_ = program.globals.enumerate().find(|(_, global)| is_return(global));
        let all = |value: bool| program.globals.iter().map(|_| value).collect();
        let mut known = Known {
            performs: all(false),
            cheap: all(false),
            acts: all(false),
            unfolded: program.globals.iter().map(|_| None).collect(),
            projects: program.globals.iter().map(|global| projection(program, global)).collect(),
            is_main_mentioned: bodies(program).any(|(_, _, body)| mentions_main(program, body)),
            return_: return_.map(|(id, _)| id),
        };
        known.find_performing(program);
        known.find_cheap(program);
        known.find_unfolded(program);
        Some(known)
    }

    /// Returns whether a definition has a version that performs.
    pub(super) fn performs(&self, global: GlobalId) -> bool {
        self.performs[global]
    }

    /// Returns whether performing what a definition comes to may call it anew each time: it compares
    /// and calculates with what it has, and shares no work among those who perform its action.
    pub(super) fn is_cheap(&self, global: GlobalId) -> bool {
        self.cheap.get(global) == Some(&true)
    }

    /// Returns whether `main` is an action, and mentioned by nothing.
    pub(super) fn is_performed_once(&self, main: GlobalId) -> bool {
        self.acts[main] && !self.is_main_mentioned
    }

    /// Returns what a function does with the value that a bind gives to it.
    pub(super) fn continuation(&self, program: &Program, k: ExprId) -> Continuation {
        let (callee, args) = match program.exprs[k] {
            Expr::App(callee, args) => (callee, args),
            _ => (k, List::EMPTY),
        };
        let Expr::Global(global) = program.exprs[callee] else { return Continuation::Unknown };
        if program.globals[global].kind == GlobalKind::Primitive(Primitive::Return) {
            return Continuation::Return;
        }
        let is_definition = matches!(program.globals[global].kind, GlobalKind::Defn { .. });
        if !is_definition || program.arity(global) != args.len() + 1 {
            return Continuation::Unknown;
        }
        match self.projects.get(global).copied().flatten() {
            Some(at) => match program.expr_lists[args].get(at as usize) {
                Some(&arg) => Continuation::Constant(arg),
                None => Continuation::Identity,
            },
            None => Continuation::Function(global, args),
        }
    }

    fn find_performing(&mut self, program: &Program) {
        let users = || program.globals.iter().map(|_| Vec::new()).collect();
        let (mut callers, mut valued): (Users, Users) = (users(), users());
        let (mut performing, mut others) = (Vec::new(), Vec::new());
        let mut binding: Vec<(GlobalId, Vec<GlobalId>)> = Vec::new();
        for (id, params, body) in bodies(program) {
            let tails = self.tails(program, body);
            self.acts[id] = true;
            if tails.others {
                others.push(id);
            }
            tails.values.into_iter().for_each(|value| valued[value].push(id));
            // The value of a constant is shared by all who mention it.
            if params.is_empty() || self.projects[id].is_some() {
                continue;
            }
            if tails.performs {
                performing.push(id);
            }
            tails.calls.iter().for_each(|&call| callers[call].push(id));
            if tails.binds {
                binding.push((id, tails.calls));
            }
        }
        performing.extend(loops(program, binding));
        spread(performing, &mut callers, |id| !std::mem::replace(&mut self.performs[id], true));
        spread(others, &mut valued, |id| std::mem::replace(&mut self.acts[id], false));
    }

    /// Returns what the actions tell that a body comes to.
    fn tails(&self, program: &Program, body: ExprId) -> Tails {
        let mut found = Tails::default();
        // Expressions, and whether the value of the body is theirs.
        let mut work = vec![(body, true)];
        while let Some((expr, is_value)) = work.pop() {
            let ends = tails_of(program, expr);
            if !ends.is_empty() {
                work.extend(ends.into_iter().map(|end| (end, is_value)));
                continue;
            }
            if effect(program, expr).is_some() {
                found.performs = true;
                continue;
            }
            match (program.exprs[expr], call(program, expr), primitive(program, expr)) {
                (_, Some((global, _)), _) => {
                    found.calls.push(global);
                    if is_value {
                        found.values.push(global);
                    }
                }
                (_, _, Some((Primitive::PutText | Primitive::PutError, _))) => {
                    found.performs = true;
                }
                (_, _, Some((Primitive::Handle, args))) => {
                    work.push((program.expr_lists[args][0], false));
                }
                (_, _, Some((Primitive::Bind, args))) => {
                    found.binds = true;
                    let (m, k) = (program.expr_lists[args][0], program.expr_lists[args][1]);
                    work.push((m, false));
                    match self.continuation(program, k) {
                        Continuation::Function(global, _) => found.calls.push(global),
                        Continuation::Constant(action) => work.push((action, false)),
                        Continuation::Identity | Continuation::Return | Continuation::Unknown => {}
                    }
                }
                (_, _, Some((primitive, _)))
                    if matches!(primitive.shape(), Shape::Action | Shape::Error) => {}
                (Expr::NoMatch | Expr::Jump(..), ..) => {}
                _ => found.others |= is_value,
            }
        }
        found
    }

    /// Returns how many expressions a definition has, if it is copied to where it is performed.
    pub(super) fn unfolded(&self, global: GlobalId) -> Option<usize> {
        self.unfolded.get(global).copied().flatten()
    }

    /// What comes to the end of its action at once, or after an effect, goes on there.
    fn find_unfolded(&mut self, program: &Program) {
        let circles = circles(program);
        for (id, params, body) in bodies(program) {
            let size = program.walk(body).take(SMALL + 1).count();
            if circles[id].is_none() && !params.is_empty() && self.acts[id] && size <= SMALL {
                self.unfolded[id] = Some(size);
            }
        }
    }

    fn find_cheap(&mut self, program: &Program) {
        let mut users: Users = program.globals.iter().map(|_| Vec::new()).collect();
        let mut dear = Vec::new();
        for (id, _, body) in bodies(program) {
            self.cheap[id] = true;
            let mut needs = Vec::new();
            match self.performs[id] && self.is_cheap_action(program, body, &mut needs) {
                true => needs.into_iter().for_each(|need| users[need].push(id)),
                false => dear.push(id),
            }
        }
        spread(dear, &mut users, |id| std::mem::replace(&mut self.cheap[id], false));
    }

    /// Returns whether a body comes to an action by comparing and calculating with what there is, and
    /// so do the actions in that, if the definitions that it `needs` do.
    fn is_cheap_action(&self, program: &Program, body: ExprId, needs: &mut Vec<GlobalId>) -> bool {
        let are_cheap = |exprs: &[ExprId]| exprs.iter().all(|&expr| is_cheap(program, expr));
        // Expressions, and whether an action comes before their value is asked for.
        let mut work = vec![(body, false)];
        while let Some((expr, is_later)) = work.pop() {
            let is_cheap_part = match program.exprs[expr] {
                Expr::Let(_, value, _) | Expr::Force(_, value, _) => is_cheap(program, value),
                Expr::Switch(_) | Expr::Join(..) | Expr::Local(_) | Expr::NoMatch => true,
                Expr::Jump(_, args) => are_cheap(&program.expr_lists[args]),
                Expr::Global(_) => effect(program, expr).is_some(),
                Expr::App(callee, args) => {
                    let tails = program.tails(callee, args).len();
                    let args = &program.expr_lists[args];
                    match (primitive(program, expr), args) {
                        _ if tails > 0 => are_cheap(&args[..args.len() - tails]),
                        (Some((Primitive::Bind, _)), &[m, k]) => {
                            work.push((m, true));
                            match self.continuation(program, k) {
                                Continuation::Constant(action) => {
                                    work.push((action, true));
                                    true
                                }
                                _ => is_cheap(program, k),
                            }
                        }
                        (Some((of, _)), args) if of.shape() == Shape::Action => are_cheap(args),
                        // A call that comes first may go on for long.
                        _ => match call(program, expr).filter(|_| is_later) {
                            Some((global, _)) => {
                                needs.push(global);
                                are_cheap(args)
                            }
                            None => false,
                        },
                    }
                }
                _ => false,
            };
            if !is_cheap_part {
                return false;
            }
            work.extend(tails_of(program, expr).into_iter().map(|end| (end, is_later)));
        }
        true
    }
}

/// Returns which of some definitions, with those that they go on with, go on for ever if nothing else ends
/// them: their actions would lead to each other from the first one, and be moved to the old
/// generation with it.
fn loops(program: &Program, binding: Vec<(GlobalId, Vec<GlobalId>)>) -> Vec<GlobalId> {
    let mut goes_on: IndexVec<GlobalId, bool> = program.globals.iter().map(|_| false).collect();
    let mut next: IndexVec<GlobalId, usize> = program.globals.iter().map(|_| 0).collect();
    let mut users: Users = program.globals.iter().map(|_| Vec::new()).collect();
    binding.iter().for_each(|&(id, _)| goes_on[id] = true);
    let mut ended = Vec::new();
    for (id, calls) in &binding {
        for &call in calls {
            next[*id] += usize::from(goes_on[call]);
            users[call].push(*id);
        }
        if next[*id] == 0 {
            ended.push(*id);
        }
    }
    while let Some(id) = ended.pop() {
        goes_on[id] = false;
        for user in std::mem::take(&mut users[id]) {
            next[user] -= 1;
            if next[user] == 0 {
                ended.push(user);
            }
        }
    }
    binding.into_iter().map(|(id, _)| id).filter(|&id| goes_on[id]).collect()
}

/// For each definition those of which something is known because of it.
type Users = IndexVec<GlobalId, Vec<GlobalId>>;

/// Has all that follows from something be known, once each: `learn` returns whether it is new.
fn spread(first: Vec<GlobalId>, users: &mut Users, mut learn: impl FnMut(GlobalId) -> bool) {
    let mut work = first;
    while let Some(id) = work.pop() {
        if learn(id) {
            work.append(&mut users[id]);
        }
    }
}

/// Returns the definitions that have bodies, with their parameters.
fn bodies(program: &Program) -> impl Iterator<Item = (GlobalId, List<LocalId>, ExprId)> {
    program.globals.enumerate().filter_map(|(id, global)| match global.kind {
        GlobalKind::Defn { params, body: Some(body) } => Some((id, params, body)),
        _ => None,
    })
}

fn mentions_main(program: &Program, body: ExprId) -> bool {
    let is_main =
        |expr| matches!(program.exprs[expr], Expr::Global(id) if Some(id) == program.main);
    program.walk(body).any(is_main)
}

/// Returns the expressions of which one is the value of another one; none if it has a value of its
/// own.
pub(super) fn tails_of(program: &Program, expr: ExprId) -> Vec<ExprId> {
    match program.exprs[expr] {
        Expr::Let(_, _, body) | Expr::Letrec(_, body) | Expr::Force(_, _, body) => vec![body],
        Expr::Switch(switch) => program.switches[switch].bodies().collect(),
        Expr::Join(join, body) => vec![body, program.joins[join].handler],
        Expr::App(callee, args) => program.expr_lists[program.tails(callee, args)].to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the definition that an expression calls with all its arguments, and those.
pub(super) fn call(program: &Program, expr: ExprId) -> Option<(GlobalId, List<ExprId>)> {
    let Expr::App(callee, args) = program.exprs[expr] else { return None };
    let Expr::Global(global) = program.exprs[callee] else { return None };
    let is_call = matches!(program.globals[global].kind, GlobalKind::Defn { .. })
        && program.arity(global) == args.len();
    is_call.then_some((global, args))
}

/// Returns the parameter whose value a definition comes to at once.
fn projection(program: &Program, global: &Global) -> Option<u32> {
    let GlobalKind::Defn { params, body: Some(body) } = global.kind else { return None };
    let Expr::Local(local) = program.exprs[body] else { return None };
    let at = program.local_lists[params].iter().position(|&param: &LocalId| param == local)?;
    Some(at as u32)
}

/// Returns the primitive that an expression applies to all its operands, and those.
pub(super) fn primitive(program: &Program, expr: ExprId) -> Option<(Primitive, List<ExprId>)> {
    let Expr::App(callee, args) = program.exprs[expr] else { return None };
    let Expr::Global(global) = program.exprs[callee] else { return None };
    match program.globals[global].kind {
        GlobalKind::Primitive(primitive) if primitive.arity() == args.len() => {
            Some((primitive, args))
        }
        _ => None,
    }
}

/// Returns the effect that an expression is the action of, if code of the program may do it, and its
/// operands.
pub(super) fn effect(program: &Program, expr: ExprId) -> Option<(Effect, List<ExprId>)> {
    let (found, args) = match program.exprs[expr] {
        // An action without operands.
        Expr::Global(global) => match program.globals[global].kind {
            GlobalKind::Primitive(primitive) if primitive.arity() == 0 => (primitive, List::EMPTY),
            _ => return None,
        },
        _ => primitive(program, expr)?,
    };
    if found.shape() != Shape::Action {
        return None;
    }
    let effect = Effect::of(found).filter(|effect| effect.is_direct())?;
    Some((effect, args))
}

/// Returns whether building and evaluating an expression costs next to nothing: it has variables,
/// literals, and a few calculations of numbers.
fn is_cheap(program: &Program, expr: ExprId) -> bool {
    program.walk(expr).all(|part| match program.exprs[part] {
        Expr::Lit(_) | Expr::Text(_) | Expr::Local(_) | Expr::Global(_) | Expr::Con(_) => true,
        Expr::App(callee, args) => match program.exprs[callee] {
            Expr::Con(_) => true,
            Expr::Global(global) => match program.globals[global].kind {
                GlobalKind::Primitive(primitive) => {
                    let is_number = |operand| {
                        matches!(operand, Operand::Integer | Operand::Float | Operand::Comparable)
                    };
                    primitive.shape() == Shape::Strict
                        && is_number(primitive.operand())
                        && is_number(primitive.result())
                }
                _ => args.len() < program.arity(global),
            },
            _ => false,
        },
        _ => false,
    })
}
