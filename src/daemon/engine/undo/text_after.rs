//! Texts and diffs of past changes, computed from what the history keeps.

use std::path::Path;

use crate::engine::change::content::Content;
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::Purpose;
use crate::engine::{Engine, SessionContext};
use editd_edit::{Labels, Plan, diff_texts};
use editd_text::{ContentHash, Format};
use editd_workspace::history::{Back, PastAction, PastDetail, PastEntry, PastFile, chain_from};
use editd_workspace::{PlannedFile, Proposal, RequestedPath};

/// The text of a file after a transaction.
pub(super) struct TextAfter {
    pub(super) text: String,
    /// The later changes that lead to the current text, if all of them are known.
    pub(super) since: Option<Vec<Plan>>,
}

impl Engine {
    /// Returns the text after a transaction: the current one, a stored one, or the result of inverting the known later
    /// changes of one of these.
    pub(super) fn text_after(
        &self,
        (entry, file): (&PastEntry, &PastFile),
        now: Option<&Observed>,
        format: Format,
    ) -> Option<TextAfter> {
        let known = self.history.about(file.place());
        let own = known.iter().position(|known| known.id == entry.id)?;
        let chain = chain_from(file.place(), file.hash_after, &known[own + 1..]);
        let mut states = vec![file.hash_after?];
        states.extend(chain.iter().map_while(|(_, file)| file.hash_after));
        let current = now.and_then(|now| now.content.hash());
        let present = states.iter().rposition(|state| Some(*state) == current);
        let (start, mut text) = match (present, now.and_then(|now| now.text.as_ref())) {
            (Some(start), Some(text)) => (start, text.to_string()),
            _ => states.iter().enumerate().find_map(|(at, state)| Some((at, self.known_text(*state)?)))?,
        };
        let mut since = Vec::with_capacity(start);
        for (entry, file) in chain[..start].iter().rev() {
            let detail = self.history.details(&entry.id)?.into_iter().nth(file.detail)?;
            let Back::Edits { way, .. } = detail.back else { return None };
            if !way.inverse.fits(&text) {
                return None;
            }
            let before = way.inverse.apply(&text);
            since.push(way.inverse.invert(&text));
            text = before;
        }
        since.reverse();
        let is_correct =
            format.encode(&text).is_ok_and(|bytes| Some(ContentHash::of(&bytes)) == file.hash_after);
        is_correct.then_some(TextAfter { text, since: present.map(|_| since) })
    }

    /// Returns an applied proposal with the diffs that were too long to be stored, as far as the history knows them.
    pub(crate) fn with_past_diffs(&self, session: &SessionContext, mut proposal: Proposal) -> Proposal {
        let lacks_any = proposal.files.iter().any(PlannedFile::lacks_diff);
        let Some(transaction) = proposal.transaction.clone().filter(|_| lacks_any) else { return proposal };
        let Some(recorded) = self.history.find(&transaction) else { return proposal };
        let details = self.history.details(&transaction).unwrap_or_default();
        let mut files = proposal.files.to_vec();
        for file in files.iter_mut().filter(|file| file.lacks_diff()) {
            let past = recorded.entry.files.iter().find(|past| past.path == file.path);
            let Some((past, detail)) = past.and_then(|past| Some((past, details.get(past.detail)?))) else {
                continue;
            };
            let computed = || self.past_diff(session, (&recorded.entry, past), detail);
            if let Some(diff) = detail.diff.clone().or_else(computed) {
                file.restore_diff(diff);
            }
        }
        proposal.files = files.into();
        proposal
    }

    /// Computes the diff of a past change again, because it was too long to be stored. Returns `None` if its texts are
    /// not known any more, or if it has none.
    pub(crate) fn past_diff(
        &self,
        session: &SessionContext,
        (entry, file): (&PastEntry, &PastFile),
        detail: &PastDetail,
    ) -> Option<String> {
        let (before, after) = match &detail.back {
            Back::Edits { way, after, .. } => {
                let target = self.locate(session, &RequestedPath::of(file.place()), Purpose::Read);
                let now = target.and_then(|target| self.observe(target)).ok();
                let text = self.text_after((entry, file), now.as_ref(), *after)?.text;
                (way.inverse.fits(&text).then(|| way.inverse.apply(&text))?, text)
            }
            Back::Image { .. } if file.action == PastAction::Delete => {
                let bytes = self.history.image(&entry.id, file.hash_before?)?;
                (Content::of_bytes(bytes).text?.to_string(), String::new())
            }
            Back::Image { .. } | Back::Nothing | Back::Gone => return None,
        };
        let name = |path: &Path| {
            let inside = self.root_of(session, path, Purpose::Read).map(|(_, relative)| relative);
            let path = inside.unwrap_or_else(|| path.strip_prefix("/").unwrap_or(path).to_owned());
            path.display().to_string()
        };
        let (old, new) = (name(&file.path), name(file.place()));
        let labels = Labels {
            old: (file.action != PastAction::Create).then_some(&*old),
            new: (file.action != PastAction::Delete).then_some(&*new),
        };
        Some(diff_texts(&before, &after, labels, self.deadline()).unified)
    }
}
