//! Requests for changes: the files that they name, and the patch in which they came.

use std::os::unix::ffi::OsStrExt;

use crate::disk::Target;
use crate::edit::Display;
use crate::engine::change::compute::MatchOptions;
use crate::engine::change::{ChangeKind, RequestedChange};
use crate::engine::files::access::Clearance;
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::Located;
use crate::engine::{Engine, Failure, SessionContext};
use crate::patch::PatchError;
use crate::text::ContentHash;
use crate::workspace::{Invalid, OnStale, Refusal, RefusalKind, Repeatable, RequestedPath};

/// The parsed parameters of `propose` or `edit`. `P` is the file: first the requested path, then the located
/// target.
pub(crate) struct Call<P> {
    /// The `requestId` and a digest of the request, if it has an id.
    pub(crate) request: Option<Repeatable>,
    pub(crate) header: Header,
    pub(crate) matching: MatchOptions,
    pub(crate) files: Vec<RequestedChange<P>>,
    /// The patch, if the changes came as one.
    pub(crate) patch: Option<PatchInfo>,
}

/// The parameters of a call besides its changes.
pub(crate) struct Header {
    pub(crate) author: String,
    pub(crate) label: Option<String>,
    pub(crate) replaces: Option<String>,
    pub(crate) on_stale: OnStale,
    pub(crate) display: Option<Display>,
}

impl RequestedChange<RequestedPath> {
    fn locate(self, engine: &Engine, session: &SessionContext) -> Result<RequestedChange<Target>, Refusal> {
        let (asked, purpose) = (self.file.clone(), self.kind.purpose());
        let removes_name = matches!(self.kind, ChangeKind::Delete(_) | ChangeKind::Rename { .. });
        let (mut clearance, mut of_new_path) = (Clearance::default(), Clearance::default());
        let locate = |path| {
            let placed = engine.place(session, &path, purpose)?;
            if placed.target.via_symlink && removes_name {
                // The link would dangle afterwards, and it is unclear whether the request refers to the link
                // or to the file.
                let what = format!("reached by a symbolic link; it is `{}`", placed.target.path.display());
                return Err(Refusal::at(asked.as_path(), RefusalKind::NotAFile { what }));
            }
            clearance = placed.clearance;
            Ok(placed.target)
        };
        let locate_new = |path| {
            let placed = engine.place(session, &path, Purpose::RenameTo)?;
            of_new_path = placed.clearance;
            Ok(placed.target)
        };
        let located = self.advance(locate, locate_new)?;
        Ok(RequestedChange { clearance: clearance.and(of_new_path), ..located })
    }
}

/// Joins an edit and a rename of one file. Any other two changes of one file are refused.
fn merge_renames(changes: Vec<RequestedChange<Target>>) -> Result<Vec<RequestedChange<Target>>, Invalid> {
    let mut merged: Vec<RequestedChange<Target>> = Vec::with_capacity(changes.len());
    for file in changes {
        let other = merged.iter_mut().find(|other| other.file.key == file.file.key);
        match (other, file) {
            (None, file) => merged.push(file),
            (Some(other), file) => other.join(file)?,
        }
    }
    Ok(merged)
}

impl RequestedChange<Target> {
    fn join(&mut self, file: Self) -> Result<(), Invalid> {
        let (index, base) = (self.index, self.base.or(file.base));
        let Some(kind) = std::mem::replace(&mut self.kind, ChangeKind::Delete(None)).join(file.kind, false)
        else {
            let field = format!("changes[{}].path", file.index);
            let problem =
                format!("changes[{index}] has the same file; only an edit and a rename can be combined");
            return Err(Invalid::new(field, problem));
        };
        let clearance = std::mem::take(&mut self.clearance).and(file.clearance);
        *self = Self { index, file: file.file, base, clearance, kind };
        Ok(())
    }
}

impl Call<Target> {
    /// Returns refusals for the files that need a review, in case no reviewer is available.
    pub(crate) fn to_review(&self) -> Vec<Refusal> {
        let of = |file: &RequestedChange<Target>| Some(file.clearance.review.clone()?.of_change(file.index));
        self.files.iter().filter_map(of).collect()
    }
}

impl Located for Call<Target> {
    fn targets(&self) -> Vec<&Target> {
        let targets = self.files.iter().flat_map(|file| match &file.kind {
            ChangeKind::Rename { to, .. } => [Some(&file.file), Some(to)],
            _ => [Some(&file.file), None],
        });
        targets.flatten().collect()
    }
}

/// The patch of a request: the lines of its changes, and the bases that came with it.
pub(crate) struct PatchInfo {
    /// Line numbers of each change: of the line that names its file, and of its hunks; from 1.
    pub(crate) lines: Vec<(usize, Vec<usize>)>,
    /// Bases whose paths are not spelled as in the patch.
    pub(crate) bases: Vec<(String, RequestedPath, ContentHash)>,
}

impl PatchInfo {
    /// Assigns the bases whose paths are not spelled as in the patch.
    pub(crate) fn assign_bases(
        &self,
        files: &mut [RequestedChange<Target>],
        engine: &Engine,
        session: &SessionContext,
    ) -> Result<(), Invalid> {
        for (spelled, path, hash) in &self.bases {
            // No access check is needed: the file is only compared with files that have passed it.
            let found = engine.find(session, path, Purpose::Edit).ok();
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

/// Returns the refusal for a patch that cannot be read.
pub(crate) fn bad_patch(PatchError { line, expected }: PatchError) -> Refusal {
    Refusal::new(RefusalKind::BadPatch { line, expected })
}

/// Adds the files of a request to its digest. A relative path refers to another file in another root, whose
/// answer must not be returned.
pub(crate) fn with_targets(Repeatable { id, asks }: Repeatable, files: &[&Target]) -> Repeatable {
    let paths = files.iter().flat_map(|file| [file.path.as_os_str().as_bytes(), b"\0"]);
    let asks = ContentHash::of_chunks([asks.as_bytes().as_slice()].into_iter().chain(paths));
    Repeatable { id, asks }
}

impl Call<RequestedPath> {
    /// Locates all files, or returns a refusal for each file that cannot be changed.
    pub(crate) fn locate(self, engine: &Engine, session: &SessionContext) -> Result<Call<Target>, Failure> {
        let (mut found, mut refusals) = (Vec::new(), Vec::new());
        for file in self.files {
            let index = file.index;
            match file.locate(engine, session) {
                Ok(file) => found.push(file),
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        let mut patch = self.patch;
        if !refusals.is_empty() {
            return Err(PatchInfo::add_lines(patch.as_ref(), Failure::Refused(refusals)));
        }
        let files = match &mut patch {
            Some(patch) => {
                patch.assign_bases(&mut found, engine, session)?;
                patch.merge(found)?
            }
            None => merge_renames(found)?,
        };
        let mut call = Call { request: None, header: self.header, matching: self.matching, files, patch };
        call.request = self.request.map(|request| with_targets(request, &call.targets()));
        Ok(call)
    }
}
