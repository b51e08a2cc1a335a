use std::collections::VecDeque;

use crate::text::ContentHash;

use super::limits::DEPARTED_BASES;
use super::{FileKey, Role};

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

    /// Returns `true` if an ended session, whose reads the asking role may know of, was given that content.
    pub(crate) fn has(&self, key: &FileKey, hash: ContentHash, asking: Role) -> bool {
        let is_it = |entry: &DepartedBase| entry.hash == hash && entry.key == *key;
        self.0.iter().any(|entry| is_it(entry) && (entry.role == asking || asking == Role::Editor))
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
