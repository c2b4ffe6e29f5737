//! What compiling may not change.

use proptest::prelude::*;

use super::generate::Choices;
use super::interpret::{core, gave_up, size, tree};
use super::{compile, load_text};

fn agrees(text: &str) -> Result<bool, TestCaseError> {
    let (loaded, program, lifted) = compile(text);
    let (wanted, lowered, lifted) = (tree(&loaded), core(&program), core(&lifted));
    if [&wanted, &lowered, &lifted].into_iter().any(|shown| gave_up(shown)) {
        return Ok(false);
    }
    prop_assert_eq!(&wanted, &lowered, "after lowering\n{}", text);
    prop_assert_eq!(&wanted, &lifted, "after lifting\n{}", text);
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    /// The compiled match takes the same row, binds the same values and forces the same
    /// parts of the value, in the same order, as trying the patterns one by one: each failure
    /// in the value has a name of its own.
    #[test]
    fn compiled_matches_are_first_match_left_to_right(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let text = Choices::new(&bytes).match_program();
        agrees(&text)?;
    }

    /// Local functions, however they capture each other, do the same as supercombinators.
    #[test]
    fn lifted_programs_do_the_same(bytes in prop::collection::vec(any::<u8>(), 20..400)) {
        let text = Choices::new(&bytes).function_program();
        agrees(&text)?;
    }
}

#[test]
fn the_random_programs_are_worth_running() {
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    let (mut finished, mut supercombinators, mut values) =
        (0, 0, std::collections::BTreeSet::new());
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..300).map(|_| byte()).collect();
        let (loaded, _, lifted) = compile(&Choices::new(&bytes).function_program());
        let shown = tree(&loaded);
        finished += usize::from(!gave_up(&shown));
        values.insert(shown);
        supercombinators +=
            lifted.globals.iter().filter(|global| global.symbol.contains('$')).count();
    }
    assert!(finished > 120, "{finished} programs finished");
    assert!(supercombinators > 400, "{supercombinators} supercombinators");
    assert!(values.len() > 60, "{} different results", values.len());
}

/// Rows that do not go well together: the worst for a compiler that copies rows.
#[test]
fn compiled_matches_are_linear_in_the_source() {
    let sized = |rows: usize| {
        let mut text = String::from("(data T (A) (B)) (defn f[p q r s] (case [p q r s]");
        for row in 0..rows {
            let column = |at: usize| {
                if row % 4 == at {
                    "(A)"
                } else if row % 3 == at {
                    "(B)"
                } else {
                    "_"
                }
            };
            text.push_str(&format!(
                "\n [(Cons {} (Cons {} (Cons {} (Cons {} (Nil))))) {row}]",
                column(0),
                column(1),
                column(2),
                column(3)
            ));
        }
        text.push_str("\n [_ 0])) (defn main[] (f A A A A))");
        let loaded = load_text(&text);
        let (program, _) = gmachine::core::lower::lower(&loaded, &[], &super::run_options());
        size(&program)
    };
    let (small, large) = (sized(100), sized(1000));
    assert!(large < small * 11, "{small} {large}");
}
