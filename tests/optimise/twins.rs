//! Programs, and the same without what an optimiser has to see through: both take the same
//! reductions.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::run_optimised;

/// What there is to see through, the program, and its twin.
const TWINS: &[(&str, &str, &str)] = &[
    (
        "a producer in a constructor that a function takes apart",
        "(defn total[m] (case m [Nothing 0] [(Just xs) (sum xs)]))
         (defn main[] (total (Just (map square (range 1 2000)))))",
        "(defn main[] (case (Just (map square (range 1 2000))) [Nothing 0] [(Just xs) (sum xs)]))",
    ),
    (
        "a list of two before the rest",
        "(defn f[a b] (if (gt a b) Nil (append [a (mul a a)] (f (add a 1) b))))
         (defn main[] (sum (f 1 1000)))",
        "(defn f[a b] (if (gt a b) Nil (Cons a (Cons (mul a a) (f (add a 1) b)))))
         (defn main[] (sum (f 1 1000)))",
    ),
    (
        "concatMap with a list of two",
        "(defn main[] (sum (concatMap (fn [k] [k (mul k k)]) (range 1 1000))))",
        "(defn dup[xs] (case xs [Nil Nil] [(Cons x t) (Cons x (Cons (mul x x) (dup t)))]))
         (defn main[] (sum (dup (range 1 1000))))",
    ),
    (
        "concatMap with one of two lists",
        "(defn main[] (sum (concatMap (fn [k] (if (even k) [1 2] [3 k])) (range 1 1000))))",
        "(defn go[k s] (if (gt k 1000) s
           (go (add k 1) (if (even k) (add (add s 1) 2) (add (add s 3) k)))))
         (defn main[] (go 1 0))",
    ),
    (
        "a text of which a call in a pattern decides by the characters",
        "(defn main[] (sum (map (fn [k] (fromMaybe 12 (elemIndex (chr (add 97 (rem k 26))) \"etaoin\")))
           (range 1 500))))",
        "(defn main[] (sum (map (fn [k] (fromMaybe 12 (elemIndex (chr (add 97 (rem k 26)))
           ['e' 't' 'a' 'o' 'i' 'n']))) (range 1 500))))",
    ),
    (
        "a text that a function ends in",
        "(defn bal[n s] (case s [Nil n] [(Cons '(' t) (bal (add n 1) t)] [(Cons _ t) (bal (sub n 1) t)]))
         (defn main[] (bal 0 (concatMap (fn [k] (if (even k) \"()\" \"))\")) (range 1 500))))",
        "(defn bal[n s] (case s [Nil n] [(Cons '(' t) (bal (add n 1) t)] [(Cons _ t) (bal (sub n 1) t)]))
         (defn main[] (bal 0 (concatMap (fn [k] (if (even k) ['(' ')'] [')' ')'])) (range 1 500))))",
    ),
    (
        "a text that is a definition",
        "(defn key[] \"secret\") (defn main[] (sum (map (hash key) (range 1 300))))
         (defn hash[s k] (foldl' (fn [h c] (rem (add (mul h k) (ord c)) 8191)) 1 s))",
        "(defn main[] (sum (map (hash ['s' 'e' 'c' 'r' 'e' 't']) (range 1 300))))
         (defn hash[s k] (foldl' (fn [h c] (rem (add (mul h k) (ord c)) 8191)) 1 s))",
    ),
    (
        "a recursion that comes to a composition",
        "(defn chain[k] (if (eq k 0) id (compose (chain (sub k 1)) (step k))))
         (defn step[k s] (rem (add (mul 3 s) k) 1009)) (defn main[] (chain 1000 1))",
        "(defn chain[k x] (if (eq k 0) x (chain (sub k 1) (step k x))))
         (defn step[k s] (rem (add (mul 3 s) k) 1009)) (defn main[] (chain 1000 1))",
    ),
    (
        "a left fold by a right one",
        "(defn fl[f z xs] (foldr (fn [x k a] (let ([b (f a x)]) (seq b (k b)))) id xs z))
         (defn main[] (fl (fn [a x] (rem (add (mul a 3) x) 1013)) 1 (range 1 1000)))",
        "(defn fl[f z xs] (case xs [Nil z] [(Cons x t) (fl f (f z x) t)]))
         (defn main[] (fl (fn [a x] (rem (add (mul a 3) x) 1013)) 1 (range 1 1000)))",
    ),
    (
        "a loop of continuations",
        "(defn ret[x k] (k x)) (defn bnd[m f k] (m (fn [x] (f x k))))
         (defn prodk[a n] (if (gt a n) (ret 1) (if (eq a 0) (ret 0)
           (bnd (prodk (add a 1) n) (fn [p] (ret (rem (mul a p) 1009)))))))
         (defn main[] (prodk 1 500 id))",
        "(defn ret[x k] (k x)) (defn bnd[m f k] (m (fn [x] (f x k))))
         (defn prodk[a n k] (if (gt a n) (ret 1 k) (if (eq a 0) (ret 0 k)
           (bnd (prodk (add a 1) n) (fn [p] (ret (rem (mul a p) 1009))) k))))
         (defn main[] (prodk 1 500 id))",
    ),
    (
        "a loop of actions of a state that begins with what is known",
        "(defn bnd[m f s] (case (m s) [(Pair x t) (f x t)]))
         (defn visit[k s] (Pair 0 (rem (add s k) 1009)))
         (defn each[f xs s] (case xs [Nil (Pair 0 s)] [(Cons x t) (bnd (f x) (fn [_] (each f t)) s)]))
         (defn main[] (case (each visit (range 1 1000) 0) [(Pair _ s) s]))",
        "(defn each[f xs s] (case xs [Nil s] [(Cons x t) (each f t (f x s))]))
         (defn visit[k s] (rem (add s k) 1009)) (defn main[] (each visit (range 1 1000) 0))",
    ),
    (
        "lists as their folds",
        "(defn range'[a b c n] (if (gt a b) n (c a (range' (add a 1) b c n))))
         (defn map'[f xs c n] (xs (fn [x r] (c (f x) r)) n))
         (defn filter'[p xs c n] (xs (fn [x r] (if (p x) (c x r) r)) n))
         (defn main[] ((map' square (filter' even (range' 1 1000))) add 0))",
        "(defn go[k] (if (gt k 1000) 0
           (if (eq (rem k 2) 0) (add (mul k k) (go (add k 1))) (go (add k 1)))))
         (defn main[] (go 1))",
    ),
    (
        "a fold that ends in one of two constructors, from a known beginning",
        "(defn check[k] (if (eq (rem k 30001) 0) (Left k) (Right (rem (mul k 3) 17))))
         (defn bindE[e f] (case e [(Left x) (Left x)] [(Right y) (f y)]))
         (defn total[a xs] (case xs [Nil (Right a)]
           [(Cons k t) (bindE (check k) (fn [v] (let ([b (add a v)]) (seq b (total b t)))))]))
         (defn main[] (either id id (total 0 (range 1 1000))))",
        "(defn go[a k] (if (gt k 1000) a (if (eq (rem k 30001) 0) k
           (let ([b (add a (rem (mul k 3) 17))]) (seq b (go b (add k 1)))))))
         (defn main[] (go 0 1))",
    ),
];

#[test]
fn what_can_be_seen_through_costs_nothing() {
    let mut wrong = Vec::new();
    for (what, source, twin) in TWINS {
        let [seen, plain] = [source, twin].map(|source| {
            let config = Config { fuel: Some(5_000_000), ..Config::default() };
            run_optimised(source, "", Format::Default, config, Passes::level(2))
        });
        assert_eq!((&seen.failure, &seen.output), (&None, &plain.output), "{what}");
        let (seen, plain) = (seen.statistics.reductions, plain.statistics.reductions);
        if seen > plain + plain / 50 + 20 {
            wrong.push(format!("{what}: {seen} reductions, its twin {plain}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
