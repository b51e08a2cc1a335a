//! The second phase: writes the new files beside the old ones.

use super::plan::{Part, Strategy};
use super::rollback::{Step, Undo};
use super::{Phase, of_change};
use crate::disk::change::{Change, Durability};
use crate::disk::error::Result;
use crate::disk::place::Entry;
use crate::disk::{Disk, Flush, StageOrder, Staged};
use crate::workspace::NewMode;

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
            _ => NewMode::Plain,
        },
        flush: match durability {
            Durability::Full => Flush::Now,
            Durability::Process => Flush::Ordered,
        },
    };
    match disk.stage(entry, order)? {
        Staged::Ready { stat, handle } => {
            let of = part.final_path().to_owned();
            undo.push(Step::Staged { at: entry.clone(), content: content.clone(), of });
            part.staged = Some((stat, handle));
        }
        Staged::Unfaithful => keep_inode(part),
    }
    Ok(())
}

/// Switches a part to an in-place write, because the new file cannot have the attributes of the old one.
fn keep_inode(part: &mut Part<'_>) {
    part.staged_at = None;
    part.kept_at = None;
    part.strategy = match part.strategy {
        Strategy::MoveEdited => Strategy::MoveInPlace,
        _ => Strategy::InPlace,
    };
}
