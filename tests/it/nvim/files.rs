//! Files that agents create, delete and rename, in a real Neovim; and changes above the first line of a file.

use rstest::rstest;
use serde_json::{Value, json};

use super::scene::{CART, Scene};
use crate::support::{Machine, Nvim, Outcome, Workspace, eventually, numbered_lines};

/// A patch that renames `cart.py` and changes a line.
const RENAME: &str = "diff --git a/cart.py b/basket.py\nrename from cart.py\nrename to basket.py\n--- a/cart.py\n+++ b/basket.py\n@@ -4 +4 @@\n-    sum = 0\n+    sum = 1\n";

/// Returns the paths of all buffers that Neovim knows, relative to the workspace.
fn buffers(scene: &mut Scene) -> Vec<String> {
    let root = scene.workspace.path("");
    let listed = scene.nvim.lua("return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())");
    let names = listed.as_array().expect("names").iter().map(|name| name.as_str().expect("a name"));
    names
        .filter_map(|name| name.strip_prefix(root.to_str().expect("a path in UTF-8")))
        .map(|it| it.trim_start_matches('/').to_owned())
        .collect()
}

fn rename(scene: &mut Scene, review: bool) {
    let patch = json!({ "format": "unified_diff", "text": RENAME });
    let edit = json!({ "label": "Clearer", "patch": patch });
    let answer = scene.agent.call("editd/edit", edit).done();
    assert_eq!(answer["state"], if review { "pending" } else { "applied" }, "{answer:#}");
    answer["id"].as_str().expect("an id").clone_into(&mut scene.id);
}

#[test]
fn an_accepted_rename_moves_the_buffer() {
    let mut scene = Scene::without_proposal();
    rename(&mut scene, true);
    scene.nvim.sees("editd: ada: Clearer (");
    scene.nvim.keys(":7<CR>:Editd accept_all<CR>y");
    let renamed = CART.replace("sum = 0", "sum = 1");
    scene.nvim.holds(&renamed);
    assert_eq!(scene.outcome()["state"], "applied");
    eventually("the buffer to be moved", || (buffers(&mut scene) == ["basket.py"]).then_some(()));
    assert_eq!(scene.nvim.lua("return vim.fn.line('.')"), json!(7));
    // Undo works, and saving writes the new file only.
    scene.nvim.types("u", CART);
    scene.nvim.keys("<C-r>:w<CR>");
    scene.nvim.sees("written");
    assert_eq!(scene.workspace.text("basket.py"), renamed);
    assert!(!scene.workspace.path("cart.py").exists(), "the old file is not written again");
    // Agents see the text of the buffer at its new path.
    scene.nvim.types("ggOtyped<Esc>", &format!("typed\n{renamed}"));
    assert_eq!(scene.agent.read("basket.py")["source"], "editor");
}

#[test]
fn a_rename_without_review_moves_a_buffer_that_is_not_shown() {
    let (machine, workspace) =
        (Machine::configured("review = \"off\"\n"), Workspace::with(&[("cart.py", CART), ("b.txt", "b\n")]));
    let mut nvim = Nvim::open(&machine, &[workspace.path("cart.py")]);
    nvim.lua_with("vim.cmd.edit(...)", &json!(workspace.path("b.txt")));
    nvim.settle();
    let mut agent = machine.agent_named("ada", &workspace);
    agent.read("cart.py");
    let mut scene = Scene { machine, workspace, nvim, agent, id: String::new() };
    rename(&mut scene, false);
    eventually("the buffer to be moved", || {
        buffers(&mut scene).contains(&"basket.py".to_owned()).then_some(())
    });
    assert_eq!(buffers(&mut scene).len(), 2, "{:?}", buffers(&mut scene));
    scene.nvim.keys(":b basket<CR>");
    scene.nvim.holds(&CART.replace("sum = 0", "sum = 1"));
    assert!(!scene.nvim.is_modified());
    scene.nvim.settle();
    // The undo of a rename moves the buffer, too.
    scene.agent.call("editd/undo", json!({})).done();
    eventually("the buffer to be moved back", || {
        buffers(&mut scene).contains(&"cart.py".to_owned()).then_some(())
    });
    scene.nvim.holds(CART);
}

/// Proposes to create, delete and rename files.
fn propose_files(scene: &mut Scene) {
    for name in ["old.txt", "from.txt"] {
        scene.agent.read(name);
    }
    scene.propose(&json!([
        { "kind": "write", "path": "new.txt", "content": "brand new\n" },
        { "kind": "delete", "path": "old.txt" },
        { "kind": "rename", "path": "from.txt", "newPath": "to.txt" },
        { "kind": "edit", "path": "cart.py", "edits": [{ "oldText": "sum = 0", "newText": "sum = 1" }] },
    ]));
}

#[test]
fn the_list_leads_to_previews_of_whole_files_and_opens_no_buffers_for_them() {
    let mut scene = Scene::without_proposal();
    scene.workspace.put("old.txt", "to be deleted\n");
    scene.workspace.put("from.txt", "to be renamed\n");
    propose_files(&mut scene);
    scene.nvim.keys(":Editd list<CR>");
    scene.nvim.sees("editd: changes to review");
    assert_eq!(buffers(&mut scene), ["cart.py"]);
    for (entry, text) in [(1, "brand new"), (2, "to be deleted"), (3, "rename ")] {
        scene.nvim.keys(&format!(":cc {entry}<CR>"));
        scene.nvim.sees("accepts");
        scene.nvim.sees(text);
    }
    assert_eq!(buffers(&mut scene), ["cart.py"]);
    // Each is decided from its preview.
    scene.nvim.keys(":cc 1<CR>:Editd accept<CR>");
    eventually("the decision", || {
        let shown = scene.agent.call("editd/proposal", json!({ "id": scene.id })).done();
        (shown["files"][0]["hunks"][0]["state"] == "accepted").then_some(())
    });
    scene.nvim.keys(":Editd accept_all<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
    scene.nvim.sees("Clearer: applied");
    scene.nvim.keys(":checktime<CR>:echo 'still ' .. 'here'<CR>");
    scene.nvim.sees("still here");
    assert!(!scene.nvim.messages().contains("W13"), "{}", scene.nvim.messages());
    assert_eq!(scene.nvim.mode(), "n");
    // An entry of a change that is no longer pending says so.
    scene.nvim.keys(":cc 1<CR>");
    scene.nvim.sees("this change is no longer pending");
}

#[test]
fn a_file_that_the_user_has_opened_before_it_exists_does_not_make_neovim_ask() {
    let mut scene = Scene::without_proposal();
    scene.nvim.lua_with("vim.cmd.edit(...)", &json!(scene.workspace.path("new.txt")));
    scene.nvim.settle();
    scene.propose(&json!([{ "kind": "write", "path": "new.txt", "content": "brand new\n" }]));
    scene.nvim.keys(":Editd accept_all<CR>y");
    assert_eq!(scene.outcome()["state"], "applied");
    scene.nvim.sees("Clearer: applied");
    scene.nvim.keys(":checktime<CR>:echo 'still ' .. 'here'<CR>");
    scene.nvim.sees("still here");
    assert!(!scene.nvim.messages().contains("W13"), "{}", scene.nvim.messages());
    scene.nvim.holds("brand new\n");
    assert!(!scene.nvim.is_modified());
    assert_eq!(scene.workspace.text("new.txt"), "brand new\n");
}

fn edits_at(places: &[(&str, &str)]) -> Value {
    let edits: Vec<_> = places.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect();
    json!([{ "kind": "edit", "path": "long.txt", "edits": edits }])
}

#[rstest]
#[case::go_to_next("50G", "]g")]
#[case::go_back("50G", "[g")]
#[case::review("50G", ":Editd review<CR>")]
#[case::advance("50G", ":Editd accept<CR>")]
#[case::another_buffer(":enew<CR>", "<C-^>")]
fn lines_above_the_first_one_are_visible(#[case] before: &str, #[case] keys: &str) {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("long.txt", numbered_lines(60)));
    let nvim = Nvim::with_options(&machine, "keymaps = true", &[workspace.path("long.txt")]);
    let mut agent = machine.agent_named("ada", &workspace);
    agent.read("long.txt");
    let mut scene = Scene { machine, workspace, nvim, agent, id: String::new() };
    scene.nvim.keys(before);
    scene.nvim.settle();
    scene
        .propose(&edits_at(&[("line 1\n", "first\nsecond\nthird\nline 1\n"), ("line 50\n", "line fifty\n")]));
    if before == "50G" {
        scene.nvim.sees("line fifty");
        scene.nvim.sees_no("second");
    }
    scene.nvim.keys(keys);
    for text in ["first", "second", "third"] {
        scene.nvim.sees(text);
    }
    assert_eq!(scene.nvim.position_of("third").0 + 1, scene.nvim.position_of("line 1").0);
}
