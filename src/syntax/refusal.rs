//! Refusals of operations on symbols.

use serde::{Deserialize, Serialize};

use super::{RenameRefusal, SymbolKind};
use editd_edit::LineRange;

/// The reason why an operation on a symbol was refused, with the name of the refusal.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantNames,
    thiserror::Error,
)]
#[strum(serialize_all = "snake_case")]
pub enum SymbolRefusal {
    /// No symbol has this name.
    #[strum(serialize = "not_found")]
    #[error("no symbol has this name")]
    Unknown {
        /// Up to eight symbols with similar names, most similar first.
        candidates: Vec<Candidate>,
        /// Number of symbols in the file.
        total: usize,
    },
    /// Several symbols have this name.
    #[error("several symbols have this name")]
    Ambiguous {
        /// The first eight of them, in the order of the file.
        candidates: Vec<Candidate>,
        /// Number of further symbols with this name.
        more: usize,
    },
    /// The symbol itself contains a syntax error, so its end is uncertain.
    #[strum(serialize = "syntax")]
    #[error("the symbol contains a syntax error in line {line}")]
    Broken {
        /// Line of the error.
        line: usize,
    },
    /// The symbol has no body.
    #[strum(serialize = "not_found")]
    #[error("the symbol has no body")]
    WithoutBody {
        /// Lines of the symbol.
        lines: LineRange,
    },
    /// The body has no lines of its own.
    #[strum(serialize = "not_found")]
    #[error("the body has no lines of its own")]
    BodyInLine {
        /// Lines of the symbol.
        lines: LineRange,
    },
    /// The declaration contains no name that could be replaced.
    #[strum(serialize = "not_found")]
    #[error("the declaration contains no name")]
    WithoutName {
        /// Lines of the symbol.
        lines: LineRange,
    },
    /// The new text is not a name, or it is blank where code is expected.
    #[strum(serialize = "syntax")]
    #[error("the new text is {reason}")]
    BadText {
        /// Reason.
        reason: BadText,
    },
    /// A symbol that is moved, or the one beside its new place, shares its lines with other code.
    #[strum(serialize = "syntax")]
    #[error("line {line} contains other code")]
    SharedLines {
        /// Line of the symbol.
        line: usize,
    },
    /// An item of a list is moved to another place than a list, or the other way round.
    #[strum(serialize = "syntax")]
    #[error("only items of lists can be moved to a list, and only there")]
    NotAnItem {
        /// Line of the symbol beside the new place.
        line: usize,
    },
    /// The new place is inside of what is moved.
    #[strum(serialize = "overlap")]
    #[error("the place is inside of what is moved")]
    InMoved {
        /// Line of the symbol beside the new place.
        line: usize,
    },
    /// A rename of which the syntax does not allow to know the uses, or which would change the meaning of the text.
    #[strum(serialize = "syntax")]
    #[error("{0}")]
    NoRename(RenameRefusal),
    /// The new name means something else already.
    #[strum(serialize = "exists")]
    #[error("{0}")]
    NameTaken(RenameRefusal),
    /// It is not certain what belongs to the symbol.
    #[strum(serialize = "ambiguous")]
    #[error("{0}")]
    RenameUnclear(RenameRefusal),
}

impl From<RenameRefusal> for SymbolRefusal {
    fn from(refusal: RenameRefusal) -> Self {
        match refusal {
            RenameRefusal::NotOffered { .. }
            | RenameRefusal::Broken { .. }
            | RenameRefusal::Keyword
            | RenameRefusal::Reread { .. } => Self::NoRename(refusal),
            RenameRefusal::Taken { .. } | RenameRefusal::Captured { .. } | RenameRefusal::Hidden { .. } => {
                Self::NameTaken(refusal)
            }
            RenameRefusal::Unclear { .. } => Self::RenameUnclear(refusal),
        }
    }
}

/// The reason why a text cannot become one of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
pub enum BadText {
    /// It is blank where code is expected.
    #[strum(to_string = "blank")]
    Blank,
    /// It is not a name.
    #[strum(to_string = "not a name")]
    NotAName,
}

/// A symbol as listed in a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Path of the symbol, for example `Class.method`. Add `@` and a line to tell equal ones apart.
    pub path: String,
    /// Kind of the symbol.
    pub kind: SymbolKind,
    /// Lines of the symbol.
    pub lines: LineRange,
}
