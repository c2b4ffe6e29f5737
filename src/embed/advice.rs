//! What is said of a stop with the texts of the program at hand: who asked for what failed, and
//! which function of the corelib does the same for other values.

use crate::base::quote::for_message;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::corelib;
use crate::machine::outcome::{Chain, Refused, Stop, Waiting};
use crate::primitive::advice::Given;

/// The longest expression, in bytes, that is looked through for a function of the corelib.
const LONGEST: usize = 2_000;

/// Names what was asked for, if no place in its file is named, or none in the original text of which it
/// is: as the place of what has none, and for which nothing waits.
pub(super) fn name_asker(stop: &mut Stop, sources: &SourceMap, asker: &Waiting) {
    let (failing, chain) = match stop {
        Stop::Error(error) if error.span.is_none() && error.chain.frames.is_empty() => {
            error.span = asker.span;
            return;
        }
        Stop::Error(error) => (error.span, &mut error.chain),
        Stop::Limit(reached) => (reached.span, &mut reached.chain),
        Stop::Interrupted(at) => (at.span, &mut at.chain),
        Stop::Input(_) | Stop::Output(_) | Stop::Exit(_) => return,
    };
    let Some(file) = sources.file_at(asker.span.lo).filter(|file| !file.corelib) else { return };
    let is_original = !sources.is_library(asker.span);
    let is_there = |span: &Span| {
        let is_in_file = !span.is_none() && file.base <= span.lo && span.lo <= file.span().hi;
        is_in_file && !(is_original && sources.is_library(*span))
    };
    if !asker.span.is_none() && !places(failing, chain).any(|span| is_there(&span)) {
        chain.outer.get_or_insert_with(|| asker.clone());
    }
}

/// Says what to write instead of a call of a corelib function that compares, or adds, what its
/// primitive does not take.
pub(super) fn name_variant(stop: &mut Stop, sources: &SourceMap) {
    let Stop::Error(error) = stop else { return };
    let Some(refused) = error.refused else { return };
    if is_users(sources, error.span) {
        return;
    }
    let Some(span) = innermost(sources, error.span, &error.chain) else { return };
    let mut waiting = error.chain.frames.iter().chain(&error.chain.outer);
    let help = match waiting.find(|one| one.span == span) {
        Some(one) if sources.text(span) == &*one.name => {
            variant(definition(sources, span), refused)
        }
        _ => variant(sources.text(span), refused),
    };
    if help.is_some() {
        error.help = help;
    }
}

/// Returns the rest of the definition whose name is at a place.
fn definition(sources: &SourceMap, name: Span) -> &str {
    let Some(file) = sources.file_at(name.lo) else { return "" };
    let rest = file.text.get(name.hi.saturating_sub(file.base) as usize..).unwrap_or_default();
    // A definition starts its line in all but the strangest layouts.
    rest.split("\n(").next().unwrap_or_default()
}

fn is_users(sources: &SourceMap, span: Span) -> bool {
    !span.is_none() && sources.file_at(span.lo).is_some_and(|file| !file.corelib)
}

/// Returns the places that a stop names, the innermost first.
fn places(failing: Span, chain: &Chain) -> impl Iterator<Item = Span> + '_ {
    let waiting = chain.frames.iter().chain(&chain.outer).map(|one| one.span);
    std::iter::once(failing).chain(waiting)
}

/// Returns the innermost place of the program.
fn innermost(sources: &SourceMap, failing: Span, chain: &Chain) -> Option<Span> {
    places(failing, chain).find(|&span| is_users(sources, span))
}

/// Returns what an expression could say instead, if that is sure: of the one of its names that has
/// a variant for other values.
fn variant(expression: &str, refused: Refused) -> Option<String> {
    if expression.len() > LONGEST {
        return None;
    }
    // What stands between quotes is no name.
    let code = expression.split('"').step_by(2);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | '?' | '!');
    let names = code.flat_map(|code| code.split(|c| !is_part(c)));
    let mut found = names.filter_map(|name| variant_of(name, refused));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

fn variant_of(name: &str, refused: Refused) -> Option<String> {
    let (orders, given) = (refused.primitive.orders(), refused.given);
    let compares = orders || refused.primitive.is_equality();
    let takes = |name: &str| {
        let first = corelib::parameters(name).and_then(|all| all.split(' ').next());
        compares && first == Some(if orders { "cmp" } else { "same" })
    };
    let (by, empty) = (
        format!("{name}By"),
        corelib::defining(name).map(|module| format!("{module}EmptyBy")).unwrap_or_default(),
    );
    let (of, function, other) = match (given, orders) {
        (Given::List, true) => ("texts", "compareString", "(compareList compare)"),
        (Given::List, false) => ("texts", "eqString", "(eqList same)"),
        (Given::Float, true) => ("floats", "floatCompare", ""),
        (Given::Float, false) => ("floats", "feq", ""),
        (Given::Bytes, true) => ("byte strings", "bytesCompare", ""),
        (Given::Bytes, false) => ("byte strings", "bytesEq", ""),
        (_, true) => ("these", "cmp", ""),
        (_, false) => ("these", "same", ""),
    };
    if takes(&by) && by != empty {
        let by = for_message(&by);
        if given == Given::Other {
            let (what, gives) = match orders {
                true => ("comparison", "-1, 0 or 1"),
                false => ("test", "1 or 0"),
            };
            return Some(format!(
                "write `({by} {function} ..)`, with a {what} {function} that gives {gives}"
            ));
        }
        let help = format!("for {of} write `({by} {function} ..)`");
        return Some(match other {
            "" => help,
            _ => format!("{help}, for other lists `({by} {other} ..)`"),
        });
    }
    if takes(&empty) {
        return Some(format!("for {of} begin with `({empty} {function})` or the like"));
    }
    if given != Given::Float {
        return None;
    }
    let mut letters = name.chars();
    let first = letters.next()?.to_uppercase();
    let other = format!("float{first}{}", letters.as_str());
    corelib::parameters(&other).map(|_| format!("for floats write `{other}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::Primitive;

    fn found(expression: &str, primitive: Primitive, given: Given) -> String {
        variant(expression, Refused { primitive, given }).unwrap_or_default()
    }

    #[test]
    fn every_function_that_compares_by_another_one_is_named() {
        for (expression, primitive, wanted) in [
            ("(elem x xs)", Primitive::Eq, "(elemBy eqString ..)"),
            ("(map (elem \"nub\") xs)", Primitive::Eq, "(elemBy eqString ..)"),
            ("(sort xs)", Primitive::Lt, "(sortBy compareString ..)"),
            ("(maximum xs)", Primitive::Le, "(maximumBy compareString ..)"),
            ("(mapInsert k v mapEmpty)", Primitive::Lt, "(mapEmptyBy compareString)"),
            ("(mapFromList xs)", Primitive::Lt, "(mapFromListBy compareString ..)"),
        ] {
            let help = found(expression, primitive, Given::List);
            assert!(help.contains(wanted), "{expression}: {help}");
        }
        assert_eq!(found("(sum xs)", Primitive::Add, Given::Float), "for floats write `floatSum`");
        assert_eq!(found("(sum xs)", Primitive::Add, Given::List), "");
        assert_eq!(found("(f \"sort\")", Primitive::Lt, Given::List), "");
        assert_eq!(
            found("(sort (nub xs))", Primitive::Eq, Given::Float),
            "for floats write `(nubBy feq ..)`"
        );
        assert_eq!(found("(append (sort xs) (maximum xs))", Primitive::Lt, Given::List), "");
    }
}
