//! Definitions that are added to a living store.

use gmachine::diagnostic::Code;
use gmachine::{
    Engine, EntryPoints, Error, Eval, HostError, Limit, Limits, MachineKind, Passes, Stop,
};
use gmachine::{Store, Value};

/// An engine for each machine at each level.
fn engines() -> impl Iterator<Item = Engine> {
    MachineKind::ALL.iter().flat_map(|&machine| {
        [0, 1, 2].map(|level| {
            let mut engine = Engine::new();
            engine.set_machine(machine);
            engine.set_passes(Passes::level(level));
            engine
        })
    })
}

/// The integer that an expression is in a store.
fn int(store: &mut Store, expression: &str) -> i64 {
    let value = store.eval(expression).expect("it compiles");
    store.get(&value).expect("an integer")
}

fn code_of(error: &Error) -> Code {
    match error {
        Error::Compile(error) => error.diagnostics[0].code,
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_added_sees_all_that_was_there() {
    for engine in engines() {
        let text = "(import map) (data Shape (Square side) (Circle radius))
                    (defn area[s] (case s [(Square a) (mul a a)] [(Circle r) (mul 3 (mul r r))]))
                    (defn unit[] (Square 1))";
        let mut store = engine.compile("shapes", text).expect("compiles").store();
        assert_eq!(int(&mut store, "(area (Square 4))"), 16);
        store.define("1", "(defn areas[] (map area [unit (Circle 2)]))").expect("compiles");
        assert_eq!(int(&mut store, "(sum areas)"), 13);
        // Data types, patterns, and the modules that were imported.
        store
            .define("2", "(data Pt (Pt x y)) (defn flip[p] (case p [(Pt x y) (Pt y x)]))")
            .unwrap();
        assert_eq!(int(&mut store, "(case (flip (Pt 1 2)) [(Pt x y) (sub x y)])"), 1);
        assert_eq!(int(&mut store, "(case unit [(Square a) a] [_ 0])"), 1);
        store.define("3", "(import set) (defn m[] (mapFromList [(Pair 1 41)]))").expect("compiles");
        let looked = "(case (mapLookup 1 m) [(Just n) (add n (setSize (setFromList [7 7])))])";
        assert_eq!(int(&mut store, looked), 42);
        // A partial application of an earlier function, and one of an earlier constructor.
        assert_eq!(int(&mut store, "(sum (map (fn [f] (area (f 2))) [Square Circle]))"), 16);
    }
}

#[test]
fn values_and_what_was_evaluated_stay() {
    for mut engine in engines() {
        let calls = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counter = calls.clone();
        let count = move |call: &mut gmachine::Call<'_>| -> Result<Value, HostError> {
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            call.arg(0)
        };
        engine.register("counted", 1, count).expect("a name");
        let text = "(defn table[] (map counted [1 2 3]))";
        let mut store = engine.compile("table", text).expect("compiles").store();
        let table = store.global("table").expect("there");
        assert_eq!(store.get::<Vec<i32>>(&table), Ok(vec![1, 2, 3]));
        for n in 0..20 {
            store.define("more", &format!("(defn f{n}[x] (add x (sum table)))")).expect("compiles");
            assert_eq!(int(&mut store, &format!("(f{n} {n})")), 6 + n);
            store.collect();
        }
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 3);
        assert_eq!(store.get::<Vec<i32>>(&table), Ok(vec![1, 2, 3]));
        // A constant that nothing refers to is computed anew.
        drop(table);
        store.collect();
        assert_eq!(int(&mut store, "(f3 0)"), 6);
    }
}

#[test]
fn a_definition_hides_an_earlier_one_for_what_comes_later() {
    for engine in engines() {
        let text = "(data Old (A) (B)) (defn f[x] (add x 1)) (defn g[x] (f (f x)))
                    (defn old[x] (case x [A 1] [B 2]))";
        let mut store = engine.compile("first", text).expect("compiles").store();
        let earlier = store.global("f").expect("there");
        for n in 2..6 {
            store.define("again", &format!("(defn f[x] (mul {n} x))")).expect("compiles");
            assert_eq!(int(&mut store, "(f 10)"), 10 * n);
        }
        assert_eq!(int(&mut store, "(g 0)"), 2);
        let (ten, later) = (store.value(10).expect("room"), store.global("f").expect("there"));
        let (earlier, later) =
            (store.call(&earlier, std::slice::from_ref(&ten)), store.call(&later, &[ten]));
        let both = [earlier, later].map(|value| store.get::<i32>(&value.expect("room")));
        assert_eq!(both, [Ok(11), Ok(50)]);
        // A data type: its constructors are others than those of before.
        store
            .define("types", "(data New (A a)) (defn new[x] (case x [(A a) a]))")
            .expect("compiles");
        assert_eq!(int(&mut store, "(new (A 5))"), 5);
        assert_eq!(int(&mut store, "(old B)"), 2);
        let seven = store.value(7).expect("room");
        let made = store.con("A", &[seven]).expect("the later one");
        let new = store.global("new").expect("there");
        let value = store.call(&new, &[made]).expect("room");
        assert_eq!(store.get::<i32>(&value), Ok(7));
        let wrong = store.eval("(old (A 1))").expect("compiles");
        assert!(matches!(store.force(&wrong), Err(Error::Stop(Stop::Error(_)))));
        // A function in place of a constructor; a name of the prelude, and of a primitive.
        store.define("B", "(defn B[x] x) (defn sum[x] 1) (defn add[x y] 2)").expect("compiles");
        assert_eq!(int(&mut store, "(add (B 3) (sum (product [4])))"), 2);
        // What was compiled before keeps what it has.
        assert_eq!(int(&mut store, "(g 0)"), 2);
    }
}

#[test]
fn a_mistake_leaves_the_store_as_it_was() {
    for engine in engines() {
        let mut store = engine.compile("f", "(defn f[x] (add x 1))").expect("compiles").store();
        for (text, code) in [
            ("(defn f[x] (g x))", Code::UnboundName),
            ("(defn f[x] x) (defn f[x] 2)", Code::DuplicateDefinition),
            ("(data Nil (A)) (defn f[x] 2)", Code::ReservedName),
            ("(import nothing) (defn f[x] 2)", Code::UnknownModule),
            ("(defn f[x] (add x 2)", Code::UnclosedBracket),
        ] {
            let error = store.define("bad", text).expect_err("a mistake");
            assert_eq!(error.diagnostics[0].code, code, "{error}");
            assert!(error.to_string().starts_with("bad:1:"), "{error}");
            assert_eq!(int(&mut store, "(f 1)"), 2);
        }
        assert_eq!(code_of(&store.eval("(f unknown)").expect_err("unbound")), Code::UnboundName);
        // What is probably meant may have been added.
        store.define("more", "(defn perimeter[x] (f x))").expect("compiles");
        let error = store.eval("(perimetre 1)").expect_err("unbound").to_string();
        assert!(error.contains("is not bound"), "{error}");
        let Err(Error::Compile(error)) = store.eval("(perimetre 1)") else {
            panic!("it is unbound")
        };
        assert_eq!(error.diagnostics[0].help.as_deref(), Some("did you mean `perimeter`?"));
        assert_eq!(int(&mut store, "(perimeter 1)"), 2);
    }
}

#[test]
fn what_was_stopped_goes_on_after_an_addition() {
    for mut engine in engines() {
        engine.set_limits(Limits { fuel: Some(2_000), ..Limits::default() });
        let text = "(defn count[n acc] (if (eq n 0) acc (count (sub n 1) (add acc 1))))
                    (defn slow[] (count 30000 0))";
        let mut store = engine.compile("slow", text).expect("compiles").store();
        let slow = store.global("slow").expect("there");
        let mut stops = 0;
        let value = loop {
            match store.get::<i64>(&slow) {
                Ok(value) => break value,
                Err(Error::Stop(Stop::Limit(reached))) => {
                    assert!(matches!(reached.limit, Limit::Fuel(_)));
                }
                Err(other) => panic!("{other}"),
            }
            stops += 1;
            store.define("more", &format!("(defn d{stops}[] (add 1 slow))")).expect("compiles");
            store.collect();
            store.set_fuel(Some(2_000));
            assert!(stops < 1_000, "it gets on");
        };
        assert!(stops > 1);
        assert_eq!(value, 30_000);
        store.set_fuel(None);
        assert_eq!(int(&mut store, &format!("(add d1 d{stops})")), 60_002);
    }
}

#[test]
fn run_time_reports_point_into_what_was_added() {
    for engine in engines() {
        let mut store =
            engine.compile("base", "(defn half[x] (div 1 x))").expect("compiles").store();
        store
            .define("added", "\n (defn bad[] (add 1 (half 0)))\n (defn worse[] (error \"no\"))")
            .unwrap();
        for (name, place) in [("bad", "base:1:"), ("worse", "added:3:")] {
            let value = store.global(name).expect("there");
            let error = store.force(&value).expect_err("fails").to_string();
            assert!(error.starts_with(place), "{error}");
        }
        let value = store.eval("(div 5 0)").expect("compiles");
        let error = store.force(&value).expect_err("fails").to_string();
        assert!(error.starts_with("<expression>:1:1: "), "{error}");
    }
}

#[test]
fn host_functions_can_be_called_by_what_is_added() {
    for mut engine in engines() {
        for (name, by) in [("twice", 2), ("thrice", 3)] {
            let times = move |call: &mut gmachine::Call<'_>| {
                let n = call.arg(0)?;
                let n: i64 = call.get(&n)?;
                Ok(call.value(n * by)?)
            };
            engine.register(name, 1, times).expect("a name");
        }
        let mut store = engine.compile("host", "(defn a[x] (twice x))").expect("compiles").store();
        store.define("1", "(defn b[x] (thrice (a x)))").expect("compiles");
        assert_eq!(int(&mut store, "(b (twice 7))"), 84);
        store.define("2", "(defn twice[x] 0)").expect("compiles");
        assert_eq!(int(&mut store, "(add (twice 7) (b 1))"), 6);
    }
}

/// An input that is a text.
struct Chars(std::str::Chars<'static>);

impl gmachine::Input for Chars {
    fn next(&mut self) -> Result<Option<char>, gmachine::InputError> {
        Ok(self.0.next())
    }
}

#[test]
fn main_is_the_latest_one() {
    for engine in engines() {
        let mut store = engine.compile("main", "(defn main[] 1)").expect("compiles").store();
        let run = |store: &mut Store, input: Option<&'static str>| {
            let mut out = String::new();
            let input =
                input.map(|text| -> Box<dyn gmachine::Input> { Box::new(Chars(text.chars())) });
            store.run_main(input, &mut out, gmachine::Format::Default).expect("a value");
            out
        };
        assert_eq!(run(&mut store, None), "1\n");
        assert_eq!(int(&mut store, "(add main 1)"), 2);
        store.define("main", "(defn main[input] (reverse input))").expect("compiles");
        assert_eq!(run(&mut store, Some("abc")), "cba\n");
        assert_eq!(int(&mut store, "(length (main \"four\"))"), 4);
        // One that cannot be run is a function like any other.
        store.define("main", "(defn main[x y] x)").expect("compiles");
        assert_eq!(int(&mut store, "(main 1 2)"), 1);
        let mut store = engine.compile("main", "(defn main[x y] x)").expect("compiles").store();
        assert!(store.run_main(None, &mut String::new(), gmachine::Format::Default).is_err());
    }
}

#[test]
fn other_stores_of_the_module_do_not_see_an_addition() {
    for engine in engines() {
        let module = engine.compile("one", "(defn one[] 1)").expect("compiles");
        let (mut first, mut second) = (module.store(), module.store());
        first.define("two", "(defn two[] (add one one))").expect("compiles");
        second.define("two", "(defn two[] (mul one 7))").expect("compiles");
        assert_eq!((int(&mut first, "two"), int(&mut second, "two")), (2, 7));
        assert!(module.store().global("two").is_err());
        let foreign = second.global("two").expect("there");
        assert_eq!(first.force(&foreign).err(), Some(Error::ForeignValue));
    }
}

#[test]
fn a_module_of_g_code_takes_definitions_too() {
    let listing = "
data List = Nil/0 Cons/2
data Box = Box/1

supercombinator inner/1 [b]
  0 Push 0
  1 Eval
  2 CaseJump Box:3
  3 Split 1
  4 Eval
  5 Update 1
  6 Pop 1
  7 Unwind
";
    for engine in engines() {
        let program = gmachine::gcode::parse::parse(listing).expect("a listing");
        let module = gmachine::Module::from_gcode(&engine, program).expect("valid");
        let mut store = module.store();
        assert_eq!(int(&mut store, "(inner (Box 5))"), 5);
        // What one expression makes of the prelude's types, another one takes apart.
        let pair = store.eval("(Pair 1 (Just 2))").expect("compiles");
        store
            .define("1", "(defn second[p] (case p [(Pair _ (Just x)) x] [_ 0]))")
            .expect("compiles");
        let second = store.global("second").expect("there");
        let value = store.call(&second, &[pair]).expect("room");
        assert_eq!(store.get::<i32>(&value), Ok(2));
    }
}

#[test]
fn what_the_roots_leave_out_cannot_be_named() {
    for mut engine in engines() {
        engine.set_entry_points(EntryPoints::Main);
        let text =
            "(data T (T x)) (defn hidden[x] (T x)) (defn main[] (case (hidden 1) [(T x) x]))";
        let mut store = engine.compile("main", text).expect("compiles").store();
        assert_eq!(int(&mut store, "(case (T main) [(T x) (add x 1)])"), 2);
        assert_eq!(code_of(&store.eval("(hidden 2)").expect_err("left out")), Code::UnboundName);
        store.define("again", "(defn hidden[x] (add x 1))").expect("compiles");
        assert_eq!(int(&mut store, "(hidden 2)"), 3);
        engine.set_entry_points(EntryPoints::InScope);
        let mut store = engine.compile("nothing", "").expect("compiles").store();
        store.define("reverse", "(defn reverse[xs] 5)").expect("compiles");
        let reverse = store.global("reverse").expect("there");
        let value = store.call(&reverse, std::slice::from_ref(&reverse)).expect("room");
        assert_eq!(store.get::<i32>(&value), Ok(5));
        assert!(store.global("foldl").is_ok());
    }
}
