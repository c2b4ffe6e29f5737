//! Values of the embedding program in the hands of a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gmachine::{
    Engine, Error, Eval, Format, HostType, HostValue, MachineKind, Module, Passes, Stop, Store,
    Value, Whnf,
};

/// A text, and how many of its kind there are.
struct Note(String, Arc<AtomicUsize>);

impl Note {
    fn new(text: &str, alive: &Arc<AtomicUsize>) -> HostValue<Note> {
        alive.fetch_add(1, Ordering::Relaxed);
        HostValue::new(Note(text.to_owned(), alive.clone()))
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::Relaxed);
    }
}

impl HostType for Note {
    const NAME: &'static str = "Note";
}

struct Other;

impl HostType for Other {
    const NAME: &'static str = "Other";
}

const PROGRAM: &str = "(import map)
    (defn join[a b] (note-join a b))
    (defn all[notes] (foldl join (note-of \"\") notes))
    (defn keep[n note] (if (eq n 0) note (keep (sub n 1) note)))
    (defn churn[n] (sum (map (fn [k] (note-size (note-of (take (mod k 5) \"abcde\")))) (range 1 n))))
    (defn wrong[note] (add 1 note))
    (defn apply[note] (note 1))
    (defn case[note] (case note [(Cons x xs) x] [Nil 0]))";

/// Runs a check with modules for each machine at the lowest and the highest level.
fn on_all(check: impl Fn(&Module, &Arc<AtomicUsize>)) {
    for &machine in MachineKind::ALL {
        for level in [0, 2] {
            let alive = Arc::new(AtomicUsize::new(0));
            let mut engine = Engine::new();
            engine.set_machine(machine);
            engine.set_passes(Passes::level(level));
            let counter = alive.clone();
            let of = move |call: &mut gmachine::Call<'_>| {
                let text = call.arg(0)?;
                let text: String = call.get(&text)?;
                Ok(call.value(Note::new(&text, &counter))?)
            };
            engine.register("note-of", 1, of).unwrap();
            let counter = alive.clone();
            let join = move |call: &mut gmachine::Call<'_>| {
                let (a, b) = (call.arg(0)?, call.arg(1)?);
                let a: HostValue<Note> = call.get(&a)?;
                let b: HostValue<Note> = call.get(&b)?;
                Ok(call.value(Note::new(&format!("{}{}", a.0.0, b.0.0), &counter))?)
            };
            engine.register("note-join", 2, join).unwrap();
            let size = |call: &mut gmachine::Call<'_>| {
                let note = call.arg(0)?;
                let note: HostValue<Note> = call.get(&note)?;
                Ok(call.value(note.0.0.len() as u64)?)
            };
            engine.register("note-size", 1, size).unwrap();
            check(
                &engine.compile("notes", &PROGRAM.replace("case[", "take-apart[")).unwrap(),
                &alive,
            );
        }
    }
}

fn call(store: &mut Store, name: &str, args: &[Value]) -> Value {
    let function = store.global(name).unwrap();
    store.call(&function, args).unwrap()
}

#[test]
fn a_host_value_goes_through_a_program_and_comes_back() {
    on_all(|module, alive| {
        let mut store = module.store();
        let notes: Vec<_> = ["one ", "two ", "three"].map(|text| Note::new(text, alive)).into();
        let notes = store.value(notes).unwrap();
        let all = call(&mut store, "all", &[notes]);
        let HostValue(all) = store.get::<HostValue<Note>>(&all).unwrap();
        assert_eq!(all.0, "one two three");
        // The same value, not a copy.
        let (many, value) =
            (store.value(1000).unwrap(), store.value(HostValue(all.clone())).unwrap());
        let kept = call(&mut store, "keep", &[many, value]);
        assert!(Arc::ptr_eq(&store.get::<HostValue<Note>>(&kept).unwrap().0, &all));
        let Ok(Whnf::Host { name, .. }) = store.force(&kept) else { panic!("it is a host value") };
        assert_eq!(name, "Note");
    });
}

#[test]
fn a_value_of_another_type_is_an_error() {
    on_all(|module, alive| {
        let mut store = module.store();
        let other = store.value(HostValue::new(Other)).unwrap();
        let error = store.get::<HostValue<Note>>(&other).unwrap_err();
        assert_eq!(error, Error::Kind { expected: "Note", found: "Other" });
        let number = store.value(5).unwrap();
        let error = store.get::<HostValue<Note>>(&number).unwrap_err();
        assert_eq!(error, Error::Kind { expected: "Note", found: "an integer" });
        assert!(matches!(store.get::<i64>(&other), Err(Error::Kind { found: "Other", .. })));
        // Inside a host function it is an error of the program.
        let note = store.value(Note::new("a", alive)).unwrap();
        let joined = call(&mut store, "join", &[note.clone(), other]);
        let error = store.force(&joined).unwrap_err();
        assert!(error.to_string().contains("expected Note, found Other"), "{error}");
        for (name, what) in [
            ("wrong", "`add` needs an integer, and its second operand is the host value `Note`"),
            ("apply", "the host value `Note` is applied to an argument, and is no function"),
            ("take-apart", "was given the host value `Note`"),
        ] {
            let value = call(&mut store, name, std::slice::from_ref(&note));
            let error = store.force(&value).unwrap_err();
            assert!(matches!(error, Error::Stop(Stop::Error(_))));
            assert!(error.to_string().contains(what), "{error}");
        }
    });
}

#[test]
fn a_host_value_is_dropped_when_nothing_reaches_it() {
    on_all(|module, alive| {
        let count = || alive.load(Ordering::Relaxed);
        let mut store = module.store();
        let pair = (Note::new("a", alive), Note::new("b", alive));
        let pair = store.value(pair).unwrap();
        for _ in 0..3 {
            store.collect();
            assert_eq!(count(), 2);
        }
        let Whnf::Con { fields, .. } = store.force(&pair).unwrap() else { panic!("a pair") };
        drop(pair);
        let kept = fields[0].clone();
        drop(fields);
        store.collect();
        assert_eq!(count(), 1);
        assert_eq!(store.get::<HostValue<Note>>(&kept).unwrap().0.0, "a");
        // Those that a program makes and forgets.
        let many = store.value(3000).unwrap();
        let churned = call(&mut store, "churn", &[many]);
        assert_eq!(store.get::<i64>(&churned), Ok(6000));
        drop(churned);
        store.collect();
        assert_eq!(count(), 1);
        // Numbers are used again, and the values stay apart.
        let more: Vec<Value> =
            (0..100).map(|n| store.value(Note::new(&n.to_string(), alive)).unwrap()).collect();
        store.collect();
        for (n, value) in more.iter().enumerate() {
            assert_eq!(store.get::<HostValue<Note>>(value).unwrap().0.0, n.to_string());
        }
        drop(store);
        assert_eq!(count(), 0);
    });
}

#[test]
fn a_panic_in_a_drop_harms_nothing() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    impl HostType for Bomb {
        const NAME: &'static str = "Bomb";
    }
    on_all(|module, alive| {
        let mut store = module.store();
        drop(store.value(HostValue::new(Bomb)).unwrap());
        drop(store.value(Note::new("a", alive)).unwrap());
        store.collect();
        store.collect();
        assert_eq!(alive.load(Ordering::Relaxed), 0);
        let note = store.value(Note::new("b", alive)).unwrap();
        assert_eq!(store.get::<HostValue<Note>>(&note).unwrap().0.0, "b");
        // Those that a store has at its end, too.
        let kept = [(); 3].map(|()| store.value(HostValue::new(Bomb)).unwrap());
        drop((store, kept));
    });
}

#[test]
fn how_a_host_value_prints() {
    on_all(|module, alive| {
        let mut store = module.store();
        let list = vec![Note::new("a", alive), Note::new("b", alive)];
        let list = store.value(list).unwrap();
        let mut print = |format| {
            let mut out = String::new();
            store.print(&list, format, &mut out).map(|()| out)
        };
        assert_eq!(print(Format::Default).unwrap(), "<host Note> <host Note> Nil\n");
        assert_eq!(print(Format::Json).unwrap(), "[{\"host\":\"Note\"},{\"host\":\"Note\"}]\n");
        let error = print(Format::Sexpr).unwrap_err().to_string();
        assert!(error.contains("no expression is the host value `Note`"), "{error}");
    });
}
