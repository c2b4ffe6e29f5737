//! A program in JSON to CoreF text. Depth costs memory, not native stack.

use super::read::{Field, Mistake, NodeId, Tree, Value, read};
use super::{SCHEMA, VERSION};
use crate::base::float::Float;
use crate::base::index::List;
use crate::base::quote::{char_literal, for_message, string_literal};
use crate::base::source::SourceFile;
use crate::syntax::lex::is_name;

/// Returns the CoreF text of a program in JSON. `name` is how its directives call the JSON text,
/// for what has no place of its own.
///
/// # Errors
/// The first place where the text is no JSON or does not follow the schema.
pub fn to_text(name: &str, json: &str) -> Result<String, Mistake> {
    let (tree, root) = read(json)?;
    let mut writer = Writer {
        tree: &tree,
        json,
        source: SourceFile::apart(name, json),
        files: Vec::new(),
        last_file: String::new(),
        out: String::new(),
        work: Vec::new(),
    };
    writer.program(root)?;
    Ok(writer.out)
}

/// A step of the writer. The flag says whether a directive around it has given a place.
enum Work {
    Text(&'static str),
    Expr(NodeId, bool),
    Pat(NodeId),
    /// A binder or a constructor, as it is written.
    Word(String),
}

struct Writer<'t> {
    tree: &'t Tree,
    json: &'t str,
    source: SourceFile,
    /// The files that places count.
    files: Vec<&'t str>,
    /// The file that was named last.
    last_file: String,
    out: String,
    /// Last first.
    work: Vec<Work>,
}

impl<'t> Writer<'t> {
    fn fail<T>(&self, at: NodeId, message: impl Into<String>) -> Result<T, Mistake> {
        Err(Mistake { span: self.tree.spans[at], message: message.into() })
    }

    fn fields(&self, object: List<Field>) -> &'t [Field] {
        &self.tree.objects[object]
    }

    /// Returns the fields of an object that has these keys only, each once.
    fn object(&self, at: NodeId, what: &str, keys: &[&str]) -> Result<&'t [Field], Mistake> {
        let Value::Object(fields) = self.tree.nodes[at] else {
            return self.fail(at, format!("{what} is due here, an object"));
        };
        let fields = self.fields(fields);
        for (number, Field { key, value }) in fields.iter().enumerate() {
            if !keys.contains(&&**key) {
                let key = for_message(key);
                return self.fail(*value, format!("{what} has no field `{key}`"));
            }
            if fields.iter().take(number).any(|other| other.key == *key) {
                return self.fail(*value, "a second field of this name");
            }
        }
        Ok(fields)
    }

    fn field(&self, fields: &[Field], key: &str) -> Option<NodeId> {
        fields.iter().find(|field| *field.key == *key).map(|field| field.value)
    }

    fn needed(&self, at: NodeId, fields: &[Field], key: &str) -> Result<NodeId, Mistake> {
        match self.field(fields, key) {
            Some(value) => Ok(value),
            None => self.fail(at, format!("a field `{key}` is missing here")),
        }
    }

    fn text(&self, at: NodeId, what: &str) -> Result<&'t str, Mistake> {
        match &self.tree.nodes[at] {
            Value::Text(text) => Ok(text),
            _ => self.fail(at, format!("{what} is due here, a string")),
        }
    }

    fn array(&self, at: NodeId, what: &str) -> Result<&'t [NodeId], Mistake> {
        match self.tree.nodes[at] {
            Value::Array(elements) => Ok(&self.tree.arrays[elements]),
            _ => self.fail(at, format!("{what} is due here, an array")),
        }
    }

    /// Returns the text of a number.
    fn number(&self, at: NodeId) -> Result<&'t str, Mistake> {
        let span = self.tree.spans[at];
        let text = self.json.get(span.lo as usize..span.hi as usize).unwrap_or_default();
        let is_float = text.contains(['.', 'e', 'E']);
        if is_float && Float::parse(text).is_none() {
            return self.fail(at, "this number is larger than any float");
        }
        Ok(text)
    }

    fn name(&self, at: NodeId) -> Result<&'t str, Mistake> {
        let text = self.text(at, "a name")?;
        if !is_name(text) {
            let text = for_message(text);
            return self.fail(at, format!("`{text}` is no name of CoreF"));
        }
        Ok(text)
    }

    /// Returns a name, or `_` for null.
    fn binder(&self, at: NodeId) -> Result<&'t str, Mistake> {
        match self.tree.nodes[at] {
            Value::Null => Ok("_"),
            _ => self.name(at),
        }
    }

    /// Returns `[x y ..]`.
    fn binders(&self, at: NodeId) -> Result<String, Mistake> {
        let names: Result<Vec<&str>, Mistake> =
            self.array(at, "a row of names")?.iter().map(|&name| self.binder(name)).collect();
        Ok(names?.join(" "))
    }

    /// Writes where something comes from: the place in `at`, or if nothing around it has one where
    /// it stands in the JSON text. Returns whether what is in it has a place now.
    fn place(&mut self, node: NodeId, at: Option<NodeId>, placed: bool) -> Result<bool, Mistake> {
        let Some(at) = at else {
            if !placed {
                let span = self.tree.spans[node];
                let name = self.source.name.clone();
                let (start, end) =
                    (self.source.line_column(span.lo), self.source.line_column(span.hi));
                self.directive(&name, &[start.0, start.1, end.0, end.1]);
            }
            return Ok(placed);
        };
        let form = "a place is [file, line, column], and may go on with a line and a column";
        let mut numbers = Vec::new();
        for &part in self.array(at, "a place")? {
            let number = match self.tree.nodes[part] {
                Value::Number => self.number(part)?.parse::<u32>().ok(),
                _ => None,
            };
            let Some(number) = number else { return self.fail(part, form) };
            numbers.push(number);
        }
        let (Some((&file, place)), 3 | 5) = (numbers.split_first(), numbers.len()) else {
            return self.fail(at, form);
        };
        let Some(&file) = self.files.get(file as usize) else {
            return self.fail(at, "the program has no file of this number");
        };
        let is_backward = matches!(place, [a, b, c, d] if (c, d) < (a, b));
        if place.contains(&0) || is_backward {
            return self
                .fail(at, "lines and columns count from 1, and a place ends after its start");
        }
        self.directive(file, place);
        Ok(true)
    }

    fn directive(&mut self, file: &str, place: &[u32]) {
        self.out.push_str("{at ");
        if self.last_file != file {
            file.clone_into(&mut self.last_file);
            self.out.push_str(&string_literal(file));
            self.out.push(' ');
        }
        let numbers: Vec<String> = place.iter().map(u32::to_string).collect();
        self.out.push_str(&numbers.join(" "));
        self.out.push('}');
    }

    fn display_name(&mut self, fields: &[Field]) -> Result<(), Mistake> {
        if let Some(shown) = self.field(fields, "shown") {
            let text = self.text(shown, "a display name")?;
            if text.is_empty() {
                return self.fail(shown, "a display name is not empty");
            }
            self.out.push_str(&format!("{{name {}}} ", string_literal(text)));
        }
        Ok(())
    }

    fn program(&mut self, root: NodeId) -> Result<(), Mistake> {
        let keys = ["schema", "version", "files", "items"];
        let fields = self.object(root, "a program", &keys)?;
        let schema = self.needed(root, fields, "schema")?;
        if self.text(schema, "the name of the schema")? != SCHEMA {
            return self.fail(schema, format!("the schema of a program is `{SCHEMA}`"));
        }
        let version = self.needed(root, fields, "version")?;
        if self.tree.nodes[version] != Value::Number || self.number(version)? != VERSION.to_string()
        {
            return self.fail(version, format!("version {VERSION} of the schema is read here"));
        }
        if let Some(files) = self.field(fields, "files") {
            for &file in self.array(files, "a row of files")? {
                let name = self.text(file, "the name of a file")?;
                if name.is_empty() {
                    return self.fail(file, "the name of a file is not empty");
                }
                self.files.push(name);
            }
        }
        let items = self.needed(root, fields, "items")?;
        for &item in self.array(items, "a row of items")? {
            self.item(item)?;
            self.out.push('\n');
        }
        Ok(())
    }

    fn item(&mut self, item: NodeId) -> Result<(), Mistake> {
        let Value::Object(fields) = self.tree.nodes[item] else {
            return self.fail(item, "an item is due here, an object");
        };
        let has = |key| self.field(self.fields(fields), key).is_some();
        if has("defn") {
            let keys = ["defn", "params", "body", "at", "shown"];
            let fields = self.object(item, "a definition", &keys)?;
            let name = self.binder(self.needed(item, fields, "defn")?)?;
            let params = self.binders(self.needed(item, fields, "params")?)?;
            let body = self.needed(item, fields, "body")?;
            self.display_name(fields)?;
            let placed = self.place(item, self.field(fields, "at"), false)?;
            self.out.push_str(&format!("(defn {name}[{params}] "));
            self.work.push(Work::Text(")"));
            self.work.push(Work::Expr(body, placed));
            return self.run();
        }
        if has("data") {
            let fields = self.object(item, "a data type", &["data", "cons", "at", "shown"])?;
            let name = self.binder(self.needed(item, fields, "data")?)?;
            let cons = self.needed(item, fields, "cons")?;
            self.display_name(fields)?;
            let placed = self.place(item, self.field(fields, "at"), false)?;
            self.out.push_str(&format!("(data {name}"));
            let all = self.array(cons, "a row of constructors")?;
            if all.is_empty() {
                return self.fail(cons, "a data type has at least one constructor");
            }
            for &con in all {
                let keys = ["con", "fields", "at", "shown"];
                let fields = self.object(con, "a constructor", &keys)?;
                let name = self.name(self.needed(con, fields, "con")?)?;
                let params = self.binders(self.needed(con, fields, "fields")?)?;
                self.out.push(' ');
                self.display_name(fields)?;
                self.place(con, self.field(fields, "at"), placed)?;
                let gap = if params.is_empty() { "" } else { " " };
                self.out.push_str(&format!("({name}{gap}{params})"));
            }
            self.out.push(')');
            return Ok(());
        }
        let fields = self.object(item, "an item", &["import", "import-file", "at"])?;
        let text = match (self.field(fields, "import"), self.field(fields, "import-file")) {
            (Some(module), None) => self.name(module)?.to_owned(),
            (None, Some(file)) => string_literal(self.text(file, "the path of a file")?),
            _ => {
                let message = "an item has one of `defn`, `data`, `import` and `import-file`";
                return self.fail(item, message);
            }
        };
        self.place(item, self.field(fields, "at"), false)?;
        self.out.push_str(&format!("(import {text})"));
        Ok(())
    }

    /// Executes the work list.
    fn run(&mut self) -> Result<(), Mistake> {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Text(text) => self.out.push_str(text),
                Work::Word(word) => self.out.push_str(&word),
                Work::Expr(node, placed) => self.expr(node, placed)?,
                Work::Pat(node) => self.pat(node)?,
            }
        }
        Ok(())
    }

    fn push_row(&mut self, row: &[NodeId], placed: bool) {
        for &node in row.iter().rev() {
            self.work.push(Work::Expr(node, placed));
            self.work.push(Work::Text(" "));
        }
    }

    /// Writes a name that stands for a value.
    fn variable(&mut self, node: NodeId, text: &str) -> Result<(), Mistake> {
        if !is_name(text.strip_prefix('#').unwrap_or(text)) {
            let text = for_message(text);
            return self.fail(node, format!("`{text}` is no name of CoreF"));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn expr(&mut self, node: NodeId, placed: bool) -> Result<(), Mistake> {
        let fields = match &self.tree.nodes[node] {
            Value::Number => {
                let number = self.number(node)?;
                self.out.push_str(number);
                return Ok(());
            }
            Value::Text(name) => {
                self.place(node, None, placed)?;
                return self.variable(node, name);
            }
            Value::Object(fields) => self.fields(*fields),
            _ => return self.fail(node, "an expression is due here"),
        };
        let forms = [
            ("name", &["name", "at"][..]),
            ("float", &["float", "at"]),
            ("int", &["int", "at"]),
            ("char", &["char", "at"]),
            ("text", &["text", "at"]),
            ("apply", &["apply", "at"]),
            ("list", &["list", "at"]),
            ("let", &["let", "in", "at"]),
            ("letrec", &["letrec", "in", "at"]),
            ("fn", &["fn", "body", "at"]),
            ("case", &["case", "of", "at"]),
        ];
        let found = forms.iter().find(|(form, _)| self.field(fields, form).is_some());
        let Some(&(form, keys)) = found else {
            return self.fail(node, "an expression is due here, and no field says of which form");
        };
        let fields = self.object(node, &format!("an expression of the form `{form}`"), keys)?;
        let value = self.needed(node, fields, form)?;
        let placed = self.place(node, self.field(fields, "at"), placed)?;
        match form {
            "name" => {
                let name = self.text(value, "a name")?;
                self.variable(value, name)?;
            }
            "int" => {
                let Value::Number = self.tree.nodes[value] else {
                    return self.fail(value, "an integer is due here, a number");
                };
                let number = self.number(value)?;
                if number.contains(['.', 'e', 'E']) {
                    return self.fail(value, "this is no integer");
                }
                self.out.push_str(number);
            }
            "float" => {
                let text = match self.tree.nodes[value] {
                    Value::Number => self.number(value)?,
                    _ => self.text(value, "a float")?,
                };
                let Some(float) = Float::parse(text).or_else(|| Float::parse(&format!("{text}.0")))
                else {
                    let text = for_message(text);
                    return self.fail(value, format!("`{text}` is no float"));
                };
                self.out.push_str(&float.to_string());
            }
            "char" => {
                let text = self.text(value, "a character")?;
                let mut chars = text.chars();
                let (Some(c), None) = (chars.next(), chars.next()) else {
                    return self.fail(value, "a character is a string of one character");
                };
                self.out.push_str(&char_literal(c));
            }
            "text" => {
                let text = string_literal(self.text(value, "a text")?);
                self.out.push_str(&text);
            }
            "apply" => {
                let parts = self.array(value, "a function and its arguments")?;
                let Some((&function, arguments)) = parts.split_first() else {
                    return self.fail(value, "an application has a function");
                };
                self.out.push('(');
                self.work.push(Work::Text(")"));
                self.push_row(arguments, placed);
                self.work.push(Work::Expr(function, placed));
            }
            "list" => {
                let elements = self.array(value, "a row of elements")?;
                self.out.push('[');
                self.work.push(Work::Text("]"));
                self.push_row(elements, placed);
            }
            "let" | "letrec" => {
                let body = self.needed(node, fields, "in")?;
                self.out.push_str(if form == "let" { "(let (" } else { "(letrec (" });
                self.work.push(Work::Text(")"));
                self.work.push(Work::Expr(body, placed));
                self.work.push(Work::Text(") "));
                for &binding in self.array(value, "a row of bindings")?.iter().rev() {
                    let [name, bound] = self.array(binding, "a binding")? else {
                        return self.fail(binding, "a binding is a name and an expression");
                    };
                    let head = format!("[{} ", self.binder(*name)?);
                    self.work.push(Work::Text("]"));
                    self.work.push(Work::Expr(*bound, placed));
                    self.work.push(Work::Word(head));
                }
            }
            "fn" => {
                let body = self.needed(node, fields, "body")?;
                if self.array(value, "a row of parameters")?.is_empty() {
                    return self.fail(value, "a function has at least one parameter");
                }
                let params = self.binders(value)?;
                self.out.push_str(&format!("(fn [{params}] "));
                self.work.push(Work::Text(")"));
                self.work.push(Work::Expr(body, placed));
            }
            _ => {
                let alternatives = self.needed(node, fields, "of")?;
                let all = self.array(alternatives, "a row of alternatives")?;
                if all.is_empty() {
                    return self.fail(alternatives, "a case has at least one alternative");
                }
                self.out.push_str("(case ");
                self.work.push(Work::Text(")"));
                for &alternative in all.iter().rev() {
                    let [pattern, body] = self.array(alternative, "an alternative")? else {
                        let message = "an alternative is a pattern and an expression";
                        return self.fail(alternative, message);
                    };
                    self.work.push(Work::Text("]"));
                    self.work.push(Work::Expr(*body, placed));
                    self.work.push(Work::Text(" "));
                    self.work.push(Work::Pat(*pattern));
                    self.work.push(Work::Text(" ["));
                }
                self.work.push(Work::Expr(value, placed));
            }
        }
        Ok(())
    }

    fn pat(&mut self, node: NodeId) -> Result<(), Mistake> {
        let text = match &self.tree.nodes[node] {
            Value::Null => "_".to_owned(),
            Value::Number => {
                let number = self.number(node)?;
                if number.contains(['.', 'e', 'E']) {
                    return self.fail(node, "a float is no pattern");
                }
                number.to_owned()
            }
            Value::Text(_) => self.name(node)?.to_owned(),
            Value::Object(fields) => {
                let fields = self.fields(*fields);
                if self.field(fields, "con").is_some() {
                    let fields = self.object(node, "a pattern", &["con", "fields"])?;
                    let name = self.name(self.needed(node, fields, "con")?)?;
                    let parts = self.needed(node, fields, "fields")?;
                    let parts = self.array(parts, "a row of patterns")?;
                    self.out.push_str(&format!("({name}"));
                    self.work.push(Work::Text(")"));
                    for &part in parts.iter().rev() {
                        self.work.push(Work::Pat(part));
                        self.work.push(Work::Text(" "));
                    }
                    return Ok(());
                }
                let fields = self.object(node, "a pattern", &["char", "text"])?;
                match (self.field(fields, "char"), self.field(fields, "text")) {
                    (Some(char), None) => {
                        let text = self.text(char, "a character")?;
                        let mut chars = text.chars();
                        let (Some(c), None) = (chars.next(), chars.next()) else {
                            return self.fail(char, "a character is a string of one character");
                        };
                        char_literal(c)
                    }
                    (None, Some(text)) => string_literal(self.text(text, "a text")?),
                    _ => return self.fail(node, "a pattern is due here"),
                }
            }
            _ => return self.fail(node, "a pattern is due here"),
        };
        self.out.push_str(&text);
        Ok(())
    }
}
