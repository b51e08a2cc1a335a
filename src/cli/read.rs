use std::io::Write;

use serde_json::Value;

use crate::protocol::{
    NotebookContent, Proposals, ProposalsParams, ProposalsResult, Read, ReadContent, ReadParams, ReadResult,
    uri_of,
};
use crate::text::lines;

use super::arguments::{Output, ReadArguments};
use super::paint::FAINT;
use super::{Complaint, Context, End, paint, root, stream};

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
        ReadContent::Text(text) => stream::raw_stdout().write_all(text.text.as_bytes())?,
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
        writeln!(out, "There are no proposals.")?;
    }
    for proposal in &list.proposals {
        let label = proposal.label.as_deref().unwrap_or_default();
        let paths = paint::visible(&proposal.paths.join(", "));
        let (id, state) = (&proposal.id, &proposal.state);
        writeln!(
            out,
            "{id}  {state:<10} +{} -{}  {paths}  {}",
            proposal.added,
            proposal.removed,
            paint::visible(label)
        )?;
    }
    Ok(End::Done)
}

/// Prints a result as it came, if that is wanted.
pub(crate) fn print_json(context: &Context, result: &Value) -> std::io::Result<bool> {
    if context.output == Output::Json {
        writeln!(stream::stdout(), "{result}")?;
    }
    Ok(context.output == Output::Json)
}
