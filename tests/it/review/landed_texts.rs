//! Texts and encodings in reviews of what commands have changed.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::Outcome;

use super::landed::landed;
use super::scene::Scene;

/// The decisions that an agent gets contain nothing of a file that it may not read.
#[test]
fn a_corrected_secret_is_not_told_to_the_author_of_the_command() {
    let mut scene = Scene::new(&[(".env", "OLD=1\n"), ("a.txt", "one\n")]);
    let review = landed(&mut scene, |workspace| {
        workspace.put(".env", "TOKEN=second\n");
        workspace.put("a.txt", "two\n");
    });
    let replace = |name: &str, content: &str| {
        let (path, base) = (scene.workspace.absolute(name), scene.workspace.hash(name));
        json!({ "path": path, "baseHash": base, "content": content })
    };
    let texts = [replace(".env", "TOKEN=third\n"), replace("a.txt", "three\n")];
    scene.decide(&review, json!({ "replace": texts })).done();
    let begun = scene.agent.call("editd/runBegin", json!({ "command": "next" })).done();
    let ended = scene.agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    let told = &ended["decisions"][0];
    assert_eq!(told["paths"], json!([scene.workspace.absolute("a.txt")]), "{ended:#}");
    assert!(told.to_string().contains("three"), "{ended:#}");
    assert!(!ended.to_string().contains("TOKEN") && !ended.to_string().contains(".env"), "{ended:#}");
}

#[rstest]
#[case::nothing(json!({ "accept": "all" }), b"\xe9\ntwo\n")]
#[case::the_line(json!({ "accept": ["h1"], "reject": ["h2"] }), b"\xe9\n2\n")]
#[case::the_encoding(json!({ "accept": ["h2"], "reject": ["h1"] }), "é\ntwo\n".as_bytes())]
#[case::both(json!({ "reject": "all" }), "é\n2\n".as_bytes())]
fn the_encoding_is_reverted_separately_from_lines(#[case] decision: Value, #[case] expected: &[u8]) {
    let mut scene = Scene::new(&[("a.txt", "é\n2\n")]);
    let review = landed(&mut scene, |workspace| workspace.put("a.txt", b"\xe9\ntwo\n"));
    let hunks = review["files"][0]["hunks"].as_array().expect("hunks");
    assert_eq!(hunks.iter().map(|hunk| hunk["kind"].as_str()).collect::<Vec<_>>(), [Some("encoding"), None]);
    scene.decide(&review, decision).done();
    assert_eq!(scene.workspace.bytes("a.txt"), expected);
}
