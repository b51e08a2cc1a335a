//! The contents that sessions were given of each file.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use editd_edit::Plan;
use editd_text::ContentHash;

use super::files::FileKey;
use super::limits::{DEPARTED_BASES, GIVEN_BASES};
use super::session::{Role, SessionId};
use super::shown::{ShownLines, ShownVersions};

/// The part of a file that a session has been given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Some of its lines: enough to edit the file, not enough to replace, delete or rename it.
    Part,
    /// All of it.
    Whole,
}

/// The part of a file that a read returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Part of the file.
    pub coverage: Coverage,
    /// The lines.
    pub lines: ShownLines,
}

impl Reading {
    /// All of a file.
    pub const WHOLE: Self = Self { coverage: Coverage::Whole, lines: ShownLines::All };

    /// Creates a reading of some lines.
    pub fn part(lines: ShownLines) -> Self {
        Self { coverage: Coverage::Part, lines }
    }

    /// Creates a reading that covers the whole file, or parts of it without line numbers.
    pub fn of(coverage: Coverage) -> Self {
        if coverage == Coverage::Whole { Self::WHOLE } else { Self::part(ShownLines::NONE) }
    }
}

/// The content of a file that a session was last given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Hash of the whole file at that time.
    pub hash: ContentHash,
    /// Part of it that the session was given.
    pub coverage: Coverage,
    /// The path under which the session requested it.
    pub path: PathBuf,
}

/// An entry of a ledger: the base, and whether the session was notified that it is out of date.
#[derive(Clone, Debug)]
pub(crate) struct LedgerEntry {
    pub(crate) base: Base,
    /// Set once `editd/fileChanged` was sent, until the session reads the file or asks for changes.
    pub(crate) notified: bool,
    /// The content that the session knows, if the base contains more than that.
    pub(crate) known_base: Option<KnownBase>,
    /// The lines that the session was shown, in this version and in earlier ones.
    pub(crate) shown: ShownVersions,
}

/// The part of a merged base that its session knows. After a merge, the base is the result, but the session
/// has not seen the changes of others until it reads the file or asks for them.
#[derive(Clone, Debug)]
pub(crate) struct KnownBase {
    /// Hash of the content that the session was last given.
    pub(crate) given: ContentHash,
    /// The session's own change to that content.
    pub(crate) own: Option<Arc<Plan>>,
}

/// A file that at least one session has read or wants to change.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// Hash of the last observed content; `None` if the file did not exist.
    pub(crate) current: Option<ContentHash>,
    /// Hash of that content, if it is text, to which the document then holds a reference in the text store.
    pub(crate) held_text: Option<ContentHash>,
    /// Sessions that have the file in their ledger.
    pub(crate) readers: HashSet<SessionId>,
    /// Contents of the file that sessions were given, with the role of each session, newest last. A session
    /// may use them as a base if its role lets it see them.
    pub(crate) given: VecDeque<(ContentHash, Role)>,
}

impl Document {
    /// Records that a session was given a content of this file.
    pub(crate) fn record_given(&mut self, hash: ContentHash, role: Role) {
        if self.given.back() != Some(&(hash, role)) {
            self.given.push_back((hash, role));
        }
        if self.given.len() > GIVEN_BASES {
            self.given.pop_front();
        }
    }

    /// Returns the contents of the file that were given to sessions whose reads the asking role may know of,
    /// newest first.
    pub(crate) fn given_to(&self, asking: Role) -> impl Iterator<Item = ContentHash> + '_ {
        let is_known = move |role: Role| role == asking || asking == Role::Editor;
        self.given.iter().rev().filter(move |(_, role)| is_known(*role)).map(|(hash, _)| *hash)
    }

    /// Returns `true` if a content of the file was given to a session whose reads the asking role may know
    /// of. Agents know what agents were given, but not what only an editor was given.
    pub(crate) fn was_given(&self, hash: ContentHash, asking: Role) -> bool {
        self.given_to(asking).any(|given| given == hash)
    }
}

/// The last bases of sessions that have ended, oldest first.
///
/// Each run of a command of the command line is a session. A user who reads a file with one command and
/// changes it with the next sends the hash of that text as the base, and gets a diff of later changes.
#[derive(Debug, Default)]
pub(crate) struct DepartedBases(VecDeque<DepartedBase>);

/// A content of a file that a session was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DepartedBase {
    pub(crate) hash: ContentHash,
    pub(crate) key: FileKey,
    pub(crate) role: Role,
}

impl DepartedBases {
    /// Adds an entry. Returns the entry that was displaced: the same one if it was already present, or the
    /// oldest.
    pub(crate) fn insert(&mut self, given: DepartedBase) -> Option<DepartedBase> {
        let before = self.0.iter().position(|entry| *entry == given).and_then(|at| self.0.remove(at));
        self.0.push_back(given);
        before.or_else(|| if self.0.len() > DEPARTED_BASES { self.0.pop_front() } else { None })
    }

    /// Returns the contents of a file that were given to ended sessions whose reads the asking role may know
    /// of, newest first.
    pub(crate) fn of(&self, key: &FileKey, asking: Role) -> impl Iterator<Item = ContentHash> + '_ {
        let key = key.clone();
        let is_known =
            move |entry: &&DepartedBase| entry.key == key && (entry.role == asking || asking == Role::Editor);
        self.0.iter().rev().filter(is_known).map(|entry| entry.hash)
    }

    /// Returns `true` if an ended session, whose reads the asking role may know of, was given that content.
    pub(crate) fn has(&self, key: &FileKey, hash: ContentHash, asking: Role) -> bool {
        self.of(key, asking).any(|given| given == hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(number: usize) -> DepartedBase {
        let hash = ContentHash::of(number.to_string().as_bytes());
        DepartedBase { hash, key: FileKey::path("/a"), role: Role::Agent }
    }

    #[test]
    fn the_oldest_bases_are_dropped_first_and_none_is_stored_twice() {
        let mut departed = DepartedBases::default();
        for number in 0..DEPARTED_BASES {
            assert_eq!(departed.insert(given(number)), None);
        }
        assert_eq!(departed.insert(given(0)), Some(given(0)));
        assert_eq!(departed.insert(given(DEPARTED_BASES)), Some(given(1)));
        let has = |number| departed.has(&given(number).key, given(number).hash, Role::Agent);
        assert!(has(0) && has(DEPARTED_BASES) && !has(1));
        assert!(!departed.has(&FileKey::path("/b"), given(0).hash, Role::Agent));
    }
}
