//! The open documents of a file in editors, and the decision which text is current.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::engine::files::observe::Observed;
use editd_disk::Target;
use editd_edit::{Deadline, rewrite};
use editd_text::{ContentHash, EolStyle, Format, Text, eol_style, eq_ignoring_crlf, normalize_line_endings};
use editd_workspace::buffers::{BlockedReason, Buffer, LastObserved, Loaded};
use editd_workspace::{Contest, DocumentEvent, EditorRefusal, FileContent, FileKey, RefusalKind, Snapshot};

/// The sync state of an open document: how its text relates to the file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncState {
    /// The text equals the file on disk, except for line endings.
    Same,
    /// The document has unsaved text.
    Unsaved,
    /// The file has changed on disk, and the document has no unsaved text.
    Outdated,
    /// Both have changed since they were equal.
    Both,
    /// The text of the document is not known.
    Unknown,
}

/// An open document of a file.
#[derive(Clone, Debug)]
pub(crate) struct OpenDocument {
    pub(crate) buffer: Buffer,
    pub(crate) sync_state: SyncState,
}

/// All open documents of a file. There is at least one.
#[derive(Clone, Debug)]
pub(crate) struct OpenDocuments {
    pub(crate) all: Vec<OpenDocument>,
    /// Index of the document through which the file is edited.
    owner: usize,
}

impl OpenDocuments {
    fn new(mut all: Vec<OpenDocument>) -> Option<Self> {
        // Prefer a document with unsaved text, then one that equals the disk, then the last focused one.
        let rank = |document: &OpenDocument| {
            (document.holds_unsaved(), document.sync_state == SyncState::Same, document.buffer.focused)
        };
        all.sort_by(|a, b| a.buffer.id.cmp(&b.buffer.id));
        let owner = (0..all.len()).max_by_key(|index| rank(&all[*index]))?;
        Some(Self { all, owner })
    }

    /// Returns the document through which the file is edited.
    pub(crate) fn owner(&self) -> &OpenDocument {
        &self.all[self.owner]
    }

    /// Returns a document whose text is not known, unless its editor reports that it has no unsaved text.
    pub(crate) fn unknown(&self) -> Option<&OpenDocument> {
        let may_be_unsaved = |document: &&OpenDocument| {
            document.sync_state == SyncState::Unknown && document.buffer.dirty != Some(false)
        };
        self.all.iter().find(may_be_unsaved)
    }

    /// Returns `true` if a document has unsaved changes that are not text.
    pub(crate) fn holds_unsaved_non_text(&self) -> bool {
        self.unknown().is_some_and(|document| document.buffer.blocked_reason == Some(BlockedReason::NotText))
    }

    /// Returns the contradiction between the texts, if it is ambiguous which one is current.
    pub(crate) fn contest(&self) -> Option<Contest> {
        let mut unsaved = self.all.iter().filter(|document| document.holds_unsaved());
        let first = unsaved.next();
        let differ = |a: &OpenDocument, b: &OpenDocument| {
            !eq_ignoring_crlf(&a.buffer.text, &b.buffer.text.to_string())
        };
        if let Some(first) = first
            && unsaved.any(|other| differ(first, other))
        {
            return Some(Contest::TwoEditors);
        }
        match self.owner().sync_state {
            SyncState::Both => Some(Contest::BufferAndDisk),
            SyncState::Outdated => Some(Contest::EditorOutdated),
            SyncState::Same | SyncState::Unsaved | SyncState::Unknown => None,
        }
    }
}

impl OpenDocument {
    /// Returns `true` if the file can be changed on disk, because the document has no unsaved content.
    pub(crate) fn is_clean(&self) -> bool {
        let is_saved_non_text =
            self.buffer.blocked_reason == Some(BlockedReason::NotText) && self.buffer.dirty == Some(false);
        is_saved_non_text || self.sync_state == SyncState::Same
    }

    /// Returns `true` if the document has unsaved text.
    pub(crate) fn holds_unsaved(&self) -> bool {
        matches!(self.sync_state, SyncState::Unsaved | SyncState::Both)
    }
}

impl Engine {
    /// Returns `true` if an editor has the file open.
    pub(crate) fn is_open(&self, target: &Target) -> bool {
        !self.open_buffers(target).is_empty()
    }

    fn open_buffers(&self, target: &Target) -> Vec<Buffer> {
        if !self.workspace.has_open_documents() {
            return Vec::new();
        }
        let open = |path: &Path| -> Vec<Buffer> {
            self.workspace.update(|w| w.buffers.of(path, &target.key).into_iter().cloned().collect())
        };
        let mut found = open(&target.path);
        if let FileKey::Inode { device, inode } = target.key {
            // The file may have got a second name after an editor opened it by its first one.
            let paths: Vec<_> =
                self.workspace.update(|w| w.buffers.all().map(|buffer| buffer.path.clone()).collect());
            let is_it = |path: &PathBuf| {
                std::fs::metadata(path).is_ok_and(|stat| (stat.dev(), stat.ino()) == (device, inode))
            };
            found.extend(paths.into_iter().filter(is_it).flat_map(|path| open(&path)));
            found.sort_by(|a, b| a.id.cmp(&b.id));
            found.dedup_by(|a, b| a.id == b.id);
        }
        found
    }

    /// Returns the open documents of a file that was just read from disk.
    pub(crate) fn open_documents(&self, disk: &Observed) -> Option<OpenDocuments> {
        let buffers = self.open_buffers(&disk.target);
        if buffers.is_empty() {
            return None;
        }
        let compare = |buffer: Buffer| {
            let sync_state = sync_state(&buffer, disk);
            if sync_state == SyncState::Same {
                self.record_same(&buffer, disk.content.hash());
            }
            OpenDocument { buffer, sync_state }
        };
        OpenDocuments::new(buffers.into_iter().map(compare).collect())
    }

    /// Records that a document equals its file on disk.
    fn record_same(&self, buffer: &Buffer, disk: Option<ContentHash>) {
        let disk = LastObserved::of(disk);
        let is_known = |loaded: &Loaded| loaded.disk == disk && loaded.text == buffer.text;
        if !buffer.loaded.as_ref().is_some_and(is_known) {
            let loaded = Loaded { text: buffer.text.clone(), disk };
            let settled = DocumentEvent::Settled(loaded);
            self.workspace.update(|w| w.update_document(&buffer.id, settled));
        }
    }

    pub(crate) fn editor_name(&self, document: &OpenDocument) -> String {
        let session = document.buffer.id.session;
        self.editor(session).map_or_else(|| "an editor".to_owned(), |editor| editor.name)
    }

    /// Returns the refusal for a file whose current content is ambiguous.
    pub(crate) fn contested(&self, open_documents: &OpenDocuments, reason: Contest) -> RefusalKind {
        let editors = match reason {
            Contest::TwoEditors => {
                let unsaved = open_documents.all.iter().filter(|document| document.holds_unsaved());
                unsaved.map(|document| self.editor_name(document)).collect()
            }
            _ => vec![self.editor_name(open_documents.owner())],
        };
        RefusalKind::Editor(EditorRefusal::Contested { reason, editors })
    }
}

fn sync_state(buffer: &Buffer, disk: &Observed) -> SyncState {
    if buffer.blocked_reason.is_some_and(|blocked_reason| blocked_reason != BlockedReason::LineEnds) {
        return SyncState::Unknown;
    }
    let same = match (&disk.content, &disk.text) {
        (FileContent::Text(_), Some(text)) => eq_ignoring_crlf(&buffer.text, text),
        // Editors show a file that does not exist yet as an empty document.
        (FileContent::Missing, _) => {
            buffer.text.len_bytes() <= 2 && buffer.text.to_string().trim().is_empty()
        }
        _ => return SyncState::Unknown,
    };
    if same {
        return SyncState::Same;
    }
    if buffer.is_unchanged() == Some(true) {
        return SyncState::Outdated;
    }
    // The content on disk when both were last equal; `NotYet` if they never were.
    let last_common = buffer.loaded.as_ref().map_or(LastObserved::NotYet, |loaded| loaded.disk);
    if last_common == LastObserved::NotYet || last_common == LastObserved::of(disk.content.hash()) {
        SyncState::Unsaved
    } else {
        SyncState::Both
    }
}

/// Returns the text of an open document as a save would write it: in the encoding of the file, and with the
/// line endings of the file on unchanged lines.
pub(crate) fn as_written(text: &Text, disk: &Observed, deadline: Deadline) -> (Snapshot, String) {
    let shown = text.to_string();
    let (format, written) = match (disk.content.snapshot(), &disk.text) {
        (Some(snapshot), Some(present)) => {
            let folded = normalize_line_endings(&shown);
            let written = if eol_style(present) == EolStyle::None {
                // The file has no line endings yet, so those of the editor stay.
                shown.clone()
            } else if folded == **present {
                folded.into_owned()
            } else {
                let plan = rewrite(present, &folded, false, deadline);
                plan.map_or_else(|_| folded.into_owned(), |plan| plan.apply(present))
            };
            (snapshot.format, written)
        }
        _ => (Format::UTF8, shown),
    };
    // Characters that the encoding lacks cannot be written. A change of the file is refused later.
    let bytes = format.encode(&written).unwrap_or_else(|_| written.as_bytes().into());
    let (hash, size) = (ContentHash::of(&bytes), bytes.len() as u64);
    let rope = if text.eq_str(&written) { text.clone() } else { Text::from(written.as_str()) };
    (Snapshot { hash, text: rope, format, size }, written)
}
