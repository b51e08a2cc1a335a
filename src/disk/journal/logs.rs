//! Which log is written, and which are of no use any more.

/// Bytes of a log after which another is begun: a start reads all of them, and looks for each name in them.
const LONG: u64 = 64 << 10;

/// Logs at a time. One is enough as a rule; another is begun where one is long while something in it is under
/// way, or where one could not be written or flushed. If none is left, nothing is written any more: on such a
/// disk nothing can be promised.
const MAX_LOGS: usize = 16;

/// Numbers of logs: one more, so that a start can note what is unfinished whatever it found.
pub(super) const NUMBERS: usize = MAX_LOGS + 1;

/// The logs by number.
#[derive(Debug, Default)]
pub(super) struct Logs {
    logs: [Log; NUMBERS],
    current: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Log {
    /// Transactions under way whose first line is in it.
    open: usize,
    /// Bytes.
    size: u64,
    /// Whether there is a file.
    exists: bool,
    /// Whether its name has been flushed.
    named: bool,
    /// What a failed write or flush left in it is unknown: nothing more is put behind that.
    broken: bool,
}

impl Log {
    fn is_usable(&self) -> bool {
        !self.broken && self.size <= LONG
    }
}

impl Logs {
    /// A transaction begins. Gives the number of its log.
    pub(super) fn enter(&mut self) -> usize {
        self.choose();
        self.logs[self.current].open += 1;
        self.current
    }

    /// A transaction has ended whose first line is in that log.
    pub(super) fn leave(&mut self, number: usize) {
        self.logs[number].open -= 1;
    }

    /// The log to append so many bytes to, and whether its name has been flushed. None: there is none.
    pub(super) fn appending(&mut self, bytes: usize) -> Option<(usize, bool)> {
        if self.logs[self.current].broken {
            self.choose();
        }
        let log = &mut self.logs[self.current];
        log.exists = true;
        log.size += bytes as u64;
        (!log.broken).then_some((self.current, log.named))
    }

    /// How it went.
    pub(super) fn appended(&mut self, number: usize, well: bool, flushed: bool) {
        let log = &mut self.logs[number];
        log.broken |= !well;
        log.named |= well && flushed;
    }

    /// A log that an earlier process left.
    pub(super) fn found(&mut self, number: usize) {
        self.logs[number] = Log { exists: true, broken: true, ..Log::default() };
    }

    /// Logs in which nothing is under way: all but the one that is written, and that too if it is long or if
    /// all are to go.
    pub(super) fn useless(&self, all: bool) -> impl Iterator<Item = usize> {
        let useless = move |(number, log): &(usize, Log)| {
            let in_use = *number == self.current && log.is_usable() && !all;
            log.exists && log.open == 0 && !in_use
        };
        self.logs.into_iter().enumerate().filter(useless).map(|(number, _)| number)
    }

    /// A log is gone.
    pub(super) fn removed(&mut self, number: usize) {
        self.logs[number] = Log::default();
    }

    /// The log to be written by a start, beside those it found.
    pub(super) fn begin_anew(&mut self) {
        self.choose_of(NUMBERS);
    }

    fn choose(&mut self) {
        self.choose_of(MAX_LOGS);
    }

    fn choose_of(&mut self, numbers: usize) {
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
    fn a_long_log_is_followed_by_another_and_goes_when_nothing_in_it_is_under_way() {
        let mut logs = Logs::default();
        let first = logs.enter();
        assert_eq!(logs.appending(LONG as usize + 1), Some((first, false)));
        let second = logs.enter();
        assert_ne!(first, second);
        assert_eq!(logs.appending(10), Some((second, false)));
        assert_eq!(logs.useless(false).count(), 0);
        logs.leave(first);
        assert_eq!(logs.useless(false).collect::<Vec<_>>(), [first]);
        logs.leave(second);
        assert_eq!(logs.useless(true).collect::<Vec<_>>(), [first, second]);
    }

    #[test]
    fn what_could_not_be_written_is_not_written_behind_and_serves_again_when_it_is_gone() {
        let mut logs = Logs::default();
        let mut broken = Vec::new();
        while let Some((number, _)) = logs.appending(1) {
            logs.appended(number, false, false);
            broken.push(number);
        }
        assert_eq!(broken, (0..MAX_LOGS).collect::<Vec<_>>());
        for number in logs.useless(false).collect::<Vec<_>>() {
            logs.removed(number);
        }
        assert!(logs.appending(1).is_some());
    }
}
