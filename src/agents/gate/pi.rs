//! pi: the events of an extension, recorded from version 0.87.1.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::call::Arguments;
use super::program::{Dialect, exit_code_after};
use super::reader::Reader;
use super::{Event, Step, Unknown, plugin};

const NAME: &str = "pi";

pub(super) const DIALECT: Dialect = Dialect {
    name: "pi",
    title: NAME,
    author: "pi",
    tested: "0.87.1",
    before: "tool_call",
    decode,
    encode: plugin::encode,
    model_in: |_| None,
};

/// The tool that runs commands.
const SHELL: &str = "bash";

fn decode(event: &Value) -> Result<Option<Event>, Unknown> {
    let read = Reader::new(NAME, event);
    let (name, inner, cwd) = (read.text("hook")?, read.inner("event"), plugin::cwd(event));
    let path = |object: &Value| object["path"].as_str().map(|path| named(path, cwd)).into_iter().collect();
    let (step, paths) = match (name, inner.object["toolName"].as_str()) {
        ("unsaved", _) => (Step::Unsaved, path(inner.object)),
        ("tool_call", Some(tool @ ("edit" | "write"))) => {
            let (id, input) = (inner.text("toolCallId")?.to_owned(), inner.fields("input")?);
            let arguments = Arguments { client: NAME, id, input, cwd };
            let mut call = match tool {
                "edit" => arguments.replacements("path", "edits", ("oldText", "newText"))?,
                _ => arguments.content("path", "content", false)?,
            };
            call.params["changes"][0]["path"] = json!(named(inner.inner("input").text("path")?, cwd));
            (Step::Before(Box::new(call)), path(&inner.object["input"]))
        }
        ("tool_result", Some("edit" | "write")) => {
            let failed = inner.object["isError"] == true;
            let tool_call = inner.text("toolCallId")?.to_owned();
            (Step::After { tool_call, failed }, path(&inner.object["input"]))
        }
        ("tool_call", Some(SHELL)) => {
            let command = inner.inner("input").text("command")?.to_owned();
            (Step::Command { tool_call: inner.text("toolCallId")?.to_owned(), command }, Vec::new())
        }
        ("tool_result", Some(SHELL)) => {
            let shown = inner.object["content"][0]["text"].as_str().unwrap_or_default();
            let has_failed = inner.object["isError"] == true;
            let exit_code =
                if has_failed { exit_code_after(shown, "Command exited with code ") } else { Some(0) };
            (Step::CommandDone { tool_call: inner.text("toolCallId")?.to_owned(), exit_code }, Vec::new())
        }
        ("tool_result", Some("read")) => match shown(&inner)? {
            Some(step) => (step, path(&inner.object["input"])),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    plugin::event(&read, paths, step).map(Some)
}

/// Returns the file that pi means by a path: without an `@` before it, with plain spaces, and from the home folder if
/// it begins with `~`, which stays in the path.
fn named(path: &str, cwd: &Path) -> PathBuf {
    let path = path.strip_prefix('@').unwrap_or(path);
    let is_space =
        |c: char| matches!(c, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    let plain = path.replace(is_space, " ");
    if plain == "~" || plain.starts_with("~/") { plain.into() } else { cwd.join(plain) }
}

/// Returns the lines that `read` has shown.
fn shown(result: &Reader<'_>) -> Result<Option<Step>, Unknown> {
    let content = result.list("content")?;
    // Images are reported in another form.
    let text = content.first().and_then(|first| first["text"].as_str());
    let Some(text) = text.filter(|_| content.len() == 1 && result.object["isError"] != true) else {
        return Ok(None);
    };
    let offset = result.object["input"]["offset"].as_u64().unwrap_or(1);
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    Ok(Some(Step::Shown { text: without_notice(text).to_owned(), offset }))
}

/// Removes the notice about further lines, which follows after an empty line.
fn without_notice(text: &str) -> &str {
    match text.rsplit_once("\n\n[") {
        Some((shown, notice)) if notice.contains("Use offset=") && notice.ends_with(']') => shown,
        _ => text,
    }
}
