//! The history of files: blame, and the transactions that a session may see.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::disk::Target;
use crate::edit::{Hunk, Labels, Plan, Spot, diff_texts};
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::Job;
use crate::engine::{Engine, Failure, Result, SessionContext};
use crate::history::RecordedEntry;
use crate::text::{ContentHash, Format, count_line_ends, count_lines, line_end, line_start};
use crate::workspace::history::{
    Attribution, Back, PastAction, PastDetail, PastEntry, PastFile, PastRun, PathChange, step_to,
};
use crate::workspace::{Refusal, RefusalKind, RequestedPath, Role, UndoRefusal};

/// A file with the entries that wrote its lines.
pub(crate) struct BlamedFile {
    pub(crate) path: PathBuf,
    pub(crate) hash: ContentHash,
    /// First and last line of each run, from 1, and its entry; `None` if another program wrote it.
    pub(crate) lines: Vec<(usize, usize, Option<Arc<PastEntry>>)>,
}

/// A transaction as a session sees it.
pub(crate) struct VisibleTransaction {
    pub(crate) recorded: RecordedEntry,
    /// The visible files.
    pub(crate) files: Vec<VisibleFile>,
    /// The visible changes of links, folders and permissions.
    pub(crate) paths: Vec<PathChange>,
    /// The run that made it, with its visible omitted files.
    pub(crate) run: Option<PastRun>,
}

/// A file of a transaction as a session sees it.
pub(crate) struct VisibleFile {
    pub(crate) file: PastFile,
    /// The diff, if the request asks for it and it is known.
    pub(crate) diff: Option<String>,
    /// `true` if the history has removed the old content to make room.
    pub(crate) is_content_gone: bool,
}

/// Number of entries whose text is searched if the chain of contents is broken.
const MAX_BRIDGED: usize = 64;

/// A walk through the history of a file, backwards from the current text.
struct Walk<'a> {
    engine: &'a Engine,
    present: &'a str,
    lines: Attribution,
    /// Entries of the file before the current point of the walk, oldest first.
    entries: Vec<Arc<PastEntry>>,
    /// Path and hash of the file at that point.
    path: PathBuf,
    hash: ContentHash,
    /// A known later text, and the plans that lead from it back to that point, each with the format of its
    /// result; `None` if a plan is not kept.
    text: Option<(String, Vec<(Plan, Format)>)>,
    /// Entries to which lines are attributed.
    owners: Vec<Arc<PastEntry>>,
}

impl<'a> Walk<'a> {
    fn new(engine: &'a Engine, now: &Observed, hash: ContentHash, present: &'a str) -> Self {
        let path = now.target.path.clone();
        Self {
            engine,
            present,
            lines: Attribution::new(count_lines(present)),
            entries: engine.history.about(&path),
            path,
            hash,
            text: Some((present.to_owned(), Vec::new())),
            owners: Vec::new(),
        }
    }

    /// Goes back through one change. Returns `false` if the walk is at its end.
    fn step(&mut self) -> bool {
        if self.lines.is_settled() || self.entries.is_empty() {
            return false;
        }
        if step_to(&self.entries, &self.path, Some(self.hash)).is_none() && !self.bridge() {
            // Without known texts, a change owns its text where that text appears exactly once with its
            // context, and no later change has removed it.
            let rest = std::mem::take(&mut self.entries);
            self.claim_all(rest);
            return false;
        }
        let Some(at) = step_to(&self.entries, &self.path, Some(self.hash)) else { return false };
        let entry = self.entries[at].clone();
        let found = entry.file_at(&self.path).and_then(|file| Some((file, self.detail(&entry, file)?)));
        let Some((file, detail)) = found else { return false };
        let owner = self.owners.len();
        self.lines.step(Some(owner), &detail.hunks);
        self.owners.push(entry.clone());
        self.entries.truncate(at);
        let Some(before) = file.hash_before else { return false };
        self.hash = before;
        match detail.back {
            Back::Edits { way, before, .. } => {
                if let Some((_, plans)) = &mut self.text {
                    plans.push((way.inverse, before));
                }
            }
            Back::Nothing => {}
            Back::Gone => self.text = None,
            // An image does not tell which lines come from which change.
            Back::Image { .. } => return false,
        }
        if let PastAction::Rename(_) = file.action {
            self.entries = self.engine.history.about(&file.path);
            let older = self.entries.iter().position(|other| other.id == entry.id).unwrap_or_default();
            self.entries.truncate(older);
            self.path.clone_from(&file.path);
        }
        true
    }

    /// Steps over a change by another program. If the text before that change is known, the changed lines are
    /// attributed to the other program, and the walk continues with the rest.
    fn bridge(&mut self) -> bool {
        let Some(text) = self.text_here() else { return false };
        let hash_of = |entry: &Arc<PastEntry>| entry.file_at(&self.path)?.hash_after;
        let candidates = self.entries.iter().enumerate().rev();
        let candidates = candidates.filter_map(|(at, entry)| Some((at, hash_of(entry)?)));
        let known = candidates
            .take(MAX_BRIDGED)
            .find_map(|(at, hash)| Some((at, hash, self.engine.known_text(hash)?)));
        let Some((at, hash, found)) = known else { return false };
        // The skipped changes have no stored text. Lines that they wrote belong to them, not to the other
        // program.
        let skipped = self.entries.split_off(at + 1);
        self.claim_all(skipped);
        let diff = diff_texts(&found, &text, Labels::same(""), self.engine.deadline());
        self.lines.step(None, &diff.hunks);
        self.hash = hash;
        self.text = Some((found, Vec::new()));
        true
    }

    /// Returns the text at the current point of the walk.
    fn text_here(&mut self) -> Option<String> {
        if let Some(text) = self.engine.known_text(self.hash) {
            return Some(text);
        }
        let (text, plans) = self.text.as_mut()?;
        let mut written = None;
        for (plan, format) in plans.drain(..) {
            if !plan.fits(text) {
                return None;
            }
            (*text, written) = (plan.apply(text), Some(format));
        }
        let hash = |format: Format| format.encode(text).ok().map(|bytes| ContentHash::of(&bytes));
        let is_correct = written.is_none_or(|format| hash(format) == Some(self.hash));
        is_correct.then(|| text.clone())
    }

    /// Attributes lines to changes whose text is still present, newest first.
    fn claim_all(&mut self, entries: Vec<Arc<PastEntry>>) {
        let mut removed: Vec<String> = Vec::new();
        for entry in entries.into_iter().rev() {
            let found = entry.file_at(&self.path).and_then(|file| self.detail(&entry, file));
            let Some(PastDetail { hunks, back: Back::Edits { way, .. }, .. }) = found else { return };
            self.claim(entry, &hunks, &way.spots, &removed);
            removed.extend(way.inverse.into_splices().into_iter().map(|splice| splice.text));
        }
    }

    fn claim(&mut self, entry: Arc<PastEntry>, hunks: &[Hunk], spots: &[Spot], removed: &[String]) {
        let owner = self.owners.len();
        self.owners.push(entry);
        let written = hunks.iter().filter(|hunk| hunk.new_lines > 0);
        let written: Vec<_> =
            written.map(|hunk| hunk.new_start - 1..hunk.new_start - 1 + hunk.new_lines).collect();
        for spot in spots.iter().filter(|spot| !spot.new.trim().is_empty()) {
            let is_removed = removed.iter().any(|text| text.contains(spot.new.trim()));
            let Some(start) = spot.find(self.present).filter(|_| !is_removed) else { continue };
            for (line, past) in whole_lines(self.present, start, spot) {
                if written.iter().any(|lines| lines.contains(&past)) {
                    self.lines.claim(line, owner);
                }
            }
        }
    }

    fn detail(&self, entry: &PastEntry, file: &PastFile) -> Option<PastDetail> {
        self.engine.history.details(&entry.id)?.into_iter().nth(file.detail)
    }
}

/// Returns the whole lines that a change covers with its context, each with its line number in the text after
/// that change; from 0.
fn whole_lines(text: &str, start: usize, spot: &Spot) -> impl Iterator<Item = (usize, usize)> {
    let end = start + spot.before.len() + spot.new.len() + spot.after.len();
    let first = count_line_ends(&text[..start]);
    let after = first + count_lines(&text[line_start(text, start)..end]);
    let begins = first + usize::from(line_start(text, start) != start);
    let ends_whole = line_start(text, end) == end || line_end(text, end).0 == end;
    let ends = after - usize::from(!ends_whole);
    (begins..ends).map(move |line| (line, line - first + spot.line))
}

/// The filter of a history request.
pub(crate) struct HistoryFilter {
    pub(crate) path: Option<RequestedPath>,
    pub(crate) transaction: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) turn: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) since: Option<SystemTime>,
    pub(crate) before: Option<String>,
    pub(crate) limit: usize,
    pub(crate) diff: bool,
}

/// The part of the history that a session may see.
struct View<'a> {
    engine: &'a Engine,
    session: &'a SessionContext,
    /// Cached checks: `true` if the path rules hide the file.
    hidden: RefCell<HashMap<PathBuf, bool>>,
}

impl View<'_> {
    /// Returns the visible files of a transaction. An agent sees those in its roots that it may read.
    fn files<'e>(&'e self, entry: &'e PastEntry) -> impl Iterator<Item = &'e PastFile> {
        let is_reached = |path: &Path| self.engine.in_roots(self.session, path);
        let is_shown = move |file: &&PastFile| {
            let (old, new) = (&*file.path, file.place());
            self.session.role == Role::Editor
                || ((is_reached(old) || is_reached(new)) && !self.hides(old) && !self.hides(new))
        };
        entry.files.iter().filter(is_shown)
    }

    /// Returns the paths that are not among the files: changed links, folders and permissions, and omitted files.
    fn other_paths<'e>(&'e self, entry: &'e PastEntry) -> impl Iterator<Item = &'e Path> {
        let omitted = entry.run.iter().flat_map(|run| &run.omitted).map(|(path, _)| path.as_path());
        let paths = entry.paths.iter().map(|change| change.path.as_path()).chain(omitted);
        paths.filter(|path| self.shows(path))
    }

    fn shows(&self, path: &Path) -> bool {
        self.session.role == Role::Editor || self.engine.in_roots(self.session, path) && !self.hides(path)
    }

    fn hides(&self, path: &Path) -> bool {
        if let Some(hidden) = self.hidden.borrow().get(path) {
            return *hidden;
        }
        let hidden = self.engine.require_readable(self.session, path).is_err();
        self.hidden.borrow_mut().insert(path.to_owned(), hidden);
        hidden
    }

    fn transaction(&self, recorded: RecordedEntry, diff: bool) -> VisibleTransaction {
        let details =
            diff.then(|| self.engine.history.details(&recorded.entry.id)).flatten().unwrap_or_default();
        let diff = |file: &PastFile| {
            let detail = details.get(file.detail)?;
            let computed = || self.engine.past_diff(self.session, (&recorded.entry, file), detail);
            detail.diff.clone().or_else(computed)
        };
        let gone = self.engine.history.without_content(&recorded.entry);
        let file = |file: &PastFile| VisibleFile {
            file: file.clone(),
            diff: diff(file),
            is_content_gone: gone.contains(&file.detail),
        };
        let files = self.files(&recorded.entry).map(file).collect();
        let entry = &recorded.entry;
        let paths = entry.paths.iter().filter(|change| self.shows(&change.path)).cloned().collect();
        let run = entry.run.clone().map(|mut run| {
            run.omitted.retain(|(path, _)| self.shows(path));
            run
        });
        VisibleTransaction { recorded, files, paths, run }
    }
}

impl Engine {
    /// Returns the entry that wrote each line of a file.
    pub(crate) fn blame(&self, target: Target, job: &Job) -> Result<BlamedFile> {
        let now = self.observe(target)?;
        let (snapshot, text) =
            now.content().map_err(|kind| Failure::from(Refusal::at(&now.target.path, kind)))?;
        let mut walk = Walk::new(self, &now, snapshot.hash, text);
        while walk.step() {
            job.check()?;
        }
        let owner = |owner: Option<usize>| owner.and_then(|owner| walk.owners.get(owner).cloned());
        let lines = walk.lines.ranges().into_iter();
        let lines = lines.map(|range| (range.start, range.end, owner(range.owner))).collect();
        Ok(BlamedFile { path: now.target.path.clone(), hash: snapshot.hash, lines })
    }

    /// Returns the canonical path of a file or directory, which need not exist anymore.
    fn file_or_folder(&self, session: &SessionContext, path: &RequestedPath) -> Result<PathBuf, Refusal> {
        let root = self.root_of(session, path.as_path(), Purpose::Read);
        let folder = root.filter(|(root, _)| root.only.is_none()).and_then(|(root, relative)| {
            Some(root.root.path().join(self.disk.folder(&root.root, &relative).ok()?))
        });
        folder.map_or_else(|| Ok(self.locate(session, path, Purpose::Read)?.path), Ok)
    }

    /// Returns the transactions that match a filter, newest first.
    pub(crate) fn past(
        &self,
        session: &SessionContext,
        filter: &HistoryFilter,
    ) -> Result<Vec<VisibleTransaction>> {
        let path = filter.path.as_ref().map(|path| self.file_or_folder(session, path)).transpose()?;
        let view = View { engine: self, session, hidden: RefCell::default() };
        let concerned = |file: &PastFile| {
            let inside = |path: &PathBuf| file.path.starts_with(path) || file.place().starts_with(path);
            path.as_ref().is_none_or(inside)
        };
        let is_wanted = |RecordedEntry { entry, .. }: &RecordedEntry| {
            let is_inside = |other: &Path| path.as_ref().is_none_or(|path| other.starts_with(path));
            filter.matches(entry)
                && (view.files(entry).any(concerned) || view.other_paths(entry).any(is_inside))
        };
        let not_listed = |id: &str| {
            Failure::from(Refusal::new(RefusalKind::Undo(UndoRefusal::NotListed { id: id.to_owned() })))
        };
        let found = if let Some(id) = &filter.transaction {
            vec![self.history.find(id).filter(is_wanted).ok_or_else(|| not_listed(id))?]
        } else {
            let before = filter.before.as_deref();
            let found = self.history.newest(before, filter.limit, is_wanted);
            found.ok_or_else(|| not_listed(before.unwrap_or_default()))?
        };
        Ok(found.into_iter().map(|recorded| view.transaction(recorded, filter.diff)).collect())
    }
}

impl HistoryFilter {
    fn matches(&self, entry: &PastEntry) -> bool {
        let is_one = |wanted: &Option<String>, known: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| known == Some(wanted))
        };
        is_one(&self.author, Some(&entry.author))
            && is_one(&self.session, entry.session.as_deref())
            && is_one(&self.turn, entry.origin.turn.as_deref())
            && is_one(&self.agent, entry.origin.agent.as_deref())
            && self.since.is_none_or(|since| entry.at >= since)
    }
}
