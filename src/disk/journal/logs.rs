//! Selection of the current log, and of the logs that are no longer needed.

/// Size of a log, in bytes, above which another one is begun: a start reads all of it and checks each name in
/// it.
const LONG: u64 = 64 << 10;

/// Maximum number of logs. Usually there is one. Another is begun if the current one is long while one of its
/// transactions is in progress, or if a write or flush of the current one failed. If none is left, nothing is
/// written any more: on such a disk no guarantee is possible.
const MAX_LOGS: usize = 16;

/// Number of log names: one more than [`MAX_LOGS`], so that a start can always record unfinished
/// transactions.
pub(crate) const NUMBERS: usize = MAX_LOGS + 1;

/// The logs by number.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    logs: [Log; NUMBERS],
    current: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Log {
    /// Transactions in progress whose first line is in the log.
    open: usize,
    /// Size in bytes.
    size: u64,
    /// `true` if the file exists.
    exists: bool,
    /// `true` if its name has been flushed.
    named: bool,
    /// `true` if a write or flush failed. The file's end is then unknown, and nothing more is appended.
    broken: bool,
}

impl Log {
    fn is_usable(&self) -> bool {
        !self.broken && self.size <= LONG
    }
}

impl Logs {
    /// Begins a transaction. Returns the number of its log.
    pub(super) fn enter(&mut self) -> usize {
        self.choose(MAX_LOGS);
        self.logs[self.current].open += 1;
        self.current
    }

    /// Ends a transaction whose first line is in log `number`.
    pub(super) fn leave(&mut self, number: usize) {
        self.logs[number].open -= 1;
    }

    /// Returns the log that has room for `bytes` more bytes, and whether its name has been flushed.
    /// Returns `None` if no log is usable.
    pub(super) fn appending(&mut self, bytes: usize) -> Option<(usize, bool)> {
        if self.logs[self.current].broken {
            self.choose(MAX_LOGS);
        }
        let log = &mut self.logs[self.current];
        log.exists = true;
        log.size += bytes as u64;
        (!log.broken).then_some((self.current, log.named))
    }

    /// Records the result of an append.
    pub(super) fn appended(&mut self, number: usize, succeeded: bool, flushed: bool) {
        let log = &mut self.logs[number];
        log.broken |= !succeeded;
        log.named |= succeeded && flushed;
    }

    /// Registers a log of an earlier process.
    pub(crate) fn found(&mut self, number: usize) {
        self.logs[number] = Log { exists: true, broken: true, ..Log::default() };
    }

    /// Logs without a transaction in progress. The current log is included only if it is long or broken, or
    /// if `all` is set.
    pub(super) fn unneeded(&self, all: bool) -> impl Iterator<Item = usize> {
        let unneeded = move |(number, log): &(usize, Log)| {
            let in_use = *number == self.current && log.is_usable() && !all;
            log.exists && log.open == 0 && !in_use
        };
        self.logs.into_iter().enumerate().filter(unneeded).map(|(number, _)| number)
    }

    /// Registers the removal of a log.
    pub(crate) fn removed(&mut self, number: usize) {
        self.logs[number] = Log::default();
    }

    /// Makes a new log the current one if the current one is not usable. A start chooses from all
    /// [`NUMBERS`], beside those it found; a commit from [`MAX_LOGS`].
    pub(crate) fn choose(&mut self, numbers: usize) {
        let is_free = |log: &Log| !log.exists && log.open == 0;
        if !self.logs[self.current].is_usable()
            && let Some(free) = self.logs[..numbers].iter().position(is_free)
        {
            self.current = free;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_followed_by_another_and_removed_when_its_transactions_have_ended() {
        let mut logs = Logs::default();
        let first = logs.enter();
        assert_eq!(logs.appending(LONG as usize + 1), Some((first, false)));
        let second = logs.enter();
        assert_ne!(first, second);
        assert_eq!(logs.appending(10), Some((second, false)));
        assert_eq!(logs.unneeded(false).count(), 0);
        logs.leave(first);
        assert_eq!(logs.unneeded(false).collect::<Vec<_>>(), [first]);
        logs.leave(second);
        assert_eq!(logs.unneeded(true).collect::<Vec<_>>(), [first, second]);
    }

    #[test]
    fn a_broken_log_is_not_appended_to_and_is_usable_again_after_its_removal() {
        let mut logs = Logs::default();
        let mut broken = Vec::new();
        while let Some((number, _)) = logs.appending(1) {
            logs.appended(number, false, false);
            broken.push(number);
        }
        assert_eq!(broken, (0..MAX_LOGS).collect::<Vec<_>>());
        for number in logs.unneeded(false).collect::<Vec<_>>() {
            logs.removed(number);
        }
        assert!(logs.appending(1).is_some());
    }
}
