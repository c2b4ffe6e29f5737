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

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            By::Holder => "holder",
            By::Function => "function",
            By::Constructor => "constructor",
            By::Kind => "kind",
        }
    }

    /// What live nodes belong to; `None` if they are no part of this division.
    pub fn group(self, costs: &Costs, live: Live) -> Option<String> {
        let function =
            |number: u32| costs.functions.get(number as usize).map(|f| f.name.to_string());
        let content = costs.contents.get(live.content as usize)?;
        match self {
            By::Holder => match *costs.holders.get(live.holder as usize)? {
                Holder::Constant(number) => Some(format!("{} (constant)", function(number)?)),
                Holder::Function(number) => function(number),
                Holder::Handles => Some("(handles)".to_owned()),
                Holder::Output => Some("(what is printed)".to_owned()),
            },
            By::Function => function(content.function?),
            By::Constructor => content.constructor.as_ref().map(ToString::to_string),
            By::Kind => Some(content.kind.name().to_owned()),
        }
    }
}

/// Nodes and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amount {
    pub nodes: u64,
    pub bytes: u64,
}

/// The census at which most was alive.
pub fn peak(costs: &Costs) -> Option<&Census> {
    // Of equal ones the first.
    costs.censuses.iter().rev().max_by_key(|census| census.bytes())
}

/// What a census finds, divided; the largest part first, those of equal size by name.
pub fn divided(costs: &Costs, census: &Census, by: By) -> Vec<(String, Amount)> {
    grouped(census, |live| by.group(costs, live))
}

/// What a census finds, by the groups that `group` makes.
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

/// Whether something is not evaluated, under evaluation, or waits: what a function leaves behind
/// that has not come to its value.
pub fn is_unfinished(kind: NodeKind) -> bool {
    use NodeKind::{Evaluating, Frame, Stopped, Thunk};
    matches!(kind, Thunk | Evaluating | Stopped | Frame)
}
