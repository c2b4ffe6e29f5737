//! Choices that a number decides, and how many tests are asked for.

/// A source of choices: the same seed makes the same program.
pub struct Dice(u64);

impl Dice {
    /// The dice of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    /// A number below `n`.
    pub fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }

    /// One of some things.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.roll(from.len())]
    }

    /// Puts some things in any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.roll(at + 1));
        }
    }
}

/// The number in an environment variable.
///
/// # Panics
/// When it is none.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    match std::env::var(variable) {
        Ok(value) => value.parse().expect("a number"),
        Err(_) => otherwise,
    }
}
