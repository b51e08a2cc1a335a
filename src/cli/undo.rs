//! `editd undo`.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use editd_daemon::transport::{CallError, Client};
use editd_protocol::{
    ApplyResult, HistoryMethod, HistoryParams, Method, PathEntry, RpcError, TransactionEntry, Undo,
    UndoParams, uri_of,
};

use super::arguments::{Output, UndoArguments};
use super::paint::FAINT;
use super::{CliError, Context, End, consent, log, paint, root, stream};

/// `editd undo`.
pub(crate) fn undo(context: &Context, arguments: &UndoArguments) -> Result<End, CliError> {
    let (target, root) = root::of_file_or_here(arguments.path.as_deref())?;
    let asks = consent::should_ask(context, arguments.yes);
    if root.is_none() && (arguments.transaction.is_none() || !asks) {
        return Err(CliError::failed("this folder is not in a project, so it has no changes to undo")
            .with_hint(
                "name the file: editd undo --path PATH; or run the command in the folder of the project",
            ));
    }
    if arguments.filter.is_given() {
        return undo_all(context, arguments, root.as_deref(), asks);
    }
    let request = UndoParams {
        transaction: arguments.transaction.clone(),
        uri: target.map(|target| target.uri()),
        ..UndoParams::default()
    };
    if asks {
        // A person may undo the changes of any agent.
        let mut client = context.person(root.as_deref())?;
        return ask_and_undo(&mut client, request).map_err(|error| with_path(arguments, error));
    }
    if !arguments.yes {
        return Err(no_terminal());
    }
    let mut client = context.agent(root.as_deref())?;
    let result = client.request(Undo::NAME, &request);
    let result = result.map_err(|error| with_path(arguments, error.into()))?;
    let end = consent::report(context, &result)?;
    if let (Output::Text, Some(undone)) = (context.output, result["undoes"].as_str()) {
        print_paths(&mut client, undone, true)?;
    }
    Ok(end)
}

/// Maximum number of transactions in one answer.
const PAGE: usize = 1000;

/// Undoes all selected changes, the newest first. Stops at the first refusal.
fn undo_all(
    context: &Context,
    arguments: &UndoArguments,
    root: Option<&Path>,
    asks: bool,
) -> Result<End, CliError> {
    if !asks && !arguments.yes {
        return Err(no_terminal());
    }
    let mut client = if asks { context.person(root)? } else { context.agent(root)? };
    let by = (!asks).then(|| context.command_author());
    let params = HistoryParams {
        // A person's session lists the changes of all projects.
        uri: root.map(|root| uri_of(root).to_string()),
        diff: asks,
        limit: Some(PAGE),
        ..arguments.filter.params()
    };
    let all = to_undo(&mut client, params, by)?;
    if all.is_empty() {
        return Err(
            CliError::failed("no matching change is left to undo").with_hint("`editd log` lists all changes")
        );
    }
    if asks {
        log::print_rows(&all, root, true)?;
        if !stream::confirm(&format!("Undo these {}, the newest first?", counted(all.len())))? {
            return consent::nothing_changed();
        }
    }
    let mut results = Vec::new();
    for transaction in &all {
        match client.call::<Undo>(&json!({ "transaction": transaction.transaction })) {
            Ok(applied) => results.push(applied),
            // Another program has already reverted it.
            Err(CallError::Refused(refusal)) if refusal.kind() == Some("no_change") => {}
            Err(error) => {
                let undone = format!("{} of {} undone before this one", results.len(), counted(all.len()));
                return Err(CliError::from(error).with_hint(undone));
            }
        }
    }
    if !context.print_json(&json!({ "undone": results }))? {
        results.iter().try_for_each(consent::summarize)?;
    }
    Ok(End::Done)
}

/// Returns the selected changes that can be undone, newest first.
fn to_undo(
    client: &mut Client,
    mut params: HistoryParams,
    by: Option<&str>,
) -> Result<Vec<TransactionEntry>, CliError> {
    let mut all = Vec::new();
    loop {
        let page = client.call::<HistoryMethod>(&params)?.transactions;
        let last = page.last().filter(|_| page.len() == PAGE).map(|it| it.transaction.clone());
        let is_selected = |it: &TransactionEntry| {
            !it.undone && it.undoes.is_none() && !it.rescued && by.is_none_or(|by| it.author == by)
        };
        all.extend(page.into_iter().filter(is_selected));
        let Some(last) = last else { return Ok(all) };
        params.before = Some(last);
    }
}

fn counted(count: usize) -> String {
    if count == 1 { "1 change".to_owned() } else { format!("{count} changes") }
}

fn no_terminal() -> CliError {
    CliError::failed("there is no terminal to show the undo and ask about it")
        .with_hint("run the command on a terminal, or pass --yes")
}

/// Adds the path to the error if there is nothing to undo for it.
fn with_path(arguments: &UndoArguments, error: CliError) -> CliError {
    match (error, &arguments.path) {
        (CliError::Refused(refusal), Some(path)) if refusal.kind() == Some("missing") => {
            let message = format!("There is no change of `{}` to undo.", paint::path(path));
            CliError::Refused(RpcError { message, ..refusal })
        }
        (error, _) => error,
    }
}

fn ask_and_undo(client: &mut Client, request: UndoParams) -> Result<End, CliError> {
    let shown = client.call::<Undo>(&UndoParams { preview: true, ..request })?;
    show(&shown)?;
    let undone = shown.undoes.clone().unwrap_or_default();
    print_paths(client, &undone, false)?;
    if !stream::confirm("Apply this undo?")? {
        return consent::nothing_changed();
    }
    let what = json!({ "transaction": shown.undoes, "fingerprint": shown.fingerprint });
    consent::summarize(&client.call::<Undo>(&what)?)?;
    print_paths(client, &undone, true)?;
    Ok(End::Done)
}

/// Prints the links, folders and permissions that the undo of a transaction removes and restores, or has if it
/// `is_done`.
fn print_paths(client: &mut Client, undone: &str, is_done: bool) -> Result<(), CliError> {
    let (remove, restore) = if is_done { ("removed", "restored") } else { ("remove", "restore") };
    let params = HistoryParams { transaction: Some(undone.to_owned()), ..HistoryParams::default() };
    let found = client.call::<HistoryMethod>(&params)?.transactions;
    let mut out = stream::stdout();
    for shown in found.iter().flat_map(|transaction| &transaction.paths) {
        let PathEntry { path, before, after } = shown;
        let path = paint::visible(path);
        match before.as_str() {
            "missing" if is_done && Path::new(&shown.path).symlink_metadata().is_ok() => {
                writeln!(out, "kept {path} ({}): it is not empty", paint::visible(after))?;
            }
            "missing" => writeln!(out, "{remove} {path} ({})", paint::visible(after))?,
            before => writeln!(out, "{restore} {path} ({})", paint::visible(before))?,
        }
    }
    Ok(())
}

fn show(preview: &ApplyResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    let transaction = preview.undoes.as_deref().unwrap_or_default();
    writeln!(out, "{FAINT}To undo {}:{FAINT:#}", paint::visible(transaction))?;
    for file in &preview.files {
        let entry = &file.entry;
        let path = paint::visible(&entry.path);
        match (entry.action.as_str(), &entry.new_path) {
            (_, Some(to)) => writeln!(out, "rename {path} to {}", paint::visible(to))?,
            (action @ ("delete" | "create"), None) => writeln!(out, "{action} {path}")?,
            _ => {}
        }
        paint::diff(&mut out, &entry.diff)?;
        consent::notes(&mut out, entry, "")?;
    }
    Ok(())
}
