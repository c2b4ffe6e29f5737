//! A program of supercombinators, printed as CoreF, means the same when it is read back.

use std::path::Path;

use gmachine::core::residual::residual;
use gmachine::driver::{Options, Stage, build};
use gmachine::gcode::Verified;
use gmachine::load::Source;
use gmachine::machine::outcome::{Limit, Stop};
use gmachine::machine::print::Format;
use gmachine::machine::reference::{Config, Machine};
use gmachine::optimise::{self, Pass, Passes};
use gmachine_testing::common::NoFiles;
use gmachine_testing::{common, dice, sexpr, typed};

const INPUT: &str = "input\n of two lines";

/// Instructions.
const FUEL: u64 = 1_000_000;

fn options(until: Stage, passes: Passes) -> Options<'static> {
    let optimise = optimise::Options { passes, verbose: false };
    Options { until, optimise, ..Options::RUN }
}

/// A program as CoreF, after these passes.
fn printed(text: &str, passes: Passes) -> String {
    let root = Source::text("program.core", text);
    let passes = passes.without(Pass::Perform);
    let built = build(&root, &NoFiles, &options(Stage::Optimised, passes));
    let core = built.core.unwrap_or_else(|| panic!("{text}: {:?}", built.diagnostics));
    residual(&core, &built.loaded.names, &built.loaded.sources)
}

fn compiled(text: &str) -> Verified {
    let root = Source::text("program.core", text);
    let built = build(&root, &NoFiles, &Options::RUN);
    let errors: Vec<_> = built.diagnostics.iter().filter(|report| report.is_error()).collect();
    built.gcode.unwrap_or_else(|| panic!("{errors:?}\n{text}"))
}

/// What a program prints, without the names of functions, and how it ends.
fn meaning(text: &str, input: &str, fuel: u64) -> (String, &'static str) {
    let config = Config { fuel: Some(fuel), ..Config::default() };
    let mut machine = Machine::new(compiled(text), config);
    let mut out = String::new();
    let input = Box::new(common::Text::new(input));
    let end = machine.start(Format::Default, Some(input)).and_then(|()| machine.run(&mut out));
    let end = match end {
        Ok(()) | Err(Stop::Exit(_)) => "value",
        Err(Stop::Error(_)) => "error",
        Err(Stop::Limit(reached)) if matches!(reached.limit, Limit::Fuel(_)) => "fuel",
        Err(other) => panic!("{other}"),
    };
    (without_names(&out), end)
}

/// A function without a name gets one when it is written out.
fn without_names(text: &str) -> String {
    let mut pieces = text.split("<function");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str("<function");
        out.push_str(piece.find('>').map_or(piece, |end| &piece[end..]));
    }
    out
}

/// Checks that a program and what is printed of it mean the same.
fn check(text: &str, input: &str, passes: Passes, fuel: u64) {
    let again = printed(text, passes);
    let ends = same(text, &again, input, fuel);
    // What is printed of that is as good.
    if ends && text.len() < 20_000 {
        same(&again, &printed(&again, Passes::NONE), input, 2 * fuel);
    }
}

/// Checks that two programs mean the same, as far as they get; whether both come to an end.
fn same(text: &str, again: &str, input: &str, fuel: u64) -> bool {
    let wanted = meaning(text, input, fuel);
    let found = meaning(again, input, 2 * fuel);
    if wanted.1 == "fuel" || found.1 == "fuel" {
        let shorter = wanted.0.len().min(found.0.len()).saturating_sub(1);
        assert_eq!(wanted.0[..shorter], found.0[..shorter], "{text}\n\n{again}");
        assert!(wanted.1 != "value" || found.1 == "value", "{text}\n\n{again}");
        return false;
    }
    assert_eq!(wanted, found, "{text}\n\n{again}");
    true
}

/// Checks random programs: as many as `GMACHINE_CASES` says, from number `GMACHINE_SEED` on.
fn random(passes: impl Fn(u64) -> Passes) {
    let (first, count) = (dice::number("GMACHINE_SEED", 0), dice::number("GMACHINE_CASES", 150));
    for seed in first..first + count {
        check(&typed::program(seed), INPUT, passes(seed), FUEL);
    }
}

#[test]
fn random_programs_read_back() {
    random(|_| Passes::NONE);
}

#[test]
fn random_programs_read_back_after_the_passes() {
    // All of them, or some.
    random(|seed| match seed % 2 {
        0 => Passes::ALL,
        _ => {
            let some = |&(at, _): &(usize, &Pass)| (seed / 2) >> at & 1 == 1;
            let chosen = Pass::ALL.iter().enumerate().filter(some);
            chosen.fold(Passes::NONE, |passes, (_, &pass)| passes.with(pass))
        }
    });
}

#[test]
fn examples_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "core") {
            let text = std::fs::read_to_string(&path).expect("the example");
            for passes in [Passes::NONE, Passes::ALL] {
                check(&text, "some words\nin two lines\n", passes, 2_000_000);
            }
            count += 1;
        }
    }
    assert!(count >= 15, "{count} examples");
}

/// What is printed of an expression in the scope of some definitions, whose free names are
/// its parameters; and the entry.
fn opened(text: &str, expression: &str, passes: Passes) -> (String, String) {
    let (text, entry, _) = opened_with(text, expression, passes);
    (text, entry)
}

/// As [`opened`], with the parameters.
fn opened_with(text: &str, expression: &str, passes: Passes) -> (String, String, Vec<String>) {
    let root = Source::text("program.core", text).with_expression(expression);
    let options = Options { open: true, ..options(Stage::Optimised, passes) };
    let built = build(&root, &NoFiles, &options);
    let core = built.core.unwrap_or_else(|| panic!("{expression}: {:?}", built.diagnostics));
    let (entry, params) = built.entry.expect("an expression");
    (residual(&core, &built.loaded.names, &built.loaded.sources), entry, params)
}

/// Takes every other integer out of an expression: a name in its place, which is added to
/// `taken` with it. What a case compares with stays.
fn take_integers(form: &mut sexpr::Form, seen: &mut usize, taken: &mut Vec<(String, String)>) {
    match form {
        sexpr::Form::Atom(atom) => {
            if atom.parse::<i64>().is_ok() {
                *seen += 1;
                if *seen % 2 == 1 {
                    let name = format!("unknown{}", taken.len());
                    let integer = std::mem::replace(atom, name.clone());
                    taken.push((name, integer));
                }
            }
        }
        sexpr::Form::List(_, forms) => {
            let is_case = forms.first() == Some(&sexpr::Form::Atom("case".into()));
            for (at, form) in forms.iter_mut().enumerate() {
                match form {
                    sexpr::Form::List(_, alternative) if is_case && at > 1 => {
                        alternative.iter_mut().skip(1).for_each(|f| take_integers(f, seen, taken));
                    }
                    _ => take_integers(form, seen, taken),
                }
            }
        }
    }
}

/// What is left when some integers of `main` are not known does the same with them as `main`.
#[test]
fn random_programs_can_be_told_the_rest_later() {
    let (first, count) = (dice::number("GMACHINE_SEED", 0), dice::number("GMACHINE_CASES", 150));
    let mut parameters = 0;
    for seed in first..first + count {
        let text = typed::program(seed);
        let mut forms = sexpr::read(&text);
        let is_main = |form: &sexpr::Form| {
            let main = [sexpr::Form::Atom("defn".into()), sexpr::Form::Atom("main".into())];
            matches!(form, sexpr::Form::List(_, item) if item.starts_with(&main))
        };
        let at = forms.iter().position(is_main).expect("main");
        let sexpr::Form::List(_, mut main) = forms.remove(at) else { panic!("main is an item") };
        let mut body = main.pop().expect("a body");
        let mut taken = Vec::new();
        take_integers(&mut body, &mut 0, &mut taken);
        if main.last() == Some(&sexpr::Form::List('[', vec![sexpr::Form::Atom("input".into())])) {
            taken.push(("input".into(), format!("{INPUT:?}")));
        }
        let (definitions, expression) = (sexpr::write(&forms), sexpr::write(&[body]));
        let passes = if seed % 4 == 0 { Passes::NONE } else { Passes::ALL };
        let (again, entry, params) = opened_with(&definitions, &expression, passes);
        let value = |param: &String| taken.iter().find(|(name, _)| name == param).expect("taken");
        let args: Vec<&str> = params.iter().map(|param| value(param).1.as_str()).collect();
        parameters += args.len();
        let whole = match args.as_slice() {
            [] => again,
            args => format!("{again}\n(defn main[] ({entry} {}))", args.join(" ")),
        };
        same(&text, &whole, INPUT, FUEL);
    }
    assert!(parameters > count as usize, "{parameters} parameters");
}

#[test]
fn free_names_are_parameters_in_their_order() {
    let shown = |text, expression| opened(text, expression, Passes::NONE).0;
    let power = "(defn power[x n] (if (eq n 0) 1 (mul x (power x (sub n 1)))))";
    insta::assert_snapshot!(shown(power, "(sub (power b 5) (power a b))"), @r"
    (defn residual[b a] (sub (power b 5) (power a b)))

    (defn power[x n] (if (eq n 0) 1 (mul x (power x (sub n 1)))))
    ");
    // Bound in their own scope only; a constructor in a pattern binds nothing.
    insta::assert_snapshot!(
        shown("(data T (A) (B x) (C))",
            "(let ([x y] [y x]) (case y [A x] [(B z) (z w)] [v (fn [w] [v w z])]))"),
        @r"
    (data T (A) (B _) (C))

    (defn residual[y w z] (case y [(A) y] [(B z'1) (z'1 w)] [_ (residual-1 z y)]))

    (defn residual-1[z y w] [y w z])
    "
    );
    // Without any it is a program.
    insta::assert_snapshot!(shown(power, "(power 2 5)"), @r"
    (defn main[] (power 2 5))

    (defn power[x n] (if (eq n 0) 1 (mul x (power x (sub n 1)))))
    ");
    // The program's own definition of that name stays.
    let (text, entry) = opened("(defn residual[x] x)", "(residual y)", Passes::NONE);
    assert_eq!(entry, "residual'");
    insta::assert_snapshot!(text, @r"
    (defn residual'[y] (residual y))

    (defn residual[x] x)
    ");
}

#[test]
fn names_of_the_corelib_are_kept_where_they_mean_it() {
    let text = "(import map) (import set)
        (defn take[n l] (drop n l))
        (defn add[x y] (mul x y))
        (defn f[sum xs] (case xs [(Cons x _) (sum (add x 1))] [y (length y)]))
        (defn main[] [(f (fn [x] (sub x 1)) [1 2]) (length (take 1 [1 2]))
                      (length (mapToList (mapFromList [(Pair 1 2)])))
                      (f sum (map chr [65]))])";
    insta::assert_snapshot!(printed(text, Passes::NONE), @r"
    (import map)

    (defn main[]
      [(f main-1 [1 2])
       (length (take 1 [1 2]))
       (length (mapToList (mapFromList [(Pair 1 2)])))
       (f sum (map chr [65]))])

    (defn f[sum xs] (case xs [(Cons x _) (sum (add-2 x 1))] [_ (length xs)]))

    (defn main-1[x] (sub x 1))

    (defn take[n l] (drop n l))

    (defn add-2[x y] (mul x y))
    ");
    assert_eq!(meaning(text, "", FUEL), meaning(&printed(text, Passes::NONE), "", FUEL));
}

#[test]
fn constructors_that_hide_each_other_stay_apart() {
    // The program's Pair is none of the prelude's, which its own zip makes.
    let text = "(data Pair (Pair x) (Other))
        (defn main[] (case (zip [1 2] [3 4])
          [(Cons p _) (case (Pair p) [(Pair q) (fst q)] [_ 0])] [_ 5]))";
    let again = printed(text, Passes::NONE);
    assert_eq!(meaning(text, "", FUEL), meaning(&again, "", FUEL), "{again}");
    // One that is called like a primitive that the text needs.
    let text = "(data T (seq a) (add b c))
        (defn main[] (case (seq (sum [1 2])) [(seq x) x] [(add b c) b]))";
    let again = printed(text, Passes::NONE);
    assert_eq!(meaning(text, "", FUEL).0, meaning(&again, "", FUEL).0, "{again}");
}

#[test]
fn every_kind_of_literal_reads_back() {
    let text = r#"(defn f[x] (case x [-9223372036854775808 1] [123456789012345678901234567890 2]
                         [-5 3] [_ 4]))
        (defn g[c] (case c ['\n' 'a'] ['\'' '"'] ['\u{1F600}' '\0'] [_ c]))
        (defn main[] [(map f [-9223372036854775808 123456789012345678901234567890 -5 0])
                      (map g "\n'\u{1F600}λ") "" "\"\\\t" [] (if 1 "" "x")])"#;
    check(text, "", Passes::NONE, FUEL);
    check(text, "", Passes::ALL, FUEL);
}

#[test]
fn depth_costs_no_native_stack() {
    let depth = 20_000;
    let nest = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    for body in [
        nest("(add 1 ", "n", ")"),
        nest("(let ([x (sub n 1)]) (add x ", "n", "))"),
        nest("(case n [7 ", "n", "] [_ 1])"),
        nest("(case (Just n) [(Just m) ", "m", "])"),
        nest("(Cons n ", "xs", ")"),
        nest("(seq n ", "n", ")"),
    ] {
        let text = format!("(defn f[n xs] {body}) (defn main[] (seq (f 7 Nil) 1))");
        let again = printed(&text, Passes::NONE);
        assert_eq!(meaning(&again, "", 100_000_000), ("1\n".to_owned(), "value"));
    }
}

#[test]
fn the_text_is_the_same_every_time() {
    for seed in 0..20 {
        let text = typed::program(seed);
        assert_eq!(printed(&text, Passes::ALL), printed(&text, Passes::ALL));
    }
}

/// A join that is a variable, bound for it alone, is written at each jump.
#[test]
fn a_variable_that_several_jumps_go_to_is_bound() {
    let text = "(defn main[] [(f 1 0) (f 0 1) (f 0 0)])
        (defn f[a b] (case 0 [_ (g (if (both a b) (error \"inner\") (h b)) 1 (i i))]))
        (defn both[c x] (if c x c))
        (defn h[_] [])
        (defn g[a b z] (case a [(Cons x _) b] [_ z]))
        (defn i[x] x)";
    let wanted = meaning(text, "", FUEL);
    for number in 0..1 << Pass::ALL.len() {
        let passes = common::subset(number);
        let again = printed(text, passes);
        assert_eq!(meaning(&again, "", FUEL), wanted, "{}:\n{again}", common::names(passes));
    }
}
