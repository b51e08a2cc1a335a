//! Reviews in a real Neovim: keys as typed by a user, and the resulting screen.

use std::time::{Duration, Instant};

use serde_json::json;

use super::scene::{BETTER, CART, Scene};
use crate::support::{Machine, Nvim, Outcome, Workspace, eventually, numbered_lines};

#[test]
fn a_proposal_is_shown_in_place() {
    let mut scene = Scene::start();
    let nvim = &mut scene.nvim;
    nvim.sees("editd: ada: Clearer (1 file, 2 hunks)");
    let line = nvim.sees("sum = 0");
    assert_eq!(line, "┃     sum = 0   ada: Clearer  [\\ga accept, \\gr reject]");
    let (old, new) = (nvim.position_of("sum = 0"), nvim.position_of("amount = Decimal(0)"));
    assert_eq!(new.0, old.0 + 1, "new lines are below the old ones");
    let (word, same) = (nvim.position_of("amount += item.price"), nvim.position_of("+= item.price"));
    assert_ne!(
        nvim.attribute_at(word),
        nvim.attribute_at((word.0, 20)),
        "changed words are emphasized: {same:?}"
    );
    assert_eq!(nvim.text(), CART, "the buffer is unchanged so far");
    scene.differ(["sum = 0", "amount = Decimal(0)", "for item"]);
}

#[test]
fn hunks_accepted_one_by_one_are_applied_at_the_end_in_one_undo_step() {
    let mut scene = Scene::start();
    scene.decide("]g\\ga", "✓     sum = 0   accepted");
    assert_eq!(scene.nvim.text(), CART, "unchanged until everything is decided");
    scene.nvim.keys("\\ga");
    scene.nvim.holds(BETTER);
    assert_eq!(scene.outcome()["state"], "applied");
    assert_eq!(scene.workspace.text("cart.py"), BETTER);
    scene.nvim.sees("ada: Clearer: applied");
    scene.nvim.sees_no("┃");
    scene.nvim.keys("u");
    scene.nvim.holds(CART);
}

#[test]
fn rejecting_changes_nothing_and_sends_the_comment() {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\gcno floats please<CR>");
    scene.nvim.sees("(commented)");
    scene.nvim.keys("\\gR");
    let outcome = scene.outcome();
    assert_eq!(outcome["state"], "rejected");
    assert_eq!(outcome["comments"][0]["text"], "no floats please");
    assert_eq!(outcome["comments"][0]["hunk"], "h1");
    scene.nvim.sees_no("amount");
    assert_eq!((scene.nvim.text().as_str(), scene.workspace.text("cart.py").as_str()), (CART, CART));
}

#[test]
fn a_rejected_proposal_can_be_reopened() {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\gR");
    scene.nvim.sees("ada: Clearer: rejected; :Editd reopen brings it back");
    scene.nvim.sees_no("┃");
    assert_eq!(scene.outcome()["state"], "rejected");
    scene.nvim.keys(":Editd reopen<CR>");
    scene.nvim.sees("┃     sum = 0   ada: Clearer");
    scene.nvim.keys("\\gA");
    scene.nvim.holds(BETTER);
    scene.nvim.sees("ada: Clearer: applied");
    scene.nvim.keys(":Editd reopen<CR>");
    scene.nvim.sees("No rejected change in these folders");
}

#[test]
fn a_hunk_can_be_edited_before_it_is_accepted() {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\ge");
    scene.nvim.sees(":w saves this");
    scene.nvim.keys("A  # in cents<Esc>:w<CR>");
    scene.nvim.sees("✎     sum = 0");
    scene.nvim.sees_no(":w saves this");
    scene.nvim.sees("amount = Decimal(0)  # in cents");
    scene.nvim.keys("]g\\ga");
    let result = BETTER.replace("Decimal(0)", "Decimal(0)  # in cents");
    scene.nvim.holds(&result);
    let outcome = scene.outcome();
    let states: Vec<_> =
        outcome["files"][0]["hunks"].as_array().expect("hunks").iter().map(|it| &it["state"]).collect();
    assert_eq!(states, [&json!("edited"), &json!("accepted")]);
    assert!(outcome["userEdits"][0]["diff"].as_str().expect("a diff").contains("# in cents"), "{outcome}");
}

#[test]
fn the_diff_shows_both_sides_and_saving_applies_the_right_one() {
    let mut scene = Scene::start();
    scene.nvim.keys(":Editd diff<CR>");
    scene.nvim.sees("(:w applies this side)");
    let line = scene.nvim.sees("amount = Decimal(0)");
    assert!(line.contains("sum = 0") && line.contains('│'), "side by side: {line}");
    scene.nvim.keys("GA  # done<Esc>:w<CR>");
    let outcome = scene.outcome();
    assert_eq!(outcome["state"], "applied");
    scene.nvim.holds(&BETTER.replace("return amount", "return amount  # done"));
    scene.nvim.sees_no("(:w applies this side)");
}

#[test]
fn hunks_move_while_the_user_types_and_a_touched_one_is_a_conflict() {
    let mut scene = Scene::start();
    scene.nvim.types("ggOimport os<Esc>", &format!("import os\n{CART}"));
    scene.nvim.keys(":7<CR>Atyped<Esc>");
    let line = scene.nvim.sees("keep yours");
    assert!(line.starts_with('!') && line.contains("sum += item.pricetyped"), "{line}");
    assert_eq!(scene.nvim.sees("sum = 0"), "┃     sum = 0   ada: Clearer  [\\ga accept, \\gr reject]");
    scene.decide("gg\\gA", "1 conflict left to decide");
    assert_eq!(scene.nvim.position_of("✓").0, scene.nvim.position_of("sum = 0").0);
    scene.nvim.keys("\\gr");
    assert_eq!(scene.outcome()["state"], "partial");
    let result =
        format!("import os\n{CART}").replace("sum = 0", "amount = Decimal(0)").replace("price", "pricetyped");
    scene.nvim.holds(&result);
}

#[test]
fn a_displayed_conflict_can_be_accepted() {
    let mut scene = Scene::start();
    scene.nvim.keys(":4<CR>Atyped<Esc>");
    scene.nvim.sees("conflict");
    scene.nvim.keys("\\ga]g\\ga");
    assert_eq!(scene.outcome()["state"], "applied");
    scene.nvim.holds(BETTER);
}

#[test]
fn accepting_a_hunk_that_changed_unseen_has_no_effect() {
    let mut scene = Scene::without_proposal();
    scene.propose(&json!([
        { "kind": "write", "path": "new.py", "content": "print(1)\n" },
        { "kind": "write", "path": "cart.py", "content": BETTER },
    ]));
    scene.nvim.keys(":Editd review<CR>");
    scene.nvim.sees("ada wants to create");
    scene.workspace.put("new.py", "an hour of work\n");
    scene.nvim.keys("\\ga");
    scene.nvim.sees("1 hunk not accepted: the text there has just changed");
    assert_eq!(scene.workspace.text("new.py"), "an hour of work\n");
    scene.nvim.sees("conflict, the file has changed");
    scene.nvim.keys("\\ga");
    scene.nvim.sees("sum = 0   ada: Clearer");
    scene.nvim.keys(":Editd accept_all<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
    assert_eq!(scene.workspace.text("new.py"), "print(1)\n");
}

#[test]
fn a_review_survives_a_killed_daemon() {
    let mut scene = Scene::start();
    scene.decide("]g\\ga", "accepted");
    scene.machine.crash();
    eventually("a daemon to be back", || (scene.machine.daemons().len() == 1).then_some(()));
    scene.nvim.until_connected();
    scene.nvim.sees("sum = 0   accepted");
    scene.nvim.keys("]g\\ga");
    scene.nvim.holds(BETTER);
    eventually("the file to be saved", || (scene.workspace.text("cart.py") == BETTER).then_some(()));
}

#[test]
fn new_and_deleted_files_are_previewed_before_they_are_decided() {
    let mut scene = Scene::without_proposal();
    scene.propose(&json!([
        { "kind": "write", "path": "new.py", "content": "print(1)\n" },
        { "kind": "delete", "path": "cart.py" },
    ]));
    scene.nvim.keys(":Editd review<CR>");
    let sentence = scene.nvim.sees("ada wants to create");
    assert!(sentence.ends_with("(1 line)"), "{sentence}");
    scene.nvim.sees("print(1)");
    scene.nvim.keys("\\ga");
    scene.nvim.sees("ada wants to delete");
    scene.nvim.keys("\\gr");
    assert_eq!(scene.outcome()["state"], "partial");
    assert_eq!(
        (scene.workspace.text("new.py").as_str(), scene.workspace.has("cart.py")),
        ("print(1)\n", true)
    );
    scene.nvim.holds(CART);
}

#[test]
fn a_withdrawn_proposal_disappears_from_the_screen() {
    let mut scene = Scene::start();
    let id = json!({ "id": scene.id });
    scene.agent.call("editd/discard", id).done();
    scene.nvim.sees("withdrawn by its author");
    scene.nvim.sees_no("amount");
    scene.nvim.keys("\\gR");
    scene.nvim.sees("no proposal is pending");
    assert_eq!(scene.nvim.mode(), "n", "the key does not trigger a command of Neovim");
}

#[test]
fn a_decision_in_one_editor_is_shown_in_the_other() {
    let mut scene = Scene::start();
    let files = [scene.workspace.path("cart.py")];
    let mut other = Nvim::with_options(&scene.machine, "keymaps = true", &files);
    other.sees("sum = 0   ada: Clearer");
    scene.nvim.keys("]g\\ga");
    other.sees("sum = 0   accepted");
    other.keys("\\gA");
    scene.nvim.sees("ada: Clearer: applied");
    assert_eq!(scene.outcome()["state"], "applied");
    eventually("the file to be saved", || (scene.workspace.text("cart.py") == BETTER).then_some(()));
    scene.nvim.holds(BETTER);
    other.holds(BETTER);
}

#[test]
fn a_range_of_lines_is_decided_together() {
    let mut scene = Scene::start();
    scene.nvim.keys(":%Editd accept<CR>");
    scene.nvim.holds(BETTER);
    assert_eq!(scene.outcome()["state"], "applied");
}

#[test]
fn selected_lines_are_decided_with_the_map() {
    let mut scene = Scene::start();
    scene.nvim.keys("ggVG\\gr");
    assert_eq!(scene.outcome()["state"], "rejected");
    assert_eq!(scene.nvim.text(), CART);
}

#[test]
fn undecided_hunks_are_in_the_quickfix_list() {
    let mut scene = Scene::start();
    scene.nvim.keys(":Editd list<CR>");
    scene.nvim.sees("editd: changes to review");
    let lines = scene.nvim.lua("return vim.tbl_map(function(item) return item.lnum end, vim.fn.getqflist())");
    assert_eq!(lines, json!([4, 6]));
}

#[test]
fn a_plugin_proposes_and_receives_the_outcome() {
    let mut scene = Scene::without_proposal();
    scene.nvim.lua(
        "require('editd').propose({
          path = vim.api.nvim_buf_get_name(0),
          edits = { { oldText = 'sum = 0', newText = 'sum = 1' } },
          label = 'One', author = 'plugin',
          on_done = function(outcome, err) _G.outcome = outcome or err end,
        })",
    );
    scene.nvim.sees("plugin: One  [\\ga accept");
    scene.nvim.keys("]g\\ga");
    scene.nvim.holds(&CART.replace("sum = 0", "sum = 1"));
    let outcome = eventually("the plugin to be called back", || {
        let state = scene.nvim.lua("return _G.outcome and _G.outcome.state");
        (!state.is_null()).then_some(state)
    });
    assert_eq!(outcome, "applied");
}

#[test]
fn a_plugins_proposal_for_missing_text_is_refused() {
    let mut scene = Scene::without_proposal();
    scene.nvim.lua(
        "require('editd').propose({
          path = vim.api.nvim_buf_get_name(0),
          edits = { { oldText = 'nowhere to be found', newText = 'x' } },
          on_done = function(_, err) _G.kind = err and err.data.kind end,
        })",
    );
    eventually("the plugin to be called back", || {
        (scene.nvim.lua("return _G.kind") == "not_found").then_some(())
    });
}

#[test]
fn a_thousand_hunks_are_shown_in_time() {
    let text = numbered_lines(5_000);
    let (machine, workspace) = (Machine::configured("review = \"auto\"\n"), Workspace::file("a.txt", &text));
    let mut nvim = Nvim::with_options(&machine, "keymaps = true", &[workspace.path("a.txt")]);
    nvim.lua(
        "local review = require('editd.review')
        local take = review.take
        review.take = function(...)
          local began = vim.uv.hrtime()
          take(...)
          vim.cmd.redraw()
          _G.milliseconds = _G.milliseconds or (vim.uv.hrtime() - began) / 1e6
        end",
    );
    let changed: String = text.lines().enumerate().fold(String::new(), |mut all, (index, line)| {
        all.push_str(line);
        all.push_str(if index % 5 == 2 { " and more\n" } else { "\n" });
        all
    });
    let mut agent = machine.agent_named("ada", &workspace);
    agent.read("a.txt");
    let hash = workspace.hash("a.txt");
    let change = json!({ "kind": "write", "path": "a.txt", "content": changed, "baseHash": hash });
    agent.call("editd/edit", json!({ "changes": [change] })).done();
    nvim.sees("1000 hunks");
    let took = nvim.lua("return _G.milliseconds").as_f64().expect("a time");
    // Takes a tenth of that on an idle machine.
    assert!(took < 1_000.0, "{took} ms");
    let began = Instant::now();
    nvim.keys("G");
    nvim.sees("line 4998 and more");
    assert!(began.elapsed() < Duration::from_secs(5));
    nvim.keys("\\gAy");
    nvim.sees("applied");
    nvim.holds(&changed);
}

#[test]
fn proposals_pending_at_startup_are_announced_in_one_line() {
    let mut scene = Scene::start();
    for number in 1..=3 {
        let path = format!("new{number}.py");
        let change = json!({ "kind": "write", "path": path, "content": "print(1)\n" });
        let answer = scene.agent.call("editd/edit", json!({ "label": "New", "changes": [change] })).done();
        assert_eq!(answer["state"], "pending");
    }
    let files = [scene.workspace.path("cart.py")];
    let mut other = Nvim::open(&scene.machine, &files);
    other.sees("and 3 more  :Editd review");
    other.sees("sum = 0   ada: Clearer  [:Editd accept, :Editd reject]");
}

#[test]
fn insertions_above_the_first_and_below_the_last_line_are_visible() {
    let mut scene = Scene::without_proposal();
    let content = format!("# top\n{CART}# bottom\n");
    scene.propose(&json!([{ "kind": "write", "path": "cart.py", "content": content }]));
    let (top, first) = (scene.nvim.position_of("# top").0, scene.nvim.position_of("from decimal").0);
    let (last, bottom) = (scene.nvim.position_of("return sum").0, scene.nvim.position_of("# bottom").0);
    assert_eq!((top + 1, last + 1), (first, bottom));
    scene.nvim.keys("gg\\ga");
    scene.nvim.sees("# top");
    scene.nvim.keys("G\\ga");
    scene.nvim.holds(&content);
}

#[test]
fn a_hunk_stays_with_its_lines_until_the_next_answer() {
    let mut scene = Scene::start();
    scene.nvim.lua("require('editd.review').refresh = function() end");
    scene.nvim.keys("ggOimport os<Esc>");
    scene.nvim.holds(&format!("import os\n{CART}"));
    let (old, new) = (scene.nvim.position_of("sum = 0").0, scene.nvim.position_of("amount = Decimal").0);
    assert_eq!((old, new), (old, old + 1));
    scene.nvim.keys(":%Editd accept<CR>");
    scene.nvim.holds(&format!("import os\n{BETTER}"));
}

#[test]
fn keys_can_be_typed_faster_than_the_daemon_answers() {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\ga\\ga");
    scene.nvim.holds(BETTER);
    assert_eq!(scene.outcome()["state"], "applied");
}
