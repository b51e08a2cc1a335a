//! Working out what takes back what a transaction did to one file. Nothing here touches a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::edit::{Plan, Splice, WayBack};
use crate::notebook::broken;
use crate::text::{ContentHash, Format, decode_as};
use crate::workspace::history::{Back, PastAction, PastDetail, PastEntry, PastFile, chain_from, was_before};
use crate::workspace::{Action, Coverage, NewMode, OnStale, Refusal, RefusalKind, Since, Snapshot};

use super::Core;
use super::content::Content;
use super::difference::drift;
use super::draft::Drafted;
use super::event::Event;
use super::observe::Observed;
use super::rebase::rebase;
use super::work::{Rules, Trouble, Worked, finish, written_down};

const MERGED: &str = "The file has changed since; what came later was kept.";
const FOUND: &str = "The file has changed since by another program; the changed places were found by what stands around them.";

/// A file of a transaction that is to be undone.
pub(crate) struct Reversal<'a> {
    pub(crate) core: &'a Core,
    pub(crate) entry: &'a PastEntry,
    pub(crate) file: &'a PastFile,
    pub(crate) detail: &'a PastDetail,
    /// How much of the file its author knows.
    pub(crate) coverage: Coverage,
    pub(crate) rules: &'a Rules<'a>,
}

/// The text that a transaction left.
struct Left {
    text: String,
    /// What made the present text of it, where all of that is known.
    since: Option<Vec<Plan>>,
}

type Result<T> = std::result::Result<T, Refusal>;

impl Reversal<'_> {
    /// What has to be done to the file as it is now; nothing if it is already what it was before. `old` is
    /// the place from which it was renamed.
    pub(crate) fn work_out(&self, now: Observed, old: Option<&Observed>) -> Result<Option<Worked>> {
        if !self.entry.rescued && self.is_taken_back(&now, old) {
            return Ok(None);
        }
        match &self.file.action {
            PastAction::Create => self.remove(now).map(Some),
            PastAction::Delete => self.make_anew(now).map(Some),
            PastAction::Edit if self.entry.rescued => self.put_back(now),
            PastAction::Edit => self.take_back(now, Action::Edit),
            PastAction::Rename(_) => {
                let Some(old) = old.filter(|old| !old.exists()) else {
                    return Err(Refusal::at(&self.file.path, RefusalKind::Exists));
                };
                let action = Action::Rename { to: old.target.path.clone(), to_key: old.target.key.clone() };
                self.take_back(now, action)
            }
        }
    }

    /// Returns whether something else, such as git, took the change back: the file is as it was before, or as it
    /// was before an earlier change.
    fn is_taken_back(&self, now: &Observed, old: Option<&Observed>) -> bool {
        if let PastAction::Rename(_) = self.file.action {
            let is_as_before = |it: &Observed| it.exists() && it.truth.hash() == self.file.hash_before;
            return !now.exists() && old.is_some_and(is_as_before);
        }
        let content = now.truth.hash().filter(|_| now.exists());
        let known = self.core.history.about(&self.file.path);
        let own = known.iter().position(|entry| entry.id == self.entry.id).unwrap_or_default();
        content != self.file.hash_after
            && was_before(&self.file.path, content, self.file.hash_before, &known[..own])
    }

    /// Removes what was created, if it is just that.
    fn remove(&self, now: Observed) -> Result<Worked> {
        if !now.exists() || now.truth.hash() != self.file.hash_after {
            return Err(self.stale_as_left(&now));
        }
        let format = format_of(&now);
        self.finish(now, Action::Delete, format, Drafted::default())
    }

    /// Creates what was deleted, if nothing is there.
    fn make_anew(&self, now: Observed) -> Result<Worked> {
        if now.exists() {
            return Err(Refusal::at(&now.target.path, RefusalKind::Exists));
        }
        let Some(content) = self.image() else { return Err(self.stale(&now, None)) };
        let mode = match self.detail.back {
            Back::Image { mode: Some(bits) } => NewMode::Bits(bits),
            _ => NewMode::Plain,
        };
        Ok(self.whole(now, Action::Create { mode }, content))
    }

    /// Writes a text back that was kept. What stands there now is kept in turn, by the entry of this very undo.
    fn put_back(&self, now: Observed) -> Result<Option<Worked>> {
        if now.truth.hash() == self.file.hash_before {
            return Ok(None);
        }
        let Some(content) = self.image() else { return Err(self.stale(&now, None)) };
        let action = if now.exists() { Action::Edit } else { Action::CREATE };
        Ok(Some(self.whole(now, action, content)))
    }

    /// Takes a change of the text back, and a rename with it.
    fn take_back(&self, now: Observed, action: Action) -> Result<Option<Worked>> {
        if !now.exists() {
            return Err(self.stale(&now, None));
        }
        let is_as_left = now.truth.hash() == self.file.hash_after;
        match &self.detail.back {
            // Nothing but the bytes can show that it is the file that was renamed.
            Back::Nothing if !is_as_left => Err(self.stale_as_left(&now)),
            Back::Nothing => {
                let format = format_of(&now);
                self.finish(now, action, format, Drafted::default()).map(Some)
            }
            Back::Edits { way, before, after } if is_as_left => {
                self.exactly(now, action, way, (*before, *after)).map(Some)
            }
            Back::Edits { way, before, after } => self.merged(now, action, way, (*before, *after)),
            Back::Image { .. } if is_as_left => {
                let Some(content) = self.image() else { return Err(self.stale(&now, None)) };
                Ok(Some(self.whole(now, action, content)))
            }
            Back::Image { .. } => Err(self.stale_as_left(&now)),
        }
    }

    /// The file is what the transaction left: the result must be what it was before, to the byte.
    fn exactly(
        &self,
        now: Observed,
        action: Action,
        way: &WayBack,
        (before, after): (Format, Format),
    ) -> Result<Worked> {
        let left = text_as(&now, after).filter(|left| way.inverse.fits(left));
        let Some(left) = left else { return Err(self.stale(&now, None)) };
        let plan = match &now.text {
            Some(text) if **text == *left => way.inverse.clone(),
            text => {
                let present = text.as_ref().map_or("", |text| text);
                Plan::between(present, &way.inverse.apply(&left), self.rules.deadline)
            }
        };
        let content = self.restored(&now, &plan, before)?;
        if Some(content.hash()) != self.file.hash_before {
            return Err(self.stale(&now, None));
        }
        let drafted = Drafted { plan, ..Drafted::default() };
        Ok(written_down(now, action, (before, Some(content)), drafted, self.coverage, self.rules))
    }

    /// The file has changed since: takes back what was not touched by that, or nothing.
    fn merged(
        &self,
        now: Observed,
        action: Action,
        way: &WayBack,
        (before, after): (Format, Format),
    ) -> Result<Option<Worked>> {
        let (Some(present), Some(format)) = (&now.text, now.truth.snapshot().map(|now| now.format)) else {
            return Err(self.stale(&now, None));
        };
        let left = self.left(&now, after);
        let (plan, warning) = self.carried(way, left.as_ref(), &now, present)?;
        let result = match (format == after, before == after) {
            (true, _) => before,
            (false, true) => format,
            // What was written in another encoding was written in a third since.
            (false, false) => return Err(self.stale(&now, left.as_ref().map(|left| left.text.as_str()))),
        };
        if plan.is_empty() && result == format && action == Action::Edit {
            return Ok(None);
        }
        if broken(&now.target.path, present, &plan).is_some() {
            return Err(self.stale(&now, left.as_ref().map(|left| left.text.as_str())));
        }
        let rebased = !plan.is_empty();
        let warnings = if rebased { vec![warning.to_owned()] } else { Vec::new() };
        let drafted = Drafted { plan, warnings, rebased, ..Drafted::default() };
        if format != after {
            return self.finish(now, action, result, drafted).map(Some);
        }
        let content = self.restored(&now, &drafted.plan, result)?;
        Ok(Some(written_down(now, action, (result, Some(content)), drafted, self.coverage, self.rules)))
    }

    /// The way back over the present text: by what is known to have come later, by a merge with it, or by
    /// what stands around the places.
    fn carried(
        &self,
        way: &WayBack,
        left: Option<&Left>,
        now: &Observed,
        present: &str,
    ) -> Result<(Plan, &'static str)> {
        let Some(Left { text, since }) = left else {
            // Of a file that was only renamed there is no place to find: any file could be that one.
            let found = (!way.inverse.is_empty()).then(|| way.found_in(present)).flatten();
            return found.map(|plan| (plan, FOUND)).ok_or_else(|| self.stale(now, None));
        };
        if let Some(plan) = since.as_ref().and_then(|since| way.carried(since)) {
            return Ok((plan, MERGED));
        }
        if way.inverse.is_empty() && !resembles(text, present) {
            return Err(self.stale(now, Some(text)));
        }
        let drafted = Drafted { plan: way.inverse.clone(), ..Drafted::default() };
        let rules = Rules { on_stale: OnStale::Rebase, ..*self.rules };
        match rebase(&now.target.path, (text, present), drafted, &rules) {
            Ok(drafted) => Ok((drafted.plan, MERGED)),
            Err(Trouble::File(kind @ RefusalKind::Timeout { .. })) => {
                Err(Refusal::at(&now.target.path, kind))
            }
            Err(_) => Err(self.stale(now, Some(text))),
        }
    }

    /// The text that the transaction left, from what is kept of texts, or by going back through what is known
    /// to have come later.
    fn left(&self, now: &Observed, format: Format) -> Option<Left> {
        let known = self.core.history.about(self.file.place());
        let own = known.iter().position(|entry| entry.id == self.entry.id)?;
        let chain = chain_from(self.file.place(), self.file.hash_after, &known[own + 1..]);
        let mut states = vec![self.file.hash_after?];
        states.extend(chain.iter().map_while(|(_, file)| file.hash_after));
        let present = states.iter().rposition(|state| Some(*state) == now.truth.hash());
        let (start, mut text) = match (present, &now.text) {
            (Some(start), Some(text)) => (start, text.to_string()),
            _ => {
                states.iter().enumerate().find_map(|(at, state)| Some((at, self.core.known_text(*state)?)))?
            }
        };
        let mut since = Vec::with_capacity(start);
        for (entry, file) in chain[..start].iter().rev() {
            let detail = self.core.history.details(&entry.id)?.into_iter().nth(file.detail)?;
            let Back::Edits { way, .. } = detail.back else { return None };
            if !way.inverse.fits(&text) {
                return None;
            }
            let before = way.inverse.apply(&text);
            since.push(way.inverse.invert(&text));
            text = before;
        }
        since.reverse();
        let is_it =
            format.encode(&text).is_ok_and(|bytes| Some(ContentHash::of(&bytes)) == self.file.hash_after);
        is_it.then_some(Left { text, since: present.map(|_| since) })
    }

    fn image(&self) -> Option<Content> {
        let hash = self.file.hash_before?;
        self.core.history.image(&self.entry.id, hash).map(Content::of_bytes)
    }

    /// A file that gets a whole content.
    fn whole(&self, now: Observed, action: Action, content: Content) -> Worked {
        let plan = match (content.text().map(ToString::to_string), &now.text) {
            (Some(text), Some(present)) => Plan::between(present, &text, self.rules.deadline),
            (Some(text), None) => Plan::new(0, vec![Splice { range: 0..0, text }]).unwrap_or_default(),
            (None, present) => Plan::empty(present.as_ref().map_or(0, |text| text.len())),
        };
        let drafted = Drafted { plan, ..Drafted::default() };
        let content = (content.format(), Some(content));
        written_down(now, action, content, drafted, self.coverage, self.rules)
    }

    fn restored(&self, now: &Observed, plan: &Plan, format: Format) -> Result<Content> {
        Content::restored(now, plan, format, self.rules.file_size)
            .map_err(|kind| Refusal::at(&now.target.path, kind))
    }

    fn finish(&self, now: Observed, action: Action, format: Format, drafted: Drafted) -> Result<Worked> {
        let path = now.target.path.clone();
        finish(now, action, format, drafted, self.coverage, self.rules)
            .map_err(|kind| Refusal::at(path, kind))
    }

    /// The refusal for a file that must be exactly what the transaction left.
    fn stale_as_left(&self, now: &Observed) -> Refusal {
        let text = self.file.hash_after.and_then(|hash| self.core.known_text(hash)).or_else(|| {
            let Back::Edits { after, .. } = &self.detail.back else { return None };
            self.left(now, *after).map(|left| left.text)
        });
        self.stale(now, text.as_deref())
    }

    /// The refusal for a file that is not what the transaction left, whose text is `left` if that is known.
    fn stale(&self, now: &Observed, left: Option<&str>) -> Refusal {
        let diff = left.zip(self.file.hash_after).and_then(|(left, hash)| {
            let (text, size) = (left.into(), left.len() as u64);
            let given = Snapshot { hash, text, format: Format::UTF8, size };
            let name = now.target.path.strip_prefix(now.target.root.path()).unwrap_or(&now.target.path);
            let present = now.text.as_ref().map(|text| text.as_str());
            let comparable = present.is_some() || !now.exists();
            comparable.then(|| drift(&given, present, &name.display().to_string(), self.rules.deadline))?
        });
        let (current, base_known) = (now.truth.hash(), left.is_some());
        let since = Since::Written { later: self.in_the_way(now) };
        Refusal::at(&now.target.path, RefusalKind::Stale { current, diff, base_known, since })
    }

    /// Returns the later transaction that keeps this one from being undone, if no other program has changed the
    /// file: the first one that touched the same lines, else the newest.
    fn in_the_way(&self, now: &Observed) -> Option<Arc<str>> {
        let known = self.core.history.about(self.file.place());
        let own = known.iter().position(|entry| entry.id == self.entry.id)?;
        let chain = chain_from(self.file.place(), self.file.hash_after, &known[own + 1..]);
        let newest = chain.iter().rposition(|(_, file)| file.hash_after == now.truth.hash())?;
        let overlaps = || {
            let Back::Edits { way, after, .. } = &self.detail.back else { return None };
            if self.file.action == PastAction::Create {
                return None;
            }
            let since = self.left(now, *after)?.since?;
            (0..since.len()).find(|&at| way.carried(&since[..=at]).is_none())
        };
        Some(chain[overlaps().unwrap_or(newest)].0.id.clone())
    }
}

/// The text of a file that is known to be written in this format.
fn text_as(now: &Observed, format: Format) -> Option<Cow<'_, str>> {
    match (&now.text, now.truth.snapshot()) {
        (Some(text), Some(snapshot)) if snapshot.format == format => Some(Cow::Borrowed(text)),
        _ => decode_as(&now.bytes.to_vec(), format).map(|text| Cow::Owned(text.into_owned())),
    }
}

/// Whether two texts share at least half of the longer one's lines: what git takes for the same file.
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
    now.truth.snapshot().map_or(Format::UTF8, |snapshot| snapshot.format)
}

impl Core {
    /// A text by its hash, from memory or the state folder.
    pub(crate) fn known_text(&self, hash: ContentHash) -> Option<String> {
        let kept = self.ask(|reply| Event::Text { hash, reply }).ok()?;
        kept.or_else(|| self.kept_base(hash)).map(|snapshot| snapshot.text.to_string())
    }
}
