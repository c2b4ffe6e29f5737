//! Random programs in G-code. They are built so that most pass the verifier: the code is
//! made with the stack that it will find in mind.

use gmachine::base::float::Float;
use gmachine::base::integer::Integer;
use gmachine::gcode::instr::{Instr, IntLit, Jumps, Label, Lit};
use gmachine::gcode::program::{
    BigId, CONS, Con, ConId, Data, DataId, Global, GlobalId, GlobalKind, NIL, Program, TextId,
};
use gmachine::primitive::{Operand, Primitive};

use crate::dice::Dice;
use crate::numbers::PRIMITIVES;

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

/// Returns a program without globals, with all tables.
fn tables() -> Program {
    let mut program = Program::with_list();
    for &(symbol, cons) in DATAS {
        let data = program.datas.next_index();
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

/// Generates a random program with a `main` that takes nothing or an input.
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
        maker.body(vec![Item::Int; arity as usize], size, 0);
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

/// What a stack item is, if nothing fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Any,
    /// An integer.
    Int,
    /// An integer that is evaluated.
    Word,
    /// Of a data type.
    Data(DataId),
    /// The same, at the branch of this constructor.
    Of(ConId),
}

/// Returns what the fields of a constructor are: a data type with fields of its own, or integers.
fn fields(con: ConId) -> &'static [Item] {
    const INT: Item = Item::Int;
    const LIST: Item = Item::Data(DataId(0));
    const TREE: Item = Item::Data(DataId(1));
    match con.0 {
        1 => &[INT, LIST],
        3 => &[INT],
        4 => &[TREE, INT, TREE],
        6 => &[INT, INT],
        _ => &[],
    }
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

    fn literal(&mut self) -> IntLit {
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
                let int = self.literal();
                self.emit(Instr::PushInt(int));
                Item::Word
            }
            6 if self.dice.one_in(3) => {
                let value = [1.5, -0.0, 1e300, f64::NAN][self.dice.roll(4)];
                self.emit(Instr::PushFloat(Float::new(value)));
                Item::Any
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

    /// Pushes an item that is like `wanted`, if there is one; returns whether there is.
    fn again(&mut self, stack: &mut Vec<Item>, wanted: &dyn Fn(Item) -> bool) -> bool {
        let found: Vec<usize> = (0..stack.len()).filter(|&at| wanted(stack[at])).collect();
        if found.is_empty() {
            return false;
        }
        let at = found[self.dice.roll(found.len())];
        self.emit(Instr::Push((stack.len() - 1 - at) as u32));
        stack.push(stack[at]);
        true
    }

    /// Pushes the graph of an integer.
    fn int(&mut self, stack: &mut Vec<Item>, depth: usize) {
        match self.dice.roll(8) {
            0..4 if self.again(stack, &|item| matches!(item, Item::Int | Item::Word)) => {}
            4 | 5 if depth > 0 => {
                let below = stack.len();
                // The last two are constructors.
                let global = self.dice.roll(self.globals.len() - 2);
                let args = self.globals[global];
                (0..args).for_each(|_| self.int(stack, depth - 1));
                self.emit(Instr::PushGlobal(GlobalId(global as u32)));
                (0..args).for_each(|_| self.emit(Instr::MkApp));
                stack.truncate(below);
                stack.push(Item::Int);
            }
            _ => {
                let int = self.literal();
                self.emit(Instr::PushInt(int));
                stack.push(Item::Word);
            }
        }
    }

    /// Pushes the graph of a value of a data type.
    fn data(&mut self, stack: &mut Vec<Item>, data: DataId, depth: usize) {
        let is_it = |item| match item {
            Item::Data(of) => of == data,
            Item::Of(con) => self.program.cons[con].data == data,
            _ => false,
        };
        let found = stack.iter().any(|&item| is_it(item));
        if found && self.dice.one_in(2) {
            let cons = &self.program.cons;
            let is_it = |item| match item {
                Item::Data(of) => of == data,
                Item::Of(con) => cons[con].data == data,
                _ => false,
            };
            self.again(stack, &is_it);
            return;
        }
        let below = stack.len();
        let cons = &self.program.datas[data].cons;
        let con = if depth == 0 { cons[0] } else { cons[self.dice.roll(cons.len())] };
        for &field in fields(con).iter().rev() {
            match field {
                Item::Data(data) => self.data(stack, data, depth.saturating_sub(1)),
                _ => self.int(stack, depth.saturating_sub(1)),
            }
        }
        self.emit(Instr::Pack(con));
        stack.truncate(below);
        stack.push(Item::Data(data));
    }

    /// Pushes a graph: mostly of a kind that makes sense.
    fn graph(&mut self, stack: &mut Vec<Item>, depth: usize) {
        match self.dice.roll(10) {
            0..5 => self.int(stack, depth),
            5..9 => {
                let data = DataId(self.dice.roll(self.program.datas.len()) as u32);
                self.data(stack, data, depth);
            }
            _ => self.wild(stack, depth),
        }
    }

    /// Pushes a graph of atoms, applications and constructors, whatever they are.
    fn wild(&mut self, stack: &mut Vec<Item>, depth: usize) {
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

    /// Generates a `letrec`: its names stay on the stack. They are filled in any order, with other
    /// building between.
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
        let unary = [Instr::Ord, Instr::Chr];
        let (instr, operands) = match self.dice.roll(16) {
            0 => (unary[self.dice.roll(unary.len())].clone(), 1),
            1 | 2 => (Instr::Neg, 1),
            3 if self.dice.one_in(2) => {
                let primitive = PRIMITIVES[self.dice.roll(PRIMITIVES.len())];
                let instr = Instr::computing(primitive).expect("it computes");
                (instr, primitive.arity())
            }
            4 if self.dice.one_in(2) => {
                let of_words = [Primitive::BitXor, Primitive::AddI64, Primitive::MulU64];
                (Instr::Binary(of_words[self.dice.roll(3)]), 2)
            }
            _ => (binary[self.dice.roll(binary.len())].clone(), 2),
        };
        for _ in 0..operands {
            self.int(stack, 1);
            if stack.last() != Some(&Item::Word) {
                self.evaluated();
            }
        }
        let is_char = instr == Instr::Chr
            || instr.computes().is_some_and(|primitive| primitive.result() != Operand::Integer);
        self.emit(instr);
        stack.truncate(below);
        stack.push(if is_char { Item::Any } else { Item::Word });
    }

    /// Generates code that ends in `Unwind` or a failure.
    fn body(&mut self, mut stack: Vec<Item>, size: usize, level: usize) {
        for _ in 0..size {
            let height = stack.len();
            match self.dice.roll(16) {
                0..4 => self.graph(&mut stack, 3),
                4..6 => self.operation(&mut stack),
                6 | 7 if height > 0 => {
                    self.emit(Instr::Eval);
                    stack[height - 1] = match stack[height - 1] {
                        Item::Int => Item::Word,
                        Item::Of(con) => Item::Data(self.program.cons[con].data),
                        item => item,
                    };
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
                    forget(self.program, &mut stack[height - n - m..]);
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
        self.end(stack, level);
    }

    /// Generates the end of the code.
    fn end(&mut self, mut stack: Vec<Item>, level: usize) {
        if self.dice.one_in(40) {
            return self.emit(Instr::NoMatch);
        }
        if self.dice.one_in(40) {
            self.graph(&mut stack, 1);
            self.evaluated();
            return self.emit(Instr::Raise);
        }
        match (level, self.dice.roll(6)) {
            (_, 0) => self.graph(&mut stack, 3),
            _ => self.int(&mut stack, 2),
        }
        if self.dice.one_in(2) {
            self.emit(Instr::Eval);
        }
        let above = stack.len() as u32 - 1;
        self.emit(Instr::Update(above));
        self.emit(Instr::Pop(above));
        self.emit(Instr::Unwind);
    }

    /// Generates a jump by value, with a body for each way; some meet. Returns whether code goes on
    /// after it.
    fn branches(&mut self, stack: &mut Vec<Item>, size: usize, level: usize) -> bool {
        let data = DataId(self.dice.roll(self.program.datas.len()) as u32);
        let which = self.dice.roll(4);
        match which {
            _ if self.dice.one_in(20) => self.wild(stack, 2),
            0 | 1 => self.int(stack, 2),
            _ => self.data(stack, data, 3),
        }
        let rest = stack.len() - 1;
        let mut ways: Vec<(Label, Option<Item>)> = Vec::new();
        match which {
            0 => {
                self.emit(Instr::Push(0));
                stack.push(stack[rest]);
                if stack[rest] != Item::Word {
                    self.evaluated();
                }
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
                let mut cons = self.program.datas[data].cons.clone();
                self.dice.shuffle(&mut cons);
                let count = 1 + self.dice.roll(cons.len());
                let is_all = count == cons.len();
                let branches: Vec<(ConId, Label)> =
                    cons.into_iter().take(count).map(|con| (con, self.label())).collect();
                ways.extend(branches.iter().map(|(con, at)| (*at, Some(Item::Of(*con)))));
                let default = (!is_all || self.dice.one_in(4)).then(|| self.label());
                ways.extend(default.map(|label| (label, Some(Item::Data(data)))));
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
                stack.extend(fields(con).iter().rev());
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
            forget(self.program, stack);
            stack.extend((0..left).map(|_| Item::Int));
        }
        meet
    }

    /// Generates a comparison of the top with a number.
    fn operation_on_top(&mut self, stack: &mut Vec<Item>) {
        let int = self.literal();
        self.emit(Instr::PushInt(int));
        let compare = [Instr::Lt, Instr::Eq, Instr::Ge][self.dice.roll(3)].clone();
        self.emit(compare);
        stack.pop();
        stack.push(Item::Word);
    }

    /// Brings the stack to a height, where ways meet.
    fn meet(&mut self, stack: &mut Vec<Item>, height: usize) {
        while stack.len() < height {
            self.int(stack, 1);
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

/// Forgets which constructors items are: the verifier knows that only where they are pushed.
fn forget(program: &Program, items: &mut [Item]) {
    for item in items {
        if let Item::Of(con) = *item {
            *item = Item::Data(program.cons[con].data);
        }
    }
}
