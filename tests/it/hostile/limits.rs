//! Tests of the named limits.

use serde_json::json;

use crate::support::{Agent, Arrival, Framing, Machine, Outcome, PATIENCE, Wire, Workspace, eventually};

/// Returns the connection if it is served. A rejected connection is closed or receives a busy error.
fn is_served(machine: &Machine, workspace: &Workspace) -> Option<Wire> {
    let mut wire = machine.wire(Framing::Lines);
    let mut initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
    initialize["params"] = workspace.session("late");
    if wire.try_send_bytes((initialize.to_string() + "\n").as_bytes()).is_err() {
        return None;
    }
    match wire.arrival(PATIENCE) {
        Arrival::Message(message) if message.get("result").is_some() => Some(wire),
        Arrival::Message(message) => {
            assert!(message.get("error").is_some(), "{message}");
            None
        }
        Arrival::Closed => None,
        Arrival::Nothing => panic!("a connection above the limit was left hanging"),
    }
}

#[test]
fn connections_above_the_limit_are_rejected_and_the_others_stay() {
    let machine = Machine::configured("[limits]\nconnections = 3\n");
    let workspace = Workspace::file("a.txt", "one\n");
    // The probe at the start may still be counted.
    let mut agents: Vec<Wire> =
        (0..3).map(|_| eventually("a free place", || is_served(&machine, &workspace))).collect();
    assert!(is_served(&machine, &workspace).is_none(), "a fourth connection was served");
    for (wire, id) in agents.iter_mut().zip(2..) {
        wire.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "editd/read", "params": { "path": "a.txt" } }),
        );
        assert_eq!(wire.receive()["result"]["text"], "one\n");
    }
    agents.pop();
    eventually("the free place", || is_served(&machine, &workspace));
}

#[test]
fn no_process_takes_the_connections_of_others() {
    let machine = Machine::configured("[limits]\nconnections_per_process = 3\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agents: Vec<Wire> =
        (0..3).map(|_| eventually("a free place", || is_served(&machine, &workspace))).collect();
    assert!(is_served(&machine, &workspace).is_none(), "a fourth connection of this process was served");
    let path = workspace.path("a.txt");
    let read = machine.run(&["read", path.to_str().expect("UTF-8")]);
    assert!(String::from_utf8_lossy(&read.stdout).contains("one"), "another process is served: {read:?}");
    agents.pop();
    eventually("the free place", || is_served(&machine, &workspace));
}

#[test]
fn agents_leave_connections_to_editors() {
    let machine = Machine::configured("[limits]\nconnections = 16\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let _agents: Vec<Wire> =
        (0..15).map(|_| eventually("a free place", || is_served(&machine, &workspace))).collect();
    assert!(is_served(&machine, &workspace).is_none(), "the place of an editor was given to an agent");
    machine.editor(&workspace);
}

#[test]
fn a_thousand_open_connections_are_served() {
    allow_files(4_096);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agents: Vec<Agent> = (0..1_000).map(|_| Agent::connect(&machine, Framing::Lines)).collect();
    let sent: Vec<u64> =
        agents.iter_mut().map(|agent| agent.send("initialize", workspace.session("many"))).collect();
    for (agent, id) in agents.iter_mut().zip(sent) {
        agent.answer(id).done();
    }
    let sent: Vec<u64> =
        agents.iter_mut().map(|agent| agent.send("editd/read", json!({ "path": "a.txt" }))).collect();
    for (agent, id) in agents.iter_mut().zip(sent) {
        assert_eq!(agent.answer(id).done()["text"], "one\n");
    }
    agents[999].edit("a.txt", "one", "two").done();
    for agent in &mut agents[..999] {
        agent.told("editd/fileChanged", "a.txt");
    }
}

/// Raises the limit on open files for this process and the daemon that it starts.
fn allow_files(count: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < count) {
        limit.current = Some(count);
        setrlimit(Resource::Nofile, limit).expect("the hard limit allows it");
    }
}

#[test]
fn requests_in_flight_above_the_limit_wait_or_are_refused_as_busy() {
    let machine = Machine::configured("[limits]\nrequests_in_flight = 2\n");
    let workspace = Workspace::file("a.txt", "one\n".repeat(1_000));
    let mut agent = machine.agent(&workspace);
    let sent: Vec<u64> =
        (0..200).map(|_| agent.send("editd/read", json!({ "path": "a.txt", "limit": 1 }))).collect();
    for id in sent {
        match agent.answer(id) {
            Ok(read) => assert_eq!(read["text"], "one\n"),
            Err(error) => assert_eq!(error.kind(), "busy", "{error:?}"),
        }
    }
    agent.read("a.txt");
}

#[test]
fn a_file_that_would_grow_above_the_limit_is_refused() {
    let machine = Machine::configured("[limits]\nfile_size = 1000\n");
    let workspace = Workspace::file("a.txt", "word\n");
    let mut agent = machine.agent(&workspace);
    let content = "x".repeat(1_001);
    agent.change(json!({ "kind": "write", "path": "b.txt", "content": content })).refused("too_large");
    agent.read_and_edit("a.txt", "word", &content).refused("too_large");
    assert_eq!(workspace.text("a.txt"), "word\n");
    assert!(!workspace.has("b.txt"));
}

#[test]
fn more_text_than_fits_in_memory_is_still_served() {
    let machine = Machine::configured("[limits]\nmemory = 1000000\n");
    let names: Vec<String> = (0..20).map(|number| format!("{number}.txt")).collect();
    let workspace = Workspace::empty();
    let mut agent = machine.agent(&workspace);
    for name in &names {
        workspace.put(name, format!("word {name}\n") + &"a line of filler text\n".repeat(10_000));
    }
    for name in &names {
        agent.read(name);
    }
    for name in &names {
        agent.edit(name, "word", "term").done();
        assert!(workspace.text(name).starts_with("term"));
    }
}
