//! Calls whose changes come as a patch.

use std::collections::BTreeMap;

use crate::disk::Target;
use crate::edit::Edit;
use crate::patch::{self, FilePatch, PatchChange, PatchError, PatchHunk};
use crate::protocol::{Invalid, PatchAndBases, RequestPath};
use crate::text::ContentHash;
use crate::workspace::limits::PATCH_BYTES;
use crate::workspace::{NewMode, Refusal, RefusalKind};

use crate::daemon::guard::Clearance;
use crate::daemon::locate::Purpose;
use crate::daemon::work::{NewContent, Removed, When};
use crate::daemon::{Core, Failure, SessionContext};

use super::call::{Ask, Asked};

/// What a call knows of the patch that its changes came in.
pub(crate) struct Patched {
    /// Of each change: the line that names its file, and those of its hunks; from 1.
    lines: Vec<(usize, Vec<usize>)>,
    /// Bases of files that the patch spells otherwise.
    bases: Vec<(String, RequestPath, ContentHash)>,
}

/// Reads a patch and the bases that came with it.
pub(crate) fn read((patch, bases): PatchAndBases) -> Result<(Vec<Asked<RequestPath>>, Patched), Failure> {
    if patch.text.len() > PATCH_BYTES {
        let problem = format!("it is longer than {} MiB", PATCH_BYTES >> 20);
        return Err(Invalid::new("patch.text", problem).into());
    }
    let files = patch::parse(&patch.text, patch.format).map_err(|error| Failure::from(bad_patch(error)))?;
    let mut bases = read_bases(bases)?;
    let lines = files.iter().map(|file| (file.line, lines_of(&file.change))).collect();
    let mut asked = Vec::with_capacity(files.len());
    for (index, file) in files.into_iter().enumerate() {
        let sent = bases.remove(&file.path).map(|(_, hash)| hash);
        let place = path(&file.path, file.line)?;
        asked.push(Asked { index, place, sent, clearance: Clearance::default(), ask: ask(file)? });
    }
    let bases = bases.into_iter().map(|(spelled, (path, hash))| (spelled, path, hash)).collect();
    Ok((asked, Patched { lines, bases }))
}

impl Patched {
    /// Gives the files that `bases` spells otherwise than the patch their bases.
    pub(crate) fn place_bases(
        &self,
        files: &mut [Asked<Target>],
        core: &Core,
        session: &SessionContext,
    ) -> Result<(), Invalid> {
        for (spelled, path, hash) in &self.bases {
            // It is only compared with files that were judged.
            let found = core.find(session, path, Purpose::Edit).ok();
            let is_it = |file: &&mut Asked<Target>| {
                found.as_ref().is_some_and(|found| file.place.key == found.target.key)
            };
            let named = files.iter_mut().find(is_it);
            let Some(file) = named.filter(|file| file.sent.is_none()) else {
                let problem = "the patch does not change this file, or the file has a base already";
                return Err(Invalid::new(format!("bases.{spelled}"), problem));
            };
            file.sent = Some(*hash);
        }
        Ok(())
    }

    /// One change for each file, where the patch has several sections about one that it spells in several
    /// ways.
    pub(crate) fn merge(&mut self, asked: Vec<Asked<Target>>) -> Result<Vec<Asked<Target>>, Failure> {
        let mut merged: Vec<Asked<Target>> = Vec::with_capacity(asked.len());
        for mut file in asked {
            let Some(at) = merged.iter().position(|other| other.place.key == file.place.key) else {
                merged.push(file);
                continue;
            };
            let first = merged.swap_remove(at);
            let (index, line) = (first.index, self.lines[first.index].0);
            let more = std::mem::take(&mut self.lines[file.index]);
            let ask = first.ask.join(file.ask, true).ok_or_else(|| {
                let expected = format!("nothing more about the file that line {line} is about");
                Failure::from(bad_patch(PatchError { line: more.0, expected }))
            })?;
            self.lines[index].1.extend(more.1);
            file.sent = first.sent.or(file.sent);
            file.clearance = first.clearance.and(file.clearance);
            merged.push(Asked { index, ask, ..file });
        }
        merged.sort_by_key(|file| file.index);
        Ok(merged)
    }

    /// The same failure, its refusals with the lines of the patch that they are about.
    pub(crate) fn mark(patch: Option<&Self>, failure: Failure) -> Failure {
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
        let expected = format!("a path that can be one, but {}", invalid.problem);
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

fn ask(file: FilePatch) -> Result<Ask<RequestPath>, Failure> {
    let write =
        |text, mode, when| Ask::Write(NewContent { text, literal: false, encoding: None, mode, when });
    Ok(match file.change {
        PatchChange::Edit { hunks, to: None } => Ask::Edit(edits(hunks), None),
        PatchChange::Edit { hunks, to: Some(to) } => {
            Ask::Rename { edits: edits(hunks), to: path(&to, file.line)? }
        }
        PatchChange::Create { content, executable } => {
            write(content, executable.then_some(NewMode::Executable), When::New)
        }
        PatchChange::Fill { content, creates, line } => write(content, None, When::Empty { creates, line }),
        PatchChange::Delete { hunks } => {
            let removed = Removed { edits: edits(hunks), line: file.line };
            Ask::Delete((!removed.edits.is_empty()).then_some(removed))
        }
    })
}

fn edits(hunks: Vec<PatchHunk>) -> Vec<Edit> {
    hunks.into_iter().map(|hunk| hunk.edit).collect()
}
