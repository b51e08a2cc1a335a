//! Edits by line numbers through the tools for models.

use rstest::rstest;
use serde_json::{Value, json};

use super::edits::TEXT;
use crate::support::{Machine, Mcp, Workspace, numbered_lines};

fn scene() -> (Machine, Workspace, Mcp) {
    let (machine, workspace) = (Machine::start(), Workspace::file("src/a.rs", TEXT));
    let mcp = Mcp::start(&machine, &workspace);
    (machine, workspace, mcp)
}

#[test]
fn a_read_numbers_the_lines_and_names_the_version() {
    let (_machine, workspace, mut mcp) = scene();
    let read = mcp.call("read", json!({ "path": "src/a.rs" })).done();
    let tag = &workspace.hash("src/a.rs")[3..9];
    assert_eq!(
        read.text,
        format!("src/a.rs#{tag}, lines 1-5 of 5\n\n1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tfive\n")
    );
    let plain = mcp.call("read", json!({ "path": "src/a.rs", "numbered": false })).done();
    assert_eq!(plain.content(), TEXT);
}

#[test]
fn an_answer_gives_the_new_tag_the_lines_and_the_shift() {
    let (_machine, workspace, mut mcp) = scene();
    mcp.call("read", json!({ "path": "src/a.rs" })).done();
    let edits = json!([{ "lines": "2", "newText": "2\n2a\n2b" }, { "lines": 4, "delete": "true" }]);
    let done = mcp.call("edit", json!({ "path": "src/a.rs", "edits": edits })).done();
    let tag = &workspace.hash("src/a.rs")[3..9];
    let said = format!("a.rs#{tag} (+3 -2), lines 2-4; old lines 3+: +2, 5+: +1\n");
    let seams = "1\tone\n2\t2\n3\t2a\n4\t2b\n5\tthree\n6\tfive\n";
    assert!(done.text.contains(&(said + seams)), "{}", done.text);
    let path = format!("src/a.rs#{tag}");
    mcp.call("edit", json!({ "path": path, "edits": [{ "lines": "5", "newText": "3" }] })).done();
    assert_eq!(workspace.text("src/a.rs"), "one\n2\n2a\n2b\n3\nfive\n");
}

#[test]
fn a_mended_slip_is_shown_with_line_numbers() {
    let (_machine, workspace, mut mcp) = scene();
    mcp.call("read", json!({ "path": "src/a.rs" })).done();
    let edits = json!([{ "lines": "2", "newText": "2\tzwei" }]);
    let done = mcp.call("edit", json!({ "path": "src/a.rs", "edits": edits })).done();
    assert_eq!(workspace.text("src/a.rs"), TEXT.replace("two", "zwei"));
    assert!(done.said("Note: ").contains("line numbers were removed"), "{}", done.text);
    assert!(done.text.contains("2\tzwei\n"), "{}", done.text);
}

#[test]
fn a_move_between_files_is_one_call() {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("src/b.rs", "b\n");
    for path in ["src/a.rs", "src/b.rs"] {
        mcp.call("read", json!({ "path": path })).done();
    }
    let edit = json!({ "move": { "lines": "1-2" }, "to": { "path": "src/b.rs", "after": 1 } });
    mcp.call("edit", json!({ "path": "src/a.rs", "edits": [edit] })).done();
    assert_eq!(workspace.text("src/b.rs"), "b\none\ntwo\n");
}

#[rstest]
#[case::indented(
    json!({ "lines": "2-3", "indent": 1 }),
    "def f():\n        a()\n        b()\n    c()\n",
    "1\tdef f():\n2\t        a()\n3\t        b()\n4\t    c()\n"
)]
#[case::other_unit(
    json!({ "indentFrom": 4, "indentTo": 2 }),
    "def f():\n  a()\n  b()\n  c()\n",
    "1\tdef f():\n2\t  a()\n3\t  b()\n4\t  c()\n"
)]
#[case::wrapped(
    json!({ "lines": "2-3", "wrap": { "before": "try:", "after": "finally:\n    d()" } }),
    "def f():\n    try:\n        a()\n        b()\n    finally:\n        d()\n    c()\n",
    "1\tdef f():\n2\t    try:\n3\t        a()\n4\t        b()\n5\t    finally:\n6\t        d()\n7\t    c()\n"
)]
#[case::body(
    json!({ "symbol": "f", "wrap": { "before": "with g:" } }),
    "def f():\n    with g:\n        a()\n        b()\n        c()\n",
    "1\tdef f():\n2\t    with g:\n3\t        a()\n4\t        b()\n5\t        c()\n"
)]
fn lines_are_reshaped_and_their_borders_are_shown(
    #[case] edit: Value,
    #[case] after: &str,
    #[case] seams: &str,
) {
    let text = "def f():\n    a()\n    b()\n    c()\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", text));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.py" })).done();
    let done = mcp.call("edit", json!({ "path": "a.py", "edits": [edit] })).done();
    assert_eq!(workspace.text("a.py"), after);
    assert!(done.text.contains(seams), "{}", done.text);
}

fn members(mcp: &mut Mcp, name: &str) -> Vec<String> {
    let tools = json!(mcp.tools());
    let tool = tools.as_array().into_iter().flatten().find(|tool| tool["name"] == name).expect("a tool");
    let of = |schema: &Value| {
        schema["properties"].as_object().map_or_else(Vec::new, |all| all.keys().cloned().collect())
    };
    let schema = &tool["inputSchema"];
    [of(schema), of(&schema["properties"]["edits"]["items"])].concat()
}

#[test]
fn the_edit_format_chooses_what_is_described() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", TEXT));
    for (format, by_text, by_lines) in
        [("replace", true, false), ("anchored", false, true), ("both", true, true)]
    {
        let mut mcp = Mcp::with(&machine, workspace.root(), &["--edit-format", format]);
        mcp.introduce("2025-06-18", json!({}));
        let members = members(&mut mcp, "edit");
        let has = |name: &str| members.iter().any(|member| member == name);
        assert_eq!((has("oldText"), has("lines"), has("move")), (by_text, by_lines, by_lines), "{format}");
        assert!(has("newText") && has("path"));
        let read = mcp.call("read", json!({ "path": "a.rs" })).done();
        assert_eq!(read.text.starts_with("a.rs#"), by_lines, "{format}: {}", read.text);
        // All forms are accepted, whatever is described.
        let edits = json!([{ "lines": "1", "newText": format!("{format} 1") }]);
        mcp.call("edit", json!({ "path": "a.rs", "edits": edits })).done();
        let edit = json!({ "path": "a.rs", "oldText": format!("{format} 1"), "newText": "one" });
        mcp.call("edit", edit).done();
    }
    assert_eq!(workspace.text("a.rs"), TEXT);
}

#[rstest]
#[case::one_line(json!([{ "lines": "100", "newText": "line one hundred" }]))]
#[case::inserted(json!([{ "after": 40, "newText": "line 40a\nline 40b" }]))]
#[case::deleted(json!([{ "lines": "10-60", "delete": true }]))]
#[case::many_lines(json!([{ "lines": "10-60", "newText": numbered_lines(80) }]))]
#[case::in_several_places(json!([
    { "lines": "10", "newText": "line 10a\nline 10b" }, { "lines": "80-90", "newText": "line 80" },
    { "after": 120, "newText": "line 120a" }, { "lines": "150", "delete": true },
]))]
#[case::a_mended_slip(json!([{ "lines": "100-101", "newText": "100\tline 100\n101\tline one hundred and one" }]))]
#[case::moved(json!([{ "move": { "lines": "150-190" }, "to": { "after": 20 } }]))]
fn an_answer_to_an_edit_by_lines_is_brief(#[case] edits: Value) {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("src/a.rs", numbered_lines(200));
    mcp.call("read", json!({ "path": "src/a.rs" })).done();
    mcp.call("edit", json!({ "path": "src/a.rs", "edits": edits })).done().is_brief();
    assert_ne!(workspace.text("src/a.rs"), numbered_lines(200));
}

#[test]
fn a_refusal_of_lines_costs_375_tokens() {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("src/a.rs", numbered_lines(200));
    mcp.call("read", json!({ "path": "src/a.rs", "limit": 10 })).done();
    let mut refuses = |edits: Value, kind: &str| {
        let refused = mcp.call("edit", json!({ "path": "src/a.rs", "edits": edits })).refused(kind);
        for form in [refused.text.len(), refused.data.to_string().len()] {
            assert!(form <= 1_500, "{form} bytes: {}", refused.text);
        }
    };
    refuses(json!([{ "lines": "100-150", "newText": "x" }]), "unread");
    let many: Vec<Value> = (20..60).map(|line| json!({ "lines": line, "newText": "x" })).collect();
    refuses(json!(many), "unread");
    refuses(json!([{ "lines": "5", "first": "line 7", "newText": "x" }]), "not_found");
    workspace.put("src/a.rs", numbered_lines(200).replace("line", "row"));
    refuses(json!([{ "lines": "5", "newText": "x" }]), "stale");
}
