//! Edits and the options for matching them.

use std::ops::Range;

use super::{Deadline, LineRange, PatternKind, SharedIndex};

/// A replacement: the text to search for and the text to replace it with. Both are literal text, unless `kind` says
/// that they are a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edit {
    /// Text to search for in the base.
    pub old: String,
    /// Text that replaces it.
    pub new: String,
    /// Number of matches to replace.
    pub count: Count,
    /// Further constraints on the location, from a patch.
    pub anchor: Anchor,
    /// The way to read the old text. A pattern matches exactly or not at all.
    pub kind: PatternKind,
    /// Bytes of the base within which the text is searched for; `None` for all of it.
    pub scope: Option<Range<usize>>,
}

/// The part of a file that an edit concerns, as its author names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextScope {
    /// Lines of the version that the author was shown.
    Lines(LineRange),
    /// A reference to a symbol.
    Symbol(String),
}

/// Constraints of a patch on the location of a hunk, besides its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Anchor {
    /// Whole lines before the location, outermost first (`@@ class A`, `@@ def f`). All of them must occur,
    /// in order. If the old text is empty, the new text is inserted right after the last of them.
    pub under: Vec<String>,
    /// Line at which the match should start, from 1. It may decide between several exact matches and has no
    /// other effect.
    pub line: Option<usize>,
    /// `true` if the match must reach the end of the text. If the old text is empty, the new text is inserted
    /// there.
    pub at_end: bool,
    /// `true` if the old text is the lines of a hunk: no match starts within a line, and the hunks of one
    /// call come in file order, so that of several matches the only one after the previous hunk is used.
    pub whole_lines: bool,
    /// `true` if the format of the patch says that a hunk means the first match after the place that the patch
    /// names directly before it.
    pub ordered: bool,
    /// Number of the section of the patch, from 0, among those of its file: a later section may have been made for
    /// the result of an earlier one.
    pub section: usize,
}

impl Edit {
    /// Creates a replacement of the only match of `old`.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { old: old.into(), new: new.into(), ..Self::default() }
    }
}

/// The number of matches that an edit replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Count {
    /// Exactly one; a second match is `Ambiguous`.
    #[default]
    One,
    /// All matches, at least one. Of matches that overlap, the first one counts.
    All,
    /// All matches, as for `All`, of which there must be exactly this many; any other number is a `CountMismatch`.
    Exactly(u32),
}

/// Options for matching edits.
#[derive(Debug, Clone)]
pub struct Options {
    /// `true` to try the tolerant tiers after the exact one.
    pub fuzzy: bool,
    /// `true` to match each edit in the result of the previous ones.
    pub sequential: bool,
    /// `true` to look for the change that an edit without a match probably means, see [`Offer`](super::Offer).
    pub offers: bool,
    /// `true` for prose: a line about omitted text is content there, never a placeholder.
    pub prose: bool,
    /// Maximum total size of the new texts, each counted once per match, in bytes. One edit can have a
    /// million matches, so the limit is checked before the result is built.
    pub room: usize,
    /// Deadline for matching.
    pub deadline: Deadline,
    /// Index of the base, if the caller has one for this version of it. Ignored if it was built for a text of
    /// another length.
    pub index: Option<SharedIndex>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fuzzy: true,
            sequential: false,
            offers: false,
            prose: false,
            room: usize::MAX,
            deadline: Deadline::NONE,
            index: None,
        }
    }
}

/// The tier that found a match. Each tolerates what the previous ones do, and one thing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// Line endings.
    Exact,
    /// Trailing whitespace.
    TrailingBlanks,
    /// Quotes, dashes, Unicode spaces and compatibility forms.
    Typography,
    /// Indentation.
    Indentation,
    /// Line numbers at the start of lines, surplus escapes and HTML entities.
    PrefixesEscapes,
    /// Blank lines at the start and end of the old text.
    Edges,
    /// Length of whitespace runs inside lines.
    InnerSpace,
    /// Lines that old and new text elide.
    Elision,
    /// Slight differences in lines that the edit does not change.
    DriftedContext,
    /// No difference: the edit names the lines.
    Lines,
    /// No difference: the edit names a symbol.
    Symbol,
    /// No difference: a language server has renamed the symbol.
    LanguageServer,
}

impl Strategy {
    /// All tiers with their stable names on the wire, strictest first.
    pub const NAMES: [(Self, &str); 12] = [
        (Self::Exact, "exact"),
        (Self::TrailingBlanks, "trailing_blanks"),
        (Self::Typography, "typography"),
        (Self::Indentation, "indentation"),
        (Self::PrefixesEscapes, "prefixes_escapes"),
        (Self::Edges, "edges"),
        (Self::InnerSpace, "inner_space"),
        (Self::Elision, "elision"),
        (Self::DriftedContext, "drifted_context"),
        (Self::Lines, "lines"),
        (Self::Symbol, "symbol"),
        (Self::LanguageServer, "language_server"),
    ];

    /// Returns the stable name on the wire.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}
