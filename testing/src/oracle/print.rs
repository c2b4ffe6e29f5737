//! How a value prints in the default format.

use super::{Halt, Ref, Value, World, force};
use crate::numbers;

impl World {
    /// Returns the cell that a value is: `Some(None)` for the empty list.
    fn cell(&self, value: &Value) -> Option<Option<(Ref, Ref)>> {
        match value {
            Value::Con(con, fields) if con.data == self.nil.data => {
                Some(fields.first().cloned().zip(fields.get(1).cloned()))
            }
            _ => None,
        }
    }

    pub(super) fn print(&self, main: &Ref, out: &mut String) -> Result<(), Halt> {
        let value = force(main)?;
        if let Value::Bytes(bytes) = &value {
            out.push_str(&String::from_utf8_lossy(bytes));
            return Ok(());
        }
        let Some(Some((first, rest))) = self.cell(&value) else {
            return self.print_value(value, out);
        };
        if let Value::Char(c) = force(&first)? {
            out.push(c);
            return self.print_text(rest, out, &mut |c, out| out.push(c));
        }
        self.print_tokens(first, rest, out)
    }

    /// Prints the characters after the first.
    fn print_text(
        &self,
        mut rest: Ref,
        out: &mut String,
        write: &mut dyn FnMut(char, &mut String),
    ) -> Result<(), Halt> {
        loop {
            self.tick()?;
            let value = force(&rest)?;
            match self.cell(&value) {
                Some(Some((first, others))) => {
                    let Value::Char(c) = force(&first)? else { return Err(Halt::Error) };
                    write(c, out);
                    rest = others;
                }
                Some(None) => return Ok(()),
                None => return Err(Halt::Error),
            }
        }
    }

    /// Prints a list of values as tokens.
    fn print_tokens(&self, first: Ref, rest: Ref, out: &mut String) -> Result<(), Halt> {
        let (mut first, mut rest) = (first, rest);
        loop {
            self.tick()?;
            self.print_token(force(&first)?, out)?;
            out.push(' ');
            let value = force(&rest)?;
            match self.cell(&value) {
                Some(Some((next, others))) => (first, rest) = (next, others),
                _ => return self.print_value(value, out),
            }
        }
    }

    /// Prints an element of a list at the top: a list in it is more tokens, a text is not.
    fn print_token(&self, value: Value, out: &mut String) -> Result<(), Halt> {
        if let Some(Some((first, rest))) = self.cell(&value)
            && !matches!(force(&first)?, Value::Char(_))
        {
            return self.print_tokens(first, rest, out);
        }
        match self.cell(&value) {
            Some(Some(_)) => self.print_inside(value, out),
            _ => self.print_value(value, out),
        }
    }

    /// Prints a value at the top that is no list cell.
    fn print_value(&self, value: Value, out: &mut String) -> Result<(), Halt> {
        if let Some(None) = self.cell(&value) {
            out.push_str("Nil");
            return Ok(());
        }
        self.print_inside(value, out)
    }

    /// Prints a value as it is inside parentheses.
    fn print_inside(&self, value: Value, out: &mut String) -> Result<(), Halt> {
        self.tick()?;
        match self.cell(&value) {
            Some(None) => {
                out.push_str("[]");
                return Ok(());
            }
            Some(Some((first, rest))) => return self.print_brackets(first, rest, out),
            None => {}
        }
        match value {
            Value::Int(value) => out.push_str(&value.to_string()),
            Value::Float(value) => out.push_str(&numbers::shown(value)),
            Value::Char(c) => {
                out.push('\'');
                escape(c, '\'', out);
                out.push('\'');
            }
            Value::Action(..) => out.push_str("<action>"),
            Value::Cell(..) => out.push_str("<cell>"),
            Value::Mutable(..) => out.push_str("<array>"),
            Value::MVar(_) => out.push_str("<mvar>"),
            Value::Thread(_) => out.push_str("<thread>"),
            Value::Trace(_) => out.push_str("<host trace>"),
            Value::Array(elements) => {
                out.push_str("(arrayFromList [");
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push(' ');
                    }
                    self.print_inside(force(element)?, out)?;
                }
                out.push_str("])");
            }
            Value::Bytes(bytes) => match std::str::from_utf8(&bytes) {
                Ok(text) => {
                    out.push_str("(bytesFromText \"");
                    text.chars().for_each(|c| escape(c, '"', out));
                    out.push_str("\")");
                }
                Err(_) => out.push_str(&format!("(bytesFromList {bytes:?})").replace(',', "")),
            },
            Value::Fun(_, _, None, _) => out.push_str("<function>"),
            Value::Fun(_, _, Some(name), _) => {
                out.push_str("<function ");
                out.push_str(&name);
                out.push('>');
            }
            Value::Con(con, fields) if fields.is_empty() => out.push_str(&con.name),
            Value::Con(con, fields) => {
                out.push('(');
                out.push_str(&con.name);
                for field in &fields {
                    out.push(' ');
                    self.print_inside(force(field)?, out)?;
                }
                out.push(')');
            }
        }
        Ok(())
    }

    fn print_brackets(&self, first: Ref, rest: Ref, out: &mut String) -> Result<(), Halt> {
        if let Value::Char(c) = force(&first)? {
            out.push('"');
            escape(c, '"', out);
            self.print_text(rest, out, &mut |c, out| escape(c, '"', out))?;
            out.push('"');
            return Ok(());
        }
        out.push('[');
        let (mut first, mut rest) = (first, rest);
        loop {
            self.tick()?;
            self.print_inside(force(&first)?, out)?;
            let value = force(&rest)?;
            match self.cell(&value) {
                Some(Some((next, others))) => {
                    out.push(' ');
                    (first, rest) = (next, others);
                }
                Some(None) => break,
                None => {
                    out.push_str(" | ");
                    self.print_inside(value, out)?;
                    break;
                }
            }
        }
        out.push(']');
        Ok(())
    }
}

fn escape(c: char, quote: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\0' => out.push_str("\\0"),
        '\\' => out.push_str("\\\\"),
        c if c == quote => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_control() => out.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
        c => out.push(c),
    }
}
