//! Chains of definitions, and rows of one thing after the other.

use super::Row;

/// Name, step, definition number 0, main.
pub(super) const CHAINS: &[(&str, &str, &str, &str)] = &[
    ("chain", "(defn f#[x] (f@ (add x #)))", "(defn f0[x] x)", "(defn main[i] (f@ (length i)))"),
    ("chain from known", "(defn f#[x] (f@ (add x #)))", "(defn f0[x] x)", "(defn main[i] (f@ 1))"),
    (
        "chain twice",
        "(defn f#[x] (f@ (f@ x)))",
        "(defn f0[x] (add x 1))",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "chain twice from known",
        "(defn f#[x] (f@ (f@ x)))",
        "(defn f0[x] (add x 1))",
        "(defn main[i] (f@ 1))",
    ),
    (
        "chain summed",
        "(defn f#[x] (add (f@ x) (f@ (add x #))))",
        "(defn f0[x] (add x 1))",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "chain by choice",
        "(defn f#[x] (if (eq x #) (f@ x) (add 1 (f@ x))))",
        "(defn f0[x] x)",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "chain of pairs",
        "(defn f#[x] (Pair (f@ x) (f@ (add x 1))))",
        "(defn f0[x] (Pair x x))",
        "(defn main[i] (case (f@ (length i)) [(Pair a b) (length i)]))",
    ),
    (
        "chain of results",
        "(defn f#[x] (case (f@ x) [(Pair a b) (if (eq a #) (Pair b a) (Pair a #))]))",
        "(defn f0[x] (Pair x x))",
        "(defn main[i] (fst (f@ (length i))))",
    ),
    (
        "chain of variants",
        "(defn f#[k x] (if (eq x 0) k (add k (f@ (add k 1) (sub x 1)))))",
        "(defn f0[k x] (add k x))",
        "(defn main[i] (f@ 3 (length i)))",
    ),
    (
        "chain of functions",
        "(defn f#[g x] (f@ (fn [y] (g (add y #))) x))",
        "(defn f0[g x] (g x))",
        "(defn main[i] (f@ succ (length i)))",
    ),
    (
        "chain of tests",
        "(defn f#[x] (if (f@ x) (eq x #) (lt x #)))",
        "(defn f0[x] (gt x 1))",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "chain of cases of known",
        "(defn f#[x y] (case (case 3 [(Pair a b) (f@ id snd)]) [0 (h y x)] [_ 1]))",
        "(defn h[a b] (if (eq a 0) b (Pair (h (sub a 1) b) a)))(defn f0[x y] (add x 1))",
        "(defn main[i] (f@ (length i) 5))",
    ),
    (
        "chain of lists",
        "(defn f#[xs] (map (add #) (f@ xs)))",
        "(defn f0[xs] xs)",
        "(defn main[i] (sum (f@ (range 1 (length i)))))",
    ),
    (
        "chain of loops",
        "(defn f#[n a] (if (eq n 0) (f@ a a) (f# (sub n 1) (add a n))))",
        "(defn f0[n a] (add n a))",
        "(defn main[i] (f@ (length i) 1))",
    ),
    (
        "chain of known loops",
        "(defn f#[n a] (if (eq n 0) (f@ 5 a) (f# (sub n 1) (add a n))))",
        "(defn f0[n a] (add n a))",
        "(defn main[i] (f@ 5 (length i)))",
    ),
    (
        "mutual recursion",
        "(defn f#[n x] (if (eq n 0) x (f@ (sub n 1) (add x #))))",
        "",
        "(defn f0[n x] (f@ n x))(defn main[i] (f@ (length i) 0))",
    ),
    (
        "chain of exits",
        "(defn f#[n x] (if (eq n 0) x (f@ (sub n 1) (add x #))))",
        "(defn f0[n x] (go n x))(defn go[n x] (if (gt n 3) x (go (add n x) x)))",
        "(defn main[i] (f@ (length i) (length i)))",
    ),
    (
        "parsers in alternatives",
        "(defn f#[] (orP (then f@ (fn [x] (ret (add x #)))) f@))",
        "(defn f0[s] (case s [Nil Nothing] [(Cons c t) (Just (Pair (ord c) t))]))\
         (defn ret[x s] (Just (Pair x s)))\
         (defn then[p f s] (case (p s) [Nothing Nothing] [(Just (Pair x t)) (f x t)]))\
         (defn orP[p q s] (case (p s) [Nothing (q s)] [r r]))",
        "(defn main[i] (f@ i))",
    ),
    (
        "parsers in a circle",
        "(defn f#[] (orP (then item (fn [c] (if (eq c #) f@ (ret c)))) f@))",
        "(defn item[s] (case s [Nil Nothing] [(Cons c t) (Just (Pair (ord c) t))]))\
         (defn ret[x s] (Just (Pair x s)))\
         (defn then[p f s] (case (p s) [Nothing Nothing] [(Just (Pair x t)) (f x t)]))\
         (defn orP[p q s] (case (p s) [Nothing (q s)] [r r]))",
        "(defn f0[s] (then item f s))(defn f[c] f@)(defn main[i] (f@ i))",
    ),
    (
        "actions of a state",
        "(defn f#[] (bind f@ (fn [x] (bind get (fn [s] (if (gt s #) (put (add s x)) (ret #)))))))",
        "(defn f0[] get)(defn get[s] (Pair s s))(defn put[t _] (Pair 0 t))(defn ret[x s] (Pair x s))\
         (defn bind[m f s] (case (m s) [(Pair x t) (f x t)]))",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "records of functions",
        "(defn f#[] (D (add #) f@))",
        "(data D (D f d))(defn f0[] (D negate f0))\
         (defn deep[n d x] (case d [(D f e) (if (eq n 0) (f x) (deep (sub n 1) e (f x)))]))",
        "(defn main[i] (deep (length i) f@ 1))",
    ),
    (
        "functions of what follows",
        "(defn f#[n] (if (gt n #) (fn [k] (f@ (sub n 1) (fn [x] (k (add x #))))) (fn [k] (k n))))",
        "(defn f0[n k] (k n))",
        "(defn main[i] (f@ (length i) negate))",
    ),
    ("constants", "(defn f#[] (Cons # f@))", "(defn f0[] Nil)", "(defn main[i] (sum f@))"),
    ("constant sums", "(defn f#[] (add # f@))", "(defn f0[] 1)", "(defn main[i] f@)"),
    (
        "constant functions",
        "(defn f#[] (compose succ f@))",
        "(defn f0[] succ)",
        "(defn main[i] (f@ 1))",
    ),
    (
        "states in a circle",
        "(defn f#[xs acc] (case xs [Nil acc] [(Cons c t) (if (lt c 'k') (f@ t (add acc #)) (f# t (mul acc 2)))]))",
        "(defn f0[xs acc] (case xs [Nil acc] [(Cons c t) (f1 t acc)]))",
        "(defn main[i] (f@ i 0))",
    ),
    (
        "scanners",
        "(defn f#[xs w out] (case xs [Nil (reverse (Cons w out))] [(Cons c t) (if (eq c ' ') (f@ t Nil (Cons (reverse w) out)) (f# t (Cons c w) out))]))",
        "(defn f0[xs w out] (reverse out))",
        "(defn main[i] (length (f@ i Nil Nil)))",
    ),
    (
        "record through functions",
        "(defn f#[s] (case s [(S a b c d) (if (gt a #) (f@ (S b c d a)) (f@ (S (add a 1) b c #)))]))",
        "(data S (S a b c d))
        (defn f0[s] (case s [(S a b c d) (add a (add b (add c d)))]))",
        "(defn main[i] (f@ (S 1 2 3 (length i))))",
    ),
    (
        "record of parameters",
        "(defn f#[s n] (if (eq n 0) s (case s [(S a b c d) (f@ (S b (add c #) d a) (sub n 1))])))",
        "(data S (S a b c d))
        (defn f0[s n] s)",
        "(defn main[i] (case (f@ (S 1 2 3 4) (length i)) [(S a b c d) a]))",
    ),
    (
        "classes",
        "(defn f#[d x] (if (eq' d x x) (le' d x x) (f@ (list' d) (Cons x Nil))))",
        "(data O (O e l))
        (defn eq'[d] (case d [(O e l) e]))
        (defn le'[d] (case d [(O e l) l]))
        (defn list'[d] (O (fn [a b] (eq' d (head a) (head b))) (fn [a b] (le' d (head a) (head b)))))
        (defn f0[d x] 1)",
        "(defn main[i] (f@ (O eq le) (length i)))",
    ),
    (
        "even and odd",
        "(defn f#[n] (if (eq n 0) 1 (g# (sub n 1))))
        (defn g#[n] (if (eq n 0) 0 (f@ (sub n 1))))",
        "(defn f0[n] n)
        (defn g0[n] n)",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "tuples through functions",
        "(defn f#[x] (case (f@ x) [(Pair a b) (let ([p (Pair b a)]) (Pair (add (fst p) #) (snd p)))]))",
        "(defn f0[x] (Pair x 1))",
        "(defn main[i] (case (f@ (length i)) [(Pair a b) (add a b)]))",
    ),
    (
        "wrappers of lists",
        "(defn f#[xs] (filter (neq #) (f@ (map (add 1) xs))))",
        "(defn f0[xs] xs)",
        "(defn main[i] (length (f@ (range 1 (length i)))))",
    ),
    (
        "shows",
        "(defn f#[n] (append (showInt n) (append \",\" (f@ (add n #)))))",
        "(defn f0[n] (showInt n))",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "insertions through functions",
        "(defn f#[t] (f@ (put # t)))",
        "(defn put[x ys] (case ys [Nil [x]] [(Cons y t) (if (le x y) (Cons x ys) (Cons y (put x t)))]))
        (defn f0[t] t)",
        "(defn main[i] (length (f@ Nil)))",
    ),
    (
        "tree through functions",
        "(defn f#[k t] (f@ k (ins (add k #) t)))",
        "(data B (E) (B l k r))
        (defn ins[k t] (case t [E (B E k E)] [(B l j r) (if (lt k j) (B (ins k l) j r) (B l j (ins k r)))]))
        (defn cnt[t] (case t [E 0] [(B l k r) (add 1 (add (cnt l) (cnt r)))]))
        (defn f0[k t] t)",
        "(defn main[i] (cnt (f@ (length i) E)))",
    ),
    (
        "continuations",
        "(defn f#[n k] (if (gt n #) (f@ (sub n 1) (fn [r] (k (add r #)))) (k n)))",
        "(defn f0[n k] (k n))",
        "(defn main[i] (f@ (length i) (fn [r] r)))",
    ),
    (
        "mutual twice",
        "(defn f#[n] (if (eq n 0) # (g# (sub n 1))))
        (defn g#[n] (if (lt n 2) # (add (f@ (sub n 1)) (f# (sub n 2)))))",
        "(defn f0[n] n)",
        "(defn main[i] (f@ (length i)))",
    ),
    (
        "loops in order",
        "(defn f#[n s] (if (eq n 0) (f@ s #) (f# (sub n 1) (add s n))))",
        "(defn f0[n s] (add n s))",
        "(defn main[i] (f@ (length i) 0))",
    ),
    (
        "loops from known",
        "(defn f#[n s] (if (eq n 0) (f@ # s) (f# (sub n 1) (add s n))))",
        "(defn f0[n s] (add n s))",
        "(defn main[i] (f@ (length i) 0))",
    ),
    (
        "list consumers",
        "(defn f#[xs] (case xs [Nil #] [(Cons a t) (add a (f@ (map (add #) t)))]))",
        "(defn f0[xs] (length xs))",
        "(defn main[i] (f@ (range 1 (length i))))",
    ),
    (
        "maybe chain",
        "(defn f#[n] (case (f@ n) [Nothing (if (gt n #) (Just #) Nothing)] [(Just x) (if (eq x n) Nothing (Just (add x 1)))]))",
        "(defn f0[n] (Just n))",
        "(defn main[i] (case (f@ (length i)) [Nothing 0] [(Just x) x]))",
    ),
];

/// Name, head, item, what is between, main.
pub(super) const ROWS: &[Row] = &[
    ("list", "", "#", " ", "(defn main[i] (sum [@]))"),
    ("list mapped", "", "#", " ", "(defn main[i] (sum (map (add (length i)) [@])))"),
    ("list looked up", "", "#", " ", "(defn main[i] (nth (length i) [@]))"),
    ("table", "", "(Pair # \"v#\")", " ", "(defn main[i] (lookup (length i) [@]))"),
    ("table of texts", "", "(Pair \"k#\" #)", " ", "(defn main[i] (lookupBy eqString i [@]))"),
    (
        "list of calls",
        "(defn go[k n] (if (eq n 0) k (add k (go k (sub n 1)))))",
        "(go # n)",
        " ",
        "(defn main[i] (all (length i)))(defn all[n] (sum [@]))",
    ),
    ("list of texts", "", "\"word #\"", " ", "(defn main[i] (length (concat [@])))"),
    ("text", "", "ab", " ", "(defn main[i] (isPrefixOf \"@\" i))"),
    ("text appended", "", "ab", " ", "(defn main[i] (length (append \"@\" i)))"),
    ("text measured", "", "ab", " ", "(defn main[i] (length \"@\"))"),
    (
        "text walked",
        "(defn f[g n s] (if (eq n 0) 0 (case s [(Cons c t) (add (g t) (f g (sub n 1) t))] [Nil 0])))",
        "ab",
        " ",
        "(defn main[i] (let ([s \"@\"] [g (case i [Nil length] [_ (fn [x] 1)])]) (f g 2000 s)))",
    ),
    (
        "interpreted steps",
        "(data Op (Plus k) (Times k))
         (defn exec[ops p x n] (case ops
           [Nil (if (eq n 0) x (exec p p x (sub n 1)))]
           [(Cons o t) (case o [(Plus k) (exec t p (add x k) n)] [(Times k) (exec t p (mul x k) n)])]))",
        "(Plus #) (Times #)",
        " ",
        "(defn p[] [@])(defn main[i] (exec p p 1 (length i)))",
    ),
    (
        "interpreted blocks",
        "(data Block (Step k at) (Test at))
         (defn find[l p] (case p [(Cons (Pair m b) t) (if (eq l m) b (find l t))] [Nil (Test 0)]))
         (defn exec[b p x n] (case b
           [(Step k at) (exec (find (add at 1) p) p (add x k) n)]
           [(Test at) (if (eq n 0) x (exec (find (add at 1) p) p x (sub n 1)))]))",
        "(Pair # (Step # #))",
        " ",
        "(defn p[] [@])(defn main[i] (exec (find 0 p) p 1 (length i)))",
    ),
    (
        "matcher",
        "(defn match[p s] (case s [Nil 0] [(Cons c t) (if (prefix p s) 1 (match p t))]))
         (defn prefix[p s] (case p [Nil 1] [(Cons a q) (case s [Nil 0] [(Cons b t)
           (if (eq a b) (prefix q t) 0)])]))",
        "ab",
        "",
        "(defn main[i] (match \"@\" i))",
    ),
    (
        "case of integers",
        "",
        "[# (add k #)]",
        " ",
        "(defn main[i] (go (length i)))(defn go[k] (case k @ [_ 0]))",
    ),
    (
        "case of integers in a sum",
        "",
        "[# (add k #)]",
        " ",
        "(defn main[i] (go (length i)))(defn go[k] (add 1 (case (if (eq k 1) k 3) @ [_ 0])))",
    ),
    (
        "case of case of integers",
        "",
        "[# (add # 1)]",
        " ",
        "(defn main[i] (go (length i)))(defn go[k] (case (case k @ [_ 0]) @ [_ 0]))",
    ),
    ("case of texts", "", "[\"w#\" #]", " ", "(defn main[i] (case i @ [_ 0]))"),
    (
        "case of case of texts",
        "",
        "[\"w#\" #]",
        " ",
        "(defn main[i] (case (case i @ [_ 0]) [1 2] [_ 3]))",
    ),
    ("lets", "", "[x# (add k #)]", " ", "(defn main[i] (go (length i)))(defn go[k] (let (@) x1))"),
    ("letrecs", "", "[x# (Cons # x1)]", " ", "(defn main[i] (letrec (@) (take 5 x1)))"),
    (
        "letrec functions",
        "",
        "[f# (fn [n] (if (eq n #) n (f1 (add n 1))))]",
        " ",
        "(defn main[i] (letrec (@) (f1 (length i))))",
    ),
    ("parameters", "", "x#", " ", "(defn f[@] x1)(defn main[i] (add (f 1) 2))"),
    (
        "constructors",
        "",
        "(C# a b)",
        " ",
        "(data T @)(defn main[i] (case (i 1) [(C1 a b) a] [_ 0]))",
    ),
    (
        "comparisons",
        "",
        "(if (eq k #) k 0)",
        " ",
        "(defn main[i] (go (length i)))(defn go[k] (sum [@]))",
    ),
    (
        "instructions",
        "(data I (Add n) (Mul n) (Jz n) (Out))
        (defn run[p a] (case p [Nil a] [(Cons i r) (case i [(Add n) (run r (add a n))]
          [(Mul n) (run r (mul a n))] [(Jz n) (if (eq a 0) (run (drop n r) a) (run r a))]
          [Out (Cons a (run r a))])]))",
        "(Add #) (Mul 2)",
        " ",
        "(defn main[i] (run [@] (length i)))",
    ),
    (
        "instructions with jumps",
        "(data I (Add n) (Mul n) (Jz n) (Out))
        (defn run[p a] (case p [Nil a] [(Cons i r) (case i [(Add n) (run r (add a n))]
          [(Mul n) (run r (mul a n))] [(Jz n) (if (eq a 0) (run (drop n r) a) (run r a))]
          [Out (add a (run r a))])]))",
        "(Add #) (Jz 2) (Mul 2)",
        " ",
        "(defn main[i] (run [@] (length i)))",
    ),
    (
        "literals in patterns",
        "",
        "[(Pair # (Cons 'a' t)) #]",
        " ",
        "(defn main[i] (go (Pair (length i) i)))
        (defn go[p] (case p @ [_ 0]))",
    ),
    (
        "commands",
        "(defn run[cs x] (case cs [Nil x] [(Cons c t) (run t (case c [(Push n) (add x n)] [(Twice) (mul x 2)] [(If a b) (if (eq x 0) a b)]))]))
        (data C (Push n) (Twice) (If a b))",
        "(Push #) Twice (If # 3)",
        " ",
        "(defn main[i] (run [@] (length i)))",
    ),
    (
        "associations",
        "(defn look[k xs] (case xs [Nil 0] [(Cons (Pair a b) t) (if (eq a k) b (look k t))]))",
        "(Pair # (add n #))",
        " ",
        "(defn main[i] (go (length i)))
        (defn go[n] (look n [@]))",
    ),
    (
        "functions in a list",
        "",
        "(add #)",
        " ",
        "(defn main[i] (foldr id (length i) [@]))",
    ),
    (
        "lists of lists",
        "",
        "[# n #]",
        " ",
        "(defn main[i] (go (length i)))
        (defn go[n] (sum (map sum [@])))",
    ),
    (
        "actions in a list",
        "(defn exec[as s] (case as [Nil s] [(Cons a t) (exec t (a s))]))",
        "(fn [s] (if (gt s #) (sub s 1) (add s #)))",
        " ",
        "(defn main[i] (exec [@] (length i)))",
    ),
    (
        "strings joined",
        "",
        "\"line #\"",
        " ",
        "(defn main[i] (concat (map (append i) [@])))",
    ),
];
