//! Where only the run can decide: branches, what they share, and joins.

use std::cell::Cell;
use std::rc::Rc;

use super::eval::{Operand, State};
use super::frame::{Action, Entry, Frame, Frames, Shared, push};
use super::heap::{EnvId, Name, NodeId, What};
use super::{Abort, Attempt, Driver, Outcome};
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConBranch, ConId, Expr, ExprId, GlobalId, Join, JoinId, Lit, LocalId, Program,
    Switch, SwitchId,
};

/// A source join that is being driven.
pub(super) struct Target {
    env: EnvId,
    depth: u32,
    frames: Frames,
    /// The join of the new program, once something jumps to it.
    join: Cell<Option<JoinId>>,
}

/// Continuations as branches get them.
struct Split {
    /// For the branches.
    inner: Frames,
    /// What was made to be shared, the outermost first.
    shared: Vec<Rc<Shared>>,
    /// For the branching as a whole.
    after: Frames,
}

/// Expressions of this size are copied rather than shared.
const SMALL: usize = 6;
/// The frames that each branch has a copy of are of at most this size together.
const COPIED: usize = 20;
/// Shared frames that a branch goes through, where that takes it to a small expression,
/// before it jumps.
const HOPS: u32 = 4;

/// A default of at most so many expressions is written again for each value that is known to
/// come to it, as far as the body's budget goes.
const COPY: usize = 200;

/// The parts of an expression.
fn children(program: &Program, expr: ExprId, out: &mut Vec<ExprId>) {
    match program.exprs[expr] {
        Expr::App(callee, args) => {
            out.push(callee);
            out.extend(&program.expr_lists[args]);
        }
        Expr::Let(_, value, body) | Expr::Force(_, value, body) => out.extend([value, body]),
        Expr::Letrec(binds, body) => {
            out.push(body);
            out.extend(program.binds[binds].iter().map(|bind| bind.value));
        }
        Expr::Switch(switch) => {
            let switch = &program.switches[switch];
            match &switch.branches {
                Branches::Cons(branches) => out.extend(branches.iter().map(|branch| branch.body)),
                Branches::Lits(branches) => out.extend(branches.iter().map(|&(_, body)| body)),
            }
            out.extend(switch.default);
        }
        Expr::Join(join, body) => out.extend([body, program.joins[join].handler]),
        Expr::Jump(_, args) => out.extend(&program.expr_lists[args]),
        Expr::Lam(_, body) => out.push(body),
        Expr::Lit(_)
        | Expr::Text(_)
        | Expr::Local(_)
        | Expr::Global(_)
        | Expr::Con(_)
        | Expr::NoMatch
        | Expr::Error => {}
    }
}

impl Driver<'_> {
    /// Drives something whose knowledge and statements are its own, to an expression.
    pub(super) fn scope(
        &mut self,
        span: Span,
        drive: impl FnOnce(&mut Self) -> Attempt<Outcome>,
    ) -> Attempt<ExprId> {
        let (start, before) = (self.block.len(), self.knowledge());
        self.hops = 0;
        let outcome = drive(self)?;
        let expr = self.finish(outcome, span);
        let expr = self.wrap(start, expr);
        self.forget_since(before);
        Ok(expr)
    }

    /// Makes ready for so many branches that end in `frames`.
    fn split(&mut self, frames: &Frames, ways: usize) -> Attempt<Split> {
        if self.straight > 0 {
            return Err(Abort::Branch);
        }
        self.settle_rests();
        Ok(self.divide(frames, ways))
    }

    fn divide(&mut self, frames: &Frames, ways: usize) -> Split {
        let mut split = Split { inner: None, shared: Vec::new(), after: None };
        if frames.is_none() {
            return split;
        }
        if !self.rules.case_of_case {
            self.settle_frames(frames);
            split.after = frames.clone();
            return split;
        }
        // What a thunk comes to is needed after the branches: it gets a name there.
        let mut actions = Vec::new();
        let mut rest = frames;
        while let Some(frame) = rest {
            self.work(1);
            match frame.action {
                Action::Update(_) => {
                    self.settle_frames(rest);
                    split.after = rest.clone();
                    rest = &None;
                }
                Action::Shared(_) => break,
                ref action => {
                    actions.push(action.clone());
                    rest = &frame.next;
                }
            }
        }
        self.tally.pushed += u64::from(!actions.is_empty() || rest.is_some());
        split.inner = match ways {
            1 => actions.into_iter().rev().fold(rest.clone(), |out, action| push(action, &out)),
            _ => self.share(actions, rest, &mut split.shared),
        };
        split
    }

    /// Frames for several branches: small ones are copied, others are written once.
    fn share(
        &mut self,
        actions: Vec<Action>,
        rest: &Frames,
        shared: &mut Vec<Rc<Shared>>,
    ) -> Frames {
        let mut out = rest.clone();
        let mut copied = 0;
        for action in actions.into_iter().rev() {
            copied += self.copied_size(&action).unwrap_or(COPIED + 1);
            let is_copied = copied <= COPIED;
            if !is_copied || matches!(action, Action::Apply(..)) {
                self.settle_action(&action);
            }
            out = push(action, &out);
            if !is_copied {
                let made =
                    Rc::new(Shared { frames: out, depth: self.depth, entries: Default::default() });
                out = push(Action::Shared(made.clone()), &None);
                shared.push(made);
                copied = 0;
            }
        }
        out
    }

    /// The size of a frame, if it is small enough for each branch to have a copy.
    fn copied_size(&self, action: &Action) -> Option<usize> {
        let small = |expr| self.size_within(expr, SMALL);
        let operand = |operand: &Operand| match *operand {
            Operand::Expr(expr, _) => small(expr),
            Operand::Node(_) => Some(1),
        };
        match action {
            Action::Update(_) | Action::Switch(..) | Action::Shared(_) => None,
            Action::Force(_, body, _) => small(*body),
            Action::Consume(switch, ..) => self.is_copied(*switch).then_some(SMALL),
            Action::Apply(args, _) => (args.len() <= SMALL).then_some(args.len()),
            Action::If { yes, no, .. } => Some(operand(yes)? + operand(no)?),
            Action::Seq(second) => operand(second),
        }
    }

    /// How many subexpressions an expression has, if they are at most so many and there are
    /// no branches.
    pub(super) fn size_within(&self, expr: ExprId, most: usize) -> Option<usize> {
        let old = self.old;
        let mut work = vec![expr];
        let mut size = 0;
        while let Some(expr) = work.pop() {
            size += 1;
            if size > most {
                return None;
            }
            match old.exprs[expr] {
                Expr::App(callee, args) => {
                    work.push(callee);
                    work.extend(&old.expr_lists[args]);
                }
                Expr::Let(_, value, body) | Expr::Force(_, value, body) => {
                    work.extend([value, body]);
                }
                Expr::Letrec(..) | Expr::Switch(_) | Expr::Join(..) | Expr::Lam(..) => {
                    return None;
                }
                Expr::Jump(_, args) => work.extend(&old.expr_lists[args]),
                _ => {}
            }
        }
        Some(size)
    }

    /// A value comes to shared frames. The choice that they begin with is made here if that is
    /// as short as a jump; each of its alternatives is written once.
    pub(super) fn enter(&mut self, outcome: Outcome, shared: &Rc<Shared>) -> Attempt<State> {
        if self.depth == shared.depth {
            return Ok(State::Value(outcome, shared.frames.clone()));
        }
        self.work(1);
        if let Outcome::Node(node) = outcome
            && self.knows()
            && let Some((choice, entry)) = self.entry(node, &shared.frames)
        {
            if self.hops < HOPS && self.is_small(choice) {
                self.hops += 1;
                return Ok(State::Value(outcome, shared.frames.clone()));
            }
            return self.enter_by(entry, node, shared);
        }
        let frame = shared.frames.as_deref();
        if let Some(Frame { action: Action::If { yes, no, global, span }, next }) = frame
            && self.knows()
        {
            return self.choose(outcome, (*yes, *no, *global), next, *span, Some(shared));
        }
        let node = self.settled_value(None, outcome, Span::NONE)?;
        self.enter_by(Entry::Value, node, shared)
    }

    /// Jumps to shared frames.
    fn enter_by(&mut self, entry: Entry, node: NodeId, shared: &Rc<Shared>) -> Attempt<State> {
        let entry = match entry {
            Entry::Default => self.default_entry(node, shared),
            _ => entry,
        };
        let fields = match self.heap.get(node).what {
            What::Con(_, fields) => self.heap.items(fields).to_vec(),
            _ => Vec::new(),
        };
        let args = match entry {
            Entry::Value | Entry::Default => vec![node],
            Entry::Con(_) => fields,
            Entry::Built(_) => std::iter::once(node).chain(fields).collect(),
            Entry::Lit(_) => Vec::new(),
        };
        let found = shared.entries.borrow().get(entry);
        let join = found.unwrap_or_else(|| {
            let join = self.placeholder();
            shared.entries.borrow_mut().add(entry, join);
            join
        });
        let code = self.jump_code(join, &args, Span::NONE);
        Ok(State::Value(Outcome::Ends(code), None))
    }

    /// How the default of shared frames is entered: what is known of the value is used there
    /// if that has been done before, or the body may still have so large a copy.
    fn default_entry(&mut self, node: NodeId, shared: &Rc<Shared>) -> Entry {
        let known = self.heap.get(node);
        let own = match (known.what, known.name) {
            (What::Lit(lit), _) => Entry::Lit(lit),
            (What::Con(con, _), None) => Entry::Con(con),
            _ => return Entry::Default,
        };
        if shared.entries.borrow().get(own).is_some() {
            return own;
        }
        let Some((Operand::Expr(body, _), _)) = self.entry(node, &shared.frames) else {
            return Entry::Default;
        };
        match self.weight(body, COPY) {
            Some(weight) if weight as i64 <= self.copies => {
                self.copies -= weight as i64;
                own
            }
            _ => Entry::Default,
        }
    }

    /// How many subexpressions an expression has, branches and all, if they are at most so
    /// many.
    fn weight(&self, expr: ExprId, most: usize) -> Option<usize> {
        let mut work = vec![expr];
        let mut weight = 0;
        while let Some(expr) = work.pop() {
            weight += 1;
            self.work(1);
            if weight > most {
                return None;
            }
            children(self.old, expr, &mut work);
        }
        Some(weight)
    }

    /// The alternative that a known value takes of the choice that frames begin with, and how
    /// they are entered for it.
    fn entry(&self, node: NodeId, frames: &Frames) -> Option<(Operand, Entry)> {
        let known = self.heap.get(node);
        let frame = frames.as_ref()?;
        let (switch, env) = match frame.action {
            Action::If { yes, no, .. } => {
                let holds = self.truth(node)?;
                let operand = if holds { yes } else { no };
                return Some((operand, Entry::Lit(Lit::Int(i64::from(holds)))));
            }
            Action::Switch(switch, env, _) | Action::Consume(switch, env, _) => (switch, env),
            Action::Force(local, body, env) => (self.switches_on(local, body)?, env),
            _ => return None,
        };
        let (body, is_own) = self.alternative(switch, node)?;
        let entry = match known.what {
            _ if !is_own => Entry::Default,
            What::Lit(lit) => Entry::Lit(lit),
            What::Con(con, _) => self.con_entry(con, switch),
            _ => return None,
        };
        Some((Operand::Expr(body?, env), entry))
    }

    /// How the alternative for a constructor is entered: with the whole if that may be used.
    fn con_entry(&self, con: ConId, switch: SwitchId) -> Entry {
        match self.facts.uses[self.old.switches[switch].scrutinee] {
            0 | 1 => Entry::Con(con),
            _ => Entry::Built(con),
        }
    }

    /// The switch that an expression is, if it goes by a local.
    fn switches_on(&self, local: LocalId, body: ExprId) -> Option<SwitchId> {
        match self.old.exprs[body] {
            Expr::Switch(switch) if self.old.switches[switch].scrutinee == local => Some(switch),
            _ => None,
        }
    }

    fn is_small(&self, operand: Operand) -> bool {
        match operand {
            Operand::Expr(expr, _) => self.size_within(expr, SMALL).is_some(),
            Operand::Node(_) => true,
        }
    }

    fn placeholder(&mut self) -> JoinId {
        self.tally.joins += 1;
        let handler = self.expr(Expr::NoMatch, Span::NONE);
        self.jumps.push(Vec::new());
        self.new.joins.push(Join { params: List::EMPTY, handler })
    }

    fn jump_code(&mut self, join: JoinId, args: &[NodeId], span: Span) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.atom(arg, span)).collect();
        let args = self.new.expr_lists.add(args);
        let jump = self.expr(Expr::Jump(join, args), span);
        self.jumps[join].push(jump);
        jump
    }

    /// Writes the joins of shared frames around the code that jumps to them.
    fn close(&mut self, shared: Vec<Rc<Shared>>, code: ExprId) -> Attempt<ExprId> {
        let mut code = code;
        for shared in shared.into_iter().rev() {
            // Choosing by any value jumps to the alternatives: its join is inside theirs.
            let value = shared.entries.borrow().get(Entry::Value);
            if let Some(join) = value {
                code = self.close_entry(Entry::Value, join, &shared, code)?;
            }
            let mut count = 0;
            loop {
                let Some((entry, join)) = shared.entries.borrow().nth(count) else { break };
                count += 1;
                if entry != Entry::Value {
                    code = self.close_entry(entry, join, &shared, code)?;
                }
            }
        }
        Ok(code)
    }

    fn close_entry(
        &mut self,
        entry: Entry,
        join: JoinId,
        shared: &Rc<Shared>,
        code: ExprId,
    ) -> Attempt<ExprId> {
        let span = self.new.spans[code];
        let mut params = Vec::new();
        self.depth += 1;
        let handler = self.scope(span, |driver| {
            let state = match entry {
                Entry::Value => {
                    let node = driver.parameter(None, &mut params, span);
                    driver.choice(node, shared)?
                }
                Entry::Default => {
                    let node = driver.parameter(None, &mut params, span);
                    driver.default_of(node, shared)
                }
                Entry::Lit(lit) => {
                    let node = driver.heap.add(What::Lit(lit));
                    State::Value(Outcome::Node(node), shared.frames.clone())
                }
                Entry::Con(con) | Entry::Built(con) => {
                    let whole = match entry {
                        Entry::Built(_) => Some(driver.parameter(None, &mut params, span)),
                        _ => None,
                    };
                    let arity = driver.new.cons[con].arity;
                    let fields: Vec<NodeId> =
                        (0..arity).map(|_| driver.parameter(None, &mut params, span)).collect();
                    let what = What::Con(con, driver.heap.list(fields));
                    let node = match whole {
                        Some(whole) => {
                            driver.heap.set(whole, what, driver.heap.get(whole).name);
                            whole
                        }
                        None => driver.heap.add(what),
                    };
                    State::Value(Outcome::Node(node), shared.frames.clone())
                }
            };
            driver.run(state)
        })?;
        self.depth -= 1;
        Ok(self.write_join(join, params, handler, code))
    }

    /// Writes a join around the code that jumps to it. A handler to which there is one jump
    /// stands there; one that only jumps on is jumped over.
    fn write_join(
        &mut self,
        join: JoinId,
        params: Vec<LocalId>,
        handler: ExprId,
        code: ExprId,
    ) -> ExprId {
        let jumps = std::mem::take(&mut self.jumps[join]);
        if jumps.is_empty() {
            return code;
        }
        if let [jump] = jumps[..] {
            let Expr::Jump(_, args) = self.new.exprs[jump] else { unreachable!("it is a jump") };
            let args = self.new.expr_lists[args].to_vec();
            let span = self.new.spans[jump];
            let mut expr = handler;
            for (&param, &arg) in params.iter().zip(&args).rev() {
                expr = self.expr(Expr::Let(param, arg, expr), span);
            }
            self.become_expr(jump, expr);
            return code;
        }
        if self.is_passed_on(handler) {
            if let Expr::Jump(next, _) = self.new.exprs[handler] {
                let sites = &mut self.jumps[next];
                if let Some(at) = sites.iter().rposition(|&site| site == handler) {
                    sites.swap_remove(at);
                }
            }
            for jump in jumps {
                let copy = match self.new.exprs[handler] {
                    Expr::Jump(next, _) => {
                        self.jumps[next].push(jump);
                        Expr::Jump(next, List::EMPTY)
                    }
                    expr => expr,
                };
                self.new.exprs[jump] = copy;
            }
            return code;
        }
        let params = self.new.local_lists.add(params);
        self.new.joins[join] = Join { params, handler };
        let span = self.new.spans[code];
        self.expr(Expr::Join(join, code), span)
    }

    /// Puts an expression where another one, a jump, stood.
    fn become_expr(&mut self, jump: ExprId, expr: ExprId) {
        self.new.exprs[jump] = self.new.exprs[expr];
        if let Expr::Jump(next, _) = self.new.exprs[jump]
            && let Some(site) = self.jumps[next].iter_mut().rev().find(|site| **site == expr)
        {
            *site = jump;
        }
    }

    /// Whether a handler is as short as a jump to it.
    fn is_passed_on(&self, handler: ExprId) -> bool {
        match self.new.exprs[handler] {
            Expr::Jump(_, args) => args.is_empty(),
            Expr::Lit(_) | Expr::NoMatch => true,
            _ => false,
        }
    }

    /// Makes the choice that shared frames begin with by any value. Alternatives that are not
    /// small are jumped to.
    fn choice(&mut self, node: NodeId, shared: &Rc<Shared>) -> Attempt<State> {
        let outcome = Outcome::Node(node);
        let Some(frame) = &shared.frames else { return Ok(State::Value(outcome, None)) };
        let on = State::Value(outcome, shared.frames.clone());
        let (switch, env, span) = match frame.action {
            Action::If { yes, no, global, span } => {
                return self.choose(outcome, (yes, no, global), &frame.next, span, Some(shared));
            }
            Action::Switch(switch, env, span) => (switch, env, span),
            Action::Consume(switch, env, span) => match self.consumer_args(switch, env, node) {
                Some(_) => return Ok(on),
                None => (switch, env, span),
            },
            Action::Force(local, body, env) => {
                let Some(switch) = self.switches_on(local, body) else { return Ok(on) };
                self.bind(local, env, node);
                (switch, env, self.old.spans[body])
            }
            _ => return Ok(on),
        };
        self.dynamic_switch(switch, env, node, frame.next.clone(), span, Some(shared))
    }

    /// Goes on with the default of the switch that shared frames begin with.
    fn default_of(&mut self, node: NodeId, shared: &Rc<Shared>) -> State {
        let on = State::Value(Outcome::Node(node), shared.frames.clone());
        let Some(frame) = &shared.frames else { return on };
        let (switch, env) = match frame.action {
            Action::Switch(switch, env, _) | Action::Consume(switch, env, _) => (switch, env),
            Action::Force(local, body, env) => {
                let Some(switch) = self.switches_on(local, body) else { return on };
                self.bind(local, env, node);
                (switch, env)
            }
            _ => return on,
        };
        match self.old.switches[switch].default {
            Some(default) => State::Eval(default, env, frame.next.clone()),
            None => on,
        }
    }

    /// A parameter of which nothing is known.
    pub(super) fn parameter(
        &mut self,
        like: Option<LocalId>,
        params: &mut Vec<LocalId>,
        span: Span,
    ) -> NodeId {
        let local = self.fresh(like, span);
        params.push(local);
        self.heap.named(What::Unknown(false), Name::Local(local))
    }

    fn finish_split(&mut self, split: Split, code: ExprId) -> Attempt<State> {
        let code = self.close(split.shared, code)?;
        Ok(State::Value(Outcome::Code(code), split.after))
    }

    /// A switch on what only the run knows. If it is the choice of shared frames, alternatives
    /// that are not small are theirs.
    pub(super) fn dynamic_switch(
        &mut self,
        switch: SwitchId,
        env: EnvId,
        node: NodeId,
        frames: Frames,
        span: Span,
        choice: Option<&Rc<Shared>>,
    ) -> Attempt<State> {
        let old = self.old;
        let case = &old.switches[switch];
        let branches = match &case.branches {
            Branches::Lits(branches) => branches.len(),
            Branches::Cons(branches) => branches.len(),
        };
        let ways = branches + usize::from(case.default.is_some());
        let split = self.split(&frames, ways)?;
        let (scrutinee, evaluated) = self.scrutinee(node, span)?;
        let inner = u32::from(ways > 1);
        self.depth += inner;
        let branches = match &case.branches {
            Branches::Lits(branches) => {
                let mut out = Vec::with_capacity(branches.len());
                for &(lit, body) in branches {
                    let body = self.scope(span, |driver| {
                        driver.learn(node, What::Lit(lit));
                        driver.alternative_of(body, env, node, &split, Entry::Lit(lit), choice)
                    })?;
                    out.push((lit, body));
                }
                Branches::Lits(out)
            }
            Branches::Cons(branches) => {
                let mut out = Vec::with_capacity(branches.len());
                for branch in branches {
                    let mut locals = Vec::with_capacity(branch.fields.len());
                    let body = self.scope(span, |driver| {
                        let mut nodes = Vec::with_capacity(branch.fields.len());
                        for &field in &branch.fields {
                            let node = driver.parameter(field, &mut locals, span);
                            nodes.push(node);
                            if let Some(field) = field {
                                driver.bind(field, env, node);
                            }
                        }
                        let nodes = driver.heap.list(nodes);
                        driver.learn(node, What::Con(branch.con, nodes));
                        let entry = driver.con_entry(branch.con, switch);
                        driver.alternative_of(branch.body, env, node, &split, entry, choice)
                    })?;
                    let fields =
                        locals.into_iter().map(|local| self.used[local].then_some(local)).collect();
                    out.push(ConBranch { con: branch.con, fields, body });
                }
                Branches::Cons(out)
            }
        };
        let default = match case.default {
            None => None,
            Some(default) => Some(self.scope(span, |driver| {
                driver.learn(node, What::Unknown(true));
                driver.alternative_of(default, env, node, &split, Entry::Default, choice)
            })?),
        };
        self.depth -= inner;
        let switch = self.new.switches.push(Switch { scrutinee, evaluated, branches, default });
        let code = self.expr(Expr::Switch(switch), span);
        self.finish_split(split, code)
    }

    /// Drives an alternative of a choice, or jumps to where it is written.
    fn alternative_of(
        &mut self,
        body: ExprId,
        env: EnvId,
        node: NodeId,
        split: &Split,
        entry: Entry,
        choice: Option<&Rc<Shared>>,
    ) -> Attempt<Outcome> {
        let state = match choice {
            Some(shared) if self.knows() && !self.is_small(Operand::Expr(body, env)) => {
                self.enter_by(entry, node, shared)?
            }
            _ => State::Eval(body, env, split.inner.clone()),
        };
        self.run(state)
    }

    /// Says what a variable is in this branch.
    fn learn(&mut self, node: NodeId, what: What) {
        let known = self.heap.get(node);
        if self.knows() && matches!(known.what, What::Unknown(_)) {
            self.heap.set(node, what, known.name);
            self.select_from(node);
        }
    }

    /// The local to go by, and whether it is certainly evaluated.
    fn scrutinee(&mut self, node: NodeId, span: Span) -> Attempt<(LocalId, bool)> {
        let known = self.heap.get(node);
        if let (What::Unknown(evaluated), Some(Name::Local(local))) = (known.what, known.name) {
            self.used[local] = true;
            return Ok((local, evaluated));
        }
        let code = self.atom(node, span);
        let local = self.force_of(Some(node), None, code, span)?;
        self.used[local] = true;
        if let What::Unknown(_) = known.what {
            self.heap.set(node, What::Unknown(true), Some(Name::Local(local)));
        }
        Ok((local, true))
    }

    /// `if` with its condition evaluated. If it is the choice of shared frames, parts that are
    /// not small are theirs.
    pub(super) fn choose(
        &mut self,
        outcome: Outcome,
        parts: (Operand, Operand, GlobalId),
        next: &Frames,
        span: Span,
        choice: Option<&Rc<Shared>>,
    ) -> Attempt<State> {
        let (yes, no, global) = parts;
        if let Outcome::Node(node) = outcome
            && self.knows()
            && let Some(holds) = self.truth(node)
        {
            self.tally.decided += 1;
            return Ok(self.operand(if holds { yes } else { no }, next.clone()));
        }
        match outcome {
            Outcome::Node(node) => self.settle_for(node),
            _ => self.settle_selections(None),
        }
        let split = self.split(next, 2)?;
        let (condition, learnt) = match outcome {
            Outcome::Node(node) => {
                let is = |value| What::Lit(Lit::Int(value));
                (self.atom(node, span), [Some((node, is(1))), Some((node, is(0)))])
            }
            Outcome::Test { code, node, literal, equal } => {
                let learnt = Some((node, self.heap.get(literal).what));
                (code, if equal { [learnt, None] } else { [None, learnt] })
            }
            Outcome::Code(code) | Outcome::Ends(code) => (code, [None, None]),
        };
        let mut parts = Vec::with_capacity(3);
        parts.push(condition);
        self.depth += 1;
        for ((part, learnt), holds) in [yes, no].into_iter().zip(learnt).zip([1, 0]) {
            let code = self.scope(span, |driver| {
                if let Some((node, what)) = learnt {
                    driver.learn(node, what);
                }
                let state = match choice {
                    Some(shared) if driver.knows() && !driver.is_small(part) => {
                        let node = driver.heap.add(What::Lit(Lit::Int(holds)));
                        driver.enter_by(Entry::Lit(Lit::Int(holds)), node, shared)?
                    }
                    _ => driver.operand(part, split.inner.clone()),
                };
                driver.run(state)
            })?;
            parts.push(code);
        }
        self.depth -= 1;
        let callee = self.global(global);
        let callee = self.expr(Expr::Global(callee), span);
        let code = self.application(callee, parts, span);
        self.finish_split(split, code)
    }

    /// A join of the old program.
    pub(super) fn join(
        &mut self,
        join: JoinId,
        body: ExprId,
        env: EnvId,
        frames: Frames,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let handler = old.joins[join].handler;
        if self.straight == 0 && self.facts.jumps[join] > 1 {
            self.settle_rests();
            let params = &old.local_lists[old.joins[join].params];
            self.settle_exprs(&[handler], params, env);
        }
        let split = self.divide(&frames, 2);
        let target = Rc::new(Target {
            env,
            depth: self.depth,
            frames: split.inner.clone(),
            join: Cell::new(None),
        });
        self.targets.insert((env, join), target.clone());
        let mut outcome = self.run(State::Eval(body, env, split.inner.clone()))?;
        self.targets.remove(&(env, join));
        if let Some(made) = target.join.get() {
            let body = self.finish(outcome, span);
            let mut params = Vec::new();
            self.depth += 1;
            let handler = self.scope(span, |driver| {
                for &param in &old.local_lists[old.joins[join].params] {
                    let node = driver.parameter(Some(param), &mut params, span);
                    driver.bind(param, env, node);
                }
                driver.run(State::Eval(handler, env, split.inner.clone()))
            })?;
            self.depth -= 1;
            outcome = Outcome::Code(self.write_join(made, params, handler, body));
        }
        if split.shared.iter().any(|shared| shared.entries.borrow().len() > 0) {
            let code = self.finish(outcome, span);
            outcome = Outcome::Code(self.close(split.shared, code)?);
        }
        Ok(State::Value(outcome, split.after))
    }

    /// A jump of the old program.
    pub(super) fn jump(
        &mut self,
        join: JoinId,
        args: &[ExprId],
        env: EnvId,
        span: Span,
    ) -> Attempt<State> {
        let old = self.old;
        let Some(target) = self.targets.get(&(env, join)).cloned() else {
            unreachable!("a jump is in its join's body: the lint of core checks it")
        };
        let (nodes, _) = self.arguments(args, env);
        let Join { params, handler } = old.joins[join];
        let inline = self.depth == target.depth
            || self.facts.jumps[join] == 1
            || self.size_within(handler, SMALL).is_some();
        if inline {
            for (&param, node) in old.local_lists[params].iter().zip(nodes) {
                self.bind(param, target.env, node);
            }
            return Ok(State::Eval(handler, target.env, target.frames.clone()));
        }
        let made = match target.join.get() {
            Some(made) => made,
            None => {
                let made = self.placeholder();
                target.join.set(Some(made));
                made
            }
        };
        let code = self.jump_code(made, &nodes, span);
        Ok(State::Value(Outcome::Ends(code), None))
    }
}
