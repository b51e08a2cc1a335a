//! `editd/read`: a file in the form that suits what it holds.

mod image;
mod large;
mod notebook;
mod window;

use std::sync::Arc;

use crate::disk::{Stat, Target};
use crate::protocol::{ReadContent, ReadParams, ReadResult, RequestPath, uri_of};
use crate::search::Stop;
use crate::text::{ContentHash, Encoding};
use crate::workspace::{Contest, Coverage, Refusal, Snapshot};

use crate::daemon::event::Event;
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::observe::Observed;
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

use window::{View, Window};

impl Located for Target {
    fn targets(&self) -> Vec<&Target> {
        vec![self]
    }
}

/// What came of looking at a file.
enum Found {
    Read(ReadResult),
    /// An image, which takes time and memory to be decoded: that is done when the file is free again.
    Image(image::Encoded),
    /// A file that is too large to be held. All of it is passed over, when nobody has to wait for the file.
    Large(Target),
}

impl Daemon {
    /// `editd/read`.
    pub async fn read(
        &self,
        session: &Arc<SessionContext>,
        params: ReadParams,
    ) -> Result<ReadResult, Failure> {
        let window = Window::of(&params)?;
        let path = RequestPath::from_fields(params.path, params.uri, ("path", "uri"))?;
        let locate =
            move |core: &Core, session: &SessionContext| Ok(core.locate(session, &path, Purpose::Read)?);
        let work = move |core: &Core, session: &SessionContext, target: Target, _: &Job| {
            if large::is_large(core, &target) {
                Ok(Found::Large(target))
            } else {
                read(core, session, target, &window)
            }
        };
        match self.core.on_files(session, locate, work).await? {
            Found::Read(result) => Ok(result),
            Found::Image(encoded) => self.core.decode(encoded).await,
            Found::Large(target) => {
                let pass = move |core: &Core, _: &SessionContext, stop: &Stop<'_>| {
                    large::read(core, &target, &window, stop)
                };
                self.core.searching(session, pass).await
            }
        }
    }
}

fn read(core: &Core, session: &SessionContext, target: Target, window: &Window) -> Result<Found, Failure> {
    let observed = core.observe(target)?;
    if let Some(copies) = &observed.open
        && copies.contest() == Some(Contest::TwoEditors)
    {
        let kind = core.contested(copies, Contest::TwoEditors);
        return Err(Refusal::at(&observed.target.path, kind).into());
    }
    let sighting = observed.sighting();
    let encoded = image::encoded(&observed);
    let refuse = |kind| Failure::from(Refusal::at(&observed.target.path, kind));
    let shown =
        observed.content().map_err(refuse).map(|(snapshot, text)| shown(&observed, snapshot, text, window));
    // A file that is gone or no text is news, too: the session's old base does not hold any more.
    let coverage = shown.as_ref().map_or(Coverage::Whole, |(_, coverage)| *coverage);
    core.ask(|reply| Event::Read { session: session.id, sighting, coverage, reply })?;
    match encoded {
        Some(encoded) => Ok(Found::Image(encoded)),
        None => shown.map(|(result, _)| Found::Read(result)),
    }
}

/// A text, or a notebook's cells, with what the session has seen of the file then.
fn shown(observed: &Observed, snapshot: &Snapshot, text: &str, window: &Window) -> (ReadResult, Coverage) {
    let mut notices = Vec::new();
    let cells = notebook::wanted(observed, window).then(|| notebook::shown(text, window));
    let (content, coverage) = match cells {
        Some(Ok(shown)) => {
            notices.extend(shown.notice);
            // Its metadata and what it shows are in none of the cells.
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
    if observed.open.as_ref().is_some_and(|copies| copies.unknown().is_some()) {
        let unknown = "An editor has this file open, and its text there is not known: it may hold unsaved text that is not shown here.";
        notices.push(unknown.to_owned());
    }
    let result = ReadResult {
        source: if observed.is_unsaved() { "editor" } else { "disk" }.to_owned(),
        version: observed.open.as_ref().map(|copies| copies.owner().buffer.version),
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

const STRAY: &str = "Some bytes of this file are not UTF-8; each is shown as one character from U+10FF80 to U+10FFFF and kept as it is.";

/// What is said of every file, as it is on the disk.
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
