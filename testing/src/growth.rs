//! Programs of any size of one shape: a form or a function nested in itself, definitions that
//! call the ones before them, lists of one thing. What a compiler spends on one that is twice
//! as large is at most a little more than twice as much.

/// A family of programs that a number makes larger.
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// What it is called in reports.
    pub name: &'static str,
    kind: Kind,
    /// Definitions that all sizes have.
    head: &'static str,
    /// What is repeated: `#` is its number, `@` what is inside it or, in a chain, the number
    /// of the definition before.
    step: &'static str,
    /// What is inside the innermost, or the definition number 0.
    base: &'static str,
    /// The rest of the program, in which `@` is the outermost, or the number of the last.
    main: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// An expression in an expression.
    Nest,
    /// A definition that uses the one before.
    Chain,
    /// One thing after the other.
    Row,
}

impl Growth {
    /// The program with so many repetitions.
    #[must_use]
    pub fn program(&self, count: usize) -> String {
        let mut out = String::from(self.head);
        match self.kind {
            Kind::Nest => {
                let (before, after) = self.step.split_once('@').unwrap_or((self.step, ""));
                let numbered = |text: &str, at: usize| text.replace('#', &at.to_string());
                let mut nest: String = (1..=count).rev().map(|at| numbered(before, at)).collect();
                nest += self.base;
                nest.extend((1..=count).map(|at| numbered(after, at)));
                out += &self.main.replace('@', &nest);
            }
            Kind::Chain => {
                out += self.base;
                for at in 1..=count {
                    let step = self.step.replace('#', &at.to_string());
                    out += &step.replace('@', &(at - 1).to_string());
                    out.push('\n');
                }
                out += &self.main.replace('@', &count.to_string());
            }
            Kind::Row => {
                let row: Vec<String> =
                    (1..=count).map(|at| self.step.replace('#', &at.to_string())).collect();
                out += &self.main.replace('@', &row.join(self.base));
            }
        }
        out.push('\n');
        out
    }

    /// How many repetitions a program of so many bytes has.
    #[must_use]
    pub fn repetitions(&self, bytes: usize) -> usize {
        let (few, more) = (self.program(64).len(), self.program(128).len());
        let each = ((more - few) / 64).max(1);
        (bytes / each).max(4)
    }
}

/// All families.
pub fn all() -> impl Iterator<Item = Growth> {
    let nests = INTEGERS
        .iter()
        .map(|&(name, step)| (name, "", step, "k", "(defn main[i] (go (length i)))(defn go[k] @)"))
        .chain(LISTS.iter().map(|&(name, step)| (name, "", step, "i", "(defn main[i] @)")))
        .chain(
            FUNCTIONS
                .iter()
                .map(|&(name, step)| (name, "", step, "succ", "(defn main[i] (@ (length i)))")),
        )
        .chain(
            PAIRS.iter().map(|&(name, step)| (name, "", step, "(i 1)", "(defn main[i] (fst @))")),
        )
        .chain(NESTS.iter().copied())
        .map(|(name, head, step, base, main)| (Kind::Nest, (name, head, step, base, main)));
    let chains =
        CHAINS.iter().map(|&(name, step, base, main)| (Kind::Chain, (name, "", step, base, main)));
    let rows = ROWS.iter().map(|&row| (Kind::Row, row));
    nests.chain(chains).chain(rows).map(|(kind, (name, head, step, base, main))| Growth {
        name,
        kind,
        head,
        step,
        base,
        main,
    })
}

/// Name, definitions, step, innermost, main.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// Integers from integers; `k` is unknown.
const INTEGERS: &[(&str, &str)] = &[
    ("add right", "(add # @)"),
    ("add left", "(add @ #)"),
    ("add itself", "(let ([x @]) (add x x))"),
    ("sub of product", "(sub (mul k @) #)"),
    ("div", "(div @ #)"),
    ("negate", "(negate @)"),
    ("succ", "(succ @)"),
    ("abs", "(abs @)"),
    ("signum", "(signum @)"),
    ("square", "(square @)"),
    ("max", "(max # @)"),
    ("min", "(min @ #)"),
    ("gcd", "(gcd # @)"),
    ("gcd left", "(gcd @ #)"),
    ("pow", "(pow @ 3)"),
    ("pow of", "(pow 2 @)"),
    ("isqrt", "(isqrt @)"),
    ("even", "(even @)"),
    ("not", "(not @)"),
    ("xor", "(xor @ (eq k #))"),
    ("compare", "(compare @ #)"),
    ("andAlso right", "(andAlso (eq k #) @)"),
    ("andAlso left", "(andAlso @ (eq k #))"),
    ("orElse right", "(orElse (eq k #) @)"),
    ("orElse left", "(orElse @ (eq k #))"),
    ("and of or", "(andAlso (orElse (lt k #) (gt k #)) @)"),
    ("or of and", "(orElse (andAlso (lt k #) (gt k #)) @)"),
    ("or of and left", "(orElse (andAlso @ (gt k #)) (lt k #))"),
    ("if condition", "(if @ # k)"),
    ("if condition to booleans", "(if @ 0 1)"),
    ("if condition to expressions", "(if @ (lt k #) (gt k #))"),
    ("if then", "(if (eq k #) @ #)"),
    ("if else", "(if (eq k #) # @)"),
    ("if of if else", "(if (if (ge k #) (le k #) 0) # @)"),
    ("if of if then", "(if (if (ge k #) 1 (le k #)) @ #)"),
    ("if of if of if", "(if (if (if (lt k #) (gt k 3) 1) (lt k 5) 0) # @)"),
    ("if three tests", "(if (if (ge k #) (le k #) (if (eq k 3) (eq k 4) 1)) # @)"),
    ("if value of if", "(add (if (eq k #) 1 2) @)"),
    ("added if", "(add # (if (eq k #) k @))"),
    ("if added", "(if (eq k #) (add # @) k)"),
    ("sum of ifs", "(add @ (if (lt k #) (if (gt k 3) k 1) 2))"),
    ("seq first", "(seq @ #)"),
    ("seq second", "(seq (add k #) @)"),
    ("let value", "(let ([x @]) (add x #))"),
    ("let body", "(let ([x (add k #)]) (add x @))"),
    ("let twice", "(let ([x (div k #)]) (if (eq k #) (add x @) (mul x x)))"),
    ("let value twice", "(let ([x @]) (if (eq k #) (add x x) (mul x 3)))"),
    ("letrec value", "(letrec ([f (fn [n] (if (eq n 0) @ (f (sub n 1))))]) (f k))"),
    ("letrec body", "(letrec ([f (fn [n] (if (eq n 0) # (f (sub n 1))))]) (add (f k) @))"),
    ("case scrutinee", "(case @ [0 #] [# k] [_ 2])"),
    ("case scrutinee tests", "(case @ [0 (lt k #)] [_ (gt k #)])"),
    ("case branch", "(case k [0 #] [# @] [_ 2])"),
    ("case default", "(case k [0 1] [# 7] [_ @])"),
    ("case of case default", "(case (case k [0 1] [# 0] [_ 1]) [0 #] [_ @])"),
    ("case of case branch", "(case (case k [0 1] [# 0] [_ 2]) [0 @] [1 #] [_ k])"),
    ("case of case of if", "(case (case (if (eq k #) 1 2) [1 2] [_ 1]) [1 @] [_ #])"),
    ("case of literal", "(case (case 3 [3 (add k #)]) [0 #] [_ @])"),
    ("case of literal pair", "(case (Pair (add k #) #) [(Pair a b) (add a @)])"),
    (
        "case of pair of case",
        "(case (case k [# (Pair 1 k)] [_ (Pair k 2)]) [(Pair a b) (add a @)])",
    ),
    ("list by if", "(case (if (eq k #) [k] Nil) [Nil #] [(Cons a b) @])"),
    ("maybe by if", "(case (if (eq k #) (Just k) Nothing) [Nothing @] [(Just a) a])"),
    ("fst of pair", "(fst (Pair @ #))"),
    ("snd of pair of if", "(snd (if (eq k #) (Pair # @) (Pair 1 2)))"),
    ("head of list", "(head [@ #])"),
    ("length of list", "(length [@ #])"),
    ("sum of list", "(sum [# @ k])"),
    ("sum of range", "(sum (range # @))"),
    ("sum of map", "(sum (map (add @) [1 2 3]))"),
    ("maybe", "(maybe # succ (Just @))"),
    ("fromMaybe", "(fromMaybe # (if (eq k #) (Just k) (Just @)))"),
    ("either", "(either succ negate (if (eq k #) (Left k) (Right @)))"),
    ("applied lambda", "((fn [x] (add x @)) #)"),
    ("applied lambda of it", "((fn [x] (add x x)) @)"),
    ("applied if", "((if (eq k #) succ negate) @)"),
    ("applied case", "((case k [# succ] [0 negate] [_ id]) @)"),
    ("continuation", "((fn [c] (c (add k #))) (fn [x] (add x @)))"),
    ("id", "(id @)"),
    ("const", "(const @ #)"),
    ("apply", "(apply succ @)"),
    ("strictly", "(strictly succ @)"),
    ("twice", "(twice succ @)"),
    ("until", "(until (lt #) succ @)"),
    ("foldl", "(foldl' add @ [1 2 #])"),
    ("foldr over known", "(foldr add @ [1 2 #])"),
    ("nth", "(nth 1 [# @ k])"),
    ("local function", "(let ([f (fn [x] (add x #))]) (add (f k) (f @)))"),
    ("local function in branches", "(let ([f (fn [x] (add x @))]) (if (eq k #) (f 1) (f k)))"),
    ("local function of branches", "(let ([f (fn [x] (if (eq x #) x k))]) (add (f @) (f #)))"),
    ("error default", "(case k [# (error \"e\")] [_ @])"),
    ("text", "(add (length \"abcdef\") @)"),
];

/// Lists from lists; `i` is the input.
const LISTS: &[(&str, &str)] = &[
    ("tail", "(tail @)"),
    ("init", "(init @)"),
    ("reverse", "(reverse @)"),
    ("take", "(take # @)"),
    ("drop", "(drop 2 @)"),
    ("takeWhile", "(takeWhile isDigit @)"),
    ("dropWhile", "(dropWhile isDigit @)"),
    ("map", "(map toUpper @)"),
    ("map lambda", "(map (fn [c] (if (eq c 'a') 'b' c)) @)"),
    ("filter", "(filter isDigit @)"),
    ("filter of map", "(filter isAlpha (map toLower @))"),
    ("append right", "(append \"ab\" @)"),
    ("append left", "(append @ \"ab\")"),
    ("append itself", "(let ([x @]) (append x x))"),
    ("concatMap", "(concatMap (fn [c] [c c]) @)"),
    ("concat", "(concat [@ \"a\"])"),
    ("intersperse", "(intersperse 'c' @)"),
    ("scanl", "(scanl const 'a' @)"),
    ("zipWith", "(zipWith max @ (cycle \"xyz\"))"),
    ("zip", "(map fst (zip @ (from #)))"),
    ("sort", "(sort @)"),
    ("nub", "(nub @)"),
    ("group", "(map head (group @))"),
    ("span", "(fst (span isDigit @))"),
    ("break", "(snd (break isDigit @))"),
    ("splitAt", "(snd (splitAt 1 @))"),
    ("partition", "(fst (partition isDigit @))"),
    ("delete", "(delete 'x' @)"),
    ("insert", "(insert 'y' @)"),
    ("forceList", "(forceList @)"),
    ("foldr cons", "(foldr (fn [x r] (Cons x r)) Nil @)"),
    ("foldl flip", "(foldl (flip Cons) Nil @)"),
    ("Cons", "(Cons 'a' @)"),
    ("case of list", "(case @ [Nil Nil] [(Cons a b) b])"),
    ("case of list to list", "(case @ [Nil \"a\"] [(Cons a b) (Cons a (Cons 'c' b))])"),
    ("stripPrefix", "(case (stripPrefix \"ab\" i) [Nothing i] [(Just r) @])"),
    ("replicate", "(replicate (length @) 'a')"),
    ("unwords", "(unwords (words @))"),
    ("showInt", "(showInt (length @))"),
    ("nested cases", "(case i [Nil \"n\"] [(Cons a b) (if (eq a 'x') b @)])"),
    ("deep pattern", "(case @ [(Cons 'a' (Cons 'b' c)) c] [(Cons 'a' c) c] [c c])"),
];

/// Functions of one integer from such.
const FUNCTIONS: &[(&str, &str)] = &[
    ("compose", "(compose succ @)"),
    ("compose left", "(compose @ negate)"),
    ("flip twice", "(flip (flip (const @)) #)"),
    ("lambda", "(fn [x] (add x (@ #)))"),
    ("lambda twice", "(let ([f @]) (fn [x] (f (f x))))"),
    ("twice of function", "(twice @)"),
    ("choice of functions", "(fn [x] (if (eq x #) (@ x) x))"),
    ("S K", "(S (K succ) @)"),
    ("partial", "(const @ )"),
    ("eta", "(fn [x] (@ x))"),
    ("curried pairs", "(curry (uncurry (fn [a b] (add a (@ b)))) #)"),
];

/// Pairs from pairs.
const PAIRS: &[(&str, &str)] = &[
    ("swap", "(swap @)"),
    ("first", "(first succ @)"),
    ("second", "(second succ @)"),
    ("case pair", "(case @ [(Pair a b) (Pair b a)])"),
    ("case pair twice", "(case @ [(Pair a b) (Pair (add a b) a)])"),
    ("pair of selections", "(let ([p @]) (Pair (snd p) (fst p)))"),
    ("pair if", "(case @ [(Pair a b) (if (eq a #) (Pair b a) (Pair a #))])"),
    ("selection of unknown", "(i (fst @))"),
    ("selection of unknown second", "(i (snd @) #)"),
    ("pair pair", "(Pair # (fst @))"),
];

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

const NESTS: &[Row] = &[
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
];

/// Name, step, definition number 0, main.
const CHAINS: &[(&str, &str, &str, &str)] = &[
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
        "(defn main[i] (case (f@ (length i)) [(Pair a b) 1]))",
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
        "parsers",
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
];

/// Name, head, item, what is between, main.
const ROWS: &[Row] = &[
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
];
