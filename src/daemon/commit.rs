use crate::disk::{
    Change, CommitError, Committed, DiskErrorKind, Durability, Expected, FileBytes, Root, StagedSet, Stat,
    Target, stage,
};
use crate::workspace::rules::Protection;
use crate::workspace::{Action, FileKey, Moved, PlannedFile, Refusal, RefusalKind, Seen, Truth};

use super::Core;
use super::difference::stale;
use super::failure::refusal_of;
use super::observe::Observed;
use super::past::{Intent, Landing};
use super::work::{Want, WantedFile, Worked};

/// One file after a commit.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) file: PlannedFile,
    pub(crate) seen: Seen,
    pub(crate) stat: Option<Stat>,
    pub(crate) root: Root,
    /// Whether it was written now, and not found to be so already.
    written: bool,
    /// Whether its text shares the memory of the one before.
    shares: bool,
    /// The bytes in whose place it is.
    _spent: FileBytes,
}

impl Landed {
    /// A file that was found to be already what a plan wanted.
    pub(crate) fn found(file: &PlannedFile, now: Observed) -> Self {
        let (seen, stat, root) = (now.seen(), now.stat, now.target.root);
        Self { file: file.clone(), seen, stat, root, written: false, shares: false, _spent: now.bytes }
    }

    /// The entry for the books. `own`: the one who applied it is the one who proposed it.
    pub(crate) fn moved(&self, own: bool) -> (Moved, Option<Stat>, Root) {
        let moved = Moved {
            key: self.file.key.clone(),
            before: if self.written { self.file.hash_before } else { self.seen.truth.hash() },
            after: self.seen.clone(),
            plan: (self.written && self.file.action == Action::Edit).then(|| self.file.plan.clone()),
            coverage: own.then_some(self.file.coverage),
            shares: self.shares,
        };
        (moved, self.stat, self.root.clone())
    }
}

/// A worked-out file together with the place of its new name, if it gets one.
pub(crate) struct Due {
    /// Index of the change in the request.
    pub(crate) index: usize,
    pub(crate) worked: Worked,
    pub(crate) to: Option<Target>,
}

impl WantedFile {
    /// Where a rename leads.
    pub(crate) fn new_place(&self) -> Option<Target> {
        match &self.want {
            Want::Rename { to, .. } => Some(to.target.clone()),
            _ => None,
        }
    }
}

impl Core {
    /// Writes all files or none. The caller holds their queues, so only programs that do not ask editd can
    /// come in between, and those are noticed.
    pub(crate) fn commit(&self, due: Vec<Due>, intent: &Intent) -> Result<Landing, Refusal> {
        let changes: Vec<Change> = due.iter().map(change).collect();
        self.commit_staged(self.stage(&changes), due, intent)
    }

    /// Writes the new files beside the old ones; what is returned has to be committed.
    pub(crate) fn stage<'a>(&'a self, changes: &'a [Change]) -> Result<StagedSet<'a>, CommitError> {
        let durability = self.durability(changes.len());
        let stage = || stage(&*self.disk, &self.journal, changes, durability);
        stage().or_else(|error| {
            if !matches!(error.error.kind, DiskErrorKind::NoSpace { .. }) {
                return Err(error);
            }
            // Files that were displaced a moment ago take room as long as they are held; those that were just
            // staged and removed again do too, as long as the error holds them.
            drop(error);
            self.late_look.look_now();
            stage()
        })
    }

    /// Gives all files that were staged for `due` their names, or none.
    pub(crate) fn commit_staged(
        &self,
        staged: Result<StagedSet<'_>, CommitError>,
        mut due: Vec<Due>,
        intent: &Intent,
    ) -> Result<Landing, Refusal> {
        let (committed, noted) = match staged {
            Ok(staged) => {
                let noted = self.note(&mut due, intent)?;
                (staged.commit(), Some(noted))
            }
            Err(error) => (Err(error), None),
        };
        match committed {
            Ok(committed) => {
                let hold = |done: &mut Committed| done.displaced.take().map(|file| self.late_look.hold(file));
                let land = |(due, mut done): (Due, Committed)| {
                    hold(&mut done);
                    landed(due, done)
                };
                let files = due.into_iter().zip(committed).map(land).collect();
                Ok(self.note_landed(noted, files))
            }
            Err(mut error) => {
                self.note_failed(noted, error.rolled_back());
                error.displaced.drain(..).for_each(|file| self.late_look.hold(file));
                if !error.rolled_back() {
                    tracing::error!(?error.not_undone, "a failed change could not be put back completely");
                }
                let due = due.into_iter().nth(error.change);
                Err(due.map_or_else(
                    || Refusal::new(refusal_of(&error.error)),
                    |due| {
                        let index = due.index;
                        self.why_not(due, &error.error).of_change(index)
                    },
                ))
            }
        }
    }

    pub(super) fn durability(&self, files: usize) -> Durability {
        let by_size = if files > 1 { Durability::Full } else { Durability::Process };
        self.config.durability.unwrap_or(by_size)
    }

    fn why_not(&self, due: Due, error: &crate::disk::DiskError) -> Refusal {
        let file = due.worked.file;
        if error.kind == DiskErrorKind::Changed {
            // Somebody was faster between the look and the write: tell what they did.
            let names = |stat: Option<Stat>| stat.map_or(0, |stat| stat.nlink);
            let names_then = names(due.worked.observed.stat);
            return match self.observe(due.worked.observed.target) {
                // A second name has come: the next try would be refused for that, so it is said at once.
                Ok(now) if names_then == 1 && names(now.stat) > 1 && !self.config.hard_links => {
                    Refusal::at(&file.path, RefusalKind::Protected(Protection::hard_link()))
                }
                Ok(now) => {
                    let kind = stale(file.before.as_deref(), &now, self.deadline());
                    Refusal::at(&file.path, kind)
                }
                Err(refusal) => refusal,
            };
        }
        Refusal::at(&error.path, refusal_of(error))
    }
}

/// What is to be done to the disk.
pub(crate) fn change(due: &Due) -> Change {
    let Worked { file, content, observed, mode } = &due.worked;
    let content = content.as_ref().map(|content| content.bytes.clone());
    let target = observed.target.clone();
    match (&file.action, &due.to, expected(observed)) {
        (Action::Rename { .. }, Some(to), Some(expect)) => {
            let content = content.filter(|_| !file.plan.is_empty());
            Change::Rename { from: target, to: to.clone(), expect, content }
        }
        (Action::Delete, _, Some(expect)) => Change::Delete { target, expect },
        (_, _, Some(expect)) => Change::Replace { target, content: content.unwrap_or_default(), expect },
        (_, _, None) => Change::Create { target, content: content.unwrap_or_default(), mode: *mode },
    }
}

fn expected(observed: &Observed) -> Option<Expected> {
    Some(Expected { stat: observed.stat?, bytes: observed.bytes.clone(), hash: observed.truth.hash()? })
}

fn landed(due: Due, done: Committed) -> Landed {
    let Due { mut worked, to, .. } = due;
    worked.settle();
    let Worked { file, content, observed, .. } = worked;
    if let Some(leftover) = &done.leftover {
        tracing::warn!(path = %leftover.display(), "a displaced file could not be removed");
    }
    let shares = content.as_ref().is_some_and(|content| content.shares);
    let truth = match (&file.action, content) {
        (Action::Delete, _) => Truth::Missing,
        (_, Some(content)) => content.truth(),
        (_, None) => observed.truth,
    };
    let mut target = to.unwrap_or(observed.target);
    // What it is known by depends on how many names it has now.
    target.key = done.stat.filter(|stat| stat.nlink > 1).map_or_else(
        || FileKey::path(&done.path),
        |stat| FileKey::Inode { device: stat.dev, inode: stat.ino },
    );
    Landed {
        seen: Seen { key: target.key, path: done.path, truth },
        stat: done.stat,
        root: target.root,
        file,
        written: true,
        shares,
        _spent: observed.bytes,
    }
}
