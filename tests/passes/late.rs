//! What is known only once strictness analysis has run, or of a value that is part of itself.

use gmachine::driver::Stage;
use gmachine::optimise::{Pass, Passes};

use super::{built, run, same_after, shown};

/// Reductions and the nodes that are allocated for 3,000 rounds more, after all passes; the value is
/// that without passes.
#[track_caller]
fn rounds(text: &str, passes: Passes) -> (u64, u64) {
    let of = |n: u64| {
        let text = text.replace('N', &n.to_string());
        let plain = run(&text, Passes::NONE, 10_000_000, false).0.expect("a value");
        let (value, work) = run(&text, passes, 10_000_000, false);
        assert_eq!(value.expect("a value"), plain, "{text}");
        work
    };
    let [less, more] = [of(1_000), of(4_000)];
    (more.reductions - less.reductions, more.allocations - less.allocations)
}

const GO: &str = "(defn main[i] (go (add N (length i)) 0))";

/// The only mention of one is in a body that there are several copies of.
#[test]
fn a_function_that_copies_mention_stays_a_definition() {
    let text = format!(
        "{GO} (defn go[n s] (if (eq n 0) s (go (sub n 1) (add (f (add s n)) (mul (f n) (f s))))))
         (defn f[x] (rem (g x) 97))
         (defn g[x] (if (lt x 50) (add (mul x x) (sub x 7)) (if (lt x 1000) (sub x 3) (div x 3))))"
    );
    rounds(&text, Passes::level(1));
    rounds(&text, Passes::ALL);
}

/// One that does not call itself is inlined in those that do, as if it were not recursive.
#[test]
fn functions_of_a_loop_are_inlined_but_one() {
    let text = "(defn main[i] (tree (add 8 (length i))))
        (defn tree[n] (if (eq n 0) 1 (add (pair (sub n 1)) (mul 2 (pair (sub n 1))))))
        (defn pair[n] (add (tree n) 3))";
    for level in [1, 2] {
        let (value, work) = run(text, Passes::level(level), 10_000_000, false);
        let plain = run(text, Passes::NONE, 10_000_000, false).0;
        assert_eq!(value.expect("a value"), plain.expect("a value"));
        assert!(work.reductions < (1 << 14) + 10, "-O{level}: {} reductions", work.reductions);
    }
}

/// A function that is called at ends of two loops, twice in each.
const NODES: &str = "(data Tree (Leaf) (Node left key right))
    (defn main[i] (weigh (fill (add 200 (length i)) Leaf)))
    (defn fill[n t] (if (eq n 0) t (fill (sub n 1) (put (rem (mul n 7919) 1009) t))))
    (defn put[k t] (case t [Leaf (Node Leaf k Leaf)]
      [(Node l m r) (if (lt k m) (node (put k l) m r) (node l m (put k r)))]))
    (defn drop[k t] (case t [Leaf Leaf] [(Node l m r)
      (if (eq k m) r (if (lt k m) (node (drop k l) m r) (node l m (drop k r))))]))
    (defn node[l m r] (case l
      [Leaf (case r [Leaf (Node l m r)]
        [(Node a b c) (if (lt b m) (Node r b c) (Node l m r))])]
      [(Node d e f) (case r [Leaf (if (gt e m) (Node d m f) (Node l m r))]
        [(Node a b c) (if (lt b e) (Node l b c) (Node l m r))])]))
    (defn weigh[t] (case t [Leaf 1] [(Node l k r)
      (rem (add (add (mul 3 (weigh (drop k l))) k) (mul 5 (weigh r))) 99991)]))";

#[test]
fn what_loops_end_in_is_a_join_point_of_each() {
    let plain = run(NODES, Passes::NONE, 10_000_000, false).0.expect("a value");
    for level in [1, 2] {
        let (value, work) = run(NODES, Passes::level(level), 10_000_000, false);
        assert_eq!(value.expect("a value"), plain);
        let program = shown(&built(NODES, Passes::level(level), Stage::Optimised));
        assert!(!program.contains("(node "), "{program}");
        assert!(program.contains("(defn drop[k t] (join [(j l m r)"), "{program}");
        assert!(work.reductions < 3_000, "-O{level}: {} reductions", work.reductions);
        // What the function is strict in is evaluated before the jump, and no thunk.
        assert!(program.contains("(drop k l'1)] (jump j "), "{program}");
    }
}

/// Several ways lead to the same place with the same number: what is done with it is done at compile time.
#[test]
fn a_literal_that_all_jumps_pass_is_known_where_they_lead() {
    let text = |last: &str| {
        format!(
            "(data T (A n) (B n) (C))
             (defn main[i] (map (fn [c] (one (case c ['a' (A (length i))] ['b' (B 3)] [_ C]))) i))
             (defn one[t] (case t [(A n) (two n 2)] [(B n) (two (mul n 5) 2)] [C (two 7 {last})]))
             (defn two[n k] (if (gt n 4) (Pair n (add k 1)) (Pair (add n 1) (mul k 3))))"
        )
    };
    for (last, is_known) in [("2", true), ("9", false)] {
        let text = text(last);
        let program = shown(&built(&text, Passes::level(1), Stage::Optimised));
        assert_eq!(program.contains("(Pair n 3)"), is_known, "{program}");
        same_after(&text, &[Passes::level(1), Passes::ALL]);
    }
}

/// The parameter of what is inlined is a name for what an alternative is of.
#[test]
fn what_has_been_taken_apart_is_not_taken_apart_again_by_what_is_inlined() {
    let text = "(defn main[i] (map f [(map ord i) [5] Nil [1 2] [5 5 5]]))
        (defn f[xs] (case xs [Nil 0]
          [(Cons x t) (if (eq x 5) (add (top xs) 5) (mul (top xs) (top t)))]))
        (defn top[xs] (case xs [Nil 7] [(Cons x t) (if (gt x 50) (mul x 3)
          (case t [Nil (add x x)] [(Cons y _) (sub (mul x y) (mul 3 (add x y)))]))]))";
    let program = shown(&built(text, Passes::level(1), Stage::Optimised));
    let (_, f) = program.split_once("(defn f[xs]").expect("its definition");
    let (f, _) = f.split_once("(defn ").expect("another one");
    assert_eq!(f.matches("(switch (force xs)").count(), 1, "{program}");
    same_after(text, &[Passes::level(1), Passes::ALL]);
}

/// Strictness analysis has one field evaluated; the other one is known then.
#[test]
fn what_follows_a_field_of_a_record_knows_the_others() {
    let text = "(defn main[i] (case (carry 0 (map ord i))
          [(Pair c ys) (if (eq c 0) ys (append ys [c]))]))
        (defn carry[s xs] (case xs [Nil (Pair s Nil)]
          [(Cons x t) (let ([p (carry (div (add s (mul 7 x)) 10) t)])
            (Pair (fst p) (Cons (add s x) (snd p))))]))";
    let program = shown(&built(text, Passes::level(1), Stage::Optimised));
    assert!(!program.contains("(snd "), "{program}");
    same_after(text, &[Passes::level(1), Passes::ALL]);
}

/// A name of its own would have to be evaluated again, and of the variable nothing would be known.
#[test]
fn what_takes_its_argument_apart_takes_a_variable_apart() {
    let text = "(data T (Tip) (Node h l r))
        (defn main[i] (depth (go (add 9 (length i)) Tip)))
        (defn go[n t] (if (eq n 0) t (go (sub n 1) (lean t (go (div n 3) Tip)))))
        (defn depth[t] (case t [Tip 0] [(Node h l r) (add (height l) (add h (depth r)))]))
        (defn height[t] (case t [Tip 0] [(Node h _ _) h]))
        (defn lean[l r] (if (gt (sub (height l) (height r)) 1) (Node (height l) r l)
          (Node (add 1 (height r)) l r)))";
    let program = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(program.contains("(add 1 (switch (force r)"), "{program}");
    same_after(text, &[Passes::ALL]);
}

/// Another function calls it too.
#[test]
fn what_a_loop_calls_on_its_way_is_in_it() {
    let text = format!(
        "{GO} (defn go[n s] (if (eq n 0) (slow 9 s)
           (let ([m (if (odd n) (f n s) (rem (mul s n) 91))]) (seq m (go (sub n 1) m)))))
         (defn slow[n s] (if (eq n 0) s (slow (sub n 1) (f s n))))
         (defn f[x y] (if (gt x 5)
           (if (gt y 70) (rem (add (mul x y) (mul 3 y)) 97) (rem (mul y (add x 11)) 89))
           (if (gt y 7) (rem (add (mul x 5) (mul y y)) 83) (add (mul 3 y) x))))"
    );
    assert_eq!(rounds(&text, Passes::ALL).0, 3_000);
}

/// Those that are no loops have no copies.
#[test]
fn what_many_functions_call_is_in_the_one_loop_among_them() {
    let others: String = (1..6)
        .map(|at| {
            format!("(defn k{at}[x r] (if (gt x {at}) (Pair (f x {at}) r) (Pair r (f {at} x))))")
        })
        .collect();
    let text = format!(
        "{GO} {others} (defn go[n s] (if (eq n 0) (k1 s (k2 s (k3 s (k4 s (k5 s 0)))))
           (let ([m (f n s)]) (seq m (go (sub n 1) m)))))
         (defn f[x y] (if (gt x 5)
           (if (gt y 70) (rem (add (mul x y) (mul 3 y)) 97) (rem (mul y (add x 11)) 89))
           (if (gt y 7) (rem (add (mul x 5) (mul y y)) 83) (add (mul 3 y) x))))"
    );
    for passes in [Passes::level(1), Passes::ALL] {
        assert_eq!(rounds(&text, passes).0, 3_000);
    }
}

/// What was called from one place is called from several once there are variants.
#[test]
fn variants_cost_no_calls() {
    let read = |name: &str| {
        let file = format!("{}/benches/others/{name}.plain.core", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(file).expect("a program")
    };
    // In `dice` the loop goes on in a handler: a branch that jumps there is on its way.
    let rows = [
        ("dice", 0.66),
        ("leftheap", 1.0),
        ("rosepaths", 1.0),
        ("treezipper", 1.0),
        ("luhn", 1.0),
        ("armstrong", 1.0),
        ("histogram", 1.0),
    ];
    for (name, most) in rows {
        let text = read(name);
        let of = |level| run(&text, Passes::level(level), 10_000_000, false).1.reductions as f64;
        let (one, two) = (of(1), of(2));
        assert!(two <= most * one, "{name}: {two} reductions at -O2, {one} at -O1");
    }
}

/// A parameter that is used in one branch only is bound where that is.
#[test]
fn what_is_inlined_late_is_given_no_thunk_for_one_branch() {
    let text = "(defn main[i] (go (add 300 (length i)) 0))
        (defn go[n s] (if (eq n 0) s (go (sub n 1) (rem (add s (any (odd n) (down s))) 101))))
        (defn any[x y] (if x 3 (if y 2 1)))
        (defn down[n] (if (lt n 2) n (down (sub n 2))))";
    let program = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(program.contains("(if (down s) 2 1)"), "{program}");
    same_after(text, &[Passes::ALL]);
}

/// What is built for a call that may never be done holds numbers that are there, not how to compute them.
#[test]
fn what_is_computed_for_a_lazy_call_stays_before_it() {
    let text = "(defn main[i] (go (add 300 (length i)) 0 i))
        (defn go[n m i] (if (eq n 0) (if (null i) m 0)
          (let ([x (rem n 100)]) (go (sub n 1) (if (gt m x) m x) i))))";
    let program = shown(&built(text, Passes::ALL, Stage::Optimised));
    assert!(program.contains("(let ([t (rem n 100)]) (go "), "{program}");
}

#[test]
fn what_a_letrec_binds_is_known_in_its_body_and_made_once() {
    let text = format!(
        "{GO} (defn go[n s] (if (eq n 0) s (go (sub n 1) (letrec
           ([r (Pair n (fn [x] (add (fst r) x)))]) (add s ((snd r) 1))))))"
    );
    assert_eq!(rounds(&text, Passes::ALL).0, 3_000);
    // A field that is not evaluated yet is one thunk, whoever asks for it.
    let text = "(defn main[i] (go (length i)))
        (defn go[k] (letrec ([p (Pair (slow 50 k) p)]) (add (fst p) (fst (snd p)))))
        (defn slow[n k] (if (eq n 0) k (slow (sub n 1) (add k 1))))";
    let (plain, work) = run(text, Passes::NONE, 100_000, false);
    let (found, less) = run(text, Passes::ALL, 100_000, false);
    assert_eq!(found.expect("a value"), plain.expect("a value"));
    assert!(less.reductions < 60 && less.reductions < work.reductions, "{}", less.reductions);
}

/// Knowing them would be to unfold them without end.
#[test]
fn values_that_are_part_of_themselves_end() {
    let rows = [
        "(letrec ([d (Pair (fn [n] (if (eq n 0) 0 ((fst d) (sub n 1)))) d)]) ((fst (snd d)) k))",
        "(letrec ([xs (Cons k (Cons 2 xs))]) (sum (take 7 (tail xs))))",
        "(letrec ([a (Pair k b)] [b (Pair (fn [x] (add (fst a) x)) a)]) ((fst (snd (snd b))) 1))",
        "(letrec ([e (Cons (Pair 1 (fn [n] (if (eq n 0) (length e)
           ((snd (head e)) (sub n 1))))) Nil)]) ((snd (head e)) k))",
    ];
    for row in rows {
        let text = format!("(defn main[i] (go (length i))) (defn go[k] {row})");
        let plain = run(&text, Passes::NONE, 100_000, false).0.map_err(drop);
        let found = run(&text, Passes::ALL, 100_000, false).0.map_err(drop);
        assert_eq!(found, plain, "{text}");
    }
}

/// Which of the literals of a call becomes a parameter: not one that the function only counts down.
#[test]
fn a_call_of_literals_is_specialised_to_its_small_counters() {
    let text = "(defn main[] (ack 2 N)) (defn ack[m n] (if (eq m 0) (add n 1)
        (if (eq n 0) (ack (sub m 1) 1) (ack (sub m 1) (ack m (sub n 1))))))";
    let of = |n: u64, passes| {
        run(&text.replace('N', &n.to_string()), passes, 10_000_000, false).1.reductions
    };
    let (plain, found) = (of(100, Passes::level(1)), of(100, Passes::ALL));
    assert!(10 * found < 6 * plain, "{plain} reductions, then {found}");
}

/// A program, told by what it shows; what is left of it; and what is not.
type Left = (&'static str, &'static str, &'static [&'static str]);

/// Checks that programs do the same, and what is left of them after the passes of `-O1`.
#[track_caller]
fn leaves(cases: &[Left]) {
    for (case, left, gone) in cases {
        let (what, text) = case.split_once(':').expect("what it is and the program");
        let text = format!("{GO} {text}");
        rounds(&text, Passes::level(1));
        rounds(&text, Passes::ALL);
        let program = shown(&built(&text.replace('N', "9"), Passes::level(1), Stage::Optimised));
        let is_left = gone.iter().any(|gone| program.contains(gone));
        assert!(program.contains(left) && !is_left, "{what}: {program}");
    }
}

/// What inlining has put beside what it is passed is computed, chosen and called there; what it is passed is made
/// once, and only what an alternative uses of it has a name.
#[test]
fn what_late_inlining_makes_known_is_not_left_to_the_run() {
    let cases: [Left; 4] = [
        (
            "a literal in a sum, a comparison and a case:
             (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (mul (f n) (g 3 n)))))) (defn f[x] (g 2 x))
             (defn g[k x] (if (lt (add k 1) 4) (case k [2 (add k x)] [_ (sub x k)]) (rem x (add k 4))))",
            "(rem x'1 7)",
            &["(lt ", "(add 2 1)", "(add 3 4)"],
        ),
        (
            "a constructor, with a field that fails and one that is as yet to be evaluated:
             (data P (P a b c)) (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (h (P n (rem (mul n n) 7) (error \"no\")))))))
             (defn h[p] (case p [(P a b _) (if (lt a 5) a (add a (k p)))])) (defn k[p] (case p [(P _ b _) (add b b)]))",
            "(let ([t (rem (mul n n) 7)]) (add n (add t t)))",
            &["(P ", "(error "],
        ),
        (
            "a function that lacks an argument, applied in one branch and passed on in the other:
             (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (u n (v n 3)))))) (defn v[a b c] (add a (mul b c)))
             (defn u[n f] (if (lt n 900) (f n) (w (rem n 3) f))) (defn w[n f] (if (eq n 0) (f 1) (w (sub n 1) f)))",
            "(v n 3 n'1)",
            &["(f n"],
        ),
        (
            "what is known in one alternative is not known in another:
             (data T (A x) (B y) (C)) (defn go[n s] (turns n (A n) s)) (defn turns[n t s] (if (eq n 0) s (turns (sub n 1) (turn n t) (add s (h t)))))
             (defn turn[n t] (if (eq (rem n 3) 0) C (case t [(A x) (B (add x 1))] [_ (A n)])))
             (defn h[t] (case t [(A x) (add x (k t))] [(B _) (add 1 (k t))] [_ (k t)]))
             (defn k[t] (case t [(A x) x] [(B y) (mul 2 y)] [C 7]))",
            "[(A x) (add x x)]",
            &[],
        ),
    ];
    leaves(&cases);
}

/// A choice on what one of several is that inlining has put there is made where each of them is.
#[test]
fn what_an_inlined_choice_comes_to_is_chosen_at_its_ends() {
    let cases: [Left; 4] = [
        (
            "one of the ends is a call, whose value is taken apart there:
             (data R (R a b) (S)) (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (g (f n s) n)))))
             (defn f[a b] (if (odd a) (if (eq (rem a 5) 0) S (R a b)) (h a (add b 1))))
             (defn h[a b] (if (lt a 3) (if (eq a 2) (R b 1) S) (h (div a 2) (add b a))))
             (defn g[o n] (case o [(R x y) (rem (add x (mul 3 y)) 1009)] [S n]))",
            "(force [t (h a (add s 1))] (switch t [(R t'1 t'2) (jump j t'1 t'2)] [(S) n]))",
            &["(R a"],
        ),
        (
            "constructors without fields, some for one alternative, and a failure:
             (data O (L) (E) (G)) (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (g (f n s) n)))))
             (defn f[a b] (let ([x (rem a 7)] [y (rem b 5)])
               (case x [0 L] [1 E] [2 (if (lt y 2) L G)] [9 (error \"nine\")] [_ (if (eq x y) E G)])))
             (defn g[o n] (case o [L (rem n 3)] [E (rem (mul n n) 11)] [_ (add n 7)]))",
            "[9 (error \"nine\")]",
            &[" L", " E", " G", "switch o"],
        ),
        (
            "fields, of several ends and of one, and a default:
             (data R (R a b) (Q c) (S)) (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (g (f n s) n)))))
             (defn f[a b] (case (rem a 7) [0 (R 1 b)] [1 (R a (mul b b))] [2 S] [3 (Q (sub b 1))] [4 (R b a)] [_ (R 2 3)]))
             (defn g[o n] (case o [(R x y) (rem (add x (mul 3 y)) 1009)] [(Q k) (rem (mul k k) 13)] [_ n]))",
            "(jump j 1 s)",
            &["(R ", "(Q ", "switch o"],
        ),
        (
            "what is used beside its fields stays:
             (data R (R a b) (S)) (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (g (f n s) n)))))
             (defn f[a b] (if (odd a) (R a b) (if (eq (rem a 3) 1) S (R b a))))
             (defn g[o n] (case o [(R x y) (if (lt x y) (h 3 o) (h y o))] [S n]))
             (defn h[k o] (if (eq k 0) (case o [(R x y) (rem (add x y) 1009)] [S 1]) (h (div k 2) o)))",
            "(R a s)",
            &[],
        ),
    ];
    leaves(&cases);
}

/// A choice that may never be made has no join points, which stand where something is evaluated.
#[test]
fn a_choice_on_a_choice_stays_where_it_may_never_be_made() {
    let text =
        "(defn main[i] (let ([n (case i [1 ord])]) (find mod (Cons (pick (if n 0 0) chr both) n))))
        (defn pick[c x y] (if c x y)) (defn both[] pick)
        (defn find[k t] (case t [(Cons v _) (v find)]))";
    let few = Passes::NONE.with(Pass::Inline).with(Pass::KnownCase).with(Pass::FloatIn);
    same_after(text, &[few.with(Pass::Strictness), Passes::level(1), Passes::ALL]);
}

/// A comparison that is a function, as a sort takes one, comes to one of three numbers, which are compared again.
#[test]
fn what_compares_is_not_compared() {
    let text = format!(
        "{GO} (defn go[n s] (if (eq n 0) s (go (sub n 1) (foldl' (fn [a x] (rem (add (mul 3 a) x) 1009)) s
           (sort (map (fn [k] (rem (mul k n) 31)) (range 1 9)))))))"
    );
    rounds(&text, Passes::ALL);
    let program = shown(&built(&text.replace('N', "9"), Passes::ALL, Stage::Optimised));
    assert!(program.contains("(lt ") && !program.contains("-1"), "{program}");
}

/// Called elsewhere too, and too large for copies. What calls it outside of the loop has none.
#[test]
fn what_one_place_in_a_loop_calls_is_in_it_however_large() {
    let alternatives: String = (0..9)
        .map(|at| format!("[{at} (rem (add (mul x {at}) (mul y (add x {at}))) 97)]"))
        .collect();
    let text = format!(
        "(defn main[i] (k (go (add N (length i)) 0) (length i)))
         (defn go[n s] (if (eq n 0) s (let ([m (f n s)]) (seq m (go (sub n 1) m)))))
         (defn k[a b] (add a (mul (f b (add b 2)) (f (add b 3) b))))
         (defn f[x y] (case (rem (add x y) 11) {alternatives} [_ 5]))"
    );
    for passes in [Passes::level(1), Passes::ALL] {
        assert_eq!(rounds(&text, passes).0, 3_000);
        let program = shown(&built(&text.replace('N', "9"), passes, Stage::Optimised));
        assert!(program.matches("(f ").count() >= 2, "{program}");
    }
}

/// What is known to be of another type than a case asks for fails when the case is reached, as it does without passes.
#[test]
fn a_case_of_another_type_fails_where_it_is_reached() {
    for case in ["(case x [1 n] [_ 3])", "(case y [(Q a) a] [_ 3])"] {
        let text = format!(
            "(data P (P a) (N)) (data Q (Q a) (R)) (defn main[i] (go (add 3 (length i)) 0))
             (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (f n 'c' (P n))))))
             (defn f[n x y] (add 1 (add (mul n n) (g (rem n 7) x y)))) (defn g[n x y] (if (lt n 9) {case} 0))"
        );
        same_after(&text, &[Passes::level(1), Passes::ALL]);
    }
}
