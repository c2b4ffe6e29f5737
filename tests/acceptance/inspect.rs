//! What a residual program is made of.

use std::collections::{BTreeMap, BTreeSet};

use gmachine::base::name::Interner;
use gmachine::core::expr::{Branches, Expr, ExprId, GlobalId, GlobalKind, Program};
use gmachine::core::print;

/// What the code that a definition reaches is made of.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Definitions with parameters.
    pub functions: usize,
    /// Definitions without.
    pub constants: usize,
    /// Expressions.
    pub size: usize,
    /// How often each primitive stands there, applied or not.
    pub primitives: BTreeMap<&'static str, usize>,
    /// Switches on constructors, and on literals.
    pub con_switches: usize,
    pub lit_switches: usize,
    /// Constructors with fields.
    pub built: usize,
    /// Definitions that are mentioned, each time.
    pub calls: usize,
    /// Applications of a local.
    pub unknown_calls: usize,
    /// Texts.
    pub texts: usize,
    /// Literals of characters, in expressions and branches.
    pub chars: usize,
}

impl Shape {
    /// How often a primitive stands there.
    pub fn count(&self, primitive: &str) -> usize {
        self.primitives.get(primitive).copied().unwrap_or(0)
    }

    /// How many tests of any kind there are.
    pub fn tests(&self) -> usize {
        self.count("if") + self.con_switches + self.lit_switches
    }
}

/// The expressions right below one.
pub fn children(program: &Program, expr: ExprId) -> Vec<ExprId> {
    match program.exprs[expr] {
        Expr::App(callee, args) => {
            [callee].into_iter().chain(program.expr_lists[args].iter().copied()).collect()
        }
        Expr::Let(_, value, body) | Expr::Force(_, value, body) | Expr::Perform(_, value, body) => {
            vec![value, body]
        }
        Expr::Letrec(binds, body) => {
            program.binds[binds].iter().map(|bind| bind.value).chain([body]).collect()
        }
        Expr::Lam(_, body) => vec![body],
        Expr::Switch(switch) => {
            let switch = &program.switches[switch];
            let branches: Vec<ExprId> = match &switch.branches {
                Branches::Cons(branches) => branches.iter().map(|branch| branch.body).collect(),
                Branches::Lits(branches) => branches.iter().map(|(_, body)| *body).collect(),
            };
            branches.into_iter().chain(switch.default).collect()
        }
        Expr::Join(join, body) => vec![program.joins[join].handler, body],
        Expr::Jump(_, args) => program.expr_lists[args].to_vec(),
        Expr::Lit(_)
        | Expr::Text(_)
        | Expr::Local(_)
        | Expr::Global(_)
        | Expr::Con(_)
        | Expr::NoMatch
        | Expr::Error => Vec::new(),
    }
}

/// The definitions that one reaches, itself first, in the order in which they are met.
pub fn reach(program: &Program, root: GlobalId) -> Vec<GlobalId> {
    let mut met = BTreeSet::from([root]);
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        if let GlobalKind::Defn { body: Some(body), .. } = program.globals[found[at]].kind {
            let mut work = vec![body];
            while let Some(expr) = work.pop() {
                if let Expr::Global(global) = program.exprs[expr]
                    && matches!(program.globals[global].kind, GlobalKind::Defn { .. })
                    && met.insert(global)
                {
                    found.push(global);
                }
                work.extend(children(program, expr).into_iter().rev());
            }
        }
        at += 1;
    }
    found
}

/// What a definition reaches is made of.
pub fn shape(program: &Program, root: GlobalId) -> Shape {
    let mut shape = Shape::default();
    for global in reach(program, root) {
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[global].kind else {
            continue;
        };
        match params.len() {
            0 => shape.constants += 1,
            _ => shape.functions += 1,
        }
        let mut work = vec![body];
        while let Some(expr) = work.pop() {
            shape.size += 1;
            match program.exprs[expr] {
                Expr::Global(global) => match program.globals[global].kind {
                    GlobalKind::Primitive(primitive) => {
                        *shape.primitives.entry(primitive.name()).or_default() += 1;
                    }
                    _ => shape.calls += 1,
                },
                Expr::Con(con) if program.cons[con].arity > 0 => shape.built += 1,
                Expr::App(callee, _) if matches!(program.exprs[callee], Expr::Local(_)) => {
                    shape.unknown_calls += 1;
                }
                Expr::Text(_) => shape.texts += 1,
                Expr::Lit(gmachine::core::expr::Lit::Char(_)) => shape.chars += 1,
                Expr::Switch(switch) => match &program.switches[switch].branches {
                    Branches::Cons(_) => shape.con_switches += 1,
                    Branches::Lits(branches) => {
                        shape.lit_switches += 1;
                        let is_char = |lit| matches!(lit, gmachine::core::expr::Lit::Char(_));
                        shape.chars += branches.iter().filter(|(lit, _)| is_char(*lit)).count();
                    }
                },
                _ => {}
            }
            work.extend(children(program, expr));
        }
    }
    shape
}

/// The text of what some definitions reach.
pub fn text(program: &Program, names: &Interner, roots: &[GlobalId]) -> String {
    let mut shown = BTreeSet::new();
    let mut out = String::new();
    for &root in roots {
        for global in reach(program, root) {
            if shown.insert(global) {
                print::definition(program, names, global, &mut out);
            }
        }
    }
    out
}
