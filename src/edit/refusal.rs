//! Refusals of edits.

/// The refusal of one edit.
#[derive(Debug, Clone, PartialEq)]
pub struct EditRefusal {
    /// Index of the edit in its call, from 0.
    pub edit: usize,
    /// Reason for the refusal.
    pub kind: EditRefusalKind,
}

/// The reason why an edit was refused.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRefusalKind {
    /// The old text is not in the file.
    NotFound {
        /// Up to three similar regions, most similar first.
        closest: Vec<Closest>,
        /// `true` if the file already has the new text.
        already_applied: bool,
    },
    /// A context line is not in the file, or not where it should be.
    MissingContext {
        /// The line.
        context: String,
        /// Up to three similar lines, most similar first.
        closest: Vec<Closest>,
    },
    /// The new text elides code in words where the old text elides nothing.
    Placeholder {
        /// The line of the new text, from 1.
        line: usize,
        /// Text of the line.
        text: String,
    },
    /// The old text has more than one match.
    Ambiguous {
        /// The matches.
        occurrences: Occurrences,
    },
    /// The number of matches is not the expected one.
    CountMismatch {
        /// Number that the edit expects.
        expected: u32,
        /// Number of matches.
        found: usize,
        /// The matches.
        occurrences: Occurrences,
    },
    /// This edit and another change overlapping bytes of the base.
    Overlap {
        /// Index of the other edit.
        other_edit: usize,
        /// Lines of this edit.
        lines: LineRange,
        /// Lines of the other edit.
        other_lines: LineRange,
    },
    /// The old text is only in the new text of another edit.
    Dependency {
        /// Index of the other edit.
        other_edit: usize,
    },
    /// This edit and another replace the same bytes with different texts.
    Contradiction {
        /// Index of the other edit.
        other_edit: usize,
        /// Lines that both change.
        lines: LineRange,
    },
    /// The call as a whole would leave the text as it is. Reported for its first edit.
    NoChange,
    /// The old text is empty.
    EmptyOldText,
    /// The new texts, each counted once per match, exceed the limit. Sizes are in bytes.
    TooLarge {
        /// Maximum total size.
        limit: usize,
        /// Total size, up to the first text that exceeds the limit.
        size: usize,
    },
    /// The deadline passed.
    Timeout,
}

/// Lines of the base, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// First line.
    pub start: usize,
    /// Last line.
    pub end: usize,
}

/// A region that is similar to the old text.
#[derive(Debug, Clone, PartialEq)]
pub struct Closest {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Similarity, 0 to 1.
    pub similarity: f64,
    /// Lines of the old text (`-`) against lines of the file (`+`); cut if long.
    pub diff: String,
    /// Short description of the difference; empty if there is none.
    pub reason: String,
}

/// The matches of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Occurrences {
    /// Number of matches.
    pub total: usize,
    /// `true` if there may be more than `total`, because counting stopped.
    pub more: bool,
    /// `true` if matches overlap, so that not all of them can be replaced.
    pub overlap: bool,
    /// The first ten matches.
    pub listed: Vec<Occurrence>,
}

/// A match of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// First line of the match and its neighbors, with line numbers.
    pub excerpt: String,
}
