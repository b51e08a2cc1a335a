use crate::disk::Target;
use crate::edit::{Count, Display, Edit};
use crate::notebook::CellOp;
use crate::protocol::{
    ChangeParams, FileChange, Invalid, Matching, OnConflictParam, OnStaleParam, ProposeParams, RequestPath,
    TextEditParams, WriteParams, cell_ops,
};
use crate::text::{ContentHash, Encoding};
use crate::workspace::{Limits, NewMode, OnStale, Refusal, RefusalKind, Repeatable, Role};

use crate::daemon::guard::Clearance;
use crate::daemon::job::Located;
use crate::daemon::locate::{Placed, Purpose};
use crate::daemon::work::{Manner, NewContent, Removed, When};
use crate::daemon::{Core, Failure, SessionContext};

use super::once::{Kind, asked_for, of_files};
use super::patched::{self, Patched};

/// A call of `propose` or `edit`, its parameters read. Its files are known by their paths first, and by
/// their places once they are found.
pub(crate) struct Call<P> {
    /// Names the request, if it may be sent twice.
    pub(crate) request: Option<Repeatable>,
    pub(crate) header: Header,
    pub(crate) manner: Manner,
    pub(crate) files: Vec<Asked<P>>,
    /// The patch, if they came in one.
    pub(crate) patch: Option<Patched>,
}

/// What a proposal says besides its changes.
pub(crate) struct Header {
    pub(crate) author: String,
    pub(crate) label: Option<String>,
    pub(crate) replaces: Option<String>,
    pub(crate) on_stale: OnStale,
    pub(crate) display: Option<Display>,
}

/// One file of a call.
pub(crate) struct Asked<P> {
    /// Index of the change in the request.
    pub(crate) index: usize,
    pub(crate) place: P,
    /// The base that came with the change.
    pub(crate) sent: Option<ContentHash>,
    /// The judgement of the path rules, once the file is found.
    pub(crate) clearance: Clearance,
    pub(crate) ask: Ask<P>,
}

pub(crate) enum Ask<P> {
    /// With the encoding that the file has, if the author names it.
    Edit(Vec<Edit>, Option<Encoding>),
    Write(NewContent),
    Delete(Option<Removed>),
    Rename {
        edits: Vec<Edit>,
        to: P,
    },
    Cells(Vec<CellOp>),
}

impl Call<RequestPath> {
    pub(crate) fn read(
        mut params: ProposeParams,
        kind: Kind,
        session: &SessionContext,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let request = params.request_id.take().map(|id| Repeatable { id, asks: asked_for(kind, &params) });
        let author = match (params.author.take(), session.role) {
            (Some(author), Role::Editor) => author,
            (Some(_), Role::Agent) => {
                return Err(Invalid::new("author", "an agent speaks for itself only").into());
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
            let problem = format!("it is about more than {} files", limits.changes);
            return Err(Invalid::new(field, problem).into());
        }
        let edits: usize = files.iter().map(|file| file.ask.edits()).sum();
        if edits > limits.edits {
            return Err(Invalid::new(field, format!("there are more than {}", limits.edits)).into());
        }
        let on_stale = match (params.on_stale, params.on_conflict) {
            (OnStaleParam::Reject, OnConflictParam::Refuse) => OnStale::Reject,
            (OnStaleParam::Rebase, OnConflictParam::Refuse) => OnStale::Rebase,
            (OnStaleParam::Rebase, OnConflictParam::Markers) => OnStale::Mark,
            (OnStaleParam::Reject, OnConflictParam::Markers) => {
                let problem = "`markers` goes with `onStale: \"rebase\"` only";
                return Err(Invalid::new("onConflict", problem).into());
            }
        };
        let (label, replaces) = (params.label.take(), params.replaces.take());
        let display = params.display.map(Display::from);
        let header = Header { author, label, replaces, on_stale, display };
        let manner = Manner { fuzzy: params.matching == Matching::Fuzzy, sequential: params.sequential };
        Ok(Self { request, header, manner, files, patch })
    }

    /// Finds all files, or says of each why it cannot be changed.
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
            return Err(Patched::mark(patch.as_ref(), Failure::Refused(refusals)));
        }
        let files = match &mut patch {
            Some(patch) => {
                patch.place_bases(&mut found, core, session)?;
                patch.merge(found)?
            }
            None => merge_renames(found)?,
        };
        let mut call = Call { request: None, header: self.header, manner: self.manner, files, patch };
        call.request = self.request.map(|request| of_files(request, &call.targets()));
        Ok(call)
    }
}

impl<P> Ask<P> {
    /// What the file that it is about is looked up for.
    fn purpose(&self) -> Purpose {
        match self {
            Self::Edit(..) | Self::Cells(_) => Purpose::Edit,
            Self::Write { .. } => Purpose::Write,
            Self::Delete(_) => Purpose::Delete,
            Self::Rename { edits, .. } => Purpose::RenameFrom { edited: !edits.is_empty() },
        }
    }

    fn edits(&self) -> usize {
        match self {
            Self::Edit(edits, _) | Self::Rename { edits, .. } => edits.len(),
            Self::Cells(ops) => ops.len(),
            Self::Write { .. } | Self::Delete(_) => 0,
        }
    }
}

impl<P> Ask<P> {
    /// Both as one, if they can be: an edit with a rename, and with `several` also edits with edits.
    pub(crate) fn join(self, other: Self, several: bool) -> Option<Self> {
        let joined = |mut edits: Vec<Edit>, more: Vec<Edit>| {
            edits.extend(more);
            edits
        };
        match (self, other) {
            (Self::Edit(edits, named), Self::Edit(more, _)) if several => {
                Some(Self::Edit(joined(edits, more), named))
            }
            (Self::Edit(edits, _), Self::Rename { edits: more, to }) if several || more.is_empty() => {
                Some(Self::Rename { edits: joined(edits, more), to })
            }
            (Self::Rename { edits, to }, Self::Edit(more, _)) if several || edits.is_empty() => {
                Some(Self::Rename { edits: joined(edits, more), to })
            }
            _ => None,
        }
    }
}

impl Asked<RequestPath> {
    fn locate(self, core: &Core, session: &SessionContext) -> Result<Asked<Target>, Refusal> {
        let Placed { target: place, mut clearance } = core.place(session, &self.place, self.ask.purpose())?;
        if place.via_symlink && matches!(self.ask, Ask::Delete(_) | Ask::Rename { .. }) {
            // The link would be left behind and lead nowhere; which of the two is meant cannot be told.
            let what = format!("reached by a symbolic link; it is `{}`", place.path.display());
            return Err(Refusal::at(self.place.as_path(), RefusalKind::NotAFile { what }));
        }
        let ask = match self.ask {
            Ask::Edit(edits, encoding) => Ask::Edit(edits, encoding),
            Ask::Write(new) => Ask::Write(new),
            Ask::Delete(removed) => Ask::Delete(removed),
            Ask::Cells(ops) => Ask::Cells(ops),
            Ask::Rename { edits, to } => {
                let to = core.place(session, &to, Purpose::RenameTo)?;
                clearance = clearance.and(to.clearance);
                Ask::Rename { edits, to: to.target }
            }
        };
        Ok(Asked { index: self.index, place, sent: self.sent, clearance, ask })
    }
}

fn read_changes(changes: Vec<ChangeParams>, most: usize) -> Result<Vec<Asked<RequestPath>>, Invalid> {
    if changes.len() > most {
        return Err(Invalid::new("changes", format!("there are more than {most}")));
    }
    let read = |(index, change)| {
        let within = |invalid: Invalid| invalid.within(&format!("changes[{index}]"));
        read_change(index, change).map_err(within)
    };
    changes.into_iter().enumerate().map(read).collect()
}

fn read_change(index: usize, change: ChangeParams) -> Result<Asked<RequestPath>, Invalid> {
    match change {
        ChangeParams::Edit(file) => asked(index, file, |(edits, label)| {
            let encoding = label.map(|label| read_encoding(&label)).transpose()?;
            Ok(Ask::Edit(read_edits(edits)?, encoding))
        }),
        ChangeParams::Write(file) => {
            asked(index, file, |WriteParams { content: text, literal, encoding, mode }| {
                let encoding = encoding.map(|label| read_encoding(&label)).transpose()?;
                let mode = mode.map(|mode| read_mode(&mode)).transpose()?;
                Ok(Ask::Write(NewContent { text, literal, encoding, mode, when: When::Any }))
            })
        }
        ChangeParams::Delete(file) => asked(index, file, |()| Ok(Ask::Delete(None))),
        ChangeParams::Notebook(file) => asked(index, file, |cells| Ok(Ask::Cells(cell_ops(cells)?))),
        ChangeParams::Rename(file) => asked(index, file, |(path, uri)| {
            let to = RequestPath::from_fields(path, uri, ("newPath", "newUri"))?;
            Ok(Ask::Rename { edits: Vec::new(), to })
        }),
    }
}

fn asked<T>(
    index: usize,
    file: FileChange<T>,
    ask: impl FnOnce(T) -> Result<Ask<RequestPath>, Invalid>,
) -> Result<Asked<RequestPath>, Invalid> {
    let place = RequestPath::from_fields(file.path, file.uri, ("path", "uri"))?;
    let sent = file.base_hash.map(|hash| read_hash(&hash)).transpose()?;
    Ok(Asked { index, place, sent, clearance: Clearance::default(), ask: ask(file.body)? })
}

fn read_hash(hash: &str) -> Result<ContentHash, Invalid> {
    hash.parse().map_err(|_| Invalid::new("baseHash", "a hash is `b3:` and 32 hexadecimal digits"))
}

/// Reads a mode as git or `chmod` writes it: executable or not.
fn read_mode(mode: &str) -> Result<NewMode, Invalid> {
    match mode {
        "100755" | "0755" | "755" => Ok(NewMode::Executable),
        "100644" | "0644" | "644" => Ok(NewMode::Plain),
        _ => Err(Invalid::new("mode", "it is `100755` for a file that can be run, else `100644`")),
    }
}

fn read_encoding(label: &str) -> Result<Encoding, Invalid> {
    Encoding::from_label(label)
        .ok_or_else(|| Invalid::new("encoding", format!("no encoding is called `{label}`")))
}

fn read_edits(edits: Vec<TextEditParams>) -> Result<Vec<Edit>, Invalid> {
    if edits.is_empty() {
        return Err(Invalid::new("edits", "it is empty"));
    }
    let read = |(index, edit): (usize, TextEditParams)| {
        let count = match (edit.expected_replacements, edit.replace_all) {
            (Some(0), _) => {
                let field = format!("edits[{index}].expectedReplacements");
                return Err(Invalid::new(field, "it is at least 1"));
            }
            (Some(expected), _) => Count::Exactly(expected),
            (None, true) => Count::All,
            (None, false) => Count::One,
        };
        Ok(Edit::new(edit.old_text, edit.new_text).counted(count))
    };
    edits.into_iter().enumerate().map(read).collect()
}

/// One change per file, but for an edit and a rename of the same one, which become one.
fn merge_renames(asked: Vec<Asked<Target>>) -> Result<Vec<Asked<Target>>, Invalid> {
    let mut merged: Vec<Asked<Target>> = Vec::with_capacity(asked.len());
    for file in asked {
        let other = merged.iter_mut().find(|other| other.place.key == file.place.key);
        match (other, file) {
            (None, file) => merged.push(file),
            (Some(other), file) => other.join(file)?,
        }
    }
    Ok(merged)
}

impl Asked<Target> {
    fn join(&mut self, file: Self) -> Result<(), Invalid> {
        let (index, sent) = (self.index, self.sent.or(file.sent));
        let Some(ask) = std::mem::replace(&mut self.ask, Ask::Delete(None)).join(file.ask, false) else {
            let field = format!("changes[{}].path", file.index);
            let problem =
                format!("changes[{index}] is of the same file; only an edit and a rename go together");
            return Err(Invalid::new(field, problem));
        };
        let clearance = std::mem::take(&mut self.clearance).and(file.clearance);
        *self = Self { index, place: file.place, sent, clearance, ask };
        Ok(())
    }
}

impl Call<Target> {
    /// Refusals for the files about which a person has to decide, for the case that nobody can be asked.
    pub(crate) fn to_review(&self) -> Vec<Refusal> {
        let of = |file: &Asked<Target>| Some(file.clearance.review.clone()?.of_change(file.index));
        self.files.iter().filter_map(of).collect()
    }
}

impl Located for Call<Target> {
    fn targets(&self) -> Vec<&Target> {
        let targets = self.files.iter().flat_map(|file| match &file.ask {
            Ask::Rename { to, .. } => [Some(&file.place), Some(to)],
            _ => [Some(&file.place), None],
        });
        targets.flatten().collect()
    }
}
