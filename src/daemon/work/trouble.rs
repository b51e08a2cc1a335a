//! Drafts that cannot be made.

use crate::edit;
use crate::notebook::CellRefusal;
use crate::workspace::RefusalKind;

/// Why there is no draft.
pub(crate) enum Trouble {
    File(RefusalKind),
    Edits(Vec<edit::EditRefusal>),
    Cells(Vec<CellRefusal>),
}

impl From<RefusalKind> for Trouble {
    fn from(kind: RefusalKind) -> Self {
        Self::File(kind)
    }
}
