use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use encoding_rs_io::DecodeReaderBytesBuilder;
use grep_searcher::Searcher;
use parking_lot::Mutex;

use crate::{Disk, DiskErrorKind, Kind};

use super::lines::{LineFeeds, Lines, Stoppable};
use super::matcher::Finder;
use super::results::FirstResults;
use super::{
    Entry, FileAccess, FileGlob, FileMatches, OpenText, Passed, Query, Scope, Start, StopCondition, Then,
    walk,
};

/// Maximum number of threads of one search, to leave room for other programs.
const THREADS: usize = 8;
/// Maximum number of files in a batch.
const BATCH: u64 = 16;
/// Maximum number of queued batches. When the queue is full, the walking thread searches too.
const QUEUED_BATCHES: usize = 64;

/// The result of a search.
#[derive(Debug)]
pub struct Report {
    /// Files with matches, in path order.
    pub files: Vec<FileMatches>,
    /// `true` if there are more results than requested.
    pub more: bool,
    /// Counters of skipped and searched entries.
    pub passed: Passed,
}

/// Searches for matching lines in path order, until the bounds of the query are reached.
pub fn search(
    disk: &dyn Disk,
    scopes: &[Scope],
    (query, glob): (&Query, Option<&FileGlob>),
    access: &dyn FileAccess,
    stop: &StopCondition<'_>,
) -> Report {
    let run = SearchRun {
        disk,
        scopes,
        query,
        access,
        stop,
        passed: Passed::default(),
        found: FirstResults::new(query.bounds),
    };
    let (sender, receiver) = sync_channel(QUEUED_BATCHES);
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        for _ in 1..run.threads() {
            let work = || run.search_all(&mut run.worker(), &receiver);
            // If no thread can be started, the current one does all the work.
            let _ = thread::Builder::new().name("search".to_owned()).spawn_scoped(scope, work);
        }
        let mut worker = run.worker();
        run.queue_files(sender, glob, &mut worker);
        run.search_all(&mut worker, &receiver);
    });
    let (files, more) = run.found.finish();
    Report { files, more, passed: run.passed }
}

/// A search, shared by its threads.
struct SearchRun<'a> {
    disk: &'a dyn Disk,
    scopes: &'a [Scope],
    query: &'a Query,
    access: &'a dyn FileAccess,
    stop: &'a StopCondition<'a>,
    passed: Passed,
    found: FirstResults,
}

/// The matcher and searcher of one thread.
struct Worker<'a> {
    finder: Finder<'a>,
    searcher: Searcher,
}

/// A file to be searched.
struct Job {
    /// Position of the file in path order.
    position: u64,
    /// Index of the scope that contains the file.
    scope: usize,
    /// Path from the root of the scope.
    path: PathBuf,
    /// `true` if an editor may have unsaved text of the file.
    is_open: bool,
}

impl SearchRun<'_> {
    fn threads(&self) -> usize {
        let is_folder = |scope: &Scope| matches!(scope.start, Start::Folder(_));
        if !self.scopes.iter().any(is_folder) {
            return 1;
        }
        thread::available_parallelism().map_or(1, usize::from).min(THREADS)
    }

    fn worker(&self) -> Worker<'_> {
        Worker { finder: self.query.finder(self.stop), searcher: self.query.searcher() }
    }

    /// Walks all scopes and queues files for the search. Takes the sender by value: dropping it tells the
    /// waiting threads that no more files come.
    fn queue_files(&self, sender: SyncSender<Vec<Job>>, glob: Option<&FileGlob>, worker: &mut Worker<'_>) {
        let (mut position, mut batch) = (0, Vec::new());
        for (scope, at) in self.scopes.iter().enumerate() {
            walk(self.disk, at, self.access, (self.stop, &self.passed), |entry| {
                let Entry { absolute, path, below, kind, is_open } = entry;
                if kind == Kind::Folder {
                    let is_excluded = glob.is_some_and(|glob| glob.excludes_folder(absolute, below));
                    return if is_excluded { Then::Pass } else { Then::Enter };
                }
                if kind != Kind::File || glob.is_some_and(|glob| !glob.admits(absolute, below)) {
                    return Then::Pass;
                }
                position += 1;
                batch.push(Job { position, scope, path: path.to_owned(), is_open });
                // Small batches first, so that all threads get work even if there are few files.
                if batch.len() as u64 >= BATCH.min(1 + position / BATCH) {
                    self.queue_batch(&sender, std::mem::take(&mut batch), worker);
                }
                if self.found.is_needed(position) { Then::Pass } else { Then::End }
            });
        }
        self.queue_batch(&sender, batch, worker);
        drop(sender);
    }

    fn queue_batch(&self, sender: &SyncSender<Vec<Job>>, batch: Vec<Job>, worker: &mut Worker<'_>) {
        if let Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) = sender.try_send(batch) {
            for job in &batch {
                self.search_one(worker, job);
            }
        }
    }

    fn search_all(&self, worker: &mut Worker<'_>, receiver: &Mutex<Receiver<Vec<Job>>>) {
        loop {
            let Ok(batch) = receiver.lock().recv() else { return };
            for job in &batch {
                self.search_one(worker, job);
            }
        }
    }

    fn search_one(&self, worker: &mut Worker<'_>, job: &Job) {
        if !self.found.is_needed(job.position) || self.stop.is_due() {
            return;
        }
        let path = self.scopes[job.scope].root.path().join(&job.path);
        if !self.access.allows(&path) {
            return self.passed.protected.add(path);
        }
        let shown = if job.is_open { self.access.shown(&path) } else { OpenText::Disk };
        let lines = match &shown {
            OpenText::Unsaved(text) => self.in_text(worker, text),
            OpenText::Contested => return self.passed.contested.increment(),
            OpenText::Disk | OpenText::Unknown => {
                match self.disk.open_file(&self.scopes[job.scope].root, &job.path) {
                    Ok(file) => self.in_file(worker, file),
                    Err(error) if error.kind == DiskErrorKind::NotFound => return,
                    Err(_) => return self.passed.unreadable.add(path),
                }
            }
        };
        // A binary file cannot be read by `editd/read` either.
        if lines.is_binary {
            return self.passed.binary.increment();
        }
        if lines.is_unreadable {
            self.passed.unreadable.add(path.clone());
        }
        self.passed.searched.increment();
        if matches!(shown, OpenText::Unknown) {
            self.passed.unknown.increment();
        }
        if !lines.found.is_empty() && self.access.confirms(&path) {
            let Lines { found: lines, matches, bytes, is_truncated, .. } = lines;
            self.found.add(job.position, FileMatches { path, lines, matches, is_truncated, bytes });
        }
    }

    fn in_text<'a>(&self, worker: &'a mut Worker<'_>, text: &str) -> Lines<'a> {
        let stoppable = Stoppable { source: Cursor::new(text), stop: self.stop };
        self.lines(worker, LineFeeds::of_text(stoppable))
    }

    fn in_file<'a>(&self, worker: &'a mut Worker<'_>, file: impl Read) -> Lines<'a> {
        let stoppable = Stoppable { source: file, stop: self.stop };
        let mut decoding = DecodeReaderBytesBuilder::new();
        decoding.utf8_passthru(true).strip_bom(true).bom_override(true);
        self.lines(worker, LineFeeds::of_file(decoding.build(stoppable)))
    }

    /// Returns the matching lines of one text.
    fn lines<'a>(&self, worker: &'a mut Worker<'_>, source: impl Read) -> Lines<'a> {
        let Worker { finder, searcher } = worker;
        let mut lines = Lines::new(self.query.bounds, finder);
        if let Err(error) = searcher.search_reader(&*finder, source, &mut lines) {
            match error.kind() {
                // The searcher turns an error of the finder into text, so a stop is recognized by the flag.
                _ if self.stop.has_happened() => {}
                std::io::ErrorKind::InvalidData => lines.is_binary = true,
                // The error of the searcher if a line exceeds its heap limit.
                std::io::ErrorKind::Other => self.passed.endless.increment(),
                _ => lines.is_unreadable = true,
            }
        }
        lines
    }
}
