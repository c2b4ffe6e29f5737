//! Functions that constructors hold: monads in newtypes, dictionaries, functions that know themselves; and what a
//! loop needs for its next turn.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::run_optimised;
use super::twins::cost_the_same;

/// What there is to see through, the program, and the same written out.
const TWINS: &[(&str, &str, &str)] = &[
    (
        "a loop in a monad of state that is a constructor with a function in it",
        "(data State (State f)) (defn run[m s] (case m [(State f) (f s)]))
         (defn ret[x] (State (fn [s] (Pair x s))))
         (defn bind[m k] (State (fn [s] (case (run m s) [(Pair a t) (run (k a) t)]))))
         (defn get[] (State (fn [s] (Pair s s)))) (defn put[t] (State (fn [_] (Pair 0 t))))
         (defn count[n] (if (eq n 0) get (bind get (fn [s] (bind (put (add s n))
           (fn [_] (bind (count (sub n 1)) (fn [r] (ret (add r 1))))))))))
         (defn main[] (case (run (count 1000) 0) [(Pair a s) (add a s)]))",
        "(defn count[n s] (if (eq n 0) (Pair s s)
           (case (count (sub n 1) (add s n)) [(Pair r t) (Pair (add r 1) t)])))
         (defn main[] (case (count 1000 0) [(Pair a s) (add a s)]))",
    ),
    (
        "a tree that is labelled in that monad",
        "(data State (State f)) (defn run[m s] (case m [(State f) (f s)]))
         (defn ret[x] (State (fn [s] (Pair x s))))
         (defn bind[m k] (State (fn [s] (case (run m s) [(Pair a t) (run (k a) t)]))))
         (defn tick[] (State (fn [s] (Pair s (add s 1)))))
         (data Tree (Leaf) (Node l x r))
         (defn build[n] (if (eq n 0) Leaf (Node (build (sub n 1)) n (build (sub n 1)))))
         (defn label[t] (case t [Leaf (ret Leaf)] [(Node l x r)
           (bind (label l) (fn [a] (bind tick (fn [n] (bind (label r) (fn [b] (ret (Node a (add n x) b))))))))]))
         (defn total[t] (case t [Leaf 0] [(Node l x r) (add (total l) (add x (total r)))]))
         (defn main[i] (case (run (label (build (add 9 (length i)))) 0) [(Pair t s) (add (total t) s)]))",
        "(data Tree (Leaf) (Node l x r))
         (defn build[n] (if (eq n 0) Leaf (Node (build (sub n 1)) n (build (sub n 1)))))
         (defn label[t s] (case t [Leaf (Pair Leaf s)] [(Node l x r)
           (case (label l s) [(Pair a n) (case (label r (add n 1)) [(Pair b u) (Pair (Node a (add n x) b) u)])])]))
         (defn total[t] (case t [Leaf 0] [(Node l x r) (add (total l) (add x (total r)))]))
         (defn main[i] (case (label (build (add 9 (length i))) 0) [(Pair t s) (add (total t) s)]))",
    ),
    (
        "the same with what runs it returning the function",
        "(data App (App f)) (defn run[m] (case m [(App f) f]))
         (defn bind[m k] (App (fn [s] (case (run m s) [(Pair a t) (run (k a) t)]))))
         (defn then[m n] (bind m (fn [_] n)))
         (defn gets[g] (App (fn [s] (Pair (g s) s)))) (defn modify[g] (App (fn [s] (Pair Nil (g s)))))
         (defn loop[k] (if (eq k 0) (gets id) (then (modify (add (rem k 9))) (loop (sub k 1)))))
         (defn main[i] (case (run (loop (add 1000 (length i))) 0) [(Pair x s) (add x s)]))",
        "(defn loop[k s] (if (eq k 0) (add s s) (loop (sub k 1) (add (rem k 9) s))))
         (defn main[i] (loop (add 1000 (length i)) 0))",
    ),
    (
        "an environment, a state and failure in one constructor",
        "(data App (App run)) (data Res (Err e) (Ok x s)) (defn run[m] (case m [(App f) f]))
         (defn bind[m f] (App (fn [r s] (case (run m r s) [(Err e) (Err e)] [(Ok x t) (run (f x) r t)]))))
         (defn then[m n] (bind m (fn [_] n)))
         (defn asks[g] (App (fn [r s] (Ok (g r) s)))) (defn modify[g] (App (fn [_ s] (Ok Nil (g s)))))
         (defn gets[g] (App (fn [_ s] (Ok (g s) s)))) (defn throw[e] (App (fn [_ _] (Err e))))
         (defn catch[m h] (App (fn [r s] (case (run m r s) [(Err e) (run (h e) r s)] [ok ok]))))
         (defn ret[x] (App (fn [_ s] (Ok x s))))
         (defn check[] (bind (asks fst) (fn [l] (bind (gets (lt l)) (fn [c] (if c (throw 7) (ret Nil)))))))
         (defn step[k] (then (modify (add (rem k 9))) (catch check (fn [e] (modify (fn [s] (sub e (rem s 5))))))))
         (defn loop[k] (if (eq k 0) (gets id) (then (step k) (loop (sub k 1)))))
         (defn main[i] (case (run (loop (add 1000 (length i))) (Pair 500 0) 0) [(Err e) e] [(Ok x s) (add x s)]))",
        "(defn loop[k s] (if (eq k 0) (add s s) (let ([t (add (rem k 9) s)])
           (if (lt 500 t) (loop (sub k 1) (sub 7 (rem t 5))) (loop (sub k 1) t)))))
         (defn main[i] (loop (add 1000 (length i)) 0))",
    ),
    (
        "a parser in a constructor, which is made of itself",
        "(data P (P run)) (defn run[p] (case p [(P f) f]))
         (defn ret[x] (P (fn [s] (Just (Pair x s)))))
         (defn bind[p f] (P (fn [s] (case (run p s) [(Nothing) Nothing] [(Just (Pair x t)) (run (f x) t)]))))
         (defn alt[p q] (P (fn [s] (case (run p s) [(Nothing) (run q s)] [r r]))))
         (defn item[c] (P (fn [s] (case s [(Cons d t) (if (eq c d) (Just (Pair d t)) Nothing)] [_ Nothing]))))
         (defn nest[] (alt (bind (item '(') (fn [_] (bind nest (fn [a] (bind (item ')')
           (fn [_] (bind nest (fn [b] (ret (max (add a 1) b)))))))))) (ret 0)))
         (defn text[n] (if (eq n 0) \"()\" (append \"(()(()))\" (text (sub n 1)))))
         (defn main[i] (case (run nest (text (add 150 (length i))))
           [(Nothing) -1] [(Just (Pair d rest)) (add (mul d 100) (length rest))]))",
        "(defn nest[s] (case s
           [(Cons '(' t) (case (nest t)
             [(Just (Pair a (Cons ')' u))) (case (nest u) [(Just (Pair b v)) (Just (Pair (max (add a 1) b) v))] [_ (Just (Pair 0 s))])]
             [_ (Just (Pair 0 s))])]
           [_ (Just (Pair 0 s))]))
         (defn text[n] (if (eq n 0) \"()\" (append \"(()(()))\" (text (sub n 1)))))
         (defn main[i] (case (nest (text (add 150 (length i))))
           [(Nothing) -1] [(Just (Pair d rest)) (add (mul d 100) (length rest))]))",
    ),
    (
        "a fold in a monad that is given as a dictionary",
        "(data Monad (Monad ret bind))
         (defn state[] (Monad (fn [x s] (Pair x s)) (fn [m f s] (case (m s) [(Pair x t) (f x t)]))))
         (defn fold[d f z xs] (case d [(Monad ret bind)
           (case xs [(Nil) (ret z)] [(Cons x t) (bind (f z x) (fn [y] (fold d f y t)))])]))
         (defn step[z x] (fn [s] (Pair (add z (mul s x)) (rem (add s 7) 13))))
         (defn main[i] (case (fold state step 0 (range 1 (add 1000 (length i))) 1) [(Pair a s) (add a s)]))",
        "(defn main[i] (go 0 1 (add 1000 (length i)) 1))
         (defn go[z x n s] (if (gt x n) (add z s) (go (add z (mul s x)) (add x 1) n (rem (add s 7) 13))))",
    ),
    (
        "a fold whose dictionary's functions are selected",
        "(data Monad (Monad ret bind)) (defn ret[d] (case d [(Monad r _) r])) (defn bind[d] (case d [(Monad _ b) b]))
         (defn state[] (Monad (fn [x s] (Pair x s)) (fn [m f s] (case (m s) [(Pair x t) (f x t)]))))
         (defn fold[d f z xs] (case xs [(Nil) (ret d z)] [(Cons x t) (bind d (f z x) (fn [y] (fold d f y t)))]))
         (defn step[z x] (fn [s] (Pair (add z (mul s x)) (rem (add s 7) 13))))
         (defn main[i] (case (fold state step 0 (range 1 (add 1000 (length i))) 1) [(Pair a s) (add a s)]))",
        "(defn main[i] (go 0 1 (add 1000 (length i)) 1))
         (defn go[z x n s] (if (gt x n) (add z s) (go (add z (mul s x)) (add x 1) n (rem (add s 7) 13))))",
    ),
    (
        "a function that is composed with itself many times, and applied in the end",
        "(data Monoid (Monoid empty op)) (defn endo[] (Monoid id compose))
         (defn times[d n x] (case d [(Monoid e o) (if (eq n 0) e (o x (times d (sub n 1) x)))]))
         (defn main[i] (times endo (add 1000 (length i)) (fn [x] (rem (add (mul x 5) 3) 8191)) 1))",
        "(defn go[n x] (if (eq n 0) x (rem (add (mul (go (sub n 1) x) 5) 3) 8191)))
         (defn main[i] (go (add 1000 (length i)) 1))",
    ),
    (
        "a constant that knows itself by a fixpoint",
        "(defn fix'[f] (letrec ([x (f x)]) x))
         (defn ack[] (fix' (fn [self m n] (if (eq m 0) (add n 1)
           (if (eq n 0) (self (sub m 1) 1) (self (sub m 1) (self m (sub n 1))))))))
         (defn main[i] (ack 2 (add 12 (length i))))",
        "(defn ack[m n] (if (eq m 0) (add n 1)
           (if (eq n 0) (ack (sub m 1) 1) (ack (sub m 1) (ack m (sub n 1))))))
         (defn main[i] (ack 2 (add 12 (length i))))",
    ),
    (
        "a constant that knows itself by a letrec",
        "(defn ack[] (letrec ([x (step x)]) x))
         (defn step[self m n] (if (eq m 0) (add n 1)
           (if (eq n 0) (self (sub m 1) 1) (self (sub m 1) (self m (sub n 1))))))
         (defn main[i] (ack 2 (add 12 (length i))))",
        "(defn ack[m n] (if (eq m 0) (add n 1)
           (if (eq n 0) (ack (sub m 1) 1) (ack (sub m 1) (ack m (sub n 1))))))
         (defn main[i] (ack 2 (add 12 (length i))))",
    ),
    (
        "a loop over a record that each of several handlers changes",
        "(data Ev (Key c) (Move d) (Clock)) (data St (St pos keys ticks))
         (defn key[e s] (case e [(Key c) (case s [(St p k t) (St p (add k c) t)])] [_ s]))
         (defn move[e s] (case e [(Move d) (case s [(St p k t) (St (add p d) k t)])] [_ s]))
         (defn clock[e s] (case e [(Clock) (case s [(St p k t) (St p k (add t 1))])] [_ s]))
         (defn fire[e s] (foldl (fn [t h] (h e t)) s [key move clock]))
         (defn event[n] (case (rem n 3) [0 (Key (rem n 7))] [1 (Move (sub (rem n 5) 2))] [_ Clock]))
         (defn run[n s] (if (eq n 0) s (run (sub n 1) (fire (event n) s))))
         (defn main[i] (case (run (add 1000 (length i)) (St 0 0 0)) [(St p k t) (add (mul 1000 p) (add k t))]))",
        "(defn run[n p k t] (if (eq n 0) (add (mul 1000 p) (add k t)) (case (rem n 3)
           [0 (run (sub n 1) p (add k (rem n 7)) t)]
           [1 (run (sub n 1) (add p (sub (rem n 5) 2)) k t)]
           [_ (run (sub n 1) p k (add t 1))])))
         (defn main[i] (run (add 1000 (length i)) 0 0 0))",
    ),
    (
        "a lazy monad of state in a constructor, whose pairs are selected from",
        "(data State (State f)) (defn run[m] (case m [(State f) f]))
         (defn ret[x] (State (fn [s] (Pair x s))))
         (defn bind[m k] (State (fn [s] (let ([r ((run m) s)]) ((run (k (fst r))) (snd r))))))
         (defn get[] (State (fn [s] (Pair s s)))) (defn put[t] (State (fn [s] (Pair 0 t))))
         (defn count[n] (if (eq n 0) (ret 0) (bind get (fn [s] (bind (put (add s n))
           (fn [_] (bind (count (sub n 1)) (fn [r] (ret (add r 1))))))))))
         (defn main[] (case ((run (count 1000)) 0) [(Pair a s) (add a s)]))",
        "(defn count[n s] (if (eq n 0) (Pair 0 s)
           (let ([r (count (sub n 1) (add s n))]) (Pair (add (fst r) 1) (snd r)))))
         (defn main[] (case (count 1000 0) [(Pair a s) (add a s)]))",
    ),
    (
        "a choice by several comparisons in turn, put together of functions",
        "(defn lastDigit[x] (rem x 10))
         (defn cmp[] (compareThen (on compare lastDigit) (compareThen (flip (comparing (fn [x] (rem x 17)))) compare)))
         (defn pick[a b] (if (gt (cmp a b) 0) a b))
         (defn go[x n best] (if (gt x n) best (go (add x 1) n (pick best (rem (mul x 331) 4093)))))
         (defn main[i] (go 1 (add 2500 (length i)) 0))",
        "(defn go[x n best]
           (if (gt x n) best
             (let ([y (rem (mul x 331) 4093)])
               (let ([a (rem best 10)] [b (rem y 10)])
                 (if (lt a b) (go (add x 1) n y)
                   (if (lt b a) (go (add x 1) n best)
                     (let ([c (rem best 17)] [d (rem y 17)])
                       (if (lt d c) (go (add x 1) n y)
                         (if (lt c d) (go (add x 1) n best)
                           (if (le best y) (go (add x 1) n y) (go (add x 1) n best)))))))))))
         (defn main[i] (go 1 (add 2500 (length i)) 0))",
    ),
    (
        "a maximum by a dictionary of orders that is made of others",
        "(data Eq (Eq same))
         (data Ord (Ord eqDict cmp))
         (defn intOrd[] (Ord (Eq eq) compare))
         (defn pairOrd[a b]
           (case a [(Ord (Eq e) c) (case b [(Ord (Eq f) d)
             (Ord (Eq (eqPair e f)) (comparePair c d))])]))
         (defn flipOrd[o] (case o [(Ord e c) (Ord e (flip c))]))
         (defn less[o x y] (case o [(Ord _ c) (lt (c x y) 0)]))
         (defn maxBy[o x y] (if (less o x y) y x))
         (defn key[x] (Pair (rem (mul x 31) 64) (rem x 50)))
         (defn main[]
           (case (foldl' (maxBy (pairOrd intOrd (flipOrd intOrd))) (Pair 0 0) (map key (range 1 3000)))
             [(Pair a b) (add (mul 100 a) b)]))",
        "(defn main[] (go 1 0 0))
         (defn go[x a b]
           (if (gt x 3000) (add (mul 100 a) b)
             (let ([c (rem (mul x 31) 64)] [d (rem x 50)])
               (if (lt a c) (go (add x 1) c d)
                 (if (eq a c)
                   (if (lt d b) (go (add x 1) c d) (go (add x 1) a b))
                   (go (add x 1) a b))))))",
    ),
    (
        "an operator in a record that several branches make, and two functions look at",
        "(data Op (Op weight fun)) (defn weight[o] (case o [(Op w _) w])) (defn fun[o] (case o [(Op _ f) f]))
         (defn next[k] (let ([r (rem k 4)]) (if (eq r 0) (Op 1 add) (if (eq r 1) (Op 2 sub) (if (eq r 2) (Op 3 max) (Op 4 min))))))
         (defn go[k n s] (if (gt k n) s (let ([o (next k)]) (seq o
           (go (add k 1) n (rem (mul (weight o) ((fun o) s k)) 1009))))))
         (defn main[i] (go 1 (add 1000 (length i)) 0))",
        "(defn go[k n s] (if (gt k n) s (let ([r (rem k 4)])
           (if (eq r 0) (go (add k 1) n (rem (mul 1 (add s k)) 1009)) (if (eq r 1) (go (add k 1) n (rem (mul 2 (sub s k)) 1009))
           (if (eq r 2) (go (add k 1) n (rem (mul 3 (max s k)) 1009)) (go (add k 1) n (rem (mul 4 (min s k)) 1009))))))))
         (defn main[i] (go 1 (add 1000 (length i)) 0))",
    ),
];

#[test]
fn what_a_constructor_holds_costs_no_more_than_written_out() {
    cost_the_same(TWINS);
}

/// Each selection wants a variant of its own of the same function. There are not so many: what is left selects
/// from a call.
#[test]
fn what_selects_more_often_than_there_are_variants_selects() {
    let many = 400;
    let runs: String = (0..many)
        .map(|k| format!("(defn r{k}[m s] (case m [(State f) (f (add s {k}))]))\n"))
        .collect();
    let sum = (0..many).fold("0".to_owned(), |sum, k| format!("(add {sum} (r{k} (go 3 i) {k}))"));
    let source = format!(
        "(data State (State f)) {runs}
         (defn go[n i] (if (eq n (length i)) (State (add 1)) (if (eq n 99) (State (mul 2)) (go (sub n 1) i))))
         (defn main[i] {sum})"
    );
    let expected: u64 = (0..many).map(|k| 2 * k + 1).sum();
    for level in [0, 2] {
        let run =
            run_optimised(&source, "", Format::Default, Config::default(), Passes::level(level));
        assert_eq!((&run.failure, run.output.trim()), (&None, &*expected.to_string()), "-O{level}");
    }
}

/// All that a walk over a tree ends in are calls of other functions, and these end in the constructor.
#[test]
fn what_is_held_is_known_through_the_calls_that_a_definition_ends_in() {
    let source = "(data State (State f)) (defn run[m s] (case m [(State f) (f s)]))
        (defn ret[x] (State (fn [s] (Pair x s))))
        (defn bind[m k] (State (fn [s] (case (run m s) [(Pair a t) (run (k a) t)]))))
        (defn tick[] (State (fn [s] (Pair s (add s 1)))))
        (data Tree (Leaf) (Node l x r))
        (defn build[n] (if (eq n 0) Leaf (Node (build (sub n 1)) n (build (sub n 1)))))
        (defn label[t] (case t [Leaf (leaf 0)] [(Node l x r) (if (odd x) (left l x r) (right l x r))]))
        (defn leaf[n] (if (eq n 0) (ret Leaf) (bind tick (fn [_] (ret Leaf)))))
        (defn left[l x r] (bind (label l) (fn [a] (bind tick (fn [n] (bind (label r) (fn [b] (ret (Node a (add n x) b)))))))))
        (defn right[l x r] (bind (label r) (fn [b] (bind tick (fn [n] (bind (label l) (fn [a] (ret (Node a (add n x) b)))))))))
        (defn total[t] (case t [Leaf 0] [(Node l x r) (add (total l) (add x (total r)))]))
        (defn main[i] (case (run (label (build (add 9 (length i)))) 0) [(Pair t s) (add (total t) s)]))";
    let run = run_optimised(source, "", Format::Default, Config::default(), Passes::level(2));
    assert_eq!((&run.failure, run.output.trim()), (&None, "131829"));
    // Three times as many without.
    assert!(run.statistics.reductions < 4_000, "{}", run.statistics.reductions);
}

/// What a constructor holds is evaluated once, however often it is taken out.
#[test]
fn a_function_that_is_taken_out_twice_is_made_once() {
    let [once, twice] = ["(run m 1)", "(add (run m 1) (run m 2))"].map(|uses| {
        let source = format!(
            "(data State (State f)) (defn run[m s] (case m [(State f) (f s)]))
            (defn made[n] (seq (rem 7 n) (State (pick n))))
            (defn pick[n] (if (gt n 1000) (add n) (pick (add n 1))))
            (defn main[i] (let ([m (made (add 1 (length i)))]) {uses}))"
        );
        run_optimised(&source, "", Format::Default, Config::default(), Passes::level(2))
    });
    assert_eq!([once.output.trim(), twice.output.trim()], ["1002", "2005"]);
    let [once, twice] = [once, twice].map(|run| run.statistics.reductions);
    assert!(twice < once + once / 2, "{once}, then {twice}");
}
