//! Edits by the built-in tool of an agent program, which reports to editd before and after each of them: it starts
//! `editd hook`, or calls the tool `gate` of `editd mcp`.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::corpus::{KB, code, counter};
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

const ROUNDS: usize = 60;
/// The transcript that events name, as those of Claude Code do.
const TRANSCRIPT: &str = "session.jsonl";
/// The counter in the middle of a text.
const MIDDLE: usize = 3;

/// The time that the reports add to an edit of 100 KB, in both forms. The first form is compared with two starts of
/// `true`.
pub(crate) fn edits() {
    title("reports around an edit of 100 KB by a built-in tool");
    let machine = Machine::start();
    let mut server = Server::start(&machine);
    let mut by_command =
        Edits::begin(&machine, "hook.rs", |event| run(machine.command("hook").arg("claude"), event));
    let mut by_server = Edits::begin(&machine, "server.rs", |event| server.call(event));
    let floor_path = machine.put("floor.rs", "");
    let mut floor = Samples::default();
    for round in 0..ROUNDS {
        by_command.edit(round);
        by_server.edit(round);
        floor.time(|| {
            run(&mut Command::new("true"), &by_command.last);
            fs::write(&floor_path, &by_command.text).expect("a file");
            run(&mut Command::new("true"), &by_command.last);
        });
    }
    row("two starts of `true`", &floor);
    row("two starts of `editd hook`", &by_command.samples);
    row("two calls of `editd mcp`", &by_server.samples);
    verdict("above `true`", millis(by_command.samples.above(&floor).median()), " ms", 15.0, true);
    verdict("by calls", millis(by_server.samples.median()), " ms", 8.0, true);
}

/// Edits of a file, with reports that `report` sends. It returns the answer.
struct Edits<'a, Report> {
    machine: &'a Machine,
    path: std::path::PathBuf,
    text: String,
    report: Report,
    /// The last event.
    last: Value,
    samples: Samples,
}

impl<'a, Report: FnMut(&Value) -> String> Edits<'a, Report> {
    /// Reports that the file has been read.
    fn begin(machine: &'a Machine, name: &str, mut report: Report) -> Self {
        let text = code(100 * KB);
        let path = machine.put(name, &text);
        machine.put(TRANSCRIPT, &transcript());
        let mut read = event(machine, "PostToolUse", "Read", &json!({ "file_path": path }));
        let file = json!({ "filePath": path, "content": text, "startLine": 1 });
        read["tool_response"] = json!({ "type": "text", "file": file });
        assert_eq!(report(&read), "");
        Self { machine, path, text, report, last: read, samples: Samples::default() }
    }

    fn edit(&mut self, round: usize) {
        let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
        let input = json!({ "file_path": self.path, "old_string": old, "new_string": new });
        let before = event(self.machine, "PreToolUse", "Edit", &input);
        let mut after = event(self.machine, "PostToolUse", "Edit", &input);
        // The program reports the whole file before the edit.
        after["tool_response"] = json!({ "filePath": self.path, "originalFile": self.text });
        self.text = self.text.replacen(&old, &new, 1);
        let Self { path, text, report, .. } = self;
        self.samples.time(|| {
            assert_eq!(report(&before), "");
            fs::write(Path::new(path), text).expect("the tool writes the file");
            assert_eq!(report(&after), "");
        });
        self.last = after;
    }
}

/// A transcript of three megabytes: messages of the model, each before the text of a file.
fn transcript() -> String {
    let message =
        json!({ "type": "assistant", "message": { "role": "assistant", "model": "claude-opus-4-6" } });
    let read = json!({ "type": "user", "toolUseResult": { "file": { "content": code(100 * KB) } } });
    format!("{message}\n{read}\n").repeat(20)
}

fn event(machine: &Machine, name: &str, tool: &str, input: &Value) -> Value {
    json!({
        "transcript_path": machine.root().join(TRANSCRIPT),
        "hook_event_name": name, "session_id": "bench", "cwd": machine.root(), "prompt_id": "1",
        "tool_name": tool, "tool_use_id": "call", "tool_input": input,
    })
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

/// A running `editd mcp`.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command("mcp");
        command.current_dir(machine.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server can be run");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut server = Self { child, input, output };
        let client = json!({ "name": "claude-code", "version": "1" });
        server.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        );
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    /// Calls the tool for an event, whose members are passed as text. Returns the answer; an empty one if it is an
    /// empty object.
    fn call(&mut self, event: &Value) -> String {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let members = event.as_object().expect("an event").iter();
        let arguments: Value =
            members.map(|(name, value)| (name.clone(), Value::from(text(value)))).collect();
        let answer = self.request("tools/call", &json!({ "name": "gate", "arguments": arguments }));
        let text = answer["result"]["content"][0]["text"].as_str().expect("an answer");
        if text == "{}" { String::new() } else { text.to_owned() }
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("a message")
    }

    fn send(&mut self, message: &Value) {
        // In one write, because the pipe has no buffer.
        self.input.write_all(format!("{message}\n").as_bytes()).expect("the server reads");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
