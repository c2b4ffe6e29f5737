//! A syntax tree to JSON that [`to_text`](super::to_text()) reads. Depth costs memory, not native
//! stack.

use rustc_hash::FxHashMap;

use super::{SCHEMA, VERSION};
use crate::base::index::List;
use crate::base::label::Labels;
use crate::base::name::{Interner, Name};
use crate::base::origin::Origin;
use crate::base::quote::json_string;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::syntax::ast::{Alt, Ast, Binder, Binding, Expr, ExprId, Item, ItemKind, Pat, PatId};

/// Returns a program's own items as JSON, with a line end. What it imports from files is among
/// them, imports of modules stay. A tree that has mistakes becomes text that is not read.
#[must_use]
pub fn write(sources: &SourceMap, names: &Interner, ast: &Ast, labels: &Labels) -> String {
    let mut writer = Writer {
        sources,
        names,
        ast,
        labels,
        files: Vec::new(),
        numbers: FxHashMap::default(),
        out: String::new(),
        work: Vec::new(),
    };
    let is_own = |item: &&Item| {
        let is_corelib = sources.files().get(item.file).is_some_and(|file| file.corelib);
        !is_corelib && !matches!(item.kind, ItemKind::ImportFile { .. })
    };
    for (count, item) in ast.items.iter().filter(is_own).enumerate() {
        writer.out.push_str(if count == 0 { "\n" } else { ",\n" });
        writer.item(item);
    }
    let files: Vec<String> = writer.files.iter().map(|file| json_string(file)).collect();
    format!(
        "{{\"files\":[{}],\"items\":[{}],\"schema\":\"{SCHEMA}\",\"version\":{VERSION}}}\n",
        files.join(","),
        writer.out
    )
}

/// Where something comes from: the number of the file, line and column, and those of the end.
type At = (u32, (u32, u32), Option<(u32, u32)>);

/// A step of the writer, with the place of what is around it.
enum Work {
    Text(&'static str),
    Expr(ExprId, Option<At>),
    Pat(PatId),
    Binder(Binder),
}

struct Writer<'a> {
    sources: &'a SourceMap,
    names: &'a Interner,
    ast: &'a Ast,
    labels: &'a Labels,
    files: Vec<&'a str>,
    numbers: FxHashMap<&'a str, u32>,
    out: String,
    /// Last first.
    work: Vec<Work>,
}

impl<'a> Writer<'a> {
    fn file(&mut self, name: &'a str) -> u32 {
        let files = &mut self.files;
        *self.numbers.entry(name).or_insert_with(|| {
            files.push(name);
            files.len() as u32 - 1
        })
    }

    fn at(&mut self, span: Span) -> Option<At> {
        let sources = self.sources;
        if let Some((original, &Origin { start, end, .. })) = sources.origin(span) {
            return Some((self.file(&original.name), start, end));
        }
        let file = sources.file_at(span.lo).filter(|_| !span.is_none())?;
        let place = |at: u32| file.line_column(at.saturating_sub(file.base));
        Some((self.file(&file.name), place(span.lo), Some(place(span.hi))))
    }

    /// Writes `"at":[..],` unless it is that of what is around.
    fn place(&mut self, span: Span, around: Option<At>) -> Option<At> {
        let at = self.at(span);
        if let Some((file, (line, column), end)) = at.filter(|_| at != around) {
            self.out.push_str(&format!("\"at\":[{file},{line},{column}"));
            if let Some((line, column)) = end {
                self.out.push_str(&format!(",{line},{column}"));
            }
            self.out.push_str("],");
        }
        at.or(around)
    }

    fn string(&mut self, text: &str) {
        self.out.push_str(&json_string(text));
    }

    fn name(&mut self, name: Option<Name>) {
        match name {
            Some(name) => self.string(self.names.text(name)),
            None => self.out.push_str("null"),
        }
    }

    fn binders(&mut self, list: List<Binder>) {
        let ast = self.ast;
        self.out.push('[');
        for (count, binder) in ast.binders[list].iter().enumerate() {
            if count > 0 {
                self.out.push(',');
            }
            self.name(binder.name);
        }
        self.out.push(']');
    }

    fn display_name(&mut self, name: Option<Name>, is_type: bool) {
        let labels = self.labels;
        let table = if is_type { &labels.types } else { &labels.definitions };
        if let Some(shown) = name.and_then(|name| table.get(self.names.text(name))) {
            self.out.push_str(",\"shown\":");
            self.string(shown);
        }
    }

    fn item(&mut self, item: &Item) {
        self.out.push('{');
        let at = self.place(item.span, None);
        match &item.kind {
            ItemKind::Defn { params, body } => {
                self.out.push_str("\"defn\":");
                self.name(item.name);
                self.display_name(item.name, false);
                self.out.push_str(",\"params\":");
                self.binders(*params);
                self.out.push_str(",\"body\":");
                self.work.push(Work::Expr(*body, at));
                self.run();
            }
            ItemKind::Data { cons } => {
                self.out.push_str("\"data\":");
                self.name(item.name);
                self.display_name(item.name, true);
                self.out.push_str(",\"cons\":[");
                for (count, con) in cons.iter().enumerate() {
                    self.out.push_str(if count > 0 { ",{" } else { "{" });
                    self.place(con.span, at);
                    self.out.push_str("\"con\":");
                    self.name(Some(con.name));
                    self.display_name(Some(con.name), false);
                    self.out.push_str(",\"fields\":");
                    self.binders(con.fields);
                    self.out.push('}');
                }
                self.out.push(']');
            }
            ItemKind::ImportFile { path } => {
                self.out.push_str("\"import-file\":");
                self.string(path);
            }
            ItemKind::ImportModule => {
                self.out.push_str("\"import\":");
                self.name(item.name);
            }
        }
        self.out.push('}');
    }

    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Text(text) => self.out.push_str(text),
                Work::Expr(expr, around) => self.expr(expr, around),
                Work::Pat(pat) => self.pat(pat),
                Work::Binder(binder) => self.name(binder.name),
            }
        }
    }

    /// Pushes `[a,b,..]`.
    fn row(&mut self, parts: impl DoubleEndedIterator<Item = Vec<Work>>) {
        let start = self.work.len();
        self.work.push(Work::Text("]"));
        let mut is_last = true;
        for part in parts.rev() {
            if !is_last {
                self.work.push(Work::Text(","));
            }
            is_last = false;
            self.work.extend(part.into_iter().rev());
        }
        debug_assert!(self.work.len() > start);
        self.work.push(Work::Text("["));
    }

    fn expr(&mut self, id: ExprId, around: Option<At>) {
        let ast = self.ast;
        match ast.exprs[id] {
            Expr::Int(value) => return self.out.push_str(&value.to_string()),
            Expr::Big(value) => return self.out.push_str(&ast.bigs[value].to_string()),
            Expr::Float(value) => {
                let text = value.to_string();
                let is_number = !text.starts_with('+') && !text.starts_with("-i");
                if is_number {
                    return self.out.push_str(&text);
                }
                return self.out.push_str(&format!("{{\"float\":{}}}", json_string(&text)));
            }
            Expr::Compiled(..) | Expr::Error => return self.out.push_str("null"),
            _ => {}
        }
        self.out.push('{');
        let at = self.place(ast.expr_spans[id], around);
        self.work.push(Work::Text("}"));
        let one = |&part: &ExprId| vec![Work::Expr(part, at)];
        match ast.exprs[id] {
            Expr::Int(_) | Expr::Big(_) | Expr::Float(_) => {}
            Expr::Compiled(..) | Expr::Error => {}
            Expr::Char(c) => {
                self.out.push_str("\"char\":");
                self.string(c.encode_utf8(&mut [0; 4]));
            }
            Expr::Text(text) => {
                self.out.push_str("\"text\":");
                self.string(&ast.texts[text]);
            }
            Expr::Name(name) => {
                self.out.push_str("\"name\":");
                self.name(Some(name));
            }
            Expr::App(function, arguments) => {
                self.out.push_str("\"apply\":");
                let parts = std::iter::once(&function).chain(&ast.expr_lists[arguments]);
                self.row(parts.map(one).collect::<Vec<_>>().into_iter());
            }
            Expr::List(elements) => {
                self.out.push_str("\"list\":");
                self.row(ast.expr_lists[elements].iter().map(one));
            }
            Expr::Let(bindings, body) => self.bindings("\"let\":", bindings, body, at),
            Expr::Letrec(bindings, body) => self.bindings("\"letrec\":", bindings, body, at),
            Expr::Fn(params, body) => {
                self.out.push_str("\"fn\":");
                self.binders(params);
                self.out.push_str(",\"body\":");
                self.work.push(Work::Expr(body, at));
            }
            Expr::Case(scrutinee, alts) => {
                self.out.push_str("\"case\":");
                let alternative = |alt: &Alt| {
                    let (pat, body) = (Work::Pat(alt.pat), Work::Expr(alt.body, at));
                    vec![Work::Text("["), pat, Work::Text(","), body, Work::Text("]")]
                };
                self.row(ast.alts[alts].iter().map(alternative));
                self.work.push(Work::Text(",\"of\":"));
                self.work.push(Work::Expr(scrutinee, at));
            }
        }
    }

    fn bindings(&mut self, head: &str, list: List<Binding>, body: ExprId, at: Option<At>) {
        let ast = self.ast;
        self.out.push_str(head);
        self.work.push(Work::Expr(body, at));
        self.work.push(Work::Text(",\"in\":"));
        self.row(ast.bindings[list].iter().map(|binding| {
            let (binder, value) = (Work::Binder(binding.binder), Work::Expr(binding.value, at));
            vec![Work::Text("["), binder, Work::Text(","), value, Work::Text("]")]
        }));
    }

    fn pat(&mut self, id: PatId) {
        let ast = self.ast;
        match ast.pats[id] {
            Pat::Wildcard => self.out.push_str("null"),
            Pat::Name(name) => self.name(Some(name)),
            Pat::Int(value) => self.out.push_str(&value.to_string()),
            Pat::Big(value) => self.out.push_str(&ast.bigs[value].to_string()),
            Pat::Char(c) => {
                self.out.push_str("{\"char\":");
                self.string(c.encode_utf8(&mut [0; 4]));
                self.out.push('}');
            }
            Pat::Text(text) => {
                self.out.push_str("{\"text\":");
                self.string(&ast.texts[text]);
                self.out.push('}');
            }
            Pat::Con(name, _, fields) => {
                self.out.push_str("{\"con\":");
                self.name(Some(name));
                self.out.push_str(",\"fields\":");
                self.work.push(Work::Text("}"));
                self.row(ast.pat_lists[fields].iter().map(|&field| vec![Work::Pat(field)]));
            }
            Pat::Error => self.out.push_str("false"),
        }
    }
}
