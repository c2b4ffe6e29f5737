//! Functions of classes cost what those for one instance do, where the instance is known, and dictionaries are
//! as lazy as they are written.

use std::fs;

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;
use gmachine_testing::project;

use super::common::{Run, compile_after, run_optimised};

fn run(source: &str, level: u8) -> Run {
    let config = Config { fuel: Some(5_000_000), ..Config::default() };
    run_optimised(source, "abc", Format::Default, config, Passes::level(level))
}

fn reductions(source: &str) -> u64 {
    run(source, 2).statistics.reductions
}

fn instructions(source: &str) -> usize {
    let program = compile_after(source, Passes::level(2)).expect("a program without mistakes");
    program.globals.iter().map(|global| global.code.len()).sum()
}

/// Monads with a method that is made of another one, by way of the dictionary itself; states over failures.
const MONADS: &str = "(data Monad (Monad ret bnd thn))
    (defn ret[d] (case d [(Monad r _ _) r])) (defn bnd[d] (case d [(Monad _ b _) b]))
    (defn thn[d] (case d [(Monad _ _ t) t]))
    (data Try (Good x) (Bad e))
    (defn tries[] (Monad Good (fn [m f] (case m [(Good x) (f x)] [(Bad e) (Bad e)]))
      (fn [m k] (bnd tries m (fn [_] k)))))
    (defn states[d] (letrec ([own (Monad (fn [x s] (ret d (Pair x s)))
      (fn [m f s] (bnd d (m s) (fn [p] (case p [(Pair x t) (f x t)]))))
      (fn [m k] (bnd own m (fn [_] k))))]) own))
    (data Class (Class monad get put throw))
    (defn monad[d] (case d [(Class m _ _ _) m])) (defn get[d] (case d [(Class _ g _ _) g]))
    (defn put[d] (case d [(Class _ _ p _) p])) (defn throw[d] (case d [(Class _ _ _ t) t]))
    (defn class[d bad] (Class (states d) (fn [s] (ret d (Pair s s))) (fn [s _] (ret d (Pair 0 s)))
      (fn [e _] (bad e))))";

/// An interpreter in any monad of such a class.
const EVALUATOR: &str = "(data Exp (Num n) (Var) (Add a b) (Div a b))
    (defn eval[d e] (let ([m (monad d)]) (case e [(Num n) (ret m n)] [Var (get d)]
      [(Add a b) (bnd m (eval d a) (fn [x] (bnd m (eval d b) (fn [y] (ret m (add x y))))))]
      [(Div a b) (bnd m (eval d a) (fn [x] (bnd m (eval d b) (fn [y]
        (if (eq y 0) (throw d x) (ret m (div x y)))))))])))
    (defn made[n] (if (eq n 0) Var (if (odd n) (Add (made (sub n 1)) (Num n)) (Div (Add (Num n) Var) (made (sub n 1))))))
    (defn each[d n] (let ([m (monad d)]) (if (eq n 0) (get d)
      (bnd m (eval d (made (rem n 7))) (fn [x] (thn m (put d (rem x 91)) (each d (sub n 1))))))))";

#[test]
fn an_interpreter_in_a_monad_costs_what_it_costs_written_out() {
    let overloaded = format!(
        "{MONADS} {EVALUATOR}
         (defn main[i] (case (each (class tries Bad) (add 300 (length i)) 5) [(Good (Pair x s)) (add x s)] [(Bad e) e]))"
    );
    let plain = "(data Exp (Num n) (Var) (Add a b) (Div a b)) (data Try (Good x) (Bad e))
        (defn eval[e s] (case e [(Num n) (Good (Pair n s))] [Var (Good (Pair s s))]
          [(Add a b) (case (eval a s) [(Good (Pair x t)) (case (eval b t)
            [(Good (Pair y u)) (Good (Pair (add x y) u))] [(Bad e) (Bad e)])] [(Bad e) (Bad e)])]
          [(Div a b) (case (eval a s) [(Good (Pair x t)) (case (eval b t)
            [(Good (Pair y u)) (if (eq y 0) (Bad x) (Good (Pair (div x y) u)))] [(Bad e) (Bad e)])] [(Bad e) (Bad e)])]))
        (defn made[n] (if (eq n 0) Var (if (odd n) (Add (made (sub n 1)) (Num n)) (Div (Add (Num n) Var) (made (sub n 1))))))
        (defn each[n s] (if (eq n 0) (Good (Pair s s)) (case (eval (made (rem n 7)) s)
          [(Good (Pair x _)) (each (sub n 1) (rem x 91))] [(Bad e) (Bad e)])))
        (defn main[i] (case (each (add 300 (length i)) 5) [(Good (Pair x s)) (add x s)] [(Bad e) e]))";
    assert_eq!(run(&overloaded, 0).output, run(plain, 0).output);
    let (overloaded, plain) = (reductions(&overloaded), reductions(plain));
    assert!(overloaded * 10 < plain * 13, "{overloaded} reductions, {plain} written out");
}

/// What is done with the value of a call of itself is written at each end of the interpreter, and in each of those
/// for the next call.
#[test]
fn an_interpreter_of_trees_that_are_not_known_is_not_written_in_itself() {
    let path = project().join("benches/unseen/class-imperative.core");
    let source = fs::read_to_string(path).expect("the program");
    // 5,897 if it is.
    let instructions = instructions(&source);
    assert!(instructions < 2_500, "{instructions} instructions");
}

/// Orders of numbers, of lists and of pairs, with a method by default.
const ORDERS: &str = "(data Order (Order less same most))
    (defn less[d] (case d [(Order l _ _) l])) (defn same[d] (case d [(Order _ s _) s]))
    (defn most[d] (case d [(Order _ _ m) m]))
    (defn bydefault[d a b] (if (less d a b) b a))
    (defn numbers[] (Order lt eq (fn [a b] (bydefault numbers a b))))
    (defn lists[d] (letrec ([own (Order
      (fn [xs ys] (case ys [Nil 0] [(Cons y v) (case xs [Nil 1] [(Cons x u)
        (if (less d x y) 1 (if (same d x y) (less own u v) 0))])]))
      (fn [xs ys] (case xs [Nil (isNil ys)] [(Cons x u) (case ys [Nil 0] [(Cons y v)
        (if (same d x y) (same own u v) 0)])]))
      (bydefault own))]) own))
    (defn pairs[d e] (letrec ([own (Order
      (fn [p q] (if (less d (fst p) (fst q)) 1 (if (same d (fst p) (fst q)) (less e (snd p) (snd q)) 0)))
      (fn [p q] (if (same d (fst p) (fst q)) (same e (snd p) (snd q)) 0))
      (bydefault own))]) own))
    (defn greatest[d xs] (foldr1 (most d) xs))";

#[test]
fn a_dictionary_that_a_copy_makes_is_known_the_next_time() {
    let source = |chosen: &str| {
        format!(
            "{ORDERS}
             (defn nested[d n] (greatest (lists (pairs d (lists d))) (map (fn [k] [(Pair k [k (rem k 3)]) (Pair 1 [k])]) (range 1 n))))
             (defn main[i] (case (nested {chosen} (add 200 (length i))) [(Cons (Pair k _) _) k]))"
        )
    };
    let unknown = source("(case i [Nil numbers] [_ (Order gt eq max)])");
    let (known, unknown) = (reductions(&source("numbers")), reductions(&unknown));
    assert!(known * 3 < unknown, "{known} reductions, {unknown} if the first is not known");
}

#[test]
fn dictionaries_that_are_made_alike_are_one() {
    let uses = |count: usize, order: &str| {
        let uses: Vec<String> = (0..count)
            .map(|k| format!("(length (greatest {order} (map (fn [k] [k {k}]) (range 1 n))))"))
            .collect();
        format!("{ORDERS} (defn all[n] (sum [{}])) (defn main[i] (all (length i)))", uses.join(" "))
    };
    let each = instructions(
        &uses(9, "(lists (lists' numbers))")
            .replace("(defn greatest", "(defn lists'[d] (case d [_ d])) (defn greatest"),
    );
    let one = instructions(&format!("(defn lists9[] (lists numbers)) {}", uses(9, "lists9")));
    assert!(each <= one + one / 10, "{each} instructions, {one} with one by name");
}

#[test]
fn what_is_partly_applied_to_a_dictionary_is_copied_for_it() {
    let source = |boxed: &str| {
        format!(
            "{ORDERS} (data Box (Box f)) (data Sub (Sub order back)) (defn subs[] (Sub numbers negate))
             (defn insert'[d x xs] (case xs [Nil [x]] [(Cons y t) (if (less d y x) (Cons y (insert' d x t)) (Cons x xs))]))
             (defn insert[_ x xs] (case xs [Nil [x]] [(Cons y t) (if (lt y x) (Cons y (insert 0 x t)) (Cons x xs))]))
             (defn back[d] (Order (fn [x y] (less d y x)) (same d) (most d)))
             (defn box[d] (Box (insert' d))) (defn again[d] (Box (insert' (back (back d))))) (defn sub[s] (case s [(Sub d _) (Box (insert' d))]))
             (defn all[b n] (foldr (case b [(Box f) f]) Nil (range 1 n)))
             (defn main[i] (sum (all (if (lt 1 (length i)) {boxed} (Box Cons)) 60)))"
        )
    };
    let plain = reductions(&source("(Box (insert 0))"));
    // The last makes dictionaries of the one that it is given: they are known once it is copied.
    for boxed in ["(box numbers)", "(sub subs)", "(again numbers)"] {
        let known = reductions(&source(boxed));
        assert!(
            known <= plain + plain / 20,
            "{boxed}: {known} reductions, {plain} with a function for numbers"
        );
    }
}

/// A record that is too large to be written stays the constant that it is part of, and those that are found after
/// it have their own names.
#[test]
fn a_record_that_is_too_large_is_not_taken_for_another_one() {
    let source = format!(
        "{ORDERS} (data Sub (Sub order back table)) (data Table (Table order rows f))
         (defn same'[t] (seq t t)) (defn order[s] (case s [(Sub d _ _) d]))
         (defn rows[s] (case s [(Sub _ _ (Table _ rs _)) rs]))
         (defn table[] (same' (Table (lists numbers) (map (fn [k] (Pair k k)) (range 1 150)) negate)))
         (defn one[] (same' (Sub (pairs numbers numbers) negate table)))
         (defn other[] (same' (Sub (lists (pairs numbers numbers)) abs table)))
         (defn main[i] [(fst (most (order one) (Pair 1 2) (Pair 3 (length i))))
           (length (most (order other) [(Pair 1 2)] [(Pair 0 1) (Pair 2 2)])) (length (rows one)) (length (rows other))])"
    );
    let (before, after) = (run(&source, 0), run(&source, 2));
    assert_eq!(before.output, after.output);
    assert!(before.failure.is_none() && after.failure.is_none(), "{:?}", after.failure);
}

#[test]
fn what_a_case_takes_out_of_a_dictionary_is_known() {
    let path = project().join("benches/ordinary/monoid-dict.core");
    // 4,643 if only what functions select is known.
    let reductions = reductions(&fs::read_to_string(path).expect("the program"));
    assert!(reductions < 4_000, "{reductions} reductions");
}

/// There is a dictionary for each depth of such a tree.
#[test]
fn a_dictionary_that_grows_with_each_call_has_an_end() {
    let source = format!(
        "{ORDERS} (data Nest (End x) (More n))
         (defn last'[d n] (case n [(End x) (most d x x)] [(More m) (last' (pairs d d) m)]))
         (defn main[i] (fst (fst (last' numbers (More (More (End (Pair (Pair 3 1) (Pair (length i) 2)))))))))"
    );
    let (before, after) = (run(&source, 0), run(&source, 2));
    assert_eq!(before.output, after.output);
    assert!(before.failure.is_none(), "{:?}", before.failure);
}

#[test]
fn dictionaries_are_as_lazy_as_they_are_written() {
    let fails = "(letrec ([r (seq r (Order lt eq max))]) (most r 1 2))";
    let values = [
        "(most (Order lt (error \"no\") max) 1 (length i))",
        "(most (letrec ([own (Order lt (same own) (bydefault own))]) own) 1 (length i))",
        "(most a 1 2)",
        "(most (lists numbers) [1] [2])",
        "(same (lists c) [1 2] [1 2])",
        "(most (pairs numbers (lists numbers)) (Pair 1 [2]) (Pair 1 [3]))",
        "(case (pairs numbers numbers) [(Order _ _ m) (fst (m (Pair 1 2) (Pair 2 1)))])",
        "(length (map (most numbers) [1 2 3]))",
        "(seq (less (lists numbers)) 1)",
        "(most (if (length \"a\") numbers (numbers' 1)) 1 2)",
        // The first record fails, and with it what is found in it.
        "(let ([b (both (lists numbers))]) (add (third b 0) (less (first' b) [1] [2])))",
    ];
    for (expression, is_failure) in
        values.map(|value| (value, false)).into_iter().chain([(fails, true)])
    {
        let source = format!(
            "{ORDERS} (defn a[] b) (defn b[] (I c)) (defn c[] (Order lt eq (bydefault a)))
             (data Both (Both d f e)) (defn both[d] (Both d lt (error \"no\"))) (defn first'[b] (case b [(Both d _ _) d]))
             (defn third[b x] (case b [(Both _ _ _) x]))
             (defn numbers'[n] (numbers' (add n 1))) (defn main[i] {expression})"
        );
        let (before, after) = (run(&source, 0), run(&source, 2));
        assert_eq!(before.output, after.output, "{expression}");
        let codes =
            [&before, &after].map(|run| run.failure.as_ref().map(|failure| failure.code.clone()));
        assert_eq!(codes[0], codes[1], "{expression}");
        assert_eq!(before.failure.is_some(), is_failure, "{expression}: {codes:?}");
    }
}

/// What a call with a dictionary alone comes to is not kept, as it was not.
#[test]
fn a_copy_is_no_constant() {
    // Too large for a list that is consumed as it is made.
    let element = (0..30).fold("n".to_owned(), |sum, k| format!("(rem (add {sum} {k}) 9973)"));
    let source = format!(
        "{ORDERS} (defn all[d] (case (less d 2 1) [1 Nil] [_ (go d (near d 1))]))
         (defn near[d n] (if (less d n 9) (near d (add n 1)) 1))
         (defn go[d n] (if (less d 20000 n) Nil (Cons {element} (go d (add n 1)))))
         (defn main[i] (add (sum (all numbers)) (length (all numbers))))"
    );
    let peaks = [0, 2].map(|level| run(&source, level).statistics.peak_live_bytes);
    assert!(peaks[1] <= peaks[0] + peaks[0] / 10, "{peaks:?} bytes");
}

/// Two monads, an evaluator that opens its dictionary once and has local functions, as a `where` of Haskell is, and
/// the same with the dictionary handed on at each call.
const RECORDS: &str = "
    (data Monad (Monad unit then tick))
    (data Try (Good x) (Bad e))
    (data Exp (Num n) (Var name) (Add a b) (Div a b) (Let name bound body))
    (defn counting[] (Monad (fn [x n] (Pair x n)) (fn [m k n] (case (m n) [(Pair x n') (k x n')]))
      (fn [n] (let ([m (add n 1)]) (seq m (Pair Nil m))))))
    (defn trying[] (Monad Good (fn [m k] (case m [(Good x) (k x)] [(Bad e) (Bad e)])) (Good Nil)))
    (defn fetch[x env] (fromMaybe 0 (lookup x env)))
    (defn made[n] (if (eq n 0) (Var 'x') (if (odd n) (Let 'y' (made (sub n 1)) (Add (Var 'y') (Num n)))
      (Div (Add (Num n) (Var 'x')) (Add (Num 1) (made (sub n 1)))))))";
const OPENED: &str = "
    (defn eval[monad env e] (case monad [(Monad unit then tick)
      (letrec ([go (fn [env e] (then tick (fn [_] (step env e))))]
               [step (fn [env e] (case e
                 [(Num n) (unit n)] [(Var x) (unit (fetch x env))]
                 [(Add a b) (both add env a b)] [(Div a b) (both div env a b)]
                 [(Let x a b) (then (go env a) (fn [v] (go (Cons (Pair x v) env) b)))]))]
               [both (fn [op env a b] (then (go env a) (fn [x] (then (go env b) (fn [y] (unit (op x y)))))))])
        (go env e))]))";
const HANDED_ON: &str = "
    (defn unit[m] (case m [(Monad u _ _) u])) (defn then[m] (case m [(Monad _ t _) t]))
    (defn tick[m] (case m [(Monad _ _ t) t]))
    (defn eval[monad env e] (then monad (tick monad) (fn [_] (step monad env e))))
    (defn step[monad env e] (case e
      [(Num n) (unit monad n)] [(Var x) (unit monad (fetch x env))]
      [(Add a b) (both monad add env a b)] [(Div a b) (both monad div env a b)]
      [(Let x a b) (then monad (eval monad env a) (fn [v] (eval monad (Cons (Pair x v) env) b)))]))
    (defn both[monad op env a b] (then monad (eval monad env a) (fn [x]
      (then monad (eval monad env b) (fn [y] (unit monad (op x y)))))))";

#[test]
fn local_functions_of_what_opens_a_dictionary_are_copied_for_its_fields() {
    let counted = "(case (eval counting [(Pair 'x' k)] (made k) 0) [(Pair v n) (add v n)])";
    let tried = "(case (eval trying [(Pair 'x' k)] (made k)) [(Good v) v] [(Bad e) e])";
    let both = format!("(add {counted} {tried})");
    for use_of in [counted, tried, &both] {
        let [opened, handed_on] = [OPENED, HANDED_ON].map(|evaluator| {
            reductions(&format!(
                "{RECORDS}{evaluator}
                 (defn main[i] (sum (map (fn [k] {use_of}) (range 1 (mul 10 (length i))))))"
            ))
        });
        assert!(
            5 * opened <= 6 * handed_on,
            "{use_of}: {opened} reductions, {handed_on} with the dictionary handed on"
        );
    }
}
