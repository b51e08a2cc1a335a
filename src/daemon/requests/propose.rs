use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::disk::Target;
use crate::edit::EditRefusalKind;
use crate::protocol::{ProposeParams, ProposeResult};
use crate::workspace::{Action, BaseState, MadeFor, NewProposal, Proposal, Refusal, RefusalKind, Repeatable};

use crate::daemon::commit::Due;
use crate::daemon::event::Event;
use crate::daemon::job::Job;
use crate::daemon::work::{Rules, Want, WantedFile};
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

use super::call::{Ask, Asked, Call, Header};
use super::once::Kind;
use super::patched::Patched;

/// What a proposal is made for, and of.
pub(super) struct Made {
    pub(super) purpose: MadeFor,
    /// The request's own name, if it may be sent again.
    pub(super) request: Option<Repeatable>,
    /// The transaction that it takes back.
    pub(super) undoes: Option<Arc<str>>,
}

impl Daemon {
    /// `editd/propose`.
    pub async fn propose(
        &self,
        session: &Arc<SessionContext>,
        params: ProposeParams,
    ) -> Result<ProposeResult, Failure> {
        let call = Call::read(params, Kind::Propose, session, &self.core.config.limits)?;
        let work = move |core: &Core, session: &SessionContext, call: Call<Target>, _: &Job| {
            let (author, request) = (call.header.author.clone(), call.request.clone());
            core.answer_once(&author, request, || {
                core.review_of_call(&call, None)?;
                let made = Made { purpose: MadeFor::Looking, request: None, undoes: None };
                let (header, mut due) = core.work_out(session, call)?;
                let proposal = core.record_proposal(session, &header, &mut due, made)?;
                Ok(answer::proposal(&proposal, session.encoding))
            })
        };
        self.core.on_files(session, |core, session| call.locate(core, session), work).await
    }
}

impl Core {
    /// Looks at all files of a call and works all changes out; every refusal is told, in order.
    pub(crate) fn work_out(
        &self,
        session: &SessionContext,
        call: Call<Target>,
    ) -> Result<(Header, Vec<Due>), Failure> {
        let Call { header, manner, files, patch, .. } = call;
        let rules = Rules {
            indexes: &self.indexes,
            manner,
            on_stale: header.on_stale,
            display: header.display,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        match self.work_out_files(session, &rules, files) {
            Ok(due) => Ok((header, due)),
            Err(failure) => Err(Patched::mark(patch.as_ref(), failure)),
        }
    }

    fn work_out_files(
        &self,
        session: &SessionContext,
        rules: &Rules<'_>,
        files: Vec<Asked<Target>>,
    ) -> Result<Vec<Due>, Failure> {
        let wanted = self.look_at_all(files)?;
        let bases = self.bases_of(session, &wanted)?;
        let waits = self.books.anything_waits();
        let (mut due, mut refusals) = (Vec::new(), Vec::new());
        for (mut wanted, base) in wanted.into_iter().zip(bases) {
            let (index, to, tags) = (wanted.index, wanted.new_place(), std::mem::take(&mut wanted.tags));
            let key = wanted.observed.target.key.clone();
            // Only then is it worth to keep the texts.
            let edits = if waits { wanted.edits().to_vec() } else { Vec::new() };
            let is_empty = wanted.observed.text.as_ref().is_some_and(|text| text.is_empty());
            match wanted.work_out(&base, rules) {
                Ok(mut worked) => {
                    worked.file.tags = tags;
                    due.push(Due::new(index, worked, to));
                }
                Err(reasons) => {
                    let reasons = self.waited_for(session, &key, &edits, reasons);
                    refusals.extend(reasons.into_iter().map(|reason| in_empty(reason, is_empty)));
                }
            }
        }
        refusals.extend(taken_twice(&due));
        if !refusals.is_empty() {
            return Err(Failure::Refused(refusals));
        }
        Ok(due)
    }

    fn look_at_all(&self, asked: Vec<Asked<Target>>) -> Result<Vec<WantedFile>, Failure> {
        let (mut wanted, mut refusals) = (Vec::new(), Vec::new());
        for file in asked {
            let index = file.index;
            match self.look_at(file) {
                Ok(file) => wanted.push(file),
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        if refusals.is_empty() { Ok(wanted) } else { Err(Failure::Refused(refusals)) }
    }

    fn look_at(&self, file: Asked<Target>) -> Result<WantedFile, Refusal> {
        let want = match file.ask {
            Ask::Edit(edits, encoding) => Want::Edit(edits, encoding),
            Ask::Write(new) => Want::Write(new),
            Ask::Delete(removed) => Want::Delete(removed),
            Ask::Cells(ops) => Want::Cells(ops),
            Ask::Rename { edits, to } => Want::Rename { edits, to: Box::new(self.observe_to_change(to)?) },
        };
        let (index, sent, tags) = (file.index, file.sent, file.clearance.tags);
        Ok(WantedFile { index, want, sent, tags, observed: self.observe_to_change(file.place)? })
    }

    fn bases_of(&self, session: &SessionContext, wanted: &[WantedFile]) -> Result<Vec<BaseState>, Failure> {
        let files = wanted.iter().map(|file| (file.observed.seen(), file.sent)).collect();
        let mut bases = self.ask(|reply| Event::Bases { session: session.id, files, reply })?;
        for base in &mut bases {
            if let BaseState::Moved { base, was_given: true, text: text @ None, .. } = base {
                *text = self.kept_base(*base);
            }
        }
        Ok(bases)
    }

    pub(super) fn record_proposal(
        &self,
        session: &SessionContext,
        header: &Header,
        due: &mut [Due],
        Made { purpose, request, undoes }: Made,
    ) -> Result<Proposal, Failure> {
        for due in due.iter_mut() {
            due.worked.settle();
        }
        let new = NewProposal {
            session: session.id,
            author: header.author.clone(),
            label: header.label.clone(),
            replaces: header.replaces.clone(),
            on_stale: header.on_stale,
            at: SystemTime::now(),
            purpose,
            request,
            undoes,
            files: due.iter().map(|due| due.worked.file.clone()).collect(),
        };
        Ok(self.ask(|reply| Event::Propose { new, reply })??)
    }
}

/// What is not found in a file without text is nowhere else either.
fn in_empty(refusal: Refusal, is_empty: bool) -> Refusal {
    let not_found = matches!(refusal.kind, RefusalKind::Edit(EditRefusalKind::NotFound { .. }));
    let kind = if is_empty && not_found { RefusalKind::EmptyFile } else { refusal.kind };
    Refusal { kind, ..refusal }
}

/// Refusals for changes that end where another one of the same call ends.
fn taken_twice(due: &[Due]) -> Vec<Refusal> {
    let (mut ends, mut refusals) = (HashSet::new(), Vec::new());
    for due in due.iter().filter(|due| due.worked.file.action != Action::Delete) {
        let end = due.to.as_ref().map_or(&due.worked.file.path, |to| &to.path);
        if !ends.insert(end) {
            refusals.push(Refusal::at(end, RefusalKind::Exists).of_change(due.index));
        }
    }
    refusals
}
