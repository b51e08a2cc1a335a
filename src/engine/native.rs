//! Changes that a client makes with its own tools. editd checks such a change before it is made, and records
//! it in the history afterwards.
//!
//! A change is [prepared](Engine::prepare_native): matched and computed like any other, and put under review
//! if a person has to decide. Instead of committing it, editd returns the texts before and after, which the
//! client writes. When the client has written them, the change is [recorded](Engine::record_native): editd
//! reads the files and adds a transaction to the history, with what is really there. A file with unsaved text
//! in an editor cannot be written by a client without losing that text, so editd makes such a change itself.

mod announced;
mod prepared;
mod record;

use std::sync::Arc;

use crate::disk::Target;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::ComputedChange;
use crate::engine::change::perform::{ChangeOptions, ChangeOutcome};
use crate::engine::change::request::{Call, Header};
use crate::engine::files::observe::Observed;
use crate::engine::jobs::Job;
use crate::engine::{Engine, Failure, SessionContext};
use crate::text::{ContentHash, Encoding, EolStyle, count_lines, eol_style, normalize_line_endings};
use crate::workspace::{Action, Coverage, Proposal, ProposalState};

pub(crate) use announced::AnnouncedCalls;
pub(crate) use prepared::{PreparedChange, PreparedChanges, PreparedFile};
pub(crate) use record::{LocatedRecord, RecordedChange};

/// The outcome of a request to prepare a change.
pub(crate) enum NativeOutcome {
    /// The client is to write these files.
    Ready(Arc<PreparedChange>),
    /// editd has made the change.
    Applied(ChangeOutcome),
    /// The change waits for a reviewer.
    Reviewed(Box<Proposal>),
}

/// The identity of a change by a client: its call, and a digest of what it changes. A call that is repeated
/// because the change waited for a reviewer has the same digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeCall {
    pub(crate) tool_call: String,
    pub(crate) digest: ContentHash,
}

impl Engine {
    /// Returns the effect of a change on its files.
    pub(crate) fn preview_native(
        &self,
        session: &SessionContext,
        call: Call<Target>,
    ) -> Result<PreparedChange, Failure> {
        self.review_for_call(&call, None)?;
        let (Header { label, origin, .. }, mut writes) = self.compute(session, call)?;
        Ok(PreparedChange { label, origin, files: writes.iter_mut().map(prepared_file).collect() })
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
        let review = self.review_for_call(&call, review)?;
        let (header, mut writes) = self.compute(session, call)?;
        job.check()?;
        if writes.iter().any(|write| !can_be_written_by_client(&write.computed.observed)) {
            let options = ChangeOptions { review, ..ChangeOptions::default() };
            return Ok(match self.perform(session, &header, writes, options)? {
                ChangeOutcome::Undecided(proposal) => NativeOutcome::Reviewed(proposal),
                applied @ ChangeOutcome::Applied(_) => NativeOutcome::Applied(applied),
            });
        }
        let files: Vec<_> = writes.iter().map(|write| &write.computed.file).collect();
        if self.wants_review(session, review, &files) {
            let (state, options) = (ProposalState::Pending, ChangeOptions::default());
            let proposal = self.record_proposal(session, &header, &mut writes, state, options)?;
            self.prepared.review(session, native, header, &proposal.id);
            return Ok(NativeOutcome::Reviewed(Box::new(proposal)));
        }
        let files = writes.iter_mut().map(prepared_file).collect();
        Ok(NativeOutcome::Ready(self.prepared.ready(session, native, header, files)))
    }

    /// Counts lines as read that a tool of the client has shown. Returns the hash of the file, or `None` if
    /// the file does not contain the lines there, for instance because it has changed in the meantime.
    pub(crate) fn read_natively(
        &self,
        session: &SessionContext,
        target: Target,
        shown: &str,
        offset: usize,
    ) -> Result<Option<ContentHash>, Failure> {
        let observed = self.observe(target)?;
        let coverage = covered(&observed, shown, offset);
        let hash = observed.content.hash();
        if let Some(coverage) = coverage {
            self.record_read(session, observed.observation(), coverage);
        }
        Ok(coverage.and(hash))
    }
}

/// Returns `false` if the tool of a client would lose a part of the file: unsaved text of an editor, line
/// endings that differ from the others, a byte order mark, or characters in an encoding that it does not know.
pub(crate) fn can_be_written_by_client(observed: &Observed) -> bool {
    let format = observed.content.snapshot().map(|snapshot| snapshot.format);
    let is_mixed = observed.text.as_ref().is_some_and(|text| eol_style(text) == EolStyle::Mixed);
    !observed.is_unsaved()
        && !is_mixed
        && format.is_none_or(|format| format.encoding == Encoding::Utf8 && !format.bom)
}

/// Converts a computed change of a file to what the client has to write.
pub(crate) fn prepared_file(write: &mut PendingWrite) -> PreparedFile {
    write.computed.set_hash_after();
    let ComputedChange { file, observed: Observed { text, stat, bytes, .. }, .. } = &write.computed;
    let after = match file.action {
        Action::Delete => None,
        _ => Some(file.plan.apply(text.as_ref().map_or("", |text| text))),
    };
    PreparedFile { before: text.clone(), after, file: file.clone(), stat: *stat, bytes: bytes.clone() }
}

/// Returns the part of a file that the shown lines cover, or `None` if they are not lines of the file.
fn covered(observed: &Observed, shown: &str, offset: usize) -> Option<Coverage> {
    let (_, text) = observed.content().ok()?;
    let (text, shown) = (normalize_line_endings(text), normalize_line_endings(shown));
    let (text, shown) = (text.trim_end_matches('\n'), shown.trim_end_matches('\n'));
    if offset <= 1 && text == shown {
        return Some(Coverage::Whole);
    }
    let count = count_lines(shown);
    let lines = text.split('\n').skip(offset.saturating_sub(1)).take(count);
    lines.eq(shown.split('\n')).then_some(Coverage::Part)
}
