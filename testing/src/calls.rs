//! Sequences of calls of the library, with a model that says what each of them must return.
//!
//! A module of functions whose meaning is known here is loaded into two stores. Values are
//! made, applied, forced with little fuel or memory, interrupted, printed, taken apart,
//! dropped, and handed to the store that they do not belong to. Host functions force their
//! arguments, hand them back, fail, or return what is not theirs.

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use gmachine::embed::{
    Engine, Error, Eval, Format, HostError, Module, Source, Stop, Store, Value, Whnf,
};
use gmachine::machine::MachineKind;
use gmachine::machine::outcome::Limit;

use crate::common::{NoFiles, subset};
use crate::dice::Dice;
use crate::tally::Tally;

/// The functions, as `meaning` knows them.
const MODULE: &str = "
(defn double[x] (add x x))
(defn pair[a b] (Pair a b))
(defn first[p] (fst p))
(defn second[p] (snd p))
(defn nats[n] (Cons n (nats (add n 1))))
(defn count[n m] (if (le n 0) m (count (sub n 1) (add m 1))))
(defn deep[n] (if (le n 0) 0 (add 1 (deep (sub n 1)))))
(defn bad[x] (error \"bad\"))
(defn self[] (add self 1))
(defn table[] (range 1 9))
(defn stream[] (nats 0))
(defn power[n] (if (le n 0) 1 (mul 3 (power (sub n 1)))))
(defn doubled[x] (twice' x))
(defn kept[x] (keep x))
(defn broken[x] (fails x))
(defn stolen[x] (foreign x))
(defn nested[n] (if (le n 0) 0 (add 1 (force' (nested (sub n 1))))))
(defn main[] [1 2 3])
";

/// What a value is, evaluated as far as it can be.
#[derive(Clone, Debug)]
enum Model {
    Int(i128),
    Float(f64),
    Char(char),
    /// A constructor of the prelude.
    Con(&'static str, Vec<Rc<Model>>),
    /// The integers from this one on.
    From(i128),
    /// A function of so many arguments, with those that it has.
    Function(usize, Vec<Rc<Model>>),
    /// It has no value.
    Fails,
}

/// Functions with the number of their arguments.
const FUNCTIONS: &[(&str, usize)] = &[
    ("double", 1),
    ("pair", 2),
    ("first", 1),
    ("second", 1),
    ("nats", 1),
    ("count", 2),
    ("deep", 1),
    ("bad", 1),
    ("self", 0),
    ("table", 0),
    ("stream", 0),
    ("power", 1),
    ("doubled", 1),
    ("kept", 1),
    ("broken", 1),
    ("stolen", 1),
    ("nested", 1),
];

/// Recursion as deep as this is left out: integers here have 127 bits.
const MOST: i128 = 60;

fn list(items: impl DoubleEndedIterator<Item = Rc<Model>>) -> Rc<Model> {
    let nil = Rc::new(Model::Con("Nil", Vec::new()));
    items.rev().fold(nil, |rest, item| Rc::new(Model::Con("Cons", vec![item, rest])))
}

/// Returns what a function does with all its arguments; `None` if this model does not know.
fn meaning(function: usize, args: &[Rc<Model>]) -> Option<Rc<Model>> {
    let int = |n: usize| match *args[n] {
        Model::Int(value) => Some(value),
        _ => None,
    };
    let fails = || Some(Rc::new(Model::Fails));
    let made = |value: Option<i128>| {
        Some(value.map_or(Rc::new(Model::Fails), |value| Rc::new(Model::Int(value))))
    };
    match FUNCTIONS[function].0 {
        "double" => match int(0) {
            Some(value) => Some(Rc::new(Model::Int(value.checked_mul(2)?))),
            None => fails(),
        },
        // The host's integers have 64 bits.
        "doubled" => match int(0).and_then(|value| i64::try_from(value.checked_mul(2)?).ok()) {
            Some(value) => Some(Rc::new(Model::Int(value.into()))),
            None => fails(),
        },
        "pair" => Some(Rc::new(Model::Con("Pair", args.to_vec()))),
        "first" | "second" => match &*args[0] {
            Model::Con("Pair", fields) => {
                Some(fields[usize::from(FUNCTIONS[function].0 == "second")].clone())
            }
            _ => fails(),
        },
        // A list whose elements fail as they are asked for.
        "nats" => int(0).map(|from| Rc::new(Model::From(from))),
        // The second is returned as it is if nothing is counted.
        "count" => match (int(0), int(1)) {
            (Some(n), _) if n <= 0 => Some(args[1].clone()),
            (Some(n), Some(m)) if n <= 4_000 => made(m.checked_add(n)),
            (Some(n), None) if n <= 4_000 => fails(),
            (Some(_), _) => None,
            (None, _) => fails(),
        },
        "deep" => match int(0) {
            Some(n) if n <= 20_000 => made(Some(n.max(0))),
            Some(_) => None,
            None => fails(),
        },
        "power" => match int(0) {
            Some(n) if n <= MOST => made(3_i128.checked_pow(n.max(0) as u32)),
            Some(_) => None,
            None => fails(),
        },
        "nested" => match int(0) {
            // More than a hundred calls of host functions may not wait for each other.
            Some(n) if n <= 90 => made(Some(n.max(0))),
            Some(n) if (120..=4_000).contains(&n) => fails(),
            Some(_) => None,
            None => fails(),
        },
        "kept" => Some(args[0].clone()),
        "table" => Some(list((1..=9).map(|n| Rc::new(Model::Int(n))))),
        "stream" => Some(Rc::new(Model::From(0))),
        _ => fails(),
    }
}

/// Returns what the application of one value to others is.
fn applied(function: &Rc<Model>, args: &[Rc<Model>]) -> Option<Rc<Model>> {
    if args.is_empty() {
        return Some(function.clone());
    }
    match &**function {
        Model::Function(of, held) => {
            let arity = FUNCTIONS[*of].1;
            let all: Vec<Rc<Model>> = held.iter().chain(args).cloned().collect();
            if all.len() < arity {
                return Some(Rc::new(Model::Function(*of, all)));
            }
            let (now, later) = all.split_at(arity);
            applied(&meaning(*of, now)?, later)
        }
        _ => Some(Rc::new(Model::Fails)),
    }
}

/// Returns all that a value prints, if it is an integer, a character or a list of these that ends.
fn printed(value: &Model) -> Option<String> {
    let mut out = String::new();
    match value {
        Model::Int(n) => out = n.to_string(),
        Model::Con("Nil", _) => out.push_str("Nil"),
        Model::Con("Cons", fields) => {
            let mut fields = fields;
            let is_text = matches!(*fields[0], Model::Char(_));
            loop {
                match (&*fields[0], is_text) {
                    (Model::Int(n), false) => out += &format!("{n} "),
                    (Model::Char(c), true) => out.push(*c),
                    _ => return None,
                }
                match &*fields[1] {
                    Model::Con("Cons", rest) => fields = rest,
                    Model::Con("Nil", _) => break,
                    _ => return None,
                }
            }
            if !is_text {
                out.push_str("Nil");
            }
        }
        _ => return None,
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    Some(out)
}

/// A store, its values, and what they are.
struct Session {
    store: Store,
    values: Vec<(Value, Rc<Model>)>,
    dice: Dice,
    reductions: u64,
}

/// The most values that a session keeps.
const KEPT: usize = 60;

/// How an evaluation was made to stop early, if it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Short {
    No,
    Fuel,
    Memory,
    Interrupt,
}

fn engine(dice: &mut Dice, other: &Arc<Mutex<Option<Value>>>) -> Result<Engine, String> {
    let mut engine = Engine::new();
    engine.set_machine(MachineKind::ALL[dice.roll(MachineKind::ALL.len())]);
    engine.set_passes(subset(dice.any()));
    engine.set_count(dice.one_in(2));
    let registered = engine
        .register("twice'", 1, |call| {
            let arg = call.arg(0)?;
            let value = call.to_integer(&arg)?;
            let value: i128 = value.to_string().parse().map_err(|_| "too large")?;
            let text = value.checked_mul(2).ok_or("too large")?.to_string();
            // Through a list of digits and back, so that something is allocated.
            let digits = call.text(&text)?;
            let again = call.to_text(&digits)?;
            let again: i64 = again.parse().map_err(|_| HostError::new("too large"))?;
            Ok(call.int(again)?)
        })
        .and_then(|()| engine.register("keep", 1, |call| call.arg(0)))
        .and_then(|()| engine.register("fails", 1, |_| Err(HostError::new("it always\u{1b} does"))))
        .and_then(|()| {
            let other = other.clone();
            engine.register("foreign", 1, move |_| {
                let other = other.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                other.clone().ok_or_else(|| HostError::new("there is none"))
            })
        })
        .and_then(|()| {
            engine.register("force'", 1, |call| {
                let arg = call.arg(0)?;
                call.force(&arg)?;
                Ok(arg)
            })
        });
    registered.map_err(|error| error.to_string())?;
    Ok(engine)
}

/// Does one thing after the other, as the bytes say; returns what the stores have been through.
///
/// # Errors
/// With what the library did wrong.
pub fn wrong(dice: Dice) -> Result<Tally, String> {
    let mut dice = dice;
    let other = Arc::new(Mutex::new(None));
    let engine = engine(&mut dice, &other)?;
    let root = Source::text("calls.core", MODULE);
    let module = engine
        .compile_source(&root, &NoFiles)
        .map_err(|error| format!("the module does not compile: {error}"))?;
    // A third store, for what belongs to neither of them.
    let mut third = Store::new(&module);
    let foreign = third.int(77).map_err(|error| error.to_string())?;
    *other.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(foreign);
    if dice.one_in(4) {
        return on_two_threads(&mut dice, &module, engine.machine());
    }
    let mut sessions = [(); 2].map(|()| session(&module, dice.any()));
    let steps = 5 + dice.roll(60);
    for step in 0..steps {
        let (one, two) = sessions.split_at_mut(1);
        let (it, stranger) =
            if dice.one_in(3) { (&mut two[0], &one[0]) } else { (&mut one[0], &two[0]) };
        it.dice = Dice::new(dice.any());
        let result = if dice.one_in(12) { it.strange(stranger) } else { it.step() };
        result.map_err(|wrong| format!("step {step}: {wrong}"))?;
    }
    let mut seen = Tally { cases: 1, ..Tally::default() };
    sessions.iter().for_each(|it| it.tell(engine.machine(), &mut seen));
    Ok(seen)
}

/// Runs two stores of one module, each on a thread of its own.
fn on_two_threads(dice: &mut Dice, module: &Module, kind: MachineKind) -> Result<Tally, String> {
    let steps = 5 + dice.roll(30);
    let seeds = [dice.any(), dice.any()];
    let results = std::thread::scope(|scope| {
        let threads = seeds.map(|seed| {
            scope.spawn(move || {
                let mut it = session(module, seed);
                for step in 0..steps {
                    it.step().map_err(|wrong| format!("on a thread, step {step}: {wrong}"))?;
                }
                let mut seen = Tally::default();
                it.tell(kind, &mut seen);
                Ok::<Tally, String>(seen)
            })
        });
        threads.map(|thread| thread.join().unwrap_or_else(|_| Err("panic: on a thread".into())))
    });
    let mut seen = Tally { cases: 1, ..Tally::default() };
    for result in results {
        seen.add(&result?);
    }
    Ok(seen)
}

fn session(module: &Module, seed: u64) -> Session {
    let store = Store::new(module);
    Session { store, values: Vec::new(), dice: Dice::new(seed), reductions: 0 }
}

impl Session {
    /// Adds what its store has been through.
    fn tell(&self, kind: MachineKind, seen: &mut Tally) {
        seen.went(kind, &self.store.coverage(), &self.store.statistics());
    }

    fn keep(&mut self, value: Value, model: Rc<Model>) {
        if self.values.len() >= KEPT {
            let at = self.dice.roll(self.values.len());
            self.values.swap_remove(at);
        }
        self.values.push((value, model));
    }

    fn any(&mut self) -> Result<(Value, Rc<Model>), String> {
        if self.values.is_empty() || self.dice.one_in(5) {
            self.make()?;
        }
        let at = self.dice.roll(self.values.len());
        Ok(self.values[at].clone())
    }

    /// Makes a value out of nothing.
    fn make(&mut self) -> Result<(), String> {
        let shown = |error: Error| format!("a value is not made: {error}");
        match self.dice.roll(7) {
            0 if self.dice.one_in(2) => {
                let float = [1.5, -0.0, 1e300, f64::INFINITY][self.dice.roll(4)];
                let value = self.store.float(float).map_err(shown)?;
                self.keep(value, Rc::new(Model::Float(float)));
            }
            0 => {
                let c = ['a', '\0', 'λ', '\n'][self.dice.roll(4)];
                let value = self.store.character(c).map_err(shown)?;
                self.keep(value, Rc::new(Model::Char(c)));
            }
            1 => {
                let text = self.dice.pick(&["", "x", "two words", "λ\n"]);
                let value = self.store.text(text).map_err(shown)?;
                self.keep(value, list(text.chars().map(|c| Rc::new(Model::Char(c)))));
            }
            2 | 3 => {
                let at = self.dice.roll(FUNCTIONS.len());
                let (name, arity) = FUNCTIONS[at];
                let value = self.store.global(name).map_err(shown)?;
                let model = match arity {
                    0 => meaning(at, &[]).ok_or("a constant has a meaning")?,
                    _ => Rc::new(Model::Function(at, Vec::new())),
                };
                self.keep(value, model);
            }
            _ => {
                let n: i64 = match self.dice.roll(8) {
                    0 => i64::MAX,
                    1 => i64::MIN,
                    2 => 3_000,
                    3 => 200,
                    n => n as i64 * 7 - 30,
                };
                let value = self.store.int(n).map_err(shown)?;
                self.keep(value, Rc::new(Model::Int(n.into())));
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        match self.dice.roll(24) {
            0..=2 => self.make(),
            3..=7 => self.call(),
            8..=13 => self.force(),
            14 => self.list(),
            15 => self.con(),
            16 | 17 => self.print(),
            18 => {
                self.store.collect();
                Ok(())
            }
            19 if !self.values.is_empty() => {
                let at = self.dice.roll(self.values.len());
                self.values.swap_remove(at);
                Ok(())
            }
            20 => self.kinds(),
            21 => self.items(),
            22 => self.mistakes(),
            _ => self.main(),
        }?;
        let reductions = self.store.statistics().reductions;
        if reductions < self.reductions {
            return Err(format!("reductions went from {} to {reductions}", self.reductions));
        }
        self.reductions = reductions;
        Ok(())
    }

    fn call(&mut self) -> Result<(), String> {
        let at = self.dice.roll(FUNCTIONS.len());
        let (name, arity) = FUNCTIONS[at];
        let count = match self.dice.roll(6) {
            0 => arity + 1,
            1 => arity.saturating_sub(1),
            _ => arity,
        };
        let mut args = Vec::new();
        for _ in 0..count {
            args.push(self.any()?);
        }
        let (values, models): (Vec<Value>, Vec<Rc<Model>>) = args.into_iter().unzip();
        let own = Some(Rc::new(Model::Function(at, Vec::new())));
        let function = if arity == 0 { meaning(at, &[]) } else { own };
        let Some(model) = function.and_then(|function| applied(&function, &models)) else {
            return Ok(());
        };
        let shown = |error: Error| format!("{name} of {models:?}: {error}");
        let function = self.store.global(name).map_err(shown)?;
        let value = self.store.call(&function, &values).map_err(shown)?;
        self.keep(value, model);
        Ok(())
    }

    /// Gives little of something, at times.
    fn shorten(&mut self) -> Short {
        match self.dice.roll(8) {
            0 | 1 => {
                self.store.set_fuel(Some(self.dice.roll(200) as u64));
                Short::Fuel
            }
            2 => {
                let footprint = self.store.footprint();
                self.store.set_heap_limit(Some(footprint + self.dice.roll(40_000) as u64));
                Short::Memory
            }
            3 => {
                self.store.interrupt_handle().interrupt();
                Short::Interrupt
            }
            _ => Short::No,
        }
    }

    fn restore(&mut self) {
        self.store.set_fuel(None);
        self.store.set_heap_limit(None);
        self.store.interrupt_handle().clear();
    }

    /// Returns whether this is the stop that was asked for.
    fn is_asked(error: &Error, short: Short) -> bool {
        match error {
            Error::Stop(Stop::Interrupted(_)) => short == Short::Interrupt,
            Error::Stop(Stop::Limit(reached)) => match reached.limit {
                Limit::Fuel(_) => short == Short::Fuel,
                Limit::Heap(_) | Limit::System(_) => short == Short::Memory,
                Limit::Time(_) => false,
            },
            _ => false,
        }
    }

    fn force(&mut self) -> Result<(), String> {
        let (value, model) = self.any()?;
        // What was stopped goes on.
        for _ in 0..4 {
            let short = self.shorten();
            let result = self.store.force(&value);
            self.restore();
            if let Err(error) = &result
                && Self::is_asked(error, short)
            {
                if self.dice.one_in(3) {
                    self.store.collect();
                }
                continue;
            }
            return self.check(&model, result).map_err(|wrong| format!("{short:?}: {wrong}"));
        }
        let result = self.store.force(&value);
        self.check(&model, result).map_err(|wrong| format!("gone on with: {wrong}"))
    }

    /// Compares what was forced with what it is, and keeps its fields.
    fn check(&mut self, model: &Model, result: Result<Whnf, Error>) -> Result<(), String> {
        let differs = |found: &dyn std::fmt::Debug| Err(format!("not {model:?} but {found:?}"));
        match (model, result) {
            (Model::Fails, Err(Error::Stop(Stop::Error(_)))) => Ok(()),
            (Model::Int(wanted), Ok(Whnf::Int(found)))
                if found.to_string() == wanted.to_string() =>
            {
                Ok(())
            }
            (Model::Float(wanted), Ok(Whnf::Float(found)))
                if found.to_bits() == wanted.to_bits() =>
            {
                Ok(())
            }
            (Model::Char(wanted), Ok(Whnf::Char(found))) if found == *wanted => Ok(()),
            (Model::Con(wanted, models), Ok(Whnf::Con { name, fields }))
                if *name == **wanted && fields.len() == models.len() =>
            {
                for (field, model) in fields.into_iter().zip(models) {
                    self.keep(field, model.clone());
                }
                Ok(())
            }
            (Model::From(n), Ok(Whnf::Con { name, fields }))
                if &*name == "Cons" && fields.len() == 2 =>
            {
                let models = [Model::Int(*n), Model::From(n + 1)];
                for (field, model) in fields.into_iter().zip(models) {
                    self.keep(field, Rc::new(model));
                }
                Ok(())
            }
            (Model::Function(of, held), Ok(Whnf::Function { arity, .. }))
                if arity as usize == FUNCTIONS[*of].1 - held.len() =>
            {
                Ok(())
            }
            (_, found) => differs(&found),
        }
    }

    fn list(&mut self) -> Result<(), String> {
        let mut items = Vec::new();
        for _ in 0..self.dice.roll(4) {
            items.push(self.any()?);
        }
        let (values, models): (Vec<Value>, Vec<Rc<Model>>) = items.into_iter().unzip();
        let value = self.store.list(&values).map_err(|error| error.to_string())?;
        self.keep(value, list(models.into_iter()));
        Ok(())
    }

    fn con(&mut self) -> Result<(), String> {
        let fields = [self.any()?, self.any()?];
        let values = fields.clone().map(|(value, _)| value);
        let value = self.store.con("Pair", &values).map_err(|error| error.to_string())?;
        let models = fields.map(|(_, model)| model).to_vec();
        self.keep(value, Rc::new(Model::Con("Pair", models)));
        match self.store.con("Pair", &values[..1]) {
            Err(Error::FieldCount { takes: 2, given: 1 }) => Ok(()),
            other => Err(format!("a pair of one field: {other:?}")),
        }
    }

    fn print(&mut self) -> Result<(), String> {
        let (value, model) = self.any()?;
        let mut out = String::new();
        // Not all that there is can be printed: a list may have no end.
        let short = match self.shorten() {
            Short::No => {
                self.store.set_fuel(Some(30_000));
                Short::Fuel
            }
            short => {
                if short != Short::Fuel {
                    self.store.set_fuel(Some(30_000));
                }
                short
            }
        };
        let result = self.store.print(&value, Format::Default, &mut out);
        self.restore();
        match (&result, printed(&model)) {
            (Err(error), wanted) if Self::is_asked(error, short) || out_of_fuel(error) => {
                let so_far = out.trim_end();
                if wanted.is_some_and(|wanted| !wanted.trim_end().starts_with(so_far)) {
                    return Err(format!("{model:?} begins with {out:?}"));
                }
                Ok(())
            }
            (Ok(()), Some(wanted)) if out == wanted => Ok(()),
            (Ok(()), None) if !matches!(*model, Model::From(_) | Model::Fails) => Ok(()),
            (Err(Error::Stop(Stop::Error(_))), None) => Ok(()),
            _ => Err(format!("{model:?} prints {out:?}, {result:?}")),
        }
    }

    /// Asks for a kind of value.
    fn kinds(&mut self) -> Result<(), String> {
        let (value, model) = self.any()?;
        let integer = self.store.to_integer(&value);
        let right = match (&*model, &integer) {
            (Model::Int(wanted), Ok(found)) => found.to_string() == wanted.to_string(),
            (Model::Fails, Err(Error::Stop(Stop::Error(_)))) => true,
            (Model::Int(_) | Model::Fails, _) => false,
            (_, Err(Error::Kind { .. })) => true,
            _ => false,
        };
        if !right {
            return Err(format!("{model:?} as an integer: {integer:?}"));
        }
        let character = self.store.to_char(&value);
        let right = match (&*model, &character) {
            (Model::Char(wanted), Ok(found)) => found == wanted,
            (Model::Fails, Err(Error::Stop(Stop::Error(_)))) => true,
            (Model::Char(_) | Model::Fails, _) => false,
            (_, Err(Error::Kind { .. })) => true,
            _ => false,
        };
        right.then_some(()).ok_or_else(|| format!("{model:?} as a character: {character:?}"))
    }

    /// Goes through a list.
    fn items(&mut self) -> Result<(), String> {
        let (value, mut model) = self.any()?;
        let mut found = Vec::new();
        let mut items = self.store.items(&value);
        let mut last = None;
        for _ in 0..1 + self.dice.roll(6) {
            match items.next() {
                Some(Ok(item)) => found.push(item),
                other => {
                    last = Some(other);
                    break;
                }
            }
        }
        drop(items);
        for item in found {
            let (head, tail) = match &*model {
                Model::Con("Cons", fields) => (fields[0].clone(), fields[1].clone()),
                Model::From(n) => (Rc::new(Model::Int(*n)), Rc::new(Model::From(n + 1))),
                other => return Err(format!("an element of {other:?}")),
            };
            self.keep(item, head);
            model = tail;
        }
        match (&*model, last) {
            (Model::Con("Nil", _), Some(None)) | (_, None) => Ok(()),
            (Model::Fails, Some(Some(Err(Error::Stop(Stop::Error(_)))))) => Ok(()),
            (Model::Con("Cons" | "Nil", _) | Model::From(_) | Model::Fails, found) => {
                Err(format!("the elements of {model:?} end in {found:?}"))
            }
            (_, Some(Some(Err(Error::Kind { .. })))) => Ok(()),
            (_, found) => Err(format!("the elements of {model:?} end in {found:?}")),
        }
    }

    fn mistakes(&mut self) -> Result<(), String> {
        let global = self.store.global("no such thing");
        if !matches!(global, Err(Error::UnknownGlobal(_))) {
            return Err(format!("an unknown global: {global:?}"));
        }
        let con = self.store.con("Nothing-of-the-kind", &[]);
        if !matches!(con, Err(Error::UnknownConstructor(_))) {
            return Err(format!("an unknown constructor: {con:?}"));
        }
        Ok(())
    }

    fn main(&mut self) -> Result<(), String> {
        let short = self.shorten();
        let mut out = String::new();
        let result = self.store.run_main(None, &mut out, Format::Default);
        self.restore();
        match result {
            Ok(()) if out == "1 2 3 Nil\n" => Ok(()),
            Err(stop) if Self::is_asked(&Error::Stop(stop.clone()), short) => Ok(()),
            other => Err(format!("main prints {out:?}, {other:?}")),
        }
    }

    /// Uses a value of another store.
    fn strange(&mut self, stranger: &Session) -> Result<(), String> {
        let Some((foreign, _)) = stranger.values.first() else { return Ok(()) };
        let (own, _) = self.any()?;
        let results = [
            ("forced", self.store.force(foreign).err()),
            ("called", self.store.call(foreign, std::slice::from_ref(&own)).err()),
            ("an argument", self.store.call(&own, std::slice::from_ref(foreign)).err()),
            ("a field", self.store.con("Pair", &[own.clone(), foreign.clone()]).err()),
            ("an element", self.store.list(std::slice::from_ref(foreign)).err()),
            ("an integer", self.store.to_integer(foreign).err()),
            ("printed", self.store.print(foreign, Format::Default, &mut String::new()).err()),
            ("gone through", self.store.items(foreign).next().and_then(Result::err)),
        ];
        for (what, error) in results {
            if error != Some(Error::ForeignValue) {
                return Err(format!("a value of another store, {what}: {error:?}"));
            }
        }
        Ok(())
    }
}

fn out_of_fuel(error: &Error) -> bool {
    matches!(error, Error::Stop(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)))
}
