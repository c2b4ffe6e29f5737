//! Sharing given back. The combinators of MicroHs share every part of a function that does not
//! depend on its parameters, and its desugarer counts on that: it puts what is used once under
//! lambdas. So each such part is bound outside of the function here, and at the top if it depends
//! on no parameter at all (full laziness).
//!
//! What costs nothing to compute again stays: atoms, functions, constructions, partial
//! applications, primitives of CoreF. So does what performs an action as it is evaluated.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::{Expr, ExprId, GlobalId, Local, Meaning, Pattern, Program};

/// The nesting of bindings up to which parts are told apart.
const DEEPEST: u32 = 255;

/// A set of numbers up to [`DEEPEST`].
#[derive(Clone, Copy, Default)]
struct Mask([u64; 4]);

impl Mask {
    fn of(level: u32) -> Mask {
        let mut mask = Mask::default();
        let level = level.min(DEEPEST);
        mask.0[level as usize / 64] = 1 << (level % 64);
        mask
    }

    fn or(self, other: Mask) -> Mask {
        Mask(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Returns the mask without a number; the largest one stands for all beyond, and stays.
    fn without(self, level: u32) -> Mask {
        let Mask(of) = if level < DEEPEST { Mask::of(level) } else { Mask::default() };
        Mask(std::array::from_fn(|at| self.0[at] & !of[at]))
    }

    /// Returns the largest number in it, 0 if it is empty.
    fn highest(self) -> u32 {
        let word = (0..4).rev().find(|&at| self.0[at] != 0);
        word.map_or(0, |at| at as u32 * 64 + 63 - self.0[at].leading_zeros())
    }
}

/// Moves what does not depend on parameters out of the functions of a program.
pub fn float(program: &mut Program<'_>) {
    let arities: Vec<usize> =
        (0..program.globals.len()).map(|id| program.arity(id as GlobalId)).collect();
    for id in 0..program.globals.len() {
        let Some(&Meaning::Defined(expr)) = program.meaning(id as GlobalId) else { continue };
        let mut floater = Floater {
            program,
            arities: &arities,
            levels: FxHashMap::default(),
            functions: vec![0],
            moves: FxHashSet::default(),
            aliases: FxHashMap::default(),
            masks: FxHashMap::default(),
            pending: Vec::new(),
            global: id as GlobalId,
            made: 0,
        };
        let expr = floater.body(expr, At { level: 0, function: 0 });
        program.globals[id].meaning = Some(Meaning::Defined(expr));
    }
}

/// A place in a definition.
#[derive(Clone, Copy)]
struct At {
    /// How many bindings it is in: of parameters, of lets, of fields.
    level: u32,
    /// How many functions it is in.
    function: u32,
}

impl At {
    /// Returns the place within a binding of this place.
    fn within(self) -> At {
        At { level: self.level + 1, ..self }
    }

    /// Returns the place within a function of this place.
    fn within_function(self) -> At {
        At { level: self.level + 1, function: self.function + 1 }
    }
}

struct Floater<'p, 'a> {
    program: &'p mut Program<'a>,
    arities: &'p [usize],
    /// The level at which each variable is bound.
    levels: FxHashMap<Local, u32>,
    /// In how many functions each level is, on the way to where we are.
    functions: Vec<u32>,
    /// The variables of lets whose values are moved.
    moves: FxHashSet<Local>,
    /// What stands for the variables of those.
    aliases: FxHashMap<Local, Expr>,
    /// The levels of the variables in an expression.
    masks: FxHashMap<ExprId, Mask>,
    /// What is to be bound within so many functions.
    pending: Vec<Vec<(Local, ExprId)>>,
    global: GlobalId,
    made: usize,
}

impl Floater<'_, '_> {
    fn get(&self, id: ExprId) -> Expr {
        self.program.exprs[id as usize].clone()
    }

    /// Returns the level that an expression at a place can be moved to, if that is worth while.
    fn target(&mut self, id: ExprId, at: At) -> Option<At> {
        if at.function == 0 || at.level >= DEEPEST || !self.is_work(id) {
            return None;
        }
        let level = self.mask(id, at).highest();
        let function = self.functions.get(level as usize).copied()?;
        (function < at.function).then_some(At { level, function })
    }

    /// Returns the levels of the variables in an expression.
    fn mask(&mut self, id: ExprId, at: At) -> Mask {
        if let Some(&mask) = self.masks.get(&id) {
            return mask;
        }
        let mask = stacker::maybe_grow(64 << 10, 1 << 20, || self.mask_here(id, at));
        self.masks.insert(id, mask);
        mask
    }

    fn mask_here(&mut self, id: ExprId, at: At) -> Mask {
        match self.get(id) {
            Expr::Local(local) => {
                self.levels.get(&local).map_or(Mask::default(), |&level| match level {
                    0 => Mask::default(),
                    level => Mask::of(level),
                })
            }
            // What is performed as it is evaluated stays in its function.
            Expr::Code(code) if code == PERFORM => {
                let innermost = self.functions.iter().position(|&of| of == at.function);
                innermost.map_or(Mask::default(), |level| Mask::of(level as u32))
            }
            Expr::Global(_) | Expr::Code(_) | Expr::Text(_) => Mask::default(),
            Expr::Apply(f, args, _) => {
                let mask = self.mask(f, at);
                args.into_iter().fold(mask, |mask, arg| mask.or(self.mask(arg, at)))
            }
            Expr::Lambda(locals, body) => {
                let inner = at.within_function();
                self.bind(&locals, inner);
                self.mask(body, inner).without(inner.level)
            }
            Expr::Let(local, value, body) => {
                let of = self.mask(value, at);
                let inner = at.within();
                if let Some(to) = self.target(value, at) {
                    self.moves.insert(local);
                    self.levels.insert(local, to.level);
                    self.enter(inner);
                } else {
                    self.bind(&[local], inner);
                }
                of.or(self.mask(body, inner).without(inner.level))
            }
            Expr::Letrec(bindings, body) => {
                let inner = at.within();
                bindings.iter().for_each(|&(local, _)| self.bind(&[local], inner));
                let mask = self.mask(body, inner);
                let all = bindings.iter();
                let mask = all.fold(mask, |mask, &(_, value)| mask.or(self.mask(value, inner)));
                mask.without(inner.level)
            }
            Expr::Case(scrutinee, alternatives, other) => {
                let mut mask = self.mask(scrutinee, at);
                let inner = at.within();
                for (_, locals, body) in alternatives {
                    self.bind(&locals, inner);
                    mask = mask.or(self.mask(body, inner).without(inner.level));
                }
                match other {
                    Some(other) => {
                        self.enter(inner);
                        mask.or(self.mask(other, inner).without(inner.level))
                    }
                    None => mask,
                }
            }
            Expr::If(c, t, e) => self.mask(c, at).or(self.mask(t, at)).or(self.mask(e, at)),
        }
    }

    fn enter(&mut self, at: At) {
        self.functions.truncate(at.level as usize);
        self.functions.resize(at.level as usize + 1, at.function);
    }

    fn bind(&mut self, locals: &[Local], at: At) {
        self.enter(at);
        for &local in locals {
            self.levels.insert(local, at.level);
        }
    }

    /// Rewrites an expression that bindings may stand before.
    fn body(&mut self, id: ExprId, at: At) -> ExprId {
        let before = self.take(at);
        let body = self.visit(id, at);
        let bindings = self.take(at);
        self.put_back(at, before);
        self.lets(bindings, body)
    }

    fn lets(&mut self, bindings: Vec<(Local, ExprId)>, body: ExprId) -> ExprId {
        bindings
            .into_iter()
            .rev()
            .fold(body, |body, (local, value)| self.program.push(Expr::Let(local, value, body)))
    }

    /// Rewrites an expression; moves it out of its function if it can be.
    fn visit(&mut self, id: ExprId, at: At) -> ExprId {
        stacker::maybe_grow(64 << 10, 1 << 20, || match self.target(id, at) {
            Some(to) => {
                let moved = self.moved(id, at, to);
                self.program.push(moved)
            }
            None => self.parts(id, at),
        })
    }

    /// Binds an expression at a lower level; returns what stands for it.
    fn moved(&mut self, id: ExprId, at: At, to: At) -> Expr {
        // There its parts have other levels.
        let masks = std::mem::take(&mut self.masks);
        let functions = self.functions.clone();
        self.functions.truncate(to.level as usize + 1);
        let value = self.parts(id, to);
        self.functions = functions;
        self.masks = masks;
        debug_assert!(to.function < at.function);
        if to.level == 0 {
            self.made += 1;
            let of = &self.program.globals[self.global as usize];
            let (name, module) = (format!("{}#{}", of.name, self.made), of.module.clone());
            let meaning = Some(Meaning::Defined(value));
            return Expr::Global(self.program.new_global(name, module, meaning));
        }
        let local = self.program.local("s");
        self.levels.insert(local, to.level);
        let function = to.function as usize;
        if self.pending.len() <= function {
            self.pending.resize_with(function + 1, Vec::new);
        }
        self.pending[function].push((local, value));
        Expr::Local(local)
    }

    /// Returns whether it is worth while to share what an expression comes to.
    fn is_work(&self, id: ExprId) -> bool {
        let args = match &self.program.exprs[id as usize] {
            Expr::Apply(f, args, _) => (&self.program.exprs[*f as usize], args.len()),
            Expr::Case(..) | Expr::If(..) => return true,
            _ => return false,
        };
        match args {
            (Expr::Global(global), given) => match self.program.meaning(*global) {
                Some(Meaning::Defined(_)) => {
                    given >= self.arities.get(*global as usize).copied().unwrap_or(0)
                }
                Some(Meaning::Code(code)) => code == "h_fix",
                Some(Meaning::Selector { .. }) => given > 1,
                _ => false,
            },
            (Expr::Code(code), _) => code == "h_fix",
            _ => true,
        }
    }

    fn parts(&mut self, id: ExprId, at: At) -> ExprId {
        let expr = match self.get(id) {
            Expr::Local(local) => match self.aliases.get(&local) {
                Some(alias) => alias.clone(),
                None => return id,
            },
            Expr::Global(_) | Expr::Code(_) | Expr::Text(_) => return id,
            Expr::Apply(f, args, place) => {
                let f = self.visit(f, at);
                let args = args.into_iter().map(|arg| self.visit(arg, at)).collect();
                Expr::Apply(f, args, place)
            }
            Expr::Lambda(locals, body) => {
                let inner = at.within_function();
                self.bind(&locals, inner);
                let body = self.body(body, inner);
                self.enter(at);
                Expr::Lambda(locals, body)
            }
            Expr::Let(local, value, body) => {
                // The levels in the body are those of now.
                self.mask(id, at);
                self.enter(at);
                if self.moves.contains(&local)
                    && let Some(to) = self.target(value, at)
                {
                    let moved = self.moved(value, at, to);
                    self.aliases.insert(local, moved);
                    self.levels.insert(local, to.level);
                    self.enter(at.within());
                    let body = self.body(body, at.within());
                    self.enter(at);
                    return body;
                }
                let before = self.take(at);
                let value = self.visit(value, at);
                let bindings = self.take(at);
                self.put_back(at, before);
                self.bind(&[local], at.within());
                let body = self.body(body, at.within());
                self.enter(at);
                let rest = self.program.push(Expr::Let(local, value, body));
                return self.lets(bindings, rest);
            }
            Expr::Letrec(bindings, body) => {
                let inner = at.within();
                bindings.iter().for_each(|&(local, _)| self.bind(&[local], inner));
                // What is moved out of the values may need the bindings: it is one of them.
                let before = self.take(at);
                let mut all = Vec::new();
                for (local, value) in bindings {
                    let value = self.visit(value, inner);
                    all.push((local, value));
                }
                all.extend(self.take(at));
                self.put_back(at, before);
                let body = self.body(body, inner);
                self.enter(at);
                Expr::Letrec(all, body)
            }
            Expr::Case(scrutinee, alternatives, other) => {
                let scrutinee = self.visit(scrutinee, at);
                let inner = at.within();
                let mut rewritten: Vec<(Pattern, Vec<Local>, ExprId)> = Vec::new();
                for (pattern, locals, body) in alternatives {
                    self.bind(&locals, inner);
                    rewritten.push((pattern, locals, self.body(body, inner)));
                }
                let other = other.map(|other| {
                    self.enter(inner);
                    self.body(other, inner)
                });
                self.enter(at);
                Expr::Case(scrutinee, rewritten, other)
            }
            Expr::If(c, t, e) => {
                let c = self.visit(c, at);
                Expr::If(c, self.body(t, at), self.body(e, at))
            }
        };
        self.program.push(expr)
    }

    /// Takes what waits to be bound within the function of a place.
    fn take(&mut self, at: At) -> Vec<(Local, ExprId)> {
        self.pending.get_mut(at.function as usize).map(std::mem::take).unwrap_or_default()
    }

    /// Makes that wait again, before what has come since.
    fn put_back(&mut self, at: At, mut before: Vec<(Local, ExprId)>) {
        if before.is_empty() {
            return;
        }
        let after = self.take(at);
        before.extend(after);
        // It was taken from there.
        if let Some(pending) = self.pending.get_mut(at.function as usize) {
            *pending = before;
        }
    }
}

/// What performs an action as it is evaluated.
const PERFORM: &str = "#unsafePerform";
