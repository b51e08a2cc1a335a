use std::io::{IsTerminal, Write};

use anstyle::Style;
use serde_json::Value;

use crate::protocol::{
    Door, NotebookContent, Proposals, ProposalsParams, ProposalsResult, Read, ReadContent, ReadParams,
    ReadResult, uri_of,
};
use crate::text::lines;

use super::arguments::{Output, ReadArguments};
use super::paint::{ADDED, FAINT, PLACE, REMOVED};
use super::row::{Row, fitted, widest, width};
use super::{Complaint, Context, End, paint, root, stream};

/// Columns of the longest state.
const STATE: usize = 10;

/// `editd read`: the text on standard output, what else there is to say on standard error.
pub(crate) fn read(context: &Context, arguments: &ReadArguments) -> Result<End, Complaint> {
    let place = root::of_file(&arguments.path)?;
    let params = ReadParams {
        // Not as a path: a path on the wire is text, which this one need not be.
        uri: Some(uri_of(&place.path).to_string()),
        offset: arguments.offset,
        limit: arguments.limit,
        numbered: arguments.numbered,
        raw: arguments.raw,
        ..ReadParams::default()
    };
    let result = context.ask::<Read>(Some(&place.root), &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let read: ReadResult = serde_json::from_value(result).map_err(Complaint::failed)?;
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
        writeln!(err, "{FAINT}{}{FAINT:#}", paint::visible(&Door::CommandLine.say(notice)))?;
    }
    writeln!(err, "{FAINT}{}{FAINT:#}", read.hash)?;
    Ok(End::Done)
}

/// As it is; but what a file says must not steer a terminal.
fn print_text(text: &str) -> std::io::Result<()> {
    let mut out = stream::raw_stdout();
    if std::io::stdout().is_terminal() {
        return write!(out, "{}", paint::lines(&text.replace("\r\n", "\n")));
    }
    out.write_all(text.as_bytes())
}

/// Each cell below a line that names it, with what it printed behind bars.
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
pub(crate) fn proposals(context: &Context) -> Result<End, Complaint> {
    let root = root::of_here()?;
    let result = context.ask::<Proposals>(root.as_deref(), &ProposalsParams::default())?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let list: ProposalsResult = serde_json::from_value(result).map_err(Complaint::failed)?;
    let mut out = stream::stdout();
    if list.proposals.is_empty() {
        stream::note("You have proposed nothing; `editd review` lists what agents propose.")?;
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

/// Prints a result as it came, if that is wanted.
pub(crate) fn print_json(context: &Context, result: &Value) -> std::io::Result<bool> {
    if context.output == Output::Json {
        writeln!(stream::stdout(), "{}", paint::json(result))?;
    }
    Ok(context.output == Output::Json)
}
