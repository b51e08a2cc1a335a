//! Documents of the scheme `editd`, whose text editors ask for: `editd:///PROPOSAL/diff/…`, and
//! `editd:///PROPOSAL/base/PATH` and `…/proposed/PATH` with the absolute path of a file.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::daemon::event::{Event, FindFor};
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext};
use crate::protocol::{Invalid, path_of_uri};
use crate::workspace::review::Review;

/// What a document of ours shows.
enum Shown {
    Diff,
    Base(PathBuf),
    Proposed(PathBuf),
}

/// The text of a document of ours.
#[derive(Debug, Default, serde::Serialize)]
pub struct Content {
    text: String,
    /// Of the present file that it was made from, if there is one.
    hash: Option<String>,
}

impl Daemon {
    /// LSP's `workspace/textDocumentContent`.
    pub async fn document_content(
        &self,
        session: &Arc<SessionContext>,
        uri: &str,
    ) -> Result<Content, Failure> {
        let (id, shown) = parse(uri).ok_or_else(|| Invalid::new("uri", "it names no document of editd"))?;
        if let Shown::Diff = shown {
            let text = self.diff_text(session, &id).await?.unwrap_or_default();
            return Ok(Content { text, hash: None });
        }
        let (core, session) = (self.core.clone(), session.clone());
        blocking(move || core.content(&session, id, &shown)).await?
    }
}

impl Core {
    fn content(&self, session: &SessionContext, id: String, shown: &Shown) -> Result<Content, Failure> {
        let purpose = FindFor::Looking;
        let proposal = self.ask(|reply| Event::Find { session: session.id, id, purpose, reply })??;
        let (Shown::Base(path) | Shown::Proposed(path)) = shown else { return Ok(Content::default()) };
        let (proposal, _, files) = self.look_at_places(self.places_to_review(proposal), self.deadline());
        let Some(at) = proposal.files.iter().position(|file| file.path == *path) else {
            return Err(Invalid::new("uri", "the proposal has no such file").into());
        };
        let (seen, deadline) = (files[at].seen(&proposal.files[at]), self.deadline());
        let text = if let Shown::Base(_) = shown {
            seen.now.unwrap_or_default().to_owned()
        } else {
            let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
            let choices = &review.choices[proposal.hunk_ranges()[at].clone()];
            seen.proposed(choices, review.replaced.get(&at), deadline)
        };
        Ok(Content { text, hash: seen.truth.hash().map(|hash| hash.to_string()) })
    }
}

fn parse(uri: &str) -> Option<(String, Shown)> {
    let path = path_of_uri(&format!("file:{}", uri.strip_prefix("editd:")?)).ok()?;
    let mut parts = path.components();
    parts.next();
    let mut next = || match parts.next()? {
        Component::Normal(part) => part.to_str().map(str::to_owned),
        _ => None,
    };
    let (id, what) = (next()?, next()?);
    let rest = Path::new("/").join(parts.as_path());
    let shown = match what.as_str() {
        "diff" => Shown::Diff,
        "base" => Shown::Base(rest),
        "proposed" => Shown::Proposed(rest),
        _ => return None,
    };
    Some((id, shown))
}
