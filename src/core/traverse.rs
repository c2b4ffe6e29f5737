//! The structure that all forms of expression have in common: sub-expressions, the locals that
//! come into scope in them, and whether they are evaluated.
//!
//! A pass that does the same with most forms goes through [`Program::children`] and matches the
//! forms that it treats in a way of its own. Passes keep a work list of expressions, so the
//! depth of a program costs no native stack: [`Program::walk`] is the plain one.

use std::iter::FusedIterator;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::expr::{Bind, Branches, Expr, ExprId, GlobalKind, JoinId, LocalId, Program, Switch};
use crate::primitive::Shape;

/// What an expression ends in: see [`Program::ends`].
pub type Ends = SmallVec<[ExprId; 8]>;

/// How many expressions wait to be visited in most expressions.
const DEEP: usize = 32;

/// Where a sub-expression stands in the expression around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// The function of an application.
    Callee,
    /// The argument of an application with this index.
    Argument(u32),
    /// What a `let` or `letrec` binds this local to.
    Binding(LocalId),
    /// What a `Force` evaluates, or a `Perform` does.
    Forced,
    /// The body of a `let`, `letrec`, `Force`, `Perform` or `Join`.
    Body,
    /// The body of a function.
    Function,
    /// The handler of a join.
    Handler(JoinId),
    /// The argument of a jump with this index.
    JumpArgument(u32),
    /// The branch of a switch with this index.
    Branch(u32),
    /// The default of a switch.
    Default,
}

/// A sub-expression and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Child {
    /// The sub-expression.
    pub expr: ExprId,
    /// Where it stands in the expression around it.
    pub position: Position,
}

impl Program {
    /// Returns the sub-expressions of an expression in the order of the source: a callee before
    /// its arguments, the value of a binding before the body, the body of a join before its
    /// handler, the default of a switch last.
    #[must_use]
    #[inline]
    pub fn children(&self, expr: ExprId) -> Children<'_> {
        let form = self.form(expr);
        Children { form, range: 0..form.len() }
    }

    #[inline]
    fn form(&self, expr: ExprId) -> Form<'_> {
        match self.exprs[expr] {
            Expr::Lit(_)
            | Expr::Text(_)
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Con(_)
            | Expr::NoMatch
            | Expr::Error => Form::Leaf,
            Expr::App(callee, args) => Form::App(callee, &self.expr_lists[args]),
            Expr::Let(local, value, body) => Form::Pair(
                Child { expr: value, position: Position::Binding(local) },
                Child { expr: body, position: Position::Body },
            ),
            Expr::Force(_, value, body) | Expr::Perform(_, value, body) => Form::Pair(
                Child { expr: value, position: Position::Forced },
                Child { expr: body, position: Position::Body },
            ),
            Expr::Join(join, body) => Form::Pair(
                Child { expr: body, position: Position::Body },
                Child { expr: self.joins[join].handler, position: Position::Handler(join) },
            ),
            Expr::Letrec(binds, body) => Form::Letrec(&self.binds[binds], body),
            Expr::Lam(_, body) => Form::Function(body),
            Expr::Switch(switch) => Form::Switch(&self.switches[switch]),
            Expr::Jump(_, args) => Form::Jump(&self.expr_lists[args]),
        }
    }

    /// Pushes the sub-expressions of an expression on a work list, the last one first: then the first is what is
    /// popped next.
    #[inline]
    pub fn push_children(&self, expr: ExprId, work: &mut Vec<ExprId>) {
        self.form(expr).push(work);
    }

    /// Returns the locals that `expr` brings into scope in its sub-expression at `position`.
    #[must_use]
    pub fn scope(&self, expr: ExprId, position: Position) -> Locals<'_> {
        match (self.exprs[expr], position) {
            (
                Expr::Let(local, ..) | Expr::Force(local, ..) | Expr::Perform(local, ..),
                Position::Body,
            ) => Locals::One(Some(local)),
            (Expr::Letrec(binds, _), _) => Locals::Binds(self.binds[binds].iter()),
            (Expr::Lam(params, _), _) => Locals::List(self.local_lists[params].iter()),
            (Expr::Join(join, _), Position::Handler(_)) => {
                Locals::List(self.local_lists[self.joins[join].params].iter())
            }
            (Expr::Switch(switch), Position::Branch(at)) => match &self.switches[switch].branches {
                Branches::Cons(branches) => Locals::Fields(branches[at as usize].fields.iter()),
                Branches::Lits(_) => Locals::One(None),
            },
            _ => Locals::One(None),
        }
    }

    /// Returns the local that `expr` uses by itself and not in a sub-expression: that of a
    /// variable, the scrutinee of a switch.
    #[must_use]
    pub fn used_local(&self, expr: ExprId) -> Option<LocalId> {
        match self.exprs[expr] {
            Expr::Local(local) => Some(local),
            Expr::Switch(switch) => Some(self.switches[switch].scrutinee),
            _ => None,
        }
    }

    /// Returns whether the sub-expression at `position` of an expression in a strict context is
    /// in a strict context too: what is evaluated, if anything of `expr` is, or is its value.
    #[must_use]
    pub fn is_strict(&self, expr: ExprId, position: Position) -> bool {
        match position {
            Position::Forced
            | Position::Body
            | Position::Handler(_)
            | Position::Branch(_)
            | Position::Default => true,
            Position::Callee
            | Position::Binding(_)
            | Position::Function
            | Position::JumpArgument(_) => false,
            Position::Argument(at) => match self.exprs[expr] {
                Expr::App(callee, args) => self.evaluates(callee, args.len(), at as usize),
                _ => false,
            },
        }
    }

    /// Returns whether an expression says that it has no value.
    #[must_use]
    pub fn fails(&self, expr: ExprId) -> bool {
        match self.exprs[expr] {
            Expr::NoMatch | Expr::Error => true,
            Expr::App(callee, _) => matches!(self.exprs[callee], Expr::Global(global)
                if matches!(self.globals[global].kind, GlobalKind::Primitive(primitive)
                    if primitive.shape() == Shape::Error)),
            _ => false,
        }
    }

    /// Returns what an expression ends in, one for each way through it.
    #[must_use]
    pub fn ends(&self, expr: ExprId) -> Ends {
        self.ends_up_to(expr, usize::MAX).unwrap_or_default()
    }

    /// Returns what an expression ends in, if there are no more than `most` ways through it.
    #[must_use]
    pub fn ends_up_to(&self, expr: ExprId, most: usize) -> Option<Ends> {
        let mut ends = Ends::new();
        let mut work: Ends = smallvec![expr];
        while let Some(expr) = work.pop() {
            if ends.len() + work.len() >= most {
                return None;
            }
            match self.exprs[expr] {
                Expr::Let(_, _, body) | Expr::Letrec(_, body) | Expr::Force(_, _, body) => {
                    work.push(body);
                }
                Expr::Join(join, body) => work.extend([body, self.joins[join].handler]),
                Expr::Switch(switch) => work.extend(self.switches[switch].bodies()),
                Expr::App(callee, args) => {
                    let tails = self.tails(callee, args);
                    match tails.is_empty() {
                        true => ends.push(expr),
                        false => work.extend_from_slice(&self.expr_lists[tails]),
                    }
                }
                _ => ends.push(expr),
            }
        }
        Some(ends)
    }

    /// Returns an expression and all in it, parents before their children, in the order of the
    /// source.
    #[must_use]
    pub fn walk(&self, root: ExprId) -> Walk<'_> {
        let mut pending = Vec::with_capacity(DEEP);
        pending.push(root);
        Walk { program: self, pending }
    }
}

impl Branches {
    /// Returns how many branches there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a switch has a branch")]
    pub fn len(&self) -> usize {
        match self {
            Branches::Cons(branches) => branches.len(),
            Branches::Lits(branches) => branches.len(),
        }
    }
}

impl Switch {
    /// Returns the bodies of the branches in their order, and the default last.
    pub fn bodies(&self) -> impl DoubleEndedIterator<Item = ExprId> {
        Children { form: Form::Switch(self), range: 0..Form::Switch(self).len() }
            .map(|child| child.expr)
    }

    /// Returns the locals that the branches bind.
    pub fn fields(&self) -> impl Iterator<Item = LocalId> {
        let branches = match &self.branches {
            Branches::Cons(branches) => branches.as_slice(),
            Branches::Lits(_) => &[],
        };
        branches.iter().flat_map(|branch| branch.fields.iter().flatten()).copied()
    }
}

/// An expression as the sequence of its sub-expressions.
#[derive(Clone, Copy)]
enum Form<'p> {
    Leaf,
    App(ExprId, &'p [ExprId]),
    Pair(Child, Child),
    Letrec(&'p [Bind], ExprId),
    Function(ExprId),
    Switch(&'p Switch),
    Jump(&'p [ExprId]),
}

impl Form<'_> {
    fn len(self) -> usize {
        match self {
            Form::Leaf => 0,
            Form::App(_, args) => args.len() + 1,
            Form::Pair(..) => 2,
            Form::Letrec(binds, _) => binds.len() + 1,
            Form::Function(_) => 1,
            Form::Switch(switch) => switch.branches.len() + usize::from(switch.default.is_some()),
            Form::Jump(args) => args.len(),
        }
    }

    /// Pushes the sub-expressions, the last one first.
    #[inline]
    fn push(self, work: &mut Vec<ExprId>) {
        match self {
            Form::Leaf => {}
            Form::App(callee, args) => {
                work.extend(args.iter().rev());
                work.push(callee);
            }
            Form::Pair(first, second) => work.extend([second.expr, first.expr]),
            Form::Letrec(binds, body) => {
                work.push(body);
                work.extend(binds.iter().rev().map(|bind| bind.value));
            }
            Form::Function(body) => work.push(body),
            Form::Switch(switch) => {
                work.extend(switch.default);
                match &switch.branches {
                    Branches::Cons(branches) => {
                        work.extend(branches.iter().rev().map(|branch| branch.body));
                    }
                    Branches::Lits(branches) => {
                        work.extend(branches.iter().rev().map(|&(_, body)| body));
                    }
                }
            }
            Form::Jump(args) => work.extend(args.iter().rev()),
        }
    }

    /// Returns the sub-expression with index `at`.
    fn get(self, at: usize) -> Option<Child> {
        let child = |expr, position| Child { expr, position };
        let index = at as u32;
        Some(match self {
            Form::Leaf => return None,
            Form::App(callee, args) => match at.checked_sub(1) {
                None => child(callee, Position::Callee),
                Some(at) => child(*args.get(at)?, Position::Argument(index - 1)),
            },
            Form::Pair(first, second) => [first, second].get(at).copied()?,
            Form::Letrec(binds, body) => match binds.get(at) {
                Some(bind) => child(bind.value, Position::Binding(bind.local)),
                None => child(body, Position::Body),
            },
            Form::Function(body) => child(body, Position::Function),
            Form::Switch(switch) => {
                let branch = match &switch.branches {
                    Branches::Cons(branches) => branches.get(at).map(|branch| branch.body),
                    Branches::Lits(branches) => branches.get(at).map(|&(_, body)| body),
                };
                match branch {
                    Some(body) => child(body, Position::Branch(index)),
                    None => child(switch.default?, Position::Default),
                }
            }
            Form::Jump(args) => child(*args.get(at)?, Position::JumpArgument(index)),
        })
    }
}

/// The sub-expressions of an expression: see [`Program::children`].
#[derive(Clone)]
pub struct Children<'p> {
    form: Form<'p>,
    range: Range<usize>,
}

impl Children<'_> {
    /// Returns the sub-expressions without their positions.
    pub fn exprs(self) -> impl DoubleEndedIterator<Item = ExprId> + ExactSizeIterator {
        self.map(|child| child.expr)
    }
}

impl Iterator for Children<'_> {
    type Item = Child;

    fn next(&mut self) -> Option<Child> {
        self.range.next().and_then(|at| self.form.get(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl DoubleEndedIterator for Children<'_> {
    fn next_back(&mut self) -> Option<Child> {
        self.range.next_back().and_then(|at| self.form.get(at))
    }
}

impl ExactSizeIterator for Children<'_> {}
impl FusedIterator for Children<'_> {}

/// Locals that come into scope together: see [`Program::scope`].
pub enum Locals<'p> {
    /// At most one.
    One(Option<LocalId>),
    /// Parameters.
    List(std::slice::Iter<'p, LocalId>),
    /// Those that a letrec binds.
    Binds(std::slice::Iter<'p, Bind>),
    /// Fields; those that the branch does not use have no local.
    Fields(std::slice::Iter<'p, Option<LocalId>>),
}

impl Iterator for Locals<'_> {
    type Item = LocalId;

    fn next(&mut self) -> Option<LocalId> {
        match self {
            Locals::One(local) => local.take(),
            Locals::List(locals) => locals.next().copied(),
            Locals::Binds(binds) => binds.next().map(|bind| bind.local),
            Locals::Fields(fields) => fields.find_map(|&field| field),
        }
    }
}

/// An expression and all in it: see [`Program::walk`].
pub struct Walk<'p> {
    program: &'p Program,
    /// Expressions to be visited, the next one last.
    pending: Vec<ExprId>,
}

impl Iterator for Walk<'_> {
    type Item = ExprId;

    fn next(&mut self) -> Option<ExprId> {
        let expr = self.pending.pop()?;
        self.program.push_children(expr, &mut self.pending);
        Some(expr)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::base::span::Span;
    use crate::core::expr::{ConBranch, Join, Lit, NIL};

    /// Returns a program with one expression of each form that has sub-expressions, and those.
    fn forms() -> (Program, Vec<ExprId>) {
        let mut program = Program::default();
        let leaf = |program: &mut Program| {
            let number = program.exprs.len() as i64;
            program.expr(Expr::Lit(Lit::Int(number)), Span::NONE)
        };
        let locals: Vec<LocalId> = (0..12).map(|_| program.local(None, Span::NONE)).collect();
        let e: Vec<ExprId> = (0..16).map(|_| leaf(&mut program)).collect();
        let args = program.expr_lists.add([e[1], e[2]]);
        let binds = program
            .binds
            .add([Bind { local: locals[1], value: e[5] }, Bind { local: locals[2], value: e[6] }]);
        let params = program.local_lists.add([locals[3], locals[4]]);
        let join_params = program.local_lists.add([locals[5]]);
        let join = program.joins.push(Join { params: join_params, handler: e[10] });
        let jump_args = program.expr_lists.add([e[11]]);
        let branch = ConBranch { con: NIL, fields: vec![None, Some(locals[7])], body: e[12] };
        let by_con = program.switches.push(Switch {
            scrutinee: locals[6],
            evaluated: false,
            branches: Branches::Cons(vec![branch]),
            default: Some(e[13]),
        });
        let by_lit = program.switches.push(Switch {
            scrutinee: locals[6],
            evaluated: false,
            branches: Branches::Lits(vec![(Lit::Int(1), e[14])]),
            default: Some(e[15]),
        });
        let forms = [
            Expr::App(e[0], args),
            Expr::Let(locals[0], e[3], e[4]),
            Expr::Letrec(binds, e[7]),
            Expr::Lam(params, e[8]),
            Expr::Force(locals[8], e[8], e[9]),
            Expr::Join(join, e[9]),
            Expr::Jump(join, jump_args),
            Expr::Switch(by_con),
            Expr::Switch(by_lit),
        ];
        let ids = forms.map(|form| program.expr(form, Span::NONE)).to_vec();
        (program, ids)
    }

    #[test]
    fn children_come_in_the_order_of_the_source_from_both_ends() {
        let (program, forms) = forms();
        let expected: [&[u32]; 9] =
            [&[0, 1, 2], &[3, 4], &[5, 6, 7], &[8], &[8, 9], &[9, 10], &[11], &[12, 13], &[14, 15]];
        for (form, expected) in forms.iter().zip(expected) {
            let children = program.children(*form);
            assert_eq!(children.len(), expected.len());
            let forwards: Vec<u32> = children.clone().map(|child| child.expr.0).collect();
            let mut backwards: Vec<u32> = children.rev().map(|child| child.expr.0).collect();
            backwards.reverse();
            assert_eq!((forwards.as_slice(), backwards.as_slice()), (expected, expected));
            let mut work = Vec::new();
            program.push_children(*form, &mut work);
            assert!(work.iter().rev().map(|expr| &expr.0).eq(expected));
        }
    }

    #[test]
    fn each_local_is_in_scope_where_its_form_says() {
        let (program, forms) = forms();
        let scopes: Vec<Vec<Vec<u32>>> = forms
            .iter()
            .map(|&form| {
                let children = program.children(form);
                children
                    .map(|child| program.scope(form, child.position).map(|local| local.0).collect())
                    .collect()
            })
            .collect();
        let expected: Vec<Vec<Vec<u32>>> = vec![
            vec![vec![], vec![], vec![]],
            vec![vec![], vec![0]],
            vec![vec![1, 2], vec![1, 2], vec![1, 2]],
            vec![vec![3, 4]],
            vec![vec![], vec![8]],
            vec![vec![], vec![5]],
            vec![vec![]],
            vec![vec![7], vec![]],
            vec![vec![], vec![]],
        ];
        assert_eq!(scopes, expected);
    }

    #[test]
    fn a_deep_expression_is_walked_without_native_stack() {
        let mut program = Program::default();
        let mut expr = program.expr(Expr::NoMatch, Span::NONE);
        for _ in 0..1_000_000 {
            let params = program.local_lists.add([]);
            expr = program.expr(Expr::Lam(params, expr), Span::NONE);
        }
        assert_eq!(program.walk(expr).count(), 1_000_001);
    }
}
