//! Tests of the list of changes.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn every_change_is_listed_with_author_files_and_time() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "one", "newText": "1\n2", "label": "count" });
    let done = agent.call("editd/edit", params).done();
    agent.read("b.txt");
    agent.change(json!({ "kind": "rename", "path": "b.txt", "newPath": "c.txt" })).done();
    let history = agent.history();
    assert_eq!(history.len(), 2);
    let (renamed, edited) = (&history[0], &history[1]);
    assert_eq!(
        (&edited["transaction"], &edited["author"], &edited["label"], &edited["undone"]),
        (&done["transaction"], &json!("alice"), &json!("count"), &json!(false))
    );
    assert!(edited["at"].as_str().is_some_and(|at| at.ends_with('Z') && at.len() == 30), "{edited}");
    let file = &edited["files"][0];
    for field in ["path", "hashBefore", "hashAfter", "action", "added", "removed"] {
        assert_eq!(file[field], done["files"][0][field], "{field}");
    }
    assert_eq!((&file["added"], &file["removed"], &file["tags"]), (&json!(2), &json!(1), &json!([])));
    assert_eq!(renamed["files"][0]["newPath"], json!(workspace.absolute("c.txt")));
    assert_eq!(renamed["label"], json!(null));
}

#[test]
fn a_refused_change_is_not_listed() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.edit("a.txt", "absent", "x").refused("not_found");
    agent.read("b.txt");
    // The change fails after everything was staged.
    std::fs::remove_file(workspace.path("b.txt")).unwrap();
    agent.edit("b.txt", "b", "B").refused_as_any(&["stale", "missing"]);
    assert_eq!(agent.history(), Vec::<Value>::new());
}

#[test]
fn a_path_limits_the_history_to_one_file_under_both_names() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").done();
    agent.read_and_edit("b.txt", "b", "B").done();
    agent.change(json!({ "kind": "rename", "path": "a.txt", "newPath": "c.txt" })).done();
    let of = |agent: &mut crate::support::Agent, path: &str| {
        let history = agent.call("editd/history", json!({ "path": path })).done();
        history["transactions"].as_array().map(Vec::len)
    };
    let found = ["a.txt", "b.txt", "c.txt", "d.txt"].map(|path| of(&mut agent, path));
    assert_eq!(found, [Some(2), Some(1), Some(1), Some(0)]);
}

#[test]
fn all_pages_together_are_complete() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "0\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for number in 0..1100 {
        agent.edit("a.txt", &format!("{number}\n"), &format!("{}\n", number + 1)).done();
        if number == 700 {
            machine.restart();
            agent = machine.agent(&workspace);
            agent.read("a.txt");
        }
    }
    let page = |agent: &mut crate::support::Agent,
                limit: Option<usize>,
                before: Option<&Value>|
     -> Vec<Value> {
        let mut params = json!({});
        if let Some(limit) = limit {
            params["limit"] = limit.into();
        }
        if let Some(before) = before {
            params["before"] = before.clone();
        }
        let history = agent.call("editd/history", params).done();
        history["transactions"].as_array().unwrap().iter().map(|entry| entry["transaction"].clone()).collect()
    };
    assert_eq!(page(&mut agent, None, None).len(), 50);
    assert_eq!(page(&mut agent, Some(5000), None).len(), 1000);
    let (mut all, mut last) = (Vec::new(), None);
    loop {
        let next = page(&mut agent, Some(300), last.as_ref());
        if next.is_empty() {
            break;
        }
        last = next.last().cloned();
        all.extend(next);
    }
    let count = all.len();
    all.sort_by_key(ToString::to_string);
    all.dedup();
    assert_eq!((count, all.len()), (1100, 1100));
}
