use std::path::absolute;

use crate::mcp::{Options, Selection, serve};

use super::arguments::McpArguments;
use super::{Complaint, Context, End};

/// `editd mcp`. Nothing but the protocol goes to standard output.
pub(crate) fn mcp(context: &Context, arguments: McpArguments) -> Result<End, Complaint> {
    let usage = |problem: String| Complaint::Usage(problem);
    let tools = Selection::new(arguments.tools, arguments.read_only).map_err(|it| usage(it.to_string()))?;
    if tools.is_empty() {
        return Err(usage("none of these tools changes nothing".to_owned()));
    }
    let roots = arguments.root.iter().map(absolute).collect::<Result<_, _>>()?;
    serve(Options { places: context.places.clone(), spawn: context.spawn, roots, tools })?;
    Ok(End::Done)
}
