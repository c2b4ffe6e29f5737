//! Rewritings of a program that must not change what it prints, and limits that must not
//! change it either: with more fuel or memory a run says the same and goes further.

use std::collections::HashSet;

use gmachine::gcode::Verified;
use gmachine::machine::outcome::{Limit, Statistics, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, Stress};
use gmachine::optimise::Passes;

use crate::common::{Text, compiled_after, machine, names, native};
use crate::dice::Dice;
use crate::differential::standard_types;
use crate::ends::{End, Found, found_within, without_names};
use crate::parity::{INPUT, mode, passes};
use crate::scope::{self, Con, Definition, Expr, Pat, Program, constructors};
use crate::sexpr::{self, Form};
use crate::tally::Tally;

/// Reductions of the program as it was.
const FUEL: u64 = 40_000;

/// Reductions of the rewritten one: what was shared may be done several times.
const MORE_FUEL: u64 = 20 * FUEL;

/// Bytes of a run.
const HEAP: u64 = 128 << 20;

/// Expressions up to which a program may grow.
const SIZE: usize = 4_000;

/// A rewriting; whether it has found where to be done.
type Rewriting = fn(&mut Program, &mut Dice) -> bool;

/// All rewritings with their names.
pub const REWRITINGS: &[(&str, Rewriting)] = &[
    ("rename", rename),
    ("reorder", reorder),
    ("bind", bind),
    ("inline", inline),
    ("dead", dead),
    ("known", known),
    ("decide", decide),
    ("beta", beta),
    ("abstract", unbeta),
    ("switch", switch),
    ("lift", lift),
    ("curry", curry),
    ("nest", nest),
];

/// Returns the program of a text; `None` if it is none.
#[must_use]
pub fn read(text: &str) -> Option<Program> {
    of_forms(&sexpr::read(text))
}

/// Returns the program of some forms; `None` if they are none.
#[must_use]
pub fn of_forms(forms: &[Form]) -> Option<Program> {
    let own: Vec<Con> = forms.iter().filter_map(constructors).flatten().collect();
    let all = || own.iter().chain(standard_types().iter().flatten());
    scope::read(forms, &|name| all().any(|con| con.0 == name))
}

/// Picks an expression of the program, among all of them.
fn any<'a>(program: &'a mut Program, dice: &mut Dice) -> Option<&'a mut Expr> {
    let sizes: Vec<usize> = program.definitions.iter().map(|of| of.body.size()).collect();
    let mut at = dice.roll(sizes.iter().sum());
    for (of, size) in program.definitions.iter_mut().zip(sizes) {
        if at < size {
            return of.body.nth_mut(at);
        }
        at -= size;
    }
    None
}

/// Picks an expression of which this is true.
fn one_of<'a>(
    program: &'a mut Program,
    dice: &mut Dice,
    is_it: impl Fn(&Expr) -> bool,
) -> Option<&'a mut Expr> {
    let mut found = Vec::new();
    for (of, Definition { body, .. }) in program.definitions.iter().enumerate() {
        let numbers = body.all().enumerate().filter(|(_, expr)| is_it(expr));
        found.extend(numbers.map(|(at, _)| (of, at)));
    }
    if found.is_empty() {
        return None;
    }
    let (of, at) = found[dice.roll(found.len())];
    program.definitions[of].body.nth_mut(at)
}

/// Takes an expression out; a literal stands in its place until another one does.
fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::atom("0"))
}

/// Gives definitions other names. (Locals have got theirs when the program was read.)
fn rename(program: &mut Program, _: &mut Dice) -> bool {
    let new = |name: &str| format!("{name}-too");
    let own: HashSet<String> = program.definitions.iter().map(|of| of.name.clone()).collect();
    if own.iter().any(|name| own.contains(&new(name))) {
        return false;
    }
    for of in &mut program.definitions {
        if of.name != "main" {
            of.name = new(&of.name);
        }
        let mut work = vec![&mut of.body];
        while let Some(expr) = work.pop() {
            match expr {
                Expr::Atom(name) if name != "main" && own.contains(name) => *name = new(name),
                other => work.extend(other.parts_mut()),
            }
        }
    }
    true
}

/// Puts definitions and the bindings of each `letrec` in another order.
fn reorder(program: &mut Program, dice: &mut Dice) -> bool {
    dice.shuffle(&mut program.definitions);
    for of in &mut program.definitions {
        let mut work = vec![&mut of.body];
        while let Some(expr) = work.pop() {
            if let Expr::Letrec(bindings, _) = expr {
                dice.shuffle(bindings);
            }
            work.extend(expr.parts_mut());
        }
    }
    true
}

/// Binds a part of an expression to a name around it.
fn bind(program: &mut Program, dice: &mut Dice) -> bool {
    let name = program.fresh();
    let Some(outer) = any(program, dice) else { return false };
    let chosen = dice.roll(outer.size());
    // What is bound between the two.
    let mut bound: HashSet<String> = HashSet::new();
    let (mut here, mut n) = (&*outer, chosen);
    while n > 0 {
        bound.extend(here.binds().iter().map(|&name| name.to_owned()));
        n -= 1;
        let mut next = None;
        for part in here.parts() {
            if n < part.size() {
                next = Some(part);
                break;
            }
            n -= part.size();
        }
        let Some(next) = next else { return false };
        here = next;
    }
    if here.mentions().iter().any(|&name| bound.contains(name)) {
        return false;
    }
    let Some(inner) = outer.nth_mut(chosen) else { return false };
    let value = std::mem::replace(inner, Expr::local(&name));
    let body = take(outer);
    *outer = Expr::Let(vec![(name, value)], Box::new(body));
    true
}

/// Puts what a name is bound to in the place of the name.
fn inline(program: &mut Program, dice: &mut Dice) -> bool {
    let at = dice.roll(3);
    let is_let = |expr: &Expr| matches!(expr, Expr::Let(..));
    let Some(Expr::Let(bindings, body)) = one_of(program, dice, is_let) else { return false };
    if bindings.is_empty() {
        return false;
    }
    let at = at % bindings.len();
    let (name, value) = bindings.remove(at);
    for (_, later) in &mut bindings[at..] {
        later.replace(&name, &value);
    }
    body.replace(&name, &value);
    true
}

/// Returns a name that no definition has.
fn new_name(program: &Program, prefix: &str) -> String {
    let is_free = |name: &String| program.definitions.iter().all(|of| of.name != *name);
    let mut names = (0..).map(|number| format!("{prefix}{number}"));
    names.find(is_free).unwrap_or_default()
}

/// Generates an expression that has no value.
fn bottom(program: &mut Program, dice: &mut Dice) -> Expr {
    let name = program.fresh();
    let call = |parts: &[&str]| Expr::App(parts.iter().map(|part| Expr::atom(part)).collect());
    match dice.roll(5) {
        0 => call(&["error", "\"never\""]),
        1 => call(&["div", "1", "0"]),
        2 => call(&["1", "2"]),
        3 => Expr::Letrec(vec![(name.clone(), Expr::local(&name))], Box::new(Expr::local(&name))),
        // It calls itself for ever.
        _ => {
            let again = Expr::App(vec![Expr::local(&name), Expr::atom("1")]);
            let body = Expr::App(vec![Expr::local(&name), Expr::atom("0")]);
            let value = Expr::Fn(vec!["_".to_owned()], Box::new(again));
            Expr::Letrec(vec![(name, value)], Box::new(body))
        }
    }
}

/// Binds, defines or passes something that has no value and is never asked for.
fn dead(program: &mut Program, dice: &mut Dice) -> bool {
    let (value, name, other) = (bottom(program, dice), program.fresh(), program.fresh());
    let way = dice.roll(5);
    if way == 0 {
        let name = new_name(program, "dead'");
        program.definitions.push(Definition { name, params: Vec::new(), body: value });
        return true;
    }
    let is_group = |expr: &Expr| matches!(expr, Expr::Letrec(..));
    if way == 1
        && let Some(Expr::Letrec(bindings, _)) = one_of(program, dice, is_group)
    {
        // It may mention the others: they are not asked for either.
        let names = bindings.iter().map(|(name, _)| Expr::local(name));
        let names: Vec<Expr> = names.filter(|name| *name != Expr::local("_")).collect();
        bindings.push((name, Expr::App([value].into_iter().chain(names).collect())));
        return true;
    }
    let new = declared(&program.others);
    let Some(place) = any(program, dice) else { return false };
    let body = take(place);
    *place = match way {
        2 => {
            let kept = Expr::Fn(vec![name.clone(), other], Box::new(Expr::local(&name)));
            Expr::App(vec![kept, body, value])
        }
        3 => {
            let pair = Expr::App(vec![Expr::atom("Two'"), body, value]);
            let pattern = Pat::Con("Two'".into(), vec![Pat::Name(name.clone()), Pat::Any], true);
            Expr::Case(Box::new(pair), vec![(pattern, Expr::local(&name))])
        }
        _ => Expr::Let(vec![(name, value)], Box::new(body)),
    };
    program.others.extend(new);
    true
}

/// Returns the declaration of the constructors that rewritings use, if it is not there.
fn declared(others: &[Form]) -> Vec<Form> {
    let own = sexpr::read("(data Known' (One' x) (Two' x y) (None'))");
    if others.contains(&own[0]) { Vec::new() } else { own }
}

/// Puts an expression into a constructor and takes it out again.
fn known(program: &mut Program, dice: &mut Dice) -> bool {
    let name = program.fresh();
    let new = declared(&program.others);
    let two = dice.one_in(2);
    let Some(place) = any(program, dice) else { return false };
    let body = take(place);
    let one = |inner: Pat| (Pat::Con("One'".into(), vec![inner], true), Expr::local(&name));
    let variable = || Pat::Name(name.clone());
    *place = if two {
        let made = Expr::App(vec![Expr::atom("Two'"), Expr::atom("None'"), body]);
        let none = Pat::Con("None'".into(), Vec::new(), false);
        let pattern = Pat::Con("Two'".into(), vec![none, variable()], true);
        let kept = (pattern, Expr::local(&name));
        Expr::Case(Box::new(made), vec![one(variable()), kept])
    } else {
        let made = Expr::App(vec![Expr::atom("One'"), body]);
        Expr::Case(Box::new(made), vec![one(variable()), (Pat::Any, Expr::atom("0"))])
    };
    program.others.extend(new);
    true
}

/// Replaces a case of a known constructor by the alternative that it goes to.
fn decide(program: &mut Program, dice: &mut Dice) -> bool {
    let taken = |expr: &Expr| -> Option<(usize, Vec<(String, Expr)>)> {
        let Expr::Case(scrutinee, alternatives) = expr else { return None };
        let (name, args) = match &**scrutinee {
            Expr::App(parts) => match parts.split_first()? {
                (Expr::Atom(name), args) => (name, args),
                _ => return None,
            },
            Expr::Atom(name) => (name, &[][..]),
            _ => return None,
        };
        for (at, (pattern, _)) in alternatives.iter().enumerate() {
            let Pat::Con(of, fields, _) = pattern else { return None };
            if of != name {
                continue;
            }
            if fields.len() != args.len() {
                return None;
            }
            let bind = |(field, arg): (&Pat, &Expr)| match field {
                Pat::Name(name) => Some(Some((name.clone(), arg.clone()))),
                Pat::Any => Some(None),
                _ => None,
            };
            let bindings: Option<Vec<_>> = fields.iter().zip(args).map(bind).collect();
            return Some((at, bindings?.into_iter().flatten().collect()));
        }
        None
    };
    let Some(place) = one_of(program, dice, |expr| taken(expr).is_some()) else { return false };
    let Some((at, bindings)) = taken(place) else { return false };
    let Expr::Case(_, alternatives) = place else { return false };
    let (_, body) = alternatives.swap_remove(at);
    *place = if bindings.is_empty() { body } else { Expr::Let(bindings, Box::new(body)) };
    true
}

/// Turns a lambda that is applied into a `let`.
fn beta(program: &mut Program, dice: &mut Dice) -> bool {
    let is_redex = |expr: &Expr| {
        let Expr::App(parts) = expr else { return false };
        matches!(&parts[0], Expr::Fn(params, _) if params.len() < parts.len())
    };
    let Some(place) = one_of(program, dice, is_redex) else { return false };
    let Expr::App(mut parts) = take(place) else { return false };
    let Expr::Fn(params, body) = parts.remove(0) else { return false };
    let rest = parts.split_off(params.len());
    let inner = Expr::Let(params.into_iter().zip(parts).collect(), body);
    *place =
        if rest.is_empty() { inner } else { Expr::App([inner].into_iter().chain(rest).collect()) };
    true
}

/// Turns a `let` of one name into a lambda that is applied.
fn unbeta(program: &mut Program, dice: &mut Dice) -> bool {
    let is_it = |expr: &Expr| matches!(expr, Expr::Let(bindings, _) if bindings.len() == 1);
    let Some(place) = one_of(program, dice, is_it) else { return false };
    let Expr::Let(mut bindings, body) = take(place) else { return false };
    let Some((name, value)) = bindings.pop() else { return false };
    *place = Expr::App(vec![Expr::Fn(vec![name], body), value]);
    true
}

/// Turns an `if` into a `case`.
fn switch(program: &mut Program, dice: &mut Dice) -> bool {
    if program.definitions.iter().any(|of| of.name == "if") {
        return false;
    }
    let is_if = |expr: &Expr| matches!(expr, Expr::App(parts) if parts.len() == 4 && parts[0] == Expr::atom("if"));
    let Some(place) = one_of(program, dice, is_if) else { return false };
    let Expr::App(parts) = take(place) else { return false };
    let mut parts = parts.into_iter().skip(1);
    let (Some(condition), Some(yes), Some(no)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let literal = |text: &str| Pat::Literal(text.to_owned());
    let alternatives = vec![(literal("0"), no), (literal("1"), yes)];
    *place = Expr::Case(Box::new(condition), alternatives);
    true
}

/// Turns a lambda into a definition; what it captures becomes its first parameters.
fn lift(program: &mut Program, dice: &mut Dice) -> bool {
    let is_lambda = |expr: &Expr| matches!(expr, Expr::Fn(..));
    let name = new_name(program, "lifted'");
    let Some(place) = one_of(program, dice, is_lambda) else { return false };
    // All that it binds, inside too.
    let (mut work, mut bound) = (vec![&*place], HashSet::new());
    while let Some(expr) = work.pop() {
        bound.extend(expr.binds());
        work.extend(expr.parts());
    }
    let mentions = place.mentions();
    let mut captured: Vec<String> =
        mentions.difference(&bound).map(|&name| name.to_owned()).collect();
    captured.sort();
    let Expr::Fn(params, body) = take(place) else { return false };
    let function = Expr::atom(&name);
    *place = if captured.is_empty() {
        function
    } else {
        let args = captured.iter().map(|name| Expr::local(name));
        Expr::App([function].into_iter().chain(args).collect())
    };
    let params = captured.into_iter().chain(params).collect();
    program.definitions.push(Definition { name, params, body: *body });
    true
}

/// Makes a definition hand its last parameters to a lambda.
fn curry(program: &mut Program, dice: &mut Dice) -> bool {
    let at = dice.roll(program.definitions.len());
    let of = &mut program.definitions[at];
    if of.params.len() < 2 || of.name == "main" {
        return false;
    }
    let inner = of.params.split_off(1 + dice.roll(of.params.len() - 1));
    let body = take(&mut of.body);
    of.body = Expr::Fn(inner, Box::new(body));
    true
}

/// Gives each binding of a `let` a `let` of its own.
fn nest(program: &mut Program, dice: &mut Dice) -> bool {
    let is_it = |expr: &Expr| matches!(expr, Expr::Let(bindings, _) if bindings.len() > 1);
    let Some(place) = one_of(program, dice, is_it) else { return false };
    let Expr::Let(bindings, body) = take(place) else { return false };
    *place = bindings
        .into_iter()
        .rev()
        .fold(*body, |body, binding| Expr::Let(vec![binding], Box::new(body)));
    true
}

/// What a run has come to.
struct Ran {
    found: Found,
    statistics: Statistics,
    /// Bytes that were printed, blanks too.
    printed: u64,
    /// The limit that was reached.
    limit: Option<Limit>,
}

/// Runs code on the fast machine.
fn run(code: &Verified, config: Config, seen: &mut Tally) -> Result<Ran, String> {
    let mut machine = machine(MachineKind::Fast, code, config);
    let mut out = String::new();
    let input = Box::new(Text::new(INPUT));
    let result = machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out));
    let limit = match &result {
        Err(Stop::Limit(reached)) => Some(reached.limit),
        _ => None,
    };
    let mut found = found_within(&out, result)?;
    found.output = without_names(&found.output);
    seen.machine(MachineKind::Fast, &*machine);
    let (statistics, printed) = (machine.statistics(), out.len() as u64);
    Ok(Ran { found, statistics, printed, limit })
}

/// Returns whether a program that was rewritten may end so.
fn agrees(wanted: &Found, found: &Found) -> bool {
    let (one, other) = (&wanted.output, &found.output);
    let prefix = one.starts_with(other.as_str()) || other.starts_with(one.as_str());
    match (wanted.end, found.end) {
        (End::Fuel, _) | (_, End::Fuel) => prefix,
        (one_end, other_end) => one_end == other_end && one == other,
    }
}

/// Checks that a program and what rewritings make of it do the same.
///
/// # Errors
/// With what is wrong.
pub fn wrong(text: &str, seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(seed ^ 0x3E7A);
    let mut seen = Tally { cases: 1, ..Tally::default() };
    let (code, report) = compiled_after(text, Passes::ALL)
        .map_err(|mistake| format!("a mistake in the program: {mistake}"))?;
    seen.report(&report);
    let config = Config { fuel: Some(FUEL), heap_limit: Some(HEAP), ..Config::default() };
    let ran = run(&code, config.clone(), &mut seen)?;
    let (wanted, reductions) = (&ran.found, ran.statistics.reductions);
    seen.ended(wanted.end);
    if wanted.end == End::Fuel {
        seen.discarded = 1;
        return Ok(seen);
    }
    limits(&code, &ran, &mut dice, &mut seen)?;

    let mut program = read(text).ok_or("the program has no scopes")?;
    let mut done = Vec::new();
    for _ in 0..1 + dice.roll(5) {
        let (name, rewriting) = REWRITINGS[dice.roll(REWRITINGS.len())];
        let mut changed = program.clone();
        if rewriting(&mut changed, &mut dice) {
            let size: usize = changed.definitions.iter().map(|of| of.body.size()).sum();
            if size > SIZE {
                continue;
            }
            done.push(name);
            // Every local gets a name of its own again.
            program = read(&changed.write()).ok_or("a rewriting makes no program")?;
        }
    }
    let changed = program.write();
    let set = passes(&mut dice, 1);
    let mode = mode(&mut dice, &ran.statistics);
    seen.modes[mode] += 1;
    let stress = Stress::ALL[mode];
    let native = native(&mut dice);
    let how = format!("{} [{}] {stress:?} {native:?}", done.join(" "), names(set));
    let (code, report) = compiled_after(&changed, set)
        .map_err(|mistake| format!("a mistake after rewriting: {how}: {mistake}\n{changed}"))?;
    seen.report(&report);
    // Work is no more than it was but for inlining, and under stress it takes its time.
    let fuel = match stress {
        Stress::None => MORE_FUEL,
        Stress::Full => 4 * reductions + 500,
        _ => 4 * reductions + 10_000,
    };
    let Ran { found, .. } =
        run(&code, Config { fuel: Some(fuel), stress, native, ..config }, &mut seen)?;
    if !agrees(wanted, &found) {
        return Err(format!("rewritten: {how}: wanted {wanted:?}, found {found:?}\n{changed}"));
    }
    Ok(seen)
}

/// Checks that with less fuel or memory a run prints the beginning of what it prints with more.
fn limits(code: &Verified, ran: &Ran, dice: &mut Dice, seen: &mut Tally) -> Result<(), String> {
    let Ran { found: wanted, statistics, printed, .. } = ran;
    let reductions = statistics.reductions;
    let fuel = dice.any() % (2 * reductions + 1);
    let memory = 1 << (14 + dice.roll(8));
    let stress = Stress::ALL[mode(dice, statistics)];
    let tries = [
        Config { fuel: Some(fuel), heap_limit: Some(HEAP), ..Config::default() },
        // Where memory is short, what is large has a chunk of its own.
        Config { fuel: Some(FUEL), heap_limit: Some(memory), stress, ..Config::default() },
    ];
    // What is printed takes steps too: a cell and its element for a character, or so.
    let steps = reductions + 4 * printed + 16;
    for config in tries {
        let how =
            format!("fuel {:?}, memory {:?}, {:?}", config.fuel, config.heap_limit, config.stress);
        let Ran { found, limit, .. } = run(code, config.clone(), seen)?;
        let right = match limit {
            Some(Limit::Fuel(_)) => config.fuel < Some(FUEL) && fuel <= steps,
            Some(_) => config.heap_limit < Some(HEAP),
            None => found == *wanted,
        };
        if !right || !wanted.output.starts_with(&found.output) {
            return Err(format!("with less: {how}: wanted {wanted:?}, found {found:?} {limit:?}"));
        }
    }
    Ok(())
}
