#![allow(clippy::unwrap_used)]

use super::*;

/// A value by hand.
#[derive(Clone, Debug)]
enum Value {
    Int(i64),
    Char(char),
    Con(&'static str, Vec<Value>),
    Function(Option<&'static str>, Vec<Value>),
    /// A constructor or function whose name the program cannot use.
    Shadowed(&'static str),
}
use Value::{Char, Con, Function, Int, Shadowed};

fn cons(head: Value, tail: Value) -> Value {
    Con("Cons", vec![head, tail])
}

fn nil() -> Value {
    Con("Nil", vec![])
}

fn list(items: impl IntoIterator<Item = Value, IntoIter: DoubleEndedIterator>) -> Value {
    improper(items, nil())
}

fn improper(
    items: impl IntoIterator<Item = Value, IntoIter: DoubleEndedIterator>,
    end: Value,
) -> Value {
    items.into_iter().rev().fold(end, |tail, head| cons(head, tail))
}

fn ints(items: &[i64]) -> Value {
    list(items.iter().map(|n| Int(*n)).collect::<Vec<_>>())
}

fn text(text: &str) -> Value {
    list(text.chars().map(Char).collect::<Vec<_>>())
}

/// Drives the automaton as a machine does. Also checks that it is done exactly when the
/// stack is empty.
fn drive(format: Format, value: Value) -> (String, Result<(), PrintError>) {
    let mut printer = Printer::new(format);
    let mut out = String::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        let (int, fields) = match &value {
            Int(n) => (Integer::from(*n), vec![]),
            Con(_, fields) | Function(_, fields) => (Integer::ZERO, fields.clone()),
            Char(_) | Shadowed(_) => (Integer::ZERO, vec![]),
        };
        let shape = match &value {
            Int(_) => Shape::Int(&int),
            Char(c) => Shape::Char(*c),
            Con("Nil", _) => Shape::Nil,
            Con("Cons", _) => Shape::Cons,
            Con(name, fields) => Shape::Con { name, fields: fields.len(), readable: Some(name) },
            Function(name, arguments) => {
                Shape::Function { name: *name, arguments: arguments.len(), readable: *name }
            }
            Shadowed(name) => Shape::Con { name, fields: 0, readable: None },
        };
        match printer.value(shape, &mut out) {
            Err(trouble) => {
                printer.end_line(&mut out).unwrap();
                return (out, Err(trouble));
            }
            Ok(Move::Drop) => {}
            Ok(Move::Fields) => stack.extend(fields.into_iter().rev()),
            Ok(Move::Backward) => stack.extend(fields),
            Ok(Move::Under) => {
                let top = stack.pop().unwrap();
                stack.extend([value, top]);
            }
            Ok(Move::Reverse { keep, count }) => {
                stack.extend(keep.then_some(value));
                let from = stack.len() - count - usize::from(keep);
                stack[from..].reverse();
            }
        }
        assert_eq!(printer.is_done(), stack.is_empty(), "after {out:?}");
    }
    printer.end_line(&mut out).unwrap();
    (out, Ok(()))
}

fn print(format: Format, value: Value) -> String {
    let (out, result) = drive(format, value);
    assert_eq!(result, Ok(()), "after {out:?}");
    out
}

fn node(fields: Vec<Value>) -> Value {
    Con("Node", fields)
}

#[test]
fn the_contract_by_example() {
    let default = |value| print(Format::Default, value);
    assert_eq!(default(Int(-5)), "-5\n");
    assert_eq!(default(ints(&[0, 1, 1, 2, 3])), "0 1 1 2 3 Nil\n");
    assert_eq!(default(nil()), "Nil\n");
    assert_eq!(default(cons(Int(1), nil())), "1 Nil\n");
    assert_eq!(default(list([ints(&[1, 2]), ints(&[3])])), "1 2 Nil 3 Nil Nil\n");
    assert_eq!(default(Char('a')), "'a'\n");
    assert_eq!(default(text("hello")), "hello\n");
    assert_eq!(default(text("two\nlines\n")), "two\nlines\n");
    assert_eq!(default(Con("Leaf", vec![])), "Leaf\n");
    assert_eq!(default(node(vec![Int(1), Con("Leaf", vec![])])), "(Node 1 Leaf)\n");
    assert_eq!(default(node(vec![ints(&[1, 2, 3])])), "(Node [1 2 3])\n");
    assert_eq!(default(node(vec![nil()])), "(Node [])\n");
    assert_eq!(default(node(vec![text("ab\"\n")])), "(Node \"ab\\\"\\n\")\n");
    assert_eq!(default(node(vec![Char('\'')])), "(Node '\\'')\n");
    assert_eq!(default(cons(Int(1), Int(2))), "1 2\n");
    assert_eq!(default(node(vec![cons(Int(1), Int(2))])), "(Node [1 | 2])\n");
    assert_eq!(default(Function(Some("square"), vec![])), "<function square>\n");
    assert_eq!(default(Function(Some("add"), vec![Int(1)])), "<function add>\n");
    assert_eq!(default(Function(None, vec![])), "<function>\n");
}

#[test]
fn a_character_among_values_is_a_literal() {
    assert_eq!(print(Format::Default, list([Int(1), Char('a'), Int(2)])), "1 'a' 2 Nil\n");
    assert_eq!(print(Format::Default, node(vec![list([Int(1), Char('a')])])), "(Node [1 'a'])\n");
}

#[test]
fn a_string_inside_a_list_is_a_literal() {
    assert_eq!(print(Format::Default, list([text("ab"), text("c")])), "\"ab\" \"c\" Nil\n");
    let nested = node(vec![list([text("ab"), Int(1)])]);
    assert_eq!(print(Format::Default, nested), "(Node [\"ab\" 1])\n");
    assert_eq!(print(Format::Default, list([list([text("a")]), Int(1)])), "\"a\" Nil 1 Nil\n");
}

#[test]
fn constructors_nest() {
    let inner = node(vec![Con("Leaf", vec![]), Int(1)]);
    let tree = node(vec![inner.clone(), list([inner, Int(3)])]);
    let expected = "(Node (Node Leaf 1) [(Node Leaf 1) 3])\n";
    assert_eq!(print(Format::Default, tree.clone()), expected);
    assert_eq!(print(Format::Sexpr, tree.clone()), expected);
    assert_eq!(print(Format::Default, list([tree])), expected.replace('\n', " Nil\n"));
}

#[test]
fn brackets_nest() {
    let lists = node(vec![list([ints(&[1]), nil(), list([ints(&[2])])])]);
    assert_eq!(print(Format::Default, lists.clone()), "(Node [[1] [] [[2]]])\n");
    assert_eq!(print(Format::Sexpr, lists), "(Node [[1] [] [[2]]])\n");
}

#[test]
fn a_text_with_another_element_is_an_error_that_ends_the_line() {
    let mixed = list([Char('a'), Int(1)]);
    let (out, result) = drive(Format::Default, mixed.clone());
    assert_eq!(out, "a\n");
    assert!(matches!(result, Err(PrintError::Value(Code::NotText, ..))));
    let (out, result) = drive(Format::Default, node(vec![mixed]));
    assert_eq!(out, "(Node \"a\n");
    assert!(matches!(result, Err(PrintError::Value(Code::NotText, ..))));
}

#[test]
fn a_text_that_ends_in_another_value_is_an_error() {
    let odd = cons(Char('a'), Int(1));
    for (value, printed) in
        [(odd.clone(), "a\n"), (node(vec![odd.clone()]), "(Node \"a\n"), (list([odd]), "\"a\n")]
    {
        let (out, result) = drive(Format::Default, value);
        assert_eq!(out, printed);
        let Err(PrintError::Value(Code::NotText, message, _)) = result else {
            panic!("{result:?}")
        };
        assert_eq!(message, "a text ends in an integer, which is no list");
    }
}

#[test]
fn an_improper_list_ends_in_a_value_with_its_own_parts() {
    let odd = improper([Int(1)], node(vec![Int(2), ints(&[3])]));
    assert_eq!(print(Format::Default, odd.clone()), "1 (Node 2 [3])\n");
    assert_eq!(print(Format::Default, node(vec![odd])), "(Node [1 | (Node 2 [3])])\n");
}

#[test]
fn sexpr_reads_back() {
    let sexpr = |value| print(Format::Sexpr, value);
    assert_eq!(sexpr(Int(-5)), "-5\n");
    assert_eq!(sexpr(nil()), "[]\n");
    assert_eq!(sexpr(ints(&[1, 2, 3])), "[1 2 3]\n");
    assert_eq!(sexpr(text("a\"\n")), "\"a\\\"\\n\"\n");
    assert_eq!(sexpr(cons(Int(1), Int(2))), "(Cons 1 2)\n");
    assert_eq!(sexpr(improper([Int(1), Int(2)], Int(3))), "(Cons 1 (Cons 2 3))\n");
    assert_eq!(sexpr(improper([Char('a'), Int(2)], Int(3))), "(Cons 'a' (Cons 2 3))\n");
    assert_eq!(sexpr(improper([Char('a')], Char('b'))), "(Cons 'a' 'b')\n");
    assert_eq!(sexpr(list([Char('a'), Int(1), Char('b')])), "['a' 1 'b']\n");
    assert_eq!(sexpr(list([text("ab"), ints(&[1])])), "[\"ab\" [1]]\n");
    assert_eq!(sexpr(improper([ints(&[1])], node(vec![nil()]))), "(Cons [1] (Node []))\n");
    assert_eq!(sexpr(Function(Some("square"), vec![])), "square\n");
    let partial = Function(Some("zip"), vec![ints(&[1]), Function(Some("f"), vec![])]);
    assert_eq!(sexpr(partial), "(zip [1] f)\n");
    assert_eq!(sexpr(Function(Some("Cons"), vec![cons(Int(1), Int(2))])), "(Cons (Cons 1 2))\n");
}

#[test]
fn sexpr_refuses_what_no_expression_is() {
    for value in [Function(None, vec![]), Shadowed("Just"), node(vec![Shadowed("Just")])] {
        let (_, result) = drive(Format::Sexpr, value);
        assert!(matches!(result, Err(PrintError::Value(Code::Unprintable, ..))));
    }
    assert_eq!(print(Format::Default, Shadowed("Just")), "Just\n");
}

#[test]
fn json_is_json() {
    let json = |value| {
        let text = print(Format::Json, value);
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        text
    };
    assert_eq!(json(Int(7)), "7\n");
    assert_eq!(json(ints(&[1, 2])), "[1,2]\n");
    assert_eq!(json(nil()), "[]\n");
    assert_eq!(json(text("a\"\\\n\u{1}\u{7f}λ")), "\"a\\\"\\\\\\n\\u0001\\u007fλ\"\n");
    assert_eq!(json(Char('a')), "\"a\"\n");
    assert_eq!(json(list([Char('a'), Int(1)])), "[\"a\",1]\n");
    assert_eq!(json(node(vec![Int(1), nil()])), "{\"con\":\"Node\",\"fields\":[1,[]]}\n");
    assert_eq!(json(Con("Leaf", vec![])), "{\"con\":\"Leaf\",\"fields\":[]}\n");
    assert_eq!(
        json(improper([Int(1), Int(2)], Int(3))),
        "{\"con\":\"Cons\",\"fields\":[1,{\"con\":\"Cons\",\"fields\":[2,3]}]}\n"
    );
    assert_eq!(json(improper([Char('a')], Int(3))), "{\"con\":\"Cons\",\"fields\":[\"a\",3]}\n");
    assert_eq!(json(Function(Some("f"), vec![Int(1)])), "{\"function\":\"f\"}\n");
    assert_eq!(json(Function(None, vec![])), "{\"function\":null}\n");
    assert_eq!(json(Shadowed("Just")), "{\"con\":\"Just\",\"fields\":[]}\n");
}

#[test]
fn output_comes_as_it_is_known() {
    let mut printer = Printer::new(Format::Default);
    let mut out = String::new();
    assert_eq!(printer.value(Shape::Cons, &mut out), Ok(Move::Fields));
    let one = Integer::ONE;
    assert_eq!(printer.value(Shape::Int(&one), &mut out), Ok(Move::Drop));
    assert_eq!(out, "1");
    printer.value(Shape::Cons, &mut out).unwrap();
    printer.value(Shape::Int(&one), &mut out).unwrap();
    assert_eq!(out, "1 1");
}

#[test]
fn depth_costs_no_native_stack() {
    let mut deep = Int(0);
    for _ in 0..100_000 {
        deep = Con("S", vec![deep]);
    }
    // The hand-made value itself would be dropped recursively, so this has the room for it.
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    let printed = thread.spawn(move || {
        [Format::Default, Format::Sexpr, Format::Json].map(|format| {
            let mut printer = Printer::new(format);
            let mut out = String::new();
            let mut at = &deep;
            while let Con(name, fields) = at {
                printer
                    .value(Shape::Con { name, fields: 1, readable: Some(name) }, &mut out)
                    .unwrap();
                at = &fields[0];
            }
            printer.value(Shape::Int(&Integer::ZERO), &mut out).unwrap();
            assert!(printer.is_done());
            out.len()
        })
    });
    assert_eq!(printed.unwrap().join().unwrap()[0], 100_000 * 4 + 1);
}
