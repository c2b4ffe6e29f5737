//! The name that was probably meant.

/// Longer names get no suggestion: nobody mistypes them by hand, and it bounds the work.
const LONGEST: usize = 64;

/// The candidate that is nearly spelled like `name`, if there is one: the nearest, and the
/// first in alphabetical order among equally near ones, so that the order of the candidates
/// does not show.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_ranked(name, candidates.into_iter().map(|candidate| (0, candidate)))
}

/// As [`nearest`], of candidates with ranks: of equally near ones the one of least rank.
#[must_use]
pub fn nearest_ranked<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = (u8, &'a str)>,
) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if wanted.len() > LONGEST {
        return None;
    }
    let bound = bound(wanted.len());
    let mut best: Option<(usize, u8, &str)> = None;
    let mut scratch = Scratch::default();
    for (rank, candidate) in candidates {
        if candidate.len() > 4 * LONGEST || candidate == name {
            continue;
        }
        scratch.letters.clear();
        scratch.letters.extend(candidate.chars());
        let distance = scratch.distance(&wanted, best.map_or(bound, |(found, ..)| found));
        if let Some(distance) = distance
            && best.is_none_or(|found| (distance, rank, candidate) < found)
        {
            best = Some((distance, rank, candidate));
        }
    }
    best.map(|(.., candidate)| candidate)
}

/// How many edits a name of `len` characters may be away. Of a name of one or two
/// characters only the case may be wrong, or the order.
fn bound(len: usize) -> usize {
    match len {
        0..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

/// The three rows of the edit table, kept between candidates.
#[derive(Default)]
struct Scratch {
    letters: Vec<char>,
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Scratch {
    /// The Damerau-Levenshtein distance of `wanted` and `self.letters`, each stretch edited
    /// once; `None` above `bound`. A name that differs in case alone is one edit away.
    fn distance(&mut self, wanted: &[char], bound: usize) -> Option<usize> {
        let letters = &self.letters;
        if wanted.len().abs_diff(letters.len()) > bound {
            return None;
        }
        let lower = |c: &char| c.to_lowercase().next().unwrap_or(*c);
        if wanted.len() == letters.len()
            && wanted.iter().zip(letters).all(|(a, b)| lower(a) == lower(b))
        {
            return Some(1);
        }
        let short = wanted.len() <= 2;
        let width = letters.len() + 1;
        self.last.clear();
        self.last.extend(0..width);
        self.before.clear();
        self.before.resize(width, 0);
        self.row.clear();
        self.row.resize(width, 0);
        for (i, a) in wanted.iter().enumerate() {
            self.row[0] = i + 1;
            for (j, b) in letters.iter().enumerate() {
                let change = self.last[j] + usize::from(a != b);
                let mut cost = change.min(self.last[j + 1] + 1).min(self.row[j] + 1);
                if i > 0 && j > 0 && *a == letters[j - 1] && wanted[i - 1] == *b {
                    cost = cost.min(self.before[j - 1] + 1);
                }
                self.row[j + 1] = cost;
            }
            if self.row.iter().all(|&cost| cost > bound) {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.row);
        }
        let distance = self.last[letters.len()];
        let swapped = wanted.len() == 2 && letters.len() == 2 && wanted[0] == letters[1];
        (distance <= bound && (!short || swapped)).then_some(distance)
    }
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
    fn a_name_is_not_its_own_suggestion_and_long_names_have_none() {
        assert_eq!(nearest("map", ["map"]), None);
        let long = "x".repeat(1_000_000);
        let near = format!("{long}y");
        assert_eq!(nearest(&long, [near.as_str()]), None);
    }
}
