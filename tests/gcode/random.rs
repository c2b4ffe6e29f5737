//! Random programs: well-formed lifted core compiles to code that verifies; any program in
//! G-code reads back from its listing.

use proptest::prelude::*;

use super::read::Reader;
use super::{check, without_spans};
use gmachine::base::float::Float;
use gmachine::base::index::IndexVec;
use gmachine::base::integer::Integer;
use gmachine::base::span::Span;
use gmachine::compile::compile;
use gmachine::core::expr::*;
use gmachine::gcode::effect::Effect;
use gmachine::gcode::instr::{self, Instr, IntLit, Jumps, Label, Op, OperandKind};
use gmachine::gcode::program as g;
use gmachine::gcode::{parse, print, verify};
use gmachine::primitive::{Primitive, Shape};

/// A source of choices; when they run out, every choice is 0.
struct Choices {
    left: std::vec::IntoIter<u8>,
}

impl Choices {
    fn new(choices: Vec<u8>) -> Choices {
        Choices { left: choices.into_iter() }
    }

    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.left.next().map_or(0, |choice| choice as usize % bound.max(1))
    }

    fn is_empty(&self) -> bool {
        self.left.len() == 0
    }
}

/// Makes expressions of lifted core.
struct Maker {
    reader: Reader,
    choices: Choices,
    /// The locals in scope, and whether they are known to be evaluated.
    scope: Vec<(LocalId, bool)>,
    /// The joins whose bodies are being made.
    joins: Vec<JoinId>,
    globals: Vec<GlobalId>,
    cons: Vec<ConId>,
}

/// A program of lifted core, made by `choices`.
fn core_program(choices: Vec<u8>) -> Reader {
    let mut reader = Reader::default();
    let mut cons = vec![NIL, CONS];
    cons.extend(reader.data("Tree", &[("Leaf", 0), ("Node", 3), ("One", 1)]));
    let arities = [0, 0, 1, 2, 4];
    let globals: Vec<GlobalId> = ["main", "caf", "f1", "f2", "f4"]
        .into_iter()
        .map(|name| {
            let params = List::EMPTY;
            reader.global(name, GlobalKind::Defn { params, body: None }, Span::NONE)
        })
        .collect();
    let host = GlobalKind::Host { origin: HostOrigin::Function(0), arity: 2 };
    let now = GlobalKind::Host { origin: HostOrigin::Function(1), arity: 0 };
    let mut callable = globals.clone();
    callable.push(reader.global("host", host, Span::NONE));
    callable.push(reader.global("now", now, Span::NONE));
    // The primitives come first.
    callable.extend((0..19).map(GlobalId));
    let choices = Choices::new(choices);
    let mut maker =
        Maker { reader, choices, scope: Vec::new(), joins: Vec::new(), globals: callable, cons };
    for (id, arity) in globals.into_iter().zip(arities) {
        maker.scope.clear();
        let params: Vec<LocalId> = (0..arity).map(|_| maker.local(false)).collect();
        let body = Some(maker.strict(0, 0));
        let params = maker.reader.program.local_lists.add(params);
        maker.reader.program.globals[id].kind = GlobalKind::Defn { params, body };
    }
    maker.reader
}

use gmachine::base::index::List;

const DEPTH: usize = 12;

impl Maker {
    fn local(&mut self, evaluated: bool) -> LocalId {
        let name = self.reader.names.intern("x");
        let local = self.reader.program.local(Some(name), Span::NONE);
        self.scope.push((local, evaluated));
        local
    }

    fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let depth = self.scope.len();
        let result = inside(self);
        self.scope.truncate(depth);
        result
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        self.reader.program.expr(expr, Span::NONE)
    }

    fn leaf(&mut self) -> ExprId {
        let expr = match self.choices.below(7) {
            1 => Expr::Lit(Lit::Char('a')),
            2 => Expr::Text(self.reader.program.texts.push("text".into())),
            3 => Expr::Global(self.globals[self.choices.below(self.globals.len())]),
            4 => Expr::Con(self.cons[self.choices.below(self.cons.len())]),
            5 => {
                let big = Integer::from(i64::MAX).add(&Integer::ONE);
                Expr::Lit(Lit::Big(self.reader.program.bigs.push(big)))
            }
            6 if !self.scope.is_empty() => {
                Expr::Local(self.scope[self.choices.below(self.scope.len())].0)
            }
            _ => Expr::Lit(Lit::Int(1)),
        };
        self.add(expr)
    }

    /// An application of a global, a constructor, a local or a let; in a strict context, of
    /// the open joins those from `tails` on may be jumped to.
    fn app(&mut self, depth: usize, tails: Option<usize>) -> ExprId {
        let callee = match self.choices.below(6) {
            0 => Expr::Con(self.cons[self.choices.below(self.cons.len())]),
            1 if !self.scope.is_empty() => {
                Expr::Local(self.scope[self.choices.below(self.scope.len())].0)
            }
            _ => Expr::Global(self.globals[self.choices.below(self.globals.len())]),
        };
        let count = self.choices.below(4) + 1;
        // What a primitive with all its operands passes its strictness on to, and whether it
        // jumps out of them.
        let (inner, jumps) = match callee {
            Expr::Global(global) => match self.reader.program.globals[global].kind {
                GlobalKind::Primitive(primitive) => (
                    tails.is_some() && primitive.arity() == count,
                    matches!(primitive.shape(), Shape::If | Shape::Seq),
                ),
                _ => (false, false),
            },
            _ => (false, false),
        };
        let callee = self.add(callee);
        let args: Vec<ExprId> = (0..count)
            .map(|at| match tails {
                Some(tails) if inner && jumps && at > 0 => self.strict(tails, depth),
                Some(_) if inner => self.strict(self.joins.len(), depth),
                _ => self.lazy(depth),
            })
            .collect();
        let args = self.reader.program.expr_lists.add(args);
        self.add(Expr::App(callee, args))
    }

    fn letrec(&mut self, depth: usize, body: impl FnOnce(&mut Self) -> ExprId) -> ExprId {
        self.scoped(|m| {
            let count = m.choices.below(3) + 1;
            let locals: Vec<LocalId> = (0..count).map(|_| m.local(false)).collect();
            let binds: Vec<Bind> =
                locals.into_iter().map(|local| Bind { local, value: m.lazy(depth) }).collect();
            let binds = m.reader.program.binds.add(binds);
            let body = body(m);
            m.add(Expr::Letrec(binds, body))
        })
    }

    fn lazy(&mut self, depth: usize) -> ExprId {
        if depth > DEPTH || self.choices.is_empty() {
            return self.leaf();
        }
        match self.choices.below(5) {
            0 => self.leaf(),
            1 => {
                let value = self.lazy(depth + 1);
                self.scoped(|m| {
                    let local = m.local(false);
                    let body = m.lazy(depth + 1);
                    m.add(Expr::Let(local, value, body))
                })
            }
            2 => self.letrec(depth + 1, |m| m.lazy(depth + 1)),
            _ => self.app(depth + 1, None),
        }
    }

    /// An expression for a strict context; of the open joins, those from `tails` on may be
    /// jumped to there.
    fn strict(&mut self, tails: usize, depth: usize) -> ExprId {
        if depth > DEPTH || self.choices.is_empty() {
            return self.leaf();
        }
        let depth = depth + 1;
        match self.choices.below(10) {
            0 => self.leaf(),
            1 if tails < self.joins.len() => self.jump(tails, depth),
            1 => self.add(Expr::NoMatch),
            2 => {
                let value = self.lazy(depth);
                self.scoped(|m| {
                    let local = m.local(false);
                    let body = m.strict(tails, depth);
                    m.add(Expr::Let(local, value, body))
                })
            }
            3 => self.letrec(depth, |m| m.strict(tails, depth)),
            4 => {
                let value = self.strict(self.joins.len(), depth);
                self.scoped(|m| {
                    let local = m.local(true);
                    let body = m.strict(tails, depth);
                    m.add(Expr::Force(local, value, body))
                })
            }
            5 => self.join(tails, depth),
            6 | 7 if !self.scope.is_empty() => self.switch(tails, depth),
            _ => self.app(depth, Some(tails)),
        }
    }

    fn join(&mut self, tails: usize, depth: usize) -> ExprId {
        let count = self.choices.below(4);
        let (params, handler) = self.scoped(|m| {
            let params: Vec<LocalId> = (0..count).map(|_| m.local(false)).collect();
            (params, m.strict(tails, depth))
        });
        let params = self.reader.program.local_lists.add(params);
        let join = self.reader.program.joins.push(Join { params, handler });
        self.joins.push(join);
        let body = self.strict(tails, depth);
        self.joins.pop();
        self.add(Expr::Join(join, body))
    }

    fn jump(&mut self, tails: usize, depth: usize) -> ExprId {
        let join = self.joins[tails + self.choices.below(self.joins.len() - tails)];
        let count = self.reader.program.joins[join].params.len();
        let args: Vec<ExprId> = (0..count).map(|_| self.lazy(depth)).collect();
        let args = self.reader.program.expr_lists.add(args);
        self.add(Expr::Jump(join, args))
    }

    fn switch(&mut self, tails: usize, depth: usize) -> ExprId {
        let (scrutinee, evaluated) = self.scope[self.choices.below(self.scope.len())];
        let branches = match self.choices.below(3) {
            0 => Branches::Lits(vec![
                (Lit::Int(0), self.strict(tails, depth)),
                (Lit::Int(7), self.strict(tails, depth)),
            ]),
            kind => {
                let cons = if kind == 1 { 0..2 } else { 2..5 };
                let mut branches = Vec::new();
                for at in cons.clone() {
                    if branches.is_empty() && at + 1 == cons.end || self.choices.below(3) > 0 {
                        branches.push(self.branch(self.cons[at], tails, depth));
                    }
                }
                Branches::Cons(branches)
            }
        };
        let default = (self.choices.below(2) > 0).then(|| self.strict(tails, depth));
        let switch = Switch { scrutinee, evaluated, branches, default };
        let switch = self.reader.program.switches.push(switch);
        self.add(Expr::Switch(switch))
    }

    fn branch(&mut self, con: ConId, tails: usize, depth: usize) -> ConBranch {
        self.scoped(|m| {
            let arity = m.reader.program.cons[con].arity;
            let fields =
                (0..arity).map(|_| (m.choices.below(3) > 0).then(|| m.local(false))).collect();
            ConBranch { con, fields, body: m.strict(tails, depth) }
        })
    }
}

/// A program in G-code whose numbers all name something, and that need make no sense.
fn code_program(choices: Vec<u8>, names: Vec<String>) -> g::Program {
    let mut choices = Choices::new(choices);
    let mut names = names.into_iter().enumerate().map(|(i, name)| format!("{name}{i}").into());
    let mut name = || names.next().unwrap_or_else(|| "none".into());
    let mut program = g::Program::default();
    for data in 0..2 {
        let mut cons = Vec::new();
        for tag in 0..2 {
            let symbol: std::sync::Arc<str> = name();
            let name = if choices.below(2) == 0 { symbol.clone() } else { name() };
            let arity = choices.below(4) as u32;
            cons.push(program.cons.push(g::Con {
                symbol,
                name,
                data: g::DataId(data),
                tag,
                arity,
            }));
        }
        program.datas.push(g::Data { symbol: name(), cons });
    }
    program.hosts.push(g::Host { name: name(), arity: 2 });
    let globals = choices.below(4);
    for _ in 0..globals {
        let arity = choices.below(3) as u32;
        let kind = match choices.below(4) {
            0 => g::GlobalKind::Supercombinator,
            1 => g::GlobalKind::Primitive,
            2 => g::GlobalKind::Constructor(g::ConId(choices.below(4) as u32)),
            _ => g::GlobalKind::Host(g::HostId(0)),
        };
        let symbol: std::sync::Arc<str> = name();
        let display = match choices.below(3) {
            0 => None,
            1 => Some(symbol.clone()),
            _ => Some(name()),
        };
        let params: Vec<_> = match choices.below(2) {
            0 => Vec::new(),
            _ => (0..arity).map(|i| (i == 0).then(&mut name)).collect(),
        };
        let mut strict: Vec<bool> = params.iter().map(|_| choices.below(2) == 0).collect();
        if !strict.contains(&true) {
            strict.clear();
        }
        let count = choices.below(20);
        let code: Vec<Instr> =
            (0..count).map(|_| instruction(&mut choices, &mut program, globals)).collect();
        let spans = vec![Span::NONE; code.len()];
        let span = Span::NONE;
        program.globals.push(g::Global {
            symbol,
            display,
            kind,
            arity,
            params,
            strict,
            code,
            spans,
            span,
        });
    }
    program.main = (globals > 0).then_some(g::GlobalId(0));
    program
}

fn instruction(choices: &mut Choices, program: &mut g::Program, globals: usize) -> Instr {
    let op = Op::ALL[choices.below(Op::ALL.len())];
    let operands = op
        .operands()
        .iter()
        .map(|(_, kind)| match kind {
            OperandKind::Number => instr::Operand::Number(number(choices)),
            OperandKind::Global => {
                instr::Operand::Global(g::GlobalId(choices.below(globals) as u32))
            }
            OperandKind::Int => instr::Operand::Int(int(choices, program)),
            OperandKind::Float => {
                let value = [1.5, -0.0, 5e-324, f64::NAN, f64::NEG_INFINITY][choices.below(5)];
                instr::Operand::Float(Float::new(value))
            }
            OperandKind::Primitive => {
                let at = choices.below(Primitive::ALL.len());
                instr::Operand::Primitive(Primitive::ALL[at])
            }
            OperandKind::Effect => {
                let at = choices.below(Effect::ALL.len());
                instr::Operand::Effect(Effect::ALL[at])
            }
            OperandKind::Char => instr::Operand::Char(char(choices)),
            OperandKind::Text => {
                let text = ["", "a\n\"'\\", "λ\u{1b};"][choices.below(3)];
                instr::Operand::Text(entry(&mut program.texts, text.into()))
            }
            OperandKind::Con => instr::Operand::Con(g::ConId(choices.below(4) as u32)),
            OperandKind::Host => instr::Operand::Host(g::HostId(0)),
            OperandKind::Label => instr::Operand::Label(Label(number(choices))),
            OperandKind::ConJumps => {
                instr::Operand::ConJumps(Box::new(jumps(choices, |choices| {
                    g::ConId(choices.below(4) as u32)
                })))
            }
            OperandKind::LitJumps => {
                instr::Operand::LitJumps(Box::new(jumps(choices, |choices| {
                    match choices.below(2) {
                        0 => instr::Lit::Char(char(choices)),
                        _ => instr::Lit::Int(int(choices, program)),
                    }
                })))
            }
        })
        .collect();
    op.with(operands).expect("operands of its kinds")
}

fn number(choices: &mut Choices) -> u32 {
    [0, 1, 7, 1000, u32::MAX][choices.below(5)]
}

fn char(choices: &mut Choices) -> char {
    ['a', '\'', '"', '\\', ';', '\n', '\u{85}', '\u{2028}', '\u{10FFFF}'][choices.below(9)]
}

fn int(choices: &mut Choices, program: &mut g::Program) -> IntLit {
    match choices.below(4) {
        0 => IntLit::Small(i64::MIN),
        1 => IntLit::Small(i64::from(number(choices))),
        digits => {
            let big = format!("-1{}", "0".repeat(20 + digits));
            IntLit::Big(entry(&mut program.bigs, Integer::parse(&big).expect("digits")))
        }
    }
}

fn jumps<K>(choices: &mut Choices, mut key: impl FnMut(&mut Choices) -> K) -> Jumps<K> {
    let default = (choices.below(2) > 0).then(|| Label(number(choices)));
    let count = choices.below(3) + usize::from(default.is_none());
    let branches = (0..count).map(|_| (key(choices), Label(number(choices)))).collect();
    Jumps { branches, default }
}

/// The number of an item in a table that has it once.
fn entry<I: gmachine::base::index::Idx, T: PartialEq>(table: &mut IndexVec<I, T>, item: T) -> I {
    let found = table.enumerate().find(|(_, known)| **known == item).map(|(id, _)| id);
    found.unwrap_or_else(|| table.push(item))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn lifted_core_compiles_to_code_that_verifies(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let Reader { program, names, .. } = core_program(choices);
        check(&compile(&program, &names));
    }

    #[test]
    fn any_program_reads_back(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        names in prop::collection::vec(".{0,3}|[a-z]{1,4}[.$'_-]?", 24),
    ) {
        let program = code_program(choices, names);
        let listing = print::program(&program, &mut print::bare);
        let back = parse::parse(&listing);
        prop_assert_eq!(back, Ok(without_spans(program)), "{}", listing);
    }

    #[test]
    fn any_program_can_be_judged(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        names in prop::collection::vec("[a-z]{1,4}", 24),
    ) {
        let program = code_program(choices, names);
        for violation in verify::verify(&program) {
            prop_assert!(!violation.to_string().is_empty());
        }
    }
}
