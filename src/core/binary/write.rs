//! Core of one file to the bytes of a compiled module.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::index::List;
use crate::base::integer::Integer;
use crate::base::name::Name;
use crate::base::span::Span;
use crate::core::expr::{
    BigId, Branches, ConId, DataId, Expr, ExprId, GlobalId, GlobalKind, JoinId, Lit, LocalId,
    Program,
};
use crate::core::scope::{Globals, Input, PROGRAM};
use crate::load::Loaded;
use crate::syntax::ast::{ItemKind, Pat};
use crate::syntax::binary::{HEADER, MAGIC, VERSION, Writer, check_sum, item, reference, tag};

/// What each definition mentions: the functions and constants, by the names that it has for them,
/// in the order of their first mention.
pub type Mentions = FxHashMap<GlobalId, Vec<(GlobalId, Name)>>;

/// Returns the bytes of the compiled module of `file`. All its definitions have been lowered, and
/// are the roots of the program; `None` if one of them was not.
#[must_use]
pub fn write(
    loaded: &Loaded,
    program: &Program,
    mentions: &Mentions,
    file: usize,
) -> Option<Vec<u8>> {
    let source = loaded.sources.files().get(file)?;
    let mut write = Write { loaded, program, base: source.base, ..Write::new(loaded, program) };
    let own: FxHashMap<&str, GlobalId> =
        program.roots.iter().map(|&id| (&*program.globals[id].symbol, id)).collect();
    let mut items = write.writer();
    let mut count = 0;
    for item in loaded.ast.items.iter().filter(|item| item.file == file) {
        count += 1;
        items.bytes.push(match item.kind {
            ItemKind::Defn { .. } => item::DEFINITION,
            ItemKind::Data { .. } => item::DATA,
            ItemKind::ImportFile { .. } => item::FILE,
            ItemKind::ImportModule => item::MODULE,
        });
        items.span(item.span);
        items.span(item.name_span);
        let name = item.name.map(|name| loaded.names.text(name));
        match &item.kind {
            ItemKind::Defn { .. } => {
                items.optional(Some(write.names.id(name?)));
                write.definition(*own.get(name?)?, mentions, &mut items)?;
            }
            ItemKind::Data { cons } => {
                items.optional(name.map(|name| write.names.id(name)));
                items.number(cons.len());
                for con in cons {
                    items.optional(Some(write.names.id(loaded.names.text(con.name))));
                    items.span(con.span);
                    let fields = &loaded.ast.binders[con.fields];
                    items.number(fields.len());
                    for field in fields {
                        let name = field.name.map(|name| loaded.names.text(name));
                        items.optional(name.map(|name| write.names.id(name)));
                    }
                }
            }
            ItemKind::ImportFile { path } => items.number(write.texts.id(path)),
            ItemKind::ImportModule => items.optional(Some(write.names.id(name?))),
        }
    }
    let tables = write.tables(file);
    let mut out = Writer::default();
    out.string(&source.name);
    out.string(&source.text);
    write.names.write(&mut out);
    write.texts.write(&mut out);
    write.bigs(&mut out);
    out.bytes.extend(tables);
    out.number(count);
    out.bytes.extend(items.bytes);
    let length = u32::try_from(out.bytes.len()).ok()?;
    let mut bytes = Vec::with_capacity(HEADER + out.bytes.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(check_sum(&out.bytes).to_le_bytes());
    bytes.extend(out.bytes);
    Some(bytes)
}

/// Texts, each once.
#[derive(Default)]
struct Texts<'a> {
    texts: Vec<&'a str>,
    ids: FxHashMap<&'a str, usize>,
}

impl<'a> Texts<'a> {
    fn id(&mut self, text: &'a str) -> usize {
        let texts = &mut self.texts;
        *self.ids.entry(text).or_insert_with(|| {
            texts.push(text);
            texts.len() - 1
        })
    }

    fn write(&self, out: &mut Writer) {
        out.number(self.texts.len());
        self.texts.iter().for_each(|text| out.string(text));
    }
}

/// Something that the module mentions.
struct Known<'a> {
    name: &'a str,
    kind: Kind,
    span: Span,
}

enum Kind {
    Value,
    Same(usize),
    Constructor(usize, u32),
}

/// A step of writing a body.
enum Step {
    Expr(ExprId),
    /// Ends the body of the innermost join.
    Close,
}

struct Write<'a> {
    loaded: &'a Loaded,
    program: &'a Program,
    base: u32,
    names: Texts<'a>,
    texts: Texts<'a>,
    bigs: Vec<BigId>,
    big_ids: FxHashMap<BigId, usize>,
    layouts: Vec<DataId>,
    layout_ids: FxHashMap<DataId, usize>,
    references: Vec<Known<'a>>,
    values: FxHashMap<GlobalId, usize>,
    named: FxHashSet<(GlobalId, Name)>,
    constructors: FxHashMap<ConId, usize>,
    /// The number of each local in its body.
    locals: FxHashMap<LocalId, usize>,
    joins: Vec<JoinId>,
}

impl<'a> Write<'a> {
    fn new(loaded: &'a Loaded, program: &'a Program) -> Write<'a> {
        Write {
            loaded,
            program,
            base: 0,
            names: Texts::default(),
            texts: Texts::default(),
            bigs: Vec::new(),
            big_ids: FxHashMap::default(),
            layouts: Vec::new(),
            layout_ids: FxHashMap::default(),
            references: Vec::new(),
            values: FxHashMap::default(),
            named: FxHashSet::default(),
            constructors: FxHashMap::default(),
            locals: FxHashMap::default(),
            joins: Vec::new(),
        }
    }

    fn writer(&self) -> Writer {
        Writer { base: self.base, ..Writer::default() }
    }

    fn definition(
        &mut self,
        global: GlobalId,
        mentions: &Mentions,
        items: &mut Writer,
    ) -> Option<()> {
        let program = self.program;
        let GlobalKind::Defn { params, body: Some(body) } = program.globals[global].kind else {
            return None;
        };
        let mentions = mentions.get(&global).map_or(&[][..], Vec::as_slice);
        let mut values = Vec::with_capacity(mentions.len());
        for &(global, name) in mentions {
            values.extend(self.mention(global, name));
        }
        let mut out = Writer { last: items.last, ..self.writer() };
        self.locals.clear();
        self.binders(params, &mut out);
        self.body(body, &mut out)?;
        items.number(values.len());
        values.into_iter().for_each(|value| items.number(value));
        items.number(params.len());
        items.number(out.bytes.len());
        items.bytes.extend(out.bytes);
        Some(())
    }

    /// Notes that a global is mentioned by a name. Returns its reference, if this is its first name.
    fn mention(&mut self, global: GlobalId, name: Name) -> Option<usize> {
        let known = self.values.get(&global).copied();
        if self.named.insert((global, name)) {
            let kind = known.map_or(Kind::Value, Kind::Same);
            let name = self.loaded.names.text(name);
            self.names.id(name);
            self.references.push(Known { name, kind, span: Span::NONE });
        }
        Some(known.unwrap_or_else(|| {
            let id = self.references.len() - 1;
            self.values.insert(global, id);
            id
        }))
    }

    fn constructor(&mut self, con: ConId, span: Span) -> usize {
        if let Some(&known) = self.constructors.get(&con) {
            return known;
        }
        let program = self.program;
        let found = &program.cons[con];
        let (layouts, names) = (&mut self.layouts, &mut self.names);
        let layout = *self.layout_ids.entry(found.data).or_insert_with(|| {
            layouts.push(found.data);
            for &con in &program.datas[found.data].cons {
                names.id(&program.cons[con].name);
            }
            layouts.len() - 1
        });
        let kind = Kind::Constructor(layout, found.tag);
        self.references.push(Known { name: &found.name, kind, span });
        self.constructors.insert(con, self.references.len() - 1);
        self.references.len() - 1
    }

    fn binders(&mut self, locals: List<LocalId>, out: &mut Writer) {
        for &local in &self.program.local_lists[locals] {
            self.binder(local, out);
        }
    }

    fn binder(&mut self, local: LocalId, out: &mut Writer) {
        let number = self.locals.len();
        self.locals.insert(local, number);
        let found = self.program.locals[local];
        let name = found.name.map(|name| self.loaded.names.text(name));
        out.optional(name.map(|name| self.names.id(name)));
        out.span(found.span);
    }

    fn body(&mut self, root: ExprId, out: &mut Writer) -> Option<()> {
        let mut steps = vec![Step::Expr(root)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Expr(expr) => self.expr(expr, out, &mut steps)?,
                Step::Close => drop(self.joins.pop()),
            }
        }
        Some(())
    }

    fn expr(&mut self, expr: ExprId, out: &mut Writer, steps: &mut Vec<Step>) -> Option<()> {
        let program = self.program;
        let span = program.spans[expr];
        let head = |out: &mut Writer, kind: u8| {
            out.bytes.push(kind);
            out.span(span);
        };
        let mark = steps.len();
        match program.exprs[expr] {
            Expr::Lit(Lit::Int(value)) => {
                head(out, tag::INT);
                out.signed(value);
            }
            Expr::Lit(Lit::Big(big)) => {
                head(out, tag::BIG);
                out.number(self.big(big));
            }
            Expr::Lit(Lit::Float(value)) => {
                head(out, tag::FLOAT);
                out.bytes.extend(value.bits().to_le_bytes());
            }
            Expr::Lit(Lit::Char(c)) => {
                head(out, tag::CHAR);
                out.number(c as usize);
            }
            Expr::Text(text) => {
                head(out, tag::TEXT);
                out.number(self.texts.id(&program.texts[text]));
            }
            Expr::Local(local) => {
                head(out, tag::LOCAL);
                out.number(*self.locals.get(&local)?);
            }
            Expr::Global(global) => {
                head(out, tag::VALUE);
                let value = *self.values.get(&global)?;
                if let Some(known) = self.references.get_mut(value).filter(|it| it.span.is_none()) {
                    known.span = span;
                }
                out.number(value);
            }
            Expr::Con(con) => {
                head(out, tag::CONSTRUCTOR);
                out.number(self.constructor(con, span));
            }
            Expr::App(callee, args) => {
                head(out, tag::APPLY);
                out.number(args.len());
                steps.push(Step::Expr(callee));
                steps.extend(program.expr_lists[args].iter().map(|&arg| Step::Expr(arg)));
            }
            Expr::Let(local, value, body) => {
                head(out, tag::LET);
                self.binder(local, out);
                steps.extend([Step::Expr(value), Step::Expr(body)]);
            }
            Expr::Force(local, value, body) => {
                head(out, tag::FORCE);
                self.binder(local, out);
                steps.extend([Step::Expr(value), Step::Expr(body)]);
            }
            // The form of optimised programs alone: a module keeps what it was before.
            Expr::Perform(..) => return None,
            Expr::Letrec(binds, body) => {
                head(out, tag::LETREC);
                let binds = &program.binds[binds];
                out.number(binds.len());
                binds.iter().for_each(|bind| self.binder(bind.local, out));
                steps.extend(binds.iter().map(|bind| Step::Expr(bind.value)));
                steps.push(Step::Expr(body));
            }
            Expr::Lam(params, body) => {
                head(out, tag::FUNCTION);
                out.number(params.len());
                self.binders(params, out);
                steps.push(Step::Expr(body));
            }
            Expr::Switch(id) => {
                let switch = &program.switches[id];
                let kind = match switch.branches {
                    Branches::Cons(_) => tag::CONSTRUCTORS,
                    Branches::Lits(_) => tag::LITERALS,
                };
                head(out, kind);
                out.number(*self.locals.get(&switch.scrutinee)?);
                out.bytes.push(switch.evaluated.into());
                match &switch.branches {
                    Branches::Cons(branches) => {
                        out.number(branches.len());
                        for branch in branches {
                            out.number(self.constructor(branch.con, span));
                            for &field in &branch.fields {
                                out.bytes.push(field.is_some().into());
                                field.into_iter().for_each(|field| self.binder(field, out));
                            }
                            steps.push(Step::Expr(branch.body));
                        }
                    }
                    Branches::Lits(branches) => {
                        out.number(branches.len());
                        for &(lit, body) in branches {
                            self.literal(lit, out)?;
                            steps.push(Step::Expr(body));
                        }
                    }
                }
                steps.extend(switch.default.map(Step::Expr));
            }
            Expr::Join(join, body) => {
                head(out, tag::JOIN);
                self.joins.push(join);
                let handler = program.joins[join].handler;
                steps.extend([Step::Expr(body), Step::Close, Step::Expr(handler)]);
            }
            Expr::Jump(join, args) => {
                head(out, tag::JUMP);
                let at = self.joins.iter().rev().position(|&open| open == join);
                out.number(at.filter(|_| args.is_empty())?);
            }
            Expr::NoMatch => head(out, tag::NO_MATCH),
            Expr::Error => return None,
        }
        steps[mark..].reverse();
        Some(())
    }

    fn big(&mut self, big: BigId) -> usize {
        let bigs = &mut self.bigs;
        *self.big_ids.entry(big).or_insert_with(|| {
            bigs.push(big);
            bigs.len() - 1
        })
    }

    fn literal(&mut self, lit: Lit, out: &mut Writer) -> Option<()> {
        match lit {
            Lit::Int(value) => {
                out.bytes.push(tag::INT);
                out.signed(value);
            }
            Lit::Big(big) => {
                out.bytes.push(tag::BIG);
                out.number(self.big(big));
            }
            Lit::Char(c) => {
                out.bytes.push(tag::CHAR);
                out.number(c as usize);
            }
            Lit::Float(_) => return None,
        }
        Some(())
    }

    fn bigs(&self, out: &mut Writer) {
        out.number(self.bigs.len());
        for &big in &self.bigs {
            let value: &Integer = &self.program.bigs[big];
            let mut limbs = vec![0; value.limbs()];
            let written = value.to_limbs(&mut limbs);
            out.bytes.push(value.is_negative().into());
            out.number(written.len);
            limbs.iter().take(written.len).for_each(|limb| out.bytes.extend(limb.to_le_bytes()));
        }
    }

    /// Writes the tables that stand between the integers and the items.
    fn tables(&mut self, file: usize) -> Vec<u8> {
        let mut out = self.writer();
        self.origins(file, &mut out);
        self.labels(file, &mut out);
        out.number(self.layouts.len());
        for &data in &self.layouts {
            let cons = &self.program.datas[data].cons;
            out.number(cons.len());
            for &con in cons {
                let con = &self.program.cons[con];
                out.optional(Some(self.names.id(&con.name)));
                out.number(con.arity as usize);
            }
        }
        out.number(self.references.len());
        out.last = 0;
        for known in &self.references {
            out.number(self.names.id(known.name));
            match known.kind {
                Kind::Value => out.bytes.push(reference::VALUE),
                Kind::Same(other) => {
                    out.bytes.push(reference::SAME);
                    out.number(other);
                }
                Kind::Constructor(layout, tag) => {
                    out.bytes.push(reference::CONSTRUCTOR);
                    out.number(layout);
                    out.number(tag as usize);
                }
            }
            out.span(known.span);
        }
        let variables = self.variables(file);
        out.number(variables.len());
        variables.into_iter().for_each(|name| out.optional(Some(self.names.id(name))));
        out.bytes
    }

    fn origins(&mut self, file: usize, out: &mut Writer) {
        let origins = self.loaded.sources.files().get(file).and_then(|file| file.origins());
        out.bytes.push(origins.is_some_and(|origins| origins.is_hidden).into());
        let (originals, points) = match origins {
            Some(origins) => (origins.originals(), origins.points()),
            None => (&[][..], &[][..]),
        };
        out.number(originals.len());
        originals.iter().for_each(|original| out.string(&original.name));
        out.number(points.len());
        for &(position, origin) in points {
            out.number(position.saturating_sub(self.base) as usize);
            out.optional(origin.map(|origin| origin.file as usize));
            let Some(origin) = origin else { continue };
            let place = |out: &mut Writer, (line, column): (u32, u32)| {
                out.number(line as usize);
                out.number(column as usize);
            };
            place(out, origin.start);
            out.bytes.push(origin.end.is_some().into());
            origin.end.into_iter().for_each(|end| place(out, end));
        }
    }

    /// Writes the display names of what the file defines.
    fn labels(&mut self, file: usize, out: &mut Writer) {
        let loaded = self.loaded;
        let mut labels: Vec<(bool, &'a str, &'a str)> = Vec::new();
        let mut add = |is_type: bool, name: Name| {
            let labels_of = &loaded.labels;
            let table = if is_type { &labels_of.types } else { &labels_of.definitions };
            let text = loaded.names.text(name);
            labels.extend(table.get(text).map(|label| (is_type, text, &**label)));
        };
        for item in loaded.ast.items.iter().filter(|item| item.file == file) {
            let cons = match &item.kind {
                ItemKind::Data { cons } => cons.as_slice(),
                ItemKind::Defn { .. } => &[],
                ItemKind::ImportFile { .. } | ItemKind::ImportModule => continue,
            };
            let is_type = matches!(item.kind, ItemKind::Data { .. });
            item.name.into_iter().for_each(|name| add(is_type, name));
            cons.iter().for_each(|con| add(false, con.name));
        }
        out.number(labels.len());
        for (is_type, name, label) in labels {
            out.bytes.push(is_type.into());
            out.optional(Some(self.names.id(name)));
            out.number(self.texts.id(label));
        }
    }

    /// Returns the names that patterns of the file bind.
    fn variables(&self, file: usize) -> Vec<&'a str> {
        let loaded = self.loaded;
        let Some(span) = loaded.sources.files().get(file).map(|file| file.span()) else {
            return Vec::new();
        };
        let globals = Globals::new(Input::from(loaded), &[]);
        let mut seen = FxHashSet::default();
        let patterns = loaded.ast.pats.enumerate();
        let own = patterns.filter(|&(id, _)| {
            let at = loaded.ast.pat_spans[id];
            span.lo <= at.lo && at.hi <= span.hi
        });
        own.filter_map(|(_, pat)| match pat {
            Pat::Name(name) if seen.insert(*name) => Some(*name),
            _ => None,
        })
        .filter(|&name| globals.con(PROGRAM, name).is_none())
        .map(|name| loaded.names.text(name))
        .collect()
    }
}
