//! Nothing to show: one plain line on standard error that says what to do next, and nothing that a script could take
//! for data.

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
#[case(&["list", "bare"], "Nothing is there")]
fn one_line_beside_the_data_says_so(#[case] arguments: &[&str], #[case] next: &str) {
    let (machine, workspace) = scene();
    let mut command = machine.command(arguments);
    let output =
        command.current_dir(workspace.root()).stdin(Stdio::null()).output().expect("editd can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    assert!(said.lines().count() == 1 && said.contains(next), "{said}");
    let typed = converse(&machine, workspace.root(), arguments, &[], &[]);
    assert_eq!((typed.code, plain(&typed.shown)), (0, said.into_owned()));
    let json = machine.command(arguments).args(["--output", "json"]).current_dir(workspace.root()).output();
    let json = json.expect("editd can be run");
    serde_json::from_slice::<Value>(&json.stdout).expect("a script still gets its answer");
    assert!(json.status.success() && json.stderr.is_empty());
}

#[test]
fn what_is_said_of_ignored_files_is_true() {
    let (machine, workspace) = scene();
    let search = |path: &str| {
        let mut command = machine.command(&["search", "one", path]);
        command.current_dir(workspace.root()).output().expect("editd can be run").stdout
    };
    assert_eq!(search("left/out.txt"), b"left/out.txt:1:one\n");
    assert_eq!(search("."), b"./a.txt:1:one\n");
}

#[test]
fn there_may_be_no_daemon_to_stop() {
    let machine = Machine::asleep("");
    let output = machine.run(&["stop"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "No daemon is running.\n");
    let json: Value =
        serde_json::from_slice(&machine.run(&["stop", "--output", "json"]).stdout).expect("an object");
    assert!(json["pid"].is_null() && machine.daemons().is_empty());
}

#[test]
fn the_doctor_and_stop_speak_to_programs() {
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
