//! Random programs: mostly of sensible types, so that they have values to compare, mostly
//! ending, and with every construct of the language in every place it can stand. Names are
//! few, so that they shadow each other, the prelude, the primitives and the constructors.
//! Failures are planted everywhere, most in places that need not be reached.

mod broad;
pub mod kit;
mod of_type;
mod patterns;

use std::rc::Rc;

use crate::dice::Dice;

/// What an expression is meant to be.
#[derive(Clone, PartialEq, Debug)]
enum Ty {
    Int,
    Float,
    /// 0 or 1.
    Bool,
    Char,
    Text,
    Ints,
    /// A list without end.
    Stream,
    Pair(Rc<(Ty, Ty)>),
    Tree,
    Color,
    /// A constructor of five fields.
    Wide,
    List(Rc<Ty>),
    Fun(Rc<(Vec<Ty>, Ty)>),
}

fn fun(params: &[Ty], result: Ty) -> Ty {
    Ty::Fun(Rc::new((params.to_vec(), result)))
}

/// A definition: its parameters are a count that a recursive call lowers, and others.
struct Definition {
    name: String,
    params: Vec<Ty>,
    result: Ty,
}

/// What is in scope.
struct Gen {
    dice: Dice,
    /// Local names, innermost last, with what they are.
    locals: Vec<(String, Ty)>,
    definitions: Vec<Definition>,
    /// Constants.
    cafs: Vec<(String, Ty)>,
    /// The definition that is being made: it may call itself and later ones with a lower
    /// count, and earlier ones with any.
    at: usize,
    /// Whether the program has a data type `Pair` of its own.
    own_pair: bool,
    /// The functions of the kit that it uses.
    kit: Vec<&'static str>,
}

/// A small number that depends on the input.
const SMALL: &str = "small'";

/// A large number that depends on the input.
const LARGE: &str = "large'";

/// One in how many programs holds something broad.
const BROAD: usize = 80;

/// Names of locals: plain ones, primitives, the prelude's, constructors.
const NAMES: &[&str] = &[
    "x", "y", "z", "a", "b", "xs", "ys", "f", "g", "x'", "k", "add", "map", "seq", "length", "Red",
    "Pair", "fst", "Leaf", "foldr", "if", "head", "Cons", "λ", "main",
];

/// Generates a program from a seed.
#[must_use]
pub fn program(seed: u64) -> String {
    of(Dice::new(seed))
}

/// Generates a program from dice.
#[must_use]
pub fn of(mut dice: Dice) -> String {
    let own_pair = dice.one_in(8);
    let mut gen_ = Gen {
        dice,
        locals: Vec::new(),
        definitions: Vec::new(),
        cafs: Vec::new(),
        at: 0,
        own_pair,
        kit: Vec::new(),
    };
    gen_.program()
}

impl Gen {
    fn program(&mut self) -> String {
        let mut items = vec![
            "(data Tree (Leaf) (Node left value right))".to_owned(),
            "(data Color (Red) (Green) (Blue))".to_owned(),
            "(data Wide (Wide a b c d e) (Narrow))".to_owned(),
        ];
        if self.own_pair {
            items.push("(data Pair (Pair one two))".to_owned());
        }
        let count = self.dice.roll(4);
        for at in 0..count {
            let name = match self.dice.roll(12) {
                0 => self.dice.pick(&["take", "sum", "id", "sub", "filter"]).to_owned(),
                _ => format!("f{at}"),
            };
            if self.definitions.iter().any(|other| other.name == name) {
                continue;
            }
            let params = (0..self.dice.roll(3)).map(|_| self.ty(1)).collect();
            let result = self.ty(1);
            self.definitions.push(Definition { name, params, result });
        }
        for at in 0..self.dice.roll(3) {
            let ty = self.ty(1);
            self.cafs.push((format!("c{at}"), ty));
        }
        for at in 0..self.definitions.len() {
            self.at = at;
            let Definition { name, params, result } = &self.definitions[at];
            let (name, params, result) = (name.clone(), params.clone(), result.clone());
            self.locals = vec![("n".to_owned(), Ty::Int)];
            let names = self.params(&params);
            let base = self.expr(&result, 2);
            let step = self.expr(&result, 4);
            let guard = if self.visible("le") { "(le n 0)" } else { "(case n [0 1] [_ 0])" };
            let body = match self.dice.roll(3) {
                0 => format!("(case n [0 {base}] [-1 {base}] [_ {step}])"),
                _ if self.visible("if") => format!("(if {guard} {base} {step})"),
                _ => format!("(case {guard} [1 {base}] [_ {step}])"),
            };
            items.push(format!("(defn {name}[n {}] {body})", names.join(" ")));
        }
        self.at = self.definitions.len();
        self.locals.clear();
        for at in 0..self.cafs.len() {
            let (name, ty) = self.cafs[at].clone();
            // A constant may use those after it, and at times itself: it may depend on itself.
            let hidden = if self.dice.one_in(8) { 0 } else { at + 1 };
            let earlier: Vec<_> = self.cafs.drain(..hidden).collect();
            let body = self.expr(&ty, 3);
            self.cafs.splice(0..0, earlier);
            items.push(format!("(defn {name}[] {body})"));
        }
        let ty = match self.dice.roll(10) {
            0 => Ty::Fun(Rc::new((vec![self.ty(1)], self.ty(1)))),
            1 => Ty::List(Rc::new(fun(&[Ty::Int], Ty::Int))),
            _ => self.ty(2),
        };
        if self.dice.one_in(2) {
            // Numbers that nobody knows before the run.
            self.locals = vec![
                ("input".to_owned(), Ty::Text),
                (SMALL.to_owned(), Ty::Int),
                (LARGE.to_owned(), Ty::Int),
            ];
            let body = self.body(&ty, &mut items);
            items.push(format!(
                "(defn main[input] (let ([{SMALL} (rem (length input) 5)] \
                 [{LARGE} (case input [(Cons c _) (ord c)] [_ 0])]) {body}))"
            ));
        } else {
            let body = self.body(&ty, &mut items);
            items.push(format!("(defn main[] {body})"));
        }
        items.extend(self.kit_items());
        self.dice.shuffle(&mut items);
        items.join("\n") + "\n"
    }

    /// Generates the body of `main`; once in many programs with something broad around it.
    fn body(&mut self, ty: &Ty, items: &mut Vec<String>) -> String {
        let body = self.expr(ty, 5);
        if self.dice.one_in(BROAD) { self.broad(items, &body) } else { body }
    }

    fn ty(&mut self, depth: usize) -> Ty {
        match self.dice.roll(if depth == 0 { 6 } else { 13 }) {
            0..=1 => Ty::Int,
            2 => Ty::Char,
            3 => Ty::Text,
            4 => Ty::Ints,
            5 => Ty::Color,
            6 => Ty::Tree,
            7 => Ty::Pair(Rc::new((self.ty(depth - 1), self.ty(depth - 1)))),
            8 => Ty::List(Rc::new(self.ty(depth - 1))),
            9 => Ty::Bool,
            10 => Ty::Wide,
            11 => Ty::Float,
            _ => {
                let params: Vec<Ty> =
                    (0..1 + self.dice.roll(2)).map(|_| self.ty(depth - 1)).collect();
                Ty::Fun(Rc::new((params, self.ty(depth - 1))))
            }
        }
    }

    // ---- Scopes ----

    /// Returns whether a name of the top level is not hidden by a local.
    fn visible(&self, name: &str) -> bool {
        self.locals.iter().all(|(local, _)| local != name)
    }

    /// Returns whether the name is hidden by nothing: it means the prelude's, or the primitive.
    fn is_standard(&self, name: &str) -> bool {
        self.visible(name) && self.definitions.iter().all(|own| own.name != name)
    }

    /// Binds a new local of this type; returns its name.
    fn bind(&mut self, ty: &Ty) -> String {
        let name = self.new_name(&[]);
        self.locals.push((name.clone(), ty.clone()));
        name
    }

    fn new_name(&mut self, taken: &[String]) -> String {
        loop {
            let plain = if self.dice.one_in(4) { NAMES.len() } else { 11 };
            let name = NAMES[self.dice.roll(plain)];
            // Counts keep their names, so that recursion goes on ending.
            if !taken.iter().any(|other| other == name) {
                return name.to_owned();
            }
        }
    }

    /// Picks a variable of this type, if there is one.
    fn variable(&mut self, ty: &Ty) -> Option<String> {
        let mut found: Vec<&str> = Vec::new();
        for (at, (name, of)) in self.locals.iter().enumerate() {
            if of == ty && self.locals[at + 1..].iter().all(|(later, _)| later != name) {
                found.push(name);
            }
        }
        if self.at == self.definitions.len() {
            let cafs = self.cafs.iter().filter(|(name, of)| of == ty && self.visible(name));
            found.extend(cafs.map(|(name, _)| name.as_str()));
        }
        if found.is_empty() {
            return None;
        }
        Some(found[self.dice.roll(found.len())].to_owned())
    }

    /// Runs `work`, and takes the locals that it has added out of scope.
    fn scoped<T>(&mut self, work: impl FnOnce(&mut Gen) -> T) -> T {
        let before = self.locals.len();
        let made = work(self);
        self.locals.truncate(before);
        made
    }

    // ---- Expressions ----

    /// Returns an application, its arguments given together or in several goes.
    fn app(&mut self, function: &str, args: &[String]) -> String {
        let mut out = function.to_owned();
        let mut rest = args;
        while !rest.is_empty() {
            let all = !self.dice.one_in(5);
            let now = if all { rest.len() } else { 1 + self.dice.roll(rest.len()) };
            out = format!("({out} {})", rest[..now].join(" "));
            rest = &rest[now..];
        }
        out
    }

    fn small(&mut self) -> String {
        match self.dice.roll(30) {
            0 => "9223372036854775807".into(),
            1 => "-9223372036854775808".into(),
            2 => "4611686018427387904".into(),
            3 => "100000000000000000000".into(),
            4 => "-100000000000000000000".into(),
            n => (n as i64 - 8).to_string(),
        }
    }

    fn float(&mut self) -> String {
        match self.dice.roll(12) {
            0 => "1e300".into(),
            1 => "-0.0".into(),
            2 => "5e-324".into(),
            3 => "+inf.0".into(),
            4 => "0.1".into(),
            n => format!("{}.5", n as i64 - 8),
        }
    }

    fn literal_char(&mut self) -> &'static str {
        self.dice.pick(&["'a'", "'b'", "'c'", "'z'", "' '", "'\\n'", "'\\''", "'λ'", "'\\0'"])
    }

    fn literal_text(&mut self) -> &'static str {
        self.dice.pick(&["\"\"", "\"a\"", "\"ab\"", "\"abc\"", "\"b c\"", "\"\\\"\\n\"", "\"λz\""])
    }

    /// Picks an expression that has no value.
    fn bottom(&mut self) -> String {
        let all: &[&str] = &[
            "(error \"planted\")",
            "(div 1 0)",
            "(mod 'a' 2)",
            "(add Nil 1)",
            "(1 2)",
            "(chr -1)",
            "(case 1 [2 3])",
            "(letrec ([v v]) v)",
            "(letrec ([v (add w 1)] [w (seq v 2)]) w)",
            "(case 'c' [1 2] [_ 3])",
            "(case Red [Leaf 2] [_ 3])",
            "(Leaf 1)",
            "(if 2 1 1)",
            "(head [])",
            "(eq Nil Nil)",
            "(error (Cons 'a' (error \"inner\")))",
            "(ord 1)",
            "(if (error \"c\") 1 2)",
            "(seq (div 0 0) 1)",
            "(case [1] [\"a\" 1] [_ 2])",
        ];
        // Where a name is hidden it means something else, which is as good.
        self.dice.pick(all).to_owned()
    }

    /// Generates an expression that is likely never needed.
    fn unneeded(&mut self, ty: &Ty, depth: usize) -> String {
        if self.dice.one_in(4) { self.bottom() } else { self.expr(ty, depth) }
    }

    fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if self.dice.one_in(150) {
            return self.bottom();
        }
        if self.dice.one_in(250) {
            let other = self.ty(1);
            return self.expr(&other, depth.min(2));
        }
        if depth == 0 || self.dice.one_in(6) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        for _ in 0..3 {
            let made = match self.dice.roll(20) {
                0 => Some(self.let_(ty, depth)),
                1 => Some(self.letrec(ty, depth)),
                2..=3 => Some(self.case(ty, depth)),
                4 => Some(self.redex(ty, depth)),
                5 => self.call(ty, depth),
                6 => self.conditional(ty, depth),
                7 => self.generic(ty, depth),
                8 => self.call_local(ty, depth),
                9..=11 => self.kit_call(ty, depth),
                17..=19 => self.on_variable(ty),
                _ => self.of_type(ty, depth),
            };
            if let Some(made) = made {
                return made;
            }
        }
        self.leaf(ty)
    }

    /// Picks one of the shortest expressions of a type.
    fn leaf(&mut self, ty: &Ty) -> String {
        if !self.dice.one_in(3)
            && let Some(variable) = self.variable(ty)
        {
            return variable;
        }
        match ty {
            Ty::Int => self.small(),
            Ty::Float => self.float(),
            Ty::Bool => self.dice.roll(2).to_string(),
            Ty::Char => self.literal_char().to_owned(),
            Ty::Text => self.literal_text().to_owned(),
            Ty::Ints => self.dice.pick(&["[]", "[1]", "[1 2 3]", "[0 -1]", "[5 4 3 2 1]"]).into(),
            Ty::Stream => "(letrec ([s' (Cons 7 s')]) s')".to_owned(),
            Ty::Tree if self.visible("Leaf") => "Leaf".to_owned(),
            Ty::Tree => self.bottom(),
            Ty::Color => {
                let color = self.dice.pick(&["Red", "Green", "Blue"]);
                if self.visible(color) { color.to_owned() } else { "Green".to_owned() }
            }
            Ty::Wide => "Narrow".to_owned(),
            Ty::Pair(of) => {
                let fields = [self.leaf(&of.0), self.leaf(&of.1)];
                if self.visible("Pair") { self.app("Pair", &fields) } else { self.bottom() }
            }
            Ty::List(of) => {
                let elements: Vec<String> = (0..self.dice.roll(3)).map(|_| self.leaf(of)).collect();
                format!("[{}]", elements.join(" "))
            }
            Ty::Fun(of) => self.scoped(|this| {
                let params: Vec<String> = this.params(&of.0);
                let body = this.leaf(&of.1);
                format!("(fn [{}] {body})", params.join(" "))
            }),
        }
    }

    /// Binds parameters of these types, now and then one to nothing.
    fn params(&mut self, types: &[Ty]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for ty in types {
            if self.dice.one_in(10) {
                names.push("_".to_owned());
                continue;
            }
            let name = self.new_name(&names);
            self.locals.push((name.clone(), ty.clone()));
            names.push(name);
        }
        names
    }

    fn let_(&mut self, ty: &Ty, depth: usize) -> String {
        self.scoped(|this| {
            let mut bindings = Vec::new();
            for _ in 0..1 + this.dice.roll(3) {
                let of = this.ty(1);
                let value = this.unneeded(&of, depth);
                let name = if this.dice.one_in(12) { "_".to_owned() } else { this.bind(&of) };
                bindings.push(format!("[{name} {value}]"));
            }
            let body = this.expr(ty, depth);
            format!("(let ({}) {body})", bindings.join(" "))
        })
    }

    fn letrec(&mut self, ty: &Ty, depth: usize) -> String {
        self.scoped(|this| match this.dice.roll(4) {
            // A list without end.
            0 => {
                let (one, other) = (this.new_name(&[]), "s".to_owned());
                this.locals.push((one.clone(), Ty::Stream));
                this.locals.push((other.clone(), Ty::Stream));
                let (x, y) = (this.expr(&Ty::Int, depth.min(1)), this.unneeded(&Ty::Int, 1));
                let body = this.expr(ty, depth);
                // Its own name may hide Cons.
                if one == "Cons" || !this.visible("Cons") {
                    return body_of_no_stream(&one, &other, &body);
                }
                format!("(letrec ([{one} (Cons {x} {other})] [{other} (Cons {y} {one})]) {body})")
            }
            // A function that calls itself with a lower count.
            1 | 2 => {
                let (param, result) = (this.ty(0), this.ty(0));
                let name = format!("go{}", this.locals.len());
                let function = this.scoped(|this| {
                    this.locals.push(("m".to_owned(), Ty::Int));
                    let x = this.bind(&param);
                    let base = this.expr(&result, depth.min(2));
                    let step = this.scoped(|this| {
                        let again = this.expr(&param, 1);
                        let value = format!("({name} ({} m -1) {again})", this.plus());
                        let y = this.bind(&result);
                        let rest = this.expr(&result, depth.min(2));
                        format!("(let ([{y} {value}]) {rest})")
                    });
                    format!("(fn [m {x}] (case m [0 {base}] [-1 {base}] [_ {step}]))")
                });
                let arg = this.expr(&param, 1);
                let count = this.dice.roll(5);
                let call = this.app(&name, &[count.to_string(), arg]);
                let of = result;
                let bound = this.bind(&of);
                let body = this.expr(ty, depth);
                format!("(letrec ([{name} {function}]) (let ([{bound} {call}]) {body}))")
            }
            _ => {
                let of: Vec<Ty> = (0..1 + this.dice.roll(3)).map(|_| this.ty(1)).collect();
                let mut names: Vec<String> = Vec::new();
                for ty in &of {
                    let name = this.new_name(&names);
                    this.locals.push((name.clone(), ty.clone()));
                    names.push(name);
                }
                let values: Vec<String> = of.iter().map(|ty| this.unneeded(ty, depth)).collect();
                let bindings: Vec<String> = names
                    .iter()
                    .zip(&values)
                    .map(|(name, value)| format!("[{name} {value}]"))
                    .collect();
                let body = this.expr(ty, depth);
                format!("(letrec ({}) {body})", bindings.join(" "))
            }
        })
    }

    /// Returns a name for addition: it may be hidden.
    fn plus(&self) -> &'static str {
        if self.is_standard("add") { "add" } else { "(fn [p q] (negate (sub (negate p) q)))" }
    }

    /// Generates a lambda that is applied at once, to too many arguments at times.
    fn redex(&mut self, ty: &Ty, depth: usize) -> String {
        let of: Vec<Ty> = (0..1 + self.dice.roll(3)).map(|_| self.ty(1)).collect();
        let args: Vec<String> = of.iter().map(|ty| self.unneeded(ty, depth)).collect();
        let function = self.scoped(|this| {
            let (first, second) = of.split_at(1 + this.dice.roll(of.len()));
            let first = this.params(first).join(" ");
            if second.is_empty() {
                let body = this.expr(ty, depth);
                return format!("(fn [{first}] {body})");
            }
            let second = this.params(second).join(" ");
            let body = this.expr(ty, depth);
            format!("(fn [{first}] (fn [{second}] {body}))")
        });
        self.app(&function, &args)
    }

    fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fits = |of: &Definition| {
            of.result == *ty || matches!(&of.result, Ty::Fun(inner) if inner.1 == *ty)
        };
        let found: Vec<usize> = (0..self.definitions.len())
            .filter(|&at| fits(&self.definitions[at]) && self.visible(&self.definitions[at].name))
            .collect();
        if found.is_empty() {
            return None;
        }
        let at = found[self.dice.roll(found.len())];
        let Definition { name, params, result } = &self.definitions[at];
        let (name, params, result) = (name.clone(), params.clone(), result.clone());
        let count = if at < self.at {
            self.count()
        } else {
            // A call of a function that may call this one.
            format!("({} n -1)", self.plus())
        };
        let mut args = vec![count];
        args.extend(params.iter().map(|ty| self.unneeded(ty, depth)));
        if let Ty::Fun(inner) = &result
            && inner.1 == *ty
        {
            let more: Vec<String> = inner.0.iter().map(|ty| self.unneeded(ty, depth)).collect();
            args.extend(more);
        }
        Some(self.app(&name, &args))
    }

    /// Generates a call of a local function.
    fn call_local(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let functions: Vec<(String, Ty)> = self
            .locals
            .iter()
            .enumerate()
            .filter(|(at, (name, of))| {
                matches!(of, Ty::Fun(inner) if inner.1 == *ty)
                    && self.locals[at + 1..].iter().all(|(later, _)| later != name)
            })
            .map(|(_, local)| local.clone())
            .collect();
        if functions.is_empty() {
            return None;
        }
        let (name, of) = functions[self.dice.roll(functions.len())].clone();
        let Ty::Fun(of) = of else { return None };
        let args: Vec<String> = of.0.iter().map(|ty| self.expr(ty, depth)).collect();
        Some(self.app(&name, &args))
    }

    /// Generates arithmetic on a variable: what the optimiser cannot do in advance, if only the run
    /// knows the variable.
    fn on_variable(&mut self, ty: &Ty) -> Option<String> {
        let operators: &[&str] = match ty {
            Ty::Int => &["add", "sub", "mul", "div", "rem", "floordiv", "mod", "negate"],
            Ty::Bool => &["eq", "neq", "lt", "le", "gt", "ge"],
            _ => return None,
        };
        let name = self.dice.pick(operators);
        let known: Vec<String> = [SMALL, LARGE, "n", "m"].map(str::to_owned).to_vec();
        let known: Vec<String> = known
            .into_iter()
            .filter(|known| self.locals.iter().any(|(name, ty)| name == known && *ty == Ty::Int))
            .collect();
        let variable = match self.dice.roll(3) {
            0 => self.variable(&Ty::Int)?,
            _ if known.is_empty() => self.variable(&Ty::Int)?,
            _ => known[self.dice.roll(known.len())].clone(),
        };
        if !self.is_standard(name) {
            return None;
        }
        if name == "negate" {
            return Some(format!("(negate {variable})"));
        }
        let other = match self.dice.roll(3) {
            0 => self.variable(&Ty::Int)?,
            _ => (self.dice.roll(9) as i64 - 3).to_string(),
        };
        // A constant divisor that is zero is a mistake that others plant.
        let other = if other == "0" { "5".to_owned() } else { other };
        Some(match self.dice.one_in(3) {
            true => format!("({name} {other} {variable})"),
            false => format!("({name} {variable} {other})"),
        })
    }

    fn conditional(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let simple = if self.dice.one_in(2) { self.on_variable(&Ty::Bool) } else { None };
        let condition = simple.unwrap_or_else(|| self.expr(&Ty::Bool, depth));
        let (one, other) = (self.unneeded(ty, depth), self.expr(ty, depth));
        self.is_standard("if").then(|| self.app("if", &[condition, one, other]))
    }

    /// Generates an application of what gives any type, of the prelude and the primitives.
    fn generic(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let name = self.dice.pick(&[
            "seq", "id", "K", "K1", "head", "fst", "snd", "apply", "foldr", "const", "foldl",
            "flip", "S", "nth", "uncurry", "foldl'",
        ]);
        if !self.is_standard(name) || (self.own_pair && ["fst", "snd", "uncurry"].contains(&name)) {
            return None;
        }
        let other = self.ty(1);
        let of_any = fun(std::slice::from_ref(&other), ty.clone());
        let of_both = fun(&[other.clone(), ty.clone()], ty.clone());
        let args = match name {
            "seq" => vec![self.expr(&other, depth), self.expr(ty, depth)],
            "id" => vec![self.expr(ty, depth)],
            "K" | "const" => vec![self.expr(ty, depth), self.unneeded(&other, depth)],
            "K1" => vec![self.unneeded(&other, depth), self.expr(ty, depth)],
            "head" => vec![format!(
                "(Cons {} {})",
                self.expr(ty, depth),
                self.unneeded(&Ty::List(Rc::new(ty.clone())), depth)
            )],
            "nth" => vec![
                self.dice.roll(3).to_string(),
                self.expr(&Ty::List(Rc::new(ty.clone())), depth),
            ],
            "fst" => vec![self.expr(&Ty::Pair(Rc::new((ty.clone(), other))), depth)],
            "snd" => vec![self.expr(&Ty::Pair(Rc::new((other, ty.clone()))), depth)],
            "apply" => vec![self.expr(&of_any, depth), self.expr(&other, depth)],
            "foldr" => vec![
                self.expr(&of_both, depth),
                self.expr(ty, depth),
                self.expr(&Ty::List(Rc::new(other)), depth),
            ],
            "foldl" | "foldl'" => vec![
                self.expr(&fun(&[ty.clone(), other.clone()], ty.clone()), depth),
                self.expr(ty, depth),
                self.expr(&Ty::List(Rc::new(other)), depth),
            ],
            "flip" => vec![
                self.expr(&fun(&[other.clone(), Ty::Int], ty.clone()), depth),
                self.expr(&Ty::Int, depth),
                self.expr(&other, depth),
            ],
            "S" => vec![
                self.expr(&fun(&[other.clone(), Ty::Int], ty.clone()), depth),
                self.expr(&fun(std::slice::from_ref(&other), Ty::Int), depth),
                self.expr(&other, depth),
            ],
            _ => vec![
                self.expr(&fun(&[other.clone(), Ty::Int], ty.clone()), depth),
                self.expr(&Ty::Pair(Rc::new((other, Ty::Int))), depth),
            ],
        };
        (name != "head" || self.visible("Cons")).then(|| self.app(name, &args))
    }
}

/// Returns the body for cells that cannot be written: the streams are still bound, to what fails.
fn body_of_no_stream(one: &str, other: &str, body: &str) -> String {
    format!("(letrec ([{one} {other}] [{other} {one}]) {body})")
}
