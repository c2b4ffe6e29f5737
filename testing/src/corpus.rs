//! What people wrote, and what becomes of it when it is changed: mostly a program again (see
//! [`mutants`]), or piece by piece of its text, or form by form, anything.

use std::sync::LazyLock;

use crate::cases;
use crate::dice::Dice;
use crate::differential::is_standard;
use crate::ends::End;
use crate::mutants::{self, Source};
use crate::sexpr::{self, Form};
use crate::{documented, harness, project};

/// Returns the texts of those files in a folder of the project that have this extension, in order.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn texts(folder: &str, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(project().join(folder)).expect("the folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// Returns programs of all kinds, right and wrong ones.
///
/// # Panics
/// When they are not where they should be.
#[must_use]
pub fn sources() -> Vec<String> {
    let mut sources = texts("examples", "core");
    sources.extend(texts("benches/programs", "core"));
    sources.extend(texts("tests/golden/syntax", "core"));
    for (module, text) in documented::modules() {
        sources.push(format!("{text}\n(defn main[input] (take 3 (words input)))"));
        let examples = documented::examples(&module, &text);
        sources.extend(examples.into_iter().step_by(7).map(|example| example.program));
    }
    // Of the cases, the expressions of a section are a list.
    for (_, section) in cases::all() {
        let cases: Vec<&str> = section.cases.iter().map(|case| &*case.expression).collect();
        sources.push(format!("{}\n(defn main[] [{}])", section.definitions, cases.join("\n")));
    }
    assert!(sources.len() > 200, "only {} sources", sources.len());
    sources
}

/// Splits a text into pieces: tokens, or something like them, and what is between them.
#[must_use]
pub fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut joined = false;
    for c in text.chars() {
        let joins = c.is_alphanumeric() || matches!(c, '-' | '_' | '\'');
        match pieces.last_mut() {
            Some(last) if joins && joined => last.push(c),
            _ => pieces.push(c.to_string()),
        }
        joined = joins;
    }
    pieces
}

/// Pieces that are odd wherever they stand.
const ODD: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "\"",
    "'",
    ";",
    "#|",
    "|#",
    "\\",
    "_",
    "-",
    "0",
    "-1",
    "Nil",
    "Cons",
    "case",
    "let",
    "letrec",
    "fn",
    "defn",
    "data",
    "import",
    "main",
    "x",
    "\u{FEFF}",
    "\u{0}",
    "99999999999999999999",
    "\"\\u{D800}\"",
    "'\\u{41}'",
    "List",
    "error",
    "seq",
    "if",
    "\n",
];

/// Generates a text of odd pieces and nothing else.
#[must_use]
pub fn soup(dice: &mut Dice) -> String {
    let mut out = String::new();
    for _ in 0..dice.roll(60) {
        out.push_str(dice.pick(ODD));
        if dice.one_in(2) {
            out.push(' ');
        }
    }
    out
}

/// Changes some pieces: some go away, stand twice, change places, or come from elsewhere.
pub fn mutate_pieces(dice: &mut Dice, pieces: &mut Vec<String>, others: &[Vec<String>]) {
    for _ in 0..1 + dice.roll(4) {
        if pieces.is_empty() {
            return;
        }
        let at = dice.roll(pieces.len());
        match dice.roll(7) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[at].clone()),
            2 => {
                let other = dice.roll(pieces.len());
                pieces.swap(at, other);
            }
            3 => pieces[at] = dice.pick(ODD).to_owned(),
            4 => pieces.insert(at, dice.pick(ODD).to_owned()),
            5 => {
                let end = (at + 1 + dice.roll(30)).min(pieces.len());
                pieces.drain(at..end);
            }
            _ => {
                let other = &others[dice.roll(others.len())];
                let from = dice.roll(other.len());
                let to = (from + 1 + dice.roll(30)).min(other.len());
                pieces.splice(at..at, other[from..to].iter().cloned());
            }
        }
    }
}

/// One in how many mutants is changed without regard for what it means.
const RAW: usize = 15;

/// One in how many mutants is of a program that takes long.
const LONG: usize = 40;

/// The corpus: its texts, their pieces and their forms, and those that are programs.
pub struct Corpus {
    /// The texts.
    pub texts: Vec<String>,
    /// Each of them in pieces.
    pub pieces: Vec<Vec<String>>,
    /// The forms of those that have any.
    pub forms: Vec<Vec<Form>>,
    /// The programs that end soon, and the others.
    pub programs: [Vec<Source>; 2],
}

impl Corpus {
    /// Reads it.
    ///
    /// # Panics
    /// When it is not what it should be.
    #[must_use]
    pub fn read() -> Corpus {
        let texts = sources();
        let pieces = texts.iter().map(|text| pieces(text)).collect();
        let forms: Vec<Vec<Form>> = texts.iter().filter_map(|text| forms(text)).collect();
        let mut programs = [Vec::new(), Vec::new()];
        for forms in &forms {
            let Some(source) = Source::read(forms) else { continue };
            // One that shows a mistake shows it when it is tried.
            let ended = harness::both(sexpr::write(forms).as_bytes(), &mut Dice::new(0));
            match ended {
                Ok(Some(End::Fuel)) => programs[1].push(source),
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => programs[0].push(source),
            }
        }
        assert!(programs.iter().all(|programs| programs.len() > 4), "programs of both kinds");
        Corpus { texts, pieces, forms, programs }
    }

    /// Returns one of the programs, changed: mostly so that it is one still.
    #[must_use]
    pub fn mutant(&self, dice: &mut Dice) -> String {
        if !dice.one_in(RAW) {
            let [short, long] = &self.programs;
            let from = if dice.one_in(LONG) { long } else { short };
            let at = dice.roll(from.len());
            return mutants::mutant(dice, &from[at], short);
        }
        if dice.one_in(3) {
            let mut pieces = self.pieces[dice.roll(self.pieces.len())].clone();
            mutate_pieces(dice, &mut pieces, &self.pieces);
            return pieces.concat();
        }
        let mut forms = self.forms[dice.roll(self.forms.len())].clone();
        mutate_forms(dice, &mut forms, &self.forms);
        sexpr::write(&forms)
    }
}

static CORPUS: LazyLock<Corpus> = LazyLock::new(Corpus::read);

/// Generates a changed program of the corpus from a seed.
#[must_use]
pub fn mutant(seed: u64) -> String {
    CORPUS.mutant(&mut Dice::new(seed ^ 0xC0_4915))
}

/// Generates bytes or odd pieces from a seed: what no one would take for a program.
#[must_use]
pub fn noise(seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0x0015_E000);
    match dice.roll(4) {
        0 => {
            let bytes: Vec<u8> = (0..dice.roll(200)).map(|_| dice.roll(256) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => {
            (0..dice.roll(80)).filter_map(|_| char::from_u32(dice.roll(0x11_0000) as u32)).collect()
        }
        _ => soup(&mut dice),
    }
}

/// Returns the forms of a text, if its brackets are balanced and its comments are of one line.
#[must_use]
pub fn forms(text: &str) -> Option<Vec<Form>> {
    if text.contains("#|") || text.contains(['{', '}']) {
        return None;
    }
    let mut plain = String::new();
    let mut quote = None;
    let mut chars = text.chars().peekable();
    let mut open = Vec::new();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ';') => {
                while chars.next_if(|&c| c != '\n').is_some() {}
                before = ' ';
                continue;
            }
            // In a name it is no quote.
            (None, '"') => quote = Some(c),
            (None, '\'') if before.is_whitespace() || "()[]".contains(before) => quote = Some(c),
            (None, '(' | '[') => open.push(c),
            (None, ')') if open.pop() != Some('(') => return None,
            (None, ']') if open.pop() != Some('[') => return None,
            (Some(_), '\\') => {
                plain.push(c);
                plain.push(chars.next()?);
                before = 'x';
                continue;
            }
            (Some(_), '\n') => return None,
            (Some(of), c) if of == c => quote = None,
            _ => {}
        }
        before = c;
        plain.push(c);
    }
    if open.is_empty() && quote.is_none() { sexpr::try_read(&plain) } else { None }
}

/// Returns how many forms there are.
fn count(forms: &[Form]) -> usize {
    let inner = |form: &Form| match form {
        Form::Atom(_) => 0,
        Form::List(_, forms) => count(forms),
    };
    forms.iter().map(|form| 1 + inner(form)).sum()
}

/// Returns the form of this number, and the forms that it is one of.
fn place(forms: &mut Vec<Form>, mut n: usize) -> Option<(&mut Vec<Form>, usize)> {
    for at in 0..forms.len() {
        if n == 0 {
            return Some((forms, at));
        }
        n -= 1;
        let inner = match &forms[at] {
            Form::Atom(_) => 0,
            Form::List(_, inner) => count(inner),
        };
        if n < inner {
            let Form::List(_, inner) = &mut forms[at] else { return None };
            return place(inner, n);
        }
        n -= inner;
    }
    None
}

/// Picks any of some forms, or of their parts.
fn any(dice: &mut Dice, forms: &[Form]) -> Option<Form> {
    let (mut n, mut here) = (dice.roll(count(forms)), forms);
    loop {
        let mut next = None;
        for form in here {
            if n == 0 {
                return Some(form.clone());
            }
            n -= 1;
            if let Form::List(_, inner) = form {
                let size = count(inner);
                if n < size {
                    next = Some(inner);
                    break;
                }
                n -= size;
            }
        }
        here = next?;
    }
}

/// Returns whether a form has no names but those that every program has.
fn is_closed(form: &Form) -> bool {
    match form {
        Form::Atom(atom) => {
            let is_name = atom.starts_with(|c: char| c.is_alphabetic() || c == '_');
            !is_name || is_standard(atom)
        }
        Form::List(_, forms) => forms.iter().all(is_closed),
    }
}

/// Returns whether a name may be a constructor's.
fn is_capital(form: &Form) -> bool {
    matches!(form, Form::Atom(name) if name.starts_with(char::is_uppercase))
}

/// Changes some forms: arguments come and go, constructors and literals become others, forms
/// go away, stand twice, change places, lose what is around them, or come from elsewhere.
pub fn mutate_forms(dice: &mut Dice, forms: &mut Vec<Form>, others: &[Vec<Form>]) {
    for _ in 0..1 + dice.roll(3) {
        let size = count(forms);
        if size == 0 {
            return;
        }
        let own = any(dice, forms);
        let other = dice.roll(others.len());
        // Mostly what means something everywhere.
        let mut foreign = any(dice, &others[other]);
        for _ in 0..8 {
            if foreign.as_ref().is_some_and(is_closed) {
                break;
            }
            let other = dice.roll(others.len());
            foreign = any(dice, &others[other]);
        }
        let Some((siblings, at)) = place(forms, dice.roll(size)) else { return };
        match dice.roll(10) {
            0 => drop(siblings.remove(at)),
            1 => siblings.insert(at, siblings[at].clone()),
            2 => {
                let other = dice.roll(siblings.len());
                siblings.swap(at, other);
            }
            // Another constructor, where there is one.
            3 | 4 => {
                for _ in 0..20 {
                    let from = dice.roll(others.len());
                    let other = any(dice, &others[from]);
                    if let Some(other) = other.filter(is_capital) {
                        if let Form::List(_, parts) = &mut siblings[at] {
                            if let Some(first) = parts.first_mut() {
                                *first = other;
                            }
                        } else {
                            siblings[at] = other;
                        }
                        break;
                    }
                }
            }
            5 => {
                if let Form::List(_, parts) = &mut siblings[at] {
                    // One argument less, or one more.
                    if dice.one_in(2) {
                        drop(parts.pop());
                    } else if let Some(own) = own {
                        parts.push(own);
                    }
                }
            }
            6 => {
                if let Form::List(_, parts) = &siblings[at]
                    && !parts.is_empty()
                {
                    siblings[at] = parts[dice.roll(parts.len())].clone();
                }
            }
            7 => siblings[at] = Form::Atom(literal(dice).to_owned()),
            8 => siblings[at] = own.unwrap_or(Form::Atom("0".into())),
            _ => siblings[at] = foreign.unwrap_or(Form::Atom("0".into())),
        }
    }
}

fn literal(dice: &mut Dice) -> &'static str {
    dice.pick(&["0", "1", "-1", "'a'", "\"ab\"", "9223372036854775808", "[]", "Nil", "_", "error"])
}
