//! A program's input is read no further than the program asks, and any text is its characters.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gmachine::Passes;
use gmachine::machine::MachineKind;
use gmachine::machine::outcome::{Input, InputError, Output, OutputError, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine_testing::common;

/// Counts what is read of it; it has no end.
struct Counted(Arc<AtomicUsize>);

impl Input for Counted {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        let read = self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Some(if read % 10 == 9 { '\n' } else { 'x' }))
    }
}

/// What a program prints, and how many characters it has read of an endless input.
fn run(kind: MachineKind, main: &str) -> (String, usize) {
    let read = Arc::new(AtomicUsize::new(0));
    let mut machine = common::machine(kind, &common::compile(main), Config::default());
    let mut out = String::new();
    let started = machine.start(Format::Default, Some(Box::new(Counted(read.clone()))));
    started.and_then(|()| machine.run(&mut out)).expect("it has a value");
    (out, read.load(Ordering::Relaxed))
}

#[test]
fn input_is_read_as_far_as_it_is_demanded() {
    for (main, output, read) in [
        ("(defn main[] 1)", "1\n", 0),
        ("(defn main[input] 1)", "1\n", 0),
        ("(defn main[input] (K 1 (length input)))", "1\n", 0),
        ("(defn main[input] (seq input 1))", "1\n", 1),
        ("(defn main[input] (take 3 input))", "xxx\n", 3),
        ("(defn main[input] (Pair (take 2 input) (take 4 input)))", "(Pair \"xx\" \"xxxx\")\n", 4),
        ("(defn main[input] (head (lines input)))", "xxxxxxxxx\n", 10),
        ("(defn main[input] (case input [(Cons c _) c]))", "'x'\n", 1),
        ("(defn main[input] (case input [\"xy\" 1] [_ 2]))", "2\n", 2),
        ("(defn main[input] (if (eq (head input) 'x') 1 (length input)))", "1\n", 1),
        ("(defn main[] (bind inputLine (fn [l] (putText (head l)))))", "xxxxxxxxx", 10),
        ("(defn main[] (bind (inputBytes 3) putBytes))", "xxx", 3),
        (
            "(defn main[] (bind (inputBytes 8) (fn [_] (bind inputLine (fn [l] (putText (head l)))))))",
            "x",
            10,
        ),
    ] {
        for &kind in MachineKind::ALL {
            assert_eq!(run(kind, main), (output.to_owned(), read), "{kind}: {main}");
        }
    }
}

/// Both become cells by more than one at a time, of characters of one to four bytes.
#[test]
fn a_long_literal_and_the_same_input_have_the_same_characters() {
    for length in [1, 31, 32, 33, 64, 65, 1000] {
        let text: String = "aß€𝄞b".chars().cycle().take(length).collect();
        let main = format!("(defn main[i] (Pair (eqString i \"{text}\") (length i)))");
        let run = common::run(&main, &text);
        assert_eq!(run.output, format!("(Pair 1 {length})\n"));
    }
}

#[test]
fn an_input_is_the_characters_of_a_text() {
    for (main, input, output) in [
        ("(defn main[i] i)", "", "Nil\n"),
        ("(defn main[i] i)", "a", "a\n"),
        ("(defn main[i] i)", "a\n", "a\n"),
        ("(defn main[i] i)", "λ é 😀\0\u{FEFF}", "λ é 😀\0\u{FEFF}\n"),
        ("(defn main[i] (length i))", "λé😀", "3\n"),
        ("(defn main[i] (map ord i))", "a\r\n\t", "97 13 10 9 Nil\n"),
        ("(defn main[i] (reverse i))", "abc", "cba\n"),
        ("(defn main[i] [i i])", "ab", "\"ab\" \"ab\" Nil\n"),
        ("(defn main[i] (unlines (map reverse (lines i))))", "ab\ncd", "ba\ndc\n"),
    ] {
        let run = common::run(main, input);
        assert_eq!((run.output.as_str(), run.failure), (output, None), "{main} {input:?}");
    }
}

#[test]
fn a_long_byte_string_is_written_piece_by_piece_and_whole() {
    let text = "(defn main[] (let ([line (bytesFromText (take 300 (repeat 'x')))])
                  (bind (putBytes (bytesConcat (replicate 1000 line))) (fn [_] (putText \"!\")))))";
    let run = common::run(text, "");
    assert_eq!((run.output.len(), run.failure), (300_001, None));
    assert_eq!(run.output.trim_start_matches('x'), "!");
}

/// Expressions that have a long text, and what of it there is before it fails, if it does.
fn long_texts() -> Vec<(String, String, Option<&'static str>)> {
    let literal = "é€x\u{1F600}\n".repeat(12_000);
    let quoted = literal.replace('\n', "\\n");
    let long = format!("\"{quoted}\"");
    let evaluated = |text: &str| format!("(let ([t {text}]) (seq (length t) t))");
    let texts = [
        (long.clone(), literal.clone(), None),
        (evaluated(&long), literal.clone(), None),
        (format!("(append {long} \"end\")"), literal.clone() + "end", None),
        (evaluated(&format!("(append \"begin\" {long})")), "begin".to_owned() + &literal, None),
        (format!("(append {long} (error \"late\"))"), literal.clone(), Some("G0501")),
        (evaluated(&format!("(append {long} [1])")), literal, Some("G0509")),
    ];
    texts.into()
}

#[test]
fn a_long_text_is_written_whole_whatever_of_it_is_evaluated() {
    for (text, expected, failure) in long_texts() {
        // A value that is printed ends its line, and so does what fails.
        let end = |code: Option<&str>| if code.is_none() { "" } else { "\n" };
        let line = |text: &str| text.trim_end_matches('\n').to_owned() + "\n";
        let printed = common::run(&format!("(defn main[] {text})"), "");
        assert_eq!(printed.failure.as_ref().map(|f| &*f.code), failure);
        assert!(printed.output == line(&expected), "{} bytes printed", printed.output.len());
        let written = common::run(&format!("(defn main[] (putText {text}))"), "");
        let failure = failure.map(|code| if code == "G0509" { "G0503" } else { code });
        assert_eq!(written.failure.as_ref().map(|f| &*f.code), failure);
        let open = !expected.ends_with('\n');
        let expected = if open { expected + end(failure) } else { expected };
        assert!(written.output == expected, "{} bytes written", written.output.len());
    }
}

/// Counts the pieces that it is given.
#[derive(Default)]
struct Pieces {
    text: String,
    count: usize,
}

impl Output for Pieces {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.text.push_str(text);
        self.count += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

#[test]
fn evaluated_text_is_written_in_large_pieces_and_few_steps() {
    for how in ["t", "(putText t)"] {
        // What writing takes is the difference to a run that only evaluates.
        let work = |how: &str| {
            let text = format!(
                "(defn main[] (let ([t (concat (replicate 2000 \"some line of a long text\\n\"))])
                   (seq (length t) {how})))"
            );
            let program = common::compile(&text);
            let mut machine = common::machine(MachineKind::Fast, &program, Config::default());
            machine.start(Format::Default, None).expect("it starts");
            let mut out = Pieces::default();
            machine.run(&mut out).expect("it has a value");
            (out, machine.statistics().reductions)
        };
        let (out, reductions) = work(how);
        let (_, evaluation) = work("0");
        assert_eq!(out.text.len(), 50_000);
        assert!(out.count < 50, "{how}: {} pieces", out.count);
        assert!(reductions - evaluation < 500, "{how}: {reductions} - {evaluation}");
    }
}

#[test]
fn characters_after_a_part_of_one_are_no_text() {
    let text = "(defn main[] (bind (inputBytes 1) (fn [b]
                  (bind (putBytes (bytesFromInt (bytesIndex b 0))) (fn [_] inputLine)))))";
    for kind in MachineKind::ALL {
        let mut machine = common::machine(*kind, &common::compile(text), Config::default());
        let mut out = String::new();
        machine
            .start(Format::Default, Some(Box::new(common::Text::new("λ\n"))))
            .expect("it starts");
        let ended = machine.run(&mut out);
        assert!(matches!(ended, Err(Stop::Input(_))), "{kind}: {ended:?}");
        assert_eq!(out, "206\n", "{kind}");
    }
}

/// Gives characters and takes text, and notes both in the order in which they come. An exclamation
/// mark is never ready.
#[derive(Clone)]
struct Talk {
    noted: Arc<Mutex<String>>,
    says: Arc<Mutex<std::str::Chars<'static>>>,
    is_ready: bool,
}

impl Talk {
    fn new(says: &'static str, is_ready: bool) -> Talk {
        let noted = Arc::default();
        Talk { noted, says: Arc::new(Mutex::new(says.chars())), is_ready }
    }

    fn note(&self, text: &str) {
        self.noted.lock().expect("nobody panics with it").push_str(text);
    }
}

impl Input for Talk {
    fn next(&mut self) -> Result<Option<char>, InputError> {
        let next = self.says.lock().expect("nobody panics with it").next();
        self.note(next.map_or(">".into(), |c| format!(">{c}")).as_str());
        Ok(next)
    }

    fn is_ready(&self) -> bool {
        let mut says = self.says.lock().expect("nobody panics with it").clone();
        self.is_ready && says.next() != Some('!')
    }
}

impl Output for Talk {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.note(text);
        Ok(())
    }

    fn write_error(&mut self, text: &str) -> Result<(), OutputError> {
        self.note(&format!("({text})"));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// What a program reads and writes, in order.
fn talk(kind: MachineKind, text: &str, says: &'static str, is_ready: bool) -> String {
    talk_after(kind, text, Passes::ALL, says, is_ready)
}

/// What a program reads and writes after some passes of the optimiser, in order.
fn talk_after(
    kind: MachineKind,
    text: &str,
    passes: Passes,
    says: &'static str,
    is_ready: bool,
) -> String {
    let mut talk = Talk::new(says, is_ready);
    let program = common::compile_after(text, passes).expect("a right program");
    let mut machine = common::machine(kind, &program, Config::default());
    machine.start(Format::Default, Some(Box::new(talk.clone()))).expect("it starts");
    machine.run(&mut talk).expect("it has a value");
    let noted = talk.noted.lock().expect("nobody panics with it");
    noted.clone()
}

#[test]
fn what_is_written_is_handed_on_before_input_is_waited_for() {
    let echo = "(defn main[] (bind inputText (fn [text] (putText (map toUpper text)))))";
    let ask = "(defn main[] (then (putText \"name? \") (bind inputText (fn [text]
        (then (putText \"hello \") (putText (head (lines text))))))))
        (defn then[m n] (bind m (fn [_] n)))";
    for &kind in MachineKind::ALL {
        assert_eq!(talk(kind, echo, "ab\nc", false), ">aA>bB>\n\n>cC>", "{kind}");
        assert_eq!(talk(kind, ask, "x\ny", false), "name? hello >xx>\n", "{kind}");
    }
    // What is there already is read before what is held back is written, the next one after it.
    let second = "(defn main[] (bind inputText (fn [text] (putText (Cons 'n' (tail text))))))";
    assert_eq!(talk(MachineKind::Fast, second, "a!", true), ">an>!>!");
    // Of what is there already a line is written at once.
    assert_eq!(talk(MachineKind::Fast, echo, "ab\nc", true), ">a>b>\nAB\n>c>C");
}

#[test]
fn a_text_is_handed_out_at_its_end() {
    let rows = [
        ("(putText \"name? \")", "name? "),
        ("(putText (append \"na\" (map chr (map ord \"me? \"))))", "name? "),
        ("(then (putText \"a\") (putError \"b\"))", "a(b)"),
        ("(putError (showInt 3))", "(3)"),
        ("(putBytes (bytesFromText \"bytes\"))", "bytes"),
        ("(seq (unsafePerform (putText \"inner\")) (return Nil))", "inner"),
        (
            "(handle (then (putText \"x\") (throw 1)) (fn [_ _] (putText \"y\")) (fn [_ _ _] (exit 1)))",
            "xy",
        ),
    ];
    for (writes, wanted) in rows {
        let text = format!(
            "(import io) (defn main[] (then {writes} (bind inputLine (fn [_] (return Nil)))))"
        );
        for passes in [Passes::NONE, Passes::ALL] {
            for &kind in MachineKind::ALL {
                let noted = talk_after(kind, &text, passes, "z\n", false);
                assert_eq!(noted, format!("{wanted}>z>\n"), "{kind}: {writes}");
            }
        }
    }
}

/// Takes no piece before the third try.
#[derive(Default)]
struct Stubborn {
    taken: String,
    tries: usize,
}

impl Output for Stubborn {
    fn write(&mut self, text: &str) -> Result<(), OutputError> {
        self.tries += 1;
        if self.tries < 3 {
            let kind = std::io::ErrorKind::Interrupted;
            return Err(OutputError { kind, message: "not yet".into() });
        }
        self.taken.push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

#[test]
fn what_the_output_did_not_take_is_not_written_again() {
    let text = "(import io) (defn main[] (then (putText \"one\") (then (putText \"two\")
                  (then (putText \"three\") (putText \"four\")))))";
    for passes in [Passes::NONE, Passes::ALL] {
        for &kind in MachineKind::ALL {
            let program = common::compile_after(text, passes).expect("a right program");
            let mut machine = common::machine(kind, &program, Config::default());
            machine.start(Format::Default, None).expect("it starts");
            let mut out = Stubborn::default();
            for _ in 0..2 {
                assert!(matches!(machine.run(&mut out), Err(Stop::Output(_))), "{kind}");
            }
            machine.run(&mut out).expect("it goes on");
            assert_eq!(out.taken, "threefour", "{kind}");
        }
    }
}
