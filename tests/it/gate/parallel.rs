//! opencode, which makes the calls of a step at the same time, and reads that show other characters than the file
//! has.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use super::claude::history;
use super::programs::report;
use crate::support::{Machine, Workspace};

/// opencode, whose plugin reports each call when its turn comes.
struct Opencode<'a>(&'a Machine, &'a Workspace);

impl Opencode<'_> {
    fn report(&self, hook: &str, event: Value) -> Value {
        self.report_in("turn-1", hook, event)
    }

    fn report_in(&self, turn: &str, hook: &str, event: Value) -> Value {
        let context = json!({ "session": "ses_1", "turn": turn, "cwd": self.1.root() });
        let mut event = event;
        event["hook"] = hook.into();
        event["context"] = context;
        report(self.0, "opencode", &event)
    }

    fn read(&self, name: &str, text: &str) {
        let display = json!({ "type": "file", "text": text, "lineStart": 1 });
        let args = json!({ "filePath": self.1.absolute(name) });
        let event = json!({
            "input": { "tool": "read", "callID": "r", "args": args }, "output": { "metadata": { "display": display } },
        });
        assert_eq!(self.report("tool.execute.after", event), Value::Null);
    }

    fn before(&self, id: &str, tool: &str, args: &Value) -> Value {
        let event = json!({ "input": { "tool": tool, "callID": id }, "output": { "args": args } });
        self.report("tool.execute.before", event)
    }

    fn after(&self, id: &str, tool: &str, args: &Value) {
        let event = json!({ "input": { "tool": tool, "callID": id, "args": args }, "output": {} });
        assert_eq!(self.report("tool.execute.after", event), Value::Null);
    }

    fn failed(&self, id: &str, tool: &str, args: &Value) {
        let event = json!({ "input": { "tool": tool, "callID": id, "args": args }, "output": {} });
        assert_eq!(self.report("tool.execute.failed", event), Value::Null);
    }

    fn edit(&self, name: &str, old: &str, new: &str) -> Value {
        json!({ "filePath": self.1.absolute(name), "oldString": old, "newString": new })
    }

    fn patch(&self, name: &str, old: &str, new: &str) -> Value {
        let path = self.1.absolute(name);
        json!({ "patchText": format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch") })
    }
}

#[rstest]
#[case::edits("edit")]
#[case::patches("apply_patch")]
fn a_call_waits_until_an_earlier_one_of_the_same_file_has_been_made(#[case] tool: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    workspace.put("b.txt", "one\n");
    let opencode = Opencode(&machine, &workspace);
    opencode.read("a.txt", "one\ntwo");
    opencode.read("b.txt", "one");
    let arguments = |name: &str, old: &str, new: &str| match tool {
        "edit" => opencode.edit(name, old, new),
        _ => opencode.patch(name, old, new),
    };
    let (first, second) = (arguments("a.txt", "one", "1"), arguments("a.txt", "two", "2"));
    assert_eq!(opencode.before("1", tool, &first), Value::Null);
    let is_written = AtomicBool::new(false);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let answer = opencode.before("2", tool, &second);
            assert!(is_written.load(Ordering::SeqCst), "the second call did not wait");
            answer
        });
        assert_eq!(
            opencode.before("3", tool, &arguments("b.txt", "one", "1")),
            Value::Null,
            "another file is free"
        );
        // The tool writes some time after the hook.
        thread::sleep(Duration::from_millis(300));
        workspace.put("a.txt", "1\ntwo\n");
        is_written.store(true, Ordering::SeqCst);
        opencode.after("1", tool, &first);
        assert_eq!(waiting.join().unwrap(), Value::Null);
    });
    workspace.put("a.txt", "1\n2\n");
    opencode.after("2", tool, &second);
    let past = history(&machine, &workspace);
    let calls: Vec<_> = past.iter().map(|entry| &entry["origin"]["toolCall"]).collect();
    assert_eq!(calls, [&json!("2"), &json!("1")], "{past:#?}");
    assert_eq!(past[0]["files"][0]["added"], 1, "it contains only its own lines");
}

#[test]
fn a_call_does_not_wait_for_one_that_has_failed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let opencode = Opencode(&machine, &workspace);
    opencode.read("a.txt", "one\ntwo");
    let (first, second) = (opencode.edit("a.txt", "one", "1"), opencode.edit("a.txt", "two", "2"));
    assert_eq!(opencode.before("1", "edit", &first), Value::Null);
    opencode.failed("1", "edit", &first);
    assert_eq!(opencode.before("2", "edit", &second), Value::Null);
    workspace.put("a.txt", "one\n2\n");
    opencode.after("2", "edit", &second);
    assert_eq!(history(&machine, &workspace).len(), 1);
}

#[test]
fn a_call_does_not_wait_for_one_of_an_earlier_turn() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let opencode = Opencode(&machine, &workspace);
    opencode.read("a.txt", "one\ntwo");
    assert_eq!(opencode.before("1", "edit", &opencode.edit("a.txt", "one", "1")), Value::Null);
    // opencode was stopped, and the user has written another prompt.
    let second = opencode.edit("a.txt", "two", "2");
    let event = json!({ "input": { "tool": "edit", "callID": "2" }, "output": { "args": second } });
    assert_eq!(opencode.report_in("turn-2", "tool.execute.before", event), Value::Null);
}

#[rstest]
#[case::not_utf8(b"caf\xe9\ntwo\n", "caf\u{fffd}\ntwo", b"caf\xe9\n2\n")]
#[case::byte_order_mark(b"\xef\xbb\xbfone\ntwo\n", "\u{feff}one\ntwo", b"\xef\xbb\xbfone\n2\n")]
fn a_read_with_characters_that_the_file_does_not_have_counts(
    #[case] before: &[u8],
    #[case] shown: &str,
    #[case] after: &[u8],
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", ""));
    workspace.put("a.txt", before);
    let opencode = Opencode(&machine, &workspace);
    opencode.read("a.txt", shown);
    let answer = opencode.before("1", "edit", &opencode.edit("a.txt", "two", "2"));
    assert!(answer["refuse"].as_str().unwrap().contains("editd has made the change itself"), "{answer}");
    assert_eq!(fs::read(workspace.absolute("a.txt")).unwrap(), after);
}
