//! Text to tree: how fast, for sources of several sizes.

#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gmachine::base::name::Interner;
use gmachine::base::source::SourceMap;
use gmachine::syntax::ast::Ast;
use gmachine::syntax::lex::Lexer;
use gmachine::syntax::parse::parse_file;
use std::hint::black_box;

#[path = "../tests/common/generate.rs"]
mod generate;

fn front_end(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("front_end");
    for size in [100_000, 1_000_000, 10_000_000] {
        let mut sources = SourceMap::new();
        let Ok(file) = sources.add("bench", None, generate::program(size), false) else { continue };
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
    }
    group.finish();
}

criterion_group!(benches, front_end);
criterion_main!(benches);
