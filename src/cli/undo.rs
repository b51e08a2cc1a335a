use std::io::Write;

use serde_json::{Value, json};

use crate::protocol::{ApplyResult, Method, RpcError, Undo, uri_of};
use crate::transport::Client;

use super::arguments::UndoArguments;
use super::paint::FAINT;
use super::{Complaint, Context, End, ask, consent, paint, root, stream};

/// `editd undo`.
pub(crate) fn undo(context: &Context, arguments: &UndoArguments) -> Result<End, Complaint> {
    let place = arguments.path.as_deref().map(root::of_file).transpose()?;
    let root = match &place {
        Some(place) => Some(place.root.clone()),
        None => root::of_here()?,
    };
    let asks = consent::asks(context, arguments.yes);
    if root.is_none() && (arguments.transaction.is_none() || !asks) {
        return Err(Complaint::failed("this is no folder of a project, so it has no changes to undo")
            .with_hint("name the file: editd undo --path PATH; or run it in the folder of the project"));
    }
    let mut request = json!({});
    if let Some(transaction) = &arguments.transaction {
        request["transaction"] = transaction.as_str().into();
    }
    if let Some(place) = &place {
        // Not as a path: a path on the wire is text, which this one need not be.
        request["uri"] = uri_of(&place.path).as_str().into();
    }
    if asks {
        // A person may take back what any agent did.
        let mut client = context.person(root.as_deref())?;
        return ask_and_undo(&mut client, &request).map_err(|complaint| about(arguments, complaint));
    }
    if !arguments.yes {
        return Err(Complaint::failed("nobody can be shown what would be undone")
            .with_hint("run it on a terminal, or pass --yes"));
    }
    let result = context.agent(root.as_deref())?.request(Undo::NAME, &request);
    let result = result.map_err(|error| about(arguments, error.into()))?;
    consent::report(context, &result)
}

/// Says of which file there is nothing to undo.
fn about(arguments: &UndoArguments, complaint: Complaint) -> Complaint {
    match (complaint, &arguments.path) {
        (Complaint::Refused(refusal), Some(path)) if refusal.kind() == Some("missing") => {
            let message = format!("There is no change of `{}` to undo.", paint::path(path));
            Complaint::Refused(RpcError { message, ..refusal })
        }
        (complaint, _) => complaint,
    }
}

fn ask_and_undo(client: &mut Client, request: &Value) -> Result<End, Complaint> {
    let mut preview = request.clone();
    preview["preview"] = true.into();
    let shown = client.call::<Undo>(&preview)?;
    show(&shown)?;
    if !ask::yes("Undo it like this?")? {
        writeln!(stream::stdout(), "Nothing was changed.")?;
        return Ok(End::Undecided);
    }
    let what = json!({ "transaction": shown.undoes, "fingerprint": shown.fingerprint });
    consent::summarize(&client.call::<Undo>(&what)?)?;
    Ok(End::Done)
}

fn show(preview: &ApplyResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    let transaction = preview.undoes.as_deref().unwrap_or_default();
    writeln!(out, "{FAINT}To undo {}:{FAINT:#}", paint::visible(transaction))?;
    for file in &preview.files {
        let entry = &file.entry;
        let path = paint::visible(&entry.path);
        match entry.action.as_str() {
            "rename" => {
                let to = paint::visible(entry.new_path.as_deref().unwrap_or_default());
                writeln!(out, "rename {path} to {to}")?;
            }
            "delete" => writeln!(out, "delete {path}")?,
            "create" => writeln!(out, "create {path}")?,
            _ => {}
        }
        paint::diff(&mut out, &entry.diff)?;
        consent::notes(&mut out, entry, "")?;
    }
    Ok(())
}
