//! Changes of programs in G-code, instruction by instruction.

use std::collections::HashMap;

use gmachine::gcode::instr::{Instr, IntLit, Label, Lit};
use gmachine::gcode::program::{BigId, CONS, ConId, GlobalId, HostId, NIL, Program, TextId};
use gmachine::gcode::verify::depths;

use super::make::INTS;
use crate::dice::Dice;

/// Changes a program somewhere. Whether it still verifies is another question.
pub(super) fn change(program: &mut Program, dice: &mut Dice) {
    let id = GlobalId(dice.roll(program.globals.len()) as u32);
    let size = program.globals[id].code.len();
    if size == 0 {
        return;
    }
    let at = dice.roll(size);
    match dice.roll(24) {
        0..6 => operand(program, id, at, dice),
        6 | 7 => splice(program, id, at, 1, Vec::new()),
        8 => {
            let again = program.globals[id].code[at].clone();
            splice(program, id, at, 0, vec![again]);
        }
        9 if at + 1 < size => program.globals[id].code.swap(at, at + 1),
        10 | 11 => {
            let instr = any_instr(program, dice);
            splice(program, id, at, 0, vec![instr]);
        }
        12 | 13 => {
            let instr = any_instr(program, dice);
            splice(program, id, at, 1, vec![instr]);
        }
        14 | 15 => holes(program, id, at, dice),
        16 | 17 => balanced(program, id, at, dice),
        18 => elsewhere(program, id, at, dice),
        19 => label(program, id, at, dice),
        20 => {
            let by = dice.roll(3) as u32;
            let global = &mut program.globals[id];
            global.arity = (global.arity + by).saturating_sub(1);
            global.params.clear();
            global.strict.clear();
        }
        21 => {
            let con = ConId(dice.roll(program.cons.len()) as u32);
            if con != NIL && con != CONS {
                program.cons[con].arity = dice.roll(5) as u32;
            }
        }
        22 => program.main = Some(id),
        _ => {
            let end = (at + 1 + dice.roll(4)).min(size);
            splice(program, id, at, end - at, Vec::new());
        }
    }
    tidy(program);
}

/// Puts other instructions in the place of `old` ones at `at`; labels go on pointing to what they
/// pointed to.
fn splice(program: &mut Program, id: GlobalId, at: usize, old: usize, new: Vec<Instr>) {
    let global = &mut program.globals[id];
    let (count, end) = (new.len(), at + old);
    for label in global.code.iter_mut().flat_map(Instr::labels_mut) {
        let to = label.0 as usize;
        if to > at && to >= end {
            label.0 = (to + count - old) as u32;
        }
    }
    global.code.splice(at..end, new);
    let span = global.span;
    global.spans.splice(at..end, std::iter::repeat_n(span, count));
}

/// Returns an instruction of the program, or one with a small number.
fn any_instr(program: &Program, dice: &mut Dice) -> Instr {
    let n = dice.roll(5) as u32;
    match dice.roll(24) {
        0..8 => {
            let id = GlobalId(dice.roll(program.globals.len()) as u32);
            let code = &program.globals[id].code;
            code.get(dice.roll(code.len())).cloned().unwrap_or(Instr::Eval)
        }
        8 | 9 => Instr::Push(n),
        10 => Instr::Pop(n),
        11 => Instr::Slide(n),
        12 => Instr::Squeeze(n, dice.roll(3) as u32),
        13 | 14 => Instr::Update(n),
        15 => Instr::Alloc(n),
        16 => Instr::Eval,
        17 => Instr::MkApp,
        18 => Instr::Pack(ConId(dice.roll(program.cons.len()) as u32)),
        19 => Instr::PushInt(IntLit::Small(INTS[dice.roll(INTS.len())])),
        20 => Instr::PushGlobal(GlobalId(dice.roll(program.globals.len()) as u32)),
        21 => [Instr::Add, Instr::Mul, Instr::Lt, Instr::Eq][dice.roll(4)].clone(),
        22 => Instr::Split(n),
        _ => Instr::Unwind,
    }
}

/// Changes an operand.
fn operand(program: &mut Program, id: GlobalId, at: usize, dice: &mut Dice) {
    let globals = program.globals.len();
    let cons = program.cons.len();
    let number = |n: u32, dice: &mut Dice| match dice.roll(8) {
        0..3 => n.saturating_add(1),
        3..6 => n.saturating_sub(1),
        6 => dice.roll(6) as u32,
        _ => [u32::MAX, 1 << 20, 1 << 24, 70_000, 300][dice.roll(5)],
    };
    match &mut program.globals[id].code[at] {
        Instr::Push(n)
        | Instr::Pop(n)
        | Instr::Slide(n)
        | Instr::Update(n)
        | Instr::Alloc(n)
        | Instr::Split(n) => *n = number(*n, dice),
        Instr::Squeeze(n, m) => {
            let which = if dice.one_in(2) { n } else { m };
            *which = number(*which, dice);
        }
        Instr::PushGlobal(global) => *global = GlobalId(dice.roll(globals) as u32),
        Instr::Pack(con) => *con = ConId(dice.roll(cons) as u32),
        Instr::PushInt(int) => *int = IntLit::Small(INTS[dice.roll(INTS.len())]),
        Instr::CallHost(host) => *host = HostId(dice.roll(2) as u32),
        Instr::CaseJump(jumps) => {
            let branch = dice.roll(jumps.branches.len().max(1));
            match jumps.branches.get_mut(branch) {
                Some((con, _)) if dice.one_in(2) => *con = ConId(dice.roll(cons) as u32),
                Some(_) if jumps.default.is_some() => drop(jumps.branches.remove(branch)),
                _ => {}
            }
        }
        Instr::LitJump(jumps) => {
            let branch = dice.roll(jumps.branches.len().max(1));
            if let Some((Lit::Int(int), _)) = jumps.branches.get_mut(branch) {
                *int = IntLit::Small(INTS[dice.roll(INTS.len())]);
            }
        }
        _ => label(program, id, at, dice),
    }
}

/// Changes where a label points to.
fn label(program: &mut Program, id: GlobalId, at: usize, dice: &mut Dice) {
    let code = &mut program.globals[id].code;
    let size = code.len();
    let mut labels = code[at].labels_mut();
    if !labels.is_empty() {
        let which = dice.roll(labels.len());
        let near = (labels[which].0 + dice.roll(3) as u32).saturating_sub(1);
        *labels[which] =
            if dice.one_in(2) { Label(near) } else { Label(dice.roll(size + 1) as u32) };
    }
}

/// Makes holes, and fills them: once, twice, not at all, with themselves, late.
fn holes(program: &mut Program, id: GlobalId, at: usize, dice: &mut Dice) {
    let int = Instr::PushInt(IntLit::Small(5));
    let global = Instr::PushGlobal(GlobalId(dice.roll(program.globals.len()) as u32));
    let depth = depths(program, id)[at].unwrap_or(1).min(1 << 20) as u32 - 1;
    let k = dice.roll(depth.max(1) as usize) as u32;
    let new = match dice.roll(12) {
        0 => vec![Instr::Alloc(1), int, Instr::Update(0)],
        1 => vec![Instr::Alloc(1), Instr::Push(0), Instr::Update(0), Instr::Pop(1)],
        2 => vec![
            Instr::Alloc(2),
            Instr::Push(0),
            Instr::Update(1),
            Instr::Push(1),
            Instr::Update(0),
            Instr::Pop(2),
        ],
        3 => vec![
            Instr::Alloc(1),
            Instr::Push(0),
            Instr::Push(2 + k),
            Instr::MkApp,
            Instr::Update(0),
            Instr::Eval,
            Instr::Pop(1),
        ],
        4 => vec![
            Instr::Alloc(1),
            Instr::Push(0),
            int,
            Instr::Pack(CONS),
            Instr::Update(0),
            Instr::Slide(depth.min(dice.roll(3) as u32)),
        ],
        5 => vec![Instr::Alloc(2), global, Instr::Update(0), int, Instr::Update(1), Instr::Pop(2)],
        6 => vec![Instr::Alloc(1), int.clone(), Instr::Update(0), int, Instr::Update(0)],
        7 => vec![Instr::Alloc(1), Instr::Pop(1)],
        8 => vec![Instr::Alloc(1), global, Instr::Eval, Instr::Update(0)],
        9 => vec![Instr::Alloc(1), Instr::Push(0), global, Instr::MkApp, Instr::Update(0)],
        10 => vec![Instr::Alloc(1), Instr::Push(k + 1), Instr::Update(0), Instr::Pop(1)],
        _ => vec![Instr::Alloc(1), Instr::Push(0), Instr::Update(2 + k), int, Instr::Update(0)],
    };
    splice(program, id, at, 0, new);
}

/// Puts something in that leaves the stack as it was.
fn balanced(program: &mut Program, id: GlobalId, at: usize, dice: &mut Dice) {
    let depth = depths(program, id)[at].unwrap_or(1).min(1 << 20) as u32 - 1;
    let k = dice.roll(depth.max(1) as usize) as u32;
    let int = |n| Instr::PushInt(IntLit::Small(n));
    let global = Instr::PushGlobal(GlobalId(dice.roll(program.globals.len()) as u32));
    let to = at as u32;
    let new = match dice.roll(10) {
        0 => vec![Instr::Push(k), Instr::Eval, Instr::Pop(1)],
        1 => vec![Instr::Push(k), Instr::Eval, Instr::Slide(0), Instr::Pop(1)],
        2 => vec![int(3), Instr::Push(k + 1), Instr::MkApp, Instr::Pop(1)],
        3 => vec![global, Instr::Eval, Instr::Pop(1)],
        4 => vec![int(2), global, Instr::MkApp, Instr::Eval, Instr::Pop(1)],
        5 => vec![int(1), int(2), Instr::Lt, Instr::Cond(Label(to + 4), Label(to + 4))],
        6 => vec![
            int(1),
            Instr::Cond(Label(to + 2), Label(to + 4)),
            global,
            Instr::Jump(Label(to + 7)),
            int(8),
            int(9),
            Instr::Pack(CONS),
            Instr::Pop(1),
        ],
        7 => vec![Instr::Push(k), Instr::Push(k + 1), Instr::Squeeze(1, 1), Instr::Pop(1)],
        8 => vec![Instr::Push(k), Instr::Push(0), Instr::Pack(CONS), Instr::Eval, Instr::Pop(1)],
        _ => vec![Instr::Push(k), Instr::Slide(1)],
    };
    splice(program, id, at, 0, new);
}

/// Inserts a few instructions of another place.
fn elsewhere(program: &mut Program, id: GlobalId, at: usize, dice: &mut Dice) {
    let from = GlobalId(dice.roll(program.globals.len()) as u32);
    let code = &program.globals[from].code;
    let start = dice.roll(code.len());
    let end = (start + 1 + dice.roll(6)).min(code.len());
    let mut piece = code.get(start..end).unwrap_or_default().to_vec();
    for label in piece.iter_mut().flat_map(Instr::labels_mut) {
        label.0 = (label.0 + at as u32).saturating_sub(start as u32);
    }
    splice(program, id, at, 0, piece);
}

/// Renumbers texts and large integers in the order in which the code mentions them, as the verifier
/// wants it.
fn tidy(program: &mut Program) {
    let (mut texts, mut bigs) = (HashMap::new(), HashMap::new());
    for instr in program.globals.iter_mut().flat_map(|global| &mut global.code) {
        let mut big = |int: &mut IntLit| {
            if let IntLit::Big(id) = int {
                let next = BigId(bigs.len() as u32);
                *id = *bigs.entry(*id).or_insert(next);
            }
        };
        match instr {
            Instr::PushText(id) => {
                let next = TextId(texts.len() as u32);
                *id = *texts.entry(*id).or_insert(next);
            }
            Instr::PushInt(int) => big(int),
            Instr::LitJump(jumps) => {
                for (lit, _) in &mut jumps.branches {
                    if let Lit::Int(int) = lit {
                        big(int);
                    }
                }
            }
            _ => {}
        }
    }
    let mut texts: Vec<(TextId, TextId)> = texts.into_iter().map(|(old, new)| (new, old)).collect();
    let mut bigs: Vec<(BigId, BigId)> = bigs.into_iter().map(|(old, new)| (new, old)).collect();
    texts.sort();
    bigs.sort();
    program.texts = texts.into_iter().map(|(_, old)| program.texts[old].clone()).collect();
    program.bigs = bigs.into_iter().map(|(_, old)| program.bigs[old].clone()).collect();
}

/// Takes instructions out.
pub(super) fn remove(program: &mut Program, id: GlobalId, at: usize, count: usize) {
    splice(program, id, at, count, Vec::new());
    tidy(program);
}

/// Does what [`tidy`] does, to a program that was just made.
pub(super) fn tidied(mut program: Program) -> Program {
    tidy(&mut program);
    program
}
