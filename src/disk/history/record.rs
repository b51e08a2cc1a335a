//! Serialized form of entries.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::run_record::{PathChangeRecord, RunRecord};
use super::segment::SMALL;
use crate::FileBytes;
use editd_edit::{Hunk, Plan, Splice, Spot, UndoPlan};
use editd_text::{ContentHash, Encoding, Format};
use editd_workspace::history::{Back, Origin, PastAction, PastDetail, PastEntry, PastFile};

/// A path: text if it is valid UTF-8, otherwise its bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathRecord {
    /// Valid UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

/// Start and end in bytes, and the text in their place.
pub(super) type SpliceRecord = (usize, usize, String);

/// A complete entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EntryRecord {
    head: HeadRecord,
    details: Vec<DetailRecord>,
}

/// The part of an entry that the index needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HeadOnly {
    head: HeadRecord,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadRecord {
    id: String,
    at: Timestamp,
    author: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "OriginRecord::is_empty")]
    origin: OriginRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rescued: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunRecord>,
    files: Vec<FileRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paths: Vec<PathChangeRecord>,
}

/// The place of a change in the work of its author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OriginRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call: Option<String>,
}

impl OriginRecord {
    /// Returns the record of an origin.
    pub fn new(origin: &Origin) -> Self {
        let Origin { turn, agent, model, tool_call } = origin.clone();
        Self { turn, agent, model, tool_call }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the origin.
    pub fn read(self) -> Origin {
        let Self { turn, agent, model, tool_call } = self;
        Origin { turn, agent, model, tool_call }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileRecord {
    path: PathRecord,
    action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    new_path: Option<PathRecord>,
    hash_before: Option<String>,
    hash_after: Option<String>,
    added: usize,
    removed: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct DetailRecord {
    #[serde(with = "hunks")]
    hunks: Vec<Hunk>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    back: BackRecord,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BackRecord {
    Nothing,
    Edits {
        /// Length in bytes of the text that the splices apply to.
        len: usize,
        splices: Vec<SpliceRecord>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spots: Vec<SpotRecord>,
        before: FormatRecord,
        after: FormatRecord,
    },
    Image {
        mode: Option<u32>,
    },
    /// Large data: an image of this hash contains it.
    Aside {
        hash: String,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SpotRecord {
    line: usize,
    before: String,
    new: String,
    after: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FormatRecord {
    encoding: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    bom: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    guessed: bool,
}

impl EntryRecord {
    pub(super) fn new(entry: &PastEntry, details: Vec<PastDetail>) -> Self {
        let head = HeadRecord {
            id: entry.id.to_string(),
            at: timestamp(entry.at),
            author: entry.author.clone(),
            session: entry.session.as_deref().map(str::to_owned),
            origin: OriginRecord::new(&entry.origin),
            label: entry.label.clone(),
            undoes: entry.undoes.as_deref().map(str::to_owned),
            rescued: entry.rescued,
            run: entry.run.as_ref().map(RunRecord::new),
            files: entry.files.iter().map(FileRecord::new).collect(),
            paths: entry.paths.iter().map(PathChangeRecord::new).collect(),
        };
        Self { head, details: details.into_iter().map(DetailRecord::new).collect() }
    }

    /// Moves the large undo data out of the entry, so that it can be removed alone. Returns it as images.
    pub(super) fn move_large_aside(&mut self) -> io::Result<Vec<(ContentHash, FileBytes)>> {
        let mut images = Vec::new();
        for detail in self.details.iter_mut().filter(|detail| detail.back.size() > SMALL as usize) {
            let bytes = serde_json::to_vec(&detail.back)?;
            let hash = ContentHash::of(&bytes);
            detail.back = BackRecord::Aside { hash: hash.to_string() };
            images.push((hash, bytes.into()));
        }
        Ok(images)
    }

    /// Returns the undo details of each file, or `None` if they are inconsistent. `image` reads an image.
    pub(super) fn details(self, image: impl Fn(ContentHash) -> Option<Vec<u8>>) -> Option<Vec<PastDetail>> {
        self.details.into_iter().map(|detail| detail.read(&image)).collect()
    }
}

impl HeadOnly {
    /// Returns the entry, or `None` if it is inconsistent.
    pub(super) fn read(self) -> Option<PastEntry> {
        let head = self.head;
        let files = head.files.into_iter().enumerate();
        Some(PastEntry {
            id: head.id.into(),
            at: head.at.into(),
            author: head.author,
            session: head.session.map(Into::into),
            origin: head.origin.read(),
            label: head.label,
            undoes: head.undoes.map(Into::into),
            rescued: head.rescued,
            run: head.run.map(RunRecord::read),
            files: files.map(|(detail, file)| file.read(detail)).collect::<Option<_>>()?,
            paths: head.paths.into_iter().map(PathChangeRecord::read).collect(),
        })
    }
}

impl FileRecord {
    fn new(file: &PastFile) -> Self {
        let new_path = match &file.action {
            PastAction::Rename(to) => Some(PathRecord::new(to)),
            _ => None,
        };
        Self {
            path: PathRecord::new(&file.path),
            action: file.action.to_string(),
            new_path,
            hash_before: file.hash_before.map(|hash| hash.to_string()),
            hash_after: file.hash_after.map(|hash| hash.to_string()),
            added: file.added,
            removed: file.removed,
            tags: file.tags.clone(),
        }
    }

    fn read(self, detail: usize) -> Option<PastFile> {
        let hash = |text: Option<String>| text.map(|text| text.parse()).transpose().ok();
        Some(PastFile {
            path: self.path.read(),
            action: match self.action.as_str() {
                "edit" => PastAction::Edit,
                "create" => PastAction::Create,
                "delete" => PastAction::Delete,
                "rename" => PastAction::Rename(self.new_path?.read()),
                _ => return None,
            },
            hash_before: hash(self.hash_before)?,
            hash_after: hash(self.hash_after)?,
            added: self.added,
            removed: self.removed,
            tags: self.tags,
            detail,
        })
    }
}

impl DetailRecord {
    fn new(detail: PastDetail) -> Self {
        let back = match detail.back {
            Back::Nothing => BackRecord::Nothing,
            Back::Image { mode } => BackRecord::Image { mode },
            Back::Gone => BackRecord::Aside { hash: String::new() },
            Back::Edits { way: UndoPlan { inverse, spots }, before, after } => BackRecord::Edits {
                len: inverse.base_len(),
                splices: inverse.into_splices().into_iter().map(splice_record).collect(),
                spots: spots.into_iter().map(SpotRecord::new).collect(),
                before: FormatRecord::new(before),
                after: FormatRecord::new(after),
            },
        };
        Self { hunks: detail.hunks, diff: detail.diff, back }
    }

    fn read(self, image: impl Fn(ContentHash) -> Option<Vec<u8>>) -> Option<PastDetail> {
        let back = match self.back {
            BackRecord::Aside { hash } => {
                let bytes = hash.parse().ok().and_then(image);
                let back = bytes.and_then(|bytes| serde_json::from_slice::<BackRecord>(&bytes).ok());
                back.and_then(BackRecord::read).unwrap_or(Back::Gone)
            }
            back => back.read()?,
        };
        // Line numbers start at 1.
        let makes_sense = self.hunks.iter().all(|hunk| hunk.new_lines == 0 || hunk.new_start > 0);
        makes_sense.then_some(PastDetail { hunks: self.hunks, diff: self.diff, back })
    }
}

impl BackRecord {
    /// Returns the approximate size in bytes.
    fn size(&self) -> usize {
        let Self::Edits { splices, spots, .. } = self else { return 0 };
        let texts = splices.iter().map(|(_, _, text)| text.len());
        let spots = spots.iter().map(|spot| spot.before.len() + spot.new.len() + spot.after.len());
        texts.chain(spots).map(|len| len + 32).sum()
    }

    fn read(self) -> Option<Back> {
        Some(match self {
            Self::Nothing => Back::Nothing,
            Self::Image { mode } => Back::Image { mode },
            Self::Edits { len, splices, spots, before, after } => {
                let spots = spots.into_iter().map(SpotRecord::read).collect();
                let way = UndoPlan { inverse: plan(len, splices)?, spots };
                Back::Edits { way, before: before.read()?, after: after.read()? }
            }
            Self::Aside { .. } => Back::Gone,
        })
    }
}

/// Stores each hunk as four numbers.
pub(super) mod hunks {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Hunk;

    /// First old line, old lines, first new line, new lines.
    type HunkRecord = (usize, usize, usize, usize);

    pub(in super::super) fn serialize<S: Serializer>(hunks: &[Hunk], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(hunks.iter().map(|it| (it.old_start, it.old_lines, it.new_start, it.new_lines)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Hunk>, D::Error> {
        let hunk = |(old_start, old_lines, new_start, new_lines): HunkRecord| Hunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
        };
        Ok(Vec::deserialize(from)?.into_iter().map(hunk).collect())
    }
}

pub(super) fn splice_record(Splice { range, text }: Splice) -> SpliceRecord {
    (range.start, range.end, text)
}

/// Returns the plan with these splices over a text of a length in bytes, or `None` if they are inconsistent.
pub(super) fn plan(len: usize, splices: Vec<SpliceRecord>) -> Option<Plan> {
    let splice = |(start, end, text)| Splice { range: start..end, text };
    Plan::new(len, splices.into_iter().map(splice).collect()).ok()
}

/// Returns a time as it is stored, readable for people.
pub(super) fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

impl SpotRecord {
    fn new(Spot { line, before, new, after }: Spot) -> Self {
        Self { line, before, new, after }
    }

    fn read(self) -> Spot {
        Spot { line: self.line, before: self.before, new: self.new, after: self.after }
    }
}

impl FormatRecord {
    pub(super) fn new(format: Format) -> Self {
        Self { encoding: format.encoding.name(), bom: format.bom, guessed: format.guessed }
    }

    pub(super) fn read(self) -> Option<Format> {
        let encoding = Encoding::from_label(&self.encoding)?;
        Some(Format { encoding, bom: self.bom, guessed: self.guessed })
    }
}

impl PathRecord {
    /// Returns the record of a path.
    pub fn new(path: &Path) -> Self {
        path.to_str().map_or_else(
            || Self::Bytes(path.as_os_str().as_bytes().to_vec()),
            |text| Self::Text(text.to_owned()),
        )
    }

    /// Returns the path.
    pub fn read(self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }
    }
}
