use crate::disk::Target;
use crate::edit::{Count, Display, Edit};
use crate::protocol::{
    ChangeParams, FileChange, Invalid, Matching, OnConflictParam, OnStaleParam, ProposeParams, RequestPath,
    TextEditParams, WriteParams, cell_ops,
};
use crate::text::{ContentHash, Encoding};
use crate::workspace::{Limits, NewMode, OnStale, Refusal, RefusalKind, Repeatable, Role};

use crate::daemon::change::compute::MatchOptions;
use crate::daemon::change::{ChangeKind, NewContent, Precondition, RequestedChange};
use crate::daemon::files::access::Clearance;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::Located;
use crate::daemon::{Core, Failure, SessionContext};

use super::once::{Kind, request_digest, with_targets};
use super::patched::{self, PatchInfo};

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

impl Call<RequestPath> {
    pub(crate) fn read(
        mut params: ProposeParams,
        kind: Kind,
        session: &SessionContext,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let request =
            params.request_id.take().map(|id| Repeatable { id, asks: request_digest(kind, &params) });
        let author = match (params.author.take(), session.role) {
            (Some(author), Role::Editor) => author,
            (Some(_), Role::Agent) => {
                return Err(Invalid::new("author", "an agent cannot act for another author").into());
            }
            (None, _) => session.author.clone(),
        };
        let (files, patch, field) = match params.take_patch()? {
            Some(patch) => {
                let (files, patch) = patched::read(patch)?;
                (files, Some(patch), "patch")
            }
            None => (read_changes(params.take_changes()?, limits.changes)?, None, "edits"),
        };
        if files.len() > limits.changes {
            let problem = format!("it changes more than {} files", limits.changes);
            return Err(Invalid::new(field, problem).into());
        }
        let edits: usize = files.iter().map(|file| file.kind.len()).sum();
        if edits > limits.edits {
            return Err(Invalid::new(field, format!("there are more than {}", limits.edits)).into());
        }
        let on_stale = match (params.on_stale, params.on_conflict) {
            (OnStaleParam::Reject, OnConflictParam::Refuse) => OnStale::Reject,
            (OnStaleParam::Rebase, OnConflictParam::Refuse) => OnStale::Rebase,
            (OnStaleParam::Rebase, OnConflictParam::Markers) => OnStale::Mark,
            (OnStaleParam::Reject, OnConflictParam::Markers) => {
                let problem = "`markers` requires `onStale: \"rebase\"`";
                return Err(Invalid::new("onConflict", problem).into());
            }
        };
        let (label, replaces) = (params.label.take(), params.replaces.take());
        let display = params.display.map(Display::from);
        let header = Header { author, label, replaces, on_stale, display };
        let matching =
            MatchOptions { fuzzy: params.matching == Matching::Fuzzy, sequential: params.sequential };
        Ok(Self { request, header, matching, files, patch })
    }

    /// Locates all files, or returns a refusal for each file that cannot be changed.
    pub(crate) fn locate(self, core: &Core, session: &SessionContext) -> Result<Call<Target>, Failure> {
        let (mut found, mut refusals) = (Vec::new(), Vec::new());
        for file in self.files {
            let index = file.index;
            match file.locate(core, session) {
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
                patch.assign_bases(&mut found, core, session)?;
                patch.merge(found)?
            }
            None => merge_renames(found)?,
        };
        let mut call = Call { request: None, header: self.header, matching: self.matching, files, patch };
        call.request = self.request.map(|request| with_targets(request, &call.targets()));
        Ok(call)
    }
}

impl RequestedChange<RequestPath> {
    fn locate(self, core: &Core, session: &SessionContext) -> Result<RequestedChange<Target>, Refusal> {
        let (asked, purpose) = (self.file.clone(), self.kind.purpose());
        let removes_name = matches!(self.kind, ChangeKind::Delete(_) | ChangeKind::Rename { .. });
        let (mut clearance, mut of_new_path) = (Clearance::default(), Clearance::default());
        let locate = |path| {
            let placed = core.place(session, &path, purpose)?;
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
            let placed = core.place(session, &path, Purpose::RenameTo)?;
            of_new_path = placed.clearance;
            Ok(placed.target)
        };
        let located = self.advance(locate, locate_new)?;
        Ok(RequestedChange { clearance: clearance.and(of_new_path), ..located })
    }
}

fn read_changes(
    changes: Vec<ChangeParams>,
    max: usize,
) -> Result<Vec<RequestedChange<RequestPath>>, Invalid> {
    if changes.len() > max {
        return Err(Invalid::new("changes", format!("there are more than {max}")));
    }
    let read = |(index, change)| {
        let within = |invalid: Invalid| invalid.within(&format!("changes[{index}]"));
        read_change(index, change).map_err(within)
    };
    changes.into_iter().enumerate().map(read).collect()
}

fn read_change(index: usize, change: ChangeParams) -> Result<RequestedChange<RequestPath>, Invalid> {
    match change {
        ChangeParams::Edit(file) => requested(index, file, |(edits, label)| {
            let encoding = label.map(|label| read_encoding(&label)).transpose()?;
            Ok(ChangeKind::Edit(read_edits(edits)?, encoding))
        }),
        ChangeParams::Write(file) => {
            requested(index, file, |WriteParams { content: text, literal, encoding, mode }| {
                let encoding = encoding.map(|label| read_encoding(&label)).transpose()?;
                let mode = mode.map(|mode| read_mode(&mode)).transpose()?;
                Ok(ChangeKind::Write(NewContent {
                    text,
                    literal,
                    encoding,
                    mode,
                    precondition: Precondition::Any,
                }))
            })
        }
        ChangeParams::Delete(file) => requested(index, file, |()| Ok(ChangeKind::Delete(None))),
        ChangeParams::Notebook(file) => {
            requested(index, file, |cells| Ok(ChangeKind::Cells(cell_ops(cells)?)))
        }
        ChangeParams::Rename(file) => requested(index, file, |(path, uri)| {
            let to = RequestPath::from_fields(path, uri, ("newPath", "newUri"))?;
            Ok(ChangeKind::Rename { edits: Vec::new(), to })
        }),
    }
}

fn requested<T>(
    index: usize,
    file: FileChange<T>,
    kind: impl FnOnce(T) -> Result<ChangeKind<RequestPath>, Invalid>,
) -> Result<RequestedChange<RequestPath>, Invalid> {
    let path = RequestPath::from_fields(file.path, file.uri, ("path", "uri"))?;
    let base = file.base_hash.map(|hash| read_hash(&hash)).transpose()?;
    Ok(RequestedChange { index, file: path, base, clearance: Clearance::default(), kind: kind(file.body)? })
}

fn read_hash(hash: &str) -> Result<ContentHash, Invalid> {
    hash.parse().map_err(|_| Invalid::new("baseHash", "a hash is `b3:` and 32 hexadecimal digits"))
}

/// Parses a mode as written by git or `chmod`: executable or not.
fn read_mode(mode: &str) -> Result<NewMode, Invalid> {
    match mode {
        "100755" | "0755" | "755" => Ok(NewMode::Executable),
        "100644" | "0644" | "644" => Ok(NewMode::Plain),
        _ => Err(Invalid::new("mode", "expected `100755` for an executable file, else `100644`")),
    }
}

fn read_encoding(label: &str) -> Result<Encoding, Invalid> {
    Encoding::from_label(label)
        .ok_or_else(|| Invalid::new("encoding", format!("there is no encoding `{label}`")))
}

fn read_edits(edits: Vec<TextEditParams>) -> Result<Vec<Edit>, Invalid> {
    if edits.is_empty() {
        return Err(Invalid::new("edits", "it is empty"));
    }
    let read = |(index, edit): (usize, TextEditParams)| {
        let count = match (edit.expected_replacements, edit.replace_all) {
            (Some(0), _) => {
                let field = format!("edits[{index}].expectedReplacements");
                return Err(Invalid::new(field, "must be at least 1"));
            }
            (Some(expected), _) => Count::Exactly(expected),
            (None, true) => Count::All,
            (None, false) => Count::One,
        };
        Ok(Edit::new(edit.old_text, edit.new_text).counted(count))
    };
    edits.into_iter().enumerate().map(read).collect()
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
