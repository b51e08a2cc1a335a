//! The first phase: read state, refuse early, choose strategies and names. Modifies nothing.

use super::aside::Aside;
use crate::{
    Change, CommitError, Disk, DiskError, DiskErrorKind, Entry, Examined, Expected, FileBytes, Journal,
    Result, StagedFile, Stat, Target,
};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Strategy for applying a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// The staged file and the old one swap names; the old one is kept until the commit is done.
    Exchange,
    /// Like `Exchange`, on a file system without that operation: the old file gets a second name first.
    Linked,
    /// The old file's bytes are overwritten, because its inode must stay the same.
    InPlace,
    /// The staged file takes a free name.
    Install,
    /// The old file is renamed away and kept until the commit is done.
    Remove,
    /// The file takes another name.
    Move,
    /// The old file is renamed away, and the staged one takes the new name.
    MoveEdited,
    /// The file is overwritten, then takes another name.
    MoveInPlace,
}

/// A change in progress.
pub(super) struct PlannedChange<'a> {
    pub(super) change: &'a Change,
    pub(super) strategy: Strategy,
    /// The existing file.
    pub(super) original: Option<Original<'a>>,
    /// New content of the file.
    pub(super) content: Option<FileBytes>,
    /// Name of the new file until the switch; after an exchange, name of the old one.
    pub(super) staged_at: Option<Entry>,
    /// The staged file, once it exists.
    pub(super) staged: Option<StagedFile>,
    /// Name of an old file that is renamed away or linked, until the commit is done.
    pub(super) kept_at: Option<Entry>,
    /// The final name, once its folders exist.
    pub(super) installed_at: Option<Entry>,
    /// The link or folder that gives its name to the file or to a folder of it.
    pub(super) aside: Option<Aside>,
}

/// An existing file that a change applies to.
pub(super) struct Original<'a> {
    pub(super) entry: Entry,
    pub(super) examined: Examined,
    pub(super) expect: &'a Expected,
}

impl<'a> PlannedChange<'a> {
    fn new(change: &'a Change, strategy: Strategy) -> Self {
        Self {
            change,
            strategy,
            original: None,
            content: None,
            staged_at: None,
            staged: None,
            kept_at: None,
            installed_at: None,
            aside: None,
        }
    }

    /// Returns `true` if the existing inode is written.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.strategy, Strategy::InPlace | Strategy::MoveInPlace)
    }

    /// Switches to an in-place write, because the new file cannot have the attributes of the old one.
    pub(super) fn keep_inode(&mut self) {
        (self.staged_at, self.kept_at) = (None, None);
        self.strategy = match self.strategy {
            Strategy::MoveEdited => Strategy::MoveInPlace,
            _ => Strategy::InPlace,
        };
    }

    /// Final location of the file.
    pub(super) fn destination(&self) -> &'a Target {
        self.change.destination()
    }

    /// Name of the displaced file after the switch.
    pub(super) fn displaced_at(&self) -> Option<&Entry> {
        match self.strategy {
            Strategy::Exchange => self.staged_at.as_ref(),
            Strategy::Linked | Strategy::Remove | Strategy::MoveEdited => self.kept_at.as_ref(),
            Strategy::InPlace | Strategy::Install | Strategy::Move | Strategy::MoveInPlace => None,
        }
    }

    pub(super) fn require_original(&self) -> Result<&Original<'a>> {
        self.original.as_ref().ok_or_else(|| self.unplanned())
    }

    pub(super) fn require_kept_at(&self) -> Result<&Entry> {
        self.kept_at.as_ref().ok_or_else(|| self.unplanned())
    }

    /// The name and the state of the staged file.
    pub(super) fn require_staged(&self) -> Result<(&Entry, Stat)> {
        let staged = self.staged.as_ref().ok_or_else(|| self.unplanned())?;
        Ok((self.staged_at.as_ref().ok_or_else(|| self.unplanned())?, staged.stat))
    }

    /// The error for a change that lacks what its strategy needs. This is a bug in the plan; it fails the set
    /// like any other error.
    fn unplanned(&self) -> DiskError {
        DiskError::new(DiskErrorKind::Io, "apply the plan for", &self.destination().path)
    }
}

/// Plans all changes.
pub(super) fn plan<'a>(
    disk: &dyn Disk,
    journal: &Journal,
    changes: &'a [Change],
) -> std::result::Result<Vec<PlannedChange<'a>>, CommitError> {
    let plan =
        |(index, change)| plan_one(disk, journal, change).map_err(|error| CommitError::new(index, error));
    let mut planned = changes.iter().enumerate().map(plan).collect::<std::result::Result<Vec<_>, _>>()?;
    // The first change moves it aside for all.
    let mut seen = BTreeSet::new();
    for change in &mut planned {
        change.aside.take_if(|aside| !seen.insert(aside.name.path.clone()));
    }
    Ok(planned)
}

fn plan_one<'a>(disk: &dyn Disk, journal: &Journal, change: &'a Change) -> Result<PlannedChange<'a>> {
    change.paths().try_for_each(|path| journal.require_settled(path))?;
    match change {
        Change::Replace { target, content, expect } => {
            let original = find_original(disk, target, expect)?;
            let is_replaceable = original.examined.is_replaceable();
            let strategy = if is_replaceable { Strategy::Exchange } else { Strategy::InPlace };
            Ok(PlannedChange {
                staged_at: is_replaceable.then(|| target.stray_beside()),
                kept_at: is_replaceable.then(|| target.stray_beside()),
                installed_at: Some(original.entry.clone()),
                content: Some(content.clone()),
                original: Some(original),
                ..PlannedChange::new(change, strategy)
            })
        }
        Change::Create { target, content, .. } => {
            disk.confirm(target)?;
            require_free(disk, target)?;
            Ok(PlannedChange {
                aside: Aside::find(disk, target)?,
                staged_at: Some(target.stray_beside()),
                content: Some(content.clone()),
                ..PlannedChange::new(change, Strategy::Install)
            })
        }
        Change::Delete { target, expect } => {
            let original = find_original(disk, target, expect)?;
            require_removable(&original)?;
            Ok(PlannedChange {
                kept_at: Some(target.stray_beside()),
                original: Some(original),
                ..PlannedChange::new(change, Strategy::Remove)
            })
        }
        Change::Rename { from, to, expect, content } => {
            disk.confirm(to)?;
            require_free(disk, to)?;
            let original = find_original(disk, from, expect)?;
            require_removable(&original)?;
            plan_rename(disk, change, (from, to), original, content.clone())
        }
    }
}

fn plan_rename<'a>(
    disk: &dyn Disk,
    change: &'a Change,
    (from, to): (&Target, &Target),
    original: Original<'a>,
    mut content: Option<FileBytes>,
) -> Result<PlannedChange<'a>> {
    // The device of the folder in which the file would be staged.
    let device = disk.stat_entry(&to.beside(OsString::from(".")))?.map(|stat| stat.dev);
    let crosses = device != Some(original.examined.stat.dev);
    if crosses && content.is_none() {
        let image = disk.read_entry(&original.entry, original.expect.stat.size)?;
        let missing = || DiskError::new(DiskErrorKind::NotFound, "read", &original.entry.path);
        content = Some(image.ok_or_else(missing)?.bytes.into());
    }
    let strategy = match (&content, original.examined.is_replaceable() || crosses) {
        (None, _) => Strategy::Move,
        (Some(_), true) => Strategy::MoveEdited,
        (Some(_), false) => Strategy::MoveInPlace,
    };
    let is_staged = strategy == Strategy::MoveEdited;
    Ok(PlannedChange {
        staged_at: is_staged.then(|| to.stray_beside()),
        kept_at: is_staged.then(|| from.stray_beside()),
        content,
        original: Some(original),
        ..PlannedChange::new(change, strategy)
    })
}

/// Examines the file that a change applies to. A difference that is visible without reading is refused here;
/// the rest is checked right before the switch.
fn find_original<'a>(disk: &dyn Disk, target: &Target, expect: &'a Expected) -> Result<Original<'a>> {
    let missing = || DiskError::new(DiskErrorKind::NotFound, "change", &target.path);
    let entry = target.entry().ok_or_else(missing)?;
    disk.confirm(target)?;
    // A write by another machine is only visible after the file is opened again.
    let still_open = Some(expect).filter(|expect| target.root.is_steady(&expect.stat));
    let examined = disk.examine(&entry, still_open)?.ok_or_else(missing)?;
    // A hard link that was added since the read may be in any folder, and the access check did not cover that
    // location.
    let linked = examined.stat.nlink > 1 && expect.stat.nlink == 1;
    if linked || examined.stat.size != expect.stat.size {
        return Err(DiskError::new(DiskErrorKind::Changed, "change", &target.path));
    }
    Ok(Original { entry, examined, expect })
}

/// Refuses a file that cannot be renamed or deleted, before any file of the set is changed.
fn require_removable(original: &Original<'_>) -> Result<()> {
    match &original.examined.pinned {
        None => Ok(()),
        Some(kind) => Err(DiskError::new(kind.clone(), "rename or delete", &original.entry.path)),
    }
}

fn require_free(disk: &dyn Disk, target: &Target) -> Result<()> {
    let Some(entry) = target.entry() else { return Ok(()) };
    match disk.stat_entry(&entry)? {
        None => Ok(()),
        Some(_) => Err(DiskError::new(DiskErrorKind::Exists, "create", &target.path)),
    }
}
