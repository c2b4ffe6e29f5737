//! Random programs of functions that make functions: parsers, actions of a state, functions with
//! success and failure as arguments, point-free pipelines, records of functions. Definitions take
//! fewer parameters than what they come to takes arguments; what they come to is applied in the same
//! expression, stored and applied more than once, compared with `seq`, or never used; and making it
//! may fail, branch, or take work that is to be done once.

use std::fmt::Write as _;

use crate::dice::Dice;

/// What all programs have.
const KIT: &str = "
(data Record (Record run also next))
(defn run[r] (case r [(Record f _ _) f])) (defn also[r] (case r [(Record _ g _) g]))
(defn next[r] (case r [(Record _ _ n) n]))
(defn ret[x s] (Pair x s))
(defn bind[m f s] (case (m s) [(Pair x t) (f x t)]))
(defn get[s] (Pair s s))
(defn put[t _] (Pair 0 t))
(defn change[f] (bind get (fn [s] (put (f s)))))
(defn fmap[f m] (bind m (fn [x] (ret (f x)))))
(defn item[s] (case s [Nil Nothing] [(Cons x t) (Just (Pair x t))]))
(defn none[_] Nothing)
(defn unit[x s] (Just (Pair x s)))
(defn then[p f s] (case (p s) [Nothing Nothing] [(Just (Pair x t)) (f x t)]))
(defn or[p q s] (case (p s) [Nothing (q s)] [(Just r) (Just r)]))
(defn sat[f] (then item (fn [x] (if (f x) (unit x) none))))
(defn many[p] (or (some p) (unit Nil)))
(defn some[p] (then p (fn [x] (then (many p) (fn [xs] (unit (Cons x xs)))))))
(defn pair[p q s] (case (p s) [Nothing Nothing] [(Just (Pair x t)) (case (q t) [Nothing Nothing]
  [(Just (Pair y u)) (Just (Pair (add x y) u))])]))
(defn ones[p] (pair (then item (fn [_] p)) (more p)))
(defn more[p] (or (ones p) (unit 0)))
(defn yes[x good bad] (good x bad))
(defn no[good bad] bad)
(defn both[p q good bad] (p (fn [x] (q (fn [y] (good (add x y))))) bad))
(defn either[p q good bad] (p good (q good bad)))
(defn slow[x] (walk x [1 2 3 4]))
(defn walk[a l] (case l [Nil a] [(Cons x t) (walk (rem (add (mul 3 a) x) 97) t)]))
(defn count[n] (if (le n 0) get (bind (change (add n)) (fn [_] (count (sub n 1))))))
(defn pick[n f g] (case n [0 f] [1 g] [_ (compose f g)]))
";

/// What a definition comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A function of an integer to one.
    Function,
    /// A function of a state to a value and a state, integers.
    Action,
    /// A function of a list of integers to a value and the rest, or to nothing.
    Parser,
    /// A function of what is done with a value and of what there is otherwise.
    Choice,
    /// A record of functions.
    Record,
}

const KINDS: [Kind; 5] = [Kind::Function, Kind::Action, Kind::Parser, Kind::Choice, Kind::Record];

struct Definition {
    name: String,
    kind: Kind,
    /// How many integers it takes first.
    params: usize,
}

struct Gen {
    dice: Dice,
    /// The definitions so far: they refer to earlier ones alone, and what is part of itself counts down or
    /// takes an item first, so all comes to an end.
    made: Vec<Definition>,
    /// Integers in scope.
    locals: Vec<String>,
    fresh: usize,
}

/// Generates a program from a seed.
pub fn program(seed: u64) -> String {
    let mut it =
        Gen { dice: Dice::new(seed ^ 0xC0B1), made: Vec::new(), locals: Vec::new(), fresh: 0 };
    let mut text = String::new();
    for at in 0..3 + it.dice.roll(5) {
        let kind = KINDS[it.dice.roll(KINDS.len())];
        let params = it.dice.roll(3);
        it.locals = (0..params).map(|at| format!("p{at}")).collect();
        let body = it.body(kind, 3);
        let _ = writeln!(text, "(defn d{at}[{}] {body})", it.locals.join(" "));
        it.made.push(Definition { name: format!("d{at}"), kind, params });
    }
    it.locals = vec!["n".into()];
    let results: Vec<String> = (0..2 + it.dice.roll(3)).map(|_| it.result()).collect();
    format!("(defn main[input] (let ([n (length input)]) [{}]))\n{text}{KIT}", results.join("\n  "))
}

impl Gen {
    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(3) {
            return match self.locals.is_empty() || self.dice.one_in(2) {
                true => self.dice.roll(6).to_string(),
                false => self.locals[self.dice.roll(self.locals.len())].clone(),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.dice.roll(7) {
            0 => format!("(slow {a})"),
            1 => format!("(sub {a} {b})"),
            2 => format!("(if (gt {a} 2) {b} 3)"),
            3 => format!("(div {a} {b})"),
            4 => {
                let f = self.expr(Kind::Function, depth - 1);
                format!("({f} {a})")
            }
            _ => format!("(add {a} {b})"),
        }
    }

    /// Generates the body of a definition: what the optimiser can look through, or cannot.
    fn body(&mut self, kind: Kind, depth: usize) -> String {
        match self.dice.roll(8) {
            0 => {
                let (c, a, b) = (self.int(1), self.expr(kind, depth), self.expr(kind, depth));
                format!("(if (gt {c} 1) {a} {b})")
            }
            1 => {
                let (c, a) = (self.int(1), self.expr(kind, depth));
                format!("(case {c} [0 (error \"zero\")] [_ {a}])")
            }
            2 => {
                let value = self.int(2);
                let name = self.name();
                self.locals.push(name.clone());
                let body = self.expr(kind, depth);
                self.locals.pop();
                format!("(let ([{name} {value}]) {body})")
            }
            3 => {
                let (value, body) = (self.int(2), self.expr(kind, depth));
                format!("(seq {value} {body})")
            }
            _ => self.expr(kind, depth),
        }
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("x{}", self.fresh)
    }

    /// Generates a function of an integer to something.
    fn made_of(&mut self, kind: Kind, depth: usize) -> String {
        let name = self.name();
        self.locals.push(name.clone());
        let body = self.expr(kind, depth);
        self.locals.pop();
        format!("(fn [{name}] {body})")
    }

    fn of_int(&mut self, depth: usize) -> String {
        let name = self.name();
        self.locals.push(name.clone());
        let body = self.int(depth);
        self.locals.pop();
        format!("(fn [{name}] {body})")
    }

    /// Generates a use of a definition, of the kind if there is one.
    fn known(&mut self, kind: Kind) -> Option<String> {
        let fitting: Vec<usize> =
            (0..self.made.len()).filter(|&at| self.made[at].kind == kind).collect();
        if fitting.is_empty() {
            return None;
        }
        let at = fitting[self.dice.roll(fitting.len())];
        let args: Vec<String> = (0..self.made[at].params).map(|_| self.int(1)).collect();
        let name = &self.made[at].name;
        Some(match args.is_empty() {
            true => name.clone(),
            false => format!("({name} {})", args.join(" ")),
        })
    }

    fn expr(&mut self, kind: Kind, depth: usize) -> String {
        if (depth == 0 || self.dice.one_in(3))
            && let Some(known) = self.known(kind)
        {
            return known;
        }
        let less = depth.saturating_sub(1);
        let is_leaf = depth == 0;
        match kind {
            Kind::Function => match self.dice.roll(if is_leaf { 3 } else { 9 }) {
                0 => format!("(add {})", self.int(less)),
                1 => "slow".into(),
                2 => self.of_int(less),
                3 => {
                    let record = self.expr(Kind::Record, less);
                    format!("({} {record})", self.dice.pick(&["run", "also"]))
                }
                4 => {
                    let (n, f, g) = (self.int(1), self.expr(kind, less), self.expr(kind, less));
                    format!("(pick {n} {f} {g})")
                }
                5 => {
                    let (f, n) = (self.expr(kind, less), self.int(1));
                    format!("(let ([y (slow {n})]) (compose (add y) {f}))")
                }
                6 => {
                    let (c, f, g) = (self.int(1), self.expr(kind, less), self.expr(kind, less));
                    format!("(if (eq {c} 2) {f} {g})")
                }
                // Part of itself, and not without end.
                7 => {
                    let n = self.int(1);
                    format!(
                        "(letrec ([down (fn [x] (if (le x 0) {n} (up (rem x 9))))]
                          [up (compose down (add -1))]) down)"
                    )
                }
                _ => {
                    let (f, g) = (self.expr(kind, less), self.expr(kind, less));
                    format!("(compose {f} {g})")
                }
            },
            Kind::Action => match self.dice.roll(if is_leaf { 3 } else { 7 }) {
                0 => "get".into(),
                1 => format!("(put {})", self.int(less)),
                2 => format!("(ret {})", self.int(less)),
                3 => format!("(change {})", self.expr(Kind::Function, less)),
                4 => format!("(count {})", self.int(1)),
                5 => {
                    let (f, m) = (self.expr(Kind::Function, less), self.expr(kind, less));
                    format!("(fmap {f} {m})")
                }
                _ => {
                    let (m, f) = (self.expr(kind, less), self.made_of(kind, less));
                    format!("(bind {m} {f})")
                }
            },
            Kind::Parser => match self.dice.roll(if is_leaf { 3 } else { 10 }) {
                0 => "item".into(),
                1 => format!("(unit {})", self.int(less)),
                2 => format!("(sat (lt {}))", self.int(less)),
                3 | 4 => {
                    let (p, q) = (self.expr(kind, less), self.expr(kind, less));
                    format!("(or {p} {q})")
                }
                5 => {
                    let p = format!("(sat {})", self.dice.pick(&["even", "(gt 3)", "(lt 2)"]));
                    format!("(then (many {p}) (fn [l] (unit (sum l))))")
                }
                // Before each turn an item is taken.
                6 => format!("(more {})", self.expr(kind, less)),
                7 => {
                    let p = self.expr(kind, less);
                    format!(
                        "(letrec ([all (then {p} rest)]
                          [rest (fn [x] (or (then item (fn [_] all)) (unit x)))]) all)"
                    )
                }
                _ => {
                    let (p, f) = (self.expr(kind, less), self.made_of(kind, less));
                    format!("(then {p} {f})")
                }
            },
            Kind::Choice => match self.dice.roll(if is_leaf { 2 } else { 4 }) {
                0 => format!("(yes {})", self.int(less)),
                1 => "no".into(),
                2 => {
                    let (p, q) = (self.expr(kind, less), self.expr(kind, less));
                    format!("(both {p} {q})")
                }
                _ => {
                    let (p, q) = (self.expr(kind, less), self.expr(kind, less));
                    format!("(either {p} {q})")
                }
            },
            Kind::Record => {
                if !is_leaf && self.dice.one_in(4) {
                    return format!("(next {})", self.expr(kind, less));
                }
                let next = match self.known(kind) {
                    Some(known) => known,
                    None => "(error \"no next\")".into(),
                };
                let (f, g) = (self.expr(Kind::Function, less), self.expr(Kind::Function, less));
                format!("(Record {f} {g} {next})")
            }
        }
    }

    /// Generates a use of a function: applied once, more than once to what differs, or only made.
    fn result(&mut self) -> String {
        let kind = KINDS[self.dice.roll(4)];
        let value = self.expr(kind, 3);
        let apply = |function: &str, int: &str| match kind {
            Kind::Function => format!("({function} {int})"),
            Kind::Action => format!("({function} {int})"),
            Kind::Parser => format!("({function} [1 2 {int} 4 5])"),
            Kind::Choice | Kind::Record => {
                format!("({function} (fn [x b] (Pair x (b {int}))) (fn [y] (sub 0 y)))")
            }
        };
        let choice = |function: &str, int: &str| {
            format!("({function} (fn [x _] (Just (add x {int}))) Nothing)")
        };
        let (a, b) = (self.int(1), self.int(1));
        let applied = |function: &str, int: &str| match kind {
            Kind::Choice => choice(function, int),
            _ => apply(function, int),
        };
        match self.dice.roll(5) {
            0 => format!("(let ([f {value}]) (Pair {} {}))", applied("f", &a), applied("f", &b)),
            1 => format!("(seq {value} {a})"),
            2 => {
                let once = applied("f", "x");
                format!("(let ([f {value}]) (map (fn [x] {once}) [{a} {b} 3]))")
            }
            _ => applied(&value, &a),
        }
    }
}
