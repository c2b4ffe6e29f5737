//! Programs with their names resolved: every local gets a name of its own, so that any part
//! can move to wherever what it mentions is bound. What rewritings work on.

use std::collections::HashSet;

use crate::sexpr::Form;

/// An expression. Names of locals are unique in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A literal, or a name of the top level.
    Atom(String),
    /// A local.
    Local(String),
    /// An application: the function first.
    App(Vec<Expr>),
    /// A list literal.
    List(Vec<Expr>),
    /// Bindings, each of which sees those before it.
    Let(Vec<(String, Expr)>, Box<Expr>),
    /// Bindings that see each other.
    Letrec(Vec<(String, Expr)>, Box<Expr>),
    /// A lambda.
    Fn(Vec<String>, Box<Expr>),
    /// A case.
    Case(Box<Expr>, Vec<(Pat, Expr)>),
}

/// A pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pat {
    /// `_`.
    Any,
    /// A variable.
    Name(String),
    /// An integer, a character, a text.
    Literal(String),
    /// A constructor; whether it stood in brackets.
    Con(String, Vec<Pat>, bool),
}

/// A constructor: its name and how many fields it has.
pub type Con = (String, usize);

/// A definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Its body.
    pub body: Expr,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Declarations of data types and imports, as they were.
    pub others: Vec<Form>,
    /// The definitions in order.
    pub definitions: Vec<Definition>,
    /// How many locals got a name.
    pub locals: usize,
}

/// What stands before the number of a local.
const LOCAL: &str = "l'";

struct Reader<'a> {
    constructors: &'a dyn Fn(&str) -> bool,
    scope: Vec<(String, String)>,
    locals: usize,
}

/// Returns the program of some forms; `is_constructor` tells which names are constructors. `None`
/// if the forms are no program.
#[must_use]
pub fn read(forms: &[Form], is_constructor: &dyn Fn(&str) -> bool) -> Option<Program> {
    let mut reader = Reader { constructors: is_constructor, scope: Vec::new(), locals: 0 };
    let mut program = Program::default();
    for form in forms {
        let Form::List('(', parts) = form else { return None };
        match parts.as_slice() {
            [Form::Atom(head), Form::Atom(name), Form::List('[', params), body]
                if head == "defn" =>
            {
                reader.scope.clear();
                let params = params.iter().map(|param| reader.binder(param));
                let params = params.collect::<Option<_>>()?;
                let body = reader.expr(body)?;
                program.definitions.push(Definition { name: name.clone(), params, body });
            }
            [Form::Atom(head), ..] if head == "data" || head == "import" => {
                program.others.push(form.clone());
            }
            _ => return None,
        }
    }
    program.locals = reader.locals;
    Some(program)
}

/// Returns the constructors that a form declares, if it is a declaration of a data type.
#[must_use]
pub fn constructors(form: &Form) -> Option<Vec<Con>> {
    let Form::List(_, parts) = form else { return None };
    if parts.first() != Some(&Form::Atom("data".into())) {
        return None;
    }
    let con = |form: &Form| match form {
        Form::Atom(name) => Some((name.clone(), 0)),
        Form::List(_, parts) => match parts.first()? {
            Form::Atom(name) => Some((name.clone(), parts.len() - 1)),
            Form::List(..) => None,
        },
    };
    parts.iter().skip(2).map(con).collect()
}

/// Returns whether an atom is a literal.
fn is_literal(atom: &str) -> bool {
    let mut chars = atom.chars();
    match chars.next() {
        Some('"' | '\'') => true,
        Some('-') => true,
        Some('+') => true,
        Some(first) => first.is_ascii_digit(),
        None => false,
    }
}

impl Reader<'_> {
    fn binder(&mut self, form: &Form) -> Option<String> {
        let Form::Atom(name) = form else { return None };
        if name == "_" {
            return Some("_".to_owned());
        }
        self.locals += 1;
        let new = format!("{LOCAL}{}", self.locals);
        self.scope.push((name.clone(), new.clone()));
        Some(new)
    }

    fn exprs(&mut self, forms: &[Form]) -> Option<Vec<Expr>> {
        forms.iter().map(|form| self.expr(form)).collect()
    }

    fn expr(&mut self, form: &Form) -> Option<Expr> {
        match form {
            Form::Atom(atom) if is_literal(atom) => Some(Expr::Atom(atom.clone())),
            Form::Atom(name) => {
                let found = self.scope.iter().rev().find(|(old, _)| old == name);
                Some(match found {
                    Some((_, new)) => Expr::Local(new.clone()),
                    None => Expr::Atom(name.clone()),
                })
            }
            Form::List('[', parts) => Some(Expr::List(self.exprs(parts)?)),
            Form::List(_, parts) => self.form(parts),
        }
    }

    fn form(&mut self, parts: &[Form]) -> Option<Expr> {
        let before = self.scope.len();
        let made = match parts {
            [Form::Atom(head), Form::List(_, params), body] if head == "fn" => {
                let params = params.iter().map(|param| self.binder(param));
                let params = params.collect::<Option<_>>()?;
                Expr::Fn(params, Box::new(self.expr(body)?))
            }
            [Form::Atom(head), Form::List(_, bindings), body] if head == "let" => {
                let mut bound = Vec::new();
                for binding in bindings {
                    let Form::List(_, pair) = binding else { return None };
                    let [name, value] = pair.as_slice() else { return None };
                    let value = self.expr(value)?;
                    bound.push((self.binder(name)?, value));
                }
                Expr::Let(bound, Box::new(self.expr(body)?))
            }
            [Form::Atom(head), Form::List(_, bindings), body] if head == "letrec" => {
                let mut names = Vec::new();
                for binding in bindings {
                    let Form::List(_, pair) = binding else { return None };
                    names.push(self.binder(pair.first()?)?);
                }
                let mut bound = Vec::new();
                for (binding, name) in bindings.iter().zip(names) {
                    let Form::List(_, pair) = binding else { return None };
                    bound.push((name, self.expr(pair.get(1)?)?));
                }
                Expr::Letrec(bound, Box::new(self.expr(body)?))
            }
            [Form::Atom(head), scrutinee, alternatives @ ..] if head == "case" => {
                let scrutinee = self.expr(scrutinee)?;
                let mut read = Vec::new();
                for alternative in alternatives {
                    let Form::List(_, pair) = alternative else { return None };
                    let [pattern, body] = pair.as_slice() else { return None };
                    let before = self.scope.len();
                    let pattern = self.pattern(pattern)?;
                    read.push((pattern, self.expr(body)?));
                    self.scope.truncate(before);
                }
                Expr::Case(Box::new(scrutinee), read)
            }
            _ => {
                let mut parts = self.exprs(parts)?;
                match parts.len() {
                    0 => return None,
                    1 => parts.remove(0),
                    _ => Expr::App(parts),
                }
            }
        };
        self.scope.truncate(before);
        Some(made)
    }

    fn pattern(&mut self, form: &Form) -> Option<Pat> {
        match form {
            Form::Atom(atom) if atom == "_" => Some(Pat::Any),
            Form::Atom(atom) if is_literal(atom) => Some(Pat::Literal(atom.clone())),
            Form::Atom(name) if (self.constructors)(name) => {
                Some(Pat::Con(name.clone(), Vec::new(), false))
            }
            Form::Atom(_) => self.binder(form).map(Pat::Name),
            Form::List(_, parts) => {
                let (head, fields) = parts.split_first()?;
                let Form::Atom(head) = head else { return None };
                let fields = fields.iter().map(|field| self.pattern(field));
                Some(Pat::Con(head.clone(), fields.collect::<Option<_>>()?, true))
            }
        }
    }
}

impl Program {
    /// Returns a name for a local that no other has.
    pub fn fresh(&mut self) -> String {
        self.locals += 1;
        format!("{LOCAL}{}", self.locals)
    }

    /// Returns its text.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = crate::sexpr::write(&self.others);
        for of in &self.definitions {
            out += &format!("(defn {}[{}] ", of.name, of.params.join(" "));
            of.body.put(&mut out);
            out += ")\n";
        }
        out
    }
}

impl Expr {
    /// Returns the local of this name.
    #[must_use]
    pub fn local(name: &str) -> Expr {
        Expr::Local(name.to_owned())
    }

    /// Returns an atom.
    #[must_use]
    pub fn atom(atom: &str) -> Expr {
        Expr::Atom(atom.to_owned())
    }

    /// Returns its text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.put(&mut out);
        out
    }

    fn put(&self, out: &mut String) {
        let all = |open: &str, exprs: &[Expr], close: &str, out: &mut String| {
            out.push_str(open);
            for (at, expr) in exprs.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                expr.put(out);
            }
            out.push_str(close);
        };
        match self {
            Expr::Atom(name) | Expr::Local(name) => out.push_str(name),
            Expr::App(parts) => all("(", parts, ")", out),
            Expr::List(parts) => all("[", parts, "]", out),
            Expr::Let(bindings, body) | Expr::Letrec(bindings, body) => {
                let is_let = matches!(self, Expr::Let(..));
                out.push_str(if is_let { "(let (" } else { "(letrec (" });
                for (name, value) in bindings {
                    *out += &format!("[{name} ");
                    value.put(out);
                    out.push(']');
                }
                out.push_str(") ");
                body.put(out);
                out.push(')');
            }
            Expr::Fn(params, body) => {
                *out += &format!("(fn [{}] ", params.join(" "));
                body.put(out);
                out.push(')');
            }
            Expr::Case(scrutinee, alternatives) => {
                out.push_str("(case ");
                scrutinee.put(out);
                for (pattern, body) in alternatives {
                    out.push_str(" [");
                    pattern.put(out);
                    out.push(' ');
                    body.put(out);
                    out.push(']');
                }
                out.push(')');
            }
        }
    }

    /// Returns its parts.
    #[must_use]
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Atom(_) | Expr::Local(_) => Vec::new(),
            Expr::App(parts) | Expr::List(parts) => parts.iter().collect(),
            Expr::Let(bindings, body) | Expr::Letrec(bindings, body) => {
                bindings.iter().map(|(_, value)| value).chain([&**body]).collect()
            }
            Expr::Fn(_, body) => vec![body],
            Expr::Case(scrutinee, alternatives) => [&**scrutinee]
                .into_iter()
                .chain(alternatives.iter().map(|(_, body)| body))
                .collect(),
        }
    }

    /// Returns its parts, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Atom(_) | Expr::Local(_) => Vec::new(),
            Expr::App(parts) | Expr::List(parts) => parts.iter_mut().collect(),
            Expr::Let(bindings, body) | Expr::Letrec(bindings, body) => {
                bindings.iter_mut().map(|(_, value)| value).chain([&mut **body]).collect()
            }
            Expr::Fn(_, body) => vec![body],
            Expr::Case(scrutinee, alternatives) => {
                let bodies = alternatives.iter_mut().map(|(_, body)| body);
                [&mut **scrutinee].into_iter().chain(bodies).collect()
            }
        }
    }

    /// Returns it and all expressions in it, in the order of their numbers (see [`Expr::nth_mut`]).
    pub fn all(&self) -> impl Iterator<Item = &Expr> {
        let mut work = vec![self];
        std::iter::from_fn(move || {
            let expr = work.pop()?;
            work.extend(expr.parts().into_iter().rev());
            Some(expr)
        })
    }

    /// Returns how many expressions it is.
    #[must_use]
    pub fn size(&self) -> usize {
        self.all().count()
    }

    /// Returns the expression with this number, itself being 0, its parts coming after it.
    pub fn nth_mut(&mut self, n: usize) -> Option<&mut Expr> {
        self.descend(n, &mut |_, _| {})
    }

    /// Returns the expression with this number; adds the locals that are in scope there to `scope`.
    pub fn nth_in_scope(&mut self, n: usize, scope: &mut Vec<String>) -> Option<&mut Expr> {
        self.descend(n, &mut |expr, part| expr.bind(part, scope))
    }

    /// Returns the expression with this number; on the way each expression is met, and the number
    /// of the part that leads on.
    fn descend(&mut self, mut n: usize, meet: &mut dyn FnMut(&Expr, usize)) -> Option<&mut Expr> {
        let mut here = self;
        while n > 0 {
            n -= 1;
            let sizes = here.parts().into_iter().map(Expr::size);
            let part = sizes.enumerate().find_map(|(at, size)| {
                let is_in = n < size;
                n -= if is_in { 0 } else { size };
                is_in.then_some(at)
            })?;
            meet(here, part);
            here = here.parts_mut().into_iter().nth(part)?;
        }
        Some(here)
    }

    /// Returns the locals that it mentions, those that it binds included.
    #[must_use]
    pub fn mentions(&self) -> HashSet<&str> {
        let locals = self.all().filter_map(|expr| match expr {
            Expr::Local(name) => Some(name.as_str()),
            _ => None,
        });
        locals.collect()
    }

    /// Adds the locals that it uses and neither it nor the scope binds.
    pub fn unbound(&self, scope: &mut Vec<String>, found: &mut Vec<String>) {
        if let Expr::Local(name) = self
            && !scope.contains(name)
            && !found.contains(name)
        {
            found.push(name.clone());
        }
        for (at, part) in self.parts().into_iter().enumerate() {
            let before = scope.len();
            self.bind(at, scope);
            part.unbound(scope, found);
            scope.truncate(before);
        }
    }

    /// Adds the locals that its part with this number sees of it.
    fn bind(&self, part: usize, scope: &mut Vec<String>) {
        let mut names = Vec::new();
        match self {
            Expr::Let(bindings, _) => {
                names.extend(bindings.iter().take(part).map(|(name, _)| name.as_str()));
            }
            Expr::Case(_, alternatives) => {
                let of = part.checked_sub(1).and_then(|at| alternatives.get(at));
                if let Some((pattern, _)) = of {
                    pattern.names(&mut names);
                }
            }
            _ => names = self.binds(),
        }
        scope.extend(names.into_iter().filter(|name| *name != "_").map(str::to_owned));
    }

    /// Returns the locals that it binds at its outermost, where its parts see them.
    #[must_use]
    pub fn binds(&self) -> Vec<&str> {
        match self {
            Expr::Let(bindings, _) | Expr::Letrec(bindings, _) => {
                bindings.iter().map(|(name, _)| name.as_str()).collect()
            }
            Expr::Fn(params, _) => params.iter().map(String::as_str).collect(),
            Expr::Case(_, alternatives) => {
                let mut names = Vec::new();
                for (pattern, _) in alternatives {
                    pattern.names(&mut names);
                }
                names
            }
            _ => Vec::new(),
        }
    }

    /// Puts `value` in the place of a local.
    pub fn replace(&mut self, local: &str, value: &Expr) {
        let mut work = vec![self];
        while let Some(expr) = work.pop() {
            match expr {
                Expr::Local(name) if name == local => *expr = value.clone(),
                other => work.extend(other.parts_mut()),
            }
        }
    }
}

impl Pat {
    fn put(&self, out: &mut String) {
        match self {
            Pat::Any => out.push('_'),
            Pat::Name(name) => out.push_str(name),
            Pat::Literal(literal) => out.push_str(literal),
            Pat::Con(name, _, false) => out.push_str(name),
            Pat::Con(name, fields, true) => {
                *out += &format!("({name}");
                for field in fields {
                    out.push(' ');
                    field.put(out);
                }
                out.push(')');
            }
        }
    }

    /// Applies `work` to it and all patterns in it.
    pub fn each_mut(&mut self, work: &mut dyn FnMut(&mut Pat)) {
        work(self);
        if let Pat::Con(_, fields, _) = self {
            fields.iter_mut().for_each(|field| field.each_mut(work));
        }
    }

    /// Adds the names that it binds.
    pub fn names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Pat::Name(name) => names.push(name),
            Pat::Con(_, fields, _) => fields.iter().for_each(|field| field.names(names)),
            Pat::Any | Pat::Literal(_) => {}
        }
    }
}
