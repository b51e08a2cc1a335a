//! Read-only tools.

use serde_json::json;

use crate::support::{Editor, Kind, Machine, Mcp, Workspace, numbered_lines};

#[test]
fn a_read_returns_the_lines_verbatim() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo"));
    let mut mcp = Mcp::start(&machine, &workspace);
    let read = mcp.call("read", json!({ "path": "a.txt" })).done();
    let hash = workspace.hash("a.txt");
    assert_eq!(read.text, format!("a.txt#{}, lines 1-2 of 2\n\n1\tone\n2\ttwo", &hash[3..9]));
    let plain = mcp.call("read", json!({ "path": "a.txt", "numbered": false })).done();
    assert_eq!(plain.text, format!("a.txt, lines 1-2 of 2, hash {hash}\n\none\ntwo"));
    assert!(read.data.is_null(), "clients that show data would not show the lines: {}", read.data);
}

#[test]
fn the_encoding_and_line_endings_are_reported() {
    let text =
        [&[0xff, 0xfe][..], &"a\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat();
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let read = Mcp::start(&machine, &workspace).call("read", json!({ "path": "a.txt" })).done();
    assert!(read.text.contains(", utf-16le, line endings crlf\n"), "{}", read.text);
}

#[test]
fn the_longest_answer_states_how_to_continue() {
    let line = "x".repeat(150) + "\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", line.repeat(2500)));
    let mut mcp = Mcp::start(&machine, &workspace);
    let read = mcp.call("read", json!({ "path": "a.txt", "maxBytes": 256 << 10, "limit": 2500 })).done();
    assert!(read.content().len() > 28_500, "{}", read.content().len());
    let next = read.content().lines().count() + 1;
    assert!(read.text.contains(&format!("`offset: {next}`")), "{}", &read.text[..300]);
    let rest =
        mcp.call("read", json!({ "path": "a.txt", "offset": next, "limit": 3, "numbered": true })).done();
    assert!(rest.text.contains(&format!("\n{next}\txxx")), "{}", rest.text);
}

#[test]
fn unsaved_text_is_read_and_changed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.type_at_start(&uri, "typed ");
    editor.settle();
    let mut mcp = Mcp::start(&machine, &workspace);
    let read = mcp.call("read", json!({ "path": "a.txt" })).done();
    assert_eq!(read.content(), "typed one\n");
    assert!(read.text.contains("unsaved"), "{}", read.text);
    let edited = mcp.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" })).done();
    assert_eq!(edited.data["files"][0]["saved"], false);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_file_whose_name_is_not_utf_8_is_accessible_by_its_uri() {
    use std::os::unix::ffi::OsStrExt as _;
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let name = std::ffi::OsStr::from_bytes(b"a\xff.txt");
    std::fs::write(workspace.root().join(name), "one\n").expect("a file");
    let mut mcp = Mcp::start(&machine, &workspace);
    let uri = crate::support::uri_of(&workspace.root().join(name));
    let read = mcp.call("read", json!({ "uri": uri })).done();
    assert!(read.text.contains(&uri), "{}", read.text);
    let edited = mcp.call("edit", json!({ "uri": uri, "oldText": "one", "newText": "two" })).done();
    assert!(edited.data["files"][0]["uri"] == uri.as_str() && edited.text.contains(&uri), "{}", edited.text);
}

#[test]
fn changes_of_other_files_are_reported_once_with_any_answer() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "bee\n")]));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    machine.agent_named("bob", &workspace).read_and_edit("a.txt", "one", "two").expect("an edit");
    // The daemon notifies the session right after the edit, before its next response.
    let read = mcp.call("read", json!({ "path": "b.txt" })).done();
    assert!(read.text.contains("(by bob)"), "{}", read.text);
    let read = mcp.call("read", json!({ "path": "b.txt" })).done();
    assert!(!read.text.contains("(by bob)"), "{}", read.text);
}

#[test]
fn diagnostics_of_editors_are_listed_by_line() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut editor = machine.editor(&workspace);
    let range = json!({ "start": { "line": 3, "character": 0 }, "end": { "line": 3, "character": 4 } });
    let items = json!([{ "range": range, "severity": 1, "message": "bad", "source": "cc" }]);
    editor.notify(
        "editd/diagnosticsChanged",
        json!({ "uri": crate::support::uri_of(&workspace.path("a.txt")), "items": items }),
    );
    editor.read("a.txt");
    let mut mcp = Mcp::start(&machine, &workspace);
    let listed = mcp.call("diagnostics", json!({})).done();
    assert!(listed.text.contains("a.txt:4: error: bad (cc)"), "{}", listed.text);
    let listed = mcp.call("diagnostics", json!({ "path": "b.txt" }));
    assert!(!listed.text.contains("bad"), "{}", listed.text);
}

#[test]
fn an_image_comes_with_a_text_about_it() {
    let dot =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, dot).expect("base64");
    let (machine, workspace) = (Machine::start(), Workspace::file("a.png", bytes));
    let read = Mcp::start(&machine, &workspace).call("read", json!({ "path": "a.png" })).done();
    for part in ["image/png", "1 x 1 pixels", &workspace.hash("a.png"), "a.png,"] {
        assert!(read.text.contains(part), "{part} is in {}", read.text);
    }
    assert!(read.data.is_null(), "clients that show data do not show the image beside it: {}", read.data);
    assert_eq!((&read.image["type"], &read.image["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(read.image["data"].as_str().is_some_and(|data| !data.is_empty()));
}

/// Returns the path of a file with the tag of its version.
fn tagged(workspace: &Workspace, name: &str) -> String {
    format!("{name}#{}", &workspace.hash(name)[3..9])
}

#[test]
fn files_are_searched_found_and_listed() {
    let files = [
        ("a.txt", "one\ntwo\nthree\n"),
        ("src/b.rs", "two\n"),
        (".gitignore", "hidden\n"),
        ("hidden/c.txt", "two\n"),
    ];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut mcp = Mcp::start(&machine, &workspace);
    let found = mcp.call("search", json!({ "pattern": "^two$", "context": 1 })).done();
    let (a, b) = (tagged(&workspace, "a.txt"), tagged(&workspace, "src/b.rs"));
    assert_eq!(found.text, format!("{a}\n1- one\n2: two\n3- three\n\n{b}\n1: two\n"));
    let found = mcp.call("search", json!({ "pattern": "^t", "path": "a.txt", "context": 1 })).done();
    assert_eq!(found.text, format!("{a}\n1- one\n2: two\n3: three\n"));
    let found = mcp.call("search", json!({ "pattern": "t", "limit": 1 })).done();
    assert!(found.text.contains("There are more"), "{}", found.text);
    let refused = mcp.call("search", json!({ "pattern": "(" })).refused("invalid_params");
    assert_eq!(refused.data["error"]["field"], "pattern");
    assert!(refused.text.contains("literal"), "{}", refused.text);
    assert!(mcp.call("search", json!({ "pattern": "nowhere" })).done().text.starts_with("No matches."));
    let found = mcp.call("find", json!({ "pattern": "*.rs" })).done();
    assert_eq!(found.text, "src/b.rs\n");
    let listed = mcp.call("list", json!({})).done();
    assert!(listed.text.starts_with(".gitignore\na.txt\nsrc/\n1 file"), "{}", listed.text);
}

#[test]
fn several_parts_are_read_in_one_call() {
    let code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", numbered_lines(20).as_str()), ("b.py", code)]));
    let mut mcp = Mcp::start(&machine, &workspace);
    let reads = json!([
        { "path": "a.txt", "lines": "3-4" }, { "path": "b.py", "symbol": "two" }, { "path": "c.txt" },
        { "path": "a.txt", "lines": 9 },
    ]);
    let read = mcp.call("read", json!({ "reads": reads })).done();
    let (a, b) = (tagged(&workspace, "a.txt"), tagged(&workspace, "b.py"));
    let expected = format!(
        "{a}, lines 3-4 of 20\n\n3\tline 3\n4\tline 4\n\n{b}, lines 5-6 of 6\n\n5\tdef two():\n6\t    return 2\n\n"
    );
    assert!(read.text.starts_with(&expected), "{}", read.text);
    let (_, rest) = read.text.split_at(expected.len());
    assert!(rest.starts_with("Refused (missing): `c.txt`"), "{rest}");
    assert!(rest.ends_with(&format!("\n{a}, lines 9-9 of 20\n\n9\tline 9\n")), "{rest}");
    let change =
        |path: &str, line: usize| json!({ "path": path, "edits": [{ "lines": line, "newText": "x" }] });
    mcp.call("edit", change(&a, 9)).done();
    mcp.call("edit", change(&b, 1)).refused("unread");
    let refused = mcp.call("read", json!({ "reads": [], "path": "a.txt" })).refused("invalid_params");
    assert!(refused.text.contains("`path`"), "{}", refused.text);
    let absent = mcp.call("read", json!({ "path": "a.txt", "lines": "1", "reads": null })).done();
    assert!(absent.text.ends_with("\n1\tline 1\n"), "{}", absent.text);
    let part = json!({ "path": "a.txt", "lines": 2, "max_columns": 3 });
    let spelled = mcp.call("read", json!({ "reads": [part], "max_bytes": 9_000_000 })).done();
    assert!(spelled.text.ends_with("\n2\tline 2\n"), "{}", spelled.text);
    let wrong = json!({ "reads": [{ "path": "a.txt" }, { "path": "a.txt", "lines": "x" }] });
    assert_eq!(mcp.call("read", wrong).refused("invalid_params").data["error"]["field"], "reads[1].lines");
}

#[test]
fn parts_that_have_no_room_are_counted() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(1_000)));
    let mut mcp = Mcp::start(&machine, &workspace);
    let part = json!({ "path": "a.txt", "lines": "1-450" });
    let read = mcp.call("read", json!({ "reads": vec![part; 12] })).done();
    assert!((25_000..32_000).contains(&read.text.len()), "{}", read.text.len());
    assert!(read.text.contains("continue with `offset"), "{}", read.text);
    let more = read.text.lines().last().expect("a line");
    let heads = read.text.lines().filter(|line| line.starts_with("a.txt#")).count();
    assert_eq!(more, format!("The last {} parts had no room: read them next.", 12 - heads));
}

#[test]
fn context_lines_are_shown_once_and_in_order() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "a\nx\nb\nx\nx\nc\nd\ne\nf\nx\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    let found = mcp.call("search", json!({ "pattern": "x", "context": 1 })).done();
    let lines: Vec<_> = found.text.lines().skip(1).collect();
    assert_eq!(lines, ["1- a", "2: x", "3- b", "4: x", "5: x", "6- c", "--", "9- f", "10: x"]);
    let found = mcp.call("search", json!({ "pattern": "x", "context": 20 })).done();
    assert_eq!(found.text.lines().count(), 11, "{}", found.text);
    let found = mcp.call("search", json!({ "pattern": "x" })).done();
    assert!(!found.text.contains("--"), "{}", found.text);
}

#[test]
fn matches_are_counted_and_symbols_selected() {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("a.py", "def one(): pass\n\ndef two(): one(one)\n"));
    workspace.put("b.py", "one = 1\n");
    let mut mcp = Mcp::start(&machine, &workspace);
    let found = mcp.call("search", json!({ "pattern": "one", "count": true })).done();
    assert_eq!(found.text, "3 a.py\n1 b.py\n\n4 matches in 2 files\n");
    let one = mcp.call("search", json!({ "pattern": "two", "count": true })).done();
    assert_eq!(one.text, "1 a.py\n\n1 match in 1 file\n");
    let none = mcp.call("search", json!({ "pattern": "three", "count": true })).done();
    assert!(none.text.starts_with("No matches."), "{}", none.text);
    let outline = mcp.call("outline", json!({ "path": "a.py", "pattern": "^t" })).done();
    assert!(outline.text.ends_with("\n\n3-3 function two\n"), "{}", outline.text);
}

#[test]
fn omitted_lines_do_not_count_as_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9000)));
    let mut mcp = Mcp::start(&machine, &workspace);
    let read = mcp.call("read", json!({ "path": "a.txt" })).done();
    assert!(read.text.contains("continue with `offset:"), "{}", read.text.len());
    mcp.call("write", json!({ "path": "a.txt", "content": "x\n" })).refused("unread");
}
