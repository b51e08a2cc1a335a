//! Tests of `editd edit` on a terminal: it shows the diff and then asks.

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
fn yes_applies_the_edit(#[case] answer: &str) {
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
fn any_other_answer_leaves_the_file_unchanged(#[case] answer: &str) {
    let (machine, workspace) = scene();
    let typed = edit(&machine, &workspace, answer, &[]);
    assert_shows_diff(&typed.shown);
    assert_eq!(typed.code, 3, "rejected by a person: {}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
}

/// A file with a function, in a folder with another one.
fn code() -> (Machine, Workspace) {
    let files = [("a.py", "def two():\n    return one\n\n\nx = two()\n"), ("b.py", "import a\na.two()\n")];
    (Machine::start(), Workspace::with(&files))
}

#[rstest]
#[case::rename(&["rename", "a.py", "two", "zwei"])]
#[case::rename_in_all_files(&["rename", "a.py", "two", "zwei", "--glob", "*.py"])]
#[case::words_of_all_files(&["edit", ".", "--glob", "*.py", "--old", "two", "--new", "zwei", "--word", "--all"])]
#[case::pattern(&["edit", "a.py", "--old", "t.o", "--new", "zwei", "--regex", "--all"])]
#[case::scope(&["edit", "a.py", "--symbol", "two", "--old", "two", "--new", "zwei"])]
fn all_forms_show_the_diff_and_ask(#[case] arguments: &[&str], #[values(true, false)] is_accepted: bool) {
    let (machine, workspace) = code();
    let before = ["a.py", "b.py"].map(|name| workspace.text(name));
    let path = workspace.absolute(arguments[1]);
    let arguments = [&arguments[..1], &[path.as_str()], &arguments[2..]].concat();
    let typed = type_into(&machine, &arguments, if is_accepted { "y\r" } else { "n\r" }, &[]);
    let shown = plain(&typed.shown);
    let has =
        |sign: char, word: &str| shown.lines().any(|line| line.starts_with(sign) && line.contains(word));
    assert!(has('-', "two") && has('+', "zwei"), "{shown}");
    assert_eq!(typed.code, if is_accepted { 0 } else { 3 }, "{shown}");
    let after = ["a.py", "b.py"].map(|name| workspace.text(name));
    assert_eq!(after != before, is_accepted, "{shown}");
    assert!(!is_accepted || after[0].starts_with("def zwei()"), "{after:?}");
}

#[rstest]
#[case::moved(&["move", "1-2", "--after", "5"], "+def two():")]
#[case::moved_by_name(&["move", "--symbol", "two", "--after", "5"], "+x = two()")]
fn moves_show_the_diff_and_ask(#[case] rest: &[&str], #[case] expected: &str) {
    let (machine, workspace) = code();
    let path = workspace.absolute("a.py");
    let arguments: Vec<&str> = [&rest[..1], &[path.as_str()], &rest[1..]].concat();
    let before = workspace.text("a.py");
    let typed = type_into(&machine, &arguments, "n\r", &[]);
    assert!(plain(&typed.shown).lines().any(|line| line == expected), "{}", plain(&typed.shown));
    assert_eq!((typed.code, workspace.text("a.py")), (3, before));
    let typed = type_into(&machine, &arguments, "y\r", &[]);
    assert_eq!(typed.code, 0, "{}", typed.shown);
    assert!(workspace.text("a.py").ends_with("def two():\n    return one\n"), "{}", workspace.text("a.py"));
}

#[test]
fn the_diff_is_coloured() {
    let (machine, workspace) = scene();
    let shown = edit(&machine, &workspace, "n\r", &[]).shown;
    assert!(shown.contains("\u{1b}["), "{shown:?}");
}

#[test]
fn colours_can_be_disabled() {
    let (machine, workspace) = scene();
    let shown = edit(&machine, &workspace, "n\r", &[("NO_COLOR", "1")]).shown;
    assert_shows_diff(&shown);
    assert!(!shown.contains("\u{1b}["), "{shown:?}");
}

#[test]
fn a_refusal_is_printed_without_a_question() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let typed = type_into(&machine, &["edit", &path, "--old", "absent", "--new", "x"], "y\r", &[]);
    assert_eq!(typed.code, 1, "{}", typed.shown);
    assert!(!typed.shown.trim().is_empty());
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn a_stale_base_is_refused_on_a_terminal() {
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
fn a_base_does_not_replace_the_answer(#[case] answer: &str, #[case] code: i32, #[case] after: &str) {
    let (machine, workspace) = scene();
    let (path, base) = (workspace.absolute("a.txt"), hash_of("one\ntwo\nthree\n"));
    let arguments = ["edit", &path, "--old", "two", "--new", "zwei", "--base", &base];
    let typed = type_into(&machine, &arguments, answer, &[]);
    assert_shows_diff(&typed.shown);
    assert_eq!(typed.code, code, "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), after);
}

#[test]
fn yes_as_an_option_skips_the_question() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let arguments = ["edit", &path, "--old", "two", "--new", "zwei", "--yes"];
    let typed = type_into(&machine, &arguments, "n\r", &[]);
    assert!(typed.code == 0 && !typed.shown.contains("[y/N]"), "{}", typed.shown);
    assert_eq!(workspace.text("a.txt"), "one\nzwei\nthree\n");
}

#[test]
fn control_characters_in_a_file_do_not_reach_the_terminal() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "\u{1b}]0;owned\u{7}\ntwo\n"));
    let typed = edit(&machine, &workspace, "n\r", &[]);
    assert!(!typed.shown.contains("\u{1b}]0;"), "{:?}", typed.shown);
}

#[test]
fn a_daemon_started_by_a_command_outlives_its_terminal() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    assert_eq!(edit(&machine, &workspace, "y\r", &[]).code, 0);
    assert_eq!(machine.daemons().len(), 1);
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one\nzwei\nthree\n");
}

#[rstest]
#[case("y\r", 0, "on: pull\n")]
#[case("n\r", 3, "on: push\n")]
fn the_person_at_the_terminal_decides_changes_that_need_review(
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
    let stderr = String::from_utf8_lossy(&unasked.stderr).into_owned();
    assert_eq!(unasked.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("--review") && !stderr.contains("the user") && !stderr.contains("`review: true`"),
        "{stderr}"
    );
}
