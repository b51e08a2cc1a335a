use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::protocol::{ApplyResult, HistoryMethod, Method, RpcError, TransactionEntry, Undo, uri_of};
use crate::transport::{CallError, Client};

use super::arguments::{Output, UndoArguments};
use super::paint::FAINT;
use super::read::print_json;
use super::{Complaint, Context, End, ask, consent, log, paint, root, stream};

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
    if arguments.of.is_given() {
        return undo_all(context, arguments, root.as_deref(), asks);
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
        return Err(nobody_to_show());
    }
    let result = context.agent(root.as_deref())?.request(Undo::NAME, &request);
    let result = result.map_err(|error| about(arguments, error.into()))?;
    consent::report(context, &result)
}

/// The most transactions that one answer lists.
const PAGE: usize = 1000;

/// Takes back all changes that are meant, the newest first. Stops at the first that is refused.
fn undo_all(
    context: &Context,
    arguments: &UndoArguments,
    root: Option<&Path>,
    asks: bool,
) -> Result<End, Complaint> {
    if !asks && !arguments.yes {
        return Err(nobody_to_show());
    }
    let mut client = if asks { context.person(root)? } else { context.agent(root)? };
    let by = (!asks).then(|| context.author.of_command());
    let mut params = log::changes_of(&arguments.of);
    if let Some(root) = root {
        // A person is told of the changes of all projects.
        params["uri"] = uri_of(root).as_str().into();
    }
    let all = to_undo(&mut client, params, by)?;
    if all.is_empty() {
        return Err(Complaint::failed("no change is listed that is one of these and not undone yet")
            .with_hint("`editd log` lists what was changed"));
    }
    if asks {
        log::print_rows(&all, root, true)?;
        if !ask::yes(&format!("Undo these {}, the newest first?", counted(all.len())))? {
            writeln!(stream::stdout(), "Nothing was changed.")?;
            return Ok(End::Undecided);
        }
    }
    let mut results = Vec::new();
    for transaction in &all {
        match client.call::<Undo>(&json!({ "transaction": transaction.transaction })) {
            Ok(applied) => results.push(applied),
            // Something else took it back.
            Err(CallError::Refused(refusal)) if refusal.kind() == Some("no_change") => {}
            Err(error) => {
                let undone = format!("{} of {} undone before this one", results.len(), counted(all.len()));
                return Err(Complaint::from(error).with_hint(undone));
            }
        }
    }
    if context.output == Output::Json {
        let results = serde_json::to_value(&results).map_err(Complaint::failed)?;
        print_json(context, &json!({ "undone": results }))?;
        return Ok(End::Done);
    }
    results.iter().try_for_each(consent::summarize)?;
    Ok(End::Done)
}

/// The changes that are meant and can be undone, newest first.
fn to_undo(
    client: &mut Client,
    mut params: Value,
    by: Option<&str>,
) -> Result<Vec<TransactionEntry>, Complaint> {
    params["limit"] = PAGE.into();
    params["diff"] = by.is_none().into();
    let mut all = Vec::new();
    loop {
        let page = client.call::<HistoryMethod>(&params)?.transactions;
        let last = page.last().filter(|_| page.len() == PAGE).map(|it| it.transaction.clone());
        let is_meant = |it: &TransactionEntry| {
            !it.undone && it.undoes.is_none() && !it.rescued && by.is_none_or(|by| it.author == by)
        };
        all.extend(page.into_iter().filter(is_meant));
        let Some(last) = last else { return Ok(all) };
        params["before"] = last.into();
    }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 change".to_owned() } else { format!("{count} changes") }
}

fn nobody_to_show() -> Complaint {
    Complaint::failed("nobody can be shown what would be undone")
        .with_hint("run it on a terminal, or pass --yes")
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
