use std::io::{self, Read};

use memchr::memchr;

use super::StopCondition;
use crate::text::BINARY_WINDOW;

/// A reader that fails once the search is to stop, because its source may be large or endless.
pub(super) struct Stoppable<'a, R> {
    pub(super) source: R,
    pub(super) stop: &'a StopCondition<'a>,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.source.read(bytes)
    }
}

/// A reader that replaces each lone CR with an LF: both end a line, but the searcher knows only LF. Line
/// endings are not reported, so the difference is not visible in the results.
pub(super) struct LineFeeds<R> {
    source: R,
    /// A byte that was read ahead to classify the CR before it.
    ahead: Option<u8>,
    /// Remaining bytes of the window that is checked for zero bytes.
    window: usize,
}

impl<R: Read> LineFeeds<R> {
    /// Creates a reader for a file. Reading fails with `InvalidData` if the file is not text, by the same
    /// rule as for reading files: a zero byte near the beginning.
    pub(super) fn of_file(source: R) -> Self {
        Self { source, ahead: None, window: BINARY_WINDOW }
    }

    /// Creates a reader for a source that is known to be text.
    pub(super) fn of_text(source: R) -> Self {
        Self { source, ahead: None, window: 0 }
    }

    /// Fills the buffer with the whole window if it fits, and otherwise with the bytes of one read.
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        if let (Some(ahead), Some(first)) = (self.ahead.take(), bytes.first_mut()) {
            (*first, filled) = (ahead, 1);
        }
        while filled < bytes.len() {
            let read = self.source.read(&mut bytes[filled..])?;
            filled += read;
            if read == 0 || filled >= self.window {
                break;
            }
        }
        Ok(filled)
    }

    /// Returns `true` if the next byte is the LF of a CRLF.
    fn is_crlf(&mut self) -> io::Result<bool> {
        let mut next = [0];
        if self.source.read(&mut next)? == 1 {
            self.ahead = Some(next[0]);
        }
        Ok(self.ahead == Some(b'\n'))
    }
}

impl<R: Read> Read for LineFeeds<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let filled = self.fill(bytes)?;
        let bytes = &mut bytes[..filled];
        if memchr(0, &bytes[..self.window.min(filled)]).is_some() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.window -= self.window.min(filled);
        let mut at = 0;
        while let Some(found) = memchr(b'\r', &bytes[at..]) {
            at += found;
            let is_crlf = match bytes.get(at + 1) {
                Some(next) => *next == b'\n',
                None => self.is_crlf()?,
            };
            if !is_crlf {
                bytes[at] = b'\n';
            }
            at += 1;
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::lines;

    /// A reader that returns at most a given number of bytes at a time.
    struct SmallReads<'a>(&'a [u8], usize);

    impl Read for SmallReads<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(self.1);
            self.0.read(&mut bytes[..most])
        }
    }

    /// Reads a whole source in chunks of a given size.
    fn all(mut source: impl Read, size: usize) -> io::Result<Vec<u8>> {
        let (mut all, mut piece) = (Vec::new(), vec![0; size]);
        loop {
            match source.read(&mut piece)? {
                0 => return Ok(all),
                read => all.extend_from_slice(&piece[..read]),
            }
        }
    }

    proptest! {
        #[test]
        fn lines_match_those_of_the_text(
            text in "([ab]|\r|\n|\r\n|é){0,24}",
            read_size in 1..9_usize,
            size in 1..9_usize,
            is_file: bool,
        ) {
            let reader = SmallReads(text.as_bytes(), read_size);
            let source = if is_file { LineFeeds::of_file(reader) } else { LineFeeds::of_text(reader) };
            let read = String::from_utf8(all(source, size).expect("it is text")).expect("it was UTF-8");
            let contents = |text| lines(text).map(|line| line.content.to_owned()).collect::<Vec<_>>();
            let by_feeds: Vec<_> =
                read.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect();
            prop_assert_eq!(by_feeds, contents(&text));
            prop_assert_eq!(read.len(), text.len());
        }
    }

    #[test]
    fn a_zero_byte_near_the_beginning_is_binary_for_any_read_size() {
        for (at, is_text) in [(0, false), (8191, false), (8192, true)] {
            let mut bytes = vec![b'x'; 100_000];
            bytes[at] = 0;
            for read_size in [1, 4096, 100_000] {
                let mut first = vec![0; 1 << 16];
                let read = LineFeeds::of_file(SmallReads(&bytes, read_size)).read(&mut first);
                assert_eq!(read.is_ok(), is_text, "{at} {read_size}");
            }
            assert_eq!(all(LineFeeds::of_text(&*bytes), 1 << 16).expect("text"), bytes);
        }
    }
}
