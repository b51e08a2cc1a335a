//! Edits of all files that match a glob.

use std::os::unix::ffi::OsStrExt as _;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace, numbered_lines};

fn scene() -> (Machine, Workspace) {
    let workspace = Workspace::with(&[
        ("a.py", "rate = 3\nprint(rate)\n"),
        ("lib/b.py", "from a import rate\r\n"),
        ("lib/c.py", "separate = 1\n"),
        ("d.txt", "the rate\n"),
        (".env", "rate=1\n"),
    ]);
    (Machine::start(), workspace)
}

const NAMES: [&str; 5] = ["a.py", "lib/b.py", "lib/c.py", "d.txt", ".env"];

fn texts(workspace: &Workspace) -> [String; 5] {
    NAMES.map(|name| workspace.text(name))
}

fn replace(agent: &mut Agent, mut more: Value) -> Answer {
    for (name, value) in [("oldText", "rate"), ("newText", "tariff")] {
        if more.get(name).is_none() {
            more[name] = value.into();
        }
    }
    agent.call("editd/edit", more)
}

#[test]
fn a_text_is_replaced_in_all_files_that_match_and_it_can_be_undone() {
    let (machine, workspace) = scene();
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    let done = replace(&mut agent, json!({ "glob": "**/*.py", "word": true, "expect": 3 })).done();
    assert_eq!(done["files"].as_array().map(Vec::len), Some(2), "{done}");
    let mut after = before.clone();
    after[0] = "tariff = 3\nprint(tariff)\n".to_owned();
    after[1] = "from a import tariff\r\n".to_owned();
    assert_eq!(texts(&workspace), after);
    assert_eq!(agent.history().len(), 1);
    // What the session was not shown stays unknown to it.
    let write = json!({ "kind": "write", "path": "a.py", "content": "x\n" });
    agent.call("editd/edit", json!({ "changes": [write] })).refused("unread");
    agent.undo().done();
    assert_eq!(texts(&workspace), before);
}

#[test]
fn files_that_were_not_read_need_the_right_number() {
    let (machine, workspace) = scene();
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    agent.read("a.py");
    let all = json!({ "glob": "*.py", "word": true, "replaceAll": true });
    let refusal = replace(&mut agent, all.clone()).refused("unread");
    assert_eq!((&refusal["unread"], &refusal["found"], &refusal["files"]), (&json!(1), &json!(3), &json!(2)));
    assert!(refusal["hint"].to_string().contains("`expect` with 3"), "{refusal}");
    let other = json!({ "glob": "*.py", "word": true, "expect": 4 });
    let refusal = replace(&mut agent, other).refused("count_mismatch");
    assert_eq!((&refusal["found"], &refusal["files"]), (&json!(3), &json!(2)));
    assert_eq!(texts(&workspace), before);
    // A search shows the other lines.
    agent.call("editd/search", json!({ "pattern": "rate" })).done();
    replace(&mut agent, all).done();
    assert_eq!(workspace.text("lib/b.py"), "from a import tariff\r\n");
}

#[test]
fn a_file_that_others_have_changed_refuses_all() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["a.py", "lib/b.py"]);
    let other = "rate = 3\nprint(rate)\n\n\n\nx = rate\n";
    workspace.put("a.py", other);
    let before = texts(&workspace);
    let all = json!({ "glob": "*.py", "word": true, "replaceAll": true });
    let refusal = replace(&mut agent, all.clone()).refused("stale");
    assert_eq!(refusal["path"], workspace.absolute("a.py"));
    assert_eq!(texts(&workspace), before);
    let id = refusal["retry"].as_str().expect("an id");
    agent.call("editd/edit", json!({ "retry": id, "onStale": "rebase" })).refused("stale");
    agent.read("a.py");
    replace(&mut agent, all).done();
    assert_eq!(workspace.text("a.py"), other.replace("rate", "tariff"));
}

#[rstest]
#[case::in_a_folder(json!({ "glob": "*", "path": "lib", "expect": 2 }), &[1, 2])]
#[case::a_pattern(json!({ "glob": "*.py", "oldText": r"\brate\b", "regex": true, "expect": 3 }), &[0, 1])]
#[case::a_pattern_over_lines(json!({ "glob": "*.py", "oldText": r"3\nprint", "newText": "4\nprint", "regex": true, "expect": 1 }), &[0])]
#[case::several_lines(json!({ "glob": "*.py", "oldText": "3\nprint(", "newText": "4\nshow(", "expect": 1 }), &[0])]
#[case::excluded(json!({ "glob": "!*.py", "expect": 1 }), &[3])]
#[case::beside_other_edits(json!({ "glob": "*.py", "word": true, "expect": 3, "edits": [{ "path": "d.txt", "oldText": "", "newText": "x" }] }), &[])]
fn the_files_are_those_that_match(#[case] request: Value, #[case] changed: &[usize]) {
    let (machine, workspace) = scene();
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    let answer = replace(&mut agent, request);
    if changed.is_empty() {
        answer.refused_as_any(&["unread", "invalid_params", "no_change"]);
        assert_eq!(texts(&workspace), before);
        return;
    }
    answer.done();
    let after = texts(&workspace);
    let differing: Vec<usize> = (0..NAMES.len()).filter(|index| after[*index] != before[*index]).collect();
    assert_eq!(differing, changed);
}

#[rstest]
#[case::once(json!({ "glob": "*.py" }), "invalid_params")]
#[case::within_lines(json!({ "glob": "*.py", "replaceAll": true, "lines": "1" }), "invalid_params")]
#[case::two_globs(json!({ "glob": "*.py", "replaceAll": true, "edits": [{ "glob": "*", "oldText": "a", "newText": "b", "replaceAll": true }] }), "invalid_params")]
#[case::not_a_glob(json!({ "glob": "[", "replaceAll": true }), "invalid_params")]
#[case::an_empty_text(json!({ "glob": "*.py", "oldText": "", "replaceAll": true }), "invalid_params")]
#[case::no_file(json!({ "glob": "*.rs", "replaceAll": true }), "not_found")]
#[case::no_text(json!({ "glob": "*.py", "oldText": "nothing", "expect": 1 }), "not_found")]
#[case::only_a_part_of_the_text(json!({ "glob": "*.py", "oldText": "rate = 3\nprint(other)", "expect": 1 }), "not_found")]
#[case::outside(json!({ "glob": "*", "path": "/etc", "expect": 1 }), "outside_workspace")]
#[case::once_only(json!({ "glob": "*.py", "expect": 3, "requestId": "one" }), "invalid_params")]
fn a_bad_request_changes_nothing(#[case] request: Value, #[case] name: &str) {
    let (machine, workspace) = scene();
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    replace(&mut agent, request).refused(name);
    assert_eq!(texts(&workspace), before);
}

#[test]
fn a_glob_in_changes_goes_with_other_changes() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let everywhere =
        json!({ "glob": "*.py", "oldText": "rate", "newText": "tariff", "word": true, "expect": 3 });
    let changes = json!([
        { "kind": "write", "path": "new.txt", "content": "rate\n" },
        { "kind": "edit", "edits": [everywhere] },
    ]);
    agent.call("editd/edit", json!({ "changes": changes })).done();
    assert_eq!(workspace.text("a.py"), "tariff = 3\nprint(tariff)\n");
    assert_eq!(workspace.text("new.txt"), "rate\n");
}

#[test]
fn files_whose_names_are_not_utf8_are_changed_too() {
    let (machine, workspace) = scene();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.py");
    let path = workspace.path(".").join(name);
    std::fs::write(&path, "rate\n").expect("a file");
    let mut agent = machine.agent(&workspace);
    replace(&mut agent, json!({ "glob": "*.py", "word": true, "expect": 4 })).done();
    assert_eq!(std::fs::read_to_string(path).expect("a file"), "tariff\n");
}

#[test]
fn protected_files_are_counted_and_not_changed() {
    let (machine, workspace) = scene();
    let mut agent = machine.agent(&workspace);
    let done = replace(&mut agent, json!({ "glob": "*", "word": true, "expect": 4 })).done();
    let warnings = done["files"][0]["warnings"].to_string();
    let named = format!("1 file that may not be read: not searched ({}).", workspace.absolute(".env"));
    assert!(warnings.contains(&named), "{done}");
    assert_eq!(
        (workspace.text(".env"), workspace.text("d.txt")),
        ("rate=1\n".to_owned(), "the tariff\n".to_owned())
    );
}

#[test]
fn more_files_than_a_call_may_change_are_refused() {
    let (machine, workspace) = (Machine::configured("[limits]\nchanges = 2\n"), scene().1);
    let before = texts(&workspace);
    let mut agent = machine.agent(&workspace);
    let refusal = replace(&mut agent, json!({ "glob": "*", "expect": 5 })).refused("invalid_params");
    assert!(refusal.to_string().contains("glob"), "{refusal}");
    assert_eq!(texts(&workspace), before);
}

#[test]
fn a_model_replaces_a_name_in_all_files() {
    let (machine, workspace) = scene();
    let mut mcp = Mcp::start(&machine, &workspace);
    let edit =
        json!({ "glob": "*.py", "oldText": "rate", "newText": "tariff", "word": true, "replaceAll": true });
    let refused = mcp.call("edit", json!({ "edits": [edit] })).refused("unread");
    assert!(refused.text.contains("`expect` with 3"), "{}", refused.text);
    let edit = json!({ "glob": "*.py", "oldText": "rate", "newText": "tariff", "word": true, "expect": 3 });
    mcp.call("edit", json!({ "edits": [edit] })).done().is_brief();
    assert_eq!(workspace.text("a.py"), "tariff = 3\nprint(tariff)\n");
}

#[test]
fn a_file_that_was_read_in_part_is_changed_like_one_that_was_not() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("long.py", format!("rate\n{}rate\n", numbered_lines(50))));
    workspace.put("other.py", "rate\n");
    let mut agent = machine.agent(&workspace);
    agent.call("editd/read", json!({ "path": "long.py", "limit": 5 })).done();
    replace(&mut agent, json!({ "glob": "*.py", "word": true, "replaceAll": true })).refused("unread");
    replace(&mut agent, json!({ "glob": "*.py", "word": true, "expect": 4 })).refused("count_mismatch");
    replace(&mut agent, json!({ "glob": "*.py", "word": true, "expect": 3 })).done();
    assert_eq!(workspace.text("long.py"), format!("tariff\n{}tariff\n", numbered_lines(50)));
    // What others have changed since is still told first.
    workspace.put("long.py", "tariff\n");
    replace(&mut agent, json!({ "glob": "*.py", "oldText": "tariff", "word": true, "expect": 2 }))
        .refused("stale");
}

#[rstest]
#[case::warned("warn")]
#[case::refused("refuse")]
fn files_are_checked_for_syntax_errors_or_counted(#[case] syntax: &str) {
    const FILES: usize = 200;
    let machine = Machine::configured(&format!("syntax = \"{syntax}\"\n"));
    let workspace = Workspace::file("0.rs", "fn f() {\n    g(1);\n}\n");
    (1..FILES).for_each(|number| workspace.put(&format!("{number}.rs"), "fn f() {\n    g(1);\n}\n"));
    let mut agent = machine.agent(&workspace);
    let edit = json!({ "glob": "*.rs", "oldText": "g(1)", "newText": "g(1", "expect": FILES });
    let answer = agent.call("editd/edit", edit);
    if syntax == "refuse" {
        let refused = answer.refused("syntax");
        assert_eq!(refused["refusals"].as_array().map(Vec::len), Some(FILES));
        assert_eq!(workspace.text("7.rs"), "fn f() {\n    g(1);\n}\n");
        return;
    }
    let done = answer.done();
    let files = done["files"].as_array().expect("files");
    let reported = files.iter().filter(|file| file["syntax"].is_array()).count();
    let warning = files[0]["warnings"][0].as_str().unwrap_or_default();
    let left_out =
        warning.split_once("syntax errors: ").and_then(|(_, rest)| rest.split_once(" of 200 were"));
    let left_out = left_out.map_or(0, |(number, _)| number.parse::<usize>().expect("a number"));
    assert_eq!(reported + left_out, FILES, "{warning}");
    assert!(reported > 0, "{warning}");
}
