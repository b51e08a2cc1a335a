//! The texts of an edit, normalized for matching.

use std::borrow::Cow;

use super::fold::{self, Fold, Level};
use super::{Edit, typography};

/// The texts of an edit with LF line endings and without a byte order mark.
#[derive(Debug, Clone)]
pub(super) struct Needle<'a> {
    pub(super) old: Cow<'a, str>,
    pub(super) new: Cow<'a, str>,
    /// `true` if the old text is only whitespace: it matches exactly or not at all.
    pub(super) blank: bool,
    /// `true` if a match must start at the start of a line.
    pub(super) whole_lines: bool,
}

/// The search pattern for the old text at one level of tolerance.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern<'n> {
    /// Text to search for in the folded view of the level.
    pub(super) text: Cow<'n, str>,
    /// `true` if the first line is only whitespace, which the view omits: the match includes the whitespace
    /// of the file there.
    pub(super) leading_blank_line: bool,
    /// `true` if the last line has no line ending but had trailing whitespace: the match must end its line.
    pub(super) ends_line: bool,
}

impl<'a> Needle<'a> {
    pub(super) fn new(edit: &'a Edit) -> Self {
        let old = with_lf_endings(&edit.old);
        let blank = old.chars().all(|c| c == '\n' || fold::is_blank(c) || typography::is_space(c));
        Self { old, new: with_lf_endings(&edit.new), blank, whole_lines: edit.anchor.whole_lines }
    }

    pub(super) fn at(&self, level: Level) -> Pattern<'_> {
        if level == Level::LineEndings {
            return Pattern { text: Cow::Borrowed(&self.old), leading_blank_line: false, ends_line: false };
        }
        let typographic = level == Level::Typography;
        let loses_whitespace = |line: &str| fold::trim_end(line, typographic).len() < line.len();
        let first = self.old.split_once('\n').map_or("", |(first, _)| first);
        let last = self.old.rsplit('\n').next().unwrap_or_default();
        Pattern {
            leading_blank_line: !first.is_empty() && fold::trim_end(first, typographic).is_empty(),
            ends_line: loses_whitespace(last),
            text: Cow::Owned(Fold::new(&self.old, level).text().to_owned()),
        }
    }
}

/// Returns `text` without a byte order mark and with LF line endings.
pub(super) fn with_lf_endings(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Fold::new(text, Level::LineEndings).text().to_owned())
}
