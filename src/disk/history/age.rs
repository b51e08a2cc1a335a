//! The age from which on entries are deleted, by a clock that may be wrong.
//!
//! A clock that is set far into the future makes every entry look old. So a time is believed only if the clock has
//! come to it in small steps, or has stayed near it for a day.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::{read_private_file, replace_private_file};

/// Name of the file with the last known time, in the folder of the history.
const NAME: &str = "clock";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Time between two records of the clock.
const STEP: Duration = Duration::from_secs(60 * 60);

/// The clock by which entries grow old.
#[derive(Debug)]
pub(super) struct AgeClock {
    file: PathBuf,
    /// Maximum age of an entry.
    age: Duration,
    known: Option<Known>,
}

/// Known times of the clock, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    last: u64,
    /// The time to which the clock has jumped, as long as it is not believed.
    jumped: Option<u64>,
}

impl AgeClock {
    /// Opens the clock of a history. `is_new` is `true` if there is nothing yet that could be deleted.
    pub(super) fn open(folder: &Path, age: Duration, is_new: bool) -> Self {
        let file = folder.join(NAME);
        let text = read_private_file(&file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let stored = text.and_then(|text| Known::parse(&text));
        let now = seconds(SystemTime::now());
        let known = stored.or_else(|| is_new.then_some(Known { last: now, jumped: None }));
        Self { file, age, known }
    }

    /// Returns the time before which entries are too old, or `None` if the clock cannot be believed now.
    pub(super) fn oldest(&mut self, now: SystemTime) -> Option<SystemTime> {
        let at = seconds(now);
        let known = Known::next(self.known, at, self.longest_step().as_secs());
        let is_recorded = self.known.is_some_and(|before| {
            before.jumped == known.jumped && known.last.abs_diff(before.last) < STEP.as_secs()
        });
        if !is_recorded || !self.file.exists() {
            self.known = Some(known);
            self.record(known);
        }
        if known.jumped.is_some() { None } else { now.checked_sub(self.age) }
    }

    /// A step of the clock that is believed at once. It deletes only what is due soon.
    fn longest_step(&self) -> Duration {
        (self.age / 4).max(DAY)
    }

    fn record(&self, Known { last, jumped }: Known) {
        let text = format!("{last} {}", jumped.map_or_else(|| "-".to_owned(), |at| at.to_string()));
        let part = self.file.with_extension("part");
        // Without a folder, there is no history. It is recorded with the next check. No link is followed.
        if !self.file.parent().is_some_and(|folder| fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir()))
        {
            return;
        }
        let _ = replace_private_file((&part, &self.file), [text.as_bytes()], false);
    }
}

impl Known {
    fn parse(text: &str) -> Option<Self> {
        let (last, jumped) = text.split_once(' ')?;
        let jumped = if jumped == "-" { None } else { Some(jumped.parse().ok()?) };
        Some(Self { last: last.parse().ok()?, jumped })
    }

    /// Returns what is known at a later time.
    fn next(before: Option<Self>, now: u64, longest_step: u64) -> Self {
        let jumped = match before {
            None => Some(now),
            // It was set back, so nothing looks older than it is.
            Some(Self { last, .. }) if now < last => None,
            Some(Self { last, .. }) if now - last > longest_step => Some(now),
            Some(Self { jumped, .. }) => jumped.filter(|at| now - at < DAY.as_secs()),
        };
        Self { last: now, jumped }
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_believed_after_small_steps_or_after_a_day() {
        const DAYS: u64 = 24 * 60 * 60;
        let (start, far) = (20_000 * DAYS, 47_000 * DAYS);
        // The times of the clock, and whether each is believed.
        let cases: [&[(u64, bool)]; 5] = [
            &[(start, true), (start + DAYS, true), (start + 20 * DAYS, true)],
            &[(start, true), (far, false), (start + DAYS, true), (start + 2 * DAYS, true)],
            &[(start, true), (far, false), (far + DAYS / 2, false), (far + DAYS, true)],
            // Not used for a long time.
            &[(start, true), (start + 200 * DAYS, false), (start + 201 * DAYS, true)],
            // The clock began in 1970.
            &[(start, true), (5, true), (start, false), (start + DAYS, true)],
        ];
        for times in cases {
            let mut known = Some(Known { last: start, jumped: None });
            for (now, is_believed) in times {
                let next = Known::next(known, *now, 22 * DAYS);
                assert_eq!(next.jumped.is_none(), *is_believed, "{now} of {times:?}");
                known = Known::parse(&format!(
                    "{} {}",
                    next.last,
                    next.jumped.map_or_else(|| "-".to_owned(), |at| at.to_string())
                ));
                assert_eq!(known, Some(next));
            }
        }
        assert_eq!(Known::next(None, start, DAYS), Known { last: start, jumped: Some(start) });
    }
}
