//! Nests of forms and calls of functions of their own.

use super::Row;

const RECORD: &str = "(data R (R a b c d e f g h))
(defn setA[v r] (case r [(R a b c d e f g h) (R v b c d e f g h)]))
(defn setD[v r] (case r [(R a b c d e f g h) (R a b c v e f g h)]))
(defn getD[r] (case r [(R a b c d e f g h) d]))
(defn getH[r] (case r [(R a b c d e f g h) h]))
";

const TREE: &str = "(data E (Num n) (Plus a b) (Var) (Cond a b c))
(defn eval[k e] (case e [(Num n) n] [(Plus a b) (add (eval k a) (eval k b))] [Var k]
  [(Cond a b c) (if (eq (eval k a) 0) (eval k b) (eval k c))]))
(defn size[e] (case e [(Num n) 1] [(Plus a b) (add (size a) (size b))] [Var 1]
  [(Cond a b c) (add (size a) (add (size b) (size c)))]))
";

pub(super) const NESTS: &[Row] = &[
    (
        "interpreted term",
        "(data Exp (Lit n) (Var x) (Sum a b))
         (defn eval[e env] (case e [(Lit n) n] [(Var x) (find x env)]
           [(Sum a b) (add (eval a env) (eval b env))]))
         (defn find[x env] (case env [(Cons (Pair y v) t) (if (eqString x y) v (find x t))] [Nil 0]))",
        "(Sum @ (Sum (Var \"y\") (Lit #)))",
        "(Var \"x\")",
        "(defn t[] @)(defn main[i] (go (length i)))
         (defn go[n] (if (eq n 0) 0 (add (eval t [(Pair \"x\" n) (Pair \"y\" 2)]) (go (sub n 1)))))",
    ),
    ("setters", RECORD, "(setA # @)", "(R 1 2 3 4 5 6 7 (length i))", "(defn main[i] (getH @))"),
    ("setters of unknown", RECORD, "(setD # @)", "(i 1)", "(defn main[i] (getH @))"),
    (
        "setters by choice",
        RECORD,
        "(let ([r @]) (if (eq (getD r) #) (setA # r) (setD 3 r)))",
        "(i 1)",
        "(defn main[i] (getH @))",
    ),
    (
        "getters and setters",
        RECORD,
        "(let ([r @]) (setA (add (getD r) #) r))",
        "(R 1 2 3 4 5 6 7 (length i))",
        "(defn main[i] (getD @))",
    ),
    (
        "own function",
        "(defn f[x] (if (lt x 3) (add x 1) (mul x 2)))",
        "(f @)",
        "(length i)",
        "(defn main[i] @)",
    ),
    (
        "own and and or",
        "(defn and2[a b] (if a b 0))(defn or2[a b] (if a 1 b))",
        "(and2 (or2 (lt k #) (gt k #)) @)",
        "1",
        "(defn main[i] (go (length i)))(defn go[k] (if @ 1 2))",
    ),
    (
        "own selector of unknown",
        "(defn f[p](case p[(Pair a b)a]))",
        "(f(i @))",
        "i",
        "(defn main[i]@)",
    ),
    (
        "own recursive function",
        "(defn f[n x] (if (eq n 0) x (f (sub n 1) (add x 2))))",
        "(f 3 @)",
        "(length i)",
        "(defn main[i] @)",
    ),
    (
        "own recursive function of it",
        "(defn f[n x] (if (eq n 0) x (f (sub n 1) (add x 2))))",
        "(f @ 3)",
        "(length i)",
        "(defn main[i] @)",
    ),
    ("tree evaluated", TREE, "(Plus (Num #) @)", "Var", "(defn main[i] (eval (length i) @))"),
    ("tree to the left", TREE, "(Plus @ Var)", "Var", "(defn main[i] (eval (length i) @))"),
    ("tree of choices", TREE, "(Cond Var @ (Num #))", "Var", "(defn main[i] (eval (length i) @))"),
    ("tree of tests", TREE, "(Cond @ Var (Num #))", "Var", "(defn main[i] (eval (length i) @))"),
    ("tree measured", TREE, "(Plus (Num #) @)", "Var", "(defn main[i] (size @))"),
    (
        "data case of case",
        "(data T (A) (B x) (C x y))",
        "(case (case k [# A] [0 (B k)] [_ (C k k)]) [A #] [(B x) (add x @)] [(C x y) y])",
        "1",
        "(defn main[i] (go (length i)))(defn go[k] @)",
    ),
    (
        "data case chain",
        "(data T (A) (B x) (C x y))",
        "(case @ [A (B 1)] [(B x) (C x x)] [(C x y) A])",
        "t",
        "(defn main[i] (go (i 1)))(defn go[t] @)",
    ),
    (
        "data case spine",
        "(data T (A) (B x) (C x y))",
        "(case t [A #] [(B x) @] [(C x t) (if (eq x #) 1 2)])",
        "1",
        "(defn main[i] (go (i 1)))(defn go[t] @)",
    ),
    (
        "guards",
        "",
        "(if (lt k #) (if (gt k 2) # 4) @)",
        "1",
        "(defn main[i] (go (length i)))(defn go[k] @)",
    ),
    (
        "classifier of characters",
        "",
        "(if (if (ge c 'a') (le c 'k') 0) # @)",
        "-1",
        "(defn p[c] @)(defn main[i] (sum (map p i)))",
    ),
    (
        "values to fall through to",
        "",
        "(let ([o @]) (if (ge c #) (if (lt c 9) # o) o))",
        "-1",
        "(defn p[c] @)(defn main[i] (sum (map p i)))",
    ),
    (
        "values to fall through to in each other",
        "",
        "(let ([o (let ([p @]) (if (eq c #) p (if (lt c 9) # p)))]) (if (ge c #) (if (lt c 9) # o) o))",
        "-1",
        "(defn p[c] @)(defn main[i] (sum (map p i)))",
    ),
    (
        "walk of pairs",
        "",
        "(case (p #) [(Pair a p) (if (eq a 1) a @)])",
        "0",
        "(defn main[i] (go i))(defn go[p] @)",
    ),
    (
        "state by hand",
        "",
        "(case (step # s) [(Pair a s) (add a @)])",
        "s",
        "(defn step[n s] (if (eq (rem s 2) 0) (Pair n (add s 1)) (Pair 1 (sub s n))))
         (defn main[i] (go (length i)))(defn go[s] @)",
    ),
    (
        "binds of a monad",
        "(defn ret[x s] (Pair x s))(defn bind[m f s] (case (m s) [(Pair x t) (f x t)]))
         (defn tick[s] (Pair s (add s 1)))",
        "(bind tick (fn [x#] @))",
        "(ret 1)",
        "(defn main[i] (fst (@ (length i))))",
    ),
    (
        "binds of maybe",
        "",
        "(maybeThen (if (eq k #) Nothing (Just #)) (fn [x#] @))",
        "(Just k)",
        "(defn main[i] (go (length i)))(defn go[k] (fromMaybe 0 @))",
    ),
    (
        "parser",
        "(defn item[p s] (case s [Nil Nothing] [(Cons c t) (if (p c) (Just (Pair c t)) Nothing)]))
         (defn then[p q s] (case (p s) [Nothing Nothing] [(Just r) (q (snd r))]))
         (defn or[p q s] (case (p s) [Nothing (q s)] [(Just r) (Just r)]))",
        "(then (or (item isDigit) (item isAlpha)) @)",
        "(item isDigit)",
        "(defn main[i] (isJust (@ i)))",
    ),
    (
        "church",
        "(defn zero[f x] x)(defn s[n f x] (f (n f x)))",
        "(s @)",
        "zero",
        "(defn main[i] (@ succ (length i)))",
    ),
    (
        "streams",
        "",
        "(map (add #) (filter (lt #) @))",
        "(range 1 (length i))",
        "(defn main[i] (sum @))",
    ),
    (
        "streams zipped",
        "",
        "(zipWith add (range # (length i)) @)",
        "(range 1 (length i))",
        "(defn main[i] (sum @))",
    ),
    ("streams known", "", "(map (add #) @)", "(range 1 1000)", "(defn main[i] (sum @))"),
    ("appends", "", "(append (range # (length i)) @)", "Nil", "(defn main[i] (sum @))"),
    ("unknown function", "", "(i # @)", "1", "(defn main[i] @)"),
    ("unknown function in branches", "", "(if (i #) (i @) #)", "1", "(defn main[i] @)"),
    (
        "known application of known",
        "(defn h[a b] (if (eq a 0) b (Pair (h (sub a 1) b) a)))",
        "(case (case 3 [(Pair a b) @]) [0 (h k k)] [_ 1])",
        "k",
        "(defn main[i] (go (length i)))(defn go[k] @)",
    ),
    (
        "do block",
        "(defn bindM[m f s] (case (m s) [(Pair x t) (f x t)]))
        (defn retM[x s] (Pair x s))
        (defn getM[s] (Pair s s))
        (defn putM[t s] (Pair 0 t))",
        "(bindM getM (fn [v#] (bindM (putM (add v# #)) (fn [u#] @))))",
        "(retM 7)",
        "(defn main[i] (fst (@ (length i))))",
    ),
    (
        "do block of maybe",
        "(defn thenMaybe[m f] (case m [Nothing Nothing] [(Just x) (f x)]))
        (defn check[k n] (if (gt k n) Nothing (Just (add k n))))",
        "(thenMaybe (check k #) (fn [x#] @))",
        "(Just k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (fromMaybe 0 @))",
    ),
    (
        "nested tuples",
        "",
        "(let ([p# @]) (Pair (snd p#) (add (fst p#) #)))",
        "(Pair 1 k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (fst @))",
    ),
    (
        "tuples taken apart",
        "",
        "(case @ [(Triple a b c) (Triple b c (add a #))])",
        "(Triple 1 k 3)",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [(Triple a b c) (add a b)]))",
    ),
    (
        "where and guards",
        "",
        "(let ([w (mul k #)] [v (add k #)]) (if (lt w v) w (if (eq v #) v @)))",
        "0",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "text built",
        "",
        "(append (showInt #) (append \": \" @))",
        "i",
        "(defn main[i] @)",
    ),
    (
        "text built by choice",
        "",
        "(append (if (eq k #) \"yes\" \"no\") @)",
        "i",
        "(defn main[i] (go (length i) i))
        (defn go[k i] @)",
    ),
    (
        "nested local functions",
        "",
        "(let ([f# (fn [a#] (add a# #))]) (f# @))",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "local functions in one another",
        "",
        "(let ([f# (fn [a#] (if (eq a# #) k @))]) (add (f# k) 1))",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "zipper moves",
        "(data Z (Z l x r))
        (defn left[z] (case z [(Z Nil x r) z] [(Z (Cons a l) x r) (Z l a (Cons x r))]))
        (defn right[z] (case z [(Z l x Nil) z] [(Z l x (Cons a r)) (Z (Cons x l) a r)]))
        (defn edit[f z] (case z [(Z l x r) (Z l (f x) r)]))",
        "(right (edit (add #) (left @)))",
        "(Z i 1 i)",
        "(defn main[i] (case @ [(Z l x r) x]))",
    ),
    (
        "continuations added",
        "(defn addK[a b k] (k (add a b)))
        (defn mulK[a b k] (k (mul a b)))",
        "(addK k # (fn [x#] (mulK x# # (fn [y#] @))))",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "church pairs",
        "(defn pr[a b s] (s a b))
        (defn first'[a b] a)
        (defn second'[a b] b)",
        "((pr # @) second')",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "church sums",
        "(defn inl[a f g] (f a))
        (defn inr[a f g] (g a))",
        "((if (eq k #) (inl #) (inr k)) (fn [x] (add x @)) negate)",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "dictionary of pair",
        "(data Num' (Num' p t f))
        (defn plus'[d] (case d [(Num' p t f) p]))
        (defn int'[] (Num' add mul id))
        (defn pair'[d] (Num' (fn [a b] (Pair (plus' d (fst a) (fst b)) (plus' d (snd a) (snd b)))) (fn [a b] a) (fn [n] n)))",
        "(pair' @)",
        "int'",
        "(defn main[i] (case (plus' @ (i 1) (i 2)) [(Pair a b) 1] [_ 2]))",
    ),
    (
        "show of nested data",
        "(data T (L n) (N a b))
        (defn show'[t] (case t [(L n) (showInt n)] [(N a b) (append \"(\" (append (show' a) (append (show' b) \")\")))]))",
        "(N @ (L #))",
        "(L (length i))",
        "(defn main[i] (show' @))",
    ),
    (
        "expression simplified",
        "(data T (L n) (N a b) (M a b) (X))
        (defn simp[t] (case t [(N a b) (case (simp a) [(L 0) (simp b)] [u (N u (simp b))])] [(M a b) (case (simp a) [(L 1) (simp b)] [u (M u (simp b))])] [_ t]))
        (defn size'[t] (case t [(N a b) (add (size' a) (size' b))] [(M a b) (add (size' a) (size' b))] [_ 1]))",
        "(N (M X (L #)) @)",
        "X",
        "(defn main[i] (size' (simp @)))",
    ),
    (
        "either chain",
        "(defn orElse'[e f] (case e [(Left a) (f a)] [(Right b) (Right b)]))",
        "(orElse' (if (eq k #) (Right #) (Left k)) (fn [e#] @))",
        "(Left k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [(Left a) a] [(Right b) b]))",
    ),
    (
        "fold of lambda",
        "",
        "(foldr (fn [x r] (add x (mul r #))) @ [1 k])",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "list of pairs updated",
        "(defn put'[k v xs] (case xs [Nil [(Pair k v)]] [(Cons (Pair j w) t) (if (eq j k) (Cons (Pair k v) t) (Cons (Pair j w) (put' k v t)))]))",
        "(put' # (length i) @)",
        "Nil",
        "(defn main[i] (length @))",
    ),
    (
        "map insert",
        "(data B (E) (B l k v r))
        (defn ins[k v t] (case t [E (B E k v E)] [(B l j w r) (if (lt k j) (B (ins k v l) j w r) (if (gt k j) (B l j w (ins k v r)) (B l k v r)))]))
        (defn cnt[t] (case t [E 0] [(B l k v r) (add 1 (add (cnt l) (cnt r)))]))",
        "(ins # (length i) @)",
        "E",
        "(defn main[i] (cnt @))",
    ),
    (
        "map insert of unknown",
        "(data B (E) (B l k v r))
        (defn ins[k v t] (case t [E (B E k v E)] [(B l j w r) (if (lt k j) (B (ins k v l) j w r) (if (gt k j) (B l j w (ins k v r)) (B l k v r)))]))
        (defn cnt[t] (case t [E 0] [(B l k v r) (add 1 (add (cnt l) (cnt r)))]))",
        "(ins (add n #) # @)",
        "E",
        "(defn main[i] (go (length i)))
        (defn go[n] (cnt @))",
    ),
    (
        "queue pushed",
        "(data Q (Q f b))
        (defn push[x q] (case q [(Q f b) (Q f (Cons x b))]))
        (defn pop[q] (case q [(Q Nil b) (case (reverse b) [Nil Nothing] [(Cons x f) (Just (Pair x (Q f Nil)))])] [(Q (Cons x f) b) (Just (Pair x (Q f b)))]))",
        "(push # (case (pop @) [Nothing (Q Nil Nil)] [(Just (Pair x q)) (push x q)]))",
        "(Q i Nil)",
        "(defn main[i] (case (pop @) [Nothing 0] [(Just (Pair x q)) 1]))",
    ),
];
