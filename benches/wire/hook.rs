//! Edits by the built-in tool of an agent program, which starts `editd hook` before and after each of them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::corpus::{KB, code, counter};
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

const ROUNDS: usize = 60;
/// The counter in the middle of a text.
const MIDDLE: usize = 3;

/// The time that both hooks add to an edit of 100 KB, above two starts of `true`.
pub(crate) fn edits() {
    title("hooks around an edit of 100 KB by a built-in tool");
    let machine = Machine::start();
    let mut text = code(100 * KB);
    let path = machine.put("hook.rs", &text);
    let event = |name: &str, tool: &str, input: &Value| {
        json!({
            "hook_event_name": name, "session_id": "bench", "cwd": machine.root(), "prompt_id": "1",
            "tool_name": tool, "tool_use_id": "call", "tool_input": input,
        })
    };
    let mut read = event("PostToolUse", "Read", &json!({ "file_path": path }));
    let file = json!({ "filePath": path, "content": text, "startLine": 1 });
    read["tool_response"] = json!({ "type": "text", "file": file });
    assert_eq!(run(machine.command("hook").arg("claude"), &read), "");
    let (mut hooks, mut floor) = (Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
        let input = json!({ "file_path": path, "old_string": old, "new_string": new });
        let (before, after) = (event("PreToolUse", "Edit", &input), event("PostToolUse", "Edit", &input));
        text = text.replacen(&old, &new, 1);
        hooks.time(|| {
            assert_eq!(run(machine.command("hook").arg("claude"), &before), "");
            fs::write(&path, &text).expect("the tool writes the file");
            assert_eq!(run(machine.command("hook").arg("claude"), &after), "");
        });
        floor.time(|| {
            run(&mut Command::new("true"), &before);
            fs::write(Path::new(&path).with_extension("floor"), &text).expect("a file");
            run(&mut Command::new("true"), &after);
        });
    }
    row("two starts of `true`", &floor);
    row("both hooks", &hooks);
    verdict("above `true`", millis(hooks.above(&floor).median()), " ms", 15.0, true);
}

/// Runs a command with an event on standard input. Returns its output.
fn run(command: &mut Command, event: &Value) -> String {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("the program can be run");
    // `true` does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(event.to_string().as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
