//! Products of huge numbers by number-theoretic transforms.
//!
//! A number is a polynomial with coefficients of [`BITS`] bits. The coefficients of a product are
//! computed modulo two primes p below 2^61 with p - 1 a multiple of 2^32, and put together by the
//! Chinese remainder theorem. (Pollard, *The fast Fourier transform in a finite field*, 1971;
//! Harvey, *Faster arithmetic for number-theoretic transforms*, 2014.) What this relies on:
//!
//! - A coefficient of a product is a sum of at most as many products of two coefficients as the
//!   shorter factor has: below `MOST * 2^(2 * BITS)` = 2^121, and the primes' product is above.
//! - A residue is any number that is right modulo p, below 2p unless another bound is said. A transform
//!   works on residues below 8p < 2^64. `Field::mul` takes `a * b < 2^64 * p`, as of `a < 8p` and `b < p`.
//! - With v(s) the binary digits of s mirrored behind the point (0, 1/2, 1/4, 3/4, 1/8, ..) and
//!   c(s) = e^(2πi v(s)), i.e. that power of a root of unity modulo p: *block* s of `len` numbers holds a
//!   polynomial modulo x^len - c(s). Since c(2s)^2 = c(s) and c(2s + 1) = -c(2s), its halves become blocks
//!   2s and 2s + 1, whatever `len` is; so a block is known by its number, and a transform is one of block 0.
//!   What comes out is in the order in which it is, and nothing is put into another one.
//! - A product is computed modulo (x^n - 1)(x^m - c), where n is a power of two, m is n/2, n/4 or nothing,
//!   and c is c(n/m), the number of the block behind. As c^(n/m) = -1, x^n is -1 there: a product
//!   `low + (x^n - 1) * high` is `low` in the first block and `low - 2 * high` in the second. So lengths
//!   go up by a third at most, and time and memory with them.

use super::long::{Poll, Stopped};
use num_bigint::BigUint;

/// Bits of a coefficient: four of them are three limbs.
const BITS: u32 = 48;

/// The most coefficients of the shorter factor.
const MOST: usize = 1 << 25;

/// The most limbs of the shorter factor.
pub(super) const MOST_LIMBS: usize = MOST / 4 * 3;

/// Numbers of a block that is transformed at once; they fit the cache of the second level.
const AT_ONCE: usize = 1 << 14;

/// Two primes that are 1 modulo 2^32.
const FIRST: u64 = 0x1fff_fff2_0000_0001;
const SECOND: u64 = 0x1fff_fff9_0000_0001;

const _: () = assert!((MOST as u128) << (2 * BITS) < FIRST as u128 * SECOND as u128);

/// The numbers modulo a prime P; numbers that others are multiplied by are kept times 2^64
/// (Montgomery, *Modular multiplication without trial division*, 1985).
struct Field<const P: u64>;

/// The number of powers of two, from 2^0 on, that are orders of roots of unity.
const ORDERS: usize = 33;

impl<const P: u64> Field<P> {
    /// The inverse of p modulo 2^64.
    const INVERSE: u64 = {
        let (mut inverse, mut bits) = (P, 3);
        while bits < 64 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(P.wrapping_mul(inverse)));
            bits *= 2;
        }
        inverse
    };

    /// 1 times 2^64, and 2^64 times 2^64, modulo p.
    const ONE: u64 = ((1_u128 << 64) % P as u128) as u64;
    const SHIFT: u64 = (Self::ONE as u128 * Self::ONE as u128 % P as u128) as u64;
    const HALF: u64 = Self::inverse_of(Self::mul(2, Self::SHIFT) % P);

    /// Roots of unity of the orders 2^0, 2^1, .., each the square of the next, and their inverses.
    const ROOTS: [u64; ORDERS] = Self::roots(false);
    const INVERSE_ROOTS: [u64; ORDERS] = Self::roots(true);

    /// The factors that take c(4s) to c(4s + 4), by the number of ones that s ends in; and those
    /// that take its inverse there.
    const STEPS: [u64; ORDERS - 3] = Self::steps(&Self::ROOTS, &Self::INVERSE_ROOTS);
    const INVERSE_STEPS: [u64; ORDERS - 3] = Self::steps(&Self::INVERSE_ROOTS, &Self::ROOTS);

    /// Returns `a * b / 2^64` modulo p, by Montgomery multiplication.
    #[inline(always)]
    const fn mul(a: u64, b: u64) -> u64 {
        let product = a as u128 * b as u128;
        let multiple = (product as u64).wrapping_mul(Self::INVERSE);
        // The lower halves are equal, and both upper ones below P.
        (product >> 64) as u64 + P - ((multiple as u128 * P as u128) >> 64) as u64
    }

    /// Returns `a * b / 2^64` modulo p, below p.
    #[inline(always)]
    const fn mul_exactly(a: u64, b: u64) -> u64 {
        Self::less(Self::mul(a, b), P)
    }

    /// Returns `a`, less `most` if that is not below 0.
    #[inline(always)]
    const fn less(a: u64, most: u64) -> u64 {
        let less = a.wrapping_sub(most);
        if a < most { a } else { less }
    }

    const fn power(base: u64, mut exponent: u64) -> u64 {
        let (mut power, mut square) = (Self::ONE, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = Self::mul_exactly(power, square);
            }
            square = Self::mul_exactly(square, square);
            exponent >>= 1;
        }
        power
    }

    const fn inverse_of(a: u64) -> u64 {
        Self::power(a, P - 2)
    }

    const fn roots(inverse: bool) -> [u64; ORDERS] {
        // Of a number that is no square, the power by (P - 1) / 2^32 has the order 2^32.
        let mut number = 2;
        let root = loop {
            let base = Self::mul_exactly(number, Self::SHIFT);
            if Self::power(base, (P - 1) / 2) != Self::ONE {
                break Self::power(base, (P - 1) >> (ORDERS - 1));
            }
            number += 1;
        };
        let (mut roots, mut at) = ([Self::ONE; ORDERS], ORDERS);
        let mut root = if inverse { Self::inverse_of(root) } else { root };
        while at > 0 {
            at -= 1;
            roots[at] = root;
            root = Self::mul_exactly(root, root);
        }
        roots
    }

    const fn steps(roots: &[u64; ORDERS], inverses: &[u64; ORDERS]) -> [u64; ORDERS - 3] {
        let (mut steps, mut at, mut back) = ([Self::ONE; ORDERS - 3], 0, Self::ONE);
        while at < ORDERS - 3 {
            steps[at] = Self::mul_exactly(back, roots[at + 3]);
            back = Self::mul_exactly(back, inverses[at + 3]);
            at += 1;
        }
        steps
    }

    /// Returns c(s) of a block s, or its inverse if `roots` are the inverse roots.
    fn c(block: usize, roots: &[u64; ORDERS]) -> u64 {
        let bits = (0..usize::BITS as usize).take_while(|bit| block >> bit > 0);
        bits.filter(|bit| block >> bit & 1 == 1)
            .fold(Self::ONE, |c, bit| Self::mul_exactly(c, roots[bit + 1]))
    }

    /// Splits block `block`, whose length is a power of two, into blocks of one number, the values at its
    /// roots: of residues below 8p, ones below 8p.
    fn forward(data: &mut [u64], block: usize, poll: Poll<'_>) -> Result<(), Stopped> {
        poll()?;
        let is_odd = !data.len().trailing_zeros().is_multiple_of(2);
        if data.len() > AT_ONCE {
            let parts = if is_odd { 2 } else { 4 };
            match parts {
                2 => Self::halve(data, Self::c(2 * block, &Self::ROOTS), poll)?,
                _ => Self::quarter(data, Self::c(4 * block, &Self::ROOTS), poll)?,
            }
            let size = data.len() / parts;
            let blocks = (parts * block..).zip(data.chunks_exact_mut(size));
            return blocks
                .into_iter()
                .try_for_each(|(block, part)| Self::forward(part, block, poll));
        }
        let (mut size, mut first) = (data.len(), block);
        if is_odd {
            Self::halve(data, Self::c(2 * block, &Self::ROOTS), poll)?;
            (size, first) = (size / 2, 2 * first);
        }
        while size > 4 {
            let mut c = Self::c(4 * first, &Self::ROOTS);
            for (block, part) in (first..).zip(data.chunks_exact_mut(size)) {
                Self::quarter(part, c, poll)?;
                c = Self::mul_exactly(c, Self::STEPS[block.trailing_ones() as usize]);
            }
            (size, first) = (size / 4, 4 * first);
        }
        if size == 4 {
            let mut c = Self::c(4 * first, &Self::ROOTS);
            for (block, part) in (first..).zip(data.as_chunks_mut().0) {
                *part = Self::split(*part, Self::powers(c));
                c = Self::mul_exactly(c, Self::STEPS[block.trailing_ones() as usize]);
            }
        }
        Ok(())
    }

    /// Takes back what [`forward`](Field::forward) does, times the length: of residues below 2p, ones below
    /// 2p.
    fn backward(data: &mut [u64], block: usize, poll: Poll<'_>) -> Result<(), Stopped> {
        poll()?;
        let is_odd = !data.len().trailing_zeros().is_multiple_of(2);
        if data.len() > AT_ONCE {
            let parts = if is_odd { 2 } else { 4 };
            let size = data.len() / parts;
            for (block, part) in (parts * block..).zip(data.chunks_exact_mut(size)) {
                Self::backward(part, block, poll)?;
            }
            return match parts {
                2 => Self::unhalve(data, Self::c(2 * block, &Self::INVERSE_ROOTS), poll),
                _ => Self::unquarter(data, Self::c(4 * block, &Self::INVERSE_ROOTS), poll),
            };
        }
        let whole = data.len() >> u32::from(is_odd);
        let mut size = 4;
        if size <= whole {
            let first = block * (data.len() / size);
            let mut c = Self::c(4 * first, &Self::INVERSE_ROOTS);
            for (block, part) in (first..).zip(data.as_chunks_mut().0) {
                *part = Self::join(*part, Self::powers(c));
                c = Self::mul_exactly(c, Self::INVERSE_STEPS[block.trailing_ones() as usize]);
            }
            size *= 4;
        }
        while size <= whole {
            let first = block * (data.len() / size);
            let mut c = Self::c(4 * first, &Self::INVERSE_ROOTS);
            for (block, part) in (first..).zip(data.chunks_exact_mut(size)) {
                Self::unquarter(part, c, poll)?;
                c = Self::mul_exactly(c, Self::INVERSE_STEPS[block.trailing_ones() as usize]);
            }
            size *= 4;
        }
        if is_odd {
            Self::unhalve(data, Self::c(2 * block, &Self::INVERSE_ROOTS), poll)?;
        }
        Ok(())
    }

    /// Returns c, c^2 and c^3.
    #[inline(always)]
    fn powers(c: u64) -> [u64; 3] {
        let square = Self::mul_exactly(c, c);
        [c, square, Self::mul_exactly(square, c)]
    }

    /// Returns the four values of a polynomial at c, -c, ic and -ic: of residues below 8p, ones
    /// below 8p.
    #[inline(always)]
    fn split([a0, a1, a2, a3]: [u64; 4], [c1, c2, c3]: [u64; 3]) -> [u64; 4] {
        let a0 = Self::less(Self::less(a0, 4 * P), 2 * P);
        let (a1, a2, a3) = (Self::mul(a1, c1), Self::mul(a2, c2), Self::mul(a3, c3));
        let (even, odd) = (a0 + a2, a1 + a3);
        let turned = Self::mul(a1 + 2 * P - a3, Self::ROOTS[2]);
        let other = a0 + 2 * P - a2;
        [even + odd, even + 4 * P - odd, other + turned, other + 2 * P - turned]
    }

    /// Returns the polynomial of four values, times 4, of residues below 2p; `c` are the inverses.
    #[inline(always)]
    fn join([v0, v1, v2, v3]: [u64; 4], [c1, c2, c3]: [u64; 3]) -> [u64; 4] {
        let (even, other) = (v0 + v1, v2 + v3);
        let odd = v0 + 2 * P - v1;
        let turned = Self::mul(v2 + 2 * P - v3, Self::INVERSE_ROOTS[2]);
        [
            Self::less(Self::less(even + other, 4 * P), 2 * P),
            Self::mul(odd + turned, c1),
            Self::mul(even + 4 * P - other, c2),
            Self::mul(odd + 2 * P - turned, c3),
        ]
    }

    /// Applies an operation to the numbers at the same place of all quarters.
    #[inline(always)]
    fn quarters(
        data: &mut [u64],
        poll: Poll<'_>,
        of: impl Fn([u64; 4]) -> [u64; 4],
    ) -> Result<(), Stopped> {
        let quarter = data.len() / 4;
        let (low, high) = data.split_at_mut(2 * quarter);
        let ((a, b), (c, d)) = (low.split_at_mut(quarter), high.split_at_mut(quarter));
        let piece = AT_ONCE.min(quarter);
        let parts = a.chunks_exact_mut(piece).zip(b.chunks_exact_mut(piece));
        let parts = parts.zip(c.chunks_exact_mut(piece)).zip(d.chunks_exact_mut(piece));
        for (((a, b), c), d) in parts {
            if piece == AT_ONCE {
                poll()?;
            }
            for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
                [*a, *b, *c, *d] = of([*a, *b, *c, *d]);
            }
        }
        Ok(())
    }

    fn quarter(data: &mut [u64], c: u64, poll: Poll<'_>) -> Result<(), Stopped> {
        let powers = Self::powers(c);
        Self::quarters(data, poll, |parts| Self::split(parts, powers))
    }

    fn unquarter(data: &mut [u64], c: u64, poll: Poll<'_>) -> Result<(), Stopped> {
        let powers = Self::powers(c);
        Self::quarters(data, poll, |parts| Self::join(parts, powers))
    }

    /// Applies an operation to the numbers at the same place of both halves.
    #[inline(always)]
    fn halves(
        data: &mut [u64],
        poll: Poll<'_>,
        of: impl Fn(u64, u64) -> (u64, u64),
    ) -> Result<(), Stopped> {
        let half = data.len() / 2;
        let (low, high) = data.split_at_mut(half);
        let piece = AT_ONCE.min(half);
        for (low, high) in low.chunks_exact_mut(piece).zip(high.chunks_exact_mut(piece)) {
            poll()?;
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = of(*a, *b);
            }
        }
        Ok(())
    }

    fn halve(data: &mut [u64], c: u64, poll: Poll<'_>) -> Result<(), Stopped> {
        Self::halves(data, poll, |a, b| {
            let a = Self::less(Self::less(a, 4 * P), 2 * P);
            let b = Self::mul(b, c);
            (a + b, a + 2 * P - b)
        })
    }

    fn unhalve(data: &mut [u64], c: u64, poll: Poll<'_>) -> Result<(), Stopped> {
        Self::halves(data, poll, |a, b| (Self::less(a + b, 2 * P), Self::mul(a + 2 * P - b, c)))
    }

    /// Computes a polynomial of residues below p modulo x^tail - c, with residues below 4p.
    fn remainder(data: &[u64], c: u64, tail: &mut [u64]) {
        tail.fill(0);
        for part in data.chunks(tail.len()).rev() {
            for (at, to) in tail.iter_mut().enumerate() {
                let coefficient = part.get(at).copied().unwrap_or(0);
                *to = Self::mul(*to, c) + coefficient;
            }
        }
    }

    /// Returns the transform of a number.
    fn transform(value: &BigUint, shape: Shape, poll: Poll<'_>) -> Result<Vec<u64>, Stopped> {
        let mut data = Vec::with_capacity(shape.len());
        coefficients(value, &mut data);
        poll()?;
        data.resize(shape.len(), 0);
        if shape.tail > 0 {
            let mut tail = vec![0; shape.tail];
            Self::remainder(&data, Self::c(shape.block(), &Self::ROOTS), &mut tail);
            poll()?;
            let (first, rest) = data.split_at_mut(shape.whole);
            first.iter_mut().zip(&*rest).for_each(|(to, above)| *to += above);
            rest.copy_from_slice(&tail);
            Self::forward(rest, shape.block(), poll)?;
        }
        Self::forward(&mut data[..shape.whole], 0, poll)?;
        Ok(data)
    }

    /// Computes the coefficients of a product modulo p from the transforms of its factors, in the
    /// place of the first one.
    fn product(
        a: &mut [u64],
        b: Option<&[u64]>,
        shape: Shape,
        poll: Poll<'_>,
    ) -> Result<(), Stopped> {
        let below = |value| Self::less(Self::less(value, 4 * P), 2 * P);
        match b {
            Some(b) => a.iter_mut().zip(b).for_each(|(a, b)| *a = Self::mul(below(*a), below(*b))),
            None => a.iter_mut().for_each(|a| *a = Self::mul(below(*a), below(*a))),
        }
        poll()?;
        let (first, rest) = a.split_at_mut(shape.whole);
        Self::backward(first, 0, poll)?;
        Self::scale(first);
        if shape.tail > 0 {
            Self::backward(rest, shape.block(), poll)?;
            Self::scale(rest);
            let mut low = vec![0; shape.tail];
            Self::remainder(first, Self::c(shape.block(), &Self::ROOTS), &mut low);
            for ((to, high), low) in first.iter_mut().zip(rest).zip(low) {
                *high = Self::mul_exactly(low + P - *high, Self::HALF);
                *to = Self::less(*to + P - *high, P);
            }
        }
        poll()
    }

    /// Divides by the length, and by what was lost when transforms were multiplied.
    fn scale(data: &mut [u64]) {
        let length = Self::mul_exactly(data.len() as u64, Self::SHIFT);
        let by = Self::mul_exactly(Self::inverse_of(length), Self::SHIFT);
        data.iter_mut().for_each(|value| *value = Self::mul_exactly(*value, by));
    }
}

/// Appends the coefficients of a number.
fn coefficients(value: &BigUint, out: &mut Vec<u64>) {
    let (mut bits, mut count) = (0_u128, 0);
    for limb in value.iter_u64_digits() {
        bits |= u128::from(limb) << count;
        count += 64;
        while count >= BITS {
            out.push(bits as u64 & ((1 << BITS) - 1));
            bits >>= BITS;
            count -= BITS;
        }
    }
    if count > 0 {
        out.push(bits as u64);
    }
}

/// Returns how many coefficients a number of so many limbs has, at most.
fn count(limbs: usize) -> usize {
    (limbs * 4).div_ceil(3)
}

/// The lengths of the two blocks of a transform.
#[derive(Clone, Copy)]
struct Shape {
    whole: usize,
    tail: usize,
}

impl Shape {
    /// Returns the shortest for products of `limbs` limbs.
    fn of(limbs: usize) -> Shape {
        let least = count(limbs).max(8);
        let whole = 1 << least.ilog2();
        let tails = [0, whole / 4, whole / 2];
        let tail = tails.into_iter().find(|tail| whole + tail >= least);
        tail.map_or(Shape { whole: 2 * whole, tail: 0 }, |tail| Shape { whole, tail })
    }

    fn len(self) -> usize {
        self.whole + self.tail
    }

    /// Returns the number of the second block.
    fn block(self) -> usize {
        self.whole / self.tail.max(1)
    }
}

/// Returns the number whose coefficients are known modulo both primes.
fn number(first: &[u64], second: Vec<u64>) -> BigUint {
    type Second = Field<SECOND>;
    const INVERSE: u64 = Second::inverse_of(Second::mul_exactly(FIRST, Second::SHIFT));
    let mut limbs = second;
    let (mut carry, mut bits, mut filled, mut at) = (0_u128, 0_u64, 0, 0);
    for (index, a) in first.iter().enumerate() {
        let multiple = Second::mul_exactly(limbs[index] + SECOND - a, INVERSE);
        carry += u128::from(*a) + u128::from(FIRST) * u128::from(multiple);
        let piece = carry as u64 & ((1 << BITS) - 1);
        carry >>= BITS;
        bits |= piece << filled;
        filled += BITS;
        if filled >= 64 {
            filled -= 64;
            // No limb is written before its place has been read: three of four are.
            limbs[at] = bits;
            at += 1;
            bits = piece >> (BITS - filled);
        }
    }
    debug_assert_eq!(carry, 0, "the product has no more coefficients");
    if filled > 0 {
        limbs[at] = bits;
        at += 1;
    }
    limbs.truncate(at);
    super::long::of_limbs(&limbs)
}

/// Returns the product; the shorter factor has at most [`MOST_LIMBS`].
pub(super) fn mul(a: &BigUint, b: &BigUint, poll: Poll<'_>) -> Result<BigUint, Stopped> {
    let shape = Shape::of(super::long::limbs(a) + super::long::limbs(b));
    let first = product::<FIRST>(a, b, shape, poll)?;
    let second = product::<SECOND>(a, b, shape, poll)?;
    Ok(number(&first, second))
}

fn product<const P: u64>(
    a: &BigUint,
    b: &BigUint,
    shape: Shape,
    poll: Poll<'_>,
) -> Result<Vec<u64>, Stopped> {
    let mut product = Field::<P>::transform(a, shape, poll)?;
    let other = if a == b { None } else { Some(Field::<P>::transform(b, shape, poll)?) };
    Field::<P>::product(&mut product, other.as_deref(), shape, poll)?;
    Ok(product)
}

/// A number by which others are multiplied: its transforms are kept.
pub(super) struct Factor {
    shape: Shape,
    /// The most limbs of what it is multiplied by.
    other: usize,
    first: Vec<u64>,
    second: Vec<u64>,
}

impl Factor {
    /// Transforms a factor for products of `limbs` limbs.
    pub(super) fn of(value: &BigUint, limbs: usize, poll: Poll<'_>) -> Result<Factor, Stopped> {
        let shape = Shape::of(limbs);
        let first = Field::<FIRST>::transform(value, shape, poll)?;
        let second = Field::<SECOND>::transform(value, shape, poll)?;
        let other = limbs - super::long::limbs(value);
        Ok(Factor { shape, other, first, second })
    }

    /// Returns the product.
    pub(super) fn times(&self, value: &BigUint, poll: Poll<'_>) -> Result<BigUint, Stopped> {
        debug_assert!(super::long::limbs(value) <= self.other, "the product has its room");
        let mut first = Field::<FIRST>::transform(value, self.shape, poll)?;
        Field::<FIRST>::product(&mut first, Some(&self.first), self.shape, poll)?;
        let mut second = Field::<SECOND>::transform(value, self.shape, poll)?;
        Field::<SECOND>::product(&mut second, Some(&self.second), self.shape, poll)?;
        Ok(number(&first, second))
    }
}

#[cfg(test)]
mod tests {
    use super::super::long::of_limbs;
    use super::*;
    use proptest::prelude::*;

    fn go_on() -> Result<(), Stopped> {
        Ok(())
    }

    /// Returns a number of so many limbs; all ones where the seed is 0, which makes the largest
    /// sums and carries.
    fn value(limbs: usize, seed: u64) -> BigUint {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ state >> 31
        };
        let all: Vec<u64> =
            (0..limbs).map(|_| if seed == 0 { u64::MAX } else { next() | 1 }).collect();
        of_limbs(&all)
    }

    fn check(a: &BigUint, b: &BigUint, spare: usize) {
        let product = a * b;
        let limbs = super::super::long::limbs;
        let sizes = (limbs(a), limbs(b));
        assert!(mul(a, b, &mut go_on) == Ok(product.clone()), "{sizes:?}");
        let factor =
            Factor::of(a, sizes.0 + sizes.1 + spare, &mut go_on).expect("nothing stops it");
        assert!(factor.times(b, &mut go_on) == Ok(product), "{sizes:?} and {spare}, transformed");
        assert!(mul(a, &a.clone(), &mut go_on) == Ok(a * a), "the square of {}", sizes.0);
    }

    #[test]
    fn the_primes_are_what_the_transforms_need() {
        fn of<const P: u64>() {
            assert!(P < 1 << 61 && P % (1 << 32) == 1);
            type N = u128;
            let power = |base: N, mut exponent: N| {
                let (mut power, mut base) = (1, base % N::from(P));
                while exponent > 0 {
                    power = if exponent & 1 == 1 { power * base % N::from(P) } else { power };
                    (base, exponent) = (base * base % N::from(P), exponent >> 1);
                }
                power
            };
            // The witnesses that decide for all numbers of 64 bits.
            for base in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37] {
                let mut exponent = (N::from(P) - 1) >> 32;
                while exponent < N::from(P) - 1 && power(base, exponent) == 1 && exponent & 1 == 0 {
                    exponent >>= 1;
                }
                let mut found = power(base, exponent) == 1;
                while !found && exponent < N::from(P) - 1 {
                    found = power(base, exponent) == N::from(P) - 1;
                    exponent *= 2;
                }
                assert!(found, "{P} is a prime, by {base}");
            }
            // Roots of unity of the orders that they are called.
            for (order, root) in Field::<P>::ROOTS.into_iter().enumerate() {
                let plain = N::from(Field::<P>::mul_exactly(root, 1));
                assert_eq!(power(plain, 1 << order), 1);
                assert!(order == 0 || power(plain, 1 << (order - 1)) == N::from(P) - 1);
                let inverse = Field::<P>::INVERSE_ROOTS[order];
                assert_eq!(Field::<P>::mul_exactly(root, inverse), Field::<P>::ONE);
            }
        }
        of::<FIRST>();
        of::<SECOND>();
    }

    #[test]
    fn products_of_few_limbs_are_those_of_the_library() {
        for a in 1..14 {
            for b in 1..14 {
                for seeds in [(0, 0), (3, 5)] {
                    check(&value(a, seeds.0), &value(b, seeds.1), (a * b) % 9);
                }
            }
        }
    }

    #[test]
    fn products_at_the_edges_of_lengths_are_those_of_the_library() {
        // Limbs of products that just fill the lengths of transforms, which are done at once or in parts.
        for whole in [1 << 10, AT_ONCE, 2 * AT_ONCE, 4 * AT_ONCE] {
            for len in [whole, whole + whole / 4, whole + whole / 2] {
                let limbs = len / 4 * 3;
                for limbs in [limbs, limbs + 1] {
                    let seeds = if len == whole { (0, 0) } else { (0, len as u64) };
                    check(&value(limbs / 2, seeds.0), &value(limbs - limbs / 2, seeds.1), 0);
                }
            }
        }
    }

    #[test]
    fn a_length_is_no_more_than_a_third_above_what_is_needed() {
        for limbs in 6..5000 {
            let (shape, least) = (Shape::of(limbs), count(limbs));
            assert!(shape.len() >= least && 3 * shape.len() <= 4 * least + 3, "{limbs}");
            assert!(shape.tail == 0 || [2, 4].contains(&shape.block()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn products_are_those_of_the_library(
            a in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 1..300),
            b in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 1..300),
            spare in 0..50_usize,
        ) {
            let (a, b) = (of_limbs(&a), of_limbs(&b));
            prop_assert_eq!(mul(&a, &b, &mut go_on), Ok(&a * &b));
            let factor = Factor::of(&a, 600 + spare, &mut go_on).expect("nothing stops it");
            prop_assert_eq!(factor.times(&b, &mut go_on), Ok(&a * &b));
        }
    }
}
