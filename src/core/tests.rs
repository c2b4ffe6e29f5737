#![allow(clippy::unwrap_used)]

use super::lower::lower_input;
use super::options::{EntryPoints, Options};
use super::scope::{HostDecl, Input, PROGRAM, Unit, UnitId};
use crate::base::diagnostic::Diagnostic;
use crate::base::name::Interner;
use crate::base::source::SourceMap;
use crate::core::expr::Program;
use crate::syntax::ast::Ast;
use crate::syntax::parse::parse_file;

/// Returns a program (the first text) with modules, the first of them the prelude; each of the
/// modules is imported by the program alone.
fn lower_texts(
    texts: &[(&str, &str)],
    hosts: &[HostDecl],
    options: &Options,
) -> (Program, Vec<Diagnostic>) {
    let (mut sources, mut names, mut ast) = (SourceMap::new(), Interner::new(), Ast::default());
    let mut reports = Vec::new();
    let mut units = Vec::new();
    for (at, (name, text)) in texts.iter().enumerate() {
        let file = sources.add(*name, None, *text, at > 0).unwrap();
        parse_file(&sources, file, &mut names, &mut ast, &mut reports);
        let imports = match at {
            0 => (2..texts.len()).map(|unit| UnitId(unit as u32)).collect(),
            _ => Vec::new(),
        };
        units.push(Unit { name: (*name).to_owned(), imports });
    }
    assert_eq!(reports, []);
    let unit_of_file = (0..texts.len()).map(|unit| UnitId(unit as u32)).collect();
    let prelude = (texts.len() > 1).then_some(UnitId(1));
    assert_eq!(PROGRAM, UnitId(0));
    let input = Input {
        ast: &ast,
        names: &names,
        units,
        unit_of_file,
        prelude,
        earlier: None,
        compiled: &[],
    };
    let lowered = lower_input(input, hosts, options);
    (lowered.program, lowered.diagnostics)
}

fn symbols(program: &Program) -> Vec<&str> {
    program.globals.iter().map(|global| &*global.symbol).collect()
}

#[test]
fn a_name_that_two_imported_modules_define_is_ambiguous() {
    let texts = [
        ("", "(defn main[x] (case x [(insert y) (insert y)] [_ Both]))"),
        ("prelude", "(defn insert[x] x)"),
        ("map", "(defn insert[x] x) (data A (Both))"),
        ("set", "(defn insert[x] x) (data B (Both))"),
    ];
    let (_, reports) = lower_texts(&texts, &[], &Options::RUN);
    let shown: Vec<(&str, &str, usize)> = reports
        .iter()
        .map(|report| (report.code.id(), report.message.as_str(), report.secondary.len()))
        .collect();
    assert_eq!(
        shown,
        [
            ("G0311", "`insert` is defined by two imported modules, map and set", 2),
            ("G0311", "`Both` is defined by two imported modules, map and set", 2),
        ]
    );
}

#[test]
fn a_module_shadows_the_prelude_and_the_program_shadows_both() {
    let texts = [
        ("", "(defn main[] (f (g (h (add k)))))  (defn f[x] x) (defn add[x] x)"),
        ("prelude", "(defn f[x] (add x x)) (defn g[x] (f x)) (defn h[x] (g (k x)))"),
        ("map", "(defn g[x] (f (h x)))"),
    ];
    let host = HostDecl { name: "k".to_owned(), arity: 2 };
    let (program, reports) = lower_texts(&texts, std::slice::from_ref(&host), &Options::RUN);
    // The prelude does not see the host's `k`, and is not checked by default.
    assert_eq!(reports, []);
    assert_eq!(
        symbols(&program),
        ["main", "f", "g", "h", "add", "k", "prelude.f", "prelude.g", "primitive.add"]
    );
    let displays: Vec<Option<&str>> =
        program.globals.iter().map(|global| global.display.as_deref()).collect();
    assert_eq!(displays[2], Some("g"));
    assert_eq!(displays[6], Some("f"));
}

#[test]
fn shadowed_constructors_and_types_have_symbols_of_their_own() {
    let texts = [
        ("", "(data Maybe (Just x) (None)) (defn main[] [(Just 1) (wrap 1)])"),
        ("prelude", "(data Maybe (Nothing) (Just value)) (defn wrap[x] (Just x))"),
    ];
    let (program, reports) = lower_texts(&texts, &[], &Options::RUN);
    assert_eq!(reports, []);
    let cons: Vec<(&str, &str)> =
        program.cons.iter().map(|con| (&*con.name, &*con.symbol)).collect();
    assert_eq!(
        cons,
        [
            ("Nil", "Nil"),
            ("Cons", "Cons"),
            ("Just", "Just"),
            ("None", "None"),
            ("Nothing", "Nothing"),
            ("Just", "prelude.Just"),
        ]
    );
    let datas: Vec<&str> = program.datas.iter().map(|data| &*data.symbol).collect();
    assert_eq!(datas, ["List", "Maybe", "prelude.Maybe"]);
    assert_eq!(super::lint::lint(&program), Vec::<String>::new());
}

#[test]
fn only_what_is_reached_is_lowered() {
    let texts = [
        ("", "(defn main[] (f 1)) (defn f[x] x) (defn unused[x] (map x))"),
        ("prelude", "(defn map[f] (filter f)) (defn filter[f] f)"),
    ];
    let (program, _) = lower_texts(&texts, &[], &Options::RUN);
    assert_eq!(symbols(&program), ["main", "f"]);
    let all = Options { roots: EntryPoints::All, ..Options::RUN };
    let (program, _) = lower_texts(&texts, &[], &all);
    assert_eq!(symbols(&program), ["main", "f", "unused", "map", "filter"]);
    assert_eq!(program.roots.len(), 3);
    let named = EntryPoints::Named(vec!["filter".to_owned(), "nobody".to_owned()]);
    let (program, _) = lower_texts(&texts, &[], &Options { roots: named, ..Options::RUN });
    assert_eq!(symbols(&program), ["main", "filter", "f"]);
    let (program, _) = lower_texts(&texts, &[], &Options::CHECK);
    assert_eq!(symbols(&program), Vec::<&str>::new());
}

#[test]
fn a_constructors_name_is_always_the_constructor_in_a_pattern() {
    let text = "(data T (A) (B)) (defn main[A] (case A [A 1] [B 2]))";
    let (_, reports) = lower_texts(&[("", text)], &[], &Options::RUN);
    // No alternative is unreachable, so `A` did not bind.
    assert_eq!(reports, []);
}

#[test]
fn the_lint_finds_what_is_wrong() {
    use crate::base::span::Span;
    use crate::core::expr::{Expr, GlobalKind, Lit};

    let text = "(defn main[x] (case x [(Cons y (Nil)) y] [(Nil) 1] [_ (fn [z] z)]))";
    let (program, _) = lower_texts(&[("", text)], &[], &Options::RUN);
    assert_eq!(super::lint::lint(&program), Vec::<String>::new());
    let broken = |change: &dyn Fn(&mut Program)| {
        let mut broken = program.clone();
        change(&mut broken);
        super::lint::lint(&broken).join("; ")
    };
    let found = broken(&|program| {
        for switch in program.switches.iter_mut() {
            switch.evaluated = true;
        }
    });
    assert!(found.contains("may not be evaluated"), "{found}");
    let found = broken(&|program| {
        for switch in program.switches.iter_mut() {
            switch.default = None;
        }
    });
    assert!(found.contains("covers its type"), "{found}");
    let found = broken(&|program| {
        let GlobalKind::Defn { params, body } =
            program.globals[crate::core::expr::GlobalId(0)].kind
        else {
            return;
        };
        let local = program.local_lists[params][0];
        let value = program.expr(Expr::Lit(Lit::Int(1)), Span::NONE);
        let body = program.expr(Expr::Let(local, value, body.unwrap()), Span::NONE);
        program.globals[crate::core::expr::GlobalId(0)].kind =
            GlobalKind::Defn { params, body: Some(body) };
    });
    assert!(found.contains("is bound twice"), "{found}");
    let found = broken(&|program| {
        for global in program.globals.iter_mut() {
            if let GlobalKind::Defn { params, .. } = &mut global.kind {
                *params = crate::base::index::List::EMPTY;
            }
        }
    });
    assert!(found.contains("outside its scope"), "{found}");
}
