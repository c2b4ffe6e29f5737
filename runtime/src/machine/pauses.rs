//! How long a run waits for the collector, and what full collections leave alive.

use std::time::Duration;

/// The pauses of a run: the times in which the collector runs and the program does not.
///
/// A pause may be several collections: a full one begins with a minor one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pauses {
    /// How many there were.
    pub count: u64,
    /// All of them together.
    pub total: Duration,
    /// The longest one.
    pub longest: Duration,
    /// How many there were of each length: `lengths[n]` shorter than 2^n microseconds, and no
    /// shorter than half of that. The last one has no upper end.
    pub lengths: [u64; Pauses::LENGTHS],
    /// Bytes alive after each full collection, in their order.
    pub live_bytes: Vec<u64>,
}

impl Pauses {
    /// The number of lengths that are told apart.
    pub const LENGTHS: usize = 24;

    /// Adds a pause, and what a full collection in it left alive.
    pub(in crate::machine) fn add(&mut self, length: Duration, live_bytes: Option<u64>) {
        self.count += 1;
        self.total += length;
        self.longest = self.longest.max(length);
        let bits = u128::BITS - length.as_micros().leading_zeros();
        let at = (bits as usize).min(Pauses::LENGTHS - 1);
        if let Some(count) = self.lengths.get_mut(at) {
            *count += 1;
        }
        self.live_bytes.extend(live_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_counted_among_those_of_its_length() {
        let mut pauses = Pauses::default();
        for micros in [0, 1, 2, 3, 4, 1000, u64::MAX] {
            pauses.add(Duration::from_micros(micros), (micros == 2).then_some(7));
        }
        assert_eq!(pauses.lengths[..4], [1, 1, 2, 1]);
        assert_eq!((pauses.lengths[10], pauses.lengths[Pauses::LENGTHS - 1]), (1, 1));
        assert_eq!((pauses.count, pauses.live_bytes.as_slice()), (7, &[7][..]));
        assert_eq!(pauses.longest, Duration::from_micros(u64::MAX));
    }
}
