//! Programs that people wrote, made larger out of themselves. What stands around a part of an expression, and
//! calls of the program's functions, are put around it again and again; a list of things has one of them many
//! times; a definition has copies that refer to each other in a row. Whatever is bound there is bound still, so it is
//! a program.

use std::sync::LazyLock;

use crate::dice::Dice;
use crate::scope::{Definition, Expr, Program};
use crate::{corpus, metamorphic};

/// The programs, with their lengths.
static PROGRAMS: LazyLock<Vec<(usize, Program)>> = LazyLock::new(|| {
    let mut texts = corpus::sources();
    for folder in ["unseen", "ordinary", "others", "published", "styles"] {
        texts.extend(corpus::texts(&format!("benches/{folder}"), "core"));
    }
    let forms = texts.iter().filter_map(|text| corpus::forms(text));
    let programs = forms.filter_map(|forms| metamorphic::of_forms(&forms));
    let programs = programs.filter(|program| !program.definitions.is_empty());
    programs.map(|program| (program.write().len(), program)).collect()
});

/// The most expressions from the outermost to the innermost copy: what writes a program goes as deep.
const DEEP: usize = 3_000;
/// The most times that a program is made larger.
const TIMES: usize = 3;
/// The most things that are put around each other in turn, and the most turns until they come in the same order
/// again.
const AROUND: usize = 3;
const ORDER: usize = 5;

/// Returns a program of about so many bytes; `None` if what was picked cannot be made larger, or has no room.
#[must_use]
pub fn nested(dice: &mut Dice, bytes: usize) -> Option<String> {
    let short: Vec<_> = PROGRAMS.iter().filter(|(length, _)| length * 2 <= bytes).collect();
    let (length, program) = short[dice.roll(short.len())];
    let mut program = program.clone();
    let mut room = bytes - length;
    let mut is_larger = false;
    for _ in 0..=dice.roll(TIMES) {
        let larger = match dice.roll(6) {
            0 => widen(&mut program, dice, &mut room),
            1 => copy(&mut program, dice, &mut room),
            _ => nest(&mut program, dice, &mut room),
        };
        is_larger |= larger.is_some();
    }
    is_larger.then(|| program.write())
}

/// What is put around an expression.
struct Around {
    shell: Expr,
    /// The number of the expression's place in it.
    inner: usize,
    /// The bytes of the rest.
    bytes: usize,
}

impl Around {
    fn new(shell: Expr, inner: usize) -> Option<Around> {
        let bytes = shell.text().len() - shell.all().nth(inner)?.text().len();
        Some(Around { shell, inner, bytes })
    }

    /// Picks a part of an expression, which stands around it.
    fn context(expr: &Expr, dice: &mut Dice) -> Option<Around> {
        let parts = expr.size() - 1;
        Around::new(expr.clone(), 1 + if parts > 0 { dice.roll(parts) } else { return None })
    }

    /// Picks a function, and arguments for all of its parameters but one.
    fn call(functions: &[Definition], atoms: &[Expr], dice: &mut Dice) -> Option<Around> {
        let function = &functions[dice.roll(functions.len())];
        let mut call = vec![Expr::atom(&function.name)];
        call.extend(function.params.iter().map(|_| atoms[dice.roll(atoms.len())].clone()));
        let inner = 1 + if call.len() > 1 { 1 + dice.roll(call.len() - 1) } else { return None };
        Around::new(Expr::App(call), inner)
    }
}

/// Puts contexts of an expression, and calls, around it, as often as there is room for or less.
fn nest(program: &mut Program, dice: &mut Dice, room: &mut usize) -> Option<()> {
    let functions = program.definitions.clone();
    let definition = dice.roll(functions.len());
    let Definition { params, body, .. } = &mut program.definitions[definition];
    let mut scope = params.clone();
    let whole = body.nth_in_scope(dice.roll(body.size()), &mut scope)?;
    let mut atoms: Vec<Expr> = scope.iter().map(|local| Expr::local(local)).collect();
    atoms.extend(["1", "Nil"].map(Expr::atom));
    atoms.extend(functions.iter().map(|function| Expr::atom(&function.name)));
    let mut around = Vec::new();
    for _ in 0..=dice.roll(AROUND) {
        around.extend(match dice.one_in(3) {
            true => Around::call(&functions, &atoms, dice),
            false => Around::context(whole, dice),
        });
    }
    if around.is_empty() {
        return None;
    }
    let order: Vec<usize> = (0..=dice.roll(ORDER)).map(|_| dice.roll(around.len())).collect();
    let mut left = *room / (1 + dice.roll(3));
    *room -= left;
    let mut deep = DEEP;
    for &at in order.iter().cycle() {
        let Around { shell, inner, bytes } = &around[at];
        if *bytes >= left || *inner >= deep {
            break;
        }
        left -= bytes.max(&1);
        deep -= inner;
        let within = std::mem::replace(whole, shell.clone());
        *whole.nth_mut(*inner)? = within;
    }
    *room += left;
    Some(())
}

/// Writes one argument, element or alternative many times.
fn widen(program: &mut Program, dice: &mut Dice, room: &mut usize) -> Option<()> {
    let definition = dice.roll(program.definitions.len());
    let body = &mut program.definitions[definition].body;
    let wide = body.nth_mut(dice.roll(body.size()))?;
    let share = *room / (1 + dice.roll(3));
    let used = match wide {
        Expr::App(parts) | Expr::List(parts) if parts.len() > 1 => {
            let at = 1 + dice.roll(parts.len() - 1);
            repeat(parts, at, share, Expr::text)
        }
        Expr::Case(_, alternatives) if !alternatives.is_empty() => {
            let at = dice.roll(alternatives.len());
            repeat(alternatives, at, share, |(pattern, body)| {
                Expr::Case(Box::new(Expr::atom("")), vec![(pattern.clone(), body.clone())]).text()
            })
        }
        _ => return None,
    };
    *room -= used.min(*room);
    Some(())
}

/// Repeats one of some things as often as there is room for; returns how many bytes that is.
fn repeat<T: Clone>(
    things: &mut Vec<T>,
    at: usize,
    room: usize,
    text: impl Fn(&T) -> String,
) -> usize {
    let one = things[at].clone();
    let bytes = text(&one).len() + 1;
    let times = room / bytes;
    things.splice(at..at, vec![one; times]);
    times * bytes
}

/// Adds copies of a definition, each of which refers to the next one where that referred to some definition. One
/// mention of it is one of the first copy.
fn copy(program: &mut Program, dice: &mut Dice, room: &mut usize) -> Option<()> {
    let count = program.definitions.len();
    let original = program.definitions[dice.roll(count)].clone();
    let target = match dice.one_in(2) {
        true => original.name.clone(),
        false => program.definitions[dice.roll(count)].name.clone(),
    };
    let bytes = original.body.text().len() + original.params.join(" ").len() + 32;
    let copies = *room / (1 + dice.roll(2)) / bytes;
    let name = |at: usize| format!("{}'{}", original.name, count + at);
    let user = &mut program.definitions[dice.roll(count)].body;
    if copies == 0 || !refer(user, &original.name, &name(0), &mut 1) {
        return None;
    }
    for at in 0..copies {
        let mut copy = original.clone();
        copy.name = name(at);
        if at + 1 < copies {
            refer(&mut copy.body, &target, &name(at + 1), &mut { usize::MAX });
        }
        program.definitions.push(copy);
    }
    *room -= copies * bytes;
    Some(())
}

/// Has an expression refer to one name in place of another, in so many places; returns whether there is any.
fn refer(expr: &mut Expr, from: &str, to: &str, places: &mut usize) -> bool {
    if *places == 0 {
        return false;
    }
    if *expr == Expr::atom(from) {
        *expr = Expr::atom(to);
        *places -= 1;
        return true;
    }
    let mut is_any = false;
    for part in expr.parts_mut() {
        is_any |= refer(part, from, to, places);
    }
    is_any
}
