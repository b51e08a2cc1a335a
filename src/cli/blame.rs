//! `editd blame`: the author of each line of a file.

use anstyle::Style;
use serde_json::json;

use crate::protocol::{Blame, BlameResult, Read, ReadResult, uri_of};
use crate::text::lines;
use crate::workspace::history::DISK;

use super::arguments::BlameArguments;
use super::paint::{FAINT, PLACE};
use super::read::print_json;
use super::row::{AUTHOR, Row, ago, fitted, widest, width};
use super::{CliError, Context, End, paint, root, stream};

/// Maximum number of attempts if the file changes between the blame and the read.
const TRIES: usize = 5;

/// `editd blame`.
pub(crate) fn blame(context: &Context, arguments: &BlameArguments) -> Result<End, CliError> {
    let target = root::of_file(&arguments.path)?;
    let params = json!({ "uri": uri_of(&target.path).as_str() });
    for _ in 0..TRIES {
        let result = context.ask::<Blame>(Some(&target.root), &params)?;
        if print_json(context, &result)? {
            return Ok(End::Done);
        }
        let blame: BlameResult = serde_json::from_value(result).map_err(CliError::failed)?;
        if let Some(text) = whole_text(context, &target, &blame.hash)? {
            if text.is_empty() {
                stream::note(&format!("{} has no lines.", arguments.path.display()))?;
            }
            print_blame(&blame, &text)?;
            return Ok(End::Done);
        }
    }
    Err(CliError::failed("the file keeps changing")
        .with_hint("run the command again when no program writes it"))
}

/// Reads the whole text of the file. Returns `None` if its content no longer has this hash.
fn whole_text(context: &Context, target: &root::Target, hash: &str) -> Result<Option<String>, CliError> {
    let (mut text, mut offset) = (String::new(), 1);
    loop {
        let params = json!({ "uri": uri_of(&target.path).as_str(), "offset": offset, "raw": true });
        let result = context.ask::<Read>(Some(&target.root), &params)?;
        let read: ReadResult = serde_json::from_value(result).map_err(CliError::failed)?;
        let Some(page) = read.text().filter(|_| read.hash == hash) else { return Ok(None) };
        text.push_str(&page.text);
        if page.end_line >= page.total_lines {
            return Ok(Some(text));
        }
        if !text.ends_with(['\n', '\r']) {
            // The line was truncated, so its line ending is missing.
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
