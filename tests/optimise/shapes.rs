//! The programs of `benches/shapes`: what they print, and that docs/optimiser.md has the reductions
//! that they take.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{Text, compile_after, machine};

/// The row of a program in a table of reductions: its name, and the numbers at each level.
fn row(line: &str) -> Option<(&str, Vec<u64>)> {
    let mut cells = line.split('|').map(str::trim).filter(|cell| !cell.is_empty());
    let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    let numbers = cells.skip(1).map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
    (numbers.len() == 3).then_some((name, numbers))
}

/// A hundredth more or less, or a few: the machines count `main` in their own way.
fn is_near(said: u64, found: u64) -> bool {
    said.abs_diff(found) <= found / 100 + 10
}

#[test]
fn the_table_of_shapes_says_how_many_reductions_they_take() {
    let project = project();
    let page = fs::read_to_string(project.join("docs/optimiser.md")).expect("the page");
    let folder = project.join("benches/shapes");
    let input = fs::read_to_string(folder.join("input.txt")).expect("the input");
    let files =
        fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("a file").path());
    let programs = files.filter(|path| path.extension().is_some_and(|of| of == "core")).count();
    let rows: Vec<_> = page.lines().filter_map(row).collect();
    assert_eq!(rows.len(), programs, "a row for each program of benches/shapes");
    let mut wrong = Vec::new();
    for (name, said) in rows {
        let text = fs::read_to_string(folder.join(format!("{name}.core"))).expect("the program");
        let runs = [0, 1, 2].map(|level| {
            let program = compile_after(&text, Passes::level(level)).expect("a program");
            let mut machine = machine(MachineKind::Fast, &program, Config::default());
            let mut output = String::new();
            let started = machine.start(Format::Default, Some(Box::new(Text::new(&input))));
            let result = started.and_then(|()| machine.run(&mut output));
            (result, output, machine.statistics().reductions)
        });
        let found = runs.each_ref().map(|run| run.2);
        let is_same = runs.iter().all(|(result, output, _)| result.is_ok() && *output == runs[0].1);
        let is_true = said.iter().zip(&found).all(|(&said, &found)| is_near(said, found));
        if !is_same || !is_true || found[2] > found[1] + 5 {
            wrong.push(format!("{name}: {said:?} in the table, {found:?}; one value: {is_same}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
