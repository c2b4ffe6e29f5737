//! Nests of operations on structures that people build by hand: sorted lists, trees, heaps, numerals,
//! parsers, circuits, boards.

use super::Row;

pub(super) const STRUCTURES: &[Row] = &[
    (
        "insertion sort",
        "(defn put[x ys] (case ys [Nil [x]] [(Cons y t) (if (le x y) (Cons x ys) (Cons y (put x t)))]))",
        "(put # @)",
        "i",
        "(defn main[i] (length @))",
    ),
    (
        "insertion sort known",
        "(defn put[x ys] (case ys [Nil [x]] [(Cons y t) (if (le x y) (Cons x ys) (Cons y (put x t)))]))",
        "(put # @)",
        "Nil",
        "(defn main[i] (nth (length i) @))",
    ),
    (
        "insertion of unknown",
        "(defn put[x ys] (case ys [Nil [x]] [(Cons y t) (if (le x y) (Cons x ys) (Cons y (put x t)))]))",
        "(put (add k #) @)",
        "Nil",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum @))",
    ),
    (
        "merges",
        "(defn mrg[xs ys] (case xs [Nil ys] [(Cons x s) (case ys [Nil xs] [(Cons y t) (if (le x y) (Cons x (mrg s ys)) (Cons y (mrg xs t)))])]))",
        "(mrg [# 7] @)",
        "i",
        "(defn main[i] (sum @))",
    ),
    (
        "merges left",
        "(defn mrg[xs ys] (case xs [Nil ys] [(Cons x s) (case ys [Nil xs] [(Cons y t) (if (le x y) (Cons x (mrg s ys)) (Cons y (mrg xs t)))])]))",
        "(mrg @ [# 7])",
        "i",
        "(defn main[i] (sum @))",
    ),
    (
        "leftist heap",
        "(data H (HE) (HN r x a b))
        (defn rank[h] (case h [HE 0] [(HN r x a b) r]))
        (defn mk[x a b] (if (ge (rank a) (rank b)) (HN (add 1 (rank b)) x a b) (HN (add 1 (rank a)) x b a)))
        (defn mg[h g] (case h [HE g] [(HN r x a b) (case g [HE h] [(HN s y c d) (if (le x y) (mk x a (mg b g)) (mk y c (mg h d)))])]))
        (defn hmin[h] (case h [HE 0] [(HN r x a b) x]))",
        "(mg (HN 1 # HE HE) @)",
        "HE",
        "(defn main[i] (add (length i) (hmin @)))",
    ),
    (
        "leftist heap of unknown",
        "(data H (HE) (HN r x a b))
        (defn rank[h] (case h [HE 0] [(HN r x a b) r]))
        (defn mk[x a b] (if (ge (rank a) (rank b)) (HN (add 1 (rank b)) x a b) (HN (add 1 (rank a)) x b a)))
        (defn mg[h g] (case h [HE g] [(HN r x a b) (case g [HE h] [(HN s y c d) (if (le x y) (mk x a (mg b g)) (mk y c (mg h d)))])]))
        (defn hmin[h] (case h [HE 0] [(HN r x a b) x]))",
        "(mg (HN 1 (add k #) HE HE) @)",
        "HE",
        "(defn main[i] (go (length i)))
        (defn go[k] (hmin @))",
    ),
    (
        "red black",
        "(data Color (R) (B))
        (data T (L) (N c l x r))
        (defn bal[c l x r] (case c [B (case l [(N R (N R a p b) q d) (N R (N B a p b) q (N B d x r))] [(N R a p (N R b q d)) (N R (N B a p b) q (N B d x r))] [_ (case r [(N R (N R b q d) z e) (N R (N B l x b) q (N B d z e))] [(N R b q (N R d z e)) (N R (N B l x b) q (N B d z e))] [_ (N c l x r)])])] [_ (N c l x r)]))
        (defn insr[x t] (case t [L (N R L x L)] [(N c l y r) (if (lt x y) (bal c (insr x l) y r) (if (gt x y) (bal c l y (insr x r)) t))]))
        (defn rbins[x t] (case (insr x t) [(N c l y r) (N B l y r)] [L L]))
        (defn rbsize[t] (case t [L 0] [(N c l y r) (add 1 (add (rbsize l) (rbsize r)))]))",
        "(rbins # @)",
        "L",
        "(defn main[i] (add (length i) (rbsize @)))",
    ),
    (
        "red black of unknown",
        "(data Color (R) (B))
        (data T (L) (N c l x r))
        (defn bal[c l x r] (case c [B (case l [(N R (N R a p b) q d) (N R (N B a p b) q (N B d x r))] [(N R a p (N R b q d)) (N R (N B a p b) q (N B d x r))] [_ (case r [(N R (N R b q d) z e) (N R (N B l x b) q (N B d z e))] [(N R b q (N R d z e)) (N R (N B l x b) q (N B d z e))] [_ (N c l x r)])])] [_ (N c l x r)]))
        (defn insr[x t] (case t [L (N R L x L)] [(N c l y r) (if (lt x y) (bal c (insr x l) y r) (if (gt x y) (bal c l y (insr x r)) t))]))
        (defn rbins[x t] (case (insr x t) [(N c l y r) (N B l y r)] [L L]))
        (defn rbsize[t] (case t [L 0] [(N c l y r) (add 1 (add (rbsize l) (rbsize r)))]))",
        "(rbins (add k #) @)",
        "L",
        "(defn main[i] (go (length i)))
        (defn go[k] (rbsize @))",
    ),
    (
        "corelib map",
        "(import map)",
        "(mapInsert # k @)",
        "mapEmpty",
        "(defn main[i] (go (length i)))
        (defn go[k] (mapSize @))",
    ),
    (
        "peano sums",
        "(data N (Z) (S n))
        (defn plus[a b] (case a [Z b] [(S n) (S (plus n b))]))
        (defn times[a b] (case a [Z Z] [(S n) (plus b (times n b))]))
        (defn toInt[a] (case a [Z 0] [(S n) (add 1 (toInt n))]))
        (defn ofInt[n] (if (eq n 0) Z (S (ofInt (sub n 1)))))",
        "(plus (S Z) @)",
        "(ofInt k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (toInt @))",
    ),
    (
        "peano products",
        "(data N (Z) (S n))
        (defn plus[a b] (case a [Z b] [(S n) (S (plus n b))]))
        (defn times[a b] (case a [Z Z] [(S n) (plus b (times n b))]))
        (defn toInt[a] (case a [Z 0] [(S n) (add 1 (toInt n))]))
        (defn ofInt[n] (if (eq n 0) Z (S (ofInt (sub n 1)))))",
        "(times (S (S Z)) @)",
        "(ofInt k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (toInt @))",
    ),
    (
        "peano known",
        "(data N (Z) (S n))
        (defn plus[a b] (case a [Z b] [(S n) (S (plus n b))]))
        (defn times[a b] (case a [Z Z] [(S n) (plus b (times n b))]))
        (defn toInt[a] (case a [Z 0] [(S n) (add 1 (toInt n))]))
        (defn ofInt[n] (if (eq n 0) Z (S (ofInt (sub n 1)))))",
        "(times (S (S Z)) @)",
        "(S Z)",
        "(defn main[i] (go (length i)))
        (defn go[k] (add k (toInt @)))",
    ),
    (
        "difference lists",
        "(defn app2[f g r] (f (g r)))
        (defn one[x r] (Cons x r))",
        "(app2 (one #) @)",
        "(one k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum (@ Nil)))",
    ),
    (
        "parsers",
        "(defn bindP[p f s] (case (p s) [Nothing Nothing] [(Just (Pair a t)) (f a t)]))
        (defn retP[a s] (Just (Pair a s)))
        (defn item[s] (case s [Nil Nothing] [(Cons c t) (Just (Pair c t))]))",
        "(bindP item (fn [c#] @))",
        "(retP 1)",
        "(defn main[i] (case (@ i) [Nothing 0] [(Just (Pair a t)) a]))",
    ),
    (
        "parsers or",
        "(defn orP[p q s] (case (p s) [Nothing (q s)] [(Just r) (Just r)]))
        (defn lit[n s] (case s [Nil Nothing] [(Cons c t) (if (eq (ord c) n) (Just (Pair n t)) Nothing)]))",
        "(orP (lit #) @)",
        "(lit 0)",
        "(defn main[i] (case (@ i) [Nothing 0] [(Just (Pair a t)) a]))",
    ),
    (
        "parsers in order",
        "(defn thenP[p q s] (case (p s) [Nothing Nothing] [(Just (Pair a t)) (q t)]))
        (defn lit[n s] (case s [Nil Nothing] [(Cons c t) (if (eq (ord c) n) (Just (Pair n t)) Nothing)]))",
        "(thenP (lit #) @)",
        "(lit 0)",
        "(defn main[i] (case (@ i) [Nothing 0] [(Just (Pair a t)) a]))",
    ),
    (
        "writer",
        "(defn tell[x p] (case p [(Pair a w) (Pair a (Cons x w))]))",
        "(tell # @)",
        "(Pair k Nil)",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [(Pair a w) (add a (sum w))]))",
    ),
    (
        "local loops",
        "",
        "(letrec ([go# (fn [n] (if (eq n 0) @ (go# (sub n 1))))]) (go# k))",
        "k",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "local loops from known",
        "",
        "(letrec ([go# (fn [n s] (if (eq n 0) s (go# (sub n 1) (add s #))))]) (go# k @))",
        "0",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "circuit",
        "(data Bit (F) (T))
        (defn an[a b] (case a [F F] [T b]))
        (defn orr[a b] (case a [T T] [F b]))
        (defn no[a] (case a [T F] [F T]))
        (defn bit[n] (if (eq n 0) F T))",
        "(an (orr (bit (sub k #)) @) (no (bit (sub k 1))))",
        "T",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [T 1] [F 0]))",
    ),
    (
        "circuit with xor",
        "(data Bit (F) (T))
        (defn xo[a b] (case a [F b] [T (case b [T F] [F T])]))
        (defn bit[n] (if (eq n 0) F T))",
        "(xo (bit (sub k #)) @)",
        "T",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [T 1] [F 0]))",
    ),
    (
        "adder",
        "(data Bit (F) (T))
        (defn xo[a b] (case a [F b] [T (case b [T F] [F T])]))
        (defn maj[a b c] (case a [T (case b [T T] [F c])] [F (case b [T c] [F F])]))
        (defn bit[n] (if (eq n 0) F T))",
        "(case @ [(Pair c s) (let ([x (bit (sub k #))]) (Pair (maj x c T) (Cons (xo x (xo c T)) s)))])",
        "(Pair F Nil)",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [(Pair c s) (length s)]))",
    ),
    (
        "three values",
        "(data V (A) (B) (C))
        (defn nx[v] (case v [A B] [B C] [C A]))
        (defn mx[u v] (case u [A v] [B (case v [C C] [_ B])] [C C]))
        (defn ov[n] (if (eq n 0) A (if (eq n 1) B C)))",
        "(mx (nx (ov (sub k #))) (nx @))",
        "A",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [A 1] [B 0] [C 2]))",
    ),
    (
        "polynomials",
        "(defn padd[a b] (case a [Nil b] [(Cons x s) (case b [Nil a] [(Cons y t) (Cons (add x y) (padd s t))])]))
        (defn pmul[a b] (case a [Nil Nil] [(Cons x s) (padd (map (mul x) b) (Cons 0 (pmul s b)))]))",
        "(pmul [1 #] @)",
        "[k 1]",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum @))",
    ),
    (
        "polynomials added",
        "(defn padd[a b] (case a [Nil b] [(Cons x s) (case b [Nil a] [(Cons y t) (Cons (add x y) (padd s t))])]))",
        "(padd [1 #] @)",
        "[k 1]",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum @))",
    ),
    (
        "matrices",
        "",
        "(zipWith (zipWith add) [[1 #] [2 k]] @)",
        "[[k 1] [1 1]]",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum (concat @)))",
    ),
    (
        "run lengths",
        "(defn rle[xs] (case xs [Nil Nil] [(Cons x t) (case (rle t) [(Cons (Pair y n) r) (if (eq x y) (Cons (Pair y (add n 1)) r) (Cons (Pair x 1) (Cons (Pair y n) r)))] [Nil [(Pair x 1)]])]))
        (defn unr[xs] (case xs [Nil Nil] [(Cons (Pair x n) t) (append (replicate n x) (unr t))]))",
        "(unr (rle @))",
        "i",
        "(defn main[i] (length @))",
    ),
    (
        "partitions",
        "",
        "(case (partition (lt #) @) [(Pair a b) (append b a)])",
        "i",
        "(defn main[i] (length (go (map ord i))))
        (defn go[i] @)",
    ),
    (
        "spans",
        "",
        "(case (span (lt #) @) [(Pair a b) (append b a)])",
        "i",
        "(defn main[i] (length (go (map ord i))))
        (defn go[i] @)",
    ),
    (
        "quick sorts",
        "(defn qs[xs] (case xs [Nil Nil] [(Cons p t) (append (qs (filter (gt p) t)) (Cons p (qs (filter (le p) t))))]))",
        "(qs (map (add #) @))",
        "i",
        "(defn main[i] (sum (go (map ord i))))
        (defn go[i] @)",
    ),
    (
        "unfolds",
        "(defn unf[f s] (case (f s) [Nothing Nil] [(Just (Pair a t)) (Cons a (unf f t))]))",
        "(unf (fn [xs] (case xs [Nil Nothing] [(Cons a t) (if (eq a #) (Just (Pair 0 t)) (Just (Pair a t)))])) @)",
        "i",
        "(defn main[i] (length (go (map ord i))))
        (defn go[i] @)",
    ),
    (
        "zip and unzip",
        "",
        "(case (unzip (zip @ (range 1 #))) [(Pair a b) (zipWith add a b)])",
        "i",
        "(defn main[i] (sum (go (map ord i))))
        (defn go[i] @)",
    ),
    (
        "streams merged",
        "(defn ev[xs] (case xs [Nil Nil] [(Cons a t) (Cons a (od t))]))
        (defn od[xs] (case xs [Nil Nil] [(Cons a t) (ev t)]))
        (defn il[xs ys] (case xs [Nil ys] [(Cons a t) (Cons a (il ys t))]))",
        "(il (ev @) [# 1])",
        "i",
        "(defn main[i] (length @))",
    ),
    (
        "exceptions by hand",
        "(defn dv[a b] (if (eq b 0) (Left 0) (Right (div a b))))
        (defn bnd[e f] (case e [(Left x) (Left x)] [(Right a) (f a)]))",
        "(bnd @ (fn [x#] (dv x# (sub k #))))",
        "(Right k)",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [(Left x) x] [(Right x) x]))",
    ),
    (
        "state of records",
        "(data S (S pc acc out))
        (defn step[n s] (case s [(S pc acc out) (if (eq (rem acc n) 0) (S (add pc 1) (add acc n) (Cons acc out)) (S (add pc 2) (sub acc n) out))]))",
        "(step # @)",
        "(S 0 k Nil)",
        "(defn main[i] (go (length i)))
        (defn go[k] (case @ [(S pc acc out) (add pc (length out))]))",
    ),
    (
        "symbolic derivative",
        "(data E (X) (K n) (P a b) (M a b))
        (defn d[e] (case e [X (K 1)] [(K n) (K 0)] [(P a b) (P (d a) (d b))] [(M a b) (P (M (d a) b) (M a (d b)))]))
        (defn ev[e x] (case e [X x] [(K n) n] [(P a b) (add (ev a x) (ev b x))] [(M a b) (mul (ev a x) (ev b x))]))",
        "(d @)",
        "(M X (M X X))",
        "(defn main[i] (ev @ (length i)))",
    ),
    (
        "symbolic products",
        "(data E (X) (K n) (P a b) (M a b))
        (defn d[e] (case e [X (K 1)] [(K n) (K 0)] [(P a b) (P (d a) (d b))] [(M a b) (P (M (d a) b) (M a (d b)))]))
        (defn ev[e x] (case e [X x] [(K n) n] [(P a b) (add (ev a x) (ev b x))] [(M a b) (mul (ev a x) (ev b x))]))",
        "(M (P X (K #)) @)",
        "X",
        "(defn main[i] (ev (d @) (length i)))",
    ),
    (
        "substitutions",
        "(data L (V n) (A f x) (F b))
        (defn sh[d t] (case t [(V n) (if (lt n d) (V n) (V (add n 1)))] [(A f x) (A (sh d f) (sh d x))] [(F b) (F (sh (add d 1) b))]))
        (defn sz[t] (case t [(V n) n] [(A f x) (add (sz f) (sz x))] [(F b) (add 1 (sz b))]))",
        "(sh # @)",
        "(F (A (V 0) (V k)))",
        "(defn main[i] (go (length i)))
        (defn go[k] (sz @))",
    ),
    (
        "game moves",
        "(defn mv[p b] (case b [Nil Nil] [(Cons x t) (if (eq p 0) (Cons 1 t) (Cons x (mv (sub p 1) t)))]))",
        "(mv # @)",
        "[0 0 0 0 k 0 0 0 0]",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum @))",
    ),
    (
        "game moves of unknown",
        "(defn mv[p b] (case b [Nil Nil] [(Cons x t) (if (eq p 0) (Cons 1 t) (Cons x (mv (sub p 1) t)))]))",
        "(mv (rem k #) @)",
        "[0 0 0 0 k 0 0 0 0]",
        "(defn main[i] (go (length i)))
        (defn go[k] (sum @))",
    ),
    (
        "environment",
        "(defn get[k e] (case e [Nil 0] [(Cons (Pair j v) t) (if (eq j k) v (get k t))]))",
        "(let ([e# (Cons (Pair # (get (sub k #) e)) e)]) (let ([e e#]) @))",
        "(get k e)",
        "(defn main[i] (go (length i) Nil))
        (defn go[k e] @)",
    ),
    (
        "text compared",
        "",
        "(if (eqString i \"abc#\") # @)",
        "0",
        "(defn main[i] @)",
    ),
    (
        "ranges",
        "",
        "(sum (map (fn [x#] (add x# @)) (range 1 k)))",
        "1",
        "(defn main[i] (go (length i)))
        (defn go[k] @)",
    ),
    (
        "comprehension",
        "",
        "(concatMap (fn [x#] (if (gt x# #) @ Nil)) (range 1 k))",
        "[k]",
        "(defn main[i] (go (length i)))
        (defn go[k] (length @))",
    ),
    // What comes to the choice is no truth: nothing decides the one that follows.
    (
        "choices on lists",
        "",
        "(if @ xs Nil)",
        "c",
        "(defn main[i] (go (length i) i))
        (defn go[c xs] @)",
    ),
    // Each turn writes the nest, and the next one is known.
    (
        "calls of itself from a known number",
        "",
        "(go @ b)",
        "(add a 1)",
        "(defn main[] (length (go 1 20000)))
        (defn go[a b] (if (gt a b) Nil (Cons a @)))",
    ),
];
