mod patch;
mod programs;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::replacement::{literal, unique};
use super::*;
use editd_protocol::NativeFile;

/// Returns an event that a real program has sent.
fn recorded(client: AgentProgram, name: &str) -> Value {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agents/recorded").join(client.name());
    let text = fs::read_to_string(folder.join(format!("{name}.json")));
    serde_json::from_str(&text.unwrap_or_else(|error| panic!("{name}: {error}"))).unwrap()
}

fn step(client: AgentProgram, name: &str) -> Option<Step> {
    client.decode(&reported(client, name, recorded(client, name))).unwrap().map(|event| event.step)
}

/// Returns a recorded event in the form in which a program or its plugin reports it.
fn reported(client: AgentProgram, name: &str, mut event: Value) -> Value {
    let context = json!({ "session": "7", "cwd": "/home/ada/shop", "model": "m", "turn": "t" });
    let hook = match client {
        AgentProgram::Opencode => {
            ["tool.execute.before", "tool.execute.after"].into_iter().find(|hook| name.starts_with(hook))
        }
        AgentProgram::Pi => ["tool_call", "tool_result"].into_iter().find(|hook| name.starts_with(hook)),
        _ => return event,
    };
    (event["hook"], event["context"]) = (hook.unwrap_or("other").into(), context);
    event
}

#[test]
fn every_recorded_event_can_be_read() {
    for client in AgentProgram::ALL {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/agents/recorded").join(client.name());
        let mut count = 0;
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let event = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            if !name.starts_with("chat.") && !name.starts_with("event-") {
                client.decode(&reported(client, &name, event)).unwrap();
            }
            count += 1;
        }
        assert!(count > 20, "{}: {count} events", client.name());
    }
}

#[rstest]
#[case(json!("text"))]
#[case(json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit" }))]
#[case(json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_use_id": "1", "tool_input": { "file_path": 7 } }))]
fn an_event_of_an_unknown_form_is_an_error(#[case] event: Value) {
    let error = AgentProgram::Claude.decode(&event).unwrap_err();
    assert!(error.to_string().starts_with("Claude Code sent an event of an unknown form: `"), "{error}");
}

fn edit_call(old: &str, new: &str, all: bool) -> ToolCall {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_use_id": "1", "tool_name": "Edit",
        "tool_input": { "file_path": "/a", "old_string": old, "new_string": new, "replace_all": all },
    });
    match AgentProgram::Claude.decode(&event).unwrap().unwrap().step {
        Step::Before(call) => *call,
        other => panic!("{other:?}"),
    }
}

fn file(before: &str, after: &str) -> NativeFile {
    let (before, after) = (Some(before.to_owned()), Some(after.to_owned()));
    NativeFile { path: "/a".to_owned(), new_path: None, before, after }
}

#[rstest]
#[case::as_sent("a\nb\n", "a\nc\n", ("b", "c"), None)]
#[case::indentation("  if x:\n    y\n", "  if x:\n    z\n", ("if x:\n  y", "if x:\n  z"), Some(("    y\n", "    z\n")))]
#[case::repeated_line("x\ny\nx\n", "x\ny\nz\n", ("x", "z"), Some(("y\nx\n", "y\nz\n")))]
#[case::carriage_returns("a\r\nb\r\n", "a\r\nc\r\n", ("b", "c"), None)]
#[case::line_is_removed("a\nb\nc\n", "a\nc\n", ("b", ""), None)]
#[case::line_is_emptied("a\nb\nc\n", "a\n\nc\n", ("b", ""), Some(("b\n", "\n")))]
#[case::no_line_end("a\nb", "a\nc", (" b", " c"), Some(("b", "c")))]
#[case::appended("a\nb\n", "a\nb\nc\n", ("b ", "b\nc"), Some(("b\n", "b\nc\n")))]
#[case::emptied("a\n", "", ("a ", ""), Some(("a\n", "")))]
fn a_replacement_is_rewritten_unless_the_tool_would_write_the_prepared_text(
    #[case] before: &str,
    #[case] after: &str,
    #[case] (old, new): (&str, &str),
    #[case] expected: Option<(&str, &str)>,
) {
    let rewritten = rewrite(&edit_call(old, new, false), &[file(before, after)]);
    let texts =
        rewritten.as_ref().map(|it| (it["old_string"].as_str().unwrap(), it["new_string"].as_str().unwrap()));
    assert_eq!(texts, expected);
}

proptest! {
    #[test]
    fn a_rewritten_replacement_leads_to_the_prepared_text(
        before in "[a€]?(\n|a\n){1,8}[a€]{0,2}", at in 0..20_usize, new in "[a\n]{0,3}",
    ) {
        let at = before.char_indices().map(|(at, _)| at).chain([before.len()]).cycle().nth(at).unwrap();
        let end = before[at..].chars().next().map_or(at, |char| at + char.len_utf8());
        let after = [&before[..at], &new, &before[end..]].concat();
        prop_assume!(before != after);
        let (old, new) = unique(&before, &after);
        prop_assert_eq!(literal(&before, old, new, false), Some(after.clone()));
    }
}
