//! The second phase: the new files, written beside the old ones.

use super::plan::{Part, Way};
use super::rollback::{Step, Undo};
use super::{Phase, of_change};
use crate::disk::change::{Change, Durability};
use crate::disk::error::Result;
use crate::disk::place::Entry;
use crate::disk::{Disk, StageOrder, Staged};

/// Stages every part that needs it.
pub(super) fn stage(
    disk: &dyn Disk,
    parts: &mut [Part<'_>],
    durability: Durability,
    undo: &mut Undo,
) -> Phase<()> {
    for (index, part) in parts.iter_mut().enumerate() {
        if let Some(entry) = part.staged_at.clone() {
            of_change(index, stage_one(disk, part, &entry, durability, undo))?;
        }
    }
    Ok(())
}

fn stage_one(
    disk: &dyn Disk,
    part: &mut Part<'_>,
    entry: &Entry,
    durability: Durability,
    undo: &mut Undo,
) -> Result<()> {
    let content = part.content.clone().unwrap_or_default();
    let order = StageOrder {
        content: &content,
        like: part.original.as_ref().map(|original| &original.examined),
        mode: match part.change {
            Change::Create { mode, .. } => *mode,
            _ => None,
        },
        flush: must_flush(part, durability),
    };
    match disk.stage(entry, order)? {
        Staged::Ready { stat, handle } => {
            undo.push(Step::Staged { at: entry.clone(), ours: stat });
            part.staged = Some((stat, handle));
        }
        Staged::Unfaithful => keep_inode(part),
    }
    Ok(())
}

/// Even where a power cut may take a change back it must not leave an empty file: so the data goes
/// first, unless the file system sees to that order itself, which it does only for a plain rename over
/// an existing file.
fn must_flush(part: &Part<'_>, durability: Durability) -> bool {
    let root = part.final_root();
    let known = part.original.as_ref().is_some_and(|original| original.examined.stat.dev == root.device());
    let ordered = part.way == Way::Swift && known && root.orders_rename();
    durability == Durability::Full || !ordered
}

/// The new file cannot be like the old one, so the old one is written itself.
fn keep_inode(part: &mut Part<'_>) {
    part.staged_at = None;
    part.kept_at = None;
    part.way = match part.way {
        Way::MoveEdited => Way::MoveInPlace,
        _ => Way::InPlace,
    };
}
