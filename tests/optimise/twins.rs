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
        "a parameter that a branch returns as it is, where it is known",
        "(data Tree (Leaf n) (Branch l r))
         (defn built[d n] (if (eq d 0) (Leaf n) (Branch (built (sub d 1) n) (built (sub d 1) (add n 1)))))
         (defn flipped[t] (case t [(Branch l r) (Branch (flipped r) (flipped l))] [_ t]))
         (defn total[t] (case t [(Leaf n) n] [(Branch l r) (add (total l) (total r))]))
         (defn main[i] (total (flipped (flipped (flipped (built (add 9 (length i)) 1))))))",
        "(defn total[d n] (if (eq d 0) n (add (total (sub d 1) n) (total (sub d 1) (add n 1)))))
         (defn main[i] (total (add 9 (length i)) 1))",
    ),
    (
        "a short list that is made by counting",
        "(defn digits[k] (if (eq k 0) Nil (Cons k (digits (sub k 1)))))
         (defn horner[x cs] (case cs [(Nil) 0] [(Cons c t) (add c (mul x (horner x t)))]))
         (defn go[k] (if (gt k 1000) 0 (add (horner k (digits 4)) (go (add k 1)))))
         (defn main[] (go 1))",
        "(defn at[x] (add 4 (mul x (add 3 (mul x (add 2 (mul x 1)))))))
         (defn go[k] (if (gt k 1000) 0 (add (at k) (go (add k 1)))))
         (defn main[] (go 1))",
    ),
    (
        "a list that a branch goes on with as a whole",
        "(defn beyond[k xs] (case xs [Nil Nil] [(Cons x t) (if (lt x k) (beyond k t) xs)]))
         (defn main[i] (sum (beyond (add 900 (length i)) (map square (range 1 2000)))))",
        "(defn beyond[k xs] (case xs [Nil Nil] [(Cons x t) (if (lt x k) (beyond k t) (Cons x t))]))
         (defn main[i] (sum (beyond (add 900 (length i)) (map square (range 1 2000)))))",
    ),
    (
        "a number that every call of a loop passes, which partial evaluation took for one of several",
        "(defn main[] (total 40)) (defn signs[] (cycle [1 -1]))
         (defn total[n] (foldl' (fn [a b] (rem (add (mul a 3) b) 10007)) 0
           (zipWith (term n) (range 0 n) (take (add n 1) triangle))))
         (defn term[n k row] (sum (zipWith mul (zipWith mul signs row) (map (fn [j] (pow j n)) (range 0 k)))))
         (defn triangle[] (iterate (fn [row] (zipWith add (Cons 0 row) (append row [0]))) [1]))",
        "(defn main[] (total 40)) (defn signs[] (cycle [1 -1]))
         (defn total[n] (foldl' (fn [a b] (rem (add (mul a 3) b) 10007)) 0
           (zipWith (term n) (range 0 n) (take (add n 1) triangle))))
         (defn term[n k row] (sum (zipWith mul (zipWith mul signs row) (map (fn [j] (pow j 40)) (range 0 k)))))
         (defn triangle[] (iterate (fn [row] (zipWith add (Cons 0 row) (append row [0]))) [1]))",
    ),
    (
        "a map by a right fold with a composition, in another right fold",
        "(defn cat[xss] (foldr append Nil xss)) (defn each[f xs] (foldr (compose Cons f) Nil xs))
         (defn len[xs] (foldr (fn [_ n] (add n 1)) 0 xs))
         (defn main[] (len (cat (each (fn [x] [x x]) (range 1 2000)))))",
        "(defn cat[xss] (foldr append Nil xss)) (defn each[f xs] (foldr (fn [x r] (Cons (f x) r)) Nil xs))
         (defn len[xs] (foldr (fn [_ n] (add n 1)) 0 xs))
         (defn main[] (len (cat (each (fn [x] [x x]) (range 1 2000)))))",
    ),
    (
        "a map by a right fold with a composition, of a takeWhile by another",
        "(defn each[f xs] (foldr (compose Cons f) Nil xs)) (defn len[xs] (foldr (fn [_ n] (add n 1)) 0 xs))
         (defn while[p xs] (foldr (fn [x r] (if (p x) (Cons x r) Nil)) Nil xs))
         (defn main[] (len (each (fn [x] [x x]) (while (gt 1000) (range 1 2000)))))",
        "(defn go[k] (if (gt k 2000) 0 (if (gt 1000 k) (add (go (add k 1)) 1) 0))) (defn main[] (go 1))",
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
    (
        "a list that a function writes down, of computed elements",
        "(defn row[k] [k (add k 1) (mul k 2)])
         (defn main[] (sum (map (fn [k] (maximum (row k))) (range 1 1000))))",
        "(defn main[] (sum (map (fn [k] (maximum [k (add k 1) (mul k 2)])) (range 1 1000))))",
    ),
    (
        "a list whose first elements are known, and counted",
        "(defn main[] (length (filter (fn [n] (neq (rem n 7) 0)) (range 1 3000))))",
        "(defn main[i] (length (filter (fn [n] (neq (rem n 7) 0)) (range (add 1 (length i)) 3000))))",
    ),
    (
        "a list of which the first element is known and the rest depends on it",
        "(defn main[] (count even (scanl (fn [a x] (rem (add (mul a 7) x) 1009)) 1 (range 1 1000))))",
        "(defn main[] (go 1 1 0))
         (defn go[a k n] (let ([m (if (even a) (add n 1) n)]) (if (gt k 1000) m
           (go (rem (add (mul a 7) k) 1009) (add k 1) m))))",
    ),
    (
        "what a producer makes among texts that are written one after the other",
        "(defn tag[n] (concat [\"<\" (map toUpper (replicate n 'x')) \">\"]))
         (defn main[] (sum (map (compose length tag) (range 1 100))))",
        "(defn tag[n] (append \"<\" (append (map toUpper (replicate n 'x')) \">\")))
         (defn main[] (sum (map (compose length tag) (range 1 100))))",
    ),
    (
        "a producer that a function leads to",
        "(defn digits[n] (map (fn [p] (rem (div n p) 10)) [100 10 1]))
         (defn main[] (sum (map (compose sum digits) (range 100 999))))",
        "(defn main[] (sum (map (fn [n] (add (div n 100) (add (rem (div n 10) 10) (rem n 10))))
           (range 100 999))))",
    ),
    (
        "what is passed on of a producer: all but the first",
        "(defn main[i] (sum (tail (map square (range (length i) 1000)))))",
        "(defn main[i] (sum (map square (range (add 1 (length i)) 1000))))",
    ),
    (
        "what is passed on after some steps",
        "(defn main[i] (sum (drop 3 (map square (range (length i) 1000)))))",
        "(defn main[i] (sum (map square (range (add 3 (length i)) 1000))))",
    ),
    (
        "what is passed on from an element on",
        "(defn main[i] (sum (dropWhile (gt 100) (map square (range (length i) 1000)))))",
        "(defn main[i] (sum (map (fn [x] (if (gt 100 x) 0 x)) (map square (range (length i) 1000)))))",
    ),
    (
        "one of two producers",
        "(defn main[i] (sum (if (eq (length i) 0) (map square (range (length i) 1000)) (range 1 9))))",
        "(defn main[i] (if (eq (length i) 0) (sum (map square (range (length i) 1000))) (sum (range 1 9))))",
    ),
    (
        "lists of two, one after the other",
        "(defn main[i] (sum (concat (map (fn [k] [k k]) (range (length i) 1000)))))",
        "(defn main[i] (sum (concatMap (fn [k] [k k]) (range (length i) 1000))))",
    ),
    (
        "a pair that a function makes and two places take apart",
        "(defn next[s] (let ([t (rem (add (mul s 1103) 12345) 65536)]) (Pair (rem (div t 16) 100) t)))
         (defn trial[s] (case (next s) [(Pair x t) (case (next t) [(Pair y u) (Pair (lt x y) u)])]))
         (defn sim[n hits s] (if (eq n 0) hits (case (trial s) [(Pair h t) (sim (sub n 1) (add hits h) t)])))
         (defn main[] (sim 1000 0 42))",
        "(defn next[s] (rem (add (mul s 1103) 12345) 65536)) (defn value[s] (rem (div s 16) 100))
         (defn sim[n hits s] (if (eq n 0) hits (let ([t (next s)] [u (next t)])
           (sim (sub n 1) (add hits (lt (value t) (value u))) u))))
         (defn main[] (sim 1000 0 42))",
    ),
    (
        "a pair that a loop returns, of what is needed of it",
        "(defn go[k a b] (if (gt k 1000) (Pair a b)
           (let ([x (rem (mul k 37) 1013)]) (go (add k 1) (min a x) (max b x)))))
         (defn main[] (case (go 1 999 0) [(Pair a b) (sub b a)]))",
        "(defn go[k a b] (if (gt k 1000) (sub b a)
           (let ([x (rem (mul k 37) 1013)]) (go (add k 1) (min a x) (max b x)))))
         (defn main[] (go 1 999 0))",
    ),
    (
        "a case of a list, and a loop along the rest",
        "(defn main[i] (case (map square (range (length i) 1000)) [Nil 0] [(Cons x t) (foldl' max x t)]))",
        "(defn main[i] (foldl' max 0 (map square (range (length i) 1000))))",
    ),
    (
        "the greatest of a list of which some are left out",
        "(defn h[n] (if (gt (rem n 7) 2) (Just (add n 1)) Nothing))
         (defn main[i] (maximum (mapMaybe h (range (length i) 1000))))",
        "(defn main[i] (go (length i) 0))
         (defn go[k m] (if (gt k 1000) m (go (add k 1) (if (gt (rem k 7) 2) (max m (add k 1)) m))))",
    ),
    (
        "a test that several choices ask for",
        "(defn ok[n] (if (eq (rem n 3) 0) (gt n 50) (if (eq (rem n 5) 1) 0 (lt n 900))))
         (defn go[n a] (if (gt n 1000) a (if (ok n) (go (add n 1) (add a n))
           (if (ok (add n 1)) (go (add n 1) (sub a 1)) (go (add n 1) a)))))
         (defn main[] (go 1 0))",
        "(defn go[n a] (if (gt n 1000) a
           (if (if (eq (rem n 3) 0) (gt n 50) (if (eq (rem n 5) 1) 0 (lt n 900))) (go (add n 1) (add a n))
             (let ([m (add n 1)])
               (if (if (eq (rem m 3) 0) (gt m 50) (if (eq (rem m 5) 1) 0 (lt m 900)))
                 (go m (sub a 1)) (go m a))))))
         (defn main[] (go 1 0))",
    ),
    (
        "what is returned after it has been taken apart is evaluated once",
        "(defn from'[xs] (case xs [Nil Nil] [(Cons x t) (if (gt 100 x) (from' t) xs)]))
         (defn slow[n] (if (eq n 0) 1 (add 1 (slow (sub n 1)))))
         (defn main[i] (sum (from' (map slow (Cons (length i) (Cons (add 3000 (length i)) Nil))))))",
        "(defn slow[n] (if (eq n 0) 1 (add 1 (slow (sub n 1)))))
         (defn main[i] (slow (add 3000 (length i))))",
    ),
    (
        "a loop of which all is known, and that is longer than a speculation",
        "(defn go[n a b] (if (eq n 0) (Pair a b) (go (sub n 1) b (rem (add a b) 1009))))
         (defn main[] (case (go 150 0 1) [(Pair a b) (add a b)]))",
        "(defn go[n a b] (if (eq n 0) (add a b) (go (sub n 1) b (rem (add a b) 1009))))
         (defn main[] (go 150 0 1))",
    ),
    (
        "a structure that functions make of a known one, and take apart",
        "(data E (X) (K n) (Add a b) (Mul a b))
         (defn d[e] (case e [X (K 1)] [(K _) (K 0)] [(Add a b) (add2 (d a) (d b))]
           [(Mul a b) (add2 (mul2 (d a) b) (mul2 a (d b)))]))
         (defn add2[a b] (case a [(K 0) b] [_ (case b [(K 0) a] [_ (Add a b)])]))
         (defn mul2[a b] (case a [(K 0) (K 0)] [(K 1) b] [_ (case b [(K 0) (K 0)] [(K 1) a] [_ (Mul a b)])]))
         (defn ev[e x] (case e [X x] [(K n) n] [(Add a b) (add (ev a x) (ev b x))]
           [(Mul a b) (mul (ev a x) (ev b x))]))
         (defn main[] (sum (map (ev (d (Add (Mul X (Mul X X)) (Add (Mul (K 3) X) (K 7))))) (range 1 500))))",
        "(defn main[] (sum (map (fn [x] (add (add (mul x x) (mul x (add x x))) 3)) (range 1 500))))",
    ),
    (
        "texts of a few characters, and an end",
        "(defn esc[n] (if (eq n 3) \"ab\" (if (eq n 5) \"cd\" [(chr (add 97 n))])))
         (defn main[i] (length (append (concatMap esc (map (fn [k] (rem k 7)) (range (length i) 1000))) \"end\")))",
        "(defn main[i] (go (length i) 0))
         (defn go[k n] (if (gt k 1000) (add n 3) (let ([m (rem k 7)])
           (go (add k 1) (add n (if (eq m 3) 2 (if (eq m 5) 2 1)))))))",
    ),
    (
        "a recursion that returns a pair of sums",
        "(defn go[k n] (if (gt k n) (Pair 0 0)
           (let ([r (go (add k 1) n)]) (Pair (add k (fst r)) (max (rem k 7) (snd r))))))
         (defn main[] (case (go 1 1000) [(Pair a b) (add a b)]))",
        "(defn go[k n] (if (gt k n) (Pair 0 0)
           (case (go (add k 1) n) [(Pair a b)
             (let ([x (add k a)] [y (max (rem k 7) b)]) (seq x (seq y (Pair x y))))])))
         (defn main[] (case (go 1 1000) [(Pair a b) (add a b)]))",
    ),
    (
        "a left fold with a pair that is wanted in the end",
        "(defn main[] (case (foldl (fn [p c] (Pair (add (fst p) c) (max (snd p) c))) (Pair 0 0)
           (range 1 1000)) [(Pair a b) (add a b)]))",
        "(defn main[] (case (foldl' (fn [p c] (seq (fst p) (seq (snd p)
             (Pair (add (fst p) c) (max (snd p) c))))) (Pair 0 0) (range 1 1000))
           [(Pair a b) (add a b)]))",
    ),
    (
        "a recursion that returns Just what is wanted",
        "(defn f[k] (rem (mul k 37) 1009))
         (defn go[k n] (if (gt k n) Nothing (case (go (add k 1) n)
           [Nothing (Just (f k))] [(Just y) (Just (max (f k) y))])))
         (defn main[] (case (go 1 1000) [Nothing 0] [(Just x) (add x 1)]))",
        "(defn f[k] (rem (mul k 37) 1009))
         (defn go[k n] (if (gt k n) -1 (max (f k) (go (add k 1) n))))
         (defn main[] (add 1 (go 1 1000)))",
    ),
    (
        "an accumulating map whose step makes a pair",
        "(defn main[] (let ([xs (snd (mapAccumL
             (fn [b t] (let ([c (rem (add b t) 9)]) (Pair c c))) 0 (range 1 1000)))])
           (add (sum xs) (length xs))))",
        "(defn acc[k n b] (if (gt k n) Nil
           (let ([c (rem (add b k) 9)]) (seq c (Cons c (acc (add k 1) n c))))))
         (defn main[] (let ([xs (acc 1 1000 0)]) (add (sum xs) (length xs))))",
    ),
    (
        "a machine whose labels are written down, from a known start",
        "(data I (AddK k pc) (Jz a b) (Halt))
         (defn code[] [(Jz 3 1) (AddK 2 2) (AddK -5 0) Halt])
         (defn exec[pc x n] (case (nth pc code) [(AddK k q) (exec q (add x k) (add n 1))]
           [(Jz a b) (if (le x 0) (exec a x n) (exec b x n))] [Halt n]))
         (defn main[] (exec 0 3000 0))",
        "(defn loop[x n] (if (le x 0) n (loop (sub x 3) (add n 2))))
         (defn main[] (loop 3000 0))",
    ),
    (
        "a machine that counts its instructions, from a known start",
        "(data I (AddK k) (Jgz a) (Halt))
         (defn code[] [(AddK 2) (AddK -5) (AddK 1) (Jgz 0) Halt])
         (defn exec[pc x n] (case (nth pc code) [(AddK k) (exec (add pc 1) (add x k) n)]
           [(Jgz a) (if (gt x 0) (exec a x (add n 1)) (exec (add pc 1) x n))] [Halt n]))
         (defn main[] (exec 0 3000 0))",
        "(defn loop[x n] (let ([y (sub x 2)]) (if (gt y 0) (loop y (add n 1)) n)))
         (defn main[] (loop 3000 0))",
    ),
    (
        "a text of two between others",
        "(defn f[k] (concat [\"<\" (if (even k) \"odd\" \"even\") \">\"]))
         (defn main[] (sum (map (compose length f) (range 1 500))))",
        "(defn go[k s] (if (gt k 500) s (go (add k 1) (add s (if (even k) 5 6)))))
         (defn main[] (go 1 0))",
    ),
    (
        "an operator that is chosen, in a constructor",
        "(data Tok (Op f))
         (defn go[a k n] (if (gt k n) a (case (Op (if (even k) add sub))
           [(Op f) (go (f a k) (add k 1) n)])))
         (defn main[] (go 0 1 1000))",
        "(defn go[a k n] (if (gt k n) a (go (if (even k) (add a k) (sub a k)) (add k 1) n)))
         (defn main[] (go 0 1 1000))",
    ),
    (
        "a recursion that comes to a composition with a function of two parameters",
        "(defn g[k a] (rem (add (mul 3 a) k) 1009))
         (defn f[k n] (if (gt k n) id (compose (g k) (f (add k 1) n))))
         (defn main[i] (f 1 (add 1000 (length i)) 1))",
        "(defn f[k n] (if (gt k n) 1 (rem (add (mul 3 (f (add k 1) n)) k) 1009)))
         (defn main[i] (f 1 (add 1000 (length i))))",
    ),
    (
        "functions of an environment that are bound",
        "(defn bind[m k r] (k (m r) r))
         (defn walk[n] (if (eq n 0) (fn [r] r) (bind (walk (sub n 1)) (fn [a r] (add a r)))))
         (defn main[i] (walk (add 1000 (length i)) 3))",
        "(defn walk[n r] (if (eq n 0) r (add (walk (sub n 1) r) r)))
         (defn main[i] (walk (add 1000 (length i)) 3))",
    ),
    (
        "a fold to a composition of what a function makes of the elements",
        "(defn foldMap[f xs] (foldr (fn [x r] (compose (f x) r)) id xs))
         (defn main[i] (foldMap (fn [k a] (rem (add (mul 3 a) k) 1009)) (range 1 (add 1000 (length i))) 1))",
        "(defn go[k n] (if (gt k n) 1 (rem (add (mul 3 (go (add k 1) n)) k) 1009)))
         (defn main[i] (go 1 (add 1000 (length i))))",
    ),
    (
        "a list that is made by functions, and consumed",
        "(defn f[k n] (if (gt k n) (fn [i] Nil) (let ([r (f (add k 1) n)]) (fn [i] (Cons (mul i k) (r (add i 1)))))))
         (defn main[i] (sum (f 1 (add 1000 (length i)) 0)))",
        "(defn go[k n i s] (if (gt k n) s (go (add k 1) n (add i 1) (add s (mul i k)))))
         (defn main[i] (go 1 (add 1000 (length i)) 0 0))",
    ),
    (
        "a fold to a function that makes a list",
        "(defn main[i] (sum (foldr (fn [x k n] (Cons (mul n x) (k (add n 1)))) (const Nil)
           (range 1 (add 1000 (length i))) 0)))",
        "(defn go[k n i s] (if (gt k n) s (go (add k 1) n (add i 1) (add s (mul i k)))))
         (defn main[i] (go 1 (add 1000 (length i)) 0 0))",
    ),
    (
        "a list that functions make which a function comes to, and of which some is taken",
        "(defn f[k n] (if (gt k n) (fn [i] Nil) (fn [i] (Cons (add i k) (f (add k 1) n (add i 1))))))
         (defn main[i] (sum (take 900 (f 1 (add 1000 (length i)) 2))))",
        "(defn go[z t k n i] (if (le t 0) z (if (gt k n) z (go (add z (add i k)) (sub t 1) (add k 1) n (add i 1)))))
         (defn main[i] (go 0 900 1 (add 1000 (length i)) 2))",
    ),
    (
        "a list that is a function of what takes it apart",
        "(defn nil[n c] n) (defn cons[x t n c] (c x t))
         (defn up[a b] (if (gt a b) nil (cons a (up (add a 1) b))))
         (defn total[xs] (xs 0 (fn [x t] (add x (total t)))))
         (defn main[i] (total (up 1 (add 1000 (length i)))))",
        "(defn go[k n] (if (gt k n) 0 (add k (go (add k 1) n))))
         (defn main[i] (go 1 (add 1000 (length i))))",
    ),
    (
        "lists that are functions of what takes them apart, mapped",
        "(defn nil[n c] n) (defn cons[x t n c] (c x t))
         (defn up[a b] (if (gt a b) nil (cons a (up (add a 1) b))))
         (defn each[f xs] (xs nil (fn [x t] (cons (f x) (each f t)))))
         (defn total[xs] (xs 0 (fn [x t] (add x (total t)))))
         (defn main[i] (total (each square (up 1 (add 1000 (length i))))))",
        "(defn go[k n] (if (gt k n) 0 (add (mul k k) (go (add k 1) n))))
         (defn main[i] (go 1 (add 1000 (length i))))",
    ),
    (
        "functions of a state that are fields",
        "(data St (St run))
         (defn run[m s] (case m [(St f) (f s)]))
         (defn bind[m k] (St (fn [s] (case (run m s) [(Pair a t) (run (k a) t)]))))
         (defn tick[n] (St (fn [s] (Pair 0 (add s n)))))
         (defn loop[n] (if (eq n 0) (tick 0) (bind (tick n) (fn [_] (loop (sub n 1))))))
         (defn main[i] (snd (run (loop (add 1000 (length i))) 1)))",
        "(defn go[n a] (if (eq n 0) a (go (sub n 1) (add n a))))
         (defn main[i] (go (add 1000 (length i)) 1))",
    ),
    (
        "a generator that is a function in a field",
        "(data Gen (Gen next))
         (defn step[g] (case g [(Gen f) (f 0)]))
         (defn up[a b] (Gen (fn [_] (if (gt a b) Nothing (Just (Pair a (up (add a 1) b)))))))
         (defn total[g s] (case (step g) [Nothing s] [(Just p) (total (snd p) (add s (fst p)))]))
         (defn main[i] (total (up 1 (add 1000 (length i))) 0))",
        "(defn go[a b s] (if (gt a b) s (go (add a 1) b (add s a))))
         (defn main[i] (go 1 (add 1000 (length i)) 0))",
    ),
    (
        "a generator that is mapped",
        "(data Gen (Gen next))
         (defn step[g] (case g [(Gen f) (f 0)]))
         (defn up[a b] (Gen (fn [_] (if (gt a b) Nothing (Just (Pair a (up (add a 1) b)))))))
         (defn each[f g] (Gen (fn [_] (case (step g) [Nothing Nothing]
           [(Just p) (Just (Pair (f (fst p)) (each f (snd p))))]))))
         (defn total[g s] (case (step g) [Nothing s] [(Just p) (total (snd p) (add s (fst p)))]))
         (defn main[i] (total (each square (up 1 (add 1000 (length i)))) 0))",
        "(defn go[a b s] (if (gt a b) s (go (add a 1) b (add s (mul a a)))))
         (defn main[i] (go 1 (add 1000 (length i)) 0))",
    ),
    (
        "a function that is applied twice has what it holds once",
        "(defn slow[n] (if (eq n 0) 1 (slow (sub n 1))))
         (defn mk[n] (let ([k (slow n)]) (fn [x] (add x k))))
         (defn main[i] (let ([f (mk (add 2000 (length i)))]) (add (f 1) (f 2))))",
        "(defn slow[n] (if (eq n 0) 1 (slow (sub n 1))))
         (defn main[i] (let ([k (slow (add 2000 (length i)))]) (add (add 1 k) (add 2 k))))",
    ),
    (
        "so has one in a constructor",
        "(defn slow[n] (if (eq n 0) 1 (slow (sub n 1)))) (data St (St run))
         (defn mk[n] (St (add (slow n))))
         (defn main[i] (case (mk (add 2000 (length i))) [(St f) (add (f 1) (f 2))]))",
        "(defn slow[n] (if (eq n 0) 1 (slow (sub n 1))))
         (defn main[i] (let ([k (slow (add 2000 (length i)))]) (add (add 1 k) (add 2 k))))",
    ),
    (
        "a function that a recursion comes to is made once, and applied often",
        "(defn slow[n] (if (eq n 0) 1 (slow (sub n 1))))
         (defn walk[n] (if (eq n 0) (let ([k (slow 2000)]) (fn [r] (add r k))) (walk (sub n 1))))
         (defn main[i] (let ([f (walk (length i))]) (sum (map f (range 1 5)))))",
        "(defn slow[n] (if (eq n 0) 1 (slow (sub n 1))))
         (defn main[i] (let ([k (slow 2000)]) (sum (map (add k) (range 1 5)))))",
    ),
    (
        "values that a choice falls through to, in more levels than are written in each branch",
        "(defn cls[x]
           (let ([o (let ([o (let ([o (let ([o (let ([o (let ([o (let ([o (let ([o -1]) (if (ge x
           80) (if (le x 85) 8 o) o))]) (if (ge x 70) (if (le x 75) 7 o) o))]) (if (ge x 60) (if
           (le x 65) 6 o) o))]) (if (ge x 50) (if (le x 55) 5 o) o))]) (if (ge x 40) (if (le x 45)
           4 o) o))]) (if (ge x 30) (if (le x 35) 3 o) o))]) (if (ge x 20) (if (le x 25) 2 o) o))])
           (if (ge x 10) (if (le x 15) 1 o) o)))
         (defn go[i acc] (if (gt i 1000) acc (go (add i 1) (add acc (cls (rem i 100))))))
         (defn main[] (go 1 0))",
        "(defn cls[x]
           (if (if (ge x 10) (le x 15) 0) 1 (if (if (ge x 20) (le x 25) 0) 2 (if (if (ge x 30) (le
           x 35) 0) 3 (if (if (ge x 40) (le x 45) 0) 4 (if (if (ge x 50) (le x 55) 0) 5 (if (if (ge
           x 60) (le x 65) 0) 6 (if (if (ge x 70) (le x 75) 0) 7 (if (if (ge x 80) (le x 85) 0) 8
           -1)))))))))
         (defn go[i acc] (if (gt i 1000) acc (go (add i 1) (add acc (cls (rem i 100))))))
         (defn main[] (go 1 0))",
    ),
    (
        "a loop of which all is known once it is fused",
        "(defn main[] (sum (map square (range 1 40))))",
        "(defn main[] 22140)",
    ),
    (
        "a fused loop of which all is known, too long to be evaluated, behind a known element",
        "(defn main[] (sum (Cons 5 (map square (range 1 3000)))))",
        "(defn main[] (add 5 (sum (map square (range 1 3000)))))",
    ),
    (
        "methods of a constant record in the arguments of a loop",
        "(data Num (MkNum plus minus equal))
         (defn plus[d] (case d [(MkNum f _ _) f]))
         (defn minus[d] (case d [(MkNum _ f _) f]))
         (defn equal[d] (case d [(MkNum _ _ f) f]))
         (defn int[] (MkNum add sub eq))
         (defn loop[n acc] (if (equal int n 0) acc (loop (minus int n 1) (plus int acc n))))
         (defn main[] (loop 3000 0))",
        "(defn loop[n acc] (if (eq n 0) acc (loop (sub n 1) (add acc n))))
         (defn main[] (loop 3000 0))",
    ),
    (
        "a loop up to a constant that is a literal",
        "(defn limit[] 40) (defn main[] (sum (map square (range 1 limit))))",
        "(defn main[] 22140)",
    ),
    (
        "a constant whose data is bound before it is made",
        "(data E (Num n) (Var) (Add a b))
         (defn ev[e x] (case e [(Num n) n] [Var x] [(Add a b) (add (ev a x) (ev b x))]))
         (defn tree[] (let ([two (Num 2)]) (let ([sum (Add two Var)]) (Add sum Var))))
         (defn go[i s] (if (eq i 0) s (go (sub i 1) (add s (ev tree i)))))
         (defn main[] (go 3000 0))",
        "(defn go[i s] (if (eq i 0) s (go (sub i 1) (add s (add (add 2 i) i)))))
         (defn main[] (go 3000 0))",
    ),
    (
        "a constant function that binds what it applies",
        "(defn incs[] (let ([f (add 1)]) (map f)))
         (defn main[] (sum (incs (range 1 3000))))",
        "(defn main[] (sum (map (add 1) (range 1 3000))))",
    ),
    (
        "an action that is named before it is returned",
        "(defn bind[m f s] (case (m s) [(Pair x t) (f x t)]))
         (defn get[s] (Pair s s))
         (defn put[t _] (Pair 0 t))
         (defn tick[] (bind get (fn [n] (put (add n 1)))))
         (defn count[n] (let ([r (if (eq n 0) get (bind tick (fn [_] (count (sub n 1)))))]) r))
         (defn main[] (case (count 3000 0) [(Pair x s) (add x s)]))",
        "(defn bind[m f s] (case (m s) [(Pair x t) (f x t)]))
         (defn get[s] (Pair s s))
         (defn put[t _] (Pair 0 t))
         (defn tick[] (bind get (fn [n] (put (add n 1)))))
         (defn count[n] (if (eq n 0) get (bind tick (fn [_] (count (sub n 1))))))
         (defn main[] (case (count 3000 0) [(Pair x s) (add x s)]))",
    ),
    (
        "a right fold of the program's own in others of it",
        "(defn fold[f z xs] (case xs [Nil z] [(Cons y ys) (f y (fold f z ys))]))
         (defn each[f xs] (fold (fn [y r] (Cons (f y) r)) Nil xs))
         (defn those[p xs] (fold (fn [y r] (if (p y) (Cons y r) r)) Nil xs))
         (defn both[xs ys] (fold Cons ys xs))
         (defn main[] (fold add 0 (each (add 1) (those (lt 5) (both (range 1 1000) (range 1 1000))))))",
        "(defn main[] (sum (map (add 1) (filter (lt 5) (append (range 1 1000) (range 1 1000))))))",
    ),
    (
        "a test and selections in place of a case",
        "(defn upto[a b] (if (gt a b) Nil (Cons a (upto (add a 1) b))))
         (defn each[f xs] (if (isNil xs) Nil (Cons (f (head xs)) (each f (tail xs)))))
         (defn total[xs s] (if (isNil xs) s (total (tail xs) (add s (head xs)))))
         (defn main[] (total (each (mul 2) (upto 1 2000)) 0))",
        "(defn upto[a b] (if (gt a b) Nil (Cons a (upto (add a 1) b))))
         (defn each[f xs] (case xs [Nil Nil] [(Cons x t) (Cons (f x) (each f t))]))
         (defn total[xs s] (case xs [Nil s] [(Cons x t) (total t (add s x))]))
         (defn main[] (total (each (mul 2) (upto 1 2000)) 0))",
    ),
    (
        "an argument of what is consumed that is too large to be known",
        "(defn merge[xs ys] (case xs [Nil ys] [(Cons a s) (case ys [Nil xs]
           [(Cons b t) (if (le a b) (Cons a (merge s ys)) (Cons b (merge xs t)))])]))
         (defn by-two[n] (if (gt n 2000) Nil (Cons n (by-two (add n 2)))))
         (defn main[] (sum (merge (by-two 0) (by-two 1))))",
        "(defn total[xs ys s] (case xs [Nil (rest ys s)] [(Cons a t) (case ys [Nil (rest xs s)]
           [(Cons b u) (if (le a b) (total t ys (add s a)) (total xs u (add s b)))])]))
         (defn rest[xs s] (case xs [Nil s] [(Cons a t) (rest t (add s a))]))
         (defn by-two[n] (if (gt n 2000) Nil (Cons n (by-two (add n 2)))))
         (defn main[] (total (by-two 0) (by-two 1) 0))",
    ),
    (
        "a list that is passed round a loop before it is consumed",
        "(defn f[xs ys] (sum (filter (lt 5) (append xs ys))))
         (defn main[] (f (range 1 2000) (range 1 2000)))",
        "(defn go[k s] (if (gt k 2000) s (go (add k 1) (if (lt 5 k) (add s k) s))))
         (defn main[] (go 1 (go 1 0)))",
    ),
    (
        "a call with more arguments than parameters in a lazy place",
        "(defn fold[f z xs] (case xs [Nil z] [(Cons x t) (f x (fold f z t))]))
         (defn each[f xs] (fold (fn [x r] (Cons (f x) r)) Nil xs))
         (defn main[] [(fold (fn [x k acc] (k (sub acc x))) id (each square (range 1 1000)) 0)])",
        "(defn main[] [(foldl' sub 0 (map square (range 1 1000)))])",
    ),
    (
        "a constant that a function makes of a function",
        "(data State (State run))
         (defn bind[m f] (State (fn [s] (case m [(State g) (case (g s) [(Pair x t) (case (f x) [(State h) (h t)])])]))))
         (defn fresh[] (bind (State (fn [s] (Pair s s))) (fn [x] (State (fn [_] (Pair x (add x 1)))))))
         (defn go[n s] (if (eq n 0) s (case fresh [(State f) (case (f s) [(Pair _ t) (go (sub n 1) t)])])))
         (defn main[] (go 1000 0))",
        "(defn go[n s] (if (eq n 0) s (go (sub n 1) (add s 1))))
         (defn main[] (go 1000 0))",
    ),
    (
        "lenses, which look at a parameter that their loop does not look at",
        "(data Lens (Lens get set)) (data Person (Person name age)) (data Firm (Firm boss staff))
         (defn view[l s] (case l [(Lens g _) (g s)]))
         (defn over[l f s] (case l [(Lens _ p) (p (f (view l s)) s)]))
         (defn o[l m] (Lens (fn [s] (view m (view l s))) (fn [x s] (over l (fn [t] (case m [(Lens _ p) (p x t)])) s))))
         (defn age[] (Lens (fn [p] (case p [(Person _ a) a])) (fn [a p] (case p [(Person n _) (Person n a)]))))
         (defn boss[] (Lens (fn [f] (case f [(Firm b _) b])) (fn [b f] (case f [(Firm _ s) (Firm b s)]))))
         (defn years[n c] (if (eq n 0) c (years (sub n 1) (over (o boss age) (add 1) c))))
         (defn main[] (years 1000 (Firm (Person \"Ann\" 30) Nil)))",
        "(data Person (Person name age)) (data Firm (Firm boss staff))
         (defn years[n a] (if (eq n 0) (Firm (Person \"Ann\" a) Nil) (years (sub n 1) (add 1 a))))
         (defn main[] (years 1000 30))",
    ),
    (
        "constants that are compositions of compositions",
        "(defn o[f g x] (f (g x))) (defn cmap[] (o (o concat) map)) (defn dup[] (cmap (fn [x] [x x])))
         (defn main[] (sum (o dup (o dup (range 1)) 500)))",
        "(defn dup[xs] (concat (map (fn [x] [x x]) xs))) (defn main[] (sum (dup (dup (range 1 500)))))",
    ),
    (
        "a constant that a function makes of itself",
        "(defn twice[f x] (f (f x))) (defn add8[] (twice twice (twice (add 1))))
         (defn go[n s] (if (eq n 0) s (go (sub n 1) (rem (add8 s) 1009)))) (defn main[] (go 500 0))",
        "(defn go[n s] (if (eq n 0) s (go (sub n 1) (rem (add 8 s) 1009)))) (defn main[] (go 500 0))",
    ),
    (
        "constant lenses that are composed",
        "(data Lens (Lens get set)) (defn get[l] (case l [(Lens g _) g])) (defn set[l] (case l [(Lens _ p) p]))
         (defn first'[] (Lens fst (fn [x p] (case p [(Pair _ b) (Pair x b)]))))
         (defn second'[] (Lens snd (fn [x p] (case p [(Pair a _) (Pair a x)]))))
         (defn o[l m] (Lens (compose (get m) (get l)) (fn [x s] (set l (set m x (get l s)) s))))
         (defn over[l f s] (set l (f (get l s)) s)) (defn deep[] (o second' inner))
         (defn inner[] (o second' first'))
         (defn go[n s] (if (eq n 0) (get deep s) (go (sub n 1) (over deep (add n) s))))
         (defn main[] (go 1000 (Pair 0 (Pair 0 (Pair 0 0)))))",
        "(defn go[n s] (if (eq n 0) (fst (snd (snd s))) (go (sub n 1) (case s [(Pair a t)
           (Pair a (case t [(Pair b u) (Pair b (case u [(Pair c d) (Pair (add n c) d)]))]))]))))
         (defn main[] (go 1000 (Pair 0 (Pair 0 (Pair 0 0)))))",
    ),
    (
        "a constant table of rules that functions write",
        "(data Exp (Num n) (Name s) (Two f a b)) (defn two[f a b] (list-of Two f [a b]))
         (defn list-of[c f xs] (foldr (fn [x k] (compose k (fn [g] (g x)))) id xs (c f)))
         (defn rules[] [(Pair (two 1 (Num 0) (Name 7)) 3) (Pair (two 2 (Num 1) (Name 8)) 4)])
         (defn match[p n] (case p [(Num m) (eq m n)] [(Name _) 1] [(Two f a b) (and' (match a n) (match b n))]))
         (defn and'[a b] (if a b 0))
         (defn find[rs n] (case rs [Nil 0] [(Cons (Pair p x) t) (if (match p n) x (find t n))]))
         (defn go[n s] (if (eq n 0) s (go (sub n 1) (add s (find rules (rem n 3)))))) (defn main[] (go 500 0))",
        "(defn go[n s] (if (eq n 0) s (let ([k (rem n 3)]) (go (sub n 1) (add s (if (eq 0 k) 3 (if (eq 1 k) 4 0)))))))
         (defn main[] (go 500 0))",
    ),
    (
        "functions to Maybe that say what a list begins with, and what follows",
        "(defn first'[xs] (case xs [Nil Nothing] [(Cons x _) (Just x)]))
         (defn rest'[xs] (case xs [Nil Nothing] [(Cons _ t) (Just t)]))
         (defn total[xs s] (case (first' xs) [Nothing s]
           [(Just x) (case (rest' xs) [Nothing s] [(Just t) (total t (add s x))])]))
         (defn main[] (total (map (mul 2) (range 1 2000)) 0))",
        "(defn total[xs s] (case xs [Nil s] [(Cons x t) (total t (add s x))]))
         (defn main[] (total (map (mul 2) (range 1 2000)) 0))",
    ),
    (
        "a machine whose tape is moved and written by functions, and read by a selector",
        "(data Tape (Tape l h r)) (defn read[t] (case t [(Tape _ h _) h]))
         (defn write[x t] (case t [(Tape l _ r) (Tape l x r)]))
         (defn move[d t] (case t [(Tape l h r) (if (eq d 0)
           (case l [Nil (Tape Nil 2 (Cons h r))] [(Cons x u) (Tape u x (Cons h r))])
           (case r [Nil (Tape (Cons h l) 2 Nil)] [(Cons x u) (Tape (Cons h l) x u)]))]))
         (defn run[q t] (if (eq q 3) t (run (if (eq (read t) 2) 3 0) (move 1 (write (add 1 (read t)) t)))))
         (defn main[i] (let ([xs (map (fn [c] (rem (ord c) 2)) (replicate 2000 'a'))])
           (add (sum xs) (case (run 0 (Tape Nil 0 xs)) [(Tape l h r) (length l)]))))",
        "(defn run[q l h r] (if (eq q 3) (length l) (case r
           [Nil (run (if (eq h 2) 3 0) (Cons (add 1 h) l) 2 Nil)]
           [(Cons x u) (run (if (eq h 2) 3 0) (Cons (add 1 h) l) x u)])))
         (defn main[i] (let ([xs (map (fn [c] (rem (ord c) 2)) (replicate 2000 'a'))])
           (add (sum xs) (run 0 Nil 0 xs))))",
    ),
    (
        "a thing whose method makes the next one",
        "(data Clock (Clock now later))
         (defn clock[t] (Clock t (fn [d] (clock (add t d)))))
         (defn now[c] (case c [(Clock t _) t])) (defn later[c d] (case c [(Clock _ f) (f d)]))
         (defn run[n c] (if (eq n 0) (now c) (run (sub n 1) (later (later c n) 2))))
         (defn main[i] (run 1000 (clock (length i))))",
        "(defn run[n t] (if (eq n 0) t (run (sub n 1) (add (add t n) 2))))
         (defn main[i] (run 1000 (length i)))",
    ),
    (
        "a function that is looked up and applied where nothing is known to need it",
        "(defn ops[] [(Pair 0 add) (Pair 1 sub) (Pair 2 mul)])
         (defn op[k t] (case t [(Cons p r) (if (eq k (fst p)) (snd p) (op k r))]))
         (defn go[n s] (if (eq n 0) s (go (sub n 1) (rem (op (rem n 3) ops s n) 1009))))
         (defn main[] (go 1000 1))",
        "(defn op[k s n] (if (eq k 0) (add s n) (if (eq k 1) (sub s n) (if (eq k 2) (mul s n) (error \"none\")))))
         (defn go[n s] (if (eq n 0) s (go (sub n 1) (rem (op (rem n 3) s n) 1009))))
         (defn main[] (go 1000 1))",
    ),
    (
        "a dictionary that is made where its method is applied, and nothing is known to need that",
        "(data Size (Size of)) (defn of[d] (case d [(Size f) f]))
         (defn both[d] (Size (fn [p] (case p [(Pair a b) (add (of d a) (of d b))]))))
         (defn go[n d x s] (if (eq n 0) s (go (sub n 1) d (Pair n s) (add s (of (both d) x)))))
         (defn main[] (go 1000 (Size (fn [k] (rem k 7))) (Pair 1 2) 0))",
        "(defn go[n a b s] (if (eq n 0) s (go (sub n 1) n s (add s (add (rem a 7) (rem b 7))))))
         (defn main[] (go 1000 1 2 0))",
    ),
    (
        "a loop over pairs that is only there once lists are fused",
        "(defn step[p] (Pair (add (fst p) 1) (add (snd p) (fst p))))
         (defn until'[n] (map snd (takeWhile (fn [p] (lt (fst p) n)) (iterate step (Pair 0 1)))))
         (defn main[i] (sum (until' (add 1000 (length i)))))",
        "(defn go[n a b s] (if (lt a n) (go n (add a 1) (add b a) (add s b)) s))
         (defn main[i] (go (add 1000 (length i)) 0 1 0))",
    ),
    (
        "a list that is taken apart by functions that are given",
        "(defn build[p f g x] (if (p x) Nil (Cons (f x) (build p f g (g x)))))
         (defn each[f xs] (build null (compose f head) tail xs))
         (defn main[] (sum (each square (range 1 1000))))",
        "(defn main[] (sum (map square (range 1 1000))))",
    ),
    (
        "a record of a function and of a list that is too long to be known",
        "(data Job (Job step items))
         (defn step[j] (case j [(Job f _) f])) (defn items[j] (case j [(Job _ xs) xs]))
         (defn run[j] (if (null (items j)) Nil
           (Cons (step j (head (items j))) (run (Job (step j) (tail (items j)))))))
         (defn main[] (sum (run (Job (mul 3) (range 1 1000)))))",
        "(defn main[] (sum (map (mul 3) (range 1 1000))))",
    ),
    (
        "complex numbers that a function makes, one after the other, in a list that ends with a test",
        "(data C (C re im))
         (defn plus[a b] (case a [(C x y) (case b [(C u v) (C (add x u) (add y v))])]))
         (defn times[a b] (case a [(C x y) (case b [(C u v) (C (sub (mul x u) (mul y v)) (add (mul x v) (mul y u)))])]))
         (defn norm[a] (case a [(C x y) (add (mul x x) (mul y y))]))
         (defn escape[c] (length (takeWhile (fn [z] (le (norm z) 400)) (take 30 (iterate (fn [z] (plus (times z z) c)) (C 0 0))))))
         (defn main[i] (sum (map (fn [k] (escape (C (rem k 2) (rem k 3)))) (range 1 (add 500 (length i))))))",
        "(defn go[n t x y c d] (if (le t 0) n (if (le (add (mul x x) (mul y y)) 400)
           (go (add n 1) (sub t 1) (add (sub (mul x x) (mul y y)) c) (add (add (mul x y) (mul y x)) d) c d) n)))
         (defn main[i] (all 1 (add 500 (length i)) 0))
         (defn all[k n acc] (if (gt k n) acc (all (add k 1) n (add acc (go 0 30 0 0 (rem k 2) (rem k 3))))))",
    ),
    (
        "sorting with an order that is made of a key",
        "(data Item (Item name weight))
         (defn by[key x y] (compare (key x) (key y)))
         (defn weight[a] (case a [(Item _ w) w]))
         (defn ins[cmp x l] (case l [(Nil) [x]] [(Cons y t) (if (gt (cmp x y) 0) (Cons y (ins cmp x t)) (Cons x l))]))
         (defn isort[cmp xs] (foldr (ins cmp) Nil xs))
         (defn items[n] (map (fn [k] (Item k (rem (mul k 37) 101))) (range 1 n)))
         (defn main[i] (foldl' (fn [h a] (case a [(Item k w) (rem (add (mul h 7) (add k w)) 10007)])) 0
           (isort (by weight) (items (add 120 (length i))))))",
        "(data Item (Item name weight))
         (defn ins[k w l] (case l [(Nil) [(Item k w)]]
           [(Cons y t) (case y [(Item _ v) (if (gt w v) (Cons y (ins k w t)) (Cons (Item k w) l))])]))
         (defn isort[k n] (if (gt k n) Nil (ins k (rem (mul k 37) 101) (isort (add k 1) n))))
         (defn hash[h l] (case l [(Nil) h] [(Cons a t) (case a [(Item k w) (hash (rem (add (mul h 7) (add k w)) 10007) t)])]))
         (defn main[i] (hash 0 (isort 1 (add 120 (length i)))))",
    ),
    (
        "a stream of streams",
        "(data Step (Done) (Skip s) (Yield x s))
         (data Str (Str step s))
         (defn enum[a b] (Str (fn [x] (if (gt x b) Done (Yield x (add x 1)))) a))
         (defn catMap[g st] (case st [(Str f s) (Str (fn [p] (case p [(Pair o inner) (case inner
           [(Nothing) (case (f o) [(Done) Done] [(Skip o2) (Skip (Pair o2 Nothing))]
             [(Yield x o2) (Skip (Pair o2 (Just (g x))))])]
           [(Just (Str h t)) (case (h t) [(Done) (Skip (Pair o Nothing))] [(Skip u) (Skip (Pair o (Just (Str h u))))]
             [(Yield y u) (Yield y (Pair o (Just (Str h u))))])])])) (Pair s Nothing))]))
         (defn loop[f acc s] (case (f s) [(Done) acc] [(Skip t) (loop f acc t)] [(Yield x t) (loop f (add acc x) t)]))
         (defn main[i] (case (catMap (fn [n] (enum n (add n (rem n 5)))) (enum 1 (add 700 (length i))))
           [(Str f s) (loop f 0 s)]))",
        "(defn outer[n m acc] (if (gt n m) acc (inner n (add n (rem n 5)) (add n 1) m acc)))
         (defn inner[x b n m acc] (if (gt x b) (outer n m acc) (inner (add x 1) b n m (add acc x))))
         (defn main[i] (outer 1 (add 700 (length i)) 0))",
    ),
    (
        "a small function with two calls in the turn of a loop",
        "(defn poly[a b c n]
           (letrec ([at (fn [x] (add (mul a (mul x x)) (add (mul b x) c)))]
                    [go (fn [x acc] (if (gt x n) acc (go (add x 1) (if (odd (at x)) (add acc (at x)) acc))))])
             (go 0 0)))
         (defn main[i] (add (poly 3 2 1 (add 2000 (length i))) (poly 1 0 7 1000)))",
        "(defn go[a b c n x acc] (if (gt x n) acc (go a b c n (add x 1)
           (let ([y (add (mul a (mul x x)) (add (mul b x) c))]) (if (eq (rem y 2) 0) acc (add acc y))))))
         (defn main[i] (add (go 3 2 1 (add 2000 (length i)) 0 0) (go 1 0 7 1000 0 0)))",
    ),
    (
        "a case of what a loop comes to, where its first turns go on in the same place",
        "(defn upd[s x] (case s [(Pair (Pair lo hi) (Pair n _)) (Pair (Pair (min lo x) (max hi x)) (Pair (add n 1) x))]))
         (defn loop[k n s] (if (gt k n) s (loop (add k 1) n (upd s (rem (mul k 7919) 4001)))))
         (defn main[i] (case (loop 1 (add 3000 (length i)) (Pair (Pair 9999 0) (Pair 0 0)))
           [(Pair (Pair lo hi) (Pair n l)) (add (mul n 1000000) (add (mul hi 10) (add lo l)))]))",
        "(defn loop[k n lo hi c l] (if (gt k n) (add (mul c 1000000) (add (mul hi 10) (add lo l)))
           (let ([x (rem (mul k 7919) 4001)]) (loop (add k 1) n (if (le lo x) lo x) (if (le hi x) x hi) (add c 1) x))))
         (defn main[i] (loop 1 (add 3000 (length i)) 9999 0 0 0))",
    ),
    (
        "a fold with a product of monoids, a record of records",
        "(data Monoid (Monoid empty op))
         (defn empty[m] (case m [(Monoid e _) e])) (defn op[m] (case m [(Monoid _ f) f]))
         (defn both[m n] (Monoid (Pair (empty m) (empty n))
           (fn [p q] (whole (Pair (op m (fst p) (fst q)) (op n (snd p) (snd q)))))))
         (defn whole[p] (case p [(Pair a b) (seq a (seq b p))]))
         (defn statistics[] (both (both (Monoid 0 add) (Monoid 1 (fn [a b] (rem (mul a b) 9973))))
           (both (Monoid 1000000 min) (Monoid -1000000 max))))
         (defn measure[x] (Pair (Pair x (add 1 (abs x))) (Pair (rem x 1009) (mul x x))))
         (defn main[i] (let ([r (foldl' (fn [acc x] (op statistics acc (measure x))) (empty statistics)
             (map (fn [k] (sub (rem (mul k (add k 13)) 2003) 1000)) (range 1 (add 3000 (length i)))))])
           (add (add (fst (fst r)) (snd (fst r))) (add (fst (snd r)) (snd (snd r))))))",
        "(defn go[k n a b c d] (if (gt k n) (add (add a b) (add c d))
           (let ([x (sub (rem (mul k (add k 13)) 2003) 1000)] [y (rem x 1009)] [z (mul x x)])
             (go (add k 1) n (add a x) (rem (mul b (add 1 (if (lt x 0) (negate x) x))) 9973)
               (if (le c y) c y) (if (le d z) z d)))))
         (defn main[i] (go 1 (add 3000 (length i)) 0 1 1000000 -1000000))",
    ),
    (
        "what constants that are functions hold: a text, an endless list",
        "(defn score[] (count (flip elem \"etaoin\")))
         (defn weigh[] (compose sum (zipWith mul (iterate (fn [x] (rem (mul x 5) 7)) 3))))
         (defn main[i] (add (score (map (fn [k] (chr (add 97 (rem (mul k 7) 26)))) (range 1 (add 1000 (length i)))))
           (weigh (range 1 (add 1000 (length i))))))",
        "(defn powers[] (iterate (fn [x] (rem (mul x 5) 7)) 3)) (defn wanted[] \"etaoin\")
         (defn score[xs] (count (fn [c] (elem c wanted)) xs)) (defn weigh[xs] (sum (zipWith mul powers xs)))
         (defn main[i] (add (score (map (fn [k] (chr (add 97 (rem (mul k 7) 26)))) (range 1 (add 1000 (length i)))))
           (weigh (range 1 (add 1000 (length i))))))",
    ),
    (
        "a predicate that is put together of others, with numbers to be computed",
        "(defn both[p q] (fn [x] (andAlso (p x) (q x)))) (defn oneOf[p q] (fn [x] (orElse (p x) (q x))))
         (defn multiple[n x] (eq (rem x n) 0)) (defn between[a b] (both (le a) (ge b)))
         (defn some[ps] (foldr oneOf (const 0) ps))
         (defn wanted[n] (some [(multiple 7) (between (div n 3) (div n 2)) (both (multiple 5) (compose not (multiple 3)))]))
         (defn main[i] (let ([n (add 1500 (length i))]) (sum (filter (wanted n) (range 1 n)))))",
        "(defn go[k n a b t] (if (gt k n) t (go (add k 1) n a b
           (if (eq (rem k 7) 0) (add t k) (if (if (le a k) (ge b k) 0) (add t k)
             (if (if (eq (rem k 5) 0) (neq (rem k 3) 0) 0) (add t k) t))))))
         (defn main[i] (let ([n (add 1500 (length i))]) (go 1 n (div n 3) (div n 2) 0)))",
    ),
];

#[test]
fn what_can_be_seen_through_costs_nothing() {
    cost_the_same(TWINS);
}

/// Checks that programs, of rows like [`TWINS`], take no more reductions than their twins.
pub fn cost_the_same(rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (what, source, twin) in rows {
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
