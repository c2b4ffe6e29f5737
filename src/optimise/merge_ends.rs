//! Ends of branches that are alike are written once.
//!
//! What one branch does at its end is often what another one does too, but for a name or a number: the driver has
//! gone on with the same continuation in each, or a match has written the same default. The ends become one join
//! point, and each of them a jump to it: what compilers of other languages do under the names of tail merging and
//! cross jumping (Wulf and others, "The Design of an Optimizing Compiler", 1975, chapter 7). Nothing that runs is
//! another evaluation, or one at another time: parameters are names and literals alone.
//!
//! Invariants:
//! - Ends are alike if they are equal but for the names that they bind and for at most [`PARAMETERS`] names and
//!   literals from outside. What is applied to something, what is switched on and what stands for a definition is the same
//!   in all of them, and so are the places in the source: what fails tells of the same place.
//! - The join stands around the innermost expression that all of them are ends of. What they all mention is
//!   bound around that, and so are the joins that they all jump to.
//! - The largest ends come first. Comparing them takes no more steps than there are expressions, times [`EFFORT`].

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::base::index::IndexVec;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, GlobalKind, Join, JoinId, Lit, LocalId, Program,
};
use crate::core::traverse::Position;

/// The most parameters of such a join.
const PARAMETERS: usize = 4;
/// The fewest expressions of an end: the turn of a loop is copied into the branches that come to it, where it is
/// faster than a jump ([`super::drive`]). And how many fewer there are to be once ends are one.
const SIZE: u32 = 24;
const SAVED: usize = 6;
/// How many expressions are compared, for each of a definition, and besides.
const EFFORT: usize = 20;
const EFFORT_BASE: usize = 1_000;

/// Merges the ends that are alike, in each definition. Returns how many jumps have taken their places.
pub(super) fn merge_ends(program: &mut Program) -> u64 {
    let mut merged = 0;
    let unknown = Shape { size: 0, hash: 0 };
    let mut merger = Merger {
        shapes: program.exprs.iter().map(|_| unknown).collect(),
        parents: program.exprs.iter().map(|_| None).collect(),
        dead: FxHashSet::default(),
        left: 0,
    };
    for global in program.globals.indices() {
        if let GlobalKind::Defn { body: Some(body), .. } = program.globals[global].kind {
            merged += merger.definition(program, body);
        }
    }
    merged
}

/// What is known of an expression.
#[derive(Clone, Copy)]
struct Shape {
    /// How many expressions it is, itself and all in it.
    size: u32,
    /// The same for all that are alike.
    hash: u64,
}

struct Merger {
    shapes: IndexVec<ExprId, Shape>,
    /// The expression of which one is an end, or leads to one.
    parents: IndexVec<ExprId, Option<ExprId>>,
    /// What a jump has replaced.
    dead: FxHashSet<ExprId>,
    /// How many expressions may still be compared.
    left: usize,
}

/// Ends that are alike.
struct Alike {
    ends: Vec<ExprId>,
    /// Where the first one mentions something that may be another thing in the others.
    places: Vec<ExprId>,
    /// For each end what stands there.
    atoms: Vec<Vec<Atom>>,
    /// The class of each place: in places of one class the same stands, whichever end it is.
    classes: Vec<usize>,
    /// For each class, whether it is not the same in all ends.
    varies: Vec<bool>,
}

impl Alike {
    /// Returns one end, of which this is in places where others may have something else.
    fn new(end: ExprId, places: Vec<ExprId>, atoms: Vec<Atom>) -> Alike {
        let classes = vec![0; places.len()];
        let mut alike =
            Alike { ends: Vec::new(), places, atoms: Vec::new(), classes, varies: vec![false] };
        alike.add(end, atoms);
        alike
    }

    /// Adds an end, unless it takes too many parameters then. Returns whether it was added.
    fn add(&mut self, end: ExprId, atoms: Vec<Atom>) -> bool {
        let mut varies = Vec::new();
        let mut known: FxHashMap<(usize, Atom), usize> = FxHashMap::default();
        let mut classes = Vec::with_capacity(self.classes.len());
        for (at, (&class, &atom)) in self.classes.iter().zip(&atoms).enumerate() {
            let new = *known.entry((class, atom)).or_insert(varies.len());
            if new == varies.len() {
                let is_other = self.atoms.first().is_some_and(|first| first[at] != atom);
                varies.push(self.varies[class] || is_other);
            }
            classes.push(new);
        }
        if varies.iter().filter(|varies| **varies).count() > PARAMETERS {
            return false;
        }
        (self.classes, self.varies) = (classes, varies);
        self.ends.push(end);
        self.atoms.push(atoms);
        true
    }

    /// Returns the places of which not all ends have the same, those together that are of one class.
    fn columns(&self) -> Vec<Vec<usize>> {
        let mut columns = vec![Vec::new(); self.varies.len()];
        for (at, &class) in self.classes.iter().enumerate() {
            if self.varies[class] {
                columns[class].push(at);
            }
        }
        columns.retain(|column| !column.is_empty());
        columns
    }
}

/// What a jump can bring: a name or a literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Atom {
    Local(LocalId),
    Lit(Lit),
    Con(ConId),
}

impl Atom {
    fn of(program: &Program, expr: Expr) -> Option<Atom> {
        match expr {
            Expr::Local(local) => Some(Atom::Local(local)),
            Expr::Lit(lit) => Some(Atom::Lit(lit)),
            Expr::Con(con) => (program.cons[con].arity == 0).then_some(Atom::Con(con)),
            _ => None,
        }
    }

    fn expr(self) -> Expr {
        match self {
            Atom::Local(local) => Expr::Local(local),
            Atom::Lit(lit) => Expr::Lit(lit),
            Atom::Con(con) => Expr::Con(con),
        }
    }
}

impl Merger {
    /// Merges the ends of a definition, and of what is evaluated in it.
    fn definition(&mut self, program: &mut Program, body: ExprId) -> u64 {
        let all: Vec<ExprId> = program.walk(body).collect();
        self.left = EFFORT * all.len() + EFFORT_BASE;
        for &expr in all.iter().rev() {
            self.shapes[expr] = self.shape(program, expr);
        }
        let mut roots = vec![body];
        for &expr in &all {
            if let Expr::Force(_, value, _) = program.exprs[expr] {
                roots.push(value);
            }
        }
        let mut merged = 0;
        for root in roots {
            if self.shapes[root].size >= 2 * SIZE && !self.dead.contains(&root) {
                merged += self.evaluated(program, root);
            }
        }
        self.dead.clear();
        merged
    }

    /// Merges the ends of something that is evaluated.
    fn evaluated(&mut self, program: &mut Program, root: ExprId) -> u64 {
        let mut groups: FxHashMap<u64, Vec<ExprId>> = FxHashMap::default();
        let mut order = Vec::new();
        self.parents[root] = None;
        let mut work = vec![root];
        while let Some(expr) = work.pop() {
            let Shape { size, hash } = self.shapes[expr];
            if size < SIZE {
                continue;
            }
            let group = groups.entry(hash).or_default();
            group.push(expr);
            if group.len() == 2 {
                order.push((Reverse(size), hash));
            }
            for end in ends(program, expr) {
                self.parents[end] = Some(expr);
                work.push(end);
            }
        }
        order.sort_by_key(|&(size, _)| size);
        let mut merged = 0;
        for (_, hash) in order {
            let mut left = groups.remove(&hash).unwrap_or_default();
            while left.len() > 1 {
                left.retain(|expr| !self.dead.contains(expr));
                let Some(alike) = self.alike(program, &mut left) else { break };
                if alike.ends.len() > 1 {
                    merged += self.merge(program, &alike);
                }
            }
        }
        merged
    }

    /// Takes the first of some ends and those that are alike with it out of them.
    fn alike(&mut self, program: &Program, ends: &mut Vec<ExprId>) -> Option<Alike> {
        let &first = ends.first()?;
        let (places, atoms) = self.compare(program, first, first)?;
        let mut alike = Alike::new(first, places, atoms);
        let mut others = Vec::new();
        for &end in &ends[1..] {
            let compared = self.compare(program, first, end);
            if !compared.is_some_and(|(_, atoms)| alike.add(end, atoms)) {
                others.push(end);
            }
        }
        *ends = others;
        Some(alike)
    }

    /// Compares two ends. Returns the places of the first where names and literals from outside stand, and what
    /// stands there in the other one; `None` if they are not alike.
    fn compare(
        &mut self,
        program: &Program,
        first: ExprId,
        other: ExprId,
    ) -> Option<(Vec<ExprId>, Vec<Atom>)> {
        self.left = self.left.checked_sub(self.shapes[first].size as usize)?;
        let mut pairs = Pairs::default();
        let (mut places, mut atoms) = (Vec::new(), Vec::new());
        let mut work = vec![(first, other)];
        while let Some((a, b)) = work.pop() {
            match (program.exprs[a], program.exprs[b]) {
                (Expr::Local(x), Expr::Local(y)) if pairs.is_bound(x, y)? => {}
                (Expr::Local(x), _) if pairs.mine.contains_key(&x) => return None,
                (_, Expr::Local(y)) if pairs.locals.contains_key(&y) => return None,
                (x, y)
                    if Atom::of(program, x).is_some()
                        && let Some(atom) = Atom::of(program, y) =>
                {
                    places.push(a);
                    atoms.push(atom);
                }
                (x, y) => {
                    if program.spans[a] != program.spans[b] || !pairs.is_same(program, x, y)? {
                        return None;
                    }
                    let (mine, others) = (program.children(a), program.children(b));
                    let before = work.len();
                    for (mine, other) in mine.zip(others) {
                        // What is applied is the same.
                        if mine.position == Position::Callee
                            && let Expr::Local(x) = program.exprs[mine.expr]
                            && let Expr::Local(y) = program.exprs[other.expr]
                            && !pairs.is_bound(x, y)?
                            && x != y
                        {
                            return None;
                        }
                        work.push((mine.expr, other.expr));
                    }
                    work[before..].reverse();
                }
            }
        }
        Some((places, atoms))
    }

    /// Writes ends once. Returns how many jumps there are to them; none if that saves too little.
    fn merge(&mut self, program: &mut Program, alike: &Alike) -> u64 {
        let columns = alike.columns();
        let (size, count) = (self.shapes[alike.ends[0]].size as usize, alike.ends.len());
        let after = size + (count + 1) * (1 + columns.len());
        if count * size < after + SAVED {
            return 0;
        }
        let Some(around) = self.around(&alike.ends) else { return 0 };
        let first = alike.ends[0];
        self.must_be_evaluated(program, first, around);
        let mut params = Vec::with_capacity(columns.len());
        for column in &columns {
            let place = alike.places[column[0]];
            let local = match program.exprs[place] {
                Expr::Local(local) => program.locals[local].name,
                _ => None,
            };
            let param = program.local(local, program.spans[place]);
            column.iter().for_each(|&at| program.exprs[alike.places[at]] = Expr::Local(param));
            params.push(param);
        }
        let handler = self.moved(program, first);
        self.parents[handler] = Some(around);
        for end in ends(program, handler) {
            self.parents[end] = Some(handler);
        }
        let params = program.local_lists.add(params);
        let join = program.joins.push(Join { params, handler });
        for (&end, atoms) in alike.ends.iter().zip(&alike.atoms) {
            if end != first {
                self.dead.extend(program.walk(end));
            }
            let span = program.spans[end];
            let args: Vec<ExprId> =
                columns.iter().map(|column| program.expr(atoms[column[0]].expr(), span)).collect();
            let args = program.expr_lists.add(args);
            program.exprs[end] = Expr::Jump(join, args);
            self.dead.insert(end);
        }
        // What stands in it goes on to have it around: it is where the join is.
        let body = self.moved(program, around);
        program.exprs[around] = Expr::Join(join, body);
        self.fit(program);
        count as u64
    }

    /// Moves an expression to another place, and returns it there.
    fn moved(&mut self, program: &mut Program, expr: ExprId) -> ExprId {
        let moved = program.expr(program.exprs[expr], program.spans[expr]);
        self.fit(program);
        self.shapes[moved] = self.shapes[expr];
        moved
    }

    /// Has room for all expressions.
    fn fit(&mut self, program: &Program) {
        while self.shapes.len() < program.exprs.len() {
            self.shapes.push(Shape { size: 0, hash: 0 });
            self.parents.push(None);
        }
    }

    /// Returns the innermost expression that all of some are ends of.
    fn around(&mut self, ends: &[ExprId]) -> Option<ExprId> {
        let mut path = Vec::new();
        let mut at = self.parents[*ends.first()?];
        while let Some(expr) = at {
            path.push(expr);
            at = self.parents[expr];
        }
        self.left = self.left.saturating_sub(path.len());
        let depths: FxHashMap<ExprId, usize> =
            path.iter().enumerate().map(|(depth, &expr)| (expr, depth)).collect();
        let mut outermost = 0;
        for &end in &ends[1..] {
            let mut at = self.parents[end];
            loop {
                let expr = at?;
                self.left = self.left.saturating_sub(1);
                if let Some(&depth) = depths.get(&expr) {
                    outermost = outermost.max(depth);
                    break;
                }
                at = self.parents[expr];
            }
        }
        path.get(outermost).copied()
    }

    /// Has the switches of an end evaluate what is evaluated between it and an expression around it.
    fn must_be_evaluated(&self, program: &mut Program, end: ExprId, around: ExprId) {
        let mut evaluated = FxHashSet::default();
        let mut at = Some(around);
        while let Some(expr) = at {
            match program.exprs[expr] {
                Expr::Switch(switch) => {
                    evaluated.insert(program.switches[switch].scrutinee);
                }
                Expr::Force(local, ..) => {
                    evaluated.insert(local);
                }
                _ => {}
            }
            at = self.parents[expr];
        }
        let all: Vec<ExprId> = program.walk(end).collect();
        let mut bound = FxHashSet::default();
        for &expr in &all {
            let children = program.children(expr);
            bound.extend(children.flat_map(|child| program.scope(expr, child.position)));
        }
        for expr in all {
            if let Expr::Switch(switch) = program.exprs[expr] {
                let switch = &mut program.switches[switch];
                let local = switch.scrutinee;
                switch.evaluated &= bound.contains(&local) || evaluated.contains(&local);
            }
        }
    }

    /// Returns what is known of an expression, if it is known of all in it.
    fn shape(&self, program: &Program, expr: ExprId) -> Shape {
        let mut hasher = FxHasher::default();
        let mut size = 1;
        let value = program.exprs[expr];
        if Atom::of(program, value).is_some() {
            return Shape { size, hash: 1 };
        }
        std::mem::discriminant(&value).hash(&mut hasher);
        program.spans[expr].hash(&mut hasher);
        match value {
            Expr::Text(text) => program.texts[text].hash(&mut hasher),
            Expr::Global(global) => global.0.hash(&mut hasher),
            Expr::Con(con) => con.0.hash(&mut hasher),
            _ => {}
        }
        for child in program.children(expr) {
            let Shape { size: part, hash } = self.shapes[child.expr];
            size += part;
            hash.hash(&mut hasher);
        }
        Shape { size, hash: hasher.finish() }
    }
}

/// Returns the expressions that one ends in, or of which the ends are those of it.
fn ends(program: &Program, expr: ExprId) -> Vec<ExprId> {
    if let Expr::App(callee, args) = program.exprs[expr] {
        return program.expr_lists[program.tails(callee, args)].to_vec();
    }
    let is_end = |position| {
        matches!(
            position,
            Position::Body | Position::Handler(_) | Position::Branch(_) | Position::Default
        )
    };
    let children = program.children(expr).filter(|child| is_end(child.position));
    children.map(|child| child.expr).collect()
}

/// What two expressions bind, that of the first by that of the second, and the other way round.
#[derive(Default)]
struct Pairs {
    locals: FxHashMap<LocalId, LocalId>,
    mine: FxHashMap<LocalId, LocalId>,
    joins: FxHashMap<JoinId, JoinId>,
}

impl Pairs {
    fn bind(&mut self, x: LocalId, y: LocalId) {
        self.locals.insert(y, x);
        self.mine.insert(x, y);
    }

    /// Returns whether two locals are bound within, in one place; `None` if in different ones.
    fn is_bound(&self, x: LocalId, y: LocalId) -> Option<bool> {
        match (self.mine.get(&x), self.locals.get(&y)) {
            (None, None) => Some(false),
            (Some(&of), _) => (of == y).then_some(true),
            (None, Some(_)) => None,
        }
    }

    /// Returns whether two expressions that are no atoms are of one form, but for what is in them. What they
    /// bind is one then.
    fn is_same(&mut self, program: &Program, x: Expr, y: Expr) -> Option<bool> {
        Some(match (x, y) {
            (Expr::Text(x), Expr::Text(y)) => program.texts[x] == program.texts[y],
            (Expr::Global(x), Expr::Global(y)) => x == y,
            (Expr::Con(x), Expr::Con(y)) => x == y,
            (Expr::App(_, x), Expr::App(_, y)) => x.len() == y.len(),
            (Expr::Let(x, ..), Expr::Let(y, ..))
            | (Expr::Force(x, ..), Expr::Force(y, ..))
            | (Expr::Perform(x, ..), Expr::Perform(y, ..)) => {
                self.bind(x, y);
                true
            }
            (Expr::Letrec(x, _), Expr::Letrec(y, _)) => {
                let (x, y) = (&program.binds[x], &program.binds[y]);
                x.iter().zip(y).for_each(|(x, y)| self.bind(x.local, y.local));
                x.len() == y.len()
            }
            (Expr::Join(x, _), Expr::Join(y, _)) => {
                self.joins.insert(y, x);
                let params = |join: JoinId| &program.local_lists[program.joins[join].params];
                params(x).iter().zip(params(y)).for_each(|(&x, &y)| self.bind(x, y));
                params(x).len() == params(y).len()
            }
            (Expr::Jump(x, mine), Expr::Jump(y, others)) => {
                *self.joins.get(&y).unwrap_or(&y) == x && mine.len() == others.len()
            }
            (Expr::Switch(x), Expr::Switch(y)) => {
                let (x, y) = (&program.switches[x], &program.switches[y]);
                if !self.is_bound(x.scrutinee, y.scrutinee)? && x.scrutinee != y.scrutinee {
                    return None;
                }
                if x.default.is_some() != y.default.is_some() {
                    return None;
                }
                match (&x.branches, &y.branches) {
                    (Branches::Lits(x), Branches::Lits(y)) => {
                        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.0 == y.0)
                    }
                    (Branches::Cons(x), Branches::Cons(y)) if x.len() == y.len() => {
                        for (x, y) in x.iter().zip(y) {
                            if x.con != y.con {
                                return None;
                            }
                            for (&x, &y) in x.fields.iter().zip(&y.fields) {
                                match (x, y) {
                                    (Some(x), Some(y)) => self.bind(x, y),
                                    (None, None) => {}
                                    _ => return None,
                                }
                            }
                        }
                        true
                    }
                    _ => false,
                }
            }
            (Expr::NoMatch, Expr::NoMatch) => true,
            _ => false,
        })
    }
}
