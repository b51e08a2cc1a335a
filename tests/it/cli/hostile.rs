//! Tests with names, labels and texts that contain terminal control sequences or wide characters.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Screen, Workspace, converse_on, plain};

/// Clears the screen, sets the title, returns to the start of the line, and reverses the text direction.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\u{9b}31m\u{202e}";
const WIDE: &str = "日本語のとても長い名前のファイル😀";

/// Creates a project in which a hostile agent has changed files and proposes further changes.
fn scene() -> (Machine, Workspace) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let file = format!("{EVIL}.txt");
    workspace.put(".git/HEAD", "");
    workspace.put(&file, format!("one {EVIL}\ntwo\n"));
    workspace.put(&format!("{WIDE}.txt"), "one\ntwo\n");
    for (author, file) in [(format!("mallory{EVIL}"), &file), (WIDE.to_owned(), &format!("{WIDE}.txt"))] {
        let mut agent = machine.agent_named(&author, &workspace);
        agent.read(file);
        let edit = json!({ "label": format!("{EVIL}{WIDE}"), "path": file, "oldText": "two", "newText": format!("three {EVIL}") });
        agent.call("editd/edit", edit).done();
        let wanted = json!({ "label": format!("{EVIL}{WIDE}"), "path": file, "oldText": "one", "newText": EVIL, "review": true });
        agent.call("editd/edit", wanted).done();
    }
    (machine, workspace)
}

/// Asserts that the terminal receives no escape sequences except colours, and no line wider than itself.
#[track_caller]
fn assert_harmless(shown: &str, columns: usize, whole_lines: bool) {
    let mut text = String::new();
    let mut rest = shown;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        let end = after.find('m').unwrap_or_else(|| panic!("no colour: {shown:?}"));
        let is_colour = after[..end]
            .strip_prefix('[')
            .is_some_and(|it| it.chars().all(|c| c.is_ascii_digit() || c == ';'));
        assert!(is_colour, "{:?} in {shown:?}", &after[..=end]);
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    for line in text.replace("\r\n", "\n").lines() {
        assert!(!line.contains(|c: char| c.is_control() && c != '\t'), "{line:?}");
        assert!(!line.contains('\u{202e}'), "{line:?}");
        assert!(!whole_lines || width(line) <= columns, "{} columns, not {columns}: {line}", width(line));
    }
}

/// Approximates the width of a line on a terminal.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c >= '\u{1100}' && !('\u{2000}'..='\u{2bff}').contains(&c) { 2 } else { 1 }).sum()
}

#[rstest]
#[case::log(&["log"], &[], true)]
#[case::review(&["review"], &["s\r", "s\r"], false)]
#[case::search(&["search", "one|three"], &[], false)]
#[case::find(&["find", "*.txt"], &[], false)]
#[case::list(&["list"], &[], false)]
#[case::status(&["status"], &[], false)]
#[case::doctor(&["doctor"], &[], false)]
#[case::proposals(&["proposals"], &[], false)]
fn control_sequences_do_not_reach_the_terminal(
    #[case] arguments: &[&str],
    #[case] answers: &[&str],
    #[case] whole_lines: bool,
    #[values(40, 80, 200)] columns: usize,
) {
    let (machine, workspace) = scene();
    let screen = Screen { columns, environment: &[] };
    let typed = converse_on(screen, &machine, workspace.root(), arguments, answers);
    assert!([0, 3].contains(&typed.code) && !typed.shown.is_empty(), "{}", typed.shown);
    assert_harmless(&typed.shown, columns, whole_lines);
}

#[test]
fn json_output_cannot_control_the_terminal() {
    let (machine, workspace) = scene();
    for arguments in [&["log"][..], &["list"], &["search", "three"], &["read", "no\u{9b}31m"]] {
        let screen = Screen { columns: 80, environment: &[] };
        let arguments = [arguments, &["--output", "json"]].concat();
        assert_harmless(&converse_on(screen, &machine, workspace.root(), &arguments, &[]).shown, 80, false);
    }
}

#[rstest]
#[case::read(&["read"], &[], &[])]
#[case::blame(&["blame"], &[], &[])]
#[case::edit(&["edit"], &["--old", "three", "--new", "four"], &["y\r"])]
#[case::not_found(&["edit"], &["--old", "absent", "--new", "four", "--yes"], &[])]
#[case::write(&["write"], &["/dev/null"], &["y\r"])]
#[case::undo(&["undo", "--path"], &[], &["y\r"])]
#[case::log(&["log"], &[], &[])]
fn a_hostile_file_is_shown_safely(#[case] before: &[&str], #[case] after: &[&str], #[case] answers: &[&str]) {
    let (machine, workspace) = scene();
    let file = format!("{EVIL}.txt");
    let screen = Screen { columns: 80, environment: &[] };
    let arguments = [before, &[file.as_str()], after].concat();
    let typed = converse_on(screen, &machine, workspace.root(), &arguments, answers);
    assert!([0, 1].contains(&typed.code), "{}", typed.shown);
    assert_harmless(&typed.shown, 80, false);
    let missing = format!("no{EVIL}");
    let arguments = [before, &[missing.as_str()], after].concat();
    let screen = Screen { columns: 80, environment: &[] };
    assert_harmless(&converse_on(screen, &machine, workspace.root(), &arguments, answers).shown, 80, false);
}

#[test]
fn columns_are_aligned_in_any_alphabet() {
    let (machine, workspace) = scene();
    let screen = Screen { columns: 80, environment: &[("NO_COLOR", "1")] };
    let shown = plain(&converse_on(screen, &machine, workspace.root(), &["log"], &[]).shown);
    let places: Vec<_> =
        shown.lines().map(|line| width(line.split(" s  ").next().expect("a time"))).collect();
    assert!(places.len() == 2 && places[0] == places[1], "{shown}");
    assert!(shown.lines().all(|line| line.ends_with('…')), "truncated lines are marked: {shown}");
}

#[rstest]
#[case(&[("NO_COLOR", "1")])]
#[case(&[("TERM", "dumb")])]
#[case(&[("TERM", "dumb"), ("CI", "true")])]
fn colours_can_be_disabled(#[case] environment: &[(&str, &str)]) {
    let (machine, workspace) = scene();
    for arguments in [&["log"][..], &["doctor"], &["list"], &["--help"], &["unheard-of"]] {
        let screen = Screen { columns: 80, environment };
        let typed = converse_on(screen, &machine, workspace.root(), arguments, &[]);
        assert!(!typed.shown.contains('\u{1b}'), "{:?}", typed.shown);
    }
}

#[test]
fn a_pipe_gets_colours_only_if_they_are_forced() {
    let (machine, workspace) = scene();
    let log = |name: &str, value: &str| {
        let mut command = machine.command(&["log"]);
        let output =
            command.current_dir(workspace.root()).env(name, value).output().expect("editd can be run");
        output.stdout.contains(&0x1b)
    };
    assert!(!log("TERM", "xterm") && log("CLICOLOR_FORCE", "1"));
}
