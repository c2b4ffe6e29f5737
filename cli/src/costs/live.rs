//! Live memory by what one wants to know of it.

use std::collections::BTreeMap;

use gmachine::inspect::costs::{Census, Costs, Holder, Live, NodeKind};

/// What live memory is divided by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Who keeps it alive.
    Holder,
    /// Functions: whose thunks, partial applications and frames they are.
    Function,
    /// Constructors.
    Constructor,
    /// What nodes are.
    Kind,
}

impl By {
    /// All of them, as they are shown.
    pub const ALL: [By; 4] = [By::Holder, By::Function, By::Constructor, By::Kind];

    /// Returns what it is called.
    pub fn name(self) -> &'static str {
        match self {
            By::Holder => "holder",
            By::Function => "function",
            By::Constructor => "constructor",
            By::Kind => "kind",
        }
    }

    /// Returns what live nodes belong to; `None` if they are no part of this division.
    pub fn group(self, costs: &Costs, live: Live) -> Option<String> {
        let function =
            |number: u32| costs.functions.get(number as usize).map(|f| f.name.to_string());
        let content = costs.contents.get(live.content as usize)?;
        match self {
            By::Holder => Some(holder_name(costs, live.holder)),
            By::Function => function(content.function?),
            By::Constructor => content.constructor.as_ref().map(ToString::to_string),
            By::Kind => Some(content.kind.name().to_owned()),
        }
    }
}

/// Returns what a holder is called, by its number.
fn holder_name(costs: &Costs, holder: u32) -> String {
    let function = |number: u32| {
        costs.functions.get(number as usize).map_or(String::new(), |f| f.name.to_string())
    };
    match costs.holders.get(holder as usize) {
        Some(Holder::Constant(number)) => format!("{} (constant)", function(*number)),
        Some(Holder::Function(number)) => function(*number),
        Some(Holder::Handles) => "(handles)".to_owned(),
        Some(Holder::Output) => "(what is printed)".to_owned(),
        None => String::new(),
    }
}

/// A step of the paths that lead to live memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// How many steps come before it.
    pub depth: usize,
    /// The holder, or what the nodes are.
    pub name: String,
    /// The nodes that are reached with just this step.
    pub nodes: u64,
    /// Their bytes and those of all that only they lead to.
    pub bytes: u64,
}

/// Returns the paths at the peak, depth first, the largest part first; without those that lead to
/// less than `least` bytes. `contents` are the names of what nodes are.
pub fn paths(costs: &Costs, contents: &[String], least: u64) -> Vec<Step> {
    let mut bytes: Vec<u64> = costs.paths.iter().map(|path| path.bytes).collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); bytes.len()];
    let mut roots = Vec::new();
    // Parents stand before their children.
    for (at, path) in costs.paths.iter().enumerate().rev() {
        let own = bytes.get(at).copied().unwrap_or(0);
        match path.parent.map(|parent| parent as usize) {
            None => roots.push(at),
            Some(parent) => {
                if let (Some(sum), Some(children)) = (bytes.get_mut(parent), below.get_mut(parent))
                {
                    *sum += own;
                    children.push(at);
                }
            }
        }
    }
    let size = |at: &usize| std::cmp::Reverse(bytes.get(*at).copied().unwrap_or(0));
    let mut steps = Vec::new();
    let mut pending: Vec<(usize, usize)> = Vec::new();
    let push = |mut list: Vec<usize>, depth: usize, pending: &mut Vec<(usize, usize)>| {
        list.sort_by_key(|at| (size(at), *at));
        pending.extend(list.into_iter().rev().map(|at| (at, depth)));
    };
    push(roots, 0, &mut pending);
    while let Some((at, depth)) = pending.pop() {
        let (Some(path), Some(&bytes)) = (costs.paths.get(at), bytes.get(at)) else { continue };
        if bytes < least.max(1) {
            continue;
        }
        let name = match path.content {
            None => holder_name(costs, path.holder),
            Some(content) => contents.get(content as usize).cloned().unwrap_or_default(),
        };
        steps.push(Step { depth, name, nodes: path.nodes, bytes });
        push(below.get(at).cloned().unwrap_or_default(), depth + 1, &mut pending);
    }
    steps
}

/// Nodes and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amount {
    pub nodes: u64,
    pub bytes: u64,
}

/// Returns the census at which most was alive.
pub fn peak(costs: &Costs) -> Option<&Census> {
    // Of equal ones the first.
    costs.censuses.iter().rev().max_by_key(|census| census.bytes())
}

/// Returns what a census finds, divided; the largest part first, those of equal size by name.
pub fn divided(costs: &Costs, census: &Census, by: By) -> Vec<(String, Amount)> {
    grouped(census, |live| by.group(costs, live))
}

/// Returns what a census finds, by the groups that `group` makes.
pub fn grouped(census: &Census, group: impl Fn(Live) -> Option<String>) -> Vec<(String, Amount)> {
    let mut groups: BTreeMap<String, Amount> = BTreeMap::new();
    for &live in &census.live {
        if let Some(name) = group(live) {
            let amount = groups.entry(name).or_default();
            amount.nodes += live.nodes;
            amount.bytes += live.bytes;
        }
    }
    let mut groups: Vec<(String, Amount)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, amount)| std::cmp::Reverse(amount.bytes));
    groups
}

/// Returns whether something is not evaluated, under evaluation, or waits: what a function leaves
/// behind that has not come to its value.
pub fn is_unfinished(kind: NodeKind) -> bool {
    use NodeKind::{Evaluating, Frame, Stopped, Thunk};
    matches!(kind, Thunk | Evaluating | Stopped | Frame)
}
