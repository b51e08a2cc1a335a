//! Edits of agents with their own tools: what is made, refused and recorded.

use rstest::rstest;
use serde_json::{Value, json};

use super::claude::{Claude, Form, history, made, refused};
use crate::support::{Editor, Kind, Machine, Outcome, Workspace, eventually, numbered_lines};

#[rstest]
fn an_edit_is_recorded_with_its_author_turn_and_call(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    made(&claude.edit("a.txt", "two", "2"));
    assert_eq!(workspace.text("a.txt"), "one\n2\n");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    assert_eq!((&past[0]["author"], &past[0]["origin"]["turn"]), (&json!("claude-code"), &json!("turn-1")));
    assert!(past[0]["origin"]["toolCall"].as_str().unwrap().starts_with("toolu_"), "{past:#?}");
    machine.agent_named("claude-code", &workspace).call("editd/undo", json!({})).done();
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[rstest]
fn the_model_is_the_one_of_the_last_message(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    made(&claude.edit("a.txt", "one", "1"));
    claude.says("opus");
    claude.says("sonnet");
    claude.says("<synthetic>");
    made(&claude.edit("a.txt", "two", "2"));
    let helper = Claude { agent: Some("a1"), ..form.claude(&machine, &workspace) };
    helper.says("haiku");
    helper.read("a.txt");
    made(&helper.edit("a.txt", "three", "3"));
    let past = history(&machine, &workspace);
    let models: Vec<_> = past.iter().map(|entry| &entry["origin"]["model"]).collect();
    assert_eq!(models, [&json!("haiku"), &json!("sonnet"), &Value::Null], "{past:#?}");
}

#[rstest]
fn a_second_edit_needs_no_read_in_between(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read_part("a.txt", "two\nthree\n", 2);
    made(&claude.edit("a.txt", "two", "2"));
    made(&claude.edit("a.txt", "three", "3"));
    assert_eq!(workspace.text("a.txt"), "one\n2\n3\n");
}

#[rstest]
fn an_unread_file_is_not_changed(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = form.claude(&machine, &workspace);
    let reason = refused(claude.edit("a.txt", "one", "1"));
    assert!(reason.contains("has not been read") && reason.contains("Read the file"), "{reason}");
    refused(claude.write("a.txt", "1\n"));
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[rstest]
fn lines_that_the_file_does_not_have_do_not_count_as_read(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read_part("a.txt", "another text\n", 1);
    refused(claude.edit("a.txt", "one", "1"));
}

#[rstest]
fn a_file_that_another_program_changed_is_refused_with_the_difference(
    #[values(Form::Command, Form::Server)] form: Form,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    workspace.put("a.txt", "one\ntwo\nmore\n");
    let reason = refused(claude.edit("a.txt", "two", "2"));
    assert!(reason.contains("has changed since it was read") && reason.contains("+more"), "{reason}");
    claude.read("a.txt");
    made(&claude.edit("a.txt", "two", "2"));
}

#[rstest]
fn with_unread_warn_an_unread_file_is_changed(#[values(Form::Command, Form::Server)] form: Form) {
    let machine = Machine::configured("[gate]\nunread = \"warn\"\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let called = form.claude(&machine, &workspace).edit("a.txt", "one", "1");
    assert_eq!(called.refused, None);
    assert!(called.context.contains("without having been read"), "{called:?}");
    assert_eq!(workspace.text("a.txt"), "1\n");
}

#[rstest]
fn a_text_that_is_not_there_is_answered_with_arguments_that_are(
    #[values(Form::Command, Form::Server)] form: Form,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", "if a:\n        b = 1\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.py");
    let advice = claude.not_found("a.py", "if a:\n    b = 1", "if a:\n    b = 2");
    let arguments: Value = serde_json::from_str(advice.lines().last().unwrap()).expect(&advice);
    assert_eq!(arguments["old_string"], "        b = 1\n");
    made(&claude.edit(
        "a.py",
        arguments["old_string"].as_str().unwrap(),
        arguments["new_string"].as_str().unwrap(),
    ));
    assert_eq!(workspace.text("a.py"), "if a:\n        b = 2\n");
}

#[rstest]
fn a_text_that_is_nowhere_is_answered_with_the_closest_lines(
    #[values(Form::Command, Form::Server)] form: Form,
) {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.py", "def total(items):\n    return 0\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.py");
    let advice = claude.not_found("a.py", "def totals(entries, more):\n    return 1", "pass");
    assert!(
        advice.contains("closest text begins at line 1") && advice.contains("def total(items):"),
        "{advice}"
    );
    assert!(advice.len() < 1500);
}

#[rstest]
fn carriage_returns_stay(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\r\ntwo\r\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    made(&claude.edit("a.txt", "one\ntwo", "1\n2"));
    assert_eq!(workspace.text("a.txt"), "1\r\n2\r\n");
}

#[rstest]
fn editd_writes_a_file_with_mixed_line_endings_itself(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\r\ntwo\nthree\r\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    let reason = refused(claude.edit("a.txt", "three", "3"));
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    assert_eq!(workspace.text("a.txt"), "one\r\ntwo\n3\r\n");
    assert_eq!(history(&machine, &workspace)[0]["author"], "claude-code");
}

#[rstest]
fn unsaved_text_of_an_editor_stays(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let claude = form.claude(&machine, &workspace);
    editor.type_at_start(&uri, "typed\n");
    claude.read_part("a.txt", "typed\none\ntwo\n", 1);
    let reason = refused(claude.edit("a.txt", "two", "2"));
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    assert_eq!(editor.text(&uri), "typed\none\n2\n");
}

#[rstest]
fn protected_files_are_refused(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file(".env", "KEY=1\n"));
    let reason = refused(form.claude(&machine, &workspace).write(".env", "KEY=2\n"));
    assert!(reason.contains("protected by the rule `secrets`"), "{reason}");
    assert_eq!(workspace.text(".env"), "KEY=1\n");
}

#[rstest]
fn files_are_created_and_written_over(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let claude = form.claude(&machine, &workspace);
    made(&claude.write("new.txt", "one\n"));
    made(&claude.write("new.txt", "two\n"));
    assert_eq!(workspace.text("new.txt"), "two\n");
    let actions: Vec<_> =
        history(&machine, &workspace).iter().map(|entry| entry["files"][0]["action"].clone()).collect();
    assert_eq!(actions, ["edit", "create"]);
}

#[rstest]
fn sub_agents_have_separate_ledgers(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    let helper = Claude { agent: Some("a252ecef91c996be8"), ..form.claude(&machine, &workspace) };
    refused(helper.edit("a.txt", "one", "1"));
    helper.read("a.txt");
    made(&helper.edit("a.txt", "one", "1"));
    assert_eq!(history(&machine, &workspace)[0]["origin"]["agent"], "a252ecef91c996be8");
    let reason = refused(claude.edit("a.txt", "one", "uno"));
    assert!(reason.contains("has changed since it was read"), "{reason}");
}

#[rstest]
fn the_edits_of_one_turn_are_undone_together(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]));
    let first = form.claude(&machine, &workspace);
    let second = Claude { turn: "turn-2", ..form.claude(&machine, &workspace) };
    first.read("a.txt");
    made(&first.edit("a.txt", "one", "1"));
    second.read("b.txt");
    made(&second.edit("b.txt", "two", "2"));
    made(&second.edit("a.txt", "1", "I"));
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        let output = command.current_dir(workspace.root()).env("EDITD_AUTHOR", "claude-code").output();
        let output = output.expect("editd can be run");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(run(&["log", "--turn", "turn-2", "."]).lines().count(), 2);
    assert_eq!(run(&["log", "--agent", "none", "."]), "");
    run(&["undo", "--turn", "turn-2", "--yes", "--path", "a.txt"]);
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("1\n".to_owned(), "two\n".to_owned()));
}

#[rstest]
fn editd_writes_a_file_with_a_byte_order_mark_itself(#[values(Form::Command, Form::Server)] form: Form) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "\u{feff}one\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read_part("a.txt", "one\n", 1);
    let reason = refused(claude.write("a.txt", "two\n"));
    assert!(reason.contains("editd has made the change itself"), "{reason}");
    assert_eq!(workspace.text("a.txt"), "\u{feff}two\n");
}

/// Reports an edit of `one` to `1` before and after the tool, which `run` replaces. Returns the context.
fn edit_while(claude: &Claude<'_>, after: &str, run: impl FnOnce()) -> String {
    let input = json!({
        "file_path": claude.workspace.absolute("a.txt"), "old_string": "one", "new_string": "1",
    });
    let event = json!({ "tool_name": "Edit", "tool_use_id": "t", "tool_input": input });
    assert_eq!(claude.report("PreToolUse", event.clone()), Value::Null);
    run();
    let answer = claude.report(after, event);
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[rstest]
fn a_change_of_another_program_is_not_recorded_as_that_of_a_tool_that_failed(
    #[values(Form::Command, Form::Server)] form: Form,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    edit_while(&claude, "PostToolUseFailure", || workspace.put("a.txt", "typed\n"));
    assert_eq!(history(&machine, &workspace), [] as [Value; 0]);
    let reason = refused(claude.edit("a.txt", "typed", "1"));
    assert!(reason.contains("has changed since it was read"), "{reason}");
}

#[rstest]
fn a_file_with_another_content_than_the_edit_gives_must_be_read_again(
    #[values(Form::Command, Form::Server)] form: Form,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    let context = edit_while(&claude, "PostToolUse", || workspace.put("a.txt", "1\nformatted\n"));
    assert!(context.contains("not the result of this edit alone"), "{context}");
    assert_eq!(history(&machine, &workspace).len(), 1);
    let reason = refused(claude.edit("a.txt", "formatted", "f"));
    assert!(reason.contains("has changed since it was read"), "{reason}");
}

#[rstest]
fn an_idle_session_keeps_its_reads_and_counts_as_no_connection(
    #[values(Form::Command, Form::Server)] form: Form,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let claude = form.claude(&machine, &workspace);
    claude.read("a.txt");
    let mut asking = machine.agent(&workspace);
    // The daemon may notice a little later that the command has ended.
    eventually("the other connection to end", || {
        (asking.call("editd/status", json!({})).done()["sessions"] == 1).then_some(())
    });
    made(&claude.edit("a.txt", "one", "1"));
}

/// The tool writes its own text, so a merge would be lost.
#[test]
fn a_stale_change_of_a_built_in_tool_is_refused_although_the_user_wants_merges() {
    let machine = Machine::configured("stale = \"merge\"\n");
    let workspace = Workspace::file("a.txt", numbered_lines(30));
    let claude = Claude::new(&machine, &workspace);
    claude.read("a.txt");
    let theirs = numbered_lines(30).replace("line 3\n", "theirs\n");
    workspace.put("a.txt", &theirs);
    let written = claude.write("a.txt", &numbered_lines(30).replace("line 20\n", "mine\n"));
    let edited = claude.edit("a.txt", "line 20\n", "mine\n");
    for called in [written, edited] {
        assert!(called.refused.is_some_and(|reason| reason.contains("changed")));
    }
    assert_eq!(workspace.text("a.txt"), theirs);
}
