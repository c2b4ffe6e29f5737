//! Random programs that make lists, pass them from function to function and take them apart:
//! what fusion is for. Lists are shared or not, consumed to their ends or not, endless, and
//! have elements that fail if they are looked at.

use crate::dice::Dice;

/// The functions that are not the corelib's.
const OWN: &str = "
(defn skip[l] (case l [Nil Nil] [(Cons _ t) (case t [Nil Nil] [(Cons y u) (Cons y (skip u))])]))
(defn twice[l] (case l [Nil Nil] [(Cons x t) (Cons x (Cons x (twice t)))]))
(defn runs[k l] (case l [Nil (Cons k Nil)] [(Cons x t) (if (eq x k) (runs k t) (Cons k (runs x t)))]))
(defn upto[a b] (if (gt a b) Nil (if (eq (rem a 3) 0) (upto (add a 1) b) (Cons a (upto (add a 1) b)))))
(defn both[l m] (case l [Nil m] [(Cons x t) (Cons x (both m t))]))
(defn walk[a l] (case l [Nil a] [(Cons x t) (walk (add (mul 2 a) x) t)]))
(defn ends[l] (case l [Nil 0] [(Cons x t) (case t [Nil x] [_ (ends t)])]))
(defn safe[d l] (case l [Nil d] [(Cons x _) x]))
(defn alt[f g l] (case l [Nil Nil] [(Cons x t) (Cons (f x) (alt g f t))]))
(defn flat[l] (case l [Nil Nil] [(Cons x t) (append (upto 1 (rem x 5)) (flat t))]))
(defn cut[k l] (case l [Nil (Pair Nil Nil)] [(Cons x t) (if (gt x k) (Pair Nil l)
  (let ([r (cut k t)]) (Pair (Cons x (fst r)) (snd r))))]))
(defn slow[x] (let ([y (walk x [1 2 3])]) (seq y (rem y 11))))
";

struct Gen {
    dice: Dice,
    locals: Vec<String>,
    made: usize,
}

/// Generates a program from a seed.
pub fn program(seed: u64) -> String {
    let mut it = Gen { dice: Dice::new(seed ^ 0xF0F0), locals: Vec::new(), made: 0 };
    let mut lets = String::new();
    for _ in 0..it.dice.roll(4) {
        let (value, name) = (it.list(2), format!("l{}", it.made));
        it.made += 1;
        lets += &format!("[{name} {value}]");
        it.locals.push(name);
    }
    let body = match it.dice.roll(4) {
        0 => it.list(4),
        1 => it.int(4),
        2 => format!("(Pair {} {})", it.list(3), it.int(3)),
        _ => format!("(add {} {})", it.int(3), it.int(3)),
    };
    let body = if lets.is_empty() { body } else { format!("(let ({lets}) {body})") };
    let helper = Gen { dice: Dice::new(seed), locals: vec!["a".into()], made: 100 }.list(3);
    format!(
        "(defn main[input] (let ([n (length input)]) {body})) (defn helper[n a] {helper}) {OWN}"
    )
}

impl Gen {
    fn number(&mut self) -> String {
        match self.dice.roll(5) {
            0 => "n".into(),
            1 => "(add n 2)".into(),
            _ => self.dice.roll(7).to_string(),
        }
    }

    fn function(&mut self) -> String {
        let k = self.number();
        let all: [&str; 7] = [
            "(add K)",
            "(fn [x] (div 12 x))",
            "(fn [x] (rem (mul x x) 7))",
            "(fn [x] K)",
            "slow",
            "(sub K)",
            "(fn [x] (walk x [x K]))",
        ];
        self.dice.pick(&all).replace('K', &k)
    }

    fn predicate(&mut self) -> String {
        let k = self.number();
        let all: [&str; 5] =
            ["even", "(gt K)", "(lt K)", "(fn [x] (eq (rem x 3) 1))", "(fn [_] 1)"];
        self.dice.pick(&all).replace('K', &k)
    }

    /// Generates a list.
    fn list(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(8) {
            if !self.locals.is_empty() && self.dice.one_in(2) {
                let at = self.dice.roll(self.locals.len());
                return self.locals[at].clone();
            }
            let k = self.number();
            let all = [
                "(range 1 K)",
                "(upto 1 K)",
                "(range K (add n 5))",
                "[3 K 1]",
                "Nil",
                "(take K (iterate (add 2) n))",
                "(take 3 (repeat K))",
                "(Cons (div 1 0) (range 2 K))",
            ];
            return self.dice.pick(&all).replace('K', &k);
        }
        let l = |it: &mut Gen| it.list(depth - 1);
        match self.dice.roll(22) {
            0 | 1 => format!("(map {} {})", self.function(), l(self)),
            2 | 3 => format!("(filter {} {})", self.predicate(), l(self)),
            4 | 5 => format!("(append {} {})", l(self), l(self)),
            6 => format!("(take {} {})", self.number(), l(self)),
            7 => format!("(drop {} {})", self.number(), l(self)),
            8 => format!("(takeWhile {} {})", self.predicate(), l(self)),
            9 => format!("(dropWhile {} {})", self.predicate(), l(self)),
            10 => format!("(zipWith add {} {})", l(self), l(self)),
            11 => format!("(reverse {})", l(self)),
            12 => format!("(concatMap (fn [x] [x {}]) {})", self.number(), l(self)),
            13 => format!("(skip {})", l(self)),
            14 => format!("(twice {})", l(self)),
            15 => format!("(runs {} {})", self.number(), l(self)),
            16 => format!("(both {} {})", l(self), l(self)),
            17 => format!("(alt {} {} {})", self.function(), self.function(), l(self)),
            18 => format!("(flat {})", l(self)),
            19 => format!("(foldr (fn [x r] (Cons (add x 1) r)) {} {})", l(self), l(self)),
            20 if self.made < 50 => {
                let (value, name) = (l(self), format!("l{}", self.made));
                self.made += 1;
                self.locals.push(name.clone());
                let body = l(self);
                self.locals.pop();
                format!("(let ([{name} {value}]) {body})")
            }
            21 if self.made < 50 => format!("(helper {} {})", self.number(), l(self)),
            _ => {
                let part = self.dice.pick(&["fst", "snd"]);
                format!("({part} (cut {} {}))", self.number(), l(self))
            }
        }
    }

    /// Generates a number.
    fn int(&mut self, depth: usize) -> String {
        let l = self.list(depth);
        match self.dice.roll(9) {
            0 => format!("(sum {l})"),
            1 => format!("(length {l})"),
            2 => format!("(foldr add 0 {l})"),
            3 => format!("(foldl sub 0 {l})"),
            4 => format!("(walk 1 {l})"),
            5 => format!("(ends {l})"),
            6 => format!("(safe {} {l})", self.number()),
            7 => format!("(foldr (fn [x r] (if (gt x 3) x (add 1 r))) 0 {l})"),
            _ => format!("(if (isNil {l}) 1 (length {}))", self.list(depth)),
        }
    }
}
