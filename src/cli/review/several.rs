//! Decisions about several hunks at once. They never change an earlier decision without naming its hunk, and never
//! accept hunks that were not shown without their number.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::{CliError, paint, root, stream};
use editd_protocol::{AppliedFile, Hunk};

use super::file::{CONFLICTED, FileReview, Rest, is_open};

/// Maximum number of hunks or files that a question names.
const NAMED: usize = 5;

/// The hunks that an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    File,
    Proposal,
}

/// The fate of hunks that were decided the other way earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    Stay,
    Change,
}

impl FileReview<'_> {
    /// Asks what an answer for several hunks means for those that were decided the other way, and whether those
    /// that were not shown are meant, too. Returns `None` if the answer does not count.
    pub(super) fn ask_about_several(
        &self,
        at: usize,
        scope: Scope,
        rest: Rest,
    ) -> Result<Option<Earlier>, CliError> {
        let Some(earlier) = self.ask_about_earlier(scope, rest)? else { return Ok(None) };
        Ok(self.ask_about_unseen(at, scope, rest)?.then_some(earlier))
    }

    /// Returns the decision that accepts or rejects all hunks, also those that were decided before.
    pub(super) fn decision_on_all(&self, scope: Scope, rest: Rest) -> Value {
        let writes = (rest == Rest::Accept) != self.is_landed;
        // A hunk in conflict needs its own answer before it is written.
        let is_meant = |(_, hunk): &(&AppliedFile, &Hunk)| !(writes && hunk.state == CONFLICTED);
        let hunks = self.hunks(scope).into_iter().filter(is_meant);
        let ids: Vec<&str> = hunks.map(|(_, hunk)| hunk.id.as_str()).collect();
        json!({ if rest == Rest::Accept { "accept" } else { "reject" }: ids })
    }

    fn hunks(&self, scope: Scope) -> Vec<(&AppliedFile, &Hunk)> {
        let is_meant =
            |file: &&AppliedFile| scope == Scope::Proposal || file.entry.path == self.file.entry.path;
        let files = self.proposal.files.iter().filter(is_meant);
        files.flat_map(|file| file.entry.hunks.iter().map(move |hunk| (file, hunk))).collect()
    }

    /// Asks about hunks that the person has accepted, if all others of the proposal are rejected: they would be
    /// written. Otherwise only says which hunks stay as they were decided.
    fn ask_about_earlier(&self, scope: Scope, rest: Rest) -> Result<Option<Earlier>, CliError> {
        let contrary: Vec<_> =
            self.hunks(scope).into_iter().filter(|(_, hunk)| rest.is_contrary(hunk)).collect();
        if contrary.is_empty() {
            return Ok(Some(Earlier::Stay));
        }
        let was = rest.earlier(self.is_landed);
        let (change, stay) = match (self.is_landed, rest) {
            (false, Rest::Reject) => ("Reject", "applied"),
            (false, Rest::Accept) => ("Accept", "not applied"),
            (true, Rest::Accept) => ("Keep", "reverted"),
            (true, Rest::Reject) => ("Revert", "kept"),
        };
        let named =
            contrary.iter().take(NAMED).map(|(file, hunk)| place(file, hunk)).collect::<Vec<_>>().join(", ");
        let more = contrary.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let is_one = contrary.len() == 1;
        let (verb, them, are) = if is_one { ("was", "it", "it is") } else { ("were", "them", "they are") };
        let count = counted(contrary.len(), "hunk");
        let leaves = (rest == Rest::Reject) != self.is_landed;
        if scope == Scope::File || !leaves {
            stream::note(&format!(
                "{count} {verb} {was} before and {} so: {named}{more}.",
                if is_one { "stays" } else { "stay" }
            ))?;
            return Ok(Some(Earlier::Stay));
        }
        stream::note(&format!(
            "{count} {verb} {was} before: {named}{more}. With n, {are} {stay}; b goes back."
        ))?;
        loop {
            let answer = stream::ask_line(&format!("{change} {them}, too [y,n,b]? "))?.unwrap_or_default();
            match answer.to_lowercase().as_str() {
                "y" | "yes" => return Ok(Some(Earlier::Change)),
                "n" | "no" => return Ok(Some(Earlier::Stay)),
                "" | "b" | "q" => return Ok(None),
                _ => {}
            }
        }
    }

    /// Asks before hunks that were not shown are accepted, kept or reverted. To reject a proposal needs no question,
    /// because that changes nothing and can be reopened.
    fn ask_about_unseen(&self, at: usize, scope: Scope, rest: Rest) -> Result<bool, CliError> {
        let current = &self.file.entry.hunks[at].id;
        let writes = (rest == Rest::Accept) != self.is_landed;
        // A hunk in conflict is asked about later.
        let is_meant = |hunk: &Hunk| is_open(hunk) && !(writes && hunk.state == CONFLICTED);
        let is_unseen = |hunk: &Hunk| is_meant(hunk) && hunk.id != *current && !self.progress.has_shown(hunk);
        let unseen: Vec<_> = self.hunks(scope).into_iter().filter(|(_, hunk)| is_unseen(hunk)).collect();
        if unseen.is_empty() || (rest == Rest::Reject && !self.is_landed) {
            return Ok(true);
        }
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        for (file, _) in &unseen {
            *files.entry(short(&file.entry.path)).or_default() += 1;
        }
        let named = files.iter().take(NAMED).map(|(path, count)| format!("{path} ({count})"));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = files.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {}", counted(more, "more file")) } else { String::new() };
        let verb = match (rest, self.is_landed) {
            (Rest::Accept, false) => "Accept",
            (Rest::Accept, true) => "Keep",
            (Rest::Reject, _) => "Revert",
        };
        let (was, them) = if unseen.len() == 1 { ("was", "it") } else { ("were", "them") };
        stream::note(&format!("{} {was} not shown yet: {named}{more}.", counted(unseen.len(), "hunk")))?;
        Ok(stream::confirm(&format!("{verb} {them}, too?"))?)
    }
}

fn place(file: &AppliedFile, hunk: &Hunk) -> String {
    let path = short(&file.entry.path);
    if hunk.kind.is_some() { path } else { format!("{path}:{}", hunk.old_start.max(1)) }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn short(path: &str) -> String {
    paint::visible(&root::relative(path, root::of_here().ok().flatten().as_deref()))
}
