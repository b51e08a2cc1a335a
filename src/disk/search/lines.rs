//! The text that is searched, and the matching lines in it.

use std::collections::VecDeque;
use std::io::{self, Read};

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use memchr::memchr;

use editd_text::BINARY_WINDOW;

use super::matcher::{Finder, without_end};
use super::{Bounds, StopCondition};

/// Maximum number of characters reported of a line.
const LONGEST: usize = 2000;
/// Maximum size of a character in UTF-8, in bytes.
const BYTES: usize = 4;

/// A matching line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Line number, 1-based.
    pub number: u64,
    /// Text without its line ending.
    pub text: String,
    /// Context lines before the match.
    pub before: Vec<String>,
    /// Context lines after the match.
    pub after: Vec<String>,
}

impl Line {
    /// Returns the size of the line and its context, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.before.iter().chain(&self.after);
        self.text.len() + texts.map(String::len).sum::<usize>()
    }
}

/// Collects the matching lines of one file: one more than requested, to know whether there are more.
pub(super) struct Lines<'a> {
    finder: &'a Finder<'a>,
    bounds: Bounds,
    pub(super) found: Vec<Line>,
    /// Number of matches, if they are counted.
    pub(super) matches: u64,
    pub(super) bytes: usize,
    /// `true` if any line was truncated.
    pub(super) is_truncated: bool,
    pub(super) is_binary: bool,
    /// `true` if the file could not be read to its end.
    pub(super) is_unreadable: bool,
    /// Lines before the current one, for context.
    recent: VecDeque<String>,
    /// Index of the first match that still needs context lines after it.
    waiting: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bounds: Bounds, finder: &'a Finder<'a>) -> Self {
        let (found, recent) = (Vec::new(), VecDeque::new());
        Self {
            finder,
            bounds,
            found,
            matches: 0,
            bytes: 0,
            is_truncated: false,
            is_binary: false,
            is_unreadable: false,
            recent,
            waiting: 0,
        }
    }

    /// Returns the reported text of a line. A long line is truncated to the part around `offset`.
    fn text(&mut self, line: &[u8], offset: usize) -> String {
        let part = excerpt(line, offset);
        self.is_truncated |= part.len() < line.len();
        let text = String::from_utf8_lossy(part);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => text[..end].to_owned(),
            None => text.into_owned(),
        }
    }

    /// Returns the end of a match in a long line; 0 for other lines, which are not truncated.
    fn offset(&self, line: &[u8]) -> usize {
        let found = if line.len() > LONGEST { self.finder.in_line(line) } else { Ok(None) };
        found.ok().flatten().unwrap_or_default()
    }

    /// Appends a line to the context of the matches before it.
    fn add_after(&mut self, text: &str) {
        let context = self.bounds.context;
        for line in &mut self.found[self.waiting..] {
            line.after.push(text.to_owned());
            self.bytes += text.len();
        }
        let is_full = |line: &&Line| line.after.len() >= context;
        self.waiting += self.found[self.waiting..].iter().take_while(is_full).count();
    }

    fn push_recent(&mut self, text: String) {
        if self.recent.len() >= self.bounds.context {
            self.recent.pop_front();
        }
        if self.bounds.context > 0 {
            self.recent.push_back(text);
        }
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let line = without_end(matched.bytes());
        if self.bounds.counts {
            self.matches += self.finder.count_in(line);
            if !self.found.is_empty() {
                return Ok(!self.finder.stop.is_due());
            }
        }
        let text = self.text(line, self.offset(line));
        self.add_after(&text);
        let before: Vec<_> = self.recent.iter().cloned().collect();
        self.bytes += text.len() + before.iter().map(String::len).sum::<usize>();
        let number = matched.line_number().unwrap_or_default();
        self.found.push(Line { number, text: text.clone(), before, after: Vec::new() });
        if self.bounds.context == 0 {
            self.waiting = self.found.len();
        }
        self.push_recent(text);
        Ok(!self.bounds.are_exceeded(self.found.len(), self.bytes))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let text = self.text(without_end(context.bytes()), 0);
        self.add_after(&text);
        self.push_recent(text);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.recent.clear();
        self.waiting = self.found.len();
        Ok(true)
    }
}

/// Returns the beginning of a line if it contains the offset, and otherwise the part around the offset.
fn excerpt(line: &[u8], offset: usize) -> &[u8] {
    let head = forward(line, 0, LONGEST);
    if offset <= head {
        return &line[..head];
    }
    let start = back(line, forward(line, offset, LONGEST / 2), LONGEST);
    &line[start..forward(line, start, LONGEST)]
}

/// Returns the offset after a number of characters: at most [`BYTES`] bytes for each, even in invalid UTF-8.
fn forward(line: &[u8], from: usize, characters: usize) -> usize {
    let part = &line[from..line.len().min(from + BYTES * characters)];
    let mut starts = part.iter().enumerate().filter(|(_, byte)| is_char_start(**byte));
    starts.nth(characters).map_or(from + part.len(), |(at, _)| from + at)
}

/// Returns the offset before a number of characters.
fn back(line: &[u8], from: usize, characters: usize) -> usize {
    let start = from.saturating_sub(BYTES * characters);
    let mut starts = line[start..from].iter().enumerate().rev().filter(|(_, byte)| is_char_start(**byte));
    starts.nth(characters - 1).map_or(start, |(at, _)| start + at)
}

/// Returns `true` if a byte is the first byte of a character.
fn is_char_start(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

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
    use editd_text::lines;

    #[test]
    fn an_excerpt_contains_its_offset() {
        let line = "\u{1f600}".repeat(10_000);
        for offset in (0..=10_000).step_by(250) {
            let part = excerpt(line.as_bytes(), 4 * offset);
            let text = std::str::from_utf8(part).expect("whole characters");
            assert_eq!(text.chars().count(), LONGEST, "{offset}");
            let start = (part.as_ptr() as usize - line.as_ptr() as usize) / 4;
            assert!(start <= offset && offset <= start + LONGEST, "{offset}: {start}");
            assert!(offset > LONGEST || start == 0, "{offset}: {start}");
        }
    }

    #[test]
    fn an_excerpt_of_invalid_bytes_is_limited() {
        let line = vec![0x80; 100_000];
        for offset in [0, 50_000, 100_000] {
            assert!(excerpt(&line, offset).len() <= BYTES * LONGEST);
        }
    }

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
