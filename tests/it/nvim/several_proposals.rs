//! Several pending proposals at once.

use rstest::rstest;
use serde_json::{Value, json};

use super::scene::{BETTER, CART, Scene};
use crate::support::{Agent, Machine, Nvim, Outcome, Workspace, eventually, numbered_lines};

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

/// Answers the next questions with this choice, and records them.
fn answer(scene: &mut Scene, choice: u32) {
    let code = format!(
        "_G.asked = nil vim.fn.confirm = function(question, choices)
           _G.asked = question .. ' [' .. choices:gsub('\\n', '|') .. ']' return {choice} end"
    );
    scene.nvim.lua(&code);
}

fn asked(scene: &mut Scene) -> String {
    eventually("a question", || scene.nvim.lua("return _G.asked").as_str().map(str::to_owned))
}

#[rstest]
#[case::reject_all(1, "rejected", CART)]
#[case::apply_the_accepted_one(2, "partial", &CART.replace("sum = 0", "amount = Decimal(0)"))]
fn rejecting_a_proposal_names_an_accepted_hunk(#[case] choice: u32, #[case] state: &str, #[case] text: &str) {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\ga");
    scene.nvim.sees("accepted");
    answer(&mut scene, 3);
    scene.nvim.keys(":Editd reject_all<CR>");
    let question = asked(&mut scene);
    assert!(
        question.contains("1 hunk was accepted before: ") && question.contains("cart.py:4"),
        "{question}"
    );
    assert_eq!(scene.nvim.lua("return #require('editd').pending()"), json!(1), "cancelled");
    answer(&mut scene, choice);
    scene.nvim.keys(":Editd reject_all<CR>");
    assert_eq!(scene.outcome()["state"], state);
    scene.nvim.holds(text);
}

#[rstest]
#[case::accepted("\\ga", "✓     sum = 0   accepted", "applied", "amount = Decimal(0)")]
#[case::rejected("\\gr", "✗     sum = 0   rejected", "partial", "sum = 0")]
fn a_decision_stays_on_an_equal_hunk_if_the_author_replaces_the_proposal(
    #[case] keys: &str,
    #[case] decided: &str,
    #[case] state: &str,
    #[case] first: &str,
) {
    let mut scene = Scene::start();
    scene.nvim.keys("]g");
    scene.decide(keys, decided);
    let content = BETTER.replace("item.price", "item.price * 2");
    let change = json!({ "kind": "write", "path": "cart.py", "content": content });
    let call = json!({ "label": "Twice", "changes": [change], "replaces": scene.id });
    let new = scene.agent.call("editd/edit", call).done();
    new["id"].as_str().expect("an id").clone_into(&mut scene.id);
    scene.nvim.sees("item.price * 2");
    scene.nvim.sees(decided);
    let pending = "local one = require('editd').pending() return { #one, one[1].id, one[1].undecided }";
    assert_eq!(scene.nvim.lua(pending), json!([1, scene.id, 1]));
    scene.nvim.keys("]g\\ga");
    assert_eq!(scene.outcome()["state"], state);
    scene.nvim.holds(&content.replace("amount = Decimal(0)", first));
}

#[test]
fn a_range_decides_only_hunks_that_are_undecided() {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\gr");
    scene.nvim.sees("rejected");
    answer(&mut scene, 2);
    // The only hunk of the range is decided: the user is asked.
    scene.nvim.keys(":1,4Editd accept<CR>");
    let question = asked(&mut scene);
    assert!(question.contains("1 hunk here was rejected before: "), "{question}");
    scene.nvim.keys(":%Editd accept<CR>");
    let outcome = scene.outcome();
    assert_eq!(outcome["state"], "partial");
    assert_eq!(scene.nvim.text(), BETTER.replace("amount = Decimal(0)", "sum = 0"));
}

#[test]
fn a_selection_turns_a_decision_round_if_the_user_says_so() {
    let mut scene = Scene::start();
    scene.nvim.keys("]g\\gr");
    scene.nvim.sees("rejected");
    answer(&mut scene, 1);
    scene.nvim.keys(":1,4Editd accept<CR>");
    scene.nvim.sees("accepted");
    // Without a range, the hunk under the cursor is meant.
    scene.nvim.keys("4G\\gr");
    scene.nvim.sees("rejected");
    scene.nvim.keys("4G\\ga");
    scene.nvim.sees("accepted");
    scene.nvim.keys("6G\\ga");
    scene.nvim.holds(BETTER);
}

#[test]
fn hunks_that_were_not_on_the_screen_are_counted_before_they_are_accepted() {
    let (machine, workspace) =
        (Machine::configured("review = \"auto\"\n"), Workspace::file("long.txt", numbered_lines(90)));
    let nvim = Nvim::with_options(&machine, "keymaps = true", &[workspace.path("long.txt")]);
    let mut agent = machine.agent_named("ada", &workspace);
    agent.read("long.txt");
    let mut scene = Scene { machine, workspace, nvim, agent, id: String::new() };
    let edits = [3, 40, 80]
        .map(|line| json!({ "oldText": format!("line {line}\n"), "newText": format!("LINE {line}\n") }));
    scene.propose(&json!([{ "kind": "edit", "path": "long.txt", "edits": edits }]));
    for (command, before) in
        [(":%Editd accept<CR>", "Accept 3 hunks?"), (":Editd accept_all<CR>", "Accept all of")]
    {
        answer(&mut scene, 2);
        scene.nvim.keys(command);
        let question = asked(&mut scene);
        assert!(question.starts_with(before) && question.contains("2 hunks not shown yet: "), "{question}");
    }
    scene.nvim.keys("40G80G");
    scene.nvim.sees("LINE 80");
    answer(&mut scene, 2);
    scene.nvim.keys(":Editd accept_all<CR>");
    assert_eq!(scene.outcome()["state"], "applied");
    assert_eq!(scene.nvim.lua("return _G.asked"), Value::Null);
}
