//! What was done, and by whom, for people.

use std::path::Path;

use anstyle::Style;
use serde_json::json;

use crate::protocol::{
    Blame, BlameResult, HistoryMethod, HistoryResult, Read, ReadResult, TransactionEntry, TransactionFile,
    uri_of,
};
use crate::text::lines;
use crate::workspace::history::DISK;

use super::arguments::{BlameArguments, LogArguments};
use super::paint::{ADDED, ERROR, FAINT, PLACE, REMOVED};
use super::read::print_json;
use super::row::{Row, ago, fitted, widest, width};
use super::{Complaint, Context, End, paint, root, stream};

/// Columns of an author's name.
const AUTHOR: usize = 12;
/// Files that are named in one line.
const NAMED: usize = 3;
/// How often the file may change while it is read and asked about.
const TRIES: usize = 5;

/// `editd log`.
pub(crate) fn log(context: &Context, arguments: &LogArguments) -> Result<End, Complaint> {
    let place = arguments.path.as_deref().map(root::of_file).transpose()?;
    let root = match &place {
        Some(place) => Some(place.root.clone()),
        None => root::of_here()?,
    };
    let mut params = json!({ "limit": arguments.number });
    if let Some(place) = &place {
        params["uri"] = uri_of(&place.path).as_str().into();
    }
    let result = context.ask::<HistoryMethod>(root.as_deref(), &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let history: HistoryResult = serde_json::from_value(result).map_err(Complaint::failed)?;
    let (mut out, width) = (stream::stdout(), width());
    if history.transactions.is_empty() {
        stream::note(&nothing_in(arguments.path.as_deref(), root.as_deref()))?;
    }
    let id = history.transactions.iter().map(|it| it.transaction.len()).max().unwrap_or_default();
    let author = widest(history.transactions.iter().map(|it| it.author.as_str()), AUTHOR);
    for transaction in &history.transactions {
        log_row(transaction, root.as_deref(), (id, author)).print(&mut out, width)?;
    }
    Ok(End::Done)
}

/// Why there is nothing to list, and what to do next.
fn nothing_in(path: Option<&Path>, root: Option<&Path>) -> String {
    match (path.or(root), root) {
        (Some(place), Some(_)) => {
            format!("Nothing in {} was changed through editd yet: `editd edit --help`.", place.display())
        }
        _ => "This is no folder of a project; name a file: editd log PATH.".to_owned(),
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

/// A file by its path from the root, and what happened to it if that was more than an edit.
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

/// `editd blame`.
pub(crate) fn blame(context: &Context, arguments: &BlameArguments) -> Result<End, Complaint> {
    let place = root::of_file(&arguments.path)?;
    let params = json!({ "uri": uri_of(&place.path).as_str() });
    for _ in 0..TRIES {
        let result = context.ask::<Blame>(Some(&place.root), &params)?;
        if print_json(context, &result)? {
            return Ok(End::Done);
        }
        let blame: BlameResult = serde_json::from_value(result).map_err(Complaint::failed)?;
        if let Some(text) = whole_text(context, &place, &blame.hash)? {
            if text.is_empty() {
                stream::note(&format!("{} has no lines.", arguments.path.display()))?;
            }
            print_blame(&blame, &text)?;
            return Ok(End::Done);
        }
    }
    Err(Complaint::failed("the file changes all the time").with_hint("run the command again when it rests"))
}

/// The text of that hash; nothing if the file is another one by now.
fn whole_text(context: &Context, place: &root::Place, hash: &str) -> Result<Option<String>, Complaint> {
    let (mut text, mut offset) = (String::new(), 1);
    loop {
        let params = json!({ "uri": uri_of(&place.path).as_str(), "offset": offset, "raw": true });
        let result = context.ask::<Read>(Some(&place.root), &params)?;
        let read: ReadResult = serde_json::from_value(result).map_err(Complaint::failed)?;
        let Some(page) = read.text().filter(|_| read.hash == hash) else { return Ok(None) };
        text.push_str(&page.text);
        if page.end_line >= page.total_lines {
            return Ok(Some(text));
        }
        if !text.ends_with(['\n', '\r']) {
            // A line that was cut stands for itself.
            text.push('\n');
        }
        offset = page.end_line + 1;
    }
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
