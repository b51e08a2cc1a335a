use super::{Known, RefusalKind, Since};

/// Returns the hint for a patch, if it differs from that for `changes`.
pub(super) fn hint(kind: &RefusalKind) -> Option<&'static str> {
    match kind {
        RefusalKind::Unread { known: Known::SomeLines, .. } => {
            Some("Send `currentHash` in `bases` if you mean its whole current content.")
        }
        RefusalKind::Unread { known: Known::NothingYet, .. } => Some(
            "Call `editd/read` on it first, then send the patch again; or send `currentHash` in `bases` if you mean its current content. If you have read it before: this session is a new one, for instance because the daemon was restarted, and `currentHash` tells whether the file is still what you were given.",
        ),
        RefusalKind::Unread { known: Known::OtherFiles, .. } => Some(
            "Call `editd/read` on it first, then send the patch again; or send `currentHash` in `bases` if you mean its current content.",
        ),
        RefusalKind::Stale { current: Some(_), base_known: true, since: Since::Read, .. } => Some(
            "Look at `diff`; if the patch still makes sense, send it again with `currentHash` in `bases`, or with `onStale: \"rebase\"`.",
        ),
        RefusalKind::Exists => Some("Choose another path, or change the existing file with hunks."),
        _ => None,
    }
}
