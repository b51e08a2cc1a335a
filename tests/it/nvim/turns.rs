//! The changes of one turn of an agent in a real Neovim: one line in the log, and undone together.

use serde_json::json;

use crate::support::{Agent, Machine, Nvim, Outcome, Workspace, eventually};

/// Opens a file that an agent has changed twice in one turn, which has also changed another file.
fn scene() -> (Machine, Workspace, Nvim, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    workspace.put("b.txt", "four\n");
    let nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    let mut agent = machine.agent_named("ada", &workspace);
    edit(&mut agent, "a.txt", ("one", "1"), "turn-1");
    edit(&mut agent, "a.txt", ("two", "2"), "turn-2");
    edit(&mut agent, "b.txt", ("four", "4"), "turn-2");
    edit(&mut agent, "a.txt", ("2", "II"), "turn-2");
    (machine, workspace, nvim, agent)
}

fn edit(agent: &mut Agent, path: &str, (old, new): (&str, &str), turn: &str) {
    agent.read(path);
    let params = json!({ "path": path, "oldText": old, "newText": new, "origin": { "turn": turn } });
    agent.call("editd/edit", params).done();
}

#[test]
fn the_log_shows_a_turn_as_one_line_that_can_be_opened() {
    let (_machine, _workspace, mut nvim, _agent) = scene();
    nvim.holds("1\nII\nthree\n");
    nvim.keys(":Editd log all<CR>");
    nvim.sees("turn turn-2: 3 changes in 2 files +3 -3");
    nvim.sees("a.txt +1 -1");
    nvim.sees_no("b.txt +1 -1");
    nvim.keys("za");
    nvim.sees("b.txt +1 -1");
}

#[test]
fn a_turn_is_undone_from_the_log() {
    let (_machine, workspace, mut nvim, _agent) = scene();
    nvim.holds("1\nII\nthree\n");
    nvim.keys(":Editd log<CR>");
    nvim.sees("turn turn-2: 2 changes in 1 file");
    nvim.keys("ggU");
    nvim.sees("3 changes of turn turn-2 undone");
    nvim.sees("undone turn turn-2");
    nvim.keys("q");
    nvim.holds("1\ntwo\nthree\n");
    eventually("the other file to be restored", || (workspace.text("b.txt") == "four\n").then_some(()));
}

#[test]
fn the_latest_turn_is_undone_by_a_command() {
    let (_machine, workspace, mut nvim, _agent) = scene();
    nvim.holds("1\nII\nthree\n");
    nvim.keys(":Editd undo turn<CR>");
    nvim.sees("3 changes of turn turn-2 undone");
    nvim.holds("1\ntwo\nthree\n");
    nvim.keys(":Editd undo turn<CR>");
    nvim.sees("1 change of turn turn-1 undone");
    nvim.holds("one\ntwo\nthree\n");
    nvim.keys(":Editd undo turn<CR>");
    nvim.sees("no turn to undo here");
    assert_eq!(workspace.text("b.txt"), "four\n");
}

#[test]
fn the_undo_of_a_turn_stops_at_a_change_that_a_later_one_overlaps() {
    let (machine, workspace, mut nvim, mut agent) = scene();
    nvim.holds("1\nII\nthree\n");
    edit(&mut agent, "b.txt", ("4", "iv"), "turn-3");
    machine.agent_named("eve", &workspace).read_and_edit("a.txt", "three", "3").done();
    nvim.holds("1\nII\n3\n");
    nvim.keys(":Editd log<CR>");
    nvim.sees("turn turn-2: 2 changes");
    nvim.keys("jU");
    nvim.sees("1 of 3 changes of the turn undone: ");
    nvim.keys("q");
    nvim.holds("1\n2\n3\n");
}

#[test]
fn a_label_of_several_lines_takes_one_line_of_the_log() {
    let (_machine, workspace, mut nvim, mut agent) = scene();
    agent.read("b.txt");
    let label = "Count\n\nIn digits, as agreed.";
    let edit = json!({ "path": "b.txt", "oldText": "4\n", "newText": "four again\n", "label": label });
    agent.call("editd/edit", edit).done();
    assert_eq!(workspace.text("b.txt"), "four again\n");
    nvim.keys(":Editd log all<CR>");
    nvim.sees("Count …");
    nvim.sees_no("agreed");
}
