//! The profile of costs: counters of the loop, samples of the stack, censuses of what is alive.
//!
//! Nothing of it depends on a clock. The machine looks at the profile when it hands out ticks. A sample
//! stands for all that was executed and allocated since the last one, and is taken as seldom as it
//! takes to cost no more than a part of the run, by how deep the stack is.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::census::Censuses;
use super::eval::Entering;
use super::frames::Part;
use super::image::STRIDE;
use super::probe::Counters;
use super::state::Machine;
use crate::base::index::Idx;
use crate::gcode::program::GlobalId;
use crate::machine::costs::{Cost, Costs, FunctionCosts, StackNode};

/// Instructions that are executed between two samples for each frame that one has gone through.
const SAMPLE_SHARE: u64 = 512;
/// Functions of a stack that are kept: at its bottom, and at its top.
const BOTTOM: usize = 32;
const TOP: usize = 96;

/// The row of what belongs to no function.
const MACHINE: u32 = 0;

/// A profile of costs under way.
pub(super) struct Profiler {
    /// The counters, while no loop has them.
    counters: Option<Counters>,
    functions: Functions,
    samples: u64,
    /// The tree of stacks: parent, function, and the weight of the samples that ended there.
    stacks: Vec<(Option<u32>, Option<u32>, u64)>,
    children: FxHashMap<(Option<u32>, Option<u32>), u32>,
    /// By function: the weight of the samples in which it was the innermost.
    innermost: Vec<u64>,
    /// By innermost function and one that waits: the weight of the samples.
    waits: FxHashMap<(u32, u32), u64>,
    /// By function: the last sample in which it was met.
    met: Vec<u64>,
    /// Instructions at the last sample, and at the earliest time of the next.
    sampled: u64,
    next_sample: u64,
    censuses: Censuses,
}

/// The functions of a profile: globals with a name in common.
#[derive(Default)]
pub(super) struct Functions {
    names: Vec<Arc<str>>,
    by_name: FxHashMap<Arc<str>, u32>,
    of_global: Vec<u32>,
}

impl Default for Profiler {
    fn default() -> Profiler {
        Profiler {
            counters: Some(Counters::default()),
            functions: Functions::default(),
            samples: 0,
            stacks: Vec::new(),
            children: FxHashMap::default(),
            innermost: Vec::new(),
            waits: FxHashMap::default(),
            met: Vec::new(),
            sampled: 0,
            next_sample: 0,
            censuses: Censuses::default(),
        }
    }
}

impl Profiler {
    /// Ticks that are handed out at a time: reductions between two looks at the profile.
    pub(super) const TICKS: u32 = 997;
}

impl Functions {
    fn number(&mut self, name: &Arc<str>) -> u32 {
        if let Some(&number) = self.by_name.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.by_name.insert(name.clone(), number);
        number
    }

    /// Returns the function that a global is of.
    pub(super) fn of(&self, global: Option<GlobalId>) -> u32 {
        let known = global.and_then(|global| self.of_global.get(global.index()));
        known.copied().unwrap_or(MACHINE)
    }
}

impl Machine {
    /// Returns the counters, for a loop that begins; `None` if there is no profile.
    pub(super) fn take_counters(&mut self) -> Option<Counters> {
        let profiler = self.profiler.as_mut()?;
        // A loop in a call of the host has counters of its own.
        let mut counters = profiler.counters.take().unwrap_or_default();
        counters.fit(&self.mutator.image.program);
        Some(counters)
    }

    /// Takes the counters back when a loop has ended.
    pub(super) fn give_counters(&mut self, counters: Counters) {
        let Some(profiler) = &mut self.profiler else { return };
        match &mut profiler.counters {
            Some(others) => {
                others.fit(&self.mutator.image.program);
                others.add(&counters);
            }
            none => *none = Some(counters),
        }
    }

    fn cost(&self) -> Cost {
        Cost {
            instructions: self.counts.instructions,
            bytes: self.heap.allocated_bytes(),
            thunks_made: self.counts.thunks_made,
            thunks_entered: self.counts.thunks_entered,
            thunks_updated: self.counts.thunks_updated,
        }
    }

    /// Takes a sample of the stack and a census, if they are due.
    pub(super) fn observe_costs(&mut self, entering: Option<Entering>) {
        let Some(mut profiler) = self.profiler.take() else { return };
        self.name_functions(&mut profiler);
        let now = self.cost();
        if now.instructions >= profiler.next_sample {
            self.sample_stack(&mut profiler, now, entering);
        }
        self.observe_memory(&profiler.functions, &mut profiler.censuses, now);
        self.profiler = Some(profiler);
    }

    /// Gives each global its function; the program may have grown.
    fn name_functions(&self, profiler: &mut Profiler) {
        let functions = &mut profiler.functions;
        let image = &self.mutator.image;
        if functions.names.is_empty() {
            functions.number(&"(machine)".into());
        }
        for global in image.program.globals.indices().skip(functions.of_global.len()) {
            let number = functions.number(&image.name(global));
            functions.of_global.push(number);
        }
        profiler.innermost.resize(functions.names.len(), 0);
        profiler.met.resize(functions.names.len(), 0);
    }

    /// Notes who waits for whom. A sample weighs what was executed since the last one; how often a
    /// function costs what it does is counted, only for whom is sampled. What is about to be entered is in
    /// the sample: else a function that calls nothing would be in none.
    fn sample_stack(&self, profiler: &mut Profiler, now: Cost, entering: Option<Entering>) {
        let weight = now.instructions - profiler.sampled;
        profiler.sampled = now.instructions;
        profiler.samples += 1;
        let (mut stack, mut frames) = (Vec::new(), 0);
        let mut parts = self.stack_parts();
        if let Some(Entering { pc, in_place }) = entering {
            stack.push(profiler.functions.of(self.mutator.image.owner(pc.0 * STRIDE)));
            if in_place {
                parts.next(&self.mutator);
            }
        }
        while let Some(part) = parts.next(&self.mutator) {
            let Part::Frame(frame) = part else { continue };
            frames += 1;
            let function = profiler.functions.of(self.mutator.image.owner(frame.at));
            if function != MACHINE && stack.last() != Some(&function) {
                stack.push(function);
            }
        }
        profiler.next_sample = now.instructions + frames * SAMPLE_SHARE;
        let Some(&innermost) = stack.first() else { return };
        if let Some(sum) = profiler.innermost.get_mut(innermost as usize) {
            *sum += weight;
        }
        for &function in &stack {
            if let Some(met) = profiler.met.get_mut(function as usize)
                && std::mem::replace(met, profiler.samples) != profiler.samples
                && function != innermost
            {
                *profiler.waits.entry((innermost, function)).or_default() += weight;
            }
        }
        let mut path: Vec<Option<u32>> = stack.into_iter().rev().map(Some).collect();
        if path.len() > BOTTOM + TOP {
            path.splice(BOTTOM..path.len() - TOP, [None]);
        }
        let mut parent = None;
        for function in path {
            let next = profiler.stacks.len() as u32;
            let node = *profiler.children.entry((parent, function)).or_insert(next);
            if node == next {
                profiler.stacks.push((parent, function, 0));
            }
            parent = Some(node);
        }
        if let Some(node) = parent.and_then(|node| profiler.stacks.get_mut(node as usize)) {
            node.2 += weight;
        }
    }
}

impl Machine {
    /// Returns the costs so far.
    pub(super) fn report_costs(&self) -> Option<Costs> {
        let profiler = self.profiler.as_ref()?;
        let counters = profiler.counters.as_ref()?;
        let functions = &profiler.functions;
        let mut rows: Vec<FunctionCosts> = functions
            .names
            .iter()
            .map(|name| FunctionCosts { name: name.clone(), ..FunctionCosts::default() })
            .collect();
        self.add_code(&mut rows, counters, functions);
        self.add_thunks(&mut rows, counters, functions);
        let totals = crate::machine::Machine::statistics(self);
        // What the machine does outside of code: printing, host functions.
        let mut counted = Cost::default();
        rows.iter().for_each(|row| counted.add(row.own));
        let reductions: u64 = rows.iter().map(|row| row.reductions).sum();
        if let Some(machine) = rows.first_mut() {
            machine.reductions += totals.reductions.saturating_sub(reductions);
            machine.own.add(Cost {
                instructions: totals.instructions.saturating_sub(counted.instructions),
                bytes: totals.allocated_bytes.saturating_sub(counted.bytes),
                thunks_made: totals.thunks_made.saturating_sub(counted.thunks_made),
                thunks_entered: totals.thunks_entered.saturating_sub(counted.thunks_entered),
                thunks_updated: totals.thunks_updated.saturating_sub(counted.thunks_updated),
            });
        }
        let own: Vec<Cost> = rows.iter().map(|row| row.own).collect();
        // The share of what a function costs itself that falls on samples of some weight.
        let share = |function: u32, weight: u64| {
            let own = own.get(function as usize).copied().unwrap_or_default();
            let all = profiler.innermost.get(function as usize).copied().unwrap_or(0).max(1);
            own.map(|part| {
                let part = u128::from(part) * u128::from(weight) / u128::from(all);
                u64::try_from(part).unwrap_or(u64::MAX)
            })
        };
        for row in &mut rows {
            row.inherited = row.own;
        }
        for (&(innermost, waiting), &weight) in &profiler.waits {
            if let Some(row) = rows.get_mut(waiting as usize) {
                row.inherited.add(share(innermost, weight));
            }
        }
        let stacks = profiler.stacks.iter().map(|&(parent, function, weight)| StackNode {
            parent,
            function,
            cost: function.map_or(Cost::default(), |function| share(function, weight)),
        });
        let (holders, contents, censuses, paths) =
            self.report_memory(functions, &profiler.censuses);
        Some(Costs {
            functions: rows,
            samples: profiler.samples,
            stacks: stacks.collect(),
            holders,
            contents,
            censuses,
            paths,
            totals,
        })
    }

    /// Adds what was counted by instruction and by global.
    fn add_code(&self, rows: &mut [FunctionCosts], counters: &Counters, functions: &Functions) {
        for (at, site) in counters.sites.iter().enumerate() {
            if site.executed > 0 || site.bytes > 0 {
                let owner = self.mutator.image.owner(at as u32 * STRIDE);
                if let Some(row) = rows.get_mut(functions.of(owner) as usize) {
                    row.own.instructions += site.executed;
                    row.own.bytes += site.bytes;
                    row.reductions += site.partial;
                }
            }
        }
        for (at, calls) in counters.calls.iter().enumerate() {
            let row = rows.get_mut(functions.of(Some(GlobalId::new(at))) as usize);
            if let Some(row) = row {
                row.calls += calls;
                row.reductions += calls;
            }
        }
    }

    /// Adds what was counted by kind of thunk.
    fn add_thunks(&self, rows: &mut [FunctionCosts], counters: &Counters, functions: &Functions) {
        let image = &self.mutator.image;
        for (thunk, counts) in image.program.thunks.iter().zip(&counters.thunks) {
            if let Some(row) = rows.get_mut(functions.of(Some(thunk.owner)) as usize) {
                row.own.thunks_made += counts.made;
                row.own.thunks_entered += counts.entered;
                row.own.thunks_updated += counts.updated;
            }
            let start = thunk.entry.pc.0;
            let called = counters.start(start as usize);
            let runs = called.or_else(|| image.owner(start * STRIDE));
            if let Some(row) = rows.get_mut(functions.of(runs) as usize) {
                row.reductions += counts.entered;
                row.calls += if called.is_some() { counts.entered } else { 0 };
            }
        }
    }
}
