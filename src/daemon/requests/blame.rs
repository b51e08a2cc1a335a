use std::sync::Arc;

use crate::disk::Target;
use crate::edit::{Hunk, Labels, Plan, Spot, diff_texts};
use crate::protocol::{BlameEntry, BlameResult, FileParams, RequestPath, uri_of};
use crate::text::{ContentHash, Format, count_line_ends, count_lines, line_end, line_start};
use crate::workspace::Refusal;
use crate::workspace::history::{
    Attribution, Back, Blamed, DISK, PastAction, PastDetail, PastEntry, PastFile, step_to,
};

use crate::daemon::answer::system_time;
use crate::daemon::files::observe::Observed;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::{Job, Located};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// Number of entries whose text is searched if the chain of contents is broken.
const MAX_BRIDGED: usize = 64;

/// The file of the request.
struct BlamedFile(Target);

impl Located for BlamedFile {
    fn targets(&self) -> Vec<&Target> {
        vec![&self.0]
    }
}

impl Daemon {
    /// `editd/blame`.
    pub async fn blame(
        &self,
        session: &Arc<SessionContext>,
        FileParams { path, uri }: FileParams,
    ) -> Result<BlameResult, Failure> {
        let path = RequestPath::from_fields(path, uri, ("path", "uri"))?;
        let locate = move |core: &Core, session: &SessionContext| {
            core.locate(session, &path, Purpose::Read).map(BlamedFile).map_err(Failure::from)
        };
        let work = |core: &Core, _: &SessionContext, file: BlamedFile, job: &Job| core.blame(file.0, job);
        self.core.on_files(session, locate, work).await
    }
}

impl Core {
    fn blame(&self, target: Target, job: &Job) -> Result<BlameResult, Failure> {
        let now = self.observe(target)?;
        let (snapshot, text) =
            now.content().map_err(|kind| Failure::from(Refusal::at(&now.target.path, kind)))?;
        let mut walk = Walk::new(self, &now, snapshot.hash, text);
        while walk.step() {
            job.check()?;
        }
        let lines = walk.lines.ranges().into_iter().map(|range| walk.entry(range)).collect();
        let path = &now.target.path;
        let hash = snapshot.hash.to_string();
        Ok(BlameResult { uri: uri_of(path), path: path.display().to_string(), hash, lines })
    }
}

/// A walk through the history of a file, backwards from the current text.
struct Walk<'a> {
    core: &'a Core,
    present: &'a str,
    lines: Attribution,
    /// Entries of the file before the current point of the walk, oldest first.
    entries: Vec<Arc<PastEntry>>,
    /// Path and hash of the file at that point.
    path: std::path::PathBuf,
    hash: ContentHash,
    /// A known later text, and the plans that lead from it back to that point, each with the format of its
    /// result.
    text: (String, Vec<(Plan, Format)>),
    /// Entries to which lines are attributed.
    owners: Vec<Arc<PastEntry>>,
}

impl<'a> Walk<'a> {
    fn new(core: &'a Core, now: &Observed, hash: ContentHash, present: &'a str) -> Self {
        let path = now.target.path.clone();
        Self {
            core,
            present,
            lines: Attribution::new(count_lines(present)),
            entries: core.history.about(&path),
            path,
            hash,
            text: (present.to_owned(), Vec::new()),
            owners: Vec::new(),
        }
    }

    /// Goes back through one change. Returns `false` if the walk is at its end.
    fn step(&mut self) -> bool {
        if self.lines.is_settled() || self.entries.is_empty() {
            return false;
        }
        if step_to(&self.entries, &self.path, Some(self.hash)).is_none() && !self.bridge() {
            self.search();
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
            Back::Edits { way, before, .. } => self.text.1.push((way.inverse, before)),
            Back::Nothing => {}
            // An image does not tell which lines come from which change.
            Back::Image { .. } => return false,
        }
        if let PastAction::Rename(_) = file.action {
            let ids: Vec<Arc<str>> =
                self.core.history.about(&file.path).iter().map(|entry| entry.id.clone()).collect();
            let older = ids.iter().position(|id| *id == entry.id).unwrap_or_default();
            self.entries = self.core.history.about(&file.path);
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
        let known =
            candidates.take(MAX_BRIDGED).find_map(|(at, hash)| Some((at, hash, self.core.known_text(hash)?)));
        let Some((at, hash, found)) = known else { return false };
        // The skipped changes have no stored text. Lines that they wrote belong to them, not to the other
        // program.
        let skipped = self.entries.split_off(at + 1);
        self.claim_all(skipped);
        let diff = diff_texts(&found, &text, Labels::same(""), self.core.deadline());
        self.lines.step(None, &diff.hunks);
        self.hash = hash;
        self.text = (found, Vec::new());
        true
    }

    /// Returns the text at the current point of the walk.
    fn text_here(&mut self) -> Option<String> {
        if let Some(text) = self.core.known_text(self.hash) {
            return Some(text);
        }
        let (text, plans) = &mut self.text;
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

    /// Attributes the remaining lines without known texts: a change owns its text where that text appears
    /// exactly once with its context, and no later change has removed it.
    fn search(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        self.claim_all(entries);
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
        self.core.history.details(&entry.id)?.into_iter().nth(file.detail)
    }

    fn entry(&self, Blamed { start, end, owner }: Blamed) -> BlameEntry {
        let owner = owner.and_then(|owner| self.owners.get(owner));
        BlameEntry {
            start_line: start,
            end_line: end,
            author: owner.map_or(DISK, |entry| &entry.author).to_owned(),
            transaction: owner.map(|entry| entry.id.to_string()),
            at: owner.map(|entry| system_time(entry.at)),
        }
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
