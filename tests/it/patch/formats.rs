//! The three formats, and their forms in a request.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace};

const BLOCKS: &str = "I close it:\n\nsrc/door.txt\n```text\n<<<<<<< SEARCH\nThe door is open.\n=======\nThe door is closed.\n>>>>>>> REPLACE\n```\n";
const SECTIONS: &str = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/door.txt\n@@\n-The door is open.\n+The door is closed.\n*** End Patch\nEOF\n";
const DIFF: &str = "```diff\n--- a/src/door.txt\n+++ b/src/door.txt\n@@ -17,9 +17,2 @@ doors\n A house.\n\n-The door is open.\n+The door is closed.\n```\nThat is all.\n";

fn scene() -> (Machine, Workspace, Agent) {
    let (machine, workspace) =
        (Machine::start(), Workspace::file("src/door.txt", "A house.\n\nThe door is open.\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("src/door.txt");
    (machine, workspace, agent)
}

#[rstest]
#[case::search_replace("search_replace", BLOCKS)]
#[case::apply_patch("apply_patch", SECTIONS)]
#[case::unified_diff("unified_diff", DIFF)]
fn a_patch_is_applied(#[case] format: &str, #[case] text: &str) {
    for patch in [
        json!({ "format": format, "text": text }),
        json!({ "format": "auto", "text": text }),
        json!({ "text": text }),
        json!(text),
        json!(json!({ "format": format, "text": text }).to_string()),
    ] {
        let (_machine, workspace, mut agent) = scene();
        let applied = agent.call("editd/edit", json!({ "patch": patch })).done();
        assert_eq!(workspace.text("src/door.txt"), "A house.\n\nThe door is closed.\n");
        assert_eq!(applied["state"], "applied");
        assert_eq!(applied["files"][0]["action"], "edit");
        assert_eq!(applied["files"][0]["matches"][0]["strategy"], "exact");
    }
}

#[rstest]
#[case::blocks(BLOCKS)]
#[case::sections(SECTIONS)]
#[case::diff(DIFF)]
fn a_patch_is_proposed_first_and_applied_later(#[case] text: &str) {
    let (_machine, workspace, mut agent) = scene();
    let proposal = agent.call("editd/propose", json!({ "patch": { "text": text }, "label": "shut" })).done();
    assert_eq!(workspace.text("src/door.txt"), "A house.\n\nThe door is open.\n");
    let diff = proposal["files"][0]["diff"].as_str().expect("a diff");
    assert!(diff.contains("-The door is open.\n+The door is closed.\n"), "{diff}");
    agent.apply(&proposal).done();
    assert_eq!(workspace.text("src/door.txt"), "A house.\n\nThe door is closed.\n");
}

#[test]
fn the_diff_of_an_answer_is_a_valid_patch() {
    let (_machine, workspace, mut agent) = scene();
    let done = agent.edit("src/door.txt", "open", "closed").done();
    let diff = done["files"][0]["diff"].as_str().expect("a diff").to_owned();
    workspace.put("src/door.txt", "A house.\n\nThe door is open.\n");
    agent.read("src/door.txt");
    agent.call("editd/edit", json!({ "patch": diff })).done();
    assert_eq!(workspace.text("src/door.txt"), "A house.\n\nThe door is closed.\n");
}

#[rstest]
#[case::with_changes(json!({ "changes": [] }), "changes")]
#[case::with_a_path(json!({ "path": "src/door.txt" }), "path")]
#[case::with_a_text(json!({ "oldText": "a", "newText": "b" }), "oldText")]
#[case::with_a_base(json!({ "baseHash": "b3:00000000000000000000000000000000" }), "baseHash")]
#[case::unknown_format(json!({ "patch": { "format": "ed", "text": "x" } }), "format")]
#[case::no_text(json!({ "patch": { "format": "auto" } }), "text")]
#[case::unknown_field(json!({ "patch": { "text": "x", "strip": 1 } }), "strip")]
#[case::text_of_another_type(json!({ "patch": { "text": 1 } }), "text")]
#[case::another_type(json!({ "patch": 1 }), "patch")]
#[case::broken_json(json!({ "patch": "{\"text\": " }), "patch")]
#[case::a_member_twice(json!({ "patch": "{\"text\":\"a\",\"text\":\"b\"}" }), "patch")]
#[case::bases_of_another_type(json!({ "bases": [1] }), "bases")]
#[case::a_base_that_is_not_a_hash(json!({ "bases": { "src/door.txt": "abc" } }), "bases.src/door.txt")]
#[case::a_base_of_another_file(
    json!({ "bases": { "src/other.txt": "b3:00000000000000000000000000000000" } }),
    "bases.src/other.txt"
)]
fn an_invalid_parameter_is_named(#[case] more: Value, #[case] field: &str) {
    let (_machine, workspace, mut agent) = scene();
    let mut params = json!({ "patch": { "text": BLOCKS } });
    params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    agent.call("editd/edit", params).invalid(field);
    assert_eq!(workspace.text("src/door.txt"), "A house.\n\nThe door is open.\n");
}

#[test]
fn bases_require_a_patch() {
    let (_machine, _workspace, mut agent) = scene();
    let params = json!({ "path": "src/door.txt", "oldText": "open", "newText": "closed", "bases": {} });
    agent.call("editd/edit", params).invalid("bases");
}

#[test]
fn a_patch_with_a_request_id_is_applied_once() {
    let (_machine, workspace, mut agent) = scene();
    let params = json!({ "patch": BLOCKS, "requestId": "p1" });
    let first = agent.call("editd/edit", params.clone()).done();
    assert_eq!(agent.call("editd/edit", params).done(), first);
    assert_eq!(workspace.text("src/door.txt"), "A house.\n\nThe door is closed.\n");
}

#[test]
fn limits_apply_to_files_and_hunks_of_a_patch() {
    let machine = Machine::configured("[limits]\nchanges = 2\nedits = 2\n");
    let workspace = Workspace::empty();
    let mut agent = machine.agent(&workspace);
    let add = |name: &str| format!("*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n");
    agent.call("editd/edit", json!({ "patch": add("a") + &add("b") + &add("c") })).invalid("patch");
    let hunks = "@@ -1 +1 @@\n-a\n+b\n".repeat(3);
    agent.call("editd/edit", json!({ "patch": format!("--- a\n+++ a\n{hunks}") })).invalid("patch");
    assert!(workspace.everything().is_empty());
    agent.call("editd/edit", json!({ "patch": add("a") + &add("b") })).done();
}
