//! Partial evaluation never costs reductions: the second level takes no more than the first.

use gmachine::machine::print::Format;
use gmachine::machine::reference::Config;
use gmachine::optimise::Passes;

use super::common::run_optimised;
use super::programs;

/// The reductions of a run at the first and at the second level; 0 if it has no value.
fn reductions(source: &str, input: &str) -> [u64; 2] {
    [1, 2].map(|level| {
        let config = Config { fuel: Some(2_000_000), ..Config::default() };
        let run = run_optimised(source, input, Format::Default, config, Passes::level(level));
        if run.failure.is_some() { 0 } else { run.statistics.reductions }
    })
}

/// Each has been a program that partial evaluation made slower.
const SLOWER_ONCE: &[(&str, &str)] = &[
    (
        "texts that nothing consumes are chosen by functions",
        "(defn main[input] (let ([k (length input)])
           (append (if (lt k 1) \"a\" \"bb\") (append (if (lt k 0) \"a\" \"bb\")
           (append (if (lt k 2) \"a\" \"bb\") (append (if (lt k 3) \"a\" \"bb\")
           (append (if (gt k 4) \"a\" \"bb\") (append (if (gt k 5) \"a\" \"bb\") \"\"))))))))",
    ),
    (
        "a recursion that makes functions, with a list under them",
        "(defn f[k n] (if (gt k n) (fn [i] Nil)
           (let ([r (f (add k 1) n)]) (fn [i] (Cons (mul i k) (r (add i 1)))))))
         (defn main[input] (sum (f 1 (add 300 (length input)) 0)))",
    ),
    (
        "a loop of which all is known is unfolded as far as the steps go, and its end is left",
        "(data Cfg (Cfg x y s))
         (defn move[dx dy c] (case c [(Cfg x y s) (Cfg (add x dx) (add y dy) (add s 1))]))
         (defn walk[n c] (if (eq n 0) c
           (walk (sub n 1) (if (eq (rem n 3) 0) (move 0 1 c) (move 1 0 c)))))
         (defn main[] (case (walk 9000 (Cfg 0 0 0)) [(Cfg x y s) (add x (mul y s))]))",
    ),
    (
        "a loop of which all is known writes a letrec each time round: it is no loop any more, and \
         nothing else is inlined",
        "(defn main[] (go 1000 0))
         (defn go[k s] (if (eq k 0) (work 1 1000 s)
           (go (sub k 1) (letrec ([r (Pair k (fn [x] (add (fst r) x)))]) (add s ((snd r) 1))))))
         (defn work[i n s] (if (gt i n) s (work (add i 1) n (add s (clamp (tri i))))))
         (defn tri[i] (if (gt i 10) (mul i (add i 1)) 7))
         (defn clamp[x] (if (gt x 100) 100 x))",
    ),
    (
        "a consumer of its own results is unfolded in itself",
        "(data T (V n) (A f a)) (data Val (Neu n vs))
         (defn ev[t] (case t [(V n) (Neu n Nil)] [(A f a) (ap (ev f) (ev a))]))
         (defn ap[f v] (case f [(Neu n vs) (Neu n (Cons v vs))]))
         (defn qu[v] (case v [(Neu n vs) (add n (args vs))]))
         (defn args[vs] (case vs [Nil 0] [(Cons v r) (add (args r) (qu v))]))
         (defn mk[d] (if (eq d 0) (V 1) (A (mk (sub d 1)) (mk (sub d 1)))))
         (defn main[] (go 8)) (defn go[d] (qu (ev (mk d))))",
    ),
    (
        "a function is left that only calls a variant, in a circle",
        "(defn main[] (len 0 (ev 1000)))
         (defn len[k xs] (case xs [Nil k] [(Cons _ t) (len (add k 1) t)]))
         (defn ev[n] (step od n 7)) (defn od[n] (step ev n 8))
         (defn step[k n m] (if (eq n 0) Nil (Cons m (k (sub n 1)))))",
    ),
    (
        "what was called in one place is called in each variant",
        "(defn main[] (tally 0 0 \"what is called in one place, and what of it\"))
         (defn blank[c] (case c [' ' 1] [_ (if (le '\\t' c) (le c '\\r') 0)]))
         (defn tally[w in text]
           (seq w (case text [Nil w]
             [(Cons c t) (if (blank c) (tally w 0 t) (tally (add w (sub 1 in)) 1 t))])))",
    ),
    (
        "a function that both branches of another one end in is a join point in each of its variants",
        "(data H (E) (H rank x l r)) (defn rank[h] (case h [(E) 0] [(H r _ _ _) r]))
         (defn mk[x a b] (if (ge (rank a) (rank b)) (H (add 1 (rank b)) x a b) (H (add 1 (rank a)) x b a)))
         (defn merge[a b] (case a [(E) b] [(H _ x l r) (case b [(E) a]
           [(H _ y l2 r2) (if (le x y) (mk x l (merge r b)) (mk y l2 (merge a r2)))])]))
         (defn out[h s] (case h [(E) s] [(H _ x l r) (out (merge l r) (rem (add (mul s 31) x) 10007))]))
         (defn inp[k n] (if (gt k n) E
           (merge (H 1 (rem (mul k 7919) 1009) E E) (inp (add k 1) n))))
         (defn main[input] (out (inp 1 (add 200 (length input))) 7))",
    ),
];

#[test]
fn what_partial_evaluation_made_slower_once_is_no_slower() {
    for (what, source) in SLOWER_ONCE {
        let [first, second] = reductions(source, "");
        assert!(second > 0 && second <= first, "{what}: {first}, then {second}");
    }
}

#[test]
fn partial_evaluation_adds_no_reductions_to_any_program_of_the_project() {
    let mut wrong = Vec::new();
    for example in programs::examples() {
        let [first, second] = reductions(&example.text, &example.input);
        // One variant more or less in a program that has forty.
        if first > 0 && second > first + first / 40 + 5 {
            wrong.push(format!("{}: {first}, then {second}", example.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
