//! Families of programs that a number makes larger: run with n, 2n and 4n they have to take
//! time in proportion to n, and memory that does not depend on it, or is in proportion too.
//!
//! A family is a pipeline of lists, made at random of parts whose cost is known. One that is
//! consumed as it is produced needs no more memory for more elements; one that is kept, or
//! needed as a whole, needs so much for each.

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;

use crate::common::{compiled_after, machine, names};
use crate::dice::Dice;
use crate::ends::{End, found};
use crate::parity::passes;
use crate::tally::Tally;

/// A family of programs.
pub struct Family {
    /// The text, in which `SIZE` stands for the number.
    text: String,
    /// Whether its memory does not depend on the number.
    flat: bool,
}

/// The number of the smallest program of a family.
const SIZE: u64 = 1_500;

/// Reductions for each element, at the most.
const WORK: u64 = 2_000;

/// Picks a list of `SIZE` elements or so, produced as it is consumed.
fn producer(dice: &mut Dice) -> &'static str {
    dice.pick(&[
        "(range 1 SIZE)",
        "(take SIZE (from 1))",
        "(take SIZE (iterate' (add 3) 2))",
        "(takeWhile (gt SIZE) (from 0))",
        "(replicate SIZE 7)",
        "(take SIZE (cycle [1 2 3 4]))",
        "(unfoldr (fn [n] (if (ge n SIZE) Nothing (Just (Pair (mul n n) (add n 1))))) 0)",
        "(tail (range 0 SIZE))",
        "(produce SIZE)",
    ])
}

/// Generates a list from a list, element by element.
fn stage(dice: &mut Dice, list: &str) -> String {
    let all = [
        "(map (add 1) LIST)",
        "(map (fn [x] (rem (mul x x) 1000)) LIST)",
        "(filter even LIST)",
        "(filter (fn [x] (neq (rem x 3) 1)) LIST)",
        "(concatMap (fn [x] [x (add x 1)]) LIST)",
        "(zipWith add LIST (from 1))",
        "(map fst (zip LIST (from 0)))",
        "(map snd (zip (from 0) LIST))",
        "(append LIST [1 2 3])",
        "(drop 3 LIST)",
        "(dropWhile (gt 5) LIST)",
        "(takeWhile (fn [_] 1) LIST)",
        "(foldr (fn [x r] (Cons (negate x) r)) Nil LIST)",
        "(each LIST)",
        "(pairs LIST)",
    ];
    dice.pick(&all).replace("LIST", list)
}

/// Generates a value from a list, in constant space.
fn consumer(dice: &mut Dice, list: &str) -> String {
    let all = [
        "(sum LIST)",
        "(length LIST)",
        "(foldl' add 0 LIST)",
        "(foldl' (fn [a x] (rem (add (mul a 31) x) 1000007)) 7 LIST)",
        "(last (Cons 0 LIST))",
        "(walk 0 LIST)",
        "(fst (until (fn [p] (isNil (snd p))) (fn [p] (case p [(Pair a (Cons x t)) \
           (let ([b (add a x)]) (seq b (Pair b t)))])) (Pair 0 LIST)))",
    ];
    dice.pick(&all).replace("LIST", list)
}

/// Functions of the programs' own.
const OWN: &str = "
(defn produce[n] (if (le n 0) Nil (Cons (rem n 17) (produce (sub n 1)))))
(defn each[l] (case l [Nil Nil] [(Cons x t) (Cons (add x x) (each t))]))
(defn pairs[l] (case l [(Cons x (Cons y t)) (Cons (add x y) (pairs t))] [_ Nil]))
(defn walk[a l] (case l [Nil a] [(Cons x t)
  (let ([b (rem (add a x) 9973)]) (seq b (walk b t)))]))
";

/// Generates a family from a seed.
#[must_use]
pub fn family(seed: u64) -> Family {
    let mut dice = Dice::new(seed ^ 0x5107E);
    let mut list = producer(&mut dice).to_owned();
    for _ in 0..dice.roll(4) {
        list = stage(&mut dice, &list);
    }
    let (body, flat) = match dice.roll(6) {
        // The list is kept: it is consumed twice.
        0 => {
            let (one, two) = (consumer(&mut dice, "l"), consumer(&mut dice, "l"));
            (format!("(let ([l {list}]) (add {one} {two}))"), false)
        }
        // It is turned around.
        1 => (consumer(&mut dice, &format!("(reverse {list})")), false),
        // Recursion as deep as it is long.
        2 => (format!("(foldr add 0 {list})"), false),
        // Two that do not know of each other.
        3 => {
            let other = producer(&mut dice);
            let (one, two) = (consumer(&mut dice, &list), consumer(&mut dice, other));
            (format!("(add {one} {two})"), true)
        }
        _ => (consumer(&mut dice, &list), true),
    };
    Family { text: format!("{OWN}(defn main[input] {body})\n"), flat }
}

impl Family {
    /// Returns the program of a size, which it knows when it runs: what the optimiser does of a
    /// small one is none of its cost.
    #[must_use]
    pub fn program(&self, size: u64) -> String {
        self.text.replace("SIZE", &format!("(add {size} (length input))"))
    }
}

/// Returns the reductions of a run and the most live bytes.
fn measure(kind: MachineKind, text: &str, set: Passes) -> Result<(u64, u64), String> {
    let (code, _) = compiled_after(text, set)?;
    let config = Config { heap_limit: Some(1 << 30), ..Config::default() };
    let mut machine = machine(kind, &code, config);
    let mut out = String::new();
    machine.start(Format::Default, None).map_err(|stop| stop.to_string())?;
    // A look at what lives, now and then.
    let steps = if kind == MachineKind::Fast { 700 } else { 9_000 };
    for _ in 0..40 * WORK * SIZE / steps {
        machine.set_fuel(Some(steps));
        let result = machine.run(&mut out);
        let found = found(&out, result)?;
        machine.collect();
        match found.end {
            End::Value => {
                let counts = machine.statistics();
                return Ok((counts.reductions, counts.peak_live_bytes));
            }
            End::Error => return Err(format!("it fails: {found:?}\n{text}")),
            End::Fuel => {}
        }
    }
    Err(format!("it does not end\n{text}"))
}

/// Checks how a family grows.
///
/// # Errors
/// With what is wrong.
pub fn wrong(seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(!seed);
    let family = family(seed);
    let turn = dice.roll(3);
    let set = passes(&mut dice, turn);
    let kind = MachineKind::ALL[dice.roll(MachineKind::ALL.len())];
    let how = format!("{kind} [{}]", names(set));
    let runs = [SIZE, 2 * SIZE, 4 * SIZE].map(|size| measure(kind, &family.program(size), set));
    let [one, two, four] = runs;
    let (one, two, four) = (one?, two?, four?);
    let shown = || format!("{how}: {one:?}, {two:?}, {four:?}\n{}", family.text);
    // What comes with each element is the same for all of them.
    let (first, second) = (two.0.saturating_sub(one.0), four.0.saturating_sub(two.0));
    if second > 2 * first + first / 4 + 500 || one.0 > WORK * SIZE {
        return Err(format!("time: {}", shown()));
    }
    // The stack doubles as it grows.
    let grows =
        if family.flat { four.1 > one.1 + one.1 / 4 + 8_192 } else { four.1 > 6 * one.1 + 262_144 };
    if grows {
        return Err(format!("memory: {}", shown()));
    }
    Ok(Tally { cases: 1, values: 1, ..Tally::default() })
}
