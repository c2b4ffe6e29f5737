//! Compiled modules, whose items stand beside those of sources.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Load;
use crate::base::index::Idx;
use crate::base::name::Name;
use crate::base::origin::Origins;
use crate::base::span::Span;
use crate::syntax::ast::{Binder, ConDecl, Expr, Item, ItemKind};
use crate::syntax::binary::{self, BodyId, EntryKind, TopLevel};

impl Load<'_> {
    /// Adds the items of a compiled module.
    pub(super) fn compiled(&mut self, name: &str, path: Option<PathBuf>, bytes: Vec<u8>, at: Span) {
        let bytes: Arc<[u8]> = bytes.into();
        let opened = match binary::open(&bytes) {
            Ok(opened) => opened,
            Err(mistake) => return self.report(mistake.report(name, at)),
        };
        let (reader, source, text) = opened;
        let text: Arc<str> = text.into();
        let directory = path.as_ref().map(|path| path.parent().unwrap_or(Path::new("")).to_owned());
        let Ok(file) = self.out.sources.add(source, path, text.clone(), false) else {
            return self.too_large(name, at);
        };
        let base = self.out.sources.files()[file].base;
        let names = &mut self.out.names;
        match binary::read(reader, (name, at), &bytes, (&text, base), names) {
            Ok((module, top)) => self.compiled_items(module, top, file, directory.as_deref()),
            Err(mistake) => self.report(mistake.report(name, at)),
        }
    }

    fn compiled_items(
        &mut self,
        module: binary::Module,
        top: TopLevel,
        file: usize,
        directory: Option<&Path>,
    ) {
        let base = module.base;
        let id = self.out.compiled.next_index();
        let ast = &mut self.out.ast;
        let from = ast.items.len();
        let mut bodies = 0;
        let unnamed = |name: Option<Name>| Binder { name, span: Span::NONE };
        for entry in top.items {
            let kind = match entry.kind {
                EntryKind::Definition => {
                    let body_id = BodyId::new(bodies);
                    bodies += 1;
                    let params = module.bodies.get(body_id).map_or(0, |body| body.params as usize);
                    let params = ast.binders.add(std::iter::repeat_n(unnamed(None), params));
                    let body = ast.expr(Expr::Compiled(id, body_id), entry.span);
                    ItemKind::Defn { params, body }
                }
                EntryKind::Data(cons) => {
                    let con = |con: binary::Constructor| ConDecl {
                        name: con.name,
                        span: con.span,
                        fields: ast.binders.add(con.fields.into_iter().map(unnamed)),
                    };
                    ItemKind::Data { cons: cons.into_iter().map(con).collect() }
                }
                EntryKind::File(path) => ItemKind::ImportFile { path },
                EntryKind::Module => ItemKind::ImportModule,
            };
            let (name, name_span, span) = (entry.name, entry.name_span, entry.span);
            ast.items.push(Item { kind, name, name_span, span, file });
        }
        self.work.push(from..ast.items.len());
        self.out.compiled.push(Arc::new(module));
        self.out.labels.extend(top.labels);
        if !top.points.is_empty() {
            let originals = top.originals.into_iter();
            let originals = originals.map(|name| self.original(name, directory)).collect();
            let points = top.points.into_iter();
            let points = points.map(|(at, origin)| (base.saturating_add(at), origin)).collect();
            let mut origins = Origins::from_points(originals, points);
            origins.is_hidden = top.is_hidden;
            self.out.sources.set_origins(file, origins);
        }
    }
}
