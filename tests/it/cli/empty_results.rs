//! Tests of empty results: one line on standard error with the next step, and no output that a script could
//! take for data.

use std::process::Stdio;

use rstest::rstest;
use serde_json::Value;

use crate::support::{Machine, Workspace, converse, plain};

fn scene() -> (Machine, Workspace) {
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("empty.txt", ""), (".gitignore", "left/\n")]);
    workspace.put(".git/HEAD", "");
    workspace.put("left/out.txt", "one\n");
    std::fs::create_dir(workspace.path("bare")).expect("a folder");
    (Machine::start(), workspace)
}

#[rstest]
#[case(&["log"], "editd edit")]
#[case(&["log", "a.txt"], "a.txt")]
#[case(&["blame", "empty.txt"], "no lines")]
#[case(&["proposals"], "editd review")]
#[case(&["review"], "editd log")]
#[case(&["search", "absent"], "left out: 1 file")]
#[case(&["find", "*.absent"], "left out")]
#[case(&["list", "bare"], "No entries")]
fn an_empty_result_is_one_line_on_standard_error(#[case] arguments: &[&str], #[case] next: &str) {
    let (machine, workspace) = scene();
    let mut command = machine.command(arguments);
    let output =
        command.current_dir(workspace.root()).stdin(Stdio::null()).output().expect("editd can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{stderr}");
    assert!(stderr.lines().count() == 1 && stderr.contains(next), "{stderr}");
    let typed = converse(&machine, workspace.root(), arguments, &[], &[]);
    assert_eq!((typed.code, plain(&typed.shown)), (0, stderr.into_owned()));
    let json = machine.command(arguments).args(["--output", "json"]).current_dir(workspace.root()).output();
    let json = json.expect("editd can be run");
    serde_json::from_slice::<Value>(&json.stdout).expect("a script still gets an answer");
    assert!(json.status.success() && json.stderr.is_empty());
}

#[test]
fn an_ignored_file_can_be_searched_by_its_path() {
    let (machine, workspace) = scene();
    let search = |path: &str| {
        let mut command = machine.command(&["search", "one", path]);
        command.current_dir(workspace.root()).output().expect("editd can be run").stdout
    };
    assert_eq!(search("left/out.txt"), b"left/out.txt:1:one\n");
    assert_eq!(search("."), b"./a.txt:1:one\n");
}

#[test]
fn stop_succeeds_without_a_daemon() {
    let machine = Machine::asleep("");
    let output = machine.run(&["stop"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "No daemon is running.\n");
    let json: Value =
        serde_json::from_slice(&machine.run(&["stop", "--output", "json"]).stdout).expect("an object");
    assert!(json["pid"].is_null() && machine.daemons().is_empty());
}

#[test]
fn doctor_and_stop_have_json_output() {
    let machine = Machine::start();
    let doctor: Value =
        serde_json::from_slice(&machine.run(&["doctor", "--output", "json"]).stdout).expect("an object");
    assert_eq!(doctor["well"], true, "{doctor}");
    let findings = doctor["findings"].as_array().expect("a list");
    let of = |what: &str| findings.iter().find(|it| it["what"] == what).expect("a finding");
    assert!(of("review")["detail"] == "off" && of("daemon")["well"] == true, "{doctor}");
    let stop: Value =
        serde_json::from_slice(&machine.run(&["stop", "--output", "json"]).stdout).expect("an object");
    assert!(stop["pid"].as_u64().is_some(), "{stop}");
}

#[test]
fn the_doctor_names_a_system_with_weaker_promises() {
    let machine = Machine::asleep("");
    for (system, is_weaker) in [("portable", true), ("", false)] {
        let output =
            machine.command(&["doctor"]).env("EDITD_SYSTEM", system).output().expect("it can be run");
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(report.contains("docs/reliability.md"), is_weaker, "{report}");
    }
}
