//! Changes that a client makes with its own tools. editd checks such a change before it is made, and records
//! it in the history afterwards.
//!
//! A change is [prepared](Engine::prepare_native): matched and computed like any other, and put under review
//! if a person has to decide. Instead of committing it, editd returns the texts before and after, which the
//! client writes. When the client has written them, the change is [recorded](Engine::record_native): editd
//! reads the files and adds a transaction to the history, with what is really there. A file with unsaved text
//! in an editor cannot be written by a client without losing that text, so editd makes such a change itself.

mod announced;
mod parallel;
mod prepared;
mod record;
mod restore;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::ComputedChange;
use crate::engine::change::perform::{ChangeOptions, ChangeOutcome};
use crate::engine::change::request::{Call, Header};
use crate::engine::files::observe::Observed;
use crate::engine::jobs::Job;
use crate::engine::{Engine, Failure, SessionContext};
use editd_disk::Target;
use editd_edit::notebook::decode_cells;
use editd_edit::{Deadline, Labels, LineRange, diff_texts};
use editd_text::{ContentHash, Encoding, EolStyle, count_lines, eol_style, normalize_line_endings};
use editd_workspace::{Action, ProposalId, ProposalState, Reading, ShownLines};

pub(crate) use announced::AnnouncedCalls;
pub(crate) use prepared::{PreparedChange, PreparedChanges, PreparedFile, Waiting};
pub(crate) use record::{LocatedRecord, RecordedChange};
pub(crate) use restore::MadeFile;
pub(crate) use turns::Turns;

/// The outcome of a request to prepare a change.
pub(crate) enum NativeOutcome {
    /// The client is to write these files.
    Ready(Arc<PreparedChange>),
    /// editd has made the change.
    Applied(ChangeOutcome),
    /// The change waits for a reviewer, and the request for the change.
    Reviewed(ProposalId, Waiting),
    /// The client is to write another change of one of these files first.
    Blocked(Vec<PathBuf>),
}

/// A read by a tool of a client.
#[derive(Debug, Default)]
pub(crate) struct NativeReading {
    /// Hash of the file, if the shown part counts as read.
    pub(crate) hash: Option<ContentHash>,
    /// The unsaved changes of an editor as a diff, if the tool has shown the file on disk.
    pub(crate) unsaved: Option<String>,
}

/// The part of a file that a tool of a client has shown.
pub(crate) enum ShownPart {
    /// Lines, from the one with the number `offset`.
    Lines { text: String, offset: usize },
    /// The sources of all cells of a notebook.
    Cells(Vec<String>),
}

/// The identity of a change by a client: its call, and a digest of what it changes. A call that is repeated
/// because the change waited for a reviewer has the same digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeCall {
    pub(crate) tool_call: String,
    pub(crate) digest: ContentHash,
    /// Time at which the request arrived.
    pub(crate) arrived: Instant,
    pub(crate) losses: ToolLosses,
    /// `true` if the client makes the calls of a step at the same time.
    pub(crate) parallel: bool,
    /// `true` if the tool may write the file even if editd has made the change, or its review was withdrawn.
    pub(crate) rewrites: bool,
    /// The turn to which the call belongs.
    pub(crate) turn: Option<String>,
}

/// The properties of a file that the tool of a client does not keep when it writes the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolLosses {
    /// Line endings become LF.
    pub(crate) carriage_returns: bool,
    /// A text without a line ending at its end gets one.
    pub(crate) missing_final_newline: bool,
    /// Of the empty lines at the end, one is removed.
    pub(crate) final_blank_line: bool,
    /// The tool formats the file again.
    pub(crate) formatting: bool,
    /// The tool may not write.
    pub(crate) writing: bool,
}

impl Engine {
    /// Returns the effect of a change on its files, and `true` if the client can write them.
    pub(crate) fn preview_native(
        &self,
        session: &SessionContext,
        call: Call<Target>,
        losses: ToolLosses,
    ) -> Result<(PreparedChange, bool), Failure> {
        self.review_for_call(&call, None)?;
        let (Header { label, origin, .. }, mut writes) = self.compute(session, call)?;
        let can_write = writes.iter().all(|write| can_be_written_by_client(&write.computed, losses));
        let files = writes.iter_mut().map(prepared_file).collect();
        Ok((PreparedChange { label, origin, files }, can_write))
    }

    /// Checks and computes a change, and records what the client is going to write.
    pub(crate) fn prepare_native(
        &self,
        session: &SessionContext,
        call: Call<Target>,
        review: Option<bool>,
        native: &NativeCall,
        job: &Job,
    ) -> Result<NativeOutcome, Failure> {
        let paths: Vec<_> = call.files.iter().map(|change| change.file.path.clone()).collect();
        if native.parallel && self.prepared.is_blocked(session, native, &paths) {
            return Ok(NativeOutcome::Blocked(paths));
        }
        // The same call may have been under way when this one arrived.
        if let Some(proposal) = self.prepared.reviewed_before(session, native) {
            let waiting = self.wait_for_review(&proposal.to_string());
            return Ok(NativeOutcome::Reviewed(proposal, waiting));
        }
        let review = self.review_for_call(&call, review)?;
        let (header, mut writes) = self.compute(session, call)?;
        job.check()?;
        if !writes.iter().all(|write| can_be_written_by_client(&write.computed, native.losses)) {
            let options = ChangeOptions { review, ..ChangeOptions::default() };
            let files = files_if(native.rewrites, &mut writes);
            return Ok(match self.perform(session, &header, writes, options)? {
                ChangeOutcome::Undecided(proposal) => {
                    // The same change, sent again, names this proposal.
                    self.prepared.review(session, native, header, (&proposal.id, files));
                    let waiting = self.wait_for_review(&proposal.id.to_string());
                    NativeOutcome::Reviewed(proposal.id.clone(), waiting)
                }
                applied @ ChangeOutcome::Applied(_) => NativeOutcome::Applied(applied),
            });
        }
        let files: Vec<_> = writes.iter().map(|write| &write.computed.file).collect();
        if self.wants_review(session, review, (&files, &[])) {
            let (state, options) = (ProposalState::Pending, ChangeOptions::default());
            let proposal = self.record_proposal(session, &header, &mut writes, state, options)?;
            let files = files_if(native.rewrites, &mut writes);
            self.prepared.review(session, native, header, (&proposal.id, files));
            // The request waits from now on: while it holds the locks of the files, the change cannot be accepted.
            let waiting = self.wait_for_review(&proposal.id.to_string());
            return Ok(NativeOutcome::Reviewed(proposal.id.clone(), waiting));
        }
        let files = writes.iter_mut().map(prepared_file).collect();
        Ok(NativeOutcome::Ready(self.prepared.ready(session, native, header, files)))
    }

    /// Counts a part of a file as read that a tool of the client has shown. If an editor has unsaved text, the
    /// part may be one of the file on disk: then it counts together with the unsaved changes.
    pub(crate) fn read_natively(
        &self,
        session: &SessionContext,
        target: Target,
        shown: &ShownPart,
    ) -> Result<NativeReading, Failure> {
        let observed = self.observe(target)?;
        let reading = match shown {
            ShownPart::Lines { text, offset } => {
                let now = observed.text.as_ref();
                let decoded = now.and_then(|now| covered(now, text, *offset));
                decoded.or_else(|| covered(&lossy(&observed)?, text, *offset))
            }
            ShownPart::Cells(sources) => has_cells(&observed, sources).then_some(Reading::WHOLE),
        };
        let unsaved = match shown {
            ShownPart::Lines { text, offset } if reading.is_none() => unsaved(&observed, text, *offset),
            _ => None,
        };
        let unnumbered = unsaved.as_ref().map(|_| Reading::part(ShownLines::NONE));
        let Some(reading) = reading.or(unnumbered) else {
            return Ok(NativeReading::default());
        };
        let hash = observed.content.hash();
        self.record_read(session, observed.observation(), reading);
        Ok(NativeReading { hash, unsaved })
    }
}

/// Returns `false` if the tool of a client would lose a part of the file: unsaved text of an editor, line
/// endings that differ from the others, a byte order mark, characters in an encoding that it does not know, or
/// one of its `losses`.
pub(crate) fn can_be_written_by_client(computed: &ComputedChange, losses: ToolLosses) -> bool {
    let observed = &computed.observed;
    let format = observed.content.snapshot().map(|snapshot| snapshot.format);
    let has_other_endings =
        observed.text.as_ref().is_some_and(|text| matches!(eol_style(text), EolStyle::Mixed | EolStyle::Cr));
    !observed.is_unsaved()
        && !has_other_endings
        && format.is_none_or(|format| format.encoding == Encoding::Utf8 && !format.bom)
        && !losses.affect(computed)
}

impl ToolLosses {
    fn affect(self, ComputedChange { file, observed, .. }: &ComputedChange) -> bool {
        if file.action == Action::Delete || self == Self::default() {
            return self.writing;
        }
        let after = file.plan.apply(observed.text.as_ref().map_or("", |text| text));
        self.formatting
            || self.writing
            || self.carriage_returns && after.contains('\r')
            || self.final_blank_line && (after.ends_with("\n\n") || after.ends_with("\r\n\r\n"))
            || self.missing_final_newline && !after.is_empty() && !after.ends_with('\n')
    }
}

/// Converts computed changes to what the client may write without waiting for a review, if it does so at all.
fn files_if(rewrites: bool, writes: &mut [PendingWrite]) -> Vec<PreparedFile> {
    if rewrites { writes.iter_mut().map(prepared_file).collect() } else { Vec::new() }
}

/// Converts a computed change of a file to what the client has to write.
pub(crate) fn prepared_file(write: &mut PendingWrite) -> PreparedFile {
    write.computed.settle();
    let ComputedChange { file, observed: Observed { text, stat, bytes, .. }, .. } = &write.computed;
    let after = match file.action {
        Action::Delete => None,
        _ => Some(file.plan.apply(text.as_ref().map_or("", |text| text))),
    };
    PreparedFile { before: text.clone(), after, file: file.clone(), stat: *stat, bytes: bytes.clone() }
}

/// Returns `true` if the file is a notebook with these sources of cells.
fn has_cells(observed: &Observed, sources: &[String]) -> bool {
    let Ok((_, text)) = observed.content() else { return false };
    decode_cells(text).is_ok_and(|cells| cells.iter().map(|cell| &cell.source).eq(sources))
}

/// Returns the text of a file as tools show it that take every file for UTF-8, if it is not.
fn lossy(observed: &Observed) -> Option<String> {
    let format = observed.content.snapshot()?.format;
    let is_other = format.encoding != Encoding::Utf8 && !observed.is_unsaved();
    is_other.then(|| String::from_utf8_lossy(&observed.bytes.to_vec()).into_owned())
}

/// Returns the unsaved changes of an editor, if the shown lines are those of the file on disk.
fn unsaved(observed: &Observed, shown: &str, offset: usize) -> Option<String> {
    let disk = observed.on_disk.as_ref()?.snapshot.as_ref()?.text.to_string();
    covered(&disk, shown, offset)?;
    let path = observed.target.path.display().to_string();
    let labels = Labels::same(path.trim_start_matches('/'));
    Some(diff_texts(&disk, observed.text.as_ref()?, labels, Deadline::NONE).unified)
}

/// Returns the part of a text that the shown lines cover, or `None` if they are not lines of it.
fn covered(text: &str, shown: &str, offset: usize) -> Option<Reading> {
    // Some tools show a byte order mark as a character.
    let without_mark = |text| str::strip_prefix(text, "\u{feff}").unwrap_or(text);
    let shown = if offset <= 1 { without_mark(shown) } else { shown };
    let (text, shown) = (normalize_line_endings(without_mark(text)), normalize_line_endings(shown));
    let (text, shown) = (text.trim_end_matches('\n'), shown.trim_end_matches('\n'));
    if offset <= 1 && text == shown {
        return Some(Reading::WHOLE);
    }
    let count = count_lines(shown);
    let lines = text.split('\n').skip(offset.saturating_sub(1)).take(count);
    let range = LineRange { start: offset.max(1), end: offset.max(1) + count - 1 };
    lines.eq(shown.split('\n')).then(|| Reading::part(ShownLines::of(range)))
}
