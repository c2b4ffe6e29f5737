//! The names of the top level: which definition a name means, seen from the program or from
//! a corelib module.
//!
//! A name means the first of these that there is: what the unit itself defines; (the program
//! only) what the program defines that it is added to; what a module that it imports defines;
//! (the program only) a host function; what the prelude defines; a primitive. What a module calls
//! by a name with a hyphen is its own affair.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::expr::{CONS, Con, ConId, Data, DataId, NIL};
use crate::base::index::{Idx, IndexVec};
use crate::base::name::{Interner, Name};
use crate::base::span::Span;
use crate::load::Loaded;
use crate::primitive::Primitive;
use crate::syntax::ast::{Ast, ItemKind};
use crate::syntax::binary::Module;

crate::define_index! {
    /// A part of the source with a scope of its own: the program or a corelib module.
    pub UnitId;
}

/// The files of the program.
pub const PROGRAM: UnitId = UnitId(0);

/// A function that the embedding program provides. Its index in the slice given to
/// [`lower`](super::lower::lower) becomes [`GlobalKind::Host`](super::expr::GlobalKind)'s.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostDecl {
    /// Its name in the program.
    pub name: String,
    /// Number of arguments, at least 1.
    pub arity: u32,
}

/// What a name of an earlier definition means, by its number in the program that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A function or a CAF.
    Global {
        /// Its number.
        global: u32,
        /// Number of arguments; 0 for a CAF.
        arity: u32,
    },
    /// A constructor.
    Con {
        /// Its data type's number.
        data: u32,
        /// Its number in that type, from 0.
        tag: u32,
    },
}

/// A data type of the program that another one is added to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierData {
    /// Its symbol there.
    pub symbol: Arc<str>,
    /// Its constructors, in the order of their tags: name, symbol, number of fields.
    pub cons: Vec<(Arc<str>, Arc<str>, u32)>,
}

/// The program that another one is added to, as far as that one has to know it.
pub trait Earlier: std::fmt::Debug {
    /// Returns what a name means that it defines.
    fn meaning(&self, name: &str) -> Option<Meaning>;

    /// Returns a data type.
    fn data(&self, data: u32) -> Option<EarlierData>;

    /// Returns the number of a corelib module's data type, if it has that.
    fn corelib_data(&self, module: &str, name: &str) -> Option<u32>;

    /// Returns the names that it defines.
    fn names(&self) -> Vec<Arc<str>>;
}

/// The part of the source that declares a data type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataHome {
    /// No part: it is built in, or of the program that this one is added to.
    Elsewhere,
    /// The program.
    Program,
    /// A corelib module: its name, and that of the type.
    Corelib(String, Arc<str>),
}

/// A part of the source, as it comes from loading.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// Its name: `prelude` for the prelude, empty for the program.
    pub name: String,
    /// Positions in [`Input::units`] of the modules that it imports.
    pub imports: Vec<UnitId>,
}

/// What is resolved: all files of a program and of the corelib modules that it needs.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// The syntax trees.
    pub ast: &'a Ast,
    /// The names in it.
    pub names: &'a Interner,
    /// The parts; the first is the program.
    pub units: Vec<Unit>,
    /// For each file of the source map, the part that it belongs to.
    pub unit_of_file: Vec<UnitId>,
    /// The part that every other one sees.
    pub prelude: Option<UnitId>,
    /// The program that this one is added to.
    pub earlier: Option<&'a dyn Earlier>,
    /// The compiled modules.
    pub compiled: &'a [Arc<Module>],
}

impl Input<'_> {
    /// Returns the part that a file belongs to.
    #[must_use]
    pub fn unit(&self, file: usize) -> UnitId {
        self.unit_of_file.get(file).copied().unwrap_or(PROGRAM)
    }
}

/// What a name of the top level means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A `defn`, by its position among the items.
    Defn(u32),
    /// A constructor.
    Con(ConId),
    /// A host function.
    Host(u32),
    /// A function or CAF of the program that this one is added to, by its position among those
    /// that are declared.
    Earlier(u32),
    /// A primitive.
    Primitive(Primitive),
}

/// What looking a name up may find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// One meaning.
    Found(Target),
    /// Two imported modules define it.
    Ambiguous(UnitId, UnitId),
    /// Nothing defines it.
    Unbound,
}

/// The definitions of one part.
#[derive(Debug)]
enum Table {
    /// By name: the program, which may hold millions.
    Dense(Vec<Option<Target>>),
    /// A corelib module.
    Sparse(FxHashMap<Name, Target>),
}

impl Table {
    fn get(&self, name: Name) -> Option<Target> {
        match self {
            Table::Dense(targets) => targets.get(name.0 as usize).copied().flatten(),
            Table::Sparse(targets) => targets.get(&name).copied(),
        }
    }

    fn insert(&mut self, name: Name, target: Target) {
        match self {
            Table::Dense(targets) => {
                if let Some(slot) = targets.get_mut(name.0 as usize) {
                    *slot = Some(target);
                }
            }
            Table::Sparse(targets) => {
                targets.insert(name, target);
            }
        }
    }
}

/// Two items, constructors or data types of one name in one part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplicate {
    /// The name.
    pub name: Name,
    /// Where the first stands.
    pub first: Span,
    /// Where the second stands.
    pub second: Span,
    /// Whether both name data types, which have a name space of their own.
    pub data: bool,
}

/// The top level of a program with its corelib modules.
#[derive(Debug)]
pub struct Globals<'a> {
    /// What was resolved.
    pub input: Input<'a>,
    tables: IndexVec<UnitId, Table>,
    hosts: FxHashMap<Name, u32>,
    host_arities: Vec<u32>,
    /// What names mean that the program defines that this one is added to.
    earlier: FxHashMap<Name, Target>,
    /// The functions and CAFs among that: number and arity.
    pub earlier_globals: Vec<(u32, u32)>,
    primitives: FxHashMap<Name, Primitive>,
    /// The data types of all parts; 0 is `List`.
    pub datas: IndexVec<DataId, Data>,
    /// The constructors of all parts; 0 is `Nil`, 1 is `Cons`.
    pub cons: IndexVec<ConId, Con>,
    /// The part that declares each data type.
    data_units: IndexVec<DataId, UnitId>,
    /// The names of the constructors.
    con_names: IndexVec<ConId, Option<Name>>,
    /// Second definitions; the first one counts.
    pub duplicates: Vec<Duplicate>,
    /// Definitions of `Nil`, `Cons` and `List`, by name and place. They do not count.
    pub reserved: Vec<(Name, Span)>,
}

impl<'a> Globals<'a> {
    /// Collects the definitions of all parts.
    #[must_use]
    pub fn new(input: Input<'a>, hosts: &[HostDecl]) -> Globals<'a> {
        let names = input.names;
        let tables = (0..input.units.len().max(1))
            .map(|unit| match unit {
                0 => Table::Dense(vec![None; names.len()]),
                _ => Table::Sparse(FxHashMap::default()),
            })
            .collect();
        let mut globals = Globals {
            tables,
            hosts: FxHashMap::default(),
            host_arities: hosts.iter().map(|host| host.arity).collect(),
            earlier: FxHashMap::default(),
            earlier_globals: Vec::new(),
            primitives: FxHashMap::default(),
            datas: IndexVec::new(),
            cons: IndexVec::new(),
            data_units: IndexVec::new(),
            con_names: IndexVec::new(),
            duplicates: Vec::new(),
            reserved: Vec::new(),
            input,
        };
        for (index, host) in hosts.iter().enumerate() {
            if let Some(name) = names.find(&host.name) {
                globals.hosts.entry(name).or_insert(index as u32);
            }
        }
        for &primitive in Primitive::ALL {
            // By the name that anything hides, and by the one that nothing does.
            let plain = names.find(primitive.name());
            let marked = names.find(&format!("#{}", primitive.name()));
            for name in plain.into_iter().chain(marked) {
                globals.primitives.insert(name, primitive);
            }
        }
        globals.built_in();
        globals.collect();
        globals.name_apart();
        globals.declare_earlier();
        globals
    }

    /// Declares the list type, `(data List (Nil) (Cons head tail))`.
    fn built_in(&mut self) {
        let list = self.datas.push(Data {
            symbol: "List".into(),
            cons: vec![NIL, CONS],
            span: Span::NONE,
            earlier: self.input.earlier.map(|_| 0),
        });
        self.data_units.push(PROGRAM);
        for (tag, (name, arity)) in [("Nil", 0), ("Cons", 2)].into_iter().enumerate() {
            let text: Arc<str> = name.into();
            self.con_names.push(self.input.names.find(name));
            self.cons.push(Con {
                name: text.clone(),
                symbol: text,
                data: list,
                tag: tag as u32,
                arity,
                span: Span::NONE,
            });
        }
    }

    fn collect(&mut self) {
        let Input { ast, names, .. } = self.input;
        let reserved = ["Nil", "Cons", "List"].map(|name| names.find(name));
        let mut types: FxHashMap<(UnitId, Name), Span> = FxHashMap::default();
        let mut unnamed = 0_u32;
        for (at, item) in ast.items.iter().enumerate() {
            let unit = self.input.unit(item.file);
            match &item.kind {
                ItemKind::Defn { .. } => {
                    let Some(name) = item.name else { continue };
                    if reserved.contains(&Some(name)) {
                        self.reserved.push((name, item.name_span));
                    } else {
                        self.define(unit, name, item.name_span, Target::Defn(at as u32));
                    }
                }
                ItemKind::Data { cons } => {
                    // A type called `_` has no name, but constructors like any other.
                    let symbol = match item.name {
                        Some(name) => {
                            self.declare(unit, name, item.name_span, &reserved, &mut types);
                            names.shared(name)
                        }
                        None => {
                            unnamed += 1;
                            format!("_${unnamed}").into()
                        }
                    };
                    let data = self.data_units.push(unit);
                    let mut ids = Vec::with_capacity(cons.len());
                    for con in cons {
                        if reserved.contains(&Some(con.name)) {
                            self.reserved.push((con.name, con.span));
                            continue;
                        }
                        let id = self.cons.next_index();
                        if !self.define(unit, con.name, con.span, Target::Con(id)) {
                            continue;
                        }
                        let text = names.shared(con.name);
                        self.con_names.push(Some(con.name));
                        self.cons.push(Con {
                            name: text.clone(),
                            symbol: text,
                            data,
                            tag: ids.len() as u32,
                            arity: con.fields.len() as u32,
                            span: con.span,
                        });
                        ids.push(id);
                    }
                    let earlier = self.input.earlier.filter(|_| unit != PROGRAM);
                    let module = self.input.units.get(unit.0 as usize);
                    let earlier = earlier
                        .zip(module)
                        .and_then(|(earlier, module)| earlier.corelib_data(&module.name, &symbol));
                    let span = item.name_span;
                    self.datas.push(Data { symbol, cons: ids, span, earlier });
                }
                ItemKind::ImportFile { .. } | ItemKind::ImportModule => {}
            }
        }
    }

    /// Declares what is named of the program that this one is added to.
    fn declare_earlier(&mut self) {
        let Input { names, earlier: Some(earlier), .. } = self.input else { return };
        let mut declared: FxHashMap<u32, Vec<ConId>> = FxHashMap::default();
        for (id, data) in self.datas.enumerate() {
            if let Some(number) = data.earlier {
                declared.insert(number, self.datas[id].cons.clone());
            }
        }
        for name in names.names() {
            let target = match earlier.meaning(names.text(name)) {
                None => continue,
                Some(Meaning::Global { global, arity }) => {
                    self.earlier_globals.push((global, arity));
                    Target::Earlier(self.earlier_globals.len() as u32 - 1)
                }
                Some(Meaning::Con { data, tag }) => {
                    let cons = declared.entry(data);
                    let cons = cons.or_insert_with(|| self.declare_data(earlier, data));
                    let con = cons.get(tag as usize);
                    let Some(&con) = con else { continue };
                    Target::Con(con)
                }
            };
            self.earlier.insert(name, target);
        }
    }

    /// Declares a data type of the program that this one is added to. Its symbols are no names of
    /// the language, so that they are none of this program.
    fn declare_data(&mut self, earlier: &dyn Earlier, number: u32) -> Vec<ConId> {
        let Some(EarlierData { symbol, cons }) = earlier.data(number) else { return Vec::new() };
        let data = self.data_units.push(PROGRAM);
        let mut ids = Vec::with_capacity(cons.len());
        for (name, symbol, arity) in cons {
            self.con_names.push(self.input.names.find(&name));
            ids.push(self.cons.push(Con {
                name,
                symbol: format!("earlier.{symbol}").into(),
                data,
                tag: ids.len() as u32,
                arity,
                span: Span::NONE,
            }));
        }
        self.datas.push(Data {
            symbol: format!("earlier.{symbol}").into(),
            cons: ids.clone(),
            span: Span::NONE,
            earlier: Some(number),
        });
        ids
    }

    /// Returns the part of the source that declares each data type.
    #[must_use]
    pub fn homes(&self) -> Vec<DataHome> {
        let home = |(id, &unit): (DataId, &UnitId)| {
            let data = &self.datas[id];
            match self.input.units.get(unit.0 as usize) {
                _ if id.index() == 0 => DataHome::Elsewhere,
                Some(module) if unit != PROGRAM => {
                    // A symbol that was made unique begins with the module's name.
                    let prefix = format!("{}.", module.name);
                    let name =
                        data.symbol.strip_prefix(&*prefix).map_or(data.symbol.clone(), Arc::from);
                    DataHome::Corelib(module.name.clone(), name)
                }
                _ if data.earlier.is_some() => DataHome::Elsewhere,
                _ => DataHome::Program,
            }
        };
        self.data_units.enumerate().map(home).collect()
    }

    /// Notes the name of a data type that is reserved or that its part has already.
    fn declare(
        &mut self,
        unit: UnitId,
        name: Name,
        span: Span,
        reserved: &[Option<Name>],
        types: &mut FxHashMap<(UnitId, Name), Span>,
    ) {
        if reserved.contains(&Some(name)) {
            self.reserved.push((name, span));
        } else if let Some(&first) = types.get(&(unit, name)) {
            self.duplicates.push(Duplicate { name, first, second: span, data: true });
        } else {
            types.insert((unit, name), span);
        }
    }

    /// Returns whether this was the first definition of the name in its part.
    fn define(&mut self, unit: UnitId, name: Name, span: Span, target: Target) -> bool {
        let Some(table) = self.tables.get(unit) else { return false };
        if let Some(first) = table.get(name) {
            let first = self.span(first);
            self.duplicates.push(Duplicate { name, first, second: span, data: false });
            return false;
        }
        self.tables[unit].insert(name, target);
        true
    }

    /// Gives the corelib's data types and constructors that are shadowed a symbol of their
    /// own. The program's keep theirs, so only the corelib's few are looked at.
    fn name_apart(&mut self) {
        let mut types: FxHashMap<Arc<str>, u32> = FxHashMap::default();
        let shared: Vec<(DataId, UnitId)> = self
            .data_units
            .enumerate()
            .filter(|&(_, &unit)| unit != PROGRAM)
            .map(|(id, &unit)| (id, unit))
            .collect();
        if !shared.is_empty() {
            for &(id, _) in &shared {
                types.insert(self.datas[id].symbol.clone(), 0);
            }
            for data in self.datas.iter() {
                if let Some(count) = types.get_mut(&data.symbol) {
                    *count += 1;
                }
            }
        }
        for (id, unit) in shared {
            if types.get(&self.datas[id].symbol).is_some_and(|&count| count > 1) {
                self.datas[id].symbol = self.qualified(unit, &self.datas[id].symbol);
            }
            for con in self.datas[id].cons.clone() {
                if let Some(name) = self.con_names[con] {
                    self.cons[con].symbol = self.symbol(Target::Con(con), name);
                }
            }
        }
    }

    fn qualified(&self, unit: UnitId, symbol: &str) -> Arc<str> {
        let module = self.input.units.get(unit.0 as usize).map_or("", |unit| &unit.name);
        format!("{module}.{symbol}").into()
    }

    /// Returns what `name` means in `unit`.
    #[must_use]
    pub fn lookup(&self, unit: UnitId, name: Name) -> Lookup {
        if let Some(target) = self.own(unit, name) {
            return Lookup::Found(target);
        }
        if self.con_names[NIL] == Some(name) {
            return Lookup::Found(Target::Con(NIL));
        }
        if self.con_names[CONS] == Some(name) {
            return Lookup::Found(Target::Con(CONS));
        }
        if unit == PROGRAM
            && let Some(&target) = self.earlier.get(&name)
        {
            return Lookup::Found(target);
        }
        let imports = self.input.units.get(unit.0 as usize).map_or(&[][..], |unit| &unit.imports);
        let mut found: Option<(UnitId, Target)> = None;
        for &module in imports {
            // The prelude is imported anyway, and gives way to other modules.
            if Some(module) == self.input.prelude {
                continue;
            }
            if let Some(target) = self.exported(module, name) {
                match found {
                    Some((other, _)) if other != module => {
                        return Lookup::Ambiguous(other, module);
                    }
                    _ => found = Some((module, target)),
                }
            }
        }
        if let Some((_, target)) = found {
            return Lookup::Found(target);
        }
        if unit == PROGRAM
            && let Some(&host) = self.hosts.get(&name)
        {
            return Lookup::Found(Target::Host(host));
        }
        if let Some(target) = self.input.prelude.and_then(|prelude| self.exported(prelude, name)) {
            return Lookup::Found(target);
        }
        match self.primitives.get(&name) {
            Some(&primitive) => Lookup::Found(Target::Primitive(primitive)),
            None => Lookup::Unbound,
        }
    }

    /// Returns the constructor that `name` means in `unit`, if it means one.
    #[must_use]
    pub fn con(&self, unit: UnitId, name: Name) -> Option<ConId> {
        match self.lookup(unit, name) {
            Lookup::Found(Target::Con(con)) => Some(con),
            _ => None,
        }
    }

    /// Returns what `unit` itself defines as `name`.
    #[must_use]
    pub fn own(&self, unit: UnitId, name: Name) -> Option<Target> {
        self.tables.get(unit)?.get(name)
    }

    /// Returns what the corelib module `unit` defines as `name` for others: what has a hyphen in
    /// its name is private.
    fn exported(&self, unit: UnitId, name: Name) -> Option<Target> {
        self.own(unit, name).filter(|_| !self.input.names.text(name).contains('-'))
    }

    /// Returns the visible names that may not be among the interned ones, since no source has them.
    pub fn hidden(&self) -> impl Iterator<Item = Arc<str>> {
        let built_in = ["Nil", "Cons"].into_iter().map(Arc::from);
        let primitives = Primitive::ALL.iter().map(|primitive| Arc::from(primitive.name()));
        let earlier = self.input.earlier.map(|earlier| earlier.names()).unwrap_or_default();
        primitives.chain(built_in).chain(earlier)
    }

    /// Returns the number of arguments that a target takes; 0 for a CAF.
    #[must_use]
    pub fn arity(&self, target: Target) -> usize {
        match target {
            Target::Defn(item) => match self.input.ast.items.get(item as usize) {
                Some(item) => match item.kind {
                    ItemKind::Defn { params, .. } => params.len(),
                    _ => 0,
                },
                None => 0,
            },
            Target::Con(con) => self.cons[con].arity as usize,
            Target::Host(host) => self.host_arities.get(host as usize).map_or(0, |&n| n as usize),
            Target::Earlier(at) => {
                self.earlier_globals.get(at as usize).map_or(0, |&(_, arity)| arity as usize)
            }
            Target::Primitive(primitive) => primitive.arity(),
        }
    }

    /// Returns where a target is defined; [`Span::NONE`] for what no source defines.
    #[must_use]
    pub fn span(&self, target: Target) -> Span {
        match target {
            Target::Defn(item) => {
                self.input.ast.items.get(item as usize).map_or(Span::NONE, |item| item.name_span)
            }
            Target::Con(con) => self.cons.get(con).map_or(Span::NONE, |con| con.span),
            Target::Host(_) | Target::Earlier(_) | Target::Primitive(_) => Span::NONE,
        }
    }

    /// Returns the unique symbol of a target called `name`: the name itself if the program can use
    /// it for the target, else `part.name`.
    #[must_use]
    pub fn symbol(&self, target: Target, name: Name) -> Arc<str> {
        if let Target::Primitive(primitive) = target {
            // It may have been met by the name that nothing hides.
            let name = primitive.name();
            let plain = self.input.names.find(name);
            let is_hidden =
                plain.is_some_and(|plain| self.lookup(PROGRAM, plain) != Lookup::Found(target));
            return if is_hidden { format!("primitive.{name}").into() } else { name.into() };
        }
        if self.lookup(PROGRAM, name) == Lookup::Found(target) {
            return self.input.names.shared(name);
        }
        let text = self.input.names.text(name);
        match target {
            Target::Host(_) => format!("host.{text}").into(),
            Target::Earlier(_) => format!("earlier.{text}").into(),
            Target::Defn(_) | Target::Con(_) | Target::Primitive(_) => {
                let unit = self
                    .tables
                    .enumerate()
                    .find(|(_, table)| table.get(name) == Some(target))
                    .map_or(PROGRAM, |(unit, _)| unit);
                if unit == PROGRAM { text.into() } else { self.qualified(unit, text) }
            }
        }
    }
}

impl<'a> From<&'a Loaded> for Input<'a> {
    /// Returns a part for the program, then one for each corelib module; the prelude is the first
    /// of those.
    fn from(loaded: &'a Loaded) -> Input<'a> {
        let ids = |imports: &[usize]| imports.iter().map(|&at| UnitId::new(at + 1)).collect();
        let mut unit_of_file = vec![PROGRAM; loaded.sources.files().len()];
        let mut units = vec![Unit { name: String::new(), imports: ids(&loaded.imports) }];
        for module in &loaded.modules {
            unit_of_file[module.file] = UnitId::new(units.len());
            units.push(Unit { name: module.name.to_owned(), imports: ids(&module.imports) });
        }
        let prelude = (!loaded.modules.is_empty()).then_some(UnitId(1));
        Input {
            ast: &loaded.ast,
            names: &loaded.names,
            units,
            unit_of_file,
            prelude,
            earlier: None,
            compiled: loaded.compiled.as_slice(),
        }
    }
}
