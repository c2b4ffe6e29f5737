//! Text to G-code: how fast, for sources of several sizes.

#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gmachine::base::name::Interner;
use gmachine::base::source::SourceMap;
use gmachine::driver::{Options, build};
use gmachine::load::{Loader, Source};
use gmachine::syntax::ast::Ast;
use gmachine::syntax::lex::Lexer;
use gmachine::syntax::parse::parse_file;
use std::hint::black_box;
use std::path::Path;

use gmachine_testing::shapes::Shape;

/// The programs import nothing.
struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn front_end(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("front_end");
    for size in [100_000, 1_000_000, 10_000_000] {
        let mut sources = SourceMap::new();
        let program = Shape::Reached.program(size);
        let root = Source::text("bench", program.as_str());
        let Ok(file) = sources.add("bench", None, program, false) else { continue };
        let text = sources.files()[file].text.clone();
        group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("lex", size), |bencher| {
            bencher.iter(|| black_box(Lexer::new(&text, 1).count()));
        });
        group.bench_function(BenchmarkId::new("parse", size), |bencher| {
            bencher.iter(|| {
                let (mut names, mut ast, mut reports) =
                    (Interner::new(), Ast::default(), Vec::new());
                parse_file(&sources, file, &mut names, &mut ast, &mut reports);
                assert!(reports.is_empty());
                black_box(ast)
            });
        });
        for (name, options) in [("check", Options::CHECK), ("compile", Options::RUN)] {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| {
                    let built = build(&root, &NoFiles, &options);
                    assert!(!built.has_errors());
                    black_box(built)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, front_end);
criterion_main!(benches);
