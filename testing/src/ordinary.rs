//! Random programs as people write them without a thought to the optimiser: state machines over a
//! text with what they have collected so far, scanners, provers, sorting of what was sorted,
//! interpreters of terms that are known in part, tables, records that are updated, evaluators with
//! continuations, games on boards. What is known at their beginning is soon not known any more, and
//! a variant for each step that it is known for would be the program many times.

use std::fmt::Write as _;

use crate::dice::Dice;

/// Generates a program; `main` takes the input.
#[must_use]
pub fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0x0DD5);
    const KINDS: [fn(&mut Dice) -> String; 10] =
        [machine, numbered, scanner, prover, sorts, terms, records, counters, continuations, board];
    let kind = KINDS[dice.roll(KINDS.len())];
    kind(&mut dice)
}

fn letter(dice: &mut Dice) -> char {
    dice.pick(&["a", "b", "c", "i", "n", "o", "t", "x", " "]).chars().next().unwrap_or('a')
}

/// Returns what a machine collects: how it begins, what a step makes of it, and what is told at the
/// end.
fn collected(dice: &mut Dice) -> (&'static str, fn(&mut Dice) -> String, &'static str) {
    match dice.roll(6) {
        0 => ("0", |dice| format!("(add acc {})", dice.roll(5)), "acc"),
        1 => (
            "0",
            |dice| format!("(rem (add (mul acc 3) {}) 101)", dice.roll(9)),
            "(if (gt acc 7) acc 0)",
        ),
        2 => ("Nil", |_| "(Cons c acc)".into(), "(reverse acc)"),
        3 => ("Nil", |dice| format!("(Cons {} acc)", dice.roll(9)), "(sum acc)"),
        4 => (
            "(Pair 0 1)",
            |_| "(case acc [(Pair a b) (Pair b (rem (add a b) 97))])".into(),
            "(fst acc)",
        ),
        _ => (
            "Nothing",
            |dice| {
                format!("(case acc [Nothing (Just {})] [(Just n) (Just (add n 1))])", dice.roll(3))
            },
            "(maybe 0 succ acc)",
        ),
    }
}

/// Generates a state machine with a function for each state.
fn machine(dice: &mut Dice) -> String {
    let count = 2 + dice.roll(11);
    let (begin, step, end) = collected(dice);
    let mut out = String::new();
    for at in 0..count {
        let next = |dice: &mut Dice| dice.roll(count);
        let (a, b, c) = (next(dice), next(dice), next(dice));
        let (test, other) = (letter(dice), letter(dice));
        let (first, second) = (step(dice), if dice.one_in(2) { "acc".into() } else { step(dice) });
        let _ = writeln!(
            out,
            "(defn s{at}[xs acc] (case xs [Nil {end}] [(Cons c t) (if (lt c '{test}')
               (s{a} t {first}) (if (eq c '{other}') (s{b} t {second}) (s{c} t acc)))]))"
        );
    }
    format!("{out}(defn main[input] (s0 (append input input) {begin}))")
}

/// Generates a state machine of one function that is told the state, by number or by constructor.
fn numbered(dice: &mut Dice) -> String {
    let count = 2 + dice.roll(9);
    let (begin, step, end) = collected(dice);
    let by_name = dice.one_in(2);
    let state = |at: usize| if by_name { format!("S{at}") } else { at.to_string() };
    let mut cases = String::new();
    for at in 0..count {
        let (a, b) = (state(dice.roll(count)), state(dice.roll(count)));
        let _ = write!(
            cases,
            "[{} (if (lt c '{}') (go {a} t {}) (go {b} t acc))]",
            state(at),
            letter(dice),
            step(dice)
        );
    }
    let data: String = (0..count).map(|at| format!("(S{at})")).collect();
    let data = if by_name { format!("(data State {data})") } else { String::new() };
    let default = if by_name { "" } else { "[_ acc]" };
    format!(
        "{data}(defn go[s xs acc] (case xs [Nil {end}] [(Cons c t) (case s {cases} {default})]))
         (defn main[input] (go {} (append input input) {begin}))",
        state(0)
    )
}

/// Generates a scanner: functions for kinds of tokens, with what they have read so far.
fn scanner(dice: &mut Dice) -> String {
    let place = if dice.one_in(2) { "(Pair line" } else { "(Pair (length w)" };
    let limit = 1 + dice.roll(4);
    format!(
        "(data Token (Number n) (Word w) (Sign c))
         (defn lex[s line acc] (case s [Nil (reverse acc)] [(Cons c t)
           (if (isSpace c) (lex t (if (eq c '\\n') (add line 1) line) acc)
             (if (isDigit c) (number s 0 line acc) (if (isAlpha c) (word s Nil line acc)
               (lex t line (Cons (Pair line (Sign c)) acc)))))]))
         (defn number[s n line acc] (let ([w Nil]) (case s
           [Nil (lex s line (Cons {place} (Number n)) acc))]
           [(Cons c t) (if (isDigit c) (number t (add (mul n 10) (sub (ord c) 48)) line acc)
             (lex s line (Cons {place} (Number n)) acc)))])))
         (defn word[s w line acc] (case s
           [Nil (lex s line (Cons {place} (Word (reverse w))) acc))]
           [(Cons c t) (if (if (isAlpha c) (lt (length w) {limit}) 0) (word t (Cons c w) line acc)
             (lex s line (Cons {place} (Word (reverse w))) acc)))]))
         (defn main[input] (map fst (lex (append \"x1 22+yz\\n\" input) 1 Nil)))"
    )
}

/// Generates a formula; `n` is not known.
fn formula(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || dice.one_in(5) {
        return match dice.one_in(4) {
            true => "(Atom n)".into(),
            false => format!("(Atom {})", dice.roll(4)),
        };
    }
    let (a, b) = (formula(dice, depth - 1), formula(dice, depth - 1));
    match dice.roll(4) {
        0 => format!("(Not {a})"),
        1 => format!("(And {a} {b})"),
        2 => format!("(Or {a} {b})"),
        _ => format!("(Imp {a} {b})"),
    }
}

/// Generates a prover of sequents: lists of formulas that become atoms.
fn prover(dice: &mut Dice) -> String {
    let formulas: Vec<String> = (0..1 + dice.roll(3)).map(|_| formula(dice, 3)).collect();
    format!(
        "(data Formula (Atom n) (Not a) (And a b) (Or a b) (Imp a b))
         (defn prove[ls rs la ra] (case ls
           [(Cons f t) (case f
             [(Atom n) (if (elem n ra) 1 (prove t rs (Cons n la) ra))]
             [(Not g) (prove t (Cons g rs) la ra)]
             [(And a b) (prove (Cons a (Cons b t)) rs la ra)]
             [(Or a b) (if (prove (Cons a t) rs la ra) (prove (Cons b t) rs la ra) 0)]
             [(Imp a b) (if (prove t (Cons a rs) la ra) (prove (Cons b t) rs la ra) 0)])]
           [Nil (case rs
             [Nil 0]
             [(Cons f t) (case f
               [(Atom n) (if (elem n la) 1 (prove Nil t la (Cons n ra)))]
               [(Not g) (prove (Cons g Nil) t la ra)]
               [(And a b) (if (prove Nil (Cons a t) la ra) (prove Nil (Cons b t) la ra) 0)]
               [(Or a b) (prove Nil (Cons a (Cons b t)) la ra)]
               [(Imp a b) (prove (Cons a Nil) (Cons b t) la ra)])])]))
         (defn main[input] (let ([n (rem (length input) 4)]) (map (fn [f] (prove Nil [f] Nil Nil)) [{}])))",
        formulas.join(" ")
    )
}

/// Generates sorts of what was sorted.
fn sorts(dice: &mut Dice) -> String {
    let mut list =
        format!("(map (fn [k] (rem (mul k {}) 31)) (range 1 (add n 4)))", 3 + dice.roll(20));
    for _ in 0..1 + dice.roll(5) {
        list = match dice.roll(5) {
            0 => format!("(quick {list})"),
            1 => format!("(quickBy ge {list})"),
            2 => format!("(merges {list})"),
            3 => format!("(foldr put Nil {list})"),
            _ => format!("(append (quick {list}) (quickBy le [3 n 1]))"),
        };
    }
    format!(
        "(defn quick[xs] (case xs [Nil Nil] [(Cons p t)
           (append (quick (filter (gt p) t)) (Cons p (quick (filter (le p) t))))]))
         (defn quickBy[le xs] (case xs [Nil Nil] [(Cons p t) (append (quickBy le (filter (fn [x] (le x p)) t))
           (Cons p (quickBy le (filter (fn [x] (not (le x p))) t))))]))
         (defn merges[xs] (case xs [Nil Nil] [(Cons a Nil) xs]
           [_ (case (halves xs) [(Pair l r) (both (merges l) (merges r))])]))
         (defn halves[xs] (case xs [Nil (Pair Nil Nil)]
           [(Cons a t) (case (halves t) [(Pair l r) (Pair (Cons a r) l)])]))
         (defn both[xs ys] (case xs [Nil ys] [(Cons a s) (case ys [Nil xs] [(Cons b t)
           (if (le a b) (Cons a (both s ys)) (Cons b (both xs t)))])]))
         (defn put[x ys] (case ys [Nil [x]] [(Cons y t) (if (le x y) (Cons x ys) (Cons y (put x t)))]))
         (defn main[input] (let ([n (length input)]) {list}))"
    )
}

fn term(dice: &mut Dice, depth: usize, vars: &mut Vec<char>) -> String {
    if depth == 0 || dice.one_in(6) {
        return match vars.last() {
            Some(_) if !dice.one_in(3) => format!("(Var \"{}\")", vars[dice.roll(vars.len())]),
            _ if dice.one_in(3) => "(Num n)".into(),
            _ => format!("(Num {})", dice.roll(5)),
        };
    }
    let a = term(dice, depth - 1, vars);
    match dice.roll(4) {
        0 => {
            vars.push(letter(dice));
            let body = term(dice, depth - 1, vars);
            let var = vars.pop().unwrap_or('x');
            format!("(Let \"{var}\" {a} {body})")
        }
        1 => format!("(Mul {a} {})", term(dice, depth - 1, vars)),
        2 => {
            let (b, c) = (term(dice, depth - 1, vars), term(dice, depth - 1, vars));
            format!("(If {a} {b} {c})")
        }
        _ => format!("(Add {a} {})", term(dice, depth - 1, vars)),
    }
}

/// Generates an interpreter, and terms that are known but for a number.
fn terms(dice: &mut Dice) -> String {
    let terms: Vec<String> =
        (0..1 + dice.roll(6)).map(|_| term(dice, 3, &mut Vec::new())).collect();
    format!(
        "(data Term (Num n) (Var x) (Add a b) (Mul a b) (Let x e b) (If c t e))
         (defn look[x env] (case env [Nil 0] [(Cons (Pair y v) t) (if (eqString x y) v (look x t))]))
         (defn eval[e env] (case e [(Num n) n] [(Var x) (look x env)]
           [(Add a b) (add (eval a env) (eval b env))] [(Mul a b) (mul (eval a env) (eval b env))]
           [(Let x e b) (eval b (Cons (Pair x (eval e env)) env))]
           [(If c t e) (if (eq (eval c env) 0) (eval e env) (eval t env))]))
         (defn main[input] (concatMap all (range 1 (min 5 (length input)))))
         (defn all[n] (map (fn [e] (eval e Nil)) [{}]))",
        terms.join(" ")
    )
}

/// Generates a record with a field for each thing, which commands change.
fn records(dice: &mut Dice) -> String {
    let fields = 3 + dice.roll(6);
    let names: Vec<String> = (0..fields).map(|at| format!("f{at}")).collect();
    let mut cases = String::new();
    for at in 0..2 + dice.roll(6) {
        let mut values = names.clone();
        for _ in 0..1 + dice.roll(2) {
            let (to, of) = (dice.roll(fields), dice.roll(fields));
            values[to] = match dice.roll(3) {
                0 => format!("(add f{to} 1)"),
                1 => format!("(if (gt f{of} {}) 0 (add f{of} f{to}))", dice.roll(9)),
                _ => format!("(rem (add f{to} f{of}) 13)"),
            };
        }
        let test = (b'a' + (at as u8 * 5) % 26) as char;
        let _ = write!(cases, "['{test}' (R {})]", values.join(" "));
    }
    let (all, zeros) = (names.join(" "), vec!["0"; fields].join(" "));
    format!(
        "(data R (R {all}))
         (defn step[c r] (case r [(R {all}) (case c {cases} [_ r])]))
         (defn play[cs r] (case cs [Nil r] [(Cons c t) (play t (step c r))]))
         (defn main[input] (case (play (append input (append \"abcfkpu\" input)) (R {zeros})) [(R {all}) [{all}]]))"
    )
}

/// Generates functions that call one another with several numbers.
fn counters(dice: &mut Dice) -> String {
    let count = 2 + dice.roll(4);
    let mut out = String::new();
    for at in 0..count {
        let (next, other) = (dice.roll(count), dice.roll(count));
        let (a, b) = (dice.roll(4), dice.roll(3));
        let _ = writeln!(
            out,
            "(defn f{at}[fuel a b c] (if (eq fuel 0) (add a (add b c)) (if (gt b {a})
               (f{next} (sub fuel 1) c a {b}) (if (eq (rem a 2) 0)
                 (f{other} (sub fuel 1) (add a 1) (add b {b}) c) (f{next} (sub fuel 1) b (add c {a}) a)))))"
        );
    }
    let calls: Vec<String> = (0..1 + dice.roll(4))
        .map(|_| {
            let number = |dice: &mut Dice| match dice.one_in(3) {
                true => "n".into(),
                false => dice.roll(5).to_string(),
            };
            let (a, b, c) = (number(dice), number(dice), number(dice));
            format!("(f{} (add n 20) {a} {b} {c})", dice.roll(count))
        })
        .collect();
    format!("{out}(defn main[input] (let ([n (length input)]) [{}]))", calls.join(" "))
}

/// Generates an evaluator that is told what to do next, and what if it fails.
fn continuations(dice: &mut Dice) -> String {
    let rounds = 3 + dice.roll(6);
    format!(
        "(data E (N n) (P a b) (M a b) (D a b) (T e h) (V))
         (defn ev[e x k h] (case e [(N n) (k n)] [V (k x)]
           [(P a b) (ev a x (fn [m] (ev b x (fn [n] (k (add m n))) h)) h)]
           [(M a b) (ev a x (fn [m] (ev b x (fn [n] (k (mul m n))) h)) h)]
           [(D a b) (ev a x (fn [m] (ev b x (fn [n] (if (eq n 0) (h {}) (k (div m n)))) h)) h)]
           [(T e f) (ev e x k (fn [z] (ev f x k h)))]))
         (defn build[n] (if (lt n 1) V (if (eq (rem n 3) 0)
           (T (D (N 7) (build (sub n 2))) (build (sub n 1))) (P (M (build (sub n 1)) (N 2)) (D V (N n))))))
         (defn main[input] (let ([t (build (min {rounds} (length input)))])
           (foldl (fn [a x] (add a (ev t x id (fn [z] z)))) 0 (range 0 3))))",
        dice.roll(3)
    )
}

/// Generates a game that is searched to its end from a board that is known.
fn board(dice: &mut Dice) -> String {
    let size = 3 + dice.roll(4);
    let cells: Vec<&str> = (0..size).map(|_| *[&"0", &"1", &"-1"][dice.roll(3)]).collect();
    let depth = 1 + dice.roll(4);
    format!(
        "(defn value[b p d] (case (sumOf b) [{} p] [_ (if (eq d 0) 0 (best p (map (fn [k] (value (place k p b) (negate p) (sub d 1))) (holes 0 b))))]))
         (defn sumOf[b] (case b [Nil 0] [(Cons x t) (add x (sumOf t))]))
         (defn best[p vs] (case vs [Nil 0] [_ (if (eq p 1) (maximum vs) (minimum vs))]))
         (defn holes[k b] (case b [Nil Nil] [(Cons x t) (if (eq x 0) (Cons k (holes (add k 1) t)) (holes (add k 1) t))]))
         (defn place[k p b] (case b [Nil Nil] [(Cons x t) (if (eq k 0) (Cons p t) (Cons x (place (sub k 1) p t)))]))
         (defn main[input] (value [{}] 1 (min {depth} (length input))))",
        2 + dice.roll(3),
        cells.join(" ")
    )
}
