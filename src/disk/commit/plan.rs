//! The first phase: look at everything, refuse early, choose strategies and names. Touches nothing.

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

/// How every staged and displaced file's name begins. Names are of a fixed short length, because a
/// file's own name plus a suffix would not fit where that name is as long as names may be.
const STRAY_PREFIX: &str = ".editd-";

/// How a change is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The staged file and the old one swap names, and the old one is kept until all is done.
    Exchange,
    /// As exchange, where the file system cannot: the old file got a second name first.
    Linked,
    /// The old file's bytes are overwritten, because it has to stay the same inode.
    InPlace,
    /// The staged file takes a free name.
    Install,
    /// The old file is renamed away and kept until all is done.
    Remove,
    /// The file takes another name.
    Move,
    /// The old file is renamed away, the staged one takes the new name.
    MoveEdited,
    /// The file is overwritten, then takes another name.
    MoveInPlace,
}

/// One change on its way.
pub(super) struct Part<'a> {
    pub(super) change: &'a Change,
    pub(super) way: Way,
    /// The file that is there now.
    pub(super) original: Option<Original<'a>>,
    /// What the file is to hold.
    pub(super) content: Option<FileBytes>,
    /// Where the new file stands until the switch, and after an exchange the old one.
    pub(super) staged_at: Option<Entry>,
    /// The staged file, once it exists.
    pub(super) staged: Option<(Stat, Handle)>,
    /// Where an old file that is renamed away or linked stands until the end.
    pub(super) kept_at: Option<Entry>,
    /// The final name, once its folders exist.
    pub(super) settled: Option<Entry>,
}

/// An existing file that a change is for.
pub(super) struct Original<'a> {
    pub(super) entry: Entry,
    pub(super) examined: Examined,
    pub(super) expect: &'a Expected,
}

impl Part<'_> {
    /// Whether the file itself is written.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.way, Way::InPlace | Way::MoveInPlace)
    }

    /// Where the file will be.
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

    /// The name under which the file can be looked at in the end.
    pub(super) fn final_entry(&self) -> Option<&Entry> {
        match self.way {
            Way::Remove => None,
            _ => self.settled.as_ref(),
        }
    }

    /// Where the displaced file stands after the switch.
    pub(super) fn displaced_at(&self) -> Option<&Entry> {
        match self.way {
            Way::Exchange => self.staged_at.as_ref(),
            Way::Linked | Way::Remove | Way::MoveEdited => self.kept_at.as_ref(),
            Way::InPlace | Way::Install | Way::Move | Way::MoveInPlace => None,
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
            let way = if original.examined.is_replaceable() { Way::Exchange } else { Way::InPlace };
            let mut part = new_part(change, way);
            part.staged_at = (way == Way::Exchange).then(|| stray_beside(target));
            part.kept_at = (way == Way::Exchange).then(|| stray_beside(target));
            part.settled = Some(original.entry.clone());
            part.content = Some(content.clone());
            part.original = Some(original);
            Ok(part)
        }
        Change::Create { target, content, .. } => {
            disk.confirm(target)?;
            require_free(disk, target)?;
            let mut part = new_part(change, Way::Install);
            part.staged_at = Some(stray_beside(target));
            part.content = Some(content.clone());
            Ok(part)
        }
        Change::Delete { target, expect } => {
            let original = find_original(disk, target, expect)?;
            require_loose(&original)?;
            let mut part = new_part(change, Way::Remove);
            part.original = Some(original);
            part.kept_at = Some(stray_beside(target));
            Ok(part)
        }
        Change::Rename { from, to, expect, content } => {
            disk.confirm(to)?;
            require_free(disk, to)?;
            let original = find_original(disk, from, expect)?;
            require_loose(&original)?;
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
        content = Some(whole(disk, &original)?);
    }
    let way = match (&content, original.examined.is_replaceable() || crosses) {
        (None, _) => Way::Move,
        (Some(_), true) => Way::MoveEdited,
        (Some(_), false) => Way::MoveInPlace,
    };
    let mut part = new_part(change, way);
    part.staged_at = (way == Way::MoveEdited).then(|| stray_beside(to));
    part.kept_at = (way == Way::MoveEdited).then(|| stray_beside(from));
    part.content = content;
    part.original = Some(original);
    Ok(part)
}

fn new_part(change: &Change, way: Way) -> Part<'_> {
    Part {
        change,
        way,
        original: None,
        content: None,
        staged_at: None,
        staged: None,
        kept_at: None,
        settled: None,
    }
}

/// Examines the file that a change is for. A difference that shows without reading is refused here; the
/// rest is checked right before the switch.
fn find_original<'a>(disk: &dyn Disk, target: &Target, expect: &'a Expected) -> Result<Original<'a>> {
    let missing = || DiskError::new(DiskErrorKind::NotFound, "change", &target.path);
    let entry = target.entry().ok_or_else(missing)?;
    disk.confirm(target)?;
    // What another machine has written is only seen by whoever opens the file anew.
    let still_open = Some(expect).filter(|expect| target.root.is_steady(&expect.stat));
    let examined = disk.examine(&entry, still_open)?.ok_or_else(missing)?;
    // A name that came since it was read may lie anywhere, and the change was not allowed for that one.
    let linked = examined.stat.nlink > 1 && expect.stat.nlink == 1;
    if linked || examined.stat.size != expect.stat.size {
        return Err(DiskError::new(DiskErrorKind::Changed, "change", &target.path));
    }
    Ok(Original { entry, examined, expect })
}

/// A name that cannot be taken from its file can be refused before anything of the set changes.
fn require_loose(original: &Original<'_>) -> Result<()> {
    match &original.examined.pinned {
        None => Ok(()),
        Some(kind) => Err(DiskError::new(kind.clone(), "remove the name of", &original.entry.path)),
    }
}

fn require_free(disk: &dyn Disk, target: &Target) -> Result<()> {
    let Some(entry) = target.entry() else { return Ok(()) };
    match disk.look(&entry)? {
        None => Ok(()),
        Some(_) => Err(DiskError::new(DiskErrorKind::Exists, "create", &target.path)),
    }
}

/// The device of the folder in which a target's file would be staged.
fn device_of(disk: &dyn Disk, target: &Target) -> Result<Option<u64>> {
    let itself = target.beside(OsString::from("."));
    Ok(disk.look(&itself)?.map(|stat| stat.dev))
}

fn whole(disk: &dyn Disk, original: &Original<'_>) -> Result<FileBytes> {
    let image = disk.read_entry(&original.entry, original.expect.stat.size)?;
    image
        .map(|image| FileBytes::from(image.bytes))
        .ok_or_else(|| DiskError::new(DiskErrorKind::NotFound, "read", &original.entry.path))
}

/// A fresh name in the folder that the target opened.
fn stray_beside(target: &Target) -> Entry {
    target.beside(OsString::from(format!("{STRAY_PREFIX}{}", fresh_id())))
}

/// Sixteen digits that nothing else is called by.
pub(super) fn fresh_id() -> String {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}", SEED.hash_one(COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// Whether a name is one that a commit gives for a while to files it is about to install or remove.
/// Such files are nobody's: listings leave them out, and a start may remove those it has on record.
pub fn is_stray(name: &OsStr) -> bool {
    let Some(random) = name.to_str().and_then(|name| name.strip_prefix(STRAY_PREFIX)) else { return false };
    random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
}
