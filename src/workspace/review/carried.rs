//! Decisions that stay when an author replaces a pending proposal.
//!
//! A person who has decided about a hunk has decided about its text. If the replacement has the same hunk, with
//! the same old and new text at the same place, the decision stays. If the file has changed in between, the place is
//! that to which the change moved the old lines. All other hunks are undecided.

use std::collections::HashMap;
use std::time::Duration;

use crate::files::FileKey;
use crate::proposal::{Action, PlannedFile, Proposal};
use editd_edit::{Deadline, Plan};
use editd_text::ContentHash;

use super::{Choice, Comment, HunkId, HunkKind, Replacement, Review};

/// Maximum time for comparing the texts that two proposals were made for. Afterwards, more decisions are open again.
const COMPARING: Duration = Duration::from_millis(100);

/// The text of a hunk and its place. Hunks of two proposals are the same if theirs are equal.
#[derive(Debug, PartialEq, Eq, Hash)]
struct HunkContent {
    key: FileKey,
    kind: HunkKind,
    old: String,
    new: String,
    place: Place,
}

/// The place of a hunk in its file.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Place {
    /// Offset of the hunk in the text that the newer proposal was made for.
    Offset(usize),
    /// The whole file.
    File,
}

impl Review {
    /// Creates the review of a proposal that replaces another one. Returns the hunks whose decisions stay.
    pub fn carried(old: &Proposal, files: &[PlannedFile]) -> (Self, Vec<HunkId>) {
        let count = files.iter().map(|file| file.hunks().len()).sum();
        let mut review = Self::open(count);
        let Some(decided) = &old.review else { return (review, Vec::new()) };
        let same = same_hunks(&old.files, files);
        let (old_ranges, ranges) =
            (old.hunk_ranges(), super::consecutive(files.iter().map(|file| file.hunks().len())));
        for (index, range) in ranges.iter().enumerate() {
            let at_old = old.files.iter().position(|file| file.key == files[index].key);
            let is_whole = at_old.is_some_and(|at| {
                old_ranges[at].len() == range.len() && range.clone().all(|hunk| same.contains_key(&hunk))
            });
            // A text of the person replaces all hunks of a file, so it stays only with all of them.
            let replacement = at_old.filter(|_| is_whole).and_then(|at| decided.replaced.get(&at));
            let is_fresh = at_old.is_some_and(|at| old.files[at].hash_before == files[index].hash_before);
            let replacement: Option<&Replacement> = replacement.filter(|_| is_fresh);
            for hunk in range.clone() {
                review.choices[hunk] = match same.get(&hunk).and_then(|at| decided.choices.get(*at)) {
                    Some(Choice::Accepted) => Choice::Accepted,
                    Some(Choice::Rejected) => Choice::Rejected,
                    Some(Choice::Edited) if replacement.is_some() => Choice::Edited,
                    // A conflict was with a text that the author may have known.
                    Some(Choice::Open | Choice::Taken | Choice::Edited) | None => Choice::Open,
                };
            }
            if let Some(replacement) = replacement {
                review.replaced.insert(index, replacement.clone());
            }
        }
        if review.is_decided() {
            // A person finishes every review: a replacement is never applied by its author.
            review = Self::open(count);
        }
        review.comments = carried_comments(decided, &same, files);
        let is_kept = |(_, choice): &(usize, &Choice)| **choice != Choice::Open;
        let kept = review.choices.iter().enumerate().filter(is_kept).map(|(at, _)| HunkId(at + 1)).collect();
        (review, kept)
    }
}

/// Returns the comments with the numbers that their hunks have now. A comment about a hunk that has changed stays
/// with its file.
fn carried_comments(decided: &Review, same: &HashMap<usize, usize>, files: &[PlannedFile]) -> Vec<Comment> {
    let now: HashMap<usize, usize> = same.iter().map(|(new, old)| (*old, *new)).collect();
    let carry = |comment: &Comment| Comment {
        path: comment.path.clone().filter(|path| files.iter().any(|file| file.path == *path)),
        hunk: comment.hunk.and_then(|hunk| now.get(&(hunk.0 - 1))).map(|at| HunkId(at + 1)),
        text: comment.text.clone(),
    };
    decided.comments.iter().map(carry).collect()
}

/// Returns, for each hunk of `new` that is also in `old`, its index there.
fn same_hunks(old: &[PlannedFile], new: &[PlannedFile]) -> HashMap<usize, usize> {
    let deadline = Deadline::after(COMPARING);
    let drift = |file: &PlannedFile| {
        let now = new.iter().find(|other| other.key == file.key)?;
        let is_same = now.hash_before == file.hash_before;
        let text = |file: &PlannedFile| file.before.as_ref().map(|before| before.text.to_string());
        (!is_same)
            .then(|| Plan::between(&text(file).unwrap_or_default(), &text(now).unwrap_or_default(), deadline))
    };
    let contents = |files: &[PlannedFile], drift: &dyn Fn(&PlannedFile) -> Option<Plan>| -> Vec<_> {
        files.iter().flat_map(|file| contents_of(file, drift(file).as_ref())).collect()
    };
    let (before, after) = (by_content(contents(old, &drift)), by_content(contents(new, &|_| None)));
    let pairs = after.into_iter().filter_map(|(content, new)| {
        // Equal hunks between equal lines can be paired only if there are as many as before.
        let old = before.get(&content).filter(|old| old.len() == new.len())?;
        Some(new.into_iter().zip(old.iter().copied()))
    });
    pairs.flatten().collect()
}

/// Returns the indices of the hunks with each content. `None` in place of a content is a hunk like no other.
fn by_content(contents: Vec<Option<HunkContent>>) -> HashMap<HunkContent, Vec<usize>> {
    let mut by_content: HashMap<HunkContent, Vec<usize>> = HashMap::new();
    for (at, content) in contents.into_iter().enumerate() {
        if let Some(content) = content {
            by_content.entry(content).or_default().push(at);
        }
    }
    by_content
}

/// Returns the contents of the hunks of a file, with their places after a later change of the file. `None` for hunks
/// whose lines that change touches.
fn contents_of(file: &PlannedFile, drift: Option<&Plan>) -> Vec<Option<HunkContent>> {
    let base = file.before.as_ref().map(|before| before.text.to_string()).unwrap_or_default();
    let hunks = file.hunks();
    let texts: Vec<_> =
        hunks.iter().filter(|(kind, _)| *kind == HunkKind::Text).map(|(_, hunk)| *hunk).collect();
    // The plan of a deleted file does not apply to its text.
    let splices = if texts.is_empty() { Vec::new() } else { file.plan.by_hunk(&base, &texts) };
    let places: Vec<Option<usize>> = match drift {
        None => splices.iter().map(|splice| Some(splice.range.start)).collect(),
        Some(drift) => {
            let moved = drift.map_splices(&splices).into_iter();
            moved.map(|moved| Some(moved.range.start).filter(|_| !moved.touched)).collect()
        }
    };
    let (mut splices, is_one_of_several) = (splices.into_iter().zip(places), hunks.len() > 1);
    let hash = |hash: Option<ContentHash>| hash.map(|hash| hash.to_string()).unwrap_or_default();
    let content = |(kind, _)| {
        let (old, new, place) = match kind {
            HunkKind::Text => {
                let (splice, place) = splices.next()?;
                let old = base.get(splice.range).unwrap_or_default().to_owned();
                (old, splice.text, Place::Offset(place?))
            }
            HunkKind::Rename => {
                let Action::Rename { to, .. } = &file.action else { return None };
                (String::new(), to.display().to_string(), Place::File)
            }
            HunkKind::Create => {
                let mode = if file.action.is_executable() { "x" } else { "" };
                (mode.to_owned(), hash(file.hash_after), Place::File)
            }
            HunkKind::Encoding if is_one_of_several => {
                let before = file.before.as_ref().map(|before| before.format);
                (format!("{before:?}"), format!("{:?}", file.format), Place::File)
            }
            // Paths are no files.
            HunkKind::Link | HunkKind::Folder | HunkKind::Permissions => return None,
            HunkKind::Delete | HunkKind::Encoding | HunkKind::Binary | HunkKind::Whole => {
                (hash(file.hash_before), hash(file.hash_after), Place::File)
            }
        };
        Some(HunkContent { key: file.key.clone(), kind, old, new, place })
    };
    hunks.into_iter().map(content).collect()
}
