//! The text that edits are looked for in, with the views of it that tiers ask for.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::fold::{Fold, Level};
use super::index::{LinesByKey, describe};
use super::short::ShortTexts;
use super::{Deadline, Edit, Index, Options, SharedIndex, TimedOut};
use crate::text::{IndentStyle, indent_style, line_end, line_start, lines};

/// Edits of one call from which on sorting the lines of a base pays, where its index is there and where it
/// has to be built.
const SOME_EDITS: usize = 8;
const MANY_EDITS: usize = 64;

/// A base and what has been made of it so far. Views and index are made when first asked for, once for
/// all edits of a call.
pub(super) struct Base<'a> {
    pub(super) text: &'a str,
    pub(super) deadline: Deadline,
    views: [OnceCell<Fold<'a>>; 3],
    index: SharedIndex,
    by_key: OnceCell<LinesByKey>,
    style: OnceCell<IndentStyle>,
    ascii: OnceCell<bool>,
    /// The edits that look here: how many there are decides how it is done.
    edits: &'a [Edit],
    /// Whether the edit that is looked for now was found to be made already.
    pub(super) done: Cell<bool>,
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
            done: Cell::new(false),
        }
    }

    pub(super) fn view(&self, level: Level) -> &Fold<'a> {
        if level > Level::LineEnds && self.folds_line_ends_only(level) {
            return self.view(Level::LineEnds);
        }
        self.views[level as usize].get_or_init(|| Fold::new(self.text, level))
    }

    /// Returns whether the view of a level is known to equal the one with plain line ends.
    pub(super) fn folds_line_ends_only(&self, level: Level) -> bool {
        let is_clean = self.index.built().is_some_and(|index| !index.has_trailing_blanks());
        is_clean && (level < Level::Typography || self.is_ascii())
    }

    pub(super) fn index(&self) -> &Index {
        self.index.of(self.text)
    }

    /// Whether the text is ASCII.
    pub(super) fn is_ascii(&self) -> bool {
        *self.ascii.get_or_init(|| self.text.is_ascii())
    }

    /// How the text is indented.
    pub(super) fn indent_style(&self) -> IndentStyle {
        *self.style.get_or_init(|| indent_style(self.text))
    }

    /// Whether places are to be looked up by sorted lines.
    pub(super) fn sorts(&self) -> bool {
        self.edits.len() >= if self.index.built().is_some() { SOME_EDITS } else { MANY_EDITS }
    }

    /// Where a text stands that has no line to be looked up by, line ends aside: known of those of the edits
    /// where there are many.
    pub(super) fn places_of_short(&self, text: &str) -> Result<Option<&[usize]>, TimedOut> {
        if self.edits.len() < MANY_EDITS {
            return Ok(None);
        }
        let view = self.view(Level::LineEnds).text();
        let short = self.short.get_or_init(|| ShortTexts::find(view, self.edits, self.deadline));
        short.as_ref().map(|short| short.places_of(text)).map_err(|error| *error)
    }

    /// The lines with a key, in order: looked up once where many edits look, else by a walk.
    pub(super) fn lines_with(&self, key: u32) -> Box<dyn Iterator<Item = usize> + '_> {
        if let Some(lines) = self.looked_up(key) {
            return Box::new(lines.iter().copied());
        }
        Box::new(self.index().walk_with(key))
    }

    /// The number of lines with a key.
    pub(super) fn count_of(&self, key: u32) -> usize {
        self.looked_up(key).map_or_else(|| self.index().count_of(key), <[usize]>::len)
    }

    /// The lines with a key, where those of all edits were looked up.
    fn looked_up(&self, key: u32) -> Option<&[usize]> {
        if !self.sorts() {
            return None;
        }
        let texts = || self.edits.iter().flat_map(|edit| [&edit.old, &edit.new]);
        let keys = || texts().flat_map(|text| lines(text)).map(|line| describe(line.content).0);
        self.by_key.get_or_init(|| LinesByKey::new(self.index(), keys())).get(key)
    }

    /// The content of a line, counted from 0; nothing behind the last.
    pub(super) fn line(&self, line: usize) -> &'a str {
        self.index().lines_from(self.text, line).next().map_or("", |line| line.content)
    }

    /// How many lines begin between two offsets that begin lines, or end them.
    pub(super) fn lines_between(&self, start: usize, end: usize) -> usize {
        let starts = self.index().starts();
        let before = |offset: usize| starts.partition_point(|&start| (start as usize) < offset);
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
