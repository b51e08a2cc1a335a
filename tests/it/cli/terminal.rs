//! `editd edit` on a terminal: the diff first, then the question.

use rstest::rstest;

use crate::support::{Machine, Typed, Workspace, hash_of, plain, type_into};

fn edit(machine: &Machine, workspace: &Workspace, answer: &str, environment: &[(&str, &str)]) -> Typed {
    let path = workspace.absolute("a.txt");
    type_into(machine, &["edit", &path, "--old", "two", "--new", "zwei"], answer, environment)
}

fn scene() -> (Machine, Workspace) {
    (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"))
}

#[track_caller]
fn assert_shows_diff(shown: &str) {
    let plain = plain(shown);
    let lines: Vec<&str> = plain.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with('-') && line.contains("two")), "{plain}");
    assert!(lines.iter().any(|line| line.starts_with('+') && line.contains("zwei")), "{plain}");
    assert!(plain.contains("one") && plain.contains("three"), "the context is shown: {plain}");
}

#[rstest]
#[case("y\r")]
#[case("Y\r")]
#[case("yes\r")]
fn a_yes_makes_the_edit(#[case] answer: &str) {
    let (machine, workspace) = scene();
    let typed = edit(&machine, &workspace, answer, &[]);
    assert_shows_diff(&typed.shown);
    assert_eq!(typed.code, 0, "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "one\nzwei\nthree\n");
}

#[rstest]
#[case::no("n\r")]
#[case::just_enter("\r")]
#[case::end_of_input("\u{4}")]
#[case::neither("perhaps\rn\r")]
fn anything_else_leaves_the_file_alone(#[case] answer: &str) {
    let (machine, workspace) = scene();
    let typed = edit(&machine, &workspace, answer, &[]);
    assert_shows_diff(&typed.shown);
    assert_eq!(typed.code, 3, "rejected by a person: {}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn the_diff_is_coloured() {
    let (machine, workspace) = scene();
    let shown = edit(&machine, &workspace, "n\r", &[]).shown;
    assert!(shown.contains("\u{1b}["), "{shown:?}");
}

#[test]
fn colours_can_be_declined() {
    let (machine, workspace) = scene();
    let shown = edit(&machine, &workspace, "n\r", &[("NO_COLOR", "1")]).shown;
    assert_shows_diff(&shown);
    assert!(!shown.contains("\u{1b}["), "{shown:?}");
}

#[test]
fn a_refusal_is_said_without_a_question() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let typed = type_into(&machine, &["edit", &path, "--old", "absent", "--new", "x"], "y\r", &[]);
    assert_eq!(typed.code, 1, "{}", typed.shown);
    assert!(!typed.shown.trim().is_empty());
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn the_file_may_not_change_between_diff_and_answer() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let stale = "b3:00000000000000000000000000000000";
    let typed =
        type_into(&machine, &["edit", &path, "--old", "two", "--new", "x", "--base", stale], "y\r", &[]);
    assert_eq!(typed.code, 1, "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
}

#[rstest]
#[case("y\r", 0, "one\nzwei\nthree\n")]
#[case("n\r", 3, "one\ntwo\nthree\n")]
fn a_base_does_not_take_the_place_of_an_answer(#[case] answer: &str, #[case] code: i32, #[case] after: &str) {
    let (machine, workspace) = scene();
    let (path, base) = (workspace.absolute("a.txt"), hash_of("one\ntwo\nthree\n"));
    let arguments = ["edit", &path, "--old", "two", "--new", "zwei", "--base", &base];
    let typed = type_into(&machine, &arguments, answer, &[]);
    assert_shows_diff(&typed.shown);
    assert_eq!(typed.code, code, "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn a_yes_given_before_is_not_asked_for() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let arguments = ["edit", &path, "--old", "two", "--new", "zwei", "--yes"];
    let typed = type_into(&machine, &arguments, "n\r", &[]);
    assert!(typed.code == 0 && !typed.shown.contains("[y/N]"), "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "one\nzwei\nthree\n");
}

#[test]
fn a_terminals_control_characters_in_a_file_are_not_sent_to_it() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "\u{1b}]0;owned\u{7}\ntwo\n"));
    let typed = edit(&machine, &workspace, "n\r", &[]);
    assert!(!typed.shown.contains("\u{1b}]0;"), "{:?}", typed.shown);
}

#[test]
fn the_daemon_that_a_command_started_outlives_its_terminal() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    assert_eq!(edit(&machine, &workspace, "y\r", &[]).code, 0);
    assert_eq!(machine.daemons().len(), 1);
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one\nzwei\nthree\n");
}

#[rstest]
#[case("y\r", 0, "on: pull\n")]
#[case("n\r", 3, "on: push\n")]
fn who_is_at_the_terminal_decides_what_a_person_has_to(
    #[case] answer: &str,
    #[case] code: i32,
    #[case] after: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file(".github/workflows/ci.yml", "on: push\n"));
    let path = workspace.absolute(".github/workflows/ci.yml");
    let arguments = ["edit", &path, "--old", "push", "--new", "pull"];
    let typed = type_into(&machine, &arguments, answer, &[]);
    assert_eq!(typed.code, code, "{}", typed.shown);
    assert!(plain(&typed.shown).contains("+on: pull"), "{}", typed.shown);
    assert_eq!(workspace.text(".github/workflows/ci.yml"), after);
    let waiting = machine.run(&["proposals", "--output", "json"]);
    assert!(!String::from_utf8_lossy(&waiting.stdout).contains("pending"), "{waiting:?}");
    let unasked = machine.run(&["edit", &path, "--old", "pu", "--new", "x", "--yes"]);
    let said = String::from_utf8_lossy(&unasked.stderr).into_owned();
    assert_eq!(unasked.status.code(), Some(1), "{said}");
    assert!(
        said.contains("--review") && !said.contains("the user") && !said.contains("`review: true`"),
        "{said}"
    );
}
