//! Each rule of the analysis, told from the rule that it could be taken for.

use super::check;

#[test]
fn primitives_want_all_operands() {
    check(
        "(defn a[x y] (div x y)) (defn b[x] (negate x)) (defn c[x y] (le x y)) (defn d[x] (chr x))
         (defn e[x y] (seq x y)) (defn f[x y] (seq (seq y x) 1))",
        &[("a", "x y"), ("b", "x"), ("c", "x y"), ("d", "x"), ("e", "x y"), ("f", "x y")],
    );
}

#[test]
fn if_wants_its_condition_and_what_both_branches_want() {
    check(
        "(defn a[c x y] (if c x y)) (defn b[c x y] (if c (add x y) (sub x 1)))
         (defn d[c x] (if c 1 x))",
        &[("a", "c"), ("b", "c x"), ("d", "c")],
    );
}

#[test]
fn a_case_wants_what_it_goes_by_and_what_all_alternatives_want() {
    check(
        "(defn a[l x y] (case l [Nil (add x y)] [(Cons _ _) x]))
         (defn b[l x] (case l [(Cons h _) (add h x)]))
         (defn c[n x y] (case n [0 x] [1 (add x y)] [_ (sub y x)]))
         (defn d[n x] (case n [0 x]))
         (defn e[p] (case p [(Pair x y) (Pair y x)]))
         (defn f[n x] (case n [m x]))
         (defn g[x y] (case (add x 1) [0 1] [_ 2])) (defn h[f x] (case (f x) [(Cons _ _) f]))",
        &[
            ("a", "l x"),
            ("b", "l x"),
            ("c", "n x"),
            ("d", "n x"),
            ("e", "p"),
            ("f", "x"),
            ("g", "x"),
            ("h", "f"),
        ],
    );
}

#[test]
fn what_a_pattern_binds_may_be_anything() {
    // The second argument of the call is a field, and not bottom because the pair is not.
    check(
        "(defn pick[c x y] (if c x y))
         (defn a[p c z] (case p [(Pair x y) (pick c x z)]))",
        &[("a", "p c")],
    );
}

#[test]
fn nested_patterns_that_go_on_with_later_rows_want_what_those_want() {
    check(
        "(defn a[l x y]
           (case l
             [(Cons 1 (Cons 2 _)) x]
             [(Cons _ Nil) (add x 1)]
             [_ (add x y)]))
         (defn b[l x y] (case l [(Cons 1 (Cons 2 _)) (add x y)] [(Cons _ _) x]))",
        &[("a", "l x"), ("b", "l x")],
    );
}

#[test]
fn constructors_are_not_strict_in_their_fields() {
    check(
        "(defn a[x y] (Pair x y)) (defn b[x] [x]) (defn c[x] (Just (add x 1)))",
        &[("a", ""), ("b", ""), ("c", "")],
    );
}

#[test]
fn partial_applications_are_not_strict_in_their_arguments() {
    check(
        "(defn f[x y] (add x y)) (defn a[x] (f x)) (defn b[x] (add x)) (defn c[x] (Pair x))
         (defn d[x z] (seq (f x) z)) (defn e[x y] (if x y))",
        &[("f", "x y"), ("a", ""), ("b", ""), ("c", ""), ("d", "z"), ("e", "")],
    );
}

#[test]
fn an_unknown_call_wants_what_is_called_alone() {
    check(
        "(defn a[f x y] (f x y)) (defn b[f x] (f (add x 1))) (defn c[f g x] (f (g x)))
         (defn d[p x] (case p [(Pair f _) (f x)]))",
        &[("a", "f"), ("b", "f"), ("c", "f"), ("d", "p")],
    );
}

#[test]
fn an_over_application_wants_what_its_prefix_wants() {
    check(
        "(defn pick[c x y] (if c x y)) (defn a[c f g x] (pick c f g x))
         (defn k[x y] x) (defn b[f x y] (k f x y)) (defn c[f y z] (if f y z 1))
         (defn d[f g x] (seq f g x))",
        &[("a", "c"), ("b", "f"), ("c", "f"), ("d", "f g")],
    );
}

#[test]
fn let_is_substitution_and_no_and() {
    check(
        "(defn a[x y] (let ([z (add x 1)]) y)) (defn b[x y] (let ([z (add x 1)]) (add z y)))
         (defn c[c x y] (let ([z (add x 1)]) (if c z y)))
         (defn d[c x] (let ([z (add x 1)] [w (mul x 2)]) (if c z w)))",
        &[("a", "y"), ("b", "x y"), ("c", "c"), ("d", "c x")],
    );
}

#[test]
fn a_letrec_is_the_least_fixpoint_of_its_bindings() {
    check(
        "(defn a[y] (letrec ([x (add x 1)]) (add x y)))
         (defn b[y] (letrec ([o (Cons 1 o)]) (seq o y)))
         (defn c[y] (letrec ([o (Cons y o)]) o))
         (defn d[y] (letrec ([p (add q y)] [q (if y 1 p)]) q))
         (defn e[y z] (letrec ([p (add q y)] [q (if z 1 p)]) (Cons q Nil)))
         (defn f[y z] (letrec ([p (seq z (Cons y q))] [q (Cons z p)]) p))",
        &[("a", "fails"), ("b", "y"), ("c", ""), ("d", "y"), ("e", ""), ("f", "z")],
    );
}

#[test]
fn constants_are_fixpoints_too() {
    check(
        "(defn loop[] (add loop 1)) (defn ones[] (Cons 1 ones)) (defn bad[] (error \"bad\"))
         (defn a[x] (add loop x)) (defn b[x] (seq ones x)) (defn c[x] (seq bad x))
         (defn d[c x] (if c bad x)) (defn e[c x] (if c ones x))",
        &[
            ("loop", "fails"),
            ("ones", ""),
            ("bad", "fails"),
            ("a", "fails"),
            ("b", "x"),
            ("c", "fails"),
            ("d", "c x"),
            ("e", "c"),
        ],
    );
}

#[test]
fn one_iteration_is_no_fixpoint() {
    // After one iterate, f is strict in all: the recursive call still counts as bottom.
    check(
        "(defn f[n x y] (if (eq n 0) x (f (sub n 1) y x)))
         (defn g[n x y z] (if (eq n 0) (add x y) (g (sub n 1) y z x)))",
        &[("f", "n"), ("g", "n")],
    );
}

#[test]
fn functions_that_call_each_other_are_one_fixpoint() {
    check(
        "(defn even?[n a] (if (eq n 0) a (odd? (sub n 1) a)))
         (defn odd?[n a] (if (eq n 0) 0 (even? (sub n 1) a)))
         (defn p[n a b] (if (eq n 0) a (q (sub n 1) a b)))
         (defn q[n a b] (if (eq n 0) (add a b) (r (sub n 1) a b)))
         (defn r[n a b] (p n a b))",
        &[("even?", "n"), ("odd?", "n"), ("p", "n a"), ("q", "n a"), ("r", "n a")],
    );
}

#[test]
fn what_always_fails_is_lazy() {
    check(
        r#"(defn f[x] (error "no")) (defn g[x y] (add (f x) y)) (defn h[x] (h x))
         (defn i[x y] (case 1 [2 (f x)])) (defn j[x] (seq (error x) x))"#,
        &[("f", "fails"), ("g", "fails"), ("h", "fails"), ("i", "fails"), ("j", "fails")],
    );
}

#[test]
fn the_analysis_knows_bottom_and_no_values() {
    check("(defn f[x y] (case 1 [1 x] [_ (add x y)]))", &[("f", "x")]);
}

#[test]
fn what_local_functions_capture_are_parameters() {
    check(
        "(defn f[k n] (letrec ([go (fn [m a] (if (eq m 0) a (go (sub m 1) (add a k))))]) (go n 0)))
         (defn g[k] (fn [x] (add x k)))",
        &[("f", "n"), ("f$1", "m a"), ("g", ""), ("g$1", "k x")],
    );
}
