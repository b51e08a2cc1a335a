//! An edit's texts as they are compared.

use std::borrow::Cow;

use super::fold::{self, Fold, Level};
use super::{Edit, typography};

/// The texts of an edit: every line end an LF, no byte order mark.
#[derive(Debug, Clone)]
pub(super) struct Needle<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
    /// Nothing but blanks and line ends: found literally or not at all.
    pub(super) blank: bool,
    /// A place starts where a line does.
    pub(super) whole_lines: bool,
}

/// The old text at one level of tolerance.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked<'n> {
    /// What to look for in the view of that level.
    pub(super) text: Cow<'n, str>,
    /// The first line is of blanks only, which the view has not: those of the file belong to the place.
    pub(super) lead: bool,
    /// The last line is not ended but had blanks at its end: the place has to end its line.
    pub(super) ends_line: bool,
}

impl<'a> Needle<'a> {
    pub(super) fn new(edit: &'a Edit) -> Self {
        let old = plain_ends(&edit.old);
        let blank = old.chars().all(|c| c == '\n' || fold::is_blank(c) || typography::is_space(c));
        Self { old, new: plain_ends(&edit.new), blank, whole_lines: edit.anchor.whole_lines }
    }

    pub(super) fn at(&self, level: Level) -> Asked<'_> {
        if level == Level::LineEnds {
            return Asked { text: Cow::Borrowed(&self.old), lead: false, ends_line: false };
        }
        let typographic = level == Level::Typography;
        let gone = |line: &str| fold::trim_end(line, typographic).len() < line.len();
        let first = self.old.split_once('\n').map_or("", |(first, _)| first);
        let last = self.old.rsplit('\n').next().unwrap_or_default();
        Asked {
            lead: !first.is_empty() && fold::trim_end(first, typographic).is_empty(),
            ends_line: gone(last),
            text: Cow::Owned(Fold::new(&self.old, level).text().to_owned()),
        }
    }
}

/// `text` without a byte order mark, every line end an LF.
pub(super) fn plain_ends(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Fold::new(text, Level::LineEnds).text().to_owned())
}
