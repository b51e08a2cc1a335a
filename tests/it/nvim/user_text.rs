//! The user's own text in a review is preserved.

use serde_json::json;

use super::scene::{BETTER, CART, Scene};
use crate::support::Outcome;

/// Opens the first hunk in the floating window.
fn edit_first_hunk(scene: &mut Scene) {
    scene.nvim.keys(":4<CR>:Editd edit<CR>");
    scene.nvim.sees(":w saves this");
}

#[test]
fn undo_does_not_remove_the_initial_text_of_an_edit_window() {
    let mut scene = Scene::start();
    let changes = "return vim.fn.undotree().seq_last";
    edit_first_hunk(&mut scene);
    assert_eq!(scene.nvim.lua(changes), json!(0), "there is nothing to undo");
    scene.nvim.keys("u");
    scene.nvim.sees("Already at oldest change");
    scene.nvim.holds("    amount = Decimal(0)\n");
    scene.nvim.keys("q:Editd diff<CR>");
    scene.nvim.sees("(:w applies this side)");
    assert_eq!(scene.nvim.lua(changes), json!(0));
    scene.nvim.keys("u");
    scene.nvim.sees("Already at oldest change");
    scene.nvim.holds(BETTER);
    scene.nvim.keys(":w<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
    scene.nvim.holds(BETTER);
}

#[test]
fn a_draft_of_a_hunk_survives_a_conflict() {
    let mut scene = Scene::start();
    edit_first_hunk(&mut scene);
    scene.nvim.keys("A  # in cents<Esc>:w<CR>");
    scene.nvim.sees("✎     sum = 0");
    scene.nvim.sees_no(":w saves this");
    scene.nvim.keys(":4<CR>A  # touched<Esc>");
    scene.nvim.sees("take what you wrote");
    scene.nvim.sees("amount = Decimal(0)  # in cents");
    scene.nvim.keys("u");
    scene.nvim.sees("✎     sum = 0");
    scene.nvim.keys("A  # touched<Esc>");
    scene.nvim.sees("take what you wrote");
    edit_first_hunk(&mut scene);
    scene.nvim.holds("    amount = Decimal(0)  # in cents\n");
    scene.nvim.keys(":q<CR>:4<CR>:Editd accept<CR>");
    scene.nvim.sees("✎     sum = 0  # touched");
    scene.nvim.keys(":6<CR>:Editd accept<CR>");
    scene.nvim.holds(&BETTER.replace("Decimal(0)", "Decimal(0)  # in cents"));
    assert_eq!(scene.outcome()["userEdits"].as_array().map(Vec::len), Some(1));
}

#[test]
fn both_sides_follow_the_file_and_preserve_the_users_edits() {
    let mut scene = Scene::start();
    scene.nvim.keys(":Editd diff<CR>");
    scene.nvim.sees("(:w applies this side)");
    scene.nvim.keys("GA  # done<Esc>gtggOimport os<Esc>");
    scene.nvim.holds(&format!("import os\n{CART}"));
    scene.nvim.settle();
    scene.nvim.keys(":Editd diff<CR>");
    let line = scene.nvim.sees("return sum");
    assert!(line.contains("return amount  # done"), "{line}");
    let line = scene.nvim.sees("import os");
    assert_eq!(line.matches("import os").count(), 2, "{line}");
    assert_eq!(scene.nvim.lua("return #vim.api.nvim_list_tabpages()"), json!(2));
    scene.nvim.keys(":w<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
    scene.nvim.holds(&format!("import os\n{}", BETTER.replace("return amount", "return amount  # done")));
}

#[test]
fn the_right_side_is_not_applied_if_the_file_has_changed_on_the_same_lines() {
    let mut scene = Scene::start();
    scene.nvim.keys(":Editd diff<CR>");
    scene.nvim.sees("(:w applies this side)");
    scene.nvim.keys("GA  # done<Esc>");
    let touch = "vim.api.nvim_buf_set_text(vim.fn.bufnr('cart.py'), 6, 0, 6, 0, { 'if items:' })";
    scene.nvim.lua(touch);
    scene.nvim.settle();
    scene.nvim.keys(":w<CR>");
    scene.nvim.sees("the file has changed on the same lines");
    let line = scene.nvim.sees("return amount  # done");
    assert!(line.contains("if items:"), "{line}");
    scene.nvim.keys(":q<CR>:Editd diff<CR>");
    scene.nvim.sees("return amount  # done");
    scene.nvim.keys(":w<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
    scene.nvim.holds(&BETTER.replace("return amount", "return amount  # done"));
}

#[test]
fn the_edit_window_closes_as_its_title_describes() {
    let mut scene = Scene::start();
    edit_first_hunk(&mut scene);
    scene.nvim.sees(":q! discards it");
    scene.nvim.keys("A  # in cents<Esc>q");
    scene.nvim.sees("E37");
    scene.nvim.keys(":q!<CR>");
    scene.nvim.sees_no(":w saves this");
    assert_eq!(scene.nvim.lua("return require('editd').pending()[1].undecided"), json!(2));
    edit_first_hunk(&mut scene);
    scene.nvim.keys(":wq<CR>");
    scene.nvim.sees("✎     sum = 0");
    scene.nvim.sees_no(":w saves this");
}

#[test]
fn a_draft_for_a_withdrawn_proposal_stays_in_its_window() {
    let mut scene = Scene::start();
    edit_first_hunk(&mut scene);
    scene.nvim.keys("A  # in cents<Esc>");
    let id = json!({ "id": scene.id });
    scene.agent.call("editd/discard", id).done();
    scene.nvim.sees("withdrawn by its author");
    scene.nvim.keys(":w<CR>");
    scene.nvim.sees("your text stays here");
    scene.nvim.holds("    amount = Decimal(0)  # in cents\n");
}
