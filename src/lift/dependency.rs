//! Dependency analysis of letrecs (Peyton Jones, "The Implementation of Functional
//! Programming Languages", 1987, section 6.2.8): each becomes a nest of its strongly
//! connected components, and a component that is not recursive becomes a `Let`.

use rustc_hash::FxHashMap;

use crate::base::index::List;
use crate::base::scc::components;
use crate::core::expr::{Bind, Expr, ExprId, GlobalKind, LocalId, Program};

/// For each letrec that is left, the positions of its functions, in groups that are
/// recursive through functions alone; a group comes after those that it depends on.
pub(super) type Groups = FxHashMap<ExprId, Vec<Vec<u32>>>;

enum Task {
    Expr(ExprId),
    /// We are in the value of so manieth binding of a letrec, or in none.
    In(usize, Option<u32>),
    /// All of a letrec has been seen.
    Split(ExprId, usize),
}

/// A letrec under way.
struct Open {
    /// The binding whose value we are in.
    current: Option<u32>,
    /// For each binding, those that its value mentions.
    edges: Vec<Vec<u32>>,
}

struct Analysis<'p> {
    program: &'p mut Program,
    /// For a local bound by a letrec, which one, and its position there.
    owner: FxHashMap<LocalId, (usize, u32)>,
    open: Vec<Open>,
    groups: Groups,
    tasks: Vec<Task>,
}

/// Splits all letrecs of a program.
pub(super) fn split_letrecs(program: &mut Program) -> Groups {
    let bodies: Vec<ExprId> = program
        .globals
        .iter()
        .filter_map(|global| match global.kind {
            GlobalKind::Defn { body, .. } => body,
            _ => None,
        })
        .collect();
    let mut analysis = Analysis {
        program,
        owner: FxHashMap::default(),
        open: Vec::new(),
        groups: Groups::default(),
        tasks: Vec::new(),
    };
    for body in bodies {
        analysis.tasks.push(Task::Expr(body));
        while let Some(task) = analysis.tasks.pop() {
            match task {
                Task::Expr(expr) => analysis.expr(expr),
                Task::In(letrec, current) => analysis.open[letrec].current = current,
                Task::Split(expr, letrec) => analysis.split(expr, letrec),
            }
        }
    }
    analysis.groups
}

impl Analysis<'_> {
    fn use_local(&mut self, local: LocalId) {
        if let Some(&(letrec, to)) = self.owner.get(&local) {
            let open = &mut self.open[letrec];
            if let Some(from) = open.current {
                open.edges[from as usize].push(to);
            }
        }
    }

    fn expr(&mut self, expr: ExprId) {
        if let Some(local) = self.program.used_local(expr) {
            self.use_local(local);
        }
        match self.program.exprs[expr] {
            Expr::Letrec(binds, body) => self.letrec(expr, binds, body),
            _ => self.tasks.extend(self.program.children(expr).exprs().rev().map(Task::Expr)),
        }
    }

    fn letrec(&mut self, expr: ExprId, binds: List<Bind>, body: ExprId) {
        let letrec = self.open.len();
        self.open.push(Open { current: None, edges: vec![Vec::new(); binds.len()] });
        self.tasks.push(Task::Split(expr, letrec));
        self.tasks.push(Task::Expr(body));
        self.tasks.push(Task::In(letrec, None));
        for (at, bind) in self.program.binds[binds].iter().enumerate() {
            self.owner.insert(bind.local, (letrec, at as u32));
            self.tasks.push(Task::Expr(bind.value));
            self.tasks.push(Task::In(letrec, Some(at as u32)));
        }
    }

    fn split(&mut self, expr: ExprId, letrec: usize) {
        let Expr::Letrec(binds, body) = self.program.exprs[expr] else { return };
        let edges = std::mem::take(&mut self.open[letrec].edges);
        let binds = self.program.binds[binds].to_vec();
        let span = self.program.spans[expr];
        let parts = components(&edges);
        let last = parts.len().saturating_sub(1);
        let mut to = expr;
        for (at, part) in parts.into_iter().enumerate() {
            let rest = if at == last { body } else { self.program.expr(Expr::Error, span) };
            let first = part[0];
            let alone = part.len() == 1 && !edges[first as usize].contains(&first);
            self.program.exprs[to] = if alone {
                let Bind { local, value } = binds[first as usize];
                Expr::Let(local, value, rest)
            } else {
                let groups = self.functions(&part, &binds, &edges);
                self.groups.insert(to, groups);
                let members: Vec<Bind> = part.iter().map(|&at| binds[at as usize]).collect();
                Expr::Letrec(self.program.binds.add(members), rest)
            };
            to = rest;
        }
    }

    /// Returns the groups of functions among the members of a component, by position in it.
    fn functions(&self, part: &[u32], binds: &[Bind], edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let is_function =
            |at: u32| matches!(self.program.exprs[binds[at as usize].value], Expr::Lam(..));
        let functions: Vec<(u32, u32)> = part
            .iter()
            .enumerate()
            .filter(|&(_, &at)| is_function(at))
            .map(|(position, &at)| (position as u32, at))
            .collect();
        let number: FxHashMap<u32, u32> =
            functions.iter().enumerate().map(|(to, &(_, at))| (at, to as u32)).collect();
        let among: Vec<Vec<u32>> = functions
            .iter()
            .map(|&(_, at)| {
                edges[at as usize].iter().filter_map(|to| number.get(to).copied()).collect()
            })
            .collect();
        components(&among)
            .into_iter()
            .map(|group| group.into_iter().map(|at| functions[at as usize].0).collect())
            .collect()
    }
}
