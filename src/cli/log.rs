//! The history of changes with their authors: `editd log` and `editd show`.

use std::io::Write;
use std::path::Path;

use anstyle::Style;
use serde_json::json;

use editd_protocol::{
    HistoryMethod, HistoryParams, HistoryResult, Method, OmittedFile, PathEntry, ProposalMethod,
    ProposalResult, TransactionEntry, TransactionFile,
};

use super::arguments::LogArguments;
use super::paint::{AUTHOR, ERROR, FAINT, PLACE, Row, ago, cell, fitted, one_line, widest, width};
use super::{CliError, Context, End, consent, paint, root, stream};

/// Maximum number of files named in one line.
const NAMED: usize = 3;
/// Maximum width of a turn in a line, in columns. `editd show` prints the whole id.
const TURN: usize = 8;

/// `editd log`.
pub(crate) fn log(
    context: &Context,
    arguments: &LogArguments,
    author: Option<&str>,
) -> Result<End, CliError> {
    let (target, root) = root::of_file_or_here(arguments.path.as_deref())?;
    let params = HistoryParams {
        author: author.map(str::to_owned),
        uri: target.map(|target| target.uri()),
        diff: arguments.patch,
        limit: Some(arguments.number as usize),
        ..arguments.filter.params()
    };
    let root = root.as_deref();
    let Some(history) = context.query::<HistoryMethod>(root, &params)? else { return Ok(End::Done) };
    if history.transactions.is_empty() {
        stream::note(&empty_note((arguments, author.is_some()), root))?;
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
    let turn = widest(transactions.iter().filter_map(turn), TURN);
    for (index, transaction) in transactions.iter().enumerate() {
        if patch && index > 0 {
            writeln!(out)?;
        }
        log_row(transaction, root, (id, author, turn)).print(&mut out, width)?;
        if patch {
            print_diffs(&mut out, transaction)?;
        }
    }
    Ok(())
}

fn print_diffs(out: &mut impl Write, transaction: &TransactionEntry) -> std::io::Result<()> {
    for file in &transaction.files {
        if file.content_gone {
            let path = paint::visible(&file.path);
            let why = "is no longer kept, so this change cannot be undone";
            writeln!(out, "{FAINT}The old content of {path} {why}.{FAINT:#}")?;
        }
        match &file.diff {
            Some(diff) => paint::diff(out, diff)?,
            None if file.content_gone => {}
            None if file.added + file.removed == 0 => {}
            None => {
                let path = paint::visible(&file.path);
                let why = "is too long to be stored, and the file was changed by another program since";
                writeln!(out, "{FAINT}The diff of {path} {why}.{FAINT:#}")?;
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
        print_run(&mut out, transaction, root.as_deref())?;
        print_diffs(&mut out, transaction)?;
    }
    Ok(End::Done)
}

/// Prints what a transaction has besides contents of files: the end of the command, and changed paths.
fn print_run(out: &mut impl Write, it: &TransactionEntry, root: Option<&Path>) -> std::io::Result<()> {
    for path in &it.paths {
        writeln!(out, "{FAINT}{}{FAINT:#}", changed_path(path, root))?;
    }
    let Some(run) = &it.run else { return Ok(()) };
    let end = match (run.exit_code, run.signal) {
        (_, Some(signal)) => Some(format!("ended by signal {signal}")),
        (Some(code), _) => Some(format!("exit code {code}")),
        _ if run.interrupted => Some("interrupted: its end was not reported".to_owned()),
        _ => None,
    };
    let others = run.others.iter().map(|other| format!("or by {}", paint::visible(other)));
    let omitted = run.omitted.iter().map(|OmittedFile { path, reason }| {
        format!("not recorded: the content of {}, because {reason}", root::relative(path, root))
    });
    for line in end.into_iter().chain(others).chain(omitted) {
        writeln!(out, "{FAINT}{line}{FAINT:#}")?;
    }
    Ok(())
}

fn print_proposal(proposal: &ProposalResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    let label = proposal.label.as_deref().unwrap_or_default();
    let mut row = Row::default();
    row.add(PLACE, proposal.id.clone());
    row.add(Style::new(), format!("  {}", fitted(&proposal.author, AUTHOR)));
    row.add(FAINT, format!("  {}  ", ago(&proposal.at)));
    row.add(Style::new(), format!("{}  {}", proposal.state, one_line(label)));
    row.print(&mut out, width())?;
    consent::show(proposal.files.iter().map(|file| &file.entry))
}

/// Returns a note for an empty list: the reason and the next step.
fn empty_note((arguments, has_author): (&LogArguments, bool), root: Option<&Path>) -> String {
    if arguments.filter.is_given() || has_author {
        return "No change matches; `editd log` lists all changes.".to_owned();
    }
    match (arguments.path.as_deref().or(root), root) {
        (Some(target), Some(_)) => {
            format!("editd has not changed anything in {} yet: `editd edit --help`.", target.display())
        }
        _ => "This folder is not in a project; name a file: editd log PATH.".to_owned(),
    }
}

fn turn(transaction: &TransactionEntry) -> Option<&str> {
    transaction.origin.as_ref()?.turn.as_deref()
}

/// Returns the end of a turn's id, which differs more between turns than its beginning.
fn short(turn: &str) -> String {
    let turn = cell(turn);
    let cut = turn.chars().count().saturating_sub(TURN);
    if cut == 0 { turn } else { format!("…{}", turn.chars().skip(cut + 1).collect::<String>()) }
}

fn log_row(
    transaction: &TransactionEntry,
    root: Option<&Path>,
    (id, author, turn_width): (usize, usize, usize),
) -> Row {
    let mut row = Row::default();
    row.add(PLACE, format!("{:<id$}", transaction.transaction));
    row.add(Style::new(), format!("  {}", fitted(&transaction.author, author)));
    row.add(FAINT, format!("  {:>6}  ", ago(&transaction.at)));
    if turn_width > 0 {
        let turn = turn(transaction).map(short).unwrap_or_default();
        row.add(FAINT, format!("{}  ", fitted(&turn, turn_width)));
    }
    if transaction.undone {
        row.add(ERROR, "undone ".to_owned());
    }
    if transaction.files.iter().any(|file| file.content_gone) {
        row.add(FAINT, "(old content not kept) ".to_owned());
    }
    if let Some(label) = &transaction.label {
        row.add(Style::new(), format!("{}  ", one_line(label)));
    }
    for (at, file) in transaction.files.iter().take(NAMED).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        row.add(FAINT, format!("{comma}{}", named(file, root)));
        row.add_counts(file.added, file.removed);
    }
    let changed =
        transaction.paths.iter().filter(|path| transaction.files.iter().all(|it| it.path != path.path));
    let places = NAMED.saturating_sub(transaction.files.len());
    for (at, path) in changed.take(places).enumerate() {
        let comma = if at > 0 || !transaction.files.is_empty() { ", " } else { "" };
        row.add(FAINT, format!("{comma}{}", changed_path(path, root)));
    }
    match transaction.files.len().saturating_sub(NAMED) {
        0 => {}
        more => row.add(FAINT, format!(" and {more} more")),
    }
    row
}

/// Returns a changed link, folder or permission.
fn changed_path(path: &PathEntry, root: Option<&Path>) -> String {
    let PathEntry { path, before, after } = path;
    let path = root::relative(path, root);
    match (before.as_str(), after.as_str()) {
        ("missing", after) => format!("new {path} ({})", paint::visible(after)),
        (before, "missing") => format!("deleted {path} ({})", paint::visible(before)),
        (before, after) => format!("{path} ({} to {})", paint::visible(before), paint::visible(after)),
    }
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
