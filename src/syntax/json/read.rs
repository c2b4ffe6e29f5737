//! JSON text to a tree in an arena (RFC 8259). Depth costs memory, not native stack.

use crate::base::index::{IndexVec, List, Pool};
use crate::base::span::Span;

crate::define_index! {
    /// A value.
    pub NodeId;
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, which is read where it stands.
    Number,
    /// A string, escapes resolved.
    Text(Box<str>),
    /// An array.
    Array(List<NodeId>),
    /// An object: keys and values, as they stand there.
    Object(List<Field>),
}

/// A key of an object and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The key.
    pub key: Box<str>,
    /// The value.
    pub value: NodeId,
}

/// The values of a text. Spans are offsets in it, in bytes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The values; each stands after those in it.
    pub nodes: IndexVec<NodeId, Value>,
    /// Where each stands.
    pub spans: IndexVec<NodeId, Span>,
    /// Elements of arrays.
    pub arrays: Pool<NodeId>,
    /// Fields of objects.
    pub objects: Pool<Field>,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Where, as offsets in bytes.
    pub span: Span,
    /// A sentence without its point.
    pub message: String,
}

/// An array or object that is open.
struct Open {
    lo: usize,
    is_object: bool,
    /// The key that waits for its value.
    key: Option<Box<str>>,
    /// How many children are on the stack below those of this one.
    below: usize,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    tree: Tree,
    open: Vec<Open>,
    /// The children of what is open; keys are those of objects.
    children: Vec<(Option<Box<str>>, NodeId)>,
}

/// Reads a text that is one value. Returns the tree and its root.
///
/// # Errors
/// The first place where the text is no JSON.
pub fn read(text: &str) -> Result<(Tree, NodeId), Mistake> {
    let mut reader =
        Reader { text, at: 0, tree: Tree::default(), open: Vec::new(), children: Vec::new() };
    let mut value = reader.value()?;
    loop {
        let node = match value {
            Some(node) => node,
            None => {
                value = reader.value()?;
                continue;
            }
        };
        if reader.open.is_empty() {
            reader.blanks();
            return match reader.peek() {
                None => Ok((reader.tree, node)),
                Some(_) => Err(reader.mistake("this stands after the end of the value")),
            };
        }
        value = reader.after(node)?;
    }
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Returns a mistake at the next character.
    fn mistake(&self, message: &str) -> Mistake {
        let len = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.at as u32, (self.at + len) as u32);
        let message = if len == 0 { "the text ends in the midst of a value" } else { message };
        Mistake { span, message: message.to_owned() }
    }

    fn push(&mut self, value: Value, lo: usize) -> NodeId {
        self.tree.spans.push(Span::new(lo as u32, self.at as u32));
        self.tree.nodes.push(value)
    }

    /// Reads a value, or the beginning of one that is not empty: then `None`.
    fn value(&mut self) -> Result<Option<NodeId>, Mistake> {
        self.blanks();
        let lo = self.at;
        let value = match self.peek() {
            Some(open @ (b'[' | b'{')) => {
                self.at += 1;
                self.blanks();
                let is_object = open == b'{';
                let below = self.children.len();
                let mut open = Open { lo, is_object, key: None, below };
                if self.peek() == Some(if is_object { b'}' } else { b']' }) {
                    self.at += 1;
                    return Ok(Some(self.close(open)));
                }
                if is_object {
                    open.key = Some(self.key()?);
                }
                self.open.push(open);
                return Ok(None);
            }
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => {
                let words = [("null", Value::Null), ("true", Value::Bool), ("false", Value::Bool)];
                let rest = &self.text[self.at..];
                let found = words.into_iter().find(|(word, _)| rest.starts_with(word));
                let Some((word, value)) = found else {
                    return Err(self.mistake("no value of JSON starts with this"));
                };
                self.at += word.len();
                value
            }
        };
        Ok(Some(self.push(value, lo)))
    }

    /// Goes on after a value that stands in an array or object. Returns that one, if it ends here.
    fn after(&mut self, node: NodeId) -> Result<Option<NodeId>, Mistake> {
        let Some(open) = self.open.last_mut() else { return Ok(Some(node)) };
        let is_object = open.is_object;
        self.children.push((open.key.take(), node));
        self.blanks();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                if is_object {
                    self.blanks();
                    let key = self.key()?;
                    if let Some(open) = self.open.last_mut() {
                        open.key = Some(key);
                    }
                }
                Ok(None)
            }
            Some(b'}') if is_object => Ok(self.end()),
            Some(b']') if !is_object => Ok(self.end()),
            _ => Err(self.mistake("a comma or the closing bracket is due here")),
        }
    }

    fn end(&mut self) -> Option<NodeId> {
        self.at += 1;
        self.open.pop().map(|open| self.close(open))
    }

    fn close(&mut self, open: Open) -> NodeId {
        let children = self.children.drain(open.below..);
        let value = match open.is_object {
            true => {
                let field = |(key, value): (Option<Box<str>>, NodeId)| Field {
                    key: key.unwrap_or_default(),
                    value,
                };
                Value::Object(self.tree.objects.add(children.map(field)))
            }
            false => Value::Array(self.tree.arrays.add(children.map(|(_, value)| value))),
        };
        self.push(value, open.lo)
    }

    /// Reads a key and the colon after it.
    fn key(&mut self) -> Result<Box<str>, Mistake> {
        if self.peek() != Some(b'"') {
            return Err(self.mistake("a key in double quotes is due here"));
        }
        let key = self.string()?;
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(self.mistake("a colon is due here"));
        }
        self.at += 1;
        Ok(key)
    }

    fn digits(&mut self) -> Result<(), Mistake> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.mistake("a digit is due here"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, Mistake> {
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.mistake("a number of JSON has no 0 before other digits"));
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Value::Number)
    }

    /// Reads a string, whose first quote is next.
    fn string(&mut self) -> Result<Box<str>, Mistake> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c| matches!(c, '"' | '\\') || c < ' ').unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out.into());
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.mistake("a control character in a string is escaped")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Mistake> {
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err(self.mistake("this is no escape of JSON")),
        };
        self.at += 1;
        Ok(plain)
    }

    fn code_point(&mut self) -> Result<char, Mistake> {
        let lo = self.at - 2;
        let first = self.hex()?;
        let mut code = first;
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hex()?;
            if (0xDC00..0xE000).contains(&second) {
                code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            }
        }
        char::from_u32(code).ok_or_else(|| Mistake {
            span: Span::new(lo as u32, self.at as u32),
            message: "half of a pair of surrogates is no character".to_owned(),
        })
    }

    fn hex(&mut self) -> Result<u32, Mistake> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.mistake("four hexadecimal digits are due here"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_refused_where_it_is_none() {
        for (text, at) in [
            ("", 0),
            ("[1,]", 3),
            ("[1 2]", 3),
            ("{1: 2}", 1),
            ("{\"a\" 2}", 5),
            ("01", 1),
            ("1.", 2),
            ("-", 1),
            ("\"a", 2),
            ("\"\\q\"", 2),
            ("\"\\ud800\"", 1),
            ("\"\\u12g4\"", 3),
            ("\"\\u+123\"", 3),
            ("\"\n\"", 1),
            ("1 2", 2),
            ("nul", 0),
            ("[1}", 2),
            ("[[]", 3),
        ] {
            assert_eq!(read(text).map(|_| ()).expect_err(text).span.lo, at, "{text}");
        }
    }

    #[test]
    fn strings_have_their_escapes_resolved() {
        let text = r#"["\u00e9\ud83d\ude00\n\/", {"a\"": -1.5e+3}, null]"#;
        let (tree, root) = read(text).expect("sound");
        let Value::Array(elements) = tree.nodes[root] else { panic!("an array") };
        let elements = &tree.arrays[elements];
        assert_eq!(tree.nodes[elements[0]], Value::Text("é😀\n/".into()));
        let Value::Object(fields) = tree.nodes[elements[1]] else { panic!("an object") };
        assert_eq!(&*tree.objects[fields][0].key, "a\"");
        assert_eq!(tree.nodes[elements[2]], Value::Null);
    }

    #[test]
    fn a_pair_of_surrogates_is_a_character_of_any_plane() {
        for (text, wanted) in [
            (r#""\ud800\udc00""#, '\u{10000}'),
            (r#""\ud83f\udfff""#, '\u{1FFFF}'),
            (r#""\ud840\udc00""#, '\u{20000}'),
            (r#""\udbff\udfff""#, '\u{10FFFF}'),
        ] {
            let (tree, root) = read(text).expect("sound");
            assert_eq!(tree.nodes[root], Value::Text(wanted.to_string().into()), "{text}");
        }
    }

    #[test]
    fn depth_takes_no_native_stack() {
        let depth = 1_000_000;
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let (tree, _) = read(&text).expect("sound");
        assert_eq!(tree.nodes.len(), depth);
    }
}
