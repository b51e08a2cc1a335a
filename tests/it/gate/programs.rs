//! The built-in tools of Codex, Gemini CLI, opencode and pi. The programs are replaced by ones that report the same
//! events and write the files as the tools do.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};

use super::claude::{Claude, history, refused};
use crate::support::{Editor, Kind, Machine, Workspace};

/// Runs `editd hook PROGRAM` on an event. Returns the answer, or null if there is none.
pub(crate) fn report(machine: &Machine, program: &str, event: &Value) -> Value {
    let output = machine.run_with_input(&["hook", program], &event.to_string());
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    if output.stdout.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&output.stdout).expect("an answer")
    }
}

/// pi, whose extension reports all calls of a turn before the tools run.
struct Pi<'a>(&'a Machine, &'a Workspace);

impl Pi<'_> {
    fn report(&self, hook: &str, mut event: Value) -> Value {
        event["path"] = event["input"]["path"].clone();
        let context = json!({ "session": "7", "turn": "turn-1", "model": "m-1", "cwd": self.1.root() });
        report(self.0, "pi", &json!({ "hook": hook, "event": event, "context": context }))
    }

    fn read(&self, name: &str) {
        let content = json!([{ "type": "text", "text": self.1.text(name) }]);
        let event = json!({
            "toolName": "read", "toolCallId": "r", "input": { "path": name }, "content": content, "isError": false,
        });
        assert_eq!(self.report("tool_result", event), Value::Null);
    }

    fn before(&self, id: &str, name: &str, edits: &[(&str, &str)]) -> (Value, Value) {
        let edits: Vec<_> =
            edits.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect();
        let event = json!({
            "toolName": "edit", "toolCallId": id, "input": { "path": name, "edits": edits },
        });
        let answer = self.report("tool_call", event.clone());
        (event, answer)
    }

    /// Runs the tool with the arguments of an event, or with those of the answer to it.
    fn run(&self, (mut event, answer): (Value, Value)) {
        assert!(answer.is_null() || answer["input"].is_object(), "{answer}");
        if answer["input"].is_object() {
            event["input"] = answer["input"].clone();
        }
        let name = event["input"]["path"].as_str().expect("a path").to_owned();
        let mut text = self.1.text(&name);
        for edit in event["input"]["edits"].as_array().expect("edits") {
            let (old, new) =
                (edit["oldText"].as_str().expect("a text"), edit["newText"].as_str().expect("a text"));
            assert_eq!(text.matches(old).count(), 1, "{old:?} in {text:?}");
            text = text.replacen(old, new, 1);
        }
        self.1.put(&name, text);
    }

    fn after(&self, id: &str, name: &str) -> Value {
        let event =
            json!({ "toolName": "edit", "toolCallId": id, "input": { "path": name }, "isError": false });
        self.report("tool_result", event)
    }
}

#[rstest]
#[case::each_reported_when_it_is_made(false)]
#[case::all_reported_at_the_end(true)]
fn several_edits_of_one_turn_are_recorded_and_need_no_read_in_between(#[case] at_the_end: bool) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n  three\n"));
    let pi = Pi(&machine, &workspace);
    pi.read("a.txt");
    let edits = [("1", ("one", "1\nmore")), ("2", ("two", "2")), ("3", ("three\n", "3\n"))];
    let calls: Vec<_> = edits.iter().map(|(id, edit)| (*id, pi.before(id, "a.txt", &[*edit]))).collect();
    for (id, call) in calls {
        pi.run(call);
        if !at_the_end {
            assert_eq!(pi.after(id, "a.txt"), Value::Null);
        }
    }
    for (id, _) in edits.iter().filter(|_| at_the_end) {
        assert_eq!(pi.after(id, "a.txt"), Value::Null);
    }
    assert_eq!(workspace.text("a.txt"), "1\nmore\n2\n  3\n");
    let past = history(&machine, &workspace);
    let hashes: Vec<_> =
        past.iter().map(|entry| (&entry["files"][0]["hashAfter"], &entry["origin"]["model"])).collect();
    assert_eq!(hashes.len(), 3, "{past:#?}");
    assert_eq!(hashes[0], (&json!(workspace.hash("a.txt")), &json!("m-1")));
    pi.run(pi.before("4", "a.txt", &[("2", "II")]));
    assert_eq!(pi.after("4", "a.txt"), Value::Null);
}

#[test]
fn several_replacements_with_another_indentation_are_repaired() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.py", "if a:\n\tb = 1\n\tc = 2\n\td = 3\n"));
    let pi = Pi(&machine, &workspace);
    pi.read("a.py");
    pi.run(pi.before("1", "a.py", &[("if a:\n    b = 1\n", "if a:\n    b = 10\n"), ("d = 3", "d = 30")]));
    assert_eq!(pi.after("1", "a.py"), Value::Null);
    assert_eq!(workspace.text("a.py"), "if a:\n\tb = 10\n\tc = 2\n\td = 30\n");
}

#[test]
fn pi_reads_the_text_that_an_editor_has_not_saved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let pi = Pi(&machine, &workspace);
    let unsaved = || pi.report("unsaved", json!({ "input": { "path": workspace.absolute("a.txt") } }));
    assert_eq!(unsaved(), Value::Null);
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.type_at_start(&uri, "typed\n");
    assert_eq!(unsaved()["text"], "typed\none\n");
    let (_, answer) = pi.before("1", "a.txt", &[("typed", "t")]);
    assert!(answer["refuse"].as_str().unwrap().contains("has not been read"), "a text for a tool is no read");
}

/// Codex, with the patches of a model that calls the tool itself.
struct Codex<'a>(&'a Machine, &'a Workspace);

impl Codex<'_> {
    fn report(&self, name: &str, mut event: Value) -> Value {
        event["hook_event_name"] = name.into();
        event["session_id"] = "01a21030".into();
        event["cwd"] = self.1.root().to_str().into();
        event["model"] = "gpt-5.5".into();
        report(self.0, "codex", &event)
    }

    fn patch(&self, body: &str) -> Value {
        self.report("PreToolUse", call(body, json!({ "turn_id": "turn-1" })))["hookSpecificOutput"].clone()
    }

    fn refused(&self, body: &str) -> String {
        let output = self.patch(body);
        assert_eq!(output["permissionDecision"], "deny", "{output}");
        output["permissionDecisionReason"].as_str().expect("a reason").to_owned()
    }
}

fn call(body: &str, event: Value) -> Value {
    let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
    let mut event = event;
    event["tool_name"] = "apply_patch".into();
    event["tool_use_id"] = "call-1".into();
    event["tool_input"] = json!({ "command": patch });
    event
}

#[test]
fn a_patch_of_codex_is_checked_without_a_read() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.py", "x = 1\nif a:\n    y = 1\nx = 1\n"));
    let codex = Codex(&machine, &workspace);
    let reason = codex.refused("*** Update File: a.py\n@@\n-x = 1\n+x = 2\n");
    assert!(
        reason.contains("Line 1:") && reason.contains("Line 4:"),
        "the tool would take the first: {reason}"
    );
    let reason = codex.refused("*** Add File: a.py\n+x\n");
    assert!(reason.contains("exists"), "the tool would write over it: {reason}");
    let reason = codex.refused("*** Update File: a.py\n@@\n-nothing like it\n+x\n");
    assert!(reason.contains("is not in"), "{reason}");
    let repaired = codex.patch("*** Update File: a.py\n@@\n if a:\n-  y = 1\n+  y = 2\n");
    let expected = "*** Begin Patch\n*** Update File: a.py\n@@\n x = 1\n if a:\n-    y = 1\n+    y = 2\n x = 1\n*** End Patch\n";
    assert_eq!(
        (&repaired["permissionDecision"], &repaired["updatedInput"]["command"]),
        (&json!("allow"), &json!(expected))
    );
}

#[test]
fn a_sub_agent_of_codex_works_in_the_turn_of_the_user() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let codex = Codex(&machine, &workspace);
    let prompt = json!({ "turn_id": "turn-1", "prompt": "Change it." });
    assert_eq!(codex.report("UserPromptSubmit", prompt), Value::Null);
    let event = json!({ "turn_id": "turn-of-helper", "agent_id": "helper" });
    let event = call("*** Update File: a.txt\n@@\n-one\n+1\n", event);
    assert_eq!(codex.report("PreToolUse", event.clone()), Value::Null);
    workspace.put("a.txt", "1\n");
    assert_eq!(codex.report("PostToolUse", event), Value::Null);
    let origin = &history(&machine, &workspace)[0]["origin"];
    assert_eq!(
        (&origin["turn"], &origin["agent"], &origin["model"]),
        (&json!("turn-1"), &json!("helper"), &json!("gpt-5.5"))
    );
}

#[test]
fn editd_applies_a_patch_that_the_tool_would_apply_with_a_loss() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo"));
    let codex = Codex(&machine, &workspace);
    let reason = codex.refused("*** Update File: a.txt\n@@\n-two\n+2\n");
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    assert_eq!(workspace.text("a.txt"), "one\n2");
}

#[test]
fn gemini_cli_is_shown_remarks_after_the_tool_and_its_turns_are_told_apart() {
    let (machine, workspace) =
        (Machine::configured("[gate]\nunread = \"warn\"\n"), Workspace::file("a.txt", "one\n"));
    let report = |name: &str, mut event: Value| {
        event["hook_event_name"] = name.into();
        (event["session_id"], event["cwd"]) = ("565390a6-5491".into(), workspace.root().to_str().into());
        report(&machine, "gemini", &event)
    };
    report("BeforeAgent", json!({ "timestamp": "2026-11-25T00:55:08.029Z", "prompt": "Change it." }));
    let edit = |old: &str, new: &str| {
        json!({
            "tool_name": "replace", "tool_response": {},
            "tool_input": { "file_path": "a.txt", "old_string": old, "new_string": new },
        })
    };
    assert_eq!(report("BeforeTool", edit("one", "1"))["decision"], Value::Null);
    workspace.put("a.txt", "1\n");
    let after = report("AfterTool", edit("one", "1"));
    let context = after["hookSpecificOutput"]["additionalContext"].as_str().expect("a remark");
    assert!(context.contains("without having been read"), "{context}");
    let origin = &history(&machine, &workspace)[0]["origin"];
    assert_eq!(origin["turn"], "565390a6-2026-11-25T00:55:08.029Z");
    let absent = report("BeforeTool", edit("nothing like it", "x"));
    assert_eq!(absent["decision"], "deny", "{absent}");
}

#[test]
fn a_cell_is_changed_by_editd_because_the_tool_formats_the_notebook() {
    let notebook = "{\"cells\": [{\"id\": \"c1\", \"cell_type\": \"code\", \"metadata\": {}, \"outputs\": [], \"execution_count\": null, \"source\": [\"x = 1\"]}], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", notebook));
    let claude = Claude::new(&machine, &workspace);
    let path = workspace.absolute("a.ipynb");
    let edit = || {
        let input = json!({ "notebook_path": path, "cell_id": "c1", "new_source": "x = 2" });
        let event = json!({ "tool_name": "NotebookEdit", "tool_use_id": "t", "tool_input": input });
        let output = claude.report("PreToolUse", event)["hookSpecificOutput"].clone();
        output["permissionDecisionReason"].as_str().expect("a reason").to_owned()
    };
    assert!(edit().contains("has not been read"));
    let cells = json!([{ "cellType": "code", "source": "x = 1", "cell_id": "c1" }]);
    let file = json!({ "filePath": path, "cells": cells });
    let read = json!({
        "tool_name": "Read", "tool_use_id": "r", "tool_input": { "file_path": path },
        "tool_response": { "type": "notebook", "file": file },
    });
    assert_eq!(claude.report("PostToolUse", read), Value::Null);
    let reason = edit();
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    assert_eq!(workspace.text("a.ipynb"), notebook.replace("x = 1", "x = 2"));
}

#[test]
fn a_model_that_is_shown_the_disk_is_also_shown_what_is_not_saved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "ONE");
    let claude = Claude::new(&machine, &workspace);
    let path = workspace.absolute("a.txt");
    let file = json!({ "filePath": path, "content": "one\ntwo\n", "startLine": 1 });
    let read = json!({
        "tool_name": "Read", "tool_use_id": "r", "tool_input": { "file_path": path },
        "tool_response": { "type": "text", "file": file },
    });
    let answer = claude.report("PostToolUse", read);
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("the unsaved changes");
    assert!(context.contains("has not saved") && context.contains("-one\n+ONE\n"), "{context}");
    let reason = refused(claude.edit("a.txt", "two", "2"));
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    // The tool searches the text on disk, so it does not find this one.
    let advice = claude.not_found("a.txt", "ONE", "1");
    assert!(advice.contains("but editd has made the change itself"), "{advice}");
    assert_eq!(editor.text(&uri), "1\n2\n");
    assert_eq!(fs::read_to_string(&path).expect("the file"), "one\ntwo\n");
}
