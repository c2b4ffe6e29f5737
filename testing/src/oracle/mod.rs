//! What a program means, told by walking its syntax tree: call by need, patterns tried one by
//! one as they are written, names looked up when they are met. It knows nothing of core,
//! supercombinators, G-code or a machine, does its arithmetic and its printing itself, and is
//! as slow as it is plain. It recurses natively: give it a thread with a large stack.

mod aggregates;
mod perform;
mod print;
mod threads;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use gmachine::base::index::List;
use gmachine::base::name::Name;
use gmachine::load::Loaded;
use gmachine::syntax::ast::{Ast, Binder, Expr, ExprId, ItemKind, Pat, PatId};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::common::Memory;
use crate::numbers::{self, Missing, Number};

/// Why there is no more to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program fails. Errors are imprecise: which one it is does not matter.
    Error,
    /// More steps than were given.
    Fuel,
}

/// Why an evaluation ends without a value.
#[derive(Clone)]
enum Halt {
    /// The program fails.
    Error,
    /// It throws this value.
    Thrown(Ref),
    /// Another thread throws a value to this one.
    ThrownTo(Ref),
    /// More steps than were given.
    Fuel,
    /// It ends itself.
    Exit,
}

type Outcome = Result<Value, Halt>;
type Code = Rc<dyn Fn(&[Ref]) -> Outcome>;

/// A part of the source with a scope of its own: 0 is the program, the others are modules.
type Unit = usize;

/// The name that a function prints with, if it has one.
type Shown = Option<Rc<str>>;

/// A constructor: two are the same if they are the same declaration.
#[derive(PartialEq, Eq, Debug)]
struct Con {
    /// The data type: the index of its item.
    data: usize,
    name: Rc<str>,
    tag: usize,
    arity: usize,
}

#[derive(Clone)]
enum Value {
    Int(BigInt),
    Float(f64),
    Char(char),
    Array(Rc<Vec<Ref>>),
    Bytes(Rc<Vec<u8>>),
    Con(Rc<Con>, Vec<Ref>),
    /// How many arguments it takes, what it does with them, those that it has.
    Fun(usize, Code, Shown, Vec<Ref>),
    /// The name of a primitive, and its operands.
    Action(&'static str, Vec<Ref>),
    /// A cell, and the thread that has made it.
    Cell(Rc<RefCell<Ref>>, u64),
    /// A mutable array, and the thread that has made it.
    Mutable(Rc<RefCell<Vec<Ref>>>, u64),
    /// An `MVar`.
    MVar(Rc<threads::Var>),
    /// A thread.
    Thread(u64),
    /// What a handler is given for `throwAgain`: the exception.
    Trace(Box<Halt>),
}

type Ref = Rc<RefCell<State>>;

enum State {
    Todo(Box<dyn FnOnce() -> Outcome>),
    Busy,
    Done(Outcome),
}

fn delay(work: impl FnOnce() -> Outcome + 'static) -> Ref {
    Rc::new(RefCell::new(State::Todo(Box::new(work))))
}

fn done(value: Value) -> Ref {
    Rc::new(RefCell::new(State::Done(Ok(value))))
}

fn force(thunk: &Ref) -> Outcome {
    let state = std::mem::replace(&mut *thunk.borrow_mut(), State::Busy);
    let outcome = match state {
        State::Done(outcome) => outcome,
        State::Busy => Err(Halt::Error),
        State::Todo(work) => work(),
    };
    *thunk.borrow_mut() = State::Done(outcome.clone());
    outcome
}

/// A list of local bindings, innermost first.
#[derive(Clone, Default)]
struct Env(Option<Rc<(Name, Ref, Env)>>);

impl Env {
    fn with(&self, name: Name, value: Ref) -> Env {
        Env(Some(Rc::new((name, value, self.clone()))))
    }

    fn bind(&self, binder: &Binder, value: Ref) -> Env {
        binder.name.map_or_else(|| self.clone(), |name| self.with(name, value))
    }

    fn get(&self, name: Name) -> Option<Ref> {
        let mut here = self;
        while let Some(node) = &here.0 {
            if node.0 == name {
                return Some(node.1.clone());
            }
            here = &node.2;
        }
        None
    }
}

/// What a name of the top level means.
#[derive(Clone)]
enum Global {
    Value(Ref),
    Con(Rc<Con>),
}

struct World {
    loaded: Loaded,
    /// The definitions of each unit.
    units: Vec<HashMap<Name, Global>>,
    /// The units that each one imports, the prelude last.
    imports: Vec<Vec<Unit>>,
    primitives: HashMap<Name, Ref>,
    nil: Rc<Con>,
    cons: Rc<Con>,
    fuel: Cell<u64>,
    /// Whether `main` has a parameter.
    has_input: bool,
    /// How many state threads there were.
    threads: Cell<u64>,
    /// The threads of the program.
    program: RefCell<threads::Threads>,
    /// What actions have written.
    written: RefCell<String>,
    /// The input that is still to be read.
    input: RefCell<Vec<u8>>,
    /// Whether the input is read as a list.
    taken: Cell<bool>,
    /// Whether messages are shown with the output.
    messages: Cell<bool>,
    /// Files and the like.
    system: RefCell<Memory>,
}

/// What comes before each character of a message, where messages are shown with the output.
pub const MESSAGE: char = '\u{1}';

/// Prints the value of `main` in the default format into `out`, with at most `fuel` steps.
///
/// # Errors
/// When there is no more to print before the end.
pub fn run(loaded: Loaded, input: &str, fuel: u64, out: &mut String) -> Result<(), Stop> {
    ended(&world(loaded, fuel), input, out)
}

/// Runs a program as [`run`] does, on a system, with messages among what is printed: before each of
/// their characters is [`MESSAGE`].
///
/// # Errors
/// When there is no more to print before the end.
pub fn run_seen(
    loaded: Loaded,
    input: &str,
    system: Memory,
    fuel: u64,
    out: &mut String,
) -> Result<(), Stop> {
    let world = world(loaded, fuel);
    world.messages.set(true);
    world.system.replace(system);
    ended(&world, input, out)
}

fn ended(world: &Rc<World>, input: &str, out: &mut String) -> Result<(), Stop> {
    let result = world.run(input, out);
    // What actions write is left as it is.
    let is_written = matches!(result, Ok(true) | Err(Halt::Exit));
    if !is_written && !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    match result {
        Ok(_) | Err(Halt::Exit) => Ok(()),
        Err(Halt::Error | Halt::Thrown(_) | Halt::ThrownTo(_)) => Err(Stop::Error),
        Err(Halt::Fuel) => Err(Stop::Fuel),
    }
}

fn world(mut loaded: Loaded, fuel: u64) -> Rc<World> {
    let [nil, cons] = ["Nil", "Cons"].map(|name| loaded.names.intern(name));
    let con =
        |name: &str, tag, arity| Rc::new(Con { data: usize::MAX, name: name.into(), tag, arity });
    let (nil_con, cons_con) = (con("Nil", 0, 0), con("Cons", 1, 2));
    Rc::new_cyclic(|world: &Weak<World>| {
        let mut unit_of_file = vec![0; loaded.sources.files().len()];
        for (index, module) in loaded.modules.iter().enumerate() {
            unit_of_file[module.file] = index + 1;
        }
        let imported = |list: &[usize]| list.iter().map(|module| module + 1).chain([1]).collect();
        let mut imports: Vec<Vec<Unit>> = vec![imported(&loaded.imports)];
        imports.extend(loaded.modules.iter().map(|module| imported(&module.imports)));
        let mut units = vec![HashMap::new(); imports.len()];
        let mut has_input = false;
        for (data, item) in loaded.ast.items.iter().enumerate() {
            let unit = unit_of_file[item.file];
            match &item.kind {
                &ItemKind::Defn { params, body } => {
                    let Some(name) = item.name else { continue };
                    let shown: Rc<str> = loaded.names.text(name).into();
                    has_input |= unit == 0 && &*shown == "main" && !params.is_empty();
                    let world = Later(world.clone());
                    let value = delay(move || {
                        let world = world.world();
                        if params.is_empty() {
                            return world.eval(body, unit, &Env::default());
                        }
                        Ok(world.function(params, body, unit, Env::default(), Some(shown)))
                    });
                    units[unit].insert(name, Global::Value(value));
                }
                ItemKind::Data { cons } => {
                    for (tag, con) in cons.iter().enumerate() {
                        let text = loaded.names.text(con.name).into();
                        let arity = con.fields.len();
                        let new = Con { data, name: text, tag, arity };
                        units[unit].insert(con.name, Global::Con(Rc::new(new)));
                    }
                }
                ItemKind::ImportFile { .. } | ItemKind::ImportModule => {}
            }
        }
        for unit in &mut units {
            unit.insert(nil, Global::Con(nil_con.clone()));
            unit.insert(cons, Global::Con(cons_con.clone()));
        }
        let later = numbers::PRIMITIVES.iter().map(|of| (of.name(), of.arity()));
        let aggregates = aggregates::PRIMITIVES.iter().copied();
        let actions = perform::ACTIONS.iter().copied();
        let all = PRIMITIVES.iter().copied().chain(actions).chain(later).chain(aggregates);
        let primitives = all.flat_map(|(name, arity)| {
            let world = Later(world.clone());
            let code = move |args: &[Ref]| world.world().primitive(name, args);
            let value = done(match arity {
                0 => Value::Action(name, Vec::new()),
                _ => Value::Fun(arity, Rc::new(code), Some(name.into()), Vec::new()),
            });
            let names = [loaded.names.intern(name), loaded.names.intern(&format!("#{name}"))];
            names.map(|name| (name, value.clone()))
        });
        let primitives = primitives.collect();
        World {
            loaded,
            units,
            imports,
            primitives,
            nil: nil_con,
            cons: cons_con,
            fuel: Cell::new(fuel),
            has_input,
            threads: Cell::new(0),
            program: RefCell::default(),
            written: RefCell::default(),
            input: RefCell::default(),
            taken: Cell::new(has_input),
            messages: Cell::default(),
            system: RefCell::default(),
        }
    })
}

const PRIMITIVES: &[(&str, usize)] = &[
    ("add", 2),
    ("sub", 2),
    ("mul", 2),
    ("div", 2),
    ("rem", 2),
    ("floordiv", 2),
    ("mod", 2),
    ("negate", 1),
    ("eq", 2),
    ("neq", 2),
    ("lt", 2),
    ("le", 2),
    ("gt", 2),
    ("ge", 2),
    ("if", 3),
    ("seq", 2),
    ("ord", 1),
    ("chr", 1),
    ("error", 1),
];

fn number(arg: &Ref) -> Result<BigInt, Halt> {
    match force(arg)? {
        Value::Int(value) => Ok(value),
        _ => Err(Halt::Error),
    }
}

/// Computes a primitive on bits, words or floats.
fn later(name: &str, args: &[Ref]) -> Outcome {
    let operands = args.iter().map(|arg| match force(arg)? {
        Value::Int(value) => Ok(Number::Int(value)),
        Value::Float(value) => Ok(Number::Float(value)),
        _ => Err(Halt::Error),
    });
    let operands: Vec<Number> = operands.collect::<Result<_, _>>()?;
    match numbers::compute(name, &operands) {
        Ok(Number::Int(value)) if value.bits() > 100_000 => Err(Halt::Fuel),
        Ok(Number::Int(value)) => Ok(Value::Int(value)),
        Ok(Number::Float(value)) => Ok(Value::Float(value)),
        Err(Missing::Fails) => Err(Halt::Error),
        Err(Missing::Large) => Err(Halt::Fuel),
    }
}

fn construct(con: &Rc<Con>) -> Value {
    if con.arity == 0 {
        return Value::Con(con.clone(), Vec::new());
    }
    let made = con.clone();
    let code = move |args: &[Ref]| Ok(Value::Con(made.clone(), args.to_vec()));
    Value::Fun(con.arity, Rc::new(code), Some(con.name.clone()), Vec::new())
}

/// The program as work to do later holds it: work that is never done keeps no program.
struct Later(Weak<World>);

impl Later {
    fn world(&self) -> Rc<World> {
        self.0.upgrade().expect("the program is kept while it runs")
    }
}

impl World {
    /// Prints or performs `main`; returns whether it was performed.
    fn run(self: &Rc<Self>, input: &str, out: &mut String) -> Result<bool, Halt> {
        let main = self.loaded.names.find("main").expect("there is a main");
        let Some(Global::Value(main)) = self.units[0].get(&main) else {
            panic!("main is a constructor");
        };
        if self.has_input {
            let main = self.apply(force(main)?, vec![done(self.text(input))]);
            return self.finish(&delay(|| main), out);
        }
        *self.input.borrow_mut() = input.as_bytes().to_vec();
        self.finish(main, out)
    }

    fn weak(self: &Rc<Self>) -> Later {
        Later(Rc::downgrade(self))
    }

    fn ast(&self) -> &Ast {
        &self.loaded.ast
    }

    fn global(&self, unit: Unit, name: Name) -> Option<Global> {
        let places = [unit].into_iter().chain(self.imports[unit].iter().copied());
        let mut found = places.filter_map(|unit| self.units[unit].get(&name));
        found.next().cloned().or_else(|| self.primitives.get(&name).cloned().map(Global::Value))
    }

    fn con(&self, unit: Unit, name: Name) -> Option<Rc<Con>> {
        match self.global(unit, name)? {
            Global::Con(con) => Some(con),
            Global::Value(_) => None,
        }
    }

    fn tick(&self) -> Result<(), Halt> {
        self.fuel.set(self.fuel.get().checked_sub(1).ok_or(Halt::Fuel)?);
        Ok(())
    }

    fn text(&self, text: &str) -> Value {
        text.chars().rev().fold(Value::Con(self.nil.clone(), Vec::new()), |rest, c| {
            Value::Con(self.cons.clone(), vec![done(Value::Char(c)), done(rest)])
        })
    }

    fn apply(&self, mut function: Value, mut args: Vec<Ref>) -> Outcome {
        while !args.is_empty() {
            self.tick()?;
            let Value::Fun(arity, code, shown, mut held) = function else {
                return Err(Halt::Error);
            };
            held.append(&mut args);
            if held.len() < arity {
                return Ok(Value::Fun(arity, code, shown, held));
            }
            args = held.split_off(arity);
            function = code(&held)?;
        }
        Ok(function)
    }

    fn function(
        self: &Rc<Self>,
        params: List<Binder>,
        body: ExprId,
        unit: Unit,
        env: Env,
        shown: Shown,
    ) -> Value {
        let world = self.weak();
        let code = move |args: &[Ref]| {
            let world = world.world();
            let params = world.ast().binders[params].iter().zip(args);
            let env = params.fold(env.clone(), |env, (param, arg)| env.bind(param, arg.clone()));
            world.eval(body, unit, &env)
        };
        Value::Fun(params.len(), Rc::new(code), shown, Vec::new())
    }

    fn later(self: &Rc<Self>, expr: ExprId, unit: Unit, env: &Env) -> Ref {
        let (world, env) = (self.weak(), env.clone());
        delay(move || world.world().eval(expr, unit, &env))
    }

    fn eval(self: &Rc<Self>, expr: ExprId, unit: Unit, env: &Env) -> Outcome {
        self.tick()?;
        let ast = self.ast();
        match ast.exprs[expr] {
            Expr::Int(value) => Ok(Value::Int(value.into())),
            Expr::Big(big) => {
                Ok(Value::Int(ast.bigs[big].to_string().parse().expect("an integer")))
            }
            Expr::Float(value) => Ok(Value::Float(value.get())),
            Expr::Char(c) => Ok(Value::Char(c)),
            Expr::Text(text) => Ok(self.text(&ast.texts[text])),
            Expr::Name(name) => match env.get(name) {
                Some(local) => force(&local),
                None => match self.global(unit, name).expect("every name is bound") {
                    Global::Value(value) => force(&value),
                    Global::Con(con) => Ok(construct(&con)),
                },
            },
            Expr::App(callee, args) => {
                let args = &ast.expr_lists[args];
                let args = args.iter().map(|&arg| self.later(arg, unit, env)).collect();
                self.apply(self.eval(callee, unit, env)?, args)
            }
            Expr::List(elements) => {
                let nil = Value::Con(self.nil.clone(), Vec::new());
                Ok(ast.expr_lists[elements].iter().rev().fold(nil, |rest, &element| {
                    let fields = vec![self.later(element, unit, env), done(rest)];
                    Value::Con(self.cons.clone(), fields)
                }))
            }
            Expr::Let(bindings, body) => {
                let env = ast.bindings[bindings].iter().fold(env.clone(), |env, binding| {
                    env.bind(&binding.binder, self.later(binding.value, unit, &env))
                });
                self.eval(body, unit, &env)
            }
            Expr::Letrec(bindings, body) => {
                let bindings = &ast.bindings[bindings];
                let places = bindings.iter().map(|_| Rc::new(RefCell::new(State::Busy)));
                let places: Vec<Ref> = places.collect();
                let env = bindings.iter().zip(&places).fold(env.clone(), |env, (bound, place)| {
                    env.bind(&bound.binder, place.clone())
                });
                for (bound, place) in bindings.iter().zip(&places) {
                    let (world, env, value) = (self.weak(), env.clone(), bound.value);
                    *place.borrow_mut() =
                        State::Todo(Box::new(move || world.world().eval(value, unit, &env)));
                }
                self.eval(body, unit, &env)
            }
            Expr::Fn(params, body) => Ok(self.function(params, body, unit, env.clone(), None)),
            Expr::Case(scrutinee, alts) => {
                let scrutinee = self.later(scrutinee, unit, env);
                for alt in &ast.alts[alts] {
                    let mut inner = env.clone();
                    if self.matches(alt.pat, unit, &scrutinee, &mut inner)? {
                        return self.eval(alt.body, unit, &inner);
                    }
                }
                Err(Halt::Error)
            }
            Expr::Compiled(..) => panic!("the program is compiled"),
            Expr::Error => panic!("the program has an error"),
        }
    }

    fn matches(&self, pat: PatId, unit: Unit, value: &Ref, env: &mut Env) -> Result<bool, Halt> {
        self.tick()?;
        let ast = self.ast();
        let fields = |con: &Rc<Con>| match force(value)? {
            Value::Con(given, _) if given.data != con.data => Err(Halt::Error),
            Value::Con(given, fields) => Ok((given.tag == con.tag).then_some(fields)),
            _ => Err(Halt::Error),
        };
        let int = |wanted: BigInt| Ok(number(value)? == wanted);
        match ast.pats[pat] {
            Pat::Wildcard => Ok(true),
            Pat::Int(wanted) => int(wanted.into()),
            Pat::Big(big) => int(ast.bigs[big].to_string().parse().expect("an integer")),
            Pat::Char(wanted) => match force(value)? {
                Value::Char(given) => Ok(given == wanted),
                _ => Err(Halt::Error),
            },
            Pat::Text(text) => {
                let mut rest = value.clone();
                for wanted in ast.texts[text].chars() {
                    match force(&rest)? {
                        Value::Con(con, fields) if con.data == self.nil.data => {
                            let [first, others] = fields.as_slice() else { return Ok(false) };
                            match force(first)? {
                                Value::Char(given) if given == wanted => {}
                                Value::Char(_) => return Ok(false),
                                _ => return Err(Halt::Error),
                            }
                            rest = others.clone();
                        }
                        _ => return Err(Halt::Error),
                    }
                }
                match force(&rest)? {
                    Value::Con(con, _) if con.data == self.nil.data => Ok(con.tag == 0),
                    _ => Err(Halt::Error),
                }
            }
            Pat::Name(name) => match self.con(unit, name) {
                Some(con) => Ok(fields(&con)?.is_some()),
                None => {
                    *env = env.with(name, value.clone());
                    Ok(true)
                }
            },
            Pat::Con(name, _, pats) => {
                let con = self.con(unit, name).expect("every constructor is bound");
                let Some(fields) = fields(&con)? else { return Ok(false) };
                for (&pat, field) in ast.pat_lists[pats].iter().zip(&fields) {
                    if !self.matches(pat, unit, field, env)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pat::Error => panic!("the program has an error"),
        }
    }

    fn primitive(&self, name: &'static str, args: &[Ref]) -> Outcome {
        if perform::ACTIONS.iter().any(|(own, _)| *own == name) {
            return self.action(name, args);
        }
        let truth = |holds: bool| Ok(Value::Int(u8::from(holds).into()));
        let compared = || match (force(&args[0])?, force(&args[1])?) {
            (Value::Int(a), Value::Int(b)) => Ok(a.cmp(&b)),
            (Value::Char(a), Value::Char(b)) => Ok(a.cmp(&b)),
            _ => Err(Halt::Error),
        };
        match name {
            "eq" => return truth(compared()?.is_eq()),
            "neq" => return truth(compared()?.is_ne()),
            "lt" => return truth(compared()?.is_lt()),
            "le" => return truth(compared()?.is_le()),
            "gt" => return truth(compared()?.is_gt()),
            "ge" => return truth(compared()?.is_ge()),
            "if" => {
                let condition = number(&args[0])?;
                return match condition.to_u8() {
                    Some(1) => force(&args[1]),
                    Some(0) => force(&args[2]),
                    _ => Err(Halt::Error),
                };
            }
            "seq" => {
                force(&args[0])?;
                return force(&args[1]);
            }
            "ord" => {
                return match force(&args[0])? {
                    Value::Char(c) => Ok(Value::Int(u32::from(c).into())),
                    _ => Err(Halt::Error),
                };
            }
            "chr" => {
                let code = number(&args[0])?.to_u32().and_then(char::from_u32);
                return code.map(Value::Char).ok_or(Halt::Error);
            }
            "negate" => return Ok(Value::Int(-number(&args[0])?)),
            // Whatever the message does, unless it does not end, is an error.
            "error" => {
                let mut rest = args[0].clone();
                loop {
                    self.tick()?;
                    let Value::Con(_, fields) = force(&rest)? else { return Err(Halt::Error) };
                    let [first, others] = fields.as_slice() else { return Err(Halt::Error) };
                    force(first)?;
                    rest = others.clone();
                }
            }
            _ => {}
        }
        if aggregates::PRIMITIVES.iter().any(|(own, _)| *own == name) {
            return self.aggregate(name, args);
        }
        if !PRIMITIVES.iter().any(|(own, _)| *own == name) {
            return later(name, args);
        }
        let (a, b) = (number(&args[0])?, number(&args[1])?);
        if a.bits() + b.bits() > 100_000 {
            return Err(Halt::Fuel);
        }
        let divides = ["div", "rem", "floordiv", "mod"].contains(&name);
        if divides && b.is_zero() {
            return Err(Halt::Error);
        }
        Ok(Value::Int(match name {
            "add" => a + b,
            "sub" => a - b,
            "mul" => a * b,
            "div" => a / b,
            "rem" => a % b,
            // Written out, so that the meaning is not that of a library.
            "floordiv" | "mod" => {
                let (quotient, rest) = (&a / &b, &a % &b);
                let between = !rest.is_zero() && rest.is_negative() != b.is_negative();
                match (name, between) {
                    ("floordiv", true) => quotient - 1,
                    ("floordiv", false) => quotient,
                    (_, true) => rest + b,
                    (_, false) => rest,
                }
            }
            _ => panic!("{name} is no primitive"),
        }))
    }
}
