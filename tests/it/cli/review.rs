//! Tests of `editd review` on a terminal, hunk by hunk.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Typed, Workspace, converse, numbered_lines, plain};

const CONFIG: &str = "review = \"always\"\n";

pub(super) struct Scene {
    pub(super) machine: Machine,
    pub(super) workspace: Workspace,
    pub(super) agent: Agent,
    pub(super) proposal: Value,
}

/// Creates a file with `line 1` to `line 40`, and a proposal that capitalizes lines 3, 20 and 22 and adds a
/// file.
pub(super) fn scene() -> Scene {
    let machine = Machine::configured(CONFIG);
    let workspace = Workspace::file("a.txt", numbered_lines(40));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edit =
        |number: u32| json!({ "oldText": format!("line {number}\n"), "newText": format!("LINE {number}\n") });
    let changes = json!([
        { "kind": "edit", "path": "a.txt", "edits": [edit(3), edit(20), edit(22)] },
        { "kind": "write", "path": "notes/new.txt", "content": "one\ntwo\n" },
    ]);
    let call = json!({ "label": "Louder, please", "changes": changes });
    let proposal = agent.call("editd/edit", call).done();
    Scene { machine, workspace, agent, proposal }
}

impl Scene {
    pub(super) fn review(&self, answers: &[&str]) -> Typed {
        self.review_with(answers, &[("NO_COLOR", "1")])
    }

    pub(super) fn review_with(&self, answers: &[&str], environment: &[(&str, &str)]) -> Typed {
        converse(&self.machine, self.workspace.root(), &["review"], answers, environment)
    }

    pub(super) fn state(&mut self) -> String {
        let proposal = self.proposal.clone();
        self.agent.state_of(&proposal)
    }

    pub(super) fn hunk_states(&mut self) -> Vec<String> {
        let shown = self.agent.call("editd/proposal", json!({ "id": self.proposal["id"] })).done();
        let files = shown["files"].as_array().expect("files").iter();
        let hunks = files.flat_map(|file| file["hunks"].as_array().expect("hunks"));
        hunks.map(|hunk| hunk["state"].as_str().expect("a state").to_owned()).collect()
    }

    pub(super) fn capitals(&self) -> Vec<u32> {
        let text = self.workspace.text("a.txt");
        text.lines().filter_map(|line| line.strip_prefix("LINE ")?.parse().ok()).collect()
    }
}

#[test]
fn each_hunk_is_shown_with_context_before_the_question() {
    let mut scene = scene();
    let typed = scene.review(&["y\r", "n\r", "y\r", "y\r"]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    assert_eq!(scene.capitals(), [3, 22]);
    assert_eq!(scene.workspace.text("notes/new.txt"), "one\ntwo\n");
    let id = scene.proposal["id"].as_str().unwrap();
    let expected = format!(
        "
alice: Louder, please  0 s ago  {id}

a.txt  @@ -3 +3 @@  1 of 3
 line 1
 line 2
-line 3
+LINE 3
 line 4
 line 5
 line 6
Accept this hunk [y,n,a,d,A,D,e,c,s,q,?]? y

a.txt  @@ -20 +20 @@  2 of 3
 line 17
 line 18
 line 19
-line 20
+LINE 20
 line 21
 line 22
 line 23
Accept this hunk [y,n,a,d,A,D,e,c,s,q,?]? n

a.txt  @@ -22 +22 @@  3 of 3
 line 19
 line 20
 line 21
-line 22
+LINE 22
 line 23
 line 24
 line 25
Accept this hunk [y,n,a,d,A,D,e,c,s,q,?]? y

notes/new.txt  new file  1 of 1
+one
+two
Accept this hunk [y,n,a,d,A,D,e,c,s,q,?]? y

partly applied  a.txt +2 -2
applied  notes/new.txt +2 -0
`editd review --reopen {id}` reopens the rejected hunks.
"
    );
    let shown = plain(&typed.shown);
    let shown = shown.replace(" 1 s ago", " 0 s ago").replace(" 2 s ago", " 0 s ago");
    assert_eq!(shown, expected);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[rstest]
#[case::all_of_each_file(&["a\r", "y\r", "a\r"], "applied", &[3, 20, 22], 0)]
#[case::none_of_each_file(&["d\r", "d\r"], "rejected", &[], 0)]
#[case::one_and_the_rest_not(&["y\r", "d\r", "n\r"], "partial", &[3], 0)]
#[case::help_and_comments(&["?\r", "c\r", "why?\r", "what\r", "a\r", "y\r", "y\r"], "applied", &[3, 20, 22], 0)]
#[case::all_of_the_proposal(&["A\r", "y\r"], "applied", &[3, 20, 22], 0)]
#[case::none_of_the_proposal(&["D\r"], "rejected", &[], 0)]
#[case::one_and_no_other(&["y\r", "D\r", "n\r"], "partial", &[3], 0)]
#[case::not_even_that_one(&["y\r", "D\r", "y\r"], "rejected", &[], 0)]
#[case::back_to_the_hunk(&["y\r", "D\r", "b\r", "q\r"], "pending", &[], 3)]
#[case::not_those_that_were_not_shown(&["A\r", "n\r", "y\r", "q\r"], "pending", &[], 3)]
#[case::one_for_later(&["y\r", "s\r", "y\r", "y\r"], "pending", &[], 3)]
#[case::enough(&["y\r", "q\r"], "pending", &[], 3)]
#[case::the_end_of_the_input(&["y\r", "\u{4}"], "pending", &[], 3)]
fn answers_have_their_effect(
    #[case] answers: &[&str],
    #[case] state: &str,
    #[case] capitals: &[u32],
    #[case] code: i32,
) {
    let mut scene = scene();
    let typed = scene.review(answers);
    assert_eq!((typed.code, scene.state().as_str()), (code, state), "{}", typed.shown);
    assert_eq!(scene.capitals(), capitals);
}

#[test]
fn hunks_left_for_later_are_asked_in_the_next_review() {
    let mut scene = scene();
    assert_eq!(scene.review(&["y\r", "s\r", "y\r", "s\r"]).code, 3);
    let typed = scene.review(&["n\r", "y\r"]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    assert_eq!(scene.capitals(), [3, 22]);
    let nothing = scene.review(&[]);
    assert_eq!(
        (nothing.code, plain(&nothing.shown).trim()),
        (0, "No proposals are pending. `editd log` lists all changes.")
    );
}

#[test]
fn a_comment_reaches_the_agent() {
    let mut scene = scene();
    scene.review(&["c\r", "not like this\r", "d\r", "d\r"]);
    let refused = scene.agent.call("editd/apply", json!({ "id": scene.proposal["id"] })).refused("rejected");
    assert_eq!(refused["comments"], json!(["not like this"]));
}

#[test]
fn lines_are_edited_in_the_persons_editor() {
    let mut scene = scene();
    let editor = ("EDITOR", "sed -i s/LINE/Line/");
    let typed = scene.review_with(&["e\r", "n\r", "y\r", "y\r"], &[editor]);
    assert_eq!((typed.code, scene.state().as_str()), (0, "partial"), "{}", typed.shown);
    let expected = numbered_lines(40).replace("line 3\n", "Line 3\n").replace("line 22\n", "LINE 22\n");
    assert_eq!(scene.workspace.text("a.txt"), expected);
    let outcome = scene.agent.call("editd/apply", json!({ "id": scene.proposal["id"] })).done();
    assert!(outcome["userEdits"][0]["diff"].as_str().unwrap().contains("+Line 3\n"), "{outcome:#}");
}

#[test]
fn an_editor_that_fails_edits_nothing() {
    let mut scene = scene();
    let typed =
        scene.review_with(&["e\r", "y\r", "a\r", "y\r", "y\r"], &[("VISUAL", "false"), ("NO_COLOR", "1")]);
    assert!(plain(&typed.shown).contains("not recorded: `false` ended with"), "{}", typed.shown);
    assert_eq!((typed.code, scene.state().as_str()), (0, "applied"));
}

#[test]
fn a_conflicted_hunk_is_accepted_only_with_t() {
    let mut scene = scene();
    scene.workspace.put("a.txt", numbered_lines(40).replace("line 20\n", "mine\n"));
    let typed = scene.review(&["a\r", "y\r", "y\r", "t\r", "y\r"]);
    let shown = plain(&typed.shown);
    assert!(
        shown.contains("Changed since it was proposed") && shown.contains("-mine\n+LINE 20\n"),
        "{shown}"
    );
    assert!(shown.contains("\nt  take the author's side"), "`y` prints the help: {shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert_eq!((typed.code, scene.state().as_str()), (0, "applied"), "{shown}");
    assert_eq!(scene.capitals(), [3, 20, 22]);
}

#[test]
fn a_hunk_that_changes_before_the_answer_is_shown_again() {
    let mut scene = scene();
    // Another program changes the file while the person decides. The edited lines stay unchanged.
    let editor = ("EDITOR", "sed -i 's/^line 20$/an hour of work/' a.txt; true");
    let answers = ["y\r", "e\r", "y\r", "n\r", "s\r", "s\r"];
    let typed = scene.review_with(&answers, &[editor, ("NO_COLOR", "1")]);
    let shown = plain(&typed.shown);
    let (_, again) = shown.split_once("not recorded: ").expect("a message");
    assert!(
        again.contains("review this hunk again") && again.contains("-an hour of work\n+LINE 20\n"),
        "{again}"
    );
    assert_eq!(again.matches("+LINE 22").count(), 1, "hunks left for later are not asked again: {again}");
    assert_eq!((typed.code, scene.state().as_str()), (3, "pending"), "{shown}");
    assert_eq!(scene.review(&["y\r", "y\r"]).code, 0);
    let expected = numbered_lines(40)
        .replace("line 3\n", "LINE 3\n")
        .replace("line 20\n", "an hour of work\n")
        .replace("line 22\n", "LINE 22\n");
    assert_eq!(scene.workspace.text("a.txt"), expected);
}

#[test]
fn several_proposals_are_listed_and_reviewed() {
    let mut scene = scene();
    let other = scene.agent.edit("a.txt", "line 35\n", "LINE 35\n").done();
    let typed = scene.review(&["a\r", "y\r", "y\r", "y\r"]);
    let shown = plain(&typed.shown);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "2 proposals are pending, oldest first:");
    assert!(
        lines[1].contains("Louder, please") && lines[2].contains(other["id"].as_str().unwrap()),
        "{shown}"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{shown}");
    assert_eq!((typed.code, scene.capitals()), (0, vec![3, 20, 22, 35]));
}

#[test]
fn rejected_hunks_can_be_reopened() {
    let scene = scene();
    let typed = scene.review(&["y\r", "n\r", "y\r", "y\r"]);
    let id = scene.proposal["id"].as_str().unwrap().to_owned();
    let hint = format!("`editd review --reopen {id}` reopens the rejected hunks.");
    assert!(typed.shown.contains(&hint), "{}", typed.shown);
    let output = scene.machine.run(&["review", &id]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        printed,
        format!(
            "{id} is already partly applied.\n`editd review --reopen {id}` reopens the rejected hunks.\n"
        )
    );
    let root = scene.workspace.root();
    let typed = converse(&scene.machine, root, &["review", "--reopen"], &["y\r"], &[("NO_COLOR", "1")]);
    assert!(typed.shown.contains("-line 20") && typed.shown.contains("1 of 1"), "{}", typed.shown);
    assert_eq!((typed.code, scene.capitals()), (0, vec![3, 20, 22]));
    let nothing = converse(&scene.machine, root, &["review", "--reopen"], &[], &[("NO_COLOR", "1")]);
    assert!(nothing.code == 1 && nothing.shown.contains("No rejected change"), "{}", nothing.shown);
}

#[test]
fn without_a_terminal_the_reopened_proposal_is_listed() {
    let scene = scene();
    scene.review(&["n\r", "n\r", "n\r", "n\r"]);
    let id = scene.proposal["id"].as_str().unwrap();
    let run = |arguments: &[&str]| {
        let output = scene.machine.run(arguments);
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (code, printed) = run(&["review", "--reopen", id]);
    assert!(code == Some(3) && printed.contains("Louder, please"), "{printed}");
    let again = printed.split_whitespace().next().unwrap();
    let expected = format!("{id} is already rejected.\nIt was replaced: `editd review {again}`.\n");
    assert_eq!(run(&["review", id]), (Some(0), expected));
}

#[test]
fn a_proposal_can_be_reviewed_by_its_id() {
    let mut scene = scene();
    let other = scene.agent.edit("a.txt", "line 35\n", "LINE 35\n").done();
    let id = other["id"].as_str().unwrap();
    let typed = converse(&scene.machine, scene.workspace.root(), &["review", id], &["y\r"], &[]);
    assert_eq!((typed.code, scene.capitals()), (0, vec![35]), "{}", typed.shown);
    assert_eq!(scene.state(), "pending");
    let unknown = converse(&scene.machine, scene.workspace.root(), &["review", "p000000-1"], &[], &[]);
    assert_eq!(unknown.code, 1, "{}", unknown.shown);
}

#[test]
fn old_and_new_lines_have_different_colours() {
    let scene = scene();
    let shown = scene.review_with(&["q\r"], &[]).shown;
    assert!(shown.contains("\u{1b}[31m-line 3") && shown.contains("\u{1b}[32m+LINE 3"), "{shown:?}");
    let shown = scene.review(&["q\r"]).shown;
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn an_agent_cannot_control_the_terminal() {
    let machine = Machine::configured(CONFIG);
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agent = machine.agent_named("a\u{1b}[2Jb", &workspace);
    agent.read("a.txt");
    let call = json!({ "label": "\u{1b}]0;x\u{7}", "path": "a.txt", "oldText": "one", "newText": "\u{1b}[31mtwo\u{202e}" });
    agent.call("editd/edit", call).done();
    let typed = converse(&machine, workspace.root(), &["review"], &["q\r"], &[("NO_COLOR", "1")]);
    assert!(!typed.shown.contains('\u{1b}') && !typed.shown.contains('\u{202e}'), "{:?}", typed.shown);
}

#[test]
fn without_a_terminal_pending_proposals_are_listed() {
    let mut scene = scene();
    let output = scene.machine.run(&["review"]);
    assert_eq!(output.status.code(), Some(3));
    let id = scene.proposal["id"].as_str().unwrap().to_owned();
    let output = scene.machine.run(&["review", "--output", "json"]);
    let list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &list["proposals"][0]["id"]), (Some(3), &json!(id)));
    let output = scene.machine.run(&["review", &id, "--output", "json"]);
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &shown["state"]), (Some(3), &json!("pending")));
    scene.agent.call("editd/discard", json!({ "id": id })).done();
    let output = scene.machine.run(&["review"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_change_at_the_command_line_is_reviewed_unless_confirmed() {
    let machine = Machine::configured(CONFIG);
    let workspace = Workspace::file("a.txt", "one\ntwo\n");
    let path = workspace.absolute("a.txt");
    let output = machine.run(&["edit", &path, "--old", "one", "--new", "1", "--yes"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(3) && printed.contains("editd review p"), "{printed}");
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
    let edit = ["edit", &path, "--old", "two", "--new", "2"];
    let typed = converse(&machine, workspace.root(), &edit, &["y\r"], &[]);
    assert_eq!((typed.code, workspace.text("a.txt").as_str()), (0, "one\n2\n"), "{}", typed.shown);
}

#[test]
fn a_change_at_the_command_line_can_request_a_review_with_a_label() {
    let machine = Machine::configured("review = \"off\"\n");
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]);
    let [a, b, patch] = ["a.txt", "b.txt", "c.patch"].map(|name| workspace.absolute(name));
    workspace.put("c.patch", format!("{a}\n<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n"));
    let json = json!({ "path": a, "oldText": "one", "newText": "1", "label": "not this" });
    workspace.put("d.json", json.to_string());
    let [json, label] = [workspace.absolute("d.json"), "--label=For whom".to_owned()];
    for change in [
        &["edit", &a, "--old", "one", "--new", "1"][..],
        &["edit", "--json", &json],
        &["write", &b, &a],
        &["apply", &patch],
    ] {
        let output = machine.run(&[change, &[&label, "--review"]].concat());
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.code() == Some(3) && printed.starts_with("The change waits for review"),
            "{output:?}"
        );
        let id = printed.split_whitespace().last().unwrap();
        let typed = converse(&machine, workspace.root(), &["review", id], &["n\r"], &[("NO_COLOR", "1")]);
        assert!(typed.code == 0 && typed.shown.contains("editd: For whom"), "{}", typed.shown);
    }
    let output = machine.run(&["edit", &a, "--old", "one", "--new", "1", &label, "--yes"]);
    assert_eq!(output.status.code(), Some(0));
    let log = String::from_utf8(machine.run(&["log", &a]).stdout).expect("text");
    assert!(log.contains("For whom"), "{log}");
    let both = machine.run(&["edit", &a, "--old", "1", "--new", "2", "--review", "--yes"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn a_new_syntax_error_is_printed_before_the_first_hunk() {
    let machine = Machine::configured(CONFIG);
    let workspace = Workspace::file("cart.py", "def total(items):\n    return sum(items)\n");
    let mut agent = machine.agent(&workspace);
    agent.read("cart.py");
    let edits = json!([{ "oldText": "sum(items)", "newText": "sum(items))" }]);
    agent
        .call("editd/edit", json!({ "changes": [{ "kind": "edit", "path": "cart.py", "edits": edits }] }))
        .done();
    let typed = converse(&machine, workspace.root(), &["review"], &["n\r"], &[("NO_COLOR", "1")]);
    let expected = "cart.py  @@ -2 +2 @@  1 of 1\nnote: new syntax error in line 2: return sum(items))\n";
    assert!(plain(&typed.shown).contains(expected), "{}", typed.shown);
}
