//! The graph of a run as its events tell of it, and its nodes as expressions.

use std::collections::HashMap;

use crate::base::quote::{char_literal, counted, string_literal};
use crate::base::source::SourceMap;
use crate::base::span::Span;
use crate::gcode::program::{CONS, GlobalId, NIL, Program};
use crate::machine::events::{Content, NodeEvent, NodeId};

/// The most arguments of a function that are looked at: an application may be its own function.
const SPINE: usize = 1 << 12;
/// The most parts of an expression that are shown before it is cut.
const PARTS: usize = 60;
/// The most elements of a list that are shown.
const ELEMENTS: usize = 12;
/// The deepest nesting of an expression that is shown.
const DEPTH: usize = 12;
/// The most characters of a text or a function's source that are shown.
const CHARACTERS: usize = 40;

/// What is known of a node.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it was when it was born.
    pub content: Content,
    /// The expression that it was made for.
    pub span: Span,
    /// What stands for it now.
    became: Option<NodeId>,
    is_running: bool,
    is_dead: bool,
    /// How many nodes mention it.
    holders: u32,
}

/// All nodes that are alive, or mentioned by one that is.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    cells: HashMap<NodeId, Cell>,
}

impl Graph {
    /// Takes an event into account.
    pub fn take(&mut self, event: &NodeEvent) {
        match event {
            NodeEvent::Born { node, content, span, .. } => {
                for part in parts(content) {
                    self.hold(part);
                }
                let holders = self.cells.get(node).map_or(0, |cell| cell.holders);
                let cell = Cell {
                    content: content.clone(),
                    span: *span,
                    became: None,
                    is_running: false,
                    is_dead: false,
                    holders,
                };
                self.cells.insert(*node, cell);
            }
            NodeEvent::Filled { node, with }
            | NodeEvent::Updated { node, with }
            | NodeEvent::Selected { node, with } => {
                if node == with {
                    return;
                }
                self.hold(*with);
                let Some(cell) = self.cells.get_mut(node) else { return };
                cell.became = Some(*with);
                cell.is_running = false;
                // A constant keeps its name.
                if !matches!(cell.content, Content::Global(_)) {
                    let content = std::mem::replace(&mut cell.content, Content::Hole);
                    self.release(parts(&content));
                }
            }
            NodeEvent::Entered { node, .. } => {
                if let Some(cell) = self.cells.get_mut(node) {
                    cell.is_running = true;
                }
            }
            NodeEvent::Dead { node } => {
                if let Some(cell) = self.cells.get_mut(node) {
                    cell.is_dead = true;
                    self.release(Vec::new());
                    self.drop_unheld(vec![*node]);
                }
            }
            NodeEvent::Demanded { .. } | NodeEvent::Shared { .. } | NodeEvent::Printed { .. } => {}
        }
    }

    fn hold(&mut self, node: NodeId) {
        // A node may be mentioned by one that is born in the same step, before it.
        let unborn = || Cell {
            content: Content::Hole,
            span: Span::NONE,
            became: None,
            is_running: false,
            is_dead: false,
            holders: 0,
        };
        self.cells.entry(node).or_insert_with(unborn).holders += 1;
    }

    fn release(&mut self, nodes: Vec<NodeId>) {
        for &node in &nodes {
            if let Some(cell) = self.cells.get_mut(&node) {
                cell.holders = cell.holders.saturating_sub(1);
            }
        }
        self.drop_unheld(nodes);
    }

    /// Forgets those of these nodes that are dead and that nothing mentions, and what only they
    /// mention.
    fn drop_unheld(&mut self, mut nodes: Vec<NodeId>) {
        while let Some(node) = nodes.pop() {
            if !self.cells.get(&node).is_some_and(|cell| cell.is_dead && cell.holders == 0) {
                continue;
            }
            let Some(cell) = self.cells.remove(&node) else { continue };
            for part in parts(&cell.content).into_iter().chain(cell.became) {
                if let Some(cell) = self.cells.get_mut(&part) {
                    cell.holders = cell.holders.saturating_sub(1);
                    nodes.push(part);
                }
            }
        }
    }

    /// Returns how many nodes it knows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cells.len()
    }

    /// Returns the node itself, as it was born.
    #[must_use]
    pub fn cell(&self, node: NodeId) -> Option<&Cell> {
        self.cells.get(&node)
    }

    /// Returns what stands for a node by now.
    #[must_use]
    pub fn value(&self, mut node: NodeId) -> NodeId {
        while let Some(next) = self.cells.get(&node).and_then(|cell| cell.became) {
            node = next;
        }
        node
    }

    /// Returns whether a node is a value, or a text.
    #[must_use]
    pub fn is_value(&self, node: NodeId, program: &Program) -> bool {
        let Some(cell) = self.cells.get(&self.value(node)) else { return true };
        match &cell.content {
            Content::Application { .. } => {
                let (head, arguments) = self.spine(node);
                match self.cells.get(&head).map(|cell| &cell.content) {
                    Some(Content::Global(global)) => {
                        !cell.is_running && arguments.len() < arity(program, *global)
                    }
                    _ => false,
                }
            }
            Content::Global(global) => arity(program, *global) > 0,
            Content::Hole | Content::Input | Content::Thunk { .. } => false,
            _ => true,
        }
    }

    /// Returns whether a node is, or was, to be evaluated.
    #[must_use]
    pub fn is_cell(&self, node: NodeId) -> bool {
        self.cells.get(&node).is_some_and(|cell| {
            cell.became.is_some()
                || cell.is_running
                || matches!(
                    cell.content,
                    Content::Application { .. }
                        | Content::Thunk { .. }
                        | Content::Text { .. }
                        | Content::Input
                )
        })
    }

    /// Returns whether the code of a node runs, or waits for a value.
    #[must_use]
    pub fn is_running(&self, node: NodeId) -> bool {
        let is_running = |node| self.cells.get(&node).is_some_and(|cell| cell.is_running);
        is_running(node) || is_running(self.value(node))
    }

    /// Returns what a node, or the value that stands for it, consists of: a function and its
    /// arguments, or fields.
    #[must_use]
    pub fn mentions(&self, node: NodeId) -> Vec<NodeId> {
        let Some(cell) = self.cells.get(&self.value(node)) else { return Vec::new() };
        match &cell.content {
            Content::Application { .. } => {
                let (head, mut mentioned) = self.spine(node);
                mentioned.push(head);
                mentioned
            }
            content => parts(content),
        }
    }

    /// Returns the function that is applied, and its arguments, the first one first.
    fn spine(&self, node: NodeId) -> (NodeId, Vec<NodeId>) {
        let mut arguments = Vec::new();
        let mut at = self.value(node);
        // An application may be its own function: see `SPINE`.
        while arguments.len() < SPINE
            && let Some(cell) = self.cells.get(&at)
            && let Content::Application { function, argument } = cell.content
            && (arguments.is_empty() || !cell.is_running)
        {
            arguments.push(argument);
            at = self.value(function);
        }
        arguments.reverse();
        (at, arguments)
    }
}

fn arity(program: &Program, global: GlobalId) -> usize {
    program.globals.get(global).map_or(0, |global| global.arity as usize)
}

fn parts(content: &Content) -> Vec<NodeId> {
    match content {
        Content::Application { function, argument } => vec![*function, *argument],
        Content::Constructor { fields, .. } => fields.clone(),
        Content::Thunk { captured: parts, .. }
        | Content::Partial { arguments: parts, .. }
        | Content::Array(parts) => parts.clone(),
        _ => Vec::new(),
    }
}

/// Writes nodes as expressions.
pub struct Writer<'a> {
    graph: &'a Graph,
    program: &'a Program,
    sources: &'a SourceMap,
    text: String,
    left: usize,
    path: Vec<NodeId>,
    /// How many applications are being written around the present node.
    applications: usize,
    /// The nodes that are written as their numbers because several others mention them.
    pub shared: Vec<NodeId>,
    /// The functions without a name of their own.
    pub functions: Vec<GlobalId>,
}

impl<'a> Writer<'a> {
    /// Writes nodes of a graph.
    #[must_use]
    pub fn new(graph: &'a Graph, program: &'a Program, sources: &'a SourceMap) -> Writer<'a> {
        Writer {
            graph,
            program,
            sources,
            text: String::new(),
            left: PARTS,
            path: Vec::new(),
            applications: 0,
            shared: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Returns a node as an expression: what is evaluated as a value, what is not as what is to be
    /// evaluated, what is being evaluated as `*` and its number, and what several nodes mention as
    /// its number.
    pub fn expression(&mut self, node: NodeId) -> String {
        self.left = PARTS;
        self.write(node, true);
        std::mem::take(&mut self.text)
    }

    fn write(&mut self, mentioned: NodeId, is_root: bool) {
        if self.left == 0 || self.path.len() >= DEPTH {
            self.left = 0;
            self.text.push('…');
            return;
        }
        self.left -= 1;
        let named = self.graph.cell(mentioned).map(|cell| &cell.content);
        let node = self.graph.value(mentioned);
        let Some(cell) = self.graph.cell(node) else { return self.text.push('?') };
        // A constant is shown by its name, unless its value says as much.
        if let Some(Content::Global(global)) = named
            && !(is_root && node != mentioned)
            && !matches!(
                cell.content,
                Content::Integer(_) | Content::Float(_) | Content::Character(_)
            )
        {
            if cell.is_running && !is_root {
                self.text.push('*');
            }
            return self.global(*global);
        }
        if cell.is_running && !is_root {
            self.text.push_str(&format!("*#{node}"));
            return;
        }
        if self.path.contains(&node) {
            self.text.push_str(&format!("#{node}"));
            return;
        }
        self.path.push(node);
        match &cell.content {
            Content::Application { .. } => {
                let is_thunk = !self.graph.is_value(node, self.program);
                if cell.holders > 1 && is_thunk && !is_root {
                    self.text.push_str(&format!("#{node}"));
                    self.shared.push(node);
                } else {
                    let (head, arguments) = self.graph.spine(node);
                    self.applications += 1;
                    self.text.push('(');
                    self.write(head, false);
                    for argument in arguments {
                        self.text.push(' ');
                        self.write(argument, false);
                    }
                    self.text.push(')');
                    self.applications -= 1;
                }
            }
            Content::Thunk { .. } if cell.holders > 1 && !is_root => {
                self.text.push_str(&format!("#{node}"));
                self.shared.push(node);
            }
            Content::Thunk { captured, .. } => {
                self.text.push_str(&self.words(cell.span));
                self.applications += 1;
                for (at, &part) in captured.iter().enumerate() {
                    self.text.push(if at == 0 { '{' } else { ' ' });
                    self.write(part, false);
                }
                self.text.push_str(if captured.is_empty() { "" } else { "}" });
                self.applications -= 1;
            }
            Content::Partial { function, arguments } => {
                self.text.push('(');
                self.global(*function);
                for &argument in arguments {
                    self.text.push(' ');
                    self.write(argument, false);
                }
                self.text.push(')');
            }
            Content::Array(elements) => {
                self.text.push_str(&format!("<array of {}>", elements.len()));
            }
            Content::Bytes(len) => self.text.push_str(&format!("<{}>", counted(*len, "byte"))),
            Content::Constructor { con: CONS, .. } => self.list(node),
            Content::Constructor { con, fields } => {
                let name = self.program.cons.get(*con).map_or("?", |con| &con.name);
                if fields.is_empty() {
                    self.text.push_str(name);
                } else {
                    self.text.push('(');
                    self.text.push_str(name);
                    for &field in fields {
                        self.text.push(' ');
                        self.write(field, false);
                    }
                    self.text.push(')');
                }
            }
            Content::Integer(value) => self.text.push_str(&value.to_string()),
            Content::Float(value) => self.text.push_str(&value.to_string()),
            Content::Character(c) => self.text.push_str(&char_literal(*c)),
            Content::Global(global) => self.global(*global),
            Content::Text { text, at } => {
                let literal = self.program.texts.get(*text);
                let rest = literal.and_then(|text| text.get(*at as usize..)).unwrap_or("");
                self.text.push_str(&string_literal(&cut(rest, CHARACTERS)));
            }
            Content::Input => self.text.push_str("<input>"),
            Content::Host => self.text.push_str("<host value>"),
            Content::Hole => self.text.push_str(&format!("#{node}")),
        }
        self.path.pop();
    }

    fn global(&mut self, id: GlobalId) {
        let Some(global) = self.program.globals.get(id) else { return self.text.push('?') };
        match &global.display {
            Some(name) => self.text.push_str(name),
            None => {
                self.text.push_str(&self.program.display_name(global));
                self.functions.push(id);
            }
        }
    }

    /// Writes a list: in brackets if it is evaluated to its end, as a text if it is one; else its
    /// first cells, and what is left.
    fn list(&mut self, start: NodeId) {
        let (mut elements, mut at) = (Vec::new(), start);
        let is_whole = loop {
            let cell = self.graph.cell(at);
            match cell.map(|cell| &cell.content) {
                Some(Content::Constructor { con: CONS, fields }) if elements.len() < 1000 => {
                    let [head, tail] = fields[..] else { break false };
                    elements.push(head);
                    let named = self.graph.cell(tail).map(|cell| &cell.content);
                    if matches!(named, Some(Content::Global(_))) {
                        at = tail;
                        break false;
                    }
                    at = self.graph.value(tail);
                }
                Some(Content::Constructor { con: NIL, .. }) => break true,
                _ => break false,
            }
        };
        let character = |node: &NodeId| match self.graph.cell(self.graph.value(*node))?.content {
            Content::Character(c) => Some(c),
            _ => None,
        };
        if is_whole && let Some(text) = elements.iter().map(character).collect::<Option<String>>() {
            return self.text.push_str(&string_literal(&cut(&text, CHARACTERS)));
        }
        if self.applications > 0 && !is_whole {
            // Of an argument, what a function looks at first.
            self.text.push_str("(Cons ");
            self.write(elements[0], false);
            return self.text.push_str(" …)");
        }
        let shown = elements.len().min(ELEMENTS);
        let nested = !is_whole && elements.len() <= 3;
        self.text.push_str(if nested { "" } else { "[" });
        for (number, &element) in elements.iter().take(shown).enumerate() {
            self.text.push_str(match (nested, number) {
                (true, _) => "(Cons ",
                (false, 0) => "",
                (false, _) => " ",
            });
            self.write(element, false);
            self.text.push_str(if nested { " " } else { "" });
        }
        if shown < elements.len() {
            self.text.push_str(" …");
        }
        if nested {
            self.write(at, false);
            elements.iter().for_each(|_| self.text.push(')'));
            return;
        }
        if !is_whole {
            self.text.push_str(" | ");
            self.write(at, false);
        }
        self.text.push(']');
    }

    /// Returns the source of a function that has no name.
    #[must_use]
    pub fn source(&self, global: GlobalId) -> Option<String> {
        let global = self.program.globals.get(global)?;
        (!global.span.is_none()).then(|| self.words(global.span))
    }

    /// Returns a stretch of source on one line.
    fn words(&self, span: Span) -> String {
        let words: Vec<&str> = self.sources.text(span).split_whitespace().collect();
        cut(&words.join(" "), CHARACTERS)
    }
}

/// Returns at most so many characters of a text.
#[must_use]
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some(_) => text.chars().take(characters.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}
