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

/// A form that a source can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Commented definitions, laid out as people do.
    Plain,
    /// The same definitions, and `main` reaches them all.
    Reached,
    /// The same on one line, without comments.
    OneLine,
    /// Names of one letter and hardly a blank.
    Dense,
    /// Every name is another one.
    Distinct,
    /// One definition: a list of many elements.
    Wide,
    /// One definition: an expression in an expression, all the way down.
    Deep,
}

impl Shape {
    /// All shapes and what they are called.
    pub const ALL: &[(&str, Shape)] = &[
        ("plain", Shape::Plain),
        ("reached", Shape::Reached),
        ("one-line", Shape::OneLine),
        ("dense", Shape::Dense),
        ("distinct", Shape::Distinct),
        ("wide", Shape::Wide),
        ("deep", Shape::Deep),
    ];

    /// Generates a program of this shape and about `bytes` bytes, right in form and in its names.
    pub fn program(self, bytes: usize) -> String {
        match self {
            Shape::Plain => program(bytes),
            Shape::Reached => reached(bytes),
            Shape::OneLine => one_line(bytes),
            Shape::Dense => numbered(bytes, |out, at| {
                let _ = write!(out, "(defn f{at}[x y](add(f{at} y x)(mul x(f{at} 1[x y]))))");
            }),
            Shape::Distinct => numbered(bytes, |out, at| {
                let _ = write!(
                    out,
                    "(defn f{at}[a{at} b{at}]\n  (let ([c{at} (add a{at} b{at})])\n    \
                     (case c{at} [0 a{at}] [d{at} (f{at} c{at} d{at})])))\n"
                );
            }),
            Shape::Wide => {
                let mut out = String::with_capacity(bytes + 64);
                out.push_str("(defn main[] (length [");
                let mut at = 0;
                while out.len() < bytes {
                    at += 1;
                    let _ = write!(out, "(add {at} 1) ");
                }
                out.push_str("]))\n");
                out
            }
            Shape::Deep => {
                let (open, close) = ("(add 1 ", ")");
                let depth = bytes / (open.len() + close.len());
                format!("(defn main[] {}0{})\n", open.repeat(depth), close.repeat(depth))
            }
        }
    }
}

/// Generates a program of about `bytes` bytes: commented definitions with names of their own. It is
/// right in form and in its names.
pub fn program(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 4096);
    out.push_str("(defn main[] 0)\n");
    definitions(&mut out, bytes);
    out
}

/// Appends definitions until there are `bytes` bytes; returns the names of what they define.
fn definitions(out: &mut String, bytes: usize) -> Vec<String> {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut names = Vec::new();
    while out.len() < bytes {
        out.push_str("\n;");
        for _ in 0..dice.roll(9) {
            out.push(' ');
            out.push_str(WORDS[dice.roll(WORDS.len())]);
        }
        let mut name = String::new();
        word(&mut dice, &mut name);
        let _ = write!(name, "{}", names.len() + 1);
        let _ = write!(out, "\n(defn {name}[x xs acc limit rest]");
        names.push(name);
        line(out, 2);
        let depth = 2 + dice.roll(4);
        expr(&mut dice, out, depth, 2);
        out.push_str(")\n");
    }
    names
}

fn reached(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 4096);
    // A definition is some two hundred bytes, its name some ten of them.
    let names = definitions(&mut out, bytes / 20 * 19);
    let _ = write!(out, "\n(defn main[] (length [\n  {}]))\n", names.join("\n  "));
    out
}

fn one_line(bytes: usize) -> String {
    let mut out = program(bytes);
    let code = out.lines().filter(|line| !line.starts_with(';')).map(str::trim_start);
    out = code.collect::<Vec<_>>().join(" ");
    out
}

/// Generates `main` and what `define` writes, for 0, 1, 2, ..
fn numbered(bytes: usize, define: impl Fn(&mut String, usize)) -> String {
    let mut out = String::with_capacity(bytes + 4096);
    out.push_str("(defn main[] 0)\n");
    for at in 0.. {
        if out.len() >= bytes {
            break;
        }
        define(&mut out, at);
    }
    out
}
