//! The work of a parser process.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use super::colours_in_time;
use super::kept::Kept;
use super::wire::{MAX_MESSAGE, OfVersion, Request, Task, Version, message};
use crate::{FreeParts, Language, ParsedText, SyntaxError};
use editd_edit::{Deadline, Plan};
use editd_text::ContentHash;

/// First argument of a parser process.
pub const COMMAND: &str = "parser";

/// Maximum address space, in bytes: twenty times what the tree of a text of the maximum size needs.
const MEMORY: u64 = 1 << 30;

/// Stack, in bytes. Some grammars use it in proportion to the nesting of a text.
const STACK: usize = 64 << 20;

/// Maximum processor time for a request, in case its sender has died, in seconds.
const PROCESSOR: u64 = 10;

/// Resident memory, in bytes, above which the process ends, so that a large text does not occupy memory permanently.
const RESIDENT: u64 = 128 << 20;

/// Answers requests from standard input until it ends.
pub fn work() -> ExitCode {
    limit(Resource::Core, 0);
    limit(Resource::As, MEMORY);
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(answer_all);
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(Some(()))) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Lowers a limit of this process. The system may not have it.
fn limit(resource: Resource, most: u64) {
    let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: getrlimit(resource).maximum });
}

/// Answers requests until the sender closes standard input. Returns `None` if it sends something else.
fn answer_all() -> Option<()> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut parser = Parser::default();
    let mut length = [0; 4];
    while input.read_exact(&mut length).is_ok() {
        let length =
            usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= MAX_MESSAGE)?;
        let mut request = vec![0; length];
        input.read_exact(&mut request).ok()?;
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
        limit(Resource::Cpu, used + PROCESSOR);
        let answer = parser.answer(postcard::from_bytes(&request).ok()?)?;
        output.write_all(&answer).and_then(|()| output.flush()).ok()?;
        parser.keep_result();
        if resident().is_some_and(|resident| resident > RESIDENT) {
            break;
        }
    }
    Some(())
}

/// A parser and what it keeps.
#[derive(Default)]
struct Parser {
    kept: Kept,
    free: FreeParts,
    /// The result of the last change, which becomes the base of the next one if it is made.
    result: Option<(u64, ParsedText)>,
}

impl Parser {
    fn answer(&mut self, Request { language, task }: Request<'_>) -> Option<Vec<u8>> {
        fn of(result: &impl Serialize) -> Option<Vec<u8>> {
            message(result).ok()
        }
        match task {
            Task::Outline { text } => of(&crate::outline(&text, language, deadline())),
            Task::OutlineOf { version } => of(&match self.version(version, language) {
                Some(parsed) => OfVersion::Known(parsed.outline(deadline())),
                None => OfVersion::NeedsText,
            }),
            Task::Keep { version } => of(&match self.version(version, language) {
                Some(parsed) => {
                    parsed.parse(deadline());
                    OfVersion::Known(())
                }
                None => OfVersion::NeedsText,
            }),
            Task::Uses { text, name } => of(&crate::uses(&text, language, &name, deadline())),
            Task::EditSymbols { version, edits } => of(&match self.version(version, language) {
                Some(parsed) => {
                    let edits = edits.iter().map(AsRef::as_ref);
                    OfVersion::Known(parsed.edit_symbols(edits, deadline()))
                }
                None => OfVersion::NeedsText,
            }),
            Task::Rename { version, wanted } => of(&match self.version(version, language) {
                Some(parsed) => OfVersion::Known(parsed.rename(&wanted, deadline())),
                None => OfVersion::NeedsText,
            }),
            Task::Declared { version, wanted } => of(&match self.version(version, language) {
                Some(parsed) => OfVersion::Known(parsed.declared(&wanted, deadline())),
                None => OfVersion::NeedsText,
            }),
            Task::Mentions { version, declared } => of(&match self.version(version, language) {
                Some(parsed) => OfVersion::Known(parsed.mentions(&declared, deadline())),
                None => OfVersion::NeedsText,
            }),
            Task::StringLines { version } => of(&match self.version(version, language) {
                Some(parsed) => OfVersion::Known(parsed.string_lines(deadline())),
                None => OfVersion::NeedsText,
            }),
            Task::NewErrors { version, plan } => of(&self.new_errors(version, &plan, language)),
            Task::Colours { text } => of(&colours_in_time(&text, language)),
        }
    }

    /// Returns the errors that a plan adds to a version.
    fn new_errors(
        &mut self,
        version: Version<'_>,
        plan: &Plan,
        language: Language,
    ) -> OfVersion<Option<Vec<SyntaxError>>> {
        let file = version.file;
        let mut free = std::mem::take(&mut self.free);
        let found = self.version(version, language).map(|before| {
            let mut after = before.changed(plan);
            (after.new_errors(before, &mut free, deadline()), after)
        });
        self.free = free;
        let Some((errors, after)) = found else { return OfVersion::NeedsText };
        self.result = Some((file, after));
        OfVersion::Known(errors)
    }

    /// Returns a version, or `None` if its text is needed.
    fn version(
        &mut self,
        Version { file, hash, text }: Version<'_>,
        language: Language,
    ) -> Option<&mut ParsedText> {
        let hash = ContentHash::from_bytes(hash);
        let is_kept = self.kept.get(file, hash).is_some_and(|kept| kept.language() == language);
        if !is_kept {
            let text = text?.into_owned();
            let latest = self.kept.latest(file).filter(|latest| latest.language() == language);
            let parsed = match latest {
                Some(latest) => latest.replaced(text),
                None => ParsedText::new(text, language),
            };
            self.kept.put(file, hash, parsed);
        }
        self.kept.get(file, hash)
    }

    /// Keeps the result of the last change. This happens after the answer, because it takes the time to hash a text.
    fn keep_result(&mut self) {
        if let Some((file, parsed)) = self.result.take() {
            self.kept.put(file, ContentHash::of(parsed.text().as_bytes()), parsed);
        }
    }
}

/// The sender stops waiting when the time of the request is over.
fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(PROCESSOR))
}

/// Returns the resident memory of this process, in bytes; `None` where the system does not tell it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
