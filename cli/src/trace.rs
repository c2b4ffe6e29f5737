//! `gmachine trace`

use gmachine::Format;
use gmachine::MachineKind;
use gmachine::diagnostic::quote::{for_message, string_literal};
use gmachine::diagnostic::{SourceMap, nearest};
use gmachine::gcode::instr::Op;
use gmachine::gcode::print::instr;
use gmachine::gcode::program::GlobalKind;
use gmachine::inspect::trace::{Addr, Event, Machine, Position, Rule};
use gmachine::inspect::views::is_called;
use gmachine::{Output, Stop};
use serde_json::{Value, json};

use super::args::{Form, Trace, TraceFormat};
use super::report::json_span;
use super::{Context, Failure, output, run, usage, watched};

/// How many stack items and frames people see of each step.
const ITEMS: usize = 6;
const FRAMES: usize = 3;
/// The indentation that stands for this depth of waiting evaluations, and for more.
const DEEPEST: usize = 40;
/// How many of them programs see.
const MANY: usize = 100;

/// Runs a program step by step.
pub fn run(args: &Trace, context: &mut Context) -> Result<(), Failure> {
    let text =
        [("--no-dump", args.no_dump), ("--source", args.source), ("--width", args.width.is_some())];
    watched::must_be_text("trace", args.format, &text)?;
    let stopper = run::prepare(&args.limits)?;
    let (program, machine) = (&args.program, MachineKind::Reference);
    let module =
        run::compile(program, Form::Coref, &args.optimise, machine, &args.limits, context)?;
    let sources = module.sources();
    let mut stdout = output::stdout().map_err(|error| context.output_failed(&error))?;
    let input = run::input(&args.program, &stdout, &stopper);
    let mut machine = watched::machine(&module, &args.limits, &stopper);
    machine.set_system(Box::new(run::grants(&args.grants, context)?));
    if let Some(only) = &args.only {
        watched::must_have_code_of(only, "trace", machine.program())?;
    }
    for rule in &args.rule {
        must_be_a_rule(rule)?;
    }
    let mut tracer = Tracer { args, sources, machine, taken: 0, shown: 0 };
    let stopped = tracer
        .machine
        .start(Format::Default, Some(input))
        .and_then(|()| tracer.steps(&mut stdout))
        .and_then(|()| Output::flush(&mut stdout).map_err(Stop::Output));
    stopper.stopped();
    if tracer.shown == 0 {
        watched::nothing_shown(tracer.taken);
    }
    stopped.map_err(|stop| run::failed(stop, &stopper, sources, context))
}

/// The rules of the machine but for those that are instructions.
const UNWINDS: &[Rule] = &[
    Rule::UnwindApplication,
    Rule::UnwindIndirection,
    Rule::Enter,
    Rule::ReturnPartial,
    Rule::ReturnValue,
    Rule::UnpackText,
    Rule::ReadInput,
    Rule::Resume,
    Rule::Error,
];

/// Refuses the name of a rule that there is not.
fn must_be_a_rule(wanted: &str) -> Result<(), Failure> {
    let unwinds = UNWINDS.iter().map(|rule| rule.name());
    let names = || Op::ALL.iter().map(|op| op.name()).chain(unwinds.clone());
    if names().any(|name| is_by_name(name, wanted)) {
        return Ok(());
    }
    let tip = match nearest(wanted.trim(), names()) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => {
            "a rule goes by its instruction, like Eval, or as Unwind or 'Unwind value'".to_owned()
        }
    };
    Err(usage("trace", format!("there is no rule '{wanted}'"), &tip))
}

/// Returns whether this is a rule's name, or the first word of it.
fn is_by_name(name: &str, wanted: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default();
    [name, first].iter().any(|name| name.eq_ignore_ascii_case(wanted.trim()))
}

/// A run that is watched.
struct Tracer<'a> {
    args: &'a Trace,
    sources: &'a SourceMap,
    machine: Machine,
    /// Steps so far.
    taken: u64,
    /// Steps that were printed.
    shown: u64,
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
            self.taken = number;
            if number >= self.args.from && self.is_wanted(&event) {
                self.shown += 1;
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

    /// Returns whether a step is shown.
    fn is_wanted(&self, event: &Event) -> bool {
        // A call is one of the code that is entered.
        let at = if self.args.calls { self.machine.position() } else { event.position };
        let program = self.machine.program();
        let global = program.globals.get(at.global);
        let is_named =
            |only: &String| global.is_some_and(|global| is_called(program, global, only));
        self.is_by_wanted_rule(event.rule)
            && self.args.only.as_ref().is_none_or(is_named)
            && !(self.args.hide_prelude && self.is_corelib(at))
    }

    /// Returns whether a rule is one that is asked for: by its name, or by the first word of it.
    fn is_by_wanted_rule(&self, rule: Rule) -> bool {
        if self.args.calls {
            return rule == Rule::Enter;
        }
        let name = rule.name();
        self.args.rule.is_empty() || self.args.rule.iter().any(|wanted| is_by_name(name, wanted))
    }

    /// Returns whether code is the corelib's, or a primitive's own.
    fn is_corelib(&self, at: Position) -> bool {
        let Some(global) = self.machine.program().globals.get(at.global) else { return false };
        let file = self.sources.file_at(global.span.lo);
        matches!(global.kind, GlobalKind::Primitive | GlobalKind::Constructor(_))
            || file.is_some_and(|file| file.corelib)
    }

    /// Returns the instruction of a step as the listing shows it.
    fn instruction(&self, at: Position) -> String {
        let program = self.machine.program();
        self.machine.instr(at).map_or_else(String::new, |code| instr(program, code))
    }

    /// Returns a step for people: the rule and where it is, then the state that it leaves.
    fn text(&self, event: &Event, printed: &str) -> String {
        let machine = &self.machine;
        let at = event.position;
        // What an unwinding does is no instruction.
        let rule = match event.rule {
            Rule::Instr(_) => self.instruction(at),
            _ => event.rule.name().to_owned(),
        };
        let piece = machine.piece();
        if self.args.calls {
            return self.call(event, &piece);
        }
        let mut place = format!("{} {}", machine.name(at), at.pc);
        if let Some(source) = self.source(at).filter(|_| self.args.source) {
            place.push_str(&format!("  ; {source}"));
        }
        let mut out = format!("{:>6}  {rule:<40} {place}\n", event.number);
        out.push_str(&format!("        stack  {}\n", self.items(&piece)));
        if machine.depth() > 0 && !self.args.no_dump {
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
        self.fitted(out)
    }

    /// Returns a function or constant that is entered, and its arguments, indented by the
    /// evaluations that wait for it.
    fn call(&self, event: &Event, piece: &[Addr]) -> String {
        let machine = &self.machine;
        let (at, indent) = (machine.position(), machine.depth().min(DEEPEST));
        let arity = machine.program().globals.get(at.global).map_or(0, |global| global.arity);
        let mut out = format!("{:>6}  {:indent$}{}", event.number, "", machine.name(at));
        for &argument in piece.iter().take((arity as usize).min(ITEMS)) {
            let text = machine.view(argument).text;
            let value = text.strip_prefix("NNum ").or_else(|| text.strip_prefix("NChar "));
            match value {
                Some(value) => out.push_str(&format!(" {value}")),
                None => out.push_str(&format!(" #{}", argument.number())),
            }
        }
        if arity as usize > ITEMS {
            out.push_str(" ..");
        }
        if let Some(source) = self.source(event.position).filter(|_| self.args.source) {
            out.push_str(&format!("  ; {source}"));
        }
        out.push('\n');
        self.fitted(out)
    }

    /// Returns the first line of the source of an instruction.
    fn source(&self, at: Position) -> Option<String> {
        let span = self.machine.span(at);
        if span.is_none() {
            return None;
        }
        let text = self.sources.text(span).trim();
        let line = text.lines().next()?;
        let more = if line.len() < text.len() { " .." } else { "" };
        Some(format!("{}{more}", for_message(line)))
    }

    /// Cuts lines to the length that is asked for.
    fn fitted(&self, text: String) -> String {
        let Some(width) = self.args.width.and_then(|width| usize::try_from(width).ok()) else {
            return text;
        };
        let mut out = String::with_capacity(text.len());
        for line in text.lines() {
            match line.char_indices().nth(width) {
                Some(_) if width > 0 => {
                    let cut = line.char_indices().nth(width - 1).map_or(0, |(at, _)| at);
                    out.push_str(&line[..cut]);
                    out.push('…');
                }
                _ => out.push_str(line),
            }
            out.push('\n');
        }
        out
    }

    /// Returns stack items with what they are, the top first.
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

    /// Returns a step as JSON, for programs.
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
