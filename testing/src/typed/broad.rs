//! What is broad: constructors of hundreds of fields, calls of hundreds of arguments, and
//! functions that hold hundreds of values. It is kept while the rest of the program runs, which
//! means the same with it as without: nodes of that size have a place of their own in the heap.

use super::Gen;

/// How broad: from what fits an instruction to what gets a chunk of the heap of its own.
const WIDTHS: &[usize] = &[20, 70, 140, 260, 300, 520];

/// One in how many is broader than what a chunk of any size takes with others.
const BROADEST: usize = 4_200;
const SELDOM: usize = 40;

/// The most that goes round from call to call.
const ROUND: usize = 260;

impl Gen {
    /// Adds the definitions for something broad, and puts it around an expression of any type.
    pub(super) fn broad(&mut self, items: &mut Vec<String>, body: &str) -> String {
        let width = match self.dice.one_in(SELDOM) {
            true => BROADEST,
            false => WIDTHS[self.dice.roll(WIDTHS.len())],
        };
        let count = self.count();
        let kind = self.dice.roll(4);
        // What goes round is analysed once for each place.
        let width = if kind == 1 { width.min(ROUND) } else { width };
        let names: Vec<String> = (0..width).map(|at| format!("b{at}")).collect();
        let [one, two, three] = [(); 3].map(|()| self.dice.roll(width));
        let sum = format!("(add b{one} (add (mul 3 b{two}) b{three}))");
        // What is looked at is none of what fails.
        let values: Vec<String> = (0..width)
            .map(|at| match self.dice.roll(8) {
                0 if ![one, two, three].contains(&at) => self.bottom(),
                0 | 1 => at.to_string(),
                2 => "x".to_owned(),
                3 => format!("(mul x {at})"),
                _ => format!("(add x {at})"),
            })
            .collect();
        let (names, all) = (names.join(" "), values.join(" "));
        let rest = values[1..].join(" ");
        match kind {
            0 => {
                // Fields that nothing names have no names.
                let fields: Vec<String> = (0..width)
                    .map(|at| match self.dice.one_in(2) && ![one, two, three].contains(&at) {
                        true => "_".to_owned(),
                        false => format!("b{at}"),
                    })
                    .collect();
                items.push(format!("(data Broad (Broad {names}) (Slim))"));
                items.push(format!("(defn broad'[x] (Broad {all}))"));
                items.push(format!(
                    "(defn around'[w r] (seq w (seq r (case w [(Broad {}) (seq {sum} r)] [Slim 0]))))",
                    fields.join(" ")
                ));
            }
            1 => {
                // They go round, one place in each call.
                let (first, others) = names.split_once(' ').unwrap_or((&names, ""));
                items.push(format!(
                    "(defn across'[n {names}] (if (le n 0) b{one} \
                     (across' (add n -1) {others} {first})))"
                ));
                let plain: Vec<String> = (0..width).map(|at| format!("(add x {at})")).collect();
                items.push(format!("(defn broad'[x] (across' (add x 2) {}))", plain.join(" ")));
                items.push("(defn around'[w r] (seq w (seq r (seq (add w 1) r))))".to_owned());
            }
            2 => {
                items.push(format!("(defn across'[{names}] {sum})"));
                items.push(format!("(defn broad'[x] (fn [y] (across' y {rest})))"));
                items.push("(defn around'[w r] (seq w (seq r (seq (w 7) r))))".to_owned());
            }
            _ => {
                let bindings =
                    (0..width).zip(&values).map(|(at, value)| format!("[b{at} {value}]"));
                let bindings: String = bindings.collect();
                items.push(format!(
                    "(defn broad'[x] (let ({bindings}) (fn [y] (if (gt y 0) {sum} [{names}]))))"
                ));
                items.push("(defn around'[w r] (seq w (seq r (seq (w 7) r))))".to_owned());
            }
        }
        format!("(around' (broad' {count}) {body})")
    }
}
