//! Computes the undo of a transaction for one file. Does not access the file system.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::change::compute::{ComputeOptions, ComputedChange, finish, with_content};
use crate::engine::change::content::Content;
use crate::engine::change::draft::{Draft, DraftError};
use crate::engine::change::rebase::{drift_to, rebase};
use crate::engine::files::observe::Observed;
use crate::engine::undo::text_after::TextAfter;
use editd_edit::notebook::broken;
use editd_edit::{Plan, Splice, UndoPlan};
use editd_text::{Format, decode_as};
use editd_workspace::history::{Back, PastAction, PastDetail, PastEntry, PastFile, chain_from, was_before};
use editd_workspace::{
    Action, Coverage, NewMode, OnStale, Refusal, RefusalKind, Since, Snapshot, UndoRefusal,
};

const MERGED: &str = "The file has changed since; later changes were kept.";

const FOUND: &str =
    "Another program has changed the file since; the changed lines were located by their context.";

/// The undo of a transaction for one of its files.
pub(crate) struct Reversal<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) entry: &'a PastEntry,
    pub(crate) file: &'a PastFile,
    pub(crate) detail: &'a PastDetail,
    /// Part of the file that the author of the undo has read.
    pub(crate) coverage: Coverage,
    pub(crate) rules: &'a ComputeOptions<'a>,
}

type Result<T> = std::result::Result<T, Refusal>;

impl Reversal<'_> {
    /// Computes the change that undoes the transaction. Returns `None` if the file already is as it was
    /// before. `old` is the path from which the file was renamed.
    pub(crate) fn compute(&self, now: Observed, old: Option<&Observed>) -> Result<Option<ComputedChange>> {
        if !self.entry.rescued && self.is_reverted(&now, old) {
            return Ok(None);
        }
        match &self.file.action {
            PastAction::Create => self.remove(now).map(Some),
            PastAction::Delete => self.recreate(now).map(Some),
            PastAction::Edit if self.entry.rescued => self.restore_rescued(now),
            PastAction::Edit => self.revert(now, Action::Edit),
            PastAction::Rename(_) => {
                let Some(old) = old.filter(|old| !old.exists()) else {
                    return Err(Refusal::at(&self.file.path, RefusalKind::Exists));
                };
                let action = Action::Rename { to: old.target.path.clone(), to_key: old.target.key.clone() };
                self.revert(now, action)
            }
        }
    }

    /// Returns `true` if another program, such as git, has already reverted the change: the file is as it was
    /// before it, or before an earlier change.
    fn is_reverted(&self, now: &Observed, old: Option<&Observed>) -> bool {
        if let PastAction::Rename(_) = self.file.action {
            let is_as_before = |it: &Observed| it.exists() && it.content.hash() == self.file.hash_before;
            return !now.exists() && old.is_some_and(is_as_before);
        }
        let content = now.content.hash().filter(|_| now.exists());
        let known = self.engine.history.about(&self.file.path);
        let own = known.iter().position(|entry| entry.id == self.entry.id).unwrap_or_default();
        content != self.file.hash_after
            && was_before(&self.file.path, content, self.file.hash_before, &known[..own])
    }

    /// Removes a created file, if its content has not changed since.
    fn remove(&self, now: Observed) -> Result<ComputedChange> {
        if !now.exists() || now.content.hash() != self.file.hash_after {
            return Err(self.stale_as_left(&now));
        }
        let format = format_of(&now);
        self.finish(now, Action::Delete, format, Draft::default())
    }

    /// Recreates a deleted file, if the path does not exist.
    fn recreate(&self, now: Observed) -> Result<ComputedChange> {
        if now.exists() {
            return Err(Refusal::at(&now.target.path, RefusalKind::Exists));
        }
        let content = self.image()?;
        let mode = match self.detail.back {
            Back::Image { mode: Some(bits) } => NewMode::Bits(bits),
            _ => NewMode::Plain,
        };
        Ok(self.whole(now, Action::Create { mode }, content))
    }

    /// Restores rescued content. The entry of this undo retains the content that it replaces.
    fn restore_rescued(&self, now: Observed) -> Result<Option<ComputedChange>> {
        if now.content.hash() == self.file.hash_before {
            return Ok(None);
        }
        let content = self.image()?;
        let action = if now.exists() { Action::Edit } else { Action::CREATE };
        Ok(Some(self.whole(now, action, content)))
    }

    /// Reverts a change of the text, and a rename with it.
    fn revert(&self, now: Observed, action: Action) -> Result<Option<ComputedChange>> {
        if !now.exists() {
            return Err(self.stale(&now, None));
        }
        let is_as_left = now.content.hash() == self.file.hash_after;
        match &self.detail.back {
            // Only the content can show that this is the renamed file.
            Back::Nothing if !is_as_left => Err(self.stale_as_left(&now)),
            Back::Nothing => {
                let format = format_of(&now);
                self.finish(now, action, format, Draft::default()).map(Some)
            }
            Back::Edits { way, before, after } if is_as_left => {
                self.revert_exactly(now, action, way, (*before, *after)).map(Some)
            }
            Back::Edits { way, before, after } => self.revert_merged(now, action, way, (*before, *after)),
            Back::Image { .. } if is_as_left => Ok(Some(self.whole(now, action, self.image()?))),
            Back::Image { .. } => Err(self.stale_as_left(&now)),
            Back::Gone => Err(self.not_kept()),
        }
    }

    /// Reverts a file that has not changed since. The result must equal the old content, to the byte.
    fn revert_exactly(
        &self,
        now: Observed,
        action: Action,
        undo: &UndoPlan,
        (before, after): (Format, Format),
    ) -> Result<ComputedChange> {
        let text_after = text_as(&now, after).filter(|text| undo.inverse.fits(text));
        let Some(text_after) = text_after else { return Err(self.stale(&now, None)) };
        let plan = match &now.text {
            Some(text) if **text == *text_after => undo.inverse.clone(),
            text => {
                let present = text.as_ref().map_or("", |text| text);
                Plan::between(present, &undo.inverse.apply(&text_after), self.rules.deadline)
            }
        };
        let content = self.restored(&now, &plan, before)?;
        if Some(content.hash()) != self.file.hash_before {
            return Err(self.stale(&now, None));
        }
        let draft = Draft { plan, ..Draft::default() };
        Ok(with_content(now, action, (before, Some(content)), draft, self.coverage, self.rules))
    }

    /// Reverts the change in a file that has changed since, without touching the later changes. Returns
    /// `None` if nothing remains to revert.
    fn revert_merged(
        &self,
        now: Observed,
        action: Action,
        undo: &UndoPlan,
        (before, after): (Format, Format),
    ) -> Result<Option<ComputedChange>> {
        let (Some(present), Some(format)) = (&now.text, now.content.snapshot().map(|now| now.format)) else {
            return Err(self.stale(&now, None));
        };
        let text_after = self.engine.text_after((self.entry, self.file), Some(&now), after);
        let known_text = text_after.as_ref().map(|after| after.text.as_str());
        let (plan, warning) = self.rebase_undo(undo, text_after.as_ref(), &now, present)?;
        let new_format = match (format == after, before == after) {
            (true, _) => before,
            (false, true) => format,
            // The transaction changed the encoding, and another program has changed it again.
            (false, false) => return Err(self.stale(&now, known_text)),
        };
        if plan.is_empty() && new_format == format && action == Action::Edit {
            return Ok(None);
        }
        if broken(&now.target.path, present, &plan).is_some() {
            return Err(self.stale(&now, known_text));
        }
        let rebased = !plan.is_empty();
        let warnings = if rebased { vec![warning.to_owned()] } else { Vec::new() };
        let draft = Draft { plan, warnings, rebased, ..Draft::default() };
        if format != after {
            return self.finish(now, action, new_format, draft).map(Some);
        }
        let content = self.restored(&now, &draft.plan, new_format)?;
        Ok(Some(with_content(now, action, (new_format, Some(content)), draft, self.coverage, self.rules)))
    }

    /// Rebases the undo plan onto the current text: over the known later changes, else by a merge, else by
    /// the context of the changed lines. Also returns a warning that names the method.
    fn rebase_undo(
        &self,
        undo: &UndoPlan,
        text_after: Option<&TextAfter>,
        now: &Observed,
        present: &str,
    ) -> Result<(Plan, &'static str)> {
        let Some(TextAfter { text, since }) = text_after else {
            // A file that was only renamed has no changed lines to locate: any file could be that file.
            let found = (!undo.inverse.is_empty()).then(|| undo.found_in(present)).flatten();
            return found.map(|plan| (plan, FOUND)).ok_or_else(|| self.stale(now, None));
        };
        if let Some(plan) = since.as_ref().and_then(|since| undo.carried(since)) {
            return Ok((plan, MERGED));
        }
        if undo.inverse.is_empty() && !resembles(text, present) {
            return Err(self.stale(now, Some(text)));
        }
        let draft = Draft { plan: undo.inverse.clone(), ..Draft::default() };
        let rules = ComputeOptions { on_stale: OnStale::Rebase, ..*self.rules };
        match rebase(&now.target.path, (text, present), draft, &rules) {
            Ok(draft) => Ok((draft.plan, MERGED)),
            Err(DraftError::File(kind @ RefusalKind::Timeout { .. })) => {
                Err(Refusal::at(&now.target.path, kind))
            }
            Err(_) => Err(self.stale(now, Some(text))),
        }
    }

    fn image(&self) -> Result<Content> {
        let image = self.file.hash_before.and_then(|hash| self.engine.history.image(&self.entry.id, hash));
        image.map(Content::of_bytes).ok_or_else(|| self.not_kept())
    }

    /// Returns the refusal for a file whose old content was removed from the history.
    fn not_kept(&self) -> Refusal {
        let id = self.entry.id.to_string();
        Refusal::at(&self.file.path, RefusalKind::Undo(UndoRefusal::NotKept { id }))
    }

    /// Computes a change that replaces the whole content of the file.
    fn whole(&self, now: Observed, action: Action, content: Content) -> ComputedChange {
        let plan = match (content.text.as_ref().map(ToString::to_string), &now.text) {
            (Some(text), Some(present)) => Plan::between(present, &text, self.rules.deadline),
            (Some(text), None) => Plan::new(0, vec![Splice { range: 0..0, text }]).unwrap_or_default(),
            (None, present) => Plan::empty(present.as_ref().map_or(0, |text| text.len())),
        };
        let draft = Draft { plan, ..Draft::default() };
        let content = (content.format, Some(content));
        with_content(now, action, content, draft, self.coverage, self.rules)
    }

    fn restored(&self, now: &Observed, plan: &Plan, format: Format) -> Result<Content> {
        Content::restored(now, plan, format, self.rules.file_size)
            .map_err(|kind| Refusal::at(&now.target.path, kind))
    }

    fn finish(&self, now: Observed, action: Action, format: Format, draft: Draft) -> Result<ComputedChange> {
        let path = now.target.path.clone();
        finish(now, action, format, draft, self.coverage, self.rules).map_err(|kind| Refusal::at(path, kind))
    }

    /// Returns the refusal for a file whose content must be exactly the content after the transaction.
    fn stale_as_left(&self, now: &Observed) -> Refusal {
        let text = self.file.hash_after.and_then(|hash| self.engine.known_text(hash)).or_else(|| {
            let Back::Edits { after, .. } = &self.detail.back else { return None };
            self.engine.text_after((self.entry, self.file), Some(now), *after).map(|after| after.text)
        });
        self.stale(now, text.as_deref())
    }

    /// Returns the refusal for a file whose content is not the content after the transaction. `text_after` is
    /// the text after the transaction, if known.
    fn stale(&self, now: &Observed, text_after: Option<&str>) -> Refusal {
        let diff = text_after.zip(self.file.hash_after).and_then(|(after, hash)| {
            let (text, size) = (after.into(), after.len() as u64);
            drift_to(&Snapshot { hash, text, format: Format::UTF8, size }, now, self.rules.deadline)
        });
        let (current, base_known) = (now.content.hash(), text_after.is_some());
        let since = Since::Written { later: self.blocking_transaction(now) };
        Refusal::at(&now.target.path, RefusalKind::Stale { current, diff, base_known, since })
    }

    /// Returns the later transaction that prevents the undo: the first one that changed the same lines, else
    /// the newest. Returns `None` if another program has changed the file.
    fn blocking_transaction(&self, now: &Observed) -> Option<Arc<str>> {
        let known = self.engine.history.about(self.file.place());
        let own = known.iter().position(|entry| entry.id == self.entry.id)?;
        let chain = chain_from(self.file.place(), self.file.hash_after, &known[own + 1..]);
        let newest = chain.iter().rposition(|(_, file)| file.hash_after == now.content.hash())?;
        let overlaps = || {
            let Back::Edits { way, after, .. } = &self.detail.back else { return None };
            if self.file.action == PastAction::Create {
                return None;
            }
            let since = self.engine.text_after((self.entry, self.file), Some(now), *after)?.since?;
            (0..since.len()).find(|&at| way.carried(&since[..=at]).is_none())
        };
        Some(chain[overlaps().unwrap_or(newest)].0.id.clone())
    }
}

/// Returns the text of a file, decoded in this format.
fn text_as(now: &Observed, format: Format) -> Option<Cow<'_, str>> {
    match (&now.text, now.content.snapshot()) {
        (Some(text), Some(snapshot)) if snapshot.format == format => Some(Cow::Borrowed(text)),
        _ => decode_as(&now.bytes.to_vec(), format).map(|text| Cow::Owned(text.into_owned())),
    }
}

/// Returns `true` if two texts share at least half of the longer one's lines, which is git's criterion for a
/// rename.
fn resembles(a: &str, b: &str) -> bool {
    let mut counts = HashMap::<&str, usize>::new();
    a.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    let mut shared = 0;
    for line in b.lines() {
        if let Some(left) = counts.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    shared * 2 >= a.lines().count().max(b.lines().count())
}

fn format_of(now: &Observed) -> Format {
    now.content.snapshot().map_or(Format::UTF8, |snapshot| snapshot.format)
}
