//! The lines of the journal: a checksum, a space, and JSON.

use crate::{FileImage, is_stray};
use editd_text::ContentHash;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Length of a line's checksum, in hexadecimal digits.
const CHECKSUM: usize = 16;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Line {
    /// The names of staged and displaced files that are going to exist.
    Names { id: String, at: Vec<Spot> },
    /// The files that are going to be switched.
    Begin(Record),
    /// The transaction was applied, or rolled back.
    Done { id: String },
}

/// The plan of a transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) id: String,
    /// Time in seconds since 1970.
    pub(crate) at: u64,
    /// `true` if the transaction is a single step: it has happened if that step has, and no `Done` follows.
    pub(crate) alone: bool,
    pub(crate) parts: Vec<RecordedChange>,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecordedChange {
    /// The file before the change.
    pub(crate) origin: Option<RecordedFile>,
    /// The file after the change.
    pub(crate) result: Option<RecordedFile>,
    /// Name of the staged file and, after an exchange, of the displaced one.
    pub(crate) staged: Option<Spot>,
    /// Another name for the displaced file.
    pub(crate) kept: Option<Spot>,
    /// `true` if the file is written in place. Its bytes before and after are then stored in the journal's
    /// folder.
    pub(crate) in_place: bool,
    /// Created folders, outermost first.
    pub(crate) made: Vec<RawPath>,
    /// The link or folder that gives its name to the file or to the outermost created folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) aside: Option<RecordedAside>,
}

/// A link or a folder that is renamed until the transaction is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecordedAside {
    pub(crate) name: Spot,
    /// The name until then.
    pub(crate) at: Spot,
    pub(crate) ino: u64,
}

/// A file and the data that identifies it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RecordedFile {
    pub(crate) spot: Spot,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Hash of the content; not recorded for the new file of a single-step transaction.
    pub(crate) hash: Option<String>,
    /// Inode number, if known: a staged file keeps its inode.
    pub(crate) ino: Option<u64>,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Spot {
    /// Canonical path.
    pub(crate) path: RawPath,
    /// Inode number of the folder; `None` if the folder does not exist yet.
    pub(crate) folder: Option<u64>,
}

/// A path of arbitrary bytes, serialized as text if it is valid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawPath(pub(crate) PathBuf);

impl Serialize for RawPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => text.serialize(serializer),
            None => self.0.as_os_str().as_bytes().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RawPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Text(text) => text.into(),
            Either::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }))
    }
}

impl Line {
    /// Serializes the line for the log.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Serialization cannot fail: map keys are text, and paths may be any bytes.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{} {json}\n", checksum(json.as_bytes())).into_bytes()
    }

    fn read(line: &[u8]) -> Option<Self> {
        let (sum, json) = line.split_at_checked(CHECKSUM)?;
        let json = json.strip_prefix(b" ")?;
        if sum != checksum(json).as_bytes() {
            return None;
        }
        let line: Self = serde_json::from_slice(json).ok()?;
        line.is_plausible().then_some(line)
    }

    /// Returns `true` if editd could have written the line. Recovery acts on lines, so they must name files
    /// only by absolute paths without `.` or `..`, and strays only by the names of strays.
    fn is_plausible(&self) -> bool {
        match self {
            Self::Names { id, at } => is_id(id) && at.iter().all(Spot::is_stray),
            Self::Begin(record) => is_id(&record.id) && record.parts.iter().all(RecordedChange::is_plausible),
            Self::Done { id } => is_id(id),
        }
    }
}

impl Record {
    /// Paths of all files of the transaction.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts
            .iter()
            .flat_map(|part| part.origin.iter().chain(&part.result))
            .map(|recorded| recorded.spot.path())
    }
}

impl RecordedChange {
    fn is_plausible(&self) -> bool {
        let files = self.origin.iter().chain(&self.result);
        let strays = self.staged.iter().chain(&self.kept);
        let is_aside_plausible = |aside: &RecordedAside| is_whole(aside.name.path()) && aside.at.is_stray();
        files.map(|recorded| recorded.spot.path()).all(is_whole)
            && self.aside.as_ref().is_none_or(is_aside_plausible)
            && strays.into_iter().all(Spot::is_stray)
            && self.made.iter().all(|made| is_whole(&made.0))
    }
}

impl RecordedFile {
    /// Returns `true` if `image` is the file, by its content or, if no hash was recorded, by its inode.
    pub(crate) fn is(&self, image: &FileImage) -> bool {
        match &self.hash {
            Some(hash) => self.size == image.stat.size && *hash == ContentHash::of(&image.bytes).to_string(),
            None => self.ino == Some(image.stat.ino),
        }
    }
}

impl Spot {
    /// The whole path.
    pub(crate) fn path(&self) -> &Path {
        &self.path.0
    }

    fn is_stray(&self) -> bool {
        is_whole(self.path()) && self.path().file_name().is_some_and(is_stray)
    }
}

/// Returns all valid lines and the number of invalid ones. A cut-off last line is not damage: a killed
/// process leaves the log that way.
pub(crate) fn parse(bytes: &[u8]) -> (Vec<Line>, usize) {
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    pieces.pop();
    let lines: Vec<_> = pieces.iter().filter_map(|piece| Line::read(piece)).collect();
    let damaged = pieces.len() - lines.len();
    (lines, damaged)
}

fn checksum(json: &[u8]) -> String {
    blake3::hash(json).to_hex()[..CHECKSUM].to_owned()
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns `true` for an absolute path of a file or folder without `.` or `..`.
fn is_whole(path: &Path) -> bool {
    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let text = path.as_os_str().as_bytes();
    path.is_absolute() && path.file_name().is_some() && path.components().all(plain) && !text.contains(&0)
}
