//! Several pending proposals at once.

use serde_json::{Value, json};

use super::scene::{CART, Scene};
use crate::support::{Agent, Outcome, eventually};

/// Proposes changes as another agent.
fn propose(scene: &Scene, author: &str, changes: &Value) -> (Agent, String) {
    let mut agent = scene.machine.agent_named(author, &scene.workspace);
    agent.read("cart.py");
    let answer = agent.call("editd/edit", json!({ "label": "Mine", "changes": changes })).done();
    assert_eq!(answer["state"], "pending", "{answer}");
    let id = answer["id"].as_str().expect("an id").to_owned();
    (agent, id)
}

/// Waits until a proposal is decided and returns its state.
fn state_of(agent: &mut Agent, id: &str) -> Value {
    eventually("the proposal to be decided", || {
        let answer = agent.call("editd/proposal", json!({ "id": id })).done();
        (answer["state"] != "pending").then(|| answer["state"].clone())
    })
}

#[test]
fn two_proposals_on_one_line_are_decided_separately() {
    let mut scene = Scene::without_proposal();
    scene.propose(
        &json!([{ "kind": "write", "path": "cart.py", "content": CART.replace("sum = 0", "sum = 1") }]),
    );
    let (mut bob, id) = propose(
        &scene,
        "bob",
        &json!([{ "kind": "write", "path": "cart.py", "content": CART.replace("sum = 0", "sum = 2") }]),
    );
    scene.nvim.sees("bob: Mine  [");
    let rows =
        ["ada: Clearer  [", "sum = 1", "bob: Mine  [", "sum = 2"].map(|text| scene.nvim.position_of(text).0);
    assert!(rows.windows(2).all(|pair| pair[0] + 1 == pair[1]), "each hint is above its own lines: {rows:?}");
    scene.nvim.lua(
        "vim.ui.select = function(items, options, done)
          _G.asked = vim.tbl_map(options.format_item, items)
          done(items[2])
        end",
    );
    scene.nvim.keys(":4<CR>:Editd accept<CR>");
    assert_eq!(state_of(&mut bob, &id), "applied");
    scene.nvim.holds(&CART.replace("sum = 0", "sum = 2"));
    assert_eq!(scene.nvim.lua("return _G.asked"), json!(["ada: Clearer (pending)", "bob: Mine (pending)"]));
}

#[test]
fn review_goes_to_the_announced_proposal_and_stays_in_it() {
    let mut scene = Scene::start();
    let (mut bob, id) = propose(
        &scene,
        "bob",
        &json!([
            { "kind": "write", "path": "one.txt", "content": "one\n" },
            { "kind": "write", "path": "two.txt", "content": "two\n" },
        ]),
    );
    scene.nvim.sees("bob: Mine (2 files");
    scene.nvim.keys(":Editd<CR>");
    scene.nvim.sees("bob wants to create");
    scene.nvim.keys(":Editd accept<CR>");
    scene.nvim.sees("two.txt");
    scene.nvim.sees("bob wants to create");
    scene.nvim.keys(":Editd accept<CR>");
    assert_eq!(state_of(&mut bob, &id), "applied");
    scene.nvim.sees("bob: Mine: applied");
    scene.nvim.holds(CART);
    assert_eq!(scene.nvim.lua("return #require('editd').pending()"), json!(1));
}

#[test]
fn deciding_a_proposal_with_unviewed_files_needs_confirmation() {
    let mut scene = Scene::without_proposal();
    scene.propose(&json!([
        { "kind": "write", "path": "cart.py", "content": CART.replace("sum = 0", "sum = 1") },
        { "kind": "write", "path": "new.py", "content": "print(1)\n" },
    ]));
    scene.nvim.lua("vim.fn.confirm = function(question) _G.asked = question return 2 end");
    scene.nvim.keys(":Editd accept_all<CR>");
    let asked = eventually("the confirmation prompt", || {
        scene.nvim.lua("return _G.asked").as_str().map(str::to_owned)
    });
    assert!(asked.starts_with("Accept all of ada: Clearer?") && asked.contains("new.py"), "{asked}");
    assert_eq!(scene.nvim.lua("return require('editd').pending()[1].undecided"), json!(2));
    scene.nvim.keys(":Editd next<CR>:Editd next<CR>");
    scene.nvim.keys(":Editd accept_all<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
}
