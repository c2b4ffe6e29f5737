//! Random programs in G-code. They are built so that most pass the verifier: the code is
//! made with the stack that it will find in mind.

use gmachine::base::integer::Integer;
use gmachine::gcode::instr::{Instr, IntLit, Jumps, Label, Lit};
use gmachine::gcode::program::{
    BigId, CONS, Con, ConId, Data, DataId, Global, GlobalId, GlobalKind, NIL, Program, TextId,
};

use crate::dice::Dice;

/// The data types besides `List`: constructors and their fields.
const DATAS: &[(&str, &[(&str, u32)])] =
    &[("Tree", &[("Leaf", 0), ("Twig", 1), ("Node", 3)]), ("Pair", &[("None", 0), ("Both", 2)])];

/// Integers that are likely to show something.
pub(super) const INTS: &[i64] =
    &[0, 1, 2, 3, -1, 7, 100, 1 << 40, (1 << 61) - 1, -(1 << 61), 1 << 62, i64::MAX, i64::MIN];

/// Texts of the text table.
const TEXTS: &[&str] = &["", "a", "h\u{e9}llo", "two\nlines"];

/// Large integers of the table.
const BIGS: &[&str] = &["123456789012345678901234567890", "-9223372036854775809"];

/// A program without globals, with all tables.
fn tables() -> Program {
    let mut program = Program::default();
    let all = [("List", &[("Nil", 0), ("Cons", 2)][..])].into_iter().chain(DATAS.iter().copied());
    for (data, (symbol, cons)) in all.enumerate() {
        let data = DataId(data as u32);
        let cons = (0..).zip(cons).map(|(tag, &(name, arity))| {
            program.cons.push(Con { symbol: name.into(), name: name.into(), data, tag, arity })
        });
        let cons = cons.collect();
        program.datas.push(Data { symbol: symbol.into(), cons });
    }
    program.texts = TEXTS.iter().map(|text| (*text).into()).collect();
    program.bigs = BIGS.iter().map(|big| Integer::parse(big).expect("an integer")).collect();
    program
}

/// A random program with a `main` that takes nothing or an input.
pub(super) fn program(dice: &mut Dice) -> Program {
    let mut program = tables();
    let count = 1 + dice.roll(5);
    let arities: Vec<u32> = (0..count)
        .map(|at| if at == 0 { u32::from(dice.one_in(4)) } else { dice.roll(4) as u32 })
        .collect();
    // The constructors as functions come after them.
    let functions = [CONS, ConId(4)];
    let globals = arities.iter().copied().chain(functions.map(|con| program.cons[con].arity));
    let globals: Vec<u32> = globals.collect();
    for (at, &arity) in arities.iter().enumerate() {
        let mut maker = Maker::new(dice, &program, &globals);
        let size = 4 + maker.dice.roll(40);
        maker.body(vec![Item::Any; arity as usize], size, 0);
        let code = maker.finish();
        let name = if at == 0 { "main".to_owned() } else { format!("f{at}") };
        program.globals.push(global(&name, GlobalKind::Supercombinator, arity, code));
    }
    for con in functions {
        let arity = program.cons[con].arity;
        let mut code: Vec<Instr> = (0..arity).map(|_| Instr::Push(arity - 1)).collect();
        code.extend([Instr::Pack(con), Instr::Update(arity), Instr::Pop(arity), Instr::Unwind]);
        let name = program.cons[con].name.to_string();
        program.globals.push(global(&name, GlobalKind::Constructor(con), arity, code));
    }
    program.main = Some(GlobalId(0));
    program
}

fn global(name: &str, kind: GlobalKind, arity: u32, code: Vec<Instr>) -> Global {
    Global {
        symbol: name.into(),
        display: Some(name.into()),
        kind,
        arity,
        params: Vec::new(),
        strict: Vec::new(),
        spans: vec![Default::default(); code.len()],
        code,
        span: Default::default(),
    }
}

/// What is known of a stack item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Any,
    /// An integer that is evaluated.
    Int,
    /// At the branch of this constructor.
    Of(ConId),
}

/// The code of a global in the making. Labels are numbers that get their places at the end.
struct Maker<'a> {
    dice: &'a mut Dice,
    program: &'a Program,
    /// The parameters of each global.
    globals: &'a [u32],
    code: Vec<Instr>,
    /// Where each label stands.
    labels: Vec<u32>,
}

impl<'a> Maker<'a> {
    fn new(dice: &'a mut Dice, program: &'a Program, globals: &'a [u32]) -> Maker<'a> {
        Maker { dice, program, globals, code: Vec::new(), labels: Vec::new() }
    }

    fn finish(mut self) -> Vec<Instr> {
        for label in self.code.iter_mut().flat_map(Instr::labels_mut) {
            label.0 = self.labels[label.0 as usize];
        }
        self.code
    }

    fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }

    fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.code.len() as u32;
    }

    fn int(&mut self) -> IntLit {
        match self.dice.roll(12) {
            0 => IntLit::Big(BigId(self.dice.roll(BIGS.len()) as u32)),
            _ => IntLit::Small(INTS[self.dice.roll(INTS.len())]),
        }
    }

    /// Pushes something that is there, or new and small.
    fn atom(&mut self, stack: &mut Vec<Item>) {
        let item = match self.dice.roll(10) {
            0..4 if !stack.is_empty() => {
                let n = self.dice.roll(stack.len());
                self.emit(Instr::Push(n as u32));
                stack[stack.len() - 1 - n]
            }
            0..6 => {
                let int = self.int();
                self.emit(Instr::PushInt(int));
                Item::Int
            }
            6 => {
                let c = ['x', 'y', '\u{3bb}'][self.dice.roll(3)];
                self.emit(Instr::PushChar(c));
                Item::Any
            }
            7 => {
                let text = TextId(self.dice.roll(TEXTS.len()) as u32);
                self.emit(Instr::PushText(text));
                Item::Any
            }
            8 => {
                let con = [NIL, ConId(2), ConId(5)][self.dice.roll(3)];
                self.emit(Instr::Pack(con));
                Item::Any
            }
            _ => {
                let global = GlobalId(self.dice.roll(self.globals.len()) as u32);
                self.emit(Instr::PushGlobal(global));
                Item::Any
            }
        };
        stack.push(item);
    }

    /// Pushes a graph: of atoms, applications and constructors.
    fn graph(&mut self, stack: &mut Vec<Item>, depth: usize) {
        if depth == 0 || self.dice.one_in(3) {
            return self.atom(stack);
        }
        let below = stack.len();
        match self.dice.roll(5) {
            0 | 1 => {
                let global = self.dice.roll(self.globals.len());
                // Mostly so many arguments as it takes.
                let args = self.globals[global] as usize;
                let args = if self.dice.one_in(5) { self.dice.roll(5) } else { args };
                (0..args).for_each(|_| self.graph(stack, depth - 1));
                self.emit(Instr::PushGlobal(GlobalId(global as u32)));
                (0..args).for_each(|_| self.emit(Instr::MkApp));
            }
            2 | 3 => {
                let con = ConId(self.dice.roll(self.program.cons.len()) as u32);
                let arity = self.program.cons[con].arity;
                (0..arity).for_each(|_| self.graph(stack, depth - 1));
                self.emit(Instr::Pack(con));
            }
            _ => {
                self.graph(stack, depth - 1);
                self.graph(stack, depth - 1);
                self.emit(Instr::MkApp);
            }
        }
        stack.truncate(below);
        stack.push(Item::Any);
    }

    /// A `letrec`: its names stay on the stack. Filled in any order, with other building
    /// between.
    fn letrec(&mut self, stack: &mut Vec<Item>) {
        let count = 1 + self.dice.roll(3);
        let first = stack.len();
        self.emit(Instr::Alloc(count as u32));
        stack.extend(std::iter::repeat_n(Item::Any, count));
        let mut order: Vec<usize> = (0..count).collect();
        self.dice.shuffle(&mut order);
        for at in order {
            self.graph(stack, 2);
            if self.dice.one_in(6) {
                self.letrec(stack);
                self.graph(stack, 1);
                let drop = stack.len() - first - count - 1;
                self.emit(Instr::Slide(drop as u32));
                stack.truncate(first + count + 1);
            }
            self.emit(Instr::Update((stack.len() - 2 - first - at) as u32));
            stack.pop();
        }
    }

    /// Evaluates the top, or leaves it.
    fn evaluated(&mut self) {
        if !self.dice.one_in(20) {
            self.emit(Instr::Eval);
        }
    }

    /// Pushes the result of an operation.
    fn operation(&mut self, stack: &mut Vec<Item>) {
        let below = stack.len();
        let binary = [
            Instr::Add,
            Instr::Sub,
            Instr::Mul,
            Instr::Div,
            Instr::Rem,
            Instr::FloorDiv,
            Instr::Mod,
            Instr::Eq,
            Instr::Ne,
            Instr::Lt,
            Instr::Le,
            Instr::Gt,
            Instr::Ge,
        ];
        let unary = [Instr::Neg, Instr::Ord, Instr::Chr];
        let (instr, operands) = match self.dice.roll(5) {
            0 => (unary[self.dice.roll(unary.len())].clone(), 1),
            _ => (binary[self.dice.roll(binary.len())].clone(), 2),
        };
        for _ in 0..operands {
            self.graph(stack, 1);
            if stack.last() != Some(&Item::Int) {
                self.evaluated();
            }
        }
        let is_char = instr == Instr::Chr;
        self.emit(instr);
        stack.truncate(below);
        stack.push(if is_char { Item::Any } else { Item::Int });
    }

    /// Code that ends in `Unwind` or a failure.
    fn body(&mut self, mut stack: Vec<Item>, size: usize, level: usize) {
        for _ in 0..size {
            let height = stack.len();
            match self.dice.roll(16) {
                0..4 => self.graph(&mut stack, 3),
                4..6 => self.operation(&mut stack),
                6 | 7 if height > 0 => {
                    self.emit(Instr::Eval);
                    stack[height - 1] = Item::Any;
                }
                8 => self.letrec(&mut stack),
                9 if height > 0 => {
                    let n = self.dice.roll(height.min(4));
                    self.emit(Instr::Slide(n as u32));
                    let top = stack[height - 1];
                    stack.truncate(height - 1 - n);
                    stack.push(top);
                }
                10 if height > 0 => {
                    let n = self.dice.roll(height + 1);
                    let m = self.dice.roll((height - n).min(4) + 1);
                    self.emit(Instr::Squeeze(n as u32, m as u32));
                    stack.drain(height - n - m..height - n);
                    // The verifier does not look after what it has moved.
                    stack[height - n - m..].fill(Item::Any);
                }
                11 if height > 0 => {
                    let n = self.dice.roll(height.min(3) + 1);
                    self.emit(Instr::Pop(n as u32));
                    stack.truncate(height - n);
                }
                12..15 if level < 3 => {
                    if !self.branches(&mut stack, size, level) {
                        return;
                    }
                }
                _ => self.atom(&mut stack),
            }
        }
        self.end(stack);
    }

    /// The end of the code.
    fn end(&mut self, mut stack: Vec<Item>) {
        if self.dice.one_in(40) {
            return self.emit(Instr::NoMatch);
        }
        if self.dice.one_in(40) {
            self.graph(&mut stack, 1);
            self.evaluated();
            return self.emit(Instr::Raise);
        }
        if stack.is_empty() || self.dice.one_in(2) {
            self.graph(&mut stack, 3);
        }
        if self.dice.one_in(2) {
            self.emit(Instr::Eval);
        }
        let above = stack.len() as u32 - 1;
        self.emit(Instr::Update(above));
        self.emit(Instr::Pop(above));
        self.emit(Instr::Unwind);
    }

    /// A jump by value, with a body for each way; some meet. Whether code goes on after it.
    fn branches(&mut self, stack: &mut Vec<Item>, size: usize, level: usize) -> bool {
        if stack.is_empty() || self.dice.one_in(2) {
            self.graph(stack, 2);
        }
        let rest = stack.len() - 1;
        let mut ways: Vec<(Label, Option<Item>)> = Vec::new();
        match self.dice.roll(4) {
            0 => {
                let n = self.dice.roll(rest + 1);
                self.emit(Instr::Push(n as u32));
                self.evaluated();
                stack.push(Item::Any);
                self.operation_on_top(stack);
                let (yes, no) = (self.label(), self.label());
                self.emit(Instr::Cond(yes, no));
                stack.pop();
                ways.extend([(yes, stack.last().copied()), (no, stack.last().copied())]);
            }
            1 => {
                self.evaluated();
                let keys: Vec<Lit> = match self.dice.one_in(4) {
                    true => vec![Lit::Char('x'), Lit::Char('\u{3bb}')],
                    false => {
                        let big = Lit::Int(IntLit::Big(BigId(0)));
                        vec![Lit::Int(IntLit::Small(0)), Lit::Int(IntLit::Small(1 << 62)), big]
                    }
                };
                let count = 1 + self.dice.roll(keys.len());
                let branches: Vec<(Lit, Label)> =
                    keys.into_iter().take(count).map(|key| (key, self.label())).collect();
                let default = self.label();
                ways.extend(branches.iter().map(|(_, label)| (*label, None)));
                ways.push((default, None));
                self.emit(Instr::LitJump(Box::new(Jumps { branches, default: Some(default) })));
            }
            _ => {
                self.evaluated();
                let data = &self.program.datas[DataId(self.dice.roll(3) as u32)];
                let mut cons = data.cons.clone();
                self.dice.shuffle(&mut cons);
                let count = 1 + self.dice.roll(cons.len());
                let is_all = count == cons.len();
                let branches: Vec<(ConId, Label)> =
                    cons.into_iter().take(count).map(|con| (con, self.label())).collect();
                ways.extend(branches.iter().map(|(con, at)| (*at, Some(Item::Of(*con)))));
                let default = (!is_all || self.dice.one_in(4)).then(|| self.label());
                ways.extend(default.map(|label| (label, Some(Item::Any))));
                self.emit(Instr::CaseJump(Box::new(Jumps { branches, default })));
            }
        }
        // What the ways have in common, and what those that meet leave above it.
        let join = self.label();
        let left = self.dice.roll(3);
        let mut meet = false;
        for (label, top) in ways {
            self.place(label);
            let mut stack = stack[..rest].to_vec();
            stack.extend(top);
            if let Some(Item::Of(con)) = top
                && !self.dice.one_in(4)
            {
                let arity = self.program.cons[con].arity;
                self.emit(Instr::Split(arity));
                stack.pop();
                stack.extend((0..arity).map(|_| Item::Any));
            }
            if self.dice.one_in(3) {
                self.body(stack, size / 4, level + 1);
                continue;
            }
            for _ in 0..self.dice.roll(3) {
                match self.dice.roll(3) {
                    0 => self.operation(&mut stack),
                    1 => self.letrec(&mut stack),
                    _ => self.graph(&mut stack, 2),
                }
            }
            self.meet(&mut stack, rest + left);
            self.emit(Instr::Jump(join));
            meet = true;
        }
        if meet {
            self.place(join);
            stack.truncate(rest);
            stack.fill(Item::Any);
            stack.extend((0..left).map(|_| Item::Any));
        }
        meet
    }

    /// A comparison of the top with a number.
    fn operation_on_top(&mut self, stack: &mut Vec<Item>) {
        let int = self.int();
        self.emit(Instr::PushInt(int));
        let compare = [Instr::Lt, Instr::Eq, Instr::Ge][self.dice.roll(3)].clone();
        self.emit(compare);
        stack.pop();
        stack.push(Item::Int);
    }

    /// Brings the stack to a height, where ways meet.
    fn meet(&mut self, stack: &mut Vec<Item>, height: usize) {
        while stack.len() < height {
            self.graph(stack, 1);
        }
        let more = stack.len() - height;
        if more == 0 {
            return;
        }
        if height > 0 && self.dice.one_in(2) {
            let n = 1 + self.dice.roll(height.min(3));
            self.emit(Instr::Squeeze(n as u32, more as u32));
        } else {
            self.emit(Instr::Pop(more as u32));
        }
        stack.truncate(height);
    }
}
