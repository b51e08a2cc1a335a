use std::cell::RefCell;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;
use memchr::{memchr, memrchr};

use super::StopCondition;
use super::steps::{Steps, Stopped};

/// A stoppable matcher: it searches in chunks of bounded size and can stop between two chunks, or within a
/// line that is longer than a chunk. The fast matcher it builds on can do neither, and never fails. Each
/// thread needs its own, because it caches states of the pattern.
pub(super) struct Finder<'a> {
    fast: RegexMatcher,
    /// Matcher for lines that are too long for the fast one.
    steps: RefCell<Steps>,
    /// Maximum number of bytes that the fast matcher searches at a time.
    chunk_bytes: usize,
    stop: &'a StopCondition<'a>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        fast: RegexMatcher,
        steps: Steps,
        chunk_bytes: usize,
        stop: &'a StopCondition<'a>,
    ) -> Self {
        Self { fast, steps: RefCell::new(steps), chunk_bytes, stop }
    }

    /// Returns the end of the first match in some lines, or another offset within its line.
    fn in_lines(&self, lines: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = lines.get(at..) {
            let offset = match self.fast.find_candidate_line(rest).ok()?? {
                LineMatchKind::Confirmed(offset) => return Some(at + offset),
                LineMatchKind::Candidate(offset) => at + offset,
            };
            let start = memrchr(b'\n', &lines[..offset]).map_or(0, |end| end + 1);
            let end = memchr(b'\n', &lines[offset..]).map_or(lines.len(), |end| offset + end);
            let line = &lines[start..end];
            if let Ok(Some(offset)) = self.fast.shortest_match(without_end(line)) {
                return Some(start + offset);
            }
            at = end + 1;
        }
        None
    }

    /// Returns the end of a match in a line.
    pub(super) fn in_line(&self, line: &[u8]) -> Result<Option<usize>, Stopped> {
        if line.len() > self.chunk_bytes {
            return self.steps.borrow_mut().end_of_match(line, self.stop);
        }
        Ok(self.fast.shortest_match(line).ok().flatten())
    }

    /// Returns the end of the chunk that begins at a line: as many lines as fit into the maximum, or one
    /// longer line.
    fn chunk_end(&self, lines: &[u8], at: usize) -> usize {
        let limit = at + self.chunk_bytes;
        if limit >= lines.len() {
            return lines.len();
        }
        if let Some(end) = memrchr(b'\n', &lines[at..limit]) {
            return at + end + 1;
        }
        memchr(b'\n', &lines[limit..]).map_or(lines.len(), |end| limit + end + 1)
    }
}

impl Matcher for Finder<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        let found = self.shortest_match_at(line, at)?;
        Ok(found.map(Match::zero))
    }

    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        let found = self.in_line(&line[at..])?;
        Ok(found.map(|offset| at + offset))
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.fast.line_terminator()
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.fast.non_matching_bytes()
    }

    fn find_candidate_line(&self, lines: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        let mut at = 0;
        while at < lines.len() {
            let end = self.chunk_end(lines, at);
            // Without the last line ending: after it, an empty match would be possible.
            let chunk = without_end(&lines[at..end]);
            let is_line = chunk.len() > self.chunk_bytes;
            let found = if is_line { self.in_line(chunk)? } else { self.in_lines(chunk) };
            if let Some(offset) = found {
                return Ok(Some(LineMatchKind::Confirmed(at + offset)));
            }
            at = end;
            if self.stop.is_due() {
                return Err(Stopped);
            }
        }
        Ok(None)
    }
}

/// Returns a line without its line ending.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
