//! Proposals that a person decides: where their files are now, and how their hunks lie on them.

mod outcome;
mod shown;
mod wait;

pub(crate) use shown::{as_kept, outcome_of, undecided};

use std::path::{Path, PathBuf};

use crate::disk::Target;
use crate::edit::{Deadline, Edit, EditRefusalKind};
use crate::protocol::RequestPath;
use crate::text::{ContentHash, PositionEncoding};
use crate::workspace::review::{Look, Seen};
use crate::workspace::{
    Action, Answered, FileKey, PlannedFile, Proposal, Refusal, RefusalKind, Repeatable, RequestKey,
    ReviewRefusal, Role, SessionId, Truth,
};

use super::event::{Event, ReviewEvent};
use super::job::Located;
use super::locate::Purpose;
use super::observe::Observed;
use super::requests::open_root;
use super::{Core, SessionContext};

/// A proposal under review, its files found again.
pub(crate) struct ReviewPlaces {
    pub(crate) proposal: Proposal,
    /// Who may do to the files what was proposed: that a person says yes does not open more paths to an agent.
    pub(crate) context: SessionContext,
    pub(crate) places: Vec<Result<(Target, Option<Target>), Refusal>>,
}

/// A file of a proposal under review, looked at.
pub(crate) struct ReviewFile {
    /// The file and the place of its new name; or why nothing can happen to it.
    pub(crate) place: Result<(Observed, Option<Target>), Refusal>,
    truth: Truth,
    pub(crate) look: Look,
}

impl Located for ReviewPlaces {
    fn targets(&self) -> Vec<&Target> {
        let found = self.places.iter().flatten();
        found.flat_map(|(target, to)| [Some(target), to.as_ref()]).flatten().collect()
    }
}

impl ReviewFile {
    /// Its text, if it has one.
    pub(crate) fn now(&self) -> Option<&str> {
        self.place.as_ref().ok().and_then(|(observed, _)| observed.text.as_ref()).map(|text| text.as_str())
    }

    /// What is there.
    pub(crate) fn truth(&self) -> &Truth {
        &self.truth
    }

    /// It together with what was proposed for it.
    pub(crate) fn seen<'a>(&'a self, file: &'a PlannedFile) -> Seen<'a> {
        Seen { file, truth: &self.truth, now: self.now(), look: &self.look }
    }

    /// Whether it is what it was when the change was proposed.
    pub(crate) fn is_fresh(&self, file: &PlannedFile) -> bool {
        self.place.is_ok() && self.truth.hash() == file.hash_before
    }
}

impl Core {
    /// Takes up what waited for a person when the daemon before this one ended.
    pub(crate) fn restore(&self, proposals: Vec<Proposal>) {
        let remembered: Vec<_> = proposals.iter().filter_map(remembered).collect();
        self.books.send(ReviewEvent::Restore { proposals }.into());
        for (key, answered) in remembered {
            self.books.send(Event::Remember { key, answered });
        }
    }

    /// Finds the files of a proposal again, wherever the one who decides works.
    pub(crate) fn places_to_review(&self, proposal: Proposal) -> ReviewPlaces {
        let context = self.context_of(&proposal);
        let place = |file: &PlannedFile| {
            let found = |path: &Path, purpose| self.as_proposed(&context, path, purpose);
            let (to, purpose) = match &file.action {
                Action::Rename { to, .. } => {
                    let edited = !file.plan.is_empty();
                    (Some(found(to, Purpose::RenameTo)?), Purpose::RenameFrom { edited })
                }
                Action::Delete => (None, Purpose::Delete),
                Action::Create { .. } => (None, Purpose::Write),
                Action::Edit => (None, Purpose::Edit),
            };
            Ok((found(&file.path, purpose)?, to))
        };
        let places = proposal.files.iter().map(place).collect();
        ReviewPlaces { proposal, context, places }
    }

    /// A session as the author's was, in the same roots.
    fn context_of(&self, proposal: &Proposal) -> SessionContext {
        let open = |root: &Path| open_root(self, Role::Editor, root, true).ok();
        let mut roots: Vec<_> = proposal.roots.iter().filter_map(|root| open(root)).collect();
        for path in proposal.files.iter().flat_map(paths_of) {
            // A root that is gone, or none: the nearest folder that is there has to do.
            if roots.iter().all(|root| root.relative(&path).is_none()) {
                let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
                roots.extend(folder.and_then(open));
            }
        }
        let names = (proposal.author.clone(), proposal.session_name.clone());
        SessionContext::new(SessionId(0), proposal.role, names, roots, PositionEncoding::Utf8)
    }

    fn as_proposed(
        &self,
        context: &SessionContext,
        path: &Path,
        purpose: Purpose,
    ) -> Result<Target, Refusal> {
        let target = self.locate(context, &RequestPath::of(path), purpose)?;
        if target.path == path {
            return Ok(target);
        }
        // A link stands on the path that was none: what it leads to is another file than was shown.
        let what = format!("reached by a symbolic link; it is `{}`", target.path.display());
        Err(Refusal::at(path, RefusalKind::NotAFile { what }))
    }

    /// Looks at all files of a proposal as they are now.
    pub(crate) fn look_at_places(
        &self,
        ReviewPlaces { proposal, context, places }: ReviewPlaces,
        deadline: Deadline,
    ) -> (Proposal, SessionContext, Vec<ReviewFile>) {
        let look = |(file, place): (&PlannedFile, Result<(Target, Option<Target>), Refusal>)| {
            let place = place.and_then(|(target, to)| Ok((self.observe_to_change(target)?, to)));
            let truth = match &place {
                Ok((observed, _)) => observed.truth.clone(),
                // As what nobody has proposed anything for.
                Err(_) => Truth::Opaque(ContentHash::of(b"\0what cannot be looked at")),
            };
            let now = place.as_ref().ok().and_then(|(observed, _)| observed.text.clone());
            let look = Look::of(file, &truth, now.as_ref().map(|text| text.as_str()), deadline);
            ReviewFile { place, truth, look }
        };
        let files = proposal.files.iter().zip(places).map(look).collect();
        (proposal, context, files)
    }
}

/// The answer to the request that made a proposal, so that it makes no second one.
fn remembered(proposal: &Proposal) -> Option<(RequestKey, Answered)> {
    let Repeatable { id, asks } = proposal.request.clone()?;
    let answer = serde_json::to_string(&undecided(proposal)).ok()?.into();
    Some(((proposal.author.clone(), id), Answered { asks, answer }))
}

impl Core {
    /// What is not found because it stands only in what would be there if a person said yes to another change
    /// of the same author is refused as that.
    pub(crate) fn waited_for(
        &self,
        session: &SessionContext,
        key: &FileKey,
        edits: &[Edit],
        mut refusals: Vec<Refusal>,
    ) -> Vec<Refusal> {
        let is_missing = |refusal: &Refusal| {
            matches!(
                refusal.kind,
                RefusalKind::Edit(EditRefusalKind::NotFound { already_applied: false, .. })
            )
        };
        if edits.is_empty() || !refusals.iter().any(is_missing) {
            return refusals;
        }
        let (author, of) = (session.author.clone(), key.clone());
        let pending = self.ask(|reply| ReviewEvent::PendingOn { author, key: of, reply }).unwrap_or_default();
        for proposal in pending {
            let Some(file) = proposal.files.iter().find(|file| file.key == *key) else { continue };
            let base = file.before.as_ref().map(|before| before.text.to_string()).unwrap_or_default();
            let result = plain_ends(&file.plan.apply(&base));
            for refusal in refusals.iter_mut().filter(|refusal| is_missing(refusal)) {
                let wanted = refusal.edit.and_then(|edit| edits.get(edit)).map(|edit| plain_ends(&edit.old));
                if wanted.is_some_and(|wanted| !wanted.trim().is_empty() && result.contains(&wanted)) {
                    let proposal = proposal.id.clone();
                    refusal.kind = RefusalKind::Review(ReviewRefusal::Waits { proposal });
                }
            }
        }
        refusals
    }
}

fn plain_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A file's path, and its new one.
pub(crate) fn paths_of(file: &PlannedFile) -> Vec<PathBuf> {
    match &file.action {
        Action::Rename { to, .. } => vec![file.path.clone(), to.clone()],
        _ => vec![file.path.clone()],
    }
}
