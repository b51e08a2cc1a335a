//! Limits on results: always the same first results.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

use super::scene::{lines, notice, paths, rows, search};

#[test]
fn the_first_hundred_results_are_in_path_order() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut expected = Vec::new();
    for folder in ["B", "a", "a-b", "a.d", "z"] {
        for file in 0..40 {
            workspace.put(&format!("{folder}/f{file:02}.txt"), numbered_lines(3));
            expected.push(format!("{folder}/f{file:02}.txt:2:line 2"));
        }
    }
    let mut agent = machine.agent(&workspace);
    for _ in 0..10 {
        let found = search(&mut agent, json!({ "pattern": "line 2" }));
        assert_eq!(rows(&found, &workspace), expected[..100]);
        assert_eq!(found["truncated"], true);
        assert!(notice(&found).contains("first 100") && notice(&found).contains("`limit`"), "{found}");
    }
    let all = search(&mut agent, json!({ "pattern": "line 2", "limit": 200 }));
    assert_eq!(rows(&all, &workspace), expected);
    assert_eq!((&all["truncated"], all.get("notice")), (&json!(false), None));
}

#[test]
fn a_limit_can_end_within_a_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(5_000)));
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "line", "limit": 3 }));
    assert_eq!(rows(&found, &workspace), ["a.txt:1:line 1", "a.txt:2:line 2", "a.txt:3:line 3"]);
    assert_eq!(found["truncated"], true);
    let most = search(&mut agent, json!({ "pattern": "line", "limit": 1_000_000 }));
    assert_eq!(most["matches"].as_array().expect("a list").len(), 1_000);
    assert!(!notice(&most).contains("raise"), "{most}");
}

#[test]
fn the_size_of_an_answer_is_limited() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for file in 0..20 {
        workspace.put(&format!("{file:02}.txt"), format!("{}\n", "x".repeat(1_900)).repeat(50));
    }
    let mut agent = machine.agent(&workspace);
    let found = search(&mut agent, json!({ "pattern": "x", "limit": 1_000, "context": 3 }));
    let count = found["matches"].as_array().expect("a list").len();
    assert!((20..100).contains(&count), "{count}");
    assert!(found.to_string().len() < 800 << 10);
    assert_eq!(found["truncated"], true);
    assert!(notice(&found).contains("512 KiB"), "{}", notice(&found));
}

#[test]
fn the_number_of_entries_is_limited() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for file in 0..30 {
        workspace.put(&format!("d/{file:02}.txt"), "");
    }
    let mut agent = machine.agent(&workspace);
    for (method, params) in [
        ("editd/find", json!({ "pattern": "*.txt", "limit": 7 })),
        ("editd/list", json!({ "path": "d", "limit": 7 })),
    ] {
        let found = agent.call(method, params).done();
        let expected: Vec<_> = (0..7).map(|file| format!("d/{file:02}.txt")).collect();
        assert_eq!(paths(&found, &workspace), expected);
        assert_eq!(found["truncated"], true);
        assert!(notice(&found).contains("first 7"), "{found}");
    }
    let all = agent.call("editd/list", json!({ "path": "d", "limit": 30 })).done();
    assert_eq!((&all["truncated"], all.get("notice")), (&json!(false), None));
}

#[test]
fn an_ambiguous_pattern_takes_linear_time() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut text = String::new();
    for line in 0..2_000 {
        writeln!(text, "{}{line}", "a".repeat(200)).expect("writing to a string cannot fail");
    }
    workspace.put("a.txt", text);
    let mut agent = machine.agent(&workspace);
    let started = std::time::Instant::now();
    assert!(lines(&mut agent, &workspace, json!({ "pattern": "^(a|a)*(a|aa)+b$" })).is_empty());
    assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_line_above_the_limit_ends_the_search_of_its_file() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    workspace.put("a.txt", "needle\n");
    let mut huge = b"needle\n".to_vec();
    huge.resize(40 << 20, b'x');
    workspace.put("b.txt", huge);
    let found = search(&mut machine.agent(&workspace), json!({ "pattern": "needle" }));
    assert_eq!(rows(&found, &workspace)[0], "a.txt:1:needle");
    assert!(notice(&found).contains("16 MiB"), "{found}");
}

#[test]
fn a_search_stops_at_the_deadline_with_a_notice() {
    let machine = Machine::configured("[limits]\ndeadline_ms = 1\n");
    let workspace = Workspace::empty();
    for file in 0..300 {
        workspace.put(&format!("{}/{file}.txt", file % 20), numbered_lines(2_000));
    }
    let found = search(&mut machine.agent(&workspace), json!({ "pattern": "no such line" }));
    assert_eq!(found["truncated"], true, "{found}");
    assert!(notice(&found).contains("incomplete"), "{found}");
}

#[test]
fn matches_are_counted_per_file() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    workspace.put("a.txt", "one one\ntwo\nnone\n");
    workspace.put("b/c.txt", "One\none\n");
    workspace.put("d.txt", "two\n");
    workspace.put("e.bin", "one\0");
    let long = format!("{}one one", "x".repeat(100_000));
    workspace.put("long.txt", &long);
    let mut agent = machine.agent(&workspace);
    let counts = |found: &Value| {
        let counts = found["counts"].as_array().cloned().unwrap_or_default();
        let count = |it: &Value| (it["path"].as_str().expect("a path").to_owned(), it["count"].as_u64());
        counts.iter().map(count).collect::<Vec<_>>()
    };
    let found = search(&mut agent, json!({ "pattern": "one", "count": true, "context": 3 }));
    let expected = [("a.txt", 3), ("b/c.txt", 1), ("long.txt", 2)];
    let expected = expected.map(|(path, count)| (workspace.absolute(path), Some(count)));
    assert_eq!((counts(&found), &found["matches"]), (expected.to_vec(), &json!([])));
    assert_eq!(found["truncated"], false);
    let replaced = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "expect": 3 });
    agent.read("a.txt");
    agent.call("editd/edit", replaced).done();

    let first = search(&mut agent, json!({ "pattern": "(?i)one|two", "count": true, "limit": 2 }));
    assert_eq!(counts(&first).len(), 2);
    let notice = first["notice"].as_str().expect("a notice");
    assert!(first["truncated"] == true && notice.contains("the first 2 files by path"), "{notice}");
    let none = search(&mut agent, json!({ "pattern": "nothing", "count": true }));
    assert_eq!((counts(&none), &none["truncated"]), (Vec::new(), &json!(false)));
}
