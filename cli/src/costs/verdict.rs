//! The first line of a profile: what to look at.

use gmachine::inspect::costs::{Census, Holder, NodeKind};
use gmachine::render::grouped as count;

use super::Report;
use super::live::{Amount, By, divided, grouped, is_unfinished, peak};
use crate::quantity::show_size;

/// Live memory below which nobody looks for a leak, in bytes.
const LITTLE: u64 = 1 << 20;

/// Returns the verdict as a sentence. It names whoever most of the memory is due to at the peak, if
/// that is worth a sentence, and the function that most of the time goes to otherwise.
pub fn of(report: &Report<'_>) -> String {
    let census = peak(&report.costs).filter(|census| census.bytes() >= LITTLE);
    census.and_then(|census| of_memory(report, census)).unwrap_or_else(|| of_time(report))
}

/// Returns whether a part is at least half.
fn is_most(part: u64, all: u64) -> bool {
    part >= all - part.min(all)
}

fn of_memory(report: &Report<'_>, census: &Census) -> Option<String> {
    let costs = &report.costs;
    let all = census.bytes();
    let holders = grouped(census, |live| Some(live.holder.to_string()));
    let (number, held) = holders.first()?;
    let number: u32 = number.parse().ok()?;
    let holder = *costs.holders.get(number as usize)?;
    let of = format!("{} of the {}", show_size(held.bytes), show_size(all));
    let mostly = || mostly(report, census, number);
    if let Holder::Constant(constant) = holder
        && is_most(held.bytes, all)
    {
        let name = report.function(constant);
        return Some(format!("`{name}`, a constant, keeps {of} alive at the peak: {}", mostly()));
    }
    // What a function leaves unfinished is its own, whoever keeps it.
    let unfinished = grouped(census, |live| {
        let content = costs.contents.get(live.content as usize)?;
        is_unfinished(content.kind).then_some(content.function?.to_string())
    });
    if let Some((number, amount)) = unfinished.first()
        && is_most(amount.bytes, all)
        && let Ok(number) = number.parse()
    {
        return Some(of_unfinished(report, census, number, *amount));
    }
    match holder {
        Holder::Function(function) => Some(format!(
            "`{}` keeps {of} alive at the peak, while it waits or runs: {}",
            report.function(function),
            mostly()
        )),
        Holder::Constant(constant) => Some(format!(
            "`{}`, a constant, keeps {of} alive at the peak: {}",
            report.function(constant),
            mostly()
        )),
        Holder::Handles => Some(format!("handles keep {of} alive at the peak: {}", mostly())),
        Holder::Output => {
            Some(format!("what is being printed keeps {of} alive at the peak: {}", mostly()))
        }
    }
}

/// Returns the verdict on thunks of a function that nobody evaluates, or evaluations of it that
/// wait for each other.
fn of_unfinished(report: &Report<'_>, census: &Census, function: u32, amount: Amount) -> String {
    let kinds = grouped(census, |live| {
        let content = report.costs.contents.get(live.content as usize)?;
        (content.function == Some(function)).then_some(content.kind.name().to_owned())
    });
    let nodes = |kind: NodeKind| {
        kinds.iter().find(|(name, _)| name == kind.name()).map_or(0, |(_, amount)| amount.nodes)
    };
    let (thunks, frames) = (nodes(NodeKind::Thunk), nodes(NodeKind::Frame));
    let thunks = thunks + nodes(NodeKind::Evaluating);
    let name = report.function(function);
    let of = format!("{} of the {}", show_size(amount.bytes), show_size(census.bytes()));
    if thunks >= frames {
        let example = grouped(census, |live| {
            let content = report.costs.contents.get(live.content as usize)?;
            let is_one = content.function == Some(function)
                && matches!(content.kind, NodeKind::Thunk | NodeKind::Evaluating);
            let text = report.sources.text(content.span);
            (is_one && !text.is_empty()).then(|| gmachine::render::short_expression(text))
        });
        let example = example.first().map_or(String::new(), |(text, _)| format!(", like {text}"));
        return format!(
            "`{name}` leaves {} thunks unevaluated at the peak, {of} alive{example}",
            count(thunks)
        );
    }
    format!("`{name}` waits {} deep at the peak, {of} alive: the stack", count(frames))
}

/// Returns what most of what a holder keeps is.
fn mostly(report: &Report<'_>, census: &Census, holder: u32) -> String {
    let contents = grouped(census, |live| {
        (live.holder == holder).then(|| report.contents.get(live.content as usize).cloned())?
    });
    match contents.first() {
        Some((name, amount)) => format!("{} × {name}", count(amount.nodes)),
        None => String::new(),
    }
}

fn of_time(report: &Report<'_>) -> String {
    let costs = &report.costs;
    if costs.totals.instructions == 0 {
        return "nothing was executed".to_owned();
    }
    let total = costs.totals.instructions.max(1);
    let most = costs.functions.iter().skip(1).max_by_key(|function| function.own.instructions);
    let spent = most.map_or(String::new(), |function| {
        let part = 100.0 * function.own.instructions as f64 / total as f64;
        format!("`{}` executes {part:.0} % of the instructions", function.name)
    });
    match peak(costs) {
        Some(census) => {
            let largest = divided(costs, census, By::Holder);
            let by = largest.first().map_or("", |(name, _)| name);
            format!("{spent}; at most {} are alive, most of it by {by}", show_size(census.bytes()))
        }
        None => {
            let bytes = show_size(costs.totals.allocated_bytes);
            format!("{spent}; {bytes} are allocated, too little to look at what is alive")
        }
    }
}
