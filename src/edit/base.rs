//! The text in which edits are matched, with the views of it that tiers need.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::fold::{Fold, Level};
use super::index::{LinesByKey, key_and_pairs};
use super::short_texts::ShortTexts;
use super::{Deadline, Edit, Index, Options, SharedIndex, TimedOut};
use crate::text::{IndentStyle, indent_style, line_end, line_start, lines};

/// Number of edits in a call from which on grouping the lines of the base by key pays off: if the index
/// exists, and if it has to be built.
const SOME_EDITS: usize = 8;
const MANY_EDITS: usize = 64;

/// A base with its views and index. They are built on first use, once for all edits of a call.
pub(super) struct Base<'a> {
    pub(super) text: &'a str,
    pub(super) deadline: Deadline,
    views: [OnceCell<Fold<'a>>; 3],
    index: SharedIndex,
    by_key: OnceCell<LinesByKey>,
    style: OnceCell<IndentStyle>,
    ascii: OnceCell<bool>,
    /// The edits of the call: their number decides how matches are searched.
    edits: &'a [Edit],
    /// `true` if the current edit was found to be already applied.
    pub(super) is_applied: Cell<bool>,
    short: OnceCell<Result<ShortTexts<'a>, TimedOut>>,
}

impl<'a> Base<'a> {
    pub(super) fn new(text: &'a str, edits: &'a [Edit], options: &Options) -> Self {
        let fits = |index: &SharedIndex| index.built().is_none_or(|index| index.fits(text));
        let index = options.index.clone().filter(fits).unwrap_or_default();
        Self {
            text,
            deadline: options.deadline,
            views: Default::default(),
            index,
            by_key: OnceCell::new(),
            style: OnceCell::new(),
            ascii: OnceCell::new(),
            edits,
            short: OnceCell::new(),
            is_applied: Cell::new(false),
        }
    }

    pub(super) fn view(&self, level: Level) -> &Fold<'a> {
        if level > Level::LineEndings && self.folds_line_endings_only(level) {
            return self.view(Level::LineEndings);
        }
        self.views[level as usize].get_or_init(|| Fold::new(self.text, level))
    }

    /// Returns `true` if the view of a level is known to equal the one of [`Level::LineEndings`].
    pub(super) fn folds_line_endings_only(&self, level: Level) -> bool {
        let is_clean = self.index.built().is_some_and(|index| !index.has_trailing_blanks());
        is_clean && (level < Level::Typography || self.is_ascii())
    }

    pub(super) fn index(&self) -> &Index {
        self.index.of(self.text)
    }

    /// Returns `true` if the text is ASCII.
    pub(super) fn is_ascii(&self) -> bool {
        *self.ascii.get_or_init(|| self.text.is_ascii())
    }

    /// Returns the indentation style of the text.
    pub(super) fn indent_style(&self) -> IndentStyle {
        *self.style.get_or_init(|| indent_style(self.text))
    }

    /// Returns `true` if matches should be searched in lines grouped by key.
    pub(super) fn groups_by_key(&self) -> bool {
        self.edits.len() >= if self.index.built().is_some() { SOME_EDITS } else { MANY_EDITS }
    }

    /// Returns the offsets of a text that has no whole line to look up. Known only for texts of the edits,
    /// and only if there are many edits; `None` otherwise.
    pub(super) fn offsets_of_short(&self, text: &str) -> Result<Option<&[usize]>, TimedOut> {
        if self.edits.len() < MANY_EDITS {
            return Ok(None);
        }
        let view = self.view(Level::LineEndings).text();
        let short = self.short.get_or_init(|| ShortTexts::find(view, self.edits, self.deadline));
        short.as_ref().map(|short| short.offsets_of(text)).map_err(|error| *error)
    }

    /// Returns the lines with a key, in order: by lookup if there are many edits, else by a scan.
    pub(super) fn lines_with(&self, key: u32) -> Box<dyn Iterator<Item = usize> + '_> {
        if let Some(lines) = self.looked_up(key) {
            return Box::new(lines.iter().copied());
        }
        Box::new(self.index().scan_for(key))
    }

    /// Returns the number of lines with a key.
    pub(super) fn count_of(&self, key: u32) -> usize {
        self.looked_up(key).map_or_else(|| self.index().count_of(key), <[usize]>::len)
    }

    /// Returns the lines with a key, if there are many edits and one of them has a line with this key.
    fn looked_up(&self, key: u32) -> Option<&[usize]> {
        if !self.groups_by_key() {
            return None;
        }
        let texts = || self.edits.iter().flat_map(|edit| [&edit.old, &edit.new]);
        let keys = || texts().flat_map(|text| lines(text)).map(|line| key_and_pairs(line.content).0);
        self.by_key.get_or_init(|| LinesByKey::new(self.index(), keys())).get(key)
    }

    /// Returns the content of a line (from 0), empty past the last line.
    pub(super) fn line(&self, line: usize) -> &'a str {
        self.index().lines_from(self.text, line).next().map_or("", |line| line.content)
    }

    /// Counts the lines between two offsets, each of which is at the start or the end of a line.
    pub(super) fn lines_between(&self, start: usize, end: usize) -> usize {
        let starts = self.index().starts();
        let before = |offset: usize| starts.partition_point(|&start| (start as usize) < offset);
        before(end) - before(start)
    }

    /// Returns `true` if a range of bytes is whole lines, with or without the last line ending.
    pub(super) fn is_whole_lines(&self, range: &Range<usize>) -> bool {
        let ends = range.end == self.text.len()
            || line_end(self.text, range.end).0 == range.end
            || line_start(self.text, range.end) == range.end;
        ends && line_start(self.text, range.start) == range.start
    }
}
