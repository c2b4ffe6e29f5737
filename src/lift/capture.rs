//! What becomes a supercombinator, and which variables each captures.
//!
//! A *point* is what will be lifted: a function without a name, a group of local functions
//! that call each other, or an expression with a `case` in a lazy context. One walk finds
//! the points and what they capture. An occurrence of a variable is added to the points
//! around it from the inside outwards, up to the place of its binding or to a point that has
//! it already, so the work is bounded by the size of the result. An occurrence of a local
//! function captures what its group captures (Johnsson, "Lambda lifting: transforming
//! programs to recursive equations", 1985). While a group is still being walked that is not
//! known; then the points around the occurrence note the group itself, and get what it
//! captures when it is done. That is the least solution of Johnsson's equations: the
//! functions of one group all reach each other, so they capture the same.
//!
//! In a chain of functions that each call the one before, the last captures what all of them
//! do. A definition that this makes too large has its functions as values instead: the
//! supercombinator is applied to what it captures where the function is bound, and the name
//! is a variable like others, captured as one. That trades the known calls for closures
//! (Graf and Peyton Jones, "Selective lambda lifting", 2019, weigh the two).

use rustc_hash::FxHashSet;

use super::dependency::Groups;
use super::{LIFTED, LIFTED_PER_EXPRESSION, Refused};
use crate::base::index::{Idx, IndexVec, List};
use crate::base::span::Span;
use crate::core::expr::{Expr, ExprId, GlobalKind, LocalId, Program};
use crate::core::traverse::Position;

crate::define_index! {
    /// A part of the program that becomes a supercombinator.
    pub PointId;
}

/// What a point captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Item {
    Local(LocalId),
    /// Whatever a group of functions around the point captures.
    Group(PointId),
}

struct Point {
    /// What is lifted; of a group of functions, the first.
    root: ExprId,
    /// The number of references to it. What it captures is written out for each.
    references: usize,
    items: Vec<Item>,
    /// The points that capture whatever this group does.
    holders: Vec<PointId>,
    /// The number of enclosing points.
    depth: usize,
    closed: bool,
}

/// The points of a program.
pub(super) struct Captures {
    /// The point that an expression is the root of: a function, or a lazy expression.
    point: Vec<Option<PointId>>,
    /// The function that a local names, if it names one: its expression.
    function: Vec<Option<ExprId>>,
    /// The variables that each point captures, in the order of their binding.
    captured: IndexVec<PointId, Vec<LocalId>>,
}

impl Captures {
    /// Returns the point that `expr` is the root of.
    pub(super) fn point(&self, expr: ExprId) -> Option<PointId> {
        self.point.get(expr.index()).copied().flatten()
    }

    /// Returns the function that `local` names.
    pub(super) fn function(&self, local: LocalId) -> Option<ExprId> {
        self.function.get(local.index()).copied().flatten()
    }

    /// Returns the variables that a point captures.
    pub(super) fn captured(&self, point: PointId) -> &[LocalId] {
        &self.captured[point]
    }
}

/// How the value of an expression is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Context {
    /// It is evaluated at once.
    Strict,
    /// It is evaluated later, if at all.
    Lazy,
    /// As `Lazy`, for the body of a chain of lets that is known to have no case at its end.
    LazyTail,
}

impl Context {
    /// Returns the context of the sub-expression at `position` of `expr`, which is in this one.
    pub(super) fn within(self, program: &Program, expr: ExprId, position: Position) -> Context {
        let ends_lets = matches!(program.exprs[expr], Expr::Let(..) | Expr::Letrec(..))
            && position == Position::Body;
        match (self, program.is_strict(expr, position)) {
            (Context::Strict, true) => Context::Strict,
            (Context::Lazy | Context::LazyTail, true) if ends_lets => Context::LazyTail,
            _ => Context::Lazy,
        }
    }
}

/// Returns whether an expression may stand in strict contexts only.
pub(super) fn is_strict_only(expr: Expr) -> bool {
    matches!(
        expr,
        Expr::Force(..)
            | Expr::Perform(..)
            | Expr::Switch(_)
            | Expr::Join(..)
            | Expr::Jump(..)
            | Expr::NoMatch
    )
}

/// Returns whether a chain of lets ends in a case.
fn ends_in_case(program: &Program, expr: ExprId) -> bool {
    let mut expr = expr;
    while let Expr::Let(_, _, body) | Expr::Letrec(_, body) = program.exprs[expr] {
        expr = body;
    }
    is_strict_only(program.exprs[expr])
}

enum Task {
    Expr(ExprId, Context),
    /// Walks the functions of a point.
    Open(PointId, Vec<ExprId>),
    Close(PointId),
}

struct Walk<'p> {
    program: &'p Program,
    groups: &'p Groups,
    point: Vec<Option<PointId>>,
    function: Vec<Option<ExprId>>,
    /// The number of points that enclose the binding of each local.
    level: Vec<u32>,
    points: IndexVec<PointId, Point>,
    has: FxHashSet<(PointId, Item)>,
    open: Vec<PointId>,
    tasks: Vec<Task>,
    /// The number of captured variables that may still be noted or looked at.
    budget: usize,
    /// The definition that is walked.
    home: Home,
}

/// What is known of the definition that is walked.
struct Home {
    /// Whether the locals in it that name functions are variables like all others.
    by_value: bool,
    /// The number of its expressions so far.
    size: usize,
    /// The number of captured variables that were noted or looked at for it.
    noted: usize,
    /// Its first point.
    first: PointId,
    /// The locals that its functions are bound to.
    named: Vec<LocalId>,
}

impl Home {
    fn new(first: PointId, by_value: bool) -> Home {
        Home { by_value, size: 0, noted: 0, first, named: Vec::new() }
    }

    /// Returns whether passing on what its functions capture makes it too large.
    fn is_too_large(&self, captures: usize) -> bool {
        !self.by_value && captures > LIFTED + LIFTED_PER_EXPRESSION * self.size
    }
}

/// Finds the points of a program whose letrecs have been split. At most `budget` captured
/// variables may be found, one for each point that captures it and each reference to that.
pub(super) fn captures(
    program: &Program,
    groups: &Groups,
    budget: usize,
) -> Result<Captures, Refused> {
    let mut walk = Walk {
        program,
        budget,
        groups,
        point: vec![None; program.exprs.len()],
        function: vec![None; program.locals.len()],
        level: vec![0; program.locals.len()],
        points: IndexVec::new(),
        has: FxHashSet::default(),
        open: Vec::new(),
        tasks: Vec::new(),
        home: Home::new(PointId(0), false),
    };
    for global in program.globals.iter() {
        let GlobalKind::Defn { body: Some(body), .. } = global.kind else { continue };
        let fits = walk.definition(body, false) || walk.definition(body, true);
        if !fits || walk.budget == 0 {
            return Err(walk.refuse());
        }
    }
    if walk.written(PointId(0)) > budget {
        return Err(walk.refuse());
    }
    let captured = walk
        .points
        .iter()
        .map(|point| {
            let mut locals: Vec<LocalId> = point
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Local(local) => Some(*local),
                    Item::Group(_) => None,
                })
                .collect();
            locals.sort_unstable();
            locals
        })
        .collect();
    Ok(Captures { point: walk.point, function: walk.function, captured })
}

impl Walk<'_> {
    /// Walks the body of a definition. Returns false, and forgets what it found, if that is
    /// too much with the functions lifted; with functions by value it never is.
    fn definition(&mut self, body: ExprId, by_value: bool) -> bool {
        self.home = Home::new(self.points.next_index(), by_value);
        // Parameters are bound outside all points, at level 0, as the table says already.
        self.tasks.push(Task::Expr(body, Context::Strict));
        while self.budget > 0
            && let Some(task) = self.tasks.pop()
        {
            match task {
                Task::Expr(expr, context) => self.expr(expr, context),
                Task::Open(point, functions) => self.enter(point, &functions),
                Task::Close(point) => self.close(point),
            }
            if self.home.is_too_large(self.home.noted) {
                self.forget();
                return false;
            }
        }
        if self.home.is_too_large(self.written(self.home.first)) {
            self.forget();
            return false;
        }
        true
    }

    /// Forgets the points of the definition that is walked, but not what they cost.
    fn forget(&mut self) {
        self.tasks.clear();
        self.open.clear();
        for local in std::mem::take(&mut self.home.named) {
            if let Some(function) = self.function[local.index()].take() {
                self.point[function.index()] = None;
            }
        }
        for point in self.points.iter_mut().skip(self.home.first.index()) {
            self.point[point.root.index()] = None;
            point.items = Vec::new();
        }
    }

    /// Returns how many variables are written out for the points from one on.
    fn written(&self, from: PointId) -> usize {
        let points = self.points.indices().skip(from.index());
        points.map(|at| self.points[at].items.len() * self.points[at].references).sum()
    }

    fn bind(&mut self, local: LocalId) {
        self.level[local.index()] = self.open.len() as u32;
    }

    fn new_point(&mut self, root: ExprId) -> PointId {
        let (items, holders) = Default::default();
        // A function without a name and a lazy expression are referred to where they stand.
        let references = 1;
        self.points.push(Point { root, references, items, holders, depth: 0, closed: false })
    }

    /// Returns the report that the budget is used up: it names what captures most.
    fn refuse(&self) -> Refused {
        let most = self.points.iter().max_by_key(|point| point.items.len() * point.references);
        let span = most.map_or(Span::NONE, |point| self.program.spans[point.root]);
        Refused::Captures { span }
    }

    /// Adds an item to the open points deeper than `level`.
    fn add(&mut self, item: Item, level: usize) {
        for at in (level..self.open.len()).rev() {
            if !self.hold(self.open[at], item) {
                break;
            }
        }
    }

    /// Adds an item to a point; returns whether it was not there.
    fn hold(&mut self, point: PointId, item: Item) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.home.noted += 1;
        if self.budget == 0 || !self.has.insert((point, item)) {
            return false;
        }
        self.points[point].items.push(item);
        if let Item::Group(group) = item {
            self.points[group].holders.push(point);
        }
        true
    }

    fn occurrence(&mut self, item: Item) {
        match item {
            Item::Local(local) => self.add(item, self.level[local.index()] as usize),
            Item::Group(group) if !self.points[group].closed => {
                self.add(item, self.points[group].depth + 1);
            }
            // What it captures has been handed to its holders.
            Item::Group(_) => {}
        }
    }

    fn use_local(&mut self, local: LocalId) {
        let group = self.function[local.index()].and_then(|function| self.point[function.index()]);
        if let Some(group) = group {
            self.points[group].references += 1;
        }
        match group {
            None => self.occurrence(Item::Local(local)),
            Some(group) if !self.points[group].closed => self.occurrence(Item::Group(group)),
            Some(group) => {
                for next in 0..self.points[group].items.len() {
                    if self.budget == 0 {
                        return;
                    }
                    self.occurrence(self.points[group].items[next]);
                }
            }
        }
    }

    /// Opens a point and walks the bodies of its functions.
    fn enter(&mut self, point: PointId, functions: &[ExprId]) {
        self.points[point].depth = self.open.len();
        self.open.push(point);
        self.tasks.push(Task::Close(point));
        for &function in functions {
            let Expr::Lam(params, body) = self.program.exprs[function] else { continue };
            for &param in &self.program.local_lists[params] {
                self.bind(param);
            }
            self.tasks.push(Task::Expr(body, Context::Strict));
        }
    }

    fn close(&mut self, point: PointId) {
        self.open.pop();
        self.points[point].closed = true;
        for holder in std::mem::take(&mut self.points[point].holders) {
            for next in 0..self.points[point].items.len() {
                if self.budget == 0 {
                    return;
                }
                let item = self.points[point].items[next];
                self.hold(holder, item);
            }
        }
    }

    fn expr(&mut self, expr: ExprId, context: Context) {
        let program = self.program;
        let kind = program.exprs[expr];
        self.home.size += 1;
        let lifted = match kind {
            Expr::Let(..) | Expr::Letrec(..) => {
                context == Context::Lazy && ends_in_case(program, expr)
            }
            _ => context != Context::Strict && is_strict_only(kind),
        };
        if lifted {
            let point = self.new_point(expr);
            self.point[expr.index()] = Some(point);
            self.enter(point, &[]);
            self.tasks.push(Task::Expr(expr, Context::Strict));
            return;
        }
        if let Some(local) = program.used_local(expr) {
            self.use_local(local);
        }
        match kind {
            Expr::Let(local, value, body) => {
                let inner = context.within(program, expr, Position::Body);
                self.tasks.push(Task::Expr(body, inner));
                if self.is_lifted(value) {
                    let point = self.new_point(value);
                    self.name(local, value, point);
                    self.enter(point, &[value]);
                } else {
                    self.bind(local);
                    self.tasks.push(Task::Expr(value, Context::Lazy));
                }
            }
            Expr::Letrec(binds, body) => {
                let inner = context.within(program, expr, Position::Body);
                self.tasks.push(Task::Expr(body, inner));
                let binds = &program.binds[binds];
                for bind in binds.iter().rev() {
                    self.bind(bind.local);
                    if !self.is_lifted(bind.value) {
                        self.tasks.push(Task::Expr(bind.value, Context::Lazy));
                    }
                }
                let groups = self.groups.get(&expr).filter(|_| !self.home.by_value);
                let groups = groups.map_or(&[][..], Vec::as_slice);
                for group in groups.iter().rev() {
                    let members = group.iter().map(|&at| binds[at as usize]);
                    let first = members.clone().next().map_or(expr, |bind| bind.value);
                    let point = self.new_point(first);
                    members.clone().for_each(|bind| self.name(bind.local, bind.value, point));
                    let functions = members.map(|bind| bind.value).collect();
                    self.tasks.push(Task::Open(point, functions));
                }
            }
            Expr::Lam(..) => {
                let point = self.new_point(expr);
                self.point[expr.index()] = Some(point);
                self.enter(point, &[expr]);
            }
            _ => {
                for child in program.children(expr).rev() {
                    program.scope(expr, child.position).for_each(|local| self.bind(local));
                    let inner = context.within(program, expr, child.position);
                    self.tasks.push(Task::Expr(child.expr, inner));
                }
            }
        }
    }

    /// Returns whether the value of a local is a function that goes where its name stands.
    fn is_lifted(&self, value: ExprId) -> bool {
        !self.home.by_value && matches!(self.program.exprs[value], Expr::Lam(..))
    }

    /// Lets a local stand for a function.
    fn name(&mut self, local: LocalId, function: ExprId, point: PointId) {
        self.function[local.index()] = Some(function);
        self.point[function.index()] = Some(point);
        self.home.named.push(local);
    }
}

/// Returns the parameters of a function expression; none for another one.
pub(super) fn params(program: &Program, expr: ExprId) -> List<LocalId> {
    match program.exprs[expr] {
        Expr::Lam(params, _) => params,
        _ => List::EMPTY,
    }
}
