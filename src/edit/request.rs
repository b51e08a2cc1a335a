//! What is asked for.

use super::{Deadline, SharedIndex};

/// One replacement: the text to look for and the text to put there. Both are data, never patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edit {
    /// The text that stands in the base.
    pub old: String,
    /// The text to put in its place.
    pub new: String,
    /// How many places are meant.
    pub count: Count,
    /// What else is known of the place, as patches tell it.
    pub anchor: Anchor,
}

/// What a patch says of a place besides its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Anchor {
    /// Whole lines that stand before the place, outermost first (`@@ class A`, `@@ def f`). All have to be
    /// found, in order. With an empty old text the new text goes right behind the last of them.
    pub under: Vec<String>,
    /// The line that the place is said to start at, from 1. It may decide between exact hits; it proves
    /// nothing.
    pub line: Option<usize>,
    /// The place reaches to the end of the text. With an empty old text the new text goes there.
    pub at_end: bool,
    /// The old text is the lines of a hunk: no place starts within a line, and hunks of one call come in the
    /// order of the file, so that of several places the only one behind the hunk before is meant.
    pub whole_lines: bool,
}

impl Edit {
    /// A replacement of the one place where `old` stands.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { old: old.into(), new: new.into(), ..Self::default() }
    }

    /// The same, with another count.
    #[must_use]
    pub fn counted(self, count: Count) -> Self {
        Self { count, ..self }
    }

    /// The same, with what else is known of the place.
    #[must_use]
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// How many places an edit means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Count {
    /// Exactly one, and a second is `Ambiguous`.
    #[default]
    One,
    /// All there are, at least one.
    All,
    /// As many as this; any other number is a `CountMismatch`.
    Exactly(u32),
}

/// How to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether tolerant tiers may follow the exact one.
    pub fuzzy: bool,
    /// Whether each edit is meant for the result of those before it.
    pub sequential: bool,
    /// `true` for prose: a line that speaks of omitted text is text there, never a placeholder.
    pub prose: bool,
    /// Bytes that the new texts may have, each as often as it has places. One edit can have a million, so
    /// this is asked before they are made.
    pub room: usize,
    /// When to give up.
    pub deadline: Deadline,
    /// The base's index, where the caller keeps one for this version of the base. One that was built for a
    /// text of another length is not used.
    pub index: Option<SharedIndex>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fuzzy: true,
            sequential: false,
            prose: false,
            room: usize::MAX,
            deadline: Deadline::NONE,
            index: None,
        }
    }
}

/// The tier that found a place. Each tolerates what those before it do, and one thing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// Nothing but line ends.
    Exact,
    /// Blanks at line ends.
    TrailingBlanks,
    /// Quotes, dashes, Unicode spaces and compatibility forms.
    Typography,
    /// Leading blanks.
    Indentation,
    /// Line numbers before lines, and escapes.
    PrefixesEscapes,
    /// Blank lines at the edges.
    Edges,
    /// The length of runs of blanks inside lines.
    InnerSpace,
    /// Lines left out, where old and new text say so.
    Elision,
    /// A little in lines that are not changed.
    DriftedContext,
}

impl Strategy {
    /// All of them, strictest first.
    pub const ALL: [Self; 9] = [
        Self::Exact,
        Self::TrailingBlanks,
        Self::Typography,
        Self::Indentation,
        Self::PrefixesEscapes,
        Self::Edges,
        Self::InnerSpace,
        Self::Elision,
        Self::DriftedContext,
    ];

    /// Its stable name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingBlanks => "trailing_blanks",
            Self::Typography => "typography",
            Self::Indentation => "indentation",
            Self::PrefixesEscapes => "prefixes_escapes",
            Self::Edges => "edges",
            Self::InnerSpace => "inner_space",
            Self::Elision => "elision",
            Self::DriftedContext => "drifted_context",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{EditRefusalKind, find};

    #[test]
    fn a_line_about_what_is_left_out_is_text_in_prose_and_a_placeholder_elsewhere() {
        let (base, line) = ("one\ntwo\n", "// ... existing fields\n");
        let edits = [Edit::new("one\n", format!("1\n{line}")), Edit::new("two\n", "2\n")];
        for sequential in [false, true] {
            let code = Options { sequential, ..Options::default() };
            let refused = find(base, &edits, &code).unwrap_err();
            assert!(matches!(refused[0].kind, EditRefusalKind::Placeholder { line: 2, .. }), "{refused:?}");
            let prose = Options { prose: true, ..code };
            let found = find(base, &edits, &prose).unwrap();
            assert_eq!(found.plan.apply(base), format!("1\n{line}2\n"));
        }
    }
}
