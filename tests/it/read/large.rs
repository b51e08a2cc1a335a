//! Files above the size limit can be read in parts.

use std::io::Write;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, hash_of, numbered_lines};

/// A configuration with a small limit, so that larger files are read in parts.
const LIMIT: &str = "[limits]\nfile_size = 65536\n";

fn read(agent: &mut Agent, more: &Value) -> Value {
    let mut params = json!({ "path": "a.log" });
    params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    agent.call("editd/read", params).done()
}

#[rstest]
#[case::lf("\n", "lf")]
#[case::crlf("\r\n", "crlf")]
#[case::cr("\r", "cr")]
fn any_range_of_lines_can_be_read(#[case] end: &str, #[case] eol: &str) {
    let text = numbered_lines(100_000).replace('\n', end);
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.log", &text));
    let mut agent = machine.agent(&workspace);
    let part = read(&mut agent, &json!({ "offset": 70_000, "limit": 2 }));
    assert_eq!(part["text"], format!("line 70000{end}line 70001{end}"));
    assert_eq!((&part["startLine"], &part["endLine"]), (&json!(70_000), &json!(70_001)));
    assert_eq!(
        (&part["totalLines"], &part["truncated"], &part["eol"]),
        (&json!(100_000), &json!(true), &json!(eol))
    );
    assert_eq!((&part["hash"], &part["size"]), (&json!(hash_of(&text)), &json!(text.len())));
    let notice = part["notice"].as_str().expect("a notice");
    assert!(notice.contains("`offset: 70002`") && notice.contains("not edited"), "{notice}");
    let numbered = read(&mut agent, &json!({ "offset": 100_000, "numbered": true }));
    assert_eq!(
        (&numbered["text"], &numbered["truncated"]),
        (&json!(format!("100000\tline 100000{end}")), &json!(false))
    );
    let first = read(&mut agent, &json!({}));
    assert_eq!((&first["startLine"], &first["endLine"]), (&json!(1), &json!(2_000)));
    let past_end = read(&mut agent, &json!({ "offset": 100_001 }));
    assert_eq!((&past_end["text"], &past_end["endLine"]), (&json!(""), &json!(100_000)));
}

#[test]
fn a_large_file_has_no_symbols() {
    let text = "def f():\n    pass\n".repeat(5_000);
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.py", &text));
    let mut agent = machine.agent(&workspace);
    let refusal = agent.call("editd/read", json!({ "path": "a.py", "symbol": "f" })).refused("syntax");
    let reason = refusal["reason"].as_str().expect("a reason");
    assert!(reason.contains(&text.len().to_string()) && reason.contains("65536"), "{reason}");
    assert!(refusal["hint"].as_str().is_some_and(|hint| hint.contains("read it without one")), "{refusal}");
    agent.call("editd/read", json!({ "path": "a.py", "offset": 9_000 })).done();
}

#[test]
fn a_large_file_cannot_be_edited() {
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.log", numbered_lines(10_000)));
    let mut agent = machine.agent(&workspace);
    let hash = read(&mut agent, &json!({}))["hash"].clone();
    agent.edit("a.log", "line 7\n", "line seven\n").refused("too_large");
    let change = json!({ "kind": "edit", "path": "a.log", "baseHash": hash, "edits": [{ "oldText": "line 7\n", "newText": "x\n" }] });
    agent.change(change).refused("too_large");
}

#[test]
fn a_line_that_is_longer_than_an_answer_is_cut() {
    let text = format!("first\n{}\nlast", "é".repeat(200_000));
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.log", &text));
    let part = read(&mut machine.agent(&workspace), &json!({ "offset": 2 }));
    let shown = part["text"].as_str().expect("a text");
    assert!(shown.chars().all(|c| c == 'é') && shown.len() == 262_144, "{}", shown.len());
    assert_eq!(
        (&part["totalLines"], &part["endLine"], &part["truncated"]),
        (&json!(3), &json!(2), &json!(true))
    );
    assert!(part["notice"].as_str().expect("a notice").contains("`offset: 3`"), "{}", part["notice"]);
}

/// The size limit of an answer falls within a character; the complete characters before it fit into the
/// answer.
#[test]
fn a_line_cut_within_a_character_is_reported_as_cut() {
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.log", "é".repeat(200_000)));
    let part = read(&mut machine.agent(&workspace), &json!({}));
    assert_eq!((&part["totalLines"], &part["truncated"]), (&json!(1), &json!(true)));
    assert!(part["notice"].as_str().expect("a notice").contains("is cut"), "{}", part["notice"]);
}

/// A sparse file of 100 GiB: its first bytes show that it is binary.
#[test]
fn a_vast_binary_file_is_refused_immediately() {
    let (machine, workspace) = (Machine::start(), Workspace::file("b.txt", numbered_lines(50_000)));
    let vast = std::fs::File::create(workspace.path("vast")).expect("a file");
    vast.set_len(100 << 30).expect("a sparse file");
    let mut agent = machine.agent(&workspace);
    agent.try_read("vast").refused("binary");
}

/// A read that exceeds the deadline fails, and does not delay other sessions.
#[test]
fn a_vast_file_does_not_delay_other_sessions() {
    let machine = Machine::configured("[limits]\ndeadline_ms = 3000\n");
    let workspace = Workspace::file("b.txt", numbered_lines(50_000));
    let mut vast = std::fs::File::create(workspace.path("vast")).expect("a file");
    vast.write_all(numbered_lines(10_000).as_bytes()).expect("written");
    vast.set_len(200 << 30).expect("a sparse file");
    let (mut waiting, mut working) = (machine.agent(&workspace), machine.agent_named("bob", &workspace));
    let id = waiting.send("editd/read", json!({ "path": "vast" }));
    working.read_and_edit("b.txt", "line 40000\n", "changed\n").done();
    waiting.answer(id).refused("timeout");
}

#[test]
fn a_large_binary_file_is_detected_by_its_beginning() {
    let workspace = Workspace::with(&[
        ("nul", vec![0; 100_000]),
        ("utf16", [b"\xff\xfe".to_vec(), b"a\0".repeat(50_000)].concat()),
    ]);
    let machine = Machine::configured(LIMIT);
    let mut agent = machine.agent(&workspace);
    agent.try_read("nul").refused("binary");
    agent.try_read("utf16").refused("too_large");
}

#[test]
fn invalid_utf_8_is_shown_as_private_use_characters() {
    let text = [b"caf\xe9\n".to_vec(), b"x\n".repeat(50_000)].concat();
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.log", text));
    let part = read(&mut machine.agent(&workspace), &json!({ "limit": 1 }));
    assert_eq!((&part["text"], &part["encoding"]), (&json!("caf\u{10ffe9}\n"), &json!("utf-8-stray")));
}

#[test]
fn an_open_large_file_is_refused() {
    let (machine, workspace) = (Machine::configured(LIMIT), Workspace::file("a.log", numbered_lines(10_000)));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    editor.open(&workspace, "a.log");
    editor.settle();
    machine.agent(&workspace).try_read("a.log").refused("too_large");
}

/// Reads a file of 300 MiB with little memory.
#[test]
fn memory_does_not_grow_with_the_file() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut log = std::io::BufWriter::new(std::fs::File::create(workspace.path("a.log")).expect("a file"));
    let line = format!("{}\n", "2026-11-22 a line of a log, as long as they are".repeat(2));
    let count = (300 << 20) / line.len();
    for _ in 0..count {
        log.write_all(line.as_bytes()).expect("written");
    }
    log.flush().expect("written");
    let mut agent = machine.agent(&workspace);
    let part = read(&mut agent, &json!({ "offset": count }));
    assert_eq!((&part["text"], &part["totalLines"]), (&json!(line), &json!(count)));
    assert!(machine.peak() < 64 << 10, "the daemon took {} KiB", machine.peak());
}
