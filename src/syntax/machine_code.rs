//! Listings of code, which `gmachine dump` writes: what is no source, and tells so by its form.

use std::ops::Range;

/// A listing in the place of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Where its first function begins, in bytes.
    pub at: Range<usize>,
    /// What it lists.
    pub of: &'static str,
}

/// Returns what makes a text a listing: a function's header, and its first instruction after it.
#[must_use]
pub fn find(text: &str) -> Option<Listing> {
    let mut lo = 0;
    let mut header = None;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_ascii_whitespace();
        if let Some(listing) = header.take()
            && words.next() == Some("0")
            && words.next().is_some()
        {
            return Some(listing);
        }
        let at = lo..lo + line.trim_end().len();
        header = kind(line).map(|of| Listing { at, of });
        lo += line.len();
    }
    None
}

/// Returns the kind of code of which a line is a function's header.
fn kind(line: &str) -> Option<&'static str> {
    let mut words = line.split_ascii_whitespace();
    let is_counted = |word: &str| {
        let (name, arity) = word.rsplit_once('/').unwrap_or_default();
        !name.is_empty() && arity.parse::<u32>().is_ok()
    };
    match (words.next()?, words.next()?, words.next()) {
        ("supercombinator" | "primitive", function, _) if is_counted(function) => Some("G-code"),
        (function, "frame", Some(_)) if is_counted(function) => Some("compact code"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_known_by_a_header_and_an_instruction() {
        let gcode =
            "data List = Nil/0 Cons/2\nmain main\n\nsupercombinator main/0\n   0  PushInt 1\n";
        assert_eq!(find(gcode), Some(Listing { at: 36..58, of: "G-code" }));
        let named = "primitive add/2 [a b]\r\n 0 Push 1";
        assert_eq!(find(named), Some(Listing { at: 0..21, of: "G-code" }));
        let compact = "main/0 frame 2\n   0  s0 <- Caf fibs\n";
        assert_eq!(find(compact), Some(Listing { at: 0..14, of: "compact code" }));
    }

    #[test]
    fn no_source_is_a_listing() {
        for text in [
            "",
            "(defn main[] 1)",
            "supercombinator main/0",
            "supercombinator main/0\n(defn main[] 1)\n",
            "supercombinator main/x\n 0 PushInt 1\n",
            "supercombinator /0\n 0 PushInt 1\n",
            "a/0 frame\n0 1\n",
            "main/0 frame 2\n\n 0 s0 <- Caf fibs\n",
        ] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }
}
