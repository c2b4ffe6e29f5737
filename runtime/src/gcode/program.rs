//! A program in G-code: what the machines run. It is self-contained: a machine needs neither
//! syntax tree nor core.

use std::sync::Arc;

use super::effect::{ACTION, CONTINUE, PERFORM};
pub use super::id::{BigId, ConId, DataId, GlobalId, HostId, TextId};
use super::instr::{Arities, Instr};
use crate::base::index::IndexVec;
use crate::base::integer::Integer;
use crate::base::label::Labels;
use crate::base::places::Places;
use crate::base::span::Span;

/// What a global's code is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlobalKind {
    /// A definition of the program or corelib, or an expression lifted out of one.
    Supercombinator,
    /// A primitive as a function.
    Primitive,
    /// A constructor as a function of its fields.
    Constructor(ConId),
    /// A host function.
    Host(HostId),
}

/// A global with its code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its name in listings; unique in the program.
    pub symbol: Arc<str>,
    /// The name that it prints with as a value; `None` for a lambda.
    pub display: Option<Arc<str>>,
    /// What it is.
    pub kind: GlobalKind,
    /// Number of arguments; 0 for a CAF.
    pub arity: u32,
    /// The names of the arguments, for listings; empty, or one for each.
    pub params: Vec<Option<Arc<str>>>,
    /// For each argument, whether a call by name in code that needs its value passes it
    /// evaluated. Any other caller may pass what is not, so that the code relies on nothing
    /// here. Empty if there is no such argument; else `params` has one name for each.
    pub strict: Vec<bool>,
    /// The code.
    pub code: Vec<Instr>,
    /// For each instruction, the source expression that it comes from.
    pub spans: Vec<Span>,
    /// Where it is defined.
    pub span: Span,
}

impl Global {
    /// Returns whether it performs actions. Each addition to a program has a function of its own
    /// for that.
    #[must_use]
    pub fn performs(&self) -> bool {
        self.kind == GlobalKind::Primitive && self.symbol.starts_with(PERFORM)
    }

    /// Returns whether it takes an action apart that is performed at once.
    #[must_use]
    pub fn continues(&self) -> bool {
        self.kind == GlobalKind::Primitive && self.symbol.starts_with(CONTINUE)
    }
}

/// A data type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Data {
    /// Its name; unique in the program.
    pub symbol: Arc<str>,
    /// Its constructors, in the order of their tags.
    pub cons: Vec<ConId>,
}

/// A constructor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Con {
    /// Its name in listings; unique in the program.
    pub symbol: Arc<str>,
    /// The name that it prints with.
    pub name: Arc<str>,
    /// Its data type.
    pub data: DataId,
    /// Its number in its data type, from 0.
    pub tag: u32,
    /// Number of fields.
    pub arity: u32,
}

/// A host function that the program uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    /// The name under which the embedding program registered it.
    pub name: Arc<str>,
    /// Number of arguments.
    pub arity: u32,
}

/// `Nil`, in every program.
pub const NIL: ConId = ConId(0);
/// `Cons`, in every program.
pub const CONS: ConId = ConId(1);
/// `List`, in every program.
pub const LIST: DataId = DataId(0);

/// A program in G-code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The globals that the program can reach.
    pub globals: IndexVec<GlobalId, Global>,
    /// The data types; 0 is `List`.
    pub datas: IndexVec<DataId, Data>,
    /// The constructors; 0 is `Nil`, 1 is `Cons`.
    pub cons: IndexVec<ConId, Con>,
    /// The host functions.
    pub hosts: IndexVec<HostId, Host>,
    /// Large integer literals.
    pub bigs: IndexVec<BigId, Integer>,
    /// String literals.
    pub texts: IndexVec<TextId, Arc<str>>,
    /// `main`, if the program has one.
    pub main: Option<GlobalId>,
    /// What people see definitions called, where their source says so.
    pub labels: Labels,
    /// Whose the source texts are, and where inlined code was called.
    pub places: Places,
}

/// The numbers of entries in the tables of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Of [`Program::globals`].
    pub globals: usize,
    /// Of [`Program::datas`].
    pub datas: usize,
    /// Of [`Program::cons`].
    pub cons: usize,
    /// Of [`Program::hosts`].
    pub hosts: usize,
    /// Of [`Program::bigs`].
    pub bigs: usize,
    /// Of [`Program::texts`].
    pub texts: usize,
    /// Of the inlined code of [`Program::places`].
    pub inlined: usize,
}

impl Program {
    /// Returns where the value of a constant comes from: the expression that all ends of its code
    /// are of, if that is one, and else its name.
    #[must_use]
    pub fn place_of_value(&self, constant: &Global) -> Span {
        let code = constant.code.iter().zip(&constant.spans);
        let ends = code.filter(|(instr, _)| matches!(instr, Instr::Unwind));
        let mut ends = ends.map(|(_, &span)| match self.places.inlined(span) {
            Some(inlined) => inlined.call,
            None => self.places.text(span),
        });
        match ends.next() {
            Some(first) if !first.is_none() && ends.all(|end| end == first) => first,
            _ => constant.span,
        }
    }

    /// Returns the sizes of its tables.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes {
            globals: self.globals.len(),
            datas: self.datas.len(),
            cons: self.cons.len(),
            hosts: self.hosts.len(),
            bigs: self.bigs.len(),
            texts: self.texts.len(),
            inlined: self.places.count(),
        }
    }

    /// Drops what its tables have beyond these sizes.
    pub(super) fn truncate(&mut self, sizes: Sizes) {
        self.globals.truncate(sizes.globals);
        self.datas.truncate(sizes.datas);
        self.cons.truncate(sizes.cons);
        self.hosts.truncate(sizes.hosts);
        self.bigs.truncate(sizes.bigs);
        self.texts.truncate(sizes.texts);
        self.places.truncate(sizes.inlined);
    }

    /// Returns a program that defines nothing but the data type `List`, which every program has
    /// as its first.
    pub fn with_list() -> Program {
        let mut program = Program::default();
        for (symbol, tag, arity) in [("Nil", 0, 0), ("Cons", 1, 2)] {
            let symbol: Arc<str> = symbol.into();
            program.cons.push(Con { name: symbol.clone(), symbol, data: LIST, tag, arity });
        }
        program.datas.push(Data { symbol: "List".into(), cons: vec![NIL, CONS] });
        program
    }

    /// Returns the data type of actions, if the program mentions any.
    #[must_use]
    pub fn action_data(&self) -> Option<DataId> {
        self.datas.enumerate().find(|(_, data)| *data.symbol == *ACTION).map(|(id, _)| id)
    }

    /// Sets the display names of its definitions, which values print with from then on.
    pub fn set_labels(&mut self, labels: Labels) {
        if !labels.is_empty() {
            for global in self.globals.iter_mut() {
                if let (Some(display), Some((label, _))) =
                    (&mut global.display, labels.of(&global.symbol))
                {
                    *display = label.clone();
                }
            }
            for con in self.cons.iter_mut() {
                if let Some((label, _)) = labels.of(&con.symbol) {
                    con.name = label.clone();
                }
            }
        }
        self.places.name_callers(|caller| labels.of(caller).map(|(label, _)| label.clone()));
        self.labels = labels;
    }

    /// Returns the display name of a global: its symbol, in which a given name stands for
    /// the name of the definition.
    #[must_use]
    pub fn display_name(&self, global: &Global) -> Arc<str> {
        match self.labels.of(&global.symbol) {
            Some((label, "")) => label.clone(),
            Some((label, rest)) => format!("{label}{rest}").into(),
            None => global.symbol.clone(),
        }
    }

    /// Returns the display name of a constructor: the name that it was given, or its symbol.
    #[must_use]
    pub fn con_display_name<'a>(&self, con: &'a Con) -> &'a str {
        if self.labels.of(&con.symbol).is_some() { &con.name } else { &con.symbol }
    }

    /// Returns how people see a data type called.
    #[must_use]
    pub fn data_display_name<'a>(&'a self, data: &'a Data) -> &'a str {
        self.labels.types.get(&data.symbol).unwrap_or(&data.symbol)
    }

    /// Returns the name that a source gives a constructor.
    #[must_use]
    pub fn written_name(&self, con: &Con) -> Arc<str> {
        match self.labels.of(&con.symbol) {
            Some((_, rest)) => con.symbol[..con.symbol.len() - rest.len()].into(),
            None => con.name.clone(),
        }
    }

    /// Returns the name by which a program means a constructor, if it has one.
    #[must_use]
    pub fn con_name<'a>(&self, con: &'a Con) -> Option<&'a str> {
        let is_own = || self.labels.definitions.contains_key(&con.symbol);
        (con.name == con.symbol || is_own()).then_some(&*con.symbol)
    }

    /// Returns the name by which a program means a global, if it has one.
    #[must_use]
    pub fn global_name<'a>(&'a self, global: &'a Global) -> Option<&'a str> {
        if let GlobalKind::Constructor(con) = global.kind {
            return self.con_name(self.cons.get(con)?);
        }
        let display = global.display.as_ref()?;
        let is_own = || self.labels.definitions.contains_key(&global.symbol);
        (*display == global.symbol || is_own()).then_some(&*global.symbol)
    }

    /// Returns the global with this symbol.
    #[must_use]
    pub fn find(&self, symbol: &str) -> Option<GlobalId> {
        self.globals.enumerate().find(|(_, global)| &*global.symbol == symbol).map(|(id, _)| id)
    }

    /// Returns the code that a run starts with: `PushGlobal main, Eval, Print`. A `main` with a
    /// parameter finds its input on the stack, and is applied to it first. `None` without a `main`.
    #[must_use]
    pub fn initial_code(&self) -> Option<Vec<Instr>> {
        let main = self.main?;
        let takes_input = self.globals.get(main)?.arity > 0;
        let mut code = vec![Instr::PushGlobal(main)];
        code.extend(takes_input.then_some(Instr::MkApp));
        code.extend([Instr::Eval, Instr::Print]);
        Some(code)
    }
}

impl Arities for Program {
    fn con_arity(&self, con: ConId) -> u32 {
        self.cons.get(con).map_or(0, |con| con.arity)
    }

    fn host_arity(&self, host: HostId) -> u32 {
        self.hosts.get(host).map_or(0, |host| host.arity)
    }
}
