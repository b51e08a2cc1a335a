use std::cell::RefCell;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;
use memchr::{memchr, memrchr};

use super::Stop;
use super::steps::{Steps, Stopped};

/// Looks for a pattern in pieces of a bounded size, so that it can be stopped: between two pieces, and within a line
/// that is longer than one. The quick matcher cannot, and never fails. It is for one thread, as what it remembers of the pattern is its own.
pub(super) struct Finder<'a> {
    quick: RegexMatcher,
    /// For lines that are too long for the quick one.
    steps: RefCell<Steps>,
    /// Bytes that the quick one may look through at a time.
    most: usize,
    stop: &'a Stop<'a>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(quick: RegexMatcher, steps: Steps, most: usize, stop: &'a Stop<'a>) -> Self {
        Self { quick, steps: RefCell::new(steps), most, stop }
    }

    /// Where in some lines the first match ends, or a place in the line of it.
    fn in_lines(&self, lines: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = lines.get(at..) {
            let place = match self.quick.find_candidate_line(rest).ok()?? {
                LineMatchKind::Confirmed(place) => return Some(at + place),
                LineMatchKind::Candidate(place) => at + place,
            };
            let start = memrchr(b'\n', &lines[..place]).map_or(0, |end| end + 1);
            let end = memchr(b'\n', &lines[place..]).map_or(lines.len(), |end| place + end);
            let line = &lines[start..end];
            if let Ok(Some(place)) = self.quick.shortest_match(without_end(line)) {
                return Some(start + place);
            }
            at = end + 1;
        }
        None
    }

    /// Where in a line a match ends.
    pub(super) fn in_line(&self, line: &[u8]) -> Result<Option<usize>, Stopped> {
        if line.len() > self.most {
            return self.steps.borrow_mut().end_of_match(line, self.stop);
        }
        Ok(self.quick.shortest_match(line).ok().flatten())
    }

    /// The end of the piece that begins at a line: as many lines as are looked through at a time, or one.
    fn end_of_piece(&self, lines: &[u8], at: usize) -> usize {
        let most = at + self.most;
        if most >= lines.len() {
            return lines.len();
        }
        if let Some(end) = memrchr(b'\n', &lines[at..most]) {
            return at + end + 1;
        }
        memchr(b'\n', &lines[most..]).map_or(lines.len(), |end| most + end + 1)
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
        Ok(found.map(|place| at + place))
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.quick.line_terminator()
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.quick.non_matching_bytes()
    }

    fn find_candidate_line(&self, lines: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        let mut at = 0;
        while at < lines.len() {
            let end = self.end_of_piece(lines, at);
            // Without the last line end, behind which an empty match would be.
            let piece = without_end(&lines[at..end]);
            let is_line = piece.len() > self.most;
            let found = if is_line { self.in_line(piece)? } else { self.in_lines(piece) };
            if let Some(place) = found {
                return Ok(Some(LineMatchKind::Confirmed(at + place)));
            }
            at = end;
            if self.stop.is_due() {
                return Err(Stopped);
            }
        }
        Ok(None)
    }
}

/// A line without what ends it.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
