//! The documents that editors have open: the text that a person sees, kept in step with theirs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::text::{ContentHash, Position, PositionEncoding, Text};

use super::limits::{OPEN_BYTES, OPEN_DOCUMENTS};
use super::{FileKey, SessionId};

/// Names an open document: whose, and by which URI it is called there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId {
    /// The editor's session.
    pub session: SessionId,
    /// As the editor spells it.
    pub uri: String,
}

/// Why a document cannot be edited through its editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It has characters that some editors take for line ends and others do not, so places in it cannot be told.
    #[error("it has characters that editors do not agree on as line ends (a lone CR, VT, FF, NEL, LS or PS)")]
    LineEnds,
    /// A change of it made no sense, so the editor's text is not known any more.
    #[error("its editor and editd hold different texts; close it and open it again")]
    OutOfStep,
    /// Its editor shows it as something else than text, such as the cells of a notebook.
    #[error("its editor does not show it as text and may hold unsaved changes of it; save it there first")]
    NotText,
    /// It is larger than what is kept.
    #[error("it is too large")]
    TooLarge,
    /// Its editor has more open than what is kept.
    #[error("its editor has too many documents open")]
    TooMany,
}

/// What a document held when it was last known to be the same as the file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text then, as the editor has it.
    pub text: Text,
    /// What the file was then.
    pub disk: LastSeen,
}

/// What a file was when it was looked at beside an open document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastSeen {
    /// Nobody has looked yet.
    NotYet,
    /// Not there.
    Missing,
    /// A content.
    Content(ContentHash),
}

impl LastSeen {
    /// What somebody saw who looked.
    pub fn of(hash: Option<ContentHash>) -> Self {
        hash.map_or(Self::Missing, Self::Content)
    }
}

/// One open document.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Which.
    pub id: BufferId,
    /// The canonical path of its file.
    pub path: PathBuf,
    /// Its file, as it was when it was opened.
    pub key: FileKey,
    /// How its editor counts columns.
    pub encoding: PositionEncoding,
    /// What it holds. Cheap to clone.
    pub text: Text,
    /// The editor's number for that text.
    pub version: i32,
    /// What it held when it was last the same as the file.
    pub loaded: Option<Loaded>,
    /// Whether its editor says that it holds unsaved text; none if it never says.
    pub dirty: Option<bool>,
    /// Whether it was changed since it was opened, saved or known to be what is on the disk.
    pub touched: bool,
    /// When it last had the focus, as a number that grows; 0 for never.
    pub focused: u64,
    /// Why it cannot be edited.
    pub trouble: Option<Trouble>,
}

/// A replacement in a document, as an editor tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// From where to where; none for the whole text.
    pub range: Option<(Position, Position)>,
    /// The new text.
    pub text: String,
}

/// Somebody who waits for a document to hold a text.
struct Expectation {
    number: u64,
    id: BufferId,
    text: Text,
    reached: bool,
}

/// What is kept of one editor's documents.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    documents: usize,
    bytes: usize,
}

/// All open documents.
pub struct Buffers {
    by_id: HashMap<BufferId, Buffer>,
    by_path: HashMap<PathBuf, Vec<BufferId>>,
    /// How much each editor has.
    open_in: HashMap<SessionId, Load>,
    /// Bytes of the largest text that is kept.
    largest: usize,
    expectations: Vec<Expectation>,
    last_focus: u64,
    last_expectation: u64,
}

impl std::fmt::Debug for Buffers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffers").field("open", &self.by_id.len()).finish_non_exhaustive()
    }
}

impl Buffer {
    /// Whether nothing was typed since it was loaded or saved; none if that is not known.
    pub fn is_unchanged(&self) -> Option<bool> {
        self.dirty.map(|dirty| !dirty).or_else(|| self.loaded.as_ref().map(|loaded| loaded.text == self.text))
    }
}

impl Buffers {
    /// None yet. `largest` is the size of the largest text that is kept, in bytes.
    pub fn new(largest: u64) -> Self {
        Self {
            by_id: HashMap::new(),
            by_path: HashMap::new(),
            open_in: HashMap::new(),
            largest: usize::try_from(largest).unwrap_or(usize::MAX),
            expectations: Vec::new(),
            last_focus: 0,
            last_expectation: 0,
        }
    }

    /// A document was opened. Of one too many only that is kept, without its text: nobody changes it then.
    pub fn open(&mut self, mut buffer: Buffer) {
        self.close(&buffer.id);
        let load = self.open_in.entry(buffer.id.session).or_default();
        load.documents += 1;
        if load.documents > OPEN_DOCUMENTS || load.bytes + buffer.text.len_bytes() > OPEN_BYTES {
            buffer.give_up(Trouble::TooMany);
        } else if buffer.text.len_bytes() > self.largest {
            buffer.give_up(Trouble::TooLarge);
        }
        load.bytes += buffer.text.len_bytes();
        self.by_path.entry(buffer.path.clone()).or_default().push(buffer.id.clone());
        self.by_id.insert(buffer.id.clone(), buffer);
    }

    /// A document was closed.
    pub fn close(&mut self, id: &BufferId) -> Option<Buffer> {
        let buffer = self.by_id.remove(id)?;
        if let Some(load) = self.open_in.get_mut(&id.session) {
            load.documents -= 1;
            load.bytes = load.bytes.saturating_sub(buffer.text.len_bytes());
        }
        if let Some(of_path) = self.by_path.get_mut(&buffer.path) {
            of_path.retain(|other| other != id);
            if of_path.is_empty() {
                self.by_path.remove(&buffer.path);
            }
        }
        Some(buffer)
    }

    /// An editor is gone. Gives the paths of what it had open.
    pub fn close_all(&mut self, session: SessionId) -> Vec<PathBuf> {
        let of_session: Vec<_> = self.by_id.keys().filter(|id| id.session == session).cloned().collect();
        self.expectations.retain(|expectation| expectation.id.session != session);
        self.open_in.remove(&session);
        of_session.iter().filter_map(|id| Some(self.close(id)?.path)).collect()
    }

    /// A document was changed. What makes no sense leaves it out of step, until it is told whole again.
    pub fn change(&mut self, id: &BufferId, version: i32, changes: Vec<TextChange>) {
        let Some(buffer) = self.by_id.get_mut(id) else { return };
        let whole_at = changes.iter().rposition(|change| change.range.is_none());
        if version <= buffer.version && whole_at.is_none() {
            buffer.trouble = Some(Trouble::OutOfStep);
        }
        buffer.version = version;
        buffer.touched = true;
        // What its editor said was of the text before. That it held unsaved text stays true.
        buffer.dirty = buffer.dirty.filter(|dirty| *dirty);
        let before = buffer.text.len_bytes();
        for change in changes.into_iter().skip(whole_at.unwrap_or_default()) {
            buffer.take(&change, self.largest);
            let text = &buffer.text;
            for expectation in self.expectations.iter_mut().filter(|one| one.id == *id && !one.reached) {
                expectation.reached = expectation.text == *text;
            }
        }
        if let Some(load) = self.open_in.get_mut(&id.session) {
            load.bytes = load.bytes.saturating_sub(before) + buffer.text.len_bytes();
            if load.bytes > OPEN_BYTES {
                load.bytes -= buffer.text.len_bytes();
                buffer.give_up(Trouble::TooMany);
            }
        }
    }

    /// A document was changed, and nobody knows how: it is out of step, until it is told whole again.
    pub fn lose(&mut self, id: &BufferId) {
        if let Some(buffer) = self.by_id.get_mut(id) {
            buffer.trouble = Some(Trouble::OutOfStep);
            buffer.touched = true;
            buffer.dirty = buffer.dirty.filter(|dirty| *dirty);
        }
    }

    /// A document was saved: it is what it was loaded as, whatever that now is.
    pub fn save(&mut self, id: &BufferId) {
        if let Some(buffer) = self.by_id.get_mut(id) {
            buffer.loaded = Some(Loaded { text: buffer.text.clone(), disk: LastSeen::NotYet });
            buffer.dirty = buffer.dirty.map(|_| false);
            buffer.touched = false;
        }
    }

    /// Its editor says whether it holds unsaved text. What it says of an older text is old.
    pub fn set_dirty(&mut self, id: &BufferId, dirty: bool, version: i32) {
        if let Some(buffer) = self.by_id.get_mut(id).filter(|buffer| buffer.version <= version) {
            buffer.dirty = Some(dirty);
            buffer.touched &= dirty;
            let is_known = buffer.loaded.as_ref().is_some_and(|loaded| loaded.text == buffer.text);
            if !dirty && !is_known {
                // It was loaded anew.
                buffer.loaded = Some(Loaded { text: buffer.text.clone(), disk: LastSeen::NotYet });
            }
        }
    }

    /// A person looks at it.
    pub fn focus(&mut self, id: &BufferId) {
        self.last_focus += 1;
        if let Some(buffer) = self.by_id.get_mut(id) {
            buffer.focused = self.last_focus;
        }
    }

    /// A text that it held was found to be the file's.
    pub fn settle(&mut self, id: &BufferId, loaded: Loaded) {
        if let Some(buffer) = self.by_id.get_mut(id) {
            buffer.touched &= buffer.text != loaded.text;
            buffer.loaded = Some(loaded);
        }
    }

    /// The open documents of a file, by its path or as the same file under another name.
    pub fn of(&self, path: &Path, key: &FileKey) -> Vec<&Buffer> {
        let is_other_name = |buffer: &&Buffer| buffer.path != path && buffer.key == *key;
        let others = self.by_id.values().filter(is_other_name);
        let by_path = self.by_path.get(path).into_iter().flatten().filter_map(|id| self.by_id.get(id));
        // Only a file with several names can be open under another one.
        if matches!(key, FileKey::Inode { .. }) { by_path.chain(others).collect() } else { by_path.collect() }
    }

    /// One of them.
    pub fn get(&self, id: &BufferId) -> Option<&Buffer> {
        self.by_id.get(id)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Buffer> {
        self.by_id.values()
    }

    /// Begins to watch for a document to hold a text. Gives a number to ask by.
    pub fn expect(&mut self, id: BufferId, text: Text) -> u64 {
        self.last_expectation += 1;
        let number = self.last_expectation;
        self.expectations.push(Expectation { number, id, text, reached: false });
        number
    }

    /// Whether it has held it since.
    pub fn has_reached(&self, number: u64) -> bool {
        self.expectations.iter().any(|one| one.number == number && one.reached)
    }

    /// Stops to watch.
    pub fn forget(&mut self, number: u64) {
        self.expectations.retain(|one| one.number != number);
    }
}

impl Buffer {
    /// Its text is not kept any more.
    fn give_up(&mut self, trouble: Trouble) {
        self.trouble = Some(trouble);
        self.text = Text::default();
        self.loaded = None;
    }

    fn take(&mut self, change: &TextChange, largest: usize) {
        if self.trouble == Some(Trouble::TooMany) {
            return;
        }
        let Some((start, end)) = change.range else {
            if change.text.len() > largest {
                return self.give_up(Trouble::TooLarge);
            }
            self.trouble = has_odd_line_ends(&change.text).then_some(Trouble::LineEnds);
            self.text = Text::from(change.text.as_str());
            return;
        };
        if self.trouble == Some(Trouble::TooLarge) {
            return;
        }
        if self.text.len_bytes() + change.text.len() > largest {
            return self.give_up(Trouble::TooLarge);
        }
        let lines = self.text.line_count();
        // The line behind the last one is where some editors say that the text ends.
        let outside = start.line > lines || end.line > lines || end < start;
        if outside {
            self.trouble = Some(Trouble::OutOfStep);
        }
        if self.trouble.is_none() && has_odd_line_ends(&change.text) {
            self.trouble = Some(Trouble::LineEnds);
        }
        let range = self.text.byte_of(start, self.encoding)..self.text.byte_of(end, self.encoding);
        self.text.splice(range, &change.text);
    }
}

/// Whether there is a character that some editors count as a line end and others do not.
pub fn has_odd_line_ends(text: &str) -> bool {
    let odd = |byte: &u8| matches!(byte, b'\r' | 0x0b | 0x0c | 0xc2 | 0xe2);
    if !text.bytes().any(|byte| odd(&byte)) {
        return false;
    }
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let lone = character == '\r' && characters.peek() != Some(&'\n');
        if lone || matches!(character, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
