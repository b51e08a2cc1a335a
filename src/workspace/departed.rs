use std::collections::VecDeque;

use crate::text::ContentHash;

use super::limits::DEPARTED_BASES;
use super::{FileKey, Role};

/// What sessions that have ended were given last, oldest first.
///
/// A command of the command line is a session: who reads a file with one and changes it with the next names that
/// text as the base, and is shown what has changed since.
#[derive(Debug, Default)]
pub(crate) struct Departed(VecDeque<Given>);

/// A content of a file that a session was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) hash: ContentHash,
    pub(crate) key: FileKey,
    pub(crate) role: Role,
}

impl Departed {
    /// Keeps one, and gives back what has no room any more: it, if it was kept already.
    pub(crate) fn keep(&mut self, given: Given) -> Option<Given> {
        let before = self.0.iter().position(|kept| *kept == given).and_then(|at| self.0.remove(at));
        self.0.push_back(given);
        before.or_else(|| if self.0.len() > DEPARTED_BASES { self.0.pop_front() } else { None })
    }

    /// Whether a session that may see no more than the asking one was given that content of the file.
    pub(crate) fn has(&self, key: &FileKey, hash: ContentHash, asking: Role) -> bool {
        let is_it = |kept: &Given| kept.hash == hash && kept.key == *key;
        self.0.iter().any(|kept| is_it(kept) && (kept.role == asking || asking == Role::Editor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(number: usize) -> Given {
        let hash = ContentHash::of(number.to_string().as_bytes());
        Given { hash, key: FileKey::path("/a"), role: Role::Agent }
    }

    #[test]
    fn the_oldest_go_first_and_nothing_is_kept_twice() {
        let mut departed = Departed::default();
        for number in 0..DEPARTED_BASES {
            assert_eq!(departed.keep(given(number)), None);
        }
        assert_eq!(departed.keep(given(0)), Some(given(0)));
        assert_eq!(departed.keep(given(DEPARTED_BASES)), Some(given(1)));
        let has = |number| departed.has(&given(number).key, given(number).hash, Role::Agent);
        assert!(has(0) && has(DEPARTED_BASES) && !has(1));
        assert!(!departed.has(&FileKey::path("/b"), given(0).hash, Role::Agent));
    }
}
