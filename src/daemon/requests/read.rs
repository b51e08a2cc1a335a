//! `editd/read`: a file as text, as notebook cells or as an image.

mod image;
mod large;
mod notebook;
mod window;

use std::sync::Arc;

use crate::disk::{Stat, Target};
use crate::protocol::{ReadContent, ReadParams, ReadResult, RequestPath, uri_of};
use crate::search::StopCondition;
use crate::text::{ContentHash, Encoding};
use crate::workspace::{Contest, Coverage, Refusal, Snapshot};

use crate::daemon::files::observe::Observed;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::{Job, Located};
use crate::daemon::workspace_handle::Observation;
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

use window::{View, Window};

impl Located for Target {
    fn targets(&self) -> Vec<&Target> {
        vec![self]
    }
}

/// The outcome of the first step of a read, which holds the file lock.
enum FirstStep {
    Read(ReadResult),
    /// An image. Decoding takes time and memory, so it follows after the lock on the file is released.
    Image(image::Encoded),
    /// A file that is too large for memory. It is streamed after the lock on the file is released.
    Large(Target),
}

impl Daemon {
    /// `editd/read`.
    pub async fn read(
        &self,
        session: &Arc<SessionContext>,
        params: ReadParams,
    ) -> Result<ReadResult, Failure> {
        let window = Window::of(&params, session.abilities.audience)?;
        let path = RequestPath::from_fields(params.path, params.uri, ("path", "uri"))?;
        let locate =
            move |core: &Core, session: &SessionContext| Ok(core.locate(session, &path, Purpose::Read)?);
        let work = move |core: &Core, session: &SessionContext, target: Target, _: &Job| {
            if large::is_large(core, &target) {
                Ok(FirstStep::Large(target))
            } else {
                read(core, session, target, &window)
            }
        };
        match self.core.on_files(session, locate, work).await? {
            FirstStep::Read(result) => Ok(result),
            FirstStep::Image(encoded) => self.core.decode(encoded).await,
            FirstStep::Large(target) => {
                let pass = move |core: &Core, _: &SessionContext, stop: &StopCondition<'_>| {
                    large::read(core, &target, &window, stop)
                };
                self.core.searching(session, pass).await
            }
        }
    }
}

fn read(
    core: &Core,
    session: &SessionContext,
    target: Target,
    window: &Window,
) -> Result<FirstStep, Failure> {
    let observed = core.observe(target)?;
    if let Some(open_documents) = &observed.open
        && open_documents.contest() == Some(Contest::TwoEditors)
    {
        let kind = core.contested(open_documents, Contest::TwoEditors);
        return Err(Refusal::at(&observed.target.path, kind).into());
    }
    let observation = observed.observation();
    let encoded = image::encoded(&observed);
    let refuse = |kind| Failure::from(Refusal::at(&observed.target.path, kind));
    let shown =
        observed.content().map_err(refuse).map(|(snapshot, text)| shown(&observed, snapshot, text, window));
    // A missing or binary file is recorded too, because the session's old base is no longer valid.
    let coverage = shown.as_ref().map_or(Coverage::Whole, |(_, coverage)| *coverage);
    core.record_read(session, observation, coverage);
    match encoded {
        Some(encoded) => Ok(FirstStep::Image(encoded)),
        None => shown.map(|(result, _)| FirstStep::Read(result)),
    }
}

impl Core {
    /// Records that a session was given the content of a file.
    pub(crate) fn record_read(&self, session: &SessionContext, observation: Observation, coverage: Coverage) {
        self.workspace.update(|w| {
            w.record_read(session.id, &observation.seen, coverage);
            w.cache(observation);
        });
    }
}

/// Returns the answer with the text, or with the cells of a notebook, and how much of the file it covers.
fn shown(observed: &Observed, snapshot: &Snapshot, text: &str, window: &Window) -> (ReadResult, Coverage) {
    let mut notices = Vec::new();
    let cells = notebook::wanted(observed, window).then(|| notebook::shown(text, window));
    let (content, coverage) = match cells {
        Some(Ok(shown)) => {
            notices.extend(shown.notice);
            // The metadata of the notebook is in none of the cells.
            (ReadContent::Notebook(shown.content), Coverage::Part)
        }
        other => {
            notices.extend(other.and_then(Result::err));
            let view = View::of_whole(text, window);
            notices.extend(view.notice());
            let coverage = view.coverage();
            (ReadContent::Text(view.content(text, snapshot.format)), coverage)
        }
    };
    if snapshot.format.encoding == Encoding::Utf8Stray {
        notices.push(STRAY.to_owned());
    }
    if observed.open.as_ref().is_some_and(|open_documents| open_documents.unknown().is_some()) {
        let unknown = "An editor has this file open, but its text there is not known: it may hold unsaved text that is not shown here.";
        notices.push(unknown.to_owned());
    }
    let result = ReadResult {
        source: if observed.is_unsaved() { "editor" } else { "disk" }.to_owned(),
        version: observed.open.as_ref().map(|open_documents| open_documents.owner().buffer.version),
        ..answer_about(
            &observed.target,
            observed.stat.as_ref(),
            snapshot.hash,
            snapshot.size,
            content,
            &notices,
        )
    };
    (result, coverage)
}

const STRAY: &str = "Some bytes of this file are not UTF-8; each is shown as one character from U+10FF80 to U+10FFFF and stays unchanged.";

/// Returns the answer about a file, with its state on disk.
fn answer_about(
    target: &Target,
    stat: Option<&Stat>,
    hash: ContentHash,
    size: u64,
    content: ReadContent,
    notices: &[String],
) -> ReadResult {
    ReadResult {
        uri: uri_of(&target.path),
        path: target.path.display().to_string(),
        hash: hash.to_string(),
        size,
        mtime: stat.map(|stat| answer::mtime(stat.mtime)).unwrap_or_default(),
        source: "disk".to_owned(),
        version: None,
        content,
        notice: (!notices.is_empty()).then(|| notices.join(" ")),
    }
}
