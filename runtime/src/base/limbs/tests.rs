//! Every operation against the library, on all signs.

use super::magnitude::KARATSUBA;
use super::*;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use proptest::prelude::*;

fn big(negative: bool, limbs: &[u64]) -> BigInt {
    let digits = limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect();
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, BigUint::new(digits))
}

/// What an operation writes to slices of so many limbs of rubbish.
fn result(
    limbs: usize,
    work: usize,
    operation: impl FnOnce(&mut [u64], &mut [u64]) -> Written,
) -> BigInt {
    const RUBBISH: u64 = 0xdead_dead_dead_dead;
    let (mut out, mut work) = (vec![RUBBISH; limbs], vec![RUBBISH; work]);
    let written = operation(&mut out, &mut work);
    big(written.negative, &out[..written.len])
}

fn check(a: (bool, &[u64]), b: (bool, &[u64])) {
    let normal = |(negative, limbs): (bool, &[u64])| {
        let len = significant(limbs);
        (negative && len > 0, limbs[..len].to_vec())
    };
    let ((an, al), (bn, bl)) = (normal(a), normal(b));
    let (p, q) = (big(an, &al), big(bn, &bl));
    let x = Limbs { negative: an, magnitude: &al };
    let y = Limbs { negative: bn, magnitude: &bl };
    assert_eq!(x.cmp(&y), p.cmp(&q));
    assert_eq!(x.to_i64(), i64::try_from(&p).ok());
    assert_eq!(result(x.sum_limbs(y), 0, |out, _| x.sum(y, out)), &p + &q);
    assert_eq!(result(x.sum_limbs(y), 0, |out, _| x.sum(y.negated(), out)), &p - &q);
    let product =
        result(x.product_limbs(y), x.product_work(y), |out, work| x.product(y, out, work));
    assert_eq!(product, &p * &q, "{p} * {q}");
    if let Some(word) = y.to_i64() {
        let product = result(al.len() + 1, 0, |out, _| x.product_with(word, out));
        assert_eq!(product, &p * &q, "{p} * {q}");
    }
    if bl.is_empty() {
        return;
    }
    let (room, work) = (x.division_limbs(y), x.division_work());
    for (rounding, quotient, remainder) in [
        (Rounding::Truncate, &p / &q, &p % &q),
        (Rounding::Floor, p.div_floor(&q), p.mod_floor(&q)),
    ] {
        let found = result(room, work, |out, work| x.quotient(y, rounding, out, work));
        assert_eq!(found, quotient, "{p} / {q}");
        let found = result(room, work, |out, work| x.remainder(y, rounding, out, work));
        assert_eq!(found, remainder, "{p} % {q}");
    }
}

const EDGES: [u64; 8] = [0, 1, 10, u32::MAX as u64, 1 << 32, i64::MAX as u64, 1 << 63, u64::MAX];

#[test]
fn one_and_two_limbs_at_the_borders() {
    let mut all: Vec<Vec<u64>> = EDGES.iter().map(|limb| vec![*limb]).collect();
    for low in EDGES {
        all.extend(EDGES.iter().map(|high| vec![low, *high]));
        all.extend(EDGES.iter().map(|high| vec![low, 0, *high]));
    }
    for a in &all {
        for b in &all {
            for (an, bn) in [(false, false), (false, true), (true, false), (true, true)] {
                check((an, a), (bn, b));
            }
        }
    }
}

#[test]
fn the_guess_of_a_long_division_can_be_one_too_large() {
    // Knuth's step D6, which random operands do not reach.
    check((false, &[0, 0, 1 << 63, i64::MAX as u64]), (false, &[1, 0, 1 << 63]));
    check((true, &[3, 0, 1 << 63]), (false, &[1, 0, 1 << 61]));
    check((false, &[0, u64::MAX - 1, 1 << 63]), (true, &[u64::MAX, 1 << 63]));
}

#[test]
fn words_are_limbs() {
    for value in [0, 1, -1, i64::MAX, i64::MIN] {
        assert_eq!(Limbs::of(value, &mut [7]).to_i64(), Some(value));
    }
    assert_eq!(Limbs { negative: false, magnitude: &[1 << 63] }.to_i64(), None);
}

/// Sizes around those from which other algorithms are used, and between.
#[test]
fn sizes_at_the_borders_of_the_algorithms() {
    let mut state = 1u64;
    let mut random = |len: usize| -> Vec<u64> {
        let next = |limb: &mut u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            // Runs of the same bits are where carries go far.
            *limb = match state >> 61 {
                0 => 0,
                1 => u64::MAX,
                _ => state ^ state >> 32,
            };
        };
        let mut limbs = vec![0; len];
        limbs.iter_mut().for_each(next);
        limbs.last_mut().into_iter().for_each(|last| *last |= 1 << (state >> 58));
        limbs
    };
    const K: usize = KARATSUBA;
    let sizes = [1, 2, 3, 4, 5, K - 1, K, K + 1, 2 * K - 1, 2 * K, 2 * K + 1, 3 * K + 7, 5 * K];
    for a in sizes {
        for b in sizes {
            check((a % 2 == 0, &random(a)), (b % 3 == 0, &random(b)));
        }
    }
    for (a, b) in [(MAX_LIMBS, MAX_LIMBS), (MAX_LIMBS, 617), (1000, MAX_LIMBS), (1234, 1233)] {
        check((false, &random(a)), (true, &random(b)));
        check((false, &vec![u64::MAX; a]), (true, &vec![u64::MAX; b]));
    }
}

#[test]
fn only_long_divisions_are_long() {
    let limbs = vec![1; 3 * LONG_DIVISION];
    let long = |a: usize, b: usize| {
        let of = |len| Limbs { negative: false, magnitude: &limbs[..len] };
        of(a).division_is_long(of(b))
    };
    const L: usize = LONG_DIVISION;
    assert!(long(3 * L, L + 1) && long(2 * L + 2, L + 1));
    assert!(!long(3 * L, L) && !long(2 * L, L + 1) && !long(L + 2, L + 1) && !long(1, 3 * L));
}

fn limbs() -> impl Strategy<Value = (bool, Vec<u64>)> {
    let limb = prop_oneof![any::<u64>(), prop::sample::select(&EDGES[..])];
    (any::<bool>(), prop::collection::vec(limb, 0..=3 * KARATSUBA))
}

proptest! {
    #[test]
    fn arithmetic_agrees_with_the_library(a in limbs(), b in limbs()) {
        check((a.0, &a.1), (b.0, &b.1));
        check((a.0, &a.1), (b.0, &a.1));
    }

    #[test]
    fn division_gives_back_what_was_multiplied(a in limbs(), b in limbs(), up: bool) {
        let (a_half, b_half) = (&a.1[..a.1.len() / 2], &b.1[..b.1.len() / 2]);
        let mut product = vec![0; a_half.len() + b_half.len() + 1];
        let len = product.len() - 1;
        let mut work = vec![0; mul_work(a_half.len(), b_half.len())];
        mul(a_half, b_half, &mut product[..len], &mut work);
        if up {
            increment(&mut product, len);
        }
        check((a.0, &product), (b.0, b_half));
    }
}
