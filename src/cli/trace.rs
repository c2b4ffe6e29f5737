//! `gmachine trace`

use gmachine::Format;
use gmachine::MachineKind;
use gmachine::diagnostic::SourceMap;
use gmachine::diagnostic::quote::string_literal;
use gmachine::gcode::print::instr;
use gmachine::gcode::program::GlobalKind;
use gmachine::inspect::trace::{Addr, Config, Event, Machine, Position, Rule};
use gmachine::{Output, Stop};
use serde_json::{Value, json};

use super::args::{Trace, TraceFormat};
use super::report::json_span;
use super::{Context, Failure, output, run};

/// How many stack items and frames people see of each step.
const ITEMS: usize = 6;
const FRAMES: usize = 3;
/// How many of them programs see.
const MANY: usize = 100;

/// Runs a program step by step.
pub fn run(args: &Trace, context: &mut Context) -> Result<(), Failure> {
    let stopper = run::prepare(&args.limits)?;
    let module = run::compile(&args.program, &args.optimise, MachineKind::Reference, context)?;
    let sources = module.sources();
    let mut stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = run::input(&args.program, &stdout, &stopper);
    let options = run::store_options(&args.limits, &stopper);
    let config = Config {
        heap_limit: options.limits.heap,
        fuel: options.limits.fuel,
        interrupt: options.interrupt,
        ..Config::default()
    };
    let machine = Machine::new(module.program().clone(), config);
    let mut tracer = Tracer { args, sources, machine };
    let stopped = tracer
        .machine
        .start(Format::Default, Some(input))
        .and_then(|()| tracer.steps(&mut stdout))
        .and_then(|()| Output::flush(&mut stdout).map_err(Stop::Output));
    stopper.stopped();
    stopped.map_err(|stop| run::failed(stop, &stopper, sources, context))
}

/// A run that is watched.
struct Tracer<'a> {
    args: &'a Trace,
    sources: &'a SourceMap,
    machine: Machine,
}

impl Tracer<'_> {
    /// Steps to the end, or to the last step that is wanted.
    fn steps(&mut self, stdout: &mut dyn Output) -> Result<(), Stop> {
        let last = self.args.to.unwrap_or(u64::MAX);
        let mut printed = String::new();
        let mut number = 0;
        while number < last
            && let Some(event) = self.machine.step(&mut printed)?
        {
            number = event.number;
            if number >= self.args.from && self.is_wanted(event.position) {
                let text = match self.args.format {
                    TraceFormat::Text => self.text(&event, &printed),
                    TraceFormat::Json => self.json(&event, &printed).to_string() + "\n",
                };
                stdout.write(&text).map_err(Stop::Output)?;
            }
            printed.clear();
        }
        Ok(())
    }

    /// Whether steps in this code are shown.
    fn is_wanted(&self, at: Position) -> bool {
        if let Some(only) = &self.args.only {
            let name = self.machine.name(at);
            let rest = name.strip_prefix(only.as_str());
            if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$')) {
                return false;
            }
        }
        !self.args.hide_prelude || !self.is_corelib(at)
    }

    /// Whether code is the corelib's, or a primitive's own.
    fn is_corelib(&self, at: Position) -> bool {
        let Some(global) = self.machine.program().globals.get(at.global) else { return false };
        let file = self.sources.file_at(global.span.lo);
        matches!(global.kind, GlobalKind::Primitive | GlobalKind::Constructor(_))
            || file.is_some_and(|file| file.corelib)
    }

    /// The instruction of a step as the listing shows it.
    fn instruction(&self, at: Position) -> String {
        let program = self.machine.program();
        self.machine.instr(at).map_or_else(String::new, |code| instr(program, code))
    }

    /// A step for people: the rule and where it is, then the state that it leaves.
    fn text(&self, event: &Event, printed: &str) -> String {
        let machine = &self.machine;
        let at = event.position;
        // What an unwinding does is no instruction.
        let rule = match event.rule {
            Rule::Instr(_) => self.instruction(at),
            _ => event.rule.name().to_owned(),
        };
        let place = format!("{} {}", machine.name(at), at.pc);
        let mut out = format!("{:>6}  {rule:<40} {place}\n", event.number);
        let piece = machine.piece();
        out.push_str(&format!("        stack  {}\n", self.items(&piece)));
        if machine.depth() > 0 {
            let frames: Vec<String> = machine
                .frames(FRAMES)
                .iter()
                .map(|frame| {
                    let items: Vec<String> = frame
                        .items
                        .iter()
                        .take(ITEMS)
                        .map(|addr| format!("#{}", addr.number()))
                        .collect();
                    let more = if frame.items.len() > ITEMS { " .." } else { "" };
                    let place = format!("{} {}", frame.name, frame.position.pc);
                    format!("{place} [{}{more}]", items.join(" "))
                })
                .collect();
            out.push_str(&format!("        dump   {}", frames.join(", ")));
            if machine.depth() > FRAMES {
                out.push_str(&format!(", and {} more", machine.depth() - FRAMES));
            }
            out.push('\n');
        }
        for (number, &addr) in event.changed.iter().enumerate() {
            let name = if number == 0 { "nodes" } else { "" };
            out.push_str(&format!(
                "        {name:<6} #{} = {}\n",
                addr.number(),
                machine.view(addr).text
            ));
        }
        if !printed.is_empty() {
            out.push_str(&format!("        prints {}\n", string_literal(printed)));
        }
        out
    }

    /// Stack items with what they are, the top first.
    fn items(&self, items: &[Addr]) -> String {
        if items.is_empty() {
            return "empty".to_owned();
        }
        let mut shown: Vec<String> = items
            .iter()
            .take(ITEMS)
            .map(|&addr| format!("#{} {}", addr.number(), self.machine.view(addr).text))
            .collect();
        if items.len() > ITEMS {
            shown.push(format!("and {} more", items.len() - ITEMS));
        }
        shown.join(", ")
    }

    /// A step for programs.
    fn json(&self, event: &Event, printed: &str) -> Value {
        let machine = &self.machine;
        let code = |at: Position| {
            json!({
                "global": &*machine.name(at),
                "index": at.pc,
                "span": json_span(machine.span(at), self.sources),
            })
        };
        let addresses = |items: &[Addr]| -> Vec<u32> {
            items.iter().take(MANY).map(|addr| addr.number()).collect()
        };
        let dump: Vec<Value> = machine
            .frames(MANY)
            .iter()
            .map(|frame| {
                json!({
                    "at": code(frame.position),
                    "stack": addresses(&frame.items),
                    "redex": frame.redex.map(|addr| addr.number()),
                })
            })
            .collect();
        let changed: Vec<Value> = event
            .changed
            .iter()
            .map(|&addr| json!({"address": addr.number(), "node": machine.view(addr).text}))
            .collect();
        let piece = machine.piece();
        json!({
            "schema": "gmachine-trace",
            "version": 1,
            "step": event.number,
            "rule": event.rule.name(),
            "instruction": self.instruction(event.position),
            "at": code(event.position),
            "stack": addresses(&piece),
            "stack_size": piece.len(),
            "dump": dump,
            "dump_size": machine.depth(),
            "changed": changed,
            "prints": printed,
        })
    }
}
