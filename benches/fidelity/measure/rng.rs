//! A random number generator with the same sequence on every machine (`SplitMix64`).

use std::ops::RangeInclusive;

pub(crate) struct Rng {
    state: u64,
    /// Enables texts of the project itself, which change with the project.
    pub(crate) shipped: bool,
}

impl Rng {
    /// Creates a generator for one case. Each case has a separate seed, so that a new kind does not change
    /// the cases of other kinds.
    pub(crate) fn new(seed: u64, kind: &str, number: usize, shipped: bool) -> Self {
        let mixed = kind.bytes().fold(seed ^ 0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        let state = mixed.wrapping_add((number as u64).wrapping_mul(0xD134_2543_DE82_EF95));
        let mut rng = Self { state, shipped };
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end.max(1)
    }

    pub(crate) fn within(&mut self, range: &RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() + 1 - range.start())
    }

    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// Returns one of `items`, which must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns one of `items`, or `None` if there are none.
    pub(crate) fn any<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
