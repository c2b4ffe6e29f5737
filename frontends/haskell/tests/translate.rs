//! Translations of small dumps, in the grammar of `src/dump.rs`, compiled and run by gmachine.

use std::fmt::Write;

use gmachine::{Engine, Error, Eval, Module, Stop};
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
Data.Typeable.mkTyConApp = (\\x. (\\y. x))
Data.Typeable.mkTyCon = (\\x. (\\y. x))
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
