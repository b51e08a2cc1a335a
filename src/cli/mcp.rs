use std::path::absolute;

use crate::mcp::{Options, Selection, serve};

use super::arguments::McpArguments;
use super::{CliError, Context, End, root};

/// `editd mcp`. Writes only protocol messages to standard output.
pub(crate) fn mcp(context: &Context, arguments: McpArguments) -> Result<End, CliError> {
    let tools = Selection::new(arguments.tools, arguments.read_only)
        .map_err(|unknown| CliError::usage(unknown.to_string()))?;
    if tools.is_empty() {
        return Err(CliError::usage("none of the tools in --tools is read-only")
            .with_hint("omit --tools, or name tools that only read"));
    }
    let roots: Vec<_> = arguments
        .root
        .iter()
        .map(absolute)
        .collect::<Result<_, _>>()
        .map_err(|_| root::no_working_folder())?;
    for (given, root) in arguments.root.iter().zip(&roots) {
        // Clients show errors of a server at startup, and hide errors of single calls.
        std::fs::metadata(root).map_err(root::with_path(given))?;
    }
    serve(Options { places: context.places.clone(), spawn: context.spawn, roots, tools })?;
    Ok(End::Done)
}
