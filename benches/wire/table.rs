//! Samples and how they are shown.

use std::time::{Duration, Instant};

/// Times of one thing, in the order measured.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(start.elapsed());
        result
    }

    /// The time that this share of the samples stays below.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "an index among few samples")]
        let at = ((sorted.len() - 1) as f64 * share).round() as usize;
        sorted[at]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them together.
    pub(crate) fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Takes in those of another.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// By how much each of these took longer than the one measured beside it.
    pub(crate) fn above(&self, beside: &Self) -> Self {
        Self(self.0.iter().zip(&beside.0).map(|(ours, theirs)| ours.saturating_sub(*theirs)).collect())
    }

    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    /// The median of how many times as long each of these took as the one measured beside it.
    pub(crate) fn median_ratio(&self, beside: &Self) -> f64 {
        let pairs = self.0.iter().zip(&beside.0);
        let mut ratios: Vec<f64> =
            pairs.map(|(ours, theirs)| ours.as_secs_f64() / theirs.as_secs_f64()).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }
}

/// Opens a table.
pub(crate) fn title(text: &str) {
    println!("\n{text}");
    println!("{:<42} {:>9} {:>9} {:>9}", "", "p10 ms", "median", "p90");
}

/// One row of times.
pub(crate) fn row(name: &str, samples: &Samples) {
    let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| millis(samples.quantile(share)));
    println!("{name:<42} {low:>9.3} {middle:>9.3} {high:>9.3}");
}

/// Says how a figure stands to its target.
pub(crate) fn verdict(name: &str, figure: f64, unit: &str, target: f64, at_most: bool) {
    let holds = if at_most { figure <= target } else { figure >= target };
    let bound = if at_most { "at most" } else { "at least" };
    let mark = if holds { "ok" } else { "MISSED" };
    println!("  => {name}: {figure:.2}{unit} ({bound} {target}{unit}) {mark}");
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Bytes as a number of mebibytes.
#[expect(clippy::cast_precision_loss, reason = "shown with one digit after the point")]
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
