//! The name that was probably meant.

use strsim::osa_distance;

/// The longest name, in characters, that gets a suggestion. It bounds the work.
const LONGEST: usize = 64;

/// Returns the candidate that is nearly spelled like `name`, if there is one: the nearest, and the
/// first in alphabetical order among equally near ones, so that the order of the candidates does
/// not show.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_ranked(name, candidates.into_iter().map(|candidate| (0, candidate)))
}

/// Finds as [`nearest`] does, among candidates with ranks: of equally near ones the one of least
/// rank.
#[must_use]
pub fn nearest_ranked<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = (u8, &'a str)>,
) -> Option<&'a str> {
    let length = name.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let mut best: Option<(usize, u8, &str)> = None;
    for (rank, candidate) in candidates {
        let limit = best.map_or(greatest_distance(length), |(found, ..)| found);
        if candidate != name
            && let Some(distance) = distance(name, candidate, length, limit)
            && best.is_none_or(|found| (distance, rank, candidate) < found)
        {
            best = Some((distance, rank, candidate));
        }
    }
    best.map(|(.., candidate)| candidate)
}

/// Returns whether two names differ by one edit, or in case alone.
#[must_use]
pub fn is_one_slip(name: &str, other: &str) -> bool {
    let length = name.chars().take(LONGEST + 1).count();
    name != other
        && length <= LONGEST
        && distance(name, other, length, 1).is_some_and(|distance| distance == 1)
}

/// Returns the greatest distance between a name of `length` characters and its suggestion.
fn greatest_distance(length: usize) -> usize {
    match length {
        0..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

/// Returns the edit distance from `name`, of `length` characters, to `candidate`, with two
/// neighbours in the wrong order as one edit; `None` above `limit`. A name that differs in
/// case alone is one edit away, and of one or two characters only case and order may differ.
fn distance(name: &str, candidate: &str, length: usize, limit: usize) -> Option<usize> {
    let other = candidate.chars().take(length + limit + 1).count();
    if length.abs_diff(other) > limit {
        return None;
    }
    if length == other && lower(name).eq(lower(candidate)) {
        return Some(1);
    }
    let distance = osa_distance(name, candidate);
    let swapped = length == 2 && other == 2 && name.chars().rev().eq(candidate.chars());
    (distance <= limit && (length > 2 || swapped)).then_some(distance)
}

fn lower(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(|c| c.to_lowercase().next().unwrap_or(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["map", "filter", "foldl'", "foldr", "zipWith", "take", "K", "fib"];

    #[test]
    fn one_slip_finds_the_name() {
        for (typed, meant) in [
            ("mpa", "map"),
            ("maps", "map"),
            ("filtr", "filter"),
            ("flidt", "none"),
            ("foldl", "foldl'"),
            ("zipwith", "zipWith"),
            ("ZIPWITH", "zipWith"),
            ("zpiWtih", "zipWith"),
            ("k", "K"),
            ("q", "none"),
        ] {
            let found = nearest(typed, NAMES.iter().copied());
            assert_eq!(found.unwrap_or("none"), meant, "{typed}");
        }
    }

    #[test]
    fn the_order_of_the_candidates_does_not_show() {
        assert_eq!(nearest("cat", ["hat", "bat", "rat"]), Some("bat"));
        assert_eq!(nearest("cat", ["rat", "bat", "hat"]), Some("bat"));
    }

    #[test]
    fn of_equally_near_names_the_one_of_least_rank_is_meant() {
        let names = [(2, "count"), (0, "counter"), (1, "cuntr")];
        assert_eq!(nearest_ranked("countr", names), Some("counter"));
        assert_eq!(nearest_ranked("coun", [(2, "count"), (0, "counts")]), Some("count"));
    }

    #[test]
    fn one_slip_is_one_edit_or_any_number_of_capitals() {
        for (name, other) in [("Nill", "Nil"), ("NIL", "Nil"), ("Nod", "Node"), ("Lfet", "Left")] {
            assert!(is_one_slip(name, other), "{name} {other}");
        }
        for (name, other) in [("Nil", "Nil"), ("rest", "best-of"), ("n", "m"), ("Leef", "Leaves")] {
            assert!(!is_one_slip(name, other), "{name} {other}");
        }
    }

    #[test]
    fn a_name_is_not_its_own_suggestion_and_long_names_have_none() {
        assert_eq!(nearest("map", ["map"]), None);
        let long = "x".repeat(1_000_000);
        let near = format!("{long}y");
        assert_eq!(nearest(&long, [near.as_str()]), None);
    }
}
