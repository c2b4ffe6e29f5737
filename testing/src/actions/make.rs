//! Random programs of actions: what they print, read, keep and throw, with failures in lazy places.
//!
//! No expression holds two failures of which a run could meet either first, so what a handler gets,
//! and what is written before, is the same on every machine after any passes.

use crate::dice::Dice;

/// What is in scope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    /// An integer.
    Int,
    /// An array of integers, which is evaluated without failing.
    Array,
    /// A byte string, which is evaluated without failing.
    Bytes,
    /// A cell that holds an integer.
    Cell,
    /// A mutable array of integers.
    Mutable,
    /// An action whose value is an integer.
    Action,
    /// An `MVar` that holds integers.
    Var,
    /// A thread.
    Thread,
    /// A variable of transactions that holds an integer.
    TVar,
    /// What stands for a transaction.
    Transaction,
}

struct Local {
    name: String,
    ty: Ty,
    /// Whether its evaluation cannot fail.
    sure: bool,
    /// The state thread that it is of: 0 for input and output.
    level: usize,
}

struct Gen {
    dice: Dice,
    locals: Vec<Local>,
    /// How many names there are.
    names: usize,
    /// Functions of a count, an integer and a cell whose value is an action.
    functions: usize,
    /// Constants: integers, arrays, actions.
    constants: Vec<(String, Ty)>,
    /// How many state threads there are around.
    level: usize,
    /// How many there were.
    levels: usize,
}

/// What all of them share.
const KIT: &str = "\
(import io)
(import array)
(import bytes)
(import stm)
(defn show'[n] (then (putLine (showInt n)) (return n)))
(defn index'[a i] (if (eq (arrayLength a) 0) 0 (arrayIndex a (mod i (arrayLength a)))))
(defn handler'[f e] (case e
  [(Thrown v _) (then (putText \"thrown \") (then (show' v) (f v)))]
  [(Failure _ _ _) (then (putLine \"failed\") (f 0))]))
(defn quiet'[f e] (case e [(Thrown v _) (f v)] [(Failure _ _ _) (f 0)]))
(defn line'[l] (case l [(Nil) \"end\"] [(Cons text _) text]))
";

/// Generates a program from a seed.
#[must_use]
pub fn program(seed: u64) -> String {
    let mut made = Gen {
        dice: Dice::new(seed),
        locals: Vec::new(),
        names: 0,
        functions: 0,
        constants: Vec::new(),
        level: 0,
        levels: 0,
    };
    made.program()
}

impl Gen {
    fn program(&mut self) -> String {
        let mut items = KIT.to_owned();
        for at in 0..self.dice.roll(3) {
            let name = format!("k{at}");
            let (ty, body) = match self.dice.roll(3) {
                0 => (Ty::Int, self.int(3, true)),
                1 => (Ty::Array, self.array(3)),
                _ => (Ty::Action, self.action(3)),
            };
            items += &format!("(defn {name}[] {body})\n");
            self.constants.push((name, ty));
        }
        for at in 0..self.dice.roll(3) {
            let params = [("n", Ty::Int, true), ("x", Ty::Int, false), ("c", Ty::Cell, true)];
            for (name, ty, sure) in params {
                self.locals.push(Local { name: name.into(), ty, sure, level: 0 });
            }
            let step = self.action(4);
            self.locals.clear();
            items += &format!(
                "(defn act{at}[n x c] (if (le n 0) (return x) \
                 (bind {step} (fn [y] (act{at} (sub n 1) y c)))))\n"
            );
            self.functions += 1;
        }
        let main = match self.dice.roll(12) {
            0 => {
                let elements = [self.array(3), self.bytes(3, false), self.int(4, true)];
                format!("[{}]", elements.join(" "))
            }
            1 => self.int(5, true),
            _ => self.action(7),
        };
        items += &format!("(defn main[] {main})\n");
        items
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Generates with `work` in a scope with one more name; returns the name and what was
    /// generated.
    fn with(
        &mut self,
        ty: Ty,
        sure: bool,
        work: impl FnOnce(&mut Gen) -> String,
    ) -> (String, String) {
        let name = self.name();
        self.locals.push(Local { name: name.clone(), ty, sure, level: self.level });
        let made = work(self);
        self.locals.pop();
        (name, made)
    }

    /// Picks a variable of a type, if there is one.
    fn variable(&mut self, ty: Ty, sure: bool) -> Option<String> {
        let is_state = matches!(
            ty,
            Ty::Cell | Ty::Mutable | Ty::Var | Ty::Thread | Ty::TVar | Ty::Transaction
        );
        let is_own = is_state && !self.dice.one_in(30);
        let fits = |local: &&Local| {
            let near = !is_own || local.level == self.level;
            local.ty == ty && near && (local.sure || !sure)
        };
        let mut found: Vec<&str> =
            self.locals.iter().filter(fits).map(|local| local.name.as_str()).collect();
        if !sure {
            let constants = self.constants.iter().filter(|(_, of)| *of == ty);
            found.extend(constants.map(|(name, _)| name.as_str()));
        }
        if found.is_empty() {
            return None;
        }
        Some(found[self.dice.roll(found.len())].to_owned())
    }

    // ---- Actions ----

    /// Generates an action whose value is an integer, lazy and maybe failing.
    fn action(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.short_action();
        }
        let d = depth - 1;
        // Input and output are errors in a state thread.
        let kinds = if self.level > 0 && !self.dice.one_in(40) { 16 } else { 34 };
        match self.dice.roll(kinds) {
            0 | 1 => {
                let first = self.action(d);
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d));
                format!("(bind {first} (fn [{name}] {rest}))")
            }
            2 => format!("(then {} {})", self.action(d), self.action(d)),
            3..=5 => {
                let value = self.int(d.min(3), true);
                let (name, rest) = self.with(Ty::Cell, true, |this| this.action(d));
                format!("(bind (newCell {value}) (fn [{name}] {rest}))")
            }
            6 => self.on_cell(d),
            7 => self.on_mutable(d),
            8 => {
                let protected = self.action(d);
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d / 2));
                let handler = if self.level == 0 { "handler'" } else { "quiet'" };
                format!("(catch {protected} ({handler} (fn [{name}] {rest})))")
            }
            9 => match self.dice.roll(4) {
                0 => format!("(finally {} {})", self.action(d), self.action(d / 2)),
                1 => format!("(onException {} {})", self.action(d), self.action(d / 2)),
                2 => format!("(catch {} rethrow)", self.action(d)),
                _ => {
                    let acquired = self.action(d / 2);
                    let (name, used) = self.with(Ty::Int, false, |this| this.action(d));
                    let released = self.action(d / 2);
                    format!("(bracket {acquired} (fn [_] {released}) (fn [{name}] {used}))")
                }
            },
            10 => {
                let tried = self.action(d);
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d / 2));
                let other = self.action(d / 2);
                format!(
                    "(bind (attempt {tried}) (fn [r] (case r [(Left _) {other}] \
                     [(Right {name}) {rest}])))"
                )
            }
            11 => {
                let (condition, one) = (self.int(d / 2, true), self.action(d));
                format!("(if (lt {condition} 3) {one} {})", self.action(d))
            }
            12 => {
                // It is demanded twice: what has failed fails again.
                let value = self.int(d.min(3), true);
                let (name, rest) = self.with(Ty::Int, false, |this| {
                    let again = this.action(d / 2);
                    format!("(then (attempt (evaluate v{})) {again})", this.names_of(Ty::Int))
                });
                format!("(let ([{name} {value}]) {rest})")
            }
            13 => {
                let action = self.action(d / 2);
                let (name, rest) = self.with(Ty::Action, true, |this| this.action(d));
                format!("(let ([{name} {action}]) {rest})")
            }
            14 => {
                let array = self.array(d.min(3));
                let (name, rest) = self.with(Ty::Array, true, |this| this.action(d));
                format!("(let ([{name} {array}]) {rest})")
            }
            15 => self.looping(d),
            16..=18 => match self.dice.roll(4) {
                0 => format!("(then (putLine {}) {})", self.text(d.min(3), true), self.action(d)),
                1 => format!("(then (putError {}) {})", self.text(d.min(3), true), self.action(d)),
                _ => format!("(bind {} show')", self.action(d)),
            },
            19 => match self.dice.roll(10) {
                8 => format!("(then (putBytes {}) {})", self.bytes(d.min(3), true), self.action(d)),
                9 => {
                    // The longest ones read all that there is.
                    let count = [-1, 0, 1, 3, 1000][self.dice.roll(5)];
                    let (name, rest) = self.with(Ty::Bytes, true, |this| this.action(d));
                    format!(
                        "(bind (inputBytes {count}) (fn [{name}] (then (putBytes {name}) {rest})))"
                    )
                }
                0 => format!(
                    "(bind inputText (fn [t] (then (putText (take {} t)) {})))",
                    self.dice.roll(30),
                    self.action(d)
                ),
                _ => format!(
                    "(bind inputLine (fn [l] (then (putLine (line' l)) {})))",
                    self.action(d)
                ),
            },
            30 if self.level == 0 => {
                // It has none here.
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d));
                format!("(bind (mapAction length arguments) (fn [{name}] {rest}))")
            }
            20 => {
                let bytes = self.bytes(d.min(3), false);
                let (name, rest) = self.with(Ty::Bytes, true, |this| this.action(d));
                format!("(let ([{name} {bytes}]) {rest})")
            }
            26..=29 if self.level == 0 || self.dice.one_in(20) => self.on_threads(d),
            31..=33 if self.level == 0 || self.dice.one_in(20) => self.on_variables(d),
            22..=25 if self.level == 0 || self.dice.one_in(20) => self.on_system(d),
            21 if self.dice.one_in(4) => {
                let status = self.int(1, true);
                format!("(exit {status})")
            }
            _ if self.functions > 0 => match self.variable(Ty::Cell, true) {
                Some(cell) => {
                    let at = self.dice.roll(self.functions);
                    let (count, value) = (self.dice.roll(5), self.int(d.min(2), true));
                    format!("(act{at} {count} {value} {cell})")
                }
                None => self.short_action(),
            },
            _ => self.short_action(),
        }
    }

    /// Returns the number of the last name of a type.
    fn names_of(&self, ty: Ty) -> String {
        let last = self.locals.iter().rev().find(|local| local.ty == ty);
        last.map_or("", |local| local.name.trim_start_matches('v')).to_owned()
    }

    fn on_cell(&mut self, d: usize) -> String {
        let Some(cell) = self.variable(Ty::Cell, true) else { return self.short_action() };
        match self.dice.roll(7) {
            0 | 1 => {
                let value = self.int(d.min(4), true);
                format!("(then (writeCell {cell} {value}) {})", self.action(d))
            }
            2 => {
                let (name, value) = self.with(Ty::Int, false, |this| this.int(2, true));
                let rest = self.action(d);
                format!("(then (modifyCell {cell} (fn [{name}] {value})) {rest})")
            }
            3 => {
                let other = self.variable(Ty::Cell, true).unwrap_or_else(|| cell.clone());
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d));
                format!("(bind (sameCell {cell} {other}) (fn [{name}] {rest}))")
            }
            4 => {
                // The cell is old by then, maybe, and holds what is new.
                let count = self.dice.roll(12);
                let (name, value) = self.with(Ty::Int, false, |this| this.int(1, true));
                let rest = self.action(d);
                format!(
                    "(then (replicateM_ {count} (bind (readCell {cell}) (fn [{name}] \
                     (writeCell {cell} {value})))) {rest})"
                )
            }
            _ => {
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d));
                format!("(bind (readCell {cell}) (fn [{name}] {rest}))")
            }
        }
    }

    /// Generates an action on a mutable array: old ones get new elements, some of them have cards.
    fn on_mutable(&mut self, d: usize) -> String {
        let Some(array) = self.variable(Ty::Mutable, true) else {
            let made = match self.dice.roll(3) {
                0 => format!("(thawArray {})", self.array(d.min(3))),
                _ => {
                    let len = [0, 1, 3, 8, 150, 300][self.dice.roll(6)];
                    format!("(newArray {len} {})", self.int(d.min(3), true))
                }
            };
            let (name, rest) = self.with(Ty::Mutable, true, |this| this.action(d));
            return format!("(bind {made} (fn [{name}] {rest}))");
        };
        let index = match self.dice.roll(4) {
            0 => self.int(1, false),
            _ => self.dice.roll(9).to_string(),
        };
        match self.dice.roll(8) {
            0..=2 => {
                let value = self.int(d.min(4), true);
                format!("(then (writeArray {array} {index} {value}) {})", self.action(d))
            }
            3 => {
                let (name, value) = self.with(Ty::Int, true, |this| this.int(2, true));
                let rest = self.action(d);
                let count = self.dice.roll(12);
                format!(
                    "(then (forM_ (range 0 {count}) (fn [{name}] (writeArray {array} {name} \
                     {value}))) {rest})"
                )
            }
            4 => {
                let other = self.variable(Ty::Mutable, true).unwrap_or_else(|| array.clone());
                let [from, to, count] = [0; 3].map(|_| self.dice.roll(5));
                let rest = self.action(d);
                format!("(then (copyArray {array} {from} {other} {to} {count}) {rest})")
            }
            5 => {
                let (name, rest) = self.with(Ty::Array, true, |this| this.action(d));
                format!("(bind (freezeArray {array}) (fn [{name}] {rest}))")
            }
            6 => format!("(then (sizeOfArray {array}) {})", self.action(d)),
            _ => {
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d));
                format!("(bind (readArray {array} {index}) (fn [{name}] {rest}))")
            }
        }
    }

    /// Generates an action on files and the like.
    fn on_system(&mut self, d: usize) -> String {
        const PATHS: [&str; 9] =
            ["a", "b", "a", "notes.txt", "notes.txt", "d", "d/a", "../a", "/etc"];
        let mut path = || format!("(bytesFromText \"{}\")", self.dice.pick(&PATHS));
        let (path, other) = (path(), path());
        match self.dice.roll(14) {
            0..=2 => {
                let name = self.dice.pick(&["fileWrite", "fileWrite", "fileAppend"]);
                let bytes = self.bytes(d.min(3), true);
                format!("(then ({name} {path} {bytes}) {})", self.action(d))
            }
            3..=5 => {
                let (from, count) = (self.dice.roll(4), [2, 9, 1000][self.dice.roll(3)]);
                let (name, rest) = self.with(Ty::Bytes, true, |this| this.action(d));
                format!(
                    "(bind (fileRead {path} {from} {count}) (fn [{name}] (then (putBytes {name}) {rest})))"
                )
            }
            6 => {
                let name = self.dice.pick(&["fileRemove", "directoryMake", "directoryRemove"]);
                format!("(then ({name} {path}) {})", self.action(d))
            }
            7 => format!("(then (fileRename {path} {other}) {})", self.action(d)),
            8 => {
                let path = self.dice.pick(&[".", "d", "a"]);
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d));
                format!(
                    "(bind (mapAction length (directoryList (bytesFromText \"{path}\"))) \
                     (fn [{name}] {rest}))"
                )
            }
            9 | 10 => {
                let name = self.dice.pick(&["fileKind", "fileSize"]);
                let asked = format!("({name} {path})");
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d));
                format!("(bind {asked} (fn [{name}] {rest}))")
            }
            11 => {
                let asked = self.dice.pick(&["wallClock", "monotonicClock"]);
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d));
                format!("(bind {asked} (fn [{name}] {rest}))")
            }
            12 => {
                let count = self.dice.roll(20);
                let (name, rest) = self.with(Ty::Bytes, true, |this| this.action(d));
                format!("(bind (randomBytes {count}) (fn [{name}] {rest}))")
            }
            _ => {
                let variable = self.dice.pick(&["HOME", "UNSET", "PATH"]);
                let (name, rest) = self.with(Ty::Bytes, true, |this| this.action(d));
                format!(
                    "(bind (mapAction bytesConcat (environmentVariable (bytesFromText \
                     \"{variable}\"))) (fn [{name}] {rest}))"
                )
            }
        }
    }

    /// Generates an action on threads: some wait for others, now and then for ever.
    fn on_threads(&mut self, d: usize) -> String {
        let var = self.variable(Ty::Var, true);
        let thread = self.variable(Ty::Thread, true);
        match (self.dice.roll(15), var, thread) {
            (0..=2, None, _) | (0, ..) => {
                let (name, rest) = self.with(Ty::Var, true, |this| this.action(d));
                format!("(bind newMVar (fn [{name}] {rest}))")
            }
            (1..=4, ..) | (_, None, None) => {
                let forked = self.action(d);
                let (name, rest) = self.with(Ty::Thread, true, |this| this.action(d));
                let forked = match self.dice.roll(4) {
                    0 => format!("(catch {forked} (quiet' return))"),
                    1 => format!("(attempt {forked})"),
                    _ => forked,
                };
                format!("(bind (fork {forked}) (fn [{name}] {rest}))")
            }
            (5 | 6, Some(var), _) => {
                let name = self.dice.pick(&["putMVar", "putMVar", "tryPutMVar"]);
                let value = self.int(d.min(3), true);
                format!("(then ({name} {var} {value}) {})", self.action(d))
            }
            (7..=9, Some(var), _) => {
                let of = self.dice.pick(&["takeMVar", "takeMVar", "readMVar"]);
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d));
                format!("(bind ({of} {var}) (fn [{name}] {rest}))")
            }
            (10, Some(var), _) => {
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d));
                let of = self.dice.pick(&["tryTakeMVar", "tryReadMVar"]);
                format!("(bind (mapAction sum ({of} {var})) (fn [{name}] {rest}))")
            }
            (5..=8, _, Some(thread)) => {
                let value = self.int(1, true);
                format!("(then (throwTo {thread} {value}) {})", self.action(d))
            }
            (11, ..) => {
                let count = 20 + self.dice.roll(30);
                format!("(then (replicateM_ {count} (return 1)) {})", self.action(d))
            }
            (14, ..) => {
                let number = match self.variable(Ty::Thread, true) {
                    Some(thread) => format!("(threadNumber {thread})"),
                    None => "(bind myThread threadNumber)".to_owned(),
                };
                let (name, rest) = self.with(Ty::Int, true, |this| this.action(d));
                format!("(bind {number} (fn [{name}] {rest}))")
            }
            (12, ..) => format!("(then (setMask {}) {})", self.dice.roll(2), self.action(d)),
            _ => format!("(then yield {})", self.action(d)),
        }
    }

    /// Generates an action on variables of transactions.
    fn on_variables(&mut self, d: usize) -> String {
        let variable = self.variable(Ty::TVar, true);
        match (self.dice.roll(8), variable) {
            (0, _) | (_, None) => {
                let value = self.int(d.min(3), true);
                let (name, rest) = self.with(Ty::TVar, true, |this| this.action(d));
                format!("(bind (newTVar {value}) (fn [{name}] {rest}))")
            }
            (1, Some(variable)) => {
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d));
                format!("(bind (readTVarNow {variable}) (fn [{name}] {rest}))")
            }
            (2, _) => {
                // Another thread has what this one may wait for.
                let forked = self.transaction(d / 2);
                format!("(then (fork {forked}) {})", self.action(d))
            }
            _ => {
                let done = self.transaction(d);
                let (name, rest) = self.with(Ty::Int, false, |this| this.action(d / 2));
                format!("(bind {done} (fn [{name}] {rest}))")
            }
        }
    }

    /// Generates a transaction.
    fn transaction(&mut self, d: usize) -> String {
        let (name, body) = self.with(Ty::Transaction, true, |this| this.in_transaction(d));
        format!("(atomically (fn [{name}] {body}))")
    }

    /// Generates an action of a transaction, mostly of the innermost one.
    fn in_transaction(&mut self, depth: usize) -> String {
        let innermost = self.names_of(Ty::Transaction);
        let mut t = format!("v{innermost}");
        if self.dice.one_in(40) {
            t = self.variable(Ty::Transaction, true).unwrap_or(t);
        }
        let Some(variable) = self.variable(Ty::TVar, true) else { return self.action(depth) };
        if depth == 0 {
            return match self.dice.roll(8) {
                0 => format!("(retry {t})"),
                1 => self.short_action(),
                _ => format!("(readTVar {t} {variable})"),
            };
        }
        let d = depth - 1;
        match self.dice.roll(14) {
            0..=2 => {
                let (name, rest) = self.with(Ty::Int, false, |this| this.in_transaction(d));
                format!("(bind (readTVar {t} {variable}) (fn [{name}] {rest}))")
            }
            3..=5 => {
                let value = self.int(d.min(3), true);
                format!("(then (writeTVar {t} {variable} {value}) {})", self.in_transaction(d))
            }
            6 => {
                let (name, value) = self.with(Ty::Int, false, |this| this.int(2, true));
                let rest = self.in_transaction(d);
                format!("(then (modifyTVar {t} {variable} (fn [{name}] {value})) {rest})")
            }
            7 => {
                let condition = self.int(d / 2, true);
                format!("(then (check {t} (lt {condition} 2)) {})", self.in_transaction(d))
            }
            8 | 9 => {
                let (one, other) = (self.in_transaction(d), self.in_transaction(d));
                format!("(orElse {t} {one} {other})")
            }
            10 | 11 => {
                let (tried, other) = (self.in_transaction(d), self.in_transaction(d / 2));
                format!("(catchSTM {t} {tried} (fn [_] {other}))")
            }
            12 => {
                let tried = self.in_transaction(d);
                format!("(catch {tried} (quiet' return))")
            }
            _ => self.action(d),
        }
    }

    fn looping(&mut self, d: usize) -> String {
        let values: Vec<String> = (0..self.dice.roll(4)).map(|_| self.int(1, true)).collect();
        let values = values.join(" ");
        let (name, body) = self.with(Ty::Int, false, |this| this.action(d / 2));
        match self.dice.roll(4) {
            0 => format!("(mapAction sum (mapM (fn [{name}] {body}) [{values}]))"),
            1 => {
                let rest = self.action(d);
                format!("(then (forM_ [{values}] (fn [{name}] {body})) {rest})")
            }
            2 => {
                let start = self.int(1, true);
                format!("(foldM (fn [z {name}] {body}) {start} [{values}])")
            }
            _ => {
                let all: Vec<String> = (0..self.dice.roll(3)).map(|_| self.action(d / 2)).collect();
                let rest = self.action(d);
                format!("(then (sequence_ [{}]) {rest})", all.join(" "))
            }
        }
    }

    fn short_action(&mut self) -> String {
        match self.dice.roll(14) {
            0 if self.dice.one_in(2) => {
                if let Some(array) = self.variable(Ty::Mutable, true) {
                    return format!("(readArray {array} {})", self.dice.roll(6));
                }
            }
            0 | 1 => {
                if let Some(cell) = self.variable(Ty::Cell, true) {
                    return format!("(readCell {cell})");
                }
            }
            2 | 3 => {
                if let Some(action) = self.variable(Ty::Action, false) {
                    return action;
                }
            }
            4 | 5 if self.level == 0 => return format!("(show' {})", self.int(2, true)),
            6 => return format!("(throw {})", self.int(1, true)),
            7 => return format!("(evaluate {})", self.int(2, true)),
            8 if self.dice.one_in(3) => {
                return self
                    .dice
                    .pick(&["5", "Nil", "(bind 1 return)", "(readCell 1)", "(return 1 2)"])
                    .to_owned();
            }
            _ => {}
        }
        format!("(return {})", self.int(2, true))
    }

    // ---- Expressions: of a parameter `fail`, whether their evaluation may fail ----

    fn failing(&mut self) -> String {
        match self.dice.roll(8) {
            0 => "(error \"planted\")".into(),
            1 => "(div 1 0)".into(),
            2 => "(chr -1)".into(),
            3 => "(arrayIndex (arrayFromList [1]) 1)".into(),
            4 => "(bytesIndex (bytesFromText \"ab\") 2)".into(),
            5 => "(ftoi +nan.0)".into(),
            n => format!("(throw {n})"),
        }
    }

    fn short_int(&mut self, fail: bool) -> String {
        if fail && self.dice.one_in(8) {
            return self.failing();
        }
        if !self.dice.one_in(3)
            && let Some(variable) = self.variable(Ty::Int, !fail)
        {
            return variable;
        }
        match self.dice.roll(12) {
            0 => "4611686018427387904".into(),
            1 => "-9223372036854775808".into(),
            n => (n as i64 - 4).to_string(),
        }
    }

    fn int(&mut self, depth: usize, fail: bool) -> String {
        if depth == 0 || self.dice.one_in(4) {
            return self.short_int(fail);
        }
        let d = depth - 1;
        match self.dice.roll(17) {
            0..=2 => {
                let first = self.dice.one_in(2);
                let name = self.dice.pick(&["add", "sub", "mul"]);
                let (a, b) = (self.int(d, fail && first), self.int(d, fail && !first));
                format!("({name} {a} {b})")
            }
            3 => format!("(div {} {})", self.int(d, fail), 1 + self.dice.roll(5)),
            4 => {
                let condition = self.int(d, fail);
                let (one, other) = (self.int(d, false), self.int(d, false));
                format!("(if (lt {condition} 2) {one} {other})")
            }
            5 | 6 => {
                let fails = self.dice.one_in(2);
                let value = self.int(d, fails);
                let (name, body) = self.with(Ty::Int, !fails, |this| this.int(d, fail));
                match self.dice.one_in(3) {
                    true => format!("((fn [{name}] {body}) {value})"),
                    false => format!("(let ([{name} {value}]) {body})"),
                }
            }
            7 | 8 if fail => format!("(index' {} {})", self.array(d), self.int(d, false)),
            7 | 8 => format!("(arrayLength {})", self.array(d)),
            9 => self.of_bytes(d, fail),
            10 => format!("(length {})", self.text(d, fail)),
            11 => {
                let name = self.dice.pick(&["fadd", "fmul", "fsub"]);
                let (x, y) = (self.int(d, fail), self.dice.roll(9));
                format!("(ftoi ({name} (itof (mod {x} 1000)) {y}.25))")
            }
            12 | 13 if fail => self.state_thread(d),
            14 => {
                let fails = self.dice.roll(3);
                let elements: Vec<String> =
                    (0..3).map(|at| self.int(d / 2, fail && at == fails)).collect();
                format!("(sum [{}])", elements.join(" "))
            }
            15 if fail => {
                let (name, body) = self.with(Ty::Int, false, |this| this.int(1, true));
                format!("(arrayFold (fn [z {name}] {body}) 0 {})", self.array(d))
            }
            16 => format!("(case {} [0 {}] [_ 7])", self.int(d, fail), self.int(d, false)),
            _ => self.short_int(fail),
        }
    }

    /// Generates an integer that is told of byte strings.
    fn of_bytes(&mut self, d: usize, fail: bool) -> String {
        let name = match self.dice.roll(9) {
            0 => return format!("(bytesToInt (bytesFromInt {}))", self.int(d, fail)),
            1 | 2 => {
                let name = self.dice.pick(&["bytesCompare", "bytesFind"]);
                let first = self.dice.one_in(2);
                let (a, b) = (self.bytes(d, fail && first), self.bytes(d, fail && !first));
                return format!("({name} {a} {b})");
            }
            3 if fail => {
                // Few indices are of a byte, and not each is of a character.
                let (bytes, at) = (self.bytes(d, false), self.dice.roll(5) as i64 - 1);
                return match self.dice.one_in(2) {
                    true => format!("(bytesIndex {bytes} {at})"),
                    false => format!("(ord (bytesChar {bytes} {at}))"),
                };
            }
            4 => {
                // These are no UTF-8, and are not printed.
                let (byte, at) = (self.dice.roll(256), self.dice.roll(3));
                return format!("(bytesIndex (bytesFromList [{byte} 195 255]) {at})");
            }
            5 => "bytesBlank",
            6 => "bytesWord",
            7 => "bytesHash",
            _ => "bytesLength",
        };
        format!("({name} {})", self.bytes(d, fail))
    }

    fn state_thread(&mut self, d: usize) -> String {
        self.levels += 1;
        let before = std::mem::replace(&mut self.level, self.levels);
        let start = self.int(1, true);
        let (name, body) = self.with(Ty::Cell, true, |this| this.action(d + 1));
        self.level = before;
        format!("(runState (bind (newCell {start}) (fn [{name}] {body})))")
    }

    fn text(&mut self, depth: usize, fail: bool) -> String {
        if depth == 0 {
            return self.dice.pick(&["\"\"", "\"a\"", "\"bc d\"", "\"λ\\n\"", "\"é∀\""]).to_owned();
        }
        let d = depth - 1;
        match self.dice.roll(6) {
            0 | 1 => format!("(showInt {})", self.int(d, fail)),
            2 => format!("(append {} {})", self.text(d, false), self.text(d, fail)),
            3 => format!("(take {} {})", self.dice.roll(6), self.text(d, fail)),
            4 if fail => format!("(bytesToText {})", self.bytes(d, true)),
            _ => format!("(reverse {})", self.text(d, fail)),
        }
    }

    fn bytes(&mut self, depth: usize, fail: bool) -> String {
        if let Some(variable) = self.variable(Ty::Bytes, true)
            && self.dice.one_in(2)
        {
            return variable;
        }
        if depth == 0 {
            return format!("(bytesFromText {})", self.text(0, false));
        }
        let d = depth - 1;
        match self.dice.roll(7) {
            6 => {
                // What is no byte fails, and so does one that is not there.
                let last = if fail { self.int(d, true) } else { self.dice.roll(128).to_string() };
                format!("(bytesFromList [32 {} {last}])", self.dice.roll(128))
            }
            0 => format!("(bytesFromText {})", self.text(d, fail)),
            1 => format!("(bytesFromInt {})", self.int(d, fail)),
            2 => format!("(bytesConcat [{} {}])", self.bytes(d, fail), self.bytes(d, false)),
            3 => format!("(bytesTake {} {})", self.dice.roll(5), self.bytes(d, fail)),
            4 => format!("(bytesDrop {} {})", self.dice.roll(5), self.bytes(d, fail)),
            _ => format!("(bytesFromText {})", self.text(0, false)),
        }
    }

    /// Generates an array, whose elements may fail.
    fn array(&mut self, depth: usize) -> String {
        if let Some(variable) = self.variable(Ty::Array, false)
            && self.dice.one_in(2)
        {
            return variable;
        }
        let d = depth.saturating_sub(1);
        match self.dice.roll(if depth == 0 { 2 } else { 6 }) {
            0..=2 => {
                let elements: Vec<String> =
                    (0..self.dice.roll(5)).map(|_| self.int(d, true)).collect();
                format!("(arrayFromList [{}])", elements.join(" "))
            }
            3 | 4 => {
                // The larger ones have cards.
                let len = [2, 5, 20, 140, 300][self.dice.roll(5)];
                let (name, body) = self.with(Ty::Int, true, |this| this.int(d.min(2), true));
                format!("(arrayGenerate {len} (fn [{name}] {body}))")
            }
            _ => {
                let array = self.array(d);
                let (name, body) = self.with(Ty::Int, false, |this| this.int(d.min(2), true));
                format!("(arrayMap (fn [{name}] {body}) {array})")
            }
        }
    }
}
