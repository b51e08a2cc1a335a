//! Requests whose changes come as a patch.

use std::collections::BTreeMap;

use crate::disk::Target;
use crate::edit::Edit;
use crate::patch::{self, FilePatch, PatchChange, PatchError, PatchHunk};
use crate::protocol::{Invalid, PatchAndBases, RequestPath};
use crate::text::ContentHash;
use crate::workspace::limits::PATCH_BYTES;
use crate::workspace::{NewMode, Refusal, RefusalKind};

use crate::daemon::change::{ChangeKind, NewContent, Precondition, Removed, RequestedChange};
use crate::daemon::files::access::Clearance;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::{Core, Failure, SessionContext};

/// The patch of a request: the lines of its changes, and the bases that came with it.
pub(crate) struct PatchInfo {
    /// Line numbers of each change: of the line that names its file, and of its hunks; from 1.
    lines: Vec<(usize, Vec<usize>)>,
    /// Bases whose paths are not spelled as in the patch.
    bases: Vec<(String, RequestPath, ContentHash)>,
}

/// Parses a patch and the bases that came with it.
pub(crate) fn read(
    (patch, bases): PatchAndBases,
) -> Result<(Vec<RequestedChange<RequestPath>>, PatchInfo), Failure> {
    if patch.text.len() > PATCH_BYTES {
        let problem = format!("it is longer than {} MiB", PATCH_BYTES >> 20);
        return Err(Invalid::new("patch.text", problem).into());
    }
    let files = patch::parse(&patch.text, patch.format).map_err(|error| Failure::from(bad_patch(error)))?;
    let mut bases = read_bases(bases)?;
    let lines = files.iter().map(|file| (file.line, lines_of(&file.change))).collect();
    let mut changes = Vec::with_capacity(files.len());
    for (index, file) in files.into_iter().enumerate() {
        let base = bases.remove(&file.path).map(|(_, hash)| hash);
        let named = path(&file.path, file.line)?;
        let clearance = Clearance::default();
        changes.push(RequestedChange { index, file: named, base, clearance, kind: kind(file)? });
    }
    let bases = bases.into_iter().map(|(spelled, (path, hash))| (spelled, path, hash)).collect();
    Ok((changes, PatchInfo { lines, bases }))
}

impl PatchInfo {
    /// Assigns the bases whose paths are not spelled as in the patch.
    pub(crate) fn assign_bases(
        &self,
        files: &mut [RequestedChange<Target>],
        core: &Core,
        session: &SessionContext,
    ) -> Result<(), Invalid> {
        for (spelled, path, hash) in &self.bases {
            // No access check is needed: the file is only compared with files that have passed it.
            let found = core.find(session, path, Purpose::Edit).ok();
            let is_same = |file: &&mut RequestedChange<Target>| {
                found.as_ref().is_some_and(|found| file.file.key == found.target.key)
            };
            let named = files.iter_mut().find(is_same);
            let Some(file) = named.filter(|file| file.base.is_none()) else {
                let problem = "the patch does not change this file, or the file already has a base";
                return Err(Invalid::new(format!("bases.{spelled}"), problem));
            };
            file.base = Some(*hash);
        }
        Ok(())
    }

    /// Joins the changes of each file that the patch names with several spellings in several sections.
    pub(crate) fn merge(
        &mut self,
        changes: Vec<RequestedChange<Target>>,
    ) -> Result<Vec<RequestedChange<Target>>, Failure> {
        let mut merged: Vec<RequestedChange<Target>> = Vec::with_capacity(changes.len());
        for mut file in changes {
            let Some(at) = merged.iter().position(|other| other.file.key == file.file.key) else {
                merged.push(file);
                continue;
            };
            let first = merged.swap_remove(at);
            let (index, line) = (first.index, self.lines[first.index].0);
            let more = std::mem::take(&mut self.lines[file.index]);
            let kind = first.kind.join(file.kind, true).ok_or_else(|| {
                let expected = format!("no further change of the file of line {line}");
                Failure::from(bad_patch(PatchError { line: more.0, expected }))
            })?;
            self.lines[index].1.extend(more.1);
            file.base = first.base.or(file.base);
            file.clearance = first.clearance.and(file.clearance);
            merged.push(RequestedChange { index, kind, ..file });
        }
        merged.sort_by_key(|file| file.index);
        Ok(merged)
    }

    /// Adds the lines of the patch to the refusals of a failure.
    pub(crate) fn add_lines(patch: Option<&Self>, failure: Failure) -> Failure {
        let Some(patch) = patch else { return failure };
        let Failure::Refused(mut refusals) = failure else { return failure };
        for refusal in &mut refusals {
            let lines = refusal.change.and_then(|index| patch.lines.get(index));
            refusal.patch_line = lines
                .map(|(line, hunks)| refusal.edit.and_then(|edit| hunks.get(edit)).copied().unwrap_or(*line));
        }
        Failure::Refused(refusals)
    }
}

fn bad_patch(PatchError { line, expected }: PatchError) -> Refusal {
    Refusal::new(RefusalKind::BadPatch { line, expected })
}

fn path(path: &str, line: usize) -> Result<RequestPath, Failure> {
    RequestPath::from_fields(Some(path.to_owned()), None, ("path", "uri")).map_err(|invalid| {
        let expected = format!("a valid path, but {}", invalid.problem);
        bad_patch(PatchError { line, expected }).into()
    })
}

fn read_bases(
    bases: BTreeMap<String, String>,
) -> Result<BTreeMap<String, (RequestPath, ContentHash)>, Invalid> {
    let read = |(spelled, hash): (String, String)| {
        let at = |problem: String| Invalid::new(format!("bases.{spelled}"), problem);
        let path = RequestPath::from_fields(Some(spelled.clone()), None, ("", ""));
        let path = path.map_err(|invalid| at(invalid.problem))?;
        let hash = hash.parse().map_err(|_| at("a hash is `b3:` and 32 hexadecimal digits".to_owned()))?;
        Ok((spelled, (path, hash)))
    };
    bases.into_iter().map(read).collect()
}

fn lines_of(change: &PatchChange) -> Vec<usize> {
    match change {
        PatchChange::Edit { hunks, .. } | PatchChange::Delete { hunks } => {
            hunks.iter().map(|hunk| hunk.line).collect()
        }
        PatchChange::Create { .. } | PatchChange::Fill { .. } => Vec::new(),
    }
}

fn kind(file: FilePatch) -> Result<ChangeKind<RequestPath>, Failure> {
    let write = |text, mode, precondition| {
        ChangeKind::Write(NewContent { text, literal: false, encoding: None, mode, precondition })
    };
    Ok(match file.change {
        PatchChange::Edit { hunks, to: None } => ChangeKind::Edit(edits(hunks), None),
        PatchChange::Edit { hunks, to: Some(to) } => {
            ChangeKind::Rename { edits: edits(hunks), to: path(&to, file.line)? }
        }
        PatchChange::Create { content, executable } => {
            write(content, executable.then_some(NewMode::Executable), Precondition::New)
        }
        PatchChange::Fill { content, creates, line } => {
            write(content, None, Precondition::Empty { creates, line })
        }
        PatchChange::Delete { hunks } => {
            let removed = Removed { edits: edits(hunks), line: file.line };
            ChangeKind::Delete((!removed.edits.is_empty()).then_some(removed))
        }
    })
}

fn edits(hunks: Vec<PatchHunk>) -> Vec<Edit> {
    hunks.into_iter().map(|hunk| hunk.edit).collect()
}
