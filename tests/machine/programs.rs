//! Programs, as listings, and how to run them.

use gmachine::gcode::Verified;
use gmachine::gcode::parse::parse;
use gmachine::machine::Stress;
use gmachine::machine::outcome::{Input, InputError, RunError, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};

/// Definitions that the tests share.
pub const SHARED: &str = "
data List = Nil/0 Cons/2
data Pair = Pair/2
data Tree = Leaf/0 Node/3
main main

supercombinator fibs/0
   0 PushGlobal fibs
   1 PushGlobal tail
   2 MkApp
   3 PushGlobal fibs
   4 PushGlobal add
   5 PushGlobal zipWith
   6 MkApp
   7 MkApp
   8 MkApp
   9 PushInt 1
  10 Pack 1 2 Cons
  11 PushInt 0
  12 Pack 1 2 Cons
  13 Update 0
  14 Pop 0
  15 Unwind

supercombinator take/2 [n l]
   0 Push 1
   1 Eval
   2 CaseJump Nil:3 Cons:8
   3 Split 0
   4 Pack 0 0 Nil
   5 Update 2
   6 Pop 2
   7 Unwind
   8 Split 2
   9 PushInt 0
  10 Push 3
  11 Eval
  12 Le
  13 Cond 14 18
  14 Pack 0 0 Nil
  15 Update 4
  16 Pop 4
  17 Unwind
  18 Push 1
  19 PushInt 1
  20 Push 4
  21 PushGlobal sub
  22 MkApp
  23 MkApp
  24 PushGlobal take
  25 MkApp
  26 MkApp
  27 Push 1
  28 Pack 1 2 Cons
  29 Update 4
  30 Pop 4
  31 Unwind

supercombinator tail/1 [l]
   0 Push 0
   1 Eval
   2 CaseJump Cons:3 _:8
   3 Split 2
   4 Push 1
   5 Update 3
   6 Pop 3
   7 Unwind
   8 Pop 1
   9 NoMatch

primitive add/2
   0 Push 1
   1 Eval
   2 Push 1
   3 Eval
   4 Add
   5 Update 2
   6 Pop 2
   7 Unwind

supercombinator zipWith/3 [op l1 l2]
   0 Push 1
   1 Eval
   2 CaseJump Nil:3 Cons:8
   3 Split 0
   4 Pack 0 0 Nil
   5 Update 3
   6 Pop 3
   7 Unwind
   8 Split 2
   9 Push 4
  10 Eval
  11 CaseJump Nil:12 Cons:17
  12 Split 0
  13 Pack 0 0 Nil
  14 Update 5
  15 Pop 5
  16 Unwind
  17 Split 2
  18 Push 1
  19 Push 4
  20 Push 6
  21 PushGlobal zipWith
  22 MkApp
  23 MkApp
  24 MkApp
  25 Push 1
  26 Push 4
  27 Push 7
  28 MkApp
  29 MkApp
  30 Pack 1 2 Cons
  31 Update 7
  32 Pop 7
  33 Unwind

primitive sub/2
   0 Push 1
   1 Eval
   2 Push 1
   3 Eval
   4 Sub
   5 Update 2
   6 Pop 2
   7 Unwind

supercombinator nth/2 [n l]
   0 Push 1
   1 Eval
   2 CaseJump Cons:3 _:25
   3 Split 2
   4 PushInt 0
   5 Push 3
   6 Eval
   7 Eq
   8 Cond 9 14
   9 Push 0
  10 Eval
  11 Update 4
  12 Pop 4
  13 Unwind
  14 Push 1
  15 PushInt 1
  16 Push 4
  17 Eval
  18 Sub
  19 PushGlobal nth
  20 MkApp
  21 MkApp
  22 Update 4
  23 Pop 4
  24 Unwind
  25 Pop 1
  26 NoMatch

supercombinator from/1 [n]
   0 PushInt 1
   1 Push 1
   2 Eval
   3 Add
   4 PushGlobal from
   5 MkApp
   6 Push 1
   7 Pack 1 2 Cons
   8 Update 1
   9 Pop 1
  10 Unwind

supercombinator sum/1 [l]
   0 Push 0
   1 Eval
   2 CaseJump Nil:3 Cons:8
   3 Split 0
   4 PushInt 0
   5 Update 1
   6 Pop 1
   7 Unwind
   8 Split 2
   9 Push 1
  10 PushGlobal sum
  11 MkApp
  12 Eval
  13 Push 1
  14 Eval
  15 Add
  16 Update 3
  17 Pop 3
  18 Unwind

supercombinator count/1 [n]
   0 PushInt 0
   1 Push 1
   2 Eval
   3 Eq
   4 Cond 5 9
   5 PushInt 42
   6 Update 1
   7 Pop 1
   8 Unwind
   9 PushInt 1
  10 Push 1
  11 Eval
  12 Sub
  13 PushGlobal count
  14 MkApp
  15 Update 1
  16 Pop 1
  17 Unwind

supercombinator fst/1 [p]
   0 Push 0
   1 Eval
   2 CaseJump Pair:3
   3 Split 2
   4 Push 0
   5 Eval
   6 Update 3
   7 Pop 3
   8 Unwind

supercombinator snd/1 [p]
   0 Push 0
   1 Eval
   2 CaseJump Pair:3
   3 Split 2
   4 Push 1
   5 Eval
   6 Update 3
   7 Pop 3
   8 Unwind

constructor Node/3 of Node
   0 Push 2
   1 Push 2
   2 Push 2
   3 Pack 1 3 Node
   4 Update 3
   5 Pop 3
   6 Unwind
";

/// A program: the shared definitions and a `main` without parameters of these instructions.
/// `end` is added: the update and the unwinding.
pub fn program(main: &[&str]) -> Verified {
    let mut lines: Vec<String> = main.iter().map(|line| (*line).to_owned()).collect();
    if !matches!(main.last(), Some(&"Unwind" | &"NoMatch" | &"Raise")) {
        lines.extend(["Update 0".to_owned(), "Pop 0".to_owned(), "Unwind".to_owned()]);
    }
    listing(&lines.iter().map(String::as_str).collect::<Vec<_>>(), "main/0")
}

/// The same with a head of its own, such as `main/1 [input]`.
pub fn listing(main: &[&str], head: &str) -> Verified {
    let mut text = format!("{SHARED}\nsupercombinator {head}\n");
    for (number, line) in main.iter().enumerate() {
        text.push_str(&format!("  {number} {line}\n"));
    }
    raw(&text)
}

pub fn raw(text: &str) -> Verified {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    Verified::new(program).unwrap_or_else(|found| panic!("{found:?}"))
}

/// Applies a global to arguments that are pushed by the given instructions, last first.
pub fn apply(global: &str, args: &[&[&str]]) -> Vec<String> {
    let mut code: Vec<String> = Vec::new();
    for arg in args.iter().rev() {
        code.extend(arg.iter().map(|line| (*line).to_owned()));
    }
    code.push(format!("PushGlobal {global}"));
    code.extend(args.iter().map(|_| "MkApp".to_owned()));
    code
}

pub fn machine(program: Verified, config: Config) -> Machine {
    Machine::new(program, config)
}

pub fn stressed() -> Config {
    Config { stress: Stress::Full, ..Config::default() }
}

/// Runs to the end and prints.
pub fn run(program: Verified, config: Config) -> (String, Result<(), Stop>) {
    let mut machine = machine(program, config);
    let mut out = String::new();
    let result = machine.start(Format::Default, None).and_then(|()| machine.run(&mut out));
    assert_eq!(machine.verify(), Ok(()));
    machine.abandon();
    machine.collect();
    assert_eq!(machine.verify(), Ok(()));
    (out, result)
}

/// What `main` prints, the same with and without stress.
pub fn prints(main: &[&str]) -> String {
    let (plain, result) = run(program(main), Config::default());
    assert_eq!(result, Ok(()), "after {plain:?}");
    let (stressed, result) = run(program(main), stressed());
    assert_eq!((stressed.as_str(), result), (plain.as_str(), Ok(())));
    plain
}

/// How `main` fails, the same with and without stress.
pub fn fails(main: &[&str]) -> RunError {
    let fail = |config| match run(program(main), config) {
        (_, Err(Stop::Error(error))) => *error,
        other => panic!("{other:?}"),
    };
    let error = fail(Config::default());
    assert_eq!(fail(stressed()), error);
    error
}

/// An input of these characters, then this end.
pub struct Chars(pub std::vec::IntoIter<char>, pub Option<InputError>);

impl Chars {
    pub fn new(text: &str) -> Chars {
        Chars(text.chars().collect::<Vec<_>>().into_iter(), None)
    }
}

impl Input for Chars {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        match (self.0.next(), &self.1) {
            (None, Some(error)) => Err(error.clone()),
            (c, _) => Ok(c),
        }
    }
}

/// Borrows the lines of generated code.
pub fn lines(code: &[String]) -> Vec<&str> {
    code.iter().map(String::as_str).collect()
}
