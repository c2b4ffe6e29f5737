//! What the primitives on bits, words and floats mean, written down a second time: digit by digit,
//! by way of decimal text, or by definition, where the product has another way. For the functions
//! of C's library the platform is asked by both; C itself is asked by a test (`tests/numbers/libc.rs`).

use std::sync::LazyLock;

use gmachine::machine::print::Format;
use gmachine::machine::{Config, MachineKind, Stress};
use gmachine::optimise::Passes;
use gmachine::primitive::{Operand, Primitive};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::common::{Mode, code_in, compiled, limits};
use crate::dice::Dice;
use crate::tally::Tally;

/// An operand, or a result.
#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    /// An integer.
    Int(BigInt),
    /// A float.
    Float(f64),
}

/// The reason why there is no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The program fails.
    Fails,
    /// The result is larger than what anybody looks at.
    Large,
}

/// Returns the text that a float prints as, and reads back from.
#[must_use]
pub fn shown(value: f64) -> String {
    if value.is_nan() {
        return "+nan.0".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+inf.0" } else { "-inf.0" }.to_owned();
    }
    // The digits of the scientific form, laid out: what is from 0.0001 to below 1e16
    // is written without an exponent.
    let text = format!("{value:e}");
    let (number, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("digits");
    let sign = if number.starts_with('-') { "-" } else { "" };
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let point = exponent + 1;
    match usize::try_from(point) {
        _ if !(-3..=16).contains(&point) => {
            let (first, rest) = digits.split_at(1);
            match rest {
                "" => format!("{sign}{first}e{exponent}"),
                rest => format!("{sign}{first}.{rest}e{exponent}"),
            }
        }
        Ok(0) | Err(_) => format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
        Ok(point) if point >= digits.len() => {
            format!("{sign}{digits}{}.0", "0".repeat(point - digits.len()))
        }
        Ok(point) => format!("{sign}{}.{}", &digits[..point], &digits[point..]),
    }
}

/// Returns the text of a number.
#[must_use]
pub fn text(number: &Number) -> String {
    match number {
        Number::Int(value) => value.to_string(),
        Number::Float(value) => shown(*value),
    }
}

/// The primitives that this computes.
pub static PRIMITIVES: LazyLock<Vec<Primitive>> = LazyLock::new(|| {
    let is_new = |primitive: &Primitive| {
        primitive.computes() && !primitive.is_reserved() && !primitive.is_on_aggregates()
    };
    Primitive::ALL.iter().copied().filter(is_new).collect()
});

/// Returns the remainder of a division by a positive number that rounds toward minus infinity.
fn modulo(value: &BigInt, by: &BigInt) -> BigInt {
    let rest = value % by;
    if rest.is_negative() { rest + by } else { rest }
}

/// Returns the bits of an integer, the lowest one first, as many as there are before the sign goes
/// on.
fn bits(value: &BigInt, count: usize) -> Vec<bool> {
    let (two, mut rest) = (BigInt::from(2), value.clone());
    let mut bits = Vec::with_capacity(count);
    for _ in 0..count {
        let bit = modulo(&rest, &two);
        rest = (rest - &bit) / &two;
        bits.push(!bit.is_zero());
    }
    bits
}

/// Returns the integer whose bits these are, the last one being the sign.
fn from_bits(bits: &[bool]) -> BigInt {
    let mut value = BigInt::zero();
    for &bit in bits.iter().rev().skip(1) {
        value = value * 2 + u8::from(bit);
    }
    match bits.last() {
        Some(true) => value - (BigInt::one() << (bits.len() - 1)),
        _ => value,
    }
}

fn bitwise(a: &BigInt, b: &BigInt, of: impl Fn(bool, bool) -> bool) -> BigInt {
    let count = a.bits().max(b.bits()) as usize + 2;
    let pairs = bits(a, count).into_iter().zip(bits(b, count));
    from_bits(&pairs.map(|(a, b)| of(a, b)).collect::<Vec<_>>())
}

fn wrapped(value: &BigInt, width: u32, signed: bool) -> BigInt {
    let modulus = BigInt::from(2).pow(width);
    let low = modulo(value, &modulus);
    if signed && &low * 2 >= modulus { low - modulus } else { low }
}

/// Computes a primitive.
///
/// # Errors
/// If it has no result, also because an operand is of the wrong kind.
pub fn compute(name: &str, args: &[Number]) -> Result<Number, Missing> {
    let int = |at: usize| match &args[at] {
        Number::Int(value) => Ok(value),
        Number::Float(_) => Err(Missing::Fails),
    };
    let flt = |at: usize| match &args[at] {
        Number::Float(value) => Ok(*value),
        Number::Int(_) => Err(Missing::Fails),
    };
    // The number of bits of a shift, if it is not so large that only the sign matters.
    let count = || match int(1)? {
        count if count.is_negative() => Err(Missing::Fails),
        count => Ok(count.to_u32().filter(|count| *count <= 100_000)),
    };
    let truth = |holds: bool| Ok(Number::Int(u8::from(holds).into()));
    let whole = |value: BigInt| Ok(Number::Int(value));
    let float = |value: f64| Ok(Number::Float(value));
    if let Some((operation, signed)) =
        name.strip_suffix("i64").map(|o| (o, true)).or(name.strip_suffix("u64").map(|o| (o, false)))
    {
        let exact = match operation {
            "add" => int(0)? + int(1)?,
            "sub" => int(0)? - int(1)?,
            "mul" => int(0)? * int(1)?,
            "shl" => {
                let value = int(0)?;
                match count()? {
                    Some(count) => value * BigInt::from(2).pow(count),
                    None => BigInt::zero(),
                }
            }
            _ => int(0)?.clone(),
        };
        return whole(wrapped(&exact, 64, signed));
    }
    match name {
        "bitand" => whole(bitwise(int(0)?, int(1)?, |a, b| a && b)),
        "bitor" => whole(bitwise(int(0)?, int(1)?, |a, b| a || b)),
        "bitxor" => whole(bitwise(int(0)?, int(1)?, |a, b| a != b)),
        "bitnot" => whole(-int(0)? - 1),
        "shl" => {
            let value = int(0)?;
            match count()? {
                _ if value.is_zero() => whole(BigInt::zero()),
                Some(count) => whole(value * BigInt::from(2).pow(count)),
                None => Err(Missing::Large),
            }
        }
        "shr" => {
            let value = int(0)?;
            match count()? {
                Some(count) => {
                    let power = BigInt::from(2).pow(count);
                    whole((value - modulo(value, &power)) / power)
                }
                None if value.bits() > 100_000 => Err(Missing::Large),
                None => whole(BigInt::from(-i32::from(value.is_negative()))),
            }
        }
        "popcount" => match int(0)? {
            value if value.is_negative() => Err(Missing::Fails),
            value => whole(value.to_str_radix(2).matches('1').count().into()),
        },
        "toi8" => whole(wrapped(int(0)?, 8, true)),
        "toi16" => whole(wrapped(int(0)?, 16, true)),
        "toi32" => whole(wrapped(int(0)?, 32, true)),
        "tou8" => whole(wrapped(int(0)?, 8, false)),
        "tou16" => whole(wrapped(int(0)?, 16, false)),
        "tou32" => whole(wrapped(int(0)?, 32, false)),
        "fadd" => float(flt(0)? + flt(1)?),
        "fsub" => float(flt(0)? - flt(1)?),
        "fmul" => float(flt(0)? * flt(1)?),
        "fdiv" => float(flt(0)? / flt(1)?),
        "frem" => float(flt(0)? % flt(1)?),
        "fpow" => float(flt(0)?.powf(flt(1)?)),
        "fatan2" => float(flt(0)?.atan2(flt(1)?)),
        "fhypot" => float(flt(0)?.hypot(flt(1)?)),
        "fcopysign" => {
            let (a, b) = (flt(0)?, flt(1)?);
            let negative = !b.is_nan() && b.to_bits() >> 63 == 1;
            float(if negative { -a.abs() } else { a.abs() })
        }
        "fneg" => float(-flt(0)?),
        "fabs" => float(f64::from_bits(flt(0)?.to_bits() & (u64::MAX >> 1))),
        "fsqrt" => float(flt(0)?.sqrt()),
        "fcbrt" => float(flt(0)?.cbrt()),
        "fexp" => float(flt(0)?.exp()),
        "fexp2" => float(flt(0)?.exp2()),
        "fexpm1" => float(flt(0)?.exp_m1()),
        "flog" => float(flt(0)?.ln()),
        "flog2" => float(flt(0)?.log2()),
        "flog10" => float(flt(0)?.log10()),
        "flog1p" => float(flt(0)?.ln_1p()),
        "fsin" => float(flt(0)?.sin()),
        "fcos" => float(flt(0)?.cos()),
        "ftan" => float(flt(0)?.tan()),
        "fasin" => float(flt(0)?.asin()),
        "facos" => float(flt(0)?.acos()),
        "fatan" => float(flt(0)?.atan()),
        "fsinh" => float(flt(0)?.sinh()),
        "fcosh" => float(flt(0)?.cosh()),
        "ftanh" => float(flt(0)?.tanh()),
        "fasinh" => {
            let x = flt(0)?.abs();
            let root = (x * x + 1.0).sqrt();
            let of_size = match x > f64::from(1 << 28) {
                true => x.ln() + std::f64::consts::LN_2,
                false => (x + x * x / (root + 1.0)).ln_1p(),
            };
            float(if flt(0)?.is_sign_negative() { -of_size } else { of_size })
        }
        "facosh" => match flt(0)? {
            x if x < 1.0 => float(f64::NAN),
            x if x > f64::from(1 << 28) => float(x.ln() + std::f64::consts::LN_2),
            x => float((x - 1.0 + ((x - 1.0) * (x - 1.0 + 2.0)).sqrt()).ln_1p()),
        },
        "fatanh" => {
            let x = flt(0)?.abs();
            let ratio = match x < 0.5 {
                true => 2.0 * x + 2.0 * x * x / (1.0 - x),
                false => 2.0 * x / (1.0 - x),
            };
            let of_size = ratio.ln_1p() / 2.0;
            float(if flt(0)?.is_sign_negative() { -of_size } else { of_size })
        }
        "ffloor" => float(rounded(flt(0)?, |below, _| below)),
        "fceil" => {
            float(rounded(flt(0)?, |below, rest| if rest > 0.0 { below + 1.0 } else { below }))
        }
        "ftrunc" => {
            let value = flt(0)?;
            let below = rounded(value.abs(), |below, _| below);
            float(below.copysign(value))
        }
        "fround" => {
            let value = flt(0)?;
            let away =
                rounded(value.abs(), |below, rest| if rest >= 0.5 { below + 1.0 } else { below });
            float(away.copysign(value))
        }
        "frint" => float(rounded(flt(0)?, |below, rest| match rest {
            _ if rest > 0.5 => below + 1.0,
            _ if rest == 0.5 && below % 2.0 != 0.0 => below + 1.0,
            _ => below,
        })),
        "feq" => truth(flt(0)? == flt(1)?),
        "fneq" => {
            let (a, b) = (flt(0)?, flt(1)?);
            truth(a.partial_cmp(&b) != Some(std::cmp::Ordering::Equal))
        }
        "flt" => truth(flt(0)? < flt(1)?),
        "fle" => {
            let (a, b) = (flt(0)?, flt(1)?);
            truth(!matches!(a.partial_cmp(&b), None | Some(std::cmp::Ordering::Greater)))
        }
        "fgt" => {
            let (a, b) = (flt(0)?, flt(1)?);
            truth(b < a)
        }
        "fge" => {
            let (a, b) = (flt(0)?, flt(1)?);
            truth(!matches!(a.partial_cmp(&b), None | Some(std::cmp::Ordering::Less)))
        }
        "itof" => float(int(0)?.to_string().parse().expect("a number")),
        "ftoi" => match flt(0)? {
            value if value.is_finite() => {
                // All digits that a float can have: nothing is rounded.
                let exact = format!("{value:.1074}");
                let (whole_part, _) = exact.split_once('.').expect("a point");
                whole(whole_part.parse().expect("digits"))
            }
            _ => Err(Missing::Fails),
        },
        "ftobits" => match flt(0)? {
            value if value.is_nan() => whole(BigInt::from(0x7ff8_u64) << 48),
            value => whole(value.to_bits().into()),
        },
        "bitstof" => {
            let low = wrapped(int(0)?, 64, false);
            float(f64::from_bits(low.to_u64().expect("64 bits")))
        }
        "fdigits" | "fexponent" => match flt(0)? {
            value if value.is_finite() => {
                let text = format!("{value:e}");
                let (number, exponent) = text.split_once('e').expect("an exponent");
                let places = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
                let exponent: i64 = exponent.parse().expect("digits");
                match name {
                    "fdigits" => whole(number.replace('.', "").parse().expect("digits")),
                    _ => whole((exponent - places as i64).into()),
                }
            }
            _ => Err(Missing::Fails),
        },
        "fdecimal" => {
            let (digits, exponent) = (int(0)?, int(1)?);
            if digits.is_zero() {
                return float(0.0);
            }
            let size = digits.abs().to_string().len();
            let exponent = exponent.clone() + size;
            let limit = BigInt::from(5000);
            let exponent = exponent.clamp(-limit.clone(), limit) - size;
            float(format!("{digits}e{exponent}").parse().expect("a number"))
        }
        _ => panic!("{name} is no such primitive"),
    }
}

/// Rounds a float by its whole part below and the rest, with the sign of a zero kept.
fn rounded(value: f64, of: impl Fn(f64, f64) -> f64) -> f64 {
    // From 2^52 on all floats are whole.
    if value.is_nan() || value.abs() >= 4_503_599_627_370_496.0 {
        return value;
    }
    let mut below = value as i64 as f64;
    if below > value {
        below -= 1.0;
    }
    of(below, value - below).copysign(value)
}

/// Generates an integer that something begins or ends at, or any.
pub fn integer(dice: &mut Dice) -> BigInt {
    let near: i64 = dice.roll(5) as i64 - 2;
    let base = match dice.roll(12) {
        0..=2 => BigInt::zero(),
        3 => BigInt::from(1_u64 << 62),
        4 => BigInt::from(1_u64 << 63),
        5 => BigInt::one() << 64,
        6 => BigInt::one() << 32,
        7 => BigInt::one() << 53,
        8 => BigInt::one() << (dice.roll(200)),
        9 => BigInt::from(dice.any()),
        10 => (BigInt::from(dice.any()) << 64) + dice.any(),
        _ => BigInt::from(dice.roll(300)),
    };
    let base = if dice.one_in(2) { -base } else { base };
    base + near
}

/// Generates a float that something begins or ends at, or any.
pub fn float(dice: &mut Dice) -> f64 {
    let base = match dice.roll(12) {
        0 => 0.0,
        1 => f64::INFINITY,
        2 => f64::NAN,
        3 => [f64::MIN_POSITIVE, 5e-324, f64::MAX, 2f64.powi(64), 2f64.powi(-63)][dice.roll(5)],
        4 => [2f64.powi(63), 2f64.powi(62), 2f64.powi(53), 2f64.powi(65), 1e19][dice.roll(5)],
        5 => dice.roll(100) as f64 + 0.5,
        6..=7 => dice.roll(1000) as f64,
        8 => f64::from_bits(dice.any()),
        _ => (dice.any() as f64 / u64::MAX as f64) * 10f64.powi(dice.roll(40) as i32 - 20),
    };
    let base = match dice.roll(4) {
        0 => base.next_up(),
        1 => base.next_down(),
        _ => base,
    };
    if dice.one_in(2) { -base } else { base }
}

/// Generates operands for a primitive.
pub fn operands(primitive: Primitive, dice: &mut Dice) -> Vec<Number> {
    let shifts = primitive.name().starts_with("sh");
    (0..primitive.arity())
        .map(|at| match primitive.operand() {
            Operand::Float => Number::Float(float(dice)),
            _ if shifts && at == 1 && !dice.one_in(8) => Number::Int(dice.roll(140).into()),
            _ if primitive == Primitive::FDecimal && at == 1 && !dice.one_in(8) => {
                Number::Int(BigInt::from(dice.roll(800)) - 400)
            }
            _ => Number::Int(integer(dice)),
        })
        .collect()
}

/// The results of a program of [`wrong`].
const RESULTS: usize = 30;

/// Returns an expression in one of its forms: operands that the compiler knows, all, none, the
/// first, the second.
fn expression(primitive: Primitive, args: &[Number], form: usize) -> String {
    let name = primitive.name();
    let hidden = |at: usize, arg: &Number| match form {
        0 => text(arg),
        2 | 6 if at == 0 => text(arg),
        3 | 7 if at == 1 => text(arg),
        _ => format!("(only k {})", text(arg)),
    };
    let args: Vec<String> = args.iter().enumerate().map(|(at, arg)| hidden(at, arg)).collect();
    let call = format!("({name} {})", args.join(" "));
    match form {
        // As what a condition is, which has instructions of its own.
        4 | 6 | 7
            if primitive.result() == Operand::Integer
                && name.starts_with('f')
                && args.len() == 2 =>
        {
            format!("(case k [0 (if {call} 1 0)])")
        }
        // By the function of the primitive, which is given its operands lazily.
        5 => format!("(apply{} {name} {})", args.len(), args.join(" ")),
        _ => call,
    }
}

/// Operations within each other in a formula, at most.
const NESTED: usize = 3;

/// Generates a formula, and what it gives if its operands, named from `a` on, are these: a number
/// of `kind`, or a failure. `None` where a result is too large.
fn formula(
    kind: Operand,
    operands: &[Number],
    nested: usize,
    dice: &mut Dice,
) -> Option<(String, Option<Number>)> {
    if nested == 0 || dice.one_in(4) {
        let is_of = |number: &Number| match number {
            Number::Int(_) => kind == Operand::Integer,
            Number::Float(_) => kind == Operand::Float,
        };
        // Seldom of another kind.
        let any = dice.one_in(6);
        let fit: Vec<usize> =
            (0..operands.len()).filter(|&at| any || is_of(&operands[at])).collect();
        if !fit.is_empty() && !dice.one_in(4) {
            let at = fit[dice.roll(fit.len())];
            let name = char::from(b'a' + at as u8).to_string();
            return Some((name, Some(operands[at].clone())));
        }
        let number = match kind {
            Operand::Float => Number::Float(float(dice)),
            _ => Number::Int(BigInt::from(dice.roll(200)) - 100),
        };
        return Some((text(&number), Some(number)));
    }
    use Primitive as P;
    let primitive = match kind {
        Operand::Float if !dice.one_in(3) => [P::FAdd, P::FSub, P::FMul, P::FDiv][dice.roll(4)],
        _ => {
            let of_kind: Vec<Primitive> =
                PRIMITIVES.iter().copied().filter(|p| p.result() == kind).collect();
            of_kind[dice.roll(of_kind.len())]
        }
    };
    let (mut texts, mut args) = (Vec::new(), Some(Vec::new()));
    for _ in 0..primitive.arity() {
        let (text, arg) = formula(primitive.operand(), operands, nested - 1, dice)?;
        texts.push(text);
        args = args.zip(arg).map(|(mut args, arg)| {
            args.push(arg);
            args
        });
    }
    let result = match args.map(|args| compute(primitive.name(), &args)) {
        Some(Ok(result)) => Some(result),
        Some(Err(Missing::Large)) => return None,
        Some(Err(Missing::Fails)) | None => None,
    };
    Some((format!("({} {})", primitive.name(), texts.join(" ")), result))
}

/// Makes formulas of operands that are evaluated, as fields of data: what a machine may compute where
/// it would be built. Returns the definitions, and calls with their results, or that they fail.
fn formulas(dice: &mut Dice) -> (String, Vec<(String, Option<Number>)>) {
    let (mut definitions, mut calls) = (String::new(), Vec::new());
    for count in 0..FORMULAS {
        let operands: Vec<Number> = (0..1 + dice.roll(6))
            .map(|_| match dice.one_in(3) {
                true => Number::Int(integer(dice)),
                false => Number::Float(float(dice)),
            })
            .collect();
        let kind = [Operand::Integer, Operand::Float][dice.roll(2)];
        let Some((body, result)) = formula(kind, &operands, NESTED, dice) else { continue };
        let names: Vec<String> =
            (b'a'..).take(operands.len()).map(|name| char::from(name).to_string()).collect();
        let evaluated = names.iter().map(|name| format!("(seq {name} ")).collect::<String>();
        let (open, names) = (")".repeat(names.len()), names.join(" "));
        definitions +=
            &format!("(defn formula{count}[{names}] {evaluated}(Cons {body} Nil){open})\n");
        let args: Vec<String> =
            operands.iter().map(|operand| format!("(only k {})", text(operand))).collect();
        calls.push((format!("(head (formula{count} {}))", args.join(" ")), result));
    }
    (definitions, calls)
}

/// Formulas in a program of [`wrong`].
const FORMULAS: usize = 6;

const DEFINITIONS: &str = "\
(defn only[k x] (if (eq k 0) x (error \"there is input\")))
(defn apply1[f x] (f x))
(defn apply2[f x y] (f x y))
";

/// Tries primitives on operands that a number decides, in every form, on every machine at every
/// level and however often it collects.
///
/// # Errors
/// With what a machine gives, if it is not what it should give.
pub fn wrong(seed: u64) -> Result<Tally, String> {
    let mut dice = Dice::new(seed);
    let (mut results, mut expressions, mut failing) = (Vec::new(), Vec::new(), None);
    // One primitive of many operands, or many.
    let one = PRIMITIVES[dice.roll(PRIMITIVES.len())];
    let is_one = seed.is_multiple_of(2);
    while expressions.len() < RESULTS {
        let primitive = if is_one { one } else { PRIMITIVES[dice.roll(PRIMITIVES.len())] };
        let args = operands(primitive, &mut dice);
        let expression = expression(primitive, &args, dice.roll(8));
        match compute(primitive.name(), &args) {
            Ok(result) => {
                results.push(text(&result));
                expressions.push(expression);
            }
            Err(Missing::Fails) => failing = Some(expression),
            Err(Missing::Large) => {}
        }
        if dice.one_in(20) {
            // An operand of another kind.
            let mut args = args;
            let at = dice.roll(args.len());
            args[at] = match args[at] {
                Number::Int(_) => Number::Float(float(&mut dice)),
                Number::Float(_) => Number::Int(integer(&mut dice)),
            };
            failing = Some(self::expression(primitive, &args, dice.roll(8)));
        }
    }
    let (definitions, calls) = formulas(&mut dice);
    for (call, result) in calls {
        match result {
            Some(result) => {
                results.push(text(&result));
                expressions.push(call);
            }
            None => failing = Some(call),
        }
    }
    let main = |body: &str| {
        format!("{DEFINITIONS}{definitions}(defn main[input] (let ([k (length input)]) {body}))")
    };
    let wanted = format!("{} Nil\n", results.join(" "));
    let program = main(&format!("[{}]", expressions.join(" ")));
    let failing = failing.map(|expression| main(&expression));
    let modes: Vec<Mode> = Mode::all().collect();
    let mut seen = Tally { cases: 1, ..Tally::default() };
    for level in 0..3 {
        for (at, &mode) in modes.iter().enumerate() {
            // Of those that collect, one each time.
            if mode.stress != Stress::None && !(seed as usize + at).is_multiple_of(modes.len()) {
                continue;
            }
            let run = |text: &str| match compiled(text, Passes::level(level)) {
                Ok(code) => {
                    let config = Config { stress: mode.stress, ..limits() };
                    code_in(mode.machine, &code, "", Format::Default, config)
                }
                Err(run) => *run,
            };
            let ended = run(&program);
            if ended.failure.is_some() || ended.output != wanted {
                let got = ended.output.split(' ').zip(wanted.split(' ')).zip(&expressions);
                let first = got.into_iter().find(|((got, wanted), _)| got != wanted);
                let failure = ended.failure;
                return Err(format!("numbers: {mode:?} at -O{level}: {first:?} {failure:?}"));
            }
            seen.values += u64::from(mode.machine == MachineKind::Reference);
            if let Some(text) = &failing {
                let ended = run(text);
                let code = ended.failure.as_ref().map(|failure| failure.code.as_str());
                if !matches!(code, Some("G0503" | "G0513" | "G0514")) {
                    return Err(format!(
                        "numbers: {mode:?} at -O{level}: {text} gave {:?} {:?}",
                        ended.output, ended.failure
                    ));
                }
                seen.errors += u64::from(mode.machine == MachineKind::Reference);
            }
        }
    }
    Ok(seen)
}
