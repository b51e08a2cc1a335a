//! The display of a buffer under review.

use rstest::rstest;
use serde_json::json;

use super::scene::{CART, Scene};
use crate::support::{Machine, Nvim, Outcome, Workspace, eventually, numbered_lines};

#[test]
fn a_reloaded_buffer_shows_each_hunk_once() {
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
fn a_file_opened_for_review_is_shown_at_its_hunk() {
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

#[test]
fn every_deleted_line_is_visible_even_an_empty_one() {
    let mut scene = Scene::without_proposal();
    scene.workspace.put("blank.txt", "one\n\n\n\ntwo\n");
    scene.agent.read("blank.txt");
    scene.propose(&json!([{ "kind": "write", "path": "blank.txt", "content": "one\ntwo\n" }]));
    scene.nvim.keys(":Editd<CR>");
    scene.nvim.sees("ada: Clearer  [");
    let first = scene.nvim.position_of("one").0;
    let signs = scene.nvim.screen().iter().filter(|line| line.starts_with('┃')).count();
    assert_eq!(signs, 3);
    let attributes = [first, first + 2, first + 3].map(|row| scene.nvim.attribute_at((row, 40)));
    assert!(attributes[0] != attributes[1] && attributes[1] == attributes[2], "{attributes:?}");
}

#[test]
fn new_lines_scroll_with_the_text_if_wrap_is_off() {
    let mut scene = Scene::without_proposal();
    let long = format!("x = '{}OLD'\n", "abcdefghi ".repeat(15));
    scene.workspace.put("long.txt", &long);
    scene.agent.read("long.txt");
    let new = long.replace("OLD", "NEW");
    scene.propose(&json!([{ "kind": "write", "path": "long.txt", "content": new }]));
    scene.nvim.keys(":set nowrap<CR>:Editd<CR>");
    scene.nvim.sees("ada: Clearer  [");
    scene.nvim.keys("$");
    scene.nvim.sees("OLD'");
    scene.nvim.sees("NEW'");
}

#[test]
fn a_narrow_window_shortens_hints_but_not_their_keys() {
    let mut scene = Scene::start();
    for split in [":vsplit<CR>", ":set number<CR>", ":split<CR>"] {
        scene.nvim.keys(split);
        scene.nvim.sees_no("ada: Clearer  [");
        let rows = scene.nvim.screen();
        let hints: Vec<_> = rows.iter().filter(|row| row.contains("accept")).collect();
        assert!(!hints.is_empty() && hints.iter().all(|row| row.contains("reject]")), "{rows:#?}");
    }
}

#[test]
fn a_truncated_refusal_can_be_read_in_full_with_its_hint() {
    let mut scene = Scene::without_proposal();
    scene.nvim.lua_with("vim.fn.chdir(...)", &json!(scene.workspace.path("")));
    let path = scene.workspace.absolute("cart.py");
    let refusal = json!({ "message": format!("`{path}` has changed since it was read."),
        "data": { "hint": "Read it again, and look at what it says in all the places that matter." } });
    let whole = "editd: `cart.py` has changed since it was read. Read it again, and look at what it says in all the places that matter.";
    scene.nvim.lua_with("require('editd.message').fail(...)", &refusal);
    let shown = scene.nvim.messages();
    assert!(shown.starts_with("editd: `cart.py` has changed") && shown.ends_with('…'), "{shown}");
    scene.nvim.keys(":Editd status<CR>");
    scene.nvim.sees("editd: `cart.py` has changed");
    assert!(scene.nvim.text().contains(whole), "{}", scene.nvim.text());
    scene.nvim.lua("vim.notify = function(text) _G.message = text end");
    scene.nvim.lua_with("require('editd.message').fail(...)", &refusal);
    assert_eq!(scene.nvim.lua("return _G.message"), json!(whole));
}

#[test]
fn a_new_syntax_error_is_shown_below_its_line_and_in_the_quickfix_list() {
    let mut scene = Scene::without_proposal();
    let wrong = CART.replace("return sum", "return sum)").replace("sum = 0", "sum = Decimal(0)");
    scene.propose(&json!([{ "kind": "write", "path": "cart.py", "content": wrong }]));
    scene.nvim.sees("    new syntax error");
    let rows = ["return sum)", "syntax error"].map(|text| scene.nvim.position_of(text).0);
    assert_eq!(rows[1], rows[0] + 1, "below the line");
    scene.nvim.keys(":Editd list<CR>");
    // The line is wrapped.
    scene.nvim.sees("return sum); new syntax");
    scene.nvim.keys(":cclose<CR>:7<CR>:Editd reject<CR>");
    scene.nvim.sees("rejected");
    scene.nvim.sees_no("syntax error");
}

#[test]
fn a_new_syntax_error_is_shown_in_a_new_file() {
    let mut scene = Scene::without_proposal();
    let content = "def total(items):\n    return sum(items))\n";
    scene.propose(&json!([{ "kind": "write", "path": "sums.py", "content": content }]));
    scene.nvim.keys(":Editd<CR>");
    scene.nvim.sees("return sum(items)) new syntax error");
}

/// A long line whose change is far from its start.
fn long(change: &str) -> String {
    format!("{}{change} {}\n", "word ".repeat(8_000), "more ".repeat(7_600))
}

#[rstest]
#[case::wrapped("vim.o.wrap = true", 1)]
#[case::not_wrapped("vim.o.wrap = false", 1)]
#[case::in_the_middle("vim.o.wrap = true", 3)]
fn a_long_line_shows_its_change(#[case] option: &str, #[case] line: usize) {
    let around = |long: String| format!("{}{long}last\n", "before\n".repeat(line - 1));
    let (old, new) = (around(long("old")), around(long("n\u{202e}e\u{200b}w")));
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("long.txt", &old));
    let mut nvim = Nvim::with_options(&machine, "keymaps = true", &[workspace.path("long.txt")]);
    nvim.lua(option);
    let mut agent = machine.agent_named("ada", &workspace);
    agent.read("long.txt");
    let write = json!({ "kind": "write", "path": "long.txt", "content": new, "baseHash": workspace.hash("long.txt") });
    let answer = agent.changes(vec![write]).done();
    assert_eq!(answer["state"], "pending");
    nvim.sees("1 hunk");
    nvim.keys(":Editd review<CR>");
    let (row, column) = nvim.position_of("word old more ");
    let new_row = nvim.position_of("n<202e>e<200b>w").0;
    assert!(new_row > row && new_row < row + 4, "{row} {new_row}");
    nvim.sees("…39920 characters…word ");
    nvim.sees("characters…");
    assert_ne!(
        nvim.attribute_at((row, column)),
        nvim.attribute_at((row, column + 5)),
        "the change is marked"
    );
    nvim.keys("\\ga");
    nvim.holds(&new);
}

#[test]
fn a_long_line_that_is_all_new_is_accepted_only_after_a_question() {
    let mut scene = Scene::without_proposal();
    let content = format!("{CART}{}\n", "new ".repeat(5_000));
    scene.propose(&json!([{ "kind": "write", "path": "cart.py", "content": content }]));
    scene.nvim.lua("vim.fn.confirm = function(question) _G.asked = question return 2 end");
    scene.nvim.keys("]g");
    scene.nvim.sees("…19000 char");
    scene.nvim.keys("\\ga");
    let asked = eventually("a question", || scene.nvim.lua("return _G.asked").as_str().map(str::to_owned));
    assert!(asked.contains("1 hunk not shown yet: ") && asked.contains("cart.py"), "{asked}");
    assert_eq!(scene.nvim.text(), CART);
    // The diff shows the whole line.
    scene.nvim.keys(":Editd diff<CR>");
    scene.nvim.sees("(:w applies this side)");
    scene.nvim.keys(":tabclose<CR>G\\ga");
    scene.nvim.holds(&content);
}
