//! Families of steps in steps: what no one thought of.

use super::steps::{FUNCTIONS, INTEGERS, LISTS, PAIRS};
use super::{Growth, Kind};
use crate::dice::Dice;

/// What a step is a step of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Integers,
    Lists,
    Functions,
    Pairs,
}

use Of::{Functions, Integers, Lists, Pairs};

impl Of {
    fn steps(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Integers => INTEGERS,
            Lists => LISTS,
            Functions => FUNCTIONS,
            Pairs => PAIRS,
        }
    }

    /// The innermost, and an integer or a list of the outermost.
    fn ends(self) -> (&'static str, &'static str) {
        match self {
            Integers => ("k", "(defn main[i] (go (length i) i))(defn go[k i] @)"),
            Lists => ("i", "(defn main[i] (go (length i) i))(defn go[k i] @)"),
            Functions => ("(add k)", "(defn main[i] (go (length i) i))(defn go[k i] (@ k))"),
            Pairs => ("(i k)", "(defn main[i] (go (length i) i))(defn go[k i] (fst @))"),
        }
    }
}

/// One kind from another: what is made, of what, how.
const WAYS: &[(Of, Of, &str)] = &[
    (Integers, Lists, "(length @)"),
    (Integers, Lists, "(sum @)"),
    (Integers, Lists, "(head @)"),
    (Integers, Lists, "(case @ [Nil #] [(Cons a b) a])"),
    (Integers, Functions, "(@ #)"),
    (Integers, Functions, "(let ([f @]) (add (f k) (f #)))"),
    (Integers, Pairs, "(fst @)"),
    (Integers, Pairs, "(uncurry sub @)"),
    (Integers, Pairs, "(let ([p @]) (mul (fst p) (snd p)))"),
    (Lists, Integers, "(range # @)"),
    (Lists, Integers, "(take @ (from #))"),
    (Lists, Integers, "[@ #]"),
    (Lists, Integers, "(replicate # @)"),
    (Lists, Functions, "(map @ i)"),
    (Lists, Functions, "(iterate @ #)"),
    (Lists, Pairs, "(case @ [(Pair a b) (Cons a b)])"),
    (Lists, Pairs, "(snd @)"),
    (Functions, Integers, "(add @)"),
    (Functions, Integers, "(fn [x] (if (eq x #) @ x))"),
    (Functions, Lists, "(fn [x] (nth x @))"),
    (Functions, Pairs, "(fn [x] (case @ [(Pair a b) (add a x)]))"),
    (Pairs, Integers, "(Pair @ #)"),
    (Pairs, Integers, "(if (eq k #) (Pair k #) (Pair @ k))"),
    (Pairs, Lists, "(span (lt #) @)"),
    (Pairs, Lists, "(partition even @)"),
    (Pairs, Functions, "(let ([f @]) (Pair (f #) (f k)))"),
];

/// Returns a family of nests of which each step is a few of those of integers, lists, functions and
/// pairs, one in the other.
pub fn mixed(dice: &mut Dice) -> Growth {
    let outer = [Integers, Lists, Functions, Pairs][dice.roll(4)];
    let mut step = String::from("@");
    let mut enter = |to: Of, by: &str, dice: &mut Dice| {
        let by = if dice.one_in(3) { by.replace('#', "1#") } else { by.to_owned() };
        step = step.replace('@', &by);
        to
    };
    let mut at = outer;
    for _ in 0..2 + dice.roll(3) {
        let ways: Vec<_> = WAYS.iter().filter(|way| way.0 == at).collect();
        if dice.one_in(3) {
            let way = ways[dice.roll(ways.len())];
            at = enter(way.1, way.2, dice);
        } else {
            let by = at.steps()[dice.roll(at.steps().len())].1;
            at = enter(at, by, dice);
        }
    }
    if at != outer {
        let ways: Vec<_> = WAYS.iter().filter(|way| (way.0, way.1) == (at, outer)).collect();
        let way = ways[dice.roll(ways.len())];
        enter(outer, way.2, dice);
    }
    let (base, main) = outer.ends();
    Growth { name: step.clone().into(), kind: Kind::Nest, head: "", step: step.into(), base, main }
}
