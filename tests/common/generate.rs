//! Sources of any size that look like programs, the same for the same size.

use std::fmt::Write as _;

/// A small generator of pseudo-random numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

const SYLLABLES: &[&str] =
    &["ma", "fil", "ter", "sum", "ex", "con", "cat", "zi", "fo", "ld", "in", "to"];
const FUNCTIONS: &[&str] = &["add", "sub", "mul", "le", "eq", "map", "filter", "append", "length"];
const WORDS: &[&str] = &["the", "first", "of", "both", "lists", "until", "nothing", "is", "left"];

fn word(dice: &mut Dice, out: &mut String) {
    for _ in 0..2 + dice.roll(3) {
        out.push_str(SYLLABLES[dice.roll(SYLLABLES.len())]);
    }
}

fn line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

fn expr(dice: &mut Dice, out: &mut String, depth: usize, indent: usize) {
    match if depth == 0 { dice.roll(5) } else { 3 + dice.roll(9) } {
        0 => {
            let _ = write!(out, "{}", dice.roll(1000));
        }
        1 => {
            let _ = write!(out, "\"{} {}\"", WORDS[dice.roll(9)], WORDS[dice.roll(9)]);
        }
        2..=4 => out.push_str(["x", "xs", "acc", "limit", "rest"][dice.roll(5)]),
        5 => {
            out.push_str("(let ([limit ");
            expr(dice, out, depth - 1, indent + 4);
            out.push_str("])");
            line(out, indent + 2);
            expr(dice, out, depth - 1, indent + 2);
            out.push(')');
        }
        6 => {
            out.push_str("(case xs");
            line(out, indent + 2);
            out.push_str("[(Nil) ");
            expr(dice, out, depth - 1, indent + 4);
            out.push(']');
            line(out, indent + 2);
            out.push_str("[(Cons x rest) ");
            expr(dice, out, depth - 1, indent + 4);
            out.push_str("])");
        }
        7 => {
            out.push_str("(fn [x] ");
            expr(dice, out, depth - 1, indent + 2);
            out.push(')');
        }
        _ => {
            out.push('(');
            out.push_str(FUNCTIONS[dice.roll(FUNCTIONS.len())]);
            for _ in 0..1 + dice.roll(3) {
                out.push(' ');
                expr(dice, out, depth - 1, indent + 2);
            }
            out.push(')');
        }
    }
}

/// A program of about `bytes` bytes: commented definitions with names of their own. It is
/// right in form and in its names.
pub fn program(bytes: usize) -> String {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut out = String::with_capacity(bytes + 4096);
    out.push_str("(defn main[] 0)\n");
    let mut count = 0;
    while out.len() < bytes {
        count += 1;
        out.push_str("\n;");
        for _ in 0..dice.roll(9) {
            out.push(' ');
            out.push_str(WORDS[dice.roll(WORDS.len())]);
        }
        out.push_str("\n(defn ");
        word(&mut dice, &mut out);
        let _ = write!(out, "{count}[x xs acc limit rest]");
        line(&mut out, 2);
        let depth = 2 + dice.roll(4);
        expr(&mut dice, &mut out, depth, 2);
        out.push_str(")\n");
    }
    out
}
