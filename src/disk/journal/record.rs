//! The lines of the journal: a checksum, a blank, and JSON.

use crate::disk::FileImage;
use crate::disk::commit::is_stray;
use crate::text::ContentHash;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// Hexadecimal digits of a line's checksum.
const CHECKSUM: usize = 16;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::disk) enum Line {
    /// These names of staged and displaced files are going to exist.
    Names { id: String, at: Vec<Spot> },
    /// These files are going to be switched.
    Begin(Record),
    /// They were, or everything is as it was.
    Done { id: String },
}

/// What a transaction is going to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::disk) struct Record {
    pub(in crate::disk) id: String,
    /// When, in seconds since 1970.
    pub(in crate::disk) at: u64,
    /// Whether one step does it: then it has happened if that step has, and no `Done` follows.
    pub(in crate::disk) alone: bool,
    pub(in crate::disk) parts: Vec<NotedPart>,
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::disk) struct NotedPart {
    /// The file that is there before.
    pub(in crate::disk) origin: Option<Noted>,
    /// The file that is there afterwards.
    pub(in crate::disk) result: Option<Noted>,
    /// The name of the staged file, and after an exchange of the displaced one.
    pub(in crate::disk) staged: Option<Spot>,
    /// Another name for the displaced file.
    pub(in crate::disk) kept: Option<Spot>,
    /// Whether the file is written in place, its bytes before and after kept in the journal's folder.
    pub(in crate::disk) in_place: bool,
    /// Folders that are made, outermost first.
    pub(in crate::disk) made: Vec<RawPath>,
}

/// A file and how to know it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::disk) struct Noted {
    pub(in crate::disk) spot: Spot,
    /// Bytes.
    pub(in crate::disk) size: u64,
    /// Its content; not noted of the new file of a transaction that one step does.
    pub(in crate::disk) hash: Option<String>,
    /// The number of its inode, where that was known: a staged file's, which it keeps.
    pub(in crate::disk) ino: Option<u64>,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::disk) struct Spot {
    /// The canonical path.
    pub(in crate::disk) path: RawPath,
    /// The number of the folder's inode; none for one that is to be made.
    pub(in crate::disk) folder: Option<u64>,
}

/// A path of any bytes: text where it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::disk) struct RawPath(pub(in crate::disk) PathBuf);

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
    /// As it stands in the log.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Maps with keys of text and paths of any bytes can always be written.
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

    /// Whether editd could have written it: what is acted on must not name anything but files by their
    /// plain names in folders by their whole paths, and must call nothing a stray that is not named so.
    fn is_plausible(&self) -> bool {
        match self {
            Self::Names { id, at } => is_id(id) && at.iter().all(Spot::is_stray),
            Self::Begin(record) => is_id(&record.id) && record.parts.iter().all(NotedPart::is_plausible),
            Self::Done { id } => is_id(id),
        }
    }
}

impl Record {
    /// Every file that it is about.
    pub(in crate::disk) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts
            .iter()
            .flat_map(|part| part.origin.iter().chain(&part.result))
            .map(|noted| noted.spot.path())
    }
}

impl NotedPart {
    fn is_plausible(&self) -> bool {
        let files = self.origin.iter().chain(&self.result);
        let strays = self.staged.iter().chain(&self.kept);
        files.map(|noted| noted.spot.path()).all(is_whole)
            && strays.into_iter().all(Spot::is_stray)
            && self.made.iter().all(|made| is_whole(&made.0))
    }
}

impl Noted {
    /// Whether that is the file: by its content, or where none was noted by its inode.
    pub(in crate::disk) fn is(&self, image: &FileImage) -> bool {
        match &self.hash {
            Some(hash) => self.size == image.stat.size && *hash == ContentHash::of(&image.bytes).to_string(),
            None => self.ino == Some(image.stat.ino),
        }
    }
}

impl Spot {
    /// The whole path.
    pub(in crate::disk) fn path(&self) -> &Path {
        &self.path.0
    }

    fn is_stray(&self) -> bool {
        is_whole(self.path()) && self.path().file_name().is_some_and(is_stray)
    }
}

/// All lines that are sound, and the number of those that are not. The last one may be cut off: that is how a
/// killed process leaves it, and no damage.
pub(super) fn parse(bytes: &[u8]) -> (Vec<Line>, usize) {
    let (mut lines, mut damaged) = (Vec::new(), 0);
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    pieces.pop();
    for piece in pieces {
        match Line::read(piece) {
            Some(line) => lines.push(line),
            None => damaged += 1,
        }
    }
    (lines, damaged)
}

fn checksum(json: &[u8]) -> String {
    blake3::hash(json).to_hex()[..CHECKSUM].to_owned()
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// An absolute path of a file or folder, without detours.
fn is_whole(path: &Path) -> bool {
    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let text = path.as_os_str().as_bytes();
    path.is_absolute() && path.file_name().is_some() && path.components().all(plain) && !text.contains(&0)
}
