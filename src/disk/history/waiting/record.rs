//! Serialized form of proposals.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::history::record::{
    FormatRecord, OriginRecord, PathRecord, SpliceRecord, hunks, plan, splice_record, timestamp,
};
use crate::history::run_record::PathChangeRecord;
use editd_edit::{FileDiff, Hunk};
use editd_syntax::SyntaxError;
use editd_text::ContentHash;
use editd_workspace::review::{Choice, Comment, HunkId, Landed, Replacement, Review};
use editd_workspace::rules::EXECUTABLE_CONFIG;
use editd_workspace::{
    Action, Coverage, DisplayDiff, FileKey, NewMode, PlannedFile, Proposal, ProposalId, ProposalState,
    Repeatable, Role, SessionId, Snapshot,
};

/// Format version of these files. A file of another version is set aside.
const VERSION: u32 = 1;

/// The letters of all choices, in the order of [`Choice`].
const CHOICES: [char; 5] = ['o', 'a', 't', 'r', 'e'];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProposalRecord {
    version: u32,
    id: String,
    at: Timestamp,
    by_editor: bool,
    author: String,
    #[serde(default)]
    session_name: String,
    #[serde(default, skip_serializing_if = "OriginRecord::is_empty")]
    origin: OriginRecord,
    roots: Vec<PathRecord>,
    label: Option<String>,
    request: Option<String>,
    /// Digest of the request's content.
    #[serde(default)]
    asks: Option<String>,
    revision: u32,
    on_stale: String,
    undoes: Option<String>,
    /// The transaction that recorded the change under review, if the change has landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    landed: Option<String>,
    files: Vec<FileRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paths: Vec<PathChangeRecord>,
    review: ReviewRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileRecord {
    path: PathRecord,
    inode: Option<(u64, u64)>,
    action: String,
    /// Mode of a new file that is not plain: as git writes it, or its permission bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    new_path: Option<PathRecord>,
    new_inode: Option<(u64, u64)>,
    before: Option<TextRecord>,
    hash_before: Option<String>,
    hash_after: Option<String>,
    /// Length in bytes of the text that the splices apply to, and the splices.
    len: usize,
    splices: Vec<SpliceRecord>,
    format: FormatRecord,
    #[serde(with = "DiffRecord")]
    diff: FileDiff,
    shown: Option<(String, String)>,
    warnings: Vec<String>,
    #[serde(default)]
    syntax: Vec<(usize, String)>,
    tags: Vec<String>,
    rebased: bool,
    whole: bool,
}

#[derive(Serialize, Deserialize)]
struct TextRecord {
    hash: String,
    text: String,
    format: FormatRecord,
    size: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FileDiff", rename_all = "camelCase")]
struct DiffRecord {
    unified: String,
    #[serde(with = "hunks")]
    hunks: Vec<Hunk>,
    first_changed_line: Option<usize>,
    added: usize,
    removed: usize,
}

#[derive(Serialize, Deserialize)]
struct ReviewRecord {
    /// A letter for each hunk.
    choices: String,
    replaced: Vec<(usize, Option<TextRecord>, String)>,
    comments: Vec<(Option<PathRecord>, Option<usize>, String)>,
}

impl ProposalRecord {
    pub(super) fn new(proposal: &Proposal) -> Self {
        let review = proposal.review.clone().unwrap_or_default();
        Self {
            version: VERSION,
            id: proposal.id.to_string(),
            at: timestamp(proposal.at),
            by_editor: proposal.role == Role::Editor,
            author: proposal.author.clone(),
            session_name: proposal.session_name.to_string(),
            origin: OriginRecord::new(&proposal.origin),
            roots: proposal.roots.iter().map(|root| PathRecord::new(root)).collect(),
            label: proposal.label.clone(),
            request: proposal.request.as_ref().map(|request| request.id.clone()),
            asks: proposal.request.as_ref().map(|request| request.asks.to_string()),
            revision: proposal.revision,
            on_stale: proposal.on_stale.to_string(),
            undoes: proposal.undoes.as_deref().map(str::to_owned),
            landed: proposal.landed.as_ref().map(|landed| landed.transaction.to_string()),
            files: proposal.files.iter().map(FileRecord::new).collect(),
            paths: proposal.paths.iter().map(PathChangeRecord::new).collect(),
            review: ReviewRecord::new(&review),
        }
    }

    /// Returns the proposal, or `None` if it is inconsistent.
    pub(super) fn read(self) -> Option<Proposal> {
        let files = self.files.into_iter().map(FileRecord::read).collect::<Option<Vec<_>>>()?;
        let asks = self.asks.and_then(|asks| asks.parse().ok());
        let proposal = Proposal {
            id: ProposalId(self.id.into()),
            session: SessionId(0),
            role: if self.by_editor { Role::Editor } else { Role::Agent },
            roots: self.roots.into_iter().map(PathRecord::read).collect(),
            author: self.author,
            session_name: self.session_name.into(),
            origin: self.origin.read(),
            request: self.request.zip(asks).map(|(id, asks)| Repeatable { id, asks }),
            label: self.label,
            revision: self.revision,
            state: ProposalState::Pending,
            reason: None,
            replaced_by: None,
            on_stale: self.on_stale.parse().ok()?,
            at: self.at.into(),
            transaction: None,
            undoes: self.undoes.map(Into::into),
            landed: self.landed.map(|id| Landed { transaction: id.into(), is_reported: false }),
            files: files.into(),
            paths: self.paths.into_iter().map(PathChangeRecord::read).collect(),
            review: Some(self.review.read()?),
        };
        let is_whole = proposal.review.as_ref().is_some_and(|it| it.choices.len() == proposal.hunk_count());
        (self.version == VERSION && is_whole).then_some(proposal)
    }
}

impl FileRecord {
    fn new(file: &PlannedFile) -> Self {
        let (new_path, new_inode) = match &file.action {
            Action::Rename { to, to_key } => (Some(PathRecord::new(to)), inode(to_key)),
            _ => (None, None),
        };
        Self {
            path: PathRecord::new(&file.path),
            inode: inode(&file.key),
            action: file.action.to_string(),
            mode: mode_name(&file.action),
            new_path,
            new_inode,
            before: file.before.as_deref().map(TextRecord::new),
            hash_before: file.hash_before.map(|hash| hash.to_string()),
            hash_after: file.hash_after.map(|hash| hash.to_string()),
            len: file.plan.base_len(),
            splices: file.plan.splices().iter().cloned().map(splice_record).collect(),
            format: FormatRecord::new(file.format),
            diff: (*file.diff).clone(),
            shown: file.shown.as_ref().map(|it| (it.display.to_string(), it.text.to_string())),
            warnings: file.warnings.clone(),
            syntax: file.syntax.iter().map(|error| (error.line, error.excerpt.clone())).collect(),
            tags: file.tags(),
            rebased: file.rebased,
            whole: file.coverage == Coverage::Whole,
        }
    }

    fn read(self) -> Option<PlannedFile> {
        let hash = |text: Option<String>| text.map(|text| text.parse()).transpose();
        let path = self.path.read();
        let action = match (self.action.as_str(), self.new_path) {
            ("edit", _) => Action::Edit,
            ("create", _) => Action::Create { mode: mode_of(self.mode.as_deref())? },
            ("delete", _) => Action::Delete,
            ("rename", Some(to)) => {
                let to = to.read();
                Action::Rename { to_key: key(&to, self.new_inode), to }
            }
            _ => return None,
        };
        let before = self.before.map_or(Some(None), |text| text.read().map(Some))?;
        let plan = plan(self.len, self.splices)?;
        let base = before.as_ref().map(|before| before.text.to_string()).unwrap_or_default();
        // A deleted file has an empty plan.
        let is_for_it = plan.fits(&base) || plan.is_empty();
        let shown = match self.shown {
            Some((display, text)) => Some(DisplayDiff { display: display.parse().ok()?, text: text.into() }),
            None => None,
        };
        let file = PlannedFile {
            key: key(&path, self.inode),
            path,
            action,
            before,
            hash_before: hash(self.hash_before).ok()?,
            plan: Arc::new(plan),
            hash_after: hash(self.hash_after).ok()?,
            format: self.format.read()?,
            diff: Arc::new(self.diff),
            shown,
            // The match details are reported to the author only once.
            matches: Vec::new(),
            warnings: self.warnings,
            syntax: self.syntax.into_iter().map(|(line, excerpt)| SyntaxError::new(line, excerpt)).collect(),
            runs_programs: self.tags.iter().any(|tag| tag == EXECUTABLE_CONFIG),
            rebased: self.rebased,
            original_plan: None,
            coverage: if self.whole { Coverage::Whole } else { Coverage::Part },
        };
        is_for_it.then_some(file)
    }
}

fn mode_name(action: &Action) -> Option<String> {
    match action {
        Action::Create { mode: NewMode::Executable } => Some(NewMode::EXECUTABLE.to_owned()),
        Action::Create { mode: NewMode::Bits(bits) } => Some(format!("{bits:o}")),
        _ => None,
    }
}

fn mode_of(name: Option<&str>) -> Option<NewMode> {
    match name {
        None => Some(NewMode::Plain),
        Some(NewMode::EXECUTABLE) => Some(NewMode::Executable),
        Some(bits) => u32::from_str_radix(bits, 8).ok().map(NewMode::Bits),
    }
}

impl TextRecord {
    fn new(snapshot: &Snapshot) -> Self {
        let (hash, text) = (snapshot.hash.to_string(), snapshot.text.to_string());
        Self { hash, text, format: FormatRecord::new(snapshot.format), size: snapshot.size }
    }

    fn read(self) -> Option<Arc<Snapshot>> {
        let (hash, format) = (self.hash.parse().ok()?, self.format.read()?);
        let is_it = format.encode(&self.text).is_ok_and(|bytes| ContentHash::of(&bytes) == hash);
        is_it.then(|| Arc::new(Snapshot { hash, text: self.text.as_str().into(), format, size: self.size }))
    }
}

impl ReviewRecord {
    fn new(review: &Review) -> Self {
        let replaced = |(file, it): (&usize, &Replacement)| {
            (*file, it.base.as_deref().map(TextRecord::new), it.content.to_string())
        };
        let comment = |it: &Comment| {
            (it.path.as_deref().map(PathRecord::new), it.hunk.map(|hunk| hunk.0), it.text.clone())
        };
        Self {
            choices: review.choices.iter().map(|choice| CHOICES[*choice as usize]).collect(),
            replaced: review.replaced.iter().map(replaced).collect(),
            comments: review.comments.iter().map(comment).collect(),
        }
    }

    fn read(self) -> Option<Review> {
        let choice = |letter| Choice::from_repr(CHOICES.iter().position(|known| *known == letter)?);
        let choices = self.choices.chars().map(choice);
        let mut review = Review { choices: choices.collect::<Option<_>>()?, ..Review::default() };
        for (file, base, content) in self.replaced {
            let base = base.map_or(Some(None), |base| base.read().map(Some))?;
            review.replaced.insert(file, Replacement { base, content: content.into() });
        }
        let comment = |(path, hunk, text): (Option<PathRecord>, Option<usize>, String)| Comment {
            path: path.map(PathRecord::read),
            hunk: hunk.map(HunkId),
            text,
        };
        review.comments = self.comments.into_iter().map(comment).collect();
        Some(review)
    }
}

fn inode(key: &FileKey) -> Option<(u64, u64)> {
    match key {
        FileKey::Path(_) => None,
        FileKey::Inode { device, inode } => Some((*device, *inode)),
    }
}

fn key(path: &std::path::Path, inode: Option<(u64, u64)>) -> FileKey {
    inode.map_or_else(|| FileKey::path(path), |(device, inode)| FileKey::Inode { device, inode })
}
