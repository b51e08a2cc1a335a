use std::io::Write;

use serde_json::Value;

use crate::protocol::{Method, Proposals, ProposalsParams, ProposalsResult, Read, ReadParams, ReadResult};

use super::arguments::{Output, ReadArguments};
use super::paint::FAINT;
use super::{Complaint, Context, End, paint, root};

/// `editd read`: the text on standard output, what else there is to say on standard error.
pub(crate) fn read(context: &Context, arguments: &ReadArguments) -> Result<End, Complaint> {
    let (path, root) = root::of_file(&arguments.path)?;
    let mut client = context.agent()?;
    client.initialize(Some(&root))?;
    let params = ReadParams {
        path: Some(path.display().to_string()),
        offset: arguments.offset,
        limit: arguments.limit,
        numbered: arguments.numbered,
        ..ReadParams::default()
    };
    let result = client.request(Read::NAME, &params)?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let read: ReadResult = serde_json::from_value(result).map_err(Complaint::failed)?;
    std::io::stdout().write_all(read.text.as_bytes())?;
    let mut err = anstream::stderr();
    if let Some(notice) = &read.notice {
        writeln!(err, "{FAINT}{}{FAINT:#}", paint::visible(notice))?;
    }
    writeln!(err, "{FAINT}{}{FAINT:#}", read.hash)?;
    Ok(End::Done)
}

/// `editd proposals`.
pub(crate) fn proposals(context: &Context) -> Result<End, Complaint> {
    let mut client = context.agent()?;
    client.initialize(Some(&root::of_here()?))?;
    let result = client.request(Proposals::NAME, &ProposalsParams::default())?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let list: ProposalsResult = serde_json::from_value(result).map_err(Complaint::failed)?;
    let mut out = anstream::stdout();
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
        writeln!(anstream::stdout(), "{result}")?;
    }
    Ok(context.output == Output::Json)
}
