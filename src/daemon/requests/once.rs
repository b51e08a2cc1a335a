//! Requests that may be sent twice and happen once.

use std::io;
use std::os::unix::ffi::OsStrExt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::daemon::event::Event;
use crate::daemon::{Core, Failure};
use crate::disk::Target;
use crate::protocol::ProposeParams;
use crate::text::{ContentHash, Hasher};
use crate::workspace::{Answered, Refusal, RefusalKind, Repeatable};

/// Which request it is, with what it says beside the changes. How long somebody waits for the answer is left
/// out: who sends a request again may have more patience.
#[derive(Clone, Copy, Serialize)]
pub(crate) enum Kind {
    Propose,
    Edit { review: Option<bool> },
}

/// Digest of what a request asks for, in whatever spelling it came.
pub(super) fn asked_for(kind: Kind, params: &ProposeParams) -> ContentHash {
    let mut digest = Digest(Hasher::default());
    serde_json::to_writer(&mut digest, &(kind, params))
        .expect("parameters are JSON, and a digest takes it all");
    digest.0.finish()
}

/// The same with the files that it is about: a relative path means another file in another root, and the answer
/// must never tell of it.
pub(super) fn of_files(Repeatable { id, asks }: Repeatable, files: &[&Target]) -> Repeatable {
    let paths = files.iter().flat_map(|file| [file.path.as_os_str().as_bytes(), b"\0"]);
    let asks = ContentHash::of_chunks([asks.as_bytes().as_slice()].into_iter().chain(paths));
    Repeatable { id, asks }
}

impl Core {
    /// Answers a request that carries a `requestId` once: the same request again gets the same answer and does
    /// nothing. Refusals are not kept, since the next try may succeed.
    pub(super) fn answer_once<T>(
        &self,
        author: &str,
        request: Option<Repeatable>,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned,
    {
        let Some(Repeatable { id, asks }) = request else { return work() };
        let key = (author.to_owned(), id);
        let asked = key.clone();
        if let Some(known) = self.ask(|reply| Event::Recall { key: asked, reply })? {
            let same = (known.asks == asks).then(|| serde_json::from_str(&known.answer).ok()).flatten();
            let id = key.1;
            return same.ok_or_else(|| Refusal::new(RefusalKind::RequestIdUsed { id }).into());
        }
        let result = work()?;
        if let Ok(answer) = serde_json::to_string(&result) {
            self.books.send(Event::Remember { key, answered: Answered { asks, answer: answer.into() } });
        }
        Ok(result)
    }
}

/// Takes what is written to it into a hash.
struct Digest(Hasher);

impl io::Write for Digest {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
