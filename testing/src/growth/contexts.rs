//! Contexts of programs that people wrote, nested in themselves: what stands around a part of an
//! expression is put around it again and again. Whatever is bound there is bound still, so it is a program.

use std::sync::LazyLock;

use crate::dice::Dice;
use crate::scope::{Expr, Program};
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

/// The most expressions from one copy to the next, times the copies: what writes a program goes as deep.
const DEEP: usize = 3_000;
/// The most contexts of one program.
const CONTEXTS: usize = 3;

/// Returns a program of about so many bytes; `None` if what was picked has no context or no room.
#[must_use]
pub fn nested(dice: &mut Dice, bytes: usize) -> Option<String> {
    let short: Vec<_> = PROGRAMS.iter().filter(|(length, _)| length * 2 <= bytes).collect();
    let (length, program) = short[dice.roll(short.len())];
    let mut program = program.clone();
    let mut room = bytes - length;
    let mut is_nested = false;
    for _ in 0..=dice.roll(CONTEXTS) {
        let at = dice.roll(program.definitions.len());
        is_nested |= nest(&mut program.definitions[at].body, dice, &mut room).is_some();
    }
    is_nested.then(|| program.write())
}

/// Nests a context of an expression in itself, as often as there is room for or less.
fn nest(body: &mut Expr, dice: &mut Dice, room: &mut usize) -> Option<()> {
    let whole = body.nth_mut(dice.roll(body.size()))?;
    let inner = 1 + dice.roll(whole.size().checked_sub(1).filter(|&parts| parts > 0)?);
    let context = whole.clone();
    let each = context.text().len() - context.all().nth(inner)?.text().len();
    let most = (*room / each.max(1)).min(DEEP / inner);
    let times = most / (1 + dice.roll(3));
    *room -= (times * each).min(*room);
    for _ in 0..times {
        let around = std::mem::replace(whole, context.clone());
        *whole.nth_mut(inner)? = around;
    }
    Some(())
}
