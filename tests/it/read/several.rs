//! Several parts of files in one call.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

#[test]
fn parts_are_read_or_refused_one_by_one() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(9)));
    let mut agent = machine.agent(&workspace);
    let reads =
        json!([{ "path": "a.txt", "lines": "2-3" }, { "path": "b.txt" }, { "path": "a.txt", "offset": 9 }]);
    let read = agent.call("editd/readSeveral", json!({ "reads": reads })).done();
    let texts: Vec<&Value> = (0..3).map(|at| &read["reads"][at]["text"]).collect();
    assert_eq!(texts, [&json!("line 2\nline 3\n"), &Value::Null, &json!("line 9\n")]);
    assert_eq!(read["reads"][1]["error"]["data"]["kind"], "missing");
    assert_eq!(read["more"], Value::Null);
    agent.edit("a.txt", "line 3", "3").done();
    let unread = json!({ "path": "a.txt", "edits": [{ "lines": 5, "newText": "5" }] });
    agent.call("editd/edit", unread).refused("unread");
}

#[test]
fn parts_without_room_are_counted_and_not_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(90)));
    workspace.put("b.txt", "bee\n");
    let mut agent = machine.agent(&workspace);
    let reads = json!([{ "path": "a.txt" }, { "path": "b.txt" }]);
    let read = agent.call("editd/readSeveral", json!({ "reads": reads, "maxBytes": 300 })).done();
    assert_eq!((&read["reads"][0]["truncated"], &read["more"]), (&json!(true), &json!(1)));
    agent.edit("b.txt", "bee", "sea").refused("unread");
}

#[test]
fn wrong_requests_are_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let one = json!({ "path": "a.txt" });
    let table = [
        (json!([]), "reads"),
        (json!(vec![one.clone(); 101]), "reads"),
        (json!([one, { "path": "a.txt", "lines": "1-2", "limit": 1 }]), "reads[1].lines"),
        (json!([{ "path": "a.txt", "symbol": "f", "lines": 1 }]), "reads[0].symbol"),
        (json!([{ "path": "a.txt", "start": 1 }]), "reads[0].start"),
    ];
    for (reads, field) in table {
        agent.call("editd/readSeveral", json!({ "reads": reads })).invalid(field);
    }
}
