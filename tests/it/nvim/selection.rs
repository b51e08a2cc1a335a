//! The selection that Neovim reports to the daemon.

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Nvim, Outcome, Workspace, eventually};

/// Waits until the active file has this selected text, and returns its selection.
fn selected(agent: &mut Agent, text: &str) -> Value {
    eventually(&format!("the selection {text:?}"), || {
        let list = agent.call("editd/openFiles", json!({})).done();
        let file = list["files"].as_array()?.iter().find(|file| file["active"] == true)?;
        (file["selectedText"] == *text).then(|| file["selection"].clone())
    })
}

#[test]
fn each_kind_of_selection_is_reported() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\nz\u{1f600}wei\nthree"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    let mut agent = machine.agent(&workspace);
    for (keys, text) in [
        ("gg0v2l", "one"),
        ("<Esc>gg0vj", "one\nz"),
        // Backwards, from an emoji on.
        ("<Esc>2G0lvgg0", "one\nz\u{1f600}"),
        ("<Esc>2G0lv", "\u{1f600}"),
        ("<Esc>2GV", "z\u{1f600}wei\n"),
        ("<Esc>GV", "three"),
        ("<Esc>GVk", "z\u{1f600}wei\nthree"),
        ("<Esc>G$v", "e"),
        ("<Esc>gg0<C-v>jl", "one\nz\u{1f600}"),
        ("<Esc>gg0v$", "one\n"),
    ] {
        nvim.keys(keys);
        selected(&mut agent, text);
    }
    nvim.keys("<Esc>2G03l");
    let at = selected(&mut agent, "");
    assert_eq!((&at["start"], &at["end"]), (&json!({ "line": 1, "character": 4 }), &at["start"]));
}

#[test]
fn a_selection_in_an_empty_buffer_is_empty() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("empty.txt", ""), ("b.txt", "b\r\nc\r\n")]));
    let mut nvim = Nvim::open(&machine, &[workspace.path("empty.txt"), workspace.path("b.txt")]);
    let mut agent = machine.agent(&workspace);
    nvim.keys("V");
    selected(&mut agent, "");
    nvim.keys("<Esc>:next<CR>V");
    selected(&mut agent, "b\r\n");
    assert_eq!(nvim.messages(), "");
}
