use std::collections::VecDeque;
use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::Bounds;

/// Characters of a line that are told.
const LONGEST: usize = 2000;
/// Bytes that so many characters may take.
const BYTES: usize = 4 * LONGEST;

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
pub(super) struct Lines {
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

impl Lines {
    pub(super) fn new(bounds: Bounds) -> Self {
        let (found, recent) = (Vec::new(), VecDeque::new());
        Self { bounds, found, bytes: 0, is_cut: false, is_binary: false, recent, waiting: 0 }
    }

    /// A line's text as it is told.
    fn text(&mut self, line: &[u8]) -> String {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = String::from_utf8_lossy(&line[..line.len().min(BYTES)]);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => {
                self.is_cut = true;
                text[..end].to_owned()
            }
            None => text.into_owned(),
        }
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

impl Sink for Lines {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let text = self.text(matched.bytes());
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
        let text = self.text(context.bytes());
        self.follow(&text);
        self.remember(text);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.recent.clear();
        self.waiting = self.found.len();
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}
