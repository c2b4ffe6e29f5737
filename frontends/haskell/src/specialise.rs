//! Functions that are applied to dictionaries that are known get definitions of their own, without
//! those parameters: in them the methods are known, too (Jones, *Dictionary-free overloading by partial
//! evaluation*, 1994).

use rustc_hash::FxHashMap;

use crate::core::{Expr, ExprId, GlobalId, Local, Meaning, Program};
use crate::resolve::{Instance, Resolver, rewrite, substitute};

/// How deep dictionaries may be within each other: a function that is polymorphic where it calls
/// itself would have definitions without end.
const DEEPEST: usize = 4;

/// How many times larger a program may become.
const GROWTH: usize = 3;

/// How often a definition may only stand for a dictionary.
const CHAIN: usize = 10;

/// Specialises the functions of a program whose dictionaries have been taken apart.
pub fn specialise(program: &mut Program<'_>, instances: &FxHashMap<GlobalId, Instance>) {
    let limit = GROWTH * program.exprs.len();
    let made = FxHashMap::default();
    let mut specialiser = Specialiser { instances, made, limit };
    let mut id = 0;
    // Those that are made come at the end, and their turn comes too.
    while id < program.globals.len() {
        if let Some(&Meaning::Defined(expr)) = program.meaning(id as GlobalId) {
            let expr = specialiser.expr(program, expr);
            program.globals[id].meaning = Some(Meaning::Defined(expr));
        }
        id += 1;
    }
}

struct Specialiser<'i> {
    instances: &'i FxHashMap<GlobalId, Instance>,
    /// What was made, by the function and its dictionaries.
    made: FxHashMap<String, GlobalId>,
    limit: usize,
}

impl Specialiser<'_> {
    fn expr(&mut self, program: &mut Program<'_>, id: ExprId) -> ExprId {
        rewrite(program, id, &mut |program, id| {
            let Expr::Apply(f, args, place) = program.exprs[id as usize].clone() else {
                return None;
            };
            let Expr::Global(function) = program.exprs[f as usize] else { return None };
            let args: Vec<ExprId> = args.into_iter().map(|arg| self.expr(program, arg)).collect();
            let found = self.specialised(program, function, &args);
            let (function, args) = found.unwrap_or((function, args));
            let f = program.push(Expr::Global(function));
            Some(program.apply(f, args, place))
        })
    }

    /// Returns a definition for the dictionaries among the arguments, and the arguments that are
    /// left.
    fn specialised(
        &mut self,
        program: &mut Program<'_>,
        function: GlobalId,
        args: &[ExprId],
    ) -> Option<(GlobalId, Vec<ExprId>)> {
        if self.instances.contains_key(&function) || program.exprs.len() > self.limit {
            return None;
        }
        let Some(&Meaning::Defined(expr)) = program.meaning(function) else { return None };
        let Expr::Lambda(parameters, body) = program.exprs[expr as usize].clone() else {
            return None;
        };
        let mut key = function.to_string();
        let (mut left, mut known) = (Vec::new(), Vec::new());
        for (at, &arg) in args.iter().enumerate() {
            let found = match parameters.get(at) {
                Some(&parameter) => self.known(program, arg, CHAIN).map(|found| (parameter, found)),
                None => None,
            };
            match found {
                Some((parameter, (text, dictionary))) => {
                    key = format!("{key} {at}={text}");
                    known.push((parameter, dictionary));
                }
                None => left.push(arg),
            }
        }
        if known.is_empty() {
            return None;
        }
        if let Some(&made) = self.made.get(&key) {
            return Some((made, left));
        }
        let of = &program.globals[function as usize];
        let (name, module) = (format!("{}@{}", of.name, self.made.len() + 1), of.module.clone());
        let made = program.new_global(name, module, None);
        self.made.insert(key, made);
        let mut body = body;
        for &(parameter, dictionary) in &known {
            body = substitute(program, body, parameter, dictionary);
        }
        let rest: Vec<Local> = parameters
            .iter()
            .copied()
            .filter(|parameter| known.iter().all(|(of, _)| of != parameter))
            .collect();
        let body = Resolver::new(self.instances).expr(program, body);
        let body = match rest.as_slice() {
            [] => body,
            _ => program.push(Expr::Lambda(rest, body)),
        };
        program.globals[made as usize].meaning = Some(Meaning::Defined(body));
        Some((made, left))
    }

    /// Returns the dictionary of instances alone that an expression is: what tells it from others,
    /// and the expression.
    fn known(
        &self,
        program: &mut Program<'_>,
        id: ExprId,
        chain: usize,
    ) -> Option<(String, ExprId)> {
        match program.exprs[id as usize].clone() {
            Expr::Global(global) => {
                let instance = self.instances.get(&global)?;
                (instance.parameters == 0).then(|| (global.to_string(), id))
            }
            Expr::Apply(f, args, _) => {
                let Expr::Global(global) = program.exprs[f as usize] else { return None };
                let mut texts = Vec::new();
                let mut parts = Vec::new();
                for arg in args {
                    let (text, part) = self.known(program, arg, chain)?;
                    texts.push(text);
                    parts.push(part);
                }
                if let Some(instance) = self.instances.get(&global) {
                    let text = format!("({global} {})", texts.join(" "));
                    let depth =
                        text.split(|c| c != '(' && c != ')').map(str::len).sum::<usize>() / 2;
                    if instance.parameters != parts.len() || depth > DEEPEST {
                        return None;
                    }
                    let f = program.push(Expr::Global(global));
                    return Some((text, program.apply(f, parts, None)));
                }
                // A superclass of an instance with parameters.
                let Some(&Meaning::Defined(expr)) = program.meaning(global) else { return None };
                let Expr::Lambda(parameters, mut body) = program.exprs[expr as usize].clone()
                else {
                    return None;
                };
                if parameters.len() != parts.len() || chain == 0 {
                    return None;
                }
                let Expr::Apply(..) = program.exprs[body as usize] else { return None };
                for (&parameter, &part) in parameters.iter().zip(&parts) {
                    body = substitute(program, body, parameter, part);
                }
                let body = Resolver::new(self.instances).expr(program, body);
                self.known(program, body, chain - 1)
            }
            _ => None,
        }
    }
}
