//! A naive interpreter of compact code, to compare the translation with the reference
//! machine. Before each instruction it forgets every slot that does not count as alive there.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use gmachine::base::float::Float;
use gmachine::base::integer::Integer;
use gmachine::base::stack::ensure_sufficient_stack;
use gmachine::gcode::program::{CONS, ConId, GlobalId, GlobalKind, NIL, TextId};
use gmachine::machine::fast::code::instr::{Arg, Dst, Forced, Instr, Pc, Slot};
use gmachine::machine::fast::code::program::{Program, ThunkId};
use gmachine::machine::heap::word::{View, Word};
use gmachine::machine::print::{Format, Move, PrintError, Printer, Shape};
use gmachine::primitive::Primitive;
use num_bigint::BigInt;

use crate::numbers::{self, Missing, Number};

/// Why a run ends early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program fails.
    Fails(&'static str),
    /// It takes too long.
    Fuel,
    /// The code does what no code may do.
    Broken(String),
}

type Result<T> = std::result::Result<T, Stop>;

#[derive(Clone, Debug)]
enum Val {
    Int(Rc<Integer>),
    Float(f64),
    Char(char),
    Con(ConId),
    Function(GlobalId),
    Node(Rc<RefCell<Node>>),
    Nothing,
}

#[derive(Debug)]
enum Node {
    Con(ConId, Vec<Val>),
    Pap(GlobalId, Vec<Val>),
    Thunk(ThunkId, Vec<Val>),
    Text(TextId, usize),
    Input,
    Hole,
    Ind(Val),
}

fn node(node: Node) -> Val {
    Val::Node(Rc::new(RefCell::new(node)))
}

fn int(value: i64) -> Val {
    Val::Int(Rc::new(Integer::Small(value)))
}

fn immediate(word: Word) -> Val {
    match word.view() {
        View::Int(value) => int(value),
        View::Float(value) => Val::Float(value.get()),
        View::Char(c) => Val::Char(c),
        View::Con(con) => Val::Con(con),
        View::Function(global) => Val::Function(global),
        View::Node(_) | View::Nothing => Val::Nothing,
    }
}

/// Computes a primitive on bits, words or floats.
fn numeric(primitive: Primitive, args: &[Val]) -> Result<Val> {
    let operand = |arg: &Val| match arg {
        Val::Int(value) => Ok(Number::Int(BigInt::from(&**value))),
        Val::Float(value) => Ok(Number::Float(*value)),
        _ => Err(Stop::Fails("an operand")),
    };
    let operands: Vec<Number> = args.iter().map(operand).collect::<Result<_>>()?;
    match numbers::compute(primitive.name(), &operands) {
        Ok(Number::Int(value)) => Ok(Val::Int(Rc::new(Integer::from(value)))),
        Ok(Number::Float(value)) => Ok(Val::Float(value)),
        Err(Missing::Fails) => Err(Stop::Fails("a primitive")),
        Err(Missing::Large) => Err(Stop::Fuel),
    }
}

/// Where an evaluation goes on.
enum Next {
    Value(Val),
    Enter(u32, Vec<Val>),
}

/// The interpreter.
pub struct Naive {
    program: Arc<Program>,
    cafs: Vec<Val>,
    input: std::vec::IntoIter<char>,
    fuel: u64,
    /// Instructions executed.
    pub steps: u64,
}

/// Runs a program; returns what it printed, and how it ended.
pub fn run(program: Arc<Program>, input: &str, fuel: u64) -> (String, Result<()>) {
    let caf = |(at, _): (usize, _)| {
        // As if it were a thunk of its own; `Thunk` ids past the table are CAFs.
        node(Node::Thunk(ThunkId(program.thunks.len() as u32 + at as u32), Vec::new()))
    };
    let cafs = program.globals.iter().enumerate().map(caf).collect();
    let input = input.chars().collect::<Vec<_>>().into_iter();
    let mut naive = Naive { program, cafs, input, fuel, steps: 0 };
    let mut out = String::new();
    let result = naive.main(&mut out);
    // Long lists are dropped piece by piece: not here.
    std::mem::forget(naive);
    (out, result)
}

impl Naive {
    fn main(&mut self, out: &mut String) -> Result<()> {
        let Some(main) = self.program.gcode.main else { return Err(Stop::Broken("main".into())) };
        let takes = self.program.globals[main].takes;
        let value = match takes {
            0 => self.cafs[main.0 as usize].clone(),
            _ => {
                let pc = self.program.globals[main].pc.0;
                self.go(pc, vec![node(Node::Input)])?
            }
        };
        let mut printer = Printer::new(Format::Default);
        let mut stack = vec![value];
        while !printer.is_done() {
            let top = stack.pop().unwrap_or(Val::Nothing);
            let top = self.eval(top)?;
            let parts = self.parts(&top);
            let big;
            let shape = match &top {
                Val::Int(value) => {
                    big = value.clone();
                    Shape::Int(&big)
                }
                Val::Float(value) => Shape::Float(Float::new(*value)),
                Val::Char(c) => Shape::Char(*c),
                Val::Con(NIL) => Shape::Nil,
                Val::Con(con) => self.con(*con),
                Val::Function(id) => self.function(*id, 0),
                Val::Node(node) => match &*node.borrow() {
                    Node::Con(CONS, _) => Shape::Cons,
                    Node::Con(con, _) => self.con(*con),
                    Node::Pap(id, args) => self.function(*id, args.len()),
                    other => return Err(Stop::Broken(format!("{other:?} is printed"))),
                },
                Val::Nothing => return Err(Stop::Broken("nothing is printed".into())),
            };
            match printer.value(shape, out) {
                Ok(Move::Drop) => {}
                Ok(Move::Fields) => stack.extend(parts.into_iter().rev()),
                Ok(Move::Backward) => stack.extend(parts),
                Ok(Move::Under) => stack.insert(stack.len() - 1, top),
                Ok(Move::Reverse { keep, count }) => {
                    stack.extend(keep.then_some(top));
                    let from = stack.len() - count - usize::from(keep);
                    stack[from..].reverse();
                }
                Err(PrintError::Value(..)) => return Err(Stop::Fails("print")),
                Err(PrintError::Output(_)) => return Err(Stop::Broken("output".into())),
            }
        }
        _ = printer.end_line(out);
        std::mem::forget(stack);
        Ok(())
    }

    fn parts(&self, value: &Val) -> Vec<Val> {
        match value {
            Val::Node(node) => match &*node.borrow() {
                Node::Con(_, parts) | Node::Pap(_, parts) => parts.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn con(&self, id: ConId) -> Shape<'_> {
        let con = &self.program.gcode.cons[id];
        Shape::Con { name: &con.name, fields: con.arity as usize, readable: Some(&con.name) }
    }

    fn function(&self, id: GlobalId, arguments: usize) -> Shape<'_> {
        let global = &self.program.gcode.globals[id];
        let name = global.display.as_deref();
        let readable = name.filter(|_| !matches!(global.kind, GlobalKind::Host(_)));
        Shape::Function { name, arguments, readable }
    }

    fn eval(&mut self, mut value: Val) -> Result<Val> {
        loop {
            let Val::Node(node) = &value else { return Ok(value) };
            let node = node.clone();
            let entered = match &*node.borrow() {
                Node::Con(..) | Node::Pap(..) => return Ok(value),
                Node::Hole => return Err(Stop::Fails("depends on itself")),
                Node::Ind(to) => {
                    let to = to.clone();
                    value = to;
                    continue;
                }
                Node::Thunk(id, captured) => Some((*id, captured.clone())),
                Node::Text(..) | Node::Input => None,
            };
            let result = match entered {
                Some((id, captured)) => {
                    *node.borrow_mut() = Node::Hole;
                    let thunks = self.program.thunks.len() as u32;
                    let pc = match id.0.checked_sub(thunks) {
                        None => self.program.thunks[id].entry.pc.0,
                        Some(caf) => self.program.globals[GlobalId(caf)].pc.0,
                    };
                    ensure_sufficient_stack(|| self.go(pc, captured))?
                }
                None => self.unpack(&node),
            };
            *node.borrow_mut() = Node::Ind(result.clone());
            return Ok(result);
        }
    }

    fn unpack(&mut self, of: &Rc<RefCell<Node>>) -> Val {
        let (c, rest) = match *of.borrow() {
            Node::Text(text, at) => {
                let rest = &self.program.gcode.texts[text][at..];
                let c = rest.chars().next();
                (c, Node::Text(text, at + c.map_or(0, char::len_utf8)))
            }
            _ => (self.input.next(), Node::Input),
        };
        match c {
            Some(c) => node(Node::Con(CONS, vec![Val::Char(c), node(rest)])),
            None => Val::Con(NIL),
        }
    }

    fn go(&mut self, mut pc: u32, mut frame: Vec<Val>) -> Result<Val> {
        loop {
            match self.code(pc, frame)? {
                Next::Value(value) => return Ok(value),
                Next::Enter(to, slots) => (pc, frame) = (to, slots),
            }
        }
    }

    /// Applies a function to arguments, all of which it takes or not.
    fn apply(&mut self, f: Val, mut args: Vec<Val>) -> Result<Next> {
        let mut f = self.eval(f)?;
        loop {
            let id = match &f {
                Val::Function(id) => *id,
                Val::Node(node) => match &*node.borrow() {
                    Node::Pap(id, first) => {
                        args = first.iter().cloned().chain(args).collect();
                        *id
                    }
                    _ => return Err(Stop::Fails("no function")),
                },
                _ => return Err(Stop::Fails("no function")),
            };
            let entry = self.program.globals[id];
            match args.len().cmp(&(entry.takes as usize)) {
                Ordering::Less => return Ok(Next::Value(node(Node::Pap(id, args)))),
                Ordering::Equal => return Ok(Next::Enter(entry.pc.0, args)),
                Ordering::Greater => {
                    let rest = args.split_off(entry.takes as usize);
                    f = ensure_sufficient_stack(|| self.go(entry.pc.0, args))?;
                    args = rest;
                }
            }
        }
    }

    fn code(&mut self, mut pc: u32, mut frame: Vec<Val>) -> Result<Next> {
        let program = self.program.clone();
        frame.resize(256.max(frame.len()), Val::Nothing);
        loop {
            self.steps += 1;
            if self.steps > self.fuel {
                return Err(Stop::Fuel);
            }
            let live = &program.stack_maps[program.stack_map_of[pc as usize]];
            let mut alive = live.slots.iter().peekable();
            for (slot, value) in (0u32..).zip(frame.iter_mut()) {
                if alive.peek() == Some(&&slot) {
                    alive.next();
                } else {
                    *value = Val::Nothing;
                }
            }
            if let Some(&&slot) = alive.peek() {
                frame.resize(slot as usize + 256, Val::Nothing);
            }
            let instr = program.code[pc as usize];
            pc = match self.step(&program, instr, pc, &mut frame)? {
                Ok(next) => next,
                Err(next) => return Ok(next),
            };
        }
    }

    fn step(
        &mut self,
        program: &Program,
        instr: Instr,
        pc: u32,
        frame: &mut Vec<Val>,
    ) -> Result<std::result::Result<u32, Next>> {
        macro_rules! slot {
            ($slot:expr) => {
                match frame.get($slot as usize) {
                    Some(Val::Nothing) | None => {
                        return Err(Stop::Broken(format!("{pc}: {instr:?} reads a dead slot")))
                    }
                    Some(value) => value.clone(),
                }
            };
        }
        macro_rules! arg {
            ($arg:expr) => {
                match ($arg.as_slot(), $arg.as_constant()) {
                    (Some(slot), _) => slot!(slot),
                    (_, Some(id)) => immediate(program.consts[id]),
                    _ => Val::Nothing,
                }
            };
        }
        macro_rules! args {
            ($args:expr) => {{
                let mut values = Vec::new();
                for arg in &program.args[$args] {
                    values.push(arg!(arg));
                }
                values
            }};
        }
        macro_rules! forced {
            ($slot:expr) => {{
                let Forced(slot) = $slot;
                let value = self.eval(slot!(slot))?;
                frame[slot as usize] = value.clone();
                value
            }};
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value = $value;
                if $slot as usize >= frame.len() {
                    frame.resize($slot as usize + 1, Val::Nothing);
                }
                frame[$slot as usize] = value;
                pc + 1
            }};
        }
        macro_rules! arithmetic {
            ($d:expr, $a:expr, $b:expr, $op:expr) => {{
                let (a, b) = (number(&$a)?, number(&$b)?);
                let value: Option<Integer> = $op(&a, &b);
                let Some(value) = value else { return Err(Stop::Fails("by zero")) };
                set!($d.0, Val::Int(Rc::new(value)))
            }};
        }
        macro_rules! numeric {
            ($d:expr, $op:expr, $($arg:expr),+) => {{
                let value = numeric($op, &[$($arg),+])?;
                set!($d.0, value)
            }};
        }
        macro_rules! comparison {
            ($d:expr, $a:expr, $b:expr, $holds:expr) => {{
                let order = compare(&forced!($a), &forced!($b))?;
                set!($d.0, int($holds(order).into()))
            }};
        }
        macro_rules! unless {
            ($a:expr, $b:expr, $to:expr, $holds:expr) => {{
                let order = compare(&$a, &$b)?;
                if $holds(order) { pc + 1 } else { $to.0 }
            }};
        }
        macro_rules! fill {
            ($a:expr, $node:expr) => {{
                let filled = $node;
                let Val::Node(hole) = slot!($a.0) else { return Err(Stop::Broken("fill".into())) };
                *hole.borrow_mut() = filled;
                pc + 1
            }};
        }
        macro_rules! call {
            ($base:expr, $global:expr, $args:expr) => {{
                let args = $args;
                let entry = program.globals[$global].pc.0;
                frame.truncate($base.0 as usize);
                let value = ensure_sufficient_stack(|| self.go(entry, args))?;
                set!($base.0, value)
            }};
        }
        macro_rules! apply {
            ($base:expr, $f:expr, $args:expr) => {{
                let (f, args) = (arg!($f), $args);
                frame.truncate($base.0 as usize);
                let value = match self.apply(f, args)? {
                    Next::Value(value) => value,
                    Next::Enter(pc, slots) => ensure_sufficient_stack(|| self.go(pc, slots))?,
                };
                set!($base.0, value)
            }};
        }
        macro_rules! tail_apply {
            ($f:expr, $args:expr) => {{
                let (f, args) = (arg!($f), $args);
                frame.clear();
                return Ok(Err(self.apply(f, args)?));
            }};
        }
        let tail =
            |global: GlobalId, args: Vec<Val>| Next::Enter(program.globals[global].pc.0, args);
        let k = |k: i32| int(i64::from(k));
        let float = |k: Float| Val::Float(k.get());
        let next = match instr {
            Instr::Halt {} => unreachable!("the machine's own"),
            Instr::Move { d, a } => {
                // The one instruction that may write nothing.
                let nothing = a.as_constant().is_some_and(|id| program.consts[id] == Word::NOTHING);
                let value = if nothing { int(0) } else { arg!(a) };
                set!(d.0, value)
            }
            Instr::Caf { d, global } => set!(d.0, self.cafs[global.0 as usize].clone()),
            Instr::Big { d, big } => set!(d.0, Val::Int(Rc::new(program.bigs[big].clone()))),
            Instr::Float { d, value } => set!(d.0, Val::Float(value.get())),
            Instr::Text { d, text } => set!(d.0, node(Node::Text(text, 0))),
            Instr::Con1 { d, con, a } => set!(d.0, node(Node::Con(con, vec![arg!(a)]))),
            Instr::Con2 { d, con, a, b } => set!(d.0, node(Node::Con(con, vec![arg!(a), arg!(b)]))),
            Instr::Con3 { d, con, a, b, c } => {
                set!(d.0, node(Node::Con(con, vec![arg!(a), arg!(b), arg!(c)])))
            }
            Instr::ConN { d, con, args } => set!(d.0, node(Node::Con(con, args!(args)))),
            Instr::Thunk1 { d, thunk, a }
            | Instr::Cheap1 { d, thunk, a }
            | Instr::CheapSum { d, thunk, a, .. } => {
                set!(d.0, node(Node::Thunk(thunk, vec![arg!(a)])))
            }
            Instr::Thunk2 { d, thunk, a, b } | Instr::Cheap2 { d, thunk, a, b } => {
                set!(d.0, node(Node::Thunk(thunk, vec![arg!(a), arg!(b)])))
            }
            Instr::Thunk3 { d, thunk, a, b, c } | Instr::Cheap3 { d, thunk, a, b, c } => {
                set!(d.0, node(Node::Thunk(thunk, vec![arg!(a), arg!(b), arg!(c)])))
            }
            Instr::ThunkN { d, thunk, args } | Instr::CheapN { d, thunk, args } => {
                set!(d.0, node(Node::Thunk(thunk, args!(args))))
            }
            Instr::Pap { d, global, args } => set!(d.0, node(Node::Pap(global, args!(args)))),
            Instr::Hole { d, .. } => set!(d.0, node(Node::Hole)),
            Instr::FillCon { a, con, args } => fill!(a, Node::Con(con, args!(args))),
            Instr::FillThunk { a, thunk, args } => fill!(a, Node::Thunk(thunk, args!(args))),
            Instr::FillPap { a, global, args } => fill!(a, Node::Pap(global, args!(args))),
            Instr::FillInd { a, b } => {
                let (hole, mut to) = (slot!(a.0), arg!(b));
                let Val::Node(hole) = hole else { return Err(Stop::Broken("fill".into())) };
                loop {
                    let next = match &to {
                        Val::Node(at) if Rc::ptr_eq(at, &hole) => break,
                        Val::Node(at) => match &*at.borrow() {
                            Node::Ind(next) => Some(next.clone()),
                            _ => None,
                        },
                        _ => None,
                    };
                    let Some(next) = next else {
                        *hole.borrow_mut() = Node::Ind(to);
                        break;
                    };
                    to = next;
                }
                pc + 1
            }
            Instr::Add { d, a, b } => {
                arithmetic!(d, forced!(a), forced!(b), |a: &Integer, b| Some(a.add(b)))
            }
            Instr::Sub { d, a, b } => {
                arithmetic!(d, forced!(a), forced!(b), |a: &Integer, b| Some(a.sub(b)))
            }
            Instr::Mul { d, a, b } => {
                arithmetic!(d, forced!(a), forced!(b), |a: &Integer, b| Some(a.mul(b)))
            }
            Instr::Div { d, a, b } => arithmetic!(d, forced!(a), forced!(b), Integer::div),
            Instr::Rem { d, a, b } => arithmetic!(d, forced!(a), forced!(b), Integer::rem),
            Instr::FloorDiv { d, a, b } => {
                arithmetic!(d, forced!(a), forced!(b), Integer::floor_div)
            }
            Instr::Mod { d, a, b } => arithmetic!(d, forced!(a), forced!(b), Integer::modulo),
            Instr::AddInt { d, a, k: b } => {
                arithmetic!(d, forced!(a), k(b), |a: &Integer, b| Some(a.add(b)))
            }
            Instr::SubFrom { d, a, k: b } => {
                arithmetic!(d, forced!(a), k(b), |a, b: &Integer| Some(b.sub(a)))
            }
            Instr::MulInt { d, a, k: b } => {
                arithmetic!(d, forced!(a), k(b), |a: &Integer, b| Some(a.mul(b)))
            }
            Instr::DivInt { d, a, k: b } => arithmetic!(d, forced!(a), k(b), Integer::div),
            Instr::RemInt { d, a, k: b } => arithmetic!(d, forced!(a), k(b), Integer::rem),
            Instr::FloorDivInt { d, a, k: b } => {
                arithmetic!(d, forced!(a), k(b), Integer::floor_div)
            }
            Instr::ModInt { d, a, k: b } => arithmetic!(d, forced!(a), k(b), Integer::modulo),
            Instr::Neg { d, a } => {
                let value = number(&forced!(a))?.negate();
                set!(d.0, Val::Int(Rc::new(value)))
            }
            Instr::Ord { d, a } => {
                let Val::Char(c) = forced!(a) else { return Err(Stop::Fails("ord")) };
                set!(d.0, int(i64::from(u32::from(c))))
            }
            Instr::Chr { d, a } => {
                let code = number(&forced!(a))?.to_i64();
                let c = code.and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
                let Some(c) = c else { return Err(Stop::Fails("chr")) };
                set!(d.0, Val::Char(c))
            }
            Instr::Eq { d, a, b } => comparison!(d, a, b, Ordering::is_eq),
            Instr::Ne { d, a, b } => comparison!(d, a, b, Ordering::is_ne),
            Instr::Lt { d, a, b } => comparison!(d, a, b, Ordering::is_lt),
            Instr::Le { d, a, b } => comparison!(d, a, b, Ordering::is_le),
            Instr::Gt { d, a, b } => comparison!(d, a, b, Ordering::is_gt),
            Instr::Ge { d, a, b } => comparison!(d, a, b, Ordering::is_ge),
            Instr::FAdd { d, a, b } => numeric!(d, Primitive::FAdd, forced!(a), forced!(b)),
            Instr::FSub { d, a, b } => numeric!(d, Primitive::FSub, forced!(a), forced!(b)),
            Instr::FMul { d, a, b } => numeric!(d, Primitive::FMul, forced!(a), forced!(b)),
            Instr::FDiv { d, a, b } => numeric!(d, Primitive::FDiv, forced!(a), forced!(b)),
            Instr::FAddConst { d, a, k } => numeric!(d, Primitive::FAdd, forced!(a), float(k)),
            Instr::FSubConst { d, a, k } => numeric!(d, Primitive::FSub, forced!(a), float(k)),
            Instr::FSubFrom { d, a, k } => numeric!(d, Primitive::FSub, float(k), forced!(a)),
            Instr::FMulConst { d, a, k } => numeric!(d, Primitive::FMul, forced!(a), float(k)),
            Instr::FDivConst { d, a, k } => numeric!(d, Primitive::FDiv, forced!(a), float(k)),
            Instr::FDivInto { d, a, k } => numeric!(d, Primitive::FDiv, float(k), forced!(a)),
            Instr::AddI64 { d, a, b } => numeric!(d, Primitive::AddI64, forced!(a), forced!(b)),
            Instr::AddI64Int { d, a, k: b } => numeric!(d, Primitive::AddI64, forced!(a), k(b)),
            Instr::SubI64 { d, a, b } => numeric!(d, Primitive::SubI64, forced!(a), forced!(b)),
            Instr::MulI64 { d, a, b } => numeric!(d, Primitive::MulI64, forced!(a), forced!(b)),
            Instr::AddU64 { d, a, b } => numeric!(d, Primitive::AddU64, forced!(a), forced!(b)),
            Instr::SubU64 { d, a, b } => numeric!(d, Primitive::SubU64, forced!(a), forced!(b)),
            Instr::MulU64 { d, a, b } => numeric!(d, Primitive::MulU64, forced!(a), forced!(b)),
            Instr::Unary { d, a, op } => numeric!(d, op, forced!(a)),
            Instr::Binary { d, a, b, op } => numeric!(d, op, forced!(a), forced!(b)),
            Instr::BinaryInt { d, a, k: b, op } => numeric!(d, op, forced!(a), k(b)),
            Instr::UnlessFloat { a, b, op, to } => match numeric(op, &[forced!(a), forced!(b)])? {
                Val::Int(value) if value.to_i64() == Some(1) => pc + 1,
                _ => to.0,
            },
            Instr::UnlessFloatConst { a, k, op, to } => {
                match numeric(op, &[forced!(a), float(k)])? {
                    Val::Int(value) if value.to_i64() == Some(1) => pc + 1,
                    _ => to.0,
                }
            }
            Instr::UnlessEq { a, b, to } => unless!(forced!(a), forced!(b), to, Ordering::is_eq),
            Instr::UnlessNe { a, b, to } => unless!(forced!(a), forced!(b), to, Ordering::is_ne),
            Instr::UnlessLt { a, b, to } => unless!(forced!(a), forced!(b), to, Ordering::is_lt),
            Instr::UnlessLe { a, b, to } => unless!(forced!(a), forced!(b), to, Ordering::is_le),
            Instr::UnlessGt { a, b, to } => unless!(forced!(a), forced!(b), to, Ordering::is_gt),
            Instr::UnlessGe { a, b, to } => unless!(forced!(a), forced!(b), to, Ordering::is_ge),
            Instr::UnlessEqInt { a, k: b, to } => unless!(forced!(a), k(b), to, Ordering::is_eq),
            Instr::UnlessNeInt { a, k: b, to } => unless!(forced!(a), k(b), to, Ordering::is_ne),
            Instr::UnlessLtInt { a, k: b, to } => unless!(forced!(a), k(b), to, Ordering::is_lt),
            Instr::UnlessLeInt { a, k: b, to } => unless!(forced!(a), k(b), to, Ordering::is_le),
            Instr::UnlessGtInt { a, k: b, to } => unless!(forced!(a), k(b), to, Ordering::is_gt),
            Instr::UnlessGeInt { a, k: b, to } => unless!(forced!(a), k(b), to, Ordering::is_ge),
            Instr::UnlessEqChar { a, k, to } => {
                unless!(forced!(a), Val::Char(k), to, Ordering::is_eq)
            }
            Instr::UnlessNeChar { a, k, to } => {
                unless!(forced!(a), Val::Char(k), to, Ordering::is_ne)
            }
            Instr::UnlessLtChar { a, k, to } => {
                unless!(forced!(a), Val::Char(k), to, Ordering::is_lt)
            }
            Instr::UnlessLeChar { a, k, to } => {
                unless!(forced!(a), Val::Char(k), to, Ordering::is_le)
            }
            Instr::UnlessGtChar { a, k, to } => {
                unless!(forced!(a), Val::Char(k), to, Ordering::is_gt)
            }
            Instr::UnlessGeChar { a, k, to } => {
                unless!(forced!(a), Val::Char(k), to, Ordering::is_ge)
            }
            Instr::Unless { a, to } => match forced!(a) {
                Val::Int(value) if value.to_i64() == Some(1) => pc + 1,
                Val::Int(value) if value.to_i64() == Some(0) => to.0,
                _ => return Err(Stop::Fails("condition")),
            },
            Instr::Jump { to: Pc(to) } => to,
            Instr::CaseList { a, head: Dst(head), tail: Dst(tail), nil: Pc(nil) } => {
                let value = forced!(a);
                match (&value, &self.parts(&value)[..]) {
                    (Val::Con(NIL), _) => nil,
                    (Val::Node(node), [h, t]) if matches!(&*node.borrow(), Node::Con(CONS, _)) => {
                        _ = set!(head, h.clone());
                        set!(tail, t.clone())
                    }
                    _ => return Err(Stop::Fails("case")),
                }
            }
            Instr::Case1 { a, con } => match scrutinee(&forced!(a))? {
                found if found == con => pc + 1,
                _ => return Err(Stop::Fails("case")),
            },
            Instr::Case2 { a, con, to: Pc(to) } => match scrutinee(&forced!(a))? {
                found if found == con => pc + 1,
                found if program.gcode.cons[found].data == program.gcode.cons[con].data => to,
                _ => return Err(Stop::Fails("case")),
            },
            Instr::Unpack2 { d, e, a, con } => {
                let value = forced!(a);
                match (scrutinee(&value)?, &self.parts(&value)[..]) {
                    (found, [first, second]) if found == con => {
                        _ = set!(d.0, first.clone());
                        set!(e.0, second.clone())
                    }
                    _ => return Err(Stop::Fails("case")),
                }
            }
            Instr::Case { a, case } => {
                let con = scrutinee(&forced!(a))?;
                let case = &program.cases[case];
                let at = con.0.checked_sub(case.first.0);
                match at.and_then(|at| case.targets.get(at as usize)) {
                    Some(Pc(to)) => *to,
                    None => return Err(Stop::Fails("case")),
                }
            }
            Instr::LitCase { a, case } => {
                let (value, case) = (forced!(a), &program.lit_cases[case]);
                let found = match (&value, case.chars) {
                    (Val::Char(c), true) => {
                        case.words.iter().find(|(word, _)| *word == Word::char(*c)).map(|b| b.1)
                    }
                    (Val::Int(value), false) => {
                        let word = value.to_i64().and_then(Word::int);
                        let small = case.words.iter().find(|(w, _)| Some(*w) == word);
                        let big = case.bigs.iter().find(|(big, _)| program.bigs[*big] == **value);
                        small.map(|b| b.1).or(big.map(|b| b.1))
                    }
                    _ => return Err(Stop::Fails("case")),
                };
                found.unwrap_or(case.default).0
            }
            Instr::Field { d, a: Slot(a), index } => {
                let value = self.parts(&slot!(a))[index as usize].clone();
                set!(d.0, value)
            }
            Instr::Fields2 { d, e, a: Slot(a) } => {
                let parts = self.parts(&slot!(a));
                _ = set!(d.0, parts[0].clone());
                set!(e.0, parts[1].clone())
            }
            Instr::Fields3 { d, e, f, a: Slot(a) } => {
                for (to, part) in [d, e, f].into_iter().zip(self.parts(&slot!(a))) {
                    _ = set!(to.0, part);
                }
                pc + 1
            }
            Instr::Fields4 { d, e, f, g, a: Slot(a) } => {
                for (to, part) in [d, e, f, g].into_iter().zip(self.parts(&slot!(a))) {
                    _ = set!(to.0, part);
                }
                pc + 1
            }
            Instr::FieldsN { a: Slot(a), slots } => {
                let parts = self.parts(&slot!(a));
                for (to, part) in program.slots[slots].iter().zip(parts) {
                    if let Some(to) = to {
                        _ = set!(*to, part);
                    }
                }
                pc + 1
            }
            Instr::Eval { a } => {
                forced!(a);
                pc + 1
            }
            Instr::Call1 { base, global, a } => call!(base, global, vec![arg!(a)]),
            Instr::Call2 { base, global, a, b } => call!(base, global, vec![arg!(a), arg!(b)]),
            Instr::Call3 { base, global, a, b, c } => {
                call!(base, global, vec![arg!(a), arg!(b), arg!(c)])
            }
            Instr::CallN { base, global, args } => call!(base, global, args!(args)),
            Instr::Apply1 { base, f, a } => apply!(base, f, vec![arg!(a)]),
            Instr::Apply2 { base, f, a, b } => apply!(base, f, vec![arg!(a), arg!(b)]),
            Instr::Apply3 { base, f, a, b, c } => {
                apply!(base, f, vec![arg!(a), arg!(b), arg!(c)])
            }
            Instr::ApplyN { base, f, args } => apply!(base, f, args!(args)),
            Instr::CallHost { .. } => return Err(Stop::Broken("no host".into())),
            Instr::Try { .. } | Instr::TryCall { .. } | Instr::Effect { .. } => {
                return Err(Stop::Broken("no effects".into()));
            }
            Instr::Return { a } => {
                let value = arg!(a);
                if let Val::Node(node) = &value
                    && !matches!(&*node.borrow(), Node::Con(..) | Node::Pap(..))
                {
                    // A name of a letrec, perhaps: an indirection to a value.
                    return Err(Stop::Broken(format!("{pc}: {instr:?} returns no value")));
                }
                return Ok(Err(Next::Value(value)));
            }
            Instr::Enter { a } => {
                let value = arg!(a);
                frame.clear();
                return Ok(Err(Next::Value(ensure_sufficient_stack(|| self.eval(value))?)));
            }
            Instr::ReturnCon2 { con, a, b } => {
                return Ok(Err(Next::Value(node(Node::Con(con, vec![arg!(a), arg!(b)])))));
            }
            Instr::Tail1 { global, a } => return Ok(Err(tail(global, vec![arg!(a)]))),
            Instr::Tail2 { global, a, b } => return Ok(Err(tail(global, vec![arg!(a), arg!(b)]))),
            Instr::Tail3 { global, a, b, c } => {
                return Ok(Err(tail(global, vec![arg!(a), arg!(b), arg!(c)])));
            }
            Instr::TailN { global, args } => return Ok(Err(tail(global, args!(args)))),
            Instr::TailApply1 { f, a } => tail_apply!(f, vec![arg!(a)]),
            Instr::TailApply2 { f, a, b } => tail_apply!(f, vec![arg!(a), arg!(b)]),
            Instr::TailApply3 { f, a, b, c } => {
                tail_apply!(f, vec![arg!(a), arg!(b), arg!(c)])
            }
            Instr::TailApplyN { f, args } => tail_apply!(f, args!(args)),
            Instr::Raise { .. } => return Err(Stop::Fails("raise")),
            Instr::NoMatch { .. } => return Err(Stop::Fails("no match")),
        };
        Ok(Ok(next))
    }
}

fn number(value: &Val) -> Result<Rc<Integer>> {
    match value {
        Val::Int(value) => Ok(value.clone()),
        _ => Err(Stop::Fails("an integer")),
    }
}

/// Returns the constructor that a case switches on.
fn scrutinee(value: &Val) -> Result<ConId> {
    match value {
        Val::Con(con) => Ok(*con),
        Val::Node(node) => match &*node.borrow() {
            Node::Con(con, _) => Ok(*con),
            _ => Err(Stop::Fails("case")),
        },
        _ => Err(Stop::Fails("case")),
    }
}

fn compare(a: &Val, b: &Val) -> Result<Ordering> {
    match (a, b) {
        (Val::Char(a), Val::Char(b)) => Ok(a.cmp(b)),
        (Val::Int(a), Val::Int(b)) => Ok(a.cmp(b)),
        _ => Err(Stop::Fails("comparable")),
    }
}

/// For operands that are always there.
const _: fn(u32) -> Arg = Arg::slot;
