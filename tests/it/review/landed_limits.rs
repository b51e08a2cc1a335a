//! Reviews of many, of large and of other changes that commands have made: none is lost.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Agent, Outcome, Workspace, eventually};

use super::landed::{landed, run, waiting};
use super::scene::{Scene, states};

/// Runs a command as an agent. Returns its transaction.
fn run_as(agent: &mut Agent, workspace: &Workspace, change: impl FnOnce(&Workspace)) -> Value {
    let begun = agent.call("editd/runBegin", json!({ "command": "format" })).done();
    change(workspace);
    let ended = agent.call("editd/runEnd", json!({ "run": begun["run"], "exitCode": 0 })).done();
    ended["transactions"][0].clone()
}

#[test]
fn older_reviews_of_an_author_lose_their_texts_and_are_still_decided() {
    let mut scene =
        Scene::new(&[("a.txt", "0\n"), ("b.txt", "one\ntwo\n"), ("c.txt", "gone\n"), ("d.txt", "0\n")]);
    let mut other = scene.machine.agent_named("bob", &scene.workspace);
    let of_other = run_as(&mut other, &scene.workspace, |workspace| workspace.put("d.txt", "of bob\n"));
    let first = landed(&mut scene, |workspace| {
        workspace.put("b.txt", "one\n2\n");
        workspace.put("new.txt", "new\n");
        fs::remove_file(workspace.path("c.txt")).expect("a file");
    });
    for number in 1..=66 {
        run(&mut scene, |workspace| workspace.put("a.txt", format!("{number}\n")));
    }
    let all = eventually("all reviews", || Some(waiting(&mut scene)).filter(|all| all.len() == 68));
    let of_other = all.iter().find(|review| review["landed"] == of_other).expect("the review of the other");
    assert!(scene.fetch(of_other)["files"][0]["diff"].as_str().expect("a diff").contains("+of bob\n"));
    assert_eq!(scene.fetch(all.last().expect("a review"))["files"][0]["hunks"][0]["newText"], "66\n");

    let seen = scene.fetch(&first);
    assert!(seen["reason"].as_str().expect("a reason").contains("only in the history"), "{seen:#}");
    assert_eq!((&seen["state"], states(&seen)), (&json!("landed"), vec!["pending"; 3]), "{seen:#}");
    let kinds: Vec<_> =
        seen["files"].as_array().expect("files").iter().map(|file| &file["hunks"][0]["kind"]).collect();
    assert_eq!(kinds, ["whole", "delete", "create"], "{seen:#}");
    let warning = seen["files"][0]["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains(first["landed"].as_str().expect("a transaction")), "{warning}");

    let done = scene.decide(&first, json!({ "reject": "all" })).done();
    assert_eq!(done["state"], "rejected", "{done:#}");
    let text = |name| scene.workspace.text(name);
    assert_eq!((text("b.txt"), text("c.txt")), ("one\ntwo\n".to_owned(), "gone\n".to_owned()));
    assert!(!scene.workspace.has("new.txt"));
}

#[test]
fn a_review_that_a_person_has_begun_keeps_its_texts() {
    let mut scene = Scene::new(&[("a.txt", "0\n"), ("b.txt", "0\n"), ("c.txt", "0\n")]);
    let first = landed(&mut scene, |workspace| {
        workspace.put("b.txt", "1\n");
        workspace.put("c.txt", "1\n");
    });
    scene.decide(&first, json!({ "accept": ["h1"] })).done();
    for number in 1..=66 {
        run(&mut scene, |workspace| workspace.put("a.txt", format!("{number}\n")));
    }
    eventually("all reviews", || (waiting(&mut scene).len() == 67).then_some(()));
    let seen = scene.fetch(&first);
    assert_eq!((states(&seen), seen.get("reason")), (vec!["accepted", "pending"], None), "{seen:#}");
}

#[test]
fn a_command_that_changes_many_files_has_several_reviews() {
    let mut scene = Scene::new(&[("a.txt", "0\n")]);
    symlink("a.txt", scene.workspace.path("link")).expect("a link");
    let ended = run(&mut scene, |workspace| {
        (0..501).for_each(|number| workspace.put(&format!("many/{number}.txt"), "new\n"));
        fs::remove_file(workspace.path("link")).expect("a link");
    });
    let transaction = &ended["transactions"][0];
    let parts = eventually("both reviews", || Some(waiting(&mut scene)).filter(|all| all.len() == 2));
    let counts: Vec<_> = parts.iter().map(|part| part["paths"].as_array().expect("paths").len()).collect();
    assert_eq!(counts, [501, 1], "500 files and a link, and one more file");
    assert!(parts.iter().all(|part| part["landed"] == *transaction));
    assert_eq!(parts[1]["label"], "format (part 2 of 2)");

    assert_eq!(scene.decide(&parts[0], json!({ "reject": "all" })).done()["state"], "rejected");
    let left = || fs::read_dir(scene.workspace.path("many")).expect("a folder").count();
    assert_eq!(left(), 1);
    assert!(fs::read_link(scene.workspace.path("link")).is_ok());
    let undone = |agent: &mut Agent| {
        let history = agent.history();
        let found = history.iter().find(|entry| entry["transaction"] == *transaction).expect("the command");
        found["undone"].clone()
    };
    assert_eq!(undone(&mut scene.agent), false, "a part of it is still there");
    assert_eq!(waiting(&mut scene).len(), 1);
    assert_eq!(scene.decide(&parts[1], json!({ "reject": "all" })).done()["state"], "rejected");
    assert!(!scene.workspace.path("many").read_dir().is_ok_and(|mut left| left.next().is_some()));
}

#[test]
fn open_proposals_of_the_author_keep_no_command_from_its_review() {
    let config = "review = \"always\"\n\n[limits]\nproposals = 3\n";
    let mut scene = Scene::configured(config, &[("a.txt", "0\n"), ("b.txt", "0\n")]);
    for number in 0..3 {
        let change = json!({ "kind": "write", "path": format!("new{number}.txt"), "content": "x\n" });
        scene.agent.call("editd/propose", json!({ "changes": [change] })).done();
    }
    for number in 1..=5 {
        landed(&mut scene, |workspace| workspace.put("b.txt", format!("{number}\n")));
    }
    assert_eq!(waiting(&mut scene).len(), 5);
}

#[test]
fn a_command_that_only_makes_a_link_is_reviewed() {
    let mut scene = Scene::new(&[("a.txt", "0\n")]);
    let review = landed(&mut scene, |workspace| {
        symlink("a.txt", workspace.path("link")).expect("a link");
    });
    assert_eq!((&review["state"], states(&review)), (&json!("landed"), vec!["pending"]));
    assert_eq!(scene.decide(&review, json!({ "reject": "all" })).done()["state"], "rejected");
    assert!(fs::symlink_metadata(scene.workspace.path("link")).is_err());
    let history = scene.agent.history();
    assert_eq!((&history[1]["undone"], &history[0]["undoes"]), (&json!(true), &review["landed"]));
}

#[test]
fn a_file_that_the_next_command_changes_at_once_is_reviewed_twice() {
    let mut scene = Scene::new(&[("a.txt", "0\n")]);
    let mut transactions = Vec::new();
    for number in 1..=20 {
        let ended = run(&mut scene, |workspace| workspace.put("a.txt", format!("{number}\n")));
        transactions.push(ended["transactions"][0].clone());
    }
    let all = eventually("all reviews", || Some(waiting(&mut scene)).filter(|all| all.len() == 20));
    let reviewed: Vec<_> = all.iter().map(|review| review["landed"].clone()).collect();
    assert_eq!(reviewed, transactions);
}

#[test]
fn a_review_names_files_whose_content_is_not_recorded() {
    let config = "review = \"always\"\n\n[limits]\nsnapshot_file_size = 100\n";
    let mut scene = Scene::configured(config, &[("a.txt", "0\n"), ("large.txt", "0\n")]);
    let review = landed(&mut scene, |workspace| {
        workspace.put("a.txt", "1\n");
        workspace.put("large.txt", "1".repeat(101));
    });
    let reason = review["reason"].as_str().expect("a reason");
    assert!(reason.contains("large.txt"), "{reason}");
    assert_eq!(review["files"].as_array().expect("files").len(), 1);
}

#[test]
fn an_author_with_too_many_reviews_closes_none_of_them() {
    /// Number of reviews of one author that wait at most, as docs/reliability.md says.
    const LIMIT: usize = 2000;
    let mut scene = Scene::new(&[("a.txt", "0\n")]);
    let reviews_of = |scene: &mut Scene, count| {
        eventually("all reviews", || Some(waiting(scene)).filter(|all| all.len() == count))
    };
    for number in 0..=LIMIT {
        run(&mut scene, |workspace| workspace.put("a.txt", format!("{number} of them\n")));
        // Reviews are made after the answer. On a busy machine, many would be left to make at the end.
        if number % 100 == 99 {
            reviews_of(&mut scene, number + 1);
        }
    }
    let reviews = reviews_of(&mut scene, LIMIT);
    let newest = reviews.last().expect("a review");
    let seen = scene.fetch(newest);
    let reason = seen["reason"].as_str().expect("a reason");
    assert!(reason.contains("too many wait"), "{reason}");
}
