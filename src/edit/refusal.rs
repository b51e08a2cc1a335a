//! Why no plan could be made.

/// The refusal of one edit.
#[derive(Debug, Clone, PartialEq)]
pub struct EditRefusal {
    /// Index of the edit in its call, from 0.
    pub edit: usize,
    /// Why.
    pub kind: EditRefusalKind,
}

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRefusalKind {
    /// The old text stands nowhere.
    NotFound {
        /// Up to three regions that come near, nearest first.
        closest: Vec<Closest>,
        /// Whether the new text stands there already.
        already_applied: bool,
    },
    /// A line that should stand before the place stands nowhere, or not where it should.
    MissingContext {
        /// The line.
        context: String,
        /// Up to three lines that come near, nearest first.
        closest: Vec<Closest>,
    },
    /// The new text says that code is left out, where the old text leaves nothing out.
    Placeholder {
        /// Line of the new text that says so, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// More than one place fits.
    Ambiguous {
        /// The places.
        occurrences: Occurrences,
    },
    /// Another number of places than expected.
    CountMismatch {
        /// As the edit says.
        expected: u32,
        /// Places there are.
        found: usize,
        /// The places.
        occurrences: Occurrences,
    },
    /// This edit and another have bytes of the base in common.
    Overlap {
        /// Index of the other edit.
        other_edit: usize,
        /// Lines of this edit.
        lines: LineRange,
        /// Lines of the other.
        other_lines: LineRange,
    },
    /// The old text stands only in the new text of another edit.
    Dependency {
        /// Index of the other edit.
        other_edit: usize,
    },
    /// This edit and another give the same bytes different texts.
    Contradiction {
        /// Index of the other edit.
        other_edit: usize,
        /// Lines that both mean.
        lines: LineRange,
    },
    /// The call as a whole would leave the text as it is. Reported for its first edit.
    NoChange,
    /// There is nothing to look for.
    EmptyOldText,
    /// The new texts, each as often as it has places, are more than may be written. Bytes.
    TooLarge {
        /// How much they may be.
        limit: usize,
        /// How much they would be, up to the one that is too much.
        size: usize,
    },
    /// The deadline passed first.
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

/// A region that resembles the text asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Closest {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// 0 to 1.
    pub similarity: f64,
    /// Lines asked for (`-`) against lines that are there (`+`); cut when long.
    pub diff: String,
    /// What differs, in words; empty where there is no short way to say it.
    pub reason: String,
}

/// Places where a text stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Occurrences {
    /// How many there are.
    pub total: usize,
    /// Whether there may be more than `total`, because counting stopped.
    pub more: bool,
    /// Whether places share bytes, so that not all of them can be replaced.
    pub overlap: bool,
    /// The first ten.
    pub listed: Vec<Occurrence>,
}

/// One place where a text stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The place's first line and its neighbours, numbered.
    pub excerpt: String,
}
