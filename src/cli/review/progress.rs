//! State of a review at a terminal that is not in the proposal: what was shown or left for later, and edited lines
//! that wait for the decisions about the other hunks of their file.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;

use tempfile::TempPath;

use crate::cli::paint::FAINT;
use crate::cli::{paint, stream};
use editd_protocol::{Hunk, ProposalResult};

/// Lines that the person has written in place of those of a hunk.
struct Edited {
    text: String,
    /// File with the lines. It is kept until they are sent, so that an interruption does not lose them.
    file: PathBuf,
}

/// The progress of the review of a proposal.
#[derive(Default)]
pub(super) struct Progress {
    /// Hunks that were shown, with the state in which they were.
    shown: HashSet<(String, String)>,
    /// The hunk that was shown last.
    current: Option<(String, String)>,
    /// Hunks that were left for later.
    skipped: HashSet<String>,
    edited: BTreeMap<String, Edited>,
}

impl Progress {
    /// Records that a hunk is shown. Returns `false` if it is still the last output.
    pub(super) fn shows(&mut self, hunk: &Hunk) -> bool {
        let now = (hunk.id.clone(), hunk.state.clone());
        let is_new = self.current.as_ref() != Some(&now);
        self.shown.insert(now.clone());
        self.current = Some(now);
        is_new
    }

    /// Returns `true` if the person has seen a hunk.
    pub(super) fn has_shown(&self, hunk: &Hunk) -> bool {
        self.shown.iter().any(|(id, _)| *id == hunk.id)
    }

    pub(super) fn skip(&mut self, id: &str) {
        self.skipped.insert(id.to_owned());
    }

    pub(super) fn is_skipped(&self, id: &str) -> bool {
        self.skipped.contains(id)
    }

    /// Keeps edited lines until they are sent.
    pub(super) fn edit(&mut self, id: &str, text: &str, file: TempPath) -> std::io::Result<()> {
        let file = file.keep().map_err(|error| error.error)?;
        let name = paint::path(&file);
        writeln!(
            stream::stdout(),
            "{FAINT}Sent when all hunks of this file are decided; until then, your lines are in {name}.{FAINT:#}"
        )?;
        self.edited.insert(id.to_owned(), Edited { text: text.to_owned(), file });
        Ok(())
    }

    /// Returns the lines that the person has written for a hunk.
    pub(super) fn edited(&self, id: &str) -> Option<&str> {
        self.edited.get(id).map(|edited| &*edited.text)
    }

    /// Forgets edited lines that the proposal has now, or whose hunk was decided otherwise.
    pub(super) fn forget_sent(&mut self, proposal: &ProposalResult) {
        let hunks = || proposal.files.iter().flat_map(|file| &file.entry.hunks);
        self.edited.retain(|id, edited| {
            let is_open =
                hunks().any(|hunk| hunk.id == *id && matches!(&*hunk.state, "pending" | "conflicted"));
            if !is_open {
                // A file that is left behind does no harm.
                let _ = std::fs::remove_file(&edited.file);
            }
            is_open
        });
    }

    /// Says where edited lines are that were not sent.
    pub(super) fn warn_about_edits(&self) -> std::io::Result<()> {
        self.edited.values().try_for_each(|edited| {
            let name = paint::path(&edited.file);
            stream::note(&format!("Your edited lines were not sent, because not all hunks of their file are decided; they are in {name}."))
        })
    }
}
