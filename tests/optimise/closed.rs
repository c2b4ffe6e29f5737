//! What is closed is evaluated at compile time: the program of an interpreter is known however it is
//! made, and what fails, does not end, or is as good as its call stays what it was.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind};
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{Text, compile_after, machine};
use super::several::REGISTERS;

struct Run {
    /// What it prints, or the message of its failure.
    output: Result<String, String>,
    reductions: u64,
    instructions: usize,
}

fn run(source: &str, level: u8) -> Run {
    let program = compile_after(source, Passes::level(level)).expect("a program without mistakes");
    let config = Config { fuel: Some(1_000_000), ..Config::default() };
    let mut machine = machine(MachineKind::Fast, &program, config);
    let mut output = String::new();
    let started = machine.start(Format::Default, Some(Box::new(Text::new("abc"))));
    let ended = started.and_then(|()| machine.run(&mut output));
    Run {
        output: ended.map(|_| output).map_err(|stop| stop.to_string()),
        reductions: machine.statistics().reductions,
        instructions: program.globals.iter().map(|global| global.code.len()).sum(),
    }
}

/// An interpreter of `p`.
const EXPRESSIONS: &str = "(data Exp (Num n) (X) (Add a b) (Mul a b))
    (defn eval[e x] (case e [(Num n) n] [X x] [(Add a b) (add (eval a x) (eval b x))]
      [(Mul a b) (mul (eval a x) (eval b x))]))
    (defn each[f n] (if (eq n 0) 0 (add (f n) (each f (sub n 1)))))
    (defn main[i] (each (eval p) (add 200 (length i))))";

/// A parser of `X`, `1` and of sums and products of two of these, the operator first.
const PARSER: &str =
    "(defn parse[s] (case s [(Cons c t) (case c ['x' (Pair X t)] ['1' (Pair (Num 1) t)]
      [_ (case (parse t) [(Pair a u) (case (parse u)
        [(Pair b v) (Pair (if (eq c '+') (Add a b) (Mul a b)) v)])])])]))";

/// A binary tree to insert numbers into, each with some work.
const INSERTIONS: &str = "(data Shade (Dark) (Light)) (data Tree (Tip) (Node s l k r))
    (defn put[k t] (case t [Tip (Node Dark Tip k Tip)]
      [(Node s l j r) (if (lt k j) (Node s (put k l) j r) (Node s l j (put k r)))]))
    (defn steps[k] (if (eq k 0) 0 (steps (sub k 1))))
    (defn slow[k t] (case (put k t) [(Node s l j r) (if (eq (steps 400) 0) (Node s l j r) Tip)]))
    (defn total[t] (case t [Tip 0] [(Node s l k r) (add k (add (total l) (total r)))]))";

/// Numbers of Peano.
const NUMBERS: &str = "(data Nat (Zero) (Succ n))
    (defn made[k] (if (eq k 0) Zero (Succ (made (sub k 1)))))
    (defn read[n] (case n [Zero 0] [(Succ m) (add 1 (read m))]))
    (defn plus[a b] (case a [Zero b] [(Succ n) (Succ (plus n b))]))
    (defn times[a b] (case a [Zero Zero] [(Succ n) (plus b (times n b))]))";

#[test]
fn a_program_is_known_however_it_is_made() {
    let long = format!("{}1", "+*xx".repeat(60));
    let programs = [
        ("shared by let", "(defn p[] (let ([q (Mul X X)] [r (Add q (Num 1))]) (Add q (Add q r))))".into()),
        (
            "put together by functions, from constants",
            "(defn square[a] (Mul a a)) (defn one[] (Num 1)) (defn x[] X)
             (defn sum'[as] (case as [(Cons a Nil) a] [(Cons a t) (Add a (sum' t))]))
             (defn p[] (foldr1 Add [(square x) (square x) one (sum' [(square one) x x x x x one])]))"
                .into(),
        ),
        (
            "read from a long text, slowly",
            format!(
                "{PARSER} (defn p[] (fst (parse (slowly 20 \"{long}\"))))
                 (defn slowly[n s] (if (eq n 0) s (slowly (sub n 1) (reverse (reverse s)))))"
            ),
        ),
    ];
    for (name, program) in programs {
        let run = run(&format!("{EXPRESSIONS} {program}"), 2);
        // One for each turn of the loop, and a few for the length of the input.
        assert!(run.reductions < 230, "{name}: {} reductions", run.reductions);
    }
}

#[test]
fn a_program_is_known_where_it_is_made_step_by_step() {
    let long = format!("{}1", "+*xx".repeat(60));
    let source =
        EXPRESSIONS.replace("(each (eval p) (add 200 (length i)))", "(from' (add 197 (length i)))");
    let source = format!(
        "{source} {PARSER} (defn slowly[n s] (if (eq n 0) s (slowly (sub n 1) (reverse (reverse s)))))
         (defn again[k e] (if (eq k 0) e (again (sub k 1) (copy e))))
         (defn copy[e] (case e [(Add a b) (Add (copy a) (copy b))] [(Mul a b) (Mul (copy a) (copy b))] [_ e]))
         (defn from'[n] (let ([s \"{long}\"] [t (slowly 5 s)] [q (fst (parse t))] [r (Add q (again 30 q))])
           (if (gt n 400) 0 (add (eval r n) (from' (add n 1))))))"
    );
    let run = run(&source, 2);
    assert!(run.reductions < 230, "{} reductions", run.reductions);
}

#[test]
fn rules_that_mention_small_constants_are_known_one_by_one() {
    let path = project().join("benches/unseen/interp-rewrite.core");
    let source = fs::read_to_string(path).expect("the program");
    let reductions = run(&source.replace("(root 13)", "(root 4)"), 2).reductions;
    // 23,792 if the rules that are left are made anew for each term.
    assert!(reductions < 8_000, "{reductions} reductions");
}

#[test]
fn an_interpreter_of_a_program_without_input_is_specialised() {
    let program = "
        (defn p[] [(Set 0 9000) (Label \"go\") (Add 1 0) (Add 2 1) (Add 3 2) (Add 1 3) (Dec 0) (Loop 0 \"go\")])
        (defn main[] (rem (start p) 1000003))";
    let source = format!("{REGISTERS} {program}");
    let (before, after) = (run(&source, 0), run(&source, 2));
    assert_eq!(before.output, after.output);
    let (before, after) = (before.reductions, after.reductions);
    // Unspecialised it is four fifths.
    assert!(after * 10 < before, "{after} reductions of {before}");
}

#[test]
fn of_what_takes_too_long_a_part_is_evaluated() {
    let nest = (0..60).fold("Tip".to_owned(), |nest, k| format!("(slow {} {nest})", k * 7919 % 97));
    let source = format!("{INSERTIONS} (defn main[i] (add (length i) (total {nest})))");
    let (before, after) = (run(&source, 0).reductions, run(&source, 2).reductions);
    // Four fifths if the rest does not go on from what the first attempt has come to.
    assert!(after * 10 < before * 7, "{after} reductions of {before}");
}

#[test]
fn a_number_as_data_stays_the_call_that_makes_it() {
    let program =
        |k| format!("{NUMBERS} (defn main[i] (read (times (made {k}) (made (length i)))))");
    // The second one takes too many steps to be written down in any case.
    let (few, many) = (run(&program(200), 2), run(&program(20_000), 2));
    assert_eq!(few.instructions, many.instructions);
}

#[test]
fn a_function_is_not_written_down_beyond_what_is_unfolded() {
    let path = project().join("benches/others/sets.styled.core");
    let source = fs::read_to_string(path).expect("the program");
    let reductions = run(&source, 2).reductions;
    // 231,773 if the set is one function of all its parts.
    assert!(reductions < 180_000, "{reductions} reductions");
}

#[test]
fn what_fails_or_does_not_end_is_left_as_it_was() {
    let wrong = [
        "(eval (Add X (case (Box X) [X X] [_ (Num 2)])) 1)",
        "(eval (case (chr 65) [1 X] [_ (Num 2)]) 1)",
        "(eval (case 1.5 [1 X] [_ (Num 2)]) 1)",
        "(eval (case [X] [\"x\" X] [_ (Num 2)]) 1)",
        "(eval (if (add 1 1) X X) 1)",
        "(eval (Add X (error \"no\")) 1)",
        "(eval (Add X (case (Num 1) [X X])) 1)",
        "(eval (X 1) 1)",
        "(eval (Num (div 1 0)) 1)",
        "(eval (Num (add 'a' 1)) 1)",
        "(eval (endless X) 1)",
        "(letrec ([x (seq x X)]) (eval x 1))",
        "(eval (deep 100000 X) 1)",
    ];
    let right = [
        "(fst (Pair (eval (Num 1) 1) (endless X)))",
        "(eval (fst (Pair (Num 1) (error \"no\"))) 1)",
        "(take 2 (map (fn [e] (eval e 1)) (letrec ([xs (Cons (Num 1) xs)]) xs)))",
        "(eval (seq (deep 3 X) (Num 1)) 1)",
        "(eval (head (forever (Num 1))) 1)",
        "(eval (case \"\" [Nil X] [_ (Num 2)]) 1)",
        "(eval (case (append \"λ\" \"z\") [\"λz\" X] [_ (Num 2)]) 1)",
        "(eval (case 100000000000000000000 [100000000000000000000 X] [_ (Num 2)]) 1)",
        "(eval (Num (sub (mul 100000000000 100000000000) 1)) 1)",
    ];
    for (expressions, fail) in [(&wrong[..], true), (&right[..], false)] {
        for expression in expressions {
            let source = EXPRESSIONS.replace("(each (eval p) (add 200 (length i)))", expression);
            let source = format!(
                "{source} (data Box (Box x)) (defn endless[e] (endless (Add e e))) (defn p[] X)
                 (defn forever[e] (Cons e (forever e)))
                 (defn deep[n e] (if (eq n 0) e (Add (Num 0) (deep (sub n 1) e))))"
            );
            let (before, after) = (run(&source, 0), run(&source, 2));
            let name = expression;
            // Of what never ends the message says how far it has come.
            let is_endless = expression.contains("endless X) 1");
            assert!(is_endless || before.output == after.output, "{name}: {:?}", after.output);
            let is_deep = expression.contains("deep 100000");
            assert_eq!(after.output.is_err(), fail && !is_deep, "{name}");
        }
    }
}

/// Each has the next one twice, and is too large to be written out: that is found out last.
#[test]
fn constants_of_constants_are_not_looked_through_again_and_again() {
    let large = (0..60).fold("X".to_owned(), |large, _| format!("(Add X {large})"));
    let constants: String = (0..50)
        .map(|k| {
            let next = k + 1;
            format!("(defn p{k}[] (same (Mul (Add p{next} p{next}) {large})))")
        })
        .collect();
    let source =
        EXPRESSIONS.replace("(each (eval p) (add 200 (length i)))", "(case p0 [X 1] [_ 2])");
    let source = format!("{source} {constants} (defn p50[] X) (defn same[e] e)");
    assert_eq!(run(&source, 2).output.as_deref().map(str::trim), Ok("2"));
}

/// Where all that leads to a common end is closed, there would be no jump to it.
#[test]
fn what_jumps_is_not_closed() {
    let source =
        EXPRESSIONS.replace("(each (eval p) (add 200 (length i)))", "(eval (chosen (length i)) 3)");
    let source = format!(
        "{source} (defn twice[e] (Add e e))
         (defn chosen[k] (let ([e (twice X)])
           (if (eq k 3) (let ([a (twice (Num 1))]) (if (eq (eval a 1) 2) e a))
             (let ([b (twice (Num 2))]) (if (eq (eval b 1) 5) b e)))))"
    );
    let (before, after) = (run(&source, 0).output, run(&source, 2).output);
    assert_eq!(before, after);
}
