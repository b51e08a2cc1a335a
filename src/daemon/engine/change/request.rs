//! Requests for changes: the files that they name, and the patch in which they came.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::engine::change::compute::MatchOptions;
use crate::engine::change::retried::{AcceptedEdit, SeenFile, SeenFiles};
use crate::engine::change::spread::Spread;
use crate::engine::change::{ChangeKind, EditForm, EditIndex, RequestedChange};
use crate::engine::editors::ServedFiles;
use crate::engine::files::access::Clearance;
use crate::engine::files::resolve::{Purpose, linked};
use crate::engine::jobs::Located;
use crate::engine::{Engine, Failure, Result, SessionContext, collect_all};
use editd_disk::Target;
use editd_edit::Display;
use editd_edit::patch::PatchError;
use editd_text::ContentHash;
use editd_workspace::history::Origin;
use editd_workspace::{
    FileKey, Invalid, NamedVersion, OnStale, Refusal, RefusalKind, Repeatable, RequestedPath,
};

/// The parsed parameters of `propose` or `edit`. `P` is the file: first the requested path, then the located
/// target.
pub(crate) struct Call<P> {
    /// The `requestId` and a digest of the request, if it has an id.
    pub(crate) request: Option<Repeatable>,
    pub(crate) header: Header,
    pub(crate) matching: MatchOptions,
    /// The reads that must precede the change.
    pub(crate) reads: Reads,
    pub(crate) files: Vec<RequestedChange<P>>,
    /// The patch, if the changes came as one.
    pub(crate) patch: Option<PatchInfo>,
    /// The files as they were when the request was refused, if it is sent again by its id.
    pub(crate) retried: Vec<SeenFile>,
    /// The edits of that request that its author has accepted instead of its own.
    pub(crate) accepted: Vec<AcceptedEdit>,
    /// The files as they are now, for the case that the request is refused.
    pub(crate) seen: SeenFiles,
    /// The edit of all files that match a glob.
    pub(crate) spread: Option<Spread>,
    /// Warnings for the author.
    pub(crate) notes: Vec<String>,
}

/// The reads that must precede a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The author must have read the file.
    #[default]
    Required,
    /// A file that the author has not read is changed with a warning.
    Advised,
    /// The reads of the author are not known, so the current content is the base.
    Unknown,
}

/// The parameters of a call besides its changes.
pub(crate) struct Header {
    pub(crate) author: String,
    pub(crate) origin: Origin,
    pub(crate) label: Option<String>,
    pub(crate) replaces: Option<String>,
    pub(crate) on_stale: OnStale,
    pub(crate) display: Option<Display>,
}

impl RequestedChange<RequestedPath> {
    fn locate(self, engine: &Engine, session: &SessionContext) -> Result<RequestedChange<Target>, Refusal> {
        let purpose = self.kind.purpose();
        let removes_name = matches!(self.kind, ChangeKind::Delete(_) | ChangeKind::Rename { .. });
        let (mut clearance, mut of_new_path) = (Clearance::default(), Clearance::default());
        let locate = |path| {
            let (target, judged) = engine.place(session, &path, purpose)?;
            if target.via_symlink && removes_name {
                // The link would dangle afterwards, and it is unclear whether the request refers to the link
                // or to the file.
                return Err(linked(path.as_path(), &target));
            }
            clearance = judged;
            Ok(target)
        };
        let locate_new = |path| {
            let (target, judged) = engine.place(session, &path, Purpose::RenameTo)?;
            of_new_path = judged;
            Ok(target)
        };
        let index = self.index;
        let located = self.advance(locate, locate_new).map_err(|refusal| refusal.of_change(index))?;
        Ok(RequestedChange { clearance: clearance.and(of_new_path), ..located })
    }
}

/// Joins the changes of each file: an edit with a rename, and all sections of a patch that name the file with
/// several spellings. Any other two changes of one file are refused.
fn join_by_file(
    changes: Vec<RequestedChange<Target>>,
    mut patch: Option<&mut PatchInfo>,
) -> Result<Vec<RequestedChange<Target>>> {
    let mut joined: Vec<Option<RequestedChange<Target>>> = Vec::with_capacity(changes.len());
    let mut places: HashMap<FileKey, usize> = HashMap::with_capacity(changes.len());
    for mut file in changes {
        let at = *places.entry(file.file.key.clone()).or_insert(joined.len());
        let Some(first) = joined.get_mut(at).and_then(Option::take) else {
            joined.push(Some(file));
            continue;
        };
        let index = first.index;
        let several = patch.is_some() || first.implied || file.implied;
        let kind = match (first.kind.join(file.kind, several), &mut patch) {
            (Some(kind), None) => kind,
            (Some(kind), Some(patch)) => {
                let more = std::mem::take(&mut patch.lines[file.index].1);
                patch.lines[index].1.extend(more);
                kind
            }
            (None, None) => {
                let field = format!("changes[{}].path", file.index);
                let problem =
                    format!("changes[{index}] has the same file; only an edit and a rename can be combined");
                return Err(Invalid::new(field, problem).into());
            }
            (None, Some(patch)) => {
                let (first, line) = (patch.lines[index].0, patch.lines[file.index].0);
                let expected = format!("no further change of the file of line {first}");
                return Err(bad_patch(PatchError { line, expected }).into());
            }
        };
        let base = match (first.base, file.base) {
            (Some(one), Some(other)) => Some(one.and(other).ok_or_else(|| {
                let field = format!("changes[{}].path", file.index);
                Invalid::new(field, format!("changes[{index}] names another version of the same file"))
            })?),
            (one, other) => one.or(other),
        };
        file.clearance = first.clearance.and(file.clearance);
        let implied = first.implied && file.implied;
        joined[at] = Some(RequestedChange { index, base, implied, kind, ..file });
    }
    let mut joined: Vec<_> = joined.into_iter().flatten().collect();
    joined.sort_by_key(|file| file.index);
    Ok(joined)
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
    pub(crate) bases: Vec<(String, RequestedPath, NamedVersion)>,
}

impl PatchInfo {
    /// Assigns the bases whose paths are not spelled as in the patch.
    pub(crate) fn assign_bases(
        &self,
        files: &mut [RequestedChange<Target>],
        engine: &Engine,
        session: &SessionContext,
    ) -> Result<(), Invalid> {
        for (spelled, path, base) in &self.bases {
            // No access check is needed: the file is only compared with files that have passed it.
            let found = engine.find(session, path, Purpose::Edit).ok();
            let is_same = |file: &&mut RequestedChange<Target>| {
                found.as_ref().is_some_and(|found| file.file.key == found.target.key)
            };
            let (field, base) = (format!("bases.{spelled}"), base.clone());
            let named = files.iter_mut().find(is_same);
            let has_hash = |file: &RequestedChange<Target>| matches!(file.base, Some(NamedVersion::Hash(_)));
            let Some(file) = named.filter(|file| !has_hash(file)) else {
                let problem = "the patch does not change this file, or the file already has a base";
                return Err(Invalid::new(field, problem));
            };
            file.base = Some(match file.base.take() {
                Some(tag) => NamedVersion::of_hash_and_tag(field, base, tag)?,
                None => base,
            });
        }
        Ok(())
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
    /// Replaces a rename by the places that a language server renames.
    pub(crate) fn take_served(
        &mut self,
        of: EditIndex,
        (files, left): (ServedFiles, Vec<(PathBuf, Vec<u64>)>),
        expect: Option<u32>,
    ) {
        let mut files = files.into_iter();
        let Some((_, home)) = files.next() else { return };
        let edits = self.files.iter_mut().flat_map(|file| file.kind.edits_mut());
        for edit in edits.filter(|edit| edit.of == Some(of)) {
            if let EditForm::Symbol(symbol) = &edit.form {
                edit.form = EditForm::Renamed(symbol.clone(), home.clone());
            }
        }
        let (spread, others) = Spread::served(of, (files.collect(), left), expect);
        self.files.extend(others);
        self.spread = Some(spread);
    }

    /// Locates all files, or returns a refusal for each file that cannot be changed.
    pub(crate) fn locate(self, engine: &Engine, session: &SessionContext) -> Result<Call<Target>> {
        let mut patch = self.patch;
        let located = self.files.into_iter().map(|file| file.locate(engine, session));
        let mut files =
            collect_all(located).map_err(|failure| PatchInfo::add_lines(patch.as_ref(), failure))?;
        if let Some(patch) = &patch {
            patch.assign_bases(&mut files, engine, session)?;
        }
        let files = join_by_file(files, patch.as_mut())?;
        let Self { header, matching, reads, retried, accepted, seen, spread, notes, .. } = self;
        let mut call = Call {
            request: None,
            header,
            matching,
            reads,
            files,
            patch,
            retried,
            accepted,
            seen,
            spread,
            notes,
        };
        call.request = self.request.map(|request| with_targets(request, &call.targets()));
        Ok(call)
    }
}
