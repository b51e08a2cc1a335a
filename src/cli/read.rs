use std::io::{IsTerminal, Write};

use anstyle::Style;
use serde_json::Value;

use crate::protocol::{
    NotebookContent, Proposals, ProposalsParams, ProposalsResult, Read, ReadContent, ReadParams, ReadResult,
    uri_of,
};
use crate::text::lines;

use super::arguments::{Output, ReadArguments};
use super::paint::{ADDED, FAINT, PLACE, REMOVED};
use super::row::{Row, fitted, widest, width};
use super::{CliError, Context, End, paint, root, stream};

/// Width of the state column.
const STATE: usize = 10;

/// `editd read`. Prints the text on standard output, and notices and the hash on standard error.
pub(crate) fn read(context: &Context, arguments: &ReadArguments) -> Result<End, CliError> {
    let target = root::of_file(&arguments.path)?;
    let params = ReadParams {
        // Sent as a URI because `path` is text on the wire, and this path may not be UTF-8.
        uri: Some(uri_of(&target.path).to_string()),
        offset: arguments.offset,
        limit: arguments.limit,
        numbered: arguments.numbered,
        raw: arguments.raw,
        ..ReadParams::default()
    };
    let result = context.ask::<Read>(Some(&target.root), &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let read: ReadResult = serde_json::from_value(result).map_err(CliError::failed)?;
    match &read.content {
        ReadContent::Text(text) => print_text(&text.text)?,
        ReadContent::Notebook(notebook) => print_cells(notebook)?,
        ReadContent::Image(image) => {
            let (width, height) = (image.original_width, image.original_height);
            writeln!(
                stream::stdout(),
                "{}, {width} by {height} pixels, {} bytes",
                image.mime_type,
                read.size
            )?;
        }
    }
    let mut err = stream::stderr();
    if let Some(notice) = &read.notice {
        writeln!(err, "{FAINT}{}{FAINT:#}", paint::visible(notice))?;
    }
    writeln!(err, "{FAINT}{}{FAINT:#}", read.hash)?;
    Ok(End::Done)
}

/// Prints the text unchanged, except on a terminal, which the text must not control.
fn print_text(text: &str) -> std::io::Result<()> {
    let mut out = stream::raw_stdout();
    if std::io::stdout().is_terminal() {
        return write!(out, "{}", paint::lines(&text.replace("\r\n", "\n")));
    }
    out.write_all(text.as_bytes())
}

/// Prints each cell below a heading, with its output after vertical bars.
fn print_cells(notebook: &NotebookContent) -> std::io::Result<()> {
    let mut out = stream::stdout();
    for cell in &notebook.cells {
        let cell_type = cell.cell_type.as_deref().unwrap_or("cell");
        let id = cell.id.as_deref().map(|id| format!(", id {id}")).unwrap_or_default();
        let head = paint::visible(&format!("cell {}: {cell_type}{id}", cell.index));
        writeln!(out, "{FAINT}{head}{FAINT:#}")?;
        for line in lines(&cell.source) {
            writeln!(out, "{}", paint::visible(line.content))?;
        }
        for output in &cell.outputs {
            for line in lines(output.text.as_deref().unwrap_or_default()) {
                writeln!(out, "{FAINT}| {}{FAINT:#}", paint::visible(line.content))?;
            }
            for other in &output.mime_types {
                writeln!(out, "{FAINT}| {}{FAINT:#}", paint::visible(other))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `editd proposals`.
pub(crate) fn proposals(context: &Context) -> Result<End, CliError> {
    let root = root::of_here()?;
    let result = context.ask::<Proposals>(root.as_deref(), &ProposalsParams::default())?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let list: ProposalsResult = serde_json::from_value(result).map_err(CliError::failed)?;
    let mut out = stream::stdout();
    if list.proposals.is_empty() {
        stream::note("You have no proposals; `editd review` lists those of agents.")?;
    }
    let (id, width) = (widest(list.proposals.iter().map(|it| it.id.as_str()), usize::MAX), width());
    for proposal in &list.proposals {
        let mut row = Row::default();
        row.add(PLACE, fitted(&proposal.id, id));
        row.add(Style::new(), format!("  {}", fitted(&proposal.state, STATE)));
        if let Some(label) = &proposal.label {
            row.add(Style::new(), format!("  {}", paint::visible(label).replace('\t', " ")));
        }
        row.add(FAINT, format!("  {}", paint::visible(&proposal.paths.join(", "))));
        row.add(ADDED, format!(" +{}", proposal.added));
        row.add(REMOVED, format!(" -{}", proposal.removed));
        row.print(&mut out, width)?;
    }
    Ok(End::Done)
}

/// Prints a result unchanged if the output format is JSON. Returns `true` if it is.
pub(crate) fn print_json(context: &Context, result: &Value) -> std::io::Result<bool> {
    if context.output == Output::Json {
        writeln!(stream::stdout(), "{}", paint::json(result))?;
    }
    Ok(context.output == Output::Json)
}
