use std::collections::VecDeque;
use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::Bounds;
use super::finder::{Finder, without_end};

/// Characters of a line that are told.
const LONGEST: usize = 2000;
/// Bytes that a character may take.
const BYTES: usize = 4;

/// A line that matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u64,
    /// Without its line end.
    pub text: String,
    /// Lines right before it.
    pub before: Vec<String>,
    /// Lines right after it.
    pub after: Vec<String>,
}

impl Line {
    /// Of all its texts.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.before.iter().chain(&self.after);
        self.text.len() + texts.map(String::len).sum::<usize>()
    }
}

/// Takes the lines of one file that match, one more than are wanted, so that it is known whether there are more.
pub(super) struct Lines<'a> {
    finder: &'a Finder<'a>,
    bounds: Bounds,
    pub(super) found: Vec<Line>,
    pub(super) bytes: usize,
    /// Whether a line is longer than what is told of it.
    pub(super) is_cut: bool,
    pub(super) is_binary: bool,
    /// The lines right before the next one.
    recent: VecDeque<String>,
    /// The first line found that still waits for lines after it.
    waiting: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bounds: Bounds, finder: &'a Finder<'a>) -> Self {
        let (found, recent) = (Vec::new(), VecDeque::new());
        Self { finder, bounds, found, bytes: 0, is_cut: false, is_binary: false, recent, waiting: 0 }
    }

    /// A line's text as it is told: of a long one what is around a place.
    fn text(&mut self, line: &[u8], place: usize) -> String {
        let part = excerpt(line, place);
        self.is_cut |= part.len() < line.len();
        let text = String::from_utf8_lossy(part);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => text[..end].to_owned(),
            None => text.into_owned(),
        }
    }

    /// Where in a line a match ends, if that matters.
    fn place(&self, line: &[u8]) -> usize {
        let found = if line.len() > LONGEST { self.finder.in_line(line) } else { Ok(None) };
        found.ok().flatten().unwrap_or_default()
    }

    /// Gives a line to those that it comes after.
    fn follow(&mut self, text: &str) {
        let context = self.bounds.context;
        for line in &mut self.found[self.waiting..] {
            line.after.push(text.to_owned());
            self.bytes += text.len();
        }
        let is_full = |line: &&Line| line.after.len() >= context;
        self.waiting += self.found[self.waiting..].iter().take_while(is_full).count();
    }

    fn remember(&mut self, text: String) {
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
        let text = self.text(line, self.place(line));
        self.follow(&text);
        let before: Vec<_> = self.recent.iter().cloned().collect();
        self.bytes += text.len() + before.iter().map(String::len).sum::<usize>();
        let number = matched.line_number().unwrap_or_default();
        self.found.push(Line { number, text: text.clone(), before, after: Vec::new() });
        if self.bounds.context == 0 {
            self.waiting = self.found.len();
        }
        self.remember(text);
        Ok(!self.bounds.are_passed(self.found.len(), self.bytes))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let text = self.text(without_end(context.bytes()), 0);
        self.follow(&text);
        self.remember(text);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.recent.clear();
        self.waiting = self.found.len();
        Ok(true)
    }
}

/// The beginning of a line, if a place is in it, else what is around the place.
fn excerpt(line: &[u8], place: usize) -> &[u8] {
    let head = forward(line, 0, LONGEST);
    if place <= head {
        return &line[..head];
    }
    let start = back(line, forward(line, place, LONGEST / 2), LONGEST);
    &line[start..forward(line, start, LONGEST)]
}

/// Behind so many characters. One without an end is no longer than others.
fn forward(line: &[u8], from: usize, characters: usize) -> usize {
    let most = &line[from..line.len().min(from + BYTES * characters)];
    let mut starts = most.iter().enumerate().filter(|(_, byte)| begins(**byte));
    starts.nth(characters).map_or(from + most.len(), |(at, _)| from + at)
}

/// Before so many characters.
fn back(line: &[u8], from: usize, characters: usize) -> usize {
    let start = from.saturating_sub(BYTES * characters);
    let mut starts = line[start..from].iter().enumerate().rev().filter(|(_, byte)| begins(**byte));
    starts.nth(characters - 1).map_or(start, |(at, _)| start + at)
}

/// Whether a byte is the first one of a character.
fn begins(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_has_what_it_is_about_in_it() {
        let line = "\u{1f600}".repeat(10_000);
        for place in (0..=10_000).step_by(250) {
            let part = excerpt(line.as_bytes(), 4 * place);
            let text = std::str::from_utf8(part).expect("whole characters");
            assert_eq!(text.chars().count(), LONGEST, "{place}");
            let start = (part.as_ptr() as usize - line.as_ptr() as usize) / 4;
            assert!(start <= place && place <= start + LONGEST, "{place}: {start}");
            assert!(place > LONGEST || start == 0, "{place}: {start}");
        }
    }

    #[test]
    fn an_excerpt_of_no_characters_is_no_longer_than_others() {
        let line = vec![0x80; 100_000];
        for place in [0, 50_000, 100_000] {
            assert!(excerpt(&line, place).len() <= BYTES * LONGEST);
        }
    }
}
