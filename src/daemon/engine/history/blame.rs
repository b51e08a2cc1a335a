//! Blame: who wrote each line of a file.

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::files::observe::Observed;
use crate::engine::jobs::Job;
use crate::engine::{Engine, Failure, Result};
use editd_disk::Target;
use editd_edit::{Hunk, Labels, Plan, Spot, diff_texts};
use editd_text::{ContentHash, Format, count_line_ends, count_lines, line_end, line_start};
use editd_workspace::Refusal;
use editd_workspace::history::{
    Attribution, Back, PastAction, PastDetail, PastEntry, PastFile, RestoredLines, step_to,
};

/// A file with the entries that wrote its lines.
pub(crate) struct BlamedFile {
    pub(crate) path: PathBuf,
    pub(crate) hash: ContentHash,
    /// First and last line of each run, from 1, and its entry; `None` if another program wrote it.
    pub(crate) lines: Vec<(usize, usize, Option<Arc<PastEntry>>)>,
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
    /// Restored lines, whose authors are found from an earlier point on.
    restored: Vec<Restored>,
}

/// Lines that an undo has restored, and the point right before the change that it undid.
struct Restored {
    lines: RestoredLines,
    entries: Vec<Arc<PastEntry>>,
    path: PathBuf,
    hash: ContentHash,
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
            restored: Vec::new(),
        }
    }

    /// Continues with restored lines. Returns `false` if there are none.
    fn resume(&mut self) -> bool {
        let Some(Restored { lines, entries, path, hash }) = self.restored.pop() else { return false };
        self.lines.resume(lines);
        (self.entries, self.path, self.hash, self.text) = (entries, path, hash, None);
        true
    }

    /// Returns the change of the file that an entry has undone, with its position, and the hash of the content before.
    fn undone_by(&self, entry: &PastEntry) -> Option<(usize, &PastFile, ContentHash)> {
        let undone = entry.undoes.as_ref()?;
        let at = self.entries.iter().position(|other| other.id == *undone)?;
        let file = self.entries[at].files.iter().find(|file| file.path == self.path)?;
        Some((at, file, file.hash_before?))
    }

    /// Takes out the lines that an undo has restored, because they belong to those who wrote them first.
    fn take_restored(&mut self, entry: &PastEntry, hunks: &[Hunk]) {
        let Some((at, file, hash)) = self.undone_by(entry) else { return };
        let Some(undone) = self.detail(&self.entries[at], file) else { return };
        if let Some(lines) = self.lines.take_restored(hunks, &undone.hunks) {
            let (entries, path) = (self.entries[..at].to_vec(), self.path.clone());
            self.restored.push(Restored { lines, entries, path, hash });
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
        if let Some((undone, _, hash)) = self.undone_by(&entry)
            && hash == self.hash
        {
            self.entries.truncate(undone);
            return true;
        }
        let found = entry.file_at(&self.path).and_then(|file| Some((file, self.detail(&entry, file)?)));
        let Some((file, detail)) = found else { return false };
        self.take_restored(&entry, &detail.hunks);
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

impl Engine {
    /// Returns the entry that wrote each line of a file.
    pub(crate) fn blame(&self, target: Target, job: &Job) -> Result<BlamedFile> {
        let now = self.observe(target)?;
        let (snapshot, text) =
            now.content().map_err(|kind| Failure::from(Refusal::at(&now.target.path, kind)))?;
        let mut walk = Walk::new(self, &now, snapshot.hash, text);
        while walk.step() || walk.resume() {
            job.check()?;
        }
        let owner = |owner: Option<usize>| owner.and_then(|owner| walk.owners.get(owner).cloned());
        let lines = walk.lines.ranges().into_iter();
        let lines = lines.map(|range| (range.start, range.end, owner(range.owner))).collect();
        Ok(BlamedFile { path: now.target.path.clone(), hash: snapshot.hash, lines })
    }
}
