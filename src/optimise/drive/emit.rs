//! Writing code: the block of statements, names for values, expressions in lazy contexts.

use std::sync::Arc;

use super::heap::{AbstractValue, EnvId, Head, Name, NodeId};
use super::{Driver, Outcome, Statement};
use crate::base::index::Idx;
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{Bind, ConId, Expr, ExprId, GlobalId, GlobalKind, Lit, LocalId, TextId};
use crate::primitive::{Primitive, Shape};

/// The bytes of a text that take as long to copy as a step.
const TEXT_PER_STEP: usize = 8;

/// An `if` between two functions.
struct Choice {
    global: GlobalId,
    /// The condition and the branches.
    parts: [ExprId; 3],
    env: EnvId,
}

impl Driver<'_> {
    pub(super) fn local(&mut self, local: LocalId, span: Span) -> ExprId {
        self.used[local] = true;
        self.expr(Expr::Local(local), span)
    }

    /// Returns an expression that names a value and can be copied. A value without a name gets one.
    pub(super) fn atom(&mut self, node: NodeId, span: Span) -> ExprId {
        ensure_sufficient_stack(|| self.atom_step(node, span))
    }

    fn atom_step(&mut self, node: NodeId, span: Span) -> ExprId {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        match (known.value, known.name) {
            (AbstractValue::Lit(lit), _) => return self.expr(Expr::Lit(lit), span),
            (_, Some(Name::Local(local))) => return self.local(local, span),
            (_, Some(Name::Caf(caf))) => {
                let caf = self.global(caf);
                return self.expr(Expr::Global(caf), span);
            }
            (AbstractValue::Con(con, fields), None) if fields.is_empty() => {
                return self.expr(Expr::Con(con), span);
            }
            (AbstractValue::Partial(head, args), None) if args.is_empty() => {
                return self.head(head, span);
            }
            _ => {}
        }
        if let Some(global) = self.defined(node) {
            return self.expr(Expr::Global(global), span);
        }
        let value = self.construct(node, span);
        let lazy = matches!(known.value, AbstractValue::Thunk(..) | AbstractValue::Call(..));
        match self.new.exprs[value] {
            Expr::Local(local) if lazy => {
                self.heap.set(node, AbstractValue::Unknown(false), Some(Name::Local(local)));
                return value;
            }
            Expr::Lit(lit) => {
                self.heap.set(node, AbstractValue::Lit(lit), None);
                return value;
            }
            _ => {}
        }
        let local = self.fresh(None, span);
        self.block.push(Statement::Let(local, value));
        let value = if lazy { AbstractValue::Unknown(false) } else { known.value };
        self.heap.set(node, value, Some(Name::Local(local)));
        self.local(local, span)
    }

    pub(super) fn head(&mut self, head: Head, span: Span) -> ExprId {
        let expr = match head {
            Head::Global(global) => Expr::Global(self.global(self.unexpanded(global))),
            Head::Con(con) => Expr::Con(con),
        };
        self.expr(expr, span)
    }

    /// Returns code that builds a value, to be used in one place.
    pub(super) fn construct(&mut self, node: NodeId, span: Span) -> ExprId {
        let node = self.heap.resolve(node);
        let known = self.heap.get(node);
        if known.name.is_some() {
            return self.atom(node, span);
        }
        if let Some(global) = self.caf_part(node) {
            return self.expr(Expr::Global(global), span);
        }
        match known.value {
            AbstractValue::Thunk(expr, env) => self.lazy(expr, env),
            AbstractValue::Call(global, args) => {
                let args = self.heap.items(args).to_vec();
                match args.len() > self.old.arity(global) {
                    true => self.lazy_over_call(global, &args, 0, span),
                    false => self.lazy_call(global, args, 0, span),
                }
            }
            AbstractValue::Con(con, fields) if !fields.is_empty() => {
                if let Some(whole) = self.whole(con, fields) {
                    return self.atom(whole, span);
                }
                let callee = self.expr(Expr::Con(con), span);
                let fields = self.heap.items(fields).to_vec();
                self.apply(callee, &fields, span)
            }
            AbstractValue::Partial(head, args) if !args.is_empty() => {
                let args = self.heap.items(args).to_vec();
                if let Some(code) = self.written_twin(head, &args, span) {
                    return code;
                }
                let callee = self.head(head, span);
                self.apply(callee, &args, span)
            }
            AbstractValue::Text(text, 0) => self.expr(Expr::Text(text), span),
            AbstractValue::Text(text, at) => {
                let rest = self.rest_of(text, at);
                self.expr(Expr::Text(rest), span)
            }
            AbstractValue::Lit(_) | AbstractValue::Con(..) | AbstractValue::Partial(..) => {
                self.atom(node, span)
            }
            AbstractValue::Unknown(_) | AbstractValue::Alias(_) | AbstractValue::Select(_) => {
                unreachable!("what is not known has a name from its first day")
            }
        }
    }

    /// Returns the literal that a text is from a byte position on. It is a copy, made once and paid
    /// for with steps: what walks along a long text soon has none left.
    fn rest_of(&mut self, text: TextId, at: u32) -> TextId {
        if let Some(&rest) = self.suffixes.get(&(text, at)) {
            return rest;
        }
        let rest: Arc<str> = self.new.texts[text].get(at as usize..).unwrap_or_default().into();
        self.fuel -= (rest.len() / TEXT_PER_STEP) as i64;
        let rest = self.new.texts.push(rest);
        self.suffixes.insert((text, at), rest);
        rest
    }

    /// Returns an application to named arguments.
    pub(super) fn apply(&mut self, callee: ExprId, args: &[NodeId], span: Span) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.atom(arg, span)).collect();
        self.application(callee, args, span)
    }

    pub(super) fn application(&mut self, callee: ExprId, args: Vec<ExprId>, span: Span) -> ExprId {
        if args.is_empty() {
            return callee;
        }
        let args = self.new.expr_lists.add(args);
        self.expr(Expr::App(callee, args), span)
    }

    /// Returns the code of an outcome, at the end of a strict context.
    pub(super) fn finish(&mut self, outcome: Outcome, span: Span) -> ExprId {
        match outcome {
            Outcome::Code(code) | Outcome::Test { code, .. } | Outcome::Ends(code) => code,
            Outcome::Node(node) => self.construct(node, span),
        }
    }

    /// Takes the statements from `start` on and puts them around an expression.
    pub(super) fn wrap(&mut self, start: usize, expr: ExprId) -> ExprId {
        let span = self.new.spans[expr];
        let mut expr = expr;
        for statement in self.block.split_off(start).into_iter().rev() {
            let wrapped = match statement {
                Statement::Let(local, value) => Expr::Let(local, value, expr),
                Statement::Force(local, value) => Expr::Force(local, value, expr),
                Statement::Letrec(binds) => Expr::Letrec(self.new.binds.add(binds), expr),
            };
            expr = self.expr(wrapped, span);
        }
        expr
    }

    /// Returns code for an expression of the old program where it is not demanded.
    pub(super) fn lazy(&mut self, expr: ExprId, env: EnvId) -> ExprId {
        ensure_sufficient_stack(|| self.lazy_step(expr, env))
    }

    fn lazy_step(&mut self, expr: ExprId, env: EnvId) -> ExprId {
        let old = self.old;
        let mut expr = expr;
        loop {
            let span = self.span(expr, env);
            return match old.exprs[expr] {
                Expr::Lit(lit) => self.expr(Expr::Lit(lit), span),
                Expr::Text(text) => self.expr(Expr::Text(text), span),
                Expr::Con(con) => self.expr(Expr::Con(con), span),
                Expr::Global(global) => {
                    let lit = self.literal(global).map(Expr::Lit);
                    let value = lit.unwrap_or_else(|| Expr::Global(self.global(global)));
                    self.expr(value, span)
                }
                Expr::Local(local) => {
                    let node = self.lookup(local, env);
                    self.atom(node, span)
                }
                Expr::App(callee, args) => {
                    if let Some(field) = self.selected(expr, env) {
                        self.tally.decided += 1;
                        return self.atom(field, span);
                    }
                    self.lazy_application(callee, &old.expr_lists[args], env, span)
                }
                Expr::Let(local, value, body) => {
                    let node = self.bound(local, value, env);
                    self.bind(local, env, node);
                    expr = body;
                    continue;
                }
                Expr::Letrec(binds, body) => {
                    self.letrec(&old.binds[binds], env);
                    expr = body;
                    continue;
                }
                Expr::Force(..)
                | Expr::Perform(..)
                | Expr::Switch(_)
                | Expr::Join(..)
                | Expr::Jump(..)
                | Expr::NoMatch
                | Expr::Lam(..)
                | Expr::Error => {
                    unreachable!("none is in a lazy context: lifting's lint checks it")
                }
            };
        }
    }

    fn lazy_application(
        &mut self,
        callee: ExprId,
        args: &[ExprId],
        env: EnvId,
        span: Span,
    ) -> ExprId {
        let old = self.old;
        match old.exprs[callee] {
            Expr::Con(con) => {
                let callee = self.expr(Expr::Con(con), span);
                self.lazy_apply(callee, args, env, span)
            }
            Expr::Global(global) => {
                let arity = old.arity(global);
                match old.globals[global].kind {
                    GlobalKind::Primitive(primitive) if args.len() == arity => {
                        self.lazy_primitive(primitive, global, args, env, span)
                    }
                    GlobalKind::Defn { .. } if args.len() == arity && arity > 0 => {
                        let (nodes, fresh) = self.arguments(args, env);
                        self.lazy_call(global, nodes, fresh, span)
                    }
                    GlobalKind::Defn { .. }
                        if arity == 1
                            && args.len() > 1
                            && let Some(function) = self.selected_from(global, args[0], env) =>
                    {
                        let (nodes, fresh) = self.arguments(&args[1..], env);
                        self.lazy_unknown(function, nodes, fresh, span)
                    }
                    GlobalKind::Defn { .. } if args.len() > arity && arity > 0 => {
                        let (nodes, fresh) = self.arguments(args, env);
                        self.lazy_beyond(global, nodes, fresh, span)
                    }
                    kind => {
                        if kind == GlobalKind::Primitive(Primitive::If)
                            && let Some((own, more)) = args.split_at_checked(arity)
                            && let Some(choice) = self.of_functions(callee, own, env)
                        {
                            let (nodes, fresh) = self.arguments(more, env);
                            if let Some(code) = self.lazy_choice(&choice, &nodes, fresh, span) {
                                return code;
                            }
                        }
                        let callee = self.global(global);
                        let callee = self.expr(Expr::Global(callee), span);
                        self.lazy_apply(callee, args, env, span)
                    }
                }
            }
            Expr::Local(local) => {
                let function = self.lookup(local, env);
                let (nodes, fresh) = self.arguments(args, env);
                self.lazy_unknown(function, nodes, fresh, span)
            }
            _ => {
                let callee = self.lazy(callee, env);
                let args = args.iter().map(|&arg| self.lazy(arg, env)).collect();
                self.merged(callee, args, span)
            }
        }
    }

    /// Returns, for an application of a choice to what can be copied, a choice of two applications.
    fn lazy_choice(
        &mut self,
        choice: &Choice,
        args: &[NodeId],
        fresh: u64,
        span: Span,
    ) -> Option<ExprId> {
        let &Choice { global, parts: [condition, yes, no], env } = choice;
        let is_atom = |(at, &arg): (u32, &NodeId)| {
            fresh.checked_shr(at).is_none_or(|fresh| fresh & 1 == 0)
                || matches!(self.heap.get(arg).value, AbstractValue::Lit(_))
        };
        if !(0..).zip(args).all(is_atom) {
            return None;
        }
        let functions = [yes, no].map(|function| self.node(function, env));
        let condition = self.lazy(condition, env);
        let mut parts = vec![condition];
        for function in functions {
            parts.push(self.lazy_unknown(function, args.to_vec(), 0, span));
        }
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        Some(self.application(callee, parts, span))
    }

    /// Returns the choice between two known functions that an expression is, if it is one.
    fn of_functions(&self, callee: ExprId, args: &[ExprId], env: EnvId) -> Option<Choice> {
        let Expr::Global(global) = self.old.exprs[callee] else { return None };
        let is_if = self.old.globals[global].kind == GlobalKind::Primitive(Primitive::If);
        let parts = <[ExprId; 3]>::try_from(args).ok()?;
        let is_choice = self.rules.known_case
            && is_if
            && parts[1..].iter().all(|&function| self.is_function(function, env));
        is_choice.then_some(Choice { global, parts, env })
    }

    /// Returns the choice between two known functions that a value is, if nothing has evaluated it and nothing else refers to it.
    fn chosen(&self, node: NodeId) -> Option<Choice> {
        let known = self.heap.get(node);
        let AbstractValue::Thunk(expr, env) = known.value else { return None };
        if known.shared || known.busy || known.name.is_some() {
            return None;
        }
        let Expr::App(callee, args) = self.old.exprs[expr] else { return None };
        self.of_functions(callee, &self.old.expr_lists[args], env)
    }

    /// Returns whether an expression is known to be a function with fewer arguments than it takes.
    fn is_function(&self, expr: ExprId, env: EnvId) -> bool {
        let old = self.old;
        match old.exprs[expr] {
            Expr::Global(global) => self.expanded(global).1 > 0,
            Expr::App(callee, args) => match old.exprs[callee] {
                Expr::Global(global) => args.len() < self.expanded(global).1,
                _ => false,
            },
            Expr::Local(local) => {
                let node = self.heap.lookup(env, self.facts.slot[local]);
                matches!(self.heap.get(node).value, AbstractValue::Partial(Head::Global(_), _))
            }
            _ => false,
        }
    }

    /// Returns an application of a function that the heap may know.
    fn lazy_unknown(
        &mut self,
        function: NodeId,
        args: Vec<NodeId>,
        fresh: u64,
        span: Span,
    ) -> ExprId {
        if self.rules.known_case
            && let AbstractValue::Partial(Head::Global(global), _) = self.heap.get(function).value
            && matches!(self.old.globals[global].kind, GlobalKind::Defn { .. })
        {
            let mut all = self.heap.given(function);
            let fresh = fresh.checked_shl(all.len() as u32).unwrap_or(0);
            all.extend(&args);
            if all.len() == self.old.arity(global) {
                return self.lazy_call(global, all, fresh, span);
            }
            if all.len() > self.old.arity(global) {
                return self.lazy_beyond(global, all, fresh, span);
            }
            if let Some(code) = self.written_twin(Head::Global(global), &all, span) {
                return code;
            }
        }
        if let Some(choice) = self.chosen(function)
            && let Some(code) = self.lazy_choice(&choice, &args, fresh, span)
        {
            return code;
        }
        if let Some((global, given)) = self.applied_call(function, args.len()) {
            let fresh = fresh.checked_shl(given.len() as u32).unwrap_or(0);
            let all: Vec<NodeId> = given.into_iter().chain(args).collect();
            return self.lazy_over_call(global, &all, fresh, span);
        }
        let known = self.heap.get(function);
        let callee = match known.value {
            AbstractValue::Partial(head, given) if self.rules.known_case && !given.is_empty() => {
                let given = self.heap.items(given).to_vec();
                let callee = self.head(head, span);
                let mut all: Vec<ExprId> =
                    given.into_iter().map(|node| self.atom(node, span)).collect();
                all.extend(self.written(&args, fresh, span));
                return self.application(callee, all, span);
            }
            AbstractValue::Partial(head, _) if self.rules.known_case => self.head(head, span),
            _ => self.atom(function, span),
        };
        let args = self.written(&args, fresh, span);
        self.application(callee, args, span)
    }

    /// Returns a call with more arguments than parameters: of a variant that takes them, or of one that
    /// comes to the function that they are for.
    fn lazy_beyond(
        &mut self,
        global: GlobalId,
        args: Vec<NodeId>,
        fresh: u64,
        span: Span,
    ) -> ExprId {
        if self.takes_more(global, args.len()) {
            return self.lazy_over_call(global, &args, fresh, span);
        }
        if let Some(code) = self.lazy_selection(global, &args, span) {
            return code;
        }
        let mut own = args;
        let arity = self.old.arity(global);
        let more = own.split_off(arity);
        let function = self.lazy_call(global, own, fresh, span);
        let more = self.written(&more, fresh.checked_shr(arity as u32).unwrap_or(0), span);
        self.merged(function, more, span)
    }

    fn lazy_apply(&mut self, callee: ExprId, args: &[ExprId], env: EnvId, span: Span) -> ExprId {
        let args = args.iter().map(|&arg| self.lazy(arg, env)).collect();
        self.application(callee, args, span)
    }

    /// Returns an application whose callee may be one.
    pub(super) fn merged(&mut self, callee: ExprId, args: Vec<ExprId>, span: Span) -> ExprId {
        match self.new.exprs[callee] {
            Expr::App(inner, first) => {
                let all: Vec<ExprId> =
                    self.new.expr_lists[first].iter().copied().chain(args).collect();
                self.application(inner, all, span)
            }
            _ => self.application(callee, args, span),
        }
    }

    fn lazy_primitive(
        &mut self,
        primitive: Primitive,
        global: GlobalId,
        args: &[ExprId],
        env: EnvId,
        span: Span,
    ) -> ExprId {
        if self.rules.known_case
            && let (Primitive::If, &[condition, yes, no]) = (primitive, args)
        {
            let condition = self.node(condition, env);
            if let Some(holds) = self.truth(condition) {
                self.tally.decided += 1;
                return self.lazy(if holds { yes } else { no }, env);
            }
        }
        let args: Vec<ExprId> = args.iter().map(|&arg| self.lazy(arg, env)).collect();
        if self.rules.known_case && primitive.shape() == Shape::Strict {
            // Written first, as an operand may be a primitive that was folded.
            let literal = |&arg| match self.new.exprs[arg] {
                Expr::Lit(lit) => Some(lit),
                _ => None,
            };
            if let Some(lits) = args.iter().map(literal).collect::<Option<Vec<Lit>>>()
                && let Some(lit) = self.fold(primitive, &lits)
            {
                self.tally.folded += 1;
                return self.expr(Expr::Lit(lit), span);
            }
        }
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        self.application(callee, args, span)
    }

    /// Returns the arguments of a call as values, and a mask of those that nothing else refers to.
    pub(super) fn arguments(&mut self, args: &[ExprId], env: EnvId) -> (Vec<NodeId>, u64) {
        let mut fresh = 0;
        let nodes = args
            .iter()
            .enumerate()
            .map(|(at, &arg)| {
                let compound = matches!(self.old.exprs[arg], Expr::App(..));
                let node = self.node(arg, env);
                // A selection may be a value that was there.
                if compound && at < 64 && node.index() + 1 == self.heap.len() {
                    fresh |= 1 << at;
                }
                node
            })
            .collect();
        (nodes, fresh)
    }

    /// Returns arguments as code; those that nothing else refers to are written in their place.
    pub(super) fn written(&mut self, args: &[NodeId], fresh: u64, span: Span) -> Vec<ExprId> {
        let mut out = Vec::with_capacity(args.len());
        for (at, &arg) in args.iter().enumerate() {
            out.push(self.argument(arg, at < 64 && fresh & 1 << at != 0, span));
        }
        out
    }

    pub(super) fn argument(&mut self, arg: NodeId, fresh: bool, span: Span) -> ExprId {
        // An alias has been evaluated, and others may refer to what it stands for.
        if fresh && self.heap.resolve(arg) == arg {
            self.construct(arg, span)
        } else {
            self.atom(arg, span)
        }
    }

    /// Returns the value of an expression that is not demanded.
    pub(super) fn node(&mut self, expr: ExprId, env: EnvId) -> NodeId {
        let old = self.old;
        if let Some(node) = self.selection(expr, env) {
            return node;
        }
        let value = match old.exprs[expr] {
            Expr::Lit(lit) => AbstractValue::Lit(lit),
            Expr::Text(text) => AbstractValue::Text(text, 0),
            Expr::Local(local) => return self.lookup(local, env),
            Expr::Con(con) => self.constructor(con),
            // A CAF may be part of itself.
            Expr::Global(global) if self.in_caf && old.arity(global) == 0 => {
                AbstractValue::Thunk(expr, env)
            }
            Expr::Global(global) => return self.global_node(global),
            Expr::App(callee, args) => {
                if let Some(constant) = self.constants.of(expr) {
                    return constant;
                }
                let args = &old.expr_lists[args];
                let partial = match old.exprs[callee] {
                    Expr::Con(con) => {
                        let arity = self.new.cons[con].arity as usize;
                        (args.len() <= arity).then_some((Head::Con(con), args.len() < arity))
                    }
                    Expr::Global(global) => {
                        let (global, arity) = self.expanded(global);
                        (args.len() < arity).then_some((Head::Global(global), true))
                    }
                    _ => None,
                };
                match partial {
                    None => AbstractValue::Thunk(expr, env),
                    Some((head, partial)) => {
                        let nodes: Vec<NodeId> = args
                            .iter()
                            .map(|&arg| ensure_sufficient_stack(|| self.node(arg, env)))
                            .collect();
                        self.applied(head, partial, nodes)
                    }
                }
            }
            _ => AbstractValue::Thunk(expr, env),
        };
        self.heap.add(value)
    }

    /// Returns a constructor with its fields, or a function with fewer arguments than it takes.
    pub(super) fn applied(
        &mut self,
        head: Head,
        partial: bool,
        nodes: Vec<NodeId>,
    ) -> AbstractValue {
        match head {
            // Whoever refers to a constructor has its fields from a switch, and shares them then.
            Head::Con(con) if !partial => AbstractValue::Con(con, self.heap.list(nodes)),
            // Whoever applies one to which others refer shares its arguments then.
            _ => AbstractValue::Partial(head, self.heap.list(nodes)),
        }
    }

    /// Returns a constructor by itself: a value, or a function of its fields.
    pub(super) fn constructor(&mut self, con: ConId) -> AbstractValue {
        let none = self.heap.list([]);
        match self.new.cons[con].arity {
            0 => AbstractValue::Con(con, none),
            _ => AbstractValue::Partial(Head::Con(con), none),
        }
    }

    /// Returns the value of a global by itself.
    pub(super) fn global_node(&mut self, global: GlobalId) -> NodeId {
        if self.old.arity(global) > 0 {
            let none = self.heap.list([]);
            let (global, _) = self.expanded(global);
            return self.heap.add(AbstractValue::Partial(Head::Global(global), none));
        }
        if let Some(function) = self.function_caf(global) {
            return function;
        }
        let value = self.caf(global).unwrap_or(AbstractValue::Unknown(false));
        self.heap.named(value, Name::Caf(global))
    }

    /// Writes the bindings of a letrec. What they are is known in its body, not in the bindings:
    /// no value of the heap is part of itself.
    pub(super) fn letrec(&mut self, binds: &[Bind], env: EnvId) {
        let start = self.block.len();
        let locals: Vec<LocalId> = binds
            .iter()
            .map(|bind| {
                let span = self.span(bind.value, env);
                let local = self.fresh(Some(bind.local), span);
                let node = self.heap.named(AbstractValue::Unknown(false), Name::Local(local));
                self.bind(bind.local, env, node);
                local
            })
            .collect();
        let mut group: Vec<Bind> = Vec::new();
        let mut known: Vec<(LocalId, NodeId)> = Vec::new();
        for (bind, local) in binds.iter().zip(locals) {
            // Naming its parts is for a body that looks at it.
            let built = match self.facts.inspected[bind.local] {
                true => self.built(bind.value, env, &mut group),
                false => None,
            };
            let value = match built {
                Some((code, value)) => {
                    known.push((bind.local, self.heap.named(value, Name::Local(local))));
                    code
                }
                None => self.lazy(bind.value, env),
            };
            group.push(Bind { local, value });
        }
        // What the values need is bound with them: it may need them.
        for statement in self.block.split_off(start) {
            match statement {
                Statement::Let(local, value) => group.push(Bind { local, value }),
                Statement::Letrec(inner) => group.extend(inner),
                Statement::Force(..) => unreachable!("nothing is forced in a lazy context"),
            }
        }
        self.block.push(Statement::Letrec(group));
        for (local, node) in known {
            self.bind(local, env, node);
        }
    }

    /// Returns code that builds a constructor of a letrec, and what is known of it. Its parts that
    /// are not atoms are bound in the group too, so that the body can name them.
    fn built(
        &mut self,
        expr: ExprId,
        env: EnvId,
        group: &mut Vec<Bind>,
    ) -> Option<(ExprId, AbstractValue)> {
        let old = self.old;
        let Expr::App(callee, args) = old.exprs[expr] else { return None };
        let Expr::Con(con) = old.exprs[callee] else { return None };
        if !self.knows() || old.expr_lists[args].len() != self.new.cons[con].arity as usize {
            return None;
        }
        let (codes, nodes): (Vec<ExprId>, Vec<NodeId>) =
            old.expr_lists[args].iter().map(|&arg| self.built_part(arg, env, group)).unzip();
        let span = self.span(expr, env);
        let callee = self.expr(Expr::Con(con), span);
        let value = AbstractValue::Con(con, self.heap.list(nodes));
        Some((self.application(callee, codes, span), value))
    }

    /// Returns code for a field of such a constructor, an atom, and what is known of it.
    fn built_part(&mut self, expr: ExprId, env: EnvId, group: &mut Vec<Bind>) -> (ExprId, NodeId) {
        ensure_sufficient_stack(|| {
            let old = self.old;
            let span = self.span(expr, env);
            if let Expr::Lit(_) | Expr::Local(_) | Expr::Con(_) | Expr::Global(_) = old.exprs[expr]
            {
                let node = self.node(expr, env);
                return (self.atom(node, span), node);
            }
            let local = self.fresh(None, span);
            let (value, known) = match self.built(expr, env, group) {
                Some(built) => built,
                None => match self.built_function(expr, env, group) {
                    Some(built) => built,
                    None => (self.lazy(expr, env), AbstractValue::Unknown(false)),
                },
            };
            group.push(Bind { local, value });
            let node = self.heap.named(known, Name::Local(local));
            (self.local(local, span), node)
        })
    }

    /// Returns code for a function with fewer arguments than it takes in a letrec, and what is
    /// known of it.
    fn built_function(
        &mut self,
        expr: ExprId,
        env: EnvId,
        group: &mut Vec<Bind>,
    ) -> Option<(ExprId, AbstractValue)> {
        let old = self.old;
        let Expr::App(callee, args) = old.exprs[expr] else { return None };
        let Expr::Global(global) = old.exprs[callee] else { return None };
        let (head, arity) = self.expanded(global);
        if old.expr_lists[args].len() >= arity {
            return None;
        }
        let (codes, nodes): (Vec<ExprId>, Vec<NodeId>) =
            old.expr_lists[args].iter().map(|&arg| self.built_part(arg, env, group)).unzip();
        let span = self.span(expr, env);
        let callee = self.head(Head::Global(head), span);
        let value = self.applied(Head::Global(head), true, nodes);
        Some((self.application(callee, codes, span), value))
    }
}
