//! A file's open documents in editors, and which text is the truth.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::disk::Target;
use crate::edit::{self, Deadline};
use crate::text::{ContentHash, EolStyle, Format, Text, eol_style, eq_folded, fold_line_ends};
use crate::workspace::buffers::{Buffer, LastSeen, Loaded, Trouble};
use crate::workspace::{Contest, EditorRefusal, FileKey, RefusalKind, Snapshot, Truth};

use super::Core;
use super::editors::{DocumentEvent, EditorsEvent};
use super::observe::Observed;

/// How an open document stands to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is what is on the disk, line ends aside.
    Same,
    /// It has unsaved text.
    Unsaved,
    /// The disk has changed, and nothing was typed since.
    Outdated,
    /// Both have changed since they were the same.
    Both,
    /// Its text is not known.
    Unknown,
}

/// An open document of a file.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) buffer: Buffer,
    pub(crate) standing: Standing,
}

/// All open documents of a file; at least one.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    all: Vec<Copy>,
    /// Index of the one that edits go through.
    owner: usize,
}

impl Copies {
    fn new(mut all: Vec<Copy>) -> Option<Self> {
        // Unsaved text before everything, then the one that a person last looked at.
        let rank = |copy: &Copy| (copy.holds_unsaved(), copy.standing == Standing::Same, copy.buffer.focused);
        all.sort_by(|a, b| a.buffer.id.cmp(&b.buffer.id));
        let owner = (0..all.len()).max_by_key(|index| rank(&all[*index]))?;
        Some(Self { all, owner })
    }

    /// The document that edits go through.
    pub(crate) fn owner(&self) -> &Copy {
        &self.all[self.owner]
    }

    /// One whose text is not known, unless its editor says that it holds nothing unsaved.
    pub(crate) fn unknown(&self) -> Option<&Copy> {
        let may_hold_more =
            |copy: &&Copy| copy.standing == Standing::Unknown && copy.buffer.dirty != Some(false);
        self.all.iter().find(may_hold_more)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Copy> {
        self.all.iter()
    }

    /// Whether one holds unsaved changes that are no text.
    pub(crate) fn holds_other_than_text(&self) -> bool {
        self.unknown().is_some_and(|copy| copy.buffer.trouble == Some(Trouble::NotText))
    }

    /// Why it cannot be told what the file is.
    pub(crate) fn contest(&self) -> Option<Contest> {
        let mut unsaved = self.all.iter().filter(|copy| copy.holds_unsaved());
        let first = unsaved.next();
        let differ = |a: &Copy, b: &Copy| !eq_folded(&a.buffer.text, &b.buffer.text.to_string());
        if let Some(first) = first
            && unsaved.any(|other| differ(first, other))
        {
            return Some(Contest::TwoEditors);
        }
        match self.owner().standing {
            Standing::Both => Some(Contest::BufferAndDisk),
            Standing::Outdated => Some(Contest::EditorOutdated),
            Standing::Same | Standing::Unsaved | Standing::Unknown => None,
        }
    }
}

impl Copy {
    /// Whether the disk can be written below it: there is nothing in it that is not there.
    pub(crate) fn is_clean(&self) -> bool {
        let saved = self.buffer.trouble == Some(Trouble::NotText) && self.buffer.dirty == Some(false);
        saved || self.standing == Standing::Same
    }

    /// Whether its text is more than what is on the disk.
    pub(crate) fn holds_unsaved(&self) -> bool {
        matches!(self.standing, Standing::Unsaved | Standing::Both)
    }
}

impl Core {
    /// Whether an editor has a file open.
    pub(crate) fn is_open(&self, target: &Target) -> bool {
        !self.open_buffers(target).is_empty()
    }

    fn open_buffers(&self, target: &Target) -> Vec<Buffer> {
        let open = |path: PathBuf| {
            let key = target.key.clone();
            self.ask_editors(|reply| EditorsEvent::OpenCopies { path, key, reply }).unwrap_or_default()
        };
        let mut found = open(target.path.clone());
        if let FileKey::Inode { device, inode } = target.key {
            // It may have got a second name after it was opened by its first.
            let paths = self.ask_editors(|reply| EditorsEvent::OpenPaths { reply }).unwrap_or_default();
            let is_it = |path: &PathBuf| {
                std::fs::metadata(path).is_ok_and(|stat| (stat.dev(), stat.ino()) == (device, inode))
            };
            found.extend(paths.into_iter().filter(is_it).flat_map(open));
            found.sort_by(|a, b| a.id.cmp(&b.id));
            found.dedup_by(|a, b| a.id == b.id);
        }
        found
    }

    /// The open documents of a file that was just read from the disk.
    pub(crate) fn copies(&self, disk: &Observed) -> Option<Copies> {
        let buffers = self.open_buffers(&disk.target);
        if buffers.is_empty() {
            return None;
        }
        let stand = |buffer: Buffer| {
            let standing = standing(&buffer, disk);
            if standing == Standing::Same {
                self.settle(&buffer, disk.truth.hash());
            }
            Copy { buffer, standing }
        };
        Copies::new(buffers.into_iter().map(stand).collect())
    }

    /// Notes that a document was the same as its file.
    fn settle(&self, buffer: &Buffer, disk: Option<ContentHash>) {
        let disk = LastSeen::of(disk);
        let is_known = |loaded: &Loaded| loaded.disk == disk && loaded.text == buffer.text;
        if !buffer.loaded.as_ref().is_some_and(is_known) {
            let loaded = Loaded { text: buffer.text.clone(), disk };
            self.document(DocumentEvent::Settled { id: buffer.id.clone(), loaded });
        }
    }

    /// The names of the editors that hold documents.
    pub(crate) fn editors(&self, copies: &Copies, which: impl Fn(&Copy) -> bool) -> Vec<String> {
        copies.iter().filter(|copy| which(copy)).map(|copy| self.editor_name(copy)).collect()
    }

    pub(crate) fn editor_name(&self, copy: &Copy) -> String {
        let session = copy.buffer.id.session;
        self.editor(session).map_or_else(|| "an editor".to_owned(), |editor| editor.name)
    }

    /// The refusal for a file of which it cannot be told what it is.
    pub(crate) fn contested(&self, copies: &Copies, reason: Contest) -> RefusalKind {
        let editors = match reason {
            Contest::TwoEditors => self.editors(copies, Copy::holds_unsaved),
            _ => vec![self.editor_name(copies.owner())],
        };
        RefusalKind::Editor(EditorRefusal::Contested { reason, editors })
    }
}

fn standing(buffer: &Buffer, disk: &Observed) -> Standing {
    if buffer.trouble.is_some_and(|trouble| trouble != Trouble::LineEnds) {
        return Standing::Unknown;
    }
    let same = match (&disk.truth, &disk.text) {
        (Truth::Text(_), Some(text)) => eq_folded(&buffer.text, text),
        // Editors show a file that is not there yet as an empty one.
        (Truth::Missing, _) => buffer.text.len_bytes() <= 2 && buffer.text.to_string().trim().is_empty(),
        _ => return Standing::Unknown,
    };
    if same {
        return Standing::Same;
    }
    if buffer.is_unchanged() == Some(true) {
        return Standing::Outdated;
    }
    // What it was the last time that both were the same; nothing, if they never were.
    let common = buffer.loaded.as_ref().map_or(LastSeen::NotYet, |loaded| loaded.disk);
    if common == LastSeen::NotYet || common == LastSeen::of(disk.truth.hash()) {
        Standing::Unsaved
    } else {
        Standing::Both
    }
}

/// The text of an open document as its file would hold it when it is saved: in the file's encoding, and with
/// its line ends where lines are still the same.
pub(crate) fn as_written(text: &Text, disk: &Observed, deadline: Deadline) -> (Snapshot, String) {
    let shown = text.to_string();
    let (format, written) = match (disk.truth.snapshot(), &disk.text) {
        (Some(snapshot), Some(present)) => {
            let folded = fold_line_ends(&shown);
            let written = if eol_style(present) == EolStyle::None {
                // The file has no line ends yet that the editor's could be taken for.
                shown.clone()
            } else if folded == **present {
                folded.into_owned()
            } else {
                let plan = edit::rewrite(present, &folded, false, deadline);
                plan.map_or_else(|_| folded.into_owned(), |plan| plan.apply(present))
            };
            (snapshot.format, written)
        }
        _ => (Format::UTF8, shown),
    };
    // What its encoding does not have cannot be written at all; it is refused when somebody wants to.
    let bytes = format.encode(&written).unwrap_or_else(|_| written.as_bytes().into());
    let (hash, size) = (ContentHash::of(&bytes), bytes.len() as u64);
    let rope = if text.eq_str(&written) { text.clone() } else { Text::from(written.as_str()) };
    (Snapshot { hash, text: rope, format, size }, written)
}
