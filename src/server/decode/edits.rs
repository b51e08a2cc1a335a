//! Edits of a change, whose moves may concern other files.

use crate::edit::Count;
use crate::engine::change::{
    ChangeKind, Clip, EditForm, EditIndex, NewContent, Precondition, RequestedChange, RequestedEdit,
};
use crate::engine::files::access::Clearance;
use crate::protocol::{EditChange, Invalid, MoveRequest, RequestedForm, requested_path};
use crate::workspace::{NamedVersion, RequestedPath};

use super::{named_version, read_encoding, read_version};

/// Number of digits of a tag after the path of a file.
const TAG: usize = 6;

/// Parses a change of one file, and the changes of other files to or from which it moves lines.
pub(super) fn read(
    change: usize,
    params: EditChange,
) -> Result<Vec<RequestedChange<RequestedPath>>, Invalid> {
    let EditChange { path, uri, base_hash, edits, encoding } = params;
    if edits.is_empty() {
        return Err(Invalid::new("edits", "it is empty"));
    }
    let (path, tag) = split_tag(path);
    let hash = base_hash.map(|hash| read_version(&hash)).transpose()?;
    let base = named_version("baseHash", hash, tag)?;
    let encoding = encoding.map(|label| read_encoding(&label)).transpose()?;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (edit, entry) in edits.into_iter().enumerate() {
        let within = |invalid: Invalid| invalid.within(&format!("edits[{edit}]"));
        let (of, clip) = (Some(EditIndex { change, edit }), Clip(change, edit));
        let mut push = |file: Option<String>, form| {
            let edit = RequestedEdit { of, form, within: None };
            match file {
                None => {
                    own.push(edit);
                    Ok(())
                }
                Some(file) => implied(change, file, edit).map(|one| others.push(one)),
            }
        };
        match entry.read().map_err(within)? {
            RequestedForm::Text(edit, within) => {
                own.push(RequestedEdit { of, form: EditForm::Text(edit), within });
                Ok(())
            }
            RequestedForm::Reshape(how, within) => {
                own.push(RequestedEdit { of, form: EditForm::Reshape(how), within });
                Ok(())
            }
            RequestedForm::Lines(edit) => push(None, EditForm::Lines(edit)),
            RequestedForm::Symbol(edit) => push(None, EditForm::Symbol(edit)),
            RequestedForm::Move(MoveRequest { removes, from, lines, to, place, reindent }) => {
                push(from, EditForm::Take { clip, lines, removes })
                    .map_err(|error| error.within("move"))
                    .and_then(|()| {
                        push(to, EditForm::Put { clip, place, reindent }).map_err(|error| error.within("to"))
                    })
            }
        }
        .map_err(within)?;
    }
    if own.is_empty() {
        return Ok(others);
    }
    let file = requested_path(path, uri, ("path", "uri"))?;
    let clearance = Clearance::default();
    let kind = if let (Some(text), None) = (filling(&own), encoding) {
        let precondition = Precondition::Empty { creates: true, line: None };
        ChangeKind::Write(NewContent { text, literal: false, encoding: None, mode: None, precondition })
    } else {
        ChangeKind::Edit(own, encoding)
    };
    others.insert(0, RequestedChange { index: change, file, base, implied: false, clearance, kind });
    Ok(others)
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

/// Creates the change of a file that is one end of a move.
fn implied(
    index: usize,
    path: String,
    edit: RequestedEdit,
) -> Result<RequestedChange<RequestedPath>, Invalid> {
    let (path, base) = split_tag(Some(path));
    let file = requested_path(path, None, ("path", "path"))?;
    let (clearance, kind) = (Clearance::default(), ChangeKind::Edit(vec![edit], None));
    Ok(RequestedChange { index, file, base, implied: true, clearance, kind })
}

/// Splits `path#tag`, as anchored reads show it. A file whose name ends like this can be named by its URI.
fn split_tag(path: Option<String>) -> (Option<String>, Option<NamedVersion>) {
    let split = path.as_deref().and_then(|path| path.rsplit_once('#'));
    match split.map(|(path, tag)| (path.to_owned(), tag.len() == TAG, tag.parse())) {
        Some((path, true, Ok(tag))) => (Some(path), Some(NamedVersion::Tag(tag))),
        _ => (path, None),
    }
}
