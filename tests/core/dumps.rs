//! What core and supercombinators look like.

use gmachine::core::print;

use super::compile;

fn dump(text: &str) -> String {
    let (loaded, core, lifted) = compile(text);
    let own = |program: &gmachine::core::expr::Program| {
        let mut out = String::new();
        for (id, global) in program.globals.enumerate() {
            let file = loaded.sources.file_at(global.span.lo);
            if file.is_some_and(|file| !file.corelib) {
                print::definition(program, &loaded.names, id, &mut out);
            }
        }
        out
    };
    format!("{}\n\n=== core\n{}\n=== lifted\n{}", text.trim(), own(&core), own(&lifted))
}

macro_rules! dumps {
    ($($name:ident $text:literal;)+) => {$(
        #[test]
        fn $name() {
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path("../golden/core");
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(stringify!($name), dump($text)));
        }
    )+};
}

dumps! {
    tutorial_zip_with "(defn zipWith[op l1 l2]
  (case l1
    [(Nil) Nil]
    [(Cons x xs)
      (case l2
        [(Nil) Nil]
        [(Cons y ys) (Cons (op x y) (zipWith op xs ys))])]))
(defn fibs[] (Cons 0 (Cons 1 (zipWith add fibs (tail fibs)))))
(defn main[] (take 20 fibs))";
    fixpoint "(defn fix[f] (letrec ([x (f x)]) x)) (defn main[] (fix (fn [x] (Cons 1 x))))";
    mixture_of_rows "(defn demo[f xs ys]
  (case (Cons xs ys)
    [(Cons Nil ys) (f 1 ys)]
    [(Cons xs Nil) (f 2 xs)]
    [(Cons (Cons x xs) (Cons y ys)) (f x y)]))
(defn main[] (demo add [1] [2]))";
    literals_and_default "(defn name[n] (case n [0 \"zero\"] [1 \"one\"] [100000000000000000000 \"many\"] [m (name (sub m 1))]))
(defn main[] (name 3))";
    strings "(defn f[s] (case s [\"ab\" 1] [\"ac\" 2] [\"\" 3] [_ 4])) (defn main[] (f \"ac\"))";
    variable_forces_nothing "(defn f[x] (case x [y [y y]])) (defn g[x] (case (f x) [y [y]])) (defn h[x] (case (f x) [_ 1])) (defn main[] [(f 1) (g 2) (h 3)])";
    named_scrutinee "(defn f[g] (case (g 1) [(Nil) 0] [x (length x)])) (defn main[] (f (fn [n] [n])))";
    missing_alternatives "(data T (A) (B x) (C y z)) (defn f[t] (case t [(B (C 1 _)) 2])) (defn main[] (f A))";
    lazy_case "(defn f[x] (Cons (case x [(Nil) 1] [_ 2]) Nil)) (defn main[] (f Nil))";
    lazy_let_with_case "(defn f[g x] (g (let ([y (g x)] [z y]) (case y [0 z] [_ x])))) (defn main[] (f I 1))";
    strict_if "(defn f[x] (if (case x [(Nil) 1] [_ 0]) (case x [(Nil) 2] [_ 3]) (I (case x [(Nil) 4] [_ 5])))) (defn main[] (f Nil))";
    partial_if_is_lazy "(defn f[x] (if 1 (case x [(Nil) I] [_ negate]) K 7)) (defn main[] (f Nil))";
    strict_seq "(defn f[x] (seq (case x [0 1] [_ 2]) (case x [0 3] [_ 4]))) (defn main[] (f 1))";
    error_is_lazy "(defn f[x] (error (case x [0 \"a\"] [_ \"b\"]))) (defn main[] (f 1))";
    local_recursion "(defn sum[xs k]
  (letrec ([go (fn [xs acc] (case xs [(Nil) (add acc k)] [(Cons y ys) (go ys (add y acc))]))])
    (go xs 0)))
(defn main[] (sum [1 2 3] 4))";
    mutual_recursion "(defn f[k j n]
  (letrec ([even (fn [n] (if (eq n 0) k (odd (sub n 1))))]
           [odd (fn [n] (if (eq n 0) j (even (sub n 1))))])
    (map even [n n])))
(defn main[] (f 1 0 10))";
    functions_and_data "(defn f[a]
  (letrec ([xs (Cons a (map g xs))]
           [g (fn [y] (add y (h a)))]
           [h (fn [z] (if z (head xs) 0))]
           [unused (fn [q] (unused q))])
    (take 3 xs)))
(defn main[] (f 1))";
    letrec_is_split "(defn main[] (letrec ([a (Cons 1 b)] [b (Cons 2 c)] [c [3]] [d (Cons 4 d)]) [a d]))";
    nested_functions "(defn f[a]
  (fn [b] (map (fn [c] (map (fn [d] (add (add a b) (add c d))) [1])) [2])))
(defn main[] (f 1 2))";
    inner_function_uses_outer "(defn f[a b]
  (letrec ([g (fn [n] (letrec ([h (fn [m] (if m (g (sub m 1)) b))]) (add a (h n))))])
    (g 3)))
(defn main[] (f 1 2))";
    case_on_a_local_function "(defn f[x] (let ([g (fn [y] (add x y))]) (case g [0 (g 1)] [h (h 2)]))) (defn main[] (f 1))";
    applied_lambda_and_case "(defn f[x] ((case x [0 I] [_ (fn [y] x)]) ((fn [y] (add x y)) 1))) (defn main[] (f 1))";
    body_is_a_function "(defn f[x] (fn [y] (fn [z] [x y z]))) (defn g[] (let ([h (fn [a] a)]) h)) (defn main[] [(f 1 2 3) (g 1)])";
    shadowed_names "(defn map[f] (f add)) (defn add[x] x) (defn main[] (let ([x 1] [x (add x)]) (fn [x] (fn [x] (concat [x] (map I))))))";
}
