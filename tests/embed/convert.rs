//! Values of Rust to values of a store and back; looking at what is there.

use gmachine::{Engine, EntryPoints, Error, Eval, Integer, OutOfRange, Store, Value, Whnf};
use proptest::prelude::*;

use super::on_every_machine;

const PROGRAM: &str = "
(defn pair[a b] (Pair a b))
(defn triple[a] (Triple a a a))
(defn maybe[n] (if (eq n 0) Nothing (Just n)))
(defn id[x] x)
(defn loop[n] (loop (add n 1)))
";

fn store(machine: gmachine::MachineKind) -> Store {
    let mut engine = Engine::new();
    engine.set_machine(machine);
    engine.compile("convert", PROGRAM).unwrap().store()
}

#[test]
fn values_of_rust_come_back_as_they_went_in() {
    on_every_machine(|machine| {
        let mut store = store(machine);
        macro_rules! both_ways {
            ($($value:expr => $of:ty),+ $(,)?) => {$(
                let value = store.value::<$of>($value).unwrap();
                assert_eq!(store.get::<$of>(&value), Ok($value));
            )+};
        }
        both_ways! {
            i8::MIN => i8, u8::MAX => u8, i64::MIN => i64, u64::MAX => u64, i128::MIN => i128,
            u128::MAX => u128, usize::MAX => usize, true => bool, false => bool, 'λ' => char,
            "a\u{0}λ".to_owned() => String, vec![vec![1u8], vec![], vec![2, 3]] => Vec<Vec<u8>>,
            (1u8, 'x') => (u8, char), ((1u8, true), vec!['a'], 2i16) => ((u8, bool), Vec<char>, i16),
            Some(3u32) => Option<u32>, None => Option<u32>,
        }
        let big = Integer::parse("-123456789012345678901234567890123456789012345").unwrap();
        let value = store.value(big.clone()).unwrap();
        assert_eq!(store.get::<Integer>(&value), Ok(big));
        assert_eq!(store.get::<i128>(&value), Err(Error::OutOfRange));
    });
}

#[test]
fn arrays_and_byte_strings_come_back_as_they_went_in() {
    on_every_machine(|machine| {
        let mut store = store(machine);
        for len in [0, 1, 200, 100_000] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let value = store.bytes(&bytes).unwrap();
            assert_eq!(&*store.to_bytes(&value).unwrap(), bytes, "{len}");
            // New elements in what may be an old node.
            let elements: Vec<Value> = (0..len).map(|at| store.value(at).unwrap()).collect();
            let array = store.array(&elements).unwrap();
            drop(elements);
            store.collect();
            let Whnf::Array(found) = store.force(&array).unwrap() else { panic!("no array") };
            assert_eq!(found.len(), len as usize);
            for (at, element) in (0_i32..).zip(&found) {
                assert_eq!(store.get::<i32>(element), Ok(at), "{len}");
            }
        }
        let loop_ = store.global("loop").unwrap();
        let lazy = store.call(&loop_, std::slice::from_ref(&loop_)).unwrap();
        assert!(store.array(&[lazy]).is_ok(), "elements are not evaluated");
        let two = store.value(2).unwrap();
        let wrong = Error::Kind { expected: "a byte string", found: "an integer" };
        assert_eq!(store.to_bytes(&two), Err(wrong));
    });
}

#[test]
fn what_is_something_else_is_no_panic() {
    on_every_machine(|machine| {
        let mut store = store(machine);
        let (two, text) = (store.value(2).unwrap(), store.value("ab").unwrap());
        assert_eq!(
            store.get::<bool>(&two).unwrap_err().to_string(),
            "expected a truth value, 1 or 0, found another integer"
        );
        assert!(matches!(store.get::<String>(&two), Err(Error::Kind { .. })));
        assert!(matches!(
            store.get::<(u8, u8)>(&text),
            Err(Error::Kind { expected: "a pair", found: "a list" })
        ));
        assert!(matches!(store.get::<Vec<u8>>(&text), Err(Error::Kind { .. })));
        assert!(matches!(store.get::<Option<u8>>(&text), Err(Error::Kind { .. })));
        let large = store.value(300).unwrap();
        assert_eq!(store.get::<u8>(&large), Err(Error::OutOfRange));
        let negative = store.value(-1).unwrap();
        assert_eq!(store.get::<usize>(&negative), Err(Error::OutOfRange));
        // A constructor of a module that the program does not import.
        assert!(matches!(store.con("Queue", &[]), Err(Error::UnknownConstructor(_))));
    });
}

#[test]
fn looking_at_a_value_evaluates_nothing() {
    on_every_machine(|machine| {
        let mut store = store(machine);
        let (function, zero) = (store.global("loop").unwrap(), store.value(0).unwrap());
        let endless = store.call(&function, std::slice::from_ref(&zero)).unwrap();
        assert!(store.peek(&endless).unwrap().is_none());
        assert_eq!(store.peek(&function).unwrap().unwrap().kind(), "a function");
        assert_eq!(store.peek(&zero).unwrap().unwrap().kind(), "an integer");
        let id = store.global("id").unwrap();
        let later = store.call(&id, &[zero]).unwrap();
        assert!(store.peek(&later).unwrap().is_none());
        store.force(&later).unwrap();
        assert_eq!(store.peek(&later).unwrap().unwrap().kind(), "an integer");
        let mut other = Engine::new().compile("other", "").unwrap().store();
        assert!(matches!(other.peek(&later), Err(Error::ForeignValue)));
    });
}

#[test]
fn the_prelude_and_imported_modules_are_reachable_by_name() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        let text = "(import set) (defn product[xs] 7)";
        let mut store = engine.compile("own", text).unwrap().store();
        assert!(matches!(store.global("map"), Err(Error::UnknownGlobal(_))));
        engine.set_entry_points(EntryPoints::InScope);
        let mut wide = engine.compile("own", text).unwrap().store();
        for name in ["map", "foldl", "setInsert", "product"] {
            assert!(wide.global(name).is_ok(), "{name}");
        }
        // The program's own comes first.
        for store in [&mut store, &mut wide] {
            let (product, list) =
                (store.global("product").unwrap(), store.value(vec![2, 3]).unwrap());
            let value = store.call(&product, &[list]).unwrap();
            assert_eq!(store.get(&value), Ok(7));
        }
        let (sum, list) = (wide.global("sum").unwrap(), wide.value(vec![2, 3]).unwrap());
        let value: Value = wide.call(&sum, &[list]).unwrap();
        assert_eq!(wide.get(&value), Ok(5));
        engine.set_entry_points(EntryPoints::Main);
        let error = engine.compile("own", text).unwrap_err();
        assert_eq!(error.diagnostics[0].code.id(), "G0308");
    });
}

#[test]
fn debug_text_is_short() {
    let error = Engine::new().compile("bad", "(defn f[x] (g x))").unwrap_err();
    let text = format!("{error:?}");
    assert!(text.starts_with("CompileError\nbad:1:13: error[G0301]: "), "{text}");
    assert!(text.len() < 300, "{text}");
    assert!(format!("{:?}", error.sources).len() < 200);
    let mut store = store(gmachine::MachineKind::default());
    let value = store.value("a long text").unwrap();
    assert!(format!("{value:?}").len() < 40);
    let whnf = store.force(&value).unwrap();
    assert!(format!("{whnf:?}").len() < 200);
}

proptest! {
    #[test]
    fn integers_convert_like_their_digits(digits in "-?[0-9]{1,45}") {
        let integer = Integer::parse(&digits).unwrap();
        prop_assert_eq!(i128::try_from(&integer).ok(), digits.parse::<i128>().ok());
        prop_assert_eq!(u64::try_from(&integer).ok(), digits.parse::<i128>().ok().and_then(|n| n.try_into().ok()));
        prop_assert_eq!(i8::try_from(&integer), digits.parse::<i128>().ok().and_then(|n| n.try_into().ok()).ok_or(OutOfRange));
        if let Ok(n) = digits.parse::<i128>() {
            prop_assert_eq!(Integer::from(n), integer);
        }
    }
}

#[test]
fn floats_go_in_and_out_and_are_no_integers() {
    on_every_machine(|machine| {
        let mut store = store(machine);
        for float in [0.0, -0.0, 1.5, 1e300, 5e-324, f64::INFINITY, f64::NEG_INFINITY] {
            let value = store.value(float).unwrap();
            assert_eq!(store.get::<f64>(&value).unwrap().to_bits(), float.to_bits());
            let Ok(Whnf::Float(found)) = store.force(&value) else { panic!("{float} is no float") };
            assert_eq!(found.to_bits(), float.to_bits());
            let id = store.global("id").unwrap();
            let same = store.call(&id, &[value]).unwrap();
            assert_eq!(store.get::<f64>(&same).unwrap().to_bits(), float.to_bits());
        }
        // There is one NaN.
        let nan = store.value(-f64::NAN).unwrap();
        assert_eq!(store.get::<f64>(&nan).unwrap().to_bits(), 0x7ff8 << 48);
        let (one, float) = (store.value(1).unwrap(), store.value(1.0).unwrap());
        let wrong = store.get::<f64>(&one).unwrap_err().to_string();
        assert_eq!(wrong, "expected a float, found an integer");
        assert!(matches!(store.get::<i64>(&float), Err(Error::Kind { found: "a float", .. })));
    });
}

/// Programs of before had host functions of these names.
#[test]
fn a_host_function_may_have_the_name_of_a_primitive_on_numbers() {
    on_every_machine(|machine| {
        let mut engine = Engine::new();
        engine.set_machine(machine);
        let half = |call: &mut gmachine::Call<'_>| {
            let arg = call.arg(0)?;
            let value: f64 = call.get(&arg)?;
            Ok(call.value(value / 2.0)?)
        };
        engine.register("fsqrt", 1, half).unwrap();
        assert!(engine.register("add", 2, half).is_err());
        let mut store = engine.compile("host", "(defn main[x] (fsqrt x))").unwrap().store();
        let (main, nine) = (store.global("main").unwrap(), store.value(9.0).unwrap());
        let result = store.call(&main, &[nine]).unwrap();
        assert_eq!(store.get::<f64>(&result), Ok(4.5));
    });
}
