//! Pattern-match compilation takes work linear in the patterns, whatever their arrangement.

use super::matching::{BigTable, Tree, compile};
use super::pattern::{PatRef, Patterns};
use super::scope::{Globals, Input, PROGRAM, Unit, UnitId};
use crate::base::name::Interner;
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::core::expr::Program;
use crate::syntax::ast::{Ast, Expr};
use crate::syntax::parse::parse_file;

/// How the rows of a case fill a column.
#[derive(Clone, Copy, Debug)]
enum Fill {
    /// The same constructor in each row.
    Same,
    /// Constructors in turn.
    Turns,
    /// Another integer in each row.
    Integers,
    /// Another integer of more than 64 bits in each row.
    Bigs,
    /// A variable and a constructor in turn.
    Gaps,
    /// A constructor in the row whose number is that of the column, else a variable.
    Diagonal,
    /// Texts of equal beginnings.
    Texts,
}

const FILLS: [Fill; 7] =
    [Fill::Same, Fill::Turns, Fill::Integers, Fill::Bigs, Fill::Gaps, Fill::Diagonal, Fill::Texts];

/// Returns the pattern in a row of a column, with constructors nested `depth` deep.
fn pattern(fill: Fill, row: usize, column: usize, depth: usize) -> String {
    let inner = match fill {
        Fill::Same => "B".to_owned(),
        Fill::Turns => ["A", "B", "(C _)"][row % 3].to_owned(),
        Fill::Integers => row.to_string(),
        Fill::Bigs => format!("1{row:030}"),
        Fill::Gaps => ["x", "B"][row % 2].to_owned(),
        Fill::Diagonal => if row % 64 == column { "B" } else { "_" }.to_owned(),
        Fill::Texts => format!("\"row{row}\""),
    };
    // Only the last one is a variable of the same name in every column.
    let inner = inner.replace('x', &format!("x{column}"));
    format!("{}{inner}{}", "(D _ ".repeat(depth), ")".repeat(depth))
}

/// Returns a case of so many rows and columns, and perhaps a default.
fn case(fills: &[Fill], rows: usize, depth: usize, default: bool) -> String {
    let names: Vec<String> = (0..fills.len()).map(|column| format!("f{column}")).collect();
    let mut text = format!(
        "(data T (A) (B) (C x) (D x y)) (data R (R {}))\n(defn main[r] (case r\n",
        names.join(" ")
    );
    for row in 0..rows {
        let columns = fills.iter().enumerate();
        let pats: Vec<String> =
            columns.map(|(column, &fill)| pattern(fill, row, column, depth)).collect();
        text.push_str(&format!("[(R {}) {row}]\n", pats.join(" ")));
    }
    text.push_str(if default { "[_ 0]))" } else { "))" });
    text
}

/// Compiles the case of a program and returns the tree and the number of patterns.
fn compiled(text: &str) -> (Tree, usize) {
    let (mut sources, mut names, mut ast) = (SourceMap::new(), Interner::new(), Ast::default());
    let file = sources.add("case", None, text, false).expect("a short text");
    let mut reports = Vec::new();
    parse_file(&sources, file, &mut names, &mut ast, &mut reports);
    assert_eq!(reports, []);
    let input = Input {
        ast: &ast,
        names: &names,
        units: vec![Unit::default()],
        unit_of_file: vec![UnitId(0)],
        prelude: None,
        earlier: None,
        compiled: &[],
    };
    let globals = Globals::new(input, &[]);
    let alts = ast.exprs.iter().find_map(|expr| match *expr {
        Expr::Case(_, alts) => Some(alts),
        _ => None,
    });
    let alts = &ast.alts[alts.expect("a case")];
    let mut program = Program::default();
    let scrutinee = program.local(None, Span::NONE);
    let tree = compile(
        &mut program,
        Patterns::new(&globals, PROGRAM),
        alts.iter().map(|alt| PatRef::Ast(alt.pat)),
        scrutinee,
        true,
        &mut BigTable::default(),
    );
    let characters: usize = ast.texts.iter().map(|text| text.chars().count()).sum();
    (tree, ast.pats.len() + 2 * characters)
}

#[test]
fn patterns_compile_in_work_linear_in_their_size() {
    let mut shapes: Vec<Vec<Fill>> = FILLS.iter().map(|&fill| vec![fill]).collect();
    for &first in &FILLS {
        shapes.extend(FILLS.iter().map(|&second| vec![first, second]));
        shapes.push(vec![Fill::Gaps, first, Fill::Diagonal]);
    }
    shapes.push(vec![Fill::Diagonal; 64]);
    for fills in shapes {
        for (depth, default) in [(0, true), (0, false), (3, true)] {
            let rows = 2000 / fills.len() / (depth + 1);
            let (tree, size) = compiled(&case(&fills, rows, depth, default));
            assert!(
                tree.work <= 8 * size as u64,
                "{fills:?} {rows} rows, depth {depth}, default {default}: work {} for {size} patterns",
                tree.work
            );
        }
    }
}
