//! What a run counted, on standard error: first what depends on the program and its input
//! alone, then the clocks.

use std::time::Duration;

use gmachine::{Pauses, Statistics};
use serde_json::{Map, Value, json};

use super::args::Stats;
use super::quantity::show_size;
use gmachine::render::grouped;

/// How long the parts of a run took.
#[derive(Clone, Copy, Default)]
pub struct Clocks {
    /// From reading the source to G-code.
    pub compile: Duration,
    /// In the machine.
    pub run: Duration,
}

/// Returns the counts with their names in the order in which they are shown: as people read them,
/// as programs do; `None` if the machine does not count it.
fn counts(statistics: &Statistics) -> [(&'static str, &'static str, Option<u64>); 11] {
    // Destructured, so that a new count cannot be forgotten here.
    let Statistics {
        instructions,
        reductions,
        allocations,
        allocated_bytes,
        thunks_made,
        thunks_entered,
        thunks_updated,
        collections,
        peak_live_bytes,
        peak_stack,
        peak_dump,
    } = *statistics;
    [
        ("instructions", "instructions", Some(instructions)),
        ("reductions", "reductions", Some(reductions)),
        ("nodes allocated", "allocations", Some(allocations)),
        ("bytes allocated", "allocated_bytes", Some(allocated_bytes)),
        ("thunks made", "thunks_made", Some(thunks_made)),
        ("thunks entered", "thunks_entered", Some(thunks_entered)),
        ("thunks updated", "thunks_updated", Some(thunks_updated)),
        ("collections", "collections", Some(collections)),
        ("peak live bytes", "peak_live_bytes", Some(peak_live_bytes)),
        ("peak stack items", "peak_stack", Some(peak_stack)),
        ("peak evaluations waiting", "peak_dump", peak_dump),
    ]
}

/// Returns the counts as an object.
pub fn counts_json(statistics: &Statistics) -> Value {
    let counts = counts(statistics).into_iter();
    let counts: Map<String, Value> =
        counts.map(|(_, key, count)| (key.to_owned(), count.into())).collect();
    Value::Object(counts)
}

/// Returns the pauses as an object.
pub fn pauses_json(pauses: &Pauses) -> Value {
    json!({
        "count": pauses.count,
        "seconds": pauses.total.as_secs_f64(),
        "longest_seconds": pauses.longest.as_secs_f64(),
        "lengths": pauses.lengths,
    })
}

/// Returns the statistics of a run as text, a line end at its end.
pub fn render(format: Stats, statistics: &Statistics, pauses: &Pauses, clocks: Clocks) -> String {
    match format {
        Stats::Text => {
            let mut out = String::new();
            for (name, _, count) in counts(statistics) {
                if let Some(count) = count {
                    out.push_str(&format!("{name:<24} {:>18}\n", grouped(count)));
                }
            }
            if !pauses.live_bytes.is_empty() {
                let live = last(&pauses.live_bytes);
                out.push_str(&format!("{:<24} {live}\n", "live after collections"));
            }
            let mut times = vec![("compile time", clocks.compile), ("run time", clocks.run)];
            if pauses.count > 0 {
                times.push(("time in the collector", pauses.total));
            }
            for (name, time) in times {
                out.push_str(&format!("{name:<24} {:>16.3} s\n", time.as_secs_f64()));
            }
            if pauses.count > 0 {
                let longest = pauses.longest.as_secs_f64() * 1000.0;
                out.push_str(&format!("{:<24} {:>18}\n", "pauses", grouped(pauses.count)));
                out.push_str(&format!("{:<24} {longest:>15.3} ms\n", "longest pause"));
            }
            out
        }
        Stats::Json => {
            let more = [
                ("counts", counts_json(statistics)),
                ("live_bytes_after_full_collections", json!(pauses.live_bytes)),
            ];
            let mut object = clocks_json(clocks);
            object["clocks"]["pauses"] = pauses_json(pauses);
            more.into_iter().for_each(|(name, value)| object[name] = value);
            object.to_string() + "\n"
        }
        Stats::Clocks => clocks_json(clocks).to_string() + "\n",
    }
}

/// Returns the object of statistics, with nothing but the clocks.
fn clocks_json(clocks: Clocks) -> Value {
    json!({
        "schema": "gmachine-statistics",
        "version": 1,
        "clocks": {
            "compile_seconds": clocks.compile.as_secs_f64(),
            "run_seconds": clocks.run.as_secs_f64(),
        },
    })
}

/// Returns what was alive after the last few full collections.
fn last(live_bytes: &[u64]) -> String {
    const SHOWN: usize = 8;
    let first = live_bytes.len().saturating_sub(SHOWN);
    let shown = live_bytes.iter().skip(first).map(|bytes| show_size(*bytes));
    let shown: Vec<String> = shown.collect();
    format!("{}{}", if first > 0 { "… " } else { "" }, shown.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_shown_apart_from_the_clocks() {
        let statistics =
            Statistics { instructions: 1_234_567, peak_dump: Some(9), ..Default::default() };
        let clocks = Clocks { compile: Duration::from_millis(2), run: Duration::from_secs(61) };
        let live_bytes = (1..=9).map(|n| n << 20).collect();
        let longest = Duration::from_micros(1500);
        let pauses =
            Pauses { count: 12, total: 2 * longest, longest, live_bytes, ..Pauses::default() };
        insta::assert_snapshot!(render(Stats::Text, &statistics, &pauses, clocks), @r#"
        instructions                      1,234,567
        reductions                                0
        nodes allocated                           0
        bytes allocated                           0
        thunks made                               0
        thunks entered                            0
        thunks updated                            0
        collections                               0
        peak live bytes                           0
        peak stack items                          0
        peak evaluations waiting                  9
        live after collections   … 2M 3M 4M 5M 6M 7M 8M 9M
        compile time                        0.002 s
        run time                           61.000 s
        time in the collector               0.003 s
        pauses                                   12
        longest pause                      1.500 ms
        "#);
        let value: Value =
            serde_json::from_str(&render(Stats::Json, &statistics, &pauses, clocks)).expect("JSON");
        assert_eq!(value["counts"]["instructions"], 1_234_567);
        assert_eq!(value["clocks"]["run_seconds"], 61.0);
        assert_eq!(value["counts"].as_object().expect("object").len(), 11);
    }
}
