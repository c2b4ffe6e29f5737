//! CoreF text of a program.

use std::collections::HashSet;
use std::fmt::Write;

use anyhow::{Context, Result};

use crate::core::{Expr, ExprId, GlobalId, Meaning, Pattern, Program};
use crate::dump::Place;
use crate::support::Support;

/// Returns the name in CoreF of a definition of Haskell.
#[must_use]
pub fn mangled(name: &str) -> String {
    let mut out = String::from("v_");
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => out.push(c),
            '.' => out.push('-'),
            '_' => out.push_str("__"),
            c => {
                // Writing to a text does not fail.
                let _ = write!(out, "_{:x}_", u32::from(c));
            }
        }
    }
    out
}

/// Returns a text as a literal of CoreF.
#[must_use]
pub fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 32 || c as u32 >= 127 => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns the text of a program that performs the action `root`, with the runtime in it. Calls in
/// the modules for which `file` knows the source have their places.
///
/// # Errors
/// When something that is reached has no meaning.
pub fn emit(
    program: &Program<'_>,
    support: &Support,
    root: GlobalId,
    file: &dyn Fn(&str) -> Option<String>,
) -> Result<String> {
    let mut emitter = Emitter {
        program,
        out: String::new(),
        seen: HashSet::new(),
        datas: HashSet::new(),
        waiting: Vec::new(),
        file: None,
    };
    emitter.want(root);
    for (id, global) in (0..).zip(&program.globals) {
        if support.wanted().any(|name| name == global.name) {
            emitter.want(id);
        }
    }
    while let Some(id) = emitter.waiting.pop() {
        emitter.file = file(&program.globals[id as usize].module);
        emitter.global(id)?;
    }
    emitter.shapes();
    emitter.out.push_str(support.runtime());
    if let Some(&Meaning::Defined(body)) = program.meaning(root) {
        emitter.file = file(&program.globals[root as usize].module);
        emitter.at(program.first_place(body));
    }
    let main = mangled(emitter.name(root));
    let _ = writeln!(emitter.out, "(defn main[] {main})");
    Ok(emitter.out)
}

struct Emitter<'p, 'a> {
    program: &'p Program<'a>,
    out: String,
    seen: HashSet<GlobalId>,
    datas: HashSet<u32>,
    waiting: Vec<GlobalId>,
    /// The file whose places are written.
    file: Option<String>,
}

impl Emitter<'_, '_> {
    fn want(&mut self, id: GlobalId) {
        if self.seen.insert(id) {
            self.waiting.push(id);
        }
    }

    fn name(&self, id: GlobalId) -> &str {
        &self.program.globals[id as usize].name
    }

    fn con_name(&self, id: GlobalId) -> String {
        mangled(self.name(id)).replacen("v_", "c_", 1)
    }

    fn data(&mut self, data: u32) {
        if !self.datas.insert(data) {
            return;
        }
        let cons = &self.program.datas[data as usize].cons;
        let _ = write!(self.out, "(data _");
        for &(con, fields) in cons {
            let shown = self.name(con);
            let shown = match shown.strip_suffix("$C") {
                Some(class) => class,
                // An operator may be a dot.
                None => shown
                    .rsplit_once('.')
                    .map_or(shown, |(_, last)| if last.is_empty() { shown } else { last }),
            };
            let (shown, name) = (literal(shown), self.con_name(con));
            let _ = write!(self.out, " ({{name {shown}}} {name}{})", " _".repeat(fields));
        }
        self.out.push_str(")\n");
    }

    /// Returns whether an expression is a piece of CoreF.
    fn is_code(&self, f: ExprId, wanted: &str) -> bool {
        match &self.program.exprs[f as usize] {
            Expr::Code(code) => code == wanted,
            Expr::Global(id) => {
                matches!(self.program.meaning(*id), Some(Meaning::Code(code)) if code == wanted)
            }
            _ => false,
        }
    }

    /// Returns whether an application of `f` to something and `arg` goes on with a function that has a
    /// name.
    fn is_named_after_bind(&self, f: ExprId, arg: ExprId) -> bool {
        let arg = &self.program.exprs[arg as usize];
        self.is_code(f, "#bind") && matches!(arg, Expr::Global(_) | Expr::Local(_))
    }

    /// Writes the directive that says where what follows comes from.
    fn at(&mut self, place: Option<Place>) {
        if let (Some(Place { line, column }), Some(file)) = (place, &self.file) {
            let _ = write!(self.out, "{{at {} {line} {column}}}", literal(file));
        }
    }

    fn global(&mut self, id: GlobalId) -> Result<()> {
        let name = mangled(self.name(id));
        let shown = literal(self.name(id));
        let meaning = self.program.meaning(id);
        match meaning.with_context(|| format!("`{}` has no meaning", self.name(id)))? {
            Meaning::Code(code) => {
                let _ = writeln!(self.out, "{{name {shown}}} (defn {name}[] {code})");
            }
            Meaning::Con { data, strict } => {
                self.data(*data);
                let con = self.con_name(id);
                let parameters: Vec<String> =
                    (0..strict.len()).map(|at| format!("x{at}")).collect();
                let parameters = parameters.join(" ");
                let _ = write!(self.out, "{{name {shown}}} (defn {name}[{parameters}] ");
                for at in (0..strict.len()).filter(|&at| strict[at]) {
                    let _ = write!(self.out, "(#seq x{at} ");
                }
                match strict.len() {
                    0 => self.out.push_str(&con),
                    _ => {
                        let _ = write!(self.out, "({con} {parameters})");
                    }
                }
                let brackets = strict.iter().filter(|&&strict| strict).count();
                let _ = writeln!(self.out, "{})", ")".repeat(brackets));
            }
            Meaning::Class { data, .. } => self.data(*data),
            Meaning::Selector { class, field } => {
                let Some(&Meaning::Class { data, fields }) = self.program.meaning(*class) else {
                    anyhow::bail!("`{}` selects from no class", self.name(id))
                };
                self.data(data);
                let con = self.con_name(*class);
                let _ = write!(self.out, "{{name {shown}}} (defn {name}[d] (case d [({con}");
                for at in 0..fields {
                    self.out.push_str(if at == *field { " x" } else { " _" });
                }
                self.out.push_str(") x]))\n");
            }
            &Meaning::Defined(expr) => {
                // What of the definition has no place of its own is that of its first call: else it
                // would be taken for the library's.
                if self.file.is_some() {
                    self.at(self.program.first_place(expr));
                }
                let _ = write!(self.out, "{{name {shown}}} (defn {name}[");
                if let Expr::Lambda(locals, body) = &self.program.exprs[expr as usize] {
                    self.parameters(locals);
                    self.out.push_str("] ");
                    self.expr(*body);
                } else {
                    self.out.push_str("] ");
                    self.expr(expr);
                }
                self.out.push_str(")\n");
            }
        }
        Ok(())
    }

    /// Writes what takes the values of all data types apart, and puts them together, where values
    /// are serialized: see `support/values.core`.
    fn shapes(&mut self) {
        let is_wanted = ["h_serialize", "h_deserialize"].iter().any(|name| self.out.contains(name));
        let mut datas: Vec<u32> = self.datas.iter().copied().filter(|_| is_wanted).collect();
        datas.sort_unstable();
        let (mut types, mut build) = (String::new(), String::new());
        for data in datas {
            let cons = &self.program.datas[data as usize].cons;
            let is_class = |id| matches!(self.program.meaning(id), Some(Meaning::Class { .. }));
            if cons.iter().any(|&(id, _)| is_class(id)) {
                continue;
            }
            types.push_str(" (fn [x] (case x");
            for &(id, fields) in cons {
                let (name, con) = (literal(self.name(id)), self.con_name(id));
                let parts: String = (0..fields).fold(String::new(), |text, at| {
                    text + if at > 0 { " x" } else { "x" } + &at.to_string()
                });
                let list = (0..fields)
                    .rev()
                    .fold("_".to_owned(), |rest, at| format!("(Cons x{at} {rest})"));
                // Writing to a text does not fail.
                let _ = write!(types, " [({con} {parts}) (h_Shape {name} [{parts}])]");
                let _ = write!(build, " [{name} (case fields [{list} ({con} {parts})])]");
            }
            types.push_str("))");
        }
        let _ = writeln!(self.out, "(defn h_types[] [{types}])");
        let no = "(#error \"there is no such constructor\")";
        let _ = writeln!(self.out, "(defn h_build[name fields] (case name{build} [_ {no}]))");
    }

    fn parameters(&mut self, locals: &[u32]) {
        for (at, local) in locals.iter().enumerate() {
            let _ = write!(self.out, "{}l{local}", if at > 0 { " " } else { "" });
        }
    }

    fn expr(&mut self, id: ExprId) {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        match &self.program.exprs[id as usize] {
            Expr::Local(local) => {
                let _ = write!(self.out, "l{local}");
            }
            Expr::Global(id) => self.reference(*id),
            Expr::Code(code) => self.out.push_str(code),
            Expr::Text(text) if text.is_empty() => self.out.push_str("Nil"),
            Expr::Text(text) => {
                let _ = write!(self.out, "(h_text {})", literal(text));
            }
            Expr::Apply(f, args, place) => {
                if let (&[first, rest], true) = (args.as_slice(), self.file.is_some())
                    && self.is_code(*f, "h_then")
                {
                    // As the runtime has it, but the function stands in the program: a failure is
                    // told at the action before it.
                    self.at(*place);
                    self.out.push_str("(let ([n ");
                    self.expr(rest);
                    self.out.push_str("]) (#bind ");
                    self.expr(first);
                    self.out.push_str(" (fn [_] n)))");
                    return;
                }
                self.at(*place);
                self.out.push('(');
                self.expr(*f);
                for (at, &arg) in args.iter().enumerate() {
                    if at == 1 && self.file.is_some() && self.is_named_after_bind(*f, arg) {
                        // A failure is told at the action before a function that stands there.
                        self.out.push_str(" (fn [x] (");
                        self.expr(arg);
                        self.out.push_str(" x))");
                        continue;
                    }
                    self.out.push(' ');
                    self.expr(arg);
                }
                self.out.push(')');
            }
            Expr::Lambda(locals, body) => {
                self.out.push_str("(fn [");
                self.parameters(locals);
                self.out.push_str("] ");
                self.expr(*body);
                self.out.push(')');
            }
            Expr::Let(local, value, body) => {
                let _ = write!(self.out, "(let ([l{local} ");
                self.expr(*value);
                self.out.push_str("]) ");
                self.expr(*body);
                self.out.push(')');
            }
            Expr::Letrec(bindings, body) => {
                self.out.push_str("(letrec (");
                for &(local, value) in bindings {
                    let _ = write!(self.out, "[l{local} ");
                    self.expr(value);
                    self.out.push(']');
                }
                self.out.push_str(") ");
                self.expr(*body);
                self.out.push(')');
            }
            Expr::Case(scrutinee, alternatives, other) => {
                self.out.push_str("(case ");
                self.expr(*scrutinee);
                for (pattern, locals, body) in alternatives {
                    let con = match pattern {
                        Pattern::Code(code) => (*code).to_owned(),
                        Pattern::Con(con) => {
                            if let Some(&Meaning::Con { data, .. }) = self.program.meaning(*con) {
                                self.want_data(data);
                            }
                            self.con_name(*con)
                        }
                    };
                    let _ = write!(self.out, " [({con}");
                    for local in locals {
                        let _ = write!(self.out, " l{local}");
                    }
                    self.out.push_str(") ");
                    self.expr(*body);
                    self.out.push(']');
                }
                if let Some(other) = other {
                    self.out.push_str(" [_ ");
                    self.expr(*other);
                    self.out.push(']');
                }
                self.out.push(')');
            }
            Expr::If(c, t, e) => {
                self.out.push_str("(#if ");
                self.expr(*c);
                self.out.push(' ');
                self.expr(*t);
                self.out.push(' ');
                self.expr(*e);
                self.out.push(')');
            }
        }
    }

    /// Sees to it that a data type is declared, within an item or after it.
    fn want_data(&mut self, data: u32) {
        let first = self.program.datas[data as usize].cons.first().map(|&(con, _)| con);
        if let Some(con) = first {
            self.want(con);
        }
    }

    fn reference(&mut self, id: GlobalId) {
        match self.program.meaning(id) {
            Some(Meaning::Code(code)) => self.out.push_str(code),
            Some(Meaning::Con { data, strict }) if !strict.contains(&true) => {
                self.want_data(*data);
                let name = self.con_name(id);
                self.out.push_str(&name);
            }
            Some(Meaning::Class { .. }) => {
                self.want(id);
                let name = self.con_name(id);
                self.out.push_str(&name);
            }
            _ => {
                self.want(id);
                let name = mangled(self.name(id));
                self.out.push_str(&name);
            }
        }
    }
}
