//! Edits of a change, which may concern other files.

use crate::engine::change::spread::{Everywhere, Spread};
use crate::engine::change::{
    ChangeKind, Clip, EditForm, EditIndex, NewContent, Precondition, RequestedChange, RequestedEdit,
};
use crate::engine::files::access::Clearance;
use editd_disk::search::FileGlob;
use editd_edit::Count;
use editd_protocol::{EditChange, Invalid, MoveRequest, RequestedForm, requested_path};
use editd_syntax::{Language, SymbolPath};
use editd_text::Encoding;
use editd_workspace::{NamedVersion, RequestedPath};

use super::{named_version, read_encoding, read_version};

/// Number of digits of a tag after the path of a file.
const TAG: usize = 6;

/// Parses a change of one file, and the changes of other files that its edits name. Sets `spread` to an edit of all
/// files that match a glob.
pub(super) fn read(
    change: usize,
    params: EditChange,
    spread: &mut Option<Spread>,
) -> Result<Vec<RequestedChange<RequestedPath>>, Invalid> {
    let EditChange { path, uri, base_hash, edits, encoding } = params;
    if edits.is_empty() {
        return Err(Invalid::new("edits", "it is empty"));
    }
    let (path, tag) = split_tag(path);
    let hash = base_hash.map(|hash| read_version("baseHash", &hash)).transpose()?;
    let base = named_version("baseHash", hash, tag)?;
    let encoding = encoding.map(|label| read_encoding(&label)).transpose()?;
    let (mut own, mut others) = (Vec::new(), Others::default());
    for (edit, mut entry) in edits.into_iter().enumerate() {
        let index = EditIndex { change, edit };
        let of = Some(index);
        let home = entry.path.take();
        let mut push = |(field, file): (&str, Option<String>), form, within| {
            let edit = RequestedEdit { of, form, within };
            match file.or_else(|| home.clone()) {
                None => own.push(edit),
                Some(file) => others.push(file, edit).map_err(|invalid| match field {
                    "" => invalid,
                    field => invalid.within(field),
                })?,
            }
            Ok(())
        };
        let read = entry.read().and_then(|form| match form {
            RequestedForm::Text(edit, within) => push(("", None), EditForm::Text(edit), within),
            RequestedForm::Everywhere { edit, glob, expect } => {
                if spread.is_some() {
                    return Err(Invalid::new("glob", "only one edit of a call may have it"));
                }
                let glob = FileGlob::new(&glob).map_err(|problem| Invalid::new("glob", problem))?;
                let folder = home.clone().or_else(|| path.clone());
                let folder =
                    folder.map(|path| requested_path(Some(path), None, ("path", "path"))).transpose()?;
                *spread = Some(Spread::new((index, Everywhere::Text { edit, folder }), glob, expect));
                Ok(())
            }
            RequestedForm::Renamed { edit, glob, expect } => {
                if spread.is_some() {
                    return Err(Invalid::new("glob", "only one edit of a call may have it"));
                }
                let glob = FileGlob::new(&glob).map_err(|problem| Invalid::new("glob", problem))?;
                let file = home.as_ref().or(path.as_ref()).or(uri.as_ref());
                let language =
                    file.and_then(|file| Language::of_path(split_tag(Some(file.clone())).0?.as_ref()));
                let name = SymbolPath::parse(&edit.symbol).last_name().to_owned();
                *spread = Some(Spread::new((index, Everywhere::Uses { name, language }), glob, expect));
                push(("", None), EditForm::Symbol(edit), None)
            }
            RequestedForm::Reshape(how, within) => push(("", None), EditForm::Reshape(how), within),
            RequestedForm::Lines(edit) => push(("", None), EditForm::Lines(edit), None),
            RequestedForm::Symbol(edit) => push(("", None), EditForm::Symbol(edit), None),
            RequestedForm::Move(MoveRequest { removes, from, parts, to, place, reindent }) => {
                let clip = Clip(change, edit);
                for part in parts {
                    push(("move", from.clone()), EditForm::Take { clip, part, removes }, None)?;
                }
                push(("to", to), EditForm::Put { clip, place, reindent }, None)
            }
        });
        read.map_err(|invalid: Invalid| invalid.within(&format!("edits[{edit}]")))?;
    }
    let mut changes = Vec::new();
    if !own.is_empty() {
        let file = requested_path(path, uri, ("path", "uri"))?;
        let kind = kind(own, encoding);
        let clearance = Clearance::default();
        changes.push(RequestedChange { index: change, file, base, implied: false, clearance, kind });
    }
    changes.extend(others.0.into_iter().map(|Other { file, base, edits, .. }| {
        let clearance = Clearance::default();
        RequestedChange { index: change, file, base, implied: true, clearance, kind: kind(edits, None) }
    }));
    Ok(changes)
}

/// The edits of files that only edits name, by the path as it was sent.
#[derive(Default)]
struct Others(Vec<Other>);

struct Other {
    path: String,
    file: RequestedPath,
    base: Option<NamedVersion>,
    edits: Vec<RequestedEdit>,
}

impl Others {
    fn push(&mut self, path: String, edit: RequestedEdit) -> Result<(), Invalid> {
        if let Some(other) = self.0.iter_mut().find(|other| other.path == path) {
            other.edits.push(edit);
            return Ok(());
        }
        let (name, base) = split_tag(Some(path.clone()));
        let file = requested_path(name, None, ("path", "path"))?;
        self.0.push(Other { path, file, base, edits: vec![edit] });
        Ok(())
    }
}

fn kind(edits: Vec<RequestedEdit>, encoding: Option<Encoding>) -> ChangeKind<RequestedPath> {
    match (filling(&edits), encoding) {
        (Some(text), None) => {
            let precondition = Precondition::Empty { creates: true, line: None };
            ChangeKind::Write(NewContent { text, literal: false, encoding: None, mode: None, precondition })
        }
        (_, encoding) => ChangeKind::Edit(edits, encoding),
    }
}

/// Returns the new text of a single edit without old text: the content of a file that is empty or missing.
fn filling(edits: &[RequestedEdit]) -> Option<String> {
    match edits {
        [RequestedEdit { form: EditForm::Text(edit), within: None, .. }] => {
            let is_empty = edit.old.trim_start_matches('\u{feff}').is_empty();
            (is_empty && edit.count == Count::One).then(|| edit.new.clone())
        }
        _ => None,
    }
}

/// Splits `path#tag`, as anchored reads show it. A file whose name ends like this can be named by its URI.
fn split_tag(path: Option<String>) -> (Option<String>, Option<NamedVersion>) {
    let split = path.as_deref().and_then(|path| path.rsplit_once('#'));
    match split.map(|(path, tag)| (path.to_owned(), tag.len() == TAG, tag.parse())) {
        Some((path, true, Ok(tag))) => (Some(path), Some(NamedVersion::Tag(tag))),
        _ => (path, None),
    }
}
