use std::path::Path;
use std::sync::Arc;

use crate::text::ContentHash;

use super::{PastAction, PastEntry, PastFile};

/// The edits of the file at `path` in `later` (oldest first) that follow one from the other, beginning at a
/// content: each with what it did to the file. Ends where anything else happened to the file.
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

/// The newest of `entries` (oldest first) that left this content at this path: its place among them.
pub fn step_to(entries: &[Arc<PastEntry>], path: &Path, content: Option<ContentHash>) -> Option<usize> {
    let left_it = |entry: &Arc<PastEntry>| {
        let file = entry.file_at(path).filter(|_| !entry.rescued);
        content.is_some() && file.is_some_and(|file| file.hash_after == content)
    };
    entries.iter().rposition(left_it)
}
