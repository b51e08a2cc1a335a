//! `editd blame`.

use std::path::Path;

use anstyle::Style;
use serde_json::{Value, json};

use editd_daemon::transport::{WholeText, whole_text};
use editd_protocol::{Blame, BlameResult, Read};
use editd_text::lines;
use editd_workspace::history::DISK;

use super::arguments::ChangeFilter;
use super::paint::{AUTHOR, FAINT, PLACE, Row, ago, fitted, widest, width};
use super::{CliError, Context, End, paint, root, stream};

/// Maximum number of attempts if the file changes between the blame and the read.
const TRIES: usize = 5;

/// `editd blame`.
pub(crate) fn blame(context: &Context, path: &Path, filter: &ChangeFilter) -> Result<End, CliError> {
    let target = root::of_file(path)?;
    let params = json!({ "uri": target.uri() });
    for _ in 0..TRIES {
        let mut result = context.ask::<Blame>(Some(&target.root), &params)?;
        if let Some(ranges) = result["lines"].as_array_mut() {
            ranges.retain(|range| is_selected(range, filter));
        }
        let Some(blame) = context.unless_json::<BlameResult>(result)? else { return Ok(End::Done) };
        let read = |params: &Value| {
            let result = context.ask::<Read>(Some(&target.root), params)?;
            serde_json::from_value(result).map_err(CliError::failed)
        };
        if let Some(WholeText { text, .. }) = whole_text(&target, &blame.hash, read)? {
            if text.is_empty() {
                stream::note(&format!("{} has no lines.", path.display()))?;
            } else if blame.lines.is_empty() {
                stream::note(
                    "No line is from a change that matches; without options, all lines are listed.",
                )?;
            }
            print_blame(&blame, &text)?;
            return Ok(End::Done);
        }
    }
    Err(CliError::failed("the file keeps changing")
        .with_hint("run the command again when no program writes it"))
}

/// Returns `true` if the change that wrote a range of lines matches.
fn is_selected(range: &Value, filter: &ChangeFilter) -> bool {
    let ChangeFilter { session, turn, agent, since } = filter;
    let origin = &range["origin"];
    let is_one = |wanted: &Option<String>, known: &Value| {
        wanted.as_ref().is_none_or(|wanted| known.as_str() == Some(wanted))
    };
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let is_later = |since: &String| range["at"].as_str().is_some_and(|at| time(at) >= time(since));
    is_one(session, &range["session"])
        && is_one(turn, &origin["turn"])
        && is_one(agent, &origin["agent"])
        && since.as_ref().is_none_or(is_later)
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
        if index + 1 < range.start_line {
            continue;
        }
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
