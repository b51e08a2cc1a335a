//! Limits on the size of answers, in tokens of four bytes.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Called, Editor, Kind, Machine, Manner, Mcp, Workspace, numbered_lines};

const TOKEN: usize = 4;

/// Maximum number of lines of a diff in the answer to a change.
const LINES: usize = 12;

struct Scene {
    _machine: Machine,
    workspace: Workspace,
    mcp: Mcp,
}

impl Scene {
    /// Creates a scene with a file that has been read.
    fn new(text: &str) -> Self {
        let (machine, workspace) = (Machine::start(), Workspace::file("src/shop/cart.rs", text));
        let mut mcp = Mcp::start(&machine, &workspace);
        mcp.call("read", json!({ "path": "src/shop/cart.rs" })).done();
        Self { _machine: machine, workspace, mcp }
    }

    /// Calls a tool for the file.
    fn call(&mut self, tool: &str, mut arguments: Value) -> Called {
        arguments["path"] = "src/shop/cart.rs".into();
        self.mcp.call(tool, arguments)
    }

    fn text(&self) -> String {
        self.workspace.text("src/shop/cart.rs")
    }
}

#[track_caller]
fn cost(called: &Called, tokens: usize) {
    let data = if called.data.is_null() { String::new() } else { called.data.to_string() };
    // The note about files that others have changed in the meantime is a block of its own.
    let text = called.text.split("Changed by others since").next().unwrap_or_default();
    for form in [text, &data] {
        assert!(form.len() <= tokens * TOKEN, "{} bytes, of {tokens} tokens: {form}", form.len());
    }
}

fn shown(called: &Called) -> usize {
    called.text.lines().filter(|line| line.starts_with(['@', ' ', '-', '+'])).count()
}

#[test]
fn all_tools_cost_4000_tokens() {
    let mut scene = Scene::new("one\n");
    let bytes = json!(scene.mcp.tools()).to_string().len();
    assert!(bytes <= 4_000 * TOKEN, "{bytes} bytes");
}

#[rstest]
#[case::by_a_session(false)]
#[case::by_a_client_that_sends_hashes(true)]
fn an_exact_edit_of_one_place_costs_60(#[case] sends_hashes: bool) {
    let mut scene = Scene::new(&numbered_lines(200));
    let mut edit = json!({ "oldText": "line 100\n", "newText": "line one hundred\n" });
    if sends_hashes {
        edit["baseHash"] = scene.workspace.hash("src/shop/cart.rs").into();
    }
    let edited = scene.call("edit", edit).done();
    cost(&edited, 60);
    assert_eq!(edited.text.contains("b3:"), sends_hashes, "{}", edited.text);
    let transaction = edited.said("Transaction ");
    let hash = scene.workspace.hash("src/shop/cart.rs");
    let mut file = json!({ "path": "src/shop/cart.rs", "action": "edit", "tag": hash[3..9], "lines": "100" });
    if sends_hashes {
        file["hash"] = hash.as_str().into();
        assert_eq!(edited.hash(), hash);
    }
    assert_eq!(edited.data, json!({ "state": "applied", "transaction": transaction, "files": [file] }));
    assert!(edited.text.contains(&format!("cart.rs#{} (+1 -1), line 100", &hash[3..9])), "{}", edited.text);
}

#[test]
fn a_new_name_in_200_lines_costs_150() {
    let mut scene = Scene::new(&numbered_lines(200));
    let edited =
        scene.call("edit", json!({ "oldText": "line", "newText": "row", "replaceAll": true })).done();
    assert_eq!(scene.text(), numbered_lines(200).replace("line", "row"));
    cost(&edited, 150);
    assert!(edited.text.contains("(+200 -200), 200 replacements, lines 1-200\n"), "{}", edited.text);
    let every_other = numbered_lines(400)
        .lines()
        .zip(["keep\n"; 400])
        .fold(String::new(), |text, (line, keep)| text + line + "\n" + keep);
    let mut scene = Scene::new(&every_other);
    let edited =
        scene.call("edit", json!({ "oldText": "line", "newText": "row", "replaceAll": true })).done();
    cost(&edited, 150);
    assert!(edited.text.contains("lines 1, 3, 5, 7, 9, 11, 13, 15 and 392 more ranges\n"), "{}", edited.text);
}

#[test]
fn a_note_about_a_long_change_comes_without_the_diff() {
    let mut scene = Scene::new(&numbered_lines(200));
    let edit = json!({ "oldText": "ine", "newText": "ane", "replaceAll": true });
    let edited = scene.call("edit", edit).done();
    cost(&edited, 150);
    assert!(edited.said("Note: ").contains("within a word"), "{}", edited.text);
    let edited = scene.call("edit", json!({ "oldText": "ane 100", "newText": "ine 100" })).done();
    assert!(edited.text.contains("-lane 100\n+line 100\n"), "{}", edited.text);
}

#[test]
fn a_write_over_a_file_costs_150() {
    let mut scene = Scene::new(&numbered_lines(200));
    let content = numbered_lines(300).replace("line", "row");
    cost(&scene.call("write", json!({ "content": content })).done(), 150);
    assert_eq!(scene.text(), content);
}

#[test]
fn a_stale_refusal_costs_375_and_changes_returns_the_rest() {
    let mut scene = Scene::new(&numbered_lines(300));
    let other = numbered_lines(200).replace("line", "another line");
    scene.workspace.put("src/shop/cart.rs", &other);
    scene.workspace.put("b.txt", "one\n");
    scene.mcp.call("read", json!({ "path": "b.txt" })).done();
    scene.workspace.put("b.txt", "two\n");
    let edit = json!({ "oldText": "line 9\n", "newText": "x\n" });
    let stale = scene.call("edit", edit).refused("stale");
    cost(&stale, 375);
    assert!(stale.text.contains("more lines; `changes` with this `path` shows them)"), "{}", stale.text);
    assert!(stale.text.contains("-line 1\n-line 2\n"), "{}", stale.text);
    let changes = scene.call("changes", json!({})).done();
    assert!(
        changes.text.contains("+another line 199\n") && !changes.text.contains("b.txt, changed"),
        "{}",
        changes.text
    );
    scene.call("edit", json!({ "oldText": "another line 9\n", "newText": "x\n" })).done();
    let rest = scene.mcp.call("changes", json!({})).done();
    assert!(rest.text.contains("b.txt, changed by disk"), "the other file is reported later: {}", rest.text);
}

#[test]
fn every_stale_file_of_many_is_named() {
    let names: Vec<_> = (0..5).map(|number| format!("src/file-{number}.txt")).collect();
    let text = numbered_lines(100);
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut mcp = Mcp::start(&machine, &workspace);
    let mut patch = "*** Begin Patch\n".to_owned();
    for name in &names {
        mcp.call("read", json!({ "path": name })).done();
        workspace.put(name, text.replace("line", "row"));
        patch.extend(["*** Update File: ", name, "\n@@\n-line 9\n+x\n"]);
    }
    let stale = mcp.call("apply_patch", json!({ "patch": patch + "*** End Patch\n" })).refused("stale");
    cost(&stale, 375);
    for name in &names {
        assert!(stale.text.contains(&format!("{name}` has changed since")), "{name}: {}", stale.text);
    }
    assert!(stale.text.contains("-line 1\n") && !stale.text.contains("editd/"), "{}", stale.text);
    assert_eq!(stale.text.matches("(cut: ").count(), names.len(), "{}", stale.text);
    assert_eq!(stale.text.matches("shows them)").count(), 2, "{}", stale.text);
}

#[test]
fn without_the_changes_tool_the_advice_is_to_read_the_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(300)));
    let mut mcp = Mcp::with(&machine, workspace.root(), &["--tools", "read,edit"]);
    mcp.introduce("2025-06-18", json!({}));
    mcp.call("read", json!({ "path": "a.txt" })).done();
    workspace.put("a.txt", "other\n");
    let edit = json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "x\n" });
    let stale = mcp.call("edit", edit).refused("stale");
    assert!(stale.text.contains("more lines; read the file to see them)"), "{}", stale.text);
}

#[test]
fn changes_of_an_unread_file_are_empty() {
    let mut scene = Scene::new("one\n");
    scene.workspace.put("b.txt", "one\n");
    let changes = scene.mcp.call("changes", json!({ "path": "b.txt" })).done();
    assert!(changes.text.starts_with("No file that you have read"), "{}", changes.text);
    scene.mcp.call("changes", json!({ "path": "/etc/hostname" })).refused("outside_workspace");
}

#[test]
fn the_diff_of_a_tolerated_edit_has_at_most_12_lines() {
    let indented = |lines: &str| format!("    {}\n", lines.trim_end().replace('\n', "\n    "));
    let mut scene = Scene::new(&indented(&numbered_lines(100)));
    let (old, new) = (numbered_lines(60), numbered_lines(60).replace("line", "row"));
    let edited = scene.call("edit", json!({ "oldText": old, "newText": new })).done();
    assert!(scene.text().starts_with("    row 1\n"), "{}", scene.text());
    assert_eq!(shown(&edited), LINES, "{}", edited.text);
    assert!(edited.text.contains("more lines; read the file to see them)"), "{}", edited.text);
    assert!(edited.data.is_null(), "lines belong in the text: {}", edited.data);
}

#[test]
fn a_merge_is_shown() {
    let mut scene = Scene::new(&numbered_lines(20));
    scene.workspace.put("src/shop/cart.rs", numbered_lines(20).replace("line 2\n", "line two\n"));
    let edit = json!({ "oldText": "line 19\n", "newText": "row 19\n", "onStale": "rebase" });
    let edited = scene.call("edit", edit).done();
    assert!(edited.text.contains("-line 19\n+row 19\n"), "{}", edited.text);
}

#[test]
fn after_a_formatter_the_current_lines_are_shown() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.behave(Manner::Formats("formatted\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    let edit = |old: &str, new: &str| json!({ "path": "a.txt", "oldText": old, "newText": new });
    let edited = mcp.call("edit", edit("one", "1")).done();
    assert!(edited.text.contains("1\t1\n2\tformatted\n"), "{}", edited.text);
    assert!(edited.text.contains(&format!("a.txt#{} ", &workspace.hash("a.txt")[3..9])), "{}", edited.text);
    // An editor with unsaved text has not changed the result.
    editor.type_at_start(&uri, "typed ");
    editor.settle();
    mcp.call("changes", json!({})).done();
    let edited = mcp.call("edit", edit("formatted", "known")).done();
    assert_eq!((&edited.data["files"][0]["saved"], shown(&edited)), (&json!(false), 0), "{}", edited.text);
}

#[test]
fn a_requested_display_form_is_shown() {
    let mut scene = Scene::new(&numbered_lines(100));
    for (display, expected) in
        [("unified", "-line 1\n+row 1\n"), ("numbered", "row 2"), ("summary", "3"), ("word", "row")]
    {
        let number =
            ["unified", "numbered", "summary", "word"].iter().position(|it| *it == display).expect("one") + 1;
        let edit = json!({ "oldText": format!("line {number}\n"), "newText": format!("row {number}\n"), "display": display });
        let edited = scene.call("edit", edit).done();
        let below = edited.text.split_once("line ").expect("where").1;
        assert!(below.contains(expected), "{display}: {}", edited.text);
        cost(&edited, 150);
    }
    let all = json!({ "content": numbered_lines(100), "display": "unified" });
    let written = scene.call("write", all).done();
    assert!(shown(&written) > 10, "{}", written.text);
    let all = json!({ "content": numbered_lines(200).replace("line", "row"), "display": "unified" });
    assert_eq!(shown(&scene.call("write", all).done()), LINES);
}

#[test]
fn a_long_line_is_cut_and_readable_by_columns() {
    let long = format!("{}needle{}", "ä".repeat(4_990), "ö".repeat(45_004));
    let text = format!("one\n{long}\nthree\n");
    let mut scene = Scene::new(&text);
    let read = scene.call("read", json!({})).done();
    let cut = format!("{} (cut: 48000 more characters)", "ä".repeat(2_000));
    assert_eq!(read.content(), format!("one\n{cut}\nthree\n"));
    assert!(
        read.text.contains("Line 2 is cut after 2000 characters; `column: 2001` shows"),
        "{}",
        &read.text[..300]
    );
    scene.call("write", json!({ "content": "mine\n" })).refused("unread");
    let more = json!({ "column": 4_991, "offset": 2, "limit": 1, "numbered": true });
    let read = scene.call("read", more).done();
    assert!(read.content().starts_with("needleö"), "{}", &read.text[..300]);
    assert!(read.text.contains("`column: 6991`"), "{}", &read.text[..300]);
    scene.call("edit", json!({ "oldText": "needle", "newText": "pin" })).done();
    assert_eq!(scene.text(), text.replace("needle", "pin"));
    scene.call("write", json!({ "content": "mine\n" })).refused("unread");
    let end = scene.call("read", json!({ "column": 60_000 })).done();
    assert_eq!(end.content(), "\n\n\n");
    scene.call("read", json!({ "column": 0 })).refused("invalid_params");
}

#[test]
fn lines_of_a_file_above_the_size_limit_are_cut_too() {
    let machine = Machine::configured("[limits]\nfile_size = 100000\n");
    let long = "x".repeat(70_000);
    let workspace = Workspace::file("a.log", format!("{long}\nshort\n{long}\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    let read = mcp.call("read", json!({ "path": "a.log" })).done();
    assert_eq!(read.content(), format!("{} (cut: the line continues)", "x".repeat(2_000)));
    assert!(read.text.contains("continue with `offset: 2`"), "{}", &read.text[..400]);
    let read = mcp.call("read", json!({ "path": "a.log", "offset": 2 })).done();
    assert_eq!(read.content(), "short\n");
    let read = mcp.call("read", json!({ "path": "a.log", "offset": 3, "column": 69_001 })).done();
    assert_eq!(read.content(), format!("{}\n", "x".repeat(1_000)));
}

/// Answers with lines have no data, so that clients which prefer data show the text.
#[test]
fn answers_with_lines_of_files_are_text_only() {
    let mut scene = Scene::new(&numbered_lines(20));
    for (tool, arguments) in [
        ("read", json!({})),
        ("search", json!({ "pattern": "line", "context": 2 })),
        ("changes", json!({})),
        ("edit", json!({ "oldText": "lime 4\nline 5", "newText": "x" })),
    ] {
        let called = scene.call(tool, arguments);
        assert!(called.data.is_null(), "{tool}: {}", called.data);
    }
    let refused = scene.call("read", json!({ "offset": 0 })).refused("invalid_params");
    assert_eq!(refused.data["error"]["field"], "offset", "a short answer has data, too");
}
