//! Dictionaries of type classes taken apart: each method of an instance becomes a definition of its
//! own, and a method of an instance that is known is that definition. Names that stand for another
//! one are replaced by it.

use rustc_hash::FxHashMap;

use crate::core::{Expr, ExprId, GlobalId, Local, Meaning, Pattern, Program};

/// How many names may stand for each other before it counts as a circle.
const CHAIN: usize = 100;

/// An instance: how many dictionaries it takes, and what each of its fields is.
pub struct Instance {
    /// How many dictionaries it takes.
    pub parameters: usize,
    fields: Vec<Field>,
}

#[derive(Clone, Copy)]
enum Field {
    /// An atom, whatever the instance is applied to.
    Atom(ExprId),
    /// A definition, to be applied to what the instance is applied to.
    Method(GlobalId),
}

/// Takes apart all dictionaries of a program; returns the instances.
pub fn resolve(program: &mut Program<'_>) -> FxHashMap<GlobalId, Instance> {
    let mut instances = FxHashMap::default();
    for id in 0..program.globals.len() as GlobalId {
        if let Some(instance) = split(program, id) {
            instances.insert(id, instance);
        }
    }
    for id in 0..program.globals.len() {
        if let Some(&Meaning::Defined(expr)) = program.meaning(id as GlobalId) {
            let expr = Resolver::new(&instances).expr(program, expr);
            program.globals[id].meaning = Some(Meaning::Defined(expr));
        }
    }
    instances
}

/// Takes an instance apart, if the definition is one.
fn split(program: &mut Program<'_>, id: GlobalId) -> Option<Instance> {
    let Some(&Meaning::Defined(expr)) = program.meaning(id) else { return None };
    let (parameters, body) = match &program.exprs[expr as usize] {
        Expr::Lambda(parameters, body) => (parameters.clone(), *body),
        _ => (Vec::new(), expr),
    };
    let (itself, body) = match &program.exprs[body as usize] {
        Expr::Letrec(bindings, last) => match bindings.as_slice() {
            [(local, value)] if program.exprs[*last as usize] == Expr::Local(*local) => {
                (Some(*local), *value)
            }
            _ => return None,
        },
        _ => (None, body),
    };
    let Expr::Apply(class, args, _) = program.exprs[body as usize].clone() else { return None };
    let Expr::Global(con) = program.exprs[class as usize] else { return None };
    let Some(&Meaning::Class { fields, .. }) = program.meaning(con) else { return None };
    if fields != args.len() {
        return None;
    }
    let whole = program.push(Expr::Global(id));
    let given: Vec<ExprId> =
        parameters.iter().map(|&local| program.push(Expr::Local(local))).collect();
    let whole = program.apply(whole, given.clone(), None);
    let mut made = Vec::new();
    for (at, arg) in args.into_iter().enumerate() {
        let name = format!("{}.{}", program.globals[id as usize].name, at + 1);
        if let Some(code) = program.support().definition(&name) {
            let code = Expr::Code(code.to_owned());
            made.push(Field::Atom(program.push(code)));
            continue;
        }
        if let Expr::Global(_) | Expr::Code(_) = program.exprs[arg as usize] {
            made.push(Field::Atom(arg));
            continue;
        }
        let body = match itself {
            Some(local) => substitute(program, arg, local, whole),
            None => arg,
        };
        let body = match (parameters.as_slice(), program.exprs[body as usize].clone()) {
            ([], _) => body,
            (_, Expr::Lambda(more, inner)) => {
                let all = parameters.iter().copied().chain(more).collect();
                program.push(Expr::Lambda(all, inner))
            }
            _ => program.push(Expr::Lambda(parameters.clone(), body)),
        };
        let module = program.globals[id as usize].module.clone();
        made.push(Field::Method(program.new_global(name, module, Some(Meaning::Defined(body)))));
    }
    let fields = made
        .iter()
        .map(|field| match *field {
            Field::Atom(atom) => atom,
            Field::Method(method) => {
                let method = program.push(Expr::Global(method));
                program.apply(method, given.clone(), None)
            }
        })
        .collect();
    let body = program.push(Expr::Apply(class, fields, None));
    let body = match parameters.as_slice() {
        [] => body,
        _ => program.push(Expr::Lambda(parameters.clone(), body)),
    };
    program.globals[id as usize].meaning = Some(Meaning::Defined(body));
    Some(Instance { parameters: parameters.len(), fields: made })
}

/// Replaces a variable; all variables have numbers of their own, so nothing is captured.
pub fn substitute(program: &mut Program<'_>, expr: ExprId, local: Local, by: ExprId) -> ExprId {
    rewrite(program, expr, &mut |program, id| {
        (program.exprs[id as usize] == Expr::Local(local)).then_some(by)
    })
}

/// Rewrites an expression: `at` says what takes the place of a part, or nothing if its parts are to
/// be looked at.
pub fn rewrite<'a>(
    program: &mut Program<'a>,
    id: ExprId,
    at: &mut dyn FnMut(&mut Program<'a>, ExprId) -> Option<ExprId>,
) -> ExprId {
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        if let Some(other) = at(program, id) {
            return other;
        }
        let expr = program.exprs[id as usize].clone();
        let mut go = |program: &mut Program<'a>, id| rewrite(program, id, at);
        let rewritten = match expr {
            Expr::Local(_) | Expr::Global(_) | Expr::Code(_) | Expr::Text(_) => return id,
            Expr::Apply(f, args, place) => {
                let f = go(program, f);
                let args = args.into_iter().map(|arg| go(program, arg)).collect();
                return program.apply(f, args, place);
            }
            Expr::Lambda(locals, body) => Expr::Lambda(locals, go(program, body)),
            Expr::Let(local, value, body) => {
                Expr::Let(local, go(program, value), go(program, body))
            }
            Expr::Letrec(bindings, body) => {
                let bindings =
                    bindings.into_iter().map(|(local, value)| (local, go(program, value)));
                let bindings = bindings.collect();
                Expr::Letrec(bindings, go(program, body))
            }
            Expr::Case(scrutinee, alternatives, other) => {
                let scrutinee = go(program, scrutinee);
                let alternatives = alternatives
                    .into_iter()
                    .map(|(pattern, locals, body)| (pattern, locals, go(program, body)))
                    .collect();
                Expr::Case(scrutinee, alternatives, other.map(|other| go(program, other)))
            }
            Expr::If(c, t, e) => Expr::If(go(program, c), go(program, t), go(program, e)),
        };
        program.push(rewritten)
    })
}

/// What is known while an expression is resolved. All variables have numbers of their own, so it holds
/// wherever they are.
pub struct Resolver<'i> {
    instances: &'i FxHashMap<GlobalId, Instance>,
    /// Variables that stand for an atom.
    atoms: FxHashMap<Local, Expr>,
    /// Variables that are a construction of atoms: how dictionaries are passed together.
    known: FxHashMap<Local, (GlobalId, Vec<ExprId>)>,
}

impl<'i> Resolver<'i> {
    /// Returns a resolver that knows nothing.
    #[must_use]
    pub fn new(instances: &'i FxHashMap<GlobalId, Instance>) -> Resolver<'i> {
        Resolver { instances, atoms: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// Resolves an expression.
    pub fn expr(&mut self, program: &mut Program<'_>, id: ExprId) -> ExprId {
        rewrite(program, id, &mut |program, id| match program.exprs[id as usize].clone() {
            Expr::Global(global) => {
                let found = atom(program, global);
                Some(program.push(found))
            }
            Expr::Local(local) => {
                let found = self.atoms.get(&local)?.clone();
                Some(program.push(found))
            }
            Expr::Apply(f, args, place) => {
                let f = self.expr(program, f);
                let args = args.into_iter().map(|arg| self.expr(program, arg)).collect();
                let mut whole = program.apply(f, args, place);
                // What a method comes to may be an application of a method.
                while let Some(next) = step(program, self.instances, whole) {
                    whole = next;
                }
                Some(whole)
            }
            Expr::Let(local, value, body) => {
                let value = self.expr(program, value);
                if let Expr::Global(_) | Expr::Local(_) = program.exprs[value as usize] {
                    let found = program.exprs[value as usize].clone();
                    self.atoms.insert(local, found);
                    return Some(self.expr(program, body));
                }
                if let Some(known) = construction(program, value) {
                    self.known.insert(local, known);
                }
                let body = self.expr(program, body);
                Some(program.push(Expr::Let(local, value, body)))
            }
            Expr::Case(scrutinee, alternatives, other) => {
                let scrutinee = self.expr(program, scrutinee);
                let known = match &program.exprs[scrutinee as usize] {
                    Expr::Local(local) => self.known.get(local).cloned(),
                    Expr::Global(global) => match program.meaning(*global) {
                        Some(&Meaning::Defined(expr)) => construction(program, expr),
                        _ => None,
                    },
                    _ => construction(program, scrutinee),
                };
                if let Some((con, fields)) = known
                    && let [(Pattern::Con(of), locals, body)] = alternatives.as_slice()
                    && *of == con
                    && locals.len() == fields.len()
                {
                    for (&local, field) in locals.iter().zip(fields) {
                        let field = self.expr(program, field);
                        let found = program.exprs[field as usize].clone();
                        self.atoms.insert(local, found);
                    }
                    return Some(self.expr(program, *body));
                }
                let alternatives = alternatives
                    .into_iter()
                    .map(|(pattern, locals, body)| (pattern, locals, self.expr(program, body)))
                    .collect();
                let other = other.map(|other| self.expr(program, other));
                Some(program.push(Expr::Case(scrutinee, alternatives, other)))
            }
            _ => None,
        })
    }
}

/// Returns the constructor and the fields of a construction of definitions and variables alone.
fn construction(program: &Program<'_>, id: ExprId) -> Option<(GlobalId, Vec<ExprId>)> {
    let Expr::Apply(f, args, _) = &program.exprs[id as usize] else { return None };
    let Expr::Global(con) = program.exprs[*f as usize] else { return None };
    let Some(Meaning::Con { strict, .. }) = program.meaning(con) else { return None };
    let is_atom =
        |arg: &ExprId| matches!(program.exprs[*arg as usize], Expr::Global(_) | Expr::Local(_));
    let is_whole = strict.len() == args.len() && !strict.contains(&true);
    (is_whole && args.iter().all(is_atom)).then(|| (con, args.clone()))
}

/// Returns what a definition that only stands for another name or a piece of CoreF stands for.
fn atom(program: &Program<'_>, global: GlobalId) -> Expr {
    let mut at = global;
    for _ in 0..CHAIN {
        match program.meaning(at) {
            Some(&Meaning::Defined(expr)) => match &program.exprs[expr as usize] {
                Expr::Global(next) => at = *next,
                Expr::Code(code) => return Expr::Code(code.clone()),
                _ => break,
            },
            Some(Meaning::Code(code)) => return Expr::Code(code.clone()),
            _ => break,
        }
    }
    Expr::Global(at)
}

/// Rewrites the head of an application by one step, if there is one.
fn step(
    program: &mut Program<'_>,
    instances: &FxHashMap<GlobalId, Instance>,
    whole: ExprId,
) -> Option<ExprId> {
    let Expr::Apply(f, args, place) = program.exprs[whole as usize].clone() else { return None };
    let (first, rest) = args.split_first()?;
    match program.exprs[f as usize].clone() {
        // A newtype's constructor, or a conversion that does nothing.
        Expr::Code(code) if code == IDENTITY => Some(program.apply(*first, rest.to_vec(), place)),
        Expr::Global(method) => {
            let Some(&Meaning::Selector { field, .. }) = program.meaning(method) else {
                return None;
            };
            let (instance, given) = match program.exprs[*first as usize].clone() {
                Expr::Global(instance) => (instance, Vec::new()),
                Expr::Apply(f, given, _) => match program.exprs[f as usize] {
                    Expr::Global(instance) => (instance, given),
                    _ => return None,
                },
                _ => return None,
            };
            let instance = instances.get(&instance)?;
            if instance.parameters != given.len() {
                return None;
            }
            let found = match *instance.fields.get(field)? {
                Field::Atom(atom_of) => match program.exprs[atom_of as usize] {
                    Expr::Global(global) => {
                        let found = atom(program, global);
                        program.push(found)
                    }
                    _ => atom_of,
                },
                Field::Method(method) => {
                    let found = atom(program, method);
                    // A method with parameters stands for no atom.
                    let method = program.push(found);
                    program.apply(method, given, place)
                }
            };
            Some(program.apply(found, rest.to_vec(), place))
        }
        _ => None,
    }
}

/// The function of the runtime that gives its operand.
pub const IDENTITY: &str = "h_id";
