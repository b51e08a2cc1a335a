use std::path::Path;
use std::sync::Arc;

use crate::text::ContentHash;

use super::{PastAction, PastEntry, PastFile};

/// Returns the consecutive edits of the file at `path` in `later` (oldest first), starting at a given
/// content, with the effect of each on the file. The chain ends at the first other change of the file.
pub fn chain_from<'a>(
    path: &Path,
    mut from: Option<ContentHash>,
    later: &'a [Arc<PastEntry>],
) -> Vec<(&'a PastEntry, &'a PastFile)> {
    let mut chain = Vec::new();
    for entry in later.iter().filter(|entry| !entry.rescued) {
        let Some(file) = entry.files.iter().find(|file| file.concerns(path)) else { continue };
        if file.action != PastAction::Edit || file.hash_before != from {
            break;
        }
        from = file.hash_after;
        chain.push((&**entry, file));
    }
    chain
}

/// Returns `true` if the file at `path` had this content at some time before a transaction. `before` is the
/// content that the transaction found, `earlier` the entries before it (oldest first).
pub fn was_before(
    path: &Path,
    content: Option<ContentHash>,
    mut before: Option<ContentHash>,
    earlier: &[Arc<PastEntry>],
) -> bool {
    let mut steps = earlier.iter().rev().filter(|entry| !entry.rescued);
    while content != before {
        let step = steps.find_map(|entry| entry.file_at(path).filter(|file| file.hash_after == before));
        match step {
            Some(file) if before.is_some() && file.path == path => before = file.hash_before,
            _ => return false,
        }
    }
    true
}

/// Returns the index of the newest of `entries` (oldest first) that left this content at this path.
pub fn step_to(entries: &[Arc<PastEntry>], path: &Path, content: Option<ContentHash>) -> Option<usize> {
    let left_it = |entry: &Arc<PastEntry>| {
        let file = entry.file_at(path).filter(|_| !entry.rescued);
        content.is_some() && file.is_some_and(|file| file.hash_after == content)
    };
    entries.iter().rposition(left_it)
}
