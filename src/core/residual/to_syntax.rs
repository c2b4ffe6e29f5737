//! Core expressions as trees of the syntax.
//!
//! What core has and CoreF has not becomes:
//! - `Force`: the scrutinee of the `case` that follows, or `(let ([x e]) (seq x ..))`, and
//!   without `seq` where `x` is evaluated anyway; a value that is a local is forced under the
//!   name that it has.
//! - a join: a local function, and the jumps to it calls. Without parameters it is a lazy
//!   binding, for it is evaluated at most once; a join that one jump goes to stands there.
//! - `NoMatch`: a case without the alternative, or one that nothing fits.

mod bindings;

use rustc_hash::{FxHashMap, FxHashSet};

use super::occurrences::Occurrences;
use super::{Output, binders};
use crate::base::index::List;
use crate::base::name::{Interner, Name};
use crate::base::span::Span;
use crate::base::stack::ensure_sufficient_stack;
use crate::core::expr::{
    Branches, CONS, ConBranch, ConId, Expr, ExprId, Join, JoinId, Lit, LocalId, NIL, Program,
    SwitchId,
};
use crate::syntax::ast::{self, Alt, Binder, Binding, Pat, PatId};

/// Returns the parameters and the body of a definition.
pub(super) fn definition(
    program: &Program,
    source_names: &Interner,
    occurrences: &Occurrences,
    out: &mut Output,
    params: List<LocalId>,
    body: ExprId,
) -> (List<Binder>, ast::ExprId) {
    let mut hidden = FxHashSet::default();
    hidden.extend(occurrences.globals.iter().filter_map(|global| out.globals.get(global).copied()));
    for text in ["seq", "_"] {
        hidden.insert(out.names.intern(text));
    }
    let mut writer = ToSyntax {
        program,
        source_names,
        uses: &occurrences.uses,
        out,
        locals: FxHashMap::default(),
        aliases: FxHashSet::default(),
        inlined: FxHashMap::default(),
        hidden,
        scope: FxHashSet::default(),
        live: FxHashMap::default(),
        jumps: &occurrences.jumps,
        joins: FxHashMap::default(),
    };
    let params: Vec<LocalId> = program.local_lists[params].to_vec();
    let names: Vec<Option<Name>> = params.iter().map(|&param| writer.binder(param)).collect();
    let body = writer.expr(body);
    (binders(&mut writer.out.ast, names), body)
}

struct ToSyntax<'a> {
    program: &'a Program,
    source_names: &'a Interner,
    uses: &'a FxHashMap<LocalId, u32>,
    out: &'a mut Output,
    /// The name of each local in scope, and the name of the source that it was made from.
    locals: FxHashMap<LocalId, (Name, Name)>,
    /// Locals that go by the name of another.
    aliases: FxHashSet<LocalId>,
    /// The expression that replaces the only use of a local.
    inlined: FxHashMap<LocalId, ast::ExprId>,
    /// Names that no local may have: those of the globals that occur in the definition. (Neither may it
    /// have a constructor's, which in a pattern is always the constructor.)
    hidden: FxHashSet<Name>,
    /// The names of the locals in scope.
    scope: FxHashSet<Name>,
    /// For each name in a source, the locals in scope that are called after it, and the next
    /// number to tell them apart.
    live: FxHashMap<Name, (usize, u64)>,
    jumps: &'a FxHashMap<JoinId, u32>,
    /// The names of the enclosing joins that are written as local functions.
    joins: FxHashMap<JoinId, Name>,
}

impl ToSyntax<'_> {
    fn tree(&mut self, expr: ast::Expr) -> ast::ExprId {
        self.out.ast.expr(expr, Span::NONE)
    }

    fn named(&mut self, name: Name) -> ast::ExprId {
        self.tree(ast::Expr::Name(name))
    }

    fn pat(&mut self, pat: Pat) -> PatId {
        self.out.ast.pat(pat, Span::NONE)
    }

    /// Returns the name of a primitive or constructor that nothing hides.
    fn known(&mut self, text: &str) -> ast::ExprId {
        let name = self.out.names.intern(text);
        self.named(name)
    }

    /// Gives a local a name that nothing else in scope has.
    fn bind(&mut self, local: LocalId) -> Name {
        let known = self.program.locals.get(local).and_then(|local| local.name);
        let base = known.map_or("t", |name| self.source_names.text(name));
        let base = self.out.names.intern(base);
        let name = self.fresh(base);
        self.locals.insert(local, (name, base));
        name
    }

    /// Binds as [`bind`](Self::bind) does, but one that nothing uses is `_`.
    fn binder(&mut self, local: LocalId) -> Option<Name> {
        self.uses.contains_key(&local).then(|| self.bind(local))
    }

    /// Returns a name like `base`, to be released when its scope ends.
    fn fresh(&mut self, base: Name) -> Name {
        let (live, mut next) = self.live.get(&base).copied().unwrap_or((0, 0));
        let mut name = base;
        while self.is_taken(name) {
            next += 1;
            let text = format!("{}'{next}", self.out.names.text(base));
            name = self.out.names.intern(&text);
        }
        self.live.insert(base, (live + 1, next));
        self.scope.insert(name);
        name
    }

    fn is_taken(&self, name: Name) -> bool {
        self.hidden.contains(&name)
            || self.scope.contains(&name)
            || self.out.con_names.contains(&name)
    }

    /// Ends the scope of a name.
    fn release(&mut self, name: Name, base: Name) {
        self.scope.remove(&name);
        if let Some((live, next)) = self.live.get_mut(&base) {
            *live -= 1;
            if *live == 0 {
                *next = 0;
            }
        }
    }

    /// Ends the scope of a local, if it had a name.
    fn unbind(&mut self, local: LocalId) {
        if let Some((name, base)) = self.locals.remove(&local)
            && !self.aliases.remove(&local)
        {
            self.release(name, base);
        }
    }

    fn local(&mut self, local: LocalId) -> ast::ExprId {
        if let Some(value) = self.inlined.remove(&local) {
            return value;
        }
        match self.locals.get(&local) {
            Some(&(name, _)) => self.named(name),
            None => self.tree(ast::Expr::Error),
        }
    }

    fn expr(&mut self, expr: ExprId) -> ast::ExprId {
        ensure_sufficient_stack(|| self.step(expr))
    }

    fn step(&mut self, expr: ExprId) -> ast::ExprId {
        let program = self.program;
        match program.exprs[expr] {
            Expr::Lit(Lit::Int(value)) => self.tree(ast::Expr::Int(value)),
            Expr::Lit(Lit::Big(big)) => {
                let big = self.out.ast.bigs.push(program.bigs[big].clone());
                self.tree(ast::Expr::Big(big))
            }
            Expr::Lit(Lit::Float(value)) => self.tree(ast::Expr::Float(value)),
            Expr::Lit(Lit::Char(c)) => self.tree(ast::Expr::Char(c)),
            Expr::Text(text) => {
                let text = self.out.ast.texts.push((*program.texts[text]).into());
                self.tree(ast::Expr::Text(text))
            }
            Expr::Local(local) => self.local(local),
            Expr::Global(global) => match self.out.globals.get(&global) {
                Some(&name) => self.named(name),
                None => self.tree(ast::Expr::Error),
            },
            Expr::Con(con) => self.con(con),
            Expr::App(callee, args) => {
                let args = &program.expr_lists[args];
                if let (Expr::Con(CONS), &[head, tail]) = (program.exprs[callee], args) {
                    return self.list(head, tail);
                }
                let callee = self.expr(callee);
                let args = args.iter().map(|&arg| self.expr(arg)).collect();
                self.apply(callee, args)
            }
            Expr::Let(..) | Expr::Force(..) => self.bindings(expr),
            Expr::Letrec(binds, body) => {
                let binds = &program.binds[binds];
                let names: Vec<Name> = binds.iter().map(|bind| self.bind(bind.local)).collect();
                let values: Vec<_> = binds.iter().map(|bind| self.expr(bind.value)).collect();
                let body = self.expr(body);
                for bind in binds {
                    self.unbind(bind.local);
                }
                let bindings =
                    names.into_iter().zip(values).map(|(name, value)| binding(name, value));
                let bindings = self.out.ast.bindings.add(bindings);
                self.tree(ast::Expr::Letrec(bindings, body))
            }
            Expr::Lam(params, body) => {
                let params = &program.local_lists[params];
                let names: Vec<_> = params.iter().map(|&param| self.binder(param)).collect();
                let body = self.expr(body);
                for &param in params {
                    self.unbind(param);
                }
                let params = binders(&mut self.out.ast, names);
                self.tree(ast::Expr::Fn(params, body))
            }
            Expr::Switch(switch) => {
                let scrutinee = self.local(program.switches[switch].scrutinee);
                self.switch(switch, scrutinee)
            }
            Expr::Join(join, body) => self.join(join, body),
            Expr::Jump(join, args) => self.jump(join, args),
            Expr::NoMatch => self.no_match(),
            // A residual program is written before actions are performed in it.
            Expr::Perform(..) | Expr::Error => self.tree(ast::Expr::Error),
        }
    }

    fn con(&mut self, con: ConId) -> ast::ExprId {
        match self.out.cons.get(&con) {
            Some(&name) => self.named(name),
            None => self.tree(ast::Expr::Error),
        }
    }

    fn apply(&mut self, callee: ast::ExprId, args: Vec<ast::ExprId>) -> ast::ExprId {
        let args = self.out.ast.expr_lists.add(args);
        self.tree(ast::Expr::App(callee, args))
    }

    /// Writes a chain of cells: `[a b]` if it ends in `Nil`, else applications of `Cons`.
    fn list(&mut self, head: ExprId, tail: ExprId) -> ast::ExprId {
        let program = self.program;
        let mut heads = vec![self.expr(head)];
        let mut rest = tail;
        while let Expr::App(callee, args) = program.exprs[rest]
            && let (Expr::Con(CONS), &[head, tail]) =
                (program.exprs[callee], &program.expr_lists[args])
        {
            heads.push(self.expr(head));
            rest = tail;
        }
        if program.exprs[rest] == Expr::Con(NIL) {
            let elements = self.out.ast.expr_lists.add(heads);
            return self.tree(ast::Expr::List(elements));
        }
        let mut list = self.expr(rest);
        for head in heads.into_iter().rev() {
            let cons = self.con(CONS);
            list = self.apply(cons, vec![head, list]);
        }
        list
    }

    fn let_(&mut self, bindings: Vec<Binding>, body: ast::ExprId) -> ast::ExprId {
        if bindings.is_empty() {
            return body;
        }
        let bindings = self.out.ast.bindings.add(bindings);
        self.tree(ast::Expr::Let(bindings, body))
    }

    fn switch(&mut self, switch: SwitchId, scrutinee: ast::ExprId) -> ast::ExprId {
        let program = self.program;
        let switch = &program.switches[switch];
        let mut alts = Vec::new();
        match &switch.branches {
            Branches::Cons(branches) => {
                for branch in branches {
                    alts.push(self.con_alt(branch));
                }
            }
            Branches::Lits(branches) => {
                for &(lit, body) in branches {
                    let pat = match lit {
                        Lit::Int(value) => Pat::Int(value),
                        Lit::Char(c) => Pat::Char(c),
                        Lit::Float(_) => unreachable!("no switch goes by a float"),
                        Lit::Big(big) => {
                            Pat::Big(self.out.ast.bigs.push(program.bigs[big].clone()))
                        }
                    };
                    let pat = self.pat(pat);
                    alts.push(Alt { pat, body: self.expr(body) });
                }
            }
        }
        // A case fails by itself if nothing fits.
        if let Some(default) = switch.default.filter(|&body| program.exprs[body] != Expr::NoMatch) {
            let pat = self.pat(Pat::Wildcard);
            alts.push(Alt { pat, body: self.expr(default) });
        }
        let alts = self.out.ast.alts.add(alts);
        self.tree(ast::Expr::Case(scrutinee, alts))
    }

    fn con_alt(&mut self, branch: &ConBranch) -> Alt {
        let mut fields = Vec::with_capacity(branch.fields.len());
        for field in &branch.fields {
            let name = field.and_then(|field| self.binder(field));
            fields.push(self.pat(name.map_or(Pat::Wildcard, Pat::Name)));
        }
        let body = self.expr(branch.body);
        for &field in branch.fields.iter().flatten() {
            self.unbind(field);
        }
        let fields = self.out.ast.pat_lists.add(fields);
        let pat = match self.out.cons.get(&branch.con) {
            Some(&name) => Pat::Con(name, Span::NONE, fields),
            None => Pat::Error,
        };
        Alt { pat: self.pat(pat), body }
    }

    fn join(&mut self, join: JoinId, body: ExprId) -> ast::ExprId {
        let Join { params, handler } = self.program.joins[join];
        let params = &self.program.local_lists[params];
        let is_atom = params.is_empty() && is_atom(self.program.exprs[handler]);
        if is_atom || self.jumps.get(&join).is_none_or(|&jumps| jumps == 1) {
            return self.expr(body);
        }
        let names: Vec<_> = params.iter().map(|&param| self.binder(param)).collect();
        let mut handler = self.expr(handler);
        for &param in params {
            self.unbind(param);
        }
        if !names.is_empty() {
            let params = binders(&mut self.out.ast, names);
            handler = self.tree(ast::Expr::Fn(params, handler));
        }
        let base = self.out.names.intern("otherwise");
        let name = self.fresh(base);
        self.joins.insert(join, name);
        let body = self.expr(body);
        self.release(name, base);
        self.let_(vec![binding(name, handler)], body)
    }

    fn jump(&mut self, join: JoinId, args: List<ExprId>) -> ast::ExprId {
        let args = &self.program.expr_lists[args];
        if let Some(&name) = self.joins.get(&join) {
            let callee = self.named(name);
            let args: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
            return if args.is_empty() { callee } else { self.apply(callee, args) };
        }
        // The handler stands here: what it uses is in scope here too.
        let Join { params, handler } = self.program.joins[join];
        let params = &self.program.local_lists[params];
        let mut bindings = Vec::new();
        for (&param, &arg) in params.iter().zip(args) {
            if self.uses.contains_key(&param) && !self.alias(param, arg) {
                let value = self.expr(arg);
                bindings.push(binding(self.bind(param), value));
            }
        }
        let body = self.expr(handler);
        for &param in params {
            self.unbind(param);
        }
        self.let_(bindings, body)
    }

    /// Returns a case that no value matches.
    fn no_match(&mut self) -> ast::ExprId {
        let scrutinee = self.tree(ast::Expr::Int(0));
        let pat = self.pat(Pat::Int(1));
        let body = self.tree(ast::Expr::Int(0));
        let alts = self.out.ast.alts.add([Alt { pat, body }]);
        self.tree(ast::Expr::Case(scrutinee, alts))
    }
}

fn binding(name: Name, value: ast::ExprId) -> Binding {
    Binding { binder: Binder { name: Some(name), span: Span::NONE }, value }
}

/// Returns whether an expression is written anew for each use instead of being shared.
fn is_atom(expr: Expr) -> bool {
    matches!(expr, Expr::Lit(_) | Expr::Local(_) | Expr::Global(_) | Expr::Con(_))
}
