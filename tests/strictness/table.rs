//! The functions that every strictness analysis is shown with.

use gmachine::optimise::strictness::listing;

use super::{analysed, check, lifted};

#[test]
fn a_loop_with_an_answer_is_strict_in_it() {
    check("(defn f[x y] (if (eq x 0) y (f (sub x 1) y)))", &[("f", "x y")]);
}

#[test]
fn arithmetic_recursion_is_strict_in_everything() {
    check(
        "(defn abs[n] (if (lt n 0) (negate n) n))
         (defn fac[n] (if (eq n 0) 1 (mul n (fac (sub n 1)))))
         (defn fac-acc[n a] (if (eq n 0) a (fac-acc (sub n 1) (mul n a))))",
        &[("abs", "n"), ("fac", "n"), ("fac-acc", "n a")],
    );
}

#[test]
fn what_the_last_call_does_not_use_is_lazy() {
    check(
        "(defn power[x n] (if (eq n 0) 1 (mul x (power x (sub n 1)))))
         (defn loop[x y r] (if (eq y 0) r (loop x (sub y 1) (mul r x))))",
        &[("power", "n"), ("loop", "y r")],
    );
}

#[test]
fn functions_on_lists_are_strict_in_the_list_they_go_by() {
    check(
        "(defn take[n l]
           (case l [(Nil) Nil] [(Cons x xs) (if (le n 0) Nil (Cons x (take (sub n 1) xs)))]))
         (defn append[xs ys] (case xs [Nil ys] [(Cons z zs) (Cons z (append zs ys))]))
         (defn sum[l] (case l [Nil 0] [(Cons x xs) (add x (sum xs))]))
         (defn sum-acc[l a] (case l [Nil a] [(Cons x xs) (sum-acc xs (add x a))]))
         (defn rev[l a] (case l [Nil a] [(Cons x xs) (rev xs (Cons x a))]))",
        &[("take", "l"), ("append", "xs"), ("sum", "l"), ("sum-acc", "l a"), ("rev", "l")],
    );
}

#[test]
fn a_function_that_is_called_is_evaluated_and_its_arguments_are_not() {
    check(
        "(defn apply[f x] (f x))
         (defn foldl[f z l] (case l [Nil z] [(Cons x xs) (foldl f (f z x) xs)]))",
        &[("apply", "f"), ("foldl", "l")],
    );
}

#[test]
fn two_parameters_may_be_needed_together_and_neither_alone() {
    check(
        "(defn pick[c x y] (if c x y)) (defn both[c x] (pick c x x))",
        &[("pick", "c"), ("both", "c x")],
    );
}

#[test]
fn a_rotation_takes_as_many_iterates_as_there_are_parameters() {
    check("(defn rot[n a b c] (if (eq n 0) a (rot (sub n 1) b c a)))", &[("rot", "n")]);
}

#[test]
fn a_branch_that_fails_wants_everything() {
    check(r#"(defn g[x y] (if (eq x 0) (error "..") y))"#, &[("g", "x y")]);
}

#[test]
fn the_listing_has_a_line_for_each_function() {
    let (program, names) = analysed(
        r#"(defn take[n l]
             (case l [(Nil) Nil] [(Cons x xs) (if (le n 0) Nil (Cons x (take (sub n 1) xs)))]))
           (defn ones[] (Cons 1 ones))
           (defn never[x] (error "never"))
           (defn main[] (if 1 (take 2 ones) (never (fn [_ y] (add y 1)))))"#,
    );
    assert_eq!(
        listing(&program, &names),
        "main: no parameters
take: n lazy, l strict
ones: no parameters
never: x lazy; always fails
main$1: _ lazy, y strict
"
    );
    // Before the pass nothing is known.
    let (program, names) = lifted("(defn main[] (f 1)) (defn f[x] (add x 1))");
    assert_eq!(listing(&program, &names), "main: no parameters\nf: x lazy\n");
}
