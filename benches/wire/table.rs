//! Samples and their output.

use std::time::{Duration, Instant};

/// Measured times, in order.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(start.elapsed());
        result
    }

    /// Returns a quantile of the samples.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "an index among few samples")]
        let at = ((sorted.len() - 1) as f64 * share).round() as usize;
        sorted[at]
    }

    /// Returns the number of samples.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the sum of all samples.
    pub(crate) fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Appends the samples of another measurement.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns by how much each sample exceeds its counterpart in `other`.
    pub(crate) fn above(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(ours, theirs)| ours.saturating_sub(*theirs)).collect())
    }

    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    /// Returns the median ratio of each sample to its counterpart in `other`.
    pub(crate) fn median_ratio(&self, other: &Self) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        let mut ratios: Vec<f64> =
            pairs.map(|(ours, theirs)| ours.as_secs_f64() / theirs.as_secs_f64()).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }
}

/// Prints the title and header of a table.
pub(crate) fn title(text: &str) {
    println!("\n{text}");
    println!("{:<42} {:>9} {:>9} {:>9}", "", "p10 ms", "median", "p90");
}

/// Prints one row of times.
pub(crate) fn row(name: &str, samples: &Samples) {
    let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| millis(samples.quantile(share)));
    println!("{name:<42} {low:>9.3} {middle:>9.3} {high:>9.3}");
}

/// Prints a figure and whether it meets its target.
pub(crate) fn verdict(name: &str, figure: f64, unit: &str, target: f64, at_most: bool) {
    let holds = if at_most { figure <= target } else { figure >= target };
    let bound = if at_most { "at most" } else { "at least" };
    let mark = if holds { "ok" } else { "MISSED" };
    println!("  => {name}: {figure:.2}{unit} ({bound} {target}{unit}) {mark}");
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Converts bytes to mebibytes.
#[expect(clippy::cast_precision_loss, reason = "shown with one digit after the point")]
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
