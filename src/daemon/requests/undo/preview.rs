//! Previews of an undo.

use std::os::unix::ffi::OsStrExt;

use crate::daemon::answer;
use crate::daemon::change::commit::PendingWrite;
use crate::protocol::{AppliedFile, ApplyResult, ChangedState, FileEntry};
use crate::text::ContentHash;
use crate::workspace::history::PastEntry;

/// The `state` of a preview.
const PREVIEW: &str = "preview";

/// Returns a fingerprint of the changes, with which a client can request exactly the undo of a preview.
pub(super) fn fingerprint(writes: &[PendingWrite]) -> String {
    let hash = |hash: Option<ContentHash>| hash.map(|hash| *hash.as_bytes()).unwrap_or_default();
    let parts = writes.iter().flat_map(|write| {
        let computed = &write.computed;
        let after =
            computed.content.as_ref().map_or(computed.file.hash_after, |content| Some(content.hash()));
        let path = computed.file.path.as_os_str().as_bytes();
        [path.to_vec(), vec![0], hash(computed.file.hash_before).to_vec(), hash(after).to_vec()]
    });
    let parts: Vec<Vec<u8>> = parts.collect();
    ContentHash::of_chunks(parts.iter().map(Vec::as_slice)).to_string()
}

/// Returns the answer of a preview.
pub(super) fn preview_result(entry: &PastEntry, writes: &[PendingWrite], fingerprint: String) -> ApplyResult {
    let file = |write: &PendingWrite| {
        let mut file = write.computed.file.clone();
        file.hash_after =
            write.computed.content.as_ref().map_or(file.hash_after, |content| Some(content.hash()));
        file
    };
    let files: Vec<_> = writes.iter().map(file).collect();
    let rebased = files.iter().map(|file| file.rebased);
    let entries = answer::entries(&files, &|_| "pending");
    let shown = |(entry, rebased): (FileEntry, bool)| {
        let (hash, source) = (entry.hash_before.clone(), "disk".to_owned());
        let snippet = String::new();
        let landed = ChangedState { hash, mtime: None, source, saved: false, snippet, rebased };
        AppliedFile { entry, landed: Some(landed) }
    };
    ApplyResult {
        id: String::new(),
        revision: 0,
        state: PREVIEW.to_owned(),
        transaction: None,
        undoes: Some(entry.id.to_string()),
        fingerprint: Some(fingerprint),
        files: entries.into_iter().zip(rebased).map(shown).collect(),
        diagnostics: None,
        user_edits: Vec::new(),
        comments: Vec::new(),
        reason: None,
    }
}
