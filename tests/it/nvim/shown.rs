//! What is drawn in a buffer under review.

use serde_json::json;

use super::scene::Scene;
use crate::support::numbered_lines;

#[test]
fn a_buffer_that_is_read_again_shows_everything_once() {
    let mut scene = Scene::start();
    for _ in 0..2 {
        scene.nvim.keys(":edit!<CR>");
        scene.nvim.settle();
        let line = scene.nvim.sees("sum = 0   ada: Clearer");
        assert_eq!(line.matches("ada: Clearer").count(), 1, "{line}");
    }
    scene.nvim.keys(":Editd reject_all<CR>");
    scene.nvim.sees("ada: Clearer: rejected");
    scene.nvim.sees_no("amount");
    scene.nvim.sees_no("┃");
}

#[test]
fn a_file_that_was_not_open_is_shown_at_its_hunk() {
    let mut scene = Scene::without_proposal();
    let text = numbered_lines(60);
    scene.workspace.put("long.txt", &text);
    scene.agent.read("long.txt");
    scene.nvim.lua_with("vim.fn.chdir(...)", &json!(scene.workspace.path("")));
    let changed = text.replace("line 50\n", "line fifty\n");
    scene.propose(&json!([{ "kind": "write", "path": "long.txt", "content": changed }]));
    scene.nvim.keys(":Editd<CR>");
    scene.nvim.sees("line fifty");
    assert_eq!(scene.nvim.lua("return vim.api.nvim_win_get_cursor(0)[1]"), json!(50));
    assert_eq!(scene.nvim.lua("return vim.fn.bufname()"), json!("long.txt"));
}
