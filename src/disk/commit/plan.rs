//! The first phase: read state, refuse early, choose strategies and names. Modifies nothing.

use super::{Failure, Phase, of_change};
use crate::disk::bytes::FileBytes;
use crate::disk::change::{Change, Expected};
use crate::disk::error::{DiskError, DiskErrorKind, Result};
use crate::disk::journal::Journal;
use crate::disk::place::{Entry, Handle, Root, Target};
use crate::disk::stat::Stat;
use crate::disk::{Disk, Examined};
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Prefix of the names of all staged and displaced files. These names have a fixed short length, because the
/// file's own name plus a suffix would not fit if the name already has the maximum length.
const STRAY_PREFIX: &str = ".editd-";

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
pub(super) struct Part<'a> {
    pub(super) change: &'a Change,
    pub(super) strategy: Strategy,
    /// The existing file.
    pub(super) original: Option<Original<'a>>,
    /// New content of the file.
    pub(super) content: Option<FileBytes>,
    /// Name of the new file until the switch; after an exchange, name of the old one.
    pub(super) staged_at: Option<Entry>,
    /// The staged file, once it exists.
    pub(super) staged: Option<(Stat, Handle)>,
    /// Name of an old file that is renamed away or linked, until the commit is done.
    pub(super) kept_at: Option<Entry>,
    /// The final name, once its folders exist.
    pub(super) installed_at: Option<Entry>,
}

/// An existing file that a change applies to.
pub(super) struct Original<'a> {
    pub(super) entry: Entry,
    pub(super) examined: Examined,
    pub(super) expect: &'a Expected,
}

impl Part<'_> {
    /// Returns `true` if the existing inode is written.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.strategy, Strategy::InPlace | Strategy::MoveInPlace)
    }

    /// Final location of the file.
    pub(super) fn destination(&self) -> &Target {
        match self.change {
            Change::Replace { target, .. }
            | Change::Create { target, .. }
            | Change::Delete { target, .. } => target,
            Change::Rename { to, .. } => to,
        }
    }

    pub(super) fn final_path(&self) -> &Path {
        &self.destination().path
    }

    pub(super) fn final_root(&self) -> &Root {
        &self.destination().root
    }

    /// The final name of the file; `None` for a deletion.
    pub(super) fn final_entry(&self) -> Option<&Entry> {
        match self.strategy {
            Strategy::Remove => None,
            _ => self.installed_at.as_ref(),
        }
    }

    /// Name of the displaced file after the switch.
    pub(super) fn displaced_at(&self) -> Option<&Entry> {
        match self.strategy {
            Strategy::Exchange => self.staged_at.as_ref(),
            Strategy::Linked | Strategy::Remove | Strategy::MoveEdited => self.kept_at.as_ref(),
            Strategy::InPlace | Strategy::Install | Strategy::Move | Strategy::MoveInPlace => None,
        }
    }
}

/// Plans all changes.
pub(super) fn plan<'a>(disk: &dyn Disk, journal: &Journal, changes: &'a [Change]) -> Phase<Vec<Part<'a>>> {
    changes
        .iter()
        .enumerate()
        .map(|(index, change)| of_change(index, plan_one(disk, journal, change)))
        .collect::<std::result::Result<_, Failure>>()
}

fn plan_one<'a>(disk: &dyn Disk, journal: &Journal, change: &'a Change) -> Result<Part<'a>> {
    change.paths().try_for_each(|path| journal.require_settled(path))?;
    match change {
        Change::Replace { target, content, expect } => {
            let original = find_original(disk, target, expect)?;
            let strategy =
                if original.examined.is_replaceable() { Strategy::Exchange } else { Strategy::InPlace };
            let mut part = new_part(change, strategy);
            part.staged_at = (strategy == Strategy::Exchange).then(|| stray_beside(target));
            part.kept_at = (strategy == Strategy::Exchange).then(|| stray_beside(target));
            part.installed_at = Some(original.entry.clone());
            part.content = Some(content.clone());
            part.original = Some(original);
            Ok(part)
        }
        Change::Create { target, content, .. } => {
            disk.confirm(target)?;
            require_free(disk, target)?;
            let mut part = new_part(change, Strategy::Install);
            part.staged_at = Some(stray_beside(target));
            part.content = Some(content.clone());
            Ok(part)
        }
        Change::Delete { target, expect } => {
            let original = find_original(disk, target, expect)?;
            require_removable(&original)?;
            let mut part = new_part(change, Strategy::Remove);
            part.original = Some(original);
            part.kept_at = Some(stray_beside(target));
            Ok(part)
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
) -> Result<Part<'a>> {
    let crosses = device_of(disk, to)? != Some(original.examined.stat.dev);
    if crosses && content.is_none() {
        content = Some(read_whole(disk, &original)?);
    }
    let strategy = match (&content, original.examined.is_replaceable() || crosses) {
        (None, _) => Strategy::Move,
        (Some(_), true) => Strategy::MoveEdited,
        (Some(_), false) => Strategy::MoveInPlace,
    };
    let mut part = new_part(change, strategy);
    part.staged_at = (strategy == Strategy::MoveEdited).then(|| stray_beside(to));
    part.kept_at = (strategy == Strategy::MoveEdited).then(|| stray_beside(from));
    part.content = content;
    part.original = Some(original);
    Ok(part)
}

fn new_part(change: &Change, strategy: Strategy) -> Part<'_> {
    Part {
        change,
        strategy,
        original: None,
        content: None,
        staged_at: None,
        staged: None,
        kept_at: None,
        installed_at: None,
    }
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
    // A hard link that was added since the read may lie anywhere, and the change was not allowed for that
    // location.
    let linked = examined.stat.nlink > 1 && expect.stat.nlink == 1;
    if linked || examined.stat.size != expect.stat.size {
        return Err(DiskError::new(DiskErrorKind::Changed, "change", &target.path));
    }
    Ok(Original { entry, examined, expect })
}

/// Refuses a name that cannot be removed from its file, before anything of the set changes.
fn require_removable(original: &Original<'_>) -> Result<()> {
    match &original.examined.pinned {
        None => Ok(()),
        Some(kind) => Err(DiskError::new(kind.clone(), "remove the name of", &original.entry.path)),
    }
}

fn require_free(disk: &dyn Disk, target: &Target) -> Result<()> {
    let Some(entry) = target.entry() else { return Ok(()) };
    match disk.stat_entry(&entry)? {
        None => Ok(()),
        Some(_) => Err(DiskError::new(DiskErrorKind::Exists, "create", &target.path)),
    }
}

/// Returns the device of the folder in which a target's file would be staged.
fn device_of(disk: &dyn Disk, target: &Target) -> Result<Option<u64>> {
    let itself = target.beside(OsString::from("."));
    Ok(disk.stat_entry(&itself)?.map(|stat| stat.dev))
}

fn read_whole(disk: &dyn Disk, original: &Original<'_>) -> Result<FileBytes> {
    let image = disk.read_entry(&original.entry, original.expect.stat.size)?;
    image
        .map(|image| FileBytes::from(image.bytes))
        .ok_or_else(|| DiskError::new(DiskErrorKind::NotFound, "read", &original.entry.path))
}

/// Returns a fresh name in the folder that the target opened.
fn stray_beside(target: &Target) -> Entry {
    target.beside(OsString::from(format!("{STRAY_PREFIX}{}", fresh_id())))
}

/// Returns sixteen hexadecimal digits that are unique.
pub(super) fn fresh_id() -> String {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}", SEED.hash_one(COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// Returns `true` if a name is one that a commit temporarily gives to files it is about to install or remove.
/// Listings omit such files, and a start may remove those that the journal names.
pub fn is_stray(name: &OsStr) -> bool {
    let Some(random) = name.to_str().and_then(|name| name.strip_prefix(STRAY_PREFIX)) else { return false };
    random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
}
