//! Tests of clients that request too much, read nothing, or leave in the middle.

use std::fs;
use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Agent, Arrival, Framing, Machine, Outcome, Workspace, uri_of, within};

fn read_request(id: u64, path: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "editd/read", "params": { "path": path } })
}

#[test]
fn a_client_that_does_not_read_is_cut_off_and_delays_no_other() {
    let large = "x".repeat(99) + "\n";
    let files = [("large.txt", large.repeat(2_000)), ("n.txt", "n = 0\n".to_owned())];
    let machine = Machine::configured("[limits]\nunsent_output = 2000000\n");
    let workspace = Workspace::with(&files);
    let mut slow = machine.agent_named("slow", &workspace);
    let mut other = machine.agent_named("other", &workspace);
    other.read("n.txt");
    slow.wire().set_write_patience(Duration::from_millis(100));
    let (mut id, mut rounds) = (1_000, 0);
    within(Duration::from_secs(90), "the client that never reads to be cut off", || {
        id += 1;
        let request = read_request(id, "large.txt").to_string() + "\n";
        let sent = slow.wire().try_send_bytes(request.as_bytes());
        if id % 50 == 0 || sent.is_err() {
            let asked = Instant::now();
            other.edit("n.txt", &format!("n = {rounds}\n"), &format!("n = {}\n", rounds + 1)).done();
            assert!(
                asked.elapsed() < Duration::from_secs(10),
                "the other client waited {:?}",
                asked.elapsed()
            );
            rounds += 1;
        }
        sent.is_err_and(|error| matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset))
            .then_some(())
    });
    other.read("n.txt");
}

#[test]
fn a_flood_of_requests_gets_one_answer_each() {
    const COUNT: u64 = 3_000;
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("n.txt", "n = 0\n")]));
    let mut flooding = machine.agent_named("flooding", &workspace);
    let mut writer = flooding.wire().writer();
    let mut other = machine.agent_named("other", &workspace);
    other.read("n.txt");
    thread::scope(|scope| {
        scope.spawn(move || {
            for id in 10_000..10_000 + COUNT {
                writer.send(&read_request(id, "a.txt"));
            }
        });
        for round in 0..20 {
            other.edit("n.txt", &format!("n = {round}\n"), &format!("n = {}\n", round + 1)).done();
        }
        for id in 10_000..10_000 + COUNT {
            match flooding.answer(id) {
                Ok(read) => assert_eq!(read["text"], "one\n"),
                Err(error) => assert_eq!(error.kind(), "busy", "{error:?}"),
            }
        }
    });
    assert!(flooding.told_so_far().is_empty());
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_message_affects_no_other() {
    let (machine, workspace) = (Machine::start(), Workspace::file("n.txt", "n = 0\n"));
    let mut other = machine.agent(&workspace);
    other.read("n.txt");
    let beginnings: [&[u8]; 6] = [
        b"{",
        b"{\"jsonrpc\":\"2.0\",\"id\":1",
        b"Content-Le",
        b"Content-Length: 100\r\n",
        b"Content-Length: 100\r\n\r\n{",
        b"",
    ];
    for (round, beginning) in beginnings.iter().enumerate() {
        let mut wire = machine.wire(Framing::Lines);
        wire.send_bytes(beginning);
        drop(wire);
        other.edit("n.txt", &format!("n = {round}\n"), &format!("n = {}\n", round + 1)).done();
    }
}

#[test]
fn a_client_that_leaves_before_its_answer_has_edited_all_or_nothing() {
    let old = "some line of the file\n".repeat(5_000);
    let new = "another line instead\n".repeat(5_000);
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &old));
    for round in 0..20 {
        let mut agent = machine.agent_named(&format!("agent {round}"), &workspace);
        let now = agent.read("a.txt")["hash"].clone();
        let content = if workspace.text("a.txt") == old { &new } else { &old };
        let change = json!({ "kind": "write", "path": "a.txt", "content": content, "baseHash": now });
        agent.send("editd/edit", json!({ "changes": [change] }));
        drop(agent);
        let text = workspace.text("a.txt");
        assert!(text == old || text == new, "a mixed file");
    }
    let mut after = machine.agent(&workspace);
    after.read("a.txt");
    assert_eq!(workspace.everything().len(), 1, "nothing staged was left behind");
}

#[test]
fn many_concurrent_reads_of_a_large_file_stay_within_the_answer_limit() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x".repeat(99).repeat(20_000)));
    let mut agent = machine.agent(&workspace);
    let sent: Vec<u64> = (0..20).map(|_| agent.send("editd/read", json!({ "path": "a.txt" }))).collect();
    for id in sent {
        let read = agent.answer(id).done();
        assert!(read["text"].as_str().is_some_and(|text| text.len() <= 256 * 1024));
    }
}

#[test]
fn a_silent_client_delays_no_other() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let silent: Vec<_> = (0..20).map(|_| machine.wire(Framing::Lines)).collect();
    let mut agent = Agent::connect(&machine, Framing::Headers);
    agent.initialize(workspace.session("alice")).done();
    agent.read_and_edit("a.txt", "one", "two").done();
    drop(silent);
}

#[test]
fn the_connection_stays_open_while_its_client_is_silent() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    assert!(matches!(agent.wire().arrival(Duration::from_millis(300)), Arrival::Nothing));
    agent.read("a.txt");
}

/// Each root takes a file descriptor.
#[test]
fn the_roots_of_an_agent_are_limited() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let folder = |n: usize| {
        workspace.put(&format!("{n}/a.txt"), "one\n");
        json!({ "uri": uri_of(&workspace.path(&n.to_string())), "name": "x" })
    };
    let mut session = workspace.session("agent");
    session["workspaceFolders"] = (0..65).map(folder).collect();
    let refusal =
        Agent::connect(&machine, Framing::Lines).initialize(session.clone()).refused("invalid_params");
    assert_eq!(refusal["field"], "workspaceFolders");
    session["workspaceFolders"] = (0..1_000).map(|n| folder(n % 64)).collect();
    let mut agent = Agent::connect(&machine, Framing::Lines);
    agent.initialize(session).done();
    let open =
        || fs::read_dir(format!("/proc/{}/fd", machine.pid().as_raw_nonzero())).expect("descriptors").count();
    assert!(open() < 200, "{}", open());
}

/// All agents of a test are one process; a command is another.
#[test]
fn slow_requests_of_one_process_on_a_file_delay_a_request_of_another_by_one_of_them_at_most() {
    const DEADLINE: Duration = Duration::from_secs(3);
    const REQUESTS: u32 = 6;
    let machine = Machine::configured("[limits]\ndeadline_ms = 3000\n");
    let workspace = Workspace::file("big.txt", "a b c d e\n".repeat(200_000));
    let mut slow: Vec<_> = (0..3).map(|n| machine.agent_named(&format!("slow {n}"), &workspace)).collect();
    let hash = slow[0].read("big.txt")["hash"].clone();
    let mut sent = Vec::new();
    let began = Instant::now();
    for n in 0..REQUESTS as usize {
        let edit = |at: usize| {
            let old = format!("{}z{n}", "a  b c d e\n".repeat(50 + at));
            json!({ "oldText": old, "newText": "q" })
        };
        let edits: Vec<_> = (0..300).map(edit).collect();
        let params = json!({ "path": "big.txt", "baseHash": hash, "edits": edits });
        let agent = n % slow.len();
        sent.push((agent, slow[agent].send("editd/propose", params)));
    }
    // A small request of the first client arrives when all of these wait.
    thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    let path = workspace.path("big.txt");
    let output = machine.run(&["read", "--limit", "1", path.to_str().expect("a path")]);
    let waited = asked.elapsed();
    assert!(output.status.success(), "{output:?}");
    assert!(waited < DEADLINE * 3, "the other client waited {waited:?}");
    for (agent, id) in sent {
        slow[agent].answer(id).expect_err("no text matches");
    }
    assert!(began.elapsed() > DEADLINE * 5, "the requests are slow: {:?}", began.elapsed());
}
