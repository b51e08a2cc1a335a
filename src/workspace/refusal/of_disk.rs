//! Messages for file system errors.

use super::RefusalKind;

/// Error numbers for missing permissions.
const EACCES: i32 = 13;
const EPERM: i32 = 1;

pub(super) fn message(kind: &RefusalKind, file: &str) -> String {
    let RefusalKind::Disk { operation, errno, detail, required, available } = kind else {
        return String::new();
    };
    match (errno, required.zip(*available)) {
        (_, Some((required, available))) => format!(
            "There is no room for {file}, which takes {required} bytes while {available} are free; nothing was changed."
        ),
        (Some(EACCES | EPERM), None) => {
            format!("The user that editd runs as may not {operation} {file} ({detail}); nothing was changed.")
        }
        (_, None) => {
            format!("The file system refused to {operation} {file} ({detail}); nothing was changed.")
        }
    }
}

pub(super) fn hint(kind: &RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Disk { required: Some(_), .. } => {
            "Ask the user to free disk space, then send the same request again."
        }
        RefusalKind::Disk { errno: Some(EACCES | EPERM), .. } => {
            "Ask the user to allow it for the file and its folder, then send the same request again."
        }
        _ => "Tell the user; the same request can be sent again once the cause is fixed.",
    }
}
