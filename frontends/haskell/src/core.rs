//! The program between dump and CoreF: definitions with recursion, constructors and cases given
//! back, and what a name of Haskell stands for.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::dump::{Dump, Place, Term, TermId, Terms};
use crate::support::Support;

/// A position of an expression in [`Program::exprs`].
pub type ExprId = u32;

/// A variable; its name is in [`Program::locals`].
pub type Local = u32;

/// A definition, by its position in [`Program::globals`].
pub type GlobalId = u32;

/// A constructor in a pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// One of a data type of the program.
    Con(GlobalId),
    /// One of CoreF's lists; the unit is `Nil` too.
    Code(&'static str),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A variable.
    Local(Local),
    /// A definition.
    Global(GlobalId),
    /// A piece of CoreF that is an atom or brackets of its own.
    Code(String),
    /// A text, which becomes a list of code points.
    Text(String),
    /// An application with its place, if it has one.
    Apply(ExprId, Vec<ExprId>, Option<Place>),
    /// A function.
    Lambda(Vec<Local>, ExprId),
    /// A binding, not recursive.
    Let(Local, ExprId, ExprId),
    /// Bindings that see each other.
    Letrec(Vec<(Local, ExprId)>, ExprId),
    /// A choice by constructor: alternatives with their fields, and what holds for all others.
    Case(ExprId, Vec<(Pattern, Vec<Local>, ExprId)>, Option<ExprId>),
    /// A choice by a truth value.
    If(ExprId, ExprId, ExprId),
}

impl Expr {
    /// Returns the expressions that it consists of.
    #[must_use]
    pub fn children(&self) -> Vec<ExprId> {
        match self {
            Expr::Local(_) | Expr::Global(_) | Expr::Code(_) | Expr::Text(_) => Vec::new(),
            Expr::Apply(f, args, _) => std::iter::once(*f).chain(args.iter().copied()).collect(),
            Expr::Lambda(_, body) => vec![*body],
            Expr::Let(_, value, body) => vec![*value, *body],
            Expr::Letrec(bindings, body) => {
                bindings.iter().map(|&(_, value)| value).chain([*body]).collect()
            }
            Expr::Case(scrutinee, alternatives, other) => {
                let bodies = alternatives.iter().map(|&(.., body)| body);
                std::iter::once(*scrutinee).chain(bodies).chain(*other).collect()
            }
            Expr::If(c, t, e) => vec![*c, *t, *e],
        }
    }
}

/// What a global is.
#[derive(Clone, PartialEq, Debug)]
pub enum Meaning {
    /// An expression.
    Defined(ExprId),
    /// A constructor.
    Con {
        /// Its data type.
        data: u32,
        /// Whether each field is strict.
        strict: Vec<bool>,
    },
    /// What makes the dictionaries of a class.
    Class {
        /// Their data type.
        data: u32,
        /// How many fields they have.
        fields: usize,
    },
    /// A method or superclass of a class.
    Selector {
        /// The class.
        class: GlobalId,
        /// The field of its dictionaries.
        field: usize,
    },
    /// A piece of CoreF.
    Code(String),
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name in Haskell, and for parts of dictionaries what is made of it.
    pub name: String,
    /// Its module.
    pub module: String,
    /// What it is; `None` before it was looked at.
    pub meaning: Option<Meaning>,
}

/// A data type, with its constructors in order.
#[derive(Clone, Debug)]
pub struct Data {
    /// The constructors, and how many fields each has.
    pub cons: Vec<(GlobalId, usize)>,
}

/// A program.
pub struct Program<'a> {
    /// All expressions.
    pub exprs: Vec<Expr>,
    /// The names of variables.
    pub locals: Vec<String>,
    /// All definitions.
    pub globals: Vec<Global>,
    /// All data types, those of dictionaries included.
    pub datas: Vec<Data>,
    names: HashMap<String, GlobalId>,
    dump: &'a Dump<'a>,
    order: HashMap<&'a str, usize>,
    support: &'a Support,
    waiting: Vec<GlobalId>,
}

/// Bindings that see each other, and what stands for the tuple that they were.
type Group = (Vec<(Local, ExprId)>, Expr);

type Scope<'a> = FxHashMap<&'a str, Vec<Expr>>;

impl<'a> Program<'a> {
    /// Translates what the definitions `roots` reach.
    ///
    /// # Errors
    /// When the dump is not of its grammar or a name has no meaning.
    pub fn new(dump: &'a Dump<'a>, support: &'a Support, roots: &[&str]) -> Result<Program<'a>> {
        let order = dump.names.iter().enumerate().map(|(at, &name)| (name, at)).collect();
        let mut program = Program {
            exprs: Vec::new(),
            locals: Vec::new(),
            globals: Vec::new(),
            datas: Vec::new(),
            names: HashMap::new(),
            dump,
            order,
            support,
            waiting: Vec::new(),
        };
        for root in roots {
            program.global(root);
        }
        for name in support.wanted() {
            program.global(name);
        }
        while let Some(id) = program.waiting.pop() {
            program.define(id)?;
        }
        Ok(program)
    }

    /// Returns the definition with a name of Haskell.
    pub fn global(&mut self, name: &str) -> GlobalId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let module = self.dump.definitions.get(name).map_or("", |definition| definition.module);
        let id = self.new_global(name.to_owned(), module.to_owned(), None);
        self.waiting.push(id);
        id
    }

    /// Makes a definition with a name that no other has.
    pub fn new_global(
        &mut self,
        name: String,
        module: String,
        meaning: Option<Meaning>,
    ) -> GlobalId {
        let id = self.globals.len() as GlobalId;
        self.names.insert(name.clone(), id);
        self.globals.push(Global { name, module, meaning });
        id
    }

    /// Returns the tables of names.
    #[must_use]
    pub fn support(&self) -> &'a Support {
        self.support
    }

    /// Returns what a definition is.
    #[must_use]
    pub fn meaning(&self, id: GlobalId) -> Option<&Meaning> {
        self.globals.get(id as usize)?.meaning.as_ref()
    }

    /// Returns the first place in an expression.
    #[must_use]
    pub fn first_place(&self, id: ExprId) -> Option<Place> {
        let (mut first, mut waiting): (Option<Place>, _) = (None, vec![id]);
        while let Some(id) = waiting.pop() {
            let expr = &self.exprs[id as usize];
            if let Expr::Apply(_, _, Some(place)) = expr {
                let before = |first: Place| (first.line, first.column) < (place.line, place.column);
                if !first.is_some_and(before) {
                    first = Some(*place);
                }
            }
            waiting.extend(expr.children());
        }
        first
    }

    /// Returns how many parameters a definition has.
    #[must_use]
    pub fn arity(&self, id: GlobalId) -> usize {
        match self.meaning(id) {
            Some(&Meaning::Defined(expr)) => match &self.exprs[expr as usize] {
                Expr::Lambda(parameters, _) => parameters.len(),
                _ => 0,
            },
            Some(Meaning::Con { strict, .. }) => strict.len(),
            Some(&Meaning::Class { fields, .. }) => fields,
            Some(Meaning::Selector { .. }) => 1,
            _ => 0,
        }
    }

    /// Adds an expression.
    pub fn push(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        self.exprs.len() as ExprId - 1
    }

    /// Makes a variable.
    pub fn local(&mut self, name: &str) -> Local {
        self.locals.push(name.to_owned());
        self.locals.len() as Local - 1
    }

    /// Returns an application, or the function if there are no arguments.
    pub fn apply(&mut self, f: ExprId, mut args: Vec<ExprId>, place: Option<Place>) -> ExprId {
        if args.is_empty() {
            return f;
        }
        if let Expr::Apply(inner, first, at) = &self.exprs[f as usize] {
            let (inner, at) = (*inner, place.or(*at));
            let mut all = first.clone();
            all.append(&mut args);
            return self.push(Expr::Apply(inner, all, at));
        }
        self.push(Expr::Apply(f, args, place))
    }

    fn define(&mut self, id: GlobalId) -> Result<()> {
        let name = self.globals[id as usize].name.clone();
        if let Some(code) = self.support.definition(&name) {
            self.globals[id as usize].meaning = Some(Meaning::Code(code.to_owned()));
            return Ok(());
        }
        if let Some(commas) = tuple(&name) {
            let data = self.datas.len() as u32;
            self.datas.push(Data { cons: vec![(id, commas)] });
            let strict = vec![false; commas];
            self.globals[id as usize].meaning = Some(Meaning::Con { data, strict });
            return Ok(());
        }
        let Some(definition) = self.dump.definitions.get(name.as_str()) else {
            bail!("the dump has no definition of `{name}`");
        };
        if let Some(con) = definition.body.strip_prefix("$con:") {
            return self.constructor(&name, con);
        }
        let mut terms = Terms::new();
        let root = definition.parse(&mut terms)?;
        if name.ends_with("$C") {
            let mut fields = 0;
            let mut at = root;
            while let Term::Lambda(parameter, body) = &terms[at as usize] {
                fields += usize::from(*parameter != "$f");
                at = *body;
            }
            let data = self.datas.len() as u32;
            self.datas.push(Data { cons: vec![(id, fields)] });
            self.globals[id as usize].meaning = Some(Meaning::Class { data, fields });
            return Ok(());
        }
        if let Some(field) = selected(&terms, root) {
            let at = self.order.get(name.as_str()).copied().unwrap_or(0);
            let before = self.dump.names.get(..at).unwrap_or(&[]).iter().rev();
            let class = before.copied().find(|name| name.ends_with("$C"));
            let class = class.with_context(|| format!("`{name}` is a method of no class"))?;
            let class = self.global(class);
            self.globals[id as usize].meaning = Some(Meaning::Selector { class, field });
            return Ok(());
        }
        let mut scope = Scope::default();
        let expr = Convert { program: self, terms: &terms, scope: &mut scope }
            .term(root)
            .with_context(|| format!("in the definition of `{name}`"))?;
        self.globals[id as usize].meaning = Some(Meaning::Defined(expr));
        Ok(())
    }

    /// Gives meaning to all constructors of a data type, of which one is `name`.
    fn constructor(&mut self, name: &str, con: &str) -> Result<()> {
        let index: usize = con.split(':').next().unwrap_or("").parse()?;
        let total: usize = con.split(':').nth(1).unwrap_or("").parse()?;
        let first = self.order.get(name).copied().unwrap_or(0);
        let first = first.checked_sub(index).context("constructors are out of order")?;
        let names = self.dump.names.get(first..first + total);
        let names = names.context("constructors are missing")?;
        let data = self.datas.len() as u32;
        let mut cons = Vec::new();
        for name in names {
            let body = self.dump.definitions.get(name).map_or("", |definition| definition.body);
            let flags = body.strip_prefix("$con:").and_then(|rest| rest.rsplit(':').next());
            let strict: Vec<bool> = flags
                .context("constructors are out of order")?
                .bytes()
                .map(|b| b == b'S')
                .collect();
            let id = self.global(name);
            cons.push((id, strict.len()));
            self.globals[id as usize].meaning = Some(match *name {
                "Data.List_Type.[]" => Meaning::Code("Nil".into()),
                "Data.List_Type.:" => Meaning::Code("Cons".into()),
                "Data.Bool_Type.False" => Meaning::Code("0".into()),
                "Data.Bool_Type.True" => Meaning::Code("1".into()),
                _ => Meaning::Con { data, strict },
            });
        }
        self.datas.push(Data { cons });
        // They need not be looked at again.
        let globals = &self.globals;
        self.waiting.retain(|&id| globals[id as usize].meaning.is_none());
        Ok(())
    }
}

/// Returns the number of components of the tuple constructor with this name.
fn tuple(name: &str) -> Option<usize> {
    (!name.is_empty() && name.bytes().all(|byte| byte == b',')).then_some(name.len() + 1)
}

/// Returns the field that a method of a class selects: `\f. f (\x1 .. xn. xi)`.
fn selected(terms: &Terms<'_>, root: TermId) -> Option<usize> {
    let Term::Lambda("$f", body) = terms[root as usize] else { return None };
    let Term::Apply(f, function) = terms[body as usize] else { return None };
    let Term::Name("$f", _) = terms[f as usize] else { return None };
    let mut parameters = Vec::new();
    let mut at = function;
    while let Term::Lambda(parameter, body) = terms[at as usize] {
        parameters.push(parameter);
        at = body;
    }
    let Term::Name(name, _) = terms[at as usize] else { return None };
    parameters.iter().position(|&parameter| parameter == name)
}

/// The conversion of one definition.
struct Convert<'p, 'a, 't> {
    program: &'p mut Program<'a>,
    terms: &'t Terms<'a>,
    scope: &'p mut Scope<'a>,
}

impl<'a> Convert<'_, 'a, '_> {
    fn term(&mut self, at: TermId) -> Result<ExprId> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.term_here(at))
    }

    fn bind(&mut self, name: &'a str) -> Local {
        let local = self.program.local(name);
        self.scope.entry(name).or_default().push(Expr::Local(local));
        local
    }

    fn unbind(&mut self, name: &'a str) {
        if let Some(bound) = self.scope.get_mut(name) {
            bound.pop();
        }
    }

    fn term_here(&mut self, at: TermId) -> Result<ExprId> {
        let expr = match &self.terms[at as usize] {
            Term::Name(..) | Term::Apply(..) => return self.spine(at),
            Term::Int(digits) => Expr::Code((*digits).to_owned()),
            Term::Double(digits) => Expr::Code(float(digits)?),
            Term::Float(digits) => Expr::Code(single(digits)?),
            Term::Text(text) => Expr::Text(text.clone()),
            Term::Bytes(bytes) => {
                // A text is read and compiled as a whole, whatever its length.
                let text: String = bytes.chars().map(|c| char::from(u32::from(c) as u8)).collect();
                let literal = crate::emit::literal(&text);
                Expr::Code(match text.is_ascii() {
                    true => format!("(#bytesFromText {literal})"),
                    false => format!("(#bytesFromList (h_text {literal}))"),
                })
            }
            Term::Foreign(name) => Expr::Code(self.program.support.foreign(name)),
            Term::Lambda(..) => {
                let (parameters, body) = self.parameters(at);
                let locals = parameters.iter().map(|name| self.bind(name)).collect();
                let body = self.term(body)?;
                parameters.iter().for_each(|name| self.unbind(name));
                Expr::Lambda(locals, body)
            }
            &Term::Let(name, value, body) => return self.binding(name, value, body),
        };
        Ok(self.program.push(expr))
    }

    fn parameters(&self, mut at: TermId) -> (Vec<&'a str>, TermId) {
        let mut parameters = Vec::new();
        while let Term::Lambda(parameter, body) = self.terms[at as usize] {
            // Of two parameters with one name only the inner one can be seen.
            if parameters.contains(&parameter) {
                break;
            }
            parameters.push(parameter);
            at = body;
        }
        (parameters, at)
    }

    /// Returns the recursive function that `Y (\x. e)` is.
    fn recursion(&self, at: TermId) -> Option<(&'a str, TermId)> {
        let Term::Apply(y, function) = self.terms[at as usize] else { return None };
        let Term::Name("Y", _) = self.terms[y as usize] else { return None };
        match self.terms[function as usize] {
            Term::Lambda(name, body) => Some((name, body)),
            _ => None,
        }
    }

    /// Converts `let x = e in b`, also where e is recursive.
    fn binding(&mut self, name: &'a str, value: TermId, body: TermId) -> Result<ExprId> {
        if let Some((inner, recursive)) = self.recursion(value) {
            if let Some(group) = self.group(inner, recursive)? {
                // The tuple itself is seen through its components alone.
                self.scope.entry(name).or_default().push(group.1);
                let body = self.term(body)?;
                self.unbind(name);
                return Ok(self.program.push(Expr::Letrec(group.0, body)));
            }
            let local = self.bind(inner);
            let value = self.term(recursive)?;
            self.unbind(inner);
            self.scope.entry(name).or_default().push(Expr::Local(local));
            let body = self.term(body)?;
            self.unbind(name);
            return Ok(self.program.push(Expr::Letrec(vec![(local, value)], body)));
        }
        let value = self.term(value)?;
        let local = self.bind(name);
        let body = self.term(body)?;
        self.unbind(name);
        Ok(self.program.push(Expr::Let(local, value, body)))
    }

    /// Returns the bindings of `Y (\m. lets in (e1, .., en))`, a group of definitions that see each
    /// other, and what stands for m: the code `$group` applied to the variables.
    fn group(&mut self, name: &'a str, body: TermId) -> Result<Option<Group>> {
        let mut lets = Vec::new();
        let mut at = body;
        while let Term::Let(x, value, body) = self.terms[at as usize] {
            lets.push((x, value));
            at = body;
        }
        let mut parts = Vec::new();
        while let Term::Apply(f, part) = self.terms[at as usize] {
            parts.push(part);
            at = f;
        }
        parts.reverse();
        let Term::Name(head, _) = self.terms[at as usize] else { return Ok(None) };
        let size = head.strip_prefix("$tuple:").and_then(|size| size.parse().ok());
        if size != Some(parts.len()) || parts.is_empty() || !name.starts_with("$m") {
            return Ok(None);
        }
        let locals: Vec<Local> = parts.iter().map(|_| self.program.local("m")).collect();
        let of: Vec<ExprId> =
            locals.iter().map(|&local| self.program.push(Expr::Local(local))).collect();
        let head = self.program.push(Expr::Code(GROUP.into()));
        let whole = Expr::Apply(head, of, None);
        self.scope.entry(name).or_default().push(whole.clone());
        let mut bindings = Vec::new();
        for &(x, value) in &lets {
            let value = self.term(value)?;
            let expr = self.program.exprs[value as usize].clone();
            if let Expr::Local(_) = expr {
                self.scope.entry(x).or_default().push(expr);
            } else {
                let local = self.bind(x);
                bindings.push((local, value));
            }
        }
        for (&local, &part) in locals.iter().zip(&parts) {
            let part = self.term(part)?;
            bindings.push((local, part));
        }
        lets.iter().for_each(|(x, _)| self.unbind(x));
        self.unbind(name);
        Ok(Some((bindings, whole)))
    }

    /// Converts a name with its arguments.
    fn spine(&mut self, at: TermId) -> Result<ExprId> {
        let mut args = Vec::new();
        let mut head = at;
        while let Term::Apply(f, x) = self.terms[head as usize] {
            args.push(x);
            head = f;
        }
        args.reverse();
        let Term::Name(name, place) = self.terms[head as usize] else {
            let f = self.term(head)?;
            let args = self.terms_of(&args)?;
            return Ok(self.program.apply(f, args, None));
        };
        if let Some(bound) = self.scope.get(name).and_then(|bound| bound.last()) {
            let f = self.program.push(bound.clone());
            let args = self.terms_of(&args)?;
            return Ok(self.program.apply(f, args, place));
        }
        if let Some(rest) = name.strip_prefix('$')
            && let Some(expr) = self.marked(rest, &args)?
        {
            return Ok(expr);
        }
        if name == "Y"
            && let [_, rest @ ..] = args.as_slice()
        {
            // The argument is there, so the application of `Y` to it is.
            let mut first = at;
            for _ in rest {
                let Term::Apply(f, _) = self.terms[first as usize] else { break };
                first = f;
            }
            if let Some((inner, body)) = self.recursion(first) {
                let f = self.recursive(inner, body)?;
                let rest = self.terms_of(rest)?;
                return Ok(self.program.apply(f, rest, place));
            }
        }
        if let ("IO.performIO", [action]) = (name, args.as_slice())
            && let Some(value) = self.pure(*action)?
        {
            return Ok(value);
        }
        if let (THROW_IO, 1 | 2) = (name, args.len()) {
            let args = self.terms_of(&args)?;
            return Ok(self.thrown(args, place));
        }
        let f = if self.program.dump.definitions.contains_key(name)
            || self.program.support.definition(name).is_some()
        {
            Expr::Global(self.program.global(name))
        } else if let Some(code) = self.program.support.primitive(name) {
            Expr::Code(code.to_owned())
        } else {
            Expr::Code(self.program.support.missing(name))
        };
        let is_literal = matches!(&f, Expr::Global(id)
            if self.program.globals[*id as usize].name == "Data.Integer._intListToInteger");
        if is_literal
            && let [list] = args.as_slice()
            && let Some(literal) = self.integer(*list)
        {
            return Ok(self.program.push(Expr::Code(literal)));
        }
        let f = self.program.push(f);
        let args = self.terms_of(&args)?;
        // Of an instance the place is that of its own definition.
        let place = place.filter(|_| !name.starts_with("inst$"));
        Ok(self.program.apply(f, args, place))
    }

    /// Returns the action `throwIO` of a dictionary and an exception, or a function of the latter. What
    /// is thrown stands in the action itself: its place would be lost in a call of the library, since
    /// nothing waits for the last action of a function.
    fn thrown(&mut self, mut args: Vec<ExprId>, place: Option<Place>) -> ExprId {
        let parameter = (args.len() == 1).then(|| self.program.local("e"));
        args.extend(parameter.map(|local| self.program.push(Expr::Local(local))));
        let to_exception = self.program.global("Control.Exception.Internal.toException");
        let to_exception = self.program.push(Expr::Global(to_exception));
        let exception = self.program.apply(to_exception, args, place);
        let [throw, bind, end] =
            ["#throw", "#bind", "#return"].map(|code| self.program.push(Expr::Code(code.into())));
        let fails = self.program.apply(throw, vec![exception], place);
        let action = self.program.apply(bind, vec![fails, end], place);
        match parameter {
            Some(local) => self.program.push(Expr::Lambda(vec![local], action)),
            None => action,
        }
    }

    /// Returns the value of an action that is a function of C without effects, with its arguments.
    fn pure(&mut self, action: TermId) -> Result<Option<ExprId>> {
        let mut args = Vec::new();
        let mut at = action;
        while let Term::Apply(f, x) = self.terms[at as usize] {
            args.push(x);
            at = f;
        }
        args.reverse();
        let Term::Foreign(name) = self.terms[at as usize] else { return Ok(None) };
        let Some(code) = self.program.support.pure(name) else { return Ok(None) };
        let f = self.program.push(Expr::Code(code.to_owned()));
        let args = self.terms_of(&args)?;
        Ok(Some(self.program.apply(f, args, None)))
    }

    fn terms_of(&mut self, args: &[TermId]) -> Result<Vec<ExprId>> {
        args.iter().map(|&arg| self.term(arg)).collect()
    }

    /// Converts a `Y (\x. e)` that is no value of a let.
    fn recursive(&mut self, name: &'a str, body: TermId) -> Result<ExprId> {
        if let Some((bindings, whole)) = self.group(name, body)? {
            let whole = self.program.push(whole);
            return Ok(self.program.push(Expr::Letrec(bindings, whole)));
        }
        let local = self.bind(name);
        let value = self.term(body)?;
        self.unbind(name);
        let body = self.program.push(Expr::Local(local));
        Ok(self.program.push(Expr::Letrec(vec![(local, value)], body)))
    }

    /// Returns an integer literal by its digits in the base 32768, the lowest first, after -1 if
    /// negative.
    fn integer(&self, list: TermId) -> Option<String> {
        let mut digits = Vec::new();
        let mut at = list;
        while let Term::Apply(f, rest) = self.terms[at as usize] {
            let Term::Apply(cons, digit) = self.terms[f as usize] else { return None };
            let Term::Name("$cons", _) = self.terms[cons as usize] else { return None };
            let Term::Int(digit) = self.terms[digit as usize] else { return None };
            digits.push(digit.parse::<i64>().ok()?);
            at = rest;
        }
        let Term::Name("$nil", _) = self.terms[at as usize] else { return None };
        let (negative, digits) = match digits.as_slice() {
            [-1, rest @ ..] => (true, rest),
            all => (false, all),
        };
        let mut value = BigInt::from(0);
        for &digit in digits.iter().rev() {
            value = value * 32768 + digit;
        }
        Some(if negative { -value } else { value }.to_string())
    }

    /// Converts a primitive of this front end's own: see `mhs/MicroHs/EncodeData.hs`.
    fn marked(&mut self, mark: &str, args: &[TermId]) -> Result<Option<ExprId>> {
        let (kind, rest) = mark.split_once(':').unwrap_or((mark, ""));
        let numbers = || rest.split(':').map(|number| number.parse::<usize>().unwrap_or(0));
        let expr = match (kind, args) {
            ("nil", []) => Expr::Code("Nil".into()),
            ("cons", _) => {
                let cons = self.program.push(Expr::Code("Cons".into()));
                let args = self.terms_of(args)?;
                return Ok(Some(self.program.apply(cons, args, None)));
            }
            ("tuple", _) => {
                let size = numbers().next().unwrap_or(0);
                let con = match size {
                    0 => Expr::Code("Nil".into()),
                    _ => Expr::Global(self.program.global(&",".repeat(size - 1))),
                };
                let con = self.program.push(con);
                let args = self.terms_of(args)?;
                return Ok(Some(self.program.apply(con, args, None)));
            }
            ("sel", [tuple, more @ ..]) => {
                let mut numbers = numbers();
                let (at, size) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                let part = self.component(*tuple, at, size)?;
                let more = self.terms_of(more)?;
                return Ok(Some(self.program.apply(part, more, None)));
            }
            ("if", [c, t, e, more @ ..]) => {
                let (c, t, e) = (self.term(*c)?, self.term(*t)?, self.term(*e)?);
                let choice = self.program.push(Expr::If(c, t, e));
                let more = self.terms_of(more)?;
                return Ok(Some(self.program.apply(choice, more, None)));
            }
            ("case", _) => {
                let mut numbers = numbers();
                let (total, given) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                let Some((all, more)) = args.split_at_checked(given + 2) else { return Ok(None) };
                let choice = self.case(total, all)?;
                let more = self.terms_of(more)?;
                return Ok(Some(self.program.apply(choice, more, None)));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.program.push(expr)))
    }

    fn component(&mut self, tuple: TermId, at: usize, size: usize) -> Result<ExprId> {
        let tuple = self.term(tuple)?;
        // A group of definitions is no tuple any more.
        match self.program.exprs[tuple as usize].clone() {
            Expr::Apply(head, parts, _)
                if self.program.exprs[head as usize] == Expr::Code(GROUP.into()) =>
            {
                return parts.get(at).copied().context("a component that is not there");
            }
            Expr::Letrec(bindings, body) => {
                if let Expr::Apply(head, parts, _) = &self.program.exprs[body as usize]
                    && self.program.exprs[*head as usize] == Expr::Code(GROUP.into())
                {
                    let part = *parts.get(at).context("a component that is not there")?;
                    return Ok(self.program.push(Expr::Letrec(bindings, part)));
                }
            }
            _ => {}
        }
        let con = self.program.global(&",".repeat(size.saturating_sub(1)));
        let locals: Vec<Local> = (0..size).map(|_| self.program.local("t")).collect();
        let part = *locals.get(at).context("a component that is not there")?;
        let part = self.program.push(Expr::Local(part));
        let alternatives = vec![(Pattern::Con(con), locals, part)];
        Ok(self.program.push(Expr::Case(tuple, alternatives, None)))
    }

    fn case(&mut self, total: usize, all: &[TermId]) -> Result<ExprId> {
        let [scrutinee, other, alternatives @ ..] = all else { bail!("a case without operands") };
        let scrutinee = self.term(*scrutinee)?;
        let mut converted = Vec::new();
        let mut truth = [None, None];
        for &alternative in alternatives {
            let Term::Apply(mark, mut body) = self.terms[alternative as usize] else {
                bail!("a case with something else than alternatives")
            };
            let Term::Name(mark, _) = self.terms[mark as usize] else {
                bail!("a case with something else than alternatives")
            };
            let parts: Vec<&str> = mark.splitn(4, ':').collect();
            let ["$alt", _, arity, name] = parts.as_slice() else {
                bail!("`{mark}` is no alternative")
            };
            let name: &'a str = name;
            let mut names = Vec::new();
            for _ in 0..arity.parse().unwrap_or(0) {
                let Term::Lambda(field, rest) = self.terms[body as usize] else {
                    bail!("`{mark}` has too few fields")
                };
                names.push(field);
                body = rest;
            }
            let locals: Vec<Local> = names.iter().map(|name| self.bind(name)).collect();
            let body = self.term(body)?;
            names.iter().for_each(|name| self.unbind(name));
            let pattern = match name {
                "Data.Bool_Type.False" => {
                    truth[0] = Some(body);
                    continue;
                }
                "Data.Bool_Type.True" => {
                    truth[1] = Some(body);
                    continue;
                }
                "Data.List_Type.[]" | "()" => Pattern::Code("Nil"),
                "Data.List_Type.:" => Pattern::Code("Cons"),
                name => Pattern::Con(self.program.global(name)),
            };
            converted.push((pattern, locals, body));
        }
        let other = match (truth, converted.len()) {
            ([Some(_), Some(_)], _) => None,
            (_, given) if given >= total => None,
            _ => Some(self.term(*other)?),
        };
        Ok(match (truth, other) {
            ([Some(no), Some(yes)], _) => self.program.push(Expr::If(scrutinee, yes, no)),
            ([Some(no), None], Some(other)) => self.program.push(Expr::If(scrutinee, other, no)),
            ([None, Some(yes)], Some(other)) => self.program.push(Expr::If(scrutinee, yes, other)),
            _ => self.program.push(Expr::Case(scrutinee, converted, other)),
        })
    }
}

/// Fails when it is performed.
const THROW_IO: &str = "Control.Exception.Internal.throwIO";

/// Stands for the tuple of a group of definitions.
const GROUP: &str = "$group";

/// Returns a float as CoreF writes it.
fn float(digits: &str) -> Result<String> {
    let value: f64 = digits.parse().with_context(|| format!("`{digits}` is no float"))?;
    Ok(written(value))
}

fn single(digits: &str) -> Result<String> {
    let value: f32 = digits.parse().with_context(|| format!("`{digits}` is no float"))?;
    Ok(written(f64::from(value)))
}

fn written(value: f64) -> String {
    match value {
        value if value.is_nan() => "+nan.0".into(),
        f64::INFINITY => "+inf.0".into(),
        f64::NEG_INFINITY => "-inf.0".into(),
        value => format!("{value:e}"),
    }
}
