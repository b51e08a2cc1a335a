//! Refusals with advice for models.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace, numbered_lines};

fn scene() -> (Machine, Workspace, Mcp) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(20)));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    (machine, workspace, mcp)
}

#[test]
fn a_stale_edit_shows_the_difference_and_is_sent_again_with_the_hash() {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("a.txt", numbered_lines(20).replace("line 7\n", "line seven\n"));
    let edit = |more: Value| {
        let mut edit = json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "line nine\n" });
        edit.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        edit
    };
    let stale = mcp.call("edit", edit(json!({}))).refused("stale");
    let hash = stale.said("currentHash: ");
    assert_eq!(hash, workspace.hash("a.txt"));
    for part in ["-line 7\n+line seven\n", "send it again with `currentHash` as `baseHash`"] {
        assert!(stale.text.contains(part), "{part} is in {}", stale.text);
    }
    mcp.call("edit", edit(json!({ "baseHash": hash }))).done();
    workspace.put("a.txt", workspace.text("a.txt").replace("line 1\n", "line one\n"));
    let more = json!({ "path": "a.txt", "oldText": "line 20", "newText": "end", "onStale": "rebase" });
    mcp.call("edit", more).done();
    assert!(workspace.text("a.txt").starts_with("line one\n") && workspace.text("a.txt").ends_with("end\n"));
}

#[test]
fn a_text_without_a_match_shows_the_closest_text() {
    let (_machine, workspace, mut mcp) = scene();
    let edit = json!({ "path": "a.txt", "oldText": "line 4\nlime 5b\nline 6\n", "newText": "x\n", "matching": "exact" });
    let refused = mcp.call("edit", edit).refused("not_found");
    assert!(
        refused.text.contains("closest 1: ") && refused.text.contains("-lime 5b\n+line 5\n"),
        "{}",
        refused.text
    );
    let refused = mcp
        .call("edit", json!({ "path": "a.txt", "oldText": "line 1", "newText": "x" }))
        .refused("ambiguous");
    assert!(
        refused.text.contains("occurrences 1: ") && refused.text.contains("line 2\n"),
        "{}",
        refused.text
    );
    assert_eq!(workspace.text("a.txt"), numbered_lines(20));
}

#[test]
fn text_of_a_cell_is_refused_with_a_hint_to_notebook_edit() {
    let cell = json!({ "cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1\n", "y = 2\n"], "outputs": [], "execution_count": null });
    let book = json!({ "cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let (machine, workspace) = (Machine::start(), Workspace::file("n.ipynb", format!("{book:#}")));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "n.ipynb" })).done();
    let edit = json!({ "path": "n.ipynb", "oldText": "x = 1\ny = 2\n", "newText": "x = 2\n" });
    let refused = mcp.call("edit", edit).refused("not_found");
    assert!(
        refused.text.contains("with `notebook_edit`; or read the file with `raw: true`"),
        "{}",
        refused.text
    );
}

#[test]
fn all_refusals_are_reported_at_once() {
    let (_machine, _workspace, mut mcp) = scene();
    let edits = json!([{ "oldText": "nowhere", "newText": "x" }, { "oldText": "line 1", "newText": "x" }]);
    let refused = mcp.call("edit", json!({ "path": "a.txt", "edits": edits })).refused("not_found");
    assert!(refused.text.contains("Also refused") && refused.text.contains("ambiguous"), "{}", refused.text);
}

#[rstest]
#[case("edit", json!({ "path": "a.txt", "edits": 7 }), "edits")]
#[case("edit", json!({ "path": "a.txt", "oldText": "line 2\n", "newText": "x\n", "nonsense": 1 }), "nonsense")]
#[case("write", json!({ "path": "a.txt" }), "content")]
#[case("read", json!({ "path": "a.txt", "offset": 0 }), "offset")]
#[case("read", json!({ "path": "a.txt", "offset": "many" }), "offset")]
#[case("edit", json!({ "path": "a.txt", "oldText": "a", "newText": "b", "waitMs": "long" }), "waitMs")]
#[case("proposal_status", json!({ "id": 7 }), "id")]
#[case("notebook_edit", json!({ "path": "a.txt", "cells": [{ "op": "burn" }] }), "cells[0].op")]
fn invalid_arguments_are_named(#[case] tool: &str, #[case] arguments: Value, #[case] field: &str) {
    let (_machine, workspace, mut mcp) = scene();
    let refused = mcp.call(tool, arguments).refused("invalid_params");
    let named = refused.data["error"]["field"].as_str().expect("a field");
    assert_eq!(named, field, "{}", refused.text);
    assert_eq!(workspace.text("a.txt"), numbered_lines(20));
}

#[rstest]
#[case("edit", json!({ "file": "a.txt", "oldText": "line 2", "newText": "x" }), "`edit` has no parameter `file`: there are `path`, `edits`, `retry`, `accept`, `oldText`, `newText`, `replaceAll`, `expect`, `sequential`, `matching`, `baseHash`, `onStale`, `onConflict`, `encoding`, `display`, `label`, `waitMs`, `replaces`.")]
#[case("edit", json!({ "path": "a.txt", "edits": [{ "oldText": "a", "newText": "b", "all": true }] }), "`edits[0]` has no parameter `all`: there are `path`, `oldText`, `newText`, `word`, `regex`, `replaceAll`, `expect`, `glob`, `lines`, `after`, `before`, `delete`, `first`, `last`, `symbol`, `op`, `comments`, `indent`, `indentFrom`, `indentTo`, `wrap`, `move`, `copy`, `to`, `reindent`.")]
#[case("write", json!({ "path": "a.txt", "text": "x" }), "`write` has no parameter `text`: there are `path`, `content`, `literal`, `encoding`, `mode`, `baseHash`, `display`, `label`, `waitMs`.")]
#[case("notebook_edit", json!({ "path": "a.ipynb", "cells": [{ "op": "delete", "number": 1 }] }), "`cells[0]` has no parameter `number`: there are `op`, `id`, `index`, `cellType`, `source`, `clearOutputs`.")]
#[case("read", json!({ "path": "a.txt", "from": 5 }), "`read` has no parameter `from`: there are `path`, `lines`, `symbol`, `reads`, `offset`, `limit`, `column`, `numbered`, `raw`.")]
fn an_unknown_parameter_is_refused_with_a_list_of_the_known_ones(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] said: &str,
) {
    let (_machine, _workspace, mut mcp) = scene();
    let refused = mcp.call(tool, arguments).refused("invalid_params");
    assert_eq!(refused.data["error"]["message"], said);
}

#[test]
fn empty_members_are_omitted() {
    let (_machine, _workspace, mut mcp) = scene();
    let edit = json!({ "path": "a.txt", "oldText": "nothing like it: 0123456789", "newText": "x" });
    let refused = mcp.call("edit", edit).refused("not_found");
    for name in ["change", "edit", "closest"] {
        assert!(!refused.text.contains(&format!("\n{name}")), "{}", refused.text);
    }
    let edits = json!([{ "oldText": "line 2", "newText": "two" }, { "oldText": "lime 14\nline 15b\n", "newText": "x" }]);
    let refused = mcp.call("edit", json!({ "path": "a.txt", "edits": edits })).refused("ambiguous");
    assert_eq!(refused.said("edit: "), "0", "the index is given if there are several");
    let (_, similarity) = refused.said("closest 1: ").split_once("similarity ").expect("a figure");
    let similarity = similarity.split(',').next().unwrap_or_default();
    assert!((3..=4).contains(&similarity.len()) && similarity.starts_with("0."), "{}", refused.text);
    assert!(!refused.text.contains("reason ,") && !refused.text.contains("reason: \n"), "{}", refused.text);
}

#[test]
fn hints_of_read_only_tools_do_not_mention_writing() {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("b/c.txt", "sea\n");
    let missing = mcp.call("read", json!({ "path": "none.txt" })).refused("missing");
    assert!(missing.text.contains("`find`") && !missing.text.contains("write"), "{}", missing.text);
    let folder = mcp.call("read", json!({ "path": "b" })).refused("not_a_file");
    assert!(folder.text.contains("use `list`") && !folder.text.contains("write"), "{}", folder.text);
    let edit =
        json!({ "path": "none.txt", "oldText": "a", "newText": "b", "baseHash": workspace.hash("a.txt") });
    let missing = mcp.call("edit", edit);
    assert!(!missing.text.contains("`find` looks"), "{}", missing.text);
}

#[test]
fn hints_use_the_names_of_tools() {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("b.txt", "bee\n");
    let unread =
        mcp.call("edit", json!({ "path": "b.txt", "oldText": "bee", "newText": "x" })).refused("unread");
    assert!(unread.text.contains("`read`"), "{}", unread.text);
    let outside = mcp.call("read", json!({ "path": "/etc/hostname" })).refused("outside_workspace");
    assert!(outside.text.contains("--root"), "{}", outside.text);
    let unknown =
        mcp.call("proposal_status", json!({ "id": "p-none", "waitMs": 0 })).refused("unknown_proposal");
    assert!(unknown.text.contains("`proposal_status`"), "{}", unknown.text);
    let missing = mcp.call("undo", json!({})).refused("missing");
    for refused in [unread, outside, unknown, missing] {
        assert!(!refused.text.contains("editd/"), "{}", refused.text);
    }
}

#[test]
fn null_counts_as_absent_and_quoted_objects_are_parsed() {
    let (_machine, workspace, mut mcp) = scene();
    let edits = json!([{ "oldText": "line 2\n", "newText": "two\n" }]).to_string();
    let quoted = json!({ "path": "a.txt", "edits": edits, "label": null }).to_string();
    mcp.call("edit", quoted.into()).done();
    assert!(workspace.text("a.txt").contains("\ntwo\n"));
    mcp.call("read", json!({ "path": "a.txt", "offset": null, "limit": null, "numbered": null })).done();
}

#[test]
fn a_very_long_diff_is_cut() {
    let (_machine, workspace, mut mcp) = scene();
    workspace.put("a.txt", numbered_lines(20_000));
    let stale = mcp
        .call("edit", json!({ "path": "a.txt", "oldText": "line 9\n", "newText": "x\n" }))
        .refused("stale");
    assert!(stale.text.len() < 20 << 10 && stale.text.contains("more lines"), "{}", stale.text.len());
}

#[test]
fn the_advice_of_a_hint_can_be_followed() {
    let (_machine, workspace, mut mcp) = scene();
    let two =
        json!([{ "oldText": "line 2\n", "newText": "two\n" }, { "oldText": "two\n", "newText": "zwei\n" }]);
    let refused = mcp.call("edit", json!({ "path": "a.txt", "edits": two })).refused("dependency");
    assert!(refused.text.contains("`sequential: true`"), "{}", refused.text);
    mcp.call("edit", json!({ "path": "a.txt", "edits": two, "sequential": true })).done();
    let content = "one\n# ... rest of the file unchanged\n";
    workspace.put("a.py", numbered_lines(20));
    mcp.call("read", json!({ "path": "a.py" })).done();
    let refused = mcp.call("write", json!({ "path": "a.py", "content": content })).refused("placeholder");
    assert!(
        refused.text.contains("`literal: true`") && !refused.text.contains("oldText"),
        "{}",
        refused.text
    );
    mcp.call("write", json!({ "path": "a.py", "content": content, "literal": true })).done();
    assert_eq!(workspace.text("a.py"), content);
}

#[test]
fn parameter_names_of_other_tools_are_accepted() {
    let (_machine, workspace, mut mcp) = scene();
    mcp.call("edit", json!({ "file_path": "a.txt", "old_str": "line 2\n", "new_str": "two\n" })).done();
    mcp.call(
        "edit",
        json!({ "path": "a.txt", "edits": [{ "old_string": "line 3\n", "new_string": "three\n" }] }),
    )
    .done();
    assert!(workspace.text("a.txt").starts_with("line 1\ntwo\nthree\n"));
    let refused = mcp.call("edit", json!({ "path": "a.txt", "old_txt": "a", "newText": "b" }));
    assert!(refused.refused("invalid_params").text.contains("did you mean `oldText`?"));
}

#[test]
fn numbers_and_booleans_may_be_strings() {
    let (_machine, workspace, mut mcp) = scene();
    for limit in [json!(2.0), json!("2"), json!(2)] {
        let read = mcp.call("read", json!({ "path": "a.txt", "limit": limit })).done();
        assert_eq!(read.content().lines().collect::<Vec<_>>(), ["line 1", "line 2"]);
    }
    let edits = json!([{ "old_string": "line 1", "new_string": "row 1", "replace_all": "true" }]);
    mcp.call("edit", json!({ "path": "a.txt", "edits": edits, "waitMs": "0" })).done();
    assert_eq!(workspace.text("a.txt"), numbered_lines(20).replace("line 1", "row 1"));
    for (limit, said) in [
        (json!("five"), "it is string \"five\""),
        (json!(-1), "it is the number `-1`"),
        (json!(1.5), "it is the number `1.5`"),
    ] {
        let refused = mcp.call("read", json!({ "path": "a.txt", "limit": limit })).refused("invalid_params");
        let message = refused.data["error"]["message"].as_str().expect("a message");
        assert!(message.contains(said) && message.contains("expected a whole number from 0"), "{message}");
    }
}

#[test]
fn without_a_reviewer_the_hint_states_what_the_user_can_do() {
    let (machine, workspace) = (Machine::start(), Workspace::file(".gitlab-ci.yml", "one\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": ".gitlab-ci.yml" })).done();
    let edit = json!({ "path": ".gitlab-ci.yml", "oldText": "one", "newText": "two" });
    let refused = mcp.call("edit", edit).refused("protected");
    for part in ["Ask the user to open the folder in an editor", "review = \"always\"", "class = \"allow\""] {
        assert!(refused.text.contains(part), "{part}: {}", refused.text);
    }
    // No tool has this parameter.
    assert!(!refused.text.contains("review: true"), "{}", refused.text);
    let _editor = crate::review::scene::reviewer(&machine, &workspace);
    let waits = mcp
        .call("edit", json!({ "waitMs": 0, "path": ".gitlab-ci.yml", "oldText": "one", "newText": "two" }));
    assert_eq!(waits.done().data["state"], "pending");
    assert_eq!(workspace.text(".gitlab-ci.yml"), "one\n");
}

#[test]
fn only_served_tools_are_named() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("folder/b.txt", "b\n")]));
    let mut mcp = Mcp::with(&machine, workspace.root(), &["--tools", "read,edit"]);
    mcp.introduce("2025-06-18", json!({}));
    let missing =
        mcp.call("edit", json!({ "path": "new.txt", "oldText": "a", "newText": "b" })).refused("missing");
    assert!(missing.text.contains("Check the path."), "{}", missing.text);
    let folder = mcp.call("read", json!({ "path": "folder" })).refused("not_a_file");
    workspace.put("empty.txt", "");
    mcp.call("read", json!({ "path": "empty.txt" })).done();
    let empty = mcp.call("edit", json!({ "path": "empty.txt", "oldText": "a", "newText": "b" }));
    for called in [&missing, &folder, &empty] {
        for tool in ["write", "list", "find", "apply_patch", "changes"] {
            let is_named = called.text.contains(&format!("`{tool}`"));
            assert!(!is_named || called.text.contains("is not served here"), "{}", called.text);
        }
    }
}

#[test]
fn a_protected_file_is_to_be_reported_and_left_alone() {
    let (_machine, workspace, mut mcp) = scene();
    let refused = mcp.call("write", json!({ "path": ".env", "content": "KEY=1\n" })).refused("protected");
    assert!(refused.text.contains("Do not change the file in another way: report it"), "{}", refused.text);
    // A policy names the file by its whole path; the rest of the answer does not.
    let pattern = format!("pattern = \"{}\"", workspace.absolute(".env"));
    assert!(refused.text.contains(&pattern), "{}", refused.text);
    assert!(refused.text.starts_with("Refused (protected): `.env` is protected"), "{}", refused.text);
}
