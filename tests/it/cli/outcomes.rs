//! What a review at a terminal says about files and hunks.

use crate::support::plain;

use super::review::scene;

#[test]
fn each_file_has_its_own_outcome() {
    let mut scene = scene();
    let typed = scene.review(&["y\r", "n\r", "y\r", "y\r"]);
    let shown = plain(&typed.shown);
    assert!(shown.contains("partly applied  ") && shown.contains("applied  notes/new.txt"), "{shown}");
    assert!(!shown.contains("partial"), "{shown}");
    assert_eq!(scene.state(), "partial");
}

#[test]
fn an_unknown_hunk_is_named_as_the_person_named_it() {
    let scene = scene();
    let id = scene.proposal["id"].as_str().expect("an id");
    let refused = scene.machine.run(&["review", id, "--accept", "--hunk", "99"]);
    let message = String::from_utf8(refused.stderr).expect("text");
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("has no hunk 99") && message.contains("its hunks are 1 to 4"), "{message}");
    assert!(!message.contains("accept["), "{message}");
}
