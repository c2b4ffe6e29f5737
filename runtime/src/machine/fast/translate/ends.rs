//! How code ends: with what it returns, or with what goes on in its place.

use super::super::code::instr::{Arg, Base, Dst, Forced, Instr};
use super::build::{Call, Node};
use super::known::Known;
use super::unit::Term;
use super::value::{Value, ValueId};
use super::{TooLarge, Translator};
use crate::base::span::Span;
use crate::gcode::program::GlobalId;

impl Translator<'_> {
    fn end(&mut self, instr: Instr, span: Span) {
        self.unit.close(Term::End(instr), span);
    }

    /// Ends the code with a value.
    pub(super) fn finish_with(&mut self, id: ValueId, span: Span) -> Result<(), TooLarge> {
        match self.values.get(id) {
            Value::Const(word) => {
                let a = self.out.constant(word);
                self.end(Instr::Return { a }, span);
            }
            Value::Var(_) | Value::Caf(_) | Value::Text(_) | Value::Big(_) | Value::Float(_) => {
                let v = self.variable(id)?;
                self.finish_with_variable(v, span);
            }
            Value::Con { span, .. } => self.finish_with_node(id, span)?,
            Value::App { callee, args, span } => {
                let call = self.call(callee, args.count as usize);
                let list = self.values.list(args);
                match call {
                    Call::Con(_) | Call::Partial(_) => self.finish_with_node(id, span)?,
                    Call::Exact(global) => match (self.globals.known(global), &list[..]) {
                        (Known::Strict(primitive), &[a, ref b @ ..]) => {
                            let d = self.compute(primitive, a, b.first().copied(), span)?;
                            self.end(Instr::Return { a: Arg::slot(d) }, span);
                        }
                        _ if self.keeps_frame(global, span) => {
                            let value = self.call_global(global, &list, span)?;
                            self.end(Instr::Return { a: Arg::slot(value) }, span);
                        }
                        _ => {
                            let args = self.passed(global, &list)?;
                            self.tail(global, args, span);
                        }
                    },
                    Call::More(global, arity) => {
                        let (first, rest) = list.split_at(arity);
                        let rest = self.args(rest)?;
                        let f = Arg::slot(self.call_global(global, first, span)?);
                        self.tail_apply(f, rest, span)?;
                    }
                    Call::Unknown => {
                        let args = self.args(&list)?;
                        let f = self.arg(callee)?;
                        self.tail_apply(f, args, span)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns whether the frame of this code stays below a call of a function that it ends in. A
    /// thunk says by itself where it stands.
    fn keeps_frame(&self, global: GlobalId, span: Span) -> bool {
        !self.in_thunk && self.globals.keeps_frame(&self.gcode.places, global, span)
    }

    fn finish_with_node(&mut self, id: ValueId, span: Span) -> Result<(), TooLarge> {
        let instr = match self.node(id)? {
            Node::Con(con, args) if args.len() == 2 => {
                Instr::ReturnCon2 { con, a: args[0], b: args[1] }
            }
            node => Instr::Return { a: Arg::slot(self.new_node(node, span)) },
        };
        self.end(instr, span);
        Ok(())
    }

    fn tail(&mut self, global: GlobalId, args: Vec<Arg>, span: Span) {
        let instr = match args[..] {
            [a] => Instr::Tail1 { global, a },
            [a, b] => Instr::Tail2 { global, a, b },
            [a, b, c] => Instr::Tail3 { global, a, b, c },
            _ => Instr::TailN { global, args: self.out.args(args) },
        };
        self.end(instr, span);
    }

    fn tail_apply(&mut self, f: Arg, args: Vec<Arg>, span: Span) -> Result<(), TooLarge> {
        let instr = match args[..] {
            [a] => Instr::TailApply1 { f, a },
            [a, b] => Instr::TailApply2 { f, a, b },
            [a, b, c] => Instr::TailApply3 { f, a, b, c },
            _ => Instr::TailApplyN { f, args: self.arguments(args)? },
        };
        self.end(instr, span);
        Ok(())
    }

    /// Ends the code by returning a variable. What has been called or evaluated only for that takes
    /// the place of the frame instead.
    fn finish_with_variable(&mut self, v: u32, span: Span) {
        let tail = match self.unit.last() {
            Some(
                Instr::Call1 { global, .. }
                | Instr::Call2 { global, .. }
                | Instr::Call3 { global, .. }
                | Instr::CallN { global, .. },
            ) if self.keeps_frame(global, self.unit.last_span()) => None,
            Some(Instr::Eval { a: Forced(last) }) if last == v => {
                Some(Instr::Enter { a: Arg::slot(v) })
            }
            Some(Instr::Call1 { base, global, a }) if base == Base(v) => {
                Some(Instr::Tail1 { global, a })
            }
            Some(Instr::Call2 { base, global, a, b }) if base == Base(v) => {
                Some(Instr::Tail2 { global, a, b })
            }
            Some(Instr::Call3 { base, global, a, b, c }) if base == Base(v) => {
                Some(Instr::Tail3 { global, a, b, c })
            }
            Some(Instr::CallN { base, global, args }) if base == Base(v) => {
                Some(Instr::TailN { global, args })
            }
            Some(Instr::Apply1 { base, f, a }) if base == Base(v) => {
                Some(Instr::TailApply1 { f, a })
            }
            Some(Instr::Apply2 { base, f, a, b }) if base == Base(v) => {
                Some(Instr::TailApply2 { f, a, b })
            }
            Some(Instr::Apply3 { base, f, a, b, c }) if base == Base(v) => {
                Some(Instr::TailApply3 { f, a, b, c })
            }
            Some(Instr::ApplyN { base, f, args }) if base == Base(v) => {
                Some(Instr::TailApplyN { f, args })
            }
            Some(Instr::Con2 { d: Dst(d), con, a, b }) if d == v => {
                Some(Instr::ReturnCon2 { con, a, b })
            }
            _ => None,
        };
        let a = Arg::slot(v);
        match tail {
            Some(tail) => {
                let span = self.unit.unemit().map_or(span, |origin| origin.span);
                self.end(tail, span);
            }
            None if self.unit.is_evaluated(v) => self.end(Instr::Return { a }, span),
            None => self.end(Instr::Enter { a }, span),
        }
    }
}
