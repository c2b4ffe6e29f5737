//! Every code is explained, and its example gives it: the first block of CoreF in an
//! explanation shows the mistake, the blocks after it show it mended.

use std::collections::HashSet;

use gmachine::base::code::Code;
use gmachine::driver::{Options, Stage, build};
use gmachine::load::Source;
use gmachine::optimise::{self, Passes};
use gmachine_testing::common;
use gmachine_testing::corpus::texts;

/// Codes that the example alone cannot give: they come from outside the program.
const FROM_OUTSIDE: &[Code] = &[
    // Given for an expression on the command line.
    Code::ExpectedExpression,
    Code::FreeName,
    Code::InvalidUtf8,
    Code::TooLarge,
    Code::Unprintable,
    Code::HeapLimit,
    Code::FuelLimit,
    Code::TimeLimit,
    Code::Interrupted,
    // Its example has to be large.
    Code::TooManyCaptures,
    Code::TooManyParameters,
    Code::InputNotUtf8,
    Code::InputFailed,
    Code::OutputFailed,
    Code::HostFailed,
    Code::HostDepth,
    // Its example is JSON.
    Code::BadJson,
    // They need a compiled module.
    Code::BadModule,
    Code::StaleModule,
    // No two modules of the corelib define the same name.
    Code::AmbiguousName,
];

/// The blocks of CoreF in a text.
fn blocks(text: &str) -> Vec<&str> {
    let parts = text.split("```coref\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default()).collect()
}

/// The codes of the hints of the optimiser about a program.
fn hints(source: &str) -> Vec<String> {
    let optimise = optimise::Options { passes: Passes::ALL, verbose: true };
    let options = Options { until: Stage::Optimised, optimise, ..Options::RUN };
    let built = build(&Source::text("example", source), &common::NoFiles, &options);
    built.report.hints().iter().map(|hint| hint.code.id().to_owned()).collect()
}

#[test]
fn a_small_function_that_is_not_inlined_is_told_with_what_it_calls() {
    let chain: String = (1..14)
        .map(|at| format!("(defn g{at}[x] (g{} (add (mul x {at}) {at})))\n", at - 1))
        .collect();
    let calls: String = (0..14).map(|at| format!("(g{at} (length i)) ")).collect();
    let source = format!("(defn main[i] [{calls}])(defn g0[x] (mul x x)){chain}");
    let optimise = optimise::Options { passes: Passes::level(1), verbose: true };
    let options = Options { until: Stage::Optimised, optimise, ..Options::RUN };
    let built = build(&Source::text("example", source), &common::NoFiles, &options);
    let hints = built.report.hints();
    let large: Vec<&str> = hints
        .iter()
        .filter(|hint| hint.code.id() == "G0902")
        .map(|hint| hint.message.as_str())
        .collect();
    let is_told = large
        .iter()
        .any(|hint| hint.contains("parts with those of what it calls, and is mentioned"));
    assert!(is_told, "{large:?}");
}

/// The messages of the hints about a program, each with the text that it is about.
fn told(source: &str) -> Vec<(String, String)> {
    let optimise = optimise::Options { passes: Passes::ALL, verbose: true };
    let options = Options { until: Stage::Optimised, optimise, ..Options::RUN };
    let built = build(&Source::text("example", source), &common::NoFiles, &options);
    let sources = &built.loaded.sources;
    let hints = built.report.hints().iter();
    hints.map(|hint| (hint.message.clone(), sources.text(hint.primary.span).to_owned())).collect()
}

#[test]
fn a_call_that_is_gone_has_no_hint() {
    let gone = [
        // Inlined when it was known that its value is needed.
        "(defn main[n] (loop (length n) 0))
         (defn loop[k s] (if (eq k 0) s
           (loop (sub k 1) (if (odd k) (bump s k) (bump (bump s k) 1)))))
         (defn bump[s k] (add (mul s 3) (rem k 1009)))",
        // Lost with the code around it.
        "(defn main[n] (fst (fst (walk n))))
         (defn walk[s] (case s [Nil (Pair (Pair 0 0) 0)]
           [(Cons c t) (let ([p (walk t)]) (Pair (Pair (ord c) (snd p)) (add 1 (snd p))))]))",
        "(defn main[n] (tail (tail n)))",
    ];
    for program in gone {
        let told = told(program);
        let of_length = |(message, _): &(String, String)| message.contains("`length`");
        assert!(told.iter().all(of_length), "{program}: {told:?}");
    }
}

#[test]
fn a_hint_is_about_the_call_that_it_names() {
    let mut count = 0;
    let folders = ["benches/shapes", "benches/published", "tests/programs"];
    for source in folders.into_iter().flat_map(|folder| texts(folder, "core")) {
        for (message, place) in told(&source) {
            let Some((subject, _)) = message.split_once(" is not ") else { continue };
            let Some(name) = subject.rsplit('`').nth(1) else { continue };
            count += 1;
            assert!(place.contains(name), "{message}, at {place}");
        }
    }
    assert!(count > 40, "{count} hints");
}

/// The codes that a program gives, in a check, as hints, or in a run.
fn codes(source: &str) -> HashSet<String> {
    let reports = common::check(source);
    let found: HashSet<String> =
        reports.iter().filter_map(|report| Some(report.split(':').next()?.to_owned())).collect();
    let failure = common::run(source, "").failure;
    found.into_iter().chain(hints(source)).chain(failure.map(|failure| failure.code)).collect()
}

#[test]
fn every_code_is_explained_with_an_example() {
    for code in Code::ALL {
        let text = code.explanation();
        assert!(text.len() > 80, "{code} has no explanation");
        assert!(!blocks(text).is_empty(), "{code} has no example");
        assert!(
            text.split("```").last().is_some_and(|end| !end.trim().is_empty())
                || blocks(text).len() > 1,
            "{code}: how is it mended?"
        );
        assert!(text.lines().all(|line| line.trim_end() == line), "{code}: blanks at a line's end");
    }
}

#[test]
fn the_examples_give_their_codes_and_mended_ones_do_not() {
    let mut wrong = Vec::new();
    for code in Code::ALL.iter().filter(|code| !FROM_OUTSIDE.contains(code)) {
        let blocks = blocks(code.explanation());
        let (bad, mended) = blocks.split_first().expect("an example");
        let found = codes(bad);
        if !found.contains(code.id()) {
            wrong.push(format!("{code}: the example gives {found:?}:\n{bad}"));
        }
        let still = mended.iter().filter(|block| codes(block).contains(code.id()));
        wrong.extend(still.map(|block| format!("{code}: not mended:\n{block}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
