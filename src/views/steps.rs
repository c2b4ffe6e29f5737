//! Steps for people: each reduction a line, indented by the evaluations that wait for it.

use std::collections::HashSet;
use std::sync::Arc;

use super::graph::{Graph, Writer, cut};
use super::is_called;
use crate::base::quote::string_literal;
use crate::base::source::SourceMap;
use crate::gcode::program::{GlobalId, GlobalKind, Program};
use crate::machine::events::{Content, Moment, NodeEvent, NodeId};

/// Columns of the number of a step.
const MARGIN: usize = 6;
/// The depth up to which lines are indented.
const DEEPEST: usize = 24;

/// A kind of line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An expression becomes another one.
    Reduction,
    /// A value is used again.
    Shared,
    /// Something is printed.
    Printed,
}

/// Which lines are printed, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether each step inside the corelib is a line, or each call of it.
    pub corelib: bool,
    /// The function by whose reductions alone lines are printed.
    pub only: Option<String>,
    /// The kinds that are printed; none stands for all but `Shared`.
    pub kinds: Vec<Kind>,
    /// The first step that is printed.
    pub from: u64,
    /// Whether words say why each step is taken, and what is used again.
    pub verbose: bool,
    /// How many characters a line has at most; 0: any number.
    pub width: u64,
}

impl Default for Options {
    fn default() -> Options {
        let (only, kinds) = (None, Vec::new());
        Options { corelib: false, only, kinds, from: 1, verbose: false, width: 100 }
    }
}

/// An evaluation: what it began with, and what has become of that.
struct Chain {
    /// What is evaluated: the node that stands for the one that was demanded.
    current: NodeId,
    /// Who demanded it.
    by: Option<NodeId>,
    /// What it was when it was demanded, until that is printed.
    head: Option<Head>,
    is_visible: bool,
    /// A reduction that is not printed yet, because more of the corelib's follow.
    is_held: bool,
    /// How many steps of the corelib the next line stands for.
    folded: u64,
    /// The function whose code ran last.
    function: Option<GlobalId>,
    is_done: bool,
}

/// An expression, and what its numbers stood for when it was one.
struct Head {
    text: String,
    shared: Vec<(NodeId, String)>,
}

/// Writes the lines of a run, event by event.
pub struct Lines<'a> {
    options: &'a Options,
    sources: &'a SourceMap,
    chains: Vec<Chain>,
    /// What has been explained.
    explained: HashSet<NodeId>,
    explained_functions: HashSet<GlobalId>,
    /// What the output got since the last line.
    printed: String,
    /// The lines that are ready; whoever prints them takes them out.
    pub ready: String,
    /// How many lines there were so far.
    pub lines: u64,
}

impl<'a> Lines<'a> {
    /// Makes a writer of lines that knows of no evaluations.
    #[must_use]
    pub fn new(options: &'a Options, sources: &'a SourceMap) -> Lines<'a> {
        Lines {
            options,
            sources,
            chains: Vec::new(),
            explained: HashSet::new(),
            explained_functions: HashSet::new(),
            printed: String::new(),
            ready: String::new(),
            lines: 0,
        }
    }

    /// Takes an event that the graph knows already. `step`: how many updates there were.
    pub fn event(
        &mut self,
        event: &NodeEvent,
        moment: Moment,
        step: u64,
        graph: &Graph,
        program: &Program,
    ) {
        let view = View { graph, program, sources: self.sources };
        self.chains.truncate(moment.depth);
        match event {
            NodeEvent::Demanded { node, by } => self.demanded(*node, *by, moment.depth, &view),
            NodeEvent::Shared { node, by } => {
                // It ends what was evaluated at its depth before.
                self.chains.truncate(moment.depth.saturating_sub(1));
                self.shared(*node, *by, step, &view);
            }
            NodeEvent::Entered { global: Some(global), .. } => self.entered(*global, step, &view),
            NodeEvent::Updated { node, with } => self.updated(*node, *with, step, &view),
            NodeEvent::Printed { text, .. } => self.printed.push_str(text),
            _ => {}
        }
    }

    /// Ends what is printed. `why`: what is said of the evaluations that wait, if the run has
    /// stopped.
    pub fn end(&mut self, step: u64, why: Option<&str>) {
        self.flush_printed(step);
        let Some(why) =
            why.filter(|_| self.options.only.is_none() && self.options.kinds.is_empty())
        else {
            return;
        };
        while self.chains.last().is_some_and(|chain| chain.is_done) {
            self.chains.pop();
        }
        self.heads(self.chains.len());
        let indent = self.indent(self.chains.len() + 1);
        self.line("", indent, why);
    }

    fn demanded(&mut self, node: NodeId, by: Option<NodeId>, depth: usize, view: &View<'_>) {
        if self.chains.len() == depth && self.chains.last().is_some_and(|chain| !chain.is_done) {
            // What a redex has become, or the function of an application.
            return;
        }
        self.chains.truncate(depth.saturating_sub(1));
        let outer = self.chains.last().and_then(|chain| chain.function);
        // Somebody has to wait for it.
        while self.chains.len() + 1 < depth {
            self.chains.push(Chain::hidden(node, by));
        }
        let cell = view.graph.cell(node);
        let is_text =
            cell.is_some_and(|cell| matches!(cell.content, Content::Text { .. } | Content::Input));
        let is_own = cell.is_some_and(|cell| match cell.content {
            Content::Global(global) => !view.is_corelib(global),
            _ => view.sources.file_at(cell.span.lo).is_some_and(|file| !file.corelib),
        });
        let is_asked = outer.is_none_or(|outer| !view.is_corelib(outer));
        let is_visible = !is_text && (self.options.corelib || is_own || is_asked);
        let head = is_visible.then(|| view.head(node));
        self.chains.push(Chain { is_visible, head, ..Chain::hidden(node, by) });
    }

    fn shared(&mut self, node: NodeId, by: Option<NodeId>, step: u64, view: &View<'_>) {
        let is_wanted = self.options.verbose || self.options.kinds.contains(&Kind::Shared);
        let function = self.chains.last().and_then(|chain| chain.function);
        let is_seen = self.options.corelib || function.is_none_or(|of| !view.is_corelib(of));
        if !is_wanted || !is_seen || !self.passes(step, function, Kind::Shared, view) {
            return;
        }
        let text = view.writer().expression(node);
        let line = match view.graph.is_value(node, view.program) {
            true => format!("{} uses {text} again", view.who(by, self.function_of(by))),
            false => {
                format!("{} needs *#{node}, under evaluation", view.who(by, self.function_of(by)))
            }
        };
        self.line("", self.indent(self.chains.len() + 1), &line);
    }

    fn entered(&mut self, global: GlobalId, step: u64, view: &View<'_>) {
        let is_corelib = !self.options.corelib && view.is_corelib(global);
        let Some(chain) = self.chains.last_mut() else { return };
        chain.function = Some(global);
        if is_corelib {
            return;
        }
        if chain.is_held {
            self.result(step, view);
        }
        let node = self.chains.last().map_or(0, |chain| chain.current);
        if self.chains.last().is_some_and(|chain| !chain.is_visible) {
            let head = view.head(node);
            if let Some(chain) = self.chains.last_mut() {
                (chain.is_visible, chain.head) = (true, Some(head));
            }
        }
    }

    fn updated(&mut self, node: NodeId, with: NodeId, step: u64, view: &View<'_>) {
        let corelib = self.options.corelib;
        let Some(chain) = self.chains.last_mut() else { return };
        if chain.is_done {
            return;
        }
        if chain.current == node {
            chain.current = with;
        }
        chain.is_done = view.graph.is_value(chain.current, view.program);
        if !chain.is_visible {
            return;
        }
        let is_corelib = chain.function.is_some_and(|global| view.is_corelib(global));
        if !corelib && is_corelib && !chain.is_done {
            chain.is_held = true;
            chain.folded += 1;
            return;
        }
        self.result(step, view);
    }

    /// Prints what the innermost evaluation has come to.
    fn result(&mut self, step: u64, view: &View<'_>) {
        let Some(chain) = self.chains.last_mut() else { return };
        chain.is_held = false;
        let folded = std::mem::take(&mut chain.folded);
        let (current, function, by) = (chain.current, chain.function, chain.by);
        if !self.passes(step, function, Kind::Reduction, view) {
            // What is left out is not what the next line goes on from.
            let head = view.head(current);
            if let Some(chain) = self.chains.last_mut() {
                chain.head = Some(head);
            }
            return;
        }
        self.flush_printed(step);
        let depth = self.chains.len();
        if self.options.only.is_none() {
            self.heads(depth - 1);
        }
        let mut writer = view.writer();
        let text = writer.expression(current);
        let (shared, functions) = (writer.shared, writer.functions);
        let explanations = self.explanations(shared, functions, view);
        let indent = self.indent(depth);
        let head = self.chains.last_mut().and_then(|chain| chain.head.take());
        let is_first = head.is_some();
        let mut line = format!("=> {text}");
        let mut before = Vec::new();
        if let Some(Head { text, shared }) = head {
            line = format!("{text} {line}");
            before = self.news(shared);
        }
        self.line(&step.to_string(), indent, &line);
        for explanation in before.into_iter().chain(explanations) {
            self.line("", indent + 8, &explanation);
        }
        if self.options.verbose {
            let why = match is_first {
                true => format!("{} needs it", view.who(by, self.outer_function())),
                false => "the same value is still needed".to_owned(),
            };
            let rule = view.rule(function, folded);
            self.line("", indent + 4, &format!("; {why}; {rule}"));
        }
    }

    /// Prints what the outermost `count` evaluations have begun with.
    fn heads(&mut self, count: usize) {
        for depth in 1..=count {
            let indent = self.indent(depth);
            let Some(chain) = self.chains.get_mut(depth - 1) else { continue };
            if chain.is_visible
                && let Some(head) = chain.head.take()
            {
                self.line("", indent, &head.text);
                for explanation in self.news(head.shared) {
                    self.line("", indent + 8, &explanation);
                }
            }
        }
    }

    /// Returns those of the explanations that have not been given.
    fn news(&mut self, shared: Vec<(NodeId, String)>) -> Vec<String> {
        let new = shared.into_iter().filter(|(node, _)| self.explained.insert(*node));
        new.map(|(node, text)| format!("#{node} = {text}")).collect()
    }

    /// Returns the indentation of the evaluation at a depth: two columns for each one that is seen
    /// and waits for it.
    fn indent(&self, depth: usize) -> usize {
        if self.options.only.is_some() {
            return 0;
        }
        let waiting = self.chains.iter().take(depth.saturating_sub(1));
        2 * waiting.filter(|chain| chain.is_visible).count().min(DEEPEST)
    }

    /// Returns the function that the evaluation below the innermost one is of.
    fn outer_function(&self) -> Option<GlobalId> {
        self.chains.len().checked_sub(2).and_then(|at| self.chains.get(at)?.function)
    }

    fn function_of(&self, by: Option<NodeId>) -> Option<GlobalId> {
        by.and_then(|_| self.chains.last()?.function)
    }

    /// Returns what the numbers and lifted functions of a line stand for, each said once.
    fn explanations(
        &mut self,
        mut shared: Vec<NodeId>,
        mut functions: Vec<GlobalId>,
        view: &View<'_>,
    ) -> Vec<String> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(&node) = shared.get(at) {
            at += 1;
            if !self.explained.insert(node) {
                continue;
            }
            let mut writer = view.writer();
            parts.push(format!("#{node} = {}", writer.expression(node)));
            shared.extend(writer.shared.into_iter().filter(|other| *other != node));
            functions.extend(writer.functions);
        }
        for function in functions {
            if self.explained_functions.insert(function)
                && let Some(source) = view.writer().source(function)
                && let Some(global) = view.program.globals.get(function)
            {
                parts.push(format!("{} = {source}", view.program.display_name(global)));
            }
        }
        parts
    }

    /// Returns whether a step is asked for.
    fn passes(&self, step: u64, function: Option<GlobalId>, kind: Kind, view: &View<'_>) -> bool {
        let global = function.and_then(|id| view.program.globals.get(id));
        let is_named =
            |only: &String| global.is_some_and(|global| is_called(view.program, global, only));
        step >= self.options.from
            && self.options.only.as_ref().is_none_or(is_named)
            && (self.options.kinds.is_empty() || self.options.kinds.contains(&kind))
    }

    /// Prints what the output got since the last line.
    fn flush_printed(&mut self, step: u64) {
        let text = std::mem::take(&mut self.printed);
        let is_wanted =
            self.options.kinds.is_empty() || self.options.kinds.contains(&Kind::Printed);
        if text.is_empty() || !is_wanted || step < self.options.from || self.options.only.is_some()
        {
            return;
        }
        let words = text.trim();
        let is_plain = !words.is_empty() && !words.contains(['\n', '"', ' ', '\t']);
        let shown = if is_plain { words.to_owned() } else { string_literal(&text) };
        self.line("", 0, &format!("prints {shown}"));
    }

    fn line(&mut self, number: &str, indent: usize, text: &str) {
        let line = format!("{number:>MARGIN$}  {:indent$}{text}", "");
        let width = usize::try_from(self.options.width).unwrap_or(usize::MAX);
        self.ready.push_str(&if width == 0 { line } else { cut(&line, width) });
        self.ready.push('\n');
        self.lines += 1;
    }
}

impl Chain {
    fn hidden(current: NodeId, by: Option<NodeId>) -> Chain {
        Chain {
            current,
            by,
            head: None,
            is_visible: false,
            is_held: false,
            folded: 0,
            function: None,
            is_done: false,
        }
    }
}

/// What expressions are made of.
struct View<'a> {
    graph: &'a Graph,
    program: &'a Program,
    sources: &'a SourceMap,
}

impl<'a> View<'a> {
    fn writer(&self) -> Writer<'a> {
        Writer::new(self.graph, self.program, self.sources)
    }

    fn head(&self, node: NodeId) -> Head {
        let mut writer = self.writer();
        let text = writer.expression(node);
        let explained = |node| (node, self.writer().expression(node));
        Head { text, shared: writer.shared.into_iter().map(explained).collect() }
    }

    /// Returns whether a function is the corelib's or a primitive.
    fn is_corelib(&self, global: GlobalId) -> bool {
        let Some(global) = self.program.globals.get(global) else { return false };
        let file = self.sources.file_at(global.span.lo);
        matches!(global.kind, GlobalKind::Primitive | GlobalKind::Constructor(_))
            || file.is_some_and(|file| file.corelib)
    }

    fn name(&self, global: GlobalId) -> Arc<str> {
        let global = self.program.globals.get(global);
        global.map_or_else(|| "?".into(), |global| self.program.display_name(global))
    }

    /// Returns who needs a value.
    fn who(&self, by: Option<NodeId>, function: Option<GlobalId>) -> String {
        match (by, function) {
            (None, _) | (_, None) => "the output".to_owned(),
            (_, Some(function)) => self.name(function).to_string(),
        }
    }

    /// Returns what a reduction has done, in words.
    fn rule(&self, function: Option<GlobalId>, folded: u64) -> String {
        let Some(id) = function else { return "it unpacks a text".to_owned() };
        let Some(global) = self.program.globals.get(id) else { return String::new() };
        let name = self.program.display_name(global);
        let mut rule = match (&global.kind, global.arity) {
            (GlobalKind::Primitive, _) => format!("{name} is a primitive and computes it"),
            (_, 0) => format!("{name} is a constant, its definition takes its place"),
            (_, 1) => format!("{name} has its argument, its body takes the place of both"),
            (_, n) => format!("{name} has its {n} arguments, its body takes their place"),
        };
        if folded > 0 {
            rule.push_str(&format!(" (after {folded} more steps in the corelib)"));
        }
        rule
    }
}
