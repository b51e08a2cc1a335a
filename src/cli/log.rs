//! The history of changes with their authors: `editd log`, `editd show` and `editd blame`.

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use serde_json::{Value, json};

use crate::protocol::{
    Blame, BlameResult, HistoryMethod, HistoryParams, HistoryResult, Method, ProposalMethod, ProposalResult,
    Read, TransactionEntry, TransactionFile,
};
use crate::text::lines;
use crate::workspace::history::DISK;

use super::arguments::LogArguments;
use super::paint::{AUTHOR, ERROR, FAINT, PLACE, Row, ago, cell, fitted, widest, width};
use super::read::{WholeText, whole_text};
use super::{CliError, Context, End, consent, paint, root, stream};

/// Maximum number of files named in one line.
const NAMED: usize = 3;

/// `editd log`.
pub(crate) fn log(context: &Context, arguments: &LogArguments) -> Result<End, CliError> {
    let (target, root) = root::of_file_or_here(arguments.path.as_deref())?;
    let params = HistoryParams {
        uri: target.map(|target| target.uri()),
        diff: arguments.patch,
        limit: Some(arguments.number as usize),
        ..arguments.filter.params()
    };
    let root = root.as_deref();
    let Some(history) = context.query::<HistoryMethod>(root, &params)? else { return Ok(End::Done) };
    if history.transactions.is_empty() {
        stream::note(&empty_note(arguments, root))?;
    }
    print_rows(&history.transactions, root, arguments.patch)?;
    Ok(End::Done)
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
pub(crate) fn show(context: &Context, id: &str) -> Result<End, CliError> {
    let root = root::of_here()?;
    let mut client = context.person(root.as_deref())?;
    // Only ids of proposals begin with this letter.
    if id.starts_with('p') {
        let result = client.request(ProposalMethod::NAME, &json!({ "id": id }))?;
        if let Some(proposal) = context.unless_json(result)? {
            print_proposal(&proposal)?;
        }
        return Ok(End::Done);
    }
    let result = client.request(HistoryMethod::NAME, &json!({ "transaction": id, "diff": true }))?;
    let Some(history) = context.unless_json::<HistoryResult>(result)? else { return Ok(End::Done) };
    print_rows(&history.transactions, root.as_deref(), false)?;
    let mut out = stream::stdout();
    for transaction in &history.transactions {
        let origin = transaction.origin.clone().unwrap_or_default();
        let facts = [
            Some(transaction.at.clone()),
            transaction.session.as_ref().map(|session| format!("session {session}")),
            origin.turn.map(|turn| format!("turn {turn}")),
            origin.agent.map(|agent| format!("sub-agent {agent}")),
            origin.model,
            transaction.undoes.as_ref().map(|id| format!("undoes {id}")),
            transaction.undone_by.as_ref().map(|id| format!("undone by {id}")),
        ];
        let facts: Vec<_> = facts.into_iter().flatten().collect();
        writeln!(out, "{FAINT}{}{FAINT:#}", paint::visible(&facts.join(", ")))?;
        print_diffs(&mut out, transaction)?;
    }
    Ok(End::Done)
}

fn print_proposal(proposal: &ProposalResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    let label = proposal.label.as_deref().unwrap_or_default();
    let mut row = Row::default();
    row.add(PLACE, proposal.id.clone());
    row.add(Style::new(), format!("  {}", fitted(&proposal.author, AUTHOR)));
    row.add(FAINT, format!("  {}  ", ago(&proposal.at)));
    row.add(Style::new(), format!("{}  {}", proposal.state, cell(label)));
    row.print(&mut out, width())?;
    consent::show(proposal.files.iter().map(|file| &file.entry))
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
        row.add(Style::new(), format!("{}  ", cell(label)));
    }
    for (at, file) in transaction.files.iter().take(NAMED).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        row.add(FAINT, format!("{comma}{}", named(file, root)));
        row.add_counts(file.added, file.removed);
    }
    match transaction.files.len().saturating_sub(NAMED) {
        0 => {}
        more => row.add(FAINT, format!(" and {more} more")),
    }
    row
}

/// Returns the path of a file relative to the root, with the action if the file was not just edited.
fn named(file: &TransactionFile, root: Option<&Path>) -> String {
    let short = |path: &str| root::relative(path, root);
    match (file.action.as_str(), &file.new_path) {
        ("create", _) => format!("new {}", short(&file.path)),
        ("delete", _) => format!("deleted {}", short(&file.path)),
        (_, Some(to)) => format!("{} to {}", short(&file.path), short(to)),
        _ => short(&file.path),
    }
}

/// Maximum number of attempts if the file changes between the blame and the read.
const TRIES: usize = 5;

/// `editd blame`.
pub(crate) fn blame(context: &Context, path: &Path) -> Result<End, CliError> {
    let target = root::of_file(path)?;
    let params = json!({ "uri": target.uri() });
    for _ in 0..TRIES {
        let Some(blame) = context.query::<Blame>(Some(&target.root), &params)? else { return Ok(End::Done) };
        let read = |params: &Value| {
            let result = context.ask::<Read>(Some(&target.root), params)?;
            serde_json::from_value(result).map_err(CliError::failed)
        };
        if let Some(WholeText { text, .. }) = whole_text(&target, &blame.hash, read)? {
            if text.is_empty() {
                stream::note(&format!("{} has no lines.", path.display()))?;
            }
            print_blame(&blame, &text)?;
            return Ok(End::Done);
        }
    }
    Err(CliError::failed("the file keeps changing")
        .with_hint("run the command again when no program writes it"))
}

fn print_blame(blame: &BlameResult, text: &str) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    let number = blame.lines.last().map_or(1, |range| range.end_line.to_string().len());
    let author = widest(blame.lines.iter().map(|range| range.author.as_str()), AUTHOR);
    let id =
        blame.lines.iter().filter_map(|range| Some(range.transaction.as_ref()?.len())).max().unwrap_or(1);
    let mut ranges = blame.lines.iter().peekable();
    for (index, line) in lines(text).enumerate() {
        while ranges.next_if(|range| range.end_line <= index).is_some() {}
        let Some(range) = ranges.peek() else { break };
        let style = if range.author == DISK && range.transaction.is_none() { FAINT } else { Style::new() };
        let mut row = Row::default();
        row.add(FAINT, format!("{:>number$} ", index + 1));
        row.add(style, format!("{} ", fitted(&range.author, author)));
        row.add(FAINT, format!("{:>6} ", range.at.as_deref().map(ago).unwrap_or_default()));
        row.add(PLACE, format!("{:<id$}  ", range.transaction.as_deref().unwrap_or("-")));
        row.add(style, paint::visible(line.content).replace('\t', "    "));
        row.print(&mut out, width)?;
    }
    Ok(())
}
