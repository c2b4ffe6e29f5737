//! One report per mistake, with both places and a suggestion.

use gmachine::core::scope::HostDecl;

use super::{check_options, load_files, load_text, reports, run_options};

fn check(text: &str) -> String {
    format!("{}\n\n{}", text.trim(), reports(&load_text(text), &[], &check_options()))
}

fn golden(name: &str, text: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../golden/core");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

macro_rules! checks {
    ($($name:ident $text:literal;)+) => {$(
        #[test]
        fn $name() {
            golden(stringify!($name), check($text));
        }
    )+};
}

checks! {
    unbound "(defn f[x] (ad x y))";
    unbound_once_in_a_definition "(defn f[x] (foo (foo x) foo)) (defn g[x] foo)";
    unbound_nearest_is_local "(defn f[counter] (add countr 1))";
    unbound_nearest_is_own "(defn collatz[n] n) (defn f[n] (colatz n))";
    unbound_nearest_is_prelude "(defn f[xs] (zipwith add xs xs))";
    unbound_without_suggestion "(defn f[] (quixotic 1))";
    unbound_word_of_another_language "(defn f[] [true nil (lambda 1)])";
    unbound_constructor_name "(data Tree (Leaf) (Node l r)) (defn f[] (Nod Leaf Leaf))";
    unbound_out_of_scope "(defn f[] (add (let ([x 1]) x) x))";
    unbound_let_does_not_see_itself "(defn f[] (let ([ones (Cons 1 ones)]) ones))";
    unbound_pattern_variable_elsewhere "(defn f[xs] (case xs [(Nil) y] [(Cons y _) y]))";
    unbound_underscore_parameter "(defn f[_ x] y)";
    unbound_in_every_kind_of_expression
        "(defn f[] [a1 (let ([x a2]) a3) (letrec ([y a4]) a5) (fn [z] a6) (case a7 [0 a8])])";
    duplicate_definition "(defn f[] 1)\n(defn g[] 2)\n(defn f[x] 3)";
    duplicate_definition_thrice "(defn f[] 1)\n(defn f[] 2)\n(defn f[] 3)";
    duplicate_defn_and_constructor "(defn Leaf[] 1)\n(data Tree (Leaf))";
    duplicate_constructor "(data A (X) (Y))\n(data B (Y z))";
    duplicate_constructor_in_one_type "(data A (X) (X y))";
    duplicate_data "(data A (X))\n(data A (Y))";
    data_and_constructor_may_share_a_name "(data Pair (Pair a b)) (defn f[p] (case p [(Pair a b) a]))";
    shadowing_the_prelude_is_fine "(defn map[f] f) (defn add[x] (map x)) (data Maybe (None) (Just x))";
    duplicate_parameter "(defn f[x y x] x)";
    duplicate_fn_parameter "(defn f[] (fn [x _ _ x] x))";
    nested_fn_may_shadow "(defn f[] (fn [x] (fn [x] x)))";
    let_may_bind_twice "(defn f[] (let ([x 1] [x (add x 1)]) x))";
    duplicate_pattern_variable "(defn f[p] (case p [(Cons x (Cons x _)) x] [_ 1]))";
    pattern_variables_of_two_alternatives "(defn f[p] (case p [(Cons x _) x] [x x]))";
    duplicate_letrec_name "(defn f[] (letrec ([x 1] [y 2] [x 3]) y))";
    duplicate_long_parameter_list "(defn f[a b c d e f g h i j k l c l] a)";
    unknown_constructor "(defn f[x] (case x [(Jus y) y] [_ 1]))";
    unknown_constructor_is_a_function "(defn g[x] x) (defn f[x] (case x [(g y) y] [_ 1]))";
    unknown_constructor_is_a_primitive "(defn f[x] (case x [(add y 1) y] [_ 1]))";
    unknown_constructor_is_a_local "(defn f[x g] (case x [(g y) y] [_ 1]))";
    unknown_constructor_far_from_all "(defn f[x] (case x [(Quixotic y) y] [_ 1]))";
    reserved_functions "(defn Nil[] 1)\n(defn Cons[a b] 2)\n(defn List[] 3)";
    reserved_constructors "(data MyList (Nil) (Cons a b))";
    reserved_data "(data List (Empty))";
    pattern_arity_too_few "(defn f[xs] (case xs [(Cons x) x] [_ 1]))";
    pattern_arity_too_many "(defn f[xs] (case xs [(Cons x y z) x] [_ 1]))";
    pattern_arity_none "(defn f[xs] (case xs [Cons 1] [_ 1]))";
    pattern_arity_of_constant "(defn f[xs] (case xs [(Nil x) 1] [_ 1]))";
    pattern_arity_own_type "(data T (Node left value right))\n(defn f[t] (case t [(Node l r) l]))";
    pattern_arity_nested "(defn f[t] (case t [(Cons (Cons x) (Nil y)) x] [_ 1]))";
    mixed_types "(data T (A)) (defn f[x] (case x [(A) 1] [(Nil) 2]))";
    mixed_in_a_field "(data T (A)) (defn f[x] (case x [(Cons (A) _) 1] [(Cons _ (Nil)) 2] [(Cons Nil _) 3] [_ 4]))";
    mixed_literals "(defn f[x] (case x [1 1] ['a' 2] [_ 3]))";
    mixed_literal_and_constructor "(defn f[x] (case x [(Nil) 1] [0 2] [_ 3]))";
    mixed_string_and_constructor "(data T (A)) (defn f[x] (case x [\"a\" 1] [(A) 2] [_ 3]))";
    mixed_string_and_integers "(defn f[x] (case x [\"ab\" 1] [(Cons 1 _) 2] [_ 3]))";
    string_and_list_patterns_go_together "(defn f[x] (case x [\"ab\" 1] [(Cons 'c' _) 2] [(Nil) 3] [_ 4]))";
    unreachable_after_variable "(defn f[x] (case x [0 1] [y 2] [3 4]))";
    unreachable_after_misspelled_constructor "(defn f[x] (case x [Nill 1] [(Cons a b) 2]))";
    unreachable_twice_the_same "(defn f[x] (case x [0 1] [1 2] [0 3] [_ 4]))";
    unreachable_string "(defn f[x] (case x [\"a\" 1] [\"b\" 2] [\"a\" 3] [_ 4]))";
    unreachable_all_covered "(defn f[x] (case x [(Nil) 1] [(Cons a b) 2] [_ 3]))";
    unreachable_nested "(defn f[x] (case x [(Cons _ (Nil)) 1] [(Nil) 2] [(Cons 1 (Nil)) 3] [(Cons _ (Cons _ _)) 4] [_ 5]))";
    reachable_by_a_field "(defn f[x] (case x [(Cons 1 _) 1] [(Cons _ (Nil)) 2] [(Nil) 3] [_ 4]))";
    unreachable_big_literal "(defn f[x] (case x [100000000000000000000 1] [100000000000000000000 2] [_ 3]))";
    not_a_function "(defn f[] [(3 4) ('c' 1) (\"s\" 1) ([1] 2) ((add 1 2) 3) (Nil 1)])";
    too_many_for_a_primitive "(defn f[] (add 1 2 3))";
    too_many_for_a_result_that_the_ends_of_a_body_tell
        "(defn last'[d xs] (case xs [Nil d] [(Cons x t) (last' x t)])) (defn sign[n] (if (lt n 0) (error 1) (let ([m 1.0]) (seq n (fmul m 1.5))))) (defn f[g] [(map g [1 2] 3) (filter g [1] 2) (append [1] [2] 3) (sign 1 2) (take 1 [] 2)])";
    more_arguments_than_parameters_are_fine_where_an_end_may_be_a_function
        "(defn xs[] [1]) (defn pick[c] (case c [0 add] [_ 7])) (defn own[p] (case p [(Just xs) xs] [_ [2]])) (defn bound[y z] (let ([z y]) z)) (defn loop[n] (loop n)) (defn fails[x] (error x)) (defn other[n] (case n [0 []] [_ (loop n)])) (defn f[g] [(pick 1 2) (own g 1) (bound g 1 2) (loop 1 2) (fails 1 2) (other 1 2) (foldr g I [1] 2)])";
    constructor_overapplied "(data T (A) (B x)) (defn f[] [(Cons 1 2 3) (A 1) (B 1 2) ((B 1) 2)])";
    operand_kinds "(defn f[x] [(add 1 'c') (ord 1) (chr 'c') (negate \"s\") (lt 1 'c') (eq [] 1) (add (fn [x] x) 1) (mul (ord 'c') (chr 1)) (sub add 1)])";
    arguments_that_a_body_cannot_do_with
        "(data T (A) (B x)) (defn size[t] (case t [(A) 0] [(B x) 1])) (defn len[n xs] (case xs [Nil n] [(Cons _ t) (len (add n 1) t)])) (defn deep[x] (neg-of (add 1 x))) (defn neg-of[y] (negate y)) (defn cmp[c] (if (eq c 'a') 1 2)) (defn f[] [(size 1) (len 0 (A)) (len (A) [1]) (deep 1.5) (neg-of 'a') (cmp 1) (size (B 1)) (len 0 \"ab\") (cmp 'x')])";
    arguments_that_may_be_fine
        "(data T (A) (B x)) (defn lazy[x y] (Cons x y)) (defn hides[x] (let ([x 1]) (add x 1))) (defn inner[add x] (add x 1)) (defn later[x] (fn [y] (add x y))) (defn any[x] (case x [y 1])) (defn either[x y] (if y (add x 1) 2)) (defn self[x] (self x)) (defn one[x] (other x)) (defn other[x] (one x)) (defn f[g] [(lazy 'a' 'b') (hides \"a\") (inner I \"a\") (later \"a\") (any g) (either \"a\" 0) (self 1) (one 1)])";
    variables_that_are_like_constructors
        "(data T (Leaf) (Node l r)) (defn f[t] (case t [(Node l r) (add l r)] [leaf 0])) (defn g[t] (case t [(Node Leef r) r] [(Node x _) x] [_ 1])) (defn h[t] (case t [(Node l r) l] [Leaf t]))";
    variables_that_are_none
        "(data T (Leaf) (Node l r)) (defn f[t] (case t [(Node l r) l] [leaf leaf])) (defn g[t] (case t [(Node left right) left] [other 1])) (defn h[p] (case p [(Pair left right) right])) (defn i[n] (case n [1 2] [leaf 3]))";
    operand_kinds_that_are_fine "(defn f[add g] [(add 1 'c') (g 1 'c') (eq 'a' (chr 1)) (lt (ord 'a') 1) (seq 'c' 1) (error 1)])";
    condition "(defn f[x] [(if 2 1 0) (if 'c' 1 0) (if 1 2 3) (if (lt 1 2) 1 2) (if [] 1 2)])";
    escapes_are_shown "(defn f[x] (x\u{200B} 1))";
}

#[test]
fn a_program_without_main_cannot_run() {
    golden("main_missing", reports(&load_text("(defn f[] 1)"), &[], &run_options()));
    assert_eq!(reports(&load_text("(defn f[] 1)"), &[], &check_options()), "");
}

#[test]
fn main_has_one_parameter_at_most() {
    golden("main_parameters", reports(&load_text("(defn main[a b] a)"), &[], &run_options()));
    assert_eq!(reports(&load_text("(defn main[a] a)"), &[], &run_options()), "");
}

#[test]
fn main_is_no_constructor() {
    golden("main_constructor", reports(&load_text("(data T (main))"), &[], &run_options()));
}

#[test]
fn files_share_one_namespace() {
    let loaded = load_files(&[
        ("main.core", "(import \"a.core\") (defn main[] (f (g 1)))\n(defn h[] 1)"),
        ("a.core", "(import \"main.core\") (defn f[x] (h x)) (defn g[x] x)\n(data T (h))"),
    ]);
    golden("files_share_one_namespace", reports(&loaded, &[], &run_options()));
}

#[test]
fn host_functions_are_in_scope_below_the_programs_own_names() {
    let hosts = [
        HostDecl { name: "clock".to_owned(), arity: 1 },
        HostDecl { name: "map".to_owned(), arity: 3 },
    ];
    let loaded = load_text("(defn main[] [(clock 1) (map 1) (clok 2)])");
    golden("host_functions", reports(&loaded, &hosts, &run_options()));
}

#[test]
fn the_corelib_has_no_mistakes() {
    let loaded =
        load_text("(import map) (import set) (import heap) (import queue) (defn main[] 1)");
    let options = gmachine::core::options::Options { check_corelib: true, ..run_options() };
    assert_eq!(reports(&loaded, &[], &options), "");
}

/// The first example of an explanation shows the mistake, and the last one does not.
#[test]
fn explanations_show_what_they_explain() {
    use gmachine::base::code::Code;

    for &code in Code::ALL {
        let ours = code.id().starts_with("G03") || code.id().starts_with("G04");
        // These are about modules, and no two of the corelib's define one name.
        let of_modules =
            matches!(code, Code::UnknownModule | Code::AmbiguousName | Code::StaleModule);
        // These are said by whoever checks or specialises.
        let elsewhere = matches!(code, Code::PartialCase | Code::FreeName);
        if !ours || of_modules || elsewhere {
            continue;
        }
        let text = code.explanation();
        let examples: Vec<&str> =
            text.split("```coref\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let main = matches!(code, Code::MissingMain | Code::MainParameters);
        let options = if main { run_options() } else { check_options() };
        let shows = |example: &str| {
            reports(&load_text(example), &[], &options).contains(&format!("[{code}]"))
        };
        let first = examples.first().unwrap_or_else(|| panic!("{code} has no example"));
        assert!(shows(first), "{code}: {first}");
        if examples.len() > 1 {
            let last = examples[examples.len() - 1];
            assert_eq!(reports(&load_text(last), &[], &options), "", "{code}: {last}");
        }
    }
}

/// Mistakes of beginners, one in each program, with the report of each and where it is.
const ONE_MISTAKE: &[(&str, &str, &str)] = &[
    // Calls as other languages write them.
    ("(defn f[n ps] (case ps [(Cons p t) if((gt p n), [n], t)] [_ Nil]))", "G0213", "1:36"),
    ("(defn f[p t] (let ([low filter((fn [x] (lt x p)), t)]) low))", "G0211", "1:25"),
    ("(defn f[a b] (if fgt((area a), (area b)) 1 2))\n(defn area[s] 1.0)", "G0101", "1:30"),
    (
        "(data Shape (Circle r) Rect(w, h) (Unit))\n(defn f[s] (case s [(Rect w _) w] [_ Unit]))",
        "G0209",
        "1:24",
    ),
    ("(defn f[xs] (case xs [(Cons Pair(k, v) t) k] [_ 1]))", "G0101", "1:35"),
    ("(defn f[a, b] (add a b))\n(defn g[] (add (f 1 2) 3))", "G0101", "1:10"),
    // Brackets and keywords that are missing.
    ("defn area[s]\n  (mul s s)\n(defn g[] (area 2))", "G0215", "1:1"),
    ("[defn area[s] (mul s s)]\n(defn g[] (area 2))", "G0215", "1:2"),
    ("(area[s] (mul s s))\n(defn g[] (area 2))", "G0204", "1:1"),
    ("defn area[s] (mul s s))\n(defn g[] (area 2))", "G0215", "1:1"),
    ("(defn f[xs]\n  case xs [Nil 0] [(Cons _ t) 1])", "G0215", "2:3"),
    ("(defn f[xs]\n  case xs [Nil 0] [(Cons _ t) 1]))", "G0215", "2:3"),
    ("(defn f[s] (case s [Nil 1] [Cons _ t (f t)]))", "G0213", "1:28"),
    ("(defn f[env x] (mul f env x (add 1 x)))", "G0404", "1:16"),
    ("(defn f[a b] (if gt a b 1 2))", "G0405", "1:18"),
    ("(defn f[xs] (map ([x] (add x 1)) xs))", "G0212", "1:19"),
    ("(defn f[] (([x 1]) (add x 1)))", "G0211", "1:13"),
    (
        "(data Shape (Circle r)) (Rect w h) (Unit))\n(defn f[s] (case s [(Rect w _) w] [_ Unit]))",
        "G0202",
        "1:42",
    ),
    (
        "(data Expr (Num n (Add a b))\n(defn f[e] (case e [(Num n) n] [(Add a b) a]))",
        "G0201",
        "1:1",
    ),
    ("(defn f[s\n  (mul s s))\n(defn g[] (add (f 2) 1))", "G0203", "2:12"),
    ("(defn f x)\n(defn g[] (add (f 1) 2))", "G0208", "1:9"),
    // Words of other languages, and misspelled ones.
    ("(defn f[s] (match s [(Cons x _) x] [_ 1]))", "G0213", "1:13"),
    ("(defn f[s] (switch s [(Cons x t) x]))", "G0301", "1:13"),
    ("(defn f[s] (csae s [(Cons x t) x]))", "G0301", "1:13"),
    (
        "(type Shape (Circle r) (Unit))\n(defn f[s] (case s [(Circle r) r] [Unit 1]))\n(defn g[] Unit)",
        "G0204",
        "1:2",
    ),
    (
        "(Data Item (Item n))\n(defn f[i] (case i [(Item n) n]))\n(defn g[] (Item 1))",
        "G0204",
        "1:2",
    ),
    ("(Import io)\n(defn f[] (then (putLine \"a\") (putLine \"b\")))", "G0204", "1:2"),
    ("(defn f[xs] (map (\\ [x] (add x 1)) xs))", "G0101", "1:19"),
    ("(defn f['x] (add x 1))\n(defn g[] (add (f 1) 2))", "G0105", "1:9"),
    ("(defn f[xs] (case xs [(: x t) x] [_ 1]))", "G0101", "1:24"),
    // Texts.
    ("(defn f[] (append 'of two words' \"b\"))", "G0103", "1:19"),
    ("(defn f[n] (append \"n:  (show n)))\n(defn g[] (f 1))", "G0105", "1:20"),
    ("(defn f[] [(Pair \"x\" 4) (Pair \"y 5)] (g (Var \"x\"))))", "G0105", "1:48"),
    ("(defn f[c] (if c \"more \"less\"))", "G0105", "1:29"),
    // Patterns and declarations that do not go together.
    (
        "(data T (Node l x))\n(defn f[t] (case t [(Node l x r) (add x r)]))\n(defn g[] (Node 1 2 3))",
        "G0401",
        "2:21",
    ),
    ("(data T (A) (B l x r))\n(defn f[t] (case t [(B l r) (add l x)] [_ 1]))", "G0401", "2:21"),
    ("(defn f[t] (case t [(Cons x x t) x] [_ 1]))", "G0401", "1:21"),
    (
        "(data T (leaf) (Node l))\n(defn f[t] (case t [Leaf 1] [(Node l) 2]))\n(defn g[] (Node Leaf))",
        "G0301",
        "3:17",
    ),
    (
        "(data T (node l))\n(defn f[t] (case t [(Node l) 2]))\n(defn g[t] (case t [(Node l) (Node l)]))",
        "G0306",
        "2:22",
    ),
    ("(defn itmsOf[o] o)\n(defn f[o] (itemsOf o))\n(defn g[o] (itemsOf o))", "G0301", "2:13"),
];

#[test]
fn one_mistake_is_one_report() {
    let mut wrong = String::new();
    for (text, code, place) in ONE_MISTAKE {
        let found = check(text);
        let found = found.split_once("\n\n").map_or("", |(_, reports)| reports);
        let is_head = |line: &&str| line.starts_with("error[") || line.starts_with("warning[");
        let heads: Vec<&str> = found.lines().filter(is_head).collect();
        let places: Vec<&str> = found.lines().filter(|line| line.starts_with("  at ")).collect();
        let is_one = heads.len() == 1
            && heads[0].contains(code)
            && places[0].starts_with(&format!("  at {place} "));
        if !is_one {
            wrong += &format!("{text}\n{found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_mistake_hides_no_other_that_has_nothing_to_do_with_it() {
    let found = check(
        "(defn f[a, b] (add a b))\n(defn g[x] (quixotic x))\n(defn h[t] (case t [(Cons x) x]))\n\
         (defn k[] (add 1 \"a\"))",
    );
    for code in ["G0101", "G0301", "G0401", "G0405"] {
        assert!(found.contains(code), "{code}: {found}");
    }
}
