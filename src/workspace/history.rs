//! Past transactions and how to undo them. Pure; `editd_disk::history` stores the records.

mod blame;
mod run;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use editd_edit::{Hunk, UndoPlan};
use editd_text::{ContentHash, Format};

pub use blame::{Attribution, Blamed, RestoredLines};
pub use run::{PastRun, PathChange, PathState, RunStatus};

/// A recorded transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastEntry {
    /// Id of the transaction.
    pub id: Arc<str>,
    /// Time of recording, immediately before the transaction happened.
    pub at: SystemTime,
    /// The author; [`DISK`] for a text that another program wrote.
    pub author: String,
    /// Name of the session it was made for, if known.
    pub session: Option<Arc<str>>,
    /// Turn, sub-agent, model and call of a tool that made it, if known.
    pub origin: Origin,
    /// Description of the change.
    pub label: Option<String>,
    /// The transaction that it undid.
    pub undoes: Option<Arc<str>>,
    /// `true` if the entry changed nothing and only preserves a displaced text of another program: the
    /// `before` of its only file.
    pub rescued: bool,
    /// The run of a command that made it, instead of a request.
    pub run: Option<PastRun>,
    /// The files, in the order of the request.
    pub files: Vec<PastFile>,
    /// Changes of links, folders and permissions, by path.
    pub paths: Vec<PathChange>,
}

/// The place of a change in the work of its author, as far as its client reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The turn: one prompt of the user and all work on it.
    pub turn: Option<String>,
    /// The sub-agent; `None` for the agent that the user talks to.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The call of a tool.
    pub tool_call: Option<String>,
}

/// The author name used for changes by programs other than editd.
pub const DISK: &str = "disk";

/// The author name used for changes by a person at a terminal.
pub const TERMINAL: &str = "terminal";

/// The effect of a transaction on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastFile {
    /// Canonical path before the transaction.
    pub path: PathBuf,
    /// The kind of change.
    pub action: PastAction,
    /// Hash of the content before; `None` if the file was created.
    pub hash_before: Option<ContentHash>,
    /// Hash of the content afterwards; `None` if the file was deleted.
    pub hash_after: Option<ContentHash>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Tags of the file.
    pub tags: Vec<String>,
    /// Index into the entry's details.
    pub detail: usize,
}

/// The kind of a past change, with its name on the wire.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum PastAction {
    /// The text changed.
    Edit,
    /// The file was created.
    Create,
    /// The file was deleted.
    Delete,
    /// The file was renamed to this canonical path, and possibly edited.
    Rename(PathBuf),
}

/// Changed lines and undo data of one file, loaded only when needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastDetail {
    /// All changed ranges of lines.
    pub hunks: Vec<Hunk>,
    /// The change as a unified diff; `None` if it was too long to be stored.
    pub diff: Option<String>,
    /// Undo data of the change.
    pub back: Back,
}

/// Data to restore the previous content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Back {
    /// The content did not change, or there was none.
    Nothing,
    /// Undo the edits of the text.
    Edits {
        /// The undo plan.
        way: UndoPlan,
        /// Format of the text before the change.
        before: Format,
        /// Format of the text after the change.
        after: Format,
    },
    /// Restore the stored bytes.
    Image {
        /// Permission bits for a file that has to be created again.
        mode: Option<u32>,
    },
    /// The data was removed to make room.
    Gone,
}

impl PastFile {
    /// Returns the path of the file after the change.
    pub fn place(&self) -> &Path {
        match &self.action {
            PastAction::Rename(to) => to,
            _ => &self.path,
        }
    }

    /// Returns `true` if the file had that path before or after the change.
    pub fn concerns(&self, path: &Path) -> bool {
        self.path == path || self.place() == path
    }
}

impl PastEntry {
    /// Returns the file that had that path after the transaction.
    pub fn file_at(&self, place: &Path) -> Option<&PastFile> {
        self.files.iter().find(|file| file.place() == place)
    }
}

/// Returns the consecutive edits of the file at `path` in `later` (oldest first), starting at a given
/// content, with the effect of each on the file. The chain ends at the first other change of the file.
pub fn chain_from<'a>(
    path: &Path,
    mut from: Option<ContentHash>,
    later: &'a [Arc<PastEntry>],
) -> Vec<(&'a PastEntry, &'a PastFile)> {
    let mut chain = Vec::new();
    for entry in later.iter().filter(|entry| !entry.rescued) {
        let Some(file) = entry.files.iter().find(|file| file.concerns(path)) else { continue };
        if file.action != PastAction::Edit || file.hash_before != from {
            break;
        }
        from = file.hash_after;
        chain.push((&**entry, file));
    }
    chain
}

/// Returns `true` if the file at `path` had this content at some time before a transaction. `before` is the
/// content that the transaction found, `earlier` the entries before it (oldest first).
pub fn was_before(
    path: &Path,
    content: Option<ContentHash>,
    mut before: Option<ContentHash>,
    earlier: &[Arc<PastEntry>],
) -> bool {
    let mut steps = earlier.iter().rev().filter(|entry| !entry.rescued);
    while content != before {
        let step = steps.find_map(|entry| entry.file_at(path).filter(|file| file.hash_after == before));
        match step {
            Some(file) if before.is_some() && file.path == path => before = file.hash_before,
            _ => return false,
        }
    }
    true
}

/// Returns the index of the newest of `entries` (oldest first) that left this content at this path.
pub fn step_to(entries: &[Arc<PastEntry>], path: &Path, content: Option<ContentHash>) -> Option<usize> {
    let left_it = |entry: &Arc<PastEntry>| {
        let file = entry.file_at(path).filter(|_| !entry.rescued);
        content.is_some() && file.is_some_and(|file| file.hash_after == content)
    };
    entries.iter().rposition(left_it)
}

/// The transactions that are currently undone.
///
/// An undo is a transaction itself and can be undone, which restores what it had undone. A new undo can
/// therefore flip the state of several transactions along the chain.
#[derive(Debug, Default)]
pub struct Undone {
    /// Effective undos of each transaction. There is more than one if a change was undone, restored, undone
    /// in another way, and then the restoration was undone too.
    by: HashMap<Arc<str>, Vec<Arc<str>>>,
    /// The transaction that each undo undid.
    undoes: HashMap<Arc<str>, Arc<str>>,
}

impl Undone {
    /// Records an undo that happened.
    pub fn record(&mut self, undo: &Arc<str>, undone: &Arc<str>) {
        self.undoes.insert(undo.clone(), undone.clone());
        let (mut actor, mut target, mut holds) = (undo.clone(), undone.clone(), true);
        loop {
            let by = self.by.entry(target.clone()).or_default();
            let was_undone = !by.is_empty();
            if holds {
                by.push(actor);
            } else {
                by.retain(|other| *other != actor);
            }
            let is_undone = !by.is_empty();
            // `target` was undone or restored, so its own undo stops or starts to apply.
            let Some(next) = self.undoes.get(&target).filter(|_| was_undone != is_undone) else { return };
            (actor, target, holds) = (target.clone(), next.clone(), !is_undone);
        }
    }

    /// Returns the undo by which a transaction is undone, if it is.
    pub fn by(&self, id: &str) -> Option<&Arc<str>> {
        self.by.get(id)?.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_undo_of_an_undo_restores_the_change() {
        let ids: Vec<Arc<str>> = ["a", "b", "c", "d"].map(Arc::from).to_vec();
        let mut undone = Undone::default();
        let expected: [&[usize]; 3] = [&[0], &[1], &[0, 2]];
        for (at, expected) in expected.into_iter().enumerate() {
            undone.record(&ids[at + 1], &ids[at]);
            let now: Vec<usize> = (0..4).filter(|at| undone.by(&ids[*at]).is_some()).collect();
            assert_eq!(now, expected);
        }
        assert_eq!(undone.by("a").map(AsRef::as_ref), Some("b"));
    }

    proptest! {
        #[test]
        fn the_recorded_state_equals_one_computed_from_scratch(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..20)) {
            let mut undone = Undone::default();
            // The first transactions are changes; each later one undoes one that is in effect.
            let mut undoes: Vec<Option<usize>> = vec![None, None, None];
            let holds = |undoes: &[Option<usize>], id: usize| -> bool {
                fn holds(undoes: &[Option<usize>], id: usize) -> bool {
                    !(0..undoes.len()).any(|other| undoes[other] == Some(id) && holds(undoes, other))
                }
                holds(undoes, id)
            };
            for choice in choices {
                let open: Vec<usize> = (0..undoes.len()).filter(|id| holds(&undoes, *id)).collect();
                let target = open[choice.index(open.len())];
                let name = |id: usize| Arc::<str>::from(id.to_string());
                undone.record(&name(undoes.len()), &name(target));
                undoes.push(Some(target));
                for id in 0..undoes.len() {
                    prop_assert_eq!(undone.by(&id.to_string()).is_none(), holds(&undoes, id));
                }
            }
        }
    }
}
