//! Tests of `status` and `doctor`.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn the_status_describes_the_daemon() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.propose("a.txt", "one", "two").done();
    let status = agent.call("editd/status", json!({})).done();
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    for key in ["uptime", "sessions", "documents", "memory", "proposals", "limits"] {
        assert!(status.get(key).is_some_and(|value| !value.is_null()), "{key} in {status}");
    }
    assert!(status["limits"].as_object().is_some_and(|limits| !limits.is_empty()), "{status}");
}

#[test]
fn the_status_needs_no_parameters() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    machine.agent(&workspace).call("editd/status", Value::Null).done();
}

#[test]
fn the_limits_in_force_are_those_of_the_configuration() {
    let machine = Machine::configured("[limits]\nfile_size = 123457\n");
    let status = machine.agent(&Workspace::empty()).call("editd/status", json!({})).done();
    assert!(status["limits"].to_string().contains("123457"), "{status}");
}

#[test]
fn the_status_command_prints_the_version() {
    let machine = Machine::start();
    let output = machine.run(&["status"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_status_command_prints_what_the_method_returns() {
    let machine = Machine::start();
    let output = machine.run(&["status", "--output", "json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let status: Value = serde_json::from_slice(&output.stdout).expect("only JSON");
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert!(status["limits"].is_object(), "{status}");
}

#[rstest]
#[case::while_the_daemon_runs(true)]
#[case::while_it_does_not(false)]
fn the_doctor_prints_the_active_settings(#[case] running: bool) {
    let mut machine = Machine::asleep("idle_exit = \"17m\"\n");
    if running {
        machine.serve();
    }
    let output = machine.run(&["doctor"]);
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
    for path in [machine.config_file(), machine.state(), machine.runtime()] {
        assert!(
            report.contains(path.to_str().expect("test paths are UTF-8")),
            "{} in\n{report}",
            path.display()
        );
    }
    for word in ["review", "durability", "process", "idle_exit", "17m"] {
        assert!(report.contains(word), "{word} in\n{report}");
    }
}

#[test]
fn the_doctor_finds_configured_folders_that_are_missing() {
    let workspace = Workspace::empty();
    let missing = workspace.absolute("missing");
    for key in ["roots", "read_roots"] {
        let machine = Machine::asleep(&format!("{key} = [{:?}, {missing:?}]\n", workspace.root()));
        let output = machine.run(&["doctor"]);
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.contains(&format!("{missing} (no such folder)")), "{report}");
        assert!(!output.status.success(), "{report}");
    }
}

#[test]
fn the_doctor_finds_a_broken_configuration() {
    let machine = Machine::asleep("");
    machine.write_config("durability = ");
    let output = machine.run(&["doctor"]);
    let report = [output.stdout, output.stderr].concat();
    assert!(String::from_utf8_lossy(&report).contains("config.toml"));
    assert!(!output.status.success());
}
