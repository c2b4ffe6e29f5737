//! Choices that a loop needs for its next turn are made before it.
//!
//! `(go rest (if (eq c 'x') (add n 1) n))`, where `go` certainly evaluates its second parameter, evaluates the
//! choice either way. As it stands partial evaluation has a thunk there of which nothing is known: what the test
//! has found out is lost with it, and a record that each branch makes is built. So the value comes first,
//! `(force [m (if ..)] (go rest m))`, and what follows a branching is driven in each of its branches.
//!
//! Invariants:
//! - The function certainly evaluates the parameter, and the call stands where it is evaluated, by the analysis of
//!   [strictness](super::super::strictness), which would have the argument evaluated there too.
//! - The argument comes to numbers or records, or is itself a choice between constructors, like the states of a
//!   machine: a list that is made is to be consumed while it is made.
//!
//! A choice between parts of a tree, or trees that are constants, `(eval (if (eval c env) a b) env)`, is made before
//! any function that calls itself: the tree may be known, and is so in each branch.

use rustc_hash::FxHashMap;

use crate::base::index::IndexVec;
use crate::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, LocalId, Program};
use crate::optimise::selection::{is_one_of_several, is_only};
use crate::optimise::strictness::strict_parameters;
use crate::optimise::usage::circles;
use crate::primitive::{Operand, Shape};

/// Through how many functions an argument is followed to what it comes to.
const HOPS: usize = 4;
/// The most ways through an argument that are looked at.
const WAYS: usize = 24;

/// What is known of the values that an expression comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number or a character, by no choice: nothing is learnt from it.
    Number,
    /// One of several numbers or characters, a record, or a state that is written down.
    Plain,
    /// Something that has been there before, or none.
    Open,
    /// Perhaps a list or a function.
    Other,
}

/// An argument that is to be evaluated before the call.
struct Needed {
    call: ExprId,
    at: usize,
    of: GlobalId,
}

/// Moves them, and returns how many there were. Takes time linear in the program.
pub(super) fn write_out(program: &mut Program) -> u64 {
    let mut finder = Finder {
        circles: circles(program),
        is_part: parts(program),
        program,
        kinds: FxHashMap::default(),
    };
    let mut found = finder.find();
    if found.is_empty() {
        return 0;
    }
    let strict = strict_parameters(program);
    found.retain(|needed| strict(needed.of, needed.at));
    for needed in &found {
        needed.move_out(program);
    }
    found.len() as u64
}

impl Needed {
    fn move_out(&self, program: &mut Program) {
        // Another argument may have been moved out: the call is what is left.
        let mut call = self.call;
        while let Expr::Force(_, _, body) = program.exprs[call] {
            call = body;
        }
        let Expr::App(callee, args) = program.exprs[call] else { return };
        let mut args = program.expr_lists[args].to_vec();
        let (value, span) = (args[self.at], program.spans[call]);
        let local = program.local(None, program.spans[value]);
        args[self.at] = program.expr(Expr::Local(local), program.spans[value]);
        let args = program.expr_lists.add(args);
        let inner = program.expr(Expr::App(callee, args), span);
        program.exprs[call] = Expr::Force(local, value, inner);
    }
}

/// Returns for each local whether it is a field of one of several constructors.
fn parts(program: &Program) -> IndexVec<LocalId, bool> {
    let mut is_part: IndexVec<LocalId, bool> = program.locals.iter().map(|_| false).collect();
    for switch in program.switches.iter() {
        let Branches::Cons(branches) = &switch.branches else { continue };
        for branch in branches.iter().filter(|branch| is_one_of_several(program, branch.con)) {
            branch.fields.iter().flatten().for_each(|&field| is_part[field] = true);
        }
    }
    is_part
}

struct Finder<'a> {
    program: &'a Program,
    /// Which locals are parts of a tree.
    is_part: IndexVec<LocalId, bool>,
    circles: IndexVec<GlobalId, Option<u32>>,
    /// What functions come to, as far as that has been asked for.
    kinds: FxHashMap<GlobalId, Kind>,
}

impl Finder<'_> {
    fn find(&mut self) -> Vec<Needed> {
        let program = self.program;
        let mut found = Vec::new();
        for (id, global) in program.globals.enumerate() {
            let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
            let mut work = vec![body];
            while let Some(expr) = work.pop() {
                if let Expr::App(callee, args) = program.exprs[expr]
                    && let Expr::Global(of) = program.exprs[callee]
                    && self.circles[of].is_some()
                    && program.arity(of) == args.len()
                {
                    let is_turn = self.circles[of] == self.circles[id];
                    let args = program.expr_lists[args].iter().enumerate();
                    let needed = args.filter(|&(_, &arg)| {
                        is_turn && self.is_choice(arg) || self.is_choice_of_known(arg)
                    });
                    found.extend(needed.map(|(at, _)| Needed { call: expr, at, of }));
                }
                let children = program.children(expr);
                let children = children.filter(|child| program.is_strict(expr, child.position));
                work.extend(children.map(|child| child.expr));
            }
        }
        found
    }

    /// Returns whether an argument is a choice, or a call of a function that cannot come to call itself, between
    /// numbers and records.
    fn is_choice(&mut self, arg: ExprId) -> bool {
        let program = self.program;
        let is_one = match program.exprs[arg] {
            Expr::App(callee, args) => {
                let is_call = match program.exprs[callee] {
                    Expr::Global(of) => matches!(program.globals[of].kind, GlobalKind::Defn { .. }),
                    _ => false,
                };
                is_call || !program.tails(callee, args).is_empty()
            }
            Expr::Switch(_) | Expr::Let(..) | Expr::Force(..) | Expr::Join(..) => true,
            _ => false,
        };
        is_one && self.kind(arg, HOPS) == Kind::Plain
    }

    /// Returns whether an argument is a choice between parts of trees and trees that are constants.
    fn is_choice_of_known(&self, arg: ExprId) -> bool {
        let program = self.program;
        let is_one = match program.exprs[arg] {
            Expr::App(callee, args) => !program.tails(callee, args).is_empty(),
            Expr::Switch(_) => true,
            _ => false,
        };
        let Some(ends) = program.ends_up_to(arg, WAYS).filter(|_| is_one) else { return false };
        ends.len() > 1
            && ends.iter().all(|&end| match program.exprs[end] {
                Expr::Local(local) => self.is_part[local],
                Expr::Global(of) => self.is_tree(of),
                _ => false,
            })
    }

    /// Returns whether a constant is written down as one of several constructors.
    fn is_tree(&self, of: GlobalId) -> bool {
        let program = self.program;
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[of].kind else {
            return false;
        };
        let con = match program.exprs[body] {
            Expr::App(callee, _) => program.exprs[callee],
            other => other,
        };
        params.is_empty() && matches!(con, Expr::Con(con) if is_one_of_several(program, con))
    }

    /// Returns what an expression comes to.
    fn kind(&mut self, expr: ExprId, hops: usize) -> Kind {
        let Some(ends) = self.program.ends_up_to(expr, WAYS) else { return Kind::Other };
        let mut all = Kind::Open;
        for &end in &ends {
            match self.kind_of_end(end, hops) {
                Kind::Open => {}
                Kind::Number if ends.len() == 1 => all = Kind::Number,
                Kind::Number | Kind::Plain => all = Kind::Plain,
                Kind::Other => return Kind::Other,
            }
        }
        all
    }

    fn kind_of_end(&mut self, end: ExprId, hops: usize) -> Kind {
        let program = self.program;
        let (callee, count) = match program.exprs[end] {
            Expr::App(callee, args) => (callee, args.len()),
            Expr::Lit(_) => return Kind::Number,
            Expr::Local(_) | Expr::Jump(..) | Expr::NoMatch => return Kind::Open,
            _ => (end, 0),
        };
        match program.exprs[callee] {
            Expr::Con(con) if count > 0 && is_only(program, con) => Kind::Plain,
            // What a function comes to may be any state, and each would be a variant of the loop.
            Expr::Con(con) if hops == HOPS && is_one_of_several(program, con) => Kind::Plain,
            Expr::Global(of) if program.arity(of) == count => match program.globals[of].kind {
                GlobalKind::Primitive(primitive) => match primitive.shape() {
                    Shape::Error => Kind::Open,
                    Shape::Strict => match primitive.result() {
                        Operand::Array | Operand::Bytes | Operand::List | Operand::Any => {
                            Kind::Other
                        }
                        _ => Kind::Number,
                    },
                    _ => Kind::Other,
                },
                GlobalKind::Defn { body: Some(body), .. } => self.kind_of_call(of, body, hops),
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    fn kind_of_call(&mut self, of: GlobalId, body: ExprId, hops: usize) -> Kind {
        if let Some(&kind) = self.kinds.get(&of) {
            return kind;
        }
        let Some(hops) = hops.checked_sub(1) else { return Kind::Other };
        if self.circles[of].is_some() {
            return Kind::Other;
        }
        let kind = self.kind(body, hops);
        self.kinds.insert(of, kind);
        kind
    }
}
