//! A call-by-need evaluator of core, for compile time: what it comes to in few steps is known.
//!
//! Invariants:
//! - It evaluates what the run would evaluate, in the same order, and shares what the run would share.
//! - What it cannot do (errors, actions, what the embedding program defines) has no value, nor has what takes
//!   more steps than there are: then every node is as if that had not been tried.

use rustc_hash::FxHashMap;

use crate::base::index::{IndexVec, List, Pool};
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Branches, CONS, ConId, Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId, NIL, Program,
    SwitchId, TextId,
};
use crate::optimise::drive::Head;
use crate::optimise::fold::{Bigs, Folder, equal, is_one_kind};
use crate::primitive::{Primitive, Shape};

crate::define_index! {
    /// A node of the graph.
    pub NodeId;
}

/// A value in weak head normal form.
#[derive(Clone, Copy)]
pub enum Value {
    Lit(Lit),
    /// What of a text is left from a byte position on; there is something.
    Text(TextId, u32),
    Con(ConId, List<NodeId>),
    /// A constructor, definition or primitive with too few arguments.
    Partial(Head, List<NodeId>),
}

/// Where the locals of an activation begin.
#[derive(Clone, Copy)]
pub struct Environment(u32);

enum Node {
    Thunk(ExprId, Environment),
    /// A thunk that is being evaluated: it has no value if it is needed for that.
    Busy,
    Value(Value),
}

/// What comes next.
enum Next {
    Evaluate(ExprId, Environment),
    Enter(Head),
    Have(Value),
}

pub struct Evaluator<'p> {
    pub program: &'p Program,
    bigs: Bigs,
    folder: Folder,
    nodes: IndexVec<NodeId, Node>,
    lists: Pool<NodeId>,
    /// The locals of all activations, each where its slot is.
    locals: Vec<Option<NodeId>>,
    slots: IndexVec<LocalId, u32>,
    /// How many locals the definitions have that were entered.
    sizes: IndexVec<GlobalId, Option<u32>>,
    cafs: FxHashMap<GlobalId, NodeId>,
    /// The nodes of expressions that have the same value wherever they are evaluated.
    closed: FxHashMap<ExprId, Option<NodeId>>,
    /// The CAFs of nodes.
    names: FxHashMap<NodeId, GlobalId>,
    /// What values that are looked for are applied to, the first argument last.
    pending: Vec<NodeId>,
    /// How many steps are left.
    pub steps: i64,
    /// In how many evaluations we are.
    depth: u32,
}

/// How many locals of an activation take as long to make as a step.
const LOCALS_PER_STEP: u32 = 4;
/// The most operands of a primitive that is computed.
const MOST_OPERANDS: usize = 4;
/// The most evaluations in one another.
const NESTED: u32 = 2_000;

impl<'p> Evaluator<'p> {
    /// Returns one for a program, that has no steps yet.
    pub fn new(program: &'p Program) -> Evaluator<'p> {
        Evaluator {
            program,
            bigs: program.bigs.iter().cloned().collect(),
            folder: Folder::new(&program.bigs),
            nodes: IndexVec::new(),
            lists: Pool::default(),
            locals: Vec::new(),
            slots: program.locals.iter().map(|_| 0).collect(),
            sizes: program.globals.iter().map(|_| None).collect(),
            cafs: FxHashMap::default(),
            closed: FxHashMap::default(),
            names: FxHashMap::default(),
            pending: Vec::new(),
            steps: 0,
            depth: 0,
        }
    }

    /// Notes that an expression has the same value wherever it is evaluated: it is evaluated once.
    pub fn add_closed(&mut self, expr: ExprId) {
        self.closed.insert(expr, None);
    }

    pub fn items(&self, list: List<NodeId>) -> &[NodeId] {
        &self.lists[list]
    }

    /// Returns the CAF that a node is.
    pub fn name(&self, node: NodeId) -> Option<GlobalId> {
        self.names.get(&node).copied()
    }

    /// Returns the node of a CAF.
    pub fn caf(&mut self, caf: GlobalId) -> Option<NodeId> {
        if let Some(&node) = self.cafs.get(&caf) {
            return Some(node);
        }
        let GlobalKind::Defn { body: Some(body), .. } = self.program.globals[caf].kind else {
            return None;
        };
        let environment = self.activation(caf)?;
        let node = self.nodes.push(Node::Thunk(body, environment));
        self.cafs.insert(caf, node);
        self.names.insert(node, caf);
        Some(node)
    }

    /// Returns an environment for the locals of a definition, of which none is bound.
    pub fn activation(&mut self, of: GlobalId) -> Option<Environment> {
        let size = match self.sizes[of] {
            Some(size) => size,
            None => {
                let size = self.number_locals(of)?;
                self.sizes[of] = Some(size);
                size
            }
        };
        self.steps -= i64::from(size / LOCALS_PER_STEP);
        let at = self.locals.len();
        self.locals.resize(at + size as usize, None);
        Some(Environment(at as u32))
    }

    /// Gives each local of a definition a slot, and returns how many there are.
    fn number_locals(&mut self, of: GlobalId) -> Option<u32> {
        let program = self.program;
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[of].kind else {
            return None;
        };
        let mut size = 0;
        let slots = &mut self.slots;
        let mut number = |local: LocalId| {
            slots[local] = size;
            size += 1;
        };
        program.local_lists[params].iter().copied().for_each(&mut number);
        for expr in program.walk(body) {
            match program.exprs[expr] {
                // All its bindings are in scope everywhere in it.
                Expr::Letrec(binds, _) => {
                    program.binds[binds].iter().for_each(|bind| number(bind.local));
                }
                _ => {
                    for child in program.children(expr) {
                        program.scope(expr, child.position).for_each(&mut number);
                    }
                }
            }
        }
        Some(size)
    }

    /// Binds a local to an expression that nothing has evaluated. Returns its node.
    pub fn bind(
        &mut self,
        local: LocalId,
        expr: ExprId,
        environment: Environment,
    ) -> Option<NodeId> {
        let node = self.delayed(expr, environment)?;
        self.set(local, node, environment);
        Some(node)
    }

    fn set(&mut self, local: LocalId, node: NodeId, environment: Environment) {
        self.locals[(environment.0 + self.slots[local]) as usize] = Some(node);
    }

    fn local(&self, local: LocalId, environment: Environment) -> Option<NodeId> {
        self.locals[(environment.0 + self.slots[local]) as usize]
    }

    /// Returns a node for an expression. If it is closed, it may have been evaluated.
    pub fn delayed(&mut self, expr: ExprId, environment: Environment) -> Option<NodeId> {
        match self.closed.get(&expr) {
            Some(&Some(node)) => Some(node),
            Some(None) => {
                let node = self.node(expr, environment)?;
                self.closed.insert(expr, Some(node));
                Some(node)
            }
            None => self.node(expr, environment),
        }
    }

    /// Returns a node for an expression that nothing has evaluated.
    fn node(&mut self, expr: ExprId, environment: Environment) -> Option<NodeId> {
        self.steps -= 1;
        let program = self.program;
        let value = match program.exprs[expr] {
            Expr::Local(local) => return self.local(local, environment),
            Expr::Global(global) if program.arity(global) == 0 => return self.caf(global),
            Expr::Lit(lit) => Value::Lit(lit),
            Expr::Text(text) => self.text(text, 0),
            Expr::Con(con) => self.applied(Head::Con(con), 0)?,
            Expr::Global(global) => self.applied(Head::Global(global), 0)?,
            Expr::App(callee, args) => {
                let args = &program.expr_lists[args];
                let head = match program.exprs[callee] {
                    Expr::Con(con) if args.len() <= self.arity(Head::Con(con)) => Head::Con(con),
                    Expr::Global(global) if args.len() < self.arity(Head::Global(global)) => {
                        Head::Global(global)
                    }
                    _ => return Some(self.nodes.push(Node::Thunk(expr, environment))),
                };
                ensure_sufficient_stack(|| self.apply_to(args, environment))?;
                self.applied(head, args.len())?
            }
            _ => return Some(self.nodes.push(Node::Thunk(expr, environment))),
        };
        Some(self.nodes.push(Node::Value(value)))
    }

    /// Adds arguments that nothing has evaluated to what the value is applied to.
    fn apply_to(&mut self, args: &[ExprId], environment: Environment) -> Option<()> {
        let outer = self.pending.len();
        for &arg in args.iter().rev() {
            let Some(node) = self.delayed(arg, environment) else {
                self.pending.truncate(outer);
                return None;
            };
            self.pending.push(node);
        }
        Some(())
    }

    fn arity(&self, head: Head) -> usize {
        match head {
            Head::Con(con) => self.program.cons[con].arity as usize,
            Head::Global(global) => self.program.arity(global),
        }
    }

    /// Returns the value of a head with the next so many arguments: no more than make a constructor, or too
    /// few.
    fn applied(&mut self, head: Head, count: usize) -> Option<Value> {
        let is_known = match head {
            Head::Con(_) => true,
            Head::Global(global) => matches!(
                self.program.globals[global].kind,
                GlobalKind::Defn { .. } | GlobalKind::Primitive(_)
            ),
        };
        let args = self.pending.len() - count;
        let list = self.lists.add(self.pending.drain(args..).rev());
        is_known.then_some(match head {
            Head::Con(con) if count == self.arity(head) => Value::Con(con, list),
            _ => Value::Partial(head, list),
        })
    }

    /// Evaluates a node.
    pub fn force(&mut self, node: NodeId) -> Option<Value> {
        match self.nodes[node] {
            Node::Value(value) => Some(value),
            Node::Busy => None,
            Node::Thunk(expr, environment) => {
                self.nodes[node] = Node::Busy;
                let value = self.evaluate_anew(expr, environment);
                self.nodes[node] = match value {
                    Some(value) => Node::Value(value),
                    None => Node::Thunk(expr, environment),
                };
                value
            }
        }
    }

    /// Evaluates an expression.
    fn evaluate(&mut self, expr: ExprId, environment: Environment) -> Option<Value> {
        match self.program.exprs[expr] {
            Expr::Lit(lit) => return Some(Value::Lit(lit)),
            Expr::Local(local) => {
                let node = self.local(local, environment)?;
                return self.force(node);
            }
            _ if self.closed.contains_key(&expr) => {
                let node = self.delayed(expr, environment)?;
                return self.force(node);
            }
            _ => {}
        }
        self.evaluate_anew(expr, environment)
    }

    fn evaluate_anew(&mut self, expr: ExprId, environment: Environment) -> Option<Value> {
        if self.depth >= NESTED {
            return None;
        }
        let outer = self.pending.len();
        self.depth += 1;
        let value = ensure_sufficient_stack(|| self.run(Next::Evaluate(expr, environment)));
        self.depth -= 1;
        self.pending.truncate(outer);
        value
    }

    fn run(&mut self, next: Next) -> Option<Value> {
        let mut next = next;
        let outer = self.pending.len();
        loop {
            if self.steps <= 0 {
                return None;
            }
            self.steps -= 1;
            next = match next {
                Next::Evaluate(expr, environment) => self.step(expr, environment)?,
                Next::Enter(head) => self.enter(head, outer)?,
                Next::Have(value) if self.pending.len() == outer => return Some(value),
                Next::Have(Value::Partial(head, held)) => {
                    self.pending.extend(self.lists[held].iter().rev());
                    Next::Enter(head)
                }
                Next::Have(_) => return None,
            };
        }
    }

    fn step(&mut self, expr: ExprId, environment: Environment) -> Option<Next> {
        let program = self.program;
        Some(match program.exprs[expr] {
            Expr::Lit(lit) => Next::Have(Value::Lit(lit)),
            Expr::Text(text) => Next::Have(self.text(text, 0)),
            Expr::Con(con) => Next::Enter(Head::Con(con)),
            Expr::Global(global) => Next::Enter(Head::Global(global)),
            Expr::Local(local) => {
                let node = self.local(local, environment)?;
                Next::Have(self.force(node)?)
            }
            Expr::App(callee, args) => {
                let args = &program.expr_lists[args];
                if let Expr::Global(global) = program.exprs[callee]
                    && let GlobalKind::Primitive(primitive) = program.globals[global].kind
                    && args.len() == program.arity(global)
                {
                    return self.primitive(primitive, args, environment);
                }
                self.apply_to(args, environment)?;
                Next::Evaluate(callee, environment)
            }
            Expr::Let(local, value, body) => {
                self.bind(local, value, environment)?;
                Next::Evaluate(body, environment)
            }
            Expr::Letrec(binds, body) => {
                for bind in &program.binds[binds] {
                    let node = self.nodes.push(Node::Thunk(bind.value, environment));
                    self.set(bind.local, node, environment);
                }
                Next::Evaluate(body, environment)
            }
            Expr::Force(local, value, body) => {
                let node = match program.exprs[value] {
                    Expr::Local(local) => {
                        let node = self.local(local, environment)?;
                        self.force(node)?;
                        node
                    }
                    _ => {
                        let value = self.evaluate(value, environment)?;
                        self.nodes.push(Node::Value(value))
                    }
                };
                self.set(local, node, environment);
                Next::Evaluate(body, environment)
            }
            Expr::Switch(switch) => Next::Evaluate(self.branch(switch, environment)?, environment),
            Expr::Join(_, body) => Next::Evaluate(body, environment),
            Expr::Jump(join, args) => {
                self.apply_to(&program.expr_lists[args], environment)?;
                let join = program.joins[join];
                self.take(join.params, environment)?;
                Next::Evaluate(join.handler, environment)
            }
            Expr::Lam(..) | Expr::Perform(..) | Expr::NoMatch | Expr::Error => return None,
        })
    }

    /// Selects the branch of a switch, and binds its fields.
    fn branch(&mut self, switch: SwitchId, environment: Environment) -> Option<ExprId> {
        let switch = &self.program.switches[switch];
        let scrutinee = self.local(switch.scrutinee, environment)?;
        let value = self.force(scrutinee)?;
        match (&switch.branches, value) {
            (Branches::Cons(branches), Value::Con(..) | Value::Text(..)) => {
                let (con, fields) = match value {
                    Value::Con(con, fields) => (con, fields),
                    Value::Text(text, at) => (CONS, self.first_cell(text, at)?),
                    Value::Lit(_) | Value::Partial(..) => return None,
                };
                let cons = &self.program.cons;
                if branches.iter().any(|branch| cons[branch.con].data != cons[con].data) {
                    return None;
                }
                let Some(branch) = branches.iter().find(|branch| branch.con == con) else {
                    return switch.default;
                };
                for (at, &field) in branch.fields.iter().enumerate() {
                    if let Some(field) = field {
                        let node = self.lists[fields][at];
                        self.set(field, node, environment);
                    }
                }
                Some(branch.body)
            }
            (Branches::Lits(branches), Value::Lit(lit)) => {
                if branches.iter().any(|&(of, _)| !is_one_kind(of, lit)) {
                    return None;
                }
                let mut branches = branches.iter();
                let found = branches.find(|&&(of, _)| equal(&self.bigs, of, lit));
                found.map(|&(_, body)| body).or(switch.default)
            }
            _ => None,
        }
    }

    /// Binds parameters to the next arguments.
    fn take(&mut self, params: List<LocalId>, environment: Environment) -> Option<()> {
        for &param in &self.program.local_lists[params] {
            let arg = self.pending.pop()?;
            self.set(param, arg, environment);
        }
        Some(())
    }

    /// Goes on with what is applied to all arguments but the first `outer` of those that are pending.
    fn enter(&mut self, head: Head, outer: usize) -> Option<Next> {
        let program = self.program;
        let (arity, count) = (self.arity(head), self.pending.len() - outer);
        match head {
            Head::Con(_) => Some(Next::Have(self.applied(head, count.min(arity))?)),
            Head::Global(global) if count >= arity => match program.globals[global].kind {
                GlobalKind::Defn { .. } if arity == 0 => {
                    let node = self.caf(global)?;
                    Some(Next::Have(self.force(node)?))
                }
                GlobalKind::Defn { params, body: Some(body) } => {
                    let environment = self.activation(global)?;
                    self.take(params, environment)?;
                    Some(Next::Evaluate(body, environment))
                }
                GlobalKind::Primitive(primitive) => self.primitive_of_nodes(primitive),
                _ => None,
            },
            Head::Global(_) => Some(Next::Have(self.applied(head, count)?)),
        }
    }

    /// Goes on with a primitive of the next arguments.
    fn primitive_of_nodes(&mut self, primitive: Primitive) -> Option<Next> {
        match primitive.shape() {
            Shape::If => {
                let (condition, yes, no) =
                    (self.pending.pop()?, self.pending.pop()?, self.pending.pop()?);
                let chosen = if truth(self.force(condition)?)? { yes } else { no };
                Some(Next::Have(self.force(chosen)?))
            }
            Shape::Seq => {
                let (first, second) = (self.pending.pop()?, self.pending.pop()?);
                self.force(first)?;
                Some(Next::Have(self.force(second)?))
            }
            Shape::Strict => {
                let operands = self.pending.len().checked_sub(primitive.arity())?;
                let operands: Vec<NodeId> = self.pending.drain(operands..).collect();
                self.strict(primitive, operands.into_iter(), |evaluator, node| {
                    evaluator.force(node)
                })
            }
            Shape::Error | Shape::Action | Shape::Lazy => None,
        }
    }

    /// Goes on with a primitive of all its operands.
    fn primitive(
        &mut self,
        primitive: Primitive,
        operands: &[ExprId],
        environment: Environment,
    ) -> Option<Next> {
        match (primitive.shape(), operands) {
            (Shape::If, &[condition, yes, no]) => {
                let condition = self.evaluate(condition, environment)?;
                Some(Next::Evaluate(if truth(condition)? { yes } else { no }, environment))
            }
            (Shape::Seq, &[first, second]) => {
                self.evaluate(first, environment)?;
                Some(Next::Evaluate(second, environment))
            }
            (Shape::Strict, operands) => {
                let evaluate = |evaluator: &mut Self, expr| evaluator.evaluate(expr, environment);
                self.strict(primitive, operands.iter().rev().copied(), evaluate)
            }
            _ => None,
        }
    }

    /// Computes a primitive that is strict in its operands, of which the last one comes first, as the schemes
    /// have it.
    fn strict<T>(
        &mut self,
        primitive: Primitive,
        operands: impl ExactSizeIterator<Item = T>,
        evaluate: impl Fn(&mut Self, T) -> Option<Value>,
    ) -> Option<Next> {
        let mut lits = [Lit::Int(0); MOST_OPERANDS];
        let lits = lits.get_mut(..operands.len())?;
        for (lit, operand) in lits.iter_mut().rev().zip(operands) {
            let Value::Lit(value) = evaluate(self, operand)? else { return None };
            *lit = value;
        }
        let lit = self.folder.fold(&mut self.bigs, primitive, lits)?;
        Some(Next::Have(Value::Lit(lit)))
    }

    /// Returns the list that a text is from a byte position on.
    fn text(&mut self, text: TextId, at: u32) -> Value {
        match self.program.texts[text].len() > at as usize {
            true => Value::Text(text, at),
            false => Value::Con(NIL, self.lists.add([])),
        }
    }

    /// Returns the fields of the first cell of what is left of a text.
    fn first_cell(&mut self, text: TextId, at: u32) -> Option<List<NodeId>> {
        let first = self.program.texts[text].get(at as usize..)?.chars().next()?;
        let rest = self.text(text, at + first.len_utf8() as u32);
        let cell = [Value::Lit(Lit::Char(first)), rest];
        let cell = cell.map(|value| self.nodes.push(Node::Value(value)));
        Some(self.lists.add(cell))
    }
}

/// Returns what a condition says; one that is neither 1 nor 0 is an error of the run.
fn truth(condition: Value) -> Option<bool> {
    match condition {
        Value::Lit(Lit::Int(0)) => Some(false),
        Value::Lit(Lit::Int(1)) => Some(true),
        _ => None,
    }
}
