use std::path::absolute;

use crate::mcp::{Options, Selection, serve};

use super::arguments::McpArguments;
use super::{Complaint, Context, End, root};

/// `editd mcp`. Nothing but the protocol goes to standard output.
pub(crate) fn mcp(context: &Context, arguments: McpArguments) -> Result<End, Complaint> {
    let tools = Selection::new(arguments.tools, arguments.read_only)
        .map_err(|unknown| Complaint::usage(unknown.to_string()))?;
    if tools.is_empty() {
        return Err(Complaint::usage("--read-only leaves none of these tools")
            .with_hint("leave --tools out, or name tools that only read"));
    }
    let roots: Vec<_> =
        arguments.root.iter().map(absolute).collect::<Result<_, _>>().map_err(|_| root::no_folder())?;
    for (given, root) in arguments.root.iter().zip(&roots) {
        // A client shows what a server says at its start, and hides what it says at each call.
        std::fs::metadata(root).map_err(root::at(given))?;
    }
    serve(Options { places: context.places.clone(), spawn: context.spawn, roots, tools })?;
    Ok(End::Done)
}
