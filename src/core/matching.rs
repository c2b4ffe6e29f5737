//! Pattern-match compilation: the rows of a case become a tree of shallow switches.
//!
//! This is the mixture rule over a matrix of patterns with an explicit way to go on after a
//! failure (Augustsson, "Compiling pattern matching", 1985; Wadler in Peyton Jones, "The
//! Implementation of Functional Programming Languages", 1987, chapter 5). The rows are cut
//! into groups that begin with a variable, or with a constructor or literal; a group that
//! fails goes on with the next one. Within a group of constructors the rows of each
//! constructor are collected in order. A row goes to one group and one constructor, so no
//! right-hand side is copied and the tree is linear in the patterns; columns are looked at
//! from left to right, rows from top to bottom, so exactly what Haskell 98 forces is forced.
//!
//! Everything is a work list: the depth of a pattern costs no native stack.

use rustc_hash::FxHashMap;

use super::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, Join, JoinId, Lit, LocalId, Program, Switch, SwitchId,
};
use super::pattern::{Key, PatRef, Patterns, View};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::name::Name;
use crate::base::span::Span;

crate::define_index! {
    /// A node of the tree.
    pub NodeId;
}

/// What a branch asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Test {
    Con(ConId, Vec<LocalId>),
    Lit(Lit),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Node {
    /// Not built yet, or moved elsewhere.
    Hole,
    /// A failure, which continues with the second part of the innermost enclosing `Try`.
    Fail,
    NoMatch,
    /// The right-hand side of an alternative, by its position in `Tree::leaves`.
    Leaf(usize),
    Switch {
        scrutinee: LocalId,
        evaluated: bool,
        branches: Vec<(Test, NodeId)>,
        default: Option<NodeId>,
    },
    /// The first part, and where that fails the second.
    Try(NodeId, NodeId),
}

/// An alternative that can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its position in the case.
    pub alt: usize,
    /// The locals that its variables are bound to.
    pub binds: Vec<(Name, LocalId)>,
}

/// A compiled match, before it has right-hand sides.
#[derive(Debug)]
pub struct Tree {
    nodes: IndexVec<NodeId, Node>,
    root: NodeId,
    /// The alternatives that can be reached, in the order of the source.
    pub leaves: Vec<Leaf>,
    /// The scrutinees of its switches.
    pub scrutinees: Vec<LocalId>,
    /// The number of rows and columns that were moved or looked at to build it.
    pub work: u64,
}

/// A column of the matrix: what its patterns are matched against.
#[derive(Clone, Copy)]
struct Column {
    local: LocalId,
    /// Whether it has been forced on every path to here.
    forced: bool,
}

struct Row {
    /// The patterns, one for each column; the leftmost column is the last item.
    pats: Vec<PatRef>,
    binds: Vec<(Name, LocalId)>,
    alt: usize,
}

/// Rows to be compiled into `to`.
struct Problem {
    columns: Vec<Column>,
    /// The first row is the last item, so taking rows off the top costs no more than they are.
    rows: Vec<Row>,
    to: NodeId,
    /// Whether a failure goes on elsewhere; otherwise it is a failed match.
    catch: bool,
}

/// Compiles the patterns of a case, one for each alternative, against `scrutinee`, which has
/// been forced if `evaluated`. The first pattern is refutable: else there is nothing to match.
/// Fields get new locals in `program`; literals go to its tables.
pub fn compile<'a>(
    program: &mut Program,
    patterns: Patterns<'a>,
    pats: impl IntoIterator<Item = PatRef>,
    scrutinee: LocalId,
    evaluated: bool,
    bigs: &mut BigTable<'a>,
) -> Tree {
    let mut rows: Vec<Row> = pats
        .into_iter()
        .enumerate()
        .map(|(alt, pat)| Row { pats: vec![pat], binds: Vec::new(), alt })
        .collect();
    rows.reverse();
    let mut nodes = IndexVec::new();
    let root = nodes.push(Node::Hole);
    let first = Problem {
        columns: vec![Column { local: scrutinee, forced: evaluated }],
        rows,
        to: root,
        catch: false,
    };
    let mut compiler = Compiler { program, patterns, nodes, problems: vec![first], bigs, work: 0 };
    let mut leaves = Vec::new();
    while let Some(problem) = compiler.problems.pop() {
        compiler.solve(problem, &mut leaves);
    }
    let mut tree =
        Tree { nodes: compiler.nodes, root, leaves, scrutinees: Vec::new(), work: compiler.work };
    tree.simplify();
    tree.keep_reachable();
    tree
}

/// The large literals of a program, each once.
#[derive(Default, Debug)]
pub struct BigTable<'a> {
    ids: FxHashMap<&'a crate::base::integer::Integer, super::expr::BigId>,
}

impl<'a> BigTable<'a> {
    /// Returns the literal with this value.
    pub fn id(
        &mut self,
        program: &mut Program,
        value: &'a crate::base::integer::Integer,
    ) -> super::expr::BigId {
        *self.ids.entry(value).or_insert_with(|| program.bigs.push(value.clone()))
    }
}

struct Compiler<'a, 'p> {
    program: &'p mut Program,
    patterns: Patterns<'a>,
    nodes: IndexVec<NodeId, Node>,
    problems: Vec<Problem>,
    bigs: &'p mut BigTable<'a>,
    work: u64,
}

/// What a row's first pattern asks of its column; rows of one group agree in it.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Lead {
    Any,
    Test(super::pattern::Kind),
}

impl<'a> Compiler<'a, '_> {
    fn lead(&self, row: &Row) -> Lead {
        let pat = row.pats.last().copied().unwrap_or(PatRef::Any);
        self.patterns.kind(pat).map_or(Lead::Any, Lead::Test)
    }

    fn solve(&mut self, mut problem: Problem, leaves: &mut Vec<Leaf>) {
        let lead = match problem.rows.last() {
            Some(first) if !problem.columns.is_empty() => self.lead(first),
            _ => {
                // The first row that is left matches, and those below it are never reached.
                let node = match problem.rows.pop() {
                    Some(row) => {
                        leaves.push(Leaf { alt: row.alt, binds: row.binds });
                        Node::Leaf(leaves.len() - 1)
                    }
                    None => failure(problem.catch),
                };
                self.nodes[problem.to] = node;
                return;
            }
        };
        if let Some(last) = problem.rows.iter().rposition(|row| self.lead(row) != lead) {
            self.split(&mut problem, last + 1);
        }
        self.work += problem.rows.len() as u64;
        match lead {
            Lead::Any => self.variables(problem),
            Lead::Test(_) => self.switch(problem),
        }
    }

    /// Leaves the rows from index `from` on, the first ones, in `problem`; the others are tried
    /// when those fail.
    fn split(&mut self, problem: &mut Problem, from: usize) {
        self.work += (problem.rows.len() - from + problem.columns.len()) as u64;
        let group = problem.rows.split_off(from);
        let rest = std::mem::replace(&mut problem.rows, group);
        let mut columns = problem.columns.clone();
        // The first refutable pattern of the first row is looked at before anything fails.
        let tested = problem.rows.last().and_then(|row| {
            row.pats.iter().rposition(|&pat| !matches!(self.patterns.view(pat), View::Any(_)))
        });
        if let Some(column) = tested.and_then(|at| columns.get_mut(at)) {
            column.forced = true;
        }
        let first = self.nodes.push(Node::Hole);
        let second = self.nodes.push(Node::Hole);
        self.nodes[problem.to] = Node::Try(first, second);
        self.problems.push(Problem { columns, rows: rest, to: second, catch: problem.catch });
        problem.to = first;
        problem.catch = true;
    }

    /// Removes a column of variables, which become names of what it is matched against.
    fn variables(&mut self, mut problem: Problem) {
        let Some(column) = problem.columns.pop() else { return };
        for row in &mut problem.rows {
            if let Some(name) = row.pats.pop().and_then(|pat| self.patterns.variable(pat)) {
                row.binds.push((name, column.local));
            }
        }
        self.problems.push(problem);
    }

    /// Compiles rows that begin with constructors of one type or literals of one kind to a switch.
    fn switch(&mut self, problem: Problem) {
        let Problem { mut columns, rows, to, catch } = problem;
        let Some(column) = columns.pop() else { return };
        let mut groups: Vec<(Test, Vec<Row>)> = Vec::new();
        let mut seen: FxHashMap<Result<ConId, Key<'a>>, usize> = FxHashMap::default();
        for mut row in rows.into_iter().rev() {
            let Some(pat) = row.pats.pop() else { continue };
            let at = match self.patterns.view(pat) {
                View::Any(_) => continue,
                View::Con(con, fields) => {
                    self.patterns.push_reversed(fields, &mut row.pats);
                    *seen.entry(Ok(con)).or_insert_with(|| {
                        let arity = self.patterns.arity(con);
                        let fields = row.pats[row.pats.len() - arity..].iter().rev();
                        let fields = fields.map(|&field| {
                            let name = self.patterns.variable(field);
                            self.program.local(name, self.patterns.span(field))
                        });
                        groups.push((Test::Con(con, fields.collect()), Vec::new()));
                        groups.len() - 1
                    })
                }
                View::Lit(key) => *seen.entry(Err(key)).or_insert_with(|| {
                    let lit = match key {
                        Key::Int(value) => Lit::Int(value),
                        Key::Big(value) => Lit::Big(self.bigs.id(self.program, value)),
                        Key::Char(c) => Lit::Char(c),
                    };
                    groups.push((Test::Lit(lit), Vec::new()));
                    groups.len() - 1
                }),
            };
            groups[at].1.push(row);
        }
        let complete = match groups.first() {
            Some((Test::Con(con, _), _)) => groups.len() == self.patterns.siblings(*con),
            _ => false,
        };
        if let Some((Test::Con(..), _)) = groups.first() {
            groups.sort_by_key(|(test, _)| match test {
                Test::Con(con, _) => self.patterns.tag(*con),
                Test::Lit(_) => 0,
            });
        }
        let mut branches = Vec::with_capacity(groups.len());
        let last = groups.len().saturating_sub(1);
        for (at, (test, mut rows)) in groups.into_iter().enumerate() {
            rows.reverse();
            let node = self.nodes.push(Node::Hole);
            self.work += columns.len() as u64;
            let mut columns =
                if at == last { std::mem::take(&mut columns) } else { columns.clone() };
            if let Test::Con(_, fields) = &test {
                columns.extend(fields.iter().rev().map(|&local| Column { local, forced: false }));
            }
            branches.push((test, node));
            self.problems.push(Problem { columns, rows, to: node, catch });
        }
        let default = (!complete).then(|| self.nodes.push(failure(catch)));
        self.nodes[to] =
            Node::Switch { scrutinee: column.local, evaluated: column.forced, branches, default };
    }
}

fn failure(catch: bool) -> Node {
    if catch { Node::Fail } else { Node::NoMatch }
}

impl Tree {
    /// Removes each `Try` whose first part fails nowhere (its second part is dropped) or at
    /// one place (the second part goes there).
    fn simplify(&mut self) {
        /// How often a subtree fails, and where if once.
        #[derive(Clone, Copy)]
        enum Fails {
            Never,
            Once(NodeId),
            Often,
        }
        let mut fails: Vec<Fails> = vec![Fails::Never; self.nodes.len()];
        // Children have higher numbers than their parents, until they are moved.
        for node in self.nodes.indices().rev() {
            let result = match &self.nodes[node] {
                Node::Fail => Fails::Once(node),
                Node::Hole | Node::NoMatch | Node::Leaf(_) => Fails::Never,
                Node::Switch { branches, default, .. } => {
                    let children = branches.iter().map(|(_, child)| child).chain(default);
                    let mut sum = Fails::Never;
                    for child in children {
                        sum = match (sum, fails[child.index()]) {
                            (Fails::Never, other) => other,
                            (sum, Fails::Never) => sum,
                            _ => Fails::Often,
                        };
                    }
                    sum
                }
                &Node::Try(first, second) => match fails[first.index()] {
                    Fails::Often => fails[second.index()],
                    Fails::Never => {
                        self.nodes[node] = self.take(first);
                        Fails::Never
                    }
                    Fails::Once(place) => {
                        let rest = match fails[second.index()] {
                            Fails::Once(at) if at == second => Fails::Once(place),
                            other => other,
                        };
                        self.nodes[place] = self.take(second);
                        self.nodes[node] = self.take(first);
                        match rest {
                            Fails::Once(at) if at == first => Fails::Once(node),
                            other => other,
                        }
                    }
                },
            };
            fails[node.index()] = result;
        }
    }

    fn take(&mut self, node: NodeId) -> Node {
        std::mem::replace(&mut self.nodes[node], Node::Hole)
    }

    /// Keeps the leaves that the tree still holds, in the order of the source.
    fn keep_reachable(&mut self) {
        let mut kept: Vec<(usize, NodeId)> = Vec::new();
        let mut work = vec![self.root];
        while let Some(node) = work.pop() {
            match &self.nodes[node] {
                Node::Leaf(leaf) => kept.push((*leaf, node)),
                Node::Switch { scrutinee, branches, default, .. } => {
                    self.scrutinees.push(*scrutinee);
                    work.extend(default);
                    work.extend(branches.iter().map(|(_, child)| *child));
                }
                Node::Try(first, second) => work.extend([*second, *first]),
                Node::Hole | Node::Fail | Node::NoMatch => {}
            }
        }
        kept.sort_by_key(|&(leaf, _)| self.leaves[leaf].alt);
        let mut leaves = Vec::with_capacity(kept.len());
        for (at, (leaf, node)) in kept.into_iter().enumerate() {
            self.nodes[node] = Node::Leaf(at);
            let leaf = &mut self.leaves[leaf];
            leaves.push(Leaf { alt: leaf.alt, binds: std::mem::take(&mut leaf.binds) });
        }
        self.leaves = leaves;
    }

    /// Writes the match to `to`, with `bodies[i]` for leaf `i`, which is still to be written.
    /// Every field gets its local. A `Try` becomes a join whose handler is the second part.
    pub fn emit(mut self, program: &mut Program, to: ExprId, bodies: &[ExprId], span: Span) {
        // Each with the join of the innermost `Try` around it.
        let mut work: Vec<(NodeId, ExprId, Option<JoinId>)> = vec![(self.root, to, None)];
        while let Some((node, to, around)) = work.pop() {
            let mut child_in =
                |tree: &Tree, program: &mut Program, node: NodeId, around: Option<JoinId>| {
                    if let Node::Leaf(leaf) = tree.nodes[node] {
                        return bodies[leaf];
                    }
                    let id = program.expr(Expr::NoMatch, span);
                    work.push((node, id, around));
                    id
                };
            let taken = self.take(node);
            if let Node::Try(first, second) = taken {
                let params = List::EMPTY;
                let join = program.joins.push(Join { params, handler: to });
                let body = child_in(&self, program, first, Some(join));
                let handler = child_in(&self, program, second, around);
                program.joins[join].handler = handler;
                program.exprs[to] = Expr::Join(join, body);
                continue;
            }
            let mut child = |tree: &Tree, program: &mut Program, node: NodeId| {
                child_in(tree, program, node, around)
            };
            program.exprs[to] = match taken {
                Node::Fail => match around {
                    Some(join) => Expr::Jump(join, List::EMPTY),
                    None => Expr::NoMatch,
                },
                // A leaf is its parent's child as it is, and the root is none.
                Node::Hole | Node::Leaf(_) | Node::Try(..) | Node::NoMatch => Expr::NoMatch,
                Node::Switch { scrutinee, evaluated, branches, default } => {
                    let default = default.map(|node| child(&self, program, node));
                    let mut cons = Vec::new();
                    let mut lits = Vec::new();
                    for (test, node) in branches {
                        let body = child(&self, program, node);
                        match test {
                            Test::Con(con, fields) => cons.push(ConBranch {
                                con,
                                fields: fields.into_iter().map(Some).collect(),
                                body,
                            }),
                            Test::Lit(lit) => lits.push((lit, body)),
                        }
                    }
                    let branches =
                        if cons.is_empty() { Branches::Lits(lits) } else { Branches::Cons(cons) };
                    let id: SwitchId =
                        program.switches.push(Switch { scrutinee, evaluated, branches, default });
                    Expr::Switch(id)
                }
            };
        }
    }
}
