//! Review of what a command has already changed, in a real Neovim.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::scene::{BETTER, CART, Scene};
use crate::support::{Outcome, Workspace, eventually};

/// A command of ada has changed line 4, and lines 6 and 7.
fn landed() -> Scene {
    let mut scene = Scene::without_proposal();
    scene.nvim.until_connected();
    scene.run(|workspace| workspace.put("cart.py", BETTER));
    scene.nvim.sees("editd: ada ran make fix (");
    scene.nvim.holds(BETTER);
    scene
}

impl Scene {
    /// Runs a command of the agent, which makes this change.
    fn run(&mut self, change: impl FnOnce(&Workspace)) {
        let begun = self.agent.call("editd/runBegin", json!({ "command": "make fix" })).done();
        change(&self.workspace);
        self.agent.call("editd/runEnd", json!({ "run": begun["run"], "exitCode": 0 })).done();
        let id = eventually("the review of a landed change", || {
            let listed = self.agent.call("editd/proposals", json!({ "state": "landed" })).done();
            listed["proposals"][0]["id"].as_str().map(str::to_owned)
        });
        self.id = id;
    }

    fn state(&mut self) -> String {
        let id = json!({ "id": self.id });
        eventually("the change to be decided", || {
            let answer = self.agent.call("editd/proposal", id.clone()).done();
            let state = answer["state"].as_str().expect("a state");
            (state != "landed").then(|| state.to_owned())
        })
    }
}

#[test]
fn a_landed_change_is_shown_with_what_was_there_before_above_it() {
    let mut scene = landed();
    let nvim = &mut scene.nvim;
    let line = nvim.sees("amount = Decimal(0)");
    assert_eq!(line, "┃     amount = Decimal(0)   ada ran make fix  [\\ga keep, \\gr revert]");
    let (old, new) = (nvim.position_of("sum = 0"), nvim.position_of("amount = Decimal(0)"));
    assert_eq!(old.0 + 1, new.0, "earlier lines are above the current ones");
    assert_eq!(nvim.text(), BETTER);
    scene.differ(["sum = 0", "amount = Decimal(0)", "for item"]);
}

#[test]
fn hunks_are_kept_and_reverted_one_by_one() {
    let mut scene = landed();
    scene.decide("]g\\gr", "to be reverted");
    assert_eq!(scene.nvim.text(), BETTER, "unchanged until everything is decided");
    scene.nvim.keys("\\ga");
    scene.nvim.holds(&BETTER.replace("amount = Decimal(0)", "sum = 0"));
    assert_eq!(scene.state(), "partial");
    scene.nvim.sees("ada ran make fix: partly reverted");
    scene.nvim.sees_no("┃");
    scene.nvim.keys("u");
    scene.nvim.holds(BETTER);
}

#[test]
fn everything_is_kept_or_reverted_at_once() {
    for (keys, state, said, text) in
        [("\\gA", "applied", "kept", BETTER), ("\\gR", "rejected", "reverted", CART)]
    {
        let mut scene = landed();
        scene.nvim.keys("]g");
        scene.nvim.keys(keys);
        assert_eq!(scene.state(), state);
        scene.nvim.holds(text);
        scene.nvim.sees(&format!("ada ran make fix: {said}"));
        scene.nvim.sees_no("┃");
        eventually("the file", || (scene.workspace.text("cart.py") == text).then_some(()));
    }
}

#[test]
fn a_comment_reaches_the_agent_after_its_next_command() {
    let mut scene = landed();
    scene.nvim.keys("]g\\gcno decimals please<CR>");
    scene.nvim.sees("(commented)");
    scene.nvim.keys("\\gR");
    assert_eq!(scene.state(), "rejected");
    let begun = scene.agent.call("editd/runBegin", json!({ "command": "make" })).done();
    let ended = scene.agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    assert_eq!(ended["decisions"][0]["comments"][0]["text"], "no decimals please", "{ended:#}");
}

#[test]
fn the_current_lines_are_edited_before_they_are_kept() {
    let mut scene = landed();
    scene.nvim.keys("]g\\ge");
    scene.nvim.sees(":w saves this");
    scene.nvim.keys("A  # in cents<Esc>:w<CR>");
    scene.nvim.sees("✎     amount = Decimal(0)");
    scene.nvim.sees_no(":w saves this");
    scene.nvim.keys("]g\\ga");
    scene.nvim.holds(&BETTER.replace("Decimal(0)", "Decimal(0)  # in cents"));
    assert_eq!(scene.state(), "partial");
}

#[test]
fn lines_typed_since_are_overwritten_only_by_the_second_key() {
    let mut scene = landed();
    scene.nvim.keys(":4s/Decimal(0)/None/<CR>");
    scene.nvim.sees("conflict  [");
    scene.nvim.sees("restore what was here");
    scene.nvim.keys(":4<CR>\\gr");
    scene.nvim.keys("\\ga");
    assert_eq!(scene.state(), "partial");
    scene.nvim.holds(&BETTER.replace("amount = Decimal(0)", "sum = 0"));
}

#[test]
fn lines_typed_since_are_kept() {
    let mut scene = landed();
    scene.nvim.keys(":4s/Decimal(0)/None/<CR>");
    scene.nvim.sees("conflict  [");
    scene.nvim.keys(":4<CR>\\ga");
    scene.nvim.sees("kept");
    scene.nvim.keys("\\ga");
    assert_eq!(scene.state(), "applied");
    scene.nvim.holds(&BETTER.replace("Decimal(0)", "None"));
}

#[test]
fn both_sides_are_shown_and_the_right_one_can_be_edited() {
    let mut scene = landed();
    scene.nvim.keys(":Editd diff<CR>");
    scene.nvim.sees("now (:w applies this side)");
    let before = scene.nvim.lua("return vim.api.nvim_buf_get_lines(vim.fn.winbufnr(1), 0, -1, false)[4]");
    assert_eq!(before.as_str(), Some("    sum = 0"));
    scene.nvim.keys(":%s/Decimal(0)/Decimal()/<CR>:w<CR>");
    assert_eq!(scene.state(), "partial");
    scene.nvim.holds(&BETTER.replace("Decimal(0)", "Decimal()"));
}

#[test]
fn new_and_deleted_files_are_shown_in_previews() {
    let mut scene = Scene::without_proposal();
    scene.workspace.put("old.py", "old = 1\n");
    scene.nvim.until_connected();
    scene.run(|workspace| {
        workspace.put("new.py", "new = 1\n");
        fs::remove_file(workspace.path("old.py")).expect("a file");
    });
    scene.nvim.sees("editd: ada ran make fix (2 files, 2 hunks)");
    scene.nvim.keys(":Editd review<CR>");
    scene.nvim.sees("new.py (1 line)");
    scene.nvim.sees("\\ga keeps it, \\gr reverts it");
    scene.nvim.keys("\\gr");
    scene.nvim.sees("old.py (1 line)");
    scene.nvim.sees("old = 1");
    scene.nvim.keys("\\gr");
    scene.nvim.sees("ada ran make fix: reverted");
    eventually("the files", || {
        (!scene.workspace.has("new.py") && scene.workspace.has("old.py")).then_some(())
    });
    assert_eq!(scene.workspace.text("old.py"), "old = 1\n");
}

#[test]
fn a_change_at_the_top_and_a_deletion_at_the_end_are_visible() {
    let mut scene = Scene::without_proposal();
    scene.nvim.until_connected();
    let text = CART.replace("from decimal import Decimal", "import decimal").replace("    return sum\n", "");
    scene.run(|workspace| workspace.put("cart.py", &text));
    scene.nvim.holds(&text);
    scene.nvim.keys("gg");
    scene.nvim.sees("from decimal import Decimal");
    scene.nvim.sees("    return sum");
    scene.nvim.keys("\\gr");
    scene.nvim.sees("to be reverted");
    scene.nvim.keys("G\\gr");
    scene.nvim.holds(CART);
    assert_eq!(scene.state(), "rejected");
}

#[test]
fn landed_changes_are_listed_beside_proposals() {
    let mut scene = landed();
    scene.agent.read("cart.py");
    scene.propose(&json!([{ "kind": "edit", "path": "cart.py", "edits": [{ "oldText": "items:", "newText": "items :" }] }]));
    scene.nvim.keys(":Editd list<CR>");
    scene.nvim.sees("cart.py|4| ada: +1 -1 amount = Decimal(0)");
    let listed = scene.nvim.lua("return #vim.fn.getqflist()");
    assert_eq!(listed.as_i64(), Some(3));
}

#[test]
fn links_and_permissions_are_shown_in_words() {
    let mut scene = Scene::without_proposal();
    scene.nvim.until_connected();
    scene.run(|workspace| {
        workspace.put("cart.py", BETTER);
        symlink("cart.py", workspace.path("link.py")).expect("a link");
    });
    scene.nvim.sees("editd: ada ran make fix (");
    scene.nvim.holds(BETTER);
    scene.decide("]g\\ga", "kept");
    scene.decide("\\ga", "kept");
    scene.nvim.sees("before: missing");
    scene.nvim.sees("after:  link to cart.py");
    scene.nvim.keys("\\gr");
    assert_eq!(scene.state(), "partial");
    assert!(fs::symlink_metadata(scene.workspace.path("link.py")).is_err());
    scene.nvim.holds(BETTER);
}
