//! The error type of drafts.

use crate::edit;
use crate::notebook::CellRefusal;
use crate::workspace::RefusalKind;

/// The reasons why a draft cannot be computed.
pub(crate) enum DraftError {
    File(RefusalKind),
    Edits(Vec<edit::EditRefusal>),
    Cells(Vec<CellRefusal>),
}

impl From<RefusalKind> for DraftError {
    fn from(kind: RefusalKind) -> Self {
        Self::File(kind)
    }
}
