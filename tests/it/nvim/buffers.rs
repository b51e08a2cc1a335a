//! Agents' edits in the buffers of a real Neovim.

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Nvim, Outcome, Workspace, eventually, numbered_lines, uri_of};

#[test]
fn an_agent_reads_unsaved_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.types("A typed<Esc>", "one typed\ntwo\n");
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!((&read["text"], &read["source"]), (&json!("one typed\ntwo\n"), &json!("editor")));
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[test]
fn an_edit_of_a_clean_buffer_is_saved_and_is_one_undo_step() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edits =
        [("one", "ONE"), ("three", "THREE")].map(|(old, new)| json!({ "oldText": old, "newText": new }));
    let done = agent.call("editd/edit", json!({ "path": "a.txt", "edits": edits })).done();
    assert_eq!(done["files"][0]["saved"], true);
    nvim.holds("ONE\ntwo\nTHREE\n");
    assert_eq!(workspace.text("a.txt"), "ONE\ntwo\nTHREE\n");
    assert!(!nvim.is_modified());
    nvim.keys("u");
    nvim.holds("one\ntwo\nthree\n");
    nvim.keys("<C-r>");
    nvim.holds("ONE\ntwo\nTHREE\n");
}

#[test]
fn an_edit_of_a_modified_buffer_does_not_change_the_disk() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.types("A typed<Esc>", "one typed\ntwo\n");
    let done = machine.agent(&workspace).read_and_edit("a.txt", "two", "2").done();
    let file = &done["files"][0];
    assert_eq!((&file["saved"], &file["source"]), (&json!(false), &json!("editor")));
    nvim.holds("one typed\n2\n");
    assert!(nvim.is_modified());
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[test]
fn an_edit_in_insert_mode_is_a_separate_undo_step() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.types("A before", "one before\ntwo\nthree\n");
    machine.agent(&workspace).read_and_edit("a.txt", "one before", "agent\none before").done();
    nvim.holds("agent\none before\ntwo\nthree\n");
    assert_eq!(nvim.mode(), "i");
    nvim.types(" after<Esc>", "agent\none before after\ntwo\nthree\n");
    for text in ["agent\none before\ntwo\nthree\n", "one before\ntwo\nthree\n", "one\ntwo\nthree\n"] {
        nvim.keys("u");
        nvim.holds(text);
    }
}

#[test]
fn an_edit_of_two_buffers_is_applied_to_both_or_none() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua_with("vim.cmd.split(...)", &json!(workspace.path("b.txt")));
    nvim.settle();
    let mut agent = machine.agent(&workspace);
    for name in ["a.txt", "b.txt"] {
        agent.read(name);
    }
    let change = |name: &str, old: &str, new: &str| {
        let edits = [json!({ "oldText": old, "newText": new })];
        json!({ "kind": "edit", "path": name, "edits": edits })
    };
    agent.changes(vec![change("a.txt", "one", "two"), change("b.txt", "one", "two")]).done();
    let (a, b) = (workspace.path("a.txt"), workspace.path("b.txt"));
    assert_eq!([nvim.text_of(&a), nvim.text_of(&b)], ["two\n", "two\n"]);

    nvim.lua("vim.bo.modifiable = false");
    let both = vec![change("a.txt", "two", "three"), change("b.txt", "two", "three")];
    let refused = agent.changes(both).refused("editor_refused");
    assert!(refused["reason"].as_str().unwrap().contains("modifiable"), "{refused}");
    assert_eq!([nvim.text_of(&a), nvim.text_of(&b)], ["two\n", "two\n"]);
    assert_eq!([workspace.text("a.txt"), workspace.text("b.txt")], ["two\n", "two\n"]);
}

#[rstest]
#[case("")]
#[case("vim.o.undolevels = -1")]
fn a_partial_failure_is_rolled_back_in_all_buffers(#[case] setting: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua(setting);
    nvim.lua_with("vim.cmd.split(...)", &json!(workspace.path("b.txt")));
    nvim.settle();
    let edit = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 3 } }, "newText": "two" });
    let documents = ["a.txt", "b.txt"].map(|name| {
        json!({ "uri": uri_of(&workspace.path(name)), "version": 0, "baseHash": null, "edits": [edit] })
    });
    let answer = nvim.lua_with(
        "local set_text, b = vim.api.nvim_buf_set_text, vim.api.nvim_get_current_buf()
        vim.api.nvim_buf_set_text = function(buf, ...)
          if buf == b then error('no room') end
          return set_text(buf, ...)
        end
        local answer = require('editd.apply').handle({ id = 'x', documents = ... })
        vim.api.nvim_buf_set_text = set_text
        return answer",
        &json!(documents),
    );
    assert_eq!((&answer["applied"], &answer["reason"]), (&json!(false), &json!("no room")));
    for name in ["a.txt", "b.txt"] {
        assert_eq!(nvim.text_of(&workspace.path(name)), "one\n");
        let dirty = nvim.lua_with("return vim.bo[vim.fn.bufnr(...)].modified", &json!(workspace.path(name)));
        assert_eq!(dirty, json!(false));
    }
}

#[test]
fn edits_for_another_version_or_text_are_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.types("A!<Esc>", "one!\n");
    let apply = "
        local uri, sent = require('editd.wire').uri_of(0)
        local document = { uri = uri, version = sent.version + (...)[1], baseHash = (...)[2], edits = {} }
        return require('editd.apply').handle({ id = 'x', documents = { document } })";
    let older = nvim.lua_with(apply, &json!([-1, null]));
    assert!(older["reason"].as_str().unwrap().contains("is at version"), "{older}");
    let other = nvim.lua_with(apply, &json!([0, "b3:00000000000000000000000000000000"]));
    assert!(other["reason"].as_str().unwrap().contains("does not have the expected text"), "{other}");
    nvim.holds("one!\n");
}

#[test]
fn cursors_marks_and_views_stay_with_their_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(100)));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.keys("70Gma:split<CR>50Gzt3l");
    let view_state = "
        local state = { vim.fn.getline(\"'a\") }
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          vim.api.nvim_win_call(win, function()
            vim.list_extend(state, { vim.fn.getline('.'), vim.fn.getline('w0'), vim.fn.col('.') })
          end)
        end
        return state";
    let before = eventually("the cursor to move", || {
        let state = nvim.lua(view_state);
        (state[1] == "line 50" && state[3] == 4).then_some(state)
    });
    machine.agent(&workspace).read_and_edit("a.txt", "line 1\n", "new\nnew\nnew\nline 1\n").done();
    nvim.settle();
    assert_eq!(nvim.lua(view_state), before);
}

#[test]
fn a_buffer_whose_file_has_changed_on_disk_is_not_written() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.types("A!<Esc>", "one!\n");
    workspace.put("a.txt", "another program\n");
    let uris = json!([uri_of(&workspace.path("a.txt"))]);
    let answer = nvim.lua_with("return require('editd.disk').save({ uris = ... })", &uris);
    assert!(answer["reason"].as_str().unwrap().contains("changed on disk"), "{answer}");
    assert_eq!(answer["documents"][0]["dirty"], true);
    assert_eq!(workspace.text("a.txt"), "another program\n");
}

#[test]
fn the_users_autocommands_run_when_an_edit_is_saved() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut nvim = Nvim::open(&machine, &[workspace.path("a.txt")]);
    nvim.lua("vim.api.nvim_create_autocmd('BufWritePre', { command = 'silent! %s/two/TWO/' })");
    let done = machine.agent(&workspace).read_and_edit("a.txt", "one", "two").done();
    nvim.holds("TWO\n");
    assert_eq!(workspace.text("a.txt"), "TWO\n");
    assert_eq!(done["files"][0]["hash"], workspace.hash("a.txt"));
}
