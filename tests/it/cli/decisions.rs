//! Tests of decisions in `editd review` about whole proposals, without a question, and in an editor.

use serde_json::{Value, json};

use super::review::{Scene, scene};
use crate::support::{Machine, Outcome, Workspace, converse, eventually, numbered_lines, plain};

/// Decides the proposal of a scene without a question. Returns the exit code and what is printed.
fn decide(scene: &Scene, arguments: &[&str]) -> (Option<i32>, String) {
    let id = scene.proposal["id"].as_str().expect("an id");
    let mut command = scene.machine.command(&[&["review", id], arguments].concat());
    let output = command.current_dir(scene.workspace.root()).output().expect("editd runs");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&printed).into_owned())
}

#[test]
fn a_new_file_can_be_edited_before_it_is_created() {
    let mut scene = scene();
    let editor = ("EDITOR", "sed -i s/two/zwei/");
    let typed = scene.review_with(&["a\r", "y\r", "e\r"], &[editor]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "applied"), "{}", typed.shown);
    assert_eq!(scene.workspace.text("notes/new.txt"), "one\nzwei\n");
}

#[test]
fn unchanged_lines_from_the_editor_are_asked_again() {
    let mut scene = scene();
    let typed = scene.review_with(&["e\r", "n\r", "d\r", "n\r"], &[("EDITOR", "true"), ("NO_COLOR", "1")]);
    assert!(plain(&typed.shown).contains("Nothing was edited."), "{}", typed.shown);
    assert_eq!((typed.code, scene.state().as_str()), (0, "rejected"));
}

#[test]
fn accepting_the_whole_proposal_still_asks_about_conflicts() {
    let mut scene = scene();
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 20\n", "mine\n"));
    let typed = scene.review(&["A\r", "y\r", "n\r"]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    assert_eq!(scene.capitals(), [3, 22]);
    assert!(scene.workspace.has("notes/new.txt"));
}

#[test]
fn accepting_the_whole_proposal_names_the_files_that_were_not_shown() {
    let mut scene = scene();
    let typed = scene.review(&["A\r", "n\r", "q\r"]);
    let shown = plain(&typed.shown);
    let question = "3 hunks were not shown yet: a.txt (2), notes/new.txt (1).\nAccept them, too? [y/N] n\n";
    assert!(shown.contains(question), "{shown}");
    assert_eq!(scene.hunk_states(), ["pending"; 4], "nothing is accepted before the answer");
    let typed = scene.review(&["A\r", "y\r"]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "applied"), "{}", typed.shown);
}

#[test]
fn of_many_files_that_were_not_shown_the_first_are_named_and_the_rest_is_counted() {
    let machine = Machine::configured("review = \"always\"\n");
    let workspace = Workspace::empty();
    let mut agent = machine.agent(&workspace);
    let names = ["1", "2", "3", "4\u{1b}[2J\u{202e}", "5", "6", "7", "8"];
    let create = |name| json!({ "kind": "write", "path": format!("{name}.txt"), "content": "new\n" });
    let proposal = agent.changes(names.map(create).to_vec()).done();
    let review = |answers: &[&str]| {
        converse(&machine, workspace.root(), &["review"], answers, &[("NO_COLOR", "1")]).shown
    };
    let shown = plain(&review(&["A\r", "n\r", "q\r"])).replace('\n', " ");
    let listed = "2.txt (1), 3.txt (1), 4␛[2J<U+202E>.txt (1), 5.txt (1), 6.txt (1) and 2 more files.";
    assert!(shown.contains(&format!("7 hunks were not shown yet: {listed}")), "{shown}");
    // The first two are shown one by one.
    let shown = plain(&review(&["y\r", "A\r", "y\r"])).replace('\n', " ");
    assert!(
        shown.contains("6 hunks were not shown yet: 3.txt (1), ") && shown.contains("1 more file."),
        "{shown}"
    );
    assert_eq!(agent.state_of(&proposal), "applied");
}

#[test]
fn accepting_the_whole_proposal_names_and_keeps_a_rejected_hunk() {
    let mut scene = scene();
    let typed = scene.review(&["n\r", "A\r", "y\r"]);
    let shown = plain(&typed.shown);
    let (_, notes) = shown.split_once("1 hunk was rejected before and stays so: a.txt:3.\n").expect(&shown);
    assert!(notes.starts_with("2 hunks were not shown yet: a.txt (1), notes/new.txt (1).\n"), "{shown}");
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{shown}");
    assert_eq!(scene.capitals(), [20, 22]);
}

#[test]
fn a_hunk_that_was_rejected_by_a_command_is_named_and_stays() {
    let mut at_a_terminal = scene();
    assert_eq!(decide(&at_a_terminal, &["--reject", "--hunk", "2", "--hunk", "4"]).0, Some(3));
    let typed = at_a_terminal.review(&["A\r", "y\r"]);
    let shown = plain(&typed.shown).replace('\n', " ");
    assert!(shown.contains("2 hunks were rejected before and stay so: a.txt:20, notes/new.txt. "), "{shown}");
    assert_eq!((at_a_terminal.state().as_str(), at_a_terminal.capitals()), ("partial", vec![3, 22]));
    let mut by_a_command = scene();
    assert_eq!(decide(&by_a_command, &["--reject", "--hunk", "2", "--hunk", "4"]).0, Some(3));
    let (code, printed) = decide(&by_a_command, &["--accept"]);
    assert!(code == Some(0) && printed.contains("Rejected before, and still so: h2, h4."), "{printed}");
    assert_eq!((by_a_command.state().as_str(), by_a_command.capitals()), ("partial", vec![3, 22]));
    assert!(!by_a_command.workspace.has("notes/new.txt"));
}

/// Replaces the proposal of a scene: the third hunk is another one, and the others are the same.
fn replace(scene: &mut Scene) -> Value {
    let edit = |number: u32, new: &str| json!({ "oldText": format!("line {number}\n"), "newText": new });
    let edits = [edit(3, "LINE 3\n"), edit(20, "LINE 20\n"), edit(22, "Line 22!\n")];
    let changes = json!([
        { "kind": "edit", "path": "a.txt", "edits": edits },
        { "kind": "write", "path": "notes/new.txt", "content": "one\ntwo\n" },
    ]);
    let call = json!({ "changes": changes, "replaces": scene.proposal["id"] });
    scene.agent.call("editd/edit", call).done()
}

#[test]
fn decisions_stay_on_equal_hunks_if_the_author_replaces_the_proposal() {
    for answers in [&["y\r", "n\r", "y\r", "q\r"][..], &[]] {
        let mut scene = scene();
        if answers.is_empty() {
            decide(&scene, &["--accept", "--hunk", "1", "--hunk", "3"]);
            decide(&scene, &["--reject", "--hunk", "2"]);
        } else {
            assert_eq!(scene.review(answers).code, 3);
        }
        assert_eq!(scene.hunk_states(), ["accepted", "rejected", "accepted", "pending"]);
        let old = scene.proposal["id"].as_str().expect("an id").to_owned();
        scene.proposal = replace(&mut scene);
        assert_eq!(scene.hunk_states(), ["accepted", "rejected", "pending", "pending"]);
        // Only the new hunk and the one that was open are asked about.
        let typed = scene.review(&["y\r", "y\r"]);
        let shown = plain(&typed.shown).replace('\n', " ");
        assert!(shown.contains(&format!("note: It replaces `{old}`; 2 of 4 hunks are the same")), "{shown}");
        assert!(shown.contains("+Line 22! ") && shown.contains("+two "), "{shown}");
        assert!(!shown.contains("+LINE 3 ") && !shown.contains("+LINE 20 "), "{shown}");
        assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{shown}");
        let expected = numbered_lines(40).replace("line 3\n", "LINE 3\n").replace("line 22\n", "Line 22!\n");
        assert_eq!(scene.workspace.text("a.txt"), expected);
    }
}

#[test]
fn a_proposal_can_be_decided_without_a_question() {
    let mut accepted = scene();
    let (code, printed) = decide(&accepted, &["--accept"]);
    assert_eq!((code, accepted.state().as_str()), (Some(0), "applied"), "{printed}");
    assert_eq!(accepted.capitals(), [3, 20, 22]);
    let (code, printed) = decide(&accepted, &["--reject"]);
    assert!(code == Some(0) && printed.contains("is already applied"), "{printed}");
    let mut rejected = scene();
    assert_eq!(decide(&rejected, &["--reject"]).0, Some(0));
    assert_eq!((rejected.state().as_str(), rejected.capitals()), ("rejected", Vec::new()));
    let mut in_part = scene();
    let (code, printed) = decide(&in_part, &["--accept", "--hunk", "1", "--hunk", "h3"]);
    assert!(code == Some(3) && printed.contains("Still to be decided: h2, h4."), "{printed}");
    let (code, printed) = decide(&in_part, &["--reject"]);
    assert!(code == Some(1) && printed.contains("`h1`, `h3` were accepted earlier"), "{printed}");
    assert!(printed.contains("`--reject --hunk 1 --hunk 3`"), "{printed}");
    assert_eq!(decide(&in_part, &["--reject", "--hunk", "2", "--hunk", "4"]).0, Some(0));
    assert_eq!((in_part.state().as_str(), in_part.capitals()), ("partial", vec![3, 22]));
    let (code, printed) = decide(&in_part, &["--hunk", "1"]);
    assert!(code == Some(2) && printed.contains("--hunk requires"), "{printed}");
}

#[test]
fn a_proposal_that_its_author_discards_during_the_review_is_reported() {
    let scene = scene();
    let id = scene.proposal["id"].as_str().expect("an id").to_owned();
    let (begun, gone) = (scene.machine.home().join("begun"), scene.machine.home().join("gone"));
    let editor = format!(
        "touch {}; until [ -e {} ]; do sleep 0.05; done; sed -i s/LINE/Line/",
        begun.display(),
        gone.display()
    );
    let mut agent = scene.agent;
    let withdrawn = std::thread::spawn(move || {
        eventually("the person edits", || begun.exists().then_some(()));
        agent.call("editd/discard", json!({ "id": id, "reason": "no longer needed" })).done();
        std::fs::write(gone, "").expect("a file");
    });
    let answers = ["e\r", "y\r", "y\r", "y\r"];
    let environment = [("EDITOR", &*editor), ("NO_COLOR", "1")];
    let typed = converse(&scene.machine, scene.workspace.root(), &["review"], &answers, &environment);
    withdrawn.join().expect("the proposal is discarded");
    let shown = plain(&typed.shown);
    assert!(shown.contains("discarded") && typed.code == 0, "{shown}");
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40));
}

#[test]
fn ctrl_c_keeps_the_decisions_that_were_made() {
    let mut scene = scene();
    let typed = scene.review(&["y\r", "n\r", "c\r", "louder\r", "\u{3}"]);
    assert!(typed.code < 0 || typed.code > 2, "{}", typed.code);
    assert_eq!(scene.hunk_states(), ["accepted", "rejected", "pending", "pending"]);
    let typed = scene.review(&["y\r", "y\r"]);
    assert!(plain(&typed.shown).contains("earlier comment: louder"), "{}", typed.shown);
    assert_eq!((typed.code, scene.capitals()), (0, vec![3, 22]));
}

#[test]
fn lines_that_were_edited_survive_ctrl_c_in_a_file_that_is_named() {
    let mut scene = scene();
    let typed =
        scene.review_with(&["e\r", "y\r", "\u{3}"], &[("EDITOR", "sed -i s/LINE/Line/"), ("NO_COLOR", "1")]);
    let shown = plain(&typed.shown).replace('\n', "");
    let (_, after) = shown.split_once("until then, your lines are in ").expect("a path");
    let (path, _) = after.split_once(".txt.").expect("a path");
    assert_eq!(std::fs::read_to_string(format!("{path}.txt")).expect("the lines"), "Line 3\n");
    assert_eq!(scene.hunk_states(), ["pending", "accepted", "pending", "pending"]);
    // Left for later, they are not lost either.
    let typed = scene.review_with(&["e\r", "q\r"], &[("EDITOR", "sed -i s/LINE/Line/"), ("NO_COLOR", "1")]);
    assert_eq!(typed.code, 3, "{}", typed.shown);
    assert!(plain(&typed.shown).contains("Your edited lines were not sent"), "{}", typed.shown);
}

#[test]
fn a_long_line_shows_its_change_wherever_that_is() {
    let machine = Machine::configured("review = \"always\"\n");
    let line = |middle: &str| format!("{}{middle}{}\n", "word ".repeat(8_000), "more ".repeat(7_600));
    let workspace = Workspace::file("long.txt", line("old "));
    let mut agent = machine.agent(&workspace);
    agent.read("long.txt");
    let write = json!({ "kind": "write", "path": "long.txt", "content": line("n\u{202e}e\u{200b}w ") });
    let proposal = agent.changes(vec![write]).done();
    let typed = converse(&machine, workspace.root(), &["review"], &["y\r"], &[("NO_COLOR", "1")]);
    let shown = plain(&typed.shown);
    assert!(shown.contains("word old more ") && shown.contains("word n<U+202E>e<U+200B>w more "), "{shown}");
    assert!(shown.contains("-…39920 characters…") && shown.contains("characters…\n"), "{shown}");
    assert!(shown.len() < 1_500, "{}", shown.len());
    assert_eq!(agent.state_of(&proposal), "applied");
}
