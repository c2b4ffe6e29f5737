//! Programs as nested brackets, to make smaller, rename and reorder ones of them. It knows the
//! tokens of the language and nothing else of it.

use std::collections::BTreeSet;

/// A form of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// A name, a keyword or a literal.
    Atom(String),
    /// What stands between brackets, the opening one first.
    List(char, Vec<Form>),
}

/// Reads the forms of a text without comments whose brackets are balanced.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn read(text: &str) -> Vec<Form> {
    try_read(text).expect("balanced brackets and quotes")
}

/// Reads as [`read`] does; `None` if brackets or quotes are not balanced.
#[must_use]
pub fn try_read(text: &str) -> Option<Vec<Form>> {
    let mut open: Vec<(char, Vec<Form>)> = vec![('(', Vec::new())];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | '[' => {
                open.push((first, Vec::new()));
                1
            }
            ')' | ']' => {
                let (bracket, forms) = open.pop()?;
                if (bracket == '(') != (first == ')') {
                    return None;
                }
                open.last_mut()?.1.push(Form::List(bracket, forms));
                1
            }
            '"' | '\'' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == first && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end? + 2
            }
            c if c.is_whitespace() => c.len_utf8(),
            _ => {
                rest.find(|c: char| c.is_whitespace() || "()[]\"".contains(c)).unwrap_or(rest.len())
            }
        };
        let (token, others) = rest.split_at(length);
        if !"()[]".contains(token) && !token.trim().is_empty() {
            open.last_mut()?.1.push(Form::Atom(token.to_owned()));
        }
        rest = others;
    }
    let (_, forms) = open.pop()?;
    open.is_empty().then_some(forms)
}

/// Returns the text of some forms, one on a line.
pub fn write(forms: &[Form]) -> String {
    let mut out = String::new();
    for form in forms {
        put(form, &mut out);
        out.push('\n');
    }
    out
}

fn put(form: &Form, out: &mut String) {
    match form {
        Form::Atom(atom) => out.push_str(atom),
        Form::List(bracket, forms) => {
            out.push(*bracket);
            for (at, form) in forms.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                put(form, out);
            }
            out.push(if *bracket == '(' { ')' } else { ']' });
        }
    }
}

fn at<'f>(forms: &'f mut [Form], path: &[usize]) -> &'f mut Form {
    let (&first, rest) = path.split_first().expect("a path");
    match (&mut forms[first], rest) {
        (form, []) => form,
        (Form::List(_, inner), rest) => at(inner, rest),
        (Form::Atom(_), _) => panic!("an atom holds nothing"),
    }
}

fn paths(forms: &[Form], prefix: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
    for (index, form) in forms.iter().enumerate() {
        prefix.push(index);
        out.push(prefix.clone());
        if let Form::List(_, inner) = form {
            paths(inner, prefix, out);
        }
        prefix.pop();
    }
}

/// Makes a failing program smaller as long as it still fails: a form goes away, or one of its
/// parts or `1` takes its place.
pub fn shrink(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut best = read(text);
    loop {
        let mut all = Vec::new();
        paths(&best, &mut Vec::new(), &mut all);
        let smaller = all.iter().find_map(|path| {
            let (last, parent) = path.split_last().expect("a path");
            let mut changed: Vec<Vec<Form>> = Vec::new();
            let mut without = best.clone();
            match parent {
                [] => drop(without.remove(*last)),
                _ => match at(&mut without, parent) {
                    Form::List(_, forms) => drop(forms.remove(*last)),
                    Form::Atom(_) => return None,
                },
            }
            changed.push(without);
            let mut original = best.clone();
            let form = at(&mut original, path).clone();
            if let Form::List(_, parts) = &form {
                let one = Form::Atom("1".to_owned());
                for part in parts.iter().chain([&one]) {
                    let mut instead = best.clone();
                    *at(&mut instead, path) = part.clone();
                    changed.push(instead);
                }
            }
            changed.into_iter().find(|forms| fails(&write(forms)))
        });
        match smaller {
            Some(forms) => best = forms,
            None => return write(&best),
        }
    }
}

/// Collects the names that a program binds: parameters, lets, definitions, variables of patterns.
fn bound(forms: &[Form], names: &mut BTreeSet<String>) {
    let pattern = |form: &Form, names: &mut BTreeSet<String>| {
        let mut work = vec![form.clone()];
        while let Some(form) = work.pop() {
            match form {
                Form::Atom(atom) => drop(names.insert(atom)),
                Form::List(_, forms) => work.extend(forms.into_iter().skip(1)),
            }
        }
    };
    for form in forms {
        let Form::List(_, inner) = form else { continue };
        bound(inner, names);
        match inner.as_slice() {
            [Form::Atom(head), name, params, ..] if head == "defn" => {
                pattern(name, names);
                if let Form::List(_, params) = params {
                    params.iter().for_each(|param| pattern(param, names));
                }
            }
            [Form::Atom(head), Form::List(_, params), ..] if head == "fn" => {
                params.iter().for_each(|param| pattern(param, names));
            }
            [Form::Atom(head), Form::List(_, bindings), ..] if head.starts_with("let") => {
                for binding in bindings {
                    if let Form::List(_, parts) = binding {
                        parts.iter().take(1).for_each(|name| pattern(name, names));
                    }
                }
            }
            [Form::Atom(head), _, alternatives @ ..] if head == "case" => {
                for alternative in alternatives {
                    if let Form::List(_, parts) = alternative {
                        parts.iter().take(1).for_each(|name| pattern(name, names));
                    }
                }
            }
            _ => {}
        }
    }
}

/// What renamed names end in.
pub const RENAMED: &str = "_of_mine";

/// Returns the program with another name for all that it binds, but what `fixed` tells to leave.
pub fn rename(text: &str, fixed: &dyn Fn(&str) -> bool) -> String {
    let mut forms = read(text);
    let mut names = BTreeSet::new();
    bound(&forms, &mut names);
    names.retain(|name| {
        name != "_"
            && name != "main"
            && name.starts_with(|c: char| c.is_alphabetic())
            && !fixed(name)
    });
    let mut work: Vec<&mut Form> = forms.iter_mut().collect();
    while let Some(form) = work.pop() {
        match form {
            Form::Atom(atom) if names.contains(atom) => atom.push_str(RENAMED),
            Form::Atom(_) => {}
            Form::List(_, forms) => work.extend(forms.iter_mut()),
        }
    }
    write(&forms)
}
