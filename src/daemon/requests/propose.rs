use std::sync::Arc;
use std::time::SystemTime;

use crate::disk::Target;
use crate::edit::{Count, Edit};
use crate::protocol::{
    ChangeParams, FileChange, Invalid, Matching, OnStaleParam, ProposeParams, ProposeResult, RequestPath,
    TextEditParams,
};
use crate::text::{ContentHash, Encoding};
use crate::workspace::{
    BaseState, FileKey, Limits, NewProposal, OnStale, Proposal, Refusal, RefusalKind, RequestKey, Role,
    Snapshot,
};

use crate::daemon::commit::Due;
use crate::daemon::event::Event;
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::observe::into_text;
use crate::daemon::work::{Rules, Want, WantedFile};
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

impl Daemon {
    /// `editd/propose`.
    pub async fn propose(
        &self,
        session: &Arc<SessionContext>,
        params: ProposeParams,
    ) -> Result<ProposeResult, Failure> {
        let call = Call::read(params, session, &self.core.config.limits)?;
        let work = move |core: &Core, session: &SessionContext, files: Files, _: &Job| {
            core.answer_once(session, files.call.request.clone(), || {
                let (header, due) = core.work_out(session, files)?;
                let proposal = core.record_proposal(session, &header, &due)?;
                Ok(answer::proposal(&proposal, session.encoding))
            })
        };
        self.core.on_files(session, |core, session| call.locate(core, session), work).await
    }
}

/// A call of `propose` or `edit`, its parameters read.
pub(crate) struct Call {
    pub(crate) request: Option<RequestKey>,
    author: String,
    label: Option<String>,
    replaces: Option<String>,
    fuzzy: bool,
    on_stale: OnStale,
    files: Vec<Asked<RequestPath>>,
}

/// One file of a call; `P` is its path, and later its place.
struct Asked<P> {
    index: usize,
    place: P,
    sent: Option<ContentHash>,
    ask: Ask<P>,
}

enum Ask<P> {
    Edit(Vec<Edit>),
    Write { content: String, literal: bool, encoding: Option<Encoding> },
    Delete,
    Rename { edits: Vec<Edit>, to: P },
}

/// The files of a call, found.
pub(crate) struct Files {
    pub(crate) call: Call,
    asked: Vec<Asked<Target>>,
}

/// What a proposal says besides its changes.
pub(crate) struct Header {
    author: String,
    label: Option<String>,
    replaces: Option<String>,
    on_stale: OnStale,
}

impl Call {
    pub(crate) fn read(
        mut params: ProposeParams,
        session: &SessionContext,
        limits: &Limits,
    ) -> Result<Self, Invalid> {
        let author = match (params.author.take(), session.role) {
            (Some(author), Role::Editor) => author,
            (Some(_), Role::Agent) => return Err(Invalid::new("author", "an agent speaks for itself only")),
            (None, _) => session.author.clone(),
        };
        let changes = params.take_changes()?;
        if changes.len() > limits.changes {
            return Err(Invalid::new("changes", format!("there are more than {}", limits.changes)));
        }
        let files = read_changes(changes)?;
        let edits: usize = files.iter().map(|file| file.ask.edits()).sum();
        if edits > limits.edits {
            return Err(Invalid::new("edits", format!("there are more than {}", limits.edits)));
        }
        Ok(Self {
            request: params.request_id.take().map(|id| (author.clone(), id)),
            author,
            label: params.label.take(),
            replaces: params.replaces.take(),
            fuzzy: params.matching == Matching::Fuzzy,
            on_stale: match params.on_stale {
                OnStaleParam::Reject => OnStale::Reject,
                OnStaleParam::Rebase => OnStale::Rebase,
            },
            files,
        })
    }

    /// Finds all files, or says of each why it cannot be changed.
    pub(crate) fn locate(mut self, core: &Core, session: &SessionContext) -> Result<Files, Failure> {
        let (mut asked, mut refusals) = (Vec::new(), Vec::new());
        for file in std::mem::take(&mut self.files) {
            let index = file.index;
            match file.locate(core, session) {
                Ok(file) => asked.push(file),
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        if !refusals.is_empty() {
            return Err(Failure::Refused(refusals));
        }
        Ok(Files { asked: merge_renames(asked)?, call: self })
    }
}

impl<P> Ask<P> {
    fn edits(&self) -> usize {
        match self {
            Self::Edit(edits) | Self::Rename { edits, .. } => edits.len(),
            Self::Write { .. } | Self::Delete => 0,
        }
    }
}

impl Asked<RequestPath> {
    fn locate(self, core: &Core, session: &SessionContext) -> Result<Asked<Target>, Refusal> {
        let place = core.locate(session, &self.place, Purpose::Write)?;
        let ask = match self.ask {
            Ask::Edit(edits) => Ask::Edit(edits),
            Ask::Write { content, literal, encoding } => Ask::Write { content, literal, encoding },
            Ask::Delete => Ask::Delete,
            Ask::Rename { edits, to } => {
                Ask::Rename { edits, to: core.locate(session, &to, Purpose::Write)? }
            }
        };
        Ok(Asked { index: self.index, place, sent: self.sent, ask })
    }
}

fn read_changes(changes: Vec<ChangeParams>) -> Result<Vec<Asked<RequestPath>>, Invalid> {
    let read = |(index, change)| {
        let within = |invalid: Invalid| invalid.within(&format!("changes[{index}]"));
        read_change(index, change).map_err(within)
    };
    changes.into_iter().enumerate().map(read).collect()
}

fn read_change(index: usize, change: ChangeParams) -> Result<Asked<RequestPath>, Invalid> {
    match change {
        ChangeParams::Edit(file) => asked(index, file, |edits| Ok(Ask::Edit(read_edits(edits)?))),
        ChangeParams::Write(file) => asked(index, file, |(content, literal, label)| {
            let encoding = label.map(|label| read_encoding(&label)).transpose()?;
            Ok(Ask::Write { content, literal, encoding })
        }),
        ChangeParams::Delete(file) => asked(index, file, |()| Ok(Ask::Delete)),
        ChangeParams::Rename(file) => asked(index, file, |(path, uri)| {
            let to = RequestPath::from_fields(path, uri, ("newPath", "newUri"))?;
            Ok(Ask::Rename { edits: Vec::new(), to })
        }),
    }
}

fn asked<T>(
    index: usize,
    file: FileChange<T>,
    ask: impl FnOnce(T) -> Result<Ask<RequestPath>, Invalid>,
) -> Result<Asked<RequestPath>, Invalid> {
    let place = RequestPath::from_fields(file.path, file.uri, ("path", "uri"))?;
    let sent = file.base_hash.map(|hash| read_hash(&hash)).transpose()?;
    Ok(Asked { index, place, sent, ask: ask(file.body)? })
}

fn read_hash(hash: &str) -> Result<ContentHash, Invalid> {
    hash.parse().map_err(|_| Invalid::new("baseHash", "a hash is `b3:` and 32 hexadecimal digits"))
}

fn read_encoding(label: &str) -> Result<Encoding, Invalid> {
    Encoding::from_label(label)
        .ok_or_else(|| Invalid::new("encoding", format!("no encoding is called `{label}`")))
}

fn read_edits(edits: Vec<TextEditParams>) -> Result<Vec<Edit>, Invalid> {
    if edits.is_empty() {
        return Err(Invalid::new("edits", "it is empty"));
    }
    let read = |(index, edit): (usize, TextEditParams)| {
        let count = match (edit.expected_replacements, edit.replace_all) {
            (Some(0), _) => {
                let field = format!("edits[{index}].expectedReplacements");
                return Err(Invalid::new(field, "it is at least 1"));
            }
            (Some(expected), _) => Count::Exactly(expected),
            (None, true) => Count::All,
            (None, false) => Count::One,
        };
        Ok(Edit { old: edit.old_text, new: edit.new_text, count })
    };
    edits.into_iter().enumerate().map(read).collect()
}

/// One change per file, but for an edit and a rename of the same one, which become one.
fn merge_renames(asked: Vec<Asked<Target>>) -> Result<Vec<Asked<Target>>, Invalid> {
    let mut merged: Vec<Asked<Target>> = Vec::with_capacity(asked.len());
    for file in asked {
        let other = merged.iter_mut().find(|other| other.place.key == file.place.key);
        match (other, file) {
            (None, file) => merged.push(file),
            (Some(other), file) => other.join(file)?,
        }
    }
    Ok(merged)
}

impl Asked<Target> {
    fn join(&mut self, file: Self) -> Result<(), Invalid> {
        let sent = self.sent.or(file.sent);
        let index = self.index;
        let ask = match (std::mem::replace(&mut self.ask, Ask::Delete), file.ask) {
            (Ask::Edit(edits), Ask::Rename { edits: none, to })
            | (Ask::Rename { edits: none, to }, Ask::Edit(edits))
                if none.is_empty() =>
            {
                Ask::Rename { edits, to }
            }
            _ => {
                let field = format!("changes[{}].path", file.index);
                let problem =
                    format!("changes[{index}] is of the same file; only an edit and a rename go together");
                return Err(Invalid::new(field, problem));
            }
        };
        *self = Self { sent, ask, ..file };
        self.index = index;
        Ok(())
    }
}

impl Located for Files {
    fn keys(&self) -> Vec<FileKey> {
        let new = |file: &Asked<Target>| match &file.ask {
            Ask::Rename { to, .. } => Some(to.key.clone()),
            _ => None,
        };
        self.asked
            .iter()
            .map(|file| file.place.key.clone())
            .chain(self.asked.iter().filter_map(new))
            .collect()
    }
}

impl Core {
    /// Looks at all files of a call and works all changes out; every refusal is told, in order.
    pub(crate) fn work_out(
        &self,
        session: &SessionContext,
        files: Files,
    ) -> Result<(Header, Vec<Due>), Failure> {
        let Files { call, asked } = files;
        let rules = Rules {
            fuzzy: call.fuzzy,
            on_stale: call.on_stale,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        let wanted = self.look_at_all(asked)?;
        let bases = self.bases_of(session, &wanted)?;
        let (mut due, mut refusals) = (Vec::new(), Vec::new());
        for (wanted, base) in wanted.into_iter().zip(bases) {
            let to = wanted.new_place();
            match wanted.work_out(&base, &rules) {
                Ok(worked) => due.push(Due { worked, to }),
                Err(reasons) => refusals.extend(reasons),
            }
        }
        if !refusals.is_empty() {
            return Err(Failure::Refused(refusals));
        }
        let Call { author, label, replaces, on_stale, .. } = call;
        Ok((Header { author, label, replaces, on_stale }, due))
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
            Ask::Edit(edits) => Want::Edit(edits),
            Ask::Write { content, literal, encoding } => Want::Write { content, literal, encoding },
            Ask::Delete => Want::Delete,
            Ask::Rename { edits, to } => Want::Rename { edits, to: Box::new(self.observe(to)?) },
        };
        Ok(WantedFile { index: file.index, want, sent: file.sent, observed: self.observe(file.place)? })
    }

    fn bases_of(&self, session: &SessionContext, wanted: &[WantedFile]) -> Result<Vec<BaseState>, Failure> {
        let files = wanted.iter().map(|file| (file.observed.seen(), file.sent)).collect();
        let mut bases = self.ask(|reply| Event::Bases { session: session.id, files, reply })?;
        for base in &mut bases {
            if let BaseState::Moved { base, text: text @ None, .. } = base {
                *text = self.kept_base(*base);
            }
        }
        Ok(bases)
    }

    /// A text that left memory, from the state folder.
    pub(crate) fn kept_base(&self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        let bytes = self.bases.get(&hash.to_string()).ok()??;
        let size = bytes.len() as u64;
        // What lies on disk is only believed if it is what it is called.
        if ContentHash::of(&bytes) != hash {
            return None;
        }
        let (text, format) = into_text(bytes).ok()?;
        Some(Arc::new(Snapshot { hash, text: text.as_str().into(), format, size }))
    }

    pub(crate) fn record_proposal(
        &self,
        session: &SessionContext,
        header: &Header,
        due: &[Due],
    ) -> Result<Proposal, Failure> {
        let new = NewProposal {
            session: session.id,
            author: header.author.clone(),
            label: header.label.clone(),
            replaces: header.replaces.clone(),
            on_stale: header.on_stale,
            at: SystemTime::now(),
            files: due.iter().map(|due| due.worked.file.clone()).collect(),
        };
        Ok(self.ask(|reply| Event::Propose { new, reply })??)
    }

    /// Answers a request that carries a `requestId` once: the same request again gets the same answer and
    /// does nothing. Refusals are not kept, since the next try may succeed.
    pub(crate) fn answer_once<T>(
        &self,
        _session: &SessionContext,
        request: Option<RequestKey>,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
    {
        let Some(key) = request else { return work() };
        let asked = key.clone();
        if let Some(answer) = self.ask(|reply| Event::Recall { key: asked, reply })? {
            return serde_json::from_str(&answer).map_err(|_| another_use(&key));
        }
        let result = work()?;
        if let Ok(answer) = serde_json::to_string(&result) {
            let _ = self.mailbox.blocking_send(Event::Remember { key, answer: answer.into() });
        }
        Ok(result)
    }
}

/// The id was used for a request of another kind.
fn another_use(key: &RequestKey) -> Failure {
    let what = format!("the requestId `{}` was used for another kind of request", key.1);
    Refusal::new(RefusalKind::NotPermitted { what }).into()
}
