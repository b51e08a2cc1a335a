//! Requests that can be repeated but take effect once.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::daemon::{Core, Failure};
use crate::disk::Target;
use crate::protocol::ProposeParams;
use crate::text::{ContentHash, Hasher};
use crate::workspace::{Answered, Refusal, RefusalKind, Repeatable};

/// The method of a request, and its parameters besides the changes. The timeout is omitted, because a
/// repeated request may have a different one.
#[derive(Clone, Copy, Serialize)]
pub(crate) enum Kind {
    Propose,
    Edit { review: Option<bool> },
}

/// Returns a digest of a request that does not depend on the spelling of its parameters.
pub(super) fn request_digest(kind: Kind, params: &ProposeParams) -> ContentHash {
    let mut digest = Digest(Hasher::default());
    serde_json::to_writer(&mut digest, &(kind, params))
        .expect("parameters are JSON, and a digest takes it all");
    digest.0.finish()
}

/// Adds the files of a request to its digest. A relative path refers to another file in another root, whose
/// answer must not be returned.
pub(super) fn with_targets(Repeatable { id, asks }: Repeatable, files: &[&Target]) -> Repeatable {
    let paths = files.iter().flat_map(|file| [file.path.as_os_str().as_bytes(), b"\0"]);
    let asks = ContentHash::of_chunks([asks.as_bytes().as_slice()].into_iter().chain(paths));
    Repeatable { id, asks }
}

impl Core {
    /// Carries out a request with a `requestId` only once: a repeated request gets the same answer and has no
    /// effect. Refusals are not stored, because the next try may succeed.
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
        if let Some(known) = self.workspace.update(|w| w.remembered(&key, Instant::now())) {
            let same = (known.asks == asks).then(|| serde_json::from_str(&known.answer).ok()).flatten();
            let id = key.1;
            return same.ok_or_else(|| Refusal::new(RefusalKind::RequestIdUsed { id }).into());
        }
        let result = work()?;
        if let Ok(answer) = serde_json::to_string(&result) {
            let answered = Answered { asks, answer: answer.into() };
            self.workspace.update(|w| w.remember(key, answered, Instant::now()));
        }
        Ok(result)
    }
}

/// A writer that hashes its input.
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
