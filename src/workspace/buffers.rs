//! Documents that are open in editors, synchronized with the text the user sees.

mod mark;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use editd_text::{ContentHash, Position, PositionEncoding, Text};

use super::files::FileKey;
use super::limits::{OPEN_BYTES, OPEN_DOCUMENTS};
use super::session::SessionId;

pub use mark::Mark;

/// Identifies an open document by its editor session and URI.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId {
    /// The editor's session.
    pub session: SessionId,
    /// The URI as the editor spells it.
    pub uri: String,
}

/// The reason why a document cannot be edited through its editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockedReason {
    /// Contains characters that only some editors treat as line breaks, so positions in it are ambiguous.
    #[error(
        "it contains characters that only some editors treat as line breaks (a lone CR, VT, FF, NEL, LS or PS)"
    )]
    LineEnds,
    /// An invalid change was received, so the editor's text is no longer known.
    #[error("its editor and editd hold different texts; close it and open it again")]
    OutOfStep,
    /// Not shown as text by its editor, but for instance as the cells of a notebook.
    #[error("its editor does not show it as text and may hold unsaved changes; save it there first")]
    NotText,
    /// Exceeds the size limit.
    #[error("it is too large")]
    TooLarge,
    /// Opened by an editor that has more documents open than are tracked.
    #[error("its editor has too many documents open")]
    TooMany,
}

/// The content of a document when it last matched the file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text at that time, as the editor has it.
    pub text: Text,
    /// The state of the file at that time.
    pub disk: LastObserved,
}

/// The state of a file when it was last compared with an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastObserved {
    /// Not compared yet.
    NotYet,
    /// The file did not exist.
    Missing,
    /// The file had the content with this hash.
    Content(ContentHash),
}

impl LastObserved {
    /// Returns the state for an observed hash; `None` means that the file is missing.
    pub fn of(hash: Option<ContentHash>) -> Self {
        hash.map_or(Self::Missing, Self::Content)
    }
}

/// An open document.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Id of the document.
    pub id: BufferId,
    /// Canonical path of the file.
    pub path: PathBuf,
    /// Key of the file when the document was opened.
    pub key: FileKey,
    /// Column encoding of the editor.
    pub encoding: PositionEncoding,
    /// Current text, without the mark that the editor keeps. Cheap to clone.
    pub text: Text,
    /// The byte order mark, if the editor keeps it in its text.
    pub mark: Mark,
    /// The editor's version of the text.
    pub version: i32,
    /// The content when it last matched the file.
    pub loaded: Option<Loaded>,
    /// The editor's report about unsaved text: `true` if it holds some, `None` if it never reports that.
    pub dirty: Option<bool>,
    /// `true` if it was changed since it was opened, saved or last found equal to the file.
    pub touched: bool,
    /// Sequence number of the last time it had the focus; 0 if it never had.
    pub focused: u64,
    /// The selection when it last had the focus, from its start to its end; empty at the cursor.
    pub selection: Option<(Position, Position)>,
    /// The reason why it cannot be edited, if any.
    pub blocked_reason: Option<BlockedReason>,
}

/// A change of a document, as reported by an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// The replaced range; `None` for the whole text.
    pub range: Option<(Position, Position)>,
    /// The new text.
    pub text: String,
}

/// A registered wait for a document to hold a given text.
#[derive(Debug)]
struct Expectation {
    number: u64,
    id: BufferId,
    text: Text,
    reached: bool,
}

/// Size of one editor's tracked documents.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    documents: usize,
    bytes: usize,
}

/// All open documents.
#[derive(Debug, Default)]
pub struct Buffers {
    by_id: HashMap<BufferId, Buffer>,
    by_path: HashMap<PathBuf, Vec<BufferId>>,
    /// Size of the open documents, by session.
    open_in: HashMap<SessionId, Usage>,
    /// Maximum size of a text, in bytes.
    largest: usize,
    expectations: Vec<Expectation>,
    last_focus: u64,
    /// Number of times that a document was opened, closed or focused.
    revision: u64,
    last_expectation: u64,
}

impl Buffer {
    /// Returns `true` if nothing was typed since the document was loaded or saved, or `None` if that is
    /// unknown.
    pub fn is_unchanged(&self) -> Option<bool> {
        self.dirty.map(|dirty| !dirty).or_else(|| self.loaded.as_ref().map(|loaded| loaded.text == self.text))
    }
}

impl Buffers {
    /// Creates an empty set. `largest` is the maximum size of a text, in bytes.
    pub fn new(largest: u64) -> Self {
        Self { largest: usize::try_from(largest).unwrap_or(usize::MAX), ..Self::default() }
    }

    /// Adds an opened document. A document beyond the limits is tracked without its text and blocked for
    /// edits.
    pub fn open(&mut self, mut buffer: Buffer) {
        self.close(&buffer.id);
        let usage = self.open_in.entry(buffer.id.session).or_default();
        usage.documents += 1;
        if usage.documents > OPEN_DOCUMENTS || usage.bytes + buffer.text.len_bytes() > OPEN_BYTES {
            buffer.block(BlockedReason::TooMany);
        } else if buffer.text.len_bytes() > self.largest {
            buffer.block(BlockedReason::TooLarge);
        }
        usage.bytes += buffer.text.len_bytes();
        self.by_path.entry(buffer.path.clone()).or_default().push(buffer.id.clone());
        self.by_id.insert(buffer.id.clone(), buffer);
        self.revision += 1;
    }

    /// Removes a closed document.
    pub fn close(&mut self, id: &BufferId) -> Option<Buffer> {
        let buffer = self.by_id.remove(id)?;
        self.revision += 1;
        if let Some(usage) = self.open_in.get_mut(&id.session) {
            usage.documents -= 1;
            usage.bytes = usage.bytes.saturating_sub(buffer.text.len_bytes());
        }
        if let Some(of_path) = self.by_path.get_mut(&buffer.path) {
            of_path.retain(|other| other != id);
            if of_path.is_empty() {
                self.by_path.remove(&buffer.path);
            }
        }
        Some(buffer)
    }

    /// Removes all documents of an editor.
    pub fn close_all(&mut self, session: SessionId) {
        let of_session: Vec<_> = self.by_id.keys().filter(|id| id.session == session).cloned().collect();
        self.expectations.retain(|expectation| expectation.id.session != session);
        self.open_in.remove(&session);
        for id in &of_session {
            self.close(id);
        }
    }

    /// Applies changes of a document. An invalid change marks it as out of step until its full text is
    /// received.
    pub fn change(&mut self, id: &BufferId, version: i32, changes: Vec<TextChange>) {
        let Some(buffer) = self.by_id.get_mut(id) else { return };
        let whole_at = changes.iter().rposition(|change| change.range.is_none());
        if version <= buffer.version && whole_at.is_none() {
            buffer.blocked_reason = Some(BlockedReason::OutOfStep);
        }
        buffer.version = version;
        buffer.touch();
        let before = buffer.text.len_bytes();
        for change in changes.into_iter().skip(whole_at.unwrap_or_default()) {
            buffer.apply(&change, self.largest);
            for expectation in self.expectations.iter_mut().filter(|one| one.id == *id && !one.reached) {
                expectation.reached = expectation.text == buffer.text;
            }
        }
        if let Some(usage) = self.open_in.get_mut(&id.session) {
            usage.bytes = usage.bytes.saturating_sub(before) + buffer.text.len_bytes();
            if usage.bytes > OPEN_BYTES {
                usage.bytes -= buffer.text.len_bytes();
                buffer.block(BlockedReason::TooMany);
            }
        }
    }

    /// Records that the document received the focus, or has it with another selection.
    pub fn focus(&mut self, id: &BufferId, selection: Option<(Position, Position)>) {
        self.last_focus += 1;
        self.revision += 1;
        if let Some(buffer) = self.by_id.get_mut(id) {
            (buffer.focused, buffer.selection) = (self.last_focus, selection);
        }
    }

    /// Returns a number that grows whenever a document is opened, closed or focused.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns `true` if no other document had the focus since this one had it.
    pub fn is_focused(&self, buffer: &Buffer) -> bool {
        buffer.focused > 0 && buffer.focused == self.last_focus
    }

    /// Returns the open documents of a file, by its path or, for hard links, by its inode.
    pub fn of(&self, path: &Path, key: &FileKey) -> Vec<&Buffer> {
        let is_other_name = |buffer: &&Buffer| buffer.path != path && buffer.key == *key;
        let others = self.by_id.values().filter(is_other_name);
        let by_path = self.by_path.get(path).into_iter().flatten().filter_map(|id| self.by_id.get(id));
        // Only a file with several names can be open under another one.
        if matches!(key, FileKey::Inode { .. }) { by_path.chain(others).collect() } else { by_path.collect() }
    }

    /// Returns the document with that id.
    pub fn get(&self, id: &BufferId) -> Option<&Buffer> {
        self.by_id.get(id)
    }

    /// Returns the document with that id, to record an event of it.
    pub fn get_mut(&mut self, id: &BufferId) -> Option<&mut Buffer> {
        self.by_id.get_mut(id)
    }

    /// Returns all open documents.
    pub fn all(&self) -> impl Iterator<Item = &Buffer> {
        self.by_id.values()
    }

    /// Starts to watch for a document to hold a text. Returns the number of the watch.
    pub fn expect(&mut self, id: BufferId, text: Text) -> u64 {
        self.last_expectation += 1;
        let number = self.last_expectation;
        self.expectations.push(Expectation { number, id, text, reached: false });
        number
    }

    /// Returns `true` if the document has held the expected text since [`expect`](Self::expect).
    pub fn has_reached(&self, number: u64) -> bool {
        self.expectations.iter().any(|one| one.number == number && one.reached)
    }

    /// Ends a watch.
    pub fn forget(&mut self, number: u64) {
        self.expectations.retain(|one| one.number != number);
    }
}

impl Buffer {
    /// Marks the document as out of step after an unreadable change, until its full text is received.
    pub fn lose(&mut self) {
        self.blocked_reason = Some(BlockedReason::OutOfStep);
        self.touch();
    }

    /// Records that the document was saved. Its text now counts as loaded; the file is compared later.
    pub fn save(&mut self) {
        self.loaded = Some(Loaded { text: self.text.clone(), disk: LastObserved::NotYet });
        self.dirty = self.dirty.map(|_| false);
        self.touched = false;
    }

    /// Records whether the editor reports unsaved text. Ignores reports about an older text.
    pub fn set_dirty(&mut self, dirty: bool, version: i32) {
        if self.version > version {
            return;
        }
        self.dirty = Some(dirty);
        self.touched &= dirty;
        let is_known = self.loaded.as_ref().is_some_and(|loaded| loaded.text == self.text);
        if !dirty && !is_known {
            // The editor reloaded the document.
            self.loaded = Some(Loaded { text: self.text.clone(), disk: LastObserved::NotYet });
        }
    }

    /// Records that a text of the document was found equal to the file.
    pub fn settle(&mut self, loaded: Loaded) {
        self.touched &= self.text != loaded.text;
        self.loaded = Some(loaded);
    }

    /// Records that the text was changed.
    fn touch(&mut self) {
        self.touched = true;
        // The editor's reports were about the previous text. A report of unsaved text remains true.
        self.dirty = self.dirty.filter(|dirty| *dirty);
    }

    /// Blocks the document and drops its text.
    fn block(&mut self, blocked_reason: BlockedReason) {
        self.blocked_reason = Some(blocked_reason);
        self.text = Text::default();
        self.loaded = None;
    }

    fn apply(&mut self, change: &TextChange, largest: usize) {
        if self.blocked_reason == Some(BlockedReason::TooMany) {
            return;
        }
        let Some(range @ (start, end)) = change.range else {
            if change.text.len() > largest {
                return self.block(BlockedReason::TooLarge);
            }
            self.blocked_reason = has_ambiguous_line_breaks(&change.text).then_some(BlockedReason::LineEnds);
            let (mark, text) = Mark::split(&change.text, self.mark.in_content());
            (self.mark, self.text) = (mark, Text::from(text));
            return;
        };
        if self.blocked_reason == Some(BlockedReason::TooLarge) {
            return;
        }
        if self.text.len_bytes() + change.text.len() > largest {
            return self.block(BlockedReason::TooLarge);
        }
        let lines = self.text.line_count();
        // Some editors report the end of the text as the line after the last one.
        let outside = start.line > lines || end.line > lines || end < start;
        if outside {
            self.blocked_reason = Some(BlockedReason::OutOfStep);
        }
        if self.blocked_reason.is_none() && has_ambiguous_line_breaks(&change.text) {
            self.blocked_reason = Some(BlockedReason::LineEnds);
        }
        self.splice(range, change);
    }
}

/// Returns `true` if the text contains a character that only some editors treat as a line break.
pub fn has_ambiguous_line_breaks(text: &str) -> bool {
    // Most texts contain none of these bytes.
    let is_odd = |byte| matches!(byte, b'\r' | 0x0b | 0x0c | 0xc2 | 0xe2);
    text.bytes().any(is_odd)
        && (text.contains(['\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
            || text.split('\r').skip(1).any(|after| !after.starts_with('\n')))
}

#[cfg(test)]
mod tests;
