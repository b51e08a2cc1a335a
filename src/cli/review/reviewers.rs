//! Editors and pages for whose review changes wait.

use std::path::Path;

use crate::cli::{CliError, Context, End, paint, stream};
use editd_daemon::transport::Client;
use editd_protocol::{
    DismissReviewers, DismissReviewersParams, DismissReviewersResult, Method, NoParams, ReviewerEntry,
    Reviewers,
};
use editd_workspace::history::TERMINAL;

/// `editd review --off`: stops waiting for reviewers that have not come back.
pub(super) fn dismiss(context: &Context, client: &mut Client, root: Option<&Path>) -> Result<End, CliError> {
    let path = root.map(|root| root.display().to_string());
    let result = client.request(DismissReviewers::NAME, &DismissReviewersParams { path })?;
    if let Some(DismissReviewersResult { dismissed }) = context.unless_json(result)? {
        let note = match &*dismissed {
            [] => "No editor is expected here. `review = \"off\"` in the configuration turns reviews off."
                .to_owned(),
            _ => format!(
                "Changes no longer wait for {}. The next editor that connects reviews them again.",
                names(&dismissed)
            ),
        };
        stream::note(&note)?;
    }
    Ok(End::Done)
}

/// Reports changes that were made without a review, and editors that are expected back.
pub(super) fn report(client: &mut Client) -> Result<(), CliError> {
    let reviewers = client.call::<Reviewers>(&NoParams {})?;
    if let Some(unreviewed) = reviewers.unreviewed {
        let since = paint::visible(&unreviewed.since);
        stream::note(&format!("{} `editd log --since {since}` lists them.", unreviewed.message))?;
    }
    if !reviewers.expected.is_empty() {
        let names = names(&reviewers.expected);
        stream::note(&format!(
            "Changes wait until {names} is connected again. `editd review --off` ends the wait."
        ))?;
    }
    Ok(())
}

/// Returns the names of reviewers with their folders, for a sentence.
fn names(reviewers: &[ReviewerEntry]) -> String {
    reviewers.iter().map(described).collect::<Vec<_>>().join(", ")
}

/// Returns the name of a reviewer and its folders.
pub(in crate::cli) fn described(ReviewerEntry { name, paths, .. }: &ReviewerEntry) -> String {
    let name = if name == TERMINAL { "the review page" } else { name };
    format!("{} in {}", paint::visible(name), paint::visible(&paths.join(", ")))
}
