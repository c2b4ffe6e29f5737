//! Reads a [listing](super::print) back.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::instr::{Instr, IntLit, Jumps, Label, Lit, Op, Operand, OperandKind};
pub use super::lex::ParseError;
use super::lex::{Kind, Token, lex};
use super::program::{
    BigId, Con, ConId, Data, DataId, Global, GlobalId, GlobalKind, Host, HostId, Program, TextId,
};
use crate::base::integer::Integer;
use crate::base::quote::for_message;
use crate::base::span::Span;
use crate::gcode::effect::Effect;
use crate::primitive::Primitive;

/// Returns the program of a listing, without spans. What it reads need not make sense to a machine:
/// [`verify`](super::verify::verify) checks that.
///
/// # Errors
/// The first place where the text is no listing.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = lex(text)?;
    let mut reader = Reader::default();
    let mut blocks: Vec<Block> = Vec::new();
    let mut main = None;
    for line in tokens.chunk_by(|a, b| a.line == b.line) {
        let mut line = Line { tokens: line, at: 0 };
        if matches!(line.peek(), Some(Kind::Number(_))) {
            match blocks.last_mut() {
                Some(block) => block.code.push(line),
                None => return Err(line.error("an instruction stands below its global")),
            }
            continue;
        }
        match line.keyword()? {
            "data" => reader.data(&mut line)?,
            "host" => reader.host(&mut line)?,
            "label" => Reader::label(&mut reader.out.labels.definitions, &mut line)?,
            "label-type" => Reader::label(&mut reader.out.labels.types, &mut line)?,
            "main" => main = Some((line.clone(), line.name("the global that is run")?)),
            "supercombinator" => blocks.push(reader.global(Head::Supercombinator, &mut line)?),
            "primitive" => blocks.push(reader.global(Head::Primitive, &mut line)?),
            "constructor" => blocks.push(reader.global(Head::Constructor, &mut line)?),
            "host-function" => blocks.push(reader.global(Head::Host, &mut line)?),
            other => {
                line.at = 0;
                return Err(line.error(&format!(
                    "a line starts with an instruction's number, data, label, host, main, or the \
                     kind of a global, not with {}",
                    for_message(other)
                )));
            }
        }
        line.end()?;
    }
    if let Some((line, name)) = main {
        reader.out.main = Some(reader.find_global(&line, name)?);
    }
    for (id, block) in blocks.into_iter().enumerate() {
        reader.block(GlobalId(id as u32), block)?;
    }
    Ok(reader.out)
}

/// The kind of a global, as its first line begins.
#[derive(Clone, Copy)]
enum Head {
    Supercombinator,
    Primitive,
    Constructor,
    Host,
}

/// A global whose first line has been read.
struct Block<'a> {
    head: Head,
    /// The constructor or host function that it stands for.
    of: Option<(Line<'a>, &'a str)>,
    code: Vec<Line<'a>>,
}

/// A line that is being read.
#[derive(Clone)]
struct Line<'a> {
    /// Not empty.
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Line<'a> {
    fn peek(&self) -> Option<&'a Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    /// Returns an error at the next token, or behind the last.
    fn error(&self, message: &str) -> ParseError {
        let (line, column) = match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(token), _) => (token.line, token.column),
            (None, Some(last)) => (last.line, last.end),
            (None, None) => (1, 1),
        };
        ParseError { line, column, message: message.to_owned() }
    }

    fn expected(&self, what: &str) -> ParseError {
        self.error(&format!("expected {what}"))
    }

    fn keyword(&mut self) -> Result<&'a str, ParseError> {
        match self.peek() {
            Some(Kind::Name(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.expected("the number of an instruction, or a word")),
        }
    }

    /// Returns whether the next token is the bare word `word`; it is then taken.
    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Kind::Name(name)) if name == word);
        self.at += usize::from(found);
        found
    }

    fn name(&mut self, what: &str) -> Result<&'a str, ParseError> {
        match self.peek() {
            Some(Kind::Name(name)) if name != "_" => {
                self.at += 1;
                Ok(name)
            }
            Some(Kind::Text(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn mark(&mut self, mark: char) -> Result<(), ParseError> {
        if self.peek() != Some(&Kind::Mark(mark)) {
            return Err(self.expected(&format!("{mark:?}")));
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self, what: &str) -> Result<u32, ParseError> {
        if let Some(Kind::Number(digits)) = self.peek() {
            let Ok(number) = digits.parse() else {
                return Err(self.error("this number is negative or too large"));
            };
            self.at += 1;
            return Ok(number);
        }
        Err(self.expected(what))
    }

    fn end(&self) -> Result<(), ParseError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }
}

/// The program as far as it has been read.
#[derive(Default)]
struct Reader {
    out: Program,
    globals: FxHashMap<Arc<str>, GlobalId>,
    datas: FxHashMap<Arc<str>, DataId>,
    cons: FxHashMap<Arc<str>, ConId>,
    hosts: FxHashMap<Arc<str>, HostId>,
    texts: FxHashMap<Arc<str>, TextId>,
    bigs: FxHashMap<Integer, BigId>,
}

impl Reader {
    /// Reads `data TYPE = CON/ARITY as NAME ..`.
    fn data(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let before = line.clone();
        let symbol: Arc<str> = line.name("the name of a data type")?.into();
        let id = self.out.datas.next_index();
        if self.datas.insert(symbol.clone(), id).is_some() {
            return Err(before.error("a second data type of this name"));
        }
        line.mark('=')?;
        let mut cons = Vec::new();
        while line.peek().is_some() {
            let before = line.clone();
            let symbol: Arc<str> = line.name("a constructor")?.into();
            line.mark('/')?;
            let arity = line.number("the number of its fields")?;
            let name = match line.word("as") {
                true => line.name("the name that it prints with")?.into(),
                false => symbol.clone(),
            };
            let con = Con { symbol: symbol.clone(), name, data: id, tag: cons.len() as u32, arity };
            let con = self.out.cons.push(con);
            if self.cons.insert(symbol, con).is_some() {
                return Err(before.error("a second constructor of this name"));
            }
            cons.push(con);
        }
        self.out.datas.push(Data { symbol, cons });
        Ok(())
    }

    /// Reads `label NAME as NAME`.
    fn label(
        labels: &mut BTreeMap<Arc<str>, Arc<str>>,
        line: &mut Line<'_>,
    ) -> Result<(), ParseError> {
        let before = line.clone();
        let symbol = line.name("the name of a definition")?;
        if !line.word("as") {
            return Err(line.expected("'as' and the name that is shown"));
        }
        match labels.insert(symbol.into(), line.name("the name that is shown")?.into()) {
            Some(_) => Err(before.error("a second name that is shown for this one")),
            None => Ok(()),
        }
    }

    /// Reads `host NAME/ARITY`.
    fn host(&mut self, line: &mut Line<'_>) -> Result<(), ParseError> {
        let before = line.clone();
        let name: Arc<str> = line.name("the name of a host function")?.into();
        line.mark('/')?;
        let arity = line.number("the number of its arguments")?;
        let id = self.out.hosts.push(Host { name: name.clone(), arity });
        match self.hosts.insert(name, id) {
            Some(_) => Err(before.error("a second host function of this name")),
            None => Ok(()),
        }
    }

    /// Returns the first line of a global, after its kind.
    fn global<'a>(&mut self, head: Head, line: &mut Line<'a>) -> Result<Block<'a>, ParseError> {
        let before = line.clone();
        let symbol: Arc<str> = line.name("the name of a global")?.into();
        line.mark('/')?;
        let arity = line.number("the number of its arguments")?;
        let (mut params, mut strict) = (Vec::new(), Vec::new());
        if line.peek() == Some(&Kind::Mark('[')) {
            line.at += 1;
            while line.peek() != Some(&Kind::Mark(']')) {
                let evaluated = line.peek() == Some(&Kind::Mark('!'));
                line.at += usize::from(evaluated);
                strict.push(evaluated);
                params.push(match line.word("_") {
                    true => None,
                    false => Some(line.name("a parameter, or ']'")?.into()),
                });
            }
            line.at += 1;
        }
        if !strict.contains(&true) {
            strict.clear();
        }
        let of = match head {
            Head::Supercombinator | Head::Primitive => None,
            Head::Constructor | Head::Host => {
                if !line.word("of") {
                    return Err(line.expected("'of' and what the global stands for"));
                }
                Some((line.clone(), line.name("what the global stands for")?))
            }
        };
        let display = if line.word("unnamed") {
            None
        } else if line.word("as") {
            Some(line.name("the name that it prints with")?.into())
        } else {
            Some(symbol.clone())
        };
        let id = self.out.globals.push(Global {
            symbol: symbol.clone(),
            display,
            kind: GlobalKind::Supercombinator,
            arity,
            params,
            strict,
            code: Vec::new(),
            spans: Vec::new(),
            span: Span::NONE,
        });
        match self.globals.insert(symbol, id) {
            Some(_) => Err(before.error("a second global of this name")),
            None => Ok(Block { head, of, code: Vec::new() }),
        }
    }

    /// Reads the code of a global, and what its first line could not know yet.
    fn block(&mut self, id: GlobalId, block: Block<'_>) -> Result<(), ParseError> {
        let kind = match (block.head, block.of) {
            (Head::Constructor, Some((line, name))) => {
                GlobalKind::Constructor(self.find_con(&line, name)?)
            }
            (Head::Host, Some((line, name))) => GlobalKind::Host(self.find_host(&line, name)?),
            (Head::Primitive, _) => GlobalKind::Primitive,
            (Head::Supercombinator | Head::Constructor | Head::Host, _) => {
                GlobalKind::Supercombinator
            }
        };
        let mut code = Vec::with_capacity(block.code.len());
        for mut line in block.code {
            let before = line.clone();
            if line.number("the number of an instruction")? as usize != code.len() {
                let message = format!("the next instruction is number {}", code.len());
                return Err(before.error(&message));
            }
            code.push(self.instr(&mut line)?);
            line.end()?;
        }
        let global = &mut self.out.globals[id];
        global.kind = kind;
        global.spans = vec![Span::NONE; code.len()];
        global.code = code;
        Ok(())
    }

    fn instr(&mut self, line: &mut Line<'_>) -> Result<Instr, ParseError> {
        let before = line.clone();
        let name = line.name("the name of an instruction")?;
        let Some(op) = Op::ALL.iter().find(|op| op.name() == name) else {
            return Err(before.error(&format!("there is no instruction {}", for_message(name))));
        };
        let mut operands = Vec::with_capacity(op.operands().len());
        for &(name, kind) in op.operands() {
            operands.push(self.operand(kind, name, line)?);
        }
        op.with(operands).ok_or_else(|| before.error("these are not its operands"))
    }

    fn operand(
        &mut self,
        kind: OperandKind,
        name: &str,
        line: &mut Line<'_>,
    ) -> Result<Operand, ParseError> {
        let before = line.clone();
        Ok(match kind {
            OperandKind::Number => Operand::Number(line.number(&format!("a number {name}"))?),
            OperandKind::Label => Operand::Label(label(line)?),
            OperandKind::Global => {
                let name = line.name("a global")?;
                Operand::Global(self.find_global(&before, name)?)
            }
            OperandKind::Int => match self.lit(line)? {
                Lit::Int(int) => Operand::Int(int),
                Lit::Char(_) => return Err(before.expected("an integer")),
            },
            OperandKind::Float => {
                let Some(Kind::Float(value)) = line.peek() else {
                    return Err(line.expected("a FLOAT"));
                };
                line.at += 1;
                Operand::Float(*value)
            }
            OperandKind::Primitive => {
                let name = line.name("a primitive")?;
                match Primitive::find(name) {
                    Some(primitive) => Operand::Primitive(primitive),
                    None => {
                        return Err(
                            before.error(&format!("there is no primitive {}", for_message(name)))
                        );
                    }
                }
            }
            OperandKind::Effect => {
                let name = line.name("an effect")?;
                match Effect::find(name) {
                    Some(effect) => Operand::Effect(effect),
                    None => {
                        let message = format!("there is no effect {}", for_message(name));
                        return Err(before.error(&message));
                    }
                }
            }
            OperandKind::Char => match self.lit(line)? {
                Lit::Char(c) => Operand::Char(c),
                Lit::Int(_) => return Err(before.expected("a CHAR")),
            },
            OperandKind::Text => {
                let Some(Kind::Text(text)) = line.peek() else {
                    return Err(line.expected("a STRING"));
                };
                line.at += 1;
                let text: Arc<str> = text.as_str().into();
                let texts = &mut self.out.texts;
                Operand::Text(*self.texts.entry(text.clone()).or_insert_with(|| texts.push(text)))
            }
            OperandKind::Con => {
                let (tag, arity) = (line.number("a tag")?, line.number("a number of fields")?);
                let at = line.clone();
                let name = line.name("a constructor")?;
                let id = self.find_con(&at, name)?;
                let con = &self.out.cons[id];
                if (con.tag, con.arity) != (tag, arity) {
                    let message = format!(
                        "tag and arity of {} are {} {}",
                        for_message(name),
                        con.tag,
                        con.arity
                    );
                    return Err(before.error(&message));
                }
                Operand::Con(id)
            }
            OperandKind::Host => {
                let name = line.name("a host function")?;
                Operand::Host(self.find_host(&before, name)?)
            }
            OperandKind::ConJumps => {
                let jumps = self.jumps(line, |reader, line| {
                    let at = line.clone();
                    let name = line.name("a constructor, or '_'")?;
                    reader.find_con(&at, name)
                })?;
                Operand::ConJumps(Box::new(jumps))
            }
            OperandKind::LitJumps => {
                Operand::LitJumps(Box::new(self.jumps(line, |reader, line| reader.lit(line))?))
            }
        })
    }

    /// Reads `KEY:LABEL .. _:LABEL`, to the end of the line.
    fn jumps<K>(
        &mut self,
        line: &mut Line<'_>,
        mut key: impl FnMut(&mut Reader, &mut Line<'_>) -> Result<K, ParseError>,
    ) -> Result<Jumps<K>, ParseError> {
        let mut jumps = Jumps { branches: Vec::new(), default: None };
        loop {
            if line.word("_") {
                line.mark(':')?;
                jumps.default = Some(label(line)?);
                return Ok(jumps);
            }
            let key = key(self, line)?;
            line.mark(':')?;
            jumps.branches.push((key, label(line)?));
            if line.peek().is_none() {
                return Ok(jumps);
            }
        }
    }

    fn lit(&mut self, line: &mut Line<'_>) -> Result<Lit, ParseError> {
        let lit = match line.peek() {
            Some(Kind::Char(c)) => Lit::Char(*c),
            Some(Kind::Number(digits)) => match Integer::parse(digits) {
                Some(Integer::Small(small)) => Lit::Int(IntLit::Small(small)),
                Some(big) => {
                    let bigs = &mut self.out.bigs;
                    let id = self.bigs.entry(big.clone()).or_insert_with(|| bigs.push(big));
                    Lit::Int(IntLit::Big(*id))
                }
                None => return Err(line.expected("an integer")),
            },
            _ => return Err(line.expected("an integer or a CHAR")),
        };
        line.at += 1;
        Ok(lit)
    }

    fn find_global(&self, at: &Line<'_>, name: &str) -> Result<GlobalId, ParseError> {
        let found = self.globals.get(name).copied();
        found.ok_or_else(|| at.error(&format!("there is no global {}", for_message(name))))
    }

    fn find_con(&self, at: &Line<'_>, name: &str) -> Result<ConId, ParseError> {
        let found = self.cons.get(name).copied();
        found.ok_or_else(|| at.error(&format!("there is no constructor {}", for_message(name))))
    }

    fn find_host(&self, at: &Line<'_>, name: &str) -> Result<HostId, ParseError> {
        let found = self.hosts.get(name).copied();
        found.ok_or_else(|| at.error(&format!("there is no host function {}", for_message(name))))
    }
}

fn label(line: &mut Line<'_>) -> Result<Label, ParseError> {
    line.number("a label").map(Label)
}
