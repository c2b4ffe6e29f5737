//! Small programs that between them do everything a program can do.

/// What standard input is, for those that read it.
pub const INPUT: &str = "ab\n12 é";

/// The definitions that they share.
const SHARED: &str = "
    (data Tree (Leaf) (Node l v r))
    (defn put[x t] (case t
      [Leaf (Node Leaf x Leaf)]
      [(Node l y r) (if (lt x y) (Node (put x l) y r) (Node l y (put x r)))]))
    (defn flat[t] (case t [Leaf Nil] [(Node l x r) (append (flat l) (Cons x (flat r)))]))
    (defn fib[n] (if (lt n 2) n (add (fib (sub n 1)) (fib (sub n 2)))))
    (defn fibs[] (Cons 0 (Cons 1 (zipWith add fibs (tail fibs)))))
    (defn isEven[n] (if (eq n 0) 1 (isOdd (sub n 1))))
    (defn isOdd[n] (if (eq n 0) 0 (isEven (sub n 1))))
    (defn pow[x n] (if (eq n 0) 1 (mul x (pow x (sub n 1)))))
    (defn pick[n] (if (eq n 0) add (case (pick (sub n 1)) [f (fn [x y] (f (f x 1) y))])))
    (defn loop[x] (loop x))
    (defn big[] 100000000000000000000000)
";

/// What `main` is in each.
const MAINS: &[&str] = &[
    // Integers, small and large.
    "[] 42",
    "[] (add 1 (mul 2 3))",
    "[] (fib 6)",
    "[] (pow 7 30)",
    "[] (div (mul big big) (add big 1))",
    "[] (sub (mul big 3) (mul big 3))",
    "[] [(mod -7 2) (rem -7 2) (floordiv -7 2) (negate big)]",
    "[] (if (lt big (add big 1)) \"less\" (div 1 0))",
    "[] (foldl mul 1 (range 1 22))",
    // Lists, strings, characters.
    "[] [1 2 3]",
    "[] (range 1 5)",
    "[] (take 6 fibs)",
    "[] (reverse \"text\")",
    "[] (append \"ab\" (map (fn [c] (chr (add 1 (ord c)))) \"HAL\"))",
    "[] (foldr add 0 (range 1 10))",
    "[] (sum (map (mul 2) (filter isEven (range 1 8))))",
    "[] (zipWith Pair \"abc\" (range 1 9))",
    "[] (let ([p (span (gt 3) (range 1 5))]) (Pair (snd p) (fst p)))",
    "[] (case \"abc\" [\"abd\" 1] [(Cons 'a' rest) rest] [_ 0])",
    "[] (case [[1 2] [3]] [(Cons (Cons a _) (Cons (Cons b Nil) Nil)) (add a b)] [_ 0])",
    // Data and functions.
    "[] (flat (foldr put Leaf [4 2 6 1]))",
    "[] (Node Leaf (fib 4) (Node Leaf \"x\" Leaf))",
    "[] (Pair add (Pair (add 1) (Node Leaf)))",
    "[] (pick 2 10 4)",
    "[] (foldr (fn [f g x] (f (g x))) (fn [x] x) [(add 1) (mul 2) negate] 5)",
    "[] ((fn [x y] (sub x y)) 9 4)",
    "[] (map (fn [f] (f 6)) [(add 1) (sub 1) (fn [x] (mul x x))])",
    "[] ((case (pick 1) [f f]) 3 4)",
    // Sharing, knots, constants.
    "[] (letrec ([xs (Cons 1 ys)] [ys (Cons 2 (map (add 1) xs))]) (take 5 ys))",
    "[] (let ([x (fib 5)]) (add x (mul x x)))",
    "[] (letrec ([even (fn [n] (if (eq n 0) 1 (odd (sub n 1))))]
                 [odd (fn [n] (if (eq n 0) 0 (even (sub n 1))))]) (even 7))",
    "[] (isEven 9)",
    "[] (Pair (nth 7 fibs) (nth 9 fibs))",
    "[] (letrec ([p (Pair 1 (fst p))]) p)",
    "[] (seq (fib 3) (seq \"ab\" (seq (add 1) 5)))",
    "[] (let ([x (loop 1)] [y (error \"no\")]) (fst (Pair 3 (add x y))))",
    // Failures, with output before them and without.
    "[] (error \"stop\")",
    "[] [1 2 (div 1 0) 4]",
    "[] (append \"ab\" (error (append \"wh\" \"y\")))",
    "[] (add 1 (fst 2))",
    "[] (case 3 [1 2] [2 3])",
    "[] (letrec ([x (add x 1)]) (Pair 1 x))",
    "[] ((fn [f] (f 1)) 2)",
    "[] (chr (add 55000 (mul 37 8)))",
    // Input.
    "[input] input",
    "[input] (length input)",
    "[input] (reverse (append input \"!\"))",
    "[input] (map length (lines input))",
    "[input] (Pair (take 2 input) 7)",
    "[input] (append (words input) (words input))",
    "[input] (case input [(Cons 'a' (Cons c _)) c] [_ 0])",
    "[input] (if (eq 1 1) \"unread\" input)",
];

/// What `main` is in each that performs actions or computes with words, floats, byte strings and
/// arrays.
const ACTIONS: &[&str] = &[
    // Words, floats, byte strings, arrays.
    "(muli64 (pow 3 39) (subi64 7 (pow 2 62)))",
    "[(addu64 (sub 0 1) 3) (shlu64 5 62) (tou32 big) (popcount (tou8 -3))]",
    "(fadd (itof (fib 6)) (fdiv 1.0 (fsqrt 2.0)))",
    "(Pair (fdiv 0.0 0.0) (ftoi (fmul 1.5 1e18)))",
    "(bytesConcat [(bytesFromText \"ab\") (bytesFromList [200 10])])",
    "(map bytesToText (bytesWords (bytesFromText \" a bc d \")))",
    "(arrayGenerate 5 (fn [i] (if (eq i 3) (fib 5) (mul i i))))",
    "(arrayIndex (arrayFromList (Cons (div 1 0) [1 2])) (fib 2))",
    // Streams.
    "(putText (append \"ab\" (showInt (fib 6))))",
    "(bind getLine (fn [l] (bind inputText (fn [rest] (putText (reverse (append rest (fromMaybe \"\" l))))))))",
    "(bind (inputBytes 3) (fn [b] (then (putBytes b) (bind allBytes (fn [rest] (putText (showInt (bytesLength rest))))))))",
    "(mapM_ (fn [n] (then (printInt n) (putError \"!\"))) (range 1 4))",
    "(then (putText \"out\") (exit 3))",
    // Cells and mutable arrays: the old lead to the young.
    "(bind (newCell Nil) (fn [c] (then (forM_ (range 1 4) (fn [n] (modifyCell c (Cons (fib n))))) (bind (readCell c) (fn [xs] (putText (concatMap showInt xs)))))))",
    "(bind (newArray 9 0) (fn [a] (then (forM_ (range 2 4) (fn [i] (writeArray a i (mul i i)))) (bind (freezeArray a) (fn [b] (printInt (arrayFold add 0 b)))))))",
    "(Pair (runState (bind (newCell 1) (fn [c] (then (modifyCell c (add 2)) (readCell c))))) (arrayAccumulate add 0 4 [(Pair 1 5) (Pair 3 (fib 6)) (Pair 1 2)]))",
    "(arrayBuild (bind (newArray 3 \"\") (fn [a] (then (writeArray a 1 (showInt (fib 7))) (return a)))))",
    // Exceptions.
    "(catch (then (putText \"a\") (evaluate (div 1 0))) (fn [e] (putText (exceptionText e))))",
    "(finally (then (putText \"a\") (throw (Pair 1 (fib 4)))) (putText \"z\"))",
    "(bracket (newCell 1) (fn [c] (bind (readCell c) printInt)) (fn [c] (then (writeCell c (fib 7)) (evaluate (fst 2)))))",
    "(bind (mapM (fn [n] (attempt (evaluate (div 12 n)))) [3 0 2]) (fn [rs] (putText (concatMap (either (K \"!\") showInt) rs))))",
    "(then (putText \"a\") (bind (return (loop' 40)) (fn [x] (catch (evaluate x) rethrow))))",
    // Threads, with what they wait for.
    "(bind (spawn (return (fib 6))) (fn [t] (bind (await t) printInt)))",
    "(bind (together (map (fn [n] (then (putText (showInt n)) (return (fib n)))) [3 5])) (fn [ns] (printInt (sum ns))))",
    "(bind newChannel (fn [c] (then (fork (writeChannel c (fib 5))) (bind (readChannel c) printInt))))",
    "(bind newMVar (fn [v] (then (putText \"waits\") (takeMVar v))))",
    "(bind newMVar (fn [v] (bind (fork (catch (takeMVar v) (fn [_] (putMVar v (fib 5))))) (fn [t] (then yield (then (throwTo t 1) (bind (readMVar v) printInt)))))))",
    "(bind (newMVarOf 1) (fn [v] (then (mask (modifyMVar v (fn [x] (return (add x (fib 4)))))) (bind (takeMVar v) printInt))))",
    // A transaction.
    "(bind (newTVar 1) (fn [v] (then (attempt (atomically (fn [t] (then (writeTVar t v 5) (throw \"no\"))))) (bind (readTVarNow v) printInt))))",
];

/// What they import, and what they share besides.
const OF_ACTIONS: [&str; 2] = [
    "(import io) (import array) (import bytes) (import float) (import word) (import thread) (import stm)",
    "(defn loop'[n] (if (eq n 0) (error \"deep\") (add 1 (loop' (sub n 1)))))",
];

/// Their texts, and whether they are of actions: those are longer.
pub fn all() -> impl Iterator<Item = (String, bool)> {
    assert!(MAINS.len() >= 50 && ACTIONS.len() >= 28);
    let plain = MAINS.iter().map(|main| (format!("(defn main{main})\n{SHARED}"), false));
    let [imports, more] = OF_ACTIONS;
    let actions = ACTIONS
        .iter()
        .map(move |main| (format!("{imports}\n(defn main[] {main})\n{SHARED}{more}"), true));
    plain.chain(actions)
}
