//! The text that edits are looked for in, with the views of it that tiers ask for.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use super::fold::{Fold, Level};
use super::{Deadline, Index, Options};
use crate::text::{line_end, line_start};

/// A base and what has been made of it so far. Views and index are made when first asked for, once for
/// all edits of a call.
pub(super) struct Base<'a> {
    pub(super) text: &'a str,
    pub(super) deadline: Deadline,
    views: [OnceCell<Fold<'a>>; 3],
    index: OnceCell<Arc<Index>>,
}

impl<'a> Base<'a> {
    pub(super) fn new(text: &'a str, options: &Options) -> Self {
        let index =
            options.index.clone().filter(|index| index.fits(text)).map_or_else(OnceCell::new, OnceCell::from);
        Self { text, deadline: options.deadline, views: Default::default(), index }
    }

    pub(super) fn view(&self, level: Level) -> &Fold<'a> {
        self.views[level as usize].get_or_init(|| Fold::new(self.text, level))
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Arc::new(Index::build(self.text)))
    }

    /// The content of a line, counted from 0; nothing behind the last.
    pub(super) fn line(&self, line: usize) -> &'a str {
        self.index().lines_from(self.text, line).next().map_or("", |line| line.content)
    }

    /// How many lines begin between two offsets that begin lines, or end them.
    pub(super) fn lines_between(&self, start: usize, end: usize) -> usize {
        let entries = self.index().entries();
        let before = |offset: usize| entries.partition_point(|entry| (entry.start as usize) < offset);
        before(end) - before(start)
    }

    /// Whether a range of bytes is whole lines, with or without the end of the last.
    pub(super) fn is_whole_lines(&self, range: &Range<usize>) -> bool {
        let ends = range.end == self.text.len()
            || line_end(self.text, range.end).0 == range.end
            || line_start(self.text, range.end) == range.end;
        ends && line_start(self.text, range.start) == range.start
    }
}
