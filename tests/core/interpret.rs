//! Two small interpreters that share nothing but values: one of the syntax tree, which tries
//! the patterns as they are written, and one of core.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gmachine::base::index::Idx;
use gmachine::base::name::Name;
use gmachine::base::stack::ensure_sufficient_stack;
use gmachine::core::expr::{
    Branches, Expr, ExprId, GlobalId, GlobalKind, JoinId, Lit, LocalId, Program,
};
use gmachine::load::Loaded;
use gmachine::primitive::Primitive;
use gmachine::syntax::ast;

/// Why an evaluation stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// `error` was called.
    Error(String),
    NoMatch,
    /// A value of the wrong kind.
    Wrong,
    /// A value that depends on itself.
    Itself,
    Fuel,
    /// A jump, on its way to its join.
    Jump(JoinId),
}

type Outcome = Result<Value, Stop>;
type Code = Rc<dyn Fn(&[Ref]) -> Outcome>;

#[derive(Clone)]
pub enum Value {
    Int(i64),
    Char(char),
    /// The data type, the constructor, the fields.
    Con(Rc<str>, Rc<str>, Vec<Ref>),
    /// How many arguments it takes, what it does, the arguments it has.
    Fun(usize, Code, Vec<Ref>),
}

pub type Ref = Rc<Thunk>;

pub struct Thunk(RefCell<State>);

enum State {
    Todo(Box<dyn FnOnce() -> Outcome>),
    Busy,
    Done(Outcome),
}

fn delay(work: impl FnOnce() -> Outcome + 'static) -> Ref {
    Rc::new(Thunk(RefCell::new(State::Todo(Box::new(work)))))
}

fn done(value: Value) -> Ref {
    Rc::new(Thunk(RefCell::new(State::Done(Ok(value)))))
}

fn force(thunk: &Ref) -> Outcome {
    let state = std::mem::replace(&mut *thunk.0.borrow_mut(), State::Busy);
    let outcome = match state {
        State::Done(outcome) => outcome,
        State::Busy => Err(Stop::Itself),
        State::Todo(work) => ensure_sufficient_stack(work),
    };
    *thunk.0.borrow_mut() = State::Done(outcome.clone());
    outcome
}

thread_local! {
    static FUEL: Cell<u32> = const { Cell::new(0) };
}

fn tick() -> Result<(), Stop> {
    FUEL.with(|fuel| match fuel.get().checked_sub(1) {
        Some(left) => {
            fuel.set(left);
            Ok(())
        }
        None => Err(Stop::Fuel),
    })
}

fn apply(function: Value, args: Vec<Ref>) -> Outcome {
    let mut function = function;
    let mut args = args;
    while !args.is_empty() {
        let Value::Fun(arity, code, mut held) = function else { return Err(Stop::Wrong) };
        held.append(&mut args);
        if held.len() < arity {
            return Ok(Value::Fun(arity, code, held));
        }
        args = held.split_off(arity);
        function = ensure_sufficient_stack(|| code(&held))?;
    }
    Ok(function)
}

fn construct(data: &str, name: &str, arity: usize) -> Value {
    let (data, name): (Rc<str>, Rc<str>) = (data.into(), name.into());
    if arity == 0 {
        return Value::Con(data, name, Vec::new());
    }
    let code = move |args: &[Ref]| Ok(Value::Con(data.clone(), name.clone(), args.to_vec()));
    Value::Fun(arity, Rc::new(code), Vec::new())
}

fn string(text: &str) -> Value {
    let nil = Value::Con("List".into(), "Nil".into(), Vec::new());
    text.chars().rev().fold(nil, |rest, c| {
        Value::Con("List".into(), "Cons".into(), vec![done(Value::Char(c)), done(rest)])
    })
}

fn message(list: &Ref) -> Result<String, Stop> {
    let mut out = String::new();
    let mut list = list.clone();
    loop {
        match force(&list)? {
            Value::Con(_, name, fields) if &*name == "Cons" => {
                let Value::Char(c) = force(&fields[0])? else { return Err(Stop::Wrong) };
                out.push(c);
                list = fields[1].clone();
            }
            Value::Con(..) => return Ok(out),
            _ => return Err(Stop::Wrong),
        }
    }
}

fn primitive(primitive: Primitive) -> Value {
    let number = |arg: &Ref| match force(arg)? {
        Value::Int(value) => Ok(value),
        _ => Err(Stop::Wrong),
    };
    let compare = |args: &[Ref]| {
        let (one, other) = (force(&args[0])?, force(&args[1])?);
        match (one, other) {
            (Value::Int(a), Value::Int(b)) => Ok(a.cmp(&b)),
            (Value::Char(a), Value::Char(b)) => Ok(a.cmp(&b)),
            _ => Err(Stop::Wrong),
        }
    };
    let code = move |args: &[Ref]| -> Outcome {
        Ok(Value::Int(match primitive {
            Primitive::Add => number(&args[0])?.wrapping_add(number(&args[1])?),
            Primitive::Sub => number(&args[0])?.wrapping_sub(number(&args[1])?),
            Primitive::Mul => number(&args[0])?.wrapping_mul(number(&args[1])?),
            Primitive::Negate => number(&args[0])?.wrapping_neg(),
            Primitive::Eq => compare(args)?.is_eq().into(),
            Primitive::Neq => compare(args)?.is_ne().into(),
            Primitive::Lt => compare(args)?.is_lt().into(),
            Primitive::Le => compare(args)?.is_le().into(),
            Primitive::Gt => compare(args)?.is_gt().into(),
            Primitive::Ge => compare(args)?.is_ge().into(),
            Primitive::If => match number(&args[0])? {
                1 => return force(&args[1]),
                0 => return force(&args[2]),
                _ => return Err(Stop::Wrong),
            },
            Primitive::Seq => {
                force(&args[0])?;
                return force(&args[1]);
            }
            Primitive::Error => return Err(Stop::Error(message(&args[0])?)),
            // The generated programs do not use the others.
            _ => return Err(Stop::Wrong),
        }))
    };
    Value::Fun(primitive.arity(), Rc::new(code), Vec::new())
}

/// A value to some depth, with what stops the parts that have none.
fn show(thunk: &Ref, depth: usize) -> String {
    match force(thunk) {
        Err(stop) => format!("<{stop:?}>"),
        Ok(Value::Int(value)) => value.to_string(),
        Ok(Value::Char(c)) => format!("{c:?}"),
        Ok(Value::Fun(arity, _, held)) => format!("<function {}>", arity - held.len()),
        Ok(Value::Con(..)) if depth == 0 => "..".to_owned(),
        Ok(Value::Con(_, name, fields)) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!(" {}", show(field, depth - 1))).collect();
            format!("({name}{})", fields.concat())
        }
    }
}

/// What the interpreters may spend on one program.
const FUEL_EACH: u32 = 20_000;
const DEPTH: usize = 12;

/// Whether an interpreter gave up.
pub fn gave_up(shown: &str) -> bool {
    shown.contains("<Fuel>")
}

// ---- Core ----

struct Core {
    program: Program,
    globals: RefCell<HashMap<GlobalId, Ref>>,
    /// The arguments of the jump that is on its way.
    jumped: RefCell<Vec<Ref>>,
}

/// A list of bindings, innermost first.
#[derive(Clone)]
struct Env<K>(Option<Rc<(K, Ref, Env<K>)>>);

impl<K: PartialEq + Copy> Env<K> {
    fn with(&self, key: K, value: Ref) -> Env<K> {
        Env(Some(Rc::new((key, value, self.clone()))))
    }

    fn get(&self, key: K) -> Option<Ref> {
        let mut here = self;
        while let Some(node) = &here.0 {
            if node.0 == key {
                return Some(node.1.clone());
            }
            here = &node.2;
        }
        None
    }
}

/// What `main` of a program in core form is, to some depth.
pub fn core(program: &Program) -> String {
    FUEL.with(|fuel| fuel.set(FUEL_EACH));
    let core = Rc::new(Core {
        program: program.clone(),
        globals: RefCell::default(),
        jumped: RefCell::default(),
    });
    let main = program.main.expect("there is a main");
    show(&global(&core, main), DEPTH)
}

fn global(core: &Rc<Core>, id: GlobalId) -> Ref {
    if let Some(known) = core.globals.borrow().get(&id) {
        return known.clone();
    }
    let thunk = match core.program.globals[id].kind {
        GlobalKind::Primitive(which) => done(primitive(which)),
        GlobalKind::Step(_) | GlobalKind::Host { .. } => delay(|| Err(Stop::Wrong)),
        GlobalKind::Defn { params, body } => {
            let body = body.expect("what is reached has a body");
            let params = core.program.local_lists[params].to_vec();
            let shared = core.clone();
            if params.is_empty() {
                delay(move || eval(&shared, body, &Env(None)))
            } else {
                let arity = params.len();
                let code = move |args: &[Ref]| {
                    let env = params
                        .iter()
                        .zip(args)
                        .fold(Env(None), |env, (&param, arg)| env.with(param, arg.clone()));
                    eval(&shared, body, &env)
                };
                done(Value::Fun(arity, Rc::new(code), Vec::new()))
            }
        }
    };
    core.globals.borrow_mut().insert(id, thunk.clone());
    thunk
}

fn later(core: &Rc<Core>, expr: ExprId, env: &Env<LocalId>) -> Ref {
    if let Expr::Local(local) = core.program.exprs[expr] {
        return env.get(local).expect("a local is bound");
    }
    let (core, env) = (core.clone(), env.clone());
    delay(move || eval(&core, expr, &env))
}

fn eval(core: &Rc<Core>, expr: ExprId, env: &Env<LocalId>) -> Outcome {
    ensure_sufficient_stack(|| step(core, expr, env))
}

fn step(core: &Rc<Core>, expr: ExprId, env: &Env<LocalId>) -> Outcome {
    tick()?;
    let program = &core.program;
    match program.exprs[expr] {
        Expr::Lit(Lit::Int(value)) => Ok(Value::Int(value)),
        Expr::Lit(Lit::Char(c)) => Ok(Value::Char(c)),
        Expr::Lit(Lit::Big(_) | Lit::Float(_)) | Expr::Error => panic!("not generated"),
        Expr::Text(text) => Ok(string(&program.texts[text])),
        Expr::Local(local) => force(&env.get(local).expect("a local is bound")),
        Expr::Global(id) => force(&global(core, id)),
        Expr::Con(con) => {
            let con = &program.cons[con];
            Ok(construct(&program.datas[con.data].symbol, &con.name, con.arity as usize))
        }
        Expr::App(callee, args) => {
            let args = program.expr_lists[args].iter().map(|&arg| later(core, arg, env)).collect();
            apply(eval(core, callee, env)?, args)
        }
        Expr::Let(local, value, body) => {
            eval(core, body, &env.with(local, later(core, value, env)))
        }
        Expr::Letrec(binds, body) => {
            let binds = &program.binds[binds];
            let places: Vec<Ref> =
                binds.iter().map(|_| Rc::new(Thunk(RefCell::new(State::Busy)))).collect();
            let env = binds
                .iter()
                .zip(&places)
                .fold(env.clone(), |env, (bind, place)| env.with(bind.local, place.clone()));
            for (bind, place) in binds.iter().zip(&places) {
                let (core, env, value) = (core.clone(), env.clone(), bind.value);
                *place.0.borrow_mut() = State::Todo(Box::new(move || eval(&core, value, &env)));
            }
            eval(core, body, &env)
        }
        Expr::Lam(params, body) => {
            let params = program.local_lists[params].to_vec();
            let (arity, core, env) = (params.len(), core.clone(), env.clone());
            let code = move |args: &[Ref]| {
                let env = params
                    .iter()
                    .zip(args)
                    .fold(env.clone(), |env, (&param, arg)| env.with(param, arg.clone()));
                eval(&core, body, &env)
            };
            Ok(Value::Fun(arity, Rc::new(code), Vec::new()))
        }
        Expr::Force(local, value, body) => {
            let value = eval(core, value, env)?;
            eval(core, body, &env.with(local, done(value)))
        }
        // Actions are not interpreted.
        Expr::Perform(..) => Err(Stop::Wrong),
        Expr::Switch(switch) => {
            let switch = &program.switches[switch];
            let scrutinee = env.get(switch.scrutinee).expect("a local is bound");
            if switch.evaluated {
                let state = scrutinee.0.borrow();
                assert!(matches!(&*state, State::Done(Ok(_))), "{:?} is not evaluated", switch);
            }
            let value = force(&scrutinee)?;
            let default = || match switch.default {
                Some(default) => eval(core, default, env),
                None => panic!("a switch without default covers its type"),
            };
            match (&switch.branches, value) {
                (Branches::Cons(branches), Value::Con(data, name, fields)) => {
                    let of = program.cons[branches[0].con].data;
                    if *program.datas[of].symbol != *data {
                        return Err(Stop::Wrong);
                    }
                    let fits = |con| *program.cons[con].name == *name;
                    match branches.iter().find(|branch| fits(branch.con)) {
                        Some(branch) => {
                            let env = branch.fields.iter().zip(fields).fold(
                                env.clone(),
                                |env, (local, field)| match local {
                                    Some(local) => env.with(*local, field),
                                    None => env,
                                },
                            );
                            eval(core, branch.body, &env)
                        }
                        None => default(),
                    }
                }
                (Branches::Lits(branches), value) => {
                    let found = match (branches[0].0, value) {
                        (Lit::Int(_), Value::Int(value)) => Lit::Int(value),
                        (Lit::Char(_), Value::Char(c)) => Lit::Char(c),
                        _ => return Err(Stop::Wrong),
                    };
                    match branches.iter().find(|(lit, _)| *lit == found) {
                        Some(&(_, body)) => eval(core, body, env),
                        None => default(),
                    }
                }
                _ => Err(Stop::Wrong),
            }
        }
        Expr::Join(id, body) => match eval(core, body, env) {
            Err(Stop::Jump(to)) if to == id => {
                let join = program.joins[id];
                let args = core.jumped.take();
                let env = program.local_lists[join.params]
                    .iter()
                    .zip(args)
                    .fold(env.clone(), |env, (&param, arg)| env.with(param, arg));
                eval(core, join.handler, &env)
            }
            outcome => outcome,
        },
        Expr::Jump(id, args) => {
            let args = &program.expr_lists[args];
            core.jumped.replace(args.iter().map(|&arg| later(core, arg, env)).collect());
            Err(Stop::Jump(id))
        }
        Expr::NoMatch => Err(Stop::NoMatch),
    }
}

// ---- The syntax tree ----

struct Tree {
    loaded: Loaded,
    globals: RefCell<HashMap<Name, Ref>>,
    /// Data type and arity of each constructor.
    cons: HashMap<Name, (Rc<str>, usize)>,
}

/// What `main` of a loaded program is, to some depth, with patterns tried one by one. The
/// program may use no corelib definition.
pub fn tree(loaded: &Loaded) -> String {
    FUEL.with(|fuel| fuel.set(FUEL_EACH));
    let mut cons: HashMap<Name, (Rc<str>, usize)> = HashMap::new();
    for (name, arity) in [("Nil", 0), ("Cons", 2)] {
        if let Some(name) = loaded.names.find(name) {
            cons.insert(name, ("List".into(), arity));
        }
    }
    for item in &loaded.ast.items {
        if let (ast::ItemKind::Data { cons: own }, Some(data)) = (&item.kind, item.name)
            && !loaded.sources.files()[item.file].corelib
        {
            for con in own {
                cons.insert(con.name, (loaded.names.text(data).into(), con.fields.len()));
            }
        }
    }
    let tree = Rc::new(Tree { loaded: loaded.clone(), globals: RefCell::default(), cons });
    let main = loaded.names.find("main").expect("there is a main");
    show(&named(&tree, main), DEPTH)
}

fn named(tree: &Rc<Tree>, name: Name) -> Ref {
    if let Some(known) = tree.globals.borrow().get(&name) {
        return known.clone();
    }
    let loaded = &tree.loaded;
    let text = loaded.names.text(name);
    let files = loaded.sources.files();
    let item = loaded.ast.items.iter().find(|item| {
        item.name == Some(name)
            && !files[item.file].corelib
            && matches!(item.kind, ast::ItemKind::Defn { .. })
    });
    let thunk = match item.map(|item| &item.kind) {
        Some(&ast::ItemKind::Defn { params, body }) if params.is_empty() => {
            let tree = tree.clone();
            delay(move || tree_eval(&tree, body, &Env(None)))
        }
        Some(&ast::ItemKind::Defn { params, body }) => {
            done(tree_function(tree, params, body, &Env(None)))
        }
        _ => match tree.cons.get(&name) {
            Some((data, arity)) => done(construct(data, text, *arity)),
            None => {
                let found = Primitive::ALL.iter().find(|primitive| primitive.name() == text);
                done(primitive(*found.unwrap_or_else(|| panic!("{text} is unbound"))))
            }
        },
    };
    tree.globals.borrow_mut().insert(name, thunk.clone());
    thunk
}

fn tree_function(
    tree: &Rc<Tree>,
    params: gmachine::base::index::List<ast::Binder>,
    body: ast::ExprId,
    env: &Env<Name>,
) -> Value {
    let params = tree.loaded.ast.binders[params].to_vec();
    let (arity, tree, env) = (params.len(), tree.clone(), env.clone());
    let code = move |args: &[Ref]| {
        let env = params.iter().zip(args).fold(env.clone(), |env, (param, arg)| match param.name {
            Some(name) => env.with(name, arg.clone()),
            None => env,
        });
        tree_eval(&tree, body, &env)
    };
    Value::Fun(arity, Rc::new(code), Vec::new())
}

fn tree_later(tree: &Rc<Tree>, expr: ast::ExprId, env: &Env<Name>) -> Ref {
    let (tree, env) = (tree.clone(), env.clone());
    delay(move || tree_eval(&tree, expr, &env))
}

fn tree_eval(tree: &Rc<Tree>, expr: ast::ExprId, env: &Env<Name>) -> Outcome {
    ensure_sufficient_stack(|| tree_step(tree, expr, env))
}

fn tree_step(tree: &Rc<Tree>, expr: ast::ExprId, env: &Env<Name>) -> Outcome {
    tick()?;
    let ast = &tree.loaded.ast;
    match ast.exprs[expr] {
        ast::Expr::Int(value) => Ok(Value::Int(value)),
        ast::Expr::Char(c) => Ok(Value::Char(c)),
        ast::Expr::Text(text) => Ok(string(&ast.texts[text])),
        ast::Expr::Big(_) | ast::Expr::Float(_) | ast::Expr::Compiled(..) | ast::Expr::Error => {
            panic!("not generated")
        }
        ast::Expr::Name(name) => match env.get(name) {
            Some(local) => force(&local),
            None => force(&named(tree, name)),
        },
        ast::Expr::App(callee, args) => {
            let args = &ast.expr_lists[args];
            let args = args.iter().map(|&arg| tree_later(tree, arg, env)).collect();
            apply(tree_eval(tree, callee, env)?, args)
        }
        ast::Expr::List(elements) => {
            let nil = Value::Con("List".into(), "Nil".into(), Vec::new());
            Ok(ast.expr_lists[elements].iter().rev().fold(nil, |rest, &element| {
                let fields = vec![tree_later(tree, element, env), done(rest)];
                Value::Con("List".into(), "Cons".into(), fields)
            }))
        }
        ast::Expr::Let(bindings, body) => {
            let mut env = env.clone();
            for binding in &ast.bindings[bindings] {
                let value = tree_later(tree, binding.value, &env);
                if let Some(name) = binding.binder.name {
                    env = env.with(name, value);
                }
            }
            tree_eval(tree, body, &env)
        }
        ast::Expr::Letrec(bindings, body) => {
            let bindings = &ast.bindings[bindings];
            let mut env = env.clone();
            let mut places = Vec::new();
            for binding in bindings {
                let place: Ref = Rc::new(Thunk(RefCell::new(State::Busy)));
                if let Some(name) = binding.binder.name {
                    env = env.with(name, place.clone());
                }
                places.push(place);
            }
            for (binding, place) in bindings.iter().zip(&places) {
                let (tree, env, value) = (tree.clone(), env.clone(), binding.value);
                *place.0.borrow_mut() =
                    State::Todo(Box::new(move || tree_eval(&tree, value, &env)));
            }
            tree_eval(tree, body, &env)
        }
        ast::Expr::Fn(params, body) => Ok(tree_function(tree, params, body, env)),
        ast::Expr::Case(scrutinee, alts) => {
            let scrutinee = tree_later(tree, scrutinee, env);
            for alt in &ast.alts[alts] {
                let mut inner = env.clone();
                if matches(tree, alt.pat, &scrutinee, &mut inner)? {
                    return tree_eval(tree, alt.body, &inner);
                }
            }
            Err(Stop::NoMatch)
        }
    }
}

/// Whether a value matches a pattern; left to right, forcing only what a pattern asks for.
fn matches(
    tree: &Rc<Tree>,
    pat: ast::PatId,
    value: &Ref,
    env: &mut Env<Name>,
) -> Result<bool, Stop> {
    let ast = &tree.loaded.ast;
    match ast.pats[pat] {
        ast::Pat::Wildcard => Ok(true),
        ast::Pat::Int(wanted) => match force(value)? {
            Value::Int(given) => Ok(given == wanted),
            _ => Err(Stop::Wrong),
        },
        ast::Pat::Char(wanted) => match force(value)? {
            Value::Char(given) => Ok(given == wanted),
            _ => Err(Stop::Wrong),
        },
        ast::Pat::Text(text) => {
            let mut rest = value.clone();
            for wanted in ast.texts[text].chars() {
                match force(&rest)? {
                    Value::Con(data, _, fields) if &*data == "List" => {
                        if fields.is_empty() {
                            return Ok(false);
                        }
                        match force(&fields[0])? {
                            Value::Char(given) if given == wanted => {}
                            Value::Char(_) => return Ok(false),
                            _ => return Err(Stop::Wrong),
                        }
                        rest = fields[1].clone();
                    }
                    _ => return Err(Stop::Wrong),
                }
            }
            match force(&rest)? {
                Value::Con(data, _, fields) if &*data == "List" => Ok(fields.is_empty()),
                _ => Err(Stop::Wrong),
            }
        }
        ast::Pat::Name(name) => match tree.cons.get(&name) {
            Some((data, _)) => match force(value)? {
                Value::Con(given, con, _) if given == *data => {
                    Ok(*con == *tree.loaded.names.text(name))
                }
                _ => Err(Stop::Wrong),
            },
            None => {
                *env = env.with(name, value.clone());
                Ok(true)
            }
        },
        ast::Pat::Con(name, _, pats) => {
            let (data, _) = &tree.cons[&name];
            match force(value)? {
                Value::Con(given, con, fields) if given == *data => {
                    if *con != *tree.loaded.names.text(name) {
                        return Ok(false);
                    }
                    for (&pat, field) in ast.pat_lists[pats].iter().zip(&fields) {
                        if !matches(tree, pat, field, env)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                }
                _ => Err(Stop::Wrong),
            }
        }
        ast::Pat::Big(_) | ast::Pat::Error => panic!("not generated"),
    }
}

/// The number of expressions that definitions of a program hold, for bounds on its size.
pub fn size(program: &Program) -> usize {
    program.exprs.next_index().index()
}
