use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use encoding_rs_io::DecodeReaderBytesBuilder;
use grep_searcher::Searcher;
use parking_lot::Mutex;

use crate::disk::{Disk, DiskErrorKind, Kind};

use super::finder::Finder;
use super::found::Found;
use super::lines::Lines;
use super::source::{Guarded, LineFeeds};
use super::{Access, Entry, FileFound, FileGlob, Passed, Query, Scope, Shown, Start, Stop, Then, walk};

/// Threads of one search, at most: one program among others.
const THREADS: usize = 8;
/// Files that are handed over at a time.
const BATCH: u64 = 16;
/// Batches that wait to be searched; then whoever walks searches, too.
const WAITING: usize = 64;

/// What a search has found.
#[derive(Debug)]
pub struct Report {
    /// Files with matches, in the order of paths.
    pub files: Vec<FileFound>,
    /// Whether there is more than was wanted.
    pub more: bool,
    /// What was passed over.
    pub passed: Passed,
}

/// Looks for the lines that match, in the order of paths, until there are as many as wanted.
pub fn search(
    disk: &dyn Disk,
    scopes: &[Scope],
    (query, glob): (&Query, Option<&FileGlob>),
    access: &dyn Access,
    stop: &Stop<'_>,
) -> Report {
    let hunt = Hunt {
        disk,
        scopes,
        query,
        access,
        stop,
        passed: Passed::default(),
        found: Found::new(query.bounds),
    };
    let (sender, receiver) = sync_channel(WAITING);
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        for _ in 1..hunt.threads() {
            let help = || hunt.search_all(&mut hunt.searching(), &receiver);
            // Without another thread it is done by this one.
            let _ = thread::Builder::new().name("search".to_owned()).spawn_scoped(scope, help);
        }
        let mut own = hunt.searching();
        hunt.hand_out(sender, glob, &mut own);
        hunt.search_all(&mut own, &receiver);
    });
    let (files, more) = hunt.found.finish();
    Report { files, more, passed: hunt.passed }
}

/// One search, as its threads share it.
struct Hunt<'a> {
    disk: &'a dyn Disk,
    scopes: &'a [Scope],
    query: &'a Query,
    access: &'a dyn Access,
    stop: &'a Stop<'a>,
    passed: Passed,
    found: Found,
}

/// What one thread searches with.
struct Searching<'a> {
    finder: Finder<'a>,
    searcher: Searcher,
}

/// A file to be searched.
struct Job {
    /// Its place in the order of paths.
    place: u64,
    /// Index of its scope.
    scope: usize,
    /// From the scope's root.
    path: PathBuf,
    /// Whether an editor may have unsaved text of it.
    is_open: bool,
}

impl Hunt<'_> {
    fn threads(&self) -> usize {
        let is_folder = |scope: &Scope| matches!(scope.start, Start::Folder(_));
        if !self.scopes.iter().any(is_folder) {
            return 1;
        }
        thread::available_parallelism().map_or(1, usize::from).min(THREADS)
    }

    fn searching(&self) -> Searching<'_> {
        Searching { finder: self.query.finder(self.stop), searcher: self.query.searcher() }
    }

    /// Walks through all scopes and hands out what is to be searched. Whoever waits for more learns by the
    /// sender's end that there is none.
    fn hand_out(&self, sender: SyncSender<Vec<Job>>, glob: Option<&FileGlob>, own: &mut Searching<'_>) {
        let (mut place, mut batch) = (0, Vec::new());
        for (scope, at) in self.scopes.iter().enumerate() {
            walk(self.disk, at, self.access, (self.stop, &self.passed), |entry| {
                let Entry { absolute, path, below, kind, is_open } = entry;
                if kind == Kind::Folder {
                    let is_closed = glob.is_some_and(|glob| glob.closes(absolute, below));
                    return if is_closed { Then::Pass } else { Then::Enter };
                }
                if kind != Kind::File || glob.is_some_and(|glob| !glob.admits(absolute, below)) {
                    return Then::Pass;
                }
                place += 1;
                batch.push(Job { place, scope, path: path.to_owned(), is_open });
                // Few files are better searched by all at once.
                if batch.len() as u64 >= BATCH.min(1 + place / BATCH) {
                    self.hand_over(&sender, std::mem::take(&mut batch), own);
                }
                if self.found.matters(place) { Then::Pass } else { Then::End }
            });
        }
        self.hand_over(&sender, batch, own);
        drop(sender);
    }

    fn hand_over(&self, sender: &SyncSender<Vec<Job>>, batch: Vec<Job>, own: &mut Searching<'_>) {
        if let Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) = sender.try_send(batch) {
            self.search_batch(own, &batch);
        }
    }

    fn search_all(&self, own: &mut Searching<'_>, receiver: &Mutex<Receiver<Vec<Job>>>) {
        loop {
            let Ok(batch) = receiver.lock().recv() else { return };
            self.search_batch(own, &batch);
        }
    }

    fn search_batch(&self, own: &mut Searching<'_>, batch: &[Job]) {
        for job in batch {
            self.search_one(own, job);
        }
    }

    fn search_one(&self, own: &mut Searching<'_>, job: &Job) {
        if !self.found.matters(job.place) || self.stop.is_due() {
            return;
        }
        let path = self.scopes[job.scope].root.path().join(&job.path);
        if !self.access.allows(&path) {
            return self.passed.count_protected();
        }
        let shown = if job.is_open { self.access.shown(&path) } else { Shown::Disk };
        let lines = match &shown {
            Shown::Unsaved(text) => self.in_text(own, text),
            Shown::Contested => return self.passed.count_contested(),
            Shown::Disk | Shown::Unknown => {
                match self.disk.open_file(&self.scopes[job.scope].root, &job.path) {
                    Ok(file) => self.in_file(own, file),
                    Err(error) if error.kind == DiskErrorKind::NotFound => return,
                    Err(_) => return self.passed.count_unreadable(),
                }
            }
        };
        // A file with something else than text in it cannot be read either.
        if lines.is_binary {
            return self.passed.count_binary();
        }
        self.passed.count_searched();
        if matches!(shown, Shown::Unknown) {
            self.passed.count_unknown();
        }
        if !lines.found.is_empty() && self.access.confirms(&path) {
            let Lines { found: lines, bytes, is_cut, .. } = lines;
            self.found.add(job.place, FileFound { path, lines, is_cut, bytes });
        }
    }

    fn in_text<'a>(&self, own: &'a mut Searching<'_>, text: &str) -> Lines<'a> {
        let guarded = Guarded { source: Cursor::new(text), stop: self.stop };
        self.lines(own, LineFeeds::of_text(guarded))
    }

    fn in_file<'a>(&self, own: &'a mut Searching<'_>, file: impl Read) -> Lines<'a> {
        let guarded = Guarded { source: file, stop: self.stop };
        let mut decoding = DecodeReaderBytesBuilder::new();
        decoding.utf8_passthru(true).strip_bom(true).bom_override(true);
        self.lines(own, LineFeeds::of_file(decoding.build(guarded)))
    }

    /// The lines of one text that match.
    fn lines<'a>(&self, own: &'a mut Searching<'_>, source: impl Read) -> Lines<'a> {
        let Searching { finder, searcher } = own;
        let mut lines = Lines::new(self.query.bounds, finder);
        if let Err(error) = searcher.search_reader(&*finder, source, &mut lines) {
            match error.kind() {
                // Also where the finder was stopped, of which the searcher leaves only the words.
                _ if self.stop.has_happened() => {}
                std::io::ErrorKind::InvalidData => lines.is_binary = true,
                // What the searcher's own error is when a line does not fit into its memory.
                std::io::ErrorKind::Other => self.passed.count_endless(),
                _ => self.passed.count_unreadable(),
            }
        }
        lines
    }
}
