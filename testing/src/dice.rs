//! Choices that a number or some bytes decide, and how many tests are asked for.

/// A source of choices: the same seed, or the same bytes, make the same program.
pub struct Dice {
    state: u64,
    /// What decides first, the next byte last.
    bytes: Vec<u8>,
}

impl Dice {
    /// Makes dice from a seed.
    pub fn new(seed: u64) -> Dice {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D;
        Dice { state, bytes: Vec::new() }
    }

    /// Makes dice from some bytes: each choice takes one or two of them. When they are used up, all
    /// of them together are the seed of what follows.
    pub fn of_bytes(bytes: &[u8]) -> Dice {
        let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        let mut dice = Dice::new(bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix));
        dice.bytes = bytes.iter().rev().copied().collect();
        dice
    }

    /// Returns a number below `n`.
    pub fn roll(&mut self, n: usize) -> usize {
        if let Some(first) = self.bytes.pop() {
            let more = if n > 256 { self.bytes.pop().unwrap_or_default() } else { 0 };
            return (usize::from(first) | usize::from(more) << 8) % n.max(1);
        }
        (self.any() % n.max(1) as u64) as usize
    }

    /// Returns any number.
    pub fn any(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }

    /// Picks one of some things.
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

/// Returns the number in an environment variable, or `otherwise` if it is not set.
///
/// # Panics
/// When it is none.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    match std::env::var(variable) {
        Ok(value) => value.parse().expect("a number"),
        Err(_) => otherwise,
    }
}
