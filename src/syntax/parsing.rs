//! Parsing in separate processes.
//!
//! Grammars contain programs in C, and a text can make them fail in ways that Rust cannot catch: they abort, overflow
//! the stack, or take gigabytes. So a program that must not end because of a text, like the daemon, calls
//! [`use_processes`] at its start. From then on the functions of this module run in other processes with limits of
//! memory and time, which are replaced when they fail. Otherwise the functions run in this process.
//!
//! ```
//! use editd_edit::Deadline;
//! use editd_syntax::Language;
//!
//! let outline = editd_syntax::parsing::outline("fn f() {}\n", Language::Rust, Deadline::NONE).unwrap();
//! assert_eq!(outline.symbols()[0].name, "f");
//! ```

mod kept;
mod pool;
mod wire;
mod work;
mod worker;

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde::de::DeserializeOwned;

use crate::{
    ColourSpan, Declared, Language, MAX_CHECK_TIME, MAX_TIME, Mentions, NoSyntax, Outline, ParsedText,
    Rename, RenameRefusal, Renamed, SymbolChange, SymbolEdit, SymbolRefusal, SyntaxError,
};
use editd_edit::{Deadline, Plan, StringLines};
use editd_text::ContentHash;
use pool::{Asked, Pool};
use wire::{OfVersion, Request, Task, Version};
pub use work::{COMMAND, work};

/// Maximum time for the colours of a text, which a page shows without them at first.
pub const MAX_COLOUR_TIME: Duration = Duration::from_secs(2);

static POOL: OnceLock<Pool> = OnceLock::new();

/// Makes numbers of paths, which only this process knows.
static FILES: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Makes this module parse in processes of the program `editd`, from now on.
pub fn use_processes(program: PathBuf) {
    let _ = POOL.set(Pool::new(program));
}

/// Returns the file of this program, for [`use_processes`], even if it was replaced or deleted since.
pub fn this_program() -> io::Result<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { Ok(own) } else { std::env::current_exe() }
}

/// Returns a command that runs this program, even if its file was replaced or deleted since: another program may have
/// put its own there.
pub fn this_command() -> io::Result<Command> {
    let mut command = Command::new(this_program()?);
    // Lists of processes show this name.
    if let Some(name) = std::env::args_os().next() {
        command.arg0(name);
    }
    Ok(command)
}

/// A version of a file. A parser keeps the trees of the last versions, so that the next change of a file needs only a
/// part of the time.
#[derive(Debug, Clone, Copy)]
pub struct FileVersion<'a> {
    /// The file.
    pub path: &'a Path,
    /// The text.
    pub text: &'a str,
    /// Hash of the text in UTF-8, if it is known.
    pub hash: Option<ContentHash>,
    /// The language of the text.
    pub language: Language,
}

impl<'t> FileVersion<'t> {
    /// Asks a parser for something about this version. The text is sent only if the parser does not have it.
    fn ask<T: DeserializeOwned>(
        &self,
        pool: &Pool,
        task: impl Fn(Version<'t>) -> Task<'t>,
        limit: Duration,
        deadline: Deadline,
    ) -> Result<T, NoSyntax> {
        for text in [None, Some(self.text)] {
            if let OfVersion::Known(answer) = self.ask_with(pool, text, &task, limit, deadline)? {
                return Ok(answer);
            }
        }
        Err(NoSyntax::Failed)
    }

    fn ask_with<T: DeserializeOwned>(
        &self,
        pool: &Pool,
        text: Option<&'t str>,
        task: &impl Fn(Version<'t>) -> Task<'t>,
        limit: Duration,
        deadline: Deadline,
    ) -> Result<OfVersion<T>, NoSyntax> {
        let version = self.with(text);
        let file = version.file;
        pool.answer_for(file, &Request { language: self.language, task: task(version) }, limit, deadline)
    }

    /// Returns this version as it is sent, with or without its text.
    fn with(&self, text: Option<&'t str>) -> Version<'t> {
        let hash = self.hash.unwrap_or_else(|| ContentHash::of(self.text.as_bytes()));
        Version { file: self.number(), hash: *hash.as_bytes(), text: text.map(Cow::Borrowed) }
    }

    /// Returns the number of the file, which only this process knows.
    fn number(&self) -> u64 {
        FILES.hash_one(self.path)
    }
}

/// Returns the outline of a text, as [`outline`](crate::outline()) does.
pub fn outline(text: &str, language: Language, deadline: Deadline) -> Result<Outline, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = Task::Outline { text: text.into() };
            pool.answer(&Request { language, task }, MAX_TIME, deadline)?
        }
        None => crate::outline(text, language, deadline),
    }
}

/// Returns the outline of a version of a file, as [`outline`](crate::outline()) does.
pub fn outline_of(version: &FileVersion<'_>, deadline: Deadline) -> Result<Outline, NoSyntax> {
    match POOL.get() {
        Some(pool) => version.ask(pool, |version| Task::OutlineOf { version }, MAX_TIME, deadline)?,
        None => crate::outline(version.text, version.language, deadline),
    }
}

/// Has a parser process parse a version of a file that may be changed soon, and keep its tree. Does nothing if the
/// process is in use, or while another version is parsed, because others wait for the results of their requests.
pub fn keep(version: &FileVersion<'_>) {
    static IS_USED: Mutex<()> = Mutex::new(());
    let (Some(pool), Some(_only)) = (POOL.get(), IS_USED.try_lock()) else { return };
    // The parser may have the text already.
    for text in [None, Some(version.text)] {
        let task = Task::Keep { version: version.with(text) };
        let request = Request { language: version.language, task };
        let kept = pool.answer_if_free::<OfVersion<()>>(version.number(), &request, MAX_CHECK_TIME);
        if !matches!(kept, Some(OfVersion::NeedsText)) {
            return;
        }
    }
}

/// Returns the lines with a name, as [`uses`](crate::uses()) does.
pub fn uses(text: &str, language: Language, name: &str, deadline: Deadline) -> Result<Vec<usize>, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = Task::Uses { text: text.into(), name: name.into() };
            pool.answer(&Request { language, task }, MAX_TIME, deadline)?
        }
        None => crate::uses(text, language, name, deadline),
    }
}

/// Returns the changes that edits of symbols make to a version of a file, each as
/// [`edit_symbol`](crate::edit_symbol()) does, and with the places of a rename.
pub fn edit_symbols<'t>(
    version: &FileVersion<'t>,
    edits: &[&'t SymbolEdit],
    deadline: Deadline,
) -> Result<Vec<Result<SymbolChange, SymbolRefusal>>, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = |version| {
                let edits = edits.iter().map(|edit| Cow::Borrowed(*edit)).collect();
                Task::EditSymbols { version, edits }
            };
            // Each rename has its own time, besides the outline.
            let parts = u32::try_from(edits.len() + 1).unwrap_or(u32::MAX);
            version.ask(pool, task, MAX_TIME.saturating_mul(parts), deadline)?
        }
        None => ParsedText::new(version.text.to_owned(), version.language)
            .edit_symbols(edits.iter().copied(), deadline),
    }
}

/// Returns the places of a rename in a version of a file, as [`rename`](crate::rename()) does.
pub fn rename<'t>(
    version: &FileVersion<'t>,
    wanted: &'t Rename,
    deadline: Deadline,
) -> Result<Result<Renamed, RenameRefusal>, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = |version| Task::Rename { version, wanted: Cow::Borrowed(wanted) };
            version.ask(pool, task, MAX_TIME, deadline)?
        }
        None => crate::rename(version.text, version.language, wanted, deadline),
    }
}

/// Returns how other files can name a symbol of a version of a file, as [`declared`](crate::declared()) does.
pub fn declared<'t>(
    version: &FileVersion<'t>,
    wanted: &'t Rename,
    deadline: Deadline,
) -> Result<Declared, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = |version| Task::Declared { version, wanted: Cow::Borrowed(wanted) };
            version.ask(pool, task, MAX_TIME, deadline)?
        }
        None => crate::declared(version.text, version.language, wanted, deadline),
    }
}

/// Finds the places with the name of a symbol of another file in a version of a file, as
/// [`mentions`](crate::mentions()) does.
pub fn mentions<'t>(
    version: &FileVersion<'t>,
    declared: &'t Declared,
    deadline: Deadline,
) -> Result<Mentions, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = |version| Task::Mentions { version, declared: Cow::Borrowed(declared) };
            version.ask(pool, task, MAX_TIME, deadline)?
        }
        None => crate::mentions(version.text, version.language, declared, deadline),
    }
}

/// Returns the lines that begin inside a string, as [`string_lines`](crate::string_lines()) does.
pub fn string_lines(version: &FileVersion<'_>, deadline: Deadline) -> Result<Vec<StringLines>, NoSyntax> {
    match POOL.get() {
        Some(pool) => version.ask(pool, |version| Task::StringLines { version }, MAX_TIME, deadline)?,
        None => crate::string_lines(version.text, version.language, deadline),
    }
}

/// Maximum time for the check of a change. It parses at most six times: both texts, both again without earlier trees,
/// and two parts.
const MAX_ERRORS_TIME: Duration = MAX_CHECK_TIME.saturating_mul(6);

/// A check for new syntax errors that runs while its caller does other things.
#[derive(Debug)]
pub struct NewErrors {
    /// `None` if the check has not begun.
    asked: Option<Asked<'static>>,
    deadline: Deadline,
}

impl NewErrors {
    /// Begins to look for the syntax errors that a plan adds to a version of a file.
    pub fn begin<'t>(version: &FileVersion<'t>, plan: &'t Plan, deadline: Deadline) -> Self {
        let begin = |pool: &'static Pool| {
            let language = version.language;
            let version = version.with(None);
            let file = version.file;
            let task = Task::NewErrors { version, plan: Cow::Borrowed(plan) };
            pool.begin(file, &Request { language, task }, MAX_ERRORS_TIME, deadline)
        };
        Self { asked: POOL.get().and_then(begin), deadline }
    }

    /// Returns the errors, as [`new_errors`](crate::new_errors()) does. The version and the plan must be those of the
    /// beginning.
    pub fn finish<'t>(self, version: &FileVersion<'t>, plan: &'t Plan) -> Option<Vec<SyntaxError>> {
        let answer = self.asked.map(Asked::answer::<OfVersion<Option<Vec<SyntaxError>>>>);
        match answer {
            Some(Ok(OfVersion::Known(errors))) => return errors,
            Some(Err(NoSyntax::TooSlow)) => return None,
            // Not begun, or the parser needs the text, or it has ended.
            _ => {}
        }
        match POOL.get() {
            Some(pool) => {
                let task = |version| Task::NewErrors { version, plan: Cow::Borrowed(plan) };
                version.ask(pool, task, MAX_ERRORS_TIME, self.deadline).ok()?
            }
            None => {
                crate::new_errors(version.text, &plan.apply(version.text), version.language, self.deadline)
            }
        }
    }
}

/// Returns the colours of a text, as [`colours`](crate::colours()) does, within [`MAX_COLOUR_TIME`].
pub fn colours(text: &str, language: Language) -> Result<Vec<ColourSpan>, NoSyntax> {
    match POOL.get() {
        Some(pool) => {
            let task = Task::Colours { text: text.into() };
            pool.answer(&Request { language, task }, MAX_COLOUR_TIME, Deadline::NONE)?
        }
        None => colours_in_time(text, language),
    }
}

fn colours_in_time(text: &str, language: Language) -> Result<Vec<ColourSpan>, NoSyntax> {
    let stop = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let stop = &stop;
        scope.spawn(move || {
            if is_done.recv_timeout(MAX_COLOUR_TIME) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                stop.store(1, Ordering::Relaxed);
            }
        });
        let colours = crate::colours(text, language, stop);
        drop(done);
        colours
    })
}
