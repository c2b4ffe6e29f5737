//! Translations of small dumps, in the grammar of `src/dump.rs`, compiled and run by gmachine.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

use gmachine::{
    Engine, Error, Eval, FileKind, MachineKind, Module, Passes, Stop, System, SystemError,
};
use gmachine_haskell::dump::Dump;
use gmachine_haskell::translate;

/// What the runtime mentions of the library, as far as a program without exceptions needs it.
const LIBRARY: &str = "\
Tmodule Library
Data.Bool_Type.False = $con:0:2:
Data.Bool_Type.True = $con:1:2:
Data.Ordering_Type.LT = $con:0:3:
Data.Ordering_Type.EQ = $con:1:3:
Data.Ordering_Type.GT = $con:2:3:
Data.Maybe_Type.Nothing = $con:0:2:
Data.Maybe_Type.Just = $con:1:2:L
Data.List_Type.[] = $con:0:2:
Data.List_Type.: = $con:1:2:LL
Control.Exception.Internal.SomeException = $con:0:1:LL
Control.Exception.Internal.DivideByZero = $con:0:1:
Control.Exception.Internal.ErrorCallWithLocation = $con:0:1:LL
Control.Exception.Internal.BlockedIndefinitelyOnMVar = $con:0:1:
inst$Control.Exception.Internal.Exception@Control.Exception.Internal.ArithException = #0
inst$Control.Exception.Internal.Exception@Control.Exception.Internal.ErrorCall = #0
inst$Control.Exception.Internal.Exception@Control.Exception.Internal.BlockedIndefinitelyOnMVar = #0
Control.Exception.Internal.toException = (\\d. (\\e. e))
Control.Exception.Internal.throwIO = (\\d. (\\e. ((IO.>> (raise e)) (raise e))))
Control.Exception.handle = (\\d. (\\h. (\\m. (((Control.Exception.Internal.catch d) m) h))))
Control.Exception.finally = (\\m. (\\n. ((IO.>>= ((Control.Exception.Internal.onException m) n)) (\\x. ((IO.>> n) (IO.return x))))))
Control.Exception.Internal.fromException = (\\d. (\\e. (Data.Maybe_Type.Just e)))
Data.Maybe.maybe = (\\r. (\\f. (\\m. (((($case:2:2 m) #0) ($alt:0:0:Data.Maybe_Type.Nothing r)) ($alt:1:1:Data.Maybe_Type.Just (\\x. (f x)))))))
Data.Typeable.TyCon = $con:0:1:LLL
Data.Typeable.TypeRep = $con:0:1:LLL
Data.Typeable.tyConFingerPrint = (\\x. ((($case:1:1 x) #0) ($alt:0:3:Data.Typeable.TyCon (\\k. (\\m. (\\n. k))))))
Data.Typeable.trMd5 = (\\x. ((($case:1:1 x) #0) ($alt:0:3:Data.Typeable.TypeRep (\\k. (\\c. (\\a. k))))))
Storable$C = (\\$x1. (\\$x2. (\\$f. (($f $x1) $x2))))
Foreign.Storable.sizeOf = (\\$f. ($f (\\$x1. (\\$x2. $x1))))
Foreign.Storable.peekElemOff = (\\$f. ($f (\\$x1. (\\$x2. $x2))))
GMachine.Top.hPutStr = gmachine.put
GMachine.Top.hGetContents = gmachine.contents
GMachine.Top.run = (\\x. x)
Num$C = (\\$x1. (\\$x2. (\\$f. (($f $x1) $x2))))
Num.+ = (\\$f. ($f (\\$x1. (\\$x2. $x1))))
Num.- = (\\$f. ($f (\\$x1. (\\$x2. $x2))))
inst$Num@Int = ((Num$C +) (\\x. (\\y. ((- x) y))))
inst$Num@Pair = (\\d. (Y (\\self. ((Num$C (\\p. (\\q. (((Num.+ d) p) q)))) (\\p. (((Num.- self) p) p))))))
";

/// Returns the text of the program whose module `Main` has these definitions.
fn translated(definitions: &str) -> String {
    let text = format!("{LIBRARY}Tmodule Main\n{definitions}");
    let mut dump = Dump::default();
    dump.add(&text);
    let file = |module: &str| (module == "Main").then(|| "Main.hs".to_owned());
    translate(&dump, "Main.main", &file).expect("it is a dump")
}

fn compiled(definitions: &str) -> Module {
    Engine::new().compile("main", &translated(definitions)).expect("it is a program")
}

/// Returns what a program writes whose main writes the digits of the word `Main.result`.
fn result(definitions: &str) -> String {
    let mut store = compiled(&format!("{definitions}\nMain.main = Main.result")).store();
    let value = store.global("main").expect("it is defined");
    let mut out = String::new();
    store.print(&value, gmachine::Format::Sexpr, &mut out).expect("it ends");
    out.trim_end().to_owned()
}

#[test]
fn recursion_and_words_that_wrap() {
    let fib = "Main.fib = (\\n. ((($if ((< n) #2)) n) ((+ (Main.fib ((- n) #1))) (Main.fib ((- n) #2)))))";
    assert_eq!(result(&format!("{fib}\nMain.result = (Main.fib #20)")), "6765");
    let largest = "9223372036854775807";
    assert_eq!(result(&format!("Main.result = ((+ #{largest}) #1)")), "-9223372036854775808");
    assert_eq!(result("Main.result = ((uquot #-1) #2)"), largest);
}

#[test]
fn names_that_differ_in_what_coref_has_no_letter_for_are_told_apart() {
    let (mut text, mut sum) = (String::new(), "#0".to_owned());
    for (name, number) in [("f'", 1), ("f_27_", 20), ("f_", 300), ("f__", 4000)] {
        let _ = writeln!(text, "Main.{name} = (\\x. ((+ x) #{number}))");
        sum = format!("(Main.{name} {sum})");
    }
    assert_eq!(result(&format!("{text}Main.result = {sum}")), "4321");
}

/// A little less than the middle of two floats of single precision: the nearest float of double
/// precision is the middle, of which the even one is the other one.
#[test]
fn a_literal_of_single_precision_is_rounded_once() {
    let below = "1.00000017881393432617187499";
    assert_eq!(result(&format!("Main.result = &&{below}")), "1.0000001192092896");
    assert_eq!(result(&format!("Main.result = &&-{below}")), "-1.0000001192092896");
}

/// Tables of the library are byte strings of thousands of bytes, which every program reads.
#[test]
fn a_byte_string_is_a_text_of_coref() {
    let all: String = (0..256).map(|byte| format!("\\{byte}\\&")).collect();
    let of = |literal: &str, at: usize| {
        let definition = format!("Main.result = ((bsindex ^\"{literal}\") #{at})");
        let text = translated(&format!("{definition}\nMain.main = Main.result"));
        assert!(!text.contains("#bytesFromList [0"), "{definition}");
        result(&definition)
    };
    for at in [0, 1, 34, 65, 92, 127, 128, 200, 255] {
        assert_eq!(of(&all, at), at.to_string());
    }
    assert_eq!(of("a\\0b", 2), "98");
    assert_eq!(result(&format!("Main.result = (bslength ^\"{all}\")")), "256");
}

#[test]
fn types_at_run_time_are_the_same_if_they_are_written_the_same() {
    let definitions = "\
Main.con = (\\n. ((Data.Typeable.mkTyCon \"M\") n))
Main.of = (\\c. (\\args. ((Data.Typeable.mkTyConApp (Main.con c)) args)))
Main.key = (\\t. (Data.Typeable.trMd5 t))
Main.same = (\\s. (\\t. ((bs== (Main.key s)) (Main.key t))))
Main.a = ((Main.of \"A\") $nil)
Main.b = ((Main.of \"B\") $nil)
Main.fa = ((Main.of \"F\") (($cons Main.a) $nil))
";
    let same =
        |s: &str, t: &str| result(&format!("{definitions}Main.result = ((Main.same {s}) {t})"));
    let one = |of: &str| format!("((Main.of \"F\") (($cons {of}) $nil))");
    let two = |a: &str, b: &str| format!("((Main.of \"F\") (($cons {a}) (($cons {b}) $nil)))");
    assert_eq!(same("Main.a", "((Main.of \"A\") $nil)"), "1");
    assert_eq!(same("Main.fa", &one("Main.a")), "1");
    assert_eq!(same("Main.a", "Main.b"), "0");
    assert_eq!(same("Main.fa", &one("Main.b")), "0");
    assert_eq!(same(&two("Main.fa", "Main.b"), &two("Main.a", "Main.b")), "0");
    assert_eq!(same(&one(&two("Main.a", "Main.b")), &two("Main.fa", "Main.b")), "0");
}

#[test]
fn a_single_fixed_point_is_a_letrec() {
    let sum = "(let go = (Y (\\go. (\\n. ((($if ((== n) #0)) #0) ((+ n) (go ((- n) #1))))))) in (go #100))";
    assert_eq!(result(&format!("Main.result = {sum}")), "5050");
}

#[test]
fn a_lazy_tuple_of_functions_is_a_letrec_without_a_tuple() {
    let even = "(\\n. ((($if ((== n) #0)) #1) (($sel:1:2 $m1) ((- n) #1))))";
    let odd = "(\\n. ((($if ((== n) #0)) #0) (($sel:0:2 $m1) ((- n) #1))))";
    let group = format!("(Y (\\$m1. (($tuple:2 {even}) {odd})))");
    let text = format!("Main.result = (($sel:0:2 {group}) #10)");
    assert_eq!(result(&text), "1");
    let text = format!(
        "Main.result = (let $m1 = {group} in ((+ (($sel:0:2 $m1) #10)) (($sel:1:2 $m1) #9)))"
    );
    assert_eq!(result(&text), "2");
    let text = translated(&format!("{text}\nMain.main = Main.result"));
    let body = text.lines().find(|line| line.contains("defn v_Main-result")).expect("it is there");
    assert!(body.contains("letrec") && !body.contains("case"), "{body}");
}

#[test]
fn constructors_and_cases_come_back() {
    let data = "Main.Leaf = $con:0:2:\nMain.Node = $con:1:2:LSL\n";
    let size = "Main.size = (\\t. ((($case:2:1 t) #0) ($alt:1:3:Main.Node (\\l. (\\x. (\\r. ((+ x) ((+ (Main.size l)) (Main.size r)))))))))\n";
    let tree = "(((Main.Node Main.Leaf) #4) (((Main.Node Main.Leaf) #5) Main.Leaf))";
    assert_eq!(result(&format!("{data}{size}Main.result = (Main.size {tree})")), "9");
    let list = "(((($case:2:2 \"ab\") #0) ($alt:0:0:Data.List_Type.[] #1)) ($alt:1:2:Data.List_Type.: (\\c. (\\cs. c))))";
    assert_eq!(result(&format!("Main.result = {list}")), "97");
    let truth = "((($case:2:1 ((< #1) #2)) #7) ($alt:1:0:Data.Bool_Type.True #8))";
    assert_eq!(result(&format!("Main.result = {truth}")), "8");
    // A strict field is evaluated with its constructor.
    let strict = format!(
        "{data}Main.result = ((seq (((Main.Node Main.Leaf) ((quot #1) #0)) Main.Leaf)) #1)"
    );
    let mut store = compiled(&format!("{strict}\nMain.main = Main.result")).store();
    let value = store.global("main").expect("it is defined");
    assert!(matches!(store.force(&value), Err(Error::Stop(Stop::Error(_)))));
}

#[test]
fn methods_of_a_known_instance_are_definitions() {
    let text = "Main.result = (((Num.- inst$Num@Int) (((Num.+ inst$Num@Int) #7) #8)) #5)";
    assert_eq!(result(text), "10");
    let text = translated(&format!("{text}\nMain.main = Main.result"));
    let body = text.lines().find(|line| line.contains("defn v_Main-result")).expect("it is there");
    assert!(body.contains("#addi64") && !body.contains("v_Num"), "{body}");
    // A class that was dumped in part before, in a module that breaks a circle of imports.
    let before = "Num$C = (\\$x1. (\\$f. ($f $x1)))\nNum.+ = (\\$f. ($f (\\$x1. $x1)))\n";
    let whole =
        format!("{before}{LIBRARY}Tmodule Main\nMain.main = (((Num.- inst$Num@Int) #7) #5)");
    let mut dump = Dump::default();
    dump.add(&whole);
    let text = translate(&dump, "Main.main", &|_| None).expect("it is a dump");
    let mut store = Engine::new().compile("main", &text).expect("it is a program").store();
    let value = store.global("main").expect("it is defined");
    assert_eq!(store.get::<i64>(&value).expect("it is a word"), 2);
    // An instance with a context, whose method uses the instance itself, is one too.
    let text = "Main.result = (((Num.+ (inst$Num@Pair inst$Num@Int)) #3) #4)";
    assert_eq!(result(text), "7");
}

/// The combinators of MicroHs compute once what does not depend on the parameters of a function.
#[test]
fn what_a_parameter_does_not_matter_to_is_computed_once() {
    let slow = "Main.slow = (Y (\\go. (\\n. ((($if ((== n) #0)) #1) (go ((- n) #1))))))\n";
    let times = "Main.times = (\\f. (\\n. ((($if ((== n) #0)) #0) ((+ (f n)) ((Main.times f) ((- n) #1))))))\n";
    let work = |calls: u32| {
        let text = format!(
            "{slow}{times}Main.main = ((Main.times (\\x. ((+ x) (Main.slow #10000)))) #{calls})"
        );
        let mut store = compiled(&text).store();
        let value = store.global("main").expect("it is defined");
        store.force(&value).expect("it ends");
        store.statistics().reductions
    };
    assert!(work(100) < 2 * work(1), "{} of {}", work(100), work(1));
}

#[test]
fn a_failure_is_in_the_file_of_haskell() {
    let text = "Main.result = ({3 7}Main.half #1)\nMain.half = (\\n. ({4 10}bsindex n #1))";
    let text = text.replace("({4 10}bsindex n #1)", "(({4 10}Main.index n) #1)");
    let text = format!("{text}\nMain.index = bsindex\nMain.main = Main.result");
    let mut store = compiled(&text).store();
    let value = store.global("main").expect("it is defined");
    let error = store.force(&value).expect_err("a word is no byte string").to_string();
    assert!(error.starts_with("Main.hs:4:10: "), "{error}");
}

#[test]
fn a_failure_of_an_action_of_the_library_is_in_the_file_of_haskell() {
    let fails = "((IO.>>= (IO.return #1)) (\\x. ((IO.>>= (raise #7)) IO.return)))";
    let library = format!("Tmodule Other\nOther.read = (\\p. {fails})\nTmodule Main\n");
    let go_on = "Main.next = (\\x. (IO.return x))";
    for (main, place) in [
        ("((IO.>>= ({3 7}Other.read #5)) (\\x. ({4 2}IO.return x)))", "3:7"),
        // A function with a name goes on.
        ("((IO.>>= ({3 7}Other.read #5)) Main.next)", "3:7"),
        // The value does not matter.
        (
            "((IO.>> ({2 1}Main.next #1)) (({3 7}IO.>> ({3 7}Other.read #5)) ({4 2}Main.next #2)))",
            "3:7",
        ),
        // Nothing else goes on.
        ("({2 1}Other.read #5)", "2:1"),
        ("((IO.>> ({2 1}Main.next #1)) ({3 7}Other.read #5))", "3:7"),
        ("((IO.>>= ({2 1}Main.next #1)) Other.read)", "2:1"),
        ("((IO.>> ({2 1}Main.next #1)) ((($if #1) ({3 7}Other.read #5)) (IO.return #2)))", "3:7"),
        // A choice, after which something goes on.
        (
            "(({2 1}IO.>>= ((($if #1) ({3 7}Other.read #5)) (IO.return #2))) (\\x. ({4 2}IO.return x)))",
            "3:7",
        ),
    ] {
        assert_eq!(failing(&format!("{library}{go_on}\nMain.main = {main}")), place, "{main}");
    }
}

/// Returns the innermost place in the file of Haskell that is told of a failure of main, on each
/// machine at each level: `LINE:COLUMN`.
fn failing(definitions: &str) -> String {
    let text = translated(definitions);
    let mut all: Vec<String> = Vec::new();
    for (&machine, level) in MachineKind::ALL.iter().flat_map(|of| [0, 1, 2].map(|at| (of, at))) {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        engine.set_passes(Passes::level(level));
        let module = engine.compile("main", &text).expect("it is a program");
        let ended = module.store().run_main(None, &mut String::new(), gmachine::Format::Default);
        let Err(Stop::Error(error)) = ended else { panic!("{definitions}: {ended:?}") };
        let waiting = error.chain.frames.iter().chain(&error.chain.outer).map(|of| of.span);
        let places = std::iter::once(error.span).chain(waiting);
        let mut places = places.filter_map(|span| Some(module.sources().place(span)?.to_string()));
        let place = places.find_map(|of| Some(of.strip_prefix("Main.hs:")?.to_owned()));
        all.push(place.unwrap_or_else(|| "nowhere".into()));
    }
    assert!(all.iter().all(|of| *of == all[0]), "{definitions}: {all:?}");
    all.swap_remove(0)
}

/// The place of what fails last, and not that of an action that has ended, nor where main begins.
#[test]
fn what_a_handler_throws_is_told_where_it_throws_it() {
    let library = "Tmodule Other\nOther.read = (\\p. ((IO.>>= (IO.return #1)) (\\x. ((IO.>>= (raise #7)) IO.return))))\n\
        Tmodule Main\nMain.put = (\\s. ((gmachine.put #1) s))\nMain.handler = (\\e. ({8 3}Other.read e))\n";
    let throw = "(({5 9}Control.Exception.Internal.throwIO #0) #8)";
    let then = |rest: &str| format!("((IO.>> ({{2 1}}Main.put \"a\")) {rest})");
    let catch = |m: &str, handler: &str| {
        format!("((({{3 4}}Control.Exception.Internal.catch #0) {m}) {handler})")
    };
    let read = "({4 2}Other.read #5)";
    for (main, place) in [
        (throw.to_owned(), "5:9"),
        (then(throw), "5:9"),
        // Something else goes on: the action that fails is still the innermost one.
        (format!("((IO.>> {}) ({{9 1}}Main.put \"b\"))", then(throw)), "5:9"),
        (catch(read, &format!("(\\e. {throw})")), "5:9"),
        (then(&catch(read, &format!("(\\e. {})", then(throw)))), "5:9"),
        (then(&catch("(raise #1)", "({5 9}Control.Exception.Internal.throwIO #0)")), "5:9"),
        (then(&format!("((({{3 4}}Control.Exception.handle #0) (\\e. {throw})) {read})")), "5:9"),
        // What is performed last in a handler is an action of the library.
        (then(&catch("(raise #1)", "(\\e. ({6 2}Other.read e))")), "6:2"),
        // A handler with a name.
        (then(&catch("(raise #1)", "Main.handler")), "3:4"),
        // A finalizer.
        (then(&format!("(({{3 4}}Control.Exception.finally (IO.return #1)) {throw})")), "5:9"),
        (then(&format!("(({{3 4}}Control.Exception.finally (IO.return #1)) {read})")), "4:2"),
        (then(&format!("(({{3 4}}Control.Exception.finally (raise #1)) {throw})")), "5:9"),
        // What is handled fails, and nothing is handled.
        (then(&format!("(({{3 4}}Control.Exception.finally {read}) (IO.return #1))")), "4:2"),
    ] {
        assert_eq!(failing(&format!("{library}Main.main = {main}")), place, "{main}");
    }
    // The last action of a function that is no main: that of the action that it is part of.
    let work = "Main.work = (\\x. ((IO.>> ({7 1}Main.put \"a\")) ({7 9}Other.read x)))";
    let main = "((IO.>> ({3 4}Main.work #1)) ({9 1}Main.put \"b\"))";
    assert_eq!(failing(&format!("{library}{work}\nMain.main = {main}")), "3:4");
}

/// What `>>` performs second is made once, however often that is performed.
#[test]
fn what_goes_on_without_a_value_is_shared() {
    let slow = "Main.slow = (Y (\\go. (\\n. ((($if ((== n) #0)) #1) (go ((- n) #1))))))\n\
        Main.act = (\\n. (({1 1}IO.>> (IO.return #0)) ({1 9}IO.return ({1 12}Main.slow n))))\n\
        Main.times = (\\a. (\\n. ((($if ((== n) #0)) (IO.return #0)) ((IO.>>= a) (\\x. ((seq x) ((Main.times a) ((- n) #1))))))))\n";
    let work = |times: u32| {
        let main = format!("((Main.times (Main.act #10000)) #{times})");
        let mut store = compiled(&format!("{slow}Main.main = {main}")).store();
        store.run_main(None, &mut String::new(), gmachine::Format::Default).expect("it ends");
        store.statistics().reductions
    };
    assert!(work(50) < 2 * work(1), "{} of {}", work(50), work(1));
}

/// A main that performs itself at its end stays as it is, and so does a function in which something is
/// handled before its last action.
#[test]
fn a_loop_of_last_actions_does_not_grow() {
    let tick = "Main.cell = (IO.performIO ((A.alloc #1) #0))\n\
        Main.tick = ((IO.>>= ((A.read Main.cell) #0)) (\\n. ((IO.>> (((A.write Main.cell) #0) ((+ n) #1))) (IO.return ((< n) Main.most)))))\n\
        Main.ends = (\\e. ((gmachine.put #1) \"ends\"))\n";
    let handled = "(((Control.Exception.Internal.catch #0) Main.tick) (\\e. (IO.return #0)))";
    for last in [
        "Main.main = (({2 1}IO.>>= Main.tick) (\\x. ((($if x) ({3 1}Main.again #0)) ({4 1}Main.ends #0))))",
        "Main.main = ({1 1}Main.go #0)\n\
            Main.go = (\\z. (({2 1}IO.>>= HANDLED) (\\x. ((($if x) ({3 1}Main.go #0)) ({4 1}Main.ends #0)))))",
    ] {
        let peak = |most: u32| {
            let last = last.replace("HANDLED", handled);
            let text = format!("{tick}Main.again = (\\x. Main.main)\nMain.most = #{most}\n{last}");
            let mut store = compiled(&text).store();
            let mut output = String::new();
            store.run_main(None, &mut output, gmachine::Format::Default).expect("it ends");
            assert_eq!(output, "ends", "{text}");
            store.collect();
            store.statistics().peak_live_bytes
        };
        let (few, many) = (peak(1_000), peak(200_000));
        assert!(many < few + 1_000_000, "{last}: {few} and {many}");
    }
}

#[test]
fn texts_have_the_escapes_of_haskell() {
    let text = r#"Main.main = "a\n\"\\\955\&1\SOH\SO\&H\DEL""#;
    let mut store = compiled(text).store();
    let value = store.global("main").expect("it is defined");
    let codes = store.get::<Vec<u32>>(&value).expect("it is a list of words");
    assert_eq!(codes, [97, 10, 34, 92, 955, 49, 1, 14, 72, 127]);
}

#[test]
fn a_byte_string_is_packed() {
    assert_eq!(result(r#"Main.result = (bslength ^"a\200\0")"#), "3");
    assert_eq!(result(r#"Main.result = ((bsindex ^"a\200\0") #1)"#), "200");
}

#[test]
fn depth_of_a_dump_costs_no_native_stack() {
    let mut deep = String::from("Main.result = ");
    let depth = 100_000;
    (0..depth).for_each(|_| deep.push_str("((+ #1) "));
    let _ = write!(deep, "#0{}", ")".repeat(depth));
    assert_eq!(result(&deep), depth.to_string());
}

#[test]
fn what_is_no_dump_is_refused() {
    for body in ["(", "(f", "(f x", "(\\x x)", "(let x in x)", "\"abc", "\"\\q\"", "f g", ""] {
        let text = format!("{LIBRARY}Tmodule Main\nMain.main = {body}");
        let mut dump = Dump::default();
        dump.add(&text);
        assert!(translate(&dump, "Main.main", &|_| None).is_err(), "{body}");
    }
    let mut dump = Dump::default();
    dump.add(LIBRARY);
    let error = translate(&dump, "Main.main", &|_| None).expect_err("there is no main");
    assert!(error.to_string().contains("Main.main"), "{error}");
}

/// A directory of files that is in memory alone.
#[derive(Clone, Default)]
struct Files(Arc<Mutex<BTreeMap<Vec<u8>, Vec<u8>>>>);

impl System for Files {
    fn read(
        &mut self,
        path: &[u8],
        from: u64,
        most: u64,
        _: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, SystemError> {
        let files = self.0.lock().expect("no test panics with it");
        let bytes = files.get(path).ok_or(SystemError::Missing)?;
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(bytes[from..from.saturating_add(most).min(bytes.len())].to_vec())
    }

    fn kind(&mut self, path: &[u8]) -> Result<FileKind, SystemError> {
        let files = self.0.lock().expect("no test panics with it");
        Ok(if files.contains_key(path) { FileKind::File } else { FileKind::Missing })
    }

    fn write(&mut self, path: &[u8], bytes: &[u8], appends: bool) -> Result<(), SystemError> {
        let mut files = self.0.lock().expect("no test panics with it");
        let file = files.entry(path.to_vec()).or_default();
        if !appends {
            file.clear();
        }
        file.extend_from_slice(bytes);
        Ok(())
    }
}

/// What the action `Main.main` writes, in a directory with these files.
fn written(definitions: &str, files: &Files) -> String {
    let mut store = compiled(definitions).store();
    store.set_system(files.clone());
    let action = store.global("main").expect("it is defined");
    let mut output = String::new();
    store.perform(&action, None, &mut output).expect("it ends");
    output
}

/// `do` of these statements, each a variable or `_`, and an action.
fn sequence(statements: &[(&str, &str)], last: &str) -> String {
    statements.iter().rev().fold(last.to_owned(), |rest, (name, action)| match *name {
        "_" => format!("((IO.>> {action}) {rest})"),
        name => format!("((IO.>>= {action}) (\\{name}. {rest}))"),
    })
}

#[test]
fn a_thread_and_its_starter_meet_at_a_variable() {
    let other = sequence(&[("_", "((gmachine.put #1) \"other \")")], "((IO.putmvar v) \"value\")");
    let main = sequence(
        &[
            ("v", "IO.newmvar"),
            ("t", &format!("(IO.fork {other})")),
            ("s", "(IO.takemvar v)"),
            ("_", "((gmachine.put #1) s)"),
            ("state", "(IO.threadstatus t)"),
            ("again", "(IO.trytakemvar v)"),
        ],
        "((gmachine.put #1) ($cons:; state))",
    );
    let main = main.replace("($cons:; state)", "(($cons ((+ #48) state)) $nil)");
    // A thread that has ended has the state 3.
    assert_eq!(written(&format!("Main.main = {main}"), &Files::default()), "other value3");
}

#[test]
fn a_handler_is_masked_and_the_mask_is_as_before_after_it() {
    let digit = |of: &str| format!("((gmachine.put #1) (($cons ((+ #48) {of})) $nil))");
    let shown = format!("((IO.>>= IO.getmaskingstate) (\\s. {}))", digit("s"));
    let masked = format!("((IO.>> (IO.setmaskingstate #2)) ((IO.>> {shown}) (raise #7)))");
    let main =
        sequence(&[("_", &shown), ("_", &format!("((catch {masked}) (\\e. {shown}))"))], &shown);
    assert_eq!(written(&format!("Main.main = {main}"), &Files::default()), "0210");
}

#[test]
fn a_handler_is_not_interrupted_where_nothing_was_to_interrupt() {
    let digit = |of: &str| format!("((gmachine.put #1) (($cons ((+ #48) {of})) $nil))");
    let shown = format!("((IO.>>= IO.getmaskingstate) (\\s. {}))", digit("s"));
    let caught = format!("((catch (raise #7)) (\\e. {shown}))");
    let main = sequence(&[("_", "(IO.setmaskingstate #2)"), ("_", &caught)], &shown);
    assert_eq!(written(&format!("Main.main = {main}"), &Files::default()), "22");
}

#[test]
fn an_integer_in_memory_keeps_its_sign_if_its_type_has_one() {
    for (kind, wanted) in [
        ("int8", "-2"),
        ("uint8", "254"),
        ("int16", "-2"),
        ("uint16", "65534"),
        ("int32", "-2"),
        ("uint32", "4294967294"),
        ("int64", "-2"),
        // A word is one of 64 bits, whatever its sign means.
        ("uint64", "-2"),
    ] {
        let main = sequence(
            &[
                ("p", "(^malloc #16)"),
                ("_", &format!("((^poke_{kind} p) #-2)")),
                ("n", &format!("(^peek_{kind} p)")),
            ],
            &format!("((gmachine.put #1) (($cons ((+ #48) ((== n) #{wanted}))) $nil))"),
        );
        assert_eq!(written(&format!("Main.main = {main}"), &Files::default()), "1", "{kind}");
    }
}

#[test]
fn a_file_that_was_written_is_read() {
    let opened = |mode: &str| {
        let path = "(IO.performIO (^text \"notes\"))";
        let mode = format!("(IO.performIO (^text \"{mode}\"))");
        format!("((IO.>>= ((^fopen {path}) {mode})) ^add_utf8)")
    };
    // A text in memory, as C has it.
    let text = "Main.text = (\\s. ((IO.>>= (^malloc #100)) (\\p. ((IO.>> ((Main.store p) s)) (IO.return p)))))\n\
        Main.store = (\\p. (\\s. (((($case:2:2 s) #0) ($alt:0:0:Data.List_Type.[] ((^poke_uint8 p) #0))) ($alt:1:2:Data.List_Type.: (\\c. (\\r. ((IO.>> ((^poke_uint8 p) c)) ((Main.store ((+ p) #1)) r))))))))\n";
    let main = sequence(
        &[
            ("w", &opened("w")),
            ("_", "((gmachine.put w) \"a\\955\\nb\")"),
            ("_", "(^closeb w)"),
            ("r", &opened("r")),
            ("c", "(^getb r)"),
            ("_", "((^ungetb c) r)"),
            ("rest", "(gmachine.contents r)"),
        ],
        "((gmachine.put #1) rest)",
    );
    let program = format!("{text}Main.main = {main}").replace("^text", "Main.text");
    let files = Files::default();
    assert_eq!(written(&program, &files), "a\u{3bb}\nb");
    let held = files.0.lock().expect("no test panics with it").get(&b"notes"[..]).cloned();
    assert_eq!(held.expect("it was written"), "a\u{3bb}\nb".as_bytes());
}

#[test]
fn a_value_of_the_program_is_serialized_and_read_back() {
    let data = "Main.Leaf = $con:0:2:\nMain.Node = $con:1:2:LSL\n";
    let size = "Main.size = (\\t. ((($case:2:1 t) #0) ($alt:1:3:Main.Node (\\l. (\\x. (\\r. ((+ x) ((+ (Main.size l)) (Main.size r)))))))))\n";
    let tree = "(((Main.Node Main.Leaf) #40) (((Main.Node Main.Leaf) #8) Main.Leaf))";
    let moved = sequence(
        &[
            ("m", "^openb_wr_mem"),
            ("_", &format!("((IO.serialize m) {tree})")),
            ("p", "(^malloc #8)"),
            ("n", "(^malloc #8)"),
            ("_", "(((^get_mem m) p) n)"),
            ("q", "(^peekPtr p)"),
            ("k", "(^peekWord n)"),
            ("r", "((^openb_rd_mem q) k)"),
            ("t", "(IO.deserialize r)"),
        ],
        "((gmachine.put #1) (($cons (Main.size t)) $nil))",
    );
    assert_eq!(written(&format!("{data}{size}Main.main = {moved}"), &Files::default()), "0");
}

#[test]
fn an_array_may_be_shortened() {
    let main = sequence(
        &[("a", "((A.alloc #10) #7)"), ("_", "((A.trunc a) #5)"), ("n", "(A.size a)")],
        "((gmachine.put #1) (($cons ((+ #48) n)) $nil))",
    );
    assert_eq!(written(&format!("Main.main = {main}"), &Files::default()), "5");
}

/// A method of a known instance is known in a function that is given the instance.
#[test]
fn a_function_of_a_known_dictionary_has_a_definition_of_its_own() {
    let twice = "Main.twice = (\\d. (\\x. (((Num.+ d) x) x)))";
    let text = format!("{twice}\nMain.result = ((Main.twice inst$Num@Int) #21)");
    assert_eq!(result(&text), "42");
    let text = translated(&format!("{text}\nMain.main = Main.result"));
    let body = text.lines().find(|line| line.contains("Main.twice@")).expect("it is there");
    assert!(body.contains("#addi64") && !body.contains("v_Num"), "{body}");
}

/// Which parameter a known instance is for matters too: one call knows the first, another the second.
#[test]
fn the_definitions_for_instances_of_two_parameters_are_told_apart() {
    let text = "\
inst$Num@Turned = ((Num$C -) +)
Main.mixed = (\\d. (\\e. (\\x. ((* (((Num.+ d) x) #1)) (((Num.- e) x) #1)))))
Main.first = (\\d. (((Main.mixed inst$Num@Int) d) #5))
Main.second = (\\d. (((Main.mixed d) inst$Num@Int) #5))
Main.with = (\\f. (f inst$Num@Turned))
";
    let result = |name: &str| result(&format!("{text}Main.result = {name}"));
    assert_eq!(result("(Main.with Main.first)"), "36");
    assert_eq!(result("(Main.with Main.second)"), "16");
    assert_eq!(result("((+ (Main.with Main.first)) (Main.with Main.second))"), "52");
}

#[test]
fn a_definition_takes_the_parameters_that_it_passes_on() {
    let text = "Main.add = (\\x. (\\y. ((+ x) y)))\nMain.next = (Main.add #1)\n\
        Main.sum = (\\z. (Y (\\go. (\\n. ((($if ((== n) #0)) z) ((+ n) (go ((- n) #1))))))))\n\
        Main.result = ((+ (Main.next #4)) ((Main.sum #0) #4))";
    assert_eq!(result(text), "15");
    let text = translated(&format!("{text}\nMain.main = Main.result"));
    for name in ["defn v_Main-next[", "defn v_Main-sum["] {
        let line = text.lines().find(|line| line.contains(name)).expect("it is there");
        let (_, parameters) = line.split_once(name).expect("it was found");
        assert!(!parameters.starts_with(']'), "{line}");
    }
    let sum = text.lines().find(|line| line.contains("defn v_Main-sum[")).expect("it is there");
    let (_, rest) = sum.split_once('[').expect("it has parameters");
    assert_eq!(rest.split(']').next().map(|names| names.split(' ').count()), Some(2), "{sum}");
}

/// The test of the programs of MicroHs runs where MicroHs is; where it is not, nobody is to believe
/// that it has passed.
#[test]
fn the_live_test_says_that_it_is_skipped_where_there_is_no_microhs() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/microhs");
    let run = |directory: &std::path::Path| {
        let output = std::process::Command::new(script)
            .arg(directory)
            .env("GMACHINE_HASKELL", env!("CARGO_BIN_EXE_gmachine-haskell"))
            .env("XDG_CACHE_HOME", directory.join("cache"))
            .output()
            .expect("a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let directory = tempfile::tempdir().expect("a directory");
    let (status, said) = run(directory.path());
    assert!(status == Some(77) && said.starts_with("SKIPPED: there is no MicroHs in"), "{said}");
    // There it is, and `setup` was not done.
    std::fs::create_dir_all(directory.path().join("bin")).expect("a directory");
    std::fs::create_dir(directory.path().join("tests")).expect("a directory");
    let mhs = directory.path().join("bin/mhs");
    std::fs::copy(script, mhs).expect("what can be executed");
    let (status, said) = run(directory.path());
    assert!(status == Some(77) && said.starts_with("SKIPPED: "), "{said}");
}
