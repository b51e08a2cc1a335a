//! `editd log` and `editd show`: the history of changes with their authors.

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use serde_json::{Value, json};

use crate::protocol::{
    HistoryMethod, HistoryResult, ProposalMethod, ProposalResult, TransactionEntry, TransactionFile, uri_of,
};

use super::arguments::{ChangeFilter, LogArguments, ShowArguments};
use super::paint::{ADDED, ERROR, FAINT, PLACE, REMOVED};
use super::read::print_json;
use super::row::{AUTHOR, Row, ago, fitted, widest, width};
use super::{CliError, Context, End, consent, paint, root, stream};

/// Maximum number of files named in one line.
const NAMED: usize = 3;

/// First letter of the ids of proposals.
const PROPOSAL: char = 'p';

/// `editd log`.
pub(crate) fn log(context: &Context, arguments: &LogArguments) -> Result<End, CliError> {
    let target = arguments.path.as_deref().map(root::of_file).transpose()?;
    let root = match &target {
        Some(target) => Some(target.root.clone()),
        None => root::of_here()?,
    };
    let mut params = filter_params(&arguments.filter);
    params["limit"] = arguments.number.into();
    params["diff"] = arguments.patch.into();
    if let Some(target) = &target {
        params["uri"] = uri_of(&target.path).as_str().into();
    }
    let result = context.ask::<HistoryMethod>(root.as_deref(), &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let history: HistoryResult = serde_json::from_value(result).map_err(CliError::failed)?;
    if history.transactions.is_empty() {
        stream::note(&empty_note(arguments, root.as_deref()))?;
    }
    print_rows(&history.transactions, root.as_deref(), arguments.patch)?;
    Ok(End::Done)
}

/// Returns request parameters that select these changes.
pub(super) fn filter_params(filter: &ChangeFilter) -> Value {
    let mut params = json!({});
    for (name, value) in [("session", &filter.session), ("since", &filter.since)] {
        if let Some(value) = value {
            params[name] = value.as_str().into();
        }
    }
    params
}

/// Prints a line for each transaction. If `patch`, also prints its diffs.
pub(super) fn print_rows(
    transactions: &[TransactionEntry],
    root: Option<&Path>,
    patch: bool,
) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    let id = transactions.iter().map(|it| it.transaction.len()).max().unwrap_or_default();
    let author = widest(transactions.iter().map(|it| it.author.as_str()), AUTHOR);
    for (index, transaction) in transactions.iter().enumerate() {
        if patch && index > 0 {
            writeln!(out)?;
        }
        log_row(transaction, root, (id, author)).print(&mut out, width)?;
        if patch {
            print_diffs(&mut out, transaction)?;
        }
    }
    Ok(())
}

fn print_diffs(out: &mut impl Write, transaction: &TransactionEntry) -> std::io::Result<()> {
    for file in &transaction.files {
        match &file.diff {
            Some(diff) => paint::diff(out, diff)?,
            None if file.added + file.removed == 0 => {}
            None => {
                let path = paint::visible(&file.path);
                writeln!(out, "{FAINT}The diff of {path} was too long to be stored.{FAINT:#}")?;
            }
        }
    }
    Ok(())
}

/// `editd show`.
pub(crate) fn show(context: &Context, arguments: &ShowArguments) -> Result<End, CliError> {
    let root = root::of_here()?;
    if arguments.id.starts_with(PROPOSAL) {
        return show_proposal(context, &arguments.id, root.as_deref());
    }
    let params = json!({ "transaction": arguments.id, "diff": true });
    let result = serde_json::to_value(context.person(root.as_deref())?.call::<HistoryMethod>(&params)?)
        .map_err(CliError::failed)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let history: HistoryResult = serde_json::from_value(result).map_err(CliError::failed)?;
    print_rows(&history.transactions, root.as_deref(), false)?;
    let mut out = stream::stdout();
    for transaction in &history.transactions {
        let facts = [
            transaction.session.as_ref().map(|session| format!("session {session}")),
            transaction.undoes.as_ref().map(|id| format!("undoes {id}")),
            transaction.undone_by.as_ref().map(|id| format!("undone by {id}")),
        ];
        let facts: Vec<_> = [transaction.at.clone()].into_iter().chain(facts.into_iter().flatten()).collect();
        writeln!(out, "{FAINT}{}{FAINT:#}", paint::visible(&facts.join(", ")))?;
        print_diffs(&mut out, transaction)?;
    }
    Ok(End::Done)
}

fn show_proposal(context: &Context, id: &str, root: Option<&Path>) -> Result<End, CliError> {
    let proposal: ProposalResult = context.person(root)?.call::<ProposalMethod>(&json!({ "id": id }))?;
    if print_json(context, &serde_json::to_value(&proposal).map_err(CliError::failed)?)? {
        return Ok(End::Done);
    }
    let mut out = stream::stdout();
    let label = proposal.label.as_deref().unwrap_or_default();
    let mut row = Row::default();
    row.add(PLACE, proposal.id.clone());
    row.add(Style::new(), format!("  {}", fitted(&proposal.author, AUTHOR)));
    row.add(FAINT, format!("  {}  ", ago(&proposal.at)));
    row.add(Style::new(), format!("{}  {}", proposal.state, paint::visible(label).replace('\t', " ")));
    row.print(&mut out, width())?;
    let entries: Vec<_> = proposal.files.into_iter().map(|file| file.entry).collect();
    consent::show(&entries)?;
    Ok(End::Done)
}

/// Returns a note for an empty list: the reason and the next step.
fn empty_note(arguments: &LogArguments, root: Option<&Path>) -> String {
    if arguments.filter.is_given() {
        return "No change matches; `editd log` lists all changes.".to_owned();
    }
    match (arguments.path.as_deref().or(root), root) {
        (Some(target), Some(_)) => {
            format!("editd has not changed anything in {} yet: `editd edit --help`.", target.display())
        }
        _ => "This folder is not in a project; name a file: editd log PATH.".to_owned(),
    }
}

fn log_row(transaction: &TransactionEntry, root: Option<&Path>, (id, author): (usize, usize)) -> Row {
    let mut row = Row::default();
    row.add(PLACE, format!("{:<id$}", transaction.transaction));
    row.add(Style::new(), format!("  {}", fitted(&transaction.author, author)));
    row.add(FAINT, format!("  {:>6}  ", ago(&transaction.at)));
    if transaction.undone {
        row.add(ERROR, "undone ".to_owned());
    }
    if let Some(label) = &transaction.label {
        row.add(Style::new(), format!("{}  ", paint::visible(label).replace('\t', " ")));
    }
    for (at, file) in transaction.files.iter().take(NAMED).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        row.add(FAINT, format!("{comma}{}", named(file, root)));
        row.add(ADDED, format!(" +{}", file.added));
        row.add(REMOVED, format!(" -{}", file.removed));
    }
    match transaction.files.len().saturating_sub(NAMED) {
        0 => {}
        more => row.add(FAINT, format!(" and {more} more")),
    }
    row
}

/// Returns the path of a file relative to the root, with the action if the file was not just edited.
fn named(file: &TransactionFile, root: Option<&Path>) -> String {
    let short = |path: &str| {
        let inside = root.and_then(|root| Path::new(path).strip_prefix(root).ok());
        let path =
            inside.filter(|path| !path.as_os_str().is_empty()).map_or(path.into(), Path::to_string_lossy);
        paint::visible(&path)
    };
    match (file.action.as_str(), &file.new_path) {
        ("create", _) => format!("new {}", short(&file.path)),
        ("delete", _) => format!("deleted {}", short(&file.path)),
        (_, Some(to)) => format!("{} to {}", short(&file.path), short(to)),
        _ => short(&file.path),
    }
}
