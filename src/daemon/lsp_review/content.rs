//! Virtual documents of the scheme `editd`, whose text editors request: `editd:///PROPOSAL/diff/…`, and
//! `editd:///PROPOSAL/base/PATH` and `…/proposed/PATH` with the absolute path of a file.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext};
use crate::protocol::{Invalid, path_of_uri};
use crate::workspace::review::Review;

/// The kind of a virtual document.
enum DocumentKind {
    Diff,
    Base(PathBuf),
    Proposed(PathBuf),
}

/// The text of a virtual document.
#[derive(Debug, Default, serde::Serialize)]
pub struct Content {
    text: String,
    /// Hash of the current content of the file, if it exists.
    hash: Option<String>,
}

impl Daemon {
    /// Answers the LSP request `workspace/textDocumentContent`.
    pub async fn document_content(
        &self,
        session: &Arc<SessionContext>,
        uri: &str,
    ) -> Result<Content, Failure> {
        let (id, kind) =
            parse(uri).ok_or_else(|| Invalid::new("uri", "it does not name a document of editd"))?;
        if let DocumentKind::Diff = kind {
            let text = self.diff_text(session, &id).await?.unwrap_or_default();
            return Ok(Content { text, hash: None });
        }
        let (core, session) = (self.core.clone(), session.clone());
        blocking(move || core.content(&session, &id, &kind)).await?
    }
}

impl Core {
    fn content(&self, session: &SessionContext, id: &str, kind: &DocumentKind) -> Result<Content, Failure> {
        let proposal = self.known_proposal(session.id, id)?;
        let (DocumentKind::Base(path) | DocumentKind::Proposed(path)) = kind else {
            return Ok(Content::default());
        };
        let (proposal, _, files) = self.observe_review(self.locate_review(proposal), self.deadline());
        let Some(at) = proposal.files.iter().position(|file| file.path == *path) else {
            return Err(Invalid::new("uri", "the proposal has no such file").into());
        };
        let (seen, deadline) = (files[at].observed_version(&proposal.files[at]), self.deadline());
        let text = if let DocumentKind::Base(_) = kind {
            seen.now.unwrap_or_default().to_owned()
        } else {
            let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
            let choices = &review.choices[proposal.hunk_ranges()[at].clone()];
            seen.proposed(choices, review.replaced.get(&at), deadline)
        };
        Ok(Content { text, hash: seen.content.hash().map(|hash| hash.to_string()) })
    }
}

fn parse(uri: &str) -> Option<(String, DocumentKind)> {
    let path = path_of_uri(&format!("file:{}", uri.strip_prefix("editd:")?)).ok()?;
    let mut parts = path.components();
    parts.next();
    let mut next = || match parts.next()? {
        Component::Normal(part) => part.to_str().map(str::to_owned),
        _ => None,
    };
    let (id, what) = (next()?, next()?);
    let rest = Path::new("/").join(parts.as_path());
    let kind = match what.as_str() {
        "diff" => DocumentKind::Diff,
        "base" => DocumentKind::Base(rest),
        "proposed" => DocumentKind::Proposed(rest),
        _ => return None,
    };
    Some((id, kind))
}
