//! A session: what its lines have defined, and what each line does.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use gmachine::diagnostic::{Code, Diagnostic, Span, nearest};
use gmachine::render::grouped;
use gmachine::{
    CompileError, Engine, EntryPoints, Error, Eval, Format, Interrupt, Limits, MainFile, Output,
    Source, Stop, Store, StoreOptions, Value, Whnf,
};

use super::input::{CtrlC, Lines};
use super::line::{defined, tokens};
use super::{perform, sprint};
use crate::args::{self, Form, Repl, Stage};
use crate::exit::Exit;
use crate::quantity::{parse_count, parse_duration, parse_size, show_duration, show_size};
use crate::{
    Context, Failure, dump, explain, files, limit, manual, memory, output, passes, report, run,
    steps,
};

/// The commands: name, argument, meaning.
pub const COMMANDS: [(&str, &str, &str); 16] = [
    (":sprint", "[-v] [NAME]", "show a value as far as it is evaluated; without NAME the last one"),
    (":force", "[NAME]", "evaluate a value to its end, or go on with it, and print it"),
    (":step", "EXPR", "print the reductions of an expression"),
    (":dump", "NAME [STAGE]", "a definition as a stage of the compiler makes it"),
    (":strictness", "NAME", "what a function does to its arguments"),
    (":doc", "NAME", "what the corelib says of a function"),
    (":explain", "CODE", "what a report means and what to do"),
    (":browse", "[MODULE]", "the definitions of the session, or of a module in scope"),
    (":stats", "", "what the session's machine has counted"),
    (":time", "EXPR", "evaluate, print, and say how long that took"),
    (":limit", "[WHAT N]", "show the limits, or set one: memory 512M, time 10s, fuel 1000, none"),
    (":load", "FILE", "begin a new session with the definitions of a file"),
    (":reload", "", "the same with the last file, as it is now"),
    (":clear", "", "begin a new session"),
    (":help", "", "these commands"),
    (":quit", "", "end the session; so does Ctrl-D"),
];

/// Returns the command that a word without a colon is probably meant for.
fn called(word: &str) -> Option<&'static str> {
    let word = if word == "exit" { "quit" } else { word };
    COMMANDS.iter().map(|(name, ..)| *name).find(|name| name.strip_prefix(':') == Some(word))
}

/// Returns the command that is meant by what is none: its beginning, or one that is spelled nearly
/// so.
fn meant(command: &str) -> Option<&'static str> {
    let names = || COMMANDS.iter().filter_map(|(name, ..)| name.strip_prefix(':'));
    let mut begun = names().filter(|name| !command.is_empty() && name.starts_with(command));
    match (begun.next(), begun.next()) {
        (Some(only), None) => Some(only),
        _ if command == "exit" => Some("quit"),
        _ => nearest(command, names()),
    }
}

/// Whether there is more to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    Go,
    Quit,
}

/// A session.
pub struct Session<'c> {
    context: &'c Context,
    args: &'c Repl,
    ctrl_c: CtrlC,
    /// Where actions read.
    lines: Lines,
    limits: Limits,
    file: Option<PathBuf>,
    store: Store,
    /// The values of constants, so that they stay evaluated.
    constants: HashMap<String, Value>,
    /// The texts that define things, each with how many of its names no later one has.
    texts: Vec<(String, usize)>,
    /// Which text defines a name.
    homes: BTreeMap<String, usize>,
    /// What is evaluated last, and goes on when it is forced.
    last: Option<Value>,
    /// Whether that is an action that was stopped and can go on.
    stopped: bool,
}

impl<'c> Session<'c> {
    /// Starts a session with the definitions of the file that the command was given.
    pub fn new(
        args: &'c Repl,
        ctrl_c: CtrlC,
        lines: Lines,
        context: &'c Context,
    ) -> Result<Session<'c>, Failure> {
        let heap = Some(args.limits.max_heap.unwrap_or_else(memory::default_limit));
        let limits = Limits { heap, fuel: args.limits.fuel, time: args.limits.timeout };
        let store = store(args, args.file.as_ref(), limits, &ctrl_c.machine, context)?;
        let store = store.map_err(Failure)?;
        let mut session = Session {
            context,
            args,
            ctrl_c,
            lines,
            limits,
            file: args.file.clone(),
            store,
            constants: HashMap::new(),
            texts: Vec::new(),
            homes: BTreeMap::new(),
            last: None,
            stopped: false,
        };
        session.keep_constants();
        Ok(session)
    }

    /// Begins anew with the definitions of a file.
    fn restart(&mut self, file: Option<PathBuf>) -> Result<(), Failure> {
        let made =
            store(self.args, file.as_ref(), self.limits, &self.ctrl_c.machine, self.context)?;
        // A file with mistakes leaves the session as it is.
        if let Ok(store) = made {
            self.store = store;
            self.constants.clear();
            self.texts.clear();
            self.homes.clear();
            self.last = None;
            self.stopped = false;
            self.keep_constants();
        }
        self.file = file;
        Ok(())
    }

    /// Keeps the constants of the session's file.
    fn keep_constants(&mut self) {
        let sources = self.store.sources();
        let own = sources.files().iter().filter(|file| !file.corelib);
        let names: Vec<(String, bool)> = own.flat_map(|file| defined(&file.text)).collect();
        for (name, is_constant) in names {
            self.keep(name, is_constant, usize::MAX);
        }
    }

    /// Notes a definition: where it is, and its value if it is a constant.
    fn keep(&mut self, name: String, is_constant: bool, home: usize) {
        self.constants.remove(&name);
        if is_constant && let Ok(value) = self.store.global(&name) {
            self.constants.insert(name.clone(), value);
        }
        if let Some(old) = self.homes.insert(name, home)
            && let Some((text, names)) = self.texts.get_mut(old)
        {
            *names -= 1;
            if *names == 0 {
                text.clear();
            }
        }
    }

    /// Returns the modules that are in scope.
    fn modules(&self) -> Vec<String> {
        let sources = self.store.sources();
        let files = sources.files().iter().filter(|file| file.corelib);
        let names = files.map(|file| file.name.trim_matches(['<', '>']).to_owned());
        [manual::PRIMITIVES.to_owned()].into_iter().chain(names).collect()
    }

    /// Adds all names that can be written to those that are completed.
    pub fn name_all(&self, names: &mut BTreeMap<String, String>) {
        let modules = self.modules();
        for entry in
            manual::all().iter().filter(|entry| modules.iter().any(|it| it == entry.module))
        {
            names.entry(entry.name().to_owned()).or_insert_with(|| entry.summary());
        }
        for name in self.homes.keys() {
            names.insert(name.clone(), String::new());
        }
    }

    /// Writes to standard output, at once.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let written = output::stdout().and_then(|mut stdout| {
            Output::write(&mut stdout, text)?;
            Output::flush(&mut stdout)
        });
        written.map_err(|error| self.context.output_failed(&error))
    }

    /// Does what a line says.
    pub fn take(&mut self, line: &str) -> Result<Next, Failure> {
        self.context.reporter.forget();
        // A Ctrl-C that came while nothing ran is no news to what runs now.
        self.ctrl_c.clear();
        self.store.set_asker(false);
        self.store.set_limits(self.limits);
        let line = line.trim();
        if let Some(rest) = line.strip_prefix(':') {
            let (command, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            return self.command(command, argument.trim());
        }
        let mut first = tokens(line);
        match (first.next(), first.next()) {
            (None, _) => {}
            (Some("("), Some("defn" | "data" | "import")) => self.define(line),
            (Some(word), None) => {
                self.evaluate(line)?;
                // What people type to get out, or to get help, is a name like others.
                if let Some(command) = called(word).filter(|_| !self.homes.contains_key(word)) {
                    report::write(&format!("note: the command is {command}\n"));
                }
            }
            // What comes after a word outside of brackets is no expression, so nothing else is meant.
            (Some(word), Some(_)) => {
                match called(word).filter(|_| !self.homes.contains_key(word)) {
                    Some(command) => {
                        report::write(&format!(
                            "error: a command begins with a colon: {command}\n"
                        ));
                    }
                    None => self.evaluate(line)?,
                }
            }
        }
        Ok(Next::Go)
    }

    fn define(&mut self, text: &str) {
        self.stopped = false;
        match self.store.define("session", text) {
            Ok(warnings) => {
                self.context.reporter.all(&warnings, &self.store.sources());
                let names = defined(text);
                // What defines no function stays: data types, imports.
                let count = names.len().max(1);
                self.texts.push((text.to_owned(), count));
                for (name, is_constant) in names {
                    self.keep(name, is_constant, self.texts.len() - 1);
                }
            }
            Err(error) => self.mistakes(&error),
        }
    }

    fn evaluate(&mut self, expression: &str) -> Result<(), Failure> {
        match self.store.eval(expression) {
            Ok(value) => {
                self.store.set_asker(true);
                self.last = Some(value.clone());
                self.show(&value, expression)
            }
            Err(error) => self.failed(error),
        }
    }

    /// Evaluates the value of an expression to its end and prints it; an action is performed instead.
    fn show(&mut self, value: &Value, expression: &str) -> Result<(), Failure> {
        self.stopped = false;
        let is_action = self.store.force(value).and_then(|_| self.store.is_action(value));
        match is_action {
            Ok(true) => self.perform(Some(value)),
            Ok(false) => {
                self.print_value(value)?;
                self.name_missing(expression, value);
                Ok(())
            }
            Err(error) => self.failed(error),
        }
    }

    /// Says of the value of a call that is a function what it still takes.
    fn name_missing(&mut self, expression: &str, value: &Value) {
        // A function alone is what was asked for.
        if expression.trim_start().starts_with('(')
            && let Ok(Whnf::Function { name: Some(name), arity }) = self.store.force(value)
        {
            let more = if arity == 1 { "argument" } else { "arguments" };
            report::write(&format!("note: `{name}` still takes {arity} {more}\n"));
        }
    }

    fn print_value(&mut self, value: &Value) -> Result<(), Failure> {
        let mut stdout = output::stdout().map_err(|error| self.context.output_failed(&error))?;
        let printed = self.store.print(value, Format::Default, &mut stdout);
        if let Err(error) = Output::flush(&mut stdout) {
            return Err(self.context.output_failed(&error));
        }
        printed.or_else(|error| self.failed(error))
    }

    /// Performs an action, or goes on with the one that was stopped, and prints its value unless
    /// that is `Nil`.
    fn perform(&mut self, action: Option<&Value>) -> Result<(), Failure> {
        let stdout = output::stdout().map_err(|error| self.context.output_failed(&error))?;
        let mut stdout = perform::Ended::new(stdout);
        let result = match action {
            Some(action) => {
                let input = perform::input(self.lines.clone());
                self.store.perform(action, Some(input), &mut stdout)
            }
            None => self.store.go_on(&mut stdout),
        };
        if let Err(error) = stdout.end() {
            return Err(self.context.output_failed(&error));
        }
        self.stopped = false;
        match result {
            Ok(value) => {
                self.last = Some(value.clone());
                match self.store.force(&value) {
                    Ok(Whnf::Con { name, fields }) if *name == *"Nil" && fields.is_empty() => {
                        Ok(())
                    }
                    Ok(_) => self.print_value(&value),
                    Err(error) => self.failed(error),
                }
            }
            Err(Error::Stop(Stop::Input(_))) if self.ctrl_c.is_pressed() => {
                report::write("interrupted\n");
                Ok(())
            }
            Err(Error::Stop(Stop::Input(error))) => {
                let diagnostic = Diagnostic::error(error.code, Span::NONE, &error.message);
                self.context.reporter.one(&diagnostic, &self.store.sources());
                Ok(())
            }
            Err(Error::Stop(Stop::Exit(status))) => {
                report::write(&format!("note: the action asks to exit with status {status}\n"));
                Ok(())
            }
            Err(error) => {
                self.stopped = matches!(error, Error::Stop(Stop::Limit(_) | Stop::Interrupted(_)));
                self.failed(error)
            }
        }
    }

    fn mistakes(&self, error: &CompileError) {
        self.context.reporter.all(&error.diagnostics, &error.sources);
    }

    /// Reports why there is no value. Only an output that is gone ends the session.
    fn failed(&self, error: Error) -> Result<(), Failure> {
        let sources = self.store.sources();
        match error {
            Error::Compile(error) => self.mistakes(&error),
            Error::Stop(Stop::Output(error)) => return Err(self.context.output_failed(&error)),
            Error::Stop(Stop::Error(error)) => {
                let diagnostic = error.diagnostic();
                self.context.reporter.with_chain(&diagnostic, Some(&error.chain), &sources);
            }
            Error::Stop(Stop::Limit(reached)) => {
                let diagnostic = limit::report(&reached)
                    .help("raise it with :limit; :force goes on with the value");
                self.context.reporter.with_chain(&diagnostic, Some(&reached.chain), &sources);
            }
            Error::Stop(Stop::Interrupted(at)) => {
                let diagnostic = at.diagnostic().help(":force goes on with the value");
                self.context.reporter.with_chain(&diagnostic, Some(&at.chain), &sources);
            }
            other => report::write(&format!("error: {other}\n")),
        }
        Ok(())
    }

    fn command(&mut self, command: &str, argument: &str) -> Result<Next, Failure> {
        let name = COMMANDS.iter().map(|(name, ..)| &name[1..]).find(|name| *name == command);
        match name {
            Some("quit") => return Ok(Next::Quit),
            Some("help") => self.help()?,
            Some("sprint") => {
                let (is_verbose, name) = match argument.strip_prefix("-v") {
                    Some(name) if !name.starts_with(|c: char| !c.is_whitespace()) => {
                        (true, name.trim())
                    }
                    _ => (false, argument),
                };
                if let Some(value) = self.value(name) {
                    match sprint::sprint(&mut self.store, &value, is_verbose) {
                        Ok(text) => self.print(&(text + "\n"))?,
                        Err(error) => self.failed(error)?,
                    }
                }
            }
            Some("force") if argument.is_empty() && self.stopped => self.perform(None)?,
            Some("force") => {
                if let Some(value) = self.value(argument) {
                    self.show(&value, argument)?;
                }
            }
            Some("time") => {
                let start = Instant::now();
                self.evaluate(argument)?;
                self.print(&format!("{:.3} s\n", start.elapsed().as_secs_f64()))?;
            }
            Some("step") => self.step(argument)?,
            Some("dump") => {
                let (name, stage) = match argument.split_once(char::is_whitespace) {
                    Some((name, stage)) => (name, stage.trim()),
                    None => (argument, "gcode"),
                };
                match Stage::from_str(stage, false) {
                    Ok(Stage::Tokens | Stage::Ast) | Err(_) => report::write(
                        "error: a stage is one of core, lifted, specialised, strictness, gcode, \
                         fast\n",
                    ),
                    Ok(stage) => self.dump(name, stage, self.args.level)?,
                }
            }
            // What is not optimised has no strictness.
            Some("strictness") => self.dump(argument, Stage::Strictness, 2)?,
            Some("doc") => self.doc(argument)?,
            Some("explain") => match explain::explained(argument) {
                Ok(text) => self.print(&text)?,
                Err((message, tip)) => report::write(&format!("error: {message}; {tip}\n")),
            },
            Some("browse") => self.browse(argument)?,
            Some("stats") => self.stats()?,
            Some("limit") => self.limit(argument)?,
            Some("load") if argument.is_empty() => {
                report::write("error: :load needs the name of a file\n");
            }
            Some("load") => self.restart(Some(PathBuf::from(argument)))?,
            Some("reload") => self.restart(self.file.clone())?,
            Some("clear") => self.restart(None)?,
            _ => {
                let tip = match meant(command) {
                    Some(meant) => format!("did you mean :{meant}?"),
                    None => ":help lists the commands".to_owned(),
                };
                report::write(&format!("error: there is no command :{command}; {tip}\n"));
            }
        }
        Ok(Next::Go)
    }

    fn help(&self) -> Result<(), Failure> {
        let mut text = String::from(
            "An expression is evaluated and printed; (defn ..), (data ..) and (import ..) are added.\n",
        );
        for (name, argument, meaning) in COMMANDS {
            text.push_str(&format!("  {:<18} {meaning}\n", format!("{name} {argument}")));
        }
        self.print(&text)
    }

    /// Returns the value of a name, or the last one.
    fn value(&mut self, name: &str) -> Option<Value> {
        if name.is_empty() {
            if self.last.is_none() {
                report::write("error: nothing has been evaluated yet\n");
            }
            return self.last.clone();
        }
        if let Some(value) = self.constants.get(name) {
            return Some(value.clone());
        }
        self.stopped = false;
        match self.store.eval(name) {
            Ok(value) => Some(value),
            Err(error) => {
                let _ = self.failed(error);
                None
            }
        }
    }

    /// Prints the reductions of an expression, which is compiled anew with all definitions: what
    /// the session has evaluated is not evaluated there.
    fn step(&self, expression: &str) -> Result<(), Failure> {
        let source = self.source(Some(expression));
        let system = run::grants(&self.args.grants, self.context)?;
        let interrupt = &self.ctrl_c.machine;
        match steps::expression(&source, self.limits, interrupt, system, self.context)? {
            Ok(()) => Ok(()),
            Err((stop, sources)) => match stop {
                Stop::Error(error) => {
                    let diagnostic = error.diagnostic();
                    self.context.reporter.with_chain(&diagnostic, Some(&error.chain), &sources);
                    Ok(())
                }
                stop => self.failed(Error::Stop(stop)),
            },
        }
    }

    /// Returns the session's definitions as one program, with an expression.
    fn source(&self, expression: Option<&str>) -> Source {
        let mut text = String::new();
        if let Some(path) = &self.file {
            let path = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("(import \"{path}\")\n"));
        }
        for (definition, _) in &self.texts {
            text.push_str(definition);
            text.push('\n');
        }
        let directory = Some(PathBuf::new());
        let file = MainFile::Text { name: "session".to_owned(), text: text.into(), directory };
        Source { file: Some(file), expression: expression.map(str::to_owned) }
    }

    /// Prints a definition as it is at a stage.
    fn dump(&self, name: &str, stage: Stage, level: u8) -> Result<(), Failure> {
        let source = self.source(None);
        match dump::definition(&source, name, stage, level, self.context)? {
            Some(listing) => self.print(&listing),
            None => Ok(()),
        }
    }

    fn doc(&self, name: &str) -> Result<(), Failure> {
        let entries = manual::all();
        let found: Vec<String> =
            entries.iter().filter(|entry| entry.name() == name).map(|it| it.text()).collect();
        if found.is_empty() {
            let near = nearest(name, entries.iter().map(manual::Entry::name));
            let tip = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            report::write(&format!("error: the corelib has no '{name}'{tip}\n"));
        }
        self.print(&found.join("\n"))
    }

    fn browse(&self, module: &str) -> Result<(), Failure> {
        if module.is_empty() {
            let names: Vec<&str> = self.homes.keys().map(String::as_str).collect();
            return self.print(&format!("{}\n", names.join(" ")));
        }
        let entries = manual::module(module);
        if entries.is_empty() {
            let known = "gmachine doc lists the modules";
            report::write(&format!("error: the corelib has no module '{module}'; {known}\n"));
        }
        self.print(&manual::list(&entries))
    }

    fn stats(&self) -> Result<(), Failure> {
        let counts = self.store.statistics();
        let lines = [
            ("reductions", counts.reductions),
            ("bytes allocated", counts.allocated_bytes),
            ("collections", counts.collections),
            ("bytes in use", self.store.footprint()),
        ];
        let lines = lines.map(|(name, count)| format!("{name:<18} {:>18}\n", grouped(count)));
        self.print(&lines.concat())
    }

    fn limit(&mut self, argument: &str) -> Result<(), Failure> {
        let (what, amount) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
        let amount = amount.trim();
        let set = match what {
            "" => Ok(()),
            "none" => {
                self.limits.fuel = None;
                self.limits.time = None;
                Ok(())
            }
            "memory" => parse_size(amount).map(|bytes| self.limits.heap = Some(bytes)),
            "time" => parse_duration(amount).map(|time| self.limits.time = Some(time)),
            "fuel" => parse_count(amount).map(|fuel| self.limits.fuel = Some(fuel)),
            _ => Err("a limit is one of memory, time and fuel".to_owned()),
        };
        if let Err(why) = set {
            report::write(&format!("error: {why}\n"));
            return Ok(());
        }
        let Limits { heap, fuel, time } = self.limits;
        let none = || "none".to_owned();
        self.print(&format!(
            "memory {}, time {}, fuel {}\n",
            heap.map_or_else(none, show_size),
            time.map_or_else(none, show_duration),
            fuel.map_or_else(none, grouped),
        ))
    }
}

/// Makes a store with the definitions of a file, or of none; the inner error is the exit code of
/// their mistakes, which are reported.
fn store(
    args: &Repl,
    file: Option<&PathBuf>,
    limits: Limits,
    interrupt: &Interrupt,
    context: &Context,
) -> Result<Result<Store, Exit>, Failure> {
    let mut engine = Engine::new();
    engine.set_entry_points(EntryPoints::All);
    let optimise = args::Optimise { level: args.level, passes: Vec::new(), verbose: false };
    engine.set_passes(passes::wanted(&optimise));
    let source = match file {
        Some(path) if path.as_os_str() == "-" => {
            let message = "a session reads its lines from standard input, and no program";
            return Err(context.fail(&Diagnostic::error(Code::CannotRead, Span::NONE, message)));
        }
        Some(path) => files::root(path, Form::Coref, context)?,
        None => Source::text("session", ""),
    };
    match engine.compile_source(&source, &files::Files) {
        Ok(module) => {
            context.reporter.all(module.warnings(), module.sources());
            let options =
                StoreOptions { limits, interrupt: interrupt.clone(), ..StoreOptions::default() };
            let mut store = Store::with(&module, options);
            store.set_system(run::grants(&args.grants, context)?);
            Ok(Ok(store))
        }
        Err(error) => {
            context.reporter.all(&error.diagnostics, &error.sources);
            Ok(Err(Exit::of_all(&error.diagnostics)))
        }
    }
}
