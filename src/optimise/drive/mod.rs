//! The driver: an evaluator of open programs. It runs a body as far as it is known what its
//! variables are, and writes code for the rest.
//!
//! One engine serves two steps of the pipeline. With the rule [`Rules::specialise`] it is the
//! partial evaluator: online, polyvariant, memoised (Jones, Gomard and Sestoft, *Partial
//! Evaluation and Automatic Program Generation*, 1993; Sørensen, Glück and Jones, "A positive
//! supercompiler", 1996). With the other rules it is a simplifier: inlining, case of known
//! constructor, case of case by way of join points (Peyton Jones and Marlow, "Secrets of the
//! Glasgow Haskell Compiler inliner", 2002; Maurer and others, "Compiling without
//! continuations", 2017).
//!
//! Invariants:
//! - Nothing is evaluated that the program would not evaluate there: a thunk is driven when
//!   it is demanded. A speculation writes no code and is taken back when it finds no value.
//! - No work is done twice: a value that is not yet evaluated is a node of the compile-time
//!   heap; whatever refers to it refers to the node, and code for it is written once on each
//!   path. What two pieces of code on one path may demand is bound by a `let` before the path
//!   branches ([`Driver::bind_shared`]).
//! - What is known in a branch is known there only: changes to the heap are taken back.
//! - A CAF is never driven for its value, and no variant is without parameters.
//! - It halts: unfolding takes fuel, of which each body has an amount linear in its size, and
//!   patterns of variants are subject to a whistle and a limit.

mod accumulators;
mod agenda;
mod argument;
mod body;
mod branch;
mod call;
mod comparison;
mod constants;
mod contify;
mod counted;
mod deciding;
mod emit;
mod endless;
mod eta;
mod eval;
mod excluded;
mod exits;
mod expanded;
mod facts;
mod first_use;
mod fold;
mod forwarded;
mod frame;
mod free;
mod fuse;
mod fusible;
mod growing;
mod heap;
mod held;
mod history;
mod inlined;
mod jumps;
mod lambda;
mod lazy;
mod let_insertion;
mod letrec;
mod made;
mod missed;
mod node;
mod outline;
mod over_applied;
mod parts;
mod paths;
mod pattern;
mod payer;
mod primitive;
mod progress;
mod select;
mod share;
mod switch;
mod transaction;
mod unclosed;
mod variant;
mod way;
mod whistle;
mod wholes;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Pass;
use super::fold::Folder;
use super::left::Noted;
use super::places::InlinedPlaces;
use super::report::Report;
use super::selection::{Selectors, name_selections};
use crate::base::index::IndexVec;
use crate::base::span::Span;
use crate::core::copy::take_tables;
use crate::core::expr::{
    Bind, Expr, ExprId, GlobalId, GlobalKind, JoinId, Lit, LocalId, Program, TextId,
};
use accumulators::{Accumulators, accumulators};
use branch::Target;
use constants::Constants;
use counted::{Counted, counted};
use endless::{Endless, endless};
use eta::Twins;
use eval::Later;
use excluded::Tag;
use exits::Exits;
use facts::{Facts, facts};
use free::FreeLocals;
use fusible::{Fusible, fusible};
use growing::{Growing, growing};
use heap::{EnvId, Heap, NodeId};
use held::Fields;
use history::STEPS_AGAIN;
use jumps::Jumps;
use over_applied::Results;
use parts::CafParts;
use pattern::{Key, Pattern};
use payer::Payer;
use progress::Unfolding;
use select::Pending;
use transaction::{Journal, Revert, transactional};
use unclosed::{RESTARTS, Unclosed};
use variant::Variant;
use way::Way;

pub(super) use expanded::{is_small, is_small_function};
pub(super) use heap::Head;
pub use history::History;

/// Which rules apply.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Variants of supercombinators for patterns of known arguments.
    pub specialise: bool,
    /// Small supercombinators, and those called from one place, are unfolded.
    pub inline: bool,
    /// Primitives, `if` and switches on known values are done at once.
    pub known_case: bool,
    /// What follows a branching goes into its branches.
    pub case_of_case: bool,
}

/// The unfolding steps that every body has, and how many more for each of its expressions.
const FUEL: i64 = 8_000;
const FUEL_PER_EXPRESSION: i64 = 20;
/// The unfolding steps that all bodies have together, and how many more for each expression of the
/// program: a program may not be many times its size.
const TOTAL_FUEL: i64 = 30_000;
const TOTAL_PER_EXPRESSION: i64 = 40;

/// The steps of an attempt that writing an expression costs.
const WRITING: i64 = 2;

/// Drives every body that `main` and the roots reach. Nothing is unfolded once the result
/// has `most` expressions. The history is that of the old program, and then that of the new one.
pub fn drive(
    program: Program,
    rules: Rules,
    most: usize,
    history: &mut History,
    report: &mut Report,
) -> Program {
    let mut old = program;
    name_selections(&mut old);
    let kept = old.kept();
    let twins = match rules.specialise {
        true => eta::expand(&mut old),
        false => Twins::default(),
    };
    let new = take_tables(&mut old);
    if rules.case_of_case {
        let joins = contify::contify(&mut old, rules.specialise);
        report.count(Pass::CaseOfCase, "functions made join points", joins);
    }
    let mut all_facts = facts(&old, &twins);
    let mut fusions = fusible(&old, &new, &all_facts);
    let mut outlined = FxHashSet::default();
    if rules.specialise && rules.case_of_case && rules.known_case {
        outlined = outline::outline(&mut old, &new, &all_facts, &fusions);
        if !outlined.is_empty() {
            all_facts = facts(&old, &twins);
            fusions = fusible(&old, &new, &all_facts);
        }
    }
    let mut unclosed = Unclosed::default();
    let mut restarts = if rules.specialise { RESTARTS } else { 0 };
    let (mut new, mut twins) = (new, twins);
    loop {
        let mut driver = Driver::new(&old, new, twins, all_facts, fusions, rules, history, report);
        driver.outlined = outlined;
        driver.most = most;
        driver.unclosed = unclosed;
        driver.may_restart = restarts > 0;
        driver.new.main = old.main.map(|main| driver.global(main));
        driver.new.roots = old.roots.iter().map(|&root| driver.global(root)).collect();
        for &kept in &kept {
            driver.global(kept);
        }
        driver.bodies();
        if driver.grown.is_empty() {
            driver.account();
            let after = driver.history();
            let new = driver.new;
            *history = after;
            return new;
        }
        restarts -= 1;
        unclosed = driver.unclosed;
        unclosed.extend(driver.grown);
        new = take_tables(&mut driver.new);
        (twins, all_facts, fusions) = (driver.twins, driver.facts, driver.fusible);
        outlined = driver.outlined;
    }
}

/// Why an attempt is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Abort {
    /// It came to a branching that only the run can decide.
    Branch,
    /// It took too long.
    Fuel,
}

/// What an attempt comes to.
type Attempt<T> = Result<T, Abort>;

/// What an expression comes to.
#[derive(Clone, Copy)]
enum Outcome {
    /// A value that the heap knows: static, or a variable.
    Node(NodeId),
    /// A value that this code computes.
    Code(ExprId),
    /// A value that this code of a comparison computes: whether the node is the literal, or is not.
    Test { code: ExprId, node: NodeId, literal: Lit, equal: bool },
    /// Code that never comes to a value: an error or a jump.
    Ends(ExprId),
}

/// A statement of the block that is being written.
enum Statement {
    Let(LocalId, ExprId),
    Letrec(Vec<Bind>),
    Force(LocalId, ExprId),
}

/// How often each rule was applied.
#[derive(Default, Clone, Copy)]
struct Tally {
    unfolded: u64,
    inlined: u64,
    variants: u64,
    folded: u64,
    decided: u64,
    pushed: u64,
    joins: u64,
    generalised: u64,
}

transactional! {
    /// The evaluator, with what it reads, knows, writes and spends.
    struct Driver<'a> {
        fixed {
            /// The program that is driven.
            old: &'a Program,
            facts: Facts,
            fusible: Fusible,
            endless: IndexVec<GlobalId, Endless>,
            /// The functions that were made of a `case` each.
            outlined: FxHashSet<GlobalId>,
            counted: Counted,
            accumulators: Accumulators,
            growing: Growing,
            selectors: Selectors,
            /// Whether all that is done with a local is to select its fields.
            is_only_selected: IndexVec<LocalId, bool>,
            twins: Twins,
            results: Results,
            fields: Fields,
            constants: Constants,
            /// The parts of the CAFs that are data.
            caf_parts: CafParts,
            rules: Rules,
            /// What is not consumed, and whether the step may begin again with more of that.
            unclosed: Unclosed,
            may_restart: bool,
            /// Expressions that the result may have.
            most: usize,
            history: &'a History,
        }
        known {
            /// Values, by node.
            heap: Heap,
            /// Up to where the heap has no thunk that is not bound.
            swept: usize,
            /// Selections that nothing has evaluated.
            pending: Pending,
            /// The first field and the whole of constructors that have names.
            wholes: Vec<(NodeId, NodeId)>,
            /// In how many unfoldings we are.
            unfolded: u32,
            /// The calls whose values are being looked for that no definition shows to come back to themselves.
            way: Way,
            /// What values are known not to be.
            excluded: Vec<(NodeId, Tag)>,
            /// Through how many shared frames the branch that is driven has gone.
            hops: u32,
            /// How many jumps of the old program it has followed to little code.
            followed: u32,
        }
        written {
            /// The program that is written.
            new: Program,
            /// Statements around the expression that is being written.
            block: Vec<Statement>,
            /// The jumps to each join of the new program.
            jumps: IndexVec<JoinId, Jumps>,
            /// Whether a new local is mentioned.
            used: IndexVec<LocalId, bool>,
            /// New globals of old ones: primitives, host functions, and variants without a
            /// pattern.
            globals: Journal<GlobalId, GlobalId>,
            variants: Vec<Variant>,
            /// The variant of each key.
            memo: Journal<Key, u32>,
            /// How many variants a supercombinator has for what they are made for.
            per_function: Journal<(GlobalId, Payer), u32>,
            /// How many variants have patterns of a shape.
            per_shape: Journal<Key, u32>,
            /// The definitions of constants.
            definitions: Journal<NodeId, GlobalId>,
            /// The definitions of parts of CAFs.
            part_definitions: Journal<Pattern, GlobalId>,
            /// Joins of the old program that are being driven.
            targets: Journal<(EnvId, JoinId), Rc<Target>>,
            /// Functions that branches end in by jumps.
            exits: Journal<NodeId, Rc<Exits>>,
            /// The run that the code being written is at an end of.
            end: u32,
            /// What will be evaluated after the expression that is driven.
            later: Vec<Later>,
            /// Of how many of them what branches share is bound.
            later_bound: usize,
            /// Calls that are being unfolded, with their patterns.
            unfolding: Vec<Unfolding>,
            /// In how many branchings we are.
            depth: u32,
            /// In how many attempts that must not branch.
            unbranching: u32,
            /// In how many attempts that must not write code.
            unwriting: u32,
            /// Whether the value that is looked for is applied, once, and nothing else: then its call is what
            /// goes there, and not the function that it comes to: 1 or 0.
            is_applied: u32,
            /// In how many messages of failures, which are evaluated once if at all.
            in_message: u32,
            /// How many evaluations of calls of which all is known are under way.
            closed: u32,
            /// Whether a choice is on the value that the frames come to, or on one that is
            /// computed from it: 1 or 0.
            is_chosen: u32,
            tally: Tally,
            /// Decisions, in words, if they were asked for.
            decisions: Vec<String>,
            /// Why calls stay as they are, if decisions were asked for.
            noted: Vec<Noted>,
        }
        spent {
            /// The variant whose body is driven.
            current: u32,
            /// How many runs there were.
            ends: u32,
            /// The integers that are literals of the new program.
            folder: Folder,
            /// The spans that stand for an expression of the corelib and a call of it.
            inlined: InlinedPlaces,
            /// The spans that stand for a case and a value that it does not match.
            unmatched: FxHashMap<(Span, Arc<str>), Span>,
            /// Literals that are the rest of a text from a byte position on.
            suffixes: FxHashMap<(TextId, u32), TextId>,
            /// Symbols that globals have had, and how many those of each supercombinator:
            /// none is given twice.
            symbols: FxHashSet<Arc<str>>,
            counts: FxHashMap<GlobalId, u32>,
            /// Supercombinators of which there would be more variants without the whistle and the
            /// limits.
            exhausted: FxHashSet<GlobalId>,
            /// The consumptions that turn out not to close.
            grown: Unclosed,
            /// The functions that come back to themselves by what they are given.
            round: FxHashSet<GlobalId>,
            /// How many constants have had definitions.
            constant_count: u32,
            /// Thunks that speculating on failed, each by its expression and activation, and the
            /// steps that it was given.
            failed: FxHashMap<(ExprId, u32), i64>,
            /// Calls along constants whose unfolding comes to a branching.
            branching: FxHashSet<Key>,
            /// Whether what is made is the value of a CAF, which may be part of itself.
            in_caf: bool,
            /// Unfolding steps left for this body, for all, and for the outermost attempt.
            fuel: i64,
            total: i64,
            attempt: i64,
            /// Parts of patterns that are yet to be paid for: fewer than a step pays for.
            owed: i64,
            /// How many expressions the program may have while this body is driven, if there were no
            /// fuel left: fewer by some for each step that is.
            limit: i64,
            /// How many it may have while there is fuel, and the functions that have been unfolded in the
            /// body, which allow it more.
            most_of_body: i64,
            met: FxHashSet<GlobalId>,
            /// Expressions of this body that may be written once more than needed.
            copies: i64,
            /// How many values may still be looked for in vain.
            in_vain: i64,
            /// How many calls are in the patterns of the variant.
            calls: usize,
            /// The free variables of expressions, as far as they have been asked for.
            free: FreeLocals,
            report: &'a mut Report,
        }
    }
}

impl<'a> Driver<'a> {
    /// Returns a driver of a program, of which `new` has the tables and nothing else yet.
    #[expect(clippy::too_many_arguments, reason = "what is known before a program is driven")]
    fn new(
        old: &'a Program,
        new: Program,
        twins: Twins,
        facts: Facts,
        fusible: Fusible,
        rules: Rules,
        history: &'a History,
        report: &'a mut Report,
    ) -> Driver<'a> {
        let folder = Folder::new(&new.bigs);
        let inlined = InlinedPlaces::new(old, &new.places);
        let mut heap = Heap::new();
        let constants = match rules.specialise {
            true => Constants::new(old, &new, &mut heap),
            false => Constants::none(),
        };
        let selectors = Selectors::new(old);
        Driver {
            constants,
            counted: match rules.specialise {
                true => counted(old),
                false => Counted::default(),
            },
            caf_parts: match rules.specialise {
                true => CafParts::new(old, &new.cons),
                false => CafParts::default(),
            },
            accumulators: match rules.specialise {
                true => accumulators(old, &facts),
                false => Accumulators::default(),
            },
            growing: match rules.specialise {
                true => growing(old, &facts),
                false => Growing::default(),
            },
            results: match rules.specialise {
                true => over_applied::results(old, &new.cons, &facts, &twins, &fusible.produces),
                false => Results::default(),
            },
            fields: match rules.specialise {
                true => held::fields(old, &new, &facts),
                false => Fields::default(),
            },
            endless: match rules.specialise {
                true => endless(old, &facts),
                false => IndexVec::default(),
            },
            fusible,
            outlined: FxHashSet::default(),
            unclosed: Unclosed::default(),
            may_restart: false,
            grown: Unclosed::default(),
            facts,
            is_only_selected: selectors.only_selected(old),
            selectors,
            twins,
            rules,
            most: usize::MAX / 2,
            history,
            heap,
            swept: 0,
            pending: Pending::default(),
            wholes: Vec::new(),
            unfolded: 0,
            way: Way::default(),
            excluded: Vec::new(),
            hops: 0,
            followed: 0,
            new,
            block: Vec::new(),
            jumps: IndexVec::new(),
            used: IndexVec::new(),
            globals: Journal::new(),
            variants: Vec::new(),
            memo: Journal::new(),
            per_function: Journal::new(),
            per_shape: Journal::new(),
            definitions: Journal::new(),
            part_definitions: Journal::new(),
            constant_count: 0,
            targets: Journal::new(),
            exits: Journal::new(),
            end: 0,
            ends: 0,
            later: Vec::new(),
            later_bound: 0,
            unfolding: Vec::new(),
            depth: 0,
            unbranching: 0,
            unwriting: 0,
            is_applied: 0,
            in_message: 0,
            closed: 0,
            is_chosen: 0,
            tally: Tally::default(),
            decisions: Vec::new(),
            noted: Vec::new(),
            current: 0,
            folder,
            inlined,
            unmatched: FxHashMap::default(),
            suffixes: FxHashMap::default(),
            symbols: old.globals.iter().map(|global| global.symbol.clone()).collect(),
            counts: FxHashMap::default(),
            exhausted: FxHashSet::default(),
            round: FxHashSet::default(),
            failed: FxHashMap::default(),
            branching: FxHashSet::default(),
            in_caf: false,
            fuel: 0,
            total: match history.is_second() {
                false => TOTAL_FUEL + TOTAL_PER_EXPRESSION * old.exprs.len() as i64,
                true => (TOTAL_FUEL + TOTAL_PER_EXPRESSION * old.exprs.len() as i64) / STEPS_AGAIN,
            },
            attempt: 0,
            owed: 0,
            limit: 0,
            most_of_body: i64::MAX / 2,
            met: FxHashSet::default(),
            copies: 0,
            in_vain: 0,
            calls: 0,
            free: FreeLocals::new(old),
            old,
            report,
        }
    }
}

impl Driver<'_> {
    /// Returns the new global of an old one, with nothing known of its arguments.
    fn global(&mut self, old: GlobalId) -> GlobalId {
        if let Some(&new) = self.globals.get(&old) {
            return new;
        }
        let global = self.old.globals[old].clone();
        let is_defn = matches!(global.kind, GlobalKind::Defn { .. });
        let new = self.new.globals.push(global);
        self.globals.insert(old, new);
        if is_defn {
            let args = vec![Pattern::Hole; self.old.arity(old)];
            self.add_variant(Key { of: old, args, same: Vec::new() }, new);
        }
        new
    }

    fn expr(&mut self, expr: Expr, span: Span) -> ExprId {
        self.attempt -= WRITING;
        self.new.expr(expr, span)
    }

    /// Adds a local that is called as an old one.
    fn fresh(&mut self, like: Option<LocalId>, span: Span) -> LocalId {
        let (name, span) = match like {
            Some(local) => (self.old.locals[local].name, self.old.locals[local].span),
            None => (None, span),
        };
        let local = self.new.local(name, span);
        self.used.truncate(self.new.locals.len() - 1);
        self.used.push(false);
        local
    }

    fn bind(&mut self, local: LocalId, env: EnvId, node: NodeId) {
        self.heap.bind(env, self.facts.slot[local], node);
    }

    /// Returns what a local is bound to. It is shared from here on, if the local is used elsewhere
    /// on the same path too.
    fn lookup(&mut self, local: LocalId, env: EnvId) -> NodeId {
        let node = self.heap.lookup(env, self.facts.slot[local]);
        if self.facts.shared[local] {
            self.heap.share(node);
        }
        node
    }

    /// Adds what was done to the report.
    fn account(&mut self) {
        for decision in self.decisions.drain(..) {
            self.report.decide(Pass::Specialise, || decision);
        }
        self.report.note(std::mem::take(&mut self.noted));
        let tally = &self.tally;
        let counts = [
            (Pass::Specialise, "variants made", tally.variants),
            (Pass::Specialise, "calls unfolded", tally.unfolded),
            (Pass::Specialise, "patterns generalised", tally.generalised),
            (Pass::Inline, "calls inlined", tally.inlined),
            (Pass::KnownCase, "primitives folded", tally.folded),
            (Pass::KnownCase, "branches decided", tally.decided),
            (Pass::CaseOfCase, "continuations moved into branches", tally.pushed),
            (Pass::CaseOfCase, "join points made", tally.joins),
        ];
        for (pass, what, times) in counts {
            self.report.count(pass, what, times);
        }
    }
}
