//! The events of each program, as recorded.

use super::*;

fn shown(client: AgentProgram, name: &str) -> (String, usize) {
    match step(client, name) {
        Some(Step::Shown { text, offset }) => (text, offset),
        other => panic!("{name}: {other:?}"),
    }
}

fn before(client: AgentProgram, name: &str) -> ToolCall {
    match step(client, name) {
        Some(Step::Before(call)) => *call,
        other => panic!("{name}: {other:?}"),
    }
}

fn is_after(client: AgentProgram, name: &str, has_failed: bool) {
    let step = step(client, name);
    assert!(matches!(step, Some(Step::After { failed, .. }) if failed == has_failed), "{name}: {step:?}");
}

#[test]
fn claude_code_reports_its_tools() {
    let of = |name| step(AgentProgram::Claude, name);
    let Some(Step::Before(edit)) = of("PreToolUse-Edit") else { panic!("an edit") };
    assert_eq!(edit.params["changes"][0]["kind"], "edit");
    let Some(Step::Before(created)) = of("PreToolUse-Edit-create") else { panic!("an edit") };
    assert_eq!(created.params["changes"][0]["kind"], "write");
    assert!(matches!(of("PreToolUse-Write"), Some(Step::Before(_))));
    assert!(matches!(of("PostToolUse-Edit"), Some(Step::After { .. })));
    assert!(matches!(of("PostToolUse-Read"), Some(Step::Shown { offset: 1, .. })));
    assert!(matches!(of("PostToolUse-Read-range"), Some(Step::Shown { offset: 2.., .. })));
    assert!(matches!(of("PostToolBatch-Edit-absent"), Some(Step::NotFound(calls)) if calls.len() == 1));
    assert_eq!(of("PostToolUse-Read-notebook"), Some(Step::ShownCells(vec!["x = 1".to_owned()])));
    let Some(Step::Before(cell)) = of("PreToolUse-NotebookEdit") else { panic!("a change of a cell") };
    let expected = json!([{ "op": "replace", "id": "c1", "source": "x = 2" }]);
    assert_eq!(cell.params["changes"][0]["cells"], expected);
    for other in ["PostToolBatch-Edit", "PostToolBatch-Bash", "SessionStart"] {
        assert_eq!(of(other), None, "{other}");
    }
    let of_server = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_use_id": "1",
        "tool_name": "mcp__editd__read", "tool_input": { "path": "a" },
    });
    let announced = AgentProgram::Claude.decode(&of_server).unwrap().unwrap().step;
    assert_eq!(announced, Step::Announced { tool_call: "1".to_owned() });
    let event = AgentProgram::Claude
        .decode(&recorded(AgentProgram::Claude, "PreToolUse-Edit-subagent"))
        .unwrap()
        .unwrap();
    assert!(event.agent.is_some() && event.turn.is_some());
}

#[test]
fn codex_reports_patches_and_prompts() {
    let (client, path) = (AgentProgram::Codex, "/home/ada/shop/cart.py");
    let call = before(client, "PreToolUse-apply_patch");
    assert_eq!(
        (&call.params["reads"], &call.params["toolLoses"]),
        (&json!("unknown"), &json!(["missingFinalNewline"]))
    );
    let sent = call.params["patch"]["text"].as_str().unwrap();
    assert!(sent.starts_with("*** Begin Patch\n*** Update File: /home/ada/shop/cart.py\n@@\n"), "{sent}");
    let event = client.decode(&recorded(client, "PreToolUse-apply_patch-multi")).unwrap().unwrap();
    let names = ["cart.py", "gone.py", "old.py", "lib/moved.py", "lib/new.py"];
    assert_eq!(event.paths, names.map(|name| Path::new("/home/ada/shop").join(name)));
    assert_eq!(event.model.as_deref(), Some("gpt-5.5"));
    assert!(event.turn.is_some() && event.agent.is_none());
    let absolute = before(client, "PreToolUse-apply_patch-absolute");
    assert_eq!(absolute.params["patch"]["text"], absolute.input["command"]);
    is_after(client, "PostToolUse-apply_patch", false);
    assert!(matches!(step(client, "UserPromptSubmit"), Some(Step::Turn(_))));
    for other in ["SessionStart", "SubagentStart-spawn-code"] {
        assert_eq!(step(client, other), None, "{other}");
    }
    let helper = client.decode(&recorded(client, "PreToolUse-apply_patch-subagent-code")).unwrap().unwrap();
    assert!(helper.agent.is_some() && helper.turn.is_none());
    assert_eq!(helper.paths, [Path::new(path).with_file_name("two.py")]);
}

#[test]
fn gemini_cli_reports_its_tools() {
    let client = AgentProgram::Gemini;
    let edit = before(client, "BeforeTool-replace");
    assert_eq!(edit.params["changes"][0]["edits"][0]["oldText"], "amount = 0");
    assert_eq!(before(client, "BeforeTool-replace-all").params["changes"][0]["edits"][0]["replaceAll"], true);
    let relative = before(client, "BeforeTool-replace-relative");
    assert_eq!(relative.params["changes"][0]["path"], "/home/ada/shop/cart.py");
    assert_eq!(relative.id, edit.id, "a call is named after its tool and file");
    assert_eq!(before(client, "BeforeTool-write_file-create").params["changes"][0]["kind"], "write");
    is_after(client, "AfterTool-replace", false);
    is_after(client, "AfterTool-replace-absent", true);
    assert_eq!(shown(client, "AfterTool-read_file").1, 1);
    let part = ("    amount = 0\n    for item in items:".to_owned(), 2);
    assert_eq!(shown(client, "AfterTool-read_file-range"), part);
    assert_eq!(step(client, "BeforeAgent"), Some(Step::Turn("565390a6-2026-11-25T00:55:08.029Z".to_owned())));
    for other in ["AfterTool-read_file-missing", "BeforeTool-read_file", "AfterAgent"] {
        assert_eq!(step(client, other), None, "{other}");
    }
}

#[test]
fn opencode_reports_its_tools() {
    let client = AgentProgram::Opencode;
    let edit = before(client, "tool.execute.before-edit");
    assert_eq!(edit.params["changes"][0]["edits"][0]["oldText"], "amount = 0");
    assert_eq!(edit.params["parallel"], true);
    assert_eq!(before(client, "tool.execute.before-write").params["changes"][0]["kind"], "write");
    let patch = before(client, "tool.execute.before-apply_patch-multi");
    assert_eq!(
        patch.params["toolLoses"],
        json!(["carriageReturns", "missingFinalNewline", "finalBlankLine"])
    );
    is_after(client, "tool.execute.after-edit", false);
    is_after(client, "tool.execute.after-apply_patch", false);
    let part = ("    amount = 0\n    for item in items:".to_owned(), 2);
    assert_eq!(shown(client, "tool.execute.after-read-range"), part);
    assert_eq!(step(client, "tool.execute.before-read"), None);
}

#[test]
fn pi_reports_its_tools() {
    let client = AgentProgram::Pi;
    let edit = before(client, "tool_call-edit-several");
    assert_eq!(
        edit.params["changes"][0]["edits"],
        json!([{ "oldText": "a = 1\na = 1", "newText": "a = 2" }])
    );
    assert_eq!(before(client, "tool_call-write").params["changes"][0]["path"], "/home/ada/shop/old.py");
    is_after(client, "tool_result-edit", false);
    is_after(client, "tool_result-edit-absent", true);
    let part = ("    amount = 0\n    for item in items:".to_owned(), 2);
    assert_eq!(shown(client, "tool_result-read-range"), part);
    for other in ["tool_call-read", "tool_result-read-missing"] {
        assert_eq!(step(client, other), None, "{other}");
    }
    let unsaved = json!({
        "hook": "unsaved", "event": { "path": "/home/ada/a.txt" }, "context": { "session": "7", "cwd": "/" },
    });
    assert_eq!(client.decode(&unsaved).unwrap().unwrap().step, Step::Unsaved);
}

#[rstest]
#[case::claude(AgentProgram::Claude, "PreToolUse-Bash", "PostToolUse-Bash", Some(0))]
#[case::claude_failed(
    AgentProgram::Claude,
    "PreToolUse-Bash-failed",
    "PostToolUseFailure-Bash-failed",
    Some(3)
)]
#[case::codex(AgentProgram::Codex, "PreToolUse-Bash", "PostToolUse-Bash", None)]
#[case::codex_in_code(AgentProgram::Codex, "PreToolUse-Bash-code", "PostToolUse-Bash-code", None)]
#[case::gemini(AgentProgram::Gemini, "BeforeTool-run_shell_command", "AfterTool-run_shell_command", Some(0))]
#[case::gemini_failed(
    AgentProgram::Gemini,
    "BeforeTool-run_shell_command-failed",
    "AfterTool-run_shell_command-failed",
    Some(3)
)]
#[case::opencode(AgentProgram::Opencode, "tool.execute.before-bash", "tool.execute.after-bash", Some(0))]
#[case::opencode_failed(
    AgentProgram::Opencode,
    "tool.execute.before-bash-failed",
    "tool.execute.after-bash-failed",
    Some(3)
)]
#[case::pi(AgentProgram::Pi, "tool_call-bash", "tool_result-bash", Some(0))]
#[case::pi_failed(AgentProgram::Pi, "tool_call-bash-failed", "tool_result-bash-failed", Some(3))]
fn commands_are_reported_with_their_exit_code(
    #[case] client: AgentProgram,
    #[case] first: &str,
    #[case] last: &str,
    #[case] exit_code: Option<i32>,
) {
    let Some(Step::Command { tool_call, command }) = step(client, first) else {
        panic!("no command in {first}")
    };
    assert!(command.contains("cat ") || command == "exit 3", "{command}");
    assert_eq!(step(client, last), Some(Step::CommandDone { tool_call, exit_code }));
}

#[test]
fn every_program_can_be_told_everything() {
    let replies = [
        Reply::Refuse("No.".to_owned()),
        Reply::Done("Made.".to_owned()),
        Reply::Warn("Careful.".to_owned()),
        Reply::GoOn { input: Some(Fields::new()), context: Some("Well.".to_owned()) },
    ];
    for client in AgentProgram::ALL {
        for reply in &replies {
            assert_ne!(client.encode("PreToolUse", reply.clone()), json!({}), "{client:?}: {reply:?}");
        }
        assert_eq!(client.encode("PreToolUse", Reply::PASS), json!({}), "{client:?}");
    }
}

#[test]
fn the_last_message_names_the_model() {
    let blob = r#"{"type":"api-request-blob","text":"\"type\":\"assistant\""}"#;
    let message =
        |model: &str| format!(r#"{{"message":{{"role":"assistant","model":"{model}"}},"type":"assistant"}}"#);
    let of_claude = |lines: &[&str]| AgentProgram::Claude.model_in(&lines.join("\n"));
    assert_eq!(of_claude(&[]), None);
    assert_eq!(of_claude(&[&message("opus"), &message("sonnet"), blob]).as_deref(), Some("sonnet"));
    assert_eq!(of_claude(&[&message("opus"), &message("<synthetic>")]).as_deref(), Some("opus"));
    let cut = &message("opus")[5..];
    assert_eq!(of_claude(&[cut, blob]), None, "the first line is incomplete");
    let half = &message("sonnet")[..60];
    assert_eq!(
        of_claude(&[&message("opus"), half]).as_deref(),
        Some("opus"),
        "the last line is being written"
    );
    let of_gemini = r#"{"id":"1","type":"gemini","content":"","model":"gemini-2.5-pro"}
{"id":"2","type":"gemini","content":"a summary"}
{"$set":{"lastUpdated":"2026-11-25T04:05:58.772Z"}}"#;
    assert_eq!(AgentProgram::Gemini.model_in(of_gemini).as_deref(), Some("gemini-2.5-pro"));
}
