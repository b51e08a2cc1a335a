//! Edits that name lines by number instead of repeating their text.
//!
//! [`locate`] checks the edits of a call against the version of the text whose numbers they use, and mends
//! slips that the text proves. If the text has changed since, [`LocatedLines::carried`] moves an edit to the
//! new numbers of its lines. [`plan_lines`] turns the edits into a plan.

mod border;
mod carry;
mod indentation;
mod locate;
mod range;
mod reindent;
mod reshape;
mod splice;
#[cfg(test)]
mod tests;

pub use carry::LineMap;
pub use locate::{LocatedLines, locate, plan_lines};
pub use range::{BadRange, parse_range};
pub use reindent::{MovedSymbol, MovedText};
pub use reshape::{Reshape, ReshapeProblem, Reshaped, StringLines, reshape};
pub use splice::lines_of;

use super::LineRange;

/// An edit at lines of a version of a text. Numbers count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// Lines to replace, or the place of an insertion.
    pub place: LinePlace,
    /// New lines; `None` to delete the lines. Its last line needs no line ending.
    pub new: Option<String>,
    /// Expected text of the first line. Whitespace is ignored.
    pub first: Option<String>,
    /// Expected text of the last line. Whitespace is ignored.
    pub last: Option<String>,
    /// Origin of the new lines.
    pub origin: LineOrigin,
}

/// Origin of new lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineOrigin {
    /// The author has written them.
    Written,
    /// They are lines of another place, which contain no slips.
    Moved {
        /// Warnings about the move for the author.
        warnings: Vec<String>,
    },
}

impl LineEdit {
    /// Creates an edit that removes lines.
    pub fn removal(lines: LineRange) -> Self {
        let origin = LineOrigin::Moved { warnings: Vec::new() };
        Self { place: LinePlace::Lines(lines), new: None, first: None, last: None, origin }
    }

    /// Creates an edit that puts lines of another place into a new one, with warnings about that.
    pub fn of_moved(place: LinePlace, lines: String, warnings: Vec<String>) -> Self {
        let origin = LineOrigin::Moved { warnings };
        Self { place, new: Some(lines), first: None, last: None, origin }
    }
}

/// The lines that an edit concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinePlace {
    /// These lines are replaced.
    Lines(LineRange),
    /// New lines are inserted after this line; 0 is the start of the text.
    After(usize),
    /// New lines are inserted before this line.
    Before(usize),
    /// New lines are inserted at the end of the text.
    End,
}

impl LinePlace {
    /// Returns the lines that the author must know: those that are replaced, or the one next to the new
    /// lines. The start of a text needs none.
    pub fn anchors(self) -> Option<LineRange> {
        match self {
            Self::Lines(lines) => Some(lines),
            Self::After(0) | Self::End => None,
            Self::After(line) | Self::Before(line) => Some(LineRange { start: line, end: line }),
        }
    }
}

/// The reason why an edit at lines was refused, with the name of the refusal.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum LineRefusal {
    /// The text has no such line.
    #[strum(serialize = "not_found")]
    NoSuchLine {
        /// The line that the edit names.
        line: usize,
        /// Number of lines of the text.
        total: usize,
    },
    /// A line has another text than `first` or `last` says.
    #[strum(serialize = "not_found")]
    OtherText {
        /// The line that the edit names.
        line: usize,
        /// Name of the parameter: `first` or `last`.
        parameter: &'static str,
        /// The line and its neighbors, with numbers.
        excerpt: String,
    },
    /// The author was not shown all of the lines.
    #[strum(serialize = "unread")]
    Unseen {
        /// The lines of the edit.
        lines: LineRange,
        /// The lines and their neighbors, with numbers.
        excerpt: String,
        /// `true` if the excerpt shows them completely.
        complete: bool,
    },
    /// Lines cannot be indented or wrapped.
    #[strum(serialize = "syntax")]
    NotReshaped {
        /// The line at which the problem is.
        line: usize,
        /// The line and its neighbors, with numbers.
        excerpt: String,
        /// The problem.
        problem: ReshapeProblem,
    },
    /// The numbers mean different lines in the versions that the author was shown.
    #[strum(serialize = "ambiguous")]
    SeveralVersions {
        /// The lines that the edit names.
        lines: LineRange,
        /// Tags of the versions, newest first.
        tags: Vec<String>,
    },
}
