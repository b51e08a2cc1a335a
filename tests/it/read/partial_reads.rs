//! Reading a file in parts.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, hash_of, numbered_lines};

const MAX_BYTES: usize = 256 * 1024;

fn page(agent: &mut Agent, offset: u64) -> Value {
    agent.call("editd/read", json!({ "path": "a.txt", "offset": offset })).done()
}

fn length(read: &Value) -> usize {
    read["text"].as_str().expect("a text").len()
}

/// Asserts that the notice names the line at which to continue.
#[track_caller]
fn assert_continues_at(read: &Value, line: u64) {
    let notice = read["notice"].as_str().unwrap_or_else(|| panic!("no notice: {read}"));
    let numbers = notice.split(|character: char| !character.is_ascii_digit());
    assert!(numbers.into_iter().any(|number| number == line.to_string()), "{line} should be in {notice:?}");
}

#[rstest]
#[case::from_the_start(json!({ "limit": 2 }), "line 1\nline 2\n", (1, 2))]
#[case::from_the_middle(json!({ "offset": 4, "limit": 3 }), "line 4\nline 5\nline 6\n", (4, 6))]
#[case::to_the_end(json!({ "offset": 9 }), "line 9\nline 10\n", (9, 10))]
#[case::beyond_the_end(json!({ "offset": 10, "limit": 50 }), "line 10\n", (10, 10))]
fn a_part_is_read_by_lines(#[case] part: Value, #[case] text: &str, #[case] (start, end): (u64, u64)) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(10)));
    let mut params = json!({ "path": "a.txt" });
    params.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
    let read = machine.agent(&workspace).call("editd/read", params).done();
    assert_eq!(read["text"], text);
    assert_eq!((&read["startLine"], &read["endLine"]), (&json!(start), &json!(end)));
    assert_eq!(read["totalLines"], 10);
    assert_eq!(read["hash"], hash_of(numbered_lines(10)), "the hash is of the whole file");
    assert_eq!(read["size"], numbered_lines(10).len());
    assert_eq!(read["truncated"], end < 10);
    if end < 10 {
        assert_continues_at(&read, end + 1);
    }
}

#[test]
fn an_answer_has_at_most_two_thousand_lines() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(4_500)));
    let mut agent = machine.agent(&workspace);
    let mut whole = String::new();
    for (offset, end, truncated) in [(1, 2_000, true), (2_001, 4_000, true), (4_001, 4_500, false)] {
        let read = page(&mut agent, offset);
        assert_eq!((&read["startLine"], &read["endLine"]), (&json!(offset), &json!(end)));
        assert_eq!((&read["totalLines"], &read["truncated"]), (&json!(4_500), &json!(truncated)));
        if truncated {
            assert_continues_at(&read, end + 1);
        }
        whole.push_str(read["text"].as_str().expect("a text"));
    }
    assert_eq!(whole, numbered_lines(4_500));
}

#[test]
fn a_limit_above_the_maximum_is_the_maximum() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(2_500)));
    let params = json!({ "path": "a.txt", "limit": 100_000 });
    let read = machine.agent(&workspace).call("editd/read", params).done();
    assert_eq!((&read["endLine"], &read["truncated"]), (&json!(2_000), &json!(true)));
}

#[test]
fn an_answer_has_at_most_256_kib_of_whole_lines() {
    let line = "x".repeat(999) + "\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", line.repeat(600)));
    let mut agent = machine.agent(&workspace);
    let (mut offset, mut whole) = (1, String::new());
    while offset <= 600 {
        let read = page(&mut agent, offset);
        let end = read["endLine"].as_u64().expect("a line");
        let full = length(&read) > MAX_BYTES / 2 || end == 600;
        assert!(length(&read) <= MAX_BYTES && full, "{} bytes", length(&read));
        assert_eq!(length(&read), (end - offset + 1) as usize * line.len());
        assert_eq!(read["truncated"], end < 600);
        if end < 600 {
            assert_continues_at(&read, end + 1);
        }
        whole.push_str(read["text"].as_str().expect("a text"));
        offset = end + 1;
    }
    assert_eq!(whole, line.repeat(600));
}

#[test]
fn a_longer_line_is_cut_with_a_notice() {
    let text = "é".repeat(MAX_BYTES) + "\nnext\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &text));
    let mut agent = machine.agent(&workspace);
    let read = page(&mut agent, 1);
    assert!(length(&read) <= MAX_BYTES && length(&read) > MAX_BYTES / 2, "{} bytes", length(&read));
    assert!(
        read["text"].as_str().is_some_and(|cut| cut.trim_end().chars().all(|character| character == 'é'))
    );
    assert_eq!(read["truncated"], true);
    assert!(read["notice"].is_string(), "{}", read["notice"]);
    assert_eq!(page(&mut agent, 2)["text"], "next\n");
}

#[test]
fn a_read_past_the_end_is_empty_with_a_notice() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    for offset in [3, 1_000_000] {
        let read = page(&mut agent, offset);
        assert_eq!((&read["text"], &read["totalLines"]), (&json!(""), &json!(2)));
        assert!(read["notice"].as_str().is_some_and(|notice| notice.contains('2')), "{read}");
    }
}

#[test]
fn an_offset_of_zero_is_invalid() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    machine.agent(&workspace).call("editd/read", json!({ "path": "a.txt", "offset": 0 })).invalid("offset");
}

#[rstest]
#[case::plain("alpha\nbeta\n", json!({}), "1\talpha\n2\tbeta\n")]
#[case::no_final_line_ending("alpha\nbeta", json!({}), "1\talpha\n2\tbeta")]
#[case::different_line_endings("alpha\r\nbeta\rgamma\n", json!({}), "1\talpha\r\n2\tbeta\r3\tgamma\n")]
#[case::a_part("a\nb\nc\nd\n", json!({ "offset": 2, "limit": 2 }), "2\tb\n3\tc\n")]
#[case::empty_lines("\n\n", json!({}), "1\t\n2\t\n")]
fn lines_are_numbered_on_request(#[case] text: &str, #[case] part: Value, #[case] numbered: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let mut params = json!({ "path": "a.txt", "numbered": true });
    params.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
    let read = machine.agent(&workspace).call("editd/read", params).done();
    assert_eq!(read["text"], numbered);
    assert_eq!(read["hash"], hash_of(text));
}

/// A client with a smaller limit must let the daemon cut the answer, so that the daemon knows which lines
/// were read.
#[test]
fn max_bytes_cuts_the_answer_and_the_rest_counts_as_unread() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(1_000)));
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "a.txt", "maxBytes": 60 })).done();
    assert_eq!(read["text"], numbered_lines(7), "whole lines only");
    assert_continues_at(&read, 8);
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).refused("unread");
    let read = agent.call("editd/read", json!({ "path": "a.txt", "maxBytes": 1 << 30 })).done();
    assert_eq!(read["truncated"], false);
    agent.call("editd/read", json!({ "path": "a.txt", "maxBytes": 0 })).invalid("maxBytes");
}

#[test]
fn max_bytes_counts_json_escapes() {
    let lines = format!("{}\n", "\t\"\u{1b}".repeat(10)).repeat(30);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", lines));
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "a.txt", "maxBytes": 1000 })).done();
    let written = read["text"].to_string().len() - 2;
    assert_eq!((read["endLine"].as_u64(), written), (Some(9), 9 * 102));
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).refused("unread");
    let read = agent.call("editd/read", json!({ "path": "a.txt", "maxBytes": 9 })).done();
    assert_eq!(read["text"], "\t\"", "an escape is not split");
}

#[test]
fn max_columns_cuts_lines_and_the_rest_counts_as_unread() {
    let text = "äbcdefgh\r\nab\r\nabcdefg";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let mut agent = machine.agent(&workspace);
    let read = agent.call("editd/read", json!({ "path": "a.txt", "maxColumns": 3 })).done();
    let shown = "äbc (cut: 5 more characters)\r\nab\r\nabc (cut: 4 more characters)";
    assert_eq!((&read["text"], &read["truncated"]), (&json!(shown), &json!(true)));
    assert_eq!(
        read["notice"],
        "Line 1 and 1 more are cut after 3 characters; `column: 4` shows the next ones."
    );
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).refused("unread");
    agent.edit("a.txt", "h\r\n", "i\r\n").done();
    let params = json!({ "path": "a.txt", "column": 4, "maxColumns": 5, "numbered": true });
    let read = agent.call("editd/read", params).done();
    assert_eq!(read["text"], "1\tdefgi\r\n2\t\r\n3\tdefg");
    assert_eq!(read["notice"], "Lines are shown from character 4 on.");
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).refused("unread");
    let whole = json!({ "path": "a.txt", "maxColumns": 8 });
    assert_eq!(agent.call("editd/read", whole).done()["truncated"], false);
    for name in ["column", "maxColumns"] {
        let mut params = json!({ "path": "a.txt" });
        params[name] = 0.into();
        agent.call("editd/read", params).invalid(name);
    }
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).done();
}
