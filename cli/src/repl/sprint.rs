//! A value as far as it is evaluated.

use std::sync::Arc;

use gmachine::diagnostic::SourceMap;
use gmachine::diagnostic::quote::{char_literal, string_literal};
use gmachine::render::short_expression;
use gmachine::{Error, Eval, Store, Value, Whnf};

/// The most parts of a value that are shown.
const PARTS: usize = 200;
/// The deepest nesting that is shown.
const DEPTH: usize = 20;

/// Prints a value without evaluating anything: what is not evaluated is `_`, or, if it is `verbose`
/// and the text is known, the expression that it is to be computed from.
pub fn sprint(store: &mut Store, value: &Value, verbose: bool) -> Result<String, Error> {
    let mut printer = Printer { sources: store.sources(), verbose, left: PARTS };
    let mut text = String::new();
    printer.write(store, value, DEPTH, &mut text)?;
    Ok(text)
}

struct Printer {
    sources: Arc<SourceMap>,
    verbose: bool,
    /// How many parts may still be shown.
    left: usize,
}

impl Printer {
    fn write(
        &mut self,
        store: &mut Store,
        value: &Value,
        depth: usize,
        text: &mut String,
    ) -> Result<(), Error> {
        if self.left == 0 || depth == 0 {
            text.push('…');
            return Ok(());
        }
        self.left -= 1;
        match store.peek(value)? {
            None if self.verbose => {
                let span = store.origin(value)?;
                let source = short_expression(self.sources.text(span));
                text.push_str(if span.is_none() || source.is_empty() { "_" } else { &source });
            }
            None => text.push('_'),
            Some(Whnf::Int(value)) => text.push_str(&value.to_string()),
            Some(Whnf::Float(value)) => text.push_str(&format!("{value:?}")),
            Some(Whnf::Char(c)) => text.push_str(&char_literal(c)),
            Some(Whnf::Host { name, .. }) => text.push_str(&format!("<{name}>")),
            Some(Whnf::Function { name: Some(name), .. }) => {
                text.push_str(&format!("<function {name}>"));
            }
            Some(Whnf::Function { name: None, .. }) => text.push_str("<function>"),
            Some(Whnf::Array(elements)) => {
                text.push_str("(arrayFromList [");
                for (number, element) in elements.iter().enumerate() {
                    text.push_str(if number == 0 { "" } else { " " });
                    self.write(store, element, depth - 1, text)?;
                    if self.left == 0 {
                        break;
                    }
                }
                text.push_str("])");
            }
            Some(Whnf::Bytes(bytes)) => text.push_str(&format!("<{} bytes>", bytes.len())),
            Some(Whnf::Con { name, fields }) if *name == *"Cons" && fields.len() == 2 => {
                self.list(store, fields, depth, text)?;
            }
            Some(Whnf::Con { name, fields }) => {
                if fields.is_empty() {
                    text.push_str(&name);
                    return Ok(());
                }
                text.push_str(&format!("({name}"));
                for field in &fields {
                    text.push(' ');
                    self.write(store, field, depth - 1, text)?;
                }
                text.push(')');
            }
        }
        Ok(())
    }

    /// Writes a list as far as its cells are evaluated: `[1 2 | _]`; a text that is all evaluated,
    /// as one.
    fn list(
        &mut self,
        store: &mut Store,
        mut cell: Vec<Value>,
        depth: usize,
        text: &mut String,
    ) -> Result<(), Error> {
        let mut elements = Vec::new();
        let rest = loop {
            let [head, tail] = &cell[..] else { break None };
            elements.push(head.clone());
            let tail = tail.clone();
            if elements.len() >= PARTS {
                break Some(tail);
            }
            match store.peek(&tail)? {
                Some(Whnf::Con { name, .. }) if *name == *"Nil" => break None,
                Some(Whnf::Con { name, fields }) if *name == *"Cons" => cell = fields,
                _ => break Some(tail),
            }
        };
        let mut characters = String::new();
        for element in &elements {
            match store.peek(element)? {
                Some(Whnf::Char(c)) => characters.push(c),
                _ => break,
            }
        }
        if rest.is_none() && characters.chars().count() == elements.len() {
            text.push_str(&string_literal(&characters));
            return Ok(());
        }
        text.push('[');
        for (number, element) in elements.iter().enumerate() {
            text.push_str(if number == 0 { "" } else { " " });
            self.write(store, element, depth - 1, text)?;
        }
        if let Some(rest) = rest {
            text.push_str(" | ");
            self.write(store, &rest, depth - 1, text)?;
        }
        text.push(']');
        Ok(())
    }
}
