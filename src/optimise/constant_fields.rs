//! A field of a constructor that is the same function wherever the constructor is made is that function where it
//! is taken out.
//!
//! A map has its comparison with it, a visitor its handlers, a stream its step. Nothing is known of them
//! where the value comes out of a loop or another structure, and a call of what is not known is the slowest there
//! is. But a program with one kind of map has one comparison: all of the program is seen ([`super::flow`]), so what
//! is taken out of such a field is known.
//!
//! - The field is still there: what is made is as it was. And a selector is one still: the collector knows them
//!   ([`super::selection`]), and so does whoever looks for what is selected of a dictionary.
//! - A function that has been given arguments gets a name, so it is made once. Numbers stay fields: a loop would begin
//!   with what it computes later.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Constant, Flow, Passed, is_function};
use super::selection::Selectors;
use super::symbols::Symbols;
use crate::base::index::List;
use crate::base::span::Span;
use crate::core::expr::{
    Branches, ConId, Expr, ExprId, Global, GlobalId, GlobalKind, Program, SwitchId,
};
use crate::core::signature::Signature;

/// Replaces fields by the constants that they are. Returns in how many places.
///
/// At the `first` look dictionaries are left out, which are made as values of definitions alone: what is taken
/// out of those is known by the dictionary ([`super::overloading`]).
pub(super) fn propagate(program: &mut Program, first: bool) -> u64 {
    let flow = Flow::new(program);
    let made: FxHashSet<ConId> =
        if first { made_by_functions(program) } else { FxHashSet::default() };
    let mut symbols = None;
    let mut names: FxHashMap<u32, GlobalId> = FxHashMap::default();
    let mut count = 0;
    for switch in switches(program) {
        let Branches::Cons(branches) = &program.switches[switch].branches else { continue };
        let mut found = Vec::new();
        for (at, branch) in branches.iter().enumerate() {
            for (place, &field) in branch.fields.iter().enumerate() {
                if field.is_some()
                    && (!first || made.contains(&branch.con))
                    && let Passed::Constant(constant) = flow.field(branch.con, place)
                    && is_function(program, constant)
                {
                    found.push((at, place, constant));
                }
            }
        }
        for (at, place, constant) in found {
            let value = match constant {
                Constant::Atom(atom) => atom.expr(),
                Constant::Applied(number) => Expr::Global(match names.get(&number) {
                    Some(&name) => name,
                    None => {
                        let symbols = symbols.get_or_insert_with(|| Symbols::new(program));
                        let name = named(program, symbols, &flow, number);
                        names.insert(number, name);
                        name
                    }
                }),
            };
            let value = program.expr(value, Span::NONE);
            take_constant(program, switch, (at, place), value);
            count += 1;
        }
    }
    count
}

/// Returns the constructors that are made elsewhere than as the value of a definition.
fn made_by_functions(program: &Program) -> FxHashSet<ConId> {
    let mut made = FxHashSet::default();
    for global in program.globals.iter() {
        let GlobalKind::Defn { params, body: Some(body) } = global.kind else { continue };
        for expr in program.walk(body) {
            if let Expr::App(callee, _) = program.exprs[expr]
                && let Expr::Con(con) = program.exprs[callee]
                && !(expr == body && params.is_empty())
            {
                made.insert(con);
            }
        }
    }
    made
}

/// Returns the switches of a program, but for those that selectors consist of.
fn switches(program: &Program) -> Vec<SwitchId> {
    let selectors = Selectors::new(program);
    let mut switches = Vec::new();
    for (id, global) in program.globals.enumerate() {
        if let GlobalKind::Defn { body: Some(body), .. } = global.kind
            && !selectors.has(id)
        {
            switches.extend(program.walk(body).filter_map(|expr| match program.exprs[expr] {
                Expr::Switch(switch) => Some(switch),
                _ => None,
            }));
        }
    }
    switches
}

/// Gives a function that has arguments a name.
fn named(program: &mut Program, symbols: &mut Symbols, flow: &Flow, number: u32) -> GlobalId {
    let (of, _) = flow.applied(number);
    let symbol = symbols.numbered(&program.globals[of].symbol, 'v');
    let body = written(program, flow, Constant::Applied(number));
    define_constant(program, symbol, body)
}

/// Adds the definition of a constant.
pub(super) fn define_constant(program: &mut Program, symbol: Arc<str>, body: ExprId) -> GlobalId {
    let kind = GlobalKind::Defn { params: List::EMPTY, body: Some(body) };
    let (display, span, signature) = (None, Span::NONE, Signature::default());
    program.globals.push(Global { symbol, display, kind, span, signature })
}

/// Has a branch of a switch, by its number, have a constant for a field that it takes out.
pub(super) fn take_constant(
    program: &mut Program,
    switch: SwitchId,
    (branch, field): (usize, usize),
    constant: ExprId,
) {
    let Branches::Cons(branches) = &mut program.switches[switch].branches else { return };
    let Some(local) = branches[branch].fields[field].take() else { return };
    // A body may be a place that is written later: it stays where it is.
    let body = branches[branch].body;
    let bound = program.expr(Expr::Let(local, constant, body), program.spans[body]);
    if let Branches::Cons(branches) = &mut program.switches[switch].branches {
        branches[branch].body = bound;
    }
}

fn written(program: &mut Program, flow: &Flow, constant: Constant) -> ExprId {
    let expr = match constant {
        Constant::Atom(atom) => atom.expr(),
        Constant::Applied(number) => {
            let (global, given) = flow.applied(number);
            let given = given.to_vec();
            let callee = program.expr(Expr::Global(global), Span::NONE);
            let args: Vec<ExprId> =
                given.into_iter().map(|part| written(program, flow, part)).collect();
            Expr::App(callee, program.expr_lists.add(args))
        }
    };
    program.expr(expr, Span::NONE)
}
