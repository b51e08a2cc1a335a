//! opencode: the hooks of a plugin, recorded from version 1.18.33.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::call::{Arguments, Replacement};
use super::program::Dialect;
use super::reader::Reader;
use super::{Event, Reply, Step, ToolCall, Unknown, patch, plugin, reply};
use editd_protocol::ToolLoss;

const NAME: &str = "opencode";

pub(super) const DIALECT: Dialect = Dialect {
    name: "opencode",
    title: NAME,
    author: "opencode",
    tested: "1.18.33",
    before: "tool.execute.before",
    decode,
    encode,
    model_in: |_| None,
};

const EDIT: Replacement =
    Replacement { old: "oldString", new: "newString", all: "replaceAll", removes_line_end: false };

/// The tool that runs commands.
const SHELL: &str = "bash";

/// The properties that a patch does not keep.
const PATCH_LOSES: [ToolLoss; 3] =
    [ToolLoss::CarriageReturns, ToolLoss::MissingFinalNewline, ToolLoss::FinalBlankLine];

fn decode(event: &Value) -> Result<Option<Event>, Unknown> {
    let read = Reader::new(NAME, event);
    let (name, input, output) = (read.text("hook")?, read.inner("input"), read.inner("output"));
    let (cwd, tool) = (plugin::cwd(event), input.text("tool")?);
    let (step, arguments) = match (name, tool) {
        ("tool.execute.before", "edit" | "write" | "apply_patch") => {
            let call = call(&input, tool, &output, cwd)?;
            (Step::Before(Box::new(call)), output.object)
        }
        ("tool.execute.after" | "tool.execute.failed", "edit" | "write" | "apply_patch") => {
            let tool_call = input.text("callID")?.to_owned();
            (Step::After { tool_call, failed: name == "tool.execute.failed" }, input.object)
        }
        ("tool.execute.before", SHELL) => {
            let command = output.inner("args").text("command")?.to_owned();
            (Step::Command { tool_call: input.text("callID")?.to_owned(), command }, output.object)
        }
        ("tool.execute.after" | "tool.execute.failed", SHELL) => {
            let exit_code = output.inner("metadata").object["exit"].as_i64();
            let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
            (Step::CommandDone { tool_call: input.text("callID")?.to_owned(), exit_code }, input.object)
        }
        ("tool.execute.after", "read") => {
            let shown = output.inner("metadata").inner("display");
            // Folders and images are reported in another form.
            if shown.object["type"] != "file" {
                return Ok(None);
            }
            let (text, offset) = (shown.text("text")?.to_owned(), shown.number("lineStart")?);
            (Step::Shown { text, offset }, input.object)
        }
        _ => return Ok(None),
    };
    plugin::event(&read, paths(&arguments["args"], cwd), step).map(Some)
}

fn paths(arguments: &Value, cwd: &Path) -> Vec<PathBuf> {
    let file = arguments["filePath"].as_str().map(|path| cwd.join(path));
    let patch = arguments["patchText"].as_str().unwrap_or_default();
    file.into_iter().chain(patch::paths(patch, cwd)).collect()
}

fn call(input: &Reader<'_>, tool: &str, output: &Reader<'_>, cwd: &Path) -> Result<ToolCall, Unknown> {
    let id = input.text("callID")?.to_owned();
    let arguments = Arguments { client: NAME, id, input: output.fields("args")?, cwd };
    let call = match tool {
        "edit" => arguments.replacement("filePath", EDIT),
        "write" => arguments.content("filePath", "content", false),
        _ => Ok(arguments.patch("patchText")?.losing(&PATCH_LOSES)),
    };
    call.map(ToolCall::in_parallel)
}

fn encode(event: &str, answer: Reply) -> Value {
    match answer {
        // The model is shown the text as an error of the tool.
        Reply::Done(text) => plugin::encode(event, reply::as_refusal(&text)),
        other => plugin::encode(event, other),
    }
}
