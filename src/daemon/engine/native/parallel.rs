//! Changes of one file by several calls that are checked before the first of them is made.
//!
//! Some programs report all calls of a turn before they run the first. Each is then computed on the file as it is
//! before all of them. When the first has been made, the others are rebased onto its result.

use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::{ComputeOptions, finish};
use crate::engine::change::content::Content;
use crate::engine::change::draft::Draft;
use crate::engine::files::observe::Observed;
use crate::engine::native::{PreparedChange, PreparedFile, prepared_file};
use editd_disk::Target;
use editd_text::ContentHash;
use editd_workspace::Action;

impl Engine {
    /// Rebases the changes of other calls onto a change that has been made.
    pub(super) fn rebase_others(
        &self,
        (made, targets): (&PreparedChange, &[Target]),
        others: &[Arc<PreparedChange>],
        rules: &ComputeOptions<'_>,
    ) {
        for other in others {
            let rebase = |file: &PreparedFile| {
                let mut made = made.files.iter().zip(targets);
                let (made, target) = made.find(|(made, _)| made.has_same_base(file))?;
                file.rebased(made, target.clone(), rules)
            };
            let rebased: Vec<_> = other.files.iter().map(rebase).collect();
            if rebased.iter().all(Option::is_none) {
                continue;
            }
            let files = rebased.into_iter().zip(&other.files);
            let files = files.map(|(rebased, file)| rebased.unwrap_or_else(|| file.clone())).collect();
            let (label, origin) = (other.label.clone(), other.origin.clone());
            self.prepared.replace(other, PreparedChange { label, origin, files });
        }
    }
}

impl PreparedFile {
    /// Returns `true` if both change the text of the same content.
    fn has_same_base(&self, other: &Self) -> bool {
        let edits = |file: &Self| file.file.action == Action::Edit;
        self.file.path == other.file.path
            && self.file.hash_before == other.file.hash_before
            && edits(self)
            && edits(other)
    }

    /// Returns `true` if the content with that hash is the result of this change and of some later ones, in
    /// their order.
    pub(super) fn leads_to(&self, hash: Option<ContentHash>, others: &[Arc<PreparedChange>]) -> bool {
        let (Some(before), Some(hash)) = (&self.before, hash) else { return false };
        let later = others.iter().flat_map(|change| &change.files).filter(|file| self.has_same_base(file));
        let mut plan = (*self.file.plan).clone();
        for file in later {
            let Some(next) = file.file.plan.rebase_adjacent(&plan) else { continue };
            plan = plan.then(&next);
            let text = plan.apply(before);
            if self.file.format.encode(&text).is_ok_and(|bytes| ContentHash::of(&bytes) == hash) {
                return true;
            }
        }
        false
    }

    /// Returns the change rebased onto the result of `made`, or `None` if the two overlap.
    fn rebased(&self, made: &Self, target: Target, rules: &ComputeOptions<'_>) -> Option<Self> {
        let plan = self.file.plan.rebase_adjacent(&made.file.plan)?;
        let observed = made.observed_before(target);
        let content = Content::of_plan(&observed, &made.file.plan, made.file.format, rules.file_size).ok()?;
        let after = Observed {
            content: content.content(),
            bytes: content.bytes.clone(),
            text: made.after.clone().map(Arc::new),
            ..observed
        };
        let (matches, warnings) = (self.file.matches.clone(), self.file.warnings.clone());
        let draft = Draft { plan, matches, warnings, ..Draft::default() };
        let (format, coverage) = (self.file.format, self.file.coverage);
        let computed = finish(after, Action::Edit, format, draft, coverage, rules).ok()?;
        Some(prepared_file(&mut PendingWrite::new(0, computed, None)))
    }
}
