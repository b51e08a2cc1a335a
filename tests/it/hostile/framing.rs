//! Tests that unusable framing ends its own connection, and no other.

use rstest::rstest;
use serde_json::json;

use crate::support::{Agent, Framing, Machine, Outcome, Workspace};

const STATUS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"editd/status"}"#;

/// Another client that works before, during and after.
struct Neighbour(Agent, u32);

impl Neighbour {
    fn of(machine: &Machine, workspace: &Workspace) -> Self {
        let mut agent = machine.agent_named("neighbour", workspace);
        agent.read("neighbour.txt");
        let mut neighbour = Self(agent, 0);
        neighbour.assert_works();
        neighbour
    }

    fn assert_works(&mut self) {
        let (old, new) = (format!("count {}\n", self.1), format!("count {}\n", self.1 + 1));
        self.0.edit("neighbour.txt", &old, &new).done();
        self.1 += 1;
    }
}

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("neighbour.txt", "count 0\n"))
}

#[rstest]
#[case::two_lengths(format!("Content-Length: {0}\r\nContent-Length: {0}\r\n\r\n{STATUS}", STATUS.len()))]
#[case::two_other_lengths(format!("Content-Length: 5\r\ncontent-length: {}\r\n\r\n{STATUS}", STATUS.len()))]
#[case::letters("Content-Length: many\r\n\r\n".into())]
#[case::hexadecimal("Content-Length: 0x30\r\n\r\n".into())]
#[case::negative("Content-Length: -5\r\n\r\n".into())]
#[case::a_plus(format!("Content-Length: +{}\r\n\r\n{STATUS}", STATUS.len()))]
#[case::a_fraction("Content-Length: 4.8\r\n\r\n".into())]
#[case::a_list(format!("Content-Length: {0}, {0}\r\n\r\n{STATUS}", STATUS.len()))]
#[case::nothing("Content-Length: \r\n\r\n".into())]
#[case::a_terabyte("Content-Length: 1099511627776\r\n\r\n".into())]
#[case::the_largest_number("Content-Length: 18446744073709551615\r\n\r\n".into())]
#[case::a_larger_number("Content-Length: 99999999999999999999999999\r\n\r\n".into())]
#[case::no_length("Content-Type: application/json\r\n\r\n".into())]
#[case::no_header("\r\n\r\n".into())]
#[case::a_request_line("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".into())]
#[case::a_posted_message(format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{STATUS}", STATUS.len()))]
#[case::a_line_without_a_colon(format!("Content-Length {}\r\n\r\n{STATUS}", STATUS.len()))]
#[case::an_endless_header(format!("X-Filler: {}", "x".repeat(1 << 20)))]
#[case::endless_headers("X-Filler: x\r\n".repeat(1 << 16))]
fn unusable_framing_ends_its_connection(#[case] bytes: String) {
    let (machine, workspace) = scene();
    let mut neighbour = Neighbour::of(&machine, &workspace);
    let mut wire = machine.wire(Framing::Headers);
    // The connection may end before all bytes are sent.
    let _ = wire.try_send_bytes(bytes.as_bytes());
    let messages = wire.until_closed();
    assert!(messages.iter().all(|message| message["result"].is_null()), "{messages:?}");
    neighbour.assert_works();
}

#[test]
fn unusable_framing_ends_a_working_session_too() {
    let (machine, workspace) = scene();
    let mut neighbour = Neighbour::of(&machine, &workspace);
    let mut agent = Agent::connect(&machine, Framing::Headers);
    agent.initialize(workspace.session("alice")).done();
    agent.read("neighbour.txt");
    agent.wire().send_bytes(b"Content-Length: -1\r\n\r\n");
    agent.wire().until_closed();
    neighbour.assert_works();
}

#[rstest]
#[case::lower_case("content-length: {}\r\n\r\n")]
#[case::upper_case("CONTENT-LENGTH: {}\r\n\r\n")]
#[case::no_space("Content-Length:{}\r\n\r\n")]
#[case::more_spaces("Content-Length:   {}  \r\n\r\n")]
#[case::another_header_first(
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {}\r\n\r\n"
)]
#[case::another_header_after(
    "Content-Length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"
)]
fn header_names_may_have_any_case_and_any_neighbors(#[case] head: &str) {
    let (machine, workspace) = scene();
    let mut wire = machine.wire(Framing::Headers);
    let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize" });
    message["params"] = workspace.session("alice");
    let body = message.to_string();
    wire.send_bytes(format!("{}{body}", head.replace("{}", &body.len().to_string())).as_bytes());
    assert!(wire.receive()["result"]["capabilities"].is_object());
}

#[rstest]
#[case(Framing::Lines)]
#[case(Framing::Headers)]
fn a_message_may_come_in_pieces_and_several_at_once(#[case] framing: Framing) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = Agent::connect(&machine, framing);
    agent.initialize(workspace.session("alice")).done();
    let read = json!({ "jsonrpc": "2.0", "id": 900, "method": "editd/read", "params": { "path": "a.txt" } })
        .to_string();
    let frame = match framing {
        Framing::Lines => format!("{read}\n"),
        Framing::Headers => format!("Content-Length: {}\r\n\r\n{read}", read.len()),
    };
    for byte in frame.as_bytes() {
        agent.wire().send_bytes(&[*byte]);
    }
    assert_eq!(agent.answer(900).done()["text"], "one\n");
    let twice = [frame.replace("900", "901"), frame.replace("900", "902")].concat();
    agent.wire().send_bytes(twice.as_bytes());
    agent.answer(901).done();
    agent.answer(902).done();
}

#[rstest]
#[case(Framing::Lines)]
#[case(Framing::Headers)]
fn a_message_above_the_limit_ends_the_connection(#[case] framing: Framing) {
    let machine = Machine::configured("[limits]\nmessage_size = 65536\n");
    let workspace = Workspace::file("neighbour.txt", "count 0\n");
    let mut neighbour = Neighbour::of(&machine, &workspace);
    let mut agent = Agent::connect(&machine, framing);
    agent.initialize(workspace.session("alice")).done();
    agent.change(json!({ "kind": "write", "path": "a.txt", "content": "x".repeat(50_000) })).done();
    let body = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{}"}}"#, "x".repeat(1 << 20));
    let frame = match framing {
        Framing::Lines => body + "\n",
        Framing::Headers => format!("Content-Length: {}\r\n\r\n{body}", body.len()),
    };
    let _ = agent.wire().try_send_bytes(frame.as_bytes());
    agent.wire().until_closed();
    neighbour.assert_works();
}

#[test]
fn an_endless_line_is_cut_off() {
    let machine = Machine::configured("[limits]\nmessage_size = 1048576\n");
    let workspace = Workspace::file("neighbour.txt", "count 0\n");
    let mut neighbour = Neighbour::of(&machine, &workspace);
    let mut wire = machine.wire(Framing::Lines);
    wire.send_bytes(b"{\"jsonrpc\":\"");
    let chunk = vec![b'x'; 1 << 16];
    let taken = (0..1_024).take_while(|_| wire.try_send_bytes(&chunk).is_ok()).count();
    assert!(taken < 1_024, "64 MiB of one line were taken");
    wire.until_closed();
    neighbour.assert_works();
}
