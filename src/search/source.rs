use std::io::{self, Read};

use memchr::memchr;

use super::Stop;
use crate::text::BINARY_WINDOW;

/// A reader that fails once it is time to stop: what is searched may be large, or never end.
pub(super) struct Guarded<'a, R> {
    pub(super) source: R,
    pub(super) stop: &'a Stop<'a>,
}

impl<R: Read> Read for Guarded<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.source.read(bytes)
    }
}

/// A text with a line feed in place of each lone carriage return: both end a line, and who searches knows only the
/// one. Line ends are not told, so nobody sees the difference.
pub(super) struct LineFeeds<R> {
    source: R,
    /// A byte that was read to know what the one before it is.
    ahead: Option<u8>,
    /// Bytes at the beginning in which a zero byte is yet to be looked for.
    window: usize,
}

impl<R: Read> LineFeeds<R> {
    /// Of a file, which fails with `InvalidData` if it is no text, by the rule for reading: a zero byte near its
    /// beginning.
    pub(super) fn of_file(source: R) -> Self {
        Self { source, ahead: None, window: BINARY_WINDOW }
    }

    /// Of what is known to be text.
    pub(super) fn of_text(source: R) -> Self {
        Self { source, ahead: None, window: 0 }
    }

    /// Reads all of the window before anything is told of it, if there is room; else as much as comes.
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

    /// Whether what comes next is the other half of a line end.
    fn is_pair(&mut self) -> io::Result<bool> {
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
            let is_pair = match bytes.get(at + 1) {
                Some(next) => *next == b'\n',
                None => self.is_pair()?,
            };
            if !is_pair {
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

    /// A reader that gives no more than so many bytes at a time.
    struct Sips<'a>(&'a [u8], usize);

    impl Read for Sips<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(self.1);
            self.0.read(&mut bytes[..most])
        }
    }

    /// All of a text, asked for in pieces of some size.
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
        fn lines_are_those_of_the_text(
            text in "([ab]|\r|\n|\r\n|é){0,24}",
            sip in 1..9_usize,
            size in 1..9_usize,
            is_file: bool,
        ) {
            let sips = Sips(text.as_bytes(), sip);
            let source = if is_file { LineFeeds::of_file(sips) } else { LineFeeds::of_text(sips) };
            let read = String::from_utf8(all(source, size).expect("it is text")).expect("it was UTF-8");
            let contents = |text| lines(text).map(|line| line.content.to_owned()).collect::<Vec<_>>();
            let by_feeds: Vec<_> =
                read.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect();
            prop_assert_eq!(by_feeds, contents(&text));
            prop_assert_eq!(read.len(), text.len());
        }
    }

    #[test]
    fn a_zero_byte_near_the_beginning_is_no_text_however_it_is_read() {
        for (at, is_text) in [(0, false), (8191, false), (8192, true)] {
            let mut bytes = vec![b'x'; 100_000];
            bytes[at] = 0;
            for sip in [1, 4096, 100_000] {
                let mut first = vec![0; 1 << 16];
                let read = LineFeeds::of_file(Sips(&bytes, sip)).read(&mut first);
                assert_eq!(read.is_ok(), is_text, "{at} {sip}");
            }
            assert_eq!(all(LineFeeds::of_text(&*bytes), 1 << 16).expect("text"), bytes);
        }
    }
}
