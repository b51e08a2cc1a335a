//! Whole words and regular expressions as old texts.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, Mcp, Outcome, Workspace, numbered_lines};

const CODE: &str = "def f(rv):\n    rva = rv\n    return rv\n";

fn scene(name: &str, bytes: impl AsRef<[u8]>) -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file(name, bytes));
    let mut agent = machine.agent(&workspace);
    agent.read(name);
    (machine, workspace, agent)
}

#[expect(clippy::needless_pass_by_value, reason = "a value written at the place of the call reads best")]
fn edit(agent: &mut Agent, path: &str, edit: Value) -> Answer {
    agent.call("editd/edit", json!({ "path": path, "edits": [edit] }))
}

#[rstest]
#[case::words(json!({ "oldText": "rv", "newText": "value", "word": true, "replaceAll": true }), "def f(value):\n    rva = value\n    return value\n")]
#[case::a_pattern(json!({ "oldText": r"r(v)\b", "newText": "$1$$", "regex": true, "expect": 3 }), "def f(v$):\n    rva = v$\n    return v$\n")]
fn all_matches_are_replaced_and_their_lines_given(#[case] requested: Value, #[case] after: &str) {
    let (_machine, workspace, mut agent) = scene("a.py", CODE);
    let done = edit(&mut agent, "a.py", requested).done();
    assert_eq!(workspace.text("a.py"), after);
    let found = &done["files"][0]["matches"][0];
    assert_eq!((&found["strategy"], &found["replacements"]), (&json!("exact"), &json!(3)));
    assert_eq!(found["lines"], "1, 2, 3");
    agent.undo().done();
    assert_eq!(workspace.text("a.py"), CODE);
}

#[rstest]
#[case::crlf("a = 1\r\nb = 2\r\n", r"^(\w) = (\d)$", "$2:\n$1", "1:\r\na\r\n2:\r\nb\r\n")]
#[case::byte_order_mark("\u{feff}a = 1\n", "^a", "b", "\u{feff}b = 1\n")]
#[case::emoji_and_combining_characters("e\u{301}😀 = 1\n", "(\\w+)😀", "$1🎉", "e\u{301}🎉 = 1\n")]
#[case::mixed_line_endings("a\r\nb\na\r\n", "a\n", "a,\n", "a,\r\nb\na,\r\n")]
fn other_bytes_stay(#[case] before: &str, #[case] old: &str, #[case] new: &str, #[case] after: &str) {
    let (_machine, workspace, mut agent) = scene("a.txt", before);
    edit(&mut agent, "a.txt", json!({ "oldText": old, "newText": new, "regex": true, "replaceAll": true }))
        .done();
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn a_file_in_utf_16_keeps_its_encoding() {
    let encoded = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let (_machine, workspace, mut agent) = scene("a.txt", encoded("naïve 😀 a\r\nnaïv\r\n"));
    edit(&mut agent, "a.txt", json!({ "oldText": "naïve", "newText": "é", "word": true })).done();
    assert_eq!(workspace.bytes("a.txt"), encoded("é 😀 a\r\nnaïv\r\n"));
}

#[rstest]
#[case::unknown_group(json!({ "oldText": "(a)", "newText": "$9", "regex": true }), "newText", "$9")]
#[case::empty_match(json!({ "oldText": "a*", "newText": "x", "regex": true }), "oldText", "empty")]
#[case::no_pattern(json!({ "oldText": "f(", "newText": "x", "regex": true }), "oldText", "without `regex`")]
#[case::no_count(json!({ "oldText": "a", "newText": "x", "expect": 0 }), "expect", "at least 1")]
#[case::no_text(json!({ "lines": "1", "newText": "x", "word": true }), "word", "needs `oldText`")]
#[case::two_places(json!({ "oldText": "a", "lines": "1", "symbol": "a", "newText": "x" }), "lines", "with `symbol`")]
#[case::no_brace(json!({ "oldText": "a", "newText": "${1", "regex": true }), "newText", "no `}`")]
#[case::a_list(json!({ "lines": "1,3", "delete": true }), "lines", "several ranges")]
#[case::no_end(json!({ "lines": "1-", "oldText": "a", "newText": "x" }), "lines", "such as `12-15`")]
fn bad_parameters_are_named(#[case] requested: Value, #[case] field: &str, #[case] said: &str) {
    let (_machine, workspace, mut agent) = scene("a.txt", "a\n");
    let error = edit(&mut agent, "a.txt", requested).expect_err("it is refused");
    let (message, data) = (error.message.clone(), error.data.clone());
    assert_eq!(data["field"], format!("edits[0].{field}"), "{data}");
    assert!(message.contains(said), "{message}");
    assert_eq!(workspace.text("a.txt"), "a\n");
}

#[test]
fn several_matches_are_ambiguous_and_a_wrong_count_names_the_lines() {
    let (_machine, workspace, mut agent) = scene("a.py", CODE);
    let word = |more: Value| {
        let mut edit = json!({ "oldText": "rv", "newText": "x", "word": true });
        edit.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        edit
    };
    let data = edit(&mut agent, "a.py", word(json!({}))).refused("ambiguous");
    assert_eq!(
        (&data["found"], data["occurrences"].as_array().map(Vec::len)),
        (&json!(3), Some(3)),
        "{data}"
    );
    let data = edit(&mut agent, "a.py", word(json!({ "expect": 2 }))).refused("count_mismatch");
    assert_eq!((&data["found"], &data["lines"]), (&json!(3), &json!("1, 2, 3")), "{data}");
    assert_eq!(workspace.text("a.py"), CODE);
}

#[test]
fn a_pattern_without_a_match_is_refused_with_what_is_there() {
    let (_machine, _workspace, mut agent) = scene("a.py", CODE);
    let refused = edit(&mut agent, "a.py", json!({ "oldText": r"\d+", "newText": "x", "regex": true }));
    assert!(refused.refused("not_found")["hint"].as_str().expect("a hint").contains("search"));
    let refused = edit(&mut agent, "a.py", json!({ "oldText": "retu", "newText": "x", "word": true }));
    let data = refused.refused("not_found");
    assert_eq!(data["occurrences"][0]["startLine"], 3, "{data}");
    // Tolerance is not for patterns.
    let refused = edit(&mut agent, "a.py", json!({ "oldText": "rva  = rv", "newText": "x", "word": true }));
    assert_eq!(refused.refused("not_found")["closest"][0]["startLine"], 2);
}

#[test]
fn only_lines_that_were_shown_are_changed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(30)));
    let mut agent = machine.agent(&workspace);
    let all = || json!({ "oldText": "line", "newText": "row", "word": true, "replaceAll": true });
    edit(&mut agent, "a.txt", all()).refused("unread");
    agent.call("editd/read", json!({ "path": "a.txt", "offset": 1, "limit": 10 })).done();
    let data = edit(&mut agent, "a.txt", all()).refused("unread");
    assert_eq!(data["lines"], "11-30", "{data}");
    assert_eq!(workspace.text("a.txt"), numbered_lines(30));
    // The lines that the refusal shows count as shown.
    edit(&mut agent, "a.txt", all()).done();
    assert_eq!(workspace.text("a.txt"), numbered_lines(30).replace("line", "row"));
    // What the session has written, it knows.
    edit(&mut agent, "a.txt", json!({ "oldText": "row (3.)", "newText": "$1", "regex": true, "expect": 1 }))
        .done();
}

#[test]
fn a_hash_stands_for_the_whole_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(30)));
    let hash = machine.agent(&workspace).read("a.txt")["hash"].clone();
    let mut agent = machine.agent(&workspace);
    let edits = json!([{ "oldText": "line", "newText": "row", "word": true, "replaceAll": true }]);
    agent.call("editd/edit", json!({ "path": "a.txt", "baseHash": hash, "edits": edits })).done();
}

#[rstest]
#[case::elsewhere("# new\n", "done")]
#[case::with_another_place("# new rv\n", "stale")]
fn others_changes_make_a_pattern_stale_and_rebase_merges_it(#[case] added: &str, #[case] outcome: &str) {
    let (_machine, workspace, mut agent) = scene("a.py", CODE);
    workspace.put("a.py", format!("{added}{CODE}"));
    let requested = |on_stale: &str, count: Value| {
        let mut edit = json!({ "oldText": "rv", "newText": "x", "word": true });
        edit.as_object_mut().expect("an edit").extend(count.as_object().expect("a count").clone());
        json!({ "path": "a.py", "edits": [edit], "onStale": on_stale })
    };
    let all = json!({ "replaceAll": true });
    agent.call("editd/edit", requested("reject", all.clone())).refused("stale");
    if outcome == "stale" {
        // All places would not be replaced.
        agent.call("editd/edit", requested("rebase", all)).refused("stale");
        let stale = agent.call("editd/edit", requested("rebase", json!({ "expect": 3 }))).refused("stale");
        assert_eq!(workspace.text("a.py"), format!("{added}{CODE}"));
        // On the current text, they are.
        let mut now = requested("reject", json!({ "expect": 4 }));
        now["baseHash"] = stale["currentHash"].clone();
        agent.call("editd/edit", now).done();
        assert_eq!(workspace.text("a.py"), "# new x\ndef f(x):\n    rva = x\n    return x\n");
        return;
    }
    agent.call("editd/edit", requested("rebase", all)).done();
    assert_eq!(workspace.text("a.py"), "# new\ndef f(x):\n    rva = x\n    return x\n");
}

/// References of other programs are text.
#[rstest]
#[case(r"\1 = 0", r"`\1`")]
#[case(r"\g<1> = 0", r"`\g<1>`")]
fn a_reference_of_another_program_is_named(#[case] new: &str, #[case] named: &str) {
    let (_machine, workspace, mut agent) = scene("a.txt", "one = 1\n");
    let done =
        edit(&mut agent, "a.txt", json!({ "oldText": r"(\w+) = 1", "newText": new, "regex": true })).done();
    assert_eq!(workspace.text("a.txt"), format!("{new}\n"));
    let warning = done["files"][0]["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains(named) && warning.contains("`$1`"), "{warning}");
}

#[test]
fn edits_in_sequence_match_what_the_earlier_ones_wrote() {
    let (_machine, workspace, mut agent) = scene("a.txt", "one two\n");
    let edits = json!([
        { "oldText": r"(\w+) (\w+)", "newText": "$2 $1 $2", "regex": true },
        { "oldText": "two", "newText": "three", "word": true, "expect": 2 },
    ]);
    agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits, "sequential": true })).done();
    assert_eq!(workspace.text("a.txt"), "three one three\n");
}

#[test]
fn a_proposal_shows_the_change_and_makes_it_later() {
    let (_machine, workspace, mut agent) = scene("a.py", CODE);
    let short = json!({ "path": "a.py", "oldText": "rv", "newText": "x", "word": true, "expect": 3 });
    let proposal = agent.call("editd/propose", short).done();
    assert_eq!(proposal["files"][0]["matches"][0]["lines"], "1, 2, 3");
    assert_eq!(workspace.text("a.py"), CODE);
    agent.apply(&proposal).done();
    assert_eq!(workspace.text("a.py"), "def f(x):\n    rva = x\n    return x\n");
}

#[test]
fn the_json_of_a_notebook_stays_valid() {
    let book = "{\"cells\":[],\"metadata\":{\"rv\":1},\"nbformat\":4,\"nbformat_minor\":5}\n";
    let (_machine, workspace, mut agent) = scene("n.ipynb", book);
    agent.call("editd/read", json!({ "path": "n.ipynb", "raw": true })).done();
    let broken = json!({ "oldText": "rv", "newText": "\"", "word": true });
    assert!(edit(&mut agent, "n.ipynb", broken).is_err());
    edit(&mut agent, "n.ipynb", json!({ "oldText": "rv", "newText": "x", "word": true })).done();
    assert_eq!(workspace.text("n.ipynb"), book.replace("rv", "x"));
}

#[test]
fn the_tool_for_models_takes_patterns() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.py", CODE));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.py" })).done();
    let edits =
        json!([{ "symbol": "f", "oldText": "rv", "newText": "value", "word": true, "replaceAll": true }]);
    let done = mcp.call("edit", json!({ "path": "a.py", "edits": edits })).done();
    assert!(done.text.contains("(+3 -3), 3 replacements, lines 1-3"), "{}", done.text);
    let edits = json!([{ "oldText": "value", "newText": "x", "word": true, "expect": 2 }]);
    let refused = mcp.call("edit", json!({ "path": "a.py", "edits": edits })).refused("count_mismatch");
    assert!(refused.text.contains("1, 2, 3"), "{}", refused.text);
}
