//! Proposals that the user reviews: locating their files, and rebasing their hunks onto the current content.

pub(crate) mod decide;
mod paths;
pub(crate) mod view;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::{LocatedChange, Purpose};
use crate::engine::jobs::Located;
use crate::engine::{Engine, Result, SessionContext, open_root};
use editd_disk::Target;
use editd_edit::{Deadline, EditRefusalKind};
use editd_text::{ContentHash, PositionEncoding};
use editd_workspace::review::{CurrentFile, DecidedFile, RebasedFile};
use editd_workspace::{
    Action, Coverage, FileContent, FileKey, PlannedFile, Proposal, Reading, Refusal, RefusalKind,
    RequestedPath, ReviewRefusal, Role, SessionId,
};

/// A proposal under review, with its files located again.
pub(crate) struct LocatedReview {
    pub(crate) proposal: Proposal,
    /// A session with the author's role and roots, whose access applies: an acceptance by the user does not
    /// open more paths to an agent.
    pub(crate) context: SessionContext,
    /// The location of each change, or the refusal.
    pub(crate) places: Vec<Result<LocatedChange, Refusal>>,
}

/// The observed state of a file of a proposal under review.
pub(crate) struct ReviewFile {
    /// The file and the target of its new name, or the refusal.
    pub(crate) located: Result<(Observed, Option<Target>), Refusal>,
    /// The current content.
    pub(crate) content: FileContent,
    /// The proposed change, rebased onto the current content.
    pub(crate) rebased: RebasedFile,
}

impl Located for LocatedReview {
    fn targets(&self) -> Vec<&Target> {
        self.places.iter().flatten().flat_map(LocatedChange::targets).collect()
    }
}

impl ReviewFile {
    /// Returns the current text, if the file has one.
    pub(crate) fn text(&self) -> Option<&str> {
        self.located.as_ref().ok().and_then(|(observed, _)| observed.text.as_ref()).map(|text| text.as_str())
    }

    /// Returns the current state of the file, together with the planned file.
    pub(crate) fn observed_version<'a>(&'a self, file: &'a PlannedFile) -> CurrentFile<'a> {
        CurrentFile { file, content: &self.content, now: self.text(), rebased: &self.rebased }
    }

    /// Returns `true` if the content is the one for which the change was proposed.
    pub(crate) fn is_fresh(&self, file: &PlannedFile) -> bool {
        self.located.is_ok() && self.content.hash() == file.hash_before
    }
}

impl Engine {
    /// Locates the files of a proposal again, in the roots of its author rather than of the reviewer.
    pub(crate) fn locate_review(&self, proposal: Proposal) -> LocatedReview {
        let context = self.context_of(&proposal);
        let undone = proposal.undoes.as_deref().and_then(|id| self.history.find(id));
        let locate = |file: &PlannedFile| {
            if let (Action::Create { .. }, Some(undone)) = (&file.action, &undone)
                && let Some(located) = self.locate_beyond(&context, &undone.entry, &file.path)?
            {
                return Ok(located);
            }
            self.locate_planned(&context, file, true)
        };
        let places = proposal.files.iter().map(locate).collect();
        LocatedReview { proposal, context, places }
    }

    /// Creates a session context with the role and the roots of the proposal's author.
    fn context_of(&self, proposal: &Proposal) -> SessionContext {
        let open = |root: &Path| open_root(self, Role::Editor, root, true).ok();
        let mut roots: Vec<_> = proposal.roots.iter().filter_map(|root| open(root)).collect();
        for path in proposal.all_paths() {
            // The root is gone, or there was none: use the nearest existing directory.
            if roots.iter().all(|root| root.relative(path).is_none()) {
                let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
                roots.extend(folder.and_then(open));
            }
        }
        let names = (proposal.author.clone(), proposal.session_name.clone());
        // A landed change may be in files that no agent may change through editd.
        let role = if proposal.landed.is_some() { Role::Editor } else { proposal.role };
        SessionContext::new(SessionId(0), role, names, roots, PositionEncoding::Utf8)
    }

    /// Observes all files of a proposal and rebases the proposed changes onto them.
    pub(crate) fn observe_review(
        &self,
        LocatedReview { proposal, context, places }: LocatedReview,
        deadline: Deadline,
    ) -> (Proposal, SessionContext, Vec<ReviewFile>) {
        let observe = |(file, place): (&PlannedFile, Result<LocatedChange, Refusal>)| {
            let located = place.and_then(|place| Ok((self.observe_to_change(place.target)?, place.to)));
            let content = match &located {
                Ok((observed, _)) => observed.content.clone(),
                // A content for which nothing was proposed.
                Err(_) => FileContent::Opaque(ContentHash::of(b"\0an unobservable file")),
            };
            let text = located.as_ref().ok().and_then(|(observed, _)| observed.text.as_ref());
            let rebased = RebasedFile::of(file, &content, text.map(|text| text.as_str()), deadline);
            ReviewFile { located, content, rebased }
        };
        let files = proposal.files.iter().zip(places).map(observe).collect();
        (proposal, context, files)
    }

    /// Replaces "not found" refusals whose old text appears only in the result of a pending proposal of the
    /// same author: the refusal then names that proposal.
    pub(crate) fn explain_by_pending(
        &self,
        session: &SessionContext,
        key: &FileKey,
        old_texts: &[String],
        mut refusals: Vec<Refusal>,
    ) -> Vec<Refusal> {
        let is_missing = |refusal: &Refusal| {
            matches!(
                refusal.kind,
                RefusalKind::Edit(EditRefusalKind::NotFound { already_applied: false, .. })
            )
        };
        if old_texts.is_empty() || !refusals.iter().any(is_missing) {
            return refusals;
        }
        let pending = self.workspace.update(|w| w.pending_on(&session.author, key));
        for proposal in pending {
            let Some(file) = proposal.files.iter().find(|file| file.key == *key) else { continue };
            let base = file.before.as_ref().map(|before| before.text.to_string()).unwrap_or_default();
            let result = plain_ends(&file.plan.apply(&base));
            for refusal in refusals.iter_mut().filter(|refusal| is_missing(refusal)) {
                let wanted = refusal.edit.and_then(|edit| old_texts.get(edit)).map(|old| plain_ends(old));
                if wanted.is_some_and(|wanted| !wanted.trim().is_empty() && result.contains(&wanted)) {
                    let proposal = proposal.id.clone();
                    refusal.kind = RefusalKind::Review(ReviewRefusal::Waits { proposal });
                }
            }
        }
        refusals
    }

    /// Returns a proposal of the session's author, in any state.
    pub(crate) fn known_proposal(&self, session: SessionId, id: &str) -> Result<Proposal, Refusal> {
        self.workspace.update(|w| w.proposal(session, id).cloned())
    }

    /// Refuses a session that may not read the files of a proposal now, because a proposal shows their text.
    pub(crate) fn require_readable_files(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
    ) -> Result<(), Refusal> {
        proposal.all_paths().try_for_each(|path| self.require_readable(session, path))
    }

    /// Records the files of the outcome of a review as bases of the author, who is about to receive them.
    pub(crate) fn record_delivered(&self, session: &SessionContext, proposal: &Proposal) {
        let Some(outcome) = proposal.review.as_ref().and_then(|review| review.outcome.as_ref()) else {
            return;
        };
        for (file, decided) in proposal.files.iter().zip(&outcome.files) {
            if let Err(refusal) = self.record_base(session, proposal, file, decided) {
                tracing::debug!(?refusal, "the outcome of a review cannot be recorded as a base");
            }
        }
    }

    fn record_base(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        file: &PlannedFile,
        decided: &DecidedFile,
    ) -> Result<(), Refusal> {
        let Some(written) = &decided.written else { return Ok(()) };
        let path = match &decided.file.action {
            Action::Rename { to, .. } => to,
            _ => &decided.file.path,
        };
        let target = self.locate(session, &RequestedPath::of(path), Purpose::Read)?;
        let observed = self.observe(target)?;
        // A file that has changed again is not what the author receives.
        if observed.content.hash() == written.hash {
            // Another session of the same author receives the changed lines, but may not have read the rest.
            let is_partial = written.rebased || session.id != proposal.session;
            let coverage = if is_partial { Coverage::Part } else { file.coverage };
            self.record_read(session, observed.observation(), Reading::of(coverage));
        }
        Ok(())
    }

    /// Returns the proposal once it is no longer pending or the wait times out.
    pub(crate) async fn when_decided(
        &self,
        session: SessionId,
        id: &str,
        wait_ms: Option<u64>,
    ) -> Result<Proposal> {
        let wait = Duration::from_millis(wait_ms.unwrap_or_default());
        // A wait too long to be represented has no deadline.
        let deadline = tokio::time::Instant::now().checked_add(wait);
        loop {
            let mut changed = std::pin::pin!(self.workspace.decided.notified());
            // Enabled before the check below, so that no change is missed.
            changed.as_mut().enable();
            let proposal = self.known_proposal(session, id)?;
            if !proposal.state.is_pending() {
                return Ok(proposal);
            }
            let over = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = changed => {}
                () = over => return Ok(proposal),
                () = self.stopped.cancelled() => return Ok(proposal),
            }
        }
    }
}

fn plain_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Returns the path of a file and, for a rename, its new path.
pub(crate) fn paths_of(file: &PlannedFile) -> Vec<PathBuf> {
    match &file.action {
        Action::Rename { to, .. } => vec![file.path.clone(), to.clone()],
        _ => vec![file.path.clone()],
    }
}
