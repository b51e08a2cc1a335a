//! An undo that is shown before it is asked for.

use std::os::unix::ffi::OsStrExt;

use crate::daemon::answer;
use crate::daemon::commit::Due;
use crate::protocol::{AppliedFile, ApplyResult, FileEntry, LandedFile};
use crate::text::ContentHash;
use crate::workspace::history::PastEntry;

/// The state of what is only shown.
const PREVIEW: &str = "preview";

/// Names what would be done, so that it can be asked for to the byte.
pub(super) fn fingerprint(due: &[Due]) -> String {
    let hash = |hash: Option<ContentHash>| hash.map(|hash| *hash.as_bytes()).unwrap_or_default();
    let parts = due.iter().flat_map(|due| {
        let worked = &due.worked;
        let after = worked.content.as_ref().map_or(worked.file.hash_after, |content| Some(content.hash()));
        let path = worked.file.path.as_os_str().as_bytes();
        [path.to_vec(), vec![0], hash(worked.file.hash_before).to_vec(), hash(after).to_vec()]
    });
    let parts: Vec<Vec<u8>> = parts.collect();
    ContentHash::of_chunks(parts.iter().map(Vec::as_slice)).to_string()
}

/// The answer that shows what would be done.
pub(super) fn shown_only(entry: &PastEntry, due: &[Due], fingerprint: String) -> ApplyResult {
    let file = |due: &Due| {
        let mut file = due.worked.file.clone();
        file.hash_after = due.worked.content.as_ref().map_or(file.hash_after, |content| Some(content.hash()));
        file
    };
    let files: Vec<_> = due.iter().map(file).collect();
    let rebased = files.iter().map(|file| file.rebased);
    let entries = answer::entries(&files, &|_| "pending");
    let shown = |(entry, rebased): (FileEntry, bool)| {
        let (hash, source) = (entry.hash_before.clone(), "disk".to_owned());
        let snippet = String::new();
        let landed = LandedFile { hash, mtime: None, source, saved: false, snippet, rebased };
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
