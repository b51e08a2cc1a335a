//! Tests of `editd review` for changes that a command has already made.

use rstest::rstest;
use serde_json::{Value, json};

use super::review::Scene;
use crate::support::{Machine, Outcome, Workspace, eventually, numbered_lines, plain};

fn capitals() -> String {
    let text = numbered_lines(40);
    text.replace("line 3\n", "LINE 3\n").replace("line 20\n", "LINE 20\n").replace("line 22\n", "LINE 22\n")
}

/// A command of an agent has capitalized lines 3, 20 and 22 of a file and added a file.
fn scene() -> Scene {
    let machine = Machine::configured("review = \"always\"\n");
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let script = "sed -i 's/^line \\(3\\|20\\|22\\)$/LINE \\1/' a.txt; printf 'one\\ntwo\\n' > new.txt";
    run(&machine, &workspace, script);
    assert_eq!(workspace.text("a.txt"), capitals());
    let mut agent = machine.agent_named("robin", &workspace);
    let review = eventually("the review", || {
        let listed = agent.call("editd/proposals", json!({ "state": "landed" })).done();
        listed["proposals"].get(0).cloned()
    });
    Scene { machine, workspace, agent, proposal: review }
}

fn run(machine: &Machine, workspace: &Workspace, script: &str) -> String {
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", script]);
    let output = command.current_dir(workspace.root()).output().expect("editd can be run");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn each_hunk_is_shown_with_what_was_there_before() {
    let mut scene = scene();
    let typed = scene.review(&["y\r", "n\r", "y\r", "n\r"]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    assert_eq!(scene.capitals(), [3, 22]);
    assert!(!scene.workspace.has("new.txt"));
    assert_eq!(scene.agent.history()[0]["author"], "terminal", "the person has reverted it");
    let shown = plain(&typed.shown);
    assert!(shown.contains("already made"), "{shown}");
    assert!(shown.contains("-line 20\n+LINE 20\n"), "{shown}");
    assert!(shown.contains("Keep this hunk [y,n,a,d,A,D,e,c,s,q,?]? n\n"), "{shown}");
    assert!(shown.contains("\npartly reverted  a.txt +1 -1\nreverted  new.txt +0 -2\n"), "{shown}");
    assert!(!shown.contains("--reopen"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[rstest]
#[case::all_kept(&["A\r", "y\r"], "applied", &[3, 20, 22], 0)]
#[case::all_reverted(&["D\r", "y\r"], "rejected", &[], 0)]
#[case::one_file_reverted(&["d\r", "y\r", "y\r"], "partial", &[], 0)]
#[case::help_and_a_comment(&["?\r", "c\r", "why?\r", "a\r", "y\r", "y\r"], "applied", &[3, 20, 22], 0)]
#[case::one_for_later(&["n\r", "s\r", "n\r", "n\r"], "landed", &[3, 20, 22], 3)]
#[case::the_end_of_the_input(&["n\r", "\u{4}"], "landed", &[3, 20, 22], 3)]
fn answers_have_their_effect(
    #[case] answers: &[&str],
    #[case] state: &str,
    #[case] kept: &[u32],
    #[case] code: i32,
) {
    let mut scene = scene();
    let typed = scene.review(answers);
    assert_eq!((typed.code, scene.state().as_str()), (code, state), "{}", typed.shown);
    assert_eq!(scene.capitals(), kept);
}

#[test]
fn current_lines_are_edited_in_the_persons_editor() {
    let mut scene = scene();
    let editor = ("EDITOR", "sed -i s/LINE/Line/");
    let typed = scene.review_with(&["e\r", "n\r", "y\r", "y\r"], &[editor]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    let expected = numbered_lines(40).replace("line 3\n", "Line 3\n").replace("line 22\n", "LINE 22\n");
    assert_eq!(scene.workspace.text("a.txt"), expected);
    let told = run(&scene.machine, &scene.workspace, "true");
    assert!(told.contains("The user corrected it:") && told.contains("+Line 3"), "{told}");
}

#[test]
fn a_new_file_is_edited_as_a_whole() {
    let mut scene = scene();
    let typed = scene.review_with(&["a\r", "y\r", "e\r"], &[("EDITOR", "sed -i s/two/2/")]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    assert_eq!(scene.workspace.text("new.txt"), "one\n2\n");
    assert_eq!(scene.capitals(), [3, 20, 22]);
}

#[test]
fn a_changed_hunk_is_overwritten_only_with_t() {
    for (answer, line) in [("t\r", "line 20\n"), ("y\r", "mine\n"), ("a\r", "mine\n")] {
        let mut scene = scene();
        scene.workspace.put("a.txt", capitals().replace("LINE 20\n", "mine\n"));
        // `n` is no answer to this question.
        let typed = scene.review(&["y\r", "n\r", answer, "y\r", "y\r"]);
        let shown = plain(&typed.shown);
        assert!(shown.contains("Changed since it was made: t restores the earlier lines"), "{shown}");
        assert!(shown.contains("t  restore the earlier lines, and discard"), "{shown}");
        assert_ne!(scene.state(), "landed", "{shown}");
        assert_eq!(scene.workspace.text("a.txt"), capitals().replace("LINE 20\n", line));
    }
}

#[test]
fn landed_changes_are_listed_beside_proposals_and_decided_without_a_terminal() {
    let mut scene = scene();
    scene.agent.read("a.txt");
    scene.agent.edit("a.txt", "line 5\n", "five\n").done();
    let here = |arguments: &[&str]| {
        let mut command = scene.machine.command(arguments);
        command.current_dir(scene.workspace.root()).output().expect("editd can be run")
    };
    let listed = here(&["review"]);
    let text = String::from_utf8_lossy(&listed.stdout);
    assert_eq!(listed.status.code(), Some(3), "{text}");
    assert!(text.starts_with("2 changes wait for review:\n") && text.contains("already made"), "{text}");
    let json: Value = serde_json::from_slice(&here(&["review", "--output", "json"]).stdout).expect("JSON");
    let states: Vec<_> =
        json["proposals"].as_array().expect("a list").iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["pending", "landed"]);
    let id = scene.proposal["id"].as_str().expect("an id");
    let done = here(&["review", id, "--reject", "--hunk", "2"]);
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    let refused = here(&["review", id, "--accept"]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(told.contains("`h2` was rejected earlier, so keeping all other hunks would revert it"), "{told}");
    let done = here(&["review", id, "--accept", "--hunk", "1", "--hunk", "3", "--hunk", "4"]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(scene.capitals(), [3, 22]);
    let again = here(&["review", id, "--accept"]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), format!("{id} is already partly reverted.\n"));
}

#[test]
fn the_next_command_tells_what_was_reverted() {
    let scene = scene();
    scene.review(&["c\r", "not here\r", "D\r", "y\r"]);
    let told = run(&scene.machine, &scene.workspace, "true");
    assert!(told.contains("editd: The user has reverted what `sh -c"), "{told}");
    assert!(told.contains("not here"), "{told}");
    assert_eq!(run(&scene.machine, &scene.workspace, "true"), "");
}

#[test]
fn links_and_permissions_are_shown_in_words() {
    let machine = Machine::configured("review = \"always\"\n");
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let script = "sed -i 's/^line 3$/LINE 3/' a.txt; chmod 755 a.txt; ln -s a.txt link";
    run(&machine, &workspace, script);
    let mut agent = machine.agent_named("robin", &workspace);
    let proposal = eventually("the review", || {
        let listed = agent.call("editd/proposals", json!({ "state": "landed" })).done();
        listed["proposals"].get(0).cloned()
    });
    let mut scene = Scene { machine, workspace, agent, proposal };
    let typed = scene.review(&["y\r", "n\r", "n\r"]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    let shown = plain(&typed.shown);
    assert!(shown.contains("a.txt  permissions  2 of 2\n-file 644\n+file 755\n"), "{shown}");
    assert!(shown.contains("link  link  1 of 1\n-missing\n+link to a.txt\n"), "{shown}");
    assert!(shown.contains("reverted  a.txt  file 644\nreverted  link  missing\n"), "{shown}");
    assert_eq!(scene.capitals(), [3]);
    assert!(!scene.workspace.has("link"));
}
