//! The parser of listings: what it says of a text that is none.

use proptest::prelude::*;

use super::compiled;
use super::golden::TUTORIAL;
use gmachine::gcode::parse::parse;
use gmachine::gcode::print::{bare, program};

#[track_caller]
fn fails(text: &str, expected: &str) {
    let error = parse(text).expect_err("no listing");
    assert_eq!(error.to_string(), expected);
}

const LIST: &str = "data List = Nil/0 Cons/2\n";

#[test]
fn mistakes_are_reported_where_they_are() {
    fails(
        "foo",
        "1:1: a line starts with an instruction's number, data, label, host, main, or the kind of a global, not with foo",
    );
    fails("data List", "1:10: expected '='");
    fails("data List = Nil/0 Nil/0", "1:19: a second constructor of this name");
    fails("data List = Nil/99999999999", "1:17: this number is negative or too large");
    fails("  0 Eval", "1:3: an instruction stands below its global");
    fails("main f", "1:6: there is no global f");
    fails("supercombinator f/0 g", "1:21: expected the end of the line");
    fails("constructor f/0", "1:16: expected 'of' and what the global stands for");
    let code = |line: &str| format!("{LIST}supercombinator f/0\n {line}");
    fails(&code("1 Eval"), "3:2: the next instruction is number 0");
    fails(&code("0 Evil"), "3:4: there is no instruction Evil");
    fails(&code("0 Push"), "3:8: expected a number n");
    fails(&code("0 Push -1"), "3:9: this number is negative or too large");
    fails(&code("0 Push 1 2"), "3:11: expected the end of the line");
    fails(&code("0 Pack 0 2 Cons"), "3:9: tag and arity of Cons are 1 2");
    fails(&code("0 PushGlobal g"), "3:15: there is no global g");
    fails(&code("0 PushText \"a"), "3:15: the quote is not closed on this line");
    fails(&code("0 PushChar 'ab'"), "3:17: a CHAR has one character");
    fails(&code("0 PushChar '\\q'"), "3:15: this is no escape");
    fails(&code("0 PushInt 'a'"), "3:12: expected an integer");
    fails(&code("0 CaseJump Nil"), "3:16: expected ':'");
    fails(&code("0 CaseJump"), "3:12: expected a constructor, or '_'");
    fails(&code("0 CaseJump _:1 Nil:2"), "3:17: expected the end of the line");
    fails(&code("0 \u{1b}"), "3:4: no token starts with \\u{1B}");
}

#[test]
fn comments_blank_lines_and_spaces_say_nothing() {
    let text = format!("; a\n\n{LIST}\t; b\r\nsupercombinator f/0 ; c\n\n\t0\tPushText \";\" ; d");
    let program = parse(&text).unwrap();
    assert_eq!(&*program.texts.as_slice()[0], ";");
    assert_eq!(program.globals.len(), 1);
}

/// Something that may stand in a listing.
fn token() -> impl Strategy<Value = String> {
    let words = [
        "data",
        "host",
        "main",
        "supercombinator",
        "primitive",
        "constructor",
        "host-function",
        "of",
        "as",
        "unnamed",
        "List",
        "Nil",
        "Cons",
        "f",
        "_",
        "[",
        "]",
        "/",
        ":",
        "=",
        "\n",
        "0",
        "1",
        "-1",
        "99999999999999999999",
        "'a'",
        "\"a\"",
        "'",
        "\"",
        "\\",
        ";",
        "-",
        "Push",
        "Pack",
        "CaseJump",
        "LitJump",
        "PushGlobal",
        "PushInt",
        "Cond",
        "\u{0}",
        "é",
        "\u{301}",
    ];
    prop_oneof![3 => prop::sample::select(words.to_vec()).prop_map(String::from), 1 => ".{0,3}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_tokens_are_read_or_refused(tokens in prop::collection::vec(token(), 0..60)) {
        judge(&tokens.join(" "));
        judge(&tokens.concat());
    }

    #[test]
    fn a_damaged_listing_is_read_or_refused(
        from in 0..3000usize, length in 0..40usize, put in token(),
    ) {
        let mut chars: Vec<char> = program(&compiled(TUTORIAL), &mut bare).chars().collect();
        let from = from.min(chars.len());
        let to = (from + length).min(chars.len());
        chars.splice(from..to, put.chars());
        judge(&chars.into_iter().collect::<String>());
    }
}

/// A text is refused at a place that it has, or what it reads as prints and reads the same.
fn judge(text: &str) {
    match parse(text) {
        Ok(read) => assert_eq!(parse(&program(&read, &mut bare)), Ok(read)),
        Err(error) => {
            let lines = text.split('\n').count();
            assert!((1..=lines).contains(&(error.line as usize)), "{error}");
            let line = text.split('\n').nth(error.line as usize - 1).expect("a line");
            assert!((1..=line.chars().count() + 1).contains(&(error.column as usize)), "{error}");
        }
    }
}
