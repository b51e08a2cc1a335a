//! Tests of `editd read`, wrong usage, help and version.

use rstest::rstest;
use serde_json::Value;

use crate::support::{Machine, Workspace, hash_of};

#[test]
fn read_prints_the_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\r\ntwo"));
    let output = machine.run(&["read", &workspace.absolute("a.txt")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.starts_with(b"one\r\ntwo"), "{:?}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_partial_read_names_the_option_to_continue() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let output = machine.run(&["read", &workspace.absolute("a.txt"), "--limit", "2"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("continue with `--offset 3`"), "{stderr}");
}

#[test]
fn the_hash_that_read_prints_is_a_base() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let output = machine.run(&["read", &path, "--output", "json"]);
    let read: Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!((read["text"].as_str(), read["hash"].as_str()), (Some("one\n"), Some(&*hash_of("one\n"))));
    let base = read["hash"].as_str().expect("a hash");
    let output = machine.run(&["edit", &path, "--old", "one", "--new", "two", "--base", base]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn a_refused_read_reports_an_error() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let output = machine.run(&["read", &workspace.absolute("no.txt")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

#[rstest]
#[case(&[])]
#[case(&["unheard-of"])]
#[case(&["status", "--unheard-of"])]
#[case(&["serve", "--state-dir"])]
fn usage_errors_have_their_own_exit_code(#[case] arguments: &[&str]) {
    let machine = Machine::asleep("");
    assert_eq!(machine.run(arguments).status.code(), Some(2));
    assert!(machine.daemons().is_empty());
}

#[rstest]
#[case(&["--help"], "edit")]
#[case(&["edit", "--help"], "--old")]
#[case(&["--version"], env!("CARGO_PKG_VERSION"))]
fn help_and_version_need_no_daemon(#[case] arguments: &[&str], #[case] word: &str) {
    let machine = Machine::asleep("");
    let output = machine.run(arguments);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains(word));
    assert!(machine.daemons().is_empty());
}
