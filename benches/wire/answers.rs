//! Sizes in bytes of the tool list of `editd mcp` and of its answers, as shown to a model.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::machine::Machine;

/// Assumed number of bytes per token.
const TOKEN: usize = 4;

/// A call: description, tool, arguments, and the token limit of its answer in either form, if there is one.
type Call = (&'static str, &'static str, Value, Option<usize>);

/// Description of the call before which another program writes the file.
const STALE: &str = "a file that is stale";

/// Descriptions of the calls that must be refused.
const REFUSED: [&str; 6] = [
    STALE,
    "lines that were not shown",
    "an unknown symbol",
    "a file that was not read",
    "a missing text",
    "a text with many matches",
];

/// Prints the size of each answer.
pub(crate) fn table() {
    println!("\nanswers of `editd mcp`, in bytes (4 per token)");
    println!("{:<46} {:>7} {:>7}   at most", "", "text", "data");
    let machine = Machine::start();
    for name in ["a.txt", "b.txt", "e.txt"] {
        machine.put(name, &lines("item", 200));
    }
    machine.put("m.py", &module());
    machine.put("n.ipynb", &notebook());
    let mut mcp = Mcp::start(&machine);
    let tools = mcp.request("tools/list", &json!({}))["tools"].to_string().len();
    row("tools/list", tools, 0, Some(4_000));
    for (what, tool, arguments, most) in calls() {
        if what == STALE {
            machine.put("b.txt", &lines("other", 200));
        }
        let result = mcp.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(result["isError"] == true, REFUSED.contains(&what), "{what}: {result}");
        let texts = result["content"].as_array().expect("blocks").iter();
        let text = texts.filter_map(|block| block["text"].as_str()).map(str::len).sum();
        let data = result.get("structuredContent").map_or(0, |data| data.to_string().len());
        row(&format!("{tool}: {what}"), text, data, most);
    }
}

fn calls() -> Vec<Call> {
    let edit = |path: &str, old: &str, new: &str| json!({ "path": path, "oldText": old, "newText": new });
    let with = |mut edit: Value, name: &str, value: Value| {
        edit[name] = value;
        edit
    };
    let [one, other] = [100, 101].map(|number| edit("a.txt", &line("item", number), &line("found", number)));
    // Four spaces less than in the file.
    let block: String = (50..100).map(|number| line("item", number).replacen("    ", "", 1)).collect();
    let patch = format!(
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-{}+{}*** Add File: c.txt\n+new\n*** End Patch",
        line("word", 5),
        line("found", 5)
    );
    let cells = json!([{ "op": "replace", "id": "c1", "source": "x = 2" }]);
    let absent = [line("word", 7), line("wort", 9), line("word", 9)].concat();
    let mut list = vec![
        ("200 lines", "read", json!({ "path": "a.txt" }), None),
        ("200 lines of another", "read", json!({ "path": "b.txt" }), None),
        ("a notebook", "read", json!({ "path": "n.ipynb" }), None),
        ("one location, exact", "edit", one, Some(60)),
        ("one location, with display", "edit", with(other, "display", "unified".into()), None),
        (
            "50 lines, different indentation",
            "edit",
            edit("a.txt", &block, &block.replace("item", "row")),
            None,
        ),
        (
            "a name in 200 lines",
            "edit",
            with(edit("a.txt", "key", "name"), "replaceAll", true.into()),
            Some(150),
        ),
        ("over a file", "write", json!({ "path": "a.txt", "content": lines("word", 210) }), Some(150)),
        ("a new file", "write", json!({ "path": "d.txt", "content": lines("item", 50) }), Some(60)),
        ("two files", "apply_patch", json!({ "patch": patch }), None),
        ("one cell", "notebook_edit", json!({ "path": "n.ipynb", "cells": cells }), None),
        ("the newest", "undo", json!({}), None),
        (STALE, "edit", edit("b.txt", &line("item", 9), "x\n"), Some(375)),
        ("200 lines, all changed", "changes", json!({ "path": "b.txt" }), None),
        ("a file that was not read", "edit", edit("e.txt", "item_9 ", "x "), Some(375)),
        ("a missing text", "edit", edit("a.txt", &absent, "x\n"), Some(375)),
        ("a text with many matches", "edit", edit("a.txt", "word_1", "x"), Some(375)),
        ("20 matches", "search", json!({ "pattern": "word_1", "path": "a.txt", "limit": 20 }), None),
        ("all files", "find", json!({ "pattern": "*" }), None),
        ("the folder", "list", json!({}), None),
        ("no diagnostics", "diagnostics", json!({}), None),
        ("no pending proposal", "proposal_status", json!({}), None),
    ];
    // Before the edits that replace all lines.
    let at = list.iter().position(|(what, ..)| *what == "over a file").unwrap_or_default();
    list.splice(at..at, anchored_calls());
    list
}

/// Calls with edits by line numbers and by symbols.
fn anchored_calls() -> Vec<Call> {
    let anchored = |path: &str, edits: Value| json!({ "path": path, "edits": edits });
    // No call moves lines that a later one names.
    let moved = json!([{ "move": { "lines": "150-151" }, "to": { "after": 160 } }]);
    let body = json!([{ "symbol": "Table.row_7", "op": "body", "newText": "return self.rows[7]" }]);
    let broken = json!([{ "symbol": "Table.row_7", "op": "body", "newText": "return self.rows[8" }]);
    vec![
        (
            "two lines",
            "edit",
            anchored("b.txt", json!([{ "lines": "12-13", "newText": line("found", 1).repeat(2) }])),
            None,
        ),
        ("two lines moved", "edit", anchored("b.txt", moved), None),
        (
            "a line inserted",
            "edit",
            anchored("b.txt", json!([{ "after": 40, "newText": line("found", 1) }])),
            None,
        ),
        ("20 symbols", "outline", json!({ "path": "m.py" }), None),
        ("a symbol", "read", json!({ "path": "m.py", "symbol": "Table.row_7" }), None),
        ("the body of a symbol", "edit", anchored("m.py", body), None),
        ("a new syntax error", "edit", anchored("m.py", broken), None),
        (
            "lines that were not shown",
            "edit",
            anchored("m.py", json!([{ "lines": "60-61", "newText": "    pass\n" }])),
            Some(375),
        ),
        (
            "an unknown symbol",
            "edit",
            anchored("m.py", json!([{ "symbol": "Table.rows_7", "op": "delete" }])),
            Some(375),
        ),
    ]
}

fn line(word: &str, number: usize) -> String {
    format!("    let {word}_{number} = self.table.get(&key_{number});\n")
}

fn lines(word: &str, count: usize) -> String {
    (1..=count).map(|number| line(word, number)).collect()
}

/// Returns a class with 20 methods.
fn module() -> String {
    let method = |number| {
        format!("\n    def row_{number}(self):\n        row = self.rows[{number}]\n        return row\n")
    };
    let methods: String = (1..20).map(method).collect();
    format!("class Table:\n    rows = []\n{methods}")
}

fn notebook() -> String {
    let cell = json!({ "cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1"], "outputs": [], "execution_count": null });
    format!("{:#}", json!({ "cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }))
}

fn row(name: &str, text: usize, data: usize, most: Option<usize>) {
    let (shown, most) = (text.max(data), most.map(|tokens| tokens * TOKEN));
    let verdict = match most {
        None => String::new(),
        Some(most) if shown <= most => format!("{most} ok"),
        Some(most) => format!("{most} MISSED"),
    };
    println!("{name:<46} {text:>7} {data:>7}   {verdict}");
}

/// A client of the Model Context Protocol.
struct Mcp {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl Mcp {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command("mcp");
        command.current_dir(machine.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server can be run");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut mcp = Self { child, stdin, stdout, last_id: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        mcp.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        mcp
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        writeln!(self.stdin, "{request}").expect("the server reads requests");
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).expect("an answer");
            let mut answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == self.last_id {
                return answer["result"].take();
            }
        }
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
