//! Serialized form of entries.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::edit::{Hunk, Plan, Splice, Spot, UndoPlan};
use crate::text::{Encoding, Format};
use crate::workspace::history::{Back, PastAction, PastDetail, PastEntry, PastFile};

/// A path: text if it is valid UTF-8, otherwise its bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PathRecord {
    Text(String),
    Bytes(Vec<u8>),
}

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
    at: jiff_time::Time,
    author: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rescued: bool,
    files: Vec<FileRecord>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileRecord {
    path: PathRecord,
    action: ActionRecord,
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
#[serde(rename_all = "lowercase")]
enum ActionRecord {
    Edit,
    Create,
    Delete,
    Rename,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct DetailRecord {
    /// First old line, old lines, first new line, new lines.
    hunks: Vec<(usize, usize, usize, usize)>,
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
        /// Start and end in bytes, and the text that was there.
        splices: Vec<(usize, usize, String)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spots: Vec<SpotRecord>,
        before: FormatRecord,
        after: FormatRecord,
    },
    Image {
        mode: Option<u32>,
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
            at: jiff_time::Time(entry.at),
            author: entry.author.clone(),
            session: entry.session.as_deref().map(str::to_owned),
            label: entry.label.clone(),
            undoes: entry.undoes.as_deref().map(str::to_owned),
            rescued: entry.rescued,
            files: entry.files.iter().map(FileRecord::new).collect(),
        };
        Self { head, details: details.into_iter().map(DetailRecord::new).collect() }
    }

    /// Returns the undo details of each file, or `None` if they are inconsistent.
    pub(super) fn details(self) -> Option<Vec<PastDetail>> {
        self.details.into_iter().map(DetailRecord::read).collect()
    }
}

impl HeadOnly {
    /// Returns the entry, or `None` if it is inconsistent.
    pub(super) fn read(self) -> Option<PastEntry> {
        let Self { head } = self;
        let files = head.files.into_iter().enumerate();
        Some(PastEntry {
            id: head.id.into(),
            at: head.at.0,
            author: head.author,
            session: head.session.map(Into::into),
            label: head.label,
            undoes: head.undoes.map(Into::into),
            rescued: head.rescued,
            files: files.map(|(detail, file)| file.read(detail)).collect::<Option<_>>()?,
        })
    }
}

impl FileRecord {
    fn new(file: &PastFile) -> Self {
        let (action, new_path) = match &file.action {
            PastAction::Edit => (ActionRecord::Edit, None),
            PastAction::Create => (ActionRecord::Create, None),
            PastAction::Delete => (ActionRecord::Delete, None),
            PastAction::Rename(to) => (ActionRecord::Rename, Some(PathRecord::new(to))),
        };
        Self {
            path: PathRecord::new(&file.path),
            action,
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
            action: match (self.action, self.new_path) {
                (ActionRecord::Edit, _) => PastAction::Edit,
                (ActionRecord::Create, _) => PastAction::Create,
                (ActionRecord::Delete, _) => PastAction::Delete,
                (ActionRecord::Rename, to) => PastAction::Rename(to?.read()),
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
        let hunk = |hunk: Hunk| (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines);
        let back = match detail.back {
            Back::Nothing => BackRecord::Nothing,
            Back::Image { mode } => BackRecord::Image { mode },
            Back::Edits { way: UndoPlan { inverse, spots }, before, after } => BackRecord::Edits {
                len: inverse.base_len(),
                splices: splices(inverse),
                spots: spots.into_iter().map(SpotRecord::new).collect(),
                before: FormatRecord::new(before),
                after: FormatRecord::new(after),
            },
        };
        Self { hunks: detail.hunks.into_iter().map(hunk).collect(), diff: detail.diff, back }
    }

    fn read(self) -> Option<PastDetail> {
        let hunk = |(old_start, old_lines, new_start, new_lines)| {
            // Line numbers start at 1.
            let makes_sense = new_lines == 0 || new_start > 0;
            makes_sense.then_some(Hunk { old_start, old_lines, new_start, new_lines })
        };
        let back = match self.back {
            BackRecord::Nothing => Back::Nothing,
            BackRecord::Image { mode } => Back::Image { mode },
            BackRecord::Edits { len, splices, spots, before, after } => {
                let splice = |(start, end, text)| Splice { range: start..end, text };
                let inverse = Plan::new(len, splices.into_iter().map(splice).collect()).ok()?;
                let spots = spots.into_iter().map(SpotRecord::read).collect();
                let way = UndoPlan { inverse, spots };
                Back::Edits { way, before: before.read()?, after: after.read()? }
            }
        };
        let hunks = self.hunks.into_iter().map(hunk).collect::<Option<_>>()?;
        Some(PastDetail { hunks, diff: self.diff, back })
    }
}

fn splices(plan: Plan) -> Vec<(usize, usize, String)> {
    plan.into_splices().into_iter().map(|Splice { range, text }| (range.start, range.end, text)).collect()
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
    pub(super) fn new(path: &Path) -> Self {
        path.to_str().map_or_else(
            || Self::Bytes(path.as_os_str().as_bytes().to_vec()),
            |text| Self::Text(text.to_owned()),
        )
    }

    pub(super) fn read(self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }
    }
}

/// Human-readable times.
pub(super) mod jiff_time {
    use super::{Deserialize, Serialize, SystemTime};
    use serde::de::Error;

    #[derive(Clone, Debug)]
    pub(in crate::history) struct Time(pub(in crate::history) SystemTime);

    impl Serialize for Time {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let time = jiff::Timestamp::try_from(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
            serializer.collect_str(&time)
        }
    }

    impl<'de> Deserialize<'de> for Time {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let text = String::deserialize(deserializer)?;
            let time: jiff::Timestamp = text.parse().map_err(D::Error::custom)?;
            Ok(Self(time.into()))
        }
    }
}
