use schemars::JsonSchema;

use crate::mcp::schema;
use crate::protocol::{Find, Method};

use super::{Effect, Request, Tool, list};

pub(super) const TOOL: Tool = Tool {
    name: "find",
    title: "Find files",
    description: "Find files and folders by a glob over their paths, in all roots or one folder. Includes hidden \
        entries, not ignored ones (.gitignore). At most `limit` and 32,000 bytes, sorted; the last line \
        says if there are more.",
    instead: &[
        ("search", "To search file contents use `search`."),
        ("list", "To see one folder use `list`."),
    ],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: false,
    request: |params| Request { method: Find::NAME, params, waits: false, answer: list::answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// A glob, not a regular expression: for names (`*.toml`) or, with `/`, for paths (`src/**/*_test.go`).
    pattern: String,
    /// Folder to search. Default: all roots.
    path: Option<String>,
    /// Maximum number of paths. Default 1000.
    limit: Option<usize>,
}
